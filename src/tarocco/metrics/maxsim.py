"""MAXSIM: maximum-weight matching of n-grams of lemmas and parts of speech."""

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
from tarocco.metrics.linguistic.base import load_layers, replace_words, use_analyzer
from tarocco.metrics.linguistic.layers import number_labels
from tarocco.metrics.linguistic.shallow import LEMMAS, make_texts
from tarocco.metrics.meteor import keep_shared_keys
from tarocco.metrics.ngram.counts import share
from tarocco.metrics.text_pairs import TextPairs

_match = kernel(assignment, "match_ngrams")

ORDERS = 3
ALPHA = 0.9  # the weight of recall, as in the paper
_MOST_WORDS = 4096  # of a text: two matrices of this size take 256 MiB
_MARKS, _PRICES = 7, 3  # rows of the kernel's `marks` and `work`: what it notes per word; dual prices and slack

Ids = NDArray[np.int32]


def match_ngrams(pairs: TextPairs, tags: Ids, synsets: Ragged) -> Floats:
    """Return the weight of the matched n-grams of orders 1 to 3 for each pair, float64[pairs, 3].

    The words of the batch are lemmas. `tags` has one number per word, first of the candidates and then of the
    references; `synsets` has the sorted synsets of each lemma in the vocabulary.
    """
    longest = int(max(pairs.candidate_lengths.max(initial=0), pairs.reference_lengths.max(initial=0)))
    candidates, references = pairs.batch.candidates, pairs.batch.references
    candidate_words, reference_words = (
        np.stack([column.values, column_tags])
        for column, column_tags in zip((candidates, references), np.split(tags, [len(candidates.values)]), strict=True)
    )
    groups = pairs.batch.candidate_groups, pairs.batch.reference_groups
    weights, costs = np.empty((longest, longest)), np.empty((longest, longest))
    marks, prices = np.zeros((_MARKS, longest + 1), np.int32), np.empty((_PRICES, longest + 1))
    out = np.zeros((len(pairs), ORDERS))
    _match(
        *(candidate_words, candidates.offsets, groups[0].rows, groups[0].bounds),
        *(reference_words, references.offsets, groups[1].rows, groups[1].bounds),
        *(synsets.values, synsets.offsets, weights, costs, marks, prices, out),
    )
    return out


def score_pairs(matched: Floats, lengths: NDArray[np.intp], reference_lengths: NDArray[np.intp]) -> Floats:
    """Return the mean F over the orders, for texts of these lengths.

    The mean leaves out orders without n-grams in either text, so that a short copy scores 1. For two empty texts it
    is NaN.
    """
    orders = np.arange(ORDERS)
    n_candidate, n_reference = (np.maximum(counts[..., None] - orders, 0) for counts in (lengths, reference_lengths))
    # F = P R / (0.9 P + 0.1 R), multiplied out
    f = share(matched, n_candidate + ALPHA * (n_reference - n_candidate))
    with np.errstate(invalid="ignore"):
        mean: Floats = f.sum(axis=-1) / ((n_candidate > 0) | (n_reference > 0)).sum(axis=-1)
    return mean


class MaxSimPairs:
    """The lemmas and tags of a batch, and the score of every pair of candidate and reference."""

    def __init__(self, batch: Batch) -> None:
        layers = load_layers(batch)
        if (longest := int(layers.lengths.max(initial=0))) > _MOST_WORDS:
            reason = f"MAXSIM accepts texts of at most {_MOST_WORDS} words, found one of {longest}"
            raise layers.make_error(int(layers.lengths.argmax()), reason)
        self._tags = number_labels(layers.flat("tags"), str.upper)[0].astype(np.int32)
        self.pairs = TextPairs(replace_words(batch, make_texts(layers, LEMMAS)))

    @cached_property
    def scores(self) -> Floats:
        """The score of each pair; NaN for two texts without words."""
        from tarocco.encode.wordnet import wordnet  # a table of 4 MB

        pairs = self.pairs
        synsets = keep_shared_keys(wordnet().synset_ids(pairs.batch.vocabulary, inflected=False))
        matched = match_ngrams(pairs, self._tags, synsets)
        return score_pairs(matched, pairs.candidate_lengths, pairs.reference_lengths)


