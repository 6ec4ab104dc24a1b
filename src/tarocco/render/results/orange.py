"""ORANGE as tables: the paper's layout, ranks per list, and flat tables for programs."""

from __future__ import annotations

from typing import Any

from tarocco.meta.orange.results import Orange, OrangeResult
from tarocco.render.results import Presentation, show_tables
from tarocco.render.tables import Table, number_or_dash, percent, separated


def orange_table(result: OrangeResult, digits: int | None = None) -> Table:
    """Return the table of Lin and Och (2004), the best metric first; metrics that equal it are marked."""
    confidence = f"{100 * result.metrics[0].interval.confidence:g}%-CI"
    decimals = 1 if digits is None else digits

    def row(metric: Orange) -> tuple[str, ...]:
        ranks = (metric.average_rank, metric.interval.low, metric.interval.high)
        share = percent(metric.orange, 2 if digits is None else digits)
        return (metric.metric, share, *(number_or_dash(rank, f".{decimals}f") for rank in ranks), result.mark(metric))

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


def present_orange(result: OrangeResult, level: str, digits: int | None = None, **settings: Any) -> Presentation:
    """Present ORANGE of each metric, or at the level "segment" the ranks in each list."""
    by_list = level == "segment"
    decimals = 2 if digits is None else digits

    def lines() -> list[str]:
        in_order = sorted(result.values(), key=lambda metric: metric.place)  # of the options, for scripts
        return [number_or_dash(100 * metric.orange, f".{decimals}f") for metric in in_order]

    about = {"left_out": dict(result.left_out), "found": dict(result.counts)}
    if by_list:
        about["segments"] = (result.segments + 1).tolist()
    return Presentation(
        "orange",
        settings | about,
        lambda: result.to_dict(level),
        lambda delimiter: separated_text(result, level, delimiter),
        show_tables(
            lambda: [ranks_table(result) if by_list else orange_table(result, digits)], lambda: footnotes(result)
        ),
        lines,
        result.notes,
    )


def footnotes(result: OrangeResult) -> list[str]:
    """Return the lines below a table: what was ranked, signatures, the meaning of marks."""
    interval = result.metrics[0].interval
    lines = [
        f"{result.about}; the lower ORANGE, the better the metric",
        *(metric.signature for metric in result.metrics),
        f"{100 * interval.confidence:g}%-CI: bootstrap interval of the average rank over segments, "
        f"{interval.n_resamples} resamples, seed {interval.seed}",
    ]
    if len(result.segments) == 1:
        lines.append("only one segment: intervals are meaningless, and no metric can be distinguished from another")
    elif any(metric.equivalent_to_best for metric in result.metrics[1:]):
        lines.append("=: the interval of the difference from the best metric, over the same resamples, contains zero")
    return lines
