"""Several metrics on the same texts: they share encodings, what they prepare on all references, and measurements."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from tarocco.core.errors import PluginError
from tarocco.core.test_set import TestSet
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Floats, Metric, OnePassMetric


def find_analyzer(metrics: Sequence[Metric], encoding: Encoding) -> str | None:
    """Return the analyzer of a run, which has at most one; None if no metric needs it."""
    return next((analyzer for metric in metrics if (analyzer := metric.reads(encoding).analyzer) is not None), None)


def group_by_encoding(metrics: Sequence[Metric], encoding: Encoding) -> dict[Encoding, list[int]]:
    """Return which metrics read text with which encoding; text is encoded once per encoding."""
    groups: dict[Encoding, list[int]] = {}
    for i, metric in enumerate(metrics):
        groups.setdefault(metric.reads(encoding), []).append(i)
    return groups


def prepare_contexts(test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding) -> list[Any]:
    """Return what each metric prepares on all references; metrics with equal keys and encodings share it."""
    contexts: list[Any] = [None] * len(metrics)
    preparing = [metric for metric in metrics if metric.prepares]
    for metric_encoding in group_by_encoding(preparing, encoding):
        references, shared = Batch.of_columns([], test_set.references, test_set.present, metric_encoding), {}
        for i, metric in enumerate(metrics):
            if metric.prepares and metric.reads(encoding) == metric_encoding:
                if metric.context_key not in shared:
                    shared[metric.context_key] = metric.prepare(references)
                contexts[i] = shared[metric.context_key]
    return contexts


def count_batch(metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]) -> list[Floats]:
    """Return the statistics of each metric; metrics of one family share one pass over the words."""
    statistics: dict[int, Floats] = {}
    for members, measured in _measure_together(metrics, batch, contexts):
        for i in members:
            metric = metrics[i]
            rows = metric.statistics(batch, contexts[i]) if measured is None else metric.columns(measured)  # type: ignore[attr-defined]
            statistics[i] = _checked(rows, metric, batch)
    return [statistics[i] for i in range(len(metrics))]


def score_batch(metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]) -> list[Floats]:
    """Return, for each metric, the score of every candidate of a batch."""
    scores: dict[int, Floats] = {}
    for members, measured in _measure_together(metrics, batch, contexts):
        for i in members:
            metric = metrics[i]
            if measured is None:
                scores[i] = metric.score(_checked(metric.statistics(batch, contexts[i]), metric, batch))
            else:
                scores[i] = metric.scores(measured)  # type: ignore[attr-defined]
    return [scores[i] for i in range(len(metrics))]


def _measure_together(
    metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]
) -> Iterator[tuple[list[int], Any | None]]:
    """Yield the metrics that share a measurement, and the measurement; None for a metric without one."""
    passes: dict[Hashable, list[int]] = {}
    for i, metric in enumerate(metrics):
        passes.setdefault(_pass_of(metric), []).append(i)
    for members in passes.values():
        first = metrics[members[0]]
        if _is_measured(first):
            yield members, first.measure([metrics[i] for i in members], batch, contexts[members[0]])
        else:
            yield members, None


def _pass_of(metric: Metric) -> Hashable:
    """Return a key that metrics with the same measurement and context share."""
    if _is_measured(metric):
        return type(metric).measure.__func__, metric.context_key if metric.prepares else None  # type: ignore[attr-defined]
    return metric


def _is_measured(metric: Metric) -> TypeGuard[OnePassMetric]:
    return isinstance(metric, OnePassMetric) and type(metric).statistics is OnePassMetric.statistics


def _checked(rows: Floats, metric: Metric, batch: Batch) -> Floats:
    if np.ndim(rows) != 2 or len(rows) != len(batch):
        raise PluginError(
            f"{metric}: expected statistics with one row for each of {len(batch)} candidates, "
            f"found an array of shape {np.shape(rows)}"
        )
    return np.asarray(rows, np.float64)
