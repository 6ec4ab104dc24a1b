"""Scores systems, n-best lists and test sets: the public functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.records import Interval
from tarocco.core.test_set import (
    Candidates,
    References,
    TestSet,
    make_test_set,
    pack_lines,
    pack_segments,
    pack_strings,
)
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import group_by_encoding, score_batch
from tarocco.metrics.external import External, ExternalSource, external_metrics, insert_external
from tarocco.metrics.one_segment import present_references, segment_counter
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.language import find_language_notes, find_segment_notes
from tarocco.scoring.resampling import bootstrap_intervals, corpus_sums
from tarocco.scoring.results import Result, Score
from tarocco.scoring.settings import (
    RESAMPLING,
    TEXT,
    WORKERS,
    Resampling,
    Shortcuts,
    Text,
    TextAndWorkerShortcuts,
    TextShortcuts,
    Workers,
    WorkerShortcuts,
    apply_shortcuts,
)
from tarocco.scoring.statistics import compute_statistics

if TYPE_CHECKING:
    from tarocco.scoring.cache import StatisticsCache
    from tarocco.store import Store


UNTOKENIZED = Text(tokenize="none")  # n-best lists are tokenized already


def score(
    candidates: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    text: Text = TEXT,
    resampling: Resampling | None = None,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[Shortcuts],
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
    documents
        One label per segment. `result["BLEU-4"].documents` then holds one score per label.
    external
        Scores that were computed outside tarocco, such as {"COMET": "comet.tsv"}. Instead of a file, a mapping from
        system names to numbers.
    text, workers
        How text is read (`Text`), and where work is done (`Workers`).
    resampling
        Asks for bootstrap intervals over segments (`Resampling`). `confidence=0.95` does the same.
    **shortcuts
        The fields of these three values as keywords: tokenize, lowercase, analyzer, n_resamples, confidence, seed,
        jobs, store, executor, progress.

    Raises
    ------
    InputError
        If the shapes do not fit; the message says what was expected and found.
    UnknownName, BadParameter
        If a metric or tokenizer does not exist, or a parameter is wrong.

    Example
    -------
    >>> import tarocco
    >>> result = tarocco.score(["the cat sat on a mat"], [["the cat is on the mat", "a cat sat on a rug"]])
    >>> round(result["BLEU-4"].score, 4)
    0.6043
    """
    chosen = [] if external and isinstance(metrics, list | tuple) and not metrics else choose_metrics(metrics)
    named = {name: value for name, value in shortcuts.items() if (name, value) != ("confidence", None)}
    text, draws, workers = apply_shortcuts("score", named, text, resampling or RESAMPLING, workers)
    extras = (documents, external, resampling, named.get("confidence"), workers.store, workers.progress)
    if all(extra is None for extra in extras):
        of_segment = _score_one_segment(candidates, references, chosen, text.encoding)
        if of_segment is not None:
            return of_segment
    test_set = make_test_set(candidates, references, documents)
    chosen += external_metrics(external or {}, test_set, chosen)
    result = score_test_set(
        test_set,
        chosen,
        text.encoding,
        single=not isinstance(candidates, Mapping),
        resampling=draws if resampling or "confidence" in named else None,
        workers=workers,
    )
    notes = find_language_notes(test_set, chosen, text.encoding)
    return dataclasses.replace(result, notes=notes) if notes else result


def _score_one_segment(
    candidates: Candidates, references: References, metrics: Sequence[Metric], encoding: Encoding
) -> Result | None:
    """Score one segment without a batch; nothing if there are more, or if a metric needs a batch."""
    if not all(isinstance(side, list | tuple) and len(side) == 1 for side in (candidates, references)):
        return None
    (candidate,), (of_segment,) = candidates, references
    texts = [of_segment] if isinstance(of_segment, str) else of_segment
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        return None
    present, counter = present_references(texts), segment_counter(tuple(metrics), encoding)
    if not present or None in counter.forms:
        return None
    scores = []
    for metric, form, row in zip(metrics, counter.forms, counter.rows(candidate, present), strict=True):
        if form is None or row is None:
            return None
        rows = np.array([row], np.float64)
        signature = metric.signature(encoding, len(present))
        scores.append(Score("system", metric, signature, form.score(row), rows, rows[0]))
    return Result(tuple(scores), True, find_segment_notes(present, metrics, encoding))


def statistics(
    metric: str | Metric,
    candidates: Iterable[str],
    references: References,
    *,
    text: Text = TEXT,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[TextAndWorkerShortcuts],
) -> Floats:
    """Return the statistics of a metric, float64[segments, k]; `metric.score` turns sums of rows into scores.

    The fields of `text` and `workers` are keywords too, as for `score`; `store` is not used.
    """
    if isinstance(candidates, Mapping):
        raise InputError("candidates: expected the segments of one system, found a mapping")
    text, workers = apply_shortcuts("statistics", shortcuts, text, workers)
    test_set = make_test_set(candidates, references)
    rows: Floats = compute_statistics(test_set, find_metrics([metric]), text.encoding, workers)[0][0]
    return rows


