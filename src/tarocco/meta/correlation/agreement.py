"""Kendall's tau on resamples of the segments without sorting anew: a resample changes only how often points count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.kernels import kernel, statistics
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import coins, words

Ints = NDArray[np.int64]

MIN_POINTS = 3  # two points lie on a line whatever they are
VARIANTS = ("a", "b", "c")

EQUAL = 1e-12
_inversions = kernel(statistics, "count_inversions")


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's r."""
    return correlation("pearson", x, y)


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rho with ties: Pearson's r of the mid-ranks."""
    return correlation("spearman", x, y)


def kendall(x: Floats, y: Floats, variant: str = "b") -> float:
    """Kendall's tau: b as SciPy, corrected for ties; c for tables that are not square; a is not corrected."""
    if variant not in VARIANTS:
        raise BadParameter(f"the variant of Kendall's tau is a, b or c, not {variant!r}")
    return correlation("kendall" if variant == "b" else f"kendall-{variant}", x, y)


def correlation(coefficient: str, x: Floats, y: Floats) -> float:
    """One of COEFFICIENTS of two lists."""
    return float(correlations(coefficient, np.ravel(x)[None], np.ravel(y)[None])[0])


def explain_undefined(x: Floats, y: Floats, names: tuple[str, str] = ("first", "second")) -> str | None:
    """Why the correlation of two lists does not exist, if it does not."""
    both = _paired(np.ravel(x), np.ravel(y))
    count = int(both.sum())
    if count < MIN_POINTS:
        return f"{count} {'pair' if count == 1 else 'pairs'} of scores; a correlation needs at least {MIN_POINTS}"
    constant = [name for name, side in zip(names, (x, y), strict=True) if _constant(np.ravel(side)[both])]
    if not constant:
        return None
    return "both sides are constant" if len(constant) == 2 else f"the {constant[0]} side is constant"


def correlations(coefficient: str, x: Floats, y: Floats) -> Floats:
    """The correlation of each row of x[rows, n] with the row of y[rows, n]; a single row goes with all of the other."""
    rows_of = COEFFICIENTS.get(coefficient)
    if rows_of is None:
        raise BadParameter(f"a correlation is one of {', '.join(COEFFICIENTS)}, not {coefficient!r}")
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) == 1:
        x, y = y, x
    whole = int(np.isfinite(y).sum()) if len(y) == 1 else -1  # a row that serves many is ranked once
    wide = np.broadcast_to(y, x.shape)
    both = _paired(x, wide)
    sizes = both.sum(axis=1)
    found = np.full(len(x), np.nan)
    for size in np.unique(sizes[sizes >= MIN_POINTS]):
        chosen = np.flatnonzero(sizes == size)
        dense_x = _dense(x, both, chosen, size)
        dense_y = _dense(wide, both, chosen[:1] if size == whole else chosen, size)
        varied = ~(_constant(dense_x) | _constant(dense_y))
        if varied.any():
            found[chosen[varied]] = rows_of(dense_x[varied], dense_y[varied] if len(dense_y) > 1 else dense_y)
    return found


def _dense(side: Floats, both: NDArray[np.bool_], chosen: NDArray[np.intp], size: int) -> Floats:
    """float64[chosen, size]: these rows without what is missing."""
    if size == side.shape[1]:
        return side[chosen]
    return side[chosen][both[chosen]].reshape(-1, size)


