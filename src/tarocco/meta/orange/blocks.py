"""A metric's trial on a block of n-best lists: score everything, and see where the references stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import CandidateScores
from tarocco.encode.batch import Encoding, make_leave_one_out_batch
from tarocco.io.nbest.lists import NBestList
from tarocco.meta.orange.cases import Case, Chosen
from tarocco.meta.orange.confusions import Confusion, Wanted, confusion_of
from tarocco.meta.orange.ranking import Standing, combined, rank, stack, standing
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.statistics import group_by_encoding, score_batch

if TYPE_CHECKING:
    from tarocco.annotate.cache import Annotations

Scorer = Metric | CandidateScores


@dataclass(frozen=True, eq=False)
class Contestant:
    """What stands trial: a metric, scores made elsewhere, or several of them together, by the mean of their ranks.

    `signature` says how its ORANGE comes about, `scores` how its scores do.
    """

    name: str
    signature: str
    scores: str
    scorers: tuple[Scorer, ...]


@dataclass(frozen=True, eq=False)
class Work:
    """Lists and who judges them: all that a worker needs. `given` are scores made elsewhere, a pair a list."""

    chosen: Chosen
    contestants: tuple[Contestant, ...]
    given: Mapping[str, Sequence[tuple[Floats, Floats]]]
    encoding: Encoding
    fair: bool
    oracle: str
    ties: str
    confusions: Wanted | None = None
    told: Annotations | None = None  # what an analyzer said of the texts, where it may not be in the worker's process


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came out for a block: for each contestant float64[rows, 2], above and level, a row an end of a list.

    They are NaN where a score that a rank needs does not exist.
    """

    counts: tuple[Floats, ...]
    confusions: tuple[Confusion, ...] = ()


def judged(contexts: Mapping[Metric, Any], work: Work) -> Outcome:
    """Let each contestant rank the references within each list; `contexts` are what metrics know of all references."""
    if not work.contestants:
        return Outcome(())
    if work.told is not None:
        from tarocco.annotate.cache import load_annotations

        load_annotations(work.told)
    scorers = list(dict.fromkeys(scorer for one in work.contestants for scorer in one.scorers))
    number = {scorer: i for i, scorer in enumerate(scorers)}
    members = [[number[scorer] for scorer in one.scorers] for one in work.contestants]
    together = any(len(own) > 1 for own in members)  # the mean of ranks depends on how often a text is in the list
    scored = _Goodness(work, scorers, contexts)
    rows: list[Floats] = []
    confusions: list[Confusion] = []
    for s in range(len(work.chosen.lists)):
        candidates, references = scored.of(s)
        places = work.chosen.places[s]
        if places is not None and together:
            candidates, places = candidates[:, places], None
        standings = _standings(candidates, references, members, work.oracle)
        rows.append(standings.counts(work.chosen.ends[s], places))
        if work.confusions:
            for m, (contestant, own) in enumerate(zip(work.contestants, members, strict=True)):
                if np.isnan(rows[-1][m]).any():  # the list does not count for this metric
                    continue
                goodness = candidates[own] if places is None else candidates[own][:, places], references[own]
                above = standings.above[m] if places is None else standings.above[m][places]
                sign = -1.0 if len(own) == 1 and scorers[own[0]].kind == "error" else 1.0
                oracle = work.oracle, float(rank(rows[-1][m, -1], work.ties))
                confusions.append(
                    confusion_of(contestant.name, work.chosen, s, above, oracle, goodness, sign, work.confusions)
                )
    return Outcome(tuple(np.concatenate(rows, axis=1)) if rows else (), tuple(confusions))


def _standings(candidates: Floats, references: Floats, members: Sequence[Sequence[int]], oracle: str) -> Standing:
    alone = [own[0] for own in members if len(own) == 1]
    single = standing(candidates[alone], references[alone], oracle)
    if len(alone) == len(members):
        return single
    found, rest = [], iter(range(len(alone)))
    for own in members:
        if len(own) > 1:
            found.append(combined(candidates[own], references[own], oracle))
        else:
            i = next(rest)
            found.append(Standing(single.above[i : i + 1], single.level[i : i + 1], single.others[i : i + 1]))
    return stack(found)


