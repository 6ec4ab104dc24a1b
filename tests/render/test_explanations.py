"""Marks in the text of explanations: what stands together, on a terminal and on a narrow one."""

import io

import pytest

import tarocco
from tarocco.core.records import printable
from tarocco.explanation.records import Element
from tarocco.render.results.explain import StyledText, WordRun, WrappedLines, word_runs, write_explanations
from tarocco.render.tables import width


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_neighbors_that_match_neighbors_stand_together():
    one = [Element("word", word, (i,), (j,), True) for word, i, j in (("a", 0, 1), ("b", 1, 2), ("c", 2, 0))]
    assert word_runs(["a", "b", "c"], one, "candidate", labeled=False) == [
        WordRun(("a", "b"), True, "", ("", "")),
        WordRun(("c",), True, "", ("",)),
    ]
    assert [part.words for part in word_runs(["c", "a", "b"], one, "reference", labeled=False)] == [("c",), ("a", "b")]


def test_labels():
    found = [
        Element("NP", "a", (0,), (0,), True),
        Element("NP", "b", (1,)),
        Element("VP", "c", (2,)),
        Element("VP", "d", (3,), above=True),
    ]
    marks = [(part.words, part.matched, part.label) for part in word_runs("abcd", found, "candidate", labeled=True)]
    assert marks == [(("a",), True, "NP"), (("b",), False, "NP"), (("c",), False, "VP"), (("d",), False, "")]


def test_a_word_with_many_types_has_no_labels():
    """Dependencies: a word stands below many relations; brackets alone can be read."""
    found = [Element(kind, "a", (0,), (0,), True) for kind in ("root", "nsubj", "det")]
    assert [part.label for part in word_runs(["a"], found, "candidate", labeled=True)] == [""]


@pytest.mark.parametrize("columns", [50, 60, 100])
def test_lines_fit(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    result = tarocco.explain(
        "the cat sat on the mat and looked at the old dog", "the dog sat on a mat and looked at the cat",
        metrics=["BLEU-4", "SP-Op-*", "CP-STM-4", "TER"],
    )  # fmt: skip
    write_explanations(result, [], out)
    assert max(map(width, out.getvalue().splitlines())) <= columns
    assert all(line == line.rstrip() for line in out.getvalue().splitlines())


def test_colors_say_nothing_that_marks_do_not_say(monkeypatch):
    """The same text on a terminal, in color or without, and in a pipe."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    result = tarocco.explain("the cat sat on the mat", "the dog sat on a mat", metrics=["GTM-2", "SP-Op-*"])
    plain, terminal, colorless = io.StringIO(), Terminal(), Terminal()
    write_explanations(result, ["a note"], plain)
    write_explanations(result, ["a note"], terminal)
    assert "\x1b[1;32m" in terminal.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    write_explanations(result, ["a note"], colorless)
    assert "\x1b[1;32m" not in colorless.getvalue()
    for shown in (terminal, colorless):
        assert [line.rstrip() for line in without_styles(shown.getvalue())] == plain.getvalue().splitlines()


def without_styles(text):
    import re

    return re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()


def test_long_words_break_nothing():
    lines = WrappedLines(40)
    lines.add("head", [StyledText("x" * 100), StyledText("y")])
    out = io.StringIO()
    lines.write(out)
    assert out.getvalue() == f"head\n      {'x' * 100}\n      y\n"


def test_printable():
    assert printable("a\x1b[0m\n\u200e é 漢 🙂 \udc80") == "a\\x1b[0m\\n\\u200e é 漢 🙂 \\udc80"
