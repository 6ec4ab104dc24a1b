"""From text to scores: the public functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from tarocco._version import __version__
from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import Candidates, References, lines_of, make_test_set, pack, packed
from tarocco.core.errors import InputError
from tarocco.core.names import signature, write_value
from tarocco.core.records import Interval
from tarocco.core.test_set import TestSet
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import External, Given, beside, external_metrics
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import check_jobs
from tarocco.scoring.resampling import check_resampling, corpus_sums, intervals
from tarocco.scoring.results import Result, Score
from tarocco.scoring.settings import (
    RESAMPLING,
    SEED,
    TEXT,
    WORKERS,
    Resampling,
    Shortcuts,
    Text,
    Workers,
    apply_shortcuts,
)
from tarocco.scoring.statistics import by_reading, compute_statistics, scores_of_batch

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.scoring.cache import Kept
    from tarocco.store import Store


def score(
    candidates: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    documents: Iterable[str] | None = None,
    external: Mapping[str, Given] | None = None,
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
    chosen = [] if external and isinstance(metrics, list | tuple) and not metrics else _chosen(metrics)
    test_set = make_test_set(candidates, references, documents)
    chosen += external_metrics(external or {}, test_set, chosen)
    given = {name: value for name, value in shortcuts.items() if (name, value) != ("confidence", None)}
    text, draws, workers = apply_shortcuts("score", given, text, resampling or RESAMPLING, workers)
    return score_test_set(
        test_set,
        chosen,
        text.encoding,
        single=not isinstance(candidates, Mapping),
        confidence=draws.confidence if resampling or "confidence" in given else None,
        n_resamples=draws.n_resamples,
        seed=draws.seed,
        jobs=workers.jobs,
        store=workers.store,
        executor=workers.executor,
        advance=workers.progress,
    )


def statistics(
    metric: str | Metric,
    candidates: Iterable[str],
    references: References,
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    jobs: int | None = None,
) -> Floats:
    """The statistics of a metric, float64[segments, k]: add rows up and give the sum to `metric.score`."""
    if isinstance(candidates, Mapping):
        raise InputError("candidates is a mapping: the statistics of one system at a time are computed")
    test_set = make_test_set(candidates, references)
    rows: Floats = compute_statistics(
        test_set, find_metrics([metric]), Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)), jobs
    )[0][0]
    return rows


def score_nbest(
    candidates: Sequence[str] | bytes,
    references: Sequence[str] | str,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEUS-4",
    tokenize: str = "none",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
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
    column = lines_of(candidates) if isinstance(candidates, bytes) else packed(candidates, "candidates")
    texts = packed([references] if isinstance(references, str) else references, "references")
    if not len(texts):
        raise InputError("there are no references")
    if len(texts) > 1 and texts.blank.any():  # beside others an empty one is none
        texts = pack([text for text in texts if text.strip()] or [""], "references")
    asked, groups = (
        Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)),
        (Groups.of_one(len(column)), Groups.of_one(len(texts))),
    )
    found: dict[int, Floats] = {}
    for way, members in by_reading(chosen, asked).items():
        batch = Batch.of_groups([column], [texts], *groups, way)
        own = [chosen[i] for i in members]
        # The context is that of these references; a batch without candidates is what metrics prepare on.
        alone = (
            Batch.of_groups([], [texts], Groups.of_one(0), groups[1], way)
            if any(metric.prepares for metric in own)
            else batch
        )
        contexts = [metric.prepare(alone) if metric.prepares else None for metric in own]
        found |= dict(zip(members, scores_of_batch(own, batch, contexts), strict=True))
    return {str(metric): found[i] for i, metric in enumerate(chosen)}


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
    advance: Callable[[int], object] | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> Result:
    """Score every system of a test set with every metric; `advance` is told how many more segments have scores."""
    if confidence is not None:
        check_resampling(confidence, n_resamples, seed)
    check_jobs(jobs)
    signatures = [score_signature(metric, encoding, test_set.reference_count) for metric in metrics]
    computed = [i for i, metric in enumerate(metrics) if not isinstance(metric, External)]
    from_text = [metrics[i] for i in computed]
    with kept_in(store, test_set, from_text, [signatures[i] for i in computed]) as kept:
        counted = compute_statistics(test_set, from_text, encoding, jobs, advance, kept, executor)
    by_metric = beside(metrics, counted, test_set)
    scores = []
    for s, system in enumerate(test_set.systems):
        own = [by_system[s] for by_system in by_metric]
        between: Sequence[Interval | None] = [None] * len(metrics)
        if confidence is not None:
            between = intervals(metrics, own, confidence, n_resamples, seed, jobs)
        for metric, text, rows, ends in zip(metrics, signatures, own, between, strict=True):
            sums = corpus_sums(metric, system, rows)
            corpus = float(metric.score(sums))
            scores.append(Score(system, metric, text, corpus, rows, sums, ends, test_set.documents))
    return Result(tuple(scores), single)


@contextmanager
def kept_in(
    store: Store | str | Path | None,
    test_set: TestSet,
    metrics: Sequence[Metric],
    signatures: Sequence[str],
) -> Iterator[Kept | None]:
    """What a store has of this run; a store given by its name is closed at the end."""
    if store is None:
        yield None
        return
    from tarocco.scoring.cache import Kept, keeping  # SQLite: 7 ms that a run without a store does not need

    with keeping(store, lambda opened: Kept(opened, test_set, metrics, signatures)) as kept:
        yield kept


def _chosen(metrics: Sequence[str | Metric] | str | Metric) -> list[Metric]:
    asked = [metrics] if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable) else metrics
    chosen = find_metrics(asked)
    if not chosen:
        raise InputError("no metric was asked for")
    return chosen


def score_signature(
    metric: Metric, encoding: Encoding, reference_count: int | None, more: Sequence[tuple[str, object]] = ()
) -> str:
    """What a score is, in one line; known before anything is computed. `more` is what a judge adds."""
    if isinstance(metric, External):
        return metric.signature
    encoding = metric.reads(encoding)
    parts: list[tuple[str, object]] = [
        ("nrefs", "var" if reference_count is None else reference_count),
        ("case", "lc" if encoding.lowercase else "mixed"),
        ("tok", encoding.tokenize) if encoding.analyzer is None else ("analyzer", _version_of(encoding.analyzer)),
        *((key, write_value(value)) for key, value in metric.after_colons.items()),
        *more,
        ("v", __version__),
    ]
    return signature(metric.stem, parts)


def _version_of(analyzer: str) -> str:
    from tarocco.annotate.cache import annotator  # most metrics need none

    return annotator(analyzer).version
