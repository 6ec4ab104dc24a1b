"""External scores: tables of scores that other tools computed.

The header decides what a table holds: `system, score` has one number per system; `system, segment, score` one per
segment (counted from 1; `segment0` counts from 0); `target, reference, segment, score` the similarity of a target to
one reference. Files of mt-metrics-eval (.seg.score, .sys.score) have no header. JSON lines with "scores" have one
number per candidate of n-best lists.
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import CandidateScores, ExternalScores, Kind
from tarocco.io.files import display_name, read_bytes
from tarocco.io.tables import (
    KEY_COLUMNS,
    KINDS,
    LARGEST,
    SEGMENT_COLUMNS,
    TextTable,
    digest_bytes,
    find_column,
    format_value,
    index_rows,
    is_by_segment,
    is_json_lines,
    parse_json_lines,
    parse_segments,
    read_score_table,
    require_scores_of,
    rows_by_system,
    suggest_names,
)
from tarocco.io.text import normalize_lines

Floats = NDArray[np.float64]


class ScoresMissing(UserWarning):
    """Segments without a score in a file of scores."""


@dataclass(frozen=True)
class ExternalFile:
    """The file with the scores of an external metric; without a kind, the file decides, or else it is a similarity."""

    name: str
    path: str
    column: str | None = None
    kind: Kind | None = None


def parse_external_file(text: str) -> ExternalFile:
    """Parse `NAME=FILE`, `NAME=FILE:COLUMN` or `NAME:error=FILE`; mt-metrics-eval's NAME.seg.score needs no name."""
    label, equals, place = text.partition("=")
    score_file = re.fullmatch(r"(.+)\.(?:seg|sys)\.score(?:\.\w+)?", Path(text).name)
    if score_file and (not equals or os.path.exists(text)):
        return ExternalFile(parse_name_and_kind(score_file[1])[0], text)
    if not (equals and label and place):
        raise InputError(f'expected scores as NAME=FILE, NAME=FILE:COLUMN or NAME:error=FILE, found "{text}"')
    name, kind = parse_name_and_kind(label)
    path, column = split_file_and_column(place)
    return ExternalFile(name, path, column, kind)


def parse_name_and_kind(text: str) -> tuple[str, Kind | None]:
    """Parse `COMET` or `MetricX:error`."""
    name, colon, kind = text.partition(":")
    if not re.fullmatch(r"[^\s:=|]+", name) or (colon and kind not in KINDS):
        raise InputError(
            f'expected the name of a metric as NAME or NAME:error, without spaces, = and |, found "{text}"'
        )
    return name, cast(Kind, kind) if colon else None


def split_file_and_column(text: str) -> tuple[str, str | None]:
    """Split `FILE:COLUMN`; the name of an existing file may contain a colon."""
    path, colon, column = text.rpartition(":")
    return (path, column) if colon and path and column and not os.path.exists(text) else (text, None)


def read_external(
    file: ExternalFile, systems: Sequence[str], n_segments: int, references: Sequence[str] = ()
) -> ExternalScores:
    """Read the scores of these systems; InputError if a system has none, ScoresMissing if segments have none.

    If the names of the references are known, scores against other texts are ignored.
    """
    if holds_candidate_scores(file.path):
        raise InputError(
            f"{display_name(file.path)}: expected scores of systems, found scores of candidates in n-best lists"
        )
    table = read_score_table(file.path)
    column = _choose_column(table, file)
    kind_in_file = table.kinds.get(column) or table.kinds.get("")
    kind = _check_kind(kind_in_file, file, table.path) if kind_in_file else file.kind or "similarity"
    origin = [("kind", kind), ("file", Path(file.path).name), ("sha256", table.digest)]
    if file.column is not None:
        origin.insert(2, ("column", column))
    level: Literal["segment", "system"] = "segment"
    pairs: dict[tuple[str, str], Floats] = {}
    if table.headless and is_by_segment(table):
        rows_of = rows_by_system(table, systems, n_segments)
        by_system = {system: np.array(list(table.numbers("score", rows))) for system, rows in rows_of.items()}
    elif {"target", "reference"} <= set(table.header):
        pairs = _pair_scores(table, column, systems, n_segments, references)
        by_system = {system: _best_reference(pairs, system, systems, kind, n_segments) for system in systems}
        origin.append(("refs", "best"))
    elif "system" not in table.header:
        raise InputError(
            f"{table.path}, line 1: expected a column system, or columns target and reference, "
            f"found {', '.join(table.header)}"
        )
    elif set(SEGMENT_COLUMNS) & set(table.header):
        by_system = _segment_scores(table, column, systems, n_segments)
    else:
        level, by_system = "system", _system_scores(table, column, systems)
    _warn_of_missing(file, by_system)
    return ExternalScores(file.name, kind, level, by_system, tuple(origin), pairs)


