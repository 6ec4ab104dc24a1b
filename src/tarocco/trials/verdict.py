"""The verdict of a trial in plain words, by rules that fit on a page.

judgments.py collects the judges of metrics and which metrics each of them calls best. From these judgments:

trusted   most of ORANGE, KING and people that know the metric call it best, people among them where they were
          asked, and no judge objects to it
doubted   none of them calls it best, or its correlation with people is 0 or less
unjudged  none of them knows it: an audit can take trust away, but alone it makes none
mixed     everything else

Systems are compared by the trusted metrics, or, where there are none, by the mixed ones, or else by all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from tarocco.meta.correlation.agreement import spearman
from tarocco.trials.findings import Findings, Judgment, MetricVerdict, Verdict
from tarocco.trials.highlights import find_highlights
from tarocco.trials.judgments import JUDGES, Judgments, collect_judgments, format_ordinal, select_human_result
from tarocco.trials.plan import counted
from tarocco.trials.system_groups import describe_systems, listed, rank_systems

TRUST = ("trusted", "mixed", "doubted", "unjudged")
FEW_SEGMENTS, FEW_SYSTEMS = 200, 8  # below these a caveat is due
MANY_TIES = 0.5  # of KING


def reach_verdict(findings: Findings) -> Verdict:
    """What all judges together say of metrics, what the metrics say of systems, and what is worth telling."""
    names = _metrics(findings)
    opinions = collect_judgments(findings)
    metrics = sorted((judge_metric(name, opinions) for name in names), key=lambda one: _place(one, opinions))
    trusted = [one.metric for one in metrics if one.trust == "trusted"]
    systems, every, whose = None, None, ""
    if findings.comparison is not None and findings.comparison.differences:
        tested = list(dict.fromkeys(one.metric for one in findings.comparison.differences))
        chosen, whose = _who_compares(metrics, tested)
        systems, every = rank_systems(findings.comparison, chosen), rank_systems(findings.comparison, tested)
    return Verdict(
        headline=_headline(metrics, opinions),
        metrics=tuple(metrics),
        disagreements=find_disagreements(opinions),
        systems=describe_systems(systems, whose, findings.human) if systems else _not_compared(findings),
        interesting=find_highlights(findings, opinions, trusted, systems, every),
        caveats=tuple(_caveats(findings, opinions)),
        groups=systems.groups if systems else (),
        compared_by=systems.metrics if systems else (),
    )


def _metrics(findings: Findings) -> list[str]:
    of_systems = [str(score.metric) for score in findings.scores.scores] if findings.scores is not None else []
    of_lists = list(findings.orange) if findings.orange is not None else []
    return list(dict.fromkeys([*of_systems, *of_lists]))


# --- metrics -------------------------------------------------------------------------------------------------------


def judge_metric(metric: str, opinions: Mapping[str, Judgments]) -> MetricVerdict:
    """One metric by the rules above."""
    own = tuple(opinions[judge][metric] for judge in JUDGES if metric in opinions.get(judge, {}))
    votes = [one for one in own if one.judge != "audit" and one.standing is not None]
    best = [one.judge for one in votes if one.standing == 1]
    people = next((one for one in votes if one.judge == "people"), None)
    objections = [one.objection for one in own if one.objection is not None]
    if not votes:
        trust = "unjudged"
    elif not best or (people is not None and people.objection is not None):
        trust = "doubted"
    elif 2 * len(best) > len(votes) and (people is None or people.standing == 1) and not objections:
        trust = "trusted"
    else:
        trust = "mixed"
    return MetricVerdict(metric, trust, _reason(votes, best, own, objections), own)


def _reason(votes: Sequence[Judgment], best: Sequence[str], own: Sequence[Judgment], objections: Sequence[str]) -> str:
    others = [f"{one.judge} ({format_ordinal(one.rank)})" for one in votes if one.standing == 0 and one.rank]
    parts = []
    if best:
        parts.append(f"among the best for {_joined(best)}")
    if others:
        parts.append(f"not among the best for {_joined(others)}")
    if not votes:
        parts.append("no judge of metrics knows it")
    audit = next((one for one in own if one.judge == "audit"), None)
    parts += [text for text in objections if audit is None or text != audit.objection]
    if audit is not None:
        parts.append(audit.sentence)
    return "; ".join(parts)


def _place(one: MetricVerdict, opinions: Mapping[str, Judgments]) -> tuple[int, bool, int, float]:
    """By trust, by whether a judge objects, by how many call it best, and by its mean rank, as a share of the field."""
    votes = [own for own in one.judgments if own.judge != "audit"]
    ranks = [(own.rank or 0) / len(opinions[own.judge]) for own in votes]
    best = sum(own.standing or 0 for own in votes)
    objected = any(own.objection is not None for own in one.judgments)
    return TRUST.index(one.trust), objected, -best, float(np.mean(ranks)) if ranks else 1.0


def _headline(metrics: Sequence[MetricVerdict], opinions: Mapping[str, Judgments]) -> str:
    judges = [judge for judge in JUDGES if judge in opinions and judge != "audit"]
    trusted = [one.metric for one in metrics if one.trust == "trusted"]
    if not judges:
        return (
            "Nothing here can say which metric to trust: that takes human scores, n-best lists with two references, or "
            "three references."
        )
    by = _joined(judges)
    if len(trusted) == 1:
        return f"{trusted[0]} deserves trust here, by {by}: {metrics[0].reason}."
    if trusted:
        return f"{_joined(trusted)} deserve trust here, by {by}."
    mixed = [one for one in metrics if one.trust == "mixed"]
    if not mixed:
        return f"No metric deserves trust here, by {by}."
    nearest = f"the nearest is {mixed[0].metric}: {mixed[0].reason}"
    return f"No metric deserves trust without reservation here, by {by}; {nearest}."


def find_disagreements(opinions: Mapping[str, Judgments]) -> tuple[str, ...]:
    """Where judges contradict each other: in their whole order of metrics, and on single metrics.

    A whole order is contradicted where the rank correlation of two judges is 0 or less. A single metric is one that a
    judge calls best and another ranks in the lower half, or objects to.
    """
    said = []
    for one, other in combinations([judge for judge in JUDGES if judge in opinions and judge != "audit"], 2):
        both = [name for name in opinions[one] if name in opinions[other]]
        ranks = [np.array([float(opinions[judge][name].rank or 0) for name in both]) for judge in (one, other)]
        alike = spearman(*ranks) if len(both) > 2 else math.nan
        if alike <= 0:
            said.append(f"{one} and {other} order the metrics in opposite ways (rank correlation {alike:+.2f}).")
    for name in dict.fromkeys(name for own in opinions.values() for name in own):
        own = {judge: opinions[judge][name] for judge in JUDGES if name in opinions.get(judge, {})}
        for_it = [judge for judge, opinion in own.items() if opinion.standing == 1 and judge != "audit"]
        against = [
            opinion.objection or f"for {judge} it is {format_ordinal(opinion.rank or 0)} of {len(opinions[judge])}"
            for judge, opinion in own.items()
            if opinion.objection is not None
            or (judge != "audit" and opinion.standing == 0 and 2 * (opinion.rank or 0) > len(opinions[judge]))
        ]
        if for_it and against:
            said.append(f"{name} is among the best for {_joined(for_it)}, but {_joined(against)}.")
    return tuple(said)


# --- systems -------------------------------------------------------------------------------------------------------


def _who_compares(metrics: Sequence[MetricVerdict], tested: Sequence[str]) -> tuple[list[str], str]:
    for trust, whose in (("trusted", "the metrics that deserve trust"), ("mixed", "metrics of mixed standing")):
        chosen = [one.metric for one in metrics if one.trust == trust and one.metric in tested]
        if chosen:
            return chosen, whose
    return list(tested), "all metrics"


def _not_compared(findings: Findings) -> tuple[str, ...]:
    why = next((step.why for step in findings.plan if step.name == "significance" and not step.possible), None)
    return (f"Systems were not compared: {why}.",) if why else ()


# --- caveats -------------------------------------------------------------------------------------------------------


def _caveats(findings: Findings, opinions: Mapping[str, Judgments]) -> list[str]:
    """What the data could not tell."""
    said = []
    if findings.test_set is not None:
        segments, systems = len(findings.test_set), len(findings.test_set.systems)
        if segments < FEW_SEGMENTS:
            said.append(f"{counted(segments, 'segment')} are few: judges can tell only large differences apart.")
        if systems < FEW_SYSTEMS:
            said.append(f"{counted(systems, 'system')} are few: another one could change the picture.")
    if findings.correlations and "people" not in opinions:
        said.append(
            "People have no say: by their scores metrics cannot be told from the length of the output or chance."
        )
    result = select_human_result(findings.correlations)
    if result is not None and result is not findings.correlations[0]:
        said.append(
            "People are heard within segments: over whole systems no metric can be told from the length of the output "
            "or chance."
        )
    if result is not None and len(result.criteria) > 1:
        said.append(f"People judged by {listed(result.criteria)}; the verdict is by the first.")
    if findings.kings is not None:
        alone = [one for one in findings.kings if len(one.metrics) == 1 and one.king > 0]
        tied = [one.metrics[0] for one in alone if one.ties > MANY_TIES * one.king]
        if tied:
            said.append(f"More than half of KING is ties for {listed(tied)}: strict KING counts none of them.")
        if "KING" not in opinions:
            said.append("KING has no say: no metric finds a held-out reference better than all systems in any segment.")
    judges = [judge for judge in JUDGES if judge in opinions and judge != "audit"]
    if len(judges) == 1:
        said.append(f"{judges[0]} is the only judge of metrics here: nobody could contradict.")
    return said


def _joined(names: Sequence[str]) -> str:
    """One, two and three."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
