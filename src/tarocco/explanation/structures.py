"""LinguisticMetric elements and where they stand: words by type, entities, arguments, paths down a tree."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from tarocco.annotate.cache import annotate_texts
from tarocco.encode.batch import Batch
from tarocco.explanation.matching import Item, paired
from tarocco.explanation.records import Element
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import ANALYZER, LinguisticMetric, count_overlaps, load_layers
from tarocco.metrics.linguistic.layers import Layers, Nodes, Spans, Trees

Written = tuple[str, tuple[int, ...], bool]  # an item's text, its words, and whether it only stands above them
Words = list[tuple[str, ...]]  # of the candidate and of the reference


def sentences(batch: Batch) -> Words:
    """The words of each text, as the analyzer has them."""
    texts = list(chain.from_iterable((*batch.columns, *batch.reference_columns)))
    return [sentence.words for sentence in annotate_texts(texts, batch.encoding.analyzer or ANALYZER)]


def linguistic_elements(metric: LinguisticMetric, batch: Batch, words: Words) -> list[Element]:
    """The elements of the types that count, in a candidate and its reference."""
    layers, bag = load_layers(batch), metric.bag
    found = bag.make(layers, *bag.arguments, *([metric.longest] if metric.longest else []))
    counting = set(metric.chosen(count_overlaps(found, len(layers), batch)).types.tolist())
    write = _writer(metric, layers, words)
    sides: tuple[list[Item], list[Item]] = ([], [])
    for row, kind, item, place in sorted(
        zip(*(column.tolist() for column in (found.rows, found.types, found.items, found.places)), strict=True),
        key=lambda one: (one[1], one[3]),
    ):
        if kind in counting:
            text, places, above = write(place, kind)
            first = int(layers.firsts[row])
            own = tuple(place - first for place in places)
            sides[row].append(Item(_called(metric, found.names[kind]), item, text, own, above))
    order = {_called(metric, name): place for place, name in enumerate(found.names)}
    return sorted(paired(*sides), key=lambda one: order[one.type])


def _called(metric: LinguisticMetric, name: str) -> str:
    """What a type is called: its own name, the length of paths, or, where types have no names, what there is."""
    if metric.longest:
        return f"length {name}"
    return name or "role"


def _writer(metric: LinguisticMetric, layers: Layers, words: Words) -> Callable[[int, int], Written]:
    """How an item is written whose place and type are known: what places are depends on what the metric compares."""
    spelled = list(chain.from_iterable(words))
    make = metric.bag.make
    if make in (elements.entities, elements.arguments, elements.roles):
        spans = layers.entities if make is elements.entities else layers.arguments[0]
        return lambda place, _: _span(spans, place, spelled, labels=make is elements.roles)
    if make is elements.chains:
        kind = metric.bag.arguments[0]
        labels = spelled if kind == "w" else list(layers.flat("universal" if kind == "c" else "relations"))
        parents = layers.heads.tolist()
        return lambda place, length: _chain(parents, labels, place, length, above=kind != "w")
    if make is elements.subpaths:
        trees = layers.once(Trees)
        nodes = trees.nodes()
        parents = nodes.parents.tolist()
        return lambda place, length: _path(trees, nodes, _up(parents, place, length), spelled)
    return lambda place, _: (spelled[place], (place,), False)


def _span(spans: Spans, place: int, spelled: list[str], labels: bool) -> Written:
    places = tuple(range(int(spans.starts[place]), int(spans.ends[place])))
    text = elements.role(spans.labels[place]) if labels else " ".join(spelled[one] for one in places)
    return text, places, labels


def _up(parents: list[int], place: int, length: int) -> list[int]:
    """A path from the top down that ends at a node and has `length` more nodes above it."""
    path = [place]
    for _ in range(length):
        path.append(parents[path[-1]])
    return path[::-1]


def _chain(parents: list[int], labels: list[str], place: int, length: int, above: bool) -> Written:
    path = _up(parents, place, length)
    return " > ".join(labels[one] for one in path), tuple(path), above


def _path(trees: Trees, nodes: Nodes, path: list[int], spelled: list[str]) -> Written:
    """A path of labels stands above the words of its last node; one that ends at a word is about that word."""
    first_word, last = len(nodes.labels) - len(spelled), path[-1]  # words are the last nodes
    text = " > ".join(
        spelled[one - first_word] if one >= first_word else trees.names[int(nodes.labels[one])] for one in path
    )
    start = int(nodes.starts[last])
    end = int(trees.ends[last]) if last < len(trees.ends) else start + 1  # tags that the tree does not have
    return text, tuple(range(start, end)), last < first_word
