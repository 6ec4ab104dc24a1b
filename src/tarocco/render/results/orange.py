"""ORANGE as tables: the paper's layout, ranks per list, and flat tables for programs."""

from __future__ import annotations

from typing import Any

from tarocco.meta.orange.results import ORANGE_MARGIN, Orange, OrangeResult, count_of
from tarocco.meta.support.segments import LEAST_UNITS
from tarocco.render.results import Presentation, show_tables
from tarocco.render.results.reasons import list_reasons
from tarocco.render.tables import Table, number_or_dash, percent, separated


def orange_table(result: OrangeResult, digits: int | None = None) -> Table:
    """Return the table of Lin and Och (2004), the best metric first, with chance levels and what was shown."""
    confidence = f"{100 * result.metrics[0].interval.confidence:g}%-CI"
    decimals = 1 if digits is None else digits

    def row(metric: Orange) -> tuple[str, ...]:
        ranks = (metric.average_rank, metric.interval.low, metric.interval.high)
        shares = (percent(share, 2 if digits is None else digits) for share in (metric.orange, metric.chance))
        numbers = (number_or_dash(rank, f".{decimals}f") for rank in ranks)
        return (metric.metric, *shares, *numbers, result.mark(metric), metric.status)

    return Table(
        ("Method", "ORANGE", "chance", "Avg Rank", f"{confidence}-L", f"{confidence}-U", "vs best", "status"),
        tuple(map(row, result.metrics)),
        best=frozenset({(0, 0), (0, 1)}),
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
    if len(result.segments) < LEAST_UNITS:
        lines.append(f"{count_of(len(result.segments), 'segment')}: too few to show anything; {LEAST_UNITS} are needed")
    longer, shorter = result.by_length
    return [
        *lines,
        "chance: expected ORANGE if every text of a list were equally likely to be a reference",
        "vs best: worse if the difference is significant, corrected for all pairs of metrics; otherwise open",
        f"output length alone has ORANGE {percent(longer, 2)} (longer is better) or {percent(shorter, 2)} (shorter)",
        "status: supported if shown to be better than chance, better than output length and within "
        f"{ORANGE_MARGIN:.2f} of the best metric, and if better than chance by {ORANGE_MARGIN:.2f}",
        *list_reasons({metric.metric: metric.reasons for metric in result.metrics}),
    ]
