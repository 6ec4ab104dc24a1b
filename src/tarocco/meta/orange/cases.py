"""From n-best lists and references to cases: a list, the references of its segment, and what of the list takes part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import CandidateLists
from tarocco.io.nbest.lists import NBestList
from tarocco.kernels import duplicates, kernel

_firsts_of_lists = kernel(duplicates, "find_duplicates")

FINE = 64  # candidates: the default grid has every length up to here, and then every so many
_TEXT = 1 << 19  # bytes of text that are judged together, or one list if that is longer; results do not depend on it
_LISTS = 256


@dataclass(frozen=True, eq=False)
class Case:
    """The candidates and the references of a segment, or of several that are pooled."""

    segment: int
    members: tuple[int, ...]  # the segments pooled here; itself alone, most often
    candidates: Segments
    references: Segments
    lists: tuple[NBestList, ...]
    of_references: NDArray[np.intp]  # which of its members' references these are, one behind the other
    references_given: int  # how many those are

    def place(self, candidate: int = 0) -> tuple[str, int]:
        """File and line of a candidate."""
        for one in self.lists:
            if candidate < len(one.candidates):
                return one.path, one.line_of(candidate)
            candidate -= len(one.candidates)
        raise IndexError(candidate)


@dataclass(frozen=True)
class Selection:
    """What of each list takes part, and at which lengths of the list the references are ranked."""

    n_best: int | None = None
    unique: bool = False
    drop_copies: bool = False
    curve: int | tuple[int, ...] | None = None  # every so many candidates (0: the default grid), or these lengths

    def __post_init__(self) -> None:
        if self.n_best is not None and not (isinstance(self.n_best, Integral) and self.n_best >= 1):
            raise BadParameter(f"n_best is an integer of at least 1, not {self.n_best!r}")

    def ends(self, size: int) -> NDArray[np.intp]:
        """The lengths of a list of this size, the whole list last."""
        if self.curve is None:
            points = np.empty(0, np.intp)
        elif isinstance(self.curve, tuple):
            points = np.array(self.curve, np.intp)
        else:
            points = np.arange(1, size + 1)
            coarse = points % (self.curve or FINE) == 0
            points = points[coarse | (points <= (1 if self.curve else FINE))]
        return np.unique(np.append(points[points < size], size))


@dataclass
class Counted:
    """What was found in the lists on the way, for people to know."""

    candidates: int = 0
    copies: int = 0
    empty: int = 0
    first_empty: tuple[str, int] | None = None  # file and line
    one_reference: int = 0
    same_references: int = 0
    without_candidates: int = 0
    pooled: int = 0  # lists that became part of another one
    from_store: int = 0
    seen: set[int] = field(default_factory=set)

    def add(self, other: Counted, lines: int = 0) -> None:
        """What was found further on, in lists that were counted from after so many lines."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if self.first_empty is None and other.first_empty is not None:
            path, line = other.first_empty
            self.first_empty = path, line + lines
        self.seen |= other.seen

    def taken(self) -> Counted:
        """What was found since this was last asked for."""
        found = replace(self)
        vars(self).update(vars(Counted()))
        return found


_NUMBERS = [one.name for one in fields(Counted) if one.name not in ("first_empty", "seen")]


def cases_of(
    lists: Iterable[NBestList],
    references: TestSet,
    counted: Counted,
    labels: Sequence[str] | None = None,
    least_references: int = 2,
) -> Iterator[Case]:
    """The cases that can be judged; lists of segments with the same label are pooled, as are their references."""
    pools: dict[str, list[int]] = {}
    for segment, label in enumerate(labels or ()):
        pools.setdefault(label, []).append(segment)
    waiting: dict[int, list[NBestList]] = {}
    for one in lists:
        counted.seen.add(one.segment)
        group = [one.segment] if labels is None else pools[labels[one.segment]]
        together = waiting.setdefault(group[0], [])
        together.append(one)
        if len(together) == len(group):
            yield from _case(group, waiting.pop(group[0]), references, counted, least_references)
    for first, together in sorted(waiting.items()):  # some segments of these pools have no list
        yield from _case(pools[(labels or ())[first]], together, references, counted, least_references)


def _case(
    group: Sequence[int], lists: list[NBestList], references: TestSet, counted: Counted, least: int
) -> Iterator[Case]:
    lists.sort(key=lambda one: one.segment)
    texts = [
        stream.text[stream.starts[segment] : stream.starts[segment + 1]]
        for segment in group
        for stream, present in zip(references.references, references.present[:, segment], strict=True)
        if present
    ]
    distinct_texts = {text.tobytes(): number for number, text in reversed(list(enumerate(texts)))}
    own, given = np.arange(len(texts)), len(texts)
    if len(group) > 1:  # what two segments say alike is said once
        own = np.sort(np.fromiter(distinct_texts.values(), np.intp, len(distinct_texts)))
        texts = [texts[number] for number in own]
        counted.pooled += len(group) - 1
    elif len(distinct_texts) < len(texts):
        counted.same_references += 1
    if len(texts) < least:
        counted.one_reference += 1
        return
    columns = [one.candidates for one in lists]
    candidates = Segments.joined(columns)
    if not len(candidates):
        counted.without_candidates += 1
        return
    starts = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(text) for text in texts], dtype=np.intp)])
    yield Case(group[0], tuple(group), candidates, Segments(np.concatenate(texts), starts), tuple(lists), own, given)


