"""ORANGE: put metrics on trial with n-best lists (Lin and Och 2004).

A good metric ranks human translations above machine ones. Every candidate of a list and every reference is scored, and
the rank of the references within the list, averaged over segments, says how good the metric is: the lower, the better.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import CandidateScores, References, TestSet, as_list, make_streams, pack_strings
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.lists import NBestFile, NBestList
from tarocco.meta.orange.cases import Selection
from tarocco.meta.orange.confusions import Confusion, Wanted
from tarocco.meta.orange.hearing import Lists
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.orange.rules import Panel, Resampling, Rules, name_of
from tarocco.meta.orange.trial import run_trial
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.scoring.settings import SEED

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

METRICS = ("BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF")

Given = str | os.PathLike[str] | Iterable[tuple[Sequence[float], Sequence[float]]]
NBest = str | os.PathLike[str] | Iterable[Sequence[str]]


def orange(
    nbest: NBest,
    references: References,
    *,
    metrics: Sequence[str | Metric] | str | Metric = METRICS,
    combine: Sequence[Sequence[str | Metric]] = (),
    external: Mapping[str, Given] | None = None,
    tokenize: str = "none",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    against: str = "fair",
    oracle: str = "average-score",
    ties: str = "average",
    short: str = "skip",
    n_best: int | None = None,
    unique: bool = False,
    drop_copies: bool = False,
    curve: bool | int | Sequence[int] = False,
    pool: Iterable[str] | None = None,
    first_id: int = 0,
    num_candidates: int | None = None,
    confusions: int = 0,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> OrangeResult:
    """Put metrics on trial: how highly does each rank human translations within n-best lists?

    Parameters
    ----------
    nbest
        A file of n-best lists (Moses, Marian, fairseq, `id<TAB>text`, JSON lines, a directory), or an iterable of
        lists of strings, one list a segment.
    references
        references[i] are the references of segment i; a segment with one reference alone cannot be judged.
    metrics, combine, external
        Names or metric objects; groups of them that judge together, by the mean of their ranks; and scores of
        candidates and references that were made elsewhere, such as {"COMET": "comet.jsonl"}, or in place of the file
        a pair a segment, (scores of its candidates, scores of its references).
    tokenize, lowercase
        How text becomes words; n-best lists are tokenized already, most often.
    against
        What candidates are scored against: "fair", the sets of references that leave one out, as references are, or
        "all" references.
    oracle
        What is ranked: the mean of the references' scores ("average-score"), or each reference among the candidates
        ("average-rank") or among candidates and the other references ("combined"), and the ranks averaged.
    ties
        The rank among equals: "average", "best" or "worst".
    short
        Lists with fewer candidates than `n_best`, or than the longest: "skip" or "keep" them.
    n_best
        How many candidates of each list take part; all by default.
    unique, drop_copies
        Let each text take part once; leave out candidates that are word for word a reference.
    curve
        True for ORANGE over the first k candidates at many k, a step, or the lengths themselves.
    pool
        A label a segment: lists and references of segments with the same label are pooled.
    first_id, num_candidates
        The first id in the file; how many lines are a list in a file without ids.
    confusions
        How many candidates that stand above the references are kept of each list and metric, as `result.confusions`.
    confidence, n_resamples, seed
        Of the bootstrap intervals over segments.
    jobs, store, executor
        As for `tarocco.score`.

    Example
    -------
    >>> import tarocco
    >>> lists = [["it rain a whole day", "it rains all day", "it rained"]]
    >>> references = [["it rained all day", "it rained the whole day", "all day it rained"]]
    >>> result = tarocco.orange(lists, references, metrics=["ROUGE-L", "BLEUS-2"])
    >>> [(name, result[name].average_rank) for name in result]
    [('BLEUS-2', 1.0), ('ROUGE-L', 3.0)]
    """
    if not isinstance(confusions, int) or confusions < 0:
        raise BadParameter(f"confusions is an integer of at least 0, not {confusions!r}")
    test_set = TestSet({}, make_streams(as_list(references, "references")))
    if external is not None and not isinstance(external, Mapping):
        raise InputError(f'external is a mapping such as {{"COMET": "comet.jsonl"}}, not {external!r}')
    scores = [_candidate_scores(name, given, first_id) for name, given in (external or {}).items()]
    asked = [metrics] if isinstance(metrics, str | Metric) else metrics
    panel = Panel(find_metrics(asked), scores, [members_of(group, scores) for group in combine])
    rules = Rules(
        Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer)),
        Selection(n_best, unique, drop_copies, curve_of(curve)),
        against,
        oracle,
        ties,
        short,
        Resampling(confidence, n_resamples, seed),
    )
    labels = None if pool is None else as_list(pool, "pool")
    if labels is not None and len(labels) != len(test_set):
        raise InputError(f"pool has {len(labels)} labels, but the references have {len(test_set)} segments")
    if isinstance(nbest, str | os.PathLike):
        path = os.fspath(nbest)
        stream = NBestFile(path, len(test_set), first_id, num_candidates)
        lists = Lists(stream, path, first_id, labels)
    else:
        lists = Lists(given_lists(nbest, len(test_set)), "nbest", 0, labels)
    kept: list[Confusion] = []
    found = run_trial(
        lists,
        test_set,
        panel,
        rules,
        confusions=Wanted(confusions) if confusions else None,
        on_confusion=kept.append,
        jobs=jobs,
        store=store,
        executor=executor,
    )
    counting = set(found.segments.tolist())
    return replace(found, confusions=tuple(one for one in kept if one.segment - 1 in counting))


def members_of(group: Sequence[str | Metric], given: Sequence[CandidateScores]) -> list[Metric | CandidateScores]:
    """Several metrics, and scores made elsewhere by their name, that judge together."""
    if isinstance(group, str | Metric):
        raise BadParameter(f'what judges together is a group of metrics, such as ["BLEUS-4", "ROUGE-L"], not {group!r}')
    by_name = {one.name: one for one in given}
    members = [by_name[one] if one in by_name else find_metrics([one])[0] for one in group]
    if len(set(map(name_of, members))) < max(2, len(members)):
        raise BadParameter("what judges together are two different metrics or more")
    return members


def curve_of(asked: bool | int | Sequence[int]) -> int | tuple[int, ...] | None:
    """The grid of a curve: none, the default one (0), a step, or lengths."""
    if asked is False or asked is None:
        return None
    if asked is True:
        return 0
    lengths = tuple(asked) if isinstance(asked, Iterable) else (asked,)
    if not lengths or not all(isinstance(length, int) and length >= 1 for length in lengths):
        raise BadParameter(f"curve is a step or the lengths of lists, whole numbers of at least 1, not {asked!r}")
    return asked if isinstance(asked, int) else tuple(sorted(set(lengths)))


def _candidate_scores(name: str, given: Given, first_id: int) -> CandidateScores:
    from tarocco.io.scores.external import (
        ExternalFile,
        build_candidate_scores,
        parse_name_and_kind,
        read_candidate_scores,
    )

    own, kind = parse_name_and_kind(name)
    if isinstance(given, str | os.PathLike):
        return read_candidate_scores(ExternalFile(own, os.fspath(given), None, kind))
    return build_candidate_scores(own, kind, as_list(given, f"the scores of {own}"), first_id)


def given_lists(lists: Iterable[Sequence[str]], segments: int) -> Iterator[NBestList]:
    """Lists that the program gives, one a segment."""
    if isinstance(lists, Mapping) or not isinstance(lists, Iterable):
        raise InputError(f"nbest is of type {type(lists).__name__}, but a file or lists of strings are wanted")
    number = 0
    for number, one in enumerate(lists, start=1):
        if number > segments:
            raise InputError(f"there are references for {segments} segments, but more lists than that")
        yield NBestList(
            number - 1, pack_strings(one, f"the candidates of segment {number - 1} (counted from 0)"), "nbest", number
        )
    if number < segments:
        raise InputError(f"there are references for {segments} segments, but {number} lists")
