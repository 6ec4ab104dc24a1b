"""The report: results as one HTML page that contains everything it needs, and as figures and tables for papers."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Unpack

from tarocco.core.errors import InputError
from tarocco.core.json_text import json_text
from tarocco.core.test_set import Candidates, References, Segments, make_test_set
from tarocco.explanation.records import ExplainResult
from tarocco.io.files import check_writable, write_atomically
from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import JackResult, KingResult, OptimizeResult, QueenResult
from tarocco.meta.references.curves import ReferencesResult
from tarocco.meta.significance.compare import CompareResult
from tarocco.render.page.figures import figures_of, page_charts
from tarocco.render.page.payload import json_of, payload_of
from tarocco.render.page.schema import check_payload
from tarocco.render.page.tables import tables_of
from tarocco.render.plots.files import check_installed, import_vl_convert, render_chart
from tarocco.render.tables import latex, separated
from tarocco.scoring.results import Result
from tarocco.scoring.settings import TEXT, Text, TextShortcuts, apply_shortcuts
from tarocco.trials.findings import Findings

# The class of result that each field of `Findings` holds.
FIELDS: tuple[tuple[type, str], ...] = (
    (CompareResult, "comparison"),
    (OrangeResult, "orange"),
    (KingResult, "kings"),
    (QueenResult, "queens"),
    (JackResult, "jack"),
    (OptimizeResult, "optimal"),
    (CorrelateResult, "correlations"),
    (ReferencesResult, "curves"),
    (AuditResult, "audit"),
    (ExplainResult, "explanations"),
    (Result, "scores"),
)
SCRIPTS = ("dom", "terms", "table", "verdict", "systems", "trial", "marks", "segments", "confusions", "foot", "main")
FORMATS = (".svg", ".png", ".pdf")


class ReportShortcuts(TextShortcuts, total=False):
    """How the texts of a report were read: `text`, or its fields."""

    text: Text


def report(
    results: Any,
    path: str | os.PathLike[str],
    *,
    name: str = "report",
    systems: Candidates | None = None,
    references: References | None = None,
    source: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    command: str = "",
    figures: str | os.PathLike[str] | None = None,
    **shortcuts: Unpack[ReportShortcuts],
) -> None:
    """Write results as one HTML page, which needs no network and no other file.

    Parameters
    ----------
    results
        What `tarocco.trial` or any other function of tarocco returned, several results in a list, or the data of a
        report as `json.load` reads them.
    path
        The file to write, which ends in .html.
    name
        The title of the report.
    systems, references, source, groups
        The texts, as for `tarocco.score`, and one label per segment: the page then shows single segments.
    command
        The command that repeats the run, which the page shows.
    figures
        A directory for every plot as SVG, PNG and PDF, and every table as LaTeX and CSV.
    **shortcuts
        `text` (a `Text`), or tokenize, lowercase and analyzer: how the texts were read, so that the page highlights the
        words that metrics saw.

    Raises
    ------
    InputError
        If `results` contains something else, or the file cannot be written.
    MissingExtra
        Without the plotting libraries: `pip install "tarocco[plots]"`.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> scores = tarocco.score(demo.systems, demo.references, metrics=["BLEU-4", "chrF"], confidence=0.95)
    >>> tarocco.report(scores, "report.html", systems=demo.systems, references=demo.references)  # doctest: +SKIP
    """
    check_report(path)
    if figures is not None:
        check_directory(figures)
    (text,) = apply_shortcuts(
        "report", {key: value for key, value in shortcuts.items() if key != "text"}, shortcuts.get("text", TEXT)
    )
    findings: Findings | Mapping[str, Any]
    if isinstance(results, Findings) or (isinstance(results, dict) and "form" in results):
        findings = results
        if isinstance(results, dict):
            check_payload(results, "results")
    else:
        if (systems is None) != (references is None):
            raise InputError("expected both systems and references, or neither: the page shows them side by side")
        texts: dict[str, Any] = {}
        if systems is not None and references is not None:
            texts = {"test_set": make_test_set(systems, references), "encoding": text.encoding}
            texts["source"] = None if source is None else Segments.from_strings(list(source))
            texts["groups"] = None if groups is None else tuple(map(str, groups))
        several = list(results) if isinstance(results, list | tuple) else [results]
        findings = Findings(name=name, command=command, **texts, **place_results(several))
    write_report(findings, path)
    if figures is not None:
        write_figures(findings, figures)


def place_results(results: Sequence[Any]) -> dict[str, Any]:
    """Return results by their field of `Findings`."""
    placed: dict[str, Any] = {}
    for result in results:
        kind = type(result).__name__
        name = next((name for known, name in FIELDS if isinstance(result, known)), None)
        if name is None:
            raise InputError(f"a report shows results of functions of tarocco, found {kind}")
        if name == "correlations":
            placed[name] = (*placed.get(name, ()), result)
        elif name in placed:
            raise InputError(f"a report shows one {kind}, found two")
        else:
            placed[name] = result
    if not placed:
        raise InputError("a report needs at least one result, found none")
    return placed


# --- files -----------------------------------------------------------------------------------------------------------


def check_report(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a report that cannot be made or written."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{os.fspath(path)}: expected a file that ends in .html")
    check_writable(path)
    check_installed()


def check_directory(path: str | os.PathLike[str]) -> None:
    """Refuse a directory of figures that cannot be made."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: expected a directory for figures, found a file")
    if not folder.exists() and not folder.parent.is_dir():
        raise InputError(f"{folder}: there is no directory {folder.parent}")


