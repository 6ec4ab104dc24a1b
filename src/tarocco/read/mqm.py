"""MQM: a row for each error that a rater marked, as Google publishes its ratings of WMT's systems.

Columns are system, seg_id (counted from 1; globalSegId in later files), rater, category, severity and others that do
not matter. A rater's score of a segment is what its errors weigh together, so lower is better. The weights are those of
Freitag et al. 2021. Errors of the source count nothing: the authors took them out of their scores.
"""

from __future__ import annotations

from dataclasses import replace

from tarocco.errors import InputError
from tarocco.read.coverage import SEGMENT_COLUMNS
from tarocco.read.tables import Table

MQM = "MQM"
# In tenths, so that sums are exact and equal ones are equal.
WEIGHTS = {"major": 50, "critical": 50, "minor": 10, "neutral": 0, "no-error": 0}  # critical as WMT 2024 counts it
PUNCTUATION, NON_TRANSLATION = 1, 250

_RATER = "rater"
_SEGMENTS = ("seg_id", "globalSegId", *SEGMENT_COLUMNS)


def is_mqm(table: Table) -> bool:
    """Whether the rows of a table are errors, with their categories and severities, and no scores."""
    header = set(table.header)
    return {"system", "category", "severity"} <= header and bool(header & set(_SEGMENTS)) and "score" not in header


def added_up(table: Table) -> Table:
    """The same ratings with one row a rater, system and segment; its line is that of the first error."""
    segment = next(name for name in _SEGMENTS if name in table.header)
    about = [name for name in (_RATER, "system", segment) if name in table.header]
    weights = _weights(table)
    sums: dict[tuple[str, ...], int] = {}
    lines: dict[tuple[str, ...], int] = {}
    whose = zip(*(table.cells(name) for name in about), strict=True)
    for key, error, line in zip(whose, _errors(table), table.lines, strict=True):
        sums[key] = sums.get(key, 0) + weights[error]
        lines.setdefault(key, line)
    header = (*about[:-1], segment if segment in SEGMENT_COLUMNS else "segment", MQM)
    rows = tuple((*key, repr(tenths / 10)) for key, tenths in sums.items())
    return replace(table, header=header, rows=rows, lines=tuple(lines.values()), kinds={MQM: "error"})


def _errors(table: Table) -> list[tuple[str, str]]:
    return list(zip(table.cells("severity"), table.cells("category"), strict=True))


def _weights(table: Table) -> dict[tuple[str, str], int]:
    """What each kind of error weighs: there are few kinds, and many errors."""
    errors = _errors(table)
    weights = {error: _weight(*error) for error in dict.fromkeys(errors)}
    for row, error in enumerate(errors):
        if weights[error] is None:
            raise InputError(f'{table.where(row)}: severity is one of {", ".join(WEIGHTS)}, not "{error[0]}"')
    return {error: weight for error, weight in weights.items() if weight is not None}


def _weight(severity: str, category: str) -> int | None:
    level, kind = severity.strip().lower(), category.strip().lower()
    if level in WEIGHTS and kind.startswith(("source error", "source issue")):
        return 0
    if level == "major" and kind.startswith("non-translation"):
        return NON_TRANSLATION
    if level == "minor" and kind.startswith("fluency/punctuation"):
        return PUNCTUATION
    return WEIGHTS.get(level)
