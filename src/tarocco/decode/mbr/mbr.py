"""Minimum Bayes risk: the candidate that is most similar to all other candidates (Kumar and Byrne 2004)."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import References, Segments, TestSet, as_list, make_streams, pack_strings
from tarocco.decode.mbr.results import MbrChoice, MbrGain, MbrResult
from tarocco.decode.mbr.utilities import (
    DistinctTexts,
    MbrOptions,
    Pairing,
    Utility,
    UtilitySums,
    best_text,
    is_full,
    merge_copies,
    posterior,
)
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.io.nbest.features import parse_scores
from tarocco.io.nbest.lists import NBestFile, NBestList
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import prepare_contexts, score_batch
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import WORKERS, Text, TextShortcuts, Workers, WorkerShortcuts, apply_shortcuts

METRIC = "chrF"
OPTIONS, TOKENIZED = MbrOptions(), Text(tokenize="none")
_LISTS = 64  # lists per batch when the best candidates are looked up

NBest = str | os.PathLike[str] | Iterable[Sequence[str]]


class MbrShortcuts(TextShortcuts, WorkerShortcuts, total=False):
    """The fields of `MbrOptions`, `Text` and `Workers` as keywords."""

    weights: Sequence[float] | None
    queen: bool
    scale: float | None
    n_best: int | None
    prune: float | None
    max_references: int
    judges: Sequence[str | Metric] | str | Metric | None
    first_id: int
    num_candidates: int | None
    seed: int


class ScoredList(NamedTuple):
    """An n-best list, with the model's score of each candidate if the posterior needs them."""

    nbest: NBestList
    scores: Floats | None


def mbr(
    nbest: NBest,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRIC,
    scores: Iterable[Sequence[float]] | None = None,
    pseudo_references: NBest | None = None,
    pseudo_scores: Iterable[Sequence[float]] | None = None,
    references: References | None = None,
    options: MbrOptions = OPTIONS,
    text: Text = TOKENIZED,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[MbrShortcuts],
) -> MbrResult:
    """Choose from each list the candidate with the highest expected utility.

    The expected utility of a candidate y is the sum over pseudo-references y' of p(y') u(y, y'), where u(y, y') is a
    metric's score of y with y' as its only reference; errors are negated. Ties go to the first candidate of the list.

    Parameters
    ----------
    nbest
        A file of n-best lists or samples, as for `tarocco.orange`, or an iterable of lists of strings.
    metrics
        The utility: one metric, or several that `options` combines.
    scores
        The model's scores, one sequence per list; needed with `scale` if `nbest` is not a file.
    pseudo_references, pseudo_scores
        Other lists to take y' from, for the same segments, and their scores.
    references
        Human references per segment. With them, `result.gains` has the corpus scores of the first candidates, of the
        choices and of the best candidates in the lists.
    options
        How utilities are combined and weighted, and which candidates are used (`MbrOptions`).
    text, workers
        How text is read (`Text`), and where work is done (`Workers`; the store is not used).
    **shortcuts
        The fields of these three values as keywords: weights, queen, scale, n_best, prune, max_references, judges,
        first_id, num_candidates, seed, tokenize, lowercase, analyzer, jobs, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> lists = [["the hat sat", "the cat sat on the mat", "a cat sat on a mat", "the cat sat on a mat"]]
    >>> result = tarocco.mbr(lists, metrics="ROUGE-L")
    >>> result.texts, result.choices[0].rank
    (['the cat sat on a mat'], 4)
    """
    options, text, workers = apply_shortcuts("mbr", shortcuts, options, text, workers)
    names = [metrics] if isinstance(metrics, str | Metric) else metrics
    utility = Utility(tuple(find_metrics(names)), text.encoding, options)
    human = None if references is None else TestSet({}, make_streams(as_list(references, "references")))
    pseudo = None
    if pseudo_references is not None:
        pseudo = read_lists(pseudo_references, options, pseudo_scores, "pseudo_references")
    return choose(
        read_lists(nbest, options, scores, "nbest", human, with_scores=pseudo is None),
        utility,
        pseudo=pseudo,
        references=human,
        workers=workers,
    )


