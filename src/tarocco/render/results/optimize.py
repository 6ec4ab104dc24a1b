"""A searched set of metrics as tables: how it was put together, by reference, and which metrics decide alike."""

from __future__ import annotations

from tarocco.core.records import Interval
from tarocco.meta.qarla.results import REDUNDANT_PHI, Kings, OptimizeResult, Redundancy
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash

NAMES = {"strict": "strict KING", "count": "KING"}


WIDE = 100  # columns of a terminal that has room for everything


def metrics_table(result: OptimizeResult, width: int, columns: int | None = None) -> Table:
    """A row a metric: those of the set step by step, then the others; by itself, and what it does for the set.

    On a narrow terminal there is what was searched for alone, and not what is lost without a metric.
    """
    column = 1 if result.search.ties == "strict" else 0
    form = f".{width}f"
    rows = []
    for one in result.candidates:
        lost = None if one.without is None or one.after is None else one.without[column] - result_kings(result)[column]
        rows.append(
            (
                NO_NUMBER if one.step is None else str(one.step),
                one.metric,
                *(number_or_dash(value, form) for value in one.alone),
                *(number_or_dash(value, form) for value in one.after or (None, None)),
                _change(None if one.adds is None else one.adds[column], width),
                _change(lost, width),
                *(() if one.folds is None else (str(one.folds),)),
            )
        )
    header = ("step", "metric", "KING", "strict", "set's KING", "set's strict", "adds", "without")
    folds = () if result.cross_validation is None else ("folds",)
    table = Table((*header, *folds), tuple(rows), labels=2)
    if columns is None or columns >= WIDE:
        return table
    kept = [0, 1, 2 + column, 4 + column, 6, *range(8, len(table.header))]
    heads = ("step", "metric", header[2 + column], "set's", "adds", *folds)
    return Table(heads, tuple(tuple(row[c] for c in kept) for row in rows), labels=2)


def _change(value: float | None, width: int) -> str:
    """With a sign, unless it is nothing."""
    rounded = None if value is None else round(value, width) + 0.0  # no -0
    return number_or_dash(rounded, f"{'+' if rounded else ''}.{width}f")


def result_kings(result: OptimizeResult) -> Kings:
    """KING and strict KING of the set."""
    return result.chosen.king, result.chosen.strict_king


def references_table(result: OptimizeResult, width: int) -> Table:
    """A row a reference that is held out: the set's KING and strict KING, also on segments that were not searched."""
    cross = result.cross_validation
    header = ("reference held out", "KING", "strict", *(("unseen KING", "unseen strict") if cross else ()))
    rows = []
    for name, kings in result.chosen.by_reference.items():
        values = (*kings, *(cross.by_reference[name] if cross else ()))
        rows.append((name, *(number_or_dash(value, f".{width}f") for value in values)))
    return Table(header, tuple(rows))


def redundancy_table(alike: Redundancy, columns: int | None = None) -> Table:
    """The matrix of phi, in hundredths, below its diagonal; on a terminal too narrow for it, each metric's nearest."""
    count = len(alike.metrics)
    numbers = tuple(map(str, range(1, count + 1)))
    if columns is not None and 5 * count + 4 + max(map(len, alike.metrics)) > columns:
        return nearest_table(alike)
    rows = []
    for i, name in enumerate(alike.metrics):
        below = (number_or_dash(100 * value, ".0f") for value in alike.phi[i, :i].tolist())
        rows.append((numbers[i], name, *below, *[""] * (count - i)))
    return Table(("", "decides like", *numbers), tuple(rows), labels=2, of="metric")


def nearest_table(alike: Redundancy) -> Table:
    """A row a metric: the one that decides most like it."""
    rows = []
    for i, name in enumerate(alike.metrics):
        others = [(value, -j) for j, value in enumerate(alike.phi[i].tolist()) if j != i and value == value]
        phi, j = max(others, default=(None, 0))
        rows.append((name, NO_NUMBER if phi is None else alike.metrics[-j], number_or_dash(phi, ".2f")))
    return Table(("metric", "decides most like", "phi"), tuple(rows), labels=2)


def numbers(result: OptimizeResult) -> list[float]:
    """KING and strict KING of the set, and then both on segments that were not searched."""
    cross = result.cross_validation
    return [*result_kings(result), *(cross.kings if cross else ())]


def footnotes(result: OptimizeResult, width: int, redundancy: bool) -> list[str]:
    """Below the tables: the set, what it is worth, what the columns are, signatures."""
    one, cross, search = result.chosen, result.cross_validation, result.search

    def told(kings: Kings, intervals: tuple[Interval, Interval] | None = None) -> str:
        shown = []
        for name, value, interval in zip(("KING", "strict KING"), kings, intervals or (None, None), strict=True):
            ends = f" [{interval.low:.{width}f}, {interval.high:.{width}f}]" if interval else ""
            shown.append(f"{name} {number_or_dash(value, f'.{width}f')}{ends}")
        return ", ".join(shown)

    lines = [
        f"the set: {' '.join(one.metrics)}",
        f"on the segments it was chosen by: {told(result_kings(result), (one.interval, one.strict_interval))}",
    ]
    if cross is None:
        lines.append(
            "a set that was searched for looks better than it is on the same segments: --folds 10 tells how much"
        )
    else:
        lines += [
            f"on segments not seen by the search ({len(cross.folds)} folds): {told(cross.kings, cross.intervals)}",
            f"the best single metric, on segments not seen: {told(cross.best_single)}",
            "the first is optimistic, since the set was chosen by it; the second is what to expect of such a set",
        ]
    what = NAMES[search.ties]
    lines.append(
        f"KING, strict: of the metric alone; set's: with all up to this step; adds: to {what}; without: what {what} of "
        f"the set changes by if it is taken out" + ("; folds: how often it was chosen" if cross else "")
    )
    if redundancy and result.redundancy is not None:
        lines.append("decides like: phi, times 100, over all systems' translations and samples; neighbors decide alike")
        groups = "; ".join(" ".join(group) for group in result.redundancy.groups)
        lines.append(f"nearly the same (phi of {REDUNDANT_PHI:g} or more on average): {groups or 'none'}")
    own = [candidate.signature for candidate in result.path]
    return [*lines, one.signature, *own]
