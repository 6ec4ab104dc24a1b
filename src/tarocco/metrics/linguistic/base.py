"""The common parts of the metrics SP, DP, CP, NE and SR: overlap of linguistic elements by type, best reference.

The elements of all sentences of a batch become integers (elements.py). An `OverlapTable` then compares bags of them for
all pairs of candidate and reference at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.annotate.cache import annotate_texts
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Segments
from tarocco.encode.batch import Batch, Encoding
from tarocco.kernels import bag_overlap, kernel
from tarocco.metrics.base import Floats, Metric, OnePassMetric, parameter
from tarocco.metrics.linguistic.elements import Elements
from tarocco.metrics.linguistic.layers import Layers
from tarocco.metrics.text_pairs import TextPairs

ANALYZER = "spacy"  # unless the run names another
ALL = "*"
ALL_BUT_OUTSIDE = "**"

# Texts that several metrics share.
PAPER = """
    Giménez (2007), IQMT: A Framework for Automatic Machine Translation Evaluation based on Human Likeness, Technical
    Manual 2.0, section 5.
"""
LIU_GILDEA = " Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation."
BEST_REFERENCE = "several references: the best one; corpus: the mean over the segments that have a score"
NO_TYPE = """
    If neither text has elements of the type, the segment has no score and is left out of the mean; if only one text has
    them, the score is 0.
"""
EMPTY_TEXTS = """
    An empty candidate scores 0, and so does any candidate against an empty reference; two empty texts have no score.
