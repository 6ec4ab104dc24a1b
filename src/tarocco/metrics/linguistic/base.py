"""What all metrics over linguistic elements have: sentences in place of words, overlap by type, the best reference.

Elements of all sentences of a batch become numbers (elements.py), and bags of them are compared for every candidate and
reference at once: a `Cells` has one entry for each pair and each type that either side has.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.annotate.cache import annotate_texts
from tarocco.core.errors import BadParameter
from tarocco.core.test_set import Segments
from tarocco.encode.batch import Batch, Encoding
from tarocco.kernels import bag_overlap, kernel
from tarocco.metrics.base import Floats, OnePassMetric, parameter
from tarocco.metrics.comparison import TextPairs
from tarocco.metrics.linguistic.elements import Elements
from tarocco.metrics.linguistic.layers import Layers

ANALYZER = "spacy"  # where the run names none
ALL = "*"
ALL_BUT_OUTSIDE = "**"

PAPER = """
    Giménez (2007), IQMT: A Framework for Automatic Machine Translation Evaluation based on Human Likeness, Technical
    Manual 2.0, section 5.
"""

_overlaps = kernel(bag_overlap, "count_common_items")


def analyzed(asked: Encoding) -> Encoding:
    """How a metric reads that looks at what an analyzer says: the analyzer has words of its own."""
    return Encoding("none", asked.lowercase, analyzer=asked.analyzer or ANALYZER)


def layers_of(batch: Batch) -> Layers:
    """What the batch's analyzer says of its candidates, and then of its references, row by row.

    Of a batch that is part of a whole, they are the rows of the whole.
    """
    whole = batch if batch.whole is None else batch.whole
    texts = list(chain.from_iterable((*whole.columns, *whole.reference_columns)))
    analyzer = batch.encoding.analyzer or ANALYZER
    return Layers(annotate_texts(texts, analyzer), batch.encoding.lowercase, analyzer, texts)


@dataclass(frozen=True, eq=False)
class Cells:
    """Pairs of a candidate and a reference, type by type: how many items each side has, and how many they share."""

    names: list[str]  # of the types
    size: int  # how many pairs there are
    pairs: NDArray[np.intp]
    types: NDArray[np.int32]
    candidate: Floats
    reference: Floats
    shared: Floats  # the sums of the smaller counts
    met: Floats  # the candidate's items that the reference has, however often; never more than `either`

    def of(self, chosen: NDArray[np.bool_]) -> Cells:
        """Some of the cells."""
        counts = (one[chosen] for one in (self.candidate, self.reference, self.shared, self.met))
        return Cells(self.names, self.size, self.pairs[chosen], self.types[chosen], *counts)

    def of_type(self, name: str) -> Cells:
        """Those of one type."""
        place = self.names.index(name) if name in self.names else -1
        return self.of(self.types == place)

    @property
    def either(self) -> Floats:
        """The sums of the larger counts."""
        return self.candidate + self.reference - self.shared

    def total(self, numbers: Floats) -> Floats:
        """The sum of numbers, one a cell, for each pair; types are added in the order of their names."""
        return np.bincount(self.pairs, numbers, self.size).astype(np.float64, copy=False)  # integers if there are none

    def ratio(self, part: Floats, whole: Floats) -> Floats:
        """The sum of one over the sum of another, for each pair; NaN where the pair has no cells."""
        with np.errstate(invalid="ignore"):
            ratio: Floats = self.total(part) / self.total(whole)
        return ratio

    def mean(self, numbers: Floats) -> Floats:
        """The mean of numbers, one a cell, for each pair."""
        return self.ratio(numbers, np.ones(len(self.pairs)))


def compare(elements: Elements, rows: int, batch: Batch) -> Cells:
    """The cells of all pairs of a batch, whose references' rows come after those of its candidates."""
    items = int(elements.items.max(initial=0)) + 1
    a_row = items * max(len(elements.names), 1)
    keys, counts = np.unique(elements.rows * a_row + elements.types * items + elements.items, return_counts=True)
    bounds = np.searchsorted(keys, np.arange(rows + 1) * a_row).astype(np.intp)
    keys -= np.repeat(np.arange(rows), np.diff(bounds)) * a_row
    types = (keys // items).astype(np.int32)
    # Room: no pair has more cells than both rows have types.
    starts = np.ones(len(types), np.bool_)
    starts[1:] = types[1:] != types[:-1]
    starts[bounds[:-1][bounds[:-1] < len(types)]] = True
    types_of_row = np.diff(np.concatenate([np.zeros(1, np.intp), np.cumsum(starts)])[bounds])
    own, others = batch.candidate_groups, batch.reference_groups
    reference_rows = others.rows + len(batch.candidates)
    room = _summed(types_of_row[own.rows], own.bounds) @ others.sizes
    room += _summed(types_of_row[reference_rows], others.bounds) @ own.sizes
    cells = np.empty((int(room), 6), np.int32)
    counted = counts.astype(np.int32)
    found = _overlaps(keys, types, counted, bounds, own.rows, own.bounds, reference_rows, others.bounds, cells)
    columns = np.ascontiguousarray(cells[:found].T)
    size = int(own.sizes @ others.sizes)
    return Cells(elements.names, size, columns[0].astype(np.intp), columns[1], *columns[2:].astype(np.float64))


def _summed(numbers: NDArray[np.intp], bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.diff(np.concatenate([np.zeros(1, np.intp), np.cumsum(numbers)])[bounds])


@dataclass(frozen=True)
class Bag:
    """What is compared: a function of elements.py and its arguments but for the longest paths."""

    make: Callable[..., Elements]
    arguments: tuple[Hashable, ...] = ()


class Measured:
    """The sentences of a batch, and what was compared so far, until the last metric that wants it has had it."""

    def __init__(self, batch: Batch, metrics: Sequence[Linguistic]) -> None:
        self.pairs = TextPairs(batch)
        self._batch = self.pairs.batch
        self._layers = layers_of(self._batch)
        self._longest: dict[Bag, int] = {}
        for metric in metrics:
            self._longest[metric.bag] = max(self._longest.get(metric.bag, 0), metric.longest)
        self._wanted = Counter(metric.bag for metric in metrics)
        self._cells: dict[Bag, Cells] = {}

    def cells(self, bag: Bag) -> Cells:
        """The cells of a bag."""
        if bag not in self._cells:
            longest = self._longest[bag]
            elements = bag.make(self._layers, *bag.arguments, *([longest] if longest else []))
            self._cells[bag] = compare(elements, len(self._layers), self._batch)
        self._wanted[bag] -= 1
        return self._cells[bag] if self._wanted[bag] > 0 else self._cells.pop(bag)


@dataclass(frozen=True)
class Linguistic(OnePassMetric):
    """A metric over linguistic elements: a number for each pair, the best reference, the mean over the segments."""

    @property
    @abstractmethod
    def bag(self) -> Bag:
        """What is compared."""

    @property
    def longest(self) -> int:
        """How long paths are; 0 where there are none."""
        return 0

    @abstractmethod
    def chosen(self, cells: Cells) -> Cells:
        """The cells of the types that count."""

    @abstractmethod
    def values(self, cells: Cells) -> Floats:
        """The score of each pair; NaN where there is none."""

    def reads(self, asked: Encoding) -> Encoding:
        return analyzed(asked)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Measured:
        return Measured(batch, metrics)

    def columns(self, measured: Measured) -> Floats:
        """[the best reference's score, 1], or [0, 0] where there is no score"""
        values, pairs = self.values(measured.cells(self.bag)), measured.pairs
        best: Floats = np.fmax.reduceat(values[pairs.choices], pairs.starts[:-1]) if len(values) else values
        exists = ~np.isnan(best)
        return np.column_stack([np.where(exists, best, 0.0), exists])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)

    def details(self, sums: Floats) -> dict[str, Any]:
        return {"segments": int(sums[1])}


@dataclass(frozen=True)
class Overlap(Linguistic):
    """Overlapping(t) and Matching(t): what two bags share over what either has, of a type or of all."""

    elements: str = parameter("", "what items are grouped by", in_stem=True)
    type: str = parameter(ALL, "the type that counts; *: all types", in_stem=True)
    variant: str = parameter(
        "minimum",
        "what counts as shared: the smaller count, or all that the candidate has",
        choices=("minimum", "literal"),
    )

    prefix: ClassVar[str]  # "SP-O"
    bags: ClassVar[dict[str, Bag]]  # what `elements` may be
    spelled: ClassVar[Callable[[str], str]] = str.upper  # how types are written
    means: ClassVar[bool] = False  # whether * is the mean over types
    has_outside: ClassVar[bool] = False  # whether * has a type that ** leaves out

    def __post_init__(self) -> None:
        super().__post_init__()
        elements = self.elements.lower() or next(iter(self.bags))
        if elements not in self.bags:
            raise BadParameter(f"{self.title}: elements are {', '.join(self.bags)}, not {self.elements}")
        object.__setattr__(self, "elements", elements)
        object.__setattr__(self, "type", type(self).spelled(self.type))
        stars = (ALL, ALL_BUT_OUTSIDE) if self.has_outside else (ALL,)
        if self.type.startswith(ALL) and self.type not in stars and not self.type.strip(ALL):
            raise BadParameter(f"{self.title}: t is a type, or * for all of them; ** is for NE-Oe alone")

    @property
    def stem(self) -> str:
        return f"{self.prefix}{self.elements}-{self.type}"

    @property
    def bag(self) -> Bag:
        return self.bags[self.elements]

    def chosen(self, cells: Cells) -> Cells:
        return cells if self.type == ALL else cells.of_type(self.type)

    def values(self, cells: Cells) -> Floats:
        chosen = self.chosen(cells)
        shared = chosen.met if self.variant == "literal" else chosen.shared
        if self.means and self.type == ALL:
            return chosen.mean(shared / chosen.either)
        return chosen.ratio(shared, chosen.either)


FRACTIONS = ("overlap", "precision", "pooled")


@dataclass(frozen=True)
class Paths(Linguistic):
    """Fractions of matching paths of lengths 1 to l, or of length l alone."""

    length: int = parameter(4, "the longest paths that count", in_stem=True)
    individual: bool = parameter(False, "paths of this length alone", in_stem=True)

    longest_length: ClassVar[int] = 9

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        found = super().read_stem(stem)
        return {**found, "individual": "yes"} if found and "individual" in found else found

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
        """How the fraction is taken: one of FRACTIONS."""

    def chosen(self, cells: Cells) -> Cells:
        lengths = cells.types + 1
        return cells.of(lengths == self.length if self.individual else lengths <= self.length)

    def values(self, cells: Cells) -> Floats:
        chosen = self.chosen(cells)
        if self.fraction == "pooled":
            return chosen.ratio(chosen.shared, chosen.either)
        whole = chosen.candidate if self.fraction == "precision" else chosen.either
        return chosen.mean(np.divide(chosen.shared, whole, out=np.zeros_like(whole), where=whole > 0))


def in_words(batch: Batch, texts: Sequence[str]) -> Batch:
    """The same batch with other words: those of texts that are made of its layers, one for each row."""
    whole = batch if batch.whole is None else batch.whole
    first = len(texts) - sum(map(len, whole.reference_columns))
    columns = [Segments.from_strings(texts[:first])], [Segments.from_strings(texts[first:])]
    groups = whole.candidate_groups, whole.reference_groups
    made = Batch.of_groups(*columns, *groups, Encoding("none", batch.encoding.lowercase))
    if batch.whole is None:
        return made
    groups = batch.candidate_groups, batch.reference_groups
    return replace(made, candidate_groups=groups[0], reference_groups=groups[1], whole=made, owners=batch.owners)
