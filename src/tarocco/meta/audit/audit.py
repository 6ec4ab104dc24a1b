"""Can a metric be gamed on this data? `tarocco audit`.

Chiang, DeNeefe, Chan and Ng (2008), Decomposability of Translation Metrics for Improved Evaluation and Efficient
Algorithms, EMNLP: a metric in which one segment can compensate for another rewards what it should not. Five checks look
for such rewards in the outputs of systems. A finding counts if the data show that the reward is larger than a stated
size, after correction for the number of tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.records import ResultTable
from tarocco.core.test_set import Candidates, References, TestSet, as_list, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.meta.audit.checks import (
    EXTERNAL,
    ONE_SYSTEM,
    TOO_LONG,
    SegmentGroups,
    check_deletion,
    check_mixing,
    check_sign_test,
    check_straw_men,
    check_trading,
    count_characters,
    make_straw_men,
)
from tarocco.meta.audit.evidence import CHECKS, AuditFinding, AuditSettings, CheckResult, Evidence
from tarocco.meta.audit.minimum_effects import LEAST_UNITS, correct
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, ExternalSource, external_metrics, is_system_level
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import TEXT, WORKERS, Text, TextShortcuts, Workers, WorkerShortcuts, apply_shortcuts

METRICS = ("BLEU-4", "BLEU-SBP", "GRR-4", "METEOR-exact", "GTM-1", "WER")  # those of the paper


@dataclass(frozen=True, eq=False)
class AuditResult(ResultTable):
    """The results of five checks per metric; `scores` are those of `tarocco.score`.

    `result["BLEU-4"]` has the metric's results by check. Iteration goes over metrics: first by the number of checks in
    which they can be gamed, then by the sum of these results' sizes.
    """

    scores: Result
    checks: Mapping[str, Mapping[str, CheckResult]]
    settings: AuditSettings
    labels: tuple[str, ...] | None
    unit: str = "segment"  # what is independent: documents where they are known
    n_units: int = 0

    def __getitem__(self, metric: str) -> Mapping[str, CheckResult]:
        if metric not in self.checks:
            raise InputError(f"{metric} was not audited; there are {', '.join(self.checks)}")
        return self.checks[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.ranking)

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def ranking(self) -> list[str]:
        """The metrics, the most gameable first."""
        return sorted(self.checks, key=lambda name: (-self.count_gamed(name), -self._size(name)))

    def count_gamed(self, metric: str) -> int:
        """Return the number of checks in which the metric can be gamed."""
        return sum(check.gamed for check in self[metric].values())

    def count_possible(self, metric: str) -> int:
        """Return the number of checks that were possible."""
        return sum(check.impossible is None for check in self[metric].values())

    def _size(self, metric: str) -> float:
        return sum(check.size for check in self[metric].values() if check.gamed)

    @property
    def findings(self) -> list[AuditFinding]:
        """All findings, by metric and check; those that count come first, the largest first."""
        return [finding for name in self for check in self[name].values() for finding in check.findings]

    def score_of(self, metric: str) -> Score:
        """Return the first system's score under a metric, for the metric and its scale."""
        return next(score for score in self.scores.scores if str(score.metric) == metric)

    def signature(self, metric: str) -> str:
        """Return the metric's signature and the settings of the checks, in one line."""
        used = self.settings
        return (
            f"{self.score_of(metric).signature}|audit|alpha:{used.alpha:g}|share:{used.share:g}"
            f"|least:{used.least_gain:g},{used.least_forgiven:g},{used.least_majority:g}|draws:{used.n_draws}"
            f"|seed:{used.seed}|units:{self.n_units} {self.unit}s"
            f"|groups:{len(self.labels) if self.labels else 'none'}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and check, with its strongest finding."""
        return [
            {
                "metric": name,
                "check": kind,
                "possible": check.impossible is None,
                "found": check.gamed,
                "tests": check.n_tests,
                "counted": check.counted,
                **_first(check),
                "why_not": check.impossible or "",
                "signature": self.signature(name),
            }
            for name in self
            for kind, check in self[name].items()
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what `tarocco audit -f json` prints under "results": one record per metric."""
        return [
            {
                "metric": name,
                "signature": self.signature(name),
                "rank": rank,
                "found": self.count_gamed(name),
                "possible": self.count_possible(name),
                "scores": {
                    score.system: _known(score.score) for score in self.scores.scores if str(score.metric) == name
                },
                "checks": {kind: _record(check) for kind, check in self[name].items()},
            }
            for rank, name in enumerate(self, start=1)
        ]

    def display(self) -> list[dict[str, Any]]:
        """Return one row per metric; a star marks the checks in which it can be gamed."""
        return [
            {"metric": name, "found": f"{self.count_gamed(name)} of {self.count_possible(name)}"}
            | {
                kind: "-" if check.impossible else f"{check.counted} of {check.n_tests}{'*' * check.gamed}"
                for kind, check in self[name].items()
            }
            for name in self
        ]


_FIELDS = ("effect", "size", "threshold", "p_value", "p_holm", "counts")


def _first(check: CheckResult) -> dict[str, Any]:
    """Return the first finding of a check as part of a flat record."""
    if not check.findings:
        return dict.fromkeys(("systems", *_FIELDS, "segments"))
    first = check.findings[0]
    return {
        "systems": " ".join(first.systems),
        **{name: _known(getattr(first, name)) for name in _FIELDS},
        "segments": " ".join(map(str, first.segments)),
    }


def _record(check: CheckResult) -> dict[str, Any]:
    if check.impossible is not None:
        return {"possible": False, "why_not": check.impossible}
    findings = [
        {
            "systems": list(finding.systems),
            **{name: getattr(finding, name) for name in _FIELDS},
            **finding.numbers,
            "segments": list(finding.segments),
        }
        for finding in check.findings
    ]
    record = {
        "possible": True,
        "found": check.gamed,
        "p_value": check.p_value,
        "tests": check.n_tests,
        "counted": check.counted,
        **check.numbers,
        "findings": findings,
    }
    plain: dict[str, Any] = _known(record)
    return plain


def _known(value: Any) -> Any:
    """Return a value without NaN and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_known(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class AuditShortcuts(TextShortcuts, WorkerShortcuts, total=False):
    """The fields of `AuditSettings`, `Text` and `Workers` as keywords."""

    alpha: float
    share: float
    least_gain: float
    least_forgiven: float
    least_majority: float
    n_draws: int
    seed: int


SETTINGS = AuditSettings()


def audit(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    groups: Iterable[str] | None = None,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    settings: AuditSettings = SETTINGS,
    text: Text = TEXT,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[AuditShortcuts],
) -> AuditResult:
    """Find out whether metrics can be gamed on this data.

    Parameters
    ----------
    systems
        A mapping from system names to their segments. With only one system, three of the five checks are not possible.
    references, metrics, external
        As for `tarocco.score`.
    groups
        One label per segment, such as its genre. Without labels, the check "mixing" is not possible.
    documents
        One label per segment. Whole documents are then the units of the tests: their segments are not independent.
    settings
        The options of the checks (`AuditSettings`).
    text, workers
        How text is read (`Text`), and where work is done (`Workers`).
    **shortcuts
        The fields of these three values as keywords: alpha, share, least_gain, least_forgiven, least_majority, n_draws,
        seed, tokenize, lowercase, analyzer, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> references = ["the cat sat on the mat and slept", "it rained all day and all night long"] * 20
    >>> systems = {"long": [text + " again" for text in references], "short": [text[4:-6] for text in references]}
    >>> result = tarocco.audit(systems, references, metrics=["BLEU-4", "WER"])
    >>> [(name, result.count_gamed(name)) for name in result]
    [('BLEU-4', 1), ('WER', 0)]
    """
    settings, text, workers = apply_shortcuts("audit", shortcuts, settings, text, workers)
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    test_set = make_test_set(systems, references, documents)
    chosen += external_metrics(external or {}, test_set, chosen)
    if not chosen:
        raise InputError("no metric to audit")
    labels = None if groups is None else [str(label) for label in as_list(groups, "groups")]
    return audit_test_set(test_set, chosen, text.encoding, settings=settings, workers=workers, groups=labels)


def audit_test_set(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    *,
    settings: AuditSettings,
    workers: Workers,
    groups: Sequence[str] | None = None,
    scores: Result | None = None,
) -> AuditResult:
    """Audit every metric on a test set; `scores` are those of the systems, if they are known already."""
    if groups is not None and len(groups) != len(test_set):
        raise InputError(f"expected one group label per segment: {len(test_set)} segments, found {len(groups)} labels")
    segment_groups = SegmentGroups.of(groups) if groups is not None else None
    units = SegmentGroups.of(test_set.documents or [str(i) for i in range(len(test_set))])
    scores = scores or score_test_set(test_set, metrics, encoding, workers=workers)
    outputs = _OtherOutputs.score(test_set, metrics, encoding, workers)
    blank = [segments.blank for segments in test_set.systems.values()]
    lengths = {name: count_characters(segments) for name, segments in test_set.systems.items()}
    longest = max(count_characters(segments) for segments in test_set.references)
    too_long = frozenset(name for name, length in lengths.items() if length > TOO_LONG * longest)
    unit = "segment" if test_set.documents is None else "document"
    checks: dict[str, Mapping[str, CheckResult]] = {}
    for metric in metrics:
        of_metric = tuple(score for score in scores.scores if score.metric == metric)
        results: Iterable[CheckResult]
        why = _why_not(metric, len(units.names), unit, outputs)
        if why is not None:
            results = [CheckResult(str(metric), check, impossible=why) for check in CHECKS]
        elif isinstance(metric, External):
            results = _check_means(of_metric, segment_groups)
        else:
            evidence = outputs.evidence(of_metric, units.numbers)
            results = correct(
                [
                    check_sign_test(evidence, settings),
                    check_mixing(evidence, segment_groups, settings),
                    check_deletion(evidence, blank, settings),
                    check_trading(evidence, list(lengths.values()), settings),
                    check_straw_men(evidence, too_long, settings),
                ],
                settings.alpha,
            )
        checks[str(metric)] = dict(zip(CHECKS, results, strict=True))
    names = segment_groups.names if segment_groups else None
    return AuditResult(scores, checks, settings, names, unit, len(units.names))


@dataclass(frozen=True)
class _OtherOutputs:
    """The scores of straw men and of a reference, under all metrics that can score any text."""

    straw_men: tuple[tuple[Score, str, str | None], ...]
    reference: tuple[Score, ...]

    @classmethod
    def score(cls, test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding, workers: Workers) -> _OtherOutputs:
        computed = [metric for metric in metrics if not isinstance(metric, External)]
        if not computed:
            return cls((), ())
        straw_texts = make_straw_men(test_set.systems)
        keys = {", ".join(filter(None, reversed(key))): key for key in straw_texts}
        straw_men = TestSet({name: straw_texts[key] for name, key in keys.items()}, test_set.references)
        reference = TestSet({"reference": test_set.references[0]}, test_set.references)
        scores, of_reference = (
            score_test_set(outputs, computed, encoding, workers=workers).scores for outputs in (straw_men, reference)
        )
        return cls(tuple((score, *keys[score.system]) for score in scores), of_reference)

    def evidence(self, scores: tuple[Score, ...], units: NDArray[np.intp]) -> Evidence:
        metric = scores[0].metric
        straw = tuple(straw_man for straw_man in self.straw_men if straw_man[0].metric == metric)
        reference = next(score for score in self.reference if score.metric == metric)
        return Evidence(scores, straw[0][0], reference, units, straw)


def _why_not(metric: Metric, n_units: int, unit: str, outputs: _OtherOutputs) -> str | None:
    """Return why a metric cannot be audited, or None."""
    if is_system_level(metric):
        return "there are only scores of whole systems"
    if n_units < LEAST_UNITS:
        count = f"is only 1 {unit}" if n_units == 1 else f"are only {n_units} {unit}s"
        return f"there {count}, and a test needs at least {LEAST_UNITS} independent units"
    if isinstance(metric, External):
        return None
    reference = next(score for score in outputs.reference if score.metric == metric)
    empty = next(score for score, _, _ in outputs.straw_men if score.metric == metric)
    if not metric.sign * (reference.score - empty.score) > 0:
        return "a reference scores no better than an empty output"
    return None


def _check_means(scores: Sequence[Score], groups: SegmentGroups | None) -> list[CheckResult]:
    """Return the results for external scores: means of segments cannot be gamed by pairs (Chiang et al., section 4)."""
    known = {score.system: score.statistics[:, 1] > 0 for score in scores}
    tests = {frozenset(pair): 1 for pair in combinations(known, 2) if (known[pair[0]] & known[pair[1]]).any()}
    why = None if tests else ONE_SYSTEM if len(scores) < 2 else "no two systems have scores of the same segments"
    reasons = {
        "sign test": why,
        "mixing": "segments have no labels" if groups is None else why,
        "deletion": EXTERNAL,
        "trading": why,
        "straw men": EXTERNAL,
    }
    return [
        CheckResult(str(scores[0].metric), check, tests={} if reasons[check] else tests, impossible=reasons[check])
        for check in CHECKS
    ]
