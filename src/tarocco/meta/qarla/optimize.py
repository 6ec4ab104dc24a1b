"""The set of metrics with the highest KING, cross-validated, and which metrics are redundant: `tarocco optimize`.

Redundancy: how often two metrics pass the same translations in the same samples. Two metrics also agree by chance, more
so the more (or the fewer) samples both pass. The phi coefficient corrects for that: it is the correlation of their
bits, 1 if they always decide alike and 0 if they are independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Candidates, References, make_test_set
from tarocco.meta.qarla.decisions import (
    Decisions,
    HeldOutCases,
    Words,
    compute_held_out_queen_of_set,
    find_king_cases,
)
from tarocco.meta.qarla.king import king_over_segments, mean_with_intervals
from tarocco.meta.qarla.qarla import (
    QARLA_OPTIONS,
    QarlaOptions,
    QarlaShortcuts,
    check_test_set,
    describe_resampling,
    describe_run,
    select_segments,
)
from tarocco.meta.qarla.queen import mean_ignoring_nan, sample_pairs
from tarocco.meta.qarla.results import (
    REDUNDANT_PHI,
    CandidateMetric,
    CrossValidation,
    Fold,
    King,
    Kings,
    OptimizeResult,
    Redundancy,
)
from tarocco.meta.qarla.set_search import KingObjective, Members, SetSearch, SetTallies, king_shares
from tarocco.meta.qarla.similarities import TextSimilarities, compute_similarities
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import ExternalSource, external_metrics
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import words
from tarocco.scoring.settings import RESAMPLING, TEXT, WORKERS, Resampling, Text, Workers, apply_shortcuts

FOLDS = 10
METRICS = ("lexical",)
SEARCH = SetSearch()
_FOLD_STREAM = 1 << 32  # the random stream that folds are drawn from; the bootstrap uses those before

Merge = tuple[float, list[int], list[int]]  # the similarity of two clusters, and their members


class OptimizeShortcuts(QarlaShortcuts, total=False):
    """The fields of `SetSearch`, `QarlaOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    method: str
    ties: str
    width: int
    most: int | None
    folds: int | None
    redundancy: bool


def optimize(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    search: SetSearch = SEARCH,
    options: QarlaOptions = QARLA_OPTIONS,
    text: Text = TEXT,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[OptimizeShortcuts],
) -> OptimizeResult:
    """Find the set of metrics that best distinguishes human translations from automatic ones.

    Parameters
    ----------
    systems, references, metrics, documents, external
        As for `tarocco.king`; by default the metrics that `tarocco metrics lexical` lists.
    search
        The method, and what to report with the set (`SetSearch`).
    options, text, resampling, workers
        As for `tarocco.queen`. Folds are drawn from the seed, too. In trans-topic mode single metrics are tested with
        the same sample of pairs as sets.
    **shortcuts
        The fields of these five values as keywords: method, ties, width, most, folds, redundancy, and those of
        `tarocco.queen`.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.optimize(demo.systems, demo.references, metrics=["ROUGE-L", "1-WER", "BLEU-2"])
    >>> set(result.metrics) <= {"ROUGE-L", "1-WER", "BLEU-2"}
    True
    """
    search, options, text, resampling, workers = apply_shortcuts(
        "optimize", shortcuts, search, options, text, resampling, workers
    )
    test_set = make_test_set(systems, references, documents)
    computed = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    chosen = [*computed, *external_metrics(external or {}, test_set, computed)]
    check_search(search, chosen)
    check_test_set(test_set, "KING", options.segments)
    similarities = compute_similarities(test_set, chosen, text.encoding, workers=workers)
    return run_optimize(similarities, search, options, resampling, replace(workers, progress=None))


def check_search(search: SetSearch, metrics: Sequence[Metric]) -> None:
    """Raise an error, before scoring, if there is nothing to search or the search is not possible."""
    if not metrics:
        raise InputError("no metric was selected")
    search.check(len(metrics))


def run_optimize(
    similarities: TextSimilarities,
    search: SetSearch,
    options: QarlaOptions = QARLA_OPTIONS,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
) -> OptimizeResult:
    """Search on all segments, and again without each fold; `workers.progress` counts sets."""
    segments = select_segments(similarities, options, "KING")
    near, selection = segments.similarities, options.select_pairs(resampling.seed)
    pairs = sample_pairs(near, selection.n_pairs, selection.seed) if selection.trans_topic else None
    decisions = Decisions.of(near, pairs)
    fold_of = draw_folds(near.n_segments, search.folds, resampling.seed)
    n_folds = int(fold_of.max()) + 1
    tallies = SetTallies(decisions, fold_of, workers.jobs)
    left_out = (None, *(range(n_folds) if n_folds > 1 else ()))
    objectives = [KingObjective(tallies, search.ties, fold) for fold in left_out]
    chosen, *by_fold = search.run(objectives, workers.progress)
    cross_validation = (
        _cross_validate(near, decisions, fold_of, objectives[1:], by_fold, resampling, workers.jobs)
        if by_fold
        else None
    )
    scores = king_over_segments(
        compute_held_out_queen_of_set(decisions, chosen), near.present, resampling, workers.jobs, near.documents
    )
    method = f"method:{search.method}" + (f"-{search.width}" if search.method == "beam" else "")
    run = describe_run(
        near,
        f"metrics:{len(near.metrics)}",
        method + (f"|most:{search.most}" if search.most else ""),
        f"ties:{search.ties}",
        f"folds:{n_folds if n_folds > 1 else 0}",
        selection.describe(near, range(2)),
        describe_resampling(resampling),
    )
    record = King(
        tuple(near.metrics[m] for m in chosen),
        *scores.king,
        *scores.intervals,
        _name_references(near, scores.by_reference),
        segments.spread(scores.by_segment[:, 0]),
        segments.spread(scores.by_segment[:, 1]),
        scores.n_segments,
        f"optimize|{run}",
    )
    candidates = _rate_candidates(near, tallies, chosen, by_fold, objectives[0].column)
    redundancy = find_redundancy(decisions, near.metrics) if search.redundancy else None
    seed = int(resampling.seed)
    return OptimizeResult(record, candidates, cross_validation, redundancy, search, seed, segments.notes)


def draw_folds(segments: int, folds: int | None, seed: int) -> NDArray[np.intp]:
    """Return the fold of each segment, drawn from the seed; the sizes of folds differ by at most one."""
    if folds is not None and folds > segments:
        available = "there is 1 segment" if segments == 1 else f"there are {segments} segments"
        raise InputError(f"{available} with three references or more, too few for {folds} folds")
    n_folds = min(FOLDS, segments) if folds is None else max(1, int(folds))
    order = np.argsort(words(seed, 1, segments, _FOLD_STREAM)[0], kind="stable")
    fold_of = np.empty(segments, np.intp)
    fold_of[order] = np.arange(segments) % n_folds
    return fold_of


def _rate_candidates(
    near: TextSimilarities, tallies: SetTallies, chosen: Members, by_fold: Sequence[Members], column: int
) -> tuple[CandidateMetric, ...]:
    def compute_kings(members: Members) -> Kings:
        total = tallies.of(members).sum(axis=0)
        return float(king_shares(total, 0, tallies.scale)), float(king_shares(total, 1, tallies.scale))

    candidates = []
    for m, name in enumerate(near.metrics):
        folds = sum(m in members for members in by_fold) if by_fold else None
        candidate = CandidateMetric(name, near.signatures[m], compute_kings((m,)), folds)
        if m in chosen:
            step = chosen.index(m)
            after = compute_kings(chosen[: step + 1])
            before = compute_kings(chosen[:step]) if step else (0.0, 0.0)
            others = tuple(other for other in chosen if other != m)
            candidate = replace(
                candidate,
                step=step + 1,
                after=after,
                adds=(after[0] - before[0], after[1] - before[1]),
                without=compute_kings(others) if others else None,
            )
        candidates.append(candidate)

    def rank(candidate: CandidateMetric) -> tuple[bool, float]:
        if candidate.step is not None:
            return False, candidate.step
        return True, -np.nan_to_num(candidate.alone[column], nan=-1.0)

    return tuple(sorted(candidates, key=rank))


def _cross_validate(
    near: TextSimilarities,
    decisions: Decisions,
    fold_of: NDArray[np.intp],
    objectives: Sequence[KingObjective],
    by_fold: Sequence[Members],
    resampling: Resampling,
    jobs: int | None,
) -> CrossValidation:
    """Judge every segment by the set, and by the single metric, that is best without its fold."""
    alone = [objective.with_addition((), range(len(near.metrics))) for objective in objectives]
    singles = [(values.index(max(values)),) for values in alone]
    cases = _join_folds(decisions, fold_of, by_fold)
    by_segment = cases.by_segment
    means, intervals = mean_with_intervals(by_segment, resampling, jobs, near.documents)
    folds = []
    for fold, members in enumerate(by_fold):
        rows = by_segment[fold_of == fold]
        names = tuple(near.metrics[m] for m in members)
        folds.append(Fold(names, _pair(mean_ignoring_nan(rows, 0)), int((~np.isnan(rows[:, 0])).sum())))
    best_single = _pair(mean_ignoring_nan(_join_folds(decisions, fold_of, singles).by_segment, 0))
    by_reference = _name_references(near, cases.by_reference)
    return CrossValidation(tuple(folds), _pair(means), (intervals[0], intervals[1]), by_reference, best_single)


def _join_folds(decisions: Decisions, fold_of: NDArray[np.intp], by_fold: Sequence[Members]) -> HeldOutCases:
    """Return the cases of each segment under the set of its fold."""
    cases_of = {members: find_king_cases(decisions, members) for members in set(by_fold)}
    won, strict, counted = np.zeros((3, *decisions.present.shape), np.bool_)
    for fold, members in enumerate(by_fold):
        rows, cases = fold_of == fold, cases_of[members]
        won[rows], strict[rows], counted[rows] = cases.won[rows], cases.strict[rows], cases.counted[rows]
    return HeldOutCases(won, strict, counted)


def _name_references(near: TextSimilarities, values: Floats) -> dict[str, Kings]:
    return {name: _pair(value) for name, value in zip(near.references, values, strict=True)}


def _pair(values: Floats) -> Kings:
    king, strict = values.tolist()
    return king, strict


# --- redundancy ------------------------------------------------------------------------------------------------------


def compute_agreement(decisions: Decisions) -> tuple[Floats, Floats]:
    """Return phi and the share of samples decided alike for all pairs of metrics, float64[metrics, metrics] each.

    Only translations of systems count, in samples in which both metrics have a score. Phi is NaN where one of the two
    decides all samples alike.
    """
    metrics = len(decisions.passed)
    samples = np.broadcast_to(decisions.masks[-1][:, None], decisions.passed[0, :, : decisions.systems].shape)
    passed = decisions.passed[:, :, : decisions.systems] & samples
    scored = None if decisions.silent is None else samples & ~decisions.silent[:, :, : decisions.systems]
    phi, alike = np.full((2, metrics, metrics), nan)
    for i in range(metrics):
        for j in range(i, metrics):
            both = samples if scored is None else scored[i] & scored[j]
            n = _count_bits(both)
            first, second = _count_bits(passed[i] & both), _count_bits(passed[j] & both)
            together = _count_bits(passed[i] & passed[j] & both)
            spread = first * (n - first) * second * (n - second)
            if n:
                alike[i, j] = alike[j, i] = (n - first - second + 2 * together) / n
            if spread:
                phi[i, j] = phi[j, i] = (n * together - first * second) / spread**0.5
    return phi, alike


def _count_bits(words: Words) -> int:
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def cluster_average_linkage(similarity: Floats) -> list[Merge]:
    """Cluster by average linkage and return the merges in order; among equals the first pair merges first.

    The similarity of two clusters is the mean over their pairs. NaN counts as -1.
    """
    near = np.where(np.isnan(similarity), -1.0, similarity)
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
    """Return the items in the order of the last cluster, or [0] for a single item."""
    return [*merges[-1][1], *merges[-1][2]] if merges else [0]


def find_redundancy(decisions: Decisions, names: Sequence[str]) -> Redundancy:
    """Compare all pairs of metrics and cluster the metrics by phi."""
    phi, alike = compute_agreement(decisions)
    merges = cluster_average_linkage(phi)
    order = order_by_cluster(merges)
    groups: list[list[int]] = []
    for similarity, first, second in merges:
        if similarity >= REDUNDANT_PHI:
            groups = [group for group in groups if group not in (first, second)] + [first + second]
    groups.sort(key=lambda group: (-len(group), order.index(group[0])))
    return Redundancy(
        tuple(names[i] for i in order),
        phi[np.ix_(order, order)],
        alike[np.ix_(order, order)],
        tuple(tuple(names[i] for i in sorted(group)) for group in groups),
    )
