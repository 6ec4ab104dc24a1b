"""Rankings: a judge puts several systems in order for a segment. Lower is better, and ties are allowed.

They come as rows of (judge, segment, system, rank), or as a wide table: one row a judge and segment, a column a system.
Scores may come in wide tables, too; they are told apart by their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.io.files import shown
from tarocco.io.scores.criteria import USUAL, holds_scores
from tarocco.io.tables import ABOUT, JUDGES, RANK, SEGMENT_COLUMNS, Table, number

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_PAIRS = 20_000_000  # of systems in the same ranking: a ranking of n has n * n / 2


@dataclass(frozen=True)
class Ranks:
    """Systems in the order of judges, lower is better: each rank with its row in the table and what it is about."""

    table: Table
    rows: Integers
    judges: Integers
    segments: Integers
    systems: Integers
    ranks: Floats


def is_wide(table: Table, systems: Sequence[str] | None, grades: Sequence[str]) -> bool:
    """Whether a table has a column a system, not a criterion."""
    usual = {"system", "reference", *USUAL} & {name.lower() for name in table.header}
    if usual or not set(SEGMENT_COLUMNS) & set(table.header):
        return False
    columns = _columns(table, systems, grades)
    return len(columns) > 1 if systems is None else bool(set(columns) & set(systems))


def unfolded(table: Table, systems: Sequence[str] | None, grades: Sequence[str]) -> Table:
    """A wide table with one row a judge, segment and system, and a column `rank` or `score`.

    Ranks are by judges, and whole numbers from 1 to the number of systems; everything else is a score.
    """
    columns = _columns(table, systems, grades)
    kinds = {table.kinds.get(name, "") for name in columns}
    if len(kinds) > 1:
        raise InputError(f"{shown(table.path)}, line 1: some columns are of errors, and some are not")
    about = [name for name in table.header if name in (*JUDGES, *SEGMENT_COLUMNS, "criterion")]
    places, own = ([table.places[name] for name in names] for names in (about, columns))
    ranked = bool(set(JUDGES) & set(table.header)) and kinds == {""} and _are_ranks(table, own)
    rows, lines = [], []
    for row, cells in enumerate(table.rows):
        there = [(system, cells[at]) for system, at in zip(columns, own, strict=True) if not _is_missing(cells[at])]
        if ranked and len(there) < 2:
            raise InputError(_too_few(table, row, len(there)))
        rows += [(*(cells[place] for place in places), *one) for one in there]
        lines += [table.lines[row]] * len(there)
    header = (*about, "system", RANK if ranked else "score")
    kind = {"score": kinds.pop()} if kinds != {""} else {}
    return replace(table, header=header, rows=tuple(rows), lines=tuple(lines), kinds={**table.kinds, **kind})


def _are_ranks(table: Table, columns: Sequence[int]) -> bool:
    """Whether the cells of these columns are whole numbers from 1 to their number, as far as they are not missing."""
    different = {cells[at] for cells in table.rows for at in columns}
    values = [number(cell) for cell in different if not _is_missing(cell)]
    return all(value is not None and value.is_integer() and 1 <= value <= len(columns) for value in values)


def _is_missing(cell: str) -> bool:
    value = number(cell)
    return value is not None and value != value


def win_shares(given: Ranks) -> Floats:
    """For each rank the share of the other systems in the same ranking that are worse; ties count half."""
    ranking, sizes = _rankings(given)
    order = np.lexsort((given.ranks, ranking))
    new = np.ones(len(order), np.bool_)  # whether the next in order is worse than the one before, or in another ranking
    new[1:] = (np.diff(ranking[order]) != 0) | (np.diff(given.ranks[order]) != 0)
    tied = np.cumsum(new) - 1  # which run of equal ranks each one is in
    starts = np.append(np.flatnonzero(new), len(order))
    better = starts[:-1][tied] - (np.cumsum(sizes) - sizes)[ranking[order]]
    equal = np.diff(starts)[tied] - 1
    others = sizes[ranking[order]] - 1
    shares = np.empty(len(order))
    shares[order] = (others - better - equal / 2) / others
    return shares


def compared(given: Ranks) -> Integers:
    """All pairs in the same ranking: (judge, segment, better system, other one, 1), or 0 where they are tied."""
    ranking, sizes = _rankings(given)
    order = np.lexsort((given.systems, given.ranks, ranking))
    starts = np.cumsum(sizes) - sizes
    if int((sizes * (sizes - 1) // 2).sum()) > MOST_PAIRS:
        raise InputError(
            f"{shown(given.table.path)}: {len(sizes)} rankings of up to {sizes.max()} systems have more than "
            f"{MOST_PAIRS} pairs"
        )
    found = []
    for size in np.unique(sizes).tolist():
        first, second = np.triu_indices(size, 1)
        of_size = starts[sizes == size][:, None]
        above, below = order[of_size + first].ravel(), order[of_size + second].ravel()
        better = (given.ranks[above] != given.ranks[below]).astype(np.int64)
        both = given.systems[above], given.systems[below]
        found.append(np.stack([given.judges[above], given.segments[above], *both, better], axis=1))
    pairs = np.concatenate(found)
    in_order: Integers = pairs[np.lexsort(pairs.T[[3, 2, 0, 1]])]
    return in_order


def _columns(table: Table, systems: Sequence[str] | None, grades: Sequence[str]) -> list[str]:
    """The columns of a wide table that are systems: those of the run, and all others of numbers or grades."""
    others = [name for name in table.header if name not in ABOUT]
    known = set(systems or ())
    return [name for name in others if name in known or holds_scores(table, name, grades)]


def _rankings(given: Ranks) -> tuple[Integers, Integers]:
    """The number of each rank's ranking, from 0, and the sizes of rankings; InputError where one has but one system."""
    key = given.judges * (given.segments.max() + 1) + given.segments
    _, first, ranking, sizes = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise InputError(_too_few(given.table, int(given.rows[first[sizes < 2].min()]), 1))
    return ranking, sizes


def _too_few(table: Table, row: int, found: int) -> str:
    return f"{table.where(row)}: a ranking has two systems or more, found {found}"
