"""Read n-best lists of any size as a stream: at most one list and a few megabytes of the file are in memory.

id ||| text ||| features ||| score    Moses and Marian; trailing fields and the space before the bars may be missing
id<TAB>text
H-id<TAB>score<TAB>text               fairseq; its D lines, if there are any
{"id": 0, "candidates": ["text"]}     JSON lines
a directory                           one file per list with one candidate per line; the id is the number in its name
a flat file                           every N lines are a list (--num-candidates N)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, find_line_starts
from tarocco.io.files import STANDARD_INPUT, display_name, read_bytes
from tarocco.io.nbest.byte_ranges import (
    BARS,
    JSON_LINES,
    MAX_ID,
    TABS,
    ByteRange,
    LinePattern,
    is_splittable,
    split_file,
)
from tarocco.io.tables import format_value, is_json_lines, parse_json_lines
from tarocco.io.test_set import system_name
from tarocco.io.text import LineBlock, normalize_lines, read_blocks, split_blocks
from tarocco.kernels import kernel, nbest_lines

_split_bars = kernel(nbest_lines, "split_moses_lines")
_split_tabs = kernel(nbest_lines, "split_tab_lines")
_split_fairseq = kernel(nbest_lines, "split_fairseq_lines")

_MAX_LOG = 1 << 20  # bytes of log output before fairseq's first line
_FAIRSEQ = re.compile(rb"^[STHDP]-[0-9]+\t", re.MULTILINE)
_HYPOTHESES = re.compile(rb"^([HD])-[0-9]+\t", re.MULTILINE)  # H: model output, D: detokenized


@dataclass(frozen=True, eq=False)
class BlockLines:
    """The lines of a block by number."""

    data: bytes

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return find_line_starts(np.frombuffer(self.data, np.uint8))

    def between(self, first: int, last: int) -> bytes:
        """Return lines first .. last, counted from 0."""
        return self.data[self._starts[first] : self._starts[last + 1]]


class RawLines(NamedTuple):
    """The lines of a list as they are in its file, from which scores and features are parsed on demand."""

    form: str  # bars, H or D (fairseq), json
    parts: tuple[tuple[BlockLines, int, int], ...]

    @property
    def lines(self) -> bytes:
        """The lines from the first candidate's to the last one's."""
        return b"".join(block.between(first, last) for block, first, last in self.parts)


@dataclass(frozen=True, eq=False)
class NBestList:
    """The candidates of one segment, and their place in a file."""

    segment: int  # counted from 0
    candidates: Segments
    path: str  # for messages
    line: int  # of the first candidate, from 1
    lines: NDArray[np.intp] | None = None  # of the candidates, if they are not consecutive
    written: RawLines | None = None

    def line_of(self, candidate: int) -> int:
        """Return the line of a candidate."""
        return self.line + candidate if self.lines is None else int(self.lines[candidate])

    def where(self, candidate: int) -> str:
        """Return the file and line of a candidate for messages."""
        return f"{self.path}, line {self.line_of(candidate)}"


@dataclass(frozen=True)
class NBestFile:
    """The n-best lists of a file, a directory or standard input ("-"); iterate to read them.

    `segments` is the number of segments; a list beyond them is an InputError. `first_id` is the id of the first
    segment. `num_candidates` reads a file without ids in which every so many lines are a list.
    """

    path: str
    segments: int | None = None
    first_id: int = 0
    num_candidates: int | None = None

    def __iter__(self) -> Iterator[NBestList]:
        path = self.path
        if self.num_candidates is not None:
            yield from _read_flat(path, self.num_candidates, self.segments)
        elif path != STANDARD_INPUT and os.path.isdir(path):
            for list_id, file in numbered_files(path):
                texts = Segments.from_lines(normalize_lines(read_bytes(file), file, "one candidate per line"))
                yield NBestList(self.segment_of(list_id, file), texts, file, 1)
        else:
            form, blocks = _detect_format(read_blocks(path), path)
            nbest = None
            for nbest in self.parse(form, blocks):
                yield nbest
            if nbest is None:
                raise no_lists_error(path)

    def cut(self) -> NBestByteRanges | None:
        """Return the byte ranges of the file, or None if it can only be read from the beginning."""
        if self.num_candidates is not None or not is_splittable(self.path):
            return None
        form, _ = _detect_format(read_blocks(self.path), self.path)
        return None if form.line_pattern is None else NBestByteRanges(self, form, form.line_pattern)

    def parse(self, form: NBestFormat, blocks: Iterator[LineBlock], before: int | None = None) -> Iterator[NBestList]:
        """Yield the lists in blocks of the file; `before` is the id of the list before them."""
        first_lines: dict[int, int] = {}  # by id, for formats whose lists come in any order
        for nbest in form.parse(blocks, self.path):
            list_id, where = nbest.segment, nbest.where(0)
            if form.in_order:
                if before is not None and list_id <= before:
                    raise InputError(
                        f"{where}: expected lists in the order of their ids, found {list_id} after {before}"
                    )
            elif first_lines.setdefault(list_id, nbest.line) != nbest.line:
                raise InputError(
                    f"{where}: expected the lines of a list together, found list {list_id} again, which began on line "
                    f"{first_lines[list_id]}"
                )
            before = list_id
            yield replace(nbest, segment=self.segment_of(list_id, where))

    def segment_of(self, list_id: int, where: str) -> int:
        """Return the segment of a list; InputError if there is none."""
        if list_id < self.first_id:
            raise InputError(f"{where}: expected ids from {self.first_id} (--first-id), found {list_id}")
        if self.segments is not None and list_id - self.first_id >= self.segments:
            hint = "" if self.first_id else " (use --first-id 1 if ids count from 1)"
            raise InputError(
                f"{where}: expected ids from {self.first_id} to {self.first_id + self.segments - 1}, one per reference "
                f"segment, found {list_id}{hint}"
            )
        return list_id - self.first_id


@dataclass(frozen=True)
class NBestByteRanges:
    """The byte ranges of a file of n-best lists; iterate to get them. A worker reads one as `ByteRangeLists`."""

    nbest: NBestFile
    form: NBestFormat
    line_pattern: LinePattern

    def __iter__(self) -> Iterator[ByteRange]:
        return split_file(self.nbest.path, self.line_pattern)


@dataclass(eq=False)
class ByteRangeLists:
    """The lists of a byte range; iterate to read them. `lines` counts the lines read so far.

    For error messages, `line` is the number of the first line, and `before` the id of the list before the range.
    """

    ranges: NBestByteRanges
    byte_range: ByteRange
    line: int = 1
    before: int | None = None
    lines: int = 0

    def __iter__(self) -> Iterator[NBestList]:
        nbest = self.ranges.nbest
        blocks = split_blocks(self.byte_range.chunks(), nbest.path, self.line)
        return nbest.parse(self.ranges.form, self._count_lines(blocks), self.before)

    def _count_lines(self, blocks: Iterator[LineBlock]) -> Iterator[LineBlock]:
        for block in blocks:
            self.lines += block.size
            yield block


def no_lists_error(path: str) -> InputError:
    """Return the error for a file that has lines but no lists."""
    return InputError(f"{display_name(path)}: expected candidates (H-id or D-id lines, or JSON objects), found none")


# --- formats -------------------------------------------------------------------------------------------------------


class NBestFormat(NamedTuple):
    """How to parse a file; the `segment` of a parsed list is its id.

    `in_order` says whether lists come in the order of their ids; `line_pattern` identifies the list of a line, if that
    is possible from the line alone.
    """

    parse: Callable[[Iterator[LineBlock], str], Iterator[NBestList]]
    in_order: bool = True
    line_pattern: LinePattern | None = None


def _detect_format(blocks: Iterator[LineBlock], path: str) -> tuple[NBestFormat, Iterator[LineBlock]]:
    """Return the format of a file by its name and its first lines, and all its blocks."""
    seen, size, form = b"", 0, None
    for block in blocks:
        seen += block.data
        size += block.size
        form = _format_of(seen, path, whole=False)
        if form or len(seen) > _MAX_LOG:
            break
    first = _first_line(seen).decode()
    if not first:
        raise InputError(f"{display_name(path)}: expected n-best lists, found an empty file")
    form = form or _format_of(seen, path, whole=True)
    if form is None:
        raise InputError(
            f"{display_name(path)}: expected n-best lists (id ||| text, id<TAB>text, fairseq output or JSON lines), "
            f"found {_quote(first)} (use --num-candidates N if every N lines are a list)"
        )
    return form, chain([LineBlock(seen, 1, size)], blocks)


def looks_like_lists(data: bytes, path: str) -> bool:
    """Return whether a file that begins with this data appears to hold n-best lists."""
    return _format_of(data, path, whole=True) is not None


def _first_line(data: bytes) -> bytes:
    return data.lstrip().partition(b"\n")[0]


def _format_of(seen: bytes, path: str, whole: bool) -> NBestFormat | None:
    """Return the format of a file that begins with `seen`; None if more data may decide, or (`whole`) if unknown."""
    first = _first_line(seen)
    head, bars, _ = first.partition(b"|||")
    if not first:
        return None
    if first.startswith(b"{") or is_json_lines(path):
        return NBestFormat(_parse_json, line_pattern=JSON_LINES)
    if bars and b"\t" not in head.strip():
        return NBestFormat(_parse_bars, line_pattern=BARS)
    if re.match(rb"[0-9]+\t", first):
        return NBestFormat(_parse_tabs, line_pattern=TABS)
    letters = [match[1] for match, _ in zip(_HYPOTHESES.finditer(seen), range(2), strict=False)]
    if len(letters) == 2 or (whole and _FAIRSEQ.search(seen)):
        # fairseq writes the D line of each hypothesis after its H line, or no D lines at all.
        return NBestFormat(partial(_parse_fairseq, letter="D" if b"D" in letters else "H"), in_order=False)
    return NBestFormat(_parse_tabs, line_pattern=TABS) if whole and b"\t" in first else None


def _parse_bars(blocks: Iterator[LineBlock], path: str) -> Iterator[NBestList]:
    return _join_parts(_split_lines(blocks, path, _split_bars, _explain_bars, "bars"))


def _parse_tabs(blocks: Iterator[LineBlock], path: str) -> Iterator[NBestList]:
    return _join_parts(_split_lines(blocks, path, _split_tabs, _explain_tabs))


def _parse_fairseq(blocks: Iterator[LineBlock], path: str, letter: str) -> Iterator[NBestList]:
    split, explain = partial(_split_fairseq, ord(letter)), partial(_explain_fairseq, letter)
    return _join_parts(_split_lines(blocks, path, split, explain, letter))


def _join_parts(parts: Iterable[NBestList]) -> Iterator[NBestList]:
    """Join consecutive parts of the same list, which come from different blocks."""
    for _, group in groupby(parts, key=lambda part: part.segment):
        first, *others = group
        if not others:
            yield first
            continue
        whole = [first, *others]
        text = np.concatenate([part.candidates.text for part in whole])
        sizes = np.concatenate([[0], *(np.diff(part.candidates.starts) for part in whole)])
        lines = np.concatenate([part.lines for part in whole if part.lines is not None])
        raw = [part.written for part in whole if part.written]
        written = RawLines(raw[0].form, sum((lines.parts for lines in raw), ())) if raw else None
        candidates = Segments(text, np.cumsum(sizes, dtype=np.intp))
        yield replace(first, candidates=candidates, lines=lines, written=written)


def _split_lines(
    blocks: Iterator[LineBlock],
    path: str,
    split: Callable[..., Any],
    explain: Callable[[str], str],
    form: str | None = None,
) -> Iterator[NBestList]:
    """Yield the lists of each block, split by a kernel; `explain` says what is wrong with the line where it stopped.

    `form` is set for lines that have more fields than an id and a text.
    """
    for block in blocks:
        raw = BlockLines(block.data)
        text, starts = np.empty(len(block.data), np.uint8), np.empty(block.size + 1, np.intp)
        lines, ids, firsts = np.empty((3, block.size), np.intp)
        state = np.zeros(4, np.intp)
        split(np.frombuffer(block.data, np.uint8), text, starts, lines, ids, firsts, state)
        end, n_lines, n_candidates, n_lists = state.tolist()
        candidates = Segments(text, starts)
        bounds = [*firsts[:n_lists].tolist(), n_candidates]
        for list_id, first, last in zip(ids[:n_lists].tolist(), bounds, bounds[1:], strict=False):
            rows = lines[first:last]
            numbers = rows + block.line
            written = RawLines(form, ((raw, int(rows[0]), int(rows[-1])),)) if form else None
            texts = candidates.rows(first, last)
            yield NBestList(list_id, texts, display_name(path), int(numbers[0]), numbers, written)
        if end < len(block.data):
            rest = block.data[end:]
            if not any(part.strip() for part in chain([rest], (later.data for later in blocks))):
                return  # blank lines at the end
            line = rest.partition(b"\n")[0]
            reason = (
                explain(line.decode()) if line.strip() else "expected a candidate, found a blank line inside the file"
            )
            raise InputError(f"{display_name(path)}, line {block.line + n_lines}: {reason}")


def _explain_bars(line: str) -> str:
    list_id, bars, _ = line.partition("|||")
    return _explain_id(list_id) if bars else f"expected id ||| text, found {_quote(line)}"


def _explain_tabs(line: str) -> str:
    list_id, *texts = line.split("\t")
    if len(texts) > 1:
        return f"expected the two columns id<TAB>text, found {len(texts) + 1} columns"
    return _explain_id(list_id) if texts else f"expected id<TAB>text, found {_quote(line)}"


def _explain_fairseq(letter: str, line: str) -> str:
    expected = f"{letter}-id<TAB>score<TAB>text" if line.startswith(letter) else f"{line[0]}-id<TAB>text"
    return f"expected {expected}, found {_quote(line)}"


def _explain_id(list_id: str) -> str:
    return f"expected a whole number as id, found {_quote(list_id.strip())}"


def _quote(text: str) -> str:
    return f'"{_clip(text)}"'


def _clip(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


def _parse_json(blocks: Iterator[LineBlock], path: str) -> Iterator[NBestList]:
    """Yield lists from objects such as {"id": 0, "candidates": ["text", {"text": "text"}]}; other keys are ignored."""
    for block in blocks:
        raw = BlockLines(block.data)
        for line, record in parse_json_lines(path, block.data.decode(), block.line):
            where = f"{display_name(path)}, line {line}"
            list_id, candidates = record.get("id"), record.get("candidates")
            if type(list_id) is not int or not 0 <= list_id < MAX_ID:
                raise InputError(f'{where}: expected a whole number from 0 as "id", found {_show(list_id)}')
            if not isinstance(candidates, list) or not candidates:
                raise InputError(f'{where}: expected a non-empty list as "candidates", found {_show(candidates)}')
            texts = [_candidate_text(candidate, where) for candidate in candidates]
            written = RawLines("json", ((raw, line - block.line, line - block.line),))
            lines = np.full(len(texts), line, np.intp)
            yield NBestList(list_id, Segments.from_strings(texts), display_name(path), line, lines, written)


def _candidate_text(candidate: object, where: str) -> str:
    text = candidate.get("text") if isinstance(candidate, dict) else candidate
    if not isinstance(text, str):
        raise InputError(f'{where}: expected a string or {{"text": ...}} as candidate, found {_show(candidate)}')
    return text


def _show(value: object) -> str:
    return "none" if value is None else _clip(format_value(value))


# --- lists without ids in the text ---------------------------------------------------------------------------------


def _read_flat(path: str, size: int, segments: int | None) -> Iterator[NBestList]:
    if size < 1:
        raise InputError(f"--num-candidates: expected at least one candidate per list, found {size}")
    blocks = read_blocks(path)
    first = next(blocks, None)
    if first is None:
        raise InputError(
            f"{display_name(path)}: expected {size} candidates per segment, one per line, found an empty file"
        )
    if is_json_lines(path) or re.match(rb"\s*[0-9]+\s*\|\|\|", first.data):
        raise InputError(f"{display_name(path)}: expected lines without ids because of --num-candidates, found ids")
    n_lists = 0
    for nbest in _join_parts(_cut_flat(chain([first], blocks), path, size)):
        n_lists += 1
        if segments is not None and nbest.segment >= segments:
            raise InputError(
                f"{nbest.where(0)}: expected {segments} lists of {size} lines, one per reference segment, found more"
            )
        yield nbest
    if segments is not None and n_lists < segments:
        raise InputError(
            f"{display_name(path)}: expected {segments} lists of {size} lines, one per reference segment, "
            f"found {n_lists}"
        )


def _cut_flat(blocks: Iterable[LineBlock], path: str, size: int) -> Iterator[NBestList]:
    line = 1
    for block in blocks:
        texts = Segments.from_lines(block.data)
        first = 0
        while first < len(texts):
            segment, before = divmod(line - 1, size)
            last = min(first + size - before, len(texts))
            lines = np.arange(line, line + last - first)
            yield NBestList(segment, texts.rows(first, last), display_name(path), line, lines)
            line += last - first
            first = last
    short = (line - 1) % size
    if short:
        raise InputError(
            f"{display_name(path)}, line {line - short}: expected {size} lines in the list that begins here, "
            f"found {short}"
        )


def numbered_files(folder: str) -> list[tuple[int, str]]:
    """Return (number, path) of the files in a directory, ordered by the last number in each name."""
    files: dict[int, str] = {}
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: the directory cannot be read ({error.strerror})") from None
    for name in names:
        digits = re.findall("[0-9]+", system_name(name))
        path = os.path.join(folder, name)
        if not os.path.isfile(path) and not os.path.isdir(path):  # a pipe would block forever
            raise InputError(f"{path}: expected an ordinary file in a directory of lists, found a device or a pipe")
        if not digits:
            raise InputError(f"{path}: expected the number of a segment in the file's name, found none")
        number = int(digits[-1])
        if number in files:
            raise InputError(f"{path}: expected each id once, found {number} in {files[number]}, too")
        files[number] = path
    if not files:
        raise InputError(f"{folder}: expected one file per segment, found an empty directory")
    return sorted(files.items())
