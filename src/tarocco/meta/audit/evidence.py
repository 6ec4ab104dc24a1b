"""The input and the output of the checks of an audit.

Every check looks for something that no metric should reward; a case in which a metric rewards it is a finding. Scores
are on the metric's own scale. What is compared between metrics is relative to the worth of an output: the difference
between its score and that of an empty output. For an error metric, lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.meta.significance.paired_tests import PairedTest, compare_pairs
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.resampling import check_resampling, sum_rows
from tarocco.scoring.results import Score
from tarocco.scoring.settings import N_RESAMPLES, SEED

CHECKS = ("sign test", "mixing", "deletion", "trading", "straw men")
ROUNDING = 1e-12  # of the largest score: smaller differences are rounding


@dataclass(frozen=True)
class AuditSettings:
    """The options of an audit.

    alpha
        The significance level of the sign tests.
    share
        The share of the segments that is blanked.
    n_draws, seed
        The number of draws of segments to blank, and of halves to exchange, and the seed.
    n_resamples
        The number of resamples of the paired bootstrap.
    """

    alpha: float = 0.05
    share: float = 0.1
    n_draws: int = 100
    n_resamples: int = N_RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        for name in ("alpha", "share"):
            value: object = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) < 1):
                raise BadParameter(f"{name} is a number between 0 and 1, not {value!r}")
        if not (isinstance(self.n_draws, Integral) and self.n_draws >= 1):
            raise BadParameter(f"n_draws is an integer of at least 1, not {self.n_draws!r}")
        check_resampling(0.95, self.n_resamples, self.seed)


@dataclass(frozen=True)
class AuditFinding:
    """One case in which a metric rewards what it should not.

    `size` is a share and says how strong the case is, `numbers` show it, and `segments` (counted from 1) say where it
    occurs. `p_value` belongs to a paired bootstrap test of the two outputs that the case compares: whether a difference
    is significant is a different question from whether it should exist at all.
    """

    metric: str
    check: str
    systems: tuple[str, ...]
    size: float
    numbers: dict[str, Any]
    segments: tuple[int, ...]
    p_value: float | None = None


@dataclass(frozen=True)
class CheckResult:
    """The result of a check for a metric: its findings, the strongest first, or why the check was not possible.

    `size` is the number that the check's column shows; `numbers` have details, with or without findings.
    """

    metric: str
    check: str
    size: float = 0.0
    numbers: dict[str, Any] = field(default_factory=dict)
    findings: tuple[AuditFinding, ...] = ()
    impossible: str | None = None

    @property
    def gamed(self) -> bool:
        """Whether the metric can be gamed: whether there are findings."""
        return bool(self.findings)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The scores of the systems under one metric, and of outputs that no metric should prefer.

    `empty` is the score of an output without words, None for external scores. `straw` are the straw men: (score, what
    it is, the system it was made of or None).
    """

    scores: tuple[Score, ...]
    empty: Score | None = None
    straw: tuple[tuple[Score, str, str | None], ...] = ()
    jobs: int | None = None

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
        """Return the score of sums, negated for errors, so that higher is better."""
        goodness: Floats = self.sign * self.metric.score(sums)
        return goodness

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
        """The largest difference that is rounding."""
        known = np.abs(self.of_systems[~np.isnan(self.of_systems)])
        return float(ROUNDING * known.max(initial=0.0))

    def worth(self, goodness: float) -> float:
        """Return the distance from the score of an empty output, or from 0 if empty outputs have no score."""
        if self.empty is None:
            return abs(goodness)
        return abs(goodness - self.sign * self.empty.score)

    def relative(self, change: float, goodness: float) -> float:
        """Return a change as a share of the worth of a score; 0 for a score that is worth nothing."""
        worth = self.worth(goodness)
        return change / worth if worth > self.small else 0.0

    def made(self, name: str, rows: Floats) -> Score:
        """Return the score of an output that consists of other outputs' segments."""
        sums = sum_rows(rows)
        return replace(self.scores[0], system=name, statistics=rows, sums=sums, score=float(self.metric.score(sums)))

    def p_values(self, pairs: Sequence[tuple[Score, Score]], settings: AuditSettings) -> list[float]:
        """Return the p-value of the paired bootstrap for each pair, all on the same resamples."""
        if not pairs:
            return []
        # An output that was made here may have the name of a system, so outputs are numbered.
        number = {id(score): str(i) for i, score in enumerate(score for pair in pairs for score in pair)}
        renamed = [
            (replace(first, system=number[id(first)]), replace(second, system=number[id(second)]))
            for first, second in pairs
        ]
        test = PairedTest("bootstrap", settings.n_resamples, settings.seed, settings.alpha, self.jobs)
        return [difference.p_value for difference in compare_pairs(renamed, test)]


def segment_numbers(segments: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the numbers of the marked segments, counted from 1."""
    return tuple((np.flatnonzero(segments) + 1).tolist())
