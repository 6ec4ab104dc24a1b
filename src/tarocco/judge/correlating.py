"""Metrics correlated with people: `tarocco correlate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tarocco.arguments import Candidates, References, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.errors import BadParameter, InputError
from tarocco.judge import sentinels
from tarocco.judge.agreed import Accuracies, CorrelateResult, Correlation, Question
from tarocco.judge.correlation import COEFFICIENTS
from tarocco.judge.groupings import View, view_of
from tarocco.judge.leads import Lead, Rivals, check_test, draws_needed, leads
from tarocco.judge.outliers import outliers
from tarocco.judge.pairs_of_systems import calibrated_ties, pairwise_accuracy, soft_pairwise_accuracy
from tarocco.judge.people import FEWEST_SYSTEMS, Human, human_scores, what_was_judged, who_was_judged
from tarocco.judge.sides import Side, of_people, of_scores
from tarocco.metrics.base import Metric
from tarocco.metrics.external import Given, external_metrics
from tarocco.model import HumanScores
from tarocco.registry import metrics as find_metrics
from tarocco.resample import check_resampling, percentiles
from tarocco.results import Interval, Result
from tarocco.scoring import SEED, score_test_set

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

SHOWN = ("pearson", "spearman", "kendall")  # beside the coefficient that was asked for
SYSTEM_SCORES = ("corpus", "mean")
SOFT_PERMUTATIONS = 1000  # of soft pairwise accuracy, as in Thompson et al. 2024


def correlate(
    systems: Candidates,
    references: References,
    human: Human,
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
    external: Mapping[str, Given] | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> CorrelateResult:
    """How well do metrics agree with people?

    Parameters
    ----------
    systems
        A mapping from system names to their segments.
    references, metrics, tokenize, lowercase, external, jobs, store, executor
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
    test_set = make_test_set(systems, references)
    chosen += external_metrics(external or {}, test_set, chosen)
    people = human_scores(human, list(test_set.systems), len(test_set))
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
        [*chosen, sentinels.LengthRatio()],
        Encoding(tokenize, lowercase),
        jobs=jobs,
        store=store,
        executor=executor,
    )
    return correlate_scores(scores, people, question, jobs)


def make_question(
    *,
    level: str,
    grouping: str | None,
    coefficient: str | None,
    system_scores: str,
    drop_outliers: bool,
    test: str | None,
    alpha: float,
    n_permutations: int | None,
    confidence: float,
    n_resamples: int,
    seed: int,
    documents: tuple[int, int],
) -> Question:
    """What was asked, checked before anything is computed, with what follows where it was left open."""
    view = View(level, grouping or "none")
    chosen = coefficient or ("pearson" if level == "system" else "kendall")
    if chosen not in COEFFICIENTS:
        raise BadParameter(f"a correlation is one of {', '.join(COEFFICIENTS)}, not {chosen!r}")
    if system_scores not in SYSTEM_SCORES:
        raise BadParameter(f"system_scores is one of {', '.join(SYSTEM_SCORES)}, not {system_scores!r}")
    if drop_outliers and level != "system":
        raise BadParameter("outliers are systems, and are dropped at system level alone")
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise BadParameter(f"alpha is a number between 0 and 1, not {alpha!r}")
    counts = {"n_permutations": n_permutations, "n_documents": documents[0], "document_size": documents[1]}
    for name, number in counts.items():
        if number is not None and not (isinstance(number, Integral) and number >= 1):
            raise BadParameter(f"{name} is an integer of at least 1, not {number!r}")
    check_resampling(confidence, n_resamples, seed)
    tested = check_test(test, view)
    if tested == "williams" and chosen != "pearson":
        raise BadParameter(f"Williams' test is for Pearson's correlation, not for {chosen}")
    return Question(
        level=level,
        grouping=view.grouping,
        coefficient=chosen,
        system_scores=system_scores,
        outliers="dropped" if drop_outliers else "kept",
        test=tested,
        alpha=float(alpha),
        n_permutations=0 if n_permutations is None else int(n_permutations),
        confidence=float(confidence),
        n_resamples=int(n_resamples),
        seed=int(seed),
        documents=(int(documents[0]), int(documents[1])),
    )


