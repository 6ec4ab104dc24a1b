"""Scores of systems, and the significance of their differences."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol

from tarocco.io.tables import write_rows
from tarocco.render.results import Presentation, scale_note, show_tables
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash, separated, write_details

if TYPE_CHECKING:
    from tarocco.meta.significance.compare import CompareResult
    from tarocco.meta.significance.paired_tests import SystemGroups
    from tarocco.metrics.base import Metric
    from tarocco.scoring.results import Result, Score

LEVELS = ("corpus", "document", "segment")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class OfMetric(Protocol):
    """A result about one metric."""

    @property
    def metric(self) -> Metric: ...


def digits_of(scale: float, digits: int | None = None) -> int:
    """Return the decimal places of a table: `digits`, or two for scores that are shown times 100, else four."""
    return digits if digits is not None else 2 if scale == 100 else 4


def number(value: float, score: OfMetric, digits: int | None) -> str:
    """Return a number as tables show it, on the metric's printed scale."""
    return number_or_dash(value * score.metric.scale, f".{digits_of(score.metric.scale, digits)}f")


# --- scores ----------------------------------------------------------------------------------------------------------


def present_scores(
    result: Result, level: str = "corpus", digits: int | None = None, verbose: bool = False, **settings: Any
) -> Presentation:
    """Present the scores of systems; `settings` go into JSON."""

    def table() -> Table:
        return corpus_table(result, digits) if level == "corpus" else parts_table(result, level, digits)

    def lines() -> list[str]:
        if level == "corpus":
            return [number(score.score, score, digits) for score in result.scores]
        cells = table()
        return [cell for row in cells.rows for cell in row[cells.labels :]]

    return Presentation(
        "score",
        settings,
        lambda: result.to_dict(level),
        lambda delimiter: separated_text(result, level, delimiter),
        show_tables(lambda: [table()], lambda: score_footnotes(result, level, verbose)),
        lines,
        unseen_types(result),
    )


def unseen_types(result: Result) -> list[str]:
    """Return a note for each linguistic metric whose type of element occurs in no text."""
    seen: dict[Metric, bool] = {}
    for score in result.scores:
        has_elements = not math.isnan(score.score) or score.details.get("segments") != 0
        seen[score.metric] = seen.get(score.metric, False) or has_elements
    names = [str(metric) for metric, any_text in seen.items() if not any_text]
    return [
        f"{name} has no score, because no text has the elements that it compares; `tarocco metrics {name[:2]} --seen "
        "FILE` lists the types in a text"
        for name in names
    ]


def score_footnotes(result: Result, level: str, verbose: bool = False) -> list[str]:
    """Return the lines below a table: details, signatures, the printed scale, and the kind of interval."""
    lines = []
    if verbose:
        details = [score for score in result.scores if score.details]
        lines += [f"{score.system}, {score.metric}: {write_details(score.details)}" for score in details]
    lines += dict.fromkeys(score.signature for score in result.scores)
    lines += scale_note(str(score.metric) for score in result.scores if score.metric.scale != 1)
    interval = next((score.interval for score in result.scores if score.interval), None)
    if interval and level == "corpus":
        lines.append(
            f"in brackets: {100 * interval.confidence:g}% bootstrap interval over segments, "
            f"{interval.n_resamples} resamples, seed {interval.seed}"
        )
    return lines


def _cell(score: Score, digits: int | None) -> str:
    text = number(score.score, score, digits)
    if score.interval is None:
        return text
    low, high = (number(end, score, digits) for end in (score.interval.low, score.interval.high))
    return f"{text} [{low}, {high}]"


def _by_system(result: Result) -> dict[str, list[Score]]:
    systems: dict[str, list[Score]] = {}
    for score in result.scores:
        systems.setdefault(score.system, []).append(score)
    return systems


def corpus_table(result: Result, digits: int | None = None) -> Table:
    """One row per system, one column per metric; with several systems, the best of each column is marked."""
    systems = _by_system(result)
    metrics = [score.metric for score in next(iter(systems.values()))]
    best = set()
    for column, metric in enumerate(metrics):
        values = [scores[column].score for scores in systems.values()]
        better = min if metric.kind == "error" else max
        known = [value for value in values if not math.isnan(value)]
        if known and len(values) > 1:
            best |= {(row, column + 1) for row, value in enumerate(values) if value == better(known)}
    return Table(
        ("system", *map(str, metrics)),
        tuple((name, *(_cell(score, digits) for score in scores)) for name, scores in systems.items()),
        best=frozenset(best),
        of="metric",
    )


