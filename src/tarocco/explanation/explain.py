"""Why does a metric give a segment this score? `tarocco explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Candidates, References, Segments, TestSet, make_test_set
from tarocco.encode.batch import Batch, Encoding
from tarocco.explanation.families import ExplainedSegment, Unexplained, chosen_reference, explained, takes_together
from tarocco.explanation.records import ExplainResult, Explanation, Reference
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.score import score_signature
from tarocco.scoring.settings import Workers
from tarocco.scoring.statistics import compute_statistics, prepare_contexts

Batches = dict[tuple[tuple[int, ...], Encoding], Batch]  # by references and way of reading
NUMBER = 3  # of segments, if nobody asks for others


def explain(
    candidates: Candidates | str,
    references: References | str,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    segments: Iterable[int] | None = None,
    number: int = NUMBER,
    all_references: bool = False,
    tokenize: str = "13a",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    jobs: int | None = None,
) -> ExplainResult:
    """Which parts of candidate and reference make a segment's score?

    Parameters
    ----------
    candidates, references, metrics, tokenize, lowercase, analyzer, jobs
        As for `tarocco.score`; a single text may be a string, and so may its reference.
    segments
        The segments to explain, counted from 1. By default those where the first metric sees the largest differences
        between the first two systems, or, with one system, those with the worst scores.
    number
        How many segments that is.
    all_references
        Explain the score with each reference alone. By default it is the reference that the metric chose, or all
        references where it takes them together.

    Raises
    ------
    InputError, UnknownName, BadParameter
        As for `tarocco.score`, and for segments that are not there.

    Example
    -------
    >>> import tarocco
    >>> (one,) = tarocco.explain("the cat sat here", "here the cat was", metrics="GTM-2")
    >>> [element.text for element in one.matched]
    ['the cat', 'here']
    """
    if isinstance(candidates, str):
        candidates = [candidates]
        texts = [references] if isinstance(references, str) else list(references)
        references = [texts]  # type: ignore[list-item]
    chosen = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    if not chosen:
        raise InputError("no metric was asked for")
    test_set = make_test_set(candidates, references)
    encoding = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    return explain_test_set(test_set, chosen, encoding, segments, number, all_references=all_references, jobs=jobs)


def explain_test_set(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    segments: Iterable[int] | None = None,
    number: int = NUMBER,
    *,
    all_references: bool = False,
    jobs: int | None = None,
) -> ExplainResult:
    """Explain what each metric says of some segments of every system."""
    if segments is None:
        chosen, why = _worth_a_look(test_set, metrics[0], encoding, number, jobs)
    else:
        chosen, why = _checked(segments, len(test_set)), ""
    contexts = prepare_contexts(test_set, metrics, encoding)
    found: list[Explanation] = []
    for segment in chosen:
        for system in test_set.systems:
            batches: Batches = {}
            for metric, context in zip(metrics, contexts, strict=True):
                case = _Case(test_set, segment, system, metric, context, encoding, batches)
                found += case.explanations(all_references)
    return ExplainResult(tuple(found), why)


def _checked(segments: Iterable[int], size: int) -> list[int]:
    """Places of segments, counted from 0."""
    found = []
    for one in segments:
        if not isinstance(one, int | np.integer) or not 1 <= one <= size:
            raise InputError(f"there is no segment {one}: there are 1 to {size}")
        found.append(int(one) - 1)
    return list(dict.fromkeys(found))


def _worth_a_look(
    test_set: TestSet, metric: Metric, encoding: Encoding, number: int, jobs: int | None
) -> tuple[list[int], str]:
    """The segments with the largest difference between two systems, or the worst ones of a single system."""
    if not isinstance(number, int) or number < 1:
        raise BadParameter(f"number is a whole number of at least 1, not {number!r}")
    if len(test_set) == 1:
        return [0], ""
    names = list(test_set.systems)[:2]
    first = TestSet({name: test_set.systems[name] for name in names}, test_set.references)
    scores = metric.sign * metric.score(compute_statistics(first, [metric], encoding, Workers(jobs=jobs))[0])
    if len(names) == 2:
        differences = np.abs(scores[0] - scores[1])
        why = f"the segments where {metric} sees the largest differences between {names[0]} and {names[1]}"
    else:
        differences = -scores[0]
        why = f"the segments of {names[0]} that score worst with {metric}"
    order = np.argsort(np.where(np.isnan(differences), np.inf, -differences), kind="stable")
    return order[:number].tolist(), why


@dataclass(frozen=True, eq=False)
class _Case:
    """One metric and one segment of one system."""

    test_set: TestSet
    segment: int
    system: str
    metric: Metric
    context: Any
    encoding: Encoding
    batches: Batches  # what other metrics have read already

    def explanations(self, all_references: bool) -> Iterator[Explanation]:
        """The explanation, or one for each reference."""
        numbers = np.flatnonzero(self.test_set.present[:, self.segment]).tolist()
        whole = self._batch(numbers)
        row = self._statistics(whole)
        alone = [self._batch([one]) for one in numbers]
        rows = np.concatenate([self._statistics(one) for one in alone])
        place = None if takes_together(self.metric) else chosen_reference(self.metric, row[0], rows)
        if all_references:
            for at, one in enumerate(numbers):
                yield self._of([one], alone[at], rows[at : at + 1], chosen=place in (None, at))
        elif place is None:
            yield self._of(numbers, whole, row)
        else:
            yield self._of([numbers[place]], alone[place], row)

    def _of(self, numbers: Sequence[int], batch: Batch, row: Floats, chosen: bool = True) -> Explanation:
        note = ""
        try:
            found = explained(self.metric, batch, self.context)
        except Unexplained as problem:
            note = str(problem)
            # the words as the run reads them
            texts = [self.encoding.words(text) for text in (*batch.texts, *batch.reference_texts[0])]
            found = ExplainedSegment(tuple(texts[0]), tuple(map(tuple, texts[1:])), [])
        return Explanation(
            self.system,
            self.segment + 1,
            self.metric,
            score_signature(self.metric, self.encoding, self.test_set.reference_count),
            float(self.metric.score(row)[0]),
            found.candidate,
            tuple(Reference(one + 1, words) for one, words in zip(numbers, found.references, strict=True)),
            tuple(found.elements),
            {name: value for name, value in self.metric.details(row[0]).items() if name != "segments"},  # there is one
            chosen,
            note,
        )

    def _batch(self, numbers: Sequence[int]) -> Batch:
        key = tuple(numbers), self.metric.reads(self.encoding)
        if key not in self.batches:
            self.batches[key] = self._read(numbers, key[1])
        return self.batches[key]

    def _read(self, numbers: Sequence[int], encoding: Encoding) -> Batch:
        def only(text: Segments) -> Segments:
            return text.rows(self.segment, self.segment + 1)

        columns = [only(self.test_set.systems[self.system])], [only(self.test_set.references[one]) for one in numbers]
        return Batch.of_columns(*columns, np.ones((len(numbers), 1), np.bool_), encoding)

    def _statistics(self, batch: Batch) -> Floats:
        return np.asarray(self.metric.statistics(batch, self.context), np.float64)
