"""What n-best files look like inside: from blocks of lines to lists, form by form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, line_starts
from tarocco.io.files import shown
from tarocco.io.lines import Block
from tarocco.io.markup import format_of
from tarocco.io.nbest.byte_ranges import BARS, JSON_LINES, MOST_ID, TABS, Begins
from tarocco.io.tables import SUFFIXES, json_lines, told
from tarocco.kernels import kernel, nbest_lines

_split_bars = kernel(nbest_lines, "split_moses_lines")
_split_tabs = kernel(nbest_lines, "split_tab_lines")
_split_fairseq = kernel(nbest_lines, "split_fairseq_lines")

_LOG = 1 << 20  # bytes of log that may stand before fairseq's first line
_FAIRSEQ = re.compile(rb"^[STHDP]-[0-9]+\t", re.MULTILINE)
_HYPOTHESES = re.compile(rb"^([HD])-[0-9]+\t", re.MULTILINE)  # as the model has them, and as text again


@dataclass(frozen=True, eq=False)
class Source:
    """A block of a file, from which lines can be taken again."""

    data: bytes

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return line_starts(np.frombuffer(self.data, np.uint8))

    def between(self, first: int, last: int) -> bytes:
        """Lines first .. last, counted from 0."""
        return self.data[self._starts[first] : self._starts[last + 1]]


class Written(NamedTuple):
    """A list as it is written in its file, with all that stands beside the texts; taken from there when asked for."""

    form: str  # bars, H or D (fairseq's letters), json
    parts: tuple[tuple[Source, int, int], ...]

    @property
    def lines(self) -> bytes:
        """The lines from the first candidate's to the last one's."""
        return b"".join(source.between(first, last) for source, first, last in self.parts)


class Listed(NamedTuple):
    """Candidates of the list with this id, all or those in one block, and the lines they stand on."""

    id: int
    candidates: Segments
    lines: NDArray[np.intp]
    written: Written | None = None


class Form(NamedTuple):
    """How to read a file; `in_order`: whether its lists come in the order of their ids.

    `begins` says which list a line belongs to, where that can be told from the line alone.
    """

    lists: Callable[[Iterator[Block], str], Iterator[Listed]]
    in_order: bool = True
    begins: Begins | None = None


def _whole_lists(pieces: Iterable[Listed]) -> Iterator[Listed]:
    """Parts of the same list, which follow each other, made one."""
    for which, group in groupby(pieces, key=lambda piece: piece.id):
        found = list(group)
        if len(found) == 1:
            yield found[0]
            continue
        text = np.concatenate([part.candidates.text for part in found])
        sizes = np.concatenate([[0], *(np.diff(part.candidates.starts) for part in found)])
        lines = np.concatenate([part.lines for part in found])
        pieces_of = [part.written for part in found if part.written]
        written = Written(pieces_of[0].form, sum((one.parts for one in pieces_of), ())) if pieces_of else None
        yield Listed(which, Segments(text, np.cumsum(sizes, dtype=np.intp)), lines, written)


# --- which form it is ----------------------------------------------------------------------------------------------


def told_form(blocks: Iterator[Block], path: str) -> tuple[Form, Iterator[Block]]:
    """The form of a file by its name and its first lines, and all its blocks."""
    seen, size, form = b"", 0, None
    for block in blocks:
        seen += block.data
        size += block.size
        form = _form(seen, path, whole=False)
        if form or len(seen) > _LOG:
            break
    first = _first_line(seen).decode()
    if not first:
        raise InputError(f"{shown(path)}: the file is empty, n-best lists are wanted")
    form = form or _form(seen, path, whole=True)
    if form is None:
        raise InputError(
            f"{shown(path)}: lines with id ||| text or id<TAB>text, fairseq's output or JSON lines are wanted, found "
            f"{_quoted(first)} (--num-candidates N is for files in which every N lines are a list)"
        )
    return form, chain([Block(seen, 1, size)], blocks)


def has_ids(data: bytes, path: str) -> bool:
    """Whether lines or the name of a file say that its lists have ids."""
    return _are_json_lines(path) or re.match(rb"\s*[0-9]+\s*\|\|\|", data) is not None


def looks_like_lists(data: bytes, path: str) -> bool:
    """Whether a file that begins so has n-best lists, as far as that can be told."""
    return _form(data, path, whole=True) is not None


def _first_line(data: bytes) -> bytes:
    """The first line that is not blank, without the space before it; nothing, where all are."""
    return data.lstrip().partition(b"\n")[0]


def _are_json_lines(path: str) -> bool:
    return SUFFIXES.get(format_of(path)) == "jsonl"


def _form(seen: bytes, path: str, whole: bool) -> Form | None:
    """The form of a file that begins so; None where that is not clear, unless it gets no clearer (`whole`)."""
    first = _first_line(seen)
    written, bars, _ = first.partition(b"|||")
    if not first:
        return None
    if first.startswith(b"{") or _are_json_lines(path):
        return Form(_from_json, begins=JSON_LINES)
    if bars and b"\t" not in written.strip():
        return Form(_with_bars, begins=BARS)
    if re.match(rb"[0-9]+\t", first):
        return Form(_with_tabs, begins=TABS)
    letters = [match[1] for match, _ in zip(_HYPOTHESES.finditer(seen), range(2), strict=False)]
    if len(letters) == 2 or (whole and _FAIRSEQ.search(seen)):
        # fairseq writes the D of each hypothesis behind its H, or no D at all.
        return Form(partial(_from_fairseq, letter="D" if b"D" in letters else "H"), in_order=False)
    return Form(_with_tabs, begins=TABS) if whole and b"\t" in first else None


# --- lines with ids ------------------------------------------------------------------------------------------------


def _with_bars(blocks: Iterator[Block], path: str) -> Iterator[Listed]:
    return _whole_lists(_split(blocks, path, _split_bars, _wrong_bars, "bars"))


def _with_tabs(blocks: Iterator[Block], path: str) -> Iterator[Listed]:
    return _whole_lists(_split(blocks, path, _split_tabs, _wrong_tabs))


def _from_fairseq(blocks: Iterator[Block], path: str, letter: str) -> Iterator[Listed]:
    split, wrong = partial(_split_fairseq, ord(letter)), partial(_wrong_fairseq, letter)
    return _whole_lists(_split(blocks, path, split, wrong, letter))


def _split(
    blocks: Iterator[Block],
    path: str,
    split: Callable[..., Any],
    wrong: Callable[[str], str],
    form: str | None = None,
) -> Iterator[Listed]:
    """The lists of each block by a kernel; `wrong` says what is wrong with a line at which it stopped.

    `form` is that of lines that have more than an id and a text.
    """
    for block in blocks:
        source = Source(block.data)
        text, starts = np.empty(len(block.data), np.uint8), np.empty(block.size + 1, np.intp)
        lines, ids, firsts = np.empty((3, block.size), np.intp)
        state = np.zeros(4, np.intp)
        split(np.frombuffer(block.data, np.uint8), text, starts, lines, ids, firsts, state)
        end, n_lines, n_candidates, n_lists = state.tolist()
        candidates = Segments(text, starts)
        bounds = [*firsts[:n_lists].tolist(), n_candidates]
        for which, first, last in zip(ids[:n_lists].tolist(), bounds, bounds[1:], strict=False):
            own = lines[first:last]
            written = Written(form, ((source, int(own[0]), int(own[-1])),)) if form else None
            yield Listed(which, candidates.rows(first, last), own + block.line, written)
        if end < len(block.data):
            rest = block.data[end:]
            if not any(part.strip() for part in chain([rest], (later.data for later in blocks))):
                return  # blank lines at the end
            line = rest.partition(b"\n")[0]
            said = wrong(line.decode()) if line.strip() else "this line is blank, but the lists go on behind it"
            raise InputError(f"{shown(path)}, line {block.line + n_lines}: {said}")


def _wrong_bars(line: str) -> str:
    written, bars, _ = line.partition("|||")
    return _wrong_id(written) if bars else f"id ||| text is wanted, found {_quoted(line)}"


def _wrong_tabs(line: str) -> str:
    written, *texts = line.split("\t")
    if len(texts) > 1:
        return f"id<TAB>text is wanted, found {len(texts) + 1} columns: it is not clear which of them is the text"
    return _wrong_id(written) if texts else f"id<TAB>text is wanted, found {_quoted(line)}"


def _wrong_fairseq(letter: str, line: str) -> str:
    wanted = f"{letter}-id<TAB>score<TAB>text" if line.startswith(letter) else f"{line[0]}-id<TAB>text"
    return f"{wanted} is wanted, found {_quoted(line)}"


def _wrong_id(written: str) -> str:
    return f"an id is a whole number, not {_quoted(written.strip())}"


def _quoted(text: str) -> str:
    return f'"{_clipped(text)}"'


def _clipped(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


# --- others --------------------------------------------------------------------------------------------------------


def _from_json(blocks: Iterator[Block], path: str) -> Iterator[Listed]:
    """{"id": 0, "candidates": ["text", {"text": "text"}]}: an object a list, perhaps with more in it."""
    for block in blocks:
        source = Source(block.data)
        for line, record in json_lines(path, block.data.decode(), block.line):
            where = f"{shown(path)}, line {line}"
            which, candidates = record.get("id"), record.get("candidates")
            if type(which) is not int or not 0 <= which < MOST_ID:
                raise InputError(f'{where}: "id" is a whole number from 0 on, not {_written(which)}')
            if not isinstance(candidates, list) or not candidates:
                raise InputError(f'{where}: "candidates" is a list of one or more, not {_written(candidates)}')
            texts = [_text(candidate, where) for candidate in candidates]
            written = Written("json", ((source, line - block.line, line - block.line),))
            yield Listed(which, Segments.from_strings(texts), np.full(len(texts), line, np.intp), written)


def _text(candidate: object, where: str) -> str:
    text = candidate.get("text") if isinstance(candidate, dict) else candidate
    if not isinstance(text, str):
        raise InputError(f'{where}: a candidate is a text or {{"text": a text}}, not {_written(candidate)}')
    return text


def _written(value: object) -> str:
    return "missing" if value is None else _clipped(told(value))


def flat(blocks: Iterable[Block], path: str, size: int) -> Iterator[Listed]:
    """Every `size` lines are a list; they are numbered as they come."""
    return _whole_lists(_cut(blocks, path, size))


def _cut(blocks: Iterable[Block], path: str, size: int) -> Iterator[Listed]:
    line = 1
    for block in blocks:
        texts = Segments.from_lines(block.data)
        first = 0
        while first < len(texts):
            which, before = divmod(line - 1, size)
            last = min(first + size - before, len(texts))
            yield Listed(which, texts.rows(first, last), np.arange(line, line + last - first))
            line += last - first
            first = last
    short = (line - 1) % size
    if short:
        raise InputError(
            f"{shown(path)}, line {line - short}: every {size} lines are a list, but the last one, which begins here, "
            f"has {short}"
        )
