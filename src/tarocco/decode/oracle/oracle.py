"""Oracles: the best text that a lattice, a forest or an n-best list has, under a metric (Chiang et al. 2008, 4.3).

Under WRR and GRR-k the oracle of a lattice or a forest is exact: the metric's automaton is intersected with it. Under
BLEU it is approximate. The oracle of an n-best list is the best candidate, under any metric.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.arguments import References, listed, packed, streams_of
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.core.test_set import Segments, TestSet
from tarocco.decode.oracle.exact import automaton_of
from tarocco.decode.oracle.pieces import Found, Judge, Piece, Plan, pieces_of_graphs, pieces_of_lists, searched
from tarocco.decode.oracle.results import FIRST, ORACLE, RIVAL, OracleResult
from tarocco.encode.batch import Encoding
from tarocco.io.graphs.reader import NBEST, kind_of, read_lattices
from tarocco.io.nbest.lists import NBestList, read_nbest
from tarocco.meta.orange.orange import lists_of_strings
from tarocco.metrics.base import Metric
from tarocco.metrics.ngram.bleu import Bleu
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import check_jobs, map_ordered
from tarocco.scoring.score import score_test_set
from tarocco.scoring.statistics import contexts_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

METRIC = "GRR-4"
BEAM = 16

Searched = str | os.PathLike[str] | Iterable[Graph] | Iterable[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Sources:
    """Where texts come from: a stream of graphs or of lists, and its name; without <s>, say, and weighed anew."""

    name: str
    graphs: Iterable[Graph] | None = None
    lists: Iterable[NBestList] | None = None
    weights: Mapping[str, float] | None = None
    without: Sequence[str] = ()

    def prepared(self) -> Iterator[Graph]:
        """The graphs as they are searched."""
        for graph in self.graphs or ():
            if self.weights is not None:
                graph = graph.weighted(self.weights)
            yield graph.without(set(self.without)) if self.without else graph


def oracle(
    texts: Searched,
    references: References,
    *,
    metric: str | Metric = METRIC,
    also: Sequence[str | Metric] = (),
    best: Iterable[str] | None = None,
    k: int = 1,
    beam: int = BEAM,
    weights: Mapping[str, float] | None = None,
    without: Sequence[str] = (),
    format: str | None = None,
    first_id: int = 0,
    num_candidates: int | None = None,
    tokenize: str = "none",
    lowercase: bool = False,
    analyzer: Analyzer | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> OracleResult:
    """The best text of each lattice, forest or n-best list under a metric.

    Parameters
    ----------
    texts
        A file of lattices, forests or n-best lists, or an iterable of `Lattice` and `Forest`, or of lists of strings,
        one a segment.
    references
        references[i] are the references of segment i.
    metric
        GRR-k, WER or 1-WER (also called WRR), whose oracles in lattices and forests are exact; BLEU, whose oracles
        there are approximate; or, for n-best lists, any metric.
    also
        Further metrics under which the texts are scored.
    best
        What oracles are compared with, a text a segment; else the best texts by weight, or the first candidates.
    k
        How many oracles of each segment; distinct texts. Not for forests that are no lattices.
    beam
        How many texts are kept of each node in the search for approximate oracles.
    weights, without
        Weights of features, which replace those of the arcs; words that are no part of the text, such as "<s>".
    format, first_id, num_candidates
        Of a file: its format ("nbest", or one of those of `read_lattices`) where its first line does not tell; the
        first id of n-best lists, and how many lines are a list where they have no ids.
    tokenize, lowercase
        How text becomes words; those of lattices and forests are taken as they are.
    jobs, executor
        As for `tarocco.score`: the results do not depend on them.

    Example
    -------
    >>> import tarocco
    >>> lists = [["the cat sat", "a cat sat on the mat", "cat on mat"]]
    >>> found = tarocco.oracle(lists, ["the cat sat on the mat"], metric="chrF")
    >>> found.texts[0], found.ranks.tolist()
    ('a cat sat on the mat', [2])
    """
    test_set = TestSet({}, streams_of(listed(references, "references")))
    sources = _sources(texts, format, first_id, num_candidates, len(test_set))
    asked = Encoding(tokenize, lowercase, analyzer=analyzer_name(analyzer))
    given = None if best is None else packed(best, "best")
    return find_oracles(
        replace(sources, weights=weights, without=tuple(without)),
        test_set,
        find_metrics([metric])[0],
        find_metrics(also),
        asked,
        best=given,
        k=k,
        beam=beam,
        jobs=jobs,
        executor=executor,
    )


def _sources(texts: Searched, format: str | None, first_id: int, num_candidates: int | None, segments: int) -> Sources:
    if isinstance(texts, str | os.PathLike):
        return sources_of_file(os.fspath(texts), format, first_id, num_candidates, segments)
    if isinstance(texts, Lattice | Forest):
        raise InputError("texts is one lattice or forest, but a list of them is wanted, one a segment")
    if isinstance(texts, Mapping | bytes) or not isinstance(texts, Iterable):
        raise InputError(
            f"texts are of type {type(texts).__name__}, but a file, lattices or lists of strings are wanted"
        )
    stream = iter(texts)
    for first in stream:
        everything = chain([first], stream)
        if isinstance(first, Lattice | Forest):
            return Sources("texts", graphs=one_after_another(everything, "texts"))
        return Sources("texts", lists=lists_of_strings(everything, segments))  # type: ignore[arg-type]
    raise InputError("there is nothing to search: texts are empty")


def one_after_another(graphs: Iterable[object], name: str) -> Iterator[Graph]:
    """What a program gives is in the order of segments."""
    for number, graph in enumerate(graphs):
        if not isinstance(graph, Lattice | Forest):
            raise InputError(f"{name}: item {number} (counted from 0) is of type {type(graph).__name__}, not a lattice")
        yield replace(graph, segment=number)


def sources_of_file(
    path: str, format: str | None, first_id: int, num_candidates: int | None, segments: int, symbols: str | None = None
) -> Sources:
    """What a file has, by its format or its first line."""
    if (NBEST if num_candidates is not None else kind_of(path, format)) == NBEST:
        lists = read_nbest(path, segments=segments, first_id=first_id, num_candidates=num_candidates)
        return Sources(path, lists=lists)
    return Sources(path, graphs=read_lattices(path, format=format, symbols=symbols))


def find_oracles(
    sources: Sources,
    references: TestSet,
    metric: Metric,
    also: Sequence[Metric],
    encoding: Encoding,
    *,
    best: Segments | None = None,
    k: int = 1,
    beam: int = BEAM,
    advance: Callable[[int, int], None] | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> OracleResult:
    """Search everything; `advance` is told how many more segments, and arcs or candidates, were searched."""
    check_jobs(jobs)
    for name, number in (("k", k), ("beam", beam)):
        if not (isinstance(number, Integral) and 1 <= number <= 10_000):
            raise BadParameter(f"{name} is a whole number from 1 to 10000, not {number!r}")
    if best is not None and len(best) != len(references):
        raise InputError(f"the best texts are {len(best)}, but the references have {len(references)} segments")
    plan = _plan(sources, references, metric, encoding, k, beam)
    pieces: Iterator[Piece]
    if sources.graphs is not None:
        pieces = pieces_of_graphs(sources.prepared(), references, plan, sources.name)
    else:
        pieces = pieces_of_lists(sources.lists or (), references, plan)
    found: list[Found] = []
    for some in map_ordered(searched, pieces, None, jobs, executor):
        found += some
        if advance is not None:
            advance(len(some), sum(one.size for one in some))
    found.sort(key=lambda one: one.segment)
    return _result(sources, references, found, plan, [metric, *(one for one in also if one != metric)], best, jobs)


def _plan(sources: Sources, references: TestSet, metric: Metric, encoding: Encoding, k: int, beam: int) -> Plan:
    judge = Judge(metric, contexts_of(references, [metric], encoding)[0], encoding)
    if sources.lists is not None:
        return Plan(judge, None, k, 0)
    if encoding.tokenize != "none":
        raise BadParameter(
            f"the words of lattices and forests are taken as they are (tokenize none), not with {encoding.tokenize}"
        )
    automaton = automaton_of(metric, several=bool((references.present.sum(axis=0) > 1).any()))
    if automaton is None and not isinstance(metric, Bleu):
        raise BadParameter(
            f"oracles in lattices and forests are found under GRR-k, WER and 1-WER (exactly) and BLEU (approximately), "
            f"not under {metric}; n-best lists have oracles under any metric"
        )
    return Plan(judge, automaton, k, beam if automaton is None else 0)


def _result(
    sources: Sources,
    references: TestSet,
    found: Sequence[Found],
    plan: Plan,
    metrics: Sequence[Metric],
    best: Segments | None,
    jobs: int | None,
) -> OracleResult:
    """Score what was found as systems: the first texts, the oracles, and what approximate oracles are compared with."""
    if not found:
        raise InputError(f"{sources.name}: there is nothing to search")
    own = references
    if len(found) < len(references):  # segments without a list
        rows = np.array([one.segment for one in found], np.intp)
        own = TestSet({}, tuple(stream.taken(rows) for stream in references.references))
        best = None if best is None else best.taken(rows)
    systems: dict[str, Segments] = {}
    if best is not None:
        systems[FIRST] = best
    elif any(one.weighted for one in found):
        systems[FIRST] = Segments.from_strings([one.first for one in found])
    systems[ORACLE] = Segments.from_strings([one.text for one in found])
    if plan.beam:
        systems[RIVAL] = Segments.from_strings([one.rival or "" for one in found])
    scores = score_test_set(replace(own, systems=systems), metrics, plan.judge.encoding, jobs=jobs)
    how = "list" if sources.lists is not None else f"approximate|beam:{plan.beam}" if plan.beam else "exact"
    return OracleResult(
        scores,
        tuple(found),
        systems.get(FIRST),
        how,
        len(references) - len(found),
        plan.k,
        Path(sources.name).name,
    )
