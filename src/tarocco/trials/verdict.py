"""The verdict of a trial in plain words, by rules that fit on a page.

judgments.py says which metrics each judge supports, refutes or leaves open. From these judgments:

trusted                      people support it for such systems; where there are no human scores, at least two
                             other judges support it; no judge refutes it, nor would with fewer metrics
trusted among these systems  the same, but people support it only for the systems at hand
doubted                      people refute it, or all judges do
open                         everything else

Severe findings of the data audit hold the verdict back: every metric is open until the user accepts the data. Systems
are compared by the trusted metrics, or, where there are none, by all metrics that are not doubted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tarocco.meta.support.decision import OPEN, REFUTED, SUPPORTED, THESE, Support
from tarocco.trials.findings import Findings, Judgment, MetricVerdict, Verdict
from tarocco.trials.highlights import find_highlights
from tarocco.trials.judgments import (
    AUDIT,
    DECIDING,
    JUDGES,
    PEOPLE,
    Judgments,
    collect_judgments,
    describe_missing,
    describe_refutation,
    find_disagreements,
)
from tarocco.trials.plan import counted
from tarocco.trials.system_groups import describe_systems, listed, rank_systems

TRUSTED, TRUSTED_HERE, DOUBTED = "trusted", "trusted among these systems", "doubted"
TRUST = (TRUSTED, TRUSTED_HERE, OPEN, DOUBTED)  # the most trusted first
MANY_TIES = 0.5  # of KING
NAMED = 3  # metrics that a headline names
ENOUGH = 0.95  # of resamples that could give the same verdict; the headline states a smaller share


def reach_verdict(findings: Findings) -> Verdict:
    """Return what all judges together say of metrics, what the metrics say of systems, and what limits both."""
    judgments = collect_judgments(findings)
    if findings.human_advantage is not None and findings.human_advantage.status == REFUTED:
        judgments = {judge: ours for judge, ours in judgments.items() if judge not in ("ORANGE", "KING")}
    held_back = is_held_back(findings)
    metrics = [judge_metric(name, judgments, findings.human is not None, held_back) for name in _metrics(findings)]
    metrics.sort(key=_place)
    rankings = None
    if findings.comparison is not None and findings.comparison.differences:
        tested = list(dict.fromkeys(difference.metric for difference in findings.comparison.differences))
        rankings = [rank_systems(findings.comparison, names) for names in (_choose_metrics(metrics, tested), tested)]
    systems = _not_compared(findings)
    if rankings is not None:
        systems = describe_systems(rankings[0], _whose(metrics, rankings[0].metrics), findings)
    return Verdict(
        headline=" ".join([_write_headline(findings, metrics, judgments), *findings.caveats]),
        metrics=tuple(metrics),
        judges=tuple(_describe_judge(judge, judgments[judge]) for judge in judgments if judge != AUDIT),
        disagreements=find_disagreements(judgments),
        open_questions=() if held_back else tuple(_describe_open(metrics)),
        systems=systems,
        interesting=find_highlights(findings, judgments, rankings),
        caveats=tuple(_find_caveats(findings, judgments)),
        groups=rankings[0].groups if rankings else (),
        compared_by=rankings[0].metrics if rankings else (),
    )


def is_held_back(findings: Findings) -> bool:
    """Return whether the data audit found something severe that the user has not accepted."""
    return findings.data_audit is not None and bool(findings.data_audit.severe) and not findings.accept_data


def _metrics(findings: Findings) -> list[str]:
    of_systems = [str(score.metric) for score in findings.scores.scores] if findings.scores is not None else []
    of_lists = list(findings.orange) if findings.orange is not None else []
    return list(dict.fromkeys([*of_systems, *of_lists]))


# --- metrics ---


def judge_metric(
    metric: str, judgments: Mapping[str, Judgments], has_human: bool, held_back: bool = False
) -> MetricVerdict:
    """Return the verdict on one metric by the rules above."""
    ours = tuple(judgments[judge][metric] for judge in JUDGES if metric in judgments.get(judge, {}))
    deciding = {judgment.judge: judgment for judgment in ours if judgment.judge in DECIDING}
    supporting = [judge for judge, judgment in deciding.items() if judgment.status == SUPPORTED]
    refuting = [judge for judge, judgment in deciding.items() if judgment.status == REFUTED]
    unopposed = not _opponents(ours)
    trust = OPEN
    if held_back:
        pass
    elif PEOPLE in refuting or (refuting and len(refuting) == len(deciding)):
        trust = DOUBTED
    elif PEOPLE in supporting and unopposed:
        trust = _trust_of(deciding[PEOPLE])
    elif not has_human and len(supporting) > 1 and unopposed:
        trust = max((_trust_of(deciding[judge]) for judge in supporting), key=TRUST.index)
    return MetricVerdict(metric, trust, _describe_reasons(ours), ours)


def _opponents(judgments: Sequence[Judgment]) -> list[Judgment]:
    """Return the judgments that forbid trust."""
    deciding = [judgment for judgment in judgments if judgment.judge in DECIDING]
    return [
        judgment
        for judgment in deciding
        if judgment.status == REFUTED or (judgment.support is not None and judgment.support.opposed)
    ]


def _trust_of(judgment: Judgment) -> str:
    """Return how far a judge's support reaches."""
    support = judgment.support
    return TRUSTED_HERE if support is not None and support.population == THESE else TRUSTED


