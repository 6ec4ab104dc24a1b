"""What the columns of a table of human scores say: criteria, in numbers or ordered grades, and which way is better."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Kind
from tarocco.io.files import shown
from tarocco.io.scores.mt_metrics_eval import score_file_name
from tarocco.io.tables import ABOUT, RANK, Table, column_of, near, number

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GRADES = ("S", "A", "B", "C", "D")  # 5 4 3 2 1
AVERAGE = "average"
COUNTS = re.compile("n|count|n_.+|.+_n|.+_count")  # how many judged is no judgment, unless it is asked for
USUAL = ("score", "adequacy", "fluency", RANK, "constituent")


@dataclass(frozen=True)
class Criterion:
    """The scores of one criterion, where there are any, and the rows that they stand in."""

    name: str
    kind: Kind
    rows: Integers
    values: Floats
    graded: bool = False


def criteria_of(table: Table, asked: str | None, grades: Sequence[str]) -> list[Criterion]:
    """The criterion that is asked for, or all (for their average, too); one without a single score is an error."""
    if table.headless:
        named = score_file_name(table.path)
        name = named.name if named else "score"
        of_file = [name] if asked in (None, AVERAGE, "score", name) else []
        found = [_criterion(table, "score", name, np.arange(len(table.rows)), grades) for name in of_file]
    elif "criterion" in table.header:
        names = np.array(table.cells("criterion"))
        score = _score_column(table)
        found = [
            _criterion(table, score, str(name), np.flatnonzero(names == name), grades)
            for name in dict.fromkeys(names.tolist())
            if asked in (None, AVERAGE, name)
        ]
    else:
        every = np.arange(len(table.rows))
        own = None if asked is None else column_of(table, asked)
        if own is not None:
            columns = [own]
        else:
            columns = [name for name in table.header if name not in ABOUT and not COUNTS.fullmatch(name)]
            columns = [name for name in columns if name in USUAL or holds_scores(table, name, grades)]
            columns = ["score"] if "score" in columns else columns
            columns = columns if asked in (None, AVERAGE) else [name for name in columns if name == asked]
        found = [_criterion(table, name, name, every, grades) for name in columns]
    if not found and asked is not None:
        others = dict.fromkeys(table.cells("criterion") if "criterion" in table.header else table.header)
        choices = [name for name in others if name not in ABOUT]
        raise InputError(f'{shown(table.path)} has no criterion "{asked}" ({near(asked, choices)})')
    if not found:
        raise InputError(
            f"{shown(table.path)}, line 1: a column called score or columns of numbers are wanted, "
            f"found {', '.join(table.header)}"
        )
    return found


def _score_column(table: Table) -> str:
    if "score" in table.header:
        return "score"
    numbers = table.number_columns(besides=ABOUT)
    if len(numbers) != 1:
        raise InputError(
            f"{shown(table.path)}, line 1: a column called score is wanted beside criterion, "
            f"found {', '.join(table.header)}"
        )
    return numbers[0]


def holds_scores(table: Table, column: str, grades: Sequence[str] = ()) -> bool:
    """Whether most cells of a column that say something are numbers or grades: the others are then mistakes."""
    graded, numbers, others = _census(Counter(table.cells(column)), grades)
    return graded + numbers > others


def _census(cells: Counter[str], grades: Sequence[str]) -> tuple[int, int, int]:
    """How many cells are grades, numbers and something else; missing ones are none of these."""
    graded = numbers = others = 0
    for cell, count in cells.items():
        value = number(cell)
        if cell.strip() in grades:
            graded += count
        elif value is None:
            others += count
        elif value == value:
            numbers += count
    return graded, numbers, others


def _criterion(table: Table, column: str, name: str, rows: Integers, grades: Sequence[str]) -> Criterion:
    at = table.places[column]
    cells = [table.rows[row][at] for row in rows.tolist()]
    different = Counter(cells)  # scores are few, their rows many
    graded, numbers, _ = _census(different, grades)
    is_graded = 0 < graded >= numbers
    known = {cell: _grade(cell, grades) if is_graded else number(cell) for cell in different}
    if None in known.values():
        wrong = next(place for place, cell in enumerate(cells) if known[cell] is None)
        wanted = f"one of {', '.join(grades)}" if is_graded else "a number"
        raise InputError(f'{table.where(rows[wrong])}: {column} is {wanted}, not "{cells[wrong]}"')
    values = np.array([known[cell] for cell in cells], np.float64)
    there = ~np.isnan(values)
    if not there.any():
        raise InputError(f"{shown(table.path)}: all scores of {name} are missing")
    kind = table.kinds.get(column) or table.kinds.get("") or ("error" if RANK in (name, column) else "similarity")
    return Criterion(name, "error" if kind == "error" else "similarity", rows[there], values[there], is_graded)


def _grade(cell: str, grades: Sequence[str]) -> float | None:
    """A grade as a number, the last one is 1; NaN where it is missing, None where it is something else."""
    if cell.strip() in grades:
        return float(len(grades) - grades.index(cell.strip()))
    value = number(cell)
    return None if value == value else value
