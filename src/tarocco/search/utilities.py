"""Every candidate against every pseudo-reference: the sums under minimum Bayes risk.

The utility of a candidate y beside a pseudo-reference y' is the metric's score of y with y' as its only reference, an
error negated. What is computed goes through the kernels as any batch does: all pseudo-references of a list are groups
with one reference, parts of one whole, so that what can be computed for many references at a time is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.counting import by_reading, scores_of_batch
from tarocco.encode.batch import Encoding
from tarocco.encode.lists import Lists, against_all, one_by_one
from tarocco.metrics.base import Floats, Metric
from tarocco.model import Segments
from tarocco.run import blocks

_PAIRS = 1 << 17  # computed together; sums depend on it in their last bits, so it is the same for everybody


@dataclass(frozen=True, eq=False)
class Pairing:
    """Candidates, pseudo-references and how much each of those weighs."""

    candidates: Segments
    references: Segments
    weights: Floats

    @property
    def size(self) -> int:
        return len(self.candidates) * len(self.references)

    def parts(self) -> list[Pairing]:
        """Itself, or some of its pseudo-references at a time where there are too many pairs for one go."""
        most = max(1, _PAIRS // len(self.candidates))
        if len(self.references) <= most:
            return [self]
        return [
            Pairing(self.candidates, self.references.rows(first, last), self.weights[first:last])
            for first, last in blocks(len(self.references), most)
        ]


@dataclass(frozen=True, eq=False)
class Work:
    """What is computed together: all that a worker needs."""

    pairings: tuple[Pairing, ...]
    metrics: tuple[Metric, ...]
    encoding: Encoding


@dataclass(frozen=True, eq=False)
class Sums:
    """Of each metric and candidate: utilities times weights, and the weights of the pairs that have a score."""

    utility: Floats  # [metrics, candidates]
    weight: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.utility + other.utility, self.weight + other.weight)

    @property
    def expected(self) -> Floats:
        """The mean over pairs that have a score; NaN where none has."""
        with np.errstate(invalid="ignore"):
            return self.utility / self.weight


def utilities(work: Work) -> Iterator[Floats]:
    """Of each pairing float64[metrics, references, candidates]."""
    pairings = work.pairings
    lists = _lists(pairings)
    found: dict[int, Floats] = {}
    for way, members in by_reading(work.metrics, work.encoding).items():
        batch = one_by_one(against_all(lists, way))
        own = [work.metrics[i] for i in members]
        for i, metric, scores in zip(members, own, scores_of_batch(own, batch, [None] * len(own)), strict=True):
            found[i] = metric.sign * scores
    start = 0
    for one in pairings:
        of_metrics = [found[i][start : start + one.size] for i in range(len(work.metrics))]
        yield np.stack(of_metrics).reshape(len(of_metrics), len(one.references), len(one.candidates))
        start += one.size


def summed(work: Work) -> list[Sums]:
    """The sums of each pairing."""
    return [weighted(of_pairs, one.weights) for one, of_pairs in zip(work.pairings, utilities(work), strict=True)]


def weighted(of_pairs: Floats, weights: Floats) -> Sums:
    """Sums over pseudo-references of float64[metrics, references, candidates]."""
    column = weights[:, None]
    missing = np.isnan(of_pairs)
    if not missing.any():
        return Sums((of_pairs * column).sum(axis=1), np.full((len(of_pairs), of_pairs.shape[2]), weights.sum()))
    return Sums(np.where(missing, 0.0, of_pairs * column).sum(axis=1), np.where(missing, 0.0, column).sum(axis=1))


def _lists(pairings: Sequence[Pairing]) -> Lists:
    candidates = Segments.joined([one.candidates for one in pairings])
    same = all(one.references is one.candidates for one in pairings)
    references = candidates if same else Segments.joined([one.references for one in pairings])
    bounds = (
        np.cumsum([0, *(len(side) for side in sides)], dtype=np.intp)
        for sides in ([one.candidates for one in pairings], [one.references for one in pairings])
    )
    first, second = bounds
    return Lists(candidates, first, references, second)


def together(pairings: Sequence[Pairing]) -> bool:
    """Whether these are enough for one go."""
    return sum(one.size for one in pairings) >= _PAIRS // 2 or len(pairings) >= 256
