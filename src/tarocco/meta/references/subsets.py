"""Subsets of the references: all subsets of a size if there are few, otherwise a random sample.

If every segment has every stream of references, a subset is a set of streams. Otherwise subsets are drawn for each
segment separately. Both come from random orders of the references: the subset of size k is the first k of an order, so
that the subset of size k + 1 from the same order has one reference more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.scoring.resampling import words

_ABSENT = np.uint64(2**64 - 1)  # a missing reference comes last in every order


@dataclass(frozen=True, eq=False)
class Subset:
    """The same number of references of every segment: chosen[j, i] is the stream of reference j of segment i."""

    size: int
    name: str  # "WMT + AR", or "draw 3"
    chosen: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ReferencePool:
    """The segments with enough references; `rows` are their numbers in the whole test set."""

    test_set: TestSet
    most: int
    rows: NDArray[np.intp]
    of: int  # number of segments of the whole test set

    @cached_property
    def by_stream(self) -> bool:
        """Whether every segment has every stream, so that a subset is a set of streams."""
        return bool(self.test_set.present.all())

    @property
    def drawn(self) -> str:
        """What subsets consist of, for signatures."""
        return "streams" if self.by_stream else "segments"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the streams."""
        return self.test_set.stream_names

    def subsets(self, size: int, limit: int, seed: int) -> list[Subset]:
        """Return all subsets of a size if there are at most `limit`, otherwise a sample of that size."""
        segments = len(self.test_set)
        if not self.by_stream:
            return list(self._of_segments(size, limit, seed))
        streams = _of_streams(len(self.names), size, limit, seed)
        return [
            Subset(size, " + ".join(self.names[r] for r in subset), np.tile(np.array(subset)[:, None], (1, segments)))
            for subset in streams
        ]

    def _of_segments(self, size: int, limit: int, seed: int) -> Iterator[Subset]:
        present = self.test_set.present.T  # one row per segment
        if (present.sum(axis=1) == size).all():
            yield Subset(size, "all", _first(np.where(present, np.uint64(0), _ABSENT), size))
            return
        for number, row in enumerate(words(seed, limit, present.size), start=1):
            random = np.where(present, row.reshape(present.shape), _ABSENT)
            yield Subset(size, f"draw {number}", _first(random, size))

    def test_set_of(self, subset: Subset) -> TestSet:
        """Return the test set with the references of a subset only."""
        if self.by_stream:
            streams = subset.chosen[:, 0].tolist()
            references = [self.test_set.references[r] for r in streams]
            return replace(
                self.test_set, references=tuple(references), reference_names=tuple(self.names[r] for r in streams)
            )
        at = subset.chosen * len(self.test_set) + np.arange(len(self.test_set))
        return replace(self.test_set, references=tuple(self._column.taken(row) for row in at), reference_names=())

    @cached_property
    def _column(self) -> Segments:
        """All streams, one after another."""
        return Segments.joined(self.test_set.references)


def make_pool(test_set: TestSet, most: int | None = None, least: int = 2) -> ReferencePool:
    """Return the segments with at least `most` references; by default as many as every segment has."""
    counts = test_set.present.sum(axis=0)
    largest = int(counts.max())
    if largest < least:
        has = "there is one reference" if largest == 1 else f"no segment has more than {largest} references"
        raise InputError(f"{has}: this study needs {least} or more")
    if most is None:
        most = int(counts.min())
        if most < least:
            raise InputError(f"some segments have only {most} reference{'s' * (most > 1)}; {_advice(counts, least)}")
    elif not (isinstance(most, Integral) and most >= least):
        raise BadParameter(f"most is an integer of at least {least}, not {most!r}")
    elif most > largest:
        raise InputError(f"no segment has {most} references: the most that one has is {largest}")
    rows = np.flatnonzero(counts >= most)
    used = np.flatnonzero(test_set.present[:, rows].any(axis=1))
    references = [test_set.references[r] for r in used]
    names = tuple(test_set.reference_names[r] for r in used) if test_set.reference_names else ()
    systems, documents = test_set.systems, test_set.documents
    if len(rows) < len(test_set):
        references = [stream.taken(rows) for stream in references]
        systems = {name: system.taken(rows) for name, system in systems.items()}
        documents = None if documents is None else tuple(documents[row] for row in rows)
    return ReferencePool(TestSet(systems, tuple(references), documents, names), most, rows, len(test_set))


def _advice(counts: NDArray[np.intp], least: int) -> str:
    largest = int(counts.max())
    sizes = [k for k in (2, 3, 4, 8, 16, 32, 64) if least <= k <= largest]
    have = ", ".join(f"{int((counts >= k).sum())} have {k} or more" for k in sizes)
    return f"--most K leaves out segments with fewer than K: of {len(counts)} segments {have}"


def _first(random: NDArray[np.uint64], size: int) -> NDArray[np.intp]:
    """Return intp[size, segments]: the streams with the lowest random numbers of each row, in order."""
    order = np.argsort(random, axis=1, kind="stable")[:, :size]
    return np.ascontiguousarray(np.sort(order, axis=1).T)


def _of_streams(count: int, size: int, limit: int, seed: int) -> Sequence[tuple[int, ...]]:
    if comb(count, size) <= limit:
        return list(combinations(range(count), size))
    subsets: dict[tuple[int, ...], None] = {}
    orders = limit
    while len(subsets) < limit:  # several orders may give the same subset
        orders *= 2
        first = np.sort(np.argsort(words(seed, orders, count), axis=1, kind="stable")[:, :size], axis=1)
        subsets = dict.fromkeys(tuple(row) for row in first.tolist())
    return list(subsets)[:limit]
