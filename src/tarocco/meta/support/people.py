"""Do human scores support a metric? Supported, refuted or open.

Every coefficient here is a weighted mean over pairs of systems. Redrawn systems are then weights on pairs, and permuted
system labels are a lookup.

SPA               soft pairwise accuracy, where people scored segments: the mean of 1 - |p_metric - p_human|, with
                  p-values of a paired test of the two systems (Thompson et al. 2024). The test is the normal
                  approximation of the permutation test that flips the signs of segment differences.
accuracy          the share of pairs that metric and people order alike (Kocmi et al. 2021), where people scored whole
                  systems. A tie of the metric counts one half; a pair that people tie does not count.
segment accuracy  the same for the outputs of each segment.

Two tests are special to people. Agreement must exceed chance: the system labels of the human scores are permuted. It
must exceed what output length explains. docs/trial.md explains the rules; docs/calibration.md shows how often they err.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, permutations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.correlation.agreement import mid_ranks
from tarocco.meta.correlation.score_sources import ScoreSource, make_source
from tarocco.meta.support.decision import (
    MOST_SYSTEMS,
    RULES,
    SUCH,
    THESE,
    JudgeEvidence,
    Support,
    SupportRules,
    add_draws,
    decide,
    describe_needed,
    group_units,
    is_close,
    round_up,
    step_down_max,
    sum_groups,
)
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import count_draws, sum_units, words

Orders = NDArray[np.intp]

CHANCE, LENGTH = "better than chance", "better than output length"
LEAST_SYSTEMS = 6  # with fewer, no order of systems is unlikely enough
ENUMERATED = 5  # all orders of the systems are enumerated if they are at most this many times the permutations
MOST_CELLS = 1 << 18  # numbers in one array of draws or orders and pairs of systems: caches hold 2 MiB
QUICK: dict[str, Any] = {  # rules for a decision that is repeated on resampled data
    "n_draws": 100,
    "most_draws": 100,
    "n_permutations": 500,
    "most_groups": 100,
    "caution": 0.0,
}
_DECIMALS = 10


# --- agreement on pairs of systems ---


class PairAgreement:
    """Agreement of metrics with people on pairs of systems: as observed, redrawn or permuted.

    `labels` are the documents of the segments, if known: documents are redrawn as wholes, and the p-values of SPA swap
    them as wholes. Systems with the same number
    in `origins` are copies of one system: a pair of them does not count.
    """

    def __init__(
        self,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        level: str,
        labels: Sequence[str] | None = None,
        rules: SupportRules = RULES,
        origins: Sequence[int] | None = None,
    ) -> None:
        self.metrics, self.people, self.level = list(metrics), people, level
        self.n_systems = len(people.systems)
        _, self.representatives, self.origins = np.unique(
            np.arange(self.n_systems) if origins is None else origins, return_index=True, return_inverse=True
        )
        self.first, self.second = np.triu_indices(self.n_systems, 1)
        self.pair_weights = (self.origins[self.first] != self.origins[self.second]).astype(float)
        self.by_segment = people.statistics is not None
        self.coefficient = "segment accuracy" if level == "segment" else "SPA" if self.by_segment else "accuracy"
        statistics = next((s.statistics for s in (people, *metrics) if s.statistics is not None), None)
        self.n_segments = 1 if statistics is None else statistics.shape[1]
        self.groups = group_units(self.n_segments, labels, rules.most_groups)
        self.human: Floats | None = None
        self.differences: list[Floats] = []
        if self.by_segment:
            human = self._differences(people)
            judged = ~np.isnan(human)  # segments that people did not judge in both systems do not count
            self.human = np.where(judged, human, 0.0)
            rows = (self._differences(source) for source in metrics)
            self.differences = [np.where(judged, np.nan_to_num(differences), 0.0) for differences in rows]
            if level != "segment":  # p-values swap whole documents, so that only their sums matter
                self.human, *self.differences = (sum_units(d.T, labels).T for d in (self.human, *self.differences))
                self.groups = group_units(self.human.shape[1], None, rules.most_groups)

    def _differences(self, source: ScoreSource) -> Floats:
        """Return score differences of each pair in each segment, [pairs, segments]."""
        return source.segments[self.first] - source.segments[self.second]

    def observed(self) -> Floats:
        """Return the coefficient of each metric."""
        everything = np.ones((1, int(self.groups.max()) + 1))
        values: Floats = self._coefficients(everything, self.pair_weights[None])[0]
        return values

    def redraw(self, seed: int, count: int, systems: bool) -> Floats:
        """Return coefficients on redrawn groups of segments, and systems if `systems`, [count, metrics]."""
        redrawn = count_draws(int(self.groups.max()) + 1, seed, 0, count).astype(float)
        drawn = draw_systems(self.n_systems, seed, count) if systems else np.ones((count, self.n_systems), np.int64)
        parts = []
        for rows in split(count, len(self.first)):  # arrays are [rows, pairs]
            weights = self.pair_weights * drawn[rows][:, self.first] * drawn[rows][:, self.second]
            parts.append(self._coefficients(redrawn[rows], weights))
        return np.concatenate(parts)

    def _coefficients(self, redrawn: Floats, weights: Floats) -> Floats:
        """Return weighted means over pairs, [draws, metrics].

        `redrawn` says how often each group of segments is drawn, and `weights` how much each pair of systems counts.
        """
        values = np.full((len(redrawn), len(self.metrics)), np.nan)
        human, counted = self._human_side(redrawn)
        counted = counted * weights
        totals = counted.sum(axis=1)
        for m in range(len(self.metrics)):
            agreed = (self._agreement(m, redrawn, human) * counted).sum(axis=1)
            np.divide(agreed, totals, out=values[:, m], where=totals > 0)
        return np.round(values, _DECIMALS)  # products of matrices may round their last bits differently

    def _human_side(self, redrawn: Floats) -> tuple[Floats, Floats]:
        """Return what people say of each pair, and how much it counts before systems are redrawn, [draws, pairs]."""
        if self.human is None:
            order = np.sign(self.people.systems[self.first] - self.people.systems[self.second])
            return order, np.broadcast_to(np.abs(order), (len(redrawn), len(order)))
        if self.level == "segment":
            judged = redrawn @ self._grouped_human[0]
            return judged, judged
        p_values = one_sided_p(*(redrawn @ sums for sums in self._grouped_human))
        return p_values, np.ones_like(p_values)

    def _agreement(self, m: int, redrawn: Floats, human: Floats) -> Floats:
        """Return how far a metric agrees with people on each pair, from 0 to 1, [draws, pairs]."""
        if self.human is None:
            scores = self._redrawn_scores(m, redrawn)
            return (1 + np.sign(scores[:, self.first] - scores[:, self.second]) * human) / 2
        if self.level == "segment":
            share = np.full_like(human, 0.5)
            np.divide(redrawn @ self._grouped(m)[0] + human, 2 * human, out=share, where=human > 0)
            return share
        return 1 - np.abs(one_sided_p(*(redrawn @ sums for sums in self._grouped(m))) - human)

    @cached_property
    def _grouped_human(self) -> tuple[Floats, ...]:
        assert self.human is not None
        if self.level == "segment":
            return (sum_groups(np.abs(np.sign(self.human)), self.groups),)
        return sum_groups(self.human, self.groups), sum_groups(self.human**2, self.groups)

    def _grouped(self, m: int) -> tuple[Floats, ...]:
        """Return what of a metric is summed over segments, in groups, [groups, pairs] each."""
        if m not in self._cache:
            rows = self.differences[m]
            if self.level == "segment":
                assert self.human is not None
                self._cache[m] = (sum_groups(np.sign(rows) * np.sign(self.human), self.groups),)
            else:
                self._cache[m] = sum_groups(rows, self.groups), sum_groups(rows**2, self.groups)
        return self._cache[m]

    @cached_property
    def _cache(self) -> dict[int, tuple[Floats, ...]]:
        return {}

    def _redrawn_scores(self, m: int, redrawn: Floats) -> Floats:
        """Return a metric's corpus scores on each draw, [draws, systems]."""
        source = self.metrics[m]
        if source.statistics is None:
            return np.broadcast_to(source.systems, (len(redrawn), len(source.systems)))
        systems, segments, k = source.statistics.shape
        if m not in self._cache:
            rows = np.moveaxis(source.statistics, 1, 2).reshape(systems * k, segments)
            self._cache[m] = (sum_groups(rows, self.groups),)
        return source.score((redrawn @ self._cache[m][0]).reshape(len(redrawn), systems, k))

    def permuted(self, orders: Orders) -> Floats:
        """Return coefficients after the system labels of the human scores were permuted, [orders, metrics].

        Orders are of distinct systems; copies of a system keep the same label.
        """
        soft = self.human is not None and self.level != "segment"
        values = self._permuted_spa(orders) if soft else self._permuted_accuracy(orders)
        return np.round(values, _DECIMALS)  # as observed values are: ties must stay ties

    def _permuted_pairs(self, orders: Orders) -> Iterator[tuple[slice, Orders, NDArray[np.bool_]]]:
        """Yield pairs, whose human scores they have after permuting, and if in the other direction, [orders, pairs].

        Pairs are taken part by part, because all of them need gigabytes where people scored 100 systems.
        """
        n = self.n_systems
        pair_of = np.zeros((n, n), np.intp)
        pair_of[self.first, self.second] = pair_of[self.second, self.first] = np.arange(len(self.first))
        labels = self.representatives[orders][:, self.origins]
        for places in split(len(self.first), max(len(self.first), len(orders))):
            first, second = labels[:, self.first[places]], labels[:, self.second[places]]
            yield places, pair_of[first, second], first > second

    def _permuted_accuracy(self, orders: Orders) -> Floats:
        """Return accuracy, of whole systems or of segments; all sums are of integers, so that they are exact."""
        if self.human is None:
            rows = [(s.systems[self.first] - s.systems[self.second])[:, None] for s in self.metrics]
            human = np.sign(self.people.systems[self.first] - self.people.systems[self.second])[:, None]
        else:
            rows, human = self.differences, np.sign(self.human)
        judged = np.abs(human).sum(axis=1)
        agreed, counted = np.zeros((len(self.metrics), len(orders))), np.zeros(len(orders))
        for places, pair, flipped in self._permuted_pairs(orders):
            weights = np.where(flipped, -1.0, 1.0) * self.pair_weights[places]
            counted += judged[pair] @ self.pair_weights[places]
            for m, differences in enumerate(rows):
                signs = np.sign(differences[places])
                if self.human is None:
                    permuted = human[pair, 0] * signs[:, 0]
                else:
                    permuted = (signs @ human.T)[np.arange(len(signs)), pair]
                agreed[m] += np.einsum("op,op->o", permuted, weights)
        counted = np.maximum(counted, 1)  # where people order no pair, chance is .5
        return ((agreed / counted + 1) / 2).T

    def _permuted_spa(self, orders: Orders) -> Floats:
        """Return soft pairwise accuracy."""
        assert self.human is not None
        of_people = one_sided_p(self.human.sum(axis=1), (self.human**2).sum(axis=1))
        of_metrics = [one_sided_p(d.sum(axis=1), (d**2).sum(axis=1)) for d in self.differences]
        agreed = np.zeros((len(self.metrics), len(orders)))
        for places, pair, flipped in self._permuted_pairs(orders):
            p_human = of_people[pair]
            np.subtract(1, p_human, out=p_human, where=flipped)
            for m, p_values in enumerate(of_metrics):
                agreed[m] += (1 - np.abs(p_values[places] - p_human)) @ self.pair_weights[places]
        values: Floats = (agreed / self.pair_weights.sum()).T
        return values


