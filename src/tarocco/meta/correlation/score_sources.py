"""Sources of scores that are correlated: a metric, people, or a sentinel that ignores the quality of the output.

All sources have the same form, statistics per segment whose sums have a score. So the score of a corpus, of any set of
segments, and of resamples is computed in the same way for all of them. A source that scores only whole systems has no
statistics, and its scores are constant over resamples.
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
from tarocco.core.test_set import HumanScores, select_others
from tarocco.encode.batch import Batch
from tarocco.io.tables import describe_unscored, join_names
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import is_system_level
from tarocco.scoring.resampling import bootstrap, sum_rows, sum_units, words
from tarocco.scoring.results import Score

HumanInput = HumanScores | Mapping[str, Any] | str | os.PathLike[str]  # what callers pass as human scores
MIN_SYSTEMS = 4  # for a correlation of systems; Williams' test needs as many
_MANTISSA = 2.0**44


@dataclass(frozen=True, eq=False)
class ScoreSource:
    """The scores that a metric, people or a sentinel give to systems; higher is better."""

    name: str
    systems: Floats  # float64[systems]; NaN where a system has no score
    statistics: Floats | None  # float64[systems, segments, k]
    score: Callable[[Floats], Floats]  # of sums[..., k]

    @cached_property
    def segments(self) -> Floats:
        """float64[systems, segments]: the score of each segment alone, NaN where there is none."""
        return self.score(self._rows)

    def documents(self, members: NDArray[np.intp]) -> Floats:
        """Return the score of each document, float64[systems, documents], from intp[documents, size]."""
        by_segment = np.ascontiguousarray(np.moveaxis(self._rows, 1, 0))
        sums = np.zeros((len(members), *by_segment.shape[1:]))
        for segments in members.T:  # the first segment of every document, then the second, ...
            sums += by_segment[segments]
        return round_last_bits(self.score(sums)).T

    def resampled(
        self, n_resamples: int, seed: int, jobs: int | None = None, labels: Sequence[str] | None = None
    ) -> Floats:
        """Return scores on resamples, float64[n_resamples, systems]; all sources draw alike.

        Segments are drawn, or whole documents if `labels` name them.
        """
        if self.statistics is None:
            return np.broadcast_to(self.systems, (n_resamples, len(self.systems)))
        systems, segments, k = self.statistics.shape
        rows = sum_units(np.moveaxis(self.statistics, 1, 0).reshape(segments, systems * k), labels)
        return self.score(bootstrap(rows, n_resamples, seed, jobs).reshape(n_resamples, systems, k))

    def select(self, systems: Sequence[int]) -> ScoreSource:
        """Return only these systems, by index."""
        rows = None if self.statistics is None else self.statistics[list(systems)]
        return ScoreSource(self.name, self.systems[list(systems)], rows, self.score)

    def averaged(self) -> ScoreSource:
        """Return the source whose system scores are means of segment scores instead of corpus scores."""
        return self if self.statistics is None else make_source(self.name, self.segments)

    @cached_property
    def is_mean(self) -> bool:
        """Whether system scores are the means of segment scores, up to rounding."""
        if self.statistics is None:
            return False
        means = make_source(self.name, self.segments).systems
        return bool(np.allclose(self.systems, means, rtol=1e-9, atol=1e-12, equal_nan=True))

    @property
    def _rows(self) -> Floats:
        if self.statistics is None:
            raise InputError(f"{self.name} has scores for whole systems only, not for segments")
        return self.statistics


def make_metric_source(scores: Sequence[Score]) -> ScoreSource:
    """Return the scores of one metric for some systems."""
    metric = scores[0].metric
    rows = None if is_system_level(metric) else np.stack([score.statistics for score in scores])
    systems = metric.sign * np.array([score.score for score in scores])
    return ScoreSource(str(metric), round_last_bits(systems), rows, lambda sums: metric.sign * metric.score(sums))


def make_human_source(human: HumanScores, criterion: str) -> ScoreSource:
    """Return the scores of people by one criterion: of systems, or the means of those of segments."""
    scores = human.higher_is_better(criterion)
    if human.level == "segment":
        return make_source(criterion, scores)
    return ScoreSource(criterion, round_last_bits(scores), None, _mean)


def make_source(name: str, values: Floats) -> ScoreSource:
    """Return a source from scores of segments, float64[systems, segments] with NaN for none; systems have the mean."""
    known = ~np.isnan(values)
    rows = np.stack([np.where(known, values, 0.0), known], axis=-1)
    return ScoreSource(name, _mean(np.stack([sum_rows(by_segment) for by_segment in rows])), rows, _mean)


def _mean(sums: Floats) -> Floats:
    """Return the means of [sum, number] rows."""
    means = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=means, where=sums[..., 1] > 0)
    return round_last_bits(means)


def round_last_bits(values: Floats) -> Floats:
    """Round away the last nine bits, so that means of the same numbers in another order are equal and tie."""
    fractions, exponents = np.frexp(values)
    return np.ldexp(np.round(fractions * _MANTISSA) / _MANTISSA, exponents)


# --- human scores ----------------------------------------------------------------------------------------------------


def make_human_scores(human: HumanInput, systems: Sequence[str], n_segments: int) -> HumanScores:
    """Return the human scores of those systems of a run that people judged, in the run's order.

    A path may end with :COLUMN. Numbers are a mapping from systems to one number, or to one per segment with None
    where there is no judgment.
    """
    if isinstance(human, HumanScores):
        return _select_systems(human, systems, n_segments)
    if isinstance(human, Mapping):
        return _read_numbers(human, systems, n_segments)
    if not isinstance(human, str | os.PathLike):
        raise InputError(f"human must be a file, HumanScores or a mapping from systems to numbers, not {human!r}")
    from tarocco.io.scores.external import split_file_and_column
    from tarocco.io.scores.human import HumanFile

    file = HumanFile(*split_file_and_column(os.fspath(human)))
    return require_judged_systems(file.read(systems, n_segments), systems, file.path)


def _select_systems(human: HumanScores, systems: Sequence[str], n_segments: int) -> HumanScores:
    scores = next(iter(human.criteria.values()))
    if human.level == "segment" and scores.shape[1] != n_segments:
        raise InputError(f"expected human scores of {n_segments} segments, found {scores.shape[1]}")
    shared, unknown = _split_judged(human.systems, systems, human.unknown)
    places = [human.systems.index(system) for system in shared]
    criteria = {name: values[places] for name, values in human.criteria.items()}
    ratings = {name: ratings.select(places) for name, ratings in human.ratings.items()}
    return replace(
        human,
        criteria=criteria,
        systems=shared,
        comparisons=None,
        unknown=unknown,
        ratings=ratings,
        others=human.others or select_others(human, unknown),
    )


def _read_numbers(numbers: Mapping[str, Any], systems: Sequence[str], n_segments: int) -> HumanScores:
    from tarocco.io.scores.external import build_external_scores

    shared, unknown = _split_judged([str(system) for system in numbers], systems)
    scores = build_external_scores("human", numbers, shared, n_segments, "human scores")
    rows = np.stack([scores.by_system[system] for system in shared])
    values = rows[:, 0] if scores.level == "system" else rows
    origin = scores.origin[1:]
    return HumanScores({"human": values}, {"human": scores.kind}, shared, scores.level, 1, origin, unknown=unknown)


def _split_judged(
    judged: Sequence[str], systems: Sequence[str], unscored: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the systems of the run that people judged, and those they judged that the run does not have."""
    shared = tuple(system for system in systems if system in set(judged))
    unknown = tuple(system for system in (*judged, *unscored) if system not in set(systems))
    if not shared:
        raise InputError(_describe_mismatch(unknown, systems))
    return shared, unknown


