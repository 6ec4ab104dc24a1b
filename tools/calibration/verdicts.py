"""Simulations of the verdict by people: how often useless metrics are supported, and how often good ones are.

The population is the WMT23 metrics task: segment scores of all metrics and of people (MQM). A simulated system is a
mixture of two submissions, drawn segment by segment, so that systems differ by real amounts. Each run draws systems,
segments and metrics, adds six useless metrics, and asks for the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from cells import Cell

from tarocco.meta.correlation.score_sources import ScoreSource, make_source
from tarocco.meta.support.decision import SUCH, SUPPORTED, THESE, SupportRules
from tarocco.meta.support.people import PairAgreement, Sources, judge_by_people

NULLS = ("random", "random per system", "shuffled", "inverted", "noisy length", "log length")
LEVELS = {"system": "system", "segment": "segment", "system scores": "system"}  # what people judged, and the level
RULES = SupportRules(n_draws=400, most_draws=400, n_permutations=1000, caution=0.0)  # quick; as strict on average


@dataclass(frozen=True, eq=False)
class Campaign:
    """Scores of a metrics task: [submissions, segments] of people, of each metric, and of output length."""

    name: str
    human: np.ndarray
    metrics: dict[str, np.ndarray]
    length: np.ndarray

    @classmethod
    def read(cls, folder: Path, pair: str, reference: str) -> Campaign:
        """Read a language pair in the layout of mt-metrics-eval; references among the systems are left out."""
        human = _read(folder / f"human-scores/{pair}.mqm.seg.score")
        systems = [s for s, v in human.items() if not np.isnan(v).all() and not s.startswith(("ref", "synthetic"))]
        judged = ~np.isnan(np.stack([human[s] for s in systems])).any(axis=0)
        metrics = {}
        for path in sorted((folder / f"metric-scores/{pair}").glob("*.seg.score")):
            name, against = path.name.removesuffix(".seg.score").rsplit("-", 1)
            scores = _read(path) if against in (reference, "src") and name != "Random-sysname" else {}
            if all(system in scores for system in systems):
                metrics[name] = np.stack([scores[system] for system in systems])[:, judged]
        lengths = [
            [len(line.split()) for line in (folder / f"system-outputs/{pair}/{s}.txt").open(encoding="utf-8")]
            for s in systems
        ]
        rows = np.stack([human[s] for s in systems])[:, judged]
        return cls(pair, rows, metrics, np.array(lengths, float)[:, judged])

    def draw(self, systems: int, segments: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return which submission each simulated system takes in each segment, and which segments are drawn."""
        count, of = self.human.shape
        first, second = random.integers(0, count, (2, systems, 1))
        mixed = random.random((systems, segments)) < random.random((systems, 1))
        return np.where(mixed, first, second), random.integers(0, of, segments)

    @cached_property
    def truth(self) -> dict[tuple[str, str], float]:
        """The agreement of each metric with people by each kind of judgment, in a large sample."""
        places = self.draw(60, 1000, np.random.default_rng(0))
        return {
            (judged, name): float(
                PairAgreement([make_source(name, rows[places])], judge(self.human[places], judged), level).observed()[0]
            )
            for judged, level in LEVELS.items()
            for name, rows in self.metrics.items()
        }


def judge(human: np.ndarray, judged: str) -> ScoreSource:
    """Return human scores of segments, or of whole systems alone."""
    if judged == "system scores":
        return ScoreSource("human", human.mean(axis=1), None, lambda sums: sums)
    return make_source("human", human)


def _read(path: Path) -> dict[str, np.ndarray]:
    scores: dict[str, list[float]] = {}
    for line in path.open(encoding="utf-8"):
        system, score = line.rstrip("\n").split("\t")
        scores.setdefault(system, []).append(np.nan if score == "None" else float(score))
    return {system: np.array(values) for system, values in scores.items()}


