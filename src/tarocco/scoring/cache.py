"""Reads the blocks of a run that a store has, and stores the others.

The key of a block of statistics is a digest of all its inputs: the metric's signature, the release of its code, the
text of these rows of the system and of the references, and the text of all references for metrics that prepare on them
(such as NIST, for its information weights).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.tokenizer_plugins import UNVERSIONED
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import release_of
from tarocco.store.blocks import Series, Store, make_digest

MOMENT = 0.05  # seconds between two transactions: one transaction per small block would double the time

Block = tuple[int, int]  # first segment, and the one after the last


class WriteBuffer:
    """Collects blocks and stores those that arrive within a moment in one transaction."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.blocks: list[tuple[bytes, Floats]] = []
        self.stored = time.monotonic()

    def put(self, blocks: Sequence[tuple[bytes, Floats]]) -> None:
        """Store these blocks now or with the next ones."""
        self.blocks += blocks
        if time.monotonic() > self.stored + MOMENT:
            self.flush()

    def flush(self) -> None:
        """Store the collected blocks."""
        if self.blocks:
            self.store.put(self.blocks)  # if this is interrupted, `blocks` still has them
            self.blocks = []
        self.stored = time.monotonic()


class Flushable(Protocol):
    """Anything that buffers writes to a store."""

    def flush(self) -> None: ...


Cache = TypeVar("Cache", bound=Flushable)


@contextmanager
def open_cache(store: Store | str | Path, make: Callable[[Store], Cache]) -> Iterator[Cache]:
    """Make a cache on a store, and flush it at the end; a store that was opened here is closed."""
    opened = store if isinstance(store, Store) else Store(store)
    try:
        cache = make(opened)
        try:
            yield cache
        finally:  # finished blocks are stored even if the run is interrupted
            cache.flush()
    finally:
        if opened is not store:
            opened.close()


class StatisticsCache:
    """The blocks of one run in a store, by (index of the metric, index of the system)."""

    def __init__(
        self,
        store: Store,
        test_set: TestSet,
        metrics: Sequence[Metric],
        signatures: Sequence[str],
    ) -> None:
        self.store = store
        self.buffer = WriteBuffer(store)
        parts = test_set.blocks
        columns = list(test_set.systems.values())

        def digests(block: Block) -> tuple[bytes, list[bytes]]:
            present = np.ascontiguousarray(test_set.present[:, slice(*block)])
            references = make_digest(present, *(_digest(stream, block) for stream in test_set.references))
            return references, [_digest(column, block) for column in columns]

        by_block = [digests(block) for block in parts]
        everything = make_digest(*(references for references, _ in by_block))
        self.keys: dict[Block, dict[tuple[int, int], bytes]] = {block: {} for block in parts}
        series = []
        for m, (metric, signature) in enumerate(zip(metrics, signatures, strict=True)):
            release = release_of(metric)
            if release is None or UNVERSIONED in signature:  # another version of its code would have the same keys
                continue
            computation = make_digest("statistics", signature, release, everything if metric.prepares else b"")
            for s, system in enumerate(test_set.systems):
                for block, (references, of_systems) in zip(parts, by_block, strict=True):
                    self.keys[block][m, s] = make_digest(computation + references + of_systems[s])
                content = make_digest(everything, *(of_systems[s] for _, of_systems in by_block))
                places = tuple((block[0], self.keys[block][m, s]) for block in parts)
                series.append(Series(signature, str(metric), release, system, content, len(test_set), places))
        store.register(series)

    def get(self, block: Block) -> dict[tuple[int, int], Floats]:
        """Return the stored statistics of a block."""
        stored = self.store.get(self.keys[block].values())
        return {index: stored[key] for index, key in self.keys[block].items() if key in stored}

    def put(self, block: Block, new: Mapping[tuple[int, int], Floats]) -> None:
        """Store computed statistics of a block."""
        keys = self.keys[block]
        self.buffer.put([(keys[index], numbers) for index, numbers in new.items() if index in keys])

    def flush(self) -> None:
        """Store the collected blocks."""
        self.buffer.flush()


def _digest(column: Segments, block: Block) -> bytes:
    rows = column.rows(*block)
    return make_digest(rows.text, rows.starts)
