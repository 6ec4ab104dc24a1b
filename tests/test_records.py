"""The base of all results: JSON, rows, frames, notebooks and repr follow from the fields."""

import inspect
import math
from dataclasses import dataclass

import numpy as np
import pytest

import tarocco
from tarocco.core.records import MAX_ROWS, Interval, Record, ResultTable


@dataclass(frozen=True, eq=False)
class Mark(Record):
    json_fields = ("metrics", "mark", "interval", "strict_interval", "n", "note", "values")
    row_fields = ("metrics", "n", "mark", "interval", "strict_interval")
    optional_fields = ("note",)

    metrics: tuple[str, ...]
    mark: float
    interval: Interval
    strict_interval: Interval | None = None
    values: object = ()
    note: str = ""
    n: int = 3


@dataclass(frozen=True, eq=False)
class Marks(ResultTable):
    record_field = "marks"

    marks: tuple[Mark, ...]
    notes: tuple[str, ...] = ()


MARK = Mark(("A", "B"), math.nan, Interval(0.25, 0.5, 0.95, 1000, 1), values=np.array([1.0, math.nan]))


def test_json_has_the_keys_in_order_and_null_instead_of_nan():
    assert list(MARK.to_dict().items()) == [
        ("metrics", ["A", "B"]),
        ("mark", None),
        ("interval", [0.25, 0.5]),
        ("strict_interval", None),
        ("n", 3),
        ("values", [1.0, None]),
    ]
    assert Mark((), 1.0, MARK.interval, note="x").to_dict()["note"] == "x"


def test_rows_are_flat():
    assert list(MARK.row().items()) == [
        ("metrics", "A B"),
        ("n", 3),
        ("mark", None),
        ("low", 0.25),
        ("high", 0.5),
        ("strict_low", None),
        ("strict_high", None),
    ]
    assert Marks((MARK, MARK)).rows() == [MARK.row()] * 2
    assert Marks((MARK,)).to_dict() == [MARK.to_dict()]


def test_repr_and_notebooks_show_rows_below_notes():
    result = Marks((MARK,), ("two <segments> were left out\x1b[2J",))
    note, head, row = repr(result).splitlines()
    assert note == r"two <segments> were left out\x1b[2J"
    assert head.split() == ["metrics", "n", "mark", "low", "high", "strict_low", "strict_high"]
    assert row.split() == ["A", "B", "3", "0.25", "0.5"]
    page = result._repr_html_()
    assert "two &lt;segments&gt; were left out" in page
    assert "<tr><th>A B</th><td>3</td><td></td><td>0.25</td><td>0.5</td>" in page


def test_long_tables_are_cut():
    result = Marks((MARK,) * (MAX_ROWS + 2))
    assert repr(result).splitlines()[-1] == "... and 2 more rows"
    assert result._repr_html_().count("<tr>") == 1 + MAX_ROWS
    assert repr(Marks(())) == "no rows"


RETURNED = {
    inspect.signature(getattr(tarocco, name)).return_annotation
    for name in tarocco.__all__
    if inspect.isfunction(getattr(tarocco, name))
}


@pytest.mark.parametrize("name", sorted(name for name in RETURNED if str(name).endswith("Result")))
def test_every_public_result_is_a_table(name):
    kind = getattr(tarocco, name)
    assert issubclass(kind, ResultTable)
    assert not hasattr(kind.__repr__, "__wrapped__")  # the repr that dataclass generates is a wrapper
