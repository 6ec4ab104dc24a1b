"""How much a text weighs: as much as the best of its paths or derivations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.decode.oracle.exact import as_lattice, nodes_that_begin
from tarocco.io.graphs.builder import GraphLocation, LatticeBuilder

_ARCS = 1_000_000  # that are too many


def unfolded(graph: Graph) -> Lattice:
    """A lattice that has a path for each derivation, with its text and its weight.

    A forest whose tails all begin texts, as in the hypergraphs of Moses, is no larger as a lattice. Another one may be
    larger by any factor: a tail is unfolded once for each way to go on behind it.
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
    entries = {(graph.n_nodes - 1, final): start}  # where a node's texts begin that end at a node of the lattice
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
        if len(arcs.sources) > _ARCS:
            raise InputError(
                f"{graph.where}: n-gram posteriors are those of lattices, and this forest, whose tails do not all "
                f"begin texts, would have more than {_ARCS} arcs as a lattice; prune it"
            )
    return arcs.lattice(start, {final: 0.0})


Spans = dict[tuple[int, int], float]  # (first, last) of the words that something derives, and its best weight


def weight_of(forest: Forest, text: str) -> float:
    """The weight of the best derivation of a text that the forest has."""
    number = {word: i for i, word in enumerate(forest.words)}
    words = [number[word] for word in text.split()]
    begin = nodes_that_begin(forest).tolist()
    everywhere: Spans = {(i, i): 0.0 for i in range(len(words) + 1)}
    nodes: list[Spans] = [{} for _ in range(forest.n_nodes)]
    items, tails, tail_starts = forest.items.tolist(), forest.tails.tolist(), forest.tail_starts.tolist()
    edges = zip(forest.heads.tolist(), forest.weights.tolist(), pairwise(forest.item_starts.tolist()), strict=True)
    for edge, (head, weight, (start, stop)) in enumerate(edges):
        spans = {(0, 0): 0.0} if begin[head] else everywhere
        for item in items[start:stop]:
            if item >= 0:
                spans = _with_word(spans, item, words)
            else:
                spans = _with_tail(spans, nodes[tails[tail_starts[edge] - 1 - item]])
        own = nodes[head]
        for span, value in spans.items():
            if span not in own or value + weight > own[span]:
                own[span] = value + weight
    return nodes[-1][0, len(words)]


def _with_word(spans: Spans, word: int, words: Sequence[int]) -> Spans:
    n = len(words)
    return {(i, j + 1): value for (i, j), value in spans.items() if j < n and words[j] == word}


def _with_tail(spans: Spans, tail: Spans) -> Spans:
    ending: dict[int, list[tuple[int, float]]] = {}
    for (i, j), value in spans.items():
        ending.setdefault(j, []).append((i, value))
    found: Spans = {}
    for (j, k), more in tail.items():
        for i, value in ending.get(j, ()):
            if (i, k) not in found or value + more > found[i, k]:
                found[i, k] = value + more
    return found
