"""GRR-k, the k-gram recognition rate: matches in runs along a monotone alignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarocco.core.errors import BadParameter
from tarocco.metrics.base import Agreement, Example, Floats, parameter
from tarocco.metrics.comparison import Compared, Comparison

HIGHEST_ORDER = 12


@dataclass(frozen=True)
class Grr(Compared):
    """The k-gram recognition rate of Chiang et al. (2008)."""

    order: int = parameter(4, "the longest n-grams that count", in_stem=True)
    alpha: float = parameter(1.0, "what an inserted word costs")
    beta: float = parameter(0.0, "what a deleted word costs")

    title: ClassVar[str] = "GRR-k"
    summary: ClassVar[str] = (
        "k-gram recognition rate: n-gram matches along the best monotone alignment, inserted words costing something."
    )
    formula: ClassVar[str] = (
        "GRR-k = max over monotone alignments (M_1 + ... + M_k - alpha I - beta D) / (|g_1(r)| + ... + |g_k(r)|)\n"
        "M_j = runs of j matches in a row, I, D = inserted and deleted words, g_j(r) = j-grams of the reference\n"
        "several references: the highest rate, weighed by the mean denominator; corpus: numerators and denominators "
        "are summed"
    )
    paper: ClassVar[str] = """
        Chiang, DeNeefe, Chan and Ng (2008), Decomposability of Translation Metrics for Improved Evaluation and
        Efficient Algorithms, EMNLP, section 4.3.
    """
    pattern: ClassVar[str] = r"GRR(?:-(?P<order>\d+))?|(?P<before>\d+)-GRR"
    names: ClassVar[tuple[str, ...]] = ("GRR-4", "GRR-1", "GRR-2", "GRR-6", "GRR-4:beta=1", "GRR-4:alpha=0.5")
    also: ClassVar[tuple[tuple[str, str], ...]] = (("4-GRR", "Another way to write GRR-4."),)
    example: ClassVar[Example] = Example(
        name="GRR-2",
        candidates=("a b x d",),
        references=(("a b c d",),),
        score=4 / 7,
        why="a b d match and so does the bigram a b: 4; x stands for c at no cost; the reference has 4 + 3 n-grams",
    )
    notes: ClassVar[str] = """
        GRR-1 is 1-WER with one reference. The paper has one reference and 4-GRR; other orders follow its automaton. The
        score can be negative, or, with a negative alpha as in the paper's section 5, exceed 1. An empty candidate
        scores minus beta times the share of words among the n-grams, 0 by default. Against an empty reference an empty
        candidate scores 1, any other 0, and the segment weighs as one word.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "textbook version",
            "any text, against a slow one written from the paper; there is no other tool",
            "tests/kernels/test_edits.py::test_recognition_rate",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        found = super().read_stem(stem)
        return dict.fromkeys(("order",), *found.values()) if found else found

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise BadParameter(f"{self.title}: k is 1 to {HIGHEST_ORDER}, not {self.order}")
        for name in ("alpha", "beta"):
            if not abs(getattr(self, name)) <= 1e6:
                raise BadParameter(f"{self.title}: {name} is a number up to 1000000, not {getattr(self, name)}")

    @property
    def stem(self) -> str:
        return f"GRR-{self.order}"

    def columns(self, measured: Comparison) -> Floats:
        """[rate times weight, weight]"""
        pairs = measured.pairs
        lengths = pairs.reference_lengths[:, None] - np.arange(self.order)
        sizes = np.maximum(lengths, 0).sum(axis=1).astype(np.float64)
        found = measured.recognized(self.order, self.alpha, self.beta)
        # An empty reference weighs as one word and is recognized by an empty candidate only.
        found = np.where(sizes == 0, pairs.candidate_lengths == 0, found)
        sizes = np.maximum(sizes, 1.0)
        rates = found / sizes + 0.0  # no -0
        best = pairs.least(-rates, sizes)
        weights = pairs.mean(sizes)
        return np.column_stack([rates[best] * weights, weights])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return sums[..., 0] / sums[..., 1]
