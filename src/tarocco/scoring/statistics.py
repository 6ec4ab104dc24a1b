"""From a test set to statistics: workers encode blocks of segments and count them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError, TextRefused
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import count_batch, find_analyzer, group_by_encoding, prepare_contexts
from tarocco.metrics.pairs import count_pairs
from tarocco.parallel.fan_out import map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.annotate.cache import Annotations
    from tarocco.scoring.cache import StatisticsCache
    from tarocco.scoring.settings import Workers
    from tarocco.store import Store

SYSTEMS = 8  # counted together, to share what is computed of the references; results do not depend on it


@dataclass(frozen=True, eq=False)
class BlockTask:
    """Rows of some systems and of all references, and the metrics to count: everything that a worker needs."""

    systems: tuple[Segments, ...]
    references: tuple[Segments, ...]
    present: NDArray[np.bool_]
    metrics: tuple[Metric, ...]
    encoding: Encoding
    annotations: Annotations | None = None  # of these texts, for workers in other processes


class BlockIndex(NamedTuple):
    """The segments, systems and metrics of a task."""

    block: tuple[int, int]
    systems: tuple[int, ...]
    metrics: tuple[int, ...]


def count(contexts: Mapping[Metric, Any], task: BlockTask) -> list[Floats]:
    """Return float64[systems, rows, k] for each metric; `contexts` are what metrics prepared on all references."""
    if task.annotations is not None:
        from tarocco.annotate.cache import load_annotations

        load_annotations(task.annotations)
    statistics: dict[int, Floats] = {}
    for encoding, members in group_by_encoding(task.metrics, task.encoding).items():
        if len(task.systems) == len(task.references) == 1:
            of_pairs = count_pairs([task.metrics[i] for i in members], encoding, task.systems[0], task.references[0])
            if of_pairs is not None:
                statistics |= {i: rows[None] for i, rows in zip(members, of_pairs, strict=True)}
                continue
        batch = Batch.of_columns(task.systems, task.references, task.present, encoding)
        by_system = np.argsort(batch.candidate_groups.rows)  # the batch is ordered by segment
        metrics = [task.metrics[i] for i in members]
        counted = count_batch(metrics, batch, [contexts.get(metric) for metric in metrics])
        for i, rows in zip(members, counted, strict=True):
            statistics[i] = rows[by_system].reshape(len(task.systems), -1, rows.shape[-1])
    return [statistics[i] for i in range(len(task.metrics))]


def compute_statistics(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    workers: Workers,
    cache: StatisticsCache | None = None,
) -> list[Floats]:
    """Return float64[systems, segments, k] for each metric.

    With a cache, stored blocks are read and computed blocks are stored. (`workers.store` is not used.)
    """
    systems = list(test_set.systems.values())
    progress = workers.progress or (lambda _count: None)
    statistics: dict[int, Floats] = {}

    def fill(block: tuple[int, int], new: Mapping[tuple[int, int], Floats]) -> None:
        for (m, s), rows in new.items():
            if m not in statistics:
                statistics[m] = np.empty((len(systems), len(test_set), rows.shape[-1]))
            statistics[m][s, slice(*block)] = rows
        if new:
            progress(len(new) * (block[1] - block[0]))

    missing: list[BlockIndex] = []
    for block in test_set.blocks:
        stored = {}
        if cache is not None:
            stored = cache.get(block)
            fill(block, stored)
        missing += _find_missing(block, stored, len(metrics), len(systems))
    needed = [metrics[m] for m in dict.fromkeys(m for index in missing for m in index.metrics)]
    texts = (systems[s].rows(*index.block) for index in missing for s in index.systems)
    store = None if cache is None else cache.store
    with _locating_texts(test_set):
        analyze_texts(chain(test_set.references, texts), needed, encoding, store, workers.executor)
        contexts = dict(zip(metrics, prepare_contexts(test_set, metrics, encoding), strict=True)) if missing else {}

    def tasks() -> Iterator[BlockTask]:
        for block, of_systems, of_metrics in missing:
            candidates = tuple(systems[s].rows(*block) for s in of_systems)
            references = tuple(stream.rows(*block) for stream in test_set.references)
            chosen = tuple(metrics[m] for m in of_metrics)
            annotations = (
                None if workers.executor is None else annotations_for((*candidates, *references), chosen, encoding)
            )
            present = test_set.present[:, slice(*block)]
            yield BlockTask(candidates, references, present, chosen, encoding, annotations)

    counted = map_ordered(partial(count, contexts), tasks(), len(missing), workers.jobs, workers.executor)
    with _locating_texts(test_set):
        for (block, of_systems, of_metrics), by_metric in zip(missing, counted, strict=True):
            new = {
                (m, s): rows
                for m, by_system in zip(of_metrics, by_metric, strict=True)
                for s, rows in zip(of_systems, by_system, strict=True)
            }
            if cache is not None:
                cache.put(block, new)
            fill(block, new)
    return [statistics[m] for m in range(len(metrics))]


def analyze_texts(
    columns: Iterable[Segments],
    metrics: Sequence[Metric],
    encoding: Encoding,
    store: Store | None,
    executor: Executor | None = None,
) -> None:
    """Analyze texts in the driver, before workers count them, if some metric needs an analyzer."""
    analyzer = find_analyzer(metrics, encoding)
    if analyzer is not None:
        from tarocco.annotate.cache import annotate_texts

        annotate_texts(list(chain.from_iterable(columns)), analyzer, store, executor=executor)


@contextmanager
def _locating_texts(test_set: TestSet) -> Iterator[None]:
    """Add to the message about a rejected text where it is in the test set."""
    try:
        yield
    except TextRefused as refused:
        raise InputError(f"{_locate(refused.text, test_set)}: {refused.reason}") from None


def _locate(text: str, test_set: TestSet) -> str:
    """Return the first position of a text in a test set."""
    names = test_set.reference_names or [f"reference {number}" for number in range(1, len(test_set.references) + 1)]
    columns = [*test_set.systems.items(), *zip(names, test_set.references, strict=True)]
    places = (
        f"{name}, segment {n}" for name, column in columns for n, segment in enumerate(column, 1) if segment == text
    )
    return next(places)


def annotations_for(columns: Iterable[Segments], metrics: Sequence[Metric], encoding: Encoding) -> Annotations | None:
    """Return the run's annotations of texts, for workers in other processes; None if no metric needs them."""
    analyzer = find_analyzer(metrics, encoding)
    if analyzer is None:
        return None
    from tarocco.annotate.cache import collect_annotations

    return collect_annotations(list(chain.from_iterable(columns)), analyzer)


def _find_missing(
    block: tuple[int, int], known: Mapping[tuple[int, int], Floats], metrics: int, systems: int
) -> list[BlockIndex]:
    """Return the tasks for what a store lacks of a block, each short enough for a quick Ctrl-C."""
    by_systems: dict[tuple[int, ...], list[int]] = {}
    for m in range(metrics):
        missing = tuple(s for s in range(systems) if (m, s) not in known)
        by_systems.setdefault(missing, []).append(m)
    return [
        BlockIndex(block, missing[first : first + SYSTEMS], tuple(of_metrics))
        for missing, of_metrics in by_systems.items()
        for first in range(0, len(missing), SYSTEMS)
    ]
