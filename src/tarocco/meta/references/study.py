"""How many references are enough? Metrics on subsets of them, judged by people (Finch et al. 2004), ORANGE or KING.

Every subset is scored as a test set of its own, so that everything that depends on the references (clipping, lengths,
NIST's information, the choice of the best reference) is as if there were no others.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from numbers import Integral, Real
from threading import Lock
from typing import Unpack

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Candidates, HumanScores, References, TestSet, as_list, make_streams, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.lists import NBestList
from tarocco.meta.correlation.agreement import COEFFICIENTS
from tarocco.meta.correlation.levels import CorrelationLevel, make_level
from tarocco.meta.correlation.score_sources import (
    MIN_SYSTEMS,
    HumanInput,
    ScoreSource,
    describe_judged_systems,
    find_criterion,
    make_human_scores,
    make_human_source,
    make_metric_source,
    make_source,
)
from tarocco.meta.orange.orange import UNTOKENIZED, NBest, open_lists, run_orange
from tarocco.meta.orange.rules import OrangeRules, make_scorers
from tarocco.meta.qarla.decisions import HeldOutCases
from tarocco.meta.qarla.king import compute_chance, mean_over_segments
from tarocco.meta.qarla.queen import PairSelection, compute_held_out_queens, mean_ignoring_nan
from tarocco.meta.qarla.similarities import TextSimilarities, compute_similarities
from tarocco.meta.references.curves import Curve, Point, ReferencesResult
from tarocco.meta.references.subsets import ReferencePool, Subset, make_pool
from tarocco.meta.support.decision import group_units, sum_groups
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.resampling import count_segment_draws, count_units
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import (
    SEED,
    TEXT,
    WORKERS,
    Resampling,
    Text,
    TextShortcuts,
    Workers,
    WorkerShortcuts,
    apply_shortcuts,
)

N_DRAWS = 200  # of the segments, for the standard error of a difference between two numbers of references
N_SEGMENT_DRAWS = 50  # correlations of all segments take longer
METRICS = ("BLEU-4", "NIST-5", "WER", "GTM-1", "chrF")  # the four of Finch et al., and a recent one


@dataclass(frozen=True)
class ReferenceStudy:
    """The options of `tarocco.references`.

    most
        The largest number of references; segments with fewer are not used. By default as many as every segment
        has.
    n_subsets, seed
        The number of subsets to draw of each size, unless there are fewer, and the seed.
    orders
        Also evaluate the lower orders of BLEU and NIST, and what each order contributes to the score.
    enough
        The share of the agreement with all references that counts as enough.
    level, grouping, coefficient
        What is correlated with people: "system", "segment" or "document" (1000 pseudo-documents of 30 segments). At the
        latter two, all points together ("none"), or the mean over "item" or "system". The coefficient is pearson,
        spearman, kendall, kendall-a or kendall-c; by default pearson at system level and kendall otherwise.
    """

    most: int | None = None
    n_subsets: int = 20
    orders: bool = False
    enough: float = 0.98
    level: str = "system"
    grouping: str | None = None
    coefficient: str | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if not (isinstance(self.n_subsets, Integral) and self.n_subsets >= 1):
            raise BadParameter(f"n_subsets is an integer of at least 1, not {self.n_subsets!r}")
        if not (isinstance(self.enough, Real) and 0 < self.enough <= 1):
            raise BadParameter(f"enough is a number above 0 and up to 1, not {self.enough!r}")


class ReferenceShortcuts(TextShortcuts, WorkerShortcuts, total=False):
    """The fields of `ReferenceStudy`, `Text` and `Workers` as keywords."""

    most: int | None
    n_subsets: int
    orders: bool
    enough: float
    level: str
    grouping: str | None
    coefficient: str | None
    seed: int


STUDY = ReferenceStudy()


def references(
    systems: Candidates | None,
    references: References,
    human: HumanInput | None = None,
    *,
    nbest: NBest | None = None,
    by: str | None = None,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    documents: Iterable[str] | None = None,
    study: ReferenceStudy = STUDY,
    text: Text | None = None,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[ReferenceShortcuts],
) -> ReferencesResult:
    """Find out how many references are enough.

    Metrics are computed with 1, 2, 3, ... references, on random subsets of each size or on all subsets if there are
    few. A judge says how good each metric is: people, ORANGE or KING.

    Parameters
    ----------
    systems, references
        A mapping from system names to their segments (None with `nbest`), and the references of each segment. If
        segments have different numbers of references, subsets are drawn for each segment separately.
    human
        A file of human scores (optionally FILE:COLUMN), HumanScores, or a mapping from systems to a number, or to one
        number per segment, None where there is no judgment. Systems without human scores are not used.
    nbest
        Instead of systems and human scores, n-best lists as for `tarocco.orange`: then ORANGE is the judge. It leaves
        one reference out, so that it starts with two.
    by
        "king" for KING, which needs neither human scores nor n-best lists: how often metrics prefer a held-out
        reference to all systems (strict KING, see `tarocco.king`). It starts with three references. "people" and
        "orange" follow from `human` and `nbest`.
    metrics
        Names such as "BLEU-4", or metric objects.
    documents
        One label per segment. Segments of one document are not independent, so the tests redraw whole documents.
    study
        The options of the study (`ReferenceStudy`).
    text, workers
        As for `tarocco.score`; n-best lists are not tokenized by default.
    **shortcuts
        The fields of these three values as keywords: most, n_subsets, orders, enough, level, grouping, coefficient,
        seed, tokenize, lowercase, analyzer, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> references = [["the cat sat down", "a cat sat", "the cat was sitting"]] * 2
    >>> systems = {"a": ["the cat sat", "a cat sat"], "b": ["cat", "cat sat"], "c": ["it", "a cat"], "d": ["", "the"]}
    >>> human = {"a": 5, "b": 3, "c": 2, "d": 1}
    >>> curve = tarocco.references(systems, references, human, metrics="chrF")["chrF"]
    >>> [(point.size, len(point.values)) for point in curve.points]
    [(1, 3), (2, 3), (3, 1)]
    """
    by = _choose_judge(by, human is not None, nbest is not None)
    default = UNTOKENIZED if by == "orange" else TEXT
    set_by_caller = {name: value for name, value in shortcuts.items() if (name, value) != ("tokenize", None)}
    study, reading, workers = apply_shortcuts("references", set_by_caller, study, text or default, workers)
    if by != "people" and (study.level != "system" or study.grouping or study.coefficient):
        raise BadParameter(f"level, grouping and coefficient need human scores, but the judge is {by.upper()}")
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    judge: Judge
    if by == "orange":
        assert nbest is not None
        if systems is not None:
            raise BadParameter("nbest needs no systems: pass None for them")
        labels = None if documents is None else tuple(documents)
        pool = make_pool(TestSet({}, make_streams(as_list(references, "references")), labels), study.most, least=3)
        judge = judge_by_orange(nbest, pool, reading.encoding, study.seed)
    elif by == "king":
        if systems is None:
            raise BadParameter("KING compares references with systems, but systems is None")
        pool = make_pool(make_test_set(systems, references, documents), study.most, least=4)
        judge = KingJudge(reading.encoding, pool, workers, study.seed)
    else:
        assert human is not None
        if not isinstance(systems, Mapping):
            raise InputError("systems is a mapping from names to segments, because a correlation needs several")
        test_set = make_test_set(systems, references, documents)
        people = make_human_scores(human, list(test_set.systems), len(test_set))
        pool, judge = judge_by_people(test_set, people, reading.encoding, study)
    return run_references(pool, chosen, judge, study, workers)


def _choose_judge(by: str | None, with_people: bool, with_lists: bool) -> str:
    """Return the judge, by name or from the data."""
    judges = ["people"] * with_people + ["orange"] * with_lists
    if by not in (None, "people", "orange", "king"):
        raise BadParameter(f"by is people, orange or king, not {by!r}")
    if by == "king" and not judges:
        return by
    if len(judges) != 1 or by not in (None, *judges):
        raise BadParameter('expected one judge: people (human), ORANGE (nbest), or by="king" with neither')
    return judges[0]


# --- the study -----------------------------------------------------------------------------------------------------


def run_references(
    pool: ReferencePool, metrics: Sequence[Metric], judge: Judge, study: ReferenceStudy, workers: Workers
) -> ReferencesResult:
    """Return the curves of metrics; `workers.progress` is called after each subset."""
    if not metrics:
        raise InputError("no metric to evaluate")
    lower = {metric: metric.lower_orders() if study.orders else [] for metric in metrics}
    chosen = list(dict.fromkeys([*metrics, *chain.from_iterable(lower.values())]))
    subsets = draw_subsets(pool, judge, study)
    agreements: list[list[SubsetAgreement]] = []
    for of_subset in _judge_subsets(judge, pool, subsets, chosen, workers):
        agreements.append(of_subset)
        if workers.progress is not None:
            workers.progress(1)
    more = [*judge.signature_parts, ("subsets", study.n_subsets), ("most", pool.most)]
    more += [("drawn", pool.drawn), ("seed", study.seed)]
    units = count_units(len(pool.rows), pool.test_set.documents)
    if units.name == "document":
        more.append(("unit", units.name))
    curves = []
    for m, metric in enumerate(chosen):
        points = []
        for size in range(judge.least, pool.most + 1):
            of_size = [
                (subset.name, of_subset[m])
                for subset, of_subset in zip(subsets, agreements, strict=True)
                if subset.size == size
            ]
            points.append(_point(size, of_size, study.orders))
        curves.append(
            Curve(
                str(metric),
                metric.signature(judge.encoding, None, more),
                tuple(points),
                study.enough,
                judge.lower_is_better,
                metric in lower,
                next((of_subset[m].why for of_subset in agreements if of_subset[m].why), None),
                units.count,
            )
        )
    names = {str(metric): tuple(map(str, orders)) for metric, orders in lower.items()}
    notes = _notes(pool, judge, curves)
    return ReferencesResult(tuple(curves), judge.name, pool.drawn, units, len(pool.rows), notes, names)


def draw_subsets(pool: ReferencePool, judge: Judge, study: ReferenceStudy) -> list[Subset]:
    """Return the subsets of every size that the judge can judge."""
    sizes = range(judge.least, pool.most + 1)
    return [subset for size in sizes for subset in pool.subsets(size, study.n_subsets, study.seed)]


def _judge_subsets(
    judge: Judge, pool: ReferencePool, subsets: Sequence[Subset], metrics: Sequence[Metric], workers: Workers
) -> Iterator[list[SubsetAgreement]]:
    """Judge subsets in parallel; with a store, which has one writer, one after another with parallel work inside."""
    store, executor = workers.store, workers.executor
    if store is None and not (executor is not None and isinstance(judge, KingJudge)):  # KING compares texts here, once

        def judge_alone(subset: Subset) -> list[SubsetAgreement]:
            return judge(pool.test_set_of(subset), metrics, Workers(jobs=1))

        yield from map_ordered(judge_alone, subsets, len(subsets), workers.jobs, executor)
        return
    from tarocco.store import Store

    with nullcontext(store) if store is None or isinstance(store, Store) else closing(Store(store)) as opened:
        for subset in subsets:
            yield judge(pool.test_set_of(subset), metrics, Workers(workers.jobs, opened, executor))


def _point(size: int, agreements: Sequence[tuple[str, SubsetAgreement]], with_shares: bool) -> Point:
    shares = {}
    for name in agreements[0][1].shares if with_shares else ():
        values = np.array([agreement.shares[name] for _, agreement in agreements])
        shares[name] = float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
    values = np.array([agreement.value for _, agreement in agreements])
    redrawn = np.stack([agreement.redrawn for _, agreement in agreements])
    return Point(size, tuple(name for name, _ in agreements), values, shares, mean_ignoring_nan(redrawn, 0))


def _notes(pool: ReferencePool, judge: Judge, curves: Sequence[Curve]) -> tuple[str, ...]:
    notes = list(judge.notes)
    if len(pool.rows) < pool.of:
        notes.insert(0, f"{len(pool.rows)} of {pool.of} segments have {pool.most} or more references and are used")
    if not pool.by_stream:
        notes.append("segments have different numbers of references: subsets are drawn for each segment separately")
    for curve in curves:
        values = np.concatenate([point.values for point in curve.points])
        missing = int(np.isnan(values).sum())
        if missing:
            notes.append(f"{curve.metric} is undefined for {missing} of {len(values)} subsets: {curve.why}")
    return tuple(notes)


# --- judges: people ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SubsetAgreement:
    """What a judge says of one metric with one subset of the references.

    `redrawn` is the agreement beyond chance, higher is better: as observed, and on resampled segments or documents.
    """

    value: float  # NaN if undefined
    redrawn: Floats
    shares: Mapping[str, float] = field(default_factory=dict)  # of orders, the mean over systems
    why: str | None = None  # the value is undefined


@dataclass(frozen=True, eq=False)
class PeopleJudge:
    """Judges metrics by their correlation with human scores."""

    encoding: Encoding
    level: CorrelationLevel
    coefficient: str
    people: ScoreSource
    items: Floats
    seed: int
    signature_parts: Sequence[tuple[str, object]]
    notes: Sequence[str] = ()
    least: int = 1
    lower_is_better: bool = False

    @property
    def name(self) -> str:
        """What the numbers are."""
        grouped = f", grouped by {self.level.grouping}" if self.level.grouping != "none" else ""
        return f"{self.coefficient.capitalize()} correlation with people, {self.level.level} level{grouped}"

    def __call__(self, test_set: TestSet, metrics: Sequence[Metric], workers: Workers) -> list[SubsetAgreement]:
        """Return the correlation of each metric, and what its orders contribute."""
        how = {"jobs": workers.jobs, "store": workers.store, "executor": workers.executor}
        scores = score_test_set(test_set, metrics, self.encoding, **how).scores  # type: ignore[arg-type]
        agreements = []
        for m, metric in enumerate(metrics):
            of_metric = scores[m :: len(metrics)]  # sorted by system, then by metric
            source = make_metric_source(of_metric)
            agreement = self.level.agreement(self.coefficient, self.level.items(source), self.items)
            redrawn = np.concatenate([[agreement.value], self._redraw(source, workers.jobs)])
            by_order = metric.order_shares(np.stack([score.sums for score in of_metric]))
            shares = {name: _mean(values) for name, values in by_order.items()}
            agreements.append(SubsetAgreement(agreement.value, redrawn, shares, agreement.why))
        return agreements

    def _redraw(self, source: ScoreSource, jobs: int | None) -> Floats:
        """Return correlations on resampled segments or documents; none for pseudo-documents, which overlap."""
        if self.level.level == "document":
            return np.empty(0)
        people, level, n_draws = self.people, self.level, N_SEGMENT_DRAWS
        if level.level == "system":
            people, source = (_combine_units(scores, level.labels) for scores in (people, source))
            level, n_draws = replace(level, labels=None), N_DRAWS
        resampling = Resampling(n_draws, seed=self.seed)
        values = level.resampled(self.coefficient, [source], people, resampling, Workers(jobs=jobs))
        return np.asarray(values[0], np.float64)


def _combine_units(source: ScoreSource, labels: Sequence[str] | None) -> ScoreSource:
    """Return the source with the segments of each document summed, and many units summed in random groups.

    Redrawing groups takes a fraction of the time.
    """
    if source.statistics is None:
        return source
    systems, segments, k = source.statistics.shape
    groups = group_units(segments, labels)
    rows = sum_groups(np.moveaxis(source.statistics, 1, 2).reshape(systems * k, segments), groups)
    return ScoreSource(source.name, source.systems, np.moveaxis(rows.reshape(-1, systems, k), 0, 1), source.score)


def judge_by_people(
    test_set: TestSet, human: HumanScores, encoding: Encoding, study: ReferenceStudy
) -> tuple[ReferencePool, PeopleJudge]:
    """Return the references of the segments that are used, and people as the judge of the systems they scored."""
    judged_systems = {name: test_set.systems[name] for name in human.systems}
    pool = make_pool(replace(test_set, systems=judged_systems), study.most)
    level, coefficient = study.level, study.coefficient or ("pearson" if study.level == "system" else "kendall")
    if coefficient not in COEFFICIENTS:
        raise BadParameter(f"coefficient is one of {', '.join(COEFFICIENTS)}, not {coefficient!r}")
    view = make_level(level, study.grouping, len(pool.rows), seed=study.seed, labels=pool.test_set.documents)
    side, notes = _restrict(make_human_source(human, find_criterion(human)), pool)
    items = view.items(side)  # before anything is scored, because people may have no scores at this level
    judged = int(np.isfinite(items).any(axis=1).sum())
    if judged < MIN_SYSTEMS and (level == "system" or study.grouping == "item"):
        raise InputError(f"people judged {judged} of these systems: a correlation needs {MIN_SYSTEMS} systems or more")
    parts: list[tuple[str, object]] = [("by", "people"), ("level", level)]
    if level != "system":
        parts.append(("grouping", view.grouping))
    if level == "document":
        parts.append(("documents", "1000x30"))
    parts += [("corr", coefficient), *human.origin]
    notes = [*describe_judged_systems(human, list(test_set.systems)), *notes]
    return pool, PeopleJudge(encoding, view, coefficient, side, items, study.seed, parts, notes)


def _restrict(side: ScoreSource, pool: ReferencePool) -> tuple[ScoreSource, list[str]]:
    """Return the human scores of the segments that are used, and notes."""
    if side.statistics is None:
        whole = "people judged whole systems, so their scores also cover the segments that are not used"
        return side, [whole] * (len(pool.rows) < pool.of)
    side = make_source(side.name, side.segments[:, pool.rows])
    judged = np.isfinite(side.segments).sum(axis=1)
    fewest, most = int(judged.min()), int(judged.max())
    if fewest == len(pool.rows):
        return side, []
    counts = f"{fewest} to {most}" if fewest < most else str(most)
    return side, [f"people judged {counts} of {len(pool.rows)} segments of a system; metrics score all of them"]


def redraw_mean(values: Floats, seed: int, labels: Sequence[str] | None = None) -> Floats:
    """Return the mean over segments, as observed and on resampled segments; all metrics and subsets draw alike.

    Documents are resampled as wholes if `labels` name those of the segments.
    """
    draws = count_segment_draws(len(values), labels, seed, 0, N_DRAWS)
    weights = np.concatenate([np.ones((1, len(values))), draws])
    known = ~np.isnan(values)
    means = np.full(len(weights), np.nan)
    counts = weights @ known
    np.divide(weights @ np.where(known, values, 0.0), counts, out=means, where=counts > 0)
    return np.round(means, 12)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


# --- judges: ORANGE ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OrangeJudge:
    """Judges metrics by ORANGE; the n-best lists stay in memory, because every subset needs them."""

    encoding: Encoding
    lists: Sequence[NBestList]
    path: str
    rules: OrangeRules
    seed: int
    notes: Sequence[str] = ()
    least: int = 2  # each reference is scored against the others
    lower_is_better: bool = True
    name: str = "ORANGE"

    @property
    def signature_parts(self) -> Sequence[tuple[str, object]]:
        """The judge as signatures have it."""
        return [("by", "orange"), *self.rules.signature_parts]

    def __call__(self, test_set: TestSet, metrics: Sequence[Metric], workers: Workers) -> list[SubsetAgreement]:
        """Return ORANGE of each metric."""
        result = run_orange(
            iter(self.lists),
            self.path,
            test_set,
            make_scorers(metrics),
            rules=self.rules,
            encoding=self.encoding,
            resampling=Resampling(2, seed=self.seed),  # intervals are not used
            workers=workers,
        )
        agreements = []
        for metric in (result[str(metric)] for metric in metrics):
            beyond = np.full(len(test_set), np.nan)
            beyond[result.segments] = (metric.chance_ranks - metric.ranks) / (result.sizes + 1.0)
            why = None if metric.n_segments else "it scores no list"
            agreements.append(
                SubsetAgreement(metric.orange, redraw_mean(beyond, self.seed, test_set.documents), why=why)
            )
        return agreements


def judge_by_orange(nbest: NBest, pool: ReferencePool, encoding: Encoding, seed: int, first_id: int = 0) -> OrangeJudge:
    """Return ORANGE as the judge. It uses the lists of the pool's segments; short lists count with their own length."""
    rules = OrangeRules(short="keep", first_id=first_id if isinstance(nbest, str | os.PathLike) else 0)
    stream, path = open_lists(nbest, pool.of, rules)
    place = {segment: i for i, segment in enumerate(pool.rows.tolist())}
    lists = [replace(item, segment=place[item.segment]) for item in stream if item.segment in place]
    if not lists:
        raise InputError(f"{path}: no list belongs to a segment that is used")
    missing = len(pool.rows) - len({item.segment for item in lists})
    notes = [f"{missing} of {len(pool.rows)} segments have no list"] if missing else []
    return OrangeJudge(encoding, lists, path, replace(rules, first_id=0), seed, notes)


