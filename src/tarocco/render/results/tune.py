"""Tuned weights and the scores they give, as tables and as files; and reranked lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tarocco._version import __version__
from tarocco.core.errors import InputError
from tarocco.core.json_text import json_text
from tarocco.core.records import Interval
from tarocco.decode.tuning.pool import Weights
from tarocco.decode.tuning.results import RerankResult, TunedScore, TuneResult
from tarocco.io.files import check_writable, write_atomically
from tarocco.render.results import Presentation, scale_note, show_tables
from tarocco.render.results.score import digits_of
from tarocco.render.tables import Table, finite, number_or_dash, separated


def present_tuning(result: TuneResult, digits: int | None = None, **settings: Any) -> Presentation:
    """Present tuned weights."""
    about = {
        "found": dict(result.counts),
        "origin": result.origin,
        "start": result.start,
        "weights": result.weights,
        "objective": [finite(result.start_objective), finite(result.objective)],
        "starts": [
            {"start": start.number, "objective": finite(start.objective), "steps": start.steps}
            for start in result.starts
        ],
    }

    def lines() -> list[str]:
        return [
            number_or_dash(metric.tuned * metric.scale, f".{digits_of(metric.scale, digits)}f")
            for metric in result.metrics
        ]

    return Presentation(
        "tune",
        settings | about,
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(lambda: [scores_table(result, digits), weights_table(result, digits)], lambda: footnotes(result)),
        lines,
        result.notes,
    )


def present_reranking(result: RerankResult, **settings: Any) -> Presentation:
    """Present the best candidates under some weights, which have no table."""
    return Presentation(
        "rerank",
        settings | {"weights": result.weights},
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        lambda _form, _out: None,
        result.lines,
    )


def footnotes(result: TuneResult) -> list[str]:
    """Return the lines below the tables: the lists, the random starts, signatures, the kind of interval."""
    best = max(result.starts, key=lambda start: (start.objective, -start.number))
    interval = result.metrics[0].interval
    return [
        f"{result.counts['lists']} lists, {result.counts['candidates']} candidates; best of {len(result.starts)} "
        f"starts: number {best.number}, {best.steps} step{'s' * (best.steps != 1)}, objective {best.objective:.6g} "
        f"(worst: {min(start.objective for start in result.starts):.6g})",
        *(metric.signature for metric in result.metrics),
        f"[low, high]: {100 * interval.confidence:g}% bootstrap intervals over segments, {interval.n_resamples} "
        f"resamples, seed {interval.seed}; on the lists that were tuned on",
        *scale_note(metric.metric for metric in result.metrics if metric.scale != 1),
    ]


def scores_table(result: TuneResult, digits: int | None = None) -> Table:
    """One row per metric: its score before and after tuning, and the difference, each with its interval."""

    def row(score: TunedScore) -> tuple[str, ...]:
        form, signed = (f"{sign}.{digits_of(score.scale, digits)}f" for sign in ("", "+"))

        def cell(value: float, between: Interval, shape: str) -> str:
            low, high = (number_or_dash(end * score.scale, shape) for end in (between.low, between.high))
            return f"{number_or_dash(value * score.scale, shape)} [{low}, {high}]"

        return (
            score.metric,
            cell(score.start, score.start_interval, form),
            cell(score.tuned, score.interval, form),
            cell(score.difference, score.difference_interval, signed),
        )

    return Table(("metric", "start", "tuned", "difference"), tuple(map(row, result.metrics)))


def weights_table(result: TuneResult, digits: int | None = None) -> Table:
    """One row per weight: before and after tuning."""
    form = f".{4 if digits is None else digits}f"
    before, after = (
        [value for values in weights.values() for value in values] for weights in (result.start, result.weights)
    )
    rows = zip(result.labels, before, after, strict=True)
    return Table(
        ("weight", "start", "tuned"), tuple((name, format(old, form), format(new, form)) for name, old, new in rows)
    )


SUFFIXES = (".json", ".ini")


def check_weights(path: str) -> None:
    """Refuse, before any work is done, a file that has no known suffix or cannot be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: expected a file that ends in .json or, for the format of Moses, in .ini")
    check_writable(path)


def write_weights(path: str, result: TuneResult) -> None:
    """Write tuned weights with all digits, so that reranking chooses the same candidates, and with signatures."""
    check_weights(path)
    signatures = [metric.signature for metric in result.metrics]
    form = json_form if Path(path).suffix.lower() == ".json" else moses_form
    text = form(result.weights, signatures)
    write_atomically(path, text.encode())


def moses_form(weights: Weights, signatures: list[str]) -> str:
    """Return lines such as `LM0= 0.5 0.2`, below comments."""
    comments = [f"# tarocco {__version__}: {line}" for line in signatures]
    lines = [f"{name}= {' '.join(map(repr, values))}" for name, values in weights.items()]
    return "\n".join([*comments, "[weight]", *lines, ""])


def json_form(weights: Weights, signatures: list[str]) -> str:
    """Return a JSON object; a feature with one weight has a number, others a list."""
    plain = {name: values[0] if len(values) == 1 else list(values) for name, values in weights.items()}
    return json_text({"tarocco": __version__, "signatures": signatures, "weights": plain}, indent=1) + "\n"