def parts_table(result: Result, level: str, digits: int | None = None) -> Table:
    """One row per document or segment and system, one column per metric. Segments are counted from 1."""
    systems = _by_system(result)
    parts = {name: [list(_parts(score, level)) for score in scores] for name, scores in systems.items()}
    metrics = [score.metric for score in next(iter(systems.values()))]
    count = len(next(iter(parts.values()))[0])
    rows = []
    for i in range(count):
        for name, scores in systems.items():
            label = parts[name][0][i][0]
            values = (number(columns[i][1], score, digits) for columns, score in zip(parts[name], scores, strict=True))
            rows.append((label, name, *values))
    return Table((level, "system", *map(str, metrics)), tuple(rows), labels=2, of="metric")


def _parts(score: Score, level: str) -> Iterator[tuple[str, float]]:
    """Yield the label and score of each document or segment."""
    if level == "document":
        return iter(score.documents.items())
    return ((str(i), value) for i, value in enumerate(score.segments.tolist(), start=1))


def separated_text(result: Result, level: str, delimiter: str) -> str:
    """Return one row per score, with a header, on the metric's natural scale; empty where there is no score."""
    out = io.StringIO()
    write_rows(out, _separated_rows(result, level), delimiter)
    return out.getvalue()


def _separated_rows(result: Result, level: str) -> Iterator[list[Any]]:
    if level == "corpus":
        fields = ["low", "high", "confidence", "n_resamples", "seed"] if any(s.interval for s in result.scores) else []
        yield ["system", "metric", "score", *fields, "signature"]
        for score in result.scores:
            interval = [_value(getattr(score.interval, name)) if score.interval else "" for name in fields]
            yield [score.system, str(score.metric), _value(score.score), *interval, score.signature]
    else:
        yield ["system", "metric", level, "score"]
        for score in result.scores:
            for label, value in _parts(score, level):
                yield [score.system, str(score.metric), label, _value(value)]


def _value(value: float) -> float | str:
    return "" if math.isnan(value) else value


# --- comparisons -----------------------------------------------------------------------------------------------------


def present_comparison(result: CompareResult, digits: int | None = None, pairs: bool = False) -> Presentation:
    """Present tests of differences between systems; with `pairs`, one row per pair of systems."""
    test = result.test
    decimals = 4 if digits is None else digits
    table = pairs_table if pairs else compare_table
    return Presentation(
        "compare",
        {"seed": test.seed, "test": test.name, "n_resamples": test.n_resamples, "alpha": test.alpha}
        | ({"groups": [asdict(groups) for groups in result.groups.values()]} if result.all_pairs else {}),
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(lambda: [table(result, digits)], lambda: compare_footnotes(result, pairs)),
        lambda: [f"{difference.p_holm:.{decimals}f}" for difference in result],
        result.notes,
    )


def compare_table(result: CompareResult, digits: int | None = None) -> Table:
    """One row per system, one column per metric, with marks for significant differences.

    Against a baseline, scores have p-values, and a star marks a significant difference. With all pairs, each system has
    a letter, and a score has the letters of the systems that it significantly exceeds.
    """
    table = corpus_table(result.scores, digits)
    names = [row[0] for row in table.rows]
    if not result.all_pairs:
        return _with_p_values(table, result)
    if len(names) > len(LETTERS):
        return _with_ranks(table, result)
    marks: dict[tuple[int, int], str] = {}
    for difference in result.differences:
        if difference.significant and difference.better is not None:
            winner, loser = (
                (difference.system, difference.baseline)
                if difference.better
                else (difference.baseline, difference.system)
            )
            place = names.index(winner), table.header.index(difference.metric)
            marks[place] = marks.get(place, "") + LETTERS[names.index(loser)]
    lettered = tuple((f"({LETTERS[i]}) {row[0]}", *row[1:]) for i, row in enumerate(table.rows))
    return replace(table, rows=lettered, marks={place: "".join(sorted(mark)) for place, mark in marks.items()})


def _with_ranks(table: Table, result: CompareResult) -> Table:
    """Add to each score the range of ranks that the tests allow; letters do not suffice for so many systems."""
    rows = []
    for row in table.rows:
        cells = [row[0]]
        for metric, cell in zip(table.header[1:], row[1:], strict=True):
            ranks = result.groups[metric].ranks[row[0]] if metric in result.groups else None
            cells.append(cell if ranks is None else f"{cell} [{ranks[0]}-{ranks[1]}]")
        rows.append(tuple(cells))
    return replace(table, rows=tuple(rows))


