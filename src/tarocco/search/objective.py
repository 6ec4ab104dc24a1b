"""What tuning maximizes: a metric of the chosen candidates' summed statistics, or a weighted sum of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.metrics.base import Floats, Metric


@dataclass(frozen=True, eq=False)
class Objective:
    """Metrics, how much each counts, and the statistics of every candidate: [candidates, all columns side by side]."""

    metrics: tuple[Metric, ...]
    shares: tuple[float, ...]
    statistics: Floats
    columns: tuple[int, ...]  # how many each metric has

    @classmethod
    def of(cls, metrics: Sequence[Metric], shares: Sequence[float], statistics: Sequence[Floats]) -> Objective:
        columns = tuple(rows.shape[1] for rows in statistics)
        return cls(tuple(metrics), tuple(shares), np.concatenate(list(statistics), axis=1), columns)

    def goodness(self, sums: Floats) -> Floats:
        """Higher is better; minus infinity where a metric has no score."""
        total = np.zeros(sums.shape[:-1])
        for metric, share, own in zip(self.metrics, self.shares, self.parts(sums), strict=True):
            total += share * metric.sign * metric.score(own)
        return np.where(np.isnan(total), -np.inf, total)

    def parts(self, rows: Floats) -> list[Floats]:
        """Each metric's columns."""
        return np.split(rows, np.cumsum(self.columns)[:-1], axis=-1)

    def of_choice(self, choice: np.ndarray[tuple[int], np.dtype[np.intp]]) -> float:
        """The objective of these candidates."""
        return float(self.goodness(self.statistics[choice].sum(axis=0)))
