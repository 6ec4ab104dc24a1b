"""The data model of linguistic analyses, the same for every analyzer and file format.

Word indices start at 0 and spans are half open. A layer that an analyzer does not provide is None, whereas a layer
without elements is empty: a sentence without entities has `entities == ()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

TOP = "TOP"  # the label of the node above the trees of several sentences


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a constituency tree. Words are not nodes: word i is a child of the last node that covers it."""

    label: str
    parent: int  # index in the tree; -1 for the root
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A labeled span of words, start .. end - 1: an entity or an argument of a predicate."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A predicate and its arguments with PropBank labels: A0, A1, AM-TMP, C-A1, R-A0."""

    predicate: int  # the index of the word
    lemma: str
    arguments: tuple[Span, ...]


@dataclass(frozen=True)
class Sentence:
    """The words of a segment and their linguistic layers. A segment of several sentences has several roots.

    `chunks` are IOB tags (B-NP, I-NP, O), `heads` the index of each word's head (-1 for a root), and `tree` lists nodes
    in preorder, so that a parent precedes its children.
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None  # Penn Treebank
    universal: tuple[str, ...] | None = None  # universal parts of speech
    chunks: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    relations: tuple[str, ...] | None = None
    tree: tuple[Node, ...] | None = None
    entities: tuple[Span, ...] | None = None
    frames: tuple[Frame, ...] | None = None

    @property
    def layers(self) -> frozenset[str]:
        """The names of the layers that this sentence has, words excluded."""
        return frozenset(field.name for field in fields(self)[1:] if getattr(self, field.name) is not None)


def empty_sentence(layers: Iterable[str]) -> Sentence:
    """Return a sentence without words that has these layers."""
    return Sentence((), **dict.fromkeys(layers, ()))


def find_cycle(heads: Sequence[int]) -> int | None:
    """Return a word that depends on itself, directly or not; None if there is none."""
    visited_from = [-1] * len(heads)  # the word from which the climb first reached this one
    for start in range(len(heads)):
        word = start
        while word >= 0 and visited_from[word] < 0:
            visited_from[word] = start
            word = heads[word]
        if word >= 0 and visited_from[word] == start:
            return word
    return None


def join_sentences(sentences: Sequence[Sentence]) -> Sentence:
    """Return several sentences as one segment, with several roots and one node TOP above their trees."""
    if len(sentences) == 1:
        return sentences[0]
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence.words))
    pairs = [(sentence, start) for sentence, start in zip(sentences, starts[:-1], strict=True) if sentence.words]
    if len(pairs) < 2:
        return pairs[0][0] if pairs else sentences[0] if sentences else Sentence(())
    layers: dict[str, Any] = {}
    for field in fields(Sentence):
        values = [(getattr(sentence, field.name), start) for sentence, start in pairs]
        if any(value is None for value, _ in values):
            layers[field.name] = None
        elif field.name == "tree":
            layers["tree"] = _join_trees(values, starts[-1])
        else:
            layers[field.name] = tuple(_shift(field.name, item, start) for value, start in values for item in value)
    return Sentence(**layers)


def _shift(layer: str, value: Any, start: int) -> Any:
    """Return a value of a layer with its word indices moved by `start`."""
    if layer == "heads":
        return value + start if value >= 0 else -1
    if layer == "entities":
        return Span(value.label, value.start + start, value.end + start)
    if layer == "frames":
        arguments = tuple(Span(span.label, span.start + start, span.end + start) for span in value.arguments)
        return Frame(value.predicate + start, value.lemma, arguments)
    return value


def _join_trees(trees: Sequence[tuple[tuple[Node, ...], int]], size: int) -> tuple[Node, ...]:
    nodes = [Node(TOP, -1, 0, size)]
    for tree, start in trees:
        has_top = len(tree) > 1 and tree[0].label == TOP  # the common TOP replaces it
        first = len(nodes) - has_top
        for node in tree[has_top:]:
            parent = 0 if node.parent < has_top else node.parent + first
            nodes.append(Node(node.label, parent, node.start + start, node.end + start))
    return tuple(nodes)
