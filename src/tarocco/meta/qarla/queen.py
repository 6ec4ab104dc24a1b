"""QUEEN of systems and of held-out references under many sets of metrics: some segments at a time, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.kernels import kernel, qarla, widest
from tarocco.meta.qarla.decisions import Places, ReferencePairs, Words, own_pairs, packed
from tarocco.meta.qarla.similarities import Similarities
from tarocco.metrics.base import Floats
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.resampling import random_sets, totals
from tarocco.scoring.results import Result


def mean_ignoring_nan(values: Floats, axis: int) -> Floats:
    """Over an axis, without NaN; NaN where there is nothing else. As np.nanmean, which warns of that."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    means = np.full(counts.shape, np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=axis), counts, out=means, where=counts > 0)
    return means


_passes = kernel(widest(qarla), "count_passed_directly")


@dataclass(frozen=True, eq=False)
class SampleTests:
    """The samples of all segments, for some choices of a reference held out; the last choice is to hold out none."""

    near: Similarities
    pairs: ReferencePairs
    held_out: Places  # [choices]: the reference, -1 for none
    masks: Words  # [choices, segments, words]: which pairs count
    sizes: NDArray[np.int64]  # [choices, segments]: how many they are

    @classmethod
    def of(cls, near: Similarities, pairs: ReferencePairs, every_reference: bool) -> SampleTests:
        """The tests with every reference held out, and with none; or with none alone."""
        held_out = [*range(len(near.references) if every_reference else 0), None]
        kinds, kind = np.unique(near.present, axis=0, return_inverse=True)
        kind = kind.reshape(-1)
        counted = [pairs.counted(kinds, one) for one in held_out]
        masks = np.stack([packed(flags) for flags in counted])
        sizes = np.stack([flags.sum(axis=1, dtype=np.int64) for flags in counted])
        chosen = np.array([-1 if one is None else one for one in held_out], np.intp)
        pairs = replace(pairs, near=np.ascontiguousarray(pairs.near))  # the kernel reads a row as it lies
        return cls(near, pairs, chosen, masks[:, kind], sizes[:, kind])

    def shares(self, members: Sequence[int], first: int, last: int) -> Floats:
        """float64[segments, texts, choices]: QUEEN in segments first .. last - 1, of systems and, where they are held
        out, of references, which come behind them; NaN where there is no sample."""
        systems = len(self.near.systems)
        texts = systems + len(self.held_out) - 1
        rows = slice(first, last)
        hits, counts = np.zeros((2, last - first, texts, len(self.held_out)), np.int64)
        _passes(
            self.near.to_references[:, rows],
            self.pairs.near[:, rows] if self.pairs.own else self.pairs.near,
            np.asarray(members, np.intp),
            systems,
            self.masks[:, rows],
            self.sizes[:, rows],
            self.held_out,
            hits,
            counts,
        )
        found = np.full(hits.shape, np.nan)
        np.divide(hits, counts, out=found, where=counts > 0)
        return found


def sample_pairs(near: Similarities, size: int, seed: int) -> ReferencePairs:
    """So many different pairs of all segments, or all where there are no more."""
    own = own_pairs(near)
    there = near.present[:, own.references[:, 0]] & near.present[:, own.references[:, 1]]
    segments, pairs = np.nonzero(there)
    chosen = random_sets(seed, len(segments), 1, min(size, len(segments)))[0]
    return ReferencePairs(own.references[pairs[chosen]], own.near[:, None, segments[chosen], pairs[chosen]], own=False)


@dataclass(frozen=True, eq=False)
class AllPairs:
    """All pairs of all segments under one metric, sorted."""

    ordered: Floats
    with_reference: Places  # [references, pairs + 1]: of the k lowest pairs those that reference r is part of

    @classmethod
    def of(cls, near: Similarities, metric: int) -> AllPairs:
        own = own_pairs(near.chosen(metrics=[metric]))
        values = own.near[0].reshape(-1)
        order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
        both = own.references[order % len(own.references)]
        counts = np.zeros((len(near.references), len(order) + 1), np.intp)
        for r, row in enumerate(counts):
            np.cumsum((both == r).any(axis=1), out=row[1:])
        return cls(values[order], counts)

    def compute_queens(self, near: Floats) -> Floats:
        """float64[segments, texts]: QUEEN of texts from their similarities, [segments, texts, references]."""
        known = ~np.isnan(near)
        hits = np.where(known, self._ranks(near), 0).sum(axis=-1)
        return _shares(hits, len(self.ordered) * known.sum(axis=-1))

    def compute_held_out_queens(self, near: Floats, systems: int) -> Floats:
        """float64[segments, references, systems + 1]: of every system and of the reference held out, as for KING."""
        segments, _, references = near.shape
        ranks, known = self._ranks(near), ~np.isnan(near)
        found = np.full((segments, references, systems + 1), np.nan)
        for held_out, lost in enumerate(self.with_reference):
            texts = [*range(systems), systems + held_out]
            left = known[:, texts].copy()
            left[:, :, held_out] = False
            own = ranks[:, texts]
            hits = np.where(left, own - lost[own], 0).sum(axis=-1)
            found[:, held_out] = _shares(hits, (len(self.ordered) - lost[-1]) * left.sum(axis=-1))
        return found

    def _ranks(self, near: Floats) -> Places:
        return np.searchsorted(self.ordered, near, side="right")


