"""Coefficients that count pairs of systems, on resamples and under permutations, for all metrics at once.

accuracy  the share of pairs of systems that a metric and people order alike (Kocmi et al. 2021)
spa       soft pairwise accuracy: 1 - mean |p_metric - p_human| over pairs of systems (Thompson et al. 2024), each in
          the order of the systems; `spa-symmetric` takes each pair in both directions
acc-eq    accuracy with calibrated ties: the share of pairs of outputs of one segment that both order alike or both
          call tied, averaged over segments (Deutsch et al. 2023)

The printed values are those of agreement.py. Resamples of SPA use the normal approximation of its permutation p-values,
which needs only sums over segments, and resamples of acc-eq keep the epsilon that was calibrated on all data.
Resampled systems are weights on pairs of different systems: a system says nothing about a copy of itself. Where the
documents of segments are known, whole documents are resampled, and the p-values of SPA swap them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.correlation.agreement import (
    calibrated_ties,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from tarocco.meta.correlation.levels import Coefficient
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.meta.support.decision import SUCH, group_units, sum_groups
from tarocco.meta.support.people import draw_systems, one_sided_p
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import count_draws, number_units, sum_units
from tarocco.scoring.settings import Resampling

ACCURACY, SPA, SYMMETRIC_SPA, TIES = "accuracy", "spa", "spa-symmetric", "acc-eq"
SOFT = (SPA, SYMMETRIC_SPA)
LEVEL_OF = {
    ACCURACY: "system",
    SPA: "system",
    SYMMETRIC_SPA: "system",
    TIES: "segment",
}  # the level at which each is defined
PAIRWISE = tuple(LEVEL_OF)
SOFT_PERMUTATIONS = 1000  # of soft pairwise accuracy, as in Thompson et al. 2024
_DECIMALS = 10  # products of matrices may round their last bits differently

Booleans = NDArray[np.bool_]


def measure_pairwise(
    coefficient: str, metric: ScoreSource, people: ScoreSource, seed: int, labels: Sequence[str] | None = None
) -> Coefficient:
    """Return one of PAIRWISE for a metric. `labels` are the segments' documents, which SPA swaps as wholes."""
    if coefficient == TIES:
        ties = calibrated_ties(metric.segments, people.segments)
        groups = people.segments.shape[1]
        return Coefficient(
            ties.accuracy, ties.items, groups, None if ties.items else "no segment has two judged systems"
        )
    if coefficient == ACCURACY:
        value = pairwise_accuracy(metric.systems, people.systems)
    elif metric.statistics is None:
        return Coefficient(np.nan, 0, 1, "soft pairwise accuracy needs the metric's scores of segments")
    else:
        symmetric = coefficient == SYMMETRIC_SPA
        value = soft_pairwise_accuracy(
            metric.segments, people.segments, SOFT_PERMUTATIONS, seed, labels, symmetric=symmetric
        )
    return Coefficient(value, int(not np.isnan(value)), 1, "no pair of systems has scores" if np.isnan(value) else None)


# --- resamples -------------------------------------------------------------------------------------------------------


def resample_pairwise(
    coefficient: str,
    metrics: Sequence[ScoreSource],
    people: ScoreSource,
    resampling: Resampling,
    population: str,
    jobs: int | None = None,
    labels: Sequence[str] | None = None,
) -> Floats:
    """Return one of PAIRWISE on resamples, float64[metrics, n_resamples]; NaN where it is undefined.

    `labels` are the segments' documents: whole documents are redrawn.
    """
    n_systems, n = len(people.systems), resampling.n_resamples
    first, second = np.triu_indices(n_systems, 1)
    weights = np.ones((n, len(first)))
    if population == SUCH:
        drawn = draw_systems(n_systems, resampling.seed, n)
        weights = (drawn[:, first] * drawn[:, second]).astype(float)
    if coefficient == ACCURACY:
        human = people.resampled(n, resampling.seed, jobs, labels)
        values = [
            _weigh_accuracy(source.resampled(n, resampling.seed, jobs, labels), human, weights)
            if population == SUCH or source.statistics is not None or people.statistics is not None
            else np.full(n, np.nan)
            for source in metrics
        ]
        return np.round(np.array(values), _DECIMALS)
    groups = group_units(people.segments.shape[1], labels)
    redrawn = count_draws(int(groups.max()) + 1, resampling.seed, 0, n).astype(float)
    weigh = partial(_weigh_soft, labels) if coefficient in SOFT else partial(_weigh_ties, groups)
    values = [
        np.full(n, np.nan) if source.statistics is None else weigh(source, people, redrawn, weights)
        for source in metrics
    ]
    return np.round(np.array(values), _DECIMALS)


