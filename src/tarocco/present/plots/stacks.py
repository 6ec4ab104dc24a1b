"""Parts of a whole as stacked bars, and several charts in one figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tarocco.present.plots import look
from tarocco.present.plots.charts import Row, drawable, finished, some
from tarocco.present.plots.libraries import altair
from tarocco.present.plots.text import lines, readable

if TYPE_CHECKING:
    import altair as alt

BAR, WIDE_BAR = 22, 40  # pixels
FEW_BARS = 6
HEIGHT = 260
DEEP = ("#CFE3F1", look.MAIN, "#00263D")  # light for the first part, dark for the last
APART = "#C9C9C9"  # of a part that is unlike the others


def stacks(
    rows: Iterable[Row],
    *,
    title: str,
    x_title: str,
    y_title: str,
    apart: str = "",
    note: str = "",
    description: str = "",
) -> alt.LayerChart:
    """A bar an x, made of parts from below in the order in which they first appear; `apart` is drawn in gray.

    Rows have `part`, `x` and `y`, a share from 0 to 1.
    """
    alt, rows = altair(), some(rows)
    parts = list(dict.fromkeys(str(row["part"]) for row in rows))
    deep = [part for part in parts if part != apart]
    shades = {part: look.blend(DEEP, i / max(1, len(deep) - 1)) for i, part in enumerate(deep)} | {apart: APART}
    values: list[dict[str, Any]] = [
        {"x": row["x"], "part": readable(str(row["part"])), "y": drawable(row["y"]), "place": parts.index(row["part"])}
        for row in rows
    ]
    bar = WIDE_BAR if len({row["x"] for row in rows}) <= FEW_BARS else BAR
    domain = [readable(part) for part in reversed(parts)]
    color = alt.Color("part:N").scale(domain=domain, range=[shades[part] for part in reversed(parts)])
    y = alt.Y("y:Q").stack("zero").title(readable(y_title)).axis(format="%", domain=False, ticks=False, tickCount=6)
    chart = alt.Chart(alt.Data(values=values)).mark_bar(stroke="white", strokeWidth=0.5)
    chart = chart.encode(
        x=alt.X("x:O").title(readable(x_title)).axis(labelAngle=0, ticks=False).scale(paddingInner=0.12),
        y=y.scale(domain=[0, 1], nice=False),
        color=color.legend(title=None),
        order=alt.Order("place:Q"),
        tooltip=[alt.Tooltip("x:O"), alt.Tooltip("part:N"), alt.Tooltip("y:Q", format=".1%")],
    )
    chart = chart.properties(width=alt.Step(bar), height=HEIGHT, title=alt.Title(lines(title)))
    return finished(alt.layer(chart), note, description)


def arranged(charts: Sequence[Sequence[Any]], note: str = "", description: str = "") -> alt.VConcatChart:
    """Rows of charts, one below the other; each chart has its own colors, axes and legend."""
    alt = altair()

    def bare(chart: Any) -> Any:
        one = chart.copy()
        one.config, one.description = alt.Undefined, alt.Undefined  # said once for all
        return one

    rows = [alt.hconcat(*map(bare, row), spacing=40) for row in charts]
    apart = dict.fromkeys(("color", "shape", "strokeDash", "x", "y"), "independent")
    together = alt.vconcat(*(row.resolve_scale(**apart) for row in rows), spacing=24).resolve_scale(**apart)
    return finished(together, note, description)
