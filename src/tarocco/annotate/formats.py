"""File formats of linguistic analyses: CoNLL-U, trees in brackets, and role columns.

Readers return one `FileSentence` per sentence of the file, and raise InputError with the file and line of anything that
is malformed. Writers yield lines without line ends, one sentence per segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tarocco.annotate.sentence import TOP, Frame, Node, Sentence, Span, find_cycle
from tarocco.core.errors import InputError
from tarocco.io.files import display_name, read_bytes
from tarocco.io.text import normalize_lines

_SEGMENT = "# segment"  # a comment of ours that marks segments, even empty ones


@dataclass(frozen=True)
class FileSentence:
    """A sentence of a file, the line of each word, and its text without spaces, as far as the file has it."""

    sentence: Sentence
    lines: tuple[int, ...]  # from 1; a sentence without words has the line where it begins
    surface: str


def read_text_lines(path: str, expected: str) -> list[str]:
    """Return the lines of a UTF-8 file without line ends; `expected` names the format in error messages."""
    return normalize_lines(read_bytes(path), path, expected).decode("utf-8").split("\n")[:-1]


def error_at(path: str, line: int, message: str) -> InputError:
    """Return an error about a line of a file."""
    return InputError(f"{display_name(path)}, line {line}: {message}")


def normalize(text: str) -> str:
    """Return a text without white space, and without the treebank's spelling of brackets and quotation marks."""
    text = "".join(text.split())
    return text.replace("-LRB-", "(").replace("-RRB-", ")").replace("``", '"').replace("''", '"')


# --- CoNLL-U -----------------------------------------------------------------------------------------------------
#
#     1   The      the     DET   DT   _  2  det    _  Chunk=B-NP
#     2   captain  captain NOUN  NN   _  3  nsubj  _  Chunk=I-NP|Entity=B-PER
#
# The last column holds chunks and entities, also in the schemes BIOES and BILOU. We write one block per segment, with
# several roots if it has several sentences; other files may have one block per sentence. A layer is missing if its
# column is _ in every line of the file.

_COLUMNS = 10
_TO_IOB = {"B": "B", "I": "I", "E": "I", "L": "I", "S": "B", "U": "B"}  # from BIOES and BILOU
_LAYER_COLUMNS = {"lemmas": 2, "universal": 3, "tags": 4, "relations": 7}


