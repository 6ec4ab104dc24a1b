"""Read and write files of lattices and forests in any format, and detect the format of a file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from tarocco.core.errors import InputError, UnknownName
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.io.files import STANDARD_INPUT, display_name, open_input, replace_file
from tarocco.io.graphs.builder import number_values, numbered_lines, parse_number, quote
from tarocco.io.graphs.cdec import read_cdec, write_cdec
from tarocco.io.graphs.moses import HEADER, read_hypergraphs, read_search_graphs, write_hypergraph, write_search_graph
from tarocco.io.graphs.openfst import looks_like_fst, read_openfst, read_symbols, write_openfst
from tarocco.io.graphs.plf import read_plf, write_plf
from tarocco.io.graphs.slf import read_slf, write_slf
from tarocco.io.nbest.lists import looks_like_lists, numbered_files
from tarocco.io.text import CHUNK, read_blocks, split_blocks

Reader = Callable[[Iterator[tuple[int, str]], str], Iterator[Graph]]
READERS: dict[str, Reader] = {
    "plf": read_plf,
    "slf": read_slf,
    "openfst": read_openfst,
    "moses-searchgraph": read_search_graphs,
    "moses-hypergraph": read_hypergraphs,
    "cdec": read_cdec,
}
WRITERS: dict[str, Callable[[Graph, int], str]] = {
    "plf": write_plf,
    "slf": write_slf,
    "openfst": write_openfst,
    "moses-searchgraph": write_search_graph,
    "moses-hypergraph": write_hypergraph,
    "cdec": write_cdec,
}
FORMATS = tuple(READERS)
NBEST = "nbest"


def read_lattices(
    path: str | os.PathLike[str], *, format: str | None = None, symbols: str | os.PathLike[str] | None = None
) -> Iterator[Graph]:
    """Read the lattices or forests of a file or a directory, one after another.

    Reads plain, .gz, .xz and .zst files and standard input ("-"). Nothing in a file is ever executed: a PLF line, which
    looks like Python, is parsed. Every lattice is checked: it has no cycles, its weights are finite, and every node is
    on a path (dead ends in Moses graphs are removed). Several final nodes are joined.

    Parameters
    ----------
    path
        A file, or a directory with one file per segment, whose name has the segment's number, from 0.
    format
        "plf", "slf", "openfst", "moses-searchgraph", "moses-hypergraph" or "cdec"; detected by default.
    symbols
        A symbol table for OpenFst text that has numbers instead of words.

    Yields
    ------
    Lattice or Forest
        In the order of the file; "moses-hypergraph" and "cdec" files have forests.

    Raises
    ------
    InputError
        If the format is unknown or the file is malformed; the message has the line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".plf") as file:
    ...     _ = file.write("((('the',-0.5,1),('a',-1,1),),(('cat',0,1),),)")
    ...     file.flush()
    ...     lattices = list(tarocco.read_lattices(file.name))
    >>> lattices[0].n_paths, lattices[0].text(lattices[0].best().steps)
    (2, 'the cat')
    """
    path = os.fspath(path)
    if format is not None:
        _check_format(format, FORMATS)
    table = None if symbols is None else read_symbols(os.fspath(symbols))
    readers = READERS | {"openfst": partial(read_openfst, symbols=table)}
    if path == STANDARD_INPUT or not os.path.isdir(path):
        yield from _read_file(path, format, readers)
        return
    for segment, file in numbered_files(path):
        graphs = list(_read_file(file, format, readers))
        if len(graphs) != 1:
            raise InputError(f"{file}: expected one lattice per file in a directory, found {len(graphs)}")
        yield replace(graphs[0], segment=segment)


def _read_file(path: str, format: str | None, readers: dict[str, Reader]) -> Iterator[Graph]:
    lines = numbered_lines(read_blocks(path))
    before: list[tuple[int, str]] = []
    for line in lines:
        before.append(line)
        if line[1].strip():
            break
    if not before:
        raise InputError(f"{display_name(path)}: expected lattices or forests, found an empty file")
    at, first = before[-1]
    format = format or detect_format(first)
    if format is None:
        raise InputError(
            f"{display_name(path)}, line {at}: expected lattices or forests ({', '.join(FORMATS)}), "
            f"found {quote(first)}"
        )
    yield from readers[format](chain(before, lines), path)


def write_lattices(lattices: Graph | Iterable[Graph], path: str | os.PathLike[str], *, format: str) -> None:
    """Write lattices or forests to a file, in any format that `read_lattices` reads.

    Lattices are written with their weights, and with features if the format can hold them: PLF holds unnamed scores
    (instead of weights), SLF holds a, l, n and r, and Moses search graphs hold any. Formats of forests hold features
    only, and accept lattices, too.

    Parameters
    ----------
    lattices
        A `Lattice` or `Forest`, or any number of them.
    path
        The file, in plain text; "-" is standard output.
    format
        "plf", "slf", "openfst", "moses-searchgraph", "moses-hypergraph" or "cdec".

    Raises
    ------
    InputError
        If a forest is written in a format of lattices, or the format cannot represent a word.
    """
    _check_format(format, FORMATS)
    write = WRITERS[format]
    graphs: Iterable[Graph] = [lattices] if isinstance(lattices, Lattice | Forest) else lattices
    texts = (write(graph, segment) for segment, graph in enumerate(graphs))
    if os.fspath(path) == "-":
        for text in texts:
            sys.stdout.write(text)
        return
    with replace_file(path) as temporary, open(temporary, "x", encoding="utf-8", newline="") as file:
        file.writelines(texts)


def _check_format(format: str, formats: Sequence[str]) -> None:
    if format not in formats:
        raise UnknownName(f'expected one of the formats {", ".join(formats)}, found "{format}"')


def detect_format(first: str) -> str | None:
    """Return the format by the first nonblank line; a file of blank lines has empty PLF lattices."""
    first = first.strip()
    if first == HEADER:
        return "moses-hypergraph"
    if first.startswith("(") or not first:
        return "plf"
    if first.startswith("{"):
        return "cdec"
    if re.match(r"[0-9]+\s+hyp=[0-9]", first):
        return "moses-searchgraph"
    if first.startswith("#") or re.match(r"[A-Za-z]\w*=", first):
        return "slf"
    return "openfst" if looks_like_fst(first) else None


def read_feature_weights(path: str | os.PathLike[str]) -> dict[str, float]:
    """Read feature weights from lines `name value` (cdec) or `name= value value` (Moses).

    Several values of a name, on one line or on several, become name_1, name_2 and so on, as in Moses.
    """
    path = os.fspath(path)
    values_by_name: dict[str, list[float]] = {}
    for line, text in numbered_lines(read_blocks(path)):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        name, *values = text.split()
        where = f"{display_name(path)}, line {line}"
        if not values:
            raise InputError(f"{where}: expected a name and its weight, found {quote(text)}")
        values_by_name.setdefault(name.removesuffix("="), []).extend(
            parse_number(value, where, f"weight of {name}") for value in values
        )
    return dict(number_values(values_by_name))


def detect_kind(path: str, format: str | None = None) -> str:
    """Return the format of a file of lattices or forests by its first line, or NBEST; check `format` if it is set."""
    if format is not None:
        _check_format(format, (NBEST, *FORMATS))
        return format
    if path == STANDARD_INPUT:
        raise InputError(f"standard input: expected --form ({', '.join((NBEST, *FORMATS))}), found none")
    in_directory = os.path.isdir(path)
    file = numbered_files(path)[0][1] if in_directory else path
    with open_input(file, keep=True) as opened:
        return _detect_kind(opened, path, file, in_directory)


def _detect_kind(opened: Any, path: str, file: str, in_directory: bool) -> str:
    before = 0
    for block in split_blocks(iter(partial(opened.read, CHUNK), b""), file):
        lines = block.data.decode().split("\n")
        at, first = next(((at, line) for at, line in enumerate(lines, before + 1) if line.strip()), (0, None))
        if first is None:
            before += len(lines) - 1
            continue
        kind = detect_format(first)
        if kind == "cdec" and '"rules"' not in first and first.strip() != "{":
            kind = None  # other JSON
        if kind is None and not (in_directory or looks_like_lists(block.data, file)):
            raise InputError(
                f"{display_name(path)}, line {at}: expected n-best lists, lattices or forests "
                f"({', '.join((NBEST, *FORMATS))}), found {quote(first)} "
                f"(use --num-candidates N if every N lines are a list)"
            )
        return kind or NBEST
    return FORMATS[0]  # blank lines are empty lattices; the reader reports an empty file
