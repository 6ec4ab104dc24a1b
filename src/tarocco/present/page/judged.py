"""The metrics' own trial as plain data: what ORANGE, KING, people, references and audits said of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tarocco.judge.agreed import CorrelateResult
from tarocco.judge.auditing import AuditResult
from tarocco.judge.confusion import Confusion, Scored, opponents, outranked
from tarocco.judge.gaming import CHECKS
from tarocco.judge.optimal import OptimizeResult
from tarocco.judge.qarla_results import JackResult, KingResult, QueenResult
from tarocco.judge.reference_curves import ReferencesResult
from tarocco.judge.verdict import OrangeResult
from tarocco.present.audit import audit_table, legend, not_possible, sentences
from tarocco.present.page.marking import GAINED, MATCHED, marks_of_states

MOST_CONFUSIONS = 40  # lists a metric, those with most candidates above the references
MOST_ABOVE = 5  # candidates of a list

Words = Callable[[str], Sequence[str]]


def orange_part(result: OrangeResult, words: Words) -> dict[str, Any]:
    """ORANGE of each metric, best first, and what it confused."""
    first = result.metrics[0]
    part: dict[str, Any] = {
        "about": result.about,
        "confidence": first.interval.confidence,
        "n_best": first.n_best,
        "metrics": [one.to_dict() for one in result.metrics],
        "notes": list(result.notes),
    }
    if result.confusions:
        part["confusions"] = _confusions(result.confusions, list(result), words)
    return part


def _confusions(found: Sequence[Confusion], metrics: Sequence[str], words: Words) -> list[dict[str, Any]]:
    """For each metric the lists in which most candidates stand above the references, and how many there are of all."""
    told = []
    for metric in metrics:
        own = [one for one in found if one.metric == metric and one.above_count]
        own.sort(key=lambda one: (-one.above_count / one.size, one.segment))
        if own:
            lists = [_confusion(one, words) for one in own[:MOST_CONFUSIONS]]
            told.append({"metric": metric, "confused": len(own), "lists": lists})
    return told


def _confusion(one: Confusion, words: Words) -> dict[str, Any]:
    """A list's references and the candidates above them, with words that are matched, and those that lifted them."""
    read = [tuple(words(reference.text)) for reference in one.references]
    against = opponents(read)
    places = {id(reference): k for k, reference in enumerate(one.references)}

    def reference(k: int, own: Scored) -> dict[str, Any]:
        states = [MATCHED if matched else 0 for matched in against[k].marks]
        return _scored(own) | marks_of_states(own.text, read[k], states)

    def candidate(own: Scored) -> dict[str, Any]:
        below = outranked(own, one.references)[0]
        cut = tuple(words(own.text))
        found = against[places[id(below)]].marks_of(cut)
        states = [GAINED if gained else MATCHED if matched else 0 for matched, gained in found]
        return _scored(own) | {"below": below.place} | marks_of_states(own.text, cut, states)

    record: dict[str, Any] = {
        "segment": one.segment,
        "rank": one.oracle_rank,
        "size": one.size,
        "count": one.above_count,
        "references": [reference(k, own) for k, own in enumerate(one.references)],
        "above": [candidate(own) for own in one.above[:MOST_ABOVE]],
    }
    return record | ({"source": one.source} if one.source is not None else {})


def _scored(one: Scored) -> dict[str, Any]:
    record = {"text": one.text, "score": one.score, "rank": one.rank, "place": one.place}
    return record | ({"copy": True} if one.copy else {})


def king_part(result: KingResult) -> dict[str, Any]:
    """KING of each set of metrics, best first."""
    first = result.sets[0]
    return {
        "confidence": first.interval.confidence,
        "level": result.level,
        "sets": result.to_dict(),
        "notes": list(result.notes),
    }


def queen_part(result: QueenResult) -> dict[str, Any]:
    """QUEEN of each system."""
    return {"metrics": list(result.metrics), "systems": result.to_dict(), "notes": list(result.notes)}


def jack_part(result: JackResult) -> dict[str, Any]:
    """JACK of the test bed."""
    return {"sets": result.to_dict(), "notes": list(result.notes)}


def optimal_part(result: OptimizeResult) -> dict[str, Any]:
    """The best set of metrics, how it was put together, and what it is worth on segments not seen."""
    (record,) = result.to_dict()
    return record | {"ties": result.search.ties, "method": result.search.method, "notes": list(result.notes)}


def correlation_part(result: CorrelateResult) -> dict[str, Any]:
    """How well each metric agrees with people at one level."""
    asked = result.question
    return {
        "level": asked.level,
        "grouping": asked.grouping,
        "coefficient": asked.coefficient,
        "confidence": asked.confidence,
        "criteria": result.criteria,
        "metrics": [{**record, "value": record[asked.coefficient]} for record in result.to_dict()],
        "notes": list(result.notes),
    }


def curves_part(result: ReferencesResult) -> dict[str, Any]:
    """Agreement over the number of references."""
    return {
        "judged_by": result.judged_by,
        "lower_is_better": result.curves[0].lower_is_better,
        "n_segments": result.n_segments,
        "metrics": [curve.to_dict() for curve in result.asked],
        "advice": result.advice,
        "notes": list(result.notes),
    }


def audit_part(result: AuditResult) -> dict[str, Any]:
    """What five checks found, as a table and in sentences."""
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
                "found": result.found(name),
                "possible": result.possible(name),
                "cells": list(table.rows[row]),
                "starred": sorted(column for at, column in table.marks if at == row),
                "sentences": by_metric[name],
            }
            for row, name in enumerate(result)
        ],
        "legend": legend(result),
        "notes": not_possible(result),
    }
