"""Blind sheets: pairs of a candidate and a reference for a person to judge, and a key that says which is which."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from math import sqrt
from numbers import Real
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.io.files import check_writable, replace_file
from tarocco.io.tables import FORMULA_STARTS, TextTable, read_table, suggest_names
from tarocco.meta.orange.confusions import Confusion, RankedText, outranked
from tarocco.meta.orange.results import count_of

SUFFIXES = (".tsv", ".csv")
SIDES = ("A", "B")
EQUAL = "="
JUDGMENTS = {"a": "A", "b": "B", EQUAL: EQUAL, "same": EQUAL, "tie": EQUAL, "equal": EQUAL}
BETWEEN_METRICS = "; "
CAVEAT = (
    "ORANGE counts every such case against the metric: where the share is small, ORANGE can be trusted here "
    "(Lin and Och 2004, section 5)."
)


@dataclass(frozen=True)
class SheetCase:
    """A candidate above the oracle, and a reference to compare it with."""

    segment: int
    candidate: str
    place: int  # of the candidate in its list
    reference: str
    reference_number: int
    metrics: tuple[str, ...]  # that rank this candidate above the oracle
    source: str | None = None


def draw_cases(confusions: Iterable[Confusion], count: int, seed: int) -> list[SheetCase]:
    """Return up to `count` different cases, drawn at random and spread over the segments.

    No segment occurs twice before each has occurred once, and neither does a candidate within a segment. A candidate
    is paired with a reference that a metric ranks below it. Copies of a reference are not drawn. Cases are drawn from
    the random sample of a confusion set if there is one, otherwise from its best candidates.
    """
    if count < 1:
        raise BadParameter(f"the number of cases is an integer of at least 1, not {count}")
    segments: dict[int, _Confusions] = {}
    for confusion in confusions:
        for candidate in confusion.above if confusion.drawn is None else confusion.drawn:
            if not candidate.copy:
                by_text = segments.setdefault(confusion.segment, {})
                by_text.setdefault(" ".join(candidate.text.split()), []).append((confusion, candidate))
    numbers = sorted(segments)
    order = np.random.default_rng([seed % 2**64, 0]).permutation(len(numbers)).tolist()
    # Each segment has a separate generator, so that only the segments that are drawn are shuffled.
    queues = (_of_segment(segments[number], [seed % 2**64, 1, number]) for number in (numbers[i] for i in order))
    return list(islice(_in_turn(queues), count))


_Confusions = dict[str, list[tuple[Confusion, RankedText]]]  # by the candidate's text


def _in_turn(queues: Iterable[Iterator[SheetCase]]) -> Iterator[SheetCase]:
    """Yield one case from each queue, then the next from each, until all are empty."""
    waiting = deque(queues)
    while waiting:
        queue = waiting.popleft()
        for case in queue:
            yield case
            waiting.append(queue)
            break


def _of_segment(by_text: _Confusions, seed: list[int]) -> Iterator[SheetCase]:
    """Yield the cases of a segment in random order, each candidate once before any is repeated."""
    rng = np.random.default_rng(seed)
    candidates = sorted(by_text.values(), key=lambda pairs: min(candidate.place for _, candidate in pairs))
    yield from _in_turn(_of_candidate(candidates[i], rng) for i in rng.permutation(len(candidates)).tolist())


def _of_candidate(confused: list[tuple[Confusion, RankedText]], rng: np.random.Generator) -> Iterator[SheetCase]:
    """Yield a candidate with each reference below it, in random order; metrics that agree on a case share it."""
    pairs: dict[str, SheetCase] = {}
    for confusion, candidate in confused:
        for reference in outranked(candidate, confusion.references):
            text = " ".join(reference.text.split())
            known = pairs.get(text)
            if known:
                pairs[text] = replace(known, metrics=tuple(dict.fromkeys((*known.metrics, confusion.metric))))
            elif text != " ".join(candidate.text.split()):
                metrics = (confusion.metric,)
                about = (candidate.text, candidate.place, reference.text, reference.place, metrics, confusion.source)
                pairs[text] = SheetCase(confusion.segment, *about)
    ordered = sorted(pairs.values(), key=lambda case: case.reference_number)
    yield from (ordered[i] for i in rng.permutation(len(ordered)).tolist())


@dataclass(frozen=True)
class SheetJudgments:
    """The number of cases in which a person judged the machine's translation better, equal or worse."""

    machine_better: int
    equal: int
    human_better: int
    blank: int  # not judged
    confidence: float
    by_metric: Mapping[str, SheetJudgments] = field(default_factory=dict)  # that confused the case

    @property
    def judged(self) -> int:
        return self.machine_better + self.equal + self.human_better

    @property
    def as_good(self) -> int:
        """The number of cases in which the machine's translation is as good as the human one, or better."""
        return self.machine_better + self.equal

    @property
    def share(self) -> float:
        return self.as_good / self.judged

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.as_good, self.judged, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON record."""
        counts = {name: getattr(self, name) for name in ("judged", "machine_better", "equal", "human_better", "blank")}
        known: dict[str, Any] = {"as_good": self.share, "interval": list(self.interval)} if self.judged else {}
        parts = {"by_metric": {name: part.to_dict() for name, part in self.by_metric.items()}} if self.by_metric else {}
        return counts | known | {"confidence": self.confidence} | parts

    def __str__(self) -> str:
        low, high = self.interval
        sentence = (
            f"In {self.as_good} of {count_of(self.judged, 'case')} ({self.share:.0%}, {self.confidence * 100:g}% "
            f"interval {low:.0%} to {high:.0%}) the machine's translation was judged as good as the human one"
        )
        if self.machine_better:
            sentence += f", in {self.machine_better} of them better"
        left = f" {self.blank} {'case is' if self.blank == 1 else 'cases are'} not judged." if self.blank else ""
        return f"{sentence}.{left}"


def wilson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's score interval, whose ends solve (successes / trials - p)^2 = z^2 p (1 - p) / trials.

    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    spread = z * sqrt(successes * (trials - successes) / trials + z * z / 4)
    middle = successes + z * z / 2
    low = 0.0 if successes == 0 else (middle - spread) / (trials + z * z)
    high = 1.0 if successes == trials else (middle + spread) / (trials + z * z)
    return low, high


def key_path(path: str) -> str:
    """Return the path of the key of a sheet: sample.key.tsv for sample.tsv."""
    sheet = Path(path)
    return str(sheet.with_name(f"{sheet.stem}.key{sheet.suffix}"))


def read_judgments(path: str, key: str | None = None, *, confidence: float = 0.95) -> SheetJudgments:
    """Read a judged sheet and its key, by default the one next to it.

    Only the columns `case` and `judgment` are read: texts may have been edited, and rows sorted or deleted.
    """
    if not (isinstance(confidence, Real) and 0 < confidence < 1):
        raise BadParameter(f"confidence is a number between 0 and 1, not {confidence!r}")
    sheet = _columns(path, "case", "judgment")
    key = key or _find_key(path)
    machine, metrics = _read_key(key)
    winners: dict[str, str] = {}
    for row, (case, cell) in enumerate(zip(sheet.cells("case"), sheet.cells("judgment"), strict=True)):
        if not any(map(str.strip, sheet.rows[row])):
            continue  # spreadsheets add blank rows
        if case not in machine:
            raise InputError(f'{sheet.where(row)}: case "{case}" is not in {key}, which is the key of another sheet')
        if case in winners:
            raise InputError(f'{sheet.where(row)}: case "{case}" is listed twice')
        judgment = cell.strip()
        if judgment and judgment.lower() not in JUDGMENTS:
            raise InputError(f'{sheet.where(row)}: a judgment is A, B or =, not "{judgment}"')
        winners[case] = _winner(JUDGMENTS[judgment.lower()], machine[case]) if judgment else "blank"
    if not any(winner != "blank" for winner in winners.values()):
        raise InputError(f"{path}: no case has been judged: expected A, B or = in the column judgment")
    names = dict.fromkeys(name for of_case in metrics.values() for name in of_case)
    of_metrics = {name: [case for case, of_case in metrics.items() if name in of_case] for name in names}
    return _tally(machine, winners, confidence, of_metrics)


def _tally(
    cases: Iterable[str], winners: Mapping[str, str], confidence: float, of_metrics: Mapping[str, list[str]]
) -> SheetJudgments:
    of_cases = [winners.get(case, "blank") for case in cases]
    by_metric = {name: _tally(of_metric, winners, confidence, {}) for name, of_metric in of_metrics.items()}
    return SheetJudgments(
        machine_better=of_cases.count("machine"),
        equal=of_cases.count("equal"),
        human_better=of_cases.count("human"),
        blank=of_cases.count("blank"),
        confidence=confidence,
        by_metric={name: tally for name, tally in by_metric.items() if tally.judged},
    )


def _winner(judgment: str, machine: str) -> str:
    return "equal" if judgment == EQUAL else "machine" if judgment == machine else "human"


def _find_key(path: str) -> str:
    """Return the path of the key of a sheet; a sheet that was written as TSV may come back as CSV."""
    expected = key_path(path)
    for suffix in (Path(path).suffix, *SUFFIXES):
        other = Path(expected).with_suffix(suffix)
        if other.exists():
            return str(other)
    raise InputError(f"{path}: there is no key {expected}, which says which side is the machine's")


def _read_key(path: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return, for each case, the machine's side, and the metrics that confused it."""
    key = _columns(path, "case", "machine", "metrics")
    machine: dict[str, str] = {}
    metrics: dict[str, list[str]] = {}
    rows = zip(key.cells("case"), key.cells("machine"), key.cells("metrics"), strict=True)
    for row, (case, side, names) in enumerate(rows):
        if side not in SIDES:
            raise InputError(f'{key.where(row)}: the machine\'s side is A or B, not "{side}"')
        if case in machine:
            raise InputError(f'{key.where(row)}: case "{case}" is listed twice')
        machine[case] = side
        metrics[case] = names.split(BETWEEN_METRICS)
    return machine, metrics


