"""Random sets of segments: pseudo-documents, halves of a text, segments to leave out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import Interval
from tarocco.kernels import kernel, statistics, widest
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import of_whole_systems
from tarocco.parallel.fan_out import blocks, map_ordered

_weighted_totals = kernel(widest(statistics), "sum_weighted")
_counted_totals = kernel(widest(statistics), "sum_counts")
_draw = kernel(widest(statistics), "draw_resamples")
_fill = kernel(widest(statistics), "fill_random_words")

_LANES = 8  # the kernels add in eight lanes
_TOGETHER = 4  # resamples that the kernel adds in one go
_BLOCK = 64  # resamples computed together; results do not depend on it
_MOST_WEIGHTS = 1 << 22  # of those, so that a million segments do not fill the memory
_WORDS = 256  # random numbers made at a time; small enough to stay near the processor
_SHORT = 2**15 - 1

Shorts = NDArray[np.int16]
Words = NDArray[np.uint64]


def _columns(statistics: Floats) -> Floats:
    """Statistics as the kernels want them: float64[k, segments], padded with zeros to a multiple of eight."""
    n, k = statistics.shape
    columns = np.zeros((k, -(-n // _LANES) * _LANES))
    columns[:, :n] = statistics.T
    return columns


def totals(statistics: Floats) -> Floats:
    """The sum of the rows, added in the order that every resample is added in."""
    columns = _columns(statistics)
    sums = np.empty(len(columns))
    _weighted_totals(columns, np.ones(columns.shape[1]), sums)
    return sums


def corpus_sums(metric: Metric, system: str, statistics: Floats) -> Floats:
    """The sums that give a system's score; scores that were made elsewhere for whole systems bring their own."""
    return metric.sums_of(system) if of_whole_systems(metric) else totals(statistics)


def bootstrap(statistics: Floats, n_resamples: int, seed: int, jobs: int | None = None) -> Floats:
    """float64[n_resamples, k]: sums of as many rows, drawn with replacement.

    Resample b depends on the seed and on b alone, so the result has the same bits for any number of jobs.
    """
    return _drawn(_draws, statistics, n_resamples, seed, jobs)


def swaps(differences: Floats, n_resamples: int, seed: int, jobs: int | None = None) -> Floats:
    """float64[n_resamples, k]: sums of rows, each in with probability one half; reproducible as `bootstrap` is.

    Of a system's statistics minus a baseline's this is what both gain and lose when they swap these segments.
    """
    return _drawn(_tosses, differences, n_resamples, seed, jobs)


