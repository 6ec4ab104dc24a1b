"""The folder layout of mt-metrics-eval: one file per human or metric score.

human-scores/LP.NAME.LEVEL.score and metric-scores/LP/NAME-REF.LEVEL.score have lines of a system, a tab and a score,
None if it is missing; the lines of a system are its segments (or documents) in order. Files of level "domain" have
another format and are ignored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.io.files import read_bytes
from tarocco.io.tables import index_rows, join_names, read_table, rows_by_system, suggest_names

LEVELS = ("sys", "doc", "seg")


@dataclass(frozen=True)
class ScoreFileName:
    """The parts of a file's name; human scores have no reference."""

    language_pair: str
    name: str
    level: str
    reference: str | None = None

    @property
    def place(self) -> str:
        """The path of the file in its folder."""
        if self.reference is None:
            return f"human-scores/{self.language_pair}.{self.name}.{self.level}.score"
        return f"metric-scores/{self.language_pair}/{self.name}-{self.reference}.{self.level}.score"


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The scores of a file, float64[systems, segments or documents], or float64[systems] at level "sys".

    `data` holds the bytes of the file, so that it can be written unchanged.
    """

    named: ScoreFileName
    systems: tuple[str, ...]
    scores: NDArray[np.float64]
    data: bytes


def read_score_file(path: str) -> ScoreFile:
    """Read one file of such a folder; InputError if its name or a line does not fit."""
    named = parse_score_path(path)
    if named is None:
        raise InputError(
            f"{path}: expected a name human-scores/LP.NAME.LEVEL.score or metric-scores/LP/NAME-REF.LEVEL.score, where "
            f"LEVEL is {', '.join(LEVELS)}, found another"
        )
    data = read_bytes(path, keep=True)
    table = read_table(path)
    systems = tuple(dict.fromkeys(table.cells("system")))
    if named.level == "sys":
        index_rows(table, {row: (name,) for row, name in enumerate(table.cells("system"))})
    rows = [row for rows_of_system in rows_by_system(table, systems, None).values() for row in rows_of_system]
    scores = np.array(list(table.numbers("score", rows)))
    if named.level != "sys":
        scores = scores.reshape(len(systems), -1)
    return ScoreFile(named, systems, scores, data)


def find_score_files(folder: str) -> Iterator[tuple[str, ScoreFileName]]:
    """Yield all score files of a folder with their names, human scores first."""
    for pattern in ("human-scores/*.score", "metric-scores/*/*.score"):
        for path in sorted(Path(folder).glob(pattern)):
            named = parse_score_path(str(path))
            if named is not None:
                yield str(path), named


def find_human_files(folder: str, language_pair: str, level: str) -> dict[str, str]:
    """Return the paths of the human scores of a language pair and level by the names of the scores."""
    human = [(path, named) for path, named in find_score_files(folder) if named.reference is None]
    paths = {named.name: path for path, named in human if (named.language_pair, named.level) == (language_pair, level)}
    if not paths:
        name = f"{language_pair}.{level}"
        known = dict.fromkeys(f"{named.language_pair}.{named.level}" for _, named in human)
        hint = suggest_names(name, known) if known else "there are no human scores"
        raise InputError(f"{folder}: expected human scores of {name} in human-scores, found none ({hint})")
    return paths


def refuse_folder(path: str) -> None:
    """Raise InputError if the path of human scores is a folder; the message lists its files of human scores."""
    if os.path.isdir(path):
        folder = Path(path).parent if Path(path).absolute().name == "human-scores" else path
        files = join_names(file for file, named in find_score_files(str(folder)) if named.reference is None)
        actual = f"a folder of mt-metrics-eval with {files}" if files else "a directory"
        raise InputError(f"{path}: expected a file of human scores, found {actual}")


def parse_score_path(path: str) -> ScoreFileName | None:
    """Return the parts of a path in such a folder, or None for another kind of path."""
    *folders, file = Path(path).absolute().parts
    levels = "|".join(LEVELS)
    if folders[-2:-1] == ["metric-scores"] and (match := re.fullmatch(rf"(.+)-([^-]+)\.({levels})\.score", file)):
        return ScoreFileName(folders[-1], match[1], match[3], match[2])
    if match := re.fullmatch(rf"([^.]+)\.(.+)\.({levels})\.score", file):
        return ScoreFileName(match[1], match[2], match[3])
    return None
