"""The figure of a result: scores, a trial, correlations, curves over references, metrics that decide alike."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tarocco.errors import InputError
from tarocco.judge.agreed import CorrelateResult
from tarocco.judge.optimal import OptimizeResult
from tarocco.judge.reference_curves import ReferencesResult
from tarocco.judge.verdict import OrangeResult
from tarocco.present.plots.charts import dots
from tarocco.present.plots.correlations import correlations_chart, leads_chart
from tarocco.present.plots.files import check_path, write_chart
from tarocco.present.plots.optimize import redundancy_chart
from tarocco.present.plots.orange import orange_chart
from tarocco.present.plots.references import references_chart
from tarocco.results import Result

if TYPE_CHECKING:
    import altair as alt


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
