"""Text of others in each output format: one function per format, which every writer uses for all text, notes included.

terminal and plain text    `terminal.visible`, `terminal.visible_line`
Markdown                   `markdown_text`
LaTeX                      `latex_text`
CSV, TSV                   `io.tables.write_rows`
HTML, SVG                  `html.escape`; pages make text nodes
JSON                       `core.json_text`
"""

from __future__ import annotations

import re

from tarocco.render.terminal import visible_line

# In Markdown: what makes a tag, an entity, a link, an image, code, emphasis, a strikethrough or a formula.
_MARKDOWN = re.compile(
    r"""
    (?P<entity> [\\<] | &(?=\#?\w+;) | (?<=www)\. | :(?=//) )  # a backslash cannot be escaped inside of a table
    | [`*~$]
    | (?<![^\W_])_ | _(?![^\W_])  # not inside of a word
    | \](?=[\[(:]) | ^\[         # a link, its definition, a box to tick
    | ^[\#>] | ^[-+](?=[\s-]|$)   # a heading, a quotation, a list, a line
    | (?P<number>^\d{1,9})(?P<dot>[.)])(?=\s|$)
    """,
    re.VERBOSE,
)
_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def markdown_text(text: str) -> str:
    """Return text on one line that Markdown shows as it is. In a cell of a table, bars need a backslash, too."""
    return _MARKDOWN.sub(_escape_markdown, visible_line(text).strip())


def _escape_markdown(match: re.Match[str]) -> str:
    if match["number"]:
        return f"{match['number']}\\{match['dot']}"
    character = match[0]
    if character == "<":
        return "&lt;"
    return f"&#{ord(character)};" if match["entity"] else f"\\{character}"


def latex_text(text: str) -> str:
    """Return text on one line that LaTeX prints as it is, in a cell or after a percent sign."""
    return "".join(_LATEX.get(character, character) for character in visible_line(text))
