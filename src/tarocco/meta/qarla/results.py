"""What QARLA says: of systems (QUEEN), of sets of metrics (KING), of a test bed (JACK)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tarocco.core.errors import UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.meta.qarla.set_search import SetSearch
from tarocco.metrics.base import Floats


@dataclass(frozen=True)
class QarlaSetup:
    """What was judged by: the same for everything in a result."""

    __test__ = False  # the name is not for pytest

    signatures: Mapping[str, str]  # of the metrics, by their names; scores against one reference at a time
    systems: tuple[str, ...]
    references: tuple[str, ...]
    segments: tuple[int, ...]  # those that were asked about, counted from 0
    seed: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Queen:
    """How good one system's translations are, by QUEEN and by ULC; `segments` are in the order of the test bed's."""

    system: str
    queen: float
    interval: Interval
    segments: Floats  # NaN where a segment has too few references
    ulc: float
    ulc_segments: Floats

    def __float__(self) -> float:
        return self.queen

    def to_dict(self) -> dict[str, Any]:
        """The record as it stands in JSON."""
        return {
            "system": self.system,
            "queen": number_or_null(self.queen),
            **_ends(self.interval),
            "ulc": number_or_null(self.ulc),
        }


@dataclass(frozen=True, eq=False)
class King:
    """How well a set of metrics tells people's translations from systems'.

    `king` is the share of cases in which a reference is at least as good as every system, `strict_king` that in which
    it is better; `ties` is what lies between, and says nothing for the metrics.
    """

    metrics: tuple[str, ...]
    king: float
    strict_king: float
    interval: Interval
    strict_interval: Interval
    by_reference: Mapping[str, tuple[float, float]]  # KING and strict KING of each reference held out
    segments: Floats  # KING of each segment, NaN where there is no case
    strict_segments: Floats
    n_segments: int  # with a case
    signature: str

    @property
    def ties(self) -> float:
        """The share decided by a tie."""
        return self.king - self.strict_king

    def __float__(self) -> float:
        return self.king

    def to_dict(self) -> dict[str, Any]:
        """The record as it stands in JSON."""
        return {
            "metrics": list(self.metrics),
            **_kings(self.king, self.strict_king),
            **_ends(self.interval),
            **_ends(self.strict_interval, "strict_interval"),
            "n_segments": self.n_segments,
            "signature": self.signature,
        }


@dataclass(frozen=True, eq=False)
class Jack:
    """How closely, and by how different translations, the references are surrounded under a set of metrics.

    `close` is the share of translations with QUEEN above zero: without two of them a reference cannot be surrounded.
    """

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

    def to_dict(self) -> dict[str, Any]:
        """The record as it stands in JSON."""
        return {
            "metrics": list(self.metrics),
            "jack": number_or_null(self.jack),
            **_ends(self.interval),
            "close": number_or_null(self.close),
            "n_segments": self.n_segments,
            "signature": self.signature,
        }


One = TypeVar("One", King, Jack)


@dataclass(frozen=True, eq=False)
class OfSets(ResultTable, Generic[One]):
    """One record a set of metrics. `result["ROUGE-L"]` and `result["NIST-3", "1-WER"]` find one."""

    sets: tuple[One, ...]
    setup: QarlaSetup

    def __iter__(self) -> Iterator[One]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)

    def __getitem__(self, metrics: str | Sequence[str]) -> One:
        wanted = {metrics} if isinstance(metrics, str) else set(metrics)
        for one in self.sets:
            if set(one.metrics) == wanted:
                return one
        raise UnknownName(f"{' '.join(sorted(wanted))} was not judged; there are {', '.join(map(set_name, self.sets))}")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, such as how many segments were left out."""
        return self.setup.notes

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a set."""
        return [_flat(one.to_dict()) for one in self.sets]


def set_name(one: King | Jack) -> str:
    """The metrics of a set, in one cell."""
    return " ".join(one.metrics)


@dataclass(frozen=True, eq=False)
class KingResult(OfSets[King]):
    """Sets of metrics, the best first by strict KING; where none were given, each metric alone and all of them."""

    level: str = "segment"

    def references(self) -> list[dict[str, Any]]:
        """One flat record a set and reference held out."""
        return [
            {"metrics": set_name(one), "reference": name, **_kings(*kings), "signature": one.signature}
            for one in self.sets
            for name, kings in one.by_reference.items()
        ]

    def to_dict(self, by_reference: bool = False) -> list[dict[str, Any]]:
        """What `tarocco king -f json` prints under "results"."""
        told = [one.to_dict() for one in self.sets]
        for record, one in zip(told, self.sets, strict=True) if by_reference else ():
            record["by_reference"] = {name: _kings(*kings) for name, kings in one.by_reference.items()}
        return told


@dataclass(frozen=True, eq=False)
class JackResult(OfSets[Jack]):
    """The test bed under sets of metrics."""

    def references(self) -> list[dict[str, Any]]:
        """One flat record a set and reference."""
        return [
            {"metrics": set_name(one), "reference": name, "jack": number_or_null(value), "signature": one.signature}
            for one in self.sets
            for name, value in one.by_reference.items()
        ]

    def to_dict(self, by_reference: bool = False) -> list[dict[str, Any]]:
        """What `tarocco jack -f json` prints under "results"."""
        told = [one.to_dict() for one in self.sets]
        for record, one in zip(told, self.sets, strict=True) if by_reference else ():
            record["by_reference"] = {name: number_or_null(value) for name, value in one.by_reference.items()}
        return told


@dataclass(frozen=True, eq=False)
class QueenResult(ResultTable):
    """The systems in the order given, all by the same set of metrics. `result["sysA"]` finds one."""

    queens: tuple[Queen, ...]
    metrics: tuple[str, ...]
    signature: str
    setup: QarlaSetup

    def __iter__(self) -> Iterator[Queen]:
        return iter(self.queens)

    def __len__(self) -> int:
        return len(self.queens)

    def __getitem__(self, system: str) -> Queen:
        for one in self.queens:
            if one.system == system:
                return one
        raise UnknownName(f'there is no system "{system}"; there are {", ".join(one.system for one in self.queens)}')

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, such as how many segments were left out."""
        return self.setup.notes

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a system."""
        return [_flat(record) for record in self.to_dict()]

    def segments(self) -> list[dict[str, Any]]:
        """One flat record a segment and system; segments are counted from 1."""
        return [
            {
                "segment": number + 1,
                "system": one.system,
                "queen": number_or_null(float(one.segments[place])),
                "ulc": number_or_null(float(one.ulc_segments[place])),
            }
            for place, number in enumerate(self.setup.segments)
            for one in self.queens
        ]

    def to_dict(self, level: str = "system") -> list[dict[str, Any]]:
        """What `tarocco queen -f json` prints under "results"."""
        told = [{**one.to_dict(), "metrics": list(self.metrics), "signature": self.signature} for one in self.queens]
        for record, one in zip(told, self.queens, strict=True) if level == "segment" else ():
            record["segments"] = list(map(number_or_null, one.segments.tolist()))
            record["ulc_segments"] = list(map(number_or_null, one.ulc_segments.tolist()))
        return told


def _ends(interval: Interval, name: str = "interval") -> dict[str, Any]:
    return {name: [number_or_null(interval.low), number_or_null(interval.high)]}


def _kings(king: float, strict: float) -> dict[str, Any]:
    return {"king": number_or_null(king), "strict_king": number_or_null(strict), "ties": number_or_null(king - strict)}


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as cells: metrics in one, an interval in two."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if key == "metrics":
            flat[key] = " ".join(value)
        elif isinstance(value, list):
            before = key.removesuffix("interval")
            flat[f"{before}low"], flat[f"{before}high"] = value
        else:
            flat[key] = value
    return flat


# The set of metrics that a search found: how it was put together, and how far it can be trusted.


REDUNDANT_PHI = 0.9  # groups of metrics are told whose phi is that high on average


@dataclass(frozen=True, eq=False)
class Redundancy:
    """How alike metrics decide. `phi` and `agreement`, the share of samples decided alike, are symmetric matrices.

    Metrics stand in the order of an average-linkage clustering, so that those that decide alike are neighbors.
    """

    metrics: tuple[str, ...]
    phi: Floats
    agreement: Floats
    groups: tuple[tuple[str, ...], ...]  # of metrics that decide nearly alike, the largest first


Kings = tuple[float, float]  # KING and strict KING


@dataclass(frozen=True)
class Candidate:
    """What there is to say of one metric.

    `alone` are its own KING and strict KING. A metric of the set has a `step`, from 1, the set's KINGs `after` it, what
    it `adds` to KING and strict KING, and what the set would be `without` it. `folds` says how often it was chosen when
    the search was repeated without a fold.
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
    """The set that was chosen without some segments, and its KING and strict KING on these."""

    metrics: tuple[str, ...]
    kings: Kings
    n_segments: int


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """What the search is worth on segments that it has not seen: means over all segments, each judged by the set that
    was chosen without its fold. `best_single` is the same for the best single metric in place of a set.
    """

    folds: tuple[Fold, ...]
    kings: Kings
    intervals: tuple[Interval, Interval]
    by_reference: Mapping[str, Kings]
    best_single: Kings


