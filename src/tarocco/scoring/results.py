"""What scoring gives: frozen records that keep what made them and show themselves well."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tarocco.core.errors import BadParameter, MissingExtra, UnknownName
from tarocco.core.names import parse_name
from tarocco.metrics.base import Floats, Metric


@dataclass(frozen=True)
class Interval:
    """A confidence interval, and how it was found."""

    low: float
    high: float
    confidence: float
    n_resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Score:
    """What one metric says of one system."""

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
        """What the corpus score is made of, where the metric tells: precisions, lengths, penalty."""
        return self.metric.details(self.sums)

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        between = f" [{self.interval.low:.6g}, {self.interval.high:.6g}]" if self.interval else ""
        return f"<{self.signature} = {self.score:.6g}{between}>"

    def to_dict(self, level: str = "corpus") -> dict[str, Any]:
        """The record as it stands in JSON: numbers on the metric's natural scale, null where there is no score."""
        record: dict[str, Any] = {
            "system": self.system,
            "metric": str(self.metric),
            "signature": self.signature,
            "score": number_or_null(self.score),
        }
        if self.interval:
            record["interval"] = [number_or_null(self.interval.low), number_or_null(self.interval.high)]
        if self.details:
            record["details"] = self.details
        if level == "document":
            record["documents"] = {name: number_or_null(value) for name, value in self.documents.items()}
        if level == "segment":
            record["segments"] = [number_or_null(value) for value in self.segments.tolist()]
        return record


def number_or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


class Tabular(ABC):
    """Anything that has flat records, as a table of other libraries."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The records."""

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row a record of `rows`."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra('to_pandas needs pandas: pip install "tarocco[pandas]"') from None
        return pandas.DataFrame(self.rows())

    def to_arrow(self) -> Any:
        """A pyarrow.Table, one row a record of `rows`."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra('to_arrow needs pyarrow: pip install "tarocco[arrow]"') from None
        return pyarrow.Table.from_pylist(self.rows())


@dataclass(frozen=True, eq=False)
class Result(Tabular, Mapping[str, Any]):
    """The scores of one or of several systems.

    One system: `result["BLEU-4"]` is a Score. Several: `result["sysA"]` is the Result of that system alone.
    """

    scores: tuple[Score, ...]
    single: bool

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str):
            raise UnknownName(f"{key!r} is not there; there are {', '.join(self)}")
        if self.single:
            for score in self.scores:
                if key == str(score.metric):
                    return score
            return self._by_alias(key)
        own = tuple(score for score in self.scores if score.system == key)
        if not own:
            raise UnknownName(f'there is no system "{key}"; there are {", ".join(self)}')
        return Result(own, single=True)

    def _by_alias(self, key: str) -> Score:
        """Another spelling of a metric's name, such as BLEU for BLEU-4."""
        with suppress(BadParameter):
            for score in self.scores:
                if type(score.metric).from_name(parse_name(key)) == score.metric:
                    return score
        raise UnknownName(f'"{key}" was not computed; there are {", ".join(self)}')

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(str(score.metric) if self.single else score.system for score in self.scores))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a system and metric."""
        return [
            {
                "system": score.system,
                "metric": str(score.metric),
                "score": score.score,
                "low": score.interval.low if score.interval else math.nan,
                "high": score.interval.high if score.interval else math.nan,
                "signature": score.signature,
            }
            for score in self.scores
        ]

    def to_dict(self, level: str = "corpus") -> list[dict[str, Any]]:
        """What `tarocco score -f json` prints under "results"."""
        return [score.to_dict(level) for score in self.scores]

    def __repr__(self) -> str:
        return "\n".join(f"{score.system}: {score!r}" for score in self.scores)

    def _repr_html_(self) -> str:
        from html import escape

        metrics = list(dict.fromkeys(str(score.metric) for score in self.scores))
        by_system: dict[str, dict[str, Score]] = {}
        for score in self.scores:
            by_system.setdefault(score.system, {})[str(score.metric)] = score
        head = "".join(f"<th>{escape(name)}</th>" for name in metrics)
        body = "".join(
            f"<tr><th>{escape(system)}</th>" + "".join(f"<td>{_cell(own[name])}</td>" for name in metrics) + "</tr>"
            for system, own in by_system.items()
        )
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(score: Score) -> str:
    from html import escape

    between = f" <small>[{score.interval.low:.4f}, {score.interval.high:.4f}]</small>" if score.interval else ""
    return f'<span title="{escape(score.signature)}">{score.score:.4f}</span>{between}'
