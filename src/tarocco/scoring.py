"""From a test set to scores: blocks of segments are encoded and counted in threads, then added up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set, Sized
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np

from tarocco._version import __version__
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.errors import BadParameter, InputError, PluginError
from tarocco.metrics.base import Floats, Metric, OnePass
from tarocco.model import Segments, TestSet
from tarocco.naming import signature, write_value
from tarocco.registry import metrics as find_metrics
from tarocco.resample import check_resampling, intervals, totals
from tarocco.results import Interval, Result, Score
from tarocco.run import blocks, map_ordered

SEED = 12345  # sacrebleu's
_BLOCK = 1024  # segments encoded together; results do not depend on it

Candidates = Iterable[str] | Mapping[str, Iterable[str]]
References = Iterable[Sequence[str | None] | str]


def score(
    candidates: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    tokenize: str = "13a",
    lowercase: bool = False,
    documents: Iterable[str] | None = None,
    confidence: float | None = None,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
) -> Result:
    """Score one system or several with any number of metrics.

    Parameters
    ----------
    candidates
        The segments of one system, or a mapping from system names to their segments.
    references
        references[i] are the references of segment i: a list of strings, or one string. None or an empty string
        beside others means that the segment has fewer references.
    metrics
        Names such as "BLEU-4" or "NIST-5", or metric objects.
    tokenize, lowercase
        How text becomes words: none, 13a, intl, char, zh or rouge; in lower case or as it is.
    documents
        A label a segment; then `result["BLEU-4"].documents` has a score for each label.
    confidence, n_resamples, seed
        Ask for bootstrap intervals over segments, such as confidence=0.95.
    jobs
        How many threads; all processors by default. The numbers do not depend on it.

    Raises
    ------
    InputError
        If the shapes do not fit; the message says which shape was seen and which is wanted.
    UnknownName, BadParameter
        If a metric or tokenizer does not exist, or a parameter is wrong.

    Example
    -------
    >>> import tarocco
    >>> result = tarocco.score(["the cat sat on a mat"], [["the cat is on the mat", "a cat sat on a rug"]])
    >>> round(result["BLEU-4"].score, 4)
    0.6043
    """
    chosen = _chosen(metrics)
    encoding = Encoding(tokenize, lowercase)
    test_set = make_test_set(candidates, references, documents)
    return score_test_set(
        test_set,
        chosen,
        encoding,
        single=not isinstance(candidates, Mapping),
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        jobs=jobs,
    )


def statistics(
    metric: str | Metric,
    candidates: Iterable[str],
    references: References,
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
    jobs: int | None = None,
) -> Floats:
    """The statistics of a metric, float64[segments, k]: add rows up and give the sum to `metric.score`."""
    if isinstance(candidates, Mapping):
        raise InputError("candidates is a mapping: the statistics of one system at a time are computed")
    test_set = make_test_set(candidates, references)
    rows: Floats = compute_statistics(test_set, find_metrics([metric]), Encoding(tokenize, lowercase), jobs)[0][0]
    return rows


def score_nbest(
    candidates: Sequence[str] | bytes,
    references: Sequence[str] | str,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEUS-4",
    tokenize: str = "none",
    lowercase: bool = False,
) -> dict[str, Floats]:
    """Score many candidates for one segment, each by itself: an n-best list, or samples of a model.

    What the candidates are compared with is prepared once for all of them. `candidates` are strings, or bytes with a
    candidate a line (UTF-8). An empty reference beside others is none, as in `score`. Returns float64[candidates]
    for each metric, under its name.

    Example
    -------
    >>> import tarocco
    >>> tarocco.score_nbest(["the cat sat", "a cat sits"], ["the cat sat here"], metrics="ROUGE-L")["ROUGE-L"].round(4)
    array([0.8571, 0.2857])
    """
    chosen = _chosen(metrics)
    column = _lines(candidates) if isinstance(candidates, bytes) else _packed(candidates, "candidates")
    texts = _packed([references] if isinstance(references, str) else references, "references")
    if not len(texts):
        raise InputError("there are no references")
    if len(texts) > 1 and texts.blank.any():  # beside others an empty one is none
        texts = _pack([text for text in texts if text.strip()] or [""], "references")
    asked, groups = Encoding(tokenize, lowercase), (Groups.of_one(len(column)), Groups.of_one(len(texts)))
    found: dict[int, Floats] = {}
    for way, members in _by_reading(chosen, asked).items():
        batch = Batch.of_groups([column], [texts], *groups, way)
        own = [chosen[i] for i in members]
        # The context is that of these references; a batch without candidates is what metrics prepare on.
        alone = Batch.of_groups([], [texts], Groups.of_one(0), groups[1], way) if any(map(_prepares, own)) else batch
        contexts = [metric.prepare(alone) if _prepares(metric) else None for metric in own]
        found |= dict(zip(members, statistics_of_batch(own, batch, contexts), strict=True))
    return {str(metric): metric.score(found[i]) for i, metric in enumerate(chosen)}


def score_test_set(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    *,
    single: bool = False,
    confidence: float | None = None,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> Result:
    """Score every system of a test set with every metric; `advance` is told of every few segments that are done."""
    if confidence is not None:
        check_resampling(confidence, n_resamples, seed)
    if jobs is not None and not (isinstance(jobs, Integral) and jobs >= 1):
        raise BadParameter(f"jobs is an integer of at least 1, not {jobs!r}")
    signatures = [score_signature(metric, encoding, test_set.reference_count) for metric in metrics]
    by_metric = compute_statistics(test_set, metrics, encoding, jobs, advance)
    scores = []
    for s, system in enumerate(test_set.systems):
        own = [by_system[s] for by_system in by_metric]
        between: Sequence[Interval | None] = [None] * len(metrics)
        if confidence is not None:
            between = intervals(metrics, own, confidence, n_resamples, seed, jobs)
        for metric, text, rows, ends in zip(metrics, signatures, own, between, strict=True):
            sums = totals(rows)
            corpus = float(metric.score(sums))
            scores.append(Score(system, metric, text, corpus, rows, sums, ends, test_set.documents))
    return Result(tuple(scores), single)


def compute_statistics(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> list[Floats]:
    """For each metric float64[systems, segments, k]."""
    systems = list(test_set.systems.values())
    contexts = _contexts(test_set, metrics, encoding)

    def count(block: tuple[int, int]) -> list[Floats]:
        found: dict[int, Floats] = {}
        for way, members in _by_reading(metrics, encoding).items():
            batch = _batch(test_set, systems, block, way)
            back = np.argsort(batch.candidate_groups.rows)  # from segment by segment to system by system
            own = statistics_of_batch([metrics[i] for i in members], batch, [contexts[i] for i in members])
            found |= {i: rows[back] for i, rows in zip(members, own, strict=True)}
        return [found[i] for i in range(len(metrics))]

    shape = (len(systems), len(test_set))
    out: list[Floats] = []
    parts = blocks(len(test_set), _BLOCK)
    for (first, last), of_block in zip(parts, map_ordered(count, parts, jobs), strict=True):
        if not out:
            out = [np.empty((*shape, rows.shape[-1])) for rows in of_block]
        for whole, rows in zip(out, of_block, strict=True):
            whole[:, first:last] = rows.reshape(len(systems), last - first, -1)
        if advance is not None:
            advance(last - first)
    return out


def statistics_of_batch(metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]) -> list[Floats]:
    """The statistics of each metric; metrics of a family are computed together, in one pass over the words."""
    passes: dict[Hashable, list[int]] = {}
    for i, metric in enumerate(metrics):
        passes.setdefault(_pass_of(metric), []).append(i)
    found: dict[int, Floats] = {}
    for members in passes.values():
        own, context = [metrics[i] for i in members], contexts[members[0]]
        if len(own) == 1:
            rows = [own[0].statistics(batch, context)]
        else:
            measured = own[0].measure(own, batch, context)  # type: ignore[attr-defined]
            rows = [metric.columns(measured) for metric in own]  # type: ignore[attr-defined]
        for i, of_metric in zip(members, rows, strict=True):
            if np.ndim(of_metric) != 2 or len(of_metric) != len(batch):
                raise PluginError(
                    f"{metrics[i]}: statistics gave an array of shape {np.shape(of_metric)}, "
                    f"but one row for each of {len(batch)} candidates is wanted"
                )
            found[i] = np.asarray(of_metric, np.float64)
    return [found[i] for i in range(len(metrics))]


def _chosen(metrics: Sequence[str | Metric] | str | Metric) -> list[Metric]:
    asked = [metrics] if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable) else metrics
    chosen = find_metrics(asked)
    if not chosen:
        raise InputError("no metric was asked for")
    return chosen


def _by_reading(metrics: Sequence[Metric], asked: Encoding) -> dict[Encoding, list[int]]:
    """Which metrics read text in which way; the text is encoded once for each."""
    ways: dict[Encoding, list[int]] = {}
    for i, metric in enumerate(metrics):
        ways.setdefault(metric.reads(asked), []).append(i)
    return ways


def _pass_of(metric: Metric) -> Hashable:
    """Metrics with equal answers are measured together: in the same way, with the same context."""
    family = type(metric)
    if isinstance(metric, OnePass) and family.statistics is OnePass.statistics:
        return family.measure.__func__, metric.context_key if _prepares(metric) else None  # type: ignore[attr-defined]
    return metric


def _prepares(metric: Metric) -> bool:
    return type(metric).prepare is not Metric.prepare


def _batch(test_set: TestSet, systems: Sequence[Segments], block: tuple[int, int], encoding: Encoding) -> Batch:
    return Batch.of_columns(
        [system.rows(*block) for system in systems],
        [stream.rows(*block) for stream in test_set.references],
        test_set.present[:, slice(*block)],
        encoding,
    )


def _contexts(test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding) -> list[Any]:
    """What each metric knows of all references; metrics with the same key that read alike share it."""
    found: list[Any] = [None] * len(metrics)
    preparing = [metric for metric in metrics if _prepares(metric)]
    for way in _by_reading(preparing, encoding):
        references, shared = _batch(test_set, [], (0, len(test_set)), way), {}
        for i, metric in enumerate(metrics):
            if _prepares(metric) and metric.reads(encoding) == way:
                if metric.context_key not in shared:
                    shared[metric.context_key] = metric.prepare(references)
                found[i] = shared[metric.context_key]
    return found


def score_signature(metric: Metric, encoding: Encoding, reference_count: int | None) -> str:
    """What a score is, in one line; known before anything is computed."""
    encoding = metric.reads(encoding)
    parts: list[tuple[str, object]] = [
        ("nrefs", "var" if reference_count is None else reference_count),
        ("case", "lc" if encoding.lowercase else "mixed"),
        ("tok", encoding.tokenize),
        *((key, write_value(value)) for key, value in metric.after_colons.items()),
        ("v", __version__),
    ]
    return signature(metric.stem, parts)


def make_test_set(candidates: Candidates, references: References, documents: Iterable[str] | None = None) -> TestSet:
    """Check the shapes that a caller gave and pack them."""
    given = candidates if isinstance(candidates, Mapping) else {"system": candidates}
    if not given:
        raise InputError("candidates is an empty mapping: give at least one system")
    systems = {str(name): _listed(segments, f'the candidates of system "{name}"') for name, segments in given.items()}
    by_segment = _listed(references, "references")
    n = _same_length(systems)
    if len(by_segment) != n:
        raise InputError(_wrong_references(by_segment, n))
    if n == 0:
        raise InputError("there are no segments to score")
    columns = {name: _pack(segments, f'system "{name}"') for name, segments in systems.items()}
    return TestSet(columns, _streams(by_segment), tuple(documents) if documents is not None else None)


def _listed(items: Iterable[Any], what: str) -> Sequence[Any]:
    """A list of anything that has items in order: a tuple, an array, a pandas column, a generator."""
    if isinstance(items, list | tuple):
        return items
    if isinstance(items, str | bytes | Mapping | Set) or not isinstance(items, Iterable):
        raise InputError(f"{what} are of type {type(items).__name__}, but a list is wanted, one item a segment")
    return list(items)


def _same_length(systems: Mapping[str, Sequence[str]]) -> int:
    lengths = {name: len(segments) for name, segments in systems.items()}
    (first, n), *others = lengths.items()
    for name, length in others:
        if length != n:
            raise InputError(f'system "{first}" has {n} segments, system "{name}" has {length}')
    return n


def _wrong_references(references: Sequence[Any], n: int) -> str:
    lengths = {len(item) for item in references if isinstance(item, Sized) and not isinstance(item, str)}
    if lengths == {n} and len(references):
        return (
            f"references are {len(references)} streams of {n} segments, but one item a segment is wanted: "
            "references[i] are the references of segment i; list(zip(*references)) turns streams into that"
        )
    return f"there are {n} candidates, but references for {len(references)} segments"


def _streams(references: Sequence[Any]) -> tuple[Segments, ...]:
    """References a segment turned into streams, with empty strings where a segment has fewer."""
    kinds = set(map(type, references))
    strings = {kind for kind in kinds if issubclass(kind, str)}
    if kinds == strings:
        return (_pack(references, "references"),)
    if strings:
        references = [[item] if isinstance(item, str) else item for item in references]
    for i, item in enumerate(references) if not kinds <= {list, tuple, str} else ():
        if isinstance(item, bytes | Mapping) or not isinstance(item, Iterable) or not isinstance(item, Sized):
            raise InputError(
                f"the references of segment {i} (counted from 0) are of type {type(item).__name__}, "
                "not a list of strings"
            )
    counts = list(map(len, references))
    if None in chain.from_iterable(references):
        counts = [sum(one is not None for one in item) for item in references]
    if min(counts) == 0:
        raise InputError(f"segment {counts.index(0)} (counted from 0) has no references")
    counts = list(map(len, references))
    if min(counts) < max(counts):
        references = [[*item, *[""] * (max(counts) - len(item))] for item in references]
    streams = []
    for number, stream in enumerate(zip(*references, strict=True)):
        filled = ["" if item is None else item for item in stream] if None in stream else stream
        streams.append(_pack(filled, f"reference {number} (counted from 0) of the segments"))
    return tuple(streams)


def _packed(strings: Iterable[str], what: str) -> Segments:
    return _pack(_listed(strings, what), what)


def _lines(text: bytes) -> Segments:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(f"candidates: line {line} is not UTF-8 (byte {error.start}: {error.reason})") from None
    return Segments.from_lines(text if text.endswith(b"\n") or not text else text + b"\n")


def _pack(strings: Sequence[Any], what: str) -> Segments:
    try:
        return Segments.from_strings(strings)
    except TypeError:
        for i, item in enumerate(strings):
            if not isinstance(item, str):
                kind = type(item).__name__
                raise InputError(f"{what}: segment {i} (counted from 0) is of type {kind}, not a string") from None
        raise
