"""The four kinds of chart. Each takes plain rows and gives an Altair chart that is complete: look, labels, notes.

A number that does not exist (None, NaN, infinite) is not drawn, and its row, line or cell keeps its place.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tarocco.core.errors import InputError
from tarocco.render.plots import style as look
from tarocco.render.plots.files import altair
from tarocco.render.plots.labels import labels, lines, place_labels, readable

if TYPE_CHECKING:
    import altair as alt

Row = Mapping[str, Any]

PANELS_A_LINE = 4
PANEL_WIDTH = 190
ROW_HEIGHT = 22
CURVES_SIZE = (400, 260)
POINTS_SIZE = (340, 300)
MARGIN = 0.07  # of an axis' range, left free at both ends
MANY_TICKS = 16  # values of x up to so many get a tick of their own
MANY_MARKS = 24  # values of x up to so many get a mark on every curve; beyond, a few do
FEW_MARKS = 9
MANY_CELLS = 20  # names in a heat map up to so many leave room for numbers


def dots(
    rows: Iterable[Row],
    *,
    lower_is_better: Collection[str] = (),
    scales: Mapping[str, float] | None = None,
    one_range: bool = False,
    note: str = "",
    description: str = "",
) -> alt.ConcatChart:
    """A panel a metric, a line a system, a point a score, with its interval.

    Rows have `system`, `metric`, `score`, and where there is an interval `low` and `high`. Systems and metrics keep the
    order in which they first appear. `scales` says what a metric is multiplied by (100 for BLEU); its panel tells.
    With `one_range` all panels have the same axis.
    """
    alt, rows = altair(), some(rows)
    systems = labels(str(row["system"]) for row in rows)
    metrics = list(dict.fromkeys(str(row["metric"]) for row in rows))
    scales = scales or {}
    remarks = {metric: _remark(scales.get(metric, 1), metric in lower_is_better) for metric in metrics}
    no_remark = " " if any(remarks.values()) else alt.Undefined  # titles side by side are equally high
    panels = []
    for i, metric in enumerate(metrics):
        scale = scales.get(metric, 1)
        values = [_dot(row, systems, scale) for row in rows if str(row["metric"]) == metric]
        ranged = [_dot(row, systems, scale) for row in rows] if one_range else values
        domain = _domain(value[end] for value in ranged for end in ("score", "low", "high"))
        leftmost = i % PANELS_A_LINE == 0
        y = alt.Y("label:N").scale(domain=list(systems.values())).title(None)
        # Grid lines that are not moved to whole pixels lie exactly below the intervals.
        y = y.axis(domain=False, ticks=False, grid=True, translate=0, labelLimit=240, labels=leftmost)
        x = alt.X("score:Q").scale(domain=domain, nice=False, zero=False).title(None).axis(tickCount=4, grid=False)
        told = [alt.Tooltip("system:N"), *(alt.Tooltip(f"{name}:Q", format=".5g") for name in ("score", "low", "high"))]
        base = alt.Chart(alt.Data(values=values)).encode(y=y, tooltip=told)
        ends = alt.X("low:Q").title(None), alt.X2("high:Q")
        interval = base.mark_rule(color=look.MAIN, strokeWidth=3, opacity=0.45)
        point = base.mark_point(color=look.MAIN, filled=True, size=26, opacity=1)
        title = alt.Title(lines(metric), subtitle=remarks[metric] or no_remark)
        drawn = alt.layer(interval.encode(x=ends[0], x2=ends[1]), point.encode(x=x), title=title)
        panels.append(drawn.properties(width=PANEL_WIDTH, height=alt.Step(ROW_HEIGHT)))
    chart = alt.concat(*panels, columns=PANELS_A_LINE, spacing={"column": 24, "row": 28}, align="each")
    return finished(chart, note, description)


def curves(
    rows: Iterable[Row],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    note: str = "",
    description: str = "",
) -> alt.LayerChart:
    """A line a series over x, with a band around it where rows have `low` and `high`.

    Rows have `series`, `x`, `y`; series keep the order in which they first appear. With `log_x` equal ratios of x are
    equally far apart.
    """
    alt, rows = altair(), some(rows)
    names = labels(str(row["series"]) for row in rows)
    values: list[dict[str, Any]] = [
        {"series": names[str(row["series"])], **{key: drawable(row.get(key)) for key in ("x", "y", "low", "high")}}
        for row in rows
    ]
    xs = sorted({value["x"] for value in values if value["x"] is not None})
    if log_x and xs and xs[0] <= 0:
        raise InputError(f"a logarithmic axis needs numbers above 0, and there is an x of {xs[0]:g}")
    styles = [look.style(i) for i in range(len(names))]
    domain = list(names.values())

    # The same for all three channels, so that Vega-Lite makes one legend of them.
    legend = {"title": None, "symbolOpacity": 1, "symbolStrokeWidth": 0, "labelLimit": 240}

    def by_series(channel: Any, choices: list[Any]) -> Any:
        return channel.scale(domain=domain, range=choices).legend(**legend)

    color = by_series(alt.Color("series:N"), [style.color for style in styles])
    shape = by_series(alt.Shape("series:N"), [style.shape for style in styles])
    dash = by_series(alt.StrokeDash("series:N"), [list(style.dash) for style in styles])
    ticks = {"values": xs} if len(xs) <= MANY_TICKS else {"tickCount": 8}
    x = alt.X("x:Q").title(readable(x_title)).axis(grid=False, format=".6~g", **ticks)
    kind = {"type": "log"} if log_x else {"zero": False}
    x = x.scale(domain=_domain(xs, log=log_x), nice=False, **kind)
    y = alt.Y("y:Q").title(readable(y_title)).axis(tickCount=6, domain=False, ticks=False)
    y = y.scale(domain=_domain(value[end] for value in values for end in ("y", "low", "high")), nice=False, zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(x=x, color=color)
    told = [alt.Tooltip("series:N"), *(alt.Tooltip(f"{name}:Q", format=".5g") for name in ("x", "y", "low", "high"))]
    layers = []
    if any(value["low"] is not None for value in values):
        band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q").title(readable(y_title)), y2="high:Q")
        layers.append(band)
    layers.append(base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash))
    marked = base.transform_filter(alt.FieldOneOfPredicate("x", _spread(xs, log_x))) if len(xs) > MANY_MARKS else base
    layers.append(marked.mark_point(filled=True, size=48, opacity=1).encode(y=y, shape=shape, tooltip=told))
    wide, high = CURVES_SIZE
    return finished(alt.layer(*layers).properties(width=wide, height=high), note, description)


def _spread(xs: Sequence[float], log: bool) -> list[float]:
    """A few of many values, about equally far apart on the axis, the first and the last among them."""
    on_axis = np.log(xs) if log else np.asarray(xs)
    wanted = np.linspace(on_axis[0], on_axis[-1], FEW_MARKS)
    return sorted({xs[int(np.abs(on_axis - place).argmin())] for place in wanted})


def points(
    rows: Iterable[Row],
    *,
    x_title: str,
    y_title: str,
    fit: bool = False,
    note: str = "",
    description: str = "",
) -> alt.LayerChart:
    """A point a row at `x` and `y`, with its `label` beside it where it has one.

    `fit` adds the straight line of least squares.
    """
    alt, rows = altair(), some(rows)
    known = [row for row in rows if drawable(row["x"]) is not None and drawable(row["y"]) is not None]
    places = [(float(row["x"]), float(row["y"])) for row in known]
    across, up = _domain(x for x, _ in places), _domain(y for _, y in places)
    wide, high = POINTS_SIZE

    def pixel(place: tuple[float, float]) -> tuple[float, float]:
        x, y = place
        return (x - across[0]) / (across[1] - across[0]) * wide, (up[1] - y) / (up[1] - up[0]) * high

    line = least_squares(places) if fit else None
    ends = [(x, line[0] * x + line[1]) for x in (min(places)[0], max(places)[0])] if line else []
    names = labels((str(row["label"]) for row in known if row.get("label")), longest=24)
    texts = [names.get(str(row.get("label")), "") for row in known]
    beside = place_labels([*map(pixel, places)], texts, POINTS_SIZE, [*map(pixel, ends)])
    values = [
        {"x": x, "y": y, "label": text, "name": readable(str(row.get("label") or "")), **vars(place)}
        for row, (x, y), text, place in zip(known, places, texts, beside, strict=True)
    ]
    x_axis = alt.X("x:Q").title(readable(x_title)).scale(domain=across, nice=False, zero=False).axis(tickCount=6)
    y_axis = alt.Y("y:Q").title(readable(y_title)).scale(domain=up, nice=False, zero=False).axis(tickCount=6)
    base = alt.Chart(alt.Data(values=values)).encode(x=x_axis, y=y_axis)
    layers = []
    if ends:
        drawn = alt.Chart(alt.Data(values=[{"x": x, "y": y} for x, y in ends])).encode(x=x_axis, y=y_axis)
        layers.append(drawn.mark_line(color=look.CONTRAST, strokeWidth=1.5, clip=True))
    told = [alt.Tooltip("name:N"), alt.Tooltip("x:Q", format=".5g"), alt.Tooltip("y:Q", format=".5g")]
    layers.append(base.mark_point(color=look.MAIN, filled=True, size=56, opacity=0.9).encode(tooltip=told))
    if any(texts):
        dx, dy, align = (alt.expr(f"datum.{name}") for name in ("dx", "dy", "align"))
        marks = base.mark_text(dx=dx, dy=dy, align=align, baseline="middle", fontSize=look.TEXT_SIZE, color=look.INK)
        layers.append(marks.encode(text="label:N"))
    return finished(alt.layer(*layers).properties(width=wide, height=high), note, description)


def heat_map(
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    order: Sequence[str] | None = None,
    domain: tuple[float, float] = (-1.0, 1.0),
    digits: int = 2,
    missing: str = "–",
    legend: str = "",
    note: str = "",
    description: str = "",
) -> alt.LayerChart:
    """A square of cells, `values[i][j]` in row `names[i]` and column `names[j]`, with the number in each.

    `order` (of names) puts rows and columns in another order, such as one in which neighbors are alike. A `domain` that
    reaches below 0 has white at its middle, another one at its first end. `missing` stands where there is no number.
    """
    alt = altair()
    if not names or len(values) != len(names) or any(len(row) != len(names) for row in values):
        raise InputError(f"a heat map of {len(names)} names needs as many rows of as many values, and at least one")
    if len(set(names)) != len(names) or (order is not None and sorted(order) != sorted(names)):
        raise InputError("the names of a heat map are all different, and its order holds each of them once")
    shown = labels(names)
    ramp = (look.CONTRAST, "#FFFFFF", look.MAIN) if domain[0] < 0 else ("#FFFFFF", look.MAIN)
    cells = []
    for name, row in zip(names, values, strict=True):
        for other, value in zip(names, row, strict=True):
            number = drawable(value)
            share = 0.0 if number is None else (number - domain[0]) / (domain[1] - domain[0])
            ink = look.FAINT_INK if number is None else look.ink_on(look.blend(ramp, min(max(share, 0.0), 1.0)))
            text = missing if number is None else f"{number:.{digits}f}".replace("-", "−")
            cells.append({"row": shown[name], "column": shown[other], "value": number, "text": text, "ink": ink})
    sequence = [shown[name] for name in order or names]
    side = 38 if len(names) <= MANY_CELLS else 16
    axis = {"domain": False, "ticks": False, "labelLimit": 240}
    x = alt.X("column:N").scale(domain=sequence).title(None).axis(**axis, labelAngle=-45)
    y = alt.Y("row:N").scale(domain=sequence).title(None).axis(**axis)
    base = alt.Chart(alt.Data(values=cells)).encode(x=x, y=y)
    color = alt.Color("value:Q").scale(
        domain=_stops(domain, len(ramp)), range=list(ramp), interpolate="rgb", clamp=True
    )
    color = color.legend(
        title=readable(legend) or None, gradientLength=min(side * len(names), 200), format=f".{digits - 1}f"
    )
    told = [alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("value:Q", format=".5g")]
    layers = [base.mark_rect(stroke="white", strokeWidth=1).encode(color=color, tooltip=told)]
    if len(names) <= MANY_CELLS:
        ink = alt.Color("ink:N").scale(None).legend(None)
        layers.append(base.mark_text(fontSize=look.TEXT_SIZE).encode(text="text:N", color=ink))
    chart = alt.layer(*layers).resolve_scale(color="independent")
    return finished(chart.properties(width=alt.Step(side), height=alt.Step(side)), note, description)


def least_squares(places: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Slope and intercept of the straight line with the least squared distances in y; None without two different x."""
    if len({x for x, _ in places}) < 2:
        return None
    mean_x, mean_y = (math.fsum(column) / len(places) for column in zip(*places, strict=True))
    products = math.fsum((x - mean_x) * (y - mean_y) for x, y in places)
    slope = products / math.fsum((x - mean_x) ** 2 for x, _ in places)
    return slope, mean_y - slope * mean_x


