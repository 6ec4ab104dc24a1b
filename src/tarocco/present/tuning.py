"""What tuning found as tables: scores and weights, before and after."""

from __future__ import annotations

from tarocco.present.numbers import number_or_dash
from tarocco.present.tables import Table
from tarocco.results import Interval
from tarocco.search.tuned import Tuned, TuneResult


def digits(one: Tuned, width: int | None) -> int:
    """How many digits are shown: two where scores are shown times 100, else four, or what was asked for."""
    return width if width is not None else 2 if one.scale == 100 else 4


def scores_table(result: TuneResult, width: int | None = None) -> Table:
    """A row a metric: its score at the start, after tuning, and the difference, each with its interval."""

    def row(one: Tuned) -> tuple[str, ...]:
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
