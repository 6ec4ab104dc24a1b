"""The set of metrics with the highest KING, and whether it holds on segments that were not searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan
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
from tarocco.meta.qarla.decisions import Decisions, HeldOutCases, Words
from tarocco.meta.qarla.qarla import QarlaOptions, check_test_set, make_settings, select_segments
from tarocco.meta.qarla.queen import N_PAIRS, mean_ignoring_nan, sample_pairs
from tarocco.meta.qarla.results import (
    REDUNDANT_PHI,
    Candidate,
    CrossValidation,
    Fold,
    King,
    Kings,
    OptimizeResult,
    Redundancy,
)
from tarocco.meta.qarla.set_search import WIDTH, KingObjective, Members, SetSearch, SetTallies, king_shares
from tarocco.meta.qarla.similarities import Similarities, compute_similarities
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import Given, external_metrics
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
    external: Mapping[str, Given] | None = None,
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
    search = SetSearch(method, ties, width, most)
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
    check_test_set(test_set, "KING", settings.segments)
    encoding = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    near = compute_similarities(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    return run_optimize(near, search, settings, folds, redundancy)


def check_search(search: SetSearch, metrics: Sequence[Metric], folds: int | None) -> None:
    """Refuse what cannot be searched, before anything is scored."""
    if not metrics:
        raise InputError("no metric was asked for")
    search.check(len(metrics))
    if folds is not None and not (isinstance(folds, Integral) and (folds == 0 or folds >= 2)):
        raise BadParameter(f"folds is 0, for none, or an integer of at least 2, not {folds!r}")


def run_optimize(
    near: Similarities,
    search: SetSearch,
    settings: QarlaOptions,
    folds: int | None = None,
    redundancy: bool = False,
    advance: Callable[[int], None] | None = None,
) -> OptimizeResult:
    """SetSearch on all segments, and once more without each fold; `advance` is told how many more sets were tried."""
    bench = select_segments(near, settings, "KING")
    near, resampling, comparison = bench.near, settings.resampling, settings.comparison
    pairs = sample_pairs(near, comparison.n_pairs, comparison.seed) if comparison.trans_topic else None
    decisions = Decisions.of(near, pairs)
    split = _folds(near.n_segments, folds, resampling.seed)
    n_folds = int(split.max()) + 1
    board = SetTallies(decisions, split, resampling.jobs)
    objectives = [KingObjective(board, search.ties, fold) for fold in (None, *(range(n_folds) if n_folds > 1 else ()))]
    chosen, *by_fold = search.run(objectives, advance)
    cross = _cross_validation(near, decisions, split, objectives[1:], by_fold, resampling) if by_fold else None
    outcome = kings.king_over_segments(bits.held_out_queens(decisions, chosen), near.present, resampling)
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
    alike = find_redundancy(decisions, near.metrics) if redundancy else None
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
    near: Similarities, board: SetTallies, chosen: Members, by_fold: Sequence[Members], column: int
) -> tuple[Candidate, ...]:
    def of(members: Members) -> Kings:
        total = board.of(members).sum(axis=0)
        return float(king_shares(total, 0, board.whole)), float(king_shares(total, 1, board.whole))

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
    objectives: Sequence[KingObjective],
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
        folds.append(Fold(names, _pair(mean_ignoring_nan(own, 0)), int((~np.isnan(own[:, 0])).sum())))
    counts = cases.counted.sum(axis=0)[:, None]
    hits = np.stack([cases.won.sum(axis=0), cases.strict.sum(axis=0)], axis=1)
    by_reference = np.divide(hits, counts, out=np.full(hits.shape, np.nan), where=counts > 0)
    best_single = _pair(mean_ignoring_nan(_by_segment(_put_together(decisions, split, singles)), 0))
    return CrossValidation(
        tuple(folds), _pair(means), (intervals[0], intervals[1]), _by_reference(near, by_reference), best_single
    )


def _put_together(decisions: Decisions, split: NDArray[np.intp], by_fold: Sequence[Members]) -> HeldOutCases:
    """The cases of each segment under the set of its fold."""
    judged = {members: bits.king(decisions, members) for members in set(by_fold)}
    parts = [np.zeros(decisions.present.shape, np.bool_) for _ in range(3)]
    for fold, members in enumerate(by_fold):
        rows, one = split == fold, judged[members]
        for part, own in zip(parts, (one.won, one.strict, one.counted), strict=True):
            part[rows] = own[rows]
    return HeldOutCases(*parts)


def _by_segment(cases: HeldOutCases) -> Floats:
    return np.stack([cases.by_segment(cases.won), cases.by_segment(cases.strict)], axis=1)


def _by_reference(near: Similarities, values: Floats) -> dict[str, Kings]:
    return {name: _pair(value) for name, value in zip(near.references, values, strict=True)}


def _pair(values: Floats) -> Kings:
    king, strict = values.tolist()
    return king, strict


def _signature(near: Similarities, search: SetSearch, settings: QarlaOptions, folds: int) -> str:
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


# Metrics that decide alike: how far two of them pass the same translations in the same samples.


Merge = tuple[float, list[int], list[int]]  # how alike two clusters are, and their members


def cluster_average_linkage(likeness: Floats) -> list[Merge]:
    """Average linkage: (likeness, one cluster, the other) of each merge, the most alike first; of equals the first.

    The likeness of two clusters is the mean over their pairs. What is unknown is as unlike as can be.
    """
    near = np.where(np.isnan(likeness), -1.0, likeness)
    np.fill_diagonal(near, -np.inf)
    clusters = {i: [i] for i in range(len(near))}
    merges = []
    while len(clusters) > 1:
        alive = list(clusters)
        block = near[np.ix_(alive, alive)]
        i, j = (alive[k] for k in sorted(np.unravel_index(int(block.argmax()), block.shape)))
        merges.append((float(block.max()), clusters[i], clusters[j]))
        sizes = len(clusters[i]), len(clusters[j])
        for k in alive:
            if k not in (i, j):
                near[i, k] = near[k, i] = (sizes[0] * near[i, k] + sizes[1] * near[j, k]) / sum(sizes)
        clusters[i] = clusters[i] + clusters.pop(j)
    return merges


def order_by_cluster(merges: Sequence[Merge]) -> list[int]:
    """Everything in the order of the last cluster, in which all is together; one thing alone is never merged."""
    return [*merges[-1][1], *merges[-1][2]] if merges else [0]


def compute_agreement(decisions: Decisions) -> tuple[Floats, Floats]:
    """float64[metrics, metrics]: phi, and the share decided alike, of systems' translations in all samples.

    Only samples in which both metrics have a score count. Phi is NaN where one of the two decides all alike.
    """
    metrics = len(decisions.passed)
    samples = np.broadcast_to(decisions.masks[-1][:, None], decisions.passed[0, :, : decisions.systems].shape)
    passed = decisions.passed[:, :, : decisions.systems] & samples
    heard = None if decisions.silent is None else samples & ~decisions.silent[:, :, : decisions.systems]
    phi, alike = np.full((2, metrics, metrics), nan)
    for i in range(metrics):
        for j in range(i, metrics):
            both = samples if heard is None else heard[i] & heard[j]
            n = _ones(both)
            first, second = _ones(passed[i] & both), _ones(passed[j] & both)
            together = _ones(passed[i] & passed[j] & both)
            spread = first * (n - first) * second * (n - second)
            if n:
                alike[i, j] = alike[j, i] = (n - first - second + 2 * together) / n
            if spread:
                phi[i, j] = phi[j, i] = (n * together - first * second) / spread**0.5
    return phi, alike


def _ones(words: Words) -> int:
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def find_redundancy(decisions: Decisions, names: Sequence[str]) -> Redundancy:
    """All pairs of metrics, cluster_average_linkage."""
    phi, alike = compute_agreement(decisions)
    merges = cluster_average_linkage(phi)
    order = order_by_cluster(merges)
    groups: list[list[int]] = []
    for likeness, one, other in merges:
        if likeness >= REDUNDANT_PHI:
            groups = [group for group in groups if group not in (one, other)] + [one + other]
    groups.sort(key=lambda group: (-len(group), order.index(group[0])))
    return Redundancy(
        tuple(names[i] for i in order),
        phi[np.ix_(order, order)],
        alike[np.ix_(order, order)],
        tuple(tuple(names[i] for i in sorted(group)) for group in groups),
    )
