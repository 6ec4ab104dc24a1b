"""Search for the best texts of a lattice or forest: exactly with a metric's automaton, or with a beam for BLEU.

Exact search is dynamic programming. A lattice is searched as a forest whose nodes derive beginnings of texts, so each
table is one row and the time is proportional to arcs times states (at most reference words times the order).

BLEU is not a sum along a path. Its linear approximation is (Tromble et al. 2008, section 4): a loss per word and a gain
per n-gram that a reference has. The beam search keeps the texts of each node that are best by that sum.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.core.test_set import Segments
from tarocco.decode.oracle.forests import initial_nodes
from tarocco.encode.batch import Encoding
from tarocco.encode.vocabulary import Vocabulary
from tarocco.kernels import forest_search, kernel
from tarocco.metrics.base import Floats
from tarocco.metrics.edit.rates import Automaton

_fill = kernel(forest_search, "fill_tables")
_trace = kernel(forest_search, "trace_best_derivation")
_search = kernel(forest_search, "search_with_beam")

_MOST_BYTES = 1 << 33  # of tables, or of texts in a beam
_MOST_EDGES = 1 << 26  # of a derivation
_UNREACHABLE = -1e200

ORDER = 4
PRECISION, RATIO = 0.85, 0.72  # typical: unigram precision, and each order's relative to the one below

Words = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class NumberedForest:
    """A forest and its references with common word numbers: `numbers` of the forest's words, `items` with them."""

    forest: Forest
    numbers: Words
    items: Words
    references: tuple[Words, ...]
    n_words: int


def number_words(forest: Forest, references: Sequence[str], lowercase: bool = False) -> NumberedForest:
    """Number the words of a forest and of its references; blank references are skipped if there are others."""
    texts = [text for text in references if text.strip()] or [""]
    encoding = Encoding("none", lowercase)
    vocabulary = Vocabulary()
    rows = encoding.encode([Segments.from_strings(texts)], vocabulary)
    numbers = word_numbers(forest, encoding, vocabulary)
    items = forest.items
    if len(numbers):
        items = np.where(items >= 0, numbers[items.clip(0)], items).astype(np.int32)
    return NumberedForest(forest, numbers, items, tuple(rows[row] for row in range(len(rows))), len(vocabulary))


def word_numbers(graph: Graph, encoding: Encoding, vocabulary: Vocabulary) -> Words:
    """Return the number of each word of a graph; in lower case, "Cat" and "cat" have the same number."""
    words = encoding.encode([Segments.from_strings(graph.words)], vocabulary)
    if (words.lengths != 1).any():
        odd = graph.words[int(np.flatnonzero(words.lengths != 1)[0])]
        raise InputError(f"{graph.where}: expected a word without spaces on each arc, found {odd!r}")
    return words.values


# --- exact search ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AutomatonStates:
    """The states of an automaton that the words of a forest can reach; bases[i] .. bases[i + 1] are at position i.

    A run of matches is at most as long as the words before the position that all occur in the forest.
    """

    bases: NDArray[np.int32]  # [positions + 1]
    positions: NDArray[np.int32]  # of each state

    @classmethod
    def of(cls, reference: Words, known: NDArray[np.bool_], order: int) -> AutomatonStates:
        """Return the states; `known` says which words the forest has."""
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
        """The number of consecutive matches of each state."""
        return np.arange(len(self), dtype=np.int32) - self.bases[self.positions]


@dataclass(frozen=True, eq=False)
class SpanTables:
    """The most that each node's texts collect between two states, or from the start; see kernels/forest_search.py."""

    states: AutomatonStates
    starts: NDArray[np.int64]
    values: Floats

    def of_prefixes(self, order: int) -> Floats:
        """Return [nodes, positions, order] of a lattice: the most its prefixes collect; -inf if unreachable."""
        rows = self.values.reshape(-1, len(self.states))
        full = np.full((len(rows), len(self.states.bases) - 1, order), -np.inf)
        full[:, self.states.positions, self.states.runs] = np.where(rows > _UNREACHABLE, rows, -np.inf)
        return full


@dataclass(frozen=True, eq=False)
class Derivation:
    """The best derivation against one reference: its rate of the reference's n-grams, and its edges."""

    rate: float
    steps: NDArray[np.int32]
    tables: SpanTables


def best_derivation(numbered: NumberedForest, automaton: Automaton) -> Derivation:
    """Return the derivation with the highest rate against any reference; ties go to the first reference."""
    derivations = [derivation_against(numbered, reference, automaton) for reference in numbered.references]
    return max(derivations, key=lambda derivation: derivation.rate)