def _with_p_values(table: Table, result: CompareResult) -> Table:
    by_place = {(difference.system, difference.metric): difference for difference in result.differences}
    rows, marks = [], {}
    for r, row in enumerate(table.rows):
        cells = [row[0]]
        for c, (metric, cell) in enumerate(zip(table.header[1:], row[1:], strict=True), start=1):
            one = by_place.get((row[0], metric))
            if one is not None and one.significant:
                marks[r, c] = "*"
            cells.append(cell if one is None else f"{cell} (p={one.p_holm:.4f})")
        rows.append(tuple(cells))
    return replace(table, rows=tuple(rows), marks=marks)


def pairs_table(result: CompareResult, digits: int | None = None) -> Table:
    """One row per metric and pair of systems, with all numbers of the test."""
    by_name = {(score.system, str(score.metric)): score for score in result.scores.scores}
    several = any(difference.detectable_holm > difference.detectable for difference in result.differences)
    rows = []
    for difference in result.differences:
        score = by_name[difference.system, difference.metric]
        detectable = (difference.detectable, difference.detectable_holm) if several else (difference.detectable,)
        numbers = [
            NO_NUMBER if math.isnan(value) else number(value, score, digits)
            for value in (*difference.interval, *detectable)
        ]
        details = {name: value for name, value in difference.details.items() if value is not False}
        rows.append(
            (
                *(
                    difference.metric,
                    difference.baseline,
                    difference.system,
                    number(difference.difference, score, digits),
                ),
                f"[{numbers[0]}, {numbers[1]}]",
                *(
                    f"{difference.p_value:.4f}",
                    f"{difference.p_holm:.4f}" if difference.testable else "cannot be tested",
                ),
                *numbers[2:],
                f"{difference.differing} of {difference.units}",
                ", ".join(
                    name.replace("_", " ") + (f" {value:.4g}" if value is not True else "")
                    for name, value in details.items()
                ),
            )
        )
    effects = ("detectable", "of several") if several else ("detectable",)
    header = ("metric", "baseline", "system", "difference", "95%", "p", "p (Holm)", *effects, "differing", "details")
    shown = [i for i in range(len(header)) if header[i] != "details" or any(row[i] for row in rows)]
    marks = {(r, 6): "*" for r, difference in enumerate(result.differences) if difference.significant}
    return Table(
        tuple(header[i] for i in shown), tuple(tuple(row[i] for i in shown) for row in rows), labels=3, marks=marks
    )


def compare_footnotes(result: CompareResult, pairs: bool) -> list[str]:
    """Return the lines below a table: signatures, the printed scale, and the meaning of the marks."""
    first = {str(score.metric): score for score in result.scores.scores}
    lines = [result.signature(score) for score in first.values() if str(score.metric) not in result.untested]
    lines += scale_note(name for name, score in first.items() if score.metric.scale != 1)
    count = len(result.differences) // max(1, len(first) - len(result.untested))
    p_values = f"p-values with Holm's correction for {count} comparison{'s' * (count != 1)} per metric"
    if pairs:
        lines += [
            f"*: significant; {p_values}",
            "95%: confidence interval of the difference; differing: units in which the two systems differ",
            "detectable: the difference that this test would find significant with a probability of 80%"
            + (", alone and as one of several" if len(result.differences) > 1 else ""),
        ]
    elif result.all_pairs:
        if len({score.system for score in result.scores.scores}) > len(LETTERS):
            lines.append(f"in brackets: the ranks that the tests allow; {p_values}")
        else:
            lines.append(f"letters: significantly better than those systems; {p_values}")
        lines += [f"{metric}: {describe_groups(order)}" for metric, order in result.groups.items()]
    elif result.differences:
        lines.append(f"*: significantly different from {result.differences[0].baseline}; {p_values}")
    units = {f"{difference.units} {difference.unit}s" for difference in result.differences}
    lines += [f"independent units: {', '.join(sorted(units))}"] * bool(units)
    return lines


def describe_groups(order: SystemGroups) -> str:
    """Return groups of systems, best first: across ">" every system is significantly better than every other."""
    return " > ".join(f"[{', '.join(group)}]" if len(group) > 1 else group[0] for group in order.groups)
