"""Means of what is known."""

from __future__ import annotations

import numpy as np

from tarocco.metrics.base import Floats


def mean_of_known(values: Floats, axis: int) -> Floats:
    """Over an axis, without NaN; NaN where there is nothing else. As np.nanmean, which warns of that."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    means = np.full(counts.shape, np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=axis), counts, out=means, where=counts > 0)
    return means
