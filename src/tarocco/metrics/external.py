"""Metrics that were computed elsewhere: their scores come from a file or from the program, not from the text.

They stand beside computed metrics wherever a result goes. A score a segment gives statistics as any metric's, so means,
documents and intervals follow; a score a system is all there is, so there is none for segments and no interval.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.names import signature
from tarocco.core.test_set import ExternalScores, Kind, TestSet
from tarocco.encode.batch import Batch
from tarocco.metrics.base import Floats, Metric

if TYPE_CHECKING:
    from tarocco.io.scores.external import ExternalFile

Given = Union[Mapping[str, Any], Iterable[float | None], str, os.PathLike[str], ExternalScores, "ExternalFile"]


@dataclass(frozen=True, eq=False)
class External(Metric):
    """Scores made elsewhere, as a metric: the mean over segments, or a number a system."""

    scores: ExternalScores = field(metadata={"choices": None, "in_stem": True})

    title = "external scores"
    pattern = "(?!)"  # no name leads here: there are only the scores

    @property
    def stem(self) -> str:
        return self.scores.name

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return self.scores.kind

    @property
    def signature(self) -> str:
        """COMET|external|kind:similarity|file:comet.tsv|sha256:0123456789ab"""
        return signature(f"{self.stem}|external", self.scores.origin)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def rows_of(self, system: str, n_segments: int) -> Floats:
        """The statistics of a system's segments: [score, 1], or [0, 0] where there is none."""
        rows = np.zeros((n_segments, 2))
        if self.scores.level == "segment":
            scores = self.scores.by_system[system]
            known = ~np.isnan(scores)
            rows[known] = np.stack([scores[known], np.ones(known.sum())], axis=1)
        return rows

    def sums_of(self, system: str) -> Floats:
        """The statistics of a whole system, where only systems have scores."""
        value = float(self.scores.by_system[system][0])
        return np.array([0.0, 0.0] if np.isnan(value) else [value, 1.0])

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        raise InputError(f"{self}: these scores were made elsewhere, so other texts than those have none")

    def score(self, sums: Floats) -> Floats:
        means = np.full(sums.shape[:-1], np.nan)
        np.divide(sums[..., 0], sums[..., 1], out=means, where=sums[..., 1] > 0)
        return means


def external_metrics(given: Mapping[str, Given], test_set: TestSet, computed: Sequence[Metric] = ()) -> list[External]:
    """Scores made elsewhere as metrics of a test set: a file, a mapping from systems to numbers, or a list of them.

    `computed` are the metrics that they will stand beside: no two may have the same name.
    """
    if not given:
        return []
    from tarocco.io.scores.external import (
        ExternalFile,
        build_external_scores,
        parse_name_and_kind,
        read_external,
        split_file_and_column,
    )

    systems, n = list(test_set.systems), len(test_set)
    names = [str(metric) for metric in computed]
    found = []
    for key, source in given.items():
        written = str(key)
        if isinstance(source, str | os.PathLike):
            name, kind = parse_name_and_kind(written)
            source = ExternalFile(name, *split_file_and_column(os.fspath(source)), kind)
        if isinstance(source, ExternalScores):
            scores = source
        elif isinstance(source, ExternalFile):
            scores = read_external(source, systems, n, test_set.reference_names)
        else:
            scores = build_external_scores(written, source, systems, n)
        if scores.name in names:
            raise BadParameter(f"there are two metrics called {scores.name}: give the external scores another name")
        names.append(scores.name)
        found.append(External(scores))
    return found


def of_whole_systems(metric: Metric) -> TypeGuard[External]:
    """Whether systems have scores, but segments have none."""
    return isinstance(metric, External) and metric.scores.level == "system"


def beside(metrics: Sequence[Metric], computed: Sequence[Floats], test_set: TestSet) -> list[Floats]:
    """float64[systems, segments, k] for each metric: what was computed from text, and what was made elsewhere."""
    rest = iter(computed)
    return [
        np.stack([metric.rows_of(system, len(test_set)) for system in test_set.systems])
        if isinstance(metric, External)
        else next(rest)
        for metric in metrics
    ]
