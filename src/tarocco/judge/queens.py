"""QUEEN of systems and of held-out references under many sets of metrics: some segments at a time, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.judge.decisions import own_pairs
from tarocco.judge.sample_tests import SampleTests
from tarocco.judge.similarities import Similarities
from tarocco.judge.trans_topic import AllPairs, sampled_pairs
from tarocco.metrics.base import Floats
from tarocco.run import blocks, map_ordered

N_PAIRS = 1024  # that sets of metrics are tested with in trans-topic mode
_SEGMENTS = 128  # that a thread takes at a time; results do not depend on it

Sets = Sequence[Sequence[int]]  # of metrics, by their numbers


@dataclass(frozen=True)
class Comparison:
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


def queens(near: Similarities, sets: Sets, comparison: Comparison, jobs: int | None = None) -> list[Floats]:
    """float64[segments, systems] for each set: QUEEN; NaN where there is no sample."""
    systems = len(near.systems)

    def by_rank(pairs: AllPairs, of_metric: Floats) -> Floats:
        return pairs.queens(of_metric[:, :systems])

    return _for_sets(near, sets, comparison, jobs, False, lambda found: found[..., 0], by_rank)


def held_out_queens(near: Similarities, sets: Sets, comparison: Comparison, jobs: int | None = None) -> list[Floats]:
    """float64[segments, references, systems + 1] for each set: with a reference held out, QUEEN of every system and
    then its own."""
    systems, every = len(near.systems), np.arange(len(near.references))

    def by_test(found: Floats) -> Floats:
        by_reference = np.moveaxis(found, 1, 2)[:, :-1]
        own = by_reference[:, every, systems + every]
        return np.concatenate([by_reference[..., :systems], own[..., None]], axis=2)

    def by_rank(pairs: AllPairs, of_metric: Floats) -> Floats:
        return pairs.held_out_queens(of_metric, systems)

    return _for_sets(near, sets, comparison, jobs, True, by_test, by_rank)


def _for_sets(
    near: Similarities,
    sets: Sets,
    comparison: Comparison,
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
        pairs = sampled_pairs(near, comparison.n_pairs, comparison.seed) if comparison.trans_topic else own_pairs(near)
        tests = SampleTests.of(near, pairs, every_reference)
        parts = blocks(near.n_segments, _SEGMENTS)
        found = map_ordered(
            lambda part: [by_test(tests.shares(members, *part)) for members in several], parts, len(parts), jobs
        )
        tested = iter([np.concatenate(of_set) for of_set in zip(*found, strict=True)])
    return [next(ranked if single and len(members) == 1 else tested) for members in sets]
