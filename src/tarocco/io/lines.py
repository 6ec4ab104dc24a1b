"""Plain text, one segment a line. Only a newline ends a line: U+2028 or a lone carriage return does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import NEWLINE, Segments
from tarocco.io.files import bytes_of, chunks_of, shown

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECODED = 1 << 18  # bytes checked together, so that a large file is never decoded whole
MOST_CELLS = 1_000_000  # of references and segments, where nearly all are empty
CHUNK = 1 << 20  # bytes of a file that are read together where it is read in blocks


class Block(NamedTuple):
    """Some whole lines of a file: UTF-8, every line ends with a newline and none with a carriage return."""

    data: bytes
    line: int  # the number of the first one, from 1
    size: int  # how many there are


def blocks_of(path: str) -> Iterator[Block]:
    """All lines of a file, some megabytes at a time (more, where a line is longer); none where the file is empty."""
    return blocks_in(chunks_of(path, CHUNK), path)


def blocks_in(chunks: Iterable[bytes], path: str, line: int = 1) -> Iterator[Block]:
    """All lines in the bytes of a file from this line on."""
    begun: list[bytes | memoryview] = []  # of a line whose end was not read yet
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            block = _block(b"".join([*begun, memoryview(chunk)[:end]]), line, path)
            yield block
            line += block.size
            begun.clear()
        if end < len(chunk):
            begun.append(chunk[end:])
    data = b"".join(begun)
    if data and not (line == 1 and data == BYTE_ORDER_MARK):
        yield _block(data, line, path)


def _block(data: bytes, line: int, path: str) -> Block:
    if line == 1:
        data = data.removeprefix(BYTE_ORDER_MARK)
    check_utf8(data, path, line)
    data = _ended(data)
    # Twice as fast as data.count, and large files are much of it.
    return Block(data, line, int(np.count_nonzero(np.frombuffer(data, np.uint8) == NEWLINE)))


def _ended(data: bytes) -> bytes:
    """The same lines, each with a newline at its end and no carriage return before it."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return data if data.endswith(b"\n") else data + b"\n"


_GUESSES = {  # by the first two bytes of a file
    b"\x1f\x8b": " (gzip data, whose name should end in .gz)",
    b"\xff\xfe": " (UTF-16, to be converted first)",
    b"\xfe\xff": " (UTF-16, to be converted first)",
}


def checked_lines(data: bytes, path: str, wanted: str = "one segment a line") -> bytes:
    """Bytes known to be UTF-8 in which every line ends with a newline and none with a carriage return."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    if not data:
        raise InputError(f"{shown(path)}: the file is empty, {wanted} is wanted")
    check_utf8(data, path)
    return _ended(data)


def check_utf8(data: bytes, path: str, first_line: int = 1) -> None:
    """Raise InputError with line and byte where the data, which begin with this line, are not UTF-8."""
    start = len(data) if data.isascii() else 0
    while start < len(data):
        stop = start + _DECODED
        stop = data.rfind(b"\n", start, stop) + 1 or data.find(b"\n", stop) + 1 or len(data)
        try:
            data[start:stop].decode("utf-8")
        except UnicodeDecodeError as error:
            at = start + error.start
            line = first_line + data.count(b"\n", 0, at)
            column = at - (data.rfind(b"\n", 0, at) + 1) + 1
            raise InputError(
                f"{shown(path)}, line {line}, byte {column}: UTF-8 text is wanted, found the byte 0x{data[at]:02x}"
                + (_GUESSES.get(data[:2], "") if line == 1 else "")
            ) from None
        start = stop


def read_lines(path: str) -> Segments:
    """A file of plain text, one segment a line."""
    return Segments.from_lines(checked_lines(bytes_of(path), path))


def read_tab_separated(path: str, columns: int | None = None) -> tuple[Segments, ...]:
    """A file with all references of a segment on one line, tabs between them; lines may have fewer than others.

    `columns` is how many there may be at most (a tab in the last one is then part of it).
    """
    data = checked_lines(bytes_of(path), path)
    split = [line.split("\t", -1 if columns is None else columns - 1) for line in Segments.from_lines(data)]
    widest = max(map(len, split)) if columns is None else columns
    if widest * len(split) > max(MOST_CELLS, 4 * len(data)):
        line = next(number for number, row in enumerate(split, start=1) if len(row) == max(map(len, split)))
        raise InputError(f"{shown(path)}, line {line}: {widest} references of {len(split)} segments, nearly all empty")
    return tuple(Segments.from_strings([row[c] if c < len(row) else "" for row in split]) for c in range(widest))
