"""Human scores: tables of scores, grades, rankings or MQM errors; several judges reduced to one; averages of criteria.

A table has a column `system` (or `reference`, if references were judged) and, for scores of segments, `segment` or
`segment0`. A column `score` has the scores. Without it, every column of numbers or ordered grades is a criterion, or a
column `criterion` names the criteria. For `rank` and columns called NAME:error, lower is better. A column `judge`
(annotator, rater, judgement) names the judge.

In a ranking, a judge orders several systems for a segment; lower is better, and ties are allowed. Rankings are rows of
(judge, segment, system, rank), or a wide table with one row per judge and segment and one column per system. A wide
table can hold scores, too; the numbers decide. See mqm.py for tables of errors and mt_metrics_eval.py for files without
a header.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import HumanScores, Kind, RaterScores, select_others
from tarocco.io.files import display_name
from tarocco.io.scores.mqm import is_mqm, sum_errors
from tarocco.io.scores.mt_metrics_eval import find_human_files, parse_score_path, refuse_folder
from tarocco.io.tables import (
    JUDGES,
    KEY_COLUMNS,
    RANK,
    SEGMENT_COLUMNS,
    TextTable,
    find_column,
    index_rows,
    is_by_segment,
    join_names,
    parse_number,
    parse_segments,
    read_score_table,
    require_scores_of,
    rows_by_system,
    suggest_names,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Judges = Literal["median", "mean"]
SourceErrors = Literal["all", "no-source"]

GRADES = ("S", "A", "B", "C", "D")  # 5 4 3 2 1
AVERAGE = "average"
MAX_CELLS = 20_000_000  # systems times segments, if few of them have scores
MAX_PAIRS = 20_000_000  # of systems in the same ranking: a ranking of n systems has n (n - 1) / 2
_COUNTS = re.compile("n|count|n_.+|.+_n|.+_count")  # numbers of judges are not criteria unless they are selected
_USUAL_CRITERIA = ("score", "adequacy", "fluency", RANK, "constituent")


@dataclass(frozen=True)
class HumanFile:
    """A file of human scores and the options of `read_human`."""

    path: str
    column: str | None = None
    judges: Judges | None = None
    grades: tuple[str, ...] | str = GRADES
    as_rankings: bool = False
    mqm: SourceErrors | None = None

    def read(self, systems: Sequence[str] | None, n_segments: int | None) -> HumanScores:
        """Read the scores of those systems that were judged, or of all systems in the file."""
        return read_human(
            self.path,
            self.column,
            systems,
            n_segments,
            judges=self.judges,
            grades=self.grades,
            as_rankings=self.as_rankings,
            mqm=self.mqm,
            shared_only=True,
        )


def read_human(
    path: str | os.PathLike[str],
    column: str | None = None,
    systems: Sequence[str] | None = None,
    n_segments: int | None = None,
    *,
    judges: Judges | None = None,
    grades: Sequence[str] | str = GRADES,
    as_rankings: bool = False,
    mqm: SourceErrors | None = None,
    shared_only: bool = False,
) -> HumanScores:
    """Read human scores of systems from a table of scores, grades, rankings or MQM errors.

    Parameters
    ----------
    path
        A TSV, CSV or JSON lines file, compressed or not, or a .seg.score or .sys.score file of mt-metrics-eval.
    column
        The criterion to read; "average" is the mean of all. By default all criteria.
    systems, n_segments
        The systems to read, in this order, and the number of segments. By default those in the file.
    judges
        How to reduce the scores of several judges to one: "median" (the default) or "mean" (the default for MQM).
    grades
        The order of grades, best first, as a list or separated by spaces; the last one counts 1.
    as_rankings
        Use only the order of each judge's scores of a segment: they become win shares, as ranks do.
    mqm
        Whether MQM errors in the source count like any other ("all", the default) or not at all ("no-source").
    shared_only
        Ignore systems that only the file or only `systems` has, instead of raising an error. `unknown` in the result
        names those of the file; if no system is shared, `systems` in the result is empty.

    Raises
    ------
    InputError
        If the file is malformed or does not fit the systems and segments; the message has the line.

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
        raise BadParameter(f'judges: expected median or mean, found "{judges}"')
    if mqm not in (None, "all", "no-source"):
        raise BadParameter(f'mqm: expected all or no-source, found "{mqm}"')
    grades = grades.split() if isinstance(grades, str) else grades
    if len(set(grades)) != len(grades):
        raise BadParameter(f"grades: expected each grade once, found {', '.join(grades)}")
    refuse_folder(path)
    table = read_score_table(path)
    origin = [("file", Path(path).name), ("sha256", table.digest)]
    if column is not None:
        origin.insert(1, ("column", column))
    wide = _is_wide(table, systems, grades)
    if wide:
        table = _unfold(table, systems, grades)
    elif is_mqm(table):
        table, judges = sum_errors(table, source_errors=mqm != "no-source"), judges or "mean"
        origin.append(("scores", "mqm-no-source" if mqm == "no-source" else "mqm"))
    judges = judges or "median"
    rows = _index_judgments(table, systems, n_segments, shared_only)
    criteria = _read_criteria(table, column, grades)
    for criterion in criteria:
        _refuse_duplicates(rows, criterion)
    by_rank = wide and RANK in table.header
    ranked = as_rankings or by_rank or (rows.judges and [criterion.name for criterion in criteria] == [RANK])
    comparisons = None
    if ranked:
        if len(criteria) == 1:
            comparisons = _compare_pairs(_rank(rows, criteria[0]))
        criteria = [
            replace(criterion, kind="similarity", values=_win_shares(_rank(rows, criterion))) for criterion in criteria
        ]
        origin.append(("scores", "win-share"))
    if any(criterion.graded for criterion in criteria):
        origin.append(("grades", ">".join(grades)))
    if len(rows.judges) > 1:
        origin.append(("judges", judges))
    scores = {criterion.name: _reduce_judges(rows, criterion, judges) for criterion in criteria}
    kinds: dict[str, Kind] = {criterion.name: criterion.kind for criterion in criteria}
    human = HumanScores(scores, kinds, rows.systems, rows.level, max(1, len(rows.judges)), tuple(origin), comparisons)
    if len(rows.judges) > 1 and rows.level == "segment":
        human = replace(human, ratings={criterion.name: _keep_raters(rows, criterion) for criterion in criteria})
    if column in (None, AVERAGE) and AVERAGE not in scores:
        human = _add_average(human, display_name(path), alone=column == AVERAGE)
    return _select_systems(human, display_name(path), systems, shared_only)


