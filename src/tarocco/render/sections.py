"""Headings, tables, lists and sentences that fit a terminal of any width; the same as Markdown and LaTeX."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from tarocco.render.plots.style import make_labels
from tarocco.render.tables import Table, latex, markdown, width, write_table
from tarocco.render.terminal import bare, visible_line

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN = "_.-=+*#@"  # for terminals and files that have no blocks
MISSING = " "


def sparkline(values: Sequence[float], low: float, high: float, most: int = 16, blocks: str = BLOCKS) -> str:
    """Values between low and high as blocks; of more than `most` values some, evenly chosen, the last one too."""
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
    """Blocks, or plain characters where an encoding has none."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS


PIPED = 80  # columns of what goes to a pipe or a file
NARROW = 20


@dataclass(frozen=True)
class Section:
    """A title, and below it a table with notes, pairs of a word and a sentence, or sentences."""

    title: str
    table: Table | None = None
    text: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


def columns_of(out: TextIO) -> int:
    """How wide what is written there may be."""
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
    if out.isatty():  # bold, which no shield lets through
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
    """The table in parts that fit: each with the labels, and as many of the other columns as there is room for."""
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
    """Long labels lose their middle, where a table is too wide."""
    if table.labels != 1 or sum(table.widths) + 3 * len(table.widths) <= columns:
        return table
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
    parts = [f"## {section.title}\n"]
    if section.table is not None:
        parts.append(markdown(section.table))
    lines = [*(f"**{word}**: {sentence}" for word, sentence in section.pairs), *section.text]
    if lines:
        parts.append("".join(f"- {line}\n" for line in lines))
    return "\n".join(parts) + "\n"


def _latex(section: Section) -> str:
    table = latex(section.table) if section.table is not None else ""
    lines = [*(f"{word}: {sentence}" for word, sentence in section.pairs), *section.text]
    return f"% {section.title}\n{table}" + "".join(f"% {line}\n" for line in lines) + "\n"
