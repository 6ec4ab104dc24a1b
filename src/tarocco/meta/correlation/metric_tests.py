"""Tests of whether one metric correlates better with people than another, for all pairs of metrics.

perm       swaps scores of the two metrics at random: PERM-BOTH if both metrics' system scores are means of segment
           scores, else PERM-SYS, which swaps whole systems (Deutsch et al. 2021); system level only
williams   Williams' test of two Pearson correlations that share the human scores; for points in one list
bootstrap  the share of resamples in which the better metric is no longer better; any level, any coefficient

P-values are one-sided, in the direction of the observed difference. Holm's correction is applied to all pairs of
metrics and, separately, to all pairs with a sentinel, so that sentinels do not make it harder to distinguish metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, isnan, lgamma, log, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.meta.correlation.agreement import correlations, pearson
from tarocco.meta.correlation.levels import CorrelationLevel
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.meta.significance.paired_tests import holm
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.resampling import Words, coins, words

if TYPE_CHECKING:
    from concurrent.futures import Executor

TESTS = ("perm", "williams", "bootstrap")
_TINY = 1e-300
_CONVERGED = 1e-15
_EQUAL = 1e-12  # differences up to this count as zero
_DECIMALS = 12  # z-scores are of size 1; rounded, sums of the same numbers in another order are equal


# --- Student's t -----------------------------------------------------------------------------------------------------


def upper_tail(t: float, degrees: float) -> float:
    """Return the probability that Student's t is at least t."""
    if isnan(t) or degrees <= 0:
        return nan
    total = degrees + t * t
    half = _incomplete_beta(degrees / 2, 0.5, degrees / total, t * t / total) / 2
    return half if t >= 0 else 1 - half


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b), by its continued fraction (Press et al. 2007, 6.4).

    `rest` is 1 - x, which cannot be computed from x without losing digits where x is close to 1.
    """
    if x <= 0 or rest <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here, and that of the other tail fast
        return 1 - _incomplete_beta(b, a, rest, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    return front * _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c = 1 + term / c or _TINY
            d = 1 / (1 + term * d or _TINY)
            value *= c * d
        if abs(c * d - 1) < _CONVERGED:
            break
    return value


# --- Williams' test --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class WilliamsTest:
    """Williams' test for all pairs of metrics, [metrics, metrics] each."""

    t: Floats
    p_values: Floats
    points: NDArray[np.int64]  # the number of points that both metrics and people have


def williams(metrics: Floats, human: Floats) -> WilliamsTest:
    """Run Williams' test (1959) on float64[metrics, points], as Graham and Baldwin (2014) use it.

    It tests Pearson correlations that share the human scores. t has points - 3 degrees of freedom, so at least four
    points are needed.
    """
    count = len(metrics)
    t, p_values = np.full((2, count, count), np.nan)
    points = np.zeros((count, count), np.int64)
    known = ~(np.isnan(metrics) | np.isnan(human))
    for a in range(count):
        for b in range(a + 1, count):
            both = known[a] & known[b]
            x, y, z = metrics[a, both], metrics[b, both], human[both]
            points[a, b] = points[b, a] = n = len(z)
            t[a, b] = _williams_t(pearson(x, z), pearson(y, z), pearson(x, y), n)
            t[b, a] = -t[a, b]
            p_values[a, b], p_values[b, a] = upper_tail(t[a, b], n - 3), upper_tail(t[b, a], n - 3)
    return WilliamsTest(t, p_values, points)


