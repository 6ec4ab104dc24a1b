"""From tests and redrawn values to a status: supported, refuted or open.

A metric is *supported* if all tests show it: better than chance, not worse than the best metric by more than a margin,
above a floor. It is *refuted* if a metric is better by more than the margin, or if its value is below the floor.
Otherwise the question is *open*, and the result says what it would take to answer it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.records import Record
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import words

SUPPORTED, REFUTED, OPEN = "supported", "refuted", "open"
SUCH, THESE = "such systems", "these systems"  # the populations that a statement can be about

MOST_SYSTEMS, MOST_SEGMENTS = 500, 50_000  # more than these is not worth recommending
_HOPELESS = "more data of a usual size will not help: the gap to the best metric is too close to the margin"
MOST_GROUPS = 400  # more units than this are combined into so many random groups
GROUPING_SEED = 1
MOST_DRAWS = 100_000  # where a decision is close to its threshold: with 20,000, the seed decided one headline in 15
MOST_REFUTING = 20_000  # draws that decide whether a metric without support is refuted or open; both deny it trust


@dataclass(frozen=True)
class SupportRules:
    """The constants of the four tests; docs/trial.md gives the reasons."""

    alpha: float = 0.05
    system_margin: float = 0.10
    segment_margin: float = 0.05
    system_floor: float = 0.70
    segment_floor: float = 0.55
    n_draws: int = 2000
    most_draws: int = MOST_DRAWS
    n_permutations: int = 10_000
    seed: int = 12345
    caution: float = 3.0  # standard errors: a share of draws this close to its threshold is borderline
    n_stability: int = 0  # resamples on which the whole decision is repeated
    most_groups: int = MOST_GROUPS  # more units than this are combined into so many random groups

    def margin(self, level: str) -> float:
        """Return by how much a metric may be worse than the best."""
        return self.segment_margin if level == "segment" else self.system_margin

    def floor(self, level: str) -> float:
        """Return the least agreement with people that deserves trust."""
        return self.segment_floor if level == "segment" else self.system_floor


RULES = SupportRules()


@dataclass(frozen=True)
class Support(Record):
    """What one judge says of one metric.

    `population` says what the statement is about: "such systems" if systems and segments were redrawn, "these systems"
    if only segments were. `p_values` are corrected for the number of metrics. `inferior` is the share of
    draws in which the best metric is ahead by more than the margin, `rival` the metric that is ahead most often and
    `beaten` the share of draws in which it is. The more metrics there are, the more draws a rival must win to refute a
    metric, and none of that may help the metric: one that is `opposed` is not trusted, refuted or not.
    """

    metric: str
    judge: str  # people, ORANGE or KING
    criterion: str
    level: str
    coefficient: str
    population: str
    value: float
    low: float
    high: float
    status: str
    p_values: Mapping[str, float]
    inferior: float
    rival: str | None
    beaten: float
    reasons: tuple[str, ...]  # why it is not supported
    margin: float  # by how much it may be worse than the best metric
    floor: float  # the least value that deserves trust
    refuted_by: str | None = None  # "rival" or "floor", where it is refuted
    opposed: bool = False  # it is refuted, or would be if its rival were the only other metric
    chance: float | None = None  # the value of a metric that knows nothing, where it is not the same for all
    needed: str | None = None  # what it would take, where it is open
    stability: float | None = None  # share of resamples of systems and segments with the same status
    segment_stability: float | None = None  # share of resamples of segments with the same status
    stability_limit: float | None = None  # share of resamples with enough different systems for any support


@dataclass(frozen=True, eq=False)
class JudgeEvidence:
    """What was measured of some metrics by one judge.

    observed
        The value of each metric.
    draws
        The same on redrawn data, [draws, metrics].
    p_values
        For each thing that a test must show, its p-values, corrected for the number of metrics: {"better than chance":
        [...]}.
    margin, floor
        By how much a metric may be worse than the best, and the least value that deserves trust.
    obstacle
        Why no metric can be supported, if so.
    chance
        What a metric that knows nothing reaches, where that differs between metrics. All values above are then what a
        metric has beyond it.
    undecided
        For each test, the metrics whose p-value is too close to the level to decide, as in `p_values`.
    used
        How many draws decide about each metric: the first number that is not close to a threshold. Other metrics may
        need more, and must not change what was decided.
    """

    observed: Floats
    draws: Floats
    p_values: Mapping[str, Floats]
    margin: float
    floor: float
    obstacle: str | None = None
    chance: Floats | None = None
    undecided: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    used: NDArray[np.intp] | None = None

    def gaps(self) -> Floats:
        """Return how far each metric is behind the best, on each draw; a metric without a value is never the best."""
        best: Floats = np.fmax.reduce(self.draws, axis=1, keepdims=True)
        return best - self.draws

    def observed_gaps(self) -> Floats:
        """Return how far each metric is behind the best."""
        gaps: Floats = np.fmax.reduce(self.observed) - self.observed
        return gaps

    def inferior(self) -> Floats:
        """Return the share of draws in which a metric is behind the best by more than the margin."""
        shares: Floats = (self.gaps() > self.margin).mean(axis=0)
        return shares

    def ahead(self, k: int, n_draws: int) -> Floats:
        """Return the share of the first draws in which each metric is ahead of metric k by more than the margin."""
        draws = self.draws[:n_draws]
        shares: Floats = (draws - draws[:, [k]] > self.margin).mean(axis=0)
        return shares

    def spread(self, alpha: float) -> Floats:
        """Return by how much the upper bound of a metric's gap exceeds the observed gap."""
        upper: Floats = np.quantile(self.gaps(), 1 - alpha, axis=0)
        return upper - self.observed_gaps()

    def is_near(self, rules: SupportRules) -> NDArray[np.bool_]:
        """Return whether more draws could change the status of a metric."""
        n, n_metrics = self.draws.shape
        passed, inferior = self.passed(rules.alpha), self.inferior()
        near: NDArray[np.bool_] = passed & is_close(inferior, rules.alpha, n, rules.caution)
        if n >= MOST_REFUTING:
            return near
        for k in np.flatnonzero(~(passed & (inferior <= rules.alpha))):
            not_beaten = 1 - float(np.nan_to_num(self.ahead(int(k), n)).max())
            above_floor = float((self.draws[:, k] >= self.floor).mean())
            near[k] |= is_close(not_beaten, rules.alpha / max(1, n_metrics - 1), n, rules.caution)
            near[k] |= is_close(above_floor, rules.alpha, n, rules.caution)
        return near

    def passed(self, alpha: float) -> NDArray[np.bool_]:
        """Return which metrics pass all tests but that of the margin."""
        passed: NDArray[np.bool_] = (self.observed >= self.floor) & (self.obstacle is None)
        for what, p in self.p_values.items():
            passed = passed & (p <= alpha) & ~self.undecided.get(what, np.zeros(len(p), np.bool_))
        return passed


