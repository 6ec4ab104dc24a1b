"""Tests of whether one metric agrees better with people than another, for all pairs of metrics.

perm       swaps scores of the two metrics at random.
           PERM-SYS swaps whole systems; it applies to such systems.
           PERM-BOTH swaps scores of single outputs (Deutsch et al. 2021); it applies to these systems only, and needs
           metrics whose system scores are means of segment scores.
           PERM-INPUT swaps whole segments, where the coefficient is a mean over segments; these systems only.
williams   Williams' test of two Pearson correlations that share the human scores; for points in one list
bootstrap  the difference over its bootstrap standard error, compared with Student's t; any level, any coefficient.
           It needs no more resamples for more comparisons.

Where the documents of segments are known, whole documents are swapped and redrawn: their segments are not independent.
P-values are two-sided. Holm's correction is applied to all pairs of metrics and, separately, to all pairs with a
sentinel, so that sentinels do not make it harder to distinguish metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.meta.correlation.agreement import MIN_POINTS, correlations, pearson
from tarocco.meta.correlation.levels import CorrelationLevel, item_correlations
from tarocco.meta.correlation.pairwise import ACCURACY, PAIRWISE, TIES, item_accuracies, measure_pairwise, swap_effects
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.meta.significance.distributions import upper_tail
from tarocco.meta.significance.multiple_testing import holm
from tarocco.meta.support.decision import SUCH, THESE, group_units, sum_groups
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.resampling import Words, coins, words

if TYPE_CHECKING:
    from concurrent.futures import Executor

TESTS = ("perm", "williams", "bootstrap")
_EQUAL = 1e-12  # differences up to this count as zero
_NEAR = 1e-10  # the same for correlations, whose sums of products round more
_BLOCK = 1000  # permutations computed together
_DECIMALS = 12  # z-scores are of size 1; rounded, sums of the same numbers in another order are equal


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
            p_values[a, b] = p_values[b, a] = 2 * upper_tail(abs(t[a, b]), n - 3)
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
    extreme: Floats  # how many permutations gave a difference at least as large, in either direction
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
    if coefficient == "kendall" and not _has_ties(metrics, human):
        return perm_sys_pairwise(metrics[:, :, None], human[:, None], coefficient, n_permutations, seed)
    return perm_both(metrics[:, :, None], human, coefficient, n_permutations, seed, jobs, executor)


def _has_ties(metrics: Floats, human: Floats) -> bool:
    """Return whether a swap can tie two systems, or a score is missing: then tau-b is not a mean over pairs."""
    if np.isnan(metrics).any() or np.isnan(human).any() or len(human) < MIN_POINTS:
        return True
    scores = np.round(z_scored(metrics[:, :, None])[:, :, 0], _DECIMALS)
    apart = ~np.eye(len(human), dtype=bool)
    return any(bool((first[:, None] == second)[apart].any()) for first in scores for second in scores) or len(
        np.unique(human)
    ) < len(human)


def perm_both(
    metrics: Floats,
    human: Floats,
    coefficient: str = "pearson",
    n_permutations: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    labels: Sequence[str] | None = None,
) -> PermutationTest:
    """Run PERM-BOTH (Deutsch et al. 2021) on float64[metrics, systems, segments] and human float64[systems].

    Segment scores of both metrics are z-scored and swapped by a fair coin per system and segment; a system's score is
    the mean of its z-scores. A permuted mean is the original mean plus the swapped part of the difference, which is
    linear in the coins, so one product of the coins with the scores of all metrics serves every pair. All pairs use the
    same coins. A pair uses the scores that both metrics have, z-scored over these. If `labels` name the documents of
    the segments, a coin swaps all scores of a system in a document. More than 400 such units are combined into so many
    random groups, which are swapped as wholes.
    """
    count, systems, segments = metrics.shape
    if human.shape != (systems,):
        raise InputError(f"expected human scores of {systems} systems, found {len(human)}")
    difference, extreme = np.full((2, count, count), np.nan)
    groups = group_units(segments, labels)
    random = words(seed, n_permutations, -(-systems * (int(groups.max()) + 1) // 64))
    patterns, pattern_of = _find_patterns(~np.isnan(metrics))
    for u in range(len(patterns)):
        for v in range(u, len(patterns)):
            first, second = (np.flatnonzero(pattern_of == w) for w in (u, v))
            chosen = np.union1d(first, second)
            means, swapped = _swap_means(metrics[chosen], patterns[u] & patterns[v], groups, random, jobs)
            pairs = [(a, b) for a in first for b in second if a < b or u != v]
            places = [tuple(np.searchsorted(chosen, pair)) for pair in pairs]
            test = partial(_test_pair, means, swapped, human, coefficient)
            for (a, b), result in zip(pairs, map_ordered(test, places, len(places), jobs, executor), strict=True):
                difference[a, b], extreme[a, b] = result
                difference[b, a], extreme[b, a] = -difference[a, b], extreme[a, b]
    return PermutationTest(difference, extreme, n_permutations)


def _find_patterns(known: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return the distinct patterns of known scores, and the pattern of each metric."""
    numbers: dict[bytes, int] = {}
    pattern_of = np.array([numbers.setdefault(flags.tobytes(), len(numbers)) for flags in known], np.intp)
    firsts = [int(np.argmax(pattern_of == number)) for number in range(len(numbers))]
    return known[firsts], pattern_of


