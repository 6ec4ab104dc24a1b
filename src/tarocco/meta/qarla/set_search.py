"""KING of many sets of metrics at once, fold by fold: what searches for a set go by.

A tally is three whole numbers: the sums over segments of the king_shares of references that win and that win strictly,
times `whole`, and the number of segments. Tallies of folds add up to those of all segments, to the last metric_bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, inf, lcm

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.kernels import kernel, qarla, widest
from tarocco.meta.qarla.decisions import Decisions, Words
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered

_tally = kernel(widest(qarla), "tally_king")

Tallies = NDArray[np.int64]  # [..., 3]
Ints = NDArray[np.int32]
Members = tuple[int, ...]

_SEGMENTS = 128  # tallied in one go; results do not depend on it
_NODES = 8192  # sets that are tallied in one go, so that their tallies stay near the processor
_NO_WORDS = np.zeros((0, 0, 0), np.uint64)


@dataclass(frozen=True, eq=False)
class SetTree:
    """Sets in preorder, as the kernel wants them. Node 0 is where they begin.

    `codes` tell the sets of an exhaustive search, which has at most 64 metrics: a metric_bit a metric added.
    """

    added: Ints
    depth: Ints
    after: Ints
    codes: NDArray[np.uint64]

    @classmethod
    def of(cls, nodes: Sequence[tuple[int, int, int]]) -> SetTree:
        """From (metric, depth, code) of each node but the first."""
        added = np.array([0, *(metric for metric, _, _ in nodes)], np.int32)
        depth = np.array([0, *(deep for _, deep, _ in nodes)], np.int32)
        after = np.full(len(added), len(added), np.int32)
        open_nodes: list[int] = []
        for k, deep in enumerate(depth.tolist()):
            while open_nodes and depth[open_nodes[-1]] >= deep:
                after[open_nodes.pop()] = k
            open_nodes.append(k)
        return cls(added, depth, after, np.array([0, *(code for _, _, code in nodes)], np.uint64))


def metric_bit(metric: int, total: int) -> int:
    """Where a metric stands in a code: the first in the highest bit, so that of equal sizes the first is largest."""
    return 1 << (total - 1 - metric)


def each_alone(metrics: Sequence[int]) -> SetTree:
    """One metric more, each in turn; any number of them, so without codes."""
    return SetTree.of([(metric, 1, 0) for metric in metrics])


@cache
def make_subset_tree(first: int, total: int, most: int) -> SetTree:
    """Up to `most` of the metrics first .. total - 1 more."""
    nodes: list[tuple[int, int, int]] = []

    def grow(start: int, depth: int, code: int) -> None:
        for metric in range(start, total):
            nodes.append((metric, depth, code | metric_bit(metric, total)))
            if depth < most:
                grow(metric + 1, depth + 1, nodes[-1][2])

    if most:
        grow(first, 1, 0)
    return SetTree.of(nodes)


def count_subsets(metrics: int, most: int) -> int:
    """How many sets of up to `most` of so many metrics there are, with the empty one."""
    return sum(comb(metrics, size) for size in range(min(metrics, most) + 1))


def split_subsets(total: int, most: int, chosen: Members = (), first: int = 0) -> Iterator[tuple[Members, int]]:
    """All sets in parts of some thousands: (beginning, first) are those with a beginning and more from `first` on."""
    left = most - len(chosen)
    if count_subsets(total - first, left) <= _NODES:
        yield chosen, first
        return
    yield from split_subsets(total, most, (*chosen, first), first + 1)
    yield from split_subsets(total, most, chosen, first + 1)


class SetTallies:
    """Where sets of metrics are tallied, on segments in folds. A set that was tallied is not tallied again.

    `fold_of[s]` is the fold of segment s, or -1 for one that takes no part.
    """

    def __init__(self, decisions: Decisions, fold_of: NDArray[np.intp], jobs: int | None = None) -> None:
        references = decisions.present.shape[1]
        self.metrics = len(decisions.passed)
        self.folds = int(fold_of.max(initial=0)) + 1
        self.jobs = jobs
        self._hushed = _hushed(decisions)
        counts = np.unique(decisions.n_references[fold_of >= 0]).tolist()
        self.whole = lcm(*(range(1, references + 1) if self._hushed.any() else counts or [1]))
        self._fixed = (
            _by_segment(decisions.passed),
            _by_segment(decisions.silent) if decisions.silent is not None and self._hushed.any() else _NO_WORDS,
            np.concatenate(decisions.masks, axis=1),
            np.ascontiguousarray(decisions.present.astype(np.uint8)),
            self._hushed.astype(np.uint8),
        )
        self._rows = [np.flatnonzero(fold_of == fold).astype(np.int32) for fold in range(self.folds)]
        self._known: dict[frozenset[int], Tallies] = {}

    def tally(self, beginning: Members, tree: SetTree, rows: Ints, strict_alone: bool = False) -> Tallies:
        """int64[3, sets]: the tallies of a tree of sets on some segments; with `strict_alone` KING is not filled in."""
        found = np.zeros((3, len(tree.added)), np.int64)
        room = (int(tree.depth.max()) + 1, self._fixed[0].shape[2])
        quiet = np.empty(room if self._hushed.any() else (0, 0), np.uint64)
        better = np.empty(self._fixed[3].shape[1], np.int32)
        nodes = tree.added, tree.depth, tree.after
        set_of = np.array(beginning, np.int32)
        _tally(
            *self._fixed,
            rows,
            self.whole,
            strict_alone,
            set_of,
            *nodes,
            np.empty(room, np.uint64),
            quiet,
            better,
            found,
        )
        return found

    def of(self, members: Sequence[int]) -> Tallies:
        """int64[folds, 3]: of one set."""
        (found,) = self.with_one_more(tuple(members[:-1]), members[-1:])
        return np.asarray(found)

    def with_one_more(self, beginning: Members, metrics: Sequence[int]) -> Tallies:
        """int64[metrics, folds, 3]: of a set with each of some metrics added."""
        sets = [frozenset((*beginning, metric)) for metric in metrics]
        missing = [metric for metric, own in zip(metrics, sets, strict=True) if own not in self._known]
        if missing:
            tree = each_alone(missing)
            work = [
                (fold, rows[first:last])
                for fold, rows in enumerate(self._rows)
                for first, last in blocks(len(rows), _SEGMENTS)
            ]
            found = np.zeros((len(missing), self.folds, 3), np.int64)
            done = map_ordered(lambda one: self.tally(beginning, tree, one[1])[:, 1:], work, len(work), self.jobs)
            for (fold, _), part in zip(work, done, strict=True):
                found[:, fold] += part.T
            self._known |= {frozenset((*beginning, m)): own for m, own in zip(missing, found, strict=True)}
        return np.stack([self._known[own] for own in sets])

    def in_parts(self, most: int, strict_alone: bool = False) -> Iterator[tuple[NDArray[np.uint64], Tallies]]:
        """All sets of up to `most` metrics, some thousands at a time: codes, and int64[folds, 3, sets]."""

        def run(part: tuple[Members, int]) -> tuple[NDArray[np.uint64], Tallies]:
            chosen, first = part
            tree = make_subset_tree(first, self.metrics, most - len(chosen))
            code = np.uint64(sum(metric_bit(metric, self.metrics) for metric in chosen))
            return tree.codes | code, np.stack([self.tally(chosen, tree, rows, strict_alone) for rows in self._rows])

        work = list(split_subsets(self.metrics, most))
        return map_ordered(run, work, len(work), self.jobs)


def _hushed(decisions: Decisions) -> NDArray[np.bool_]:
    """The segments that need a closer look: a metric has no score for a sample that KING asks for, or there is none.

    A reference has no score against itself, but is only compared with the others.
    """
    segments, references = decisions.present.shape
    found = np.zeros(segments, np.bool_)
    for h in range(references):
        asked = decisions.masks[h] * decisions.present[:, h, None].astype(np.uint64)
        found |= decisions.present[:, h] & ~asked.any(axis=1)
        if decisions.silent is not None:
            texts = [*range(decisions.systems), decisions.systems + h]
            found |= (decisions.silent[:, :, texts] & asked[:, None]).any(axis=(0, 2, 3))
    return found


def _by_segment(words: Words) -> Words:
    """A segment's words side by side: uint64[segments, metrics, texts * words]."""
    metrics, segments, texts, each = words.shape
    return np.ascontiguousarray(np.moveaxis(words, 1, 0)).reshape(segments, metrics, texts * each)


