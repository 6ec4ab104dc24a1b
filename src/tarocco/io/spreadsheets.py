"""Cells of CSV files, which spreadsheets open: no text is taken for a formula, and numbers stay numbers.

A text that begins with =, +, - or @ (or their wide forms), a tab or the end of a line, and is no number, gets an
apostrophe in front, as people write it in a spreadsheet. One that has apostrophes before such a character gets one
more, so that `read.tables` can take it away again from .csv files. TSV and JSON are for programs, and exact.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, TextIO

BEGINNINGS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # of what a spreadsheet may compute
_FORMULA = re.compile(f"'*[{re.escape(''.join(BEGINNINGS))}]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def guarded(value: Any) -> Any:
    """A value as a cell that no spreadsheet computes."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


class _Lines:
    """Where csv writes rows to: it quotes the ends of lines that it is told of, so it is told of both."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def write(self, row: str) -> None:
        self.out.write(row.removesuffix("\r\n") + "\n")


def write_rows(out: TextIO, rows: Iterable[Iterable[Any]], delimiter: str) -> None:
    """Write rows, whose cells are guarded if they are separated by commas; a carriage return ends no row."""
    writer = csv.writer(_Lines(out), delimiter=delimiter, lineterminator="\r\n")
    writer.writerows(map(guarded, row) if delimiter == "," else row for row in rows)
