"""The scores of systems: wide tables for people, JSON, TSV and CSV for programs."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from tarocco._version import __version__
from tarocco.io.tables import write_rows
from tarocco.metrics.base import Metric
from tarocco.render.tables import Table, number_or_dash
from tarocco.scoring.results import Result, Score

LEVELS = ("corpus", "document", "segment")


class OfMetric(Protocol):
    """Whatever has numbers of one metric."""

    @property
    def metric(self) -> Metric: ...


def digits(score: OfMetric, width: int | None) -> int:
    """How many digits a table shows: two where scores are shown times 100, else four, or what was asked for."""
    return width if width is not None else 2 if score.metric.scale == 100 else 4


def number(value: float, score: OfMetric, width: int | None) -> str:
    """A number as a table shows it, on the metric's printed scale."""
    return number_or_dash(value * score.metric.scale, f".{digits(score, width)}f")


def cell(score: Score, width: int | None) -> str:
    text = number(score.score, score, width)
    if score.interval is None:
        return text
    low, high = (number(end, score, width) for end in (score.interval.low, score.interval.high))
    return f"{text} [{low}, {high}]"


def _by_system(result: Result) -> dict[str, list[Score]]:
    systems: dict[str, list[Score]] = {}
    for score in result.scores:
        systems.setdefault(score.system, []).append(score)
    return systems


def corpus_table(result: Result, width: int | None = None) -> Table:
    """A row a system, a column a metric; the best of each column is marked where there are several systems."""
    systems = _by_system(result)
    metrics = [score.metric for score in next(iter(systems.values()))]
    best = set()
    for column, metric in enumerate(metrics):
        values = [own[column].score for own in systems.values()]
        better = min if metric.kind == "error" else max
        known = [value for value in values if not math.isnan(value)]
        if known and len(values) > 1:
            best |= {(row, column + 1) for row, value in enumerate(values) if value == better(known)}
    return Table(
        ("system", *map(str, metrics)),
        tuple((name, *(cell(score, width) for score in own)) for name, own in systems.items()),
        best=frozenset(best),
        of="metric",
    )


def parts_table(result: Result, level: str, width: int | None = None) -> Table:
    """A row a document or segment and system, a column a metric. Segments are counted from 1."""
    systems = _by_system(result)
    parts = {name: [list(_parts(score, level)) for score in own] for name, own in systems.items()}
    metrics = [score.metric for score in next(iter(systems.values()))]
    count = len(next(iter(parts.values()))[0])
    rows = []
    for i in range(count):
        for name, own in systems.items():
            label = parts[name][0][i][0]
            values = (number(columns[i][1], score, width) for columns, score in zip(parts[name], own, strict=True))
            rows.append((label, name, *values))
    return Table((level, "system", *map(str, metrics)), tuple(rows), labels=2, of="metric")


def _parts(score: Score, level: str) -> Iterator[tuple[str, float]]:
    """The documents or segments of a score, with their labels."""
    if level == "document":
        return iter(score.documents.items())
    return ((str(i), value) for i, value in enumerate(score.segments.tolist(), start=1))


def json_text(command: str, settings: Mapping[str, Any], results: list[dict[str, Any]]) -> str:
    """The envelope of every command, one result a line."""
    import json

    head = json.dumps({"tarocco": __version__, "command": command, **settings}, ensure_ascii=False)
    lines = ",\n  ".join(json.dumps(result, ensure_ascii=False) for result in results)
    return f'{head[:-1]}, "results": [\n  {lines}\n]}}\n'


def separated_text(result: Result, level: str, delimiter: str) -> str:
    """One row a number, with a header; on the metric's natural scale, empty where there is no score."""
    out = io.StringIO()
    write_rows(out, _separated_rows(result, level), delimiter)
    return out.getvalue()


def _separated_rows(result: Result, level: str) -> Iterator[list[Any]]:
    if level == "corpus":
        between = any(score.interval for score in result.scores)
        about = ["low", "high", "confidence", "n_resamples", "seed"] if between else []
        yield ["system", "metric", "score", *about, "signature"]
        for score in result.scores:
            told = [_value(getattr(score.interval, field)) if score.interval else "" for field in about]
            yield [score.system, str(score.metric), _value(score.score), *told, score.signature]
    else:
        yield ["system", "metric", level, "score"]
        for score in result.scores:
            for label, value in _parts(score, level):
                yield [score.system, str(score.metric), label, _value(value)]


def _value(value: float) -> float | str:
    return "" if math.isnan(value) else value
