"""`Findings` as plain data: whatever the page shows is here, and `json.dumps` can write it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from tarocco._version import __version__
from tarocco.errors import InputError, TaroccoError
from tarocco.judge.comparing import CompareResult
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External
from tarocco.present.page.browsing import segments_part
from tarocco.present.page.judged import (
    audit_part,
    correlation_part,
    curves_part,
    jack_part,
    king_part,
    optimal_part,
    orange_part,
    queen_part,
)
from tarocco.present.page.terms import used
from tarocco.registry import metric as metric_named
from tarocco.results import Result
from tarocco.trials.findings import Findings

FORM = 1  # of the payload; a page of another form is refused

# Terms that a section brings along.
OF_PARTS = {
    "board": "interval cluster significant p-value segment",
    "orange": "ORANGE confusion set n-best list reference interval",
    "king": "KING strict KING reference interval",
    "optimal": "KING strict KING",
    "queen": "QUEEN reference",
    "jack": "JACK reference",
    "people": "correlation interval cluster",
    "curves": "correlation reference",
    "audit": "audit gameable",
    "agreement": "correlation segment",
    "segments": "segment reference",
}


def payload_of(findings: Findings, explained: int | None = None) -> dict[str, Any]:
    """Everything that a page shows. `explained` is how many explanations are made for highlighting, where none are."""
    encoding = findings.encoding
    scores = findings.scores or (findings.comparison.scores if findings.comparison else None)
    if scores is None and findings.audit is not None:
        scores = findings.audit.scores
    words = encoding.words if encoding is not None else str.split
    parts: dict[str, Any] = {
        "tarocco": __version__,
        "form": FORM,
        "name": findings.name,
        "command": findings.command,
        "seed": findings.seed,
        "reading": None
        if encoding is None
        else {"tokenize": encoding.tokenize, "lowercase": encoding.lowercase, "analyzer": encoding.analyzer},
        "counts": _counts(findings),
        "systems": _systems(findings, scores),
        "references": list(findings.test_set.stream_names) if findings.test_set is not None else [],
        "metrics": _metrics(findings, scores),
        "plan": [vars(step) for step in findings.plan],
        "verdict": _verdict(findings),
        "board": None if scores is None else _board(scores, findings.comparison),
        "agreement": None
        if findings.agreement is None
        else {
            "metrics": list(findings.agreement.metrics),
            "correlation": findings.agreement.correlation.tolist(),
        },
        "breakdowns": [
            {
                "by": one.by,
                "parts": list(one.parts),
                "sizes": list(one.sizes),
                "systems": list(one.systems),
                "scores": {name: values.tolist() for name, values in one.scores.items()},
            }
            for one in findings.breakdowns
        ],
        "orange": None if findings.orange is None else orange_part(findings.orange, words),
        "king": None if findings.kings is None else king_part(findings.kings),
        "queen": None if findings.queens is None else queen_part(findings.queens),
        "jack": None if findings.jack is None else jack_part(findings.jack),
        "optimal": None if findings.optimal is None else optimal_part(findings.optimal),
        "people": [correlation_part(one) for one in findings.correlations],
        "curves": None if findings.curves is None else curves_part(findings.curves),
        "audit": None if findings.audit is None else audit_part(findings.audit),
        "segments": segments_part(_with_scores(findings, scores), explained),
        "notes": list(findings.notes),
    }
    known = {key: value for key, value in parts.items() if value not in (None, [], {})}
    known["terms"] = used(_sentences(known))
    plain: dict[str, Any] = _finite(known)
    return plain


def _with_scores(findings: Findings, scores: Result | None) -> Findings:
    from dataclasses import replace

    return findings if findings.scores is scores else replace(findings, scores=scores)


def _counts(findings: Findings) -> dict[str, int]:
    counts = {}
    if findings.test_set is not None:
        test_set = findings.test_set
        counts = {"segments": len(test_set), "systems": len(test_set.systems), "references": len(test_set.references)}
    if findings.orange is not None:
        counts["lists"] = len(findings.orange.segments)
    return counts


def _systems(findings: Findings, scores: Result | None) -> list[str]:
    if findings.test_set is not None:
        return list(findings.test_set.systems)
    return list(dict.fromkeys(score.system for score in scores.scores)) if scores is not None else []


def _metrics(findings: Findings, scores: Result | None) -> list[dict[str, Any]]:
    """Every metric that anything was found out about: its direction, its printed scale, what it is."""
    known: dict[str, tuple[Metric | None, str | None]] = {}
    for score in scores.scores if scores is not None else ():
        known.setdefault(str(score.metric), (score.metric, score.signature))
    for name, signature in _signatures(findings):
        if name not in known:
            known[name] = _found(name), signature
    return [_metric(name, *own) for name, own in known.items()]


def _signatures(findings: Findings) -> Iterator[tuple[str, str]]:
    for one in findings.orange.metrics if findings.orange else ():
        yield one.metric, one.signature
    for king in findings.kings or ():
        if len(king.metrics) == 1:
            yield king.metrics[0], king.signature
    for candidate in findings.optimal.candidates if findings.optimal else ():
        yield candidate.metric, candidate.signature
    for result in findings.correlations:
        yield from ((one.metric, one.signature) for one in result if not one.sentinel)
    for curve in findings.curves.asked if findings.curves else ():
        yield curve.metric, curve.signature


def _found(name: str) -> Metric | None:
    try:
        return metric_named(name)
    except TaroccoError:
        return None


def _metric(name: str, metric: Metric | None, signature: str | None) -> dict[str, Any]:
    if metric is None:
        return {"name": name, "kind": "similarity", "scale": 1, "digits": 4, "signature": signature}
    record = {"name": name, "kind": metric.kind, "scale": metric.scale, "digits": 2 if metric.scale == 100 else 4}
    if not isinstance(metric, External):  # which were made elsewhere, and say nothing of themselves
        record |= {"summary": metric.summary, "paper": metric.paper}
    return record | {"signature": signature}


def _verdict(findings: Findings) -> dict[str, Any] | None:
    verdict = findings.verdict
    if verdict is None:
        return None
    return {
        "headline": verdict.headline,
        "metrics": [
            {
                "metric": one.metric,
                "trust": one.trust,
                "reason": one.reason,
                "opinions": [vars(opinion) for opinion in one.opinions],
            }
            for one in verdict.metrics
        ],
        "disagreements": list(verdict.disagreements),
        "systems": list(verdict.systems),
        "interesting": list(verdict.interesting),
        "caveats": list(verdict.caveats),
    }


def _board(scores: Result, comparison: CompareResult | None) -> dict[str, Any]:
    """Scores of all systems under all metrics, with intervals and clusters."""
    interval = next((score.interval for score in scores.scores if score.interval), None)
    board: dict[str, Any] = {"scores": [], "confidence": interval.confidence if interval else None}
    clusters = _clusters(scores, comparison)
    for score in scores.scores:
        record: dict[str, Any] = {"system": score.system, "metric": str(score.metric), "score": score.score}
        if score.interval is not None:
            record["interval"] = [score.interval.low, score.interval.high]
        if (score.system, str(score.metric)) in clusters:
            record["cluster"] = clusters[score.system, str(score.metric)]
        board["scores"].append(record)
    if comparison is not None:
        test = comparison.test
        board["test"] = {
            "name": test.name,
            "alpha": test.alpha,
            "n_resamples": test.n_resamples,
            "seed": test.seed,
            "all_pairs": comparison.all_pairs,
        }
        board["pairs"] = [
            {
                "metric": one.metric,
                "baseline": one.baseline,
                "system": one.system,
                "difference": one.difference,
                "better": one.better,
                "p_holm": one.p_holm,
                "significant": one.significant,
            }
            for one in comparison.differences
        ]
        board["notes"] = list(comparison.notes)
    return board


def _clusters(scores: Result, comparison: CompareResult | None) -> dict[tuple[str, str], int]:
    """Of each system under each metric: 1 for the best cluster.

    A cluster ends where every system above is significantly better than every system below.
    """
    if comparison is None or not comparison.all_pairs:
        return {}
    apart = {(one.metric, frozenset((one.baseline, one.system))) for one in comparison.differences if one.significant}
    found: dict[tuple[str, str], int] = {}
    for metric in dict.fromkeys(score.metric for score in scores.scores):
        name = str(metric)
        own = [score for score in scores.scores if score.metric == metric and not math.isnan(score.score)]
        if name in comparison.untested:
            continue
        own.sort(key=lambda score: -metric.sign * score.score)
        cluster = 1
        for at, score in enumerate(own):
            above, below = own[:at], own[at:]
            if at and all((name, frozenset((a.system, b.system))) in apart for a in above for b in below):
                cluster += 1
            found[score.system, name] = cluster
    return found


def _sentences(parts: dict[str, Any]) -> Iterator[str]:
    """Texts of our own in which terms may occur; not those of the data."""
    for key, value in parts.items():
        if key not in ("segments", "systems", "name", "command"):
            yield from _strings(value)
    yield from (words for part, words in OF_PARTS.items() if part in parts)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in ("text", "source", "signature", "paper"):
                yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _finite(value: Any) -> Any:
    """The same in types that JSON has: null for what is no number, lists for tuples."""
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def json_of(payload: dict[str, Any]) -> str:
    """The payload as a file holds it; the same payload is the same bytes."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_payload(text: str, origin: str) -> dict[str, Any]:
    """A payload from JSON, or from a page that was made of one."""
    marker = '<script type="application/json" id="payload">'
    if marker in text:
        text = text.split(marker, 1)[1].split("</script>", 1)[0]
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"{origin}: neither an experiment, nor a report, nor JSON: {error}") from None
    if not isinstance(found, dict) or found.get("form") != FORM or "name" not in found:
        raise InputError(f"{origin}: this JSON is not the data of a report, which `tarocco report --json` writes")
    return found
