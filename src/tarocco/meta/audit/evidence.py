"""What the checks of an audit have in common: what they look at, and what they find.

Every check asks for something that no metric should reward, and counts as a finding where this metric does, on these
outputs. Numbers are on the metric's own scale; what is compared between metrics is a share of an output's worth, which
is what its score has above the score of an empty output. "Better" follows the metric: for an error, lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.significance.paired_tests import PairedTest, compare_pairs
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.resampling import totals
from tarocco.scoring.results import Score

CHECKS = ("sign test", "mixing", "deletion", "trading", "straw men")
ROUNDING = 1e-12  # of the largest score: what differs by less is the same


@dataclass(frozen=True)
class Settings:
    """How an audit is made: what a result's signature repeats."""

    alpha: float  # of the sign tests
    share: float  # of the segments that is blanked
    n_draws: int
    n_resamples: int  # of the paired bootstrap
    seed: int
    jobs: int | None = None

    @property
    def test(self) -> PairedTest:
        return PairedTest("bootstrap", self.n_resamples, self.seed, self.alpha, self.jobs)


@dataclass(frozen=True)
class Finding:
    """One case in which a metric rewards what it should not.

    `size` is a share and says how strong the case is, `numbers` are those that show it, and `segments` (counted
    from 1) where. `p_value` is that of a paired bootstrap of the two outputs that the case compares: whether one scores
    higher by luck is another question than whether it should score higher at all.
    """

    metric: str
    check: str
    systems: tuple[str, ...]
    size: float
    numbers: dict[str, Any]
    segments: tuple[int, ...]
    p_value: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What a check says of a metric: findings, the strongest first, or why the check was not possible.

    `size` is what the check's column shows, as each check defines it; `numbers` say more, findings or not.
    """

    metric: str
    check: str
    size: float = 0.0
    numbers: dict[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    impossible: str | None = None

    @property
    def found(self) -> bool:
        """Whether there are findings."""
        return bool(self.findings)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The scores of the systems under one metric, and of outputs that nobody should send in.

    `empty` is the score of an output without words, None where the metric was computed elsewhere; `straw` are the straw
    men: (score, what it is, the system it was made of or None).
    """

    scores: tuple[Score, ...]
    empty: Score | None = None
    straw: tuple[tuple[Score, str, str | None], ...] = ()

    @property
    def metric(self) -> Metric:
        return self.scores[0].metric

    @property
    def name(self) -> str:
        return str(self.metric)

    @property
    def n_segments(self) -> int:
        return len(self.scores[0].statistics)

    @property
    def sign(self) -> float:
        return self.metric.sign

    def goodness(self, sums: Floats) -> Floats:
        """The score, negated for errors: higher is better."""
        found: Floats = self.sign * self.metric.score(sums)
        return found

    @cached_property
    def of_systems(self) -> Floats:
        return self.sign * np.array([score.score for score in self.scores])

    @cached_property
    def rows(self) -> Floats:
        """float64[segments, systems, k]"""
        return np.stack([score.statistics for score in self.scores], axis=1)

    @cached_property
    def sums(self) -> Floats:
        """float64[systems, k]"""
        return np.stack([score.sums for score in self.scores])

    @cached_property
    def small(self) -> float:
        """Differences up to this are rounding."""
        known = np.abs(self.of_systems[~np.isnan(self.of_systems)])
        return float(ROUNDING * known.max(initial=0.0))

    def worth(self, goodness: float) -> float:
        """What a score has above that of an empty output; its size, where empty outputs have no score."""
        if self.empty is None:
            return abs(goodness)
        return abs(goodness - self.sign * self.empty.score)

    def relative(self, change: float, goodness: float) -> float:
        """A change as a share of what the score is worth; 0 for one that is worth nothing."""
        worth = self.worth(goodness)
        return change / worth if worth > self.small else 0.0

    def made(self, name: str, rows: Floats) -> Score:
        """The score of an output that is made of others' segments."""
        sums = totals(rows)
        return replace(self.scores[0], system=name, statistics=rows, sums=sums, score=float(self.metric.score(sums)))


def p_values(pairs: Sequence[tuple[Score, Score]], settings: Settings) -> list[float]:
    """The paired bootstrap of each pair, all on the same resamples."""
    if not pairs:
        return []
    # Outputs that were made here may be called as a system is: numbers are names enough.
    number = {id(score): str(i) for i, score in enumerate(score for pair in pairs for score in pair)}
    named = [tuple(replace(score, system=number[id(score)]) for score in pair) for pair in pairs]
    return [one.p_value for one in compare_pairs([(one, other) for one, other in named], settings.test)]


def numbered(segments: NDArray[np.bool_]) -> tuple[int, ...]:
    """Which segments, counted from 1."""
    return tuple((np.flatnonzero(segments) + 1).tolist())
