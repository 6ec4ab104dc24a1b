"""Tables with a header, as cells of text that know their line: TSV, CSV, JSON lines, and mt-metrics-eval's score files.

A file's suffix says what it is (.tsv, .csv, .jsonl, .score); where it says nothing, the first line does. Cells of TSV
files are taken as they stand: there are no quotation marks that mean something. Where the first line has spaces and no
tab, spaces separate.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from typing import Any

from tarocco.core.errors import InputError
from tarocco.io.files import bytes_of, shown
from tarocco.io.lines import checked_lines
from tarocco.io.markup import format_of

SUFFIXES = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".score": "score"}
MISSING = ("", "none", "nan", "null", "na", "n/a", "-")
KINDS = ("similarity", "error")
SPARSE = 4  # cells a byte of a file that a table may have
_GUARDED = re.compile("'+[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20]")  # a text that was not to be taken for a formula
SMALL = 1_000_000  # cells that any table may have


@dataclass(frozen=True)
class Table:
    """A header and rows of cells; `lines` says on which line of the file each row begins.

    `kinds` are the columns whose name ended in :error or :similarity, and "" for the file as a whole. `headless` is a
    file of two columns without a header, as mt-metrics-eval writes them: system, score.
    """

    path: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    kinds: Mapping[str, str]
    digest: str
    headless: bool = False

    def where(self, row: int) -> str:
        """How messages call a row."""
        return f"{shown(self.path)}, line {self.lines[row]}"

    @cached_property
    def places(self) -> dict[str, int]:
        """Which column has which name."""
        return {name: at for at, name in enumerate(self.header)}

    def cells(self, column: str) -> list[str]:
        """All cells of a column."""
        at = self.places[column]
        return [row[at] for row in self.rows]

    def numbers(self, column: str, rows: Iterable[int] | None = None) -> Iterator[float]:
        """The numbers of a column, in all rows or in these: NaN where one is missing, InputError where it is none."""
        at = self.places[column]
        for row in range(len(self.rows)) if rows is None else rows:
            value = number(self.rows[row][at])
            if value is None:
                raise InputError(f'{self.where(row)}: {column} is a number, not "{self.rows[row][at]}"')
            yield value

    def number_columns(self, besides: Sequence[str] = ()) -> list[str]:
        """The columns, besides those named, in which every cell is a number or missing, and some cell is a number."""
        found = []
        for name in self.header:
            values = [] if name in besides else [number(cell) for cell in self.cells(name)]
            if None not in values and any(value is not None and not math.isnan(value) for value in values):
                found.append(name)
        return found


def number(cell: str) -> float | None:
    """A cell as a number: NaN where it is missing, None where it is something else."""
    try:
        value = float(cell)
    except ValueError:
        return math.nan if cell.strip().lower() in MISSING else None
    return None if math.isinf(value) or "_" in cell else value


def read_table(path: str) -> Table:
    """Any table; InputError says which line is wrong."""
    data = bytes_of(path)
    if not data.strip():
        raise InputError(f"{shown(path)}: the file is empty, a table is wanted")
    text = checked_lines(data, path).decode("utf-8")
    form = SUFFIXES.get(format_of(path)) or _form(text)
    if form == "jsonl":
        table = _from_json_lines(path, text)
    else:
        if form == "tsv" and "\t" not in text.lstrip("\n").partition("\n")[0]:
            form = "spaces"
        read = {"csv": _csv_rows, "tsv": _tsv_rows, "spaces": _spaced_rows, "score": _score_rows}
        table = _from_rows(path, list(read[form](path, text)), form)
    return replace(table, digest=sha256(data).hexdigest()[:12])


def json_lines(path: str, text: str, first_line: int = 1) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of a file with a JSON object a line, or of a part that begins with this line."""
    for line, written in enumerate(text.split("\n"), start=first_line):
        if written.strip():
            try:
                record = json.loads(written)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{shown(path)}, line {line}: this is not JSON: {error}") from None
            if not isinstance(record, dict):
                raise InputError(f"{shown(path)}, line {line}: a JSON object is wanted, found {written.strip()[:40]}")
            yield line, record


