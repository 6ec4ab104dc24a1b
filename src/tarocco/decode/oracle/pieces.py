"""What is searched at a time: some lattices and forests, or some n-best lists; and what is found there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.graphs import Graph
from tarocco.core.test_set import Segments, TestSet
from tarocco.decode.oracle.beam import beam_texts
from tarocco.decode.oracle.exact import (
    Automaton,
    as_forest,
    as_lattice,
    best_derivation,
    best_texts,
    derivation_against,
    numbered,
)
from tarocco.decode.oracle.forests import weight_of
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.io.nbest.lists import NBestList
from tarocco.metrics.base import Floats, Metric
from tarocco.scoring.statistics import score_batch


@dataclass(frozen=True, eq=False)
class Judge:
    """A metric, what it knows of all references, and how text is read."""

    metric: Metric
    context: Any
    encoding: Encoding

    def scores(self, lists: Sequence[Segments], references: Sequence[Segments]) -> list[Floats]:
        """The score of each text of each list, against the references of that list."""
        batch = Batch.of_groups(
            lists, references, _groups(lists), _groups(references), self.metric.reads(self.encoding)
        )
        (scores,) = score_batch([self.metric], batch, [self.context])
        return np.split(scores, np.cumsum(list(map(len, lists)))[:-1])

    def order(self, scores: Floats) -> list[int]:
        """From the best to the worst, equal ones as they come; what has no score comes last."""
        goodness = np.where(np.isnan(scores), -np.inf, self.metric.sign * scores)
        return np.argsort(-goodness, kind="stable").tolist()  # type: ignore[no-any-return]


def _groups(texts: Sequence[Segments]) -> Groups:
    """One group a column."""
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum(list(map(len, texts)), dtype=np.intp)])
    return Groups(np.arange(bounds[-1]), bounds)


RIVAL = Automaton(4, 1.0, 0.0)  # 4-GRR: what an approximate oracle is compared with
_ARCS = 20_000  # that are searched at a time, in 64 lattices at most; results do not depend on it
_GRAPHS = 64
_TEXT = 1 << 19  # bytes of lists that are scored at a time
_LISTS = 256


@dataclass(frozen=True, eq=False)
class Plan:
    """What is looked for: `k` texts under a metric; exactly, where it has an automaton, or else with a beam."""

    judge: Judge
    automaton: Automaton | None
    k: int = 1
    beam: int = 16


@dataclass(frozen=True)
class Found:
    """What was found for a segment.

    `behind` is how much less the oracle weighs than the best text, `rank` its place in an n-best list, from 1. `rival`
    is the exact oracle under 4-GRR, beside one that is approximate. `k_best` are (text, score).
    """

    segment: int
    text: str
    first: str  # the best by weight, or the first of a list
    weighted: bool = False
    behind: float | None = None
    rank: int | None = None
    rival: str | None = None
    k_best: tuple[tuple[str, float], ...] = ()
    size: int = 0  # arcs, edges or candidates
    empty: bool = False


@dataclass(frozen=True, eq=False)
class Piece:
    """All that a worker needs: graphs or lists, and the references of each."""

    plan: Plan
    graphs: Sequence[Graph] = ()
    lists: Sequence[NBestList] = ()
    references: Sequence[Segments] = field(default_factory=tuple)


def pieces_of_graphs(graphs: Iterable[Graph], references: TestSet, plan: Plan, name: str) -> Iterator[Piece]:
    """Cut a stream of lattices and forests, one a segment, into pieces."""
    n = len(references)
    seen: set[int] = set()
    for own in together(graphs):
        for graph in own:
            where = graph.where if graph.path else name
            if graph.segment >= n:
                raise InputError(
                    f"{where}: lattice {graph.segment + 1} has no reference: the references have {n} segments"
                )
            if graph.segment in seen:
                raise InputError(f"{where}: there are two lattices for segment {graph.segment + 1}")
            seen.add(graph.segment)
        yield Piece(plan, own, references=[references_of(references, graph.segment) for graph in own])
    if len(seen) < n:
        missing = min(set(range(n)) - seen) + 1
        raise InputError(
            f"{name}: there are {len(seen)} lattices, but the references have {n} segments; segment {missing} has none"
        )


def together(graphs: Iterable[Graph]) -> Iterator[list[Graph]]:
    """Lattices and forests that are searched at a time."""
    own: list[Graph] = []
    size = 0
    for graph in graphs:
        own.append(graph)
        size += len(graph.weights)
        if size > _ARCS or len(own) == _GRAPHS:
            yield own
            own, size = [], 0
    if own:
        yield own


def pieces_of_lists(lists: Iterable[NBestList], references: TestSet, plan: Plan) -> Iterator[Piece]:
    """Cut a stream of n-best lists into pieces."""
    own: list[NBestList] = []
    size = 0
    for one in lists:
        own.append(replace(one, written=None))  # the texts are enough, wherever they are sent
        size += len(one.candidates.text)
        if size > _TEXT or len(own) == _LISTS:
            yield Piece(plan, lists=own, references=[references_of(references, one.segment) for one in own])
            own, size = [], 0
    if own:
        yield Piece(plan, lists=own, references=[references_of(references, one.segment) for one in own])


def references_of(test_set: TestSet, segment: int) -> Segments:
    """The references that a segment has."""
    texts = [
        stream[segment] for stream, here in zip(test_set.references, test_set.present[:, segment], strict=True) if here
    ]
    return Segments.from_strings(texts)


def searched(piece: Piece) -> list[Found]:
    """Search all graphs of a piece, or choose from all its lists."""
    if piece.lists:
        return _chosen(piece)
    if piece.plan.automaton is None:
        return _approximate(piece)
    if piece.plan.k > 1:
        return _several(piece, piece.plan.automaton)
    return [
        _exact(graph, texts, piece.plan, piece.plan.automaton)
        for graph, texts in zip(piece.graphs, piece.references, strict=True)
    ]


def _exact(graph: Graph, references: Segments, plan: Plan, automaton: Automaton) -> Found:
    forest = as_forest(graph)
    found = best_derivation(numbered(forest, list(references), plan.judge.encoding.lowercase), automaton)
    return _found(graph, forest.text(found.steps))


def _several(piece: Piece, automaton: Automaton) -> list[Found]:
    """The best texts of lattices, in their order; their scores are the metric's own."""
    pools, lowercase = [], piece.plan.judge.encoding.lowercase
    for graph, references in zip(piece.graphs, piece.references, strict=True):
        lattice = as_lattice(graph)
        if lattice is None:
            raise InputError(f"{graph.where}: several oracles are found in lattices, and this is a forest: ask for one")
        one = numbered(as_forest(lattice), list(references), lowercase)
        found = [derivation_against(one, reference, automaton) for reference in one.references]
        pools.append(list(islice(best_texts(lattice, one, found, automaton), piece.plan.k)))
    return _best_of_pools(piece, pools)


