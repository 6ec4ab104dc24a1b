"""Build lattices and forests from the arcs and edges of a file, and list their arcs and edges for writers."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.graphs import EPSILON, ArcFeatures, Forest, Graph, Lattice
from tarocco.core.test_set import gather_ragged
from tarocco.io.files import display_name
from tarocco.io.text import LineBlock

_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_WHOLE = re.compile("[0-9]{1,18}")  # fits into an int64

Row = Sequence[tuple[str, float]]  # the features of one arc or edge


class GraphLocation(NamedTuple):
    """The file and line of a lattice, and the segment that it belongs to."""

    segment: int
    path: str
    line: int

    def __str__(self) -> str:
        return f"{display_name(self.path)}, line {self.line}"


def numbered_lines(blocks: Iterator[LineBlock]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers."""
    for block in blocks:
        yield from enumerate(block.data.decode().split("\n")[:-1], block.line)


def parse_number(text: str, where: object, name: str) -> float:
    """Return a finite number, or raise InputError."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: expected a finite number as {name}, found {quote(text)}")
    return value


def parse_index(text: str, where: object, name: str) -> int:
    """Return a whole number from 0, or raise InputError."""
    if not _WHOLE.fullmatch(text):
        raise InputError(f"{where}: expected a whole number as {name}, found {quote(text)}")
    return int(text)


def number_values(values_by_name: Mapping[str, Sequence[float]]) -> Row:
    """Return (name, value) pairs; several values of a name become name_1, name_2 and so on, as in Moses."""
    return [
        (name if len(values) == 1 else f"{name}_{k}", value)
        for name, values in values_by_name.items()
        for k, value in enumerate(values, 1)
    ]


def quote(text: str) -> str:
    """Return text of a file in quotation marks for messages."""
    text = text if len(text) <= 40 else text[:39] + "…"
    return '"' + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text) + '"'


# --- lattices ------------------------------------------------------------------------------------------------------


@dataclass
class LatticeBuilder:
    """Collects the arcs of a lattice; node numbers are arbitrary, and an arc has any number of words."""

    place: GraphLocation
    prune: bool = False  # remove nodes that are on no path; otherwise they are an error
    sources: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    rows: list[Row] | None = None  # the features of each arc
    nodes: list[int] = field(default_factory=list)  # declared without arcs

    def add(self, source: int, target: int, phrase: str, weight: float) -> None:
        """Add an arc; the caller adds its features to `rows`."""
        self.sources.append(source)
        self.targets.append(target)
        self.phrases.append(phrase)
        self.weights.append(weight)

    def lattice(
        self, start: int, finals: dict[int, float], describe: Callable[[int], str] = "node {}".format
    ) -> Lattice:
        """Return the lattice; `finals` maps final nodes to weights, and `describe` names a node in messages."""
        self._join_finals(start, finals)
        (final,) = finals
        ids, numbers = np.unique(
            np.array([start, final, *self.nodes, *self.sources, *self.targets], np.int64), return_inverse=True
        )
        first = 2 + len(self.nodes)
        sources, targets = numbers[first : first + len(self.sources)], numbers[first + len(self.sources) :]
        graph = _Graph(len(ids), sources, targets)
        n_pruned = 0
        remaining = np.arange(len(sources))
        if not graph.is_sorted(numbers[0], numbers[1]):
            on_paths = graph.on_paths(numbers[0], numbers[1])
            if not on_paths[numbers[0]]:
                raise InputError(
                    f"{self.place}: expected a path from the start, {describe(start)}, to a final node, found none"
                )
            n_pruned = int(np.count_nonzero(~on_paths))
            if n_pruned and not self.prune:
                lost = describe(int(ids[np.argmin(on_paths)]))
                raise InputError(
                    f"{self.place}: expected every node on a path from the start to a final node, found {lost} on none"
                )
            remaining = np.flatnonzero(on_paths[sources] & on_paths[targets])
            new = np.cumsum(on_paths) - 1
            graph = _Graph(int(np.count_nonzero(on_paths)), new[sources[remaining]], new[targets[remaining]])
            ids = ids[on_paths]
        phrases, weights = self.phrases, np.array(self.weights, np.float64)[remaining]
        if len(remaining) < len(phrases):
            phrases = [phrases[arc] for arc in remaining.tolist()]
        rows = None if self.rows is None else _pack_features([self.rows[arc] for arc in remaining.tolist()])
        if any(phrase and not phrase.isalnum() and phrase.split() != [phrase] for phrase in phrases):
            graph, phrases, weights, rows = _split_phrases(graph, phrases, weights, rows)
        graph, order = self._sort(graph, ids, describe)
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
            display_name(self.place.path),
            self.place.line,
            n_pruned,
        )

    def _join_finals(self, start: int, finals: dict[int, float]) -> None:
        """Join several final nodes, or one with a weight or outgoing arcs, into a new one by arcs without words."""
        if not finals:
            raise InputError(f"{self.place}: expected a final node, found none")
        (first, weight), *others = finals.items()
        if others or weight or (first in set(self.sources)):
            joined = max([start, *finals, *self.nodes, *self.sources, *self.targets]) + 1
            for node, weight in finals.items():
                self.add(node, joined, "", weight)
                if self.rows is not None:
                    self.rows.append(())
            finals.clear()
            finals[joined] = 0.0

    def _sort(
        self, graph: _Graph, ids: NDArray[np.int64], describe: Callable[[int], str]
    ) -> tuple[_Graph, NDArray[np.intp]]:
        """Return the graph with nodes in topological order, and the order of its arcs by their sources."""
        if not (graph.sources < graph.targets).all():
            rank = graph.sort_topologically()
            if isinstance(rank, int):  # nodes inserted between the words of a phrase come last
                node = describe(int(ids[rank])) if rank < len(ids) else "the nodes of a phrase"
                raise InputError(f"{self.place}: expected a lattice without cycles, found one through {node}")
            graph = _Graph(graph.n, rank[graph.sources], rank[graph.targets])
        return graph, np.argsort(graph.sources, kind="stable")


def _split_phrases(
    graph: _Graph, phrases: list[str], weights: NDArray[np.float64], rows: ArcFeatures | None
) -> tuple[_Graph, list[str], NDArray[np.float64], ArcFeatures | None]:
    """Replace an arc of several words by a chain of arcs; the first one has the weight and the features."""
    split = [phrase.split() or [""] for phrase in phrases]
    sizes = np.array([len(words) for words in split], np.intp)
    ends = np.cumsum(sizes)
    is_first = np.zeros(int(ends[-1]), bool)
    is_first[ends - sizes] = True
    is_last = np.roll(is_first, -1)
    inner = graph.n + np.cumsum(~is_first) - 1  # the source of each arc that is not the first of its phrase
    sources = np.where(is_first, np.repeat(graph.sources, sizes), inner)
    targets = np.where(is_last, np.repeat(graph.targets, sizes), np.roll(inner, -1))
    spread = np.where(is_first, np.repeat(weights, sizes), 0.0)
    if rows is not None:
        starts = np.repeat(rows.starts[1:], sizes)  # only the first arc has features
        starts[is_first] = rows.starts[:-1]
        rows = ArcFeatures(rows.names, np.append(starts, rows.starts[-1]), rows.columns, rows.values)
    n = graph.n + int(np.count_nonzero(~is_first))
    return _Graph(n, sources, targets), [word for words in split for word in words], spread, rows


# --- forests -------------------------------------------------------------------------------------------------------


@dataclass
class ForestBuilder:
    """Collects the edges of a forest in any order."""

    place: GraphLocation
    n_nodes: int
    prune: bool = False  # remove nodes that are in no derivation; otherwise they are an error
    heads: list[int] = field(default_factory=list)
    tails: list[Sequence[int]] = field(default_factory=list)
    items: list[Sequence[str | int]] = field(default_factory=list)  # words, and -1, -2, ... for tails
    rows: list[Row] = field(default_factory=list)  # the features of each edge

    def add(self, head: int, tails: Sequence[int], items: Sequence[str | int], row: Row) -> None:
        """Add an edge; its tails are sorted by their order in the text."""
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
        """Return the forest with this goal node."""
        heads = np.array(self.heads, np.int64)
        n, n_pruned = self.n_nodes, 0
        graph = _Graph(n, *_tails_to_heads(heads, self.tails))
        remaining = np.arange(len(heads))
        if goal != n - 1 or not _all_derived(graph, heads):
            used = self._find_derived(goal)
            if not used[goal]:
                raise InputError(f"{self.place}: expected a derivation of the goal, node {goal}, found none")
            n_pruned = int(np.count_nonzero(~used))
            if n_pruned and not self.prune:
                raise InputError(
                    f"{self.place}: expected all nodes in derivations of the goal, found node {np.argmin(used)} in none"
                )
            remaining = np.array([edge for edge in range(len(heads)) if self._uses_only(used, edge)], np.intp)
            new = np.cumsum(used) - 1
            ids = np.flatnonzero(used)
            n = len(ids)
            heads = new[heads[remaining]]
            graph = _Graph(n, *_tails_to_heads(heads, [new[list(self.tails[edge])] for edge in remaining.tolist()]))
            rank = graph.sort_topologically()
            if isinstance(rank, int):
                raise InputError(f"{self.place}: expected a forest without cycles, found one through node {ids[rank]}")
            heads = rank[heads]
            graph = _Graph(n, rank[graph.sources], rank[graph.targets])
        order = np.argsort(heads, kind="stable")
        sizes = np.array([len(self.tails[edge]) for edge in remaining.tolist()], np.int64)
        tail_starts, cells = gather_ragged(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]), order)
        numbered: dict[str, int] = {}
        items: list[int] = []
        item_starts = [0]
        for edge in remaining[order].tolist():
            items += [
                numbered.setdefault(item, len(numbered)) if isinstance(item, str) else item for item in self.items[edge]
            ]
            item_starts.append(len(items))
        rows = [self.rows[edge] for edge in remaining[order].tolist()]
        return Forest(
            tuple(numbered),
            n,
            heads[order].astype(np.int32),
            tail_starts,
            graph.sources[cells].astype(np.int32),
            np.array(item_starts, np.int64),
            np.array(items, np.int32),
            np.zeros(len(remaining)),
            _pack_features(rows) if any(rows) else None,
            self.place.segment,
            display_name(self.place.path),
            self.place.line,
            n_pruned,
        )

    def _uses_only(self, nodes: NDArray[np.bool_], edge: int) -> bool:
        return bool(nodes[self.heads[edge]]) and all(nodes[tail] for tail in self.tails[edge])

    def _find_derived(self, goal: int) -> NDArray[np.bool_]:
        """Return which nodes are in some derivation of the goal."""
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
    """Return an arc from each tail to its head, in the order of edges and tails."""
    sources = np.array([tail for tails_of_edge in tails for tail in tails_of_edge], np.int64)
    return sources, np.repeat(heads, [len(tails_of_edge) for tails_of_edge in tails])


def _all_derived(graph: _Graph, heads: NDArray[np.int64]) -> bool:
    """Return whether tails precede heads, every node has an edge, and all but the last are tails."""
    has_edge, is_tail = np.zeros(graph.n, bool), np.zeros(graph.n, bool)
    has_edge[heads] = True
    is_tail[graph.sources] = True
    return bool((graph.sources < graph.targets).all() and has_edge.all() and is_tail[:-1].all())


# --- graphs and features -------------------------------------------------------------------------------------------


class _Graph(NamedTuple):
    n: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]

    def is_sorted(self, start: int, final: int) -> bool:
        """Return whether arcs go from lower to higher nodes, and all nodes are on paths from the first to the last."""
        begins, ends = np.zeros(self.n, bool), np.zeros(self.n, bool)
        begins[self.sources] = True
        ends[self.targets] = True
        connected = begins[:-1].all() and ends[1:].all() and start == 0 and final == self.n - 1
        return bool(connected and (self.sources < self.targets).all())

    def on_paths(self, start: int, final: int) -> NDArray[np.bool_]:
        """Return which nodes are on some path from the start to the final node."""
        forward = _find_reachable(self.n, self.sources, self.targets, start)
        backward = _find_reachable(self.n, self.targets, self.sources, final)
        return forward & backward

    def sort_topologically(self) -> NDArray[np.int64] | int:
        """Return the rank of each node in a topological order, lower numbers first, or a node of a cycle."""
        followers = _followers(self.n, self.sources, self.targets)
        waiting = np.bincount(self.targets, minlength=self.n).tolist()
        ready = [node for node in range(self.n) if waiting[node] == 0]  # sorted, so it is a heap
        rank = np.full(self.n, -1, np.int64)
        for place in range(self.n):
            if not ready:
                return self._find_cycle(rank < 0)
            node = heapq.heappop(ready)
            rank[node] = place
            for follower in followers(node):
                waiting[follower] -= 1
                if waiting[follower] == 0:
                    heapq.heappush(ready, follower)
        return rank

    def _find_cycle(self, left: NDArray[np.bool_]) -> int:
        """Return a node of a cycle: from a node without a rank, follow arcs backward until a node repeats."""
        inside = left[self.sources] & left[self.targets]
        before = dict(zip(self.targets[inside].tolist(), self.sources[inside].tolist(), strict=True))
        node, seen = int(np.argmax(left)), set[int]()
        while node not in seen:
            seen.add(node)
            node = before[node]
        return node


def _find_reachable(n: int, sources: NDArray[np.int64], targets: NDArray[np.int64], start: int) -> NDArray[np.bool_]:
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
    """Return a function from a node to the targets of its arcs."""
    order = np.argsort(sources, kind="stable")
    starts = np.searchsorted(sources[order], np.arange(n + 1)).tolist()
    by_source: list[int] = targets[order].tolist()
    return lambda node: by_source[starts[node] : starts[node + 1]]


def _pack_features(rows: Sequence[Row]) -> ArcFeatures:
    numbered: dict[str, int] = {}
    columns = [numbered.setdefault(name, len(numbered)) for row in rows for name, _ in row]
    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    values = [value for row in rows for _, value in row]
    return ArcFeatures(tuple(numbered), starts, np.array(columns, np.int32), np.array(values, np.float64))


# --- writing -------------------------------------------------------------------------------------------------------


def require_lattice(graph: Graph, format: str, reserved: Iterable[str] = ()) -> Lattice:
    """Return a lattice; InputError if it is a forest, or has a word that is reserved in the format."""
    if isinstance(graph, Forest):
        raise InputError(f"{graph.where}: expected a lattice to write as {format}, found a forest")
    refuse_words(graph, set(reserved) & set(graph.words), format)
    return graph


def refuse_words(graph: Graph, words: Iterable[str], format: str) -> None:
    """Raise InputError if there are words that the format cannot represent."""
    for word in words:
        raise InputError(f"{graph.where}: the word {word!r} cannot be written as {format}")


def list_arcs(lattice: Lattice, empty_word: str) -> Iterator[tuple[int, int, str, float]]:
    """Yield source, target, word and weight of each arc."""
    words = (*lattice.words, empty_word)  # the label of an arc without a word is -1
    return zip(
        lattice.sources.tolist(),
        lattice.targets.tolist(),
        [words[label] for label in lattice.labels.tolist()],
        lattice.weights.tolist(),
        strict=True,
    )


def list_features(features: ArcFeatures) -> list[list[tuple[str, float]]]:
    """Return the (name, value) pairs of each arc or edge."""
    cells = [
        (features.names[c], value) for c, value in zip(features.columns.tolist(), features.values.tolist(), strict=True)
    ]
    starts = features.starts.tolist()
    return [cells[starts[row] : starts[row + 1]] for row in range(len(features))]


class ListedEdge(NamedTuple):
    """An edge of a forest: the nodes it derives from, words and slots -1, -2, ..., and features."""

    tails: list[int]
    items: list[str | int]
    features: list[tuple[str, float]]

    def spell(self, slots: Sequence[str]) -> str:
        """Return the words with these texts in place of the tails."""
        return " ".join([item if isinstance(item, str) else slots[-1 - item] for item in self.items])


def list_edges(
    graph: Graph, format: str, is_reserved: Callable[[str], object]
) -> tuple[Forest, list[list[ListedEdge]]]:
    """Return a forest (a lattice is converted) and the edges of each node; InputError if a word is reserved."""
    forest = Forest.of(graph) if isinstance(graph, Lattice) else graph
    refuse_words(forest, [word for word in forest.words if is_reserved(word) or "|||" in word], format)
    rows = [[] for _ in forest.heads] if forest.features is None else list_features(forest.features)
    edges: list[list[ListedEdge]] = [[] for _ in range(forest.n_nodes)]
    for edge, head in enumerate(forest.heads.tolist()):
        tails = forest.tails[forest.tail_starts[edge] : forest.tail_starts[edge + 1]].tolist()
        items = forest.items[forest.item_starts[edge] : forest.item_starts[edge + 1]].tolist()
        words = [forest.words[item] if item >= 0 else item for item in items]
        edges[head].append(ListedEdge(tails, words, rows[edge]))
    return forest, edges
