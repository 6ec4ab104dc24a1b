"""NIST SGML (.sgm, .sgml) and WMT XML (.xml): several systems or references, with documents, in one file.

NIST's files are SGML in name only; real ones have bare ampersands and tags in any case, so they are read tag by tag.
WMT's are XML and are parsed as such, with document type definitions and entities refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from xml.parsers import expat

from tarocco.core.errors import InputError
from tarocco.io.files import COMPRESSED, bytes_of, shown
from tarocco.io.lines import BYTE_ORDER_MARK, check_utf8

SUFFIXES = (".sgm", ".sgml", ".xml")

Key = tuple[str, str]  # document, segment

_TAG = re.compile(r"<(?P<end>/)?(?P<tag>refset|tstset|srcset|doc|seg)\b(?P<attributes>[^<>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile("&(?:quot|amp|lt|gt|apos);")
_CHARACTERS = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"}


@dataclass
class MarkedUp:
    """What a marked-up file holds: texts by name, each a mapping from (document, segment) to text, in file order."""

    systems: dict[str, dict[Key, str]] = field(default_factory=dict)
    references: dict[str, dict[Key, str]] = field(default_factory=dict)
    sources: dict[str, dict[Key, str]] = field(default_factory=dict)

    def add(self, kind: str, name: str, key: Key, text: str, where: str) -> None:
        """Keep a segment; the same segment twice is an error."""
        texts = {"reference": self.references, "system": self.systems, "source": self.sources}[kind].setdefault(
            name, {}
        )
        if key in texts:
            raise InputError(f'{where}: segment {key[1]} of document "{key[0]}" is there twice for "{name}"')
        texts[key] = " ".join(text.split())

    @property
    def keys(self) -> tuple[Key, ...]:
        """All segments, document by document; one that only some texts have stands where those have it."""
        by_document: dict[str, dict[Key | None, Key | None]] = {}  # of each segment the next one; None is before all
        for text in chain(self.sources.values(), self.references.values(), self.systems.values()):
            last: dict[str, Key] = {}
            for key in text:
                after = by_document.setdefault(key[0], {None: None})
                if key not in after:
                    before = last.get(key[0])
                    after[key], after[before] = after[before], key
                last[key[0]] = key
        found: list[Key] = []
        for after in by_document.values():
            following = after[None]
            while following is not None:
                found.append(following)
                following = after[following]
        return tuple(found)


def format_of(path: str) -> str:
    """The suffix that says what a file is, without that of its compression: `ref.SGM.gz` is .sgm."""
    plain = Path(path)
    if plain.suffix in COMPRESSED:
        plain = plain.with_suffix("")
    return plain.suffix.lower()


def is_marked_up(path: str) -> bool:
    """Whether a file's name says that it is SGML or XML."""
    return format_of(path) in SUFFIXES


def read_markup(path: str) -> MarkedUp:
    """Everything in a NIST or WMT file."""
    data = bytes_of(path).removeprefix(BYTE_ORDER_MARK)
    check_utf8(data, path)
    text = data.decode("utf-8")
    # NIST's own files may be called .xml, too; then <refset>, <tstset> or <srcset> comes first.
    first = re.search(r"<(dataset|refset|tstset|srcset)\b", text, re.IGNORECASE)
    nist = format_of(path) != ".xml" or (first is not None and first[1].lower() != "dataset")
    found = _read_nist(text, shown(path)) if nist else _read_wmt(data, shown(path))
    if not found.systems and not found.references and not found.sources:
        raise InputError(
            f"{shown(path)}: no segment was found; <refset> or <tstset> with <seg>, or <dataset>, is wanted"
        )
    return found


def _read_nist(text: str, path: str) -> MarkedUp:
    found = MarkedUp()
    kind, name, document, segment, start = "", "", "", "", -1
    numbers: dict[tuple[str, str], int] = {}
    for tag in _TAG.finditer(text):
        what = tag["tag"].lower()
        line = text.count("\n", 0, tag.start()) + 1 if what == "seg" and tag["end"] and start < 0 else 0
        attributes = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(tag["attributes"])}
        if what in ("refset", "tstset", "srcset"):
            kind = "" if tag["end"] else {"refset": "reference", "tstset": "system", "srcset": "source"}[what]
            name = attributes.get("refid") or attributes.get("sysid") or name
        elif what == "doc" and not tag["end"]:
            document = attributes.get("docid", "")
            name = attributes.get("sysid") or attributes.get("refid") or name
        elif what == "seg" and not tag["end"]:
            if start >= 0:
                raise InputError(f"{path}, line {text.count(chr(10), 0, tag.start()) + 1}: a <seg> inside a <seg>")
            start = tag.end()
            numbers[name, document] = numbers.get((name, document), 0) + 1
            segment = attributes.get("id", str(numbers[name, document]))
        elif what == "seg":
            if start < 0:
                raise InputError(f"{path}, line {line}: </seg> without <seg>")
            if kind:
                words = _ENTITY.sub(lambda match: _CHARACTERS[match[0]], text[start : tag.start()])
                found.add(kind, name or kind, (document, segment), words, path)
            start = -1
    if start >= 0:
        raise InputError(f"{path}, line {text.count(chr(10), 0, start) + 1}: a <seg> that is never closed")
    return found


class _WmtReader:
    """Follows the tags of <dataset> <doc> <ref|hyp> <p> <seg>."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found = MarkedUp()
        self.document = self.kind = self.name = self.segment = ""
        self.text: list[str] | None = None
        self.parser = expat.ParserCreate("utf-8")  # which the bytes are, whatever they say
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def refuse(self, *_what: object) -> None:
        raise InputError(
            f"{self.path}, line {self.parser.CurrentLineNumber}: document type definitions and entities are not read"
        )

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
                where = f"{self.path}, line {self.parser.CurrentLineNumber}"
                self.found.add(self.kind, self.name, (self.document, self.segment), "".join(self.text), where)
            self.text = None


def _read_wmt(data: bytes, path: str) -> MarkedUp:
    reader = _WmtReader(path)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(f"{path}, line {error.lineno}: this is not XML: {expat.ErrorString(error.code)}") from None
    return reader.found
