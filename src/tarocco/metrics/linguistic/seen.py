"""Which types there are in given sentences: the members of a family of metrics that would have a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError
from tarocco.metrics.base import Metric
from tarocco.metrics.linguistic.base import Overlap
from tarocco.metrics.linguistic.elements import Elements
from tarocco.metrics.linguistic.layers import Layers


class Seen(NamedTuple):
    """A member of a family, in how many segments it has something to look at, and how many items that is in all."""

    metric: str
    segments: int
    items: int


def types_seen(families: Iterable[type[Metric]], sentences: Sequence[Sentence], analyzer: str) -> list[Seen]:
    """What the families that compare types find in sentences, most frequent types first.

    Members that look at the same elements, as SR-Orv-A0 does with SR-Or-A0, are told once. A layer that the analyzer
    does not have is left out; InputError if none is there.
    """
    layers = Layers(sentences, False, analyzer)
    found: list[Seen] = []
    missing: list[InputError] = []
    for family in families:
        for prefix, elements in _bags(family, layers, missing):
            pairs = np.unique(elements.types * len(layers) + elements.rows) // max(len(layers), 1)
            counts = np.bincount(elements.types, minlength=len(elements.names)).tolist()
            rows = np.bincount(pairs, minlength=len(elements.names)).tolist()
            of_bag = [Seen(f"{prefix}-{name}", *both) for name, *both in zip(elements.names, rows, counts, strict=True)]
            found += sorted((one for one in of_bag if one.items), key=lambda one: (-one.segments, -one.items))
    if missing and not found:
        raise missing[0]
    return found


def _bags(family: type[Metric], layers: Layers, missing: list[InputError]) -> Iterator[tuple[str, Elements]]:
    """What each kind of elements of a family is called, and the elements; where the layer is missing, none."""
    if not issubclass(family, Overlap):
        return
    told = set()
    for elements, bag in family.bags.items():
        if bag.make not in told:
            told.add(bag.make)
            try:
                yield f"{family.prefix}{elements}", bag.make(layers, *bag.arguments)
            except InputError as error:
                missing.append(error)
