"""BLEU as NLTK computes it, with its smoothing methods (Chen and Cherry 2014)."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarocco.core.errors import BadParameter
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, parameter
from tarocco.metrics.ngram.bleu import NgramPrecisions, PrecisionCounts, measure_penalty, read_weights

METHODS = tuple(f"method{k}" for k in range(8))

_FIFTH = 5  # methods 5 and 7 look at the 5-grams after the last order, whatever that is
_SMALLEST = sys.float_info.min  # method0: the precision of an order without matches


@dataclass(frozen=True)
class BleuNltk(NgramPrecisions):
    """BLEU with NLTK's counting and smoothing."""

    smooth: str = parameter("method0", "NLTK's smoothing method", choices=METHODS)
    weights: str | None = parameter(
        None, "the weight of each order, such as 0.4/0.3/0.2/0.1", kind=str, depends="1/n each"
    )
    epsilon: float = parameter(0.1, "what method1 adds to an order without matches")
    alpha: float = parameter(5.0, "the weight of the prior in method6")
    k: float = parameter(5.0, "the constant of method4 and method7")
    reweigh: bool = parameter(False, "for fewer than four words, use orders up to their number (auto_reweigh)")

    title: ClassVar[str] = "BLEU-NLTK"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 0.0)
    summary: ClassVar[str] = "BLEU as NLTK computes it, with its eight smoothing methods and weights."
    formula: ClassVar[str] = (
        "BLEU-NLTK = min(1, exp(1 - r/c)) * p_1^w_1 * ... * p_4^w_4, or 0 if no word matches\n"
        "p_k = (clipped k-gram matches) / (k-grams of the candidate, at least 1 per segment), then:\n"
        "method0: p = 2.2e-308 without matches; 1: + epsilon matches without matches; 2: + 1 to both, k > 1;\n"
        "3: 1/2, 1/4, ... matches; 4: 1/2, 1/4, ... times ln c / k; 5: mean of p_(k-1), p_k, p_(k+1);\n"
        "6: (matches + alpha p_(k-1)^2 / p_(k-2)) / (k-grams + alpha), k > 2; 7: 4, then 5"
    )
    paper: ClassVar[str] = """
        Chen and Cherry (2014), A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU, WMT; as in
        nltk.translate.bleu_score.
    """
    pattern: ClassVar[str] = r"BLEU-NLTK(?:-(?P<order>\d+))?"
    names: ClassVar[tuple[str, ...]] = (
        "BLEU-NLTK",
        "BLEU-NLTK:smooth=method1",
        "BLEU-NLTK-2:weights=0.75/0.25",
        "BLEU-NLTK:reweigh=yes",
    )
    example: ClassVar[Example] = Example(
        name="BLEU-NLTK-2:smooth=method1",
        candidates=("the cat the",),
        references=(("cat the dog",),),
        score=math.sqrt(2 / 3 * 1 / 2),
        why="cat and one the match, 2 of 3; the bigram cat the matches, 1 of 2: no order needs smoothing",
    )
    notes: ClassVar[str] = """
        Equal to sentence_bleu and corpus_bleu of NLTK 3.10.4, including its peculiarities: a segment without k-grams
        counts one of them, without smoothing a score of 0 is a tiny number, and weights need not sum to 1. Three
        methods of NLTK use the last segment of a corpus (5 and 7 its 5-grams, 6 its number of n-grams); here they use
        sums over the corpus, so single segments are equal and corpora are not. Method 6 is undefined without a matching
        trigram, where NLTK stops with an error: then there is no score. An empty candidate scores 0, and so does any
        candidate against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "NLTK 3.10.4",
            "12 digits of segments with every method, and of corpora with methods 0 to 4",
            "tests/peers/test_nltk.py::test_bleu",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smooth == "method6" and self.order < 3:
            raise BadParameter(f"{self.title}: method6 needs orders up to 3, not {self.order}")
        for name in ("epsilon", "alpha", "k"):
            if not 0 < getattr(self, name) <= 1e6:
                raise BadParameter(f"{self.title}: {name} is above 0, up to 1000000, not {getattr(self, name):g}")
        if self.weights is not None:
            read_weights(self.weights, self.order, self.title)

    @property
    def stem(self) -> str:
        return "BLEU-NLTK" if self.order == 4 else f"BLEU-NLTK-{self.order}"

    @property
    def highest_order(self) -> int:
        return max(self.order, _FIFTH) if self.smooth in ("method5", "method7") else self.order

    def columns(self, measured: PrecisionCounts) -> Floats:
        """[candidate length, reference length, matches, totals, totals of at least 1 per segment]"""
        n = self.highest_order
        totals = measured.totals[:, :n]
        lengths = measured.lengths, measured.reference_lengths["closest"]
        return np.column_stack([*lengths, measured.matches[:, :n], totals, np.maximum(totals, 1.0)])

    def score(self, sums: Floats) -> Floats:
        candidate, reference = sums[..., 0], sums[..., 1]
        matches, totals, counted = np.split(np.moveaxis(sums[..., 2:], -1, 0), 3)
        n = self.order
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = self._smooth(matches, totals, counted, candidate)
            logarithms = np.log(np.where(precisions > 0, precisions, 1.0))
        weights = np.full(n, 1 / n) if self.weights is None else read_weights(self.weights, n, self.title)
        exponents = np.broadcast_to(weights.reshape(-1, *[1] * candidate.ndim), logarithms.shape)
        if self.reweigh and n == 4 and self.weights is None:
            orders = np.arange(1, n + 1).reshape(-1, *[1] * candidate.ndim)
            few = (candidate > 0) & (candidate < n)
            exponents = np.where(few, (orders <= candidate) / np.maximum(candidate, 1.0), exponents)
        product = measure_penalty(candidate, reference) * np.exp(sum(exponents * logarithms))
        product = np.where(np.isnan(precisions).any(axis=0), np.nan, product)
        scores: Floats = np.where(matches[0] > 0, product, 0.0)
        return scores

    def _smooth(self, matches: Floats, totals: Floats, counted: Floats, length: Floats) -> Floats:
        """Return the smoothed precisions of orders 1 to n; NaN where the method is undefined."""
        n, method = self.order, self.smooth
        precisions = matches / counted
        missing = matches == 0
        if method == "method0":
            return np.where(missing, _SMALLEST, precisions)[:n]
        if method == "method1":
            return np.where(missing, self.epsilon / counted, precisions)[:n]
        if method == "method2":
            precisions[1:] = (matches[1:] + 1) / (counted[1:] + 1)
            return precisions
        if method == "method3":
            return np.where(missing, 0.5 ** np.cumsum(missing, axis=0) / counted, precisions)
        if method in ("method4", "method7"):
            added = 0.5 ** np.cumsum(missing[:n], axis=0) * np.log(np.maximum(length, 1.0)) / self.k
            precisions[:n] = np.where(missing[:n] & (length > 1), added / counted[:n], precisions[:n])
        if method in ("method5", "method7"):
            return self._average(precisions, matches[_FIFTH - 1] / counted[_FIFTH - 1])
        return self._interpolate(precisions, matches, totals) if method == "method6" else precisions[:n]

    def _average(self, precisions: Floats, fifth: Floats) -> Floats:
        averaged, following = [precisions[0] + 1], [*precisions[1 : self.order], fifth]
        for precision, after in zip(precisions[: self.order], following, strict=True):
            averaged.append((averaged[-1] + precision + after) / 3)
        return np.stack(averaged[1:])

    def _interpolate(self, precisions: Floats, matches: Floats, totals: Floats) -> Floats:
        smoothed = [precisions[0], precisions[1]]
        for k in range(2, self.order):
            prior = np.where(smoothed[k - 2] == 0, 0.0, smoothed[k - 1] ** 2 / smoothed[k - 2])
            smoothed.append((matches[k] + self.alpha * prior) / (totals[k] + self.alpha))
        return np.where(matches[2] > 0, np.stack(smoothed), np.nan)

    def details(self, sums: Floats) -> dict[str, Any]:
        """Return precisions before smoothing, and lengths."""
        n, highest = self.order, self.highest_order
        matches, counted = sums[2 : 2 + n], sums[2 + 2 * highest : 2 + 2 * highest + n]
        return {
            "precisions": [hits / total if total else 0.0 for hits, total in zip(matches, counted, strict=True)],
            "candidate_length": float(sums[0]),
            "reference_length": float(sums[1]),
        }
