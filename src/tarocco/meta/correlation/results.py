"""What `correlate` takes and returns: its options, and one record per metric and criterion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from tarocco.core.errors import BadParameter, UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null, to_json
from tarocco.meta.correlation.accuracy_at_difference import AccuracyAtDifference
from tarocco.meta.correlation.agreement import COEFFICIENTS, TieCalibration
from tarocco.meta.correlation.levels import Coefficient, CorrelationLevel
from tarocco.meta.correlation.metric_tests import MetricComparison, choose_test
from tarocco.meta.correlation.pairwise import LEVEL_OF, PAIRWISE, SOFT_PERMUTATIONS, TIES
from tarocco.meta.correlation.raters import RaterAgreement
from tarocco.meta.support.decision import SUCH, THESE
from tarocco.scoring.resampling import Units
from tarocco.scoring.settings import Resampling

SYSTEM_SCORES = ("corpus", "mean")
POPULATIONS = {"such": SUCH, "these": THESE}


@dataclass(frozen=True)
class CorrelationOptions:
    """How agreement with people is measured and tested.

    level
        "system", "segment" or "document" (pseudo-documents: `n_documents` random sets of `document_size` segments).
    grouping
        Below system level, points are in one list ("none", the default), or correlated item by item ("item") or system
        by system ("system") and averaged.
    coefficient
        pearson (the default at system level), spearman, kendall (tau-b, the default below), kendall-a or kendall-c;
        accuracy, spa or spa-symmetric (soft pairwise accuracy) at system level; acc-eq (accuracy with calibrated ties)
        at segment level. Metrics are ranked and tested by it, and it has an interval.
    population
        What intervals and tests apply to: "such" systems (systems and segments are resampled, the default at system
        level) or "these" systems (segments are resampled, the default below).
    system_scores
        "corpus": the metric's score of the whole output of a system; "mean": the mean of its segment scores.
    drop_outliers
        Whether to leave out systems far from the others (Mathur et al. 2020); they are reported in any case.
    test
        The test between metrics: "perm" (PERM-SYS; for these systems PERM-BOTH, or PERM-INPUT for segments grouped by
        item), "williams" or "bootstrap".
    alpha
        Differences with a p-value of at most alpha, after Holm's correction, are significant.
    n_permutations
        By default 1000, or as many as a difference needs to be significant after the correction.
    n_documents, document_size
        The pseudo-documents.
    at_differences
        Differences between two systems, as tables print scores (1 is one BLEU point), for which to measure how often
        people agree with them. An empty list stands for the quartiles of each metric's differences.
    """

    level: str = "system"
    grouping: str | None = None
    coefficient: str | None = None
    system_scores: str = "corpus"
    drop_outliers: bool = False
    test: str | None = None
    alpha: float = 0.05
    n_permutations: int | None = None
    n_documents: int = 1000
    document_size: int = 30
    population: str | None = None
    at_differences: Sequence[float] | None = None

    def resolve(self, resampling: Resampling) -> CorrelationDesign:
        """Check the options and fill in the defaults that depend on others."""
        coefficient = self.coefficient or ("pearson" if self.level == "system" else "kendall")
        default_grouping = "item" if coefficient == TIES and self.level == "segment" else "none"
        level = CorrelationLevel(self.level, self.grouping or default_grouping)
        _check_coefficient(coefficient, level)
        population = _choose_population(self.population, coefficient, self.level)
        if self.system_scores not in SYSTEM_SCORES:
            raise BadParameter(f"system_scores is one of {', '.join(SYSTEM_SCORES)}, not {self.system_scores!r}")
        if self.drop_outliers and self.level != "system":
            raise BadParameter("outliers are systems, so they can be dropped at system level only")
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < 1):
            raise BadParameter(f"alpha is a number between 0 and 1, not {self.alpha!r}")
        for name in ("n_permutations", "n_documents", "document_size"):
            number = getattr(self, name)
            if number is not None and not (isinstance(number, Integral) and number >= 1):
                raise BadParameter(f"{name} is an integer of at least 1, not {number!r}")
        counts_systems = coefficient in PAIRWISE and coefficient != TIES
        default = "bootstrap" if counts_systems and population == THESE else None  # swaps apply to such systems
        test = choose_test(self.test or default, level, population)
        if test == "williams" and coefficient != "pearson":
            raise BadParameter(f"Williams' test is for Pearson's correlation, not for {coefficient}")
        return CorrelationDesign(
            level=self.level,
            grouping=level.grouping,
            coefficient=coefficient,
            system_scores=self.system_scores,
            outliers="dropped" if self.drop_outliers else "kept",
            test=test,
            alpha=float(self.alpha),
            n_permutations=0 if self.n_permutations is None else int(self.n_permutations),
            confidence=float(resampling.confidence),
            n_resamples=int(resampling.n_resamples),
            seed=int(resampling.seed),
            documents=(int(self.n_documents), int(self.document_size)),
            population=population,
            at_differences=None if self.at_differences is None else _check_differences(self.at_differences),
        )


def _check_coefficient(coefficient: str, level: CorrelationLevel) -> None:
    if coefficient not in (*COEFFICIENTS, *PAIRWISE):
        raise BadParameter(f"a coefficient is one of {', '.join((*COEFFICIENTS, *PAIRWISE))}, not {coefficient!r}")
    if LEVEL_OF.get(coefficient, level.level) != level.level:
        raise BadParameter(
            f"{coefficient} is a coefficient of the {LEVEL_OF[coefficient]} level, not of {level.level}s"
        )
    if coefficient == TIES and level.grouping != "item":
        raise BadParameter(f"{coefficient} compares outputs of the same segment: its grouping is item")


def _choose_population(name: str | None, coefficient: str, level: str) -> str:
    """Return the population that intervals apply to; raise BadParameter if systems cannot be resampled."""
    if name not in (None, *POPULATIONS):
        raise BadParameter(f"population is one of {', '.join(POPULATIONS)}, not {name!r}")
    untied = coefficient in ("kendall-a", "kendall-c")
    if name == "such" and level == "document":
        raise BadParameter("at document level only segments are resampled: population is these")
    if name == "such" and untied:
        raise BadParameter(
            f"{coefficient} does not correct for ties, and a system that is drawn twice ties with itself: population "
            "is these, or choose another coefficient"
        )
    return POPULATIONS[name or ("such" if level == "system" and not untied else "these")]


def _check_differences(differences: Sequence[float]) -> tuple[float, ...]:
    for number in differences:
        if not (isinstance(number, Real) and 0 < number < math.inf):
            raise BadParameter(f"at_differences are numbers above 0, not {number!r}")
    return tuple(float(number) for number in differences)


CORRELATION_OPTIONS = CorrelationOptions()


@dataclass(frozen=True)
class CorrelationDesign:
    """The options that a correlation was computed with, without open defaults, as JSON lists them."""

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
    population: str = THESE  # that intervals, and the bootstrap test, apply to
    at_differences: tuple[float, ...] | None = None

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.n_resamples, self.confidence, self.seed)

    def signature(self, tests: Iterable[str], dropped: Sequence[str], units: Units) -> str:
        """Return what the signatures of all metrics share: the design, the tests run, the dropped systems, the units.

        Segments are the published units, so only documents are named.
        """
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
        parts.append(("population", self.population.split()[0]))
        parts += [("coefficient", self.coefficient), ("test", "+".join(sorted(set(tests))) or self.test)]
        if self.test == "perm":
            parts.append(("permutations", self.n_permutations))
        parts += [("alpha", f"{self.alpha:g}"), ("correction", "holm")]
        if units.name == "document":
            parts.append(("unit", units.name))
        parts += [("confidence", f"{self.confidence:g}"), ("n", self.n_resamples), ("seed", self.seed)]
        return "|".join(f"{key}:{value}" for key, value in parts)


@dataclass(frozen=True)
class Accuracies:
    """How often a metric and people agree which of two is better; None for accuracies that a level does not have."""

    pairwise: float | None = None  # the share of pairs of systems in people's order
    soft: float | None = None
    ties: TieCalibration | None = None  # accuracy with ties, of outputs of the same segment

    def to_dict(self) -> dict[str, float | None]:
        values: dict[str, float | None] = {}
        if self.pairwise is not None:
            values["accuracy"] = number_or_null(self.pairwise)
        if self.soft is not None:
            values["soft_accuracy"] = number_or_null(self.soft)
        if self.ties is not None:
            values |= {"accuracy_with_ties": number_or_null(self.ties.accuracy), "epsilon": self.ties.epsilon}
        return values


@dataclass(frozen=True)
class Correlation:
    """How well one metric agrees with people by one criterion."""

    metric: str
    criterion: str
    coefficients: Mapping[str, Coefficient]
    interval: Interval  # of the coefficient that metrics are ranked by
    accuracies: Accuracies
    cluster: int  # 1 for the best; 0 without a correlation
    sentinel: bool
    place: int  # in the order in which metrics were listed
    metric_signature: str
    human_signature: str  # the human scores, and how agreement was measured
    pearson_without_outliers: float | None = None  # at system level, if some systems are outliers

    @property
    def signature(self) -> str:
        """What is needed to reproduce these numbers."""
        return f"{self.metric_signature}|{self.human_signature}"

    def to_dict(self, coefficient: str) -> dict[str, Any]:
        """Return the record as JSON has it."""
        main = self.coefficients[coefficient]
        return {
            "metric": self.metric,
            "criterion": self.criterion,
            **{name: number_or_null(coefficient.value) for name, coefficient in self.coefficients.items()},
            "interval": to_json(self.interval),
            **self.accuracies.to_dict(),
            **(
                {}
                if self.pearson_without_outliers is None
                else {"pearson_without_outliers": number_or_null(self.pearson_without_outliers)}
            ),
            **({"groups": main.groups, "groups_defined": main.defined} if main.groups > 1 else {}),
            "cluster": self.cluster or None,
            "sentinel": self.sentinel,
            **({"undefined": main.why} if main.why else {}),
            "signature": self.signature,
        }


@dataclass(frozen=True, eq=False)
class CorrelateResult(ResultTable):
    """How well metrics agree with people, the best first under each criterion, and tests between metrics."""

    correlations: tuple[Correlation, ...]
    metric_comparisons: tuple[MetricComparison, ...]
    design: CorrelationDesign
    human_signatures: Mapping[str, str]  # by criterion
    human_level: str  # what people judged: system or segment
    outliers: Mapping[str, tuple[str, ...]]  # by criterion, systems far from the others
    notes: tuple[str, ...]
    n_systems: int  # that people judged
    units: Units  # that resamples draw and tests swap
    differences: tuple[AccuracyAtDifference, ...] = ()  # how often people agree with a difference under each metric
    raters: tuple[RaterAgreement, ...] = ()  # by criterion, where several raters scored segments

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.correlations)

    def __len__(self) -> int:
        return len(self.correlations)

    def __getitem__(self, metric: str) -> Correlation:
        """Return the correlation of a metric by the first criterion (`of` takes another)."""
        return self.of(metric)

    def of(self, metric: str, criterion: str | None = None) -> Correlation:
        """Return the correlation of a metric by a criterion."""
        for record in self.correlations:
            if record.metric == metric and criterion in (None, record.criterion):
                return record
        names = dict.fromkeys(record.metric for record in self.correlations)
        raise UnknownName(f'"{metric}" was not correlated; there are {", ".join(names)}')

    @property
    def criteria(self) -> list[str]:
        """The criteria that people judged by, in order."""
        return list(dict.fromkeys(record.criterion for record in self.correlations))

    def value(self, record: Correlation) -> float:
        """Return the coefficient that metrics are ranked by."""
        return record.coefficients[self.design.coefficient].value

    def share_of_ceiling(self, record: Correlation) -> float | None:
        """Return a metric's agreement as a share of that among raters; None if the ceiling is unknown."""
        for raters in self.raters:
            if raters.criterion == record.criterion and raters.n_used:
                return raters.shares.get(record.metric)
        return None

    def metric_values(self) -> list[float]:
        """Return the coefficients of the metrics without sentinels, by criterion, in the order they were listed."""
        return [
            self.value(record)
            for criterion in self.criteria
            for record in sorted(self.correlations, key=lambda record: record.place)
            if record.criterion == criterion and not record.sentinel
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and criterion."""
        flat = []
        for record in self.to_dict():
            low, high = record.pop("interval")
            signature = record.pop("signature")
            flat.append({**record, "low": low, "high": high, "signature": signature})
        return flat

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what `tarocco correlate -f json` prints under "results"."""
        records = []
        for record in self.correlations:
            share = self.share_of_ceiling(record)
            more = {} if share is None else {"share_of_ceiling": number_or_null(share)}
            records.append(record.to_dict(self.design.coefficient) | more)
        return records

    def pairs(self) -> list[dict[str, Any]]:
        """Return one flat record per pair of metrics and criterion, as `--pairs` prints them."""
        return [
            {
                "criterion": comparison.criterion,
                "metric": comparison.metric,
                "other": comparison.other,
                "lead": comparison.difference,
                "test": comparison.test,
                "population": comparison.population,
                "p_value": number_or_null(comparison.p_value),
                "p_holm": number_or_null(comparison.p_holm),
                "significant": comparison.significant,
                "williams_t": number_or_null(comparison.williams_t),
                "williams_p": number_or_null(comparison.williams_p),
                "signature": self.human_signatures[comparison.criterion],
            }
            for comparison in self.metric_comparisons
        ]

    def __repr__(self) -> str:
        name = self.design.coefficient
        return "\n".join(
            f"{record.metric} ({record.criterion}): {name} "
            + ("undefined" if math.isnan(self.value(record)) else f"{self.value(record):.4f}")
            for record in self.correlations
        )
