"""The layout of mt-metrics-eval: a folder with the scores of people and of metrics, one file for each.

human-scores/LP.NAME.LEVEL.score and metric-scores/LP/NAME-REF.LEVEL.score hold lines of a system, a tab and a score,
None where it is missing; the lines of a system are its segments (or documents) in order. Files of level "domain" have
another form, and are left alone.
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
from tarocco.io.files import bytes_of
from tarocco.io.scores.external import ExternalFile, listed, rows_in_order, wanted_once
from tarocco.io.tables import near, read_table

LEVELS = ("sys", "doc", "seg")


@dataclass(frozen=True)
class ScoreFileName:
    """What the name of a file says; scores of people have no reference."""

    language_pair: str
    name: str
    level: str
    reference: str | None = None

    @property
    def place(self) -> str:
        """Where the file stands in its folder."""
        if self.reference is None:
            return f"human-scores/{self.language_pair}.{self.name}.{self.level}.score"
        return f"metric-scores/{self.language_pair}/{self.name}-{self.reference}.{self.level}.score"


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """A file with its scores, float64[systems, segments or documents], or float64[systems] at level "sys".

    `data` is what the file holds, byte for byte, so that it can be written unchanged.
    """

    named: ScoreFileName
    systems: tuple[str, ...]
    scores: NDArray[np.float64]
    data: bytes


def read_score_file(path: str) -> ScoreFile:
    """One file of such a folder; InputError where its name or a line says something else."""
    named = score_file_name(path)
    if named is None:
        raise InputError(
            f"{path}: files of mt-metrics-eval are called human-scores/LP.NAME.LEVEL.score or "
            f"metric-scores/LP/NAME-REF.LEVEL.score, where LEVEL is {', '.join(LEVELS)}"
        )
    table = read_table(path)
    systems = tuple(dict.fromkeys(table.cells("system")))
    if named.level == "sys":
        wanted_once(table, {row: (name,) for row, name in enumerate(table.cells("system"))})
    rows = [row for own in rows_in_order(table, systems, None).values() for row in own]
    scores = np.array(list(table.numbers("score", rows)))
    if named.level != "sys":
        scores = scores.reshape(len(systems), -1)
    return ScoreFile(named, systems, scores, bytes_of(path))


def score_paths(folder: str) -> Iterator[tuple[str, ScoreFileName]]:
    """All files of scores below a folder, those of people first."""
    for pattern in ("human-scores/*.score", "metric-scores/*/*.score"):
        for path in sorted(Path(folder).glob(pattern)):
            named = score_file_name(str(path))
            if named is not None:
                yield str(path), named


def human_paths(folder: str, language_pair: str, level: str) -> dict[str, str]:
    """The files of human scores of a language pair and level, by the names of the scores."""
    people = [(path, named) for path, named in score_paths(folder) if named.reference is None]
    found = {named.name: path for path, named in people if (named.language_pair, named.level) == (language_pair, level)}
    if not found:
        wanted = f"{language_pair}.{level}"
        there = dict.fromkeys(f"{named.language_pair}.{named.level}" for _, named in people)
        others = near(wanted, there) if there else "there are none at all"
        raise InputError(f"{folder}: there are no human scores of {wanted} in human-scores ({others})")
    return found


def refuse_folder(folder: str) -> None:
    """InputError where a path is a folder, in place of a file of human scores; it names those that are in it."""
    if os.path.isdir(folder):
        inside = Path(folder).parent if Path(folder).absolute().name == "human-scores" else folder
        there = listed(path for path, named in score_paths(str(inside)) if named.reference is None)
        found = f": this is a folder of mt-metrics-eval, with {there}" if there else ""
        raise InputError(f"{folder}: a file of human scores is wanted, not a directory{found}")


def metric_files(folder: str, language_pair: str, level: str) -> list[ExternalFile]:
    """The metrics of a language pair and level, each called NAME-REF, as scores that were made elsewhere."""
    return [
        ExternalFile(f"{named.name}-{named.reference}", path)
        for path, named in score_paths(folder)
        if named.reference is not None and (named.language_pair, named.level) == (language_pair, level)
    ]


def score_file_name(path: str) -> ScoreFileName | None:
    """What a path below such a folder says, by its last parts; None where it is another kind of path."""
    *folders, file = Path(path).absolute().parts
    levels = "|".join(LEVELS)
    if folders[-2:-1] == ["metric-scores"] and (found := re.fullmatch(rf"(.+)-([^-]+)\.({levels})\.score", file)):
        return ScoreFileName(folders[-1], found[1], found[3], found[2])
    if found := re.fullmatch(rf"([^.]+)\.(.+)\.({levels})\.score", file):
        return ScoreFileName(found[1], found[2], found[3])
    return None
