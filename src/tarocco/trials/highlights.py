"""The most interesting findings, each of which follows from tests.

Every finding has a kind and a size from 0 to 1:

judges      a metric that one judge supports and another refutes: 1
systems     two systems that metrics order both ways, each significantly: twice the smaller number of metrics, of all
people      two systems that metrics order one way and people the other, both significantly: their distance in people's
            order, of the largest
gaming      what an audit rewards: the share of segments, of pairs of systems, or of made-up outputs that shows it
references  references that are not needed, of all; or what a metric loses with more of them

The largest finding of each kind comes first, by size, then the others by size; a dozen at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.audit.evidence import AuditFinding
from tarocco.meta.correlation.score_sources import make_human_source
from tarocco.trials.findings import Findings
from tarocco.trials.judgments import Judgments, find_disagreements
from tarocco.trials.system_groups import SystemRanking, find_contradictions, listed

MOST = 12


class Highlight(NamedTuple):
    """One finding worth telling."""

    kind: str
    size: float
    sentence: str


def find_highlights(
    findings: Findings, judgments: Mapping[str, Judgments], rankings: Sequence[SystemRanking] | None
) -> tuple[str, ...]:
    """Return sentences, the most interesting first. `rankings` are by the chosen metrics, and by all of them."""
    highlights = [
        *_judges(judgments),
        *(_systems(rankings[1]) if rankings else ()),
        *(_people(findings, rankings[0]) if rankings else ()),
        *(_gaming(findings.audit) if findings.audit is not None else ()),
        *_references(findings),
    ]
    return tuple(
        highlight.sentence
        for highlight in order_highlights([highlight for highlight in highlights if highlight.size > 0])[:MOST]
    )


def order_highlights(highlights: Sequence[Highlight]) -> list[Highlight]:
    """Return the largest of each kind by size, then the others by size."""
    by_size = sorted(highlights, key=lambda highlight: -highlight.size)
    firsts: dict[str, Highlight] = {}
    for highlight in by_size:
        firsts.setdefault(highlight.kind, highlight)
    leading = list(firsts.values())
    return [*leading, *(highlight for highlight in by_size if not any(highlight is first for first in leading))]


def _judges(judgments: Mapping[str, Judgments]) -> Iterator[Highlight]:
    yield from (Highlight("judges", 1.0, sentence) for sentence in find_disagreements(judgments))


def _systems(ranking: SystemRanking) -> Iterator[Highlight]:
    for first_system, second_system, first, second in ranking.contested:
        rank = "1 metric ranks" if first == 1 else f"{first} metrics rank"
        other = "1 ranks" if second == 1 else f"{second} rank"
        yield Highlight(
            "systems",
            2 * min(first, second) / len(ranking.metrics),
            f"{rank} {first_system} higher and {other} {second_system} higher, all significantly.",
        )


def _people(findings: Findings, ranking: SystemRanking) -> Iterator[Highlight]:
    human = findings.human
    if human is None or len(human.systems) < 3:
        return
    criterion = next(iter(human.criteria))
    scores = dict(zip(human.systems, make_human_source(human, criterion).systems.tolist(), strict=True))
    places = {name: sum(other > value for other in scores.values()) for name, value in scores.items()}
    for better, worse in find_contradictions(ranking, human, findings):
        finds = "finds" if len(ranking.metrics) == 1 else "find"
        yield Highlight(
            "people",
            (places[better] - places[worse]) / (len(places) - 1),
            f"{listed(ranking.metrics, 3)} {finds} {better} better than {worse}, but people ({criterion}) find {worse} "
            f"better than {better}; both differences are significant.",
        )


def _gaming(audit: AuditResult) -> Iterator[Highlight]:
    for name in audit:
        for outcome in audit[name].values():
            if outcome.gamed:
                yield Highlight("gaming", min(1.0, outcome.size), describe_gaming(outcome.findings[0]))


def describe_gaming(finding: AuditFinding) -> str:
    """Return what a metric rewards, in plain words."""
    numbers, check = finding.numbers, finding.check
    if check == "sign test":
        first, second = finding.systems
        return (
            f"By the sign test, {finding.metric} finds {first} better than {second} and {second} better than {first}."
        )
    if check == "mixing":
        mixed, system = finding.systems
        return f"{finding.metric} ranks {mixed} above {system} in every part of the text, but below it on the whole."
    if check == "deletion" and numbers["greedy"]:
        share = f"{100 * numbers['greedy_share']:.0f}%"
        return (
            f"Under {finding.metric}, {numbers['system']} scores no worse with {share} of its segments empty (chosen "
            "by a search)."
        )
    if check == "deletion":
        return (
            f"{finding.metric} drops little if {numbers['blanked']} random segments of {numbers['system']} are empty."
        )
    if check == "trading":
        first, second = finding.systems
        return f"Half of {first} with half of {second} scores higher than either of them under {finding.metric}."
    if numbers["of"] is None:
        what = "An empty output"
    else:
        what = (
            f"{numbers['of']} written twice"
            if numbers["straw_man"] == "doubled"
            else f"The first half of {numbers['of']}"
        )
    beaten = "the system it was made from" if numbers["outranks_its_own"] else numbers["compared_with"]
    others = len(numbers["outranks"]) - 1
    return f"{what} scores higher under {finding.metric} than {beaten}" + (f" and {others} more." if others else ".")


def _references(findings: Findings) -> Iterator[Highlight]:
    for curve in findings.curves.named_curves if findings.curves is not None else ():
        verdict = curve.verdict
        if verdict.kind == "degrades":
            size = 1 - max(0.0, curve.goodness[-1]) / max(curve.goodness)
        elif verdict.kind in ("flat", "saturates") and verdict.enough:
            size = (1 - verdict.enough / curve.most) / 2  # half: a reference that is not needed does no harm
        else:
            continue
        yield Highlight("references", size, f"{verdict.sentence}.")
