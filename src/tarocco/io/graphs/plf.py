"""PLF, the lattices of Moses and cdec: one lattice per line, in a notation like Python, which is parsed, never run.

((('der',-0.1,1),('das',-2.5,1),),(('Hund',0,1),),)

Column i has the arcs that leave node i: a word, one or more scores, and the number of columns to the arc's target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tarocco.core.errors import InputError
from tarocco.core.graphs import Graph, Lattice
from tarocco.io.graphs.builder import (
    GraphLocation,
    LatticeBuilder,
    list_arcs,
    parse_index,
    parse_number,
    quote,
    require_lattice,
)

EMPTY_WORD = "*EPS*"
_STRING = r"'[^'\\]*(?:\\.[^'\\]*)*+'|\"[^\"\\]*(?:\\.[^\"\\]*)*+\""
_ARC = re.compile(rf"\s*+\(\s*+u?({_STRING})\s*+,\s*+([^()'\"]*+)\)\s*+(,?)\s*+", re.DOTALL)
# Almost all arcs match this simpler pattern.
_PLAIN_ARC = re.compile(r"\('([^'\\]*+)',\s*+(-?[0-9]++(?:\.[0-9]++)?),\s*+([1-9][0-9]{0,8}+)\)(,?)\s*+")
_OPEN = re.compile(r"\s*+\(\s*+")
_CLOSE = re.compile(r"\s*+\)\s*+(,?)\s*+")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_ARC_FORM = "an arc ('word', score, distance)"


def read_plf(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """Yield one lattice per line; blank lines and () are empty lattices."""
    for segment, (line, text) in enumerate(lines):
        yield _parse_lattice(text, GraphLocation(segment, path, line))


def write_plf(graph: Graph, segment: int) -> str:
    """Return a lattice as a line of PLF; unnamed scores (score1, score2, ...) take the place of weights."""
    lattice = require_lattice(graph, "plf", {EMPTY_WORD})
    scores = [[weight] for weight in lattice.weights.tolist()]
    features = lattice.features
    if features and features.names == tuple(f"score{k}" for k in range(1, len(features.names) + 1)):
        scores = features.dense().tolist()
    columns: list[list[str]] = [[] for _ in range(lattice.n_nodes - 1)]
    for (source, target, word, _), row in zip(list_arcs(lattice, EMPTY_WORD), scores, strict=True):
        escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("\r", "\\r")
        columns[source].append(f"('{escaped}',{','.join(map(repr, row))},{target - source}),")
    return f"({''.join([f'({column}),' for column in map(''.join, columns)])})\n"


class _ParsedArcs(NamedTuple):
    """The arcs of a line."""

    sources: list[int]
    targets: list[int]
    words: list[str]
    scores: list[float]  # of all arcs, one after another
    n_scores: list[int]  # of each arc


def _parse_lattice(text: str, place: GraphLocation) -> Lattice:
    arcs = _ParsedArcs([], [], [], [], [])
    n_columns = at = 0
    if text.strip():
        at = _skip(_OPEN, text, 0, place, "( before the columns of a lattice")
        more = True
        while more and text[at : at + 1] != ")":
            at, more = _parse_column(text, at, n_columns, arcs, place)
            n_columns += 1
        at = _skip(_CLOSE, text, at, place, ") after the last column")
    if at < len(text):
        raise _unexpected(text, at, place, "the end of the line after the lattice")
    for source, target, word, n_scores in zip(arcs.sources, arcs.targets, arcs.words, arcs.n_scores, strict=True):
        if target > n_columns:
            raise InputError(
                f"{place}: expected arcs to node {n_columns}, after the last column, or to nodes before it, "
                f"found an arc of {quote(word)} from node {source} to node {target}"
            )
        if n_scores != arcs.n_scores[0]:
            raise InputError(
                f"{place}: expected {arcs.n_scores[0]} scores per arc, as the first arc has, found {n_scores} for "
                f"{quote(word)}"
            )
    builder = LatticeBuilder(place, False, arcs.sources, arcs.targets, arcs.words, arcs.scores)
    builder.nodes = list(range(n_columns + 1))
    if arcs.n_scores and arcs.n_scores[0] > 1:
        k = arcs.n_scores[0]
        rows = [arcs.scores[start : start + k] for start in range(0, len(arcs.scores), k)]
        builder.rows = [[(f"score{number}", value) for number, value in enumerate(row, 1)] for row in rows]
        builder.weights = [sum(row) for row in rows]
    return builder.lattice(0, {n_columns: 0.0}, "column {}".format)


def _parse_column(text: str, at: int, column: int, arcs: _ParsedArcs, place: GraphLocation) -> tuple[int, bool]:
    """Parse the arcs of a column; return where the next one begins, and whether a comma announces it."""
    at = _skip(_OPEN, text, at, place, "( before the arcs of a column")
    comma = ","
    while comma and text[at : at + 1] != ")":
        arc = _PLAIN_ARC.match(text, at)
        if arc is not None:
            word, score, distance, comma = arc.groups()
            scores = [float(score)] if len(score) < 100 else [parse_number(score, place, "score")]
        else:
            arc = _ARC.match(text, at)
            if arc is None:
                raise _unexpected(text, at, place, _ARC_FORM)
            string, numbers, comma = arc.groups()
            *several, distance = [part.strip() for part in numbers.strip().removesuffix(",").split(",")]
            if not several:
                raise _unexpected(text, at, place, _ARC_FORM)
            scores = [parse_number(score, place, "score") for score in several]
            word = _unescape(string[1:-1], place) if "\\" in string else string[1:-1]
        n_columns = parse_index(distance, place, "distance of an arc")
        if n_columns == 0:
            raise _unexpected(text, at, place, "an arc with a distance of at least 1")
        arcs.sources.append(column)
        arcs.targets.append(column + n_columns)
        arcs.words.append("" if word == EMPTY_WORD else word)
        arcs.scores.extend(scores)
        arcs.n_scores.append(len(scores))
        at = arc.end()
    close = _CLOSE.match(text, at)
    if close is None:
        raise _unexpected(text, at, place, ") after the arcs of a column")
    return close.end(), bool(close[1])


def _skip(pattern: re.Pattern[str], text: str, at: int, place: GraphLocation, expected: str) -> int:
    match = pattern.match(text, at)
    if match is None:
        raise _unexpected(text, at, place, expected)
    return match.end()


def _unexpected(text: str, at: int, place: GraphLocation, expected: str) -> InputError:
    actual = quote(text[at : at + 41]) if at < len(text) else "the end of the line"
    return InputError(f"{place}, character {at + 1}: expected {expected}, found {actual}")


def _unescape(word: str, place: GraphLocation) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[1]
        if escape in _ESCAPED:
            return _ESCAPED[escape]
        code = int(escape[1:], 16) if len(escape) > 1 else -1
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise InputError(f"{place}: expected the escape of a character, found \\{escape} in {quote(word)}")
        return chr(code)

    return _ESCAPE.sub(character, word)
