"""A trial by ORANGE as a table: the paper's for people, long ones for programs."""

from __future__ import annotations

import csv
import io
from typing import Any

from tarocco.judge.verdict import Orange, OrangeResult
from tarocco.present.tables import Table


def orange_table(result: OrangeResult, width: int | None = None) -> Table:
    """The layout of Lin and Och (2004), the best first; metrics that cannot be told from it are marked."""
    confidence = f"{100 * result.metrics[0].interval.confidence:g}%-CI"
    digits = 1 if width is None else width

    def row(number: int, one: Orange) -> tuple[str, ...]:
        ranks = (one.average_rank, one.interval.low, one.interval.high)
        mark = "best" if number == 0 else "=" if one.equivalent else ""
        share = f"{100 * one.orange:.{2 if width is None else width}f}%"
        return (one.metric, share, *(f"{rank:.{digits}f}" for rank in ranks), mark)

    return Table(
        ("Method", "ORANGE", "Avg Rank", f"{confidence}-L", f"{confidence}-U", "as best"),
        tuple(row(number, one) for number, one in enumerate(result.metrics)),
        best=frozenset((r, c) for r, one in enumerate(result.metrics) if one.equivalent for c in range(2)),
    )


def separated_text(result: OrangeResult, delimiter: str) -> str:
    """One row a metric, or, where there are curves, one a metric and length of the list; with a header."""
    rows: list[dict[str, Any]] = result.curves() or result.rows()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
