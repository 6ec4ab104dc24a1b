"""The ranks of references in lists of candidates: score a block, then count the candidates above the references.

The oracles of a list are what is ranked among the candidates: each of its references, or a single oracle whose score is
the mean of theirs. Within this file scores are goodness, so higher is better. A missing score is NaN: missing scores of
references are left out of means, and a list has no rank (NaN) if no reference has a score or any candidate has none.
Two scores are equal if they differ by at most 1e-12 of the largest absolute score of the list, because a tolerance
relative to the two scores would count 1e-16 and 0 as different.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import CandidateScores
from tarocco.encode.batch import CandidateLists, Encoding, make_leave_one_out_batch
from tarocco.meta.orange.rules import TIES, Scorer
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import group_by_encoding, score_batch

EQUAL = 1e-12
_MOST_COMPARISONS = 1 << 22  # at a time: pools of lists have many references, and a hundred bytes per comparison

ExternalScores = Mapping[str, Sequence[tuple[Floats, Floats]]]  # by name, per list: of candidates and of references


# --- scores --------------------------------------------------------------------------------------------------------


def score_lists(
    lists: CandidateLists,
    scorers: Sequence[Scorer],
    external: ExternalScores,
    contexts: Mapping[Metric, Any],
    encoding: Encoding,
    fair: bool,
) -> Iterator[tuple[Floats, Floats]]:
    """Yield float64[scorers, candidates] and float64[scorers, references] per list, higher is better.

    `contexts` are what metrics computed from all references of the test set.
    """
    numbers = [i for i, scorer in enumerate(scorers) if isinstance(scorer, Metric)]
    metrics = [scorer for scorer in scorers if isinstance(scorer, Metric)]
    goodness: dict[int, Floats] = {}
    for reading, members in group_by_encoding(metrics, encoding).items():
        batch = make_leave_one_out_batch(lists, reading, fair=fair)
        together = [metrics[i] for i in members]
        prepared = [contexts.get(metric) for metric in together]
        parts = [score_batch(together, part, prepared) for part in batch.split(_MOST_COMPARISONS)]
        scores = [np.concatenate(rows) for rows in zip(*parts, strict=True)]
        goodness |= {i: metric.sign * row for i, metric, row in zip(members, together, scores, strict=True)}
    computed = np.stack([goodness[i] for i in range(len(metrics))]) if metrics else None
    start = 0
    for s in range(len(lists)):
        n = int(lists.bounds[s + 1] - lists.bounds[s])
        r = int(lists.reference_bounds[s + 1] - lists.reference_bounds[s])
        candidates, references = np.empty((len(scorers), n)), np.empty((len(scorers), r))
        if computed is not None:
            size = r * (n + 1) if fair else n + r
            rows = computed[:, start : start + size]
            start += size
            if fair:
                table = rows.reshape(len(rows), r, n + 1)
                candidates[numbers], references[numbers] = _mean_over_sets(table[:, :, :n]), table[:, :, n]
            else:
                candidates[numbers], references[numbers] = rows[:, :n], rows[:, n:]
        for i, scorer in enumerate(scorers):
            if isinstance(scorer, CandidateScores):
                sign = -1.0 if scorer.kind == "error" else 1.0
                of_candidates, of_references = external[scorer.name][s]
                candidates[i], references[i] = sign * of_candidates, sign * of_references
        yield candidates, references


def _mean_over_sets(table: Floats) -> Floats:
    """Return the mean over sets of references of the existing scores; NaN where there are none."""
    sums = table[:, 0].copy()
    for k in range(1, table.shape[1]):  # in a fixed order, so that results do not depend on the shape
        sums += table[:, k]
    sums /= table.shape[1]
    if np.isnan(sums).any():
        exists = ~np.isnan(table)
        counts = exists.sum(axis=1)
        sums = np.where(exists, table, 0.0).sum(axis=1) / np.where(counts, counts, np.nan)
    return sums


# --- ranks ---------------------------------------------------------------------------------------------------------


class Standing(NamedTuple):
    """For each metric and candidate, the share of oracles that the candidate is above, and that it is tied with.

    Both are float64[metrics, candidates]. `other_references` is float64[metrics, 2]: how many other references are
    above a reference and tied with it, which counts only where references are ranked among each other. All are means
    over the oracles that have a score, and NaN where the metric has no rank.
    """

    above: Floats
    tied: Floats
    other_references: Floats

    def counts(self, lengths: NDArray[np.intp], places: NDArray[np.intp] | None = None) -> Floats:
        """Return float64[metrics, lengths, 2]: the number of candidates above and tied within each length.

        With `places`, the list is candidates[places], because a text may occur more than once.
        """
        both = np.stack([self.above, self.tied], axis=-1)
        if places is not None:
            both = both[:, places]
        starts = np.concatenate([np.zeros(1, np.intp), lengths[:-1]])
        within: Floats = np.cumsum(np.add.reduceat(both[:, : lengths[-1]], starts, axis=1), axis=1)
        return within + self.other_references[:, None]


def rank_references(candidates: Floats, references: Floats, members: Sequence[Sequence[int]], oracle: str) -> Standing:
    """Return the standing of each metric; metric m is made of the scorers members[m]."""
    alone = [scorers[0] for scorers in members if len(scorers) == 1]
    single = standing(candidates[alone], references[alone], oracle)
    if len(alone) == len(members):
        return single
    standings, rest = [], iter(range(len(alone)))
    for scorers in members:
        if len(scorers) > 1:
            standings.append(standing_of_combination(candidates[scorers], references[scorers], oracle))
        else:
            i = next(rest)
            standings.append(Standing(*(part[i : i + 1] for part in single)))
    return Standing(*(np.concatenate(parts) for parts in zip(*standings, strict=True)))


def mean_of_existing(scores: Floats, axis: int) -> Floats:
    """Return the mean of the existing scores; NaN where there are none."""
    missing = np.isnan(scores)
    if not missing.any():
        means: Floats = scores.sum(axis=axis) / scores.shape[axis]
        return means
    counts = (~missing).sum(axis=axis)
    sums = np.where(missing, 0.0, scores).sum(axis=axis)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def above_and_tied(scores: Floats, oracle: Floats, scale: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which scores are above the oracle's, and which equal it; `scale` is the largest score of the list."""
    tied = (scores == oracle) | (np.abs(scores - oracle) <= EQUAL * scale)
    return (scores > oracle) & ~tied, tied