def derivation_against(numbered: NumberedForest, reference: Words, automaton: Automaton) -> Derivation:
    """Return the derivation that collects most against a reference; ties go to the first edge, from the goal down."""
    size = automaton.size(len(reference))
    automaton = automaton.against(len(reference))
    forest = numbered.forest
    known = np.zeros(numbered.n_words, np.bool_)
    known[numbered.items[numbered.items >= 0]] = True
    states = AutomatonStates.of(reference, known, automaton.order)
    n = len(states)
    sizes = np.where(initial_nodes(forest), n, n * n)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    if 8 * starts[-1] > _MOST_BYTES:
        raise InputError(
            f"{forest.where}: with a reference of {len(reference)} words this takes {8 * starts[-1] / 2**30:.0f} GiB "
            f"of memory, more than {_MOST_BYTES >> 30}; prune it, or use an order below {automaton.order}"
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
    ends = goal - automaton.beta * (len(reference) - states.positions)  # the rest of the reference is deleted
    final = int(np.argmax(ends))
    room = forest.n_nodes + 64
    while True:
        steps = np.empty(room, np.int32)
        count = _trace(*arguments, final, np.empty((room, 3), np.int32), steps)
        if count >= 0:
            break
        room *= 4
        if room > _MOST_EDGES:
            raise InputError(f"{forest.where}: the best derivation has more than {_MOST_EDGES} edges")
    return Derivation(float(ends[final]) / size, steps[:count].copy(), SpanTables(states, starts, values))


def best_texts(
    lattice: Lattice, numbered: NumberedForest, derivations: Sequence[Derivation], automaton: Automaton
) -> Iterator[str]:
    """Yield the texts of a lattice from best to worst; `derivations` are the best ones against each reference.

    Ties go to the text that shares more words with the one before, then to the one whose end was reached first.
    """
    sides = [
        _ReferenceSide(reference, derivation, automaton, automaton.size(len(reference)))
        for reference, derivation in zip(numbered.references, derivations, strict=True)
    ]
    incoming = _incoming(lattice)
    numbers = numbered.numbers.tolist()
    reached = 0
    nodes = _epsilon_closure({lattice.n_nodes - 1}, incoming)
    tables = [side.final_table() for side in sides]
    # (-rate, -length, order of arrival, labels from the end, nodes where its paths start; None for a complete text)
    heap: list[tuple[float, int, int, tuple[int, ...], frozenset[int] | None, list[Floats]]] = []
    heapq.heappush(heap, (-_highest_rate(sides, tables, nodes), 0, reached, (), frozenset(nodes), tables))
    while heap:
        _, length, _, labels, at, tables = heapq.heappop(heap)
        if at is None:
            yield " ".join(lattice.words[label] for label in reversed(labels))
            continue
        if 0 in at:
            reached += 1
            rate = max(table[0, 0] / side.size for side, table in zip(sides, tables, strict=True))
            heapq.heappush(heap, (-float(rate), length - 1, reached, labels, None, []))
        sources: dict[int, set[int]] = {}
        for node in sorted(at):
            for label, source in incoming[node]:
                if label >= 0:
                    sources.setdefault(label, set()).add(source)
        for label, before in sources.items():
            nodes = _epsilon_closure(before, incoming)
            longer = [side.prepend(numbers[label], table) for side, table in zip(sides, tables, strict=True)]
            reached += 1
            rate = _highest_rate(sides, longer, nodes)
            heapq.heappush(heap, (-rate, length - 1, reached, (*labels, label), frozenset(nodes), longer))


class _ReferenceSide:
    """A reference and the prefix tables of the search against it. Tables are [positions, order], one cell per state."""

    def __init__(self, reference: Words, derivation: Derivation, automaton: Automaton, size: int) -> None:
        self.reference, self.size = reference, size
        self.automaton = automaton.against(len(reference))
        self.prefixes = derivation.tables.of_prefixes(automaton.order)
        self.places = np.arange(len(reference) + 1)

    def final_table(self) -> Floats:
        """Return what the empty suffix collects from each state: the rest of the reference is deleted."""
        left = -self.automaton.beta * (len(self.reference) - self.places)
        return np.repeat(left[:, None], self.automaton.order, axis=1)

    def prepend(self, word: int, table: Floats) -> Floats:
        """Return the table of a suffix with one more word in front."""
        order, beta = self.automaton.order, self.automaton.beta
        plain = table[:, 0] - self.automaton.alpha  # an insertion
        plain[:-1] = np.maximum(plain[:-1], table[1:, 0])  # a substitution
        longer = np.repeat(plain[:, None], order, axis=1)
        here = np.flatnonzero(self.reference == word)
        for run in range(order):
            matched = table[here + 1, min(run + 1, order - 1)] + (run + 1)
            longer[here, run] = np.maximum(longer[here, run], matched)
        # Deletions before the word lead to any later position, where a new run starts.
        later = np.maximum.accumulate((longer[:, 0] - beta * self.places)[::-1])[::-1]
        deleted = later[1:] + beta * self.places[:-1]
        longer[:-1] = np.maximum(longer[:-1], deleted[:, None])
        return longer


def _highest_rate(sides: Sequence[_ReferenceSide], tables: Sequence[Floats], nodes: set[int]) -> float:
    """Return the rate of the best text whose suffix has these tables and starts at these nodes."""
    at = sorted(nodes)
    return max(float((side.prefixes[at] + table).max()) / side.size for side, table in zip(sides, tables, strict=True))


def _incoming(lattice: Lattice) -> list[list[tuple[int, int]]]:
    """Return (label, source) of the arcs that lead to each node, in order."""
    incoming: list[list[tuple[int, int]]] = [[] for _ in range(lattice.n_nodes)]
    arcs = zip(lattice.sources.tolist(), lattice.targets.tolist(), lattice.labels.tolist(), strict=True)
    for source, target, label in arcs:
        incoming[target].append((label, source))
    return incoming


def _epsilon_closure(nodes: set[int], incoming: Sequence[Sequence[tuple[int, int]]]) -> set[int]:
    """Return the nodes and those from which arcs without words lead to them."""
    closure, todo = set(nodes), list(nodes)
    while todo:
        for label, source in incoming[todo.pop()]:
            if label < 0 and source not in closure:
                closure.add(source)
                todo.append(source)
    return closure


# --- beam search -----------------------------------------------------------------------------------------------------


def beam_texts(numbered: NumberedForest, width: int) -> list[str]:
    """Return up to `width` texts of a forest that share many n-grams with the references, best by linear BLEU first."""
    forest = numbered.forest
    lengths = _longest_texts(forest)
    longest = np.array([min(length, _MOST_BYTES) for length in lengths], np.int64)
    total = width * sum(lengths)
    if 4 * total > _MOST_BYTES:
        raise InputError(
            f"{forest.where}: a beam of {width} takes {4 * total / 2**30:.0f} GiB of memory, more than "
            f"{_MOST_BYTES >> 30}; use a narrower beam"
        )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(width * longest, dtype=np.int64)])
    follow, limits, labels = _ngrams(numbered.references, numbered.numbers)
    gains = np.array([-1.0, *(1 / (ORDER * PRECISION * RATIO**n) for n in range(ORDER))])
    texts = np.empty(max(1, total), np.int32)
    sizes, kept = np.empty((forest.n_nodes, width), np.int32), np.empty(forest.n_nodes, np.int32)
    most = int(longest.max(initial=0)) + 1
    _search(
        np.searchsorted(forest.heads, np.arange(forest.n_nodes + 1)).astype(np.int64),
        *(forest.tail_starts, forest.tails, forest.item_starts, forest.items, labels),
        *(follow, limits, gains, width, longest, starts[:-1], texts, sizes),
        *(np.empty((forest.n_nodes, width)), kept, np.zeros(len(limits), np.int32)),
        np.empty(max(1, int(np.diff(forest.tail_starts).max(initial=0))), np.int32),
        *(np.empty(most, np.int32), np.empty(most, np.int32)),
    )
    goal = forest.n_nodes - 1
    first = [int(starts[goal] + rank * longest[goal]) for rank in range(kept[goal])]
    ends = [start + int(size) for start, size in zip(first, sizes[goal], strict=False)]
    return [
        " ".join(forest.words[word] for word in texts[start:end].tolist())
        for start, end in zip(first, ends, strict=True)
    ]


