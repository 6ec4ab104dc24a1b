"""What a file holds that is to be searched: n-best lists, lattices or forests."""

from __future__ import annotations

import os

from tarocco.errors import InputError, UnknownName
from tarocco.read.bytes_of import STANDARD_INPUT, shown
from tarocco.read.graph_making import quoted
from tarocco.read.lattices import FORMATS, told_by
from tarocco.read.lines import blocks_of
from tarocco.read.nbest import numbered_files
from tarocco.read.nbest_forms import looks_like_lists

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
