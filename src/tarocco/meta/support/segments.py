"""Judges that give a metric one number per segment: supported, refuted or open.

ORANGE and KING ask whether a metric prefers human translations to those of systems. Each segment has a value from 0 to
1, and a chance level: what the value would be, on average, if the metric could not tell the two apart. The rules are
those of `people`: better than chance, better than output length, within a margin of the best metric, above a floor. All
of them are about what a metric has beyond its chance level, because chance levels differ between metrics.

Segments are redrawn, or documents where they are known. The statement is about such segments of these systems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.meta.significance.distributions import to_normal_score
from tarocco.meta.support.decision import (
    MOST_SEGMENTS,
    THESE,
    JudgeEvidence,
    Support,
    SupportRules,
    add_draws,
    decide,
    group_units,
    round_up,
    step_down_max,
    sum_groups,
)
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import count_draws

CHANCE, LENGTH = "better than chance", "better than output length"
LEAST_UNITS = 20  # with fewer segments or documents, redrawing them does not show how far they vary


@dataclass(frozen=True, eq=False)
class SegmentValues:
    """What a judge measured in each segment, all from 0 to 1, higher is better; NaN where there is no value.

    `values` and `chance` are [metrics, segments]. `by_length` are the values of preferring the longer and the shorter
    text beyond their own chance levels, [2, segments], if texts are known.
    """

    names: Sequence[str]
    values: Floats
    chance: Floats
    by_length: Floats | None = None

    def select(self, segments: Sequence[int]) -> SegmentValues:
        """Return some segments."""
        by_length = None if self.by_length is None else self.by_length[:, segments]
        return SegmentValues(self.names, self.values[:, segments], self.chance[:, segments], by_length)


class MeanDraws:
    """Means over segments, as observed and on redrawn units: documents where they are known, else segments."""

    def __init__(self, rows: Floats, labels: Sequence[str] | None, seed: int) -> None:
        self.groups = group_units(rows.shape[1], labels)
        self.units = len(set(self.groups.tolist() if labels is None else labels))
        known = ~np.isnan(rows)
        self.sums, self.counts = (
            sum_groups(np.where(known, rows, 0.0), self.groups),
            sum_groups(known + 0.0, self.groups),
        )

    def observed(self) -> Floats:
        """Return the mean of each row; NaN where it has no value."""
        return _divide(self.sums.sum(axis=0), self.counts.sum(axis=0))

    def redraw(self, seed: int, count: int) -> Floats:
        """Return the means on redrawn units, [count, rows]."""
        drawn = count_draws(len(self.sums), seed, 0, count).astype(float)
        return np.round(_divide(drawn @ self.sums, drawn @ self.counts), 10)


def _divide(sums: Floats, counts: Floats) -> Floats:
    means = np.full(np.shape(sums), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def judge_by_segments(
    measured: SegmentValues,
    *,
    judge: str,
    coefficient: str,
    margin: float,
    labels: Sequence[str] | None = None,
    rules: SupportRules | None = None,
) -> list[Support]:
    """Judge metrics by their values in segments.

    A metric may be worse than the best by `margin`, and must be above its chance level by as much. `labels` are the
    segments' documents. Draws depend on the seed and the number of segments, never on the metrics.
    """
    rules = rules or SupportRules()
    n = len(measured.names)
    beyond = measured.values - measured.chance
    rows = beyond if measured.by_length is None else np.concatenate([beyond, measured.by_length])
    means = MeanDraws(rows, labels, rules.seed)
    observed, draws = means.observed(), means.redraw(rules.seed, rules.n_draws)
    p_values = {CHANCE: p_above_zero(observed[:n], draws[:, :n], means.units)}
    if measured.by_length is not None:
        # A metric must be better than the longer text and better than the shorter one: the larger p-value counts.
        pairs = [(observed[:n] - observed[k], draws[:, :n] - draws[:, [k]]) for k in (n, n + 1)]
        p_values[LENGTH] = np.maximum(*(p_above_zero(*pair, means.units) for pair in pairs))
    obstacle = None
    if means.units < LEAST_UNITS:
        unit = "segments" if labels is None else "documents"
        obstacle = f"{means.units} {unit} are too few: at least {LEAST_UNITS} are needed"
    chance = np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in measured.chance])
    evidence = JudgeEvidence(observed[:n], draws[:, :n], p_values, margin, margin, obstacle, chance)
    evidence = add_draws(evidence, rules, lambda seed, count: means.redraw(seed, count)[:, :n])
    needed = [_describe_needed(evidence, k, measured.values.shape[1], rules.alpha) for k in range(n)]
    about = {"judge": judge, "criterion": "", "level": "segment", "coefficient": coefficient}
    return decide(list(measured.names), evidence, rules, needed, population=THESE, **about)


def p_above_zero(observed: Floats, draws: Floats, units: int) -> Floats:
    """Return one-sided p-values of "the mean is above zero", corrected for the number of means.

    The draws, shifted to a center of zero, are the null distribution of the mean (Efron and Tibshirani 1993, 16.4).
    Each is divided by its standard error, so that the largest is not that of the noisiest metric. The standard error of
    the observed mean is estimated from few units, which Student's t accounts for.
    """
    errors = draws.std(axis=0) * math.sqrt(units / max(units - 1, 1))
    varies = errors > 1e-9
    scale = np.where(varies, errors, 1.0)
    statistics = np.where(varies, observed / scale, np.where(observed > 1e-9, np.inf, -np.inf))
    statistics = np.array([to_normal_score(t, units - 1) for t in np.where(np.isnan(observed), np.nan, statistics)])
    null = np.where(varies, (draws - observed) / scale, 0.0)
    return step_down_max(statistics, null, exact=False)


def _describe_needed(evidence: JudgeEvidence, k: int, segments: int, alpha: float) -> str:
    """Say how many segments it would take to support metric k, if its values stay as they are."""
    observed, room = float(evidence.observed[k]), float(evidence.margin - evidence.observed_gaps()[k])
    if not observed >= evidence.floor:
        return "more segments will help only if its value turns out higher: it is below the floor"
    if room <= 0:
        return "more segments will not help: the gap to the best metric is larger than the margin"
    factors = [(float(evidence.spread(alpha)[k]) / room) ** 2 if evidence.inferior()[k] > alpha else 1.0]
    if evidence.p_values[CHANCE][k] > alpha:
        factors.append((float(np.quantile(evidence.draws[:, k], 1 - alpha)) - observed) ** 2 / observed**2)
    if LENGTH in evidence.p_values and evidence.p_values[LENGTH][k] > alpha and max(factors) <= 1:
        return "more segments will help only if it turns out better than output length"
    count = round_up(segments * max(1.1, *factors))
    if count > MOST_SEGMENTS:
        return "more segments of a usual number will not help: the gap to the best metric is too close to the margin"
    return f"it would take about {count} segments"
