"""Every candidate against every pseudo-reference: the sums under minimum Bayes risk.

The utility of a candidate y beside a pseudo-reference y' is the metric's score of y with y' as its only reference, an
error negated. What is computed goes through the kernels as any batch does: all pseudo-references of a list are groups
with one reference, parts of one whole, so that what can be computed for many references at a time is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import Segments
from tarocco.encode.batch import Encoding, Lists, against_all, one_by_one
from tarocco.kernels import duplicates, kernel
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.decisions import Decisions, queen
from tarocco.meta.qarla.similarities import Similarities
from tarocco.metrics.base import Floats, Metric
from tarocco.parallel.fan_out import blocks
from tarocco.scoring.resampling import bootstrap, words
from tarocco.scoring.statistics import by_reading, scores_of_batch

_firsts_of_lists = kernel(duplicates, "find_duplicates")


@dataclass(frozen=True, eq=False)
class Folded:
    """The different texts of a list, in the order in which they first stand there.

    Candidate i of the list is text places[i]; text t stands first at firsts[t] and has the probability weights[t].
    """

    texts: Segments
    places: NDArray[np.intp]
    firsts: NDArray[np.intp]
    weights: Floats

    def __len__(self) -> int:
        return len(self.texts)


def folded(candidates: Segments, probabilities: Floats | None = None) -> Folded:
    """Fold a list; the probabilities of a text that stands there more than once are added. Uniform by default."""
    n = len(candidates)
    size = 1 << (2 * n).bit_length()
    firsts = np.empty(n, np.intp)
    none = Segments.from_strings([])
    _firsts_of_lists(
        *(candidates.text, candidates.starts, np.array([0, n])),
        *(none.text, none.starts, np.zeros(2, np.intp)),
        *(np.empty(size, np.uint64), np.empty(size, np.intp), firsts, np.empty(n, np.uint8)),
    )
    own, places = np.unique(firsts, return_inverse=True)
    shares = np.ones(n) if probabilities is None else probabilities
    weights = np.bincount(places, shares, len(own)).astype(np.float64)
    if probabilities is None:
        weights /= n  # of counts, which are exact
    return Folded(candidates if len(own) == n else candidates.taken(own), places, own, weights)


def posterior(scores: Floats, scale: float) -> Floats:
    """Probabilities in proportion to exp(scale * score), within the list."""
    logarithms = scale * scores
    odds: Floats = np.exp(logarithms - logarithms.max())
    odds /= odds.sum()
    return odds


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


FIRST = 16
RESAMPLES = 500


def own_seed(seed: int, segment: int) -> int:
    """The seed of a list: the same whatever other lists there are."""
    return int(words(seed, 1, 1, segment)[0, 0])


def pruned(work: Work, mixture: Floats, confidence: float, seed: int) -> Sums:
    """The expected utility of the candidates that are left, as one metric; NaN for those that are not.

    Several metrics are added up, each times its share of `mixture`.
    """
    (pairing,) = work.pairings
    weights = pairing.weights
    order = np.argsort(words(seed, 1, len(weights))[0], kind="stable")
    left = np.arange(len(pairing.candidates))
    seen = np.empty((0, len(left)))  # utilities: a row a pseudo-reference, a column a candidate that is left
    done = 0
    while True:
        here = order[done : max(FIRST, 2 * done)]
        part = Pairing(pairing.candidates.taken(left), pairing.references.taken(here), weights[here])
        new = [
            (mixture[:, None, None] * of_pairs).sum(axis=0)
            for piece in part.parts()
            for of_pairs in utilities(Work((piece,), work.metrics, work.encoding))
        ]
        seen = np.concatenate([seen, *new])
        done = len(seen)
        exists = ~np.isnan(seen)
        column = weights[order[:done], None]
        parts = np.where(exists, seen * column, 0.0)
        sums = Sums(parts.sum(axis=0), np.where(exists, column, 0.0).sum(axis=0))
        if done == len(order):
            break
        expected = round_last_bits(np.where(sums.weight > 0, sums.expected, -np.inf))
        best = int(np.argmax(expected))
        drawn = bootstrap(parts, RESAMPLES, seed, jobs=1)
        wins = (drawn >= drawn[:, best : best + 1]).mean(axis=0)
        stays = (wins > 1 - confidence) | (left == 0)
        left, seen = left[stays], seen[:, stays]
    utility, weight = np.full((2, 1, len(pairing.candidates)), np.nan)
    utility[0, left], weight[0, left] = sums.utility, sums.weight
    return Sums(utility, weight)


MOST = 16  # pseudo-references: 3840 samples


def drawn(weights: Floats, most: int, seed: int) -> NDArray[np.intp]:
    """Up to so many different ones, by their weights, in ascending order (Efraimidis and Spirakis 2006)."""
    if len(weights) <= most:
        return np.arange(len(weights))
    uniform = ((words(seed, 1, len(weights))[0] >> np.uint64(11)) + 0.5) * 2.0**-53
    with np.errstate(divide="ignore"):
        waiting = -np.log(uniform) / weights
    return np.sort(np.argsort(waiting, kind="stable")[:most])


def queens(work: Work, most: int, seed: int) -> Sums:
    """QUEEN of every candidate, as one metric; NaN where there is no sample."""
    (pairing,) = work.pairings
    references = pairing.references.taken(drawn(pairing.weights, most, seed))
    candidates = Segments.joined([pairing.candidates, references])
    n, k = len(pairing.candidates), len(references)
    (near,) = utilities(Work((Pairing(candidates, references, np.ones(k)),), work.metrics, work.encoding))
    signs = np.array([metric.sign for metric in work.metrics])[:, None, None]
    near = np.where(signs < 0, 1.0 + near, near).swapaxes(1, 2)[:, None]  # errors are 1 - error here
    near[:, 0, n + np.arange(k), np.arange(k)] = np.nan
    names = tuple(map(str, work.metrics))
    present = np.ones((1, k), np.bool_)
    systems, streams = (tuple(map(str, range(size))) for size in (n, k))
    decisions = Decisions.of(Similarities(names, names, systems, streams, present, round_last_bits(near)))
    members = range(len(names))
    shares = queen(decisions, members)[0, :n]
    for reference, own in enumerate(_same_texts(pairing.candidates, references)):
        if own is not None:
            shares[own] = queen(decisions, members, held_out=reference)[0, own]
    return Sums(shares[None], np.ones((1, n)))


def _same_texts(candidates: Segments, references: Segments) -> list[int | None]:
    """The candidate that is the text of each reference; candidates are different texts."""
    numbers = {text: number for number, text in enumerate(candidates)}
    return [numbers.get(text) for text in references]