class _Goodness:
    """The scores of every scorer, turned so that higher is better."""

    def __init__(self, work: Work, scorers: Sequence[Scorer], contexts: Mapping[Metric, Any]) -> None:
        self.work, self.scorers = work, scorers
        self.found: dict[int, Floats] = {}
        metrics = {i: scorer for i, scorer in enumerate(scorers) if isinstance(scorer, Metric)}
        numbers, own = list(metrics), list(metrics.values())
        for way, members in group_by_encoding(own, work.encoding).items():
            batch = make_leave_one_out_batch(work.chosen.lists, way, fair=work.fair)
            of_way = [own[i] for i in members]
            scores = score_batch(of_way, batch, [contexts.get(metric) for metric in of_way])
            for i, metric, of_metric in zip(members, of_way, scores, strict=True):
                self.found[numbers[i]] = metric.sign * of_metric
        self.computed = np.stack([self.found[i] for i in numbers]) if numbers else None
        self.numbers = numbers
        self.start = 0

    def of(self, s: int) -> tuple[Floats, Floats]:
        """float64[scorers, candidates] and float64[scorers, references] of a list; lists are asked for in order."""
        lists = self.work.chosen.lists
        n = int(lists.bounds[s + 1] - lists.bounds[s])
        r = int(lists.reference_bounds[s + 1] - lists.reference_bounds[s])
        candidates, references = np.empty((len(self.scorers), n)), np.empty((len(self.scorers), r))
        if self.computed is not None:
            size = r * (n + 1) if self.work.fair else n + r
            own = self.computed[:, self.start : self.start + size]
            self.start += size
            if self.work.fair:
                table = own.reshape(len(own), r, n + 1)
                candidates[self.numbers], references[self.numbers] = _mean(table[:, :, :n]), table[:, :, n]
            else:
                candidates[self.numbers], references[self.numbers] = own[:, :n], own[:, n:]
        for i, scorer in enumerate(self.scorers):
            if isinstance(scorer, CandidateScores):
                sign = -1.0 if scorer.kind == "error" else 1.0
                of_list, of_references = self.work.given[scorer.name][s]
                candidates[i], references[i] = sign * of_list, sign * of_references
        return candidates, references


def _mean(table: Floats) -> Floats:
    """The mean over sets of references of the scores that exist; NaN where none does."""
    sums = table[:, 0].copy()
    for k in range(1, table.shape[1]):  # one set after the other, whatever the shape
        sums += table[:, k]
    sums /= table.shape[1]
    if np.isnan(sums).any():
        exists = ~np.isnan(table)
        counts = exists.sum(axis=1)
        sums = np.where(exists, table, 0.0).sum(axis=1) / np.where(counts, counts, np.nan)
    return sums


def given_of(scores: CandidateScores, chosen: Chosen, first_id: int) -> list[tuple[Floats, Floats]]:
    """What was made elsewhere for the texts of a block's lists that are scored, and for their references."""
    return [_given(scores, case, chosen, s, first_id) for s, case in enumerate(chosen.cases)]


def _given(scores: CandidateScores, case: Case, chosen: Chosen, s: int, first_id: int) -> tuple[Floats, Floats]:
    lists = {one.segment: one for one in case.lists}
    parts = [scores_of_list(scores, segment + first_id, lists.get(segment)) for segment in case.members]
    of_list, of_references = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(of_references) != case.references_given:
        where = f"{scores.path}, line {scores.lines[case.segment + first_id]}"
        raise InputError(
            f"{where}: {case.references_given} scores of references are wanted for the list "
            f"{case.segment + first_id}, found {len(of_references)}"
        )
    return of_list[chosen.scored[s]], of_references[case.of_references]


def scores_of_list(scores: CandidateScores, number: int, one: NBestList | None) -> tuple[Floats, Floats]:
    """What was made elsewhere for the candidates and the references of a list; a pool may have members without one."""
    if number not in scores.lists:
        where = f", which {one.where(0)} begins" if one is not None else ", whose references are in a pool"
        raise InputError(
            f"{scores.path}: there are no scores for the list {number}{where} (ids are those of the lists)"
        )
    of_list, of_references = scores.lists[number]
    wanted = len(one.candidates) if one is not None else 0
    if len(of_list) != wanted:
        raise InputError(
            f"{scores.path}, line {scores.lines[number]}: {wanted} scores of candidates are wanted for the list "
            f"{number}, found {len(of_list)}"
        )
    return of_list, of_references
