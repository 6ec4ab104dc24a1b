"""Confusion sets: the candidates of a list that a metric ranks above its references, and the words that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.meta.orange.lists import ListBlock
from tarocco.meta.orange.ranking import above_and_tied, mean_of_existing, mean_ranks, ranks_of, scale_of
from tarocco.meta.orange.rules import OrangeRules
from tarocco.metrics.base import Floats


@dataclass(frozen=True)
class RankedText:
    """A candidate or a reference of an n-best list."""

    text: str
    score: float | None  # on the metric's natural scale; None if missing
    rank: float  # among the candidates; 1 is best
    place: int  # position in the list, or number of the reference, from 1
    copy: bool = False  # the candidate is word for word a reference


@dataclass(frozen=True)
class Confusion:
    """The confusion set of one metric and segment: the candidates that the metric ranks above the oracle.

    The oracle represents the references; its score is the mean of theirs.
    """

    segment: int  # from 1
    metric: str
    oracle_rank: float  # among the candidates
    size: int  # of the list
    oracle_score: float | None
    references: tuple[RankedText, ...]
    above: tuple[RankedText, ...]  # the confusion set or the best of it, best first
    above_count: int  # of the whole confusion set
    source: str | None = None
    list_id: int | None = None  # in the file of lists
    drawn: tuple[RankedText, ...] | None = None  # a random sample of the whole confusion set, if requested


def outranked(candidate: RankedText, references: Sequence[RankedText]) -> list[RankedText]:
    """Return the references ranked below a candidate, nearest first; all of them if none is.

    A candidate above the mean of the references is above at least one of them, but not above each.
    """
    below = [reference for reference in references if reference.rank > candidate.rank]
    return sorted(below or references, key=lambda reference: reference.rank)


@dataclass(frozen=True)
class WordDifference:
    """The words that a candidate and a reference do not share, compared with the other references.

    Counts are clipped as in BLEU: if a candidate has a word three times and no reference has it more than twice, one
    occurrence is unmatched. Words are in the order of their text.
    """

    gained: tuple[str, ...]  # in the candidate and in the others, but not in the reference: they raise the candidate
    lost: tuple[str, ...]  # in the reference and in the others, but not in the candidate
    alone: tuple[str, ...]  # in the candidate only
    unsupported: tuple[str, ...]  # in the reference, but in no other reference: they lower the reference


class HeldOutReference:
    """A reference, and the other references that it and candidates are compared with."""

    def __init__(self, reference: Sequence[str], others: Sequence[Sequence[str]]) -> None:
        self.words = reference
        self.marks = marks(reference, others)
        self.unsupported = tuple(word for word, matched in zip(reference, self.marks, strict=True) if not matched)
        self._counts = Counter(reference)
        self._highest = highest_counts(others)
        self._supported = [word for word, matched in zip(reference, self.marks, strict=True) if matched]

    def difference(self, candidate: Sequence[str]) -> WordDifference:
        """Return the words in which a candidate and this reference differ."""
        counts, highest = self._counts, self._highest
        gained: list[str] = []
        alone: list[str] = []
        seen: dict[str, int] = {}
        for word in candidate:
            seen[word] = number = seen.get(word, 0) + 1
            if number > counts.get(word, 0):
                (gained if number <= highest.get(word, 0) else alone).append(word)
        lost = []
        for word in self._supported:
            seen[word] = left = seen.get(word, 0) - 1
            if left < 0:
                lost.append(word)
        return WordDifference(tuple(gained), tuple(lost), tuple(alone), self.unsupported)

    def marks_of(self, candidate: Sequence[str]) -> list[tuple[bool, bool]]:
        """Return, for each word of a candidate, whether it is matched and whether it is gained."""
        seen: Counter[str] = Counter()
        pairs = []
        for word in candidate:
            seen[word] += 1
            matched = seen[word] <= self._highest.get(word, 0)
            pairs.append((matched, matched and seen[word] > self._counts.get(word, 0)))
        return pairs


def hold_out_each(references: Sequence[Sequence[str]]) -> list[HeldOutReference]:
    """Return each reference of a segment with the others."""
    return [HeldOutReference(words, [*references[:k], *references[k + 1 :]]) for k, words in enumerate(references)]


def marks(words: Sequence[str], others: Iterable[Sequence[str]]) -> list[bool]:
    """Return, for each word of a text, whether it is matched in another text, with clipped counts."""
    left = highest_counts(others)
    matched = []
    for word in words:
        matched.append(left.get(word, 0) > 0)
        left[word] -= 1
    return matched


def highest_counts(texts: Iterable[Sequence[str]]) -> Counter[str]:
    """Return the highest count of each word over the texts."""
    highest: Counter[str] = Counter()
    for words in texts:
        highest |= Counter(words)
    return highest


def make_confusion(
    name: str,
    block: ListBlock,
    s: int,
    above: Floats,
    oracle_rank: float,
    goodness: tuple[Floats, Floats],
    sign: float,
    rules: OrangeRules,
    seed: int,
) -> Confusion:
    """Return the confusion set of one metric for list s.

    A candidate is in the confusion set if it is above at least half of the oracles; of equal texts the first one is
    listed. `above` has the share of oracles below each candidate, and `goodness` the scores of candidates and
    references, one row per scorer. `sign` turns goodness into scores; the score of several scorers together is the
    mean of their ranks.
    """
    if len(goodness[0]) == 1:
        candidates, references, oracle_score = _one_scorer(*goodness)
    else:
        candidates, references, oracle_score = _several_scorers(*goodness, rules.oracle)
        sign = -1.0
    ranks = ranks_of(candidates)
    higher = np.flatnonzero(above >= 0.5)
    texts, used, copies, places = block.sets[s], block.used[s], block.copies[s], block.places[s]
    unique = higher if places is None else higher[np.sort(np.unique(places[higher], return_index=True)[1])]
    best_first = unique[np.argsort(ranks[unique], kind="stable")]
    random = np.random.default_rng([seed % 2**64, texts.segment]).random(len(candidates))  # the same for all metrics
    others = unique[~copies[unique]]
    drawn = others[np.argsort(random[others], kind="stable")][: rules.sampled]

    def ranked(i: int) -> RankedText:
        score = _natural(float(candidates[i]), sign)
        return RankedText(texts.candidates[int(used[i])], score, float(ranks[i]), int(used[i]) + 1, bool(copies[i]))

    return Confusion(
        texts.segment + 1,
        name,
        oracle_rank,
        len(candidates),
        _natural(oracle_score, sign),
        tuple(
            RankedText(text, _natural(score, sign), _rank_among(candidates, score), r)
            for r, (text, score) in enumerate(zip(texts.references, references.tolist(), strict=True), start=1)
        ),
        tuple(ranked(i) for i in best_first[: rules.confusions]),
        len(higher),
        list_id=texts.segment + rules.first_id,
        drawn=tuple(ranked(i) for i in drawn) if rules.sampled else None,
    )


def _one_scorer(candidates: Floats, references: Floats) -> tuple[Floats, Floats, float]:
    """Return the scores of candidates, references and oracle."""
    return candidates[0], references[0], float(mean_of_existing(references, 1)[0])


def _several_scorers(candidates: Floats, references: Floats, oracle: str) -> tuple[Floats, Floats, float]:
    """Return the same for a combination: mean ranks, where candidates are ranked together with the oracle."""
    ranks = list(mean_ranks(candidates, references, oracle))
    of_candidates = np.mean([candidate_ranks for candidate_ranks, _ in ranks], axis=0)
    of_references = np.full(references.shape[1], np.nan)
    of_references[~np.isnan(references).any(axis=0)] = [
        reference_ranks[0] for _, reference_ranks in mean_ranks(candidates, references, "average-rank")
    ]
    return -of_candidates, -of_references, -float(np.mean([oracle_ranks.mean() for _, oracle_ranks in ranks]))


def _rank_among(candidates: Floats, score: float) -> float:
    reference = np.array([-np.inf if np.isnan(score) else score])  # a reference without a score comes last
    above, tied = above_and_tied(candidates, reference, scale_of(candidates, reference))
    return float(1 + above.sum() + tied.sum() / 2)


def _natural(goodness: float, sign: float) -> float | None:
    return None if not np.isfinite(goodness) else sign * goodness
