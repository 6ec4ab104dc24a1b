"""A whole trial: lists are read as a stream, judged block by block, and what is known of each is put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.counting import contexts_of
from tarocco.encode.batch import Encoding
from tarocco.errors import BadParameter, InputError
from tarocco.judge.block import Contestant, Scorer, Work, given_of, judged
from tarocco.judge.cases import Chosen, Counted, Selection, blocks_of, cases_of, chosen_of
from tarocco.judge.ranking import ORACLES, TIES
from tarocco.judge.verdict import OrangeResult, Ranked, verdicts
from tarocco.metrics.base import Floats, Metric
from tarocco.model import CandidateScores, TestSet
from tarocco.naming import signature
from tarocco.read.nbest import NBestList
from tarocco.resample import check_resampling
from tarocco.run import map_ordered
from tarocco.scoring import score_signature

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.judge.confusing import Wanted
    from tarocco.judge.confusion import Confusion
    from tarocco.judge.outcomes import KeptOutcomes
    from tarocco.store import Store

AGAINST = ("fair", "all")
SHORT = ("skip", "keep")


class Resampling(NamedTuple):
    """What bootstrap intervals are made with."""

    confidence: float
    n_resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Rules:
    """Every choice that ORANGE leaves open."""

    encoding: Encoding
    selection: Selection
    against: str
    oracle: str
    ties: str
    short: str
    resampling: Resampling

    def __post_init__(self) -> None:
        for what, value, choices in (
            ("against", self.against, AGAINST),
            ("oracle", self.oracle, ORACLES),
            ("ties", self.ties, tuple(TIES)),
            ("short", self.short, SHORT),
        ):
            if value not in choices:
                raise BadParameter(f"{what} is one of {', '.join(choices)}, not {value!r}")
        check_resampling(*self.resampling)

    @property
    def told(self) -> list[tuple[str, object]]:
        """The choices as a signature has them; defaults that change nothing else are left out."""
        selection = self.selection
        return [
            ("against", self.against),
            ("oracle", self.oracle),
            ("tied", self.ties),
            ("short", self.short),
            *([("unique", "yes")] if selection.unique else []),
            *([("copies", "dropped")] if selection.drop_copies else []),
        ]


@dataclass(frozen=True, eq=False)
class Panel:
    """Who stands trial: metrics, scores made elsewhere, and groups of both that judge together."""

    metrics: Sequence[Metric]
    given: Sequence[CandidateScores] = ()
    groups: Sequence[Sequence[Scorer]] = ()

    def contestants(self, rules: Rules, reference_count: int | None) -> list[Contestant]:
        """Each with its name and signature."""

        def signed(scorer: Scorer, more: Sequence[tuple[str, object]] = ()) -> str:
            if isinstance(scorer, CandidateScores):
                return signature(f"{scorer.name}|external", [*scorer.origin, *more])
            return score_signature(scorer, rules.encoding, reference_count, more)

        groups: list[Sequence[Scorer]] = [
            *([one] for one in self.metrics),
            *([one] for one in self.given),
            *self.groups,
        ]
        found = [
            Contestant(
                " + ".join(map(name_of, group)),
                " + ".join(signed(scorer, rules.told) for scorer in group),
                " + ".join(map(signed, group)),
                tuple(group),
            )
            for group in groups
        ]
        names = [one.name for one in found]
        for name in names:
            if names.count(name) > 1:
                raise BadParameter(f"{name} is there twice")
        if not found:
            raise BadParameter("no metric was asked for")
        return found

    @property
    def least_references(self) -> int:
        """A reference is scored against the others, unless all scores were made elsewhere."""
        scorers = [*self.metrics, *(scorer for group in self.groups for scorer in group)]
        return 2 if any(isinstance(scorer, Metric) for scorer in scorers) else 1


def name_of(scorer: Scorer) -> str:
    """What a metric, or what scores made elsewhere, are called."""
    return scorer.name if isinstance(scorer, CandidateScores) else str(scorer)


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


class _Part(NamedTuple):
    """What is left of a block when it was judged."""

    segments: list[int]
    first_lines: list[str]
    ends: list[NDArray[np.intp]]
    counts: list[Floats]


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
    contestants = panel.contestants(rules, references.reference_count if lists.labels is None else None)
    counted = Counted()
    cases = cases_of(lists.stream, references, counted, lists.labels, panel.least_references)
    scorers = list(dict.fromkeys(scorer for one in contestants for scorer in one.scorers))
    given = [scorer for scorer in scorers if isinstance(scorer, CandidateScores)]
    metrics = [scorer for scorer in scorers if isinstance(scorer, Metric)]
    contexts = dict(zip(metrics, contexts_of(references, metrics, rules.encoding), strict=True))
    parts: list[_Part] = []
    waiting: deque[_Judging] = deque()
    with _kept(store, contestants, references, rules, lists.name) as kept:

        def works() -> Iterator[Work]:
            for block in blocks_of(cases):
                chosen = chosen_of(block, rules.selection, counted)
                if chosen is None:
                    continue
                keys = kept.keys(chosen) if kept is not None else {}
                known = kept.get(keys, chosen) if kept is not None and not confusions else {}
                missing = tuple(m for m in range(len(contestants)) if m not in known)
                waiting.append(_Judging(chosen, known, missing, keys))
                yield Work(
                    chosen,
                    tuple(contestants[m] for m in missing),
                    contexts,
                    {one.name: given_of(one, chosen, lists.first_id) for one in given},
                    rules.encoding,
                    rules.against == "fair",
                    rules.oracle,
                    confusions,
                )

        for outcome in map_ordered(judged, works(), None, jobs, executor):
            judging = waiting.popleft()
            chosen = judging.chosen
            new = dict(zip(judging.missing, outcome.counts, strict=True))
            if kept is not None:
                kept.put(judging.keys, chosen, new)
            together = judging.known | new
            parts.append(
                _Part(
                    [case.segment for case in chosen.cases],
                    [case.where(0) for case in chosen.cases],
                    list(chosen.ends),
                    [together[m] for m in range(len(contestants))],
                )
            )
            for confusion in outcome.confusions if on_confusion is not None else ():
                on_confusion(confusion)  # type: ignore[misc]
            if advance is not None:
                advance(len(chosen.cases), sum(map(len, chosen.kept)))
    return _result(parts, contestants, references, rules, counted, lists, jobs)


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
    from tarocco.keeping import opened

    with opened(store) as there:
        assert there is not None
        kept = KeptOutcomes(there, contestants, references, f"{rules.against} {rules.oracle}", subject)
        try:
            yield kept
        finally:  # also when the work is stopped: what is finished is kept
            kept.flush()


def _result(
    parts: Sequence[_Part],
    contestants: Sequence[Contestant],
    references: TestSet,
    rules: Rules,
    counted: Counted,
    lists: Lists,
    jobs: int | None,
) -> OrangeResult:
    if not parts:
        raise InputError(_nothing_to_judge(counted, lists))
    ends = [one for part in parts for one in part.ends]
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(one) for one in ends], dtype=np.intp)])
    ranked = Ranked(
        np.array([segment for part in parts for segment in part.segments], np.intp),
        np.array([one[-1] for one in ends], np.intp),
        np.concatenate(ends),
        offsets,
        [np.concatenate([part.counts[m] for part in parts]) for m in range(len(contestants))],
    )
    n_best = rules.selection.n_best or int(ranked.sizes.max())
    long_enough = ranked.sizes >= n_best
    kept = np.flatnonzero(long_enough) if rules.short == "skip" else np.arange(len(ranked.sizes))
    where = [line for part in parts for line in part.first_lines]
    if not len(kept):
        raise InputError(
            f"{lists.name}: no list has {n_best} candidates, the longest has {ranked.sizes.max()}: "
            "lower --n-best, or keep short lists (--short keep)"
        )
    grid = rules.selection.ends(n_best).tolist() if rules.selection.curve is not None else []
    names = [(one.name, one.signature) for one in contestants]
    found = verdicts(ranked, names, kept, n_best, grid, rules.ties, rules.resampling, jobs)
    short = np.flatnonzero(~long_enough)
    left_out = {
        "without_list": len(references) - len(counted.seen),
        "one_reference": counted.one_reference,
        "no_candidates": counted.without_candidates,
        "short": len(short) if rules.short == "skip" else 0,
    }
    about = {"candidates": counted.candidates, "copies_of_references": counted.copies, "empty": counted.empty}
    notes = _notes(rules, counted, left_out, len(references))
    if len(short):
        s = int(short[0])
        notes.append(
            f"{where[s]}: the list of segment {ranked.segments[s] + 1} has {ranked.sizes[s]} candidates, fewer than "
            f"{n_best}; {len(short)} such list{'s' if len(short) > 1 else ''} "
            + ("left out (--short keep keeps them, --n-best N cuts lists to N)" if rules.short == "skip" else "kept")
        )
    return OrangeResult(found, ranked.segments[kept], ranked.sizes[kept], left_out, about, tuple(notes))


def _nothing_to_judge(counted: Counted, lists: Lists) -> str:
    if counted.one_reference:
        return (
            f"{lists.name}: no segment has two references, and with one alone a reference cannot be scored: there is "
            "no other to compare it with"
        )
    if counted.without_candidates:
        return f"{lists.name}: no list has a candidate that takes part"
    return f"{lists.name}: there are no lists"


def _notes(rules: Rules, counted: Counted, left_out: Mapping[str, int], segments: int) -> list[str]:
    """What a user should know of the lists, a sentence each."""
    notes = []
    if left_out["without_list"]:
        notes.append(f"{left_out['without_list']} of {segments} segments have no list")
    if left_out["one_reference"]:
        notes.append(
            f"{left_out['one_reference']} lists are left out: their segments have one reference, "
            "and there is no other to score it against"
        )
    if left_out["no_candidates"]:
        notes.append(f"{left_out['no_candidates']} lists are left out: they have no candidate that takes part")
    if counted.empty:
        notes.append(f"{counted.first_empty}: the candidate is empty; {counted.empty} empty in all, which take part")
    if counted.copies:
        notes.append(
            f"{counted.copies} candidates are word for word a reference, "
            + ("and were dropped" if rules.selection.drop_copies else "and take part (--drop-copies leaves them out)")
        )
    return notes
