"""QUEEN of systems and of held-out references under many sets of metrics, and ULC as a baseline.

Sets of metrics are tested sample by sample, some segments at a time, in threads. In trans-topic mode (pairs of
references from all segments) a single metric needs only ranks among the sorted similarities of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import kernel, qarla
from tarocco.meta.qarla.decisions import (
    Indices,
    ReferencePairs,
    Words,
    divide_counts,
    pack_bits,
    pairs_within_segments,
)
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.resampling import draw_random_sets, sum_rows
from tarocco.scoring.results import Result

N_PAIRS = 1024  # sampled for sets of metrics in trans-topic mode
_BLOCK = 128  # segments per task; results do not depend on it

MemberSets = Sequence[Sequence[int]]  # sets of metrics, by index

_passes = kernel(qarla, "count_passed_directly", wide=True)


def mean_ignoring_nan(values: Floats, axis: int) -> Floats:
    """Return np.nanmean without its warning: NaN where all values are NaN."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    means = np.full(counts.shape, np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=axis), counts, out=means, where=counts > 0)
    return means


@dataclass(frozen=True)
class PairSelection:
    """Which pairs of references texts are measured against: those of the text's segment, or of all segments."""

    trans_topic: bool = False
    n_pairs: int = N_PAIRS
    seed: int = 0

    def describe(self, similarities: TextSimilarities, members: Sequence[int]) -> str:
        """Return the selection as signatures write it."""
        if not self.trans_topic:
            return "pairs:own"
        counts = similarities.present.sum(axis=1)
        every = len(members) == 1 or (counts * (counts - 1)).sum() <= self.n_pairs
        return "pairs:all" if every else f"pairs:{self.n_pairs}-of-all"


def sample_pairs(similarities: TextSimilarities, size: int, seed: int) -> ReferencePairs:
    """Draw `size` different pairs from all segments, or take all pairs if there are fewer."""
    every = pairs_within_segments(similarities)
    present = similarities.present
    segments, pairs = np.nonzero(present[:, every.references[:, 0]] & present[:, every.references[:, 1]])
    drawn = draw_random_sets(seed, len(segments), 1, min(size, len(segments)))[0]
    values = every.similarity[:, None, segments[drawn], pairs[drawn]]
    return ReferencePairs(every.references[pairs[drawn]], values, within_segment=False)


def compute_queens(
    similarities: TextSimilarities, sets: MemberSets, selection: PairSelection, jobs: int | None = None
) -> list[Floats]:
    """Return QUEEN of every system for each set, float64[segments, systems]; NaN where no sample counts."""
    systems = len(similarities.systems)

    def by_rank(pairs: _SortedPairs, metric: Floats) -> Floats:
        return pairs.compute_queens(metric[:, :systems])

    return _compute_for_sets(similarities, sets, selection, jobs, False, lambda shares: shares[..., 0], by_rank)


def compute_held_out_queens(
    similarities: TextSimilarities, sets: MemberSets, selection: PairSelection, jobs: int | None = None
) -> list[Floats]:
    """Hold each reference out and return, for each set, QUEEN of every system and, last, of that reference.

    Each result is float64[segments, references, systems + 1].
    """
    systems, every = len(similarities.systems), np.arange(len(similarities.references))

    def by_sample(shares: Floats) -> Floats:
        by_reference = np.moveaxis(shares, 1, 2)[:, :-1]
        held_out = by_reference[:, every, systems + every]
        return np.concatenate([by_reference[..., :systems], held_out[..., None]], axis=2)

    def by_rank(pairs: _SortedPairs, metric: Floats) -> Floats:
        return pairs.compute_held_out_queens(metric, systems)

    return _compute_for_sets(similarities, sets, selection, jobs, True, by_sample, by_rank)


def _compute_for_sets(
    similarities: TextSimilarities,
    sets: MemberSets,
    selection: PairSelection,
    jobs: int | None,
    hold_out: bool,
    by_sample: Callable[[Floats], Floats],
    by_rank: Callable[[_SortedPairs, Floats], Floats],
) -> list[Floats]:
    """Compute each set from its samples, or from ranks for single metrics in trans-topic mode."""
    single = [members[0] for members in sets if len(members) == 1] if selection.trans_topic else []
    several = [members for members in sets if len(members) > 1] if selection.trans_topic else sets

    def rank(metric: int) -> Floats:
        return by_rank(_SortedPairs.of(similarities, metric), similarities.to_references[metric])

    ranked = iter(list(map_ordered(rank, single, len(single), jobs)))
    tested: Iterator[Floats] = iter(())
    if several:
        pairs = (
            sample_pairs(similarities, selection.n_pairs, selection.seed)
            if selection.trans_topic
            else pairs_within_segments(similarities)
        )
        tests = _SampleTests.of(similarities, pairs, hold_out)
        tasks = blocks(similarities.n_segments, _BLOCK)

        def test(task: tuple[int, int]) -> list[Floats]:
            return [by_sample(tests.shares(members, *task)) for members in several]

        results = map_ordered(test, tasks, len(tasks), jobs)
        tested = iter([np.concatenate(parts) for parts in zip(*results, strict=True)])
    return [next(ranked if single and len(members) == 1 else tested) for members in sets]


