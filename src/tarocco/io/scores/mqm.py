"""MQM: a row for each error that a rater marked, as Google publishes its ratings of WMT's systems.

Columns are system, seg_id (counted from 1; globalSegId in later files), rater, category, severity and others that do
not matter. Rows of severity HOTW-test do not matter either: they tell of errors that were planted to keep raters awake.
A rater's score of a segment is what its errors weigh together, so lower is better. The weights are those of Freitag et
al. 2021. Errors of the source count nothing: the authors took them out of their scores.
"""

from __future__ import annotations

from dataclasses import replace

from tarocco.core.errors import InputError
from tarocco.io.tables import JUDGES, SEGMENT_COLUMNS, Table

MQM = "MQM"
# In tenths, so that sums are exact and equal ones are equal.
WEIGHTS = {"major": 50, "critical": 50, "minor": 10, "neutral": 0, "no-error": 0}  # critical as WMT 2024 counts it
PUNCTUATION, NON_TRANSLATION = 1, 250
PLANTED = "hotw"  # "hands on the wheel": whether the rater found an error that is not the system's


def is_mqm(table: Table) -> bool:
    """Whether the rows of a table are errors, with their categories and severities, and no scores."""
    header = set(table.header)
    return (
        {"system", "category", "severity"} <= header and bool(header & set(SEGMENT_COLUMNS)) and "score" not in header
    )


def added_up(table: Table) -> Table:
    """The same ratings with one row a rater, system and segment; its line is that of the first error."""
    about = [name for name in (*JUDGES, "system", *SEGMENT_COLUMNS) if name in table.header]
    sums: dict[tuple[str, ...], int] = {}
    lines: dict[tuple[str, ...], int] = {}
    whose = zip(*(table.cells(name) for name in about), strict=True)
    for key, tenths, line in zip(whose, _tenths(table), table.lines, strict=True):
        if tenths is not None:
            sums[key] = sums.get(key, 0) + tenths
            lines.setdefault(key, line)
    rows = tuple((*key, repr(tenths / 10)) for key, tenths in sums.items())
    return replace(table, header=(*about, MQM), rows=rows, lines=tuple(lines.values()), kinds={MQM: "error"})


def _tenths(table: Table) -> list[int | None]:
    """What each error weighs, None where it is planted: there are few kinds, and many errors."""
    errors = list(zip(table.cells("severity"), table.cells("category"), strict=True))
    known: dict[tuple[str, str], int | None] = {}
    for row, error in enumerate(errors):
        if error not in known:
            known[error] = _weight(*error, table.where(row))
    return [known[error] for error in errors]


def _weight(severity: str, category: str, where: str) -> int | None:
    level, kind = severity.strip().lower(), category.strip().lower()
    if PLANTED in level or PLANTED in kind:
        return None
    if level not in WEIGHTS:
        raise InputError(f'{where}: severity is one of {", ".join(WEIGHTS)}, not "{severity}"')
    if kind.startswith(("source error", "source issue")):
        return 0
    if level == "major" and kind.startswith("non-translation"):
        return NON_TRANSLATION
    if level == "minor" and kind.startswith("fluency/punctuation"):
        return PUNCTUATION
    return WEIGHTS[level]
