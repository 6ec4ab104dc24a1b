"""The blind sheet of a sample: which of two translations is the machine's, only the key beside it knows."""

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
from tarocco.meta.orange.confusions import Confusion, Scored, outranked

SUFFIXES = (".tsv", ".csv")
SIDES = ("A", "B")
EQUAL = "="
JUDGMENTS = {"a": "A", "b": "B", EQUAL: EQUAL, "same": EQUAL, "tie": EQUAL, "equal": EQUAL}
BETWEEN_METRICS = "; "
CAVEAT = (
    "ORANGE holds every such case against the metric: where the share is small, it can be trusted here "
    "(Lin and Och 2004, section 5)."
)


@dataclass(frozen=True)
class Case:
    """A candidate that stands above the oracle, and a reference to judge it beside."""

    segment: int
    candidate: str
    place: int  # of the candidate in its list
    reference: str
    reference_number: int
    metrics: tuple[str, ...]  # that put this candidate above the oracle
    source: str | None = None


def draw_cases(confusions: Iterable[Confusion], count: int, seed: int) -> list[Case]:
    """At most so many different cases at random, spread over the segments; fewer where there are not as many.

    No segment comes twice before each has come once, and no candidate of a segment before each of its candidates has.
    A candidate stands beside a reference that some metric puts below it. Copies of a reference are no cases. Where a
    confusion has candidates drawn at random from its whole set, the cases are among those, else among the first.
    """
    if count < 1:
        raise BadParameter(f"the number of cases is an integer of at least 1, not {count}")
    segments: dict[int, _Views] = {}
    for confusion in confusions:
        for candidate in confusion.above if confusion.drawn is None else confusion.drawn:
            if not candidate.copy:
                views = segments.setdefault(confusion.segment, {})
                views.setdefault(" ".join(candidate.text.split()), []).append((confusion, candidate))
    numbers = sorted(segments)
    order = np.random.default_rng([seed % 2**64, 0]).permutation(len(numbers)).tolist()
    # Each segment has its own random numbers, so that no more of it is shuffled than is drawn.
    queues = (_of_segment(segments[number], [seed % 2**64, 1, number]) for number in (numbers[i] for i in order))
    return list(islice(_in_turn(queues), count))


_Views = dict[str, list[tuple[Confusion, Scored]]]  # by the candidate's text, what the metrics say of it


def _in_turn(queues: Iterable[Iterator[Case]]) -> Iterator[Case]:
    """One case from each queue, then the next from each, until all are empty."""
    waiting = deque(queues)
    while waiting:
        queue = waiting.popleft()
        for case in queue:
            yield case
            waiting.append(queue)
            break


def _of_segment(views: _Views, seed: list[int]) -> Iterator[Case]:
    """The cases of a segment at random, each candidate once before one comes again."""
    rng = np.random.default_rng(seed)
    candidates = sorted(views.values(), key=lambda own: min(candidate.place for _, candidate in own))
    yield from _in_turn(_of_candidate(candidates[i], rng) for i in rng.permutation(len(candidates)).tolist())


def _of_candidate(views: list[tuple[Confusion, Scored]], rng: np.random.Generator) -> Iterator[Case]:
    """A candidate beside each reference below it, at random; metrics that agree on a case share it."""
    pairs: dict[str, Case] = {}
    for confusion, candidate in views:
        for reference in outranked(candidate, confusion.references):
            text = " ".join(reference.text.split())
            known = pairs.get(text)
            if known:
                pairs[text] = replace(known, metrics=tuple(dict.fromkeys((*known.metrics, confusion.metric))))
            elif text != " ".join(candidate.text.split()):
                metrics = (confusion.metric,)
                about = (candidate.text, candidate.place, reference.text, reference.place, metrics, confusion.source)
                pairs[text] = Case(confusion.segment, *about)
    ordered = sorted(pairs.values(), key=lambda case: case.reference_number)
    yield from (ordered[i] for i in rng.permutation(len(ordered)).tolist())


