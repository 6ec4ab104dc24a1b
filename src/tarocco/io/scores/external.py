"""Scores that were made elsewhere: what their tables mean, and whether they cover the run.

Told by the header: `system, score` holds a number a system; `system, segment, score` one a segment (counted from 1;
`segment0` counts from 0); `target, reference, segment, score` the similarity of a target to one reference. Files of
mt-metrics-eval (.seg.score, .sys.score) have no header. JSON lines with "scores" hold a number a candidate of n-best
lists.
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from numbers import Real
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import CandidateScores, ExternalScores, Kind
from tarocco.io.files import bytes_of, shown
from tarocco.io.lines import checked_lines
from tarocco.io.markup import format_of
from tarocco.io.tables import (
    ABOUT,
    KINDS,
    SEGMENT_COLUMNS,
    SUFFIXES,
    Table,
    column_of,
    json_lines,
    near,
    number,
    read_scores,
    told,
)

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


Floats = NDArray[np.float64]


class ScoresMissing(UserWarning):
    """Segments without a score in a file of scores."""


@dataclass(frozen=True)
class ExternalFile:
    """Where the scores of a metric that was computed elsewhere are; without a kind the file says it, or similarity."""

    name: str
    path: str
    column: str | None = None
    kind: Kind | None = None


def external_file(text: str) -> ExternalFile:
    """`NAME=FILE`, `NAME=FILE:COLUMN` or `NAME:error=FILE`; mt-metrics-eval's NAME.seg.score name themselves."""
    written, equals, place = text.partition("=")
    of_file = re.fullmatch(r"(.+)\.(?:seg|sys)\.score(?:\.\w+)?", Path(text).name)
    if of_file and (not equals or os.path.exists(text)):
        return ExternalFile(name_and_kind(of_file[1])[0], text)
    if not (equals and written and place):
        raise InputError(f'scores are given as NAME=FILE, NAME=FILE:COLUMN or NAME:error=FILE, not "{text}"')
    name, kind = name_and_kind(written)
    path, column = file_and_column(place)
    return ExternalFile(name, path, column, kind)


def name_and_kind(written: str) -> tuple[str, Kind | None]:
    """`COMET` or `MetricX:error`."""
    name, colon, kind = written.partition(":")
    if not re.fullmatch(r"[^\s:=|]+", name) or (colon and kind not in KINDS):
        raise InputError(
            f'"{written}" cannot be the name of a metric: it is written NAME or NAME:error, without spaces, = and |'
        )
    return name, cast(Kind, kind) if colon else None


def file_and_column(text: str) -> tuple[str, str | None]:
    """`FILE` or `FILE:COLUMN`; a file whose name has a colon is taken as it is."""
    path, colon, column = text.rpartition(":")
    return (path, column) if colon and path and column and not os.path.exists(text) else (text, None)


def read_external(
    asked: ExternalFile, systems: Sequence[str], n_segments: int, references: Sequence[str] = ()
) -> ExternalScores:
    """The scores of these systems; InputError where a system has none, ScoresMissing where segments have none.

    `references` are the names of the run's references, where they are known: pairs with others are left out.
    """
    if holds_candidates(asked.path):
        raise InputError(f"{shown(asked.path)}: these are scores of candidates in n-best lists, not of systems")
    table = read_scores(asked.path)
    column = _score_column(table, asked)
    kind = _kind(table, column, asked)
    origin = [("kind", kind), ("file", Path(asked.path).name), ("sha256", table.digest)]
    if asked.column is not None:
        origin.insert(2, ("column", column))
    level: Literal["segment", "system"] = "segment"
    pairs: dict[tuple[str, str], Floats] = {}
    if table.headless and is_by_segment(table):
        own_rows = rows_in_order(table, systems, n_segments)
        by_system = {system: np.array(list(table.numbers("score", rows))) for system, rows in own_rows.items()}
    elif {"target", "reference"} <= set(table.header):
        pairs = _by_pair(table, column, systems, n_segments, references)
        by_system = {system: _best(pairs, system, systems, kind, n_segments) for system in systems}
        origin.append(("refs", "best"))
    elif "system" not in table.header:
        raise InputError(
            f"{table.path}, line 1: a column called system is wanted, or target and reference; "
            f"found {', '.join(table.header)}"
        )
    elif set(SEGMENT_COLUMNS) & set(table.header):
        by_system = _by_segment(table, column, systems, n_segments)
    else:
        level, by_system = "system", _of_systems(table, column, systems)
    _warn_of_missing(asked, by_system)
    return ExternalScores(asked.name, kind, level, by_system, tuple(origin), pairs)


