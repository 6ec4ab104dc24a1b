"""From arcs and edges in the order of a file to lattices and forests, or to a sentence that says what is wrong."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.graphs import EPSILON, ArcFeatures, Forest, Lattice, gather_ragged
from tarocco.io.files import shown
from tarocco.io.lines import Block

_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_WHOLE = re.compile("[0-9]{1,18}")  # what an int64 can hold for sure

Row = Sequence[tuple[str, float]]  # the features of one arc or edge


class Place(NamedTuple):
    """Where a lattice stands, and the segment that it belongs to."""

    segment: int
    path: str  # as given
    line: int

    def __str__(self) -> str:
        return f"{shown(self.path)}, line {self.line}"


def numbered_lines(blocks: Iterator[Block]) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers."""
    for block in blocks:
        yield from enumerate(block.data.decode().split("\n")[:-1], block.line)


def number(text: str, where: object, what: str) -> float:
    """A finite number, or InputError."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {what} is a finite number, found {quoted(text)}")
    return value


def whole(text: str, where: object, what: str) -> int:
    """A whole number from 0 on, or InputError."""
    if not _WHOLE.fullmatch(text):
        raise InputError(f"{where}: {what} is a whole number, found {quoted(text)}")
    return int(text)


def quoted(text: str) -> str:
    """Some text of a file, as messages show it."""
    text = text if len(text) <= 40 else text[:39] + "…"
    return '"' + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text) + '"'


# --- lattices ------------------------------------------------------------------------------------------------------


@dataclass
class Arcs:
    """What a file says of a lattice: arcs between nodes of any numbers, with any number of words on each."""

    place: Place
    prune: bool = False  # whether nodes on no path are left out; else they are an error
    sources: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    rows: list[Row] | None = None  # the features of each arc
    nodes: list[int] = field(default_factory=list)  # that the file names apart from their arcs

    def add(self, source: int, target: int, phrase: str, weight: float) -> None:
        """One more arc; its features are the caller's business."""
        self.sources.append(source)
        self.targets.append(target)
        self.phrases.append(phrase)
        self.weights.append(weight)

    def lattice(self, start: int, finals: dict[int, float], called: Callable[[int], str] = "node {}".format) -> Lattice:
        """The lattice; `finals` are its final nodes and their weights, `called` is what messages call a node."""
        self._join(start, finals)
        (final,) = finals
        ids, numbers = np.unique(
            np.array([start, final, *self.nodes, *self.sources, *self.targets], np.int64), return_inverse=True
        )
        first = 2 + len(self.nodes)
        sources, targets = numbers[first : first + len(self.sources)], numbers[first + len(self.sources) :]
        graph = _Graph(len(ids), sources, targets)
        n_pruned = 0
        kept = np.arange(len(sources))
        if not graph.in_order(numbers[0], numbers[1]):
            on_paths = graph.on_paths(numbers[0], numbers[1])
            if not on_paths[numbers[0]]:
                raise InputError(f"{self.place}: no path leads from {called(start)}, the start, to a final node")
            n_pruned = int(np.count_nonzero(~on_paths))
            if n_pruned and not self.prune:
                lost = called(int(ids[np.argmin(on_paths)]))
                raise InputError(f"{self.place}: {lost} is on no path from the start to a final node")
            kept = np.flatnonzero(on_paths[sources] & on_paths[targets])
            new = np.cumsum(on_paths) - 1
            graph = _Graph(int(np.count_nonzero(on_paths)), new[sources[kept]], new[targets[kept]])
            ids = ids[on_paths]
        phrases, weights = self.phrases, np.array(self.weights, np.float64)[kept]
        if len(kept) < len(phrases):
            phrases = [phrases[arc] for arc in kept.tolist()]
        rows = None if self.rows is None else _features([self.rows[arc] for arc in kept.tolist()])
        if any(phrase and not phrase.isalnum() and phrase.split() != [phrase] for phrase in phrases):
            graph, phrases, weights, rows = _chained(graph, phrases, weights, rows)
        graph, order = self._sorted(graph, ids, called)
        numbered: dict[str, int] = {}
        labels = [
            numbered.setdefault(phrases[arc], len(numbered)) if phrases[arc] else EPSILON for arc in order.tolist()
        ]
        return Lattice(
            tuple(numbered),
            graph.n,
            graph.sources[order].astype(np.int32),
            graph.targets[order].astype(np.int32),
            np.array(labels, np.int32),
            weights[order],
            None if rows is None else rows.taken(order),
            self.place.segment,
            shown(self.place.path),
            self.place.line,
            n_pruned,
        )

    def _join(self, start: int, finals: dict[int, float]) -> None:
        """One final node, with no weight and no arcs out of it: several are joined by arcs without words."""
        if not finals:
            raise InputError(f"{self.place}: the lattice has no final node")
        (first, weight), *others = finals.items()
        if others or weight or (first in set(self.sources)):
            joined = max([start, *finals, *self.nodes, *self.sources, *self.targets]) + 1
            for node, weight in finals.items():
                self.add(node, joined, "", weight)
                if self.rows is not None:
                    self.rows.append(())
            finals.clear()
            finals[joined] = 0.0

    def _sorted(
        self, graph: _Graph, ids: NDArray[np.int64], called: Callable[[int], str]
    ) -> tuple[_Graph, NDArray[np.intp]]:
        """Nodes numbered along the arcs, and the order of arcs by their sources."""
        if not (graph.sources < graph.targets).all():
            rank = graph.topological()
            if isinstance(rank, int):  # nodes that were put between the words of a phrase come last
                through = called(int(ids[rank])) if rank < len(ids) else "the nodes of a phrase"
                raise InputError(f"{self.place}: a lattice has no cycles, but there is one through {through}")
            graph = _Graph(graph.n, rank[graph.sources], rank[graph.targets])
        return graph, np.argsort(graph.sources, kind="stable")