def read_human_folder(
    folder: str,
    language_pair: str,
    level: Literal["seg", "sys"] = "seg",
    systems: Sequence[str] | None = None,
    n_segments: int | None = None,
    *,
    shared_only: bool = False,
) -> HumanScores:
    """Read all human scores of a language pair in a folder of mt-metrics-eval, one criterion per file, no average."""
    criteria: dict[str, HumanScores] = {}
    for name, path in find_human_files(folder, language_pair, level).items():
        criteria[name] = read_human(path, n_segments=n_segments)
        if level == "seg":  # all files must have as many segments as the first
            n_segments = criteria[name].criteria[name].shape[1]
    judged = tuple(dict.fromkeys(system for human in criteria.values() for system in human.systems))
    if systems is not None and not shared_only:
        _refuse_unknown(f"{folder}, {language_pair}", judged, systems, "system")
    scores = {}
    for name, human in criteria.items():
        values = human.criteria[name]
        scores[name] = np.full((len(judged), *values.shape[1:]), np.nan)
        scores[name][_indices(human.systems, judged)] = values
    origin = tuple(part for human in criteria.values() for part in human.origin)
    kinds: dict[str, Kind] = dict.fromkeys(criteria, "similarity")
    merged = HumanScores(scores, kinds, judged, "system" if level == "sys" else "segment", 1, origin)
    return _select_systems(merged, folder, systems, shared_only)


# --- rows ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Judgments:
    """Judge, system and segment of each row of a table, as indices."""

    table: TextTable
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    level: Literal["segment", "system"]
    judge: Integers
    system: Integers
    segment: Integers
    n_segments: int

    def key(self, row: int) -> tuple[str | int, ...]:
        """Return the judge, system and segment of a row for messages."""
        judge = (f"judge {self.judges[self.judge[row]]}",) if self.judges else ()
        segment = (int(self.segment[row]),) if self.level == "segment" else ()
        return (*judge, self.systems[self.system[row]], *segment)


