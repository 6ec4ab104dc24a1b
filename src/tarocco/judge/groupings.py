"""Which scores of a metric are correlated with which of people: the level that has scores, and how they are grouped.

Items are the whole test set, its segments, or pseudo-documents drawn from them: float64[systems, items] for each side.
They are correlated in one list, item by item over systems, or system by system over items. Where several correlations
are averaged, those that are undefined are left out, and the result says how many there were.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import BadParameter
from tarocco.judge.correlation import correlations, undefined
from tarocco.judge.sides import Side
from tarocco.judge.streams import documents
from tarocco.metrics.base import Floats
from tarocco.resample import bootstrap, drawn
from tarocco.run import map_ordered

LEVELS = ("system", "segment", "document")
GROUPINGS = ("none", "item", "system")
NAMES = ("metric's", "human")


@dataclass(frozen=True)
class Agreement:
    """How well a metric agrees with people."""

    value: float  # NaN where it is undefined
    defined: int  # how many correlations it is the mean of
    groups: int  # of how many
    why: str | None  # it is undefined


@dataclass(frozen=True, eq=False)
class View:
    """A level and a grouping. At system level there is one item, which all groupings but `system` treat alike."""

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

    def items(self, side: Side) -> Floats:
        """float64[systems, items]"""
        if self.level == "system":
            return side.systems[:, None]
        return side.segments if self.members is None else side.documents(self.members)

    def lists(self, items: Floats) -> Floats:
        """float64[lists, points]: what is correlated, row by row."""
        if self.grouping == "none":
            return items.reshape(1, -1)
        return items.T if self.grouping == "item" else items

    def agreement(self, coefficient: str, metric: Floats, people: Floats) -> Agreement:
        """The mean of the lists' correlations, from both sides' items."""
        x, y = self.lists(metric), self.lists(people)
        found = correlations(coefficient, x, y)
        there = found[~np.isnan(found)]
        if len(there):
            return Agreement(float(there.mean()), len(there), len(found), None)
        if len(found) == 1:
            return Agreement(np.nan, 0, 1, undefined(x, y, NAMES))
        return Agreement(np.nan, 0, len(found), f"none of {len(found)} groups has a correlation")

    def resampled(
        self, coefficient: str, metric: Side, people: Side, n_resamples: int, seed: int, jobs: int | None = None
    ) -> Floats:
        """float64[n_resamples]: the agreement on each resample of the segments; NaN where it is undefined.

        Segments are drawn for all systems and both sides together. Pseudo-documents keep their places, which the
        drawn segments fill. Correlations of single segments stay what they are, and only their mean is drawn anew.
        """
        if self.level == "system":
            return correlations(coefficient, *(side.resampled(n_resamples, seed, jobs) for side in (metric, people)))
        if self.level == "segment" and self.grouping == "item":
            found = correlations(coefficient, metric.segments.T, people.segments.T)
            there = ~np.isnan(found)
            sums = bootstrap(np.stack([np.where(there, found, 0.0), there], axis=1), n_resamples, seed, jobs)
            with np.errstate(invalid="ignore"):
                return sums[:, 0] / sums[:, 1]
        count = people.segments.shape[1]

        def run(number: int) -> float:
            places = drawn(count, seed, number)
            if self.members is None:
                x, y = (side.segments[:, places] for side in (metric, people))
            else:
                x, y = (side.documents(places[self.members]) for side in (metric, people))
            return self.agreement(coefficient, x, y).value

        return np.array(list(map_ordered(run, range(n_resamples), n_resamples, jobs)))


def view_of(level: str, grouping: str | None, segments: int, count: int = 1000, size: int = 30, seed: int = 0) -> View:
    """The view of a test set with so many segments; pseudo-documents are drawn from the seed.

    Without a grouping all points are in one list.
    """
    members = documents(seed, segments, count, size) if level == "document" else None
    return View(level, grouping or "none", members)
