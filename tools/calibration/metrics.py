"""Simulations of the tests between metrics, of intervals of correlations, and of accuracy at a difference.

The population is the WMT23 metrics task, as in verdicts.py: a simulated system is a mixture of two submissions. Under
the null two metrics are equally good. For *such systems*, each is a real metric plus a bias of each system, equally
large for both, so that which of the two agrees better with people among the systems drawn is chance. For *these
systems*, a coin decides for each output which of the two metrics scores it. With documents, segments of a document are
alike: the noise of a metric is half that of a document, and a coin decides for each document which of two systems
is better in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from cells import Cell
from verdicts import Campaign

from tarocco.meta.correlation.accuracy_at_difference import measure_accuracy_at
from tarocco.meta.correlation.levels import CorrelationLevel
from tarocco.meta.correlation.metric_tests import MetricTestInput, compare_metrics
from tarocco.meta.correlation.pairwise import PAIRWISE, measure_pairwise, resample_pairwise
from tarocco.meta.correlation.score_sources import ScoreSource, make_source
from tarocco.meta.support.decision import SUCH, THESE
from tarocco.meta.support.people import one_sided_p
from tarocco.scoring.resampling import percentiles, sum_units
from tarocco.scoring.settings import WORKERS, Resampling

METRIC = "chrF"
BIAS = 0.5  # of a system, in standard deviations of its metric scores
SETTINGS = (  # population, level, coefficient, test
    (SUCH, "system", "pearson", "perm"),
    (SUCH, "system", "pearson", "bootstrap"),
    (SUCH, "system", "spa", "perm"),
    (SUCH, "system", "spa", "bootstrap"),
    (THESE, "system", "pearson", "perm"),
    (THESE, "segment", "acc-eq", "perm"),
    (THESE, "segment", "kendall", "perm"),
)


def measure(
    coefficient: str,
    level: CorrelationLevel,
    sources: list[ScoreSource],
    people: ScoreSource,
    population: str,
    run: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients, and the same on resamples."""
    few = Resampling(300, seed=run)
    if coefficient in PAIRWISE:
        values = [measure_pairwise(coefficient, source, people, run).value for source in sources]
        return np.array(values), resample_pairwise(coefficient, sources, people, few, population)
    items = level.items(people)
    values = [level.agreement(coefficient, level.items(source), items).value for source in sources]
    return np.array(values), level.resampled(coefficient, sources, people, few, WORKERS, population)


def null_rivals(rows: np.ndarray, population: str, random: np.random.Generator) -> list[ScoreSource]:
    """Return two metrics that are equally good for the population."""
    noisy = rows + random.normal(0, rows.std(), (2, *rows.shape))
    if population == SUCH:
        noisy = noisy + BIAS * rows.mean(axis=1).std() * random.normal(0, 1, (2, len(rows), 1))
    else:
        swap = random.integers(0, 2, rows.shape).astype(bool)
        noisy = np.stack([np.where(swap, noisy[1], noisy[0]), np.where(swap, noisy[0], noisy[1])])
    return [make_source(name, scores) for name, scores in zip("ab", noisy, strict=True)]


def error_rates_of_metrics(campaign: Campaign, systems: int, segments: int, runs: int) -> Iterator[Cell]:
    """Yield how often p <= .05 where two metrics are equally good, and for PERM-BOTH where systems have biases."""
    biased = (SUCH, "system", "pearson", "perm-both")
    for population, level_name, coefficient, test in (*SETTINGS, biased):
        level = CorrelationLevel(level_name, "item" if level_name == "segment" else "none")
        spoken = THESE if test == "perm-both" else population
        rejected = 0
        for run in range(runs):
            random = np.random.default_rng([11, run])
            places = campaign.draw(systems, segments, random)
            people = make_source("human", campaign.human[places])
            sources = null_rivals(campaign.metrics[METRIC][places], population, random)
            values, drawn = measure(coefficient, level, sources, people, spoken, run)
            data = MetricTestInput(sources, people, level, coefficient, values, np.zeros(2, bool), drawn, spoken)
            (pair,) = compare_metrics(data, test.removesuffix("-both"), 0.05, 400, run, jobs=1).pairs
            rejected += pair.p_value <= 0.05
        setting = f"{campaign.name}, {level_name} level, {coefficient}, {systems} systems, {segments} segments"
        if test == "perm-both":
            claim, nominal = "PERM-BOTH, systems with biases: p <= .05 (it speaks of these systems only)", "(too high)"
        else:
            claim, nominal = f"{pair.test}: p <= .05 between equal metrics, {population}", ".05"
        yield Cell(claim, setting, nominal, rejected / runs, runs)


