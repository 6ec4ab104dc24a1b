"""The results of QARLA: QUEEN of systems, KING of sets of metrics, JACK of a test bed, and the best set of metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from tarocco.core.errors import UnknownName
from tarocco.core.records import Interval, Record, ResultTable, number_or_null, to_json
from tarocco.meta.qarla.set_search import SetSearch
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import Units

REDUNDANT_PHI = 0.9  # metrics with this mean phi or more form a redundant group

Kings = tuple[float, float]  # KING and strict KING


@dataclass(frozen=True)
class QarlaSetup:
    """The texts, metrics and seed that all records of a result share."""

    signatures: Mapping[str, str]  # of the metrics, by name; they score against one reference at a time
    systems: tuple[str, ...]
    references: tuple[str, ...]
    segments: tuple[int, ...]  # the selected segments, counted from 0
    seed: int
    notes: tuple[str, ...]
    units: Units  # that intervals redraw


@dataclass(frozen=True, eq=False)
class Queen(Record):
    """QUEEN and ULC of one system; `segments` are in the order of `QarlaSetup.segments`."""

    json_fields = ("system", "queen", "interval", "ulc")

    system: str
    queen: float
    interval: Interval
    segments: Floats  # NaN where a segment has too few references
    ulc: float
    ulc_segments: Floats

    def __float__(self) -> float:
        return self.queen


@dataclass(frozen=True, eq=False)
class King(Record):
    """How well a set of metrics distinguishes human translations from those of systems.

    `king` is the share of cases in which a reference is at least as good as every system, `strict_king` the share in
    which it is better. Ties, the difference of the two, are no evidence for the metrics. `chance` and `strict_chance`
    are what both would be if each text of a case were equally likely to be the reference. `status` is supported,
    refuted or open, by strict KING, `reasons` say what was not shown, and `p_value` is that of "better than chance",
    corrected for the number of sets.
    """

    json_fields = (
        *("metrics", "king", "chance", "strict_king", "strict_chance", "ties", "interval", "strict_interval"),
        *("status", "reasons", "p_value", "n_segments", "signature"),
    )
    optional_fields = ("status", "reasons")
    row_fields = (
        *("metrics", "king", "chance", "strict_king", "strict_chance", "ties", "interval", "strict_interval"),
        *("status", "p_value", "n_segments", "signature"),
    )

    metrics: tuple[str, ...]
    king: float
    strict_king: float
    interval: Interval
    strict_interval: Interval
    by_reference: Mapping[str, Kings]  # of each reference held out
    segments: Floats  # KING of each segment, NaN where there is no case
    strict_segments: Floats
    n_segments: int  # with a case
    signature: str
    chance: float = math.nan
    strict_chance: float = math.nan
    chance_segments: Floats | None = None  # strict KING of each segment by chance
    status: str = ""  # empty where it was not judged
    reasons: tuple[str, ...] = ()
    p_value: float = math.nan

    @property
    def ties(self) -> float:
        """The share of cases that a tie decided."""
        return self.king - self.strict_king

    def __float__(self) -> float:
        return self.king


@dataclass(frozen=True, eq=False)
class Jack(Record):
    """How closely the references are surrounded by different translations under a set of metrics.

    `close` is the share of translations with QUEEN above zero. A reference needs two of them to be surrounded.
    """

    json_fields = ("metrics", "jack", "interval", "close", "n_segments", "signature")

    metrics: tuple[str, ...]
    jack: float
    interval: Interval
    close: float
    by_reference: Mapping[str, float]
    segments: Floats
    n_segments: int
    signature: str

    def __float__(self) -> float:
        return self.jack


SetRecord = TypeVar("SetRecord", King, Jack)


@dataclass(frozen=True, eq=False)
class SetResults(ResultTable, Generic[SetRecord]):
    """One record per set of metrics, as `result["ROUGE-L"]` or `result["NIST-3", "1-WER"]`."""

    record_field: ClassVar[str] = "sets"

    sets: tuple[SetRecord, ...]
    setup: QarlaSetup

    def __iter__(self) -> Iterator[SetRecord]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)

    def __getitem__(self, metrics: str | Sequence[str]) -> SetRecord:
        names = {metrics} if isinstance(metrics, str) else set(metrics)
        for record in self.sets:
            if set(record.metrics) == names:
                return record
        raise UnknownName(f"no result for {' '.join(sorted(names))}; there are {', '.join(map(set_name, self.sets))}")

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for readers, such as how many segments were left out."""
        return self.setup.notes

    def references(self) -> list[dict[str, Any]]:
        """Return one flat record per set and reference."""
        return [
            {"metrics": set_name(record), "reference": name, **_by_reference(value), "signature": record.signature}
            for record in self.sets
            for name, value in record.by_reference.items()
        ]


