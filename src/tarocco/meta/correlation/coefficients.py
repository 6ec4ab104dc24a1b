"""Kendall's tau on resamples of the segments without sorting anew: a resample changes only how often points count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.kernels import kernel, statistics
from tarocco.metrics.base import Floats

Ints = NDArray[np.int64]

FEWEST = 3  # two points lie on a line whatever they are
VARIANTS = ("a", "b", "c")

EQUAL = 1e-12
_inversions = kernel(statistics, "count_inversions")


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's r."""
    return correlation("pearson", x, y)


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rho with ties: Pearson's r of the mid-ranks."""
    return correlation("spearman", x, y)


def kendall(x: Floats, y: Floats, variant: str = "b") -> float:
    """Kendall's tau: b as SciPy, corrected for ties; c for tables that are not square; a is not corrected."""
    if variant not in VARIANTS:
        raise BadParameter(f"the variant of Kendall's tau is a, b or c, not {variant!r}")
    return correlation("kendall" if variant == "b" else f"kendall-{variant}", x, y)


def correlation(coefficient: str, x: Floats, y: Floats) -> float:
    """One of COEFFICIENTS of two lists."""
    return float(correlations(coefficient, np.ravel(x)[None], np.ravel(y)[None])[0])


def undefined(x: Floats, y: Floats, names: tuple[str, str] = ("first", "second")) -> str | None:
    """Why the correlation of two lists does not exist, if it does not."""
    both = _paired(np.ravel(x), np.ravel(y))
    count = int(both.sum())
    if count < FEWEST:
        return f"{count} {'pair' if count == 1 else 'pairs'} of scores; a correlation needs at least {FEWEST}"
    constant = [name for name, side in zip(names, (x, y), strict=True) if _constant(np.ravel(side)[both])]
    if not constant:
        return None
    return "both sides are constant" if len(constant) == 2 else f"the {constant[0]} side is constant"


def correlations(coefficient: str, x: Floats, y: Floats) -> Floats:
    """The correlation of each row of x[rows, n] with the row of y[rows, n]; a single row goes with all of the other."""
    rows_of = COEFFICIENTS.get(coefficient)
    if rows_of is None:
        raise BadParameter(f"a correlation is one of {', '.join(COEFFICIENTS)}, not {coefficient!r}")
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) == 1:
        x, y = y, x
    whole = int(np.isfinite(y).sum()) if len(y) == 1 else -1  # a row that serves many is ranked once
    wide = np.broadcast_to(y, x.shape)
    both = _paired(x, wide)
    sizes = both.sum(axis=1)
    found = np.full(len(x), np.nan)
    for size in np.unique(sizes[sizes >= FEWEST]):
        chosen = np.flatnonzero(sizes == size)
        dense_x = _dense(x, both, chosen, size)
        dense_y = _dense(wide, both, chosen[:1] if size == whole else chosen, size)
        varied = ~(_constant(dense_x) | _constant(dense_y))
        if varied.any():
            found[chosen[varied]] = rows_of(dense_x[varied], dense_y[varied] if len(dense_y) > 1 else dense_y)
    return found


def _dense(side: Floats, both: NDArray[np.bool_], chosen: NDArray[np.intp], size: int) -> Floats:
    """float64[chosen, size]: these rows without what is missing."""
    if size == side.shape[1]:
        return side[chosen]
    return side[chosen][both[chosen]].reshape(-1, size)


def _paired(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Where both sides have a number; one that is infinite has no place on a line either."""
    there: NDArray[np.bool_] = np.isfinite(x) & np.isfinite(y)
    return there


def _constant(rows: Floats) -> NDArray[np.bool_]:
    highest, lowest = rows.max(axis=-1), rows.min(axis=-1)
    constant: NDArray[np.bool_] = highest - lowest <= EQUAL * np.maximum(np.abs(highest), np.abs(lowest))
    return constant


def _pearson(x: Floats, y: Floats) -> Floats:
    x, y = _standard(x), _standard(y)
    found: Floats = np.clip(np.einsum("ij,ij->i", x, y), -1.0, 1.0)
    return found


def _standard(rows: Floats) -> Floats:
    """Rows with mean 0 and length 1; scaled first, so that no square is lost below the smallest number."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def _spearman(x: Floats, y: Floats) -> Floats:
    return _pearson(mid_ranks(x), mid_ranks(y))


def mid_ranks(rows: Floats) -> Floats:
    """The ranks of each row from 1, the lowest; equal numbers share the mean of their ranks."""
    order = np.argsort(rows, axis=1, kind="stable")
    starts, sizes = _groups(np.take_along_axis(rows, order, axis=1))
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, starts + (sizes + 1) / 2, axis=1)
    return ranks


