"""A block of candidates and references as ragged arrays: what a metric's `statistics` sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.tokenizers import Tokenizer, tokenizer
from tarocco.encode.vocabulary import Ragged, Vocabulary
from tarocco.model import Segments
from tarocco.run import blocks

_BLOCK = 1024  # segments tokenized together, so that a large column needs little room beside itself


@dataclass(frozen=True)
class Encoding:
    """How text becomes words: a tokenizer's name, and whether the text is lower-cased first."""

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        tokenizer(self.tokenize)  # an unknown name is an error now, not when the text is read

    @property
    def tokenizer(self) -> Tokenizer:
        return tokenizer(self.tokenize)

    def encode(self, columns: Sequence[Segments], vocabulary: Vocabulary) -> Ragged:
        """The words of all columns, one below the other."""
        # A word has at least one byte. Room that is never written to costs nothing.
        ids = np.empty(sum(len(column.text) for column in columns), np.int32)
        offsets = np.zeros(sum(map(len, columns)) + 1, np.intp)
        written = rows = 0
        for column in columns:
            for block in blocks(len(column), _BLOCK):
                text = column.rows(*block)
                split = self.tokenizer.split(text.lowercased() if self.lowercase else text)
                if len(split) > len(ids) - written:  # lower-casing can make a text longer
                    ids = np.concatenate([ids[:written], np.empty(len(ids) + len(split), np.int32)])
                written, rows = vocabulary.encode(split, ids, offsets, written, rows)
        return Ragged(ids[:written], offsets)


@dataclass(frozen=True, eq=False)
class Groups:
    """Which rows belong to which segment: those of segment s are rows[bounds[s]:bounds[s + 1]]."""

    rows: NDArray[np.intp]
    bounds: NDArray[np.intp]

    @classmethod
    def of_columns(cls, present: NDArray[np.bool_]) -> Groups:
        """Columns one below the other, present[c, s] telling whether column c has a row for segment s."""
        columns, segments = present.shape
        rows = np.arange(columns * segments, dtype=np.intp).reshape(columns, segments).T[present.T]
        return cls(rows, np.concatenate([[0], np.cumsum(present.sum(axis=0))]).astype(np.intp))

    @cached_property
    def segments(self) -> NDArray[np.intp]:
        """The segment of each entry of `rows`."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


@dataclass(frozen=True, eq=False)
class Batch:
    """Candidates and references of a block of segments.

    `candidates[row]` are the word ids of a candidate; `candidate_groups` says which rows are candidates of which
    segment, `reference_groups` the same for `references`. Equal words have equal ids within the batch, and
    `vocabulary[id]` is the word. A metric returns one row of statistics for each row of `candidates`.
    """

    columns: tuple[Segments, ...]
    reference_columns: tuple[Segments, ...]
    candidate_groups: Groups
    reference_groups: Groups
    encoding: Encoding

    @classmethod
    def of_columns(
        cls,
        columns: Sequence[Segments],
        reference_columns: Sequence[Segments],
        present: NDArray[np.bool_],
        encoding: Encoding,
    ) -> Batch:
        """Systems and reference streams over the same segments."""
        everything = np.ones((len(columns), present.shape[1]), np.bool_)
        groups = Groups.of_columns(everything), Groups.of_columns(present)
        return cls(tuple(columns), tuple(reference_columns), *groups, encoding)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary()

    @cached_property
    def references(self) -> Ragged:
        return self.encoding.encode(self.reference_columns, self.vocabulary)

    @cached_property
    def candidates(self) -> Ragged:
        return self.encoding.encode(self.columns, self.vocabulary)

    @property
    def texts(self) -> list[str]:
        """The candidates as they were read, in the order of the rows; for metrics that look at raw text."""
        return list(chain.from_iterable(self.columns))

    @property
    def reference_texts(self) -> list[str]:
        """The references as they were read, in the order of their rows."""
        return list(chain.from_iterable(self.reference_columns))

    def __len__(self) -> int:
        return sum(len(column) for column in self.columns)

    def each(self) -> Iterator[tuple[int, NDArray[np.int32], list[NDArray[np.int32]]]]:
        """(row, words of the candidate, words of each of its references), for metrics written in plain Python."""
        bounds = self.reference_groups.bounds
        for row, segment in zip(self.candidate_groups.rows, self.candidate_groups.segments, strict=True):
            references = self.reference_groups.rows[bounds[segment] : bounds[segment + 1]]
            yield int(row), self.candidates[row], [self.references[reference] for reference in references]
