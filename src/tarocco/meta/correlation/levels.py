"""Which scores are correlated: the level that has scores, and how they are grouped.

Items are the whole test set, its segments, or pseudo-documents drawn from them: float64[systems, items] per source.
They are correlated in one list, item by item over systems, or system by system over items. Where several correlations
are averaged, undefined ones are left out, and the result says how many were defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.meta.correlation.agreement import WeightedKendall, correlations, explain_undefined
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.resampling import bootstrap, count_draws, draw_random_sets, drawn
from tarocco.scoring.settings import RESAMPLING, WORKERS, Resampling, Workers

LEVELS = ("system", "segment", "document")
GROUPINGS = ("none", "item", "system")
_SIDES = ("metric's", "human")
_WEIGHTED_BLOCK = 16  # resamples per task
_MAX_POINTS = 1 << 17  # correlated together, so that they stay in the processor's cache


@dataclass(frozen=True)
class Coefficient:
    """The agreement of a metric with people."""

    value: float  # NaN if undefined
    defined: int  # the number of defined correlations that it is the mean of
    groups: int  # the number of all correlations
    why: str | None  # it is undefined


@dataclass(frozen=True, eq=False)
class CorrelationLevel:
    """A level and a grouping. At system level there is one item and no grouping."""

    level: str = "system"
    grouping: str = "none"
    members: NDArray[np.intp] | None = None  # the segments of each pseudo-document

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise BadParameter(f"level is one of {', '.join(LEVELS)}, not {self.level!r}")
        if self.grouping not in GROUPINGS:
            raise BadParameter(f"grouping is one of {', '.join(GROUPINGS)}, not {self.grouping!r}")
        if self.level == "system" and self.grouping != "none":
            raise BadParameter("at system level there is nothing to group")

    def items(self, source: ScoreSource) -> Floats:
        """Return the scores of the items, float64[systems, items]."""
        if self.level == "system":
            return source.systems[:, None]
        return source.segments if self.members is None else source.documents(self.members)

    def lists(self, items: Floats) -> Floats:
        """Return the lists that are correlated row by row, float64[lists, points]."""
        if self.grouping == "none":
            return items.reshape(1, -1)
        return items.T if self.grouping == "item" else items

    def agreement(self, coefficient: str, metric: Floats, people: Floats) -> Coefficient:
        """Return the mean of the correlations of all lists, from the items of both sources."""
        x, y = self.lists(metric), self.lists(people)
        values = correlations(coefficient, x, y)
        defined = values[~np.isnan(values)]
        if len(defined):
            return Coefficient(float(defined.mean()), len(defined), len(values), None)
        if len(values) == 1:
            return Coefficient(np.nan, 0, 1, explain_undefined(x, y, _SIDES))
        return Coefficient(np.nan, 0, len(values), f"none of {len(values)} groups has a correlation")

    def resampled(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        resampling: Resampling = RESAMPLING,
        workers: Workers = WORKERS,
    ) -> Floats:
        """Return agreements on resamples of the segments, float64[metrics, n_resamples], NaN where undefined.

        Segments are drawn for all systems and sources together. Pseudo-documents keep their places, which the drawn
        segments fill. Correlations of single segments do not change; only their mean is resampled.
        `workers.progress` counts resamples.
        """
        n_resamples, seed, jobs = resampling.n_resamples, resampling.seed, workers.jobs
        if self.level == "system":
            human = people.resampled(n_resamples, seed, jobs)
            values = [
                correlations(coefficient, source.resampled(n_resamples, seed, jobs), human)
                if source.statistics is not None or people.statistics is not None
                else np.full(n_resamples, np.nan)  # scores of whole systems cannot be resampled
                for source in metrics
            ]
        elif self.level == "segment" and self.grouping == "item":
            values = [_resample_items(coefficient, source, people, resampling, jobs) for source in metrics]
        elif self.members is None and coefficient.startswith("kendall"):
            return self._resample_kendall(coefficient, metrics, people, resampling, workers)
        else:
            return self._resample_lists(coefficient, metrics, people, resampling, workers)
        if workers.progress is not None:
            workers.progress(n_resamples)
        return np.array(values)

    def _resample_lists(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        resampling: Resampling,
        workers: Workers,
    ) -> Floats:
        """Correlate the points of each resample; many resamples are one call."""
        systems, segments = people.segments.shape
        items = segments if self.members is None else len(self.members)

        def run(block: tuple[int, int]) -> Floats:
            places = np.stack([drawn(segments, resampling.seed, number) for number in range(*block)])
            y = self._drawn_lists(people, places)
            values = [correlations(coefficient, self._drawn_lists(source, places), y) for source in metrics]
            return _mean_defined(np.array(values).reshape(len(metrics), len(places), -1))

        return _run_blocks(run, resampling.n_resamples, max(1, _MAX_POINTS // (systems * items)), workers)

    def _resample_kendall(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        resampling: Resampling,
        workers: Workers,
    ) -> Floats:
        """Resample Kendall's tau of segments, which are sorted once."""
        variant = coefficient.removeprefix("kendall").removeprefix("-") or "b"
        systems, segments = people.segments.shape
        segment_of = self.lists(np.broadcast_to(np.arange(segments), (systems, segments)))
        y = self.lists(people.segments)
        by_metric = [
            [WeightedKendall(*points) for points in zip(self.lists(source.segments), y, segment_of, strict=True)]
            for source in metrics
        ]

        def run(block: tuple[int, int]) -> Floats:
            weights = count_draws(segments, resampling.seed, *block)
            values = [[[points.kendall(variant, w) for points in lists] for w in weights] for lists in by_metric]
            return _mean_defined(np.array(values))

        return _run_blocks(run, resampling.n_resamples, _WEIGHTED_BLOCK, workers)

    def _drawn_lists(self, source: ScoreSource, places: NDArray[np.intp]) -> Floats:
        """Return float64[resamples * lists, points] for intp[resamples, segments]."""
        if self.members is None:
            items = source.segments[:, places]
        else:
            documents = places[:, self.members].reshape(-1, self.members.shape[1])
            items = source.documents(documents).reshape(-1, len(places), len(self.members))
        systems, resamples, _ = items.shape
        if self.grouping == "item":
            return items.reshape(systems, -1).T
        by_resample = np.moveaxis(items, 0, 1)
        return by_resample.reshape(resamples * (1 if self.grouping == "none" else systems), -1)


