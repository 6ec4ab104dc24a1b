"""Scores without texts: arrays and data frames, systems x segments, as callers already have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet

Table = Mapping[str, Any]  # from systems to a number, or to one per segment


def name_rows(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Turn arrays and data frames into mappings from systems to their row, or to their number.

    A data frame's index has the names of systems. The rows of an array belong to the systems of the other tables, in
    their order; if no table has names, systems are numbered from 1. Anything else is returned unchanged.
    """
    named: dict[str, Any] = {label: _name_rows(table, label) for label, table in tables.items()}
    names = next((list(table) for table in named.values() if isinstance(table, Mapping)), None)
    for label, table in named.items():
        if isinstance(table, np.ndarray):
            names = names or [f"system {number}" for number in range(1, len(table) + 1)]
            if len(names) != len(table):
                raise InputError(f"{label}: expected {len(names)} rows, one per system, found {len(table)}")
            named[label] = dict(zip(names, _rows(table), strict=True))
    return named


def _name_rows(table: Any, label: str) -> Any:
    """Return a mapping if the table has names of systems, else an array; a file remains as it is."""
    if isinstance(table, Mapping):
        return {str(system): values for system, values in table.items()}
    indexed = hasattr(table, "index") and hasattr(table, "to_numpy")  # a data frame, or a column of one
    if not indexed and not isinstance(table, np.ndarray | list | tuple):
        return table
    try:
        values = np.asarray(table.to_numpy() if indexed else table, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{label}: expected numbers, one row per system and one column per segment") from None
    if values.ndim not in (1, 2):
        raise InputError(f"{label}: expected systems x segments, or one number per system, found shape {values.shape}")
    if not indexed:
        return values
    names = list(map(str, table.index))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{label}: expected one row per system, found {twice} twice")
    return dict(zip(names, _rows(values), strict=True))


def _rows(values: np.ndarray[Any, Any]) -> Sequence[Any]:
    return list(values) if values.ndim == 2 else values.tolist()


def make_textless_test_set(tables: Mapping[str, Any], documents: Iterable[str] | None = None) -> TestSet:
    """Return a test set with the systems and the number of segments of these tables, and without texts."""
    if not tables:
        raise InputError("expected systems and references, or scores of systems as `external`, found neither")
    for label, table in tables.items():
        if not isinstance(table, Mapping):
            kind = type(table).__name__
            raise InputError(f"{label}: without texts, expected an array, a data frame or a mapping, found {kind}")
    sizes = {len(values) for table in tables.values() for values in table.values() if not np.isscalar(values)}
    blank = Segments.from_strings([""] * max(sizes, default=1))
    labels = None if documents is None else tuple(documents)
    return TestSet(dict.fromkeys(next(iter(tables.values())), blank), (blank,), labels)
