"""QUEEN, KING and JACK: evaluate metrics with several references, and combine metrics without weights.

Amigó, Gonzalo, Peñas and Verdejo (2005), QARLA: a Framework for the Evaluation of Text Summarization Systems, ACL; for
translation, Giménez and Amigó (2006), IQMT: A Framework for Automatic Machine Translation Evaluation, LREC.

`queen`, `king` and `jack` are the public functions. They compute similarities and pass them to `evaluate_queen`,
`evaluate_king` and `evaluate_jack`, which commands and trials call directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, InputError, UnknownName
from tarocco.core.test_set import Candidates, References, TestSet, make_test_set
from tarocco.meta.qarla.king import (
    KING_LEVELS,
    find_surrounded_references,
    mean_with_intervals,
    measure_length_cases,
)
from tarocco.meta.qarla.king_support import judge_sets
from tarocco.meta.qarla.queen import (
    N_PAIRS,
    MemberSets,
    PairSelection,
    compute_held_out_queens,
    compute_queens,
    compute_ulc,
    mean_ignoring_nan,
)
from tarocco.meta.qarla.results import Jack, JackResult, King, KingResult, QarlaSetup, Queen, QueenResult
from tarocco.meta.qarla.similarities import TextSimilarities, compute_similarities
from tarocco.meta.support.decision import MOST_DRAWS, SupportRules
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import ExternalSource, external_metrics
from tarocco.metrics.registry import metric as find_metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import Units, count_units
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import (
    RESAMPLING,
    TEXT,
    WORKERS,
    Resampling,
    Shortcuts,
    Text,
    Workers,
    apply_shortcuts,
)

METRICS = ("BLEU-4", "NIST-5", "GTM-2", "ROUGE-L", "METEOR-exact", "1-WER")  # the default
MetricSets = Sequence[Sequence[str | Metric]]

_TWO_REFERENCES = "two references, because translations are measured by the similarity of references to each other"
_REQUIRED_REFERENCES = {
    "QUEEN": (2, _TWO_REFERENCES),
    "KING": (
        3,
        "three references, because one is held out and measured by the similarity of the others to each other",
    ),
    "JACK": (2, _TWO_REFERENCES),
}


@dataclass(frozen=True)
class QarlaOptions:
    """What QUEEN, KING and JACK are computed on.

    trans_topic
        Whether the pairs (r', r'') come from all segments instead of the translation's segment. A single metric uses
        all pairs, a set of metrics a random sample of `n_pairs`.
    n_pairs
        The size of that sample.
    segments
        The segments to use, counted from 0; None uses all.
    """

    trans_topic: bool = False
    n_pairs: int = N_PAIRS
    segments: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.n_pairs, Integral) and self.n_pairs >= 1):
            raise BadParameter(f"n_pairs is an integer of at least 1, not {self.n_pairs!r}")
        if self.segments is not None:
            segments = tuple(dict.fromkeys(int(segment) for segment in self.segments))
            if not segments:
                raise InputError("no segment was selected")
            object.__setattr__(self, "segments", segments)

    def select_pairs(self, seed: int) -> PairSelection:
        """Return how pairs of references are selected."""
        return PairSelection(bool(self.trans_topic), int(self.n_pairs), int(seed))


@dataclass(frozen=True)
class KingOptions(QarlaOptions):
    """What KING is computed on: as `QarlaOptions`, and at which level.

    level
        "segment" compares each reference with the systems in each segment, "system" by their means over segments.
    """

    level: str = "segment"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.level not in KING_LEVELS:
            raise BadParameter(f"level is one of {', '.join(KING_LEVELS)}, not {self.level!r}")


QARLA_OPTIONS, KING_OPTIONS = QarlaOptions(), KingOptions()  # the defaults of public functions


class QarlaShortcuts(Shortcuts, total=False):
    """The fields of `QarlaOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    trans_topic: bool
    n_pairs: int
    segments: Sequence[int] | None


class KingShortcuts(QarlaShortcuts, total=False):
    """The fields of `KingOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    level: str


def queen(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    options: QarlaOptions = QARLA_OPTIONS,
    text: Text = TEXT,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[QarlaShortcuts],
) -> QueenResult:
    """Rate systems by several metrics at once, without weights.

    QUEEN is the share of samples (r, r', r'') in which a translation is at least as similar to a reference r as two
    different references r' and r'' are to each other, under every metric. The result also has ULC, the mean of
    normalized scores, as a baseline.

    Parameters
    ----------
    systems
        A mapping from system names to their segments, or the segments of one system.
    references, metrics
        As for `tarocco.score`.
    documents
        One label per segment. Segments of one document are not independent, so intervals redraw whole documents.
    external
        External scores of pairs of texts: a table with columns target, reference, segment and score, or a mapping from
        (target, reference) to numbers. References are called 1, 2, ... there.
    options
        Which pairs of references and which segments to use (`QarlaOptions`).
    text, resampling, workers
        How text is read, how intervals are resampled over segments, and where work is done.
    **shortcuts
        The fields of these four values as keywords: trans_topic, n_pairs, segments, tokenize, lowercase, analyzer,
        n_resamples, confidence, seed, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.queen(demo.systems, demo.references, metrics=["ROUGE-L", "1-WER"])
    >>> max(result, key=float).system
    'careful'
    """
    options, text, resampling, workers = apply_shortcuts("queen", shortcuts, options, text, resampling, workers)
    test_set, chosen = _read_arguments(systems, references, metrics, documents, external)
    check_test_set(test_set, "QUEEN", options.segments)
    similarities = compute_similarities(test_set, chosen, text.encoding, workers=workers)
    scores = score_test_set(test_set, chosen, text.encoding, workers=workers)
    return evaluate_queen(similarities, scores, options, resampling, workers.jobs)


def king(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    sets: MetricSets | None = None,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    options: KingOptions = KING_OPTIONS,
    text: Text = TEXT,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[KingShortcuts],
) -> KingResult:
    """Measure how well metrics distinguish human translations from automatic ones.

    KING is the share of segments and references in which the reference, held out, has a QUEEN by the other references
    that is at least that of every system. Strict KING is the share in which it is larger.

    Parameters
    ----------
    systems, references, metrics, documents, external
        As for `tarocco.queen`.
    sets
        Sets of metrics, such as [["NIST-3", "1-WER"], ["ROUGE-L"]], in place of `metrics`. By default every metric
        alone, and all of them together.
    options
        The level, the pairs of references and the segments (`KingOptions`).
    text, resampling, workers
        As for `tarocco.queen`.
    **shortcuts
        The fields of these four values as keywords: level ("segment" or "system") and those of `tarocco.queen`.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.king(demo.systems, demo.references, sets=[["ROUGE-L", "1-WER"], ["ROUGE-L"]])
    >>> result["ROUGE-L"].king > result["ROUGE-L"].strict_king
    True
    """
    options, text, resampling, workers = apply_shortcuts("king", shortcuts, options, text, resampling, workers)
    test_set, chosen = _read_arguments(
        systems, references, metrics if sets is None else list_members(sets), documents, external
    )
    check_test_set(test_set, "KING", options.segments)
    chosen, members = number_sets(sets, chosen)
    similarities = compute_similarities(test_set, chosen, text.encoding, workers=workers)
    return evaluate_king(similarities, members, options, resampling, workers.jobs)


def jack(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    sets: MetricSets | None = None,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    options: QarlaOptions = QARLA_OPTIONS,
    text: Text = TEXT,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[QarlaShortcuts],
) -> JackResult:
    """Measure how reliable a test bed is: whether its references are surrounded by different translations.

    JACK is the share of segments and references r for which two systems have translations, both with QUEEN above zero,
    one of which is at least as similar to r as to the other, under every metric.

    Parameters
    ----------
    systems
        A mapping from system names to their segments, with at least two systems.
    references, metrics, documents, external, options, text, resampling, workers, **shortcuts
        As for `tarocco.queen`.
    sets
        Sets of metrics, as for `tarocco.king`; by default one set of all metrics.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.jack(demo.systems, demo.references, metrics=["ROUGE-L", "1-WER"])
    >>> 0 < result["ROUGE-L", "1-WER"].jack < 1
    True
    """
    options, text, resampling, workers = apply_shortcuts("jack", shortcuts, options, text, resampling, workers)
    test_set, chosen = _read_arguments(
        systems, references, metrics if sets is None else list_members(sets), documents, external
    )
    check_test_set(test_set, "JACK", options.segments)
    chosen, members = number_sets(sets, chosen)
    similarities = compute_similarities(test_set, chosen, text.encoding, between_systems=True, workers=workers)
    return evaluate_jack(similarities, members, options, resampling, workers.jobs)


def _read_arguments(
    systems: Candidates,
    references: References,
    metrics: Sequence[str | Metric] | str | Metric,
    documents: Iterable[str] | None,
    external: Mapping[str, ExternalSource] | None,
) -> tuple[TestSet, list[Metric]]:
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    if not chosen and not external:
        raise InputError("no metric was selected")
    test_set = make_test_set(systems, references, documents)
    return test_set, [*chosen, *external_metrics(external or {}, test_set, chosen)]


# --- sets of metrics, as users name them -----------------------------------------------------------------------------


def list_members(sets: MetricSets) -> list[str | Metric]:
    """Return the metrics of all sets that can be computed, each once; other names may belong to external scores."""
    members: dict[str, Metric] = {}
    for name in (name for names in _check_sets(sets) for name in names):
        try:
            metric = find_metric(name)
        except UnknownName:
            continue
        members.setdefault(str(metric), metric)
    return list(members.values())


def number_sets(sets: MetricSets | None, metrics: Sequence[Metric]) -> tuple[list[Metric], list[list[int]] | None]:
    """Return the metrics that the sets use, and the sets as indices of these; all metrics and None without sets."""
    if sets is None:
        return list(metrics), None
    places = {str(metric): place for place, metric in enumerate(metrics)}

    def find_place(member: str | Metric) -> int:
        name = member if isinstance(member, str) and member in places else str(find_metric(member))
        if name not in places:
            raise UnknownName(f"{name} is not among the metrics; there are {', '.join(places)}")
        return places[name]

    numbered = [list(dict.fromkeys(find_place(member) for member in members)) for members in _check_sets(sets)]
    used = list(dict.fromkeys(number for members in numbered for number in members))
    return [metrics[number] for number in used], [[used.index(number) for number in members] for members in numbered]


def _check_sets(sets: MetricSets) -> MetricSets:
    if isinstance(sets, str) or any(isinstance(members, str | Metric) for members in sets):
        raise BadParameter('sets is a list of lists, such as [["NIST-3", "1-WER"], ["ROUGE-L"]]')
    if not sets or not all(sets):
        raise BadParameter("each set needs at least one metric")
    return sets


# --- which segments are used -----------------------------------------------------------------------------------------


def check_test_set(test_set: TestSet, measure: str, segments: Sequence[int] | None = None) -> None:
    """Raise InputError, before scoring, if there are too few references, systems or segments for a measure."""
    least, reason = _REQUIRED_REFERENCES[measure]
    _check_segments(segments or (), len(test_set))
    most = int(test_set.present.sum(axis=0).max(initial=0))
    if most < least:
        raise InputError(f"{measure} needs at least {reason}; {'there is 1' if most == 1 else f'there are {most}'}")
    if measure == "JACK" and len(test_set.systems) < 2:
        raise InputError("JACK needs at least two systems, because it compares their translations")


@dataclass(frozen=True, eq=False)
class SelectedSegments:
    """The similarities of the segments that have enough references, and their places among the selected segments."""

    similarities: TextSimilarities
    rows: NDArray[np.intp]  # the places, among the selected segments, of those with enough references
    selected: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def units(self) -> Units:
        """What intervals redraw."""
        return count_units(self.similarities.n_segments, self.similarities.documents)

    def spread(self, values: Floats) -> Floats:
        """Return values per segment for all selected segments, with NaN for those with too few references."""
        spread = np.full((len(self.selected), *values.shape[1:]), np.nan)
        spread[self.rows] = values
        return spread

    def setup(self, seed: int) -> QarlaSetup:
        """Return the description of the texts that results carry."""
        near = self.similarities
        signatures = dict(zip(near.metrics, near.signatures, strict=True))
        return QarlaSetup(signatures, near.systems, near.references, self.selected, int(seed), self.notes, self.units)


def select_segments(similarities: TextSimilarities, options: QarlaOptions, measure: str) -> SelectedSegments:
    """Leave out segments that are not selected or have too few references."""
    least, reason = _REQUIRED_REFERENCES[measure]
    n_segments = similarities.n_segments
    selected = tuple(range(n_segments)) if options.segments is None else tuple(options.segments)
    _check_segments(selected, n_segments)
    rows = np.flatnonzero(similarities.present.sum(axis=1)[list(selected)] >= least)
    if not len(rows):
        raise InputError(f"{measure} needs at least {reason}; no selected segment has so many")
    segments = np.array(selected)[rows]
    notes = []
    if left_out := len(selected) - len(rows):
        notes.append(f"{left_out} of {len(selected)} segments have fewer than {least} references and are left out")
    if len(segments) != n_segments or (segments != np.arange(n_segments)).any():
        similarities = similarities.select(segments=segments.tolist())
    return SelectedSegments(similarities, rows, selected, tuple(notes))


def _check_segments(segments: Sequence[int], count: int) -> None:
    if wrong := [segment for segment in segments if not 0 <= segment < count]:
        raise InputError(f"there is no segment {wrong[0] + 1}: there are {count}")


def describe_run(similarities: TextSimilarities, *parts: str) -> str:
    """Return "nrefs:...|systems:...|segments:..." and further parts of a signature."""
    counts = similarities.present.sum(axis=1)
    references = int(counts[0]) if (counts == counts[0]).all() else "var"
    size = f"nrefs:{references}|systems:{len(similarities.systems)}|segments:{similarities.n_segments}"
    if similarities.documents is not None:
        size += f"|documents:{len(set(similarities.documents))}"
    return "|".join([size, *parts])


def describe_resampling(resampling: Resampling) -> str:
    """Return the end of a signature: how intervals were resampled, and the version."""
    return f"confidence:{resampling.confidence:g}|n:{resampling.n_resamples}|seed:{resampling.seed}|v:{__version__}"


# --- the three measures ----------------------------------------------------------------------------------------------


def evaluate_queen(
    similarities: TextSimilarities,
    scores: Result,
    options: QarlaOptions,
    resampling: Resampling,
    jobs: int | None = None,
) -> QueenResult:
    """Return QUEEN of every system under all metrics together, and ULC of the same metrics' scores."""
    segments = select_segments(similarities, options, "QUEEN")
    near, pairs = segments.similarities, options.select_pairs(resampling.seed)
    everything = list(range(len(near.metrics)))
    (queens,) = compute_queens(near, [everything], pairs, jobs)
    means, intervals = mean_with_intervals(queens, resampling, jobs, near.documents)
    by_segment = segments.spread(queens)
    ulc = compute_ulc(scores, np.array(segments.selected))
    records = tuple(
        Queen(system, float(means[a]), intervals[a], by_segment[:, a], float(ulc.systems[a]), ulc.segments[a])
        for a, system in enumerate(near.systems)
    )
    run = describe_run(near, pairs.describe(near, everything), describe_resampling(resampling))
    return QueenResult(records, near.metrics, f"QUEEN|{run}", segments.setup(resampling.seed))


def evaluate_king(
    similarities: TextSimilarities,
    sets: MemberSets | None,
    options: KingOptions,
    resampling: Resampling,
    jobs: int | None = None,
) -> KingResult:
    """Return KING of sets of metrics, the best first; without sets, of each metric alone, then of all together."""
    segments = select_segments(similarities, options, "KING")
    near, pairs = segments.similarities, options.select_pairs(resampling.seed)
    every = list(range(len(near.metrics)))
    together = [every] if sets is None and len(every) > 1 else []
    ranked = [[m] for m in every] if sets is None else list(sets)
    queens_of_sets = compute_held_out_queens(near, [*ranked, *together], pairs, jobs)
    records = []
    for members, queens in zip([*ranked, *together], queens_of_sets, strict=True):
        scores = KING_LEVELS[options.level](queens, near.present, resampling, jobs, near.documents)
        by_reference = zip(near.references, scores.by_reference.tolist(), strict=True)
        records.append(
            King(
                tuple(near.metrics[m] for m in members),
                *scores.king,
                *scores.intervals,
                {name: (king, strict) for name, (king, strict) in by_reference},
                segments.spread(scores.by_segment[:, 0]),
                segments.spread(scores.by_segment[:, 1]),
                scores.n_segments,
                f"KING|level:{options.level}|"
                + describe_run(near, pairs.describe(near, members), describe_resampling(resampling)),
                *scores.chance,
                segments.spread(scores.chance_by_segment[:, 1]),
            )
        )
    # The best set first; sets without KING last.
    records[: len(ranked)] = sorted(
        records[: len(ranked)], key=lambda record: (np.isnan(record.king), -record.strict_king, -record.king)
    )
    by_length = None
    if near.lengths is not None:
        by_length = segments.spread(measure_length_cases(near.lengths, near.present).T).T
    n_draws = int(resampling.n_resamples)
    rules = SupportRules(n_draws=n_draws, most_draws=max(n_draws, MOST_DRAWS), seed=int(resampling.seed))
    labels = None if similarities.documents is None else [similarities.documents[s] for s in segments.selected]
    judged = judge_sets(records, by_length, labels, rules) if options.level == "segment" else records
    return KingResult(tuple(judged), segments.setup(resampling.seed), options.level, by_length)


def evaluate_jack(
    similarities: TextSimilarities,
    sets: MemberSets | None,
    options: QarlaOptions,
    resampling: Resampling,
    jobs: int | None = None,
) -> JackResult:
    """Return JACK under sets of metrics; without sets, under all metrics together."""
    segments = select_segments(similarities, options, "JACK")
    near, pairs = segments.similarities, options.select_pairs(resampling.seed)
    every_set = [list(range(len(near.metrics)))] if sets is None else list(sets)
    records = []
    for members, queens in zip(every_set, compute_queens(near, every_set, pairs, jobs), strict=True):
        surrounded = find_surrounded_references(near, members, queens)
        by_segment, by_reference = mean_ignoring_nan(surrounded, 1), mean_ignoring_nan(surrounded, 0)
        (jack,), (interval,) = mean_with_intervals(by_segment[:, None], resampling, jobs, near.documents)
        run = describe_run(near, pairs.describe(near, members), describe_resampling(resampling))
        records.append(
            Jack(
                tuple(near.metrics[m] for m in members),
                float(jack),
                interval,
                float((np.nan_to_num(queens) > 0).mean()),
                dict(zip(near.references, by_reference.tolist(), strict=True)),
                segments.spread(by_segment),
                int((~np.isnan(by_segment)).sum()),
                f"JACK|{run}",
            )
        )
    return JackResult(tuple(records), segments.setup(resampling.seed))