def _swap_means(
    metrics: Floats, common: NDArray[np.bool_], groups: NDArray[np.intp], random: Words, jobs: int | None
) -> tuple[Floats, Floats]:
    """Return mean z-scores [metrics, systems], and the part that coins swap [metrics, permutations, systems]."""
    scores = z_scored(np.where(common, metrics, np.nan))
    scores[:, ~common] = 0.0
    sizes = common.sum(axis=1)
    n_groups = int(groups.max()) + 1

    def swap(system: int) -> Floats:
        tossed = coins(random, system * n_groups, (system + 1) * n_groups).astype(float)
        product: Floats = (tossed @ sum_groups(scores[:, system], groups)).T
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
) -> tuple[float, float]:
    """Return the observed difference, and how many permuted ones are at least as large in either direction."""
    a, b = pair
    first, second = correlations(coefficient, np.round(means[[a, b]], _DECIMALS), human[None])
    difference = first - second
    if np.isnan(difference):
        return np.nan, np.nan
    moved = swapped[b] - swapped[a]
    if coefficient == "pearson":
        null = _correlate_rows(means[a] + moved, human) - _correlate_rows(means[b] - moved, human)
    else:
        scores_a, scores_b = (np.round(scores, _DECIMALS) for scores in (means[a] + moved, means[b] - moved))
        null = correlations(coefficient, scores_a, human[None]) - correlations(coefficient, scores_b, human[None])
    null[np.isnan(null)] = 0.0  # a swap that makes a metric constant favors neither
    return float(difference), float((np.abs(null) >= abs(difference) - _NEAR).sum())


def _correlate_rows(rows: Floats, human: Floats) -> Floats:
    """Return Pearson's r of each row with people, NaN for a constant row. Rows are z-scores, of size 1."""
    known = ~np.isnan(human + rows[0])
    rows, people = rows[:, known], human[known] - human[known].mean()
    rows = rows - rows.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", rows, rows)
    varied = spread > len(people) * _EQUAL**2
    values: Floats = (rows @ people) / np.sqrt(np.where(varied, spread, 1.0) * (people @ people))
    return np.where(varied, values, np.nan)


