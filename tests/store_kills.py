"""Kill a process that writes blocks, again and again, and look at the store after each kill.

python tests/store_kills.py 200
"""

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tarocco.store import Store
from tarocco.store.maintenance import problems

WORKER = Path(__file__).with_name("store_worker.py")


def recomputed(log):
    """Blocks that were computed again although they had been stored."""
    stored, again = set(), []
    for line in log.splitlines():
        what, _, block = line.partition(" ")
        if what == "computed" and block in stored:
            again.append(block)
        elif what == "stored":
            stored.add(block)
    return again


def kill_again_and_again(kills, folder, seed=1):
    """Counts of what happened: kills, rounds that came to their end, blocks stored, and everything that went wrong."""
    luck = random.Random(seed)
    folder = Path(folder)
    expected = folder / "expected"
    subprocess.run([sys.executable, WORKER, "", folder / "unused", expected], check=True)
    found = Counter(kills=0, rounds=0, stored=0, recomputed=0, problems=0, differences=0)
    while found["kills"] < kills or not found["rounds"]:
        store, log, out = (folder / f"{name}-{found['rounds']}" for name in ("store", "log", "out"))
        log.touch()
        process = subprocess.Popen([sys.executable, WORKER, store, log, out])
        before = log.stat().st_size
        if luck.random() < 0.8:  # most kills hit the writing itself, some the start, the opening or the end
            while process.poll() is None and log.stat().st_size == before:
                time.sleep(0.001)
            patience = luck.uniform(0, 0.05)
        else:
            patience = luck.uniform(0, 0.6)
        if found["kills"] < kills:
            time.sleep(patience)
            process.kill()
            found["kills"] += process.wait() != 0
        elif process.wait() != 0:
            raise RuntimeError("the worker failed")
        if store.exists():
            with Store(store, readonly=True) as opened:
                found["problems"] += len(problems(opened))
        if out.exists() and out.stat().st_size == expected.stat().st_size:
            found["differences"] += out.read_bytes() != expected.read_bytes()
            found["recomputed"] += len(recomputed(log.read_text()))
            found["stored"] += log.read_text().count("stored")
            found["rounds"] += 1
    return dict(found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        print(kill_again_and_again(int(sys.argv[1]), scratch), f"{time.monotonic() - started:.0f} s")
