"""Roles in the columns of CoNLL-2005: word, lemma of a predicate or -, then a column of arguments for each predicate.

    The      -     (A0*
    captain  -     *)
    left     leave (V*)

Files without the column of words, and files with a roleset after the lemma, are read as well; ARG0 is A0 there and
ARGM-TMP is AM-TMP. V and C-V, the predicate and the rest of it ("take .. off"), are no arguments. A blank line ends a
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tarocco.annotate.file_sentence import Block, comparable, error_at, lines_of
from tarocco.annotate.sentence import Frame, Sentence, Span

_CELL = re.compile(r"(?:\(([^()*\s]+))?\*(\))?")
_NONE = "-"
_SEGMENT = "# segment"
# Columns before those of arguments, and which of them has the lemmas; words, if there are any, stand in the first.
_LAYOUTS = ((2, 1), (3, 1), (1, 0))


def props_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The lines of a file, without their ends."""
    for number, sentence in enumerate(sentences, 1):
        frames = sentence.frames or ()
        size = len(sentence.words)
        lemmas = [_NONE] * size
        columns = []
        for frame in sorted(frames, key=lambda frame: frame.predicate):
            lemma = frame.lemma or "_"
            lemmas[frame.predicate] = f"\\{lemma}" if lemma == _NONE or lemma.startswith("\\") else lemma
            columns.append(_column(frame, size))
        yield f"{_SEGMENT} = {number}"
        yield from map("\t".join, zip(sentence.words, lemmas, *columns, strict=True))
        yield ""


def _column(frame: Frame, size: int) -> list[str]:
    opened, closed = [""] * size, [""] * size
    for span in (Span("V", frame.predicate, frame.predicate + 1), *frame.arguments):
        opened[span.start] = f"({span.label}"
        closed[span.end - 1] = ")"
    return [f"{before}*{after}" for before, after in zip(opened, closed, strict=True)]


def read_props(path: str) -> list[Block]:
    """The sentences of a file; InputError names the line of what is wrong."""
    rows: list[list[str]] = []
    blocks: list[Block] = []
    begun = 1
    said_empty = False
    for line, text in enumerate([*lines_of(path, "CoNLL-2005 roles"), ""], 1):
        if not text.strip():
            if rows or said_empty:
                blocks.append(_block(rows, path, begun))
            rows, said_empty = [], False
        elif text.startswith(_SEGMENT) and not rows:
            said_empty = True
        else:
            cells = text.split("\t") if "\t" in text else text.split()
            if not rows:
                begun = line
            elif len(cells) != len(rows[0]):
                raise error_at(path, line, f"{len(rows[0])} columns are wanted, as in line {begun}, found {len(cells)}")
            rows.append(cells)
    return blocks


def _block(rows: list[list[str]], path: str, line: int) -> Block:
    if not rows:
        return Block(Sentence((), frames=()), (line,), "")
    width = len(rows[0])
    for before, of_lemmas in _LAYOUTS:
        predicates = [place for place, row in enumerate(rows) if width >= before and row[of_lemmas] != _NONE]
        fits = len(predicates) == width - before and all("*" in cell for row in rows for cell in row[before:])
        if fits and all((cell == _NONE) == (row[of_lemmas] == _NONE) for row in rows for cell in row[2:before]):
            break
    else:
        for place, row in enumerate(rows):
            for cell in row[3:] or row[2:]:  # which are arguments in every layout that has words
                if "*" not in cell:
                    raise error_at(path, line + place, f'(A0*, *, *) or (A0*) is wanted, found "{cell}"')
        raise error_at(
            path,
            line,
            f"a word, a lemma or -, and a column of arguments for each lemma are wanted; {width} columns do not fit",
        )
    words = tuple(row[0].replace(" ", "_") for row in rows) if of_lemmas else ("",) * len(rows)
    frames = []
    for number, predicate in enumerate(predicates):
        lemma = rows[predicate][of_lemmas]
        arguments = _arguments([row[before + number] for row in rows], path, line)
        frames.append(Frame(predicate, lemma.removeprefix("\\"), arguments))
    lines = tuple(range(line, line + len(rows)))
    return Block(Sentence(words, frames=tuple(frames)), lines, comparable("".join(words)))


def _arguments(cells: list[str], path: str, line: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    label, start = "", 0
    for place, cell in enumerate(cells):
        found = _CELL.fullmatch(cell)
        if found is None:
            nested = cell.count("(") > 1 or cell.count(")") > 1
            why = "arguments of one predicate overlap" if nested else "(A0*, *, *) or (A0*) is wanted"
            raise error_at(path, line + place, f'{why}, found "{cell}"')
        if found[1]:
            if label:
                raise error_at(path, line + place, f"{found[1]} begins before {label} has ended: arguments overlap")
            label, start = found[1], place
        if found[2]:
            if not label:
                raise error_at(path, line + place, "an argument ends here that has not begun")
            if label not in ("V", "C-V"):
                spans.append(Span(_role(label), start, place + 1))
            label = ""
    if label:
        raise error_at(path, line + start, f"{label} begins here and does not end")
    return tuple(spans)


def _role(label: str) -> str:
    """The names of roles in CoNLL-2005: A0 for ARG0, AM-TMP for ARGM-TMP."""
    prefix = label[:2] if label[:2] in ("C-", "R-") else ""
    name = label.removeprefix(prefix)
    return f"{prefix}{name.replace('ARGM', 'AM', 1).replace('ARG', 'A', 1)}" if name.startswith("ARG") else label
