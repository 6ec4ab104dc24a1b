"""Tables with a header: TSV, CSV, JSON lines, the score files of mt-metrics-eval, and CSV that is safe in spreadsheets.

A file's suffix names its format (.tsv, .csv, .jsonl, .score); otherwise the first line decides. TSV cells are read as
they are: quotation marks have no meaning. If the first line has spaces and no tab, spaces separate the cells.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from tarocco.core.errors import InputError
from tarocco.io.files import display_name, format_suffix, read_bytes
from tarocco.io.text import normalize_lines

TABLE_SUFFIXES = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".score": "score"}
MISSING = ("", "none", "nan", "null", "na", "n/a", "-")
KINDS = ("similarity", "error")
SMALL_TABLE = 1_000_000  # cells that any table may have
CELLS_PER_BYTE = 4  # a larger table may have so many cells per byte of its file
MAX_SEGMENTS = 1_000_000  # if the number of segments is unknown, so that a typo does not exhaust the memory
LARGEST = 1e100  # absolute value of a score or weight that is added up: sums and squares of larger ones overflow
_MAX_LISTED = 6


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are text; `lines` has the line of the file on which each row begins.

    `kinds` maps columns named NAME:error or NAME:similarity to their kind, and "" to the kind of the whole file.
    `headless` is true for files of mt-metrics-eval, which have the two columns system and score but no header.
    """

    path: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    kinds: Mapping[str, str]
    digest: str
    headless: bool = False

    def where(self, row: int) -> str:
        """Return the file and line of a row for messages."""
        return f"{display_name(self.path)}, line {self.lines[row]}"

    @cached_property
    def column_index(self) -> dict[str, int]:
        """The position of each column."""
        return {name: at for at, name in enumerate(self.header)}

    def cells(self, column: str) -> list[str]:
        """Return all cells of a column."""
        at = self.column_index[column]
        return [row[at] for row in self.rows]

    def numbers(self, column: str, rows: Iterable[int] | None = None) -> Iterator[float]:
        """Yield the numbers of a column, in all rows or in these; a missing one is NaN, other text an InputError."""
        at = self.column_index[column]
        for row in range(len(self.rows)) if rows is None else rows:
            value = parse_number(self.rows[row][at])
            if value is None:
                raise InputError(
                    f'{self.where(row)}: expected a number in column {column}, found "{self.rows[row][at]}"'
                )
            yield value

    def number_columns(self, besides: Sequence[str] = ()) -> list[str]:
        """Return the columns, besides these, whose cells are numbers or missing, with at least one number."""
        columns = []
        for name in self.header:
            values = [] if name in besides else [parse_number(cell) for cell in self.cells(name)]
            if None not in values and any(value is not None and not math.isnan(value) for value in values):
                columns.append(name)
        return columns


def parse_number(cell: str) -> float | None:
    """Return the number in a cell, NaN if it is missing, or None if the cell is other text."""
    try:
        value = float(cell)
    except ValueError:
        return math.nan if cell.strip().lower() in MISSING else None
    return None if math.isinf(value) or "_" in cell else value


def format_value(value: object) -> str:
    """Return a JSON value as text for messages."""
    import json

    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= 200 else f"{text[:200]}..."


def suggest_names(name: str, names: Iterable[str]) -> str:
    """Return a hint for an unknown name: the most similar known names, or the first twelve."""
    from difflib import get_close_matches

    known = list(names)
    close = get_close_matches(name, known, n=3)
    if close:
        return "did you mean " + " or ".join(f'"{match}"' for match in close) + "?"
    return f"there {'is' if len(known) == 1 else 'are'} {', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"


def join_names(names: Iterable[str]) -> str:
    """Return the first few names, and the total number if there are more."""
    every = list(names)
    return ", ".join(every[:_MAX_LISTED]) + (f", ... ({len(every)} in all)" if len(every) > _MAX_LISTED else "")


# --- reading -------------------------------------------------------------------------------------------------------