def set_name(record: King | Jack) -> str:
    """Return the metrics of a set as one string."""
    return " ".join(record.metrics)


@dataclass(frozen=True, eq=False)
class KingResult(SetResults[King]):
    """KING of sets of metrics, the best first by strict KING; by default each metric alone, then all together.

    `length_segments` is what preferring the longer or the shorter text has in each segment beyond chance.
    """

    level: str = "segment"
    length_segments: Floats | None = None  # [2, segments]

    def to_dict(self, by_reference: bool = False) -> list[dict[str, Any]]:
        """Return what `tarocco king -f json` prints under "results"."""
        records = super().to_dict()
        for record, king in zip(records, self.sets, strict=True) if by_reference else ():
            record["by_reference"] = {name: _by_reference(kings) for name, kings in king.by_reference.items()}
        return records


@dataclass(frozen=True, eq=False)
class JackResult(SetResults[Jack]):
    """JACK of the test bed under sets of metrics."""

    def to_dict(self, by_reference: bool = False) -> list[dict[str, Any]]:
        """Return what `tarocco jack -f json` prints under "results"."""
        records = super().to_dict()
        for record, jack in zip(records, self.sets, strict=True) if by_reference else ():
            record["by_reference"] = to_json(jack.by_reference)
        return records


@dataclass(frozen=True, eq=False)
class QueenResult(ResultTable):
    """QUEEN of the systems, in their order, under one set of metrics. `result["sysA"]` is a Queen."""

    record_field = "queens"

    queens: tuple[Queen, ...]
    metrics: tuple[str, ...]
    signature: str
    setup: QarlaSetup

    def __iter__(self) -> Iterator[Queen]:
        return iter(self.queens)

    def __len__(self) -> int:
        return len(self.queens)

    def __getitem__(self, system: str) -> Queen:
        for record in self.queens:
            if record.system == system:
                return record
        names = ", ".join(record.system for record in self.queens)
        raise UnknownName(f'there is no system "{system}"; there are {names}')

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for readers, such as how many segments were left out."""
        return self.setup.notes

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per system."""
        shared = {"metrics": " ".join(self.metrics), "signature": self.signature}
        return [{**record.row(), **shared} for record in self.queens]

    def segments(self) -> list[dict[str, Any]]:
        """Return one flat record per segment and system; segments are counted from 1."""
        return [
            {
                "segment": number + 1,
                "system": record.system,
                "queen": number_or_null(float(record.segments[place])),
                "ulc": number_or_null(float(record.ulc_segments[place])),
            }
            for place, number in enumerate(self.setup.segments)
            for record in self.queens
        ]

    def to_dict(self, level: str = "system") -> list[dict[str, Any]]:
        """Return what `tarocco queen -f json` prints under "results"."""
        shared = {"metrics": list(self.metrics), "signature": self.signature}
        records = [{**record.to_dict(), **shared} for record in self.queens]
        for values, record in zip(records, self.queens, strict=True) if level == "segment" else ():
            values["segments"] = to_json(record.segments)
            values["ulc_segments"] = to_json(record.ulc_segments)
        return records


def _by_reference(value: Kings | float) -> dict[str, Any]:
    if isinstance(value, tuple):
        return {**_name_kings(value), "ties": number_or_null(value[0] - value[1])}
    return {"jack": number_or_null(value)}


# --- the best set of metrics -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Redundancy:
    """How similarly metrics decide: phi, and the share of samples decided the same way, as symmetric matrices.

    The metrics are in the order of an average-linkage clustering, so similar metrics are neighbors.
    """

    metrics: tuple[str, ...]
    phi: Floats
    agreement: Floats
    groups: tuple[tuple[str, ...], ...]  # of metrics that decide nearly alike, the largest first

    def to_dict(self) -> dict[str, Any]:
        return {name: to_json(getattr(self, name)) for name in ("metrics", "phi", "agreement", "groups")}


