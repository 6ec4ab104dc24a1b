"""Explanations as text: the words of both sides with marks, and what the metric counts, type by type.

Marks are brackets and labels, so that they are there in a pipe, too; on a terminal colors help.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, TextIO

from tarocco.explanation.records import Element, ExplainResult, Explanation, Tally
from tarocco.metrics.linguistic.base import ElementOverlap
from tarocco.render.results.score import number
from tarocco.render.tables import told
from tarocco.render.tables import width as columns_of
from tarocco.render.terminal import bare, visible_line

SHOWN = 8  # elements of a type in a line; the others are counted
WHOLE = 30  # columns: what is not longer is not cut at the end of a line
MOST_LABELS = 2  # of a word, that can still be read
SEEN = ("word", "match", "1-gram")  # words that the marks show already, unless they match in some other way
EDITS = ("shift", "substitution", "insertion", "deletion")
MATCHED, APART, LABEL, HEAD = "bold green", "yellow", "dim", "bold"


@dataclass(frozen=True)
class Stretch:
    """Neighboring words that are marked alike: matched, not matched though counted, or nothing."""

    words: tuple[str, ...]
    matched: bool
    label: str = ""  # what the words are, if the metric goes by that: NP, A1
    hows: tuple[str, ...] = ()  # of each word, how it matches; empty where it is the same word


def stretches(words: Sequence[str], elements: Iterable[Element], side: str, labeled: bool) -> list[Stretch]:
    """A text cut where its marks change; `side` is candidate or reference.

    With labels, neighbors of the same type stay together; without, words that match neighbors of the other side.
    """
    other = "reference" if side == "candidate" else "candidate"
    kinds: list[dict[str, bool]] = [{} for _ in words]  # of each word: its types, and whether they match
    hows = [""] * len(words)
    links: list[set[tuple[int, int]]] = [set() for _ in words]  # of each word: which reference, where on the other side
    for one in elements:
        places = getattr(one, side)
        if one.above or one.type in EDITS:
            continue
        for at, place in enumerate(places):
            kinds[place][one.type] = kinds[place].get(one.type, False) or one.matched
            hows[place] = hows[place] if one.how in ("", "exact") else one.how
            if one.matched:
                links[place].add((one.of, getattr(one, other)[at]))
    labeled = labeled and all(len(own) <= MOST_LABELS for own in kinds)
    found: list[Stretch] = []
    for place, word in enumerate(words):
        matched = any(kinds[place].values())
        label = ",".join(kind for kind, same in kinds[place].items() if same == matched) if labeled else ""
        here = Stretch((word,), matched, label, (hows[place] if matched else "",))
        joined = labeled or not matched or any((of, at - 1) in links[place - 1] for of, at in links[place])
        if found and joined and (found[-1].matched, found[-1].label) == (matched, label):
            last = found.pop()
            here = Stretch(last.words + here.words, matched, label, last.hows + here.hows)
        found.append(here)
    return found


# --- lines ---------------------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """Text in one style that is not cut at the end of a line."""

    text: str
    style: str = ""


def visible(text: str) -> str:
    """Text as it is, but for characters that a terminal would act upon: they are shown as escapes."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


def _marked(found: Iterable[Stretch]) -> Iterator[Piece]:
    """Words with their marks: [matched]NP, (not matched)NP, [the cars~stem], [shifted words]~shifted."""
    for stretch in found:
        opened, closed, style = "", visible(stretch.label), ""
        if stretch.matched:
            opened, closed, style = "[", "]" + closed, MATCHED
        elif stretch.label:
            opened, closed, style = "(", ")" + closed, APART
        hows = [f"~{how}" if how else "" for how in stretch.hows]
        if len(set(hows)) == 1:  # said once
            closed, hows = closed + hows[0], [""] * len(hows)
        last = len(stretch.words) - 1
        for place, (word, how) in enumerate(zip(stretch.words, hows, strict=True)):
            yield Piece(f"{opened * (place == 0)}{visible(word)}{how}{closed * (place == last)}", style)


def _plain(text: str, style: str = "") -> list[Piece]:
    return [Piece(word, style) for word in text.split(" ")]


