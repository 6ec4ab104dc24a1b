"""Which candidates of a list stand above its references, with their texts, scores and ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.cases import Chosen
from tarocco.judge.confusion import Confusion, Scored
from tarocco.judge.ranking import compared, mean_of_existing, ranks_of
from tarocco.metrics.base import Floats


def confusion_of(
    name: str,
    chosen: Chosen,
    s: int,
    above: Floats,
    oracle_rank: float,
    goodness: tuple[Floats, Floats],
    sign: float,
    most: int,
) -> Confusion:
    """What one contestant makes of list s; `goodness` are its scores of candidates and references, a row a scorer.

    A candidate is in the confusion set if it is above at least half of the oracles (there is one, most often). Several
    scorers together have the mean of their ranks for a score: `sign` turns goodness into what people know.
    """
    candidates, references = goodness
    if len(candidates) > 1:
        together = np.concatenate(goodness, axis=1)
        mean = -np.mean([ranks_of(np.where(np.isnan(row), -np.inf, row)) for row in together], axis=0)
        candidates, references = mean[None, : candidates.shape[1]], mean[None, candidates.shape[1] :]
        sign = -1.0
    own, of_references = candidates[0], references[0]
    places = chosen.places[s]
    if places is not None:
        own, above = own[places], above[places]
    sorted_out = np.where(np.isnan(own), -np.inf, own)
    ranks = ranks_of(sorted_out)
    higher = np.flatnonzero(above >= 0.5)
    best_first = higher[np.argsort(ranks[higher], kind="stable")]
    case = chosen.cases[s]
    return Confusion(
        case.segment + 1,
        name,
        oracle_rank,
        len(own),
        _natural(float(mean_of_existing(of_references[None], 1)[0]), sign),
        tuple(
            Scored(text, _natural(score, sign), _rank_among(sorted_out, score), r)
            for r, (text, score) in enumerate(zip(case.references, of_references.tolist(), strict=True), start=1)
        ),
        tuple(
            Scored(
                case.candidates[int(chosen.kept[s][i])],
                _natural(float(own[i]), sign),
                float(ranks[i]),
                int(chosen.kept[s][i]) + 1,
                bool(chosen.copies[s][i]),
            )
            for i in best_first[:most]
        ),
        len(higher),
    )


def _rank_among(scores: NDArray[np.float64], score: float) -> float:
    above, level = compared(scores, np.float64(-np.inf if np.isnan(score) else score))  # type: ignore[arg-type]
    return float(1 + above.sum() + level.sum() / 2)


def _natural(goodness: float, sign: float) -> float | None:
    return None if not np.isfinite(goodness) else sign * goodness
