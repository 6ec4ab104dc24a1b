"""A chart as a file: a page that needs no network, vector graphics, pixels, or the specification itself."""

from __future__ import annotations

import json
import os
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarocco.core.errors import InputError, MissingExtra
from tarocco.io.files import check_writable, write_atomically

if TYPE_CHECKING:
    import altair as alt

NAMES = {"altair": "Altair", "vl_convert": "vl-convert"}


def altair() -> Any:
    """Altair makes the charts."""
    return _library("altair")


def vl_convert() -> Any:
    """vl-convert, with Vega-Lite inside, makes files of them."""
    return _library("vl_convert")


def check_installed() -> None:
    """Refuse, before any work is done, to draw without them; finding a library is quicker than importing it."""
    for module in NAMES:
        if find_spec(module) is None:
            raise _missing(module)


def _library(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise _missing(module) from None


def _missing(module: str) -> MissingExtra:
    return MissingExtra(f'plots need {NAMES[module]}: pip install "tarocco[plots]"')


SUFFIXES = (".html", ".svg", ".png", ".pdf", ".json")
PIXELS_AN_INCH = 200  # 2.8 times the size on the page: sharp in print and on dense screens

# The page forbids itself every request. On a dark screen the figure's words and lines turn light, its colors stay.
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
    """Write a chart in the format that the path's suffix names: .html, .svg, .png, .pdf, or .json (Vega-Lite).

    The file is whole or not there. Nothing is fetched, now or when the file is opened.
    """
    check_path(path)
    write_atomically(path, rendered(chart, Path(path).suffix.lower()))


def check_figure(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a figure that could not be drawn or written."""
    check_path(path)
    check_installed()


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse a path at which no figure can be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{os.fspath(path)}: the name of a figure ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        )
    check_writable(path)


def rendered(chart: alt.TopLevelMixin, suffix: str) -> bytes:
    """The bytes of a chart in one of the formats."""
    specification = chart.to_dict()
    if suffix == ".json":
        return (json.dumps(specification, ensure_ascii=False, indent=1) + "\n").encode()
    if suffix == ".html":
        return html(specification).encode()
    if suffix == ".svg":
        return svg(specification).encode()
    if suffix == ".png":
        return bytes(vl_convert().vegalite_to_png(specification, ppi=PIXELS_AN_INCH, allowed_base_urls=[]))
    return bytes(vl_convert().vegalite_to_pdf(specification, allowed_base_urls=[]))


def svg(specification: dict[str, Any]) -> str:
    """The chart as SVG, with its description inside."""
    drawing: str = vl_convert().vegalite_to_svg(specification, allowed_base_urls=[])
    told = specification.get("description")
    head, bracket, rest = drawing.partition(">")
    return f"{head}{bracket}<desc>{escape(told, quote=False)}</desc>{rest}" if told else drawing


def html(specification: dict[str, Any]) -> str:
    """The chart as a page that holds everything it needs."""
    return PAGE.format(
        policy=POLICY,
        title=escape(specification.get("description", "tarocco").splitlines()[0]),
        runtime=vl_convert().javascript_bundle(),
        specification=_in_script(specification),
        options=_in_script(OPTIONS),
    )


def _in_script(value: Any) -> str:
    """JSON that can stand in a script element: no text can end the element or start a comment."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
