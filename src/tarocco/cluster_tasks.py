"""What workers of a cluster are sent, and what they do with it."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from typing import Any

from tarocco._version import __version__
from tarocco.errors import ClusterError

Call = tuple[tuple[Any, ...], dict[str, Any]]  # arguments, by place and by name


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


def _check_version(wanted: str) -> None:
    if wanted != __version__:
        raise ClusterError(f"a worker has tarocco {__version__}, this process has {wanted}: they must be the same")


def made(version: str, data: bytes) -> Any:
    """On a worker: what a fan-out has in common."""
    _check_version(version)
    return _unpickled(data)


def work(version: str, function: Callable[..., Any], item: bytes) -> tuple[float, list[Any]]:
    """On a worker: some items, and how long they took."""
    _check_version(version)
    calls: list[Call] = _unpickled(item)
    began = time.perf_counter()
    results = [_called(function, call) for call in calls]
    return time.perf_counter() - began, results


def _called(function: Callable[..., Any], call: Call) -> Any:
    arguments, named = call
    return function(*arguments, **named)
