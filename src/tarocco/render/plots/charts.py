"""Charts from plain rows: dots, curves, points, heat maps, stacked bars, and arrangements of them.

Each function returns a complete Altair chart with style, labels and notes. Missing numbers (None, NaN, infinite) are
not drawn, but their row, line or cell remains.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tarocco.core.errors import InputError
from tarocco.render.plots import style as look
from tarocco.render.plots.files import import_altair
from tarocco.render.plots.style import make_labels, place_labels, sanitize, wrap_title

if TYPE_CHECKING:
    import altair as alt

Row = Mapping[str, Any]

PANELS_PER_ROW = 4
PANEL_WIDTH = 190
ROW_HEIGHT = 22
CURVES_SIZE = (400, 260)
POINTS_SIZE = (340, 300)
MARGIN = 0.07  # of an axis, at both ends
MANY_TICKS = 16  # up to this many values of x have a tick each
MANY_MARKS = 24  # up to this many values of x have a mark each on every curve
FEW_MARKS = 9
MANY_CELLS = 20  # up to this many names leave room for numbers in a heat map


def dots(
    rows: Iterable[Row],
    *,
    lower_is_better: Collection[str] = (),
    scales: Mapping[str, float] | None = None,
    one_range: bool = False,
    note: str = "",
    description: str = "",
) -> alt.ConcatChart:
    """Draw one panel per metric, with one line per system and a point with its interval per score.

    Rows have `system`, `metric`, `score`, and optionally `low` and `high`. Systems and metrics are in order of first
    appearance. `scales` gives the factor of each metric (100 for BLEU), which its panel states. With `one_range`, all
    panels have the same axis.
    """
    alt, rows = import_altair(), _require_rows(rows)
    systems = make_labels(str(row["system"]) for row in rows)
    metrics = list(dict.fromkeys(str(row["metric"]) for row in rows))
    scales = scales or {}
    subtitles = {metric: _subtitle(scales.get(metric, 1), metric in lower_is_better) for metric in metrics}
    no_subtitle = " " if any(subtitles.values()) else alt.Undefined  # gives all titles the same height
    panels = []
    for i, metric in enumerate(metrics):
        scale = scales.get(metric, 1)
        values = [_dot(row, systems, scale) for row in rows if str(row["metric"]) == metric]
        ranged = [_dot(row, systems, scale) for row in rows] if one_range else values
        domain = _domain(value[end] for value in ranged for end in ("score", "low", "high"))
        leftmost = i % PANELS_PER_ROW == 0
        y = alt.Y("label:N").scale(domain=list(systems.values())).title(None)
        # Without rounding to whole pixels, grid lines are exactly below the intervals.
        y = y.axis(domain=False, ticks=False, grid=True, translate=0, labelLimit=240, labels=leftmost)
        x = alt.X("score:Q").scale(domain=domain, nice=False, zero=False).title(None).axis(tickCount=4, grid=False)
        tooltip = [
            alt.Tooltip("system:N"),
            *(alt.Tooltip(f"{name}:Q", format=".5g") for name in ("score", "low", "high")),
        ]
        base = alt.Chart(alt.Data(values=values)).encode(y=y, tooltip=tooltip)
        ends = alt.X("low:Q").title(None), alt.X2("high:Q")
        interval = base.mark_rule(color=look.MAIN, strokeWidth=3, opacity=0.45)
        point = base.mark_point(color=look.MAIN, filled=True, size=26, opacity=1)
        title = alt.Title(wrap_title(metric), subtitle=subtitles[metric] or no_subtitle)
        drawn = alt.layer(interval.encode(x=ends[0], x2=ends[1]), point.encode(x=x), title=title)
        panels.append(drawn.properties(width=PANEL_WIDTH, height=alt.Step(ROW_HEIGHT)))
    chart = alt.concat(*panels, columns=PANELS_PER_ROW, spacing={"column": 24, "row": 28}, align="each")
    return _finish(chart, note, description)


def curves(
    rows: Iterable[Row],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    note: str = "",
    description: str = "",
) -> alt.LayerChart:
    """Draw one line per series over x, with a band if rows have `low` and `high`.

    Rows have `series`, `x` and `y`; series are in order of first appearance. With `log_x`, the x axis is logarithmic.
    """
    alt, rows = import_altair(), _require_rows(rows)
    names = make_labels(str(row["series"]) for row in rows)
    values: list[dict[str, Any]] = [
        {"series": names[str(row["series"])], **{key: _finite(row.get(key)) for key in ("x", "y", "low", "high")}}
        for row in rows
    ]
    xs = sorted({value["x"] for value in values if value["x"] is not None})
    if log_x and xs and xs[0] <= 0:
        raise InputError(f"a logarithmic axis needs positive numbers, found x = {xs[0]:g}")
    styles = [look.style(i) for i in range(len(names))]
    domain = list(names.values())

    # The same for all three channels, so that Vega-Lite merges their legends.
    legend = {"title": None, "symbolOpacity": 1, "symbolStrokeWidth": 0, "labelLimit": 240}

    def by_series(channel: Any, choices: list[Any]) -> Any:
        return channel.scale(domain=domain, range=choices).legend(**legend)

    color = by_series(alt.Color("series:N"), [style.color for style in styles])
    shape = by_series(alt.Shape("series:N"), [style.shape for style in styles])
    dash = by_series(alt.StrokeDash("series:N"), [list(style.dash) for style in styles])
    ticks = {"values": xs} if len(xs) <= MANY_TICKS else {"tickCount": 8}
    x = alt.X("x:Q").title(sanitize(x_title)).axis(grid=False, format=".6~g", **ticks)
    kind = {"type": "log"} if log_x else {"zero": False}
    x = x.scale(domain=_domain(xs, log=log_x), nice=False, **kind)
    y = alt.Y("y:Q").title(sanitize(y_title)).axis(tickCount=6, domain=False, ticks=False)
    y = y.scale(domain=_domain(value[end] for value in values for end in ("y", "low", "high")), nice=False, zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(x=x, color=color)
    tooltip = [alt.Tooltip("series:N"), *(alt.Tooltip(f"{name}:Q", format=".5g") for name in ("x", "y", "low", "high"))]
    layers = []
    if any(value["low"] is not None for value in values):
        band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q").title(sanitize(y_title)), y2="high:Q")
        layers.append(band)
    layers.append(base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash))
    marked = base.transform_filter(alt.FieldOneOfPredicate("x", _sample(xs, log_x))) if len(xs) > MANY_MARKS else base
    layers.append(marked.mark_point(filled=True, size=48, opacity=1).encode(y=y, shape=shape, tooltip=tooltip))
    wide, high = CURVES_SIZE
    return _finish(alt.layer(*layers).properties(width=wide, height=high), note, description)


def _sample(xs: Sequence[float], log: bool) -> list[float]:
    """Return a few values about evenly spaced on the axis, including the first and the last."""
    on_axis = np.log(xs) if log else np.asarray(xs)
    targets = np.linspace(on_axis[0], on_axis[-1], FEW_MARKS)
    return sorted({xs[int(np.abs(on_axis - target).argmin())] for target in targets})


def points(
    rows: Iterable[Row],
    *,
    x_title: str,
    y_title: str,
    fit: bool = False,
    note: str = "",
    description: str = "",
) -> alt.LayerChart:
    """Draw one point per row at `x` and `y`, with its `label` if it has one.

    `fit` adds the least-squares line.
    """
    alt, rows = import_altair(), _require_rows(rows)
    finite = [row for row in rows if _finite(row["x"]) is not None and _finite(row["y"]) is not None]
    places = [(float(row["x"]), float(row["y"])) for row in finite]
    across, up = _domain(x for x, _ in places), _domain(y for _, y in places)
    wide, high = POINTS_SIZE

    def pixel(place: tuple[float, float]) -> tuple[float, float]:
        x, y = place
        return (x - across[0]) / (across[1] - across[0]) * wide, (up[1] - y) / (up[1] - up[0]) * high

    line = least_squares(places) if fit else None
    ends = [(x, line[0] * x + line[1]) for x in (min(places)[0], max(places)[0])] if line else []
    names = make_labels((str(row["label"]) for row in finite if row.get("label")), longest=24)
    texts = [names.get(str(row.get("label")), "") for row in finite]
    positions = place_labels([*map(pixel, places)], texts, POINTS_SIZE, [*map(pixel, ends)])
    values = [
        {"x": x, "y": y, "label": text, "name": sanitize(str(row.get("label") or "")), **vars(position)}
        for row, (x, y), text, position in zip(finite, places, texts, positions, strict=True)
    ]
    x_axis = alt.X("x:Q").title(sanitize(x_title)).scale(domain=across, nice=False, zero=False).axis(tickCount=6)
    y_axis = alt.Y("y:Q").title(sanitize(y_title)).scale(domain=up, nice=False, zero=False).axis(tickCount=6)
    base = alt.Chart(alt.Data(values=values)).encode(x=x_axis, y=y_axis)
    layers = []
    if ends:
        drawn = alt.Chart(alt.Data(values=[{"x": x, "y": y} for x, y in ends])).encode(x=x_axis, y=y_axis)
        layers.append(drawn.mark_line(color=look.CONTRAST, strokeWidth=1.5, clip=True))
    tooltip = [alt.Tooltip("name:N"), alt.Tooltip("x:Q", format=".5g"), alt.Tooltip("y:Q", format=".5g")]
    layers.append(base.mark_point(color=look.MAIN, filled=True, size=56, opacity=0.9).encode(tooltip=tooltip))
    if any(texts):
        dx, dy, align = (alt.expr(f"datum.{name}") for name in ("dx", "dy", "align"))
        marks = base.mark_text(dx=dx, dy=dy, align=align, baseline="middle", fontSize=look.TEXT_SIZE, color=look.INK)
        layers.append(marks.encode(text="label:N"))
    return _finish(alt.layer(*layers).properties(width=wide, height=high), note, description)


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
    """Draw a square matrix with the number `values[i][j]` in row `names[i]` and column `names[j]`.

    `order` (of names) reorders rows and columns, for example by similarity. White is the middle of a `domain` that
    includes negative numbers, and the first end of any other. `missing` replaces missing numbers.
    """
    alt = import_altair()
    if not names or len(values) != len(names) or any(len(row) != len(names) for row in values):
        raise InputError(
            f"a heat map of {len(names)} names needs as many rows with as many values each, and at least one"
        )
    if len(set(names)) != len(names) or (order is not None and sorted(order) != sorted(names)):
        raise InputError("the names of a heat map must be distinct, and its order must contain each of them once")
    shown = make_labels(names)
    ramp = (look.CONTRAST, "#FFFFFF", look.MAIN) if domain[0] < 0 else ("#FFFFFF", look.MAIN)
    cells = []
    for name, row in zip(names, values, strict=True):
        for other, value in zip(names, row, strict=True):
            number = _finite(value)
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
        title=sanitize(legend) or None, gradientLength=min(side * len(names), 200), format=f".{digits - 1}f"
    )
    tooltip = [alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("value:Q", format=".5g")]
    layers = [base.mark_rect(stroke="white", strokeWidth=1).encode(color=color, tooltip=tooltip)]
    if len(names) <= MANY_CELLS:
        ink = alt.Color("ink:N").scale(None).legend(None)
        layers.append(base.mark_text(fontSize=look.TEXT_SIZE).encode(text="text:N", color=ink))
    chart = alt.layer(*layers).resolve_scale(color="independent")
    return _finish(chart.properties(width=alt.Step(side), height=alt.Step(side)), note, description)


def least_squares(places: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return slope and intercept of the least-squares line; None without two different x."""
    if len({x for x, _ in places}) < 2:
        return None
    mean_x, mean_y = (math.fsum(column) / len(places) for column in zip(*places, strict=True))
    products = math.fsum((x - mean_x) * (y - mean_y) for x, y in places)
    slope = products / math.fsum((x - mean_x) ** 2 for x, _ in places)
    return slope, mean_y - slope * mean_x


