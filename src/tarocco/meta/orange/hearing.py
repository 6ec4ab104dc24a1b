"""What a trial is about, and what came out for some of its lists."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import TestSet
from tarocco.io.nbest.lists import NBestList
from tarocco.meta.orange.blocks import Contestant, Work
from tarocco.meta.orange.cases import Chosen, Counted
from tarocco.meta.orange.confusions import Confusion, Wanted
from tarocco.meta.orange.results import Ranked
from tarocco.meta.orange.rules import Rules
from tarocco.metrics.base import Floats, Metric

if TYPE_CHECKING:
    from tarocco.annotate.cache import Annotations

Given = Mapping[str, Sequence[tuple[Floats, Floats]]]  # scores made elsewhere, a pair a list


@dataclass(frozen=True, eq=False)
class Lists:
    """Where lists come from: a stream of them, the name of the stream, and how it counts."""

    stream: Iterable[NBestList]
    name: str
    first_id: int = 0
    labels: Sequence[str] | None = None  # segments with the same one are pooled


@dataclass(frozen=True, eq=False)
class Hearing:
    """What all lists of a trial have in common."""

    references: TestSet
    contestants: Sequence[Contestant]
    contexts: Mapping[Metric, Any]  # what metrics know of all references
    rules: Rules
    confusions: Wanted | None

    def work(
        self, chosen: Chosen, judges: Sequence[int], given: Given | None = None, told: Annotations | None = None
    ) -> Work:
        """Some lists, to be judged by the contestants with these numbers."""
        return Work(
            chosen,
            tuple(self.contestants[m] for m in judges),
            given or {},
            self.rules.encoding,
            self.rules.against == "fair",
            self.rules.oracle,
            self.rules.ties,
            self.confusions,
            told,
        )


class Judged:
    """What is left of lists when they were judged, in arrays that grow: a stream may have millions of lists."""

    def __init__(self, contestants: int = 0) -> None:
        self.segments, self.sizes = array("q"), array("q")  # sizes of the lists as they were read
        self.lengths, self.ends = array("q"), array("q")  # how many ends each list has, and the ends
        self.counts = [array("d") for _ in range(contestants)]
        self.paths: dict[str, int] = {}  # lists of one file name it once
        self.path_numbers, self.first_lines = array("q"), array("q")

    def __len__(self) -> int:
        return len(self.segments)

    def add(self, chosen: Chosen) -> None:
        """A block's lists."""
        for case, ends in zip(chosen.cases, chosen.ends, strict=True):
            path, line = case.place()
            self.segments.append(case.segment)
            self.sizes.append(len(case.candidates))
            self.lengths.append(len(ends))
            self.ends.frombytes(ends.astype(np.int64, copy=False).tobytes())
            self.path_numbers.append(self.paths.setdefault(path, len(self.paths)))
            self.first_lines.append(line)

    def extend(self, heard: Heard) -> None:
        """Lists that were judged elsewhere, and the counts of all contestants."""
        other = heard.lists
        numbers = [self.paths.setdefault(path, len(self.paths)) for path in other.paths]
        self.segments += other.segments
        self.sizes += other.sizes
        self.lengths += other.lengths
        self.ends += other.ends
        self.path_numbers.extend(numbers[number] for number in other.path_numbers)
        self.first_lines.extend(line + heard.before for line in other.first_lines)
        for m, column in enumerate(self.counts if len(other) else ()):
            column.frombytes(np.ascontiguousarray(heard.counts[m]).tobytes())

    def where(self, s: int) -> str:
        """File and line where a list begins."""
        return f"{list(self.paths)[self.path_numbers[s]]}, line {self.first_lines[s]}"

    def ranked(self) -> Ranked:
        """All of it as arrays."""
        ends = np.frombuffer(self.ends, np.int64)
        offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum(np.frombuffer(self.lengths, np.int64))])
        return Ranked(
            np.frombuffer(self.segments, np.int64),
            ends[offsets[1:] - 1],
            ends,
            offsets,
            [np.frombuffer(column).reshape(-1, 2) for column in self.counts],
        )


@dataclass(frozen=True, eq=False)
class Heard:
    """What came out for some lists: what is left of them, and what was found on the way."""

    lists: Judged
    counts: Mapping[int, Floats]  # by the number of the contestant: above and level, a row an end of a list
    counted: Counted
    confusions: Sequence[Confusion] = ()
    before: int = 0  # lines of the file that were not counted


def _places(lengths: Sequence[int]) -> tuple[NDArray[np.intp], int]:
    """Where each row of counts goes in a table with a row a list, and how wide that is."""
    widest = max(lengths)
    return np.concatenate([s * widest + np.arange(n) for s, n in enumerate(lengths)]), widest


def folded(counts: Floats, lengths: Sequence[int]) -> Floats:
    """Counts, a row an end of a list, as a table with a row a list."""
    places, widest = _places(lengths)
    table = np.zeros((len(lengths) * widest, 2))
    table[places] = counts
    return table.reshape(len(lengths), 2 * widest)


def unfolded(table: Floats, lengths: Sequence[int]) -> Floats:
    """The counts in such a table."""
    return table.reshape(-1, 2)[_places(lengths)[0]]
