"""Minimum error rate training: weights that make the best candidates come out on top (Och 2003).

From each start the best of many exact line searches is taken, along every feature and along random directions, until
none gains anything. The best of all starts wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Floats
from tarocco.run import map_ordered
from tarocco.search.line_search import profile
from tarocco.search.objective import Objective

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
