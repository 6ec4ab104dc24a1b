"""Linguistic layers of many sentences as integer arrays.

The words of all sentences are numbered consecutively, one sentence after the other; so are tree nodes, entities and
arguments. Heads and parents are indices in these sequences. Loops over words run inside `map`, because Python
statements are slower.
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
from tarocco.metrics.text_pairs import table_size

Ints = NDArray[np.int64]
Value = TypeVar("Value")

_number_keys = kernel(ngram_ids, "number_keys")

_LAYER_NAMES = {
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
    """Numbers strings in order of first occurrence."""

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        return number


def number_strings(strings: Iterable[str]) -> tuple[Ints, list[str]]:
    """Return a number for each string, the same for equal strings, and the string of each number."""
    numbers = _Numbers()
    ids = np.fromiter(map(numbers.__getitem__, strings), np.int64)
    return ids, list(numbers)


def number_labels(labels: Iterable[str], normalize: Callable[[str], str]) -> tuple[Ints, list[str]]:
    """Return a number for each normalized label, in alphabetical order, and the label of each number.

    The alphabetical order makes sums independent of the other labels of the batch.
    """
    ids, originals = number_strings(labels)
    names = sorted(set(map(normalize, originals)))
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[normalize(label)] for label in originals], np.int64)[ids], names


def number_pairs(first: Ints, second: Ints) -> Ints:
    """Return a number for each pair of nonnegative integers, the same for equal pairs."""
    keys = (first * (int(second.max(initial=0)) + 1) + second).view(np.uint64)
    size, shift = table_size(len(keys))
    numbers = np.empty(len(keys), np.int64)
    _number_keys(keys, np.empty(size, np.uint64), np.full(size, -1, np.int32), shift, numbers)
    return numbers


def repeat_indices(counts: Ints) -> tuple[Ints, Ints]:
    """Repeat each index as often as its count, and number the repetitions: [2, 1] -> [0, 0, 1], [0, 1, 0]."""
    owners = np.repeat(np.arange(len(counts)), counts)
    return owners, np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)


class Spans(NamedTuple):
    """Entities or arguments: the sentence, the words start .. end - 1, and the label of each."""

    rows: Ints
    starts: Ints
    ends: Ints
    labels: list[str]

    def words(self) -> tuple[Ints, Ints]:
        """Return the span and the word of each word in each span."""
        spans, within = repeat_indices(self.ends - self.starts)
        return spans, self.starts[spans] + within


class Nodes(NamedTuple):
    """Tree nodes: the sentence, the number of the label, the parent (-1 for a root), and the first word of each.

    Children are ordered by `starts`.
    """

    rows: Ints
    labels: Ints
    parents: Ints
    starts: Ints


class Layers:
    """The layers of the sentences of a batch: first of the candidates, then of the references."""

    def __init__(
        self, sentences: Sequence[Sentence], lowercase: bool, analyzer: str, texts: Sequence[str] = ()
    ) -> None:
        """`texts` are the analyzed texts, for error messages."""
        self._sentences = sentences
        self._texts = texts
        self._lowercase = lowercase
        self._analyzer = analyzer
        self._values: dict[Any, Any] = {}
        self.lengths = np.fromiter(map(len, map(attrgetter("words"), sentences)), np.int64, len(sentences))
        self.firsts = np.cumsum(self.lengths) - self.lengths
        self.rows = np.repeat(np.arange(len(sentences)), self.lengths)  # the sentence of each word

    def __len__(self) -> int:
        return len(self._sentences)

    def once(self, compute: Callable[[Layers], Value]) -> Value:
        """Return the value of a function of these layers, computed once."""
        if compute not in self._values:
            self._values[compute] = compute(self)
        value: Value = self._values[compute]
        return value

    def make_error(self, row: int, reason: str) -> InputError:
        """Return an error about one sentence."""
        return TextRefused(self._texts[row], reason) if self._texts else InputError(reason)

    def has(self, layer: str) -> bool:
        """Return whether every sentence that has words has a layer."""
        return None not in map(attrgetter(layer), self._sentences) or all(
            getattr(sentence, layer) is not None for sentence in self._sentences if sentence.words
        )

    def layer(self, name: str) -> list[tuple[Any, ...]]:
        """Return a layer of each sentence; raise InputError if one lacks it."""
        if not self.has(name):
            source = describe_source(self._analyzer, name)
            raise InputError(f"a requested metric needs {_LAYER_NAMES[name]}, which are missing from {source}")
        values = list(map(attrgetter(name), self._sentences))
        return values if None not in values else [value or () for value in values]

    def flat(self, name: str) -> Iterable[str]:
        """Return the strings of a layer that has one string per word, for all sentences."""
        return chain.from_iterable(self.layer(name))

    def _number(self, strings: Iterable[str]) -> Ints:
        """Number strings, ignoring case if the run does."""
        ids, distinct = number_strings(strings)
        return number_strings(map(str.lower, distinct))[0][ids] if self._lowercase else ids

    @cached_property
    def words(self) -> Ints:
        """A number for each word."""
        return self._number(chain.from_iterable(map(attrgetter("words"), self._sentences)))

    @cached_property
    def heads(self) -> Ints:
        """The index of each word's head; -1 for a root."""
        heads = np.fromiter(chain.from_iterable(self.layer("heads")), np.int64, len(self.rows))
        return np.where(heads < 0, -1, heads + self.firsts[self.rows])

    @cached_property
    def ancestors(self) -> tuple[Ints, Ints]:
        """All pairs of a word and an ancestor or the word itself, in order of their distance."""
        words = above = np.arange(len(self.heads))
        pairs: list[tuple[Ints, Ints]] = [(words, above)]
        for _ in range(int(self.lengths.max(initial=0)) + 1):
            above = self.heads[above]
            words, above = words[above >= 0], above[above >= 0]
            if not len(words):
                words, above = (np.concatenate(column) for column in zip(*pairs, strict=True))
                return words, above
            pairs.append((words, above))
        reason = f'the analyzer "{self._analyzer}" returned a sentence whose dependencies form a cycle'
        raise self.make_error(int(self.rows[words[0]]), reason)

    @cached_property
    def entities(self) -> Spans:
        """The named entities."""
        return self._spans(self.layer("entities"), np.arange(len(self)))

    @cached_property
    def arguments(self) -> tuple[Spans, Ints]:
        """The arguments of all predicates, and for each argument the number of its predicate's lemma."""
        sentence_frames = self.layer("frames")
        frames = list(chain.from_iterable(sentence_frames))
        rows = np.repeat(np.arange(len(self)), np.fromiter(map(len, sentence_frames), np.int64, len(self)))
        arguments = list(map(attrgetter("arguments"), frames))
        lemmas = self._number(map(attrgetter("lemma"), frames))
        counts = np.fromiter(map(len, arguments), np.int64, len(arguments))
        return self._spans(arguments, rows), np.repeat(lemmas, counts)

    def _spans(self, groups: Sequence[tuple[Any, ...]], rows: Ints) -> Spans:
        """Return the spans of groups; group i belongs to sentence rows[i]."""
        spans = list(chain.from_iterable(groups))
        rows = np.repeat(rows, np.fromiter(map(len, groups), np.int64, len(groups)))
        starts, ends = (
            np.fromiter(map(attrgetter(end), spans), np.int64, len(spans)) + self.firsts[rows]
            for end in ("start", "end")
        )
        return Spans(rows, starts, ends, list(map(attrgetter("label"), spans)))


