"""What travels the corridor: columns of text, and the test set made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError

NEWLINE = 10
BLOCK = 1024  # segments that are encoded, counted and stored together, at most; results do not depend on it
BLOCK_BYTES = 1 << 18  # or as many as have so much text, by their longest references; or one, if that has more
_SCAN = 1 << 24  # bytes looked at together, so that a large text needs no second copy of itself


_SPACES = [chr(code).encode() for code in range(0x3001) if chr(code).isspace()]
_MAY_BEGIN_SPACE, _MAY_END_SPACE = np.zeros((2, 256), np.bool_)
_MAY_BEGIN_SPACE[[space[0] for space in _SPACES]] = True
_MAY_END_SPACE[[space[-1] for space in _SPACES]] = True


def line_starts(text: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Where each line of `text` starts, and where the line after the last would; every line ends with a newline."""
    found = [np.flatnonzero(text[at : at + _SCAN] == NEWLINE) + (at + 1) for at in range(0, len(text), _SCAN)]
    return np.concatenate([np.zeros(1, np.intp), *found])


@dataclass(frozen=True, eq=False)
class Segments(Sequence[str]):
    """A column of text, one segment a row, kept as UTF-8 bytes: a million segments are two arrays.

    Segment i is the bytes starts[i] .. starts[i + 1] - 1; the last byte is a newline that belongs to no segment.
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.intp]

    @classmethod
    def from_strings(cls, strings: Sequence[str]) -> Segments:
        """Pack strings; the text may hold anything, newlines too."""
        packed = "\n".join([*strings, ""]).encode("utf-8", "surrogatepass")
        text = np.frombuffer(packed, np.uint8)
        starts = line_starts(text)
        if len(starts) != len(strings) + 1:  # some segment holds a newline
            sizes = [len(string.encode("utf-8", "surrogatepass")) + 1 for string in strings]
            starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes, dtype=np.intp)])
        return cls(text, starts)

    @classmethod
    def from_lines(cls, packed: bytes) -> Segments:
        """Take the lines of valid UTF-8 bytes in which every line ends with a newline."""
        text = np.frombuffer(packed, np.uint8)
        return cls(text, line_starts(text))

    @classmethod
    def joined(cls, columns: Sequence[Segments]) -> Segments:
        """One column below the other."""
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
        """Segments first .. last - 1, without copying the text."""
        start, stop = self.starts[first], self.starts[last]
        return Segments(self.text[start:stop], self.starts[first : last + 1] - start)

    def taken(self, rows: NDArray[np.intp]) -> Segments:
        """These segments, in this order."""
        sizes = np.diff(self.starts)[rows]  # with the newline
        starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        return Segments(self.text[np.repeat(self.starts[:-1][rows], sizes) + within], starts)

    @property
    def lengths(self) -> NDArray[np.intp]:
        """The length of each segment in bytes."""
        return np.diff(self.starts) - 1

    @property
    def blank(self) -> NDArray[np.bool_]:
        """Which segments have no words: nothing, or nothing but space."""
        lengths = self.lengths
        blank: NDArray[np.bool_] = lengths == 0
        first, last = self.text[self.starts[:-1]], self.text[self.starts[1:] - 2]
        # Few segments begin and end with bytes that a space can begin and end with; those are looked at.
        for i in np.flatnonzero(~blank & _MAY_BEGIN_SPACE[first] & _MAY_END_SPACE[last]):
            blank[i] = not self[i].strip()
        return blank

    @property
    def has_newlines(self) -> bool:
        """Whether some segment holds a newline of its own."""
        return len(line_starts(self.text)) != len(self.starts)

    def lowercased(self) -> Segments:
        """The same text in lower case, as `str.lower` has it."""
        if self.has_newlines:
            return Segments.from_strings([string.lower() for string in self])
        # A newline is no letter, so lower-casing all lines together is lower-casing each.
        lowered = self.text.tobytes().decode("utf-8", "surrogatepass").lower().encode("utf-8", "surrogatepass")
        return Segments.from_lines(lowered)


@dataclass(frozen=True, eq=False)
class TestSet:
    """Systems and references of the same segments.

    `references` are streams: stream r holds the r-th reference of every segment. A blank line in one of several
    streams means that the segment has no such reference; a segment whose references are all empty has one, which is
    empty.
    """

    __test__ = False  # the name is not for pytest

    systems: Mapping[str, Segments]
    references: tuple[Segments, ...]
    documents: tuple[str, ...] | None = None
    reference_names: tuple[str, ...] = ()  # of the streams, where they have names

    def __post_init__(self) -> None:
        if not self.references:
            raise InputError("there are no references: every metric here compares with at least one")
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
        """(first, last) of the segments that are worked on together: as many of them as are worth it, and no more.

        Only references decide, so that a system more or less changes no block that a store has of the others.
        """
        found, first = [], 0
        while first < len(self):
            sizes = [np.diff(stream.starts[first : first + BLOCK + 1]) for stream in self.references]
            fit = np.searchsorted(np.cumsum(np.maximum.reduce(sizes)), BLOCK_BYTES, side="right")
            found.append((first, first + max(1, int(fit))))
            first = found[-1][1]
        return found

    @property
    def stream_names(self) -> tuple[str, ...]:
        """What the streams of references are called: their names, or numbers from 1 on."""
        return self.reference_names or tuple(str(number) for number in range(1, len(self.references) + 1))

    @property
    def reference_count(self) -> int | None:
        """How many references every segment has; None where the number varies."""
        counts = self.present.sum(axis=0)
        if len(counts) and (counts == counts[0]).all():
            return int(counts[0])
        return None


Kind = Literal["similarity", "error"]  # higher is better, lower is better


@dataclass(frozen=True, eq=False)
class ExternalScores:
    """What a metric that was computed elsewhere says of systems.

    `by_system` holds float64[segments] for each system, NaN where there is no score; at level "system" it holds one
    number alone. `pairs` are similarities (or errors) of a target, which is a system or a reference, to one reference,
    float64[segments] for each (target, reference), where the file had them. `origin` is what it takes to find the
    scores again, for signatures.
    """

    name: str
    kind: Kind
    level: Literal["segment", "system"]
    by_system: Mapping[str, NDArray[np.float64]]
    origin: tuple[tuple[str, str], ...]
    pairs: Mapping[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CandidateScores:
    """What a metric that was computed elsewhere says of the candidates of n-best lists.

    `lists` holds, for the id of each list, a score a candidate and, where the file has them, a score a reference;
    `lines` where in the file at `path` that stands.
    """

    name: str
    kind: Kind
    lists: Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]]
    origin: tuple[tuple[str, str], ...]
    path: str
    lines: Mapping[int, int]


@dataclass(frozen=True, eq=False)
class HumanScores:
    """What people say of systems, as `tarocco.read_human` reads it; numbers stand as in the file."""

    criteria: Mapping[str, NDArray[np.float64]]  # [systems, segments], NaN where nobody judged; or [systems], by level
    kinds: Mapping[str, Kind]  # of each criterion: "similarity" where higher is better, "error" where lower is
    systems: tuple[str, ...]  # in the order of the arrays
    level: Literal["segment", "system"]  # what was judged
    n_judges: int  # how many there were; what they said is one number by now
    origin: tuple[tuple[str, str], ...]  # what it takes to find the scores again, for signatures
    comparisons: NDArray[np.int64] | None = None  # of rankings: judge, segment, system, other one, 1 (or 0: tied)
    unknown: tuple[str, ...] = ()  # systems that people judged, but that the run does not have

    def higher_is_better(self, criterion: str) -> NDArray[np.float64]:
        """The scores of a criterion, negated where lower is better."""
        scores = self.criteria[criterion]
        return 0 - scores if self.kinds[criterion] == "error" else scores  # no errors are 0, not -0
