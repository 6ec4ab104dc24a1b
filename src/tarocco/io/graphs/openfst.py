"""OpenFst's text: an arc a line, `source target input output weight`; final states `state weight`; weights are costs.

0 1 the the 0.5
1 2 cat cat 1.25
2

A blank line stands between two lattices. The word of an arc is its output. An acceptor's lines have one label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tarocco.core.errors import InputError
from tarocco.core.graphs import Lattice
from tarocco.io.files import bytes_of, shown
from tarocco.io.graphs.builder import Arcs, Place, number, quoted, whole
from tarocco.io.lines import checked_lines

EMPTY_WORDS = ("<eps>", "<epsilon>")
# What a line looks like: a final state and its weight, or an arc. It has tabs or spaces, not a tab and a text.
_LINE = re.compile(r"[0-9]+(?:\s+[-+]?(?:[0-9.]\S*|(?i:inf|nan)\S*))?|[0-9]+\s+[0-9]+(?:\s+\S+){1,3}")
_TAB_AND_TEXT = re.compile(r"[0-9]+\t.* ")
_KEY = re.compile(r"\s*[^\s0-9]\S*\s*")  # the name of a lattice in Kaldi's archives
_WHOLE = re.compile("[0-9]+")


def looks_like_fst(line: str) -> bool:
    """Whether a line is one of a finite-state machine."""
    line = line.strip()
    return _LINE.fullmatch(line) is not None and not _TAB_AND_TEXT.match(line)


def read_symbols(path: str) -> dict[str, str]:
    """A table of symbols, `word number` a line, as number -> word."""
    symbols: dict[str, str] = {}
    for line, text in enumerate(
        checked_lines(bytes_of(path), path, "a word and a number a line").decode().split("\n"), 1
    ):
        if not text.strip():
            continue
        parts = text.split()
        if len(parts) != 2 or not _WHOLE.fullmatch(parts[1]):
            raise InputError(
                f"{shown(path)}, line {line}: a word and its number are wanted, found {quoted(text.strip())}"
            )
        if symbols.setdefault(parts[1], parts[0]) != parts[0]:
            raise InputError(
                f"{shown(path)}, line {line}: the number {parts[1]} is that of {quoted(symbols[parts[1]])} already"
            )
    return symbols


def read_openfst(
    lines: Iterator[tuple[int, str]], path: str, symbols: Mapping[str, str] | None = None
) -> Iterator[Lattice]:
    """The lattices of a file; labels are words, or numbers of `symbols`."""
    block: list[tuple[int, list[str]]] = []
    segment = 0
    for line, text in lines:
        if parts := text.split():
            if block or not _KEY.fullmatch(text):
                block.append((line, parts))
        elif block:
            yield _lattice(block, Place(segment, path, block[0][0]), symbols)
            block, segment = [], segment + 1
    if block:
        yield _lattice(block, Place(segment, path, block[0][0]), symbols)


def _lattice(block: list[tuple[int, list[str]]], place: Place, symbols: Mapping[str, str] | None) -> Lattice:
    written = [parts for _, parts in block if len(parts) > 2]
    n_labels = 1 if _is_acceptor(written, symbols is not None) else 2
    numeric = all(_WHOLE.fullmatch(parts[1 + n_labels]) for parts in written if len(parts) > 1 + n_labels)
    arcs = Arcs(place)
    finals: dict[int, float] = {}
    for line, parts in block:
        where = place._replace(line=line)
        state = whole(parts[0], where, "a state")
        weight = "0" if len(parts) in (1, 2 + n_labels) else parts[-1]
        if len(parts) <= 2:
            if state in finals:
                raise InputError(f"{where}: state {state} is final already")
            finals[state] = 0.0 - number(weight, where, "a weight")
        elif 2 + n_labels <= len(parts) <= 3 + n_labels:
            label = parts[1 + n_labels]
            if symbols is not None:
                if label not in symbols:
                    raise InputError(f"{where}: the table of symbols has no {quoted(label)}")
                word = "" if label == "0" or symbols[label] in EMPTY_WORDS else symbols[label]
            else:
                word = "" if label in EMPTY_WORDS or (numeric and label == "0") else label
            arcs.add(state, whole(parts[1], where, "a state"), word, 0.0 - number(weight, where, "a weight"))
        else:
            wanted = "source target label [weight]" if n_labels == 1 else "source target input output [weight]"
            raise InputError(f"{where}: {wanted} is wanted, found {quoted(' '.join(parts))}")
    return arcs.lattice(whole(block[0][1][0], place, "a state"), finals, "state {}".format)


def _is_acceptor(written: list[list[str]], numbered: bool) -> bool:
    """Whether arcs have one label. Lines of four columns may be read both ways: a number behind a word is a weight."""
    widths = {len(parts) for parts in written}
    if 3 in widths or 5 in widths or not widths:
        return 5 not in widths and 3 in widths
    labels, last = [parts[2] for parts in written], [parts[3] for parts in written]
    if all(_WHOLE.fullmatch(text) for text in last):
        return not numbered and not all(_WHOLE.fullmatch(label) for label in labels)
    return all(re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text) for text in last)