def external_of_numbers(
    name: str, given: Any, systems: Sequence[str], n_segments: int, called: str | None = None
) -> ExternalScores:
    """Scores from a program: a mapping from systems to a list of numbers, or to a number; a list for one system; or a
    mapping from pairs (target, reference) to lists.

    `called` is what mistakes call them; by default external scores and their name.
    """
    bare, kind = name_and_kind(name)
    called = called or f"external scores {bare}"
    if not isinstance(given, Mapping):
        if len(systems) != 1:
            raise InputError(f"{called}: a mapping from systems is wanted, as there are several")
        given = {systems[0]: given}
    if given and all(isinstance(key, tuple) and len(key) == 2 for key in given):
        return _pairs_of_numbers(bare, kind or "similarity", given, systems, n_segments, called)
    refuse_uncovered(called, systems, [str(system) for system in given])
    by_name = {str(system): scores for system, scores in given.items()}
    by_system: dict[str, Floats] = {}
    for system in systems:
        scores = by_name[system]
        listed = list(scores) if isinstance(scores, Iterable) and not isinstance(scores, str) else [scores]
        values = [math.nan if one is None else one for one in listed]
        try:
            by_system[system] = np.array(values, np.float64).reshape(len(values))
        except (TypeError, ValueError, OverflowError):
            raise InputError(f'{called}: those of system "{system}" are not all numbers') from None
        if np.isinf(by_system[system]).any():
            raise InputError(f'{called}: one of system "{system}" is infinite')
    single = [system for system in systems if not isinstance(by_name[system], Iterable)]
    wrong = [system for system in systems if system not in single and len(by_system[system]) != n_segments]
    if wrong or 0 < len(single) < len(systems):
        system = (wrong or single)[0]
        raise InputError(
            f'{called}: {n_segments} numbers are wanted for system "{system}", one a segment, '
            f"found {len(by_system[system])}"
        )
    digest = sha256(b"".join(by_system[system].tobytes() for system in systems)).hexdigest()[:12]
    origin = (("kind", kind or "similarity"), ("sha256", digest))
    return ExternalScores(bare, kind or "similarity", "system" if single else "segment", by_system, origin)


def _pairs_of_numbers(
    name: str, kind: Kind, given: Mapping[Any, Any], systems: Sequence[str], n_segments: int, called: str
) -> ExternalScores:
    """Similarities of a target, which is a system or a reference, to one reference."""
    by_name = {(str(target), str(reference)): scores for (target, reference), scores in given.items()}
    refuse_uncovered(called, systems, [target for target, _ in by_name])
    written = {f"{target} against {reference}": pair for pair in by_name for target, reference in [pair]}
    read = external_of_numbers(name, {key: by_name[pair] for key, pair in written.items()}, list(written), n_segments)
    if read.level == "system":
        raise InputError(f"{called}: {n_segments} numbers are wanted for each pair of texts, one a segment")
    pairs = {pair: read.by_system[key] for key, pair in written.items()}
    by_system = {system: _best(pairs, system, systems, kind, n_segments) for system in systems}
    named = sha256("\n".join(written).encode("utf-8", "surrogatepass"))
    named.update(b"".join(scores.tobytes() for scores in pairs.values()))
    origin = (("kind", kind), ("sha256", named.hexdigest()[:12]), ("refs", "best"))
    return ExternalScores(name, kind, "segment", by_system, origin, pairs)


# --- candidates of n-best lists ----------------------------------------------------------------------------------


