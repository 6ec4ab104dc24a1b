"""Choices by minimum Bayes risk as tables: what was gained, for people."""

from __future__ import annotations

import math

from tarocco.decode.mbr.results import CHOICE, FIRST, LatticeMbrResult, MbrResult
from tarocco.render.results.oracle import short
from tarocco.render.results.score import number
from tarocco.render.tables import Table, number_or_dash


def summary_table(result: MbrResult, width: int | None = None) -> Table:
    """The first candidates, the choices and, with references, the best there are: a row each."""

    def corpus(value: float, scale: float) -> str:
        return f"{scale * value:.{(1 if scale != 1 else 4) if width is None else width}f}"

    header = ("candidates", "mean rank", "utility", *(one.metric for one in result.gains))
    ranks = sum(one.rank for one in result.choices) / len(result)
    rows = [
        ("first of the list", "1.0", _utility(result.mean_first_utility, width)),
        ("MBR", f"{ranks:.1f}", _utility(result.mean_utility, width)),
    ]
    of_gains = [
        tuple(corpus(value, one.scale) for one, value in zip(result.gains, values, strict=True))
        for values in ([one.first for one in result.gains], [one.chosen for one in result.gains])
    ]
    table = [(*row, *more) for row, more in zip(rows, of_gains, strict=True)]
    for i, one in enumerate(result.gains):
        cells = [number_or_dash(None, "") for _ in result.gains]
        cells[i] = corpus(one.oracle, one.scale)
        table.append((f"best by {one.metric}", f"{one.oracle_rank:.1f}", number_or_dash(None, ""), *cells))
    return Table(header, tuple(table))


def choices_table(result: MbrResult, width: int | None = None) -> Table:
    """A row a list."""
    rows = (
        (
            *(str(one.segment + 1), f"{one.rank} of {one.n_candidates}"),
            *(_utility(value, width) for value in (one.utility, one.first_utility)),
            one.text,
        )
        for one in result.choices
    )
    return Table(("segment", "rank", "utility", "first's", "text"), tuple(rows))


def _utility(value: float, width: int | None) -> str:
    return number_or_dash(None if math.isnan(value) else value, f".{4 if width is None else width}f")


def paths_summary(result: LatticeMbrResult, width: int | None = None) -> Table:
    """The best paths by weight and the choices: a row each, with their gains and, with references, scores."""
    scores = () if result.scores is None else result.scores.scores
    rows = []
    for system, gain in ((FIRST, result.mean_first_gain), (CHOICE, result.mean_gain)):
        own = [number(score.score, score, width) for score in scores if score.system == system]
        rows.append((system, _utility(gain, width), *own))
    return Table(("paths", "gain", *dict.fromkeys(str(score.metric) for score in scores)), tuple(rows))


def paths_table(result: LatticeMbrResult, width: int | None = None) -> Table:
    """A row a lattice."""
    rows = (
        (str(one.segment + 1), short(one.text), *(_utility(value, width) for value in (one.gain, one.first_gain)))
        for one in result.choices
    )
    return Table(("segment", "MBR", "gain of MBR", "gain of 1-best"), tuple(rows), labels=2)
