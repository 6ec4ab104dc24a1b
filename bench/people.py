"""Correlation with human scores: PERM-BOTH for all pairs of metrics and tie calibration, compared with plain loops."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb

import numpy as np
from measure import Row, at_most, best_seconds, in_fresh_process, in_turns, ratio, seconds, show

METRICS, SYSTEMS, SEGMENTS, PERMUTATIONS = 30, 15, 1000, 1000
SAMPLED = 20  # permutations in the plain loop
SAMPLES = 3


def scores() -> tuple[np.ndarray, np.ndarray]:
    """Return synthetic scores [metrics, systems, segments] and human scores [systems, segments] with few grades."""
    generator = np.random.default_rng(6)
    good = generator.normal(size=(SYSTEMS, 1)) / 2 + generator.normal(size=(SYSTEMS, SEGMENTS))
    noise = generator.normal(size=(METRICS, SYSTEMS, SEGMENTS))
    return good + np.linspace(0.5, 3, METRICS)[:, None, None] * noise, -np.round(np.maximum(-2 * good, 0))


def our_permutations(again: bool) -> float:
    """Time the first call in a process, or a later one."""
    from tarocco.meta.correlation.metric_tests import perm_both

    metrics, people = scores()
    run = partial(perm_both, metrics, people.mean(axis=1), n_permutations=PERMUTATIONS)
    return best_seconds(run, 2) if again else seconds(run)


def pairwise_permutations(
    first: np.ndarray, second: np.ndarray, people: np.ndarray, coins: np.ndarray
) -> tuple[float, int]:
    """Return the difference of correlations, and how many permutations reach it (Deutsch et al. 2021)."""
    first, second = ((one - one.mean()) / one.std() for one in (first, second))

    def lead(one: np.ndarray, other: np.ndarray) -> float:
        of_one, of_other = (np.corrcoef(scores.mean(axis=1), people)[0, 1] for scores in (one, other))
        return float(of_one - of_other)

    observed = lead(first, second)
    swapped = (lead(np.where(toss, second, first), np.where(toss, first, second)) for toss in coins)
    return observed, sum(one >= observed - 1e-12 for one in swapped)


def their_permutations() -> float:
    """Estimate the loop's time for all pairs from one pair, and check that its numbers are ours."""
    from tarocco.meta.correlation.metric_tests import perm_both
    from tarocco.scoring.resampling import coins, words

    metrics, people = scores()
    tosses = coins(words(0, SAMPLED, -(-SYSTEMS * SEGMENTS // 64)), 0, SYSTEMS * SEGMENTS) == 1
    arguments = (metrics[0], metrics[29], people.mean(axis=1), tosses.reshape(SAMPLED, SYSTEMS, SEGMENTS))
    lead, no_less = pairwise_permutations(*arguments)
    ours = perm_both(metrics[[0, 29]], people.mean(axis=1), n_permutations=SAMPLED)
    assert abs(ours.difference[0, 1] - lead) < 1e-12
    assert ours.extreme[0, 1] == no_less
    took = best_seconds(lambda: pairwise_permutations(*arguments), 3)
    return took * comb(METRICS, 2) * PERMUTATIONS / SAMPLED


def our_calibration(again: bool) -> float:
    from tarocco.meta.correlation.agreement import calibrated_ties

    metrics, people = scores()
    calibrated_ties(metrics[0][:2, :2], people[:2, :2])  # its imports
    run = partial(calibrated_ties, metrics[0], people)
    return best_seconds(run, 5) if again else seconds(run)


def pairwise_calibration(metric: list[list[float]], people: list[list[float]]) -> tuple[float, float]:
    """Return (accuracy, epsilon), trying epsilons from the smallest difference up (Deutsch et al. 2023).

    All segments have scores of all systems, so the mean over segments is the share of all pairs.
    """
    pairs = []
    for of_metric, of_people in zip(zip(*metric, strict=True), zip(*people, strict=True), strict=True):
        for (x, a), (y, b) in combinations(zip(of_metric, of_people, strict=True), 2):
            pairs.append((abs(x - y), a == b, (x - y) * (a - b) > 0))
    pairs.sort()
    agreed = sum(concordant for _, _, concordant in pairs)
    best, epsilon, i = agreed if pairs[0][0] > 0 else -1, 0.0, 0
    while i < len(pairs):  # this epsilon ties all pairs up to this difference
        size = pairs[i][0]
        while i < len(pairs) and pairs[i][0] == size:
            agreed += pairs[i][1] - pairs[i][2]
            i += 1
        if agreed > best:
            best, epsilon = agreed, size
    return best / len(pairs), epsilon


def their_calibration(again: bool) -> float:
    from tarocco.meta.correlation.agreement import calibrated_ties

    metrics, people = scores()
    run = partial(pairwise_calibration, metrics[0].tolist(), people.tolist())
    took = best_seconds(run, 2) if again else seconds(run)
    ours, (accuracy, epsilon) = calibrated_ties(metrics[0], people), run()
    assert (round(ours.accuracy, 12), ours.epsilon) == (round(accuracy, 12), epsilon)
    return took


def rows() -> list[Row]:
    def took(function: str, *arguments: object) -> float:
        return in_fresh_process("people", function, *arguments)

    table = []
    numpy = f"NumPy {np.__version__}, a loop"
    shape = f"{comb(METRICS, 2)} pairs of {METRICS} metrics, {SYSTEMS} x {SEGMENTS} scores, {PERMUTATIONS} permutations"
    cold, warm, theirs = in_turns(
        [
            lambda: took("our_permutations", False),
            lambda: took("our_permutations", True),
            lambda: took("their_permutations"),
        ],
        SAMPLES,
        min,
    )
    table.append(at_most("PERM-BOTH", shape, "cold, all threads", cold, 5, "s"))
    table.append(ratio("PERM-BOTH", shape, numpy, "warm, all threads", warm, theirs, None))
    shape = f"{SYSTEMS} x {SEGMENTS} scores, {comb(SYSTEMS, 2) * SEGMENTS} pairs"
    for again, how in ((False, "cold, one thread"), (True, "warm, one thread")):
        ours, theirs = in_turns(
            [lambda: took("our_calibration", again), lambda: took("their_calibration", again)],  # noqa: B023
            SAMPLES,
            min,
        )
        table.append(ratio("tie calibration", shape, "a loop over pairs", how, ours, theirs, 20))
    return table


if __name__ == "__main__":
    show(rows())
