"""KING from QUEEN with each reference held out: segment by segment, or over whole systems, with intervals.

At segment level a case is a segment and one of its references; each segment counts with the mean over its own. At
system level a case is a reference: is the mean of its QUEEN over segments at least that of every system?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.judge.decisions import Cases, Flags
from tarocco.judge.known import mean_of_known
from tarocco.judge.sides import snapped
from tarocco.metrics.base import Floats
from tarocco.resample import bootstrap, percentiles, totals
from tarocco.results import Interval


@dataclass(frozen=True)
class Resampling:
    """How intervals are found."""

    confidence: float
    n_resamples: int
    seed: int
    jobs: int | None = None

    def interval(self, drawn: Floats) -> Interval:
        low, high = percentiles(drawn, (1 - self.confidence) / 2)
        return Interval(low, high, self.confidence, self.n_resamples, self.seed)

    def mean(self, values: Floats) -> tuple[Floats, list[Interval]]:
        """Of float64[segments, k] the means over segments that have a value, NaN where none has, and intervals."""
        k = values.shape[1]
        known = ~np.isnan(values)
        rows = np.concatenate([np.where(known, values, 0.0), known], axis=1)
        means = _over(totals(rows)[None], k)[0]
        drawn = _over(bootstrap(rows, self.n_resamples, self.seed, self.jobs), k)
        return means, [self.interval(column) for column in drawn.T]


def _over(sums: Floats, k: int) -> Floats:
    """Sums over numbers."""
    means = np.full((len(sums), k), np.nan)
    np.divide(sums[:, :k], sums[:, k:], out=means, where=sums[:, k:] > 0)
    return means


@dataclass(frozen=True, eq=False)
class Outcome:
    """KING and strict KING, in this order, with intervals, and the same for each reference held out."""

    king: tuple[float, float]
    intervals: tuple[Interval, Interval]
    by_reference: Floats  # [references, 2]
    by_segment: Floats  # [segments, 2]; NaN where a segment has no case
    n_segments: int


def of_segments(queens: Floats, present: Flags, resampling: Resampling) -> Outcome:
    """KING over segments and references, from `held_out_queens`."""
    cases = Cases.of(queens, present)
    by_segment = np.stack([cases.by_segment(cases.won), cases.by_segment(cases.strict)], axis=1)
    (king, strict), (of_king, of_strict) = resampling.mean(by_segment)
    counts = cases.counted.sum(axis=0)
    by_reference = np.full((len(counts), 2), np.nan)
    hits = np.stack([cases.won.sum(axis=0), cases.strict.sum(axis=0)], axis=1)
    np.divide(hits, counts[:, None], out=by_reference, where=counts[:, None] > 0)
    n_segments = int(cases.counted.any(axis=1).sum())
    return Outcome((float(king), float(strict)), (of_king, of_strict), by_reference, by_segment, n_segments)


def of_systems(queens: Floats, present: Flags, resampling: Resampling) -> Outcome:
    """KING over references, by the means over segments."""
    segments, references, texts = queens.shape
    cases = Cases.of(queens, present)
    there = cases.counted[:, :, None] & ~np.isnan(queens)
    rows = np.where(there, queens, 0.0).reshape(segments, -1)
    columns = rows.shape[1]
    if not there.all():  # else every sum is of as many, and sums can be compared as they are
        rows = np.concatenate([rows, there.reshape(segments, -1)], axis=1)

    def judged(sums: Floats) -> Floats:
        """float64[draws, references, 2] of 0 and 1; NaN where a reference has no case."""
        means = sums if sums.shape[1] == columns else _over(sums, columns)
        means = snapped(means).reshape(-1, references, texts)
        own, others = means[..., -1], means[..., :-1]
        best = np.where(np.isnan(others), -np.inf, others).max(axis=-1, initial=-np.inf)
        found = np.stack([own >= best, own > best], axis=-1).astype(np.float64)
        found[np.isnan(own)] = np.nan
        return found

    by_reference = judged(totals(rows)[None])[0]
    drawn = judged(bootstrap(rows, resampling.n_resamples, resampling.seed, resampling.jobs))
    king, strict = mean_of_known(by_reference, 0).tolist()
    intervals = [resampling.interval(column) for column in mean_of_known(drawn, 1).T]
    by_segment = np.stack([cases.by_segment(cases.won), cases.by_segment(cases.strict)], axis=1)
    n_segments = int(cases.counted.any(axis=1).sum())
    return Outcome((king, strict), (intervals[0], intervals[1]), by_reference, by_segment, n_segments)


LEVELS = {"segment": of_segments, "system": of_systems}


def outcomes(level: str, queens: Sequence[Floats], present: Flags, resampling: Resampling) -> list[Outcome]:
    """KING of each set of metrics."""
    return [LEVELS[level](of_set, present, resampling) for of_set in queens]
