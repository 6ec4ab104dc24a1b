"""Paired significance tests between two systems, and Holm's correction for many tests.

The tests use the metrics' statistics alone, so no text is read again.

bootstrap      draws segments with replacement, the same for both systems (Koehn 2004); the p-value is that of
               sacrebleu, the share of resamples in which the centered difference exceeds the observed one
randomization  swap_randomly the outputs of the two systems at random, segment by segment (Riezler and Maxwell 2005)
sign           replaces one segment of the baseline at a time by the system's; each replacement makes the corpus score
               better or worse, with equal probability under the null hypothesis (Collins et al. 2005)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, swap_randomly
from tarocco.scoring.results import Score

TESTS = ("bootstrap", "randomization", "sign")
DEFAULT_RESAMPLES = {"bootstrap": 1000, "randomization": 10_000, "sign": 0}  # as in sacrebleu

ScorePair = tuple[Score, Score]  # the baseline, and the system compared with it


@dataclass(frozen=True)
class Difference:
    """The result of a test between two systems under one metric.

    `p_holm` is the p-value after Holm's correction for all pairs of systems under the metric. `detectable` is the
    smallest difference that the test would call significant without correction; for the sign test, the number of
    segments that a system must win among those that differ. `details` has the share of resamples that the system won
    (Koehn 2004), or the number of segments that are better, worse and equal.
    """

    metric: str
    baseline: str
    system: str
    difference: float  # the system's score minus the baseline's
    better: bool  # whether that is an improvement
    p_value: float
    detectable: float
    details: dict[str, float]
    p_holm: float = math.nan
    significant: bool = False


@dataclass(frozen=True)
class PairedTest:
    """Which test to run, and how. `n_resamples` of 0 stands for the default of the test."""

    name: str
    n_resamples: int
    seed: int
    alpha: float
    jobs: int | None = None


def holm(p_values: Floats) -> Floats:
    """Return p-values adjusted for the family-wise error rate (Holm 1979); NaNs are ignored."""
    flat = np.ravel(p_values)
    adjusted = np.full(flat.shape, np.nan)
    known = np.flatnonzero(~np.isnan(flat))
    order = known[np.argsort(flat[known], kind="stable")]
    stepped = flat[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted.reshape(np.shape(p_values))


def required_draws(comparisons: int, alpha: float) -> int:
    """Return how many draws, in hundreds, a test needs so that its smallest p-value survives Holm's correction."""
    return 100 * math.ceil(comparisons / alpha / 100)


def compare_pairs(pairs: Sequence[ScorePair], test: PairedTest) -> list[Difference]:
    """Test every pair of one metric, with Holm's correction."""
    run = {"bootstrap": _test_bootstrap, "randomization": _test_randomization, "sign": _test_signs}[test.name]
    results = run(pairs, test)
    corrected = holm(np.array([result.p_value for result in results])).tolist()
    # For identical scores no resampled difference is larger than the observed 0, so p is the smallest possible, as in
    # sacrebleu. Neither system is better, so such a pair is not called significant.
    return [
        replace(result, p_holm=p, significant=p <= test.alpha and result.difference != 0)
        for result, p in zip(results, corrected, strict=True)
    ]


def _test_bootstrap(pairs: Sequence[ScorePair], test: PairedTest) -> list[Difference]:
    resampled = _resample_scores({score.system: score for pair in pairs for score in pair}, test)
    results = []
    for baseline, system in pairs:
        differences = resampled[system.system] - resampled[baseline.system]
        sizes = np.abs(differences)
        null = sizes - sizes.mean()
        won = system.metric.sign * differences > 0
        results.append(_make_difference(baseline, system, null, test, {"win_share": float(won.mean())}))
    return results


def _resample_scores(systems: dict[str, Score], test: PairedTest) -> dict[str, Floats]:
    """Return the corpus scores of each system on the same resamples."""
    metric, rows = next(iter(systems.values())).metric, [score.statistics for score in systems.values()]
    sums = bootstrap(np.concatenate(rows, axis=1), test.n_resamples, test.seed, test.jobs)
    parts = np.split(sums, len(rows), axis=1)
    return {name: metric.score(part) for name, part in zip(systems, parts, strict=True)}


def _test_randomization(pairs: Sequence[ScorePair], test: PairedTest) -> list[Difference]:
    rows = np.concatenate([system.statistics - baseline.statistics for baseline, system in pairs], axis=1)
    swapped = np.split(swap_randomly(rows, test.n_resamples, test.seed, test.jobs), len(pairs), axis=1)
    results = []
    for (baseline, system), moved in zip(pairs, swapped, strict=True):
        score = system.metric.score
        null = np.abs(score(system.sums - moved) - score(baseline.sums + moved))
        results.append(_make_difference(baseline, system, null, test, {}))
    return results


def _make_difference(
    baseline: Score, system: Score, null: Floats, test: PairedTest, details: dict[str, float]
) -> Difference:
    """Compare the observed difference with its null distribution; a null value of equal size does not count."""
    observed = system.score - baseline.score
    size = len(null)
    larger = int((null > abs(observed)).sum())
    allowed = math.floor(test.alpha * (size + 1)) - 1  # how many null values may be larger
    detectable = float(np.sort(null)[::-1][allowed]) if 0 <= allowed < size else math.inf
    better = system.metric.sign * observed > 0
    names = str(system.metric), baseline.system, system.system
    return Difference(*names, observed, better, (larger + 1) / (size + 1), max(detectable, 0.0), details)


def _test_signs(pairs: Sequence[ScorePair], test: PairedTest) -> list[Difference]:
    results = []
    for baseline, system in pairs:
        signs = segment_signs(baseline, system)
        wins, losses = int((signs > 0).sum()), int((signs < 0).sum())
        difference = system.score - baseline.score
        results.append(
            Difference(
                *(str(system.metric), baseline.system, system.system),
                difference,
                system.metric.sign * difference > 0,
                sign_test(wins, losses),
                _least_wins(wins + losses, test.alpha),
                {"better": wins, "worse": losses, "equal": len(signs) - wins - losses},
            )
        )
    return results


def segment_signs(baseline: Score, system: Score) -> NDArray[np.int8]:
    """Return, per segment, 1 if the system's output there improves the baseline, -1 if it worsens it, else 0."""
    metric = system.metric
    replaced = metric.score(baseline.sums + (system.statistics - baseline.statistics))
    change = metric.sign * (replaced - baseline.score)
    # An unchanged segment gives exactly the same sums; other equal scores may differ by rounding.
    rounding = 1e-12 * abs(baseline.score)
    return (change > rounding).astype(np.int8) - (change < -rounding).astype(np.int8)


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of the sign test."""
    n, fewer = wins + losses, min(wins, losses)
    return min(1.0, 2.0 * _binomial_tail(n, fewer))


def _binomial_tail(n: int, most: int) -> float:
    """Return the probability of at most `most` heads in n fair tosses."""
    terms = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(most + 1)]
    return math.fsum(math.exp(term - n * math.log(2)) for term in terms)


def _least_wins(n: int, alpha: float) -> float:
    """Return how many of n segments must be won for a p-value of at most alpha; infinity if no number suffices."""
    if n == 0 or 2.0 * _binomial_tail(n, 0) > alpha:
        return math.inf
    low, high = 0, n // 2  # bisect the largest number of losses that is still significant
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if 2.0 * _binomial_tail(n, middle) <= alpha else (low, middle - 1)
    return float(n - low)
