"""Error rates by edit distance: WER and PER, and their similarities 1-WER and 1-PER."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.kernels import edits, kernel
from tarocco.metrics.base import Example, Floats, OnePass, parameter
from tarocco.metrics.pairing import Pairs

_compare = kernel(edits, "compare")
_overlap = kernel(edits, "overlap")

_MOST_MASKS = 1 << 22  # words of 64 bits: beyond 32 MiB a segment is compared without masks


class Comparison:
    """What the family is made of: distance and bag overlap of every candidate and reference, each when asked for."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.pairs = Pairs(batch)
        self._lengths = batch.references.lengths[batch.reference_groups.rows]
        self._words = int(np.add.reduceat(self._lengths, batch.reference_groups.bounds[:-1]).max(initial=0))
        self._references = int(np.diff(batch.reference_groups.bounds).max(initial=0))

    def _texts(self) -> tuple[Any, ...]:
        return (*self.batch.arrays, np.full((len(self.batch.vocabulary), 2), -1, np.int32))

    @cached_property
    def distances(self) -> NDArray[np.intp]:
        """The Levenshtein distance of each pair."""
        blocks = np.add.reduceat((self._lengths + 63) // 64, self.batch.reference_groups.bounds[:-1])
        room = -(-self._references // 4) * 4  # short references are compared four at a time
        most = max(int(blocks.max(initial=0)), room)
        if self._words * most > _MOST_MASKS:
            most = _MOST_MASKS // self._words
        longest = int(self._lengths.max(initial=0))
        distances = np.zeros(int(self.pairs.starts[-1]), np.intp)
        _compare(
            *self._texts(),
            np.zeros((self._words, most), np.uint64),
            np.zeros((2, longest // 64 + 1), np.uint64),
            np.zeros(longest + 1, np.intp),
            np.zeros(room, np.uint64),
            np.zeros(room, np.intp),
            np.zeros(room, np.intp),
            distances,
        )
        return distances

    @cached_property
    def hits(self) -> NDArray[np.intp]:
        """The size of the intersection of each pair's bags of words."""
        hits = np.zeros(int(self.pairs.starts[-1]), np.intp)
        counts = np.zeros((self._words, self._references), np.int32)
        _overlap(*self._texts(), counts, np.zeros((self._words, 2), np.int32), hits)
        return hits


@dataclass(frozen=True)
class ErrorRate(OnePass):
    """Errors over words of the reference, of the best reference; the corpus is a weighted mean of segments."""

    select: str = parameter(
        "rate", "the reference that is taken: lowest rate or fewest errors", choices=("rate", "distance")
    )
    weights: str = parameter(
        "mean", "a segment's weight: its mean reference length or the chosen one's", choices=("mean", "chosen")
    )

    kind: ClassVar[Literal["similarity", "error"]] = "error"

    @abstractmethod
    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        """The errors of each pair."""

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Comparison:
        return Comparison(batch)

    def columns(self, measured: Comparison) -> Floats:
        """[rate times weight, weight]"""
        pairs, errors = measured.pairs, self.errors(measured).astype(np.float64)
        lengths = pairs.reference_lengths.astype(np.float64)
        # Against an empty reference the rate is 0 for an empty candidate and 1 for any other; it weighs as one word.
        errors = np.where(lengths == 0, np.minimum(errors, 1.0), errors)
        lengths = np.maximum(lengths, 1.0)
        rates = errors / lengths
        best = pairs.least(rates, lengths) if self.select == "rate" else pairs.least(errors, -lengths)
        weights = lengths[best] if self.weights == "chosen" else np.maximum(pairs.mean_reference_length(), 1.0)
        return np.column_stack([rates[best] * weights, weights])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return sums[..., 0] / sums[..., 1]


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate: Levenshtein distance over words, divided by the reference's length."""

    title: ClassVar[str] = "WER"
    summary: ClassVar[str] = "Word error rate: insertions, deletions and substitutions over the words of the reference."
    formula: ClassVar[str] = (
        "WER = (I + D + S) / |r| for the fewest edits; several references: the lowest rate\n"
        "corpus: the mean of the segments' rates, weighed by their mean reference length"
    )
    paper: ClassVar[str] = (
        "Nießen, Och, Leusch and Ney (2000), An Evaluation Tool for Machine Translation, LREC (mWER, with several "
        "references). Weights: Chiang et al. (2008), section 4.3."
    )
    pattern: ClassVar[str] = "m?WER"
    names: ClassVar[tuple[str, ...]] = ("WER", "WER:select=distance", "WER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="WER",
        candidates=("a b c", "x"),
        references=(("a c d",), ("x y z", "x y")),
        score=(2 / 3 * 3 + 1 / 2 * 2.5) / 5.5,
        why="a b c -> a c d takes 2 edits of 3 words; x is 1/2 of x y; weights 3 and (3 + 2) / 2",
    )
    notes: ClassVar[str] = """
        With one reference the corpus value is the usual sum of edits over sum of lengths (jiwer 4.0.0, WER.pl). With
        several, the weights do not depend on the candidate, so that improving a segment never worsens the corpus;
        weights=chosen is what other tools do, and select=distance is the mWER of Finch et al. (2004). mWER is another
        name for WER. An empty candidate scores 1; against an empty reference an empty candidate scores 0, any other 1,
        and the segment weighs as one word.
    """

    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        return comparison.distances


@dataclass(frozen=True)
class Per(ErrorRate):
    """Position-independent error rate: as WER, but word order does not count."""

    title: ClassVar[str] = "PER"
    summary: ClassVar[str] = "Position-independent error rate: as WER, but the order of words does not count."
    formula: ClassVar[str] = (
        "PER = (max(|c|, |r|) - hits) / |r|, hits = size of the intersection of the bags of words\n"
        "several references, corpus: as WER"
    )
    paper: ClassVar[str] = (
        "Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), Accelerated DP Based Search for Statistical Translation, "
        "Eurospeech."
    )
    pattern: ClassVar[str] = "m?PER"
    names: ClassVar[tuple[str, ...]] = ("PER", "PER:select=distance", "PER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="PER",
        candidates=("b a x y",),
        references=(("a b c",),),
        score=2 / 3,
        why="b and a are in both; max(4, 3) - 2 = 2 errors of 3 words",
    )
    notes: ClassVar[str] = """
        Equal to PER.pl and Moses for each segment; PER.pl's total is no mean of segments, ours weighs them as WER does.
        mPER is another name for PER. An empty candidate scores 1; against an empty reference an empty candidate scores
        0, any other 1.
    """

    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        pairs = comparison.pairs
        return np.maximum(pairs.candidate_lengths, pairs.reference_lengths) - comparison.hits


@dataclass(frozen=True)
class OneMinusWer(Wer):
    """WER as a similarity."""

    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    title: ClassVar[str] = "1-WER"
    summary: ClassVar[str] = "WER as a similarity, also called WRR: it can be negative."
    formula: ClassVar[str] = "1-WER = WRR = (M - I) / |r| for the best alignment; all else as WER"
    paper: ClassVar[str] = "IQmt 2.0, Giménez (2007); WRR: McCowan et al. (2005), as used by Chiang et al. (2008)."
    pattern: ClassVar[str] = "1-m?WER|WRR"
    names: ClassVar[tuple[str, ...]] = ("1-WER", "1-WER:select=distance", "1-WER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="1-WER", candidates=("a b c",), references=(("a c d",),), score=1 / 3, why="2 edits of 3 words"
    )
    notes: ClassVar[str] = """
        WRR is another name for it. An empty candidate scores 0; against an empty reference an empty candidate scores 1,
        any other 0.
    """

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)


@dataclass(frozen=True)
class OneMinusPer(Per):
    """PER as a similarity."""

    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    title: ClassVar[str] = "1-PER"
    summary: ClassVar[str] = "PER as a similarity: it can be negative."
    formula: ClassVar[str] = "1-PER = 1 - PER"
    paper: ClassVar[str] = "IQmt 2.0, Giménez (2007)."
    pattern: ClassVar[str] = "1-m?PER"
    names: ClassVar[tuple[str, ...]] = ("1-PER", "1-PER:select=distance", "1-PER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="1-PER", candidates=("b a x y",), references=(("a b c",),), score=1 / 3, why="2 errors of 3 words"
    )
    notes: ClassVar[str] = """
        An empty candidate scores 0; against an empty reference an empty candidate scores 1, any other 0.
    """

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)
