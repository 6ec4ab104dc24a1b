"""The figure of a search for metrics: which of them decide alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarocco.errors import InputError
from tarocco.judge.optimal import OptimizeResult
from tarocco.present.plots.charts import heat_map

if TYPE_CHECKING:
    import altair as alt


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
