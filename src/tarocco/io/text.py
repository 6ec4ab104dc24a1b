"""Text files: plain lines, tab-separated references, NIST SGML (.sgm, .sgml) and WMT XML (.xml).

Only a newline ends a line; U+2028 and a lone carriage return do not. NIST files are SGML in name only: many have bare
ampersands and tags in any case, so they are scanned tag by tag. WMT files go through an XML parser that refuses
document type definitions and entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple
from xml.parsers import expat

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import NEWLINE, Segments
from tarocco.io.files import display_name, format_suffix, read_bytes, read_chunks

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CHUNK = 1 << 20  # bytes read at a time from a file that is read in blocks
MAX_EMPTY_CELLS = 1_000_000  # cells of a tab-separated file in which almost all references are empty
_DECODED = 1 << 18  # bytes checked at a time, so that a large file is never decoded whole
_ENCODING_HINTS = {  # by the first two bytes of a file
    b"\x1f\x8b": " (this is gzip data; rename the file to end in .gz)",
    b"\xff\xfe": " (this is UTF-16; convert it to UTF-8 first)",
    b"\xfe\xff": " (this is UTF-16; convert it to UTF-8 first)",
}


class LineBlock(NamedTuple):
    """Consecutive whole lines of a file, in UTF-8, each with a newline and without a carriage return at its end."""

    data: bytes
    line: int  # number of the first line, from 1
    size: int  # number of lines


def read_blocks(path: str) -> Iterator[LineBlock]:
    """Yield all lines of a file in blocks of about a megabyte, or of one longer line; an empty file has none."""
    return split_blocks(read_chunks(path, CHUNK), path)


def split_blocks(chunks: Iterable[bytes], path: str, line: int = 1) -> Iterator[LineBlock]:
    """Yield the lines in chunks of a file; `line` is the number of the first one."""
    unfinished: list[bytes | memoryview] = []  # the beginning of a line whose end is in a later chunk
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            block = _make_block(b"".join([*unfinished, memoryview(chunk)[:end]]), line, path)
            yield block
            line += block.size
            unfinished.clear()
        if end < len(chunk):
            unfinished.append(chunk[end:])
    data = b"".join(unfinished)
    if data and not (line == 1 and data == BYTE_ORDER_MARK):
        yield _make_block(data, line, path)


def _make_block(data: bytes, line: int, path: str) -> LineBlock:
    if line == 1:
        data = data.removeprefix(BYTE_ORDER_MARK)
    check_utf8(data, path, line)
    data = _normalize_line_ends(data)
    # Twice as fast as data.count.
    return LineBlock(data, line, int(np.count_nonzero(np.frombuffer(data, np.uint8) == NEWLINE)))


def _normalize_line_ends(data: bytes) -> bytes:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return data if data.endswith(b"\n") else data + b"\n"


def normalize_lines(data: bytes, path: str, expected: str = "one segment per line") -> bytes:
    """Return the contents of a file as valid UTF-8 in which each line ends with a newline and no carriage return."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    if not data:
        raise InputError(f"{display_name(path)}: expected {expected}, found an empty file")
    check_utf8(data, path)
    return _normalize_line_ends(data)


def check_utf8(data: bytes, path: str, first_line: int = 1) -> None:
    """Raise InputError with line and byte if the data, which begin at this line, are not UTF-8."""
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
                f"{display_name(path)}, line {line}, byte {column}: expected UTF-8 text, found the byte "
                f"0x{data[at]:02x}" + (_ENCODING_HINTS.get(data[:2], "") if line == 1 else "")
            ) from None
        start = stop


def read_lines(path: str) -> Segments:
    """Read a file of plain text, one segment per line."""
    return Segments.from_lines(normalize_lines(read_bytes(path), path))


def read_tab_separated(path: str, columns: int | None = None) -> tuple[Segments, ...]:
    """Read a file with all references of a segment on one line, separated by tabs; lines may have fewer than others.

    `columns` is the maximum number of references; further tabs are part of the last one.
    """
    data = normalize_lines(read_bytes(path), path)
    rows = [line.split("\t", -1 if columns is None else columns - 1) for line in Segments.from_lines(data)]
    widest = max(map(len, rows)) if columns is None else columns
    if widest * len(rows) > max(MAX_EMPTY_CELLS, 4 * len(data)):
        line = next(number for number, row in enumerate(rows, start=1) if len(row) == max(map(len, rows)))
        raise InputError(
            f"{display_name(path)}, line {line}: expected about as many references as on other lines, "
            f"found {widest}, which are empty for almost all of {len(rows)} segments"
        )
    return tuple(Segments.from_strings([row[c] if c < len(row) else "" for row in rows]) for c in range(widest))


# --- SGML and XML --------------------------------------------------------------------------------------------------

MARKUP_SUFFIXES = (".sgm", ".sgml", ".xml")

SegmentKey = tuple[str, str]  # document, segment

