"""Comparison of systems with a baseline, or of all pairs of systems: `tarocco compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan
from typing import Any, Unpack

from tarocco.core.errors import InputError
from tarocco.core.records import ResultTable, number_or_null
from tarocco.core.test_set import Candidates, References
from tarocco.meta.significance.paired_tests import (
    DEFAULT_RESAMPLES,
    FEW_UNITS,
    Difference,
    PairedTest,
    SystemGroups,
    compare_pairs,
    group_systems,
    required_draws,
)
from tarocco.metrics.base import Metric
from tarocco.metrics.external import ExternalSource, external_metrics, is_system_level
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import score as compute_scores
from tarocco.scoring.score import score_test_set
from tarocco.scoring.score_tables import make_textless_test_set, name_rows
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
        draws += f"|tail:{test.resolution}" if test.resolution > test.n_resamples else ""
        unit = self._units.get(of.metric, "segment")
        return f"{of.signature}|test:{test.name}{draws}|unit:{unit}|alpha:{test.alpha:g}|correction:holm"

    @cached_property
    def _units(self) -> dict[Metric, str]:
        """What was drawn for each tested metric: segments or documents."""
        units = {difference.metric: difference.unit for difference in self.differences}
        by_metric = {score.metric: str(score.metric) for score in self.scores.scores}
        return {metric: units[name] for metric, name in by_metric.items() if name in units}

    @cached_property
    def groups(self) -> dict[str, SystemGroups]:
        """For each tested metric the order of systems that the tests allow; empty unless all pairs were tested."""
        if not self.all_pairs:
            return {}
        return {
            metric: group_systems(
                [score for score in self.scores.scores if str(score.metric) == metric],
                [difference for difference in self.differences if difference.metric == metric],
            )
            for metric in dict.fromkeys(difference.metric for difference in self.differences)
        }

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
                "low": number_or_null(difference.interval[0]),
                "high": number_or_null(difference.interval[1]),
                "better": difference.better,
                "p_value": difference.p_value,
                "p_holm": difference.p_holm,
                "significant": difference.significant,
                "detectable": number_or_null(difference.detectable),
                "detectable_holm": number_or_null(difference.detectable_holm),
                "unit": difference.unit,
                "units": difference.units,
                "differing": difference.differing,
                "exact": difference.exact,
                "testable": difference.testable,
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
        "randomization" (approximate, or exact where few units differ), "bootstrap", "sign" (Collins et al. 2005), or
        "sacrebleu" (its paired bootstrap, whose p-values are too small).
    baseline
        The system that the others are compared with; by default the first.
    all_pairs
        Whether every system is compared with every other system.
    alpha
        A difference is significant if its p-value, after Holm's correction, is at most alpha.
    unit
        What is swapped or drawn: "document" or "segment"; by default documents where they are known.
    """

    test: str = "randomization"
    baseline: str | None = None
    all_pairs: bool = False
    alpha: float = 0.05
    unit: str | None = None


COMPARE_OPTIONS = CompareOptions()


class CompareShortcuts(Shortcuts, total=False):
    """The fields of `CompareOptions`, `Text`, `Resampling` and `Workers` as keywords."""

    test: str
    baseline: str | None
    all_pairs: bool
    alpha: float
    unit: str | None


