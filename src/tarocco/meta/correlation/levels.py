"""Which scores are correlated: the level that has scores, and how they are grouped.

Items are the whole test set, its segments, or pseudo-documents drawn from them: float64[systems, items] per source.
They are correlated in one list, item by item over systems, or system by system over items. Where several correlations
are averaged, undefined ones are left out, and the result says how many were defined.

Resamples apply to a population. For *these systems*, segments are drawn. For *such systems*, systems and segments are
drawn (BOOT-INPUT and BOOT-BOTH of Deutsch et al. 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.meta.correlation.agreement import (
    MIN_GROUP,
    MIN_POINTS,
    WeightedKendall,
    correlations,
    explain_undefined,
)
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.meta.support.decision import SUCH, THESE
from tarocco.meta.support.people import draw_systems
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.resampling import bootstrap, count_segment_draws, draw_random_sets, sum_units
from tarocco.scoring.settings import RESAMPLING, WORKERS, Resampling, Workers

LEVELS = ("system", "segment", "document")
GROUPINGS = ("none", "item", "system")
POPULATIONS = (THESE, SUCH)
_SIDES = ("scores of the metric", "human scores")
_WEIGHTED_BLOCK = 16  # resamples per task
_MAX_POINTS = 1 << 17  # correlated together, so that they stay in the processor's cache

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Coefficient:
    """The agreement of a metric with people."""

    value: float  # NaN if undefined
    defined: int  # the number of defined correlations that it is the mean of
    groups: int  # the number of all correlations
    why: str | None  # it is undefined


@dataclass(frozen=True, eq=False)
class CorrelationLevel:
    """A level and a grouping. At system level there is one item and no grouping.

    `labels` are the documents of the segments, if known: they are redrawn and swapped as wholes.
    """

    level: str = "system"
    grouping: str = "none"
    members: NDArray[np.intp] | None = None  # the segments of each pseudo-document
    labels: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise BadParameter(f"level is one of {', '.join(LEVELS)}, not {self.level!r}")
        if self.grouping not in GROUPINGS:
            raise BadParameter(f"grouping is one of {', '.join(GROUPINGS)}, not {self.grouping!r}")
        if self.level == "system" and self.grouping != "none":
            raise BadParameter("at system level there is nothing to group")

    @property
    def min_points(self) -> int:
        """How many points a correlation needs: three, but two systems where items are averaged."""
        return MIN_GROUP if self.grouping == "item" else MIN_POINTS

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
        values = correlations(coefficient, x, y, self.min_points)
        defined = values[~np.isnan(values)]
        if len(defined):
            return Coefficient(float(defined.mean()), len(defined), len(values), None)
        if len(values) == 1 and self.grouping == "none":
            return Coefficient(np.nan, 0, 1, explain_undefined(x, y, _SIDES))
        return Coefficient(np.nan, 0, len(values), f"none of {len(values)} groups has a correlation")

    def resampled(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        resampling: Resampling = RESAMPLING,
        workers: Workers = WORKERS,
        population: str = THESE,
    ) -> Floats:
        """Return agreements on resamples, float64[metrics, n_resamples], NaN where undefined.

        Segments, or whole documents where they are known, are drawn for all systems and sources together; for such
        systems, systems are drawn as well. Pseudo-documents keep their places, which the drawn segments fill.
        Correlations of single segments do not change unless systems are drawn; only their mean is resampled.
        `workers.progress` counts resamples.
        """
        n_resamples, seed, jobs = resampling.n_resamples, resampling.seed, workers.jobs
        systems = draw_systems(len(people.systems), seed, n_resamples) if population == SUCH else None
        if self.level == "system":
            human = people.resampled(n_resamples, seed, jobs, self.labels)
            values = [
                correlate_drawn_systems(
                    coefficient, source.resampled(n_resamples, seed, jobs, self.labels), human, systems
                )
                if systems is not None or source.statistics is not None or people.statistics is not None
                else np.full(n_resamples, np.nan)  # scores of whole systems cannot be resampled
                for source in metrics
            ]
        elif self.level == "segment" and self.grouping == "item" and systems is None:
            values = [self._resample_items(coefficient, source, people, resampling, jobs) for source in metrics]
        elif self.level == "segment" and self.grouping == "item" and coefficient in _WEIGHTED_ITEMS:
            values = [
                self._resample_weighted_items(coefficient, source, people, resampling, systems) for source in metrics
            ]
        elif self.members is None and coefficient.startswith("kendall"):
            return self._resample_kendall(coefficient, metrics, people, resampling, workers, systems)
        else:
            return self._resample_lists(coefficient, metrics, people, resampling, workers, systems)
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
        systems: Counts | None,
    ) -> Floats:
        """Correlate the points of each resample; many resamples are one call."""
        n_systems, segments = people.segments.shape
        items = segments if self.members is None else len(self.members)
        every = np.ones((resampling.n_resamples, n_systems), np.int64)
        rows = repeat_places(every if systems is None else systems)

        def run(block: tuple[int, int]) -> Floats:
            places = self._draw_places(segments, resampling.seed, block)
            chosen = rows[slice(*block)]
            y = self._drawn_lists(people, places, chosen)
            values = [
                correlations(coefficient, self._drawn_lists(source, places, chosen), y, self.min_points)
                for source in metrics
            ]
            return _mean_defined(np.array(values).reshape(len(metrics), len(places), -1))

        return _run_blocks(run, resampling.n_resamples, max(1, _MAX_POINTS // (n_systems * items)), workers)

    def _resample_kendall(
        self,
        coefficient: str,
        metrics: Sequence[ScoreSource],
        people: ScoreSource,
        resampling: Resampling,
        workers: Workers,
        systems: Counts | None,
    ) -> Floats:
        """Resample Kendall's tau of segments, which are sorted once."""
        variant = coefficient.removeprefix("kendall").removeprefix("-") or "b"
        shape = people.segments.shape
        segment_of, system_of = (
            self.lists(np.broadcast_to(places, shape)) for places in (np.arange(shape[1]), np.arange(shape[0])[:, None])
        )
        y = self.lists(people.segments)
        by_metric = [
            [
                WeightedKendall(*points)
                for points in zip(self.lists(source.segments), y, segment_of, system_of, strict=True)
            ]
            for source in metrics
        ]

        def run(block: tuple[int, int]) -> Floats:
            weights = count_segment_draws(shape[1], self.labels, resampling.seed, *block)
            times = [None] * len(weights) if systems is None else list(systems[slice(*block)])
            if self.grouping == "system" and systems is not None:  # a system drawn twice is a group that counts twice
                values = [[[points.kendall(variant, w) for points in lists] for w in weights] for lists in by_metric]
                return _mean_defined(np.array(values), systems[slice(*block)])
            draws = list(zip(weights, times, strict=True))
            values = [[[points.kendall(variant, *draw) for points in lists] for draw in draws] for lists in by_metric]
            return _mean_defined(np.array(values))

        return _run_blocks(run, resampling.n_resamples, _WEIGHTED_BLOCK, workers)

    def _draw_places(self, segments: int, seed: int, block: tuple[int, int]) -> NDArray[np.intp]:
        """Return the segments of each resample, [resamples, places].

        Documents differ in length, and so do resamples of them: -1 fills up the shorter ones. Pseudo-documents have
        places for `segments` segments, over which those of a resample are spread evenly.
        """
        counts = count_segment_draws(segments, self.labels, seed, *block)
        rows = [np.repeat(np.arange(segments), row) for row in counts]
        if self.members is not None:
            return np.stack([row[np.arange(segments) * len(row) // segments] for row in rows])
        places = np.full((len(rows), max(map(len, rows))), -1)
        for filled, row in zip(places, rows, strict=True):
            filled[: len(row)] = row
        return places

    def _resample_items(
        self, coefficient: str, metric: ScoreSource, people: ScoreSource, resampling: Resampling, jobs: int | None
    ) -> Floats:
        values = item_correlations(coefficient, metric, people)
        defined = ~np.isnan(values)
        rows = sum_units(np.stack([np.where(defined, values, 0.0), defined], axis=1), self.labels)
        sums = bootstrap(rows, resampling.n_resamples, resampling.seed, jobs)
        with np.errstate(invalid="ignore"):
            return sums[:, 0] / sums[:, 1]

    def _resample_weighted_items(
        self,
        coefficient: str,
        metric: ScoreSource,
        people: ScoreSource,
        resampling: Resampling,
        systems: Counts | None,
    ) -> Floats:
        """Return means over drawn segments of correlations over drawn systems, whose copies are weights."""
        assert systems is not None
        segments = people.segments.shape[1]
        weights = count_segment_draws(segments, self.labels, resampling.seed, 0, resampling.n_resamples)
        values = _WEIGHTED_ITEMS[coefficient](metric.segments, people.segments, systems.astype(float))
        return _mean_defined(values, weights)

    def _drawn_lists(self, source: ScoreSource, places: NDArray[np.intp], systems: NDArray[np.intp]) -> Floats:
        """Return float64[resamples * lists, points] for intp[resamples, segments] and intp[resamples, systems]."""
        if self.members is None:
            items = source.segments[systems[:, :, None], places[:, None, :]]
            items[np.broadcast_to(places[:, None, :] < 0, items.shape)] = np.nan
        else:
            documents = places[:, self.members].reshape(-1, self.members.shape[1])
            scores = source.documents(documents).reshape(-1, len(places), len(self.members))
            items = np.moveaxis(scores, 1, 0)[np.arange(len(places))[:, None], systems]
        resamples, n_systems, _ = items.shape
        if self.grouping == "item":
            return np.moveaxis(items, 1, 2).reshape(-1, n_systems)
        return items.reshape(resamples * (1 if self.grouping == "none" else n_systems), -1)


def repeat_places(counts: Counts) -> NDArray[np.intp]:
    """Return the places of drawn systems, intp[draws, systems], from how often each system is drawn."""
    places = np.tile(np.arange(counts.shape[1]), len(counts))
    return np.repeat(places, counts.ravel()).reshape(counts.shape)


def correlate_drawn_systems(coefficient: str, metric: Floats, people: Floats, systems: Counts | None) -> Floats:
    """Correlate the rows of float64[draws, systems]; with `systems`, of those systems that each draw contains.

    A draw with fewer than three distinct systems has no correlation.
    """
    if systems is None:
        return correlations(coefficient, metric, people)
    places = repeat_places(systems)
    values = correlations(
        coefficient, np.take_along_axis(metric, places, axis=1), np.take_along_axis(people, places, axis=1)
    )
    values[(systems > 0).sum(axis=1) < MIN_POINTS] = np.nan
    return values


def item_correlations(coefficient: str, metric: ScoreSource, people: ScoreSource) -> Floats:
    """Return the correlation over systems in each segment, NaN where it is undefined."""
    return correlations(coefficient, metric.segments.T, people.segments.T, MIN_GROUP)


def _weigh_kendall(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return tau-b of each item for each draw; pairs of copies of a system tie on both sides, so they drop out."""
    first, second = np.triu_indices(len(x), 1)
    known = np.isfinite(x) & np.isfinite(y)
    both = known[first] & known[second]
    with np.errstate(invalid="ignore"):
        order_x, order_y = (np.where(both, np.sign(v[first] - v[second]), 0.0) for v in (x, y))
    pairs = counts[:, first] * counts[:, second]
    shared = pairs @ (order_x * order_y)
    largest = np.sqrt(pairs @ np.abs(order_x)) * np.sqrt(pairs @ np.abs(order_y))
    values: Floats = np.divide(shared, largest, out=np.full(shared.shape, np.nan), where=largest > 0)
    return values


def _weigh_pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return Pearson's r of each item for each draw."""
    known = (np.isfinite(x) & np.isfinite(y)).astype(float)
    x, y = (np.where(known > 0, _standardize_items(v, known), 0.0) for v in (x, y))
    n = counts @ known
    sums_x, sums_y = counts @ x, counts @ y
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = (counts @ (v * v) - sums * sums / n for v, sums in ((x, sums_x), (y, sums_y)))
        values: Floats = (counts @ (x * y) - sums_x * sums_y / n) / np.sqrt(spread_x * spread_y)
    varied = (spread_x > 1e-9) & (spread_y > 1e-9)
    return np.where(varied, np.clip(values, -1, 1), np.nan)


def _standardize_items(values: Floats, known: Floats) -> Floats:
    """Return items with mean 0 and standard deviation 1, so that a spread can be compared with rounding."""
    n = np.maximum(known.sum(axis=0), 1)
    filled = np.where(known > 0, values, 0.0)
    centered = (filled - filled.sum(axis=0) / n) * known
    spread = np.sqrt((centered**2).sum(axis=0) / n)
    largest = np.abs(filled).max(axis=0, initial=0.0)
    standard: Floats = np.divide(centered, spread, out=np.zeros_like(centered), where=spread > 1e-12 * largest)
    return standard


_WEIGHTED_ITEMS = {"kendall": _weigh_kendall, "pearson": _weigh_pearson}


def _run_blocks(run: Callable[[tuple[int, int]], Floats], n_resamples: int, size: int, workers: Workers) -> Floats:
    """Run blocks of resamples and join them to float64[metrics, n_resamples]."""
    parts, results = blocks(n_resamples, size), []
    for part in map_ordered(run, parts, len(parts), workers.jobs, workers.executor):
        results.append(part)
        if workers.progress is not None:
            workers.progress(part.shape[1])
    return np.concatenate(results, axis=1)


def _mean_defined(values: Floats, weights: NDArray[np.int16] | Counts | None = None) -> Floats:
    """Return the weighted means over the last axis, ignoring NaN."""
    times = (~np.isnan(values)).astype(float)
    if weights is not None:
        times *= weights
    with np.errstate(invalid="ignore"):
        means: Floats = (np.nan_to_num(values) * times).sum(axis=-1) / times.sum(axis=-1)
    return means


def make_level(
    level: str,
    grouping: str | None,
    segments: int,
    count: int = 1000,
    size: int = 30,
    seed: int = 0,
    labels: Sequence[str] | None = None,
) -> CorrelationLevel:
    """Return the level for a test set of `segments` segments; pseudo-documents are drawn from the seed."""
    members = draw_random_sets(seed, segments, count, size) if level == "document" else None
    return CorrelationLevel(level, grouping or "none", members, labels)
