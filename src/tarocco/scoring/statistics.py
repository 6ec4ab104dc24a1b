"""From a test set to statistics: blocks of segments are encoded and counted, in threads or wherever workers are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError, PluginError, TextRefused
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Floats, Metric, OnePassMetric
from tarocco.parallel.fan_out import blocks, map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.annotate.cache import Told
    from tarocco.scoring.cache import Kept
    from tarocco.store import Store

SYSTEMS = 8  # that are counted together: they share what is prepared of the references; results do not depend on it


@dataclass(frozen=True, eq=False)
class Work:
    """Rows of some systems and of all references, and the metrics to count there: all that a worker needs."""

    systems: tuple[Segments, ...]
    references: tuple[Segments, ...]
    present: NDArray[np.bool_]
    metrics: tuple[Metric, ...]
    encoding: Encoding
    told: Told | None = None  # what an analyzer said of the texts, where it may not be in the worker's process


def count(contexts: Mapping[Metric, Any], work: Work) -> list[Floats]:
    """For each metric float64[systems, rows, k]; `contexts` are what metrics know of all references."""
    if work.told is not None:
        from tarocco.annotate.cache import learn

        learn(work.told)
    found: dict[int, Floats] = {}
    for way, members in by_reading(work.metrics, work.encoding).items():
        batch = Batch.of_columns(work.systems, work.references, work.present, way)
        back = np.argsort(batch.candidate_groups.rows)  # from segment by segment to system by system
        of_way = [work.metrics[i] for i in members]
        own = statistics_of_batch(of_way, batch, [contexts.get(metric) for metric in of_way])
        for i, rows in zip(members, own, strict=True):
            found[i] = rows[back].reshape(len(work.systems), -1, rows.shape[-1])
    return [found[i] for i in range(len(work.metrics))]


def compute_statistics(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    jobs: int | None = None,
    advance: Callable[[int], object] | None = None,
    kept: Kept | None = None,
    executor: Executor | None = None,
) -> list[Floats]:
    """For each metric float64[systems, segments, k].

    With `kept`, what a store has is taken from there, and what is computed is stored, block by block.
    """
    systems = list(test_set.systems.values())
    out: dict[int, Floats] = {}

    def fill(block: tuple[int, int], rows: Mapping[tuple[int, int], Floats]) -> None:
        for (m, s), of_system in rows.items():
            if m not in out:
                out[m] = np.empty((len(systems), len(test_set), of_system.shape[-1]))
            out[m][s, slice(*block)] = of_system

    pieces: list[Piece] = []
    for block in test_set.blocks:
        known = kept.get(block) if kept is not None else {}
        fill(block, known)
        pieces += _missing(block, known, len(metrics), len(systems))
        if known and advance is not None:
            advance(len(known) * (block[1] - block[0]))
    wanted = [metrics[m] for m in dict.fromkeys(m for piece in pieces for m in piece.metrics)]
    missing = [systems[s].rows(*piece.block) for piece in pieces for s in piece.systems]
    with _telling_where(test_set):
        analyze((*test_set.references, *missing), wanted, encoding, None if kept is None else kept.store, executor)
        contexts = dict(zip(metrics, contexts_of(test_set, metrics, encoding), strict=True)) if pieces else {}

    def works() -> Iterator[Work]:
        for block, of_systems, of_metrics in pieces:
            candidates = tuple(systems[s].rows(*block) for s in of_systems)
            references = tuple(stream.rows(*block) for stream in test_set.references)
            own = tuple(metrics[m] for m in of_metrics)
            yield Work(
                candidates,
                references,
                test_set.present[:, slice(*block)],
                own,
                encoding,
                None if executor is None else told_of((*candidates, *references), own, encoding),
            )

    counted = map_ordered(partial(count, contexts), works(), len(pieces), jobs, executor)
    with _telling_where(test_set):
        for (block, of_systems, of_metrics), of_piece in zip(pieces, counted, strict=True):
            new = {
                (m, s): rows
                for m, of_metric in zip(of_metrics, of_piece, strict=True)
                for s, rows in zip(of_systems, of_metric, strict=True)
            }
            if kept is not None:
                kept.put(block, new)
            fill(block, new)
            if advance is not None:
                advance(len(new) * (block[1] - block[0]))
    return [out[m] for m in range(len(metrics))]


def analyze(
    columns: Iterable[Segments],
    metrics: Sequence[Metric],
    encoding: Encoding,
    store: Store | None,
    executor: Executor | None = None,
) -> None:
    """Let the run's analyzer see texts before they are counted: here, where a store and a terminal are at hand."""
    analyzer = _analyzer_of(metrics, encoding)
    if analyzer is not None:
        from tarocco.annotate.cache import annotated  # most metrics need none

        annotated(list(chain.from_iterable(columns)), analyzer, store, executor=executor)


@contextmanager
def _telling_where(test_set: TestSet) -> Iterator[None]:
    """Say of a text that is refused where in a test set it stands."""
    try:
        yield
    except TextRefused as refused:
        raise InputError(f"{_where(refused.text, test_set)}: {refused.reason}") from None


