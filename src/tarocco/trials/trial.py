"""All steps of a trial, one after the other: what is computed once serves every step that can use it.

A step that the data do not allow after all is no end of the trial: its sentence stands in the plan, and the others go
on. Blocks of scores, similarities and outcomes of lists are kept in a store, so that a trial that was stopped goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tarocco.annotate.analyzers import Analyzer
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Candidates, References, TestSet
from tarocco.meta.audit.audit import AuditResult, audit_test_set
from tarocco.meta.audit.evidence import AuditSettings
from tarocco.meta.correlation.agreement import MIN_POINTS
from tarocco.meta.correlation.correlate import correlate_scores
from tarocco.meta.correlation.metric_tests import count_comparisons
from tarocco.meta.correlation.results import CorrelateResult, make_question
from tarocco.meta.correlation.score_sources import MIN_SYSTEMS, HumanInput, LengthRatio
from tarocco.meta.orange.orange import NBest, open_lists, run_orange
from tarocco.meta.orange.results import FROM_STORE, OrangeResult
from tarocco.meta.orange.rules import OrangeRules, make_scorers
from tarocco.meta.qarla.optimize import run_optimize
from tarocco.meta.qarla.qarla import KING_OPTIONS, QARLA_OPTIONS, evaluate_jack, evaluate_king, evaluate_queen
from tarocco.meta.qarla.results import OptimizeResult
from tarocco.meta.qarla.set_search import SetSearch
from tarocco.meta.qarla.similarities import Similarities, compute_similarities, count_similarities
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
from tarocco.meta.significance.paired_tests import PairedTest, required_draws
from tarocco.metrics.base import Metric
from tarocco.metrics.external import ExternalSource
from tarocco.parallel.fan_out import check_jobs
from tarocco.scoring.resampling import check_resampling
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import SEED, Resampling, Workers
from tarocco.trials.breakdowns import correlate_metrics, make_breakdowns
from tarocco.trials.findings import Findings, PlanStep
from tarocco.trials.inputs import (
    Material,
    combine_settings,
    material_of_experiment,
    material_of_texts,
    open_experiment,
)
from tarocco.trials.plan import judge_of_references, plan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


ALPHA = 0.05  # of all tests
SUBSETS = 10  # of references of each size

Advance = Callable[..., None]
Watch = Callable[[str, str, int | None, str | None], AbstractContextManager[Advance]]
Found = TypeVar("Found")


@contextmanager
def unwatched(_step: str, _items: str, _total: int | None, _inside: str | None) -> Iterator[Advance]:
    """Nobody looks."""
    yield lambda *_done: None


@dataclass(frozen=True)
class TrialOptions:
    """How a trial is held."""

    confidence: float = 0.95
    n_resamples: int = 1000
    seed: int = SEED
    confusions: int = 0  # candidates above the references that are kept of each list and metric
    jobs: int | None = None
    store: Store | str | Path | None = None
    executor: Executor | None = None
    short: str = "skip"  # or "keep", for n-best lists with fewer candidates than the longest, as in `OrangeRules`

    def __post_init__(self) -> None:
        check_resampling(self.confidence, self.n_resamples, self.seed)
        check_jobs(self.jobs)


def conduct_trial(material: Material, conduct: TrialOptions, command: str, watch: Watch = unwatched) -> Findings:
    """Do all that the data allow; `watch` is told of each step: its place and name, what is counted, and how many."""
    if conduct.store is not None and isinstance(conduct.store, str | Path):
        from tarocco.store import Store  # SQLite, which a run without a store does not need

        with Store(conduct.store) as opened:
            return conduct_trial(material, replace(conduct, store=opened), command, watch)
    run = _Run(material, conduct, watch)
    found: dict[str, Any] = {name: run.attempt(name, work) for name, work in run.steps().items()}
    from tarocco.trials.verdict import reach_verdict

    findings = Findings(
        name=material.name,
        command=command,
        encoding=material.encoding,
        seed=conduct.seed,
        test_set=material.test_set,
        source=material.source,
        groups=material.labels,
        human=material.human,
        scores=run.scores,
        comparison=found["significance"],
        agreement=found["agreement"],
        breakdowns=found["breakdown"] or (),
        orange=found["ORANGE"],
        kings=found["KING"],
        queens=found["QUEEN"],
        jack=found["JACK"],
        optimal=found["optimal set"],
        correlations=found["people"] or (),
        curves=found["references"],
        audit=found["audit"],
        plan=run.plan,
        notes=tuple(dict.fromkeys(run.notes)),
    )
    return replace(findings, verdict=reach_verdict(findings))


class _Run:
    """One trial on its way."""

    def __init__(self, material: Material, conduct: TrialOptions, watch: Watch) -> None:
        self.material, self.conduct, self.watch = material, conduct, watch
        self.planned = plan(material)
        self.refused: dict[str, str] = {}
        self.notes: list[str] = []
        self.workers: dict[str, Any] = {"jobs": conduct.jobs, "store": conduct.store, "executor": conduct.executor}

    def steps(self) -> dict[str, Callable[[], object]]:
        return {
            "scores": lambda: self.scores,
            "significance": self.significance,
            "agreement": lambda: correlate_metrics(self.scores),
            "breakdown": lambda: make_breakdowns(self.scores, self.material.test_set, self.material.labels),
            "audit": self.audit,
            "ORANGE": self.orange,
            "KING": lambda: evaluate_king(self.near, None, KING_OPTIONS, self.resampling, self.conduct.jobs),
            "QUEEN": lambda: evaluate_queen(
                self.near,
                self._scores_of(self.material.pairwise_metrics),
                QARLA_OPTIONS,
                self.resampling,
                self.conduct.jobs,
            ),
            "JACK": lambda: evaluate_jack(self.near, None, QARLA_OPTIONS, self.resampling, self.conduct.jobs),
            "optimal set": self.optimal,
            "people": self.people,
            "references": self.references,
        }

    @property
    def plan(self) -> tuple[PlanStep, ...]:
        """What was done, and what could not be after all."""
        return tuple(
            replace(step, possible=False, why=self.refused[step.name]) if step.name in self.refused else step
            for step in self.planned
        )

    def possible(self, name: str) -> bool:
        return any(step.possible for step in self.planned if step.name == name)

    def attempt(self, name: str, work: Callable[[], Found]) -> Found | None:
        """What a step finds; data that are wrong for it are no reason to stop, unless nothing can be scored."""
        if not self.possible(name):
            return None
        try:
            result = work()
        except (InputError, BadParameter) as error:
            if name == "scores":
                raise
            self.refused[name] = str(error)
            return None
        self.notes += [f"{name}: {note}" for note in getattr(result, "notes", ())]
        return result

    def watched(self, name: str, items: str, total: int | None, inside: str | None = None) -> Any:
        doing = [step.name for step in self.planned if step.possible]
        return self.watch(f"{doing.index(name) + 1}/{len(doing)} {name}", items, total, inside)

    def leave_out(self, name: str, fit: Sequence[Metric], why: str) -> Sequence[Metric]:
        """The metrics that a step can take; what is left out is told."""
        others = [str(metric) for metric in self.material.metrics if metric not in fit]
        if others:
            self.notes.append(f"{name}: left out {', '.join(others)}: {why}")
        return fit

    # --- scores ----------------------------------------------------------------------------------------------------

    @cached_property
    def with_length(self) -> Result:
        """The scores of all metrics and, for people, what the length alone says."""
        own, conduct = self.material, self.conduct
        metrics = [*own.metrics, *([LengthRatio()] if own.human is not None else [])]
        computed = len(own.computed_metrics) + len(metrics) - len(own.metrics)
        with self.watched("scores", "scores", len(own.test_set) * len(own.test_set.systems) * computed) as advance:
            return score_test_set(
                own.test_set,
                metrics,
                own.encoding,
                resampling=Resampling(conduct.n_resamples, conduct.confidence, conduct.seed),
                workers=Workers(**self.workers, progress=advance),
            )

    @cached_property
    def scores(self) -> Result:
        return self._scores_of(self.material.metrics)

    def _scores_of(self, metrics: Sequence[Metric]) -> Result:
        return Result(tuple(one for one in self.with_length.scores if one.metric in metrics), single=False)

    def significance(self) -> CompareResult:
        test = PairedTest("bootstrap", 0, self.conduct.seed, ALPHA, self.conduct.jobs)
        return compare_scores(self.scores, test, all_pairs=True)

    def audit(self) -> AuditResult:
        own, conduct = self.material, self.conduct
        elsewhere = [metric for metric in own.metrics if metric not in own.computed_metrics]
        fit = self.leave_out("audit", [*own.audit_metrics, *elsewhere], "no file describes the texts that it makes")
        if not fit:
            raise InputError("no metric can score the texts that an audit makes")
        settings = AuditSettings(alpha=ALPHA, seed=conduct.seed)
        total = len(own.test_set) * (2 * len(own.test_set.systems) + 1) * len(own.audit_metrics)
        with self.watched("audit", "scores", total) as advance:
            return audit_test_set(
                own.test_set,
                fit,
                own.encoding,
                settings=settings,
                workers=Workers(**self.workers, progress=advance),
                groups=own.labels,
                scores=self._scores_of(fit),
            )

    # --- judges ----------------------------------------------------------------------------------------------------

    def orange(self) -> OrangeResult:
        own, conduct = self.material, self.conduct
        fit: Sequence[Metric] = own.audit_metrics if own.most_references > 1 else []
        self.leave_out("ORANGE", fit, "there are no scores of the candidates of n-best lists")
        n, nbest = len(own.test_set), own.nbest
        assert nbest is not None
        rules = OrangeRules(short=conduct.short, curve=True, confusions=conduct.confusions, first_id=own.first_id)
        with self.watched("ORANGE", "lists", n, "candidates") as advance:
            result = run_orange(
                *open_lists(nbest, n, rules),
                TestSet({}, own.test_set.references, None, own.test_set.reference_names),
                make_scorers(fit, own.candidate_scores),
                rules=rules,
                encoding=own.list_encoding,
                resampling=Resampling(conduct.n_resamples, conduct.confidence, conduct.seed),
                workers=Workers(**self.workers),
                advance=advance,
            )
        return replace(result, notes=tuple(note for note in result.notes if not note.endswith(FROM_STORE)))

    @cached_property
    def resampling(self) -> Resampling:
        return Resampling(self.conduct.n_resamples, self.conduct.confidence, self.conduct.seed)

    @cached_property
    def near(self) -> Similarities:
        """How near all texts are to each other: what KING, QUEEN, JACK and sets of metrics are found from."""
        own, first = self.material, "KING" if self.possible("KING") else "QUEEN"
        fit = self.leave_out("KING, QUEEN and JACK", own.pairwise_metrics, "there are no scores of pairs of texts")
        every = self.possible("JACK")
        with self.watched(first, "similarities", count_similarities(own.test_set, fit, every)) as advance:
            return compute_similarities(
                own.test_set,
                fit,
                own.encoding,
                between_systems=every,
                workers=Workers(**self.workers, progress=advance),
            )

    def optimal(self) -> OptimizeResult:
        search = SetSearch()
        with self.watched("optimal set", "sets", search.count_sets(len(self.near.metrics))) as advance:
            return run_optimize(
                self.near, search, QARLA_OPTIONS, self.resampling, Workers(self.conduct.jobs, progress=advance)
            )

    def people(self) -> tuple[CorrelateResult, ...]:
        """The correlation of systems' scores, and that within segments, as far as there are enough scores."""
        human = self.material.human
        assert human is not None
        levels = ["system"] if len(human.systems) >= MIN_SYSTEMS else []
        levels += ["segment"] if human.level == "segment" else []
        needed = required_draws(count_comparisons(len(self.material.metrics), 2), ALPHA)
        found, refused = [], []
        for level in levels:
            within = level == "segment" and len(human.systems) >= MIN_POINTS
            question = make_question(
                level=level,
                grouping="item" if within else None,
                coefficient=None,
                system_scores="corpus",
                drop_outliers=False,
                test=None,
                alpha=ALPHA,
                n_permutations=None,
                confidence=self.conduct.confidence,
                # Below system level the bootstrap is the test, and wants draws for all pairs of metrics.
                n_resamples=max(self.conduct.n_resamples, needed if level == "segment" else 0),
                seed=self.conduct.seed,
                documents=(1000, 30),
            )
            try:
                with self.watched("people", "resamples", question.n_resamples * len(human.criteria)) as advance:
                    result = correlate_scores(self.with_length, human, question, self.conduct.jobs, advance)
                found.append(result)
                self.notes += [f"people: {note}" for note in result.notes]
            except InputError as error:
                refused.append(str(error))
        if not found:
            raise InputError("; ".join(dict.fromkeys(refused)))
        return tuple(found)

    def references(self) -> ReferencesResult:
        """Curves by people where they judged enough systems, else by ORANGE, or else by KING."""
        own, conduct, human = self.material, self.conduct, self.material.human
        who = judge_of_references(own)
        fit = self.leave_out("references", own.audit_metrics, "there are no scores with fewer references")
        study = ReferenceStudy(n_subsets=SUBSETS, seed=conduct.seed)
        judge: Judge
        if human is not None and who == "people":
            first = next(iter(human.criteria))
            people = replace(human, criteria={first: human.criteria[first]}, kinds={first: human.kinds[first]})
            pool, judge = judge_by_people(own.test_set, people, own.encoding, study)
        elif own.nbest is not None and who == "ORANGE":
            pool = make_pool(TestSet({}, own.test_set.references, None, own.test_set.reference_names), least=3)
            judge = judge_by_orange(own.nbest, pool, own.list_encoding, conduct.seed, own.first_id)
        else:
            pool = make_pool(own.test_set, least=4)
            judge = KingJudge(own.encoding, pool, Workers(conduct.jobs))
        with self.watched("references", "subsets", len(draw_subsets(pool, judge, study))) as advance:
            workers = Workers(conduct.jobs, conduct.store, progress=advance)
            return run_references(pool, fit, judge, study, workers)


