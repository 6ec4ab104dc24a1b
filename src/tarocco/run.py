"""How work fans out: one function, whose results do not depend on how many workers there were."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import TYPE_CHECKING, TypeVar

from tarocco.errors import BadParameter

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

BLOCK = 1024  # segments that are encoded, counted and stored together; results do not depend on it

Item = TypeVar("Item")
Result = TypeVar("Result")


def check_jobs(jobs: int | None) -> None:
    """Refuse what is no number of workers."""
    if jobs is not None and not (isinstance(jobs, Integral) and jobs >= 1):
        raise BadParameter(f"jobs is an integer of at least 1, not {jobs!r}")


def default_jobs() -> int:
    """The number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    count: int | None,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> Iterator[Result]:
    """`map` over `count` items (None: many), in any `concurrent.futures.Executor`, results in the order of the items.

    Threads by default: kernels release the GIL, so threads are enough. Items are taken from their source as they are
    needed, two a worker, so that neither they nor their results fill the memory. An executor of processes or of a
    cluster gets a function and items that can be pickled.
    """
    if executor is not None:
        workers: int = jobs or getattr(executor, "_max_workers", None) or default_jobs()
        return _through(executor, function, items, 2 * workers)
    jobs = jobs or default_jobs()
    if count is not None:
        jobs = min(jobs, count // 2)  # starting a thread for one item costs more than it gains
    return _in_threads(function, items, jobs) if jobs > 1 else map(function, items)


def _in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    from concurrent.futures import ThreadPoolExecutor  # 5 ms that a small job never needs

    with ThreadPoolExecutor(jobs) as pool:
        yield from _through(pool, function, items, 2 * jobs)


def _through(
    executor: Executor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # whoever stops early, by an error or by Ctrl-C, waits for what is running and no longer
        for future in waiting:
            future.cancel()


def blocks(n: int, size: int) -> list[tuple[int, int]]:
    """(first, last) of consecutive blocks of `size` that cover 0 .. n - 1."""
    return [(first, min(first + size, n)) for first in range(0, n, size)]
