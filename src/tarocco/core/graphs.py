"""Many texts in one: lattices, whose paths are texts, and forests, whose derivations are.

A lattice is a directed graph without cycles that has a word (or none) on each arc. A forest is a hypergraph: an edge
makes its head out of any number of tails and words. Both are arrays, in an order in which one pass is enough for
whatever goes from the beginning to the end, or from the leaves to the goal.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

EPSILON = -1  # the label of an arc without a word
_COUNTED = 2**1024  # what a float can hold no more


@dataclass(frozen=True, eq=False)
class Features:
    """Named numbers on arcs or edges; what a row does not have is 0. Row r has the cells starts[r] .. starts[r + 1]."""

    names: tuple[str, ...]
    starts: NDArray[np.int64]  # [rows + 1]
    columns: NDArray[np.int32]  # of each cell: which name
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def dense(self) -> NDArray[np.float64]:
        """All cells, [rows, names]."""
        table = np.zeros((len(self), len(self.names)))
        np.add.at(table, (self._rows(), self.columns), self.values)
        return table

    def weighted(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """The sum of weight times value for each row; a name without a weight counts nothing."""
        by_column = np.array([weights.get(name, 0.0) for name in self.names], np.float64)
        sums = np.bincount(self._rows(), self.values * by_column[self.columns], len(self))
        return sums.astype(np.float64, copy=False)

    def taken(self, rows: NDArray[np.intp]) -> Features:
        """These rows, in this order."""
        starts, cells = gathered(self.starts, rows)
        return Features(self.names, starts, self.columns[cells], self.values[cells])

    def _rows(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def gathered(starts: NDArray[np.int64], rows: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of ragged rows, taken in this order: where each begins then, and where each of their cells was."""
    sizes = np.diff(starts)[rows]
    begins = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    return begins, np.arange(begins[-1]) - np.repeat(begins[:-1] - starts[rows], sizes)


@dataclass(frozen=True, eq=False)
class BestPath:
    """A path or a derivation, as the numbers of its arcs or edges, and its score: the sum of their weights.

    The arcs of a path come in order; the edges of a derivation from the goal down, each followed by those of its tails.
    """

    steps: NDArray[np.int32]
    score: float


@dataclass(frozen=True, eq=False)
class Lattice:
    """Paths of words. Arcs go from lower nodes to higher ones, from the start 0 to the only final node, the last.

    Arcs come in the order of their sources. A lattice of one node has no arcs and one path, the empty text.
    """

    words: tuple[str, ...]  # each once, in the order of the arcs; its place is its number
    n_nodes: int
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    labels: NDArray[np.int32]  # numbers of words, or EPSILON
    weights: NDArray[np.float64]  # what is added up along a path, higher is better; 0 where the file has none
    features: Features | None = None
    segment: int = 0  # its number among the segments, from 0
    path: str = ""  # of the file, as messages show it
    line: int = 0  # where it begins, from 1
    n_pruned: int = 0  # how many nodes were on no path and were left out

    @property
    def where(self) -> str:
        """How messages call the place of the lattice."""
        return f"{self.path}, line {self.line}"

    @property
    def empty(self) -> bool:
        """Whether there are no arcs: the empty text is the only path."""
        return len(self.labels) == 0

    @property
    def n_paths(self) -> int | float:
        """How many paths there are: exact, or infinity where there are 2 ** 1024 and more."""
        ways: list[int] = [0] * self.n_nodes
        ways[0] = 1
        for source, target in zip(self.sources.tolist(), self.targets.tolist(), strict=True):
            ways[target] = min(ways[target] + ways[source], _COUNTED)
        return _count(ways[-1])

    def best(self) -> BestPath:
        """The path with the highest weight; of equal ones, that which comes first at the earliest final difference."""
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
        """The words of a path, with spaces between them."""
        labels = self.labels[np.asarray(steps, np.intp)]
        return " ".join(self.words[label] for label in labels[labels >= 0].tolist())

    def weighted(self, weights: Mapping[str, float]) -> Lattice:
        """The same lattice, whose weights are those of its features; without features all are 0."""
        return replace(self, weights=_weighted(self.features, weights, len(self.labels)))

    def without(self, words: Collection[str]) -> Lattice:
        """The same lattice, in which these words, <s> for instance, are arcs without a word."""
        kept, new = _renumbered(self.words, words)
        return replace(self, words=kept, labels=new[self.labels])


