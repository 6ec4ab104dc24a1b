"""QUEEN, KING and JACK as tables: a row a system, a set of metrics, or a reference held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tarocco.core.records import Interval
from tarocco.meta.qarla.results import Jack, JackResult, King, KingResult, QarlaSetup, QueenResult, set_name
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash

DIGITS = 3
LISTED = 3  # metrics of a set that a table names; of more it says how many


def envelope(bed: QarlaSetup) -> dict[str, Any]:
    """What stands beside the results in JSON."""
    return {"seed": bed.seed, "signatures": dict(bed.signatures), "notes": list(bed.notes)}


def lines(numbers: Sequence[float | None], width: int | None) -> str:
    """Numbers alone, one a line."""
    form = f".{4 if width is None else width}f"
    return "".join(f"{number_or_dash(number, form)}\n" for number in numbers)


# --- QUEEN ---------------------------------------------------------------------------------------------------------


def queen_table(result: QueenResult, width: int | None = None) -> Table:
    """A row a system; the best of QUEEN and of ULC are marked."""
    rows = [
        (one.system, _number(one.queen, width), _between(one.interval, width), _number(one.ulc, width))
        for one in result
    ]
    best = set()
    for column, values in ((1, [one.queen for one in result]), (3, [one.ulc for one in result])):
        known = [value for value in values if value == value]
        if len(known) > 1:
            best |= {(row, column) for row, value in enumerate(values) if value == max(known)}
    header = ("system", "QUEEN", _percent(result.queens[0].interval), "ULC")
    return Table(header, tuple(rows), best=frozenset(best))


def queen_segments_table(result: QueenResult, width: int | None = None) -> Table:
    """A row a segment and system. Segments are counted from 1."""
    rows = (
        (str(row["segment"]), row["system"], _number(row["queen"], width), _number(row["ulc"], width))
        for row in result.segments()
    )
    return Table(("segment", "system", "QUEEN", "ULC"), tuple(rows), labels=2)


def queen_notes(result: QueenResult) -> list[str]:
    return [
        *result.setup.signatures.values(),
        result.signature,
        "QUEEN: the share of samples in which a translation is as near to a reference as two others are to each other, "
        "under every metric",
        f"{_percent(result.queens[0].interval)}: bootstrap interval over segments",
        "ULC: the mean of normalized scores, against all references",
    ]


# --- KING ----------------------------------------------------------------------------------------------------------


def king_table(result: KingResult, width: int | None = None) -> Table:
    """A row a set of metrics, as the result has them."""
    names = _names(result.sets)
    rows = [
        (
            names[one.metrics],
            *(_number(one.king, width), _between(one.interval, width)),
            *(_number(one.strict_king, width), _between(one.strict_interval, width)),
            _number(one.ties, width),
        )
        for one in result
    ]
    percent = _percent(result.sets[0].interval)
    return Table(("metrics", "KING", percent, "strict KING", percent, "ties"), tuple(rows))


def king_references_table(result: KingResult, width: int | None = None) -> Table:
    """A row a set of metrics and reference held out."""
    names = _names(result.sets)
    rows = [
        (names[one.metrics], name, *(_number(value, width) for value in (king, strict, king - strict)))
        for one in result
        for name, (king, strict) in one.by_reference.items()
    ]
    return Table(("metrics", "held out", "KING", "strict KING", "ties"), tuple(rows), labels=2)


def king_notes(result: KingResult) -> list[str]:
    what = {
        "segment": "segments and references in which the reference, held out, is",
        "system": "references that, held out, are on average",
    }
    return [
        *result.setup.signatures.values(),
        *dict.fromkeys(one.signature for one in result),
        f"KING: the share of {what[result.level]} at least as good as every system, by QUEEN; strict KING: better",
        "ties: the part of KING in which the best system is as good; at zero, too, where no text passes any test",
        f"{_percent(result.sets[0].interval)}: bootstrap intervals over segments",
    ]


# --- JACK ----------------------------------------------------------------------------------------------------------


def jack_table(result: JackResult, width: int | None = None) -> Table:
    """A row a set of metrics."""
    names = _names(result.sets)
    rows = [
        (names[one.metrics], _number(one.jack, width), _between(one.interval, width), _number(one.close, width))
        for one in result
    ]
    return Table(("metrics", "JACK", _percent(result.sets[0].interval), "close"), tuple(rows))


def jack_references_table(result: JackResult, width: int | None = None) -> Table:
    """A row a set of metrics and reference."""
    names = _names(result.sets)
    rows = [
        (names[one.metrics], name, _number(value, width)) for one in result for name, value in one.by_reference.items()
    ]
    return Table(("metrics", "reference", "JACK"), tuple(rows), labels=2)


def jack_notes(result: JackResult) -> list[str]:
    return [
        *result.setup.signatures.values(),
        *dict.fromkeys(one.signature for one in result),
        "JACK: the share of segments and references that are surrounded by different translations",
        "close: the share of translations with QUEEN above zero, which alone can surround a reference",
        f"{_percent(result.sets[0].interval)}: bootstrap interval over segments",
    ]


# --- cells ---------------------------------------------------------------------------------------------------------


def _names(sets: Sequence[King | Jack]) -> Mapping[tuple[str, ...], str]:
    """What sets are called: their metrics, or how many where one set is of all of them and they are many."""
    every = {name for one in sets for name in one.metrics}
    return {
        one.metrics: f"all {len(every)} together"
        if len(one.metrics) == len(every) > LISTED and len(sets) > 1
        else set_name(one)
        for one in sets
    }


def _number(value: float | None, width: int | None) -> str:
    return number_or_dash(value, f".{DIGITS if width is None else width}f")


def _between(interval: Interval, width: int | None) -> str:
    low, high = _number(interval.low, width), _number(interval.high, width)
    return low if low == NO_NUMBER else f"[{low}, {high}]"


def _percent(interval: Interval) -> str:
    return f"{100 * interval.confidence:g}%"
