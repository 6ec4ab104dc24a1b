"""The trial: everything the data allow, computed once and shared between steps: `tarocco.trial`.

A step that turns out to be impossible does not end the trial: its error is reported in the plan, and the other steps
go on. Blocks of scores, similarities and ranks are cached in a store, so an interrupted trial can continue.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

import numpy as np

from tarocco.annotate.analyzers import Analyzer
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import RunNote
from tarocco.core.test_set import Candidates, HumanScores, References, TestSet
from tarocco.meta.audit.audit import AuditResult, audit_test_set
from tarocco.meta.audit.evidence import AuditSettings
from tarocco.meta.correlation.agreement import MIN_POINTS
from tarocco.meta.correlation.correlate import correlate_scores
from tarocco.meta.correlation.results import CorrelateResult, CorrelationOptions
from tarocco.meta.correlation.score_sources import MIN_SYSTEMS, HumanInput, LengthRatio, make_human_source
from tarocco.meta.orange.orange import NBest, open_lists, run_orange
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.orange.rules import OrangeRules, make_scorers
from tarocco.meta.qarla.optimize import run_optimize
from tarocco.meta.qarla.qarla import KING_OPTIONS, QARLA_OPTIONS, evaluate_jack, evaluate_king, evaluate_queen
from tarocco.meta.qarla.results import KingResult, OptimizeResult
from tarocco.meta.qarla.set_search import SetSearch
from tarocco.meta.qarla.similarities import TextSimilarities, compute_similarities, count_similarities
from tarocco.meta.references.curves import ReferencesResult
from tarocco.meta.references.study import (
    Judge,
    KingJudge,
    ReferenceStudy,
    draw_subsets,
    judge_by_orange,
    judge_by_people,
    run_references,
)
from tarocco.meta.references.subsets import make_pool
from tarocco.meta.significance.compare import CompareResult, compare_scores
from tarocco.meta.significance.paired_tests import PairedTest
from tarocco.meta.support.assumption import HumanAdvantage, check_assumption
from tarocco.meta.support.decision import Support, SupportRules
from tarocco.meta.support.judges import support_king, support_orange
from tarocco.meta.support.support import support_scores
from tarocco.metrics.base import Metric
from tarocco.metrics.external import ExternalSource
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import RESAMPLING, SEED, TEXT, WORKERS, Resampling, Text, Workers, apply_shortcuts
from tarocco.trials.breakdowns import correlate_metrics, make_breakdowns
from tarocco.trials.data_audit.check import audit_data
from tarocco.trials.data_audit.findings import DataAudit
from tarocco.trials.findings import Findings, PlanStep
from tarocco.trials.inputs import (
    Material,
    combine_settings,
    material_of_experiment,
    material_of_texts,
    open_experiment,
)
from tarocco.trials.plan import choose_judge_of_references, make_plan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


ALPHA = 0.05  # of all tests
SUBSETS = 10  # of references of each size
STABILITY = 100  # resamples of systems and segments on which the verdict is repeated

Advance = Callable[..., None]
Watch = Callable[[str, str, int | None, str | None], AbstractContextManager[Advance]]
StepResult = TypeVar("StepResult")


@contextmanager
def show_no_progress(_step: str, _items: str, _total: int | None, _inside: str | None) -> Iterator[Advance]:
    """Ignore progress."""
    yield lambda *_done: None


@dataclass(frozen=True)
class TrialOptions:
    """How a trial is run."""

    confidence: float = 0.95
    n_resamples: int = 1000
    seed: int = SEED
    confusions: int = 0  # how many candidates above the references to keep per list and metric
    jobs: int | None = None
    store: Store | str | Path | None = None
    executor: Executor | None = None
    short: str = "skip"  # or "keep", for n-best lists with fewer candidates than the longest, as in `OrangeRules`
    accept_data: bool = False  # give a verdict in spite of severe findings of the data audit
    n_stability: int = STABILITY  # resamples on which the verdict is repeated

    @cached_property
    def resampling(self) -> Resampling:
        return Resampling(self.n_resamples, self.confidence, self.seed)

    def workers(self, progress: Advance | None = None) -> Workers:
        return Workers(self.jobs, self.store, self.executor, progress)

    def __post_init__(self) -> None:
        self.workers()
        Resampling(self.n_resamples, self.confidence, self.seed)


def conduct_trial(material: Material, options: TrialOptions, command: str, watch: Watch = show_no_progress) -> Findings:
    """Run every step that the data allow.

    `watch` opens a progress bar for a step, from its number and name, what is counted, the total, and what is counted
    within one item.
    """
    if options.store is not None and isinstance(options.store, str | Path):
        from tarocco.store import Store  # imports SQLite, which a run without a store does not need

        with Store(options.store) as store:
            return conduct_trial(material, replace(options, store=store), command, watch)
    run = _TrialRun(material, options, watch)
    results: dict[str, Any] = {name: run.attempt(name, step) for name, step in run.steps().items()}
    from tarocco.trials.verdict import reach_verdict

    findings = Findings(
        name=material.name,
        command=command,
        encoding=material.encoding,
        seed=options.seed,
        test_set=material.test_set,
        source=material.source,
        groups=material.labels,
        human=material.human,
        caveats=material.caveats,
        data_audit=results["data"],
        accept_data=options.accept_data,
        scores=run.scores,
        comparison=results["significance"],
        agreement=results["agreement"],
        breakdowns=results["breakdown"] or (),
        orange=results["ORANGE"],
        kings=results["KING"],
        queens=results["QUEEN"],
        jack=results["JACK"],
        optimal=results["optimal set"],
        correlations=results["people"] or (),
        supports=run.support_metrics(results["ORANGE"], results["KING"]),
        human_advantage=run.compare_references_with_systems(),
        curves=results["references"],
        audit=results["audit"],
        plan=run.plan,
        notes=tuple(dict.fromkeys(run.notes)),
    )
    return replace(findings, verdict=reach_verdict(findings))


class _TrialRun:
    """A trial in progress."""

    def __init__(self, material: Material, options: TrialOptions, watch: Watch) -> None:
        self.material, self.options, self.watch = material, options, watch
        self.planned = make_plan(material)
        self.failed: dict[str, str] = {}
        self.notes: list[str] = []

    def steps(self) -> dict[str, Callable[[], object]]:
        material, resampling, jobs = self.material, self.options.resampling, self.options.jobs
        return {
            "data": self.audit_data,
            "scores": lambda: self.scores,
            "significance": self.compare_systems,
            "agreement": lambda: correlate_metrics(self.scores),
            "breakdown": lambda: make_breakdowns(self.scores, material.test_set, material.labels),
            "audit": self.audit,
            "ORANGE": self.compute_orange,
            "KING": lambda: evaluate_king(self.similarities, None, KING_OPTIONS, resampling, jobs),
            "QUEEN": lambda: evaluate_queen(
                self.similarities, self._select_scores(material.pairwise_metrics), QARLA_OPTIONS, resampling, jobs
            ),
            "JACK": lambda: evaluate_jack(self.similarities, None, QARLA_OPTIONS, resampling, jobs),
            "optimal set": self.search_sets,
            "people": self.correlate_with_people,
            "references": self.study_references,
        }

    @property
    def plan(self) -> tuple[PlanStep, ...]:
        """What was done, and what turned out to be impossible."""
        return tuple(
            replace(step, possible=False, why=self.failed[step.name]) if step.name in self.failed else step
            for step in self.planned
        )

    def is_possible(self, name: str) -> bool:
        return any(step.possible for step in self.planned if step.name == name)

    def attempt(self, name: str, step: Callable[[], StepResult]) -> StepResult | None:
        """Return the result of a step, or None if the data do not allow it; without scores the trial ends."""
        if not self.is_possible(name):
            return None
        try:
            result = step()
        except (InputError, BadParameter) as error:
            if name == "scores":
                raise
            self.failed[name] = str(error)
            return None
        self.notes += [f"{name}: {note}" for note in getattr(result, "notes", ())]
        return result

    def watched(self, name: str, items: str, total: int | None, inside: str | None = None) -> Any:
        possible = [step.name for step in self.planned if step.possible]
        return self.watch(f"{possible.index(name) + 1}/{len(possible)} {name}", items, total, inside)

    def select_metrics(self, name: str, usable: Sequence[Metric], why: str) -> Sequence[Metric]:
        """Return the metrics that a step can use, and note the others."""
        others = [str(metric) for metric in self.material.metrics if metric not in usable]
        if others:
            self.notes.append(f"{name}: left out {', '.join(others)}: {why}")
        return usable

    def audit_data(self) -> DataAudit:
        """Look for faults in texts and human scores before anything is judged."""
        material = self.material
        return audit_data(
            material.test_set,
            material.encoding,
            material.metrics,
            self.scores,
            material.human,
            material.source,
            seed=self.options.seed,
        )

    # --- scores ----------------------------------------------------------------------------------------------------

    @cached_property
    def scores_with_length(self) -> Result:
        """The scores of all metrics and, for the correlation with people, of the length ratio."""
        material, options = self.material, self.options
        metrics = [*material.metrics, *([LengthRatio()] if material.human is not None else [])]
        computed = len(material.computed_metrics) + len(metrics) - len(material.metrics)
        total = len(material.test_set) * len(material.test_set.systems) * computed
        with self.watched("scores", "scores", total) as advance:
            return score_test_set(
                material.test_set,
                metrics,
                material.encoding,
                resampling=options.resampling,
                workers=options.workers(advance),
            )

    @cached_property
    def scores(self) -> Result:
        return self._select_scores(self.material.metrics)

    def _select_scores(self, metrics: Sequence[Metric]) -> Result:
        scores = self.scores_with_length.scores
        return Result(tuple(score for score in scores if score.metric in metrics), single=False)

    def compare_systems(self) -> CompareResult:
        test = PairedTest("randomization", 0, self.options.seed, ALPHA, self.options.jobs)
        return compare_scores(self.scores, test, all_pairs=True)

    def audit(self) -> AuditResult:
        material = self.material
        external = [metric for metric in material.metrics if metric not in material.computed_metrics]
        why = "no file describes the texts that an audit makes"
        usable = self.select_metrics("audit", [*material.audit_metrics, *external], why)
        if not usable:
            raise InputError("no metric can score the texts that an audit makes")
        total = len(material.test_set) * (2 * len(material.test_set.systems) + 1) * len(material.audit_metrics)
        with self.watched("audit", "scores", total) as advance:
            return audit_test_set(
                material.test_set,
                usable,
                material.encoding,
                settings=AuditSettings(alpha=ALPHA, seed=self.options.seed),
                workers=self.options.workers(advance),
                groups=material.labels,
                scores=self._select_scores(usable),
            )

    # --- judges of metrics -----------------------------------------------------------------------------------------

    def compute_orange(self) -> OrangeResult:
        material, options = self.material, self.options
        usable: Sequence[Metric] = material.audit_metrics if material.most_references > 1 else []
        self.select_metrics("ORANGE", usable, "there are no scores of the candidates of n-best lists")
        n, nbest = len(material.test_set), material.nbest
        assert nbest is not None
        rules = OrangeRules(short=options.short, curve=True, confusions=options.confusions, first_id=material.first_id)
        with self.watched("ORANGE", "lists", n, "candidates") as advance:
            result = run_orange(
                *open_lists(nbest, n, rules),
                TestSet({}, material.test_set.references, None, material.test_set.reference_names),
                make_scorers(usable, material.candidate_scores),
                rules=rules,
                encoding=material.list_encoding,
                resampling=options.resampling,
                workers=options.workers(),
                advance=advance,
            )
        return replace(result, notes=tuple(note for note in result.notes if not isinstance(note, RunNote)))

    @cached_property
    def similarities(self) -> TextSimilarities:
        """The similarity of all texts to each other, from which KING, QUEEN, JACK and sets are computed."""
        material, first = self.material, "KING" if self.is_possible("KING") else "QUEEN"
        usable = self.select_metrics(
            "KING, QUEEN and JACK", material.pairwise_metrics, "there are no scores of pairs of texts"
        )
        between_systems = self.is_possible("JACK")
        total = count_similarities(material.test_set, usable, between_systems)
        with self.watched(first, "similarities", total) as advance:
            return compute_similarities(
                material.test_set,
                usable,
                material.encoding,
                between_systems=between_systems,
                workers=self.options.workers(advance),
            )

    def search_sets(self) -> OptimizeResult:
        search, near = SetSearch(), self.similarities
        with self.watched("optimal set", "sets", search.count_sets(len(near.metrics))) as advance:
            workers = Workers(self.options.jobs, progress=advance)
            return run_optimize(near, search, QARLA_OPTIONS, self.options.resampling, workers)

    def correlate_with_people(self) -> tuple[CorrelateResult, ...]:
        """Correlate scores of systems, and scores within segments, where there are enough."""
        human = self.material.human
        assert human is not None
        levels = ["system"] if len(human.systems) >= MIN_SYSTEMS else []
        levels += ["segment"] if human.level == "segment" else []
        results, errors = [], []
        for level in levels:
            within = level == "segment" and len(human.systems) >= MIN_POINTS
            options = CorrelationOptions(level, "item" if within else None, alpha=ALPHA)
            design = options.resolve(self.options.resampling)
            try:
                with self.watched("people", "resamples", design.n_resamples * len(human.criteria)) as advance:
                    workers = Workers(self.options.jobs, progress=advance)
                    result = correlate_scores(self.scores_with_length, human, design, workers)
                results.append(result)
                self.notes += [f"people: {note}" for note in result.notes]
            except InputError as error:
                errors.append(str(error))
        if not results:
            raise InputError("; ".join(dict.fromkeys(errors)))
        return tuple(results)

    def support_metrics(self, orange: OrangeResult | None, kings: KingResult | None) -> tuple[Support, ...]:
        """Decide which metrics people, ORANGE and KING support, refute or leave open."""
        human = self.material.human
        supports: list[Support] = []
        rules = SupportRules(alpha=ALPHA, seed=self.options.seed, n_stability=self.options.n_stability)
        if human is not None and len(human.systems) > 1:
            result = support_scores(self.scores_with_length, human, rules)
            supports += result.supports
            self.notes += [f"people: {note}" for note in result.notes]
        labels = self.material.test_set.documents
        if orange is not None:
            supports += support_orange(orange, labels, rules)
        if kings is not None:
            supports += support_king(kings, labels, rules)
        return tuple(supports)

    def compare_references_with_systems(self) -> HumanAdvantage | None:
        """Test what ORANGE and KING assume, where people also judged references."""
        human, test_set = self.material.human, self.material.test_set
        if human is None or human.others is None:
            return None
        criterion = next(iter(human.criteria))
        rows = [human.criteria[criterion], human.others.criteria[criterion]]
        names = (*human.systems, *human.others.systems)
        both = HumanScores(
            {criterion: np.concatenate(rows)}, human.kinds, names, human.level, human.n_judges, human.origin
        )
        people = make_human_source(both, criterion)
        rules = SupportRules(alpha=ALPHA, seed=self.options.seed)
        written = [name for name in human.others.systems if name in test_set.reference_names]
        return check_assumption(people, names, written, test_set.documents, rules)

    def study_references(self) -> ReferencesResult:
        """Vary the number of references, judged by people if they judged enough systems, else by ORANGE or KING."""
        material, options, human = self.material, self.options, self.material.human
        judged_by = choose_judge_of_references(material)
        usable = self.select_metrics("references", material.audit_metrics, "there are no scores with fewer references")
        study = ReferenceStudy(n_subsets=SUBSETS, seed=options.seed)
        judge: Judge
        if human is not None and judged_by == "people":
            first = next(iter(human.criteria))
            people = replace(human, criteria={first: human.criteria[first]}, kinds={first: human.kinds[first]})
            pool, judge = judge_by_people(material.test_set, people, material.encoding, study)
        elif material.nbest is not None and judged_by == "ORANGE":
            references = replace(material.test_set, systems={})
            pool = make_pool(references, least=3)
            judge = judge_by_orange(material.nbest, pool, material.list_encoding, options.seed, material.first_id)
        else:
            pool = make_pool(material.test_set, least=4)
            judge = KingJudge(material.encoding, pool, Workers(options.jobs))
        with self.watched("references", "subsets", len(draw_subsets(pool, judge, study))) as advance:
            workers = Workers(options.jobs, options.store, progress=advance)
            return run_references(pool, usable, judge, study, workers)


# --- the public function ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrialData:
    """Further data of a trial.

    nbest
        N-best lists, a file or lists, as for `tarocco.orange`. They are not tokenized unless `tokenize` is set.
    groups
        One label per segment, such as its genre; by default the documents.
    source
        The source text, which is shown beside segments.
    documents
        One label per segment, as for `tarocco.score`.
    name
        The name of the experiment.
    confusions
        How many candidates ranked above the references to keep per list and metric.
    short
        Whether ORANGE should "skip" or "keep" n-best lists that are shorter than the longest, as in `OrangeRules`.
    accept_data
        Give a verdict in spite of severe findings of the data audit.
    """

    nbest: NBest | None = None
    groups: Iterable[str] | None = None
    source: Iterable[str] | None = None
    documents: Iterable[str] | None = None
    name: str = "trial"
    confusions: int = 0
    short: str = "skip"
    accept_data: bool = False


TRIAL_DATA = TrialData()


class TrialShortcuts(TypedDict, total=False):
    """The fields of `TrialData`, `Text`, `Resampling` and `Workers` as keywords; None stands for the default."""

    nbest: NBest | None
    groups: Iterable[str] | None
    source: Iterable[str] | None
    documents: Iterable[str] | None
    name: str
    confusions: int
    short: str
    accept_data: bool
    tokenize: str | None
    lowercase: bool | None
    analyzer: Analyzer | None
    n_resamples: int | None
    confidence: float | None
    seed: int | None
    jobs: int | None
    store: Store | str | Path | None
    executor: Executor | None


def trial(
    systems: Candidates | str | os.PathLike[str],
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    human: HumanInput | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    data: TrialData = TRIAL_DATA,
    text: Text | None = None,
    resampling: Resampling | None = None,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[TrialShortcuts],
) -> Findings:
    """Find out which metrics deserve trust and which systems are better, with everything the data allow.

    A trial always computes scores and their significance. It audits metrics if there are two systems; computes QUEEN
    and JACK with two references, KING and the best set of metrics with three; ORANGE with n-best lists; correlation
    with people with human scores; and how many references are enough, judged by people, ORANGE or KING. `result.plan`
    says what was done and what was missing for the rest, `result.verdict` sums up; every other part is what the
    function of that name returns.

    Parameters
    ----------
    systems, references
        Either the name of an experiment file, without references, or a mapping from system names to their segments and
        the references of each segment. Arguments win over the settings of the file.
    metrics
        Names or metric objects; by default those of the experiment, or twelve that compare words and characters.
    human
        Human scores, as for `tarocco.correlate`.
    external
        As for `tarocco.score`.
    data
        N-best lists, labels, the source text and the name (`TrialData`).
    text, resampling
        How text is read, and how all intervals and tests are resampled; by default as the experiment says.
    workers
        Where work is done. With a store an interrupted trial continues where it stopped.
    **shortcuts
        The fields of these four values as keywords: nbest, groups, source, documents, name, confusions, short,
        accept_data, tokenize, lowercase, analyzer, n_resamples, confidence, seed, jobs, store, executor.

    Raises
    ------
    InputError
        If the shapes do not fit, or nothing can be scored. Errors of single steps are reported in the plan.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.trial(demo.systems, demo.references, metrics=["BLEU-4", "chrF", "WER"])
    >>> [step.name for step in result.plan if not step.possible]
    ['ORANGE', 'people']
    >>> result.verdict.groups[0]
    ('careful',)
    """
    changes = {name: value for name, value in shortcuts.items() if value is not None}
    data, _, _, workers = apply_shortcuts("trial", changes, data, text or TEXT, resampling or RESAMPLING, workers)
    requested: dict[str, Any] = {"metrics": metrics, "human": human, "external": external, "store": workers.store}
    requested |= {name: getattr(data, name) for name in ("nbest", "groups", "source")}
    for default, value in ((TEXT, text), (RESAMPLING, resampling)):  # None lets an experiment file decide
        for field in fields(default):
            requested[field.name] = changes.get(field.name, getattr(value, field.name, None))
    if isinstance(systems, str | os.PathLike):
        if references is not None or data.documents is not None:
            raise InputError("an experiment file names references and documents: pass it alone")
        experiment = open_experiment(systems)
        material = material_of_experiment(experiment, requested)
        command = f"tarocco trial {os.fspath(systems)}"
    elif references is None:
        raise InputError("expected references beside systems, or the name of an experiment file alone")
    else:
        experiment = None
        material = material_of_texts(systems, references, data.name, data.documents, requested)
        command = "tarocco.trial(...)"
    settings = combine_settings(requested, experiment)
    draws = settings["confidence"] or 0.95, settings["n_resamples"], settings["seed"]
    options = TrialOptions(*draws, data.confusions, workers.jobs, settings["store"], workers.executor, data.short)
    options = replace(options, accept_data=data.accept_data)
    return conduct_trial(material, options, command)
