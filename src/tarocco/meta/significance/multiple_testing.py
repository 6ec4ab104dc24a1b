"""Corrections of p-values for the number of tests."""

from __future__ import annotations

import numpy as np

from tarocco.metrics.base import Floats


def holm(p_values: Floats, n_tests: int | None = None) -> Floats:
    """Return p-values adjusted for the family-wise error rate (Holm 1979); NaNs are ignored.

    `n_tests` is the number of tests if it is larger than that of the p-values; the p-values of the others are then 1.
    """
    flat = np.ravel(p_values)
    adjusted = np.full(flat.shape, np.nan)
    known = np.flatnonzero(~np.isnan(flat))
    order = known[np.argsort(flat[known], kind="stable")]
    stepped = flat[order] * ((len(order) if n_tests is None else n_tests) - np.arange(len(order)))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted.reshape(np.shape(p_values))