def _columns(path: str, *expected: str) -> TextTable:
    table = read_table(path)
    for column in expected:
        if column not in table.header:
            raise InputError(f'{path}, line 1: expected a column "{column}"; {suggest_names(column, table.header)}')
    return table


KEY_HEADER = ("case", "machine", "segment", "place", "reference", "metrics")
_LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels, so that no spreadsheet reads a month or a number


def check_sheet(path: str) -> None:
    """Raise InputError if no sheet can be written to this path, or if a judged sheet is there."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: the name of a sheet ends in {' or '.join(SUFFIXES)}")
    for file in (path, key_path(path)):
        check_writable(file)
    if Path(path).exists():
        judgments = _judgments(path)
        if judgments is None:
            raise InputError(f"{path}: this file exists and is not a sheet; name another file")
        if any(judgments):
            raise InputError(f"{path}: this sheet has judgments, which would be lost; name another file")


def write_sheet(path: str, cases: Sequence[SheetCase], seed: int) -> None:
    """Write a sheet to be judged, as TSV or CSV, and its key: sample.tsv and sample.key.tsv.

    The machine has each side equally often, in random order. The names of cases end in letters that depend on the
    sample, so that a sheet is never read with the key of another. White space within a text becomes one space, and a
    text that a spreadsheet would take for a formula (it begins with =, +, - or @) gets an apostrophe in front.
    """
    check_sheet(path)
    if not cases:
        raise InputError(f"{path}: there is no case to judge, because no candidate ranks above the references")
    rng = np.random.default_rng([seed % 2**64, 2])
    machine_first = rng.permutation((np.arange(len(cases)) + rng.integers(2)) % 2 == 0).tolist()
    # The class was once called Case: its name is part of the letters, which must not change.
    sample = repr((seed, cases)).replace("SheetCase(", "Case(")
    draw = sha256(sample.encode("utf-8", "surrogatepass")).digest()
    letters = "".join(_LETTERS[byte % len(_LETTERS)] for byte in draw[:4])
    with_source = any(case.source is not None for case in cases)
    sheet: list[list[str]] = [["case", *(["source"] if with_source else []), *SIDES, "judgment"]]
    key: list[list[str]] = [list(KEY_HEADER)]
    for number, (case, first) in enumerate(zip(cases, machine_first, strict=True), start=1):
        name = f"{number}-{letters}"
        source = [case.source or ""] if with_source else []
        pair = (case.candidate, case.reference) if first else (case.reference, case.candidate)
        sheet.append([name, *map(_cell, (*source, *pair)), ""])
        about = (case.segment, case.place, case.reference_number)
        metrics = _cell(BETWEEN_METRICS.join(case.metrics))
        key.append([name, SIDES[0] if first else SIDES[1], *map(str, about), metrics])
    # The key is renamed into place first, because a sheet without its key would be judged in vain.
    with replace_file(path) as sheet_file, replace_file(key_path(path)) as key_file:
        delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        _write(sheet_file, sheet, delimiter)
        _write(key_file, key, delimiter)


def _write(path: Path, rows: Iterable[Sequence[str]], delimiter: str) -> None:
    with open(path, "x", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def _cell(text: str) -> str:
    """Return a text on one line that no spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(FORMULA_STARTS) else line  # also numbers, which are words here


def _judgments(path: str) -> list[str] | None:
    """Return the judgments in a sheet; None if the file is not a sheet."""
    with suppress(InputError, ValueError):
        table = read_table(path)
        if {"case", "judgment"} <= set(table.header):
            return [cell.strip() for cell in table.cells("judgment")]
    return None