def build_external_scores(
    name: str, scores: Any, systems: Sequence[str], n_segments: int, label: str | None = None
) -> ExternalScores:
    """Build scores from numbers in memory.

    `scores` maps systems to a list of numbers or to a number, or pairs (target, reference) to lists; a list is enough
    for one system. `label` names the scores in messages.
    """
    bare, kind = parse_name_and_kind(name)
    label = label or f"external scores {bare}"
    if not isinstance(scores, Mapping):
        if len(systems) != 1:
            raise InputError(f"{label}: expected a mapping from {len(systems)} systems, found {type(scores).__name__}")
        scores = {systems[0]: scores}
    if scores and all(isinstance(key, tuple) and len(key) == 2 for key in scores):
        return _build_pair_scores(bare, kind or "similarity", scores, systems, n_segments, label)
    by_name = {str(system): values for system, values in scores.items()}
    require_scores_of(label, systems, list(by_name))
    by_system: dict[str, Floats] = {}
    for system in systems:
        values = by_name[system]
        several = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
        numbers = [math.nan if value is None else value for value in several]
        try:
            by_system[system] = np.array(numbers, np.float64).reshape(len(numbers))
        except (TypeError, ValueError, OverflowError):
            raise InputError(f'{label}: expected only numbers for system "{system}", found other values') from None
        if (np.abs(by_system[system]) > LARGEST).any():
            raise InputError(
                f'{label}: expected finite numbers (up to {LARGEST:g}) for system "{system}", found a larger one'
            )
    single = [system for system in systems if not isinstance(by_name[system], Iterable)]
    wrong = [system for system in systems if system not in single and len(by_system[system]) != n_segments]
    if wrong or 0 < len(single) < len(systems):
        system = (wrong or single)[0]
        raise InputError(
            f'{label}: expected {n_segments} numbers for system "{system}", one per segment, '
            f"found {len(by_system[system])}"
        )
    digest = digest_bytes(*(by_system[system].tobytes() for system in systems))
    origin = (("kind", kind or "similarity"), ("sha256", digest))
    return ExternalScores(bare, kind or "similarity", "system" if single else "segment", by_system, origin)


def _build_pair_scores(
    name: str, kind: Kind, scores: Mapping[Any, Any], systems: Sequence[str], n_segments: int, label: str
) -> ExternalScores:
    """Build similarities of targets, which are systems or references, to one reference each."""
    by_name = {(str(target), str(reference)): values for (target, reference), values in scores.items()}
    require_scores_of(label, systems, [target for target, _ in by_name])
    pair_names = {f"{target} against {reference}": (target, reference) for target, reference in by_name}
    numbers = {pair_name: by_name[pair] for pair_name, pair in pair_names.items()}
    checked = build_external_scores(name, numbers, list(pair_names), n_segments)
    if checked.level == "system":
        raise InputError(f"{label}: expected {n_segments} numbers per pair of texts, one per segment, found one")
    pairs = {pair: checked.by_system[pair_name] for pair_name, pair in pair_names.items()}
    by_system = {system: _best_reference(pairs, system, systems, kind, n_segments) for system in systems}
    encoded_names = "\n".join(pair_names).encode("utf-8", "surrogatepass")
    digest = digest_bytes(encoded_names, *(values.tobytes() for values in pairs.values()))
    origin = (("kind", kind), ("sha256", digest), ("refs", "best"))
    return ExternalScores(name, kind, "segment", by_system, origin, pairs)


