"""The trial on trial: verdicts from one half of the data against human agreement in the other half.

Systems and segments are split at random. The first half gives each metric a status; the second half says how well the
metric agrees with people there, and whether it is within the margin of the best metric and above the floor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from cells import Cell
from verdicts import RULES, Campaign

import tarocco
from tarocco.meta.correlation.score_sources import LengthRatio, make_human_source, make_metric_source, make_source
from tarocco.meta.support.decision import OPEN, REFUTED, SUCH, SUPPORTED, THESE
from tarocco.meta.support.people import PairAgreement, Sources, judge_by_people
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.score import score_test_set
from tarocco.trials.inputs import METRICS, material_of_texts

MOST_METRICS = 12  # of one run
EXPECTED = {SUPPORTED: "high", OPEN: "", REFUTED: "low"}


def sources_of_campaign(campaign: Campaign) -> Sources:
    """Return the scores of a metrics task."""
    metrics = [make_source(name, rows) for name, rows in campaign.metrics.items()]
    return Sources(metrics, make_source("human", campaign.human), make_source("length", campaign.length))


def sources_of_texts(folder: Path, human: str) -> Sources:
    """Return the scores of the default metrics on a test set, and those of people in a file."""
    systems = {path.stem: path.read_text("utf-8").split("\n")[:-1] for path in sorted((folder / "sys").glob("*.txt"))}
    columns = [path.read_text("utf-8").split("\n")[:-1] for path in sorted((folder / "ref").glob("*.txt"))]
    references = [[text for text in row if text] for row in zip(*columns, strict=True)]
    material = material_of_texts(systems, references, "halves", None, {"human": str(folder / "human" / human)})
    scores = score_test_set(material.test_set, [*find_metrics(METRICS), LengthRatio()], material.encoding)
    people = material.human
    assert people is not None
    by_metric: dict[str, dict[str, tarocco.Score]] = {}
    for score in scores.scores:
        by_metric.setdefault(str(score.metric), {})[score.system] = score
    made = [make_metric_source([rows[system] for system in people.systems]) for rows in by_metric.values()]
    return Sources(made[:-1], make_human_source(people, next(iter(people.criteria))), made[-1])


def compare_halves(name: str, sources: Sources, level: str, runs: int, split_systems: bool = True) -> Iterator[Cell]:
    """Yield how often each status holds in the other half: by the margin, and by the floor.

    Each run takes at most twelve metrics. Without `split_systems`, both halves have all systems.
    """
    margin, floor = RULES.margin(level), RULES.floor(level)
    n_systems, n_segments = len(sources.people.systems), sources.n_segments
    held: dict[str, list[bool]] = {status: [] for status in (SUPPORTED, OPEN, REFUTED)}
    for run in range(runs):
        random = np.random.default_rng([11, run])
        systems, segments = random.permutation(n_systems), random.permutation(n_segments)
        chosen = random.permutation(len(sources.metrics))[:MOST_METRICS]
        some = replace(sources, metrics=[sources.metrics[k] for k in chosen])
        halves = [
            some.redraw(systems[k::2] if split_systems else systems, segments[k::2] if n_segments > 1 else segments)
            for k in (0, 1)
        ]
        results = judge_by_people(halves[0], level=level, rules=RULES)
        populations = {one.population for one in results}
        population = SUCH if split_systems or THESE not in populations else THESE
        other = PairAgreement(halves[1].metrics, halves[1].people, level, None, RULES).observed()
        values = dict(zip((source.name for source in some.metrics), other.tolist(), strict=True))
        best = max(value for value in values.values() if value == value)
        for one in results:
            if one.population == population:
                held[one.status].append(values[one.metric] >= max(floor, best - margin))
    split = f"halves of {n_systems} systems" if split_systems else f"{n_systems} systems, halves"
    setting = f"{name}, {level} level, {split}{' and' if split_systems else ''} of {n_segments} segments"
    for status, shares in held.items():
        if shares:
            held_there = f"within {margin:.2f} of the best and above {floor:.2f} in the other"
            claim = f"{status} for {population} in one half: {held_there}"
            yield Cell(
                claim,
                setting,
                {SUPPORTED: "high", OPEN: "", REFUTED: "low"}[status],
                float(np.mean(shares)),
                len(shares),
            )
