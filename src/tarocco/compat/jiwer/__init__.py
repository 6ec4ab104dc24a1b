"""Error rates, alignments and transforms of jiwer 4.0.0."""

from __future__ import annotations

from typing import Any

from tarocco.compat import missing_name
from tarocco.compat.jiwer import alignment, measures, process, transformations, transforms
from tarocco.compat.jiwer.alignment import *  # noqa: F403
from tarocco.compat.jiwer.measures import *  # noqa: F403
from tarocco.compat.jiwer.process import *  # noqa: F403
from tarocco.compat.jiwer.transformations import *  # noqa: F403
from tarocco.compat.jiwer.transforms import *  # noqa: F403

name = "jiwer"
__version__ = "4.0.0"  # the release whose numbers these are
__all__ = [
    *("alignment", "measures", "process", "transformations", "transforms"),
    *alignment.__all__,
    *measures.__all__,
    *process.__all__,
    *transformations.__all__,
    *transforms.__all__,
]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    older = {"compute_measures": "process_words(reference, hypothesis)", "truth": "reference"}
    raise missing_name(__name__, "jiwer 4", name, f"use {older[name]}" if name in older else "")
