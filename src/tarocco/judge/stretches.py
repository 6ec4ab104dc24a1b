"""A trial of lists in a file: whoever judges a stretch of it reads it, too, so that one process can keep many busy.

What the process that asks does is to cut the file, to look into the store, and to put together what comes back. Others
count lines from the beginning of their stretch, and know nothing of the lists before it: errors are told by this
process, which knows both by then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarocco.errors import InputError
from tarocco.judge.block import judged
from tarocco.judge.cases import Counted, blocks_of, cases_of, chosen_of
from tarocco.judge.confusion import Confusion
from tarocco.judge.hearing import Heard, Hearing, Judged, unfolded
from tarocco.metrics.base import Floats
from tarocco.read.nbest import NBestCut, no_lists
from tarocco.read.stretches import Stretch
from tarocco.run import map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.judge.outcomes import KeptOutcomes


class Asked(NamedTuple):
    """A stretch, and the numbers of the contestants that judge it."""

    stretch: Stretch
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


def hear(cut: NBestCut, hearing: Hearing, asked: Asked) -> Stretched | None:
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
    cut: NBestCut, hearing: Hearing, kept: KeptOutcomes | None, jobs: int | None, executor: Executor | None
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
        raise no_lists(cut.nbest.path)


class _Stretches:
    """Those that are on their way, and what is known of the file before them."""

    def __init__(self, cut: NBestCut, hearing: Hearing, kept: KeptOutcomes | None, executor: Executor | None) -> None:
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

    def _read_how(self, stretch: Stretch) -> tuple[str, tuple[int, int] | None]:
        """How a stretch is read, and which segments its lists can belong to."""
        first_id, n = self.cut.nbest.first_id, len(self.hearing.references)
        how = repr((self.cut.begins, first_id, self.hearing.rules.selection))
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

    def _what_is_wrong(self, stretch: Stretch) -> InputError | None:
        """With the numbers of lines and lists as they are in the whole file."""
        before = None if self.last < 0 else self.last + self.cut.nbest.first_id
        try:
            deque(self.cut.reading(stretch, self.lines + 1, before), maxlen=0)
        except InputError as error:
            return error
        return None


def _is_there(stretch: Stretch) -> bool:
    """On a worker: whether it can read the file."""
    return stretch.is_here