def useless_metrics(best: np.ndarray, length: np.ndarray, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Return metrics that should not be trusted."""
    systems, segments = best.shape
    noise = random.normal(size=(systems, segments))
    return {
        "random": random.normal(size=(systems, segments)),
        "random per system": random.normal(size=(systems, 1)) + 0.3 * noise,
        "shuffled": best[random.permutation(systems)],
        "inverted": -best,
        "noisy length": length + 3 * random.normal(size=(systems, 1)) + noise,
        "log length": np.log1p(length),
    }


def simulate_verdicts(
    campaign: Campaign,
    systems: int,
    segments: int,
    n_metrics: int,
    judged: str,
    runs: int,
    nulls: tuple[str, ...] = NULLS,
    outlier: bool = False,
) -> Iterator[Cell]:
    """Yield how often useless and good metrics are supported, for both populations that the scores allow.

    With an outlier, every score of one system is lower by three standard deviations, for people and for good metrics.
    """
    truth = {name: campaign.truth[judged, name] for name in campaign.metrics}
    level = LEVELS[judged]
    margin, floor = RULES.margin(level), RULES.floor(level)
    populations = (SUCH,) if judged == "system scores" else (SUCH, THESE)
    trusted = {(population, name): 0 for population in populations for name in nulls}
    good = {population: [0, 0] for population in populations}
    for run in range(runs):
        random = np.random.default_rng([7, run])
        places = campaign.draw(systems, segments, random)
        chosen = random.choice(list(truth), min(n_metrics, len(truth)), replace=False).tolist()
        best = max(truth[name] for name in chosen)
        rows = {name: shift_last(campaign.metrics[name][places], outlier) for name in chosen}
        length = campaign.length[places]
        useless = useless_metrics(rows[max(chosen, key=truth.__getitem__)], length, random)
        rows |= {name: useless[name] for name in nulls}
        sources: list[ScoreSource] = [make_source(name, scores) for name, scores in rows.items()]
        people = judge(shift_last(campaign.human[places], outlier), judged)
        for result in judge_by_people(
            Sources(sources, people, make_source("length", length)), level=level, rules=RULES
        ):
            if result.metric in nulls:
                trusted[result.population, result.metric] += result.status == SUPPORTED
            elif best - truth[result.metric] <= margin / 2 and truth[result.metric] >= floor + 0.03:
                good[result.population][0] += result.status == SUPPORTED
                good[result.population][1] += 1
    shown = f"{campaign.name}, {'accuracy' if judged == 'system scores' else f'{level} level'}"
    setting = f"{shown}, {systems} systems, {segments} segments, {n_metrics + len(nulls)} metrics"
    setting += ", one outlier" if outlier else ""
    for population in populations:
        worst = max(nulls, key=lambda name: trusted[population, name])
        yield Cell(
            f"useless metric supported among {population} (worst: {worst})",
            setting,
            "at most .05",
            trusted[population, worst] / runs,
            runs,
        )
        supported, counted = good[population]
        yield Cell(f"good metric supported among {population}", setting, "power", supported / max(1, counted), counted)


def shift_last(rows: np.ndarray, outlier: bool) -> np.ndarray:
    """Return the scores with the last system three standard deviations lower, or as they are."""
    return np.concatenate([rows[:-1], rows[-1:] - 3 * rows.std()]) if outlier else rows


def noisier_copies(campaign: Campaign, systems: int, segments: int, runs: int) -> Iterator[Cell]:
    """Yield how often people's own scores with more and more noise are supported (laws 2 and 3).

    The noise has one part per segment and one per system, in standard deviations of the scores.
    """
    noises = (0.0, 0.5, 1.0, 2.0)
    supported = {(population, noise): 0 for population in (SUCH, THESE) for noise in noises}
    for run in range(runs):
        random = np.random.default_rng([10, run])
        places = campaign.draw(systems, segments, random)
        human, length = campaign.human[places], campaign.length[places]
        spread, between = human.std(), human.mean(axis=1).std()
        drawn = [spread * random.normal(size=human.shape) + between * random.normal(size=(systems, 1)) for _ in noises]
        sources = [make_source(f"{noise}", human + noise * extra) for noise, extra in zip(noises, drawn, strict=True)]
        for result in judge_by_people(
            Sources(sources, make_source("human", human), make_source("length", length)), rules=RULES
        ):
            supported[result.population, float(result.metric)] += result.status == SUPPORTED
    setting = f"{campaign.name}, {systems} systems, {segments} segments, 4 metrics"
    for population in (SUCH, THESE):
        for noise in noises:
            what = "people's scores with noise of" if noise else "a perfect metric: noise of"
            share = supported[population, noise] / runs
            yield Cell(f"{what} {noise:g} supported among {population}", setting, "falls with noise", share, runs)


def null_metrics_only(campaign: Campaign, systems: int, n_metrics: int, runs: int) -> Iterator[Cell]:
    """Yield how often any of many useless metrics is supported where no good one is there."""
    any_supported = {SUCH: 0, THESE: 0}
    for run in range(runs):
        random = np.random.default_rng([8, run])
        places = campaign.draw(systems, 200, random)
        length, human = campaign.length[places], campaign.human[places]
        rows: dict[str, np.ndarray] = {}
        while len(rows) < n_metrics:
            batch = useless_metrics(human, length, random)
            rows |= {f"{name} {len(rows)}": scores for name, scores in batch.items()}
        sources = [make_source(name, scores) for name, scores in list(rows.items())[:n_metrics]]
        results = judge_by_people(
            Sources(sources, make_source("human", human), make_source("length", length)), rules=RULES
        )
        for population in any_supported:
            any_supported[population] += any(one.status == SUPPORTED for one in results if one.population == population)
    for population, count in any_supported.items():
        setting = f"{campaign.name}, {systems} systems, 200 segments, {n_metrics} useless metrics alone"
        yield Cell(f"any useless metric supported among {population}", setting, "at most .05", count / runs, runs)


def seed_stability(campaign: Campaign, runs: int, seeds: int = 5) -> Iterator[Cell]:
    """Yield how often all seeds give all metrics the same status, with the number of draws that users have."""
    same = 0
    for run in range(runs):
        random = np.random.default_rng([9, run])
        places = campaign.draw(14, 300, random)
        chosen = random.choice(list(campaign.metrics), 8, replace=False).tolist()
        sources = [make_source(name, campaign.metrics[name][places]) for name in chosen]
        human, length = (
            make_source(name, rows[places]) for name, rows in (("h", campaign.human), ("l", campaign.length))
        )
        supported = {
            tuple(
                (one.metric, one.population)
                for one in judge_by_people(Sources(sources, human, length), rules=SupportRules(seed=seed))
                if one.status == SUPPORTED
            )
            for seed in range(seeds)
        }
        same += len(supported) == 1
    setting = f"{campaign.name}, 14 systems, 300 segments, 8 metrics, {seeds} seeds"
    yield Cell("the same metrics are supported with every seed", setting, "at least .95", same / runs, runs)
