"""The functions of nltk.translate.bleu_score of NLTK 3.10: BLEU of lists of words, and smoothing methods.

`list_of_references[i]` are the references of hypothesis i. Scores are on 0 to 1.
"""

from __future__ import annotations

import fractions
import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tarocco.compat import missing_name
from tarocco.compat.word_lists import Words, count_words
from tarocco.encode.segment_reader import HIGHEST_ORDER

__all__ = [
    *("SmoothingFunction", "brevity_penalty", "closest_ref_length", "corpus_bleu", "modified_precision"),
    "sentence_bleu",
]

Weights = Sequence[float]
Smoothing = Callable[..., list[Any]]

_UNIFORM = (0.25, 0.25, 0.25, 0.25)


class Fraction(fractions.Fraction):
    """A fraction that remembers its numerator and denominator as they were before it was reduced."""

    _over: int
    _of: int

    def __new__(cls, numerator: int, denominator: int) -> Fraction:
        self = super().__new__(cls, numerator, denominator)
        self._over, self._of = numerator, denominator
        return self

    @property
    def numerator(self) -> int:
        return self._over

    @property
    def denominator(self) -> int:
        return self._of


def sentence_bleu(
    references: Sequence[Words],
    hypothesis: Words,
    weights: Any = _UNIFORM,
    smoothing_function: Smoothing | None = None,
    auto_reweigh: bool = False,
) -> Any:
    """BLEU of one hypothesis; a list of scores for a list of weights."""
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


def corpus_bleu(
    list_of_references: Sequence[Sequence[Words]],
    hypotheses: Sequence[Words],
    weights: Any = _UNIFORM,
    smoothing_function: Smoothing | None = None,
    auto_reweigh: bool = False,
) -> Any:
    """BLEU of a corpus; a list of scores for a list of weights."""
    if len(list_of_references) != len(hypotheses):
        raise AssertionError(f"there are {len(hypotheses)} hypotheses, but references of {len(list_of_references)}")
    several = len(weights) > 0 and hasattr(weights[0], "__len__")
    by_score: list[Weights] = list(weights) if several else [weights]
    order = max(map(len, by_score))
    hits, totals, length, reference_length = [0] * order, [0] * order, 0, 0
    references: Sequence[Words] = ()
    hypothesis: Words = ()
    for references, hypothesis in zip(list_of_references, hypotheses, strict=True):
        size = len(hypothesis)
        for n, matches in enumerate(_clipped_matches(references, hypothesis, order)):
            hits[n] += matches
            totals[n] += max(1, size - n)
        length += size
        reference_length += closest_ref_length(references, size)
    if not hits or hits[0] == 0:
        return [0] * len(by_score) if len(by_score) > 1 else 0
    precisions: list[Any] = [Fraction(*pair) for pair in zip(hits, totals, strict=True)]
    smooth = smoothing_function or SmoothingFunction().method0
    precisions = smooth(precisions, references=references, hypothesis=hypothesis, hyp_len=length)
    logarithms = [math.log(precision) if precision > 0 else None for precision in precisions]
    penalty, scores = brevity_penalty(reference_length, length), []
    for weight in by_score:
        if auto_reweigh and length < len(_UNIFORM) and weight == _UNIFORM:
            weight = (1 / length,) * length
        parts = (w * value for w, value in zip(weight, logarithms, strict=False) if value is not None)
        scores.append(penalty * math.exp(math.fsum(parts)))
    return scores if len(by_score) > 1 else scores[0]


def modified_precision(references: Sequence[Words], hypothesis: Words, n: int) -> Fraction:
    """Clipped matches over n-grams of the hypothesis, at least 1."""
    return Fraction(_clipped_matches(references, hypothesis, n)[n - 1], max(1, len(hypothesis) - n + 1))


