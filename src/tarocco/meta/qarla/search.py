"""Searches for the set of metrics with the highest KING (Gimenez 2007, IQmt's manual, section 3.3, and beyond).

A search asks an `Objective` for the value of sets, and gives the set that it ends with, in the order in which metrics
came in. Of sets that are level the smaller is better, and of equal sizes the one whose metrics were given first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from tarocco.core.errors import BadParameter
from tarocco.meta.qarla.tallies import Board, Members, bit, count_subsets, shares
from tarocco.metrics.base import Floats

METHODS = ("greedy", "forward", "beam", "exhaustive")
TIES = ("strict", "count")
WIDTH = 10  # sets that a beam keeps
MOST_SETS = 1 << 22  # that an exhaustive search goes through: minutes where there are thousands of segments


@dataclass(frozen=True, eq=False)
class Objective:
    """KING or strict KING of sets, on all folds or on all but one."""

    board: Board
    ties: str = "strict"  # "count": the manual's KING, in which a tie is won
    without: int | None = None

    @property
    def column(self) -> int:
        """Of tallies."""
        return 1 if self.ties == "strict" else 0

    def with_one_more(self, chosen: Members, metrics: Sequence[int]) -> list[float]:
        """The value of a set with each of some metrics added; -inf where it has none."""
        tallies = self.board.with_one_more(chosen, metrics)
        total = tallies.sum(axis=1)
        if self.without is not None:
            total = total - tallies[:, self.without]
        values: list[float] = _ordered(shares(total, self.column, self.board.whole)).tolist()
        return values


def _ordered(values: Floats) -> Floats:
    return np.where(np.isnan(values), -inf, values)


def greedy(objective: Objective) -> Members:
    """The manual's: metrics in the order of their own KING, each kept if it raises the set's; of equals the first."""
    everything = range(objective.board.metrics)
    alone = objective.with_one_more((), everything)
    chosen: Members = ()
    value = -inf
    for metric in sorted(everything, key=lambda metric: -alone[metric]):
        (found,) = objective.with_one_more(chosen, [metric])
        if not chosen or found > value:
            chosen, value = (*chosen, metric), found
    return chosen


def forward(objective: Objective, among: Sequence[int] | None = None, to_the_end: bool = False) -> Members:
    """The best addition at each step, until none raises KING; or to the end, until all are in."""
    left = list(range(objective.board.metrics) if among is None else sorted(among))
    chosen: Members = ()
    value = -inf
    while left:
        values = objective.with_one_more(chosen, left)
        best = max(values)
        if chosen and best <= value and not to_the_end:
            break
        chosen, value = (*chosen, left.pop(values.index(best))), best
    return chosen


def beam(objective: Objective, width: int = WIDTH, most: int | None = None) -> Members:
    """Of each size the `width` best sets that have one metric more than one of the size before; the best of all."""
    total = objective.board.metrics
    kept: list[Members] = [()]
    best: tuple[float, Members] = (-inf, ())
    for _ in range(total if most is None else min(most, total)):
        found: dict[Members, float] = {}
        for chosen in kept:
            others = [metric for metric in range(total) if metric not in chosen]
            for metric, value in zip(others, objective.with_one_more(chosen, others), strict=True):
                found[tuple(sorted((*chosen, metric)))] = value
        kept = sorted(found, key=lambda members: (-found[members], members))[:width]
        if not best[1] or found[kept[0]] > best[0]:
            best = found[kept[0]], kept[0]
    return forward(objective, best[1], to_the_end=True)


def exhaustive(
    objectives: Sequence[Objective], most: int | None = None, advance: Callable[[int], None] | None = None
) -> list[Members]:
    """The best of all sets of up to `most` metrics, for objectives on one board: a set is tallied once for all."""
    board = objectives[0].board
    best: list[tuple[float, float, int]] = [(-inf, -inf, 0)] * len(objectives)
    strict_alone = all(objective.ties == "strict" for objective in objectives)
    for all_codes, all_tallies in board.in_parts(board.metrics if most is None else most, strict_alone):
        codes, tallies = all_codes[all_codes > 0], all_tallies[..., all_codes > 0]  # without the empty set
        if not len(codes):
            continue
        sizes = -np.bitwise_count(codes).astype(np.int64)
        total = tallies.sum(axis=0)
        for o, objective in enumerate(objectives):
            own = total if objective.without is None else total - tallies[objective.without]
            values = _ordered(shares(own.T, objective.column, board.whole))
            level = np.flatnonzero(values == values.max())
            first = level[np.lexsort((codes[level], sizes[level]))[-1]]
            best[o] = max(best[o], (float(values[first]), int(sizes[first]), int(codes[first])))
        if advance is not None:
            advance(len(codes))
    found = ([m for m in range(board.metrics) if code & bit(m, board.metrics)] for _, _, code in best)
    return [forward(own, members, to_the_end=True) for own, members in zip(objectives, found, strict=True)]


@dataclass(frozen=True)
class Search:
    """A way to look for a set."""

    method: str = "greedy"
    ties: str = "strict"
    width: int = WIDTH
    most: int | None = None  # metrics in a set

    def check(self, metrics: int) -> None:
        """Refuse what is no search, or takes too long."""
        if self.method not in METHODS:
            raise BadParameter(f"method is one of {', '.join(METHODS)}, not {self.method!r}")
        if self.ties not in TIES:
            raise BadParameter(f"ties is one of {', '.join(TIES)}, not {self.ties!r}")
        for name, value in (("width", self.width), ("most", 1 if self.most is None else self.most)):
            if not (isinstance(value, int) and value >= 1):
                raise BadParameter(f"{name} is an integer of at least 1, not {value!r}")
        if self.most is not None and self.method not in ("beam", "exhaustive"):
            raise BadParameter(
                f"most is for the methods beam and exhaustive; {self.method} ends where nothing is gained"
            )
        if self.method == "exhaustive":
            self._check_size(metrics)

    def _check_size(self, metrics: int) -> None:
        size = self.most or metrics
        count = count_subsets(metrics, size) - 1
        if metrics > 64:
            raise BadParameter(
                f"exhaustive search takes 64 metrics at most, not {metrics}; beam search takes any number"
            )
        if count > MOST_SETS:
            fit = max((k for k in range(1, metrics) if count_subsets(metrics, k) <= MOST_SETS), default=0)
            hint = f"with at most {fit} metrics in a set there are {count_subsets(metrics, fit) - 1:,}; " if fit else ""
            raise BadParameter(
                f"exhaustive search over {metrics} metrics would go through {count:,} sets, and {MOST_SETS:,} are the "
                f"most: {hint}beam search takes any number"
            )

    def steps(self, metrics: int) -> int:
        """How many sets there are to go through, where that is known before."""
        return count_subsets(metrics, self.most or metrics) if self.method == "exhaustive" else 0

    def run(self, objectives: Sequence[Objective], advance: Callable[[int], None] | None = None) -> list[Members]:
        """The set that is found for each objective; they share a board."""
        if self.method == "exhaustive":
            return exhaustive(objectives, self.most, advance)
        if self.method == "beam":
            return [beam(one, self.width, self.most) for one in objectives]
        return [(greedy if self.method == "greedy" else forward)(one) for one in objectives]
