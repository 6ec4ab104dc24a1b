"""Check the built site: internal links are valid, and no page loads anything from another site.

python tools/check_site.py build/docs
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Page(HTMLParser):
    """The anchors of a page, its links, and the resources that a browser loads for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.anchors, self.links, self.fetched = path, {""}, [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.anchors.add(values.get("id", ""))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if values.get(FETCHED.get(tag, ""), ""):
            self.fetched.append(values[FETCHED[tag]])


def problems(site: Path) -> list[str]:
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    errors = []
    for path, page in pages.items():
        name = page.path.relative_to(site)
        errors += [f"{name} fetches {url}" for url in page.fetched if urlsplit(url).netloc]
        for link in [*page.links, *page.fetched]:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme or parts.netloc:
                continue
            if not target.is_file() or (target in pages and unquote(parts.fragment) not in pages[target].anchors):
                errors.append(f"{name} links to {link}, which does not exist")
    for style in sorted(site.rglob("*.css")):
        urls = re.findall(r"(?:@import|url\()\s*['\"]?((?:https?:)?//[^'\")\s]+)", style.read_text("utf-8"))
        errors += [f"{style.relative_to(site)} fetches {url}" for url in urls]
    return errors if pages else [f"there is no site in {site}"]


if __name__ == "__main__":
    errors = problems(Path(sys.argv[1]))
    sys.exit("\n".join(errors) if errors else 0)
