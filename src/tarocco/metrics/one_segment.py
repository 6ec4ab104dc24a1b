"""The metrics of one segment, number by number: what `Scorer` and the drop-in modules use for a single call.

An array for four numbers takes longer than counting the words of a sentence. Here the statistics of one candidate and
its score are computed without arrays, for the metrics that people use as rewards: BLEU, WER and PER, ROUGE-N and
ROUGE-L, chrF. They have the same bits as those of a batch (tests/test_scorer.py compares them).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, Protocol

import numpy as np

from tarocco.encode.batch import Encoding
from tarocco.encode.segment_reader import HIGHEST_ORDER, make_reader, strips_marks
from tarocco.metrics.base import Metric
from tarocco.metrics.edit.rates import OneMinusPer, OneMinusWer, Per, Wer
from tarocco.metrics.ngram.bleu import Bleu
from tarocco.metrics.ngram.chrf import EPSILON, ChrF
from tarocco.metrics.rouge import RougeL, RougeN

Row = list[float]  # statistics
Reader = Any  # kernels.text_pairs.SegmentReader
Lengths = Sequence[int]  # of the references, and of the candidate


class OneSegmentForm(Protocol):
    """A metric as functions of plain numbers. Readers have read the segment, each with one of `encodings`."""

    encodings: tuple[Encoding, ...]

    def row(self, readers: Sequence[Reader], lengths: Sequence[Lengths]) -> Row | None:
        """Return the statistics; None if the texts are too long."""

    def score(self, row: Row) -> float:
        """Return the score of a row of statistics."""


def one_segment_form(metric: Metric, requested: Encoding) -> OneSegmentForm | None:
    """Return a metric's functions of plain numbers; None if it has none, or none for these parameters."""
    encoding = metric.reads(requested)
    for kind, families, handled in _FORMS:
        if type(metric) in families and _only_has(metric, handled):
            form: OneSegmentForm = kind(metric, encoding)
            return form
    return None


def _only_has(metric: Metric, handled: Sequence[str]) -> bool:
    """Return whether all parameters except these have their defaults, and whether orders are not too high."""
    for field in dataclasses.fields(metric):
        value = getattr(metric, field.name)
        if field.name in ("order", "char_order", "word_order"):
            if value > HIGHEST_ORDER:
                return False
        elif value == "1.5.5" or (field.name not in handled and value != metric.default(field.name)):
            return False
    return True


class _BleuForm:
    def __init__(self, metric: Bleu, encoding: Encoding) -> None:
        self.encodings = (encoding,)
        self.order, self.length, self.smooth = metric.order, metric.length, metric.smooth
        self.value, self.orders = metric.value or 0.0, metric.orders

    def row(self, readers: Sequence[Reader], lengths: Sequence[Lengths]) -> Row | None:
        """[length of the candidate, reference length, matches 1..n, totals 1..n]"""
        (*references, candidate), order = lengths[0], self.order
        if len(references) == 1:
            reference: float = references[0]
        elif self.length == "closest":
            reference = min(references, key=lambda length: (abs(length - candidate), length))
        else:
            reference = min(references) if self.length == "shortest" else sum(references) / len(references)
        matches = readers[0].count_clipped_matches(order)
        totals = [candidate - n if candidate > n else 0 for n in range(order)]
        return [candidate, reference, *matches, *totals]

    def score(self, row: Row) -> float:
        candidate, reference = row[0], row[1]
        matches, totals = row[2 : 2 + self.order], row[2 + self.order :]
        smooth, orders, misses, used = self.smooth, self.orders, 0, 0
        if (orders != "v13a" and not any(matches)) or candidate == 0:
            return 0.0
        precisions = []
        for n, (hits, total) in enumerate(zip(matches, totals, strict=True)):
            if n and smooth == "add-k":
                hits += self.value
                total += self.value
            if total == 0:
                precisions.append(0.0 if orders == "all" else 1.0)
                continue
            used += 1
            if hits == 0:
                misses += 1
                if smooth == "exp":
                    hits = 0.5**misses
                elif smooth == "floor":
                    hits = self.value
            precisions.append(hits / total)
        if not all(precisions):
            return 0.0
        first, *others = np.log(precisions).tolist()  # math.log may differ in the last bit
        for logarithm in others:
            first += logarithm
        divisor = max(used, 1) if orders == "effective" else self.order
        score: float = np.exp(first / divisor).item()
        if candidate < reference:
            score = np.exp(1.0 - reference / candidate).item() * score
        return score


