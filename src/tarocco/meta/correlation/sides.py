"""The two sides of a correlation, a metric and people. They are alike: statistics a segment, whose sums have a score.

So a corpus score, a score of any set of segments, and both on resamples follow for either side in the same way. Where
only whole systems have scores, there are no statistics and the scores do not change from resample to resample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import HumanScores
from tarocco.metrics.base import Floats
from tarocco.metrics.external import is_system_level
from tarocco.scoring.resampling import bootstrap, totals
from tarocco.scoring.results import Score

_STEPS = 2.0**44


@dataclass(frozen=True, eq=False)
class Side:
    """What a metric, or people, say of systems; higher is better."""

    name: str
    systems: Floats  # float64[systems]; NaN where a system has no score
    statistics: Floats | None  # float64[systems, segments, k]
    goodness: Callable[[Floats], Floats]  # of sums[..., k]

    @cached_property
    def segments(self) -> Floats:
        """float64[systems, segments]: the score of each segment by itself, NaN where there is none."""
        return self.goodness(self._rows)

    def documents(self, members: NDArray[np.intp]) -> Floats:
        """float64[systems, documents]: the score of each set of segments, intp[documents, size]."""
        by_segment = np.ascontiguousarray(np.moveaxis(self._rows, 1, 0))
        sums = np.zeros((len(members), *by_segment.shape[1:]))
        for places in members.T:  # the first segment of every document, the second, ...
            sums += by_segment[places]
        return snapped(self.goodness(sums)).T

    def resampled(self, n_resamples: int, seed: int, jobs: int | None = None) -> Floats:
        """float64[n_resamples, systems]: scores on resamples of the segments, the same for all sides and systems."""
        if self.statistics is None:
            return np.broadcast_to(self.systems, (n_resamples, len(self.systems)))
        systems, segments, k = self.statistics.shape
        rows = np.moveaxis(self.statistics, 1, 0).reshape(segments, systems * k)
        return self.goodness(bootstrap(rows, n_resamples, seed, jobs).reshape(n_resamples, systems, k))

    def chosen(self, places: Sequence[int]) -> Side:
        """These systems alone."""
        rows = None if self.statistics is None else self.statistics[list(places)]
        return Side(self.name, self.systems[list(places)], rows, self.goodness)

    def averaged(self) -> Side:
        """The side whose systems have the mean of their segments' scores, and not the score of the whole."""
        return self if self.statistics is None else of_values(self.name, self.segments)

    @cached_property
    def is_mean(self) -> bool:
        """Whether a system's score is the mean of its segments' scores, up to rounding."""
        if self.statistics is None:
            return False
        means = of_values(self.name, self.segments).systems
        return bool(np.allclose(self.systems, means, rtol=1e-9, atol=1e-12, equal_nan=True))

    @property
    def _rows(self) -> Floats:
        if self.statistics is None:
            raise InputError(f"{self.name} has scores for whole systems alone, and none for segments")
        return self.statistics


def of_scores(scores: Sequence[Score]) -> Side:
    """One metric's scores of some systems."""
    metric = scores[0].metric
    rows = None if is_system_level(metric) else np.stack([score.statistics for score in scores])
    systems = metric.sign * np.array([score.score for score in scores])
    return Side(str(metric), snapped(systems), rows, lambda sums: metric.sign * metric.score(sums))


def of_people(human: HumanScores, criterion: str) -> Side:
    """What people say by one criterion: the mean of what they said of segments, or what they said of systems."""
    scores = human.higher_is_better(criterion)
    return of_values(criterion, scores) if human.level == "segment" else Side(criterion, snapped(scores), None, _mean)


def of_values(name: str, values: Floats) -> Side:
    """Scores of segments, float64[systems, segments], NaN where there is none; a system has their mean."""
    there = ~np.isnan(values)
    rows = np.stack([np.where(there, values, 0.0), there], axis=-1)
    return Side(name, _mean(np.stack([totals(own) for own in rows])), rows, _mean)


def _mean(sums: Floats) -> Floats:
    """Of [sum, number] rows."""
    means = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=means, where=sums[..., 1] > 0)
    return snapped(means)


def snapped(values: Floats) -> Floats:
    """Values with their last nine bits rounded away: means of equal numbers in another order are equal, and tie."""
    fractions, exponents = np.frexp(values)
    return np.ldexp(np.round(fractions * _STEPS) / _STEPS, exponents)
