"""Correlation of metrics with human scores: `tarocco correlate`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import Interval
from tarocco.core.test_set import Candidates, HumanScores, References, make_test_set
from tarocco.meta.correlation.accuracy_at_difference import AccuracyAtDifference, measure_accuracy_at
from tarocco.meta.correlation.agreement import (
    MIN_GROUP,
    calibrated_ties,
    pairwise_accuracy,
    pearson,
    soft_pairwise_accuracy,
)
from tarocco.meta.correlation.levels import Coefficient, CorrelationLevel, make_level
from tarocco.meta.correlation.metric_tests import (
    MetricComparison,
    MetricTestInput,
    compare_metrics,
    count_comparisons,
)
from tarocco.meta.correlation.pairwise import PAIRWISE, SOFT, SOFT_PERMUTATIONS, measure_pairwise, resample_pairwise
from tarocco.meta.correlation.raters import RaterAgreement, measure_raters
from tarocco.meta.correlation.results import (
    CORRELATION_OPTIONS,
    Accuracies,
    CorrelateResult,
    Correlation,
    CorrelationDesign,
    CorrelationOptions,
)
from tarocco.meta.correlation.score_sources import (
    MIN_SYSTEMS,
    SENTINELS,
    HumanInput,
    LengthRatio,
    ScoreSource,
    describe_coverage,
    describe_judged_systems,
    find_outliers,
    make_human_scores,
    make_human_source,
    make_metric_source,
    make_textless_sentinels,
)
from tarocco.meta.significance.paired_tests import required_draws
from tarocco.meta.support.decision import THESE
from tarocco.meta.support.segments import LEAST_UNITS
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import ExternalSource, external_metrics
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import Units, count_units, percentiles
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.score_tables import make_textless_test_set, name_rows
from tarocco.scoring.settings import (
    RESAMPLING,
    TEXT,
    WORKERS,
    Resampling,
    Shortcuts,
    Text,
    Workers,
    apply_shortcuts,
)

SHOWN = ("pearson", "spearman", "kendall")  # in addition to the coefficient that metrics are ranked by


class CorrelationShortcuts(Shortcuts, total=False):
    """The fields of `CorrelationOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    level: str
    grouping: str | None
    coefficient: str | None
    system_scores: str
    drop_outliers: bool
    test: str | None
    alpha: float
    n_permutations: int | None
    n_documents: int
    document_size: int
    population: str | None
    at_differences: Sequence[float] | None


def correlate(
    systems: Candidates | None = None,
    references: References | None = None,
    human: HumanInput | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    options: CorrelationOptions = CORRELATION_OPTIONS,
    text: Text = TEXT,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[CorrelationShortcuts],
) -> CorrelateResult:
    """Measure how well metrics agree with people.

    Parameters
    ----------
    systems
        A mapping from system names to their segments. Without systems and references, metrics are those of `external`.
    references, metrics, external
        As for `tarocco.score`. The scores of `external` may also be arrays or data frames, systems x segments, with NaN
        where there is no score.
    human
        A file (optionally followed by :COLUMN), the result of `tarocco.read_human`, or a mapping from systems to a
        number, or to a list with one number per segment and None where there is no judgment; or an array or a data
        frame, systems x segments.
    documents
        One label per segment. Segments of one document are not independent, so whole documents are resampled and
        swapped, also by the p-values of soft pairwise accuracy.
    options
        The level, the coefficient and the test between metrics (`CorrelationOptions`).
    text, resampling, workers
        How text is read, how intervals are resampled, and where work is done.
    **shortcuts
        The fields of these four values as keywords: level, grouping, coefficient, system_scores, drop_outliers, test,
        alpha, n_permutations, n_documents, document_size, population, at_differences, tokenize, lowercase, analyzer,
        n_resamples, confidence, seed, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> grades = {system: [adequacy for adequacy, _ in pairs] for system, pairs in demo.grades.items()}
    >>> result = tarocco.correlate(demo.systems, demo.references, grades, metrics=["BLEU-4", "chrF"])
    >>> [record.metric for record in result][:2]
    ['chrF', 'BLEU-4']

    Scores without texts:

    >>> metric = [[0.9, 0.8, 0.7], [0.6, 0.7, 0.6], [0.5, 0.3, 0.4], [0.2, 0.3, 0.1]]
    >>> people = [[5, 5, 4], [4, 4, 3], [3, 2, 3], [1, 2, 1]]
    >>> result = tarocco.correlate(human=people, external={"COMET": metric})
    >>> round(result["COMET"].coefficients["pearson"].value, 3)
    0.996
    """
    if human is None:
        raise InputError("expected human scores: correlate(systems, references, human)")
    tables = name_rows({"human scores": human, **(external or {})})
    human, external = tables.pop("human scores"), tables
    textless = systems is None and references is None
    if textless and metrics == "BLEU-4":
        metrics = ()
    if not textless and not isinstance(systems, Mapping):
        raise InputError("systems must be a mapping from names to segments, with at least four systems to correlate")
    options, text, resampling, workers = apply_shortcuts("correlate", shortcuts, options, text, resampling, workers)
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    if not chosen and not external:
        raise InputError("no metric was selected")
    if textless and chosen:
        raise InputError(f"{chosen[0]} reads texts: pass systems and references, or its scores as `external`")
    if systems is None or references is None:
        test_set = make_textless_test_set(external, documents)
    else:
        test_set = make_test_set(systems, references, documents)
    chosen += external_metrics(external, test_set, chosen)
    people = make_human_scores(human, list(test_set.systems), len(test_set))
    design = options.resolve(resampling)
    sentinels = [] if textless else [LengthRatio()]
    scores = score_test_set(test_set, [*chosen, *sentinels], text.encoding, workers=workers)
    return correlate_scores(scores, people, design, replace(workers, progress=None))


def correlate_scores(
    scores: Result, human: HumanScores, design: CorrelationDesign, workers: Workers = WORKERS
) -> CorrelateResult:
    """Correlate every metric of a result with every criterion.

    The units of resamples and swaps are documents if the scores have labels. `workers.progress` counts resamples,
    n_resamples per criterion.
    """
    labels = scores.scores[0].labels
    units = count_units(_count_segments(scores), labels)
    _check_levels(human, design)
    sources, signatures = make_sources(scores, human, design)
    needed = required_draws(count_comparisons(len(signatures) - len(SENTINELS), len(SENTINELS)), design.alpha)
    if not design.n_permutations:
        design = replace(design, n_permutations=max(1000, needed))
    level = make_level(design.level, design.grouping, _count_segments(scores), *design.documents, design.seed, labels)
    correlations: list[Correlation] = []
    comparisons: list[MetricComparison] = []
    outliers: dict[str, tuple[str, ...]] = {}
    human_signatures: dict[str, str] = {}
    differences: list[AccuracyAtDifference] = []
    raters: list[RaterAgreement] = []
    names = list(dict.fromkeys(score.system for score in scores.scores))
    notes = [
        *describe_judged_systems(human, names),
        *describe_coverage(human),
        *_describe_left_out(scores, signatures, design),
        *_describe_units(units, design),
    ]
    for criterion in human.criteria:
        people, judged, dropped = make_human_source(human, criterion), list(sources), []
        places = list(range(len(human.systems)))
        if design.level == "system":
            flags = find_outliers(people.systems)
            outliers[criterion] = tuple(name for name, far in zip(human.systems, flags, strict=True) if far)
            dropped = list(outliers[criterion]) if design.outliers == "dropped" else []
            usable = ~np.isnan(people.systems) & ~np.isin(human.systems, dropped)
            places = np.flatnonzero(usable).tolist()
            if len(places) < MIN_SYSTEMS:
                notes.append(_describe_too_few(len(places), criterion, human, design))
                continue
            people, judged = people.select(places), [source.select(places) for source in judged]
            notes += _describe_missing_systems(judged, len(places))
        records, tests = _correlate_criterion(judged, people, level, design, workers)
        origin = "|".join(f"{key}:{value}" for key, value in human.origin)
        shared = design.signature((test.test for test in tests), dropped, units)
        human_signatures[criterion] = f"human:{criterion}|{origin}|{shared}"
        signed = (
            replace(record, metric_signature=signatures[record.metric], human_signature=human_signatures[criterion])
            for record in records
        )
        correlations += sorted(signed, key=lambda record: _rank(record, design.coefficient))
        comparisons += tests
        if criterion in human.ratings and design.level != "document":
            raters.append(_measure_raters(human, criterion, places, judged, people, level, design, workers))
        if design.at_differences is not None:
            scales = {str(score.metric): float(score.metric.scale) for score in scores.scores}
            differences += _measure_differences(judged, people, scales, level, design, workers)
    if not correlations:
        raise InputError(notes[-1])
    if design.test == "perm":
        sizes = len(human.systems), units, len(signatures) - len(SENTINELS)
        notes += _describe_too_few_swaps(design, *sizes, comparisons)
    return CorrelateResult(
        tuple(correlations),
        tuple(comparisons),
        design,
        human_signatures,
        human.level,
        outliers,
        tuple(dict.fromkeys(notes)),
        len(human.systems),
        units,
        tuple(differences),
        tuple(raters),
    )


def _measure_raters(
    human: HumanScores,
    criterion: str,
    systems: Sequence[int],
    sources: Sequence[ScoreSource],
    people: ScoreSource,
    level: CorrelationLevel,
    design: CorrelationDesign,
    workers: Workers,
) -> RaterAgreement:
    """Measure how far raters agree by a criterion."""
    ratings = human.ratings[criterion].select(systems)
    if human.kinds[criterion] == "error":
        ratings = replace(ratings, values=-ratings.values)
    metrics = [source for source in sources if source.name not in SENTINELS]
    settings = design.coefficient, design.population, design.resampling, workers
    return measure_raters(ratings, metrics, people, level, *settings)


def _measure_differences(
    sources: Sequence[ScoreSource],
    people: ScoreSource,
    scales: Mapping[str, float],
    level: CorrelationLevel,
    design: CorrelationDesign,
    workers: Workers,
) -> list[AccuracyAtDifference]:
    """Return how often people agree with differences, on the scale of tables, under all metrics but sentinels."""
    results = []
    for source in sources:
        if source.name in SENTINELS:
            continue
        scale = scales[source.name]
        differences = [difference / scale for difference in design.at_differences or ()]
        accuracies = measure_accuracy_at(source, people, differences, design.resampling, workers.jobs, level.labels)
        results += [replace(accuracy, difference=accuracy.difference * scale) for accuracy in accuracies]
    return results


def make_sources(
    scores: Result, human: HumanScores, design: CorrelationDesign
) -> tuple[list[ScoreSource], dict[str, str]]:
    """Return the metrics and sentinels as sources for the judged systems, and their signatures by name."""
    sources, signatures = [], {}
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        by_system = {score.system: score for score in scores.scores if score.metric == metric}
        source = make_metric_source([by_system[system] for system in human.systems])
        if design.level != "system" and source.statistics is None:
            continue
        if source.name in SENTINELS and not isinstance(metric, LengthRatio):
            raise BadParameter(f"{source.name} is the name of a row in every table: give these scores another name")
        sources.append(source.averaged() if design.system_scores == "mean" else source)
        signatures[source.name] = next(iter(by_system.values())).signature
    for sentinel in make_textless_sentinels(len(human.systems), _count_segments(scores), design.seed):
        sources.append(sentinel)
        signatures[sentinel.name] = sentinel.name
    return sources, signatures


def _count_segments(scores: Result) -> int:
    return len(scores.scores[0].statistics)


def _correlate_criterion(
    sources: Sequence[ScoreSource],
    people: ScoreSource,
    level: CorrelationLevel,
    design: CorrelationDesign,
    workers: Workers,
) -> tuple[list[Correlation], Sequence[MetricComparison]]:
    """Correlate all metrics by one criterion, and test them against each other."""
    coefficients = tuple(dict.fromkeys((*SHOWN, design.coefficient)))
    human_items = level.items(people)
    resampled = _resample(sources, people, level, design, workers)
    rest = ~find_outliers(people.systems)  # none are left if outliers are dropped
    records = []
    for place, (source, values) in enumerate(zip(sources, resampled, strict=True)):
        low, high = percentiles(values, (1 - design.confidence) / 2)
        records.append(
            Correlation(
                source.name,
                people.name,
                {name: _compute_coefficient(name, level, source, people, human_items, design) for name in coefficients},
                Interval(low, high, design.confidence, design.n_resamples, design.seed),
                _compute_accuracies(source, people, level, design),
                cluster=0,
                sentinel=source.name in SENTINELS,
                place=place,
                metric_signature="",
                human_signature="",
                pearson_without_outliers=(
                    None
                    if level.level != "system" or rest.all()
                    else pearson(source.systems[rest], people.systems[rest])
                ),
            )
        )
    agreements = np.array([record.coefficients[design.coefficient].value for record in records])
    sentinels = np.array([record.sentinel for record in records])
    data = MetricTestInput(
        sources, people, level, design.coefficient, agreements, sentinels, resampled, design.population
    )
    ranking = compare_metrics(
        data, design.test, design.alpha, design.n_permutations, design.seed, workers.jobs, workers.executor
    )
    clustered = zip(records, ranking.clusters.tolist(), strict=True)
    return [replace(record, cluster=cluster) for record, cluster in clustered], ranking.pairs


def _resample(
    sources: Sequence[ScoreSource],
    people: ScoreSource,
    level: CorrelationLevel,
    design: CorrelationDesign,
    workers: Workers,
) -> Floats:
    """Return the coefficient that ranks metrics on resamples, float64[metrics, n_resamples]; NaN if all are equal."""
    if level.labels is not None and len(set(level.labels)) == 1 and design.population == THESE:
        return np.full((len(sources), design.n_resamples), np.nan)
    if design.coefficient not in PAIRWISE:
        return level.resampled(design.coefficient, sources, people, design.resampling, workers, design.population)
    values = resample_pairwise(
        design.coefficient, sources, people, design.resampling, design.population, workers.jobs, level.labels
    )
    if workers.progress is not None:
        workers.progress(design.n_resamples)
    return values


def _compute_coefficient(
    coefficient: str,
    level: CorrelationLevel,
    source: ScoreSource,
    people: ScoreSource,
    human_items: Floats,
    design: CorrelationDesign,
) -> Coefficient:
    known = int((~np.isnan(source.systems)).sum())
    if level.level == "system" and known < MIN_SYSTEMS:
        return Coefficient(np.nan, 0, 1, f"scores of {known} systems; a correlation needs at least {MIN_SYSTEMS}")
    if coefficient in PAIRWISE:
        return measure_pairwise(coefficient, source, people, design.seed, level.labels)
    return level.agreement(coefficient, level.items(source), human_items)


def _compute_accuracies(
    source: ScoreSource, people: ScoreSource, level: CorrelationLevel, design: CorrelationDesign
) -> Accuracies:
    """Return accuracies over pairs of systems or, at segment level, over pairs of outputs."""
    if level.level == "segment":
        return Accuracies(ties=calibrated_ties(source.segments, people.segments))
    if level.level == "document":
        return Accuracies()
    soft = None
    if source.statistics is not None and people.statistics is not None:
        soft = soft_pairwise_accuracy(source.segments, people.segments, SOFT_PERMUTATIONS, design.seed, level.labels)
    return Accuracies(pairwise_accuracy(source.systems, people.systems), soft)


def _rank(record: Correlation, coefficient: str) -> tuple[bool, float]:
    """Return a key that sorts from the best down, with undefined correlations last."""
    value = record.coefficients[coefficient].value
    return bool(np.isnan(value)), -value


# --- checks and notes ------------------------------------------------------------------------------------------------


def _check_levels(human: HumanScores, design: CorrelationDesign) -> None:
    if design.level != "system" and human.level == "system":
        raise InputError(f"people judged whole systems only, so there is no correlation at {design.level} level")
    if design.coefficient in SOFT and human.level == "system":
        raise InputError("soft pairwise accuracy needs human scores of segments, and people judged whole systems only")
    if design.grouping == "item" and len(human.systems) < MIN_GROUP:
        raise InputError(
            f"there {_are_systems(len(human.systems))} within each item, and a correlation needs at least {MIN_GROUP}: "
            'grouping "none" takes all items together'
        )


def _describe_left_out(scores: Result, signatures: Mapping[str, str], design: CorrelationDesign) -> list[str]:
    left_out = dict.fromkeys(str(score.metric) for score in scores.scores if str(score.metric) not in signatures)
    return [f"{name} has scores for whole systems only: left out at {design.level} level" for name in left_out]


def _describe_units(units: Units, design: CorrelationDesign) -> list[str]:
    """Return what is special where documents are the units: that they are few, and tests that ignore them."""
    if units.name == "segment":
        return []
    notes = []
    if units.count < LEAST_UNITS:
        notes.append(
            f"{units} {'is' if units.count == 1 else 'are'} few: intervals that redraw fewer than {LEAST_UNITS} units "
            "are too narrow"
        )
    if design.test == "williams" and design.level == "segment":
        notes.append("Williams' test takes segments of one document as independent: use bootstrap or perm")
    return notes


def _describe_missing_systems(sources: Sequence[ScoreSource], systems: int) -> list[str]:
    """Return notes on metrics without scores for some systems; pairs of metrics use the systems that both have."""
    known = {source.name: int((~np.isnan(source.systems)).sum()) for source in sources}
    return [f"{name} has scores of {count} of {systems} systems" for name, count in known.items() if count < systems]


def _describe_too_few_swaps(
    design: CorrelationDesign, systems: int, units: Units, metrics: int, tests: Sequence[MetricComparison]
) -> list[str]:
    """Return why no difference between metrics can be significant, if so."""
    comparisons = metrics * (metrics - 1) // 2
    if not comparisons:
        return []
    notes, correction = [], f"Holm's correction for {comparisons} pair{'s' * (comparisons > 1)} of metrics"
    needed = required_draws(comparisons, design.alpha)
    if design.n_permutations + 1 < comparisons / design.alpha:
        notes.append(
            f"with {design.n_permutations} permutations, no difference between metrics can be significant after "
            f"{correction}: at least {needed} are needed"
        )
    least = math.ceil(math.log2(2 * comparisons / design.alpha))  # a swap of all systems is as extreme as none
    if systems < least and any(test.test == "perm-sys" for test in tests):
        notes.append(
            f"with {systems} systems, no difference between metrics can be significant by perm-sys after {correction}: "
            f"at least {least} systems are needed"
        )
    if units.count < least and any(test.test == "perm-input" for test in tests):
        notes.append(
            f"swaps of {units} are too few for any difference between metrics to be significant after {correction}: "
            f"at least {least} {units.name}s are needed"
        )
    return notes


def _describe_too_few(count: int, criterion: str, human: HumanScores, design: CorrelationDesign) -> str:
    without = " without outliers" if design.outliers == "dropped" else ""
    hint = "; scores of segments can be correlated at segment level" if human.level == "segment" else ""
    return (
        f"{criterion}: a correlation of systems needs at least {MIN_SYSTEMS} that people judged{without}, "
        f"and there {_are_systems(count)}{hint}"
    )


def _are_systems(count: int) -> str:
    return "is 1 system" if count == 1 else f"are {count} systems"
