"""chrF and chrF++: the F-score of character n-grams, and of words."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, OnePassMetric, parameter
from tarocco.metrics.names import Value
from tarocco.metrics.ngram.counts import ngram_totals
from tarocco.metrics.text_pairs import TextPairs, shared_matches

HIGHEST_ORDER = 100
TIES = ("first", "shortest")

EPSILON = 1e-16  # the score of an order that a text does not have, as in chrF++.py and sacrebleu
_PLUSES = 2  # the most word orders with a name: chrF+, chrF++


def _triples(batch: Batch, order: int) -> Floats:
    """Return float64[pairs, order, 3]: n-grams of the candidate, of the reference, and matches.

    If the reference has no n-grams of an order, the candidate's do not count.
    """
    pairs = TextPairs(batch)
    references = ngram_totals(pairs.reference_lengths, order)
    candidates = np.where(references > 0, ngram_totals(pairs.candidate_lengths, order), 0.0)
    return np.stack([candidates, references, shared_matches(batch, order)], axis=-1)


def _sum(orders: Floats) -> Floats:
    """Add order by order: the rounding of np.sum depends on the memory layout."""
    return functools.reduce(np.add, orders)


class ChrFCounts:
    """The counts of all pairs up to the highest order of all members, each kind computed on first use."""

    def __init__(self, batch: Batch, lowercase: bool, char_order: int, word_order: int) -> None:
        self.pairs = TextPairs(batch)
        self._batch = self.pairs.batch
        self._lowercase = lowercase
        self._char_order = char_order
        self._word_order = word_order

    @functools.cached_property
    def characters(self) -> Floats:
        return _triples(self._batch, self._char_order)

    @functools.cached_property
    def characters_and_spaces(self) -> Floats:
        return _triples(self._batch.code_points(self._lowercase), self._char_order)

    @functools.cached_property
    def words(self) -> Floats:
        return _triples(self._batch.encoded(Encoding("chrf", self._lowercase)), self._word_order)


@dataclass(frozen=True)
class ChrF(OnePassMetric):
    """F-score of character n-grams (Popović 2015), in chrF++ also of word n-grams (Popović 2017)."""

    char_order: int = parameter(6, "the longest n-grams of characters that count; 0 for none")
    min_char_order: int | None = parameter(None, "the shortest n-grams of characters that count", kind=int, depends="1")
    word_order: int = parameter(0, "the longest n-grams of words that count, 2 in chrF++")
    beta: float = parameter(2.0, "how many times as much recall weighs as precision, 3 in chrF3")
    lowercase: bool = parameter(False, "read the text in lower case")
    whitespace: bool = parameter(False, "count spaces as characters")
    eps_smoothing: bool = parameter(
        False, "the mean of each order's F-score, 1e-16 for missing orders, as in chrF++.py"
    )
    ties: str = parameter("first", "among references with the same score: the first, or the shortest", choices=TIES)

    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 0.0)
    title: ClassVar[str] = "chrF"
    summary: ClassVar[str] = "F-score of character n-grams of orders 1 to 6; chrF++ adds words and pairs of words."
    formula: ClassVar[str] = (
        "chrF = (1 + b^2) P R / (b^2 P + R), b = 2\n"
        "P = mean over orders n of (n-gram matches) / (n-grams of the candidate), summed over the segments\n"
        "R = mean over orders n of (n-gram matches) / (n-grams of the reference)\n"
        "orders: 1 to 6 of characters without spaces; chrF++ also 1 and 2 of words\n"
        "several references: the one with the highest chrF of the segment"
    )
    also: ClassVar[tuple[tuple[str, str], ...]] = (
        ("chrF++", "chrF that also counts n-grams of words, orders 1 and 2; chrF+ counts only order 1."),
    )
    paper: ClassVar[str] = """
        Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT. chrF++: Popović (2017), chrF++:
        words helping character n-grams, WMT. beta = 2: Popović (2016), chrF deconstructed, WMT.
    """
    pattern: ClassVar[str] = r"chrF(?P<beta>\d+)?(?P<pluses>\+{1,2})?"
    names: ClassVar[tuple[str, ...]] = (
        "chrF",
        "chrF++",
        "chrF:beta=3",
        "chrF:lowercase=yes",
        "chrF:whitespace=yes",
        "chrF:eps_smoothing=yes",
        "chrF:min_char_order=3",
    )
    example: ClassVar[Example] = Example(
        name="chrF:char_order=2",
        candidates=("ab c",),
        references=(("abd",),),
        score=7 / 12,
        why="abc and abd: a, b match, 2/3; ab matches, 1/2; precision and recall are both (2/3 + 1/2) / 2",
    )
    notes: ClassVar[str] = """
        Equal to sacrebleu 2.6.0 with the same parameters (its scores are times 100); chrF2 and chrF3++ are its names
        for beta=2 and beta=3. The raw text is read; the run's tokenizer and case do not apply. Words are separated by
        spaces, and one punctuation mark is split off: the last character, or else the first. Among references with the
        same F-score for a segment the first one counts, as in sacrebleu. The segment's score is the same for all of
        them, but the corpus score then depends on the order of references if an empty candidate, or one that matches
        nothing, has several; with ties=shortest the shortest one counts (then the one with more matches of the lowest
        order), and the order does not matter. Orders for which candidate or reference have no n-grams are left out;
        with eps_smoothing they count 1e-16, as in chrF++.py and NLTK. An empty candidate scores 0, and so does any
        candidate against an empty reference (1e-16 with eps_smoothing).
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "sacrebleu 2.6.0",
            "12 digits, corpus and segments, any text, every parameter that it has",
            "tests/peers/test_chrf.py::test_several_references",
        ),
        Agreement(
            "NLTK 3.10.4",
            "12 digits of every segment, with one reference and beta=3:eps_smoothing=yes, also from min_char_order on",
            "tests/golden/test_chrf.py::test_nltk",
        ),
    )
    scale: ClassVar[float] = 100.0

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        in_stem = super().read_stem(stem)
        if in_stem is None:
            return None
        parameters = dict(in_stem)
        if "pluses" in parameters:
            parameters["word_order"] = str(len(parameters.pop("pluses")))
        return parameters

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.first_order <= max(self.char_order, 1):
            raise BadParameter(
                f"{self.title}: min_char_order is 1 to char_order, {self.char_order}, not {self.min_char_order}"
            )
        if self.min_char_order == 1:  # signatures mention it only if it differs
            object.__setattr__(self, "min_char_order", None)
        if self.char_order < 0 or self.word_order < 0 or self.order == 0:
            raise BadParameter(
                f"{self.title}: char_order and word_order are 0 or more and not both 0, "
                f"not {self.char_order} and {self.word_order}"
            )
        if max(self.char_order, self.word_order) > HIGHEST_ORDER:
            raise BadParameter(f"{self.title}: char_order and word_order are at most {HIGHEST_ORDER}")
        if not 0 <= self.beta <= 1e6:
            raise BadParameter(f"{self.title}: beta is 0 to 1000000, not {self.beta:g}")

    @property
    def first_order(self) -> int:
        """The order of the shortest n-grams of characters."""
        return 1 if self.min_char_order is None else self.min_char_order

    @property
    def order(self) -> int:
        """The number of orders, of characters and words."""
        return max(self.char_order - self.first_order + 1, 0) + self.word_order

    @property
    def stem(self) -> str:
        return "chrF" + "+" * self.word_order if self.word_order <= _PLUSES else "chrF"

    def default(self, parameter: str) -> Value | None:
        if parameter == "word_order" and self.word_order <= _PLUSES:
            return self.word_order
        return super().default(parameter)

    def reads(self, requested: Encoding) -> Encoding:
        return Encoding("char", self.lowercase)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> ChrFCounts:
        """Count for all members, which have the same case because they read text in the same way."""
        char_order, word_order = (
            max(getattr(metric, kind) for metric in metrics) for kind in ("char_order", "word_order")
        )
        return ChrFCounts(batch, metrics[0].lowercase, char_order, word_order)

    def columns(self, measured: ChrFCounts) -> Floats:
        """[n-grams of the candidate, of the reference, matches] for each order, of the best reference"""
        rows, _, best = self._choose(measured)
        return rows[best]

    def scores(self, measured: ChrFCounts) -> Floats:
        """Return the scores by which the references were chosen."""
        if not self.counts_as(ChrF):
            return super().scores(measured)
        _, scores, best = self._choose(measured)
        return scores[best]

    def _choose(self, measured: ChrFCounts) -> tuple[Floats, Floats, NDArray[np.intp]]:
        """Return the counts and scores of all pairs, and the pair that each candidate chooses."""
        parts = []
        if self.char_order:
            characters = measured.characters_and_spaces if self.whitespace else measured.characters
            parts.append(characters[:, self.first_order - 1 : self.char_order])
        if self.word_order:
            parts.append(measured.words[:, : self.word_order])
        triples = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
        rows = triples.reshape(len(triples), 3 * self.order)
        scores = self.score(rows)
        # The shortest, then the one with more matches: pairs with equal keys have the same counts.
        by_content = (*triples[..., 1].T, *-triples[..., 2].T) if self.ties == "shortest" else ()
        return rows, scores, measured.pairs.least(-100 * scores, *by_content)  # percent, for sacrebleu's ties

    def _rates(self, sums: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return precision, recall and whether each order exists, orders first; NaN if there are no n-grams."""
        candidate, reference, matches = (np.moveaxis(sums[..., i::3], -1, 0) for i in range(3))
        with np.errstate(invalid="ignore"):
            return matches / candidate, matches / reference, (candidate > 0) & (reference > 0)

    def score(self, sums: Floats) -> Floats:
        precision, recall, exists = self._rates(sums)
        if self.eps_smoothing:
            precision, recall = (np.where(np.isnan(rate), EPSILON, rate) for rate in (precision, recall))
            scores = self._f_score(precision, recall)
            return _sum(np.where(np.isnan(scores), EPSILON, scores)) / self.order
        used = np.maximum(exists.sum(axis=0), 1)
        precision, recall = (_sum(np.where(exists, rate, 0.0)) / used for rate in (precision, recall))
        scores = self._f_score(precision, recall)
        return np.where(np.isnan(scores), 0.0, scores)

    def _f_score(self, precision: Floats, recall: Floats) -> Floats:
        """Return the F-score; NaN if both are 0."""
        factor = self.beta**2
        with np.errstate(invalid="ignore"):
            return (1 + factor) * precision * recall / (factor * precision + recall)

    def details(self, sums: Floats) -> dict[str, Any]:
        """Return precision and recall of each order, of characters and then of words."""
        precision, recall, exists = self._rates(sums)
        return {
            "precisions": np.where(exists, precision, 0.0).tolist(),
            "recalls": np.where(exists, recall, 0.0).tolist(),
        }
