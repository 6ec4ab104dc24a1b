"""The best texts of a lattice under a metric that has an automaton: distinct texts, best first, as they are asked for.

Texts grow from their ends. What an end of a text collects from each state on is one table, whichever paths it is on;
what the best beginning collects that leads there is known from the search for the best text. Their sum is no estimate
but what the best text with that end collects, so that only ends of texts that are listed are ever made longer
(Mohri and Riley 2002, with the metric's automaton in place of weights).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tarocco.graphs import Lattice
from tarocco.search.automata import Automaton, Numbered, Words
from tarocco.search.exact import Found

Floats = NDArray[np.float64]


def best_texts(lattice: Lattice, numbered: Numbered, found: Sequence[Found], automaton: Automaton) -> Iterator[str]:
    """The texts of a lattice from the best to the worst; `found` are the best ones against each reference.

    Of equally good ones, that which has more words in common with the one before comes first, then that whose end was
    met first.
    """
    sides = [
        _Side(reference, one, automaton, automaton.size(len(reference)))
        for reference, one in zip(numbered.references, found, strict=True)
    ]
    incoming = _incoming(lattice)
    numbers = numbered.numbers.tolist()
    met = 0
    nodes = _with_epsilon({lattice.n_nodes - 1}, incoming)
    tables = [side.at_the_end() for side in sides]
    # (-rate, -length, when it was met, labels from the end on, where its paths are; none: it is a whole text)
    heap: list[tuple[float, int, int, tuple[int, ...], frozenset[int] | None, list[Floats]]] = []
    heapq.heappush(heap, (-_promise(sides, tables, nodes), 0, met, (), frozenset(nodes), tables))
    while heap:
        _, length, _, labels, at, tables = heapq.heappop(heap)
        if at is None:
            yield " ".join(lattice.words[label] for label in reversed(labels))
            continue
        if 0 in at:
            met += 1
            rate = max(table[0, 0] / side.size for side, table in zip(sides, tables, strict=True))
            heapq.heappush(heap, (-float(rate), length - 1, met, labels, None, []))
        sources: dict[int, set[int]] = {}
        for node in sorted(at):
            for label, source in incoming[node]:
                if label >= 0:
                    sources.setdefault(label, set()).add(source)
        for label, before in sources.items():
            nodes = _with_epsilon(before, incoming)
            longer = [side.before(numbers[label], table) for side, table in zip(sides, tables, strict=True)]
            met += 1
            rate = _promise(sides, longer, nodes)
            heapq.heappush(heap, (-rate, length - 1, met, (*labels, label), frozenset(nodes), longer))


class _Side:
    """A reference, and what is known of the search against it. Tables are [positions, order], a cell a state."""

    def __init__(self, reference: Words, found: Found, automaton: Automaton, size: int) -> None:
        self.reference, self.size = reference, size
        self.automaton = automaton.against(len(reference))
        self.prefixes = found.tables.of_prefixes(automaton.order)
        self.places = np.arange(len(reference) + 1)

    def at_the_end(self) -> Floats:
        """What the empty end collects from each state on: the rest of the reference is deleted."""
        left = -self.automaton.beta * (len(self.reference) - self.places)
        return np.repeat(left[:, None], self.automaton.order, axis=1)

    def before(self, word: int, table: Floats) -> Floats:
        """The table of an end of a text with one more word before it."""
        order, beta = self.automaton.order, self.automaton.beta
        plain = table[:, 0] - self.automaton.alpha  # an insertion
        plain[:-1] = np.maximum(plain[:-1], table[1:, 0])  # a substitution
        longer = np.repeat(plain[:, None], order, axis=1)
        here = np.flatnonzero(self.reference == word)
        for run in range(order):
            matched = table[here + 1, min(run + 1, order - 1)] + (run + 1)
            longer[here, run] = np.maximum(longer[here, run], matched)
        # Deletions before the word: to any later position, where a run begins anew.
        later = np.maximum.accumulate((longer[:, 0] - beta * self.places)[::-1])[::-1]
        deleted = later[1:] + beta * self.places[:-1]
        longer[:-1] = np.maximum(longer[:-1], deleted[:, None])
        return longer


def _promise(sides: Sequence[_Side], tables: Sequence[Floats], nodes: set[int]) -> float:
    """The rate of the best text with an end whose paths begin at these nodes."""
    at = sorted(nodes)
    rates = [float((side.prefixes[at] + table).max()) / side.size for side, table in zip(sides, tables, strict=True)]
    return max(rates)


def _incoming(lattice: Lattice) -> list[list[tuple[int, int]]]:
    """(label, source) of the arcs that lead to each node, in their order."""
    incoming: list[list[tuple[int, int]]] = [[] for _ in range(lattice.n_nodes)]
    arcs = zip(lattice.sources.tolist(), lattice.targets.tolist(), lattice.labels.tolist(), strict=True)
    for source, target, label in arcs:
        incoming[target].append((label, source))
    return incoming


def _with_epsilon(nodes: set[int], incoming: Sequence[Sequence[tuple[int, int]]]) -> set[int]:
    """The nodes, and those from which arcs without words lead to them."""
    found, todo = set(nodes), list(nodes)
    while todo:
        for label, source in incoming[todo.pop()]:
            if label < 0 and source not in found:
                found.add(source)
                todo.append(source)
    return found
