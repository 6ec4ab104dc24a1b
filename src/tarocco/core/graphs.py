"""Lattices, whose paths are texts, and forests, whose derivations are texts.

A lattice is a directed acyclic graph with at most one word per arc. A forest is a hypergraph: an edge derives its head
from any number of tails and words. Both are stored as arrays in topological order.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import gather_ragged

EPSILON = -1  # the label of an arc without a word
_COUNTED = 2**1024  # larger than any float


@dataclass(frozen=True, eq=False)
class ArcFeatures:
    """Named numbers on arcs or edges, one row each. Row r has the cells starts[r] .. starts[r + 1]; others are 0."""

    names: tuple[str, ...]
    starts: NDArray[np.int64]  # [rows + 1]
    columns: NDArray[np.int32]  # index of each cell's name
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def dense(self) -> NDArray[np.float64]:
        """Return all cells, [rows, names]."""
        table = np.zeros((len(self), len(self.names)))
        np.add.at(table, (self._rows(), self.columns), self.values)
        return table

    def weighted(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the sum of weight times value for each row; names without a weight are ignored."""
        by_column = np.array([weights.get(name, 0.0) for name in self.names], np.float64)
        sums = np.bincount(self._rows(), self.values * by_column[self.columns], len(self))
        return sums.astype(np.float64, copy=False)

    def taken(self, rows: NDArray[np.intp]) -> ArcFeatures:
        """Return these rows, in this order."""
        starts, cells = gather_ragged(self.starts, rows)
        return ArcFeatures(self.names, starts, self.columns[cells], self.values[cells])

    def _rows(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class BestPath:
    """A path or derivation as the indices of its arcs or edges, and its score, the sum of their weights.

    The arcs of a path are in order. The edges of a derivation start at the goal, each followed by those of its tails.
    """

    steps: NDArray[np.int32]
    score: float


@dataclass(frozen=True, eq=False)
class Lattice:
    """Paths of words. Arcs go from lower nodes to higher nodes; node 0 is the start, and the last node is final.

    Arcs are sorted by source. A lattice with one node has no arcs and one path, the empty text.
    """

    words: tuple[str, ...]  # each once, in the order of the arcs
    n_nodes: int
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    labels: NDArray[np.int32]  # indices of words, or EPSILON
    weights: NDArray[np.float64]  # added along a path, higher is better; 0 if the file has none
    features: ArcFeatures | None = None
    segment: int = 0  # counted from 0
    path: str = ""  # of the file, as messages show it
    line: int = 0  # first line in the file, counted from 1
    n_pruned: int = 0  # removed nodes that were on no path

    @property
    def where(self) -> str:
        """The file and line, for messages."""
        return f"{self.path}, line {self.line}"

    @property
    def empty(self) -> bool:
        """Whether there are no arcs, so that the empty text is the only path."""
        return len(self.labels) == 0

    @property
    def n_paths(self) -> int | float:
        """The exact number of paths, or infinity from 2 ** 1024 on."""
        ways: list[int] = [0] * self.n_nodes
        ways[0] = 1
        for source, target in zip(self.sources.tolist(), self.targets.tolist(), strict=True):
            ways[target] = min(ways[target] + ways[source], _COUNTED)
        return _count(ways[-1])

    def best(self) -> BestPath:
        """Return the path with the highest weight; ties go to the earlier arc, compared from the end of the path."""
        scores = [-math.inf] * self.n_nodes
        scores[0] = 0.0
        back = [-1] * self.n_nodes
        sources = self.sources.tolist()
        for arc, (source, target, weight) in enumerate(
            zip(sources, self.targets.tolist(), self.weights.tolist(), strict=True)
        ):
            if scores[source] + weight > scores[target]:
                scores[target] = scores[source] + weight
                back[target] = arc
        steps = []
        node = self.n_nodes - 1
        while node:
            steps.append(back[node])
            node = sources[back[node]]
        return BestPath(np.array(steps[::-1], np.int32), scores[-1])

    def text(self, steps: Sequence[int] | NDArray[np.int32]) -> str:
        """Return the words of a path, separated by spaces."""
        labels = self.labels[np.asarray(steps, np.intp)]
        return " ".join(self.words[label] for label in labels[labels >= 0].tolist())

    def weighted(self, weights: Mapping[str, float]) -> Lattice:
        """Return the lattice with weights computed from its features; all 0 without features."""
        return replace(self, weights=_weighted(self.features, weights, len(self.labels)))

    def without(self, words: Collection[str]) -> Lattice:
        """Return the lattice without these words, such as <s>; their arcs carry no word."""
        remaining, new = _renumbered(self.words, words)
        return replace(self, words=remaining, labels=new[self.labels])


@dataclass(frozen=True, eq=False)
class Forest:
    """Derivations of texts. Tails are lower nodes than their head, the last node is the goal, edges are sorted by head.

    The tails of edge e are tails[tail_starts[e] : tail_starts[e + 1]]. Its text is in `items`, which is ragged in the
    same way: indices of words, and -1, -2, ... for the text of the first, second, ... tail. Every tail occurs once, in
    this order.
    """

    words: tuple[str, ...]  # each once, in the order of the edges
    n_nodes: int
    heads: NDArray[np.int32]
    tail_starts: NDArray[np.int64]
    tails: NDArray[np.int32]
    item_starts: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.float64]  # added over a derivation, higher is better; 0 if the file has none
    features: ArcFeatures | None = None
    segment: int = 0  # counted from 0
    path: str = ""  # of the file, as messages show it
    line: int = 0  # first line in the file, counted from 1
    n_pruned: int = 0  # removed nodes that were in no derivation

    @classmethod
    def of(cls, lattice: Lattice) -> Forest:
        """Convert a lattice: edge 0 derives the start from nothing, the others are the arcs sorted by target."""
        order = np.argsort(lattice.targets, kind="stable")
        n = len(order)
        labels = lattice.labels[order]
        items = np.stack([np.full(n, -1, np.int32), labels], axis=1).ravel()
        items = items[np.stack([np.ones(n, bool), labels >= 0], axis=1).ravel()]
        features = lattice.features
        if features is not None:
            features = features.taken(order)
            features = replace(features, starts=np.concatenate([np.zeros(1, np.int64), features.starts]))
        none = np.zeros(1, np.int64)
        return cls(
            lattice.words,
            lattice.n_nodes,
            np.concatenate([np.zeros(1, np.int32), lattice.targets[order]]),
            np.concatenate([none, np.arange(n + 1)]),
            lattice.sources[order],
            np.concatenate([none, none, np.cumsum(1 + (labels >= 0), dtype=np.int64)]),
            items,
            np.concatenate([np.zeros(1), lattice.weights[order]]),
            features,
            lattice.segment,
            lattice.path,
            lattice.line,
            lattice.n_pruned,
        )

    @property
    def where(self) -> str:
        """The file and line, for messages."""
        return f"{self.path}, line {self.line}"

    @property
    def empty(self) -> bool:
        """Whether no edge has a word, so that the empty text is the only one."""
        return not self.words

    @property
    def n_derivations(self) -> int | float:
        """The exact number of derivations, or infinity from 2 ** 1024 on."""
        ways = [0] * self.n_nodes
        for head, tails in zip(self.heads.tolist(), self._tails(), strict=True):
            product = 1
            for tail in tails:
                product = min(product * ways[tail], _COUNTED)
            ways[head] = min(ways[head] + product, _COUNTED)
        return _count(ways[-1])

    def best(self) -> BestPath:
        """Return the derivation with the highest weight; ties go to the lower edge."""
        return self.k_best(1)[0]

    def k_best(self, k: int) -> list[BestPath]:
        """Return up to k derivations with the highest weights; ties go to the lower edge.

        Works bottom-up: a node's next best derivation is the best of another edge, or a derivation already taken with
        one tail replaced by its next best (Huang and Chiang 2005, algorithm 2).
        """
        tails, weights = self._tails(), self.weights.tolist()
        best: list[list[tuple[float, int, tuple[int, ...]]]] = []  # per node: -score, edge, rank of each tail
        first_edges = np.searchsorted(self.heads, np.arange(self.n_nodes + 1)).tolist()
        for node in range(self.n_nodes):
            heap = []
            for edge in range(first_edges[node], first_edges[node + 1]):
                score = -weights[edge] + sum([best[tail][0][0] for tail in tails[edge]])
                heap.append((score, edge, (0,) * len(tails[edge])))
            if k == 1:
                best.append([min(heap)])
                continue
            heapq.heapify(heap)
            seen = {entry[1:] for entry in heap}
            taken: list[tuple[float, int, tuple[int, ...]]] = []
            while heap and len(taken) < k:
                entry = heapq.heappop(heap)
                taken.append(entry)
                _, edge, ranks = entry
                for slot, tail in enumerate(tails[edge]):
                    more = (*ranks[:slot], ranks[slot] + 1, *ranks[slot + 1 :])
                    if more[slot] < len(best[tail]) and (edge, more) not in seen:
                        seen.add((edge, more))
                        ways = [best[t][rank][0] for t, rank in zip(tails[edge], more, strict=True)]
                        heapq.heappush(heap, (-weights[edge] + sum(ways), edge, more))
            best.append(taken)
        results = []
        for rank, (score, _, _) in enumerate(best[-1]):
            steps, stack = [], [(self.n_nodes - 1, rank)]
            while stack:
                node, which = stack.pop()
                _, edge, ranks = best[node][which]
                steps.append(edge)
                stack.extend(zip(reversed(tails[edge]), reversed(ranks), strict=True))
            results.append(BestPath(np.array(steps, np.int32), 0.0 - score))
        return results

    def text(self, steps: Sequence[int] | NDArray[np.int32]) -> str:
        """Return the words of a derivation, separated by spaces."""
        edges = np.asarray(steps, np.intp).tolist()
        arities = np.diff(self.tail_starts)
        # Going backward, the derivations of an edge's tails are the last ones that were started.
        started: list[int] = []
        tails_at: list[list[int]] = [[]] * len(edges)
        for place in range(len(edges) - 1, -1, -1):
            tails_at[place] = [started.pop() for _ in range(arities[edges[place]])]
            started.append(place)
        words = []
        todo = [(0, item) for item in self._items(edges[0])[::-1]]  # (position in `steps`, item), next one last
        while todo:
            place, item = todo.pop()
            if item >= 0:
                words.append(self.words[item])
            else:
                below = tails_at[place][-1 - item]
                todo.extend([(below, item) for item in self._items(edges[below])[::-1]])
        return " ".join(words)

    def weighted(self, weights: Mapping[str, float]) -> Forest:
        """Return the forest with weights computed from its features; all 0 without features."""
        return replace(self, weights=_weighted(self.features, weights, len(self.heads)))

    def without(self, words: Collection[str]) -> Forest:
        """Return the forest without these words, such as <s>."""
        remaining, new = _renumbered(self.words, words)
        items = np.where(self.items >= 0, new[self.items.clip(EPSILON)], self.items)
        stay = (self.items < 0) | (items >= 0)
        stays = np.concatenate([np.zeros(1, np.int64), np.cumsum(stay, dtype=np.int64)])
        return replace(self, words=remaining, items=items[stay], item_starts=stays[self.item_starts])

    def _tails(self) -> list[list[int]]:
        tails, starts = self.tails.tolist(), self.tail_starts.tolist()
        return [tails[start:stop] for start, stop in pairwise(starts)]

    def _items(self, edge: int) -> list[int]:
        items: list[int] = self.items[self.item_starts[edge] : self.item_starts[edge + 1]].tolist()
        return items


Graph = Lattice | Forest


def _count(ways: int) -> int | float:
    return ways if ways < _COUNTED else math.inf


def _weighted(features: ArcFeatures | None, weights: Mapping[str, float], rows: int) -> NDArray[np.float64]:
    return np.zeros(rows) if features is None else features.weighted(weights)


def _renumbered(words: tuple[str, ...], dropped: Collection[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the remaining words, and the new index of each; EPSILON for dropped words and for EPSILON itself."""
    stay = np.array([word not in dropped for word in words], bool)
    new = np.where(stay, np.cumsum(stay) - 1, EPSILON)
    remaining = tuple(word for word, stays in zip(words, stay.tolist(), strict=True) if stays)
    return remaining, np.append(new, EPSILON).astype(np.int32)  # EPSILON indexes the last one
