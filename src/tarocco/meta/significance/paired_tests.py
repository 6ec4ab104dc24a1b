"""Many tests at once: p-values corrected for how many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.resampling import bootstrap, swap_randomly
from tarocco.scoring.results import Score


def holm(p_values: Floats) -> Floats:
    """p-values adjusted so that a false alarm anywhere in the family is rare (Holm 1979); NaN is no part of it."""
    flat = np.ravel(p_values)
    adjusted = np.full(flat.shape, np.nan)
    there = np.flatnonzero(~np.isnan(flat))
    order = there[np.argsort(flat[there], kind="stable")]
    stepped = flat[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted.reshape(np.shape(p_values))


def required_draws(comparisons: int, alpha: float) -> int:
    """How often to draw, in round numbers, so that the smallest p-value is significant among so many."""
    return 100 * math.ceil(comparisons / alpha / 100)


# Is the difference between two systems luck? Paired tests on statistics alone: the text is not read again.


TESTS = ("bootstrap", "randomization", "sign")
DEFAULT_RESAMPLES = {"bootstrap": 1000, "randomization": 10_000, "sign": 0}  # as in sacrebleu


@dataclass(frozen=True)
class Difference:
    """What a test says of two systems under one metric.

    `p_holm` is the p-value with Holm's correction for all pairs that the metric was asked about. `detectable` is the
    smallest difference that this test would have called significant at this size, by itself; for the sign test it is
    the number of segments that a system must win of those that are not equal. `details` are the share of resamples
    that the system won (Koehn's), or how many segments are better, worse and equal.
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
    """Which test, and with what."""

    __test__ = False  # the name is not for pytest

    name: str
    n_resamples: int
    seed: int
    alpha: float
    jobs: int | None = None


def compare_pairs(pairs: Sequence[tuple[Score, Score]], test: PairedTest) -> list[Difference]:
    """Every pair (baseline, system) of one metric, with Holm's correction."""
    found = {"bootstrap": _bootstrap, "randomization": _randomization, "sign": _sign}[test.name](pairs, test)
    corrected = holm(np.array([one.p_value for one in found])).tolist()
    # Where there is no difference at all, nothing is larger by chance than that and p is the smallest there is, as in
    # sacrebleu; but of two equal scores neither is better.
    return [
        replace(one, p_holm=p, significant=p <= test.alpha and one.difference != 0)
        for one, p in zip(found, corrected, strict=True)
    ]


def _bootstrap(pairs: Sequence[tuple[Score, Score]], test: PairedTest) -> list[Difference]:
    scores = _resampled({score.system: score for pair in pairs for score in pair}, test)
    found = []
    for baseline, system in pairs:
        drawn = scores[system.system] - scores[baseline.system]
        sizes = np.abs(drawn)
        null = sizes - sizes.mean()
        won = system.metric.sign * drawn > 0
        found.append(_difference(baseline, system, null, test, {"win_share": float(won.mean())}))
    return found


def _resampled(systems: dict[str, Score], test: PairedTest) -> dict[str, Floats]:
    """The corpus scores of each system on the same resamples."""
    metric, rows = next(iter(systems.values())).metric, [score.statistics for score in systems.values()]
    sums = bootstrap(np.concatenate(rows, axis=1), test.n_resamples, test.seed, test.jobs)
    parts = np.split(sums, len(rows), axis=1)
    return {name: metric.score(part) for name, part in zip(systems, parts, strict=True)}


def _randomization(pairs: Sequence[tuple[Score, Score]], test: PairedTest) -> list[Difference]:
    rows = np.concatenate([system.statistics - baseline.statistics for baseline, system in pairs], axis=1)
    swapped = np.split(swap_randomly(rows, test.n_resamples, test.seed, test.jobs), len(pairs), axis=1)
    found = []
    for (baseline, system), gained in zip(pairs, swapped, strict=True):
        score = system.metric.score
        null = np.abs(score(system.sums - gained) - score(baseline.sums + gained))
        found.append(_difference(baseline, system, null, test, {}))
    return found


def _difference(
    baseline: Score, system: Score, null: Floats, test: PairedTest, details: dict[str, float]
) -> Difference:
    """From how large compare_pairs are by chance; a difference of the same size is not larger."""
    observed = system.score - baseline.score
    size = len(null)
    larger = int((null > abs(observed)).sum())
    allowed = math.floor(test.alpha * (size + 1)) - 1  # chance compare_pairs that may be larger
    detectable = float(np.sort(null)[::-1][allowed]) if 0 <= allowed < size else math.inf
    better = system.metric.sign * observed > 0
    names = str(system.metric), baseline.system, system.system
    return Difference(*names, observed, better, (larger + 1) / (size + 1), max(detectable, 0.0), details)


def _sign(pairs: Sequence[tuple[Score, Score]], test: PairedTest) -> list[Difference]:
    return [_signs(baseline, system, test.alpha) for baseline, system in pairs]


def _signs(baseline: Score, system: Score, alpha: float) -> Difference:
    found = segment_signs(baseline, system)
    wins, losses = int((found > 0).sum()), int((found < 0).sum())
    difference = system.score - baseline.score
    better = system.metric.sign * difference > 0
    return Difference(
        *(str(system.metric), baseline.system, system.system, difference, better),
        sign_test(wins, losses),
        _least_wins(wins + losses, alpha),
        {"better": wins, "worse": losses, "equal": len(found) - wins - losses},
    )


def segment_signs(baseline: Score, system: Score) -> NDArray[np.int8]:
    """For each segment 1 if the baseline is better with the system's output there, -1 if worse, 0 if as good."""
    metric: Metric = system.metric
    with_one = metric.score(baseline.sums + (system.statistics - baseline.statistics))
    change = metric.sign * (with_one - baseline.score)
    # A segment of which nothing changed gives the same sums, bit for bit; other equal scores may differ by rounding.
    small = 1e-12 * abs(baseline.score)
    return (change > small).astype(np.int8) - (change < -small).astype(np.int8)


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p-value of so many wins and losses, if both were equally likely."""
    n, fewer = wins + losses, min(wins, losses)
    return min(1.0, 2.0 * _tail(n, fewer))


def _tail(n: int, most: int) -> float:
    """The probability of at most so many heads in n fair tosses."""
    terms = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(most + 1)]
    return math.fsum(math.exp(term - n * math.log(2)) for term in terms)


def _least_wins(n: int, alpha: float) -> float:
    """How many of n segments must be won for a p-value of at most alpha; infinity if no number is enough."""
    if n == 0 or 2.0 * _tail(n, 0) > alpha:
        return math.inf
    low, high = 0, n // 2  # losses: few enough, and too many or not
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if 2.0 * _tail(n, middle) <= alpha else (low, middle - 1)
    return float(n - low)
