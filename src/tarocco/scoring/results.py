"""The results of scoring: `Score` for one system and metric, `Result` for many."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tarocco.core.errors import BadParameter, UnknownName
from tarocco.core.records import Interval, Record, ResultTable, to_json
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.names import parse_name


@dataclass(frozen=True, eq=False)
class Score(Record):
    """The score of one system under one metric."""

    json_fields = ("system", "metric", "signature", "score", "interval", "details")
    row_fields = ("system", "metric", "score", "interval", "signature")
    optional_fields = ("interval", "details")
    missing = math.nan

    system: str
    metric: Metric
    signature: str
    score: float
    statistics: Floats
    sums: Floats
    interval: Interval | None = None
    labels: tuple[str, ...] | None = None

    @cached_property
    def segments(self) -> Floats:
        """The score of each segment; NaN where it does not exist."""
        return self.metric.score(self.statistics)

    @cached_property
    def documents(self) -> dict[str, float]:
        """The score of each document, in the order in which they first appear; empty without document labels."""
        if self.labels is None:
            return {}
        names = list(dict.fromkeys(self.labels))
        number = {name: i for i, name in enumerate(names)}
        sums = np.zeros((len(names), self.statistics.shape[1]))
        np.add.at(sums, [number[label] for label in self.labels], self.statistics)
        return dict(zip(names, self.metric.score(sums).tolist(), strict=True))

    @cached_property
    def details(self) -> dict[str, Any]:
        """What the corpus score is made of, such as precisions, lengths and penalty; empty for some metrics."""
        return self.metric.details(self.sums)

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        interval = f" [{self.interval.low:.6g}, {self.interval.high:.6g}]" if self.interval else ""
        return f"<{self.signature} = {self.score:.6g}{interval}>"

    def to_dict(self, level: str = "corpus") -> dict[str, Any]:
        """Return the record as JSON has it, on the metric's natural scale; `level` adds documents or segments."""
        record = super().to_dict()
        if level == "document":
            record["documents"] = to_json(self.documents)
        if level == "segment":
            record["segments"] = to_json(self.segments)
        return record


@dataclass(frozen=True, eq=False)
class Result(ResultTable, Mapping[str, Any]):
    """The scores of one system or several.

    With one system, `result["BLEU-4"]` is a Score. With several, `result["sysA"]` is the Result of that system. `notes`
    say what does not suit the references: a tokenizer that does not split their script, or English stems and synonyms.
    """

    record_field = "scores"

    scores: tuple[Score, ...]
    single: bool
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str):
            raise UnknownName(f"there is no {key!r}; there are {', '.join(self)}")
        if self.single:
            for score in self.scores:
                if key == str(score.metric):
                    return score
            return self._by_alias(key)
        scores = tuple(score for score in self.scores if score.system == key)
        if not scores:
            raise UnknownName(f'there is no system "{key}"; there are {", ".join(self)}')
        return Result(scores, True, self.notes)

    def _by_alias(self, key: str) -> Score:
        """Find a metric by another spelling of its name, such as BLEU for BLEU-4."""
        with suppress(BadParameter):
            for score in self.scores:
                if type(score.metric).from_name(parse_name(key)) == score.metric:
                    return score
        raise UnknownName(f'"{key}" was not computed; there are {", ".join(self)}')

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(str(score.metric) if self.single else score.system for score in self.scores))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def to_dict(self, level: str = "corpus") -> list[dict[str, Any]]:
        """Return what `tarocco score -f json` prints under "results"."""
        return [score.to_dict(level) for score in self.scores]

    def display(self) -> list[dict[str, Any]]:
        """Return one row per system, with one column per metric."""
        by_system: dict[str, dict[str, Any]] = {}
        for score in self.scores:
            interval = f" [{score.interval.low:.4f}, {score.interval.high:.4f}]" if score.interval else ""
            row = by_system.setdefault(score.system, {"system": score.system})
            row[str(score.metric)] = f"{score.score:.4f}{interval}"
        return list(by_system.values())

    def captions(self) -> list[str]:
        """Return the notes and the signatures."""
        return [*self.notes, *dict.fromkeys(score.signature for score in self.scores)]
