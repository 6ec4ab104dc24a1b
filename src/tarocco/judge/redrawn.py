"""Kendall's tau on resamples of the segments without sorting anew: a resample changes only how often points count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.correlation import EQUAL, FEWEST
from tarocco.kernels import inversions, kernel
from tarocco.metrics.base import Floats

_inversions = kernel(inversions, "inversions")


class Redrawn:
    """Points (x, y), each of one segment: sorted once, by x and where that is equal by y."""

    def __init__(self, x: Floats, y: Floats, segments: NDArray[np.intp]) -> None:
        both = np.isfinite(x) & np.isfinite(y)
        x, y, segments = x[both], y[both], segments[both]
        order = np.lexsort((y, x))
        self.x, y, self.segments = x[order], y[order], segments[order]
        self.values, ranks = np.unique(y, return_inverse=True)
        self.ranks = ranks.astype(np.int32)
        new_x = np.ones(len(x), np.bool_)
        new_x[1:] = self.x[1:] != self.x[:-1]
        new_both = new_x.copy()
        new_both[1:] |= y[1:] != y[:-1]
        self.of_x, self.of_both = np.flatnonzero(new_x), np.flatnonzero(new_both)

    def kendall(self, variant: str, weights: NDArray[np.int16]) -> float:
        """Tau where each segment counts so often; NaN where it is undefined."""
        times = weights[self.segments].astype(np.int64)
        n = int(times.sum())
        there = np.flatnonzero(times)
        if n < FEWEST or _equal(self.x[there[0]], self.x[there[-1]]):
            return np.nan
        moved = np.repeat(self.ranks, times)[None]
        discordant = np.empty(1, np.int64)
        _inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        if _equal(self.values[moved[0, 0]], self.values[moved[0, -1]]):
            return np.nan
        by_x = np.add.reduceat(times, self.of_x)
        by_y = np.bincount(self.ranks, times)
        pairs = n * (n - 1) // 2
        tied_x, tied_y, tied_both = map(_tied, (by_x, by_y, np.add.reduceat(times, self.of_both)))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * int(discordant[0])
        classes = min(int((by_x > 0).sum()), int((by_y > 0).sum()))
        most = {
            "a": float(pairs),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }[variant]
        return float(np.clip(surplus / most, -1.0, 1.0))


def _tied(sizes: NDArray[np.int64] | Floats) -> int:
    """How many pairs are within groups of these sizes."""
    return int((sizes * (sizes - 1)).sum()) // 2


def _equal(low: float, high: float) -> bool:
    """Whether numbers from low to high count as constant."""
    return bool(abs(high - low) <= EQUAL * max(abs(low), abs(high)))
