"""Which metrics do human scores support? `tarocco.support` and `tarocco correlate --support`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.records import ResultTable
from tarocco.core.test_set import Candidates, HumanScores, References, make_test_set
from tarocco.io.tables import join_names
from tarocco.meta.correlation.score_sources import (
    HumanInput,
    LengthRatio,
    ScoreSource,
    describe_coverage,
    describe_judged_systems,
    make_human_scores,
    make_human_source,
    make_metric_source,
)
from tarocco.meta.support.decision import RULES, SUCH, SUPPORTED, THESE, Support, SupportRules
from tarocco.meta.support.people import Sources, judge_by_people, measure_stability
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, ExternalSource, external_metrics
from tarocco.scoring.results import Result
from tarocco.scoring.score import choose_metrics, score_test_set
from tarocco.scoring.settings import TEXT, WORKERS, Text, TextShortcuts, Workers, WorkerShortcuts, apply_shortcuts


@dataclass(frozen=True, eq=False)
class SupportResult(ResultTable):
    """What human scores say of each metric, by criterion, level and population."""

    record_field = "supports"

    supports: tuple[Support, ...]
    rules: SupportRules
    n_systems: int
    n_segments: int
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Support]:
        return iter(self.supports)

    def __len__(self) -> int:
        return len(self.supports)

    def of(self, metric: str, population: str, criterion: str | None = None, level: str = "system") -> Support:
        """Return what was decided on a metric; the first criterion unless another is named."""
        for support in self.supports:
            if (support.metric, support.population, support.level) == (metric, population, level) and criterion in (
                None,
                support.criterion,
            ):
                return support
        raise InputError(f"{metric} was not judged for {population} at {level} level")


class SupportShortcuts(TextShortcuts, WorkerShortcuts, total=False):
    """The fields of `Text`, `Workers` and `SupportRules` as keywords."""

    alpha: float
    system_margin: float
    segment_margin: float
    system_floor: float
    segment_floor: float
    n_draws: int
    most_draws: int
    n_permutations: int
    seed: int
    caution: float
    n_stability: int


def support(
    systems: Candidates,
    references: References,
    human: HumanInput,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    rules: SupportRules = RULES,
    text: Text = TEXT,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[SupportShortcuts],
) -> SupportResult:
    """Decide for each metric whether human scores support it, refute it, or leave the question open.

    A metric is supported if its agreement with people exceeds chance (permuted system labels), exceeds what output
    length explains, is shown to be within a margin of the best metric, and is above a floor. It is refuted if another
    metric is shown to be better by more than the margin, or if its agreement is below the floor.

    Parameters
    ----------
    systems, references, metrics, documents, external
        As for `tarocco.score`. Documents are redrawn as wholes.
    human
        As for `tarocco.correlate`.
    rules
        Margins, floors and numbers of draws (`SupportRules`).
    text, workers
        How text is read, and where work is done.
    **shortcuts
        The fields of these three values as keywords.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> grades = {system: [adequacy for adequacy, _ in pairs] for system, pairs in demo.grades.items()}
    >>> result = tarocco.support(demo.systems, demo.references, grades, metrics=["BLEU-4", "chrF"])
    >>> result.of("chrF", "such systems").status
    'open'
    """
    if not isinstance(systems, Mapping):
        raise InputError("systems must be a mapping from names to segments")
    rules, text, workers = apply_shortcuts("support", shortcuts, rules, text, workers)
    chosen = choose_metrics(metrics)
    test_set = make_test_set(systems, references, documents)
    chosen += external_metrics(external or {}, test_set, chosen)
    people = make_human_scores(human, list(test_set.systems), len(test_set))
    scores = score_test_set(test_set, [*chosen, LengthRatio()], text.encoding, workers=workers)
    return support_scores(scores, people, rules)


def support_scores(scores: Result, human: HumanScores, rules: SupportRules = RULES) -> SupportResult:
    """Judge every metric of a result, whose last metric is `LengthRatio`, by every criterion.

    Stability is measured for the first criterion at system level, which verdicts follow.
    """
    names = list(dict.fromkeys(score.system for score in scores.scores))
    notes = [*describe_judged_systems(human, names), *describe_coverage(human)]
    by_metric: dict[Metric, dict[str, Any]] = {}
    for score in scores.scores:
        by_metric.setdefault(score.metric, {})[score.system] = score
    of_metrics = {
        metric: make_metric_source([by_system[system] for system in human.systems])
        for metric, by_system in by_metric.items()
    }
    length = next((source for metric, source in of_metrics.items() if isinstance(metric, LengthRatio)), None)
    usable = {str(metric): source for metric, source in of_metrics.items() if not isinstance(metric, LengthRatio)}
    for name in [name for name, source in usable.items() if np.isnan(source.systems).any()]:
        notes.append(f"{name} is not judged: it has no score for some system")
        del usable[name]
    labels = scores.scores[0].labels
    computed = [source for metric, source in of_metrics.items() if not isinstance(metric, External)]
    origins = find_copies(computed, len(human.systems))
    copies = [human.systems[i] for i in range(len(human.systems)) if origins[i] != i]
    if copies:
        notes.append(
            f"{join_names(copies)}: the same output as another system, left out: copies are no evidence of their own"
        )
    supports: list[Support] = []
    for criterion in human.criteria:
        people = make_human_source(human, criterion)
        judged = [i for i in np.flatnonzero(~np.isnan(people.systems)).tolist() if origins[i] == i]
        for level in ("system", "segment") if human.level == "segment" else ("system",):
            fit = {
                name: source.select(judged)
                for name, source in usable.items()
                if human.level == "system" or source.statistics is not None
            }
            notes += [f"{name} is not judged: it has no scores for segments" for name in usable if name not in fit]
            if fit and len(judged) > 1:
                of_length = None if length is None else length.select(judged)
                sources = Sources(list(fit.values()), people.select(judged), of_length)
                results = judge_by_people(sources, level=level, labels=labels, rules=rules)
                measured = rules.n_stability and level == "system" and criterion == next(iter(human.criteria))
                supports += add_stability(results, sources, level, labels, rules) if measured else results
    if not supports:
        raise InputError("expected human scores of at least two systems, found fewer")
    if human.level == "system":
        notes.append(
            "people scored whole systems: their scores are taken as given, and only metric scores are resampled"
        )
    order = {support.metric: -support.value for support in reversed(supports)}
    supports.sort(
        key=lambda support: (
            list(human.criteria).index(support.criterion),
            support.level != "system",
            order[support.metric],
        )
    )
    return SupportResult(
        tuple(supports), rules, len(human.systems), len(scores.scores[0].statistics), tuple(dict.fromkeys(notes))
    )


def find_copies(sources: Sequence[ScoreSource], n_systems: int) -> list[int]:
    """Return for each system the first one that has the same statistics in every segment under every metric."""
    rows = [source.statistics for source in sources if source.statistics is not None]
    if not rows:
        return list(range(n_systems))
    first: dict[bytes, int] = {}
    return [first.setdefault(b"".join(row[i].tobytes() for row in rows), i) for i in range(n_systems)]


def add_stability(
    results: Sequence[Support],
    sources: Sources,
    level: str,
    labels: Sequence[str] | None,
    rules: SupportRules,
) -> list[Support]:
    """Return the results with the shares of resamples that give the same status.

    Systems and segments are resampled. For statements about these systems, segments alone are resampled as well.
    Only the strongest statements are repeated: those about such systems if there is a supported metric among them, else
    those about these systems.
    """
    supported = {support.population for support in results if support.status == SUPPORTED}
    strongest = next((population for population in (SUCH, THESE) if population in supported), None)
    stable = []
    for population in dict.fromkeys(support.population for support in results):
        ours = [support for support in results if support.population == population]
        if population != strongest:
            stable += ours
            continue
        observed = {support.metric: support.status for support in ours}
        about: Any = {"population": population, "level": level, "labels": labels, "rules": rules}
        of_both, limit = measure_stability(sources, observed, **about)
        of_segments: dict[str, float] = {}
        if population == THESE:
            of_segments, _ = measure_stability(sources, observed, redraw_systems=False, **about)
        stable += [
            replace(
                support,
                stability=of_both[support.metric],
                segment_stability=of_segments.get(support.metric),
                stability_limit=limit,
            )
            for support in ours
        ]
    return stable
