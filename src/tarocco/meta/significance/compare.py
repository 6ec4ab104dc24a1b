"""Systems compared with a baseline, or all with each other: `tarocco compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarocco.annotate.analyzers import Analyzer
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
from tarocco.scoring.score import score
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


@dataclass(frozen=True, eq=False)
class CompareResult(ResultTable):
    """Scores, and which of their compare_pairs are more than luck. `scores` are as `tarocco.score` gives them."""

    scores: Result
    differences: tuple[Difference, ...]
    test: PairedTest
    all_pairs: bool
    untested: tuple[str, ...] = ()  # metrics with scores for whole systems only, or without any
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def of(self, metric: str, system: str, baseline: str | None = None) -> Difference:
        """What was found of a system under a metric, compared with the baseline or with another system."""
        for one in self.differences:
            if (one.metric, one.system) == (metric, system) and baseline in (None, one.baseline):
                return one
        raise InputError(f"{system} was not compared under {metric}" + (f" with {baseline}" if baseline else ""))

    def signature(self, of: Score) -> str:
        """What a test is, in one line: the metric's signature and how luck was measured."""
        test = self.test
        how = f"test:{test.name}" + (f"|n:{test.n_resamples}|seed:{test.seed}" if test.n_resamples else "")
        return f"{of.signature}|{how}|alpha:{test.alpha:g}|correction:holm"

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a metric and pair of systems."""
        by_name = {(score.system, str(score.metric)): score for score in self.scores.scores}
        return [
            {
                "metric": one.metric,
                "baseline": one.baseline,
                "system": one.system,
                "baseline_score": by_name[one.baseline, one.metric].score,
                "score": by_name[one.system, one.metric].score,
                "difference": one.difference,
                "better": one.better,
                "p_value": one.p_value,
                "p_holm": one.p_holm,
                "significant": one.significant,
                "detectable": None if one.detectable == float("inf") else one.detectable,
                **one.details,
                "signature": self.signature(by_name[one.system, one.metric]),
            }
            for one in self.differences
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco compare -f json` prints under "results"."""
        return [
            {"metric": row["metric"], "pair": [row["baseline"], row["system"]], **_rest(row)} for row in self.rows()
        ]


def _rest(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("metric", "baseline", "system")}


def compare(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    test: str = "bootstrap",
    baseline: str | None = None,
    all_pairs: bool = False,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    seed: int = SEED,
    tokenize: str = "13a",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> CompareResult:
    """Is the difference between systems luck?

    Parameters
    ----------
    systems
        A mapping from system names to their segments; the first is the baseline, unless `baseline` names another.
    references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.score`.
    test
        "bootstrap" (paired, as in sacrebleu), "randomization" (approximate randomization) or "sign" (Collins et al.).
    all_pairs
        Compare every system with every other, not with the baseline alone.
    alpha
        Differences with a smaller p-value, after Holm's correction, are called significant.
    n_resamples, seed
        1000 resamples for the bootstrap and 10000 swaps for randomization by default, or as many as it takes for a
        difference to be significant among so many pairs; the sign test needs none.

    Example
    -------
    >>> import tarocco
    >>> references = ["the cat sat on the mat", "it rained all day", "she reads a book"] * 20
    >>> systems = {"base": ["the cat sat", "it rained", "she reads"] * 20, "new": references}
    >>> tarocco.compare(systems, references, metrics="chrF").of("chrF", "new").significant
    True
    """
    if not isinstance(systems, Mapping):
        raise InputError("systems is a mapping from names to segments: there are at least two to compare")
    scores = score(
        systems,
        references,
        metrics=metrics,
        tokenize=tokenize,
        lowercase=lowercase,
        analyzer=analyzer,
        external=external,
        jobs=jobs,
        store=store,
        executor=executor,
    )
    asked = PairedTest(test, 0 if n_resamples is None else n_resamples, seed, alpha, jobs)
    return compare_scores(scores, asked, baseline, all_pairs)


def compare_scores(
    scores: Result, test: PairedTest, baseline: str | None = None, all_pairs: bool = False
) -> CompareResult:
    """PairedTest every metric of a result; scores that were made for whole systems have nothing to draw from.

    Without a number of resamples in `test` there are the usual number, or as many as the pairs need.
    """
    if test.name not in TESTS:
        raise BadParameter(f"test is one of {', '.join(TESTS)}, not {test.name!r}")
    if not (isinstance(test.alpha, Real) and 0 < test.alpha < 1):
        raise BadParameter(f"alpha is a number between 0 and 1, not {test.alpha!r}")
    names = list(dict.fromkeys(score.system for score in scores.scores))
    if len(names) < 2:
        raise InputError("there is one system: at least two are wanted to compare")
    first = baseline or names[0]
    if first not in names:
        raise InputError(f'there is no system "{first}" to compare with; there are {", ".join(names)}')
    pairs = list(combinations(names, 2)) if all_pairs else [(first, name) for name in names if name != first]
    needed = required_draws(len(pairs), test.alpha) if DEFAULT_RESAMPLES[test.name] else 0
    if not test.n_resamples:
        test = replace(test, n_resamples=max(DEFAULT_RESAMPLES[test.name], needed))
    check_resampling(0.95, test.n_resamples or 2, test.seed)
    found: list[Difference] = []
    untested, notes = [], []
    for metric in dict.fromkeys(one.metric for one in scores.scores):
        own = {one.system: one for one in scores.scores if one.metric == metric}
        without = [name for name in names if isnan(own[name].score)]
        if is_system_level(metric) or without:
            untested.append(str(metric))
            notes.append(
                f"{metric} has scores for whole systems alone, and nothing to draw from: it is not tested"
                if is_system_level(metric)
                else f"{metric} has no score of {', '.join(without)}: it is not tested"
            )
        else:
            found += compare_pairs([(own[one], own[other]) for one, other in pairs], test)
    if test.n_resamples < needed:
        notes.append(
            f"{test.n_resamples} resamples are too few for any of {len(pairs)} differences to be significant after "
            f"Holm's correction: at least {needed} are wanted"
        )
    return CompareResult(scores, tuple(found), test, all_pairs, tuple(untested), tuple(notes))
