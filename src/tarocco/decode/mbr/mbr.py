"""Minimum Bayes risk: of many candidates the one that is most like all the others (Kumar and Byrne 2004)."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.errors import InputError
from tarocco.core.test_set import References, TestSet, as_list, make_streams, pack_strings
from tarocco.decode.mbr.gains import gains_of
from tarocco.decode.mbr.results import Choice, Gain, MbrResult
from tarocco.decode.mbr.rules import Rules, chosen
from tarocco.decode.mbr.utilities import MOST, Folded, Pairing, Sums, Work, folded, posterior, together
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.features import parse_scores
from tarocco.io.nbest.lists import NBestList, read_nbest
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import check_jobs, map_ordered
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

METRIC = "chrF"

NBest = str | os.PathLike[str] | Iterable[Sequence[str]]


class Reading(NamedTuple):
    """How a file of lists is read."""

    segments: int | None = None
    first_id: int = 0
    num_candidates: int | None = None


class Scored(NamedTuple):
    """A list, and the model's score of each candidate where weights are made from them."""

    nbest: NBestList
    scores: Floats | None


def mbr(
    nbest: NBest,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRIC,
    weights: Sequence[float] | None = None,
    queen: bool = False,
    scale: float | None = None,
    scores: Iterable[Sequence[float]] | None = None,
    pseudo_references: NBest | None = None,
    pseudo_scores: Iterable[Sequence[float]] | None = None,
    references: References | None = None,
    judges: Sequence[str | Metric] | str | Metric | None = None,
    n_best: int | None = None,
    prune: float | None = None,
    max_references: int = MOST,
    tokenize: str = "none",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    first_id: int = 0,
    num_candidates: int | None = None,
    seed: int = SEED,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> MbrResult:
    """Choose from each list the candidate with the highest expected utility.

    The expected utility of a candidate y is the sum over pseudo-references y' of p(y') u(y, y'), where u(y, y') is a
    metric's score of y with y' as its only reference, an error negated. Of equals the first in the list is chosen.

    Parameters
    ----------
    nbest
        A file of n-best lists or samples, as for `tarocco.orange`, or an iterable of lists of strings.
    metrics, weights, queen
        The utility: a metric; several with weights, whose expected utilities are added up; several without, of whose
        ranks the mean counts; or QUEEN over a set of metrics.
    scale, scores
        p(y') in proportion to exp(scale * score), with the scores in the file, or `scores`, a sequence a list. Without
        a scale every candidate weighs the same, so that a text that stands there twice weighs twice as much.
    pseudo_references, pseudo_scores
        Other lists to take y' from, for the same segments, and their scores.
    references, judges
        Human references, a list a segment: then the result has the corpus scores of the first candidates, of the
        choices and of the best candidates there are (`gains`), under these metrics or those of the utility.
    n_best
        How many candidates of each list take part; all by default.
    prune
        Leave out candidates that lose with this confidence (Cheng and Vlachos 2023), 0.99 say, on the way.
    max_references
        How many pseudo-references QUEEN takes at most, drawn by their weights.
    tokenize, lowercase, analyzer, first_id, num_candidates, jobs, executor
        As for `tarocco.orange`.
    seed
        What pruning and QUEEN draw from.

    Example
    -------
    >>> import tarocco
    >>> lists = [["the hat sat", "the cat sat on the mat", "a cat sat on a mat", "the cat sat on a mat"]]
    >>> result = tarocco.mbr(lists, metrics="ROUGE-L")
    >>> result.texts, result.choices[0].rank
    (['the cat sat on a mat'], 4)
    """
    asked = [metrics] if isinstance(metrics, str | Metric) else metrics
    rules = Rules(
        tuple(find_metrics(asked)),
        Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)),
        None if weights is None else tuple(weights),
        queen,
        scale,
        n_best,
        prune,
        max_references,
        seed,
    )
    human = None if references is None else TestSet({}, make_streams(as_list(references, "references")))
    judging = [judges] if isinstance(judges, str | Metric) else judges
    reading = Reading(None if human is None else len(human), first_id, num_candidates)
    pseudo = None
    if pseudo_references is not None:
        pseudo = streamed(pseudo_references, rules, pseudo_scores, "pseudo_references", Reading(None, *reading[1:]))
    return choose(
        streamed(nbest, rules, scores, "nbest", reading, own=pseudo is None),
        rules,
        pseudo=pseudo,
        references=human,
        judges=None if judging is None else find_metrics(judging),
        jobs=jobs,
        executor=executor,
    )


def streamed(
    lists: NBest,
    rules: Rules,
    scores: Iterable[Sequence[float]] | None,
    what: str,
    reading: Reading,
    *,
    own: bool = True,
) -> Iterator[Scored]:
    """Lists from a file or from the program, with scores where the rules go by them and `own` says so."""
    wanted = own and rules.scale is not None
    if isinstance(lists, str | os.PathLike):
        for one in read_nbest(os.fspath(lists), **reading._asdict()):
            yield Scored(one, parse_scores(one) if wanted else None)
        return
    if not isinstance(lists, Iterable):
        raise InputError(f"{what} is of type {type(lists).__name__}, but a file or lists of strings are wanted")
    if wanted and scores is None:
        raise InputError(f"a scale is given, but no scores of {what}, a sequence of numbers a list")
    given = iter(scores) if wanted and scores is not None else None
    for number, texts in enumerate(lists):
        if reading.segments is not None and number >= reading.segments:
            raise InputError(f"there are references for {reading.segments} segments, but more lists than that")
        name = f"the candidates of segment {number} (counted from 0)"
        one = NBestList(number, pack_strings(texts, name), what, number + 1)
        if not len(one.candidates):
            raise InputError(f"segment {number} (counted from 0) has no candidates")
        yield Scored(one, None if given is None else _checked(next(given, None), one, what))


