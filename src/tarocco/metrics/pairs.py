"""One system and one reference: counts straight from the texts, without the vocabulary of a block.

Numbering the words of a block is most of the work for metrics as fast as BLEU and WER. Here each segment is read by
itself, so that its tables stay in the processor's first cache. The counts are the same, and metrics turn them into
statistics as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarocco.core.test_set import Segments
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.encode.segment_reader import HIGHEST_ORDER, make_reader, strips_marks
from tarocco.encode.vocabulary import Ragged, Vocabulary
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.edit.rates import OneMinusWer, Wer
from tarocco.metrics.ngram.bleu import Bleu, PrecisionCounts
from tarocco.metrics.ngram.counts import LENGTHS, ngram_totals
from tarocco.metrics.rouge import RougeL, RougeN
from tarocco.metrics.text_pairs import Comparison

_MATCHES = 4  # the first column of matches in the kernel's counts


def count_pairs(
    metrics: Sequence[Metric], encoding: Encoding, candidates: Segments, references: Segments
) -> list[Floats] | None:
    """Return the statistics of each metric; None if some metric or some text needs a batch."""
    orders = [_order_of(metric) for metric in metrics]
    if None in orders or encoding.lowercase:
        return None
    reader = make_reader(encoding)
    if reader is None or (strips_marks(encoding.tokenize) and not _are_plain(candidates, references)):
        return None
    order = max(order or 0 for order in orders)
    kinds = [any(isinstance(metric, family) for metric in metrics) for family in (Wer, RougeL)]
    counts = np.empty((len(candidates), _MATCHES + order), np.intp)
    columns = candidates.text, candidates.starts, references.text, references.starts
    if reader.count_columns(*columns, order, *kinds, counts) < len(candidates):
        return None
    precisions, comparison = _measure(counts, order, encoding)
    return [
        metric.columns(precisions if isinstance(metric, Bleu) else comparison)  # type: ignore[attr-defined]
        for metric in metrics
    ]


def _order_of(metric: Metric) -> int | None:
    """Return the longest n-grams that a metric counts; None if the kernel does not count what it needs."""
    order: int | None = None
    if type(metric) is Bleu:
        order = metric.highest_order
    elif type(metric) is RougeN:
        order = metric.order
    elif type(metric) is RougeL or (type(metric) in (Wer, OneMinusWer) and not metric.counts):  # type: ignore[attr-defined]
        order = 0
    return order if order is not None and order <= HIGHEST_ORDER else None


def _are_plain(*columns: Segments) -> bool:
    """Return whether there is nothing that mteval removes before it splits words."""
    return not any(column.has_newlines or b"<skipped>" in column.text.tobytes() for column in columns)


def _measure(counts: Any, order: int, encoding: Encoding) -> tuple[PrecisionCounts, Comparison]:
    """Return the counts in the forms that metrics read."""
    lengths, reference_lengths = counts[:, 0].copy(), counts[:, 1].astype(np.float64)
    matches = counts[:, _MATCHES:].astype(np.float64)
    precisions = PrecisionCounts(
        lengths.astype(np.float64), dict.fromkeys(LENGTHS, reference_lengths), matches, ngram_totals(lengths, order)
    )
    sides = [Ragged(np.empty(0, np.int32), np.concatenate([[0], np.cumsum(counts[:, side])])) for side in (0, 1)]
    groups = Groups(np.arange(len(counts)), np.arange(len(counts) + 1))
    batch = Batch(sides[0], sides[1], groups, groups, Vocabulary(), encoding=encoding)
    return precisions, Comparison.of_counts(batch, counts[:, 2], counts[:, 3], matches)