def _index_judgments(
    table: TextTable, systems: Sequence[str] | None, n_segments: int | None, shared_only: bool
) -> _Judgments:
    subject = next((name for name in ("system", "reference") if name in table.header), None)
    path = display_name(table.path)
    if subject is None:
        raise InputError(f"{path}, line 1: expected a column system, found {', '.join(table.header)}")
    if not table.rows:
        raise InputError(f"{path}: expected scores, found none")
    names = table.cells(subject)
    judged = tuple(dict.fromkeys(names))
    if systems is not None and not shared_only:
        known = set(systems)
        first = next((row for row, name in enumerate(names) if name not in known), 0)
        _refuse_unknown(table.where(first), names, systems, subject)
        require_scores_of(path, systems, judged, subject)
    level: Literal["segment", "system"] = "segment"
    if table.headless and is_by_segment(table):
        in_order = rows_by_system(table, judged, n_segments)
        n_segments = len(in_order[judged[0]]) if n_segments is None else n_segments
        segments = {row: segment for rows in in_order.values() for segment, row in enumerate(rows)}
    elif set(SEGMENT_COLUMNS) & set(table.header):
        segments = parse_segments(table, range(len(names)), n_segments)
    else:
        level, n_segments, segments = "system", 1, dict.fromkeys(range(len(names)), 0)
    segment = np.array([segments[row] for row in range(len(names))], np.int64)
    judge_column = next((name for name in JUDGES if name in table.header), None)
    by_judge = table.cells(judge_column) if judge_column else []
    judges = tuple(dict.fromkeys(by_judge))
    judge = _indices(by_judge, judges) if judges else np.zeros(len(names), np.int64)
    n_segments = int(segment.max()) + 1 if n_segments is None else n_segments
    if len(judged) * n_segments > max(MAX_CELLS, 1000 * len(names)):
        raise InputError(
            f"{path}: expected scores of most systems and segments, found {len(names)} scores of {len(judged)} systems "
            f"and {n_segments} segments"
        )
    return _Judgments(table, judges, judged, level, judge, _indices(names, judged), segment, n_segments)


def _indices(names: Sequence[str], distinct: Sequence[str]) -> Integers:
    index = {name: at for at, name in enumerate(distinct)}
    return np.array([index[name] for name in names], np.int64)


def _refuse_unknown(where: str, names: Sequence[str], known: Sequence[str], subject: str) -> None:
    known_names = set(known)
    unknown = [name for name in dict.fromkeys(names) if name not in known_names]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        quoted = join_names(f'"{name}"' for name in unknown)
        hint = suggest_names(unknown[0], known)
        raise InputError(f"{where}: there are human scores of unknown {subject}{plural} {quoted} ({hint})")


# --- criteria ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Criterion:
    """The scores of one criterion and their rows in the table."""

    name: str
    kind: Kind
    rows: Integers
    values: Floats
    graded: bool = False


def _refuse_duplicates(judgments: _Judgments, criterion: Criterion) -> None:
    """Raise InputError if a judge has two scores for the same system and segment."""
    rows = criterion.rows
    by_system = judgments.judge[rows] * len(judgments.systems) + judgments.system[rows]
    key = by_system * judgments.n_segments + judgments.segment[rows]
    if len(np.unique(key)) < len(key):  # build the slow keys for the message only now
        index_rows(judgments.table, {row: (*judgments.key(row), criterion.name) for row in rows.tolist()})


def _read_criteria(table: TextTable, name: str | None, grades: Sequence[str]) -> list[Criterion]:
    """Return one criterion, or all of them (also for their average); a criterion without scores is an InputError."""
    every = np.arange(len(table.rows))
    if table.headless:
        score_path = parse_score_path(table.path)
        file_name = score_path.name if score_path else "score"
        names = [file_name] if name in (None, AVERAGE, "score", file_name) else []
        criteria = [_read_criterion(table, "score", file_name, every, grades) for file_name in names]
    elif "criterion" in table.header:
        names_of_rows = np.array(table.cells("criterion"))
        column = _score_column(table)
        criteria = [
            _read_criterion(table, column, str(each), np.flatnonzero(names_of_rows == each), grades)
            for each in dict.fromkeys(names_of_rows.tolist())
            if name in (None, AVERAGE, each)
        ]
    else:
        criteria = [
            _read_criterion(table, column, column, every, grades) for column in _choose_columns(table, name, grades)
        ]
    path = display_name(table.path)
    if not criteria and name is not None:
        others = dict.fromkeys(table.cells("criterion") if "criterion" in table.header else table.header)
        choices = [other for other in others if other not in KEY_COLUMNS]
        raise InputError(f'{path}: there is no criterion "{name}" ({suggest_names(name, choices)})')
    if not criteria:
        raise InputError(
            f"{path}, line 1: expected a column score or columns of numbers, found {', '.join(table.header)}"
        )
    return criteria


