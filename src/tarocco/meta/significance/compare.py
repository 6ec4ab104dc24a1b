"""Comparison of systems with a baseline, or of all pairs of systems: `tarocco compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from numbers import Real
from typing import Any, Unpack

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import ResultTable
from tarocco.core.test_set import Candidates, References
from tarocco.meta.significance.paired_tests import (
    DEFAULT_RESAMPLES,
    TESTS,
    Difference,
    PairedTest,
    compare_pairs,
    required_draws,
)
from tarocco.metrics.base import Metric
from tarocco.metrics.external import ExternalSource, is_system_level
from tarocco.scoring.resampling import check_resampling
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import score as compute_scores
from tarocco.scoring.settings import (
    RESAMPLING,
    TEXT,
    WORKERS,
    Resampling,
    Shortcuts,
    Text,
    Workers,
    apply_shortcuts,
)


@dataclass(frozen=True, eq=False)
class CompareResult(ResultTable):
    """Scores, as `tarocco.score` returns them, and the tests of their differences."""

    scores: Result
    differences: tuple[Difference, ...]
    test: PairedTest
    all_pairs: bool
    untested: tuple[str, ...] = ()  # metrics with scores for whole systems only, or without scores
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def of(self, metric: str, system: str, baseline: str | None = None) -> Difference:
        """Return the test of a system under a metric, against the baseline or another system."""
        for difference in self.differences:
            names = difference.metric, difference.system
            if names == (metric, system) and baseline in (None, difference.baseline):
                return difference
        raise InputError(f"{system} was not compared under {metric}" + (f" with {baseline}" if baseline else ""))

    def signature(self, of: Score) -> str:
        """Return the signature of a score, extended by the test."""
        test = self.test
        draws = f"|n:{test.n_resamples}|seed:{test.seed}" if test.n_resamples else ""
        return f"{of.signature}|test:{test.name}{draws}|alpha:{test.alpha:g}|correction:holm"

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and pair."""
        by_name = {(score.system, str(score.metric)): score for score in self.scores.scores}
        return [
            {
                "metric": difference.metric,
                "baseline": difference.baseline,
                "system": difference.system,
                "baseline_score": by_name[difference.baseline, difference.metric].score,
                "score": by_name[difference.system, difference.metric].score,
                "difference": difference.difference,
                "better": difference.better,
                "p_value": difference.p_value,
                "p_holm": difference.p_holm,
                "significant": difference.significant,
                "detectable": None if difference.detectable == float("inf") else difference.detectable,
                **difference.details,
                "signature": self.signature(by_name[difference.system, difference.metric]),
            }
            for difference in self.differences
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what `tarocco compare -f json` prints under "results"."""
        return [
            {
                "metric": row.pop("metric"),
                "pair": [row.pop("baseline"), row.pop("system")],
                **row,
            }
            for row in self.rows()
        ]


@dataclass(frozen=True)
class CompareOptions:
    """Which systems are compared, and by which test.

    test
        "bootstrap" (paired, as in sacrebleu), "randomization" (approximate randomization) or "sign" (Collins et al.
        2005).
    baseline
        The system that the others are compared with; by default the first.
    all_pairs
        Whether every system is compared with every other system.
    alpha
        A difference is significant if its p-value, after Holm's correction, is at most alpha.
    """

    test: str = "bootstrap"
    baseline: str | None = None
    all_pairs: bool = False
    alpha: float = 0.05


COMPARE_OPTIONS = CompareOptions()


class CompareShortcuts(Shortcuts, total=False):
    """The fields of `CompareOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    test: str
    baseline: str | None
    all_pairs: bool
    alpha: float


def compare(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    external: Mapping[str, ExternalSource] | None = None,
    options: CompareOptions = COMPARE_OPTIONS,
    text: Text = TEXT,
    resampling: Resampling | None = None,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[CompareShortcuts],
) -> CompareResult:
    """Test whether the differences between systems are significant.

    Parameters
    ----------
    systems
        A mapping from system names to their segments; the first is the baseline, unless `baseline` names another.
    references, metrics, external
        As for `tarocco.score`.
    options
        Which systems to compare, and by which test (`CompareOptions`).
    resampling
        The number of resamples and the seed (`Resampling`). By default there are 1000 resamples for the bootstrap and
        10000 swaps for randomization, or as many as a difference needs to be significant among all pairs. The sign
        test needs none.
    text, workers
        How text is read (`Text`), and where work is done (`Workers`).
    **shortcuts
        The fields of these four values as keywords: test, baseline, all_pairs, alpha, n_resamples, seed, tokenize,
        lowercase, analyzer, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> references = ["the cat sat on the mat", "it rained all day", "she reads a book"] * 20
    >>> systems = {"base": ["the cat sat", "it rained", "she reads"] * 20, "new": references}
    >>> tarocco.compare(systems, references, metrics="chrF").of("chrF", "new").significant
    True
    """
    if not isinstance(systems, Mapping):
        raise InputError("systems must be a mapping from names to segments, with at least two systems to compare")
    changes = {name: value for name, value in shortcuts.items() if (name, value) != ("n_resamples", None)}
    options, text, draws, workers = apply_shortcuts(
        "compare", changes, options, text, resampling or RESAMPLING, workers
    )
    n_resamples = draws.n_resamples if resampling is not None or "n_resamples" in changes else 0
    scores = compute_scores(systems, references, metrics=metrics, external=external, text=text, workers=workers)
    test = PairedTest(options.test, n_resamples, draws.seed, options.alpha, workers.jobs)
    return compare_scores(scores, test, options.baseline, options.all_pairs)


def compare_scores(
    scores: Result, test: PairedTest, baseline: str | None = None, all_pairs: bool = False
) -> CompareResult:
    """Test every metric of a result; metrics with scores for whole systems only cannot be tested."""
    _check_test(test)
    names = list(dict.fromkeys(score.system for score in scores.scores))
    pairs = _choose_pairs(names, baseline, all_pairs)
    needed = required_draws(len(pairs), test.alpha) if DEFAULT_RESAMPLES[test.name] else 0
    if not test.n_resamples:
        test = replace(test, n_resamples=max(DEFAULT_RESAMPLES[test.name], needed))
    check_resampling(0.95, test.n_resamples or 2, test.seed)
    differences: list[Difference] = []
    untested, notes = [], []
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        by_system = {score.system: score for score in scores.scores if score.metric == metric}
        missing = [name for name in names if isnan(by_system[name].score)]
        if is_system_level(metric):
            untested.append(str(metric))
            notes.append(f"{metric} has scores for whole systems only, which cannot be resampled: not tested")
        elif missing:
            untested.append(str(metric))
            notes.append(f"{metric} has no score for {', '.join(missing)}: not tested")
        else:
            differences += compare_pairs([(by_system[first], by_system[second]) for first, second in pairs], test)
    if test.n_resamples < needed:
        notes.append(
            f"{test.n_resamples} resamples are too few for any of {len(pairs)} differences to be significant after "
            f"Holm's correction, which needs at least {needed}"
        )
    return CompareResult(scores, tuple(differences), test, all_pairs, tuple(untested), tuple(notes))


def _check_test(test: PairedTest) -> None:
    if test.name not in TESTS:
        raise BadParameter(f"test is one of {', '.join(TESTS)}, not {test.name!r}")
    if not (isinstance(test.alpha, Real) and 0 < test.alpha < 1):
        raise BadParameter(f"alpha is a number between 0 and 1, not {test.alpha!r}")


def _choose_pairs(names: Sequence[str], baseline: str | None, all_pairs: bool) -> list[tuple[str, str]]:
    """Return the pairs (baseline, system) to compare."""
    if len(names) < 2:
        raise InputError("found one system; a comparison needs at least two")
    first = baseline or names[0]
    if first not in names:
        raise InputError(f'there is no system "{first}" to compare with; there are {", ".join(names)}')
    return list(combinations(names, 2)) if all_pairs else [(first, name) for name in names if name != first]