def _shares(hits: Places, counts: Places) -> Floats:
    found = np.full(hits.shape, np.nan)
    np.divide(hits, counts, out=found, where=counts > 0)
    return found


N_PAIRS = 1024  # that sets of metrics are tested with in trans-topic mode
_SEGMENTS = 128  # that a thread takes at a time; results do not depend on it

Sets = Sequence[Sequence[int]]  # of metrics, by their numbers


@dataclass(frozen=True)
class PairSelection:
    """Which pairs of references texts are measured by: their segment's own, or those of all segments."""

    trans_topic: bool = False
    n_pairs: int = N_PAIRS
    seed: int = 0

    def told(self, near: Similarities, members: Sequence[int]) -> str:
        """What a signature says of it; a sample is drawn from the signature's seed."""
        if not self.trans_topic:
            return "pairs:own"
        counts = near.present.sum(axis=1)
        every = len(members) == 1 or (counts * (counts - 1)).sum() <= self.n_pairs
        return "pairs:all" if every else f"pairs:{self.n_pairs}-of-all"


def compute_queens(near: Similarities, sets: Sets, comparison: PairSelection, jobs: int | None = None) -> list[Floats]:
    """float64[segments, systems] for each set: QUEEN; NaN where there is no sample."""
    systems = len(near.systems)

    def by_rank(pairs: AllPairs, of_metric: Floats) -> Floats:
        return pairs.compute_queens(of_metric[:, :systems])

    return _for_sets(near, sets, comparison, jobs, False, lambda found: found[..., 0], by_rank)


def compute_held_out_queens(
    near: Similarities, sets: Sets, comparison: PairSelection, jobs: int | None = None
) -> list[Floats]:
    """float64[segments, references, systems + 1] for each set: with a reference held out, QUEEN of every system and
    then its own."""
    systems, every = len(near.systems), np.arange(len(near.references))

    def by_test(found: Floats) -> Floats:
        by_reference = np.moveaxis(found, 1, 2)[:, :-1]
        own = by_reference[:, every, systems + every]
        return np.concatenate([by_reference[..., :systems], own[..., None]], axis=2)

    def by_rank(pairs: AllPairs, of_metric: Floats) -> Floats:
        return pairs.compute_held_out_queens(of_metric, systems)

    return _for_sets(near, sets, comparison, jobs, True, by_test, by_rank)


def _for_sets(
    near: Similarities,
    sets: Sets,
    comparison: PairSelection,
    jobs: int | None,
    every_reference: bool,
    by_test: Callable[[Floats], Floats],
    by_rank: Callable[[AllPairs, Floats], Floats],
) -> list[Floats]:
    """For each set what its tests give; in trans-topic mode ranks are enough for a single metric."""
    single = [members[0] for members in sets if len(members) == 1] if comparison.trans_topic else []
    several = [members for members in sets if len(members) > 1] if comparison.trans_topic else sets

    def of_metric(metric: int) -> Floats:
        return by_rank(AllPairs.of(near, metric), near.to_references[metric])

    ranked = iter(list(map_ordered(of_metric, single, len(single), jobs)))
    tested: Iterator[Floats] = iter(())
    if several:
        pairs = sample_pairs(near, comparison.n_pairs, comparison.seed) if comparison.trans_topic else own_pairs(near)
        tests = SampleTests.of(near, pairs, every_reference)
        parts = blocks(near.n_segments, _SEGMENTS)
        found = map_ordered(
            lambda part: [by_test(tests.shares(members, *part)) for members in several], parts, len(parts), jobs
        )
        tested = iter([np.concatenate(of_set) for of_set in zip(*found, strict=True)])
    return [next(ranked if single and len(members) == 1 else tested) for members in sets]


# ULC, the plain baseline beside QUEEN: the mean of normalized scores (Gimenez and Marquez 2008).


@dataclass(frozen=True, eq=False)
class Ulc:
    """The uniform linear combination of all metrics."""

    systems: Floats  # float64[systems]
    segments: Floats  # float64[systems, segments]


def ulc_of(scores: Result, rows: NDArray[np.intp]) -> Ulc:
    """ULC of these segments; a score that does not exist is left out of the mean."""
    of_systems: list[Floats] = []
    of_segments: list[Floats] = []
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        own = np.stack([score.statistics[rows] for score in scores.scores if score.metric == metric])
        sums = np.stack([totals(of_system) for of_system in own])
        for found, values in ((of_systems, metric.score(sums)), (of_segments, metric.score(own))):
            found.append(normalized(1.0 - values if metric.kind == "error" else values))
    return Ulc(mean_ignoring_nan(np.stack(of_systems), 0), mean_ignoring_nan(np.stack(of_segments), 0))


def normalized(values: Floats) -> Floats:
    """Divided by the largest; NaN, all of them, if that is not above zero: then the metric tells nothing apart."""
    largest = np.fmax.reduce(values, axis=None, initial=-np.inf)
    return values / largest if largest > 0 else np.full(values.shape, np.nan)