def write_report(findings: Findings | Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page of findings, or of their payload. The same findings give the same bytes."""
    check_report(path)
    write_atomically(path, page_of(_payload(findings)).encode("utf-8"))


def write_payload(findings: Findings | Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the data of a page as JSON."""
    write_atomically(path, (json_of(_payload(findings)) + "\n").encode("utf-8"))


def write_figures(findings: Findings | Mapping[str, Any], directory: str | os.PathLike[str]) -> list[Path]:
    """Write every plot of the page as SVG, PNG and PDF, and every table as LaTeX and CSV; return the paths."""
    check_installed()
    payload, folder = _payload(findings), Path(directory)
    check_directory(folder)
    folder.mkdir(exist_ok=True)
    written = []
    for figure in figures_of(payload):
        for suffix in FORMATS:
            written.append(folder / f"{figure.name}{suffix}")
            write_atomically(written[-1], render_chart(figure.chart, suffix))
    for table in tables_of(payload):
        for suffix, text in ((".tex", latex(table.table)), (".csv", separated(table.records, ","))):
            written.append(folder / f"{table.name}{suffix}")
            write_atomically(written[-1], text.encode("utf-8"))
    return written


def _payload(findings: Findings | Mapping[str, Any]) -> dict[str, Any]:
    return payload_of(findings) if isinstance(findings, Findings) else dict(findings)


# --- the page --------------------------------------------------------------------------------------------------------


def page_of(payload: Mapping[str, Any]) -> str:
    """Return the page. Its policy allows only its scripts, by their digests, and no requests."""
    here = files("tarocco.render.page")
    page_script = "\n".join((here / "script" / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    scripts = {
        "runtime": _inert(import_vl_convert().javascript_bundle()),
        "script": f'(() => {{\n"use strict";\n{page_script}\n}})();',
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
        "charts": _in_script(json_text(page_charts(payload), compact=True)),
        **scripts,
    }
    # One pass, so that a part that contains "{{name}}" is not replaced itself.
    pieces = page.split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:]))


def _inert(script: str) -> str:
    """Return a library that can be embedded in a script element; these texts occur only in its strings."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _in_script(text: str) -> str:
    """Return JSON that cannot end its script element and has no line separators."""
    return (
        text.replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
        .replace("\x7f", "\\u007f")
    )


def _without_scripts(payload: Mapping[str, Any]) -> str:
    """Return the text of the page for browsers without scripts."""
    verdict = payload.get("verdict") or {}
    sentences = [verdict.get("headline", ""), *verdict.get("systems", ()), *verdict.get("disagreements", ())]
    lines = "".join(f"<p>{escape(line)}</p>" for line in sentences if line)
    allow = "<p>Allow scripts to see the rest: the page runs only its own.</p>"
    return f"<h1>{escape(str(payload['name']))}</h1>{lines}{allow}"