def _describe_reasons(judgments: Sequence[Judgment]) -> str:
    if all(judgment.judge == AUDIT for judgment in judgments):
        return "; ".join(["not enough data to judge this metric", *(judgment.sentence for judgment in judgments)])
    return "; ".join(
        judgment.sentence if judgment.judge == AUDIT else f"{judgment.judge}: {judgment.sentence}"
        for judgment in judgments
    )


def _describe_open(metrics: Sequence[MetricVerdict]) -> Iterator[str]:
    """Yield for each open metric what was not shown, and what it would take."""
    for metric in metrics:
        if metric.trust != OPEN:
            continue
        deciding = [judgment for judgment in metric.judgments if judgment.judge in DECIDING and judgment.support]
        deciding = [judgment for judgment in deciding if judgment.judge == PEOPLE] or deciding
        not_shown = [judgment for judgment in deciding if judgment.status == OPEN]
        if not_shown:
            yield f"{metric.metric}: {'; '.join(f'{one.judge}: {describe_missing(one.support)}' for one in not_shown)}."
        elif _opponents(metric.judgments):
            yield f"{metric.metric}: {'; '.join(_describe_objection(one) for one in _opponents(metric.judgments))}."


def _describe_objection(judgment: Judgment) -> str:
    support = judgment.support
    assert support is not None
    if judgment.status == REFUTED:
        return f"refuted by {judgment.judge}: {describe_refutation(support)}"
    return (
        f"not trusted because of {judgment.judge}: {support.rival} is better by more than {support.margin:.2f} in "
        f"{100 * support.beaten:.0f}% of resamples"
    )


def _place(metric: MetricVerdict) -> tuple[int, float]:
    """Sort by trust, then by the value that the first judge gives."""
    deciding = [judgment for judgment in metric.judgments if judgment.judge in DECIDING]
    return TRUST.index(metric.trust), -deciding[0].value if deciding else 1.0


def _describe_judge(judge: str, judgments: Judgments) -> str:
    """Return which metrics a judge supports, refutes and leaves open."""
    first = next(iter(judgments.values())).support
    assert first is not None
    about = ", ".join(filter(None, (first.criterion, first.coefficient)))
    parts = []
    for status, verb in ((SUPPORTED, "supported"), (REFUTED, "refuted"), (OPEN, "open")):
        names = [metric for metric, judgment in judgments.items() if judgment.status == status]
        if names:
            parts.append(f"{verb}: {listed(names, len(JUDGES))}")
    return f"{judge} ({about}): {'; '.join(parts)}."


