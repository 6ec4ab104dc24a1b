"""QARLA on packed bits: one bit says whether a text passes the test of one sample under one metric.

A sample is (r, r', r''): a reference r, and two different references r' and r''. A text passes it under a metric if it
is at least as near to r as r' is to r''. QUEEN of a set of metrics is the share of samples that a text passes under all
of them: the number of bits in the AND of their words. Leaving a reference out is a mask, so the same words serve every
leave-one-out set of KING.

A sample in which a metric has no score puts no test under that metric: it is silent there. A sample in which all
metrics of a set are silent is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import kernel, qarla, widest
from tarocco.meta.qarla.similarities import Similarities
from tarocco.metrics.base import Floats

_decide = kernel(widest(qarla), "decide_samples")
_tally = kernel(widest(qarla), "count_passed")

Words = NDArray[np.uint64]
Places = NDArray[np.intp]
Flags = NDArray[np.bool_]


def ordered_pairs(references: int) -> Places:
    """intp[R (R - 1), 2]: all (r', r'') with r' != r''."""
    first, second = np.divmod(np.arange(references * references), references)
    pairs: Places = np.stack([first, second], axis=1)[first != second]
    return pairs


def packed(bits: Flags) -> Words:
    """The last axis as words of 64 bits, the first in the lowest bit; the rest of the last word is zero."""
    size = bits.shape[-1]
    padded = np.zeros((*bits.shape[:-1], -(-size // 64) * 64), np.bool_)
    padded[..., :size] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


@dataclass(frozen=True, eq=False)
class ReferencePairs:
    """Pairs (r', r'') that texts are measured by: of each segment its own, or some of all segments."""

    references: Places  # [pairs, 2]: which two references
    near: Floats  # [metrics, segments, pairs]: their similarity; [metrics, 1, pairs] where they serve all segments
    own: bool = True  # whether they are the segment's own, so that it must have these references

    def counted(self, present: Flags, held_out: int | None) -> Flags:
        """bool[segments, pairs]: those of references that a segment has, where pairs are its own, and none held out."""
        kept = (self.references != (-1 if held_out is None else held_out)).all(axis=1)
        there = present[:, self.references].all(axis=2) if self.own else np.ones((len(present), 1), np.bool_)
        counted: Flags = there & kept
        return counted


def own_pairs(near: Similarities) -> ReferencePairs:
    """All pairs of a segment's references."""
    pairs = ordered_pairs(len(near.references))
    metrics, segments, texts, references = near.to_references.shape
    flat = near.to_references.reshape(metrics, segments, texts * references)
    places = near_rows(len(near.systems), pairs) * references + pairs[:, 1]
    return ReferencePairs(pairs, np.take(flat, places, axis=-1))


def near_rows(systems: int, pairs: Places) -> Places:
    """The rows of the first references of pairs among all texts."""
    return systems + pairs[:, 0]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Which samples each text passes under each metric. Sample (r, pair) is bit r * pairs + pair.

    `passed` has a bit for each sample that a text passes, or in which the metric has no score: then it puts no test.
    `silent` has a bit for each sample in which the metric has no score; it is None where every metric has all.
    """

    passed: Words  # [metrics, segments, systems + references, words]
    silent: Words | None
    present: Flags  # [segments, references]
    systems: int
    elsewhere: Places | None = None  # the two references of each pair, where pairs are not the segment's own

    @classmethod
    def of(cls, near: Similarities, pairs: ReferencePairs | None = None) -> Decisions:
        """The decisions of all metrics; by a segment's own pairs of references, or by those given."""
        pairs = own_pairs(near) if pairs is None else pairs
        metrics, segments, texts, references = near.to_references.shape
        count = len(pairs.references)
        words = -(-references * count // 64)
        passed, silent = np.zeros((2, metrics, segments, texts, words), np.uint64)
        upto = np.empty((count + 2, -(-count // 64)), np.uint64)
        systems, told = len(near.systems), False
        for m in range(metrics):
            between = np.ascontiguousarray(pairs.near[m])
            own = np.ascontiguousarray(near.to_references[m])
            told |= bool(_decide(own, between, np.argsort(between, axis=1), systems, upto, passed[m], silent[m]))
        elsewhere = None if pairs.own else pairs.references
        return cls(passed, silent if told else None, near.present, systems, elsewhere)

    @staticmethod
    def masks_of(present: Flags, held_out: int | None = None, elsewhere: Places | None = None) -> Words:
        """uint64[segments, words]: the samples made of references that a segment has, without the one held out."""
        there = present.copy()
        if held_out is not None:
            there[:, held_out] = False
        if elsewhere is None:
            pairs = ordered_pairs(present.shape[1])
            both = there[:, pairs[:, 0]] & there[:, pairs[:, 1]]
        else:
            both = (elsewhere != (-1 if held_out is None else held_out)).all(axis=1)[None]
        return packed((there[:, :, None] & both[:, None, :]).reshape(len(there), -1))

    @cached_property
    def masks(self) -> Words:
        """uint64[references + 1, segments, words]: the samples with reference r held out; the last, with none."""
        kinds, of_segment = np.unique(self.present, axis=0, return_inverse=True)
        held_out = [*range(self.present.shape[1]), None]
        masks = np.stack([self.masks_of(kinds, one, self.elsewhere) for one in held_out])
        return np.take(masks, of_segment.reshape(-1), axis=1)

    @cached_property
    def n_references(self) -> NDArray[np.intp]:
        """How many references each segment has."""
        counts: NDArray[np.intp] = self.present.sum(axis=1)
        return counts


def queen_shares(decisions: Decisions, members: Sequence[int], masks: Words, texts: Places, sets: Places) -> Floats:
    """float64[segments, jobs]: of the samples in masks[sets[j]] those that texts[j] passes; NaN where there are none.

    What all members pass together is found once for equal texts that follow each other.
    """
    passed, silent = decisions.passed, decisions.silent
    if silent is None:
        silent = np.empty((0, 0, 0, 0), np.uint64)
    both = np.empty((2, passed.shape[-1]), np.uint64)
    hits, counts = np.empty((2, passed.shape[1], len(texts)), np.int32)
    _tally(passed, silent, np.asarray(members, np.intp), masks, texts, sets, both, hits, counts)
    found = np.full(hits.shape, np.nan)
    np.divide(hits, counts, out=found, where=counts > 0)
    return found


def queen(decisions: Decisions, members: Sequence[int], held_out: int | None = None) -> Floats:
    """float64[segments, texts]: QUEEN of every text; NaN where there is no sample. References are judged by others."""
    references = decisions.present.shape[1]
    mask = decisions.masks[references if held_out is None else held_out]
    masks = np.ascontiguousarray(np.concatenate([mask & decisions.masks[:-1], mask[None]]))
    texts = np.arange(decisions.systems + references)
    sets = np.concatenate([np.full(decisions.systems, references), np.arange(references)])
    return queen_shares(decisions, members, masks, texts, sets)


def held_out_queens(decisions: Decisions, members: Sequence[int]) -> Floats:
    """float64[segments, references, systems + 1]: with a reference held out, QUEEN of every system and then its own."""
    segments, references = decisions.present.shape
    systems = decisions.systems
    every = np.arange(references)
    texts = np.concatenate([np.repeat(np.arange(systems), references), systems + every])
    sets = np.tile(every, systems + 1)
    found = queen_shares(decisions, members, decisions.masks, texts, sets).reshape(segments, systems + 1, references)
    return np.ascontiguousarray(np.moveaxis(found, 1, 2))


@dataclass(frozen=True, eq=False)
class HeldOutCases:
    """What KING counts: for each segment and reference, held out, whether it stands up to all systems."""

    won: Flags  # [segments, references]: its QUEEN is at least that of every system
    strict: Flags  # ... and above that of every system
    counted: Flags  # whether there is such a case at all

    @classmethod
    def of(cls, queens: Floats, present: Flags) -> HeldOutCases:
        """From QUEEN with each reference held out, as `held_out_queens` gives it."""
        own, others = queens[..., -1], queens[..., :-1]
        unknown = np.isnan(others)
        counted = present & ~np.isnan(own) & ~unknown.all(axis=-1)
        best = np.where(unknown, -np.inf, others).max(axis=-1, initial=-np.inf)
        return cls((own >= best) & counted, (own > best) & counted, counted)

    def by_segment(self, outcome: Flags) -> Floats:
        """float64[segments]: the mean over a segment's own references of `won` or `strict`; NaN where none counts."""
        counts = self.counted.sum(axis=1)
        means = np.full(len(counts), np.nan)
        np.divide((outcome & self.counted).sum(axis=1), counts, out=means, where=counts > 0)
        return means


def king(decisions: Decisions, members: Sequence[int]) -> HeldOutCases:
    """Hold each reference out: is its QUEEN, by the others, at least that of every system?"""
    return HeldOutCases.of(held_out_queens(decisions, members), decisions.present)
