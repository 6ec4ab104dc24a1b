"""A table of strings, and the ways to write it down."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class Table:
    """A header and rows of strings; the first `labels` columns are words, the others numbers.

    `best` holds the (row, column) of cells worth marking.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    best: frozenset[tuple[int, int]] = frozenset()

    @property
    def widths(self) -> list[int]:
        return [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]


def plain(table: Table) -> str:
    """Aligned columns, two spaces between them: for pipes and files."""
    widths = table.widths

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i < table.labels else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(table.header), rule, *map(line, table.rows)]) + "\n"


def markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    marks = ["---" if i < table.labels else "---:" for i in range(len(table.header))]
    return "\n".join([line(table.header), line(marks), *map(line, table.rows)]) + "\n"


_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex(table: Table) -> str:
    """A tabular with booktabs' rules; the best of each column in bold."""

    def cell(text: str, best: bool) -> str:
        escaped = "".join(_LATEX.get(character, character) for character in text)
        return rf"\textbf{{{escaped}}}" if best else escaped

    def line(cells: Sequence[str], row: int) -> str:
        return " & ".join(cell(text, (row, i) in table.best) for i, text in enumerate(cells)) + r" \\"

    columns = "".join("l" if i < table.labels else "r" for i in range(len(table.header)))
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            line(table.header, -1),
            r"\midrule",
            *(line(row, r) for r, row in enumerate(table.rows)),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def write_table(table: Table, out: TextIO | None = None) -> None:
    """Write a table to a terminal in color, to anything else as plain text."""
    out = out or sys.stdout
    if not out.isatty():
        out.write(plain(table))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(table.header):
        shown.add_column(Text(name), justify="left" if i < table.labels else "right", overflow="fold")
    for r, row in enumerate(table.rows):
        shown.add_row(*(Text(text, style="bold" if (r, i) in table.best else "") for i, text in enumerate(row)))
    Console(file=out, highlight=False).print(shown)
