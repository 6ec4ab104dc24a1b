"""What workers of a cluster are sent, and what they do with it.

A task has no more to import than Python itself: schedulers and workers open their messages where an error would end
them, and with them what others do there. Whether a worker has tarocco, and which, is found out by the task.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tarocco._version import __version__
from tarocco.core.errors import ClusterError

_TASK = 0.25  # seconds that a task should take; more, and much is lost with a worker
_MESSAGE = 0.01  # seconds that a message takes here and in the scheduler: with many workers, tasks take longer
_MOST_TOGETHER = 64
_KNOWN = 16

Call = tuple[tuple[Any, ...], dict[str, Any]]  # arguments, by place and by name


def shipped(function: Callable[..., Any]) -> tuple[Callable[[bytes], Any], bytes]:
    """A task, as a function and its argument, that makes the `Work` of a function."""
    return pickle.loads, pickle.dumps(_Sent(__version__, pickled(function)))


def pickled(thing: Any) -> bytes:
    """As bytes, compressed: candidates of a list are so much alike that a tenth of them is left, in a millisecond."""
    import cloudpickle  # functions and classes of a running program, too

    data: bytes = _zstd().compress(cloudpickle.dumps(thing, protocol=5), 1)
    return data


def _unpickled(data: bytes) -> Any:
    return pickle.loads(_zstd().decompress(data))


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


@dataclass(frozen=True)
class _Sent:
    """What a fan-out has in common, on its way."""

    version: str
    data: bytes

    def __reduce__(self) -> tuple[Callable[..., Work], tuple[str, bytes]]:
        return _made, (self.version, self.data)


def _made(version: str, data: bytes) -> Work:
    """On a worker: what a fan-out has in common."""
    _check_version(version)
    return Work(version, _unpickled(data))


@dataclass(frozen=True)
class Work:
    """On a worker: what is done with some items. Gives how long it took, too."""

    version: str
    function: Callable[..., Any]

    def __call__(self, items: bytes) -> tuple[float, list[Any]]:
        _check_version(self.version)  # one that came later got this from another worker
        calls: list[Call] = _unpickled(items)
        began = time.perf_counter()
        results = [_called(self.function, call) for call in calls]
        return time.perf_counter() - began, results


def _check_version(wanted: str) -> None:
    if wanted != __version__:
        raise ClusterError(f"a worker has tarocco {__version__}, this process has {wanted}: they must be the same")


def _called(function: Callable[..., Any], call: Call) -> Any:
    arguments, named = call
    return function(*arguments, **named)


def enough_to_know(workers: int) -> int:
    """After how many items it is known how long they take."""
    return min(2 * workers, _KNOWN)


def worth_sending(seconds: float, workers: int) -> int:
    """How many items that take so long are worth a message, so that so many workers do not wait for messages."""
    return max(1, min(_MOST_TOGETHER, round(max(_TASK, _MESSAGE * workers) / max(seconds, 1e-9))))