def _approximate(piece: Piece) -> list[Found]:
    """The best of what a beam search keeps, and of the exact oracles under 4-GRR and WRR."""
    pools, rivals = [], []
    for graph, references in zip(piece.graphs, piece.references, strict=True):
        forest = as_forest(graph)
        one = numbered(forest, list(references), piece.plan.judge.encoding.lowercase)
        exact = [best_derivation(one, automaton) for automaton in (RIVAL, Automaton(1, 1.0, 0.0))]
        texts = [forest.text(found.steps) for found in exact]
        rivals.append(texts[0])
        pools.append(list(dict.fromkeys([*texts, *beam_texts(one, piece.plan.beam)])))
    return _best_of_pools(piece, pools, rivals)


def _best_of_pools(piece: Piece, pools: list[list[str]], rivals: Sequence[str | None] | None = None) -> list[Found]:
    judge, k = piece.plan.judge, piece.plan.k
    scores = judge.scores([Segments.from_strings(pool) for pool in pools], piece.references)
    found = []
    for graph, pool, own, rival in zip(piece.graphs, pools, scores, rivals or [None] * len(pools), strict=True):
        order = judge.order(own)[:k]
        k_best = tuple((pool[i], float(own[i])) for i in order) if k > 1 else ()
        found.append(_found(graph, pool[order[0]], rival, k_best))
    return found


def _found(graph: Graph, text: str, rival: str | None = None, k_best: tuple[tuple[str, float], ...] = ()) -> Found:
    first = graph.best()
    first_text, weighted = graph.text(first.steps), bool(graph.weights.any())
    differ = weighted and text != first_text
    behind = max(0.0, first.score - weight_of(as_forest(graph), text)) if differ else 0.0
    return Found(
        *(graph.segment, text, first_text, weighted, behind),
        rival=rival,
        k_best=k_best,
        size=len(graph.weights),
        empty=graph.empty,
    )


def _chosen(piece: Piece) -> list[Found]:
    """The best candidate of each list."""
    judge, found = piece.plan.judge, []
    scores = judge.scores([one.candidates for one in piece.lists], piece.references)
    for one, own in zip(piece.lists, scores, strict=True):
        order = judge.order(own)
        best = one.candidates[order[0]]
        k_best: dict[str, float] = {}
        for i in order if piece.plan.k > 1 else ():
            k_best.setdefault(one.candidates[i], float(own[i]))
            if len(k_best) == piece.plan.k:
                break
        found.append(
            Found(
                *(one.segment, best, one.candidates[0], True),
                rank=order[0] + 1,
                k_best=tuple(k_best.items()),
                size=len(own),
                empty=not best.strip(),
            )
        )
    return found