def read_lists(
    lists: NBest,
    options: MbrOptions,
    scores: Iterable[Sequence[float]] | None,
    name: str,
    references: TestSet | None = None,
    *,
    with_scores: bool = True,
) -> Iterator[ScoredList]:
    """Yield the lists of a file or an iterable; messages call it `name`.

    Scores are read if the options have a scale, unless `with_scores` is false.
    """
    with_scores = with_scores and options.scale is not None
    n_segments = None if references is None else len(references)
    if isinstance(lists, str | os.PathLike):
        path, first_id, size = os.fspath(lists), options.first_id, options.num_candidates
        for nbest in NBestFile(path, segments=n_segments, first_id=first_id, num_candidates=size):
            yield ScoredList(nbest, parse_scores(nbest) if with_scores else None)
        return
    if not isinstance(lists, Iterable):
        raise InputError(f"{name}: expected a file or lists of strings, found {type(lists).__name__}")
    if with_scores and scores is None:
        raise InputError(f"a scale needs scores, but there are no scores for {name}")
    score_rows = iter(scores) if with_scores and scores is not None else None
    for number, texts in enumerate(lists):
        if n_segments is not None and number >= n_segments:
            raise InputError(f"there are references for {n_segments} segments, but more lists than that")
        column = pack_strings(texts, f"the candidates of segment {number} (counted from 0)")
        nbest = NBestList(number, column, name, number + 1)
        if not len(nbest.candidates):
            raise InputError(f"segment {number} (counted from 0) has no candidates")
        yield ScoredList(nbest, None if score_rows is None else _check_scores(next(score_rows, None), nbest, name))


