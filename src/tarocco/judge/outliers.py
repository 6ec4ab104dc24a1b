"""Systems so far from the others that they decide a correlation alone (Mathur et al. 2020)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Floats

CUTOFF = 2.5  # of Mathur et al. 2020
_NORMAL = 1.483  # makes the median absolute deviation of a normal distribution its standard deviation


def outliers(human: Floats) -> NDArray[np.bool_]:
    """Which of people's system scores are more than 2.5 robust standard deviations from their median.

    Where more than half of the scores are equal there is no such deviation, and no outlier.
    """
    there = ~np.isnan(human)
    found = np.zeros(len(human), bool)
    if there.any():
        distances = np.abs(human[there] - np.median(human[there]))
        deviation = _NORMAL * np.median(distances)
        found[there] = (deviation > 0) & (distances > CUTOFF * deviation)
    return found
