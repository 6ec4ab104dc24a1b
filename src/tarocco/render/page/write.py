"""A report as files: one page that holds everything, the same figures for papers, the same tables."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from tarocco.io.files import write_atomically
from tarocco.render.page.charts import figures, page_charts
from tarocco.render.page.paths import check_directory, check_report
from tarocco.render.page.payload import json_of, payload_of
from tarocco.render.page.tables import tables_of
from tarocco.render.plots.files import check_installed, rendered, vl_convert
from tarocco.render.tables import latex, separated
from tarocco.trials.findings import Findings

SCRIPTS = ("dom", "terms", "table", "verdict", "systems", "trial", "marks", "segments", "confusions", "foot", "main")
FORMATS = (".svg", ".png", ".pdf")


def write_report(findings: Findings | Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page of what was found, or of a payload that was made of it. The same findings give the same bytes."""
    check_report(path)
    write_atomically(path, page_of(_payload(findings)).encode("utf-8"))


def write_payload(findings: Findings | Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the data of a page as JSON."""
    write_atomically(path, (json_of(_payload(findings)) + "\n").encode("utf-8"))


def write_figures(findings: Findings | Mapping[str, Any], directory: str | os.PathLike[str]) -> list[Path]:
    """Write every plot of the page as SVG, PNG and PDF, and every table as LaTeX and CSV; gives the files' paths."""
    check_installed()
    payload, folder = _payload(findings), Path(directory)
    check_directory(folder)
    folder.mkdir(exist_ok=True)
    written = []
    for one in figures(payload):
        for suffix in FORMATS:
            written.append(folder / f"{one.name}{suffix}")
            write_atomically(written[-1], rendered(one.chart, suffix))
    for named in tables_of(payload):
        for suffix, text in ((".tex", latex(named.table)), (".csv", separated(named.records, ","))):
            written.append(folder / f"{named.name}{suffix}")
            write_atomically(written[-1], text.encode("utf-8"))
    return written


def _payload(findings: Findings | Mapping[str, Any]) -> dict[str, Any]:
    return payload_of(findings) if isinstance(findings, Findings) else dict(findings)


def page_of(payload: Mapping[str, Any]) -> str:
    """The page, whole in itself. Only scripts whose digests its policy names are run, and nothing is fetched."""
    here = files("tarocco.render.page")
    own = "\n".join((here / "script" / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    scripts = {
        "runtime": _inert(vl_convert().javascript_bundle()),
        "script": f'(() => {{\n"use strict";\n{own}\n}})();',
    }
    digests = " ".join(f"'sha256-{_digest(text)}'" for text in scripts.values())
    policy = (
        f"default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = (here / "template.html").read_text("utf-8")
    parts = {
        "policy": policy,
        "title": escape(f"{payload['name']}: a report by tarocco"),
        "style": (here / "page.css").read_text("utf-8"),
        "without": _without_scripts(payload),
        "payload": _in_script(json_of(dict(payload))),
        "charts": _in_script(json.dumps(page_charts(payload), ensure_ascii=False, separators=(",", ":"))),
        **scripts,
    }
    # One pass, so that no part can hold what looks like the place of another.
    pieces = page.split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:]))


def _inert(script: str) -> str:
    """A library as it can stand in a script element: in strings alone, where these can be written otherwise."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _in_script(text: str) -> str:
    """JSON that no text in it can end, and whose lines no reader breaks elsewhere."""
    return (
        text.replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
        .replace("\x7f", "\\u007f")
    )


def _without_scripts(payload: Mapping[str, Any]) -> str:
    """What a reader gets whose program runs no scripts."""
    verdict = payload.get("verdict") or {}
    told = [verdict.get("headline", ""), *verdict.get("systems", ()), *verdict.get("disagreements", ())]
    lines = "".join(f"<p>{escape(line)}</p>" for line in told if line)
    allow = "<p>Allow scripts to see the rest: the page runs its own alone.</p>"
    return f"<h1>{escape(str(payload['name']))}</h1>{lines}{allow}"
