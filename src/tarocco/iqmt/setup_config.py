"""IQsetup.config: which files and metrics a test bed is made of.

NAME=MT_DUMMY_TESTSET
source=source_file.txt
ref=reference_file.txt.1
system=system_output_file.txt.1
doBLEU BLEU-3 BLEU-4
doGTM
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tarocco.errors import InputError
from tarocco.iqmt.names import FAMILIES, member
from tarocco.model import Segments
from tarocco.read.bytes_of import STANDARD_INPUT, bytes_of
from tarocco.read.lines import check_utf8, read_lines
from tarocco.read.tables import near

_KEYS = ("NAME", "IQMT", "source", "ref", "system")
Read = TypeVar("Read")


@dataclass(frozen=True)
class Text:
    """A file of a test bed and what is in it."""

    path: str
    segments: Segments = field(repr=False, compare=False)


@dataclass(frozen=True)
class Setup:
    """What IQsetup.config says, and the texts that it names."""

    path: str
    name: str
    source: str | None
    references: tuple[Text, ...]
    systems: tuple[Text, ...]
    metrics: dict[str, tuple[str, ...]]  # by family


def lines_of(path: str) -> list[str]:
    """The lines of a configuration file."""
    data = bytes_of(path)
    check_utf8(data, path)
    if b"\0" in data:
        raise InputError(f"{path}, line {data[: data.index(0)].count(10) + 1}: text is wanted, found a byte of zero")
    return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def refuse(path: str, mistakes: list[str]) -> None:
    """Raise InputError with all mistakes of a file, if there are any."""
    if mistakes:
        found = [f"{path} has {len(mistakes)} mistakes:"] * (len(mistakes) > 1) + mistakes
        raise InputError("\n  ".join(found))


def read_setup(path: str) -> Setup:
    """Read IQsetup.config and the texts it names; InputError tells every mistake, with its line."""
    reading = _Reading(path)
    for number, line in enumerate(lines_of(path), start=1):
        reading.line = number
        if line.strip() and not line.lstrip().startswith("#"):
            reading.take(line.strip())
    return reading.setup()


class _Reading:
    """One file being read: its mistakes are collected, and told together."""

    def __init__(self, path: str) -> None:
        self.path, self.line = path, 0
        self.mistakes: list[str] = []
        self.name: str | None = None
        self.texts: dict[str, list[Text]] = {"source": [], "ref": [], "system": []}
        self.metrics: dict[str, list[str]] = {}
        self.first: Text | None = None  # whose number of lines all others must have

    def wrong(self, sentence: str) -> None:
        self.mistakes.append(f"{self.path}, line {self.line}: {sentence}")

    def take(self, line: str) -> None:
        key, equals, value = (part.strip() for part in line.partition("="))
        asked = re.match(r"do(\S+)", line)
        if asked:
            self.take_metrics(asked[1], line.split()[1:])
        elif not equals or key not in _KEYS:
            hint = near(key.split()[0] if key else "", [*_KEYS, *(f"do{family}" for family in FAMILIES)])
            self.wrong(f'KEY=VALUE or doFAMILY is wanted, found "{_short(line)}" ({hint})')
        elif not value and key != "IQMT":
            self.wrong(f"nothing stands behind {key}=")
        elif key == "NAME":
            self.name = value
        elif key != "IQMT":  # where the old programs were
            self.take_file(key, value)

    def take_metrics(self, family: str, names: list[str]) -> None:
        if family not in FAMILIES:
            self.wrong(f'there is no "do{_short(family)}" ({near(f"do{family}", [f"do{one}" for one in FAMILIES])})')
            return
        asked = self.metrics.setdefault(family, [])
        for name in names or FAMILIES[family]:
            found = self.tried(lambda name=name: member(family, name))  # type: ignore[misc]
            if found is not None and found not in asked:
                asked.append(found)

    def take_file(self, key: str, value: str) -> None:
        if key == "source" and self.texts["source"]:
            self.wrong(f"a test bed has one source, and {self.texts['source'][0].path} is it already")
            return
        text = self.tried(lambda: read_text(value, self.path))
        if text is None:
            return
        if self.first is not None and len(text.segments) != len(self.first.segments):
            self.wrong(
                f"{text.path} has {len(text.segments)} lines, {self.first.path} has {len(self.first.segments)}; "
                "all files must have the same number"
            )
            return
        self.first = self.first or text
        self.texts[key].append(text)

    def tried(self, function: Callable[[], Read]) -> Read | None:
        """What a function returns; what it raises is a mistake."""
        try:
            return function()
        except InputError as error:
            self.wrong(str(error))
            return None

    def setup(self) -> Setup:
        if not self.mistakes:
            for key, what in (("ref", "references, such as ref=FILE"), ("system", "systems, such as system=FILE")):
                if not self.texts[key]:
                    self.mistakes.append(f"{self.path}: there are no {what}")
            if not self.metrics:
                self.mistakes.append(f"{self.path}: no metrics are asked for, such as doBLEU")
        refuse(self.path, self.mistakes)
        return Setup(
            self.path,
            self.name or Path(self.path).stem,
            self.texts["source"][0].path if self.texts["source"] else None,
            tuple(self.texts["ref"]),
            tuple(self.texts["system"]),
            {family: tuple(names) for family, names in self.metrics.items()},
        )


def read_text(path: str, config: str) -> Text:
    """A text that a configuration names: from where the program runs, as in IQmt, or else from beside the file."""
    if path == STANDARD_INPUT:
        raise InputError("a file is wanted, and not standard input")
    beside = Path(config).parent / path
    chosen = str(beside) if not os.path.exists(path) and os.path.exists(beside) else path
    return Text(chosen, read_lines(chosen))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