def _williams_t(first: float, second: float, between: float, n: int) -> float:
    """Return t from each metric's correlation with people and the correlation between the metrics."""
    if n < 4 or np.isnan(first + second + between):
        return np.nan
    k = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    variance = 2 * k * (n - 1) / (n - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    difference = first - second
    if abs(difference) <= _EQUAL:  # for example the same metric on another scale
        return 0.0
    if variance <= _EQUAL**2:  # one metric is the negative of the other
        return np.nan
    return float(difference * np.sqrt((n - 1) * (1 + between) / variance))


# --- permutation tests -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """A permutation test for all pairs of metrics, float64[metrics, metrics]."""

    difference: Floats  # of the correlations with people, on the scores that both metrics have
    extreme: Floats  # how many permutations gave a difference at least as large
    n_permutations: int

    @property
    def p_values(self) -> Floats:
        """(c + 1) / (n + 1), because the observed assignment is one of the permutations."""
        return (self.extreme + 1) / (self.n_permutations + 1)


def perm_sys(
    metrics: Floats,
    human: Floats,
    coefficient: str = "pearson",
    n_permutations: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> PermutationTest:
    """Run PERM-SYS on float64[metrics, systems]: PERM-BOTH that swaps whole systems."""
    return perm_both(metrics[:, :, None], human, coefficient, n_permutations, seed, jobs, executor)


def perm_both(
    metrics: Floats,
    human: Floats,
    coefficient: str = "pearson",
    n_permutations: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> PermutationTest:
    """Run PERM-BOTH (Deutsch et al. 2021) on float64[metrics, systems, segments] and human float64[systems].

    Segment scores of both metrics are z-scored and swapped by a fair coin per system and segment; a system's score is
    the mean of its z-scores. A permuted mean is the original mean plus the swapped part of the difference, which is
    linear in the coins, so one product of the coins with the scores of all metrics serves every pair. All pairs use the
    same coins. A pair uses the scores that both metrics have, z-scored over these.
    """
    count, systems, segments = metrics.shape
    if human.shape != (systems,):
        raise InputError(f"expected human scores of {systems} systems, found {len(human)}")
    difference, extreme = np.full((2, count, count), np.nan)
    random = words(seed, n_permutations, -(-systems * segments // 64))
    patterns, pattern_of = _find_patterns(~np.isnan(metrics))
    for u in range(len(patterns)):
        for v in range(u, len(patterns)):
            first, second = (np.flatnonzero(pattern_of == w) for w in (u, v))
            chosen = np.union1d(first, second)
            means, swapped = _swap_means(metrics[chosen], patterns[u] & patterns[v], random, jobs)
            pairs = [(a, b) for a in first for b in second if a < b or u != v]
            places = [tuple(np.searchsorted(chosen, pair)) for pair in pairs]
            test = partial(_test_pair, means, swapped, human, coefficient)
            for (a, b), result in zip(pairs, map_ordered(test, places, len(places), jobs, executor), strict=True):
                difference[a, b], extreme[a, b], extreme[b, a] = result
                difference[b, a] = -difference[a, b]
    return PermutationTest(difference, extreme, n_permutations)


def _find_patterns(known: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return the distinct patterns of known scores, and the pattern of each metric."""
    numbers: dict[bytes, int] = {}
    pattern_of = np.array([numbers.setdefault(flags.tobytes(), len(numbers)) for flags in known], np.intp)
    firsts = [int(np.argmax(pattern_of == number)) for number in range(len(numbers))]
    return known[firsts], pattern_of


def _swap_means(metrics: Floats, common: NDArray[np.bool_], random: Words, jobs: int | None) -> tuple[Floats, Floats]:
    """Return mean z-scores [metrics, systems], and the part that coins swap [metrics, permutations, systems]."""
    scores = z_scored(np.where(common, metrics, np.nan))
    scores[:, ~common] = 0.0
    sizes = common.sum(axis=1)
    segments = common.shape[1]

    def swap(system: int) -> Floats:
        tossed = coins(random, system * segments, (system + 1) * segments)
        product: Floats = scores[:, system] @ tossed.T.astype(float)
        return product

    swapped = np.empty((len(metrics), len(random), len(sizes)))
    for system, product in enumerate(map_ordered(swap, range(len(sizes)), len(sizes), jobs)):
        swapped[:, :, system] = product
    with np.errstate(invalid="ignore"):  # a system without scores has no mean
        return scores.sum(axis=2) / sizes, swapped / sizes


def z_scored(metrics: Floats) -> Floats:
    """Return each metric's scores over all systems with mean 0 and standard deviation 1; a constant metric is 0."""
    flat = metrics.reshape(len(metrics), -1)
    sizes = np.maximum((~np.isnan(flat)).sum(axis=1, keepdims=True), 1)
    centered = flat - np.nansum(flat, axis=1, keepdims=True) / sizes
    spread = np.sqrt(np.nansum(centered**2, axis=1, keepdims=True) / sizes)
    largest = np.abs(np.where(np.isnan(flat), 0.0, flat)).max(axis=1, keepdims=True, initial=0.0)
    constant = spread <= _EQUAL * largest
    scores: Floats = np.where(constant, 0.0 * centered, centered / np.where(constant, 1.0, spread))
    return scores.reshape(metrics.shape)


def _test_pair(
    means: Floats, swapped: Floats, human: Floats, coefficient: str, pair: tuple[int, int]
) -> tuple[float, float, float]:
    """Return the observed difference, and how many permuted ones are at least, and at most, as large."""
    a, b = pair
    first, second = correlations(coefficient, np.round(means[[a, b]], _DECIMALS), human[None])
    difference = first - second
    if np.isnan(difference):
        return np.nan, np.nan, np.nan
    moved = swapped[b] - swapped[a]
    scores_a, scores_b = (np.round(scores, _DECIMALS) for scores in (means[a] + moved, means[b] - moved))
    null = correlations(coefficient, scores_a, human[None]) - correlations(coefficient, scores_b, human[None])
    null[np.isnan(null)] = 0.0  # a swap that makes a metric constant favors neither
    return float(difference), float((null >= difference - _EQUAL).sum()), float((null <= difference + _EQUAL).sum())


# --- all pairs of metrics --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MetricComparison:
    """The test of whether `metric` correlates better with people than `other`."""

    metric: str
    other: str
    criterion: str
    difference: float  # of the coefficients
    test: str  # perm-both, perm-sys, williams or bootstrap
    p_value: float
    p_holm: float
    significant: bool
    williams_t: float  # of Pearson's correlations, whatever the test; NaN if undefined
    williams_p: float


class MetricRanking(NamedTuple):
    """All pairs of metrics, the better one first, and the cluster of each metric (0 without a correlation)."""

    pairs: tuple[MetricComparison, ...]
    clusters: NDArray[np.int64]


@dataclass(frozen=True)
class MetricTestInput:
    """The metrics to compare with each other, their agreements with people, and these on resamples."""

    metrics: Sequence[ScoreSource]
    people: ScoreSource
    level: CorrelationLevel
    coefficient: str
    agreements: Floats  # float64[metrics]
    sentinels: NDArray[np.bool_]  # which of the metrics are sentinels
    resampled: Floats  # float64[metrics, n_resamples]


def choose_test(test: str | None, level: CorrelationLevel) -> str:
    """Return the name of the test, by default the one for this level; raise BadParameter if it does not apply."""
    chosen = test or ("perm" if level.level == "system" else "bootstrap")
    if chosen not in TESTS:
        raise BadParameter(f"test is one of {', '.join(TESTS)}, not {chosen!r}")
    if chosen == "perm" and level.level != "system":
        raise BadParameter("the permutation test is for the system level; below it, test is williams or bootstrap")
    if chosen == "williams" and level.grouping != "none":
        raise BadParameter("Williams' test is for points in one list, not for groups; with a grouping use bootstrap")
    return chosen


def compare_metrics(
    data: MetricTestInput,
    test: str,
    alpha: float,
    n_permutations: int,
    seed: int,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> MetricRanking:
    """Test every pair of metrics that have a correlation."""
    count = len(data.metrics)
    ts, williams_p = _run_williams(data)
    if test == "perm":
        p_values, names = _run_permutations(data, n_permutations, seed, jobs, executor)
    else:
        p_values = williams_p if test == "williams" else _run_bootstrap(data)
        names = np.full((count, count), test, object)
    order = np.argsort(-data.agreements, kind="stable")
    ranked = [int(metric) for metric in order if not np.isnan(data.agreements[metric])]
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    adjusted = np.full((count, count), np.nan)
    for with_sentinel in (False, True):
        family = [pair for pair in pairs if bool(data.sentinels[list(pair)].any()) == with_sentinel]
        if family:
            adjusted[tuple(zip(*family, strict=True))] = holm(np.array([p_values[pair] for pair in family]))
    comparisons = tuple(
        MetricComparison(
            *(data.metrics[a].name, data.metrics[b].name, data.people.name),
            difference,
            names[a, b],
            *(float(p_values[a, b]), float(adjusted[a, b]), bool(adjusted[a, b] <= alpha)),
            *(float(ts[a, b]), float(williams_p[a, b])),
        )
        for (a, b), difference in zip(pairs, _compute_differences(data, pairs), strict=True)
    )
    return MetricRanking(comparisons, rank_clusters(data.agreements, adjusted, alpha))


def rank_clusters(scores: Floats, p_values: Floats, alpha: float = 0.05) -> NDArray[np.int64]:
    """Return the cluster of each metric, 1 for the best, as in the WMT metrics tasks; 0 for a metric without a score.

    From the highest score down, a metric that is beaten with p <= alpha by a member of the current cluster starts the
    next cluster.
    """
    ranks = np.zeros(len(scores), np.int64)
    current: list[int] = []
    for metric in np.argsort(-scores, kind="stable"):
        if np.isnan(scores[metric]):
            break
        if not current or (p_values[current, metric] <= alpha).any():
            current = []
            ranks[metric] = ranks.max() + 1
        else:
            ranks[metric] = ranks[current[0]]
        current.append(int(metric))
    return ranks


def count_comparisons(metrics: int, sentinels: int) -> int:
    """Return the number of pairs in the larger of the two families."""
    return max(metrics * (metrics - 1) // 2, metrics * sentinels + sentinels * (sentinels - 1) // 2)


def _compute_differences(data: MetricTestInput, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the difference of the agreements of each pair, on the scores that both metrics have."""
    items = [data.level.items(source) for source in data.metrics]
    missing = [np.isnan(scores) for scores in items]
    human = data.level.items(data.people)
    differences = []
    for a, b in pairs:
        agreements = [data.agreements[a], data.agreements[b]]
        if (missing[a] != missing[b]).any():
            common = (np.where(missing[a] | missing[b], np.nan, items[m]) for m in (a, b))
            agreements = [data.level.agreement(data.coefficient, scores, human).value for scores in common]
        differences.append(float(agreements[0] - agreements[1]))
    return differences


def _run_williams(data: MetricTestInput) -> tuple[Floats, Floats]:
    """Return t and p of all pairs; NaN if points are in several lists."""
    count = len(data.metrics)
    if data.level.grouping != "none":
        return np.full((count, count), np.nan), np.full((count, count), np.nan)
    points = np.stack([data.level.items(source).ravel() for source in data.metrics])
    test = williams(points, data.level.items(data.people).ravel())
    return test.t, test.p_values


def _run_bootstrap(data: MetricTestInput) -> Floats:
    """Return (c + 1) / (n + 1), where c counts the resamples in which the first metric is not better."""
    count = len(data.metrics)
    p_values = np.full((count, count), np.nan)
    resampled = data.resampled
    for a in range(count):
        for b in range(count):
            both = ~(np.isnan(resampled[a]) | np.isnan(resampled[b]))
            if a != b and both.any():
                p_values[a, b] = (int((resampled[a] <= resampled[b])[both].sum()) + 1) / (int(both.sum()) + 1)
    return p_values


def _run_permutations(
    data: MetricTestInput, n_permutations: int, seed: int, jobs: int | None, executor: Executor | None
) -> tuple[Floats, NDArray[np.object_]]:
    """Return p-values, and which of the two permutation tests each is from."""
    settings = (data.coefficient, n_permutations, seed, jobs, executor)
    whole = np.stack([source.systems for source in data.metrics])
    p_values = perm_sys(whole, data.people.systems, *settings).p_values
    names = np.full(p_values.shape, "perm-sys", object)
    means = [m for m, source in enumerate(data.metrics) if source.is_mean]
    if len(means) > 1:
        segments = np.stack([data.metrics[m].segments for m in means])
        both = np.ix_(means, means)
        p_values[both] = perm_both(segments, data.people.systems, *settings).p_values
        names[both] = "perm-both"
    return p_values, names