def _remark(scale: float, lower_is_better: bool) -> str:
    """What a reader of the panel must know beside the metric's name."""
    return ", ".join([f"times {scale:g}"] * (scale != 1) + ["lower is better"] * lower_is_better)


def some(rows: Iterable[Row]) -> list[Row]:
    rows = list(rows)
    if not rows:
        raise InputError("there is nothing to draw: a chart needs at least one row")
    return rows


def _dot(row: Row, systems: Mapping[str, str], scale: float) -> dict[str, Any]:
    name = str(row["system"])
    numbers = {key: drawable(row.get(key), scale) for key in ("score", "low", "high")}
    if numbers["score"] is None:
        numbers = dict.fromkeys(numbers)  # an interval around nothing
    return {"system": readable(name), "label": systems[name], **numbers}


def drawable(value: Any, scale: float = 1) -> float | None:
    """A number that can be drawn, or None."""
    return float(value) * scale if value is not None and math.isfinite(value) else None


def _domain(values: Iterable[float | None], log: bool = False) -> list[float]:
    """From a little below the least to a little above the greatest."""
    known = [value for value in values if value is not None] or [0.5 if log else 0.0]
    low, high = min(known), max(known)
    if log:
        margin = (high / low) ** MARGIN if high > low else 1.5
        return [low / margin, high * margin]
    margin = MARGIN * (high - low) or 0.1 * abs(high) or 1.0
    return [low - margin, high + margin]


def _stops(domain: tuple[float, float], count: int) -> list[float]:
    return [domain[0] + (domain[1] - domain[0]) * i / (count - 1) for i in range(count)]


def finished(chart: Any, note: str, description: str) -> Any:
    """With its note below, its description for readers who cannot see it, and the look."""
    if note:
        title = {"text": _readable_lines(note), "orient": "bottom", "frame": "bounds", "offset": 12}
        chart = chart.properties(
            title={**title, "fontWeight": "normal", "fontSize": look.TEXT_SIZE, "color": look.FAINT_INK}
        )
    if description:
        chart = chart.properties(description="\n".join(_readable_lines(description)))
    return chart.configure(**look.config())


def _readable_lines(text: str) -> list[str]:
    return [readable(line) for line in text.splitlines()]


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
