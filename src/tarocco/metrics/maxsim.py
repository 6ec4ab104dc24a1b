"""MAXSIM, the n-gram part: n-grams of lemmas with parts of speech, matched one to one with the largest weight in sum.

This is the measurement. The metric itself waits for lemmas and tags, which an analyzer gives: with them, the value of
each pair is what `score` makes of `matched_ngrams`. Until then `MAXSIM` is a name that is not there yet.

    For n = 1, 2, 3, n-grams are matched where lemmas and tags agree, then where lemmas agree, and each match weighs 1.
    What is left is matched so that the sum of weights is largest. Two words that are synonyms (that share a synset, or
    are the same lemma) weigh 1 if their tags agree and 1/2 if not, other words 0; an n-gram weighs the mean of its
    words, and 0 if one of them weighs 0.
    P = weight / n-grams of c, R = weight / n-grams of r, F_n = P R / (0.9 P + 0.1 R); MAXSIM = (F_1 + F_2 + F_3) / 3

Chan and Ng (2008), MAXSIM: A Maximum Similarity Metric for Machine Translation Evaluation, ACL.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.vocabulary import Ragged
from tarocco.errors import InputError
from tarocco.kernels import assignment, kernel
from tarocco.metrics.base import Floats
from tarocco.metrics.counts import share
from tarocco.metrics.pairing import Pairs

_match = kernel(assignment, "match")

ORDERS = 3
ALPHA = 0.9  # what recall counts; the paper's
_MOST_WORDS = 4096  # of a text: matrices of so many rows and columns take 256 MiB

Ids = NDArray[np.int32]


def matched_ngrams(pairs: Pairs, lemmas: tuple[Ids, Ids], tags: tuple[Ids, Ids], synsets: Ragged) -> Floats:
    """float64[pairs, 3]: the weight of the matched n-grams of orders 1 to 3, for each candidate and reference.

    `lemmas` and `tags` have a number for each word of the candidates and of the references, as the batch has them;
    `synsets` has those of each lemma, in their order.
    """
    longest = int(max(pairs.candidate_lengths.max(initial=0), pairs.reference_lengths.max(initial=0)))
    if longest > _MOST_WORDS:
        raise InputError(f"MAXSIM takes texts of at most {_MOST_WORDS} words; here is one of {longest}")
    batch = pairs.batch
    words, texts = (np.ascontiguousarray(np.stack(both), np.int32) for both in zip(lemmas, tags, strict=True))
    groups = batch.candidate_groups, batch.reference_groups
    rooms = np.empty((longest, longest)), np.empty((longest, longest)), np.zeros((7, longest + 1), np.int32)
    out = np.zeros((len(pairs), ORDERS))
    _match(
        *(words, batch.candidates.offsets, groups[0].rows, groups[0].bounds),
        *(texts, batch.references.offsets, groups[1].rows, groups[1].bounds),
        *(synsets.values, synsets.offsets, *rooms, np.empty((3, longest + 1)), out),
    )
    return out


def score(matched: Floats, lengths: NDArray[np.intp], reference_lengths: NDArray[np.intp]) -> Floats:
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