def told(value: object) -> str:
    """Any value of JSON, as messages show it."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "something that is nested deeply"
    return text if len(text) <= 200 else f"{text[:200]}..."


def refuse_sparse(cells: int, size: int, where: str) -> None:
    """InputError where a table would have many more cells than its file has bytes: one long row, many short ones."""
    if cells > max(SPARSE * size, SMALL):
        raise InputError(f"{where}: a table of {cells} cells is wanted by this file of {size} bytes, nearly all empty")


def near(name: str, names: Iterable[str]) -> str:
    """What to say after a name that is not there: the nearest ones, or else all."""
    known = list(names)
    close = get_close_matches(name, known, n=3)
    if close:
        return "did you mean " + " or ".join(f'"{one}"' for one in close) + "?"
    return f"there {'is' if len(known) == 1 else 'are'} {', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"


def _form(text: str) -> str:
    first = text.partition("\n")[0]
    return "jsonl" if first.startswith("{") else "csv" if "," in first and "\t" not in first else "tsv"


def _tsv_rows(_path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    for line, written in enumerate(text.split("\n"), start=1):
        if written:
            yield line, written.split("\t")


def _spaced_rows(_path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    for line, written in enumerate(text.split("\n"), start=1):
        if written.strip():
            yield line, written.split()


def _score_rows(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    for line, written in enumerate(text.split("\n"), start=1):
        cells = written.split("\t") if "\t" in written else written.split()
        if cells and len(cells) != 2:
            raise InputError(f"{shown(path)}, line {line}: a system and a score are wanted, found {len(cells)} columns")
        if cells:
            yield line, cells


def _csv_rows(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first and "," not in first else ","  # as spreadsheets of some countries write it
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    before = 0
    try:
        for cells in reader:
            if cells:
                yield before + 1, [cell[1:] if _GUARDED.match(cell) else cell for cell in cells]
            before = reader.line_num
    except csv.Error as error:
        raise InputError(f"{shown(path)}, line {before + 1}: this is not CSV: {error}") from None


def _from_rows(path: str, rows: list[tuple[int, list[str]]], form: str) -> Table:
    if not rows:
        raise InputError(f"{shown(path)}: there is no header, a table is wanted")
    first = rows[0][1]
    headless = form == "score" or (len(first) == 2 and bool(first[0].strip()) and number(first[1]) is not None)
    names, body = (["system", "score"], rows) if headless else (first, rows[1:])
    header, kinds = _header(path, names)
    for line, cells in body:
        if len(cells) != len(header):
            spaces = form == "spaces" or len(cells[0].split()) == len(header)
            raise InputError(
                f"{shown(path)}, line {line}: {len(header)} columns are wanted, as in line {rows[0][0]}, "
                f"found {len(cells)}{' (separated by spaces?)' if spaces else ''}"
            )
    lines = tuple(line for line, _ in body)
    return Table(path, header, tuple(tuple(cells) for _, cells in body), lines, kinds, "", headless)


def _from_json_lines(path: str, text: str) -> Table:
    records = list(json_lines(path, text))
    kinds: dict[str, str] = {}
    if records and set(records[0][1]) == {"kind"}:
        line, first = records.pop(0)
        if first["kind"] not in KINDS:
            raise InputError(f'{shown(path)}, line {line}: kind is error or similarity, not "{first["kind"]}"')
        kinds[""] = first["kind"]
    names = list(dict.fromkeys(name for _, record in records for name in record))
    if not names:
        raise InputError(f"{shown(path)}: there is no row, a JSON object a line is wanted")
    refuse_sparse(len(names) * len(records), len(text), shown(path))
    header, of_columns = _header(path, names)
    rows = tuple(tuple(_cell(record.get(name)) for name in names) for _, record in records)
    return Table(path, header, rows, tuple(line for line, _ in records), kinds | of_columns, "")


def _cell(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value)
    except RecursionError:
        return "{...}"  # no number, whatever it is


def _header(path: str, names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The names of columns, and the kinds of those that say one after a colon."""
    header: dict[str, None] = {}
    kinds = {}
    for written in names:
        name, colon, kind = written.strip().rpartition(":")
        if colon and kind in KINDS:
            kinds[name] = kind
        else:
            name = written.strip()
        if name in header:
            raise InputError(f'{shown(path)}, line 1: there are two columns called "{name}"')
        header[name] = None
    return tuple(header), kinds


SEGMENT_COLUMNS = ("segment", "segment0")
SEGMENT_IDS = ("seg_id", "globalsegid")  # as MQM calls them, counted from 1: for segments where nothing else is
JUDGES = ("judge", "annotator", "rater", "judgement")
RANK = "rank"
KEYS = ("system", "target", "reference", *SEGMENT_COLUMNS)
PLACES = ("document", "doc", "doc_id", "docid", "docsegid", "id", "line", *SEGMENT_IDS)
ABOUT = (*KEYS, *JUDGES, "criterion", *PLACES)  # columns that hold no scores
KNOWN = (*ABOUT, "score", RANK, "category", "severity")


def read_scores(path: str) -> Table:
    """A table whose known columns are called as here, and seg_id or globalSegId segment where there is no other."""
    table = read_table(path)
    lower = [name.lower() for name in table.header]
    often = Counter(lower)
    header = [
        known if known in KNOWN and often[known] == 1 else name for name, known in zip(table.header, lower, strict=True)
    ]
    ids = [name for name in SEGMENT_IDS if name in header]
    if ids and not set(SEGMENT_COLUMNS) & set(header):
        header[header.index(ids[0])] = "segment"
    renamed = dict(zip(table.header, header, strict=True))
    kinds = {renamed.get(name, name): kind for name, kind in table.kinds.items()}
    return replace(table, header=tuple(header), kinds=kinds)


def column_of(table: Table, asked: str) -> str | None:
    """The column that somebody asks for, written as in the file or else in another case."""
    alike = [name for name in table.header if name.lower() == asked.lower()]
    return asked if asked in alike else next(iter(alike), None)
