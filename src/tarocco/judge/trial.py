"""A whole trial: lists are read as a stream, judged block by block, and what is known of each is put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tarocco.counting import analyze, contexts_of, told_of
from tarocco.errors import InputError
from tarocco.judge.block import Contestant, Work, given_of, judged
from tarocco.judge.cases import Chosen, Counted, blocks_of, cases_of, chosen_of
from tarocco.judge.rules import Panel, Rules
from tarocco.judge.summary import ONE_REFERENCE, Judged, summed_up
from tarocco.judge.verdict import OrangeResult
from tarocco.metrics.base import Floats, Metric
from tarocco.model import CandidateScores, TestSet
from tarocco.read.nbest import NBestList
from tarocco.run import check_jobs, map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.judge.confusing import Wanted
    from tarocco.judge.confusion import Confusion
    from tarocco.judge.outcomes import KeptOutcomes
    from tarocco.store import Store


@dataclass(frozen=True, eq=False)
class Lists:
    """Where lists come from: a stream of them, the name of the stream, and how it counts."""

    stream: Iterable[NBestList]
    name: str
    first_id: int = 0
    labels: Sequence[str] | None = None  # segments with the same one are pooled


class _Judging(NamedTuple):
    """A block on its way: what is known of it, and who judges it still."""

    chosen: Chosen
    known: dict[int, Floats]
    missing: tuple[int, ...]
    keys: dict[int, bytes]


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
    counted = Counted()
    cases = cases_of(lists.stream, references, counted, lists.labels, panel.least_references)
    scorers = list(dict.fromkeys(scorer for one in contestants for scorer in one.scorers))
    wanted = {scorer.name for scorer in scorers if isinstance(scorer, CandidateScores)}
    given = [one for one in panel.given if one.name in wanted]
    metrics = [scorer for scorer in scorers if isinstance(scorer, Metric)]
    done = Judged(len(contestants))
    waiting: deque[_Judging] = deque()
    told = 0
    with _kept(store, contestants, references, rules, lists.name) as kept:
        opened = None if kept is None else kept.store
        preparing = [metric for metric in metrics if metric.prepares]
        analyze(references.references, preparing, rules.encoding, opened, executor)
        contexts = dict(zip(metrics, contexts_of(references, metrics, rules.encoding), strict=True))

        def works() -> Iterator[Work]:
            for block in blocks_of(cases):
                chosen = chosen_of(block, rules.selection, counted, fold=not given)
                if chosen is None:
                    continue
                of_block = {one.name: given_of(one, chosen, lists.first_id) for one in given}
                keys = kept.keys(chosen, of_block) if kept is not None else {}
                known = kept.get(keys, chosen) if kept is not None and not confusions else {}
                missing = tuple(m for m in range(len(contestants)) if m not in known)
                counted.from_store += 0 if missing else len(chosen.cases)
                waiting.append(_Judging(chosen, known, missing, keys))
                texts = chosen.lists.candidates, chosen.lists.references
                own = [one for m in missing for one in contestants[m].scorers if isinstance(one, Metric)]
                analyze(texts, own, rules.encoding, opened, executor)
                yield Work(
                    chosen if confusions else replace(chosen, cases=()),  # texts go to other processes once
                    tuple(contestants[m] for m in missing),
                    of_block,
                    rules.encoding,
                    rules.against == "fair",
                    rules.oracle,
                    rules.ties,
                    confusions,
                    None if executor is None else told_of(texts, own, rules.encoding),
                )

        judge = partial(judged, contexts)
        for outcome in map_ordered(judge, works(), None, jobs, executor, here=lambda work: not work.contestants):
            judging = waiting.popleft()
            chosen = judging.chosen
            new = dict(zip(judging.missing, outcome.counts, strict=True))
            if kept is not None:
                kept.put(judging.keys, chosen, new)
            together = judging.known | new
            done.add(chosen, [together[m] for m in range(len(contestants))])
            for confusion in outcome.confusions if on_confusion is not None else ():
                on_confusion(confusion)  # type: ignore[misc]
            if advance is not None:
                advance(len(counted.seen) - told, sum(map(len, chosen.kept)))
                told = len(counted.seen)
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
    from tarocco.judge.outcomes import KeptOutcomes  # SQLite, which a run without a store does not need
    from tarocco.keeping import keeping

    how = f"{rules.against} {rules.oracle}"
    with keeping(store, lambda opened: KeptOutcomes(opened, contestants, references, how, subject)) as kept:
        yield kept
