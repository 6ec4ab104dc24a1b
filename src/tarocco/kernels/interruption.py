"""Whether a kernel should stop: Ctrl-C in the main thread, or a request to all other threads.

Python runs signal handlers in the main thread and between two instructions of Python, so a kernel would have to end
before Ctrl-C is noticed. Kernels that may take more than a second therefore call `is_interrupted` in a loop, and return
early if it is true. What they have written is then incomplete: `tarocco.kernels.kernel` raises what the signal handler
raised, or KeyboardInterrupt in other threads.
"""

from __future__ import annotations

import threading

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.cpython.exc import PyErr_CheckSignals
    from cython.cimports.libc.time import time

COMPILED = cython.compiled

_main = cython.declare(cython.ulong, threading.main_thread().ident)
_stopped = cython.declare(cython.bint, False)  # other threads than the main one
_caught = cython.declare(cython.bint, False)  # an exception of a signal handler
_second = cython.declare(cython.longlong, 0)  # in which signals were looked for
_exception: BaseException | None = None
_requests = 0


@cython.cfunc
@cython.exceptval(check=False)
def look_for_signals() -> cython.void:
    """Run the handlers of signals, and keep the exception that one raises."""
    global _exception, _caught
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        _exception = error
        _caught = True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_interrupted() -> cython.bint:
    """Return whether the kernel should return. Signals are looked for once a second."""
    global _second
    if cython.compiled:
        if PyThread_get_thread_ident() != _main:
            return _stopped
        if not _caught and time(cython.NULL) != _second:
            _second = time(cython.NULL)
            with cython.gil:
                look_for_signals()
        return _caught
    return _stopped and threading.get_ident() != _main


def count_requests() -> int:
    """Return how often other threads were stopped. A kernel during whose call this changes may be incomplete."""
    return _requests


def raise_caught() -> None:
    """Raise the exception that a signal handler raised during a kernel, if there is one."""
    global _exception, _caught
    error, _exception, _caught = _exception, None, False
    if error is not None:
        raise error


def stop_threads() -> None:
    """Ask the kernels in all threads but the main one to stop."""
    global _stopped, _requests
    _requests += 1
    _stopped = True


def allow_threads() -> None:
    """Withdraw the request to stop."""
    global _stopped
    _stopped = False
