"""The best text of a lattice or a forest under a metric that has an automaton: exact, by dynamic programming.

A lattice is searched as a forest: its nodes' texts begin every text they are in, so their tables are one row each, and
the time is proportional to arcs times states, which are reference words times the order at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.graphs import Forest, Graph, Lattice
from tarocco.kernels import kernel, spans
from tarocco.read.graph_making import Arcs, Place
from tarocco.search.automata import Automaton, Numbered, Words

_fill = kernel(spans, "fill")
_trace = kernel(spans, "trace")

_ROOM = 1 << 33  # bytes of tables that are too many
_LONGEST = 1 << 26  # edges of a derivation that are too many
_NEVER = -1e200


@dataclass(frozen=True, eq=False)
class Found:
    """The best derivation against one reference: what it collects, that divided by the reference's n-grams, its edges.

    `tables` has what the prefixes of a lattice's texts collect, for those who go on searching.
    """

    value: float
    rate: float
    steps: NDArray[np.int32]
    tables: Tables


@dataclass(frozen=True, eq=False)
class States:
    """The states of an automaton that words of a forest can lead to: those of position i are bases[i] .. bases[i + 1].

    A run of matches is as long as the words before the position are in the forest, all of them.
    """

    bases: NDArray[np.int32]  # [positions + 1]
    positions: NDArray[np.int32]  # of each state

    @classmethod
    def of(cls, reference: Words, known: NDArray[np.bool_], order: int) -> States:
        """`known` tells which words the forest has."""
        places = np.arange(len(reference) + 1)
        breaks = np.where(known[reference], 0, places[1:])
        runs = places - np.concatenate([np.zeros(1, np.int64), np.maximum.accumulate(breaks)])
        counts = 1 + np.minimum(runs, order - 1)
        bases = np.concatenate([np.zeros(1, np.int32), np.cumsum(counts, dtype=np.int32)]).astype(np.int32)
        return cls(bases, np.repeat(places, counts).astype(np.int32))

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def runs(self) -> NDArray[np.int32]:
        """How many matches in a row each state stands for."""
        return np.arange(len(self), dtype=np.int32) - self.bases[self.positions]


@dataclass(frozen=True, eq=False)
class Tables:
    """What each node's texts collect, between any two states, or from the beginning; see kernels/spans.py."""

    states: States
    starts: NDArray[np.int64]
    values: NDArray[np.float64]

    def of_prefixes(self, order: int) -> NDArray[np.float64]:
        """[nodes, positions, order] of a lattice: the most that its prefixes collect; -inf where they never are."""
        rows = self.values.reshape(-1, len(self.states))
        full = np.full((len(rows), len(self.states.bases) - 1, order), -np.inf)
        full[:, self.states.positions, self.states.runs] = np.where(rows > _NEVER, rows, -np.inf)
        return full


def best_derivation(numbered: Numbered, automaton: Automaton) -> Found:
    """The derivation with the highest rate against any of the references; of equal ones the first reference's.

    Against one reference, of several best derivations, that of the first edge, from the goal down.
    """
    found = [derivation_against(numbered, reference, automaton) for reference in numbered.references]
    return max(found, key=lambda one: one.rate)  # the first of equal ones


def derivation_against(numbered: Numbered, reference: Words, automaton: Automaton) -> Found:
    """The derivation that collects most against a reference."""
    size = automaton.size(len(reference))
    automaton = automaton.against(len(reference))
    forest = numbered.forest
    known = np.zeros(numbered.n_words, np.bool_)
    known[numbered.items[numbered.items >= 0]] = True
    states = States.of(reference, known, automaton.order)
    n = len(states)
    sizes = np.where(nodes_that_begin(forest), n, n * n)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    if 8 * starts[-1] > _ROOM:
        raise InputError(
            f"{forest.where}: with a reference of {len(reference)} words this takes {8 * starts[-1] / 2**30:.0f} GiB "
            f"of memory, more than {_ROOM >> 30}; prune it, or take a lower order than {automaton.order}"
        )
    longest = int(np.diff(forest.item_starts).max(initial=0))
    values = np.empty(starts[-1])
    arguments = (
        np.searchsorted(forest.heads, np.arange(forest.n_nodes + 1)).astype(np.int64),
        *(forest.tail_starts, forest.tails, forest.item_starts, numbered.items),
        *(reference, states.bases, states.positions, automaton.order, automaton.alpha, automaton.beta),
        *(starts, values, np.empty((longest + 1, n)), np.zeros((longest + 1, n), np.int32)),
    )
    _fill(*arguments)
    goal = values[starts[-2] : starts[-2] + n]
    ends = goal - automaton.beta * (len(reference) - states.positions)  # what is left of the reference is deleted
    final = int(np.argmax(ends))
    room = forest.n_nodes + 64
    while True:
        steps = np.empty(room, np.int32)
        count = _trace(*arguments, final, np.empty((room, 3), np.int32), steps)
        if count >= 0:
            break
        room *= 4
        if room > _LONGEST:
            raise InputError(f"{forest.where}: the best derivation has more than {_LONGEST} edges")
    return Found(float(ends[final]), float(ends[final]) / size, steps[:count].copy(), Tables(states, starts, values))


def nodes_that_begin(forest: Forest) -> NDArray[np.bool_]:
    """Which nodes derive nothing but beginnings of texts: all of them, where a lattice is seen as a forest."""
    begin = np.ones(forest.n_nodes, np.bool_)
    edges = np.repeat(np.arange(len(forest.heads)), np.diff(forest.tail_starts))
    leads = np.zeros(len(forest.tails), np.bool_)
    with_items = np.flatnonzero(np.diff(forest.item_starts) > 0)
    tail_first = with_items[forest.items[forest.item_starts[with_items]] == -1]
    leads[forest.tail_starts[tail_first]] = True
    if leads.all():
        return begin
    begin[forest.tails[~leads]] = False
    tails, heads = forest.tails.tolist(), forest.heads[edges].tolist()
    for place in range(len(tails) - 1, -1, -1):  # what is below a node that may come later may come later
        if not begin[heads[place]]:
            begin[tails[place]] = False
    return begin


def as_forest(graph: Graph) -> Forest:
    """A lattice seen as a forest, or the forest."""
    return graph if isinstance(graph, Forest) else Forest.of(graph)


def as_lattice(graph: Graph) -> Lattice | None:
    """A forest as a lattice, if all its tails begin texts, as in the hypergraphs of Moses; None if they do not."""
    if isinstance(graph, Lattice):
        return graph
    if (np.diff(graph.tail_starts) > 1).any() or not nodes_that_begin(graph).all():
        return None
    items, starts = graph.items.tolist(), graph.item_starts.tolist()
    tails, tail_starts = graph.tails.tolist(), graph.tail_starts.tolist()
    arcs = Arcs(Place(graph.segment, graph.path, graph.line))
    for edge, (head, weight) in enumerate(zip(graph.heads.tolist(), graph.weights.tolist(), strict=True)):
        source = tails[tail_starts[edge]] if tail_starts[edge] < tail_starts[edge + 1] else -1
        words = [graph.words[item] for item in items[starts[edge] : starts[edge + 1]] if item >= 0]
        arcs.add(source, head, " ".join(words), weight)
    return arcs.lattice(-1, {graph.n_nodes - 1: 0.0})
