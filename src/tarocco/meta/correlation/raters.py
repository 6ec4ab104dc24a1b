"""How far raters agree, and the ceiling that this sets for metrics.

alpha    Krippendorff's alpha for interval data, over outputs that two or more raters scored: 1 minus observed over
         expected disagreement (Krippendorff 2011)
ceiling  leave one rater out: the agreement of each rater with the mean of the others, on the outputs that both scored,
         averaged over raters. It is measured like that of metrics: same level, same coefficient.

A metric's share of the ceiling compares like with like: its agreement with the same means of the other raters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarocco.core.records import Record
from tarocco.core.test_set import RaterScores
from tarocco.meta.correlation.levels import CorrelationLevel
from tarocco.meta.correlation.pairwise import PAIRWISE, measure_pairwise, resample_pairwise
from tarocco.meta.correlation.score_sources import ScoreSource, make_source
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, percentiles, sum_units
from tarocco.scoring.settings import WORKERS, Resampling, Workers

MOST_RATERS = 20  # those with the most outputs that others scored, too
MOST_RESAMPLES = 200  # of the ceiling


@dataclass(frozen=True)
class RaterAgreement(Record):
    """Agreement among raters by one criterion, and each metric's share of it.

    `alpha` and `ceiling` have intervals: alpha over segments or documents, the ceiling over the population of the
    correlation. `n_outputs` is how many outputs two raters or more scored, `n_used` the number of raters that the
    ceiling is a mean over. `metrics` are the metrics' agreements with the same means of other raters, `shares` these
    over the ceiling.
    """

    criterion: str
    n_raters: int
    n_outputs: int
    alpha: float
    alpha_low: float
    alpha_high: float
    ceiling: float
    ceiling_low: float
    ceiling_high: float
    n_used: int
    metrics: dict[str, float]
    shares: dict[str, float]


def krippendorff_alpha(
    scores: RaterScores, shape: tuple[int, int], resampling: Resampling, labels: Sequence[str] | None = None
) -> tuple[float, float, float]:
    """Return alpha and its interval over segments, or over the documents that `labels` name.

    NaN without two scores of an output, or if all scores are equal."""
    sums = _alpha_sums(scores, shape)
    value = float(_alpha(sums.sum(axis=0)))
    drawn = _alpha(bootstrap(sum_units(sums, labels), resampling.n_resamples, resampling.seed))
    low, high = percentiles(drawn, (1 - resampling.confidence) / 2)
    return value, low, high


def _alpha_sums(scores: RaterScores, shape: tuple[int, int]) -> Floats:
    """Return the sums that make alpha, [segments, 4]: scores, their sum, squares, and disagreement within outputs."""
    systems, segments = shape
    cell = scores.system * segments + scores.segment
    values = scores.values - scores.values.mean()  # differences are the same, and squares round less
    count, total, squares = (
        np.bincount(cell, w, systems * segments) for w in (np.ones(len(values)), values, values**2)
    )
    paired = count > 1
    within = np.zeros(systems * segments)
    np.divide(2 * (count * squares - total**2), count - 1, out=within, where=paired)
    columns = [np.where(paired, column, 0.0) for column in (count, total, squares, within)]
    by_segment: Floats = np.stack(columns, axis=1).reshape(systems, segments, 4).sum(axis=0)
    return by_segment


def _alpha(sums: Floats) -> Floats:
    """Return alpha from sums[..., 4]."""
    n, total, squares, within = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = 2 * (n * squares - total**2) / (n * (n - 1))
        values: Floats = np.where((n > 1) & (expected > 1e-12 * squares / n), 1 - within / n / expected, np.nan)
    return values


def measure_raters(
    scores: RaterScores,
    metrics: Sequence[ScoreSource],
    people: ScoreSource,
    level: CorrelationLevel,
    coefficient: str,
    population: str,
    resampling: Resampling,
    workers: Workers = WORKERS,
) -> RaterAgreement:
    """Measure the agreement of raters, and of metrics with all raters but one.

    `scores` are oriented like `people`: higher is better.
    """
    shape = people.segments.shape
    fewer = replace(resampling, n_resamples=min(resampling.n_resamples, MOST_RESAMPLES))
    quiet = replace(workers, progress=None)
    ceilings, drawn = [], []
    of_metrics: list[list[float]] = []
    for rater, others in leave_one_out(scores, shape):
        value = _measure(coefficient, level, rater, others, resampling.seed)
        if np.isnan(value):
            continue
        ceilings.append(value)
        of_metrics.append([_measure(coefficient, level, metric, others, resampling.seed) for metric in metrics])
        if coefficient in PAIRWISE:
            drawn.append(
                resample_pairwise(coefficient, [rater], others, fewer, population, workers.jobs, level.labels)[0]
            )
        else:
            drawn.append(level.resampled(coefficient, [rater], others, fewer, quiet, population)[0])
    low, high = percentiles(_mean(np.array(drawn)), (1 - resampling.confidence) / 2) if drawn else (np.nan, np.nan)
    ceiling = float(np.mean(ceilings)) if ceilings else np.nan
    values = _mean(np.array(of_metrics)) if of_metrics else np.full(len(metrics), np.nan)
    by_metric = {metric.name: float(value) for metric, value in zip(metrics, values, strict=True)}
    cells, counts = np.unique(scores.system * shape[1] + scores.segment, return_counts=True)
    return RaterAgreement(
        people.name,
        len(np.unique(scores.rater)),
        int((counts > 1).sum()) if len(cells) else 0,
        *krippendorff_alpha(scores, shape, resampling, level.labels),
        ceiling,
        low,
        high,
        len(ceilings),
        by_metric,
        {name: value / ceiling if ceiling > 0 else np.nan for name, value in by_metric.items()},
    )


def leave_one_out(scores: RaterScores, shape: tuple[int, int]) -> list[tuple[ScoreSource, ScoreSource]]:
    """Return each rater's scores and the mean of the others', where both have one, the busiest raters first."""
    n = shape[0] * shape[1]
    cell = scores.system * shape[1] + scores.segment
    count, total = np.bincount(cell, minlength=n), np.bincount(cell, scores.values, n)
    shared = count[cell] > 1
    busy = np.bincount(scores.rater[shared], minlength=len(scores.raters))
    pairs = []
    for rater in np.argsort(-busy, kind="stable")[:MOST_RATERS]:
        mine = shared & (scores.rater == rater)
        if not mine.any():
            break
        tables = np.full((2, n), np.nan)
        places, values = cell[mine], scores.values[mine]
        tables[0, places] = values
        tables[1, places] = (total[places] - values) / (count[places] - 1)
        pairs.append((make_source("rater", tables[0].reshape(shape)), make_source("others", tables[1].reshape(shape))))
    return pairs


def _measure(coefficient: str, level: CorrelationLevel, source: ScoreSource, others: ScoreSource, seed: int) -> float:
    if coefficient in PAIRWISE:
        return measure_pairwise(coefficient, source, others, seed, level.labels).value
    return level.agreement(coefficient, level.items(source), level.items(others)).value


def _mean(rows: Floats) -> Floats:
    """Return the means over raters, ignoring NaN."""
    known = ~np.isnan(rows)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, rows, 0.0).sum(axis=0) / known.sum(axis=0)
    return means
