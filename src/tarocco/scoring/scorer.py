"""`Scorer`: metrics that are prepared once, for one segment per call and for corpus scores that accumulate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import References, TestSet, as_list, make_streams, make_test_set
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import prepare_contexts
from tarocco.metrics.one_segment import Row, SegmentCounter, present_references
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import choose_metrics
from tarocco.scoring.settings import TEXT, Text, TextShortcuts, apply_shortcuts
from tarocco.scoring.statistics import BlockTask, analyze_texts, count

SegmentReferences = Sequence[str | None] | str


class Scorer:
    """Metrics that are parsed and prepared once: for rewards, streams, and corpus scores that accumulate.

    A scorer can be pickled, so each process may have its own; `merge` combines what they accumulated. Threads may share
    one for `segment` and `batch`.

    Parameters
    ----------
    metrics
        As for `score`: names or metric objects. With a single name or metric (not in a list), `segment` and `batch`
        return scores; otherwise they return a dictionary from names of metrics to scores.
    references
        All references of the test set, as for `score`. Metrics that prepare on them (NIST) require them. A segment of
        them can then be named by its index instead of its references.
    text
        How text is read; its fields are keywords too: tokenize, lowercase, analyzer.

    Example
    -------
    >>> import tarocco
    >>> scorer = tarocco.Scorer("ROUGE-L")
    >>> round(scorer.segment("the cat sat", ["the cat sat here"]), 4)
    0.8571
    >>> scorer.add("the cat sat", ["the cat sat here"])
    >>> round(scorer.result()["ROUGE-L"].score, 4)
    0.8571
    """

    def __init__(
        self,
        metrics: Sequence[str | Metric] | str | Metric,
        references: References | None = None,
        *,
        text: Text = TEXT,
        **shortcuts: Unpack[TextShortcuts],
    ) -> None:
        (text,) = apply_shortcuts("Scorer", shortcuts, text)
        self.metrics = choose_metrics(metrics)
        self._single = isinstance(metrics, str | Metric) and len(self.metrics) == 1
        self._names = [str(metric) for metric in self.metrics]
        self._encoding = text.encoding
        self._references = None if references is None else as_list(references, "references")
        self._contexts: dict[Metric, Any] = {}
        self._prepare()
        self._counter = SegmentCounter(self.metrics, self._encoding)
        self._sums: list[Row | None] = [None] * len(self.metrics)
        self._segments = 0
        self._reference_counts: set[int] = set()

    def _prepare(self) -> None:
        """Prepare the metrics that need all references."""
        preparing = [metric for metric in self.metrics if metric.prepares]
        if not preparing:
            return
        if self._references is None:
            raise BadParameter(f"{preparing[0]} needs all references: pass them as Scorer(metrics, references)")
        test_set = TestSet({}, make_streams(self._references))
        analyze_texts(test_set.references, preparing, self._encoding, None)
        contexts = prepare_contexts(test_set, preparing, self._encoding)
        self._contexts = dict(zip(preparing, contexts, strict=True))

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the tables, which every process makes for itself."""
        return {name: value for name, value in vars(self).items() if name != "_counter"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._counter = SegmentCounter(self.metrics, self._encoding)

    def __repr__(self) -> str:
        return f"<Scorer of {', '.join(self._names)}, {self._segments} segments added>"

    def segment(self, candidate: str, references: SegmentReferences | int) -> Any:
        """Return the score of one candidate; `references` are its references, or an index into those of the scorer."""
        rows = self._rows(candidate, self._references_of(references))
        if self._single:
            return self._score(0, rows[0])
        return {name: self._score(i, rows[i]) for i, name in enumerate(self._names)}

    def batch(self, candidates: Iterable[str], references: References | None = None) -> Any:
        """Return the scores of many segments, float64[segments]; without `references`, those of the scorer."""
        statistics = self._count(self._test_set(candidates, references))
        scores = [metric.score(rows) for metric, rows in zip(self.metrics, statistics, strict=True)]
        return scores[0] if self._single else dict(zip(self._names, scores, strict=True))

    def add(
        self, candidates: str | Iterable[str], references: References | SegmentReferences | int | None = None
    ) -> None:
        """Add one segment, or a list of segments with their references, to the corpus."""
        if isinstance(candidates, str):
            if references is None:
                raise InputError("add: expected the references of the segment, found none")
            present = self._references_of(references)  # type: ignore[arg-type]
            self._accumulate([[row] for row in self._rows(candidates, present)], {len(present)}, 1)
            return
        test_set = self._test_set(candidates, references)  # type: ignore[arg-type]
        counts = set(test_set.present.sum(axis=0).tolist())
        self._accumulate([rows.tolist() for rows in self._count(test_set)], counts, len(test_set))

    def merge(self, other: Scorer) -> None:
        """Add everything that another scorer of the same metrics has added."""
        if (self.metrics, self._encoding) != (other.metrics, other._encoding):
            raise InputError(f"merge: expected a scorer of {', '.join(self._names)} that reads text as this one")
        sums = [[] if row is None else [row] for row in other._sums]
        self._accumulate(sums, other._reference_counts, other._segments)

    def result(self) -> Result:
        """Return the corpus scores of everything added, like `score`; the scores of segments are not kept."""
        if not self._segments:
            raise InputError("result: expected at least one segment, found none; `add` adds them")
        count = next(iter(self._reference_counts)) if len(self._reference_counts) == 1 else None
        scores = []
        for metric, row in zip(self.metrics, self._sums, strict=True):
            sums = np.array(row, np.float64)
            signature = metric.signature(self._encoding, count)
            scores.append(Score("system", metric, signature, float(metric.score(sums)), np.empty((0, len(sums))), sums))
        return Result(tuple(scores), single=True)

    # --- counting ------------------------------------------------------------------------------------------------

    def _references_of(self, references: SegmentReferences | int) -> list[str]:
        if isinstance(references, int):
            if self._references is None:
                raise InputError(f"expected the references of the segment, found {references}: the scorer has none")
            references = self._references[references]
        try:
            present = present_references(references)
        except (TypeError, AttributeError):
            present = []
        if not present:
            make_streams([references])  # says what is wrong
        return present

    def _test_set(self, candidates: Iterable[str], references: References | None) -> TestSet:
        if references is None:
            references = self._references
        if references is None:
            raise InputError("expected references: the scorer has none")
        return make_test_set(candidates, references)

    def _rows(self, candidate: str, references: list[str]) -> list[Row]:
        """Return the statistics of one segment."""
        rows = self._counter.rows(candidate, references)
        if None in rows:
            counted = self._count(make_test_set([candidate], [references]))
            rows = [by_metric[0].tolist() if row is None else row for row, by_metric in zip(rows, counted, strict=True)]
        return rows  # type: ignore[return-value]

    def _score(self, i: int, row: Row) -> float:
        form = self._counter.forms[i]
        return form.score(row) if form else float(self.metrics[i].score(np.array(row)))

    def _count(self, test_set: TestSet) -> list[Floats]:
        """Return the statistics of each metric."""
        (system,) = test_set.systems.values()
        analyze_texts((system, *test_set.references), self.metrics, self._encoding, None)
        blocks = []
        for block in test_set.blocks:
            references = tuple(stream.rows(*block) for stream in test_set.references)
            present = test_set.present[:, slice(*block)]
            task = BlockTask((system.rows(*block),), references, present, tuple(self.metrics), self._encoding)
            blocks.append([rows[0] for rows in count(self._contexts, task)])
        return [np.concatenate(of_metric) for of_metric in zip(*blocks, strict=True)]

    def _accumulate(self, rows: Sequence[Sequence[Row]], reference_counts: set[int], segments: int) -> None:
        for i, of_metric in enumerate(rows):
            for row in of_metric:
                before = self._sums[i]
                self._sums[i] = list(row) if before is None else [a + b for a, b in zip(before, row, strict=True)]
        self._reference_counts = self._reference_counts | reference_counts
        self._segments += segments
