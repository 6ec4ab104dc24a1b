"""Candidates and each of their references, one pair after the other; and the choice of the best reference.

Where a metric takes the best reference, it is chosen by content: ties go by what the choice means for the score, never
by the order in which references come.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.metrics.base import Floats


class Pairs:
    """The pairs of candidate i are starts[i] .. starts[i + 1] - 1; lengths are looked up when asked for."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._segments = batch.candidate_groups.segments
        self.starts = np.zeros(len(batch) + 1, np.intp)
        np.cumsum(np.diff(batch.reference_groups.bounds)[self._segments], out=self.starts[1:])

    @cached_property
    def candidate_lengths(self) -> NDArray[np.intp]:
        """The length of each pair's candidate."""
        return np.repeat(self._batch.lengths, np.diff(self.starts))

    @cached_property
    def reference_lengths(self) -> NDArray[np.intp]:
        """The length of each pair's reference: those of the candidate's segment, over and over."""
        groups, counts = self._batch.reference_groups, np.diff(self.starts)
        within = np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], counts)
        rows = groups.rows[np.repeat(groups.bounds[self._segments], counts) + within]
        lengths: NDArray[np.intp] = self._batch.references.lengths[rows]
        return lengths

    def least(self, *keys: Floats) -> NDArray[np.intp]:
        """For each candidate its pair with the least first key, ties by the second and so on."""
        owners = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        left, firsts = np.arange(len(owners)), self.starts[:-1]
        for key in keys:  # those above the least leave: quicker than sorting
            of_left = key[left]
            still = of_left == np.minimum.reduceat(of_left, firsts)[owners]
            left, owners = left[still], owners[still]
            firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        return left[firsts]

    def mean_reference_length(self) -> Floats:
        """The mean length of each candidate's references; a candidate has at least one."""
        return self.mean(self.reference_lengths)

    def mean(self, numbers: NDArray[Any]) -> Floats:
        """The mean of numbers, one a pair, over the references of each candidate."""
        means: Floats = np.add.reduceat(numbers, self.starts[:-1]) / np.diff(self.starts)
        return means
