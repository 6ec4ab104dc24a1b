"""QARLA on packed bits: one bit says whether a text passes one sample under one metric.

A sample is (r, r', r''): a reference r, and two different references r' and r''. A text passes it under a metric if the
text is at least as similar to r as r' is to r''. QUEEN of a set of metrics is the share of samples that a text passes
under all of them, so it is the number of bits in the AND of their words. Leaving a reference out is a mask, so the same
words serve every leave-one-out set of KING.

A metric without a score in a sample does not test that sample; such a sample is "silent" under the metric. A sample
that is silent under every metric of a set is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import kernel, qarla
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.metrics.base import Floats

_decide = kernel(qarla, "decide_samples", wide=True)
_tally = kernel(qarla, "count_passed", wide=True)

Words = NDArray[np.uint64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


def ordered_pairs(references: int) -> Indices:
    """Return all (r', r'') with r' != r'' as intp[R (R - 1), 2]."""
    first, second = np.divmod(np.arange(references * references), references)
    pairs: Indices = np.stack([first, second], axis=1)[first != second]
    return pairs


def pack_bits(bits: Flags) -> Words:
    """Return the last axis as words of 64 bits, lowest bit first; the last word is padded with zeros."""
    size = bits.shape[-1]
    padded = np.zeros((*bits.shape[:-1], -(-size // 64) * 64), np.bool_)
    padded[..., :size] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


@dataclass(frozen=True, eq=False)
class ReferencePairs:
    """Pairs (r', r'') that texts are measured against: those of the text's segment, or a sample of all segments."""

    references: Indices  # [pairs, 2]: the two references of each pair
    similarity: Floats  # [metrics, segments, pairs]; [metrics, 1, pairs] if the same pairs serve all segments
    within_segment: bool = True  # whether a pair counts only in segments that have both of its references

    def counted(self, present: Flags, held_out: int | None) -> Flags:
        """Return which pairs count in each segment, bool[segments, pairs], without the reference held out."""
        remaining = (self.references != (-1 if held_out is None else held_out)).all(axis=1)
        available = (
            present[:, self.references].all(axis=2) if self.within_segment else np.ones((len(present), 1), np.bool_)
        )
        counted: Flags = available & remaining
        return counted


def pairs_within_segments(similarities: TextSimilarities) -> ReferencePairs:
    """Return all pairs of references of each segment."""
    pairs = ordered_pairs(len(similarities.references))
    metrics, segments, texts, references = similarities.to_references.shape
    flat = similarities.to_references.reshape(metrics, segments, texts * references)
    places = (len(similarities.systems) + pairs[:, 0]) * references + pairs[:, 1]
    return ReferencePairs(pairs, np.take(flat, places, axis=-1))


@dataclass(frozen=True, eq=False)
class Decisions:
    """Which samples each text passes under each metric. Sample (r, pair) is bit r * pairs + pair.

    `passed` has a bit for each sample that a text passes or that is silent under the metric. `silent` has a bit for
    each silent sample; it is None if there are none.
    """

    passed: Words  # [metrics, segments, systems + references, words]
    silent: Words | None
    present: Flags  # [segments, references]
    systems: int
    shared_pairs: Indices | None = None  # the references of each pair, if the same pairs serve all segments

    @classmethod
    def of(cls, similarities: TextSimilarities, pairs: ReferencePairs | None = None) -> Decisions:
        """Compute the decisions of all metrics, by default with the pairs of each segment."""
        pairs = pairs_within_segments(similarities) if pairs is None else pairs
        metrics, segments, texts, references = similarities.to_references.shape
        count = len(pairs.references)
        words = -(-references * count // 64)
        passed, silent = np.zeros((2, metrics, segments, texts, words), np.uint64)
        workspace = np.empty((count + 2, -(-count // 64)), np.uint64)
        systems, any_silent = len(similarities.systems), False
        for m in range(metrics):
            between = np.ascontiguousarray(pairs.similarity[m])
            to_references = np.ascontiguousarray(similarities.to_references[m])
            order = np.argsort(between, axis=1)
            any_silent |= bool(_decide(to_references, between, order, systems, workspace, passed[m], silent[m]))
        shared_pairs = None if pairs.within_segment else pairs.references
        return cls(passed, silent if any_silent else None, similarities.present, systems, shared_pairs)

    def _masks(self, present: Flags, held_out: int | None) -> Words:
        """Return the samples that use only references a segment has, without the one held out."""
        available = present.copy()
        if held_out is not None:
            available[:, held_out] = False
        if self.shared_pairs is None:
            pairs = ordered_pairs(present.shape[1])
            both = available[:, pairs[:, 0]] & available[:, pairs[:, 1]]
        else:
            both = (self.shared_pairs != (-1 if held_out is None else held_out)).all(axis=1)[None]
        return pack_bits((available[:, :, None] & both[:, None, :]).reshape(len(available), -1))

    @cached_property
    def masks(self) -> Words:
        """uint64[references + 1, segments, words]: the samples with each reference held out, and last with none."""
        patterns, pattern_of = np.unique(self.present, axis=0, return_inverse=True)
        held_out = [*range(self.present.shape[1]), None]
        masks = np.stack([self._masks(patterns, reference) for reference in held_out])
        return np.take(masks, pattern_of.reshape(-1), axis=1)

    @cached_property
    def n_references(self) -> NDArray[np.intp]:
        """The number of references of each segment."""
        counts: NDArray[np.intp] = self.present.sum(axis=1)
        return counts


def queen_shares(decisions: Decisions, members: Sequence[int], masks: Words, texts: Indices, sets: Indices) -> Floats:
    """Return the share of the samples in masks[sets[j]] that texts[j] passes under all members.

    The result is float64[segments, len(texts)], NaN where no sample counts. The AND over the members is reused for
    equal texts that follow each other.
    """
    passed, silent = decisions.passed, decisions.silent
    if silent is None:
        silent = np.empty((0, 0, 0, 0), np.uint64)
    workspace = np.empty((2, passed.shape[-1]), np.uint64)
    hits, counts = np.empty((2, passed.shape[1], len(texts)), np.int32)
    _tally(passed, silent, np.asarray(members, np.intp), masks, texts, sets, workspace, hits, counts)
    return divide_counts(hits, counts)


def divide_counts(hits: NDArray[np.integer], counts: NDArray[np.integer]) -> Floats:
    """Return hits / counts, NaN where counts is 0."""
    shares = np.full(hits.shape, np.nan)
    np.divide(hits, counts, out=shares, where=counts > 0)
    return shares


def compute_queen_of_set(decisions: Decisions, members: Sequence[int], held_out: int | None = None) -> Floats:
    """Return QUEEN of every text, float64[segments, texts], NaN where no sample counts.

    A reference is measured against the other references.
    """
    references = decisions.present.shape[1]
    mask = decisions.masks[references if held_out is None else held_out]
    masks = np.ascontiguousarray(np.concatenate([mask & decisions.masks[:-1], mask[None]]))
    texts = np.arange(decisions.systems + references)
    sets = np.concatenate([np.full(decisions.systems, references), np.arange(references)])
    return queen_shares(decisions, members, masks, texts, sets)


def compute_held_out_queen_of_set(decisions: Decisions, members: Sequence[int]) -> Floats:
    """Hold each reference out and return QUEEN of every system and, last, of that reference.

    The result is float64[segments, references, systems + 1].
    """
    segments, references = decisions.present.shape
    systems = decisions.systems
    every = np.arange(references)
    texts = np.concatenate([np.repeat(np.arange(systems), references), systems + every])
    sets = np.tile(every, systems + 1)
    shares = queen_shares(decisions, members, decisions.masks, texts, sets)
    return np.ascontiguousarray(np.moveaxis(shares.reshape(segments, systems + 1, references), 1, 2))


@dataclass(frozen=True, eq=False)
class HeldOutCases:
    """The cases that KING counts: for each segment and held-out reference, how it compares with all systems."""

    won: Flags  # [segments, references]: QUEEN of the reference is at least that of every system
    strict: Flags  # ... and above that of every system
    counted: Flags  # whether the case exists

    @classmethod
    def of(cls, queens: Floats, present: Flags) -> HeldOutCases:
        """Compare each held-out reference with the systems, from float64[segments, references, systems + 1]."""
        reference, systems = queens[..., -1], queens[..., :-1]
        unknown = np.isnan(systems)
        counted = present & ~np.isnan(reference) & ~unknown.all(axis=-1)
        best = np.where(unknown, -np.inf, systems).max(axis=-1, initial=-np.inf)
        return cls((reference >= best) & counted, (reference > best) & counted, counted)

    @property
    def by_segment(self) -> Floats:
        """float64[segments, 2]: KING and strict KING of each segment, NaN where no case exists."""
        counts = self.counted.sum(axis=1)
        return np.stack([divide_counts(flags.sum(axis=1), counts) for flags in (self.won, self.strict)], axis=1)

    @property
    def by_reference(self) -> Floats:
        """float64[references, 2]: KING and strict KING of each reference, NaN where no case exists."""
        counts = self.counted.sum(axis=0)
        return np.stack([divide_counts(flags.sum(axis=0), counts) for flags in (self.won, self.strict)], axis=1)

    @property
    def n_segments(self) -> int:
        """The number of segments with a case."""
        return int(self.counted.any(axis=1).sum())


def find_king_cases(decisions: Decisions, members: Sequence[int]) -> HeldOutCases:
    """Return the cases of KING under a set of metrics."""
    return HeldOutCases.of(compute_held_out_queen_of_set(decisions, members), decisions.present)
