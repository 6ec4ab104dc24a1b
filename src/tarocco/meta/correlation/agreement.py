"""Measures of agreement between two lists of scores: correlation coefficients and pairwise accuracies.

Pearson, Spearman and Kendall work on many pairs of lists at once. Kendall's tau on resamples of the segments sorts the
points only once, because a resample only changes how often each point counts.

Scores are oriented so that higher is better. Pairwise accuracies ask how often a metric and people agree which of two
systems is better, on the segments for which both have scores of both systems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.kernels import kernel, statistics
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks
from tarocco.scoring.resampling import number_units
from tarocco.scoring.settings import SEED

Ints = NDArray[np.int64]

MIN_POINTS = 3  # any two points lie on a line
MIN_GROUP = 2  # points in one of many groups whose correlations are averaged: a pair is in order, or it is not
VARIANTS = ("a", "b", "c")
_MT_METRICS_EVAL_SEED = 4  # the default of its compute_pairwise_p_values
_EQUAL = 1e-12  # relative difference up to which numbers count as equal, so that rounding breaks no ties
_PAIRS = 1 << 10  # of systems together: eight MiB of permuted sums
_count_inversions = kernel(statistics, "count_inversions")


def pearson(x: Floats, y: Floats) -> float:
    """Return Pearson's r."""
    return correlation("pearson", x, y)


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rho with ties: Pearson's r of the mid-ranks."""
    return correlation("spearman", x, y)


def kendall(x: Floats, y: Floats, variant: str = "b") -> float:
    """Return Kendall's tau: b corrects for ties, as SciPy does, c is for non-square tables, a has no correction."""
    if variant not in VARIANTS:
        raise BadParameter(f"the variant of Kendall's tau is a, b or c, not {variant!r}")
    return correlation("kendall" if variant == "b" else f"kendall-{variant}", x, y)


def correlation(coefficient: str, x: Floats, y: Floats) -> float:
    """Return one of COEFFICIENTS for two lists."""
    return float(correlations(coefficient, np.ravel(x)[None], np.ravel(y)[None])[0])


def explain_undefined(x: Floats, y: Floats, names: tuple[str, str] = ("first values", "second values")) -> str | None:
    """Return why the correlation of two lists is undefined, or None if it is defined."""
    both = _paired(np.ravel(x), np.ravel(y))
    count = int(both.sum())
    if count < MIN_POINTS:
        return f"{count} {'pair' if count == 1 else 'pairs'} of scores; a correlation needs at least {MIN_POINTS}"
    constant = [name for name, values in zip(names, (x, y), strict=True) if _constant(np.ravel(values)[both])]
    if not constant:
        return None
    return "; ".join(f"all {name} are equal" for name in constant)


def correlations(coefficient: str, x: Floats, y: Floats, min_points: int = MIN_POINTS) -> Floats:
    """Return the correlation of each row of x[rows, n] with that of y[rows, n]; a single row serves all of the other.

    Missing and infinite values are left out pair by pair; undefined correlations, and those of fewer than `min_points`
    points, are NaN.
    """
    compute = COEFFICIENTS.get(coefficient)
    if compute is None:
        raise BadParameter(f"a correlation is one of {', '.join(COEFFICIENTS)}, not {coefficient!r}")
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) == 1:
        x, y = y, x
    complete = int(np.isfinite(y).sum()) if len(y) == 1 else -1  # a row that serves many is ranked once
    wide = np.broadcast_to(y, x.shape)
    both = _paired(x, wide)
    sizes = both.sum(axis=1)
    values = np.full(len(x), np.nan)
    for size in np.unique(sizes[sizes >= min_points]):
        rows = np.flatnonzero(sizes == size)
        dense_x = _dense(x, both, rows, size)
        dense_y = _dense(wide, both, rows[:1] if size == complete else rows, size)
        varied = ~(_constant(dense_x) | _constant(dense_y))
        if varied.any():
            values[rows[varied]] = compute(dense_x[varied], dense_y[varied] if len(dense_y) > 1 else dense_y)
    return values


def _dense(values: Floats, both: NDArray[np.bool_], rows: NDArray[np.intp], size: int) -> Floats:
    """Return these rows without missing values, float64[rows, size]."""
    if size == values.shape[1]:
        return values[rows]
    return values[rows][both[rows]].reshape(-1, size)


