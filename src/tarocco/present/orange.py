"""A trial by ORANGE: the paper's table, and its figure."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING, Any

from tarocco.judge.verdict import Orange, OrangeResult
from tarocco.present.plots.charts import curves, dots
from tarocco.present.plots.files import check_path, write_chart
from tarocco.present.tables import Table

if TYPE_CHECKING:
    import altair as alt

SHOWN = 10  # curves in a figure: more cannot be told apart


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


def orange_figure(result: OrangeResult, path: str | os.PathLike[str] | None = None) -> alt.Chart:
    """ORANGE over the length of the list, where the result has curves, or else a dot a metric with its interval."""
    if path is not None:
        check_path(path)
    first = result.metrics[0]
    about = (
        f"ORANGE of {', '.join(result)}: {first.n_segments} segments, lists of {first.n_best} candidates; "
        "lower is better"
    )
    signatures = [one.signature for one in result.metrics]
    if first.curve:
        shown = list(result)[:SHOWN]
        left_out = len(result) - len(shown)
        chart: Any = curves(
            [
                {"series": row["metric"], "x": row["n_best"], "y": 100 * row["orange"]}
                for row in result.curves()
                if row["metric"] in shown
            ],
            x_title="length of the n-best list",
            y_title="ORANGE (%), lower is better",
            log_x=first.n_best >= 100 * first.curve[0][0],
            note=f"{left_out} metrics with higher ORANGE are not shown" if left_out else "",
            description="\n".join([about, *signatures]),
        )
    else:
        chart = dots(
            [
                {
                    "metric": "ORANGE",
                    "system": one.metric,
                    "score": one.orange,
                    "low": one.orange_interval.low,
                    "high": one.orange_interval.high,
                }
                for one in result.metrics
            ],
            lower_is_better=["ORANGE"],
            scales={"ORANGE": 100},
            note=f"Lines: {100 * first.interval.confidence:g}% bootstrap intervals over segments",
            description="\n".join([about, *signatures]),
        )
    if path is not None:
        write_chart(chart, path)
    return chart
