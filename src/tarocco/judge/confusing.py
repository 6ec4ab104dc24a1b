"""Which candidates of a list stand above its references, with their texts, scores and ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarocco.judge.cases import Chosen
from tarocco.judge.confusion import Confusion, Scored
from tarocco.judge.ranking import compared, mean_of_existing, mean_ranks, ranks_of, scale_of
from tarocco.metrics.base import Floats


@dataclass(frozen=True)
class Wanted:
    """How many candidates above the references are told of each list and metric: the first, and some at random."""

    most: int
    drawn: int = 0
    seed: int = 0
    first_id: int = 0  # of the lists, for people who look them up


def confusion_of(
    name: str,
    chosen: Chosen,
    s: int,
    above: Floats,
    oracle: tuple[str, float],
    goodness: tuple[Floats, Floats],
    sign: float,
    wanted: Wanted,
) -> Confusion:
    """What one contestant makes of list s; `goodness` are its scores of candidates and references, a row a scorer.

    `oracle` says which oracle it is, and where it ranks. A candidate is in the confusion set if it is above at least
    half of the oracles (there is one, most often). Of several candidates with the same text the first is told. Several
    scorers together have the mean of their ranks for a score: `sign` turns goodness into what people know.
    """
    if len(goodness[0]) == 1:
        candidates, references, oracle_score = _alone(*goodness)
    else:
        candidates, references, oracle_score = _together(*goodness, oracle[0])
        sign = -1.0
    ranks = ranks_of(candidates)
    higher = np.flatnonzero(above >= 0.5)
    case, kept, copies = chosen.cases[s], chosen.kept[s], chosen.copies[s]
    places = chosen.places[s]
    told = higher if places is None else higher[np.sort(np.unique(places[higher], return_index=True)[1])]
    best_first = told[np.argsort(ranks[told], kind="stable")]
    random = np.random.default_rng([wanted.seed % 2**64, case.segment]).random(len(candidates))  # for all metrics alike
    others = told[~copies[told]]
    drawn = others[np.argsort(random[others], kind="stable")][: wanted.drawn]

    def scored(i: int) -> Scored:
        score = _natural(float(candidates[i]), sign)
        return Scored(case.candidates[int(kept[i])], score, float(ranks[i]), int(kept[i]) + 1, bool(copies[i]))

    return Confusion(
        case.segment + 1,
        name,
        oracle[1],
        len(candidates),
        _natural(oracle_score, sign),
        tuple(
            Scored(text, _natural(score, sign), _rank_among(candidates, score), r)
            for r, (text, score) in enumerate(zip(case.references, references.tolist(), strict=True), start=1)
        ),
        tuple(scored(i) for i in best_first[: wanted.most]),
        len(higher),
        list_id=case.segment + wanted.first_id,
        drawn=tuple(scored(i) for i in drawn) if wanted.drawn else None,
    )


def _alone(candidates: Floats, references: Floats) -> tuple[Floats, Floats, float]:
    """The scores of candidates, of references and of the oracle under one scorer."""
    return candidates[0], references[0], float(mean_of_existing(references, 1)[0])


def _together(candidates: Floats, references: Floats, oracle: str) -> tuple[Floats, Floats, float]:
    """The same under several: the ranks of candidates are those that they have when they meet the oracle."""
    meetings = list(mean_ranks(candidates, references, oracle))
    own = np.mean([ranks for ranks, _ in meetings], axis=0)
    each = np.full(references.shape[1], np.nan)
    each[~np.isnan(references).any(axis=0)] = [
        theirs[0] for _, theirs in mean_ranks(candidates, references, "average-rank")
    ]
    return -own, -each, -float(np.mean([theirs.mean() for _, theirs in meetings]))


def _rank_among(candidates: Floats, score: float) -> float:
    own = np.array([-np.inf if np.isnan(score) else score])  # without a score, for people to see: the last
    above, level = compared(candidates, own, scale_of(candidates, own))
    return float(1 + above.sum() + level.sum() / 2)


def _natural(goodness: float, sign: float) -> float | None:
    return None if not np.isfinite(goodness) else sign * goodness
