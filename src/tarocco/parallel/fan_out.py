"""An ordered map over items in any executor; results do not depend on the number of workers."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tarocco.kernels import interruption

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Item = TypeVar("Item")
Output = TypeVar("Output")


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(
    function: Callable[[Item], Output],
    items: Iterable[Item],
    count: int | None,
    jobs: int | None = None,
    executor: Executor | None = None,
    here: Callable[[Item], bool] | None = None,
) -> Iterator[Output]:
    """Map a function over `count` items (None if unknown) and yield results in the order of the items.

    Uses threads by default, because kernels release the GIL. Takes two items per worker at a time, so that items and
    results do not fill the memory. For an executor of processes or of a cluster, the function and the items must be
    picklable; data that all items share belongs in the function, which a cluster receives once. Items for which `here`
    returns True are computed in this process. An executor with `submit_many` receives `together` items at a time.
    """
    if executor is not None:
        return _through(executor, function, items, jobs, here)
    jobs = jobs or default_jobs()
    if count is not None:
        jobs = min(jobs, count // 2)  # a thread for a single item does not pay
    return _in_threads(function, items, jobs) if jobs > 1 else map(function, items)


def _in_threads(function: Callable[[Item], Output], items: Iterable[Item], jobs: int) -> Iterator[Output]:
    from concurrent.futures import ThreadPoolExecutor  # takes 5 ms to import

    pool = ThreadPoolExecutor(jobs)
    try:
        yield from _through(pool, function, items, jobs)
    except (KeyboardInterrupt, SystemExit):
        interruption.stop_threads()
        raise
    finally:  # wait for running items, which after Ctrl-C end soon
        pool.shutdown()
        interruption.allow_threads()


def _through(
    executor: Executor,
    function: Callable[[Item], Output],
    items: Iterable[Item],
    jobs: int | None,
    here: Callable[[Item], bool] | None = None,
) -> Iterator[Output]:
    from concurrent.futures import Future

    sent: deque[_Submission] = deque()
    group: list[Item] = []  # submitted together
    ahead = 0
    try:
        for item in items:
            if here is not None and here(item):
                if group:
                    sent.append(_send(executor, function, group))
                    group = []
                sent.append(_Submission(Future(), several=False))
                sent[-1].future.set_result(function(item))
            else:
                ahead = 2 * _workers(executor, jobs)  # now, because it may start a cluster, which may grow
                group.append(item)
                if len(group) >= getattr(executor, "together", 1):
                    sent.append(_send(executor, function, group))
                    group = []
            while len(sent) > ahead:
                yield from sent.popleft().results()
        if group:
            sent.append(_send(executor, function, group))
        while sent:
            yield from sent.popleft().results()
    finally:  # after an error or Ctrl-C, only running items are waited for
        for submission in sent:
            submission.future.cancel()


class _Submission(NamedTuple):
    """One item or several that were submitted."""

    future: Future[Any]
    several: bool

    def results(self) -> list[Any]:
        result = self.future.result()
        return result if self.several else [result]


def _send(executor: Executor, function: Callable[[Item], Output], group: list[Item]) -> _Submission:
    """Submit one item, or several together."""
    if len(group) > 1:
        return _Submission(executor.submit_many(function, group), several=True)  # type: ignore[attr-defined]
    return _Submission(executor.submit(function, group[0]), several=False)


def _workers(executor: Executor, jobs: int | None) -> int:
    """Return how many items an executor computes at a time."""
    return getattr(executor, "_max_workers", None) or jobs or default_jobs()


def blocks(n: int, size: int) -> list[tuple[int, int]]:
    """Return (first, last) of consecutive blocks of `size` that cover 0 .. n - 1."""
    return [(first, min(first + size, n)) for first in range(0, n, size)]
