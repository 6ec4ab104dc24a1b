"""Which candidates of a list stand above its references, with their texts, scores and ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.judge.cases import Chosen
from tarocco.judge.confusion import Confusion, Scored
from tarocco.judge.ranking import compared, mean_of_existing, ranks_of
from tarocco.metrics.base import Floats


@dataclass(frozen=True)
class Wanted:
    """How many candidates above the references are told of each list and metric: the first, and some at random."""

    most: int
    drawn: int = 0
    seed: int = 0


def confusion_of(
    name: str,
    chosen: Chosen,
    s: int,
    above: Floats,
    oracle_rank: float,
    goodness: tuple[Floats, Floats],
    sign: float,
    wanted: Wanted,
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
    random = np.random.default_rng([wanted.seed % 2**64, case.segment]).random(len(own))  # the same for all metrics
    drawn = higher[np.argsort(random[higher], kind="stable")][: wanted.drawn]

    def scored(i: int) -> Scored:
        number = int(chosen.kept[s][i])
        copy = bool(chosen.copies[s][i])
        return Scored(case.candidates[number], _natural(float(own[i]), sign), float(ranks[i]), number + 1, copy)

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
        tuple(scored(i) for i in best_first[: wanted.most]),
        len(higher),
        drawn=tuple(scored(i) for i in drawn) if wanted.drawn else None,
    )


def _rank_among(scores: NDArray[np.float64], score: float) -> float:
    above, level = compared(scores, np.float64(-np.inf if np.isnan(score) else score))  # type: ignore[arg-type]
    return float(1 + above.sum() + level.sum() / 2)


def _natural(goodness: float, sign: float) -> float | None:
    return None if not np.isfinite(goodness) else sign * goodness
