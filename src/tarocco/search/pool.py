"""N-best lists with features, ready for tuning: the lists of several files or rounds merged, each candidate once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.counting import by_reading, contexts_of, statistics_of_batch
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.errors import InputError
from tarocco.metrics.base import Floats, Metric
from tarocco.model import Segments, TestSet
from tarocco.read.nbest import NBestList
from tarocco.read.nbest_features import Features, features_of
from tarocco.run import blocks, map_ordered

_TOGETHER = 32  # lists that are encoded and counted together; results do not depend on it


@dataclass(frozen=True, eq=False)
class Pool:
    """The candidates of all lists, one list below the other: those of list s from bounds[s] to bounds[s + 1]."""

    texts: tuple[Segments, ...]  # a column a list
    segments: NDArray[np.intp]  # the segment of each list, from 0
    names: tuple[str, ...]  # of features, as the files have them
    sizes: tuple[int, ...]  # how many values each has
    features: Floats  # [candidates, values]
    merged: int  # candidates that were there before, word for word and number for number

    @property
    def bounds(self) -> NDArray[np.intp]:
        return np.concatenate([[0], np.cumsum([len(one) for one in self.texts])]).astype(np.intp)

    def text(self, candidate: int) -> str:
        """One candidate's text."""
        own = int(np.searchsorted(self.bounds, candidate, side="right")) - 1
        return self.texts[own][candidate - int(self.bounds[own])]

    @property
    def labels(self) -> tuple[str, ...]:
        """What each value is called: lm.1, lm.2, w."""
        return tuple(
            name if size == 1 else f"{name}.{i}"
            for name, size in zip(self.names, self.sizes, strict=True)
            for i in range(1, size + 1)
        )


def pool_of(streams: Sequence[Iterable[NBestList]]) -> Pool:
    """Read all lists of all streams; lists of the same segment are merged."""
    texts: dict[int, list[str]] = {}
    rows: dict[int, list[Floats]] = {}
    seen: dict[int, set[tuple[str, bytes]]] = {}
    layout: Features | None = None
    merged = 0
    for stream in streams:
        for one in stream:
            own = features_of(one)
            if layout is None:
                layout = own
            elif (own.names, own.sizes) != (layout.names, layout.sizes):
                raise InputError(
                    f"{one.where(0)}: all lists have the same features, but {_told(own)} is not {_told(layout)}"
                )
            known = seen.setdefault(one.segment, set())
            for text, values in zip(one.candidates, own.values, strict=True):
                key = (text, values.tobytes())
                if key in known:
                    merged += 1
                    continue
                known.add(key)
                texts.setdefault(one.segment, []).append(text)
                rows.setdefault(one.segment, []).append(values)
    if layout is None:
        raise InputError("there are no n-best lists to tune on")
    order = sorted(texts)
    return Pool(
        tuple(Segments.from_strings(texts[segment]) for segment in order),
        np.array(order, np.intp),
        layout.names,
        layout.sizes,
        np.concatenate([np.stack(rows[segment]) for segment in order]),
        merged,
    )


def _told(features: Features) -> str:
    return ", ".join(f"{name} ({size})" for name, size in zip(features.names, features.sizes, strict=True))


def statistics_of_pool(
    pool: Pool, references: TestSet, metrics: Sequence[Metric], encoding: Encoding, jobs: int | None = None
) -> list[Floats]:
    """For each metric float64[candidates, k], in the order of the pool."""
    contexts = contexts_of(references, metrics, encoding)

    def count(block: tuple[int, int]) -> list[Floats]:
        columns, segments = pool.texts[slice(*block)], pool.segments[slice(*block)]
        bounds = np.concatenate([[0], np.cumsum([len(one) for one in columns])]).astype(np.intp)
        streams = [stream.taken(segments) for stream in references.references]
        groups = Groups(np.arange(bounds[-1]), bounds), Groups.of_columns(references.present[:, segments])
        found: dict[int, Floats] = {}
        for way, members in by_reading(metrics, encoding).items():
            batch = Batch.of_groups(columns, streams, *groups, way)
            own = statistics_of_batch([metrics[i] for i in members], batch, [contexts[i] for i in members])
            found |= dict(zip(members, own, strict=True))
        return [found[i] for i in range(len(metrics))]

    parts = blocks(len(pool.texts), _TOGETHER)
    counted = list(map_ordered(count, parts, len(parts), jobs))
    return [np.concatenate([part[i] for part in counted]) for i in range(len(metrics))]