def read_table(path: str) -> TextTable:
    """Read a table of any of the formats."""
    data = read_bytes(path)
    if not data.strip():
        raise InputError(f"{display_name(path)}: expected a table, found an empty file")
    text = normalize_lines(data, path).decode("utf-8")
    form = TABLE_SUFFIXES.get(format_suffix(path)) or _detect_format(text)
    if form == "jsonl":
        table = _table_from_json_lines(path, text)
    else:
        if form == "tsv" and "\t" not in text.lstrip("\n").partition("\n")[0]:
            form = "spaces"
        rows = _csv_rows(path, text) if form == "csv" else _split_rows(path, text, form)
        table = _table_from_rows(path, list(rows), form)
    return replace(table, digest=digest_bytes(data))


def digest_bytes(*parts: bytes) -> str:
    """Return the first twelve digits of the SHA-256 of the parts together, in hexadecimal."""
    from hashlib import sha256  # takes milliseconds, because it loads OpenSSL

    return sha256(b"".join(parts)).hexdigest()[:12]


def is_json_lines(path: str) -> bool:
    """Return whether a file has one JSON object per line by its name."""
    return TABLE_SUFFIXES.get(format_suffix(path)) == "jsonl"


def parse_json_lines(path: str, text: str, first_line: int = 1) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) for text with one JSON object per line, which begins at this line of a file."""
    import json

    for line, row in enumerate(text.split("\n"), start=first_line):
        if row.strip():
            where = f"{display_name(path)}, line {line}"
            try:
                record = json.loads(row)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{where}: expected JSON ({error})") from None
            if not isinstance(record, dict):
                raise InputError(f"{where}: expected a JSON object, found {row.strip()[:40]}")
            yield line, record


def _detect_format(text: str) -> str:
    first = text.partition("\n")[0]
    return "jsonl" if first.startswith("{") else "csv" if "," in first and "\t" not in first else "tsv"


def _split_rows(path: str, text: str, form: str) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(text.split("\n"), start=1):
        by_tabs = form == "tsv" or (form == "score" and "\t" in row)
        cells = (row.split("\t") if row else []) if by_tabs else row.split()
        if form == "score" and len(cells) not in (0, 2):
            raise InputError(
                f"{display_name(path)}, line {line}: expected a system and a score, found {len(cells)} columns"
            )
        if cells:
            yield line, cells


def _csv_rows(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first and "," not in first else ","  # spreadsheets use semicolons in some countries
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    before = 0
    try:
        for cells in reader:
            if cells:
                yield before + 1, [cell[1:] if _ESCAPED.match(cell) else cell for cell in cells]
            before = reader.line_num
    except csv.Error as error:
        raise InputError(f"{display_name(path)}, line {before + 1}: expected CSV ({error})") from None


def _table_from_rows(path: str, rows: list[tuple[int, list[str]]], form: str) -> TextTable:
    if not rows:
        raise InputError(f"{display_name(path)}: expected a table with a header, found no rows")
    first = rows[0][1]
    headless = form == "score" or (len(first) == 2 and bool(first[0].strip()) and parse_number(first[1]) is not None)
    names, body = (["system", "score"], rows) if headless else (first, rows[1:])
    header, kinds = _parse_header(path, names)
    for line, cells in body:
        if len(cells) != len(header):
            spaces = form == "spaces" or len(cells[0].split()) == len(header)
            raise InputError(
                f"{display_name(path)}, line {line}: expected {len(header)} columns as on line {rows[0][0]}, "
                f"found {len(cells)}{' (are they separated by spaces?)' if spaces else ''}"
            )
    lines = tuple(line for line, _ in body)
    return TextTable(path, header, tuple(tuple(cells) for _, cells in body), lines, kinds, "", headless)


def _table_from_json_lines(path: str, text: str) -> TextTable:
    records = list(parse_json_lines(path, text))
    kinds: dict[str, str] = {}
    if records and set(records[0][1]) == {"kind"}:
        line, first = records.pop(0)
        if first["kind"] not in KINDS:
            raise InputError(
                f'{display_name(path)}, line {line}: expected kind "error" or "similarity", found "{first["kind"]}"'
            )
        kinds[""] = first["kind"]
    names = list(dict.fromkeys(name for _, record in records for name in record))
    if not names:
        raise InputError(f"{display_name(path)}: expected one JSON object per line, found none")
    n_cells = len(names) * len(records)
    if n_cells > max(CELLS_PER_BYTE * len(text), SMALL_TABLE):  # one long row and many short ones
        raise InputError(
            f"{display_name(path)}: expected objects with the same keys, found {n_cells} cells, almost all empty, in "
            f"{len(text)} bytes"
        )
    header, kinds_of_columns = _parse_header(path, names)
    rows = tuple(tuple(_json_cell(record.get(name)) for name in names) for _, record in records)
    return TextTable(path, header, rows, tuple(line for line, _ in records), kinds | kinds_of_columns, "")


def _json_cell(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    import json

    try:
        return json.dumps(value)
    except RecursionError:
        return "{...}"


def _parse_header(path: str, names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names of columns, and the kinds that follow a colon."""
    header: dict[str, None] = {}
    kinds = {}
    for cell in names:
        name, colon, kind = cell.strip().rpartition(":")
        if colon and kind in KINDS:
            kinds[name] = kind
        else:
            name = cell.strip()
        if name in header:
            raise InputError(f'{display_name(path)}, line 1: expected distinct columns, found "{name}" twice')
        header[name] = None
    return tuple(header), kinds


