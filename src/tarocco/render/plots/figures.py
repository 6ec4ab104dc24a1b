"""Figures of results: scores, ORANGE, correlations, reference curves, redundancy of metrics."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tarocco.core.errors import InputError
from tarocco.core.records import Interval
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import OptimizeResult
from tarocco.meta.references.curves import Curve, ReferencesResult
from tarocco.meta.support.decision import SUCH
from tarocco.metrics.base import PENALTY
from tarocco.render.plots.charts import arrange, curves, dots, heat_map, stacks
from tarocco.render.plots.files import check_path, import_altair, write_chart
from tarocco.render.plots.style import wrap_title
from tarocco.render.results.correlate import TITLES
from tarocco.render.tables import number_or_dash
from tarocco.scoring.results import Result

if TYPE_CHECKING:
    import altair as alt

AnyChart: TypeAlias = "alt.ConcatChart | alt.VConcatChart | alt.LayerChart"
MAX_CURVES = 8  # more cannot be distinguished


def _dot(system: str, metric: str, score: float, interval: Interval) -> dict[str, Any]:
    return {"system": system, "metric": metric, "score": score, "low": interval.low, "high": interval.high}


def _explain_intervals(confidence: float) -> str:
    return f"Lines: {100 * confidence:g}% bootstrap intervals over segments"


def draw_orange(result: OrangeResult) -> alt.ConcatChart | alt.LayerChart:
    """Draw ORANGE by length of the list if the result has curves, or else one dot with interval per metric."""
    first = result.metrics[0]
    about = (
        f"ORANGE of {', '.join(result)}: {len(result.segments)} segments, lists of {first.n_best} candidates; "
        "lower is better"
    )
    signatures = [score.signature for score in result.metrics]
    if first.curve:
        shown = list(result)[:MAX_CURVES]
        left_out = list(result)[MAX_CURVES:]
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
    return dots(
        [
            _dot(metric.metric, "ORANGE", metric.orange, metric.orange_interval)
            for metric in result.metrics
            if metric.n_segments
        ],
        lower_is_better=["ORANGE"],
        scales={"ORANGE": 100},
        note=_explain_intervals(first.interval.confidence),
        description="\n".join([about, *signatures]),
    )


X_TITLE = "number of references"
BANDS = "Bands: one standard deviation over subsets of the references"


def draw_references(result: ReferencesResult) -> alt.LayerChart | alt.VConcatChart:
    """Draw one line per metric, with a band of one standard deviation over subsets.

    If the result has lower orders, each n-gram metric gets a row below with the lines of its orders and the
    contribution of each order to the score.
    """
    first = result.curves[0]
    about = f"{result.judged_by} of {', '.join(result)} with {first.points[0].size} to {first.most} references"
    description = "\n".join([about, *result.advice, *(curve.signature for curve in result.named_curves)])
    lines = _draw_lines(result, result.named_curves, BANDS, description)
    # The orders of a metric are so close that their bands would hide each other.
    rows = [[_draw_lines(result, orders, ""), *_draw_shares(orders[-1])] for orders in result.by_order()]
    return arrange([[lines], *rows], description=description) if rows else lines


def _draw_lines(result: ReferencesResult, shown: Sequence[Curve], note: str, description: str = "") -> alt.LayerChart:
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


def _draw_shares(curve: Curve) -> list[alt.LayerChart]:
    """Draw the contributions of orders, if the curve has them."""
    rows = [
        {"part": name if name == PENALTY else f"{name}-grams", "x": point.size, "y": share}
        for point in curve.points
        for name, share in point.shares.items()
    ]
    y_title = f"share of −ln {curve.metric}" if PENALTY in curve.points[0].shares else f"share of {curve.metric}"
    return [stacks(rows, title=curve.metric, x_title=X_TITLE, y_title=y_title, separate=PENALTY)] if rows else []


MATRICES_PER_ROW = 2


def draw_correlations(result: CorrelateResult) -> alt.ConcatChart:
    """Draw one panel per criterion, with one interval per metric in the order of the first criterion.

    The note lists the sentinels: drawn, they would stretch the axis until metrics cannot be distinguished.
    """
    question = result.design
    title = TITLES[question.coefficient]
    several = len(result.criteria) > 1
    rows = [
        _dot(score.metric, title + f": {score.criterion}" * several, result.value(score), score.interval)
        for score in result
        if not score.sentinel
    ]
    drawn = "systems and segments" if question.population == SUCH else "segments, for these systems only"
    notes = [f"Lines: {100 * question.confidence:g}% bootstrap intervals over {drawn}"]
    for criterion in result.criteria:
        sentinels = [
            f"{score.metric} {number_or_dash(result.value(score), '.3f')}"
            for score in result
            if score.sentinel and score.criterion == criterion
        ]
        notes.append(f"Not shown{f' ({criterion})' * several}: {', '.join(sentinels)}")
    return dots(rows, one_range=True, note="\n".join(notes), description=_describe(result, "Correlation"))


def draw_leads(result: CorrelateResult) -> alt.VConcatChart:
    """Draw one matrix per criterion: the p-value of each row's lead over each column, best metric first."""
    alt, question = import_altair(), result.design
    matrices = []
    for criterion in result.criteria:
        tests = [test for test in result.metric_comparisons if test.criterion == criterion]
        p_values = {(test.metric, test.other): test.p_holm for test in tests}
        tested = {name for pair in p_values for name in pair}
        names = [score.metric for score in result if score.criterion == criterion and score.metric in tested]
        if names:
            matrix = heat_map(
                names,
                [[p_values.get((name, other)) for other in names] for name in names],
                domain=(2 * question.alpha, 0.0),
                digits=3,
                missing="",
                legend="p",
            )
            matrices.append(matrix.properties(title=alt.Title(wrap_title(criterion))))
    if not matrices:
        raise InputError("there is nothing to draw: no two metrics have a correlation")
    notes = [
        "p-values of each row's lead over each column, with Holm's correction",
        f"Significant: up to {question.alpha:g}; white: from {2 * question.alpha:g}",
    ]
    left_out = [score.metric for score in result if math.isnan(result.value(score))]
    if left_out:
        notes.append(f"Not shown, without a correlation: {', '.join(dict.fromkeys(left_out))}")
    rows = [matrices[i : i + MATRICES_PER_ROW] for i in range(0, len(matrices), MATRICES_PER_ROW)]
    return arrange(rows, note="\n".join(notes), description=_describe(result, "Leads in the correlation"))