def _paired(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Where both sides have a number; one that is infinite has no place on a line either."""
    there: NDArray[np.bool_] = np.isfinite(x) & np.isfinite(y)
    return there


def _constant(rows: Floats) -> NDArray[np.bool_]:
    highest, lowest = rows.max(axis=-1), rows.min(axis=-1)
    constant: NDArray[np.bool_] = highest - lowest <= EQUAL * np.maximum(np.abs(highest), np.abs(lowest))
    return constant


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = _standard(x), _standard(y)
    found: Floats = np.clip(np.einsum("ij,ij->i", x, y), -1.0, 1.0)
    return found


def _standard(rows: Floats) -> Floats:
    """Rows with mean 0 and length 1; scaled first, so that no square is lost below the smallest number."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def _spearman(x: Floats, y: Floats) -> Floats:
    return _pearson(mid_ranks(x), mid_ranks(y))


def mid_ranks(rows: Floats) -> Floats:
    """The ranks of each row from 1, the lowest; equal numbers share the mean of their ranks."""
    order = np.argsort(rows, axis=1, kind="stable")
    starts, sizes = _groups(np.take_along_axis(rows, order, axis=1))
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, starts + (sizes + 1) / 2, axis=1)
    return ranks


def _groups(ordered: Floats) -> tuple[Ints, Ints]:
    """For each place of sorted rows: where the run of equal numbers that it is in begins, and how long it is."""
    count, n = ordered.shape
    first = np.ones((count, n), bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    flat = np.flatnonzero(first)
    which = np.cumsum(first.ravel()) - 1
    sizes = np.diff(flat, append=count * n)
    return (flat % n)[which].reshape(count, n), sizes[which].reshape(count, n)


def _dense_ranks(rows: Floats) -> NDArray[np.int32]:
    """0, 1, 2, ... for the distinct numbers of each row, ascending."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    steps = np.zeros(rows.shape, np.int32)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=steps[:, 1:])
    ranks = np.empty(rows.shape, np.int32)
    np.put_along_axis(ranks, order, steps, axis=1)
    return ranks


def _kendall(variant: str) -> Callable[[Floats, Floats], Floats]:
    def tau(x: Floats, y: Floats) -> Floats:
        n = x.shape[1]
        ranks_x, ranks_y = _dense_ranks(x), _dense_ranks(y)
        joint = ranks_x * np.int64(n) + ranks_y
        order = np.argsort(joint, axis=1, kind="stable")
        moved = np.ascontiguousarray(np.take_along_axis(np.broadcast_to(ranks_y, x.shape), order, axis=1))
        discordant = np.empty(len(x), np.int64)
        _inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        pairs = n * (n - 1) // 2
        tied_x = _tied_pairs(np.sort(ranks_x, axis=1))
        tied_y = _tied_pairs(moved)
        tied_both = _tied_pairs(np.take_along_axis(joint, order, axis=1))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * discordant  # of concordant over discordant pairs
        classes = 1 + np.minimum(ranks_x.max(axis=1), ranks_y.max(axis=1)).astype(float)
        most = {
            "a": np.full(len(x), float(pairs)),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }
        found: Floats = np.clip(surplus / most[variant], -1.0, 1.0)
        return found

    return tau


def _tied_pairs(ordered: NDArray[np.int32] | Ints) -> Ints:
    """How many pairs of each sorted row are equal."""
    starts, _ = _groups(ordered)  # type: ignore[arg-type]
    tied: Ints = (np.arange(ordered.shape[1]) - starts).sum(axis=1)
    return tied


COEFFICIENTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall("b"),
    "kendall-a": _kendall("a"),
    "kendall-c": _kendall("c"),
}


class WeightedKendall:
    """Points (x, y), each of one segment: sorted once, by x and where that is equal by y."""

    def __init__(self, x: Floats, y: Floats, segments: NDArray[np.intp]) -> None:
        both = np.isfinite(x) & np.isfinite(y)
        x, y, segments = x[both], y[both], segments[both]
        order = np.lexsort((y, x))
        self.x, y, self.segments = x[order], y[order], segments[order]
        self.values, ranks = np.unique(y, return_inverse=True)
        self.ranks = ranks.astype(np.int32)
        new_x = np.ones(len(x), np.bool_)
        new_x[1:] = self.x[1:] != self.x[:-1]
        new_both = new_x.copy()
        new_both[1:] |= y[1:] != y[:-1]
        self.of_x, self.of_both = np.flatnonzero(new_x), np.flatnonzero(new_both)

    def kendall(self, variant: str, weights: NDArray[np.int16]) -> float:
        """Tau where each segment counts so often; NaN where it is explain_undefined."""
        times = weights[self.segments].astype(np.int64)
        n = int(times.sum())
        there = np.flatnonzero(times)
        if n < MIN_POINTS or _equal(self.x[there[0]], self.x[there[-1]]):
            return np.nan
        moved = np.repeat(self.ranks, times)[None]
        discordant = np.empty(1, np.int64)
        _inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        if _equal(self.values[moved[0, 0]], self.values[moved[0, -1]]):
            return np.nan
        by_x = np.add.reduceat(times, self.of_x)
        by_y = np.bincount(self.ranks, times)
        pairs = n * (n - 1) // 2
        tied_x, tied_y, tied_both = map(_tied, (by_x, by_y, np.add.reduceat(times, self.of_both)))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * int(discordant[0])
        classes = min(int((by_x > 0).sum()), int((by_y > 0).sum()))
        most = {
            "a": float(pairs),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }[variant]
        return float(np.clip(surplus / most, -1.0, 1.0))


def _tied(sizes: NDArray[np.int64] | Floats) -> int:
    """How many pairs are within groups of these sizes."""
    return int((sizes * (sizes - 1)).sum()) // 2


def _equal(low: float, high: float) -> bool:
    """Whether numbers from low to high count as constant."""
    return bool(abs(high - low) <= EQUAL * max(abs(low), abs(high)))


# How often a metric and people agree which of two systems is better: at system level, softly, and segment by segment.


_EQUAL = 1e-12  # sums of the same numbers in another order are equal


def pairwise_accuracy(metric: Floats, human: Floats) -> float:
    """The share of pairs of systems that float64[systems] of both sides put in the same order (Kocmi et al. 2021).

    A pair that is equal for both sides counts as agreed, one that is equal for one side does not. Systems without a
    score of both are left out; NaN where no pair is left.
    """
    there = ~(np.isnan(metric) | np.isnan(human))
    metric, human = metric[there], human[there]
    first, second = np.triu_indices(len(metric), 1)
    if not len(first):
        return np.nan
    return float(np.mean(np.sign(metric[first] - metric[second]) == np.sign(human[first] - human[second])))


def soft_pairwise_accuracy(metric: Floats, human: Floats, n_permutations: int = 1000, seed: int = 0) -> float:
    """1 - mean |p_h - p_m| over pairs of systems (Thompson et al. 2024), from float64[systems, segments] of both sides.

    p is one-sided, from paired permutations of segment scores: the share of permutations that are no less extreme than
    what was observed, without the + 1 of a test. One coin a segment and permutation serves all pairs and both sides.
    A pair is taken both ways: where scores tie, p is 1 either way, and one way would depend on who is named first.
    """
    missing = np.isnan(metric) | np.isnan(human)
    first, second = np.triu_indices(len(metric), 1)
    common = ~(missing[first] | missing[second])
    used = common.any(axis=1)
    if not used.any():
        return np.nan
    segments = metric.shape[1]
    signs = 1.0 - 2.0 * coins(words(seed, n_permutations, -(-segments // 64)), 0, segments).astype(float)
    p_values = [
        _both_ways(np.where(common, side[first] - side[second], 0.0)[used], signs) / n_permutations
        for side in (human, metric)
    ]
    return float(1.0 - np.abs(p_values[0] - p_values[1]).mean())


def _both_ways(differences: Floats, signs: Floats) -> Floats:
    """float64[2, rows]: how many rows of signs make the sum of a row of differences no lower, and no higher."""
    slack = (_EQUAL * np.abs(differences).sum(axis=1))[:, None]
    above = differences @ signs.T - differences.sum(axis=1)[:, None]
    counts: Floats = np.stack([(above >= -slack).sum(axis=1), (above <= slack).sum(axis=1)]).astype(float)
    return counts


@dataclass(frozen=True)
class TieCalibration:
    """Accuracy with ties, averaged over items, at the epsilon that makes it highest on these data."""

    accuracy: float  # NaN where no item has two systems
    epsilon: float  # the smallest of those that are best
    items: int  # segments that have two systems or more
    pairs: int


def accuracy_with_ties(metric: Floats, human: Floats, epsilon: float) -> float:
    """acc_eq by item (Deutsch et al. 2023): the share of pairs that both sides order alike or both call tied.

    A pair is tied for the metric if its scores differ by no more than epsilon, and for people if theirs are equal.
    """
    sides = _Sides.of(metric, human)
    return float(sides.accuracy(np.array([epsilon]))[0])


def calibrated_ties(metric: Floats, human: Floats) -> TieCalibration:
    """Accuracy with ties at its best epsilon.

    Accuracy can rise only where a pair that people call tied becomes tied for the metric, so that only 0 and the
    metric's differences of such pairs need be looked at, and each is a place in two sorted lists.
    """
    sides = _Sides.of(metric, human)
    candidates = np.unique(np.concatenate([np.zeros(1), *(group.tied for group in sides.groups)]))
    accuracies = sides.accuracy(candidates)
    if not sides.items:
        return TieCalibration(np.nan, 0.0, 0, 0)
    best = int(np.argmax(accuracies >= accuracies.max() - _EQUAL))
    return TieCalibration(float(accuracies[best]), float(candidates[best]), sides.items, sides.pairs)


@dataclass(frozen=True, eq=False)
class _Group:
    """Items that have the same number of pairs: sorted sizes of the metric's differences."""

    pairs: int  # an item
    concordant: Floats  # of pairs that people order and the metric orders alike
    tied: Floats  # of pairs that people call tied


@dataclass(frozen=True, eq=False)
class _Sides:
    groups: list[_Group]
    items: int
    pairs: int

    @classmethod
    def of(cls, metric: Floats, human: Floats) -> _Sides:
        missing = np.isnan(metric) | np.isnan(human)
        systems = (~missing).sum(axis=0)
        counts, how_many = np.unique(systems[systems >= 2], return_counts=True)
        groups = [_group(metric[:, systems == k], human[:, systems == k], missing[:, systems == k]) for k in counts]
        pairs = counts * (counts - 1) // 2
        return cls(groups, int(how_many.sum()), int(pairs @ how_many))

    def accuracy(self, epsilons: Floats) -> Floats:
        agreed = np.zeros(len(epsilons))
        for group in self.groups:
            kept = len(group.concordant) - np.searchsorted(group.concordant, epsilons, "right")
            agreed += (kept + np.searchsorted(group.tied, epsilons, "right")) / group.pairs
        return agreed / self.items if self.items else np.full(len(epsilons), np.nan)


def _group(metric: Floats, human: Floats, missing: NDArray[np.bool_]) -> _Group:
    """All items of `missing` lack as many systems."""
    k = len(metric) - int(missing[:, 0].sum())
    if missing.any():  # item by item, the systems that are there
        metric, human = (side.T[~missing.T].reshape(-1, k).T for side in (metric, human))
    order = np.argsort(-human, axis=0)  # from the best down: no pair's human difference is below 0
    metric, human = (np.take_along_axis(side, order, axis=0) for side in (metric, human))
    concordant, tied = [], []
    for system in range(k - 1):
        difference = metric[system] - metric[system + 1 :]
        level = human[system] == human[system + 1 :]
        concordant.append(difference[(difference > 0) > level])
        tied.append(np.abs(difference[level]))
    return _Group(k * (k - 1) // 2, np.sort(np.concatenate(concordant)), np.sort(np.concatenate(tied)))
