"""Which words make a segment's score? The public function `explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Candidates, References, Segments, TestSet, make_test_set
from tarocco.encode.batch import Batch, Encoding
from tarocco.explanation.families import Unexplained, choose_reference, explain_batch
from tarocco.explanation.records import Element, ExplainResult, Explanation, Reference
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import prepare_contexts
from tarocco.scoring.score import choose_metrics
from tarocco.scoring.settings import TEXT, WORKERS, Text, TextAndWorkerShortcuts, Workers, apply_shortcuts
from tarocco.scoring.statistics import compute_statistics

Batches = dict[tuple[tuple[int, ...], Encoding], Batch]  # by references and encoding
NUMBER = 3  # of segments that are explained by default


def explain(
    candidates: Candidates | str,
    references: References | str,
    *,
    metrics: Sequence[str | Metric] | str | Metric = "BLEU-4",
    segments: Iterable[int] | None = None,
    number: int = NUMBER,
    all_references: bool = False,
    text: Text = TEXT,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[TextAndWorkerShortcuts],
) -> ExplainResult:
    """Explain which parts of candidate and reference make a segment's score.

    Parameters
    ----------
    candidates, references, metrics, text, workers
        As for `tarocco.score`; a single text may be a string, and so may its reference.
    segments
        The segments to explain, counted from 1. By default, those with the largest differences between the first two
        systems under the first metric or, with one system, those with the worst scores.
    number
        How many segments to choose by default.
    all_references
        Explain the score with each reference alone. By default, the explanation is about the reference that the metric
        chose, or about all references if the metric pools them.
    **shortcuts
        The fields of `text` and `workers` as keywords.

    Raises
    ------
    InputError, UnknownName, BadParameter
        As for `tarocco.score`, and for segments that do not exist.

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
    text, workers = apply_shortcuts("explain", shortcuts, text, workers)
    chosen = choose_metrics(metrics)
    test_set = make_test_set(candidates, references)
    return explain_test_set(
        test_set, chosen, text.encoding, segments, number, all_references=all_references, jobs=workers.jobs
    )


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
    """Explain the scores of some segments of every system under every metric."""
    if segments is None:
        chosen, why = _choose_segments(test_set, metrics[0], encoding, number, jobs)
    else:
        chosen, why = _check_segments(segments, len(test_set)), ""
    contexts = prepare_contexts(test_set, metrics, encoding)
    explanations: list[Explanation] = []
    for segment in chosen:
        for system in test_set.systems:
            batches: Batches = {}
            for metric, context in zip(metrics, contexts, strict=True):
                explainer = _SegmentExplainer(test_set, segment, system, metric, context, encoding, batches)
                explanations += explainer.explain(all_references)
    return ExplainResult(tuple(explanations), why)


def _check_segments(segments: Iterable[int], size: int) -> list[int]:
    """Return segments counted from 0, each once."""
    indices = []
    for segment in segments:
        if not isinstance(segment, int | np.integer) or not 1 <= segment <= size:
            raise InputError(f"there is no segment {segment}: there are 1 to {size}")
        indices.append(int(segment) - 1)
    return list(dict.fromkeys(indices))


def _choose_segments(
    test_set: TestSet, metric: Metric, encoding: Encoding, number: int, jobs: int | None
) -> tuple[list[int], str]:
    """Return the segments with the largest difference between two systems, or the worst ones of a single system."""
    if not isinstance(number, int) or number < 1:
        raise BadParameter(f"number is a whole number of at least 1, not {number!r}")
    if len(test_set) == 1:
        return [0], ""
    names = list(test_set.systems)[:2]
    compared = TestSet({name: test_set.systems[name] for name in names}, test_set.references)
    statistics = compute_statistics(compared, [metric], encoding, Workers(jobs=jobs))[0]
    scores = metric.sign * metric.score(statistics)
    if len(names) == 2:
        differences = np.abs(scores[0] - scores[1])
        why = f"the segments where {metric} sees the largest differences between {names[0]} and {names[1]}"
    else:
        differences = -scores[0]
        why = f"the segments of {names[0]} that score worst with {metric}"
    order = np.argsort(np.where(np.isnan(differences), np.inf, -differences), kind="stable")
    return order[:number].tolist(), why


@dataclass(frozen=True, eq=False)
class _SegmentExplainer:
    """Explains one segment of one system under one metric."""

    test_set: TestSet
    segment: int
    system: str
    metric: Metric
    context: Any
    encoding: Encoding
    batches: Batches  # shared with other metrics

    def explain(self, all_references: bool) -> Iterator[Explanation]:
        """Yield the explanation, or one per reference."""
        numbers = np.flatnonzero(self.test_set.present[:, self.segment]).tolist()
        whole = self._batch(numbers)
        row = self._statistics(whole)
        alone = [self._batch([number]) for number in numbers]
        rows = np.concatenate([self._statistics(batch) for batch in alone])
        chosen = None if self.metric.pools_references else choose_reference(self.metric, row[0], rows)
        if all_references:
            for i, number in enumerate(numbers):
                yield self._explain([number], alone[i], rows[i : i + 1], chosen=chosen in (None, i))
        elif chosen is None:
            yield self._explain(numbers, whole, row)
        else:
            yield self._explain([numbers[chosen]], alone[chosen], row)

    def _explain(self, numbers: Sequence[int], batch: Batch, row: Floats, chosen: bool = True) -> Explanation:
        note, elements = "", list[Element]()
        try:
            words, elements = explain_batch(self.metric, batch, self.context)
            texts = words.candidate, *words.references
        except Unexplained as problem:
            note = str(problem)
            texts = tuple(tuple(self.encoding.words(text)) for text in (*batch.texts, *batch.reference_texts[0]))
        return Explanation(
            self.system,
            self.segment + 1,
            self.metric,
            self.metric.signature(self.encoding, self.test_set.reference_count),
            float(self.metric.score(row)[0]),
            texts[0],
            tuple(Reference(number + 1, words) for number, words in zip(numbers, texts[1:], strict=True)),
            tuple(elements),
            {name: value for name, value in self.metric.details(row[0]).items() if name != "segments"},  # always 1
            chosen,
            note,
        )

    def _batch(self, numbers: Sequence[int]) -> Batch:
        key = tuple(numbers), self.metric.reads(self.encoding)
        if key not in self.batches:
            self.batches[key] = self._encode(numbers, key[1])
        return self.batches[key]

    def _encode(self, numbers: Sequence[int], encoding: Encoding) -> Batch:
        def only(column: Segments) -> Segments:
            return column.rows(self.segment, self.segment + 1)

        references = [only(self.test_set.references[number]) for number in numbers]
        present = np.ones((len(numbers), 1), np.bool_)
        return Batch.of_columns([only(self.test_set.systems[self.system])], references, present, encoding)

    def _statistics(self, batch: Batch) -> Floats:
        return np.asarray(self.metric.statistics(batch, self.context), np.float64)
