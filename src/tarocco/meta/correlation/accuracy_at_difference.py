"""How often people agree with a difference of d between two systems under a metric (Kocmi et al. 2024).

Each pair of judged systems says whether people prefer the system that the metric prefers. The larger the metric's
difference, the more often they do: the probability is modeled as 1 / (1 + exp(-b d)), which is one half at d = 0. The
slope b has the maximum likelihood over all pairs, with one more pair at the median difference of which people agree
with one half, so that b is finite where people agree with every pair.

Pairs that share a system are not independent. The interval is therefore from resampled systems and segments: it applies
to pairs of such systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.core.records import Record
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.meta.support.people import draw_systems
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import percentiles
from tarocco.scoring.settings import RESAMPLING, Resampling

QUARTILES = (0.25, 0.5, 0.75)
_STEPS = 60  # of Newton's method, each at most 1 long
_STEEPEST = 50.0  # in units of one over the median difference; steeper slopes give the same shares


@dataclass(frozen=True)
class AccuracyAtDifference(Record):
    """How often people agree with a difference under one metric.

    `share` is the estimate, `low` and `high` its interval. `n_pairs` is the number of pairs of systems it is fitted to.
    `n_near` of them differ by d / 2 to 2 d, and people agree with the share `near` of these; where there are none, the
    estimate is extrapolated.
    """

    metric: str
    criterion: str
    difference: float
    share: float
    low: float
    high: float
    n_pairs: int
    n_near: int
    near: float


def measure_accuracy_at(
    metric: ScoreSource,
    people: ScoreSource,
    differences: Sequence[float] = (),
    resampling: Resampling = RESAMPLING,
    jobs: int | None = None,
    labels: Sequence[str] | None = None,
) -> list[AccuracyAtDifference]:
    """Return how often people agree with each difference, by default with the quartiles of the differences here.

    Documents are redrawn as wholes if `labels` name those of the segments. Shares are NaN where no two systems have
    scores of both.
    """
    first, second = np.triu_indices(len(people.systems), 1)
    gap = metric.systems[first] - metric.systems[second]
    preference = people.systems[first] - people.systems[second]
    known = ~np.isnan(gap + preference)
    sizes = np.abs(gap[known])
    if not differences:
        differences = np.quantile(sizes[sizes > 0], QUARTILES).tolist() if (sizes > 0).any() else []
    scale = float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else np.nan
    agreed = (1 + np.sign(gap[known] * preference[known])) / 2
    (slope,) = fit_slopes(sizes[None] / scale, agreed[None], np.ones((1, len(sizes))))
    slopes = np.array([np.nan])
    if known.any():
        slopes = _resample_slopes(metric, people, scale, resampling, jobs, labels)
    results = []
    for difference in differences:
        low, high = percentiles(_probability(slopes * difference / scale), (1 - resampling.confidence) / 2)
        near = (sizes >= difference / 2) & (sizes <= 2 * difference)
        results.append(
            AccuracyAtDifference(
                metric.name,
                people.name,
                float(difference),
                float(_probability(slope * difference / scale)),
                low,
                high,
                int(known.sum()),
                int(near.sum()),
                float(agreed[near].mean()) if near.any() else np.nan,
            )
        )
    return results


def _resample_slopes(
    metric: ScoreSource,
    people: ScoreSource,
    scale: float,
    resampling: Resampling,
    jobs: int | None,
    labels: Sequence[str] | None,
) -> Floats:
    """Return the slopes on resampled systems and segments."""
    first, second = np.triu_indices(len(people.systems), 1)
    n, seed = resampling.n_resamples, resampling.seed
    drawn = draw_systems(len(people.systems), seed, n)
    gap, preference = (
        scores[:, first] - scores[:, second]
        for scores in (source.resampled(n, seed, jobs, labels) for source in (metric, people))
    )
    known = ~np.isnan(gap + preference)
    gap, preference = np.where(known, gap, 0.0), np.where(known, preference, 0.0)
    weights = drawn[:, first] * drawn[:, second] * known
    return fit_slopes(np.abs(gap) / scale, (1 + np.sign(gap * preference)) / 2, weights.astype(float))


def fit_slopes(sizes: Floats, agreed: Floats, weights: Floats) -> Floats:
    """Return the slope of each row of pairs, in units of one over the median difference, [rows].

    The likelihood is concave in the slope, so Newton's method with short steps finds its maximum.
    """
    slopes = np.zeros(len(sizes))
    for _ in range(_STEPS):
        p = _probability(slopes[:, None] * sizes)
        at_one = _probability(slopes)
        gradient = (weights * sizes * (agreed - p)).sum(axis=1) + 0.5 - at_one
        curvature = (weights * sizes**2 * p * (1 - p)).sum(axis=1) + at_one * (1 - at_one)
        step = np.clip(gradient / np.maximum(curvature, 1e-12), -1.0, 1.0)
        slopes = np.clip(slopes + step, -_STEEPEST, _STEEPEST)
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return slopes


def _probability(x: Floats) -> Floats:
    values: Floats = 1 / (1 + np.exp(-np.clip(x, -500, 500)))
    return values
