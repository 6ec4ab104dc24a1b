"""The paper's closing caveat, put to a person: is a machine's translation that outranks a human one as good as it?

Cases are drawn, written into a sheet on which nobody can see which translation is whose (`present.sheets`), judged,
and read back. The judge writes one of these into the cell `judgment`, and may leave cells empty:

    A, B           this translation is better
    =              they are equally good (also: same, tie, equal)

The key beside the sheet, sample.key.tsv for sample.tsv, tells the sides; the judge does not open it.

Lin and Och (2004), ORANGE: a method for evaluating automatic evaluation metrics for machine translation, section 5.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from math import sqrt
from numbers import Real
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from tarocco.errors import BadParameter, InputError
from tarocco.judge.confusion import Confusion, Scored, outranked
from tarocco.read.tables import Table, near, read_table

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


def _columns(path: str, *wanted: str) -> Table:
    table = read_table(path)
    for column in wanted:
        if column not in table.header:
            raise InputError(f'{path}, line 1: a column "{column}" is wanted; {near(column, table.header)}')
    return table
