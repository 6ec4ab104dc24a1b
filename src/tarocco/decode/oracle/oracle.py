"""Oracles: the best text of a lattice, forest or n-best list under a metric (Chiang et al. 2008, section 4.3).

Under metrics with an automaton (WER, GRR-k) the oracle of a lattice or forest is exact: the automaton is intersected
with it. Under BLEU it is approximate. The oracle of an n-best list is its best candidate, under any metric.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from numbers import Integral
from operator import attrgetter
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.core.test_set import References, Segments, TestSet, as_list, make_streams, pack_strings
from tarocco.decode.oracle.forests import as_forest, as_lattice, weight_of
from tarocco.decode.oracle.results import FIRST, ORACLE, RIVAL, OracleResult, SegmentOracle
from tarocco.decode.oracle.search import beam_texts, best_derivation, best_texts, derivation_against, number_words
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.io.graphs.formats import NBEST, detect_kind, read_lattices
from tarocco.io.nbest.lists import NBestFile, NBestList
from tarocco.meta.orange.orange import lists_of_strings
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import prepare_contexts, score_batch
from tarocco.metrics.edit.rates import WORD_AUTOMATON, Automaton
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import WORKERS, Text, TextShortcuts, Workers, WorkerShortcuts, apply_shortcuts

METRIC = "GRR-4"
BEAM = 16
RIVAL_AUTOMATON = Automaton(4, 1.0, 0.0)  # GRR-4, which approximate oracles are compared with

# The sizes of batches; results do not depend on them.
_BATCH_ARCS, _BATCH_GRAPHS = 20_000, 64
_BATCH_BYTES, _BATCH_LISTS = 1 << 19, 256

Searchable = str | os.PathLike[str] | Iterable[Graph] | Iterable[Sequence[str]]


@dataclass(frozen=True)
class OracleOptions:
    """Options of `tarocco.oracle`; each is also a keyword of that function.

    k
        The number of oracles per segment, with distinct texts; forests need the shape of a lattice if k > 1.
    beam
        The number of texts kept per node when oracles are approximate.
    weights
        Weights of features; they replace the weights of the arcs.
    without
        Words to remove from all texts, such as "<s>".
    format
        The format of a file, if its first line does not show it: "nbest", or a format of `read_lattices`.
    symbols
        A symbol table of OpenFst.
    first_id, num_candidates
        Of n-best lists: the id of the first segment; the number of lines per list in a file without ids.
    """

    k: int = 1
    beam: int = BEAM
    weights: Mapping[str, float] | None = None
    without: Sequence[str] = ()
    format: str | None = None
    symbols: str | None = None
    first_id: int = 0
    num_candidates: int | None = None

    def __post_init__(self) -> None:
        for name, number in (("k", self.k), ("beam", self.beam)):
            if not (isinstance(number, Integral) and 1 <= number <= 10_000):
                raise BadParameter(f"{name} is an integer from 1 to 10000, not {number!r}")


OPTIONS, TOKENIZED = OracleOptions(), Text(tokenize="none")


class OracleShortcuts(TextShortcuts, WorkerShortcuts, total=False):
    """The fields of `OracleOptions`, `Text` and `Workers` as keywords."""

    k: int
    beam: int
    weights: Mapping[str, float] | None
    without: Sequence[str]
    format: str | None
    symbols: str | None
    first_id: int
    num_candidates: int | None


@dataclass(frozen=True, eq=False)
class SearchInput:
    """A stream of graphs or of n-best lists, and its name in messages.

    `weights` and `without` apply to graphs: new weights of features, and words to remove.
    """

    name: str
    graphs: Iterable[Graph] | None = None
    lists: Iterable[NBestList] | None = None
    weights: Mapping[str, float] | None = None
    without: Sequence[str] = ()

    def graphs_of_segments(self, n_segments: int | None) -> Iterator[Graph]:
        """Yield the graphs, ready for search; each must belong to a different segment, and have references."""
        seen: set[int] = set()
        for graph in self.graphs or ():
            where = graph.where if graph.path else self.name
            if n_segments is not None and graph.segment >= n_segments:
                raise InputError(
                    f"{where}: lattice {graph.segment + 1} has no reference: the references have {n_segments} segments"
                )
            if graph.segment in seen:
                raise InputError(f"{where}: there are two lattices for segment {graph.segment + 1}")
            seen.add(graph.segment)
            if self.weights is not None:
                graph = graph.weighted(self.weights)
            yield graph.without(set(self.without)) if self.without else graph


def oracle(
    texts: Searchable,
    references: References,
    *,
    metric: str | Metric = METRIC,
    also: Sequence[str | Metric] = (),
    best: Iterable[str] | None = None,
    options: OracleOptions = OPTIONS,
    text: Text = TOKENIZED,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[OracleShortcuts],
) -> OracleResult:
    """Find the best text of each lattice, forest or n-best list under a metric.

    Parameters
    ----------
    texts
        A file of lattices, forests or n-best lists, or an iterable of `Lattice` and `Forest`, or of lists of strings,
        one per segment.
    references
        references[i] are the references of segment i.
    metric
        GRR-k, WER or 1-WER (also called WRR), whose oracles in lattices and forests are exact; BLEU, whose oracles
        there are approximate; or, for n-best lists, any metric.
    also
        More metrics to score the texts with.
    best
        Texts to compare the oracles with, one per segment; by default the best texts by weight, or the first
        candidates.
    options
        How to search, and how files are read (`OracleOptions`).
    text, workers
        How text is read (`Text`; the words of lattices and forests are never tokenized), and where work is done
        (`Workers`; the store is not used).
    **shortcuts
        The fields of these three values as keywords: k, beam, weights, without, format, symbols, first_id,
        num_candidates, tokenize, lowercase, analyzer, jobs, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> lists = [["the cat sat", "a cat sat on the mat", "cat on mat"]]
    >>> result = tarocco.oracle(lists, ["the cat sat on the mat"], metric="chrF")
    >>> result.texts[0], result.ranks.tolist()
    ('a cat sat on the mat', [2])
    """
    options, text, workers = apply_shortcuts("oracle", shortcuts, options, text, workers)
    test_set = TestSet({}, make_streams(as_list(references, "references")))
    source = _search_input(texts, options, len(test_set))
    return find_oracles(
        replace(source, weights=options.weights, without=tuple(options.without)),
        test_set,
        find_metrics([metric])[0],
        find_metrics(also),
        text.encoding,
        best=None if best is None else pack_strings(best, "best"),
        options=options,
        workers=workers,
    )


def _search_input(texts: Searchable, options: OracleOptions, n_segments: int) -> SearchInput:
    if isinstance(texts, str | os.PathLike):
        return open_search_input(os.fspath(texts), options, n_segments)
    if isinstance(texts, Lattice | Forest):
        raise InputError("texts: expected a list of lattices or forests, one per segment, found a single one")
    if isinstance(texts, Mapping | bytes) or not isinstance(texts, Iterable):
        raise InputError(f"texts: expected a file, lattices or lists of strings, found {type(texts).__name__}")
    stream = iter(texts)
    for first in stream:
        everything = chain([first], stream)
        if isinstance(first, Lattice | Forest):
            return SearchInput("texts", graphs=number_graphs(everything, "texts"))
        return SearchInput("texts", lists=lists_of_strings(everything, n_segments))  # type: ignore[arg-type]
    raise InputError("there is nothing to search: texts are empty")


def number_graphs(graphs: Iterable[object], name: str) -> Iterator[Graph]:
    """Yield the graphs with consecutive segment numbers; messages call the iterable `name`."""
    for number, graph in enumerate(graphs):
        if not isinstance(graph, Lattice | Forest):
            raise InputError(f"{name}: item {number} (counted from 0) is of type {type(graph).__name__}, not a lattice")
        yield replace(graph, segment=number)


def open_search_input(path: str, options: OracleOptions, n_segments: int) -> SearchInput:
    """Open a file of n-best lists, lattices or forests, by its format or its first line."""
    size = options.num_candidates
    if (NBEST if size is not None else detect_kind(path, options.format)) == NBEST:
        lists = NBestFile(path, segments=n_segments, first_id=options.first_id, num_candidates=size)
        return SearchInput(path, lists=lists)
    return SearchInput(path, graphs=read_lattices(path, format=options.format, symbols=options.symbols))


def find_oracles(
    source: SearchInput,
    references: TestSet,
    metric: Metric,
    also: Sequence[Metric],
    encoding: Encoding,
    *,
    best: Segments | None = None,
    options: OracleOptions = OPTIONS,
    workers: Workers = WORKERS,
    advance: Callable[[int, int], object] | None = None,
) -> OracleResult:
    """Search everything; `advance` is called with the numbers of segments, and of arcs or candidates, just searched."""
    if best is not None and len(best) != len(references):
        raise InputError(f"there are {len(best)} best texts, but the references have {len(references)} segments")
    search = _plan_search(source, references, metric, encoding, options)
    if source.graphs is not None:
        batches = _batches_of_graphs(source, references, search)
    else:
        batches = _batches_of_lists(source.lists or (), references, search)
    oracles: list[SegmentOracle] = []
    for batch in map_ordered(search_batch, batches, None, workers.jobs, workers.executor):
        oracles += batch
        if advance is not None:
            advance(len(batch), sum(each.size for each in batch))
        if workers.progress is not None:
            workers.progress(len(batch))
    oracles.sort(key=attrgetter("segment"))
    metrics = [metric, *(other for other in also if other != metric)]
    return _score_oracles(source, references, oracles, search, metrics, best, workers)


def _score_oracles(
    source: SearchInput,
    references: TestSet,
    oracles: Sequence[SegmentOracle],
    search: OracleSearch,
    metrics: Sequence[Metric],
    best: Segments | None,
    workers: Workers,
) -> OracleResult:
    """Score the first texts, the oracles and, if these are approximate, the oracles under GRR-4, as systems."""
    if not oracles:
        raise InputError(f"{source.name}: there is nothing to search")
    judged = references
    if len(oracles) < len(references):  # some segments have no list
        rows = np.array([each.segment for each in oracles], np.intp)
        judged = TestSet({}, tuple(stream.taken(rows) for stream in references.references))
        best = None if best is None else best.taken(rows)
    systems: dict[str, Segments] = {}
    if best is not None:
        systems[FIRST] = best
    elif any(each.weighted for each in oracles):
        systems[FIRST] = Segments.from_strings([each.first for each in oracles])
    systems[ORACLE] = Segments.from_strings([each.text for each in oracles])
    if search.beam:
        systems[RIVAL] = Segments.from_strings([each.rival or "" for each in oracles])
    scores = score_test_set(replace(judged, systems=systems), metrics, search.encoding, jobs=workers.jobs)
    how = "list" if source.lists is not None else f"approximate|beam:{search.beam}" if search.beam else "exact"
    left_out = len(references) - len(oracles)
    name = Path(source.name).name
    return OracleResult(scores, tuple(oracles), systems.get(FIRST), how, left_out, search.k, name)


# --- one batch of graphs or lists ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OracleSearch:
    """A search for the `k` best texts under a metric: exact if there is an automaton, with a beam otherwise."""

    metric: Metric
    context: Any  # what the metric prepared from all references
    encoding: Encoding
    automaton: Automaton | None
    k: int = 1
    beam: int = BEAM

    def score(self, lists: Sequence[Segments], references: Sequence[Segments]) -> list[Floats]:
        """Return the score of each text of each list, against the references of that list."""
        groups = _groups(lists), _groups(references)
        batch = Batch.of_groups(lists, references, *groups, self.metric.reads(self.encoding))
        (scores,) = score_batch([self.metric], batch, [self.context])
        return np.split(scores, np.cumsum(list(map(len, lists)))[:-1])

    def rank(self, scores: Floats) -> list[int]:
        """Return places from best to worst; ties keep their order, and texts without a score come last."""
        goodness = np.where(np.isnan(scores), -np.inf, self.metric.sign * scores)
        return np.argsort(-goodness, kind="stable").tolist()  # type: ignore[no-any-return]


def _groups(texts: Sequence[Segments]) -> Groups:
    """Return one group per column."""
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum(list(map(len, texts)), dtype=np.intp)])
    return Groups(np.arange(bounds[-1]), bounds)


def _plan_search(
    source: SearchInput, references: TestSet, metric: Metric, encoding: Encoding, options: OracleOptions
) -> OracleSearch:
    (context,) = prepare_contexts(references, [metric], encoding)
    if source.lists is not None:
        return OracleSearch(metric, context, encoding, None, options.k, 0)
    if encoding.tokenize != "none":
        raise BadParameter(
            f"the words of lattices and forests cannot be tokenized: use tokenize none, not {encoding.tokenize}"
        )
    automaton = metric.automaton(several_references=bool((references.present.sum(axis=0) > 1).any()))
    if automaton is None and not metric.has_linear_approximation:
        raise BadParameter(
            f"oracles in lattices and forests exist under GRR-k, WER and 1-WER (exactly) and BLEU (approximately), "
            f"not under {metric}; n-best lists have oracles under any metric"
        )
    return OracleSearch(metric, context, encoding, automaton, options.k, options.beam if automaton is None else 0)


@dataclass(frozen=True, eq=False)
class SearchBatch:
    """All that a worker needs: graphs or lists, and the references of each."""

    search: OracleSearch
    references: Sequence[Segments]
    graphs: Sequence[Graph] = ()
    lists: Sequence[NBestList] = ()


def _batches_of_graphs(source: SearchInput, references: TestSet, search: OracleSearch) -> Iterator[SearchBatch]:
    n = len(references)
    missing = set(range(n))
    for graphs in batch_graphs(source.graphs_of_segments(n)):
        missing -= {graph.segment for graph in graphs}
        yield SearchBatch(search, [references_of(references, graph.segment) for graph in graphs], graphs)
    if missing:
        raise InputError(
            f"{source.name}: there are {n - len(missing)} lattices, but the references have {n} segments; segment "
            f"{min(missing) + 1} has none"
        )


def batch_graphs(graphs: Iterable[Graph]) -> Iterator[list[Graph]]:
    """Yield the graphs in batches of about the same size."""
    batch: list[Graph] = []
    size = 0
    for graph in graphs:
        batch.append(graph)
        size += len(graph.weights)
        if size > _BATCH_ARCS or len(batch) == _BATCH_GRAPHS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _batches_of_lists(lists: Iterable[NBestList], references: TestSet, search: OracleSearch) -> Iterator[SearchBatch]:
    batch: list[NBestList] = []
    size = 0
    for nbest in lists:
        batch.append(replace(nbest, written=None))  # workers need only the texts
        size += len(nbest.candidates.text)
        if size > _BATCH_BYTES or len(batch) == _BATCH_LISTS:
            yield SearchBatch(search, [references_of(references, nbest.segment) for nbest in batch], lists=batch)
            batch, size = [], 0
    if batch:
        yield SearchBatch(search, [references_of(references, nbest.segment) for nbest in batch], lists=batch)


def references_of(test_set: TestSet, segment: int) -> Segments:
    """Return the references of a segment."""
    present = zip(test_set.references, test_set.present[:, segment], strict=True)
    return Segments.from_strings([stream[segment] for stream, here in present if here])


def search_batch(batch: SearchBatch) -> list[SegmentOracle]:
    """Return the oracles of all graphs or lists of a batch."""
    search = batch.search
    if batch.lists:
        return _search_lists(batch)
    if search.automaton is None:
        return _search_approximately(batch)
    if search.k > 1:
        return _search_k_best(batch, search.automaton)
    oracles = []
    for graph, references in zip(batch.graphs, batch.references, strict=True):
        forest = as_forest(graph)
        numbered = number_words(forest, list(references), search.encoding.lowercase)
        oracles.append(_make_oracle(graph, forest.text(best_derivation(numbered, search.automaton).steps)))
    return oracles


def _search_k_best(batch: SearchBatch, automaton: Automaton) -> list[SegmentOracle]:
    """Return the best texts of lattices; their scores are those of the metric."""
    pools = []
    for graph, references in zip(batch.graphs, batch.references, strict=True):
        lattice = as_lattice(graph)
        if lattice is None:
            raise InputError(f"{graph.where}: several oracles need a lattice, and this is a forest: ask for one oracle")
        numbered = number_words(as_forest(lattice), list(references), batch.search.encoding.lowercase)
        derivations = [derivation_against(numbered, reference, automaton) for reference in numbered.references]
        pools.append(list(islice(best_texts(lattice, numbered, derivations, automaton), batch.search.k)))
    return _best_of_pools(batch, pools, [None] * len(pools))


def _search_approximately(batch: SearchBatch) -> list[SegmentOracle]:
    """Return the best of the texts that a beam search keeps and of the exact oracles under GRR-4 and WRR."""
    pools, rivals = [], []
    for graph, references in zip(batch.graphs, batch.references, strict=True):
        forest = as_forest(graph)
        numbered = number_words(forest, list(references), batch.search.encoding.lowercase)
        exact = [best_derivation(numbered, automaton) for automaton in (RIVAL_AUTOMATON, WORD_AUTOMATON)]
        texts = [forest.text(derivation.steps) for derivation in exact]
        rivals.append(texts[0])
        pools.append(list(dict.fromkeys([*texts, *beam_texts(numbered, batch.search.beam)])))
    return _best_of_pools(batch, pools, rivals)


def _best_of_pools(batch: SearchBatch, pools: list[list[str]], rivals: Sequence[str | None]) -> list[SegmentOracle]:
    search = batch.search
    by_pool = search.score([Segments.from_strings(pool) for pool in pools], batch.references)
    oracles = []
    for graph, pool, scores, rival in zip(batch.graphs, pools, by_pool, rivals, strict=True):
        order = search.rank(scores)[: search.k]
        k_best = tuple((pool[i], float(scores[i])) for i in order) if search.k > 1 else ()
        oracles.append(_make_oracle(graph, pool[order[0]], rival, k_best))
    return oracles


def _make_oracle(
    graph: Graph, text: str, rival: str | None = None, k_best: tuple[tuple[str, float], ...] = ()
) -> SegmentOracle:
    first = graph.best()
    first_text, weighted = graph.text(first.steps), bool(graph.weights.any())
    differ = weighted and text != first_text
    behind = max(0.0, first.score - weight_of(as_forest(graph), text)) if differ else 0.0
    return SegmentOracle(
        *(graph.segment, text, first_text, weighted, behind),
        rival=rival,
        k_best=k_best,
        size=len(graph.weights),
        empty=graph.empty,
    )


def _search_lists(batch: SearchBatch) -> list[SegmentOracle]:
    """Return the best candidate of each list."""
    search, oracles = batch.search, []
    by_list = search.score([nbest.candidates for nbest in batch.lists], batch.references)
    for nbest, scores in zip(batch.lists, by_list, strict=True):
        order = search.rank(scores)
        best = nbest.candidates[order[0]]
        k_best: dict[str, float] = {}
        for i in order if search.k > 1 else ():
            k_best.setdefault(nbest.candidates[i], float(scores[i]))
            if len(k_best) == search.k:
                break
        oracles.append(
            SegmentOracle(
                *(nbest.segment, best, nbest.candidates[0], True),
                rank=order[0] + 1,
                k_best=tuple(k_best.items()),
                size=len(scores),
                empty=not best.strip(),
            )
        )
    return oracles
