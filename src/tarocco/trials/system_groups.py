"""Which systems differ significantly under each of some metrics.

A system is better than another if the test of this very pair is significant under each metric, in the same direction.
Systems are ordered by how many others they are better than, minus how many are better than they are, and then by their
mean rank. A group ends only where every system before the boundary is better than every system after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tarocco.core.test_set import HumanScores
from tarocco.meta.correlation.score_sources import make_human_source
from tarocco.meta.significance.compare import CompareResult
from tarocco.meta.support.people import compare_by_people
from tarocco.trials.findings import Findings
from tarocco.trials.plan import counted

NAMED = 6  # systems or pairs that a sentence names before it only counts
ALPHA = 0.05  # of people's own differences

Pair = tuple[str, str]


@dataclass(frozen=True)
class SystemRanking:
    """What some metrics together say of systems."""

    metrics: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]  # the best first
    pairs: int
    better: frozenset[Pair]  # the first is significantly better than the second under each metric
    contested: tuple[tuple[str, str, int, int], ...]  # two systems, and how many metrics find which better

    @property
    def order(self) -> list[str]:
        """All systems, the best first."""
        return [name for group in self.groups for name in group]

    def rank_range(self, name: str) -> tuple[int, int]:
        """Return the ranks that the tests allow a system."""
        above = sum(worse == name for _, worse in self.better)
        below = sum(better == name for better, _ in self.better)
        return 1 + above, len(self.order) - below


def rank_systems(comparison: CompareResult, metrics: Sequence[str]) -> SystemRanking:
    """Rank the systems by what these metrics say of all pairs."""
    names = list(dict.fromkeys(score.system for score in comparison.scores.scores))
    wins: dict[Pair, int] = {}
    for difference in comparison.differences:
        if difference.metric in metrics and difference.significant and difference.better is not None:
            pair = (
                (difference.system, difference.baseline)
                if difference.better
                else (difference.baseline, difference.system)
            )
            wins[pair] = wins.get(pair, 0) + 1
    better = frozenset(pair for pair, count in wins.items() if count == len(metrics))
    contested = [
        (first, second, wins[first, second], wins[second, first])
        for first, second in combinations(names, 2)
        if (first, second) in wins and (second, first) in wins
    ]
    contested.sort(key=lambda pair: -min(pair[2:]))
    ranks = _mean_ranks(comparison, metrics, names)

    def place(name: str) -> tuple[int, float]:
        return sum((other == name) - (one == name) for one, other in better), ranks[name]

    groups: list[list[str]] = []
    order = sorted(names, key=place)
    for k, name in enumerate(order):
        if not groups or all((above, below) in better for above in order[:k] for below in order[k:]):
            groups.append([])
        groups[-1].append(name)
    pairs = len(names) * (len(names) - 1) // 2
    return SystemRanking(tuple(metrics), tuple(map(tuple, groups)), pairs, better, tuple(contested))


def _mean_ranks(comparison: CompareResult, metrics: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    by_metric: dict[str, dict[str, float]] = {}
    for score in comparison.scores.scores:
        if str(score.metric) in metrics:
            by_metric.setdefault(str(score.metric), {})[score.system] = score.metric.sign * score.score
    return {
        name: float(
            np.mean([sum(value > scores[name] for value in scores.values()) for scores in by_metric.values()] or [0])
        )
        for name in names
    }


def cluster_systems(comparison: CompareResult, metric: str) -> dict[str, int]:
    """Return the group of each system under one metric, 1 for the best; {} where the metric was not tested."""
    if metric not in comparison.groups:
        return {}
    return {name: k for k, group in enumerate(comparison.groups[metric].groups, start=1) for name in group}


def describe_systems(ranking: SystemRanking, whose: str, findings: Findings) -> tuple[str, ...]:
    """Return which systems differ significantly, under which metrics, and how often people agree."""
    assert findings.comparison is not None
    test, count = findings.comparison.test.name, len(ranking.better)
    by = f"{listed(ranking.metrics)} ({whose})" if len(ranking.metrics) > 1 else ranking.metrics[0]
    each = "each of " if len(ranking.metrics) > 1 else ""
    differ = "differs" if count == 1 else "differ"
    sentences = [
        f"{count} of {counted(ranking.pairs, 'pair')} of systems {differ} significantly under {each}{by}: {test} test, "
        "Holm's correction."
    ]
    if len(ranking.groups) > 1:
        groups = " > ".join(f"[{', '.join(group)}]" for group in ranking.groups)
        sentences.append(f"Systems on different sides of > differ significantly: {groups}.")
    if 0 < count < ranking.pairs:
        ranges = [f"{name} {_range(*ranking.rank_range(name))}" for name in ranking.order]
        sentences.append(f"Possible ranks: {', '.join(ranges)}.")
    if ranking.contested:
        pairs = listed([f"{one} and {other}" for one, other, *_ in ranking.contested])
        sentences.append(
            f"For {counted(len(ranking.contested), 'pair')}, metrics significantly contradict each other: {pairs}."
        )
    if findings.human is not None and ranking.better:
        sentences += _compare_with_people(ranking, findings.human, findings)
    return tuple(sentences)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _compare_with_people(ranking: SystemRanking, human: HumanScores, findings: Findings) -> list[str]:
    """Say how often people order the pairs alike that differ significantly."""
    criterion = next(iter(human.criteria))
    source = make_human_source(human, criterion)
    scores = {name: value for name, value in zip(human.systems, source.systems.tolist(), strict=True) if value == value}
    judged = [pair for pair in ranking.better if pair[0] in scores and pair[1] in scores]
    if not judged:
        return []
    agree = sum(scores[better] > scores[worse] for better, worse in judged)
    tied = sum(scores[better] == scores[worse] for better, worse in judged)
    sentences = [
        f"People's scores ({criterion}) order {agree} of these {counted(len(judged), 'pair')} the same way"
        + (f" and tie {tied}." if tied else ".")
    ]
    contradicted = find_contradictions(ranking, human, findings)
    if contradicted:
        pairs = listed([f"{worse} above {better}" for better, worse in contradicted])
        sentences.append(f"People significantly contradict {counted(len(contradicted), 'pair')}: they put {pairs}.")
    return sentences


def find_contradictions(ranking: SystemRanking, human: HumanScores, findings: Findings) -> list[Pair]:
    """Return the pairs that metrics order one way and people the other, both significantly."""
    source = make_human_source(human, next(iter(human.criteria)))
    labels = findings.test_set.documents if findings.test_set is not None else None
    p_values = compare_by_people(source, labels)
    place = {name: i for i, name in enumerate(human.systems)}
    pairs = [pair for pair in ranking.better if pair[0] in place and pair[1] in place]
    pairs.sort(key=lambda pair: tuple(map(ranking.order.index, pair)))  # sets have no order of their own
    return [pair for pair in pairs if p_values[place[pair[1]], place[pair[0]]] <= ALPHA / max(1, 2 * len(pairs))]


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Return names in a sentence; of many, the first ones and how many more there are."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