def _groups(ordered: Floats) -> tuple[Ints, Ints]:
    """For each place of sorted rows: where the run of equal numbers that it is in begins, and how long it is."""
    count, n = ordered.shape
    first = np.ones((count, n), bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    flat = np.flatnonzero(first)
    which = np.cumsum(first.ravel()) - 1
    sizes = np.diff(flat, append=count * n)
    return (flat % n)[which].reshape(count, n), sizes[which].reshape(count, n)


def _dense_ranks(rows: Floats) -> NDArray[np.int32]:
    """0, 1, 2, ... for the distinct numbers of each row, ascending."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    steps = np.zeros(rows.shape, np.int32)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=steps[:, 1:])
    ranks = np.empty(rows.shape, np.int32)
    np.put_along_axis(ranks, order, steps, axis=1)
    return ranks


def _kendall(variant: str) -> Callable[[Floats, Floats], Floats]:
    def tau(x: Floats, y: Floats) -> Floats:
        n = x.shape[1]
        ranks_x, ranks_y = _dense_ranks(x), _dense_ranks(y)
        joint = ranks_x * np.int64(n) + ranks_y
        order = np.argsort(joint, axis=1, kind="stable")
        moved = np.ascontiguousarray(np.take_along_axis(np.broadcast_to(ranks_y, x.shape), order, axis=1))
        discordant = np.empty(len(x), np.int64)
        _inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        pairs = n * (n - 1) // 2
        tied_x = _tied_pairs(np.sort(ranks_x, axis=1))
        tied_y = _tied_pairs(moved)
        tied_both = _tied_pairs(np.take_along_axis(joint, order, axis=1))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * discordant  # of concordant over discordant pairs
        classes = 1 + np.minimum(ranks_x.max(axis=1), ranks_y.max(axis=1)).astype(float)
        most = {
            "a": np.full(len(x), float(pairs)),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }
        found: Floats = np.clip(surplus / most[variant], -1.0, 1.0)
        return found

    return tau


def _tied_pairs(ordered: NDArray[np.int32] | Ints) -> Ints:
    """How many pairs of each sorted row are equal."""
    starts, _ = _groups(ordered)  # type: ignore[arg-type]
    tied: Ints = (np.arange(ordered.shape[1]) - starts).sum(axis=1)
    return tied


COEFFICIENTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall("b"),
    "kendall-a": _kendall("a"),
    "kendall-c": _kendall("c"),
}


class Redrawn:
    """Points (x, y), each of one segment: sorted once, by x and where that is equal by y."""

    def __init__(self, x: Floats, y: Floats, segments: NDArray[np.intp]) -> None:
        both = np.isfinite(x) & np.isfinite(y)
        x, y, segments = x[both], y[both], segments[both]
        order = np.lexsort((y, x))
        self.x, y, self.segments = x[order], y[order], segments[order]
        self.values, ranks = np.unique(y, return_inverse=True)
        self.ranks = ranks.astype(np.int32)
        new_x = np.ones(len(x), np.bool_)
        new_x[1:] = self.x[1:] != self.x[:-1]
        new_both = new_x.copy()
        new_both[1:] |= y[1:] != y[:-1]
        self.of_x, self.of_both = np.flatnonzero(new_x), np.flatnonzero(new_both)

    def kendall(self, variant: str, weights: NDArray[np.int16]) -> float:
        """Tau where each segment counts so often; NaN where it is undefined."""
        times = weights[self.segments].astype(np.int64)
        n = int(times.sum())
        there = np.flatnonzero(times)
        if n < FEWEST or _equal(self.x[there[0]], self.x[there[-1]]):
            return np.nan
        moved = np.repeat(self.ranks, times)[None]
        discordant = np.empty(1, np.int64)
        _inversions(moved, np.empty(n, np.int32), discordant)  # this sorts `moved`
        if _equal(self.values[moved[0, 0]], self.values[moved[0, -1]]):
            return np.nan
        by_x = np.add.reduceat(times, self.of_x)
        by_y = np.bincount(self.ranks, times)
        pairs = n * (n - 1) // 2
        tied_x, tied_y, tied_both = map(_tied, (by_x, by_y, np.add.reduceat(times, self.of_both)))
        surplus = pairs - tied_x - tied_y + tied_both - 2 * int(discordant[0])
        classes = min(int((by_x > 0).sum()), int((by_y > 0).sum()))
        most = {
            "a": float(pairs),
            "b": np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y),
            "c": n**2 * (classes - 1) / classes / 2,
        }[variant]
        return float(np.clip(surplus / most, -1.0, 1.0))


def _tied(sizes: NDArray[np.int64] | Floats) -> int:
    """How many pairs are within groups of these sizes."""
    return int((sizes * (sizes - 1)).sum()) // 2


def _equal(low: float, high: float) -> bool:
    """Whether numbers from low to high count as constant."""
    return bool(abs(high - low) <= EQUAL * max(abs(low), abs(high)))
