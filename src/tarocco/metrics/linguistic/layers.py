"""Sentences as arrays: what analyzers say of many texts, layer by layer, in numbers.

Words of all sentences stand in one row, one sentence after the other, and so do nodes of trees, entities and arguments;
places of words and nodes are places in these rows. Python's own loops run inside `map`, not statement by statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tarocco.annotate.analyzers import describe_source
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError, TextRefused
from tarocco.kernels import kernel, ngram_ids
from tarocco.metrics.comparison import table_size

Ints = NDArray[np.int64]
Made = TypeVar("Made")

_number_keys = kernel(ngram_ids, "number_keys")

# What a layer is called where one is missing.
_LAYERS = {
    "lemmas": "lemmas",
    "tags": "part-of-speech tags",
    "universal": "universal parts of speech",
    "chunks": "chunks",
    "heads": "dependency heads",
    "relations": "dependency relations",
    "tree": "constituency trees",
    "entities": "named entities",
    "frames": "semantic roles",
}


class _Numbers(dict[str, int]):
    """Numbers for strings, in the order in which they come."""

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        return number


def numbered(strings: Iterable[str]) -> tuple[Ints, list[str]]:
    """A number for each string, equal ones alike, and the string of each number."""
    numbers = _Numbers()
    ids = np.fromiter(map(numbers.__getitem__, strings), np.int64)
    return ids, list(numbers)


def named(strings: Iterable[str], spelled: Callable[[str], str]) -> tuple[Ints, list[str]]:
    """The same for strings that are spelled in another way first; numbers follow the alphabet.

    So they do not depend on what else is numbered, and neither does the order in which anything is added up.
    """
    ids, given = numbered(strings)
    names = sorted(set(map(spelled, given)))
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[spelled(name)] for name in given], np.int64)[ids], names


def paired(one: Ints, other: Ints) -> Ints:
    """A number for each pair, equal ones alike; both are at least 0."""
    keys = (one * (int(other.max(initial=0)) + 1) + other).view(np.uint64)
    size, shift = table_size(len(keys))
    numbers = np.empty(len(keys), np.int64)
    _number_keys(keys, np.empty(size, np.uint64), np.full(size, -1, np.int32), shift, numbers)
    return numbers


def spread(counts: Ints) -> tuple[Ints, Ints]:
    """Each place as often as its count says, and the number of the repetition: [2, 1] -> [0, 0, 1], [0, 1, 0]."""
    owners = np.repeat(np.arange(len(counts)), counts)
    return owners, np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)


class Spans(NamedTuple):
    """Entities or arguments: the sentence, the words start .. end - 1 and the label of each."""

    rows: Ints
    starts: Ints
    ends: Ints
    labels: list[str]

    def words(self) -> tuple[Ints, Ints]:
        """For each word of each span: which span, which word."""
        spans, within = spread(self.ends - self.starts)
        return spans, self.starts[spans] + within


class Nodes(NamedTuple):
    """Nodes of trees: the sentence, a number for the label, and the place of the parent (-1: a root) of each.

    `starts` is where in the row of all words the node begins: children stand in this order.
    """

    rows: Ints
    labels: Ints
    parents: Ints
    starts: Ints


class Layers:
    """The sentences of a batch: first those of the candidates, then those of the references."""

    def __init__(
        self, sentences: Sequence[Sentence], lowercase: bool, analyzer: str, texts: Sequence[str] = ()
    ) -> None:
        """`texts` are what the sentences were made of, for those that must be refused."""
        self._sentences = sentences
        self._texts = texts
        self._lowercase = lowercase
        self._analyzer = analyzer
        self._made: dict[Any, Any] = {}
        self.lengths = np.fromiter(map(len, map(attrgetter("words"), sentences)), np.int64, len(sentences))
        self.firsts = np.cumsum(self.lengths) - self.lengths
        self.rows = np.repeat(np.arange(len(sentences)), self.lengths)  # the sentence of each word

    def __len__(self) -> int:
        return len(self._sentences)

    def once(self, make: Callable[[Layers], Made]) -> Made:
        """What a function makes of the layers, made when first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made

    def refused(self, row: int, reason: str) -> InputError:
        """What to raise because of one sentence."""
        return TextRefused(self._texts[row], reason) if self._texts else InputError(reason)

    def has(self, layer: str) -> bool:
        """Whether every sentence has a layer; those describe_source words need none."""
        found = map(attrgetter(layer), self._sentences)
        return None not in found or all(
            getattr(sentence, layer) is not None for sentence in self._sentences if sentence.words
        )

    def layer(self, name: str) -> list[tuple[Any, ...]]:
        """A layer of each sentence."""
        if not self.has(name):
            source = describe_source(self._analyzer, name)
            raise InputError(f"a requested metric needs {_LAYERS[name]}, which are missing from {source}")
        found = list(map(attrgetter(name), self._sentences))
        return found if None not in found else [one or () for one in found]

    def flat(self, name: str) -> Iterable[str]:
        """A layer that has one string a word, of all sentences."""
        return chain.from_iterable(self.layer(name))

    def _cased(self, strings: Iterable[str]) -> Ints:
        ids, distinct = numbered(strings)
        return numbered(map(str.lower, distinct))[0][ids] if self._lowercase else ids

    @cached_property
    def words(self) -> Ints:
        """A number for each word, in the case that the run asks for."""
        return self._cased(chain.from_iterable(map(attrgetter("words"), self._sentences)))

    @cached_property
    def heads(self) -> Ints:
        """The place of each word's head, -1 for a root."""
        heads = np.fromiter(chain.from_iterable(self.layer("heads")), np.int64, len(self.rows))
        return np.where(heads < 0, -1, heads + self.firsts[self.rows])

    @cached_property
    def ancestors(self) -> tuple[Ints, Ints]:
        """Every word and every word above it, itself first: pairs, all of one distance before those of the next."""
        words = above = np.arange(len(self.heads))
        pairs = [(words, above)]
        for _ in range(int(self.lengths.max(initial=0)) + 1):
            above = self.heads[above]
            words, above = words[above >= 0], above[above >= 0]
            if not len(words):
                return np.concatenate([one for one, _ in pairs]), np.concatenate([one for _, one in pairs])
            pairs.append((words, above))
        said = f'the analyzer "{self._analyzer}" made a sentence whose dependencies go in a circle'
        raise self.refused(int(self.rows[words[0]]), said)

    @cached_property
    def entities(self) -> Spans:
        """The named entities."""
        return self._spans(self.layer("entities"), np.arange(len(self)))

    @cached_property
    def arguments(self) -> tuple[Spans, Ints]:
        """The arguments of all predicates, and a number for the lemma of each one's predicate."""
        of_sentences = self.layer("frames")
        frames = list(chain.from_iterable(of_sentences))
        rows = np.repeat(np.arange(len(self)), np.fromiter(map(len, of_sentences), np.int64, len(self)))
        arguments = list(map(attrgetter("arguments"), frames))
        lemmas = self._cased(map(attrgetter("lemma"), frames))
        counts = np.fromiter(map(len, arguments), np.int64, len(arguments))
        return self._spans(arguments, rows), np.repeat(lemmas, counts)

    def _spans(self, groups: Sequence[tuple[Any, ...]], rows: Ints) -> Spans:
        """Spans in groups, each of the sentence rows[group]."""
        spans = list(chain.from_iterable(groups))
        rows = np.repeat(rows, np.fromiter(map(len, groups), np.int64, len(groups)))
        starts, ends = (
            np.fromiter(map(attrgetter(end), spans), np.int64, len(spans)) + self.firsts[rows]
            for end in ("start", "end")
        )
        return Spans(rows, starts, ends, list(map(attrgetter("label"), spans)))
