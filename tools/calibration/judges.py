"""Simulations of ORANGE and KING as judges: how often useless metrics are supported, and good ones.

Texts are points: a translation is its segment's meaning plus errors, and people make smaller errors than systems. A
metric sees a text's error, or its distance to a reference, with noise of its own. People write longer texts than
systems, so that length is not a null metric here, either. Chance levels, ranks, QUEEN and statuses are those of
tarocco.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from cells import Cell

from tarocco.meta.orange.chance import append_chance
from tarocco.meta.orange.ranking import rank, rank_references
from tarocco.meta.orange.results import judge_orange, measure_lists, p_of_best
from tarocco.meta.qarla.decisions import HeldOutCases
from tarocco.meta.qarla.king import compute_chance, measure_length_cases
from tarocco.meta.qarla.king_support import KING_MARGIN
from tarocco.meta.qarla.queen import PairSelection, compute_held_out_queens, mean_ignoring_nan
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.meta.references.curves import Curve, Point
from tarocco.meta.references.study import redraw_mean
from tarocco.meta.support.decision import SUPPORTED, Support, SupportRules
from tarocco.meta.support.segments import SegmentValues, judge_by_segments
from tarocco.scoring.resampling import bootstrap

RULES = SupportRules(n_draws=400, most_draws=400, caution=0.0)  # quick; as strict on average
USELESS = ("random", "random, skewed", "constant", "length", "noisy length", "shortness", "inverted")
GOOD = ("good", "nearly as good")
TASTE = "taste for some sources"  # each system and each translator has a random advantage in all segments
Simulation = Callable[[int, np.random.Generator], list[Support]]


def judge_lists(scores: Mapping[str, np.ndarray], n: int, lengths: np.ndarray) -> list[Support]:
    """Judge metrics by scores [lists, candidates and then references] of n candidates; `lengths` has the same shape."""
    rows = np.stack([*scores.values(), lengths, -lengths])
    members = [[m] for m in range(len(rows))]
    observed, by_chance = [], []
    for of_list in np.moveaxis(rows, 1, 0):
        candidates, references = of_list[:, :n], of_list[:, n:]
        counts = rank_references(candidates, references, members, "average-score").counts(np.array([n]))
        counts = append_chance(counts, candidates, references, members, "average-score")
        observed.append(rank(counts[:, 0], "average"))
        by_chance.append(rank(counts[:, 1], "average"))
    ranks, chance = np.array(observed).T, np.array(by_chance).T
    of_length = np.stack([ranks[-2:], chance[-2:]], axis=1)
    sizes = np.full(ranks.shape[1], n + 1.0)
    return judge_orange(measure_lists(list(scores), ranks[:-2], chance[:-2], of_length, sizes), None, RULES)


def simulate_orange(lists: int, longer: float, n: int = 20, references: int = 3) -> Simulation:
    """Return a simulation of n-best lists; people's texts are longer by so many standard deviations."""

    def run(number: int, random: np.random.Generator) -> list[Support]:
        shape = (lists, n + references)
        human = np.arange(n + references) >= n
        error = random.gamma(2.0, 1.0, shape) * np.where(human, 0.6, 1.0)
        length = random.normal(size=shape) + longer * human
        noise = random.normal(size=(6, *shape))
        scores = {
            "good": -error + 0.5 * noise[0],
            "nearly as good": -error + 0.6 * noise[1],
            "poor": -error + 6 * noise[2],
            "random": noise[3],
            "random, skewed": np.exp(noise[4]),
            "constant": np.ones(shape),
            "length": length,
            "noisy length": length + noise[5],
            "shortness": -length,
            "inverted": error,
            TASTE: noise[3] + np.where(human, random.normal(size=n + references), 0.0),
        }
        return judge_lists(scores, n, length)

    return run


def simulate_random_metrics(lists: int, metrics: int, n: int = 20, references: int = 3) -> Simulation:
    """Return a simulation of random metrics alone."""

    def run(number: int, random: np.random.Generator) -> list[Support]:
        shape = (lists, n + references)
        scores = {f"random {m}": random.normal(size=shape) for m in range(metrics)}
        return judge_lists(scores, n, random.normal(size=shape))

    return run


def judge_similarities(near: Mapping[str, np.ndarray], lengths: np.ndarray, systems: int) -> list[Support]:
    """Judge metrics by similarities [segments, systems and then references, references]."""
    segments, _, references = next(iter(near.values())).shape
    names = tuple(near)
    present = np.ones((segments, references), np.bool_)
    given = TextSimilarities(
        names,
        names,
        tuple(f"system {a}" for a in range(systems)),
        tuple(f"reference {r}" for r in range(references)),
        present,
        np.stack(list(near.values())),
    )
    values, chance = [], []
    for queens in compute_held_out_queens(given, [[m] for m in range(len(names))], PairSelection(), 1):
        cases = HeldOutCases.of(queens, present)
        values.append(cases.by_segment[:, 1])
        chance.append(mean_ignoring_nan(compute_chance(queens, cases.counted)[..., 1], 1))
    measured = SegmentValues(names, np.stack(values), np.stack(chance), measure_length_cases(lengths, present))
    return judge_by_segments(measured, judge="KING", coefficient="strict KING", margin=KING_MARGIN, rules=RULES)


