"""A block of candidates and references as ragged arrays: the input of a metric's `statistics`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import Segments
from tarocco.encode.tokenizer_plugins import registered, restore
from tarocco.encode.tokenizers import FunctionTokenizer, Tokenizer, tokenizer
from tarocco.encode.vocabulary import CharacterVocabulary, Ragged, Vocabulary
from tarocco.kernels.segments import Texts

_BLOCK = 1024  # segments tokenized at a time, to save memory
_PARTS_PER_WHOLE = 4  # a part of a batch has at least so many comparisons per pair of the whole


@dataclass(frozen=True)
class Encoding:
    """How text becomes words: a tokenizer's name, whether text is lowercased first, and the stemmer of words, if any.

    The stemmer is `porter` or `porter-nltk`. `analyzer` names the source of linguistic structure, for the metrics that
    need it.
    """

    tokenize: str = "13a"
    lowercase: bool = False
    stem: str = ""
    analyzer: str | None = None

    def __post_init__(self) -> None:
        tokenizer(self.tokenize)  # raises for an unknown name before any text is read

    @property
    def tokenizer(self) -> Tokenizer:
        """The function that splits a text into words."""
        return tokenizer(self.tokenize)

    def __reduce__(self) -> tuple[Any, ...]:
        """Take a registered function along to other processes."""
        return _restore_encoding, (registered(self.tokenize), self.tokenize, self.lowercase, self.stem, self.analyzer)

    def words(self, text: str) -> list[str]:
        """Return the words of a text for display, without stemming."""
        return self.tokenizer(text.lower() if self.lowercase else text).split(" ") if text.strip() else []

    def encode(self, columns: Sequence[Segments], vocabulary: Vocabulary) -> Ragged:
        """Encode the words of all columns, one after the other."""
        # A word has at least one byte. Memory that is never written to costs nothing.
        ids = np.empty(sum(len(column.text) for column in columns), np.int32)
        offsets = np.zeros(sum(map(len, columns)) + 1, np.intp)
        written = rows = 0
        for column in columns:
            for first in range(0, len(column), _BLOCK):
                text = column.rows(first, min(first + _BLOCK, len(column)))
                split = self.tokenizer.split_loosely(text.lowercased() if self.lowercase else text)
                if len(split) // 2 > len(ids) - written:  # lowercasing can lengthen a text
                    ids = np.concatenate([ids[:written], np.empty(len(ids) + len(split), np.int32)])
                written, rows = vocabulary.encode(split, ids, offsets, written, rows)
        return Ragged(ids[:written], offsets)

    def encode_sides(
        self, references: Sequence[Segments], candidates: Sequence[Segments], vocabulary: Vocabulary
    ) -> tuple[Ragged, Ragged]:
        """Encode references, then candidates; where words become stems, equal stems have equal ids."""
        sides = self.encode(references, vocabulary), self.encode(candidates, vocabulary)
        if not self.stem:
            return sides
        stems = vocabulary.by_stem(self.stem)
        return Ragged(stems[sides[0].values], sides[0].offsets), Ragged(stems[sides[1].values], sides[1].offsets)


def _restore_encoding(function: FunctionTokenizer | None, *fields: Any) -> Encoding:
    if function is not None:
        restore(function)
    return Encoding(*fields)


def _code_points(columns: Sequence[Segments], lowercase: bool) -> Ragged:
    codes, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.intp)]
    for column in columns:
        text = column.lowercased() if lowercase else column
        string = text.text.tobytes().decode("utf-8", "surrogatepass")
        characters = np.frombuffer(string.encode("utf-32-le", "surrogatepass"), np.int32)
        first_bytes = (text.text & 0xC0) != 0x80  # the first byte of each character
        starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(first_bytes)])[text.starts]
        inside = np.ones(len(characters), np.bool_)
        inside[starts[1:] - 1] = False  # the newline between segments
        codes.append(characters[inside])
        lengths.append(np.diff(starts) - 1)
    return Ragged(np.concatenate(codes), np.cumsum(np.concatenate(lengths)))


@dataclass(frozen=True, eq=False)
class Groups:
    """Which rows belong to which segment: those of segment s are rows[bounds[s]:bounds[s + 1]].

    A row may be in several groups, such as a candidate that is compared with different sets of references.
    """

    rows: NDArray[np.intp]
    bounds: NDArray[np.intp]

    @classmethod
    def of_columns(cls, present: NDArray[np.bool_]) -> Groups:
        """Group the rows of concatenated columns; present[c, s] says whether column c has a row for segment s."""
        columns, segments = present.shape
        rows = np.arange(columns * segments, dtype=np.intp).reshape(columns, segments).T[present.T]
        bounds = np.zeros(segments + 1, np.intp)
        np.cumsum(present.sum(axis=0), out=bounds[1:])
        return cls(rows, bounds)

    @classmethod
    def of_one(cls, size: int) -> Groups:
        """Put the first `size` rows into one segment."""
        return cls(np.arange(size), np.array([0, size]))

    def select(self, first: int, last: int) -> Groups:
        """Return the groups of segments first .. last - 1."""
        return Groups(
            self.rows[self.bounds[first] : self.bounds[last]], self.bounds[first : last + 1] - self.bounds[first]
        )

    @property
    def sizes(self) -> NDArray[np.intp]:
        """The number of rows of each segment."""
        sizes: NDArray[np.intp] = self.bounds[1:] - self.bounds[:-1]
        return sizes

    @property
    def segments(self) -> NDArray[np.intp]:
        """The segment of each entry of `rows`."""
        return np.repeat(np.arange(len(self.bounds) - 1), self.sizes)


@dataclass(frozen=True, eq=False)
class Batch:
    """Candidates and references of a block of segments, as word ids.

    `candidate_groups` says which rows of `candidates` belong to which segment, `reference_groups` the same for
    `references`. Equal words have equal ids within the batch, and `vocabulary[id]` is the word. A metric returns one
    row of statistics for each entry of `candidate_groups.rows`, in that order.

    If groups are parts of larger groups, as when each reference is left out in turn, `whole` is the batch of the larger
    groups, without duplicate rows, and group g is part of its group owners[g]. Anything that depends on only one
    candidate and one reference can be computed there once. `encoding` is how the texts were read.
    """

    candidates: Ragged
    references: Ragged
    candidate_groups: Groups
    reference_groups: Groups
    vocabulary: Vocabulary
    columns: tuple[Segments, ...] = ()
    reference_columns: tuple[Segments, ...] = ()
    whole: Batch | None = None
    owners: NDArray[np.intp] | None = None
    encoding: Encoding = Encoding()

    @classmethod
    def of_columns(
        cls,
        columns: Sequence[Segments],
        reference_columns: Sequence[Segments],
        present: NDArray[np.bool_],
        encoding: Encoding,
    ) -> Batch:
        """Encode systems and reference streams of the same segments."""
        everything = np.ones((len(columns), present.shape[1]), np.bool_)
        groups = Groups.of_columns(everything), Groups.of_columns(present)
        return cls.of_groups(columns, reference_columns, *groups, encoding)

    @classmethod
    def of_groups(
        cls,
        columns: Sequence[Segments],
        reference_columns: Sequence[Segments],
        candidate_groups: Groups,
        reference_groups: Groups,
        encoding: Encoding,
    ) -> Batch:
        """Encode concatenated columns of texts in any groups."""
        vocabulary = Vocabulary(sum(len(column.text) for column in (*reference_columns, *columns)))
        references, candidates = encoding.encode_sides(reference_columns, columns, vocabulary)
        texts = tuple(columns), tuple(reference_columns)
        groups = candidate_groups, reference_groups
        return cls(candidates, references, *groups, vocabulary, *texts, encoding=encoding)

    def encoded(self, encoding: Encoding) -> Batch:
        """Return the same texts and groups with another encoding."""
        groups = self.candidate_groups, self.reference_groups
        return self.of_groups(self.columns, self.reference_columns, *groups, encoding)

    def code_points(self, lowercase: bool = False) -> Batch:
        """Return the same texts and groups as characters, including spaces; ids are code points."""
        texts = self.columns, self.reference_columns
        candidates, references = (_code_points(columns, lowercase) for columns in texts)
        return Batch(candidates, references, self.candidate_groups, self.reference_groups, Vocabulary(), *texts)

    def characters(self, lowercase: bool = False) -> Batch:
        """Return the same texts and groups as numbered characters, without spaces at the ends of texts."""
        stripped = [
            [Segments.from_strings([text.strip() for text in column]) for column in columns]
            for columns in (self.columns, self.reference_columns)
        ]
        sides = [_code_points(columns, lowercase) for columns in stripped]
        codes, ids = np.unique(np.concatenate([side.values for side in sides]), return_inverse=True)
        numbered = np.split(ids.astype(np.int32), [len(sides[0].values)])
        candidates, references = (Ragged(part, side.offsets) for part, side in zip(numbered, sides, strict=True))
        return replace(
            self,
            candidates=candidates,
            references=references,
            vocabulary=CharacterVocabulary(codes),
            whole=None if self.whole is None else self.whole.characters(lowercase),
        )

    def sentences(self) -> Sentences:
        """Return the same texts and groups, encoded sentence by sentence; a sentence is a line."""
        sides, bounds = [], []
        for columns in (self.reference_columns, self.columns):
            texts = [[line for line in text.split("\n") if line] for column in columns for text in column]
            sides.append([Segments.from_strings([line for lines in texts for line in lines])])
            bounds.append(np.cumsum([0, *map(len, texts)], dtype=np.intp))
        vocabulary = Vocabulary(sum(len(column.text) for side in sides for column in side))
        references, candidates = self.encoding.encode_sides(sides[0], sides[1], vocabulary)
        batch = replace(
            self,
            candidates=Ragged(candidates.values, candidates.offsets[bounds[1]]),
            references=Ragged(references.values, references.offsets[bounds[0]]),
            vocabulary=vocabulary,
        )
        return Sentences(batch, ((candidates.offsets, bounds[1]), (references.offsets, bounds[0])))

    @property
    def alone(self) -> Batch:
        """The same batch without `whole`."""
        return replace(self, whole=None, owners=None)

    @cached_property
    def places(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The index in `whole` of each entry of `candidate_groups`, and the index of each reference in its group."""
        whole = self if self.whole is None else self.whole
        of_candidates, of_references = np.empty(len(self.candidates), np.intp), np.empty(len(self.references), np.intp)
        of_candidates[whole.candidate_groups.rows] = np.arange(len(whole))
        groups = whole.reference_groups
        of_references[groups.rows] = np.arange(len(groups.rows)) - groups.bounds[groups.segments]
        return of_candidates[self.candidate_groups.rows], of_references[self.reference_groups.rows]

    @property
    def left_out(self) -> NDArray[np.intp] | None:
        """Which reference of `whole` each group leaves out, -1 for none; None if a group differs otherwise."""
        if self.whole is None or self.owners is None:
            return None
        groups, sizes = self.reference_groups, self.whole.reference_groups.sizes[self.owners]
        missing = sizes - groups.sizes
        if missing.max(initial=0) > 1:
            return None
        there = np.concatenate([np.zeros(1, np.intp), np.cumsum(self.places[1])])
        return np.where(missing == 1, sizes * (sizes - 1) // 2 - np.diff(there[groups.bounds]), -1)

    def split(self, most: int) -> Iterator[Batch]:
        """Yield the batch in parts of consecutive groups with at most about `most` comparisons each."""
        sizes = self.candidate_groups.sizes * self.reference_groups.sizes
        whole = 0 if self.whole is None else self.whole.comparisons
        most = max(most, _PARTS_PER_WHOLE * whole)  # each part compares the pairs of the whole again
        totals, ends = np.cumsum(sizes), [0]
        while ends[-1] < len(sizes):
            before = totals[ends[-1] - 1] if ends[-1] else 0
            ends.append(max(ends[-1] + 1, int(np.searchsorted(totals, before + most, "right"))))
        if len(ends) == 2:
            yield self
            return
        for first, last in pairwise(ends):
            groups = self.candidate_groups.select(first, last), self.reference_groups.select(first, last)
            owners = None if self.owners is None else self.owners[first:last]
            yield replace(self, candidate_groups=groups[0], reference_groups=groups[1], owners=owners)

    @property
    def comparisons(self) -> int:
        """The number of pairs of a candidate and one of its references."""
        return int(self.candidate_groups.sizes @ self.reference_groups.sizes)

    def __len__(self) -> int:
        return len(self.candidate_groups.rows)

    @property
    def arrays(self) -> tuple[Texts, Texts]:
        """The candidates and the references as kernels read them."""
        candidates, references = self.candidate_groups, self.reference_groups
        return (
            Texts(self.candidates.values, self.candidates.offsets, candidates.rows, candidates.bounds),
            Texts(self.references.values, self.references.offsets, references.rows, references.bounds),
        )

    @property
    def lengths(self) -> NDArray[np.intp]:
        """The number of words of each candidate."""
        return self.candidates.lengths[self.candidate_groups.rows]

    @property
    def reference_words(self) -> NDArray[np.intp]:
        """The number of words of all references of each segment."""
        groups = self.reference_groups
        words = np.concatenate([np.zeros(1, np.intp), np.cumsum(self.references.lengths[groups.rows])])
        return np.diff(words[groups.bounds])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The candidates as raw text, neither lowercased nor tokenized."""
        rows = list(chain.from_iterable(self.columns))
        return tuple(rows[row] for row in self.candidate_groups.rows)

    @cached_property
    def reference_texts(self) -> tuple[tuple[str, ...], ...]:
        """The references of each candidate as raw text; the candidates of a segment share one tuple."""
        rows = list(chain.from_iterable(self.reference_columns))
        groups = self.reference_groups
        bounds = zip(groups.bounds[:-1], groups.bounds[1:], strict=True)
        by_segment = [tuple(rows[row] for row in groups.rows[first:last]) for first, last in bounds]
        return tuple(by_segment[segment] for segment in self.candidate_groups.segments)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields only, because another process can compute cached properties from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def each(self) -> Iterator[tuple[int, NDArray[np.int32], list[NDArray[np.int32]]]]:
        """Yield (index, words of the candidate, words of each reference), for metrics written in plain Python."""
        rows = zip(self.candidate_groups.rows, self._reference_rows(), strict=True)
        for number, (row, reference_rows) in enumerate(rows):
            yield number, self.candidates[row], [self.references[reference] for reference in reference_rows]

    def _reference_rows(self) -> Iterator[NDArray[np.intp]]:
        bounds = self.reference_groups.bounds
        for segment in self.candidate_groups.segments:
            yield self.reference_groups.rows[bounds[segment] : bounds[segment + 1]]


@dataclass(frozen=True, eq=False)
class Sentences:
    """A batch of texts of several sentences, and on each side (candidates, references) where its sentences are.

    Sentence s of a side consists of the words offsets[s]:offsets[s + 1] of all its texts, and text `row` of the
    sentences bounds[row]:bounds[row + 1].
    """

    batch: Batch
    sides: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], tuple[NDArray[np.intp], NDArray[np.intp]]]

    def longest(self) -> int:
        """Return the length of the longest sentence."""
        return max(int(np.diff(offsets).max(initial=0)) for offsets, _ in self.sides)


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The n-best lists and the references of some segments.

    The candidates of list s are candidates[bounds[s]:bounds[s + 1]]; `reference_bounds` does the same for references.
    With `rows`, only some candidates are used: those of list s are rows[bounds[s]:bounds[s + 1]].
    """

    candidates: Segments
    bounds: NDArray[np.intp]
    references: Segments
    reference_bounds: NDArray[np.intp]
    rows: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def of(self, s: int) -> NDArray[np.intp]:
        """Return the candidates of a list that are used."""
        rows = np.arange(*self.bounds[s : s + 2])
        return rows if self.rows is None else self.rows[rows]


def make_leave_one_out_batch(lists: CandidateLists, encoding: Encoding, *, fair: bool) -> Batch:
    """Compare candidates and references with sets of references that leave one out.

    If `fair`, there is one group per list and reference: all candidates and this reference, compared with the other
    references. Otherwise one group per list compares the candidates with all references, followed by one group per
    reference that compares it with the others. In `whole`, candidates and references are compared with all references.
    """
    vocabulary = Vocabulary(len(lists.references.text) + len(lists.candidates.text))
    references, listed = encoding.encode_sides([lists.references], [lists.candidates], vocabulary)
    candidates = Ragged(
        np.concatenate([listed.values, references.values]),
        np.concatenate([listed.offsets, listed.offsets[-1] + references.offsets[1:]]),
    )
    rows, reference_rows, owners = [], [], []
    whole_rows, whole_references = [], []
    for s in range(len(lists)):
        listed_rows = lists.of(s)
        of_list = np.arange(*lists.reference_bounds[s : s + 2])
        as_candidates = of_list + len(listed)
        whole_rows.append(np.concatenate([listed_rows, as_candidates]))
        whole_references.append(of_list)
        if not fair:
            rows.append(listed_rows)
            reference_rows.append(of_list)
            owners.append(s)
        for k in range(len(of_list)):
            rows.append(np.append(listed_rows, as_candidates[k]) if fair else as_candidates[k : k + 1])
            reference_rows.append(np.delete(of_list, k))
            owners.append(s)
    texts = (lists.candidates, lists.references), (lists.references,)
    words = candidates, references
    of_whole = _make_groups(whole_rows), _make_groups(whole_references)
    whole = Batch(*words, *of_whole, vocabulary, *texts, encoding=encoding)
    groups = _make_groups(rows), _make_groups(reference_rows)
    return Batch(*words, *groups, vocabulary, *texts, whole, np.array(owners, np.intp), encoding)


def make_list_batch(lists: CandidateLists, encoding: Encoding) -> Batch:
    """Compare the candidates of each list with all its references; texts that are both are encoded once."""
    vocabulary = Vocabulary(len(lists.references.text) + len(lists.candidates.text))
    candidate_columns = [] if lists.references is lists.candidates else [lists.candidates]
    references, candidates = encoding.encode_sides([lists.references], candidate_columns, vocabulary)
    if not candidate_columns:
        candidates = references
    groups = (
        Groups(np.arange(lists.bounds[-1]) if lists.rows is None else lists.rows, lists.bounds),
        Groups(np.arange(lists.reference_bounds[0], lists.reference_bounds[-1]), lists.reference_bounds),
    )
    texts = (lists.candidates,), (lists.references,)
    return Batch(candidates, references, *groups, vocabulary, *texts, encoding=encoding)


def split_by_reference(whole: Batch) -> Batch:
    """Compare all candidates of a segment with each reference separately."""
    candidates, references = whole.candidate_groups, whole.reference_groups
    owners = references.segments
    sizes = candidates.sizes[owners]
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes)])
    within = np.arange(bounds[-1]) - np.repeat(bounds[:-1] - candidates.bounds[owners], sizes)
    return replace(
        whole,
        candidate_groups=Groups(candidates.rows[within], bounds),
        reference_groups=Groups(references.rows, np.arange(len(references.rows) + 1)),
        whole=whole,
        owners=owners,
    )


def _make_groups(rows: list[NDArray[np.intp]]) -> Groups:
    bounds = np.zeros(len(rows) + 1, np.intp)
    np.cumsum([len(group) for group in rows], out=bounds[1:])
    return Groups(np.concatenate([np.empty(0, np.intp), *rows]), bounds)
