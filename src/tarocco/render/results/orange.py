"""A trial by ORANGE as a table: the paper's for people, long ones for programs."""

from __future__ import annotations

from tarocco.meta.orange.results import Orange, OrangeResult
from tarocco.render.tables import Table, number_or_dash, percent, separated


def orange_table(result: OrangeResult, width: int | None = None) -> Table:
    """The layout of Lin and Och (2004), the best first; metrics that cannot be told from it are marked."""
    confidence = f"{100 * result.metrics[0].interval.confidence:g}%-CI"
    digits = 1 if width is None else width

    def row(one: Orange) -> tuple[str, ...]:
        ranks = (one.average_rank, one.interval.low, one.interval.high)
        share = percent(one.orange, 2 if width is None else width)
        return (one.metric, share, *(number_or_dash(rank, f".{digits}f") for rank in ranks), result.mark(one))

    return Table(
        ("Method", "ORANGE", "Avg Rank", f"{confidence}-L", f"{confidence}-U", "as best"),
        tuple(map(row, result.metrics)),
        best=frozenset((r, c) for r, one in enumerate(result.metrics) if one.equivalent_to_best for c in range(2)),
    )


def ranks_table(result: OrangeResult) -> Table:
    """A row a list, a column a metric: the rank of the references in it."""
    ranks = zip(*(one.ranks.tolist() for one in result.metrics), strict=True)
    rows = zip((result.segments + 1).tolist(), result.sizes.tolist(), ranks, strict=True)
    return Table(
        ("segment", "candidates", *result),
        tuple((str(segment), str(size), *(number_or_dash(rank, "g") for rank in own)) for segment, size, own in rows),
    )


def separated_text(result: OrangeResult, level: str, delimiter: str) -> str:
    """One row a metric, or a metric and list, or, where there are curves, a metric and length; with a header."""
    rows = result.ranks() if level == "segment" else result.curves() or result.rows()
    return separated(rows, delimiter)
