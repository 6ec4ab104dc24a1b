"""Candidates and each of their references: pairs, what they have in common, and the choice of the best reference.

Comparisons are computed when a metric first needs them, once for all metrics of a request.

If a metric uses the best reference, it is chosen by content: ties are broken by what the choice means for the score,
never by the order of the references.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.encode.batch import Batch
from tarocco.kernels import (
    alignment,
    bag_overlap,
    bit_parallel,
    edit_distance,
    kernel,
    ngram_matches,
    segments,
    skip_bigrams,
    union_lcs,
    weighted_lcs,
)
from tarocco.metrics.base import Floats, OnePassMetric

_choose_references = kernel(segments, "choose_references")
_measure_segments = kernel(segments, "measure_segments")
_compare = kernel(bit_parallel, "compare_texts", wide=True)
_overlap = kernel(bag_overlap, "count_common_words")
_align = kernel(edit_distance, "compute_edit_costs")
_unite = kernel(union_lcs, "count_union_hits")
_align_texts = kernel(alignment, "align_texts")
_recognize = kernel(edit_distance, "score_recognition")
_shared_ngrams = kernel(ngram_matches, "count_matches_of_four")
_matches_with_many = kernel(ngram_matches, "count_matches_of_many", wide=True)
_skip_bigrams = kernel(skip_bigrams, "count_skip_bigrams")
_weigh = kernel(weighted_lcs, "compute_weighted_lcs", wide=True)
_weigh_short = kernel(weighted_lcs, "compute_short_weighted_lcs", wide=True)

Counts = NDArray[np.intp]

_MOST_MASKS = 1 << 22  # words of 64 bits: beyond 32 MiB, a segment is compared without masks
_LANES = 32  # references that the kernel for many references compares at a time
_CROWD = 8  # references per candidate from which on that kernel is faster
_MOST_NGRAMS = 1 << 20  # n-grams in its table
_LONGEST_TEXT = (1 << 15) - 1  # words; it counts in 16 bits
_MOST_CELLS = 1 << 20  # (first word, second word, reference) of skip-bigrams in one pass
_MOST_NODES = 1 << 21  # repeated skip-bigrams of a segment's references; beyond that, texts are compared one by one
_MOST_LIMITS = 200  # gap limits in one pass; a bin is a byte
_SHORT = 64  # words; beyond that, one row in place is faster than a tree of candidates
_MOST_BEGINNINGS = 1 << 17  # of candidates, in a tree at a time
_LARGEST_TABLE = 1 << 26  # cells of a whole table, half a GiB
_MOST_CELLS_ALIGNED = 1 << 32  # words of one text times words of the other: two bits each, 1 GiB

RECURRENCE, OPTIMUM, AS_IN_155 = range(3)  # the variants of kernels/weighted_lcs.py


class TextPairs:
    """All pairs of a candidate and one of its references, in the order segment, candidate, reference.

    Candidate i chooses its best reference from the pairs choices[starts[i]:starts[i + 1]]. If the batch is part of a
    whole, pairs are those of the whole, and candidates choose from the references that are left to them.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch if batch.whole is None else batch.whole
        self._part = batch
        # Avoid a reference cycle: blocks of many megabytes would wait for the garbage collector.
        self._pairs_of_whole = None if batch.whole is None else TextPairs(batch.whole)

    @property
    def _whole(self) -> TextPairs:
        return self if self._pairs_of_whole is None else self._pairs_of_whole

    def __len__(self) -> int:
        return int(self.batch.candidate_groups.sizes @ self.batch.reference_groups.sizes)

    @cached_property
    def apart(self) -> TextPairs:
        """The choices as separate pairs: pair c corresponds to choices[c]."""
        return TextPairs(self._part.alone)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """The number of references of each candidate."""
        sizes: NDArray[np.intp] = self._part.reference_groups.sizes[self._part.candidate_groups.segments]
        return sizes

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The start of each candidate's choices, and the end."""
        starts = np.zeros(len(self.counts) + 1, np.intp)
        np.cumsum(self.counts, out=starts[1:])
        return starts

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """The candidate of each choice."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def choices(self) -> NDArray[np.intp]:
        """The pairs from which each candidate chooses, candidate by candidate."""
        if self._whole is self:
            return np.arange(len(self))
        candidates, references = self._part.places
        firsts = self._whole.starts[candidates]
        choices: NDArray[np.intp] = np.repeat(firsts, self.counts) + references[self._reference_entries]
        return choices

    @cached_property
    def _reference_entries(self) -> NDArray[np.intp]:
        """The place of each choice's reference among those of the groups."""
        firsts = self._part.reference_groups.bounds[self._part.candidate_groups.segments] - self.starts[:-1]
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
        """Return a function of the length of each pair's candidate, and of its reference."""
        longest = max(lengths.max(initial=0) for lengths in (self.candidate_lengths, self.reference_lengths))
        table = function(np.arange(longest + 1))
        return table[self.candidate_lengths], table[self.reference_lengths]

    def least(self, *keys: Floats) -> NDArray[np.intp]:
        """Return each candidate's pair with the lowest first key; ties are broken by the second key and so on."""
        best = np.empty(len(self.counts), np.intp)
        _choose_references(self.starts, self.choices, np.array(keys, np.float64), best)
        return best

    def mean_reference_length(self) -> Floats:
        """Return the mean length of each candidate's references."""
        groups = self._part.reference_groups
        ends = np.concatenate([np.zeros(1, np.intp), np.cumsum(self._part.references.lengths[groups.rows])])
        means: Floats = np.diff(ends[groups.bounds])[self._part.candidate_groups.segments] / self.counts
        return means

    def mean(self, numbers: NDArray[Any]) -> Floats:
        """Return the mean over each candidate's references; there is one number per pair."""
        means: Floats = np.add.reduceat(numbers[self.choices], self.starts[:-1]) / self.counts
        return means


