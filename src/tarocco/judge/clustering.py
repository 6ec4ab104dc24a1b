"""Average linkage: which of many things are alike, and an order in which those that are alike are neighbors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
