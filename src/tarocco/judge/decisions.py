"""QARLA on packed bits: one bit says whether a text passes the test of one sample under one metric.

A sample is (r, r', r''): a reference r, and two different references r' and r''. A text passes it under a metric if it
is at least as near to r as r' is to r''. QUEEN of a set of metrics is the share of samples that a text passes under all
of them: the number of bits in the AND of their words. Leaving a reference out is a mask, so the same words serve every
leave-one-out set of KING.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.similarities import Similarities
from tarocco.metrics.base import Floats

Words = NDArray[np.uint64]


def ordered_pairs(references: int) -> NDArray[np.intp]:
    """intp[R (R - 1), 2]: all (r', r'') with r' != r''."""
    first, second = np.divmod(np.arange(references * references), references)
    pairs: NDArray[np.intp] = np.stack([first, second], axis=1)[first != second]
    return pairs


def packed(bits: NDArray[np.bool_]) -> Words:
    """The last axis as words of 64 bits, the first in the lowest bit; the rest of the last word is zero."""
    size = bits.shape[-1]
    padded = np.zeros((*bits.shape[:-1], -(-size // 64) * 64), np.bool_)
    padded[..., :size] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


@dataclass(frozen=True, eq=False)
class Decisions:
    """Which samples each text passes under each metric. Sample (r, pair) is bit r * R (R - 1) + pair.

    `passed` has a bit for each sample that a text passes, or in which the metric has no score: then it puts no test.
    `silent` has a bit for each sample in which the metric has no score; it is None where every metric has all.
    """

    passed: Words  # [metrics, segments, systems + references, words]
    silent: Words | None
    present: NDArray[np.bool_]  # [segments, references]
    systems: int

    @classmethod
    def of(cls, near: Similarities) -> Decisions:
        pairs = ordered_pairs(len(near.references))
        _, segments, texts, references = near.to_references.shape
        passed, silent = [], []
        for of_metric in near.to_references:  # one after the other: unpacked bits take eight times the room
            between = of_metric[:, near_rows(len(near.systems), pairs), pairs[:, 1]]  # [segments, pairs]
            own = of_metric[:, :, :, None]
            missing = np.isnan(own) | np.isnan(between)[:, None, None, :]
            with np.errstate(invalid="ignore"):
                bits = (own >= between[:, None, None, :]) | missing
            shape = (segments, texts, references * len(pairs))
            passed.append(packed(bits.reshape(shape)))
            silent.append(packed(missing.reshape(shape)))
        valid = cls.masks_of(near.present)
        quiet = np.stack(silent)
        heard = quiet & valid[:, None, :]
        return cls(np.stack(passed), quiet if heard.any() else None, near.present, len(near.systems))

    @staticmethod
    def masks_of(present: NDArray[np.bool_], held_out: int | None = None) -> Words:
        """uint64[segments, words]: the samples made of references that a segment has, without the one held out."""
        there = present.copy()
        if held_out is not None:
            there[:, held_out] = False
        pairs = ordered_pairs(present.shape[1])
        both = there[:, pairs[:, 0]] & there[:, pairs[:, 1]]
        return packed((there[:, :, None] & both[:, None, :]).reshape(len(there), -1))

    @cached_property
    def n_references(self) -> NDArray[np.intp]:
        """How many references each segment has."""
        counts: NDArray[np.intp] = self.present.sum(axis=1)
        return counts


def near_rows(systems: int, pairs: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows of the first references of pairs among all texts."""
    return systems + pairs[:, 0]


def members_of(decisions: Decisions, members: Sequence[int]) -> tuple[Words, Words | None]:
    """What a set of metrics passes together, and where all of them are silent."""
    passed = np.bitwise_and.reduce(decisions.passed[list(members)])
    silent = None if decisions.silent is None else np.bitwise_and.reduce(decisions.silent[list(members)])
    return passed, silent


def queen(decisions: Decisions, members: Sequence[int], held_out: int | None = None) -> Floats:
    """float64[segments, texts]: QUEEN of every text; NaN where there is no sample."""
    passed, silent = members_of(decisions, members)
    mask = Decisions.masks_of(decisions.present, held_out)[:, None, :]
    heard = mask if silent is None else mask & ~silent
    hits = np.bitwise_count(passed & heard).sum(axis=-1, dtype=np.int64)
    counts = np.broadcast_to(np.bitwise_count(heard).sum(axis=-1, dtype=np.int64), hits.shape)
    shares = np.full(hits.shape, np.nan)
    np.divide(hits, counts, out=shares, where=counts > 0)
    return shares


@dataclass(frozen=True, eq=False)
class Cases:
    """What KING counts: for each segment and reference, held out, whether it stands up to all systems."""

    won: NDArray[np.bool_]  # [segments, references]: its QUEEN is at least that of every system
    strict: NDArray[np.bool_]  # ... and above that of every system
    counted: NDArray[np.bool_]  # whether there is such a case at all

    def by_segment(self, outcome: NDArray[np.bool_]) -> Floats:
        """float64[segments]: the mean over a segment's own references of `won` or `strict`; NaN where none counts."""
        counts = self.counted.sum(axis=1)
        shares = np.full(len(counts), np.nan)
        np.divide((outcome & self.counted).sum(axis=1), counts, out=shares, where=counts > 0)
        return shares


def king(decisions: Decisions, members: Sequence[int]) -> Cases:
    """Hold each reference out: is its QUEEN, by the others, at least that of every system?"""
    segments, references = decisions.present.shape
    won, strict, counted = (np.zeros((segments, references), np.bool_) for _ in range(3))
    for held_out in range(references):
        shares = queen(decisions, members, held_out)
        own, others = shares[:, decisions.systems + held_out], shares[:, : decisions.systems]
        counted[:, held_out] = decisions.present[:, held_out] & ~np.isnan(own) & ~np.isnan(others).all(axis=1)
        best = np.where(np.isnan(others), -np.inf, others).max(axis=1, initial=-np.inf)
        won[:, held_out], strict[:, held_out] = own >= best, own > best
    return Cases(won & counted, strict & counted, counted)
