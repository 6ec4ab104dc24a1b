"""How many references are enough? Metrics on subsets of them, judged by people (Finch et al. 2004), ORANGE or KING.

Every subset is scored as a test set of its own, so that whatever depends on the references (clipping, lengths, NIST's
information, the choice of the best reference) is what it would be if there were no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Candidates, References, TestSet, as_list, make_streams, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.meta.correlation.score_sources import HumanInput, describe_judged_systems, make_human_scores
from tarocco.meta.orange.orange import NBest
from tarocco.meta.references.curves import Curve, Point, ReferencesResult
from tarocco.meta.references.judges import Judge, KingJudge, Outcome, by_king, by_orange, by_people
from tarocco.meta.references.subsets import Pool, Subset, pool_of
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import check_jobs, map_ordered
from tarocco.scoring.score import score_signature
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

METRICS = ("BLEU-4", "NIST-5", "WER", "GTM-1", "chrF")  # the paper's four, and one of today's
SUBSETS = 20
ENOUGH = 0.98


def references(
    systems: Candidates | None,
    references: References,
    human: HumanInput | None = None,
    *,
    nbest: NBest | None = None,
    by: str | None = None,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    most: int | None = None,
    n_subsets: int = SUBSETS,
    orders: bool = False,
    enough: float = ENOUGH,
    level: str = "system",
    grouping: str | None = None,
    coefficient: str | None = None,
    seed: int = SEED,
    tokenize: str | None = None,
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> ReferencesResult:
    """How many references are enough?

    Metrics are computed with 1, 2, 3, ... of the references, on random subsets of each size or on all where they are
    few, and judged by how well they agree with people, by ORANGE, or by KING.

    Parameters
    ----------
    systems, references
        A mapping from system names to their segments (None with `nbest`), and the references of each segment. Where
        segments have different numbers of references, each has subsets of its own.
    human
        A file of human scores (perhaps with :COLUMN behind its name), HumanScores, or a mapping from systems to a
        number, or to a number a segment, None where nobody judged. Systems that people did not judge take no part.
    nbest
        In place of systems and people, n-best lists as for `tarocco.orange`: then ORANGE judges. It leaves one
        reference out, so that it begins with two.
    by
        "king": KING judges, with neither people nor n-best lists: how often metrics tell a held-out reference from all
        systems (strict KING, see `tarocco.king`). It begins with three references. Otherwise "people" or "orange",
        which `human` and `nbest` say already.
    metrics
        Names such as "BLEU-4", or metric objects.
    most
        Up to how many references; segments that have fewer take no part. By default as many as every segment has.
    n_subsets, seed
        How many subsets of a size are drawn, if there are more than that, and what from.
    orders
        Also for lower orders of BLEU and NIST, with what each order contributes to the score.
    enough
        The share of the best agreement that is called enough.
    level, grouping, coefficient
        What is correlated: "system", "segment" or "document" (1000 pseudo-documents of 30 segments); at the latter two
        all points together ("none"), or the mean over "item" or "system"; pearson, spearman, kendall, kendall-a or
        kendall-c, by default pearson at system level and kendall otherwise.
    tokenize, lowercase, analyzer, jobs, store, executor
        As for `tarocco.score`; n-best lists are not tokenized unless asked for.

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
    by = _judge_of(by, human is not None, nbest is not None)
    if by != "people" and (level != "system" or grouping or coefficient):
        raise BadParameter(f"level, grouping and coefficient are about people, and {by.upper()} judges here")
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    judge: Judge
    if by == "orange":
        assert nbest is not None
        if systems is not None:
            raise BadParameter("with nbest there are no systems: give None for them")
        test_set = TestSet({}, make_streams(as_list(references, "references")))
        pool = pool_of(test_set, most, least=3)
        judge = by_orange(nbest, pool, Encoding(tokenize or "none", lowercase, analyzer=analyzer_name(analyzer)), seed)
    elif by == "king":
        if systems is None:
            raise BadParameter("KING tells references from systems: systems are wanted")
        pool = pool_of(make_test_set(systems, references), most, least=4)
        judge = by_king(pool, Encoding(tokenize or "13a", lowercase, analyzer=analyzer_name(analyzer)), jobs)
    else:
        assert human is not None
        if not isinstance(systems, Mapping):
            raise InputError("systems is a mapping from names to segments: there are several to correlate over")
        test_set = make_test_set(systems, references)
        people = make_human_scores(human, list(test_set.systems), len(test_set))
        pool = pool_of(replace(test_set, systems={name: test_set.systems[name] for name in people.systems}), most)
        encoding = Encoding(tokenize or "13a", lowercase, analyzer=analyzer_name(analyzer))
        notes = describe_judged_systems(people, list(test_set.systems))
        judge = by_people(people, pool, encoding, level, grouping, coefficient, seed, notes)
    return run_references(
        *(pool, chosen, judge),
        n_subsets=n_subsets,
        orders=orders,
        enough=enough,
        seed=seed,
        jobs=jobs,
        store=store,
        executor=executor,
    )


