"""Metrics that decide alike: how far two of them pass the same translations in the same samples.

Two metrics agree by chance, too, the more so the more (or the fewer) samples both pass. The phi coefficient is
corrected for that: it is the correlation of their bits, 1 if they always decide alike, 0 if one says nothing of the
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from tarocco.meta.qarla.decisions import Decisions, Words
from tarocco.metrics.base import Floats

Merge = tuple[float, list[int], list[int]]  # how alike two clusters are, and their members


def clustered(likeness: Floats) -> list[Merge]:
    """Average linkage: (likeness, one cluster, the other) of each merge, the most alike first; of equals the first.

    The likeness of two clusters is the mean over their pairs. What is unknown is as unlike as can be.
    """
    near = np.where(np.isnan(likeness), -1.0, likeness)
    np.fill_diagonal(near, -np.inf)
    clusters = {i: [i] for i in range(len(near))}
    merges = []
    while len(clusters) > 1:
        alive = list(clusters)
        block = near[np.ix_(alive, alive)]
        i, j = (alive[k] for k in sorted(np.unravel_index(int(block.argmax()), block.shape)))
        merges.append((float(block.max()), clusters[i], clusters[j]))
        sizes = len(clusters[i]), len(clusters[j])
        for k in alive:
            if k not in (i, j):
                near[i, k] = near[k, i] = (sizes[0] * near[i, k] + sizes[1] * near[j, k]) / sum(sizes)
        clusters[i] = clusters[i] + clusters.pop(j)
    return merges


def order_of(merges: Sequence[Merge]) -> list[int]:
    """Everything in the order of the last cluster, in which all is together; one thing alone is never merged."""
    return [*merges[-1][1], *merges[-1][2]] if merges else [0]


ALIKE = 0.9  # groups of metrics are told whose phi is that high on average


@dataclass(frozen=True, eq=False)
class Redundancy:
    """How alike metrics decide. `phi` and `agreement`, the share of samples decided alike, are symmetric matrices.

    Metrics stand in the order of an average-linkage clustering, so that those that decide alike are neighbors.
    """

    metrics: tuple[str, ...]
    phi: Floats
    agreement: Floats
    groups: tuple[tuple[str, ...], ...]  # of metrics that decide nearly alike, the largest first


def agreements(decisions: Decisions) -> tuple[Floats, Floats]:
    """float64[metrics, metrics]: phi, and the share decided alike, of systems' translations in all samples.

    Only samples in which both metrics have a score count. Phi is NaN where one of the two decides all alike.
    """
    metrics = len(decisions.passed)
    samples = np.broadcast_to(decisions.masks[-1][:, None], decisions.passed[0, :, : decisions.systems].shape)
    passed = decisions.passed[:, :, : decisions.systems] & samples
    heard = None if decisions.silent is None else samples & ~decisions.silent[:, :, : decisions.systems]
    phi, alike = np.full((2, metrics, metrics), nan)
    for i in range(metrics):
        for j in range(i, metrics):
            both = samples if heard is None else heard[i] & heard[j]
            n = _ones(both)
            first, second = _ones(passed[i] & both), _ones(passed[j] & both)
            together = _ones(passed[i] & passed[j] & both)
            spread = first * (n - first) * second * (n - second)
            if n:
                alike[i, j] = alike[j, i] = (n - first - second + 2 * together) / n
            if spread:
                phi[i, j] = phi[j, i] = (n * together - first * second) / spread**0.5
    return phi, alike


def _ones(words: Words) -> int:
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def redundancy_of(decisions: Decisions, names: Sequence[str]) -> Redundancy:
    """All pairs of metrics, clustered."""
    phi, alike = agreements(decisions)
    merges = clustered(phi)
    order = order_of(merges)
    groups: list[list[int]] = []
    for likeness, one, other in merges:
        if likeness >= ALIKE:
            groups = [group for group in groups if group not in (one, other)] + [one + other]
    groups.sort(key=lambda group: (-len(group), order.index(group[0])))
    return Redundancy(
        tuple(names[i] for i in order),
        phi[np.ix_(order, order)],
        alike[np.ix_(order, order)],
        tuple(tuple(names[i] for i in sorted(group)) for group in groups),
    )
