"""The pages of the documentation, and the code blocks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from console_blocks import FOLDER, ROOT
from markdown_it import MarkdownIt

DOCS = ROOT / "docs"
ON_TOP = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")
GENERATED = ("metrics", "commands", "api")  # folders of docs that tools/make_pages.py writes


class Undocumented(Exception):
    """A public name, command or option that the documentation does not describe."""


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    page: str  # path below the root
    line: int
    kind: str  # the language after the fence; "indented" without a fence
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def is_generated(self) -> bool:
        return self.page.split("/")[:-1] in [["docs", folder] for folder in GENERATED]

    @property
    def file(self) -> Path | None:
        """The file that the block quotes, which its first line names in a comment."""
        first = re.fullmatch(r"# ([\w./-]+\.\w+)", self.lines[0] if self.text else "")
        there = [folder / first[1] for folder in (ROOT, FOLDER)] if first else []
        return next((path for path in there if path.is_file()), None)


def pages() -> list[Path]:
    """Return all pages, handwritten ones before generated ones."""
    paths = sorted(DOCS.rglob("*.md"))
    generated = [path for path in paths if path.parent.name in GENERATED]
    return [*(ROOT / name for name in ON_TOP), *(path for path in paths if path not in generated), *generated]


def blocks_of(path: Path) -> list[Block]:
    tokens = MarkdownIt().parse(path.read_text("utf-8"))
    page = path.relative_to(ROOT).as_posix()
    return [
        Block(page, token.map[0] + 1, token.info.strip() or "indented", token.content)
        for token in tokens
        if token.type in ("fence", "code_block") and token.map
    ]


def all_blocks() -> list[Block]:
    return [block for path in pages() for block in blocks_of(path)]


def title_of(path: Path) -> str:
    """Return the first heading of a page."""
    heading = re.search(r"^# (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return heading[1] if heading else path.stem
