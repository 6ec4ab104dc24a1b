"""Plain text, one segment a line. Only a newline ends a line: U+2028 or a lone carriage return does not."""

from __future__ import annotations

from tarocco.errors import InputError
from tarocco.model import Segments
from tarocco.read.bytes_of import bytes_of, shown

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECODED = 1 << 22  # bytes checked together, so that a large file is never decoded whole


def checked_lines(data: bytes, path: str) -> bytes:
    """Bytes known to be UTF-8 in which every line ends with a newline and none with a carriage return."""
    if data.startswith(BYTE_ORDER_MARK):
        data = data[len(BYTE_ORDER_MARK) :]
    if not data:
        raise InputError(f"{shown(path)}: the file is empty, one segment a line is wanted")
    check_utf8(data, path)
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    if data.endswith(b"\r"):
        data = data[:-1]
    return data if data.endswith(b"\n") else data + b"\n"


def check_utf8(data: bytes, path: str) -> None:
    """Raise InputError with line and byte where the data is not UTF-8."""
    start = 0
    while start < len(data):
        stop = start + _DECODED
        stop = len(data) if stop >= len(data) else data.rfind(b"\n", start, stop) + 1 or len(data)
        try:
            data[start:stop].decode("utf-8")
        except UnicodeDecodeError as error:
            at = start + error.start
            line = data.count(b"\n", 0, at) + 1
            column = at - (data.rfind(b"\n", 0, at) + 1) + 1
            raise InputError(
                f"{shown(path)}, line {line}, byte {column}: UTF-8 text is wanted, found the byte 0x{data[at]:02x}"
            ) from None
        start = stop


def read_lines(path: str) -> Segments:
    """A file of plain text, one segment a line."""
    return Segments.from_lines(checked_lines(bytes_of(path), path))


def read_tab_separated(path: str, columns: int | None = None) -> tuple[Segments, ...]:
    """A file with all references of a segment on one line, tabs between them; lines may have fewer than others.

    `columns` is how many there may be at most (a tab in the last one is then part of it).
    """
    lines = Segments.from_lines(checked_lines(bytes_of(path), path))
    split = [line.split("\t", -1 if columns is None else columns - 1) for line in lines]
    widest = max(map(len, split)) if columns is None else columns
    return tuple(Segments.from_strings([row[c] if c < len(row) else "" for row in split]) for c in range(widest))