def correlate_scores(
    scores: Result,
    human: HumanScores,
    question: Question,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> CorrelateResult:
    """Correlate every metric of a result with every criterion; `advance` is told how many more resamples
    are done, of n_resamples for each criterion."""
    if question.level != "system" and human.level == "system":
        raise InputError(f"people judged whole systems alone: there is no correlation at {question.level} level")
    sides, signatures = metric_sides(scores, human, question)
    needed = draws_needed(len(sides) - 1, question.alpha)  # a constant leads nobody
    if not question.n_permutations:
        question = replace(question, n_permutations=max(1000, needed))
    view = view_of(question.level, question.grouping, _segments(scores), *question.documents, question.seed)
    how = "|".join([*(f"{key}:{value}" for key, value in human.origin), question.signature])
    found: list[Correlation] = []
    pairs: list[Lead] = []
    far: dict[str, tuple[str, ...]] = {}
    for criterion in human.criteria:
        people = of_people(human, criterion)
        own = list(sides)
        if question.level == "system":
            flagged = outliers(people.systems)
            far[criterion] = tuple(name for name, out in zip(human.systems, flagged, strict=True) if out)
            there = ~np.isnan(people.systems) & ~(flagged if question.outliers == "dropped" else False)
            _check_systems(int(there.sum()), criterion, question)
            places = np.flatnonzero(there).tolist()
            people, own = people.chosen(places), [side.chosen(places) for side in own]
        judged, led = _judged(own, people, view, question, jobs, advance)
        signed = (replace(one, scored=signatures[one.metric], judged=f"human:{criterion}|{how}") for one in judged)
        found += sorted(signed, key=lambda one: _place(one, question.coefficient))
        pairs += led
    names = list(dict.fromkeys(score.system for score in scores.scores))
    notes = [*who_was_judged(human, names), *what_was_judged(human)]
    left_out = dict.fromkeys(str(score.metric) for score in scores.scores if str(score.metric) not in signatures)
    notes += [f"{name} has scores for whole systems alone: left out at {question.level} level" for name in left_out]
    drawn = {"perm": question.n_permutations, "bootstrap": question.n_resamples}.get(question.test, needed)
    if drawn < needed:
        notes.append(
            f"{question.test} draws {drawn} times, too few for any lead to be significant among so many pairs of "
            f"metrics: at least {needed} are wanted"
        )
    return CorrelateResult(tuple(found), tuple(pairs), question, how, far, tuple(notes))


def metric_sides(scores: Result, human: HumanScores, question: Question) -> tuple[list[Side], dict[str, str]]:
    """What the metrics and the sentinels say of the systems that people judged, and their signatures by name."""
    sides, signatures = [], {}
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        by_system = {score.system: score for score in scores.scores if score.metric == metric}
        side = of_scores([by_system[system] for system in human.systems])
        if question.level != "system" and side.statistics is None:
            continue
        sides.append(side.averaged() if question.system_scores == "mean" else side)
        signatures[side.name] = next(iter(by_system.values())).signature
    segments = _segments(scores)
    for side in sentinels.without_text(len(human.systems), segments, question.seed):
        sides.append(side)
        signatures[side.name] = side.name
    return sides, signatures


def _segments(scores: Result) -> int:
    return len(scores.scores[0].statistics)


def _check_systems(count: int, criterion: str, question: Question) -> None:
    if count < FEWEST_SYSTEMS:
        without = " without outliers" if question.outliers == "dropped" else ""
        raise InputError(
            f"{criterion}: a correlation of systems wants at least {FEWEST_SYSTEMS} that people judged{without}, "
            f"and there are {count}; scores of segments can be correlated at segment level"
        )


def _judged(
    sides: Sequence[Side],
    people: Side,
    view: View,
    question: Question,
    jobs: int | None,
    advance: Callable[[int], None] | None,
) -> tuple[list[Correlation], Sequence[Lead]]:
    """All metrics by one criterion, and their leads over each other."""
    coefficients = tuple(dict.fromkeys((*SHOWN, question.coefficient)))
    human_items = view.items(people)
    resampled = view.resampled(question.coefficient, sides, people, question.n_resamples, question.seed, jobs, advance)
    found = []
    for side, drawn in zip(sides, resampled, strict=True):
        agree = partial(view.agreement, metric=view.items(side), people=human_items)
        low, high = percentiles(drawn, (1 - question.confidence) / 2)
        found.append(
            Correlation(
                side.name,
                people.name,
                {name: agree(name) for name in coefficients},
                Interval(low, high, question.confidence, question.n_resamples, question.seed),
                _accuracies(side, people, view, question),
                cluster=0,
                sentinel=side.name in sentinels.NAMES,
                scored="",
                judged="",
            )
        )
    agreements = np.array([one.coefficients[question.coefficient].value for one in found])
    rivals = Rivals(sides, people, view, question.coefficient, agreements, resampled)
    led = leads(rivals, question.test, question.alpha, question.n_permutations, question.seed, jobs)
    return [replace(one, cluster=int(c)) for one, c in zip(found, led.clusters, strict=True)], led.pairs


def _accuracies(side: Side, people: Side, view: View, question: Question) -> Accuracies:
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