@dataclass(frozen=True)
class MaxSim(OnePassMetric):
    """The n-gram part of MAXSIM: F of unigrams, bigrams and trigrams, matched one to one with maximum weight.

        MAXSIM = (F_1 + F_2 + F_3) / 3
        F_n = P_n R_n / (0.9 P_n + 0.1 R_n), P_n = M_n / (n-grams of c), R_n = M_n / (n-grams of r)

    where M_n is the total weight of the matched n-grams.

    References
    ----------
    Chan and Ng (2008), MAXSIM: A Maximum Similarity Metric for Machine Translation Evaluation, ACL, pages 55-62.
    """

    references: str = parameter(
        "average", "score with several references: the mean, or the best", choices=("average", "best")
    )

    title: ClassVar[str] = "MAXSIM"
    summary: ClassVar[str] = (
        "F of unigrams, bigrams and trigrams of lemmas and synonyms, matched one to one with maximum weight."
    )
    formula: ClassVar[str] = (
        "n = 1, 2, 3: n-grams are matched one to one; first those with equal lemmas and parts of speech,\n"
        "  then those with equal lemmas, each with weight 1; then the rest, so that the sum of weights is maximal:\n"
        "  w(word, word') = (1 + [same part of speech]) / 2 if they share the lemma or a synset, 0 otherwise\n"
        "  w(n-gram, n-gram') = the mean weight of its words, or 0 if one of the weights is 0\n"
        "M = sum of the weights, P = M / n-grams of c, R = M / n-grams of r, F_n = P R / (0.9 P + 0.1 R)\n"
        "MAXSIM = (F_1 + F_2 + F_3) / 3\n"
        "several references: the mean of their scores; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = (
        "Chan and Ng (2008), MAXSIM: A Maximum Similarity Metric for Machine Translation Evaluation, ACL, pages 55-62; "
        "the part without dependency relations, which Chiang et al. (2008), Decomposability of Translation Metrics for "
        "Improved Evaluation and Efficient Algorithms, EMNLP, evaluate."
    )
    pattern: ClassVar[str] = r"MAXSIM(?:-?n)?"
    names: ClassVar[tuple[str, ...]] = ("MAXSIM", "MAXSIM:references=best")
    also: ClassVar[tuple[tuple[str, str], ...]] = (
        ("MAXSIM-n", "MAXSIM; the paper's name for the part without dependency relations"),
    )
    example: ClassVar[Example] = Example(
        name="MAXSIM",
        candidates=("the cars began",),
        references=(("the automobile started",),),
        score=(2.5 / 3 + 1.5 / 2 + 2.5 / 3) / 3,
        why="the has weight 1; car (NNS) and automobile (NN) are synonyms, 1/2; begin and start (VBD) are synonyms, 1. "
        "Bigrams: (1 + 1/2) / 2 and (1/2 + 1) / 2; trigram: (1 + 1/2 + 1) / 3. Both texts have 3, 2 and 1 n-grams, so "
        "F is M divided by these",
    )
    notes: ClassVar[str] = """
        Lemmas and parts of speech come from the analyzer; case is ignored. Synsets are those of WordNet 3.0 for a lemma
        with any part of speech, so the last step is for English. In the first two steps each n-gram, from left to
        right, is matched with the first one that fits; if a lemma occurs with several parts of speech, this rule
        decides which of them remain for the third step. In the third step only the sum of weights counts, which is the
        same for all best matchings. In the paper, two unigrams with the same part of speech have weight 1/2 even if
        they are not synonyms; here they have weight 0, as in longer n-grams. Two words are synonyms if they share a
        synset, not if they have a common synonym; every lemma is a synonym of itself, even if WordNet does not have it.
        As in the paper, the score is the mean over the references, so a text close to all of them can score higher than
        a copy of one; references=best takes the best. Punctuation marks are words. The second part of the paper,
        dependency relations, is not implemented. An order without n-grams in either text is left out of the mean. An
        empty candidate scores 0, and so does any candidate against an empty reference; two empty texts have no score,
        and the corpus score ignores the segment. Texts have at most 4096 words.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "textbook version",
            "12 digits, on lemmas and tags generated by Hypothesis",
            "tests/test_maxsim.py::test_textbook",
        ),
        Agreement(
            "SciPy 1.17.1",
            "12 digits of the third step's sum, by linear_sum_assignment",
            "tests/kernels/test_maxsim.py::test_scipy_assigns_as_much",
        ),
    )

    def reads(self, encoding: Encoding) -> Encoding:
        return Encoding("none", lowercase=True, analyzer=use_analyzer(encoding).analyzer)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> MaxSimPairs:
        return MaxSimPairs(batch)

    def columns(self, measured: MaxSimPairs) -> Floats:
        """Return the statistics: a row [score, 1] per candidate, or [0, 0] if there is no score."""
        pairs, values = measured.pairs, measured.scores[measured.pairs.choices]
        if not len(values):
            return np.zeros((0, 2))
        if self.references == "best":
            scores: Floats = np.fmax.reduceat(values, pairs.starts[:-1])
        else:  # sorted, so that the sum does not depend on the order of the references
            values = values[np.lexsort((values, pairs.owners))]
            n_scores = np.add.reduceat(~np.isnan(values), pairs.starts[:-1], dtype=np.float64)
            with np.errstate(invalid="ignore"):
                scores = np.add.reduceat(np.nan_to_num(values), pairs.starts[:-1]) / n_scores
        exists = ~np.isnan(scores)
        return np.column_stack([np.where(exists, scores, 0.0), exists])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)

    def details(self, sums: Floats) -> dict[str, Any]:
        return {"segments": int(sums[1])}
