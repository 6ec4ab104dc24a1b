"""Random sets of segments: pseudo-documents, halves of a text, segments to leave out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.resample import words


def random_sets(seed: int, segments: int, count: int = 1000, size: int = 30) -> NDArray[np.intp]:
    """intp[count, size]: sets of distinct segments, each set equally likely; those with the lowest of random words."""
    if segments < size:
        raise InputError(f"sets of {size} distinct segments are wanted, and there are only {segments}")
    if segments == size:
        return np.tile(np.arange(size), (count, 1))
    chosen = np.argpartition(words(seed, count, segments), size - 1, axis=1)[:, :size]
    return np.sort(chosen, axis=1)
