"""Which of a run's blocks a store has, and storing those that it does not have.

The key of a block of statistics says all that they were computed from: the metric's signature, the release that has
its code, the text of these rows of the system and of the references, and for metrics that must know all references
before they score (NIST's information) the text of all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from tarocco.core.test_set import Segments, TestSet
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import release_of
from tarocco.store.blocks import Series, Store, digest

MOMENT = 0.05  # seconds; blocks that take less are stored several at a time, as a transaction costs as much as they do

Block = tuple[int, int]  # first segment, and the one after the last


class Waiting:
    """Blocks on their way into a store, those that come within a moment together."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.blocks: list[tuple[bytes, Floats]] = []
        self.stored = time.monotonic()

    def put(self, blocks: Sequence[tuple[bytes, Floats]]) -> None:
        """Store these, now or soon."""
        self.blocks += blocks
        if time.monotonic() > self.stored + MOMENT:
            self.flush()

    def flush(self) -> None:
        """Store what is waiting."""
        if self.blocks:
            self.store.put(self.blocks)  # if this is interrupted, they are still waiting
            self.blocks = []
        self.stored = time.monotonic()


class Flushed(Protocol):
    """Anything that stores what is waiting when it is asked to."""

    def flush(self) -> None: ...


Keeper = TypeVar("Keeper", bound=Flushed)


@contextmanager
def keeping(store: Store | str | Path, make: Callable[[Store], Keeper]) -> Iterator[Keeper]:
    """What keeps a run's numbers in a store; a store given by its name is closed at the end."""
    opened = store if isinstance(store, Store) else Store(store)
    try:
        kept = make(opened)
        try:
            yield kept
        finally:  # also when the work is stopped: what is finished is kept
            kept.flush()
    finally:
        if opened is not store:
            opened.close()


class Kept:
    """The blocks of one run in a store, by (number of the metric, number of the system)."""

    def __init__(
        self,
        store: Store,
        test_set: TestSet,
        metrics: Sequence[Metric],
        signatures: Sequence[str],
    ) -> None:
        self.store = store
        self.waiting = Waiting(store)
        parts = test_set.blocks
        columns = list(test_set.systems.values())

        def digests(block: Block) -> tuple[bytes, list[bytes]]:
            present = np.ascontiguousarray(test_set.present[:, slice(*block)])
            references = digest(present, *(_digest(stream, block) for stream in test_set.references))
            return references, [_digest(column, block) for column in columns]

        by_block = [digests(block) for block in parts]
        everything = digest(*(references for references, _ in by_block))
        self.keys: dict[Block, dict[tuple[int, int], bytes]] = {block: {} for block in parts}
        series = []
        for m, (metric, signature) in enumerate(zip(metrics, signatures, strict=True)):
            release = release_of(metric)
            if release is None:  # nobody could tell its numbers from those of the next version
                continue
            made_by = digest("statistics", signature, release, everything if metric.prepares else b"")
            for s, system in enumerate(test_set.systems):
                for block, (references, of_systems) in zip(parts, by_block, strict=True):
                    self.keys[block][m, s] = digest(made_by + references + of_systems[s])
                content = digest(everything, *(of_systems[s] for _, of_systems in by_block))
                places = tuple((block[0], self.keys[block][m, s]) for block in parts)
                series.append(Series(signature, str(metric), release, system, content, len(test_set), places))
        store.register(series)

    def get(self, block: Block) -> dict[tuple[int, int], Floats]:
        """What the store has of a block."""
        found = self.store.get(self.keys[block].values())
        return {place: found[key] for place, key in self.keys[block].items() if key in found}

    def put(self, block: Block, new: Mapping[tuple[int, int], Floats]) -> None:
        """Store what has been computed of a block."""
        keys = self.keys[block]
        self.waiting.put([(keys[place], numbers) for place, numbers in new.items() if place in keys])

    def flush(self) -> None:
        """Store what is waiting."""
        self.waiting.flush()


def _digest(column: Segments, block: Block) -> bytes:
    rows = column.rows(*block)
    return digest(rows.text, rows.starts)
