"""MQM ratings as Google publishes them for WMT: one row per error that a rater marked.

Columns are system, seg_id (from 1; globalSegId in later files), rater, category and severity; others are ignored, and
so are rows of severity HOTW-test, which are about errors inserted to check the raters. A rater's score of a segment is
the sum of its error weights, so lower is better. The weights are those of Freitag et al. (2021). A source error weighs
like any other, unless `source_errors` is false: it says nothing about the translation.
"""

from __future__ import annotations

from dataclasses import replace

from tarocco.core.errors import InputError
from tarocco.io.tables import JUDGES, SEGMENT_COLUMNS, TextTable

MQM = "MQM"
# In tenths, so that sums are exact and equal scores are equal.
WEIGHTS = {"major": 50, "critical": 50, "minor": 10, "neutral": 0, "no-error": 0}  # critical as in WMT 2024
PUNCTUATION, NON_TRANSLATION = 1, 250
INSERTED = "hotw"  # "hands on the wheel": whether the rater noticed an inserted error


def is_mqm(table: TextTable) -> bool:
    """Return whether the rows of a table are errors with categories and severities, not scores."""
    header = set(table.header)
    return (
        {"system", "category", "severity"} <= header and bool(header & set(SEGMENT_COLUMNS)) and "score" not in header
    )


def sum_errors(table: TextTable, *, source_errors: bool = True) -> TextTable:
    """Return a table with one row per rater, system and segment; its line is that of the first error."""
    key_columns = [name for name in (*JUDGES, "system", *SEGMENT_COLUMNS) if name in table.header]
    sums: dict[tuple[str, ...], int] = {}
    lines: dict[tuple[str, ...], int] = {}
    keys = zip(*(table.cells(name) for name in key_columns), strict=True)
    for key, tenths, line in zip(keys, _weigh_errors(table, source_errors), table.lines, strict=True):
        if tenths is not None:
            sums[key] = sums.get(key, 0) + tenths
            lines.setdefault(key, line)
    rows = tuple((*key, repr(tenths / 10)) for key, tenths in sums.items())
    return replace(table, header=(*key_columns, MQM), rows=rows, lines=tuple(lines.values()), kinds={MQM: "error"})


def _weigh_errors(table: TextTable, source_errors: bool) -> list[int | None]:
    """Return the weight of each error in tenths, None for inserted ones."""
    errors = list(zip(table.cells("severity"), table.cells("category"), strict=True))
    weights: dict[tuple[str, str], int | None] = {}
    for row, error in enumerate(errors):
        if error not in weights:
            weights[error] = _weigh(*error, source_errors, table.where(row))
    return [weights[error] for error in errors]


def _weigh(severity: str, category: str, source_errors: bool, where: str) -> int | None:
    level, kind = severity.strip().lower(), category.strip().lower()
    if INSERTED in level or INSERTED in kind:
        return None
    if level not in WEIGHTS:
        raise InputError(f'{where}: expected a severity of {", ".join(WEIGHTS)}, found "{severity}"')
    if not source_errors and kind.startswith(("source error", "source issue")):
        return 0
    if level == "major" and kind.startswith("non-translation"):
        return NON_TRANSLATION
    if level == "minor" and kind.startswith("fluency/punctuation"):
        return PUNCTUATION
    return WEIGHTS[level]
