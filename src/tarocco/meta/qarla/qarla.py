"""QUEEN, KING and JACK: metrics put on trial with several references, and combined without weights.

Amigo, Gonzalo, Penas and Verdejo (2005), QARLA: a Framework for the Evaluation of Text Summarization Systems, ACL; for
translation Gimenez and Amigo (2006), IQMT: A Framework for Automatic Machine Translation Evaluation, LREC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import Candidates, References, make_test_set
from tarocco.core.errors import BadParameter, InputError, UnknownName
from tarocco.core.test_set import TestSet
from tarocco.encode.batch import Encoding
from tarocco.meta.qarla import king as kings
from tarocco.meta.qarla import queen as queens
from tarocco.meta.qarla.king import Resampling, find_surrounded_references
from tarocco.meta.qarla.queen import N_PAIRS, PairSelection, Sets, mean_ignoring_nan, ulc_of
from tarocco.meta.qarla.results import Jack, JackResult, King, KingResult, QarlaSetup, Queen, QueenResult
from tarocco.meta.qarla.similarities import Similarities, compute_similarities
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import Given, external_metrics
from tarocco.metrics.registry import metric as find_metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import check_resampling
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


METRICS = ("BLEU-4", "NIST-5", "GTM-2", "ROUGE-L", "METEOR-exact", "1-WER")  # if nobody asks for others


def queen(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
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
) -> QueenResult:
    """How good are systems, by several metrics at once and without weights?

    QUEEN is the share of samples (r, r', r'') in which a translation is at least as near to a reference r as two
    different references r' and r'' are to each other, under every metric. ULC, the mean of normalized scores, stands
    beside it.

    Parameters
    ----------
    systems
        A mapping from system names to their segments, or the segments of one system.
    references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.score`; external scores are of pairs of texts: a table with columns target, reference, segment
        and score, or a mapping from (target, reference) to numbers. References are called 1, 2, ... there.
    trans_topic, n_pairs
        Take r' and r'' from all segments, and not from the translation's own: for a single metric all pairs, for
        several a sample of so many, drawn from the seed.
    segments
        The segments that take part, counted from 0; all by default.
    confidence, n_resamples, seed
        Of bootstrap intervals over segments.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.queen(demo.systems, demo.references, metrics=["ROUGE-L", "1-WER"])
    >>> max(result, key=float).system
    'careful'
    """
    settings = make_settings(
        trans_topic=trans_topic,
        n_pairs=n_pairs,
        segments=segments,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        jobs=jobs,
    )
    encoding = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    test_set, chosen = _given(systems, references, metrics, external)
    check_test_set(test_set, "QUEEN", settings.segments)
    near = compute_similarities(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    scores = score_test_set(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    return evaluate_queen(near, scores, settings)


def king(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    sets: MetricSets | None = None,
    level: str = "segment",
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
) -> KingResult:
    """How well do metrics tell human translations from automatic ones?

    KING is the share of segments and references in which the reference, held out, has a QUEEN by the other references
    that is at least that of every system; strict KING is the share in which it is larger.

    Parameters
    ----------
    systems, references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.queen`.
    sets
        Sets of metrics, such as [["NIST-3", "1-WER"], ["ROUGE-L"]], in place of `metrics`. By default every metric by
        itself, and all of them together.
    level
        "segment", or "system": then a reference is compared with systems by the means of QUEEN over segments.
    trans_topic, n_pairs, segments, confidence, n_resamples, seed
        As for `tarocco.queen`.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.king(demo.systems, demo.references, sets=[["ROUGE-L", "1-WER"], ["ROUGE-L"]])
    >>> result["ROUGE-L"].king > result["ROUGE-L"].strict_king
    True
    """
    check_level(level)
    settings = make_settings(
        trans_topic=trans_topic,
        n_pairs=n_pairs,
        segments=segments,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        jobs=jobs,
    )
    encoding = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    test_set, chosen = _given(systems, references, metrics if sets is None else list_members(sets), external)
    check_test_set(test_set, "KING", settings.segments)
    chosen, members = number_sets(sets, chosen)
    near = compute_similarities(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    return evaluate_king(near, members, level, settings)


def jack(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    sets: MetricSets | None = None,
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
) -> JackResult:
    """How reliable is a test bed: are the references surrounded by different translations?

    JACK is the share of segments and references r for which two different systems have translations, both with QUEEN
    above zero, one of which is at least as near to r as to the other, under every metric.

    Parameters
    ----------
    systems
        A mapping from system names to their segments; two at least.
    references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.queen`.
    sets
        Sets of metrics, as for `tarocco.king`; by default all metrics together.
    trans_topic, n_pairs, segments, confidence, n_resamples, seed
        As for `tarocco.queen`.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.jack(demo.systems, demo.references, metrics=["ROUGE-L", "1-WER"])
    >>> 0 < result["ROUGE-L", "1-WER"].jack < 1
    True
    """
    settings = make_settings(
        trans_topic=trans_topic,
        n_pairs=n_pairs,
        segments=segments,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        jobs=jobs,
    )
    encoding = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    test_set, chosen = _given(systems, references, metrics if sets is None else list_members(sets), external)
    check_test_set(test_set, "JACK", settings.segments)
    chosen, members = number_sets(sets, chosen)
    near = compute_similarities(
        test_set, chosen, encoding, between_systems=True, jobs=jobs, store=store, executor=executor
    )
    return evaluate_jack(near, members, settings)


def _given(
    systems: Candidates,
    references: References,
    metrics: Sequence[str | Metric] | str | Metric,
    external: Mapping[str, Given] | None,
) -> tuple[TestSet, list[Metric]]:
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    if not chosen and not external:
        raise InputError("no metric was asked for")
    test_set = make_test_set(systems, references)
    return test_set, [*chosen, *external_metrics(external or {}, test_set, chosen)]


# Sets of metrics as a user names them.


MetricSets = Sequence[Sequence[str | Metric]]


def list_members(sets: MetricSets) -> list[str | Metric]:
    """The metrics of all sets that are computed, each once; other names may be those of scores made elsewhere."""
    found: dict[str, Metric] = {}
    for one in _members(sets):
        try:
            metric = find_metric(one)
        except UnknownName:
            continue
        found.setdefault(str(metric), metric)
    return list(found.values())


def number_sets(sets: MetricSets | None, metrics: Sequence[Metric]) -> tuple[list[Metric], list[list[int]] | None]:
    """The metrics that sets are made of, and the sets by their numbers; all metrics and None without any sets."""
    if sets is None:
        return list(metrics), None
    places = {str(metric): place for place, metric in enumerate(metrics)}

    def place(one: str | Metric) -> int:
        name = one if isinstance(one, str) and one in places else str(find_metric(one))
        if name not in places:
            raise UnknownName(f"{name} is not among the metrics; there are {', '.join(places)}")
        return places[name]

    numbered = [list(dict.fromkeys(place(one) for one in members)) for members in _checked(sets)]
    used = list(dict.fromkeys(number for members in numbered for number in members))
    return [metrics[number] for number in used], [[used.index(number) for number in members] for members in numbered]


def _members(sets: MetricSets) -> list[str | Metric]:
    return [one for members in _checked(sets) for one in members]


def _checked(sets: MetricSets) -> MetricSets:
    if isinstance(sets, str) or any(isinstance(members, str | Metric) for members in sets):
        raise BadParameter('sets are lists of lists, such as [["NIST-3", "1-WER"], ["ROUGE-L"]]')
    if not sets or not all(sets):
        raise BadParameter("a set of metrics has at least one")
    return sets


# From similarities to QUEEN, KING and JACK: what the public functions and the commands have in common.


LEVELS = tuple(kings.LEVELS)
_WANTED = {
    "QUEEN": (2, "two references: how near they are to each other is what translations are measured by"),
    "KING": (
        3,
        "three references: one is held out, and how near the others are to each other is what it is measured by",
    ),
    "JACK": (2, "two references: how near they are to each other is what translations are measured by"),
}


@dataclass(frozen=True)
class QarlaOptions:
    """How it is judged, whatever the texts are."""

    comparison: PairSelection
    resampling: Resampling
    segments: tuple[int, ...] | None = None  # those that take part, counted from 0; None: all


def make_settings(
    *,
    trans_topic: bool = False,
    n_pairs: int = N_PAIRS,
    segments: Sequence[int] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
) -> QarlaOptions:
    """Check what can be checked before anything is scored."""
    check_resampling(confidence, n_resamples, seed)
    if not (isinstance(n_pairs, Integral) and n_pairs >= 1):
        raise BadParameter(f"n_pairs is an integer of at least 1, not {n_pairs!r}")
    chosen = None
    if segments is not None:
        chosen = tuple(dict.fromkeys(int(one) for one in segments))
        if not chosen:
            raise InputError("no segment was asked for")
    return QarlaOptions(
        PairSelection(bool(trans_topic), int(n_pairs), int(seed)),
        Resampling(float(confidence), int(n_resamples), int(seed), jobs),
        chosen,
    )


def check_level(level: str) -> None:
    if level not in LEVELS:
        raise BadParameter(f"level is one of {', '.join(LEVELS)}, not {level!r}")


def check_test_set(test_set: TestSet, name: str, segments: Sequence[int] | None = None) -> None:
    """Refuse, before anything is scored, what has too few references, systems or segments for a measure."""
    least, why = _WANTED[name]
    _check_segments(segments or (), len(test_set))
    most = int(test_set.present.sum(axis=0).max(initial=0))
    if most < least:
        there = "there is 1" if most == 1 else f"there are {most}"
        raise InputError(f"{name} wants at least {why}; {there}")
    if name == "JACK" and len(test_set.systems) < 2:
        raise InputError("JACK wants at least two systems: how different their translations are is what it is about")


# --- what takes part -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bench:
    """The similarities of segments that take part, and their places among those that were asked about."""

    near: Similarities
    rows: NDArray[np.intp]  # of the segments asked about, those that have enough references
    asked: tuple[int, ...]
    notes: tuple[str, ...]

    def spread(self, values: Floats) -> Floats:
        """Values of segments, along the first axis, for all that were asked about; NaN for those that take no part."""
        found = np.full((len(self.asked), *values.shape[1:]), np.nan)
        found[self.rows] = values
        return found

    def setup(self, settings: QarlaOptions) -> QarlaSetup:
        signatures = dict(zip(self.near.metrics, self.near.signatures, strict=True))
        seed = settings.resampling.seed
        return QarlaSetup(signatures, self.near.systems, self.near.references, self.asked, seed, self.notes)


def select_segments(near: Similarities, settings: QarlaOptions, name: str) -> Bench:
    """Leave out segments that nobody asked for, or that have too few references."""
    least, why = _WANTED[name]
    asked = tuple(range(near.n_segments)) if settings.segments is None else settings.segments
    _check_segments(asked, near.n_segments)
    enough = near.present.sum(axis=1)[list(asked)] >= least
    rows = np.flatnonzero(enough)
    if not len(rows):
        raise InputError(f"{name} wants at least {why}; no segment of those asked for has so many")
    segments = np.array(asked)[rows]
    notes = []
    if left_out := len(asked) - len(rows):
        notes.append(f"{left_out} of {len(asked)} segments have fewer than {least} references and are left out")
    whole = len(segments) == near.n_segments and (segments == np.arange(near.n_segments)).all()
    return Bench(near if whole else near.chosen(segments=segments.tolist()), rows, asked, tuple(notes))


def _check_segments(asked: Sequence[int], count: int) -> None:
    if wrong := [one for one in asked if not 0 <= one < count]:
        raise InputError(f"there is no segment {wrong[0] + 1}: there are {count}")


def _signature(name: str, near: Similarities, settings: QarlaOptions, members: Sequence[int], more: str = "") -> str:
    counts, drawn = near.present.sum(axis=1), settings.resampling
    references = int(counts[0]) if (counts == counts[0]).all() else "var"
    pairs = settings.comparison.told(near, members)
    return (
        f"{name}{more}|nrefs:{references}|systems:{len(near.systems)}|segments:{near.n_segments}|{pairs}|"
        f"confidence:{drawn.confidence:g}|n:{drawn.n_resamples}|seed:{drawn.seed}|v:{__version__}"
    )


# --- the three measures ----------------------------------------------------------------------------------------------


def evaluate_queen(near: Similarities, scores: Result, settings: QarlaOptions) -> QueenResult:
    """QUEEN of every system under all metrics together, and ULC of the same metrics' scores."""
    bench = select_segments(near, settings, "QUEEN")
    near, resampling = bench.near, settings.resampling
    everything = list(range(len(near.metrics)))
    (found,) = queens.compute_queens(near, [everything], settings.comparison, resampling.jobs)
    means, intervals = resampling.mean(found)
    by_segment = bench.spread(found)
    ulc = ulc_of(scores, np.array(bench.asked))
    told = tuple(
        Queen(system, float(means[a]), intervals[a], by_segment[:, a], float(ulc.systems[a]), ulc.segments[a])
        for a, system in enumerate(near.systems)
    )
    signature = _signature("QUEEN", near, settings, everything)
    return QueenResult(told, near.metrics, signature, bench.setup(settings))


def evaluate_king(near: Similarities, sets: Sets | None, level: str, settings: QarlaOptions) -> KingResult:
    """KING of sets of metrics, the best first; without any, of each metric by itself, and then of all together."""
    check_level(level)
    bench = select_segments(near, settings, "KING")
    near, resampling = bench.near, settings.resampling
    every = list(range(len(near.metrics)))
    together = [every] if sets is None and len(every) > 1 else []
    alone = [[m] for m in every] if sets is None else list(sets)
    found = queens.compute_held_out_queens(near, [*alone, *together], settings.comparison, resampling.jobs)
    outcomes = kings.outcomes(level, found, near.present, resampling)
    told = [
        King(
            tuple(near.metrics[m] for m in members),
            *one.king,
            *one.intervals,
            {name: (float(k), float(s)) for name, (k, s) in zip(near.references, one.by_reference, strict=True)},
            bench.spread(one.by_segment[:, 0]),
            bench.spread(one.by_segment[:, 1]),
            one.n_segments,
            _signature("KING", near, settings, members, f"|level:{level}"),
        )
        for members, one in zip([*alone, *together], outcomes, strict=True)
    ]
    told[: len(alone)] = sorted(told[: len(alone)], key=_place)
    return KingResult(tuple(told), bench.setup(settings), level)


def _place(one: King) -> tuple[bool, float, float]:
    """From the best down; what has no KING comes last."""
    return np.isnan(one.king), -one.strict_king, -one.king


def evaluate_jack(near: Similarities, sets: Sets | None, settings: QarlaOptions) -> JackResult:
    """JACK under sets of metrics; without any, under all metrics together."""
    bench = select_segments(near, settings, "JACK")
    near, resampling = bench.near, settings.resampling
    members = [list(range(len(near.metrics)))] if sets is None else list(sets)
    told = []
    for own, of_set in zip(
        members, queens.compute_queens(near, members, settings.comparison, resampling.jobs), strict=True
    ):
        found = find_surrounded_references(near, own, of_set)
        by_segment, by_reference = mean_ignoring_nan(found, 1), mean_ignoring_nan(found, 0)
        (jack,), (interval,) = resampling.mean(by_segment[:, None])
        told.append(
            Jack(
                tuple(near.metrics[m] for m in own),
                float(jack),
                interval,
                float((np.nan_to_num(of_set) > 0).mean()),
                dict(zip(near.references, by_reference.tolist(), strict=True)),
                bench.spread(by_segment),
                int((~np.isnan(by_segment)).sum()),
                _signature("JACK", near, settings, own),
            )
        )
    return JackResult(tuple(told), bench.setup(settings))
