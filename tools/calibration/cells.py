"""A row of the published table: what was claimed, and how often it held."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One simulated claim."""

    claim: str
    setting: str
    nominal: str
    observed: float
    runs: int

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the observed share."""
        return math.sqrt(max(self.observed * (1 - self.observed), 1 / max(1, self.runs)) / max(1, self.runs))

    def row(self) -> str:
        """Return the cell as a row of a Markdown table."""
        return (
            f"| {self.claim} | {self.setting} | {self.nominal} | {self.observed:.3f} | {self.error:.3f} | {self.runs} |"
        )
