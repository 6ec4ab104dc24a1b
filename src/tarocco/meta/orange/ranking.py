"""Where references stand in a list of candidates, by the scores of all.

Scores are goodness here: higher is better. A score that does not exist is NaN: references without one leave means, and
where no reference has one, or a candidate has none, there is no rank (NaN), as nothing would be right for it. Scores
within 1e-12 of each other, relative to the largest of the list, are equal; relative to the two alone, what should be 0
but is 1e-16 would not be equal to 0. Nothing here knows what made the scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Floats

ORACLES = ("average-score", "average-rank", "combined")
TIES = {"average": 0.5, "best": 0.0, "worst": 1.0}  # how much of a candidate that is equal counts as standing above

_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Standing:
    """For each metric how many of the oracles each candidate is above of, or level with: float64[metrics, candidates].

    `others` are float64[metrics, 2]: how many references, beside the candidates, are above a reference and level with
    it; they count only where references are ranked among each other. All are means over the oracles that have a score,
    and NaN where the metric has no rank.
    """

    above: Floats
    level: Floats
    others: Floats

    def counts(self, ends: NDArray[np.intp], places: NDArray[np.intp] | None = None) -> Floats:
        """float64[metrics, ends, 2]: how many of the first candidates, for each end, are above and level.

        With `places`, the list is candidates[places]: a text may stand in it more than once.
        """
        both = np.stack([self.above, self.level], axis=-1)
        if places is not None:
            both = both[:, places]
        starts = np.concatenate([np.zeros(1, np.intp), ends[:-1]])
        within: Floats = np.cumsum(np.add.reduceat(both[:, : ends[-1]], starts, axis=1), axis=1)
        return within + self.others[:, None]


def mean_of_existing(scores: Floats, axis: int) -> Floats:
    """The mean of the scores that exist; NaN where none does."""
    missing = np.isnan(scores)
    if not missing.any():
        means: Floats = scores.sum(axis=axis) / scores.shape[axis]
        return means
    counts = (~missing).sum(axis=axis)
    sums = np.where(missing, 0.0, scores).sum(axis=axis)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def compared(scores: Floats, oracle: Floats, scale: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which scores are above the oracle's, and which are level with it; `scale` is the largest score of the list."""
    level = (scores == oracle) | (np.abs(scores - oracle) <= _EQUAL * scale)
    return (scores > oracle) & ~level, level


def scale_of(*scores: Floats) -> Floats:
    """float64[metrics, 1]: the largest of these scores that exist, by its distance from 0."""
    sizes = [np.where(np.isfinite(one), np.abs(one), 0.0).max(axis=-1, initial=0.0) for one in scores]
    largest: Floats = np.maximum.reduce(sizes)[..., None]
    return largest


def standing(candidates: Floats, references: Floats, oracle: str) -> Standing:
    """From float64[metrics, candidates] and float64[metrics, references]; no score is NaN."""
    oracles = oracles_of(references, oracle)
    scale = scale_of(candidates, oracles)
    above, level = (np.zeros(candidates.shape) for _ in range(2))
    for k in range(oracles.shape[1]):
        one_above, one_level = compared(candidates, oracles[:, k : k + 1], scale)
        above += one_above
        level += one_level
    existing = (~np.isnan(oracles)).sum(axis=1, keepdims=True)
    ranked = (existing > 0) & ~np.isnan(candidates).any(axis=1, keepdims=True)
    counts = np.where(ranked, existing, np.nan)
    return Standing(above / counts, level / counts, _among_each_other(oracles, oracle, scale))


def oracles_of(references: Floats, oracle: str) -> Floats:
    """float64[metrics, oracles]: the mean of the references' scores, or each of them."""
    if oracle == "average-score":
        return mean_of_existing(references, 1)[:, None]
    return references


def _among_each_other(oracles: Floats, oracle: str, scale: Floats) -> Floats:
    others = np.zeros((len(oracles), 2))
    if oracle == "combined":
        for k in range(oracles.shape[1]):
            for column, which in enumerate(compared(np.delete(oracles, k, axis=1), oracles[:, k : k + 1], scale)):
                others[:, column] += which.sum(axis=1)
        others /= np.maximum((~np.isnan(oracles)).sum(axis=1, keepdims=True), 1)
    return others


def combined(candidates: Floats, references: Floats, oracle: str) -> Standing:
    """The standing of one metric made of several: the mean of the ranks that they give.

    All of them must have a score of every candidate; a reference takes part if all have one of it.
    """
    if np.isnan(candidates).any() or np.isnan(oracles_of(references, oracle)).any(axis=0).all():
        nowhere = np.full((1, candidates.shape[1]), np.nan)
        return Standing(nowhere, nowhere, np.zeros((1, 2)))
    kind = oracle if oracle == "combined" else "average-rank"
    found = [standing(-own[None], -theirs[None], kind) for own, theirs in mean_ranks(candidates, references, oracle)]
    above, level, others = (
        np.mean([getattr(one, part) for one in found], axis=0) for part in ("above", "level", "others")
    )
    return Standing(above, level, others)


def mean_ranks(candidates: Floats, references: Floats, oracle: str) -> Iterator[tuple[Floats, Floats]]:
    """The mean of several metrics' ranks of the candidates, and of the oracles that they meet.

    The ranks depend on who meets: candidates and the oracle, each reference in turn, or all references together.
    """
    oracles = oracles_of(references, oracle)
    oracles = oracles[:, ~np.isnan(oracles).any(axis=0)]
    n = candidates.shape[1]
    for they in [oracles] if oracle == "combined" else np.split(oracles, oracles.shape[1], axis=1):
        ranks = np.mean([ranks_of(row) for row in np.concatenate([candidates, they], axis=1)], axis=0)
        yield ranks[:n], ranks[n:]


def ranks_of(scores: Floats) -> Floats:
    """The rank of each score, 1 for the highest; equal ones share the mean of their ranks."""
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    _, same = compared(ordered[1:], ordered[:-1], scale_of(scores))
    group = np.concatenate([np.zeros(1, np.intp), np.cumsum(~same)])
    sizes = np.bincount(group)
    last = np.cumsum(sizes)
    ranks = np.empty(len(scores))
    ranks[order] = (last - (sizes - 1) / 2)[group]
    return ranks


def rank(counts: Floats, ties: str) -> Floats:
    """The rank of the oracle, from how many are above it and level with it (the last axis)."""
    ranks: Floats = 1.0 + counts[..., 0] + TIES[ties] * counts[..., 1]
    return ranks


def stack(standings: Sequence[Standing]) -> Standing:
    """Several metrics' standings in one list."""
    return Standing(
        np.concatenate([one.above for one in standings]),
        np.concatenate([one.level for one in standings]),
        np.concatenate([one.others for one in standings]),
    )