def _write_headline(findings: Findings, metrics: Sequence[MetricVerdict], judgments: Mapping[str, Judgments]) -> str:
    judges = [judge for judge in DECIDING if judge in judgments]
    if is_held_back(findings):
        assert findings.data_audit is not None
        severe = findings.data_audit.severe
        return (
            f"No verdict: the data audit has {counted(len(severe), 'severe finding')}. {severe[0].evidence} Correct "
            "the data, or confirm that they are right (--accept-data)."
        )
    if findings.human is not None and PEOPLE not in judgments:
        return (
            f"Open: people judged {counted(len(findings.human.systems), 'system')}. It takes at least six to say which "
            "metric ranks systems as people do."
        )
    if not judges:
        return (
            "No verdict: nothing here can say which metric to trust. That takes human scores of six systems, or both "
            "n-best lists and three references."
        )
    here = f"Trusted among these {_count_systems(findings)} systems"
    for trust, where in ((TRUSTED, "Trusted"), (TRUSTED_HERE, here)):
        trusted = [metric for metric in metrics if metric.trust == trust]
        if trusted:
            return f"{where}{_describe_supported(trusted, findings)}"
    if metrics and all(metric.trust == DOUBTED for metric in metrics):
        return f"No metric deserves trust here: all are refuted ({', '.join(judges)})."
    nearest = next(metric for metric in metrics if metric.trust == OPEN)
    if _supports(nearest) and _opponents(nearest.judgments):
        disputed = [metric for metric in metrics if _supports(metric) and _opponents(metric.judgments)]
        return _describe_conflict(disputed, findings)
    return f"Open: no metric is shown to deserve trust here. The nearest is {nearest.metric}; {nearest.reason}."


def _describe_conflict(metrics: Sequence[MetricVerdict], findings: Findings) -> str:
    """Return which judges support metrics that others oppose, and what the opponents assume."""
    opponents = list(dict.fromkeys(judgment.judge for metric in metrics for judgment in _opponents(metric.judgments)))
    assumption = ""
    if PEOPLE not in opponents:
        assume = "assume" if len(opponents) > 1 else "assumes"
        assumption = f" {' and '.join(opponents)} {assume} that texts by people are better than the systems' texts."
    objects = "object" if len(opponents) > 1 else "objects"
    supported = _describe_supported(metrics, findings)
    return (
        f"Open, because judges disagree. Supported{supported} But {' and '.join(opponents)} "
        f"{objects} to {'it' if len(metrics) == 1 else 'each of them'}.{assumption}"
    )


def _count_systems(findings: Findings) -> int:
    """Return how many systems people judged, or how many there are."""
    if findings.human is not None:
        return len(findings.human.systems)
    return len(findings.test_set.systems) if findings.test_set is not None else 0


def _describe_supported(metrics: Sequence[MetricVerdict], findings: Findings) -> str:
    """Return who supports these metrics, their numbers, and how stable that is."""
    supports = {metric.metric: _supports(metric) for metric in metrics}
    first = supports[metrics[0].metric]
    by = [f"{support.judge} ({', '.join(filter(None, (support.criterion, support.coefficient)))})" for support in first]
    if findings.human is not None and findings.human.level == "system" and first[0].judge == PEOPLE:
        by.append("taking people's scores as given")
    named = []
    for metric, ours in list(supports.items())[:NAMED]:
        values = (f"{support.value:.2f} [{support.low:.2f}, {support.high:.2f}]" for support in ours)
        named.append(f"{metric} {' and '.join(values)}")
    more = f" and {len(metrics) - NAMED} more" if len(metrics) > NAMED else ""
    stable = _describe_stability([ours[0] for ours in supports.values()])
    return f" by {', '.join(by) if findings.human is not None else ' and '.join(by)}: {', '.join(named)}{more}.{stable}"


