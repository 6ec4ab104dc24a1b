"""Which words of a text a metric matched, as short lists of numbers that a page can draw.

Metrics read words, people read text: a mark is a stretch of the text as it stands, found by looking for the words one
by one. Places are counted in UTF-16 code units, as JavaScript counts them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tarocco.explaining.records import Explanation
from tarocco.metrics.linguistic import Overlap
from tarocco.present.explanations import Stretch, stretches

MATCHED, SKIPPED, GAINED, APART = 1, 2, 3, 4

_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ENTITY = re.compile("|".join(_ENTITIES))

Spans = list[tuple[int, int]]  # begin and end of each word


@lru_cache(maxsize=1 << 14)
def placed(text: str, words: tuple[str, ...]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Where words stand in a text; where a metric has changed them too much, in the words joined by spaces."""
    spans = _found(text, words)
    if spans is None:
        text = " ".join(words)
        spans = _found(text, words) or []
    if not text.isascii():
        units = [0]
        for character in text:
            units.append(units[-1] + 1 + (ord(character) > 0xFFFF))
        spans = [(units[begin], units[end]) for begin, end in spans]
    return text, tuple(spans)


def _found(text: str, words: Sequence[str]) -> Spans | None:
    """Where words stand, one after the other; entities are what they stand for, as tokenizers have it."""
    plain, places = _without_entities(text)
    for read in (plain, plain.lower()):
        if len(read) != len(plain):  # some letters are longer in lower case
            continue
        spans, at = [], 0
        for word in words:
            begin = read.find(word, at)
            if begin < 0:
                break
            at = begin + len(word)
            spans.append((places[begin], places[at]))
        else:
            return spans
    return None


def _without_entities(text: str) -> tuple[str, Sequence[int]]:
    """The text with its entities replaced, and the place in the text of each of its characters and of its end."""
    if "&" not in text:
        return text, range(len(text) + 1)
    plain: list[str] = []
    places: list[int] = []
    at = 0
    for found in _ENTITY.finditer(text):
        plain += [text[at : found.start()], _ENTITIES[found[0]]]
        places += [*range(at, found.start()), found.start()]
        at = found.end()
    return "".join([*plain, text[at:]]), [*places, *range(at, len(text) + 1)]


def marks_of(text: str, words: tuple[str, ...], found: Sequence[Stretch]) -> dict[str, Any]:
    """The marks of one text: `m` is a flat list of (characters before it, its length, what it is) a mark.

    `l` has the labels of marks that have some, by the number of the mark; `t` is the text, where it is not the text
    that was given.
    """
    shown, spans = placed(text, words)
    states = [MATCHED if stretch.matched else APART if stretch.label else 0 for stretch in found]
    first = next((i for i, state in enumerate(states) if state == MATCHED), len(states))
    last = max((i for i, state in enumerate(states) if state == MATCHED), default=-1)
    numbers: list[int] = []
    labels: dict[str, str] = {}
    at, word = 0, 0
    for i, (stretch, state) in enumerate(zip(found, states, strict=True)):
        begin, end = spans[word][0], spans[word + len(stretch.words) - 1][1]
        word += len(stretch.words)
        if not state and first < i < last:
            state = SKIPPED
        if not state:
            continue
        told = [stretch.label, *sorted({how for how in stretch.hows if how})]
        if any(told):
            labels[str(len(numbers) // 3)] = " ".join(filter(None, told))
        numbers += (begin - at, end - begin, state)
        at = end
    record: dict[str, Any] = {"m": numbers}
    if labels:
        record["l"] = labels
    if shown != text:
        record["t"] = shown
    return record


def compact(one: Explanation, candidate: str, references: Sequence[str]) -> dict[str, Any]:
    """An explanation as a page needs it: marks of the candidate and of the references, and how many elements match.

    `references` are all references of the segment. A metric that cannot be explained has its reason alone.
    """
    if one.note:
        return {"why": one.note}
    labeled = isinstance(one.metric, Overlap)
    own = marks_of(candidate, one.candidate, stretches(one.candidate, one.elements, "candidate", labeled))
    of_references = {}
    for at, reference in enumerate(one.references):
        elements = [element for element in one.elements if element.of == at]
        found = stretches(reference.words, elements, "reference", labeled)
        of_references[str(reference.number)] = marks_of(references[reference.number - 1], reference.words, found)
    return {
        "c": own,
        "r": of_references,
        "n": [[tally.type, tally.matched, tally.candidate] for tally in one.tallies],
    }


def marks_of_states(text: str, words: tuple[str, ...], states: Sequence[int]) -> dict[str, Any]:
    """The marks of a text of whose words it is known what they are; neighbors that are alike are one mark."""
    shown, spans = placed(text, words)
    numbers: list[int] = []
    at, before = 0, 0
    for (begin, end), state in zip(spans, states, strict=True):
        if state and state == before:
            numbers[-2] += end - at
        elif state:
            numbers += (begin - at, end - begin, state)
        at, before = (end, state) if state else (at, 0)
    return {"m": numbers} | ({"t": shown} if shown != text else {})
