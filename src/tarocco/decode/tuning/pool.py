"""The candidates of n-best lists with features, ready for tuning: files and rounds are merged, copies are removed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.io.nbest.features import parse_features, parse_scores
from tarocco.io.nbest.lists import NBestFile, NBestList
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import count_batch, group_by_encoding, prepare_contexts
from tarocco.parallel.fan_out import blocks, map_ordered

Path = str | os.PathLike[str]
Weights = Mapping[str, tuple[float, ...]]

_DIGITS = 6  # of fitted weights: rounded scores do not determine more
_TOLERANCE = 0.01  # the largest error of a fit, in standard deviations of the scores
_BATCH_LISTS = 32  # results do not depend on it


@dataclass(frozen=True)
class FeatureLayout:
    """The names of features, in order, and the number of values of each."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        return ", ".join(f"{name} ({size})" for name, size in zip(self.names, self.sizes, strict=True))

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each value: lm.1, lm.2, w."""
        return tuple(
            name if size == 1 else f"{name}.{i}"
            for name, size in zip(self.names, self.sizes, strict=True)
            for i in range(1, size + 1)
        )

    def vector(self, weights: Weights, where: str = "weights") -> Floats:
        """Return weights by name as a vector; there must be one weight per value, and no others."""
        for name in weights:
            if name not in self.names:
                raise InputError(f"{where}: there is a weight for {name}, but the lists have only the features {self}")
        for name, size in zip(self.names, self.sizes, strict=True):
            count = len(weights.get(name, ()))
            if count != size:
                raise InputError(
                    f"{where}: expected {size} weight{'s' * (size > 1)} for {name}, found {count or 'none'}"
                )
        return np.array([weight for name in self.names for weight in weights.get(name, ())], np.float64)

    def by_name(self, vector: Floats) -> dict[str, tuple[float, ...]]:
        """Return a vector as weights by name."""
        parts = np.split(vector, np.cumsum(self.sizes)[:-1])
        return {name: tuple(part.tolist()) for name, part in zip(self.names, parts, strict=True)}

    def free(self, fixed: Sequence[str]) -> NDArray[np.bool_]:
        """Return which weights may change if `fixed` features, or single values such as lm.2, are held."""
        free = np.ones(len(self.labels), np.bool_)
        owners = np.repeat(np.array(self.names, object), self.sizes)
        for name in fixed:
            held = (owners == name) | (np.array(self.labels, object) == name)
            if not held.any():
                raise InputError(f"{name} cannot be held: the lists have only the features {self}")
            free &= ~held
        return free


@dataclass(frozen=True, eq=False)
class CandidatePool:
    """The candidates of all lists; those of list s are bounds[s] to bounds[s + 1]."""

    texts: tuple[Segments, ...]  # one column per list
    segments: NDArray[np.intp]  # the segment of each list, from 0
    layout: FeatureLayout
    features: Floats  # [candidates, values]
    fitted: Floats | None  # the weights of the model, if the scores in the last file determine them
    merged: int  # the number of candidates removed because text and features were equal

    @cached_property
    def bounds(self) -> NDArray[np.intp]:
        return np.concatenate([[0], np.cumsum([len(column) for column in self.texts])]).astype(np.intp)

    def texts_at(self, choice: NDArray[np.intp]) -> list[str]:
        """Return the texts of one candidate per list."""
        within = (choice - self.bounds[:-1]).tolist()
        return [column[i] for column, i in zip(self.texts, within, strict=True)]


def read_pool(nbest: Path | Sequence[Path], segments: int | None, first_id: int = 0) -> CandidatePool:
    """Read the lists of one file or several."""
    paths = [nbest] if isinstance(nbest, str | os.PathLike) else nbest
    if (
        not isinstance(paths, list | tuple)
        or not paths
        or not all(isinstance(path, str | os.PathLike) for path in paths)
    ):
        raise InputError("nbest is a file of n-best lists with features, or a list of such files")
    return pool_lists([NBestFile(os.fspath(path), segments=segments, first_id=first_id) for path in paths])


def pool_lists(streams: Sequence[Iterable[NBestList]]) -> CandidatePool:
    """Read all lists of all streams; lists of the same segment are merged, those of earlier streams first."""
    by_segment: dict[int, list[tuple[Segments, Floats]]] = {}
    first: tuple[FeatureLayout, str] | None = None
    scored: list[tuple[Floats, Floats]] | None = None
    for stream in streams:
        scored = []
        for nbest in stream:
            features = parse_features(nbest)
            layout = FeatureLayout(features.names, features.sizes)
            if first is None:
                first = layout, nbest.where(0)
            elif layout != first[0]:
                raise InputError(
                    f"{nbest.where(0)}: all lists must have the same features, but this one has {layout}, and the one "
                    f"in {first[1]} has {first[0]}"
                )
            by_segment.setdefault(nbest.segment, []).append((nbest.candidates, features.values))
            if scored is not None:
                try:
                    scored.append((features.values, parse_scores(nbest)))
                except InputError:  # lists need no scores
                    scored = None
    if first is None:
        raise InputError("there are no n-best lists")
    order = sorted(by_segment)
    joined = [_join(by_segment[segment]) for segment in order]
    return CandidatePool(
        tuple(column.taken(rows) for column, _, rows in joined),
        np.array(order, np.intp),
        first[0],
        np.concatenate([values[rows] for _, values, rows in joined]),
        fit_weights(scored) if scored else None,
        sum(len(column) - len(rows) for column, _, rows in joined),
    )


def _join(lists: Sequence[tuple[Segments, Floats]]) -> tuple[Segments, Floats, NDArray[np.intp]]:
    """Return the candidates of a segment, and the places of the first of each group of equal ones."""
    column = lists[0][0] if len(lists) == 1 else Segments.joined([texts for texts, _ in lists])
    values = np.concatenate([features for _, features in lists])
    numbers: dict[str, int] = {}
    same = np.fromiter((numbers.setdefault(text, len(numbers)) for text in column), np.float64, len(column))
    rows = np.ascontiguousarray(np.column_stack([same, values + 0.0]))  # turns -0 into 0
    keys = rows.view(np.dtype((np.void, rows.strides[0]))).ravel()
    return column, values, np.sort(np.unique(keys, return_index=True)[1])


def fit_weights(lists: Sequence[tuple[Floats, Floats]]) -> Floats | None:
    """Return the weights of the model if its scores are a weighted sum of the features; None otherwise.

    Each list is its features and scores. Only differences within a list matter, so means are subtracted.
    """
    features = np.concatenate([rows - rows.mean(axis=0) for rows, _ in lists])
    scores = np.concatenate([column - column.mean() for _, column in lists])
    weights: Floats = np.linalg.lstsq(features, scores, rcond=None)[0]
    error = np.abs(features @ weights - scores).max()
    largest = np.abs(weights).max()
    if largest == 0 or error > _TOLERANCE * scores.std():
        return None
    rounded: Floats = np.round(weights / largest, _DIGITS) + 0.0  # turns -0 into 0
    return rounded


def pool_statistics(
    pool: CandidatePool, references: TestSet, metrics: Sequence[Metric], encoding: Encoding, jobs: int | None = None
) -> list[Floats]:
    """Return float64[candidates, k] for each metric, in the order of the pool."""
    contexts = prepare_contexts(references, metrics, encoding)

    def count(block: tuple[int, int]) -> list[Floats]:
        columns, segments = pool.texts[slice(*block)], pool.segments[slice(*block)]
        bounds = pool.bounds[block[0] : block[1] + 1] - pool.bounds[block[0]]
        streams = [stream.taken(segments) for stream in references.references]
        groups = Groups(np.arange(bounds[-1]), bounds), Groups.of_columns(references.present[:, segments])
        by_metric: dict[int, Floats] = {}
        for way, members in group_by_encoding(metrics, encoding).items():
            batch = Batch.of_groups(columns, streams, *groups, way)
            rows = count_batch([metrics[i] for i in members], batch, [contexts[i] for i in members])
            by_metric |= dict(zip(members, rows, strict=True))
        return [by_metric[i] for i in range(len(metrics))]

    parts = blocks(len(pool.texts), _BATCH_LISTS)
    counted = list(map_ordered(count, parts, len(parts), jobs))
    return [np.concatenate([part[i] for part in counted]) for i in range(len(metrics))]