def _check_scores(scores: Sequence[float] | None, nbest: NBestList, name: str) -> Floats:
    try:
        numbers = np.array([] if scores is None else scores, np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.shape != (len(nbest.candidates),) or not np.isfinite(numbers).all():
        raise InputError(
            f"{name}: expected {len(nbest.candidates)} finite scores for segment {nbest.segment} (counted from 0), one "
            f"per candidate"
        )
    return numbers


class _PendingList(NamedTuple):
    """A list whose sums are being computed, in `parts` parts."""

    nbest: NBestList
    candidates: DistinctTexts
    parts: int


def choose(
    lists: Iterable[ScoredList],
    utility: Utility,
    *,
    pseudo: Iterable[ScoredList] | None = None,
    references: TestSet | None = None,
    workers: Workers = WORKERS,
    advance: Callable[[int, int], object] | None = None,
) -> MbrResult:
    """Choose from every list; `advance` is called with the numbers of lists and candidates just finished."""
    names = utility.options.judges
    judges = find_metrics([names] if isinstance(names, str | Metric) else names or ()) or utility.metrics
    others = None if pseudo is None else {scored.nbest.segment: scored for scored in pseudo}
    pending: deque[_PendingList] = deque()
    chosen: list[tuple[NBestList, MbrChoice]] = []
    parts: list[UtilitySums] = []
    empty = 0
    batches = _batches(lists, others, utility, pending)
    for batch_sums in map_ordered(partial(_sums, utility), batches, None, workers.jobs, workers.executor):
        for sums in batch_sums:
            parts.append(sums)
            case = pending[0]
            if len(parts) < case.parts:
                continue
            pending.popleft()
            chosen.append((case.nbest, _choice(case, sum(parts[1:], parts[0]), utility)))
            parts.clear()
            empty += int(case.nbest.candidates.blank.sum())
            if advance is not None:
                advance(1, len(case.candidates.places))
            if workers.progress is not None:
                workers.progress(1)
    if not chosen:
        raise InputError("there are no lists to choose from")
    chosen.sort(key=lambda pair: pair[0].segment)
    nbests, choices = [nbest for nbest, _ in chosen], tuple(choice for _, choice in chosen)
    gains = () if references is None else gains_of(nbests, choices, references, judges, utility.encoding, workers)
    signature = utility.signature(others is not None)
    return MbrResult(choices, utility.name, signature, utility.metric_signatures, gains, _notes(choices, empty))


def _sums(utility: Utility, batch: tuple[Sequence[Pairing], int]) -> list[UtilitySums]:
    return utility.sums(*batch)


def _batches(
    lists: Iterable[ScoredList],
    others: dict[int, ScoredList] | None,
    utility: Utility,
    pending: deque[_PendingList],
) -> Iterator[tuple[Sequence[Pairing], int]]:
    """Yield batches of pairings with the segment of the last: small lists together, long lists in parts."""
    small: list[Pairing] = []
    segment = 0
    for scored in lists:
        candidates = _distinct_texts(scored, utility.options, utility.options.n_best)
        if others is None:
            references = candidates
        elif scored.nbest.segment in others:
            references = _distinct_texts(others[scored.nbest.segment], utility.options)
        else:
            raise InputError(f"{scored.nbest.where(0)}: there are no pseudo-references for this list")
        pairing = Pairing(candidates.texts, references.texts, references.weights)
        segment = scored.nbest.segment
        parts = [pairing] if utility.needs_whole_lists else pairing.parts()
        pending.append(_PendingList(scored.nbest, candidates, len(parts)))
        if utility.needs_whole_lists or len(parts) > 1:
            if small:  # results must come in the order of the lists
                yield small, segment
                small = []
            for part in parts:
                yield [part], segment
            continue
        small.append(pairing)
        if is_full(small):
            yield small, segment
            small = []
    if small:
        yield small, segment


def _distinct_texts(scored: ScoredList, options: MbrOptions, most: int | None = None) -> DistinctTexts:
    candidates = scored.nbest.candidates
    n = min(most or len(candidates), len(candidates))
    if options.scale is None or scored.scores is None:
        return merge_copies(candidates.rows(0, n))
    return merge_copies(candidates.rows(0, n), posterior(scored.scores[:n], float(options.scale)))


def _choice(case: _PendingList, sums: UtilitySums, utility: Utility) -> MbrChoice:
    by_text = utility.combine(sums, case.candidates)
    best = best_text(by_text)
    return MbrChoice(
        segment=case.nbest.segment,
        text=case.candidates.texts[best],
        rank=int(case.candidates.firsts[best]) + 1,
        utility=float(by_text[best]),
        first_utility=float(by_text[0]),
        n_candidates=len(case.candidates.places),
        n_texts=len(case.candidates),
        utilities=by_text[case.candidates.places],
    )


def _notes(choices: Sequence[MbrChoice], empty: int) -> tuple[str, ...]:
    notes = []
    if empty:
        notes.append(f"{empty} candidate{'s are' if empty > 1 else ' is'} empty and used like the others")
    without = sum(bool(np.isnan(choice.utility)) for choice in choices)
    if without:
        notes.append(f"{without} list{'s' * (without > 1)} had no utility at all: the first candidate was taken")
    last = choices[-1].segment + 1
    if last > len(choices):
        notes.append(f"there are {len(choices)} lists for segments 1 to {last}: one line per list, not per segment")
    return tuple(notes)


# --- gains: corpus scores by human references ------------------------------------------------------------------------


def gains_of(
    lists: Sequence[NBestList],
    choices: Sequence[MbrChoice],
    references: TestSet,
    judges: Sequence[Metric],
    encoding: Encoding,
    workers: Workers,
) -> tuple[MbrGain, ...]:
    """Return the corpus scores under each judge, over the segments that have a list.

    The oracle of a metric is the candidate of each list with the best segment score; ties go to the first.
    """
    segments = np.array([nbest.segment for nbest in lists], np.intp)
    judged = TestSet({}, tuple(stream.taken(segments) for stream in references.references))
    texts = [nbest.candidates.rows(0, choice.n_candidates) for nbest, choice in zip(lists, choices, strict=True)]
    first = Segments.joined([column.rows(0, 1) for column in texts])
    mbr = Segments.from_strings([choice.text for choice in choices])
    gains = []
    for metric in judges:
        places = _best_candidates(texts, judged, metric, encoding, workers)
        oracle = Segments.joined([column.rows(at, at + 1) for column, at in zip(texts, places.tolist(), strict=True)])
        systems = TestSet({"first": first, "mbr": mbr, "oracle": oracle}, judged.references)
        result = score_test_set(systems, [metric], encoding, jobs=workers.jobs, executor=workers.executor)
        of_first, of_mbr, of_oracle = result.scores
        gains.append(
            MbrGain(
                *(str(metric), of_first.signature, metric.scale),
                *(of_first.score, of_mbr.score, of_oracle.score, float(np.mean(places + 1))),
            )
        )
    return tuple(gains)


def _best_candidates(
    texts: Sequence[Segments], references: TestSet, metric: Metric, encoding: Encoding, workers: Workers
) -> NDArray[np.intp]:
    """Return the place of the best candidate of each list."""
    (context,) = prepare_contexts(references, [metric], encoding)
    parts = blocks(len(texts), _LISTS)
    batches = (
        (
            texts[slice(*block)],
            [stream.rows(*block) for stream in references.references],
            references.present[:, slice(*block)],
        )
        for block in parts
    )
    score = partial(_goodness, metric, context, metric.reads(encoding))
    columns = map_ordered(score, batches, len(parts), workers.jobs, workers.executor)
    return np.array([np.argmax(column) for part in columns for column in part], np.intp)


def _goodness(
    metric: Metric,
    context: Any,
    encoding: Encoding,
    batch: tuple[Sequence[Segments], Sequence[Segments], NDArray[np.bool_]],
) -> list[Floats]:
    """Return how good the candidates of some lists are; those without a score are worst."""
    lists, streams, present = batch
    candidates = Segments.joined(lists)
    bounds = np.cumsum([0, *map(len, lists)], dtype=np.intp)
    groups = Groups(np.arange(len(candidates)), bounds), Groups.of_columns(present)
    (scores,) = score_batch([metric], Batch.of_groups([candidates], streams, *groups, encoding), [context])
    return np.split(round_last_bits(np.where(np.isnan(scores), -np.inf, metric.sign * scores)), bounds[1:-1])