def _describe(result: CorrelateResult, what: str) -> str:
    names = ", ".join(dict.fromkeys(score.metric for score in result))
    about = f"{what} of {names} with people at {result.design.level} level"
    return "\n".join([about, *(score.signature for score in result)])


def draw_redundancy(result: OptimizeResult) -> alt.LayerChart:
    """Draw a matrix of phi coefficients, similar metrics next to each other; chosen metrics show their step."""
    redundancy = result.redundancy
    if redundancy is None:
        raise InputError("a figure of optimize shows the redundancy of metrics: call it with redundancy=True")
    steps = {score.metric: score.step for score in result.path}
    names = [f"{name} ({steps[name]})" if name in steps else name for name in redundancy.metrics]
    return heat_map(
        names,
        redundancy.phi.tolist(),
        domain=(0.0, 1.0),
        legend="phi",
        note="How similarly metrics decide, corrected for chance; in brackets: metrics of the set, by step",
        description="\n".join([f"How similarly {', '.join(redundancy.metrics)} decide", result.chosen.signature]),
    )


def draw_scores(result: Result) -> alt.ConcatChart:
    """Draw one panel per metric, with one dot per system and its interval."""
    metrics = {str(score.metric): score.metric for score in result.scores}
    systems = dict.fromkeys(score.system for score in result.scores)
    interval = next((score.interval for score in result.scores if score.interval), None)
    note = _explain_intervals(interval.confidence) if interval else ""
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


DRAWINGS: dict[type, Callable[[Any], AnyChart]] = {
    Result: draw_scores,
    OrangeResult: draw_orange,
    CorrelateResult: draw_correlations,
    ReferencesResult: draw_references,
    OptimizeResult: draw_redundancy,
}


def figure(
    result: Result | OrangeResult | CorrelateResult | ReferencesResult | OptimizeResult,
    path: str | os.PathLike[str] | None = None,
    *,
    pairs: bool = False,
) -> AnyChart:
    """Return the figure of a result as an Altair chart, and write it if a path is passed.

    - `score`: one panel per metric, with one dot per system and its interval
    - `orange`: curves by length of the list, or one dot per metric if there are none
    - `correlate`: one dot per metric, or with `pairs` the p-value of each metric's lead over each other
    - `references`: one line per metric by number of references, and the contributions of n-gram orders
    - `optimize` with `redundancy`: a matrix of how similarly metrics decide

    The chart displays itself in a notebook. Scores have the scale of tables (BLEU times 100).

    Parameters
    ----------
    result
        What one of these functions returned.
    path
        A file that ends in .html, .svg, .png, .pdf or .json.
    pairs
        Whether to draw pairs of metrics, for a result of `correlate`.
    """
    draw = next((draw for kind, draw in DRAWINGS.items() if isinstance(result, kind)), None)
    if draw is None:
        raise InputError(
            f"expected a result of score, orange, correlate, references or optimize, found a {type(result).__name__}"
        )
    if pairs and not isinstance(result, CorrelateResult):
        raise InputError("pairs=True needs a result of correlate")
    if path is not None:
        check_path(path)
    chart: AnyChart = draw_leads(result) if isinstance(result, CorrelateResult) and pairs else draw(result)
    if path is not None:
        write_chart(chart, path)
    return chart
