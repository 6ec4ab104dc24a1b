"""Curves over the number of references as tables: means and spreads, every subset, contributions of orders."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tarocco.meta.references.curves import Curve, Point, ReferencesResult
from tarocco.render.results import Presentation, show_tables
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash, percent, separated


def tables_of(result: ReferencesResult, subsets: bool, digits: int) -> list[Table]:
    """Return the tables of a result: the metrics, then lower orders and their contributions."""
    if subsets:
        return [list_table(result, digits)]
    tables = [curves_table(result.named_curves, digits)]
    for curves in result.by_order():
        tables.append(curves_table(curves, digits))
        if curves[-1].points[0].shares:
            tables.append(shares_table(curves[-1]))
    return tables


def curves_table(curves: Sequence[Curve], digits: int) -> Table:
    """Return means and standard deviations over subsets: one row per number of references, one column per metric."""
    rows = [
        (str(points[0].size), str(len(points[0].values)), *(_mean(point, digits) for point in points))
        for points in zip(*(curve.points for curve in curves), strict=True)
    ]
    return Table(("references", "subsets", *(curve.metric for curve in curves)), tuple(rows))


def _mean(point: Point, digits: int) -> str:
    if math.isnan(point.mean):
        return NO_NUMBER
    spread = f" ±{point.std:.{digits}f}" if len(point.values) > 1 else " " * (digits + 4)
    return f"{point.mean:.{digits}f}{spread}"


def list_table(result: ReferencesResult, digits: int) -> Table:
    """Return the values: one row per subset, one column per metric."""
    rows = []
    for points in zip(*(curve.points for curve in result.curves), strict=True):
        for number, name in enumerate(points[0].subsets):
            rows.append(
                (str(points[0].size), name, *(number_or_dash(point.values[number], f".{digits}f") for point in points))
            )
    return Table(("references", "which", *result), tuple(rows), labels=2, of="metric")


def shares_table(curve: Curve) -> Table:
    """Return the shares of orders in percent: one row per number of references, one column per order."""
    parts = list(curve.points[0].shares)
    rows = [(str(point.size), *(percent(point.shares[name]) for name in parts)) for point in curve.points]
    heads = (f"{name}-grams" if name.isdecimal() else name for name in parts)
    return Table((f"shares of {curve.metric}", *heads), tuple(rows))


def footnotes(result: ReferencesResult) -> list[str]:
    """Return the lines below a table: what the numbers are, what they say, signatures."""
    judged = f"{result.judged_by}, mean over subsets of the references; {result.n_segments} segments"
    lower = "; the lower ORANGE, the better the metric" if result.curves[0].lower_is_better else ""
    spread = "; ±: standard deviation over subsets" if any(len(p.values) > 1 for p in result.curves[0].points) else ""
    return [
        judged + spread + lower,
        *result.advice,
        f"shown: {result.tested}" if result.tested else "nothing was tested at this level",
        *(curve.signature for curve in result.named_curves),
    ]


def present_references(
    result: ReferencesResult, digits: int | None = None, *, subsets: bool = False, seed: int
) -> Presentation:
    """Present curves over the number of references; with `subsets`, one row per subset."""
    decimals = 4 if digits is None else digits
    rows = result.subsets if subsets else result.rows
    key = "value" if subsets else "mean"
    return Presentation(
        "references",
        {"seed": seed, "judged_by": result.judged_by, "n_segments": result.n_segments}
        | {"unit": result.units.name, "n_units": result.units.count},
        lambda: result.to_dict(subsets),
        lambda delimiter: separated(rows(), delimiter),
        show_tables(lambda: tables_of(result, subsets, decimals), lambda: footnotes(result)),
        lambda: [number_or_dash(row[key], f".{decimals}f") for row in rows()],
        result.notes,
    )
