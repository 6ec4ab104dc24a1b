"""QUEEN by the pairs of references of all segments (IQmt's trans-topic mode), not by those of its own segment alone.

For a single metric all pairs count: they are sorted once, and the number that a similarity passes is its rank. With a
reference held out, pairs that it is part of are taken off: how many of the lowest they are is counted once, too. For a
set of metrics, which must pass together, a seeded sample of the pairs is tested bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarocco.judge.decisions import Pairs, Places, own_pairs
from tarocco.judge.random_sets import random_sets
from tarocco.judge.similarities import Similarities
from tarocco.metrics.base import Floats


def sampled_pairs(near: Similarities, size: int, seed: int) -> Pairs:
    """So many different pairs of all segments, or all where there are no more."""
    own = own_pairs(near)
    there = near.present[:, own.references[:, 0]] & near.present[:, own.references[:, 1]]
    segments, pairs = np.nonzero(there)
    chosen = random_sets(seed, len(segments), 1, min(size, len(segments)))[0]
    return Pairs(own.references[pairs[chosen]], own.near[:, None, segments[chosen], pairs[chosen]], own=False)


@dataclass(frozen=True, eq=False)
class AllPairs:
    """All pairs of all segments under one metric, sorted."""

    ordered: Floats
    with_reference: Places  # [references, pairs + 1]: of the k lowest pairs those that reference r is part of

    @classmethod
    def of(cls, near: Similarities, metric: int) -> AllPairs:
        own = own_pairs(near.chosen(metrics=[metric]))
        values = own.near[0].reshape(-1)
        order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
        both = own.references[order % len(own.references)]
        counts = np.zeros((len(near.references), len(order) + 1), np.intp)
        for r, row in enumerate(counts):
            np.cumsum((both == r).any(axis=1), out=row[1:])
        return cls(values[order], counts)

    def queens(self, near: Floats) -> Floats:
        """float64[segments, texts]: QUEEN of texts from their similarities, [segments, texts, references]."""
        known = ~np.isnan(near)
        hits = np.where(known, self._ranks(near), 0).sum(axis=-1)
        return _shares(hits, len(self.ordered) * known.sum(axis=-1))

    def held_out_queens(self, near: Floats, systems: int) -> Floats:
        """float64[segments, references, systems + 1]: of every system and of the reference held out, as for KING."""
        segments, _, references = near.shape
        ranks, known = self._ranks(near), ~np.isnan(near)
        found = np.full((segments, references, systems + 1), np.nan)
        for held_out, lost in enumerate(self.with_reference):
            texts = [*range(systems), systems + held_out]
            left = known[:, texts].copy()
            left[:, :, held_out] = False
            own = ranks[:, texts]
            hits = np.where(left, own - lost[own], 0).sum(axis=-1)
            found[:, held_out] = _shares(hits, (len(self.ordered) - lost[-1]) * left.sum(axis=-1))
        return found

    def _ranks(self, near: Floats) -> Places:
        return np.searchsorted(self.ordered, near, side="right")


def _shares(hits: Places, counts: Places) -> Floats:
    found = np.full(hits.shape, np.nan)
    np.divide(hits, counts, out=found, where=counts > 0)
    return found
