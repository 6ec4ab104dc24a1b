"""Who says how good a metric is with some references: people, ORANGE, or KING."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import HumanScores, TestSet
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.lists import NBestList, read_nbest
from tarocco.meta.correlation.agreement import COEFFICIENTS
from tarocco.meta.correlation.levels import CorrelationLevel, make_level
from tarocco.meta.correlation.score_sources import (
    MIN_SYSTEMS,
    ScoreSource,
    find_criterion,
    make_human_source,
    make_metric_source,
    make_source,
)
from tarocco.meta.orange.cases import Selection
from tarocco.meta.orange.hearing import Lists
from tarocco.meta.orange.orange import NBest, given_lists
from tarocco.meta.orange.rules import Panel, Resampling, Rules
from tarocco.meta.orange.trial import run_trial
from tarocco.meta.qarla.decisions import HeldOutCases
from tarocco.meta.qarla.king import mean_over_segments
from tarocco.meta.qarla.queen import PairSelection, compute_held_out_queens
from tarocco.meta.qarla.similarities import Similarities, compute_similarities
from tarocco.meta.references.subsets import Pool
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import Workers

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


@dataclass(frozen=True)
class Outcome:
    """What is said of one metric with one subset of references."""

    value: float  # NaN where it is undefined
    shares: Mapping[str, float] = field(default_factory=dict)  # of orders, the mean over systems
    why: str | None = None  # it is undefined


# --- people --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class People:
    """The correlation of metrics with what people said."""

    encoding: Encoding
    view: CorrelationLevel
    coefficient: str
    items: Floats
    told: Sequence[tuple[str, object]]
    notes: Sequence[str] = ()
    least: int = 1
    lower_is_better: bool = False

    @property
    def name(self) -> str:
        grouped = f", grouped by {self.view.grouping}" if self.view.grouping != "none" else ""
        return f"{self.coefficient.capitalize()} correlation with people, {self.view.level} level{grouped}"

    def __call__(
        self,
        test_set: TestSet,
        metrics: Sequence[Metric],
        jobs: int | None,
        store: Store | None,
        executor: Executor | None = None,
    ) -> list[Outcome]:
        """The correlation of each metric, and what its orders contribute."""
        scores = score_test_set(test_set, metrics, self.encoding, jobs=jobs, store=store, executor=executor).scores
        found = []
        for m, metric in enumerate(metrics):
            own = scores[m :: len(metrics)]  # system by system, and in each metric by metric
            agreement = self.view.agreement(self.coefficient, self.view.items(make_metric_source(own)), self.items)
            by_order = metric.order_shares(np.stack([score.sums for score in own]))
            shares = {name: _mean(values) for name, values in by_order.items()}
            found.append(Outcome(agreement.value, shares, agreement.why))
        return found


def by_people(
    human: HumanScores,
    pool: Pool,
    encoding: Encoding,
    level: str = "system",
    grouping: str | None = None,
    coefficient: str | None = None,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> People:
    """People as a judge; their systems are the pool's. Segments that take no part are left out of their scores, too."""
    coefficient = coefficient or ("pearson" if level == "system" else "kendall")
    if coefficient not in COEFFICIENTS:
        raise BadParameter(f"coefficient is one of {', '.join(COEFFICIENTS)}, not {coefficient!r}")
    view = make_level(level, grouping, len(pool.rows), seed=seed)
    criterion = find_criterion(human)
    side, more = _restricted(make_human_source(human, criterion), pool)
    items = view.items(side)  # before anything is scored: people may have no scores at this level
    judged = int(np.isfinite(items).any(axis=1).sum())
    if judged < MIN_SYSTEMS and (level == "system" or grouping == "item"):
        raise InputError(
            f"people judged {judged} of these systems: a correlation over fewer than {MIN_SYSTEMS} says nothing"
        )
    told: list[tuple[str, object]] = [("by", "people"), ("level", level)]
    if level != "system":
        told.append(("grouping", view.grouping))
    if level == "document":
        told.append(("documents", "1000x30"))
    return People(encoding, view, coefficient, items, [*told, ("corr", coefficient), *human.origin], [*notes, *more])


def _restricted(side: ScoreSource, pool: Pool) -> tuple[ScoreSource, list[str]]:
    """What people say of the segments that take part, and what a reader should know of it."""
    if side.statistics is None:
        whole = "people judged whole systems, so that their scores are about the other segments, too"
        return side, [whole] * (len(pool.rows) < pool.of)
    side = make_source(side.name, side.segments[:, pool.rows])
    judged = np.isfinite(side.segments).sum(axis=1)
    fewest, most = int(judged.min()), int(judged.max())
    if fewest == len(pool.rows):
        return side, []
    counts = f"{fewest} to {most}" if fewest < most else str(most)
    return side, [f"people judged {counts} of {len(pool.rows)} segments of a system; metrics score all of them"]


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