def is_close(share: Any, threshold: float, n: int, caution: float) -> Any:
    """Return whether a share of n draws is within some standard errors of a threshold."""
    return np.abs(share - threshold) < caution * math.sqrt(threshold * (1 - threshold) / n)


def add_draws(evidence: JudgeEvidence, rules: SupportRules, redraw: Callable[[int, int], Floats]) -> JudgeEvidence:
    """Double the draws as long as a decision is close to its threshold, so that the seed does not decide (Gandy 2009).

    `redraw` takes a seed and the number of draws.
    """
    used = np.full(len(evidence.observed), len(evidence.draws))
    near = evidence.is_near(rules)
    while near.any():
        begin = len(evidence.draws)
        end = min(2 * begin, rules.most_draws)
        if begin >= end:
            break
        drawn = [
            redraw(rules.seed + 1_000_003 * start, min(rules.n_draws, end - start))
            for start in range(begin, end, rules.n_draws)
        ]
        evidence = replace(evidence, draws=np.concatenate([evidence.draws, *drawn]))
        used[near] = end
        near &= evidence.is_near(rules)
    return replace(evidence, used=used)


def decide(
    names: Sequence[str], evidence: JudgeEvidence, rules: SupportRules, needed: Sequence[str], **about: Any
) -> list[Support]:
    """Give each metric its status. `needed` says what it would take; `about` are fields that all results share."""
    alpha = rules.alpha
    results = []
    for k, name in enumerate(names):
        n_draws = len(evidence.draws) if evidence.used is None else int(evidence.used[k])
        first = replace(evidence, draws=evidence.draws[:n_draws])
        draws, inferior = first.draws, float(first.inferior()[k])
        near = bool(is_close(inferior, alpha, n_draws, rules.caution))
        ahead = np.nan_to_num(first.ahead(k, n_draws))
        rival = int(ahead.argmax())
        low, high, upper = np.quantile(draws[:, k], [alpha / 2, 1 - alpha / 2, 1 - alpha])
        chance = 0.0 if evidence.chance is None else float(evidence.chance[k])
        reasons = [] if evidence.obstacle is None else [evidence.obstacle]
        for what, p in evidence.p_values.items():
            undecided = bool(evidence.undecided[what][k]) if what in evidence.undecided else False
            if p[k] > alpha or undecided:
                reasons.append(f"not shown {what}{' (borderline)' if undecided else ''}")
        if not evidence.observed[k] >= evidence.floor:
            too_low = f"below the floor of {evidence.floor:.2f}"
            reasons.append(too_low if evidence.chance is None else f"not better than chance by {evidence.floor:.2f}")
        if inferior > alpha or near:
            borderline = " (borderline)" if near else ""
            reasons.append(f"not shown within {evidence.margin:.2f} of the best{borderline}")
        shared = alpha / max(1, len(names) - 1)
        beaten = 1 - ahead[rival] <= shared and not is_close(1 - ahead[rival], shared, n_draws, rules.caution)
        above_floor = float((draws[:, k] >= evidence.floor).mean())
        below = upper < evidence.floor and not is_close(above_floor, alpha, n_draws, rules.caution)
        refuted_by = "rival" if beaten else "floor" if below else None
        status = SUPPORTED if not reasons else OPEN if refuted_by is None else REFUTED
        opposed = bool(reasons) and bool(refuted_by is not None or ahead[rival] >= 1 - alpha)
        results.append(
            Support(
                metric=name,
                value=chance + float(evidence.observed[k]),
                low=chance + float(low),
                high=chance + float(high),
                status=status,
                p_values={what: float(p[k]) for what, p in evidence.p_values.items()},
                inferior=inferior,
                rival=names[rival] if ahead[rival] else None,
                beaten=float(ahead[rival]),
                reasons=tuple(reasons),
                margin=evidence.margin,
                floor=chance + evidence.floor,
                chance=None if evidence.chance is None else chance,
                refuted_by=refuted_by if status == REFUTED else None,
                opposed=opposed,
                needed=needed[k] if status == OPEN else None,
                **about,
            )
        )
    return results