def require_judged_systems(human: HumanScores, systems: Sequence[str], path: str) -> HumanScores:
    """Return the scores; raise InputError if a file has none for the systems of the run."""
    if not human.systems:
        raise InputError(f"{path}: {_describe_mismatch(human.unknown, systems)}")
    return human


def _describe_mismatch(judged: Sequence[str], systems: Sequence[str]) -> str:
    return f"people judged {join_names(judged) or 'no system'}, but the systems are {join_names(systems)}"


def find_criterion(human: HumanScores) -> str:
    """Return the only criterion; raise InputError if there are several."""
    names = list(human.criteria)
    if len(names) > 1:
        raise InputError(
            f"people judged by several criteria, {', '.join(names)}: select one after the file, as in FILE:{names[0]}"
        )
    return names[0]


def describe_judged_systems(human: HumanScores, systems: Sequence[str]) -> list[str]:
    """Return notes on systems that people did not judge, and on judged systems that the run does not have."""
    notes = []
    unjudged = describe_unscored(systems, (*human.systems, *human.unknown), scores="human scores")
    if unjudged:
        notes.append(unjudged)
    if human.unknown:
        notes.append(f"human scores for unknown systems: {join_names(human.unknown)}")
    return notes


def describe_coverage(human: HumanScores) -> list[str]:
    """Return notes on criteria by which people did not judge all segments of all systems."""
    criteria_of: dict[str, list[str]] = {}
    for name, scores in human.criteria.items() if human.level == "segment" else ():
        criteria_of.setdefault(_describe_gaps(scores, human.systems), []).append(name)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in criteria_of.items() if sentence]


