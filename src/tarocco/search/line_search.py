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
