"""The bundled data.

>>> from tarocco import datasets
>>> demo = datasets.load("demo")
>>> len(demo.source), list(demo.systems)
(60, ['careful', 'middling', 'mirror', 'literal', 'brief', 'verbose'])

The README.md in each folder (`demo.path`) says how the data was made and what it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tarocco.core.errors import UnknownName

DATA = Path(__file__).parent / "data"
SYSTEMS = ("careful", "middling", "mirror", "literal", "brief", "verbose")
REFERENCES = ("ref1", "ref2", "ref3", "ref4")


@dataclass(frozen=True)
class Error:
    """One error in one output. For missing words, `words` are those of the first reference."""

    system: str
    segment: int  # its index, counted from 0; the file counts from 1
    kind: str  # missing, wrong, added, order or agreement
    severity: str  # minor or major
    words: str


@dataclass(frozen=True)
class Dataset:
    """Source, systems, references (one tuple per segment) and document labels; other data is read on first use."""

    name: str
    source: list[str]
    systems: dict[str, list[str]]
    references: list[tuple[str, ...]]
    documents: list[str]
    path: Path

    @cached_property
    def nbest(self) -> Mapping[int, tuple[str, ...]]:
        """The n-best lists, best candidate first, by the segment's index."""
        lists: dict[int, list[str]] = {}
        for line in lines(self.path / "nbest.txt"):
            index, text, _, _ = line.split(" ||| ")
            lists.setdefault(int(index), []).append(text)
        return {index: tuple(texts) for index, texts in lists.items()}

    @cached_property
    def grades(self) -> Mapping[str, list[tuple[int, int]]]:
        """(adequacy, fluency) of each segment, from 1 to 5, by system."""
        grades: dict[str, list[tuple[int, int]]] = {system: [] for system in self.systems}
        for system, _, adequacy, fluency in rows(self.path / "grades.tsv"):
            grades[system].append((int(adequacy), int(fluency)))
        return grades

    @cached_property
    def errors(self) -> tuple[Error, ...]:
        """The errors of the outputs, system by system, from which the grades are derived."""
        return tuple(
            Error(system, int(number) - 1, kind, severity, words)
            for system, number, kind, severity, words in rows(self.path / "errors.tsv")
        )


def names() -> tuple[str, ...]:
    """Return the names of the data sets."""
    return ("demo",)


def load(name: str = "demo") -> Dataset:
    """Load a bundled data set."""
    if name not in names():
        raise UnknownName(f'there is no data set "{name}"; there is {", ".join(names())}')
    folder = DATA / name
    return Dataset(
        name=name,
        source=lines(folder / "source.txt"),
        systems={system: lines(folder / f"{system}.txt") for system in SYSTEMS},
        references=list(zip(*(lines(folder / f"{stream}.txt") for stream in REFERENCES), strict=True)),
        documents=lines(folder / "documents.txt"),
        path=folder,
    )


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def rows(path: Path) -> list[list[str]]:
    """Return the rows of a tab-separated file, without its header."""
    return [line.split("\t") for line in lines(path)[1:]]
