"""Tables of strings in every text format, and sections with tables and sentences that fit a terminal."""

from __future__ import annotations

import io
import math
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from tarocco.io.tables import write_rows
from tarocco.render.escaping import latex_text, markdown_text
from tarocco.render.terminal import bare, visible, visible_line

NO_NUMBER = "-"


def number_or_dash(value: float | None, form: str) -> str:
    """Return a number in a format such as ".3f", or a dash if there is none."""
    return NO_NUMBER if value is None or math.isnan(value) else format(value, form)


def finite(value: float | None) -> float | None:
    """Return a number for JSON, or None if it is missing or not finite."""
    return value if value is not None and math.isfinite(value) else None


def percent(share: float, digits: int = 1, signed: bool = False) -> str:
    """Return a share as a percentage: 0.125 is 12.5%. With `signed`, positive numbers have a plus."""
    rounded = round(100 * share, digits) + 0.0  # no -0
    number = number_or_dash(rounded, f"{'+' if signed and rounded else ''}.{digits}f")
    return number if number == NO_NUMBER else f"{number}%"


def write_details(details: Mapping[str, Any]) -> str:
    """Return the details of a score in a line: precisions 0.8/0.6/0.5/0.4, brevity penalty 0.92, ..."""

    def number(value: float | None) -> str:
        return number_or_dash(value, ".4g" if value is None or value < 1000 else ".0f")

    return ", ".join(
        f"{name.replace('_', ' ')} {'/'.join(map(number, value)) if isinstance(value, list) else number(value)}"
        for name, value in details.items()
    )


LONG = 500  # rows; Rich takes seconds for more


@dataclass(frozen=True)
class Table:
    """A header and rows of strings; the first `labels` columns are words, the others numbers.

    `best` holds the (row, column) of cells to highlight. `marks` follow a number, as superscripts where the format has
    them. `of` is what all columns of numbers are, such as metrics, if they are of one kind.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    of: str = ""

    def with_marks(self, write: Callable[[str], str] = str) -> Table:
        """Return the table with the marks written into its cells; numbers stay aligned."""
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
        """Return one row per number, with its labels and the name of its column, for narrow terminals.

        The numbers of a row stay together, or those of a column if the columns are of one kind, because then rows are
        compared.
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
        """Return the table without control characters and line breaks."""
        header, *rows = (tuple(shorten(visible_line(cell)) for cell in row) for row in (self.header, *self.rows))
        return replace(self, header=header, rows=tuple(rows))

    @property
    def widths(self) -> list[int]:
        return [max(map(width, column)) for column in zip(self.header, *self.rows, strict=True)]


MAX_CELL = 1000  # characters; a name may be a megabyte


def shorten(text: str) -> str:
    """Return a text without its middle, if it is too long for a cell."""
    half = MAX_CELL // 2
    return text if len(text) <= MAX_CELL else f"{text[:half]}...{text[-half:]}"


def width(text: str) -> int:
    """Return the columns that a text takes on a terminal: Chinese characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def plain(table: Table) -> str:
    """Return aligned columns, for pipes and files."""
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
    """Return a table in Markdown."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    escaped = [
        [markdown_text(shorten(cell)).replace("|", r"\|") for cell in row] for row in (table.header, *table.rows)
    ]
    rules = ["---" if i < table.labels else "---:" for i in range(len(table.header))]
    for (r, c), mark in table.marks.items():
        escaped[r + 1][c] += f"<sup>{markdown_text(mark)}</sup>" if mark else ""
    header, *rows = map(line, escaped)
    return "\n".join([header, line(rules), *rows]) + "\n"


_MINUS = re.compile(r"(?<!\w)-(?=[\d.])")


def latex(table: Table) -> str:
    """Return a tabular with booktabs' rules, the best of each column in bold, and minus signs before numbers."""

    def cell(text: str, row: int, column: int) -> str:
        escaped = latex_text(shorten(text))
        if column >= table.labels:
            escaped = _MINUS.sub("$-$", escaped)
        return rf"\textbf{{{escaped}}}" if (row, column) in table.best else escaped

    def mark(row: int, column: int) -> str:
        raised = table.marks.get((row, column), "")
        return f"$^{{{latex_text(raised)}}}$" if raised else ""

    def line(cells: Sequence[str], row: int) -> str:
        joined = " & ".join(cell(text, row, i) + mark(row, i) for i, text in enumerate(cells)) + r" \\"
        # After \\ and \midrule, a bracket would begin an optional argument; a star would be part of \\.
        return "{}" * joined.startswith(("[", "*")) + joined

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
    """Return flat records as TSV or CSV with a header; cells without a value are empty."""
    out = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if columns:
        write_rows(out, [columns, *([row.get(column) for column in columns] for row in rows)], delimiter)
    return out.getvalue()


