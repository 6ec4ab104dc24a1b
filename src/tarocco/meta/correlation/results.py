"""What is asked of metrics and people: how agreement is measured, and how luck is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from tarocco.core.errors import BadParameter, UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.meta.correlation.agreement import COEFFICIENTS, TieCalibration
from tarocco.meta.correlation.levels import Coefficient, CorrelationLevel
from tarocco.meta.correlation.metric_tests import MetricComparison, check_test
from tarocco.scoring.resampling import check_resampling

SYSTEM_SCORES = ("corpus", "mean")
SOFT_PERMUTATIONS = 1000  # of soft pairwise accuracy, as in Thompson et al. 2024


@dataclass(frozen=True)
class Question:
    """How agreement is measured, and how luck is."""

    level: str
    grouping: str
    coefficient: str
    system_scores: str  # corpus or mean
    outliers: str  # kept or dropped
    test: str
    alpha: float
    n_permutations: int
    confidence: float
    n_resamples: int
    seed: int
    documents: tuple[int, int]  # how many, and of how many segments

    def signature(self, tests: Iterable[str], dropped: Sequence[str]) -> str:
        """What signatures of all metrics have in common: the question, which tests it led to, and who was left out."""
        parts: list[tuple[str, object]] = [("level", self.level)]
        if self.level != "system":
            parts.append(("grouping", self.grouping))
        if self.level == "document":
            parts.append(("documents", f"{self.documents[0]}x{self.documents[1]}"))
        if self.level == "segment":
            parts.append(("ties", "calibrated"))
        if self.level == "system":
            outliers = f"dropped({','.join(dropped)})" if dropped else self.outliers
            parts += [("system", self.system_scores), ("outliers", outliers), ("spa", SOFT_PERMUTATIONS)]
        parts += [("coefficient", self.coefficient), ("test", "+".join(sorted(set(tests))) or self.test)]
        if self.test == "perm":
            parts.append(("permutations", self.n_permutations))
        parts += [("alpha", f"{self.alpha:g}"), ("correction", "holm")]
        parts += [("confidence", f"{self.confidence:g}"), ("n", self.n_resamples), ("seed", self.seed)]
        return "|".join(f"{key}:{value}" for key, value in parts)


def make_question(
    *,
    level: str,
    grouping: str | None,
    coefficient: str | None,
    system_scores: str,
    drop_outliers: bool,
    test: str | None,
    alpha: float,
    n_permutations: int | None,
    confidence: float,
    n_resamples: int,
    seed: int,
    documents: tuple[int, int],
) -> Question:
    """What was asked, checked before anything is computed, with what follows where it was left open."""
    view = CorrelationLevel(level, grouping or "none")
    chosen = coefficient or ("pearson" if level == "system" else "kendall")
    if chosen not in COEFFICIENTS:
        raise BadParameter(f"a correlation is one of {', '.join(COEFFICIENTS)}, not {chosen!r}")
    if system_scores not in SYSTEM_SCORES:
        raise BadParameter(f"system_scores is one of {', '.join(SYSTEM_SCORES)}, not {system_scores!r}")
    if drop_outliers and level != "system":
        raise BadParameter("outliers are systems, and are dropped at system level alone")
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise BadParameter(f"alpha is a number between 0 and 1, not {alpha!r}")
    counts = {"n_permutations": n_permutations, "n_documents": documents[0], "document_size": documents[1]}
    for name, number in counts.items():
        if number is not None and not (isinstance(number, Integral) and number >= 1):
            raise BadParameter(f"{name} is an integer of at least 1, not {number!r}")
    check_resampling(confidence, n_resamples, seed)
    tested = check_test(test, view)
    if tested == "williams" and chosen != "pearson":
        raise BadParameter(f"Williams' test is for Pearson's correlation, not for {chosen}")
    return Question(
        level=level,
        grouping=view.grouping,
        coefficient=chosen,
        system_scores=system_scores,
        outliers="dropped" if drop_outliers else "kept",
        test=tested,
        alpha=float(alpha),
        n_permutations=0 if n_permutations is None else int(n_permutations),
        confidence=float(confidence),
        n_resamples=int(n_resamples),
        seed=int(seed),
        documents=(int(documents[0]), int(documents[1])),
    )


# What a correlation with people gives: records that keep what made them.


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
    metric_comparisons: tuple[MetricComparison, ...]
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

    def metric_values(self) -> list[float]:
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
            for one in self.metric_comparisons
        ]

    def __repr__(self) -> str:
        name = self.question.coefficient
        return "\n".join(
            f"{one.metric} ({one.criterion}): {name} "
            + ("undefined" if math.isnan(self.value(one)) else f"{self.value(one):.4f}")
            for one in self.correlations
        )
