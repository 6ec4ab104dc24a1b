"""All results of a run in one record. Parts that were not computed are None.

A page has one section per part, so any command can make a page from its own result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
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
from tarocco.metrics.base import Floats
from tarocco.scoring.results import Result


@dataclass(frozen=True, eq=False)
class MetricAgreement:
    """How alike metrics judge segments: the rank correlation of their scores, errors negated, over all systems.

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
    """What one judge says of one metric. `standing` is 1 for the best metrics that this judge knows, 0 for those that
    it can tell from the best, and None where it has no opinion; `sentence` gives the number in plain words.
    """

    judge: str  # ORANGE, KING, people, audit
    standing: int | None
    rank: int | None
    value: float | None
    sentence: str
    objection: str | None = None  # why this judge holds that nobody should trust the metric here, if it does


@dataclass(frozen=True)
class MetricVerdict:
    """The verdict of all judges on one metric."""

    metric: str
    trust: str  # "trusted", "mixed", "doubted" or "unjudged": verdict.py has the rules
    reason: str  # one sentence
    judgments: tuple[Judgment, ...]


@dataclass(frozen=True)
class Verdict:
    """The end of a trial, in plain words: the same for terminal, JSON and page."""

    headline: str
    metrics: tuple[MetricVerdict, ...]  # the most trusted first
    disagreements: tuple[str, ...]  # where the judges contradict each other
    systems: tuple[str, ...]  # which systems differ for real
    interesting: tuple[str, ...]  # the most interesting findings, the first three being worth printing
    caveats: tuple[str, ...] = ()  # what the data could not tell
    groups: tuple[tuple[str, ...], ...] = ()  # systems, the best first; within a group none is better for real
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
    curves: ReferencesResult | None = None
    audit: AuditResult | None = None
    explanations: ExplainResult | None = None  # of segments that are worth a look
    plan: tuple[PlanStep, ...] = ()
    verdict: Verdict | None = None
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco trial -f json` prints under "results": a record a part, with the records of single commands."""
        from tarocco.trials.findings import records_of

        return records_of(self)

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


# What a trial found as plain records: for each part those of the command that finds it alone.


def records_of(findings: Findings) -> list[dict[str, Any]]:
    """Return one record per part that was computed."""
    found: list[dict[str, Any]] = []

    def part(name: str, **more: Any) -> None:
        found.append({"part": name, **more})

    part("plan", steps=[asdict(step) for step in findings.plan])
    if findings.scores is not None:
        part("scores", results=findings.scores.to_dict())
    if findings.comparison is not None:
        test = findings.comparison.test
        part("significance", test=test.name, n_resamples=test.n_resamples, results=findings.comparison.to_dict())
    if findings.agreement is not None:
        rows = findings.agreement.correlation.tolist()
        part(
            "agreement",
            metrics=list(findings.agreement.metrics),
            correlation=[list(map(number_or_null, row)) for row in rows],
        )
    for one in findings.breakdowns:
        scores = {name: [list(map(number_or_null, row)) for row in own.tolist()] for name, own in one.scores.items()}
        part(
            "breakdown",
            by=one.by,
            parts=list(one.parts),
            sizes=list(one.sizes),
            systems=list(one.systems),
            scores=scores,
        )
    if findings.orange is not None:
        part("ORANGE", left_out=dict(findings.orange.left_out), results=findings.orange.to_dict())
    if findings.kings is not None:
        part("KING", level=findings.kings.level, results=findings.kings.to_dict())
    if findings.queens is not None:
        part("QUEEN", results=findings.queens.to_dict())
    if findings.jack is not None:
        part("JACK", results=findings.jack.to_dict())
    if findings.optimal is not None:
        part("optimal set", results=findings.optimal.to_dict())
    for correlated in findings.correlations:
        asked = correlated.design
        about = {"level": asked.level, "grouping": asked.grouping, "coefficient": asked.coefficient}
        part("people", **about, n_resamples=asked.n_resamples, results=correlated.to_dict())
    if findings.curves is not None:
        part("references", judged_by=findings.curves.judged_by, results=findings.curves.to_dict())
    if findings.audit is not None:
        part("audit", results=findings.audit.to_dict())
    if findings.verdict is not None:
        verdict = asdict(findings.verdict)
        for metric in verdict["metrics"]:  # JSON has called judgments opinions since the first release
            metric["opinions"] = metric.pop("judgments")
        part("verdict", **verdict)
    return found