# The whole trial of metrics and systems: `tarocco.trial`.


def trial(
    systems: Candidates | str | os.PathLike[str],
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    nbest: NBest | None = None,
    human: HumanInput | None = None,
    groups: Iterable[str] | None = None,
    source: Iterable[str] | None = None,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    name: str = "trial",
    tokenize: str | None = None,
    lowercase: bool | None = None,
    analyzer: Analyzer | None = None,
    confusions: int = 0,
    confidence: float | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
    short: str = "skip",
) -> Findings:
    """Which metric should I trust, and which system is better? Everything that the data allow, and a verdict.

    Scores and their significance always; audits from two systems on; QUEEN and JACK from two references on, KING and
    the best set of metrics from three; ORANGE from n-best lists; correlation with people from human scores; how many
    references are enough, by people, ORANGE or KING. `result.plan` says what was done and what was missing for the
    rest, `result.verdict` what it all means; every other part is what the function of that name returns.

    Parameters
    ----------
    systems, references
        The name of an experiment file, and no references; or a mapping from system names to their segments, and the
        references of each segment. What is said besides wins over what the file says.
    metrics
        Names or metric objects; by default the experiment's, or a dozen that compare words and characters.
    nbest
        N-best lists, a file or lists, as for `tarocco.orange`. They are not tokenized unless `tokenize` says so.
    human
        What people said, as for `tarocco.correlate`.
    groups
        A label a segment, such as its genre; the documents by default.
    source
        The source text, which is shown beside segments.
    documents, external, tokenize, lowercase, analyzer, jobs, store, executor
        As for `tarocco.score`. With a store a trial that was stopped goes on where it was.
    confusions
        How many candidates that stand above the references are kept of each list and metric.
    short
        Whether ORANGE should "skip" or "keep" n-best lists that are shorter than the longest, as for `tarocco.orange`.
    confidence, n_resamples, seed
        Of all intervals and tests: by default the experiment's, or 0.95, 1000 and 12345.

    Raises
    ------
    InputError
        If the shapes do not fit, or nothing can be scored. What is wrong for one step alone stands in the plan.

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
    requested: dict[str, Any] = {
        "metrics": metrics,
        "nbest": nbest,
        "human": human,
        "groups": groups,
        "source": source,
        "external": external,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "analyzer": analyzer,
        "confidence": confidence,
        "n_resamples": n_resamples,
        "seed": seed,
        "store": store,
    }
    if isinstance(systems, str | os.PathLike):
        if references is not None or documents is not None:
            raise InputError("an experiment file names references and documents: pass it alone")
        experiment = open_experiment(systems)
        material = material_of_experiment(experiment, requested)
        command = f"tarocco trial {os.fspath(systems)}"
    elif references is None:
        raise InputError("expected references beside systems, or the name of an experiment file alone")
    else:
        experiment = None
        material = material_of_texts(systems, references, name, documents, requested)
        command = "tarocco.trial(...)"
    settings = combine_settings(requested, experiment)
    resampling = settings["confidence"] or 0.95, settings["n_resamples"], settings["seed"]
    conduct = TrialOptions(*resampling, confusions, jobs, settings["store"], executor, short)
    return conduct_trial(material, conduct, command)
