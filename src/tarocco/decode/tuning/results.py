"""Results of tuning and reranking: weights, scores before and after, and the chosen candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError, UnknownName
from tarocco.core.records import Interval, Record, ResultTable
from tarocco.decode.tuning.pool import FeatureLayout, Weights
from tarocco.metrics.base import Floats

MOST_LINES = 10_000_000  # unless at least 1 percent of them have a list: ids may be any number


@dataclass(frozen=True)
class TunedScore(Record):
    """A metric's score of the chosen candidates at the start and after tuning, on the lists used for tuning.

    `difference` is tuned minus start; its interval uses the same resamples of segments.
    """

    json_fields: ClassVar[tuple[str, ...]] = (
        *("metric", "signature", "share", "start", "tuned", "difference"),
        *("start_interval", "interval", "difference_interval"),
    )

    metric: str
    signature: str
    share: float
    start: float
    start_interval: Interval
    tuned: float
    interval: Interval
    difference: float
    difference_interval: Interval
    scale: float  # the factor of scores in tables


@dataclass(frozen=True)
class TuneStart:
    """The outcome of one start: its number (0 is the initial weights), the objective, steps and final weights."""

    number: int
    objective: float
    steps: int
    weights: Weights


@dataclass(frozen=True, eq=False)
class TuneResult(ResultTable):
    """Tuned weights by feature name, and the scores before and after; `result["BLEU-4"]` is a `TunedScore`.

    `start` are the initial weights and `origin` says where they come from. `objective` is the maximized weighted sum of
    metrics, with errors negated. `segments` are the numbers (from 0) of the segments that have a list; `texts` and
    `places` (from 1) are the candidates that the tuned weights choose there.
    """

    record_field: ClassVar[str] = "metrics"

    weights: Weights  # one tuple of numbers per feature
    start: Weights
    origin: str  # "given", "scores" (fitted to the scores in the lists) or "equal"
    metrics: tuple[TunedScore, ...]
    objective: float
    start_objective: float
    starts: tuple[TuneStart, ...]  # the first begins at the initial weights, the others at random ones
    segments: NDArray[np.intp]
    texts: tuple[str, ...]
    places: NDArray[np.intp]
    counts: Mapping[str, int]  # of segments, lists, candidates and merged candidates
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> TunedScore:
        for score in self.metrics:
            if score.metric == name:
                return score
        names = ", ".join(score.metric for score in self.metrics)
        raise UnknownName(f'"{name}" is not a metric of this tuning; the metrics are {names}')

    def __repr__(self) -> str:
        weights = ", ".join(
            f"{name} {' '.join(f'{value:.4g}' for value in values)}" for name, values in self.weights.items()
        )
        gains = "\n".join(f"{score.signature}: {score.start:.6g} -> {score.tuned:.6g}" for score in self.metrics)
        return f"{gains}\n{weights}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of single weights: lm.1, lm.2, w."""
        return FeatureLayout(tuple(self.weights), tuple(map(len, self.weights.values()))).labels

    def lines(self) -> list[str]:
        """Return the chosen text of each segment of the references; "" for a segment without a list."""
        return _lines(self.counts["segments"], self.segments, self.texts)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per weight, then one per metric."""
        before = [value for values in self.start.values() for value in values]
        after = [value for values in self.weights.values() for value in values]
        weights = [
            {"what": "weight", "name": name, "start": old, "tuned": new}
            for name, old, new in zip(self.labels, before, after, strict=True)
        ]
        return weights + [
            {
                "what": "metric",
                "name": score.metric,
                "start": score.start,
                "tuned": score.tuned,
                "start_low": score.start_interval.low,
                "start_high": score.start_interval.high,
                "low": score.interval.low,
                "high": score.interval.high,
                "difference": score.difference,
                "difference_low": score.difference_interval.low,
                "difference_high": score.difference_interval.high,
                "signature": score.signature,
            }
            for score in self.metrics
        ]


@dataclass(frozen=True, eq=False)
class RerankResult(ResultTable):
    """The best candidate of each list: its text, its place in the list (from 1) and its weighted sum of features.

    `segments` are the numbers (from 0) of the segments that have a list.
    """

    weights: Weights
    segments: NDArray[np.intp]
    texts: tuple[str, ...]
    places: NDArray[np.intp]
    scores: Floats

    def __repr__(self) -> str:
        return f"<the best of {len(self.texts)} lists with {dict(self.weights)}>"

    def lines(self) -> list[str]:
        """Return one line per segment, up to the last with a list; "" for a segment without a list."""
        n = int(self.segments[-1]) + 1
        if n > MOST_LINES and n > 100 * len(self.segments):
            raise InputError(
                f"the last of {len(self.segments)} lists belongs to segment {n}: nearly all lines would be empty"
            )
        return _lines(n, self.segments, self.texts)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per list; segments are counted from 1."""
        columns = (self.segments + 1).tolist(), self.places.tolist(), self.scores.tolist(), self.texts
        return [
            {"segment": segment, "place": place, "score": score, "text": text}
            for segment, place, score, text in zip(*columns, strict=True)
        ]


def _lines(n: int, segments: NDArray[np.intp], texts: tuple[str, ...]) -> list[str]:
    lines = [""] * n
    for segment, text in zip(segments.tolist(), texts, strict=True):
        lines[segment] = text
    return lines
