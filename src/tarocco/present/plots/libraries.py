"""The two libraries that figures need, imported when they are, or a sentence on how to get them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tarocco.errors import MissingExtra

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