# --- tables of scores ----------------------------------------------------------------------------------------------

SEGMENT_COLUMNS = ("segment", "segment0")
SEGMENT_IDS = ("seg_id", "globalsegid")  # MQM files; they count from 1 and serve if there is no segment column
JUDGES = ("judge", "annotator", "rater", "judgement")
RANK = "rank"
_LOCATIONS = ("document", "doc", "doc_id", "docid", "docsegid", "id", "line", *SEGMENT_IDS)
KEY_COLUMNS = ("system", "target", "reference", *SEGMENT_COLUMNS, *JUDGES, "criterion", *_LOCATIONS)  # no scores
_KNOWN_COLUMNS = (*KEY_COLUMNS, "score", RANK, "category", "severity")


def read_score_table(path: str) -> TextTable:
    """Read a table of scores; known columns are recognized in any case, and a segment id becomes `segment`."""
    table = read_table(path)
    lower = [name.lower() for name in table.header]
    counts = Counter(lower)
    header = [
        known if known in _KNOWN_COLUMNS and counts[known] == 1 else name
        for name, known in zip(table.header, lower, strict=True)
    ]
    ids = [name for name in SEGMENT_IDS if name in header]
    if ids and not set(SEGMENT_COLUMNS) & set(header):
        header[header.index(ids[0])] = "segment"
    renamed = dict(zip(table.header, header, strict=True))
    kinds = {renamed.get(name, name): kind for name, kind in table.kinds.items()}
    return replace(table, header=tuple(header), kinds=kinds)


def find_column(table: TextTable, name: str) -> str | None:
    """Return the column with this name, or else with this name in another case."""
    columns = [column for column in table.header if column.lower() == name.lower()]
    return name if name in columns else next(iter(columns), None)


def is_by_segment(table: TextTable) -> bool:
    """Return whether a file without a header has one line per system and segment (.seg.score), not per system."""
    if ".sys.score" in Path(table.path).name:
        return False
    systems = table.cells("system")
    return ".seg.score" in Path(table.path).name or len(set(systems)) < len(systems)


def rows_by_system(table: TextTable, systems: Sequence[str], n_segments: int | None) -> dict[str, list[int]]:
    """Return the rows of each system, which are its segments in order; by default as many as the first system has."""
    names = table.cells("system")
    require_scores_of(table.path, systems, names)
    by_system: dict[str, list[int]] = {system: [] for system in systems}
    for row, name in enumerate(names):
        if name in by_system:
            by_system[name].append(row)
    for system, rows in by_system.items():
        n_segments = len(rows) if n_segments is None else n_segments
        if len(rows) != n_segments:
            raise InputError(
                f'{table.path}: expected {n_segments} lines for system "{system}", one per segment, found {len(rows)}'
            )
    return by_system