def table_size(entries: int) -> tuple[int, int]:
    """Return the size of a hash table, a power of two that is at most 2/3 full, and the shift for its hash."""
    bits = max(4, (entries + entries // 2).bit_length())
    return 1 << bits, 64 - bits


def shared_matches(batch: Batch, order: int) -> Floats:
    """Return float64[pairs, order]: the n-gram matches of each pair, per order."""
    groups, lengths = batch.reference_groups, batch.references.lengths
    starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths[groups.rows])])[groups.bounds]
    longest = int(lengths.max(initial=0))
    matches = np.zeros((int(batch.candidate_groups.sizes @ groups.sizes), order))
    of_group = int(np.diff(starts).max(initial=0))
    many = min(_LANES * longest, of_group)
    if (
        len(matches) >= _CROWD * len(batch)
        and many * order < _MOST_NGRAMS
        and batch.lengths.max(initial=0) <= _LONGEST_TEXT
    ):
        _fill_with_many(batch, order, many, matches)
        return matches
    most = min(4 * longest, of_group)  # the table holds four references at a time
    size, _ = table_size(most)
    nodes, table = np.empty(8 * order * most, np.int32), np.zeros(4 * size, np.int32)
    _shared_ngrams(*batch.arrays, order, nodes, table, np.zeros(4 * order, np.int32), matches)
    return matches


def _fill_with_many(batch: Batch, order: int, words: int, matches: Floats) -> None:
    """Fill in the matches with many references; any 32 consecutive ones have at most `words` words."""
    size, shift = table_size(words)
    counts, nodes = np.empty((order * words, _LANES), np.int16), np.empty(4 * order * words, np.int32)
    table, tallies = np.zeros(4 * size, np.int32), np.empty((order, _LANES), np.int16)
    _matches_with_many(*batch.arrays, order, counts, nodes, table, shift, tallies, matches)