def _chained(
    graph: _Graph, phrases: list[str], weights: NDArray[np.float64], rows: ArcFeatures | None
) -> tuple[_Graph, list[str], NDArray[np.float64], ArcFeatures | None]:
    """An arc of several words becomes as many arcs; weight and features are the first one's."""
    split = [phrase.split() or [""] for phrase in phrases]
    sizes = np.array([len(words) for words in split], np.intp)
    ends = np.cumsum(sizes)
    is_first = np.zeros(int(ends[-1]), bool)
    is_first[ends - sizes] = True
    is_last = np.roll(is_first, -1)
    inner = graph.n + np.cumsum(~is_first) - 1  # before each arc that is not the first
    sources = np.where(is_first, np.repeat(graph.sources, sizes), inner)
    targets = np.where(is_last, np.repeat(graph.targets, sizes), np.roll(inner, -1))
    spread = np.where(is_first, np.repeat(weights, sizes), 0.0)
    if rows is not None:
        starts = np.repeat(rows.starts[1:], sizes)  # what is not the first begins where the first one ends
        starts[is_first] = rows.starts[:-1]
        rows = ArcFeatures(rows.names, np.append(starts, rows.starts[-1]), rows.columns, rows.values)
    n = graph.n + int(np.count_nonzero(~is_first))
    return _Graph(n, sources, targets), [word for words in split for word in words], spread, rows


# --- forests -------------------------------------------------------------------------------------------------------


