"""Write charts as offline HTML pages, SVG, PNG, PDF or Vega-Lite JSON."""

from __future__ import annotations

import os
import sys
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarocco.core.errors import InputError, MissingExtra
from tarocco.core.json_text import json_text
from tarocco.io.files import check_writable, write_atomically

if TYPE_CHECKING:
    import altair as alt

NAMES = {"altair": "Altair", "vl_convert": "vl-convert"}


def import_altair() -> Any:
    """Import Altair, which makes charts."""
    return _import_library("altair")


def import_vl_convert() -> Any:
    """Import vl-convert, which renders charts to files."""
    return _import_library("vl_convert")


def check_installed() -> None:
    """Raise MissingExtra if a library is missing; finding a module is faster than importing it."""
    if sys.flags.optimize > 1:
        raise MissingExtra("figures and pages need docstrings, as Altair does: run without -OO or PYTHONOPTIMIZE=2")
    for module in NAMES:
        if find_spec(module) is None:
            raise _missing(module)


def _import_library(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise _missing(module) from None


def _missing(module: str) -> MissingExtra:
    return MissingExtra(f'plots need {NAMES[module]}: pip install "tarocco[plots]"')


SUFFIXES = (".html", ".svg", ".png", ".pdf", ".json")
PIXELS_PER_INCH = 200  # 2.8 times the size on the page: sharp in print and on dense screens

# The content security policy forbids all requests. In dark mode text and lines become light, and colors do not change.
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1rem; background: #fff; color: #222; font: 14px "Liberation Sans", Arial, Helvetica, sans-serif; }}
figure {{ margin: 0; overflow-x: auto; }}
@media screen and (prefers-color-scheme: dark) {{
  body {{ background: #181818; color: #ddd; }}
  svg.marks {{ background: none !important; }}
  svg.marks path[fill="#000000"] {{ fill: #eee; }}
  svg.marks path[stroke="#000000"] {{ stroke: #eee; }}
  svg.marks [class*="role-axis-"] text, svg.marks [class*="role-title-"] text, svg.marks [class*="role-legend-"] text,
  svg.marks text[fill="#222222"] {{ fill: #ddd; }}
  svg.marks .mark-rule.role-mark line {{ opacity: 1; }}
  svg.marks .role-axis-grid line {{ stroke: #383838; }}
}}
</style>
</head>
<body>
<figure id="chart"></figure>
<noscript>This figure is drawn by the script inside this page: allow scripts to see it.</noscript>
<script>{runtime}</script>
<script>vegaEmbed("#chart", {specification}, {options});</script>
</body>
</html>
"""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
OPTIONS = {
    "mode": "vega-lite",
    "renderer": "svg",
    "ast": True,  # expressions are interpreted, not compiled, so that the policy can forbid eval
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}


def write_chart(chart: alt.TopLevelMixin, path: str | os.PathLike[str]) -> None:
    """Write a chart in the format of the path's suffix: .html, .svg, .png, .pdf, or .json (Vega-Lite).

    The file is written atomically. Nothing is downloaded, neither now nor when the file is opened.
    """
    check_path(path)
    write_atomically(path, render_chart(chart, Path(path).suffix.lower()))


def check_figure(path: str | os.PathLike[str]) -> None:
    """Raise an error if a figure could not be drawn or written, before any work is done."""
    check_path(path)
    check_installed()


def check_path(path: str | os.PathLike[str]) -> None:
    """Raise InputError if no figure can be written to a path."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{os.fspath(path)}: expected the name of a figure to end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        )
    check_writable(path)


def render_chart(chart: alt.TopLevelMixin, suffix: str) -> bytes:
    """Return a chart as the contents of a file with this suffix."""
    specification = chart.to_dict()
    if suffix == ".json":
        return (json_text(specification, indent=1) + "\n").encode()
    if suffix == ".html":
        return _render_html(specification).encode()
    if suffix == ".svg":
        return _render_svg(specification).encode()
    if suffix == ".png":
        return bytes(import_vl_convert().vegalite_to_png(specification, ppi=PIXELS_PER_INCH, allowed_base_urls=[]))
    return bytes(import_vl_convert().vegalite_to_pdf(specification, allowed_base_urls=[]))


def _render_svg(specification: dict[str, Any]) -> str:
    """Return an SVG image that contains the chart's description."""
    drawing: str = import_vl_convert().vegalite_to_svg(specification, allowed_base_urls=[])
    description = specification.get("description")
    head, bracket, rest = drawing.partition(">")
    return f"{head}{bracket}<desc>{escape(description, quote=False)}</desc>{rest}" if description else drawing


def _render_html(specification: dict[str, Any]) -> str:
    """Return a self-contained HTML page."""
    return PAGE.format(
        policy=POLICY,
        title=escape(specification.get("description", "tarocco").splitlines()[0]),
        runtime=import_vl_convert().javascript_bundle(),
        specification=_script_json(specification),
        options=_script_json(OPTIONS),
    )


def _script_json(value: Any) -> str:
    """Return JSON for a script element, in which no text can end the element or start a comment."""
    return json_text(value).replace("<", "\\u003c")