def _resample_items(
    coefficient: str, metric: ScoreSource, people: ScoreSource, resampling: Resampling, jobs: int | None
) -> Floats:
    values = correlations(coefficient, metric.segments.T, people.segments.T)
    defined = ~np.isnan(values)
    rows = np.stack([np.where(defined, values, 0.0), defined], axis=1)
    sums = bootstrap(rows, resampling.n_resamples, resampling.seed, jobs)
    with np.errstate(invalid="ignore"):
        return sums[:, 0] / sums[:, 1]


def _run_blocks(run: Callable[[tuple[int, int]], Floats], n_resamples: int, size: int, workers: Workers) -> Floats:
    """Run blocks of resamples and join them to float64[metrics, n_resamples]."""
    parts, results = blocks(n_resamples, size), []
    for part in map_ordered(run, parts, len(parts), workers.jobs, workers.executor):
        results.append(part)
        if workers.progress is not None:
            workers.progress(part.shape[1])
    return np.concatenate(results, axis=1)


def _mean_defined(values: Floats) -> Floats:
    """Return the means over the last axis, ignoring NaN."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(defined, values, 0.0).sum(axis=-1) / defined.sum(axis=-1)
    return means


def make_level(
    level: str, grouping: str | None, segments: int, count: int = 1000, size: int = 30, seed: int = 0
) -> CorrelationLevel:
    """Return the level for a test set of `segments` segments; pseudo-documents are drawn from the seed."""
    members = draw_random_sets(seed, segments, count, size) if level == "document" else None
    return CorrelationLevel(level, grouping or "none", members)
