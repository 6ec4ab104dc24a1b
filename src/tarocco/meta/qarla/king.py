"""KING and JACK from QUEEN, with bootstrap intervals over segments, or over documents where they are known.

KING: hold each reference out and ask whether its QUEEN, by the other references, is at least that of every system. By
chance, each of the A + 1 texts is equally likely to be the reference: strict KING is then the share of cases with a
single text at the top, divided by A + 1, and KING the mean number of texts at the top, divided by A + 1.
Segments with fewer than three references are left out before that, by `select_segments` in qarla.py; within the others,
a reference that a segment lacks is no case (`HeldOutCases` in decisions.py).

JACK: is each reference closely surrounded by different translations? A reference counts if two systems have
translations a and a', both with QUEEN above zero, such that a is at least as similar to the reference as to a', under
every metric; either of the two may be a. Metrics without one of the scores are ignored; a pair under which no metric
has its scores is ignored, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.core.records import Interval
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.decisions import Flags, HeldOutCases
from tarocco.meta.qarla.queen import mean_ignoring_nan
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, percentile_interval, sum_rows, sum_units
from tarocco.scoring.settings import Resampling


def mean_over_segments(values: Floats) -> Floats:
    """Return the mean of each column of float64[segments, k], ignoring NaN."""
    (means,) = _divide_sums(sum_rows(_sum_and_count(values))[None], values.shape[1])
    return np.asarray(means)


def mean_with_intervals(
    values: Floats, resampling: Resampling, jobs: int | None = None, labels: Sequence[str] | None = None
) -> tuple[Floats, list[Interval]]:
    """Return the mean of each column of float64[segments, k], ignoring NaN, and its bootstrap interval.

    Segments are redrawn, or whole documents if `labels` name them.
    """
    sums = bootstrap(sum_units(_sum_and_count(values), labels), resampling.n_resamples, int(resampling.seed), jobs)
    resampled = _divide_sums(sums, values.shape[1])
    return mean_over_segments(values), [percentile_interval(column, resampling) for column in resampled.T]


def _sum_and_count(values: Floats) -> Floats:
    """Return rows whose sums are the sums and the numbers of the known values."""
    known = ~np.isnan(values)
    return np.concatenate([np.where(known, values, 0.0), known], axis=1)


def _divide_sums(sums: Floats, k: int) -> Floats:
    means = np.full((len(sums), k), np.nan)
    np.divide(sums[:, :k], sums[:, k:], out=means, where=sums[:, k:] > 0)
    return means


@dataclass(frozen=True, eq=False)
class KingScores:
    """KING and strict KING, in this order, with intervals, for each held-out reference and for each segment."""

    king: tuple[float, float]
    intervals: tuple[Interval, Interval]
    by_reference: Floats  # [references, 2]
    by_segment: Floats  # [segments, 2]; NaN where a segment has no case
    n_segments: int
    chance: tuple[float, float]  # KING and strict KING if the metrics could not tell the reference from the systems
    chance_by_segment: Floats  # [segments, 2]


def compute_chance(values: Floats, counted: Flags) -> Floats:
    """Return float64[..., 2]: KING and strict KING if each of the texts is equally likely to be the reference.

    `values` has the texts of a case in its last dimension, NaN where a system has none. NaN where there is no case.
    """
    known = ~np.isnan(values)
    best = np.where(known, values, -np.inf).max(axis=-1, keepdims=True)
    at_top = (known & (values == best)).sum(axis=-1)
    chance = np.full((*at_top.shape, 2), np.nan)
    for k, wins in enumerate((at_top, at_top == 1)):
        np.divide(wins, known.sum(axis=-1), out=chance[..., k], where=counted)
    return chance


def measure_length_cases(lengths: Floats, present: Flags) -> Floats:
    """Return float64[2, segments]: strict KING of "the longer text is better" and "the shorter", beyond chance.

    `lengths` is float64[segments, systems + references].
    """
    references = present.shape[1]
    systems = np.repeat(lengths[:, None, :-references], references, axis=1)
    texts = np.concatenate([systems, lengths[:, -references:, None]], axis=2)
    beyond = []
    for values in (texts, -texts):
        cases = HeldOutCases.of(values, present)
        beyond.append(cases.by_segment[:, 1] - mean_ignoring_nan(compute_chance(values, cases.counted)[..., 1], 1))
    return np.stack(beyond)


def king_over_segments(
    queens: Floats,
    present: Flags,
    resampling: Resampling,
    jobs: int | None = None,
    labels: Sequence[str] | None = None,
) -> KingScores:
    """Return KING over segments and references, from the result of `compute_held_out_queens` for one set."""
    cases = HeldOutCases.of(queens, present)
    (king, strict), intervals = mean_with_intervals(cases.by_segment, resampling, jobs, labels)
    chance = mean_ignoring_nan(compute_chance(queens, cases.counted), 1)
    by_chance, strict_by_chance = mean_over_segments(chance).tolist()
    return KingScores(
        (float(king), float(strict)),
        (intervals[0], intervals[1]),
        cases.by_reference,
        cases.by_segment,
        cases.n_segments,
        (by_chance, strict_by_chance),
        chance,
    )


def king_over_systems(
    queens: Floats,
    present: Flags,
    resampling: Resampling,
    jobs: int | None = None,
    labels: Sequence[str] | None = None,
) -> KingScores:
    """Return KING over references, where each reference and system is represented by its mean QUEEN over segments."""
    segments, references, texts = queens.shape
    cases = HeldOutCases.of(queens, present)
    known = cases.counted[:, :, None] & ~np.isnan(queens)
    rows = np.where(known, queens, 0.0).reshape(segments, -1)
    columns = rows.shape[1]
    if not known.all():  # otherwise all sums have equally many terms, so sums can be compared instead of means
        rows = np.concatenate([rows, known.reshape(segments, -1)], axis=1)

    def to_means(sums: Floats) -> Floats:
        means = sums if sums.shape[1] == columns else _divide_sums(sums, columns)
        return round_last_bits(means).reshape(-1, references, texts)

    def compare(sums: Floats) -> Floats:
        """Return float64[draws, references, 2] of 0 and 1, NaN where a reference has no case."""
        means = to_means(sums)
        reference, systems = means[..., -1], means[..., :-1]
        best = np.where(np.isnan(systems), -np.inf, systems).max(axis=-1, initial=-np.inf)
        wins = np.stack([reference >= best, reference > best], axis=-1).astype(np.float64)
        wins[np.isnan(reference)] = np.nan
        return wins

    by_reference = compare(sum_rows(rows)[None])[0]
    resampled = compare(bootstrap(sum_units(rows, labels), resampling.n_resamples, int(resampling.seed), jobs))
    king, strict = mean_ignoring_nan(by_reference, 0).tolist()
    intervals = [percentile_interval(column, resampling) for column in mean_ignoring_nan(resampled, 1).T]
    has_case: Flags = np.any(cases.counted, axis=0)
    chance = compute_chance(to_means(sum_rows(rows)[None])[0], has_case)
    by_chance, strict_by_chance = mean_ignoring_nan(chance, 0).tolist()
    return KingScores(
        (king, strict),
        (intervals[0], intervals[1]),
        by_reference,
        cases.by_segment,
        cases.n_segments,
        (by_chance, strict_by_chance),
        mean_ignoring_nan(compute_chance(queens, cases.counted), 1),
    )


KING_LEVELS = {"segment": king_over_segments, "system": king_over_systems}


def find_surrounded_references(similarities: TextSimilarities, members: Sequence[int], queens: Floats) -> Floats:
    """Return float64[segments, references]: 1 if the reference is surrounded, 0 if not, NaN if unknown.

    `queens` is float64[segments, systems], by all references of a segment.
    """
    assert similarities.to_systems is not None
    systems = len(similarities.systems)
    shape = (similarities.n_segments, systems, systems, len(similarities.references))
    closer, tested = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
    for m in members:  # one metric at a time, because a table of all pairs and references is large
        between = similarities.to_systems[m][..., None]
        to_reference = similarities.to_references[m][:, :systems, None, :]
        known = ~(np.isnan(between) | np.isnan(to_reference))
        tested |= known
        with np.errstate(invalid="ignore"):
            closer &= (between <= to_reference) | ~known
    different = ~np.eye(systems, dtype=np.bool_)[None, :, :, None]
    tested &= different
    close = np.nan_to_num(queens) > 0
    both_close = (close[:, :, None] & close[:, None, :])[..., None]
    surrounded = np.any(closer & tested & both_close, axis=(1, 2))
    return np.where(similarities.present & np.any(tested, axis=(1, 2)), surrounded, np.nan)
