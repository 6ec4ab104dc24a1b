"""How long, and how much: a trial of a billion candidates or a thousand billion, on ten machines or a thousand.

    python bench/simulate.py            check the model against real runs with 1, 2 and 4 local workers
    python bench/simulate.py --plan     what it predicts for 10^9 to 10^12 candidates
    python bench/simulate.py --costs    what a candidate costs, metric by metric

The model is what the code does. The driver cuts the file into stretches, the blocks, one after the other, and sends
them in messages through one scheduler: one block each at first, then as many as are worth it. A message waits for a
free worker, which takes as long as blocks were measured to take, drawn from the measured times. Results come back in
order, two messages a worker are on their way, and no more bytes than the driver allows. Workers fail at a rate; what a
lost worker had is done again by another, and it is replaced after a while. All messages leave the driver through a
network with a bandwidth. Processes that share a machine cannot be quicker together than its processors are.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil
from nbest_data import write

import tarocco
from tarocco.io.nbest import byte_ranges as cutting
from tarocco.parallel.cluster import (
    IN_FLIGHT,
    ClusterExecutor,
    items_before_batching,
    items_per_message,
    pickle_compressed,
)

METRICS = ["BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"]
cutting.MIN_SIZE = cutting.MAX_SIZE  # blocks are as large as those of a large file
SLOWER = ["BLEU-4", "GTM-1", "TER", "METEOR", "CDER"]


@dataclass(frozen=True)
class Measured:
    """One block, on average where it is one number: what it has in it, and what it costs."""

    candidates: float
    size: float  # bytes that are sent
    driving: float  # seconds of the driver: cutting the file, putting the result in its place
    message: float  # seconds of the driver for a message, whatever is in it
    scheduling: float  # seconds of the scheduler for a message
    working: Sequence[float]  # seconds of a worker, one number a block
    fixed: float = 0.0  # seconds of the driver for a run: references before it, the verdict after it

    @property
    def mean(self) -> float:
        """Seconds of a worker for a block."""
        return sum(self.working) / len(self.working)

    def busy_by(self, workers: int) -> float:
        """Which share of its time so many workers keep the busier of driver and scheduler at work."""
        together = items_per_message(self.mean, workers)
        return workers / self.mean * max(self.driving + self.message / together, self.scheduling / together)


@dataclass(frozen=True)
class Machines:
    """What there is."""

    workers: int
    bandwidth: float = 1.25e9  # bytes a second out of the driver: 10 Gbit/s
    latency: float = 0.005  # seconds that a message takes to a worker, and a result back
    failures: float = 0.0  # a worker and second
    replacement: float = 120.0  # seconds until another one is there
    processors: int | None = None  # that driver, scheduler and workers share; None: each has its own


@dataclass(frozen=True)
class Predicted:
    """What a run comes to."""

    seconds: float
    busy: float  # share of the workers' time in which they had a block
    lost: int  # workers


def simulate(blocks: int, measured: Measured, machines: Machines, seed: int = 1) -> Predicted:
    """Let a run happen, message by message; time is that of the simulated cluster."""
    luck = random.Random(seed)
    free = [0.0] * machines.workers  # a heap: when each worker is
    ends: deque[float] = deque()  # of messages on their way, in the order in which results are taken
    arriving: list[tuple[float, int]] = []  # a heap: when results are there, and of how many blocks
    together = items_per_message(measured.mean, machines.workers)
    driver = busy = finished = 0.0
    sent = done = messages = lost = 0
    while sent < blocks:
        while arriving and arriving[0][0] <= driver:
            done += heapq.heappop(arriving)[1]
        some = min(together if done >= items_before_batching(machines.workers) else 1, blocks - sent)
        ahead = min(2 * machines.workers, max(1, int(IN_FLIGHT / (measured.size * some))))
        while len(ends) > ahead:  # the oldest result is waited for before another message is made
            driver = max(driver, ends.popleft())
        making = some * measured.driving + measured.message
        driver += max(making, measured.scheduling, some * measured.size / machines.bandwidth)
        start = max(driver + machines.latency, heapq.heappop(free))  # a worker has its next message already
        working = sum(luck.choices(measured.working, k=some))
        while machines.failures and luck.random() < machines.failures * working:
            lost += 1  # somewhere in the middle: the time is gone, and so is the worker for a while
            gone = start + luck.random() * working
            heapq.heappush(free, gone + machines.replacement)
            start = max(gone + machines.latency, heapq.heappop(free))
        heapq.heappush(free, start + working)
        heapq.heappush(arriving, (start + working + machines.latency, some))
        finished = max(finished, start + working + machines.latency)
        ends.append(finished)
        busy, sent, messages = busy + working, sent + some, messages + 1
    seconds = finished + measured.fixed
    if machines.processors is not None:
        spent = busy + blocks * measured.driving + messages * (measured.message + measured.scheduling) + measured.fixed
        seconds = max(seconds, spent / machines.processors)
    return Predicted(seconds, busy / (seconds * machines.workers), lost)


def scaled(blocks: int, measured: Measured, machines: Machines, most: int = 200_000) -> Predicted:
    """A run of very many blocks from one of many: once all workers have work, time is proportional."""
    if blocks <= most:
        return simulate(blocks, measured, machines)
    part = simulate(most, replace(measured, fixed=0.0), machines)
    return Predicted(part.seconds * blocks / most + measured.fixed, part.busy, int(part.lost * blocks / most))


# --- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Study:
    """ORANGE of some metrics on generated lists; a quarter of them is in a folder of its own."""

    folder: Path
    lists: int
    size: int
    metrics: Sequence[str]

    def write(self) -> None:
        write(self.folder, self.lists, self.size, 4)
        write(self.folder / "few", max(4, self.lists // 4), self.size, 4)

    def run(self, few: bool = False, **how: object) -> None:
        folder = self.folder / "few" if few else self.folder
        streams = [(folder / f"ref{r}.txt").read_text().splitlines() for r in (1, 2, 3, 4)]
        references = list(zip(*streams, strict=True))
        tarocco.orange(folder / "nbest.txt", references, metrics=self.metrics, **how)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{self.lists} x {self.size} candidates x 4 references, {', '.join(self.metrics)}"


@contextmanager
def watching() -> Iterator[tuple[list[float], list[int]]]:
    """The processor time of each block that is judged meanwhile, and the bytes that would be sent of it."""
    from tarocco.meta.orange.orange import Ranker

    working: list[float] = []
    sizes: list[int] = []
    rank = Ranker.__call__

    def watched(ranker, part):  # type: ignore[no-untyped-def]
        sizes.append(len(pickle_compressed(part)))
        began = time.thread_time()
        ranks = rank(ranker, part)
        working.append(time.thread_time() - began)
        return ranks

    Ranker.__call__ = watched  # type: ignore[method-assign]
    try:
        yield working, sizes
    finally:
        Ranker.__call__ = rank  # type: ignore[method-assign]


def costs(study: Study) -> None:
    """What each metric takes by itself, reading included; metrics of a family that are asked for together share it."""
    print(f"{study}\nagainst the 4 sets of 3 references, processor time a candidate")
    for metrics in (*((one,) for one in dict.fromkeys((*study.metrics, *SLOWER))), tuple(study.metrics)):
        with watching() as (working, _):
            replace(study, metrics=metrics).run(jobs=1)
        took = sum(working[1:]) / (len(working) - 1) * len(working) / (study.lists * study.size)
        print(f"{', '.join(metrics):12} {took * 1e6:7.2f} us", flush=True)


class Spent(NamedTuple):
    """Processor time of each process of a local cluster until now, and what was done."""

    driver: float
    scheduler: float
    worker: float
    blocks: int
    messages: int

    @staticmethod
    def by(found: ClusterExecutor) -> Spent:
        def seconds(process: psutil.Process) -> float:
            return process.cpu_times().user + process.cpu_times().system

        scheduler = psutil.Process(found.processes.pid)
        workers = sum(map(seconds, scheduler.children(recursive=True)))
        return Spent(time.process_time(), seconds(scheduler), workers, found._items, found._done)

    def until(self, later: Spent) -> Spent:
        return Spent(*(after - before for before, after in zip(self, later, strict=True)))


def messages_of_nothing(found: ClusterExecutor, number: int) -> list[float]:
    """Seconds from here to a worker and back, message by message."""
    took = []
    for one in range(number):
        began = time.perf_counter()
        found.submit(len, str(one)).result()
        took.append(time.perf_counter() - began)
    return took


def measure(study: Study) -> Measured:
    """The workers' times of all blocks, in one thread; then what each process of a cluster of one worker takes.

    Processor time, so that others on the machine do not count: the driver's threads share one interpreter. What a run
    takes anyway is the difference between a whole run and a quarter of it.
    """
    with watching() as (working, sizes):
        study.run(jobs=1)
    with tarocco.cluster("local:1") as found:
        study.run(few=True, executor=found)  # the first time is for imports
        start = Spent.by(found)
        messages_of_nothing(found, 100)
        nothing = start.until(empty := Spent.by(found))
        study.run(few=True, executor=found)
        few = empty.until(middle := Spent.by(found))
        study.run(executor=found)
        whole = middle.until(Spent.by(found))
    more = few.until(whole)
    message, of_scheduler = nothing.driver / nothing.messages, nothing.scheduler / nothing.messages
    driving = max(1e-4, (more.driver - more.messages * message) / more.blocks)
    fixed = max(0.0, few.driver - few.blocks * driving - few.messages * message)
    alone = sum(working[1:]) / (len(working) - 1)
    unpacking = max(0.0, more.worker / more.blocks - alone)  # and packing results, and whatever else a worker does
    return Measured(
        study.lists * study.size / len(working),
        sum(sizes) / len(sizes),
        driving,
        message,
        of_scheduler,
        [one + unpacking for one in working[1:]],
        fixed,
    )


def real_run(study: Study, workers: int) -> tuple[float, float]:
    """(seconds with so many local workers, seconds from here to a worker and back, by messages without work)."""
    with tarocco.cluster(f"local:{workers}") as found:
        study.run(few=True, executor=found)  # everybody has imported what it takes
        message = median(messages_of_nothing(found, 20))
        # Blocks have been timed by now, and messages have many of them at once: a run begins without that.
        found._items, found._seconds = 0, 0.0
        began = time.perf_counter()
        study.run(executor=found)
        return time.perf_counter() - began, message


def slowness(study: Study) -> float:
    """How much longer work takes at the moment than the processor works on it: others use the machine, too."""
    began, before = time.perf_counter(), time.process_time()
    study.run(few=True, jobs=1)
    return (time.perf_counter() - began) / (time.process_time() - before)


def check(study: Study, rounds: int = 5) -> None:
    """Prediction beside measurement."""
    processors = len(os.sched_getaffinity(0))
    found = measure(study)
    blocks = len(found.working) + 1
    print(f"{study}\n{processors} processors; a lone process takes {slowness(study):.2f} times its processor time")
    tell(study, found)
    print("workers   predicted    measured                   measured / predicted")
    for workers in (1, 2, 4):
        runs = sorted(real_run(study, workers) for _ in range(rounds))
        took = [seconds for seconds, _ in runs]
        latency = median(message for _, message in runs) / 2
        predicted = simulate(blocks, found, Machines(workers, latency=latency, processors=processors)).seconds
        print(
            f"{workers:7} {predicted:9.2f} s {median(took):9.2f} s ({took[0]:.2f} to {took[-1]:.2f}) "
            f"{median(took) / predicted:15.2f}",
            flush=True,
        )


def tell(study: Study, found: Measured) -> None:
    print(
        f"a block of {found.candidates:.0f} candidates: {found.size / 1e3:.1f} kB are sent, a worker takes "
        f"{found.mean * 1e3:.1f} ms ({min(found.working) * 1e3:.0f} to {max(found.working) * 1e3:.0f}), "
        f"the driver {found.driving * 1e3:.1f} ms; a message takes it {found.message * 1e3:.1f} ms more, and the "
        f"scheduler {found.scheduling * 1e3:.1f} ms; {items_per_message(found.mean, 1)} blocks a message and more"
    )
    print(f"a candidate and metric: {found.mean / found.candidates / len(study.metrics) * 1e6:.2f} us of a worker")


# --- planning ------------------------------------------------------------------------------------------------------

PROCESSORS = 32  # of a node
PRICE = 0.05  # of a processor and hour, in whatever currency


def plan(study: Study, price: float = PRICE, failures: float = 1 / (30 * 24 * 3600)) -> None:
    """Two tables, candidates by nodes: one driver for all, and the lists cut into as many parts as it takes drivers.

    A worker fails once in a month, on average, and is replaced in ten minutes.
    """
    measured = measure(study)
    fed = next(n for n in range(10_000, 0, -1) if n == 1 or measured.busy_by(n) <= 1)
    print(study)
    tell(study, measured)
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
                    f"{failures * own * drivers * found.seconds:9.1f}"
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
    parser.add_argument("--metrics", nargs="+", default=METRICS)
    parser.add_argument("--price", type=float, default=PRICE, help="of a processor and hour")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        of_lists = Study(Path(scratch), asked.lists, asked.candidates, asked.metrics)
        of_lists.write()
        if asked.costs:
            costs(of_lists)
        elif asked.plan:
            plan(of_lists, asked.price)
        else:
            check(of_lists)
