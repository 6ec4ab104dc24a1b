"""Many tests at once: p-values corrected for how many there are."""

from __future__ import annotations

import math

import numpy as np

from tarocco.metrics.base import Floats


def holm(p_values: Floats) -> Floats:
    """p-values adjusted so that a false alarm anywhere in the family is rare (Holm 1979); NaN is no part of it."""
    flat = np.ravel(p_values)
    adjusted = np.full(flat.shape, np.nan)
    there = np.flatnonzero(~np.isnan(flat))
    order = there[np.argsort(flat[there], kind="stable")]
    stepped = flat[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted.reshape(np.shape(p_values))


def draws_needed(comparisons: int, alpha: float) -> int:
    """How often to draw, in round numbers, so that the smallest p-value is significant among so many."""
    return 100 * math.ceil(comparisons / alpha / 100)
