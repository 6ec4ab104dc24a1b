"""QUEEN straight from similarities: every sample is tested, and nothing is kept but how many were passed.

Where few sets of metrics are judged this is faster than bits that could serve many (`decisions`), and needs no room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.decisions import Pairs, Places, Words, packed
from tarocco.judge.similarities import Similarities
from tarocco.kernels import kernel, samples, widest
from tarocco.metrics.base import Floats

_passes = kernel(widest(samples), "passes")


@dataclass(frozen=True, eq=False)
class SampleTests:
    """The samples of all segments, for some choices of a reference held out; the last choice is to hold out none."""

    near: Similarities
    pairs: Pairs
    held_out: Places  # [choices]: the reference, -1 for none
    masks: Words  # [choices, segments, words]: which pairs count
    sizes: NDArray[np.int64]  # [choices, segments]: how many they are

    @classmethod
    def of(cls, near: Similarities, pairs: Pairs, every_reference: bool) -> SampleTests:
        """The tests with every reference held out, and with none; or with none alone."""
        held_out = [*range(len(near.references) if every_reference else 0), None]
        kinds, kind = np.unique(near.present, axis=0, return_inverse=True)
        kind = kind.reshape(-1)
        counted = [pairs.counted(kinds, one) for one in held_out]
        masks = np.stack([packed(flags) for flags in counted])
        sizes = np.stack([flags.sum(axis=1, dtype=np.int64) for flags in counted])
        chosen = np.array([-1 if one is None else one for one in held_out], np.intp)
        pairs = replace(pairs, near=np.ascontiguousarray(pairs.near))  # the kernel reads a row as it lies
        return cls(near, pairs, chosen, masks[:, kind], sizes[:, kind])

    def shares(self, members: Sequence[int], first: int, last: int) -> Floats:
        """float64[segments, texts, choices]: QUEEN in segments first .. last - 1, of systems and, where they are held
        out, of references, which come behind them; NaN where there is no sample."""
        systems = len(self.near.systems)
        texts = systems + len(self.held_out) - 1
        rows = slice(first, last)
        hits, counts = np.zeros((2, last - first, texts, len(self.held_out)), np.int64)
        _passes(
            self.near.to_references[:, rows],
            self.pairs.near[:, rows] if self.pairs.own else self.pairs.near,
            np.asarray(members, np.intp),
            systems,
            self.masks[:, rows],
            self.sizes[:, rows],
            self.held_out,
            hits,
            counts,
        )
        found = np.full(hits.shape, np.nan)
        np.divide(hits, counts, out=found, where=counts > 0)
        return found