def _paired(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Return where both values are finite."""
    finite: NDArray[np.bool_] = np.isfinite(x) & np.isfinite(y)
    return finite


def _constant(rows: Floats) -> NDArray[np.bool_]:
    highest, lowest = rows.max(axis=-1), rows.min(axis=-1)
    constant: NDArray[np.bool_] = highest - lowest <= _EQUAL * np.maximum(np.abs(highest), np.abs(lowest))
    return constant


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = _standardize(x), _standardize(y)
    r: Floats = np.clip(np.einsum("ij,ij->i", x, y), -1.0, 1.0)
    return r


def _standardize(rows: Floats) -> Floats:
    """Return rows with mean 0 and length 1, scaled first so that squares do not underflow."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def _spearman(x: Floats, y: Floats) -> Floats:
    return _pearson(mid_ranks(x), mid_ranks(y))


def mid_ranks(rows: Floats) -> Floats:
    """Return the ranks of each row, 1 for the lowest; equal numbers share the mean of their ranks."""
    order = np.argsort(rows, axis=1, kind="stable")
    starts, sizes = _runs(np.take_along_axis(rows, order, axis=1))
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, starts + (sizes + 1) / 2, axis=1)
    return ranks


def _runs(ordered: Floats) -> tuple[Ints, Ints]:
    """Return the start and the length of the run of equal numbers around each place of sorted rows."""
    count, n = ordered.shape
    first = np.ones((count, n), bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(first)
    run_of = np.cumsum(first.ravel()) - 1
    sizes = np.diff(starts, append=count * n)
    return (starts % n)[run_of].reshape(count, n), sizes[run_of].reshape(count, n)


def _dense_ranks(rows: Floats) -> NDArray[np.int32]:
    """Return 0, 1, 2, ... for the distinct numbers of each row, ascending."""
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
        _count_inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        pairs = n * (n - 1) // 2
        tied_x = _count_ties(np.sort(ranks_x, axis=1))
        tied_y = _count_ties(moved)
        tied_both = _count_ties(np.take_along_axis(joint, order, axis=1))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * discordant  # concordant minus discordant pairs
        classes = 1 + np.minimum(ranks_x.max(axis=1), ranks_y.max(axis=1)).astype(float)
        largest = {
            "a": np.full(len(x), float(pairs)),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }
        values: Floats = np.clip(surplus / largest[variant], -1.0, 1.0)
        return values

    return tau


def _count_ties(ordered: NDArray[np.int32] | Ints) -> Ints:
    """Return the number of equal pairs in each sorted row."""
    starts, _ = _runs(ordered)  # type: ignore[arg-type]
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
    """Kendall's tau of points (x, y) for any number of resamples; the points are sorted once, by x and then y."""

    def __init__(self, x: Floats, y: Floats, segments: NDArray[np.intp], systems: NDArray[np.intp]) -> None:
        both = _paired(x, y)
        x, y, segments, systems = x[both], y[both], segments[both], systems[both]
        order = np.lexsort((y, x))
        self.x, y, self.segments, self.systems = x[order], y[order], segments[order], systems[order]
        self.values, ranks = np.unique(y, return_inverse=True)
        self.ranks = ranks.astype(np.int32)
        new_x = np.ones(len(x), np.bool_)
        new_x[1:] = self.x[1:] != self.x[:-1]
        new_both = new_x.copy()
        new_both[1:] |= y[1:] != y[:-1]
        self.starts_x, self.starts_both = np.flatnonzero(new_x), np.flatnonzero(new_both)

    def kendall(self, variant: str, segments: NDArray[np.int16], systems: NDArray[np.int64] | None = None) -> float:
        """Return tau if segment s counts segments[s] times, and system i systems[i] times; NaN if it is undefined."""
        times = segments[self.segments].astype(np.int64)
        if systems is not None:
            times *= systems[self.systems]
        n = int(times.sum())
        drawn = np.flatnonzero(times)
        if n < MIN_POINTS or _equal(self.x[drawn[0]], self.x[drawn[-1]]):
            return np.nan
        moved = np.repeat(self.ranks, times)[None]
        discordant = np.empty(1, np.int64)
        _count_inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        if _equal(self.values[moved[0, 0]], self.values[moved[0, -1]]):
            return np.nan
        by_x = np.add.reduceat(times, self.starts_x)
        by_y = np.bincount(self.ranks, times)
        pairs = n * (n - 1) // 2
        tied_x, tied_y, tied_both = map(_pairs_within, (by_x, by_y, np.add.reduceat(times, self.starts_both)))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * int(discordant[0])
        classes = min(int((by_x > 0).sum()), int((by_y > 0).sum()))
        largest = {
            "a": float(pairs),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }[variant]
        return float(np.clip(surplus / largest, -1.0, 1.0))


def _pairs_within(sizes: NDArray[np.int64] | Floats) -> int:
    """Return the number of pairs within groups of these sizes."""
    return int((sizes * (sizes - 1)).sum()) // 2


def _equal(low: float, high: float) -> bool:
    return bool(abs(high - low) <= _EQUAL * max(abs(low), abs(high)))


# --- pairwise accuracies ---------------------------------------------------------------------------------------------


def pairwise_accuracy(metric: Floats, human: Floats) -> float:
    """Return the share of pairs of systems that both float64[systems] put in the same order (Kocmi et al. 2021).

    A pair that ties on both sides agrees, a pair that ties on one side does not. Systems without both scores are left
    out; NaN if no pair remains.
    """
    known = ~(np.isnan(metric) | np.isnan(human))
    metric, human = metric[known], human[known]
    first, second = np.triu_indices(len(metric), 1)
    if not len(first):
        return np.nan
    return float(np.mean(np.sign(metric[first] - metric[second]) == np.sign(human[first] - human[second])))


def soft_pairwise_accuracy(
    metric: Floats,
    human: Floats,
    n_permutations: int = 1000,
    seed: int = SEED,
    labels: Sequence[str] | None = None,
    *,
    symmetric: bool = False,
) -> float:
    """Return 1 - mean |p_h - p_m| over pairs of systems (Thompson et al. 2024), from two float64[systems, segments].

    p is one-sided, from paired permutations of segment scores: the share of permutations at least as extreme as the
    observed difference, without the + 1 of a test. One coin per segment and permutation serves all pairs and both
    sides; with the default seed they are the coins of mt-metrics-eval.

    Each pair is taken once, in the order of the systems, as in mt-metrics-eval. Where scores tie, p is 1 in either
    direction, so the order matters a little; with `symmetric`, each pair counts in both directions, and it does not.

    If `labels` name the documents of the segments, one coin swaps a whole document. Published tools swap segments.
    """
    missing = np.isnan(metric) | np.isnan(human)
    first, second = np.triu_indices(len(metric), 1)
    common = ~(missing[first] | missing[second])
    used = common.any(axis=1)
    if not used.any():
        return np.nan
    units = number_units(metric.shape[1], labels)
    signs = soft_signs(seed, n_permutations, int(units.max()) + 1)[:, units]
    directions = 2 if symmetric else 1
    if common.all():
        counts = [_count_pairs(side, signs)[:directions] for side in (human, metric)]
    else:
        pairs = first[used], second[used], common[used]
        counts = [_count_differences(side, *pairs, signs)[:directions] for side in (human, metric)]
    return float(1.0 - np.abs(counts[0] - counts[1]).mean() / n_permutations)


def soft_signs(seed: int, n_permutations: int, n_units: int) -> Floats:
    """Return float64[permutations, units] of 1 and -1; the default seed gives those of mt-metrics-eval."""
    draws = np.random.default_rng(_MT_METRICS_EVAL_SEED if seed == SEED else seed).random(
        (n_permutations, n_units), np.float32
    )
    return 2.0 * np.rint(draws).astype(np.float64) - 1.0


def _count_pairs(scores: Floats, signs: Floats) -> Floats:
    """Return `_count_extreme` of all pairs of systems, from sums of each system's scores with random signs."""
    first, second = np.triu_indices(len(scores), 1)
    change = (scores @ signs.T) - scores.sum(axis=1)[:, None]
    sizes = np.abs(scores).sum(axis=1)
    counts = np.empty((2, len(first)))
    for start, stop in blocks(len(first), _PAIRS):
        one, other = first[start:stop], second[start:stop]
        counts[:, start:stop] = _count_extreme(change[one] - change[other], _EQUAL * (sizes[one] + sizes[other]))
    return counts


def _count_differences(
    scores: Floats,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    common: NDArray[np.bool_],
    signs: Floats,
) -> Floats:
    """Return `_count_extreme` of these pairs of systems, on the segments that are common to both."""
    counts = np.empty((2, len(first)))
    for start, stop in blocks(len(first), _PAIRS):
        rows = slice(start, stop)
        differences = np.where(common[rows], scores[first[rows]] - scores[second[rows]], 0.0)
        change = differences @ signs.T - differences.sum(axis=1)[:, None]
        counts[:, rows] = _count_extreme(change, _EQUAL * np.abs(differences).sum(axis=1))
    return counts


def _count_extreme(change: Floats, rounding: Floats) -> Floats:
    """Return float64[2, rows]: how many permutations make a sum no lower, and no higher."""
    counts: Floats = np.stack(
        [(change >= -rounding[:, None]).sum(axis=1), (change <= rounding[:, None]).sum(axis=1)]
    ).astype(float)
    return counts


@dataclass(frozen=True)
class TieCalibration:
    """Accuracy with ties, averaged over items, at the epsilon that maximizes it on these data."""

    accuracy: float  # NaN if no item has two systems
    epsilon: float  # the smallest of the best
    items: int  # segments with two systems or more
    pairs: int


def accuracy_with_ties(metric: Floats, human: Floats, epsilon: float) -> float:
    """Return acc_eq by item (Deutsch et al. 2023): the share of pairs that both sides order alike or both call tied.

    A pair is tied for the metric if its scores differ by at most epsilon, and for people if their scores are equal.
    """
    return float(_TieCounts.of(metric, human).accuracy(np.array([epsilon]))[0])


def calibrated_ties(metric: Floats, human: Floats) -> TieCalibration:
    """Return accuracy with ties at its best epsilon.

    Accuracy can rise only where a pair that people call tied becomes tied for the metric, so the candidates are 0 and
    the metric's differences of those pairs.
    """
    counts = _TieCounts.of(metric, human)
    candidates = np.unique(np.concatenate([np.zeros(1), *(group.tied for group in counts.groups)]))
    accuracies = counts.accuracy(candidates)
    if not counts.items:
        return TieCalibration(np.nan, 0.0, 0, 0)
    best = int(np.argmax(accuracies >= accuracies.max() - _EQUAL))
    return TieCalibration(float(accuracies[best]), float(candidates[best]), counts.items, counts.pairs)


@dataclass(frozen=True, eq=False)
class _TieGroup:
    """Items with the same number of pairs, and the sorted sizes of the metric's differences."""

    pairs: int  # per item
    concordant: Floats  # of pairs that people order and the metric orders alike
    tied: Floats  # of pairs that people call tied


@dataclass(frozen=True, eq=False)
class _TieCounts:
    groups: list[_TieGroup]
    items: int
    pairs: int

    @classmethod
    def of(cls, metric: Floats, human: Floats) -> _TieCounts:
        missing = np.isnan(metric) | np.isnan(human)
        systems = (~missing).sum(axis=0)
        counts, items = np.unique(systems[systems >= 2], return_counts=True)
        groups = [
            _group_items(metric[:, systems == k], human[:, systems == k], missing[:, systems == k]) for k in counts
        ]
        pairs = counts * (counts - 1) // 2
        return cls(groups, int(items.sum()), int(pairs @ items))

    def accuracy(self, epsilons: Floats) -> Floats:
        agreed = np.zeros(len(epsilons))
        for group in self.groups:
            ordered = len(group.concordant) - np.searchsorted(group.concordant, epsilons, "right")
            agreed += (ordered + np.searchsorted(group.tied, epsilons, "right")) / group.pairs
        return agreed / self.items if self.items else np.full(len(epsilons), np.nan)


def _group_items(metric: Floats, human: Floats, missing: NDArray[np.bool_]) -> _TieGroup:
    """Return the group of items that all lack equally many systems."""
    k = len(metric) - int(missing[:, 0].sum())
    if missing.any():
        metric, human = (scores.T[~missing.T].reshape(-1, k).T for scores in (metric, human))
    order = np.argsort(-human, axis=0)  # from the best down, so that no human difference is negative
    metric, human = (np.take_along_axis(scores, order, axis=0) for scores in (metric, human))
    concordant, tied = [], []
    for system in range(k - 1):
        difference = metric[system] - metric[system + 1 :]
        equal = human[system] == human[system + 1 :]
        concordant.append(difference[(difference > 0) > equal])
        tied.append(np.abs(difference[equal]))
    return _TieGroup(k * (k - 1) // 2, np.sort(np.concatenate(concordant)), np.sort(np.concatenate(tied)))
