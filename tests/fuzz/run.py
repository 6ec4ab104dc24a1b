"""Fuzz all targets, or some, for a number of inputs each; count, and keep what breaks.

python tests/fuzz/run.py                          every target, by our own mutations
python tests/fuzz/run.py --inputs 100000 plf slf  two of them, longer
python tests/fuzz/run.py --engine atheris         guided by coverage, if atheris is installed (pip install atheris)

A crash is an error that is not TaroccoError, a signal, more than 5 seconds of a processor or more than 1 GiB. Its
input is kept in build/fuzz; once fixed it belongs into tests/fuzz/seeds, where the tests find it.
"""

import argparse
import faulthandler
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.mutation import mutated
from fuzz.targets import TARGETS, Bench, seeds_of

PATIENCE = 5  # seconds of a processor
STUCK = 120  # seconds of any clock: the machine may be busy
MEMORY = 1 << 30  # bytes above what the process has before the first input
KEPT = Path(__file__).resolve().parents[2] / "build" / "fuzz"


class TooLong(Exception):
    """An input took more time than it may."""


def limit() -> None:
    """Nothing may take much longer than it should, or much memory: a hang in C ends the process."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))

    def stop(*_about: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)


def guarded(bench: Bench, name: str, data: bytes) -> None:
    faulthandler.dump_traceback_later(STUCK, exit=True)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        bench.try_one(name, data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def keep(name: str, data: bytes, error: str) -> Path:
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{name}-{abs(hash((data, error))) % 10**10}"
    path.write_bytes(data)
    path.with_suffix(".error").write_text(error, "utf-8", "backslashreplace")
    return path


def by_mutations(name: str, inputs: int, seed: int, most_crashes: int = 5) -> dict[str, object]:
    """Try kept inputs, then new ones."""
    seeds = seeds_of(name)
    rng = random.Random(f"{name} {seed}")
    crashes: dict[str, str] = {}
    with Bench() as bench:
        for data in seeds:  # what is imported on the way does not count
            bench.try_one(name, data)
        limit()
        begun, slowest, done = time.monotonic(), 0.0, 0
        for i in range(inputs):
            data = seeds[i] if i < len(seeds) else mutated(seeds, rng)
            start = time.process_time()
            try:
                guarded(bench, name, data)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                where = traceback.extract_tb(error.__traceback__)[-1]
                key = f"{type(error).__name__} {Path(where.filename).name}:{where.lineno}"
                if key not in crashes:
                    crashes[key] = str(keep(name, data, traceback.format_exc()))
                if len(crashes) >= most_crashes:
                    break
            slowest = max(slowest, time.process_time() - start)
            done += 1
        seconds = time.monotonic() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {
        "target": name,
        "inputs": done,
        "seconds": round(seconds, 1),
        "slowest": round(slowest, 2),
        "peak_mib": peak,
        "crashes": crashes,
    }


def by_coverage(name: str, inputs: int, seed: int) -> dict[str, object]:
    """The same with atheris: inputs that reach new code are kept as the next ones' seeds."""
    import atheris

    with atheris.instrument_imports(include=["tarocco"]):
        import tarocco.metrics.registry  # noqa: F401
    with Bench() as bench:
        for data in seeds_of(name):
            with atheris.instrument_imports(include=["tarocco"]):
                bench.try_one(name, data)
        corpus = KEPT / "corpus" / name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds = Path(__file__).parent / "seeds" / name
        arguments = [sys.argv[0], f"-runs={inputs}", f"-seed={seed}", f"-timeout={PATIENCE}", "-rss_limit_mb=1400"]
        arguments += ["-max_len=4096", "-len_control=0", "-verbosity=0", "-print_final_stats=1"]
        arguments += [f"-artifact_prefix={KEPT}/{name}-", str(corpus), str(seeds)]
        atheris.Setup(arguments, lambda data: bench.try_one(name, data) and None)
        atheris.Fuzz()
    raise AssertionError("atheris ends the process")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="default: all")
    parser.add_argument("--inputs", type=int, default=25_000, help="of a target of weight 1 (default: 25000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("mutations", "atheris"), default="mutations")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        (name,) = options.targets
        engine = by_mutations if options.engine == "mutations" else by_coverage
        print(json.dumps(engine(name, options.inputs, options.seed)))
        return 0
    total, seconds, broken = 0, 0.0, 0
    for name in options.targets or TARGETS:
        inputs = options.inputs * TARGETS[name].weight
        command = [sys.executable, __file__, "--one", "--engine", options.engine, "--seed", str(options.seed)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        begun = time.monotonic()
        with Bench() as bench:  # what a process that died was reading stays there
            environment["TAROCCO_FUZZ_FOLDER"] = bench.folder
            done = subprocess.run(
                [*command, "--inputs", str(inputs), name], capture_output=True, text=True, env=environment, check=False
            )
            seconds += time.monotonic() - begun
            found = _report(bench, name, done, time.monotonic() - begun, options.engine)
        total += found["inputs"]
        broken += bool(found["crashes"])
        told = f"{found['inputs']:>9,} inputs {found['seconds']:>7.1f} s"
        told += f"  {found['new']} reached new code" if "new" in found else ""
        told += f"  slowest {found['slowest']:.2f} s  peak {found['peak_mib']} MiB"
        print(f"{name:<16} {told}  {found['crashes'] or ''}", flush=True)
    print(f"{total:,} inputs in {seconds:.0f} s; {broken} targets with crashes")
    return 1 if broken else 0


def _report(bench: Bench, name: str, done: "subprocess.CompletedProcess[str]", seconds: float, engine: str) -> dict:
    if engine == "mutations" and done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    stats = dict(re.findall(r"^(stat::\w+): *([0-9]+)$", done.stderr, re.MULTILINE))
    found = {
        "inputs": int(stats.get("stat::number_of_executed_units", 0)),
        "seconds": seconds,
        "slowest": float(stats.get("stat::slowest_unit_time_sec", 0)),
        "peak_mib": int(stats.get("stat::peak_rss_mb", 0)),
        "new": int(stats.get("stat::new_units_added", 0)),
        "crashes": {},
    }
    if done.returncode:
        found["crashes"] = {f"exit code {done.returncode}": str(_last(bench, name, done.stdout + done.stderr))}
    return found


def _last(bench: Bench, name: str, said: str) -> Path:
    """Keep what a process was reading when it died."""
    left = [path for path in Path(bench.folder).glob(f"*/{TARGETS[name].file}") if path.is_file()]
    return keep(name, left[0].read_bytes() if left else b"", said)


if __name__ == "__main__":
    sys.exit(main())