# --- candidates of n-best lists ------------------------------------------------------------------------------------


def holds_candidate_scores(path: str) -> bool:
    """Return whether a file has scores of candidates: JSON lines with "scores"."""
    if not is_json_lines(path):
        return False
    records = parse_json_lines(path, normalize_lines(read_bytes(path, keep=True), path).decode("utf-8"))
    return any("scores" in record for (_, record), _ in zip(records, range(2), strict=False))


def read_candidate_scores(file: ExternalFile) -> CandidateScores:
    """Read one JSON object per list: {"id": 0, "scores": [per candidate], "references": [per reference]}."""
    path = display_name(file.path)
    if file.column is not None:
        raise InputError(f"{path}: expected a table because of the column {file.column}, found scores of candidates")
    data = read_bytes(file.path)
    if not data.lstrip().startswith(b"{"):
        raise InputError(
            f'{path}, line 1: expected one JSON object per list, {{"id": 0, "scores": [...], "references": [...]}}, '
            "found something else"
        )
    lists: dict[int, tuple[Floats, Floats]] = {}
    lines: dict[int, int] = {}
    kind = file.kind
    for line, record in parse_json_lines(file.path, normalize_lines(data, file.path).decode("utf-8")):
        where = f"{path}, line {line}"
        if set(record) == {"kind"} and not lists:
            kind = _check_kind(record["kind"], file, where)
            continue
        if "scores" not in record or ("references" not in record and set(record) - {"id", "scores"}):
            raise InputError(f'{where}: expected "id", "scores" and perhaps "references", found {", ".join(record)}')
        list_id = record.get("id")
        if type(list_id) is not int or list_id < 0:
            actual = format_value(list_id) if "id" in record else "none"
            raise InputError(f'{where}: expected a whole number from 0 as "id", found {actual}')
        if list_id in lists:
            raise InputError(f"{where}: expected each list once, found list {list_id} twice")
        lines[list_id] = line
        lists[list_id] = (
            _check_numbers(record["scores"], "scores", where),
            _check_numbers(record.get("references", []), "references", where),
        )
    if not lists:
        raise InputError(f"{path}: expected scores, found none")
    origin = (("kind", kind or "similarity"), ("file", Path(file.path).name), ("sha256", digest_bytes(data)))
    return CandidateScores(file.name, kind or "similarity", lists, origin, path, lines)


def build_candidate_scores(name: str, kind: Kind | None, pairs: Sequence[Any], first_id: int = 0) -> CandidateScores:
    """Build scores from (scores of the candidates, scores of the references) per list."""
    lists = {}
    for list_id, pair in enumerate(pairs, start=first_id):
        where = f"{name}, list {list_id}"
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InputError(
                f"{where}: expected a pair (scores of candidates, scores of references), found something else"
            )
        candidates, references = (list(np.asarray(part, object)) if np.ndim(part) == 1 else part for part in pair)
        lists[list_id] = (
            _check_numbers(candidates, "scores", where),
            _check_numbers(references, "references", where),
        )
    digest = digest_bytes(*(part.tobytes() for pair in lists.values() for part in pair))
    origin = (("kind", kind or "similarity"), ("sha256", digest))
    return CandidateScores(name, kind or "similarity", lists, origin, name, {list_id: list_id for list_id in lists})


def _is_in_range(value: Real) -> bool:
    try:
        return abs(float(value)) <= LARGEST
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _check_numbers(values: object, key: str, where: str) -> Floats:
    if not isinstance(values, list):
        raise InputError(f'{where}: expected a list of numbers as "{key}", found {format_value(values)}')
    for place, value in enumerate(values, start=1):
        if not isinstance(value, Real) or isinstance(value, bool) or not _is_in_range(value):
            raise InputError(
                f'{where}: expected finite numbers in "{key}", found {format_value(value)} as number {place} of '
                f"{len(values)}"
            )
    return np.array(values, np.float64)


# --- columns and scores --------------------------------------------------------------------------------------------