# --- constituency trees and paths ----------------------------------------------------------------------------------


def normalize_phrase(label: str) -> str:
    """Return a label without its grammatical function: NP for NP-SBJ, but -LRB- for -LRB-."""
    return label if label.startswith("-") else label.replace("=", "-").partition("-")[0].upper()


class Trees:
    """The constituency trees of a batch. The tag of a word is its preterminal in the tree, or else the tagger's tag."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        trees = layers.layer("tree")
        nodes = list(chain.from_iterable(trees))
        sizes = np.fromiter(map(len, trees), np.int64, len(layers))
        self.rows = np.repeat(np.arange(len(layers)), sizes)
        parents, starts, ends = (
            np.fromiter(map(attrgetter(field), nodes), np.int64, len(nodes)) for field in ("parent", "start", "end")
        )
        self.parents = np.where(parents < 0, -1, parents + (np.cumsum(sizes) - sizes)[self.rows])
        self.starts, self.ends = starts + layers.firsts[self.rows], ends + layers.firsts[self.rows]
        # Tags and phrases share numbers, so that preterminals can be compared with the tagger's tags.
        tags = layers.flat("tags") if layers.has("tags") else [""] * len(layers.rows)
        ids, self.names = number_labels(chain(map(attrgetter("label"), nodes), tags), normalize_phrase)
        self.labels, predicted = ids[: len(nodes)], ids[len(nodes) :]
        no_tag = self.names.index("") if "" in self.names else -1
        self._predicted_tags = np.where(predicted == no_tag, -1, predicted)

    @cached_property
    def _covers(self) -> tuple[Ints, Ints]:
        """All pairs of a node and a word that it covers."""
        nodes, within = repeat_indices(self.ends - self.starts)
        return nodes, self.starts[nodes] + within

    @cached_property
    def word_parents(self) -> Ints:
        """The parent of each word: the last node that covers it, or -1."""
        nodes, words = self._covers
        word_parents = np.full(len(self._layers.rows), -1, np.int64)
        word_parents[words] = nodes  # the last of repeated indices wins
        return word_parents

    @cached_property
    def tag_nodes(self) -> Ints:
        """The preterminal of each word, or -1: a node that covers only this word and has the tagger's tag as its label.

        Parsers may tag some words differently from the tagger. So all such nodes are preterminals in a tree in which
        every word has one and at least one of them has the tagger's tag.
        """
        word_parents, rows = self.word_parents, self._layers.rows
        alone = word_parents >= 0
        if len(self.labels):
            alone &= self.ends[word_parents] - self.starts[word_parents] == 1
        same = alone & ((self._predicted_tags == np.append(self.labels, -1)[word_parents]) | (self._predicted_tags < 0))
        all_alone, some_same = np.ones(len(self._layers), np.bool_), np.zeros(len(self._layers), np.bool_)
        all_alone[rows[~alone]] = False
        some_same[rows[same]] = True
        return np.where(same | (all_alone & some_same)[rows], word_parents, -1)

    @cached_property
    def tags(self) -> Ints:
        """The number of each word's tag; -1 if it has none."""
        return np.where(self.tag_nodes >= 0, np.append(self.labels, -1)[self.tag_nodes], self._predicted_tags)

    def phrases(self) -> tuple[Ints, Ints]:
        """Return the distinct pairs of a word and the label of a phrase that contains it."""
        nodes, words = self._covers
        is_tag = np.zeros(len(self.labels) + 1, np.bool_)
        is_tag[self.tag_nodes] = True  # index -1, no node, sets the extra last entry
        inside = ~is_tag[nodes]
        keys = np.sort(words[inside] * len(self.names) + self.labels[nodes[inside]])
        keys = keys[np.diff(keys, prepend=-1) > 0]
        return keys // max(len(self.names), 1), keys % max(len(self.names), 1)

    def nodes(self) -> Nodes:
        """Return phrases, tags and words as nodes, in this order; the numbers of words and labels do not overlap."""
        layers, size = self._layers, len(self.labels)
        word_parents = self.word_parents.copy()
        new = np.flatnonzero((self.tags >= 0) & (self.tag_nodes < 0))  # tags that are not in the tree
        above = word_parents[new]
        word_parents[new] = size + np.arange(len(new))
        return Nodes(
            np.concatenate([self.rows, layers.rows[new], layers.rows]),
            np.concatenate([self.labels, self.tags[new], len(self.names) + layers.words]),
            np.concatenate([self.parents, above, word_parents]),
            np.concatenate([self.starts, new, np.arange(len(layers.rows))]),
        )