def write_table(table: Table, out: TextIO | None = None) -> None:
    """Write a table: with Rich to a terminal, and as plain text otherwise, or if it is very long.

    On a narrow terminal it becomes a long table, and words are folded if that is still too wide.
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
    """Return whether a table fits a terminal: Rich puts three columns between two cells and one at both ends."""
    widths = table.with_marks().widths
    return sum(widths) + 3 * len(widths) - 1 <= columns


def _wordy(text: str) -> bool:
    """Return whether a cell has more letters than digits."""
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def write_noted(table: Table, notes: Sequence[str], form: str, out: TextIO) -> None:
    """Write a table with notes below it, in the format `table`, `md` or `latex`; an empty note is a blank line."""
    if form == "md":
        out.write(markdown(table) + "\n" + "".join(f"- {markdown_text(note)}\n" if note else "\n" for note in notes))
    elif form == "latex":
        out.write(latex(table) + "".join(f"% {latex_text(note)}".rstrip() + "\n" for note in notes))
    else:
        write_table(table, out)
        out.write("\n" + "".join(f"{visible(note)}\n" for note in notes))


# --- sections --------------------------------------------------------------------------------------------------------

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN = "_.-=+*#@"  # for encodings without blocks
MISSING = " "


def sparkline(values: Sequence[float], low: float, high: float, most: int = 16, blocks: str = BLOCKS) -> str:
    """Return values between low and high as blocks; of more than `most` values, evenly spaced ones with the last."""
    if len(values) > most:
        values = [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]
    spread = high - low
    top = len(blocks) - 1
    return "".join(
        MISSING
        if math.isnan(value)
        else blocks[min(top, max(0, round(top * (value - low) / spread))) if spread > 0 else top // 2]
        for value in values
    )


def blocks_for(encoding: str | None) -> str:
    """Return blocks, or plain characters for an encoding without blocks."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS


PIPED = 80  # columns of output to a pipe or a file
NARROW = 20  # columns: narrower terminals are treated as this wide


@dataclass(frozen=True)
class Section:
    """A title, and below it a table with notes, pairs of a term and a sentence, or sentences."""

    title: str
    table: Table | None = None
    text: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


def columns_of(out: TextIO) -> int:
    """Return how wide output may be."""
    return max(NARROW, shutil.get_terminal_size().columns if out.isatty() else PIPED)


def write_sections(sections: Iterable[Section], form: str, out: TextIO) -> None:
    """Write sections in the format `table`, `md` or `latex`."""
    for section in sections:
        if form == "md":
            out.write(_markdown(section))
        elif form == "latex":
            out.write(_latex(section))
        else:
            _write(section, out)
        out.flush()


def _write(section: Section, out: TextIO) -> None:
    columns = columns_of(out)
    title = section.title.upper()
    if out.isatty():  # bold, which the shield would escape
        bare(out).write(f"\033[1m{visible_line(title)}\033[0m\n")
    else:
        out.write(f"{title}\n")
    if section.table is not None:
        if not out.isatty():
            out.write("\n")
        for part in fitting(section.table, columns):
            write_table(part, out)
            out.write("" if out.isatty() else "\n")
    longest = max((width(word) for word, _ in section.pairs), default=0)
    for word, sentence in section.pairs:
        space = " " * (longest - width(word) + 2)
        out.write(_wrapped(sentence, columns, f"  {word}{space}", " " * min(longest + 4, columns // 3)))
    mark = "  " if section.table is not None else "- " if len(section.text) > 1 else ""
    for sentence in section.text:
        out.write(_wrapped(sentence, columns, mark, " " * len(mark)))
    out.write("\n")


def _wrapped(text: str, columns: int, first: str, then: str) -> str:
    lines = textwrap.wrap(
        text, columns, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    )
    return "".join(f"{line}\n" for line in lines)


def fitting(table: Table, columns: int) -> list[Table]:
    """Return the table in parts that fit, each with the labels and as many other columns as there is room for."""
    table = _shortened(table, columns)
    widths = table.with_marks().widths
    room = columns + 1 - sum(wide + 3 for wide in widths[: table.labels])
    parts: list[list[int]] = []
    left = 0
    for column in range(table.labels, len(widths)):
        needed = widths[column] + 3
        if not parts or needed > left:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= needed
    return [_part(table, part) for part in parts] if len(parts) > 1 else [table]


def _shortened(table: Table, columns: int) -> Table:
    """Return the table with its labels shortened in the middle, if it is too wide."""
    if table.labels != 1 or sum(table.widths) + 3 * len(table.widths) <= columns:
        return table
    from tarocco.render.plots.style import make_labels

    short = make_labels((row[0] for row in table.rows), max(12, columns // 3))
    return replace(table, rows=tuple((short[row[0]], *row[1:]) for row in table.rows))


def _part(table: Table, chosen: Sequence[int]) -> Table:
    kept = [*range(table.labels), *chosen]
    place = {column: i for i, column in enumerate(kept)}
    return replace(
        table,
        header=tuple(table.header[c] for c in kept),
        rows=tuple(tuple(row[c] for c in kept) for row in table.rows),
        best=frozenset((r, place[c]) for r, c in table.best if c in place),
        marks={(r, place[c]): mark for (r, c), mark in table.marks.items() if c in place},
    )


def _markdown(section: Section) -> str:
    parts = [f"## {markdown_text(section.title)}\n"]
    if section.table is not None:
        parts.append(markdown(section.table))
    lines = [*(f"**{markdown_text(word)}**: {markdown_text(sentence)}" for word, sentence in section.pairs)]
    lines += map(markdown_text, section.text)
    if lines:
        parts.append("".join(f"- {line}\n" for line in lines))
    return "\n".join(parts) + "\n"


def _latex(section: Section) -> str:
    table = latex(section.table) if section.table is not None else ""
    lines = [section.title, *(f"{word}: {sentence}" for word, sentence in section.pairs), *section.text]
    title, *others = (f"% {latex_text(line)}\n" for line in lines)
    return f"{title}{table}{''.join(others)}\n"
