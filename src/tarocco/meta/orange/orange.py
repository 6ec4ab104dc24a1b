"""ORANGE: evaluate metrics on n-best lists (Lin and Och 2004).

A good metric ranks human translations above machine translations. It scores every candidate of a list and every
reference; ORANGE is the average rank of the references in the lists, divided by the length of a list plus one. Lower is
better.

Lists are evaluated in parts, and only the ranks of the references are kept. Where possible a part is a byte range of
the file, which a worker reads itself. Otherwise (a pipe, compressed or pooled lists, external scores, an analyzer) the
driver reads the lists, and a part is a block of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import CandidateScores, References, TestSet, as_list, make_streams, pack_strings
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.byte_ranges import ByteRange
from tarocco.io.nbest.lists import ByteRangeLists, NBestByteRanges, NBestFile, NBestList, no_lists_error
from tarocco.meta.orange.chance import append_chance
from tarocco.meta.orange.confusions import Confusion, make_confusion
from tarocco.meta.orange.lists import (
    ListBlock,
    ListTally,
    candidate_sets,
    external_scores,
    group_into_blocks,
    make_block,
)
from tarocco.meta.orange.ranking import ExternalScores, rank, rank_references, score_lists
from tarocco.meta.orange.results import ONE_REFERENCE, OrangeResult, RankTable, make_result
from tarocco.meta.orange.rules import (
    RULES,
    EvaluatedMetric,
    OrangeRules,
    OrangeShortcuts,
    Scorer,
    evaluated_metrics,
    make_scorers,
)
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import find_analyzer, prepare_contexts
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.settings import RESAMPLING, WORKERS, Resampling, Text, Workers, apply_shortcuts
from tarocco.scoring.statistics import analyze_texts, annotations_for

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.annotate.cache import Annotations
    from tarocco.meta.orange.cache import RankCache
    from tarocco.store import Store

METRICS = ("BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF")

External = str | os.PathLike[str] | Iterable[tuple[Sequence[float], Sequence[float]]]
NBest = str | os.PathLike[str] | Iterable[Sequence[str]]
UNTOKENIZED = Text(tokenize="none")  # most n-best lists are tokenized already


def orange(
    nbest: NBest,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    combine: Sequence[Sequence[str | Metric]] = (),
    external: Mapping[str, External] | None = None,
    rules: OrangeRules = RULES,
    text: Text = UNTOKENIZED,
    resampling: Resampling = RESAMPLING,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[OrangeShortcuts],
) -> OrangeResult:
    """Evaluate metrics on n-best lists: how high does each metric rank human translations?

    Parameters
    ----------
    nbest
        A file of n-best lists (Moses, Marian, fairseq, `id<TAB>text`, JSON lines, a directory), or an iterable with
        one list of strings per segment.
    references
        references[i] are the references of segment i. A segment needs two, because a reference is scored against the
        others; external scores need only one.
    metrics
        Names or metric objects.
    combine
        Combinations of metrics, such as [("BLEUS-4", "ROUGE-L")], which rank by the mean of their members' ranks.
    external
        Scores of candidates and references that were computed outside tarocco, such as {"COMET": "comet.jsonl"}.
        Instead of a file, one pair per segment: (scores of its candidates, scores of its references).
    rules
        The options of ORANGE (`OrangeRules`).
    text, resampling, workers
        How text is read (`Text`; not tokenized by default), how bootstrap intervals over segments are drawn
        (`Resampling`), and where work is done (`Workers`).
    **shortcuts
        The fields of these four values as keywords: against, oracle, ties, short, n_best, unique, drop_copies, curve,
        pool, confusions, sampled, first_id, num_candidates, tokenize, lowercase, analyzer, n_resamples, confidence,
        seed, jobs, store, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> lists = [["it rain a whole day", "it rains all day", "it rained"]]
    >>> references = [["it rained all day", "it rained the whole day", "all day it rained"]]
    >>> result = tarocco.orange(lists, references, metrics=["ROUGE-L", "BLEUS-2"])
    >>> [(name, result[name].average_rank) for name in result]
    [('BLEUS-2', 1.0), ('ROUGE-L', 3.0)]
    """
    rules, text, resampling, workers = apply_shortcuts("orange", shortcuts, rules, text, resampling, workers)
    test_set = TestSet({}, make_streams(as_list(references, "references")))
    if external is not None and not isinstance(external, Mapping):
        raise InputError(f'external is a mapping such as {{"COMET": "comet.jsonl"}}, not {external!r}')
    scores = [_candidate_scores(name, source, rules.first_id) for name, source in (external or {}).items()]
    computed = find_metrics([metrics] if isinstance(metrics, str | Metric) else metrics)
    return run_orange(
        *open_lists(nbest, len(test_set), rules),
        test_set,
        make_scorers(computed, scores, combine),
        rules=rules,
        encoding=text.encoding,
        resampling=resampling,
        workers=workers,
    )


def _candidate_scores(name: str, source: External, first_id: int) -> CandidateScores:
    from tarocco.io.scores.external import (
        ExternalFile,
        build_candidate_scores,
        parse_name_and_kind,
        read_candidate_scores,
    )

    metric, kind = parse_name_and_kind(name)
    if isinstance(source, str | os.PathLike):
        return read_candidate_scores(ExternalFile(metric, os.fspath(source), None, kind))
    return build_candidate_scores(metric, kind, as_list(source, f"the scores of {metric}"), first_id)


def open_lists(nbest: NBest, segments: int, rules: OrangeRules = RULES) -> tuple[Iterable[NBestList], str]:
    """Return n-best lists, from a file or from the program, and the name to call them."""
    if isinstance(nbest, str | os.PathLike):
        path = os.fspath(nbest)
        return NBestFile(path, segments, rules.first_id, rules.num_candidates), path
    return lists_of_strings(nbest, segments), "nbest"


def lists_of_strings(lists: Iterable[Sequence[str]], segments: int) -> Iterator[NBestList]:
    """Yield the lists of the calling program, one per segment."""
    if isinstance(lists, Mapping) or not isinstance(lists, Iterable):
        raise InputError(f"nbest: expected a file or lists of strings, found {type(lists).__name__}")
    number = 0
    for number, candidates in enumerate(lists, start=1):
        if number > segments:
            raise InputError(f"there are references for {segments} segments, but more lists than that")
        what = f"the candidates of segment {number - 1} (counted from 0)"
        yield NBestList(number - 1, pack_strings(candidates, what), "nbest", number)
    if number < segments:
        raise InputError(f"there are references for {segments} segments, but {number} lists")


def run_orange(
    lists: Iterable[NBestList],
    name: str,
    references: TestSet,
    scorers: Sequence[Sequence[Scorer]],
    *,
    rules: OrangeRules,
    encoding: Encoding,
    resampling: Resampling,
    workers: Workers,
    advance: Callable[[int, int], object] | None = None,
) -> OrangeResult:
    """Evaluate the scorers of `make_scorers`; `advance` gets the numbers of lists and candidates just ranked."""
    pooled = rules.labels is not None
    if rules.labels is not None and len(rules.labels) != len(references):
        raise InputError(f"pool has {len(rules.labels)} labels, but the references have {len(references)} segments")
    metrics = evaluated_metrics(scorers, rules, encoding, None if pooled else references.reference_count)
    least_references = 2 if any(isinstance(scorer, Metric) for group in scorers for scorer in group) else 1
    if not pooled and references.present.sum(axis=0).max(initial=0) < least_references:
        raise InputError(ONE_REFERENCE)  # before anything is read
    computed = list(dict.fromkeys(s for metric in metrics for s in metric.scorers if isinstance(s, Metric)))
    external = list(dict.fromkeys(s for group in scorers for s in group if isinstance(s, CandidateScores)))
    executor, progress = workers.executor, workers.progress
    store = workers.store
    opened = nullcontext() if store is None else _open_cache(store, metrics, references, rules, name)
    with opened as cache:
        analyzed = find_analyzer(computed, encoding) is not None
        if analyzed:
            preparing = [metric for metric in computed if metric.prepares]
            analyze_texts(references.references, preparing, encoding, None if cache is None else cache.store, executor)
        contexts = dict(zip(computed, prepare_contexts(references, computed, encoding), strict=True))
        ranker = Ranker(metrics, contexts, replace(rules, pool=None), encoding, resampling.seed)
        # A worker that reads a byte range has no access to other lists of a pool, external scores or analyses.
        # Executors without submit_many would send all references with every part.
        readable = not pooled and not external and not analyzed
        sends_once = executor is None or hasattr(executor, "submit_many")
        cut = lists.cut() if readable and sends_once and isinstance(lists, NBestFile) else None
        source: _Blocks | _ByteRanges
        if cut is None:
            source = _Blocks(lists, references, rules.labels, external, least_references, ranker, cache, executor)
        else:
            ranker = replace(ranker, cut=cut, references=references)
            source = _ByteRanges(cut, ranker, cache, executor)
        table, tally = RankTable(len(metrics)), ListTally()
        confusions: list[Confusion] = []
        for ranks in _rank_parts(source, ranker, cache, workers):
            tally.add(ranks.tally, ranks.lines_before)
            table.extend(ranks.table, ranks.counts, ranks.lines_before)
            confusions += ranks.confusions
            if advance is not None:
                advance(len(ranks.tally.segments), ranks.tally.candidates)
            if progress is not None:
                progress(len(ranks.tally.segments))
    result = make_result(table, tally, metrics, rules, resampling, len(references), name, workers.jobs)
    counting = set(result.segments.tolist())
    return replace(result, confusions=tuple(confusion for confusion in confusions if confusion.segment - 1 in counting))


@contextmanager
def _open_cache(
    store: Store | str | Path, metrics: Sequence[EvaluatedMetric], references: TestSet, rules: OrangeRules, name: str
) -> Iterator[RankCache]:
    from tarocco.meta.orange.cache import RankCache  # imports SQLite, which a run without a store does not need
    from tarocco.scoring.cache import open_cache

    with open_cache(store, lambda opened: RankCache(opened, metrics, references, rules, name)) as cache:
        yield cache


# --- workers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ListPart:
    """Lists to rank: a block that the driver has read, or a byte range; and the numbers of the metrics to compute."""

    lists: ListBlock | ByteRange
    metrics: tuple[int, ...] = ()
    external: ExternalScores = field(default_factory=dict)
    annotations: Annotations | None = None  # of the texts, where the worker's process may not have them

    def with_data(self) -> ListPart:
        """Return the byte range with its bytes, for workers that cannot read the file."""
        assert isinstance(self.lists, ByteRange)
        return replace(self, lists=self.lists.with_data())


@dataclass(frozen=True, eq=False)
class PartRanks:
    """The ranks in a part: its lists, and for each metric float64[rows, 2], the numbers of candidates above and tied.

    Each list has one row per length and, last, a row with the numbers that chance would give.
    `lines` is the number of lines of a byte range, `lines_before` the number of lines before it, and `error` what is
    wrong with it.
    """

    table: RankTable
    counts: Mapping[int, Floats]
    tally: ListTally
    confusions: Sequence[Confusion] = ()
    lines: int = 0
    lines_before: int = 0
    error: InputError | None = None


@dataclass(frozen=True, eq=False)
class Ranker:
    """Ranks the references in a part: what a worker needs for every part. It is sent to a cluster once."""

    metrics: Sequence[EvaluatedMetric]
    contexts: Mapping[Metric, Any]  # what metrics computed from all references
    rules: OrangeRules
    encoding: Encoding
    seed: int
    cut: NBestByteRanges | None = None  # for byte ranges
    references: TestSet | None = None  # for byte ranges

    @property
    def with_confusions(self) -> bool:
        """Whether candidates above the references are collected."""
        return self.rules.confusions > 0 or self.rules.sampled > 0

    def __call__(self, part: ListPart) -> PartRanks | None:
        """Rank a part; None if the worker cannot read its file."""
        if isinstance(part.lists, ByteRange):
            return self._rank_range(part.lists, part.metrics) if part.lists.is_here else None
        if part.annotations is not None:
            from tarocco.annotate.cache import load_annotations

            load_annotations(part.annotations)
        counts, confusions = self._rank_block(part.lists, part.metrics, part.external)
        return PartRanks(RankTable(), counts, ListTally(), confusions)

    def _rank_range(self, byte_range: ByteRange, metrics: Sequence[int]) -> PartRanks:
        assert self.cut is not None
        assert self.references is not None
        table, tally = RankTable(), ListTally()
        columns: dict[int, list[Floats]] = {m: [] for m in metrics}
        confusions: list[Confusion] = []
        reading = ByteRangeLists(self.cut, byte_range)
        try:
            for group in group_into_blocks(candidate_sets(reading, self.references, tally)):
                block = make_block(group, self.rules, tally)
                if block is not None:
                    counts, more = self._rank_block(block, metrics)
                    table.add_block(block, self.rules.oracle)
                    confusions += more
                    for m, rows in counts.items():
                        columns[m].append(rows)
        except InputError as error:  # the driver knows the line number
            return PartRanks(table, {}, tally, error=error)
        together = {m: np.concatenate(parts) for m, parts in columns.items() if parts}
        return PartRanks(table, together, tally, confusions, reading.lines)

    def _rank_block(
        self, block: ListBlock, numbers: Sequence[int], external: ExternalScores | None = None
    ) -> tuple[dict[int, Floats], list[Confusion]]:
        if not numbers:
            return {}, []
        metrics = [self.metrics[m] for m in numbers]
        scorers = list(dict.fromkeys(scorer for metric in metrics for scorer in metric.scorers))
        members = [[scorers.index(scorer) for scorer in metric.scorers] for metric in metrics]
        # The mean of ranks depends on how often a text occurs in the list.
        unfold = any(len(numbers) > 1 for numbers in members)
        rows: list[Floats] = []
        confusions: list[Confusion] = []
        fair = self.rules.against == "fair"
        scored = score_lists(block.lists, scorers, external or {}, self.contexts, self.encoding, fair)
        for s, (candidates, references) in enumerate(scored):
            places = block.places[s]
            if places is not None and unfold:
                candidates, places = candidates[:, places], None
            standing = rank_references(candidates, references, members, self.rules.oracle)
            counts = standing.counts(block.lengths[s], places)
            whole = candidates if places is None else candidates[:, places]
            rows.append(append_chance(counts, whole, references, members, self.rules.oracle))
            for m, metric in enumerate(metrics if self.with_confusions else ()):
                if np.isnan(counts[m]).any():  # the list does not count for this metric
                    continue
                kinds = [scorers[i].kind for i in members[m]]
                every = slice(None) if places is None else places
                confusions.append(
                    make_confusion(
                        metric.name,
                        block,
                        s,
                        standing.above[m][every],
                        float(rank(counts[m, -1], self.rules.ties)),
                        (candidates[members[m]][:, every], references[members[m]]),
                        -1.0 if kinds == ["error"] else 1.0,
                        self.rules,
                        self.seed,
                    )
                )
        return dict(zip(numbers, np.concatenate(rows, axis=1), strict=True)), confusions


# --- driver --------------------------------------------------------------------------------------------------------


class _PendingPart(NamedTuple):
    """A part that is being ranked: its store keys, and for a block what the driver knows from reading it."""

    part: ListPart
    keys: Mapping[int, bytes] = {}
    read: PartRanks | None = None
    stored: Mapping[int, Floats] = {}


def _rank_parts(
    source: _Blocks | _ByteRanges, ranker: Ranker, cache: RankCache | None, workers: Workers
) -> Iterator[PartRanks]:
    """Yield the ranks in all parts, in order; those that the store has are not computed."""
    waiting: deque[_PendingPart] = deque()

    def parts() -> Iterator[ListPart]:
        for pending in source.parts():
            stored = {} if cache is None or ranker.with_confusions else cache.get(pending.keys)
            missing = tuple(m for m in range(len(ranker.metrics)) if m not in stored)
            waiting.append(pending._replace(part=replace(pending.part, metrics=missing), stored=stored))
            yield source.prepare(waiting[-1].part)

    for ranks in map_ordered(ranker, parts(), None, workers.jobs, workers.executor, here=lambda part: not part.metrics):
        ranks = ranks or source.rank_again(waiting[0].part)
        part, keys, read, stored = waiting.popleft()
        ranks = source.complete(part, ranks, read)
        counts, row_counts = dict(ranks.counts), ranks.table.row_counts
        if cache is not None and row_counts:
            from tarocco.meta.orange.cache import unfold

            cache.put(keys, row_counts, counts)
            counts |= {m: unfold(table, row_counts) for m, table in stored.items()}
            if not part.metrics:
                ranks.tally.from_store += len(row_counts)
        yield replace(ranks, counts=counts)
    yield source.end()


@dataclass(eq=False)
class _Blocks:
    """Lists that the driver reads, in blocks."""

    lists: Iterable[NBestList]
    references: TestSet
    labels: Sequence[str] | None
    external: Sequence[CandidateScores]
    least_references: int
    ranker: Ranker
    cache: RankCache | None
    executor: Executor | None
    tally: ListTally = field(default_factory=ListTally)

    def parts(self) -> Iterator[_PendingPart]:
        """Yield the parts."""
        rules, tally = self.ranker.rules, self.tally
        sets = candidate_sets(self.lists, self.references, tally, self.labels, self.least_references)
        for group in group_into_blocks(sets):
            block = make_block(group, rules, tally, fold=not self.external)
            if block is None:
                continue
            external = {scores.name: external_scores(scores, block, rules.first_id) for scores in self.external}
            table = RankTable()
            table.add_block(block, rules.oracle)
            keys = {} if self.cache is None else self.cache.block_keys(block, external)
            yield _PendingPart(ListPart(block, external=external), keys, PartRanks(table, {}, tally.take()))

    def prepare(self, part: ListPart) -> ListPart:
        """Return what is sent to a worker."""
        assert isinstance(part.lists, ListBlock)
        texts = part.lists.lists.candidates, part.lists.lists.references
        scorers = [scorer for m in part.metrics for scorer in self.ranker.metrics[m].scorers]
        metrics, encoding = [scorer for scorer in scorers if isinstance(scorer, Metric)], self.ranker.encoding
        analyze_texts(texts, metrics, encoding, None if self.cache is None else self.cache.store, self.executor)
        annotations = None if self.executor is None else annotations_for(texts, metrics, encoding)
        # Only confusions need the candidate sets, whose texts are in the lists already.
        block = part.lists if self.ranker.with_confusions else replace(part.lists, sets=())
        return replace(part, lists=block, annotations=annotations)

    def rank_again(self, part: ListPart) -> PartRanks:
        """Not used: a block has its texts."""
        raise AssertionError(part)

    def complete(self, _part: ListPart, ranks: PartRanks, read: PartRanks | None) -> PartRanks:
        """Return the ranks with what the driver knows from reading the block."""
        assert read is not None
        return replace(read, counts=ranks.counts, confusions=ranks.confusions)

    def end(self) -> PartRanks:
        """Return the counts of lists after the last block."""
        return PartRanks(RankTable(), {}, self.tally)


@dataclass(eq=False)
class _ByteRanges:
    """The byte ranges of a file, which workers read, and what is known of the file before them."""

    cut: NBestByteRanges
    ranker: Ranker
    cache: RankCache | None
    executor: Executor | None
    lines: int = 0
    last: int = -1  # segment

    def parts(self) -> Iterator[_PendingPart]:
        """Yield the parts."""
        begins, first_id = self.cut.line_pattern, self.cut.nbest.first_id
        reading = (
            f"Begins(pattern={begins.pattern!r}, a_line={begins.list_per_line!r})"  # as in the keys of earlier releases
        )
        for byte_range in self.cut:
            keys = {}
            if self.cache is not None:
                segments = self._segments(byte_range)
                keys = self.cache.range_keys(byte_range.chunks(), reading, first_id, segments)
            yield _PendingPart(ListPart(byte_range), keys)

    def _segments(self, byte_range: ByteRange) -> tuple[int, int] | None:
        """Return the segments that the lists can belong to, if that is known."""
        if byte_range.ids is None:
            return None
        assert self.ranker.references is not None
        first_id, n = self.cut.nbest.first_id, len(self.ranker.references)
        first, last = (min(max(0, list_id - first_id), n) for list_id in byte_range.ids)
        return first, max(first, last)

    @cached_property
    def sends_data(self) -> bool:
        """Whether workers get the bytes, because they cannot read the file."""
        if self.executor is None:
            return False
        first = next(iter(self.cut))
        return not self.executor.submit(_is_readable, first).result()

    def prepare(self, part: ListPart) -> ListPart:
        """Return what is sent to a worker."""
        return part.with_data() if part.metrics and self.sends_data else part

    def rank_again(self, part: ListPart) -> PartRanks:
        """Rank a part with its bytes, because its worker could not read the file, and send those of later parts."""
        self.sends_data = True
        part = part.with_data()
        ranks = self.ranker(part) if self.executor is None else self.executor.submit(self.ranker, part).result()
        assert ranks is not None
        return ranks

    def complete(self, part: ListPart, ranks: PartRanks, _read: PartRanks | None) -> PartRanks:
        """Check the order of lists, and return the ranks with the number of lines before the part."""
        assert isinstance(part.lists, ByteRange)
        segments = ranks.tally.segments
        if ranks.error is not None or min(segments, default=self.last + 1) <= self.last:
            raise self._find_error(part.lists) or ranks.error or AssertionError(f"{part.lists}: out of order")
        before, self.lines, self.last = self.lines, self.lines + ranks.lines, max(segments, default=self.last)
        return replace(ranks, lines_before=before)

    def _find_error(self, byte_range: ByteRange) -> InputError | None:
        """Return the error in a part, with the numbers of lines and lists of the whole file."""
        previous = None if self.last < 0 else self.last + self.cut.nbest.first_id
        try:
            deque(ByteRangeLists(self.cut, byte_range, self.lines + 1, previous), maxlen=0)
        except InputError as error:
            return error
        return None

    def end(self) -> PartRanks:
        """Check that there were lists."""
        if self.last < 0:
            raise no_lists_error(self.cut.nbest.path)
        return PartRanks(RankTable(), {}, ListTally())


def _is_readable(byte_range: ByteRange) -> bool:
    """Return whether the worker can read the file."""
    return byte_range.is_here
