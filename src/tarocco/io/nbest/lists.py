"""N-best lists of any size, one after another: never more in memory than a list and some megabytes of its file.

id ||| text ||| features ||| score    Moses and Marian; also shorter, and without the space before the first bars
id<TAB>text
H-id<TAB>score<TAB>text               what fairseq writes; the D lines, where there are any
{"id": 0, "candidates": ["text"]}     JSON lines
a directory                           a file a list with a candidate a line; the number in its name is the id
a flat file                           every so many lines are a list
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments
from tarocco.io.files import STANDARD_INPUT, bytes_of, shown
from tarocco.io.lines import Block, blocks_in, blocks_of, checked_lines
from tarocco.io.nbest.byte_ranges import Begins, Stretch, can_be_cut, stretches_of
from tarocco.io.nbest.formats import Form, Listed, Written, flat, has_ids, told_form
from tarocco.io.test_set import system_name


@dataclass(frozen=True, eq=False)
class NBestList:
    """The candidates of one segment, and where they stand."""

    segment: int  # its number among the segments, from 0
    candidates: Segments
    path: str  # as messages show it
    line: int  # where the list begins, from 1
    lines: NDArray[np.intp] | None = None  # of the candidates, where they do not stand one after another
    written: Written | None = None  # the list as it stands in the file: scores and features are read from there

    def line_of(self, candidate: int) -> int:
        """The line on which a candidate stands."""
        return self.line + candidate if self.lines is None else int(self.lines[candidate])

    def where(self, candidate: int) -> str:
        """How messages call the place of a candidate."""
        return f"{self.path}, line {self.line_of(candidate)}"


@dataclass(frozen=True)
class NBestFile:
    """The lists of a file or a directory, "-" is standard input; the id `first_id` is the first segment's.

    `segments` is how many the references have: a list beyond them is an error. `num_candidates` reads files without ids
    in which every so many lines are a list.
    """

    path: str
    segments: int | None = None
    first_id: int = 0
    num_candidates: int | None = None

    def __iter__(self) -> Iterator[NBestList]:
        path = self.path
        if self.num_candidates is not None:
            yield from _flat_lists(path, self.num_candidates, self.segments)
        elif path != STANDARD_INPUT and os.path.isdir(path):
            for which, file in numbered_files(path):
                texts = Segments.from_lines(checked_lines(bytes_of(file), file, "one candidate a line"))
                yield NBestList(_segment(which, file, self.first_id, self.segments), texts, file, 1)
        else:
            form, blocks = told_form(blocks_of(path), path)
            found = None
            for found in lists_with_ids(self, form, blocks):
                yield found
            if found is None:
                raise no_lists(path)

    def cut(self) -> NBestCut | None:
        """The same lists in stretches; None where nobody can read a part without what stands before it."""
        if self.num_candidates is not None or not can_be_cut(self.path):
            return None
        form, _ = told_form(blocks_of(self.path), self.path)
        return None if form.begins is None else NBestCut(self, form, form.begins)


@dataclass(frozen=True)
class NBestCut:
    """N-best lists of a file that can be read in stretches."""

    nbest: NBestFile
    form: Form
    begins: Begins

    def __iter__(self) -> Iterator[Stretch]:
        return stretches_of(self.nbest.path, self.begins)

    def reading(self, stretch: Stretch, line: int = 1, before: int | None = None) -> ReadStretch:
        """The lists of a stretch.

        `line` is the number of its first line, and `before` the id of the list before it: what errors speak of.
        """
        return ReadStretch(self, stretch, line, before)


class ReadStretch:
    """The lists of a stretch, to be gone through once, and how many lines there were by then."""

    def __init__(self, cut: NBestCut, stretch: Stretch, line: int, before: int | None) -> None:
        self.lines = 0
        blocks = blocks_in(stretch.chunks(), cut.nbest.path, line)
        self.lists = lists_with_ids(cut.nbest, cut.form, self._counted(blocks), before)

    def _counted(self, blocks: Iterator[Block]) -> Iterator[Block]:
        for block in blocks:
            self.lines += block.size
            yield block

    def __iter__(self) -> Iterator[NBestList]:
        return self.lists


def no_lists(path: str) -> InputError:
    """What is said of a file in which no list was found: of fairseq's output, or of characters that count as space."""
    return InputError(f"{shown(path)}: there are no candidates in this file: no H-id or D-id line, no object")


