"""Simulations of the tests between two systems: error rates under the null, power, coverage.

The population is a pair of real systems: their statistics on all segments of a test set. A run draws segments from it.
Under the null a coin decides for each drawn segment (or document) which of the two outputs belongs to which system.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from cells import Cell

from tarocco.meta.significance.paired_tests import DEFAULT_RESAMPLES, Difference, PairedTest, compare_pairs
from tarocco.scoring.results import Score


def make_score(name: str, like: Score, rows: np.ndarray, labels: tuple[str, ...] | None = None) -> Score:
    """Return a system with these statistics under the metric of another."""
    sums = rows.sum(axis=0)
    return Score(name, like.metric, like.signature, float(like.metric.score(sums)), rows, sums, labels=labels)


def run_test(a: Score, b: Score, name: str, seed: int, n_resamples: int | None = None) -> Difference:
    """Test one pair."""
    draws = DEFAULT_RESAMPLES[name] if n_resamples is None else n_resamples
    return compare_pairs([(a, b)], PairedTest(name, draws, seed, jobs=1))[0]


def null_pair(pair: tuple[Score, Score], n: int, random: np.random.Generator) -> tuple[Score, Score]:
    """Draw n segments and swap the two outputs of each with probability one half."""
    chosen = random.integers(0, len(pair[0].statistics), n)
    rows = pair[0].statistics[chosen], pair[1].statistics[chosen]
    swap = random.integers(0, 2, n).astype(bool)[:, None]
    return (
        make_score("a", pair[0], np.where(swap, rows[1], rows[0])),
        make_score("b", pair[0], np.where(swap, rows[0], rows[1])),
    )


def share(runs: int, event: Callable[[int, np.random.Generator], bool], seed: int = 1) -> float:
    """Return how often an event happens in so many runs."""
    return sum(event(run, np.random.default_rng([seed, run])) for run in range(runs)) / runs


def error_rates(pair: tuple[Score, Score], runs: int) -> list[Cell]:
    """Measure how often p <= .05 when there is no difference."""
    cells = []
    for name in ("randomization", "bootstrap", "sign", "sacrebleu"):
        for n in (30, 100, 1000):
            draws = min(DEFAULT_RESAMPLES[name], 1000)

            def rejects(
                run: int, random: np.random.Generator, n: int = n, name: str = name, draws: int = draws
            ) -> bool:
                return run_test(*null_pair(pair, n, random), name, run, draws).p_value <= 0.05

            cells.append(
                Cell(
                    f"{name}: p <= .05 under the null",
                    f"{pair[0].metric}, {n} segments",
                    "at most .05" if name == "sign" else ".05",
                    share(runs, rejects),
                    runs,
                )
            )
    return cells


def few_differences(pair: tuple[Score, Score], runs: int) -> list[Cell]:
    """The same where few of 200 segments differ."""
    cells = []
    for k in (1, 2, 3, 6, 12, 20):

        def rejects(run: int, random: np.random.Generator, k: int = k) -> bool:
            a, b = null_pair(pair, 200, random)
            rows = a.statistics.copy()
            changed = random.choice(200, k, replace=False)
            rows[changed] = b.statistics[changed]
            return run_test(a, make_score("b", a, rows), "randomization", run, 1000).p_value <= 0.05

        cells.append(
            Cell(
                "randomization: p <= .05 under the null",
                f"{pair[0].metric}, {k} of 200 segments differ",
                "at most .05",
                share(runs, rejects),
                runs,
            )
        )
    return cells


def power_and_coverage(pair: tuple[Score, Score], runs: int) -> list[Cell]:
    """Draw as many segments as make the true difference the minimum detectable effect."""
    true = pair[1].score - pair[0].score
    whole = [make_score(score.system, score, score.statistics) for score in pair]
    # One bootstrap estimates the effect with an error of 2%, so that power would be off by as much: average ten.
    pilot = np.mean([run_test(*whole, "randomization", seed).detectable for seed in range(10)])
    n = max(12, round(len(pair[0].statistics) * (float(pilot) / abs(true)) ** 2))
    hits = covered = 0
    effects = []
    for run in range(runs):
        random = np.random.default_rng([2, run])
        chosen = random.integers(0, len(pair[0].statistics), n)
        a, b = (make_score(s.system, s, s.statistics[chosen]) for s in pair)
        result = run_test(a, b, "randomization", run, 1000)
        hits += result.p_value <= 0.05 and result.difference * true > 0
        covered += result.interval[0] <= true <= result.interval[1]
        effects.append(result.detectable)
    setting = f"{pair[0].metric}, {n} segments"
    ratio = f"difference {abs(true) / float(np.mean(effects)):.2f} x detectable"
    return [
        Cell("power at the detectable difference", f"{setting}, {ratio}", ".80", hits / runs, runs),
        Cell("95% interval of a difference covers it", setting, ".95", covered / runs, runs),
    ]


def coverage(pair: tuple[Score, Score], runs: int) -> list[Cell]:
    """Measure the coverage of intervals at small sizes."""
    true = pair[1].score - pair[0].score
    cells = []
    for n in (10, 30, 100):

        def covers(run: int, random: np.random.Generator, n: int = n) -> bool:
            chosen = random.integers(0, len(pair[0].statistics), n)
            a, b = (make_score(s.system, s, s.statistics[chosen]) for s in pair)
            low, high = run_test(a, b, "randomization", run, 10).interval
            return low <= true <= high

        cells.append(
            Cell(
                "95% interval of a difference covers it",
                f"{pair[0].metric}, {n} segments",
                ".95",
                share(runs, covers),
                runs,
            )
        )
    return cells


def documents(pair: tuple[Score, Score], runs: int) -> list[Cell]:
    """20 documents of 10 segments; segments of a document differ alike, as those of one topic do."""
    cells = []
    order = np.argsort(pair[1].segments - pair[0].segments, kind="stable")
    for labeled in (True, False):

        def rejects(run: int, random: np.random.Generator, labeled: bool = labeled) -> bool:
            # Documents are runs of neighbors in the order of the difference, so that their segments are alike.
            starts = random.integers(0, len(order) - 10, 20)
            chosen = order[(starts[:, None] + np.arange(10)).ravel()]
            rows = pair[0].statistics[chosen], pair[1].statistics[chosen]
            label = np.repeat(np.arange(20), 10)
            swap = random.integers(0, 2, 20).astype(bool)[label][:, None]
            labels = tuple(map(str, label.tolist())) if labeled else None
            a = make_score("a", pair[0], np.where(swap, rows[1], rows[0]), labels)
            b = make_score("b", pair[0], np.where(swap, rows[0], rows[1]), labels)
            return run_test(a, b, "randomization", run, 1000).p_value <= 0.05

        what = "documents labeled" if labeled else "documents not labeled"
        cells.append(
            Cell(
                "randomization: p <= .05 under the null, segments of a document alike",
                f"{pair[0].metric}, 20 documents of 10, {what}",
                ".05" if labeled else "(too high)",
                share(runs, rejects),
                runs,
            )
        )
    return cells
