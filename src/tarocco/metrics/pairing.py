"""Candidates and each of their references, one pair after the other; and the choice of the best reference.

Where a metric takes the best reference, it is chosen by content: ties go by what the choice means for the score, never
by the order in which references come.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.metrics.base import Floats


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of candidate i are starts[i] .. starts[i + 1] - 1."""

    starts: NDArray[np.intp]
    candidate_lengths: NDArray[np.intp]
    reference_lengths: NDArray[np.intp]

    @classmethod
    def of(cls, batch: Batch) -> Pairs:
        references = np.diff(batch.reference_groups.bounds)
        segments = batch.candidate_groups.segments
        starts = np.zeros(len(segments) + 1, np.intp)
        np.cumsum(references[segments], out=starts[1:])
        # The rows of the references of each pair: the group of the candidate's segment, over and over.
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
        rows = batch.reference_groups.rows[np.repeat(batch.reference_groups.bounds[segments], np.diff(starts)) + within]
        return cls(starts, np.repeat(batch.lengths, np.diff(starts)), batch.references.lengths[rows])

    def least(self, *keys: Floats) -> NDArray[np.intp]:
        """For each candidate its pair with the least first key, ties by the second and so on."""
        owners = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return np.lexsort((*reversed(keys), owners))[self.starts[:-1]]

    def mean_reference_length(self) -> Floats:
        """The mean length of each candidate's references; a candidate has at least one."""
        return np.add.reduceat(self.reference_lengths, self.starts[:-1]) / np.diff(self.starts)
