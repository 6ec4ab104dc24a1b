"""From n-best lists and references to blocks of lists, with the candidates that are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import CandidateScores, Segments, TestSet
from tarocco.encode.batch import CandidateLists
from tarocco.io.nbest.lists import NBestList
from tarocco.kernels import duplicates, kernel
from tarocco.meta.orange.rules import OrangeRules
from tarocco.metrics.base import Floats

_find_duplicates = kernel(duplicates, "find_duplicates")

_TEXT = 1 << 19  # bytes of text per block, or one list if that is longer; results do not depend on it
_LISTS = 256


@dataclass(frozen=True, eq=False)
class CandidateSet:
    """The candidates and the references of a segment, or of several that are pooled."""

    segment: int
    members: tuple[int, ...]  # the pooled segments; usually the segment alone
    candidates: Segments
    references: Segments
    lists: tuple[NBestList, ...]
    reference_numbers: NDArray[np.intp]  # of `references` among all references of the members
    reference_count: int  # of the members, with duplicates

    def place(self, candidate: int = 0) -> tuple[str, int]:
        """Return the file and line of a candidate."""
        for nbest in self.lists:
            if candidate < len(nbest.candidates):
                return nbest.path, nbest.line_of(candidate)
            candidate -= len(nbest.candidates)
        raise IndexError(candidate)


@dataclass
class ListTally:
    """Counts of what occurs in lists, for notes."""

    candidates: int = 0
    copies: int = 0
    empty: int = 0
    first_empty: tuple[str, int] | None = None  # file and line
    one_reference: int = 0
    same_references: int = 0
    without_candidates: int = 0
    pooled: int = 0  # lists that became part of another one
    from_store: int = 0
    segments: set[int] = field(default_factory=set)  # that have a list

    def add(self, other: ListTally, lines: int = 0) -> None:
        """Add the counts of later lists, whose line numbers start after `lines` lines."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if self.first_empty is None and other.first_empty is not None:
            path, line = other.first_empty
            self.first_empty = path, line + lines
        self.segments |= other.segments

    def take(self) -> ListTally:
        """Return the counts since the last call, and start again from zero."""
        counts = replace(self)
        vars(self).update(vars(ListTally()))
        return counts


_NUMBERS = [counter.name for counter in fields(ListTally) if counter.name not in ("first_empty", "segments")]


def candidate_sets(
    lists: Iterable[NBestList],
    references: TestSet,
    tally: ListTally,
    labels: Sequence[str] | None = None,
    least_references: int = 2,
) -> Iterator[CandidateSet]:
    """Yield the lists that can be ranked; segments with the same label share their lists and references."""
    pools: dict[str, list[int]] = {}
    for segment, label in enumerate(labels or ()):
        pools.setdefault(label, []).append(segment)
    waiting: dict[int, list[NBestList]] = {}
    for nbest in lists:
        tally.segments.add(nbest.segment)
        group = [nbest.segment] if labels is None else pools[labels[nbest.segment]]
        together = waiting.setdefault(group[0], [])
        together.append(nbest)
        if len(together) == len(group):
            yield from _candidate_set(group, waiting.pop(group[0]), references, tally, least_references)
    for first, together in sorted(waiting.items()):  # some segments of these pools have no list
        yield from _candidate_set(pools[(labels or ())[first]], together, references, tally, least_references)


def _candidate_set(
    group: Sequence[int], lists: list[NBestList], references: TestSet, tally: ListTally, least: int
) -> Iterator[CandidateSet]:
    lists.sort(key=lambda nbest: nbest.segment)
    texts = [
        stream.text[stream.starts[segment] : stream.starts[segment + 1]]
        for segment in group
        for stream, present in zip(references.references, references.present[:, segment], strict=True)
        if present
    ]
    distinct_texts = {text.tobytes(): number for number, text in reversed(list(enumerate(texts)))}
    numbers, count = np.arange(len(texts)), len(texts)
    if len(group) > 1:  # a reference that two pooled segments share counts once
        numbers = np.sort(np.fromiter(distinct_texts.values(), np.intp, len(distinct_texts)))
        texts = [texts[number] for number in numbers]
        tally.pooled += len(group) - 1
    elif len(distinct_texts) < len(texts):
        tally.same_references += 1
    if len(texts) < least:
        tally.one_reference += 1
        return
    candidates = Segments.joined([nbest.candidates for nbest in lists])
    if not len(candidates):
        tally.without_candidates += 1
        return
    column = Segments(np.concatenate(texts), _offsets([len(text) for text in texts]))
    yield CandidateSet(group[0], tuple(group), candidates, column, tuple(lists), numbers, count)


def _offsets(sizes: Sequence[int]) -> NDArray[np.intp]:
    return np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes, dtype=np.intp)])


def group_into_blocks(sets: Iterable[CandidateSet]) -> Iterator[list[CandidateSet]]:
    """Yield groups of candidate sets that are scored together."""
    group: list[CandidateSet] = []
    size = 0
    for texts in sets:
        group.append(texts)
        # The number of comparisons grows with the square of the number of references, and memory with it.
        size += max(len(texts.candidates.text), 8 * len(texts.candidates) * len(texts.references) ** 2)
        if size >= _TEXT or len(group) == _LISTS:
            yield group
            group, size = [], 0
    if group:
        yield group