def holds_candidates(path: str) -> bool:
    """Whether a file has scores of candidates: JSON lines with "scores"."""
    if SUFFIXES.get(format_of(path)) != "jsonl":
        return False
    records = json_lines(path, checked_lines(bytes_of(path), path).decode("utf-8"))
    return any("scores" in record for (_, record), _ in zip(records, range(2), strict=False))


def read_candidate_scores(asked: ExternalFile) -> CandidateScores:
    """A JSON object a list: {"id": 0, "scores": [one a candidate], "references": [one a reference]}."""
    if asked.column is not None:
        raise InputError(f"{shown(asked.path)}: scores of candidates are JSON lines, without a column {asked.column}")
    data = bytes_of(asked.path)
    if not data.lstrip().startswith(b"{"):
        wanted = '{"id": 0, "scores": [...], "references": [...]}'
        raise InputError(f"{shown(asked.path)}, line 1: a JSON object a list is wanted: {wanted}")
    lists: dict[int, tuple[Floats, Floats]] = {}
    lines: dict[int, int] = {}
    kind = asked.kind
    for line, record in json_lines(asked.path, checked_lines(data, asked.path).decode("utf-8")):
        where = f"{shown(asked.path)}, line {line}"
        if set(record) == {"kind"} and not lists:
            kind = _agreed(record["kind"], asked, where)
            continue
        if "scores" not in record or ("references" not in record and set(record) - {"id", "scores"}):
            raise InputError(f'{where}: "id", "scores" and perhaps "references" are wanted, found {", ".join(record)}')
        if type(record.get("id")) is not int or record["id"] < 0:
            found = told(record["id"]) if "id" in record else "missing"
            raise InputError(f'{where}: "id" is a whole number from 0 on, found {found}')
        if record["id"] in lists:
            raise InputError(f"{where}: the list {record['id']} is there twice")
        lines[record["id"]] = line
        lists[record["id"]] = (
            _numbers(record["scores"], "scores", where),
            _numbers(record.get("references", []), "references", where),
        )
    if not lists:
        raise InputError(f"{shown(asked.path)}: there are no scores in this file")
    digest = sha256(data).hexdigest()[:12]
    origin = (("kind", kind or "similarity"), ("file", Path(asked.path).name), ("sha256", digest))
    return CandidateScores(asked.name, kind or "similarity", lists, origin, shown(asked.path), lines)


def candidate_scores_of(name: str, kind: Kind | None, pairs: Sequence[Any], first_id: int = 0) -> CandidateScores:
    """Scores that a program gives: for each list the scores of its candidates and those of its references."""
    lists = {}
    for own_id, pair in enumerate(pairs, start=first_id):
        where = f"{name}, list {own_id}"
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InputError(f"{where}: a pair is wanted, (scores of candidates, scores of references)")
        own, of_references = (list(np.asarray(part, object)) if np.ndim(part) == 1 else part for part in pair)
        lists[own_id] = (_numbers(own, "scores", where), _numbers(of_references, "references", where))
    digest = sha256(b"".join(part.tobytes() for both in lists.values() for part in both)).hexdigest()[:12]
    origin = (("kind", kind or "similarity"), ("sha256", digest))
    return CandidateScores(name, kind or "similarity", lists, origin, name, {own_id: own_id for own_id in lists})


def _is_finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _numbers(values: object, what: str, where: str) -> Floats:
    if not isinstance(values, list):
        raise InputError(f'{where}: "{what}" is a list of numbers, not {told(values)}')
    for place, value in enumerate(values, start=1):
        if not isinstance(value, Real) or isinstance(value, bool) or not _is_finite(value):
            found = told(value)
            raise InputError(f'{where}: "{what}" is a list of numbers, but number {place} of {len(values)} is {found}')
    return np.array(values, np.float64)


# --- which column, and which way is better -------------------------------------------------------------------------


