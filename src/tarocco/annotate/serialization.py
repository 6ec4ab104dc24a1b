"""A sentence as a few bytes, and back: JSON, compressed."""

from __future__ import annotations

import json
import sys
import zlib
from typing import Any

from tarocco.annotate.sentence import Frame, Node, Sentence, Span
from tarocco.core.errors import StoreError
from tarocco.store.database import DAMAGED

LARGEST = 1 << 28  # bytes of a sentence: a store may come from anywhere

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
    try:
        return _sentence(data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error) as error:
        raise StoreError(f"what is kept of a text is no sentence ({type(error).__name__}); {DAMAGED}") from None


def _sentence(data: bytes) -> Sentence:
    expanding = zlib.decompressobj()
    text = expanding.decompress(data, LARGEST)
    if expanding.unconsumed_tail or not expanding.eof:
        raise ValueError
    *of_words, tree, entities, frames = json.loads(text)
    layers: dict[str, Any] = {
        name: None if values is None else tuple(_shared(values)) for name, values in zip(_WORDS, of_words, strict=True)
    }
    if tree is not None:
        tree = tuple([Node(sys.intern(label), *place) for label, *place in tree])
    if frames is not None:
        frames = tuple([Frame(word, lemma, _from_lists(arguments)) for word, lemma, arguments in frames])
    found = Sentence(**layers, tree=tree, entities=None if entities is None else _from_lists(entities), frames=frames)
    if not _is_sound(found):
        raise ValueError
    return found


def _is_sound(sentence: Sentence) -> bool:
    """Whether layers are as long as the sentence, and places inside it: kernels trust them."""
    n = len(sentence.words)
    for layer in _WORDS:
        values = getattr(sentence, layer)
        kind = int if layer == "heads" else str
        if values is not None and (len(values) != n or any(type(value) is not kind for value in values)):
            return False
    frames = sentence.frames or ()
    spans: list[Node | Span] = [
        *(sentence.tree or ()),
        *(sentence.entities or ()),
        *(span for frame in frames for span in frame.arguments),
    ]
    return (
        all(0 <= span.start < span.end <= n for span in spans)
        and all(-1 <= node.parent < place for place, node in enumerate(sentence.tree or ()))
        and all(0 <= frame.predicate < n and isinstance(frame.lemma, str) for frame in frames)
        and _leads_to_roots(sentence.heads or ())
    )


def _leads_to_roots(heads: tuple[int, ...]) -> bool:
    """Whether all heads are words, and going up from any word comes to an end."""
    if not all(-1 <= head < len(heads) for head in heads):
        return False
    seen = [-1] * len(heads)  # from which word it was first come to
    for place in range(len(heads)):
        word = place
        while word >= 0 and seen[word] < 0:
            seen[word] = place
            word = heads[word]
        if word >= 0 and seen[word] == place:
            return False
    return True


def _shared(values: list[Any]) -> list[Any]:
    """Equal texts of all sentences as one object, since a process may keep many sentences."""
    return [sys.intern(value) if isinstance(value, str) else value for value in values]


def _spans(spans: tuple[Span, ...]) -> list[list[str | int]]:
    return [[span.label, span.start, span.end] for span in spans]


def _from_lists(spans: list[Any]) -> tuple[Span, ...]:
    return tuple([Span(sys.intern(label), start, end) for label, start, end in spans])
