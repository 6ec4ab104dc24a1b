"""Minimum error rate training: weights that make the best candidates come out on top (Och 2003).

From each start the best of many exact line searches is taken, along every feature and along random directions, until
none gains anything. The best of all starts wins.
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
class Objective:
    """Metrics, how much each counts, and the statistics of every candidate: [candidates, all columns side by side]."""

    metrics: tuple[Metric, ...]
    shares: tuple[float, ...]
    statistics: Floats
    columns: tuple[int, ...]  # how many each metric has

    @classmethod
    def of(cls, metrics: Sequence[Metric], shares: Sequence[float], statistics: Sequence[Floats]) -> Objective:
        columns = tuple(rows.shape[1] for rows in statistics)
        return cls(tuple(metrics), tuple(shares), np.concatenate(list(statistics), axis=1), columns)

    def goodness(self, sums: Floats) -> Floats:
        """Higher is better; minus infinity where a metric has no score."""
        total = np.zeros(sums.shape[:-1])
        for metric, share, own in zip(self.metrics, self.shares, self.parts(sums), strict=True):
            total += share * metric.sign * metric.score(own)
        return np.where(np.isnan(total), -np.inf, total)

    def parts(self, rows: Floats) -> list[Floats]:
        """Each metric's columns."""
        return np.split(rows, np.cumsum(self.columns)[:-1], axis=-1)

    def of_choice(self, choice: np.ndarray[tuple[int], np.dtype[np.intp]]) -> float:
        """The objective of these candidates."""
        return float(self.goodness(self.statistics[choice].sum(axis=0)))


_upper = kernel(upper_envelope, "find_upper_envelopes")

NARROWEST = 1e-9  # of an interval, relative to where it is: no weight can be set more exactly than that


class Step(NamedTuple):
    """How far to go along a line, and what the objective is there."""

    length: float
    goodness: float


@dataclass(frozen=True, eq=False)
class Profile:
    """The objective along a line: goodness[i] from places[i] to places[i + 1], the first from minus infinity."""

    places: Floats
    goodness: Floats

    def at(self, length: float) -> float:
        """The objective at a place."""
        return float(self.goodness[np.searchsorted(self.places, length, side="right") - 1])

    def best(self) -> Step:
        """The middle of the best interval; of equal ones that nearest to where we are."""
        left, right = self.places, np.append(self.places[1:], np.inf)
        near = np.abs(left)
        near[0] = 0.0  # the first interval has no left end to be near to
        goodness = np.where(right - left > NARROWEST * (1 + near), self.goodness, -np.inf)
        best = np.flatnonzero(goodness == goodness.max())
        nearest = best[np.argmin(np.maximum(np.maximum(left[best], -right[best]), 0.0))]
        return Step(_inside(float(left[nearest]), float(right[nearest])), float(goodness[nearest]))


def _inside(left: float, right: float) -> float:
    """The middle of an interval; a step beyond its end where the other is infinite; where we are, if that is inside."""
    if left <= 0.0 < right:
        return 0.0
    if np.isinf(left):
        return right - 1.0 - abs(right)
    return left + 1.0 + abs(left) if np.isinf(right) else left + (right - left) / 2


def profile(heights: Floats, slopes: Floats, bounds: NDArray[np.intp], objective: Objective) -> Profile:
    """The objective along a line, on which candidate i scores heights[i] + length * slopes[i].

    The candidates of list s are those from bounds[s] to bounds[s + 1]; of equal ones the first is on top.
    """
    n = len(heights)
    kept, starts, firsts = np.empty(n, np.intp), np.empty(n), np.empty(len(bounds), np.intp)
    _upper(heights, slopes, bounds, -np.inf, np.inf, kept, starts, firsts)
    later = np.ones(firsts[-1], np.bool_)
    later[firsts[:-1]] = False
    changed = np.flatnonzero(later)
    # Equal places in the order of lists: sums do not depend on how a sort breaks ties.
    changed = changed[np.argsort(starts[changed], kind="stable")]
    places = starts[changed]
    rows = objective.statistics
    sums = np.empty((len(changed) + 1, rows.shape[1]))
    sums[0] = rows[kept[firsts[:-1]]].sum(axis=0)
    np.subtract(rows[kept[changed]], rows[kept[changed - 1]], out=sums[1:])
    np.cumsum(sums, axis=0, out=sums)
    last = np.flatnonzero(np.append(places[1:] != places[:-1], len(places) > 0))
    states = np.append(0, last + 1)  # of several changes at a place only the last is a state
    return Profile(np.append(-np.inf, places[last]), objective.goodness(sums[states]))