class Comparison:
    """What the candidates and references of each pair of a batch have in common."""

    def __init__(self, batch: Batch, requests: Sequence[tuple[str, Hashable]] = ()) -> None:
        self.pairs = TextPairs(batch)
        self.batch = batch = self.pairs.batch
        self._requests = dict.fromkeys(requests)
        self._computed: dict[Hashable, Any] = {}
        sizes = np.empty(6, np.intp)
        _measure_segments(*batch.arrays, sizes)
        # The number of pairs, and the maxima over segments of the others.
        self._pairs, self._references, self._words, self._blocks, self._longest, self._longest_reference = (
            sizes.tolist()
        )

    @classmethod
    def of_counts(cls, batch: Batch, distances: Counts, subsequences: Counts, matches: Floats) -> Comparison:
        """Return the comparison of a batch, of which only the lengths of texts are read, from counts of its pairs."""
        comparison = cls(batch)
        vars(comparison).update(distances=distances, subsequences=subsequences)
        comparison._computed["n-grams"] = matches
        return comparison

    def _locals(self) -> NDArray[np.int32]:
        return np.full((len(self.batch.vocabulary), 2), -1, np.int32)

    def requested(self, kind: str) -> list[Any]:
        """Return the values that all metrics of the run request of one kind, in order."""
        return [value for request, value in self._requests if request == kind]

    # --- edit distances ------------------------------------------------------------------------------------------

    @cached_property
    def distances(self) -> Counts:
        """The Levenshtein distance of each pair."""
        return self._count(subsequences=False)

    @cached_property
    def subsequences(self) -> Counts:
        """The length of the longest common subsequence of each pair."""
        return self._count(subsequences=True)

    def _count(self, *, subsequences: bool) -> Counts:
        most = -(-self._references // 4) * 4  # short references are compared four at a time
        if self._longest_reference > 64:
            most = max(most, self._blocks)
        if self._words * most > _MOST_MASKS:
            most = max(4, _MOST_MASKS // self._words)
        counts = np.empty(self._pairs, np.intp)
        left_out = _compare(
            *self.batch.arrays,
            subsequences,
            np.zeros(len(self.batch.vocabulary), np.int32),
            np.empty((4, self._longest + 1), np.int32),
            np.zeros((self._words + 1, most), np.uint64),
            np.empty((4, max(8, self._longest_reference // 64 + 1)), np.uint64),
            np.empty(self._references, np.intp),
            np.empty(4, np.intp),
            counts,
        )
        if left_out:
            missing = counts < 0
            costs = self._align(substitution=2 if subsequences else 1, needed=missing)
            lengths = self.pairs.candidate_lengths + self.pairs.reference_lengths
            counts = np.where(missing, (lengths - costs) // 2 if subsequences else costs, counts)
        return counts

    def _align(
        self,
        *,
        jumps: bool = False,
        substitution: int = 1,
        needed: NDArray[np.bool_] | None = None,
    ) -> Counts:
        costs = np.zeros(self._pairs, np.intp)
        flags = np.ones(len(costs), np.uint8) if needed is None else needed.astype(np.uint8)
        row = np.zeros(max(self._longest, self._longest_reference) + 1, np.intp)
        _align(*self.batch.arrays, jumps, 0, 1, substitution, row, flags, costs)
        return costs

    @cached_property
    def steps(self) -> Counts:
        """intp[pairs, 4]: matches, substitutions, deletions and insertions of the alignment with the fewest edits.

        If there are several, it is the one that RapidFuzz, and so jiwer, finds.
        """
        return self._count_steps(np.empty(0, np.uint8))

    def trace(self) -> NDArray[np.uint8]:
        """Return the steps of the only pair's alignment in the order of the text: columns of `steps`."""
        steps = np.empty(self._longest + self._longest_reference + 1, np.uint8)
        return steps[: int(self._count_steps(steps).sum())][::-1]

    def _count_steps(self, steps: NDArray[np.uint8]) -> Counts:
        if self._longest * self._longest_reference > _MOST_CELLS_ALIGNED:
            raise InputError(
                f"texts of {self._longest} and {self._longest_reference} words are too long to count the kinds of edits"
            )
        words, blocks = len(self.batch.vocabulary), -(-self._longest_reference // 64)
        counts = np.zeros((self._pairs, 4), np.intp)
        rows = np.empty((2, self._longest + 1, blocks), np.uint64)
        masks = np.zeros((min(words, self._longest_reference) + 1, blocks), np.uint64)
        _align_texts(*self.batch.arrays, np.zeros(words, np.int32), masks, *rows, counts, steps)
        return counts

    @cached_property
    def jump_distances(self) -> Counts:
        """The distance of each pair if the candidate may be read in any order and a jump costs 1."""
        return self._align(jumps=True)

    def recognized(self, order: int, insertion: float, deletion: float) -> Floats:
        """Return what GRR's automaton collects for each pair."""
        collected = np.zeros(self._pairs)
        size = self._longest_reference + 1
        _recognize(*self.batch.arrays, order, insertion, deletion, np.zeros(size), np.zeros((size, order)), collected)
        return collected

    @cached_property
    def hits(self) -> Counts:
        """The size of the intersection of each pair's bags of words."""
        hits = np.zeros(self._pairs, np.intp)
        counts = np.zeros((self._words, self._references), np.int32)
        _overlap(*self.batch.arrays, self._locals(), counts, np.zeros((self._words, 2), np.int32), hits)
        return hits

    # --- sentences -----------------------------------------------------------------------------------------------

    @cached_property
    def united_subsequences(self) -> tuple[Counts, Counts, Counts]:
        """The hits of each pair in the union of its sentences' subsequences, and the words of both texts.

        Sentences end at newlines, and are tokenized one by one.
        """
        columns = self.batch.columns, self.batch.reference_columns
        if not any(column.has_newlines for side in columns for column in side):
            return self.subsequences, self.pairs.candidate_lengths, self.pairs.reference_lengths
        sentences = self.batch.sentences()
        pairs, longest = TextPairs(sentences.batch), sentences.longest()
        hits = np.zeros(self._pairs, np.intp)
        candidates, references = sentences.batch.arrays
        _unite(
            *(candidates, *sentences.sides[0], references, *sentences.sides[1]),
            np.zeros((len(sentences.batch.vocabulary), 2), np.int32),
            np.empty((longest + 1, longest + 1), np.int32),
            np.empty(longest, np.uint8),
            hits,
        )
        return hits, pairs.candidate_lengths, pairs.reference_lengths

    # --- n-grams, skip-bigrams, weighted subsequences: all requests of a kind in one pass ------------------------

    def shared_ngrams(self, order: int) -> Floats:
        """Return the number of n-grams of this order that each pair has in common."""
        if "n-grams" not in self._computed:
            self._computed["n-grams"] = shared_matches(self.batch, max([*self.requested("n-grams"), order]))
        counts: Floats = self._computed["n-grams"][:, order - 1]
        return counts

    def skip_bigrams(self, gap: int | None) -> Counts:
        """Return the number of skip-bigrams with gaps up to this one (None: any) that each pair has in common."""
        limits = sorted({*self.requested("gap"), gap}, key=lambda limit: (limit is None, limit))
        if "skip-bigrams" not in self._computed:
            parts = [limits[i : i + _MOST_LIMITS] for i in range(0, len(limits), _MOST_LIMITS)]
            self._computed["skip-bigrams"] = np.concatenate([self._skips(part) for part in parts], axis=1)
        counts: Counts = self._computed["skip-bigrams"][:, limits.index(gap)]
        return counts

    def _skips(self, limits: Sequence[int | None]) -> Counts:
        longest = max(self._longest, self._longest_reference)
        ends = [longest if limit is None else min(limit, longest) for limit in limits]
        most = min(ends[-1], max(longest - 2, 0))
        bins = np.searchsorted(ends, np.arange(most + 1)).astype(np.uint8)
        nodes = min(self._words * min(self._longest_reference, most + 1), _MOST_NODES)
        cells = min((self._words + 1) ** 2 * self._references, _MOST_CELLS)
        counts = np.zeros((self._pairs, len(limits) + 1), np.intp)
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
            counts,
        )
        return np.cumsum(counts[:, :-1], axis=1)

    def weighted_subsequences(self, variant: int, worth: Any) -> Floats:
        """Return the weighted common subsequence of each pair; `worth` is a hashable function of run lengths."""
        requested = [*dict.fromkeys([*(other for of, other in self.requested("worth") if of == variant), worth])]
        if variant not in self._computed:
            self._computed[variant] = self._weigh(variant, requested)
        weights: Floats = self._computed[variant][:, requested.index(worth)]
        return weights

    def _weigh(self, variant: int, requested: Sequence[Any]) -> Floats:
        longest = max(self._longest, self._longest_reference) + 1
        if variant != RECURRENCE and longest * longest > _LARGEST_TABLE:
            raise InputError(
                f"ROUGE-W with variant=exact or compat=1.5.5 compares texts of up to {int(_LARGEST_TABLE**0.5) - 1} "
                f"words, found one of {longest - 1}"
            )
        runs = np.arange(longest + 1, dtype=np.float64)
        worth = np.column_stack([function(runs) for function in requested])
        weights = np.full((self._pairs, len(requested)), -1.0)
        if variant == RECURRENCE and not self._weigh_short(worth, weights):
            return weights
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
            np.empty((size, len(requested))),
            np.empty((2, size, len(requested))),
            np.empty(texts, np.int32),
            np.empty(texts, np.int32),
            table,
            weights,
        )
        return weights

    def _weigh_short(self, worth: Floats, weights: Floats) -> int:
        """Fill in the weights of pairs of short texts, and return the number of other pairs."""
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
            weights,
        )
        return left_out


@dataclass(frozen=True)
class PairwiseMetric(OnePassMetric):
    """A metric whose statistics are computed from a `Comparison`."""

    def requests(self) -> tuple[tuple[str, Hashable], ...]:
        """Return (kind, value) of comparisons to compute together with those of other metrics."""
        return ()

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Comparison:
        return Comparison(batch, [request for metric in metrics for request in metric.requests()])
