"""Tuning of feature weights on n-best lists (`tarocco.tune`), and reranking with weights (`tarocco.rerank`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import References, TestSet, as_list, make_streams
from tarocco.decode.tuning.mert import MertSearch, TuningObjective, best_of_lists, climb_all, normalize, weighted_sum
from tarocco.decode.tuning.pool import CandidatePool, Path, Weights, pool_statistics, read_pool
from tarocco.decode.tuning.results import RerankResult, TunedScore, TuneResult, TuneStart
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.features import check_weights
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.names import write_value
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import bootstrap, percentile_interval
from tarocco.scoring.settings import RESAMPLING, WORKERS, Resampling, Shortcuts, Text, Workers, apply_shortcuts

WeightMapping = Mapping[str, float | Sequence[float]]


@dataclass(frozen=True)
class TuneOptions:
    """Options of `tarocco.tune`; each is also a keyword of that function.

    shares
        The share of each metric in the weighted sum that is maximized; equal by default. Scores are on their natural
        scale, and errors are negated.
    weights
        The initial weights, such as {"lm": [0.5, 0.2], "w": -0.1}. By default, weights are fitted to the scores in the
        last file, if these are a weighted sum of the features; otherwise all are equal.
    fixed
        Features whose weights do not change, or single values such as "lm.2".
    restarts
        The number of random starts in addition to the initial weights.
    directions
        The number of random directions per step, in addition to the features.
    first_id
        The id of the first segment in the files.
    """

    shares: Sequence[float] | None = None
    weights: WeightMapping | None = None
    fixed: str | Sequence[str] = ()
    restarts: int = 20
    directions: int = 10
    first_id: int = 0

    def __post_init__(self) -> None:
        for share in self.shares or ():
            if not (isinstance(share, Real) and np.isfinite(float(share)) and share > 0):
                raise BadParameter(f"a share is a number above 0, not {share!r}")
        for name in ("restarts", "directions"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 0:
                raise BadParameter(f"{name} is an integer of at least 0, not {value!r}")

    @property
    def fixed_features(self) -> tuple[str, ...]:
        """The names in `fixed`, which may be a single string."""
        return (self.fixed,) if isinstance(self.fixed, str) else tuple(self.fixed)

    def normalized_shares(self, metrics: Sequence[Metric]) -> tuple[float, ...]:
        """Return one share per metric; they add up to 1."""
        if not metrics:
            raise InputError("there is no metric to tune for")
        shares = (1.0,) * len(metrics) if self.shares is None else tuple(map(float, self.shares))
        if len(shares) != len(metrics):
            raise BadParameter(f"there are {len(metrics)} metrics, but {len(shares)} shares")
        return tuple(share / sum(shares) for share in shares)


OPTIONS, TOKENIZED = TuneOptions(), Text(tokenize="none")


class TuneShortcuts(Shortcuts, total=False):
    """The fields of `TuneOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    shares: Sequence[float] | None
    weights: WeightMapping | None
    fixed: str | Sequence[str]
    restarts: int
    directions: int
    first_id: int


def tune(
    nbest: Path | Sequence[Path],
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    options: TuneOptions = OPTIONS,
    text: Text = TOKENIZED,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[TuneShortcuts],
) -> TuneResult:
    """Find the feature weights that choose the best candidates of n-best lists (MERT, Och 2003).

    Parameters
    ----------
    nbest
        A file of n-best lists with features (Moses, or JSON lines), or several: lists of the same segment are merged.
    references
        references[i] are the references of segment i; segments without a list are left out.
    metrics
        The metric to maximize, or several whose weighted sum is maximized.
    options
        Shares of metrics, initial weights and the extent of the search (`TuneOptions`).
    text, resampling, workers
        How text is read (`Text`; n-best lists are usually tokenized already), how bootstrap intervals over segments are
        drawn (`Resampling`; random starts and directions use the same seed), and where work is done (`Workers`; only
        jobs and progress are used).
    **shortcuts
        The fields of these four values as keywords: shares, weights, fixed, restarts, directions, first_id, tokenize,
        lowercase, analyzer, n_resamples, confidence, seed, jobs, progress.
    """
    options, text, resampling, workers = apply_shortcuts("tune", shortcuts, options, text, resampling, workers)
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    if options.weights is not None:
        options = replace(options, weights=check_weights(options.weights))
    options.normalized_shares(chosen)
    test_set = TestSet({}, make_streams(as_list(references, "references")))
    pool = read_pool(nbest, len(test_set), options.first_id)
    return tune_pool(pool, test_set, chosen, text.encoding, options, resampling, workers)


def tune_pool(
    pool: CandidatePool,
    references: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    options: TuneOptions,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    weights_name: str = "weights",
) -> TuneResult:
    """Tune on a pool of lists; messages call the initial weights `weights_name`."""
    shares = options.normalized_shares(metrics)
    layout = pool.layout
    free = layout.free(options.fixed_features)
    if not free.any():
        raise InputError("all features are held, so there is nothing to tune")
    if options.weights is not None:
        vector, origin = layout.vector(check_weights(options.weights), weights_name), "given"
    elif pool.fitted is not None:
        vector, origin = pool.fitted, "scores"
    else:
        vector, origin = np.ones(pool.features.shape[1]), "equal"
    statistics = pool_statistics(pool, references, metrics, encoding, workers.jobs)
    objective = TuningObjective.of(metrics, shares, statistics)
    seed = resampling.seed % 2**64
    search = MertSearch(pool.features, pool.bounds, objective, free, options.directions, seed)
    initial = _rescale(vector, vector, free)
    climbs = climb_all(search, initial, options.restarts, workers.jobs, workers.progress)
    climbs = [replace(climb, weights=_rescale(climb.weights, vector, free)) for climb in climbs]
    best = max(climbs, key=lambda climb: (climb.goodness, -climb.number))
    before, after = search.choose(initial), search.choose(best.weights)
    signatures = [
        metric.signature(
            encoding,
            references.reference_count,
            _signature_parts(share if len(metrics) > 1 else None, origin, options, resampling),
        )
        for metric, share in zip(metrics, shares, strict=True)
    ]
    scores = _tuned_scores(objective, (before, after), signatures, resampling, workers.jobs)
    return TuneResult(
        layout.by_name(best.weights),
        layout.by_name(initial),
        origin,
        scores,
        objective.of_choice(after),
        objective.of_choice(before),
        tuple(TuneStart(climb.number, climb.goodness, climb.steps, layout.by_name(climb.weights)) for climb in climbs),
        pool.segments,
        tuple(pool.texts_at(after)),
        after - pool.bounds[:-1] + 1,
        {
            "segments": len(references),
            "lists": len(pool.texts),
            "candidates": len(pool.features),
            "merged": pool.merged,
        },
        _notes(pool, references, origin),
    )


def _rescale(weights: Floats, initial: Floats, free: NDArray[np.bool_]) -> Floats:
    """Return weights with the same ratios; held ones keep their value, otherwise absolute values add up to 1."""
    held = np.flatnonzero(~free & (initial != 0))
    if not len(held):
        return normalize(weights)
    return np.where(free, weights * (initial[held[0]] / weights[held[0]]), initial)


def _signature_parts(
    share: float | None, origin: str, options: TuneOptions, resampling: Resampling
) -> list[tuple[str, object]]:
    return [
        ("tune", "mert"),
        *([("share", write_value(round(share, 6)))] if share is not None else []),
        *([("fixed", "+".join(options.fixed_features))] if options.fixed else []),
        ("start", origin),
        ("restarts", options.restarts),
        ("directions", options.directions),
        ("n", resampling.n_resamples),
        ("seed", resampling.seed),
    ]


def _tuned_scores(
    objective: TuningObjective,
    choices: tuple[NDArray[np.intp], NDArray[np.intp]],
    signatures: Sequence[str],
    resampling: Resampling,
    jobs: int | None,
) -> tuple[TunedScore, ...]:
    """Return each metric's scores of two choices, with intervals on the same resamples of segments."""
    before, after = (objective.statistics[choice] for choice in choices)
    resampled = bootstrap(np.concatenate([before, after], axis=1), resampling.n_resamples, resampling.seed, jobs)
    resampled_before, resampled_after = (objective.parts(half) for half in np.split(resampled, 2, axis=1))

    scores = []
    for m, metric in enumerate(objective.metrics):
        start, tuned = (float(metric.score(objective.parts(rows)[m].sum(axis=0))) for rows in (before, after))
        starts, ends = metric.score(resampled_before[m]), metric.score(resampled_after[m])
        scores.append(
            TunedScore(
                metric=str(metric),
                signature=signatures[m],
                share=objective.shares[m],
                start=start,
                start_interval=percentile_interval(starts, resampling),
                tuned=tuned,
                interval=percentile_interval(ends, resampling),
                difference=tuned - start,
                difference_interval=percentile_interval(ends - starts, resampling),
                scale=metric.scale,
            )
        )
    return tuple(scores)


def _notes(pool: CandidatePool, references: TestSet, origin: str) -> tuple[str, ...]:
    notes = []
    missing = len(references) - len(pool.texts)
    if missing:
        notes.append(f"{missing} of {len(references)} segments have no list and are left out")
    if pool.merged:
        notes.append(f"{pool.merged} candidates repeat others, with the same features, and are left out")
    if origin == "scores":
        notes.append("the lists' scores are a weighted sum of their features: tuning starts with those weights")
    elif origin == "equal":
        notes.append("the lists' scores do not determine weights: tuning starts with equal ones (or use --weights)")
    first = pool.bounds[:-1]
    ranges = np.maximum.reduceat(pool.features, first, axis=0) - np.minimum.reduceat(pool.features, first, axis=0)
    constant = [
        label for label, widest in zip(pool.layout.labels, ranges.max(axis=0).tolist(), strict=True) if widest == 0
    ]
    if constant:
        notes.append(f"{', '.join(constant)}: equal for all candidates of each list, so the weight has no effect")
    return tuple(notes)


def rerank(nbest: Path | Sequence[Path], weights: WeightMapping, *, first_id: int = 0) -> RerankResult:
    """Return the best candidate of each list with these weights; ties go to the first.

    Parameters
    ----------
    nbest
        A file of n-best lists with features, or several: lists of the same segment are merged, as in `tarocco.tune`.
    weights
        The weights of all features, such as {"lm": [0.5, 0.2], "w": -0.1}, or `tarocco.tune(...).weights`.
    first_id
        The id of the first segment in the files.
    """
    checked = check_weights(weights)
    return rerank_pool(read_pool(nbest, None, first_id), checked)


def rerank_pool(pool: CandidatePool, weights: Weights, weights_name: str = "weights") -> RerankResult:
    """Return the best candidate of each list of a pool; messages call the weights `weights_name`."""
    scores = weighted_sum(pool.features.T, pool.layout.vector(weights, weights_name))
    best = best_of_lists(scores, pool.bounds)
    places = best - pool.bounds[:-1] + 1
    return RerankResult(weights, pool.segments, tuple(pool.texts_at(best)), places, scores[best])