_MAX_CHAINS = 1 << 27  # with gaps, at a time: what fits into memory


def number_paths(nodes: Nodes, longest: int) -> list[tuple[Ints, Ints]]:
    """Return, for each length 1 .. longest, the last node and the number of each path down the tree."""
    ends, ids = np.arange(len(nodes.labels)), nodes.labels
    paths = [(ends, ids)]
    numbers = np.full(len(nodes.labels) + 1, -1, np.int64)  # of the path that ends at a node; index -1: no node
    for _ in range(1, longest):
        numbers[:] = -1
        numbers[ends] = ids
        shorter = numbers[nodes.parents]
        ends = np.flatnonzero(shorter >= 0)
        ids = number_pairs(shorter[ends], nodes.labels[ends])
        paths.append((ends, ids))
    return paths


class TooManyChains(Exception):
    """More chains than fit into memory; sentence `row` has the most, `n_chains`."""

    def __init__(self, row: int, n_chains: int) -> None:
        super().__init__(row, n_chains)
        self.row, self.n_chains = row, n_chains


def number_gapped_paths(nodes: Nodes, ancestors: tuple[Ints, Ints], longest: int) -> list[tuple[Ints, Ints]]:
    """Do the same for paths that may skip nodes; `ancestors` are the pairs of a node and an ancestor."""
    order = np.lexsort((ancestors[1], ancestors[0]))
    below, above = (column[order] for column in ancestors)
    proper = below != above
    below, above = below[proper], above[proper]
    ends, ids = np.arange(len(nodes.labels)), nodes.labels
    paths = [(ends, ids)]
    for _ in range(1, longest):
        # The chains that end at a node are ids[firsts[node]:firsts[node] + counts[node]].
        counts = np.bincount(ends, minlength=len(nodes.labels))
        firsts = np.cumsum(counts) - counts
        ids = ids[np.argsort(ends, kind="stable")]
        if int(counts[above].sum()) > _MAX_CHAINS:
            chains = np.bincount(nodes.rows[above], counts[above])
            raise TooManyChains(int(chains.argmax()), int(chains.max()))
        pairs, within = repeat_indices(counts[above])
        ends = below[pairs]
        ids = number_pairs(ids[firsts[above[pairs]] + within], nodes.labels[ends])
        paths.append((ends, ids))
    return paths


def number_subtrees(nodes: Nodes, deepest: int) -> list[tuple[Ints, Ints]]:
    """Return, for each depth 1 .. deepest, the root and the number of each subtree, cut off at that depth."""
    size = len(nodes.labels)
    children = np.flatnonzero(nodes.parents >= 0)
    children = children[np.lexsort((nodes.starts[children], nodes.parents[children]))]
    parents = nodes.parents[children]
    counts = np.bincount(parents, minlength=size)
    ranks = repeat_indices(counts)[1]
    by_rank = [np.flatnonzero(ranks == rank) for rank in range(int(counts.max(initial=0)))]
    ids, tops = nodes.labels, np.arange(size)
    subtrees = [(tops, ids)]
    for _ in range(1, deepest):
        deep, above = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        deep[tops] = True
        above[parents[deep[children]]] = True  # has a child that is deep enough
        tops = np.flatnonzero(above)
        state = nodes.labels.copy()
        for ranked in by_rank:  # combine the label with the first child, the result with the second, ...
            roots = parents[ranked]
            state[roots] = number_pairs(state[roots], ids[children[ranked]])
        ids = number_pairs(state, counts)
        subtrees.append((tops, ids[tops]))
    return subtrees