def _subtitle(scale: float, lower_is_better: bool) -> str:
    """Return the subtitle of a metric's panel."""
    return ", ".join([f"times {scale:g}"] * (scale != 1) + ["lower is better"] * lower_is_better)


def _require_rows(rows: Iterable[Row]) -> list[Row]:
    rows = list(rows)
    if not rows:
        raise InputError("there is nothing to draw: a chart needs at least one row")
    return rows


def _dot(row: Row, systems: Mapping[str, str], scale: float) -> dict[str, Any]:
    name = str(row["system"])
    numbers = {key: _finite(row.get(key), scale) for key in ("score", "low", "high")}
    if numbers["score"] is None:
        numbers = dict.fromkeys(numbers)  # no interval without a score
    return {"system": sanitize(name), "label": systems[name], **numbers}


def _finite(value: Any, scale: float = 1) -> float | None:
    """Return a scaled number, or None if it is missing or not finite."""
    return float(value) * scale if value is not None and math.isfinite(value) else None


def _domain(values: Iterable[float | None], log: bool = False) -> list[float]:
    """Return the range of the values with a margin at both ends."""
    finite = [value for value in values if value is not None] or [0.5 if log else 0.0]
    low, high = min(finite), max(finite)
    if log:
        margin = (high / low) ** MARGIN if high > low else 1.5
        return [low / margin, high * margin]
    margin = MARGIN * (high - low) or 0.1 * abs(high) or 1.0
    return [low - margin, high + margin]


