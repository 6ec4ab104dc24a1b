"""Presenters: one file per kind of result, and what they all produce, a `Presentation`.

The terminal and the page take their tables, sentences and numbers from the same presenter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from tarocco._version import __version__
from tarocco.core.json_text import json_text
from tarocco.render.tables import Table, write_noted


@dataclass(frozen=True)
class Presentation:
    """A result for every output format. Only the parts that the chosen format needs are computed."""

    command: str
    settings: Mapping[str, Any]  # in JSON, beside the results
    records: Callable[[], list[dict[str, Any]]]  # in JSON, the results
    separated: Callable[[str], str]  # from the delimiter to TSV or CSV
    show: Callable[[str, TextIO], None]  # writes the format `table`, `md` or `latex`
    lines: Callable[[], Iterable[str]] = tuple  # numbers or texts alone, one per line
    notes: Sequence[str] = field(default=())  # for standard error

    def write(self, form: str, out: TextIO) -> None:
        """Write the result in a format: table, md, latex, json, tsv, csv, or lines."""
        if form == "lines":
            out.writelines(f"{line}\n" for line in self.lines())
        elif form == "json":
            out.write(json_of_command(self.command, self.settings, self.records()))
        elif form in ("tsv", "csv"):
            out.write(self.separated("\t" if form == "tsv" else ","))
        else:
            self.show(form, out)


def show_tables(
    tables: Callable[[], Sequence[Table]], footnotes: Callable[[], Sequence[str]]
) -> Callable[[str, TextIO], None]:
    """Return a function that writes tables one after the other, with notes below the last."""

    def show(form: str, out: TextIO) -> None:
        *first, last = tables()
        for table in first:
            write_noted(table, [], form, out)
        write_noted(last, footnotes(), form, out)

    return show


def json_of_command(command: str, settings: Mapping[str, Any], results: list[dict[str, Any]]) -> str:
    """Return the JSON of a command, with one result per line."""
    head = json_text({"tarocco": __version__, "command": command, **settings})
    lines = ",\n  ".join(map(json_text, results))
    return f'{head[:-1]}, "results": [\n  {lines}\n]}}\n'


def scale_note(names: Iterable[str]) -> list[str]:
    """Return the footnote about metrics that are shown times 100, if there are any."""
    scaled = list(dict.fromkeys(names))
    return [f"shown times 100: {', '.join(scaled)}"] if scaled else []