@dataclass(frozen=True, eq=False)
class OptimizeResult(ResultTable):
    """The set of metrics with the highest KING that a search found.

    `chosen` has the set with its KING, strict KING and intervals; they are optimistic, since the set was chosen by
    them, and `cross_validation` (None without folds) is not. `candidates` are all metrics: those of the set as they
    came in, then the others by their own KING.
    """

    chosen: King
    candidates: tuple[Candidate, ...]
    cross_validation: CrossValidation | None
    redundancy: Redundancy | None
    search: SetSearch
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """The set, in the order in which metrics came in."""
        return self.chosen.metrics

    @property
    def path(self) -> list[Candidate]:
        """The metrics of the set, step by step."""
        return [one for one in self.candidates if one.step is not None]

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a metric."""
        return [
            {
                "metric": one.metric,
                "step": one.step,
                **_named(one.alone),
                **_named(one.after, "set_"),
                **_named(one.adds, "adds_"),
                **_named(one.without, "without_"),
                "folds": one.folds,
                "signature": one.signature,
            }
            for one in self.candidates
        ]

    def to_dict(self, by_reference: bool = False) -> list[dict[str, Any]]:
        """What `tarocco optimize -f json` prints under "results"."""
        told: dict[str, Any] = self.chosen.to_dict()
        if by_reference:
            told["references"] = [
                {"reference": name, **_named(kings)} for name, kings in self.chosen.by_reference.items()
            ]
        told["path"] = [
            {
                "metric": one.metric,
                **_named(one.after),
                "adds": _named(one.adds),
                "without": _named(one.without),
            }
            for one in self.path
        ]
        cross = self.cross_validation
        if cross is not None:
            told["cross_validation"] = {
                **_named(cross.kings),
                "interval": _pair_of_ends(cross.intervals[0]),
                "strict_interval": _pair_of_ends(cross.intervals[1]),
                "best_single": _named(cross.best_single),
                "folds": [
                    {"metrics": list(one.metrics), **_named(one.kings), "n_segments": one.n_segments}
                    for one in cross.folds
                ],
            }
            if by_reference:
                told["cross_validation"]["references"] = [
                    {"reference": name, **_named(kings)} for name, kings in cross.by_reference.items()
                ]
        told["candidates"] = [
            {"metric": one.metric, **_named(one.alone), "folds": one.folds, "signature": one.signature}
            for one in self.candidates
        ]
        if self.redundancy is not None:
            told["redundancy"] = {
                "metrics": list(self.redundancy.metrics),
                "phi": [list(map(number_or_null, row)) for row in self.redundancy.phi.tolist()],
                "agreement": [list(map(number_or_null, row)) for row in self.redundancy.agreement.tolist()],
                "groups": [list(group) for group in self.redundancy.groups],
            }
        return [told]


def _named(kings: Kings | None, before: str = "") -> dict[str, float | None]:
    king, strict = kings if kings is not None else (None, None)
    return {
        f"{before}king": None if king is None else number_or_null(king),
        f"{before}strict_king": None if strict is None else number_or_null(strict),
    }


def _pair_of_ends(interval: Interval) -> list[float | None]:
    return [number_or_null(interval.low), number_or_null(interval.high)]
