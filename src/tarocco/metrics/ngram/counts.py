"""Clipped n-gram counts of a batch, for BLEU and NIST, and the effective lengths of references."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.kernels import kernel, ngram_matches, segments
from tarocco.metrics.base import Floats
from tarocco.metrics.text_pairs import TextPairs, shared_matches, table_size

_clipped_matches = kernel(ngram_matches, "count_clipped_matches")
_reference_lengths = kernel(segments, "measure_reference_lengths")

LENGTHS = ("closest", "shortest", "average")


@dataclass(frozen=True, eq=False)
class NgramWeights:
    """The numbered n-grams of a whole reference set (see nist.py) and their counts, for the words of one batch."""

    words: NDArray[np.int32]  # the number of each word of the batch, -1 for none
    pair_keys: NDArray[np.uint64]
    pair_grams: NDArray[np.int32]
    shift: int
    counts: NDArray[np.int32]  # by number
    total: float  # the number of words


_NONE = np.full(1, -1, np.int32)
_NO_WEIGHTS = NgramWeights(_NONE, np.zeros(1, np.uint64), _NONE, 63, _NONE, 1.0)


def clipped_matches(batch: Batch, order: int, weights: NgramWeights | None = None) -> Floats:
    """Return float64[candidates, order]: the clipped matches of each order, or the sums of their weights."""
    whole = batch.whole
    if whole is None:
        return _matches(batch, order, weights)
    if weights is None and (batch.reference_groups.sizes == 1).all():
        # With one reference, clipped matches are shared matches.
        return shared_matches(whole, order)[TextPairs(batch).choices]
    left_out = batch.left_out
    if left_out is None:
        return _matches(batch, order, weights)
    sets = np.repeat(whole.reference_groups.sizes + 1, whole.candidate_groups.sizes)
    rows = (np.cumsum(sets) - sets)[batch.places[0]] + left_out[batch.candidate_groups.segments] + 1
    matches: Floats = _matches(whole, order, weights, int(sets.sum()))[rows]
    return matches


def _matches(batch: Batch, order: int, weights: NgramWeights | None, leaving_out: int = 0) -> Floats:
    """Return the matches of each candidate; with `leaving_out` rows, also those without each of its references."""
    n_words = len(batch.vocabulary)
    if weights is not None and len(weights.words) != n_words:
        raise ValueError("the weights belong to another vocabulary")
    most = int(batch.reference_words.max(initial=0)) * order + 1
    size, shift = table_size(most)
    context = weights or _NO_WEIGHTS
    matches = np.zeros((leaving_out or len(batch), order))
    _clipped_matches(
        *batch.arrays,
        leaving_out > 0,
        order,
        np.full((n_words, 2), -1, np.int32),
        np.zeros(size, np.uint64),
        np.zeros(size, np.int32),
        np.full(size, -1, np.int32),
        shift,
        np.zeros((most, 6), np.int32),
        np.zeros(most if weights else 0),
        weights is not None,
        context.words,
        context.pair_keys,
        context.pair_grams,
        context.shift,
        context.counts,
        context.total,
        matches,
    )
    return matches


def reference_lengths(batch: Batch) -> Floats:
    """Return float64[candidates, 3]: the closest, shortest and average reference length of each candidate."""
    lengths = np.zeros((len(batch), len(LENGTHS)))
    _reference_lengths(*batch.arrays, lengths)
    return lengths


def ngram_totals(lengths: NDArray[np.intp], order: int) -> Floats:
    """Return float64[candidates, order]: the number of n-grams of each order in texts of these lengths."""
    totals: Floats = np.maximum(lengths[:, None] - np.arange(order), 0).astype(np.float64)
    return totals


def share(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, or 0 if the whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