class _ErrorRateForm:
    def __init__(self, metric: Wer | Per, encoding: Encoding) -> None:
        self.encodings = (encoding,)
        self.by_rate, self.of_chosen = metric.select == "rate", metric.weights == "chosen"
        self.in_order = isinstance(metric, Wer)
        self.similarity = metric.kind == "similarity"

    def row(self, readers: Sequence[Reader], lengths: Sequence[Lengths]) -> Row | None:
        """[rate times weight, weight]"""
        *references, candidate = lengths[0]
        if self.in_order:
            errors = readers[0].count_distances(False)
            if errors is None:
                return None
        else:
            hits = readers[0].count_matches(1)
            errors = [max(candidate, r) - hit for r, (hit,) in zip(references, hits, strict=True)]
        if len(references) == 1:
            error, length = errors[0], references[0]
            mean: float = length
        else:
            pairs = zip(errors, references, strict=True)
            if self.by_rate:
                error, length = min(pairs, key=lambda pair: (_rate(*pair), pair[1], pair[0]))
            else:
                error, length = min(pairs, key=lambda pair: (pair[0], -pair[1]))
            mean = sum(references) / len(references)
        weight = length if self.of_chosen else mean
        return [_rate(error, length) * weight if weight > 0 else error, weight]

    def score(self, row: Row) -> float:
        rate = _rate(*row)
        return 1.0 - rate if self.similarity else rate


def _rate(errors: float, words: float) -> float:
    return errors / words if words > 0 else min(errors, 1.0)


class _RougeForm:
    def __init__(self, metric: RougeL | RougeN, encoding: Encoding) -> None:
        self.encodings = (encoding,)
        self.order = metric.order if isinstance(metric, RougeN) else 0
        self.beta = metric.beta
        self.square = None if metric.beta in ("P/R", "inf") else float(metric.beta) ** 2

    def row(self, readers: Sequence[Reader], lengths: Sequence[Lengths]) -> Row | None:
        """[F, recall, precision, 1]"""
        *references, candidate = lengths[0]
        if self.order:
            hits = [matches[-1] for matches in readers[0].count_matches(self.order)]
            fewer = self.order - 1
            candidate = max(candidate - fewer, 0)
            references = [max(length - fewer, 0) for length in references]
        else:
            hits = readers[0].count_distances(True)
            if hits is None:
                return None
        if len(hits) == 1:
            return self._scores(hits[0], candidate, references[0])
        return max(self._scores(hit, candidate, length) for hit, length in zip(hits, references, strict=True))

    def _scores(self, hits: int, candidate: int, reference: int) -> Row:
        if not hits:
            return [0.0, 0.0, 0.0, 1.0]
        recall, precision = hits / reference, hits / candidate
        if self.square is not None:
            square = self.square
        elif self.beta == "inf":
            return [recall, recall, precision, 1.0]
        else:
            square = (precision / recall) * (precision / recall)
        f = (1 + square) * recall * precision / (recall + square * precision)
        return [f, recall, precision, 1.0]

    def score(self, row: Row) -> float:
        return row[0] / row[3]