def _describe_gaps(scores: Floats, systems: Sequence[str]) -> str:
    counts = (~np.isnan(scores)).sum(axis=1)
    least, most = int(counts.argmin()), int(counts.argmax())
    if counts[least] < counts[most]:
        return (
            f"people judged {counts[least]} segments of {systems[least]} and {counts[most]} of {systems[most]}, so "
            "their means are over different segments"
        )
    return f"people judged {counts[most]} of {scores.shape[1]} segments" if counts[most] < scores.shape[1] else ""


OUTLIER_CUTOFF = 2.5  # Mathur et al. 2020
_NORMAL = 1.483  # scales the median absolute deviation of a normal distribution to its standard deviation


def find_outliers(human: Floats) -> NDArray[np.bool_]:
    """Return which human system scores are more than 2.5 robust standard deviations from the median.

    If more than half of the scores are equal, that deviation is zero and there are no outliers.
    """
    known = ~np.isnan(human)
    outliers = np.zeros(len(human), bool)
    if known.any():
        distances = np.abs(human[known] - np.median(human[known]))
        deviation = _NORMAL * np.median(distances)
        outliers[known] = (deviation > 0) & (distances > OUTLIER_CUTOFF * deviation)
    return outliers


# --- sentinels -------------------------------------------------------------------------------------------------------
# A metric that correlates with people no better than output length, a constant or chance has shown nothing.

CONSTANT, RANDOM = "constant", "random"


@dataclass(frozen=True)
class LengthRatio(Metric):
    """The number of words of the output over the mean number of words of its references. It is not registered."""

    title: ClassVar[str] = "length ratio"
    pattern: ClassVar[str] = "(?!)"

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        """Return [words of the candidate, mean words of the references] per candidate."""
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


SENTINELS = (LengthRatio.title, CONSTANT, RANDOM)


def make_textless_sentinels(systems: int, segments: int, seed: int) -> tuple[ScoreSource, ScoreSource]:
    """Return the sentinels that do not read the outputs: a constant, and one random number per segment."""
    random = (words(seed, systems, segments) >> np.uint64(11)) / 2.0**53
    return make_source(CONSTANT, np.ones((systems, segments))), make_source(RANDOM, random)
