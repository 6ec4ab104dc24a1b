"""QUEEN of systems and of held-out references under many sets of metrics: some segments at a time, in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tarocco.judge import decisions, trans_topic
from tarocco.judge.decisions import Decisions, Pairs
from tarocco.judge.similarities import Similarities
from tarocco.judge.trans_topic import AllPairs
from tarocco.metrics.base import Floats
from tarocco.run import blocks, map_ordered

N_PAIRS = 1024  # that sets of metrics are tested with in trans-topic mode
_WORDS = 1 << 21  # of bits that a thread keeps at a time; results do not depend on it

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
    return _for_sets(
        near,
        sets,
        comparison,
        jobs,
        lambda bits, members: decisions.queen(bits, members)[:, :systems],
        lambda pairs, of_metric: pairs.queens(of_metric[:, :systems]),
    )


def held_out_queens(near: Similarities, sets: Sets, comparison: Comparison, jobs: int | None = None) -> list[Floats]:
    """float64[segments, references, systems + 1] for each set: with a reference held out, QUEEN of every system and
    then its own."""
    systems = len(near.systems)
    return _for_sets(
        near,
        sets,
        comparison,
        jobs,
        decisions.held_out_queens,
        lambda pairs, of_metric: pairs.held_out_queens(of_metric, systems),
    )


def _for_sets(
    near: Similarities,
    sets: Sets,
    comparison: Comparison,
    jobs: int | None,
    by_bits: Callable[[Decisions, Sequence[int]], Floats],
    by_rank: Callable[[AllPairs, Floats], Floats],
) -> list[Floats]:
    """For each set what its bits give; in trans-topic mode single metrics need none."""
    if not comparison.trans_topic:
        return _in_blocks(near, sets, None, jobs, by_bits)
    single = [members[0] for members in sets if len(members) == 1]
    several = [members for members in sets if len(members) > 1]

    def of_metric(metric: int) -> Floats:
        return by_rank(AllPairs.of(near, metric), near.to_references[metric])

    ranked = map_ordered(of_metric, single, len(single), jobs)
    pairs = trans_topic.sampled_pairs(near, comparison.n_pairs, comparison.seed) if several else None
    tested = iter(_in_blocks(near, several, pairs, jobs, by_bits) if several else [])
    return [next(ranked) if len(members) == 1 else next(tested) for members in sets]


def _in_blocks(
    near: Similarities,
    sets: Sets,
    pairs: Pairs | None,
    jobs: int | None,
    function: Callable[[Decisions, Sequence[int]], Floats],
) -> list[Floats]:
    metrics, segments, texts, references = near.to_references.shape
    compared = references * (references - 1) if pairs is None else len(pairs.references)
    size = max(1, min(1024, _WORDS // max(1, metrics * texts * -(-references * compared // 64))))

    def run(block: tuple[int, int]) -> list[Floats]:
        bits = Decisions.of(near.chosen(segments=range(*block)), pairs)
        return [function(bits, members) for members in sets]

    parts = blocks(segments, size)
    found = list(map_ordered(run, parts, len(parts), jobs))
    return [np.concatenate(of_set) for of_set in zip(*found, strict=True)]
