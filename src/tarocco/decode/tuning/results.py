"""What tuning gives: weights, scores before and after, and what every start led to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.decode.tuning.pool import Layout, Weights


@dataclass(frozen=True)
class Tuned:
    """What a metric says of the chosen candidates, at the start and after tuning, on the lists that were tuned on.

    `difference` is tuned minus start, with its interval on the same resamples of segments.
    """

    metric: str
    signature: str
    share: float
    start: float
    start_interval: Interval
    tuned: float
    interval: Interval
    difference: float
    difference_interval: Interval
    scale: float  # what tables multiply with

    def to_dict(self) -> dict[str, Any]:
        """The record as it stands in JSON."""
        return {
            "metric": self.metric,
            "signature": self.signature,
            "share": self.share,
            **{name: number_or_null(getattr(self, name)) for name in ("start", "tuned", "difference")},
            **{
                name: [number_or_null(between.low), number_or_null(between.high)]
                for name, between in (
                    ("start_interval", self.start_interval),
                    ("interval", self.interval),
                    ("difference_interval", self.difference_interval),
                )
            },
        }


@dataclass(frozen=True)
class TuneStart:
    """Where one start led: its number (0 is where tuning began), the objective, in how many steps, the weights."""

    number: int
    objective: float
    steps: int
    weights: Weights


@dataclass(frozen=True, eq=False)
class TuneResult(ResultTable):
    """Weights by feature name, and how much better the candidates are that they choose. `result["BLEU-4"]` is a Tuned.

    `start` are the weights that tuning began with, `origin` says where they came from. `objective` is the weighted sum
    of metrics, errors negative, that was maximized. `segments` are the numbers (from 0) of the segments that have a
    list; `texts` and `places` (from 1) what the tuned weights choose there.
    """

    weights: Weights  # a tuple of numbers for each feature, by its name
    start: Weights
    origin: str  # "given", "scores" (those in the lists revealed them) or "equal"
    metrics: tuple[Tuned, ...]
    objective: float
    start_objective: float
    starts: tuple[TuneStart, ...]  # the first is where tuning began, the others are random
    segments: NDArray[np.intp]
    texts: tuple[str, ...]
    places: NDArray[np.intp]
    found: Mapping[str, int]  # how many segments, lists, candidates, and candidates that were there before
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Tuned:
        for one in self.metrics:
            if one.metric == name:
                return one
        raise UnknownName(f'"{name}" was not tuned for; there are {", ".join(one.metric for one in self.metrics)}')

    def __repr__(self) -> str:
        weights = ", ".join(f"{name} {' '.join(f'{one:.4g}' for one in own)}" for name, own in self.weights.items())
        gains = "\n".join(f"{one.signature}: {one.start:.6g} -> {one.tuned:.6g}" for one in self.metrics)
        return f"{gains}\n{weights}"

    @property
    def labels(self) -> tuple[str, ...]:
        """What single weights are called: lm.1, lm.2, w."""
        return Layout(tuple(self.weights), tuple(map(len, self.weights.values()))).labels

    def lines(self) -> list[str]:
        """What the weights choose for each segment of the references; an empty line where there is no list."""
        lines = [""] * self.found["segments"]
        for segment, text in zip(self.segments.tolist(), self.texts, strict=True):
            lines[segment] = text
        return lines

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a weight, then a metric."""
        before = [value for own in self.start.values() for value in own]
        after = [value for own in self.weights.values() for value in own]
        weights = [
            {"what": "weight", "name": name, "start": old, "tuned": new}
            for name, old, new in zip(self.labels, before, after, strict=True)
        ]
        return weights + [
            {
                "what": "metric",
                "name": one.metric,
                "start": one.start,
                "tuned": one.tuned,
                "start_low": one.start_interval.low,
                "start_high": one.start_interval.high,
                "low": one.interval.low,
                "high": one.interval.high,
                "difference": one.difference,
                "difference_low": one.difference_interval.low,
                "difference_high": one.difference_interval.high,
                "signature": one.signature,
            }
            for one in self.metrics
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco tune -f json` prints under "results"."""
        return [one.to_dict() for one in self.metrics]