def error_rates_with_documents(campaign: Campaign, systems: int, runs: int) -> Iterator[Cell]:
    """Yield how often p <= .05 between equals with 20 documents of 10 segments, labeled or not."""
    labels = np.repeat(np.arange(20), 10).astype(str).tolist()
    for level_name, coefficient in (("segment", "kendall"), ("system", "pearson")):
        for known in (labels, None):
            level = CorrelationLevel(level_name, "item" if level_name == "segment" else "none", labels=known)
            rejected = 0
            for run in range(runs):
                random = np.random.default_rng([16, run])
                places = campaign.draw(systems, len(labels), random)
                people = make_source("human", campaign.human[places])
                sources = rivals_by_document(campaign.metrics[METRIC][places], random)
                values, drawn = measure(coefficient, level, sources, people, THESE, run)
                data = MetricTestInput(sources, people, level, coefficient, values, np.zeros(2, bool), drawn, THESE)
                (pair,) = compare_metrics(data, "perm", 0.05, 400, run, jobs=1).pairs
                rejected += pair.p_value <= 0.05
            yield _cell_of_documents(
                f"{pair.test}: p <= .05 between equal metrics, segments of a document alike",
                f"{campaign.name}, {level_name} level, {coefficient}, {systems} systems",
                *(known is not None, rejected, runs),
            )
    for known in (labels, None):
        extreme = 0
        for run in range(runs):
            people = equal_systems(campaign.human, np.random.default_rng([17, run]))
            (differences,) = sum_units(np.diff(people, axis=0).T, known).T
            p = one_sided_p(differences.sum()[None], (differences**2).sum()[None])[0]
            extreme += abs(p - 0.5) >= 0.475
        claim = "SPA: p-value of two equal systems below .025 or above .975, segments of a document alike"
        yield _cell_of_documents(claim, f"{campaign.name}, human scores", known is not None, extreme, runs)


def rivals_by_document(rows: np.ndarray, random: np.random.Generator) -> list[ScoreSource]:
    """Return two metrics with equal amounts of noise, half of whose variance a system has in whole documents of 10."""
    own = random.normal(0, 1, (2, *rows.shape))
    shared = np.repeat(random.normal(0, 1, (2, len(rows), rows.shape[1] // 10)), 10, axis=2)
    noisy = rows + rows.std() * (own + shared)
    return [make_source(name, scores) for name, scores in zip("ab", noisy, strict=True)]


def equal_systems(human: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the scores of two systems in 20 documents of neighbors in the order of their difference, [2, segments].

    A coin decides for each document which of the two has the scores of which.
    """
    pair = human[random.choice(len(human), 2, replace=False)]
    pair = pair[:, ~np.isnan(pair).any(axis=0)]
    order = np.argsort(pair[1] - pair[0], kind="stable")
    starts = random.integers(0, len(order) - 10, 20)
    chosen = order[(starts[:, None] + np.arange(10)).ravel()]
    swap = np.repeat(random.integers(0, 2, 20), 10)
    return np.where(swap, pair[::-1, chosen], pair[:, chosen])


def _cell_of_documents(claim: str, setting: str, labeled: bool, count: int, runs: int) -> Cell:
    what = "documents labeled" if labeled else "documents not labeled"
    setting = f"{setting}, 20 documents of 10, {what}"
    return Cell(claim, setting, ".05" if labeled else "(too high)", count / runs, runs)


def coverage_of_correlations(campaign: Campaign, systems: int, segments: int, runs: int) -> Iterator[Cell]:
    """Yield how often 95% intervals contain the coefficient of the population of systems and segments."""
    for coefficient, level_name in (("pearson", "system"), ("spa", "system"), ("acc-eq", "segment")):
        level = CorrelationLevel(level_name, "item" if level_name == "segment" else "none")
        truth = []
        for run in range(40):
            places = campaign.draw(60, segments, np.random.default_rng([12, run]))
            pair = [make_source("m", campaign.metrics[METRIC][places])], make_source("h", campaign.human[places])
            truth.append(measure(coefficient, level, *pair, THESE, run)[0][0])
        true = float(np.mean(truth))
        for population in (SUCH, THESE):
            covered = 0
            for run in range(runs):
                places = campaign.draw(systems, segments, np.random.default_rng([13, run]))
                pair = [make_source("m", campaign.metrics[METRIC][places])], make_source("h", campaign.human[places])
                low, high = percentiles(measure(coefficient, level, *pair, population, run)[1][0], 0.025)
                covered += low <= true <= high
            yield Cell(
                f"95% interval over {population} covers the population's coefficient",
                f"{campaign.name}, {METRIC}, {level_name} level, {coefficient}, {systems} systems, {segments} segments",
                ".95" if population == SUCH else "(too low: these systems only)",
                covered / runs,
                runs,
            )


def coverage_at_difference(campaign: Campaign, systems: int, segments: int, runs: int) -> Iterator[Cell]:
    """Yield how often the interval of people's agreement with a difference contains the population's share."""
    rows = campaign.metrics[METRIC]
    gaps, agreed = [], []
    for run in range(200):
        places = campaign.draw(40, segments, np.random.default_rng([14, run]))
        first, second = np.triu_indices(40, 1)
        x, y = (scores[places].mean(axis=1) for scores in (rows, campaign.human))
        gaps.append(np.abs(x[first] - x[second]))
        agreed.append(np.sign(x[first] - x[second]) == np.sign(y[first] - y[second]))
    sizes, agrees = np.concatenate(gaps), np.concatenate(agreed)
    for quantile in (0.25, 0.5, 0.75):
        difference = float(np.quantile(sizes, quantile))
        near = np.abs(sizes - difference) < 0.1 * difference
        true = float(agrees[near].mean())
        covered = 0
        for run in range(runs):
            places = campaign.draw(systems, segments, np.random.default_rng([15, run]))
            sources = make_source("m", rows[places]), make_source("h", campaign.human[places])
            (one,) = measure_accuracy_at(*sources, (difference,), Resampling(300, seed=run))
            covered += one.low <= true <= one.high
        yield Cell(
            "95% interval of accuracy at a difference covers the population's share",
            f"{campaign.name}, {METRIC}, difference at quantile {quantile} (people agree with {true:.2f}), "
            f"{systems} systems, {segments} segments",
            ".95",
            covered / runs,
            runs,
        )
