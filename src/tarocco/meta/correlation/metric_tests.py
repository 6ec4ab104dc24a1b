"""Which metric is closer to people than which, and is it luck: one test for all pairs of metrics, and ranks from it.

perm       scores of the two metrics are swapped at random: PERM-BOTH where both metrics' system scores are means of
           their segments' scores, else PERM-SYS, which swaps whole systems (Deutsch et al. 2021); system level only
williams   Williams' test of two Pearson correlations that share the human side; where all points are in one list
bootstrap  on resampled segments, the share in which the lead is gone: any level, any coefficient

A p-value is one-sided, of the lead that was seen. Holm's correction is for all pairs of metrics, and by itself for all
pairs with a sentinel: whether metrics know more than chance does not make it harder to tell them apart.
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

_TINY = 1e-300
_CLOSE = 1e-15


def upper_tail(t: float, degrees: float) -> float:
    """The probability of a value of at least t."""
    if isnan(t) or degrees <= 0:
        return nan
    whole = degrees + t * t
    half = _incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole) / 2
    return half if t >= 0 else 1 - half


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularized incomplete beta function I_x(a, b), by its continued fraction (Press et al. 2007, 6.4).

    `rest` is 1 - x, which has lost its digits where x is close to 1.
    """
    if x <= 0 or rest <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, the other tail's converges fast
        return 1 - _incomplete_beta(b, a, rest, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    return front * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """By Lentz's method."""
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
        if abs(c * d - 1) < _CLOSE:
            break
    return value


_EQUAL = 1e-12
_DECIMALS = 12  # z-scores are of size 1; sums of the same numbers in another order are equal


@dataclass(frozen=True, eq=False)
class Williams:
    """Williams' test for all pairs of metrics."""

    t: Floats
    p_values: Floats
    points: NDArray[np.int64]  # that both metrics and people have


def williams(metrics: Floats, human: Floats) -> Williams:
    """Williams' test (1959) of Pearson correlations that share the human side, from float64[metrics, points].

    As Graham and Baldwin (2014) use it; t has points - 3 degrees of freedom, so at least four points are needed.
    """
    count = len(metrics)
    t, p_values = np.full((2, count, count), np.nan)
    points = np.zeros((count, count), np.int64)
    there = ~(np.isnan(metrics) | np.isnan(human))
    for a in range(count):
        for b in range(a + 1, count):
            both = there[a] & there[b]
            x, y, z = metrics[a, both], metrics[b, both], human[both]
            points[a, b] = points[b, a] = n = len(z)
            t[a, b] = _williams_t(pearson(x, z), pearson(y, z), pearson(x, y), n)
            t[b, a] = -t[a, b]
            p_values[a, b], p_values[b, a] = upper_tail(t[a, b], n - 3), upper_tail(t[b, a], n - 3)
    return Williams(t, p_values, points)


def _williams_t(first: float, second: float, between: float, n: int) -> float:
    """From each metric's correlation with people and the metrics' correlation with each other."""
    if n < 4 or np.isnan(first + second + between):
        return np.nan
    k = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    below = 2 * k * (n - 1) / (n - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    lead = first - second
    if abs(lead) <= _EQUAL:  # the same metric on another scale, perhaps
        return 0.0
    if below <= _EQUAL**2:  # one is the other upside down
        return np.nan
    return float(lead * np.sqrt((n - 1) * (1 + between) / below))


@dataclass(frozen=True, eq=False)
class Permuted:
    """A permutation test for all pairs of metrics: float64[metrics, metrics]."""

    lead: Floats  # how much higher the correlation of the first metric with people is, on the scores that both have
    no_less: Floats  # how many permutations gave a lead that is no less
    n_permutations: int

    @property
    def p_values(self) -> Floats:
        """(c + 1) / (n + 1): what was observed is one of the ways in which scores could have been swapped."""
        return (self.no_less + 1) / (self.n_permutations + 1)


def perm_sys(
    metrics: Floats,
    human: Floats,
    coefficient: str = "pearson",
    n_permutations: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> Permuted:
    """PERM-SYS: PERM-BOTH for float64[metrics, systems], where systems have no segment scores: whole systems swap."""
    return perm_both(metrics[:, :, None], human, coefficient, n_permutations, seed, jobs, executor)


def perm_both(
    metrics: Floats,
    human: Floats,
    coefficient: str = "pearson",
    n_permutations: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> Permuted:
    """PERM-BOTH (Deutsch et al. 2021) from float64[metrics, systems, segments] and people's float64[systems].

    Both metrics' segment scores are z-scored and swapped by a fair coin for each system and segment; a system's score
    is the mean of its z-scores. A permuted mean is the plain one plus the swapped part of the difference, which is
    linear in the coins: one product of the coins with all metrics' scores serves every pair. All pairs see the same
    coins. A pair uses the scores that both metrics have, z-scored over these.
    """
    count, systems, segments = metrics.shape
    if human.shape != (systems,):
        raise InputError(f"people's scores are of {len(human)} systems, the metrics' of {systems}")
    lead, no_less = np.full((2, count, count), np.nan)
    random = words(seed, n_permutations, -(-systems * segments // 64))
    patterns, pattern_of = _patterns(~np.isnan(metrics))
    for u in range(len(patterns)):
        for v in range(u, len(patterns)):
            ours, theirs = (np.flatnonzero(pattern_of == w) for w in (u, v))
            chosen = np.union1d(ours, theirs)
            means, swapped = _means(metrics[chosen], patterns[u] & patterns[v], random, jobs)
            pairs = [(a, b) for a in ours for b in theirs if a < b or u != v]
            places = [tuple(np.searchsorted(chosen, pair)) for pair in pairs]
            test = partial(_test, means, swapped, human, coefficient)
            for (a, b), result in zip(pairs, map_ordered(test, places, len(places), jobs, executor), strict=True):
                lead[a, b], no_less[a, b], no_less[b, a] = result
                lead[b, a] = -lead[a, b]
    return Permuted(lead, no_less, n_permutations)


def _patterns(there: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """The distinct ways in which metrics have scores, and which of them each metric has."""
    seen: dict[bytes, int] = {}
    pattern_of = np.array([seen.setdefault(one.tobytes(), len(seen)) for one in there], np.intp)
    firsts = [int(np.argmax(pattern_of == number)) for number in range(len(seen))]
    return there[firsts], pattern_of


def _means(metrics: Floats, common: NDArray[np.bool_], random: Words, jobs: int | None) -> tuple[Floats, Floats]:
    """Mean z-scores [metrics, systems], and the part of them that coins swap [metrics, permutations, systems]."""
    scores = z_scored(np.where(common, metrics, np.nan))
    scores[:, ~common] = 0.0
    sizes = common.sum(axis=1)
    segments = common.shape[1]

    def part(system: int) -> Floats:
        tossed = coins(random, system * segments, (system + 1) * segments)
        product: Floats = scores[:, system] @ tossed.T.astype(float)
        return product

    swapped = np.empty((len(metrics), len(random), len(sizes)))
    for system, product in enumerate(map_ordered(part, range(len(sizes)), len(sizes), jobs)):
        swapped[:, :, system] = product
    with np.errstate(invalid="ignore"):  # a system without scores has no mean
        return scores.sum(axis=2) / sizes, swapped / sizes


def z_scored(metrics: Floats) -> Floats:
    """Each metric's scores, all systems together, with mean 0 and standard deviation 1; a constant metric is 0."""
    flat = metrics.reshape(len(metrics), -1)
    sizes = np.maximum((~np.isnan(flat)).sum(axis=1, keepdims=True), 1)
    centered = flat - np.nansum(flat, axis=1, keepdims=True) / sizes
    spread = np.sqrt(np.nansum(centered**2, axis=1, keepdims=True) / sizes)
    largest = np.abs(np.where(np.isnan(flat), 0.0, flat)).max(axis=1, keepdims=True, initial=0.0)
    constant = spread <= _EQUAL * largest
    scores: Floats = np.where(constant, 0.0 * centered, centered / np.where(constant, 1.0, spread))
    return scores.reshape(metrics.shape)


def _test(
    means: Floats, swapped: Floats, human: Floats, coefficient: str, pair: tuple[int, int]
) -> tuple[float, float, float]:
    """The first metric's lead over the second, and how many permutations lead, or trail, by no less."""
    a, b = pair
    first, second = correlations(coefficient, np.round(means[[a, b]], _DECIMALS), human[None])
    lead = first - second
    if np.isnan(lead):
        return np.nan, np.nan, np.nan
    moved = swapped[b] - swapped[a]
    ours, theirs = (np.round(scores, _DECIMALS) for scores in (means[a] + moved, means[b] - moved))
    null = correlations(coefficient, ours, human[None]) - correlations(coefficient, theirs, human[None])
    null[np.isnan(null)] = 0.0  # a swap that makes a metric constant gives neither a lead
    return float(lead), float((null >= lead - _EQUAL).sum()), float((null <= lead + _EQUAL).sum())


def rank_clusters(scores: Floats, p_values: Floats, alpha: float = 0.05) -> NDArray[np.int64]:
    """The cluster of each metric, 1 for the best, as in the WMT metrics tasks; 0 for a metric without a score.

    From the highest score down, a metric that one in the current cluster beats with p up to alpha begins the next one.
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


TESTS = ("perm", "williams", "bootstrap")


@dataclass(frozen=True)
class MetricComparison:
    """How much closer to people one metric is than another."""

    metric: str
    other: str
    criterion: str
    lead: float  # of the coefficient
    test: str  # perm-both, perm-sys, williams or bootstrap
    p_value: float
    p_holm: float
    significant: bool
    williams_t: float  # of Pearson's correlations, whatever the test was; NaN where there is none
    williams_p: float


class MetricRanking(NamedTuple):
    """All pairs of metrics, the closer one first, and the cluster of each metric (0: it has no correlation)."""

    pairs: tuple[MetricComparison, ...]
    clusters: NDArray[np.int64]


@dataclass(frozen=True)
class MetricTestInput:
    """Metrics that are compared: both sides, what the agreements are, and what is known of them from resamples."""

    metrics: Sequence[ScoreSource]
    people: ScoreSource
    view: CorrelationLevel
    coefficient: str
    agreements: Floats  # float64[metrics]
    sentinels: NDArray[np.bool_]  # which of them are no metrics
    resampled: Floats  # float64[metrics, n_resamples]


def check_test(test: str | None, view: CorrelationLevel) -> str:
    """The test that was asked for, or the one for this level."""
    chosen = test or ("perm" if view.level == "system" else "bootstrap")
    if chosen not in TESTS:
        raise BadParameter(f"test is one of {', '.join(TESTS)}, not {chosen!r}")
    if chosen == "perm" and view.level != "system":
        raise BadParameter("the permutation test is for the system level; below it, test is williams or bootstrap")
    if chosen == "williams" and view.grouping != "none":
        raise BadParameter("Williams' test is for one list of points: there is none with a grouping; test is bootstrap")
    return chosen


def compare_metrics(
    rivals: MetricTestInput,
    test: str,
    alpha: float,
    n_permutations: int,
    seed: int,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> MetricRanking:
    """Every pair of metrics that have a correlation, tested."""
    count = len(rivals.metrics)
    ts, williams_p = _williams(rivals)
    if test == "perm":
        p_values, names = _permuted(rivals, n_permutations, seed, jobs, executor)
    else:
        p_values = williams_p if test == "williams" else _bootstrapped(rivals)
        names = np.full((count, count), test, object)
    order = np.argsort(-rivals.agreements, kind="stable")
    ranked = [int(metric) for metric in order if not np.isnan(rivals.agreements[metric])]
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    adjusted = np.full((count, count), np.nan)
    for with_sentinel in (False, True):
        family = [pair for pair in pairs if bool(rivals.sentinels[list(pair)].any()) == with_sentinel]
        if family:
            adjusted[tuple(zip(*family, strict=True))] = holm(np.array([p_values[pair] for pair in family]))
    found = tuple(
        MetricComparison(
            *(rivals.metrics[a].name, rivals.metrics[b].name, rivals.people.name),
            lead,
            names[a, b],
            *(float(p_values[a, b]), float(adjusted[a, b]), bool(adjusted[a, b] <= alpha)),
            *(float(ts[a, b]), float(williams_p[a, b])),
        )
        for (a, b), lead in zip(pairs, _leads(rivals, pairs), strict=True)
    )
    return MetricRanking(found, rank_clusters(rivals.agreements, adjusted, alpha))


def count_comparisons(metrics: int, sentinels: int) -> int:
    """How many pairs the larger of the two families has."""
    return max(metrics * (metrics - 1) // 2, metrics * sentinels + sentinels * (sentinels - 1) // 2)


def _leads(rivals: MetricTestInput, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """How much higher the first agreement of each pair is, on the scores that both metrics have."""
    items = [rivals.view.items(side) for side in rivals.metrics]
    missing = [np.isnan(own) for own in items]
    human = rivals.view.items(rivals.people)
    found = []
    for a, b in pairs:
        agreements = [rivals.agreements[a], rivals.agreements[b]]
        if (missing[a] != missing[b]).any():
            common = (np.where(missing[a] | missing[b], np.nan, items[m]) for m in (a, b))
            agreements = [rivals.view.agreement(rivals.coefficient, own, human).value for own in common]
        found.append(float(agreements[0] - agreements[1]))
    return found


def _williams(rivals: MetricTestInput) -> tuple[Floats, Floats]:
    """t and p of all pairs; NaN where points are in several lists."""
    count = len(rivals.metrics)
    if rivals.view.grouping != "none":
        return np.full((count, count), np.nan), np.full((count, count), np.nan)
    points = np.stack([rivals.view.items(side).ravel() for side in rivals.metrics])
    tested = williams(points, rivals.view.items(rivals.people).ravel())
    return tested.t, tested.p_values


def _bootstrapped(rivals: MetricTestInput) -> Floats:
    """The share of resamples in which a lead is gone, with one more for what was observed."""
    count = len(rivals.metrics)
    p_values = np.full((count, count), np.nan)
    drawn = rivals.resampled
    for a in range(count):
        for b in range(count):
            both = ~(np.isnan(drawn[a]) | np.isnan(drawn[b]))
            if a != b and both.any():
                p_values[a, b] = (int((drawn[a] <= drawn[b])[both].sum()) + 1) / (int(both.sum()) + 1)
    return p_values


def _permuted(
    rivals: MetricTestInput, n_permutations: int, seed: int, jobs: int | None, executor: Executor | None
) -> tuple[Floats, NDArray[np.object_]]:
    """p-values, and which of the two tests each is from."""
    settings = (rivals.coefficient, n_permutations, seed, jobs, executor)
    whole = np.stack([side.systems for side in rivals.metrics])
    p_values = perm_sys(whole, rivals.people.systems, *settings).p_values
    names = np.full(p_values.shape, "perm-sys", object)
    means = [m for m, side in enumerate(rivals.metrics) if side.is_mean]
    if len(means) > 1:
        segments = np.stack([rivals.metrics[m].segments for m in means])
        both = np.ix_(means, means)
        p_values[both] = perm_both(segments, rivals.people.systems, *settings).p_values
        names[both] = "perm-both"
    return p_values, names
