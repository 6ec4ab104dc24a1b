"""PLF, the lattices of Moses and cdec: a line looks like Python and is read without Python.

((('der',-0.1,1),('das',-2.5,1),),(('Hund',0,1),),)

Column i has the arcs that leave node i: a word, one or more scores, and how many columns further the arc ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tarocco.core.errors import InputError
from tarocco.core.graphs import Lattice
from tarocco.io.graphs.builder import Arcs, Place, number, quoted, whole

EMPTY_WORD = "*EPS*"
_STRING = r"'[^'\\]*(?:\\.[^'\\]*)*+'|\"[^\"\\]*(?:\\.[^\"\\]*)*+\""
_ARC = re.compile(rf"\s*+\(\s*+u?({_STRING})\s*+,\s*+([^()'\"]*+)\)\s*+(,?)\s*+", re.DOTALL)
_PLAIN_ARC = re.compile(
    r"\('([^'\\]*+)',\s*+(-?[0-9]++(?:\.[0-9]++)?),\s*+([1-9][0-9]{0,8}+)\)(,?)\s*+"
)  # as nearly all are
_OPEN = re.compile(r"\s*+\(\s*+")
_CLOSE = re.compile(r"\s*+\)\s*+(,?)\s*+")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def read_plf(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """A lattice a line; blank lines and () are empty lattices."""
    for segment, (line, text) in enumerate(lines):
        yield _lattice(text, Place(segment, path, line))


class _Arcs(NamedTuple):
    """The arcs of a line."""

    sources: list[int]
    targets: list[int]
    words: list[str]
    scores: list[float]  # of all arcs, one after another
    n_scores: list[int]  # of each


def _lattice(text: str, place: Place) -> Lattice:
    found = _Arcs([], [], [], [], [])
    n_columns = at = 0
    if text.strip():
        at = _past(_OPEN, text, 0, place, "( before the columns of a lattice")
        more = True
        while more and text[at : at + 1] != ")":
            at, more = _column(text, at, n_columns, found, place)
            n_columns += 1
        at = _past(_CLOSE, text, at, place, ") behind the last column")
    if at < len(text):
        raise _unexpected(text, at, place, "nothing more behind the lattice")
    for source, target, word, n in zip(found.sources, found.targets, found.words, found.n_scores, strict=True):
        if target > n_columns:
            raise InputError(
                f"{place}: the arc of {quoted(word)} leads from column {source} to {target}, but the last node is "
                f"{n_columns}, behind as many columns"
            )
        if n != found.n_scores[0]:
            raise InputError(
                f"{place}: all arcs have as many scores as the first one, {found.n_scores[0]}, but that of "
                f"{quoted(word)} has {n}"
            )
    arcs = Arcs(place, False, found.sources, found.targets, found.words, found.scores)
    arcs.nodes = list(range(n_columns + 1))
    if found.n_scores and found.n_scores[0] > 1:
        k = found.n_scores[0]
        rows = [found.scores[start : start + k] for start in range(0, len(found.scores), k)]
        arcs.rows = [[(f"score{which}", value) for which, value in enumerate(row, 1)] for row in rows]
        arcs.weights = [sum(row) for row in rows]
    return arcs.lattice(0, {n_columns: 0.0}, "column {}".format)


def _column(text: str, at: int, column: int, found: _Arcs, place: Place) -> tuple[int, bool]:
    """Read the arcs of a column: where the next one begins, and whether there may be one."""
    at = _past(_OPEN, text, at, place, "( before the arcs of a column")
    comma = ","
    while comma and text[at : at + 1] != ")":
        arc = _PLAIN_ARC.match(text, at)
        if arc is not None:
            word, score, distance, comma = arc.groups()
            scores = [float(score)] if len(score) < 100 else [number(score, place, "a score")]
        else:
            arc = _ARC.match(text, at)
            if arc is None:
                raise _unexpected(text, at, place, "an arc ('word', score, distance)")
            written, numbers, comma = arc.groups()
            *several, distance = [part.strip() for part in numbers.strip().removesuffix(",").split(",")]
            if not several:
                raise _unexpected(text, at, place, "an arc ('word', score, distance)")
            scores = [number(score, place, "a score") for score in several]
            word = _unescaped(written[1:-1], place) if "\\" in written else written[1:-1]
        far = whole(distance, place, "the distance of an arc")
        if far == 0:
            raise _unexpected(text, at, place, "an arc that leads at least 1 column further")
        found.sources.append(column)
        found.targets.append(column + far)
        found.words.append("" if word == EMPTY_WORD else word)
        found.scores.extend(scores)
        found.n_scores.append(len(scores))
        at = arc.end()
    close = _CLOSE.match(text, at)
    if close is None:
        raise _unexpected(text, at, place, ") behind the arcs of a column")
    return close.end(), bool(close[1])


def _past(pattern: re.Pattern[str], text: str, at: int, place: Place, wanted: str) -> int:
    match = pattern.match(text, at)
    if match is None:
        raise _unexpected(text, at, place, wanted)
    return match.end()


def _unexpected(text: str, at: int, place: Place, wanted: str) -> InputError:
    found = quoted(text[at : at + 41]) if at < len(text) else "the end of the line"
    return InputError(f"{place}, character {at + 1}: {wanted} is wanted, found {found}")


def _unescaped(word: str, place: Place) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[1]
        if escape in _ESCAPED:
            return _ESCAPED[escape]
        code = int(escape[1:], 16) if len(escape) > 1 else -1
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise InputError(f"{place}: \\{escape} in {quoted(word)} stands for no character")
        return chr(code)

    return _ESCAPE.sub(character, word)
