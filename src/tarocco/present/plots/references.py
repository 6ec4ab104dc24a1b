"""The figure of metrics over the number of references: Figure 1 of Finch et al. (2004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tarocco.judge.reference_curves import Curve, ReferencesResult
from tarocco.metrics.shares import PENALTY
from tarocco.present.plots.charts import curves
from tarocco.present.plots.stacks import arranged, stacks

if TYPE_CHECKING:
    import altair as alt

X_TITLE = "number of references"
BANDS = "Bands: one standard deviation over subsets of the references"


def references_chart(result: ReferencesResult) -> alt.LayerChart | alt.VConcatChart:
    """A line a metric, with a band of one standard deviation over subsets.

    Where the result has lower orders, there is a row below for each metric made of orders: the same lines for its
    orders, and what each order contributes to the score.
    """
    first = result.curves[0]
    about = f"{result.judged_by} of {', '.join(result)} with {first.points[0].size} to {first.most} references"
    description = "\n".join([about, *result.advice, *(curve.signature for curve in result.asked)])
    lines = _lines(result, result.asked, BANDS, description)
    # Orders of one metric lie close together: bands around them would hide each other.
    rows = [[_lines(result, own, ""), *_stacks(own[-1])] for own in result.by_order()]
    return arranged([[lines], *rows], description=description) if rows else lines


def _lines(result: ReferencesResult, shown: Sequence[Curve], note: str, description: str = "") -> alt.LayerChart:
    orange = shown[0].lower_is_better
    scale = 100 if orange else 1
    spread = any(len(point.values) > 1 for point in shown[0].points)
    return curves(
        [
            {
                "series": curve.metric,
                "x": point.size,
                "y": scale * point.mean,
                **({"low": scale * (point.mean - point.std), "high": scale * (point.mean + point.std)} if note else {}),
            }
            for curve in shown
            for point in curve.points
        ],
        x_title=X_TITLE,
        y_title=result.judged_by + " (%), lower is better" * orange,
        note=note if spread else "",
        description=description,
    )


def _stacks(curve: Curve) -> list[alt.LayerChart]:
    """What orders contribute, where that is known."""
    rows = [
        {"part": name if name == PENALTY else f"{name}-grams", "x": point.size, "y": share}
        for point in curve.points
        for name, share in point.shares.items()
    ]
    of = f"share of −ln {curve.metric}" if PENALTY in curve.points[0].shares else f"share of {curve.metric}"
    return [stacks(rows, title=curve.metric, x_title=X_TITLE, y_title=of, apart=PENALTY)] if rows else []
