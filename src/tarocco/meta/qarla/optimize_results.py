"""The set of metrics that a search found: how it was put together, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.meta.qarla.redundancy import Redundancy
from tarocco.meta.qarla.results import King
from tarocco.meta.qarla.search import Search

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
    search: Search
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
                "interval": _ends(cross.intervals[0]),
                "strict_interval": _ends(cross.intervals[1]),
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


def _ends(interval: Interval) -> list[float | None]:
    return [number_or_null(interval.low), number_or_null(interval.high)]
