"""Scores, and their means with bootstrap intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


class Score(NamedTuple):
    """Precision, recall and F."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """The lower end of an interval, the median and the upper end."""

    low: Any
    mid: Any
    high: Any


class BaseScorer(ABC):
    """Anything with a `score` method."""

    @abstractmethod
    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Score a prediction against a target."""


class BootstrapAggregator:
    """Collects scores, and resamples them.

    Resamples are drawn with NumPy's global generator, as in rouge-score: `numpy.random.seed` makes them repeatable.
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ValueError(f"confidence_interval must be in range [0, 1], not {confidence_interval}")
        if n_samples <= 0:
            raise ValueError(f"n_samples must be positive, not {n_samples}")
        self._confidence_interval = confidence_interval
        self._n_samples = n_samples
        self._scores: dict[str, list[Any]] = defaultdict(list)

    def add_scores(self, scores: Mapping[str, Any]) -> None:
        """Add the scores of one prediction, by type."""
        for kind, score in scores.items():
            self._scores[kind].append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return percentiles of the means of resamples, by type."""
        tail = (1 - self._confidence_interval) / 2
        percents = 100 * np.array([tail, 0.5, 1 - tail])
        result = {}
        for kind, scores in self._scores.items():
            rows = np.array(scores, np.float64)
            means = np.empty((self._n_samples, rows.shape[1]))
            for i in range(self._n_samples):
                means[i] = rows[np.random.choice(len(rows), size=len(rows))].mean(axis=0)
            low, mid, high = (type(scores[0])(*values) for values in np.percentile(means, percents, axis=0))
            result[kind] = AggregateScore(low, mid, high)
        return result


def fmeasure(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
