"""Can this metric be gamed on this data? `tarocco audit`.

Chiang, DeNeefe, Chan and Ng (2008), Decomposability of Translation Metrics for Improved Evaluation and Efficient
Algorithms, EMNLP: a metric in which segments pay for each other rewards what it should not. Five checks look for that
in given outputs (`contradicting`, `mixing`, `deleting`, `trading`, `straw`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import Candidates, References, listed, make_test_set
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.records import ResultTable
from tarocco.core.test_set import TestSet
from tarocco.encode.batch import Encoding
from tarocco.meta.audit.deletion import deletion
from tarocco.meta.audit.evidence import CHECKS, Evidence, Finding, Outcome, Settings
from tarocco.meta.audit.length_trading import trading
from tarocco.meta.audit.mixing import Labels, mixing
from tarocco.meta.audit.sign_contradictions import contradictions
from tarocco.meta.audit.straw_men import characters, ranking, straw_men
from tarocco.meta.significance.paired_tests import DEFAULT_RESAMPLES
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, Given, external_metrics, of_whole_systems
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.resampling import check_resampling, totals
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

METRICS = ("BLEU-4", "BLEU-SBP", "GRR-4", "METEOR-exact", "GTM-1", "WER")  # those of the paper


@dataclass(frozen=True, eq=False)
class AuditResult(ResultTable):
    """What five checks found, metric by metric; `scores` are as `tarocco.score` gives them.

    `result["BLEU-4"]` has the metric's outcomes by check; iteration goes over metrics, those that could be gamed in
    most ways first; of metrics that were gamed in as many ways that one whose outcomes' sizes add up to more.
    """

    scores: Result
    outcomes: Mapping[str, Mapping[str, Outcome]]
    settings: Settings
    labels: tuple[str, ...] | None
    left_out: Mapping[str, int] = field(default_factory=dict)  # segments without scores of all systems, by metric

    def __getitem__(self, metric: str) -> Mapping[str, Outcome]:
        if metric not in self.outcomes:
            raise InputError(f"{metric} was not audited; there are {', '.join(self.outcomes)}")
        return self.outcomes[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.ranking)

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def ranking(self) -> list[str]:
        """The metrics, the most gameable first."""
        return sorted(self.outcomes, key=lambda name: (-self.found(name), -self._size(name)))

    def found(self, metric: str) -> int:
        """In how many of the checks the metric could be gamed."""
        return sum(outcome.found for outcome in self[metric].values())

    def possible(self, metric: str) -> int:
        """How many checks there could be."""
        return sum(outcome.impossible is None for outcome in self[metric].values())

    def _size(self, metric: str) -> float:
        return sum(outcome.size for outcome in self[metric].values() if outcome.found)

    @property
    def findings(self) -> list[Finding]:
        """Everything that was found, by metric and check, the strongest first."""
        return [finding for name in self for outcome in self[name].values() for finding in outcome.findings]

    def score_of(self, metric: str) -> Score:
        """The first system's score under a metric: it knows the metric, and its scale."""
        return next(score for score in self.scores.scores if str(score.metric) == metric)

    def signature(self, metric: str) -> str:
        """What an audit is, in one line: the metric's signature and the settings of the checks."""
        own = self.settings
        return (
            f"{self.score_of(metric).signature}|audit|alpha:{own.alpha:g}|share:{own.share:g}|draws:{own.n_draws}"
            f"|n:{own.n_resamples}|seed:{own.seed}|groups:{len(self.labels) if self.labels else 'none'}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a metric and check, the strongest finding in it."""
        return [
            {
                "metric": name,
                "check": check,
                "possible": outcome.impossible is None,
                "found": outcome.found,
                "size": _known(outcome.size) if outcome.impossible is None else None,
                "findings": len(outcome.findings),
                "systems": " ".join(outcome.findings[0].systems) if outcome.findings else "",
                "segments": " ".join(map(str, outcome.findings[0].segments)) if outcome.findings else "",
                "p_value": outcome.findings[0].p_value if outcome.findings else None,
                "why_not": outcome.impossible or "",
                "signature": self.signature(name),
            }
            for name in self
            for check, outcome in self[name].items()
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco audit -f json` prints under "results": everything, a record a metric."""
        return [
            {
                "metric": name,
                "signature": self.signature(name),
                "rank": rank,
                "found": self.found(name),
                "possible": self.possible(name),
                "left_out": self.left_out.get(name, 0),
                "scores": {
                    score.system: _known(score.score) for score in self.scores.scores if str(score.metric) == name
                },
                "checks": {check: _record(outcome) for check, outcome in self[name].items()},
            }
            for rank, name in enumerate(self, start=1)
        ]

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(check)}</th>" for check in CHECKS)
        body = "".join(
            f"<tr><th>{escape(name)}</th><td>{self.found(name)} of {self.possible(name)}</td>"
            + "".join(f"<td>{_cell(outcome)}</td>" for outcome in self[name].values())
            + "</tr>"
            for name in self
        )
        return f"<table><thead><tr><th></th><th>found</th>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(outcome: Outcome) -> str:
    if outcome.impossible is not None:
        return "-"
    shown = f"{100 * outcome.size:.1f}%"
    return f"<b>{shown}</b>" if outcome.found else shown


def _record(outcome: Outcome) -> dict[str, Any]:
    if outcome.impossible is not None:
        return {"possible": False, "why_not": outcome.impossible}
    findings = [
        {
            "systems": list(finding.systems),
            "size": finding.size,
            **finding.numbers,
            "p_value": finding.p_value,
            "segments": list(finding.segments),
        }
        for finding in outcome.findings
    ]
    record = {"possible": True, "found": outcome.found, "size": outcome.size, **outcome.numbers, "findings": findings}
    plain: dict[str, Any] = _known(record)
    return plain


def _known(value: Any) -> Any:
    """The same without NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _known(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_known(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def audit(
    systems: Candidates,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    groups: Iterable[str] | None = None,
    alpha: float = 0.05,
    share: float = 0.1,
    n_draws: int = 100,
    seed: int = SEED,
    tokenize: str = "13a",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    external: Mapping[str, Given] | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> AuditResult:
    """Can these metrics be gamed on this data?

    Parameters
    ----------
    systems
        A mapping from system names to their segments. With one system there is nothing to compare, and three of the
        five checks are not possible.
    references, metrics, tokenize, lowercase, analyzer, external, jobs, store, executor
        As for `tarocco.score`.
    groups
        A label a segment, such as its genre: what can be mixed. Without labels the check of mixing is not possible.
    alpha
        Sign tests with at most this p-value are significant.
    share
        How much of the text is blanked.
    n_draws, seed
        How many draws of segments to blank, and of halves to exchange, and what they are drawn from.

    Example
    -------
    >>> import tarocco
    >>> references = ["the cat sat on the mat and slept", "it rained all day and all night long"] * 20
    >>> systems = {"long": [text + " again" for text in references], "short": [text[4:-6] for text in references]}
    >>> result = tarocco.audit(systems, references, metrics=["BLEU-4", "WER"])
    >>> [(name, result.found(name)) for name in result]
    [('BLEU-4', 2), ('WER', 0)]
    """
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    test_set = make_test_set(systems, references)
    chosen += external_metrics(external or {}, test_set, chosen)
    if not chosen:
        raise InputError("no metric was asked for")
    return audit_test_set(
        test_set,
        chosen,
        Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)),
        groups=None if groups is None else [str(label) for label in listed(groups, "groups")],
        settings=Settings(alpha, share, n_draws, DEFAULT_RESAMPLES["bootstrap"], seed, jobs),
        store=store,
        executor=executor,
    )


def audit_test_set(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    *,
    settings: Settings,
    groups: Sequence[str] | None = None,
    scores: Result | None = None,
    advance: Callable[[int], None] | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> AuditResult:
    """Audit every metric on a test set; `advance` is told how many more segments have scores.

    `scores` are those of the systems, if somebody has them already.
    """
    _check(settings)
    if groups is not None and len(groups) != len(test_set):
        raise InputError(f"there are {len(test_set)} segments, but {len(groups)} group labels: one a segment is wanted")
    labels = Labels.of(groups) if groups is not None else None
    made = straw_men(test_set.systems)
    computed = [metric for metric in metrics if not isinstance(metric, External)]
    options: dict[str, Any] = {"jobs": settings.jobs, "advance": advance, "store": store, "executor": executor}
    scores = scores or score_test_set(test_set, metrics, encoding, **options)
    called = {", ".join(filter(None, reversed(key))): key for key in made}
    men = TestSet({name: made[key] for name, key in called.items()}, test_set.references)
    of_straw = score_test_set(men, computed, encoding, **options) if computed else Result((), single=False)
    blank = [segments.blank for segments in test_set.systems.values()]
    lengths = np.array([characters(segments) for segments in test_set.systems.values()])
    outcomes, left_out = {}, {}
    for metric in metrics:
        own = tuple(score for score in scores.scores if score.metric == metric)
        if isinstance(metric, External) and not of_whole_systems(metric):
            own, left_out[str(metric)] = _of_the_same_segments(own)
        straw = tuple((score, *called[score.system]) for score in of_straw.scores if score.metric == metric)
        if of_whole_systems(metric):
            found = _not_possible(metric, "there are scores for whole systems alone")
        elif left_out.get(str(metric)) == len(test_set):
            found = _not_possible(metric, "no segment has scores of all systems")
        else:
            evidence = Evidence(own, straw[0][0] if straw else None, straw)
            found = (
                contradictions(evidence, settings),
                mixing(evidence, labels, settings),
                deletion(evidence, blank, settings),
                trading(evidence, lengths, settings),
                ranking(evidence, settings),
            )
        outcomes[str(metric)] = dict(zip(CHECKS, found, strict=True))
    gaps = {name: count for name, count in left_out.items() if count}
    return AuditResult(scores, outcomes, settings, labels.names if labels else None, gaps)


def _of_the_same_segments(scores: tuple[Score, ...]) -> tuple[tuple[Score, ...], int]:
    """Scores made elsewhere, as far as all systems have some, and how many segments that leaves out.

    Who is scored on other segments than the rest would be better or worse for that.
    """
    known: NDArray[np.bool_] = np.logical_and.reduce([score.statistics[:, 1] > 0 for score in scores])
    kept = []
    for score in scores:
        rows = np.where(known[:, None], score.statistics, 0.0)
        sums = totals(rows)
        kept.append(replace(score, statistics=rows, sums=sums, score=float(score.metric.score(sums))))
    return tuple(kept), int((~known).sum())


def _not_possible(metric: Metric, why: str) -> tuple[Outcome, ...]:
    return tuple(Outcome(str(metric), check, impossible=why) for check in CHECKS)


def _check(settings: Settings) -> None:
    for name in ("alpha", "share"):
        value: object = getattr(settings, name)
        if not (isinstance(value, Real) and 0 < float(value) < 1):
            raise BadParameter(f"{name} is a number between 0 and 1, not {value!r}")
    if not (isinstance(settings.n_draws, Integral) and settings.n_draws >= 1):
        raise BadParameter(f"n_draws is an integer of at least 1, not {settings.n_draws!r}")
    check_resampling(0.95, settings.n_resamples, settings.seed)
