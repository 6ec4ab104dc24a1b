"""What a file holds that is to be searched: n-best lists, lattices or forests."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from tarocco.core.errors import InputError, UnknownName
from tarocco.core.graphs import Graph
from tarocco.io.files import STANDARD_INPUT, shown
from tarocco.io.graphs.builder import number, numbered_lines, quoted
from tarocco.io.graphs.cdec import read_cdec
from tarocco.io.graphs.moses import HEADER, read_hypergraphs, read_search_graphs
from tarocco.io.graphs.openfst import looks_like_fst, read_openfst, read_symbols
from tarocco.io.graphs.plf import read_plf
from tarocco.io.graphs.slf import read_slf
from tarocco.io.lines import blocks_of
from tarocco.io.nbest.formats import looks_like_lists
from tarocco.io.nbest.lists import numbered_files

Reader = Callable[[Iterator[tuple[int, str]], str], Iterator[Graph]]
READERS: dict[str, Reader] = {
    "plf": read_plf,
    "slf": read_slf,
    "openfst": read_openfst,
    "moses-searchgraph": read_search_graphs,
    "moses-hypergraph": read_hypergraphs,
    "cdec": read_cdec,
}
FORMATS = tuple(READERS)


def read_lattices(
    path: str | os.PathLike[str], *, format: str | None = None, symbols: str | os.PathLike[str] | None = None
) -> Iterator[Graph]:
    """The lattices or forests of a file or a directory, one after another.

    Plain, .gz, .xz and .zst files are read, and "-" is standard input. Nothing of a file is ever run: a PLF line, which
    looks like Python, is parsed. Lattices are checked: there are no cycles, every node is on a path (graphs of
    Moses, which have dead ends, are pruned), several final nodes are joined, weights are finite.

    Parameters
    ----------
    path
        A file, or a directory with a file a segment, whose number, from 0 on, is in its name.
    format
        "plf", "slf", "openfst", "moses-searchgraph", "moses-hypergraph" or "cdec"; else the first line tells.
    symbols
        A table of symbols for OpenFst's text with numbers in place of words.

    Yields
    ------
    Lattice or Forest
        In the order of the file; "moses-hypergraph" and "cdec" are forests.

    Raises
    ------
    InputError
        The file is none of these, or something in it is wrong; the message has the line.

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
    if format is not None and format not in READERS:
        raise UnknownName(f'there is no format "{format}" of lattices, only {", ".join(FORMATS)}')
    table = None if symbols is None else read_symbols(os.fspath(symbols))
    readers = READERS | {"openfst": partial(read_openfst, symbols=table)}
    if path == STANDARD_INPUT or not os.path.isdir(path):
        yield from _of_file(path, format, readers)
        return
    for segment, file in numbered_files(path):
        found = list(_of_file(file, format, readers))
        if len(found) != 1:
            raise InputError(f"{file}: in a directory of lattices, a file has one, but this one has {len(found)}")
        yield replace(found[0], segment=segment)


def _of_file(path: str, format: str | None, readers: dict[str, Reader]) -> Iterator[Graph]:
    lines = numbered_lines(blocks_of(path))
    before: list[tuple[int, str]] = []
    for line in lines:
        before.append(line)
        if line[1].strip():
            break
    if not before:
        raise InputError(f"{shown(path)}: the file is empty, lattices or forests are wanted")
    at, first = before[-1]
    told = format or told_by(first)
    if told is None:
        raise InputError(
            f"{shown(path)}, line {at}: lattices or forests are wanted ({', '.join(FORMATS)}), found {quoted(first)}"
        )
    yield from readers[told](chain(before, lines), path)


def told_by(first: str) -> str | None:
    """The format of a file by its first line that is not blank; a file of blank lines has empty lattices, as in PLF."""
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
    """Weights of features: `name value` or `name= value value` a line, as cdec and Moses have them.

    Several values of a name, in one line or in several, are those of name_1, name_2 and so on, as Moses calls them.
    """
    path = os.fspath(path)
    named: dict[str, list[float]] = {}
    for line, text in numbered_lines(blocks_of(path)):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        name, *values = text.split()
        where = f"{shown(path)}, line {line}"
        if not values:
            raise InputError(f"{where}: a name and its weight are wanted, found {quoted(text)}")
        named.setdefault(name.removesuffix("="), []).extend(
            number(value, where, f"the weight of {name}") for value in values
        )
    weights: dict[str, float] = {}
    for name, several in named.items():
        weights.update(
            {name: several[0]} if len(several) == 1 else {f"{name}_{k}": v for k, v in enumerate(several, 1)}
        )
    return weights


NBEST = "nbest"


def kind_of(path: str, format: str | None = None) -> str:
    """The format of lattices or forests that the first line tells, or NBEST; what is given is checked."""
    if format is not None:
        if format not in (NBEST, *FORMATS):
            raise UnknownName(f'there is no format "{format}", only {", ".join((NBEST, *FORMATS))}')
        return format
    if path == STANDARD_INPUT:
        raise InputError(f"what is on standard input? Say so with --form: {', '.join((NBEST, *FORMATS))}")
    in_directory = os.path.isdir(path)
    file = numbered_files(path)[0][1] if in_directory else path
    before = 0
    for block in blocks_of(file):
        lines = block.data.decode().split("\n")
        at, first = next(((at, line) for at, line in enumerate(lines, before + 1) if line.strip()), (0, None))
        if first is None:
            before += len(lines) - 1
            continue
        told = told_by(first)
        if told == "cdec" and '"rules"' not in first and first.strip() != "{":
            told = None  # JSON of another kind
        if told is None and not (in_directory or looks_like_lists(block.data, file)):
            raise InputError(
                f"{shown(path)}, line {at}: n-best lists, lattices or forests are wanted "
                f"({', '.join((NBEST, *FORMATS))}), found {quoted(first)} "
                f"(--num-candidates N is for files in which every N lines are a list)"
            )
        return told or NBEST
    return FORMATS[0]  # blank lines are empty lattices; the reader of an empty file says what is wrong
