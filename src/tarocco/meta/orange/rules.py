"""Who stands trial by ORANGE, and by which rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tarocco.core.errors import BadParameter
from tarocco.core.names import signature
from tarocco.core.test_set import CandidateScores
from tarocco.encode.batch import Encoding
from tarocco.meta.orange.blocks import Contestant, Scorer
from tarocco.meta.orange.cases import Selection
from tarocco.meta.orange.ranking import ORACLES, TIES
from tarocco.metrics.base import Metric
from tarocco.scoring.resampling import check_resampling
from tarocco.scoring.score import score_signature

AGAINST = ("fair", "all")
SHORT = ("skip", "keep")


class Resampling(NamedTuple):
    """What bootstrap intervals are made with."""

    confidence: float
    n_resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Rules:
    """Every choice that ORANGE leaves open."""

    encoding: Encoding
    selection: Selection
    against: str
    oracle: str
    ties: str
    short: str
    resampling: Resampling

    def __post_init__(self) -> None:
        for what, value, choices in (
            ("against", self.against, AGAINST),
            ("oracle", self.oracle, ORACLES),
            ("ties", self.ties, tuple(TIES)),
            ("short", self.short, SHORT),
        ):
            if value not in choices:
                raise BadParameter(f"{what} is one of {', '.join(choices)}, not {value!r}")
        check_resampling(*self.resampling)

    def told(self, pooled: bool) -> list[tuple[str, object]]:
        """The choices as a signature has them."""
        selection = self.selection
        return [
            ("against", self.against),
            ("oracle", self.oracle),
            ("tied", self.ties),
            ("short", self.short),
            *([("n", selection.n_best)] if selection.n_best else []),
            *([("unique", "yes")] if selection.unique else []),
            *([("copies", "dropped")] if selection.drop_copies else []),
            *([("pooled", "yes")] if pooled else []),
        ]


@dataclass(frozen=True, eq=False)
class Panel:
    """Who stands trial: metrics, scores made elsewhere, and groups of both that judge together."""

    metrics: Sequence[Metric]
    given: Sequence[CandidateScores] = ()
    groups: Sequence[Sequence[Scorer]] = ()

    def contestants(self, rules: Rules, reference_count: int | None, pooled: bool = False) -> list[Contestant]:
        """Each with its name and signature."""
        told = rules.told(pooled)

        def signed(scorer: Scorer, more: Sequence[tuple[str, object]] = ()) -> str:
            if isinstance(scorer, CandidateScores):
                more = [part for part in more if part[0] != "against"]  # nobody here knows what they were made with
                return signature(f"{scorer.name}|external", [*scorer.origin, *more])
            return score_signature(scorer, rules.encoding, reference_count, more)

        # Workers get the scores that they need: not the whole file with every block.
        light = {one: replace(one, lists={}, lines={}) for one in self.given}
        asked: list[Sequence[Scorer]] = [*([one] for one in self.metrics), *([one] for one in self.given), *self.groups]
        groups = [[light[one] if isinstance(one, CandidateScores) else one for one in group] for group in asked]
        found = [
            Contestant(
                " + ".join(map(name_of, group)),
                " + ".join(signed(scorer, told) for scorer in group),
                " + ".join(map(signed, group)),
                tuple(group),
            )
            for group in groups
        ]
        names = [one.name for one in found]
        for name in names:
            if names.count(name) > 1:
                raise BadParameter(f"{name} is there twice")
        if not found:
            raise BadParameter("no metric was asked for")
        return found

    @property
    def least_references(self) -> int:
        """A reference is scored against the others, unless all scores were made elsewhere."""
        scorers = [*self.metrics, *(scorer for group in self.groups for scorer in group)]
        return 2 if any(isinstance(scorer, Metric) for scorer in scorers) else 1


def name_of(scorer: Scorer) -> str:
    """What a metric, or what scores made elsewhere, are called."""
    return scorer.name if isinstance(scorer, CandidateScores) else str(scorer)