def parse_segments(table: TextTable, rows: Iterable[int], n_segments: int | None) -> dict[int, int]:
    """Return the segment of each row, from 0; `n_segments` is None if their number is unknown."""
    columns = [name for name in SEGMENT_COLUMNS if name in table.header]
    if len(columns) != 1:
        raise InputError(f"{table.path}, line 1: expected one column segment or segment0, found {len(columns)}")
    column, least = columns[0], 1 if columns == ["segment"] else 0
    n_possible = MAX_SEGMENTS if n_segments is None else n_segments
    cells = table.cells(column)
    values = {cell: parse_number(cell) for cell in set(cells)}
    segments: dict[int, int] = {}
    out_of_range: dict[int, int] = {}  # segment -> its first row
    for row in rows:
        value = values[cells[row]]
        if value is None or not value.is_integer():
            raise InputError(f'{table.where(row)}: expected a whole number in column {column}, found "{cells[row]}"')
        if not least <= value < least + n_possible:
            out_of_range.setdefault(int(value), row)
        segments[row] = int(value) - least
    if out_of_range:
        first, *others = out_of_range
        also = f", also {join_names(map(str, others))}" if others else ""
        hint = (
            "; rename the column to segment0 if it counts from 0" if column == "segment" and 0 in out_of_range else ""
        )
        raise InputError(
            f"{table.where(out_of_range[first])}: expected {column} from {least} to {least + n_possible - 1}, "
            f"found {first:.15g}{also}{hint}"
        )
    return segments


def index_rows(table: TextTable, keys: Mapping[int, tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    """Return the row of each key, which is names and perhaps a segment; a duplicate is an InputError."""
    rows: dict[tuple[Any, ...], int] = {}
    for row, key in keys.items():
        if key in rows:
            label = ", ".join(part if isinstance(part, str) else f"segment {part + 1}" for part in key)
            raise InputError(
                f"{table.where(row)}: expected one score for {label}, found a second one; the first is on line "
                f"{table.lines[rows[key]]}"
            )
        rows[key] = row
    return rows


def require_scores_of(where: str, names: Sequence[str], scored: Sequence[str], subject: str = "system") -> None:
    """Raise InputError that lists the systems (or other subjects) without scores."""
    sentence = describe_unscored(names, scored, subject)
    if sentence:
        raise InputError(f"{where}: {sentence}")


def describe_unscored(
    names: Sequence[str], scored: Sequence[str], subject: str = "system", scores: str = "scores"
) -> str:
    """Return a sentence that lists the names without scores; empty if there are none."""
    known = dict.fromkeys(scored)
    missing = [name for name in names if name not in known]
    if not missing:
        return ""
    quoted = join_names(f'"{name}"' for name in missing)
    return f"there are no {scores} of {subject}{'s' * (len(missing) > 1)} {quoted} ({suggest_names(missing[0], known)})"


# --- writing -------------------------------------------------------------------------------------------------------

# Spreadsheets take text with one of these first characters for a formula. In CSV files such text gets an apostrophe,
# as people type it in a spreadsheet; text that has apostrophes before such a character gets one more, and `read_table`
# removes one. Numbers stay numbers. TSV and JSON are for programs, so nothing is escaped there.
FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_FORMULA = re.compile(f"'*[{re.escape(''.join(FORMULA_STARTS))}]")
_ESCAPED = re.compile(f"'+[{re.escape(''.join(FORMULA_STARTS))}]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def escape_formula(value: Any) -> Any:
    """Return a value as a CSV cell that no spreadsheet evaluates as a formula."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


class _NewlineWriter:
    """Passes rows on with a newline: csv quotes both characters of its line terminator, so it must be CR LF there."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def write(self, row: str) -> None:
        self.out.write(row.removesuffix("\r\n") + "\n")


def write_rows(out: TextIO, rows: Iterable[Iterable[Any]], delimiter: str) -> None:
    """Write rows of cells; formulas are escaped if commas separate the cells."""
    writer = csv.writer(_NewlineWriter(out), delimiter=delimiter, lineterminator="\r\n")
    writer.writerows(map(escape_formula, row) if delimiter == "," else row for row in rows)
