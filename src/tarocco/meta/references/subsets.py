"""Which references are used together: subsets of each size, all of them where they are few, else drawn from a seed.

Where every segment has every stream of references, a subset is one of streams. Where segments have different numbers of
references, a subset is drawn for each segment by itself. Both come from random orders: order b puts the references in
the order of random words, its subset of size k are the first k. So the subset of size k + 1 that comes from an order is
that of size k and one more: what changes from k to k + 1 is one reference, not all of them.
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

_ABSENT = np.uint64(2**64 - 1)  # a reference that a segment does not have comes last in every order


@dataclass(frozen=True, eq=False)
class Subset:
    """As many references of every segment: chosen[j, i] is the stream of the j-th one that segment i uses."""

    size: int
    name: str  # "WMT + AR", or which draw it is
    chosen: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Pool:
    """The segments that have enough references, with all of these; `rows` are their numbers in the whole test set."""

    test_set: TestSet
    most: int
    rows: NDArray[np.intp]
    of: int  # segments of the whole test set

    @cached_property
    def by_stream(self) -> bool:
        """Whether every segment has every stream, so that streams can be chosen for all segments alike."""
        return bool(self.test_set.present.all())

    @property
    def drawn(self) -> str:
        """What subsets are made of, in a word for signatures."""
        return "streams" if self.by_stream else "segments"

    @property
    def names(self) -> tuple[str, ...]:
        """What the streams are called."""
        return self.test_set.stream_names

    def subsets(self, size: int, limit: int, seed: int) -> list[Subset]:
        """All subsets of a size if there are no more than the limit, else as many as that, drawn."""
        segments = len(self.test_set)
        if not self.by_stream:
            return list(self._of_segments(size, limit, seed))
        found = _of_streams(len(self.names), size, limit, seed)
        return [
            Subset(size, " + ".join(self.names[r] for r in one), np.tile(np.array(one)[:, None], (1, segments)))
            for one in found
        ]

    def _of_segments(self, size: int, limit: int, seed: int) -> Iterator[Subset]:
        present = self.test_set.present.T  # a row a segment
        if (present.sum(axis=1) == size).all():
            yield Subset(size, "all", _first(np.where(present, np.uint64(0), _ABSENT), size))
            return
        for number, row in enumerate(words(seed, limit, present.size), start=1):
            random = np.where(present, row.reshape(present.shape), _ABSENT)
            yield Subset(size, f"draw {number}", _first(random, size))

    def test_set_of(self, subset: Subset) -> TestSet:
        """The test set with the references of a subset alone."""
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
        """All streams, one below the other."""
        return Segments.joined(self.test_set.references)


def pool_of(test_set: TestSet, most: int | None = None, least: int = 2) -> Pool:
    """The segments with at least `most` references; by default as many as every segment has."""
    counts = test_set.present.sum(axis=0)
    largest = int(counts.max())
    if largest < least:
        has = "there is one reference" if largest == 1 else f"no segment has more than {largest} references"
        raise InputError(f"{has}: to ask how many are enough takes {least} or more")
    if most is None:
        most = int(counts.min())
        if most < least:
            raise InputError(f"some segments have {most} reference{'s' * (most > 1)} alone; {_advice(counts, least)}")
    elif not (isinstance(most, Integral) and most >= least):
        raise BadParameter(f"most is a whole number of at least {least}, not {most!r}")
    elif most > largest:
        raise InputError(f"no segment has {most} references: the most that one has is {largest}")
    rows = np.flatnonzero(counts >= most)
    used = np.flatnonzero(test_set.present[:, rows].any(axis=1))
    references = [test_set.references[r] for r in used]
    names = tuple(test_set.reference_names[r] for r in used) if test_set.reference_names else ()
    systems = test_set.systems
    if len(rows) < len(test_set):
        references = [stream.taken(rows) for stream in references]
        systems = {name: system.taken(rows) for name, system in systems.items()}
    return Pool(TestSet(systems, tuple(references), None, names), most, rows, len(test_set))


def _advice(counts: NDArray[np.intp], least: int) -> str:
    largest = int(counts.max())
    told = [k for k in (2, 3, 4, 8, 16, 32, 64) if least <= k <= largest]
    have = ", ".join(f"{int((counts >= k).sum())} have {k} or more" for k in told)
    return f"with --most K those that have fewer than K are left out: of {len(counts)} segments {have}"


def _first(random: NDArray[np.uint64], size: int) -> NDArray[np.intp]:
    """intp[size, segments]: the streams with the lowest words of each row, in the order of streams."""
    order = np.argsort(random, axis=1, kind="stable")[:, :size]
    return np.ascontiguousarray(np.sort(order, axis=1).T)


def _of_streams(count: int, size: int, limit: int, seed: int) -> Sequence[tuple[int, ...]]:
    if comb(count, size) <= limit:
        return list(combinations(range(count), size))
    found: dict[tuple[int, ...], None] = {}
    orders = limit
    while len(found) < limit:  # some orders give the same subset: more are looked at until there are enough
        orders *= 2
        first = np.sort(np.argsort(words(seed, orders, count), axis=1, kind="stable")[:, :size], axis=1)
        found = dict.fromkeys(tuple(one) for one in first.tolist())
    return list(found)[:limit]
