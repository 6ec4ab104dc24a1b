"""The figure of a result: scores, a trial, correlations, curves over references, metrics that decide alike."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tarocco.core.errors import InputError
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import OptimizeResult
from tarocco.meta.references.curves import Curve, ReferencesResult
from tarocco.metrics.base import PENALTY
from tarocco.render.plots.charts import arranged, curves, dots, heat_map, stacks
from tarocco.render.plots.files import altair, check_path, write_chart
from tarocco.render.plots.labels import lines
from tarocco.render.results.correlate import TITLES
from tarocco.render.tables import number_or_dash
from tarocco.scoring.results import Result

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


X_TITLE = "number of references"
BANDS = "Bands: one standard deviation over subsets of the references"


def references_chart(result: ReferencesResult) -> alt.LayerChart | alt.VConcatChart:
    """A line a metric, with a band of one standard deviation over subsets.

    Where the result has lower orders, there is a row below for each metric made of orders: the same lines for its
    orders, and what each order contributes to the score.
    """
    first = result.curves[0]
    about = f"{result.judged_by} of {', '.join(result)} with {first.points[0].size} to {first.most} references"
    description = "\n".join([about, *result.advice, *(curve.signature for curve in result.named_curves)])
    lines = _lines(result, result.named_curves, BANDS, description)
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


MATRICES_A_LINE = 2


def correlations_chart(result: CorrelateResult) -> alt.ConcatChart:
    """A panel a criterion, a line a metric in the order of the first criterion, with its interval.

    What knows nothing of quality is told below: drawn, it would stretch the axis until metrics cannot be told apart.
    """
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
        if not one.sentinel
    ]
    notes = [f"Lines: {100 * asked.confidence:g}% bootstrap intervals over segments"]
    for criterion in result.criteria:
        told = [
            f"{one.metric} {number_or_dash(result.value(one), '.3f')}"
            for one in result
            if one.sentinel and one.criterion == criterion
        ]
        notes.append(f"Not shown{f' ({criterion})' * several}: {', '.join(told)}")
    return dots(rows, one_range=True, note="\n".join(notes), description=_described(result, "Correlation"))


def leads_chart(result: CorrelateResult) -> alt.VConcatChart:
    """A matrix a criterion, the best metric first: the p-value of each row's lead over each column."""
    alt, asked = altair(), result.question
    matrices = []
    for criterion in result.criteria:
        own = [one for one in result.metric_comparisons if one.criterion == criterion]
        p_values = {(one.metric, one.other): one.p_holm for one in own}
        tested = {name for pair in p_values for name in pair}
        names = [one.metric for one in result if one.criterion == criterion and one.metric in tested]
        if names:
            matrix = heat_map(
                names,
                [[p_values.get((name, other)) for other in names] for name in names],
                domain=(2 * asked.alpha, 0.0),
                digits=3,
                missing="",
                legend="p",
            )
            matrices.append(matrix.properties(title=alt.Title(lines(criterion))))
    if not matrices:
        raise InputError("there is nothing to draw: no two metrics have a correlation")
    notes = [
        "p-values of each row's lead over each column, with Holm's correction",
        f"Significant: up to {asked.alpha:g}; white: from {2 * asked.alpha:g}",
    ]
    left_out = [one.metric for one in result if math.isnan(result.value(one))]
    if left_out:
        notes.append(f"Not shown, without a correlation: {', '.join(dict.fromkeys(left_out))}")
    rows = [matrices[i : i + MATRICES_A_LINE] for i in range(0, len(matrices), MATRICES_A_LINE)]
    return arranged(rows, note="\n".join(notes), description=_described(result, "Leads in the correlation"))


def _described(result: CorrelateResult, what: str) -> str:
    names = ", ".join(dict.fromkeys(one.metric for one in result))
    about = f"{what} of {names} with people at {result.question.level} level"
    return "\n".join([about, *(one.signature for one in result)])


def redundancy_chart(result: OptimizeResult) -> alt.LayerChart:
    """A matrix of phi coefficients, neighbors being alike; metrics of the set have their step behind their names."""
    alike = result.redundancy
    if alike is None:
        raise InputError("what is drawn of optimize is how alike metrics decide: ask for redundancy")
    steps = {one.metric: one.step for one in result.path}
    names = [f"{name} ({steps[name]})" if name in steps else name for name in alike.metrics]
    return heat_map(
        names,
        alike.phi.tolist(),
        domain=(0.0, 1.0),
        legend="phi",
        note="How alike metrics decide, corrected for chance; in brackets: metrics of the set, by step",
        description="\n".join([f"How alike {', '.join(alike.metrics)} decide", result.chosen.signature]),
    )


def figure(
    result: Result | OrangeResult | CorrelateResult | ReferencesResult | OptimizeResult,
    path: str | os.PathLike[str] | None = None,
    *,
    pairs: bool = False,
) -> alt.ConcatChart | alt.VConcatChart | alt.LayerChart:
    """A dot plot of corpus scores, one panel a metric, with intervals if the result has them.

    Of a trial by ORANGE it draws the curves, or if there are none a dot a metric; of correlations a dot a metric, or
    with `pairs` a matrix that shows which metric's lead over which is more than luck; of `tarocco.references` a line a
    metric over the number of references, and below what the orders of n-grams contribute if the result has that; of
    `tarocco.optimize` with `redundancy` a matrix that shows how alike metrics decide.

    The Altair chart that is returned shows itself in a notebook; with a path it is written as well, in the format that
    the path's suffix names: .html, .svg, .png, .pdf or .json. Scores are on the scale of tables (BLEU times 100).
    """
    if not isinstance(result, Result | OrangeResult | CorrelateResult | ReferencesResult | OptimizeResult):
        raise InputError(
            "there are figures of what score, orange, correlate, references and optimize return, "
            f"and none of a {type(result).__name__}"
        )
    if pairs and not isinstance(result, CorrelateResult):
        raise InputError("pairs of metrics are drawn of what correlate returns")
    if path is not None:
        check_path(path)
    chart: alt.ConcatChart | alt.VConcatChart | alt.LayerChart
    if isinstance(result, OrangeResult):
        chart = orange_chart(result)
    elif isinstance(result, CorrelateResult):
        chart = leads_chart(result) if pairs else correlations_chart(result)
    elif isinstance(result, ReferencesResult):
        chart = references_chart(result)
    elif isinstance(result, OptimizeResult):
        chart = redundancy_chart(result)
    else:
        chart = _dots(result)
    if path is not None:
        write_chart(chart, path)
    return chart


def _dots(result: Result) -> alt.ConcatChart:
    metrics = {str(score.metric): score.metric for score in result.scores}
    systems = dict.fromkeys(score.system for score in result.scores)
    interval = next((score.interval for score in result.scores if score.interval), None)
    note = f"Lines: {100 * interval.confidence:g}% bootstrap intervals over segments" if interval else ""
    about = f"Scores of {', '.join(systems)} by {', '.join(metrics)}"
    signatures = dict.fromkeys(score.signature for score in result.scores)
    if interval:
        about += f"\n{note}, {interval.n_resamples} resamples, seed {interval.seed}"
    return dots(
        result.rows(),
        lower_is_better=[name for name, metric in metrics.items() if metric.kind == "error"],
        scales={name: metric.scale for name, metric in metrics.items()},
        note=note,
        description="\n".join([about, *signatures]),
    )
