"""Tables: what is written is what is read, in every form; and every way in which a table can be wrong."""

import csv
import gzip
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import InputError
from tarocco.io.tables import parse_number, read_table

# What CSV and JSON can hold; a tab or a newline cannot be in a cell of a TSV file.
CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6)


def written_as(form, rows):
    header = ("system", "segment", "what is said")
    if form == "jsonl":
        return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)
    if form == "tsv":
        return "".join("\t".join(row) + "\n" for row in (header, *rows))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows((header, *rows))
    return out.getvalue()


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
@given(rows=ROWS)
def test_round_trip(tmp_path_factory, form, rows):
    path = tmp_path_factory.mktemp("tables") / f"table.{form}"
    path.write_text(written_as(form, rows), "utf-8")
    table = read_table(str(path))
    assert table.header == ("system", "segment", "what is said")
    assert table.rows == tuple(rows)
    assert table.lines == tuple(range(1 if form == "jsonl" else 2, len(rows) + (1 if form == "jsonl" else 2)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_to_the_bit(value):
    assert parse_number(repr(value)) == value


@pytest.mark.parametrize("cell", ["", "None", "NaN", "nan", "null", "NA", " - "])
def test_missing_numbers(cell):
    assert math.isnan(parse_number(cell))


@pytest.mark.parametrize("cell", ["abc", "1,5", "inf", "-Infinity", "1_000", "0x10", "true", "1 2"])
def test_what_is_no_number(cell):
    assert parse_number(cell) is None


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a", "system\tx\ns, one\t1\n"),
        ("a", '{"system": "s, one", "x": 1}\n'),
        ("a.txt", 'system,x\r\n"s, one",1\r\n'),
        ("a.csv.gz", gzip.compress(b'system,x\n"s, one",1\n', mtime=0)),
        ("a.tsv", "\ufeffsystem\tx\n\ns, one\t1"),
    ],
)
def test_the_form_is_told_by_suffix_or_first_line(tmp_path, name, text):
    table = read_table(write(tmp_path, name, text))
    assert (table.header, table.rows) == (("system", "x"), (("s, one", "1"),))


def test_kinds_stand_in_the_header(tmp_path):
    table = read_table(write(tmp_path, "a.tsv", "system\tx:error\ty:similarity\tz:other\nA\t1\t2\t3\n"))
    assert table.header == ("system", "x", "y", "z:other")
    assert table.kinds == {"x": "error", "y": "similarity"}
    table = read_table(write(tmp_path, "a.jsonl", '{"kind": "error"}\n{"system": "A", "x": null}\n'))
    assert (table.kinds, table.rows, table.lines) == ({"": "error"}, (("A", ""),), (2,))


def test_number_columns(tmp_path):
    table = read_table(write(tmp_path, "a.tsv", "system\ta\tb\tc\td\n1\t1\tx\t\t-2e3\n2\tNone\t2\t\t4\n"))
    assert table.number_columns(besides=["system"]) == ["a", "d"]


def test_lines_of_cells_with_newlines(tmp_path):
    table = read_table(write(tmp_path, "a.csv", 'system,x\n"two\nlines",1\nB,y\n'))
    assert table.lines == (2, 4)
    with pytest.raises(InputError, match=r'a\.csv, line 4: expected a number in column x, found "y"'):
        list(table.numbers("x"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "", r"a\.tsv: expected a table, found an empty file"),
        ("a.tsv", "\n\n", r"a\.tsv: expected a table, found an empty file"),
        ("a.tsv", "system\tx\nA\t1\t2\n", r"a\.tsv, line 2: expected 2 columns as on line 1, found 3"),
        ("a.tsv", "x\tx\nA\t1\n", r'a\.tsv, line 1: expected distinct columns, found "x" twice'),
        ("a.tsv", b"system\tx\nA\t\xff\n", r"a\.tsv, line 2, byte 3: expected UTF-8 text, found the byte 0xff"),
        ("a.csv", 'system,x\n"A,1\n', r"a\.csv, line 2: expected CSV \(unexpected end of data\)"),
        (
            "a.jsonl",
            '{"system": "A"}\n{"system"\n',
            r"a\.jsonl, line 2: expected JSON \(Expecting ':' delimiter: line 1 column 10 \(char 9\)\)",
        ),
        ("a.jsonl", "[1]\n", r"a\.jsonl, line 1: expected a JSON object, found \[1\]"),
        ("a.jsonl", '{"kind": "errors"}\n', r'a\.jsonl, line 1: expected kind "error" or "similarity", found "errors"'),
        ("a.jsonl", '{"kind": "error"}\n', r"a\.jsonl: expected one JSON object per line, found none"),
        ("a.score", "A\t1\nB 2 3\n", r"a\.score, line 2: expected a system and a score, found 3 columns"),
    ],
)
def test_what_goes_wrong(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read_table(write(tmp_path, name, text))
