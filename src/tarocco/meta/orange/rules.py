"""The options of ORANGE, and the metrics that are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.core.test_set import CandidateScores, as_list
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Metric
from tarocco.metrics.names import write_signature
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.settings import Shortcuts

Scorer = Metric | CandidateScores

AGAINST = ("fair", "all")
ORACLES = ("average-score", "average-rank", "combined")
TIES = {"average": 0.5, "best": 0.0, "worst": 1.0}  # the share of an equal candidate that counts as above
SHORT = ("skip", "keep")
FINE = 64  # the default grid of a curve has every length up to here, and then every multiple of it


@dataclass(frozen=True)
class OrangeRules:
    """The options of ORANGE.

    against
        The references that candidates are scored against: "fair", every set of references that leaves one out, as
        references themselves are scored; or "all".
    oracle
        What is ranked: the mean score of the references ("average-score"), or each reference among the candidates
        ("average-rank") or among candidates and the other references ("combined"), averaging the ranks.
    ties
        The rank among equal scores: "average", "best" or "worst".
    short
        Whether to "skip" or "keep" lists with fewer candidates than `n_best`, or than the longest list.
    n_best
        The number of candidates to use from each list; all by default.
    unique, drop_copies
        Use each distinct text once; leave out candidates that are word for word a reference.
    curve
        True for ORANGE over the first k candidates at many k, a step, or the values of k.
    pool
        One label per segment. Segments with the same label share their lists and references.
    confusions, sampled
        How many candidates that a metric ranks above the references the result holds per list and metric: the best
        ones, and some drawn at random.
    first_id, num_candidates
        How to read a file: the id of the first segment, and the number of lines per list where lines have no ids.
    """

    against: str = "fair"
    oracle: str = "average-score"
    ties: str = "average"
    short: str = "skip"
    n_best: int | None = None
    unique: bool = False
    drop_copies: bool = False
    curve: bool | int | Sequence[int] | None = False
    pool: Iterable[str] | None = None
    confusions: int = 0
    sampled: int = 0
    first_id: int = 0
    num_candidates: int | None = None

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("against", self.against, AGAINST),
            ("oracle", self.oracle, ORACLES),
            ("ties", self.ties, tuple(TIES)),
            ("short", self.short, SHORT),
        ):
            if value not in choices:
                raise BadParameter(f"{name} is one of {', '.join(choices)}, not {value!r}")
        if self.n_best is not None and not (isinstance(self.n_best, Integral) and self.n_best >= 1):
            raise BadParameter(f"n_best is an integer of at least 1, not {self.n_best!r}")
        if not isinstance(self.confusions, int) or self.confusions < 0:
            raise BadParameter(f"confusions is an integer of at least 0, not {self.confusions!r}")
        if isinstance(self.curve, Iterable):
            object.__setattr__(self, "curve", tuple(self.curve))
        if self.pool is not None:
            object.__setattr__(self, "pool", tuple(as_list(self.pool, "pool")))
        _ = self.grid  # a curve with other lengths is an error

    @property
    def labels(self) -> Sequence[str] | None:
        """The labels of `pool`."""
        return self.pool if isinstance(self.pool, tuple) else None

    @property
    def grid(self) -> int | tuple[int, ...] | None:
        """The lengths at which a curve is computed: None, a step (0 for the default grid), or the lengths."""
        if self.curve is None or self.curve is False:
            return None
        if self.curve is True:
            return 0
        lengths = self.curve if isinstance(self.curve, tuple) else (self.curve,)
        if not lengths or not all(isinstance(length, int) and length >= 1 for length in lengths):
            raise BadParameter(f"curve is a step or lengths of lists, integers of at least 1, not {self.curve!r}")
        return tuple(sorted(set(lengths))) if isinstance(self.curve, tuple) else lengths[0]

    def lengths(self, size: int) -> NDArray[np.intp]:
        """Return the lengths at which the references are ranked in a list of this size, the whole list last."""
        grid = self.grid
        if grid is None:
            points = np.empty(0, np.intp)
        elif isinstance(grid, tuple):
            points = np.array(grid, np.intp)
        else:
            points = np.arange(1, size + 1)
            coarse = points % (grid or FINE) == 0
            points = points[coarse | (points <= (1 if grid else FINE))]
        return np.unique(np.append(points[points < size], size))

    @property
    def signature_parts(self) -> list[tuple[str, object]]:
        """The options as a signature has them."""
        return [
            ("against", self.against),
            ("oracle", self.oracle),
            ("tied", self.ties),
            ("short", self.short),
            *([("n", self.n_best)] if self.n_best else []),
            *([("unique", "yes")] if self.unique else []),
            *([("copies", "dropped")] if self.drop_copies else []),
            *([("pooled", "yes")] if self.pool is not None else []),
        ]


RULES = OrangeRules()


class OrangeShortcuts(Shortcuts, total=False):
    """The fields of `OrangeRules`, `Text`, `Resampling` and `Workers` as keywords."""

    against: str
    oracle: str
    ties: str
    short: str
    n_best: int | None
    unique: bool
    drop_copies: bool
    curve: bool | int | Sequence[int] | None
    pool: Iterable[str] | None
    confusions: int
    sampled: int
    first_id: int
    num_candidates: int | None


@dataclass(frozen=True, eq=False)
class EvaluatedMetric:
    """A metric under evaluation: one scorer, or several that are combined by the mean of their ranks.

    `signature` describes its ORANGE, `score_signature` only its scores.
    """

    name: str
    signature: str
    score_signature: str
    scorers: tuple[Scorer, ...]


def make_scorers(
    metrics: Sequence[Metric], external: Sequence[CandidateScores] = (), combine: Sequence[Sequence[str | Metric]] = ()
) -> list[tuple[Scorer, ...]]:
    """Return one tuple per evaluated metric: each metric and each set of external scores alone, then combinations."""
    alone: list[Scorer] = [*metrics, *external]
    return [*((scorer,) for scorer in alone), *(_combination(group, external) for group in combine)]


def _combination(group: Sequence[str | Metric], external: Sequence[CandidateScores]) -> tuple[Scorer, ...]:
    if isinstance(group, str | Metric):
        raise BadParameter(f'a combination is a list of metrics such as ["BLEUS-4", "ROUGE-L"], not {group!r}')
    by_name = {scores.name: scores for scores in external}
    members = [by_name[name] if name in by_name else find_metrics([name])[0] for name in group]
    if len(set(map(scorer_name, members))) < max(2, len(members)):
        raise BadParameter("a combination is two or more different metrics")
    return tuple(members)


def evaluated_metrics(
    scorers: Sequence[Sequence[Scorer]], rules: OrangeRules, encoding: Encoding, reference_count: int | None
) -> list[EvaluatedMetric]:
    """Return the metrics under evaluation with their names and signatures."""
    parts = rules.signature_parts
    external_parts = [part for part in parts if part[0] != "against"]  # unknown for external scores

    def describe(scorer: Scorer) -> tuple[str, str, str]:
        """Return its name, the signature of its ORANGE and that of its scores."""
        if isinstance(scorer, CandidateScores):
            name = f"{scorer.name}|external"
            of_orange, of_scores = [*scorer.origin, *external_parts], scorer.origin
            return scorer.name, write_signature(name, of_orange), write_signature(name, of_scores)
        of_metric = encoding, reference_count
        return str(scorer), scorer.signature(*of_metric, parts), scorer.signature(*of_metric)

    # Workers get the external scores of a block with the block, not the whole file.
    light: dict[Scorer, Scorer] = {
        scores: replace(scores, lists={}, lines={})
        for group in scorers
        for scores in group
        if isinstance(scores, CandidateScores)
    }
    evaluated = []
    for group in scorers:
        members = tuple(light.get(scorer, scorer) for scorer in group)
        name, signature, score_signature = map(" + ".join, zip(*map(describe, members), strict=True))
        evaluated.append(EvaluatedMetric(name, signature, score_signature, members))
    names = [metric.name for metric in evaluated]
    for name in names:
        if names.count(name) > 1:
            raise BadParameter(f"{name} is listed twice")
    if not evaluated:
        raise BadParameter("no metric to evaluate")
    return evaluated


def scorer_name(scorer: Scorer) -> str:
    """Return the name of a metric or of external scores."""
    return scorer.name if isinstance(scorer, CandidateScores) else str(scorer)
