"""QUEEN as a utility: how often is a candidate as near to the others as they are to each other, under every metric?

QUEEN (Amigo et al. 2005) of a candidate y with other candidates as references: the share of samples (r, r', r''), r'
and r'' different, for which y is at least as near to r as r' is to r'' under all metrics of a set. A text that is y is
none of the three. There are about K^3 samples, so at most K pseudo-references take part, drawn by their probabilities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.decisions import Decisions, queen
from tarocco.judge.sides import snapped
from tarocco.judge.similarities import Similarities
from tarocco.metrics.base import Floats
from tarocco.model import Segments
from tarocco.resample import words
from tarocco.search.utilities import Pairing, Sums, Work, utilities

MOST = 16  # pseudo-references: 3840 samples


def drawn(weights: Floats, most: int, seed: int) -> NDArray[np.intp]:
    """Up to so many different ones, by their weights, in ascending order (Efraimidis and Spirakis 2006)."""
    if len(weights) <= most:
        return np.arange(len(weights))
    uniform = ((words(seed, 1, len(weights))[0] >> np.uint64(11)) + 0.5) * 2.0**-53
    with np.errstate(divide="ignore"):
        waiting = -np.log(uniform) / weights
    return np.sort(np.argsort(waiting, kind="stable")[:most])


def queens(work: Work, most: int, seed: int) -> Sums:
    """QUEEN of every candidate, as one metric; NaN where there is no sample."""
    (pairing,) = work.pairings
    references = pairing.references.taken(drawn(pairing.weights, most, seed))
    candidates = Segments.joined([pairing.candidates, references])
    n, k = len(pairing.candidates), len(references)
    (near,) = utilities(Work((Pairing(candidates, references, np.ones(k)),), work.metrics, work.encoding))
    signs = np.array([metric.sign for metric in work.metrics])[:, None, None]
    near = np.where(signs < 0, 1.0 + near, near).swapaxes(1, 2)[:, None]  # errors are 1 - error here
    near[:, 0, n + np.arange(k), np.arange(k)] = np.nan
    names = tuple(map(str, work.metrics))
    present = np.ones((1, k), np.bool_)
    systems, streams = (tuple(map(str, range(size))) for size in (n, k))
    decisions = Decisions.of(Similarities(names, names, systems, streams, present, snapped(near)))
    members = range(len(names))
    shares = queen(decisions, members)[0, :n]
    for reference, own in enumerate(_same_texts(pairing.candidates, references)):
        if own is not None:
            shares[own] = queen(decisions, members, held_out=reference)[0, own]
    return Sums(shares[None], np.ones((1, n)))


def _same_texts(candidates: Segments, references: Segments) -> list[int | None]:
    """The candidate that is the text of each reference; candidates are different texts."""
    numbers = {text: number for number, text in enumerate(candidates)}
    return [numbers.get(text) for text in references]