@dataclass(frozen=True)
class Judged:
    """What a person said: of how many cases the machine's translation was better, equal or worse."""

    machine_better: int
    equal: int
    human_better: int
    blank: int  # cases that were not judged
    confidence: float
    by_metric: Mapping[str, Judged] = field(default_factory=dict)  # a case belongs to each metric that made it one

    @property
    def judged(self) -> int:
        return self.machine_better + self.equal + self.human_better

    @property
    def as_good(self) -> int:
        """The cases in which the machine's translation is as good as the human one, or better."""
        return self.machine_better + self.equal

    @property
    def share(self) -> float:
        return self.as_good / self.judged

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.as_good, self.judged, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """The record as it stands in JSON."""
        counts = {name: getattr(self, name) for name in ("judged", "machine_better", "equal", "human_better", "blank")}
        known: dict[str, Any] = {"as_good": self.share, "interval": list(self.interval)} if self.judged else {}
        parts = {"by_metric": {name: one.to_dict() for name, one in self.by_metric.items()}} if self.by_metric else {}
        return counts | known | {"confidence": self.confidence} | parts

    def __str__(self) -> str:
        low, high = self.interval
        cases = f"{self.judged} {'case' if self.judged == 1 else 'cases'}"
        told = (
            f"In {self.as_good} of {cases} ({self.share:.0%}, {self.confidence * 100:g}% interval {low:.0%} to "
            f"{high:.0%}) the machine's translation was judged as good as the human one"
        )
        if self.machine_better:
            told += f", in {self.machine_better} of them better"
        left = f" {self.blank} {'case is' if self.blank == 1 else 'cases are'} not judged." if self.blank else ""
        return f"{told}.{left}"


def wilson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Wilson's score interval: all shares p from which `successes` are not further than z standard errors of p.

    Its ends solve (successes / trials - p)^2 = z^2 p (1 - p) / trials.

    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    spread = z * sqrt(successes * (trials - successes) / trials + z * z / 4)
    middle = successes + z * z / 2
    low = 0.0 if successes == 0 else (middle - spread) / (trials + z * z)
    high = 1.0 if successes == trials else (middle + spread) / (trials + z * z)
    return low, high


def key_path(path: str) -> str:
    """Where the key of a sheet is: sample.key.tsv for sample.tsv."""
    sheet = Path(path)
    return str(sheet.with_name(f"{sheet.stem}.key{sheet.suffix}"))


def read_judged(path: str, key: str | None = None, *, confidence: float = 0.95) -> Judged:
    """A judged sheet and its key, which is beside it or named; InputError says which line is wrong.

    Only the cells `case` and `judgment` matter: texts may have been changed, rows sorted or taken out.
    """
    if not (isinstance(confidence, Real) and 0 < confidence < 1):
        raise BadParameter(f"confidence is a number between 0 and 1, not {confidence!r}")
    sheet = _columns(path, "case", "judgment")
    key = key or _key_beside(path)
    machine, metrics = _read_key(key)
    verdicts: dict[str, str] = {}
    for row, (case, cell) in enumerate(zip(sheet.cells("case"), sheet.cells("judgment"), strict=True)):
        if not any(map(str.strip, sheet.rows[row])):
            continue  # spreadsheets leave such rows behind
        if case not in machine:
            raise InputError(f'{sheet.where(row)}: the case "{case}" is not in {key}: that is the key of another sheet')
        if case in verdicts:
            raise InputError(f'{sheet.where(row)}: the case "{case}" stands there twice')
        said = cell.strip()
        if said and said.lower() not in JUDGMENTS:
            raise InputError(f'{sheet.where(row)}: a judgment is A, B or =, not "{said}"')
        verdicts[case] = _verdict(JUDGMENTS[said.lower()], machine[case]) if said else "blank"
    if not any(verdict != "blank" for verdict in verdicts.values()):
        raise InputError(f"{path}: no case has been judged: A, B or = is wanted in the column judgment")
    names = dict.fromkeys(name for own in metrics.values() for name in own)
    of_metrics = {name: [case for case, own in metrics.items() if name in own] for name in names}
    return _tally(machine, verdicts, confidence, of_metrics)


def _tally(
    cases: Iterable[str], verdicts: Mapping[str, str], confidence: float, of_metrics: Mapping[str, list[str]]
) -> Judged:
    said = [verdicts.get(case, "blank") for case in cases]
    by_metric = {name: _tally(own, verdicts, confidence, {}) for name, own in of_metrics.items()}
    return Judged(
        machine_better=said.count("machine"),
        equal=said.count("equal"),
        human_better=said.count("human"),
        blank=said.count("blank"),
        confidence=confidence,
        by_metric={name: tally for name, tally in by_metric.items() if tally.judged},
    )


