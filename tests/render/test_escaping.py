"""Names, labels and notes are text in every format: nothing in them is markup, whoever wrote them."""

import csv
import io
import re
from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tarocco.io.tables import write_rows
from tarocco.render.escaping import latex_text, markdown_text
from tarocco.render.tables import Section, Table, plain, write_noted, write_sections
from tarocco.render.terminal import visible_line

PIECES = [
    *(
        "|",
        "\\|",
        "\\\\|",
        "\\",
        "\n",
        "\r",
        "\x1b[2J",
        "\u202e",
        "\t",
        " ",
        "    ",
        "`",
        "``",
        "*",
        "**",
        "_",
        "__",
        "~~",
        "~",
    ),
    *("$", "$$", "<", ">", "</td>", "<script>alert(1)</script>", "<!--", "&", "&lt;", "&#60;", "&amp;lt;", "%", "#"),
    *("# ", "{", "}", "^", "^^M", "[base]", "[", "]", "](http://x.y)", "![i](http://x.y/p.png)", "[a]: http://x.y"),
    *(
        "[x] ",
        "https://x.y",
        "www.x.y",
        "\\input{/etc/passwd}",
        "\\end{tabular}",
        "\n\\input{x}",
        "- ",
        "+ ",
        "1. ",
        "12) ",
    ),
    *("> ", "=", "---", "=cmd()", "@SUM(1)", "-1", "BLEU-4", "a_b", "é", "中"),
]
NAMES = st.one_of(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), st.text(max_size=8))
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def tables_of(name, other):
    table = Table((name, other), ((name, "1"), (other, "2")), marks={(0, 1): "a"}, best=frozenset({(1, 1)}))
    return table, [name, "", f"{other}: {name}"]


def written(form, table, notes):
    out = io.StringIO()
    write_noted(table, notes, form, out)
    return out.getvalue()


def normal(text):
    """Text as Markdown shows it: spaces at the ends are not seen."""
    return visible_line(text).strip()


@given(NAMES, NAMES)
def test_markdown(name, other):
    """A parser of Markdown finds one table and the notes, and in them exactly the texts; of ours there is <sup>."""
    table, notes = tables_of(name, other)
    seen = {"cell": [], "note": []}
    into = "cell"
    for token in PARSER.parse(written("md", table, notes)):
        assert token.type.removesuffix("_open").removesuffix("_close") in (
            *("table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item", "paragraph", "inline"),
        ), token.type
        into = "note" if token.type == "bullet_list_open" else into
        if token.type == "inline":
            kinds = {child.type for child in token.children}
            assert kinds <= {"text", "text_special", "html_inline"}, kinds
            assert {c.content for c in token.children if c.type == "html_inline"} <= {"<sup>", "</sup>"}
            seen[into].append("".join(c.content for c in token.children if c.type != "html_inline").strip())
    assert seen["cell"] == [normal(name), normal(other), normal(name), "1a", normal(other), "2"]
    assert seen["note"] == [text for text in map(normal, (notes[0], notes[2])) if text]


@given(NAMES, NAMES)
def test_latex(name, other):
    """No command but ours, no end of a line but ours, and the printed text is the text."""
    table, notes = tables_of(name, other)
    lines = written("latex", table, notes).split("\n")
    assert lines.pop() == ""
    rows, comments = lines[: lines.index(r"\end{tabular}") + 1], lines[lines.index(r"\end{tabular}") + 1 :]
    assert [rows[i] for i in (0, 1, 3, 6, 7)] == [
        *(r"\begin{tabular}{lr}", r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"),
    ]
    assert len(rows) == 8
    assert len(comments) == 3
    assert all(comment.startswith("%") for comment in comments)
    for row, cells in zip((rows[2], rows[4], rows[5]), ((name, other), (name, "1"), (other, "2")), strict=True):
        assert not row.startswith(("[", "*"))  # of the \\ before
        assert row.endswith(r" \\")
        parts = re.split(r"(?<!\\)&", row.removesuffix(r"\\"))
        assert [printed(part) for part in parts] == [normal(cells[0]), normal(cells[1] + "a" * (cells[1] == "1"))]


COMMANDS = {
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textless": "<",
    r"\textgreater": ">",
}


def printed(cell):
    """What LaTeX prints for the few commands that there may be; any other is an error."""
    shown = ""
    cell = re.sub(r"\$-\$", "-", re.sub(r"\$\^\{(.*?)\}\$", r"\1", re.sub(r"\\textbf(?=\{)", "", cell)))
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", cell, re.DOTALL):
        if token in COMMANDS:
            shown += COMMANDS[token]
        elif token[0] == "\\":
            assert token[1:] in tuple("&%$#_{}"), token
            shown += token[1:]
        elif token not in "{}":
            assert token not in "&%$#_^~", token
            shown += token
    return shown.strip()


@given(NAMES, NAMES)
def test_separated(name, other):
    """A reader of CSV or TSV gets the text back; in CSV, what would be a formula has an apostrophe before it."""
    for delimiter in ",\t":
        out = io.StringIO()
        write_rows(out, [[name, other], [name, 1]], delimiter)
        rows = list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))
        assert len(rows) == 2
        for cell, text in zip((*rows[0], rows[1][0]), (name, other, name), strict=True):
            assert cell == text or (delimiter == "," and cell == f"'{text}")
            if delimiter == ",":
                assert not re.match(r"[=@]", cell)


@given(NAMES, NAMES)
def test_terminal(name, other):
    table, notes = tables_of(name, other)
    for text in (plain(table), written("table", table, notes)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert plain(table).count("\n") == 4


@given(NAMES, NAMES)
def test_sections(name, other):
    """Titles, terms and sentences of a trial are escaped like notes."""
    section = Section(f"title {name}", text=(name, other), pairs=((other, name),))
    out = io.StringIO()
    write_sections([section], "md", out)
    kinds = {child.type for token in PARSER.parse(out.getvalue()) for child in token.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close"}
    out = io.StringIO()
    write_sections([section], "latex", out)
    assert all(line.startswith("% ") or not line for line in out.getvalue().split("\n"))


@given(NAMES)
def test_html(name):
    """`html.escape` is what pages, figures and notebooks use."""
    from tarocco.core.records import _html_table

    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, _attributes: tags.append(tag)
    parser.feed(_html_table([{"name": name, escape(name): name}], [name]))
    assert set(tags) <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "br"}


@pytest.mark.parametrize(
    "text", ["BLEU-4", "chrF++", "a_b", "ROUGE-L:compat=1.5.5", "0.12 [0.10, 0.14]", "1.5 x", "-0.5"]
)
def test_ordinary_text_stays_as_it_is(text):
    assert markdown_text(text) == text
    assert latex_text(text).replace(r"\_", "_") == text
