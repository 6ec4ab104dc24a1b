"""The two sides of a correlation, a metric and people. They are alike: statistics a segment, whose sums have a score.

So a corpus score, a score of any set of segments, and both on resamples follow for either side in the same way. Where
only whole systems have scores, there are no statistics and the scores do not change from resample to resample.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import HumanScores
from tarocco.encode.batch import Batch
from tarocco.io.tables import describe_unscored, join_names
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import is_system_level
from tarocco.scoring.resampling import bootstrap, sum_rows, words
from tarocco.scoring.results import Score

_STEPS = 2.0**44


@dataclass(frozen=True, eq=False)
class ScoreSource:
    """What a metric, or people, say of systems; higher is better."""

    name: str
    systems: Floats  # float64[systems]; NaN where a system has no score
    statistics: Floats | None  # float64[systems, segments, k]
    goodness: Callable[[Floats], Floats]  # of sums[..., k]

    @cached_property
    def segments(self) -> Floats:
        """float64[systems, segments]: the score of each segment by itself, NaN where there is none."""
        return self.goodness(self._rows)

    def documents(self, members: NDArray[np.intp]) -> Floats:
        """float64[systems, documents]: the score of each set of segments, intp[documents, size]."""
        by_segment = np.ascontiguousarray(np.moveaxis(self._rows, 1, 0))
        sums = np.zeros((len(members), *by_segment.shape[1:]))
        for places in members.T:  # the first segment of every document, the second, ...
            sums += by_segment[places]
        return round_last_bits(self.goodness(sums)).T

    def resampled(self, n_resamples: int, seed: int, jobs: int | None = None) -> Floats:
        """float64[n_resamples, systems]: scores on resamples of the segments, the same for all sides and systems."""
        if self.statistics is None:
            return np.broadcast_to(self.systems, (n_resamples, len(self.systems)))
        systems, segments, k = self.statistics.shape
        rows = np.moveaxis(self.statistics, 1, 0).reshape(segments, systems * k)
        return self.goodness(bootstrap(rows, n_resamples, seed, jobs).reshape(n_resamples, systems, k))

    def chosen(self, places: Sequence[int]) -> ScoreSource:
        """These systems alone."""
        rows = None if self.statistics is None else self.statistics[list(places)]
        return ScoreSource(self.name, self.systems[list(places)], rows, self.goodness)

    def averaged(self) -> ScoreSource:
        """The side whose systems have the mean of their segments' scores, and not the score of the whole."""
        return self if self.statistics is None else make_source(self.name, self.segments)

    @cached_property
    def is_mean(self) -> bool:
        """Whether a system's score is the mean of its segments' scores, up to rounding."""
        if self.statistics is None:
            return False
        means = make_source(self.name, self.segments).systems
        return bool(np.allclose(self.systems, means, rtol=1e-9, atol=1e-12, equal_nan=True))

    @property
    def _rows(self) -> Floats:
        if self.statistics is None:
            raise InputError(f"{self.name} has scores for whole systems alone, and none for segments")
        return self.statistics


def make_metric_source(scores: Sequence[Score]) -> ScoreSource:
    """One metric's scores of some systems."""
    metric = scores[0].metric
    rows = None if is_system_level(metric) else np.stack([score.statistics for score in scores])
    systems = metric.sign * np.array([score.score for score in scores])
    return ScoreSource(str(metric), round_last_bits(systems), rows, lambda sums: metric.sign * metric.score(sums))


def make_human_source(human: HumanScores, criterion: str) -> ScoreSource:
    """What people say by one criterion: the mean of what they said of segments, or what they said of systems."""
    scores = human.higher_is_better(criterion)
    return (
        make_source(criterion, scores)
        if human.level == "segment"
        else ScoreSource(criterion, round_last_bits(scores), None, _mean)
    )


def make_source(name: str, values: Floats) -> ScoreSource:
    """Scores of segments, float64[systems, segments], NaN where there is none; a system has their mean."""
    there = ~np.isnan(values)
    rows = np.stack([np.where(there, values, 0.0), there], axis=-1)
    return ScoreSource(name, _mean(np.stack([sum_rows(own) for own in rows])), rows, _mean)


def _mean(sums: Floats) -> Floats:
    """Of [sum, number] rows."""
    means = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=means, where=sums[..., 1] > 0)
    return round_last_bits(means)


def round_last_bits(values: Floats) -> Floats:
    """Values with their last nine bits rounded away: means of equal numbers in another order are equal, and tie."""
    fractions, exponents = np.frexp(values)
    return np.ldexp(np.round(fractions * _STEPS) / _STEPS, exponents)


# What a caller gives as human scores: a file, what was read from one, or numbers; for the systems of a run.


HumanInput = HumanScores | Mapping[str, Any] | str | os.PathLike[str]
MIN_SYSTEMS = 4  # for a correlation of systems; Williams' test needs as many


def make_human_scores(given: HumanInput, systems: Sequence[str], n_segments: int) -> HumanScores:
    """The scores of those systems of a run that people judged, in the run's order.

    A path may have :COLUMN behind it. Numbers are a mapping from systems to a number, or to one a segment, None where
    nobody judged.
    """
    if isinstance(given, HumanScores):
        return _of_systems(given, systems, n_segments)
    if isinstance(given, Mapping):
        return _of_numbers(given, systems, n_segments)
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"human is a file, HumanScores or a mapping from systems to numbers, not {given!r}")
    from tarocco.io.scores.external import split_file_and_column
    from tarocco.io.scores.human import HumanFile

    file = HumanFile(*split_file_and_column(os.fspath(given)))
    return require_judged_systems(file.read(systems, n_segments), systems, file.path)


