"""Split a file of n-best lists into byte ranges of whole lists without reading it, so that workers read it in parallel.

At each desired boundary the line there is inspected, and a binary search finds the first line of the next list. A
boundary is always between two lines of different lists. If a line is malformed there is no boundary near it, and the
worker that reads the range reports the error.
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
from tarocco.io.files import COMPRESSED, STANDARD_INPUT, display_name, open_input
from tarocco.io.text import CHUNK

# Bytes per range (or one list, if that is longer): a sixteenth of the file within these limits, so that small files
# give work to all workers, and a power of two, so that boundaries stay the same when a file grows a little. Results do
# not depend on it.
MAX_SIZE, MIN_SIZE, FILE_SHARE = 1 << 19, 1 << 17, 16
MAX_ID = 10**18  # exclusive: kernels read no larger ids
_HEAD = 64  # bytes at the beginning of a line that hold its list's id
_FIRST_STEP = 1 << 16
_FIRST_READ, _LAST_READ = 1 << 12, 1 << 22  # bytes read at a time to find the end of a line
_MAX_UNCLEAR = 4  # malformed lines that are skipped


class LinePattern(NamedTuple):
    """How a line of a list begins: the pattern's group is the list's id, unless every line is a list."""

    pattern: re.Pattern[bytes]
    list_per_line: bool = False

    def __repr__(self) -> str:
        """Return the text that is part of store keys, so it must not change between releases."""
        return f"Begins(pattern={self.pattern!r}, a_line={self.list_per_line!r})"


BARS = LinePattern(re.compile(rb"[^\S\n]*([0-9]{1,18})[^\S\n]*\|\|\|"))
TABS = LinePattern(re.compile(rb"([0-9]{1,18})\t"))
JSON_LINES = LinePattern(re.compile(rb"[^\S\n]*\{"), list_per_line=True)


@dataclass(frozen=True)
class ByteRange:
    """A part of a file that holds whole lists."""

    path: str
    start: int
    stop: int
    file_version: tuple[int, int]  # size and modification time of the file
    name: str  # the file's name as the user wrote it
    ids: tuple[int, int] | None = None  # of the first list and of the list after the last one, if known
    data: bytes | None = None  # the contents, for workers that do not have the file

    @property
    def is_here(self) -> bool:
        """Whether this process can read the range."""
        if self.data is not None:
            return True
        try:
            status = os.stat(self.path)
            if not stat.S_ISREG(status.st_mode) or _version(status) != self.file_version:
                return False
            with open(self.path, "rb"):  # a file may be visible but not readable
                return True
        except OSError:
            return False

    def chunks(self) -> Iterator[bytes]:
        """Yield the contents in chunks; InputError if the file has changed."""
        if self.data is not None:
            yield self.data
            return
        with open_input(self.path) as file:
            left = self.stop - self.start
            if _version(os.fstat(file.fileno())) == self.file_version:
                file.seek(self.start)
                while left and (chunk := file.read(min(left, CHUNK))):
                    left -= len(chunk)
                    yield chunk
        if left:
            raise InputError(f"{display_name(self.name)}: the file changed while it was read")

    def with_data(self) -> ByteRange:
        """Return the range with its contents, for workers that do not have the file."""
        return replace(self, data=b"".join(self.chunks()))


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def is_splittable(path: str) -> bool:
    """Return whether a path is a plain file, whose bytes can be read in any order."""
    if path == STANDARD_INPUT or Path(path).suffix in COMPRESSED:
        return False
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0  # files in /proc have size 0


def split_file(path: str, line_pattern: LinePattern) -> Iterator[ByteRange]:
    """Yield the byte ranges of a plain file in order."""
    with open_input(path) as file:
        version = _version(os.fstat(file.fileno()))
        splitter = _Splitter(file.fileno(), version[0], line_pattern)
        size = min(MAX_SIZE, max(MIN_SIZE, 1 << (splitter.end // FILE_SHARE).bit_length() >> 1))
        start, first = 0, splitter.list_at(0)
        while start < splitter.end:
            stop = splitter.find_boundary(start, size)
            after = splitter.list_at(stop) if stop < splitter.end else MAX_ID
            ids = None if line_pattern.list_per_line or first is None or after is None else (first, after)
            yield ByteRange(os.path.abspath(path), start, stop, version, path, ids)
            start, first = stop, after


class _Splitter:
    """Finds boundaries between lists by inspecting a few lines of a file."""

    def __init__(self, descriptor: int, end: int, line_pattern: LinePattern) -> None:
        self.descriptor, self.end, self.line_pattern = descriptor, end, line_pattern

    def find_boundary(self, start: int, size: int) -> int:
        """Return the end of the range that begins at `start`: the first boundary after `size` bytes."""
        at = start + size
        while at < self.end:
            place = self.line_from(at)
            if self.line_pattern.list_per_line:
                place = self.skip_unclear(place)
            elif (list_id := self.list_at(place)) is not None:
                place = self.find_next_list(list_id, place)
            if place >= self.end or self.list_at(place) is not None:
                return place
            at = place + size  # the line is blank or malformed
        return self.end

    def skip_unclear(self, place: int) -> int:
        """Skip a few blank or malformed lines; this is safe because every line is a list."""
        for _ in range(_MAX_UNCLEAR):
            if place >= self.end or self.list_at(place) is not None:
                break
            place = self.line_from(place + 1)
        return place

    def find_next_list(self, list_id: int, low: int) -> int:
        """Return the start of the first line after the list at `low`, if the list's lines are consecutive.

        In any case the line before it belongs to the list.
        """

        def is_after(place: int) -> bool:
            return place >= self.end or self.list_at(place) != list_id

        place = self.line_from(low + 1)
        if is_after(place):  # a list of one line, or its last line
            return place
        step, low, high = _FIRST_STEP, place, place + _FIRST_STEP
        while high < self.end and not is_after(place := self.line_from(high)):
            low, step = place, 2 * step
            high = low + step
        high = min(high, self.end)
        while high - low > 1:
            middle = (low + high) // 2
            place = self.line_from(middle)
            if is_after(place):
                high = middle
            else:
                low = place
        return self.line_from(high)

    def line_from(self, at: int) -> int:
        """Return the start of the first line at or after a byte; the end of the file if there is none."""
        at, size = at - 1, _FIRST_READ
        if at < 0:
            return 0
        while data := os.pread(self.descriptor, size, at):
            newline = data.find(b"\n")
            if newline >= 0:
                return min(at + newline + 1, self.end)
            at, size = at + len(data), min(2 * size, _LAST_READ)
        return self.end

    def list_at(self, start: int) -> int | None:
        """Return the id of a line's list (its start, if every line is a list), or None if the line is malformed."""
        match = self.line_pattern.pattern.match(os.pread(self.descriptor, _HEAD, start))
        if match is None or self.line_pattern.list_per_line:
            return None if match is None else start
        return int(match[1])
