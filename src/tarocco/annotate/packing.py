"""A sentence as a few bytes, and back: JSON, compressed."""

from __future__ import annotations

import json
import sys
import zlib
from typing import Any

from tarocco.annotate.sentence import Frame, Node, Sentence, Span

_WORDS = ("words", "lemmas", "tags", "universal", "chunks", "heads", "relations")  # layers with a value a word


def packed(sentence: Sentence) -> bytes:
    """The bytes of a sentence."""
    tree, entities, frames = sentence.tree, sentence.entities, sentence.frames
    value = [
        *(getattr(sentence, layer) for layer in _WORDS),
        None if tree is None else [[node.label, node.parent, node.start, node.end] for node in tree],
        None if entities is None else _spans(entities),
        None if frames is None else [[f.predicate, f.lemma, _spans(f.arguments)] for f in frames],
    ]
    text = json.dumps(value, separators=(",", ":"))  # a lone surrogate stays what it is, as an escape
    return zlib.compress(text.encode("ascii"), 1)


def unpacked(data: bytes) -> Sentence:
    """The sentence that was packed."""
    *of_words, tree, entities, frames = json.loads(zlib.decompress(data))
    layers: dict[str, Any] = {
        name: None if values is None else tuple(_shared(values)) for name, values in zip(_WORDS, of_words, strict=True)
    }
    if tree is not None:
        tree = tuple([Node(sys.intern(label), *place) for label, *place in tree])
    if frames is not None:
        frames = tuple([Frame(word, lemma, _from_lists(arguments)) for word, lemma, arguments in frames])
    return Sentence(**layers, tree=tree, entities=None if entities is None else _from_lists(entities), frames=frames)


def _shared(values: list[Any]) -> list[Any]:
    """Equal texts of all sentences as one object, since a process may keep many sentences."""
    return [sys.intern(value) if isinstance(value, str) else value for value in values]


def _spans(spans: tuple[Span, ...]) -> list[list[str | int]]:
    return [[span.label, span.start, span.end] for span in spans]


def _from_lists(spans: list[Any]) -> tuple[Span, ...]:
    return tuple([Span(sys.intern(label), start, end) for label, start, end in spans])
