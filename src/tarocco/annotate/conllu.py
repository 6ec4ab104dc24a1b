"""CoNLL-U: words, lemmas, tags and dependencies, with chunks and entities in the last column.

    1   The      the     DET   DT   _  2  det    _  Chunk=B-NP
    2   captain  captain NOUN  NN   _  3  nsubj  _  Chunk=I-NP|Entity=B-PER

A segment is one block; if it holds several sentences, it has several roots. Other files may have a block a sentence.
Chunks and entities may also have the tags of BIOES and BILOU.
A column that has _ in every line of a file is a layer that the file does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tarocco.annotate.file_sentence import Block, comparable, error_at, lines_of
from tarocco.annotate.sentence import Sentence, Span

_SEGMENT = "# segment"
_COLUMNS = 10
# Some people mark the last word of an entity or chunk, E-PER or L-PER, and a word that is all of one, S-PER or U-PER.
_FIRST_OR_NOT = {"B": "B", "I": "I", "E": "I", "L": "I", "S": "B", "U": "B"}
_LAYERS = {"lemmas": 2, "universal": 3, "tags": 4, "relations": 7}


def conllu_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The lines of a file, without their ends."""
    for number, sentence in enumerate(sentences, 1):
        yield f"{_SEGMENT} = {number}"
        size = len(sentence.words)
        blank = ("_",) * size
        columns = (
            map(str, range(1, size + 1)),
            sentence.words,
            sentence.lemmas or blank,
            sentence.universal or blank,
            sentence.tags or blank,
            blank,
            blank if sentence.heads is None else (str(head + 1) for head in sentence.heads),
            sentence.relations or blank,
            blank,
            _last_column(sentence),
        )
        yield from map("\t".join, zip(*columns, strict=True))
        yield ""


def _last_column(sentence: Sentence) -> list[str]:
    parts: list[list[str]] = [[] for _ in sentence.words]
    for part, chunk in zip(parts, sentence.chunks or (), strict=False):
        part.append(f"Chunk={chunk}")
    if sentence.entities is not None:
        for part, tag in zip(parts, iob_of(sentence.entities, len(parts)), strict=True):
            part.append(f"Entity={tag}")
    return ["|".join(part) or "_" for part in parts]


def iob_of(spans: Iterable[Span], size: int) -> list[str]:
    """Spans that do not overlap as a tag a word: B-PER, I-PER, O."""
    tags = ["O"] * size
    for span in spans:
        tags[span.start : span.end] = [f"B-{span.label}"] + [f"I-{span.label}"] * (span.end - span.start - 1)
    return tags


def spans_of(tags: Sequence[str]) -> tuple[Span, ...]:
    """The spans that tags describe; I-PER after anything but PER begins one, too."""
    spans: list[Span] = []
    start, label = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        if label and tag != f"I-{label}":
            spans.append(Span(label, start, place))
            label = ""
        if not label and tag[:2] in ("B-", "I-"):
            start, label = place, tag[2:]
    return tuple(spans)


def read_conllu(path: str) -> list[Block]:
    """The sentences of a file; InputError names the line of what is wrong."""
    rows: list[list[str]] = []
    places: list[int] = []  # the line of each word
    ranges: dict[int, tuple[int, str]] = {}  # words that are written as one
    blocks: list[Block] = []
    said_empty = False
    for line, text in enumerate([*lines_of(path, "CoNLL-U"), ""], 1):
        if not text.strip():
            if rows or said_empty:
                blocks.append(_block(rows, places or [line], ranges, path))
            rows, places, ranges, said_empty = [], [], {}, False
            continue
        if text.startswith("#") and not rows:
            said_empty = said_empty or text.startswith(_SEGMENT)
            continue
        cells = text.split("\t")
        if len(cells) != _COLUMNS:
            raise error_at(path, line, f"CoNLL-U has {_COLUMNS} columns with tabs between them, found {len(cells)}")
        if "-" in cells[0] or "." in cells[0]:
            first, _, last = cells[0].partition("-")
            if last and not (_is_count(first) and _is_count(last)):
                raise error_at(path, line, f'a number or a range is wanted in column 1, found "{cells[0]}"')
            if last:
                ranges[int(first) - 1] = (int(last), cells[1])
            continue  # an empty node is no word
        if cells[0] != str(len(rows) + 1):
            raise error_at(path, line, f'word {len(rows) + 1} is wanted in column 1, found "{cells[0]}"')
        if not cells[1].strip():
            raise error_at(path, line, "the word in column 2 is empty")
        rows.append(cells)
        places.append(line)
    return _with_the_same_layers(blocks, path)


