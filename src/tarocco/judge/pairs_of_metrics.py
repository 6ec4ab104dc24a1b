"""Is one metric closer to people than another, or is it luck: tests for all pairs of metrics, and ranks made of them.

Scores are goodness: higher is better. A p-value at [a, b] is one-sided: how likely is a lead of metric a over metric b
that is at least as large as the observed one, if neither leads? The diagonal, and pairs of which a metric has no
correlation, are NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.judge.correlation import correlations, pearson
from tarocco.judge.student import upper_tail
from tarocco.metrics.base import Floats
from tarocco.resample import Words, coins, words
from tarocco.run import map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Executor

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
