"""Scores in the layout of mt-metrics-eval: what was read is written unchanged, what was computed in the same form."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import HumanScores
from tarocco.io.files import write_atomically
from tarocco.io.scores.mt_metrics_eval import ScoreFile, ScoreFileName


def score_file_of(named: ScoreFileName, systems: Sequence[str], scores: NDArray[np.float64]) -> ScoreFile:
    """A file of these scores, float64[systems, segments] or float64[systems], higher is better; NaN is None."""
    for part in (named.language_pair, named.name, named.reference or "", *systems):
        if re.search(r"[\s/]", part):
            raise InputError(f'mt-metrics-eval has no names with spaces or slashes, such as "{part}"')
    lines = [
        f"{system}\t{'None' if math.isnan(score) else repr(score)}\n"
        for system, own in zip(systems, scores.reshape(len(systems), -1).tolist(), strict=True)
        for score in own
    ]
    return ScoreFile(named, tuple(systems), scores, "".join(lines).encode())


def human_score_files(human: HumanScores, language_pair: str) -> list[ScoreFile]:
    """A file for each criterion; those that are better when lower are negated, as mt-metrics-eval wants it."""
    level = "sys" if human.level == "system" else "seg"
    return [
        score_file_of(ScoreFileName(language_pair, name, level), human.systems, human.higher_is_better(name))
        for name in human.criteria
    ]


def write_score_files(files: Iterable[ScoreFile], folder: str) -> list[str]:
    """Write files to their places below a folder, which is made where it is missing; their paths."""
    paths = []
    for file in files:
        path = Path(folder) / file.named.place
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: this directory could not be made: {error.strerror or error}") from None
        write_atomically(path, file.data)
        paths.append(str(path))
    return paths
