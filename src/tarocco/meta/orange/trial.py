"""A whole trial: lists are judged part by part, by whoever is there, and what is known of each is put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import CandidateScores, TestSet
from tarocco.io.nbest.byte_ranges import ByteRange
from tarocco.io.nbest.lists import NBestByteRanges, NBestFile, no_lists_error
from tarocco.meta.orange.blocks import Contestant, Work, given_of, judged
from tarocco.meta.orange.cases import Chosen, Counted, blocks_of, cases_of, chosen_of
from tarocco.meta.orange.confusions import Confusion
from tarocco.meta.orange.hearing import Heard, Hearing, Judged, Lists, unfolded
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.orange.rules import Panel, Rules
from tarocco.meta.orange.summary import ONE_REFERENCE, summed_up
from tarocco.metrics.base import Floats, Metric
from tarocco.parallel.fan_out import check_jobs, map_ordered
from tarocco.scoring.statistics import analyze_texts, annotations_for, needs_analysis, prepare_contexts

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.meta.orange.cache import KeptOutcomes
    from tarocco.meta.orange.confusions import Confusion, Wanted
    from tarocco.store import Store


class _Judging(NamedTuple):
    """A block on its way: what is known of it, and who judges it still."""

    chosen: Chosen
    counted: Counted
    known: dict[int, Floats]
    missing: tuple[int, ...]
    keys: dict[int, bytes]


def heard_in_blocks(
    lists: Lists,
    panel: Panel,
    hearing: Hearing,
    kept: KeptOutcomes | None,
    jobs: int | None,
    executor: Executor | None,
) -> Iterator[Heard]:
    """All lists of a stream, block by block; at last what was found in lists behind the last block."""
    rules, contestants = hearing.rules, hearing.contestants
    scorers = {scorer for one in contestants for scorer in one.scorers}
    wanted = {scorer.name for scorer in scorers if isinstance(scorer, CandidateScores)}
    given = [one for one in panel.given if one.name in wanted]
    store = None if kept is None else kept.store
    counted = Counted()
    waiting: deque[_Judging] = deque()

    def works() -> Iterator[Work]:
        cases = cases_of(lists.stream, hearing.references, counted, lists.labels, panel.least_references)
        for block in blocks_of(cases):
            chosen = chosen_of(block, rules.selection, counted, fold=not given)
            if chosen is None:
                continue
            of_block = {one.name: given_of(one, chosen, lists.first_id) for one in given}
            keys: dict[int, bytes] = {}
            known: dict[int, Floats] = {}
            if kept is not None:
                keys = kept.keys(chosen, of_block)
                kept.write_down(keys, len(chosen.cases))
                known = {} if hearing.confusions else kept.get(keys)
            missing = tuple(m for m in range(len(contestants)) if m not in known)
            waiting.append(_Judging(chosen, counted.taken(), known, missing, keys))
            texts = chosen.lists.candidates, chosen.lists.references
            own = [one for m in missing for one in contestants[m].scorers if isinstance(one, Metric)]
            analyze_texts(texts, own, rules.encoding, store, executor)
            sent = chosen if hearing.confusions else replace(chosen, cases=())  # texts go to other processes once
            told = None if executor is None else annotations_for(texts, own, rules.encoding)
            yield hearing.work(sent, missing, of_block, told)

    judge = partial(judged, hearing.contexts)
    for outcome in map_ordered(judge, works(), None, jobs, executor, here=lambda work: not work.contestants):
        judging = waiting.popleft()
        found = Judged()
        found.add(judging.chosen)
        new = dict(zip(judging.missing, outcome.counts, strict=True))
        if kept is not None:
            kept.put(judging.keys, found.lengths, new)
        if not judging.missing:
            judging.counted.from_store += len(found)
        counts = {m: unfolded(table, found.lengths) for m, table in judging.known.items()} | new
        yield Heard(found, counts, judging.counted, outcome.confusions)
    yield Heard(Judged(), {}, counted)


class Asked(NamedTuple):
    """A stretch, and the numbers of the contestants that judge it."""

    stretch: ByteRange
    judges: tuple[int, ...]

    def with_data(self) -> Asked:
        """The same for those who do not have the file."""
        return self._replace(stretch=self.stretch.with_data())


@dataclass(frozen=True, eq=False)
class Stretched:
    """What came out for a stretch: the lists in it, how many lines it has, or what is wrong with them."""

    heard: Heard
    lines: int = 0
    wrong: InputError | None = None


def hear(cut: NBestByteRanges, hearing: Hearing, asked: Asked) -> Stretched | None:
    """Read a stretch, and judge its lists; None if its file is not to be found here."""
    if not asked.stretch.is_here:
        return None
    counted, found = Counted(), Judged()
    counts: list[list[Floats]] = [[] for _ in asked.judges]
    confusions: list[Confusion] = []
    reading = cut.reading(asked.stretch)
    try:
        for block in blocks_of(cases_of(reading, hearing.references, counted)):
            chosen = chosen_of(block, hearing.rules.selection, counted)
            if chosen is None:
                continue
            outcome = judged(hearing.contexts, hearing.work(chosen, asked.judges))
            found.add(chosen)
            confusions += outcome.confusions
            for column, new in zip(counts, outcome.counts, strict=True):
                column.append(new)
    except InputError as error:  # told by those who know the numbers of lines
        return Stretched(Heard(found, {}, counted), wrong=error)
    together = {m: np.concatenate(column) for m, column in zip(asked.judges, counts, strict=True) if column}
    return Stretched(Heard(found, together, counted, confusions), reading.lines)


def heard_in_stretches(
    cut: NBestByteRanges, hearing: Hearing, kept: KeptOutcomes | None, jobs: int | None, executor: Executor | None
) -> Iterator[Heard]:
    """All lists of a file, stretch by stretch."""
    own = _Stretches(cut, hearing, kept, executor)
    judge = partial(hear, cut, hearing)
    for found in map_ordered(judge, own.asked(), None, jobs, executor, here=lambda asked: not asked.judges):
        if found is None:  # some have the file, and this one has not
            again = own.sent()
            found = judge(again) if executor is None else executor.submit(judge, again).result()
            assert found is not None
        yield own.told(found)
    if own.last < 0:
        raise no_lists_error(cut.nbest.path)


class _Stretches:
    """Those that are on their way, and what is known of the file before them."""

    def __init__(
        self, cut: NBestByteRanges, hearing: Hearing, kept: KeptOutcomes | None, executor: Executor | None
    ) -> None:
        self.cut, self.hearing, self.kept, self.executor = cut, hearing, kept, executor
        self.waiting: deque[tuple[Asked, dict[int, bytes], dict[int, Floats]]] = deque()
        self.sends = None if executor is not None else False  # not known yet
        self.lines, self.last = 0, -1  # how many there were, and the last segment

    def asked(self) -> Iterator[Asked]:
        """What is to be heard."""
        for stretch in self.cut:
            keys: dict[int, bytes] = {}
            known: dict[int, Floats] = {}
            if self.kept is not None:
                keys = self.kept.keys_of_stretch(stretch.chunks(), *self._read_how(stretch))
                known = {} if self.hearing.confusions else self.kept.get(keys)
            asked = Asked(stretch, tuple(m for m in range(len(self.hearing.contestants)) if m not in known))
            self.waiting.append((asked, keys, known))
            if asked.judges and self.sends is None and self.executor is not None:
                self.sends = not self.executor.submit(_is_there, stretch).result()
            yield asked.with_data() if self.sends else asked

    def _read_how(self, stretch: ByteRange) -> tuple[str, tuple[int, int] | None]:
        """How a stretch is read, and which segments its lists can belong to."""
        first_id, n = self.cut.nbest.first_id, len(self.hearing.references)
        how = repr((self.cut.line_pattern, first_id, self.hearing.rules.selection))
        if stretch.ids is None:
            return how, None
        first, last = (min(max(0, which - first_id), n) for which in stretch.ids)
        return how, (first, max(first, last))

    def sent(self) -> Asked:
        """The next one again, with its bytes, as all that follow have theirs."""
        self.sends = True
        return self.waiting[0][0].with_data()

    def told(self, found: Stretched) -> Heard:
        """What came out for the next one, as the whole file has it."""
        asked, keys, known = self.waiting.popleft()
        heard, seen = found.heard, found.heard.counted.seen
        if found.wrong is not None or min(seen, default=self.last + 1) <= self.last:
            raise self._what_is_wrong(asked.stretch) or found.wrong or AssertionError(f"{asked.stretch}: out of order")
        counts, lengths = dict(heard.counts), heard.lists.lengths
        if self.kept is not None and lengths:
            self.kept.write_down(keys, len(lengths))
            self.kept.put(keys, lengths, counts)
            counts |= {m: unfolded(table, lengths) for m, table in known.items()}
            if not asked.judges:
                heard.counted.from_store += len(lengths)
        before, self.lines, self.last = self.lines, self.lines + found.lines, max(seen, default=self.last)
        return replace(heard, counts=counts, before=before)

    def _what_is_wrong(self, stretch: ByteRange) -> InputError | None:
        """With the numbers of lines and lists as they are in the whole file."""
        before = None if self.last < 0 else self.last + self.cut.nbest.first_id
        try:
            deque(self.cut.reading(stretch, self.lines + 1, before), maxlen=0)
        except InputError as error:
            return error
        return None


def _is_there(stretch: ByteRange) -> bool:
    """On a worker: whether it can read the file."""
    return stretch.is_here


def run_trial(
    lists: Lists,
    references: TestSet,
    panel: Panel,
    rules: Rules,
    *,
    confusions: Wanted | None = None,
    on_confusion: Callable[[Confusion], Any] | None = None,
    advance: Callable[[int, int], None] | None = None,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> OrangeResult:
    """Judge every list; `advance` is told how many more lists and candidates were judged.

    `on_confusion` gets, in the order of lists, what stands above the references, as far as `confusions` wants it.
    """
    check_jobs(jobs)
    pooled = lists.labels is not None
    contestants = panel.contestants(rules, None if pooled else references.reference_count, pooled)
    if not pooled and references.present.sum(axis=0).max(initial=0) < panel.least_references:
        raise InputError(ONE_REFERENCE)  # told before anything is read
    counted, done = Counted(), Judged(len(contestants))
    scorers = list(dict.fromkeys(scorer for one in contestants for scorer in one.scorers))
    metrics = [scorer for scorer in scorers if isinstance(scorer, Metric)]
    with _kept(store, contestants, references, rules, lists.name) as kept:
        preparing = [metric for metric in metrics if metric.prepares]
        analyze_texts(references.references, preparing, rules.encoding, None if kept is None else kept.store, executor)
        contexts = dict(zip(metrics, prepare_contexts(references, metrics, rules.encoding), strict=True))
        hearing = Hearing(references, contestants, contexts, rules, confusions)
        # Who reads a stretch knows neither the lists that are pooled with its own, nor files and analyses beside it.
        # And some executors would send all references with every item.
        alone = not pooled and len(metrics) == len(scorers) and not needs_analysis(metrics, rules.encoding)
        once = executor is None or hasattr(executor, "submit_many")
        cut = lists.stream.cut() if alone and once and isinstance(lists.stream, NBestFile) else None
        hears = (
            heard_in_blocks(lists, panel, hearing, kept, jobs, executor)
            if cut is None
            else heard_in_stretches(cut, hearing, kept, jobs, executor)
        )
        for heard in hears:
            counted.add(heard.counted, heard.before)
            done.extend(heard)
            for confusion in heard.confusions if on_confusion is not None else ():
                on_confusion(confusion)  # type: ignore[misc]
            if advance is not None:
                advance(len(heard.counted.seen), heard.counted.candidates)
    return summed_up(done, contestants, len(references), rules, counted, lists.name, jobs)


@contextmanager
def _kept(
    store: Store | str | Path | None,
    contestants: Sequence[Contestant],
    references: TestSet,
    rules: Rules,
    subject: str,
) -> Iterator[KeptOutcomes | None]:
    if store is None:
        yield None
        return
    from tarocco.meta.orange.cache import KeptOutcomes  # SQLite, which a run without a store does not need
    from tarocco.scoring.cache import open_cache

    how = f"{rules.against} {rules.oracle}"
    with open_cache(store, lambda opened: KeptOutcomes(opened, contestants, references, how, subject)) as kept:
        yield kept
