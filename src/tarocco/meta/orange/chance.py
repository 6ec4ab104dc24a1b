"""The chance level of ORANGE: the references' rank if a metric could not distinguish them from the candidates.

The null hypothesis is that the scores of a list are exchangeable: any R of its N + R texts could have been the
references. A list's chance level is the mean over all choices of R texts as references, with the scores that the metric
gave; no text is scored again.

average-rank, combined  A reference and another text are then a random pair. Each is above the other equally often, so
                        only the share of equal pairs counts.
average-score           The mean of R scores is ranked, and skewed scores move it: there is no closed form. All choices
                        are enumerated where there are at most 1000. Otherwise 509 choices are spread evenly over the
                        sorted scores, so that the result depends on nothing but the scores; its error is about .001.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.orange.lists import ListBlock
from tarocco.meta.orange.ranking import EQUAL, rank_references, ranks_of, scale_of, standing_of_combination
from tarocco.metrics.base import Floats

MOST_ENUMERATED = 1000  # choices of references
LATTICE = (509, 111)  # the number of choices that stand for all where these are more, and the lattice's generator
SMALL_LATTICE = (61, 17)  # for combinations of metrics, which rank a list again for each choice


@lru_cache(maxsize=256)
def choose_roles(texts: int, references: int, lattice: tuple[int, int] = LATTICE) -> NDArray[np.intp]:
    """Return intp[choices, references]: which of the texts, in the order of their scores, count as references.

    All choices where they are few; otherwise the points of a lattice (Korobov 1959), which are spread evenly.
    """
    size, generator = lattice
    if comb(texts, references) <= (MOST_ENUMERATED if lattice == LATTICE else size):
        return np.array(list(combinations(range(texts), references)), np.intp)
    chosen = np.empty((size, references), np.intp)
    for k in range(references):
        point = (np.arange(size) * pow(generator, k, size) % size + 0.5) / size
        place = (point * (texts - k)).astype(np.intp)
        for taken in np.sort(chosen[:, :k], axis=1).T:
            place += place >= taken
        chosen[:, k] = place
    return chosen


def count_by_chance(candidates: Floats, references: Floats, oracle: str) -> tuple[float, float]:
    """Return how many candidates are above and tied with the oracle by chance, from the scores of one metric.

    With the oracle "combined", the other references count, too. NaN where the list does not count for the metric.
    """
    references = references[~np.isnan(references)]
    if not len(references) or np.isnan(candidates).any():
        return np.nan, np.nan
    n, r = len(candidates), len(references)
    scores = np.sort(np.concatenate([candidates, references]))
    close = float(EQUAL * scale_of(scores)[0])
    if oracle == "average-score":
        return _rank_means(scores, choose_roles(n + r, r), close)
    return _count_random_pairs(scores, close, n if oracle == "average-rank" else n + r - 1)


def _rank_means(scores: Floats, roles: NDArray[np.intp], close: float) -> tuple[float, float]:
    """Return the mean numbers of other scores above and tied with the mean of the chosen scores."""
    chosen = scores[roles]
    with np.errstate(invalid="ignore"):
        means = chosen.sum(axis=1) / roles.shape[1]
        high, low = means + close, means - close
        above = len(scores) - np.searchsorted(scores, high, side="right")
        tied = len(scores) - above - np.searchsorted(scores, low, side="left")
        above = above - (chosen > high[:, None]).sum(axis=1)
        tied = tied - ((chosen >= low[:, None]) & (chosen <= high[:, None])).sum(axis=1)
    return float(above.mean()), float(tied.mean())


def _count_random_pairs(scores: Floats, close: float, others: int) -> tuple[float, float]:
    """Return how many of so many others are above and tied with a text, if the text is any of them."""
    n = len(scores)
    if n < 2:
        return 0.0, 0.0
    equal = np.searchsorted(scores, scores + close, side="right") - np.searchsorted(scores, scores - close, side="left")
    tied = float((equal - 1).sum()) / (n * (n - 1))
    return others * (1 - tied) / 2, others * tied


def count_combined_by_chance(candidates: Floats, references: Floats, oracle: str) -> tuple[float, float]:
    """Return the same for a combination of metrics, which ranks by the mean of their ranks.

    Arrays are [metrics, texts]. With the oracle "average-rank", the share of equal pairs is that among all texts.
    """
    references = references[:, ~np.isnan(references).any(axis=0)]
    if not references.shape[1] or np.isnan(candidates).any():
        return np.nan, np.nan
    n, r = candidates.shape[1], references.shape[1]
    scores = np.concatenate([candidates, references], axis=1)
    ranks = np.mean([ranks_of(row) for row in scores], axis=0)
    order = np.argsort(ranks, kind="stable")
    if oracle != "average-score":
        close = float(EQUAL * scale_of(ranks)[0])
        return _count_random_pairs(ranks[order], close, n if oracle == "average-rank" else n + r - 1)
    scores = scores[:, order]
    sums = np.zeros(2)
    roles = choose_roles(n + r, r, SMALL_LATTICE)
    for chosen in roles:
        standing = standing_of_combination(np.delete(scores, chosen, axis=1), scores[:, chosen], oracle)
        sums += standing.above.sum(), standing.tied.sum()
    above, tied = (sums / len(roles)).tolist()
    return above, tied


def append_chance(
    counts: Floats, candidates: Floats, references: Floats, members: Sequence[Sequence[int]], oracle: str
) -> Floats:
    """Return counts [metrics, lengths, 2] with a row more: the numbers that chance gives in the whole list.

    Metric m is made of the scorers members[m]; scores are [scorers, texts].
    """
    by_chance = [
        count_by_chance(candidates[scorers[0]], references[scorers[0]], oracle)
        if len(scorers) == 1
        else count_combined_by_chance(candidates[scorers], references[scorers], oracle)
        for scorers in members
    ]
    return np.concatenate([counts, np.array(by_chance)[:, None]], axis=1)


def count_by_length(block: ListBlock, s: int, oracle: str) -> Floats:
    """Return float64[2, 2, 2]: if the longer or the shorter text is the better, the numbers above and tied.

    The second dimension is what was observed and what chance gives. A metric that knows only how long a text is says
    nothing about translation. Lengths are those of the UTF-8 text.
    """
    texts = block.sets[s]
    candidates = np.diff(texts.candidates.starts)[block.used[s]].astype(float)
    references = np.diff(texts.references.starts).astype(float)
    listed, written = (np.stack([lengths, -lengths]) for lengths in (candidates, references))
    members = [[0], [1]]
    counts = rank_references(listed, written, members, oracle).counts(np.array([len(candidates)]))
    return append_chance(counts, listed, written, members, oracle)
