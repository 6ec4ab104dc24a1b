"""All results of a run in one record. Parts that were not computed are None.

A page has one section per part, so any command can make a page from its own result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tarocco.core.records import Displayed, Row, number_or_null
from tarocco.core.test_set import HumanScores, Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.explanation.records import ExplainResult
from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import JackResult, KingResult, OptimizeResult, QueenResult
from tarocco.meta.references.curves import ReferencesResult
from tarocco.meta.significance.compare import CompareResult
from tarocco.meta.support.assumption import HumanAdvantage
from tarocco.meta.support.decision import Support
from tarocco.metrics.base import Floats
from tarocco.scoring.results import Result
from tarocco.trials.data_audit.findings import DataAudit


@dataclass(frozen=True, eq=False)
class MetricAgreement:
    """How similarly metrics score segments: the rank correlation of their scores, errors negated, over all systems.

    The metrics are in the order of an average-linkage clustering, so similar metrics are neighbors.
    """

    metrics: tuple[str, ...]
    correlation: Floats  # [metrics, metrics], symmetric; NaN where there is none


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Scores of parts of the test set: genres, or segments of similar length."""

    by: str  # what the parts differ in, such as "group" or "reference length"
    parts: tuple[str, ...]
    sizes: tuple[int, ...]  # segments of each part
    systems: tuple[str, ...]
    scores: Mapping[str, Floats]  # of each metric, [parts, systems]


@dataclass(frozen=True)
class PlanStep:
    """One step of a trial, and whether the data allow it."""

    name: str  # scores, significance, KING, ORANGE, people, references, audit, ...
    question: str  # what it answers, in a few words
    possible: bool
    why: str  # what it is done with, or what is missing for it


@dataclass(frozen=True)
class Judgment:
    """What one judge says of one metric, with the tests that it follows from."""

    judge: str  # people, people within segments, ORANGE, KING or audit
    metric: str
    status: str  # supported, refuted or open; of an audit: gamed or not gamed
    value: float
    sentence: str
    support: Support | None = None  # None for an audit


@dataclass(frozen=True)
class MetricVerdict:
    """What all judges together say of one metric."""

    metric: str
    trust: str  # a key of TRUST in verdict.py
    reason: str
    judgments: tuple[Judgment, ...]


@dataclass(frozen=True)
class Verdict:
    """The end of a trial in plain words: the same for terminal, JSON and page."""

    headline: str
    metrics: tuple[MetricVerdict, ...]  # the most trusted first
    judges: tuple[str, ...] = ()  # what each judge supports and refutes
    disagreements: tuple[str, ...] = ()  # metrics that one judge supports and another refutes
    open_questions: tuple[str, ...] = ()  # why metrics are open, and what it would take
    systems: tuple[str, ...] = ()  # which systems differ significantly
    interesting: tuple[str, ...] = ()  # the most interesting findings, of which the first three are printed
    caveats: tuple[str, ...] = ()  # what limits the verdict
    groups: tuple[tuple[str, ...], ...] = ()  # systems, the best first: every pair across a boundary differs
    compared_by: tuple[str, ...] = ()  # the metrics that systems were grouped by


