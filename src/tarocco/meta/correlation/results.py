"""What a correlation with people gives: records that keep what made them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tarocco.core.errors import UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.meta.correlation.levels import Coefficient
from tarocco.meta.correlation.metric_tests import Lead
from tarocco.meta.correlation.pairwise_accuracy import TieCalibration
from tarocco.meta.correlation.settings import Question


@dataclass(frozen=True)
class Accuracies:
    """How often a metric and people agree which of two is better; None where there is no such thing at a level."""

    pairwise: float | None = None  # the share of pairs of systems in people's order
    soft: float | None = None
    ties: TieCalibration | None = None  # accuracy with ties, of outputs of the same segment

    def to_dict(self) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        if self.pairwise is not None:
            found["accuracy"] = number_or_null(self.pairwise)
        if self.soft is not None:
            found["soft_accuracy"] = number_or_null(self.soft)
        if self.ties is not None:
            found |= {"accuracy_with_ties": number_or_null(self.ties.accuracy), "epsilon": self.ties.epsilon}
        return found


@dataclass(frozen=True)
class Correlation:
    """How well one metric agrees with people by one criterion."""

    metric: str
    criterion: str
    coefficients: Mapping[str, Coefficient]
    interval: Interval  # of the coefficient that was asked for
    accuracies: Accuracies
    cluster: int  # 1 for the best; 0: it has no correlation
    sentinel: bool
    place: int  # where it was asked for
    scored: str  # the metric's own signature
    judged: str  # by whom, and how

    @property
    def signature(self) -> str:
        """What it takes to find these numbers again."""
        return f"{self.scored}|{self.judged}"

    def to_dict(self, coefficient: str) -> dict[str, Any]:
        """The record as it stands in JSON."""
        own = self.coefficients[coefficient]
        return {
            "metric": self.metric,
            "criterion": self.criterion,
            **{name: number_or_null(one.value) for name, one in self.coefficients.items()},
            "interval": [number_or_null(self.interval.low), number_or_null(self.interval.high)],
            **self.accuracies.to_dict(),
            **({"groups": own.groups, "groups_defined": own.defined} if own.groups > 1 else {}),
            "cluster": self.cluster or None,
            "sentinel": self.sentinel,
            **({"undefined": own.why} if own.why else {}),
            "signature": self.signature,
        }


@dataclass(frozen=True, eq=False)
class CorrelateResult(ResultTable):
    """How well metrics agree with people, the best first under each criterion, and which leads are more than luck."""

    correlations: tuple[Correlation, ...]
    leads: tuple[Lead, ...]
    question: Question
    how: Mapping[str, str]  # by criterion, what all signatures have in common
    human_level: str  # what people judged: system or segment
    outliers: Mapping[str, tuple[str, ...]]  # by criterion, systems far from the others
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.correlations)

    def __len__(self) -> int:
        return len(self.correlations)

    def __getitem__(self, metric: str) -> Correlation:
        """What was found of a metric; by the first criterion, where there are several (`of` names another)."""
        return self.of(metric)

    def of(self, metric: str, criterion: str | None = None) -> Correlation:
        """What was found of a metric by a criterion."""
        for one in self.correlations:
            if one.metric == metric and criterion in (None, one.criterion):
                return one
        raise UnknownName(f'"{metric}" was not correlated; there are {", ".join(dict.fromkeys(self._names))}')

    @property
    def _names(self) -> list[str]:
        return [one.metric for one in self.correlations]

    @property
    def criteria(self) -> list[str]:
        """What people judged, in order."""
        return list(dict.fromkeys(one.criterion for one in self.correlations))

    def value(self, one: Correlation) -> float:
        """The coefficient that was asked for."""
        return one.coefficients[self.question.coefficient].value

    def asked_values(self) -> list[float]:
        """The coefficients of the metrics alone, criterion by criterion, in the order that they were asked for."""
        return [
            self.value(one)
            for criterion in self.criteria
            for one in sorted(self.correlations, key=lambda one: one.place)
            if one.criterion == criterion and not one.sentinel
        ]

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a metric and criterion."""
        flat = []
        for one in self.to_dict():
            low, high = one.pop("interval")
            signature = one.pop("signature")
            flat.append({**one, "low": low, "high": high, "signature": signature})
        return flat

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco correlate -f json` prints under "results"."""
        return [one.to_dict(self.question.coefficient) for one in self.correlations]

    def pairs(self) -> list[dict[str, Any]]:
        """One flat record a pair of metrics and criterion; what `--pairs` prints."""
        return [
            {
                "criterion": one.criterion,
                "metric": one.metric,
                "other": one.other,
                "lead": one.lead,
                "test": one.test,
                "p_value": number_or_null(one.p_value),
                "p_holm": number_or_null(one.p_holm),
                "significant": one.significant,
                "williams_t": number_or_null(one.williams_t),
                "williams_p": number_or_null(one.williams_p),
                "signature": self.how[one.criterion],
            }
            for one in self.leads
        ]

    def __repr__(self) -> str:
        name = self.question.coefficient
        return "\n".join(
            f"{one.metric} ({one.criterion}): {name} "
            + ("undefined" if math.isnan(self.value(one)) else f"{self.value(one):.4f}")
            for one in self.correlations
        )
