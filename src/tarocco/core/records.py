"""The base classes of everything that a public function returns.

A `Record` is one frozen dataclass of numbers and names, such as the score of one system under one metric. A
`ResultTable` holds many of them. Both derive from their fields what every result offers: `to_dict` for JSON, flat rows
for tables, pandas and Arrow frames, a table in notebooks and a readable `repr`.

To write a new result::

    @dataclass(frozen=True, eq=False)
    class King(Record):
        json_fields = ("metrics", "king", "interval", "n_segments", "signature")  # default: all fields

        metrics: tuple[str, ...]
        king: float
        interval: Interval
        segments: Floats
        n_segments: int
        signature: str

    @dataclass(frozen=True, eq=False)
    class KingResult(ResultTable):
        record_field = "sets"  # the field that holds the records

        sets: tuple[King, ...]
        notes: tuple[str, ...] = ()  # printed above the table

`King.to_dict()` then has these five keys, with the interval as [low, high] and null instead of NaN, and
`KingResult.rows()` has the columns metrics, king, low, high, n_segments and signature. Set `row_fields` if the columns
differ from the JSON keys, and list in `optional_fields` the keys that JSON leaves out where they are empty. All these
names may also be properties. Where a result truly differs, override one method: `row` or `rows`, `to_dict` (which may
take options, such as a level), `display` (the rows that people see) or `captions` (the lines above them). The `repr`
that `dataclass` would generate is not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from tarocco.core.errors import MissingExtra

MAX_ROWS = 50  # that a repr or a notebook shows
MAX_WIDTH = 60  # characters of a cell in a repr

Row = dict[str, Any]


@dataclass(frozen=True)
class Interval:
    """A confidence interval, and how it was computed."""

    low: float
    high: float
    confidence: float
    n_resamples: int
    seed: int


class RunNote(str):
    """A note about the run, such as the use of a store, and not about the data; other notes are plain strings."""


class Displayed:
    """Anything that shows rows: as a table in notebooks, and as text in `repr`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # dataclass replaces a repr that is only inherited

    def display(self) -> list[Row]:
        """Return the rows that people see."""
        raise NotImplementedError

    def captions(self) -> Sequence[str]:
        """Return lines to show above the rows."""
        return getattr(self, "notes", ())

    def __repr__(self) -> str:
        return "\n".join([*map(printable, self.captions()), *_text_table(self.display())])

    def _repr_html_(self) -> str:
        return _html_table(self.display(), self.captions())


class Record(Displayed):
    """One result. Subclasses are frozen dataclasses; the module's docstring shows how to write one."""

    json_fields: ClassVar[tuple[str, ...]] = ()  # keys of `to_dict`; all fields if empty
    row_fields: ClassVar[tuple[str, ...]] = ()  # columns of `row`; `json_fields` if empty
    optional_fields: ClassVar[tuple[str, ...]] = ()  # JSON has no such key where the value is None or empty
    missing: ClassVar[float | None] = None  # replaces NaN in rows

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it: null instead of NaN, lists instead of tuples and arrays."""
        values = {name: getattr(self, name) for name in self._json_names()}
        return {name: to_json(value) for name, value in values.items() if name not in self.optional_fields or value}

    def row(self) -> Row:
        """Return the record as one flat row: an interval has two columns, and a list is one text."""
        row: Row = {}
        for name in self.row_fields or self._json_names():
            value = getattr(self, name)
            if isinstance(value, Mapping):
                row |= value
            elif name.endswith("interval"):
                prefix = name.removesuffix("interval")
                for end in ("low", "high"):
                    row[prefix + end] = self._cell(getattr(value, end, None))
            else:
                row[name] = self._cell(value)
        return row

    def display(self) -> list[Row]:
        return [self.row()]

    def _json_names(self) -> tuple[str, ...]:
        return self.json_fields or tuple(field.name for field in fields(self))  # type: ignore[arg-type]

    def _cell(self, value: Any) -> Any:
        value = to_json(value)
        if isinstance(value, list):
            return " ".join(map(str, value))
        return self.missing if value is None else value


class ResultTable(Displayed):
    """Many records. Subclasses are frozen dataclasses; the module's docstring shows how to write one."""

    record_field: ClassVar[str] = ""  # the field that holds the records; a subclass without one defines `rows`

    @property
    def records(self) -> Sequence[Record]:
        """The records, in order."""
        records: Sequence[Record] = getattr(self, self.record_field)
        return records

    def rows(self) -> list[Row]:
        """Return one flat row per record."""
        return [record.row() for record in self.records]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what the command of the same name prints with `-f json` under "results"."""
        if self.record_field:
            return [record.to_dict() for record in self.records]
        return [to_json(row) for row in self.rows()]

    def display(self) -> list[Row]:
        """Return the rows that people see: all columns but the signature."""
        return [{name: value for name, value in row.items() if name != "signature"} for row in self.rows()]

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with one row per row of `rows`."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra('to_pandas needs pandas: pip install "tarocco[pandas]"') from None
        return pandas.DataFrame(self.rows())

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with one row per row of `rows`."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra('to_arrow needs pyarrow: pip install "tarocco[arrow]"') from None
        rows = self.rows()
        # An empty cell of a column of numbers is missing; a column has one type.
        numbers = {name for row in rows for name, value in row.items() if not isinstance(value, str | None)}
        return pyarrow.Table.from_pylist(
            [{name: None if value == "" and name in numbers else value for name, value in row.items()} for row in rows]
        )


def number_or_null(value: float) -> float | None:
    """Return the number, or None for NaN."""
    return None if math.isnan(value) else value


def to_json(value: Any) -> Any:
    """Return a value as JSON has it. Metrics and other objects become their names."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, Interval):
        return [number_or_null(value.low), number_or_null(value.high)]
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return to_json(value.tolist()) if hasattr(value, "tolist") else str(value)  # NumPy's arrays and numbers


def printable(text: str) -> str:
    """Return text with control characters escaped, so that no terminal obeys them."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _shown(value: Any) -> str:
    """Return the text of a cell."""
    value = to_json(value)
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:.1f}"
    return "" if value is None else str(value)


def _headed(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    """Return the names of all columns, and the rows that are shown."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return names, [[row.get(name) for name in names] for row in rows[:MAX_ROWS]]


def _text_table(rows: Sequence[Row]) -> list[str]:
    names, shown = _headed(rows)
    texts = [[_short(printable(_shown(value))) for value in row] for row in shown]
    widths = [max(map(len, column)) for column in zip(names, *texts, strict=True)]
    numeric = [all(isinstance(value, int | float | None) for value in column) for column in zip(*shown, strict=True)]
    lines = []
    for row in [names, *texts] if rows else []:
        cells = zip(row, widths, numeric, strict=True)
        lines.append("  ".join(text.rjust(width) if right else text.ljust(width) for text, width, right in cells))
    return [line.rstrip() for line in lines] + _more(rows)


def _html_table(rows: Sequence[Row], captions: Sequence[str]) -> str:
    from html import escape

    names, shown = _headed(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = ""
    for row in shown:
        first, *others = (escape(_shown(value)) for value in row)
        body += f"<tr><th>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in others) + "</tr>"
    lines = "<br>".join(map(escape, [*captions, *_more(rows)]))
    caption = f"<caption>{lines}</caption>" if lines else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _short(text: str) -> str:
    return text if len(text) <= MAX_WIDTH else text[: MAX_WIDTH - 3] + "..."


def _more(rows: Sequence[Row]) -> list[str]:
    return [f"... and {len(rows) - MAX_ROWS} more rows"] if len(rows) > MAX_ROWS else ["no rows"] if not rows else []
