"""Texts and scores of all segments, and the words that metrics matched, for the page."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tarocco.core.test_set import Segments, TestSet
from tarocco.explanation.explain import explain_test_set
from tarocco.explanation.records import ExplainResult, Explanation
from tarocco.metrics.base import Floats
from tarocco.metrics.external import External, is_system_level
from tarocco.metrics.linguistic.base import ElementOverlap
from tarocco.render.results.explain import WordRun, word_runs
from tarocco.scoring.results import Result
from tarocco.trials.findings import Findings

# Kinds of marks, as in script/marks.js.
MATCHED = 1  # the metric matched the words
SKIPPED = 2  # it did not match the words, but others before and after them
GAINED = 3  # they raised a candidate above the next reference (confusions of ORANGE)
APART = 4  # a chunk, entity or role that the metric did not match

_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ENTITY = re.compile("|".join(_ENTITIES))

Spans = list[tuple[int, int]]  # the begin and end of each word


@lru_cache(maxsize=1 << 14)
def locate_words(text: str, words: tuple[str, ...]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a text and the places of words in it; if the metric changed words too much, the words joined by spaces.

    Places are counted in UTF-16 units, as JavaScript does.
    """
    spans = _find_words(text, words)
    if spans is None:
        text = " ".join(words)
        spans = _find_words(text, words) or []
    if not text.isascii():
        units = [0]
        for character in text:
            units.append(units[-1] + 1 + (ord(character) > 0xFFFF))
        spans = [(units[begin], units[end]) for begin, end in spans]
    return text, tuple(spans)


def _find_words(text: str, words: Sequence[str]) -> Spans | None:
    """Return the places of words, in order, in a text whose entities are decoded, as tokenizers do."""
    plain, places = _without_entities(text)
    for read in (plain, plain.lower()):
        if len(read) != len(plain):  # some letters are longer in lower case
            continue
        spans, at = [], 0
        for word in words:
            begin = read.find(word, at)
            if begin < 0:
                break
            at = begin + len(word)
            spans.append((places[begin], places[at]))
        else:
            return spans
    return None


def _without_entities(text: str) -> tuple[str, Sequence[int]]:
    """Return the text with its entities decoded, and the original place of each character and of the end."""
    if "&" not in text:
        return text, range(len(text) + 1)
    plain: list[str] = []
    places: list[int] = []
    at = 0
    for entity in _ENTITY.finditer(text):
        plain += [text[at : entity.start()], _ENTITIES[entity[0]]]
        places += [*range(at, entity.start()), entity.start()]
        at = entity.end()
    return "".join([*plain, text[at:]]), [*places, *range(at, len(text) + 1)]


