"""Scores of parts of a test set: of groups, and of segments with references of similar length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import Segments, TestSet
from tarocco.meta.correlation.agreement import spearman
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.optimize import cluster_average_linkage, order_by_cluster
from tarocco.metrics.external import is_system_level
from tarocco.scoring.results import Result
from tarocco.trials.findings import Breakdown, MetricAgreement

QUARTERS = 4
FEWEST = 8  # segments: two in each quarter


def make_breakdowns(scores: Result, test_set: TestSet, labels: Sequence[str] | None) -> tuple[Breakdown, ...]:
    """Break scores down by group, if there are several labels, and by reference length, if segments suffice."""
    breakdowns = []
    if labels is not None and len(set(labels)) > 1:
        names = list(dict.fromkeys(labels))
        number = {name: i for i, name in enumerate(names)}
        breakdowns.append(_breakdown("group", names, np.array([number[label] for label in labels]), scores))
    if len(test_set) >= FEWEST:
        names, parts = split_by_length(reference_lengths(test_set))
        if len(names) > 1:
            breakdowns.append(_breakdown("reference length", names, parts, scores))
    return tuple(breakdowns)


def _breakdown(by: str, names: Sequence[str], parts: NDArray[np.intp], scores: Result) -> Breakdown:
    """The score of each part is the metric's score of the sum of its statistics, as that of a document is."""
    systems = list(dict.fromkeys(score.system for score in scores.scores))
    tables = {}
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        by_system = {score.system: score for score in scores.scores if score.metric == metric}
        if not is_system_level(metric):
            columns = []
            for system in systems:
                rows = by_system[system].statistics
                sums = np.zeros((len(names), rows.shape[1]))
                np.add.at(sums, parts, rows)
                columns.append(metric.score(sums))
            tables[str(metric)] = np.stack(columns, axis=1)
    sizes = np.bincount(parts, minlength=len(names)).tolist()
    return Breakdown(by, tuple(names), tuple(sizes), tuple(systems), tables)


def split_by_length(lengths: NDArray[np.float64]) -> tuple[list[str], NDArray[np.intp]]:
    """Segments in four parts of about the same size; those of one length are in one part, so that there may be fewer.

    Gives what the parts are called, and the part of each segment.
    """
    edges = np.unique(np.quantile(lengths, np.arange(1, QUARTERS) / QUARTERS, method="lower"))
    _, parts = np.unique(np.searchsorted(edges, lengths, side="left"), return_inverse=True)
    names = []
    for part in range(int(parts.max()) + 1):
        low, high = (f"{end(lengths[parts == part]):.0f}" for end in (np.min, np.max))
        names.append(f"{low} to {high} characters" if low != high else f"{low} characters")
    return (names if len(set(names)) == len(names) else [f"quarter {i + 1}" for i in range(len(names))]), parts


def reference_lengths(test_set: TestSet) -> NDArray[np.float64]:
    """Return the mean length of the references of each segment, in characters."""
    lengths = np.stack([_characters(stream) for stream in test_set.references])
    present = test_set.present
    means: NDArray[np.float64] = np.where(present, lengths, 0).sum(axis=0) / present.sum(axis=0)
    return means


def _characters(segments: Segments) -> NDArray[np.intp]:
    """How many characters each segment has: bytes that begin one, without the newline after it."""
    begun = np.concatenate([[0], np.cumsum(segments.text & 0xC0 != 0x80)])
    counts: NDArray[np.intp] = np.diff(begun[segments.starts]) - 1
    return counts


def correlate_metrics(scores: Result) -> MetricAgreement:
    """Spearman's correlation of all pairs of metrics over the segments of all systems, errors negated.

    A pair of metrics is correlated over the segments of which both have a score. Metrics with scores of whole systems
    alone are left out. The order is that of average linkage.
    """
    metrics = [
        metric for metric in dict.fromkeys(score.metric for score in scores.scores) if not is_system_level(metric)
    ]
    values = [
        round_last_bits(
            np.concatenate([metric.sign * score.segments for score in scores.scores if score.metric == metric])
        )
        for metric in metrics
    ]
    correlations = np.full((len(metrics), len(metrics)), np.nan)
    for i, scores_of_metric in enumerate(values):
        for j in range(i, len(values)):
            correlations[i, j] = correlations[j, i] = spearman(scores_of_metric, values[j])
    order = order_by_cluster(cluster_average_linkage(correlations))
    return MetricAgreement(tuple(str(metrics[i]) for i in order), correlations[np.ix_(order, order)])
