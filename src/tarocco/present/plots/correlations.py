"""Figures of correlations with people: of metrics, and of their leads over each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tarocco.errors import InputError
from tarocco.judge.agreed import CorrelateResult
from tarocco.present.correlations import TITLES
from tarocco.present.numbers import number_or_dash
from tarocco.present.plots.charts import dots, heat_map
from tarocco.present.plots.libraries import altair
from tarocco.present.plots.stacks import arranged
from tarocco.present.plots.text import lines

if TYPE_CHECKING:
    import altair as alt

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
        own = [one for one in result.leads if one.criterion == criterion]
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
