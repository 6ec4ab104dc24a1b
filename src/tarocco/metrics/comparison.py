"""What candidates and each of their references have in common: the measurement under WER, GRR, ROUGE and their kin.

Everything is computed when a metric first asks for it, once for all metrics of a request.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.encode.batch import Batch
from tarocco.kernels import (
    bag_overlap,
    bit_parallel,
    edit_distance,
    kernel,
    segments,
    skip_bigrams,
    weighted_lcs,
    widest,
)
from tarocco.metrics.base import Floats, OnePass
from tarocco.metrics.ngram.counts import shared_matches
from tarocco.metrics.pairs import Pairs

_extent = kernel(segments, "measure_segments")
_compare = kernel(widest(bit_parallel), "compare_texts")
_overlap = kernel(bag_overlap, "count_common_words")
_align = kernel(edit_distance, "compute_edit_costs")
_recognize = kernel(edit_distance, "score_recognition")
_skip_bigrams = kernel(skip_bigrams, "count_skip_bigrams")
_weigh = kernel(widest(weighted_lcs), "compute_weighted_lcs")
_weigh_short = kernel(widest(weighted_lcs), "compute_short_weighted_lcs")

Counts = NDArray[np.intp]

_MOST_MASKS = 1 << 22  # words of 64 bits: beyond 32 MiB a segment is compared without masks
_MOST_CELLS = 1 << 20  # (first word, second word, reference) of skip-bigrams looked at together
_MOST_NODES = 1 << 21  # repeated skip-bigrams of a segment's references; with more, texts are compared one by one
_MOST_LIMITS = 200  # gap limits counted in one pass; a bin is a byte
_SHORT = 64  # words: beyond that, going through rows in place is quicker, unless candidates are much alike
_MOST_BEGINNINGS = 1 << 17  # of candidates, that are in a tree at a time
_LARGEST_TABLE = 1 << 26  # cells of a whole table, half a GiB
_HIT = 1 << 24  # an edit costs so much more than a match saves: fewest edits first, then most matches

RECURRENCE, OPTIMUM, AS_IN_155 = range(3)  # the variants of kernels/weighted_lcs.py


class Comparison:
    """All pairs of candidates and references of a batch, or of the whole that it is part of, in their order."""

    def __init__(self, batch: Batch, wanted: Sequence[tuple[str, Hashable]] = ()) -> None:
        self.pairs = Pairs(batch)
        self.batch = batch = self.pairs.batch
        self._wanted = dict.fromkeys(wanted)
        self._made: dict[Hashable, Any] = {}
        sizes = np.empty(6, np.intp)
        _extent(*batch.arrays, sizes)
        # The number of pairs, and the largest of these over segments.
        self._pairs, self._references, self._words, self._blocks, self._longest, self._longest_reference = (
            sizes.tolist()
        )

    def _locals(self) -> NDArray[np.int32]:
        return np.full((len(self.batch.vocabulary), 2), -1, np.int32)

    def wanted(self, kind: str) -> list[Any]:
        """What all metrics of the request want of one kind, in order."""
        return [what for of, what in self._wanted if of == kind]

    # --- edit distance and its kin -------------------------------------------------------------------------------

    @cached_property
    def distances(self) -> Counts:
        """The Levenshtein distance of each pair."""
        return self._compared(subsequences=False)

    @cached_property
    def subsequences(self) -> Counts:
        """The length of the longest common subsequence of each pair."""
        return self._compared(subsequences=True)

    def _compared(self, *, subsequences: bool) -> Counts:
        most = -(-self._references // 4) * 4  # short references are compared four at a time
        if self._longest_reference > 64:
            most = max(most, self._blocks)
        if self._words * most > _MOST_MASKS:
            most = max(4, _MOST_MASKS // self._words)
        found = np.empty(self._pairs, np.intp)
        left_out = _compare(
            *self.batch.arrays,
            subsequences,
            np.zeros(len(self.batch.vocabulary), np.int32),
            np.empty((4, self._longest + 1), np.int32),
            np.zeros((self._words + 1, most), np.uint64),
            np.empty((4, max(8, self._longest_reference // 64 + 1)), np.uint64),
            np.empty(self._references, np.intp),
            np.empty(4, np.intp),
            found,
        )
        if left_out:
            missing = found < 0
            costs = self._aligned(edit=1, substitution=2 if subsequences else 1, wanted=missing)
            lengths = self.pairs.candidate_lengths + self.pairs.reference_lengths
            found = np.where(missing, (lengths - costs) // 2 if subsequences else costs, found)
        return found

    def _aligned(
        self,
        *,
        jumps: bool = False,
        match: int = 0,
        edit: int = 1,
        substitution: int = 1,
        wanted: NDArray[np.bool_] | None = None,
    ) -> Counts:
        costs = np.zeros(self._pairs, np.intp)
        needed = np.ones(len(costs), np.uint8) if wanted is None else wanted.astype(np.uint8)
        row = np.zeros(max(self._longest, self._longest_reference) + 1, np.intp)
        _align(*self.batch.arrays, jumps, match, edit, substitution, row, needed, costs)
        return costs

    @cached_property
    def matches(self) -> Counts:
        """The matches of each pair in an alignment of fewest edits; of several, one with most matches."""
        costs = self._aligned(match=-1, edit=_HIT, substitution=_HIT)
        return -costs % _HIT

    @cached_property
    def jump_distances(self) -> Counts:
        """The distance of each pair when the candidate may be read in any order, a jump costing 1."""
        return self._aligned(jumps=True)

    def recognized(self, order: int, insertion: float, deletion: float) -> Floats:
        """What GRR's automaton collects for each pair."""
        found = np.zeros(self._pairs)
        size = self._longest_reference + 1
        _recognize(*self.batch.arrays, order, insertion, deletion, np.zeros(size), np.zeros((size, order)), found)
        return found

    @cached_property
    def hits(self) -> Counts:
        """The size of the intersection of each pair's bags of words."""
        hits = np.zeros(self._pairs, np.intp)
        counts = np.zeros((self._words, self._references), np.int32)
        _overlap(*self.batch.arrays, self._locals(), counts, np.zeros((self._words, 2), np.int32), hits)
        return hits

    # --- n-grams, skip-bigrams, weighted subsequences: several of a kind in one pass -----------------------------

    def shared_ngrams(self, order: int) -> Floats:
        """The n-grams of this order that each pair has in common."""
        if "n-grams" not in self._made:
            self._made["n-grams"] = shared_matches(self.batch, max([*self.wanted("n-grams"), order]))
        found: Floats = self._made["n-grams"][:, order - 1]
        return found

    def skip_bigrams(self, gap: int | None) -> Counts:
        """The skip-bigrams with gaps up to this one (None: any) that each pair has in common."""
        limits = sorted({*self.wanted("gap"), gap}, key=lambda one: (one is None, one))
        if "skip-bigrams" not in self._made:
            parts = [limits[i : i + _MOST_LIMITS] for i in range(0, len(limits), _MOST_LIMITS)]
            self._made["skip-bigrams"] = np.concatenate([self._skips(part) for part in parts], axis=1)
        found: Counts = self._made["skip-bigrams"][:, limits.index(gap)]
        return found

    def _skips(self, limits: Sequence[int | None]) -> Counts:
        longest = max(self._longest, self._longest_reference)
        ends = [longest if limit is None else min(limit, longest) for limit in limits]
        most = min(ends[-1], max(longest - 2, 0))
        bins = np.searchsorted(ends, np.arange(most + 1)).astype(np.uint8)
        nodes = min(self._words * min(self._longest_reference, most + 1), _MOST_NODES)
        cells = min((self._words + 1) ** 2 * self._references, _MOST_CELLS)
        found = np.zeros((self._pairs, len(limits) + 1), np.intp)
        _skip_bigrams(
            *self.batch.arrays,
            most,
            bins,
            len(limits),
            self._locals(),
            np.empty((2, longest + 1), np.int32),
            np.empty((2, self._words + 1), np.int32),
            np.empty((2, longest + 1), np.int32),
            np.zeros(self._words + 1, np.int32),
            np.empty(cells, np.uint8),
            np.empty((cells, 2), np.int32),
            np.empty((cells, 2), np.int32),
            np.empty((nodes, 2), np.int32),
            found,
        )
        return np.cumsum(found[:, :-1], axis=1)

    def weighted_subsequences(self, variant: int, worth: Any) -> Floats:
        """The weighted common subsequence of each pair; `worth` is a function from run lengths to what they are worth.

        It must be hashable: what the metrics of the request want is computed together.
        """
        wanted = [*dict.fromkeys([*(one for of, one in self.wanted("worth") if of == variant), worth])]
        if variant not in self._made:
            self._made[variant] = self._weighted(variant, wanted)
        found: Floats = self._made[variant][:, wanted.index(worth)]
        return found

    def _weighted(self, variant: int, wanted: Sequence[Any]) -> Floats:
        longest = max(self._longest, self._longest_reference) + 1
        if variant != RECURRENCE and longest * longest > _LARGEST_TABLE:
            raise InputError(
                f"ROUGE-W with variant=exact or compat=1.5.5 compares texts of up to {int(_LARGEST_TABLE**0.5) - 1} "
                f"words, but there is one of {longest - 1}"
            )
        runs = np.arange(longest + 1, dtype=np.float64)
        worth = np.column_stack([one(runs) for one in wanted])
        found = np.full((self._pairs, len(wanted)), -1.0)
        if variant == RECURRENCE and not self._weigh_short(worth, found):
            return found
        size, texts = self._longest_reference + 1, (2, longest + 1)
        table = np.empty((longest, longest) if variant != RECURRENCE else (0, 0))
        _weigh(
            *self.batch.arrays,
            variant,
            worth,
            self._locals(),
            np.empty(self._longest + 1, np.int32),
            np.empty(size, np.int32),
            np.empty((self._references, self._words + 1), np.int32),
            np.empty((self._references, size), np.int32),
            np.empty((size, len(wanted))),
            np.empty((2, size, len(wanted))),
            np.empty(texts, np.int32),
            np.empty(texts, np.int32),
            table,
            found,
        )
        return found

    def _weigh_short(self, worth: Floats, found: Floats) -> int:
        """Fill in pairs of short texts; how many others there are."""
        lanes = -(-worth.shape[1] // 4) * 4  # whole vectors of the processor
        padded = np.zeros((len(worth), lanes))
        padded[:, : worth.shape[1]] = worth
        rows, columns = (min(longest, _SHORT) + 1 for longest in (self._longest, self._longest_reference))
        left_out: int = _weigh_short(
            *self.batch.arrays,
            padded,
            self._locals(),
            np.zeros(columns, np.int32),
            np.zeros(columns, np.int32),
            np.empty((max(rows, min(len(self.batch) * rows, _MOST_BEGINNINGS)), 4), np.int32),
            np.empty(min(len(self.batch), _MOST_BEGINNINGS), np.intp),
            np.empty(rows, np.int32),
            np.zeros(rows, np.intp),
            np.zeros((rows, columns, lanes)),
            np.zeros((rows, columns), np.int32),
            np.zeros((rows, columns + 1), np.int32),
            found,
        )
        return left_out


@dataclass(frozen=True)
class Compared(OnePass):
    """A metric that is made of what candidates and references have in common."""

    def wants(self) -> tuple[tuple[str, Hashable], ...]:
        """What should be computed together with what others want of the same kind."""
        return ()

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Comparison:
        return Comparison(batch, [wish for metric in metrics for wish in metric.wants()])