@dataclass(frozen=True)
class CandidateMetric:
    """One metric that the search considered.

    `alone` is KING and strict KING of the metric by itself. A metric of the chosen set has a `step`, counted from 1,
    the KINGs of the set `after` that step, what the metric `adds` to them, and the KINGs of the set `without` it.
    `folds` counts how often the metric was chosen when the search was repeated without a fold.
    """

    metric: str
    signature: str
    alone: Kings
    folds: int | None = None
    step: int | None = None
    after: Kings | None = None
    adds: Kings | None = None
    without: Kings | None = None


@dataclass(frozen=True)
class Fold:
    """The set that was chosen without some segments, and its KING and strict KING on those segments."""

    metrics: tuple[str, ...]
    kings: Kings
    n_segments: int


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """KING on segments that the search has not seen: each segment is judged by the set chosen without its fold.

    `best_single` is the same for the best single metric in place of a set.
    """

    folds: tuple[Fold, ...]
    kings: Kings
    intervals: tuple[Interval, Interval]
    by_reference: Mapping[str, Kings]
    best_single: Kings

    def to_dict(self, by_reference: bool = False) -> dict[str, Any]:
        record = {
            **_name_kings(self.kings),
            "interval": to_json(self.intervals[0]),
            "strict_interval": to_json(self.intervals[1]),
            "best_single": _name_kings(self.best_single),
            "folds": [
                {"metrics": list(fold.metrics), **_name_kings(fold.kings), "n_segments": fold.n_segments}
                for fold in self.folds
            ],
        }
        return record | ({"references": _list_references(self.by_reference)} if by_reference else {})


@dataclass(frozen=True, eq=False)
class OptimizeResult(ResultTable):
    """The set of metrics with the highest KING that a search found.

    `chosen` is the set with its KING, strict KING and intervals. These are optimistic, because the set was chosen by
    them; those of `cross_validation` (None without folds) are not. `candidates` are all metrics: those of the set in
    the order in which they were added, then the others by the KING of each alone.
    """

    chosen: King
    candidates: tuple[CandidateMetric, ...]
    cross_validation: CrossValidation | None
    redundancy: Redundancy | None
    search: SetSearch
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the set, in the order in which they were added."""
        return self.chosen.metrics

    @property
    def path(self) -> list[CandidateMetric]:
        """The metrics of the set, step by step."""
        return [candidate for candidate in self.candidates if candidate.step is not None]

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per metric."""
        return [
            {
                "metric": candidate.metric,
                "step": candidate.step,
                **_name_kings(candidate.alone),
                **_name_kings(candidate.after, "set_"),
                **_name_kings(candidate.adds, "adds_"),
                **_name_kings(candidate.without, "without_"),
                "folds": candidate.folds,
                "signature": candidate.signature,
            }
            for candidate in self.candidates
        ]

    def to_dict(self, by_reference: bool = False) -> list[dict[str, Any]]:
        """Return what `tarocco optimize -f json` prints under "results"."""
        record: dict[str, Any] = self.chosen.to_dict()
        if by_reference:
            record["references"] = _list_references(self.chosen.by_reference)
        record["path"] = [
            {
                "metric": candidate.metric,
                **_name_kings(candidate.after),
                "adds": _name_kings(candidate.adds),
                "without": _name_kings(candidate.without),
            }
            for candidate in self.path
        ]
        if self.cross_validation is not None:
            record["cross_validation"] = self.cross_validation.to_dict(by_reference)
        record["candidates"] = [
            {
                "metric": candidate.metric,
                **_name_kings(candidate.alone),
                "folds": candidate.folds,
                "signature": candidate.signature,
            }
            for candidate in self.candidates
        ]
        if self.redundancy is not None:
            record["redundancy"] = self.redundancy.to_dict()
        return [record]


def _list_references(by_reference: Mapping[str, Kings]) -> list[dict[str, Any]]:
    return [{"reference": name, **_name_kings(kings)} for name, kings in by_reference.items()]


def _name_kings(kings: Kings | None, prefix: str = "") -> dict[str, float | None]:
    king, strict = (None, None) if kings is None else map(number_or_null, kings)
    return {f"{prefix}king": king, f"{prefix}strict_king": strict}