def step_down_max(observed: Floats, null: Floats, exact: bool) -> Floats:
    """Return one-sided p-values corrected for the number of metrics (step-down maximum, Westfall and Young 1993).

    `null` is [permutations, metrics]. A metric without a coefficient has p = 1.
    """
    known = ~np.isnan(observed)
    adjusted = np.ones(len(observed))
    order = [m for m in np.argsort(-np.nan_to_num(observed, nan=-np.inf), kind="stable") if known[m]]
    largest = np.full(len(null), -np.inf)
    for m in reversed(order):
        largest = np.fmax(largest, null[:, m])
        extreme = int((largest >= observed[m] - 1e-12).sum())
        adjusted[m] = extreme / len(null) if exact else (1 + extreme) / (1 + len(null))
    highest = 0.0
    for m in order:
        highest = adjusted[m] = max(highest, adjusted[m])
    return adjusted


def group_units(n: int, labels: Sequence[str] | None, most: int = MOST_GROUPS) -> NDArray[np.intp]:
    """Return the group of each segment: its document where known, or random groups where there are too many.

    Redrawing random groups of units gives a sum the same variance, in expectation, as redrawing the units. The groups
    do not depend on a run's seed: more draws make the choice of that seed matter less, and must not leave a rest.
    """
    units = np.arange(n)
    if labels is not None:
        numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        units = np.array([numbers[label] for label in labels])
    count = int(units.max()) + 1
    if count <= most:
        return units
    shuffled = np.argsort(words(GROUPING_SEED, 1, count)[0], kind="stable")
    group = np.empty(count, np.intp)
    group[shuffled] = np.arange(count) % most
    return group[units]


def sum_groups(rows: Floats, groups: NDArray[np.intp]) -> Floats:
    """Return the sums of [rows, segments] over the segments of each group, [groups, rows]."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))
    sums: Floats = np.add.reduceat(rows.T[order], starts, axis=0)
    return sums


def describe_needed(room: float, spread: float, of_segments: float, sizes: tuple[int, int], least: int = 0) -> str:
    """Say how many systems and segments it would take to show that a metric is within the margin.

    `room` is the margin minus the gap to the best metric. `spread` is by how much the upper bound of the gap exceeds
    the gap when systems and segments are redrawn, `of_segments` when segments alone are. Their squares shrink as
    systems and segments are added. `least` is how many systems other tests need.
    """
    if math.isnan(room + spread):
        return "it would take scores that differ between systems"
    if room <= 0:
        return "more data will help only if the gap to the best metric turns out smaller than the margin"
    n_systems, n_segments = sizes
    target, segments = room**2, max(of_segments, 0.0) ** 2
    systems = max(spread**2 - segments, 0.0)
    if segments < target:
        n_systems = max(least, round_up(n_systems * max(1.1, systems / (target - segments))))
        return f"it would take about {n_systems} such systems" if n_systems <= MOST_SYSTEMS else _HOPELESS
    n_segments = round_up(n_segments * segments / (target / 2))
    needed = max(least, round_up(n_systems * systems / (target / 2)))
    if needed > MOST_SYSTEMS or n_segments > MOST_SEGMENTS:
        return _HOPELESS
    return f"it would take about {n_segments} segments" + (f" and {needed} such systems" if needed > n_systems else "")


def round_up(number: float) -> int:
    """Round up to two digits: an estimate has no more."""
    if number <= 10:
        return math.ceil(number)
    step: int = 10 ** (math.floor(math.log10(number)) - 1)
    return int(math.ceil(number / step) * step)