# --- judges: KING --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class KingJudge:
    """Judges metrics by strict KING: how often a held-out reference is better than every system, by the others.

    A text is compared with one reference at a time. So if every segment has every stream of references, texts are
    compared once for all subsets.
    """

    encoding: Encoding
    pool: ReferencePool
    workers: Workers
    seed: int = SEED
    signature_parts: Sequence[tuple[str, object]] = (("by", "strict-king"),)
    notes: Sequence[str] = ()
    least: int = 3  # one is held out, and two are compared with each other
    lower_is_better: bool = False
    name: str = "strict KING"
    _compared: dict[tuple[Metric, ...], TextSimilarities] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)  # subsets are judged in threads

    def __call__(self, test_set: TestSet, metrics: Sequence[Metric], workers: Workers) -> list[SubsetAgreement]:
        """Return strict KING of each metric alone."""
        near = self._similarities(test_set, tuple(metrics), workers)
        alone = [[m] for m in range(len(metrics))]
        of_metrics = compute_held_out_queens(near, alone, PairSelection(), workers.jobs)
        agreements = []
        for queens in of_metrics:
            cases = HeldOutCases.of(queens, near.present)
            why = None if cases.n_segments else "it has no scores to compare"
            chance = mean_ignoring_nan(compute_chance(queens, cases.counted)[..., 1], 1)
            redrawn = redraw_mean(cases.by_segment[:, 1] - chance, self.seed, test_set.documents)
            agreements.append(SubsetAgreement(float(mean_over_segments(cases.by_segment)[1]), redrawn, why=why))
        return agreements

    def _similarities(self, test_set: TestSet, metrics: tuple[Metric, ...], workers: Workers) -> TextSimilarities:
        if not self.pool.by_stream:
            return compute_similarities(test_set, metrics, self.encoding, workers=workers)
        with self._lock:
            if metrics not in self._compared:
                everything = replace(workers, jobs=self.workers.jobs)
                whole = self.pool.test_set
                self._compared[metrics] = compute_similarities(whole, metrics, self.encoding, workers=everything)
        names = self.pool.names
        return self._compared[metrics].select(references=[names.index(name) for name in test_set.stream_names])


Judge = PeopleJudge | OrangeJudge | KingJudge
