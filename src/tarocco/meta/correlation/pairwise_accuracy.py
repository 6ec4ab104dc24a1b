"""How often a metric and people agree which of two systems is better: at system level, softly, and segment by segment.

Scores are goodness: higher is better. A pair of systems is compared on the segments for which the metric and people
have scores of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import coins, words

_EQUAL = 1e-12  # sums of the same numbers in another order are equal


def pairwise_accuracy(metric: Floats, human: Floats) -> float:
    """The share of pairs of systems that float64[systems] of both sides put in the same order (Kocmi et al. 2021).

    A pair that is equal for both sides counts as agreed, one that is equal for one side does not. Systems without a
    score of both are left out; NaN where no pair is left.
    """
    there = ~(np.isnan(metric) | np.isnan(human))
    metric, human = metric[there], human[there]
    first, second = np.triu_indices(len(metric), 1)
    if not len(first):
        return np.nan
    return float(np.mean(np.sign(metric[first] - metric[second]) == np.sign(human[first] - human[second])))


def soft_pairwise_accuracy(metric: Floats, human: Floats, n_permutations: int = 1000, seed: int = 0) -> float:
    """1 - mean |p_h - p_m| over pairs of systems (Thompson et al. 2024), from float64[systems, segments] of both sides.

    p is one-sided, from paired permutations of segment scores: the share of permutations that are no less extreme than
    what was observed, without the + 1 of a test. One coin a segment and permutation serves all pairs and both sides.
    A pair is taken both ways: where scores tie, p is 1 either way, and one way would depend on who is named first.
    """
    missing = np.isnan(metric) | np.isnan(human)
    first, second = np.triu_indices(len(metric), 1)
    common = ~(missing[first] | missing[second])
    used = common.any(axis=1)
    if not used.any():
        return np.nan
    segments = metric.shape[1]
    signs = 1.0 - 2.0 * coins(words(seed, n_permutations, -(-segments // 64)), 0, segments).astype(float)
    p_values = [
        _both_ways(np.where(common, side[first] - side[second], 0.0)[used], signs) / n_permutations
        for side in (human, metric)
    ]
    return float(1.0 - np.abs(p_values[0] - p_values[1]).mean())


def _both_ways(differences: Floats, signs: Floats) -> Floats:
    """float64[2, rows]: how many rows of signs make the sum of a row of differences no lower, and no higher."""
    slack = (_EQUAL * np.abs(differences).sum(axis=1))[:, None]
    above = differences @ signs.T - differences.sum(axis=1)[:, None]
    counts: Floats = np.stack([(above >= -slack).sum(axis=1), (above <= slack).sum(axis=1)]).astype(float)
    return counts


@dataclass(frozen=True)
class TieCalibration:
    """Accuracy with ties, averaged over items, at the epsilon that makes it highest on these data."""

    accuracy: float  # NaN where no item has two systems
    epsilon: float  # the smallest of those that are best
    items: int  # segments that have two systems or more
    pairs: int


def accuracy_with_ties(metric: Floats, human: Floats, epsilon: float) -> float:
    """acc_eq by item (Deutsch et al. 2023): the share of pairs that both sides order alike or both call tied.

    A pair is tied for the metric if its scores differ by no more than epsilon, and for people if theirs are equal.
    """
    sides = _Sides.of(metric, human)
    return float(sides.accuracy(np.array([epsilon]))[0])


def calibrated_ties(metric: Floats, human: Floats) -> TieCalibration:
    """Accuracy with ties at its best epsilon.

    Accuracy can rise only where a pair that people call tied becomes tied for the metric, so that only 0 and the
    metric's differences of such pairs need be looked at, and each is a place in two sorted lists.
    """
    sides = _Sides.of(metric, human)
    candidates = np.unique(np.concatenate([np.zeros(1), *(group.tied for group in sides.groups)]))
    accuracies = sides.accuracy(candidates)
    if not sides.items:
        return TieCalibration(np.nan, 0.0, 0, 0)
    best = int(np.argmax(accuracies >= accuracies.max() - _EQUAL))
    return TieCalibration(float(accuracies[best]), float(candidates[best]), sides.items, sides.pairs)


@dataclass(frozen=True, eq=False)
class _Group:
    """Items that have the same number of pairs: sorted sizes of the metric's differences."""

    pairs: int  # an item
    concordant: Floats  # of pairs that people order and the metric orders alike
    tied: Floats  # of pairs that people call tied


@dataclass(frozen=True, eq=False)
class _Sides:
    groups: list[_Group]
    items: int
    pairs: int

    @classmethod
    def of(cls, metric: Floats, human: Floats) -> _Sides:
        missing = np.isnan(metric) | np.isnan(human)
        systems = (~missing).sum(axis=0)
        counts, how_many = np.unique(systems[systems >= 2], return_counts=True)
        groups = [_group(metric[:, systems == k], human[:, systems == k], missing[:, systems == k]) for k in counts]
        pairs = counts * (counts - 1) // 2
        return cls(groups, int(how_many.sum()), int(pairs @ how_many))

    def accuracy(self, epsilons: Floats) -> Floats:
        agreed = np.zeros(len(epsilons))
        for group in self.groups:
            kept = len(group.concordant) - np.searchsorted(group.concordant, epsilons, "right")
            agreed += (kept + np.searchsorted(group.tied, epsilons, "right")) / group.pairs
        return agreed / self.items if self.items else np.full(len(epsilons), np.nan)


def _group(metric: Floats, human: Floats, missing: NDArray[np.bool_]) -> _Group:
    """All items of `missing` lack as many systems."""
    k = len(metric) - int(missing[:, 0].sum())
    if missing.any():  # item by item, the systems that are there
        metric, human = (side.T[~missing.T].reshape(-1, k).T for side in (metric, human))
    order = np.argsort(-human, axis=0)  # from the best down: no pair's human difference is below 0
    metric, human = (np.take_along_axis(side, order, axis=0) for side in (metric, human))
    concordant, tied = [], []
    for system in range(k - 1):
        difference = metric[system] - metric[system + 1 :]
        level = human[system] == human[system + 1 :]
        concordant.append(difference[(difference > 0) > level])
        tied.append(np.abs(difference[level]))
    return _Group(k * (k - 1) // 2, np.sort(np.concatenate(concordant)), np.sort(np.concatenate(tied)))
