"""Arrays in, arrays out: the compiled part of tarocco.

Every file here is one family of loops, written in Cython's pure-Python mode: the same file is compiled to C where a
compiler was present at install time and runs as plain Python where not. A kernel trusts what it is given; ids, shapes
and types are checked by the caller. Kernels hold no objects, do no input or output and release the GIL.

    listing     lines of n-best files -> ids and texts
    words       text -> words
    interning   words -> word ids
    stemming    stems of English words
    distinct    candidates of a list that are the same text, or copies of a reference
    ngrams      clipped n-gram matches, plain or weighted
    shared      n-gram matches with each reference
    crowds      the same with each of many references
    extent      how large the largest segment is
    bags        overlap of bags of words
    typed       overlap of bags of typed items, type by type
    bits        edit distance and longest common subsequence, 64 rows at a time
    alignments  edit distance with any costs, CDER's jumps, GRR's automaton
    spans       best derivations of forests under GRR's automaton
    beams       beam search in forests for texts that share n-grams with references
    histories   lattices whose states know the last words: n-grams, and the best path by what n-grams gain
    repeats     how often n-grams are expected in such lattices, and how often again
    weighted    weighted longest common subsequence
    beginnings  the same for many short candidates
    skips       skip-bigrams for several gap limits
    runs        greedy matchings made of runs of words
    runsearch   the best matching made of runs, by search
    links       pairs of words that match
    maximum     as many one-to-one matches as there can be
    followers   how many matches can have a match before them, on both sides
    chunks      of the largest matchings the one with the fewest chunks or crossings
    assignment  n-grams matched with the largest weight, for MAXSIM
    shifts      edit distance with shifts of blocks, for TER
    pairs       counting and finding (prefix, word) pairs, for n-gram information
    choosing    the best reference of each candidate
    envelopes   which candidate is on top as a weight changes, for tuning
    inversions  pairs in the wrong order, for Kendall's tau
    samples     QARLA's samples as bits: made from similarities, and counted for sets of metrics
    tallies     KING of many sets of metrics
    resample    random words, bootstrap draws, weighted sums in a fixed order
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tarocco.kernels import standin


class UncompiledKernels(RuntimeWarning):
    """The kernels run as plain Python."""


@functools.cache
def _say_uncompiled() -> None:
    warnings.warn(
        "tarocco's kernels are not compiled, so scoring is about 100 times slower; "
        "reinstall where a C compiler is present (gcc, clang) to compile them",
        UncompiledKernels,
        stacklevel=3,
    )


def _buffer(argument: Any) -> Any:
    return memoryview(argument) if isinstance(argument, np.ndarray) else argument


def _on_plain_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Uncompiled, index memoryviews instead of arrays: they give Python integers, which do not overflow."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return function(*map(_buffer, arguments))

    return call


def kernel(module: Any, name: str) -> Callable[..., Any]:
    """The function `name` of a kernel module, ready to be called with NumPy arrays."""
    function = getattr(module, name)
    if module.COMPILED:
        return function
    _say_uncompiled()
    return _on_plain_integers(function)


def widest(module: Any) -> Any:
    """A kernel module as it was compiled for the widest instructions that this processor has."""
    from tarocco.kernels import bits

    if module.COMPILED and bits.COMPILED and bits.has_avx2():
        try:
            return import_module(f"{module.__name__}_avx2")
        except ImportError:  # built by a compiler, or for a processor family, that has no such thing
            return module
    return module


__all__ = ["UncompiledKernels", "kernel", "standin", "widest"]