_TAG = re.compile(r"<(?P<end>/)?(?P<tag>refset|tstset|srcset|doc|seg)\b(?P<attributes>[^<>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile("&(?:quot|amp|lt|gt|apos);")
_CHARACTERS = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"}
_NIST_SETS = {"refset": "reference", "tstset": "system", "srcset": "source"}


@dataclass
class MarkupFile:
    """The texts of an SGML or XML file by name, each a mapping from (document, segment) to text, in file order."""

    systems: dict[str, dict[SegmentKey, str]] = field(default_factory=dict)
    references: dict[str, dict[SegmentKey, str]] = field(default_factory=dict)
    sources: dict[str, dict[SegmentKey, str]] = field(default_factory=dict)

    def add(self, kind: str, name: str, key: SegmentKey, text: str, where: str) -> None:
        """Add a segment; a duplicate is an InputError."""
        by_kind = {"reference": self.references, "system": self.systems, "source": self.sources}
        texts = by_kind[kind].setdefault(name, {})
        if key in texts:
            raise InputError(
                f'{where}: expected each segment once, found segment {key[1]} of document "{key[0]}" twice for "{name}"'
            )
        texts[key] = " ".join(text.split())

    @property
    def keys(self) -> tuple[SegmentKey, ...]:
        """All segments, document by document; a segment missing in some texts is placed as the others have it."""
        by_document: dict[str, dict[SegmentKey | None, SegmentKey | None]] = {}  # each segment's successor; None: start
        for text in chain(self.sources.values(), self.references.values(), self.systems.values()):
            last: dict[str, SegmentKey] = {}
            for key in text:
                after = by_document.setdefault(key[0], {None: None})
                if key not in after:
                    before = last.get(key[0])
                    after[key], after[before] = after[before], key
                last[key[0]] = key
        keys: list[SegmentKey] = []
        for after in by_document.values():
            key_or_end = after[None]
            while key_or_end is not None:
                keys.append(key_or_end)
                key_or_end = after[key_or_end]
        return tuple(keys)


def is_markup(path: str) -> bool:
    """Return whether a file is SGML or XML by its name."""
    return format_suffix(path) in MARKUP_SUFFIXES


def read_markup(path: str) -> MarkupFile:
    """Read all texts of a NIST or WMT file."""
    data = read_bytes(path).removeprefix(BYTE_ORDER_MARK)
    check_utf8(data, path)
    text = data.decode("utf-8")
    # NIST files may be called .xml, too; then <refset>, <tstset> or <srcset> comes first.
    first = re.search(r"<(dataset|refset|tstset|srcset)\b", text, re.IGNORECASE)
    is_nist = format_suffix(path) != ".xml" or (first is not None and first[1].lower() != "dataset")
    texts = _parse_nist(text, display_name(path)) if is_nist else _parse_wmt(data, display_name(path))
    if not texts.systems and not texts.references and not texts.sources:
        raise InputError(
            f"{display_name(path)}: expected <refset> or <tstset> with <seg>, or <dataset>, found no segments"
        )
    return texts


def _parse_nist(text: str, path: str) -> MarkupFile:
    texts = MarkupFile()
    kind, name, document, segment, start = "", "", "", "", -1
    numbers: dict[tuple[str, str], int] = {}

    def place(at: int) -> str:
        return f"{path}, line {text.count(chr(10), 0, at) + 1}"

    for match in _TAG.finditer(text):
        tag, is_end = match["tag"].lower(), bool(match["end"])
        attributes = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(match["attributes"])}
        if tag in _NIST_SETS:
            kind = "" if is_end else _NIST_SETS[tag]
            name = attributes.get("refid") or attributes.get("sysid") or name
        elif tag == "doc" and not is_end:
            document = attributes.get("docid", "")
            name = attributes.get("sysid") or attributes.get("refid") or name
        elif tag == "seg" and not is_end:
            if start >= 0:
                raise InputError(f"{place(match.start())}: expected </seg>, found another <seg>")
            start = match.end()
            numbers[name, document] = numbers.get((name, document), 0) + 1
            segment = attributes.get("id", str(numbers[name, document]))
        elif tag == "seg":
            if start < 0:
                raise InputError(f"{place(match.start())}: expected <seg>, found </seg>")
            if kind:
                words = _ENTITY.sub(lambda entity: _CHARACTERS[entity[0]], text[start : match.start()])
                texts.add(kind, name or kind, (document, segment), words, path)
            start = -1
    if start >= 0:
        raise InputError(f"{place(start)}: expected </seg> after this <seg>, found the end of the file")
    return texts


class XmlReader:
    """Parses XML with the methods `start`, `end` and `characters` of a subclass."""

    start: Callable[[str, dict[str, str]], None]
    end: Callable[[str], None]
    characters: Callable[[str], None]

    def __init__(self, path: str) -> None:
        self.path = path
        self.parser = expat.ParserCreate("utf-8")  # whatever encoding the file declares
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    @property
    def where(self) -> str:
        return f"{self.path}, line {self.parser.CurrentLineNumber}"

    def refuse(self, *_declaration: object) -> None:
        raise InputError(f"{self.where}: document type definitions and entities are not supported")

    def parse(self, data: bytes) -> None:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise InputError(f"{self.path}, line {error.lineno}: expected XML ({reason})") from None


class _WmtReader(XmlReader):
    """Collects the texts of <dataset> <doc> <ref|hyp> <p> <seg>."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.texts = MarkupFile()
        self.document = self.kind = self.name = self.segment = ""
        self.text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "doc":
            self.document = attributes.get("id", "")
        elif tag in ("ref", "hyp", "src"):
            self.kind = {"ref": "reference", "hyp": "system", "src": "source"}[tag]
            self.name = attributes.get("translator") or attributes.get("system") or self.kind
        elif tag == "seg":
            self.segment, self.text = attributes.get("id", ""), []

    def characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def end(self, tag: str) -> None:
        if tag == "seg" and self.text is not None:
            if self.kind:
                self.texts.add(self.kind, self.name, (self.document, self.segment), "".join(self.text), self.where)
            self.text = None


def _parse_wmt(data: bytes, path: str) -> MarkupFile:
    reader = _WmtReader(path)
    reader.parse(data)
    return reader.texts