MOST_STEPS = 200
GAIN = 1e-9  # a step that gains less is none


@dataclass(frozen=True, eq=False)
class Climb:
    """Where one start led: its number (0 is where tuning began), the weights, the objective, and how many steps."""

    number: int
    weights: Floats
    goodness: float
    steps: int


@dataclass(frozen=True, eq=False)
class Tuning:
    """All that does not change while weights are sought."""

    features: Floats  # [candidates, features]
    bounds: NDArray[np.intp]
    objective: Objective
    free: NDArray[np.bool_]  # which weights may change
    directions: int  # random ones, besides the features themselves
    seed: int

    @cached_property
    def _columns(self) -> Floats:
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def scale(self) -> Floats:
        """How much each feature varies; random weights are drawn in proportion to its inverse."""
        spread = self.features.std(axis=0)
        return np.where(spread > 0, spread, 1.0)

    def scores(self, weights: Floats) -> Floats:
        """float64[candidates]: the sum of weighted features."""
        return weighted(self._columns, weights)

    def choice(self, weights: Floats) -> NDArray[np.intp]:
        """The candidate of each list that scores highest, the first of equals."""
        return choice(self.scores(weights), self.bounds)

    def climb(self, number: int, start: Floats) -> Climb:
        """Line searches from a start until none gains."""
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, 1, number])))
        weights = normalized(start)
        best = self.objective.of_choice(self.choice(weights))
        for step in range(MOST_STEPS):
            heights = self.scores(weights)
            found = weights
            for direction, slopes in self._lines(random):
                length, promised = profile(heights, slopes, self.bounds, self.objective).best()
                if promised <= best + GAIN:
                    continue
                there = normalized(weights + length * direction)
                # Counted again: what rounding does to the score at these very weights is what the user will see.
                goodness = self.objective.of_choice(self.choice(there))
                if goodness > best + GAIN:
                    found, best = there, goodness
            if found is weights:
                return Climb(number, weights, best, step)
            weights = found
        return Climb(number, weights, best, MOST_STEPS)

    def _lines(self, random: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """Directions, and how fast each candidate's score grows along them: the features, then random ones."""
        free = np.flatnonzero(self.free)
        for k in free:
            yield np.eye(len(self.free))[k], self._columns[k]
        for drawn in random.standard_normal((self.directions, len(free))) / self.scale[free]:
            direction = np.zeros(len(self.free))
            direction[free] = drawn
            yield direction, self.scores(direction)

    def starts(self, given: Floats, restarts: int) -> list[Floats]:
        """Where to begin: at the given weights, and at random ones, each on the scale of its feature."""
        found = [given]
        for number in range(1, restarts + 1):
            random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, 0, number])))
            found.append(np.where(self.free, random.uniform(-1, 1, len(given)) / self.scale, given))
        return found


def weighted(columns: Floats, weights: Floats) -> Floats:
    """The weighted sum of columns[features, candidates], added in their order, on every machine the same."""
    total = np.zeros(columns.shape[1])
    for weight, column in zip(weights.tolist(), columns, strict=True):
        if weight:
            total += weight * column
    return total


def choice(scores: Floats, bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    """The highest of each list, the first of equals."""
    best = np.maximum.reduceat(scores, bounds[:-1])
    equal = np.flatnonzero(scores == np.repeat(best, np.diff(bounds)))
    first = np.searchsorted(equal, bounds[:-1])
    chosen: NDArray[np.intp] = equal[first]
    return chosen


def normalized(weights: Floats) -> Floats:
    """Weights whose sizes add up to 1, as Moses has them; the choice does not change."""
    total = float(np.abs(weights).sum())
    return weights / total if total > 0 else weights


def climbs(
    tuning: Tuning,
    start: Floats,
    restarts: int,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> list[Climb]:
    """What every start led to; the same for any number of jobs."""
    starts = list(enumerate(tuning.starts(start, restarts)))
    found = []
    for one in map_ordered(lambda item: tuning.climb(*item), starts, len(starts), jobs):
        found.append(one)
        if advance is not None:
            advance(1)
    return found