def read_nbest(
    path: str, *, segments: int | None = None, first_id: int = 0, num_candidates: int | None = None
) -> Iterator[NBestList]:
    """The lists of a file or a directory, see `NBestFile`."""
    return iter(NBestFile(path, segments, first_id, num_candidates))


def lists_with_ids(
    nbest: NBestFile, form: Form, blocks: Iterator[Block], before: int | None = None
) -> Iterator[NBestList]:
    """The lists in blocks of a file of this form; `before` is the id of the list before them."""
    path = nbest.path
    begun: dict[int, int] = {}  # where each list begins, if they come in any order
    for found in form.lists(blocks, path):
        line = int(found.lines[0])
        where = f"{shown(path)}, line {line}"
        if form.in_order:
            if before is not None and found.id <= before:
                raise InputError(f"{where}: lists come in the order of their ids, but {found.id} comes after {before}")
        elif begun.setdefault(found.id, line) != line:
            raise InputError(
                f"{where}: the list {found.id} began on line {begun[found.id]} and was over: the lines of a list stand "
                f"together"
            )
        before = found.id
        yield _listed(_segment(found.id, where, nbest.first_id, nbest.segments), found, path)


def _listed(segment: int, found: Listed, path: str) -> NBestList:
    return NBestList(segment, found.candidates, shown(path), int(found.lines[0]), found.lines, found.written)


def _segment(which: int, where: str, first_id: int, segments: int | None) -> int:
    """Which segment a list belongs to, by its id."""
    if which < first_id:
        raise InputError(f"{where}: ids count from {first_id} (--first-id {first_id}), found {which}")
    if segments is not None and which - first_id >= segments:
        hint = "" if first_id else " (--first-id 1 for lists that count from 1)"
        raise InputError(
            f"{where}: the list with the id {which} has no references: they have {segments} segments, and ids count "
            f"from {first_id}{hint}"
        )
    return which - first_id


# --- lists without ids in the text ---------------------------------------------------------------------------------


def _flat_lists(path: str, size: int, segments: int | None) -> Iterator[NBestList]:
    if size < 1:
        raise InputError(f"a list has at least one candidate, so --num-candidates {size} reads nothing")
    blocks = blocks_of(path)
    first = next(blocks, None)
    if first is None:
        raise InputError(f"{shown(path)}: the file is empty, {size} candidates a segment are wanted, one a line")
    if has_ids(first.data, path):
        raise InputError(
            f"{shown(path)}: --num-candidates is for files without ids, but the lists in this one have ids"
        )
    n_lists = 0
    for found in flat(chain([first], blocks), path, size):
        n_lists += 1
        if segments is not None and found.id >= segments:
            raise InputError(
                f"{shown(path)}, line {found.lines[0]}: the list that begins here has no references: they have "
                f"{segments} segments, and every {size} lines are a list"
            )
        yield _listed(found.id, found, path)
    if segments is not None and n_lists < segments:
        raise InputError(
            f"{shown(path)}: every {size} lines are a list, which makes {n_lists} lists, but the references have "
            f"{segments} segments"
        )


def numbered_files(folder: str) -> list[tuple[int, str]]:
    """(id, path) of the files in a directory, by their numbers."""
    found: dict[int, str] = {}
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: this directory cannot be read ({error.strerror})") from None
    for name in names:
        digits = re.findall("[0-9]+", system_name(name))
        path = os.path.join(folder, name)
        if not os.path.isfile(path) and not os.path.isdir(path):  # a pipe would be waited for, forever
            raise InputError(f"{path}: in a directory of lists there are ordinary files, and this is none")
        if not digits:
            raise InputError(f"{path}: in a directory of lists, a file's name has the number of its segment in it")
        which = int(digits[-1])
        if which in found:
            raise InputError(f"{path}: the list with the id {which} is in {found[which]} already")
        found[which] = path
    if not found:
        raise InputError(f"{folder}: the directory is empty, one file a segment is wanted")
    return sorted(found.items())
