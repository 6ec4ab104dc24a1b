"""Och's exact line search: the score of all lists together along a line through the space of weights (Och 2003).

Along a line each candidate's model score is a straight line, and the candidate on top of its list changes at finitely
many places. Between two places the score is constant, so it is known everywhere, and its maximum is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import envelopes, kernel
from tarocco.metrics.base import Floats
from tarocco.search.objective import Objective

_upper = kernel(envelopes, "upper")

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
        middle = _middles(left, right)
        wide = right - left > NARROWEST * (1 + np.abs(np.where(np.isinf(left), 0.0, left)))
        goodness = np.where(wide, self.goodness, -np.inf)
        best = np.flatnonzero(goodness == goodness.max())
        nearest = best[np.argmin(np.maximum(np.maximum(left[best], -right[best]), 0.0))]
        inside = left[nearest] <= 0.0 < right[nearest]
        return Step(0.0 if inside else float(middle[nearest]), float(goodness[nearest]))


def _middles(left: Floats, right: Floats) -> Floats:
    """The middle of each interval; a step beyond the end where one end is infinite."""
    low, high = np.where(np.isinf(left), 0.0, left), np.where(np.isinf(right), 0.0, right)
    beyond, before = low + 1.0 + np.abs(low), high - 1.0 - np.abs(high)
    ends = [np.isinf(left) & np.isinf(right), np.isinf(right), np.isinf(left)]
    return np.select(ends, [np.zeros(len(left)), beyond, before], low + (high - low) / 2)


def profile(heights: Floats, slopes: Floats, bounds: NDArray[np.intp], objective: Objective) -> Profile:
    """The objective along a line, on which candidate i scores heights[i] + length * slopes[i].

    The candidates of list s are those from bounds[s] to bounds[s + 1]; of equal ones the first is on top.
    """
    heights, slopes = np.ascontiguousarray(heights), np.ascontiguousarray(slopes)
    n = len(heights)
    lists = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    order = np.lexsort((-np.arange(n), heights, slopes, lists))
    kept, starts, counts = np.empty(n, np.intp), np.empty(n), np.empty(len(bounds) - 1, np.intp)
    _upper(order, bounds, heights, slopes, -np.inf, kept, starts, counts)
    within = np.arange(n) - bounds[lists] < counts[lists]
    kept, starts = kept[within], starts[within]
    first = np.isinf(starts)
    changed = np.flatnonzero(~first)
    # Equal places in the order of lists: sums do not depend on how a sort breaks ties.
    changed = changed[np.argsort(starts[changed], kind="stable")]
    places = starts[changed]
    steps = objective.statistics[kept[changed]] - objective.statistics[kept[changed - 1]]
    sums = np.cumsum(np.concatenate([objective.statistics[kept[first]].sum(axis=0)[None], steps]), axis=0)
    last = np.append(np.flatnonzero(np.diff(places)), len(places) - 1) if len(places) else np.empty(0, np.intp)
    rows = np.concatenate([[0], last + 1]).astype(np.intp)  # of several changes at a place only the last is a state
    return Profile(np.concatenate([[-np.inf], places[last]]), objective.goodness(sums[rows]))