@dataclass(frozen=True, eq=False)
class Findings(Displayed):
    """The results of a run."""

    name: str  # of the experiment
    command: str  # that repeats the run
    encoding: Encoding | None = None
    seed: int | None = None
    test_set: TestSet | None = None
    source: Segments | None = None
    groups: tuple[str, ...] | None = None  # one label per segment
    human: HumanScores | None = None
    data_audit: DataAudit | None = None
    caveats: tuple[str, ...] = ()  # remarks of the experiment file on its data
    accept_data: bool = False  # whether the user wants a verdict in spite of severe findings of the data audit
    scores: Result | None = None
    comparison: CompareResult | None = None
    agreement: MetricAgreement | None = None
    breakdowns: tuple[Breakdown, ...] = ()
    orange: OrangeResult | None = None
    kings: KingResult | None = None
    queens: QueenResult | None = None
    jack: JackResult | None = None
    optimal: OptimizeResult | None = None
    correlations: tuple[CorrelateResult, ...] = ()  # at one or more levels
    supports: tuple[Support, ...] = ()  # what people, ORANGE and KING say of metrics
    human_advantage: HumanAdvantage | None = None  # of references over systems, where people judged references
    curves: ReferencesResult | None = None
    audit: AuditResult | None = None
    explanations: ExplainResult | None = None  # of segments that are worth a look
    plan: tuple[PlanStep, ...] = ()
    verdict: Verdict | None = None
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what `tarocco trial -f json` prints under "results": one record per part."""
        return list(make_records(self))

    def display(self) -> list[Row]:
        """Return one row per metric: how far it can be trusted, and why."""
        verdicts = self.verdict.metrics if self.verdict else ()
        return [{"metric": item.metric, "trust": item.trust, "reason": item.reason} for item in verdicts]

    def captions(self) -> list[str]:
        """Return the headline of the verdict."""
        return [self.verdict.headline] if self.verdict else []

    def __repr__(self) -> str:
        said = "no verdict" if self.verdict is None else self.verdict.headline
        return f"<trial of {self.name}: {said}>"


# Each part of a trial as plain records, which are those of the command that computes this part alone.


def make_records(findings: Findings) -> Iterator[dict[str, Any]]:
    """Yield one record per part that was computed."""
    yield {"part": "plan", "steps": [asdict(step) for step in findings.plan]}
    if findings.data_audit is not None:
        audit = findings.data_audit
        yield {"part": "data", "passed": list(audit.passed), "skipped": dict(audit.skipped), "results": audit.to_dict()}
    if findings.scores is not None:
        yield {"part": "scores", "results": findings.scores.to_dict()}
    if findings.comparison is not None:
        test = findings.comparison.test
        about = {"part": "significance", "test": test.name, "n_resamples": test.n_resamples}
        yield about | {"results": findings.comparison.to_dict()}
    if findings.agreement is not None:
        names, correlation = list(findings.agreement.metrics), _lists_of_numbers(findings.agreement.correlation)
        yield {"part": "agreement", "metrics": names, "correlation": correlation}
    for breakdown in findings.breakdowns:
        fields = {name: list(getattr(breakdown, name)) for name in ("parts", "sizes", "systems")}
        scores = {name: _lists_of_numbers(scores) for name, scores in breakdown.scores.items()}
        yield {"part": "breakdown", "by": breakdown.by, **fields, "scores": scores}
    yield from _judges_of_metrics(findings)
    if findings.verdict is not None:
        yield {
            "part": "verdict",
            **asdict(replace(findings.verdict, metrics=())),
            "metrics": _metrics(findings.verdict),
        }


def _judges_of_metrics(findings: Findings) -> Iterator[dict[str, Any]]:
    if findings.orange is not None:
        yield {"part": "ORANGE", "left_out": dict(findings.orange.left_out), "results": findings.orange.to_dict()}
    if findings.kings is not None:
        yield {"part": "KING", "level": findings.kings.level, "results": findings.kings.to_dict()}
    for name, result in (("QUEEN", findings.queens), ("JACK", findings.jack), ("optimal set", findings.optimal)):
        if result is not None:
            yield {"part": name, "results": result.to_dict()}
    for correlated in findings.correlations:
        design = correlated.design
        about = {"level": design.level, "grouping": design.grouping, "coefficient": design.coefficient}
        yield {"part": "people", **about, "n_resamples": design.n_resamples, "results": correlated.to_dict()}
    if findings.supports:
        yield {"part": "support", "results": [support.to_dict() for support in findings.supports]}
    if findings.curves is not None:
        yield {"part": "references", "judged_by": findings.curves.judged_by, "results": findings.curves.to_dict()}
    if findings.audit is not None:
        yield {"part": "audit", "results": findings.audit.to_dict()}


def _metrics(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the verdict on each metric; the tests that support a judgment are in the part named support."""
    return [
        {
            "metric": metric.metric,
            "trust": metric.trust,
            "reason": metric.reason,
            "judgments": [asdict(replace(judgment, support=None)) for judgment in metric.judgments],
        }
        for metric in verdict.metrics
    ]


def _lists_of_numbers(table: Floats) -> list[list[float | None]]:
    return [list(map(number_or_null, row)) for row in table.tolist()]
