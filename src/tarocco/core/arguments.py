"""From what callers of the Python interface give to the model: shapes are checked here, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from itertools import chain
from typing import Any

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet

Candidates = Iterable[str] | Mapping[str, Iterable[str]]
References = Iterable[Sequence[str | None] | str]


def make_test_set(candidates: Candidates, references: References, documents: Iterable[str] | None = None) -> TestSet:
    """Check the shapes that a caller gave and pack them."""
    given = candidates if isinstance(candidates, Mapping) else {"system": candidates}
    if not given:
        raise InputError("candidates is an empty mapping: give at least one system")
    systems = {str(name): listed(segments, f'the candidates of system "{name}"') for name, segments in given.items()}
    by_segment = listed(references, "references")
    n = _same_length(systems)
    if len(by_segment) != n:
        raise InputError(_wrong_references(by_segment, n))
    if n == 0:
        raise InputError("there are no segments to score")
    columns = {name: pack(segments, f'system "{name}"') for name, segments in systems.items()}
    return TestSet(columns, streams_of(by_segment), tuple(documents) if documents is not None else None)


def listed(items: Iterable[Any], what: str) -> Sequence[Any]:
    """A list of anything that has items in order: a tuple, an array, a pandas column, a generator."""
    if isinstance(items, list | tuple):
        return items
    if isinstance(items, str | bytes | Mapping | Set) or not isinstance(items, Iterable):
        raise InputError(f"{what} are of type {type(items).__name__}, but a list is wanted, one item a segment")
    return list(items)


def _same_length(systems: Mapping[str, Sequence[str]]) -> int:
    lengths = {name: len(segments) for name, segments in systems.items()}
    (first, n), *others = lengths.items()
    for name, length in others:
        if length != n:
            raise InputError(f'system "{first}" has {n} segments, system "{name}" has {length}')
    return n


def _wrong_references(references: Sequence[Any], n: int) -> str:
    lengths = {len(item) for item in references if isinstance(item, Sized) and not isinstance(item, str)}
    if lengths == {n} and len(references):
        return (
            f"references are {len(references)} streams of {n} segments, but one item a segment is wanted: "
            "references[i] are the references of segment i; list(zip(*references)) turns streams into that"
        )
    return f"there are {n} candidates, but references for {len(references)} segments"


def streams_of(references: Sequence[Any]) -> tuple[Segments, ...]:
    """References a segment turned into streams, with empty strings where a segment has fewer."""
    kinds = set(map(type, references))
    strings = {kind for kind in kinds if issubclass(kind, str)}
    if kinds == strings:
        return (pack(references, "references"),)
    if strings:
        references = [[item] if isinstance(item, str) else item for item in references]
    for i, item in enumerate(references) if not kinds <= {list, tuple, str} else ():
        if isinstance(item, bytes | Mapping) or not isinstance(item, Iterable) or not isinstance(item, Sized):
            raise InputError(
                f"the references of segment {i} (counted from 0) are of type {type(item).__name__}, "
                "not a list of strings"
            )
    counts = list(map(len, references))
    if None in chain.from_iterable(references):
        counts = [sum(one is not None for one in item) for item in references]
    if min(counts) == 0:
        raise InputError(f"segment {counts.index(0)} (counted from 0) has no references")
    counts = list(map(len, references))
    if min(counts) < max(counts):
        references = [[*item, *[""] * (max(counts) - len(item))] for item in references]
    streams = []
    for number, stream in enumerate(zip(*references, strict=True)):
        filled = ["" if item is None else item for item in stream] if None in stream else stream
        streams.append(pack(filled, f"reference {number} (counted from 0) of the segments"))
    return tuple(streams)


def packed(strings: Iterable[str], what: str) -> Segments:
    return pack(listed(strings, what), what)


def lines_of(text: bytes) -> Segments:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(f"candidates: line {line} is not UTF-8 (byte {error.start}: {error.reason})") from None
    return Segments.from_lines(text if text.endswith(b"\n") or not text else text + b"\n")


def pack(strings: Sequence[Any], what: str) -> Segments:
    try:
        return Segments.from_strings(strings)
    except TypeError:
        for i, item in enumerate(strings):
            if not isinstance(item, str):
                kind = type(item).__name__
                raise InputError(f"{what}: segment {i} (counted from 0) is of type {kind}, not a string") from None
        raise
