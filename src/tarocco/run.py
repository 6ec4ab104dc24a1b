"""How work fans out: one function, whose results do not depend on how many workers there were."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def default_jobs() -> int:
    """The number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(function: Callable[[Item], Result], items: Sequence[Item], jobs: int | None = None) -> Iterator[Result]:
    """`map`, with threads: kernels release the GIL, so threads are enough. Results come in the order of the items."""
    jobs = min(jobs or default_jobs(), len(items) // 2)  # starting a thread for one item costs more than it gains
    if jobs <= 1:
        return map(function, items)
    return _map_in_threads(function, items, jobs)


def _map_in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    from concurrent.futures import ThreadPoolExecutor  # 5 ms that a small job never needs

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)


def blocks(n: int, size: int) -> list[tuple[int, int]]:
    """(first, last) of consecutive blocks of `size` that cover 0 .. n - 1."""
    return [(first, min(first + size, n)) for first in range(0, n, size)]
