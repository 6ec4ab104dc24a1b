"""What QARLA says: of systems (QUEEN), of sets of metrics (KING), of a test bed (JACK)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tarocco.core.errors import UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.metrics.base import Floats


@dataclass(frozen=True)
class TestBed:
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
    bed: TestBed

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
        return self.bed.notes

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
    bed: TestBed

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
        return self.bed.notes

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
            for place, number in enumerate(self.bed.segments)
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
