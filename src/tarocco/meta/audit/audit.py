"""Can a metric be gamed on this data? `tarocco audit`.

Chiang, DeNeefe, Chan and Ng (2008), Decomposability of Translation Metrics for Improved Evaluation and Efficient
Algorithms, EMNLP: a metric in which one segment can compensate for another rewards what it should not. Five checks look
for such rewards in the outputs of systems.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.records import ResultTable
from tarocco.core.test_set import Candidates, References, TestSet, as_list, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.meta.audit.checks import (
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
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, ExternalSource, external_metrics, is_system_level
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import sum_rows
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import TEXT, WORKERS, Text, TextShortcuts, Workers, WorkerShortcuts, apply_shortcuts

METRICS = ("BLEU-4", "BLEU-SBP", "GRR-4", "METEOR-exact", "GTM-1", "WER")  # those of the paper


@dataclass(frozen=True, eq=False)
class AuditResult(ResultTable):
    """The results of five checks per metric; `scores` are those of `tarocco.score`.

    `result["BLEU-4"]` has the metric's results by check. Iteration goes over metrics: first by the number of checks in
    which they can be gamed, then by the sum of the results' sizes.
    """

    scores: Result
    checks: Mapping[str, Mapping[str, CheckResult]]
    settings: AuditSettings
    labels: tuple[str, ...] | None
    left_out: Mapping[str, int] = field(default_factory=dict)  # segments without scores of all systems, by metric

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
        """All findings, by metric and check, the strongest first."""
        return [finding for name in self for check in self[name].values() for finding in check.findings]

    def score_of(self, metric: str) -> Score:
        """Return the first system's score under a metric, for the metric and its scale."""
        return next(score for score in self.scores.scores if str(score.metric) == metric)

    def signature(self, metric: str) -> str:
        """Return the metric's signature and the settings of the checks, in one line."""
        used = self.settings
        return (
            f"{self.score_of(metric).signature}|audit|alpha:{used.alpha:g}|share:{used.share:g}|draws:{used.n_draws}"
            f"|n:{used.n_resamples}|seed:{used.seed}|groups:{len(self.labels) if self.labels else 'none'}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and check, with its strongest finding."""
        return [
            {
                "metric": name,
                "check": kind,
                "possible": check.impossible is None,
                "found": check.gamed,
                "size": _known(check.size) if check.impossible is None else None,
                "findings": len(check.findings),
                "systems": " ".join(check.findings[0].systems) if check.findings else "",
                "segments": " ".join(map(str, check.findings[0].segments)) if check.findings else "",
                "p_value": check.findings[0].p_value if check.findings else None,
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
                "left_out": self.left_out.get(name, 0),
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
                kind: "-" if check.impossible else f"{100 * check.size:.1f}%{'*' * check.gamed}"
                for kind, check in self[name].items()
            }
            for name in self
        ]


def _record(check: CheckResult) -> dict[str, Any]:
    if check.impossible is not None:
        return {"possible": False, "why_not": check.impossible}
    findings = [
        {
            "systems": list(finding.systems),
            "size": finding.size,
            **finding.numbers,
            "p_value": finding.p_value,
            "segments": list(finding.segments),
        }
        for finding in check.findings
    ]
    record = {"possible": True, "found": check.gamed, "size": check.size, **check.numbers, "findings": findings}
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
    n_draws: int
    n_resamples: int
    seed: int


SETTINGS = AuditSettings()


def audit(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    groups: Iterable[str] | None = None,
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
    settings
        The options of the checks (`AuditSettings`).
    text, workers
        How text is read (`Text`), and where work is done (`Workers`).
    **shortcuts
        The fields of these three values as keywords: alpha, share, n_draws, n_resamples, seed, tokenize, lowercase,
        analyzer, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> references = ["the cat sat on the mat and slept", "it rained all day and all night long"] * 20
    >>> systems = {"long": [text + " again" for text in references], "short": [text[4:-6] for text in references]}
    >>> result = tarocco.audit(systems, references, metrics=["BLEU-4", "WER"])
    >>> [(name, result.count_gamed(name)) for name in result]
    [('BLEU-4', 2), ('WER', 0)]
    """
    settings, text, workers = apply_shortcuts("audit", shortcuts, settings, text, workers)
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    test_set = make_test_set(systems, references)
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
    computed = [metric for metric in metrics if not isinstance(metric, External)]
    scores = scores or score_test_set(test_set, metrics, encoding, workers=workers)
    made = make_straw_men(test_set.systems)
    keys = {", ".join(filter(None, reversed(key))): key for key in made}
    straw_men = TestSet({name: made[key] for name, key in keys.items()}, test_set.references)
    straw_scores = score_test_set(straw_men, computed, encoding, workers=workers).scores if computed else ()
    blank = [segments.blank for segments in test_set.systems.values()]
    lengths = np.array([count_characters(segments) for segments in test_set.systems.values()])
    checks: dict[str, Mapping[str, CheckResult]] = {}
    left_out: dict[str, int] = {}
    for metric in metrics:
        of_metric = tuple(score for score in scores.scores if score.metric == metric)
        if isinstance(metric, External) and not is_system_level(metric):
            of_metric, left_out[str(metric)] = _of_the_same_segments(of_metric)
        straw = tuple((score, *keys[score.system]) for score in straw_scores if score.metric == metric)
        results: Iterable[CheckResult]
        if is_system_level(metric):
            results = _not_possible(metric, "there are only scores of whole systems")
        elif left_out.get(str(metric)) == len(test_set):
            results = _not_possible(metric, "no segment has scores of all systems")
        else:
            evidence = Evidence(of_metric, straw[0][0] if straw else None, straw, workers.jobs)
            results = (
                check_sign_test(evidence, settings),
                check_mixing(evidence, segment_groups, settings),
                check_deletion(evidence, blank, settings),
                check_trading(evidence, lengths, settings),
                check_straw_men(evidence, settings),
            )
        checks[str(metric)] = dict(zip(CHECKS, results, strict=True))
    gaps = {name: count for name, count in left_out.items() if count}
    return AuditResult(scores, checks, settings, segment_groups.names if segment_groups else None, gaps)


def _of_the_same_segments(scores: tuple[Score, ...]) -> tuple[tuple[Score, ...], int]:
    """Restrict external scores to the segments that all systems have, and count the others.

    A system that is scored on different segments is not comparable.
    """
    known: NDArray[np.bool_] = np.logical_and.reduce([score.statistics[:, 1] > 0 for score in scores])
    restricted = []
    for score in scores:
        rows = np.where(known[:, None], score.statistics, 0.0)
        sums = sum_rows(rows)
        restricted.append(replace(score, statistics=rows, sums=sums, score=float(score.metric.score(sums))))
    return tuple(restricted), int((~known).sum())


def _not_possible(metric: Metric, why: str) -> tuple[CheckResult, ...]:
    return tuple(CheckResult(str(metric), check, impossible=why) for check in CHECKS)