def _score_column(table: Table, asked: ExternalFile) -> str:
    if asked.column is not None:
        column = column_of(table, asked.column)
        if column is None:
            others = [name for name in table.header if name not in ABOUT]
            raise InputError(f'{table.path} has no column "{asked.column}" ({near(asked.column, others)})')
        return column
    for name in (asked.name, "score"):
        if name in table.header:
            return name
    numbers = table.number_columns(besides=ABOUT)
    if len(numbers) == 1:
        return numbers[0]
    if numbers:
        raise InputError(
            f"{table.path} has several columns of numbers ({', '.join(numbers)}): "
            f"name one, as in {table.path}:{numbers[0]}"
        )
    raise InputError(f"{table.path}, line 1: a column called score is wanted, found {', '.join(table.header)}")


def _kind(table: Table, column: str, asked: ExternalFile) -> Kind:
    said = table.kinds.get(column) or table.kinds.get("")
    return _agreed(said, asked, table.path) if said else asked.kind or "similarity"


def _agreed(said: object, asked: ExternalFile, where: str) -> Kind:
    if said not in KINDS:
        raise InputError(f'{where}: kind is error or similarity, not "{said}"')
    if asked.kind not in (None, said):
        raise InputError(f"{where}: the file says that {asked.name} is of kind {said}, but {asked.kind} was asked for")
    return cast(Kind, said)


# --- the numbers ---------------------------------------------------------------------------------------------------


def _of_systems(table: Table, column: str, systems: Sequence[str]) -> dict[str, Floats]:
    names = table.cells("system")
    refuse_uncovered(table.path, systems, names)
    wanted = set(systems)
    rows = wanted_once(table, {row: (name,) for row, name in enumerate(names) if name in wanted})
    found = dict(zip((name for (name,) in rows), table.numbers(column, rows.values()), strict=True))
    return {system: np.array([found[system]]) for system in systems}


def _by_segment(table: Table, column: str, systems: Sequence[str], n: int) -> dict[str, Floats]:
    names = table.cells("system")
    refuse_uncovered(table.path, systems, names)
    by_system = {system: np.full(n, np.nan) for system in systems}
    wanted = [row for row, name in enumerate(names) if name in by_system]
    segments = segments_of(table, wanted, n)
    rows = wanted_once(table, {row: (names[row], segments[row]) for row in wanted})
    for row, value in zip(rows.values(), table.numbers(column, rows.values()), strict=True):
        by_system[names[row]][segments[row]] = value
    return by_system


def _by_pair(
    table: Table, column: str, systems: Sequence[str], n: int, references: Sequence[str]
) -> dict[tuple[str, str], Floats]:
    targets, compared = table.cells("target"), table.cells("reference")
    refuse_uncovered(table.path, systems, targets)
    refuse_uncovered(table.path, references, compared, "reference")
    known = (set(references) or set(compared)) | set(systems)
    wanted = [row for row in range(len(targets)) if targets[row] in known and compared[row] in known]
    segments = segments_of(table, wanted, n)
    rows = wanted_once(table, {row: (targets[row], compared[row], segments[row]) for row in wanted})
    pairs: dict[tuple[str, str], Floats] = {}
    for row, value in zip(rows.values(), table.numbers(column, rows.values()), strict=True):
        pairs.setdefault((targets[row], compared[row]), np.full(n, np.nan))[segments[row]] = value
    return pairs


def _best(pairs: Mapping[tuple[str, str], Floats], system: str, systems: Sequence[str], kind: Kind, n: int) -> Floats:
    """The best reference of each segment; NaN where there is no score against any."""
    own = [scores for (target, reference), scores in pairs.items() if target == system and reference not in systems]
    better = np.fmin if kind == "error" else np.fmax  # they leave NaN out
    best: Floats = better.reduce([np.full(n, np.nan), *own])
    return best


def _warn_of_missing(asked: ExternalFile, by_system: Mapping[str, Floats]) -> None:
    counts = {system: int(np.isnan(scores).sum()) for system, scores in by_system.items()}
    missing = sum(counts.values())
    if missing:
        by_name = ", ".join(f"{count} of {system}" for system, count in counts.items() if count)
        total = sum(map(len, by_system.values()))
        warnings.warn(
            f"{asked.name}: {missing} of {total} scores are missing in {shown(asked.path)} ({by_name}); "
            "means leave them out",
            ScoresMissing,
            stacklevel=2,
        )
