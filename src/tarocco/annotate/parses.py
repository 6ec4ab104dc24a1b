"""Parse files: reading and writing them, and analyzers made of them (`--parses`).

A file named `careful.conllu` describes the text careful.txt, in any folder; `TEXT=FILE` assigns a file to any other
text. TEXT is the name of a system or a reference, or a file whose lines the run reads in another form, such as an
n-best list.

A segment may be several sentences of a file: a reader takes sentences as long as they continue the text of the segment,
ignoring white space and the spelling of brackets and quotation marks.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.annotate.derivation import choose_derivation
from tarocco.annotate.formats import (
    FileSentence,
    error_at,
    normalize,
    read_conllu,
    read_props,
    read_text_lines,
    read_trees,
    write_conllu,
    write_props,
    write_trees,
)
from tarocco.annotate.sentence import Sentence, empty_sentence, join_sentences
from tarocco.core.errors import InputError, TextRefused
from tarocco.core.test_set import REFERENCE
from tarocco.io.files import COMPRESSED, display_name, read_bytes
from tarocco.io.test_set import system_name
from tarocco.io.text import read_lines

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments

Writer = Callable[[Iterable[Sentence]], Iterator[str]]
WRITERS: dict[str, Writer] = {"conllu": write_conllu, "trees": write_trees, "props": write_props}
READERS: dict[str, Callable[[str], list[FileSentence]]] = {
    "conllu": read_conllu,
    "trees": read_trees,
    "props": read_props,
}
LAYERS = {  # that a format can hold
    "conllu": ("lemmas", "tags", "universal", "heads", "relations", "chunks", "entities"),
    "trees": ("tree",),
    "props": ("frames",),
}
_SUFFIXES = {
    **dict.fromkeys((".conllu", ".conll"), "conllu"),
    **dict.fromkeys((".trees", ".mrg", ".ptb"), "trees"),
    ".props": "props",
}
NAME = "parses"
_DIGITS = 12  # of the digest in an analyzer's version


# --- files -------------------------------------------------------------------------------------------------------


def list_formats(layers: Iterable[str]) -> list[str]:
    """Return the formats that can hold at least one of these layers."""
    available = set(layers)
    return [name for name, held in LAYERS.items() if available & set(held)]


def format_sentences(sentences: Sequence[Sentence], format: str) -> str:
    """Return the contents of a file with these sentences."""
    return "".join(f"{line}\n" for line in WRITERS[format](sentences))


def detect_format(path: str) -> str:
    """Return the format of a file, from its suffix or else from its first line."""
    name = Path(path)
    suffix = Path(name.stem).suffix if name.suffix in COMPRESSED else name.suffix
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    lines = enumerate(read_text_lines(path, "an analysis"), 1)
    number, first = next(((n, line) for n, line in lines if line.strip() and not line.startswith("#")), (0, ""))
    if first.lstrip().startswith("("):
        return "trees"
    if len(first.split("\t")) == 10 and first.startswith("1"):
        return "conllu"
    if first and not any(cell == "-" or "*" in cell for cell in first.split()):
        expected = "expected CoNLL-U, a tree in brackets or columns of roles"
        raise error_at(path, number, f'{expected}, found "{_shorten(first, 30)}"')
    return "props"


def read_annotations(paths: str | Path | Sequence[str | Path], texts: Sequence[str] | None = None) -> list[Sentence]:
    """Read files that describe the same text, and return its sentences with the layers of all files.

    Parameters
    ----------
    paths
        Files in CoNLL-U, with one tree per line, or with role columns. The first file that has a layer provides it.
    texts
        The segments that the files describe. With them, the words of the files are checked, and a segment may be
        several sentences of a file; without them, each sentence of a file is a segment.

    Raises
    ------
    InputError
        If a file is malformed, or its words differ from those of the text or of another file. The message names the
        line.
    """
    names = [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not names:
        raise InputError("expected at least one file of annotations, found none")
    columns = [(name, _read_segments(name, texts)) for name in names]
    # A file of roles may lack words, so another file provides them.
    first_name, first = next((pair for pair in columns if _has_words(pair[1])), columns[0])
    for name, column in columns:
        if len(column) != len(first):
            raise InputError(
                f"{display_name(name)} has {len(column)} segments, {display_name(first_name)} has {len(first)}: "
                "both must describe the same text"
            )
    return [
        _merge_layers([(name, column[i]) for name, column in columns], first[i][0].words) for i in range(len(first))
    ]


_Segment = tuple[Sentence, tuple[int, ...]]  # with the line of each word


def _has_words(column: Sequence[_Segment]) -> bool:
    return any(word for sentence, _ in column for word in sentence.words)


def _read_segments(name: str, texts: Sequence[str] | None) -> list[_Segment]:
    """Read the sentences of a file, and join those that make up one segment of the text."""
    items = READERS[detect_format(name)](name)
    words = [word for item in items for word in item.sentence.words]
    if texts is None or (words and not any(words)):  # roles without words
        return [(item.sentence, item.lines) for item in items]
    segments: list[_Segment] = []
    i = 0
    for number, text in enumerate(map(normalize, texts), 1):
        parts: list[FileSentence] = []
        rest = text
        while rest or (not text and not parts and i < len(items) and not items[i].surface):
            if i == len(items):
                message = f'the file ends here, but segment {number} continues with "{_shorten(rest, 30)}"'
                raise error_at(name, items[-1].lines[-1] if items else 1, message)
            item = items[i]
            if rest and not (item.surface and rest.startswith(item.surface)):
                raise _mismatch(name, item, rest, number)
            parts.append(item)
            rest = rest[len(item.surface) :]
            i += 1
        lines = tuple([line for part in parts for line in part.lines])
        segments.append((join_sentences([part.sentence for part in parts]), lines))
    extra = next((item for item in items[i:] if item.surface), None)
    if extra is not None:
        raise error_at(name, extra.lines[0], f"this sentence is not in the text, which has {len(texts)} segments")
    empty = empty_sentence({layer for segment, _ in segments if segment.words for layer in segment.layers})
    return [(segment if segment.words else empty, lines) for segment, lines in segments]


def _mismatch(name: str, item: FileSentence, rest: str, number: int) -> InputError:
    """Return an error about the first word of a sentence that differs from the text."""
    for word, line in zip(item.sentence.words, item.lines, strict=False):
        if not rest.startswith(normalize(word)):
            message = f'the word is "{word}", but segment {number} continues with "{_shorten(rest, 30)}"'
            return error_at(name, line, message)
        rest = rest[len(normalize(word)) :]
    message = f'this sentence is not in segment {number}, which continues with "{_shorten(rest, 30)}"'
    return error_at(name, item.lines[0], message)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."


def _merge_layers(parts: Sequence[tuple[str, _Segment]], words: tuple[str, ...]) -> Sentence:
    """Return one sentence with the layers of all files; the first file that has a layer provides it."""
    layers: dict[str, object] = {}
    for name, (sentence, lines) in parts:
        for word, other, line in zip(sentence.words, words, lines, strict=False):
            if word and word != other and normalize(word) != normalize(other):
                raise error_at(name, line, f'the word is "{word}" here and "{other}" in another file')
        if len(sentence.words) != len(words):
            message = f"the sentence has {len(sentence.words)} words here and {len(words)} in another file"
            raise error_at(name, lines[0] if lines else 1, message)
        for layer in sentence.layers:
            layers.setdefault(layer, getattr(sentence, layer))
    return replace(Sentence(words), **layers)  # type: ignore[arg-type]


# --- analyzers made of files -------------------------------------------------------------------------------------


class ConflictingParses(UserWarning):
    """The same text has different analyses."""


class ParsedTexts:
    """An analyzer that looks sentences up by text. English sentences get derived layers, as with any analyzer."""

    name = NAME
    storable = False  # the sentences exist already, so storing them would only copy them

    def __init__(
        self, sentences: Mapping[str, Sentence], version: str = "", origins: Mapping[str, str] | None = None
    ) -> None:
        """`origins` names the files of each text, for error messages."""
        self._sentences = {_lookup_key(text): sentence for text, sentence in sentences.items()}
        self._origins = {_lookup_key(text): origin for text, origin in (origins or {}).items()}
        self.version = version or f"{NAME}-{_hash_sentences(sentences)}"
        self._derive = choose_derivation([sentence for sentence in self._sentences.values() if sentence.words])

    @cached_property
    def layers(self) -> frozenset[str]:
        """The layers that all sentences have, derived ones included."""
        layers = [self._derive(sentence).layers for sentence in self._sentences.values() if sentence.words]
        return frozenset.intersection(*layers) if layers else frozenset()

    def __contains__(self, text: str) -> bool:
        return not text.strip() or _lookup_key(text) in self._sentences

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """Return the sentence of each text; raise TextRefused if there is none."""
        return [self._find(text) for text in texts]

    def _find(self, text: str) -> Sentence:
        if not text.strip():
            return empty_sentence(field.name for field in fields(Sentence)[1:])
        sentence = self._sentences.get(_lookup_key(text))
        if sentence is None:
            raise TextRefused(text, f'there is no parse of the text "{_quote(text)}"')
        return self._derive(sentence)

    def source_without(self, layer: str) -> str:
        """Return the first file whose sentences lack a layer."""
        for key, sentence in self._sentences.items():
            if sentence.words and key in self._origins and layer not in self._derive(sentence).layers:
                return self._origins[key]
        return "the parses"


def read_parses(described: Iterable[tuple[Sequence[str], Sequence[str]]]) -> ParsedTexts:
    """Read files into an analyzer, from pairs of a text (one string per segment) and the files that describe it.

    If a text has several analyses, the first one counts and a warning is issued.
    """
    sentences: dict[str, Sentence] = {}
    origins: dict[str, str] = {}
    digest = hashlib.sha256()
    n_conflicts = 0
    for texts, files in described:
        for path in files:
            digest.update(hashlib.sha256(read_bytes(path, keep=True)).digest())
        for text, sentence in zip(texts, read_annotations(files, texts), strict=True):
            key = _lookup_key(text)
            n_conflicts += sentences.setdefault(key, sentence) != sentence
            origins.setdefault(key, " with ".join(files))
    if n_conflicts:
        message = f"{n_conflicts} segments repeat a text with another analysis: the first analysis is used"
        warnings.warn(message, ConflictingParses, stacklevel=2)
    return ParsedTexts(sentences, f"{NAME}-{digest.hexdigest()[:_DIGITS]}", origins)


def _quote(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _lookup_key(text: str) -> str:
    return " ".join(text.split())


def _hash_sentences(sentences: Mapping[str, Sentence]) -> str:
    from tarocco.annotate.cache import pack_sentence  # imports SQLite, which most runs do not need

    digest = hashlib.sha256()
    for text, sentence in sorted(sentences.items()):
        for part in (_lookup_key(text).encode("utf-8", "surrogatepass"), pack_sentence(sentence)):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:_DIGITS]


def register_parses(entries: Sequence[str], texts: Mapping[str, Segments], note: Callable[[str], None]) -> str:
    """Register an analyzer made of the files of `--parses`, and return its name.

    Every segment of `texts` must have a parse. `note` receives a remark about files that describe no text.
    """
    from tarocco.annotate.analyzers import register_analyzer

    files: dict[str, list[str]] = {}
    unused = []
    for entry in entries:
        text, file = _split_entry(entry, texts)
        if Path(file).is_dir():
            raise InputError(f"--parses {entry}: {file} is a directory; name its files, as {Path(file) / '*'} does")
        if not Path(file).exists():
            raise InputError(f"--parses {entry}: there is no file {file}")
        if text is None:
            unused.append(file)
        else:
            files.setdefault(text, []).append(file)
    if unused:
        note(f"--parses: no text has the name of {', '.join(unused)}")
    order = [*(text for text in texts if text in files), *(text for text in files if text not in texts)]
    parses = read_parses((list(texts[text] if text in texts else read_lines(text)), files[text]) for text in order)
    for name, segments in texts.items():
        for number, segment in enumerate(segments, 1):
            if segment not in parses:
                problem = f'no file of --parses describes segment {number} of {name}, "{_quote(segment)}"'
                raise InputError(f"{problem}: expected {name}.conllu or {name}=FILE")
    registered = register_analyzer(parses)
    assert registered is not None
    return registered


def _split_entry(entry: str, texts: Mapping[str, Segments]) -> tuple[str | None, str]:
    """Split TEXT=FILE, or find the text from the name of the file; None if no text has that name."""
    text, equals, file = entry.partition("=")
    if not equals or Path(entry).exists():
        return _find_text(described_text(entry), texts), entry
    name = text if text in texts or Path(text).is_file() else _find_text(text, texts)
    if name is None:
        raise InputError(f'--parses {entry}: there is no text "{text}"; expected one of {", ".join(texts)}')
    return name, file


def described_text(path: str) -> str:
    """Return the path of the text that a file describes: parses/careful for parses/careful.conllu.gz."""
    whole = Path(path)
    name = whole.stem if whole.suffix in COMPRESSED else whole.name
    return str(whole.parent / (Path(name).stem if Path(name).suffix in _SUFFIXES else name))


def _find_text(path: str, texts: Mapping[str, Segments]) -> str | None:
    """Return the text of the run that a path without its suffix refers to."""
    names = [name for name in texts if system_name(name.removeprefix(REFERENCE)) == system_name(path)]
    if len(names) > 1:  # systems, or references, that share a name are distinguished by their paths
        names = [name for name in names if Path(name).parent / system_name(name) == Path(path)] or names
    if len(names) > 1:
        raise InputError(f'--parses: "{path}" may be {" or ".join(names)}: write TEXT=FILE, with the path of TEXT')
    return names[0] if names else None
