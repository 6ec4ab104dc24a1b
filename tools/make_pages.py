"""Write the pages that are generated from the code: docs/metrics, docs/commands, docs/api.

python tools/make_pages.py
"""

from __future__ import annotations

import sys

import make_api_page
import make_command_pages
import make_metric_pages
from blocks import DOCS, GENERATED, Undocumented


def pages() -> dict[str, str]:
    """Return all generated pages by their paths below docs."""
    return make_metric_pages.pages() | make_command_pages.pages() | make_api_page.pages()


def stale(made: dict[str, str]) -> list[str]:
    """Return existing pages that are no longer generated."""
    there = [path.relative_to(DOCS).as_posix() for folder in GENERATED for path in (DOCS / folder).glob("*.md")]
    return [name for name in there if name not in made]


def main() -> None:
    try:
        made = pages()
    except Undocumented as error:
        sys.exit(f"undocumented: {error}")
    for name in stale(made):
        (DOCS / name).unlink()
    for name, text in made.items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
