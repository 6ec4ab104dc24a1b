"""A trial of lists that come one after the other: this process reads them, and others judge them in blocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tarocco.counting import analyze, told_of
from tarocco.judge.block import Work, given_of, judged
from tarocco.judge.cases import Chosen, Counted, blocks_of, cases_of, chosen_of
from tarocco.judge.hearing import Heard, Hearing, Judged, Lists, unfolded
from tarocco.judge.rules import Panel
from tarocco.metrics.base import Floats, Metric
from tarocco.model import CandidateScores
from tarocco.run import map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.judge.outcomes import KeptOutcomes


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
            analyze(texts, own, rules.encoding, store, executor)
            sent = chosen if hearing.confusions else replace(chosen, cases=())  # texts go to other processes once
            told = None if executor is None else told_of(texts, own, rules.encoding)
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