def marks_of(text: str, words: tuple[str, ...], runs: Sequence[WordRun]) -> dict[str, Any]:
    """Return the marks of a text.

    m   a flat list of three numbers per mark: the UTF-16 units between the mark before (or the beginning) and this one,
        the units in it, and its kind
    l   the labels of marks, by the number of the mark; missing if there are none
    t   the text to show; missing if it is `text`
    """
    shown, spans = locate_words(text, words)
    states = [MATCHED if run.matched else APART if run.label else 0 for run in runs]
    first = next((i for i, state in enumerate(states) if state == MATCHED), len(states))
    last = max((i for i, state in enumerate(states) if state == MATCHED), default=-1)
    flat: list[int] = []
    labels: dict[str, str] = {}
    end_of_mark, next_word = 0, 0
    for i, (run, state) in enumerate(zip(runs, states, strict=True)):
        begin, end = spans[next_word][0], spans[next_word + len(run.words) - 1][1]
        next_word += len(run.words)
        if not state and first < i < last:
            state = SKIPPED
        if not state:
            continue
        parts = [run.label, *sorted({how for how in run.hows if how})]
        if any(parts):
            labels[str(len(flat) // 3)] = " ".join(filter(None, parts))
        flat += (begin - end_of_mark, end - begin, state)
        end_of_mark = end
    record: dict[str, Any] = {"m": flat}
    if labels:
        record["l"] = labels
    if shown != text:
        record["t"] = shown
    return record


def compact(explanation: Explanation, candidate: str, references: Sequence[str]) -> dict[str, Any]:
    """Return an explanation for the page; `references` are all references of the segment.

    c   the marks of the candidate, as `marks_of` returns them
    r   the marks of each reference that the metric used, by its number from 1
    n   per type of elements: the type, how many match, and how many the candidate has

    For a metric that cannot be explained, there is only `why`, the reason.
    """
    if explanation.note:
        return {"why": explanation.note}
    labeled = isinstance(explanation.metric, ElementOverlap)
    of_candidate = marks_of(
        candidate, explanation.candidate, word_runs(explanation.candidate, explanation.elements, "candidate", labeled)
    )
    of_references = {}
    for i, reference in enumerate(explanation.references):
        elements = [element for element in explanation.elements if element.of == i]
        runs = word_runs(reference.words, elements, "reference", labeled)
        of_references[str(reference.number)] = marks_of(references[reference.number - 1], reference.words, runs)
    return {
        "c": of_candidate,
        "r": of_references,
        "n": [[tally.type, tally.matched, tally.candidate] for tally in explanation.tallies],
    }


def marks_of_states(text: str, words: tuple[str, ...], states: Sequence[int]) -> dict[str, Any]:
    """Return the marks of a text from the kind of each word; neighbors of one kind share a mark."""
    shown, spans = locate_words(text, words)
    flat: list[int] = []
    end_of_mark, before = 0, 0
    for (begin, end), state in zip(spans, states, strict=True):
        if state and state == before:
            flat[-2] += end - end_of_mark
        elif state:
            flat += (begin - end_of_mark, end - begin, state)
        end_of_mark, before = (end, state) if state else (end_of_mark, 0)
    return {"m": flat} | ({"t": shown} if shown != text else {})


DIGITS = 6  # of a segment's score
EXPLAINED = 2400  # explanations (segments x systems x metrics) on a page: about ten seconds


def segments_part(findings: Findings) -> dict[str, Any] | None:
    """Return source, references, systems, groups, scores of metrics and humans, and marks; None without a test set."""
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
        place = {name: i for i, name in enumerate(names)}
        part["groups"] = {"names": names, "of": [place[group] for group in groups]}
    human = _human(findings, list(test_set.systems))
    if human:
        part["human"] = human
    if findings.queens is not None:
        part["queen"] = _queens(findings, test_set)
    explanations = explanations_of(findings)
    if explanations is not None:
        part["marks"] = _marks(explanations, test_set)
        part["marked_why"] = explanations.why
    return part


def _texts(segments: Segments) -> list[str]:
    """Return texts without lone surrogates, which JSON files cannot contain."""
    return [text.encode("utf-8", "replace").decode() for text in segments]


def _scores(scores: Result | None, systems: list[str]) -> dict[str, list[list[float | None]]]:
    """Return one score per metric, system and segment."""
    if scores is None:
        return {}
    by_name = {(score.system, str(score.metric)): score for score in scores.scores}
    metrics = [score.metric for score in scores.scores if not is_system_level(score.metric)]
    return {
        str(metric): [numbers(by_name[system, str(metric)].segments) for system in systems]
        for metric in dict.fromkeys(metrics)
    }


def numbers(values: Floats) -> list[float | None]:
    """Return numbers with few digits, whole numbers without a point, and None for NaN."""
    return [_short(value) for value in np.asarray(values, np.float64).tolist()]


def _short(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def _human(findings: Findings, systems: list[str]) -> dict[str, list[list[float | None]]]:
    """Return human scores of segments, by criterion and system."""
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
    columns = []
    for name in test_set.systems:
        values = np.full(len(test_set), np.nan)
        values[list(findings.queens.setup.segments)] = findings.queens[name].segments
        columns.append(numbers(values))
    return columns


def explanations_of(findings: Findings) -> ExplainResult | None:
    """Return the explanations of the run, or of the most interesting segments."""
    test_set, scores = findings.test_set, findings.scores
    if findings.explanations is not None:
        return findings.explanations
    if test_set is None or scores is None or findings.encoding is None or not len(test_set):
        return None
    metrics = list(dict.fromkeys(score.metric for score in scores.scores if not isinstance(score.metric, External)))
    count = min(len(test_set), EXPLAINED // max(1, len(metrics) * len(test_set.systems)))
    if not metrics or not count:
        return None
    chosen = interesting_segments(findings, count)
    result = explain_test_set(test_set, metrics, findings.encoding, chosen)
    why = "" if count == len(test_set) else f"the {count} segments on which systems differ most, all metrics together"
    return ExplainResult(result.explanations, why)


def interesting_segments(findings: Findings, count: int) -> list[int]:
    """Return the numbers (from 1) of the segments on which systems differ most, by mean rank over metrics.

    With one system, these are the segments with the lowest scores.
    """
    assert findings.test_set is not None
    assert findings.scores is not None
    n = len(findings.test_set)
    by_metric: dict[str, list[Floats]] = {}
    for score in findings.scores.scores:
        if not is_system_level(score.metric):
            by_metric.setdefault(str(score.metric), []).append(score.metric.sign * score.segments)
    total = np.zeros(n)
    for columns in by_metric.values():
        table = np.nan_to_num(np.stack(columns), nan=0.0)
        interest = np.ptp(table, axis=0) if len(table) > 1 else -table[0]
        total += np.argsort(np.argsort(interest, kind="stable"), kind="stable")
    return sorted((np.argsort(-total, kind="stable")[:count] + 1).tolist())


def _marks(explanations: ExplainResult, test_set: TestSet) -> dict[str, Any]:
    """Return marks by metric, segment (from 0) and number of the system."""
    place = {name: str(i) for i, name in enumerate(test_set.systems)}
    marks: dict[str, Any] = {}
    for explanation in explanations:
        if not explanation.chosen or explanation.system not in place:
            continue
        row = explanation.segment - 1
        references = [stream[row] for stream in test_set.references]
        record = compact(explanation, test_set.systems[explanation.system][row], references)
        if "why" in record:
            marks.setdefault(str(explanation.metric), {})["why"] = record["why"]
        else:
            marks.setdefault(str(explanation.metric), {}).setdefault(str(row), {})[place[explanation.system]] = record
    return marks
