"""JACK: are references closely find_surrounded_references by different translations?

A reference counts if two different systems have translations a and a', both with QUEEN above zero, such that a is at
least as near to the reference as to a', under every metric; either of the two may be a. A metric without one of the
scores is silent; where all are, the pair says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.core.records import Interval
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.decisions import Flags, HeldOutCases
from tarocco.meta.qarla.queen import mean_ignoring_nan
from tarocco.meta.qarla.similarities import Similarities
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, percentiles, totals


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


def king_over_segments(queens: Floats, present: Flags, resampling: Resampling) -> Outcome:
    """KING over segments and references, from `held_out_queens`."""
    cases = HeldOutCases.of(queens, present)
    by_segment = np.stack([cases.by_segment(cases.won), cases.by_segment(cases.strict)], axis=1)
    (king, strict), (of_king, of_strict) = resampling.mean(by_segment)
    counts = cases.counted.sum(axis=0)
    by_reference = np.full((len(counts), 2), np.nan)
    hits = np.stack([cases.won.sum(axis=0), cases.strict.sum(axis=0)], axis=1)
    np.divide(hits, counts[:, None], out=by_reference, where=counts[:, None] > 0)
    n_segments = int(cases.counted.any(axis=1).sum())
    return Outcome((float(king), float(strict)), (of_king, of_strict), by_reference, by_segment, n_segments)


def king_over_systems(queens: Floats, present: Flags, resampling: Resampling) -> Outcome:
    """KING over references, by the means over segments."""
    segments, references, texts = queens.shape
    cases = HeldOutCases.of(queens, present)
    there = cases.counted[:, :, None] & ~np.isnan(queens)
    rows = np.where(there, queens, 0.0).reshape(segments, -1)
    columns = rows.shape[1]
    if not there.all():  # else every sum is of as many, and sums can be compared as they are
        rows = np.concatenate([rows, there.reshape(segments, -1)], axis=1)

    def judged(sums: Floats) -> Floats:
        """float64[draws, references, 2] of 0 and 1; NaN where a reference has no case."""
        means = sums if sums.shape[1] == columns else _over(sums, columns)
        means = round_last_bits(means).reshape(-1, references, texts)
        own, others = means[..., -1], means[..., :-1]
        best = np.where(np.isnan(others), -np.inf, others).max(axis=-1, initial=-np.inf)
        found = np.stack([own >= best, own > best], axis=-1).astype(np.float64)
        found[np.isnan(own)] = np.nan
        return found

    by_reference = judged(totals(rows)[None])[0]
    drawn = judged(bootstrap(rows, resampling.n_resamples, resampling.seed, resampling.jobs))
    king, strict = mean_ignoring_nan(by_reference, 0).tolist()
    intervals = [resampling.interval(column) for column in mean_ignoring_nan(drawn, 1).T]
    by_segment = np.stack([cases.by_segment(cases.won), cases.by_segment(cases.strict)], axis=1)
    n_segments = int(cases.counted.any(axis=1).sum())
    return Outcome((king, strict), (intervals[0], intervals[1]), by_reference, by_segment, n_segments)


LEVELS = {"segment": king_over_segments, "system": king_over_systems}


def outcomes(level: str, queens: Sequence[Floats], present: Flags, resampling: Resampling) -> list[Outcome]:
    """KING of each set of metrics."""
    return [LEVELS[level](of_set, present, resampling) for of_set in queens]


def find_surrounded_references(near: Similarities, members: Sequence[int], queens: Floats) -> Floats:
    """float64[segments, references]: 1 if the reference is surrounded, 0 if not, NaN where nothing can be said.

    `queens` are float64[segments, systems], by all references of a segment.
    """
    assert near.to_systems is not None
    systems = len(near.systems)
    shape = (near.n_segments, systems, systems, len(near.references))
    closer, heard = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
    for m in members:  # one after the other: a table of all pairs and references is large
        apart, own = near.to_systems[m][..., None], near.to_references[m][:, :systems, None, :]
        said = ~(np.isnan(apart) | np.isnan(own))
        heard |= said
        with np.errstate(invalid="ignore"):
            closer &= (apart <= own) | ~said
    different = ~np.eye(systems, dtype=np.bool_)[None, :, :, None]
    heard &= different
    close = np.nan_to_num(queens) > 0
    both_close = (close[:, :, None] & close[:, None, :])[..., None]
    found = np.any(closer & heard & both_close, axis=(1, 2))
    return np.where(near.present & np.any(heard, axis=(1, 2)), found, np.nan)