def _choose_columns(table: TextTable, name: str | None, grades: Sequence[str]) -> list[str]:
    """Return the columns that hold a criterion, or all of them."""
    column = None if name is None else find_column(table, name)
    if column is not None:
        return [column]
    columns = [each for each in table.header if each not in KEY_COLUMNS and not _COUNTS.fullmatch(each)]
    columns = [each for each in columns if each in _USUAL_CRITERIA or _holds_scores(table, each, grades)]
    columns = ["score"] if "score" in columns else columns
    return columns if name in (None, AVERAGE) else []


def _score_column(table: TextTable) -> str:
    if "score" in table.header:
        return "score"
    numbers = table.number_columns(besides=KEY_COLUMNS)
    if len(numbers) != 1:
        raise InputError(
            f"{display_name(table.path)}, line 1: expected a column score beside criterion, "
            f"found {', '.join(table.header)}"
        )
    return numbers[0]


def _holds_scores(table: TextTable, column: str, grades: Sequence[str] = ()) -> bool:
    """Return whether most nonempty cells of a column are numbers or grades; the others are then mistakes."""
    graded, numbers, others = _count_cells(Counter(table.cells(column)), grades)
    return graded + numbers > others


def _count_cells(cells: Counter[str], grades: Sequence[str]) -> tuple[int, int, int]:
    """Return how many cells are grades, numbers and other text."""
    graded = numbers = others = 0
    for cell, count in cells.items():
        value = parse_number(cell)
        if cell.strip() in grades:
            graded += count
        elif value is None:
            others += count
        elif value == value:
            numbers += count
    return graded, numbers, others


def _read_criterion(table: TextTable, column: str, name: str, rows: Integers, grades: Sequence[str]) -> Criterion:
    at = table.column_index[column]
    cells = [table.rows[row][at] for row in rows.tolist()]
    distinct = Counter(cells)  # there are few distinct scores and many rows
    graded, numbers, _ = _count_cells(distinct, grades)
    is_graded = 0 < graded >= numbers
    parsed = {cell: _parse_grade(cell, grades) if is_graded else parse_number(cell) for cell in distinct}
    if None in parsed.values():
        wrong = next(place for place, cell in enumerate(cells) if parsed[cell] is None)
        expected = f"one of {', '.join(grades)}" if is_graded else "a number"
        raise InputError(f'{table.where(rows[wrong])}: expected {expected} in column {column}, found "{cells[wrong]}"')
    values = np.array([parsed[cell] for cell in cells], np.float64)
    present = ~np.isnan(values)
    if not present.any():
        raise InputError(f"{display_name(table.path)}: expected scores of {name}, found none")
    kind = table.kinds.get(column) or table.kinds.get("") or ("error" if RANK in (name, column) else "similarity")
    return Criterion(name, "error" if kind == "error" else "similarity", rows[present], values[present], is_graded)


def _parse_grade(cell: str, grades: Sequence[str]) -> float | None:
    """Return a grade as a number (the last one is 1), NaN if it is missing, None for other text."""
    if cell.strip() in grades:
        return float(len(grades) - grades.index(cell.strip()))
    value = parse_number(cell)
    return None if value == value else value


# --- rankings and wide tables --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranks:
    """Ranks (lower is better), each with its row in the table, judge, segment and system."""

    table: TextTable
    rows: Integers
    judges: Integers
    segments: Integers
    systems: Integers
    ranks: Floats

    def group(self) -> tuple[Integers, Integers]:
        """Return the number of each rank's ranking, from 0, and the sizes of rankings; InputError if one has size 1."""
        key = self.judges * (self.segments.max() + 1) + self.segments
        _, first, ranking, sizes = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        if sizes.min() < 2:
            raise _short_ranking(self.table, int(self.rows[first[sizes < 2].min()]), 1)
        return ranking, sizes


def _rank(judgments: _Judgments, criterion: Criterion) -> Ranks:
    rows = criterion.rows
    lower_is_better = criterion.values if criterion.kind == "error" else -criterion.values
    judge, segment, system = judgments.judge[rows], judgments.segment[rows], judgments.system[rows]
    return Ranks(judgments.table, rows, judge, segment, system, lower_is_better)


