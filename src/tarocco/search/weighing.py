"""How much a text weighs: as much as the best of its paths or derivations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tarocco.graphs import Forest
from tarocco.search.exact import nodes_that_begin

Spans = dict[tuple[int, int], float]  # (first, last) of the words that something derives, and its best weight


def weight_of(forest: Forest, text: str) -> float:
    """The weight of the best derivation of a text that the forest has."""
    number = {word: i for i, word in enumerate(forest.words)}
    words = [number[word] for word in text.split()]
    begin = nodes_that_begin(forest).tolist()
    everywhere: Spans = {(i, i): 0.0 for i in range(len(words) + 1)}
    nodes: list[Spans] = [{} for _ in range(forest.n_nodes)]
    items, tails, tail_starts = forest.items.tolist(), forest.tails.tolist(), forest.tail_starts.tolist()
    edges = zip(forest.heads.tolist(), forest.weights.tolist(), pairwise(forest.item_starts.tolist()), strict=True)
    for edge, (head, weight, (start, stop)) in enumerate(edges):
        spans = {(0, 0): 0.0} if begin[head] else everywhere
        for item in items[start:stop]:
            if item >= 0:
                spans = _with_word(spans, item, words)
            else:
                spans = _with_tail(spans, nodes[tails[tail_starts[edge] - 1 - item]])
        own = nodes[head]
        for span, value in spans.items():
            if span not in own or value + weight > own[span]:
                own[span] = value + weight
    return nodes[-1][0, len(words)]


def _with_word(spans: Spans, word: int, words: Sequence[int]) -> Spans:
    n = len(words)
    return {(i, j + 1): value for (i, j), value in spans.items() if j < n and words[j] == word}


def _with_tail(spans: Spans, tail: Spans) -> Spans:
    ending: dict[int, list[tuple[int, float]]] = {}
    for (i, j), value in spans.items():
        ending.setdefault(j, []).append((i, value))
    found: Spans = {}
    for (j, k), more in tail.items():
        for i, value in ending.get(j, ()):
            if (i, k) not in found or value + more > found[i, k]:
                found[i, k] = value + more
    return found