@dataclass(frozen=True, eq=False)
class Forest:
    """Derivations of texts. Tails are lower nodes than the head, the goal is the last one, edges come by their heads.

    The tails of edge e are tails[tail_starts[e] : tail_starts[e + 1]]. Its text is the likewise ragged `items`: numbers
    of words from 0 on, and -1, -2, ... for what the first, the second, ... tail derives. All tails stand there, in this
    order.
    """

    words: tuple[str, ...]  # each once, in the order of the edges; its place is its number
    n_nodes: int
    heads: NDArray[np.int32]
    tail_starts: NDArray[np.int64]
    tails: NDArray[np.int32]
    item_starts: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.float64]  # what is added up over a derivation, higher is better; 0 where the file has none
    features: Features | None = None
    segment: int = 0  # its number among the segments, from 0
    path: str = ""  # of the file, as messages show it
    line: int = 0  # where it begins, from 1
    n_pruned: int = 0  # how many nodes were in no derivation and were left out

    @classmethod
    def of(cls, lattice: Lattice) -> Forest:
        """A lattice as a forest: edge 0 derives the start from nothing, the others are the arcs, by their targets."""
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
        """How messages call the place of the forest."""
        return f"{self.path}, line {self.line}"

    @property
    def empty(self) -> bool:
        """Whether no edge has a word: the empty text is the only one."""
        return not self.words

    @property
    def n_derivations(self) -> int | float:
        """How many derivations there are: exact, or infinity where there are 2 ** 1024 and more."""
        ways = [0] * self.n_nodes
        for head, tails in zip(self.heads.tolist(), self._tails(), strict=True):
            product = 1
            for tail in tails:
                product = min(product * ways[tail], _COUNTED)
            ways[head] = min(ways[head] + product, _COUNTED)
        return _count(ways[-1])

    def best(self) -> BestPath:
        """The derivation with the highest weight; of equal ones, that of the first edge."""
        return self.k_best(1)[0]

    def k_best(self, k: int) -> list[BestPath]:
        """The k derivations with the highest weights, or all, where there are fewer; equal ones by their first edge.

        Bottom-up: a node's next best derivation is another edge's best, or has the next best derivation of one tail of
        one that was taken already (Huang and Chiang 2005, algorithm 2).
        """
        tails, weights = self._tails(), self.weights.tolist()
        found: list[list[tuple[float, int, tuple[int, ...]]]] = []  # of each node: -score, edge, which one of each tail
        first_edges = np.searchsorted(self.heads, np.arange(self.n_nodes + 1)).tolist()
        for node in range(self.n_nodes):
            heap = []
            for edge in range(first_edges[node], first_edges[node + 1]):
                score = -weights[edge] + sum([found[tail][0][0] for tail in tails[edge]])
                heap.append((score, edge, (0,) * len(tails[edge])))
            if k == 1:
                found.append([min(heap)])
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
                    if more[slot] < len(found[tail]) and (edge, more) not in seen:
                        seen.add((edge, more))
                        ways = [found[t][rank][0] for t, rank in zip(tails[edge], more, strict=True)]
                        heapq.heappush(heap, (-weights[edge] + sum(ways), edge, more))
            found.append(taken)
        results = []
        for rank, (score, _, _) in enumerate(found[-1]):
            steps, stack = [], [(self.n_nodes - 1, rank)]
            while stack:
                node, which = stack.pop()
                _, edge, ranks = found[node][which]
                steps.append(edge)
                stack.extend(zip(reversed(tails[edge]), reversed(ranks), strict=True))
            results.append(BestPath(np.array(steps, np.int32), 0.0 - score))
        return results

    def text(self, steps: Sequence[int] | NDArray[np.int32]) -> str:
        """The words of a derivation, with spaces between them."""
        edges = np.asarray(steps, np.intp).tolist()
        arities = np.diff(self.tail_starts)
        # From the back, the derivations of an edge's tails are the last ones that were begun.
        open_: list[int] = []
        tails_at: list[list[int]] = [[]] * len(edges)
        for place in range(len(edges) - 1, -1, -1):
            tails_at[place] = [open_.pop() for _ in range(arities[edges[place]])]
            open_.append(place)
        words = []
        todo = [(0, item) for item in self._items(edges[0])[::-1]]  # (where in `steps`, item), the next one last
        while todo:
            place, item = todo.pop()
            if item >= 0:
                words.append(self.words[item])
            else:
                below = tails_at[place][-1 - item]
                todo.extend([(below, item) for item in self._items(edges[below])[::-1]])
        return " ".join(words)

    def weighted(self, weights: Mapping[str, float]) -> Forest:
        """The same forest, whose weights are those of its features; without features all are 0."""
        return replace(self, weights=_weighted(self.features, weights, len(self.heads)))

    def without(self, words: Collection[str]) -> Forest:
        """The same forest without these words, <s> for instance."""
        kept, new = _renumbered(self.words, words)
        items = np.where(self.items >= 0, new[self.items.clip(EPSILON)], self.items)
        stay = (self.items < 0) | (items >= 0)
        stays = np.concatenate([np.zeros(1, np.int64), np.cumsum(stay, dtype=np.int64)])
        return replace(self, words=kept, items=items[stay], item_starts=stays[self.item_starts])

    def _tails(self) -> list[list[int]]:
        tails, starts = self.tails.tolist(), self.tail_starts.tolist()
        return [tails[start:stop] for start, stop in pairwise(starts)]

    def _items(self, edge: int) -> list[int]:
        items: list[int] = self.items[self.item_starts[edge] : self.item_starts[edge + 1]].tolist()
        return items


Graph = Lattice | Forest


def _count(ways: int) -> int | float:
    return ways if ways < _COUNTED else math.inf


def _weighted(features: Features | None, weights: Mapping[str, float], rows: int) -> NDArray[np.float64]:
    return np.zeros(rows) if features is None else features.weighted(weights)


def _renumbered(words: tuple[str, ...], dropped: Collection[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The words that stay, and the new number of each; EPSILON for those that do not, and for EPSILON itself."""
    stay = np.array([word not in dropped for word in words], bool)
    new = np.where(stay, np.cumsum(stay) - 1, EPSILON)
    kept = tuple(word for word, stays in zip(words, stay.tolist(), strict=True) if stays)
    return kept, np.append(new, EPSILON).astype(np.int32)  # index -1 is the last one
