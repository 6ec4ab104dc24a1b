"""What tuning found as tables: scores and weights, before and after."""

from __future__ import annotations

import json
from pathlib import Path

from tarocco._version import __version__
from tarocco.core.errors import InputError
from tarocco.core.records import Interval
from tarocco.decode.tuning.pool import Weights
from tarocco.decode.tuning.results import TunedScore, TuneResult
from tarocco.io.files import check_writable, write_atomically
from tarocco.render.tables import Table, number_or_dash


def digits(one: TunedScore, width: int | None) -> int:
    """How many digits are shown: two where scores are shown times 100, else four, or what was asked for."""
    return width if width is not None else 2 if one.scale == 100 else 4


def scores_table(result: TuneResult, width: int | None = None) -> Table:
    """A row a metric: its score at the start, after tuning, and the difference, each with its interval."""

    def row(one: TunedScore) -> tuple[str, ...]:
        form, signed = (f"{sign}.{digits(one, width)}f" for sign in ("", "+"))

        def cell(value: float, between: Interval, shape: str) -> str:
            low, high = (number_or_dash(end * one.scale, shape) for end in (between.low, between.high))
            return f"{number_or_dash(value * one.scale, shape)} [{low}, {high}]"

        return (
            one.metric,
            cell(one.start, one.start_interval, form),
            cell(one.tuned, one.interval, form),
            cell(one.difference, one.difference_interval, signed),
        )

    return Table(("metric", "start", "tuned", "difference"), tuple(map(row, result.metrics)))


def weights_table(result: TuneResult, width: int | None = None) -> Table:
    """A row a weight: at the start, and after tuning."""
    form = f".{4 if width is None else width}f"
    before, after = ([value for own in one.values() for value in own] for one in (result.start, result.weights))
    rows = zip(result.labels, before, after, strict=True)
    return Table(
        ("weight", "start", "tuned"), tuple((name, format(old, form), format(new, form)) for name, old, new in rows)
    )


SUFFIXES = (".json", ".ini")


def check_weights(path: str) -> None:
    """Refuse, before any work is done, a name that tells no form, or where nothing can be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: weights are written as weights.json or, in the form of Moses, as weights.ini")
    check_writable(path)


def write_weights(path: str, result: TuneResult) -> None:
    """Write tuned weights, and how they were found; all digits, so that what is read back chooses the same."""
    check_weights(path)
    how = [one.signature for one in result.metrics]
    text = json_form(result.weights, how) if Path(path).suffix.lower() == ".json" else moses_form(result.weights, how)
    write_atomically(path, text.encode())


def moses_form(weights: Weights, how: list[str]) -> str:
    """Lines such as `LM0= 0.5 0.2`, below comments."""
    told = [f"# tarocco {__version__}: {line}" for line in how]
    lines = [f"{name}= {' '.join(map(repr, values))}" for name, values in weights.items()]
    return "\n".join([*told, "[weight]", *lines, ""])


def json_form(weights: Weights, how: list[str]) -> str:
    """An object; a feature with one value has a number, others a list."""
    plain = {name: values[0] if len(values) == 1 else list(values) for name, values in weights.items()}
    return (
        json.dumps({"tarocco": __version__, "signatures": how, "weights": plain}, indent=1, ensure_ascii=False) + "\n"
    )
