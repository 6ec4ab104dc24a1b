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
    """Something of which the documentation would say nothing."""


@dataclass(frozen=True)
class Block:
    """A code block: where it stands, what it says it is, and what is in it."""

    page: str  # below the root
    line: int
    kind: str  # what stands behind the fence; "indented" if there is none
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def is_generated(self) -> bool:
        return self.page.split("/")[:-1] in [["docs", folder] for folder in GENERATED]

    @property
    def file(self) -> Path | None:
        """The file that a block shows lines of: its first line is a comment that names it."""
        first = re.fullmatch(r"# ([\w./-]+\.\w+)", self.lines[0] if self.text else "")
        there = [folder / first[1] for folder in (ROOT, FOLDER)] if first else []
        return next((path for path in there if path.is_file()), None)


def pages() -> list[Path]:
    """Every page, those that are written by hand before those that are made."""
    found = sorted(DOCS.rglob("*.md"))
    made = [path for path in found if path.parent.name in GENERATED]
    return [*(ROOT / name for name in ON_TOP), *(path for path in found if path not in made), *made]


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
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else path.stem