def _weigh_accuracy(metric: Floats, human: Floats, weights: Floats) -> Floats:
    """Return the weighted share of pairs that rows of both sides order alike."""
    first, second = np.triu_indices(metric.shape[1], 1)
    x, y = metric[:, first] - metric[:, second], human[:, first] - human[:, second]
    counted = weights * ~np.isnan(x + y)
    with np.errstate(invalid="ignore"):
        agreed = (np.sign(x) == np.sign(y)) * counted
        shares: Floats = agreed.sum(axis=1) / counted.sum(axis=1)
    return shares


def _weigh_soft(
    labels: Sequence[str] | None, metric: ScoreSource, people: ScoreSource, redrawn: Floats, weights: Floats
) -> Floats:
    first, second = np.triu_indices(len(people.systems), 1)
    rows = [source.segments[first] - source.segments[second] for source in (metric, people)]
    known = ~np.isnan(rows[0] + rows[1])
    counts = sum_units(known.T.astype(float), labels).T
    groups = group_units(counts.shape[1], None)
    p_values = []
    for differences in rows:
        kept = sum_units(np.where(known, differences, 0.0).T, labels).T
        p_values.append(one_sided_p(*(redrawn @ sum_groups(sums, groups) for sums in (kept, kept * kept))))
    counted = weights * (redrawn @ sum_groups(counts, groups) > 0)
    with np.errstate(invalid="ignore"):
        values: Floats = 1 - (np.abs(p_values[0] - p_values[1]) * counted).sum(axis=1) / counted.sum(axis=1)
    return values


def _weigh_ties(
    groups: NDArray[np.intp], metric: ScoreSource, people: ScoreSource, redrawn: Floats, weights: Floats
) -> Floats:
    agreed, known = tied_agreement(metric.segments, people.segments)
    sizes = np.maximum(known.sum(axis=0), 1)  # every segment counts the same, however many pairs it has
    sums, counted = (redrawn @ sum_groups(rows / sizes, groups) * weights for rows in (agreed, known))
    with np.errstate(invalid="ignore"):
        values: Floats = sums.sum(axis=1) / counted.sum(axis=1)
    return values


def tied_agreement(metric: Floats, human: Floats) -> tuple[Booleans, Booleans]:
    """Return where both sides order a pair alike or both call it tied, and where both have it, bool[pairs, segments].

    The metric's epsilon is calibrated on these data.
    """
    epsilon = calibrated_ties(metric, human).epsilon
    first, second = np.triu_indices(len(metric), 1)
    x, y = metric[first] - metric[second], human[first] - human[second]
    known = ~np.isnan(x + y)
    with np.errstate(invalid="ignore"):
        agreed = np.where(np.abs(x) <= epsilon, 0, np.sign(x)) == np.sign(y)
    return agreed & known, known


def item_accuracies(metric: ScoreSource, people: ScoreSource) -> Floats:
    """Return accuracy with ties in each segment, NaN where fewer than two systems have scores."""
    agreed, known = tied_agreement(metric.segments, people.segments)
    sizes = known.sum(axis=0)
    values: Floats = np.divide(agreed.sum(axis=0), sizes, out=np.full(len(sizes), np.nan), where=sizes > 0)
    return values


# --- swaps of whole systems ------------------------------------------------------------------------------------------
#
# PERM-SYS swaps the scores that two metrics a and b give to a system. After the swaps, a's coefficient is a mean over
# pairs of systems of T[c, d](i, j), the agreement with people if the score of system i is c's and that of j is d's.
# Swaps that make it T[a, b] for one metric make it T[b, a] for the other. With s = 1 for systems that were kept and -1
# for systems that were swapped, the difference of the coefficients is the sum over pairs of
# ((s_i + s_j) (T[a, a] - T[b, b]) + (s_i - s_j) (T[a, b] - T[b, a])) / 2. It is linear in s, so that a permutation is
# a sum over systems with random signs.