def scale_of(*scores: Floats) -> Floats:
    """Return float64[metrics, 1]: the largest absolute value of the finite scores."""
    sizes = [np.where(np.isfinite(part), np.abs(part), 0.0).max(axis=-1, initial=0.0) for part in scores]
    largest: Floats = np.maximum.reduce(sizes)[..., None]
    return largest


def standing(candidates: Floats, references: Floats, oracle: str) -> Standing:
    """Return the standing of float64[metrics, references] among float64[metrics, candidates]."""
    oracles = oracles_of(references, oracle)
    scale = scale_of(candidates, oracles)
    above, tied = (np.zeros(candidates.shape) for _ in range(2))
    for k in range(oracles.shape[1]):
        is_above, is_tied = above_and_tied(candidates, oracles[:, k : k + 1], scale)
        above += is_above
        tied += is_tied
    existing = (~np.isnan(oracles)).sum(axis=1, keepdims=True)
    ranked = (existing > 0) & ~np.isnan(candidates).any(axis=1, keepdims=True)
    counts = np.where(ranked, existing, np.nan)
    return Standing(above / counts, tied / counts, _among_each_other(oracles, oracle, scale))


def oracles_of(references: Floats, oracle: str) -> Floats:
    """Return float64[metrics, oracles]: the mean of the references' scores, or each of them."""
    if oracle == "average-score":
        return mean_of_existing(references, 1)[:, None]
    return references


def _among_each_other(oracles: Floats, oracle: str, scale: Floats) -> Floats:
    others = np.zeros((len(oracles), 2))
    if oracle == "combined":
        for k in range(oracles.shape[1]):
            for column, which in enumerate(above_and_tied(np.delete(oracles, k, axis=1), oracles[:, k : k + 1], scale)):
                others[:, column] += which.sum(axis=1)
        others /= np.maximum((~np.isnan(oracles)).sum(axis=1, keepdims=True), 1)
    return others


def standing_of_combination(candidates: Floats, references: Floats, oracle: str) -> Standing:
    """Return the standing of a combination of metrics, by the mean of their ranks.

    Every metric must score every candidate; a reference is used if every metric scores it.
    """
    if np.isnan(candidates).any() or np.isnan(oracles_of(references, oracle)).any(axis=0).all():
        undefined = np.full((1, candidates.shape[1]), np.nan)
        return Standing(undefined, undefined, np.zeros((1, 2)))
    kind = oracle if oracle == "combined" else "average-rank"
    ranks = mean_ranks(candidates, references, oracle)
    standings = [standing(-of_candidates[None], -of_oracles[None], kind) for of_candidates, of_oracles in ranks]
    return Standing(*(np.mean(parts, axis=0) for parts in zip(*standings, strict=True)))


def mean_ranks(candidates: Floats, references: Floats, oracle: str) -> Iterator[tuple[Floats, Floats]]:
    """Yield the mean of several metrics' ranks of the candidates, and of the oracles ranked together with them.

    Candidates are ranked together with the oracle, with each reference in turn, or with all references.
    """
    oracles = oracles_of(references, oracle)
    oracles = oracles[:, ~np.isnan(oracles).any(axis=0)]
    n = candidates.shape[1]
    for part in [oracles] if oracle == "combined" else np.split(oracles, oracles.shape[1], axis=1):
        ranks = np.mean([ranks_of(row) for row in np.concatenate([candidates, part], axis=1)], axis=0)
        yield ranks[:n], ranks[n:]


def ranks_of(scores: Floats) -> Floats:
    """Return the rank of each score, 1 for the highest.

    Equal scores share the mean of their ranks, whatever the rule for ties: ranks of several metrics are averaged, and
    `rank` applies the rule only where the oracle is tied with candidates by that average.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    _, same = above_and_tied(ordered[1:], ordered[:-1], scale_of(scores))
    group = np.concatenate([np.zeros(1, np.intp), np.cumsum(~same)])
    sizes = np.bincount(group)
    last = np.cumsum(sizes)
    ranks = np.empty(len(scores))
    ranks[order] = (last - (sizes - 1) / 2)[group]
    return ranks


def rank(counts: Floats, ties: str) -> Floats:
    """Return the rank of the oracle from the numbers of candidates above and tied with it (the last axis)."""
    ranks: Floats = 1.0 + counts[..., 0] + TIES[ties] * counts[..., 1]
    return ranks