def write_conllu(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the lines of a CoNLL-U file."""
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
            _format_misc(sentence),
        )
        yield from map("\t".join, zip(*columns, strict=True))
        yield ""


def _format_misc(sentence: Sentence) -> list[str]:
    """Return the last column: chunks and entities."""
    cells: list[list[str]] = [[] for _ in sentence.words]
    for cell, chunk in zip(cells, sentence.chunks or (), strict=False):
        cell.append(f"Chunk={chunk}")
    if sentence.entities is not None:
        for cell, tag in zip(cells, encode_iob(sentence.entities, len(cells)), strict=True):
            cell.append(f"Entity={tag}")
    return ["|".join(cell) or "_" for cell in cells]


def encode_iob(spans: Iterable[Span], size: int) -> list[str]:
    """Return one IOB tag per word (B-PER, I-PER, O) for spans that do not overlap."""
    tags = ["O"] * size
    for span in spans:
        tags[span.start : span.end] = [f"B-{span.label}"] + [f"I-{span.label}"] * (span.end - span.start - 1)
    return tags


def decode_iob(tags: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of IOB tags; I-PER after anything but PER begins a span, too."""
    spans: list[Span] = []
    start, label = 0, ""
    for word, tag in enumerate([*tags, "O"]):
        if label and tag != f"I-{label}":
            spans.append(Span(label, start, word))
            label = ""
        if not label and tag[:2] in ("B-", "I-"):
            start, label = word, tag[2:]
    return tuple(spans)


def read_conllu(path: str) -> list[FileSentence]:
    """Read the sentences of a CoNLL-U file."""
    rows: list[list[str]] = []
    lines: list[int] = []  # of each word
    ranges: dict[int, tuple[int, str]] = {}  # multiword tokens, by their first word: end and form
    sentences: list[FileSentence] = []
    is_segment = False
    for line, text in enumerate([*read_text_lines(path, "CoNLL-U"), ""], 1):
        if not text.strip():
            if rows or is_segment:
                sentences.append(_parse_conllu(rows, lines or [line], ranges, path))
            rows, lines, ranges, is_segment = [], [], {}, False
            continue
        if text.startswith("#") and not rows:
            is_segment = is_segment or text.startswith(_SEGMENT)
            continue
        cells = text.split("\t")
        if len(cells) != _COLUMNS:
            raise error_at(path, line, f"expected {_COLUMNS} tab-separated columns of CoNLL-U, found {len(cells)}")
        if "-" in cells[0] or "." in cells[0]:
            first, _, last = cells[0].partition("-")
            if last and not (_is_count(first) and _is_count(last)):
                raise error_at(path, line, f'expected a number or a range in column 1, found "{cells[0]}"')
            if last:
                ranges[int(first) - 1] = (int(last), cells[1])
            continue  # empty nodes (1.1) are ignored
        if cells[0] != str(len(rows) + 1):
            raise error_at(path, line, f'expected word {len(rows) + 1} in column 1, found "{cells[0]}"')
        if not cells[1].strip():
            raise error_at(path, line, "the word in column 2 is empty")
        rows.append(cells)
        lines.append(line)
    return _equalize_layers(sentences, path)


def _parse_conllu(
    rows: list[list[str]], lines: list[int], ranges: dict[int, tuple[int, str]], path: str
) -> FileSentence:
    words = tuple(row[1].replace(" ", "_") for row in rows)
    forms, word = [], 0
    while word < len(words):
        end, form = ranges.get(word, (word + 1, rows[word][1]))
        forms.append(form)
        word = max(end, word + 1)
    layers: dict[str, Any] = {name: tuple(row[column] for row in rows) for name, column in _LAYER_COLUMNS.items()}
    misc = [dict(part.partition("=")[::2] for part in row[9].split("|")) for row in rows]
    chunks = tuple(_to_iob(cell.get("Chunk", "_")) for cell in misc)
    entities = [_to_iob(cell.get("Entity", "_")) for cell in misc]
    for expected, tags in (("an entity as O, B-PER or I-PER", entities), ("a chunk as O, B-NP or I-NP", chunks)):
        for tag, line in zip(tags, lines, strict=False):
            if tag not in ("_", "O") and not (tag[:2] in ("B-", "I-") and tag[2:]):
                raise error_at(path, line, f'expected {expected} in column 10, found "{tag}"')
    sentence = Sentence(
        words,
        **layers,
        heads=_parse_heads(rows, lines, path),
        chunks=chunks,
        entities=None if rows and all(tag == "_" for tag in entities) else decode_iob(entities),
    )
    return FileSentence(sentence, tuple(lines), normalize("".join(forms)))


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _to_iob(tag: str) -> str:
    """Convert a tag of BIOES or BILOU to IOB: S-PER is B-PER, E-PER is I-PER."""
    position, hyphen, label = tag.partition("-")
    return f"{_TO_IOB.get(position, position)}-{label}" if hyphen else tag


def _parse_heads(rows: list[list[str]], lines: list[int], path: str) -> tuple[int, ...] | None:
    if rows and all(row[6] == "_" for row in rows):
        return None
    heads = []
    for row, line in zip(rows, lines, strict=False):
        head = int(row[6]) - 1 if _is_count(row[6]) else -2
        if not -1 <= head < len(rows):
            raise error_at(path, line, f'expected a head from 0 to {len(rows)}, found "{row[6]}"')
        heads.append(head)
    word = find_cycle(heads)
    if word is not None:
        raise error_at(path, lines[word], f'the heads form a cycle: "{rows[word][1]}" depends on itself')
    return tuple(heads)


def _equalize_layers(sentences: list[FileSentence], path: str) -> list[FileSentence]:
    """Give all sentences of a file the same layers: those that at least one of them has."""
    nonempty = [item.sentence for item in sentences if item.sentence.words]
    missing: dict[str, Any] = {
        name: None
        for name in (*_LAYER_COLUMNS, "chunks")
        if all(value == "_" for sentence in nonempty for value in getattr(sentence, name))
    }
    if all(sentence.entities is None for sentence in nonempty):
        missing["entities"] = None
    if all(sentence.heads is None for sentence in nonempty):
        missing |= {"heads": None, "relations": None}
    equalized = []
    for item in sentences:
        sentence = item.sentence
        if sentence.heads is None and "heads" not in missing:
            raise error_at(path, item.lines[0], "this sentence has no heads, but others of the file have them")
        chunks = tuple("O" if chunk == "_" else chunk for chunk in sentence.chunks or ())
        complete = replace(sentence, chunks=chunks, entities=sentence.entities or ())
        equalized.append(replace(item, sentence=replace(complete, **missing)))
    return equalized


# --- trees in brackets -------------------------------------------------------------------------------------------
#
#     (S (NP (DT The) (NN captain)) (VP (VBD left)) (. .))
#
# One segment per line. Brackets in words and tags are written -LRB- and -RRB-. Several trees of a line are joined under
# one node TOP. Traces (-NONE-) are ignored, because no text contains them. The code does not recurse, so depth is not
# limited.

_TOKENS = re.compile(r"[()]|[^\s()]+")
_NO_TAG = "X"
MAX_TREE_CHARACTERS = 1 << 22


def write_trees(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield one tree per line; a sentence without words is an empty line."""
    for sentence in sentences:
        size = len(sentence.words)
        opened: list[list[str]] = [[] for _ in range(size)]
        closed = [0] * size
        for node in sentence.tree or ():
            opened[node.start].append(f"({node.label} ")
            closed[node.end - 1] += 1
        tags = map(_escape_brackets, sentence.tags or (_NO_TAG,) * size)
        words = map(_escape_brackets, sentence.words)
        yield " ".join(
            f"{''.join(before)}({tag} {word}){')' * after}"
            for before, tag, word, after in zip(opened, tags, words, closed, strict=True)
        )


def _escape_brackets(text: str) -> str:
    return text.replace("(", "-LRB-").replace(")", "-RRB-")


def read_trees(path: str) -> list[FileSentence]:
    """Read a file with one tree per line."""
    return [_parse_tree(text, path, line) for line, text in enumerate(read_text_lines(path, "one tree per line"), 1)]


def parse_tree(text: str) -> tuple[Node, ...]:
    """Return the nodes of a tree in brackets."""
    return _parse_tree(text, "a tree", 1).sentence.tree or ()


def _parse_tree(text: str, path: str, line: int) -> FileSentence:
    words: list[str] = []
    tags: list[str] = []
    labels: list[str] = []
    parents: list[int] = []
    bounds: list[list[int]] = []
    open_nodes: list[int] = []
    if len(text) > MAX_TREE_CHARACTERS:
        raise error_at(path, line, f"expected a tree of at most {MAX_TREE_CHARACTERS} characters, found {len(text)}")
    tokens = _TOKENS.findall(text)
    tokens += [""] * 3
    i = 0
    while tokens[i]:
        token = tokens[i]
        if token == "(":
            label, word, end = tokens[i + 1 : i + 4]
            if label not in ("(", ")", "") and word not in ("(", ")", "") and end == ")":
                if label != "-NONE-":
                    tags.append(label)
                    words.append(word.replace("-LRB-", "(").replace("-RRB-", ")"))
                i += 4
                continue
            has_label = label not in ("(", ")", "")
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(label if has_label else TOP)
            bounds.append([len(words)])
            i += 1 + has_label
        elif token == ")":
            if not open_nodes:
                raise error_at(path, line, f"closing bracket without an opening one after {len(words)} words")
            bounds[open_nodes.pop()].append(len(words))
            i += 1
        else:
            raise error_at(path, line, f'expected a bracket, found "{token[:40]}"; a word is written (NN word)')
    if open_nodes:
        first = labels[open_nodes[0]]
        raise error_at(path, line, f"{len(open_nodes)} opening brackets are not closed, the first one of {first}")
    if text.strip() and not words:
        raise error_at(path, line, "the tree has no words")
    tree = _remove_traces(labels, parents, bounds)
    if words and not (tree and tree[0].start == 0 and tree[0].end == len(words)):  # several trees
        tree = (Node(TOP, -1, 0, len(words)), *(Node(n.label, n.parent + 1, n.start, n.end) for n in tree))
    sentence = Sentence(tuple(words), tags=tuple(tags), tree=tree)
    return FileSentence(sentence, (line,) * (len(words) or 1), normalize("".join(words)))


def _remove_traces(labels: list[str], parents: list[int], bounds: list[list[int]]) -> tuple[Node, ...]:
    """Return the nodes that cover at least one word."""
    new_indices: list[int] = []
    nodes: list[Node] = []
    for label, parent, (start, end) in zip(labels, parents, bounds, strict=True):
        new_indices.append(len(nodes))
        if end > start:
            nodes.append(Node(label, new_indices[parent] if parent >= 0 else -1, start, end))
    return tuple(nodes)


# --- role columns of CoNLL-2005 ----------------------------------------------------------------------------------
#
#     The      -     (A0*
#     captain  -     *)
#     left     leave (V*)
#
# A word, the lemma of a predicate or -, then one column of arguments per predicate. A blank line ends a sentence. Files
# without words, and files with a roleset after the lemma, are accepted; ARG0 and ARGM-TMP become A0 and AM-TMP. V and
# C-V, the predicate and the rest of it ("take ... off"), are not arguments.

_CELL = re.compile(r"(?:\(([^()*\s]+))?\*(\))?")
_NO_LEMMA = "-"
# The number of columns before the arguments, and which of them has the lemmas. Words, if any, are in the first.
_LAYOUTS = ((2, 1), (3, 1), (1, 0))
_CELLS = "expected (A0*, *, *) or (A0*)"


def write_props(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the lines of a file of role columns."""
    for number, sentence in enumerate(sentences, 1):
        size = len(sentence.words)
        lemmas = [_NO_LEMMA] * size
        columns = []
        for frame in sorted(sentence.frames or (), key=lambda frame: frame.predicate):
            lemma = frame.lemma or "_"
            lemmas[frame.predicate] = f"\\{lemma}" if lemma == _NO_LEMMA or lemma.startswith("\\") else lemma
            columns.append(_format_arguments(frame, size))
        yield f"{_SEGMENT} = {number}"
        yield from map("\t".join, zip(sentence.words, lemmas, *columns, strict=True))
        yield ""


def _format_arguments(frame: Frame, size: int) -> list[str]:
    opened, closed = [""] * size, [""] * size
    for span in (Span("V", frame.predicate, frame.predicate + 1), *frame.arguments):
        opened[span.start] = f"({span.label}"
        closed[span.end - 1] = ")"
    return [f"{before}*{after}" for before, after in zip(opened, closed, strict=True)]


def read_props(path: str) -> list[FileSentence]:
    """Read a file of role columns."""
    rows: list[list[str]] = []
    sentences: list[FileSentence] = []
    first_line = 1
    is_segment = False
    for line, text in enumerate([*read_text_lines(path, "CoNLL-2005 roles"), ""], 1):
        if not text.strip():
            if rows or is_segment:
                sentences.append(_parse_props(rows, path, first_line))
            rows, is_segment = [], False
        elif text.startswith(_SEGMENT) and not rows:
            is_segment = True
        else:
            cells = text.split("\t") if "\t" in text else text.split()
            if not rows:
                first_line = line
            elif len(cells) != len(rows[0]):
                expected = f"expected {len(rows[0])} columns as in line {first_line}"
                raise error_at(path, line, f"{expected}, found {len(cells)}")
            rows.append(cells)
    return sentences


def _parse_props(rows: list[list[str]], path: str, line: int) -> FileSentence:
    if not rows:
        return FileSentence(Sentence((), frames=()), (line,), "")
    before, lemma_column = _find_layout(rows, path, line)
    predicates = [word for word, row in enumerate(rows) if row[lemma_column] != _NO_LEMMA]
    words = tuple(row[0].replace(" ", "_") for row in rows) if lemma_column else ("",) * len(rows)
    frames = []
    for number, predicate in enumerate(predicates):
        lemma = rows[predicate][lemma_column]
        arguments = _parse_arguments([row[before + number] for row in rows], path, line)
        frames.append(Frame(predicate, lemma.removeprefix("\\"), arguments))
    lines = tuple(range(line, line + len(rows)))
    return FileSentence(Sentence(words, frames=tuple(frames)), lines, normalize("".join(words)))


def _find_layout(rows: list[list[str]], path: str, line: int) -> tuple[int, int]:
    """Return the first layout that fits: as many columns of arguments as there are lemmas."""
    width = len(rows[0])
    for before, lemma_column in _LAYOUTS:
        n_predicates = sum(width >= before and row[lemma_column] != _NO_LEMMA for row in rows)
        fits = n_predicates == width - before and all("*" in cell for row in rows for cell in row[before:])
        if fits and all(
            (cell == _NO_LEMMA) == (row[lemma_column] == _NO_LEMMA) for row in rows for cell in row[2:before]
        ):
            return before, lemma_column
    for number, row in enumerate(rows):
        for cell in row[3:] or row[2:]:  # these are arguments in every layout with words
            if "*" not in cell:
                raise error_at(path, line + number, f'{_CELLS}, found "{cell}"')
    expected = "expected a word, a lemma or -, and one column of arguments per lemma"
    raise error_at(path, line, f"{expected}; {width} columns do not fit")


def _parse_arguments(cells: list[str], path: str, line: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    label, start = "", 0
    for word, cell in enumerate(cells):
        match = _CELL.fullmatch(cell)
        if match is None:
            is_nested = cell.count("(") > 1 or cell.count(")") > 1
            reason = "arguments of one predicate overlap" if is_nested else _CELLS
            raise error_at(path, line + word, f'{reason}, found "{cell}"')
        if match[1]:
            if label:
                raise error_at(path, line + word, f"{match[1]} begins before {label} has ended: arguments overlap")
            label, start = match[1], word
        if match[2]:
            if not label:
                raise error_at(path, line + word, "an argument ends here that has not begun")
            if label not in ("V", "C-V"):
                spans.append(Span(_to_conll_role(label), start, word + 1))
            label = ""
    if label:
        raise error_at(path, line + start, f"{label} begins here and does not end")
    return tuple(spans)


def _to_conll_role(label: str) -> str:
    """Return a role as CoNLL-2005 names it: A0 for ARG0, AM-TMP for ARGM-TMP."""
    prefix = label[:2] if label[:2] in ("C-", "R-") else ""
    name = label.removeprefix(prefix)
    return f"{prefix}{name.replace('ARGM', 'AM', 1).replace('ARG', 'A', 1)}" if name.startswith("ARG") else label