def _choose_column(table: TextTable, file: ExternalFile) -> str:
    if file.column is not None:
        column = find_column(table, file.column)
        if column is None:
            others = [name for name in table.header if name not in KEY_COLUMNS]
            raise InputError(f'{table.path}: there is no column "{file.column}" ({suggest_names(file.column, others)})')
        return column
    for name in (file.name, "score"):
        if name in table.header:
            return name
    numbers = table.number_columns(besides=KEY_COLUMNS)
    if len(numbers) == 1:
        return numbers[0]
    if numbers:
        raise InputError(
            f"{table.path}: expected one column of numbers, found {', '.join(numbers)}; choose one, "
            f"such as {table.path}:{numbers[0]}"
        )
    raise InputError(f"{table.path}, line 1: expected a column score, found {', '.join(table.header)}")


def _check_kind(kind: object, file: ExternalFile, where: str) -> Kind:
    if kind not in KINDS:
        raise InputError(f'{where}: expected kind error or similarity, found "{kind}"')
    if file.kind not in (None, kind):
        raise InputError(f"{where}: expected kind {file.kind} for {file.name}, found {kind} in the file")
    return cast(Kind, kind)


def _system_scores(table: TextTable, column: str, systems: Sequence[str]) -> dict[str, Floats]:
    names = table.cells("system")
    require_scores_of(table.path, systems, names)
    chosen = set(systems)
    rows = index_rows(table, {row: (name,) for row, name in enumerate(names) if name in chosen})
    scores = dict(zip((name for (name,) in rows), table.numbers(column, rows.values()), strict=True))
    return {system: np.array([scores[system]]) for system in systems}


def _segment_scores(table: TextTable, column: str, systems: Sequence[str], n_segments: int) -> dict[str, Floats]:
    names = table.cells("system")
    require_scores_of(table.path, systems, names)
    by_system = {system: np.full(n_segments, np.nan) for system in systems}
    chosen = [row for row, name in enumerate(names) if name in by_system]
    segments = parse_segments(table, chosen, n_segments)
    rows = index_rows(table, {row: (names[row], segments[row]) for row in chosen})
    for row, value in zip(rows.values(), table.numbers(column, rows.values()), strict=True):
        by_system[names[row]][segments[row]] = value
    return by_system


def _pair_scores(
    table: TextTable, column: str, systems: Sequence[str], n_segments: int, references: Sequence[str]
) -> dict[tuple[str, str], Floats]:
    targets, compared = table.cells("target"), table.cells("reference")
    require_scores_of(table.path, systems, targets)
    require_scores_of(table.path, references, compared, "reference")
    known = (set(references) or set(compared)) | set(systems)
    chosen = [row for row in range(len(targets)) if targets[row] in known and compared[row] in known]
    segments = parse_segments(table, chosen, n_segments)
    rows = index_rows(table, {row: (targets[row], compared[row], segments[row]) for row in chosen})
    pairs: dict[tuple[str, str], Floats] = {}
    for row, value in zip(rows.values(), table.numbers(column, rows.values()), strict=True):
        pairs.setdefault((targets[row], compared[row]), np.full(n_segments, np.nan))[segments[row]] = value
    return pairs


def _best_reference(
    pairs: Mapping[tuple[str, str], Floats], system: str, systems: Sequence[str], kind: Kind, n_segments: int
) -> Floats:
    """Return the score against the best reference of each segment; NaN if there is none."""
    scores = [values for (target, reference), values in pairs.items() if target == system and reference not in systems]
    better = np.fmin if kind == "error" else np.fmax  # these ignore NaN
    best: Floats = better.reduce([np.full(n_segments, np.nan), *scores])
    return best


def _warn_of_missing(file: ExternalFile, by_system: Mapping[str, Floats]) -> None:
    counts = {system: int(np.isnan(scores).sum()) for system, scores in by_system.items()}
    missing = sum(counts.values())
    if missing:
        by_name = ", ".join(f"{count} of {system}" for system, count in counts.items() if count)
        total = sum(map(len, by_system.values()))
        warnings.warn(
            f"{file.name}: {missing} of {total} scores are missing in {display_name(file.path)} ({by_name}); "
            "means leave them out",
            ScoresMissing,
            stacklevel=2,
        )
