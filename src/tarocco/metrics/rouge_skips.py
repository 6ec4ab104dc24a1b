"""ROUGE-S and ROUGE-SU: pairs of words in order, with a limited number of others between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.encode.vocabulary import Ragged
from tarocco.errors import BadParameter
from tarocco.metrics.base import Agreement, Example, Floats, parameter
from tarocco.metrics.comparison import Comparison
from tarocco.metrics.rouge import COMPAT, LIN_OCH_2004, Overlap, Rouge

LARGEST_GAP = 1_000_000
MISSING = "without skip-bigrams on both sides there is no score"


def skip_bigram_totals(lengths: NDArray[np.intp], gap: int | None) -> Floats:
    """How many skip-bigrams with gaps up to this one (None: any) texts of these lengths have."""
    n = lengths.astype(np.float64)
    largest = n - 2 if gap is None else np.minimum(n - 2, float(gap))
    return np.where(n < 2, 0.0, (largest + 1) * (n - 1) - largest * (largest + 1) / 2)


@dataclass(frozen=True)
class RougeS(Rouge):
    """Skip-bigram overlap."""

    gap: int | None = parameter(None, "the most words between the two; * for any number", in_stem=True, kind=int)

    title: ClassVar[str] = "ROUGE-S-d"
    summary: ClassVar[str] = (
        "F of the skip-bigrams in common: pairs of words in order with at most d words between them."
    )
    formula: ClassVar[str] = (
        "R = (skip-bigrams in common) / (skip-bigrams of r), P = (skip-bigrams in common) / (skip-bigrams of c)\n"
        "gaps of at most d words; ROUGE-S* any gap, |c| (|c| - 1) / 2 skip-bigrams\n"
        "F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_OCH_2004
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?S(?P<any>\*|-\*)|(?:ROUGE|RG)-?S-?(?P<gap>\d+)"
    names: ClassVar[tuple[str, ...]] = ("ROUGE-S*", *(f"ROUGE-S-{d}" for d in range(10)))
    also: ClassVar[tuple[tuple[str, str], ...]] = (("ROUGE-S*", "The same with any number of words between the two."),)
    example: ClassVar[Example] = Example(
        name="ROUGE-S*",
        candidates=("the gunman kill police",),
        references=(("police killed the gunman",),),
        score=1 / 6,
        why="of 6 skip-bigrams on both sides only the gunman is in common",
    )
    notes: ClassVar[str] = f"""
        A pair counts as often as it stands in both texts. ROUGE-S-0 is ROUGE-2. {COMPAT.strip()} An empty candidate
        scores 0, and so does any candidate against an empty reference, if the other has two words; {MISSING}.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, gaps of 4 and any, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
        Agreement(
            "Lin and Och (2004)",
            "the examples of the paper",
            "tests/golden/test_rouge.py::test_examples_of_the_paper",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        found = super().read_stem(stem)
        return {key: value for key, value in found.items() if key == "gap"} if found is not None else None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gap is not None and not 0 <= self.gap <= LARGEST_GAP:
            raise BadParameter(f"{self.title}: d is 0 to {LARGEST_GAP}, or * for any gap, not {self.gap}")

    @property
    def stem(self) -> str:
        title = self.title.removesuffix("-d")
        return f"{title}*" if self.gap is None else f"{title}-{self.gap}"

    def wants(self) -> tuple[tuple[str, Hashable], ...]:
        return (("gap", self.gap),)

    def overlap(self, comparison: Comparison) -> Overlap:
        totals = comparison.pairs.of_lengths(lambda lengths: skip_bigram_totals(lengths, self.gap))
        return Overlap(comparison.skip_bigrams(self.gap).astype(np.float64), *totals)


@dataclass(frozen=True)
class RougeSU(RougeS):
    """Skip-bigrams and words."""

    title: ClassVar[str] = "ROUGE-SU-d"
    summary: ClassVar[str] = "F of skip-bigrams and single words in common."
    formula: ClassVar[str] = "As ROUGE-S-d, with every word as a unit beside the skip-bigrams; ROUGE-SU* with any gap"
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?SU(?P<any>\*|-\*)|(?:ROUGE|RG)-?SU-?(?P<gap>\d+)"
    names: ClassVar[tuple[str, ...]] = ("ROUGE-SU*", *(f"ROUGE-SU-{d}" for d in range(10)))
    also: ClassVar[tuple[tuple[str, str], ...]] = (("ROUGE-SU*", "The same with any number of words between the two."),)
    example: ClassVar[Example] = Example(
        name="ROUGE-SU*",
        candidates=("the gunman kill police",),
        references=(("police killed the gunman",),),
        score=4 / 10,
        why="the gunman, and the words the, gunman and police: 4 of 6 skip-bigrams and 4 words on both sides",
    )
    notes: ClassVar[str] = f"""
        {COMPAT.strip()} It also leaves out the last word of both texts as a unit. An empty candidate scores 0, and so
        does any candidate against an empty reference; for two empty texts there is no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, gaps of 4 and any, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
    )

    def overlap(self, comparison: Comparison) -> Overlap:
        skips = super().overlap(comparison)
        if self.compat == "1.5.5":
            comparison = Comparison(_without_last_words(comparison.batch))
        pairs = comparison.pairs
        words = (comparison.hits, pairs.candidate_lengths, pairs.reference_lengths)
        parts = (skips.hits, skips.candidate, skips.reference)
        return Overlap(*(part + more for part, more in zip(parts, words, strict=True)))


def _without_last_words(batch: Batch) -> Batch:
    def shortened(texts: Ragged) -> Ragged:
        filled = texts.lengths > 0
        values = np.delete(texts.values, texts.offsets[1:][filled] - 1)
        return Ragged(values, texts.offsets - np.concatenate([np.zeros(1, np.intp), np.cumsum(filled)]))

    return replace(batch, candidates=shortened(batch.candidates), references=shortened(batch.references))
