"""Conversions between lattices and forests, and the weight of a text in a forest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.io.graphs.builder import GraphLocation, LatticeBuilder

_MOST_ARCS = 1_000_000  # of a forest unfolded into a lattice


def initial_nodes(forest: Forest) -> NDArray[np.bool_]:
    """Return which nodes derive only beginnings of texts: all of them if a lattice was turned into the forest."""
    initial = np.ones(forest.n_nodes, np.bool_)
    edges = np.repeat(np.arange(len(forest.heads)), np.diff(forest.tail_starts))
    first_in_edge = np.zeros(len(forest.tails), np.bool_)
    with_items = np.flatnonzero(np.diff(forest.item_starts) > 0)
    tail_first = with_items[forest.items[forest.item_starts[with_items]] == -1]
    first_in_edge[forest.tail_starts[tail_first]] = True
    if first_in_edge.all():
        return initial
    initial[forest.tails[~first_in_edge]] = False
    tails, heads = forest.tails.tolist(), forest.heads[edges].tolist()
    for place in range(len(tails) - 1, -1, -1):  # a tail of a node that is not initial is not initial either
        if not initial[heads[place]]:
            initial[tails[place]] = False
    return initial


def as_forest(graph: Graph) -> Forest:
    """Return a lattice as a forest, or the forest itself."""
    return graph if isinstance(graph, Forest) else Forest.of(graph)


def as_lattice(graph: Graph) -> Lattice | None:
    """Return a forest as a lattice if all its tails begin texts, like the hypergraphs of Moses; None otherwise."""
    if isinstance(graph, Lattice):
        return graph
    if (np.diff(graph.tail_starts) > 1).any() or not initial_nodes(graph).all():
        return None
    items, starts = graph.items.tolist(), graph.item_starts.tolist()
    tails, tail_starts = graph.tails.tolist(), graph.tail_starts.tolist()
    arcs = LatticeBuilder(GraphLocation(graph.segment, graph.path, graph.line))
    for edge, (head, weight) in enumerate(zip(graph.heads.tolist(), graph.weights.tolist(), strict=True)):
        source = tails[tail_starts[edge]] if tail_starts[edge] < tail_starts[edge + 1] else -1
        words = [graph.words[item] for item in items[starts[edge] : starts[edge + 1]] if item >= 0]
        arcs.add(source, head, " ".join(words), weight)
    return arcs.lattice(-1, {graph.n_nodes - 1: 0.0})


def unfolded(graph: Graph) -> Lattice:
    """Return a lattice with one path per derivation, which has the same text and weight.

    If all tails of a forest begin texts, the lattice is no larger than the forest. Otherwise it may be larger by any
    factor, because a tail is unfolded once per continuation.
    """
    if isinstance(graph, Lattice):
        return graph
    lattice = as_lattice(graph)
    if lattice is not None:
        return lattice
    edges_of: list[list[int]] = [[] for _ in range(graph.n_nodes)]
    for edge, head in enumerate(graph.heads.tolist()):
        edges_of[head].append(edge)
    weights, tails, tail_starts = graph.weights.tolist(), graph.tails.tolist(), graph.tail_starts.tolist()
    items_of = [graph.items[first:last].tolist() for first, last in pairwise(graph.item_starts.tolist())]
    arcs = LatticeBuilder(GraphLocation(graph.segment, graph.path, graph.line))
    start, final, n_nodes = 0, 1, 2
    entries = {(graph.n_nodes - 1, final): start}  # (node of the forest, end in the lattice) -> start in the lattice
    todo = [(graph.n_nodes - 1, final)]
    while todo:
        node, exit_ = todo.pop()
        entry = entries[node, exit_]
        for edge in edges_of[node]:
            at = exit_
            for item in reversed(items_of[edge]):
                if item >= 0:
                    arcs.add(n_nodes, at, graph.words[item], 0.0)
                    at, n_nodes = n_nodes, n_nodes + 1
                    continue
                below = (tails[tail_starts[edge] - 1 - item], at)
                if below not in entries:
                    entries[below], n_nodes = n_nodes, n_nodes + 1
                    todo.append(below)
                at = entries[below]
            arcs.add(entry, at, "", weights[edge])
        if len(arcs.sources) > _MOST_ARCS:
            raise InputError(
                f"{graph.where}: n-gram posteriors need a lattice, and this forest would have more than {_MOST_ARCS} "
                f"arcs as a lattice, because not all of its tails begin texts; prune it"
            )
    return arcs.lattice(start, {final: 0.0})


Spans = dict[tuple[int, int], float]  # (first, last) of the words that something derives -> its best weight


def weight_of(forest: Forest, text: str) -> float:
    """Return the weight of the best derivation of a text of the forest."""
    number = {word: i for i, word in enumerate(forest.words)}
    words = [number[word] for word in text.split()]
    initial = initial_nodes(forest).tolist()
    everywhere: Spans = {(i, i): 0.0 for i in range(len(words) + 1)}
    nodes: list[Spans] = [{} for _ in range(forest.n_nodes)]
    items, tails, tail_starts = forest.items.tolist(), forest.tails.tolist(), forest.tail_starts.tolist()
    edges = zip(forest.heads.tolist(), forest.weights.tolist(), pairwise(forest.item_starts.tolist()), strict=True)
    for edge, (head, weight, (start, stop)) in enumerate(edges):
        spans = {(0, 0): 0.0} if initial[head] else everywhere
        for item in items[start:stop]:
            if item >= 0:
                spans = _append_word(spans, item, words)
            else:
                spans = _append_tail(spans, nodes[tails[tail_starts[edge] - 1 - item]])
        at_head = nodes[head]
        for span, value in spans.items():
            if span not in at_head or value + weight > at_head[span]:
                at_head[span] = value + weight
    return nodes[-1][0, len(words)]


def _append_word(spans: Spans, word: int, words: Sequence[int]) -> Spans:
    n = len(words)
    return {(i, j + 1): value for (i, j), value in spans.items() if j < n and words[j] == word}


def _append_tail(spans: Spans, tail: Spans) -> Spans:
    ending: dict[int, list[tuple[int, float]]] = {}
    for (i, j), value in spans.items():
        ending.setdefault(j, []).append((i, value))
    longer: Spans = {}
    for (j, k), more in tail.items():
        for i, value in ending.get(j, ()):
            if (i, k) not in longer or value + more > longer[i, k]:
                longer[i, k] = value + more
    return longer
