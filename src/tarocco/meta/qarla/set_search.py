"""Searches for the set of metrics with the highest KING (Giménez 2007, section 3.3 of the IQmt manual, and beyond).

A search asks a `KingObjective` for the KING of sets, and returns the best set in the order in which metrics were added.
Of equally good sets the smaller wins, and of equal sizes the one whose metrics were listed first.

KING of many sets is tallied at once, fold by fold. A tally is three integers: the sums over segments of the shares of
references that win and that win strictly, times `SetTallies.scale`, and the number of segments. Tallies of folds add up
to those of all segments exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, inf, lcm
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.kernels import kernel, qarla
from tarocco.meta.qarla.decisions import Decisions, Words, divide_counts
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered

_tally = kernel(qarla, "tally_king", wide=True)

Tallies = NDArray[np.int64]  # [..., 3]
Ints = NDArray[np.int32]
Members = tuple[int, ...]  # a set of metrics, by index

METHODS = ("greedy", "forward", "beam", "exhaustive")
TIES = ("strict", "count")
BEAM_WIDTH = 10  # sets of each size that a beam search keeps
MAX_SETS = 1 << 22  # for an exhaustive search: minutes, if there are thousands of segments
_BLOCK = 128  # segments per task; results do not depend on it
_MAX_NODES = 8192  # sets that are tallied together, so that their tallies stay in the processor's cache
_NO_WORDS = np.zeros((0, 0, 0), np.uint64)


# --- trees of sets ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SetTree:
    """Sets of metrics as a tree in preorder, as the kernel reads it. Node 0 is the set that all others extend.

    `codes` identify the sets of an exhaustive search, which has at most 64 metrics: one bit per metric added.
    """

    added: Ints
    depth: Ints
    after: Ints  # the first node after each node's subtree
    codes: NDArray[np.uint64]

    @classmethod
    def of(cls, nodes: Sequence[tuple[int, int, int]]) -> SetTree:
        """Make a tree from (metric, depth, code) of each node but the first."""
        added = np.array([0, *(metric for metric, _, _ in nodes)], np.int32)
        depths = np.array([0, *(depth for _, depth, _ in nodes)], np.int32)
        after = np.full(len(added), len(added), np.int32)
        open_nodes: list[int] = []
        for node, depth in enumerate(depths.tolist()):
            while open_nodes and depths[open_nodes[-1]] >= depth:
                after[open_nodes.pop()] = node
            open_nodes.append(node)
        return cls(added, depths, after, np.array([0, *(code for _, _, code in nodes)], np.uint64))


def metric_bit(metric: int, total: int) -> int:
    """Return the bit of a metric in a code; the first metric has the highest, so that it wins between equal sets."""
    return 1 << (total - 1 - metric)


@cache
def make_subset_tree(first: int, total: int, most: int) -> SetTree:
    """Return the tree of all additions of up to `most` of the metrics first .. total - 1."""
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
    """Return how many sets of up to `most` of the metrics there are, including the empty set."""
    return sum(comb(metrics, size) for size in range(min(metrics, most) + 1))


def split_subsets(total: int, most: int, chosen: Members = (), first: int = 0) -> Iterator[tuple[Members, int]]:
    """Split all sets into parts of some thousands: (chosen, first) adds metrics from `first` on to `chosen`."""
    if count_subsets(total - first, most - len(chosen)) <= _MAX_NODES:
        yield chosen, first
        return
    yield from split_subsets(total, most, (*chosen, first), first + 1)
    yield from split_subsets(total, most, chosen, first + 1)


# --- tallies ---------------------------------------------------------------------------------------------------------


class SetTallies:
    """Tallies sets of metrics on segments in folds, and remembers the sets it has tallied.

    `fold_of[s]` is the fold of segment s, or -1 for a segment to leave out.
    """

    def __init__(self, decisions: Decisions, fold_of: NDArray[np.intp], jobs: int | None = None) -> None:
        references = decisions.present.shape[1]
        self.metrics = len(decisions.passed)
        self.folds = int(fold_of.max(initial=0)) + 1
        self.jobs = jobs
        self._has_gaps = _find_gaps(decisions)
        counts = np.unique(decisions.n_references[fold_of >= 0]).tolist()
        self.scale = lcm(*(range(1, references + 1) if self._has_gaps.any() else counts or [1]))
        self._kernel_input = (
            _group_by_segment(decisions.passed),
            _group_by_segment(decisions.silent) if decisions.silent is not None and self._has_gaps.any() else _NO_WORDS,
            np.concatenate(decisions.masks, axis=1),
            np.ascontiguousarray(decisions.present.astype(np.uint8)),
            self._has_gaps.astype(np.uint8),
        )
        self._rows = [np.flatnonzero(fold_of == fold).astype(np.int32) for fold in range(self.folds)]
        self._known: dict[frozenset[int], Tallies] = {}

    def tally(self, base: Members, tree: SetTree, rows: Ints, strict_only: bool = False) -> Tallies:
        """Return the tallies of a tree of sets on some segments, int64[3, sets]; `strict_only` leaves KING at 0."""
        result = np.zeros((3, len(tree.added)), np.int64)
        size = (int(tree.depth.max()) + 1, self._kernel_input[0].shape[2])
        _tally(
            *self._kernel_input,
            rows,
            self.scale,
            strict_only,
            np.array(base, np.int32),
            *(tree.added, tree.depth, tree.after),
            np.empty(size, np.uint64),
            np.empty(size if self._has_gaps.any() else (0, 0), np.uint64),
            np.empty(self._kernel_input[3].shape[1], np.int32),
            result,
        )
        return result

    def of(self, members: Sequence[int]) -> Tallies:
        """Return the tallies of one set, int64[folds, 3]."""
        (result,) = self.with_addition(tuple(members[:-1]), members[-1:])
        return np.asarray(result)

    def with_addition(self, base: Members, metrics: Sequence[int]) -> Tallies:
        """Return the tallies of a set with each of some metrics added, int64[metrics, folds, 3]."""
        sets = [frozenset((*base, metric)) for metric in metrics]
        missing = [metric for metric, members in zip(metrics, sets, strict=True) if members not in self._known]
        if missing:
            tree = SetTree.of([(metric, 1, 0) for metric in missing])
            tasks = [
                (fold, rows[first:last])
                for fold, rows in enumerate(self._rows)
                for first, last in blocks(len(rows), _BLOCK)
            ]
            sums = np.zeros((len(missing), self.folds, 3), np.int64)
            results = map_ordered(lambda task: self.tally(base, tree, task[1])[:, 1:], tasks, len(tasks), self.jobs)
            for (fold, _), part in zip(tasks, results, strict=True):
                sums[:, fold] += part.T
            self._known |= {frozenset((*base, m)): tallied for m, tallied in zip(missing, sums, strict=True)}
        return np.stack([self._known[members] for members in sets])

    def tally_all(self, most: int, strict_only: bool = False) -> Iterator[tuple[NDArray[np.uint64], Tallies]]:
        """Yield codes and int64[folds, 3, sets] of all sets of up to `most` metrics, some thousands at a time."""

        def run(part: tuple[Members, int]) -> tuple[NDArray[np.uint64], Tallies]:
            base, first = part
            tree = make_subset_tree(first, self.metrics, most - len(base))
            code = np.uint64(sum(metric_bit(metric, self.metrics) for metric in base))
            return tree.codes | code, np.stack([self.tally(base, tree, rows, strict_only) for rows in self._rows])

        parts = list(split_subsets(self.metrics, most))
        return map_ordered(run, parts, len(parts), self.jobs)


def _find_gaps(decisions: Decisions) -> NDArray[np.bool_]:
    """Return the segments without references, or in which a case of KING lacks samples or scores.

    A reference is never scored against itself, which is not a gap.
    """
    gaps = np.logical_not(decisions.present.any(axis=1))
    for r in range(decisions.present.shape[1]):
        needed = decisions.masks[r] * decisions.present[:, r, None].astype(np.uint64)
        gaps |= decisions.present[:, r] & ~needed.any(axis=1)
        if decisions.silent is not None:
            texts = [*range(decisions.systems), decisions.systems + r]
            gaps |= (decisions.silent[:, :, texts] & needed[:, None]).any(axis=(0, 2, 3))
    return gaps


def _group_by_segment(words: Words) -> Words:
    """Return uint64[segments, metrics, texts * words]: the words of each segment next to each other."""
    metrics, segments, texts, each = words.shape
    return np.ascontiguousarray(np.moveaxis(words, 1, 0)).reshape(segments, metrics, texts * each)


def king_shares(tallies: Tallies, column: int, scale: int) -> Floats:
    """Return KING (column 0) or strict KING (1) of tallies int64[..., 3]; NaN where no segment has a case.

    Dividing two integers rounds once, so equally good sets stay exactly equal.
    """
    return divide_counts(tallies[..., column], tallies[..., 2] * scale)


# --- searches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class KingObjective:
    """KING or strict KING of sets, on all folds or on all but one."""

    tallies: SetTallies
    ties: str = "strict"  # "count" is KING as in the IQmt manual, in which a tie is a win
    without: int | None = None  # the fold to leave out

    @property
    def column(self) -> int:
        """The column of the tallies."""
        return 1 if self.ties == "strict" else 0

    def with_addition(self, chosen: Members, metrics: Sequence[int]) -> list[float]:
        """Return the value of a set with each of some metrics added; -inf where it is undefined."""
        tallied = self.tallies.with_addition(chosen, metrics)
        total = tallied.sum(axis=1)
        if self.without is not None:
            total = total - tallied[:, self.without]
        values: list[float] = _replace_nan(king_shares(total, self.column, self.tallies.scale)).tolist()
        return values


def _replace_nan(values: Floats) -> Floats:
    return np.where(np.isnan(values), -inf, values)


def greedy(objective: KingObjective) -> Members:
    """Go through metrics in the order of the KING of each alone, and keep each that raises the KING of the set.

    This is the search of the IQmt manual.
    """
    everything = range(objective.tallies.metrics)
    alone = objective.with_addition((), everything)
    chosen: Members = ()
    value = -inf
    for metric in sorted(everything, key=lambda metric: -alone[metric]):
        (raised,) = objective.with_addition(chosen, [metric])
        if not chosen or raised > value:
            chosen, value = (*chosen, metric), raised
    return chosen


def forward(objective: KingObjective, among: Sequence[int] | None = None, to_the_end: bool = False) -> Members:
    """Add the best metric at each step until none raises KING or, if `to_the_end`, until all are added."""
    remaining = list(range(objective.tallies.metrics) if among is None else sorted(among))
    chosen: Members = ()
    value = -inf
    while remaining:
        values = objective.with_addition(chosen, remaining)
        best = max(values)
        if chosen and best <= value and not to_the_end:
            break
        chosen, value = (*chosen, remaining.pop(values.index(best))), best
    return chosen


def beam(objective: KingObjective, width: int = BEAM_WIDTH, most: int | None = None) -> Members:
    """Extend the `width` best sets of each size by one metric, and return the best set of all sizes."""
    total = objective.tallies.metrics
    kept: list[Members] = [()]
    best: tuple[float, Members] = (-inf, ())
    for _ in range(total if most is None else min(most, total)):
        values: dict[Members, float] = {}
        for chosen in kept:
            others = [metric for metric in range(total) if metric not in chosen]
            for metric, value in zip(others, objective.with_addition(chosen, others), strict=True):
                values[tuple(sorted((*chosen, metric)))] = value
        kept = sorted(values, key=lambda members: (-values[members], members))[:width]
        if not best[1] or values[kept[0]] > best[0]:
            best = values[kept[0]], kept[0]
    return forward(objective, best[1], to_the_end=True)


def exhaustive(
    objectives: Sequence[KingObjective], most: int | None = None, advance: Callable[[int], object] | None = None
) -> list[Members]:
    """Return the best of all sets of up to `most` metrics for each objective; the objectives share their tallies."""
    tallies = objectives[0].tallies
    best: list[tuple[float, float, int]] = [(-inf, -inf, 0)] * len(objectives)
    strict_only = all(objective.ties == "strict" for objective in objectives)
    for all_codes, all_tallied in tallies.tally_all(tallies.metrics if most is None else most, strict_only):
        codes, tallied = all_codes[all_codes > 0], all_tallied[..., all_codes > 0]  # without the empty set
        if not len(codes):
            continue
        sizes = -np.bitwise_count(codes).astype(np.int64)
        total = tallied.sum(axis=0)
        for o, objective in enumerate(objectives):
            sums = total if objective.without is None else total - tallied[objective.without]
            values = _replace_nan(king_shares(sums.T, objective.column, tallies.scale))
            equal = np.flatnonzero(values == values.max())
            first = equal[np.lexsort((codes[equal], sizes[equal]))[-1]]
            best[o] = max(best[o], (float(values[first]), int(sizes[first]), int(codes[first])))
        if advance is not None:
            advance(len(codes))
    sets = ([m for m in range(tallies.metrics) if code & metric_bit(m, tallies.metrics)] for _, _, code in best)
    return [forward(objective, members, to_the_end=True) for objective, members in zip(objectives, sets, strict=True)]


@dataclass(frozen=True)
class SetSearch:
    """How the best set of metrics is searched for, and what is reported with it.

    method
        "greedy" (as in the IQmt manual: metrics in the order of the KING of each alone, each kept if it raises the KING
        of the set), "forward" (the best addition at each step until none raises it), "beam" (the best sets of each
        size) or "exhaustive" (all sets).
    ties
        "strict" maximizes strict KING, "count" maximizes KING, as the manual does.
    width
        How many sets of each size a beam search keeps.
    most
        The largest number of metrics in a set, for "beam" and "exhaustive".
    folds
        The number of folds for cross-validation: by default 10, or the number of segments if that is smaller; 0 for no
        cross-validation.
    redundancy
        Whether to report how similarly metrics decide.
    """

    method: str = "greedy"
    ties: str = "strict"
    width: int = BEAM_WIDTH
    most: int | None = None
    folds: int | None = None
    redundancy: bool = False

    def check(self, metrics: int) -> None:
        """Raise BadParameter if a choice is unknown, or if an exhaustive search would take too long."""
        for name, choices in (("method", METHODS), ("ties", TIES)):
            if getattr(self, name) not in choices:
                raise BadParameter(f"{name} is one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name, value in (("width", self.width), ("most", 1 if self.most is None else self.most)):
            if not (isinstance(value, int) and value >= 1):
                raise BadParameter(f"{name} is an integer of at least 1, not {value!r}")
        folds = self.folds
        if folds is not None and not (isinstance(folds, Integral) and (folds == 0 or folds >= 2)):
            raise BadParameter(f"folds is 0, for no cross-validation, or an integer of at least 2, not {folds!r}")
        if self.most is not None and self.method not in ("beam", "exhaustive"):
            raise BadParameter(
                f"most is for the methods beam and exhaustive; {self.method} ends when no metric raises KING"
            )
        if self.method == "exhaustive":
            self._check_size(metrics)

    def _check_size(self, metrics: int) -> None:
        if metrics > 64:
            raise BadParameter(
                f"exhaustive search takes at most 64 metrics, not {metrics}; beam search takes any number"
            )
        count = count_subsets(metrics, self.most or metrics) - 1
        if count > MAX_SETS:
            most = max((k for k in range(1, metrics) if count_subsets(metrics, k) <= MAX_SETS), default=0)
            fewer = count_subsets(metrics, most) - 1
            hint = f"with at most {most} metrics per set there are {fewer:,}; " if most else ""
            raise BadParameter(
                f"exhaustive search over {metrics} metrics would try {count:,} sets, and the limit is {MAX_SETS:,}: "
                f"{hint}beam search takes any number"
            )

    def count_sets(self, metrics: int) -> int:
        """Return how many sets there are to try, or 0 if that is not known beforehand."""
        return count_subsets(metrics, self.most or metrics) if self.method == "exhaustive" else 0

    def run(self, objectives: Sequence[KingObjective], advance: Callable[[int], object] | None = None) -> list[Members]:
        """Return the best set for each objective; the objectives share their tallies."""
        if self.method == "exhaustive":
            return exhaustive(objectives, self.most, advance)
        if self.method == "beam":
            return [beam(objective, self.width, self.most) for objective in objectives]
        return [(greedy if self.method == "greedy" else forward)(objective) for objective in objectives]
