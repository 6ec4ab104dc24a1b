"""Tuning from n-best lists to weights: `tarocco tune`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real

import numpy as np

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import References, listed, streams_of
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.names import write_value
from tarocco.core.records import Interval
from tarocco.core.test_set import TestSet
from tarocco.decode.tuning.mert import Climb, Objective, Tuning, climbs, normalized
from tarocco.decode.tuning.pool import Pool, Weights, pool_of, statistics_of_pool
from tarocco.decode.tuning.results import Tuned, TuneResult, TuneStart
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.lists import read_nbest
from tarocco.io.weights import weights_of
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import check_jobs
from tarocco.scoring.resampling import bootstrap, check_resampling, percentiles
from tarocco.scoring.score import score_signature
from tarocco.scoring.settings import SEED

RESTARTS, DIRECTIONS = 20, 10

Path = str | os.PathLike[str]
GivenWeights = Mapping[str, float | Sequence[float]]


@dataclass(frozen=True, eq=False)
class Settings:
    """How weights are sought, and how sure one is of the scores that they give."""

    metrics: tuple[Metric, ...]
    shares: tuple[float, ...]
    encoding: Encoding
    weights: Weights | None = None  # where to begin
    weights_from: str = "weights"  # what messages call them
    fixed: tuple[str, ...] = ()
    restarts: int = RESTARTS
    directions: int = DIRECTIONS
    confidence: float = 0.95
    n_resamples: int = 1000
    seed: int = SEED

    def __post_init__(self) -> None:
        if not self.metrics:
            raise InputError("no metric was asked for")
        if len(self.shares) != len(self.metrics):
            raise BadParameter(f"there are {len(self.metrics)} metrics, but {len(self.shares)} shares")
        for share in self.shares:
            if not (isinstance(share, Real) and np.isfinite(float(share)) and share > 0):
                raise BadParameter(f"a share is a number above 0, not {share!r}")
        for name, least in (("restarts", 0), ("directions", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < least:
                raise BadParameter(f"{name} is an integer of at least {least}, not {value!r}")
        check_resampling(self.confidence, self.n_resamples, self.seed)

    @property
    def parts(self) -> tuple[float, ...]:
        """Shares that add up to 1."""
        return tuple(float(share) / sum(map(float, self.shares)) for share in self.shares)


def tune(
    nbest: Path | Sequence[Path],
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    shares: Sequence[float] | None = None,
    weights: GivenWeights | None = None,
    fixed: Sequence[str] = (),
    restarts: int = RESTARTS,
    directions: int = DIRECTIONS,
    tokenize: str = "none",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    first_id: int = 0,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
) -> TuneResult:
    """Find weights of features that make the best candidates of n-best lists come out on top (MERT, Och 2003).

    Parameters
    ----------
    nbest
        A file of n-best lists with features (Moses, or JSON lines), or several: lists of the same segment are merged.
    references
        references[i] are the references of segment i; segments without a list are left out.
    metrics, shares
        What to maximize: a metric, or several with their shares in a weighted sum of scores on their natural scale
        (errors count negative); equal shares by default.
    weights
        Where to begin, such as {"lm": [0.5, 0.2], "w": -0.1}. By default those that the scores in the last file reveal,
        if they are a weighted sum of the features, and else equal ones.
    fixed
        Features whose weights do not change, or single values of them such as "lm.2".
    restarts, directions
        How many random starts there are besides, and how many random directions are tried in each step besides the
        features themselves.
    tokenize, lowercase, analyzer
        As for `tarocco.score`; n-best lists are tokenized already, most often.
    first_id
        The first segment's id in the files.
    confidence, n_resamples, seed
        Of bootstrap intervals over segments; the seed is also that of starts and directions.
    jobs
        How many threads; all processors by default. The result does not depend on it.
    """
    asked = [metrics] if isinstance(metrics, str | Metric) else metrics
    chosen = tuple(find_metrics(asked))
    settings = Settings(
        chosen,
        tuple(shares) if shares is not None else (1.0,) * len(chosen),
        Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)),
        None if weights is None else weights_of(weights),
        fixed=(fixed,) if isinstance(fixed, str) else tuple(fixed),
        restarts=restarts,
        directions=directions,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )
    check_jobs(jobs)
    test_set = TestSet({}, streams_of(listed(references, "references")))
    return tune_pool(read_pool(paths_of(nbest), len(test_set), first_id), test_set, settings, jobs)


def paths_of(nbest: Path | Sequence[Path]) -> list[str]:
    """The files that a caller named."""
    paths = [nbest] if isinstance(nbest, str | os.PathLike) else nbest
    if (
        not isinstance(paths, list | tuple)
        or not paths
        or not all(isinstance(path, str | os.PathLike) for path in paths)
    ):
        raise InputError("nbest is a file of n-best lists with features, or a list of such files")
    return [os.fspath(path) for path in paths]


def read_pool(paths: Sequence[str], segments: int | None, first_id: int = 0) -> Pool:
    """The lists of all files."""
    return pool_of([read_nbest(path, segments=segments, first_id=first_id) for path in paths])


def tune_pool(
    pool: Pool,
    references: TestSet,
    settings: Settings,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> TuneResult:
    """Tune on lists that have been read; `advance` is told how many more starts are done."""
    free = pool.layout.free(settings.fixed)
    if not free.any():
        raise InputError("all features are held, so that there is nothing to tune")
    vector, origin = start_of(pool, settings)
    statistics = statistics_of_pool(pool, references, settings.metrics, settings.encoding, jobs)
    objective = Objective.of(settings.metrics, settings.parts, statistics)
    tuning = Tuning(pool.features, pool.bounds, objective, free, settings.directions, settings.seed % 2**64)
    first = _scaled(vector, vector, free)
    climbed = climbs(tuning, first, settings.restarts, jobs, advance)
    climbed = [replace(one, weights=_scaled(one.weights, vector, free)) for one in climbed]
    best = max(climbed, key=lambda one: (one.goodness, -one.number))
    choices = tuning.choice(first), tuning.choice(best.weights)
    before, after = (objective.parts(objective.statistics[one]) for one in choices)
    layout = pool.layout
    return TuneResult(
        layout.by_name(best.weights),
        layout.by_name(first),
        origin,
        _tuned(settings, references, origin, before, after, jobs),
        objective.of_choice(choices[1]),
        objective.of_choice(choices[0]),
        tuple(_start(one, layout.by_name(one.weights)) for one in climbed),
        pool.segments,
        tuple(pool.chosen_texts(choices[1])),
        choices[1] - pool.bounds[:-1] + 1,
        {
            "segments": len(references),
            "lists": len(pool.texts),
            "candidates": len(pool.features),
            "merged": pool.merged,
        },
        _notes(pool, references, origin),
    )


def _start(one: Climb, weights: Weights) -> TuneStart:
    return TuneStart(one.number, one.goodness, one.steps, weights)


def start_of(pool: Pool, settings: Settings) -> tuple[Floats, str]:
    """Where to begin, and why there."""
    if settings.weights is not None:
        return pool.layout.vector(settings.weights, settings.weights_from), "given"
    if pool.revealed is not None:
        return pool.revealed, "scores"
    return np.ones(pool.features.shape[1]), "equal"


def _scaled(weights: Floats, given: Floats, free: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    """Weights that are held keep their value, and the others their ratio to them; else sizes add up to 1."""
    held = np.flatnonzero(~free & (given != 0))
    if not len(held):
        return normalized(weights)
    scaled = weights * (given[held[0]] / weights[held[0]])
    return np.where(free, scaled, given)


def _tuned(
    settings: Settings,
    references: TestSet,
    origin: str,
    before: Sequence[Floats],
    after: Sequence[Floats],
    jobs: int | None,
) -> tuple[Tuned, ...]:
    """Each metric's scores at the start and after tuning, with intervals on the same resamples of segments."""
    columns = [rows.shape[1] for rows in before]
    both = np.concatenate([*before, *after], axis=1)
    drawn = np.split(
        bootstrap(both, settings.n_resamples, settings.seed, jobs), np.cumsum([*columns, *columns])[:-1], axis=1
    )
    tail = (1 - settings.confidence) / 2

    def between(scores: Floats) -> Interval:
        low, high = percentiles(scores, tail)
        return Interval(low, high, float(settings.confidence), int(settings.n_resamples), int(settings.seed))

    found = []
    for m, (metric, share) in enumerate(zip(settings.metrics, settings.parts, strict=True)):
        start, tuned = (float(metric.score(rows[m].sum(axis=0))) for rows in (before, after))
        of_start, of_tuned = (metric.score(drawn[m + shift]) for shift in (0, len(settings.metrics)))
        more = [
            ("tune", "mert"),
            *([("share", write_value(round(share, 6)))] if len(settings.metrics) > 1 else []),
            *([("fixed", "+".join(settings.fixed))] if settings.fixed else []),
            ("start", origin),
            ("restarts", settings.restarts),
            ("directions", settings.directions),
            ("n", settings.n_resamples),
            ("seed", settings.seed),
        ]
        found.append(
            Tuned(
                str(metric),
                score_signature(metric, settings.encoding, references.reference_count, more),
                share,
                start,
                between(of_start),
                tuned,
                between(of_tuned),
                tuned - start,
                between(of_tuned - of_start),
                metric.scale,
            )
        )
    return tuple(found)


def _notes(pool: Pool, references: TestSet, origin: str) -> tuple[str, ...]:
    notes = []
    missing = len(references) - len(pool.texts)
    if missing:
        notes.append(f"{missing} of {len(references)} segments have no list, and are left out")
    if pool.merged:
        notes.append(f"{pool.merged} candidates were there before, with the same features, and are left out")
    if origin == "scores":
        notes.append("the lists' scores are a weighted sum of their features: tuning begins at those weights")
    elif origin == "equal":
        notes.append("the lists' scores tell no weights: tuning begins at equal ones (--weights gives others)")
    constant = [
        label for label, spread in zip(pool.layout.labels, _spread_within(pool).tolist(), strict=True) if spread == 0
    ]
    if constant:
        notes.append(f"{', '.join(constant)}: the same for all candidates of each list, so that no weight matters")
    return tuple(notes)


def _spread_within(pool: Pool) -> Floats:
    """How far apart the values of each feature are in some list."""
    first = pool.bounds[:-1]
    apart = np.maximum.reduceat(pool.features, first, axis=0) - np.minimum.reduceat(pool.features, first, axis=0)
    spread: Floats = apart.max(axis=0)
    return spread
