"""Metrics that can be computed on the edges of a forest, and texts as the numbers that their automata read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Encoding
from tarocco.encode.vocabulary import Vocabulary
from tarocco.errors import BadParameter, InputError
from tarocco.graphs import Forest, Graph
from tarocco.metrics.base import Metric
from tarocco.metrics.edits import Wer
from tarocco.metrics.recognition import Grr
from tarocco.model import Segments

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