def compare(
    systems: Candidates | None = None,
    references: References | None = None,
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
        Without systems and references, metrics are those of `external`.
    references, metrics, external
        As for `tarocco.score`. The scores of `external` may also be arrays or data frames, systems x segments, with NaN
        where there is no score.
    options
        Which systems to compare, and by which test (`CompareOptions`).
    resampling
        The number of resamples and the seed (`Resampling`). By default there are 10,000, or as many as a difference
        needs to be significant among all pairs. The sign test needs none.
    text, workers
        How text is read (`Text`), and where work is done (`Workers`).
    **shortcuts
        The fields of these four values as keywords: test, baseline, all_pairs, alpha, unit, n_resamples, seed,
        tokenize, lowercase, analyzer, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> references = ["the cat sat on the mat", "it rained all day", "she reads a book"] * 20
    >>> systems = {"base": ["the cat sat", "it rained", "she reads"] * 20, "new": references}
    >>> tarocco.compare(systems, references, metrics="chrF").of("chrF", "new").significant
    True

    Scores without texts:

    >>> comet = {"base": [0.1, 0.4, 0.2] * 20, "new": [0.3, 0.5, 0.2] * 20}
    >>> tarocco.compare(external={"COMET": comet}).of("COMET", "new").significant
    True
    """
    textless = systems is None and references is None
    if not textless and not isinstance(systems, Mapping):
        raise InputError("systems must be a mapping from names to segments, with at least two systems to compare")
    changes = {name: value for name, value in shortcuts.items() if (name, value) != ("n_resamples", None)}
    options, text, draws, workers = apply_shortcuts(
        "compare", changes, options, text, resampling or RESAMPLING, workers
    )
    n_resamples = draws.n_resamples if resampling is not None or "n_resamples" in changes else 0
    tables = name_rows(external or {})
    if textless:
        if metrics != "BLEU-4" and metrics:
            raise InputError("metrics read texts: pass systems and references, or scores as `external`")
        test_set = make_textless_test_set(tables)
        scores = score_test_set(test_set, external_metrics(tables, test_set), text.encoding, workers=workers)
    else:
        scores = compute_scores(systems, references, metrics=metrics, external=tables, text=text, workers=workers)  # type: ignore[arg-type]
    test = PairedTest(options.test, n_resamples, draws.seed, options.alpha, workers.jobs, options.unit)
    return compare_scores(scores, test, options.baseline, options.all_pairs)


def compare_scores(
    scores: Result, test: PairedTest, baseline: str | None = None, all_pairs: bool = False
) -> CompareResult:
    """Test every metric of a result; metrics with scores for whole systems only cannot be tested."""
    names = list(dict.fromkeys(score.system for score in scores.scores))
    pairs = _choose_pairs(names, baseline, all_pairs)
    needed = required_draws(len(pairs), test.alpha) if DEFAULT_RESAMPLES[test.name] else 0
    if not test.n_resamples and test.name == "randomization":
        draws = DEFAULT_RESAMPLES[test.name]
        test = replace(test, n_resamples=draws, resolution=needed if needed > draws else 0)
    elif not test.n_resamples:
        test = replace(test, n_resamples=max(DEFAULT_RESAMPLES[test.name], needed))
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
    if max(test.n_resamples, test.resolution) < needed:
        notes.append(
            f"{test.n_resamples} resamples are too few for any of {len(pairs)} differences to be significant after "
            f"Holm's correction, which needs at least {needed}"
        )
    notes += describe_tests(differences, test)
    return CompareResult(scores, tuple(differences), test, all_pairs, tuple(untested), tuple(notes))


def _choose_pairs(names: Sequence[str], baseline: str | None, all_pairs: bool) -> list[tuple[str, str]]:
    """Return the pairs (baseline, system) to compare."""
    if len(names) < 2:
        raise InputError("found one system; a comparison needs at least two")
    first = baseline or names[0]
    if first not in names:
        raise InputError(f'there is no system "{first}" to compare with; there are {", ".join(names)}')
    return list(combinations(names, 2)) if all_pairs else [(first, name) for name in names if name != first]


def describe_tests(differences: Sequence[Difference], test: PairedTest) -> list[str]:
    """Say what limits the tests: few units, units that do not differ, a test that contradicts the scores."""
    notes = []
    if differences and test.name in ("bootstrap", "sacrebleu") and differences[0].units < FEW_UNITS:
        unit = differences[0].unit
        notes.append(
            f"{differences[0].units} {unit}s are few for the bootstrap, which then rejects too often: "
            "use --test randomization"
        )
    if test.name == "sacrebleu":
        notes.append(
            "sacrebleu's p-values are too small: between two systems of equal quality, 9 to 14 of 100 are below .05"
        )
    for difference in differences:
        pair = f"{difference.metric}, {difference.baseline} and {difference.system}"
        if difference.differing == 0:
            notes.append(f"{pair}: the outputs have equal statistics in every {difference.unit}, so p = 1")
        elif not difference.testable:
            notes.append(
                f"{pair}: cannot be tested: the systems differ in {difference.differing} {difference.unit}s, "
                f"and p <= {test.alpha:g} needs more"
            )
        if difference.details.get("contradicts_itself"):
            notes.append(f"{pair}: the sign test contradicts itself: each output improves the other system")
        elif difference.details.get("contradicts_scores"):
            notes.append(f"{pair}: the sign test contradicts the scores")
    return notes
