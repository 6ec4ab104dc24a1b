"""NIST: n-gram precision in which rare n-grams weigh more.

Weights are computed once per run from all references of all segments (`prepare`). The weight of an n-gram is log2(count
of its first n - 1 words / its count). An n-gram that occurs once needs no table entry: its weight is log2 of its
prefix's count, which is 0 if the prefix occurs once too. Only n-grams that occur at least twice are numbered, which
keeps the table small (a few million entries for a million references).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Batch
from tarocco.encode.vocabulary import Vocabulary
from tarocco.kernels import kernel, ngram_ids
from tarocco.metrics.base import (
    Agreement,
    EmptyValues,
    Example,
    Floats,
    Metric,
    OnePassMetric,
    divide_parts,
    parameter,
)
from tarocco.metrics.ngram.counts import (
    LENGTHS,
    NgramWeights,
    clipped_matches,
    ngram_totals,
    reference_lengths,
    share,
)
from tarocco.metrics.text_pairs import table_size

HIGHEST_ORDER = 9
_USUAL_ORDER = 5  # longer n-grams are counted only if a metric needs them
# The penalty is 0.5 if the candidate has 2/3 of the reference's words (Doddington 2002).
BETA = np.log(0.5) / np.log(1.5) ** 2

_PART = 1 << 22  # pairs counted at a time, to bound the memory

_part_sizes = kernel(ngram_ids, "count_partition_sizes")
_count_pairs = kernel(ngram_ids, "count_pairs")
_insert_pairs = kernel(ngram_ids, "insert_pairs")
_find_pairs = kernel(ngram_ids, "find_pairs")


@dataclass(frozen=True, eq=False)
class Information:
    """The numbered n-grams of a reference set: words first, then longer n-grams that occur at least twice."""

    vocabulary: Vocabulary
    pair_keys: NDArray[np.uint64]  # (number of an n-gram's prefix, its last word)
    pair_grams: NDArray[np.int32]  # the n-gram's number
    shift: int
    counts: NDArray[np.int32]  # by number
    total: int  # words

    def weights(self, vocabulary: Vocabulary) -> NgramWeights:
        """Return the n-grams for a batch with another vocabulary."""
        words = vocabulary.ids_in(self.vocabulary)
        return NgramWeights(words, self.pair_keys, self.pair_grams, self.shift, self.counts, float(max(self.total, 1)))


def _count(
    prefixes: NDArray[np.int32], words: NDArray[np.int32], distance: int
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the pairs (prefixes[i], words[i + distance]) that occur at least twice, and their counts."""
    sizes = np.zeros(1 << (len(prefixes) // _PART).bit_length(), np.intp)
    _part_sizes(prefixes, words, distance, sizes)
    repeated = []
    for part, pairs_of_part in enumerate(sizes.tolist()):
        size, shift = table_size(pairs_of_part)
        table, counts = np.empty(size, np.uint64), np.full(size, -1, np.int32)
        _count_pairs(prefixes, words, distance, part, len(sizes), table, counts, shift)
        kept = np.flatnonzero(counts >= 2)
        repeated.append((table[kept], counts[kept]))
    return np.concatenate([keys for keys, _ in repeated]), np.concatenate([counts for _, counts in repeated])


def _table(keys: NDArray[np.uint64], first: int) -> tuple[NDArray[np.uint64], NDArray[np.int32], int]:
    """Return a table that maps the keys to first, first + 1, ..., and its shift."""
    size, shift = table_size(len(keys))
    table, values = np.zeros(size, np.uint64), np.full(size, -1, np.int32)
    _insert_pairs(keys, np.arange(first, first + len(keys), dtype=np.int32), table, values, shift)
    return table, values, shift


def information(references: Batch, highest_order: int = _USUAL_ORDER) -> Information:
    """Number and count the n-grams of all references."""
    ragged = references.references
    rows = references.reference_groups.rows
    if int(ragged.lengths[rows].sum()) != len(ragged.values):  # some rows are in no group or in several
        ragged = ragged.taken(np.unique(rows))
    words, starts, ends = ragged.values, ragged.offsets[:-1], ragged.offsets[1:]
    counts = [np.bincount(words, minlength=len(references.vocabulary)).astype(np.int32)]
    keys: list[NDArray[np.uint64]] = []
    numbers = np.where((counts[0] >= 2)[words], words, np.int32(-1))  # of the n-gram that starts at each word
    numbered = len(references.vocabulary)
    for order in range(2, highest_order + 1):
        too_late = ends - (order - 1)  # n-grams that start here would cross the end of the row
        numbers[too_late[too_late >= starts]] = -1
        of_order, their_counts = _count(numbers, words, order - 1)
        _find_pairs(numbers, words, order - 1, *_table(of_order, numbered))
        keys.append(of_order)
        counts.append(their_counts)
        numbered += len(of_order)
    del numbers  # as large as the text
    table = _table(np.concatenate(keys), len(references.vocabulary))
    return Information(references.vocabulary, *table, np.concatenate(counts), len(words))


@dataclass(frozen=True, eq=False)
class NistCounts:
    """Lengths, information of matches and totals of a batch, computed once for all metrics of the family."""

    lengths: Floats
    reference_lengths: Floats
    matches: Floats  # information, by order
    totals: Floats


@dataclass(frozen=True)
class Nist(OnePassMetric):
    """N-gram precision weighted by information, summed over orders 1 to n (Doddington 2002)."""

    order: int = parameter(5, "the longest n-grams that count", in_stem=True)

    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 0.0)
    title: ClassVar[str] = "NIST-n"
    summary: ClassVar[str] = (
        "Information-weighted n-gram precision, summed over orders 1 to n, times a brevity penalty."
    )
    formula: ClassVar[str] = (
        "NIST-n = sum_{k=1..n} (information of the clipped k-gram matches / k-grams of the candidate)"
        " * exp(beta * ln^2 min(1, c/r))\n"
        "info(w1..wk) = log2(count(w1..wk-1) / count(w1..wk)), counted in all references of all segments;"
        " for k = 1 the numerator is the number of their words\n"
        "r = mean reference length, beta = ln 0.5 / ln^2 1.5"
    )
    paper: ClassVar[str] = """
        Doddington (2002), Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence
        Statistics, HLT.
    """
    pattern: ClassVar[str] = r"NIST-?(?P<order>\d+)?"
    names: ClassVar[tuple[str, ...]] = tuple(f"NIST-{n}" for n in range(1, HIGHEST_ORDER + 1))
    example: ClassVar[Example] = Example(
        name="NIST-2",
        candidates=("a b c d",),
        references=(("a b a c",),),
        score=float((1 + 2 + 2) / 4 + 1 / 3),
        why="4 reference words: info(a) = log2(4/2) = 1, info(b) = info(c) = 2; of the bigrams only a b matches, "
        "info(a b) = log2(2/1) = 1, out of 3; equal lengths, no penalty",
    )
    notes: ClassVar[str] = """
        Equal to mteval-v13a; NLTK's differs with several references. NIST rewards rare words without bound, so
        an identical text does not have the highest possible score. An n-gram that does not occur in the run's
        references (in a text used as a reference later) weighs as if it occurred once. An empty
        candidate scores 0, and so does any candidate against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "mteval-v13a, mteval-v14",
            "the 8 digits printed, orders 1 to 9, and segments of order 5",
            "tests/golden/test_mteval.py::test_v13a_and_v14",
        ),
        Agreement(
            "mteval-v11b",
            "the 8 digits printed, corpus and segments",
            "tests/golden/test_mteval.py::test_v11b",
        ),
        Agreement(
            "NLTK 3.10.4",
            "12 digits, orders 1 to 5, with one reference; with several references it differs",
            "tests/golden/test_bundled.py::test_number",
        ),
        Agreement(
            "odashi's mteval",
            "the digits printed, with one reference",
            "tests/golden/test_other_tools.py::test_odashi_nist_with_one_reference",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise BadParameter(f"{self.title}: n is 1 to {HIGHEST_ORDER}, not {self.order}")

    @property
    def stem(self) -> str:
        return f"NIST-{self.order}"

    @property
    def orders(self) -> range:
        """The orders that count."""
        return range(self.order)

    @property
    def pools_references(self) -> bool:
        return True

    def prepare(self, references: Batch) -> Information:
        return information(references, self.counted_order)

    @property
    def counted_order(self) -> int:
        """The longest n-grams of references that are counted: metrics share the counts of the usual orders."""
        return _USUAL_ORDER if self.order <= _USUAL_ORDER else HIGHEST_ORDER

    @property
    def context_key(self) -> Hashable:
        return "information", self.counted_order

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> NistCounts:
        order = max(metric.order for metric in metrics)
        return NistCounts(
            batch.lengths.astype(np.float64),
            reference_lengths(batch)[:, LENGTHS.index("average")],
            clipped_matches(batch, order, context.weights(batch.vocabulary)),
            ngram_totals(batch.lengths, order),
        )

    def columns(self, measured: NistCounts) -> Floats:
        """[candidate length, mean reference length, information of the orders that count, their totals]"""
        lengths = (measured.lengths, measured.reference_lengths)
        return np.column_stack([*lengths, measured.matches[:, self.orders], measured.totals[:, self.orders]])

    def details(self, sums: Floats) -> dict[str, Any]:
        n = len(self.orders)
        candidate, reference = float(sums[0]), float(sums[1])
        pairs_of_orders = zip(sums[2 : 2 + n].tolist(), sums[2 + n :].tolist(), strict=True)
        return {
            "by_order": [hits / total if total else 0.0 for hits, total in pairs_of_orders],
            "length_ratio": candidate / reference if reference else None,
            "candidate_length": candidate,
            "reference_length": reference,
        }

    def score(self, sums: Floats) -> Floats:
        n = len(self.orders)
        candidate, reference = sums[..., 0], sums[..., 1]
        matches, totals = sums[..., 2 : 2 + n], sums[..., 2 + n :]
        precision = sum(np.moveaxis(share(matches, totals), -1, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.exp(BETA * np.log(np.minimum(1.0, candidate / reference)) ** 2)
        return np.where(candidate > 0, precision * np.where(candidate >= reference, 1.0, penalty), 0.0)

    def order_shares(self, sums: Floats) -> dict[str, Floats]:
        """Return the share of each order's term in the sum of all terms: where the score comes from."""
        if type(self) is not Nist:  # subclasses have one order, or other units than words
            return {}
        terms = share(sums[..., 2 : 2 + self.order], sums[..., 2 + self.order :])
        return divide_parts({str(n + 1): terms[..., n] for n in range(self.order)}, terms.sum(axis=-1))

    def lower_orders(self) -> list[Metric]:
        return [replace(self, order=order) for order in range(1, self.order)] if type(self) is Nist else []


@dataclass(frozen=True)
class NistIndividual(Nist):
    """The weighted precision of one order alone, times the penalty."""

    title: ClassVar[str] = "NISTi-n"
    summary: ClassVar[str] = "Information-weighted n-gram precision of order n alone, times the brevity penalty."
    formula: ClassVar[str] = (
        "NISTi-n = (information of the clipped n-gram matches / n-grams of the candidate)"
        " * exp(beta * ln^2 min(1, c/r)), with info, r and beta as in NIST-n"
    )
    pattern: ClassVar[str] = r"NISTi-?(?P<order>\d+)"
    names: ClassVar[tuple[str, ...]] = tuple(f"NISTi-{n}" for n in range(1, HIGHEST_ORDER + 1))
    example: ClassVar[Example] = Example(
        name="NISTi-2",
        candidates=("a b c d",),
        references=(("a b a c",),),
        score=1 / 3,
        why="of three bigrams only a b matches, info(a b) = log2(2/1) = 1; equal lengths, no penalty",
    )
    notes: ClassVar[str] = """
        Equal to the individual scores of mteval-v13a. An empty candidate scores 0, and so does any candidate
        against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "mteval-v13a, mteval-v14",
            "the 8 digits printed as individual scores, orders 1 to 9",
            "tests/golden/test_mteval.py::test_v13a_and_v14",
        ),
    )

    @property
    def stem(self) -> str:
        return f"NISTi-{self.order}"

    @property
    def orders(self) -> range:
        return range(self.order - 1, self.order)
