"""`Findings` as plain data: everything that the page shows, in types that JSON has."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tarocco._version import __version__
from tarocco.core.errors import InputError
from tarocco.core.json_text import json_text
from tarocco.io.files import display_name, read_bytes
from tarocco.io.text import check_utf8
from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.audit.evidence import CHECKS
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.confusions import Confusion, RankedText, hold_out_each, outranked
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import JackResult, KingResult, OptimizeResult, QueenResult
from tarocco.meta.references.curves import ReferencesResult
from tarocco.meta.significance.compare import CompareResult
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External
from tarocco.render.export import known_metric
from tarocco.render.page.schema import check_payload
from tarocco.render.page.segments import GAINED, MATCHED, marks_of_states, segments_part
from tarocco.render.results.audit import audit_table, legend, not_possible, sentences
from tarocco.render.results.score import digits_of
from tarocco.render.terms import find_terms
from tarocco.scoring.results import Result
from tarocco.trials.data_audit.findings import DataAudit
from tarocco.trials.findings import Findings

MOST_CONFUSIONS = 40  # lists per metric, those with the most candidates above the references
MOST_ABOVE = 5  # candidates per list

Words = Callable[[str], Sequence[str]]


def orange_part(result: OrangeResult, words: Words) -> dict[str, Any]:
    """Return ORANGE of each metric, best first, and its confusion sets."""
    first = result.metrics[0]
    part: dict[str, Any] = {
        "about": result.about,
        "confidence": first.interval.confidence,
        "n_best": first.n_best,
        "metrics": [metric.to_dict() for metric in result.metrics],
        "notes": list(result.notes),
    }
    if result.confusions:
        part["confusions"] = _confusions(result.confusions, list(result), words)
    return part


def _confusions(confusions: Sequence[Confusion], metrics: Sequence[str], words: Words) -> list[dict[str, Any]]:
    """Return per metric the lists with the most candidates above the references, and the number of such lists."""
    records = []
    for metric in metrics:
        confused = [confusion for confusion in confusions if confusion.metric == metric and confusion.above_count]
        confused.sort(key=lambda confusion: (-confusion.above_count / confusion.size, confusion.segment))
        if confused:
            lists = [_confusion(confusion, words) for confusion in confused[:MOST_CONFUSIONS]]
            records.append({"metric": metric, "confused": len(confused), "lists": lists})
    return records


def _confusion(confusion: Confusion, words: Words) -> dict[str, Any]:
    """Return a list's references and the candidates above them, with marks for matched words and decisive ones."""
    read = [tuple(words(reference.text)) for reference in confusion.references]
    against = hold_out_each(read)
    places = {id(reference): k for k, reference in enumerate(confusion.references)}

    def reference(k: int, scored: RankedText) -> dict[str, Any]:
        states = [MATCHED if matched else 0 for matched in against[k].marks]
        return _scored(scored) | marks_of_states(scored.text, read[k], states)

    def candidate(scored: RankedText) -> dict[str, Any]:
        below = outranked(scored, confusion.references)[0]
        cut = tuple(words(scored.text))
        marks = against[places[id(below)]].marks_of(cut)
        states = [GAINED if gained else MATCHED if matched else 0 for matched, gained in marks]
        return _scored(scored) | {"below": below.place} | marks_of_states(scored.text, cut, states)

    record: dict[str, Any] = {
        "segment": confusion.segment,
        "rank": confusion.oracle_rank,
        "size": confusion.size,
        "count": confusion.above_count,
        "references": [reference(k, scored) for k, scored in enumerate(confusion.references)],
        "above": [candidate(scored) for scored in confusion.above[:MOST_ABOVE]],
    }
    return record | ({"source": confusion.source} if confusion.source is not None else {})


def _scored(text: RankedText) -> dict[str, Any]:
    record = {"text": text.text, "score": text.score, "rank": text.rank, "place": text.place}
    return record | ({"copy": True} if text.copy else {})


def king_part(result: KingResult) -> dict[str, Any]:
    """Return KING of each set of metrics, best first."""
    first = result.sets[0]
    return {
        "confidence": first.interval.confidence,
        "level": result.level,
        "units": str(result.setup.units),
        "sets": result.to_dict(),
        "notes": list(result.notes),
    }


