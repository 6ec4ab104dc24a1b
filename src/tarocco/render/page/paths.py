"""Where a report and its figures may go: asked before any work is done, so without the rest of the page."""

from __future__ import annotations

import os
from pathlib import Path

from tarocco.core.errors import InputError
from tarocco.io.files import check_writable
from tarocco.render.plots.files import check_installed


def check_report(path: str | os.PathLike[str]) -> None:
    """Refuse a report that could not be made or written."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{os.fspath(path)}: the name of a report ends in .html")
    check_writable(path)
    check_installed()


def check_directory(path: str | os.PathLike[str]) -> None:
    """Refuse a place at which no directory of figures can be."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: a directory is wanted for figures, and this is a file")
    if not folder.exists() and not folder.parent.is_dir():
        raise InputError(f"{folder}: there is no directory {folder.parent}")
