"""OpenFst text: arcs `source target input output weight`, final states `state weight`; weights are costs.

0 1 the the 0.5
1 2 cat cat 1.25
2

A blank line separates two lattices. The word of an arc is its output. The arcs of an acceptor have one label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tarocco.core.errors import InputError
from tarocco.core.graphs import Graph, Lattice
from tarocco.io.files import display_name, read_bytes
from tarocco.io.graphs.builder import (
    GraphLocation,
    LatticeBuilder,
    list_arcs,
    parse_index,
    parse_number,
    quote,
    refuse_words,
    require_lattice,
)
from tarocco.io.text import normalize_lines

EMPTY_WORDS = ("<eps>", "<epsilon>")
# A final state and its weight, or an arc; fields are separated by tabs or spaces.
_LINE = re.compile(r"[0-9]+(?:\s+[-+]?(?:[0-9.]\S*|(?i:inf|nan)\S*))?|[0-9]+\s+[0-9]+(?:\s+\S+){1,3}")
_TAB_AND_TEXT = re.compile(r"[0-9]+\t.* ")
_KEY = re.compile(r"\s*[^\s0-9]\S*\s*")  # the name of a lattice in Kaldi archives
_WHOLE = re.compile("[0-9]+")


def looks_like_fst(line: str) -> bool:
    """Return whether a line appears to be OpenFst text, and not an n-best list with tabs."""
    line = line.strip()
    return _LINE.fullmatch(line) is not None and not _TAB_AND_TEXT.match(line)


def read_symbols(path: str) -> dict[str, str]:
    """Read a symbol table, lines `word number`, as a mapping from numbers to words."""
    symbols: dict[str, str] = {}
    data = normalize_lines(read_bytes(path), path, "a word and a number per line")
    for line, text in enumerate(data.decode().split("\n"), 1):
        if not text.strip():
            continue
        where, parts = f"{display_name(path)}, line {line}", text.split()
        if len(parts) != 2 or not _WHOLE.fullmatch(parts[1]):
            raise InputError(f"{where}: expected a word and its number, found {quote(text.strip())}")
        if symbols.setdefault(parts[1], parts[0]) != parts[0]:
            raise InputError(
                f"{where}: expected each number once, found {parts[1]} again, which is {quote(symbols[parts[1]])}"
            )
    return symbols


def read_openfst(
    lines: Iterator[tuple[int, str]], path: str, symbols: Mapping[str, str] | None = None
) -> Iterator[Lattice]:
    """Yield the lattices of a file; labels are words, or numbers in a symbol table."""
    block: list[tuple[int, list[str]]] = []
    segment = 0
    for line, text in lines:
        if parts := text.split():
            if block or not _KEY.fullmatch(text):
                block.append((line, parts))
        elif block:
            yield _parse_lattice(block, GraphLocation(segment, path, block[0][0]), symbols)
            block, segment = [], segment + 1
    if block:
        yield _parse_lattice(block, GraphLocation(segment, path, block[0][0]), symbols)


def write_openfst(graph: Graph, segment: int) -> str:
    """Return a lattice as OpenFst text."""
    lattice = require_lattice(graph, "openfst", EMPTY_WORDS)
    if all(re.fullmatch("[0-9]+", word) for word in lattice.words) and (lattice.labels >= 0).all():
        refuse_words(lattice, {"0"} & set(lattice.words), "openfst")
    lines = [""] if segment else []  # a blank line between two lattices
    for source, target, word, weight in list_arcs(lattice, EMPTY_WORDS[0]):
        lines.append(f"{source} {target} {word} {word} {0.0 - weight!r}")
    return "\n".join([*lines, str(lattice.n_nodes - 1), ""])


def _parse_lattice(
    block: list[tuple[int, list[str]]], place: GraphLocation, symbols: Mapping[str, str] | None
) -> Lattice:
    arcs = [parts for _, parts in block if len(parts) > 2]
    n_labels = 1 if _is_acceptor(arcs, symbols is not None) else 2
    numeric = all(_WHOLE.fullmatch(parts[1 + n_labels]) for parts in arcs if len(parts) > 1 + n_labels)
    builder = LatticeBuilder(place)
    finals: dict[int, float] = {}
    for line, parts in block:
        where = place._replace(line=line)
        state = parse_index(parts[0], where, "state")
        weight = "0" if len(parts) in (1, 2 + n_labels) else parts[-1]
        if len(parts) <= 2:
            if state in finals:
                raise InputError(f"{where}: expected each final state once, found state {state} twice")
            finals[state] = 0.0 - parse_number(weight, where, "weight")
        elif 2 + n_labels <= len(parts) <= 3 + n_labels:
            label = parts[1 + n_labels]
            if symbols is not None:
                if label not in symbols:
                    raise InputError(f"{where}: expected a label of the symbol table, found {quote(label)}")
                word = "" if label == "0" or symbols[label] in EMPTY_WORDS else symbols[label]
            else:
                word = "" if label in EMPTY_WORDS or (numeric and label == "0") else label
            target = parse_index(parts[1], where, "state")
            builder.add(state, target, word, 0.0 - parse_number(weight, where, "weight"))
        else:
            expected = "source target label [weight]" if n_labels == 1 else "source target input output [weight]"
            raise InputError(f"{where}: expected {expected}, found {quote(' '.join(parts))}")
    return builder.lattice(parse_index(block[0][1][0], place, "state"), finals, "state {}".format)


def _is_acceptor(arcs: list[list[str]], has_symbols: bool) -> bool:
    """Return whether arcs have one label. Four columns are ambiguous: a number after a word is taken for a weight."""
    widths = {len(parts) for parts in arcs}
    if 3 in widths or 5 in widths or not widths:
        return 5 not in widths and 3 in widths
    labels, last = [parts[2] for parts in arcs], [parts[3] for parts in arcs]
    if all(_WHOLE.fullmatch(text) for text in last):
        return not has_symbols and not all(_WHOLE.fullmatch(label) for label in labels)
    return all(re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text) for text in last)
