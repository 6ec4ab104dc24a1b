"""A substitute for the `cython` module, for installations without Cython.

Compiled, the annotations of a kernel become C types. Uncompiled, `from __future__ import annotations` keeps Python from
evaluating them, and this module defines the few names that kernels call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

compiled = False


def declare(_type: Any = None, value: Any = None) -> Any:
    return value


def cast(_type: Any, value: Any) -> Any:
    return value


def cfunc(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


inline = cclass = cfunc


def count_ones(value: Any) -> Any:
    return value.bit_count()


def exceptval(*_args: Any, **_options: Any) -> Callable[..., Any]:
    return cfunc


def locals(**_types: Any) -> Callable[..., Any]:
    return cfunc


class _NoGil:
    """A no-op decorator and context manager."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_error: object) -> None:
        return None


nogil = gil = _NoGil()
NULL = None


class _AnyType:
    def __getitem__(self, _item: Any) -> _AnyType:
        return self


int = ulong = uint = short = uchar = void = double = longlong = ulonglong = Py_ssize_t = bint = _AnyType()
