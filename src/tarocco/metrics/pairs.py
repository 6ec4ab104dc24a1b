"""Candidates and each of their references, one pair after the other; and the choice of the best reference.

Where a metric takes the best reference, it is chosen by content: ties go by what the choice means for the score, never
by the order in which references come.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.kernels import kernel, segments
from tarocco.metrics.base import Floats

_least = kernel(segments, "choose_references")


class Pairs:
    """The pairs of `batch`, each once, and which of them every candidate chooses from.

    Pairs come in the order of the groups: segment, candidate, reference. Candidate i of the batch that was given
    chooses from choices[starts[i]:starts[i + 1]]: from all its pairs, or, where the batch is part of a whole, from
    those that are left of the whole's.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch if batch.whole is None else batch.whole
        self._given = batch
        # No reference to itself: blocks of many megabytes would wait for the garbage collector.
        self._pairs_of_whole = None if batch.whole is None else Pairs(batch.whole)

    @property
    def _whole(self) -> Pairs:
        return self if self._pairs_of_whole is None else self._pairs_of_whole

    def __len__(self) -> int:
        return int(self.batch.candidate_groups.sizes @ self.batch.reference_groups.sizes)

    @cached_property
    def apart(self) -> Pairs:
        """The choices as pairs of their own: pair c is what choices[c] is here."""
        return Pairs(self._given.alone)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many references each candidate has."""
        sizes: NDArray[np.intp] = self._given.reference_groups.sizes[self._given.candidate_groups.segments]
        return sizes

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the choices of each candidate begin, and the end."""
        starts = np.zeros(len(self.counts) + 1, np.intp)
        np.cumsum(self.counts, out=starts[1:])
        return starts

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """The candidate of each choice."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def choices(self) -> NDArray[np.intp]:
        """The pairs that the first candidate chooses from, those of the second and so on."""
        if self._whole is self:
            return np.arange(len(self))
        candidates, references = self._given.places
        firsts = self._whole.starts[candidates]
        choices: NDArray[np.intp] = np.repeat(firsts, self.counts) + references[self._reference_entries]
        return choices

    @cached_property
    def _reference_entries(self) -> NDArray[np.intp]:
        """Where among the groups' references each choice's is: those of the candidate's segment, over and over."""
        firsts = self._given.reference_groups.bounds[self._given.candidate_groups.segments] - self.starts[:-1]
        entries: NDArray[np.intp] = np.arange(self.starts[-1]) + np.repeat(firsts, self.counts)
        return entries

    @cached_property
    def candidate_lengths(self) -> NDArray[np.intp]:
        """The length of each pair's candidate."""
        return np.repeat(self.batch.lengths, self._whole.counts)

    @cached_property
    def reference_lengths(self) -> NDArray[np.intp]:
        """The length of each pair's reference."""
        rows = self.batch.reference_groups.rows[self._whole._reference_entries]
        lengths: NDArray[np.intp] = self.batch.references.lengths[rows]
        return lengths

    def of_lengths(self, function: Callable[[NDArray[np.intp]], Floats]) -> tuple[Floats, Floats]:
        """What a function gives for the length of each pair's candidate, and of its reference."""
        longest = max(one.max(initial=0) for one in (self.candidate_lengths, self.reference_lengths))
        table = function(np.arange(longest + 1))
        return table[self.candidate_lengths], table[self.reference_lengths]

    def least(self, *keys: Floats) -> NDArray[np.intp]:
        """For each candidate its pair with the least first key, ties by the second and so on."""
        best = np.empty(len(self.counts), np.intp)
        _least(self.starts, self.choices, np.array(keys, np.float64), best)
        return best

    def mean_reference_length(self) -> Floats:
        """The mean length of each candidate's references; a candidate has at least one."""
        groups = self._given.reference_groups
        ends = np.concatenate([np.zeros(1, np.intp), np.cumsum(self._given.references.lengths[groups.rows])])
        means: Floats = np.diff(ends[groups.bounds])[self._given.candidate_groups.segments] / self.counts
        return means

    def mean(self, numbers: NDArray[Any]) -> Floats:
        """The mean of numbers, one a pair, over the references of each candidate."""
        means: Floats = np.add.reduceat(numbers[self.choices], self.starts[:-1]) / self.counts
        return means