def _stops(domain: tuple[float, float], count: int) -> list[float]:
    return [domain[0] + (domain[1] - domain[0]) * i / (count - 1) for i in range(count)]


def _finish(chart: Any, note: str, description: str) -> Any:
    """Add the note below, the description for screen readers, and the style."""
    if note:
        title = {"text": _readable_lines(note), "orient": "bottom", "frame": "bounds", "offset": 12}
        chart = chart.properties(
            title={**title, "fontWeight": "normal", "fontSize": look.TEXT_SIZE, "color": look.FAINT_INK}
        )
    if description:
        chart = chart.properties(description="\n".join(_readable_lines(description)))
    return chart.configure(**look.config())


def _readable_lines(text: str) -> list[str]:
    return [sanitize(line) for line in text.splitlines()]


BAR, WIDE_BAR = 22, 40  # pixels
FEW_BARS = 6
HEIGHT = 260
DEEP = ("#CFE3F1", look.MAIN, "#00263D")  # light for the first part, dark for the last
SEPARATE = "#C9C9C9"


def stacks(
    rows: Iterable[Row],
    *,
    title: str,
    x_title: str,
    y_title: str,
    separate: str = "",
) -> alt.LayerChart:
    """Draw one stacked bar per x, with its parts in order of first appearance; the part `separate` is gray.

    Rows have `part`, `x` and `y`, a share from 0 to 1.
    """
    alt, rows = import_altair(), _require_rows(rows)
    parts = list(dict.fromkeys(str(row["part"]) for row in rows))
    deep = [part for part in parts if part != separate]
    shades = {part: look.blend(DEEP, i / max(1, len(deep) - 1)) for i, part in enumerate(deep)} | {separate: SEPARATE}
    values: list[dict[str, Any]] = [
        {"x": row["x"], "part": sanitize(str(row["part"])), "y": _finite(row["y"]), "place": parts.index(row["part"])}
        for row in rows
    ]
    bar = WIDE_BAR if len({row["x"] for row in rows}) <= FEW_BARS else BAR
    domain = [sanitize(part) for part in reversed(parts)]
    color = alt.Color("part:N").scale(domain=domain, range=[shades[part] for part in reversed(parts)])
    y = alt.Y("y:Q").stack("zero").title(sanitize(y_title)).axis(format="%", domain=False, ticks=False, tickCount=6)
    chart = alt.Chart(alt.Data(values=values)).mark_bar(stroke="white", strokeWidth=0.5)
    chart = chart.encode(
        x=alt.X("x:O").title(sanitize(x_title)).axis(labelAngle=0, ticks=False).scale(paddingInner=0.12),
        y=y.scale(domain=[0, 1], nice=False),
        color=color.legend(title=None),
        order=alt.Order("place:Q"),
        tooltip=[alt.Tooltip("x:O"), alt.Tooltip("part:N"), alt.Tooltip("y:Q", format=".1%")],
    )
    chart = chart.properties(width=alt.Step(bar), height=HEIGHT, title=alt.Title(wrap_title(title)))
    return _finish(alt.layer(chart), "", "")


def arrange(charts: Sequence[Sequence[Any]], note: str = "", description: str = "") -> alt.VConcatChart:
    """Arrange charts in rows; each chart keeps its colors, axes and legend."""
    alt = import_altair()

    def bare(chart: Any) -> Any:
        copy = chart.copy()
        copy.config, copy.description = alt.Undefined, alt.Undefined  # the arrangement has both
        return copy

    rows = [alt.hconcat(*map(bare, row), spacing=40) for row in charts]
    independent = dict.fromkeys(("color", "shape", "strokeDash", "x", "y"), "independent")
    together = alt.vconcat(*(row.resolve_scale(**independent) for row in rows), spacing=24).resolve_scale(**independent)
    return _finish(together, note, description)