def simulate_king(segments: int, longer: float, systems: int = 6, references: int = 3) -> Simulation:
    """Return a simulation of systems and references; people's texts are longer by so many standard deviations."""

    def run(number: int, random: np.random.Generator) -> list[Support]:
        texts = systems + references
        human = np.arange(texts) >= systems
        error = np.where(human, 0.7, random.uniform(0.9, 1.3, texts))
        places = random.normal(size=(segments, texts, 8)) * error[:, None]
        distance = np.linalg.norm(places[:, :, None] - places[:, None, systems:], axis=-1)
        length = random.normal(size=(segments, texts)) + longer * human
        noise = random.normal(size=(5, segments, texts, references))
        ratio = length[:, :, None] - length[:, None, systems:]
        near = {
            "good": -distance + 0.2 * noise[0],
            "nearly as good": -distance + 0.3 * noise[1],
            "poor": -distance + 4 * noise[2],
            "random": noise[3],
            "random, skewed": np.exp(noise[4]),
            "constant": np.ones(noise[0].shape),
            "length": ratio,
            "noisy length": ratio + noise[3],
            "shortness": -ratio,
            "inverted": distance,
            TASTE: noise[3] + random.normal(size=texts)[:, None],
        }
        own = np.arange(references)
        for values in near.values():
            values[:, systems + own, own] = np.nan
        return judge_similarities(near, length, systems)

    return run


def measure_support(judge: str, setting: str, simulation: Simulation, runs: int) -> Iterator[Cell]:
    """Yield how often the worst of the useless metrics and the good ones are supported."""
    supported: dict[str, int] = {}
    for run in range(runs):
        for one in simulation(run, np.random.default_rng([11, run])):
            supported[one.metric] = supported.get(one.metric, 0) + (one.status == SUPPORTED)
    worst = max(USELESS, key=supported.__getitem__)
    claim = f"{judge}: useless metric supported (worst: {worst})"
    yield Cell(claim, setting, "at most .05", supported[worst] / runs, runs)
    claim = f"{judge}: metric with a random taste for some sources supported"
    yield Cell(claim, setting, "(too high)", supported[TASTE] / runs, runs)
    for name in GOOD:
        yield Cell(f"{judge}: {name} metric supported", setting, "power", supported[name] / runs, runs)


def told_apart(lists: int, metrics: int, runs: int) -> Cell:
    """Measure how often any of several equally good metrics is called worse than the best."""
    count = 0
    for run in range(runs):
        random = np.random.default_rng([12, run])
        ratios = random.random((lists, metrics)) * 0.5 + random.random((lists, 1)) * 0.5
        drawn = bootstrap(ratios, 1000, run, 1) / lists
        means = ratios.mean(axis=0)
        best = int(means.argmin())
        counts = np.full(metrics, lists)
        count += bool((p_of_best(drawn, means - means[best], drawn - drawn[:, [best]], counts) <= 0.05).any())
    setting = f"{metrics} metrics, {lists} lists"
    return Cell(
        "ORANGE: any equally good metric called worse than the best", setting, "at most .05", count / runs, runs
    )


def random_metrics_alone(lists: int, metrics: int, runs: int) -> Cell:
    """Measure how often any of many random metrics is supported where no good one is there."""
    simulation = simulate_random_metrics(lists, metrics)
    count = sum(
        any(one.status == SUPPORTED for one in simulation(run, np.random.default_rng([13, run]))) for run in range(runs)
    )
    setting = f"{lists} lists of 20, {metrics} random metrics alone"
    return Cell("ORANGE: any random metric supported", setting, "at most .05", count / runs, runs)


def simulate_curves(segments: int, runs: int) -> Iterator[Cell]:
    """Yield how often a curve over references says more than is true.

    The agreement with the last reference is the same, or 98% of what all give, the margin. Values are means over
    segments, as those of ORANGE and KING.
    """
    wrong = {"degrades": 0, "gains": 0, "saturates": 0}
    for run in range(runs):
        random = np.random.default_rng([14, run])
        shared = random.random(segments)
        for said, means in (
            ("degrades", (0.5, 0.5, 0.49)),
            ("gains", (0.3, 0.49, 0.5)),
            ("saturates", (0.3, 0.49, 0.5)),
        ):
            values = [mean + 0.3 * (shared - 0.5) + 0.3 * (random.random(segments) - 0.5) for mean in means]
            points = tuple(
                Point(k, ("all",), np.array([row.mean()]), {}, redraw_mean(row, run)) for k, row in enumerate(values, 1)
            )
            wrong[said] += Curve("M", "M", points).verdict.kind == said
    for said, count in wrong.items():
        setting = f"3 numbers of references, {segments} segments, true difference at the margin"
        yield Cell(f'references: "{said}" though it does not', setting, "at most .05", count / runs, runs)


def of_judges(runs: int) -> Iterator[Cell]:
    """Yield the cells of ORANGE and KING."""
    for lists in (20, 60, 200):
        for longer in (0.0, 0.5):
            setting = f"{lists} lists of 20, 3 references, 10 metrics, people's texts longer by {longer:g} sd"
            yield from measure_support("ORANGE", setting, simulate_orange(lists, longer), runs)
    for segments in (20, 60, 300):
        for longer in (0.0, 0.5):
            setting = (
                f"{segments} segments, 6 systems, 3 references, 10 metrics, people's texts longer by {longer:g} sd"
            )
            yield from measure_support("KING", setting, simulate_king(segments, longer), runs)
    for lists, metrics in ((20, 3), (20, 30), (60, 30)):
        yield random_metrics_alone(lists, metrics, runs)
    for lists in (20, 60, 300):
        for metrics in (2, 6, 30):
            yield told_apart(lists, metrics, runs)
    for segments in (30, 100, 1000):
        yield from simulate_curves(segments, runs)
