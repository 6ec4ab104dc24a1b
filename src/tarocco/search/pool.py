"""N-best lists with features, ready for tuning: the lists of several files or rounds merged, each candidate once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.counting import by_reading, contexts_of, statistics_of_batch
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.errors import InputError
from tarocco.metrics.base import Floats, Metric
from tarocco.model import Segments, TestSet
from tarocco.read.nbest import NBestList
from tarocco.read.nbest_features import features_of, scores_of
from tarocco.run import blocks, map_ordered
from tarocco.search.weights import Layout, revealed

_TOGETHER = 32  # lists that are encoded and counted together; results do not depend on it


@dataclass(frozen=True, eq=False)
class Pool:
    """The candidates of all lists, one list below the other: those of list s from bounds[s] to bounds[s + 1]."""

    texts: tuple[Segments, ...]  # a column a list
    segments: NDArray[np.intp]  # the segment of each list, from 0
    layout: Layout  # which features there are
    features: Floats  # [candidates, values]
    revealed: Floats | None  # the weights that the model had, if the scores in the last file tell
    merged: int  # candidates that were there before, word for word and number for number

    @cached_property
    def bounds(self) -> NDArray[np.intp]:
        return np.concatenate([[0], np.cumsum([len(one) for one in self.texts])]).astype(np.intp)

    def chosen_texts(self, choice: NDArray[np.intp]) -> list[str]:
        """The texts of one candidate of each list."""
        within = (choice - self.bounds[:-1]).tolist()
        return [column[i] for column, i in zip(self.texts, within, strict=True)]


def pool_of(streams: Sequence[Iterable[NBestList]]) -> Pool:
    """Read all lists of all streams; lists of the same segment are merged, those of earlier streams first."""
    found: dict[int, list[tuple[Segments, Floats]]] = {}
    first: tuple[Layout, str] | None = None
    scored: list[tuple[Floats, Floats]] | None = None
    for stream in streams:
        scored = []
        for one in stream:
            own = features_of(one)
            layout = Layout(own.names, own.sizes)
            if first is None:
                first = layout, one.where(0)
            elif layout != first[0]:
                raise InputError(
                    f"{one.where(0)}: all lists have the same features, but here there are {layout}, and {first[0]} in "
                    f"{first[1]}"
                )
            found.setdefault(one.segment, []).append((one.candidates, own.values))
            scored = _with_scores(scored, one, own.values)
    if first is None:
        raise InputError("there are no n-best lists")
    order = sorted(found)
    joined = [_joined(found[segment]) for segment in order]
    return Pool(
        tuple(column.taken(rows) for column, _, rows in joined),
        np.array(order, np.intp),
        first[0],
        np.concatenate([values[rows] for _, values, rows in joined]),
        revealed(scored) if scored else None,
        sum(len(column) - len(rows) for column, _, rows in joined),
    )


def _with_scores(
    lists: list[tuple[Floats, Floats]] | None, one: NBestList, features: Floats
) -> list[tuple[Floats, Floats]] | None:
    """Features and model scores of lists, with those of one more; None where there are no scores, which is no error."""
    if lists is None:
        return None
    try:
        return [*lists, (features, scores_of(one))]
    except InputError:
        return None


def _joined(lists: Sequence[tuple[Segments, Floats]]) -> tuple[Segments, Floats, NDArray[np.intp]]:
    """The candidates of a segment, and which of them to keep: the first of those that are the same in everything."""
    column = lists[0][0] if len(lists) == 1 else Segments.joined([texts for texts, _ in lists])
    values = np.concatenate([own for _, own in lists])
    numbers: dict[str, int] = {}
    same = np.fromiter((numbers.setdefault(text, len(numbers)) for text in column), np.float64, len(column))
    rows = np.ascontiguousarray(np.column_stack([same, values + 0.0]))  # there is no -0
    keys = rows.view(np.dtype((np.void, rows.strides[0]))).ravel()
    return column, values, np.sort(np.unique(keys, return_index=True)[1])


def statistics_of_pool(
    pool: Pool, references: TestSet, metrics: Sequence[Metric], encoding: Encoding, jobs: int | None = None
) -> list[Floats]:
    """For each metric float64[candidates, k], in the order of the pool."""
    contexts = contexts_of(references, metrics, encoding)

    def count(block: tuple[int, int]) -> list[Floats]:
        columns, segments = pool.texts[slice(*block)], pool.segments[slice(*block)]
        bounds = pool.bounds[block[0] : block[1] + 1] - pool.bounds[block[0]]
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
