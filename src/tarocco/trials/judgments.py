"""What each judge says of each metric: which ones are its best, how they rank, and what it objects to.

ORANGE   best: cannot be told from the metric with the lowest ORANGE (the interval of the difference has zero in it)
         objects: ORANGE of 50% or more, which chance would give
KING     best: the same for strict KING, by the paired bootstrap over segments; no opinion where every metric has 0
people   best: the lead of the metric with the highest correlation is not significant (`tarocco correlate`, Holm's
         correction); over systems, or, where that metric does not even lead the rows that know nothing of quality
         significantly, within segments; no opinion where it does not lead them there either
         objects: a correlation of 0 or less
audit    best: gamed in as few of the checks as any metric here; objects: gamed in more than half of them
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import King, KingResult
from tarocco.scoring.resampling import bootstrap, percentiles
from tarocco.trials.findings import Findings, Judgment

CHANCE = 0.5  # the ORANGE of a metric that knows nothing
JUDGES = ("ORANGE", "KING", "people", "audit")

Judgments = Mapping[str, Judgment]  # by metric


def collect_judgments(findings: Findings) -> dict[str, Judgments]:
    """By judge, and for each judge by metric."""
    found: dict[str, Judgments] = {}
    if findings.orange is not None:
        found["ORANGE"] = of_orange(findings.orange)
    if findings.kings is not None:
        found["KING"] = judge_by_king(findings.kings)
    if findings.correlations:
        found["people"] = of_people(findings.correlations)
    if findings.audit is not None:
        found["audit"] = of_audit(findings.audit)
    return {judge: own for judge, own in found.items() if own}


def of_orange(result: OrangeResult) -> Judgments:
    known = {one.metric: one for one in result.metrics if not math.isnan(one.orange)}
    ranks = rank_values({name: -one.orange for name, one in known.items()})
    return {
        name: Judgment(
            "ORANGE",
            int(one.equivalent_to_best),
            ranks[name],
            one.orange,
            f"puts people's translations at {100 * one.orange:.1f}% of the list ({_place(ranks, name)})",
            f"its ORANGE is {100 * one.orange:.1f}%, no better than chance" if one.orange >= CHANCE else None,
        )
        for name, one in known.items()
    }


def judge_by_king(result: KingResult) -> Judgments:
    alone = {one.metrics[0]: one for one in result if len(one.metrics) == 1 and not math.isnan(one.strict_king)}
    best = max(alone.values(), key=lambda one: one.strict_king, default=None)
    if best is None or best.strict_king == 0:
        return {}
    ranks = rank_values({name: one.strict_king for name, one in alone.items()})
    return {
        name: Judgment(
            "KING",
            int(not differ_significantly(best, one)),
            ranks[name],
            one.strict_king,
            f"tells people from all systems in {100 * one.strict_king:.1f}% of cases ({_place(ranks, name)})",
        )
        for name, one in alone.items()
    }


def differ_significantly(best: King, other: King) -> bool:
    """Whether the bootstrap interval of the difference of two strict KINGs, on the same segments, is above zero."""
    both = ~(np.isnan(best.strict_segments) | np.isnan(other.strict_segments))
    if best is other or both.sum() < 2:
        return False
    drawn = bootstrap(
        np.ascontiguousarray((best.strict_segments - other.strict_segments)[both][:, None]),
        best.interval.n_resamples,
        best.interval.seed,
    )
    low, _ = percentiles(drawn[:, 0], (1 - best.interval.confidence) / 2)
    return low > 0


def of_people(results: Sequence[CorrelateResult]) -> Judgments:
    result = select_human_result(results)
    if result is None:
        return {}
    first = result.criteria[0]
    own = [one for one in result if one.criterion == first and not one.sentinel and one.cluster]
    behind = _behind(result)
    values = {one.metric: result.value(one) for one in own}
    ranks = rank_values(values)
    what = "scores of systems" if result.design.level == "system" else "scores of segments"
    told = result.design.coefficient.capitalize()
    return {
        one.metric: Judgment(
            "people",
            int(one.metric not in behind),
            ranks[one.metric],
            values[one.metric],
            f"{told} correlation {values[one.metric]:.3f} with people's {what} ({_place(ranks, one.metric)})",
            f"its correlation with people is {values[one.metric]:.3f}" if values[one.metric] <= 0 else None,
        )
        for one in own
    }


def select_human_result(results: Sequence[CorrelateResult]) -> CorrelateResult | None:
    """The first level at which metrics can be told from rows that know nothing of quality; None if there is none."""
    for result in results:
        own = [one for one in result if one.criterion == result.criteria[0] and one.cluster]
        if own and not own[0].sentinel and {one.metric for one in own if one.sentinel} <= _behind(result):
            return result
    return None


def _behind(result: CorrelateResult) -> set[str]:
    """What the first metric leads significantly, by the first criterion."""
    first = result.correlations[0]
    return {
        lead.other
        for lead in result.metric_comparisons
        if lead.significant and (lead.metric, lead.criterion) == (first.metric, first.criterion)
    }


def of_audit(result: AuditResult) -> Judgments:
    checked = [name for name in result if result.count_possible(name)]
    shares = {name: result.count_gamed(name) / result.count_possible(name) for name in checked}
    fewest = min(shares.values(), default=0.0)
    ranks = rank_values({name: -share for name, share in shares.items()})
    return {
        name: Judgment(
            "audit",
            int(share == fewest),
            ranks[name],
            share,
            f"can be gamed in {result.count_gamed(name)} of {result.count_possible(name)} ways",
            f"it can be gamed in {result.count_gamed(name)} of {result.count_possible(name)} ways"
            if share > 0.5
            else None,
        )
        for name, share in shares.items()
    }


def rank_values(values: Mapping[str, float]) -> dict[str, int]:
    """1 for the highest; equals share the better rank."""
    return {name: 1 + sum(other > value for other in values.values()) for name, value in values.items()}


def _place(ranks: Mapping[str, int], name: str) -> str:
    return f"{format_ordinal(ranks[name])} of {len(ranks)}"


def format_ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th"""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