def _of_systems(human: HumanScores, systems: Sequence[str], n_segments: int) -> HumanScores:
    found = next(iter(human.criteria.values()))
    if human.level == "segment" and found.shape[1] != n_segments:
        raise InputError(f"there are {n_segments} segments, but human scores of {found.shape[1]}")
    shared, unknown = _shared(human.systems, systems, human.unknown)
    places = [human.systems.index(system) for system in shared]
    criteria = {name: scores[places] for name, scores in human.criteria.items()}
    return replace(human, criteria=criteria, systems=shared, comparisons=None, unknown=unknown)


def _of_numbers(given: Mapping[str, Any], systems: Sequence[str], n_segments: int) -> HumanScores:
    from tarocco.io.scores.external import build_external_scores

    shared, unknown = _shared([str(system) for system in given], systems)
    scores = build_external_scores("human", given, shared, n_segments, "human scores")
    rows = np.stack([scores.by_system[system] for system in shared])
    values = rows[:, 0] if scores.level == "system" else rows
    origin = scores.origin[1:]
    return HumanScores({"human": values}, {"human": scores.kind}, shared, scores.level, 1, origin, unknown=unknown)


def _shared(
    judged: Sequence[str], systems: Sequence[str], others: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Systems of the run that people judged, and judged ones that the run does not have; `others` have no scores."""
    shared = tuple(system for system in systems if system in set(judged))
    unknown = tuple(system for system in (*judged, *others) if system not in set(systems))
    if not shared:
        raise InputError(_strangers(unknown, systems))
    return shared, unknown


def require_judged_systems(human: HumanScores, systems: Sequence[str], path: str) -> HumanScores:
    """The scores that a file has of a run's systems; InputError where it has none of them."""
    if not human.systems:
        raise InputError(f"{path}: {_strangers(human.unknown, systems)}")
    return human


def _strangers(judged: Sequence[str], systems: Sequence[str]) -> str:
    return f"people judged {join_names(judged) or 'no system'}, but the systems are {join_names(systems)}"


def find_criterion(human: HumanScores) -> str:
    """The one criterion there is; where there are several, one must be named."""
    names = list(human.criteria)
    if len(names) > 1:
        raise InputError(
            f"people judged by several criteria, {', '.join(names)}: name one behind the file, as in FILE:{names[0]}"
        )
    return names[0]


def describe_judged_systems(human: HumanScores, systems: Sequence[str]) -> list[str]:
    """Which systems of the run people did not judge, and whom they judged that is not there."""
    found = []
    unjudged = describe_unscored(systems, (*human.systems, *human.unknown))
    if unjudged:
        found.append(f"people did not judge all systems: {unjudged}")
    if human.unknown:
        found.append(f"people judged systems that are not here: {join_names(human.unknown)}")
    return found


def describe_coverage(human: HumanScores) -> list[str]:
    """Where people judged more segments of one system than of another, or not all."""
    said: dict[str, list[str]] = {}
    for name, scores in human.criteria.items() if human.level == "segment" else ():
        said.setdefault(_coverage(scores, human.systems), []).append(name)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in said.items() if sentence]


def _coverage(scores: Floats, systems: Sequence[str]) -> str:
    """How much of the segments people judged, if not all; systems that differ in that are compared with care."""
    counts = (~np.isnan(scores)).sum(axis=1)
    least, most = int(counts.argmin()), int(counts.argmax())
    if counts[least] < counts[most]:
        return (
            f"people judged {counts[least]} segments of {systems[least]} and {counts[most]} of {systems[most]}: "
            "their means are not of the same segments"
        )
    return f"people judged {counts[most]} of {scores.shape[1]} segments" if counts[most] < scores.shape[1] else ""


# Rows that no metric should be below: what the length alone says, what says nothing, and what chance says.


CONSTANT, RANDOM = "constant", "random"


@dataclass(frozen=True)
class LengthRatio(Metric):
    """The words of the output over those of its references, on average. It has no place in the registry."""

    title: ClassVar[str] = "length ratio"
    pattern: ClassVar[str] = "(?!)"

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        """[words of the candidate, mean words of the references]"""
        references = batch.reference_groups
        lengths = batch.references.lengths[references.rows]
        sums = np.bincount(references.segments, lengths, len(references.sizes))
        means = sums / np.maximum(references.sizes, 1)
        candidates = batch.candidate_groups
        return np.column_stack([batch.candidates.lengths[candidates.rows], means[candidates.segments]])

    def score(self, sums: Floats) -> Floats:
        ratios = np.full(sums.shape[:-1], np.nan)
        np.divide(sums[..., 0], sums[..., 1], out=ratios, where=sums[..., 1] > 0)
        return ratios


LENGTH = LengthRatio.title
NAMES = (LENGTH, CONSTANT, RANDOM)


def without_text(systems: int, segments: int, seed: int) -> tuple[ScoreSource, ScoreSource]:
    """The sentinels that need not look at the outputs: the same number everywhere, and one drawn for each segment."""
    random = (words(seed, systems, segments) >> np.uint64(11)) / 2.0**53
    return make_source(CONSTANT, np.ones((systems, segments))), make_source(RANDOM, random)


CUTOFF = 2.5  # of Mathur et al. 2020
_NORMAL = 1.483  # makes the median absolute deviation of a normal distribution its standard deviation


def find_outliers(human: Floats) -> NDArray[np.bool_]:
    """Which of people's system scores are more than 2.5 robust standard deviations from their median.

    Where more than half of the scores are equal there is no such deviation, and no outlier.
    """
    there = ~np.isnan(human)
    found = np.zeros(len(human), bool)
    if there.any():
        distances = np.abs(human[there] - np.median(human[there]))
        deviation = _NORMAL * np.median(distances)
        found[there] = (deviation > 0) & (distances > CUTOFF * deviation)
    return found
