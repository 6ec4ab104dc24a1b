"""QUEEN, KING and JACK: metrics put on trial with several references, and combined without weights.

Amigo, Gonzalo, Penas and Verdejo (2005), QARLA: a Framework for the Evaluation of Text Summarization Systems, ACL; for
translation Gimenez and Amigo (2006), IQMT: A Framework for Automatic Machine Translation Evaluation, LREC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import Candidates, References, make_test_set
from tarocco.core.errors import InputError
from tarocco.core.test_set import TestSet
from tarocco.encode.batch import Encoding
from tarocco.meta.qarla.bench import check_level, check_texts, jacks_of, kings_of, make_settings, queens_of
from tarocco.meta.qarla.metric_sets import MetricSets, chosen_sets, members_first
from tarocco.meta.qarla.queen import N_PAIRS
from tarocco.meta.qarla.results import JackResult, KingResult, QueenResult
from tarocco.meta.qarla.similarities import similarities_of
from tarocco.metrics.base import Metric
from tarocco.metrics.external import ExternalSource, external_metrics
from tarocco.metrics.registry import metrics as find_metrics
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
    external: Mapping[str, ExternalSource] | None = None,
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
    check_texts(test_set, "QUEEN", settings.segments)
    near = similarities_of(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    scores = score_test_set(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    return queens_of(near, scores, settings)


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
    external: Mapping[str, ExternalSource] | None = None,
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
    test_set, chosen = _given(systems, references, metrics if sets is None else members_first(sets), external)
    check_texts(test_set, "KING", settings.segments)
    chosen, members = chosen_sets(sets, chosen)
    near = similarities_of(test_set, chosen, encoding, jobs=jobs, store=store, executor=executor)
    return kings_of(near, members, level, settings)


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
    external: Mapping[str, ExternalSource] | None = None,
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
    test_set, chosen = _given(systems, references, metrics if sets is None else members_first(sets), external)
    check_texts(test_set, "JACK", settings.segments)
    chosen, members = chosen_sets(sets, chosen)
    near = similarities_of(test_set, chosen, encoding, between_systems=True, jobs=jobs, store=store, executor=executor)
    return jacks_of(near, members, settings)


def _given(
    systems: Candidates,
    references: References,
    metrics: Sequence[str | Metric] | str | Metric,
    external: Mapping[str, ExternalSource] | None,
) -> tuple[TestSet, list[Metric]]:
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    if not chosen and not external:
        raise InputError("no metric was asked for")
    test_set = make_test_set(systems, references)
    return test_set, [*chosen, *external_metrics(external or {}, test_set, chosen)]
