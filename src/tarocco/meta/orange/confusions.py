"""Which candidates of a list stand above its references, with their texts, scores and ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.meta.orange.cases import Chosen
from tarocco.meta.orange.ranking import compared, mean_of_existing, mean_ranks, ranks_of, scale_of
from tarocco.metrics.base import Floats


@dataclass(frozen=True)
class Scored:
    """A candidate or a reference of an n-best list."""

    text: str
    score: float | None  # on the metric's natural scale; None where there is none
    rank: float  # among the candidates; 1 is best
    place: int  # its place in the list, or the number of the reference, from 1
    copy: bool = False  # the candidate is word for word a reference


@dataclass(frozen=True)
class Confusion:
    """One metric's view of one segment.

    The oracle stands for the references: its score is the mean of theirs. The candidates that the metric ranks above
    it are the segment's confusion set.
    """

    segment: int  # from 1
    metric: str
    oracle_rank: float  # among the candidates
    size: int  # how many candidates the list has
    oracle_score: float | None
    references: tuple[Scored, ...]
    above: tuple[Scored, ...]  # the confusion set, best first; perhaps only a part of it
    above_count: int  # how many candidates the whole confusion set has
    source: str | None = None
    list_id: int | None = None  # in the file of lists
    drawn: tuple[Scored, ...] | None = None  # some of the whole confusion set at random, where a sample is wanted


def outranked(candidate: Scored, references: Sequence[Scored]) -> list[Scored]:
    """The references that a candidate stands above, nearest first; all of them where ranks do not say.

    A candidate above the mean of the references is above one of them at least, not above each.
    """
    below = [reference for reference in references if reference.rank > candidate.rank]
    return sorted(below or references, key=lambda reference: reference.rank)


@dataclass(frozen=True)
class Difference:
    """What a candidate and a reference have that the other has not, when both are held against the other references.

    A word counts as often as the text with most of them has it, as in clipped precision: of a word that a candidate
    has three times, and no reference more than twice, one is too many. Words stand in the order of their text.
    """

    gained: tuple[str, ...]  # words of the candidate that the others have and the reference has not: they lift it
    lost: tuple[str, ...]  # words of the reference that the others have and the candidate has not
    alone: tuple[str, ...]  # words of the candidate that no reference has
    unsupported: tuple[str, ...]  # words of the reference that no other reference has: they hold it down


class Opponent:
    """A reference, and the others that it and its candidates are held against: counted once for all candidates."""

    def __init__(self, reference: Sequence[str], others: Sequence[Sequence[str]]) -> None:
        self.words = reference
        self.marks = marks(reference, others)  # whether each of its words is matched
        self.unsupported = tuple(word for word, matched in zip(reference, self.marks, strict=True) if not matched)
        self._own = Counter(reference)
        self._highest = highest_counts(others)
        self._supported = [word for word, matched in zip(reference, self.marks, strict=True) if matched]

    def difference(self, candidate: Sequence[str]) -> Difference:
        """The words that set a candidate apart from this reference."""
        own, highest = self._own, self._highest
        gained: list[str] = []
        alone: list[str] = []
        seen: dict[str, int] = {}
        for word in candidate:
            seen[word] = number = seen.get(word, 0) + 1
            if number > own.get(word, 0):  # beyond those that the reference has
                (gained if number <= highest.get(word, 0) else alone).append(word)
        lost = []
        for word in self._supported:
            seen[word] = left = seen.get(word, 0) - 1
            if left < 0:
                lost.append(word)
        return Difference(tuple(gained), tuple(lost), tuple(alone), self.unsupported)

    def marks_of(self, candidate: Sequence[str]) -> list[tuple[bool, bool]]:
        """For each word of a candidate whether it is matched, and whether it is gained."""
        seen: Counter[str] = Counter()
        found = []
        for word in candidate:
            seen[word] += 1
            matched = seen[word] <= self._highest.get(word, 0)
            found.append((matched, matched and seen[word] > self._own.get(word, 0)))
        return found


def opponents(references: Sequence[Sequence[str]]) -> list[Opponent]:
    """Each reference of a segment, held against the others."""
    return [Opponent(words, [*references[:k], *references[k + 1 :]]) for k, words in enumerate(references)]


def words_of_difference(
    candidate: Sequence[str], reference: Sequence[str], others: Sequence[Sequence[str]]
) -> Difference:
    """The words that set a candidate apart from a reference; the others are what both are scored against."""
    return Opponent(reference, others).difference(candidate)


def marks(words: Sequence[str], others: Iterable[Sequence[str]]) -> list[bool]:
    """For each word of a text whether some other text has it as often as it has occurred up to here."""
    left = highest_counts(others)
    found = []
    for word in words:
        found.append(left.get(word, 0) > 0)
        left[word] -= 1
    return found


def highest_counts(texts: Iterable[Sequence[str]]) -> Counter[str]:
    """How often each word occurs in the text that has most of it."""
    highest: Counter[str] = Counter()
    for words in texts:
        highest |= Counter(words)
    return highest


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
