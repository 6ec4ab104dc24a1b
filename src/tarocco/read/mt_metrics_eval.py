"""The layout of mt-metrics-eval: a folder with the scores of people and of metrics, one file for each.

human-scores/LP.NAME.LEVEL.score and metric-scores/LP/NAME-REF.LEVEL.score hold lines of a system, a tab and a score,
None where it is missing; the lines of a system are its segments in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LEVELS = ("sys", "domain", "doc", "seg")


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


def score_file_name(path: str) -> ScoreFileName | None:
    """What a path below such a folder says, by its last parts; None where it is another kind of path."""
    file, folders = Path(path).name, Path(path).parts[:-1]
    levels = "|".join(LEVELS)
    if folders[-2:-1] == ("metric-scores",) and (found := re.fullmatch(rf"(.+)-([^-]+)\.({levels})\.score", file)):
        return ScoreFileName(folders[-1], found[1], found[3], found[2])
    if found := re.fullmatch(rf"([^.]+)\.(.+)\.({levels})\.score", file):
        return ScoreFileName(found[1], found[2], found[3])
    return None