def _supports(metric: MetricVerdict) -> list[Support]:
    """Return the tests of the judges that trust rests on: people, or else the judges that support the metric."""
    supports = [
        judgment.support
        for judgment in metric.judgments
        if judgment.support is not None and judgment.judge in DECIDING and judgment.status == SUPPORTED
    ]
    return [support for support in supports if support.judge == PEOPLE] or supports


def _describe_stability(supports: Sequence[Support]) -> str:
    """Return how often resampled data give these metrics the same status."""
    of_segments = _describe_shares([support.segment_stability for support in supports])
    of_both = _describe_shares([support.stability for support in supports])
    if of_both is None:
        return f" The same verdict comes out in {of_segments} of resamples of segments." if of_segments else ""
    limit = next((support.stability_limit for support in supports if support.stability_limit is not None), 1.0)
    few = "" if limit > ENOUGH else f"; only {100 * limit:.0f}% of the latter have enough different systems"
    if of_segments is None:
        few = few.replace("the latter", "these")
        return f" The same verdict comes out in {of_both} of resamples of systems and segments{few}."
    return (
        f" The same verdict comes out in {of_segments} of resamples of segments, and in {of_both} of resamples of "
        f"systems and segments{few}."
    )


def _describe_shares(shares: Sequence[float | None]) -> str | None:
    """Return "90%", or "85 to 90%" of several."""
    known = sorted({round(100 * share) for share in shares if share is not None})
    if not known:
        return None
    return f"{known[0]}%" if len(known) == 1 else f"{known[0]} to {known[-1]}%"


# --- systems ---


def _choose_metrics(metrics: Sequence[MetricVerdict], tested: Sequence[str]) -> list[str]:
    """Return the trusted metrics, else those that are not doubted, else all."""
    for accepted in (TRUST[:2], TRUST[:3], TRUST):
        chosen = [metric.metric for metric in metrics if metric.trust in accepted and metric.metric in tested]
        if chosen:
            return chosen
    return list(tested)


def _whose(metrics: Sequence[MetricVerdict], chosen: Sequence[str]) -> str:
    trusted = any(metric.trust in TRUST[:2] for metric in metrics if metric.metric in chosen)
    return "trusted metrics" if trusted else "metrics, none of them trusted"


def _not_compared(findings: Findings) -> tuple[str, ...]:
    why = next((step.why for step in findings.plan if step.name == "significance" and not step.possible), None)
    return (f"Systems were not compared: this needs {why}.",) if why else ()


# --- caveats ---


def _find_caveats(findings: Findings, judgments: Mapping[str, Judgments]) -> list[str]:
    """Return what limits the verdict."""
    caveats = []
    if findings.data_audit is not None and findings.data_audit.severe and findings.accept_data:
        count = counted(len(findings.data_audit.severe), "severe finding")
        caveats.append(f"The data audit has {count}. There is a verdict because the user accepted the data.")
    criteria = list(findings.human.criteria) if findings.human is not None else []
    if PEOPLE in judgments and len(criteria) > 1:
        caveats.append(f"People judged {listed(criteria)}; the verdict is by the first.")
    if findings.human_advantage is not None and (findings.orange is not None or findings.kings is not None):
        sentence = findings.human_advantage.sentence
        caveats.append(f"{sentence[:1].upper()}{sentence[1:]}.")
    elif findings.human is None and {"ORANGE", "KING"} & set(judgments):
        caveats.append(
            "There are no human scores. ORANGE and KING assume that human translations are better than machine "
            "translations, which was not tested here."
        )
    if findings.kings is not None:
        single = [king for king in findings.kings if len(king.metrics) == 1 and king.king > 0]
        tied = [king.metrics[0] for king in single if king.ties > MANY_TIES * king.king]
        if tied:
            caveats.append(f"More than half of KING is ties for {listed(tied)}: strict KING counts none of them.")
    return caveats