def _judge_of(by: str | None, people: bool, lists: bool) -> str:
    """Who judges, as named or as told by what is given."""
    given = ["people"] * people + ["orange"] * lists
    if by not in (None, "people", "orange", "king"):
        raise BadParameter(f"by is people, orange or king, not {by!r}")
    if by == "king" and not given:
        return by
    if len(given) != 1 or by not in (None, *given):
        raise BadParameter('one judge is wanted: people (human), ORANGE (nbest), or by="king" with neither')
    return given[0]


def run_references(
    pool: Pool,
    metrics: Sequence[Metric],
    judge: Judge,
    *,
    n_subsets: int = SUBSETS,
    orders: bool = False,
    enough: float = ENOUGH,
    seed: int = SEED,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    advance: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> ReferencesResult:
    """The curves of metrics; `advance` is told after each subset."""
    check_jobs(jobs)
    if not (isinstance(n_subsets, Integral) and n_subsets >= 1):
        raise BadParameter(f"n_subsets is a whole number of at least 1, not {n_subsets!r}")
    if not (isinstance(enough, Real) and 0 < enough <= 1):
        raise BadParameter(f"enough is a number above 0 and up to 1, not {enough!r}")
    if not metrics:
        raise InputError("no metric was asked for")
    lower = {metric: metric.lower_orders() if orders else [] for metric in metrics}
    chosen = list(dict.fromkeys([*metrics, *chain.from_iterable(lower.values())]))
    subsets = subsets_of(pool, judge, n_subsets, seed)
    outcomes: list[list[Outcome]] = []
    for found in _judged(judge, pool, subsets, chosen, jobs, store, executor):
        outcomes.append(found)
        if advance is not None:
            advance(1)
    more = [*judge.told, ("subsets", n_subsets), ("most", pool.most), ("drawn", pool.drawn), ("seed", seed)]
    curves = []
    for m, metric in enumerate(chosen):
        points = []
        for size in range(judge.least, pool.most + 1):
            own = [(one.name, found[m]) for one, found in zip(subsets, outcomes, strict=True) if one.size == size]
            points.append(_point(size, own, orders))
        signature = score_signature(metric, judge.encoding, None, more)
        why = next((found[m].why for found in outcomes if found[m].why), None)
        told = enough, judge.lower_is_better, metric in lower, why
        curves.append(Curve(str(metric), signature, tuple(points), *told))
    by_name = {str(metric): tuple(map(str, own)) for metric, own in lower.items()}
    notes = _notes(pool, judge, curves)
    return ReferencesResult(tuple(curves), judge.name, pool.drawn, len(pool.rows), notes, by_name)


def subsets_of(pool: Pool, judge: Judge, n_subsets: int, seed: int) -> list[Subset]:
    """Of every size that the judge can judge."""
    return [one for size in range(judge.least, pool.most + 1) for one in pool.subsets(size, n_subsets, seed)]


def _judged(
    judge: Judge,
    pool: Pool,
    subsets: Sequence[Subset],
    metrics: Sequence[Metric],
    jobs: int | None,
    store: Store | str | Path | None,
    executor: Executor | None,
) -> Iterator[list[Outcome]]:
    """Subset after subset: side by side in threads, or, as a store is written by one, each with threads inside."""
    if store is None and not (executor is not None and isinstance(judge, KingJudge)):  # KING compares texts once, here
        yield from map_ordered(
            lambda subset: judge(pool.test_set_of(subset), metrics, 1, None), subsets, len(subsets), jobs, executor
        )
        return
    from tarocco.store import Store

    with nullcontext(store) if store is None or isinstance(store, Store) else closing(Store(store)) as opened:
        for subset in subsets:
            yield judge(pool.test_set_of(subset), metrics, jobs, opened, executor)


def _point(size: int, own: Sequence[tuple[str, Outcome]], with_shares: bool) -> Point:
    shares = {}
    for name in own[0][1].shares if with_shares else ():
        values = np.array([found.shares[name] for _, found in own])
        shares[name] = float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
    return Point(size, tuple(name for name, _ in own), np.array([found.value for _, found in own]), shares)


def _notes(pool: Pool, judge: Judge, curves: Sequence[Curve]) -> tuple[str, ...]:
    notes = list(judge.notes)
    if len(pool.rows) < pool.of:
        notes.insert(0, f"{len(pool.rows)} of {pool.of} segments have {pool.most} or more references and take part")
    if not pool.by_stream:
        notes.append("segments have different numbers of references: subsets are drawn for each by itself")
    for curve in curves:
        values = np.concatenate([point.values for point in curve.points])
        missing = int(np.isnan(values).sum())
        if missing:
            notes.append(f"{curve.metric} is undefined for {missing} of {len(values)} subsets: {curve.why}")
    return tuple(notes)
