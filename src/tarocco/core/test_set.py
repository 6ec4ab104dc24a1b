"""Columns of text, test sets made of them, and scores that come from files or people.

`make_test_set` checks and packs what callers of the Python functions pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError

NEWLINE = 10
BLOCK = 1024  # the most segments that are encoded, counted and stored together; results do not depend on it
BLOCK_BYTES = 1 << 18  # the most text in a block, by the longest references, unless one segment has more
REFERENCE = "reference "  # prefix of a reference that has the same name as a system
_SCAN = 1 << 24  # bytes scanned at a time, so that a large text is not copied


_SPACES = [chr(code).encode() for code in range(0x3001) if chr(code).isspace()]
_MAY_BEGIN_SPACE, _MAY_END_SPACE = np.zeros((2, 256), np.bool_)
_MAY_BEGIN_SPACE[[space[0] for space in _SPACES]] = True
_MAY_END_SPACE[[space[-1] for space in _SPACES]] = True


def find_line_starts(text: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return where each line starts, and the end of the text; every line ends with a newline."""
    starts = [np.flatnonzero(text[at : at + _SCAN] == NEWLINE) + (at + 1) for at in range(0, len(text), _SCAN)]
    return np.concatenate([np.zeros(1, np.intp), *starts])


def gather_ragged(starts: NDArray[np.intp], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the new starts of ragged rows taken in this order, and the old position of each of their cells."""
    sizes = np.diff(starts)[rows]
    begins = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes, dtype=np.intp)])
    return begins, np.arange(begins[-1]) - np.repeat(begins[:-1] - starts[rows], sizes)


@dataclass(frozen=True, eq=False)
class Segments(Sequence[str]):
    """A column of text, one segment per row, as UTF-8 bytes: a million segments are two arrays.

    Segment i is the bytes starts[i] .. starts[i + 1] - 1; the last byte is a newline that belongs to no segment.
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.intp]

    @classmethod
    def from_strings(cls, strings: Sequence[str]) -> Segments:
        """Pack strings, which may contain newlines."""
        packed = "\n".join([*strings, ""]).encode("utf-8", "surrogatepass")
        text = np.frombuffer(packed, np.uint8)
        starts = find_line_starts(text)
        if len(starts) != len(strings) + 1:  # some segment contains a newline
            sizes = [len(string.encode("utf-8", "surrogatepass")) + 1 for string in strings]
            starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes, dtype=np.intp)])
        return cls(text, starts)

    @classmethod
    def from_lines(cls, packed: bytes) -> Segments:
        """Make one segment per line of valid UTF-8 bytes; every line ends with a newline."""
        text = np.frombuffer(packed, np.uint8)
        return cls(text, find_line_starts(text))

    @classmethod
    def joined(cls, columns: Sequence[Segments]) -> Segments:
        """Concatenate columns."""
        if len(columns) == 1:
            return columns[0]
        ends = np.cumsum([0, *(len(column.text) for column in columns)], dtype=np.intp)
        starts = [column.starts[:-1] + end for column, end in zip(columns, ends[:-1], strict=True)]
        return cls(np.concatenate([column.text for column in columns]), np.concatenate([*starts, ends[-1:]]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        return self.text[self.starts[i] : self.starts[i + 1] - 1].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def rows(self, first: int, last: int) -> Segments:
        """Return segments first .. last - 1 without copying the text."""
        start, stop = self.starts[first], self.starts[last]
        return Segments(self.text[start:stop], self.starts[first : last + 1] - start)

    def taken(self, rows: NDArray[np.intp]) -> Segments:
        """Return these segments, in this order."""
        starts, cells = gather_ragged(self.starts, rows)
        return Segments(self.text[cells], starts)

    @property
    def lengths(self) -> NDArray[np.intp]:
        """The length of each segment in bytes."""
        return np.diff(self.starts) - 1

    @property
    def blank(self) -> NDArray[np.bool_]:
        """Which segments are empty or contain only whitespace."""
        lengths = self.lengths
        blank: NDArray[np.bool_] = lengths == 0
        first, last = self.text[self.starts[:-1]], self.text[self.starts[1:] - 2]
        # Only the few segments that begin and end with bytes of whitespace need a closer look.
        for i in np.flatnonzero(~blank & _MAY_BEGIN_SPACE[first] & _MAY_END_SPACE[last]):
            blank[i] = not self[i].strip()
        return blank

    @property
    def has_newlines(self) -> bool:
        """Whether some segment contains a newline."""
        return len(find_line_starts(self.text)) != len(self.starts)

    def lowercased(self) -> Segments:
        """Return the text in lower case, as `str.lower` does."""
        if self.has_newlines:
            return Segments.from_strings([string.lower() for string in self])
        # A newline is not a letter, so all lines can be lowercased together.
        lowered = self.text.tobytes().decode("utf-8", "surrogatepass").lower().encode("utf-8", "surrogatepass")
        return Segments.from_lines(lowered)


@dataclass(frozen=True, eq=False)
class TestSet:
    """Systems and references of the same segments.

    `references` are streams: stream r holds the r-th reference of every segment. A blank line in one of several
    streams means that the segment has no such reference. A segment whose references are all empty has one empty
    reference.
    """

    __test__ = False  # the name is not for pytest

    systems: Mapping[str, Segments]
    references: tuple[Segments, ...]
    documents: tuple[str, ...] | None = None
    reference_names: tuple[str, ...] = ()  # one per stream, if streams have names

    def __post_init__(self) -> None:
        if not self.references:
            raise InputError("there are no references: every metric needs at least one")
        n = len(self.references[0])
        for number, stream in enumerate(self.references, start=1):
            if len(stream) != n:
                raise InputError(f"reference 1 has {n} segments, reference {number} has {len(stream)}")
        for name, system in self.systems.items():
            if len(system) != n:
                raise InputError(f'the references have {n} segments, system "{name}" has {len(system)}')
        if self.documents is not None and len(self.documents) != n:
            raise InputError(f"the references have {n} segments, but there are {len(self.documents)} document labels")

    def __len__(self) -> int:
        return len(self.references[0])

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """present[r, i]: segment i has a reference r."""
        present = np.stack([~stream.blank for stream in self.references])
        present[0] |= ~present.any(axis=0)
        return present

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """(first, last) of the segments that are computed and stored together.

        Block sizes depend on references alone, so adding a system does not change the stored blocks of the others.
        """
        blocks, first = [], 0
        while first < len(self):
            sizes = [np.diff(stream.starts[first : first + BLOCK + 1]) for stream in self.references]
            fit = np.searchsorted(np.cumsum(np.maximum.reduce(sizes)), BLOCK_BYTES, side="right")
            blocks.append((first, first + max(1, int(fit))))
            first = blocks[-1][1]
        return blocks

    @property
    def stream_names(self) -> tuple[str, ...]:
        """The names of the reference streams, or their numbers from 1."""
        return self.reference_names or tuple(str(number) for number in range(1, len(self.references) + 1))

    @property
    def reference_count(self) -> int | None:
        """The number of references per segment; None if it varies."""
        counts = self.present.sum(axis=0)
        if len(counts) and (counts == counts[0]).all():
            return int(counts[0])
        return None


Kind = Literal["similarity", "error"]  # higher is better, lower is better


@dataclass(frozen=True, eq=False)
class ExternalScores:
    """An external metric's scores of systems.

    `by_system` holds float64[segments] per system, with NaN where there is no score; at level "system" it holds one
    number per system. `pairs` holds float64[segments] for each (target, reference) that the file has: the similarity
    (or error) of a target, which is a system or a reference, to one reference. `origin` identifies the file in
    signatures.
    """

    name: str
    kind: Kind
    level: Literal["segment", "system"]
    by_system: Mapping[str, NDArray[np.float64]]
    origin: tuple[tuple[str, str], ...]
    pairs: Mapping[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CandidateScores:
    """An external metric's scores of the candidates of n-best lists.

    `lists` holds, per list id, one score per candidate and, if the file has them, one score per reference; `lines`
    holds their line numbers in the file at `path`.
    """

    name: str
    kind: Kind
    lists: Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]]
    origin: tuple[tuple[str, str], ...]
    path: str
    lines: Mapping[int, int]


@dataclass(frozen=True, eq=False)
class RaterScores:
    """The scores of each rater by one criterion, with the numbers of the file; one place per score in all arrays."""

    raters: tuple[str, ...]
    rater: NDArray[np.int64]
    system: NDArray[np.int64]
    segment: NDArray[np.int64]
    values: NDArray[np.float64]

    def select(self, systems: Sequence[int]) -> RaterScores:
        """Return only the scores of these systems, by index, which are numbered in this order."""
        moved = np.full(max([*self.system.tolist(), *systems], default=-1) + 1, -1)
        moved[list(systems)] = range(len(systems))
        kept = moved[self.system] >= 0
        arrays = self.rater[kept], moved[self.system[kept]], self.segment[kept], self.values[kept]
        return RaterScores(self.raters, *arrays)


@dataclass(frozen=True, eq=False)
class HumanScores:
    """Human judgments of systems, as `tarocco.read_human` reads them, with the numbers of the file."""

    criteria: Mapping[str, NDArray[np.float64]]  # [systems, segments] with NaN for no judgment, or [systems], by level
    kinds: Mapping[str, Kind]  # of each criterion: "similarity" where higher is better, "error" where lower is
    systems: tuple[str, ...]  # in the order of the arrays
    level: Literal["segment", "system"]  # what was judged
    n_judges: int  # whose judgments were combined
    origin: tuple[tuple[str, str], ...]  # identifies the file in signatures
    comparisons: NDArray[np.int64] | None = None  # of rankings: judge, segment, better system, other, 1 (or 0: tied)
    unknown: tuple[str, ...] = ()  # judged systems that the run does not have
    ratings: Mapping[str, RaterScores] = field(default_factory=dict)  # by criterion, if several raters scored segments
    others: HumanScores | None = None  # the scores of what is in `unknown`, such as references

    def higher_is_better(self, criterion: str) -> NDArray[np.float64]:
        """Return the scores of a criterion, negated if lower is better."""
        scores = self.criteria[criterion]
        return 0 - scores if self.kinds[criterion] == "error" else scores  # no errors are 0, not -0


def select_others(human: HumanScores, names: Sequence[str]) -> HumanScores | None:
    """Return the scores of judged texts that are no systems of a run, without raters; None if there are none."""
    places = [human.systems.index(name) for name in names if name in human.systems]
    if not places:
        return None
    criteria = {name: values[places] for name, values in human.criteria.items()}
    systems = tuple(human.systems[i] for i in places)
    return HumanScores(criteria, human.kinds, systems, human.level, human.n_judges, human.origin)


Candidates = Iterable[str] | Mapping[str, Iterable[str]]
References = Iterable[Sequence[str | None] | str]


def make_test_set(candidates: Candidates, references: References, documents: Iterable[str] | None = None) -> TestSet:
    """Check the shapes that a caller passed and pack the texts."""
    by_name = candidates if isinstance(candidates, Mapping) else {"system": candidates}
    if not by_name:
        raise InputError("candidates is an empty mapping: expected at least one system")
    systems = {str(name): as_list(segments, f'the candidates of system "{name}"') for name, segments in by_name.items()}
    by_segment = as_list(references, "references")
    n = _same_length(systems)
    if len(by_segment) != n:
        raise InputError(_describe_wrong_references(by_segment, n))
    if n == 0:
        raise InputError("there are no segments to score")
    columns = {name: pack_segments(segments, f'system "{name}"') for name, segments in systems.items()}
    return TestSet(columns, make_streams(by_segment), tuple(documents) if documents is not None else None)


def as_list(items: Iterable[Any], what: str) -> Sequence[Any]:
    """Return the items of any ordered collection: a tuple, an array, a pandas column, a generator."""
    if isinstance(items, list | tuple):
        return items
    if isinstance(items, str | bytes | Mapping | Set) or not isinstance(items, Iterable):
        raise InputError(f"{what}: expected a list with one item per segment, found type {type(items).__name__}")
    return list(items)


def _same_length(systems: Mapping[str, Sequence[str]]) -> int:
    lengths = {name: len(segments) for name, segments in systems.items()}
    (first, n), *others = lengths.items()
    for name, length in others:
        if length != n:
            raise InputError(f'system "{first}" has {n} segments, system "{name}" has {length}')
    return n


def _describe_wrong_references(references: Sequence[Any], n: int) -> str:
    lengths = {len(item) for item in references if isinstance(item, Sized) and not isinstance(item, str)}
    if lengths == {n} and len(references):
        return (
            f"expected one item per segment in references, found {len(references)} streams of {n} segments: "
            "references[i] are the references of segment i; list(zip(*references)) converts streams"
        )
    return f"there are {n} candidates, but references for {len(references)} segments"


def make_streams(references: Sequence[Any]) -> tuple[Segments, ...]:
    """Turn the references of each segment into streams, with empty strings where a segment has fewer."""
    kinds = set(map(type, references))
    strings = {kind for kind in kinds if issubclass(kind, str)}
    if kinds == strings:
        return (pack_segments(references, "references"),)
    if strings:
        references = [[item] if isinstance(item, str) else item for item in references]
    for i, item in enumerate(references) if not kinds <= {list, tuple, str} else ():
        if isinstance(item, bytes | Mapping) or not isinstance(item, Iterable) or not isinstance(item, Sized):
            raise InputError(
                f"the references of segment {i} (counted from 0): expected a list of strings, "
                f"found type {type(item).__name__}"
            )
    counts = list(map(len, references))
    if None in chain.from_iterable(references):
        counts = [sum(text is not None for text in item) for item in references]
    if min(counts) == 0:
        raise InputError(f"segment {counts.index(0)} (counted from 0) has no references")
    counts = list(map(len, references))
    if min(counts) < max(counts):
        references = [[*item, *[""] * (max(counts) - len(item))] for item in references]
    streams = []
    for number, stream in enumerate(zip(*references, strict=True)):
        filled = ["" if item is None else item for item in stream] if None in stream else stream
        streams.append(pack_segments(filled, f"reference {number} (counted from 0) of the segments"))
    return tuple(streams)


def pack_strings(strings: Iterable[str], what: str) -> Segments:
    return pack_segments(as_list(strings, what), what)


def pack_lines(text: bytes) -> Segments:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(f"candidates: line {line} is not UTF-8 (byte {error.start}: {error.reason})") from None
    return Segments.from_lines(text if text.endswith(b"\n") or not text else text + b"\n")


def pack_segments(strings: Sequence[Any], what: str) -> Segments:
    try:
        return Segments.from_strings(strings)
    except TypeError:
        for i, item in enumerate(strings):
            if not isinstance(item, str):
                kind = type(item).__name__
                raise InputError(
                    f"{what}: segment {i} (counted from 0): expected a string, found type {kind}"
                ) from None
        raise


def name_texts(test_set: TestSet) -> dict[str, Segments]:
    """Return systems and references by name; a reference with the name of a system gets the prefix REFERENCE."""
    texts = dict(test_set.systems)
    for name, segments in zip(test_set.reference_names, test_set.references, strict=False):
        texts[name if name not in texts else f"{REFERENCE}{name}"] = segments
    return texts
