"""MAXSIM, the n-gram part: n-grams of lemmas with parts of speech, matched one to one with the largest weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch, Encoding
from tarocco.encode.vocabulary import Ragged
from tarocco.kernels import assignment, kernel
from tarocco.metrics.base import Agreement, Example, Floats, OnePassMetric, parameter
from tarocco.metrics.comparison import TextPairs
from tarocco.metrics.linguistic.base import analyzed, in_words, layers_of
from tarocco.metrics.linguistic.layers import named
from tarocco.metrics.linguistic.shallow import texts
from tarocco.metrics.meteor import shared_keys
from tarocco.metrics.ngram.counts import share

_match = kernel(assignment, "match_ngrams")

ORDERS = 3
ALPHA = 0.9  # what recall counts; the paper's
_MOST_WORDS = 4096  # of a text: matrices of so many rows and columns take 256 MiB

Ids = NDArray[np.int32]


def matched_ngrams(pairs: TextPairs, tags: Ids, synsets: Ragged) -> Floats:
    """float64[pairs, 3]: the weight of the matched n-grams of orders 1 to 3, for each candidate and reference.

    The words of the batch are lemmas; `tags` has a number for each of them, the candidates' and then the references';
    `synsets` has those of each lemma of the vocabulary, in their order.
    """
    longest = int(max(pairs.candidate_lengths.max(initial=0), pairs.reference_lengths.max(initial=0)))
    candidates, references = pairs.batch.candidates, pairs.batch.references
    words, there = (
        np.stack([column.values, of_column])
        for column, of_column in zip((candidates, references), np.split(tags, [len(candidates.values)]), strict=True)
    )
    groups = pairs.batch.candidate_groups, pairs.batch.reference_groups
    rooms = np.empty((longest, longest)), np.empty((longest, longest)), np.zeros((7, longest + 1), np.int32)
    out = np.zeros((len(pairs), ORDERS))
    _match(
        *(words, candidates.offsets, groups[0].rows, groups[0].bounds),
        *(there, references.offsets, groups[1].rows, groups[1].bounds),
        *(synsets.values, synsets.offsets, *rooms, np.empty((3, longest + 1)), out),
    )
    return out


def score_of_pairs(matched: Floats, lengths: NDArray[np.intp], reference_lengths: NDArray[np.intp]) -> Floats:
    """The mean over the orders of F, for texts of these lengths.

    An order of which neither side has n-grams is left out of the mean, so that a short copy scores 1; of two empty
    texts nothing is left, and the score is NaN.
    """
    orders = np.arange(ORDERS)
    own, there = (np.maximum(one[..., None] - orders, 0) for one in (lengths, reference_lengths))
    # P R / (0.9 P + 0.1 R), without fractions
    f = share(matched, own + ALPHA * (there - own))
    with np.errstate(invalid="ignore"):
        mean: Floats = f.sum(axis=-1) / ((own > 0) | (there > 0)).sum(axis=-1)
    return mean


class Matched:
    """The lemmas and tags of a batch, and what every candidate scores with each of its references."""

    def __init__(self, batch: Batch) -> None:
        layers = layers_of(batch)
        if (longest := int(layers.lengths.max(initial=0))) > _MOST_WORDS:
            said = f"MAXSIM takes texts of at most {_MOST_WORDS} words, here is one of {longest}"
            raise layers.refused(int(layers.lengths.argmax()), said)
        self._tags = named(layers.flat("tags"), str.upper)[0].astype(np.int32)
        self.pairs = TextPairs(in_words(batch, texts(layers, "l")))

    @cached_property
    def scores(self) -> Floats:
        """float64[pairs]; NaN of two texts without words."""
        from tarocco.encode.wordnet import wordnet  # a table of 4 MB

        pairs = self.pairs
        synsets = shared_keys(wordnet().synset_ids(pairs.batch.vocabulary, inflected=False))
        matched = matched_ngrams(pairs, self._tags, synsets)
        return score_of_pairs(matched, pairs.candidate_lengths, pairs.reference_lengths)


@dataclass(frozen=True)
class MaxSim(OnePassMetric):
    """The mean F of unigrams, bigrams and trigrams of lemmas, matched one to one with the largest weight."""

    references: str = parameter(
        "average", "of several references: the mean of their scores, or the best one", choices=("average", "best")
    )

    title: ClassVar[str] = "MAXSIM"
    summary: ClassVar[str] = (
        "F of unigrams, bigrams and trigrams of lemmas, synonyms too, matched one to one with the largest weight."
    )
    formula: ClassVar[str] = (
        "n = 1, 2, 3: n-grams are matched one to one; first those that agree in lemmas and parts of speech,\n"
        "  then those that agree in lemmas, each with weight 1; then the rest, so that the sum of weights is largest:\n"
        "  w(word, word') = (1 + [same part of speech]) / 2 for the same lemma or a synset in common, 0 for others\n"
        "  w(n-gram, n-gram') = the mean of its words' weights, or 0 if one of them is 0\n"
        "M = sum of the weights, P = M / n-grams of c, R = M / n-grams of r, F_n = P R / (0.9 P + 0.1 R)\n"
        "MAXSIM = (F_1 + F_2 + F_3) / 3\n"
        "several references: the mean of their scores; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = (
        "Chan and Ng (2008), MAXSIM: A Maximum Similarity Metric for Machine Translation Evaluation, ACL, pages 55-62; "
        "the part without dependency relations, which Chiang et al. (2008), Decomposability of Translation Metrics for "
        "Improved Evaluation and Efficient Algorithms, EMNLP, put on trial."
    )
    pattern: ClassVar[str] = r"MAXSIM(?:-?n)?"
    names: ClassVar[tuple[str, ...]] = ("MAXSIM", "MAXSIM:references=best")
    also: ClassVar[tuple[tuple[str, str], ...]] = (
        ("MAXSIM-n", "MAXSIM; the paper's name of the part that leaves dependency relations out"),
    )
    example: ClassVar[Example] = Example(
        name="MAXSIM",
        candidates=("the cars began",),
        references=(("the automobile started",),),
        score=(2.5 / 3 + 1.5 / 2 + 2.5 / 3) / 3,
        why="the is the same, 1; car (NNS) and automobile (NN) are synonyms, 1/2; begin and start (VBD) are synonyms, "
        "1. Bigrams: (1 + 1/2) / 2 and (1/2 + 1) / 2, the trigram: (1 + 1/2 + 1) / 3. Both have 3, 2 and 1 n-grams, so "
        "F is M over that",
    )
    notes: ClassVar[str] = """
        Lemmas and parts of speech are the analyzer's, and case does not matter; synsets are those that WordNet 3.0
        has for a lemma, of whatever part of speech, so the last step is for English. In the first two steps n-grams are
        taken from left to right, each with the first one that it matches; where a lemma occurs with several parts of
        speech, that rule decides which of them is left for the third step. There only the sum counts, which all best
        matchings have in common. In the paper two unigrams of the same part of speech weigh 1/2 even if they are no
        synonyms; here they weigh nothing, as in longer n-grams. Two words are synonyms if they share a synset, not if
        they have a synonym in common, and every lemma is its own synonym, be it in WordNet or not. As in the paper, the
        score is the mean over the references, so that something close to all of them can score higher than a copy of
        one; references=best takes the best. Punctuation marks are words. Dependency relations, the paper's second
        part, are not there. An order of which neither text has n-grams is left out of the mean. An empty candidate
        scores 0, and so does any candidate against an empty reference; two empty texts have no score, and the segment
        is left out of the corpus. Texts have at most 4096 words.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "textbook version",
            "12 digits, lemmas and tags made up by Hypothesis",
            "tests/test_maxsim.py::test_textbook",
        ),
        Agreement(
            "SciPy 1.17.1",
            "12 digits of the third step's sum, by linear_sum_assignment",
            "tests/kernels/test_maxsim.py::test_scipy_assigns_as_much",
        ),
    )

    def reads(self, asked: Encoding) -> Encoding:
        return Encoding("none", lowercase=True, analyzer=analyzed(asked).analyzer)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Matched:
        return Matched(batch)

    def columns(self, measured: Matched) -> Floats:
        """[the score, 1], or [0, 0] where there is none"""
        pairs, values = measured.pairs, measured.scores[measured.pairs.choices]
        if not len(values):
            return np.zeros((0, 2))
        if self.references == "best":
            scores: Floats = np.fmax.reduceat(values, pairs.starts[:-1])
        else:  # added in the order of their size, so that the order of the references does not matter
            values = values[np.lexsort((values, pairs.owners))]
            exist = np.add.reduceat(~np.isnan(values), pairs.starts[:-1], dtype=np.float64)
            with np.errstate(invalid="ignore"):
                scores = np.add.reduceat(np.nan_to_num(values), pairs.starts[:-1]) / exist
        exists = ~np.isnan(scores)
        return np.column_stack([np.where(exists, scores, 0.0), exists])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)

    def details(self, sums: Floats) -> dict[str, Any]:
        return {"segments": int(sums[1])}
