"""Minimum error rate training (Och 2003).

Each step of a hill climb is the best of many exact line searches, along every feature and along random directions. It
ends when no line search improves the objective. The best of all starts wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import kernel, upper_envelope
from tarocco.metrics.base import Floats, Metric
from tarocco.parallel.fan_out import map_ordered


@dataclass(frozen=True, eq=False)
class TuningObjective:
    """A weighted sum of metrics, and the statistics of every candidate, with the columns of all metrics."""

    metrics: tuple[Metric, ...]
    shares: tuple[float, ...]
    statistics: Floats
    columns: tuple[int, ...]  # the number of columns of each metric

    @classmethod
    def of(cls, metrics: Sequence[Metric], shares: Sequence[float], statistics: Sequence[Floats]) -> TuningObjective:
        columns = tuple(rows.shape[1] for rows in statistics)
        return cls(tuple(metrics), tuple(shares), np.concatenate(list(statistics), axis=1), columns)

    def goodness(self, sums: Floats) -> Floats:
        """Return the objective of sums, higher is better; minus infinity if a metric has no score."""
        total = np.zeros(sums.shape[:-1])
        for metric, share, columns in zip(self.metrics, self.shares, self.parts(sums), strict=True):
            total += share * metric.sign * metric.score(columns)
        return np.where(np.isnan(total), -np.inf, total)

    def parts(self, rows: Floats) -> list[Floats]:
        """Return the columns of each metric."""
        return np.split(rows, np.cumsum(self.columns)[:-1], axis=-1)

    def of_choice(self, choice: np.ndarray[tuple[int], np.dtype[np.intp]]) -> float:
        """Return the objective of these candidates."""
        return float(self.goodness(self.statistics[choice].sum(axis=0)))


_upper = kernel(upper_envelope, "find_upper_envelopes")

NARROWEST = 1e-9  # the relative width of an interval: weights are no more exact than that


class LineOptimum(NamedTuple):
    """The best point of a line: its distance from the current weights, and the objective there."""

    length: float
    goodness: float


@dataclass(frozen=True, eq=False)
class ObjectiveProfile:
    """The objective along a line: goodness[i] between places[i] and places[i + 1]; places[0] is minus infinity."""

    places: Floats
    goodness: Floats

    def at(self, length: float) -> float:
        """Return the objective at a distance."""
        return float(self.goodness[np.searchsorted(self.places, length, side="right") - 1])

    def best(self) -> LineOptimum:
        """Return the middle of the best interval; ties go to the interval nearest to the current weights."""
        left, right = self.places, np.append(self.places[1:], np.inf)
        near = np.abs(left)
        near[0] = 0.0  # the first interval has no left end
        goodness = np.where(right - left > NARROWEST * (1 + near), self.goodness, -np.inf)
        best = np.flatnonzero(goodness == goodness.max())
        nearest = best[np.argmin(np.maximum(np.maximum(left[best], -right[best]), 0.0))]
        return LineOptimum(_point_inside(float(left[nearest]), float(right[nearest])), float(goodness[nearest]))


def _point_inside(left: float, right: float) -> float:
    """Return 0 if it is inside, the middle of a finite interval, or a point beyond the finite end."""
    if left <= 0.0 < right:
        return 0.0
    if np.isinf(left):
        return right - 1.0 - abs(right)
    return left + 1.0 + abs(left) if np.isinf(right) else left + (right - left) / 2


def profile(heights: Floats, slopes: Floats, bounds: NDArray[np.intp], objective: TuningObjective) -> ObjectiveProfile:
    """Return the objective along a line on which candidate i scores heights[i] + length * slopes[i].

    The candidates of list s are bounds[s] to bounds[s + 1]; ties go to the first.
    """
    n = len(heights)
    kept, starts, firsts = np.empty(n, np.intp), np.empty(n), np.empty(len(bounds), np.intp)
    _upper(heights, slopes, bounds, -np.inf, np.inf, kept, starts, firsts)
    later = np.ones(firsts[-1], np.bool_)
    later[firsts[:-1]] = False
    changed = np.flatnonzero(later)
    # A stable sort keeps equal places in the order of lists, so sums are reproducible.
    changed = changed[np.argsort(starts[changed], kind="stable")]
    places = starts[changed]
    rows = objective.statistics
    sums = np.empty((len(changed) + 1, rows.shape[1]))
    sums[0] = rows[kept[firsts[:-1]]].sum(axis=0)
    np.subtract(rows[kept[changed]], rows[kept[changed - 1]], out=sums[1:])
    np.cumsum(sums, axis=0, out=sums)
    last = np.flatnonzero(np.append(places[1:] != places[:-1], len(places) > 0))
    states = np.append(0, last + 1)  # of several changes at one place, only the last is a state
    return ObjectiveProfile(np.append(-np.inf, places[last]), objective.goodness(sums[states]))


MOST_STEPS = 200
GAIN = 1e-9  # the least improvement of a step


@dataclass(frozen=True, eq=False)
class Climb:
    """The outcome of one start: its number (0 is the initial weights), final weights, objective and steps."""

    number: int
    weights: Floats
    goodness: float
    steps: int


@dataclass(frozen=True, eq=False)
class MertSearch:
    """Features, objective and settings of a search for weights."""

    features: Floats  # [candidates, features]
    bounds: NDArray[np.intp]
    objective: TuningObjective
    free: NDArray[np.bool_]  # which weights may change
    directions: int  # random ones, in addition to the features
    seed: int

    @cached_property
    def _columns(self) -> Floats:
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def scale(self) -> Floats:
        """The standard deviation of each feature; random weights are drawn in proportion to its inverse."""
        spread = self.features.std(axis=0)
        return np.where(spread > 0, spread, 1.0)

    def scores(self, weights: Floats) -> Floats:
        """Return float64[candidates]: the weighted sum of features."""
        return weighted_sum(self._columns, weights)

    def choose(self, weights: Floats) -> NDArray[np.intp]:
        """Return the candidate of each list that scores highest; ties go to the first."""
        return best_of_lists(self.scores(weights), self.bounds)

    def climb(self, number: int, start: Floats) -> Climb:
        """Climb from a start until no line search improves the objective."""
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, 1, number])))
        weights = normalize(start)
        best = self.objective.of_choice(self.choose(weights))
        for step in range(MOST_STEPS):
            heights = self.scores(weights)
            new = weights
            for direction, slopes in self._lines(random):
                length, promised = profile(heights, slopes, self.bounds, self.objective).best()
                if promised <= best + GAIN:
                    continue
                there = normalize(weights + length * direction)
                # Computed again, because rounding of these weights may change the choice.
                goodness = self.objective.of_choice(self.choose(there))
                if goodness > best + GAIN:
                    new, best = there, goodness
            if new is weights:
                return Climb(number, weights, best, step)
            weights = new
        return Climb(number, weights, best, MOST_STEPS)

    def _lines(self, random: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """Yield directions and the slope of each candidate's score along them: features, then random directions."""
        free = np.flatnonzero(self.free)
        for k in free:
            yield np.eye(len(self.free))[k], self._columns[k]
        for drawn in random.standard_normal((self.directions, len(free))) / self.scale[free]:
            direction = np.zeros(len(self.free))
            direction[free] = drawn
            yield direction, self.scores(direction)

    def starts(self, initial: Floats, restarts: int) -> list[Floats]:
        """Return the initial weights, then random ones, each on the scale of its feature."""
        starts = [initial]
        for number in range(1, restarts + 1):
            random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, 0, number])))
            starts.append(np.where(self.free, random.uniform(-1, 1, len(initial)) / self.scale, initial))
        return starts


def weighted_sum(columns: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of columns[features, candidates], added in order so that all machines agree."""
    total = np.zeros(columns.shape[1])
    for weight, column in zip(weights.tolist(), columns, strict=True):
        if weight:
            total += weight * column
    return total


def best_of_lists(scores: Floats, bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of the highest score of each list; ties go to the first."""
    best = np.maximum.reduceat(scores, bounds[:-1])
    equal = np.flatnonzero(scores == np.repeat(best, np.diff(bounds)))
    first = np.searchsorted(equal, bounds[:-1])
    chosen: NDArray[np.intp] = equal[first]
    return chosen


def normalize(weights: Floats) -> Floats:
    """Return weights whose absolute values add up to 1, like those of Moses; choices do not change."""
    total = float(np.abs(weights).sum())
    return weights / total if total > 0 else weights


def climb_all(
    search: MertSearch,
    initial: Floats,
    restarts: int,
    jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[Climb]:
    """Return the outcome of every start; `progress` is called with 1 after each."""
    starts = list(enumerate(search.starts(initial, restarts)))
    climbs = []
    for climb in map_ordered(lambda start: search.climb(*start), starts, len(starts), jobs):
        climbs.append(climb)
        if progress is not None:
            progress(1)
    return climbs