def _win_shares(ranks: Ranks) -> Floats:
    """Return for each rank the share of the other systems in its ranking that are worse; ties count half."""
    ranking, sizes = ranks.group()
    order = np.lexsort((ranks.ranks, ranking))
    is_new = np.ones(len(order), np.bool_)  # whether a rank differs from the one before, or is in another ranking
    is_new[1:] = (np.diff(ranking[order]) != 0) | (np.diff(ranks.ranks[order]) != 0)
    tied = np.cumsum(is_new) - 1  # the number of each rank's run of equal ranks
    starts = np.append(np.flatnonzero(is_new), len(order))
    better = starts[:-1][tied] - (np.cumsum(sizes) - sizes)[ranking[order]]
    equal = np.diff(starts)[tied] - 1
    others = sizes[ranking[order]] - 1
    shares = np.empty(len(order))
    shares[order] = (others - better - equal / 2) / others
    return shares


def _compare_pairs(ranks: Ranks) -> Integers:
    """Return all pairs in the same ranking: (judge, segment, better system, other system, 1), or 0 for a tie."""
    ranking, sizes = ranks.group()
    order = np.lexsort((ranks.systems, ranks.ranks, ranking))
    starts = np.cumsum(sizes) - sizes
    if int((sizes * (sizes - 1) // 2).sum()) > MAX_PAIRS:
        raise InputError(
            f"{display_name(ranks.table.path)}: expected at most {MAX_PAIRS} pairs of systems, found more in "
            f"{len(sizes)} rankings of up to {sizes.max()} systems"
        )
    pairs_by_size = []
    for size in np.unique(sizes).tolist():
        first, second = np.triu_indices(size, 1)
        of_size = starts[sizes == size][:, None]
        above, below = order[of_size + first].ravel(), order[of_size + second].ravel()
        better = (ranks.ranks[above] != ranks.ranks[below]).astype(np.int64)
        both = ranks.systems[above], ranks.systems[below]
        pairs_by_size.append(np.stack([ranks.judges[above], ranks.segments[above], *both, better], axis=1))
    pairs = np.concatenate(pairs_by_size)
    in_order: Integers = pairs[np.lexsort(pairs.T[[3, 2, 0, 1]])]
    return in_order


def _is_wide(table: TextTable, systems: Sequence[str] | None, grades: Sequence[str]) -> bool:
    """Return whether a table has one column per system, not per criterion."""
    usual = {"system", "reference", *_USUAL_CRITERIA} & {name.lower() for name in table.header}
    if usual or not set(SEGMENT_COLUMNS) & set(table.header):
        return False
    columns = _system_columns(table, systems, grades)
    return len(columns) > 1 if systems is None else bool(set(columns) & set(systems))


def _unfold(table: TextTable, systems: Sequence[str] | None, grades: Sequence[str]) -> TextTable:
    """Return a wide table with one row per judge, segment and system, and a column `rank` or `score`.

    Ranks have judges and are whole numbers from 1 to the number of systems; all other numbers are scores.
    """
    columns = _system_columns(table, systems, grades)
    kinds = {table.kinds.get(name, "") for name in columns}
    if len(kinds) > 1:
        raise InputError(
            f"{display_name(table.path)}, line 1: expected :error after all names of systems or after none, found both"
        )
    key_columns = [name for name in table.header if name in (*JUDGES, *SEGMENT_COLUMNS, "criterion")]
    keys, places = ([table.column_index[name] for name in names] for names in (key_columns, columns))
    ranked = bool(set(JUDGES) & set(table.header)) and kinds == {""} and _are_ranks(table, places)
    rows, lines = [], []
    for row, cells in enumerate(table.rows):
        present = [
            (system, cells[at]) for system, at in zip(columns, places, strict=True) if not _is_missing(cells[at])
        ]
        if ranked and len(present) < 2:
            raise _short_ranking(table, row, len(present))
        rows += [(*(cells[at] for at in keys), *system_and_score) for system_and_score in present]
        lines += [table.lines[row]] * len(present)
    header = (*key_columns, "system", RANK if ranked else "score")
    kind = {"score": kinds.pop()} if kinds != {""} else {}
    return replace(table, header=header, rows=tuple(rows), lines=tuple(lines), kinds={**table.kinds, **kind})


def _system_columns(table: TextTable, systems: Sequence[str] | None, grades: Sequence[str]) -> list[str]:
    """Return the columns of a wide table that are systems: known ones, and all others of numbers or grades."""
    known = set(systems or ())
    others = [name for name in table.header if name not in KEY_COLUMNS]
    return [name for name in others if name in known or _holds_scores(table, name, grades)]


def _are_ranks(table: TextTable, columns: Sequence[int]) -> bool:
    """Return whether the nonempty cells of columns are whole numbers from 1 to the number of columns."""
    distinct = {cells[at] for cells in table.rows for at in columns}
    values = [parse_number(cell) for cell in distinct if not _is_missing(cell)]
    return all(value is not None and value.is_integer() and 1 <= value <= len(columns) for value in values)


def _is_missing(cell: str) -> bool:
    value = parse_number(cell)
    return value is not None and value != value


def _short_ranking(table: TextTable, row: int, size: int) -> InputError:
    return InputError(f"{table.where(row)}: expected two or more systems in a ranking, found {size}")


# --- judges, averages, systems -------------------------------------------------------------------------------------


def _reduce_judges(judgments: _Judgments, criterion: Criterion, judges: Judges) -> Floats:
    """Return one number per system and segment, NaN if there is none."""
    cell = judgments.system[criterion.rows] * judgments.n_segments + judgments.segment[criterion.rows]
    order = np.lexsort((criterion.values, cell))
    values, cell = criterion.values[order], cell[order]
    cells, first, count = np.unique(cell, return_index=True, return_counts=True)
    if judges == "mean":
        scale = 2.0 ** int(count.max()).bit_length()  # a power of two is exact, and sums of huge numbers stay finite
        reduced = np.add.reduceat(values / scale, first) / count * scale
    else:
        reduced = values[first + (count - 1) // 2] / 2 + values[first + count // 2] / 2
    scores = np.full(len(judgments.systems) * judgments.n_segments, np.nan)
    scores[cells] = reduced
    return scores.reshape(-1, judgments.n_segments) if judgments.level == "segment" else scores


def _keep_raters(judgments: _Judgments, criterion: Criterion) -> RaterScores:
    """Return the scores of each judge."""
    rows = criterion.rows
    places = judgments.judge[rows], judgments.system[rows], judgments.segment[rows]
    return RaterScores(judgments.judges, *places, criterion.values)


def _add_average(human: HumanScores, where: str, alone: bool) -> HumanScores:
    """Add the mean of several criteria (higher is better, NaN if one is missing), or keep only the mean (`alone`)."""
    if len(human.criteria) < 2 and not alone:
        return human
    scale = 2.0 ** len(human.criteria).bit_length()
    average = np.mean([human.higher_is_better(name) / scale for name in human.criteria], axis=0) * scale
    if np.isnan(average).all():
        if alone:
            raise InputError(
                f"{where}: expected scores of all criteria for some system or segment, found none to average"
            )
        return human
    before: Mapping[str, Floats] = {} if alone else human.criteria
    criteria = {**before, AVERAGE: average}
    kinds: dict[str, Kind] = {name: human.kinds.get(name, "similarity") for name in criteria}
    return replace(human, criteria=criteria, kinds=kinds)


def _select_systems(human: HumanScores, where: str, systems: Sequence[str] | None, shared_only: bool) -> HumanScores:
    """Return the scores of these systems in their order, or of all that were judged."""
    judged = np.logical_or.reduce(
        [~np.isnan(scores.reshape(len(human.systems), -1)) for scores in human.criteria.values()]
    )
    with_scores = [name for name, has_scores in zip(human.systems, judged.any(axis=1), strict=True) if has_scores]
    if systems is None:
        systems = with_scores
    elif shared_only:
        shared = set(with_scores)
        systems = [name for name in systems if name in shared]
    else:
        require_scores_of(where, systems, with_scores)
    selected = set(systems)
    unknown = tuple(name for name in with_scores if name not in selected)
    places = _indices(systems, human.systems).tolist()
    comparisons = human.comparisons
    if comparisons is not None:
        moved = np.full(len(human.systems), -1)
        moved[places] = range(len(places))
        comparisons = comparisons.copy()
        comparisons[:, 2:4] = moved[comparisons[:, 2:4]]
        comparisons = comparisons[(comparisons[:, 2:4] >= 0).all(axis=1)]
    criteria = {name: scores[places] for name, scores in human.criteria.items()}
    ratings = {name: scores.select(places) for name, scores in human.ratings.items()}
    return replace(
        human,
        criteria=criteria,
        systems=tuple(systems),
        comparisons=comparisons,
        unknown=unknown,
        ratings=ratings,
        others=select_others(human, unknown),
    )