def closest_ref_length(references: Sequence[Words], hyp_len: int) -> int:
    """The length of the closest reference; the shorter one of two."""
    return min(map(len, references), key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(closest_ref_len: int, hyp_len: int) -> float:
    """The brevity penalty."""
    if hyp_len > closest_ref_len:
        return 1
    return math.exp(1 - closest_ref_len / hyp_len) if hyp_len else 0


def _clipped_matches(references: Sequence[Words], hypothesis: Words, order: int) -> list[int]:
    """Return the clipped matches of orders 1 to `order`."""
    if order <= HIGHEST_ORDER:
        matches: list[int] | None = count_words(
            [*references, hypothesis], lambda reader: reader.count_clipped_matches(order)
        )
        if matches is not None:
            return matches
    return [_count_clipped(references, hypothesis, n) for n in range(1, order + 1)]


def _count_clipped(references: Sequence[Words], hypothesis: Words, n: int) -> int:
    """Count in plain Python, for texts too long for the tables."""
    most: Counter[Any] = Counter()
    for reference in references:
        most |= _ngrams(reference, n)
    return (_ngrams(hypothesis, n) & most).total()


def _ngrams(text: Words, n: int) -> Counter[Any]:
    return Counter(zip(*(text[i:] for i in range(n)), strict=False))


class SmoothingFunction:
    """The smoothing methods of Chen and Cherry (2014), as NLTK implements them; 0 is none."""

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """No smoothing: a precision of 0 makes the score nearly 0."""
        for n, precision in enumerate(p_n, 1):
            if precision.numerator == 0:
                warnings.warn(
                    f"no {n}-gram of the hypothesis matches, so BLEU is 0; use SmoothingFunction", stacklevel=3
                )
        return [precision if precision.numerator else sys.float_info.min for precision in p_n]

    def method1(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Orders without a match have epsilon matches."""
        return [p if p.numerator else (p.numerator + self.epsilon) / p.denominator for p in p_n]

    def method2(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Add 1 to matches and totals of all orders but the first (Lin and Och 2004)."""
        return [p_n[0], *(Fraction(p.numerator + 1, p.denominator + 1) for p in p_n[1:])]

    def method3(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """The k-th order without a match has 1 / 2^k matches, as in mteval."""
        misses = 0
        for i, precision in enumerate(p_n):
            if precision.numerator == 0:
                misses += 1
                p_n[i] = 1 / (2**misses * precision.denominator)
        return p_n

    def method4(
        self, p_n: list[Any], references: Any, hypothesis: Words, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Like method 3, with fewer matches for short hypotheses."""
        length, misses = hyp_len or len(hypothesis), 0
        for i, precision in enumerate(p_n):
            if precision.numerator == 0 and length > 1:
                misses += 1
                p_n[i] = 1 / (2**misses * self.k / math.log(length)) / precision.denominator
        return p_n

    def method5(
        self, p_n: list[Any], references: Any, hypothesis: Words, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """The mean of the smoothed precision before, this one and the next one."""
        following = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        before = p_n[0] + 1
        for i, after in enumerate(following):
            before = p_n[i] = (before + p_n[i] + after) / 3
        return p_n

    def method6(
        self, p_n: list[Any], references: Any, hypothesis: Words, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Interpolate with what the two orders before let expect (Gao and He 2013)."""
        if not p_n[2]:
            raise AssertionError("method6 requires a match of three words")
        for i in range(2, len(p_n)):
            expected = 0 if p_n[i - 2] == 0 else p_n[i - 1] ** 2 / p_n[i - 2]
            total = max(0, len(hypothesis) - i)
            p_n[i] = (p_n[i].numerator + self.alpha * expected) / (total + self.alpha)
        return p_n

    def method7(
        self, p_n: list[Any], references: Any, hypothesis: Words, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Method 4, then method 5."""
        smoothed = self.method4(p_n, references, hypothesis, hyp_len)
        return self.method5(smoothed, references, hypothesis, hyp_len)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing_name(__name__, "nltk.translate.bleu_score", name)
