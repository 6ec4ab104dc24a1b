"""The best text of a lattice or a forest under a metric that has an automaton: exact, by dynamic programming.

A lattice is searched as a forest: its nodes' texts begin every text they are in, so their tables are one row each, and
the time is proportional to arcs times states, which are reference words times the order at most.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.core.test_set import Segments
from tarocco.encode.batch import Encoding
from tarocco.encode.vocabulary import Vocabulary
from tarocco.io.graphs.builder import Arcs, Place
from tarocco.kernels import forest_search, kernel
from tarocco.metrics.base import Metric
from tarocco.metrics.edit.error_rates import Wer
from tarocco.metrics.edit.grr import Grr

Words = NDArray[np.int32]


@dataclass(frozen=True)
class Automaton:
    """The automaton of Chiang et al. (2008, section 4.3): the m-th match in a row collects m, `order` at most.

    An inserted word costs `alpha`, a deleted one `beta`. With order 1, alpha 1 and beta 0 it is that of WRR.
    """

    order: int
    alpha: float
    beta: float

    def size(self, length: int) -> int:
        """What is collected is divided by this: the n-grams of a reference; an empty one counts as one word."""
        return max(1, sum(max(length - n, 0) for n in range(self.order)))

    def against(self, length: int) -> Automaton:
        """The automaton for a reference of so many words.

        An empty reference is matched by the empty text alone, whatever words cost: that is the shortest text.
        """
        return self if length else Automaton(self.order, 1.0, 0.0)


def automaton_of(metric: Metric, several: bool = True) -> Automaton | None:
    """The automaton of a metric, if it has one; `several` is whether there are segments with several references."""
    if isinstance(metric, Grr):
        return Automaton(metric.order, metric.alpha, metric.beta)
    if not isinstance(metric, Wer):
        return None
    if several and metric.select != "rate":
        raise BadParameter(
            f"{metric}: an oracle is the best for the reference with the lowest rate (select=rate), not for the one "
            f"with the fewest errors; with one reference they are the same"
        )
    return Automaton(1, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Numbered:
    """A forest and its references in the same numbers.

    `numbers` are those of the forest's words, and `items` has them in place of the forest's own.
    """

    forest: Forest
    numbers: Words
    items: Words
    references: tuple[Words, ...]
    n_words: int


def numbered(forest: Forest, references: Sequence[str], lowercase: bool = False) -> Numbered:
    """Number the words of a forest and of the references that are there (a blank one beside others is none)."""
    texts = [text for text in references if text.strip()] or [""]
    reading = Encoding("none", lowercase)
    vocabulary = Vocabulary()
    found = reading.encode([Segments.from_strings(texts)], vocabulary)
    words = numbers_of_words(forest, reading, vocabulary)
    items = forest.items
    if len(words):
        items = np.where(items >= 0, words[items.clip(0)], items).astype(np.int32)
    return Numbered(forest, words, items, tuple(found[row] for row in range(len(found))), len(vocabulary))


def numbers_of_words(graph: Graph, reading: Encoding, vocabulary: Vocabulary) -> Words:
    """The number of each word of a lattice or a forest, as it is read: in lower case, Cat and cat have the same."""
    words = reading.encode([Segments.from_strings(graph.words)], vocabulary)
    if (words.lengths != 1).any():
        odd = graph.words[int(np.flatnonzero(words.lengths != 1)[0])]
        raise InputError(f"{graph.where}: a word without spaces is wanted on an arc, found {odd!r}")
    return words.values


_fill = kernel(forest_search, "fill_tables")
_trace = kernel(forest_search, "trace_best_derivation")

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
    """What each node's texts collect, between any two states, or from the beginning; see kernels/forest_search.py."""

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
