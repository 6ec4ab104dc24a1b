"""PLF, the lattices of Moses and cdec: a line looks like Python and is read without Python.

((('der',-0.1,1),('das',-2.5,1),),(('Hund',0,1),),)

Column i has the arcs that leave node i: a word, one or more scores, and how many columns further the arc ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tarocco.errors import InputError
from tarocco.graphs import Lattice
from tarocco.read.graph_making import Arcs, Place, number, quoted, whole

EMPTY_WORD = "*EPS*"
_STRING = r"'[^'\\]*(?:\\.[^'\\]*)*+'|\"[^\"\\]*(?:\\.[^\"\\]*)*+\""
_ARC = re.compile(rf"\s*+\(\s*+u?({_STRING})\s*+,\s*+([^()'\"]*+)\)\s*+(,?)\s*+", re.DOTALL)
_OPEN = re.compile(r"\s*+\(\s*+")
_CLOSE = re.compile(r"\s*+\)\s*+(,?)\s*+")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def read_plf(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """A lattice a line; blank lines and () are empty lattices."""
    for segment, (line, text) in enumerate(lines):
        yield _lattice(text, Place(segment, path, line))


def _lattice(text: str, place: Place) -> Lattice:
    arcs = Arcs(place)
    n_columns = n_scores = 0
    at = 0
    if text.strip():
        at = _past(_OPEN, text, 0, place, "( before the columns of a lattice")
        more = True
        while more and text[at : at + 1] != ")":
            at, more = _column(text, at, arcs, n_columns)
            n_columns += 1
        at = _past(_CLOSE, text, at, place, ") behind the last column")
    if at < len(text):
        raise _unexpected(text, at, place, "nothing more behind the lattice")
    if arcs.rows:
        n_scores = len(arcs.rows[0])
        for row, word in zip(arcs.rows, arcs.phrases, strict=True):
            if len(row) != n_scores:
                raise InputError(
                    f"{place}: all arcs have as many scores as the first one, {n_scores}, but that of {quoted(word)} "
                    f"has {len(row)}"
                )
    if n_scores < 2:
        arcs.rows = None
    for arc, (target, word) in enumerate(zip(arcs.targets, arcs.phrases, strict=True)):
        if target > n_columns:
            raise InputError(
                f"{place}: the arc of {quoted(word)} leads from column {arcs.sources[arc]} to {target}, but the last "
                f"node is {n_columns}, behind as many columns"
            )
    arcs.nodes = list(range(n_columns + 1))
    return arcs.lattice(0, {n_columns: 0.0}, "column {}".format)


def _column(text: str, at: int, arcs: Arcs, column: int) -> tuple[int, bool]:
    """Read the arcs of a column: where the next one begins, and whether there may be one."""
    place = arcs.place
    at = _past(_OPEN, text, at, place, "( before the arcs of a column")
    more = True
    rows = arcs.rows = [] if arcs.rows is None else arcs.rows
    while more and text[at : at + 1] != ")":
        arc = _ARC.match(text, at)
        if arc is None:
            raise _unexpected(text, at, place, "an arc ('word', score, distance)")
        written, numbers, comma = arc.groups()
        *scores, distance = [part.strip() for part in numbers.strip().removesuffix(",").split(",")]
        if not scores:
            raise _unexpected(text, at, place, "an arc ('word', score, distance)")
        values = [number(score, place, "a score") for score in scores]
        far = whole(distance, place, "the distance of an arc")
        if far == 0:
            raise _unexpected(text, at, place, "an arc that leads at least 1 column further")
        word = written[1:-1]
        if "\\" in word:
            word = _unescaped(word, place)
        arcs.add(column, column + far, "" if word == EMPTY_WORD else word, sum(values))
        rows.append([(f"score{k}", value) for k, value in enumerate(values, 1)])
        at, more = arc.end(), bool(comma)
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