def perm_sys_pairwise(
    metrics: Floats,
    human: Floats,
    coefficient: str,
    n_permutations: int = 1000,
    seed: int = 0,
    labels: Sequence[str] | None = None,
) -> PermutationTest:
    """Run PERM-SYS for a coefficient that counts pairs of systems, with the same coins as `perm_sys`.

    `metrics` is float64[metrics, systems, segments] and `human` float64[systems, segments]; for accuracy there is one
    segment, the system's score. Scores of each metric are z-scored. A pair of metrics uses the outputs that both score.
    `labels` are the segments' documents, which the p-values of SPA swap as wholes.
    """
    count, systems, _ = metrics.shape
    difference, extreme = np.full((2, count, count), np.nan)
    signs = 1.0 - 2.0 * coins(words(seed, n_permutations, -(-systems // 64)), 0, systems).astype(float)
    patterns, pattern_of = _find_patterns(~np.isnan(metrics))
    for u in range(len(patterns)):
        for v in range(u, len(patterns)):
            first, second = (np.flatnonzero(pattern_of == w) for w in (u, v))
            pairs = [(a, b) for a in first.tolist() for b in second.tolist() if a < b or u != v]
            common = patterns[u] & patterns[v] & ~np.isnan(human)
            if not pairs or common.any(axis=1).sum() < 2:
                continue
            scores = np.nan_to_num(z_scored(np.where(common, metrics, np.nan)))
            effects = swap_effects(coefficient, scores, np.where(common, human, np.nan), pairs, labels)
            places = tuple(np.array(pairs).T)
            difference[places] = effects.sum(axis=1)
            extreme[places] = _count_flipped(effects.T, signs)
            difference[places[::-1]], extreme[places[::-1]] = -difference[places], extreme[places]
    return PermutationTest(difference, extreme, n_permutations)


def perm_input(
    values: Floats, n_permutations: int = 1000, seed: int = 0, labels: Sequence[str] | None = None
) -> PermutationTest:
    """Run PERM-INPUT on coefficients of segments, float64[metrics, segments], NaN where undefined.

    Swapping all scores of a segment swaps its coefficients, so the null distribution is that of the mean difference
    with random signs. If `labels` name the documents of the segments, the signs of a document flip together. More than
    400 such units are combined into so many random groups.
    """
    count, segments = values.shape
    difference, extreme = np.full((2, count, count), np.nan)
    places = np.triu_indices(count, 1)
    if not len(places[0]):
        return PermutationTest(difference, extreme, n_permutations)
    gaps = values[places[0]] - values[places[1]]
    both = ~np.isnan(gaps)
    sizes = both.sum(axis=1)
    groups = group_units(segments, labels)
    effects = sum_groups(np.where(both, gaps, 0.0) / np.maximum(sizes, 1)[:, None], groups)
    n_groups = len(effects)
    signs = 1.0 - 2.0 * coins(words(seed, n_permutations, -(-n_groups // 64)), 0, n_groups).astype(float)
    difference[places] = np.where(sizes > 0, effects.sum(axis=0), np.nan)
    extreme[places] = np.where(sizes > 0, _count_flipped(effects, signs), np.nan)
    difference[places[::-1]], extreme[places[::-1]] = -difference[places], extreme[places]
    return PermutationTest(difference, extreme, n_permutations)


def _count_flipped(effects: Floats, signs: Floats) -> Floats:
    """Return for each column of effects[units, pairs] how many rows of signs make its sum as large as observed."""
    least = np.abs(effects.sum(axis=0)) - _EQUAL * np.abs(effects).sum(axis=0)
    extreme = np.zeros(effects.shape[1])
    for start in range(0, len(signs), _BLOCK):
        extreme += (np.abs(signs[start : start + _BLOCK] @ effects) >= least).sum(axis=0)
    return extreme


# --- all pairs of metrics --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MetricComparison:
    """The test of whether `metric` correlates better with people than `other`."""

    metric: str
    other: str
    criterion: str
    difference: float  # of the coefficients
    test: str  # perm-sys, perm-both, perm-input, williams or bootstrap
    p_value: float
    p_holm: float
    significant: bool
    williams_t: float  # of Pearson's correlations, whatever the test; NaN if undefined
    williams_p: float
    population: str = THESE  # that the test applies to


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
    population: str = THESE  # that the resamples apply to


def choose_test(test: str | None, level: CorrelationLevel, population: str) -> str:
    """Return the name of the test, by default the one for this level; raise BadParameter if it does not apply."""
    by_item = level.level == "segment" and level.grouping == "item"
    swaps = level.level == "system" or (by_item and population == THESE)
    chosen = test or ("perm" if swaps else "bootstrap")
    if chosen not in TESTS:
        raise BadParameter(f"test is one of {', '.join(TESTS)}, not {chosen!r}")
    if chosen == "perm" and not swaps:
        raise BadParameter(
            "the permutation test is for the system level, and for segments grouped by item if it applies to these "
            "systems; otherwise test is bootstrap"
        )
    if chosen == "williams" and level.level == "document":
        raise BadParameter(
            "Williams' test needs independent points, and pseudo-documents share segments: use bootstrap, which draws "
            "the segments"
        )
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
    names = np.full((count, count), test, object)
    if test == "perm" and data.level.level == "segment":
        p_values, names = _swap_segments(data, n_permutations, seed), np.full((count, count), "perm-input", object)
    elif test == "perm":
        p_values, names = _swap_systems(data, n_permutations, seed, jobs, executor)
    else:
        p_values = williams_p if test == "williams" else _run_bootstrap(data)
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
            _population_of(names[a, b], data),
        )
        for (a, b), difference in zip(pairs, _compute_differences(data, pairs), strict=True)
    )
    return MetricRanking(comparisons, rank_clusters(data.agreements, adjusted, alpha))


def _population_of(test: str, data: MetricTestInput) -> str:
    """Return the population that a test applies to."""
    if test == "bootstrap":
        return data.population
    return SUCH if test == "perm-sys" or (test == "williams" and data.level.level == "system") else THESE


def rank_clusters(scores: Floats, p_values: Floats, alpha: float = 0.05) -> NDArray[np.int64]:
    """Return the cluster of each metric, 1 for the best; 0 for a metric without a score.

    There is a boundary only where every metric above it is significantly better than every metric below it, each pair
    by a test of its own: `p_values`[better, worse] <= alpha.
    """
    ranks = np.zeros(len(scores), np.int64)
    order = [int(m) for m in np.argsort(-scores, kind="stable") if not np.isnan(scores[m])]
    above = p_values <= alpha  # NaN is not
    cluster = 1
    for place, metric in enumerate(order):
        if place and above[np.ix_(order[:place], order[place:])].all():
            cluster += 1
        ranks[metric] = cluster
    return ranks


def count_comparisons(metrics: int, sentinels: int) -> int:
    """Return the number of pairs in the larger of the two families."""
    return max(metrics * (metrics - 1) // 2, metrics * sentinels + sentinels * (sentinels - 1) // 2)


def _compute_differences(data: MetricTestInput, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the difference of the agreements of each pair, on the scores that both metrics have."""
    if data.coefficient in PAIRWISE:
        return [_compare_pairwise(data, a, b) for a, b in pairs]
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


def _compare_pairwise(data: MetricTestInput, a: int, b: int) -> float:
    difference = float(data.agreements[a] - data.agreements[b])
    if data.coefficient != ACCURACY:
        return difference
    sources = data.metrics[a], data.metrics[b]
    common = np.flatnonzero(~np.isnan(sources[0].systems + sources[1].systems)).tolist()
    if len(common) == len(data.people.systems):
        return difference
    people = data.people.select(common)
    values = [measure_pairwise(data.coefficient, source.select(common), people, 0).value for source in sources]
    return values[0] - values[1]


def _run_williams(data: MetricTestInput) -> tuple[Floats, Floats]:
    """Return t and p of all pairs; NaN if points are in several lists, or documents that share segments."""
    count = len(data.metrics)
    if data.level.grouping != "none" or data.level.level == "document":
        return np.full((count, count), np.nan), np.full((count, count), np.nan)
    points = np.stack([data.level.items(source).ravel() for source in data.metrics])
    test = williams(points, data.level.items(data.people).ravel())
    return test.t, test.p_values


def _run_bootstrap(data: MetricTestInput) -> Floats:
    """Return p-values of differences over their bootstrap standard errors (Efron and Tibshirani 1993, ch. 12).

    The degrees of freedom are those of the units: systems for such systems; segments or documents for these systems.
    """
    count, units = len(data.metrics), _count_units(data)
    p_values = np.full((count, count), np.nan)
    for a in range(count):
        gaps = data.resampled[a] - data.resampled
        for b in range(a + 1, count):
            known = gaps[b][~np.isnan(gaps[b])]
            difference = abs(data.agreements[a] - data.agreements[b])
            if len(known) < 2 or np.isnan(difference):
                continue
            error = known.std() * np.sqrt(units / (units - 1))
            if error <= _EQUAL:  # the two metrics never differ, or always by the same amount
                p_values[a, b] = 1.0 if difference <= _EQUAL else np.nan
            else:
                p_values[a, b] = 2 * upper_tail(difference / error, units - 1)
            p_values[b, a] = p_values[a, b]
    return p_values


def _count_units(data: MetricTestInput) -> int:
    if data.population == SUCH:
        return max(2, len(data.people.systems))
    sources = (data.people, *data.metrics)
    segments = next((s.statistics.shape[1] for s in sources if s.statistics is not None), 2)
    return max(2, segments if data.level.labels is None else len(set(data.level.labels)))


def _swap_segments(data: MetricTestInput, n_permutations: int, seed: int) -> Floats:
    """Return p-values of PERM-INPUT."""
    values = [
        item_accuracies(source, data.people)
        if data.coefficient == TIES
        else item_correlations(data.coefficient, source, data.people)
        for source in data.metrics
    ]
    return perm_input(np.array(values), n_permutations, seed, data.level.labels).p_values


def _swap_systems(
    data: MetricTestInput, n_permutations: int, seed: int, jobs: int | None, executor: Executor | None
) -> tuple[Floats, NDArray[np.object_]]:
    """Return p-values of swaps, and which test each is from: PERM-SYS, or PERM-BOTH for these systems if it applies."""
    count = len(data.metrics)
    names = np.full((count, count), "perm-sys", object)
    settings = (data.coefficient, n_permutations, seed)
    if data.coefficient in PAIRWISE:
        return _swap_pairwise(data, n_permutations, seed), names
    means = [m for m, source in enumerate(data.metrics) if source.is_mean] if data.population == THESE else []
    p_values = np.full((count, count), np.nan)
    if len(means) < count:
        whole = np.stack([source.systems for source in data.metrics])
        p_values = perm_sys(whole, data.people.systems, *settings, jobs, executor).p_values
    if len(means) > 1:
        segments = np.stack([data.metrics[m].segments for m in means])
        both = np.ix_(means, means)
        p_values[both] = perm_both(segments, data.people.systems, *settings, jobs, executor, data.level.labels).p_values
        names[both] = "perm-both"
    return p_values, names


def _swap_pairwise(data: MetricTestInput, n_permutations: int, seed: int) -> Floats:
    if data.coefficient == ACCURACY:
        whole = np.stack([source.systems for source in data.metrics])[:, :, None]
        return perm_sys_pairwise(whole, data.people.systems[:, None], ACCURACY, n_permutations, seed).p_values
    count = len(data.metrics)
    p_values = np.full((count, count), np.nan)
    usable = [m for m, source in enumerate(data.metrics) if source.statistics is not None]
    segments = np.stack([data.metrics[m].segments for m in usable])
    human = data.people.segments
    p_values[np.ix_(usable, usable)] = perm_sys_pairwise(
        segments, human, data.coefficient, n_permutations, seed, data.level.labels
    ).p_values
    return p_values
