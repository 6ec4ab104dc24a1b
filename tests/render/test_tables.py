"""Tables: on terminals wide and narrow, and in LaTeX."""

import io
import re

import pytest

from tarocco.render.tables import LONG, Table, latex, plain, write_table

RECORDS = Table(
    ("criterion", "metric", "Pearson", "95%", "cluster"),
    (
        ("adequacy", "BLEU-4", "0.940", "[0.886, 0.974]", "1"),
        ("adequacy", "TER", "-0.353", "[-0.477, -0.217]", "2"),
    ),
    labels=2,
    best=frozenset({(0, 2)}),
    marks={(1, 4): "*"},
)
SCORES = Table(
    ("system", "BLEU-4", "TER"),
    (("careful", "49.12", "36.99"), ("brief", "12.95", "73.01")),
    best=frozenset({(0, 1), (0, 2)}),
    of="metric",
)
WIDE = len(" criterion   metric   Pearson                95%   cluster ")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def show(monkeypatch):
    """What a terminal of so many columns shows, line by line without styles."""

    def shown(table, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        terminal = Terminal()
        write_table(table, terminal)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
        assert all(len(line) <= columns for line in lines)
        return [line.split() for line in lines if line.strip(" ─")]

    return shown


def test_records_stay_together_in_the_long_layout():
    long = RECORDS.long()
    assert long.header == ("criterion", "metric", "column", "value")
    assert long.rows[:4] == (
        ("adequacy", "BLEU-4", "Pearson", "0.940"),
        ("adequacy", "BLEU-4", "95%", "[0.886, 0.974]"),
        ("adequacy", "BLEU-4", "cluster", "1"),
        ("adequacy", "TER", "Pearson", "-0.353"),
    )
    assert (long.labels, long.best, long.marks) == (3, {(0, 3)}, {(5, 3): "*"})


def test_columns_of_a_kind_stay_together_in_the_long_layout():
    long = SCORES.long()
    assert long.header == ("metric", "system", "value")
    assert long.rows == (
        ("BLEU-4", "careful", "49.12"),
        ("BLEU-4", "brief", "12.95"),
        ("TER", "careful", "36.99"),
        ("TER", "brief", "73.01"),
    )
    assert (long.labels, long.best) == (2, {(0, 2), (2, 2)})


def test_words_alone_have_no_long_layout():
    words = Table(("metric", "what it is"), (("BLEU-n", "a mean"),), labels=2)
    assert words.long() is words


def test_a_table_is_wide_as_long_as_it_fits(show):
    assert show(RECORDS, WIDE)[1:] == [" ".join(row).split() for row in RECORDS.with_marks().rows]
    assert show(RECORDS, WIDE - 1) == [
        list(RECORDS.long().header),
        *(" ".join(row).split() for row in RECORDS.long().with_marks().rows),
    ]


def test_labels_are_folded_at_last_and_numbers_never(show):
    name = "a-system-with-a-very-long-name"
    table = Table(
        ("system", "BLEU-4", "TER"), ((name, "49.12 [45.21, 51.88]", "-36.99 [-40.77, -33.96]"),), of="metric"
    )
    shown = show(table, 70)
    assert ["BLEU-4", name, "49.12", "[45.21,", "51.88]"] in shown
    narrow = [" ".join(cells) for cells in show(table, 48)]
    assert any(line.endswith("49.12 [45.21, 51.88]") for line in narrow)
    assert not any(name in line for line in narrow)


def test_many_words_in_a_column_of_numbers_are_broken_between_words(show):
    table = Table(("metric", "p", "details"), (("BLEU-4", "0.0123", "better 15, worse 45, equal 0"),))
    narrow = show(table, 36)
    words = [word for cells in narrow for word in cells]
    assert {"BLEU-4", "0.0123", "better", "15,", "worse", "45,", "equal", "0"} <= set(words)
    assert ["BLEU-4", "p", "0.0123"] in narrow


def test_a_very_long_table_is_plain(monkeypatch):
    rows = tuple((str(i), "0.1", "0.2") for i in range(LONG - 1))
    table = Table(("segment", "BLEU-4", "TER"), rows)
    monkeypatch.setenv("COLUMNS", "12")
    terminal = Terminal()
    write_table(table, terminal)
    assert terminal.getvalue() == plain(table.long())


def test_a_pipe_has_the_wide_table_however_narrow_the_terminal_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    pipe = io.StringIO()
    write_table(RECORDS, pipe)
    assert pipe.getvalue() == plain(RECORDS)
    assert max(map(len, pipe.getvalue().splitlines())) > 20


def test_latex_has_minus_signs_before_numbers():
    table = Table(
        ("a-1", "b"), (("x -2", "-0.165"), ("y", "[-0.4, 1e-05] perm-sys"), ("z", "-")), best=frozenset({(0, 1)})
    )
    cells = [line.removesuffix(r" \\").split(" & ") for line in latex(table).splitlines() if " & " in line]
    assert cells == [
        ["a-1", "b"],
        ["x -2", r"\textbf{$-$0.165}"],
        ["y", "[$-$0.4, 1e-05] perm-sys"],
        ["z", "-"],
    ]
