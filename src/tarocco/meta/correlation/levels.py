"""Which scores of a metric are correlated with which of people: the level that has scores, and how they are grouped.

Items are the whole test set, its segments, or pseudo-documents drawn from them: float64[systems, items] for each side.
They are correlated in one list, item by item over systems, or system by system over items. Where several correlations
are averaged, those that are explain_undefined are left out, and the result says how many there were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.meta.correlation.agreement import WeightedKendall, correlations, explain_undefined
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.resampling import bootstrap, count_draws, draw_random_sets, drawn

if TYPE_CHECKING:
    from concurrent.futures import Executor

LEVELS = ("system", "segment", "document")
GROUPINGS = ("none", "item", "system")
NAMES = ("metric's", "human")
_RECOUNTED = 16  # resamples a thread takes at a time
_POINTS = 1 << 17  # of a side that are correlated together, so that they stay near the processor


@dataclass(frozen=True)
class Coefficient:
    """How well a metric agrees with people."""

    value: float  # NaN where it is explain_undefined
    defined: int  # how many correlations it is the mean of
    groups: int  # of how many
    why: str | None  # it is explain_undefined


@dataclass(frozen=True, eq=False)
class CorrelationLevel:
    """A level and a grouping. At system level there is one item, and nothing to group."""

    level: str = "system"
    grouping: str = "none"
    members: NDArray[np.intp] | None = None  # of pseudo-documents

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise BadParameter(f"level is one of {', '.join(LEVELS)}, not {self.level!r}")
        if self.grouping not in GROUPINGS:
            raise BadParameter(f"grouping is one of {', '.join(GROUPINGS)}, not {self.grouping!r}")
        if self.level == "system" and self.grouping != "none":
            raise BadParameter("at system level there is nothing to group")

    def items(self, side: ScoreSource) -> Floats:
        """float64[systems, items]"""
        if self.level == "system":
            return side.systems[:, None]
        return side.segments if self.members is None else side.documents(self.members)

    def lists(self, items: Floats) -> Floats:
        """float64[lists, points]: what is correlated, row by row."""
        if self.grouping == "none":
            return items.reshape(1, -1)
        return items.T if self.grouping == "item" else items

    def agreement(self, coefficient: str, metric: Floats, people: Floats) -> Coefficient:
        """The mean of the lists' correlations, from both sides' items."""
        x, y = self.lists(metric), self.lists(people)
        found = correlations(coefficient, x, y)
        there = found[~np.isnan(found)]
        if len(there):
            return Coefficient(float(there.mean()), len(there), len(found), None)
        if len(found) == 1:
            return Coefficient(np.nan, 0, 1, explain_undefined(x, y, NAMES))
        return Coefficient(np.nan, 0, len(found), f"none of {len(found)} groups has a correlation")

    def resampled(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        n_resamples: int,
        seed: int,
        jobs: int | None = None,
        advance: Callable[[int], None] | None = None,
        executor: Executor | None = None,
    ) -> Floats:
        """float64[metrics, n_resamples]: agreements on resamples of the segments; NaN where one is explain_undefined.

        Segments are drawn for all systems and sides together. Pseudo-documents keep their places, which the drawn
        segments fill. Correlations of single segments stay what they are, and only their mean is drawn anew.
        `advance` is told how many more resamples are done.
        """
        if self.level == "system":
            human = people.resampled(n_resamples, seed, jobs)
            found = [
                correlations(coefficient, side.resampled(n_resamples, seed, jobs), human)
                if side.statistics is not None or people.statistics is not None
                else np.full(n_resamples, np.nan)  # whole systems have nothing to draw from
                for side in metrics
            ]
        elif self.level == "segment" and self.grouping == "item":
            found = [self._of_items(coefficient, side, people, n_resamples, seed, jobs) for side in metrics]
        else:
            return self._drawn(coefficient, metrics, people, n_resamples, seed, jobs, advance, executor)
        if advance is not None:
            advance(n_resamples)
        return np.array(found)

    def _of_items(
        self, coefficient: str, metric: ScoreSource, people: ScoreSource, n_resamples: int, seed: int, jobs: int | None
    ) -> Floats:
        found = correlations(coefficient, metric.segments.T, people.segments.T)
        there = ~np.isnan(found)
        sums = bootstrap(np.stack([np.where(there, found, 0.0), there], axis=1), n_resamples, seed, jobs)
        with np.errstate(invalid="ignore"):
            return sums[:, 0] / sums[:, 1]

    def _drawn(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        n_resamples: int,
        seed: int,
        jobs: int | None,
        advance: Callable[[int], None] | None,
        executor: Executor | None,
    ) -> Floats:
        """As `resampled`, where the points of each resample are correlated anew; many resamples are one call."""
        systems, segments = people.segments.shape
        items = segments if self.members is None else len(self.members)

        if self.members is None and coefficient.startswith("kendall"):
            return self._recounted(coefficient, metrics, people, n_resamples, seed, jobs, advance, executor)

        def run(block: tuple[int, int]) -> Floats:
            places = np.stack([drawn(segments, seed, number) for number in range(*block)])
            y = self._lists_of(people, places)
            found = [correlations(coefficient, self._lists_of(side, places), y) for side in metrics]
            return _means(np.array(found).reshape(len(metrics), len(places), -1))

        return _in_blocks(run, n_resamples, max(1, _POINTS // (systems * items)), jobs, advance, executor)

    def _recounted(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        n_resamples: int,
        seed: int,
        jobs: int | None,
        advance: Callable[[int], None] | None,
        executor: Executor | None,
    ) -> Floats:
        """Kendall's tau of segments, which are sorted once."""
        variant = coefficient.removeprefix("kendall").removeprefix("-") or "b"
        systems, segments = people.segments.shape
        of_points = self.lists(np.broadcast_to(np.arange(segments), (systems, segments)))
        y = self.lists(people.segments)
        by_metric = [
            [WeightedKendall(*own) for own in zip(self.lists(side.segments), y, of_points, strict=True)]
            for side in metrics
        ]

        def run(block: tuple[int, int]) -> Floats:
            weights = count_draws(segments, seed, *block)
            found = [[[one.kendall(variant, own) for one in lists] for own in weights] for lists in by_metric]
            return _means(np.array(found))

        return _in_blocks(run, n_resamples, _RECOUNTED, jobs, advance, executor)

    def _lists_of(self, side: ScoreSource, places: NDArray[np.intp]) -> Floats:
        """float64[resamples * lists, points] of intp[resamples, segments]; grouped by item there is a list an item."""
        if self.members is None:
            items = side.segments[:, places]
        else:
            size = self.members.shape[1]
            items = side.documents(places[:, self.members].reshape(-1, size)).reshape(
                -1, len(places), len(self.members)
            )
        systems, resamples, _ = items.shape
        if self.grouping == "item":
            return items.reshape(systems, -1).T
        by_resample = np.moveaxis(items, 0, 1)
        return by_resample.reshape(resamples * (1 if self.grouping == "none" else systems), -1)


def _in_blocks(
    run: Callable[[tuple[int, int]], Floats],
    n_resamples: int,
    size: int,
    jobs: int | None,
    advance: Callable[[int], None] | None,
    executor: Executor | None,
) -> Floats:
    """Blocks of resamples in threads, or wherever workers are, joined: float64[metrics, n_resamples]."""
    parts, found = blocks(n_resamples, size), []
    for part in map_ordered(run, parts, len(parts), jobs, executor):
        found.append(part)
        if advance is not None:
            advance(part.shape[1])
    return np.concatenate(found, axis=1)


def _means(found: Floats) -> Floats:
    """Over the last axis, of what is defined."""
    there = ~np.isnan(found)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(there, found, 0.0).sum(axis=-1) / there.sum(axis=-1)
    return means


def make_level(
    level: str, grouping: str | None, segments: int, count: int = 1000, size: int = 30, seed: int = 0
) -> CorrelationLevel:
    """The view of a test set with so many segments; pseudo-documents are drawn from the seed.

    Without a grouping all points are in one list.
    """
    members = draw_random_sets(seed, segments, count, size) if level == "document" else None
    return CorrelationLevel(level, grouping or "none", members)