def _where(text: str, test_set: TestSet) -> str:
    """The first place of a test set that has a text."""
    names = test_set.reference_names or [f"reference {number}" for number in range(1, len(test_set.references) + 1)]
    columns = [*test_set.systems.items(), *zip(names, test_set.references, strict=True)]
    places = (f"{name}, segment {n}" for name, column in columns for n, one in enumerate(column, 1) if one == text)
    return next(places)


def told_of(columns: Iterable[Segments], metrics: Sequence[Metric], encoding: Encoding) -> Told | None:
    """What the run's analyzer said of texts, for workers in other processes; None if no metric needs one."""
    analyzer = _analyzer_of(metrics, encoding)
    if analyzer is None:
        return None
    from tarocco.annotate.cache import told

    return told(list(chain.from_iterable(columns)), analyzer)


def needs_analysis(metrics: Sequence[Metric], encoding: Encoding) -> bool:
    """Whether some metric looks at more than words."""
    return _analyzer_of(metrics, encoding) is not None


def _analyzer_of(metrics: Sequence[Metric], encoding: Encoding) -> str | None:
    """A run has one analyzer, if any of its metrics needs one."""
    return next((analyzer for one in metrics if (analyzer := one.reads(encoding).analyzer) is not None), None)


class Piece(NamedTuple):
    """What is computed, and stored, at a time."""

    block: tuple[int, int]
    systems: tuple[int, ...]
    metrics: tuple[int, ...]


def _missing(
    block: tuple[int, int], known: Mapping[tuple[int, int], Floats], metrics: int, systems: int
) -> list[Piece]:
    """What a store does not have of a block, in pieces that take no longer than people wait after Ctrl-C."""
    by_systems: dict[tuple[int, ...], list[int]] = {}
    for m in range(metrics):
        missing = tuple(s for s in range(systems) if (m, s) not in known)
        by_systems.setdefault(missing, []).append(m)
    return [
        Piece(block, missing[first:last], tuple(of_metrics))
        for missing, of_metrics in by_systems.items()
        for first, last in blocks(len(missing), SYSTEMS)
    ]


def statistics_of_batch(metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]) -> list[Floats]:
    """The statistics of each metric; metrics of a family are computed together, in one pass over the words."""
    found: dict[int, Floats] = {}
    for members, measured in _measured(metrics, batch, contexts):
        for i in members:
            metric = metrics[i]
            rows = metric.statistics(batch, contexts[i]) if measured is None else metric.columns(measured)  # type: ignore[attr-defined]
            found[i] = _checked(rows, metric, batch)
    return [found[i] for i in range(len(metrics))]


def scores_of_batch(metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]) -> list[Floats]:
    """The score of every row of the batch's statistics, for each metric."""
    found: dict[int, Floats] = {}
    for members, measured in _measured(metrics, batch, contexts):
        for i in members:
            metric = metrics[i]
            if measured is None:
                found[i] = metric.score(_checked(metric.statistics(batch, contexts[i]), metric, batch))
            else:
                found[i] = metric.scores(measured)  # type: ignore[attr-defined]
    return [found[i] for i in range(len(metrics))]


def _measured(
    metrics: Sequence[Metric], batch: Batch, contexts: Sequence[Any]
) -> Iterator[tuple[list[int], Any | None]]:
    """The metrics that are measured together, and what was measured; None for one that is not made of a measurement."""
    passes: dict[Hashable, list[int]] = {}
    for i, metric in enumerate(metrics):
        passes.setdefault(_pass_of(metric), []).append(i)
    for members in passes.values():
        first = metrics[members[0]]
        if _is_measured(first):
            yield members, first.measure([metrics[i] for i in members], batch, contexts[members[0]])
        else:
            yield members, None


def _checked(rows: Floats, metric: Metric, batch: Batch) -> Floats:
    if np.ndim(rows) != 2 or len(rows) != len(batch):
        raise PluginError(
            f"{metric}: statistics gave an array of shape {np.shape(rows)}, "
            f"but one row for each of {len(batch)} candidates is wanted"
        )
    return np.asarray(rows, np.float64)


def by_reading(metrics: Sequence[Metric], asked: Encoding) -> dict[Encoding, list[int]]:
    """Which metrics read text in which way; the text is encoded once for each."""
    ways: dict[Encoding, list[int]] = {}
    for i, metric in enumerate(metrics):
        ways.setdefault(metric.reads(asked), []).append(i)
    return ways


def _pass_of(metric: Metric) -> Hashable:
    """Metrics with equal answers are measured together: in the same way, with the same context."""
    if _is_measured(metric):
        return type(metric).measure.__func__, metric.context_key if metric.prepares else None  # type: ignore[attr-defined]
    return metric


def _is_measured(metric: Metric) -> TypeGuard[OnePassMetric]:
    return isinstance(metric, OnePassMetric) and type(metric).statistics is OnePassMetric.statistics


def contexts_of(test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding) -> list[Any]:
    """What each metric knows of all references; metrics with the same key that read alike share it."""
    found: list[Any] = [None] * len(metrics)
    preparing = [metric for metric in metrics if metric.prepares]
    for way in by_reading(preparing, encoding):
        references, shared = Batch.of_columns([], test_set.references, test_set.present, way), {}
        for i, metric in enumerate(metrics):
            if metric.prepares and metric.reads(encoding) == way:
                if metric.context_key not in shared:
                    shared[metric.context_key] = metric.prepare(references)
                found[i] = shared[metric.context_key]
    return found