"""
LITERAL = " variant=literal counts all items of the candidate that occur in the reference, as the manual prints it."


def overlap_formula(item: str) -> str:
    """Return the formula of an overlap ratio over items of this name."""
    counts = f"(count_c({item}), count_r({item}))"
    return f"sum of min{counts} / sum of max{counts}"


_count_common_items = kernel(bag_overlap, "count_common_items")


def use_analyzer(encoding: Encoding) -> Encoding:
    """Return the encoding of raw text for an analyzer, which has its own tokenizer."""
    return Encoding("none", encoding.lowercase, analyzer=encoding.analyzer or ANALYZER)


def load_layers(batch: Batch) -> Layers:
    """Analyze the candidates of a batch and then its references, row by row; for a part of a batch, the whole."""
    whole = batch if batch.whole is None else batch.whole
    texts = list(chain.from_iterable((*whole.columns, *whole.reference_columns)))
    analyzer = batch.encoding.analyzer or ANALYZER
    return Layers(annotate_texts(texts, analyzer), batch.encoding.lowercase, analyzer, texts)


@dataclass(frozen=True, eq=False)
class OverlapTable:
    """Item counts, with one entry per pair of candidate and reference and per type that either of them has."""

    names: list[str]  # of the types
    size: int  # the number of pairs
    pairs: NDArray[np.intp]
    types: NDArray[np.int32]
    candidate: Floats  # items of the candidate
    reference: Floats
    shared: Floats  # sums of the smaller counts
    covered: Floats  # items of the candidate that occur in the reference, however often; at most `union`

    def select(self, entries: NDArray[np.bool_]) -> OverlapTable:
        """Return the table of some entries."""
        counts = (column[entries] for column in (self.candidate, self.reference, self.shared, self.covered))
        return OverlapTable(self.names, self.size, self.pairs[entries], self.types[entries], *counts)

    def select_type(self, name: str) -> OverlapTable:
        """Return the entries of one type."""
        return self.select(self.types == (self.names.index(name) if name in self.names else -1))

    @property
    def union(self) -> Floats:
        """The sums of the larger counts."""
        return self.candidate + self.reference - self.shared

    def total(self, values: Floats) -> Floats:
        """Return the sum of values, one per entry, for each pair; types are added in the order of their names."""
        return np.bincount(self.pairs, values, self.size).astype(np.float64, copy=False)  # integers if empty

    def ratio(self, part: Floats, whole: Floats) -> Floats:
        """Return the ratio of two sums for each pair; NaN if the pair has no entries."""
        with np.errstate(invalid="ignore"):
            ratio: Floats = self.total(part) / self.total(whole)
        return ratio

    def mean(self, values: Floats) -> Floats:
        """Return the mean of values, one per entry, for each pair."""
        return self.ratio(values, np.ones(len(self.pairs)))


def count_overlaps(elements: Elements, n_rows: int, batch: Batch) -> OverlapTable:
    """Compare all pairs of a batch; the rows of its references follow those of its candidates."""
    n_items = int(elements.items.max(initial=0)) + 1
    row_size = n_items * max(len(elements.names), 1)
    keys, counts = np.unique(elements.rows * row_size + elements.types * n_items + elements.items, return_counts=True)
    bounds = np.searchsorted(keys, np.arange(n_rows + 1) * row_size).astype(np.intp)
    keys -= np.repeat(np.arange(n_rows), np.diff(bounds)) * row_size
    types = (keys // n_items).astype(np.int32)
    # A pair has at most as many entries as its two rows have types together.
    starts = np.ones(len(types), np.bool_)
    starts[1:] = types[1:] != types[:-1]
    starts[bounds[:-1][bounds[:-1] < len(types)]] = True
    types_per_row = np.diff(np.concatenate([np.zeros(1, np.intp), np.cumsum(starts)])[bounds])
    candidates, references = batch.candidate_groups, batch.reference_groups
    reference_rows = references.rows + len(batch.candidates)
    capacity = _sum_groups(types_per_row[candidates.rows], candidates.bounds) @ references.sizes
    capacity += _sum_groups(types_per_row[reference_rows], references.bounds) @ candidates.sizes
    entries = np.empty((int(capacity), 6), np.int32)
    bags = keys, types, counts.astype(np.int32), bounds
    pairs = candidates.rows, candidates.bounds, reference_rows, references.bounds
    columns = np.ascontiguousarray(entries[: _count_common_items(*bags, *pairs, entries)].T)
    size = int(candidates.sizes @ references.sizes)
    return OverlapTable(elements.names, size, columns[0].astype(np.intp), columns[1], *columns[2:].astype(np.float64))


def _sum_groups(numbers: NDArray[np.intp], bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.diff(np.concatenate([np.zeros(1, np.intp), np.cumsum(numbers)])[bounds])


@dataclass(frozen=True)
class Bag:
    """A kind of elements: a function of elements.py and its arguments, except the length of paths."""

    make: Callable[..., Elements]
    arguments: tuple[Hashable, ...] = ()


class BatchOverlaps:
    """The overlap tables of a batch. A table is computed for its first metric and dropped after its last."""

    def __init__(self, batch: Batch, metrics: Sequence[LinguisticMetric]) -> None:
        self.pairs = TextPairs(batch)
        self._batch = self.pairs.batch
        self._layers = load_layers(self._batch)
        self._longest: dict[Bag, int] = {}
        for metric in metrics:
            self._longest[metric.bag] = max(self._longest.get(metric.bag, 0), metric.longest)
        self._remaining_uses = Counter(metric.bag for metric in metrics)
        self._tables: dict[Bag, OverlapTable] = {}

    def table(self, bag: Bag) -> OverlapTable:
        """Return the overlap table of a bag."""
        if bag not in self._tables:
            longest = self._longest[bag]
            elements = bag.make(self._layers, *bag.arguments, *([longest] if longest else []))
            self._tables[bag] = count_overlaps(elements, len(self._layers), self._batch)
        self._remaining_uses[bag] -= 1
        return self._tables[bag] if self._remaining_uses[bag] > 0 else self._tables.pop(bag)


@dataclass(frozen=True)
class LinguisticMetric(OnePassMetric):
    """A metric over linguistic elements: the best score over the references, averaged over the segments."""

    @property
    @abstractmethod
    def bag(self) -> Bag:
        """The elements that are compared."""

    @property
    def longest(self) -> int:
        """The length of the longest paths; 0 for elements that are not paths."""
        return 0

    @abstractmethod
    def chosen(self, table: OverlapTable) -> OverlapTable:
        """Return the entries of the types that count."""

    @abstractmethod
    def values(self, table: OverlapTable) -> Floats:
        """Return the score of each pair; NaN if it has none."""

    def reads(self, encoding: Encoding) -> Encoding:
        return use_analyzer(encoding)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> BatchOverlaps:
        return BatchOverlaps(batch, metrics)

    def columns(self, measured: BatchOverlaps) -> Floats:
        """Return [score with the best reference, 1], or [0, 0] if there is no score."""
        values, pairs = self.values(measured.table(self.bag)), measured.pairs
        best: Floats = np.fmax.reduceat(values[pairs.choices], pairs.starts[:-1]) if len(values) else values
        exists = ~np.isnan(best)
        return np.column_stack([np.where(exists, best, 0.0), exists])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)

    def details(self, sums: Floats) -> dict[str, Any]:
        return {"segments": int(sums[1])}


@dataclass(frozen=True)
class ElementOverlap(LinguisticMetric):
    """The overlap of two bags of items, O(t), or of whole elements, M(t), for one type t or all types.

        O(t) = sum_i min(count_c(i, t), count_r(i, t)) / sum_i max(count_c(i, t), count_r(i, t))

    The sums run over the items i of elements of type t in the candidate c and the reference r (Giménez 2007, section
    5). With `variant="literal"` the numerator is the sum of count_c(i, t) over items that r has at all, as the manual
    prints it.
    """

    elements: str = parameter("", "the kind of elements", in_stem=True)
    type: str = parameter(ALL, "the type that counts; *: all types", in_stem=True)
    variant: str = parameter(
        "minimum",
        "the numerator: the smaller count of each item, or the count in the candidate",
        choices=("minimum", "literal"),
    )

    prefix: ClassVar[str]  # "SP-O"
    bags: ClassVar[dict[str, Bag]]  # by the values of `elements`
    normalize_type: ClassVar[Callable[[str], str]] = str.upper
    averages_types: ClassVar[bool] = False  # whether * is the mean over types
    has_outside: ClassVar[bool] = False  # whether * includes a type that ** excludes

    def __post_init__(self) -> None:
        super().__post_init__()
        elements = self.elements.lower() or next(iter(self.bags))
        if elements not in self.bags:
            raise BadParameter(f"{self.title}: elements are {', '.join(self.bags)}, not {self.elements}")
        object.__setattr__(self, "elements", elements)
        object.__setattr__(self, "type", type(self).normalize_type(self.type))
        stars = (ALL, ALL_BUT_OUTSIDE) if self.has_outside else (ALL,)
        if self.type.startswith(ALL) and self.type not in stars and not self.type.strip(ALL):
            raise BadParameter(f"{self.title}: t is a type or * for all types; ** is for NE-Oe only")

    @property
    def stem(self) -> str:
        return f"{self.prefix}{self.elements}-{self.type}"

    @property
    def bag(self) -> Bag:
        return self.bags[self.elements]

    def chosen(self, table: OverlapTable) -> OverlapTable:
        return table if self.type == ALL else table.select_type(self.type)

    def values(self, table: OverlapTable) -> Floats:
        table = self.chosen(table)
        shared = table.covered if self.variant == "literal" else table.shared
        if self.averages_types and self.type == ALL:
            return table.mean(shared / table.union)
        return table.ratio(shared, table.union)


FRACTIONS = ("overlap", "precision", "pooled")


@dataclass(frozen=True)
class PathOverlap(LinguisticMetric):
    """The overlap of paths of length l, averaged over the lengths 1 to l unless `individual`.

    For paths p of length k, with the numbers of matches m_k = sum_p min(count_c(p), count_r(p)):

        overlap    mean over k of m_k / sum_p max(count_c(p), count_r(p))
        precision  mean over k of m_k / sum_p count_c(p)
        pooled     sum over k of m_k / sum over k of sum_p max(count_c(p), count_r(p))
    """

    length: int = parameter(4, "the length of the longest paths", in_stem=True)
    individual: bool = parameter(False, "whether only paths of this length count", in_stem=True)

    longest_length: ClassVar[int] = 9

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        parameters = super().read_stem(stem)
        return {**parameters, "individual": "yes"} if parameters and "individual" in parameters else parameters

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.length <= self.longest_length:
            raise BadParameter(f"{self.title}: l is 1 to {self.longest_length}, not {self.length}")

    @property
    def longest(self) -> int:
        return self.length

    @property
    @abstractmethod
    def fraction(self) -> str:
        """One of FRACTIONS."""

    def chosen(self, table: OverlapTable) -> OverlapTable:
        lengths = table.types + 1
        return table.select(lengths == self.length if self.individual else lengths <= self.length)

    def values(self, table: OverlapTable) -> Floats:
        table = self.chosen(table)
        if self.fraction == "pooled":
            return table.ratio(table.shared, table.union)
        whole = table.candidate if self.fraction == "precision" else table.union
        return table.mean(np.divide(table.shared, whole, out=np.zeros_like(whole), where=whole > 0))


def replace_words(batch: Batch, texts: Sequence[str]) -> Batch:
    """Return the same batch with other words, one text per row of `load_layers`."""
    whole = batch if batch.whole is None else batch.whole
    first = len(texts) - sum(map(len, whole.reference_columns))
    columns = [Segments.from_strings(texts[:first])], [Segments.from_strings(texts[first:])]
    groups = whole.candidate_groups, whole.reference_groups
    replaced = Batch.of_groups(*columns, *groups, Encoding("none", batch.encoding.lowercase))
    if batch.whole is None:
        return replaced
    groups = batch.candidate_groups, batch.reference_groups
    return replace(
        replaced, candidate_groups=groups[0], reference_groups=groups[1], whole=replaced, owners=batch.owners
    )


class TypeFrequency(NamedTuple):
    """A member of a family, the number of segments with elements of its type, and the number of items in all."""

    metric: str
    segments: int
    items: int


def count_types(families: Iterable[type[Metric]], sentences: Sequence[Sentence], analyzer: str) -> list[TypeFrequency]:
    """Return the types in sentences for each family that compares types, most frequent types first.

    Members with the same elements, such as SR-Or-A0 and SR-Orv-A0, are listed once. Layers that the analyzer does not
    provide are skipped; InputError is raised if it provides none.
    """
    layers = Layers(sentences, False, analyzer)
    frequencies: list[TypeFrequency] = []
    missing: list[InputError] = []
    for family in families:
        for prefix, elements in _extract_bags(family, layers, missing):
            pairs = np.unique(elements.types * len(layers) + elements.rows) // max(len(layers), 1)
            n_items = np.bincount(elements.types, minlength=len(elements.names)).tolist()
            n_segments = np.bincount(pairs, minlength=len(elements.names)).tolist()
            of_bag = map(TypeFrequency, [f"{prefix}-{name}" for name in elements.names], n_segments, n_items)
            present = (frequency for frequency in of_bag if frequency.items)
            frequencies += sorted(present, key=lambda frequency: (-frequency.segments, -frequency.items))
    if missing and not frequencies:
        raise missing[0]
    return frequencies


def _extract_bags(family: type[Metric], layers: Layers, missing: list[InputError]) -> Iterator[tuple[str, Elements]]:
    """Yield the name and the elements of each distinct bag of a family; collect errors about missing layers."""
    if not issubclass(family, ElementOverlap):
        return
    done = set()
    for kind, bag in family.bags.items():
        if bag.make not in done:
            done.add(bag.make)
            try:
                yield f"{family.prefix}{kind}", bag.make(layers, *bag.arguments)
            except InputError as error:
                missing.append(error)
