"""Sentences to files and back: CoNLL-U, trees in brackets and role columns, whoever wrote them.

A segment may be several sentences of a file: sentences are taken as long as they continue the text of the segment,
white space, the spelling of brackets and that of quotation marks aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tarocco.annotate.blocks import Block, comparable, error_at, joined, lines_of
from tarocco.annotate.brackets import read_trees, tree_lines
from tarocco.annotate.conllu import conllu_lines, read_conllu
from tarocco.annotate.props import props_lines, read_props
from tarocco.annotate.sentence import Sentence
from tarocco.errors import InputError
from tarocco.read.bytes_of import COMPRESSED, shown

Writer = Callable[[Iterable[Sentence]], Iterator[str]]
WRITERS: dict[str, Writer] = {"conllu": conllu_lines, "trees": tree_lines, "props": props_lines}
READERS: dict[str, Callable[[str], list[Block]]] = {"conllu": read_conllu, "trees": read_trees, "props": read_props}
# What a file of a format must have to say something, beside the words.
LAYERS = {
    "conllu": ("lemmas", "tags", "universal", "heads", "relations", "chunks", "entities"),
    "trees": ("tree",),
    "props": ("frames",),
}
_SUFFIXES = {
    ".conllu": "conllu",
    ".conll": "conllu",
    ".trees": "trees",
    ".mrg": "trees",
    ".ptb": "trees",
    ".props": "props",
}


def formats_for(layers: Iterable[str]) -> list[str]:
    """The formats in which these layers can be written."""
    there = set(layers)
    return [name for name, some in LAYERS.items() if there & set(some)]


def text_of(sentences: Sequence[Sentence], format: str) -> str:
    """The contents of a file."""
    return "".join(f"{line}\n" for line in WRITERS[format](sentences))


def format_of(path: str) -> str:
    """The format of a file: its name says, or how it begins."""
    name = Path(path)
    suffix = Path(name.stem).suffix if name.suffix in COMPRESSED else name.suffix
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    first = next((line for line in lines_of(path, "an analysis") if line.strip() and not line.startswith("#")), "")
    if first.lstrip().startswith("("):
        return "trees"
    return "conllu" if len(first.split("\t")) == 10 and first.startswith("1") else "props"


def read_annotations(paths: str | Path | Sequence[str | Path], texts: Sequence[str] | None = None) -> list[Sentence]:
    """The sentences of files that describe the same text, each with the layers of all of them.

    Parameters
    ----------
    paths
        Files in CoNLL-U, with a tree a line, or with role columns. Where two have a layer, the first one's is taken.
    texts
        The segments that are described, so that it can be checked, and so that a segment may be several sentences of a
        file; without them a sentence of a file is a segment.

    Raises
    ------
    InputError
        Where a file is broken, or its words are not those of the text or of another file; it names the line.
    """
    names = [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not names:
        raise InputError("annotations come from at least one file, none was named")
    wanted = None if texts is None else [comparable(text) for text in texts]
    # Trees and roles without words can only be divided as a file with words was.
    columns = [(name, _segments(name, READERS[format_of(name)](name), wanted, texts)) for name in names]
    first_name, first = next((pair for pair in columns if _has_words(pair[1])), columns[0])
    for name, column in columns:
        if len(column) != len(first):
            raise InputError(
                f"{shown(name)} has {len(column)} segments, {shown(first_name)} has {len(first)}: "
                "both must describe the same text"
            )
    return [_merged([(name, column[i]) for name, column in columns], first[i][0].words) for i in range(len(first))]


def _has_words(column: Sequence[tuple[Sentence, int]]) -> bool:
    return any(word for sentence, _ in column for word in sentence.words)


def _segments(
    name: str, blocks: Sequence[Block], wanted: Sequence[str] | None, texts: Sequence[str] | None
) -> list[tuple[Sentence, int]]:
    """The segments of a file, each with the line that it begins at."""
    if wanted is None or texts is None or not any(block.surface for block in blocks):
        return [(block.sentence, block.line) for block in blocks]
    segments: list[tuple[Sentence, int]] = []
    place = 0
    for number, text in enumerate(wanted, 1):
        parts: list[Block] = []
        rest = text
        while rest or (not text and not parts and place < len(blocks) and not blocks[place].surface):
            if place == len(blocks):
                line = blocks[-1].line if blocks else 1
                raise error_at(name, line, f'after this the file ends, but segment {number} goes on: "{_begun(rest)}"')
            block = blocks[place]
            if not rest.startswith(block.surface) or (rest and not block.surface):
                raise _mismatch(name, block, rest, number, texts[number - 1])
            parts.append(block)
            rest = rest[len(block.surface) :]
            place += 1
        line = parts[0].line if parts else 0
        segments.append((joined([part.sentence for part in parts]), line))
    left = next((block for block in blocks[place:] if block.surface), None)
    if left is not None:
        raise error_at(
            name, left.line, f"the file has sentences after segment {len(wanted)}, which is the last one of the text"
        )
    whole = {layer for segment, _ in segments if segment.words for layer in segment.layers}
    empty = Sentence((), **dict.fromkeys(whole, ()))
    return [(segment if segment.words else empty, line) for segment, line in segments]


def _mismatch(name: str, block: Block, rest: str, number: int, text: str) -> InputError:
    """The first word that is not in the text."""
    for place, word in enumerate(block.sentence.words):
        piece = comparable(word)
        if not rest.startswith(piece):
            said = f'word {place + 1} of the sentence that begins here is "{word}"'
            return error_at(name, block.line, f'{said}, segment {number} goes on with "{_begun(rest)}"')
        rest = rest[len(piece) :]
    return error_at(name, block.line, f'the sentence that begins here is not segment {number}: "{_begun(text)}"')


def _begun(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:30]}..."


def _merged(parts: Sequence[tuple[str, tuple[Sentence, int]]], words: tuple[str, ...]) -> Sentence:
    """One sentence with the layers of all files; the first one that has a layer gives it."""
    layers: dict[str, object] = {}
    for name, (sentence, line) in parts:
        own = sentence.words
        if len(own) != len(words):
            raise error_at(
                name, line, f"the sentence that begins here has {len(own)} words, another file has {len(words)}"
            )
        for place, (ours, theirs) in enumerate(zip(own, words, strict=True)):
            if ours and ours != theirs and comparable(ours) != comparable(theirs):
                raise error_at(name, line, f'word {place + 1} is "{ours}" here and "{theirs}" in another file')
        for layer in sentence.layers:
            layers.setdefault(layer, getattr(sentence, layer))
    return replace(Sentence(words), **layers)  # type: ignore[arg-type]
