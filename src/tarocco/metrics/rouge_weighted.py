"""ROUGE-W: the longest common subsequence, words that follow each other counting more."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarocco.errors import BadParameter
from tarocco.metrics.base import Agreement, Example, Floats, parameter
from tarocco.metrics.comparison import AS_IN_155, OPTIMUM, RECURRENCE, Comparison
from tarocco.metrics.rouge import COMPAT, LIN_OCH_2004, Overlap, Rouge
from tarocco.naming import write_value


@dataclass(frozen=True)
class Weighting:
    """What a run of k > 0 words is worth: a growing function, its inverse, and how it is written; no run is worth 0."""

    weight: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    text: str

    def __call__(self, runs: Floats) -> Floats:
        return np.where(runs > 0, self.weight(runs), 0.0)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Power:
    """f(k) = k^a"""

    exponent: float

    def __call__(self, runs: Floats) -> Floats:
        return runs**self.exponent

    def inverse(self, values: Floats) -> Floats:
        return values ** (1 / self.exponent)


@dataclass(frozen=True)
class RougeW(Rouge):
    """The weighted longest common subsequence."""

    exponent: float = parameter(1.2, "a run of k words is worth k^a", in_stem=True)
    variant: str = parameter("paper", "the paper's recurrence, or the optimum", choices=("paper", "exact"))
    weighting: Weighting | None = parameter(  # noqa: RUF009
        None, "another function than k^a (from Python only)", kind=Weighting, depends="k^a"
    )

    title: ClassVar[str] = "ROUGE-W-a"
    summary: ClassVar[str] = "F of the longest common subsequence in which words in a row count more."
    formula: ClassVar[str] = (
        "R = f^-1(WLCS(c, r) / f(|r|)), P = f^-1(WLCS(c, r) / f(|c|)), f(k) = k^a\n"
        "WLCS = the sum of f(k) over the runs of a common subsequence, k words in a row on both sides\n"
        "F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_OCH_2004
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?W(?:-(?P<exponent>\d+(?:\.\d+)?))?"
    names: ClassVar[tuple[str, ...]] = (
        "ROUGE-W-1.2",
        *(f"ROUGE-W-{a}" for a in ("1", "1.1", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "2")),
    )
    example: ClassVar[Example] = Example(
        name="ROUGE-W-2",
        candidates=("A H B K C I D",),
        references=(("A B C D E F G",),),
        score=2 / 7,
        why="four runs of one word: WLCS = 4; both sides have f(7) = 49, sqrt(4 / 49) = 2/7",
    )
    notes: ClassVar[str] = f"""
        The paper's recurrence always takes a match, so that it can miss the best subsequence: for the reference a b b
        and the candidate a b it finds runs worth 2, not 4. variant=exact gives the optimum. ROUGE-W-1 equals ROUGE-L.
        {COMPAT.strip()} It also weighs the reference's length twice (f(f(|r|))) and looks for runs in the reference
        only. An empty candidate scores 0, and so does any candidate against an empty reference; for two empty texts
        there is no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, a = 1.2 and 2, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
        Agreement(
            "Lin and Och (2004)",
            "the examples of the paper",
            "tests/golden/test_rouge.py::test_examples_of_the_paper",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        most = 5 if self.compat == "1.5.5" else 10  # so that no text is too long for floating point
        if not 1 <= self.exponent <= most:
            raise BadParameter(f"{self.title}: a is 1 to {most}, not {write_value(self.exponent)}")
        if self.compat == "1.5.5" and self.variant == "exact":
            raise BadParameter(f"{self.title}: compat=1.5.5 has its own recurrence, not variant=exact")

    @property
    def stem(self) -> str:
        return f"ROUGE-W-{write_value(self.exponent)}" if self.weighting is None else "ROUGE-W"

    @property
    def worth(self) -> Any:
        """The function from the length of a run to what it is worth."""
        return self.weighting or Power(self.exponent)

    @property
    def _kernel_variant(self) -> int:
        if self.compat == "1.5.5":
            return AS_IN_155
        return OPTIMUM if self.variant == "exact" else RECURRENCE

    def wants(self) -> tuple[tuple[str, Hashable], ...]:
        return (("worth", (self._kernel_variant, self.worth)),)

    def overlap(self, comparison: Comparison) -> Overlap:
        pairs, worth = comparison.pairs, self.worth
        candidate, reference = pairs.of_lengths(lambda lengths: worth(lengths.astype(np.float64)))
        hits = comparison.weighted_subsequences(self._kernel_variant, worth)
        if self.compat == "1.5.5":
            return Overlap(hits, candidate, worth(reference), goes_by=super().ratios(hits, reference))
        return Overlap(hits, candidate, reference)

    def ratios(self, part: Floats, whole: Floats) -> Floats:
        ratios = super().ratios(part, whole)
        return np.where(ratios > 0, self.worth.inverse(ratios), 0.0)