def split(count: int, width: int) -> list[slice]:
    """Return slices of `count` rows, of which an array with `width` columns has about MOST_CELLS numbers.

    Slices have 16 rows or more: products of matrices round single rows differently.
    """
    size = max(16, MOST_CELLS // max(width, 1))
    return [slice(begin, begin + size) for begin in range(0, count, size)]


def one_sided_p(sums: Floats, squares: Floats) -> Floats:
    """Return the p-value of "the first system is better": of sums of differences whose signs flip at random.

    Under random signs the sum has mean zero and the sum of squares as variance.
    """
    z = np.zeros_like(sums)
    np.divide(sums, np.sqrt(squares), out=z, where=squares > 0)
    return 1 - normal_cdf(z)


def compare_by_people(people: ScoreSource, labels: Sequence[str] | None = None) -> Floats:
    """Return one-sided p-values of "people find the row better than the column", [systems, systems].

    Segments that people judged in both systems count, and documents as wholes where they are known. Without scores of
    segments nothing can be tested, and every p-value is 1.
    """
    n = len(people.systems)
    p_values = np.ones((n, n))
    if people.statistics is None:
        return p_values
    groups = group_units(people.statistics.shape[1], labels)
    for i, j in combinations(range(n), 2):
        differences = np.nan_to_num(people.segments[i] - people.segments[j])[None]
        sums = sum_groups(differences, groups)
        p_values[i, j] = one_sided_p(sums.sum(axis=0), (sums**2).sum(axis=0))[0]
        p_values[j, i] = 1 - p_values[i, j]
    return p_values


def normal_cdf(z: Floats) -> Floats:
    """Return the standard normal distribution function, to 1e-7 (Abramowitz and Stegun 1964, 26.2.17)."""
    t = 1 / (1 + 0.2316419 * np.abs(z))
    polynomial = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    upper = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * polynomial
    return np.where(z >= 0, 1 - upper, upper)


# --- draws ---


def draw_systems(n: int, seed: int, count: int) -> NDArray[np.int64]:
    """Return how often each system is drawn, [count, systems].

    Draws with fewer than half of the systems distinct are replaced: a coefficient of two or three systems says little.
    """
    drawn = np.zeros((0, n), np.int64)
    batch = 0
    while len(drawn) < count:
        new = count_draws(n, seed + 1, batch, batch + count).astype(np.int64)
        drawn = np.concatenate([drawn, new[2 * (new > 0).sum(axis=1) >= n]])
        batch += count
    return drawn[:count]


def all_orders(n: int) -> Orders:
    """Return all orders of n systems."""
    return np.array(list(permutations(range(n))), np.intp)


def random_orders(n: int, seed: int, begin: int, count: int) -> Orders:
    """Return random orders of n systems; `begin` is how many were drawn before."""
    return np.argsort(words(seed + 2 + 1_000_003 * begin, count, n), axis=1, kind="stable")


# --- tests and decisions ---


def permutation_test(
    observed: Floats, permuted: Callable[[Orders], Floats], n: int, rules: SupportRules
) -> tuple[Floats, NDArray[np.bool_]]:
    """Permute n systems; return p-values corrected for the number of metrics, and which are too close to the level.

    All orders are enumerated if there are few. Otherwise the permutations are doubled as long as a p-value is close to
    the level; a p-value is final as soon as it is not, whatever the other metrics need.
    """
    if math.factorial(n) <= ENUMERATED * rules.n_permutations:
        return step_down_max(observed, permuted(all_orders(n)), exact=True), np.zeros(len(observed), np.bool_)
    null = np.empty((0, len(observed)))
    p_values, near = np.ones(len(observed)), np.ones(len(observed), np.bool_)
    while near.any() and len(null) < max(rules.most_draws, rules.n_permutations):
        end = min(max(2 * len(null), rules.n_permutations), max(rules.most_draws, rules.n_permutations))
        starts = range(len(null), end, rules.n_permutations)
        parts = [
            permuted(random_orders(n, rules.seed, start, min(rules.n_permutations, end - start))) for start in starts
        ]
        null = np.concatenate([null, *parts])
        p_values = np.where(near, step_down_max(observed, null, exact=False), p_values)
        near &= is_close(p_values, rules.alpha, len(null), rules.caution)
    return p_values, near


class PartialRanks:
    """Rank correlations with people that the covariates do not explain.

    Ranks of metrics and people are regressed on the covariates' ranks, and people's residuals are permuted (Freedman
    and Lane 1983). All arrays are [rows, systems].
    """

    def __init__(self, metrics: Floats, human: Floats, covariates: Floats) -> None:
        n = len(human)
        design = np.concatenate([np.ones((1, n)), mid_ranks(covariates)]) if len(covariates) else np.ones((1, n))
        basis = np.linalg.svd(design.T, full_matrices=False)
        explained = basis.U[:, basis.S / basis.S[0] > 1e-9]
        self.residual = np.eye(n) - explained @ explained.T
        self.of_metrics = mid_ranks(np.atleast_2d(metrics)) @ self.residual
        self.of_human = self.residual @ mid_ranks(human[None])[0]

    def observed(self) -> Floats:
        """Return the correlation of each metric."""
        correlations: Floats = self._correlate(self.of_human[None])[0]
        return correlations

    def permuted(self, orders: Orders) -> Floats:
        """Return the correlations after people's residuals were permuted, [orders, metrics]."""
        return self._correlate(self.of_human[orders])

    def _correlate(self, permuted: Floats) -> Floats:
        again = permuted @ self.residual
        norms = np.linalg.norm(again, axis=1)[:, None] * np.linalg.norm(self.of_metrics, axis=1)[None]
        values = np.zeros(norms.shape)
        np.divide(again @ self.of_metrics.T, norms, out=values, where=norms > 1e-9)
        return np.asarray(np.round(values, _DECIMALS), np.float64)


@dataclass(frozen=True, eq=False)
class Sources:
    """The scores of metrics, people and the sentinel whose knowledge does not count; all have the same systems."""

    metrics: Sequence[ScoreSource]
    people: ScoreSource
    length: ScoreSource | None = None

    @property
    def n_segments(self) -> int:
        """How many segments the sources have scores for; 1 if only systems have scores."""
        rows = (source.statistics for source in (self.people, *self.metrics))
        return next((r.shape[1] for r in rows if r is not None), 1)

    def redraw(self, systems: NDArray[np.intp], segments: NDArray[np.intp]) -> Sources:
        """Return the sources on these systems and segments, which may occur more than once."""
        length = None if self.length is None else _redraw_source(self.length, systems, segments)
        metrics = [_redraw_source(source, systems, segments) for source in self.metrics]
        return Sources(metrics, _redraw_source(self.people, systems, segments), length)


def _redraw_source(source: ScoreSource, systems: NDArray[np.intp], segments: NDArray[np.intp]) -> ScoreSource:
    if source.statistics is None:
        return source.select(systems.tolist())
    rows = source.statistics[systems][:, segments]
    return ScoreSource(source.name, source.score(rows.sum(axis=1)), rows, source.score)


def judge_by_people(
    sources: Sources,
    *,
    level: str = "system",
    labels: Sequence[str] | None = None,
    origins: Sequence[int] | None = None,
    populations: Sequence[str] = (THESE, SUCH),
    rules: SupportRules = RULES,
) -> list[Support]:
    """Judge each metric by human scores, for each population that the data can speak of.

    `labels` are the segments' documents, and systems with the same number in `origins` are copies.
    Draws depend on the seed and the numbers of systems and segments, never on the metrics, so that adding metrics
    cannot help any of them.
    """
    metrics, people, length = sources.metrics, sources.people, sources.length
    agreement = PairAgreement(metrics, people, level, labels, rules, origins)
    distinct = agreement.representatives
    observed = agreement.observed()
    systems = np.stack([source.systems for source in metrics])[:, distinct]
    covariates = np.zeros((0, len(distinct))) if length is None else length.systems[None, distinct]
    ranks = PartialRanks(systems, people.systems[distinct], covariates)
    tested = {CHANCE: (observed, agreement.permuted), LENGTH: (ranks.observed(), ranks.permuted)}
    p_values: dict[str, Floats] = {}
    undecided: dict[str, NDArray[np.bool_]] = {}
    for what, (value, permuted) in tested.items():
        p_values[what], undecided[what] = permutation_test(value, permuted, len(distinct), rules)
    obstacle = _too_few(len(distinct), len(metrics), rules.alpha)
    results: list[Support] = []
    spreads: dict[str, Floats] = {}
    for population in populations if agreement.by_segment else (SUCH,):
        draws = agreement.redraw(rules.seed, rules.n_draws, population == SUCH)
        evidence = JudgeEvidence(
            observed, draws, p_values, rules.margin(level), rules.floor(level), obstacle, undecided=undecided
        )
        evidence = add_draws(evidence, rules, partial(agreement.redraw, systems=population == SUCH))
        spreads[population] = evidence.spread(rules.alpha)
        of_segments = spreads.get(THESE, np.zeros(len(metrics)))
        sizes = agreement.n_systems, agreement.n_segments
        rooms = evidence.margin - evidence.observed_gaps()
        lacking = evidence.inferior() > rules.alpha
        needed = []
        for k in range(len(metrics)):
            needs = float(rooms[k]), float(spreads[population][k]), float(of_segments[k])
            least = _count_systems_for_tests(evidence, k, len(distinct), rules.alpha)
            if isinstance(least, str):
                needed.append(least)
            elif least and not lacking[k]:
                needed.append(f"it would take about {least} such systems")
            else:
                needed.append(describe_needed(*needs, sizes, least))
        results += decide(
            [source.name for source in metrics],
            evidence,
            rules,
            needed,
            judge="people",
            criterion=people.name,
            level=level,
            coefficient=agreement.coefficient,
            population=population,
        )
    return results


def _count_systems_for_tests(evidence: JudgeEvidence, k: int, n: int, alpha: float) -> int | str:
    """Return how many systems the tests of chance and length take; 0 if they are passed, a sentence if none help."""
    if not evidence.observed[k] >= evidence.floor and not math.isnan(evidence.observed[k]):
        return "more data will help only if its value turns out higher: it is below the floor"
    needed = LEAST_SYSTEMS if evidence.obstacle is not None else 0
    for what, p_values in evidence.p_values.items():
        p = float(p_values[k])
        if p >= 0.5 and not math.isnan(evidence.observed[k]):
            return f"more systems will help only if it turns out {what}"
        if alpha < p < 0.5:  # the test statistic grows with the root of the number of systems
            growth = NormalDist().inv_cdf(1 - alpha) / NormalDist().inv_cdf(1 - p)
            needed = max(needed, LEAST_SYSTEMS, n + 1, round_up(n * growth**2))
    return needed if needed <= MOST_SYSTEMS else f"it would take more than {MOST_SYSTEMS} such systems"


def _too_few(n: int, metrics: int, alpha: float) -> str | None:
    """Return why no metric can be supported with so few systems."""
    if n < LEAST_SYSTEMS:
        return f"{n} judged systems are too few: at least {LEAST_SYSTEMS} are needed"
    if math.lgamma(n + 1) < math.log(metrics / alpha):
        return f"{n} judged systems are too few for {metrics} metrics"
    return None


def measure_stability(
    sources: Sources,
    observed: Mapping[str, str],
    *,
    population: str = SUCH,
    redraw_systems: bool = True,
    level: str = "system",
    labels: Sequence[str] | None = None,
    rules: SupportRules = RULES,
) -> tuple[dict[str, float], float]:
    """Return for each metric the share of resamples in which it has the same status as observed.

    Also return the share of resamples that have enough different systems for a metric to be supported at all. Segments
    are resampled, documents as wholes where they are known, and systems too if `redraw_systems`. `observed` maps
    metrics to their status for the population. Each of `rules.n_stability` resamples is judged by the same rules, with
    fewer draws.
    """
    quick = replace(rules, **QUICK)
    n, n_resamples = len(sources.people.systems), rules.n_stability
    sources, groups = _combine_segments(sources, level, labels, quick)
    same = dict.fromkeys(observed, 0)
    possible = 0
    drawn = draw_systems(n, rules.seed + 7, n_resamples) if redraw_systems else np.ones((n_resamples, n), np.int64)
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    for b in range(n_resamples):
        systems = np.repeat(np.arange(n), drawn[b])
        possible += _too_few(len(set(systems.tolist())), len(sources.metrics), rules.alpha) is None
        counts = count_draws(len(members), rules.seed + 8, b, b + 1)[0]
        parts = [members[group] for group in np.repeat(np.arange(len(members)), counts)]
        segments = np.concatenate(parts)
        copies = np.repeat(np.arange(len(parts)), list(map(len, parts)))  # a document drawn twice is two documents
        results = judge_by_people(
            sources.redraw(systems, segments),
            level=level,
            labels=None if labels is None else [f"{labels[i]} {c}" for i, c in zip(segments, copies, strict=True)],
            origins=systems.tolist(),
            populations=(population,),
            rules=quick,
        )
        for result in results:
            if result.population == population and result.metric in observed:
                same[result.metric] += result.status == observed[result.metric]
    return {name: count / n_resamples for name, count in same.items()}, possible / n_resamples


def _combine_segments(
    sources: Sources, level: str, labels: Sequence[str] | None, rules: SupportRules
) -> tuple[Sources, NDArray[np.intp]]:
    """Return the sources and the groups to resample; many segments become means of random groups, for speed."""
    n = sources.n_segments
    groups = group_units(n, labels, rules.most_groups)
    by_segment = sources.people.statistics is not None
    missing = by_segment and bool(np.isnan(sources.people.segments).any())
    if level == "segment" or labels is not None or missing or n <= rules.most_groups:
        return sources, groups
    combined = [
        source if source.statistics is None else _combine_source(source, groups, by_segment)
        for source in (*sources.metrics, sources.people, *filter(None, [sources.length]))
    ]
    k = len(sources.metrics)
    length = combined[-1] if sources.length is not None else None
    return Sources(combined[:k], combined[k], length), np.arange(rules.most_groups)


def _combine_source(source: ScoreSource, groups: NDArray[np.intp], by_segment: bool) -> ScoreSource:
    """Return the source with groups instead of segments: means of segment scores, or sums of statistics."""
    if by_segment:
        sizes = np.bincount(groups)
        return make_source(source.name, (sum_groups(source.segments, groups) / sizes[:, None]).T)
    assert source.statistics is not None
    systems, n, k = source.statistics.shape
    sums = sum_groups(np.moveaxis(source.statistics, 1, 2).reshape(systems * k, n), groups)
    rows = np.moveaxis(sums.reshape(-1, systems, k), 0, 1)
    return ScoreSource(source.name, source.systems, rows, source.score)
