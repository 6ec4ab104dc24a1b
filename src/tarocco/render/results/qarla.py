"""QARLA's results: QUEEN of systems, KING and JACK of sets of metrics, and the best set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tarocco.core.records import Interval
from tarocco.meta.qarla.king_support import KING_MARGIN
from tarocco.meta.qarla.results import (
    REDUNDANT_PHI,
    Jack,
    JackResult,
    King,
    KingResult,
    Kings,
    OptimizeResult,
    QueenResult,
    Redundancy,
    set_name,
)
from tarocco.render.results import Presentation, show_tables
from tarocco.render.results.reasons import list_reasons
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash, separated

DIGITS = 3
LISTED = 3  # a table names up to this many metrics of a set, and otherwise says how many there are
WIDE = 100  # columns of a terminal with room for all columns of the best set
OBJECTIVES = {"strict": "strict KING", "count": "KING"}


def _present(
    measure: str,
    result: QueenResult | KingResult | JackResult,
    records: Callable[[], list[dict[str, Any]]],
    rows: Callable[[], list[dict[str, Any]]],
    table: Callable[[], Table],
    notes: Callable[[], list[str]],
    digits: int | None,
    **settings: Any,
) -> Presentation:
    bed = result.setup
    return Presentation(
        measure,
        {"seed": bed.seed, "signatures": dict(bed.signatures), "notes": list(bed.notes)}
        | {"unit": bed.units.name, "n_units": bed.units.count, **settings},
        records,
        lambda delimiter: separated(rows(), delimiter),
        show_tables(lambda: [table()], notes),
        lambda: [number_or_dash(row[measure], f".{4 if digits is None else digits}f") for row in rows()],
        result.notes,
    )


# --- QUEEN -----------------------------------------------------------------------------------------------------------


def present_queens(result: QueenResult, level: str = "system", digits: int | None = None) -> Presentation:
    """Present QUEEN and ULC of systems or of segments."""
    by_segment = level == "segment"
    rows = result.segments if by_segment else result.rows
    table = queen_segments_table if by_segment else queen_table
    shown = partial(table, result, digits)
    return _present("queen", result, partial(result.to_dict, level), rows, shown, partial(queen_notes, result), digits)


def queen_table(result: QueenResult, digits: int | None = None) -> Table:
    """One row per system; the best of QUEEN and of ULC are marked."""
    rows = [
        (queen.system, _number(queen.queen, digits), _brackets(queen.interval, digits), _number(queen.ulc, digits))
        for queen in result
    ]
    best = set()
    for column, values in ((1, [queen.queen for queen in result]), (3, [queen.ulc for queen in result])):
        known = [value for value in values if value == value]
        if len(known) > 1:
            best |= {(row, column) for row, value in enumerate(values) if value == max(known)}
    header = ("system", "QUEEN", _percent(result.queens[0].interval), "ULC")
    return Table(header, tuple(rows), best=frozenset(best))


def queen_segments_table(result: QueenResult, digits: int | None = None) -> Table:
    """One row per segment and system. Segments are counted from 1."""
    rows = (
        (str(row["segment"]), row["system"], _number(row["queen"], digits), _number(row["ulc"], digits))
        for row in result.segments()
    )
    return Table(("segment", "system", "QUEEN", "ULC"), tuple(rows), labels=2)


def queen_notes(result: QueenResult) -> list[str]:
    return [
        *result.setup.signatures.values(),
        result.signature,
        "QUEEN: the share of samples in which a translation is at least as similar to a reference as two others are to "
        "each other, under every metric",
        f"{_percent(result.queens[0].interval)}: bootstrap interval over {result.setup.units}",
        "ULC: the mean of normalized scores, against all references",
    ]


# --- KING ------------------------------------------------------------------------------------------------------------


def present_kings(result: KingResult, by_reference: bool = False, digits: int | None = None) -> Presentation:
    """Present KING of sets of metrics, or per held-out reference."""
    rows = result.references if by_reference else result.rows
    table = king_references_table if by_reference else king_table
    records, shown = partial(result.to_dict, by_reference), partial(table, result, digits)
    return _present("king", result, records, rows, shown, partial(king_notes, result), digits, level=result.level)


def king_table(result: KingResult, digits: int | None = None) -> Table:
    """One row per set of metrics."""
    names = _names(result.sets)
    judged = any(king.status for king in result)
    rows = [
        (
            names[king.metrics],
            *(_number(king.king, digits), _brackets(king.interval, digits), _number(king.chance, digits)),
            *(_number(king.strict_king, digits), _brackets(king.strict_interval, digits)),
            _number(king.strict_chance, digits),
            *((king.status,) if judged else ()),
        )
        for king in result
    ]
    percent = _percent(result.sets[0].interval)
    header = ("metrics", "KING", percent, "chance", "strict KING", percent, "chance", *(("status",) if judged else ()))
    return Table(header, tuple(rows))


def king_references_table(result: KingResult, digits: int | None = None) -> Table:
    """One row per set of metrics and held-out reference."""
    names = _names(result.sets)
    rows = [
        (names[one.metrics], name, *(_number(value, digits) for value in (king, strict, king - strict)))
        for one in result
        for name, (king, strict) in one.by_reference.items()
    ]
    return Table(("metrics", "held out", "KING", "strict KING", "ties"), tuple(rows), labels=2)


def king_notes(result: KingResult) -> list[str]:
    what = {
        "segment": "segments and references in which the held-out reference is",
        "system": "held-out references that are on average",
    }
    names = _names(result.sets)
    lines = [
        *result.setup.signatures.values(),
        *dict.fromkeys(king.signature for king in result),
        f"KING: the share of {what[result.level]} at least as good as every system, by QUEEN; strict KING: better",
        f"{_percent(result.sets[0].interval)}: bootstrap intervals over {result.setup.units}",
        "chance: expected value if every text of a case were equally likely to be the reference",
    ]
    if not any(king.status for king in result):
        return lines
    length = ", better than output length" if result.length_segments is not None else ""
    return [
        *lines,
        f"status: supported if strict KING is shown to be better than chance{length} and within {KING_MARGIN:.2f} of "
        f"the best, and if better than chance by {KING_MARGIN:.2f}",
        *list_reasons({names[king.metrics]: king.reasons for king in result}),
    ]


# --- JACK ------------------------------------------------------------------------------------------------------------


def present_jacks(result: JackResult, by_reference: bool = False, digits: int | None = None) -> Presentation:
    """Present JACK of a test bed, or per reference."""
    rows = result.references if by_reference else result.rows
    table = jack_references_table if by_reference else jack_table
    records, shown = partial(result.to_dict, by_reference), partial(table, result, digits)
    return _present("jack", result, records, rows, shown, partial(jack_notes, result), digits)


def jack_table(result: JackResult, digits: int | None = None) -> Table:
    """One row per set of metrics."""
    names = _names(result.sets)
    rows = [
        (names[jack.metrics], _number(jack.jack, digits), _brackets(jack.interval, digits), _number(jack.close, digits))
        for jack in result
    ]
    return Table(("metrics", "JACK", _percent(result.sets[0].interval), "close"), tuple(rows))


def jack_references_table(result: JackResult, digits: int | None = None) -> Table:
    """One row per set of metrics and reference."""
    names = _names(result.sets)
    rows = [
        (names[jack.metrics], name, _number(value, digits))
        for jack in result
        for name, value in jack.by_reference.items()
    ]
    return Table(("metrics", "reference", "JACK"), tuple(rows), labels=2)


def jack_notes(result: JackResult) -> list[str]:
    return [
        *result.setup.signatures.values(),
        *dict.fromkeys(jack.signature for jack in result),
        "JACK: the share of segments and references with different translations around them",
        "close: the share of translations with QUEEN above zero; only these count as being around a reference",
        f"{_percent(result.sets[0].interval)}: bootstrap interval over {result.setup.units}",
    ]


# --- the best set ----------------------------------------------------------------------------------------------------


def present_best_set(
    result: OptimizeResult,
    digits: int | None = None,
    *,
    by_reference: bool = False,
    redundancy: bool = False,
    columns: int | None = None,
) -> Presentation:
    """Present the search for the best set of metrics; `columns` is the width of a terminal."""
    decimals = 4 if digits is None else digits

    def tables() -> list[Table]:
        shown = [metrics_table(result, decimals, columns)]
        if by_reference:
            shown.append(references_table(result, decimals))
        if redundancy and result.redundancy is not None:
            shown.append(redundancy_table(result.redundancy, columns))
        return shown

    cross = result.cross_validation
    kings = [*result_kings(result), *(cross.kings if cross else ())]
    return Presentation(
        "optimize",
        {
            "seed": result.seed,
            "method": result.search.method,
            "ties": result.search.ties,
            "n_segments": result.chosen.n_segments,
            "notes": list(result.notes),
        },
        lambda: result.to_dict(by_reference),
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(tables, lambda: best_set_notes(result, decimals, redundancy)),
        lambda: [f"{value:.{decimals}f}" for value in kings],
        result.notes,
    )


def metrics_table(result: OptimizeResult, digits: int, columns: int | None = None) -> Table:
    """One row per metric: those of the set in the order of their addition, then the others.

    A narrow terminal shows only the kind of KING that was maximized, and not the loss without a metric.
    """
    column = 1 if result.search.ties == "strict" else 0
    form = f".{digits}f"
    rows = []
    for candidate in result.candidates:
        lost = (
            None
            if candidate.without is None or candidate.after is None
            else candidate.without[column] - result_kings(result)[column]
        )
        rows.append(
            (
                NO_NUMBER if candidate.step is None else str(candidate.step),
                candidate.metric,
                *(number_or_dash(value, form) for value in candidate.alone),
                *(number_or_dash(value, form) for value in candidate.after or (None, None)),
                _change(None if candidate.adds is None else candidate.adds[column], digits),
                _change(lost, digits),
                *(() if candidate.folds is None else (str(candidate.folds),)),
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


def _change(value: float | None, digits: int) -> str:
    """Return a number with its sign; zero has none."""
    rounded = None if value is None else round(value, digits) + 0.0  # no -0
    return number_or_dash(rounded, f"{'+' if rounded else ''}.{digits}f")


def result_kings(result: OptimizeResult) -> Kings:
    """Return KING and strict KING of the set."""
    return result.chosen.king, result.chosen.strict_king


def references_table(result: OptimizeResult, digits: int) -> Table:
    """One row per held-out reference: the set's KING and strict KING, also on unseen segments."""
    cross = result.cross_validation
    header = ("reference held out", "KING", "strict", *(("unseen KING", "unseen strict") if cross else ()))
    rows = []
    for name, kings in result.chosen.by_reference.items():
        values = (*kings, *(cross.by_reference[name] if cross else ()))
        rows.append((name, *(number_or_dash(value, f".{digits}f") for value in values)))
    return Table(header, tuple(rows))


