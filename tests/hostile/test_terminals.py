"""What is in a text, a name or a file's name cannot act upon a terminal, and becomes no formula or markup elsewhere."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from test_cli import on_terminal

import tarocco
from tarocco.cli.terminal import visible_message
from tarocco.io.tables import escape_formula, read_table
from tarocco.render.results.score import separated_text
from tarocco.render.tables import Table, latex, markdown, plain, separated, write_noted, write_table
from tarocco.render.terminal import visible, visible_line

CLEAR, TITLE, CSI, TURN = "\x1b[2J", "\x1b]0;gone\x07", "\x9b31m", "\u202e"
EVIL = f"a{CLEAR}b{TITLE}c{CSI}d\re\bf{TURN}g"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
STYLES = re.compile("\x1b\\[[0-9;]*m|\r\n")


def acts(shown, *, colored=False):
    """Whether something in a text acts upon a terminal; Rich's own colors may."""
    return ACTS.search(STYLES.sub("", shown) if colored else shown) is not None


def test_visible():
    assert visible("a\x1bb\n\tc\x9b\x7f\u202e") == "a\\u001bb\n\tc\\u009b\\u007f\\u202e"
    assert visible_line("a\n\tb") == "a\\u000a\\u0009b"
    kept = "é 漢 🙂 👩\u200d💻 \u00a0 \u200c \u200e ok"  # joiners and spaces are parts of words
    assert visible(kept) == visible_line(kept) == kept
    assert json.loads(visible('"\x9b"')) == "\x9b"
    assert visible_message("a\ntarocco: fine\n  indented") == "a\n  tarocco: fine\n  indented"
    assert len(visible_message("x" * 10**6)) < 21_000


TABLE = Table(("system", "M"), ((EVIL, "1"), ("two\nlines\there", "2")))


@pytest.mark.parametrize("write", [plain, markdown, latex])
def test_tables_for_people_are_visible_anywhere(write):
    shown = write(TABLE)
    assert not acts(shown)
    assert "two\nlines" not in shown


def test_tables_and_notes_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for out, colored in ((Terminal(), True), (io.StringIO(), False)):
        write_table(TABLE, out)
        write_noted(TABLE, [EVIL], "table", out)
        assert not acts(out.getvalue(), colored=colored)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "sys\x1b[2J\x9b31m.txt"
    (tmp_path / "ref.txt").write_text("the cat sat on the mat\nx\n")
    (tmp_path / name).write_text(f"the cat {EVIL} sat\nx\n".replace("\r", ""))
    (tmp_path / "nbest.txt").write_text(
        f"0 ||| the {CLEAR}{TITLE}cat{CSI} ||| w= 1 ||| 1\n0 ||| the {CLEAR}{TITLE}cat{CSI} sat ||| w= 2 ||| 1\n"
    )
    (tmp_path / "bad.tsv").write_text(f"system\tscore\na\t{CLEAR}{TITLE}\n")
    return name


COMMANDS = (
    ("score", "ref.txt", "-i", "SYSTEM", "-m", "BLEU-4"),
    ("score", "ref.txt", "-i", "SYSTEM", "-f", "json"),
    ("score", "ref.txt", "-i", "SYSTEM", "-f", "tsv"),
    ("score", "ref.txt", "-i", "SYSTEM", "-f", "md"),
    ("score", "ref.txt", "-i", "SYSTEM", "gone\x1b[2J.txt"),
    ("score", "ref.txt", "-i", "SYSTEM", "-m", "B\x1b[2J"),
    ("score", "ref.txt", "-i", "SYSTEM", "--scores", "M=bad.tsv"),
    ("score", "ref.txt", "-\x1b[2J"),
    ("\x1b[2J",),
    ("explain", "ref.txt", "-i", "SYSTEM", "-m", "ROUGE-L", "--segment", "1"),
    ("mbr", "nbest.txt", "-m", "WER"),
    ("mbr", "nbest.txt", "-m", "WER", "-f", "json"),
    ("oracle", "nbest.txt", "-r", "ref.txt", "-m", "WER", "--level", "segment"),
    ("init", "."),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command).replace("\x1b", "ESC"))
def test_a_segment_cannot_color_or_clear_a_terminal(files, command):
    shown = on_terminal(*(files if part == "SYSTEM" else part for part in command))
    assert shown.strip()
    assert not acts(shown, colored=True), shown
    assert "\x1b[31m" not in shown


def test_what_programs_read_is_left_alone(files):
    command = [sys.executable, "-m", "tarocco", "mbr", "nbest.txt", "-m", "WER"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert f"the {CLEAR}{TITLE}cat{CSI}\n".encode() in done.stdout
    missing = subprocess.run([*command[:-3], f"{CLEAR}.txt", "-m", "WER"], capture_output=True, check=False)
    assert b"\\u001b[2J.txt: there is no such file" in missing.stderr


# --- spreadsheets and pages ----------------------------------------------------------------------------------------

FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=cmd|'/c calc'!A0", "-x", "\uff1d1")


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_in_csv_is_a_formula(text):
    for rows in (separated([{"name": text, text: 1}], ","), separated_text(_scored(text), "corpus", ",")):
        cells = [cell for row in csv.reader(io.StringIO(rows, newline="")) for cell in row]
        assert f"'{text}" in cells
        assert text not in cells
    assert escape_formula(f"'{text}") == f"''{text}"


def _scored(name):
    return tarocco.score({name: ["a"]}, ["a"], metrics="WER")


@pytest.mark.parametrize("number", [-1, -0.5, "-1", "+2.5e-3", "-.5", 1e300, "", None, "plain", "'quoted'"])
def test_numbers_stay_numbers(number):
    assert escape_formula(number) == number


@pytest.mark.parametrize("text", ["=a", "'=a", "''-x", "'quoted", "plain", "'", "-5"])
def test_what_csv_guards_is_read_back(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(separated([{"system": text, "score": -0.5}], ","), newline="")
    table = read_table(str(path))
    assert table.rows == ((text, "-0.5"),)


def test_tsv_and_json_are_exact():
    assert separated([{"name": "=1+1"}], "\t") == "name\n=1+1\n"


def test_no_text_in_markdown_is_a_tag():
    assert "<script" not in markdown(Table(("a<script>", "n"), (("<script>alert(1)</script>|x", "1"),)))
    assert "<script" not in _scored("<script>")._repr_html_()
