"""Human scores: what tables of them mean, several judges as one, and the average of several criteria.

A table has a column `system` (or `reference`, where people judged references) and for scores of segments `segment` or
`segment0`. A column `score` holds the scores; without it every column of numbers or ordered grades is a criterion, or,
where there is a column `criterion`, its cells name them. `rank` and columns called NAME:error are better when lower. A
column `judge` (annotator, rater, judgement) says who judged. Ranks of judges are rankings; wide tables have a column a
system, see rankings.py; tables of errors are MQM, see mqm.py; mt-metrics-eval's files have no header, see
mt_metrics_eval.py. Columns are known in any case, see columns.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import HumanScores, Kind
from tarocco.io.files import shown
from tarocco.io.scores.criteria import AVERAGE, GRADES, Criterion, criteria_of
from tarocco.io.scores.external import (
    is_by_segment,
    listed,
    refuse_uncovered,
    rows_in_order,
    segments_of,
    wanted_once,
)
from tarocco.io.scores.mqm import added_up, is_mqm
from tarocco.io.scores.mt_metrics_eval import human_paths, refuse_folder
from tarocco.io.scores.rankings import Ranks, compared, is_wide, unfolded, win_shares
from tarocco.io.tables import JUDGES, RANK, SEGMENT_COLUMNS, Table, near, read_scores

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Judges = Literal["median", "mean"]

_SUBJECTS = ("system", "reference")

MOST_CELLS = 20_000_000  # of systems and segments, where few of them have scores


@dataclass(frozen=True)
class HumanFile:
    """Where human scores are, and how they are to be read: what `read_human` takes."""

    path: str
    column: str | None = None
    judges: Judges | None = None
    grades: tuple[str, ...] | str = GRADES
    as_rankings: bool = False

    def read(self, systems: Sequence[str] | None, n_segments: int | None) -> HumanScores:
        """The scores of those systems that people judged, or of all in the file."""
        return read_human(
            self.path,
            self.column,
            systems,
            n_segments,
            judges=self.judges,
            grades=self.grades,
            as_rankings=self.as_rankings,
            shared_only=True,
        )


@dataclass(frozen=True)
class _Rows:
    """Who judged what in which row of a table: places in `judges` and `systems`, and segments from 0."""

    table: Table
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    level: Literal["segment", "system"]
    judge: Integers
    system: Integers
    segment: Integers
    n_segments: int

    def about(self, row: int) -> tuple[str | int, ...]:
        """The row in words."""
        judge = (f"judge {self.judges[self.judge[row]]}",) if self.judges else ()
        segment = (int(self.segment[row]),) if self.level == "segment" else ()
        return (*judge, self.systems[self.system[row]], *segment)


def read_human(
    path: str | os.PathLike[str],
    column: str | None = None,
    systems: Sequence[str] | None = None,
    n_segments: int | None = None,
    *,
    judges: Judges | None = None,
    grades: Sequence[str] | str = GRADES,
    as_rankings: bool = False,
    shared_only: bool = False,
) -> HumanScores:
    """Read what people say of systems: a table of scores, grades, rankings or MQM errors, or a file of mt-metrics-eval.

    Parameters
    ----------
    path
        TSV, CSV or JSON lines, compressed or not, or .seg.score and .sys.score.
    column
        The one criterion that is wanted; "average" is that of all.
    systems, n_segments
        The systems that are wanted, in this order, and how many segments there are; by default what is in the file.
    judges
        How the scores of several judges become one: their "median" or "mean"; by default the median, and for MQM the
        mean.
    grades
        The order of grades, best first, as a list or as words with spaces between them; the last one is 1.
    as_rankings
        Take each judge's scores of a segment as an order alone: they become win shares, as ranks do.
    shared_only
        Leave out systems that only the file or only `systems` has, in place of refusing them. Those of the file are
        named by `unknown`; where none is shared, `systems` is empty.

    Raises
    ------
    InputError
        If something in the file is wrong or does not fit, with its line; unknown systems and segments are listed.

    Example
    -------
    >>> import tarocco
    >>> from pathlib import Path
    >>> file = Path(tarocco.__file__).parent / "data" / "demo" / "grades.tsv"
    >>> human = tarocco.read_human(file, systems=["careful", "brief"], shared_only=True)
    >>> {name: scores.mean(axis=1).round(2).tolist() for name, scores in human.criteria.items()}
    {'adequacy': [4.88, 2.42], 'fluency': [4.97, 5.0], 'average': [4.92, 3.71]}
    """
    path = os.fspath(path)
    if judges not in (None, "median", "mean"):
        raise BadParameter(f'judges are reduced by median or mean, not "{judges}"')
    grades = grades.split() if isinstance(grades, str) else grades
    if len(set(grades)) != len(grades):
        raise BadParameter(f"grades are there twice: {', '.join(grades)}")
    refuse_folder(path)
    table = read_scores(path)
    origin = [("file", Path(path).name), ("sha256", table.digest)]
    if column is not None:
        origin.insert(1, ("column", column))
    wide = is_wide(table, systems, grades)
    if wide:
        table = unfolded(table, systems, grades)
    elif is_mqm(table):
        table, judges = added_up(table), judges or "mean"
        origin.append(("scores", "mqm"))
    judges = judges or "median"
    rows = _rows(table, systems, n_segments, shared_only)
    criteria = criteria_of(table, column, grades)
    for criterion in criteria:
        _refuse_twice(rows, criterion)
    by_rank = wide and RANK in table.header
    ranked = as_rankings or by_rank or (rows.judges and [one.name for one in criteria] == [RANK])
    comparisons = None
    if ranked:
        if len(criteria) == 1:
            comparisons = compared(_ranks(rows, criteria[0]))
        criteria = [_shares(rows, criterion) for criterion in criteria]
        origin.append(("scores", "win-share"))
    if any(criterion.graded for criterion in criteria):
        origin.append(("grades", ">".join(grades)))
    if len(rows.judges) > 1:
        origin.append(("judges", judges))
    scores = {one.name: _reduced(rows, one, judges) for one in criteria}
    kinds: dict[str, Kind] = {one.name: one.kind for one in criteria}
    human = HumanScores(scores, kinds, rows.systems, rows.level, max(1, len(rows.judges)), tuple(origin), comparisons)
    if column in (None, AVERAGE) and AVERAGE not in scores:
        human = _with_average(human, shown(path), alone=column == AVERAGE)
    return _of_systems(human, shown(path), systems, shared_only)


def read_human_folder(
    folder: str,
    language_pair: str,
    level: Literal["seg", "sys"] = "seg",
    systems: Sequence[str] | None = None,
    n_segments: int | None = None,
    *,
    shared_only: bool = False,
) -> HumanScores:
    """All human scores of a language pair in a folder of mt-metrics-eval, each a criterion; they have no average."""
    criteria: dict[str, HumanScores] = {}
    for name, path in human_paths(folder, language_pair, level).items():
        criteria[name] = read_human(path, n_segments=n_segments)
        if level == "seg":  # the other files have as many as the first
            n_segments = criteria[name].criteria[name].shape[1]
    found = tuple(dict.fromkeys(system for human in criteria.values() for system in human.systems))
    if systems is not None and not shared_only:
        _refuse_unknown(f"{folder}, {language_pair}", found, systems, "system")
    scores = {}
    for name, human in criteria.items():
        own = human.criteria[name]
        scores[name] = np.full((len(found), *own.shape[1:]), np.nan)
        scores[name][_places(human.systems, found)] = own
    origin = tuple(part for human in criteria.values() for part in human.origin)
    kinds: dict[str, Kind] = dict.fromkeys(criteria, "similarity")
    merged = HumanScores(scores, kinds, found, "system" if level == "sys" else "segment", 1, origin)
    return _of_systems(merged, folder, systems, shared_only)


# --- rows ----------------------------------------------------------------------------------------------------------


def _rows(table: Table, systems: Sequence[str] | None, n: int | None, shared_only: bool) -> _Rows:
    subject = next((name for name in _SUBJECTS if name in table.header), None)
    if subject is None:
        raise InputError(
            f"{shown(table.path)}, line 1: a column called system is wanted, found {', '.join(table.header)}"
        )
    if not table.rows:
        raise InputError(f"{shown(table.path)}: there are no scores in this file")
    names = table.cells(subject)
    found = tuple(dict.fromkeys(names))
    if systems is not None and not shared_only:
        known = set(systems)
        first = next((row for row, name in enumerate(names) if name not in known), 0)
        _refuse_unknown(table.where(first), names, systems, subject)
        refuse_uncovered(shown(table.path), systems, found, subject)
    level: Literal["segment", "system"] = "segment"
    if table.headless and is_by_segment(table):
        in_order = rows_in_order(table, found, n)
        n = len(in_order[found[0]]) if n is None else n
        segments = {row: segment for rows in in_order.values() for segment, row in enumerate(rows)}
    elif set(SEGMENT_COLUMNS) & set(table.header):
        segments = segments_of(table, range(len(names)), n)
    else:
        level, n, segments = "system", 1, dict.fromkeys(range(len(names)), 0)
    segment = np.array([segments[row] for row in range(len(names))], np.int64)
    judge_column = next((name for name in JUDGES if name in table.header), None)
    by_judge = table.cells(judge_column) if judge_column else []
    judges = tuple(dict.fromkeys(by_judge))
    judge = _places(by_judge, judges) if judges else np.zeros(len(names), np.int64)
    n_segments = int(segment.max()) + 1 if n is None else n
    if len(found) * n_segments > max(MOST_CELLS, 1000 * len(names)):
        raise InputError(
            f"{shown(table.path)}: {len(names)} scores of {len(found)} systems are too few for {n_segments} segments"
        )
    return _Rows(table, judges, found, level, judge, _places(names, found), segment, n_segments)


def _places(names: Sequence[str], distinct: Sequence[str]) -> Integers:
    place = {name: at for at, name in enumerate(distinct)}
    return np.array([place[name] for name in names], np.int64)


def _refuse_unknown(where: str, names: Sequence[str], known: Sequence[str], subject: str) -> None:
    those = set(known)
    unknown = [name for name in dict.fromkeys(names) if name not in those]
    if unknown:
        many = "s" if len(unknown) > 1 else ""
        quoted = listed(f'"{name}"' for name in unknown)
        raise InputError(
            f"{where}: there are human scores of unknown {subject}{many} {quoted} ({near(unknown[0], known)})"
        )


def _refuse_twice(rows: _Rows, criterion: Criterion) -> None:
    """InputError where a judge has two scores for the same system and segment."""
    at = criterion.rows
    key = (rows.judge[at] * len(rows.systems) + rows.system[at]) * rows.n_segments + rows.segment[at]
    if len(np.unique(key)) < len(key):  # only now is it worth to put rows into words
        wanted_once(rows.table, {row: (*rows.about(row), criterion.name) for row in at.tolist()})


# --- judges, rankings, the average ---------------------------------------------------------------------------------


def _ranks(rows: _Rows, criterion: Criterion) -> Ranks:
    at = criterion.rows
    lower_is_better = criterion.values if criterion.kind == "error" else -criterion.values
    return Ranks(rows.table, at, rows.judge[at], rows.segment[at], rows.system[at], lower_is_better)


def _shares(rows: _Rows, criterion: Criterion) -> Criterion:
    return Criterion(
        criterion.name, "similarity", criterion.rows, win_shares(_ranks(rows, criterion)), criterion.graded
    )


def _reduced(rows: _Rows, criterion: Criterion, judges: Judges) -> Floats:
    """One number for each system and segment, NaN where there is none."""
    cell = rows.system[criterion.rows] * rows.n_segments + rows.segment[criterion.rows]
    order = np.lexsort((criterion.values, cell))
    values, cell = criterion.values[order], cell[order]
    cells, first, count = np.unique(cell, return_index=True, return_counts=True)
    if judges == "mean":
        scale = 2.0 ** int(count.max()).bit_length()  # digits stay as they are, and sums of huge numbers finite
        reduced = np.add.reduceat(values / scale, first) / count * scale
    else:
        reduced = values[first + (count - 1) // 2] / 2 + values[first + count // 2] / 2
    scores = np.full(len(rows.systems) * rows.n_segments, np.nan)
    scores[cells] = reduced
    return scores.reshape(-1, rows.n_segments) if rows.level == "segment" else scores


def _with_average(human: HumanScores, where: str, alone: bool) -> HumanScores:
    """One more criterion where there are several: their mean, higher is better, NaN where one of them is missing."""
    if len(human.criteria) < 2 and not alone:
        return human
    scale = 2.0 ** len(human.criteria).bit_length()
    average = np.mean([human.higher_is_better(name) / scale for name in human.criteria], axis=0) * scale
    if np.isnan(average).all():
        if alone:
            raise InputError(f"{where}: there is no average, as no system or segment has scores of all criteria")
        return human
    before: Mapping[str, Floats] = {} if alone else human.criteria
    criteria = {**before, AVERAGE: average}
    kinds: dict[str, Kind] = {name: human.kinds.get(name, "similarity") for name in criteria}
    return replace(human, criteria=criteria, kinds=kinds)


def _of_systems(human: HumanScores, where: str, wanted: Sequence[str] | None, shared_only: bool) -> HumanScores:
    """The scores of these systems in their order, or of all that were judged."""
    judged = np.logical_or.reduce(
        [~np.isnan(scores.reshape(len(human.systems), -1)) for scores in human.criteria.values()]
    )
    with_scores = [name for name, own in zip(human.systems, judged.any(axis=1), strict=True) if own]
    if wanted is None:
        wanted = with_scores
    elif shared_only:
        there = set(with_scores)
        wanted = [name for name in wanted if name in there]
    else:
        refuse_uncovered(where, wanted, with_scores)
    asked = set(wanted)
    unknown = tuple(name for name in with_scores if name not in asked)
    places = _places(wanted, human.systems).tolist()
    comparisons = human.comparisons
    if comparisons is not None:
        moved = np.full(len(human.systems), -1)
        moved[places] = range(len(places))
        comparisons = comparisons.copy()
        comparisons[:, 2:4] = moved[comparisons[:, 2:4]]
        comparisons = comparisons[(comparisons[:, 2:4] >= 0).all(axis=1)]
    criteria = {name: scores[places] for name, scores in human.criteria.items()}
    return replace(human, criteria=criteria, systems=tuple(wanted), comparisons=comparisons, unknown=unknown)
