"""Texts and scores of all segments, as columns: what the page's browser of segments works on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tarocco.explaining.explain import explain_test_set
from tarocco.explaining.records import ExplainResult
from tarocco.metrics.base import Floats
from tarocco.metrics.external import External, of_whole_systems
from tarocco.model import Segments, TestSet
from tarocco.present.page.marking import compact
from tarocco.results import Result
from tarocco.trials.findings import Findings

DIGITS = 6  # of a segment's score: more than anybody looks at
EXPLAINED = 2400  # explanations (segments x systems x metrics) that a page has: some ten seconds


def segments_part(findings: Findings, explained: int | None = None) -> dict[str, Any] | None:
    """Source, references, systems, groups, scores by metrics and people, and marks; None without a test set."""
    test_set = findings.test_set
    if test_set is None:
        return None
    part: dict[str, Any] = {
        "references": [_texts(stream) for stream in test_set.references],
        "systems": [_texts(segments) for segments in test_set.systems.values()],
        "scores": _scores(findings.scores, list(test_set.systems)),
    }
    if findings.source is not None:
        part["source"] = _texts(findings.source)
    groups = findings.groups or test_set.documents
    if groups is not None:
        names = list(dict.fromkeys(groups))
        numbers = {name: i for i, name in enumerate(names)}
        part["groups"] = {"names": names, "of": [numbers[group] for group in groups]}
    human = _human(findings, list(test_set.systems))
    if human:
        part["human"] = human
    if findings.queens is not None:
        part["queen"] = _queens(findings, test_set)
    found = explanations_of(findings, explained)
    if found is not None:
        part["marks"] = _marks(found, test_set)
        part["marked"] = found.why
    return part


def _texts(segments: Segments) -> list[str]:
    """Halves of surrogate pairs, which no JSON file can hold, are replaced."""
    return [text.encode("utf-8", "replace").decode() for text in segments]


def _scores(scores: Result | None, systems: list[str]) -> dict[str, list[list[float | None]]]:
    """For each metric and system a score a segment."""
    if scores is None:
        return {}
    own = {(score.system, str(score.metric)): score for score in scores.scores}
    metrics = [score.metric for score in scores.scores if not of_whole_systems(score.metric)]
    return {
        str(metric): [numbers(own[system, str(metric)].segments) for system in systems]
        for metric in dict.fromkeys(metrics)
    }


def numbers(values: Floats) -> list[float | None]:
    """Few digits, whole numbers without a point, and null where there is none."""
    return [_short(value) for value in np.asarray(values, np.float64).tolist()]


def _short(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def _human(findings: Findings, systems: list[str]) -> dict[str, list[list[float | None]]]:
    """What people said of each segment, by criterion and system."""
    human = findings.human
    if human is None or human.level != "segment":
        return {}
    place = {name: i for i, name in enumerate(human.systems)}
    return {
        criterion: [numbers(values[place[name]]) if name in place else [None] * values.shape[1] for name in systems]
        for criterion, values in human.criteria.items()
    }


def _queens(findings: Findings, test_set: TestSet) -> list[list[float | None]]:
    assert findings.queens is not None
    found = []
    for name in test_set.systems:
        values = np.full(len(test_set), np.nan)
        values[list(findings.queens.bed.segments)] = findings.queens[name].segments
        found.append(numbers(values))
    return found


def explanations_of(findings: Findings, budget: int | None = None) -> ExplainResult | None:
    """What the run explained, or as many segments as a budget of explanations allows, those most worth a look."""
    budget = EXPLAINED if budget is None else budget
    test_set, scores = findings.test_set, findings.scores
    if findings.explanations is not None:
        return findings.explanations
    if test_set is None or scores is None or findings.encoding is None or not len(test_set):
        return None
    metrics = list(dict.fromkeys(score.metric for score in scores.scores if not isinstance(score.metric, External)))
    count = min(len(test_set), budget // max(1, len(metrics) * len(test_set.systems)))
    if not metrics or not count:
        return None
    chosen = worth_a_look(findings, count)
    found = explain_test_set(test_set, metrics, findings.encoding, chosen)
    why = "" if count == len(test_set) else f"the {count} segments on which systems differ most, all metrics together"
    return ExplainResult(found.explanations, why)


def worth_a_look(findings: Findings, count: int) -> list[int]:
    """The numbers (from 1) of the segments in which systems differ most, by the mean over metrics of how far they rank.

    With one system, those that metrics like least.
    """
    assert findings.test_set is not None
    assert findings.scores is not None
    n = len(findings.test_set)
    by_metric: dict[str, list[Floats]] = {}
    for score in findings.scores.scores:
        if not of_whole_systems(score.metric):
            by_metric.setdefault(str(score.metric), []).append(score.metric.sign * score.segments)
    total = np.zeros(n)
    for columns in by_metric.values():
        table = np.nan_to_num(np.stack(columns), nan=0.0)
        interest = np.ptp(table, axis=0) if len(table) > 1 else -table[0]
        total += np.argsort(np.argsort(interest, kind="stable"), kind="stable")
    return sorted((np.argsort(-total, kind="stable")[:count] + 1).tolist())


def _marks(found: ExplainResult, test_set: TestSet) -> dict[str, Any]:
    """By metric, segment (from 0) and system (its place): what is marked."""
    place = {name: str(i) for i, name in enumerate(test_set.systems)}
    marks: dict[str, Any] = {}
    for one in found:
        if not one.chosen or one.system not in place:
            continue
        row = one.segment - 1
        references = [stream[row] for stream in test_set.references]
        record = compact(one, test_set.systems[one.system][row], references)
        if "why" in record:
            marks.setdefault(str(one.metric), {})["why"] = record["why"]
        else:
            marks.setdefault(str(one.metric), {}).setdefault(str(row), {})[place[one.system]] = record
    return marks