def swap_effects(
    coefficient: str,
    metrics: Floats,
    human: Floats,
    pairs: Sequence[tuple[int, int]],
    labels: Sequence[str] | None = None,
) -> Floats:
    """Return what each system adds to the difference of two metrics' coefficients, float64[pairs, systems].

    `metrics` is float64[metrics, systems, segments] and `human` float64[systems, segments], standardized and without
    missing scores but for NaN in `human`; for accuracy, and for kendall without ties, there is one segment, the
    system's score. `labels` are the segments' documents, which the p-values of SPA swap as wholes. Rows
    sum up to the difference of the coefficients.
    """
    n_systems = len(human)
    known = ~np.isnan(human)
    upper = np.triu(known.astype(float) @ known.T.astype(float) > 0, 1)
    count = max(int(upper.sum()), 1)
    settled = np.where(known, metrics, 0.0), np.where(known, human, 0.0)
    table = _agreement_table(
        coefficient, *settled, known, None if labels is None else number_units(len(labels), labels)
    )
    effects = np.empty((len(pairs), n_systems))
    alone = {m: table(m, m) for m in {m for pair in pairs for m in pair}}
    for place, (a, b) in enumerate(pairs):
        kept = np.where(upper, alone[a] - alone[b], 0.0)
        mixed = np.where(upper, table(a, b) - table(b, a), 0.0)
        effects[place] = ((kept + mixed).sum(axis=1) + (kept - mixed).sum(axis=0)) / (2 * count)
    return effects


def _agreement_table(
    coefficient: str, metrics: Floats, human: Floats, known: Booleans, documents: NDArray[np.intp] | None
) -> Callable[[int, int], Floats]:
    """Return a function of two metrics: how far people agree if the first scores system i and the second system j."""
    if coefficient in (ACCURACY, "kendall"):
        scores, people = np.round(metrics[:, :, 0], 12), human[:, 0]
        order = np.sign(people[:, None] - people)

        def share(a: int, b: int) -> Floats:
            signs = np.sign(scores[a][:, None] - scores[b])
            agreed: Floats = signs * order if coefficient == "kendall" else (signs == order).astype(float)
            return agreed

        return share
    if documents is not None:
        return _soft_by_document(metrics, human, known, documents)
    counted = known.astype(float)
    sums, squares = metrics @ counted.T, metrics**2 @ counted.T  # of the segments that both systems have
    totals, people_squares = human @ counted.T, human**2 @ counted.T
    cross = people_squares + people_squares.T - 2 * human @ human.T
    p_human = one_sided_p(totals - totals.T, np.maximum(cross, 0.0))

    def soft(a: int, b: int) -> Floats:
        spread = squares[a] + squares[b].T - 2 * metrics[a] @ metrics[b].T
        p = one_sided_p(sums[a] - sums[b].T, np.where(spread > 1e-9, spread, 0.0))
        agreement: Floats = 1 - np.abs(p - p_human)
        return agreement

    return soft


def _soft_by_document(
    metrics: Floats, human: Floats, known: Booleans, documents: NDArray[np.intp]
) -> Callable[[int, int], Floats]:
    """Return the soft agreement of `_agreement_table` where whole documents are swapped."""
    n = len(human)

    def sum_shared(rows: Floats) -> Floats:
        """Return the sums of the scores of system i in each document, over segments that system j has, [i, j, ...]."""
        shared = (rows[:, None] * known[None]).reshape(n * n, -1)
        return sum_groups(shared, documents).T.reshape(n, n, -1)

    by_document = [sum_shared(rows) for rows in metrics]

    def test(first: Floats, second: Floats) -> Floats:
        differences = first - np.swapaxes(second, 0, 1)
        squares = np.einsum("ijd,ijd->ij", differences, differences)
        return one_sided_p(differences.sum(axis=2), np.where(squares > 1e-9, squares, 0.0))

    of_human = sum_shared(human)
    p_human = test(of_human, of_human)

    def soft(a: int, b: int) -> Floats:
        agreement: Floats = 1 - np.abs(test(by_document[a], by_document[b]) - p_human)
        return agreement

    return soft
