"""External scores as metrics: their numbers come from a file or the caller, not from the text.

They appear next to computed metrics in every result. Scores per segment give statistics like those of any metric, so
there are means, documents and intervals. Scores per system have neither segments nor intervals.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import ExternalScores, Kind, TestSet
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.names import write_signature

if TYPE_CHECKING:
    from tarocco.io.scores.external import ExternalFile

ExternalSource = Union[Mapping[str, Any], Iterable[float | None], str, os.PathLike[str], ExternalScores, "ExternalFile"]


@dataclass(frozen=True, eq=False)
class External(Metric):
    """External scores as a metric: the mean over segments, or one number per system."""

    scores: ExternalScores = field(metadata={"choices": None, "in_stem": True})

    title = "external scores"
    pattern = "(?!)"  # matches no name

    @property
    def stem(self) -> str:
        return self.scores.name

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return self.scores.kind

    def signature(
        self, encoding: Encoding, reference_count: int | None, more: Sequence[tuple[str, object]] = ()
    ) -> str:
        """For example COMET|external|kind:similarity|file:comet.tsv|sha256:0123456789ab, however text is read."""
        return write_signature(f"{self.stem}|external", self.scores.origin)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, External):
            return False
        return (self.scores.name, self.scores.origin) == (other.scores.name, other.scores.origin)

    def __hash__(self) -> int:
        return hash((self.scores.name, self.scores.origin))

    def rows_of(self, system: str, n_segments: int) -> Floats:
        """Return the statistics of a system's segments: [score, 1], or [0, 0] if there is no score."""
        rows = np.zeros((n_segments, 2))
        if self.scores.level == "segment":
            scores = self.scores.by_system[system]
            known = ~np.isnan(scores)
            rows[known] = np.stack([scores[known], np.ones(known.sum())], axis=1)
        return rows

    def sums_of(self, system: str) -> Floats:
        """Return the statistics of a whole system, if only systems have scores."""
        value = float(self.scores.by_system[system][0])
        return np.array([0.0, 0.0] if np.isnan(value) else [value, 1.0])

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        raise InputError(f"{self}: external scores exist only for the texts that they were computed for")

    def score(self, sums: Floats) -> Floats:
        means = np.full(sums.shape[:-1], np.nan)
        np.divide(sums[..., 0], sums[..., 1], out=means, where=sums[..., 1] > 0)
        return means


def external_metrics(
    sources: Mapping[str, ExternalSource], test_set: TestSet, computed: Sequence[Metric] = ()
) -> list[External]:
    """Return external scores as metrics of a test set: files, mappings from systems to numbers, or lists of numbers.

    Their names must differ from each other and from those of the `computed` metrics.
    """
    if not sources:
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
    metrics = []
    for key, source in sources.items():
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
        metrics.append(External(scores))
    return metrics


def is_system_level(metric: Metric) -> TypeGuard[External]:
    """Return whether only systems have scores, not segments."""
    return isinstance(metric, External) and metric.scores.level == "system"


def insert_external(metrics: Sequence[Metric], computed: Sequence[Floats], test_set: TestSet) -> list[Floats]:
    """Return float64[systems, segments, k] for each metric: the computed statistics, with external ones inserted."""
    rest = iter(computed)
    return [
        np.stack([metric.rows_of(system, len(test_set)) for system in test_set.systems])
        if isinstance(metric, External)
        else next(rest)
        for metric in metrics
    ]