@dataclass
class Edges:
    """What a file says of a forest: edges by their heads, in any order."""

    place: Place
    n_nodes: int
    prune: bool = False  # whether nodes in no derivation are left out; else they are an error
    heads: list[int] = field(default_factory=list)
    tails: list[Sequence[int]] = field(default_factory=list)
    items: list[Sequence[str | int]] = field(default_factory=list)  # words, and -1, -2, ... for tails
    rows: list[Row] = field(default_factory=list)  # the features of each edge

    def add(self, head: int, tails: Sequence[int], items: Sequence[str | int], row: Row) -> None:
        """One more edge. Its tails are put into the order in which they stand in the text."""
        slots = [item for item in items if not isinstance(item, str)]
        if slots != sorted(slots, reverse=True):
            tails = [tails[-1 - slot] for slot in slots]
            places = iter(range(-1, -1 - len(slots), -1))
            items = [item if isinstance(item, str) else next(places) for item in items]
        self.heads.append(head)
        self.tails.append(tails)
        self.items.append(items)
        self.rows.append(row)

    def forest(self, goal: int) -> Forest:
        """The forest, whose goal is this node."""
        heads = np.array(self.heads, np.int64)
        n, n_pruned = self.n_nodes, 0
        graph = _Graph(n, *_tails_to_heads(heads, self.tails))
        kept = np.arange(len(heads))
        if goal != n - 1 or not _all_derived(graph, heads):
            used = self._derived(goal)
            if not used[goal]:
                raise InputError(f"{self.place}: nothing derives node {goal}, the goal")
            n_pruned = int(np.count_nonzero(~used))
            if n_pruned and not self.prune:
                raise InputError(f"{self.place}: node {np.argmin(used)} is in no derivation of the goal")
            kept = np.array([edge for edge in range(len(heads)) if self._among(edge, used)], np.intp)
            new = np.cumsum(used) - 1
            named = np.flatnonzero(used)
            n = len(named)
            heads = new[heads[kept]]
            graph = _Graph(n, *_tails_to_heads(heads, [new[list(self.tails[edge])] for edge in kept.tolist()]))
            rank = graph.topological()
            if isinstance(rank, int):
                raise InputError(f"{self.place}: a forest has no cycles, but there is one through node {named[rank]}")
            heads = rank[heads]
            graph = _Graph(n, rank[graph.sources], rank[graph.targets])
        order = np.argsort(heads, kind="stable")
        sizes = np.array([len(self.tails[edge]) for edge in kept.tolist()], np.int64)
        tail_starts, cells = gather_ragged(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]), order)
        numbered: dict[str, int] = {}
        items: list[int] = []
        item_starts = [0]
        for edge in kept[order].tolist():
            items += [
                numbered.setdefault(item, len(numbered)) if isinstance(item, str) else item for item in self.items[edge]
            ]
            item_starts.append(len(items))
        rows = [self.rows[edge] for edge in kept[order].tolist()]
        return Forest(
            tuple(numbered),
            n,
            heads[order].astype(np.int32),
            tail_starts,
            graph.sources[cells].astype(np.int32),
            np.array(item_starts, np.int64),
            np.array(items, np.int32),
            np.zeros(len(kept)),
            _features(rows) if any(rows) else None,
            self.place.segment,
            shown(self.place.path),
            self.place.line,
            n_pruned,
        )

    def _among(self, edge: int, nodes: NDArray[np.bool_]) -> bool:
        return bool(nodes[self.heads[edge]]) and all(nodes[tail] for tail in self.tails[edge])

    def _derived(self, goal: int) -> NDArray[np.bool_]:
        """Which nodes are in some derivation of the goal."""
        waiting = [len(tails) for tails in self.tails]
        of_tail: list[list[int]] = [[] for _ in range(self.n_nodes)]
        of_head: list[list[int]] = [[] for _ in range(self.n_nodes)]
        for edge, (head, tails) in enumerate(zip(self.heads, self.tails, strict=True)):
            of_head[head].append(edge)
            for tail in tails:
                of_tail[tail].append(edge)
        derived = np.zeros(self.n_nodes, bool)
        ready = [edge for edge, n in enumerate(waiting) if n == 0]
        while ready:
            head = self.heads[ready.pop()]
            if not derived[head]:
                derived[head] = True
                for edge in of_tail[head]:
                    waiting[edge] -= 1
                    if waiting[edge] == 0:
                        ready.append(edge)
        used = np.zeros(self.n_nodes, bool)
        todo = [goal] if derived[goal] else []
        while todo:
            node = todo.pop()
            if not used[node]:
                used[node] = True
                todo.extend(tail for edge in of_head[node] if waiting[edge] == 0 for tail in self.tails[edge])
        return used


