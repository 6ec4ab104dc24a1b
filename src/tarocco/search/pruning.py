"""Leave candidates out as soon as it is clear that they will not win (Cheng and Vlachos 2023).

Pseudo-references are taken in a random order, 16 first, then as many as there were, and so on. After each step the
pseudo-references so far are drawn again with replacement, many times; a candidate that has at least the expected
utility of the best one in no more than 1 - confidence of the draws is left out. Those that are left in the end, and the
first of the list, have been compared with all pseudo-references, so that their expected utility is exact.
"""

from __future__ import annotations

import numpy as np

from tarocco.judge.sides import snapped
from tarocco.metrics.base import Floats
from tarocco.resample import bootstrap, words
from tarocco.search.utilities import Pairing, Sums, Work, utilities

FIRST = 16
RESAMPLES = 500


def own_seed(seed: int, segment: int) -> int:
    """The seed of a list: the same whatever other lists there are."""
    return int(words(seed, 1, 1, segment)[0, 0])


def pruned(work: Work, mixture: Floats, confidence: float, seed: int) -> Sums:
    """The expected utility of the candidates that are left, as one metric; NaN for those that are not.

    Several metrics are added up, each times its share of `mixture`.
    """
    (pairing,) = work.pairings
    weights = pairing.weights
    order = np.argsort(words(seed, 1, len(weights))[0], kind="stable")
    left = np.arange(len(pairing.candidates))
    seen = np.empty((0, len(left)))  # utilities: a row a pseudo-reference, a column a candidate that is left
    done = 0
    while True:
        here = order[done : max(FIRST, 2 * done)]
        part = Pairing(pairing.candidates.taken(left), pairing.references.taken(here), weights[here])
        new = [
            (mixture[:, None, None] * of_pairs).sum(axis=0)
            for piece in part.parts()
            for of_pairs in utilities(Work((piece,), work.metrics, work.encoding))
        ]
        seen = np.concatenate([seen, *new])
        done = len(seen)
        exists = ~np.isnan(seen)
        column = weights[order[:done], None]
        parts = np.where(exists, seen * column, 0.0)
        sums = Sums(parts.sum(axis=0), np.where(exists, column, 0.0).sum(axis=0))
        if done == len(order):
            break
        expected = snapped(np.where(sums.weight > 0, sums.expected, -np.inf))
        best = int(np.argmax(expected))
        drawn = bootstrap(parts, RESAMPLES, seed, jobs=1)
        wins = (drawn >= drawn[:, best : best + 1]).mean(axis=0)
        stays = (wins > 1 - confidence) | (left == 0)
        left, seen = left[stays], seen[:, stays]
    utility, weight = np.full((2, 1, len(pairing.candidates)), np.nan)
    utility[0, left], weight[0, left] = sums.utility, sums.weight
    return Sums(utility, weight)
