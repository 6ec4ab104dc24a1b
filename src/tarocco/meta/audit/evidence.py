"""The input and the output of the checks of an audit.

Every check looks for something that no metric should reward, such as the same output twice. A gain is measured on the
metric's own scale, which runs from the score of an empty output to that of a reference: then a threshold means the same
for every metric, and depends on no system. For an error metric, lower is better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.resampling import check_resampling
from tarocco.scoring.results import Score
from tarocco.scoring.settings import SEED

CHECKS = ("sign test", "mixing", "deletion", "trading", "straw men")
ROUNDING = 1e-12  # of a score: smaller differences are rounding


@dataclass(frozen=True)
class AuditSettings:
    """The options of an audit.

    alpha
        The significance level.
    share
        The share of the segments that is blanked.
    least_gain
        The least gain that counts for mixing, trading and straw men, as a share of the distance between the scores of
        an empty output and of a reference. The default is half a BLEU point.
    least_forgiven
        The least share of its fair price that blanking must be spared to count.
    least_majority
        The least majority that counts for the sign test: wins minus losses, as a share of both.
    n_draws, seed
        How many random blankings show what deletion does: they decide nothing. The seed is also that of the bootstrap
        that tests deletion.
    """

    alpha: float = 0.05
    share: float = 0.1
    least_gain: float = 0.005
    least_forgiven: float = 0.75
    least_majority: float = 0.1
    n_draws: int = 100
    seed: int = SEED

    def __post_init__(self) -> None:
        for name in ("alpha", "share", "least_gain", "least_forgiven", "least_majority"):
            value: object = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) < 1):
                raise BadParameter(f"{name} is a number between 0 and 1, not {value!r}")
        if not (isinstance(self.n_draws, Integral) and self.n_draws >= 1):
            raise BadParameter(f"n_draws is an integer of at least 1, not {self.n_draws!r}")
        check_resampling(0.95, 2, self.seed)

    def threshold(self, check: str) -> float:
        """Return the least size that counts in a check."""
        return {"sign test": self.least_majority, "deletion": self.least_forgiven}.get(check, self.least_gain)


@dataclass(frozen=True)
class AuditFinding:
    """One case in which a metric rewards what it should not.

    Attributes
    ----------
    effect, size, threshold
        The effect on the metric's own scale, the same as a share, and the least size that counts. A finding has a size
        above the threshold; it counts if the data show that the true size is, too.
    p_value, p_holm, counts
        The p-value of the hypothesis that the size is at most the threshold; the same after Holm's correction for all
        tests of the same system, pair or trio under this metric; whether that is at most alpha. None of these numbers
        depends on which other systems are audited.
    numbers, segments
        What shows the finding, and where (segments are counted from 1).
    """

    metric: str
    check: str
    systems: tuple[str, ...]
    effect: float
    size: float
    threshold: float
    p_value: float
    numbers: dict[str, Any]
    segments: tuple[int, ...]
    p_holm: float = 1.0
    counts: bool = False


@dataclass(frozen=True)
class CheckResult:
    """The result of a check for a metric: its findings, or why the check was not possible.

    Attributes
    ----------
    findings
        All cases above the threshold. Those that count come first, and among them the largest.
    tests
        The number of tests for each system, pair or trio.
    p_value, gamed
        The smallest p-value of the findings, corrected for the number of systems, pairs or trios as well, and whether
        it is at most alpha: a search through many systems finds something by chance, so its best case must be clearer.
    """

    metric: str
    check: str
    findings: tuple[AuditFinding, ...] = ()
    tests: Mapping[frozenset[str], int] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)
    impossible: str | None = None
    p_value: float = 1.0
    gamed: bool = False

    @property
    def size(self) -> float:
        """The size of the first finding, 0 without one."""
        return self.findings[0].size if self.findings else 0.0

    @property
    def counted(self) -> int:
        """The number of findings that count."""
        return sum(finding.counts for finding in self.findings)

    @property
    def n_tests(self) -> int:
        """How many systems, pairs or trios were tested."""
        return sum(self.tests.values())


@dataclass(frozen=True, eq=False)
class Evidence:
    """The scores of the systems under one metric, and of outputs that no metric should prefer.

    Attributes
    ----------
    scores
        The scores of the systems.
    empty, reference
        The scores of an output without words, and of a reference as an output.
    units
        The number of each segment's unit: its document where known, else the segment itself.
    straw
        The straw men: (score, what it is, the system it was made from, or None for the empty one).
    """

    scores: tuple[Score, ...]
    empty: Score
    reference: Score
    units: NDArray[np.intp]
    straw: tuple[tuple[Score, str, str | None], ...] = ()

    @property
    def metric(self) -> Metric:
        return self.scores[0].metric

    @property
    def name(self) -> str:
        return str(self.metric)

    @property
    def n_segments(self) -> int:
        return len(self.units)

    @cached_property
    def n_units(self) -> int:
        return int(self.units.max(initial=-1)) + 1

    @property
    def sign(self) -> float:
        return self.metric.sign

    def goodness(self, sums: Floats) -> Floats:
        """Return the score of sums, negated for errors, so that higher is better."""
        goodness: Floats = self.sign * self.metric.score(sums)
        return goodness

    @cached_property
    def rows(self) -> Floats:
        """float64[segments, systems, k]"""
        return np.stack([score.statistics for score in self.scores], axis=1)

    @cached_property
    def scale(self) -> float:
        """The distance between the scores of an empty output and of a reference."""
        return self.sign * (self.reference.score - self.empty.score)

    @cached_property
    def small(self) -> float:
        """The largest difference that is rounding."""
        return ROUNDING * max(abs(self.reference.score), abs(self.empty.score))

    def sum_units(self, rows: Floats) -> Floats:
        """Return the sums of each unit's rows, [units, k]."""
        sums = np.zeros((self.n_units, rows.shape[1]))
        np.add.at(sums, self.units, rows)
        return sums

    def leave_out(self, rows: Floats) -> Floats:
        """Return [1 + units, k]: the sum of all rows, and the sums without each unit."""
        units = self.sum_units(rows)
        total = units.sum(axis=0, keepdims=True)
        return np.concatenate([total, total - units])


def segment_numbers(segments: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the numbers of the marked segments, counted from 1."""
    return tuple((np.flatnonzero(segments) + 1).tolist())