# --- ORANGE --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OrangeJudge:
    """ORANGE: where a metric ranks references within n-best lists, which are kept to be judged again and again."""

    encoding: Encoding
    lists: Sequence[NBestList]
    path: str
    rules: Rules
    told: Sequence[tuple[str, object]]
    notes: Sequence[str] = ()
    least: int = 2  # each reference is scored against the others
    lower_is_better: bool = True
    name: str = "ORANGE"

    def __call__(
        self,
        test_set: TestSet,
        metrics: Sequence[Metric],
        jobs: int | None,
        store: Store | None,
        executor: Executor | None = None,
    ) -> list[Outcome]:
        """ORANGE of each metric."""
        lists = Lists(iter(self.lists), self.path)
        found = run_trial(lists, test_set, Panel(metrics), self.rules, jobs=jobs, store=store, executor=executor)
        judged = [found[str(metric)] for metric in metrics]
        return [Outcome(one.orange, why=None if one.n_segments else "it has scores for no list") for one in judged]


def by_orange(nbest: NBest, pool: Pool, encoding: Encoding, seed: int, first_id: int = 0) -> OrangeJudge:
    """ORANGE as a judge. Lists of segments that take no part are left out; short lists count with their own length."""
    path = os.fspath(nbest) if isinstance(nbest, str | os.PathLike) else "nbest"
    stream = (
        read_nbest(path, segments=pool.of, first_id=first_id)
        if isinstance(nbest, str | os.PathLike)
        else given_lists(nbest, pool.of)
    )
    place = {segment: i for i, segment in enumerate(pool.rows.tolist())}
    lists = [replace(one, segment=place[one.segment]) for one in stream if one.segment in place]
    if not lists:
        raise InputError(f"{path}: there is no list of the segments that take part")
    missing = len(pool.rows) - len({one.segment for one in lists})
    notes = [f"{missing} of {len(pool.rows)} segments have no list"] if missing else []
    rules = Rules(encoding, Selection(), "fair", "average-score", "average", "keep", Resampling(0.95, 2, seed))
    return OrangeJudge(encoding, lists, path, rules, [("by", "orange"), *rules.told(False)], notes)


# --- KING ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class KingJudge:
    """Strict KING: how often a held-out reference of the subset is better than every system, by the others.

    A text is compared with one reference at a time, whatever others there are. So where subsets are of streams, texts
    are compared once and every subset takes its part.
    """

    encoding: Encoding
    pool: Pool
    told: Sequence[tuple[str, object]]
    jobs: int | None = None
    notes: Sequence[str] = ()
    least: int = 3  # one is held out, and two are compared with each other
    lower_is_better: bool = False
    name: str = "strict KING"
    _compared: dict[tuple[Metric, ...], Similarities] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)  # subsets are judged in threads

    def __call__(
        self,
        test_set: TestSet,
        metrics: Sequence[Metric],
        jobs: int | None,
        store: Store | None,
        executor: Executor | None = None,
    ) -> list[Outcome]:
        """Strict KING of each metric by itself."""
        near = self._near(test_set, tuple(metrics), jobs, store, executor)
        alone = [[m] for m in range(len(metrics))]
        queens_of_metrics = compute_held_out_queens(near, alone, PairSelection(), jobs)
        cases_of_metrics = [HeldOutCases.of(queens, near.present) for queens in queens_of_metrics]
        return [
            Outcome(
                float(mean_over_segments(cases.by_segment)[1]),
                why=None if cases.n_segments else "it has no scores to compare",
            )
            for cases in cases_of_metrics
        ]

    def _near(
        self,
        test_set: TestSet,
        metrics: tuple[Metric, ...],
        jobs: int | None,
        store: Store | None,
        executor: Executor | None,
    ) -> Similarities:
        if not self.pool.by_stream:
            return compute_similarities(test_set, metrics, self.encoding, workers=Workers(jobs, store, executor))
        with self._lock:
            if metrics not in self._compared:
                whole = self.pool.test_set
                workers = Workers(self.jobs, store, executor)
                self._compared[metrics] = compute_similarities(whole, metrics, self.encoding, workers=workers)
        names = self.pool.names
        return self._compared[metrics].select(references=[names.index(name) for name in test_set.stream_names])


def by_king(pool: Pool, encoding: Encoding, jobs: int | None = None) -> KingJudge:
    """KING as a judge: how well metrics tell the references from the pool's systems."""
    return KingJudge(encoding, pool, [("by", "strict-king")], jobs)


Judge = People | OrangeJudge | KingJudge