class Lines:
    """Lines of pieces that fit a width; what does not fit goes on below, further in."""

    def __init__(self, columns: int) -> None:
        self._columns = max(columns, 40)
        self.lines: list[list[Piece]] = []

    def blank(self) -> None:
        self.lines.append([])

    def add(self, head: str, pieces: Iterable[Piece], indent: int = 0, style: str = "") -> None:
        """A line that begins with `head`; further lines begin below what comes after it."""
        start = " " * indent + head + "  " * bool(head)
        within = min(columns_of(start), self._columns // 2)
        line, used, empty = [Piece(start, style)], columns_of(start), not head
        for piece in self._fitting(pieces, self._columns - within):
            space = not empty and len(line) > 1
            if not empty and used + space + columns_of(piece.text) > self._columns:
                self.lines.append(line)
                line, used, space = [Piece(" " * within)], within, False
            line += [Piece(" "), piece] if space else [piece]
            used += space + columns_of(piece.text)
            empty = False
        self.lines.append(line)

    @staticmethod
    def _fitting(pieces: Iterable[Piece], room: int) -> Iterator[Piece]:
        """Pieces as they are, or their words, where there is no room for the whole."""
        for piece in pieces:
            if columns_of(piece.text) <= room:
                yield piece
            else:
                yield from (Piece(word, piece.style) for word in piece.text.split(" "))

    def write(self, out: TextIO) -> None:
        """On a terminal with styles; Rich sees to NO_COLOR and to terminals that have none."""
        if not out.isatty():
            out.writelines(visible_line("".join(piece.text for piece in line).rstrip()) + "\n" for line in self.lines)
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(file=bare(out), highlight=False, soft_wrap=True)
        for line in self.lines:
            console.print(Text.assemble(*((visible_line(piece.text), piece.style) for piece in line)))


# --- explanations --------------------------------------------------------------------------------------------------


def write_explanations(
    result: ExplainResult, notes: Sequence[str], out: TextIO, digits: int | None = None, all_elements: bool = False
) -> None:
    """Segment by segment and system by system: what each metric sees; notes are below."""
    lines = Lines(shutil.get_terminal_size().columns)
    for (segment, system), together in groupby(result, lambda one: (one.segment, one.system)):
        lines.add("", _plain(f"segment {segment}, {visible(system)}", HEAD))
        for one in together:
            lines.blank()
            _write(one, lines, digits, None if all_elements else SHOWN)
        lines.blank()
    for note in notes:
        lines.add("", _plain(note))
    lines.write(out)


def _write(one: Explanation, lines: Lines, digits: int | None, most: int | None) -> None:
    about = f"{_against(one)}{f': {told(one.details)}' if one.details else ''}"
    lines.add(f"{one.metric} {number(one.score, one, digits)}", _plain(about), style=HEAD)
    if one.note:
        lines.add("", _plain(f"{one.note}."), indent=2)
        return
    labeled = isinstance(one.metric, ElementOverlap)
    heads = ["candidate", *(f"reference {reference.number}" for reference in one.references)]
    wide = max(map(len, heads))
    lines.add(heads[0].ljust(wide), _marked(stretches(one.candidate, one.elements, "candidate", labeled)), indent=2)
    for place, (head, reference) in enumerate(zip(heads[1:], one.references, strict=True)):
        own = [element for element in one.elements if element.of == place]
        lines.add(head.ljust(wide), _marked(stretches(reference.words, own, "reference", labeled)), indent=2)
    _write_types(one, lines, most)


def _against(one: Explanation) -> str:
    numbers = ", ".join(str(reference.number) for reference in one.references)
    if len(one.references) > 1:
        return f"with references {numbers} together"
    return f"with reference {numbers}{'' if one.chosen else ', which was not chosen'}"


def _write_types(one: Explanation, lines: Lines, most: int | None) -> None:
    """How much of each type there is, and what matches; of edits, what they are."""
    if not one.elements:
        return
    single = len(one.references) == 1
    header = ("type", "both", "candidate", *(["reference"] if single else []))
    rows = [(tally, _counts(tally, single)) for tally in one.tallies]
    widths = [max(map(columns_of, column)) for column in zip(header, *(cells for _, cells in rows), strict=True)]

    def line(cells: Sequence[str]) -> str:
        first = cells[0] + " " * (widths[0] - columns_of(cells[0]))
        return "  ".join([first, *(cell.rjust(wide) for cell, wide in zip(cells[1:], widths[1:], strict=True))])

    lines.add(line(header), [], indent=2, style=LABEL)
    for tally, cells in rows:
        lines.add(line(cells), _listed(one, tally, most), indent=2)


def _counts(tally: Tally, single: bool) -> tuple[str, ...]:
    counts = (tally.matched, tally.candidate, *([tally.reference] if single else []))
    edit = tally.type in EDITS
    return visible(tally.type), *("" if edit and not count else str(count) for count in counts)


def _listed(one: Explanation, tally: Tally, most: int | None) -> Iterator[Piece]:
    own = [element for element in one.elements if element.type == tally.type]
    if tally.type in SEEN:
        own = [element for element in own if element.how not in ("", "exact", "shifted")]
    texts = Counter(element.text for element in own if element.matched or tally.type in EDITS)
    shown = list(texts.items())[:most]
    for place, (text, count) in enumerate(shown):
        if place:
            yield Piece("|", LABEL)
        times = f" ({count} times)" if count > 1 else ""
        text = visible(text) + times
        yield from [Piece(text)] if columns_of(text) <= WHOLE else _plain(text)
    left = sum(texts.values()) - sum(count for _, count in shown)
    if left:
        yield from _plain(f"| and {left} more", LABEL)


def legend(result: ExplainResult) -> list[str]:
    """What the marks mean that these explanations have."""
    explained = [one for one in result if one.elements]
    lines = ["[ ]: what both sides have"] if explained else []
    if any(isinstance(one.metric, ElementOverlap) for one in explained):
        lines[-1] += "; ( ): what has no match; behind them the type"
    if any(element.how not in ("", "exact") for one in explained for element in one.elements):
        lines[-1] += "; ~: how a word matches"
    return lines
