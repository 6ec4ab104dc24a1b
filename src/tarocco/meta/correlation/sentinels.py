"""Rows that no metric should be below: what the length alone says, what says nothing, and what chance says.

A metric that agrees with people no better than these has shown nothing on these data, whatever its correlation is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.meta.correlation.sides import Side, of_values
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.resampling import words

CONSTANT, RANDOM = "constant", "random"


@dataclass(frozen=True)
class LengthRatio(Metric):
    """The words of the output over those of its references, on average. It has no place in the registry."""

    title: ClassVar[str] = "length ratio"
    pattern: ClassVar[str] = "(?!)"

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        """[words of the candidate, mean words of the references]"""
        references = batch.reference_groups
        lengths = batch.references.lengths[references.rows]
        sums = np.bincount(references.segments, lengths, len(references.sizes))
        means = sums / np.maximum(references.sizes, 1)
        candidates = batch.candidate_groups
        return np.column_stack([batch.candidates.lengths[candidates.rows], means[candidates.segments]])

    def score(self, sums: Floats) -> Floats:
        ratios = np.full(sums.shape[:-1], np.nan)
        np.divide(sums[..., 0], sums[..., 1], out=ratios, where=sums[..., 1] > 0)
        return ratios


LENGTH = LengthRatio.title
NAMES = (LENGTH, CONSTANT, RANDOM)


def without_text(systems: int, segments: int, seed: int) -> tuple[Side, Side]:
    """The sentinels that need not look at the outputs: the same number everywhere, and one drawn for each segment."""
    random = (words(seed, systems, segments) >> np.uint64(11)) / 2.0**53
    return of_values(CONSTANT, np.ones((systems, segments))), of_values(RANDOM, random)


CUTOFF = 2.5  # of Mathur et al. 2020
_NORMAL = 1.483  # makes the median absolute deviation of a normal distribution its standard deviation


def outliers(human: Floats) -> NDArray[np.bool_]:
    """Which of people's system scores are more than 2.5 robust standard deviations from their median.

    Where more than half of the scores are equal there is no such deviation, and no outlier.
    """
    there = ~np.isnan(human)
    found = np.zeros(len(human), bool)
    if there.any():
        distances = np.abs(human[there] - np.median(human[there]))
        deviation = _NORMAL * np.median(distances)
        found[there] = (deviation > 0) & (distances > CUTOFF * deviation)
    return found
