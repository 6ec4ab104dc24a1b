"""Metrics correlated with people: `tarocco correlate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import Interval
from tarocco.core.test_set import Candidates, HumanScores, References, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.meta.correlation import score_sources
from tarocco.meta.correlation.agreement import MIN_POINTS, calibrated_ties, pairwise_accuracy, soft_pairwise_accuracy
from tarocco.meta.correlation.levels import Coefficient, CorrelationLevel, make_level
from tarocco.meta.correlation.metric_tests import MetricComparison, MetricTestInput, compare_metrics, count_comparisons
from tarocco.meta.correlation.results import (
    SOFT_PERMUTATIONS,
    Accuracies,
    CorrelateResult,
    Correlation,
    Question,
    make_question,
)
from tarocco.meta.correlation.score_sources import (
    MIN_SYSTEMS,
    HumanInput,
    ScoreSource,
    describe_coverage,
    describe_judged_systems,
    find_outliers,
    make_human_scores,
    make_human_source,
    make_metric_source,
)
from tarocco.meta.significance.paired_tests import required_draws
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import ExternalSource, external_metrics
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import percentiles
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

SHOWN = ("pearson", "spearman", "kendall")  # beside the coefficient that was asked for


def correlate(
    systems: Candidates,
    references: References,
    human: HumanInput,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    level: str = "system",
    grouping: str | None = None,
    coefficient: str | None = None,
    system_scores: str = "corpus",
    drop_outliers: bool = False,
    test: str | None = None,
    alpha: float = 0.05,
    n_permutations: int | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    n_documents: int = 1000,
    document_size: int = 30,
    tokenize: str = "13a",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> CorrelateResult:
    """How well do metrics agree with people?

    Parameters
    ----------
    systems
        A mapping from system names to their segments.
    references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.score`.
    human
        A file (perhaps with :COLUMN behind it), what `tarocco.read_human` returned, or a mapping from systems to a
        number, or to a list with a number a segment, None where nobody judged.
    level, grouping
        "system", "segment" or "document" (pseudo-documents: `n_documents` sets of `document_size` segments). Below
        system level, points are in one list ("none"), or correlated item by item ("item") or system by system
        ("system") and averaged.
    coefficient
        pearson (the default at system level), spearman, kendall (tau-b, the default below), kendall-a or kendall-c: by
        which metrics are ranked and tested, and which has an interval.
    system_scores
        "corpus": a system's score is the metric's score of the whole; "mean": the mean of its segments' scores.
    drop_outliers
        Leave out systems that are far from the others (Mathur et al. 2020); they are named in any case.
    test, alpha, n_permutations
        Whether a metric's lead over another is luck: "perm" (PERM-BOTH or PERM-SYS, at system level), "williams" or
        "bootstrap". Leads with a smaller p-value than alpha, after Holm's correction, begin a new cluster. There are
        1000 permutations by default, or as many as it takes for a lead to be significant after the correction.
    confidence, n_resamples, seed
        Of bootstrap intervals over segments.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> grades = {system: [adequacy for adequacy, _ in own] for system, own in demo.grades.items()}
    >>> result = tarocco.correlate(demo.systems, demo.references, grades, metrics=["BLEU-4", "chrF"])
    >>> [one.metric for one in result][:2]
    ['chrF', 'BLEU-4']
    """
    if not isinstance(systems, Mapping):
        raise InputError("systems is a mapping from names to segments: there are at least four to correlate")
    asked = [metrics] if isinstance(metrics, str | Metric) else metrics
    chosen = find_metrics(asked)
    if not chosen and not external:
        raise InputError("no metric was asked for")
    test_set = make_test_set(systems, references)
    chosen += external_metrics(external or {}, test_set, chosen)
    people = make_human_scores(human, list(test_set.systems), len(test_set))
    question = make_question(
        level=level,
        grouping=grouping,
        coefficient=coefficient,
        system_scores=system_scores,
        drop_outliers=drop_outliers,
        test=test,
        alpha=alpha,
        n_permutations=n_permutations,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        documents=(n_documents, document_size),
    )
    scores = score_test_set(
        test_set,
        [*chosen, score_sources.LengthRatio()],
        Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)),
        jobs=jobs,
        store=store,
        executor=executor,
    )
    return correlate_scores(scores, people, question, jobs, executor=executor)


def correlate_scores(
    scores: Result,
    human: HumanScores,
    question: Question,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> CorrelateResult:
    """Correlate every metric of a result with every criterion; `advance` is told how many more resamples
    are done, of n_resamples for each criterion."""
    if question.level != "system" and human.level == "system":
        raise InputError(f"people judged whole systems alone: there is no correlation at {question.level} level")
    if question.grouping == "item" and len(human.systems) < MIN_POINTS:
        raise InputError(
            f"there {_are(len(human.systems))} within each item, and a correlation wants at least {MIN_POINTS}: "
            'grouping "none" takes all items together'
        )
    sides, signatures = metric_sides(scores, human, question)
    needed = required_draws(count_comparisons(len(signatures) - len(score_sources.NAMES), 2), question.alpha)
    if not question.n_permutations:
        question = replace(question, n_permutations=max(1000, needed))
    view = make_level(question.level, question.grouping, _segments(scores), *question.documents, question.seed)
    found: list[Correlation] = []
    pairs: list[MetricComparison] = []
    far: dict[str, tuple[str, ...]] = {}
    how: dict[str, str] = {}
    names = list(dict.fromkeys(score.system for score in scores.scores))
    notes = [
        *describe_judged_systems(human, names),
        *describe_coverage(human),
        *_left_out(scores, signatures, question),
    ]
    for criterion in human.criteria:
        people = make_human_source(human, criterion)
        own, dropped = list(sides), []
        if question.level == "system":
            flagged = find_outliers(people.systems)
            far[criterion] = tuple(name for name, out in zip(human.systems, flagged, strict=True) if out)
            dropped = list(far[criterion]) if question.outliers == "dropped" else []
            there = ~np.isnan(people.systems) & ~np.isin(human.systems, dropped)
            places = np.flatnonzero(there).tolist()
            if len(places) < MIN_SYSTEMS:
                notes.append(_too_few(len(places), criterion, human, question))
                continue
            people, own = people.chosen(places), [side.chosen(places) for side in own]
            notes += _gaps(own, len(places))
        judged, led = _judged(own, people, view, question, jobs, advance, executor)
        told = question.signature((one.test for one in led), dropped)
        origin = "|".join(f"{key}:{value}" for key, value in human.origin)
        how[criterion] = f"human:{criterion}|{origin}|{told}"
        signed = (replace(one, scored=signatures[one.metric], judged=how[criterion]) for one in judged)
        found += sorted(signed, key=lambda one: _place(one, question.coefficient))
        pairs += led
    if not found:
        raise InputError(notes[-1])
    drawn = {"perm": question.n_permutations, "bootstrap": question.n_resamples}.get(question.test, needed)
    if drawn < needed:
        notes.append(
            f"{question.test} draws {drawn} times, too few for any lead to be significant among so many pairs of "
            f"metrics: at least {needed} are wanted"
        )
    return CorrelateResult(tuple(found), tuple(pairs), question, how, human.level, far, tuple(dict.fromkeys(notes)))


def _left_out(scores: Result, signatures: Mapping[str, str], question: Question) -> list[str]:
    left_out = dict.fromkeys(str(score.metric) for score in scores.scores if str(score.metric) not in signatures)
    return [f"{name} has scores for whole systems alone: left out at {question.level} level" for name in left_out]


def _gaps(sides: Sequence[ScoreSource], systems: int) -> list[str]:
    """Metrics that lack whole systems: they are compared with others on the systems that both have."""
    known = {side.name: int((~np.isnan(side.systems)).sum()) for side in sides}
    return [f"{name} has scores of {count} of {systems} systems" for name, count in known.items() if count < systems]


def _too_few(count: int, criterion: str, human: HumanScores, question: Question) -> str:
    without = " without outliers" if question.outliers == "dropped" else ""
    hint = "; scores of segments can be correlated at segment level" if human.level == "segment" else ""
    return (
        f"{criterion}: a correlation of systems wants at least {MIN_SYSTEMS} that people judged{without}, "
        f"and there {_are(count)}{hint}"
    )


def _are(count: int) -> str:
    return "is 1 system" if count == 1 else f"are {count} systems"


def metric_sides(scores: Result, human: HumanScores, question: Question) -> tuple[list[ScoreSource], dict[str, str]]:
    """What the metrics and the score_sources say of the systems that people judged, and their signatures by name."""
    sides, signatures = [], {}
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        by_system = {score.system: score for score in scores.scores if score.metric == metric}
        side = make_metric_source([by_system[system] for system in human.systems])
        if question.level != "system" and side.statistics is None:
            continue
        if side.name in score_sources.NAMES and not isinstance(metric, score_sources.LengthRatio):
            raise BadParameter(f"every table has a row called {side.name}: give these scores another name")
        sides.append(side.averaged() if question.system_scores == "mean" else side)
        signatures[side.name] = next(iter(by_system.values())).signature
    segments = _segments(scores)
    for side in score_sources.without_text(len(human.systems), segments, question.seed):
        sides.append(side)
        signatures[side.name] = side.name
    return sides, signatures


def _segments(scores: Result) -> int:
    return len(scores.scores[0].statistics)


def _judged(
    sides: Sequence[ScoreSource],
    people: ScoreSource,
    view: CorrelationLevel,
    question: Question,
    jobs: int | None,
    advance: Callable[[int], None] | None,
    executor: Executor | None,
) -> tuple[list[Correlation], Sequence[MetricComparison]]:
    """All metrics by one criterion, and their compare_metrics over each other."""
    coefficients = tuple(dict.fromkeys((*SHOWN, question.coefficient)))
    human_items = view.items(people)
    drawing = question.n_resamples, question.seed, jobs, advance, executor
    resampled = view.resampled(question.coefficient, sides, people, *drawing)
    found = []
    for place, (side, drawn) in enumerate(zip(sides, resampled, strict=True)):
        agree = partial(_agreement, view, side, human_items)
        low, high = percentiles(drawn, (1 - question.confidence) / 2)
        found.append(
            Correlation(
                side.name,
                people.name,
                {name: agree(name) for name in coefficients},
                Interval(low, high, question.confidence, question.n_resamples, question.seed),
                _accuracies(side, people, view, question),
                cluster=0,
                sentinel=side.name in score_sources.NAMES,
                place=place,
                scored="",
                judged="",
            )
        )
    agreements = np.array([one.coefficients[question.coefficient].value for one in found])
    flags = np.array([one.sentinel for one in found])
    rivals = MetricTestInput(sides, people, view, question.coefficient, agreements, flags, resampled)
    led = compare_metrics(rivals, question.test, question.alpha, question.n_permutations, question.seed, jobs, executor)
    return [replace(one, cluster=int(c)) for one, c in zip(found, led.clusters, strict=True)], led.pairs


def _agreement(view: CorrelationLevel, side: ScoreSource, people: Floats, coefficient: str) -> Coefficient:
    known = int((~np.isnan(side.systems)).sum())
    if view.level == "system" and known < MIN_SYSTEMS:
        return Coefficient(np.nan, 0, 1, f"scores of {known} systems; a correlation wants at least {MIN_SYSTEMS}")
    return view.agreement(coefficient, view.items(side), people)


def _accuracies(side: ScoreSource, people: ScoreSource, view: CorrelationLevel, question: Question) -> Accuracies:
    """Of pairs of systems, or at segment level of pairs of outputs."""
    if view.level == "segment":
        return Accuracies(ties=calibrated_ties(side.segments, people.segments))
    if view.level == "document":
        return Accuracies()
    soft = None
    if side.statistics is not None and people.statistics is not None:
        soft = soft_pairwise_accuracy(side.segments, people.segments, SOFT_PERMUTATIONS, question.seed)
    return Accuracies(pairwise_accuracy(side.systems, people.systems), soft)


def _place(one: Correlation, coefficient: str) -> tuple[bool, float]:
    """From the best down; what has no correlation comes last."""
    value = one.coefficients[coefficient].value
    return bool(np.isnan(value)), -value
