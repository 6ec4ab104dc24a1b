"""N-best lists with features, ready for tuning: the lists of several files or rounds merged, each candidate once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.io.nbest.features import parse_features, parse_scores
from tarocco.io.nbest.lists import NBestList
from tarocco.metrics.base import Floats, Metric
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.statistics import count_batch, group_by_encoding, prepare_contexts

Weights = Mapping[str, tuple[float, ...]]

_DIGITS = 6  # of weights that are found by fitting: what rounded scores can tell
_LIKE = 0.01  # how far a fit may be from the scores that it explains, in standard deviations of theirs


@dataclass(frozen=True)
class Layout:
    """Which features lists have, in their order, and how many values each has."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        return ", ".join(f"{name} ({size})" for name, size in zip(self.names, self.sizes, strict=True))

    @property
    def labels(self) -> tuple[str, ...]:
        """What each value is called: lm.1, lm.2, w."""
        return tuple(
            name if size == 1 else f"{name}.{i}"
            for name, size in zip(self.names, self.sizes, strict=True)
            for i in range(1, size + 1)
        )

    def vector(self, weights: Weights, where: str = "weights") -> Floats:
        """Weights by name as a vector; every feature has as many as it has values, and no other feature has any."""
        for name in weights:
            if name not in self.names:
                raise InputError(
                    f"{where}: there is a weight for {name}, but the lists have no such feature; they have {self}"
                )
        for name, size in zip(self.names, self.sizes, strict=True):
            count = len(weights.get(name, ()))
            if count != size:
                wanted = "one weight" if size == 1 else f"{size} weights"
                found = "there is none" if count == 0 else "there is one" if count == 1 else f"there are {count}"
                raise InputError(f"{where}: the feature {name} of the lists wants {wanted}, but {found}")
        return np.array([weight for name in self.names for weight in weights.get(name, ())], np.float64)

    def by_name(self, vector: Floats) -> dict[str, tuple[float, ...]]:
        """A vector as weights by name."""
        parts = np.split(vector, np.cumsum(self.sizes)[:-1])
        return {name: tuple(part.tolist()) for name, part in zip(self.names, parts, strict=True)}

    def free(self, fixed: Sequence[str]) -> NDArray[np.bool_]:
        """Which weights may change, if these are held: features with all their values, or single ones (lm.2)."""
        free = np.ones(len(self.labels), np.bool_)
        owners = np.repeat(np.array(self.names, object), self.sizes)
        for name in fixed:
            held = (owners == name) | (np.array(self.labels, object) == name)
            if not held.any():
                raise InputError(f"{name} cannot be held: the lists have no such feature; they have {self}")
            free &= ~held
        return free


def revealed(lists: Sequence[tuple[Floats, Floats]]) -> Floats | None:
    """The weights that the model had, if its scores are a weighted sum of the features; None if they are not.

    A list is the features of its candidates and their scores. What matters is how candidates of one list differ, so
    both are taken from the list's mean.
    """
    features = np.concatenate([rows - rows.mean(axis=0) for rows, _ in lists])
    scores = np.concatenate([own - own.mean() for _, own in lists])
    found = np.linalg.lstsq(features, scores, rcond=None)[0]
    apart = np.abs(features @ found - scores).max()
    largest = np.abs(found).max()
    if largest == 0 or apart > _LIKE * scores.std():
        return None
    weights: Floats = np.round(found / largest, _DIGITS) + 0.0  # there is no -0
    return weights


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
            own = parse_features(one)
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
        return [*lists, (features, parse_scores(one))]
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
    contexts = prepare_contexts(references, metrics, encoding)

    def count(block: tuple[int, int]) -> list[Floats]:
        columns, segments = pool.texts[slice(*block)], pool.segments[slice(*block)]
        bounds = pool.bounds[block[0] : block[1] + 1] - pool.bounds[block[0]]
        streams = [stream.taken(segments) for stream in references.references]
        groups = Groups(np.arange(bounds[-1]), bounds), Groups.of_columns(references.present[:, segments])
        found: dict[int, Floats] = {}
        for way, members in group_by_encoding(metrics, encoding).items():
            batch = Batch.of_groups(columns, streams, *groups, way)
            own = count_batch([metrics[i] for i in members], batch, [contexts[i] for i in members])
            found |= dict(zip(members, own, strict=True))
        return [found[i] for i in range(len(metrics))]

    parts = blocks(len(pool.texts), _TOGETHER)
    counted = list(map_ordered(count, parts, len(parts), jobs))
    return [np.concatenate([part[i] for part in counted]) for i in range(len(metrics))]