def _tails_to_heads(
    heads: NDArray[np.int64], tails: Sequence[Sequence[int] | NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An arc from each tail to its head, in the order of edges and tails."""
    sources = np.array([tail for some in tails for tail in some], np.int64)
    return sources, np.repeat(heads, [len(some) for some in tails])


def _all_derived(graph: _Graph, heads: NDArray[np.int64]) -> bool:
    """Whether all tails come before heads, all nodes have an edge, and all but the last one are tails."""
    has_edge, is_tail = np.zeros(graph.n, bool), np.zeros(graph.n, bool)
    has_edge[heads] = True
    is_tail[graph.sources] = True
    return bool((graph.sources < graph.targets).all() and has_edge.all() and is_tail[:-1].all())


# --- what both need ------------------------------------------------------------------------------------------------


class _Graph(NamedTuple):
    n: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]

    def in_order(self, start: int, final: int) -> bool:
        """Whether arcs go from lower to higher nodes, and all nodes are on paths from the first to the last one."""
        begins, ends = np.zeros(self.n, bool), np.zeros(self.n, bool)
        begins[self.sources] = True
        ends[self.targets] = True
        connected = begins[:-1].all() and ends[1:].all() and start == 0 and final == self.n - 1
        return bool(connected and (self.sources < self.targets).all())

    def on_paths(self, start: int, final: int) -> NDArray[np.bool_]:
        """Which nodes are on some path from the start to the final node."""
        forward = _reached(self.n, self.sources, self.targets, start)
        backward = _reached(self.n, self.targets, self.sources, final)
        return forward & backward

    def topological(self) -> NDArray[np.int64] | int:
        """The place of each node in an order along the arcs, lower numbers first; or a node of a cycle."""
        followers = _followers(self.n, self.sources, self.targets)
        waiting = np.bincount(self.targets, minlength=self.n).tolist()
        ready = [node for node in range(self.n) if waiting[node] == 0]  # sorted, so it is a heap
        rank = np.full(self.n, -1, np.int64)
        for place in range(self.n):
            if not ready:
                return self._on_cycle(rank < 0)
            node = heapq.heappop(ready)
            rank[node] = place
            for follower in followers(node):
                waiting[follower] -= 1
                if waiting[follower] == 0:
                    heapq.heappush(ready, follower)
        return rank

    def _on_cycle(self, left: NDArray[np.bool_]) -> int:
        """Going back from one node that is left to another, one comes round in the end."""
        inside = left[self.sources] & left[self.targets]
        before = dict(zip(self.targets[inside].tolist(), self.sources[inside].tolist(), strict=True))
        node, seen = int(np.argmax(left)), set[int]()
        while node not in seen:
            seen.add(node)
            node = before[node]
        return node


def _reached(n: int, sources: NDArray[np.int64], targets: NDArray[np.int64], start: int) -> NDArray[np.bool_]:
    followers = _followers(n, sources, targets)
    reached = np.zeros(n, bool)
    reached[start] = True
    todo = [start]
    while todo:
        for follower in followers(todo.pop()):
            if not reached[follower]:
                reached[follower] = True
                todo.append(follower)
    return reached


def _followers(n: int, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Callable[[int], list[int]]:
    """The targets of a node's arcs."""
    order = np.argsort(sources, kind="stable")
    starts = np.searchsorted(sources[order], np.arange(n + 1)).tolist()
    by_source: list[int] = targets[order].tolist()
    return lambda node: by_source[starts[node] : starts[node + 1]]


def _features(rows: Sequence[Row]) -> ArcFeatures:
    numbered: dict[str, int] = {}
    columns = [numbered.setdefault(name, len(numbered)) for row in rows for name, _ in row]
    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    values = [value for row in rows for _, value in row]
    return ArcFeatures(tuple(numbered), starts, np.array(columns, np.int32), np.array(values, np.float64))
