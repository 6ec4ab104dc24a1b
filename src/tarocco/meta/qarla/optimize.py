"""The set of metrics with the highest KING, and whether it holds on segments that were not searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import Candidates, References, make_test_set
from tarocco.core.errors import BadParameter, InputError
from tarocco.encode.batch import Encoding
from tarocco.meta.qarla import decisions as bits
from tarocco.meta.qarla import king as kings
from tarocco.meta.qarla.bench import Settings, bench_of, check_texts, make_settings
from tarocco.meta.qarla.decisions import Cases, Decisions
from tarocco.meta.qarla.optimize_results import Candidate, CrossValidation, Fold, Kings, OptimizeResult
from tarocco.meta.qarla.queen import N_PAIRS, mean_of_known, sampled_pairs
from tarocco.meta.qarla.redundancy import redundancy_of
from tarocco.meta.qarla.results import King
from tarocco.meta.qarla.search import WIDTH, Objective, Search
from tarocco.meta.qarla.similarities import Similarities, similarities_of
from tarocco.meta.qarla.tallies import Board, Members, shares
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import ExternalSource, external_metrics
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import words
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

FOLDS = 10
METRICS = ("lexical",)
_OF_FOLDS = 1 << 32  # the random stream that folds are drawn from; those before are the bootstrap's


def optimize(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    method: str = "greedy",
    ties: str = "strict",
    width: int = WIDTH,
    most: int | None = None,
    folds: int | None = None,
    redundancy: bool = False,
    trans_topic: bool = False,
    n_pairs: int = N_PAIRS,
    segments: Sequence[int] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    tokenize: str = "13a",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> OptimizeResult:
    """Which set of metrics tells human translations best from automatic ones?

    Parameters
    ----------
    systems, references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.king`; by default the metrics that `tarocco metrics lexical` lists.
    method
        "greedy" (of the IQmt manual: metrics in the order of their own KING, each kept if it raises the set's),
        "forward" (the best addition at each step, until none raises it), "beam" (of each size the best sets) or
        "exhaustive" (all sets).
    ties
        "strict" looks for the highest strict KING, "count" for the highest KING, as the manual does.
    width, most
        How many sets a beam keeps, and how many metrics a set of "beam" and "exhaustive" has at most.
    folds
        Into how many parts segments are split for cross-validation: 10 by default, or as many as there are segments;
        0 for none.
    redundancy
        Also tell how alike metrics decide.
    trans_topic, n_pairs, segments, confidence, n_resamples, seed
        As for `tarocco.king`; folds, too, are drawn from the seed. In trans-topic mode single metrics are tested with
        the same sample of pairs as sets.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.optimize(demo.systems, demo.references, metrics=["ROUGE-L", "1-WER", "BLEU-2"])
    >>> set(result.metrics) <= {"ROUGE-L", "1-WER", "BLEU-2"}
    True
    """
    search = Search(method, ties, width, most)
    settings = make_settings(
        trans_topic=trans_topic,
        n_pairs=n_pairs,
        segments=segments,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        jobs=jobs,
    )
    test_set = make_test_set(systems, references)
    found = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    chosen = [*found, *external_metrics(external or {}, test_set, found)]
    check_search(search, chosen, folds)
    check_texts(test_set, "KING", settings.segments)
    encoding = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    near = similarities_of(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    return run_optimize(near, search, settings, folds, redundancy)


def check_search(search: Search, metrics: Sequence[Metric], folds: int | None) -> None:
    """Refuse what cannot be searched, before anything is scored."""
    if not metrics:
        raise InputError("no metric was asked for")
    search.check(len(metrics))
    if folds is not None and not (isinstance(folds, Integral) and (folds == 0 or folds >= 2)):
        raise BadParameter(f"folds is 0, for none, or an integer of at least 2, not {folds!r}")


def run_optimize(
    near: Similarities,
    search: Search,
    settings: Settings,
    folds: int | None = None,
    redundancy: bool = False,
    advance: Callable[[int], None] | None = None,
) -> OptimizeResult:
    """Search on all segments, and once more without each fold; `advance` is told how many more sets were tried."""
    bench = bench_of(near, settings, "KING")
    near, resampling, comparison = bench.near, settings.resampling, settings.comparison
    pairs = sampled_pairs(near, comparison.n_pairs, comparison.seed) if comparison.trans_topic else None
    decisions = Decisions.of(near, pairs)
    split = _folds(near.n_segments, folds, resampling.seed)
    n_folds = int(split.max()) + 1
    board = Board(decisions, split, resampling.jobs)
    objectives = [Objective(board, search.ties, fold) for fold in (None, *(range(n_folds) if n_folds > 1 else ()))]
    chosen, *by_fold = search.run(objectives, advance)
    cross = _cross_validation(near, decisions, split, objectives[1:], by_fold, resampling) if by_fold else None
    outcome = kings.of_segments(bits.held_out_queens(decisions, chosen), near.present, resampling)
    told = King(
        tuple(near.metrics[m] for m in chosen),
        *outcome.king,
        *outcome.intervals,
        _by_reference(near, outcome.by_reference),
        bench.spread(outcome.by_segment[:, 0]),
        bench.spread(outcome.by_segment[:, 1]),
        outcome.n_segments,
        _signature(near, search, settings, n_folds),
    )
    candidates = _candidates(near, board, chosen, by_fold, objectives[0].column)
    alike = redundancy_of(decisions, near.metrics) if redundancy else None
    return OptimizeResult(told, candidates, cross, alike, search, resampling.seed, bench.notes)


def _folds(segments: int, asked: int | None, seed: int) -> NDArray[np.intp]:
    """The fold of each segment, drawn from the seed; folds differ by one segment at most."""
    if asked is not None and asked > segments:
        there = "there is 1 segment" if segments == 1 else f"there are {segments} segments"
        raise InputError(f"{there} with three references or more: too few for {asked} folds")
    folds = min(FOLDS, segments) if asked is None else max(1, int(asked))
    order = np.argsort(words(seed, 1, segments, _OF_FOLDS)[0], kind="stable")
    split = np.empty(segments, np.intp)
    split[order] = np.arange(segments) % folds
    return split


def _candidates(
    near: Similarities, board: Board, chosen: Members, by_fold: Sequence[Members], column: int
) -> tuple[Candidate, ...]:
    def of(members: Members) -> Kings:
        total = board.of(members).sum(axis=0)
        return float(shares(total, 0, board.whole)), float(shares(total, 1, board.whole))

    found = []
    for m, name in enumerate(near.metrics):
        one = Candidate(name, near.signatures[m], of((m,)), sum(m in own for own in by_fold) if by_fold else None)
        if m in chosen:
            step = chosen.index(m)
            after, before = of(chosen[: step + 1]), of(chosen[:step]) if step else (0.0, 0.0)
            others = tuple(other for other in chosen if other != m)
            gain = (after[0] - before[0], after[1] - before[1])
            one = Candidate(
                name, one.signature, one.alone, one.folds, step + 1, after, gain, of(others) if others else None
            )
        found.append(one)

    def place(one: Candidate) -> tuple[bool, float]:
        return one.step is None, -np.nan_to_num(one.alone[column], nan=-1.0) if one.step is None else one.step

    return tuple(sorted(found, key=place))


def _cross_validation(
    near: Similarities,
    decisions: Decisions,
    split: NDArray[np.intp],
    objectives: Sequence[Objective],
    by_fold: Sequence[Members],
    resampling: kings.Resampling,
) -> CrossValidation:
    """Every segment judged by the set, and by the single metric, that is best without its fold."""
    everything = range(len(near.metrics))
    alone = [one.with_one_more((), everything) for one in objectives]
    singles = [(values.index(max(values)),) for values in alone]
    cases = _put_together(decisions, split, by_fold)
    by_segment = _by_segment(cases)
    means, intervals = resampling.mean(by_segment)
    folds = []
    for fold, members in enumerate(by_fold):
        own = by_segment[split == fold]
        names = tuple(near.metrics[m] for m in members)
        folds.append(Fold(names, _pair(mean_of_known(own, 0)), int((~np.isnan(own[:, 0])).sum())))
    counts = cases.counted.sum(axis=0)[:, None]
    hits = np.stack([cases.won.sum(axis=0), cases.strict.sum(axis=0)], axis=1)
    by_reference = np.divide(hits, counts, out=np.full(hits.shape, np.nan), where=counts > 0)
    best_single = _pair(mean_of_known(_by_segment(_put_together(decisions, split, singles)), 0))
    return CrossValidation(
        tuple(folds), _pair(means), (intervals[0], intervals[1]), _by_reference(near, by_reference), best_single
    )


def _put_together(decisions: Decisions, split: NDArray[np.intp], by_fold: Sequence[Members]) -> Cases:
    """The cases of each segment under the set of its fold."""
    judged = {members: bits.king(decisions, members) for members in set(by_fold)}
    parts = [np.zeros(decisions.present.shape, np.bool_) for _ in range(3)]
    for fold, members in enumerate(by_fold):
        rows, one = split == fold, judged[members]
        for part, own in zip(parts, (one.won, one.strict, one.counted), strict=True):
            part[rows] = own[rows]
    return Cases(*parts)


def _by_segment(cases: Cases) -> Floats:
    return np.stack([cases.by_segment(cases.won), cases.by_segment(cases.strict)], axis=1)


def _by_reference(near: Similarities, values: Floats) -> dict[str, Kings]:
    return {name: _pair(value) for name, value in zip(near.references, values, strict=True)}


def _pair(values: Floats) -> Kings:
    king, strict = values.tolist()
    return king, strict


def _signature(near: Similarities, search: Search, settings: Settings, folds: int) -> str:
    counts, drawn = near.present.sum(axis=1), settings.resampling
    references = int(counts[0]) if (counts == counts[0]).all() else "var"
    how = f"method:{search.method}" + (f"-{search.width}" if search.method == "beam" else "")
    how += f"|most:{search.most}" if search.most else ""
    return (
        f"optimize|nrefs:{references}|systems:{len(near.systems)}|segments:{near.n_segments}|"
        f"metrics:{len(near.metrics)}|{how}|ties:{search.ties}|folds:{folds if folds > 1 else 0}|"
        f"{settings.comparison.told(near, range(2))}|confidence:{drawn.confidence:g}|n:{drawn.n_resamples}|"
        f"seed:{drawn.seed}|v:{__version__}"
    )
