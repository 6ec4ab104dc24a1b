"""A whole trial: lists are judged part by part, by whoever is there, and what is known of each is put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarocco.counting import analyze, contexts_of, needs_analysis
from tarocco.errors import InputError
from tarocco.judge.block import Contestant
from tarocco.judge.cases import Counted
from tarocco.judge.hearing import Hearing, Judged, Lists
from tarocco.judge.rules import Panel, Rules
from tarocco.judge.streams import heard_in_blocks
from tarocco.judge.stretches import heard_in_stretches
from tarocco.judge.summary import ONE_REFERENCE, summed_up
from tarocco.judge.verdict import OrangeResult
from tarocco.metrics.base import Metric
from tarocco.model import TestSet
from tarocco.read.nbest import NBestFile
from tarocco.run import check_jobs

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.judge.confusing import Wanted
    from tarocco.judge.confusion import Confusion
    from tarocco.judge.outcomes import KeptOutcomes
    from tarocco.store import Store


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
        analyze(references.references, preparing, rules.encoding, None if kept is None else kept.store, executor)
        contexts = dict(zip(metrics, contexts_of(references, metrics, rules.encoding), strict=True))
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
    from tarocco.judge.outcomes import KeptOutcomes  # SQLite, which a run without a store does not need
    from tarocco.keeping import keeping

    how = f"{rules.against} {rules.oracle}"
    with keeping(store, lambda opened: KeptOutcomes(opened, contestants, references, how, subject)) as kept:
        yield kept
