"""Sentences to files and back: CoNLL-U, trees in brackets and role columns, whoever wrote them.

A segment may be several sentences of a file: sentences are taken as long as they continue the text of the segment,
white space, the spelling of brackets and that of quotation marks aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tarocco.annotate.brackets import read_trees, tree_lines
from tarocco.annotate.conllu import conllu_lines, read_conllu
from tarocco.annotate.file_sentence import Block, comparable, error_at, joined, lines_of
from tarocco.annotate.props import props_lines, read_props
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError
from tarocco.io.files import COMPRESSED, display_name

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


def text_name(path: str) -> str:
    """What the text is called that a file describes by its name: parses/careful.conllu.gz describes parses/careful."""
    whole = Path(path)
    name = whole.stem if whole.suffix in COMPRESSED else whole.name
    return str(whole.parent / (Path(name).stem if Path(name).suffix in _SUFFIXES else name))


def format_of(path: str) -> str:
    """The format of a file: its name says, or how it begins."""
    name = Path(path)
    suffix = Path(name.stem).suffix if name.suffix in COMPRESSED else name.suffix
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    lines = enumerate(lines_of(path, "an analysis"), 1)
    number, first = next(((n, line) for n, line in lines if line.strip() and not line.startswith("#")), (0, ""))
    if first.lstrip().startswith("("):
        return "trees"
    if len(first.split("\t")) == 10 and first.startswith("1"):
        return "conllu"
    if first and not any(cell == "-" or "*" in cell for cell in first.split()):
        wanted = "CoNLL-U, a tree in brackets or columns of roles are wanted"
        raise error_at(path, number, f'{wanted}, found "{_begun(first)}"')
    return "props"


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
                f"{display_name(name)} has {len(column)} segments, {display_name(first_name)} has {len(first)}: "
                "both must describe the same text"
            )
    return [_merged([(name, column[i]) for name, column in columns], first[i][0].words) for i in range(len(first))]


Segment = tuple[Sentence, tuple[int, ...]]  # with the line of each word


def _has_words(column: Sequence[Segment]) -> bool:
    return any(word for sentence, _ in column for word in sentence.words)


def _segments(
    name: str, blocks: Sequence[Block], wanted: Sequence[str] | None, texts: Sequence[str] | None
) -> list[Segment]:
    """The segments of a file: its sentences, joined where several make a segment of the text."""
    words = [word for block in blocks for word in block.sentence.words]
    if wanted is None or texts is None or (words and not any(words)):  # roles without words
        return [(block.sentence, block.lines) for block in blocks]
    segments: list[Segment] = []
    place = 0
    for number, text in enumerate(wanted, 1):
        parts: list[Block] = []
        rest = text
        while rest or (not text and not parts and place < len(blocks) and not blocks[place].surface):
            if place == len(blocks):
                said = f'the file ends here, but segment {number} goes on with "{_begun(rest)}"'
                raise error_at(name, blocks[-1].lines[-1] if blocks else 1, said)
            block = blocks[place]
            if rest and not (block.surface and rest.startswith(block.surface)):
                raise _mismatch(name, block, rest, number)
            parts.append(block)
            rest = rest[len(block.surface) :]
            place += 1
        lines = tuple([line for part in parts for line in part.lines])
        segments.append((joined([part.sentence for part in parts]), lines))
    left = next((block for block in blocks[place:] if block.surface), None)
    if left is not None:
        raise error_at(name, left.lines[0], f"this sentence is not in the text, which has {len(wanted)} segments")
    layers = {layer for segment, _ in segments if segment.words for layer in segment.layers}
    empty = Sentence((), **dict.fromkeys(layers, ()))
    return [(segment if segment.words else empty, lines) for segment, lines in segments]


def _mismatch(name: str, block: Block, rest: str, number: int) -> InputError:
    """The first word that is not in the text."""
    for word, line in zip(block.sentence.words, block.lines, strict=False):
        piece = comparable(word)
        if not rest.startswith(piece):
            return error_at(name, line, f'the word is "{word}", but segment {number} goes on with "{_begun(rest)}"')
        rest = rest[len(piece) :]
    return error_at(
        name, block.lines[0], f'this sentence is not in segment {number}, which goes on with "{_begun(rest)}"'
    )


def _begun(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:30]}..."


def _merged(parts: Sequence[tuple[str, Segment]], words: tuple[str, ...]) -> Sentence:
    """One sentence with the layers of all files; the first one that has a layer gives it."""
    layers: dict[str, object] = {}
    for name, (sentence, lines) in parts:
        for ours, theirs, line in zip(sentence.words, words, lines, strict=False):
            if ours and ours != theirs and comparable(ours) != comparable(theirs):
                raise error_at(name, line, f'the word is "{ours}" here and "{theirs}" in another file')
        if len(sentence.words) != len(words):
            said = f"the sentence has {len(sentence.words)} words here and {len(words)} in another file"
            raise error_at(name, lines[0] if lines else 1, said)
        for layer in sentence.layers:
            layers.setdefault(layer, getattr(sentence, layer))
    return replace(Sentence(words), **layers)  # type: ignore[arg-type]
