"""How work fans out: one function, whose results do not depend on how many workers there were."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tarocco.core.errors import BadParameter

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

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
    here: Callable[[Item], bool] | None = None,
) -> Iterator[Result]:
    """`map` over `count` items (None: many), in any `concurrent.futures.Executor`, results in the order of the items.

    Threads by default: kernels release the GIL, so threads are enough. Items are taken from their source as they are
    needed, two a worker, so that neither they nor their results fill the memory. An executor of processes or of a
    cluster gets a function and items that can be pickled; what all items have in common belongs to the function,
    which a cluster gets once. Items of which `here` says so are not worth sending. An executor that has `submit_many`
    gets several items at a time, as many as it says by `together`.
    """
    if executor is not None:
        return _through(executor, function, items, jobs, here)
    jobs = jobs or default_jobs()
    if count is not None:
        jobs = min(jobs, count // 2)  # starting a thread for one item costs more than it gains
    return _in_threads(function, items, jobs) if jobs > 1 else map(function, items)


def _in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    from concurrent.futures import ThreadPoolExecutor  # 5 ms that a small job never needs

    with ThreadPoolExecutor(jobs) as pool:
        yield from _through(pool, function, items, jobs)


def _through(
    executor: Executor,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int | None,
    here: Callable[[Item], bool] | None = None,
) -> Iterator[Result]:
    from concurrent.futures import Future

    sent: deque[_Sent] = deque()
    some: list[Item] = []  # that are sent together
    ahead = 0
    try:
        for item in items:
            if here is not None and here(item):
                if some:
                    sent.append(_send(executor, function, some))
                    some = []
                sent.append(_Sent(Future(), several=False))
                sent[-1].future.set_result(function(item))
            else:
                ahead = 2 * _workers(executor, jobs)  # asked when there is work: it may start a cluster, or have grown
                some.append(item)
                if len(some) >= getattr(executor, "together", 1):
                    sent.append(_send(executor, function, some))
                    some = []
            while len(sent) > ahead:
                yield from sent.popleft().results()
        if some:
            sent.append(_send(executor, function, some))
        while sent:
            yield from sent.popleft().results()
    finally:  # whoever stops early, by an error or by Ctrl-C, waits for what is running and no longer
        for one in sent:
            one.future.cancel()


class _Sent(NamedTuple):
    """Items on their way."""

    future: Future[Any]
    several: bool

    def results(self) -> list[Any]:
        found = self.future.result()
        return found if self.several else [found]


def _send(executor: Executor, function: Callable[[Item], Result], some: list[Item]) -> _Sent:
    """Let an executor have items: one, or several together where it takes them so."""
    if len(some) > 1:
        return _Sent(executor.submit_many(function, some), several=True)  # type: ignore[attr-defined]
    return _Sent(executor.submit(function, some[0]), several=False)


def _workers(executor: Executor, jobs: int | None) -> int:
    """How many items an executor works on at a time."""
    return getattr(executor, "_max_workers", None) or jobs or default_jobs()


def blocks(n: int, size: int) -> list[tuple[int, int]]:
    """(first, last) of consecutive blocks of `size` that cover 0 .. n - 1."""
    return [(first, min(first + size, n)) for first in range(0, n, size)]
