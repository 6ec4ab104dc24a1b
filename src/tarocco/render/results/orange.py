"""ORANGE as tables: the paper's layout, ranks per list, and flat tables for programs."""

from __future__ import annotations

from tarocco.meta.orange.results import Orange, OrangeResult
from tarocco.render.tables import Table, number_or_dash, percent, separated


def orange_table(result: OrangeResult, width: int | None = None) -> Table:
    """Return the table of Lin and Och (2004), the best metric first; metrics that equal it are marked."""
    confidence = f"{100 * result.metrics[0].interval.confidence:g}%-CI"
    digits = 1 if width is None else width

    def row(metric: Orange) -> tuple[str, ...]:
        ranks = (metric.average_rank, metric.interval.low, metric.interval.high)
        share = percent(metric.orange, 2 if width is None else width)
        return (metric.metric, share, *(number_or_dash(rank, f".{digits}f") for rank in ranks), result.mark(metric))

    return Table(
        ("Method", "ORANGE", "Avg Rank", f"{confidence}-L", f"{confidence}-U", "as best"),
        tuple(map(row, result.metrics)),
        best=frozenset(
            (r, c) for r, metric in enumerate(result.metrics) if metric.equivalent_to_best for c in range(2)
        ),
    )


def ranks_table(result: OrangeResult) -> Table:
    """Return the ranks of the references: one row per list, one column per metric."""
    ranks = zip(*(metric.ranks.tolist() for metric in result.metrics), strict=True)
    rows = zip((result.segments + 1).tolist(), result.sizes.tolist(), ranks, strict=True)
    return Table(
        ("segment", "candidates", *result),
        tuple(
            (str(segment), str(size), *(number_or_dash(rank, "g") for rank in of_list))
            for segment, size, of_list in rows
        ),
    )


def separated_text(result: OrangeResult, level: str, delimiter: str) -> str:
    """Return one row per metric, per metric and list, or, if there are curves, per metric and length."""
    rows = result.ranks() if level == "segment" else result.curves() or result.rows()
    return separated(rows, delimiter)
