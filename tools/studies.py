"""Write the results of studies between marks on a page of the documentation."""

from __future__ import annotations

import re
from pathlib import Path


def put(page: Path, name: str, body: str) -> None:
    """Put text between the marks of a study."""
    begin, end = f"<!-- study {name} -->", f"<!-- end of study {name} -->"
    text = page.read_text(encoding="utf-8")
    if not re.search(f"{begin}.*{end}", text, re.DOTALL):
        raise SystemExit(f"{page.name} has no place for the study {name}")
    page.write_text(
        re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n{body}\n{end}", text, flags=re.DOTALL), encoding="utf-8"
    )
    print(f"study {name}", flush=True)
