"""How long, and how much: a trial of a billion candidates or a thousand billion, on ten machines or a thousand.

    python bench/simulate.py            check the model against real runs with 1, 2 and 4 local workers
    python bench/simulate.py --plan     what it predicts for 10^9 to 10^12 candidates
    python bench/simulate.py --costs    what a candidate costs, metric by metric

The model is what the code does. The driver reads, packs and sends blocks one after the other; a block waits for a free
worker; a worker takes as long as a block was measured to take, drawn from the measured times; results come back in
order, two blocks a worker are on their way, and no more bytes than the driver allows. Workers fail at a rate; what a
lost worker had is done again by another, and it is replaced after a while. The network has a bandwidth, which
all blocks leave the driver through.
"""

from __future__ import annotations

import argparse
import heapq
import random
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from nbest_data import write

METRICS = ["BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"]
SLOWER = ["BLEU-4", "GTM-1", "TER", "METEOR", "CDER"]
IN_FLIGHT = 1 << 28  # as in clusters.py


@dataclass(frozen=True)
class Measured:
    """One block, on average where it is one number: what it has in it, and what it costs."""

    candidates: float
    size: float  # bytes that are sent
    driving: float  # seconds of the driver: reading, choosing, packing, sending, taking the result
    working: Sequence[float]  # seconds of a worker, one number a block
    fixed: float = 0.0  # seconds of the driver for a run: references before it, the verdict after it


@dataclass(frozen=True)
class Machines:
    """What there is."""

    workers: int
    bandwidth: float = 1.25e9  # bytes a second out of the driver: 10 Gbit/s
    latency: float = 0.005  # seconds between a free worker and its next block, and back with a result
    failures: float = 0.0  # a worker and second
    replacement: float = 120.0  # seconds until another one is there
    slow: float = 1.0  # how much longer everything takes, because processors are shared


@dataclass(frozen=True)
class Predicted:
    """What a run comes to."""

    seconds: float
    busy: float  # share of the workers' time in which they had a block
    lost: int  # workers


def simulate(blocks: int, measured: Measured, machines: Machines, seed: int = 1) -> Predicted:
    """Let a run happen, event by event; time is that of the simulated cluster."""
    luck = random.Random(seed)
    ahead = min(2 * machines.workers, max(1, int(IN_FLIGHT / measured.size)))
    sending = max(measured.driving * machines.slow, measured.size / machines.bandwidth)
    # A heap of (when a worker is free); the driver hands out blocks in order, and takes results in order.
    free = [0.0] * machines.workers
    ends: deque[float] = deque()
    driver = busy = finished = 0.0
    lost = 0
    for _ in range(blocks):
        if len(ends) >= ahead:  # the oldest result is waited for before another block is sent
            driver = max(driver, ends.popleft())
        driver += sending
        start = max(driver, heapq.heappop(free)) + machines.latency
        working = luck.choice(measured.working) * machines.slow
        while machines.failures and luck.random() < machines.failures * working:
            lost += 1  # somewhere in the middle: the time is gone, and so is the worker for a while
            gone = start + luck.random() * working
            heapq.heappush(free, gone + machines.replacement)
            start = max(gone, heapq.heappop(free)) + machines.latency
        busy += working
        end = start + working + machines.latency
        heapq.heappush(free, end)
        finished = max(finished, end)
        ends.append(finished)
    finished += measured.fixed * machines.slow
    return Predicted(finished, busy / (finished * machines.workers), lost)


def scaled(blocks: int, measured: Measured, machines: Machines, most: int = 200_000) -> Predicted:
    """A run of very many blocks from one of many: once all workers have work, time is proportional."""
    if blocks <= most:
        return simulate(blocks, measured, machines)
    part = simulate(most, replace(measured, fixed=0.0), machines)
    return Predicted(part.seconds * blocks / most + measured.fixed, part.busy, int(part.lost * blocks / most))


# --- measuring -----------------------------------------------------------------------------------------------------