def _block(rows: list[list[str]], lines: list[int], ranges: dict[int, tuple[int, str]], path: str) -> Block:
    words = tuple(row[1].replace(" ", "_") for row in rows)
    pieces, place = [], 0
    while place < len(words):
        end, form = ranges.get(place, (place + 1, rows[place][1]))
        pieces.append(form)
        place = max(end, place + 1)
    layers: dict[str, Any] = {name: tuple(row[column] for row in rows) for name, column in _LAYERS.items()}
    more = [dict(part.partition("=")[::2] for part in row[9].split("|")) for row in rows]
    chunks = tuple(_iob(part.get("Chunk", "_")) for part in more)
    entities = [_iob(part.get("Entity", "_")) for part in more]
    for what, tags in (("an entity is O, B-PER or I-PER", entities), ("a chunk is O, B-NP or I-NP", chunks)):
        for tag, line in zip(tags, lines, strict=False):
            if tag not in ("_", "O") and not (tag[:2] in ("B-", "I-") and tag[2:]):
                raise error_at(path, line, f'{what} in column 10, found "{tag}"')
    sentence = Sentence(
        words,
        **layers,
        heads=_heads(rows, lines, path),
        chunks=chunks,
        entities=None if rows and all(tag == "_" for tag in entities) else spans_of(entities),
    )
    return Block(sentence, tuple(lines), comparable("".join(pieces)))


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _iob(tag: str) -> str:
    """A tag that tells no more than whether the word is the first one: S-PER is B-PER, E-PER is I-PER."""
    place, hyphen, label = tag.partition("-")
    return f"{_FIRST_OR_NOT.get(place, place)}-{label}" if hyphen else tag


def _heads(rows: list[list[str]], lines: list[int], path: str) -> tuple[int, ...] | None:
    if rows and all(row[6] == "_" for row in rows):
        return None
    heads = []
    for place, row in enumerate(rows):
        text = row[6]
        head = int(text) - 1 if _is_count(text) else -2
        if not -1 <= head < len(rows):
            wanted = f"a head is a number from 0 to {len(rows)}"
            raise error_at(path, lines[place], f'{wanted}, found "{text}"')
        heads.append(head)
    known = [False] * len(heads)  # whether going up from a word leads to a root
    for place in range(len(heads)):
        way, word = [], place
        while word >= 0 and not known[word]:
            known[word] = True
            way.append(word)
            word = heads[word]
        if word >= 0 and word in set(way):
            raise error_at(path, lines[word], f'the heads go in a circle: "{rows[word][1]}" depends on itself')
    return tuple(heads)


def _with_the_same_layers(blocks: list[Block], path: str) -> list[Block]:
    """A layer that no sentence of the file has is missing in all of them; otherwise all have it."""
    full = [block.sentence for block in blocks if block.sentence.words]
    missing: dict[str, Any] = {
        name: None
        for name in (*_LAYERS, "chunks")
        if all(value == "_" for sentence in full for value in getattr(sentence, name))
    }
    if all(sentence.entities is None for sentence in full):
        missing["entities"] = None
    if all(sentence.heads is None for sentence in full):
        missing |= {"heads": None, "relations": None}
    evened = []
    for block in blocks:
        sentence = block.sentence
        if sentence.heads is None and "heads" not in missing:
            raise error_at(path, block.lines[0], "this sentence has no heads, others of the file have them")
        chunks = tuple("O" if chunk == "_" else chunk for chunk in sentence.chunks or ())
        whole = replace(sentence, chunks=chunks, entities=sentence.entities or ())
        evened.append(replace(block, sentence=replace(whole, **missing)))
    return evened