def data_part(audit: DataAudit) -> dict[str, Any]:
    """Return the findings of the data audit, and which checks found nothing."""
    fields = ("severity", "kind", "evidence", "advice")
    return {
        "findings": [{name: getattr(finding, name) for name in fields} for finding in audit],
        "passed": list(audit.passed),
        "skipped": dict(audit.skipped),
    }


def queen_part(result: QueenResult) -> dict[str, Any]:
    """Return QUEEN of each system."""
    return {"metrics": list(result.metrics), "systems": result.to_dict(), "notes": list(result.notes)}


def jack_part(result: JackResult) -> dict[str, Any]:
    """Return JACK of the test bed."""
    return {"sets": result.to_dict(), "notes": list(result.notes)}


def optimal_part(result: OptimizeResult) -> dict[str, Any]:
    """Return the best set of metrics, the steps of the search, and its KING on unseen segments."""
    (record,) = result.to_dict()
    return record | {"ties": result.search.ties, "method": result.search.method, "notes": list(result.notes)}


def correlation_part(result: CorrelateResult) -> dict[str, Any]:
    """Return the agreement of each metric with human scores, at one level."""
    question = result.design
    return {
        "level": question.level,
        "grouping": question.grouping,
        "coefficient": question.coefficient,
        "confidence": question.confidence,
        "units": str(result.units),
        "criteria": result.criteria,
        "metrics": [{**record, "value": record[question.coefficient]} for record in result.to_dict()],
        "notes": list(result.notes),
    }


def curves_part(result: ReferencesResult) -> dict[str, Any]:
    """Return agreement over the number of references."""
    return {
        "judged_by": result.judged_by,
        "lower_is_better": result.curves[0].lower_is_better,
        "n_segments": result.n_segments,
        "units": str(result.units),
        "metrics": [curve.to_dict() for curve in result.named_curves],
        "advice": result.advice,
        "notes": list(result.notes),
    }


def audit_part(result: AuditResult) -> dict[str, Any]:
    """Return the results of five checks, as a table and in sentences."""
    table = audit_table(result)
    by_metric: dict[str, list[str]] = {name: [] for name in result}
    for sentence in sentences(result):
        name = next(name for name in sorted(by_metric, key=len, reverse=True) if sentence.startswith(f"{name}, "))
        by_metric[name].append(sentence.removeprefix(f"{name}, "))
    return {
        "checks": list(CHECKS),
        "header": list(table.header),
        "metrics": [
            {
                "metric": name,
                "signature": result.signature(name),
                "found": result.count_gamed(name),
                "possible": result.count_possible(name),
                "cells": list(table.rows[row]),
                "starred": sorted(column for at, column in table.marks if at == row),
                "sentences": by_metric[name],
            }
            for row, name in enumerate(result)
        ],
        "legend": legend(result),
        "notes": not_possible(result),
    }


FORM = 1  # of the payload; data of another form are refused

# The terms that the page uses in each section.
SECTION_TERMS = {
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


def payload_of(findings: Findings) -> dict[str, Any]:
    """Return everything that a page shows."""
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
        "data": None if findings.data_audit is None else data_part(findings.data_audit),
        "board": None if scores is None else _board(scores, findings.comparison),
        "agreement": None
        if findings.agreement is None
        else {"metrics": findings.agreement.metrics, "correlation": findings.agreement.correlation.tolist()},
        "breakdowns": [
            vars(breakdown) | {"scores": {name: values.tolist() for name, values in breakdown.scores.items()}}
            for breakdown in findings.breakdowns
        ],
        "orange": None if findings.orange is None else orange_part(findings.orange, words),
        "king": None if findings.kings is None else king_part(findings.kings),
        "queen": None if findings.queens is None else queen_part(findings.queens),
        "jack": None if findings.jack is None else jack_part(findings.jack),
        "optimal": None if findings.optimal is None else optimal_part(findings.optimal),
        "people": [correlation_part(correlation) for correlation in findings.correlations],
        "curves": None if findings.curves is None else curves_part(findings.curves),
        "audit": None if findings.audit is None else audit_part(findings.audit),
        "segments": segments_part(replace(findings, scores=scores)),
        "notes": list(findings.notes),
    }
    known = {key: value for key, value in parts.items() if value not in (None, [], {})}
    known["terms"] = find_terms(_sentences(known))
    plain: dict[str, Any] = _finite(known)
    return plain


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
    """Return every metric of the findings: its direction, its printed scale, its summary."""
    known: dict[str, tuple[Metric | None, str | None]] = {}
    for score in scores.scores if scores is not None else ():
        known.setdefault(str(score.metric), (score.metric, score.signature))
    for name, signature in _signatures(findings):
        if name not in known:
            known[name] = known_metric(name), signature
    return [_metric(name, *about) for name, about in known.items()]


