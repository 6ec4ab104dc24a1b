"""Bootstrap resamples and random sets of segments, reproducible from a seed on any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import Interval
from tarocco.kernels import kernel, statistics
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import is_system_level
from tarocco.parallel.fan_out import map_ordered

if TYPE_CHECKING:
    from tarocco.scoring.settings import Resampling

_weighted_totals = kernel(statistics, "sum_weighted", wide=True)
_counted_totals = kernel(statistics, "sum_counts", wide=True)
_draw = kernel(statistics, "draw_resamples", wide=True)
_fill = kernel(statistics, "fill_random_words", wide=True)

_LANES = 8  # the kernels add in eight lanes
_TOGETHER = 4  # resamples that the kernel adds at once
_BLOCK = 64  # resamples computed together; results do not depend on it
_MOST_WEIGHTS = 1 << 22  # per block, so that a million segments do not fill the memory
_WORDS = 256  # random numbers generated at a time, few enough for the processor's cache
_SHORT = 2**15 - 1

Shorts = NDArray[np.int16]
Words = NDArray[np.uint64]


def _columns(statistics: Floats) -> Floats:
    """Return statistics as the kernels need them: float64[k, segments], padded with zeros to a multiple of eight."""
    n, k = statistics.shape
    columns = np.zeros((k, -(-n // _LANES) * _LANES))
    columns[:, :n] = statistics.T
    return columns


def sum_rows(statistics: Floats) -> Floats:
    """Return the sum of the rows, added in the same order as every resample."""
    columns = _columns(statistics)
    sums = np.empty(len(columns))
    _weighted_totals(columns, np.ones(columns.shape[1]), sums)
    return sums


def corpus_sums(metric: Metric, system: str, statistics: Floats) -> Floats:
    """Return the sums that give a system's score; external scores of whole systems have no rows to add."""
    return metric.sums_of(system) if is_system_level(metric) else sum_rows(statistics)


def bootstrap(statistics: Floats, n_resamples: int, seed: int, jobs: int | None = None) -> Floats:
    """Return float64[n_resamples, k]: sums of as many rows, drawn with replacement.

    Resample b depends only on the seed and on b, so results are identical for any number of jobs.
    """
    return _resample(_draws, statistics, n_resamples, seed, jobs)


def swap_randomly(differences: Floats, n_resamples: int, seed: int, jobs: int | None = None) -> Floats:
    """Return float64[n_resamples, k]: sums of rows, each included with probability 1/2.

    If rows are a system's statistics minus a baseline's, this is the change when the two swap these segments.
    """
    return _resample(_tosses, differences, n_resamples, seed, jobs)


