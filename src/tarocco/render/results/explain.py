"""Explanations of segment scores: the words of both sides with marks, and the counts of each type of element.

Marks are brackets and labels, which also work in a pipe; terminals add colors.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, TextIO

from tarocco.core.records import printable
from tarocco.explanation.records import Element, ExplainResult, Explanation, Tally
from tarocco.metrics.linguistic.base import ElementOverlap
from tarocco.render.results import Presentation, scale_note
from tarocco.render.results.score import number
from tarocco.render.tables import separated, write_details
from tarocco.render.tables import width as columns_of
from tarocco.render.terminal import bare, visible_line

SHOWN = 8  # elements of a type that are listed; the others are counted
WHOLE = 30  # columns: shorter elements are not wrapped
MOST_LABELS = 2  # of a word; more would be unreadable
SEEN = ("word", "match", "1-gram")  # types whose exact matches the marks show already
EDITS = ("shift", "substitution", "insertion", "deletion")
MATCHED, APART, LABEL, HEAD = "bold green", "yellow", "dim", "bold"


@dataclass(frozen=True)
class WordRun:
    """Neighboring words with the same mark: matched, counted but not matched, or none."""

    words: tuple[str, ...]
    matched: bool
    label: str = ""  # the type of the words for linguistic metrics: NP, A1
    hows: tuple[str, ...] = ()  # how each word matches; empty for an exact match


def word_runs(words: Sequence[str], elements: Iterable[Element], side: str, labeled: bool) -> list[WordRun]:
    """Return a text in runs of words with the same mark; `side` is candidate or reference.

    With labels, neighbors of one type form a run; without, words that match neighbors on the other side.
    """
    other = "reference" if side == "candidate" else "candidate"
    kinds: list[dict[str, bool]] = [{} for _ in words]  # the types of each word, and whether they match
    hows = [""] * len(words)
    links: list[set[tuple[int, int]]] = [set() for _ in words]  # for each word: the reference and the place there
    for element in elements:
        places = getattr(element, side)
        if element.above or element.type in EDITS:
            continue
        for at, place in enumerate(places):
            kinds[place][element.type] = kinds[place].get(element.type, False) or element.matched
            hows[place] = hows[place] if element.how in ("", "exact") else element.how
            if element.matched:
                links[place].add((element.of, getattr(element, other)[at]))
    labeled = labeled and all(len(types) <= MOST_LABELS for types in kinds)
    runs: list[WordRun] = []
    for place, word in enumerate(words):
        matched = any(kinds[place].values())
        label = ",".join(kind for kind, same in kinds[place].items() if same == matched) if labeled else ""
        here = WordRun((word,), matched, label, (hows[place] if matched else "",))
        joined = labeled or not matched or any((of, at - 1) in links[place - 1] for of, at in links[place])
        if runs and joined and (runs[-1].matched, runs[-1].label) == (matched, label):
            last = runs.pop()
            here = WordRun(last.words + here.words, matched, label, last.hows + here.hows)
        runs.append(here)
    return runs


# --- lines -----------------------------------------------------------------------------------------------------------


class StyledText(NamedTuple):
    """Text in one style that is not wrapped."""

    text: str
    style: str = ""


def _marked(runs: Iterable[WordRun]) -> Iterator[StyledText]:
    """Yield words with their marks: [matched]NP, (not matched)NP, [the cars~stem], [shifted words]~shifted."""
    for run in runs:
        opened, closed, style = "", printable(run.label), ""
        if run.matched:
            opened, closed, style = "[", "]" + closed, MATCHED
        elif run.label:
            opened, closed, style = "(", ")" + closed, APART
        hows = [f"~{how}" if how else "" for how in run.hows]
        if len(set(hows)) == 1:  # written once
            closed, hows = closed + hows[0], [""] * len(hows)
        last = len(run.words) - 1
        for place, (word, how) in enumerate(zip(run.words, hows, strict=True)):
            yield StyledText(f"{opened * (place == 0)}{printable(word)}{how}{closed * (place == last)}", style)


def _plain(text: str, style: str = "") -> list[StyledText]:
    return [StyledText(word, style) for word in text.split(" ")]


class WrappedLines:
    """Lines of styled text that fit a width; longer ones are wrapped and indented."""

    def __init__(self, columns: int) -> None:
        self._columns = max(columns, 40)
        self.lines: list[list[StyledText]] = []

    def blank(self) -> None:
        self.lines.append([])

    def add(self, head: str, pieces: Iterable[StyledText], indent: int = 0, style: str = "") -> None:
        """Add a line that begins with `head`; wrapped lines are indented by its width."""
        start = " " * indent + head + "  " * bool(head)
        within = min(columns_of(start), self._columns // 2)
        line, used, empty = [StyledText(start, style)], columns_of(start), not head
        for piece in self._fitting(pieces, self._columns - within):
            space = not empty and len(line) > 1
            if not empty and used + space + columns_of(piece.text) > self._columns:
                self.lines.append(line)
                line, used, space = [StyledText(" " * within)], within, False
            line += [StyledText(" "), piece] if space else [piece]
            used += space + columns_of(piece.text)
            empty = False
        self.lines.append(line)

    @staticmethod
    def _fitting(pieces: Iterable[StyledText], room: int) -> Iterator[StyledText]:
        """Yield pieces, or their words if there is no room for the whole."""
        for piece in pieces:
            if columns_of(piece.text) <= room:
                yield piece
            else:
                yield from (StyledText(word, piece.style) for word in piece.text.split(" "))

    def write(self, out: TextIO) -> None:
        """Write the lines, on a terminal with styles; Rich handles NO_COLOR."""
        if not out.isatty():
            out.writelines(visible_line("".join(piece.text for piece in line).rstrip()) + "\n" for line in self.lines)
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(file=bare(out), highlight=False, soft_wrap=True)
        for line in self.lines:
            console.print(Text.assemble(*((visible_line(piece.text), piece.style) for piece in line)))


# --- explanations ----------------------------------------------------------------------------------------------------


def present_explanations(
    result: ExplainResult, digits: int | None = None, verbose: bool = False, all_references: bool = False
) -> Presentation:
    """Present explanations; with `verbose`, all elements that match."""
    scaled = (str(explanation.metric) for explanation in result if explanation.metric.scale != 1)
    footnotes = [*legend(result), *dict.fromkeys(explanation.signature for explanation in result), *scale_note(scaled)]
    return Presentation(
        "explain",
        {"all_references": all_references, "chosen_by": result.why or None},
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        lambda _form, out: write_explanations(result, footnotes, out, digits, verbose),
        notes=[result.why] if result.why else [],
    )


def write_explanations(
    result: ExplainResult, notes: Sequence[str], out: TextIO, digits: int | None = None, all_elements: bool = False
) -> None:
    """Write explanations by segment and system, with notes below."""
    lines = WrappedLines(shutil.get_terminal_size().columns)
    for (segment, system), together in groupby(result, lambda explanation: (explanation.segment, explanation.system)):
        lines.add("", _plain(f"segment {segment}, {printable(system)}", HEAD))
        for explanation in together:
            lines.blank()
            _write(explanation, lines, digits, None if all_elements else SHOWN)
        lines.blank()
    for note in notes:
        lines.add("", _plain(note))
    lines.write(out)


def _write(explanation: Explanation, lines: WrappedLines, digits: int | None, most: int | None) -> None:
    about = f"{_against(explanation)}{f': {write_details(explanation.details)}' if explanation.details else ''}"
    lines.add(f"{explanation.metric} {number(explanation.score, explanation, digits)}", _plain(about), style=HEAD)
    if explanation.note:
        lines.add("", _plain(f"{explanation.note}."), indent=2)
        return
    labeled = isinstance(explanation.metric, ElementOverlap)
    heads = ["candidate", *(f"reference {reference.number}" for reference in explanation.references)]
    wide = max(map(len, heads))
    lines.add(
        heads[0].ljust(wide),
        _marked(word_runs(explanation.candidate, explanation.elements, "candidate", labeled)),
        indent=2,
    )
    for place, (head, reference) in enumerate(zip(heads[1:], explanation.references, strict=True)):
        elements = [element for element in explanation.elements if element.of == place]
        lines.add(head.ljust(wide), _marked(word_runs(reference.words, elements, "reference", labeled)), indent=2)
    _write_types(explanation, lines, most)


def _against(explanation: Explanation) -> str:
    numbers = ", ".join(str(reference.number) for reference in explanation.references)
    if len(explanation.references) > 1:
        return f"with references {numbers} together"
    return f"with reference {numbers}{'' if explanation.chosen else ', not the chosen one'}"


def _write_types(explanation: Explanation, lines: WrappedLines, most: int | None) -> None:
    """Write the counts of each type of element, and the elements that match, or the edits."""
    if not explanation.elements:
        return
    single = len(explanation.references) == 1
    header = ("type", "both", "candidate", *(["reference"] if single else []))
    rows = [(tally, _counts(tally, single)) for tally in explanation.tallies]
    widths = [max(map(columns_of, column)) for column in zip(header, *(cells for _, cells in rows), strict=True)]

    def line(cells: Sequence[str]) -> str:
        first = cells[0] + " " * (widths[0] - columns_of(cells[0]))
        return "  ".join([first, *(cell.rjust(wide) for cell, wide in zip(cells[1:], widths[1:], strict=True))])

    lines.add(line(header), [], indent=2, style=LABEL)
    for tally, cells in rows:
        lines.add(line(cells), _listed(explanation, tally, most), indent=2)


def _counts(tally: Tally, single: bool) -> tuple[str, ...]:
    counts = (tally.matched, tally.candidate, *([tally.reference] if single else []))
    edit = tally.type in EDITS
    return printable(tally.type), *("" if edit and not count else str(count) for count in counts)


def _listed(explanation: Explanation, tally: Tally, most: int | None) -> Iterator[StyledText]:
    elements = [element for element in explanation.elements if element.type == tally.type]
    if tally.type in SEEN:
        elements = [element for element in elements if element.how not in ("", "exact", "shifted")]
    texts = Counter(element.text for element in elements if element.matched or tally.type in EDITS)
    shown = list(texts.items())[:most]
    for place, (text, count) in enumerate(shown):
        if place:
            yield StyledText("|", LABEL)
        times = f" ({count} times)" if count > 1 else ""
        text = printable(text) + times
        yield from [StyledText(text)] if columns_of(text) <= WHOLE else _plain(text)
    left = sum(texts.values()) - sum(count for _, count in shown)
    if left:
        yield from _plain(f"| and {left} more", LABEL)


def legend(result: ExplainResult) -> list[str]:
    """Return the meanings of the marks in these explanations."""
    explained = [explanation for explanation in result if explanation.elements]
    lines = ["[ ]: on both sides"] if explained else []
    if any(isinstance(explanation.metric, ElementOverlap) for explanation in explained):
        lines[-1] += "; ( ): without a match; the type follows"
    if any(element.how not in ("", "exact") for explanation in explained for element in explanation.elements):
        lines[-1] += "; ~: how a word matches"
    return lines