@dataclass(frozen=True, eq=False)
class ListBlock:
    """The used candidates of some lists, where each distinct text of a list is scored once.

    List s is lists.of(s)[places[s]], or lists.of(s) if it has no duplicates. `used[s]` are the positions of its
    candidates in the list as read.
    """

    sets: tuple[CandidateSet, ...]
    lists: CandidateLists
    scored: tuple[NDArray[np.intp], ...]  # the distinct texts of each list, by their first positions as read
    places: tuple[NDArray[np.intp] | None, ...]
    used: tuple[NDArray[np.intp], ...]
    copies: tuple[NDArray[np.bool_], ...]  # which of the used candidates are word for word a reference
    lengths: tuple[NDArray[np.intp], ...]  # at which the references are ranked


def make_block(
    group: Sequence[CandidateSet], rules: OrangeRules, tally: ListTally, fold: bool = True
) -> ListBlock | None:
    """Return the block of the candidates that are used, None if there are none.

    With `fold`, equal texts of a list are scored once; external scores may differ between them.
    """
    everything = _joined_lists(group)
    firsts, copies = _firsts_and_copies(everything)
    blank = everything.candidates.blank
    rows, scored, places, used, copied, lengths, left = [], [], [], [], [], [], []
    for s, texts in enumerate(group):
        start, stop = everything.bounds[s : s + 2].tolist()
        chosen = np.arange(start, stop)
        if rules.drop_copies:
            chosen = chosen[~copies[start:stop]]
        if rules.unique:
            chosen = chosen[firsts[chosen] == chosen]
        chosen = chosen[: rules.n_best]
        tally.copies += int(copies[start:stop].sum())
        if blank[start:stop].any():
            tally.first_empty = tally.first_empty or texts.place(int(np.argmax(blank[start:stop])))
            tally.empty += int(blank[start:stop].sum())
        if not len(chosen):
            tally.without_candidates += 1
            continue
        tally.candidates += len(chosen)
        distinct_rows, inverse = np.unique(firsts[chosen] if fold else chosen, return_inverse=True)
        left.append(texts)
        rows.append(distinct_rows)
        scored.append(distinct_rows - start)
        places.append(inverse if len(distinct_rows) < len(chosen) else None)
        used.append(chosen - start)
        copied.append(copies[chosen])
        lengths.append(rules.lengths(len(chosen)))
    if not left:
        return None
    shortened = _joined_lists(left) if len(left) < len(group) else everything
    lists = CandidateLists(
        everything.candidates,
        _offsets([len(distinct_rows) for distinct_rows in rows]),
        shortened.references,
        shortened.reference_bounds,
        np.concatenate(rows),
    )
    return ListBlock(tuple(left), lists, *map(tuple, (scored, places, used, copied, lengths)))


def _joined_lists(group: Sequence[CandidateSet]) -> CandidateLists:
    return CandidateLists(
        Segments.joined([texts.candidates for texts in group]),
        _offsets([len(texts.candidates) for texts in group]),
        Segments.joined([texts.references for texts in group]),
        _offsets([len(texts.references) for texts in group]),
    )


def _firsts_and_copies(lists: CandidateLists) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the first candidate with each candidate's text, and whether it is a reference, up to white space."""
    references = Segments.from_strings([" ".join(text.split()) for text in lists.references])
    n = len(lists.candidates)
    size = 1 << (2 * int(np.diff(lists.bounds).max(initial=1))).bit_length()
    firsts, copies = np.empty(n, np.intp), np.empty(n, np.uint8)
    _find_duplicates(
        *(lists.candidates.text, lists.candidates.starts, lists.bounds),
        *(references.text, references.starts, lists.reference_bounds),
        *(np.empty(size, np.uint64), np.empty(size, np.intp), firsts, copies),
    )
    return firsts, copies.view(np.bool_)


def external_scores(scores: CandidateScores, block: ListBlock, first_id: int) -> list[tuple[Floats, Floats]]:
    """Return the external scores of a block: per list those of its scored texts, and those of its references."""
    return [_of_set(scores, texts, block.scored[s], first_id) for s, texts in enumerate(block.sets)]


def _of_set(
    scores: CandidateScores, texts: CandidateSet, scored: NDArray[np.intp], first_id: int
) -> tuple[Floats, Floats]:
    lists = {nbest.segment: nbest for nbest in texts.lists}
    parts = [_of_list(scores, segment + first_id, lists.get(segment)) for segment in texts.members]
    of_candidates, of_references = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(of_references) != texts.reference_count:
        raise InputError(
            f"{scores.path}, line {scores.lines[texts.segment + first_id]}: expected {texts.reference_count} scores of "
            f"references for list {texts.segment + first_id}, found {len(of_references)}"
        )
    return of_candidates[scored], of_references[texts.reference_numbers]


def _of_list(scores: CandidateScores, list_id: int, nbest: NBestList | None) -> tuple[Floats, Floats]:
    """Return the scores of the candidates and the references of a list; a pooled segment may have no list."""
    if list_id not in scores.lists:
        where = f", which begins at {nbest.where(0)}" if nbest is not None else ", whose references are pooled"
        raise InputError(f"{scores.path}: no scores for list {list_id}{where} (ids are those of the lists)")
    of_candidates, of_references = scores.lists[list_id]
    expected = len(nbest.candidates) if nbest is not None else 0
    if len(of_candidates) != expected:
        raise InputError(
            f"{scores.path}, line {scores.lines[list_id]}: expected {expected} scores of candidates for list "
            f"{list_id}, found {len(of_candidates)}"
        )
    return of_candidates, of_references