class _ChrFForm:
    def __init__(self, metric: ChrF, encoding: Encoding) -> None:
        words = Encoding("chrf", metric.lowercase)
        self.encodings = tuple(e for e, order in ((encoding, metric.char_order), (words, metric.word_order)) if order)
        self.orders = [order for order in (metric.char_order, metric.word_order) if order]
        self.factor, self.epsilon = metric.beta**2, metric.eps_smoothing

    def row(self, readers: Sequence[Reader], lengths: Sequence[Lengths]) -> Row | None:
        """[n-grams of the candidate, of the reference, matches] for each order, of the best reference"""
        matches = [reader.count_matches(order) for reader, order in zip(readers, self.orders, strict=True)]
        if len(lengths[0]) == 2:
            return self._row(matches, lengths, 0)
        rows = [self._row(matches, lengths, reference) for reference in range(len(lengths[0]) - 1)]
        return max(rows, key=lambda row: 100 * self.score(row))  # percent, for sacrebleu's ties

    def _row(self, matches: Sequence[Sequence[Sequence[int]]], lengths: Sequence[Lengths], reference: int) -> Row:
        row: Row = []
        for hits, sizes, order in zip(matches, lengths, self.orders, strict=True):
            candidate, of_reference = sizes[-1], sizes[reference]
            of_orders = hits[reference]
            for n in range(order):
                in_reference = of_reference - n if of_reference > n else 0
                row += (candidate - n if in_reference and candidate > n else 0, in_reference, of_orders[n])
        return row

    def score(self, row: Row) -> float:
        if self.epsilon:
            return self._mean_of_orders(row)
        precision, recall, used = 0.0, 0.0, 0
        for i in range(0, len(row), 3):
            candidate, reference = row[i], row[i + 1]
            if candidate > 0 and reference > 0:
                hits = row[i + 2]
                precision += hits / candidate
                recall += hits / reference
                used += 1
        if not precision:
            return 0.0
        precision, recall = precision / used, recall / used
        return (1 + self.factor) * precision * recall / (self.factor * precision + recall)

    def _mean_of_orders(self, row: Row) -> float:
        total = 0.0
        for i in range(0, len(row), 3):
            candidate, reference, hits = row[i : i + 3]
            precision = hits / candidate if candidate else EPSILON
            recall = hits / reference if reference else EPSILON
            below = self.factor * precision + recall
            total += (1 + self.factor) * precision * recall / below if below else EPSILON
        return total / (len(row) // 3)


# Kind of form, families, and the parameters that it understands besides orders.
_FORMS: tuple[tuple[Any, tuple[type[Metric], ...], tuple[str, ...]], ...] = (
    (_BleuForm, (Bleu,), ("smooth", "value", "length", "orders")),
    (_ErrorRateForm, (Wer, OneMinusWer, Per, OneMinusPer), ("select", "weights")),
    (_RougeForm, (RougeL, RougeN), ("beta", "compat")),
    (_ChrFForm, (ChrF,), ("beta", "lowercase", "eps_smoothing")),
)


class SegmentCounter:
    """Metrics that read one segment per call, each encoding once."""

    def __init__(self, metrics: Sequence[Metric], requested: Encoding) -> None:
        forms = [one_segment_form(metric, requested) for metric in metrics]
        encodings = list(dict.fromkeys(encoding for form in forms if form for encoding in form.encodings))
        readers = {encoding: reader for encoding in encodings if (reader := make_reader(encoding)) is not None}
        self.forms = [form if form and all(map(readers.__contains__, form.encodings)) else None for form in forms]
        self._readers = [(reader.read, encoding.lowercase) for encoding, reader in readers.items()]
        places = {encoding: i for i, encoding in enumerate(readers)}
        self._plans = [
            (form.row, [readers[e] for e in form.encodings], [places[e] for e in form.encodings]) if form else None
            for form in self.forms
        ]
        self._strips_marks = any(strips_marks(encoding.tokenize) for encoding in readers)
        self._lock = Lock()  # readers hold the current segment

    def rows(self, candidate: str, references: Sequence[str]) -> list[Row | None]:
        """Return the statistics of each metric; None if it has to read the segment as a batch."""
        try:
            text = "\n".join([*references, candidate, ""])
        except TypeError:  # the batch describes what is wrong
            return [None] * len(self.forms)
        if text.count("\n") != len(references) + 1 or (self._strips_marks and "<skipped>" in text):
            return [None] * len(self.forms)
        with self._lock:
            lengths = []
            for read, lowercase in self._readers:
                lengths.append(read((text.lower() if lowercase else text).encode("utf-8", "surrogatepass")))
            if None in lengths:
                return [None] * len(self.forms)
            return [plan[0](plan[1], [lengths[i] for i in plan[2]]) if plan else None for plan in self._plans]


def present_references(references: Any) -> list[str]:
    """Return the references of a segment without those that are blank or None; one blank one if all are."""
    if isinstance(references, str):
        return [references]
    present = [text for text in references if text and not text.isspace()]
    return present or [text or "" for text in references][:1]


@lru_cache(64)
def segment_counter(metrics: tuple[Metric, ...], requested: Encoding) -> SegmentCounter:
    """Return the counter of these metrics, which callers share."""
    return SegmentCounter(metrics, requested)
