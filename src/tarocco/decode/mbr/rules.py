"""How a candidate is chosen: the utility, how several metrics become one, what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from tarocco._version import __version__
from tarocco.core.errors import BadParameter
from tarocco.core.names import signature
from tarocco.decode.mbr.utilities import FIRST, RESAMPLES, Folded, Sums, Work, own_seed, pruned, queens, summed
from tarocco.encode.batch import Encoding
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.score import score_signature


@dataclass(frozen=True, eq=False)
class Rules:
    """Every choice that minimum Bayes risk leaves open.

    Several metrics are one utility: their weighted sum where there are `weights`, QUEEN over the set if so asked, else
    the mean of the ranks that each gives.
    """

    metrics: tuple[Metric, ...]
    encoding: Encoding
    weights: tuple[float, ...] | None
    queen: bool
    scale: float | None
    n_best: int | None
    prune: float | None
    max_references: int
    seed: int

    def __post_init__(self) -> None:
        for metric in self.metrics:
            if metric.prepares:
                raise BadParameter(
                    f"{metric} knows n-grams from a whole text of references, which a pseudo-reference is not: it "
                    "cannot be a utility here"
                )
        if self.weights is not None:
            if self.queen:
                raise BadParameter("QUEEN is one number for a set of metrics: it takes no weights")
            if len(self.weights) != len(self.metrics):
                raise BadParameter(f"there are {len(self.metrics)} metrics, but {len(self.weights)} weights")
            if not all(_is_number(weight) for weight in self.weights):
                raise BadParameter(f"weights are numbers, not {', '.join(map(str, self.weights))}")
        if self.scale is not None and not (_is_number(self.scale) and self.scale >= 0):
            raise BadParameter(f"scale is a number of at least 0, not {self.scale!r}")
        if self.n_best is not None and not (isinstance(self.n_best, Integral) and self.n_best >= 1):
            raise BadParameter(f"n_best is an integer of at least 1, not {self.n_best!r}")
        if not (isinstance(self.max_references, Integral) and 2 <= self.max_references <= 64):
            raise BadParameter(f"max_references is an integer from 2 to 64, not {self.max_references!r}")
        if not isinstance(self.seed, Integral):
            raise BadParameter(f"seed is an integer, not {self.seed!r}")
        if self.prune is not None:
            if not (isinstance(self.prune, Real) and 0 < self.prune < 1):
                raise BadParameter(f"prune is a confidence between 0 and 1, not {self.prune!r}")
            if self.how not in ("one", "sum"):
                raise BadParameter("pruning goes by one utility: give one metric, or several with weights")

    @property
    def how(self) -> str:
        """How metrics become one utility."""
        if self.queen:
            return "queen"
        if self.weights is not None:
            return "sum"
        return "one" if len(self.metrics) == 1 else "ranks"

    @property
    def name(self) -> str:
        """The utility in a few words."""
        names = [str(metric) for metric in self.metrics]
        if self.how == "sum":
            weights = self.weights or ()
            return " + ".join(f"{weight:g} {name}" for weight, name in zip(weights, names, strict=True))
        joined = ", ".join(names)
        return {"one": joined, "ranks": f"mean rank of {joined}", "queen": f"QUEEN of {joined}"}[self.how]

    def signature(self, other_references: bool) -> str:
        """What a choice is, in one line."""
        parts: list[tuple[str, object]] = [
            ("utility", self.how),
            *([("weights", ",".join(f"{weight:g}" for weight in self.weights))] if self.weights else []),
            ("posterior", "uniform" if self.scale is None else f"softmax,{self.scale:g}"),
            ("pseudo", "other" if other_references else "own"),
            ("n", self.n_best or "all"),
            *([("prune", f"{self.prune:g},{FIRST}x2,{RESAMPLES}")] if self.prune else []),
            *([("references", self.max_references)] if self.queen else []),
            *([("seed", self.seed)] if self.prune or self.queen else []),
            ("v", __version__),
        ]
        return signature("MBR", parts)

    @property
    def signatures(self) -> tuple[str, ...]:
        """Those of the metrics: scores with one reference."""
        return tuple(score_signature(metric, self.encoding, 1) for metric in self.metrics)

    # --- one list, or several ------------------------------------------------------------------------------------

    @property
    def alone(self) -> bool:
        """Whether a list is worked on alone, from its first pseudo-reference to its last."""
        return self.queen or self.prune is not None

    def judged(self, work: Work, segment: int) -> list[Sums]:
        """The sums of each pairing; `segment` is that of a list that is worked on alone."""
        if self.queen:
            return [queens(work, self.max_references, own_seed(self.seed, segment))]
        if self.prune is not None:
            mixture = np.array(self.weights or (1.0,))
            return [pruned(work, mixture, self.prune, own_seed(self.seed, segment))]
        return summed(work)

    def utility(self, sums: Sums, candidates: Folded) -> Floats:
        """float64[texts]: one number for each text, higher is better; NaN where there is none."""
        expected = sums.expected
        if self.how == "ranks":
            return round_last_bits(-np.mean([_ranks(of_metric, candidates) for of_metric in expected], axis=0))
        if self.weights is not None and self.prune is None:  # pruned ones are weighted already
            expected = np.array(self.weights)[:, None] * expected
        utility: Floats = expected.sum(axis=0)
        return utility


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


def _ranks(expected: Floats, candidates: Folded) -> Floats:
    """The rank of each text in its list, copies and all; of equals the mean, and what has no utility is last."""
    goodness = round_last_bits(np.where(np.isnan(expected), -np.inf, expected))
    copies = np.bincount(candidates.places)
    _, inverse = np.unique(-goodness, return_inverse=True)
    counts = np.bincount(inverse, copies)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def chosen(utility: Floats) -> int:
    """The text with the highest utility; of equals the first in the list, where last bits do not count."""
    return int(np.argmax(round_last_bits(np.where(np.isnan(utility), -np.inf, utility))))
