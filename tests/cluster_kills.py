"""Kill drivers, workers and schedulers of ORANGE trials, again and again, and look at the store after each kill.

python tests/cluster_kills.py 200 100 100

A round is a trial with a store of its own, taken up until it comes to its end: its table must be that of one thread,
undisturbed. Drivers are killed at the start, while blocks come in, or at the end; workers while they have blocks, and
another one is started in the place of each; schedulers at any moment, which must be told in one sentence.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from clusters_here import Cluster, slow_environment

from tarocco.store import Store
from tarocco.store.maintenance import problems, summarize

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
METRICS = ["BLEUS-4", "NIST-5", "WER", "ROUGE-L", "chrF"]
WORKERS = 3


def blocks_in(store):
    if not store.exists():
        return 0
    with Store(store, readonly=True) as opened:
        return summarize(opened).blocks


# What may be said of a scheduler that was killed.
GONE = re.compile(
    r"tarocco: tcp://\S+: (the connection to the scheduler was lost|"
    r"there is no scheduler, or it does not answer \(.*\)); .*\n"
)


def kill_again_and_again(drivers, workers, schedulers, folder, seed=1):
    """Counts of what happened: kills, rounds that came to their end, blocks stored, and everything that went wrong."""
    from nbest_data import write

    luck, folder = random.Random(seed), Path(folder)
    write(folder, 60, 100, 3)
    files = [str(folder / f"ref{r}.txt") for r in (1, 2, 3)]
    orange = [sys.executable, "-m", "tarocco", "orange", str(folder / "nbest.txt"), "-r", *files, "-m", *METRICS]
    orange += ["-f", "tsv", "-q"]
    expected = subprocess.run([*orange, "-j", "1"], capture_output=True, check=True).stdout
    slow = {**slow_environment(folder, 0.04), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s"}
    cluster = Cluster(folder, WORKERS, environment=slow)
    left = {"drivers": drivers, "workers": workers, "schedulers": schedulers}
    found = Counter(
        {**dict.fromkeys(left, 0), "rounds": 0, "blocks": 0, "problems": 0, "differences": 0, "failures": 0}
    )
    try:
        code = 0
        while any(left.values()) or code:  # the last round is not left unfinished
            store, out = folder / f"s{found['rounds']}.db", folder / "out"
            with out.open("wb") as file:
                run = subprocess.Popen(
                    [*orange, "--cluster", cluster.address, "--store", str(store)],
                    stdout=file,
                    stderr=subprocess.PIPE,
                    env=slow,
                )
            hits = [what for what, number in left.items() if number]
            what = luck.choices(hits, [left[one] for one in hits])[0] if hits else "nobody"
            before = blocks_in(store)
            if luck.random() < 0.85:  # most kills hit a run with blocks on their way
                while run.poll() is None and blocks_in(store) == before:
                    time.sleep(0.005)
                time.sleep(luck.uniform(0, 0.4))
            else:
                time.sleep(luck.uniform(0, 3))
            hit = what if run.poll() is None and what in left else None
            if hit is not None:
                found[hit] += 1
                left[hit] -= 1
            if hit == "drivers":
                run.kill()
            elif hit == "workers":
                victim = luck.randrange(len(cluster.workers))
                cluster.workers[victim].kill()
                cluster.workers[victim].wait()
                cluster.workers[victim] = cluster.start_worker()
            elif hit == "schedulers":
                cluster.scheduler.kill()
            code = run.wait()
            said = run.stderr.read().decode()
            run.stderr.close()
            if hit == "schedulers":
                cluster.stop()
                cluster = Cluster(folder, WORKERS, environment=slow)
            if store.exists():
                with Store(store, readonly=True) as opened:
                    found["problems"] += len(problems(opened))
            if code == 0:
                found["differences"] += out.read_bytes() != expected
                found["blocks"] += blocks_in(store)
                found["rounds"] += 1
            elif code > 0 and not (hit == "schedulers" and GONE.fullmatch(said)):
                found["failures"] += 1
                print(said, file=sys.stderr)
            if sum(found[one] for one in left) % 25 == 0:
                print(dict(found), flush=True)
    finally:
        cluster.stop()
    return dict(found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        counts = kill_again_and_again(*map(int, sys.argv[1:4]), scratch)
        print(counts, f"{time.monotonic() - started:.0f} s")
    sys.exit(bool(counts["problems"] or counts["differences"] or counts["failures"]))