def _resample(
    choose: Callable[[int, int, int, Shorts], None],
    statistics: Floats,
    n_resamples: int,
    seed: int,
    jobs: int | None,
) -> Floats:
    """Return the sums of each resample; `choose` writes how often it contains each segment."""
    n = len(statistics)
    _check_segments(n)
    columns = _columns(statistics)
    # Most statistics are counts. Adding them in 16 and 32 bits is several times faster and gives the same sums.
    largest = np.abs(columns).max(initial=0.0)
    counts = columns.astype(np.int16) if largest <= _SHORT and n * largest < 2**31 else None
    if counts is not None and not (counts == columns).all():
        counts = None

    size = _TOGETHER * max(1, min(_BLOCK, _MOST_WEIGHTS // n) // _TOGETHER)  # resamples per block

    results = np.empty((n_resamples, len(columns)))

    def run(first: int) -> None:
        last = min(first + size, n_resamples)
        rows = -(-(last - first) // _TOGETHER) * _TOGETHER
        weights = np.empty((rows, columns.shape[1]), np.int16)  # no segment is drawn 32768 times
        sums = np.empty((rows, len(columns)))
        choose(n, int(seed), first, weights)
        if counts is not None:
            _counted_totals(counts, weights, sums)
        else:
            for row, row_weights in zip(sums, weights, strict=True):
                _weighted_totals(columns, row_weights.astype(np.float64), row)
        results[first:last] = sums[: last - first]

    starts = range(0, n_resamples, size)
    for _ in map_ordered(run, starts, len(starts), jobs):
        pass
    return results


def _draws(n: int, seed: int, first: int, weights: Shorts) -> None:
    """Write how often resamples `first` and following contain each of n segments."""
    _draw(n, seed % 2**64, first, weights, np.empty(_WORDS, np.uint64))


def _tosses(n: int, seed: int, first: int, weights: Shorts) -> None:
    """Write whether resamples `first` and following contain each segment: one coin per segment."""
    weights[:, :n] = coins(words(seed, len(weights), -(-n // 64), first), 0, n)
    weights[:, n:] = 0


def words(seed: int, streams: int, length: int, first: int = 0) -> Words:
    """Return uint64[streams, length]: the first random words of streams `first` and following.

    Each resample, permutation or document has one stream (SplitMix64, Steele, Lea and Flood 2014), which depends only
    on the seed and its number.
    """
    random = np.empty((streams, length), np.uint64)
    _fill(int(seed) % 2**64, first, random)
    return random


def coins(random: Words, first: int, last: int) -> NDArray[np.uint8]:
    """Return uint8[streams, last - first] of 0 and 1: these bits of each stream's words, lowest bit first."""
    start = first // 64
    part = np.ascontiguousarray(random[:, start : -(-last // 64)], "<u8").view(np.uint8)
    return np.unpackbits(part, axis=1, bitorder="little")[:, first - 64 * start : last - 64 * start]


def _check_segments(n: int) -> None:
    if n == 0:
        raise InputError("there are no segments to draw from")


def count_draws(n: int, seed: int, first: int, last: int) -> Shorts:
    """Return int16[last - first, n]: how often resamples first .. last - 1 contain each segment."""
    _check_segments(n)
    weights = np.empty((last - first, n), np.int16)
    _draws(n, int(seed), first, weights)
    return weights


@dataclass(frozen=True)
class Units:
    """What resamples draw and tests swap, because it is independent: segments, or documents where they are known."""

    name: str  # segment or document
    count: int

    def __str__(self) -> str:
        return f"{self.count} {self.name}{'s' * (self.count != 1)}"


def count_units(n: int, labels: Sequence[str] | None) -> Units:
    """Return the units of n segments: their documents where labels are known."""
    return Units("segment", n) if labels is None else Units("document", len(set(labels)))


def number_units(n: int, labels: Sequence[str] | None) -> NDArray[np.intp]:
    """Return the unit of each of n segments: its document where labels are known, else the segment itself."""
    if labels is None:
        return np.arange(n)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], np.intp)


def sum_units(rows: Floats, labels: Sequence[str] | None) -> Floats:
    """Return the sums of float64[segments, ...] over the segments of each unit."""
    if labels is None:
        return rows
    units = number_units(len(rows), labels)
    sums = np.zeros((int(units.max()) + 1, *rows.shape[1:]))
    np.add.at(sums, units, rows)
    return sums


def count_segment_draws(n: int, labels: Sequence[str] | None, seed: int, first: int, last: int) -> Shorts:
    """Return int16[last - first, n]: how often resamples of whole units contain each segment."""
    units = number_units(n, labels)
    return count_draws(int(units.max()) + 1, seed, first, last)[:, units]


def check_resampling(confidence: float, n_resamples: int, seed: int) -> None:
    """Raise BadParameter for values that define no interval."""
    if not (isinstance(confidence, Real) and 0 < confidence < 1):
        raise BadParameter(f"confidence is a number between 0 and 1, not {confidence!r}")
    if not (isinstance(n_resamples, Integral) and n_resamples >= 2):
        raise BadParameter(f"n_resamples is an integer of at least 2, not {n_resamples!r}")
    if not isinstance(seed, Integral):
        raise BadParameter(f"seed is an integer, not {seed!r}")


def bootstrap_intervals(
    metrics: Sequence[Metric],
    statistics: Sequence[Floats],
    resampling: Resampling,
    jobs: int | None = None,
) -> list[Interval | None]:
    """Return the percentile bootstrap interval over segments of each metric's corpus score (Davison and Hinkley 1997).

    All metrics share the same resamples. Metrics without segment scores have no interval.
    """
    with_segments = [m for m, metric in enumerate(metrics) if not is_system_level(metric)]
    intervals: list[Interval | None] = [None] * len(metrics)
    if not with_segments:
        return intervals
    statistics = [statistics[m] for m in with_segments]
    ends = np.cumsum([rows.shape[1] for rows in statistics])[:-1]
    resamples = bootstrap(np.concatenate(statistics, axis=1), resampling.n_resamples, resampling.seed, jobs)
    for m, sums in zip(with_segments, np.split(resamples, ends, axis=1), strict=True):
        intervals[m] = percentile_interval(metrics[m].score(sums), resampling)
    return intervals


def percentile_interval(scores: Floats, resampling: Resampling) -> Interval:
    """Return the percentile interval of the scores of resamples."""
    low, high = percentiles(scores, (1 - resampling.confidence) / 2)
    return Interval(low, high, float(resampling.confidence), int(resampling.n_resamples), int(resampling.seed))


def percentiles(scores: Floats, tail: float) -> tuple[float, float]:
    """Return the quantiles `tail` and 1 - `tail` of the scores, ignoring NaNs, with linear interpolation.

    Same as np.nanquantile, whose first call takes longer than a thousand resamples.
    """
    ordered = np.sort(scores[~np.isnan(scores)])
    last = len(ordered) - 1
    if last < 0:
        return np.nan, np.nan
    low, high = np.interp([tail * last, (1 - tail) * last], np.arange(last + 1), ordered)
    return float(low), float(high)


def draw_random_sets(seed: int, segments: int, count: int = 1000, size: int = 30) -> NDArray[np.intp]:
    """Return intp[count, size]: sets of distinct segments, each set equally likely."""
    if segments < size:
        raise InputError(f"expected at least {size} segments to draw sets of {size}, found {segments}")
    if segments == size:
        return np.tile(np.arange(size), (count, 1))
    chosen = np.argpartition(words(seed, count, segments), size - 1, axis=1)[:, :size]
    return np.sort(chosen, axis=1)
