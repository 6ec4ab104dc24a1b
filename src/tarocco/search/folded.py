"""A list with each text once, and how probable each text is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import distinct, kernel
from tarocco.metrics.base import Floats
from tarocco.model import Segments

_firsts_of_lists = kernel(distinct, "firsts_of_lists")


@dataclass(frozen=True, eq=False)
class Folded:
    """The different texts of a list, in the order in which they first stand there.

    Candidate i of the list is text places[i]; text t stands first at firsts[t] and has the probability weights[t].
    """

    texts: Segments
    places: NDArray[np.intp]
    firsts: NDArray[np.intp]
    weights: Floats

    def __len__(self) -> int:
        return len(self.texts)


def folded(candidates: Segments, probabilities: Floats | None = None) -> Folded:
    """Fold a list; the probabilities of a text that stands there more than once are added. Uniform by default."""
    n = len(candidates)
    size = 1 << (2 * n).bit_length()
    firsts = np.empty(n, np.intp)
    none = Segments.from_strings([])
    _firsts_of_lists(
        *(candidates.text, candidates.starts, np.array([0, n])),
        *(none.text, none.starts, np.zeros(2, np.intp)),
        *(np.empty(size, np.uint64), np.empty(size, np.intp), firsts, np.empty(n, np.uint8)),
    )
    own, places = np.unique(firsts, return_inverse=True)
    shares = np.ones(n) if probabilities is None else probabilities
    weights = np.bincount(places, shares, len(own)).astype(np.float64)
    if probabilities is None:
        weights /= n  # of counts, which are exact
    return Folded(candidates if len(own) == n else candidates.taken(own), places, own, weights)


def posterior(scores: Floats, scale: float) -> Floats:
    """Probabilities in proportion to exp(scale * score), within the list."""
    logarithms = scale * scores
    odds: Floats = np.exp(logarithms - logarithms.max())
    odds /= odds.sum()
    return odds
