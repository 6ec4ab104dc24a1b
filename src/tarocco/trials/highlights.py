"""The most interesting findings, by one rule: how much of what could be surprising is.

Every finding has a kind and a size from 0 to 1:

judges      a metric that two judges rank differently: the distance of the ranks, of the largest there can be
systems     two systems that metrics order both ways, each significantly: twice the smaller party, of all metrics
people      two systems that metrics and people order differently: their distance in people's order, of the largest
gaming      what an audit rewards: the share of segments, of pairs of systems, or of straw men that shows it
references  references that need not have been paid for, of all; or what a metric loses with more of them
sets        what a set of metrics adds to the strict KING of the best single one on segments not seen, of that

The largest finding of each kind comes first, by size, then the others by size; a dozen at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.audit.evidence import AuditFinding as Gamed
from tarocco.meta.correlation.score_sources import make_human_source
from tarocco.trials.findings import Findings
from tarocco.trials.judgments import Judgments, format_ordinal, rank_values
from tarocco.trials.system_groups import SystemRanking, listed

MOST = 12


class Highlight(NamedTuple):
    """One finding worth telling."""

    kind: str
    size: float
    sentence: str


def find_highlights(
    findings: Findings,
    opinions: Mapping[str, Judgments],
    trusted: Sequence[str],
    systems: SystemRanking | None,
    every: SystemRanking | None,
) -> tuple[str, ...]:
    """Sentences, the most interesting first; systems are compared by the trusted metrics, and by every metric."""
    found = [
        *_judges(opinions),
        *(_systems(every) if every is not None else ()),
        *(_people(findings, systems) if systems is not None else ()),
        *(_gaming(findings.audit) if findings.audit is not None else ()),
        *_references(findings, trusted),
        *_sets(findings),
    ]
    return tuple(one.sentence for one in order_highlights([one for one in found if one.size > 0])[:MOST])


def order_highlights(found: Sequence[Highlight]) -> list[Highlight]:
    """The largest of each kind by size, then the others by size."""
    by_size = sorted(found, key=lambda one: -one.size)
    firsts: dict[str, Highlight] = {}
    for one in by_size:
        firsts.setdefault(one.kind, one)
    leading = list(firsts.values())
    return [*leading, *(one for one in by_size if not any(one is first for first in leading))]


def _judges(opinions: Mapping[str, Judgments]) -> Iterator[Highlight]:
    told = {
        "ORANGE": "at ranking people's translations above machines' (ORANGE)",
        "KING": "at telling people's translations from all systems' (KING)",
        "people": "at agreeing with people's scores",
    }
    for one, other in combinations([judge for judge in told if judge in opinions], 2):
        both = [name for name in opinions[one] if name in opinions[other]]
        places = [
            rank_values({name: -float(opinions[judge][name].rank or 0) for name in both}) for judge in (one, other)
        ]
        for name in both:
            first, second = places[0][name], places[1][name]
            size = abs(first - second) / (len(both) - 1) if len(both) > 1 else 0.0
            yield Highlight(
                "judges",
                size,
                f"{name} is {format_ordinal(first)} of {len(both)} metrics {told[one]}, "
                f"but {format_ordinal(second)} {told[other]}.",
            )


def _systems(systems: SystemRanking) -> Iterator[Highlight]:
    for one, other, first, second in systems.contested:
        calls = "metric calls" if first == 1 else "metrics call"
        yield Highlight(
            "systems",
            2 * min(first, second) / len(systems.metrics),
            f"{one} or {other}? {first} {calls} {one} better, {second} {other}, all of them significantly.",
        )


def _people(findings: Findings, systems: SystemRanking) -> Iterator[Highlight]:
    human = findings.human
    if human is None or len(human.systems) < 3:
        return
    criterion = next(iter(human.criteria))
    scores = dict(zip(human.systems, make_human_source(human, criterion).systems.tolist(), strict=True))
    places = rank_values({name: value for name, value in scores.items() if value == value})
    # Sorted, because the order of a set of strings differs from run to run.
    for better, worse in sorted(systems.better, key=lambda pair: tuple(map(systems.order.index, pair))):
        if better in places and worse in places and places[better] > places[worse]:
            yield Highlight(
                "people",
                (places[better] - places[worse]) / (len(places) - 1),
                f"{listed(systems.metrics, 3)} {'call' if len(systems.metrics) > 1 else 'calls'} {better} better than "
                f"{worse} for real, but for people ({criterion}) {worse} is {format_ordinal(places[worse])} "
                f"and {better} {format_ordinal(places[better])} of {len(places)}.",
            )


def _gaming(audit: AuditResult) -> Iterator[Highlight]:
    for name in audit:
        for outcome in audit[name].values():
            if outcome.gamed:
                yield Highlight("gaming", min(1.0, outcome.size), gamed(outcome.findings[0]))


def gamed(finding: Gamed) -> str:
    """What a metric rewards, in plain words."""
    told, check = finding.numbers, finding.check
    if check == "sign test":
        one, other = finding.systems
        return f"By the sign test {finding.metric} finds {one} better than {other} and {other} better than {one}."
    if check == "mixing":
        mixed, system = finding.systems
        return f"{finding.metric} has {mixed} above {system} in every part of the text, and below it on the whole."
    if check == "deletion" and told["greedy"]:
        share = f"{100 * told['greedy_share']:.0f}%"
        return (
            f"{finding.metric} gives {told['system']} no worse a score with {share} of its segments empty, if they "
            "are well chosen."
        )
    if check == "deletion":
        return f"{finding.metric} hardly minds if {told['blanked']} random segments of {told['system']} are empty."
    if check == "trading":
        one, other = finding.systems
        return f"Half of {one} with half of {other} scores higher than either of them under {finding.metric}."
    if told["of"] is None:
        what = "An empty output"
    else:
        what = f"{told['of']} written twice" if told["straw_man"] == "doubled" else f"The first half of {told['of']}"
    beaten = "the system it was made of" if told["outranks_its_own"] else told["compared_with"]
    others = len(told["outranks"]) - 1
    return f"{what} scores higher under {finding.metric} than {beaten}" + (f" and {others} more." if others else ".")


def _references(findings: Findings, trusted: Sequence[str]) -> Iterator[Highlight]:
    for curve in findings.curves.named_curves if findings.curves is not None else ():
        said = curve.verdict
        if said.kind == "degrades":
            goodness = curve.goodness
            size = 1 - max(0.0, goodness[-1]) / max(goodness)
        elif said.kind in ("flat", "saturates") and said.enough and (not trusted or curve.metric in trusted):
            size = (1 - said.enough / curve.most) / 2  # half of it: what was paid for does no harm
        else:
            continue
        yield Highlight("references", size, f"{said.sentence}.")


def _sets(findings: Findings) -> Iterator[Highlight]:
    best = findings.optimal
    if best is None or best.cross_validation is None or len(best.metrics) < 2:
        return
    together, alone = best.cross_validation.kings[1], best.cross_validation.best_single[1]
    if alone > 0:
        yield Highlight(
            "sets",
            min(1.0, together / alone - 1),
            f"{' + '.join(best.metrics)} tell people's translations from all systems' in {100 * together:.1f}% of "
            f"cases not seen before, the best single metric in {100 * alone:.1f}%.",
        )