def _ngrams(
    references: tuple[Words, ...], numbers: Words
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return which n-gram follows which by which word, how often each counts, and the forest's words renumbered."""
    known: dict[int, int] = {}
    for reference in references:
        for word in reference.tolist():
            known.setdefault(word, len(known))
    grams: dict[tuple[int, int], int] = {}
    limits = [0]
    for reference in references:
        words = [known[word] for word in reference.tolist()]
        counts: dict[int, int] = {}
        for i in range(len(words)):
            gram = 0
            for word in words[i : i + ORDER]:
                gram = grams.setdefault((gram, word), len(grams) + 1)
                counts[gram] = counts.get(gram, 0) + 1
        limits += [0] * (len(grams) + 1 - len(limits))
        for gram, count in counts.items():
            limits[gram] = max(limits[gram], count)
    follow = np.full((len(grams) + 1, len(known) + 1), -1, np.int32)
    for (gram, word), longer in grams.items():
        follow[gram, word] = longer
    labels = np.array([known.get(word, len(known)) for word in numbers.tolist()] or [0], np.int32)
    return follow, np.array(limits, np.int32), labels


def _longest_texts(forest: Forest) -> list[int]:
    """Return the number of words in the longest text of each node."""
    longest = [0] * forest.n_nodes
    words = np.add.reduceat(np.append(forest.items >= 0, False), forest.item_starts[:-1]) * (
        np.diff(forest.item_starts) > 0
    )
    tails = forest.tails.tolist()
    bounds = pairwise(forest.tail_starts.tolist())
    for head, count, (start, stop) in zip(forest.heads.tolist(), words.tolist(), bounds, strict=True):
        longest[head] = max(longest[head], count + sum([longest[tail] for tail in tails[start:stop]]))
    return longest