def _drawn(
    choose: Callable[[int, int, int, Shorts], None],
    statistics: Floats,
    n_resamples: int,
    seed: int,
    jobs: int | None,
) -> Floats:
    """The sums of each resample; `choose` says which segments it has, and how often."""
    n = len(statistics)
    _check_segments(n)
    columns = _columns(statistics)
    # Most statistics are counts. They are added in 16 and 32 bits, several times as fast, and to the same bits.
    largest = np.abs(columns).max(initial=0.0)
    counts = columns.astype(np.int16) if largest <= _SHORT and n * largest < 2**31 else None
    if counts is not None and not (counts == columns).all():
        counts = None

    def run(block: tuple[int, int]) -> Floats:
        first, last = block
        rows = -(-(last - first) // _TOGETHER) * _TOGETHER
        weights = np.empty((rows, columns.shape[1]), np.int16)  # nobody is drawn 32768 times
        sums = np.empty((rows, len(columns)))
        choose(n, int(seed), first, weights)
        if counts is not None:
            _counted_totals(counts, weights, sums)
        else:
            for row, own in zip(sums, weights, strict=True):
                _weighted_totals(columns, own.astype(np.float64), row)
        return sums[: last - first]

    parts = blocks(n_resamples, _TOGETHER * max(1, min(_BLOCK, _MOST_WEIGHTS // n) // _TOGETHER))
    return np.concatenate(list(map_ordered(run, parts, len(parts), jobs)))


def _draws(n: int, seed: int, first: int, weights: Shorts) -> None:
    """How often resamples `first` and following have each of n segments."""
    _draw(n, seed % 2**64, first, weights, np.empty(_WORDS, np.uint64))


def _tosses(n: int, seed: int, first: int, weights: Shorts) -> None:
    """Whether they have it: a coin for each segment."""
    weights[:, :n] = coins(words(seed, len(weights), -(-n // 64), first), 0, n)
    weights[:, n:] = 0


def words(seed: int, streams: int, length: int, first: int = 0) -> Words:
    """uint64[streams, length]: the first random words of streams `first` and following.

    Every resample, permutation or document has a stream of its own (SplitMix64, Steele, Lea and Flood 2014), made from
    the seed and its number: the same on every machine, and however many there are.
    """
    random = np.empty((streams, length), np.uint64)
    _fill(int(seed) % 2**64, first, random)
    return random


def coins(random: Words, first: int, last: int) -> NDArray[np.uint8]:
    """uint8[streams, last - first] of 0 and 1: these bits of each stream's words, a word's lowest first."""
    start = first // 64
    part = np.ascontiguousarray(random[:, start : -(-last // 64)], "<u8").view(np.uint8)
    return np.unpackbits(part, axis=1, bitorder="little")[:, first - 64 * start : last - 64 * start]


def _check_segments(n: int) -> None:
    if n == 0:
        raise InputError("there are no segments to draw from")


def drawn(n: int, seed: int, number: int) -> NDArray[np.intp]:
    """The n segments of resample `number`, in ascending order: those whose rows `bootstrap` adds."""
    return np.repeat(np.arange(n), times_drawn(n, seed, number, number + 1)[0])


def times_drawn(n: int, seed: int, first: int, last: int) -> Shorts:
    """int16[last - first, n]: how often resamples first .. last - 1 have each segment."""
    _check_segments(n)
    weights = np.empty((last - first, n), np.int16)
    _draws(n, int(seed), first, weights)
    return weights


def check_resampling(confidence: float, n_resamples: int, seed: int) -> None:
    """Refuse what makes no interval."""
    if not (isinstance(confidence, Real) and 0 < confidence < 1):
        raise BadParameter(f"confidence is a number between 0 and 1, not {confidence!r}")
    if not (isinstance(n_resamples, Integral) and n_resamples >= 2):
        raise BadParameter(f"n_resamples is an integer of at least 2, not {n_resamples!r}")
    if not isinstance(seed, Integral):
        raise BadParameter(f"seed is an integer, not {seed!r}")


def intervals(
    metrics: Sequence[Metric],
    statistics: Sequence[Floats],
    confidence: float,
    n_resamples: int,
    seed: int,
    jobs: int | None = None,
) -> list[Interval | None]:
    """Percentile bootstrap intervals of corpus scores over segments (Davison and Hinkley 1997), one a metric.

    All metrics see the same resamples, drawn once. Where segments have no scores there is no interval.
    """
    drawn = [m for m, metric in enumerate(metrics) if not of_whole_systems(metric)]
    found: list[Interval | None] = [None] * len(metrics)
    if not drawn:
        return found
    statistics = [statistics[m] for m in drawn]
    ends = np.cumsum([rows.shape[1] for rows in statistics])[:-1]
    sums = np.split(bootstrap(np.concatenate(statistics, axis=1), n_resamples, seed, jobs), ends, axis=1)
    for m, of_metric in zip(drawn, sums, strict=True):
        low, high = percentiles(metrics[m].score(of_metric), (1 - confidence) / 2)
        found[m] = Interval(low, high, float(confidence), int(n_resamples), int(seed))
    return found


def percentiles(scores: Floats, tail: float) -> tuple[float, float]:
    """What lies between the lowest and the highest `tail` of the scores, linearly between neighbors.

    As np.nanquantile, whose first call takes longer than a thousand resamples.
    """
    ordered = np.sort(scores[~np.isnan(scores)])
    last = len(ordered) - 1
    if last < 0:
        return np.nan, np.nan
    low, high = np.interp([tail * last, (1 - tail) * last], np.arange(last + 1), ordered)
    return float(low), float(high)


def random_sets(seed: int, segments: int, count: int = 1000, size: int = 30) -> NDArray[np.intp]:
    """intp[count, size]: sets of distinct segments, each set equally likely; those with the lowest of random words."""
    if segments < size:
        raise InputError(f"sets of {size} distinct segments are wanted, and there are only {segments}")
    if segments == size:
        return np.tile(np.arange(size), (count, 1))
    chosen = np.argpartition(words(seed, count, segments), size - 1, axis=1)[:, :size]
    return np.sort(chosen, axis=1)