def _verdict(judgment: str, machine: str) -> str:
    return "equal" if judgment == EQUAL else "machine" if judgment == machine else "human"


def _key_beside(path: str) -> str:
    """The key of a sheet; a sheet that came back as CSV may have been written as TSV."""
    beside = key_path(path)
    for suffix in (Path(path).suffix, *SUFFIXES):
        other = Path(beside).with_suffix(suffix)
        if other.exists():
            return str(other)
    raise InputError(f"{path}: its key {beside} is not beside it, and without it nobody knows which side is whose")


def _read_key(path: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """For each case the machine's side, and the metrics that made it a case."""
    key = _columns(path, "case", "machine", "metrics")
    machine: dict[str, str] = {}
    metrics: dict[str, list[str]] = {}
    rows = zip(key.cells("case"), key.cells("machine"), key.cells("metrics"), strict=True)
    for row, (case, side, names) in enumerate(rows):
        if side not in SIDES:
            raise InputError(f'{key.where(row)}: the machine\'s side is A or B, not "{side}"')
        if case in machine:
            raise InputError(f'{key.where(row)}: the case "{case}" stands there twice')
        machine[case] = side
        metrics[case] = names.split(BETWEEN_METRICS)
    return machine, metrics


def _columns(path: str, *wanted: str) -> TextTable:
    table = read_table(path)
    for column in wanted:
        if column not in table.header:
            raise InputError(f'{path}, line 1: a column "{column}" is wanted; {suggest_names(column, table.header)}')
    return table


KEY_HEADER = ("case", "machine", "segment", "place", "reference", "metrics")
_LETTERS = "bcdfghjklmnpqrstvwxz"  # without vowels, so that no spreadsheet reads a month or a number


def check_sheet(path: str) -> None:
    """Refuse, before any work is done, a path at which no sheet can be written, or where a judged one is."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: the name of a sheet ends in {' or '.join(SUFFIXES)}")
    for one in (path, key_path(path)):
        check_writable(one)
    if Path(path).exists():
        judgments = _judgments(path)
        if judgments is None:
            raise InputError(f"{path}: this file is there, and it is no sheet; name another file")
        if any(judgments):
            raise InputError(f"{path}: there are judgments in this sheet, and they would be lost; name another file")


def write_sheet(path: str, cases: Sequence[Case], seed: int) -> None:
    """Write a sheet to be judged, as TSV or CSV, and its key beside it: sample.tsv and sample.key.tsv.

    The machine has each side equally often, in random order. Cases are numbered and end in letters that belong to this
    draw, so that a sheet is never read with the key of another. White space within a text becomes one space, and a
    text that a spreadsheet would take for a formula (it begins with =, +, - or @) gets an apostrophe in front. Cells
    with quotation marks are put in quotation marks, which double those within: spreadsheets take them off again.
    """
    check_sheet(path)
    if not cases:
        raise InputError(f"{path}: there is no case to judge: no candidate stands above the references")
    rng = np.random.default_rng([seed % 2**64, 2])
    machine_first = rng.permutation((np.arange(len(cases)) + rng.integers(2)) % 2 == 0).tolist()
    draw = sha256(repr((seed, cases)).encode("utf-8", "surrogatepass")).digest()
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
    # The key takes its place before the sheet does: a sheet without its key would be judged for nothing.
    with replace_file(path) as sheet_file, replace_file(key_path(path)) as key_file:
        delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        _write(sheet_file, sheet, delimiter)
        _write(key_file, key, delimiter)


def _write(path: Path, rows: Iterable[Sequence[str]], delimiter: str) -> None:
    with open(path, "x", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def _cell(text: str) -> str:
    """A text on one line that no spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(FORMULA_STARTS) else line  # numbers, too: here they are words


def _judgments(path: str) -> list[str] | None:
    """What a sheet has in its last column; None for a file that is no sheet."""
    with suppress(InputError, ValueError):
        table = read_table(path)
        if {"case", "judgment"} <= set(table.header):
            return [cell.strip() for cell in table.cells("judgment")]
    return None
