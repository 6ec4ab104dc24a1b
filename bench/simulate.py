"""Predict time and cost of ORANGE on 10^9 to 10^12 candidates, with ten to a thousand machines.

    python bench/simulate.py            check the model against real runs with 1, 2 and 4 local workers
    python bench/simulate.py --plan     predict runs of 10^9 to 10^12 candidates
    python bench/simulate.py --costs    print the cost per candidate of each metric

The model follows the code. The driver cuts the file into blocks and sends them in messages through one scheduler: one
block per message at first, then several. A message waits for a free worker, whose times per block are drawn from
measured times. The driver takes results in order, with at most two messages per worker and a limited number of bytes
in flight. Workers fail at a constant rate; another worker repeats the lost work, and a new worker starts after a delay.
The network limits what leaves the driver, and the processors of a machine limit the processes on it.
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
    """The contents and costs of a block; averages, except `working`."""

    candidates: float
    size: float  # bytes that are sent
    driving: float  # seconds of the driver: cutting the file, putting the result in its place
    message: float  # seconds of the driver per message, whatever it contains
    scheduling: float  # seconds of the scheduler per message
    working: Sequence[float]  # seconds of a worker, one number per block
    fixed: float = 0.0  # seconds of the driver per run, before and after all blocks

    @property
    def mean(self) -> float:
        """The mean seconds of a worker per block."""
        return sum(self.working) / len(self.working)

    def busy_by(self, workers: int) -> float:
        """Return the load of the busier of driver and scheduler with this number of workers."""
        together = items_per_message(self.mean, workers)
        return workers / self.mean * max(self.driving + self.message / together, self.scheduling / together)


@dataclass(frozen=True)
class Machines:
    """The machines of a simulated run."""

    workers: int
    bandwidth: float = 1.25e9  # bytes per second that leave the driver: 10 Gbit/s
    latency: float = 0.005  # seconds that a message takes to a worker, and a result back
    failures: float = 0.0  # per worker and second
    replacement: float = 120.0  # seconds until a new worker starts
    processors: int | None = None  # shared by driver, scheduler and workers; None: no limit


@dataclass(frozen=True)
class Predicted:
    """The prediction for a run."""

    seconds: float
    busy: float  # share of the workers' time in which they had a block
    lost: int  # workers


def simulate(blocks: int, measured: Measured, machines: Machines, seed: int = 1) -> Predicted:
    """Simulate a run, message by message."""
    generator = random.Random(seed)
    free = [0.0] * machines.workers  # a heap: when each worker is free
    ends: deque[float] = deque()  # of messages in flight, in the order in which the driver takes results
    arriving: list[tuple[float, int]] = []  # a heap: (arrival, number of blocks) of results
    together = items_per_message(measured.mean, machines.workers)
    driver = busy = finished = 0.0
    sent = done = messages = lost = 0
    while sent < blocks:
        while arriving and arriving[0][0] <= driver:
            done += heapq.heappop(arriving)[1]
        some = min(together if done >= items_before_batching(machines.workers) else 1, blocks - sent)
        ahead = min(2 * machines.workers, max(1, int(IN_FLIGHT / (measured.size * some))))
        while len(ends) > ahead:  # wait for the oldest result before sending
            driver = max(driver, ends.popleft())
        making = some * measured.driving + measured.message
        driver += max(making, measured.scheduling, some * measured.size / machines.bandwidth)
        start = max(driver + machines.latency, heapq.heappop(free))  # workers prefetch their next message
        working = sum(generator.choices(measured.working, k=some))
        while machines.failures and generator.random() < machines.failures * working:
            lost += 1  # the worker fails while working: its time is lost
            gone = start + generator.random() * working
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
    """Extrapolate a run of very many blocks: once all workers are busy, time is proportional to blocks."""
    if blocks <= most:
        return simulate(blocks, measured, machines)
    part = simulate(most, replace(measured, fixed=0.0), machines)
    return Predicted(part.seconds * blocks / most + measured.fixed, part.busy, int(part.lost * blocks / most))


# --- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Study:
    """ORANGE of some metrics on generated lists; the folder `few` has a quarter as many."""

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
    """Record the processor time and the message size of each block that is ranked within the context."""
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
    """Print the cost of each metric alone, and of all together (metrics of one family share work)."""
    print(f"{study}\nagainst the 4 sets of 3 references, processor time per candidate")
    for metrics in (*((one,) for one in dict.fromkeys((*study.metrics, *SLOWER))), tuple(study.metrics)):
        with watching() as (working, _):
            replace(study, metrics=metrics).run(jobs=1)
        took = sum(working[1:]) / (len(working) - 1) * len(working) / (study.lists * study.size)
        print(f"{', '.join(metrics):12} {took * 1e6:7.2f} us", flush=True)


class Spent(NamedTuple):
    """The processor time of each process of a local cluster, and how many blocks and messages are done."""

    driver: float
    scheduler: float
    worker: float
    blocks: int
    messages: int

    @staticmethod
    def by(executor: ClusterExecutor) -> Spent:
        def seconds(process: psutil.Process) -> float:
            return process.cpu_times().user + process.cpu_times().system

        scheduler = psutil.Process(executor.processes.pid)
        workers = sum(map(seconds, scheduler.children(recursive=True)))
        return Spent(time.process_time(), seconds(scheduler), workers, executor._items, executor._done)

    def until(self, later: Spent) -> Spent:
        return Spent(*(after - before for before, after in zip(self, later, strict=True)))


def messages_of_nothing(executor: ClusterExecutor, number: int) -> list[float]:
    """Return the round-trip time of messages without work."""
    took = []
    for one in range(number):
        began = time.perf_counter()
        executor.submit(len, str(one)).result()
        took.append(time.perf_counter() - began)
    return took


def measure(study: Study) -> Measured:
    """Measure all blocks in one thread, then each process of a cluster with one worker.

    All times are processor times, which other users of the machine do not affect. The fixed cost of a run follows from
    the difference between a whole run and a quarter of it.
    """
    with watching() as (working, sizes):
        study.run(jobs=1)
    with tarocco.cluster("local:1") as executor:
        study.run(few=True, executor=executor)  # the first time is for imports
        start = Spent.by(executor)
        messages_of_nothing(executor, 100)
        nothing = start.until(empty := Spent.by(executor))
        study.run(few=True, executor=executor)
        few = empty.until(middle := Spent.by(executor))
        study.run(executor=executor)
        whole = middle.until(Spent.by(executor))
    more = few.until(whole)
    message, of_scheduler = nothing.driver / nothing.messages, nothing.scheduler / nothing.messages
    driving = max(1e-4, (more.driver - more.messages * message) / more.blocks)
    fixed = max(0.0, few.driver - few.blocks * driving - few.messages * message)
    alone = sum(working[1:]) / (len(working) - 1)
    unpacking = max(0.0, more.worker / more.blocks - alone)  # and packing of results, and other work of a worker
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
    """Return (seconds with this number of local workers, median round-trip time of a message)."""
    with tarocco.cluster(f"local:{workers}") as executor:
        study.run(few=True, executor=executor)  # all workers have imported their modules
        message = median(messages_of_nothing(executor, 20))
        # A new run does not know the duration of blocks yet, and starts with one block per message.
        executor._items, executor._seconds = 0, 0.0
        began = time.perf_counter()
        study.run(executor=executor)
        return time.perf_counter() - began, message


def slowness(study: Study) -> float:
    """Return wall-clock time divided by processor time: more than 1 if others use the machine."""
    began, before = time.perf_counter(), time.process_time()
    study.run(few=True, jobs=1)
    return (time.perf_counter() - began) / (time.process_time() - before)


def check(study: Study, rounds: int = 5) -> None:
    """Print predicted and measured times."""
    processors = len(os.sched_getaffinity(0))
    measured = measure(study)
    blocks = len(measured.working) + 1
    print(f"{study}\n{processors} processors; a lone process takes {slowness(study):.2f} times its processor time")
    print_block(study, measured)
    print("workers   predicted    measured                   measured / predicted")
    for workers in (1, 2, 4):
        runs = sorted(real_run(study, workers) for _ in range(rounds))
        took = [seconds for seconds, _ in runs]
        latency = median(message for _, message in runs) / 2
        predicted = simulate(blocks, measured, Machines(workers, latency=latency, processors=processors)).seconds
        print(
            f"{workers:7} {predicted:9.2f} s {median(took):9.2f} s ({took[0]:.2f} to {took[-1]:.2f}) "
            f"{median(took) / predicted:15.2f}",
            flush=True,
        )


def print_block(study: Study, measured: Measured) -> None:
    print(
        f"a block of {measured.candidates:.0f} candidates: {measured.size / 1e3:.1f} kB are sent, a worker takes "
        f"{measured.mean * 1e3:.1f} ms ({min(measured.working) * 1e3:.0f} to {max(measured.working) * 1e3:.0f}), "
        f"the driver {measured.driving * 1e3:.1f} ms; a message takes it {measured.message * 1e3:.1f} ms more, and the "
        f"scheduler {measured.scheduling * 1e3:.1f} ms; "
        f"{items_per_message(measured.mean, 1)} or more blocks per message"
    )
    print(
        f"per candidate and metric: {measured.mean / measured.candidates / len(study.metrics) * 1e6:.2f} us of a worker"
    )


# --- planning ------------------------------------------------------------------------------------------------------

PROCESSORS = 32  # per node
PRICE = 0.05  # per processor and hour, in any currency


def plan(study: Study, price: float = PRICE, failures: float = 1 / (30 * 24 * 3600)) -> None:
    """Print two tables, candidates by nodes: with one driver, and with as many drivers as keep all workers busy.

    On average, a worker fails once a month; it is replaced within ten minutes.
    """
    measured = measure(study)
    fed = next(n for n in range(10_000, 0, -1) if n == 1 or measured.busy_by(n) <= 1)
    print(study)
    print_block(study, measured)
    print(f"nodes of {PROCESSORS} processors, {price} per processor and hour, one failure per worker and month")
    for title, most in (
        ("one driver", None),
        (f"a driver for every {fed} workers, each with a part of the lists", fed),
    ):
        print(f"\n{title}\ncandidates   nodes      time        cost  workers busy  failures")
        for exponent in (9, 10, 11, 12):
            for nodes in (10, 100, 1000):
                workers = nodes * PROCESSORS
                drivers = 1 if most is None else -(-workers // (most + 1))  # each driver takes a processor
                per_driver = workers if most is None else most
                machines = Machines(per_driver, failures=failures, replacement=600.0)
                blocks = max(1, int(10**exponent / measured.candidates / drivers))
                predicted = scaled(blocks, measured, machines)
                cost = predicted.seconds / 3600 * workers * price
                print(
                    f"10^{exponent:<2} {nodes:12} {duration(predicted.seconds):>9} {cost:11,.0f} "
                    f"{predicted.busy:12.0%} {failures * per_driver * drivers * predicted.seconds:9.1f}"
                )


def duration(seconds: float) -> str:
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", action="store_true", help="predict large runs from blocks measured here")
    parser.add_argument("--costs", action="store_true", help="print the cost of each metric alone")
    parser.add_argument("--lists", type=int, default=200)
    parser.add_argument("--candidates", type=int, default=1024)
    parser.add_argument("--metrics", nargs="+", default=METRICS)
    parser.add_argument("--price", type=float, default=PRICE, help="per processor and hour")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        of_lists = Study(Path(scratch), options.lists, options.candidates, options.metrics)
        of_lists.write()
        if options.costs:
            costs(of_lists)
        elif options.plan:
            plan(of_lists, options.price)
        else:
            check(of_lists)
