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

    def __len__(self) -> int:
        return int(self._batch.candidate_groups.sizes @ self._batch.reference_groups.sizes)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many references each candidate has."""
        sizes: NDArray[np.intp] = self._batch.reference_groups.sizes[self._batch.candidate_groups.segments]
        return sizes

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the pairs of each candidate begin, and the end."""
        starts = np.zeros(len(self.counts) + 1, np.intp)
        np.cumsum(self.counts, out=starts[1:])
        return starts

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """The candidate of each pair."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def candidate_lengths(self) -> NDArray[np.intp]:
        """The length of each pair's candidate."""
        return np.repeat(self._batch.lengths, self.counts)

    @cached_property
    def reference_lengths(self) -> NDArray[np.intp]:
        """The length of each pair's reference: those of the candidate's segment, over and over."""
        groups = self._batch.reference_groups
        firsts = groups.bounds[self._batch.candidate_groups.segments] - self.starts[:-1]
        rows = groups.rows[np.arange(len(self.owners)) + np.repeat(firsts, self.counts)]
        lengths: NDArray[np.intp] = self._batch.references.lengths[rows]
        return lengths

    def least(self, *keys: Floats) -> NDArray[np.intp]:
        """For each candidate its pair with the least first key, ties by the second and so on."""
        first = keys[0]
        left = np.flatnonzero(first == np.minimum.reduceat(first, self.starts[:-1])[self.owners])
        for key in keys[1:]:  # those above the least leave: quicker than sorting
            if len(left) == len(self.counts):
                return left
            of_left, owners, firsts = key[left], self.owners[left], self._firsts(left)
            left = left[of_left == np.repeat(np.minimum.reduceat(of_left, firsts), np.bincount(owners))]
        return left[self._firsts(left)]

    def _firsts(self, left: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where the pairs of each candidate begin among these."""
        return np.searchsorted(left, self.starts[:-1])

    def mean_reference_length(self) -> Floats:
        """The mean length of each candidate's references; a candidate has at least one."""
        return self.mean(self.reference_lengths)

    def mean(self, numbers: NDArray[Any]) -> Floats:
        """The mean of numbers, one a pair, over the references of each candidate."""
        means: Floats = np.add.reduceat(numbers, self.starts[:-1]) / self.counts
        return means
