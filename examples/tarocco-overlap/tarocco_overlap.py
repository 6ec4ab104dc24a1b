"""A metric for tarocco in one file: the overlap of two sets of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarocco import Batch, Example, Metric, parameter


@dataclass(frozen=True)
class Overlap(Metric):
    """Shared words over all words, as sets; best reference, mean over segments."""

    minimum: int = parameter(1, "how often a word must occur to be in the set")

    title: ClassVar[str] = "Overlap"
    summary: ClassVar[str] = "Words that candidate and reference share, over the words that either has, as sets."
    formula: ClassVar[str] = "Overlap = |C & R| / |C | R|, best reference; corpus: the mean over segments"
    paper: ClassVar[str] = "Jaccard (1912), The Distribution of the Flora in the Alpine Zone, New Phytologist 11."
    pattern: ClassVar[str] = "Overlap"  # which names are this metric's: a regular expression
    names: ClassVar[tuple[str, ...]] = ("Overlap", "Overlap:minimum=2")  # suggested, and put under every law
    example: ClassVar[Example] = Example(
        name="Overlap",
        candidates=("the cat sat", "a dog"),
        references=(("the cat slept",), ("a dog", "the dog")),
        score=0.75,
        why="the cat of four words is 1/2, the second candidate is its first reference: the mean of 1/2 and 1",
    )
    notes: ClassVar[str] = "An empty candidate or an empty reference scores 0, both together score 1."

    def statistics(self, batch: Batch, context: Any = None) -> np.ndarray:
        """One row per candidate; rows can be added up. [best overlap, 1]: added up and divided, they give the mean."""
        rows = np.ones((len(batch), 2))
        for row, candidate, references in batch.each():
            rows[row, 0] = max(self.overlap(candidate, reference) for reference in references)
        return rows

    def overlap(self, candidate: np.ndarray, reference: np.ndarray) -> float:
        first, second = self.words(candidate), self.words(reference)
        return len(first & second) / len(first | second) if first | second else 1.0

    def words(self, text: np.ndarray) -> set[int]:
        values, counts = np.unique(text, return_counts=True)
        return set(values[counts >= self.minimum].tolist())

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The score of one row, or of each row of any array of rows."""
        with np.errstate(invalid="ignore"):
            return sums[..., 0] / sums[..., 1]