def king_shares(tallies: Tallies, column: int, whole: int) -> Floats:
    """KING (column 0) or strict KING (1) of tallies int64[..., 3]; NaN where no segment has a case.

    A quotient of two whole numbers is rounded once: sets that are level stay level.
    """
    found = np.full(tallies.shape[:-1], np.nan)
    np.divide(tallies[..., column], tallies[..., 2] * whole, out=found, where=tallies[..., 2] > 0)
    return found


# Searches for the set of metrics with the highest KING (Gimenez 2007, IQmt's manual, section 3.3, and beyond).


METHODS = ("greedy", "forward", "beam", "exhaustive")
TIES = ("strict", "count")
WIDTH = 10  # sets that a beam keeps
MOST_SETS = 1 << 22  # that an exhaustive search goes through: minutes where there are thousands of segments


@dataclass(frozen=True, eq=False)
class KingObjective:
    """KING or strict KING of sets, on all folds or on all but one."""

    board: SetTallies
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
        values: list[float] = _ordered(king_shares(total, self.column, self.board.whole)).tolist()
        return values


def _ordered(values: Floats) -> Floats:
    return np.where(np.isnan(values), -inf, values)


def greedy(objective: KingObjective) -> Members:
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


def forward(objective: KingObjective, among: Sequence[int] | None = None, to_the_end: bool = False) -> Members:
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


def beam(objective: KingObjective, width: int = WIDTH, most: int | None = None) -> Members:
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
    objectives: Sequence[KingObjective], most: int | None = None, advance: Callable[[int], None] | None = None
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
            values = _ordered(king_shares(own.T, objective.column, board.whole))
            level = np.flatnonzero(values == values.max())
            first = level[np.lexsort((codes[level], sizes[level]))[-1]]
            best[o] = max(best[o], (float(values[first]), int(sizes[first]), int(codes[first])))
        if advance is not None:
            advance(len(codes))
    found = ([m for m in range(board.metrics) if code & metric_bit(m, board.metrics)] for _, _, code in best)
    return [forward(own, members, to_the_end=True) for own, members in zip(objectives, found, strict=True)]


@dataclass(frozen=True)
class SetSearch:
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

    def run(self, objectives: Sequence[KingObjective], advance: Callable[[int], None] | None = None) -> list[Members]:
        """The set that is found for each objective; they share a board."""
        if self.method == "exhaustive":
            return exhaustive(objectives, self.most, advance)
        if self.method == "beam":
            return [beam(one, self.width, self.most) for one in objectives]
        return [(greedy if self.method == "greedy" else forward)(one) for one in objectives]
