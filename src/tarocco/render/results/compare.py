"""A comparison of systems as a table: scores, and marks where a difference is more than luck."""

from __future__ import annotations

from dataclasses import replace

from tarocco.meta.significance.compare import CompareResult
from tarocco.render.results.score import corpus_table, number
from tarocco.render.tables import NO_NUMBER, Table

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def compare_table(result: CompareResult, width: int | None = None) -> Table:
    """A row a system, a column a metric; below it, where there is a baseline, the p-value of each difference.

    Against a baseline a star marks a significant difference. With all pairs each system has a letter, and a number has
    the letters of the systems that it is significantly better than.
    """
    table = corpus_table(result.scores, width)
    names = [row[0] for row in table.rows]
    marks: dict[tuple[int, int], str] = {}
    for one in result.differences:
        if one.significant:
            column = table.header.index(one.metric)
            winner, loser = (one.system, one.baseline) if one.better else (one.baseline, one.system)
            row = names.index(winner if result.all_pairs else one.system)
            marks[row, column] = marks.get((row, column), "") + (letter(names, loser) if result.all_pairs else "*")
    if not result.all_pairs:
        return _with_p_values(table, result, marks)
    lettered = tuple((f"({letter(names, row[0])}) {row[0]}", *row[1:]) for row in table.rows)
    ordered = {place: "".join(sorted(mark)) for place, mark in marks.items()}
    return replace(table, rows=lettered, marks=ordered)


def _with_p_values(table: Table, result: CompareResult, marks: dict[tuple[int, int], str]) -> Table:
    """A p-value beside each score."""
    by_place = {(one.system, one.metric): one for one in result.differences}
    rows = []
    for row in table.rows:
        cells = [row[0]]
        for metric, cell in zip(table.header[1:], row[1:], strict=True):
            one = by_place.get((row[0], metric))
            cells.append(cell if one is None else f"{cell} (p={one.p_holm:.4f})")
        rows.append(tuple(cells))
    return replace(table, rows=tuple(rows), marks=marks)


def letter(names: list[str], name: str) -> str:
    """The letter of a system: a for the first."""
    place = names.index(name)
    return LETTERS[place % 26] * (1 + place // 26)


def pairs_table(result: CompareResult, width: int | None = None) -> Table:
    """A row a metric and pair of systems, with everything that the test found."""
    by_name = {(score.system, str(score.metric)): score for score in result.scores.scores}
    rows = []
    for one in result.differences:
        score = by_name[one.system, one.metric]
        if one.detectable == float("inf"):
            detectable = NO_NUMBER
        elif "worse" in one.details:
            detectable = f"{one.detectable:.0f} segments"
        else:
            detectable = number(one.detectable, score, width)
        rows.append(
            (
                *(one.metric, one.baseline, one.system, number(one.difference, score, width)),
                *(f"{one.p_value:.4f}", f"{one.p_holm:.4f}", detectable),
                ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in one.details.items()),
            )
        )
    header = ("metric", "baseline", "system", "difference", "p", "p (Holm)", "detectable", "details")
    marks = {(r, 5): "*" for r, one in enumerate(result.differences) if one.significant}
    return Table(header, tuple(rows), labels=3, marks=marks)