def _signatures(findings: Findings) -> Iterator[tuple[str, str]]:
    for metric in findings.orange.metrics if findings.orange else ():
        yield metric.metric, metric.signature
    for king in findings.kings or ():
        if len(king.metrics) == 1:
            yield king.metrics[0], king.signature
    for candidate in findings.optimal.candidates if findings.optimal else ():
        yield candidate.metric, candidate.signature
    for result in findings.correlations:
        yield from ((correlation.metric, correlation.signature) for correlation in result if not correlation.sentinel)
    for curve in findings.curves.named_curves if findings.curves else ():
        yield curve.metric, curve.signature


def _metric(name: str, metric: Metric | None, signature: str | None) -> dict[str, Any]:
    if metric is None:
        return {"name": name, "kind": "similarity", "scale": 1, "digits": 4, "signature": signature}
    record = {"name": name, "kind": metric.kind, "scale": metric.scale, "digits": digits_of(metric.scale)}
    if not isinstance(metric, External):  # external scores have no summary
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
                "metric": metric.metric,
                "trust": metric.trust,
                "reason": metric.reason,
                "judgments": [
                    {"judge": judgment.judge, "status": judgment.status, "sentence": judgment.sentence}
                    for judgment in metric.judgments
                ],
            }
            for metric in verdict.metrics
        ],
        "judges": list(verdict.judges),
        "disagreements": list(verdict.disagreements),
        "open_questions": list(verdict.open_questions),
        "systems": list(verdict.systems),
        "interesting": list(verdict.interesting),
        "caveats": list(verdict.caveats),
    }


def _board(scores: Result, comparison: CompareResult | None) -> dict[str, Any]:
    """Return the scores of all systems under all metrics, with intervals and clusters."""
    interval = next((score.interval for score in scores.scores if score.interval), None)
    board: dict[str, Any] = {"scores": [], "confidence": interval.confidence if interval else None}
    clusters = _clusters(comparison)
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
                "metric": difference.metric,
                "baseline": difference.baseline,
                "system": difference.system,
                "difference": difference.difference,
                "better": difference.better,
                "p_holm": difference.p_holm,
                "significant": difference.significant,
            }
            for difference in comparison.differences
        ]
        board["notes"] = list(comparison.notes)
    return board


def _clusters(comparison: CompareResult | None) -> dict[tuple[str, str], int]:
    """Return the group of each system under each metric, 1 for the best; the rule is that of `group_systems`."""
    return {
        (name, metric): k
        for metric, order in (comparison.groups if comparison is not None else {}).items()
        for k, group in enumerate(order.groups, start=1)
        for name in group
    }


def _sentences(parts: dict[str, Any]) -> Iterator[str]:
    """Yield the texts in which terms may occur, except those of the data."""
    for key, value in parts.items():
        if key not in ("segments", "systems", "name", "command"):
            yield from _strings(value)
    yield from (words for part, words in SECTION_TERMS.items() if part in parts)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("text", "source", "signature", "paper"):
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _finite(value: Any) -> Any:
    """Return the value in types that JSON has: null for NaN and infinity, lists for tuples."""
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def json_of(payload: dict[str, Any]) -> str:
    """Return the payload as JSON; the same payload gives the same bytes."""
    return json_text(payload, compact=True)


def read_report(path: str) -> dict[str, Any]:
    """Read the data of a report, from JSON or from a page."""
    data = read_bytes(path)
    check_utf8(data, path)
    return read_payload(data.decode("utf-8"), display_name(path))


def read_payload(text: str, origin: str) -> dict[str, Any]:
    """Return a payload from JSON or from a page."""
    marker = '<script type="application/json" id="payload">'
    if marker in text:
        text = text.split(marker, 1)[1].split("</script>", 1)[0]
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InputError(f"{origin}: expected an experiment, a report or JSON: {error}") from None
    except RecursionError:
        raise InputError(f"{origin}: expected JSON of reasonable depth, found thousands of brackets") from None
    if not isinstance(data, dict) or data.get("form") != FORM or "name" not in data:
        raise InputError(
            f"{origin}: expected the data of a report, as `tarocco report --json` writes them, found other JSON"
        )
    check_payload(data, origin)
    return data
