"""What each judge says of each metric: supported, refuted or open.

people                  agreement with human scores on pairs of systems, by the first criterion
people within segments  the same for the outputs of each segment
ORANGE, KING            whether the metric tells human from machine translations
audit                   in how many ways the metric can be gamed; it warns, and decides nothing

meta/support has the tests. Here they become one judgment per judge and metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.support.decision import REFUTED, SUCH, SUPPORTED, Support
from tarocco.trials.findings import Findings, Judgment

PEOPLE, WITHIN_SEGMENTS, AUDIT = "people", "people within segments", "audit"
JUDGES = (PEOPLE, WITHIN_SEGMENTS, "ORANGE", "KING", AUDIT)
DECIDING = (PEOPLE, "ORANGE", "KING")  # the judges that a verdict follows

Judgments = Mapping[str, Judgment]  # by metric


def collect_judgments(findings: Findings) -> dict[str, Judgments]:
    """Return judgments by judge and by metric. Of several criteria of people, the first one counts."""
    by_judge: dict[str, dict[str, list[Support]]] = {}
    first = next((support.criterion for support in findings.supports if support.judge == PEOPLE), None)
    for support in findings.supports:
        judge = WITHIN_SEGMENTS if support.judge == PEOPLE and support.level == "segment" else support.judge
        if support.judge != PEOPLE or support.criterion == first:
            by_judge.setdefault(judge, {}).setdefault(support.metric, []).append(support)
    judgments: dict[str, Judgments] = {
        judge: {metric: judge_by_support(judge, select_support(ours)) for metric, ours in by_metric.items()}
        for judge, by_metric in by_judge.items()
    }
    if findings.audit is not None:
        judgments[AUDIT] = judge_by_audit(findings.audit)
    return {judge: judgments[judge] for judge in JUDGES if judgments.get(judge)}


def select_support(supports: Sequence[Support]) -> Support:
    """Return the statement that says most: support for such systems, support for these, then anything refuted."""
    ordered = sorted(supports, key=lambda support: support.population != SUCH)
    for status in (SUPPORTED, REFUTED):
        for support in ordered:
            if support.status == status:
                return support
    return ordered[0]


def judge_by_support(judge: str, support: Support) -> Judgment:
    """Return the judgment that follows from tests of one metric."""
    return Judgment(judge, support.metric, support.status, support.value, describe_support(support), support)


def describe_support(support: Support) -> str:
    """Return the number, its interval and the status in one sentence."""
    number = f"{support.coefficient} {support.value:.3f} [{support.low:.3f}, {support.high:.3f}]"
    if support.status == SUPPORTED:
        return f"supported for {support.population}: {number}"
    if support.status == REFUTED:
        return f"refuted for {support.population}: {number}, {describe_refutation(support)}"
    return f"open: {number}, {describe_missing(support)}"


def describe_missing(support: Support | None) -> str:
    """Return what was not shown of a metric, and what it would take."""
    assert support is not None
    return "; ".join([*support.reasons, *filter(None, [support.needed])])


def describe_refutation(support: Support) -> str:
    """Return why a metric is refuted."""
    if support.rival is not None and support.refuted_by == "rival":
        return f"{support.rival} is better by more than {support.margin:.2f}"
    return f"shown to be below the floor of {support.floor:.2f}"


def judge_by_audit(result: AuditResult) -> Judgments:
    """Return in how many ways each metric can be gamed."""
    judgments = {}
    for metric in result:
        possible, count = result.count_possible(metric), result.count_gamed(metric)
        if possible:
            sentence = f"can be gamed in {count} of {possible} ways"
            judgments[metric] = Judgment(AUDIT, metric, "gamed" if count else "not gamed", count / possible, sentence)
    return judgments


def find_disagreements(judgments: Mapping[str, Judgments]) -> tuple[str, ...]:
    """Return which metrics one judge supports and another refutes."""
    sentences = []
    for metric in dict.fromkeys(metric for ours in judgments.values() for metric in ours):
        ours = [judgments[judge][metric] for judge in judgments if judge != AUDIT and metric in judgments[judge]]
        by_status = {
            status: [judgment.judge for judgment in ours if judgment.status == status]
            for status in (SUPPORTED, REFUTED)
        }
        if all(by_status.values()):
            supporting, refuting = (_joined(by_status[status]) for status in (SUPPORTED, REFUTED))
            sentences.append(f"{metric} is supported by {supporting}, but refuted by {refuting}.")
    return tuple(sentences)


def _joined(names: Sequence[str]) -> str:
    """Return "one, two and three"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
