"""The figure of correlations with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarocco.judge.agreed import CorrelateResult
from tarocco.present.correlations import TITLES
from tarocco.present.plots.charts import dots

if TYPE_CHECKING:
    import altair as alt


def correlations_chart(result: CorrelateResult) -> alt.ConcatChart:
    """A panel a criterion, a line a metric in the order of the first criterion, with its interval."""
    asked = result.question
    title = TITLES[asked.coefficient]
    several = len(result.criteria) > 1
    rows = [
        {
            "metric": f"{title}: {one.criterion}" if several else title,
            "system": one.metric,
            "score": result.value(one),
            "low": one.interval.low,
            "high": one.interval.high,
        }
        for one in result
    ]
    about = (
        f"Correlation of {', '.join(dict.fromkeys(one.metric for one in result))} with people at {asked.level} level"
    )
    return dots(
        rows,
        note=f"Lines: {100 * asked.confidence:g}% bootstrap intervals over segments",
        description="\n".join([about, *(one.signature for one in result)]),
    )