def redundancy_table(alike: Redundancy, columns: int | None = None) -> Table:
    """The matrix of phi in hundredths, below its diagonal; on a narrow terminal, the most similar metric of each."""
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
    """One row per metric: the metric with the most similar decisions."""
    rows = []
    for i, name in enumerate(alike.metrics):
        others = [(value, -j) for j, value in enumerate(alike.phi[i].tolist()) if j != i and value == value]
        phi, j = max(others, default=(None, 0))
        rows.append((name, NO_NUMBER if phi is None else alike.metrics[-j], number_or_dash(phi, ".2f")))
    return Table(("metric", "decides most like", "phi"), tuple(rows), labels=2)


def best_set_notes(result: OptimizeResult, digits: int, redundancy: bool) -> list[str]:
    """Return the lines below the tables: the set, its KING, meanings of columns, signatures."""
    best, cross, search = result.chosen, result.cross_validation, result.search

    def write_kings(kings: Kings, intervals: tuple[Interval, Interval] | None = None) -> str:
        shown = []
        for name, value, interval in zip(("KING", "strict KING"), kings, intervals or (None, None), strict=True):
            ends = f" [{interval.low:.{digits}f}, {interval.high:.{digits}f}]" if interval else ""
            shown.append(f"{name} {number_or_dash(value, f'.{digits}f')}{ends}")
        return ", ".join(shown)

    searched = write_kings(result_kings(result), (best.interval, best.strict_interval))
    lines = [f"the set: {' '.join(best.metrics)}", f"on the segments of the search: {searched}"]
    if cross is None:
        lines.append("the search makes these numbers optimistic: --folds 10 shows by how much")
    else:
        lines += [
            f"on unseen segments ({len(cross.folds)} folds): {write_kings(cross.kings, cross.intervals)}",
            f"the best single metric on unseen segments: {write_kings(cross.best_single)}",
            "the first is optimistic, because the search maximized it; expect the second of such a set",
        ]
    objective = OBJECTIVES[search.ties]
    lines.append(
        f"KING, strict: of the metric alone; set's: of the set up to this step; adds: to {objective}; without: the "
        f"change of the set's {objective} if the metric is removed"
        + ("; folds: in how many it was chosen" if cross else "")
    )
    if redundancy and result.redundancy is not None:
        lines.append("decides like: phi times 100, over all translations and samples; similar metrics are neighbors")
        groups = "; ".join(" ".join(group) for group in result.redundancy.groups)
        lines.append(f"nearly the same (mean phi of {REDUNDANT_PHI:g} or more): {groups or 'none'}")
    return [*lines, best.signature, *(candidate.signature for candidate in result.path)]


# --- cells -----------------------------------------------------------------------------------------------------------


def _names(sets: Sequence[King | Jack]) -> Mapping[tuple[str, ...], str]:
    """Return the names of sets: their metrics, or "all 12 together" for a large set of all metrics."""
    every = {name for entry in sets for name in entry.metrics}
    return {
        entry.metrics: f"all {len(every)} together"
        if len(entry.metrics) == len(every) > LISTED and len(sets) > 1
        else set_name(entry)
        for entry in sets
    }


def _number(value: float | None, digits: int | None) -> str:
    return number_or_dash(value, f".{DIGITS if digits is None else digits}f")


def _brackets(interval: Interval, digits: int | None) -> str:
    low, high = _number(interval.low, digits), _number(interval.high, digits)
    return low if low == NO_NUMBER else f"[{low}, {high}]"


def _percent(interval: Interval) -> str:
    return f"{100 * interval.confidence:g}%"
