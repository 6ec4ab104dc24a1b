"""Which row of a table of scores is about which system and segment, and whether all that is wanted is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tarocco.errors import InputError
from tarocco.read.columns import SEGMENT_COLUMNS
from tarocco.read.tables import Table, near, number

MOST_SEGMENTS = 1_000_000  # where nobody says how many there are: a slip of the pen is not to take all memory
_LISTED = 6


def is_by_segment(table: Table) -> bool:
    """mt-metrics-eval has a line a segment and system in .seg.score, a line a system in .sys.score."""
    if ".sys.score" in Path(table.path).name:
        return False
    systems = table.cells("system")
    return ".seg.score" in Path(table.path).name or len(set(systems)) < len(systems)


def rows_in_order(table: Table, systems: Sequence[str], n: int | None) -> dict[str, list[int]]:
    """Without a column for segments, the lines of a system are its segments in order; None: as many as the first."""
    names = table.cells("system")
    refuse_uncovered(table.path, systems, names)
    by_system: dict[str, list[int]] = {system: [] for system in systems}
    for row, name in enumerate(names):
        if name in by_system:
            by_system[name].append(row)
    for system, rows in by_system.items():
        n = len(rows) if n is None else n
        if len(rows) != n:
            raise InputError(f'{table.path}: {n} segments are scored, but system "{system}" has {len(rows)} lines')
    return by_system


def segments_of(table: Table, rows: Iterable[int], n: int | None) -> dict[int, int]:
    """The segment of each row, counted from 0; `n` is how many segments there are, None where that is not known."""
    columns = [name for name in SEGMENT_COLUMNS if name in table.header]
    if len(columns) != 1:
        raise InputError(f"{table.path}, line 1: one column called segment or segment0 is wanted, not {len(columns)}")
    column, least = columns[0], 1 if columns == ["segment"] else 0
    cells = table.cells(column)
    values = {cell: number(cell) for cell in set(cells)}
    found: dict[int, int] = {}
    beyond: dict[int, int] = {}  # segment that does not exist -> the first row with it
    for row in rows:
        value = values[cells[row]]
        if value is None or not value.is_integer():
            raise InputError(f'{table.where(row)}: {column} is a whole number, not "{cells[row]}"')
        if not least <= value < least + (MOST_SEGMENTS if n is None else n):
            beyond.setdefault(int(value), row)
        found[row] = int(value) - least
    if beyond:
        first, *others = beyond
        if n is not None:
            known = f"this test set has {least} to {least + n - 1}"
        elif first < least:
            known = f"the first one is {least}"
        else:
            known = f"there may be {MOST_SEGMENTS} where their number is not given"
        also = f"; so {'is' if len(others) == 1 else 'are'} {listed(map(str, others))}" if others else ""
        hint = "; call the column segment0 if it counts from 0" if column == "segment" and 0 in beyond else ""
        raise InputError(f"{table.where(beyond[first])}: {column} {first:.15g} is out of range, {known}{also}{hint}")
    return found


def wanted_once(table: Table, keys: Mapping[int, tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    """The row of each key, which is names and perhaps a segment; the same key twice is an error."""
    rows: dict[tuple[Any, ...], int] = {}
    for row, key in keys.items():
        if key in rows:
            what = ", ".join(part if isinstance(part, str) else f"segment {part + 1}" for part in key)
            raise InputError(
                f"{table.where(row)}: there is a second score of {what}, the first is in line {table.lines[rows[key]]}"
            )
        rows[key] = row
    return rows


def refuse_uncovered(where: str, wanted: Sequence[str], there: Sequence[str], what: str = "system") -> None:
    """InputError that lists those who have no scores."""
    sentence = uncovered(wanted, there, what)
    if sentence:
        raise InputError(f"{where}: {sentence}")


def uncovered(wanted: Sequence[str], there: Sequence[str], what: str = "system") -> str:
    """Who has no scores, in words; nothing where all have."""
    known = dict.fromkeys(there)
    missing = [name for name in wanted if name not in known]
    if not missing:
        return ""
    names = listed(f'"{name}"' for name in missing)
    return f"there are no scores of {what}{'s' if len(missing) > 1 else ''} {names} ({near(missing[0], known)})"


def listed(names: Iterable[str]) -> str:
    """The first few of some names, and how many there are where that is not all."""
    every = list(names)
    return ", ".join(every[:_LISTED]) + (f", ... ({len(every)} in all)" if len(every) > _LISTED else "")
