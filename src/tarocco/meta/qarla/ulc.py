"""ULC, the plain baseline beside QUEEN: the mean of normalized scores (Gimenez and Marquez 2008).

A score is divided by the largest that its metric gives on this test bed, of whole systems for systems and of segments
for segments; errors enter as 1 - error. Scores are those against all references, as `tarocco score` gives them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.qarla.queen import mean_of_known
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import sum_rows
from tarocco.scoring.results import Result


@dataclass(frozen=True, eq=False)
class Ulc:
    """The uniform linear combination of all metrics."""

    systems: Floats  # float64[systems]
    segments: Floats  # float64[systems, segments]


def ulc_of(scores: Result, rows: NDArray[np.intp]) -> Ulc:
    """ULC of these segments; a score that does not exist is left out of the mean."""
    of_systems: list[Floats] = []
    of_segments: list[Floats] = []
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        own = np.stack([score.statistics[rows] for score in scores.scores if score.metric == metric])
        sums = np.stack([sum_rows(of_system) for of_system in own])
        for found, values in ((of_systems, metric.score(sums)), (of_segments, metric.score(own))):
            found.append(normalized(1.0 - values if metric.kind == "error" else values))
    return Ulc(mean_of_known(np.stack(of_systems), 0), mean_of_known(np.stack(of_segments), 0))


def normalized(values: Floats) -> Floats:
    """Divided by the largest; NaN, all of them, if that is not above zero: then the metric tells nothing apart."""
    largest = np.fmax.reduce(values, axis=None, initial=-np.inf)
    return values / largest if largest > 0 else np.full(values.shape, np.nan)