def blocks_of(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Cases that are judged together."""
    block: list[Case] = []
    size = 0
    for case in cases:
        block.append(case)
        # What is compared grows with the square of the references' number, and memory with it.
        size += max(len(case.candidates.text), 8 * len(case.candidates) * len(case.references) ** 2)
        if size >= _TEXT or len(block) == _LISTS:
            yield block
            block, size = [], 0
    if block:
        yield block


@dataclass(frozen=True, eq=False)
class Chosen:
    """What of a block's lists takes part: each text of a list is scored once, and stands where it stood.

    The list of case s is lists.of(s)[places[s]], or lists.of(s) where no text stands in it twice; `kept[s]` are its
    numbers in the list as it was read.
    """

    cases: tuple[Case, ...]
    lists: CandidateLists
    scored: tuple[NDArray[np.intp], ...]  # the texts of each list, by their first numbers in the list as it was read
    places: tuple[NDArray[np.intp] | None, ...]
    kept: tuple[NDArray[np.intp], ...]
    copies: tuple[NDArray[np.bool_], ...]  # which of the kept are word for word a reference
    ends: tuple[NDArray[np.intp], ...]


def chosen_of(block: Sequence[Case], selection: Selection, counted: Counted, fold: bool = True) -> Chosen | None:
    """What takes part of a block; None if nothing does. `fold`: the same text has the same score, once computed."""
    everything = _lists(block)
    firsts, copies = _firsts_and_copies(everything)
    blank = everything.candidates.blank
    rows, scored, places, kept, copied, ends, left = [], [], [], [], [], [], []
    for s, case in enumerate(block):
        start, stop = everything.bounds[s : s + 2].tolist()
        own = np.arange(start, stop)
        if selection.drop_copies:
            own = own[~copies[start:stop]]
        if selection.unique:
            own = own[firsts[own] == own]
        own = own[: selection.n_best]
        counted.copies += int(copies[start:stop].sum())
        _count_empty(case, blank[start:stop], counted)
        if not len(own):
            counted.without_candidates += 1
            continue
        counted.candidates += len(own)
        distinct_rows, inverse = np.unique(firsts[own] if fold else own, return_inverse=True)
        left.append(case)
        rows.append(distinct_rows)
        scored.append(distinct_rows - start)
        places.append(inverse if len(distinct_rows) < len(own) else None)
        kept.append(own - start)
        copied.append(copies[own])
        ends.append(selection.ends(len(own)))
    if not left:
        return None
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(one) for one in rows], dtype=np.intp)])
    shortened = _lists(left) if len(left) < len(everything) else everything
    lists = CandidateLists(
        everything.candidates, bounds, shortened.references, shortened.reference_bounds, np.concatenate(rows)
    )
    return Chosen(tuple(left), lists, *map(tuple, (scored, places, kept, copied, ends)))


def _count_empty(case: Case, blank: NDArray[np.bool_], counted: Counted) -> None:
    if blank.any():
        counted.first_empty = counted.first_empty or case.place(int(np.argmax(blank)))
        counted.empty += int(blank.sum())


def _lists(block: Sequence[Case]) -> CandidateLists:
    sizes = ([0, *(len(case.candidates) for case in block)], [0, *(len(case.references) for case in block)])
    bounds, reference_bounds = (np.cumsum(one, dtype=np.intp) for one in sizes)
    return CandidateLists(
        Segments.joined([case.candidates for case in block]),
        bounds,
        Segments.joined([case.references for case in block]),
        reference_bounds,
    )


def _firsts_and_copies(lists: CandidateLists) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The first candidate of the same text, and which are word for word a reference, whose spaces do not matter."""
    references = Segments.from_strings([" ".join(text.split()) for text in lists.references])
    n = len(lists.candidates)
    size = 1 << (2 * int(np.diff(lists.bounds).max(initial=1))).bit_length()
    firsts, copies = np.empty(n, np.intp), np.empty(n, np.uint8)
    _firsts_of_lists(
        *(lists.candidates.text, lists.candidates.starts, lists.bounds),
        *(references.text, references.starts, lists.reference_bounds),
        *(np.empty(size, np.uint64), np.empty(size, np.intp), firsts, copies),
    )
    return firsts, copies.view(np.bool_)