def study(folder: Path, metrics: Sequence[str] = METRICS, **how: object) -> None:
    import tarocco

    streams = [(folder / f"ref{r}.txt").read_text().splitlines() for r in (1, 2, 3, 4)]
    references = list(zip(*streams, strict=True))
    tarocco.orange(folder / "nbest.txt", references, metrics=metrics, **how)  # type: ignore[arg-type]


@contextmanager
def watching() -> Iterator[tuple[list[float], list[int]]]:
    """The processor time of each block that is judged meanwhile, and the bytes that would be sent of it."""
    import cloudpickle

    from tarocco.judge import trial

    working: list[float] = []
    sizes: list[int] = []
    judged = trial.judged

    def watched(contexts, work):  # type: ignore[no-untyped-def]
        sizes.append(len(cloudpickle.dumps(work)))
        began = time.thread_time()
        outcome = judged(contexts, work)
        working.append(time.thread_time() - began)
        return outcome

    trial.judged = watched
    try:
        yield working, sizes
    finally:
        trial.judged = judged


def costs(lists: int, size: int) -> None:
    """What each metric takes by itself, reading included; metrics of a family that are asked for together share it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, lists, size, 4)
        print(f"{lists} x {size} candidates x 4 references, against the 4 sets of 3: processor time a candidate")
        for asked in (*((one,) for one in (*METRICS, *SLOWER)), tuple(METRICS)):
            with watching() as (working, _):
                study(folder, asked, jobs=1)
            took = sum(working[1:]) / (len(working) - 1) * len(working) / (lists * size)
            print(f"{', '.join(asked):12} {took * 1e6:7.2f} us", flush=True)


def measure(folder: Path, lists: int, size: int) -> Measured:
    """Workers' times of all blocks, in one thread; then the driver's own on a cluster, without what a run takes anyway.

    Processor time, so that others on the machine do not count: the driver's threads share one interpreter.
    """
    import tarocco

    with watching() as (working, sizes):
        study(folder, jobs=1)
    few = folder / "few"
    write(few, max(4, lists // 4), size, 4)
    took, blocks = [], []
    with tarocco.cluster("local:1") as found:
        for part in (few, few, folder):  # the first time is for imports
            before, done = time.process_time(), found._done
            study(part, executor=found)
            took.append(time.process_time() - before)
            blocks.append(found._done - done)
    driving = (took[2] - took[1]) / (blocks[2] - blocks[1])
    driving = max(driving, 1e-4)
    fixed = max(0.0, took[1] - blocks[1] * driving)
    of_block = lists * size / len(working), sum(sizes) / len(sizes), driving
    return Measured(*of_block, working[1:] or working, fixed)


def real_run(folder: Path, workers: int) -> tuple[float, float]:
    """(seconds with so many local workers, seconds from here to a worker and back, by messages without work)."""
    import tarocco
    from tarocco.clusters import Workers

    def messages(found: Workers) -> list[float]:
        took = []
        for number in range(10):
            began = time.perf_counter()
            found.submit(len, str(number)).result()
            took.append(time.perf_counter() - began)
        return took

    with tarocco.cluster(f"local:{workers}") as found:
        study(folder / "few", executor=found)  # everybody has imported what it takes
        before = messages(found)
        began = time.perf_counter()
        study(folder, executor=found)
        took = time.perf_counter() - began
        return took, median(before + messages(found))


def slowness(folder: Path) -> float:
    """How much longer work takes at the moment than the processor works on it: others use the machine, too."""
    began, before = time.perf_counter(), time.process_time()
    study(folder / "few", jobs=1)
    return (time.perf_counter() - began) / (time.process_time() - before)


def check(lists: int, size: int, rounds: int = 3) -> None:
    """Prediction beside measurement, in rounds: each prediction is for the machine as it was just before and after."""
    import os

    processors = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, lists, size, 4)
        found = measure(folder, lists, size)
        blocks = len(found.working) + 1
        mean = sum(found.working) / len(found.working)
        print(f"{lists} x {size} candidates x 4 references, {len(METRICS)} metrics, {processors} processors")
        print(
            f"{blocks} blocks of {found.candidates:.0f} candidates and {found.size / 1e6:.2f} MB; a worker takes "
            f"{mean * 1e3:.0f} ms ({min(found.working) * 1e3:.0f} to {max(found.working) * 1e3:.0f}) for one, "
            f"the driver {found.driving * 1e3:.1f} ms, and {found.fixed * 1e3:.0f} ms for the run"
        )
        print(f"a candidate and metric: {mean / found.candidates / len(METRICS) * 1e6:.2f} us")
        print("workers  a quiet machine would take  shared with others: predicted  measured  measured / predicted")
        for workers in (1, 2, 4):
            # Driver and scheduler have to be worked for as well.
            busy = workers + 2 * min(1.0, workers * found.driving / mean)
            quiet = simulate(blocks, found, Machines(workers, slow=max(1.0, busy / processors))).seconds
            taken, predicted = [], []
            for _ in range(rounds):
                before = slowness(folder)
                took, message = real_run(folder, workers)
                others = (before + slowness(folder)) / 2 * processors - 1  # processes that share the processors
                slow = max(1.0, (max(0.0, others) + busy) / processors)
                taken.append(took)
                there = Machines(workers, latency=message / 2, slow=slow)
                predicted.append(simulate(blocks, found, there).seconds)
            ratios = sorted(one / other for one, other in zip(taken, predicted, strict=True))
            print(
                f"{workers:7} {quiet:26.1f} s {median(predicted):28.1f} s {median(taken):7.1f} s "
                f"{ratios[len(ratios) // 2]:14.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
                flush=True,
            )


# --- planning ------------------------------------------------------------------------------------------------------

PROCESSORS = 32  # of a node
PRICE = 0.05  # of a processor and hour, in whatever currency


def plan(measured: Measured, price: float = PRICE, failures: float = 1 / (30 * 24 * 3600)) -> None:
    """Two tables, candidates by nodes: one driver for all, and the lists cut into as many parts as it takes drivers.

    A worker fails once in a month, on average, and is replaced in ten minutes.
    """
    mean = sum(measured.working) / len(measured.working)
    fed = max(1, int(mean / measured.driving))
    print(
        f"a block of {measured.candidates:.0f} candidates: {mean * 1e3:.0f} ms of a worker, "
        f"{measured.driving * 1e3:.1f} ms of the driver, {measured.size / 1e6:.2f} MB"
    )
    print(f"nodes of {PROCESSORS} processors, {price} a processor and hour, a failure a worker and month")
    for title, most in (
        ("one driver", None),
        (f"a driver for every {fed} workers, each with a part of the lists", fed),
    ):
        print(f"\n{title}\ncandidates   nodes      time        cost  workers busy  failures")
        for exponent in (9, 10, 11, 12):
            for nodes in (10, 100, 1000):
                workers = nodes * PROCESSORS
                drivers = 1 if most is None else -(-workers // (most + 1))  # a driver takes a processor, too
                own = workers if most is None else most
                machines = Machines(own, failures=failures, replacement=600.0)
                blocks = max(1, int(10**exponent / measured.candidates / drivers))
                found = scaled(blocks, measured, machines)
                cost = found.seconds / 3600 * workers * price
                print(
                    f"10^{exponent:<2} {nodes:12} {duration(found.seconds):>9} {cost:11,.0f} {found.busy:12.0%} "
                    f"{found.lost * drivers:9}"
                )


def duration(seconds: float) -> str:
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", action="store_true", help="predict large runs from blocks measured here")
    parser.add_argument("--costs", action="store_true", help="what each metric takes by itself")
    parser.add_argument("--lists", type=int, default=200)
    parser.add_argument("--candidates", type=int, default=1024)
    parser.add_argument("--price", type=float, default=PRICE, help="of a processor and hour")
    asked = parser.parse_args()
    if asked.costs:
        costs(asked.lists, asked.candidates)
    elif asked.plan:
        with tempfile.TemporaryDirectory() as scratch:
            write(Path(scratch), asked.lists, asked.candidates, 4)
            plan(measure(Path(scratch), asked.lists, asked.candidates), asked.price)
    else:
        check(asked.lists, asked.candidates)
