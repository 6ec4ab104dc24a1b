"""The compiled part of tarocco: functions from arrays to arrays.

Each module is written in Cython's pure-Python mode. The installation compiles it to C if a C compiler is present;
otherwise the same file runs as plain Python. Kernels validate nothing (callers check ids, shapes and types), perform
no input or output, and release the GIL.

    tokenization               UTF-8 text -> words
    vocabulary                 words -> word ids
    stemming                   English stems (Snowball)
    nbest_lines                lines of n-best files -> ids and texts
    duplicates                 duplicates within an n-best list, copies of a reference
    interruption               whether a kernel should stop early
    segments                   sizes of segments, best reference of each candidate
    ngram_matches              clipped n-gram matches, plain or weighted, jointly or per reference
    ngram_ids                  ids of the n-grams of a corpus
    skip_bigrams               skip-bigram matches for several gap limits
    text_pairs                 one segment from text to counts, without arrays made for the call
    bag_overlap                overlap of bags of words or of typed items
    bit_parallel               edit distance and longest common subsequence, 64 cells at a time
    alignment                  the alignment with the fewest edits, step by step (MER, WIL, counts of edits)
    edit_distance              edit distance with arbitrary costs, CDER, the automaton of GRR
    edit_distance_with_shifts  edit distance with block shifts (TER)
    union_lcs                  union of longest common subsequences of sentences (ROUGE-Lsum)
    weighted_lcs               weighted longest common subsequence (ROUGE-W)
    run_matching               matchings made of common runs of words (GTM)
    meteor_matching            word matches and maximum one-to-one matchings (METEOR)
    meteor_chunks              maximum matchings with the fewest chunks or crossings (METEOR)
    assignment                 one-to-one matchings of n-grams with the largest weight (MAXSIM)
    ngram_lattices             lattices expanded by n-gram history: expected counts, best paths
    forest_search              exact and beam search in forests
    upper_envelope             upper envelopes of lines (MERT)
    statistics                 random numbers, bootstrap draws, sums in a fixed order, inversions
    qarla                      QARLA's samples as bits, and KING of many sets of metrics
"""

from __future__ import annotations

import contextlib
import functools
import threading
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tarocco.kernels import cython_fallback, interruption

_MOST_ELEMENTS = 2**31 - 1
_NUMBERS = "iIlLqQ"  # dtypes of arrays that kernels index, or whose places they store, with 32 bits


class UncompiledKernels(RuntimeWarning):
    """Warning that the kernels run as plain Python."""


@functools.cache
def _warn_uncompiled() -> None:
    warnings.warn(
        "tarocco's kernels are not compiled, so scoring is about 100 times slower; "
        "reinstall where a C compiler is present (gcc, clang) to compile them",
        UncompiledKernels,
        stacklevel=3,
    )


def _to_buffer(argument: Any) -> Any:
    return memoryview(argument) if isinstance(argument, np.ndarray) else argument


def _with_memoryviews(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an uncompiled kernel so that it indexes memoryviews: they yield Python integers, which do not overflow."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return function(*map(_to_buffer, arguments))

    return call


class InputTooLarge(MemoryError):
    """An array has too many elements: kernels number places and words with 32 bits."""


def _check_sizes(arguments: tuple[Any, ...]) -> None:
    for argument in arguments:
        if isinstance(argument, np.ndarray) and argument.size > _MOST_ELEMENTS and argument.dtype.char in _NUMBERS:
            raise InputTooLarge(
                f"the texts are too long: comparing them takes {argument.size:,} numbers at once, and there may be at "
                f"most {_MOST_ELEMENTS:,}"
            )


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a kernel so that it refuses arrays that are too large, and raises if it was interrupted."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        _check_sizes(arguments)
        requests = interruption.count_requests()
        result = function(*arguments)
        if threading.current_thread() is threading.main_thread():
            interruption.raise_caught()
        elif interruption.count_requests() != requests:
            raise KeyboardInterrupt
        return result

    return call


def kernel(module: Any, name: str, *, wide: bool = False) -> Callable[..., Any]:
    """Return the function `name` of a kernel module as a function of NumPy arrays.

    With `wide`, it is that of the module's AVX2 variant, if this processor and this installation have it. Ctrl-C ends a
    kernel that takes long: the function then raises KeyboardInterrupt. It raises InputTooLarge for arrays of integers
    with 2**31 elements or more.
    """
    if not module.COMPILED:
        _warn_uncompiled()
        return _guarded(_with_memoryviews(getattr(module, name)))
    if wide:
        from tarocco.kernels import bit_parallel

        if bit_parallel.COMPILED and bit_parallel.has_avx2():
            with contextlib.suppress(ImportError):  # the build has no AVX2 variants
                module = import_module(f"{module.__name__}_avx2")
    return _guarded(getattr(module, name))


__all__ = ["InputTooLarge", "UncompiledKernels", "cython_fallback", "interruption", "kernel"]