def _checked(scores: Sequence[float] | None, one: NBestList, what: str) -> Floats:
    try:
        found = np.array([] if scores is None else scores, np.float64)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.shape != (len(one.candidates),) or not np.isfinite(found).all():
        raise InputError(
            f"{what}: the scores of segment {one.segment} (counted from 0) are {len(one.candidates)} finite numbers, "
            f"one a candidate"
        )
    return found


class _Case(NamedTuple):
    """A list on its way: what is known of it, and in how many parts the rest comes."""

    nbest: NBestList
    candidates: Folded
    parts: int


def choose(
    lists: Iterable[Scored],
    rules: Rules,
    *,
    pseudo: Iterable[Scored] | None = None,
    references: TestSet | None = None,
    judges: Sequence[Metric] | None = None,
    advance: Callable[[int, int], None] | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> MbrResult:
    """Choose from every list; `advance` is told how many more lists and candidates are done."""
    check_jobs(jobs)
    others = None if pseudo is None else {one.nbest.segment: one for one in pseudo}
    waiting: deque[_Case] = deque()
    found: list[tuple[NBestList, Choice]] = []
    before: list[Sums] = []
    empty = 0
    works = _works(lists, others, rules, waiting)
    for of_work in map_ordered(partial(_judged, rules), works, None, jobs, executor):
        for sums in of_work:
            before.append(sums)
            case = waiting[0]
            if len(before) < case.parts:
                continue
            waiting.popleft()
            found.append((case.nbest, _choice(case, sum(before[1:], before[0]), rules)))
            before.clear()
            empty += int(case.nbest.candidates.blank.sum())
            if advance is not None:
                advance(1, len(case.candidates.places))
    if not found:
        raise InputError("there are no lists to choose from")
    found.sort(key=lambda one: one[0].segment)
    nbests, choices = [nbest for nbest, _ in found], tuple(choice for _, choice in found)
    gains: tuple[Gain, ...] = ()
    if references is not None:
        gains = gains_of(nbests, choices, references, judges or rules.metrics, rules, jobs, executor)
    notes = _notes(choices, empty)
    return MbrResult(choices, rules.name, rules.signature(others is not None), rules.signatures, gains, notes)


def _judged(rules: Rules, work: tuple[Work, int]) -> list[Sums]:
    return rules.judged(*work)


def _works(
    lists: Iterable[Scored], others: dict[int, Scored] | None, rules: Rules, waiting: deque[_Case]
) -> Iterator[tuple[Work, int]]:
    """Small lists together, long ones in parts."""
    small: list[Pairing] = []
    segment = 0
    for scored in lists:
        candidates = _folded(scored, rules)
        if others is None:
            references = candidates
        elif scored.nbest.segment in others:
            references = _folded(others[scored.nbest.segment], rules, cut=False)
        else:
            raise InputError(f"{scored.nbest.where(0)}: there are no pseudo-references for this list")
        pairing = Pairing(candidates.texts, references.texts, references.weights)
        segment = scored.nbest.segment
        parts = [pairing] if rules.alone else pairing.parts()
        waiting.append(_Case(scored.nbest, candidates, len(parts)))
        if rules.alone or len(parts) > 1:
            if small:  # results come in the order of lists
                yield _work(small, rules), segment
                small = []
            for part in parts:
                yield _work([part], rules), segment
            continue
        small.append(pairing)
        if together(small):
            yield _work(small, rules), segment
            small = []
    if small:
        yield _work(small, rules), segment


def _work(pairings: Sequence[Pairing], rules: Rules) -> Work:
    return Work(tuple(pairings), rules.metrics, rules.encoding)


def _folded(scored: Scored, rules: Rules, cut: bool = True) -> Folded:
    candidates = scored.nbest.candidates
    n = min(rules.n_best or len(candidates), len(candidates)) if cut else len(candidates)
    if rules.scale is None or scored.scores is None:
        return folded(candidates.rows(0, n))
    return folded(candidates.rows(0, n), posterior(scored.scores[:n], float(rules.scale)))


def _choice(case: _Case, sums: Sums, rules: Rules) -> Choice:
    utility = rules.utility(sums, case.candidates)
    best = chosen(utility)
    place = int(case.candidates.firsts[best])
    return Choice(
        segment=case.nbest.segment,
        text=case.candidates.texts[best],
        rank=place + 1,
        utility=float(utility[best]),
        first_utility=float(utility[0]),
        n_candidates=len(case.candidates.places),
        n_texts=len(case.candidates),
        utilities=utility[case.candidates.places],
    )


def _notes(choices: Sequence[Choice], empty: int) -> tuple[str, ...]:
    notes = []
    if empty:
        notes.append(f"{empty} candidate{'s are' if empty > 1 else ' is'} empty and took part as such")
    without = sum(bool(np.isnan(one.utility)) for one in choices)
    if without:
        notes.append(f"{without} list{'s' * (without > 1)} had no utility at all: the first candidate was taken")
    last = choices[-1].segment + 1
    if last > len(choices):
        notes.append(f"there are {len(choices)} lists for segments 1 to {last}: a line a list, not a line a segment")
    return tuple(notes)
