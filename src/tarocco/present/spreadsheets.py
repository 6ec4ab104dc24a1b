"""Cells of CSV files, which spreadsheets open: no text is taken for a formula, and numbers stay numbers.

A text that begins with =, +, - or @ (or their wide forms), a tab or the end of a line, and is no number, gets an
apostrophe in front, as people write it in a spreadsheet. One that has apostrophes before such a character gets one
more, so that `read.tables` can take it away again from .csv files. TSV and JSON are for programs, and exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

BEGINNINGS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # of what a spreadsheet may compute
_FORMULA = re.compile(f"'*[{re.escape(''.join(BEGINNINGS))}]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def guarded(value: Any) -> Any:
    """A value as a cell that no spreadsheet computes."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def guarded_row(row: Iterable[Any], delimiter: str) -> list[Any]:
    """The cells of a row of CSV; of a row of TSV, as they are."""
    return [guarded(value) for value in row] if delimiter == "," else list(row)
