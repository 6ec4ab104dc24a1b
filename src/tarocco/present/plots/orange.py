"""The figure of a trial by ORANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tarocco.judge.verdict import OrangeResult
from tarocco.present.plots.charts import curves, dots

if TYPE_CHECKING:
    import altair as alt

SHOWN = 8  # curves in a figure: more cannot be told apart


def orange_chart(result: OrangeResult) -> alt.ConcatChart | alt.LayerChart:
    """ORANGE over the length of the list, where the result has curves, or else a dot a metric with its interval."""
    first = result.metrics[0]
    about = (
        f"ORANGE of {', '.join(result)}: {len(result.segments)} segments, lists of {first.n_best} candidates; "
        "lower is better"
    )
    signatures = [one.signature for one in result.metrics]
    if first.curve:
        shown = list(result)[:SHOWN]
        left_out = list(result)[SHOWN:]
        return curves(
            [
                {"series": row["metric"], "x": row["n_best"], "y": 100 * row["orange"]}
                for row in result.curves()
                if row["metric"] in shown and row["orange"] is not None
            ],
            x_title="length of the n-best list",
            y_title="ORANGE (%), lower is better",
            log_x=first.n_best >= 100 * first.curve[0][0],
            note=f"Not shown, with higher ORANGE: {', '.join(left_out)}" if left_out else "",
            description="\n".join([about, *signatures]),
        )
    rows: list[dict[str, Any]] = [
        {
            "metric": "ORANGE",
            "system": one.metric,
            "score": one.orange,
            "low": one.orange_interval.low,
            "high": one.orange_interval.high,
        }
        for one in result.metrics
        if one.n_segments
    ]
    return dots(
        rows,
        lower_is_better=["ORANGE"],
        scales={"ORANGE": 100},
        note=f"Lines: {100 * first.interval.confidence:g}% bootstrap intervals over segments",
        description="\n".join([about, *signatures]),
    )