@dataclass(frozen=True, eq=False)
class _SampleTests:
    """The samples of all segments, with each reference held out in turn and, last, with none held out."""

    similarities: TextSimilarities
    pairs: ReferencePairs
    held_out: Indices  # [choices]: the reference, -1 for none
    masks: Words  # [choices, segments, words]: which pairs count
    sizes: NDArray[np.int64]  # [choices, segments]: how many pairs count

    @classmethod
    def of(cls, similarities: TextSimilarities, pairs: ReferencePairs, hold_out: bool) -> _SampleTests:
        """Make the tests; with `hold_out` false, only those with no reference held out."""
        held_out = [*range(len(similarities.references) if hold_out else 0), None]
        patterns, pattern_of = np.unique(similarities.present, axis=0, return_inverse=True)
        pattern_of = pattern_of.reshape(-1)
        counted = [pairs.counted(patterns, reference) for reference in held_out]
        masks = np.stack([pack_bits(flags) for flags in counted])
        sizes = np.stack([flags.sum(axis=1, dtype=np.int64) for flags in counted])
        choices = np.array([-1 if reference is None else reference for reference in held_out], np.intp)
        pairs = replace(pairs, similarity=np.ascontiguousarray(pairs.similarity))  # the kernel reads contiguous rows
        return cls(similarities, pairs, choices, masks[:, pattern_of], sizes[:, pattern_of])

    def shares(self, members: Sequence[int], first: int, last: int) -> Floats:
        """Return QUEEN in segments first .. last - 1, float64[segments, texts, choices], NaN where no sample counts.

        The texts are the systems and then the references that are held out.
        """
        systems = len(self.similarities.systems)
        texts = systems + len(self.held_out) - 1
        rows = slice(first, last)
        hits, counts = np.zeros((2, last - first, texts, len(self.held_out)), np.int64)
        _passes(
            self.similarities.to_references[:, rows],
            self.pairs.similarity[:, rows] if self.pairs.within_segment else self.pairs.similarity,
            np.asarray(members, np.intp),
            systems,
            self.masks[:, rows],
            self.sizes[:, rows],
            self.held_out,
            hits,
            counts,
        )
        return divide_counts(hits, counts)


@dataclass(frozen=True, eq=False)
class _SortedPairs:
    """The sorted similarities of all pairs of references of all segments under one metric."""

    ordered: Floats
    with_reference: Indices  # [references, pairs + 1]: how many of the k lowest pairs contain reference r

    @classmethod
    def of(cls, similarities: TextSimilarities, metric: int) -> _SortedPairs:
        pairs = pairs_within_segments(similarities.select(metrics=[metric]))
        values = pairs.similarity[0].reshape(-1)
        order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
        both = pairs.references[order % len(pairs.references)]
        counts = np.zeros((len(similarities.references), len(order) + 1), np.intp)
        for r, row in enumerate(counts):
            np.cumsum((both == r).any(axis=1), out=row[1:])
        return cls(values[order], counts)

    def compute_queens(self, near: Floats) -> Floats:
        """Return QUEEN, float64[segments, texts], from similarities [segments, texts, references]."""
        known = ~np.isnan(near)
        hits = np.where(known, self._ranks(near), 0).sum(axis=-1)
        return divide_counts(hits, len(self.ordered) * known.sum(axis=-1))

    def compute_held_out_queens(self, near: Floats, systems: int) -> Floats:
        """Return QUEEN of every system and of the held-out reference, float64[segments, references, systems + 1]."""
        segments, _, references = near.shape
        ranks, known = self._ranks(near), ~np.isnan(near)
        queens = np.full((segments, references, systems + 1), np.nan)
        for held_out, excluded in enumerate(self.with_reference):
            texts = [*range(systems), systems + held_out]
            remaining = known[:, texts].copy()
            remaining[:, :, held_out] = False
            text_ranks = ranks[:, texts]
            hits = np.where(remaining, text_ranks - excluded[text_ranks], 0).sum(axis=-1)
            counts = (len(self.ordered) - excluded[-1]) * remaining.sum(axis=-1)
            queens[:, held_out] = divide_counts(hits, counts)
        return queens

    def _ranks(self, near: Floats) -> Indices:
        return np.searchsorted(self.ordered, near, side="right")


@dataclass(frozen=True, eq=False)
class Ulc:
    """The uniform linear combination of all metrics: the mean of normalized scores (Giménez and Màrquez 2008).

    A score is divided by the largest score of its metric, of whole systems for systems and of segments for segments;
    errors enter as 1 - error. The scores are those against all references, as `tarocco score` computes them.
    """

    systems: Floats  # float64[systems]
    segments: Floats  # float64[systems, segments]


def compute_ulc(scores: Result, rows: NDArray[np.intp]) -> Ulc:
    """Return ULC over these segments; missing scores are left out of the means."""
    system_scores: list[Floats] = []
    segment_scores: list[Floats] = []
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        statistics = np.stack([score.statistics[rows] for score in scores.scores if score.metric == metric])
        sums = np.stack([sum_rows(by_segment) for by_segment in statistics])
        for normalized, values in ((system_scores, metric.score(sums)), (segment_scores, metric.score(statistics))):
            normalized.append(_normalize(1.0 - values if metric.kind == "error" else values))
    return Ulc(mean_ignoring_nan(np.stack(system_scores), 0), mean_ignoring_nan(np.stack(segment_scores), 0))


def _normalize(values: Floats) -> Floats:
    """Divide by the largest value; return NaN if that is not above zero, because nothing is distinguished then."""
    largest = np.fmax.reduce(values, axis=None, initial=-np.inf)
    return values / largest if largest > 0 else np.full(values.shape, np.nan)
