"""A table of strings, and the ways to write it down."""

from __future__ import annotations

import io
import math
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from tarocco.io.tables import write_rows
from tarocco.render.terminal import bare, visible, visible_line

NO_NUMBER = "-"


def number_or_dash(value: float | None, form: str) -> str:
    """A number in a format such as ".3f"; a dash if there is none."""
    return NO_NUMBER if value is None or math.isnan(value) else format(value, form)


def percent(share: float, digits: int = 1, signed: bool = False) -> str:
    """A share as a percentage: 0.125 is 12.5%. With `signed` a gain has a plus; nothing is neither."""
    rounded = round(100 * share, digits) + 0.0  # no -0
    number = number_or_dash(rounded, f"{'+' if signed and rounded else ''}.{digits}f")
    return number if number == NO_NUMBER else f"{number}%"


def told(details: Mapping[str, Any]) -> str:
    """Details of a score in a line: precisions 0.8/0.6/0.5/0.4, brevity penalty 0.92, ..."""

    def number(value: float | None) -> str:
        return number_or_dash(value, ".4g" if value is None or value < 1000 else ".0f")

    return ", ".join(
        f"{name.replace('_', ' ')} {'/'.join(map(number, value)) if isinstance(value, list) else number(value)}"
        for name, value in details.items()
    )


LONG = 500  # rows; Rich takes seconds beyond


@dataclass(frozen=True)
class Table:
    """A header and rows of strings; the first `labels` columns are words, the others numbers.

    `best` holds the (row, column) of cells worth marking; `marks` are what stands behind a number, raised where that
    can be written. `of` says what the columns of numbers are where they are all of a kind, such as metrics.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    of: str = ""

    def with_marks(self, write: Callable[[str], str] = str) -> Table:
        """The same table with the marks written into its cells; numbers stay below each other."""
        if not self.marks:
            return self
        longest: dict[int, int] = {}
        for (_, column), mark in self.marks.items():
            longest[column] = max(longest.get(column, 0), len(mark))

        def cell(text: str, r: int, c: int) -> str:
            mark = self.marks.get((r, c), "")
            return text + write(mark) + " " * (longest.get(c, 0) - len(mark))

        rows = tuple(tuple(cell(text, r, c) for c, text in enumerate(row)) for r, row in enumerate(self.rows))
        return replace(self, rows=rows, marks={})

    def long(self) -> Table:
        """A row a number, with its labels and the name of its column: for terminals too narrow for the wide table.

        A row's numbers stay together, as they are about one thing; but columns of a kind are kept together instead, as
        their rows are what is compared.
        """
        numbers = range(self.labels, len(self.header))
        if not numbers:
            return self
        places = [(r, c) for r in range(len(self.rows)) for c in numbers]
        if self.of:
            places.sort(key=lambda place: place[1])
        labels = self.header[: self.labels]
        header = (self.of, *labels, "value") if self.of else (*labels, "column", "value")
        rows = []
        for r, c in places:
            named, name = self.rows[r][: self.labels], self.header[c]
            rows.append((*((name, *named) if self.of else (*named, name)), self.rows[r][c]))
        last = len(header) - 1
        best = frozenset((i, last) for i, place in enumerate(places) if place in self.best)
        marks = {(i, last): self.marks[place] for i, place in enumerate(places) if place in self.marks}
        return Table(header, tuple(rows), last, best, marks)

    def visible(self) -> Table:
        """The same table without anything that a terminal acts upon, or that breaks a line."""
        header, *rows = (tuple(map(visible_line, row)) for row in (self.header, *self.rows))
        return replace(self, header=header, rows=tuple(rows))

    @property
    def widths(self) -> list[int]:
        return [max(map(width, column)) for column in zip(self.header, *self.rows, strict=True)]


def width(text: str) -> int:
    """How many columns a text takes on a terminal: Chinese characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def plain(table: Table) -> str:
    """Aligned columns, two spaces between them: for pipes and files."""
    table = table.visible().with_marks()
    widths = table.widths

    def line(cells: Sequence[str]) -> str:
        spaces = [" " * (wide - width(cell)) for cell, wide in zip(cells, widths, strict=True)]
        padded = [
            cell + space if i < table.labels else space + cell
            for i, (cell, space) in enumerate(zip(cells, spaces, strict=True))
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * wide for wide in widths)
    return "\n".join([line(table.header), rule, *map(line, table.rows)]) + "\n"


def markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    def without_tags(table: Table) -> Table:
        header, *rows = (tuple(cell.replace("<", "&lt;") for cell in row) for row in (table.header, *table.rows))
        return replace(table, header=header, rows=tuple(rows))

    table = without_tags(table.visible())

    rules = ["---" if i < table.labels else "---:" for i in range(len(table.header))]
    rows = table.with_marks(lambda mark: f"<sup>{mark}</sup>" if mark else "").rows
    return "\n".join([line(table.header), line(rules), *(line([cell.rstrip() for cell in row]) for row in rows)]) + "\n"


_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_MINUS = re.compile(r"(?<!\w)-(?=[\d.])")


def latex(table: Table) -> str:
    """A tabular with booktabs' rules; the best of each column in bold, and a minus, not a hyphen, before numbers."""

    table = table.visible()

    def cell(text: str, row: int, column: int) -> str:
        escaped = "".join(_LATEX.get(character, character) for character in text)
        if column >= table.labels:
            escaped = _MINUS.sub("$-$", escaped)
        return rf"\textbf{{{escaped}}}" if (row, column) in table.best else escaped

    def mark(row: int, column: int) -> str:
        raised = table.marks.get((row, column), "")
        return f"$^{{{raised}}}$" if raised else ""

    def line(cells: Sequence[str], row: int) -> str:
        return " & ".join(cell(text, row, i) + mark(row, i) for i, text in enumerate(cells)) + r" \\"

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


def separated(rows: Sequence[Mapping[str, Any]], delimiter: str) -> str:
    """Flat records for programs, with a header; empty where there is no value. Records need not have all columns."""
    out = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if columns:
        write_rows(out, [columns, *([row.get(column) for column in columns] for row in rows)], delimiter)
    return out.getvalue()


def write_table(table: Table, out: TextIO | None = None) -> None:
    """Write a table to a terminal in color, to anything else as plain text; a very long one as plain text, too.

    On a terminal that is too narrow it becomes a long one. Where that is too wide as well, words are folded.
    """
    out = out or sys.stdout
    columns = shutil.get_terminal_size().columns
    table = table.visible()
    if out.isatty() and not _fits(table, columns):
        table = table.long()
    if not out.isatty() or len(table.rows) > LONG:
        out.write(plain(table))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    table = table.with_marks()
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, (name, *cells) in enumerate(zip(table.header, *table.rows, strict=True)):
        label = i < table.labels
        foldable = label or _wordy(max(cells, key=width, default=""))
        shown.add_column(Text(name), justify="left" if label else "right", overflow="fold", no_wrap=not foldable)
    for r, row in enumerate(table.rows):
        shown.add_row(*(Text(text, style="bold" if (r, i) in table.best else "") for i, text in enumerate(row)))
    Console(file=bare(out), width=columns, highlight=False).print(shown)


def _fits(table: Table, columns: int) -> bool:
    """Whether a table fits a terminal: Rich puts three columns between two cells and one at both ends."""
    widths = table.with_marks().widths
    return sum(widths) + 3 * len(widths) - 1 <= columns


def _wordy(text: str) -> bool:
    """Whether a cell is words with numbers among them rather than numbers."""
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def write_noted(table: Table, notes: Sequence[str], form: str, out: TextIO) -> None:
    """Write a table with notes below it, in the format `table`, `md` or `latex`; an empty note sets others apart."""
    notes = [visible(note) for note in notes]
    if form == "md":
        out.write(markdown(table) + "\n" + "".join(f"- {note}\n" if note else "\n" for note in notes))
    elif form == "latex":
        out.write(latex(table) + "".join(f"% {note}".rstrip() + "\n" for note in notes))
    else:
        write_table(table, out)
        out.write("\n" + "".join(f"{note}\n" for note in notes))
