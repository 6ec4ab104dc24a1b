"""JACK: are references closely surrounded by different translations?

A reference counts if two different systems have translations a and a', both with QUEEN above zero, such that a is at
least as near to the reference as to a', under every metric; either of the two may be a. A metric without one of the
scores is silent; where all are, the pair says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarocco.judge.similarities import Similarities
from tarocco.metrics.base import Floats


def surrounded(near: Similarities, members: Sequence[int], queens: Floats) -> Floats:
    """float64[segments, references]: 1 if the reference is surrounded, 0 if not, NaN where nothing can be said.

    `queens` are float64[segments, systems], by all references of a segment.
    """
    assert near.to_systems is not None
    systems = len(near.systems)
    shape = (near.n_segments, systems, systems, len(near.references))
    closer, heard = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
    for m in members:  # one after the other: a table of all pairs and references is large
        apart, own = near.to_systems[m][..., None], near.to_references[m][:, :systems, None, :]
        said = ~(np.isnan(apart) | np.isnan(own))
        heard |= said
        with np.errstate(invalid="ignore"):
            closer &= (apart <= own) | ~said
    different = ~np.eye(systems, dtype=np.bool_)[None, :, :, None]
    heard &= different
    close = np.nan_to_num(queens) > 0
    both_close = (close[:, :, None] & close[:, None, :])[..., None]
    found = np.any(closer & heard & both_close, axis=(1, 2))
    return np.where(near.present & np.any(heard, axis=(1, 2)), found, np.nan)