def score_nbest(
    candidates: Sequence[str] | bytes,
    references: Sequence[str] | str,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEUS-4",
    text: Text = UNTOKENIZED,
    **shortcuts: Unpack[TextShortcuts],
) -> dict[str, Floats]:
    """Score many candidates of one segment separately, such as an n-best list or samples of a model.

    The references are prepared once for all candidates. `candidates` are strings, or UTF-8 bytes with one candidate per
    line. As in `score`, an empty string among several references is not a reference, and the fields of `text` are
    keywords too. Returns float64[candidates] for each metric, by its name.

    Example
    -------
    >>> import tarocco
    >>> tarocco.score_nbest(["the cat sat", "a cat sits"], ["the cat sat here"], metrics="ROUGE-L")["ROUGE-L"].round(4)
    array([0.8571, 0.2857])
    """
    chosen = choose_metrics(metrics)
    (text,) = apply_shortcuts("score_nbest", shortcuts, text)
    column = pack_lines(candidates) if isinstance(candidates, bytes) else pack_strings(candidates, "candidates")
    texts = pack_strings([references] if isinstance(references, str) else references, "references")
    if not len(texts):
        raise InputError("there are no references")
    if len(texts) > 1 and texts.blank.any():
        texts = pack_segments([reference for reference in texts if reference.strip()] or [""], "references")
    groups = Groups.of_one(len(column)), Groups.of_one(len(texts))
    scores: dict[int, Floats] = {}
    for encoding, members in group_by_encoding(chosen, text.encoding).items():
        batch = Batch.of_groups([column], [texts], *groups, encoding)
        of_encoding = [chosen[i] for i in members]
        prepared: list[Any] = [None] * len(members)
        if any(metric.prepares for metric in of_encoding):  # on a batch without candidates
            alone = Batch.of_groups([], [texts], Groups.of_one(0), groups[1], encoding)
            prepared = [metric.prepare(alone) if metric.prepares else None for metric in of_encoding]
        scores |= dict(zip(members, score_batch(of_encoding, batch, prepared), strict=True))
    return {str(metric): scores[i] for i, metric in enumerate(chosen)}


def score_test_set(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    *,
    single: bool = False,
    resampling: Resampling | None = None,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[WorkerShortcuts],
) -> Result:
    """Score every system of a test set with every metric; `resampling` adds bootstrap intervals."""
    (workers,) = apply_shortcuts("score_test_set", shortcuts, workers)
    signatures = [metric.signature(encoding, test_set.reference_count) for metric in metrics]
    computed = [i for i, metric in enumerate(metrics) if not isinstance(metric, External)]
    from_text = [metrics[i] for i in computed]
    with open_statistics_cache(workers.store, test_set, from_text, [signatures[i] for i in computed]) as cache:
        counted = compute_statistics(test_set, from_text, encoding, workers, cache)
    by_metric = insert_external(metrics, counted, test_set) if len(computed) < len(metrics) else counted
    scores = []
    for s, system in enumerate(test_set.systems):
        statistics = [by_system[s] for by_system in by_metric]
        intervals: Sequence[Interval | None] = [None] * len(metrics)
        if resampling is not None:
            intervals = bootstrap_intervals(metrics, statistics, resampling, workers.jobs)
        for metric, text, rows, interval in zip(metrics, signatures, statistics, intervals, strict=True):
            sums = corpus_sums(metric, system, rows)
            corpus = float(metric.score(sums))
            scores.append(Score(system, metric, text, corpus, rows, sums, interval, test_set.documents))
    return Result(tuple(scores), single)


@contextmanager
def open_statistics_cache(
    store: Store | str | Path | None,
    test_set: TestSet,
    metrics: Sequence[Metric],
    signatures: Sequence[str],
) -> Iterator[StatisticsCache | None]:
    """Open the cache of a run's statistics in a store, if there is a store."""
    if store is None:
        yield None
        return
    from tarocco.scoring.cache import StatisticsCache, open_cache  # imports SQLite, which takes 7 ms

    with open_cache(store, lambda opened: StatisticsCache(opened, test_set, metrics, signatures)) as cache:
        yield cache


def choose_metrics(metrics: Sequence[str | Metric] | str | Metric) -> list[Metric]:
    """Return the metrics that a caller named; raises InputError if there are none."""
    single = isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable)
    chosen = find_metrics([metrics] if single else metrics)  # type: ignore[list-item, arg-type]
    if not chosen:
        raise InputError("metrics: expected at least one metric, found none")
    return chosen
