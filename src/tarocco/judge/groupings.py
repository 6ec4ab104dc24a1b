"""The ways in which float64[systems, segments] of a metric and of people become lists that are correlated.

Missing scores are NaN; only segments of a system that both sides have count. Where several correlations are averaged,
those that are undefined are left out, and the result says how many there were.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.correlation import correlations, undefined
from tarocco.metrics.base import Floats
from tarocco.resample import bootstrap, check_resampling, drawn, percentiles, totals
from tarocco.results import Interval
from tarocco.run import map_ordered

NAMES = ("metric's", "human")


@dataclass(frozen=True)
class Agreement:
    """How well a metric agrees with people."""

    value: float  # NaN where it is undefined
    defined: int  # how many correlations it is the mean of
    groups: int  # of how many
    why: str | None  # it is undefined


def _agreement(coefficient: str, x: Floats, y: Floats) -> Agreement:
    """The mean of the rows' correlations."""
    found = correlations(coefficient, x, y)
    there = found[~np.isnan(found)]
    if len(there):
        return Agreement(float(there.mean()), len(there), len(found), None)
    if len(found) == 1:
        return Agreement(np.nan, 0, 1, undefined(x, y, NAMES))
    return Agreement(np.nan, 0, len(found), f"none of {len(found)} groups has a correlation")


def ungrouped(metric: Floats, human: Floats, coefficient: str) -> Agreement:
    """All scores of all systems in one list."""
    return _agreement(coefficient, metric.reshape(1, -1), human.reshape(1, -1))


def by_item(metric: Floats, human: Floats, coefficient: str) -> Agreement:
    """Over systems for each segment, averaged."""
    return _agreement(coefficient, metric.T, human.T)


def by_system(metric: Floats, human: Floats, coefficient: str) -> Agreement:
    """Over segments for each system, averaged."""
    return _agreement(coefficient, metric, human)


def system_level(metric: Floats, human: Floats, coefficient: str) -> Agreement:
    """Of the systems' mean scores."""
    x, y = system_means(metric, human)
    return _agreement(coefficient, x[None], y[None])


def system_means(metric: Floats, human: Floats) -> tuple[Floats, Floats]:
    """The mean of each system's segments that both sides have."""
    return _means(totals(_statistics(metric, human)))


def of_documents(
    metric: Floats, human: Floats, coefficient: str, documents: NDArray[np.intp], within: bool = False
) -> Agreement:
    """Of pseudo-documents, intp[documents, size] (`streams.documents`): a document's score is its segments' mean.

    The points are all (system, document) pairs; within documents, those of each document, averaged.
    """
    statistics = np.ascontiguousarray(_statistics(metric, human))
    sums = np.zeros((len(documents), statistics.shape[1]))
    for members in documents.T:  # the first segment of every document, the second, ...
        sums += statistics[members]
    x, y = _means(sums)
    return by_system(x, y, coefficient) if within else ungrouped(x, y, coefficient)


def _statistics(metric: Floats, human: Floats) -> Floats:
    """float64[segments, 3 * systems]: both sides' scores where both exist, and whether they do."""
    there = ~(np.isnan(metric) | np.isnan(human))
    return np.concatenate([np.where(there, metric, 0.0), np.where(there, human, 0.0), there]).T


def _means(sums: Floats) -> tuple[Floats, Floats]:
    x, y, sizes = np.split(sums, 3, axis=-1)
    with np.errstate(invalid="ignore"):
        return x / sizes, y / sizes


def interval(
    grouping: Callable[[Floats, Floats, str], Agreement],
    metric: Floats,
    human: Floats,
    coefficient: str,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
) -> Interval:
    """Percentile bootstrap interval over segments, drawn for all systems together.

    Pseudo-documents (a `functools.partial` of `of_documents`) keep their places, which the drawn segments fill.
    Resamples without a correlation are left out.
    """
    check_resampling(confidence, n_resamples, seed)
    values = resampled(grouping, metric, human, coefficient, n_resamples, seed, jobs)
    low, high = percentiles(values, (1 - confidence) / 2)
    return Interval(low, high, float(confidence), int(n_resamples), int(seed))


def resampled(
    grouping: Callable[[Floats, Floats, str], Agreement],
    metric: Floats,
    human: Floats,
    coefficient: str,
    n_resamples: int,
    seed: int,
    jobs: int | None = None,
) -> Floats:
    """float64[n_resamples]: the agreement on each resample of the segments; NaN where it is undefined.

    All resampled system means are one call's weighted sums; correlations of single segments stay what they are, and
    only their mean is drawn anew.
    """
    if grouping is system_level:
        return correlations(coefficient, *_means(bootstrap(_statistics(metric, human), n_resamples, seed, jobs)))
    if grouping is by_item:
        found = correlations(coefficient, metric.T, human.T)
        there = ~np.isnan(found)
        sums = bootstrap(np.stack([np.where(there, found, 0.0), there], axis=1), n_resamples, seed, jobs)
        with np.errstate(invalid="ignore"):
            return sums[:, 0] / sums[:, 1]

    def run(number: int) -> float:
        chosen = drawn(metric.shape[1], seed, number)
        return grouping(metric[:, chosen], human[:, chosen], coefficient).value

    return np.array(list(map_ordered(run, range(n_resamples), n_resamples, jobs)))
