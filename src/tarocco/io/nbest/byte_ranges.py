"""A file of n-best lists in stretches of whole lists, cut without reading it: whoever gets a stretch reads it.

Where a cut should fall, the line there is looked at, and the first line of another list is found behind it by halving.
A cut is always between two lines that belong to different lists; where a line is not clear there is no cut, and whoever
reads the stretch says what is wrong with it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tarocco.core.errors import InputError
from tarocco.io.files import COMPRESSED, STANDARD_INPUT, opened, shown
from tarocco.io.lines import CHUNK

# Bytes of a stretch, or one list if that is longer: less where the file is small, so that there is some for everybody.
# A power of two, so that cuts stay where they are when a file grows a little. Results do not depend on it.
MOST, LEAST, SHARE = 1 << 19, 1 << 17, 16
MOST_ID = 10**18  # no list has it: more than kernels read
_HEAD = 64  # bytes in which a line says which list it belongs to
_STEP = 1 << 16
_LOOK = 1 << 12  # bytes read at first where the end of a line is wanted
_MOST_LOOKED = 1 << 22
_UNCLEAR = 4  # lines that are gone over


class Begins(NamedTuple):
    """How a line begins that belongs to a list: with its id, in a group, or, where every line is a list, anyhow."""

    pattern: re.Pattern[bytes]
    a_line: bool = False


BARS = Begins(re.compile(rb"[^\S\n]*([0-9]{1,18})[^\S\n]*\|\|\|"))
TABS = Begins(re.compile(rb"([0-9]{1,18})\t"))
JSON_LINES = Begins(re.compile(rb"[^\S\n]*\{"), a_line=True)


@dataclass(frozen=True)
class Stretch:
    """Some bytes of a file: whole lists."""

    path: str
    start: int
    stop: int
    about: tuple[int, int]  # size and time of the last change: what tells the file from others of its name
    name: str  # what the file is called by whoever has asked
    ids: tuple[int, int] | None = None  # of its first list, and of the list behind its last one, where that is known
    data: bytes | None = None  # for those who do not have the file

    @property
    def is_here(self) -> bool:
        """Whether it can be read by this process."""
        if self.data is not None:
            return True
        try:
            found = os.stat(self.path)
            if not stat.S_ISREG(found.st_mode) or (found.st_size, found.st_mtime_ns) != self.about:
                return False
            with open(self.path, "rb"):  # others may see a file that they may not read
                return True
        except OSError:
            return False

    def chunks(self) -> Iterator[bytes]:
        """Its bytes, some at a time."""
        if self.data is not None:
            yield self.data
            return
        with opened(self.path) as file:
            found = os.fstat(file.fileno())
            left = self.stop - self.start
            if (found.st_size, found.st_mtime_ns) == self.about:
                file.seek(self.start)
                while left and (chunk := file.read(min(left, CHUNK))):
                    left -= len(chunk)
                    yield chunk
        if left:
            raise InputError(f"{shown(self.name)}: this file has changed while it was read")

    def with_data(self) -> Stretch:
        """The same for those who do not have the file."""
        return replace(self, data=b"".join(self.chunks()))


def can_be_cut(path: str) -> bool:
    """Whether there is a file whose bytes can be read in any order."""
    if path == STANDARD_INPUT or Path(path).suffix in COMPRESSED:
        return False
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > 0  # files of the system may say nothing of their size


def stretches_of(path: str, begins: Begins) -> Iterator[Stretch]:
    """A plain file in stretches; `begins` says which list a line belongs to."""
    with opened(path) as file:
        found = os.fstat(file.fileno())
        cutter = _Cutter(file.fileno(), found.st_size, begins)
        about, whole = (found.st_size, found.st_mtime_ns), os.path.abspath(path)
        size = min(MOST, max(LEAST, 1 << (cutter.end // SHARE).bit_length() >> 1))
        start, first = 0, cutter.list_at(0)
        while start < cutter.end:
            stop = cutter.cut(start, size)
            after = cutter.list_at(stop) if stop < cutter.end else MOST_ID
            ids = None if begins.a_line or first is None or after is None else (first, after)
            yield Stretch(whole, start, stop, about, path, ids)
            start, first = stop, after


class _Cutter:
    """Looks at lines of a file, here and there."""

    def __init__(self, descriptor: int, end: int, begins: Begins) -> None:
        self.descriptor, self.end, self.begins = descriptor, end, begins

    def cut(self, start: int, size: int) -> int:
        """Where a stretch that begins there ends: after so many bytes, and then before the first line of a list."""
        at = start + size
        while at < self.end:
            place = self.line_from(at)
            if self.begins.a_line:
                place = self.next_clear(place)
            elif (which := self.list_at(place)) is not None:
                place = self.first_of_another(which, place)
            if place >= self.end or self.list_at(place) is not None:
                return place
            at = place + size  # behind a line that is blank, or not clear
        return self.end

    def next_clear(self, place: int) -> int:
        """Some lines further, where these are blank or not clear: each of them is a list or wrong by itself."""
        for _ in range(_UNCLEAR):
            if place >= self.end or self.list_at(place) is not None:
                break
            place = self.line_from(place + 1)
        return place

    def first_of_another(self, which: int, low: int) -> int:
        """The first line that does not belong to the list of the line at `low`, at least if its lines stand together.

        In any case the line before it does belong to the list.
        """

        def is_behind(place: int) -> bool:
            return place >= self.end or self.list_at(place) != which

        place = self.line_from(low + 1)
        if is_behind(place):  # a list of one line, or its last
            return place
        step, low, high = _STEP, place, place + _STEP
        while high < self.end and not is_behind(place := self.line_from(high)):
            low, step = place, 2 * step
            high = low + step
        high = min(high, self.end)
        while high - low > 1:
            middle = (low + high) // 2
            place = self.line_from(middle)
            if is_behind(place):
                high = middle
            else:
                low = place
        return self.line_from(high)

    def line_from(self, at: int) -> int:
        """Where the first line begins that does not begin before this place; the end of the file if there is none."""
        at, look = at - 1, _LOOK
        if at < 0:
            return 0
        while data := os.pread(self.descriptor, look, at):
            found = data.find(b"\n")
            if found >= 0:
                return min(at + found + 1, self.end)
            at, look = at + len(data), min(2 * look, _MOST_LOOKED)
        return self.end

    def list_at(self, start: int) -> int | None:
        """Which list a line belongs to: its id, or where the line begins if every line is a list; None if unclear."""
        found = self.begins.pattern.match(os.pread(self.descriptor, _HEAD, start))
        if found is None or self.begins.a_line:
            return None if found is None else start
        return int(found[1])
