"""Which systems differ for real: what most of some metrics call significant, and none of them the other way round.

Systems are ordered by how many others they are better than for real, minus how many are better than they are, and then
by their mean rank. From the best down, a system that one in the current group is better than begins the next group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tarocco.core.test_set import HumanScores
from tarocco.meta.correlation.metric_tests import rank_clusters
from tarocco.meta.correlation.score_sources import make_human_source
from tarocco.meta.significance.compare import CompareResult
from tarocco.trials.plan import counted

NAMED = 6  # systems or pairs that a sentence names before it only counts


@dataclass(frozen=True)
class SystemRanking:
    """What some metrics together say of systems."""

    metrics: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]  # the best first
    pairs: int
    better: frozenset[tuple[str, str]]  # the first is better than the second for real
    contested: tuple[tuple[str, str, int, int], ...]  # two systems, and how many metrics call which better

    @property
    def order(self) -> list[str]:
        """All systems, the best first."""
        return [name for group in self.groups for name in group]


def rank_systems(comparison: CompareResult, metrics: Sequence[str]) -> SystemRanking:
    """Rank the systems by what these metrics say of all pairs."""
    names = list(dict.fromkeys(score.system for score in comparison.scores.scores))
    wins: dict[tuple[str, str], int] = {}
    for one in comparison.differences:
        if one.metric in metrics and one.significant:
            pair = (one.system, one.baseline) if one.better else (one.baseline, one.system)
            wins[pair] = wins.get(pair, 0) + 1
    better = frozenset(
        (one, other) for (one, other), count in wins.items() if 2 * count > len(metrics) and (other, one) not in wins
    )
    contested = [
        (one, other, wins[one, other], wins[other, one])
        for one, other in combinations(names, 2)
        if (one, other) in wins and (other, one) in wins
    ]
    contested.sort(key=lambda found: -min(found[2:]))
    ranks = _mean_ranks(comparison, metrics, names)

    def place(name: str) -> tuple[int, float]:
        return sum((other == name) - (one == name) for one, other in better), ranks[name]

    groups: list[list[str]] = []
    for name in sorted(names, key=place):
        if not groups or any((other, name) in better for other in groups[-1]):
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
        name: float(np.mean([sum(value > own[name] for value in own.values()) for own in by_metric.values()] or [0]))
        for name in names
    }


def cluster_systems(comparison: CompareResult, metric: str) -> dict[str, int]:
    """The cluster of each system under one metric, 1 for the best; {} where the metric was not tested.

    From the best down, a system that one in the current cluster is significantly better than begins the next one.
    """
    # Of two outputs with the same score neither is better: the bootstrap, like sacrebleu's, has p near 0 for them.
    own = [one for one in comparison.differences if one.metric == metric]
    scores = {
        score.system: score.metric.sign * score.score
        for score in comparison.scores.scores
        if str(score.metric) == metric
    }
    if not own:
        return {}
    place = {name: i for i, name in enumerate(scores)}
    p_values = np.ones((len(scores), len(scores)))
    for one in own:
        better, worse = (one.system, one.baseline) if one.better else (one.baseline, one.system)
        if one.difference:
            p_values[place[better], place[worse]] = one.p_holm
    ranks = rank_clusters(np.array(list(scores.values())), p_values, comparison.test.alpha)
    return dict(zip(scores, ranks.tolist(), strict=True))


def describe_systems(found: SystemRanking, whose: str, human: HumanScores | None) -> tuple[str, ...]:
    """Return sentences that describe the ranking."""
    metrics = listed(found.metrics)
    if not found.better:
        said = [f"By {whose} ({metrics}) no system is better than another for real."]
    else:
        groups = " > ".join(f"[{', '.join(group)}]" for group in found.groups)
        said = [f"By {whose} ({metrics}), best first, with what cannot be told apart in brackets: {groups}."]
    told = len(found.better)
    counts = f"{told} of {counted(found.pairs, 'pair')} of systems differ{'s' * (told == 1)} for real"
    if found.contested:
        pairs = listed([f"{one} and {other}" for one, other, *_ in found.contested])
        counts += f"; on {len(found.contested)} the metrics contradict each other, each significantly ({pairs})"
    said.append(f"{counts}.")
    first = found.groups[0]
    if human is not None:
        people = dict(
            zip(human.systems, make_human_source(human, next(iter(human.criteria))).systems.tolist(), strict=True)
        )
        favorite = max(people, key=lambda name: (people[name] == people[name], people[name]))
        said.append(
            f"People put {favorite} first, too."
            if favorite in first
            else f"People put {favorite} first, which is not in the first group."
        )
    return tuple(said)


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Names in a sentence; of many some, and how many more there are."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
