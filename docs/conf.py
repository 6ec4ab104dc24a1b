"""How Sphinx makes the site of these pages: `make site`. Nothing is fetched, neither now nor by a reader's browser."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent

# Pages of the repository's root that the site shows, too: the committed page only points to them.
FROM_ROOT = {
    HERE / "project" / "contributing.md": ROOT / "CONTRIBUTING.md",
    HERE / "project" / "architecture.md": ROOT / "ARCHITECTURE.md",
    HERE / "project" / "security.md": ROOT / "SECURITY.md",
    HERE / "project" / "changelog.md": ROOT / "CHANGELOG.md",
}
PAGE_OF = {source: page for page, source in FROM_ROOT.items()} | {ROOT / "README.md": HERE / "index.md"}

project = "tarocco"
author = "The tarocco developers"
project_copyright = author
version = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "tarocco" / "_version.py").read_text("utf-8"))[1]  # type: ignore[index]
release = version

extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True
exclude_patterns = ["_static"]
smartquotes = False  # two hyphens begin an option

html_theme = "furo"
pygments_dark_style = "monokai"
html_title = f"tarocco {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}

LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put pages of the root where they belong, and turn links to files of the repository into what the site has."""
    page = HERE / f"{docname}.md"
    written = FROM_ROOT.get(page, page)
    if written != page:
        app.env.note_dependency(str(written))
        source[0] = written.read_text("utf-8")

    def on_the_site(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(written.parent / link[2]))
        if not target.exists():
            return link[0]  # Sphinx says that it leads nowhere
        if target in PAGE_OF or target.is_relative_to(HERE):
            there = os.path.relpath(PAGE_OF.get(target, target), page.parent)
            return f"[{link[1]}]({there}{link[3] or ''})"
        return link[1]  # in the repository, not on the site

    # Results of Python examples end with an empty line, so that doctest sees their end; a reader need not.
    source[0] = LINK.sub(on_the_site, source[0]).replace("\n\n```\n", "\n```\n")


def setup(app: Sphinx) -> None:
    # The guide takes what pages there are; this warning has no type by which it could be suppressed otherwise.
    logging.getLogger("sphinx.sphinx.directives.other").addFilter(
        lambda record: getattr(record, "subtype", "") != "empty_glob"
    )
    app.connect("source-read", read)
