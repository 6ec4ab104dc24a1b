"""Forests as lattices: what a tail derives is put in place of the tail, as often as there are places for it."""

from __future__ import annotations

from itertools import pairwise

from tarocco.errors import InputError
from tarocco.graphs import Graph, Lattice
from tarocco.read.graph_making import Arcs, Place
from tarocco.search.exact import as_lattice

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
    arcs = Arcs(Place(graph.segment, graph.path, graph.line))
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
