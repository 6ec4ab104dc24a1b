"""IQeval's tables, as in the manual's Tables 2 and 3: columns below each other, four decimals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarocco.metrics.base import Floats


def number(value: float) -> str:
    """Four decimals; a score that does not exist is a dash."""
    return "-" if np.isnan(value) else f"{value:.4f}"


def matrix(corner: str, columns: Sequence[str], rows: Sequence[str], values: Floats) -> str:
    """`-O 0`: a row a system or segment, a column a metric. `values` is float64[rows, columns]."""
    cells = [[corner, *columns], *([row, *map(number, own)] for row, own in zip(rows, values.tolist(), strict=True))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in cells
    ]
    return "\n".join(lines) + "\n"


def rankings(corner: str, columns: Sequence[str], rows: Sequence[str], values: Floats) -> str:
    """`-O 1`: each column by itself, best first; what has no score is last."""
    lists = []
    for c, column in enumerate(columns):
        own = values[:, c]
        order = np.argsort(np.where(np.isnan(own), np.inf, -own), kind="stable")
        lists.append(matrix(corner, [column], [rows[i] for i in order], own[order][:, None]))
    return "\n".join(lists)


def with_segments(rows: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """S0:1, S0:2, ..., S1:1: the names of rows that are segments of systems."""
    return [f"{row}:{segment}" for row in rows for segment in numbers]
