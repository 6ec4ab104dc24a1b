"""What choosing gained, by human references: the first candidates, the choices, and the best candidates there are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import Segments, TestSet
from tarocco.decode.mbr.results import Choice, Gain
from tarocco.decode.mbr.rules import Rules
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.io.nbest.lists import NBestList
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.metrics.base import Floats, Metric
from tarocco.parallel.fan_out import blocks, map_ordered
from tarocco.scoring.score import score_test_set
from tarocco.scoring.statistics import contexts_of, scores_of_batch

if TYPE_CHECKING:
    from concurrent.futures import Executor

_LISTS = 64  # scored together


def gains_of(
    lists: Sequence[NBestList],
    choices: Sequence[Choice],
    references: TestSet,
    judges: Sequence[Metric],
    rules: Rules,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> tuple[Gain, ...]:
    """Corpus scores under each judge, over the segments that have a list.

    The oracle of a metric is the candidate of each list with the best segment score under it, of equals the first.
    """
    segments = np.array([one.segment for one in lists], np.intp)
    own = TestSet({}, tuple(stream.taken(segments) for stream in references.references))
    texts = [one.candidates.rows(0, choice.n_candidates) for one, choice in zip(lists, choices, strict=True)]
    first = Segments.joined([column.rows(0, 1) for column in texts])
    mbr = Segments.from_strings([choice.text for choice in choices])
    gains = []
    for metric in judges:
        places = _best(texts, own, metric, rules, jobs, executor)
        oracle = Segments.joined([column.rows(at, at + 1) for column, at in zip(texts, places.tolist(), strict=True)])
        systems = TestSet({"first": first, "mbr": mbr, "oracle": oracle}, own.references)
        result = score_test_set(systems, [metric], rules.encoding, jobs=jobs, executor=executor)
        of_first, of_mbr, of_oracle = result.scores
        gains.append(
            Gain(
                *(str(metric), of_first.signature, metric.scale),
                *(of_first.score, of_mbr.score, of_oracle.score, float(np.mean(places + 1))),
            )
        )
    return tuple(gains)


def _best(
    texts: Sequence[Segments],
    references: TestSet,
    metric: Metric,
    rules: Rules,
    jobs: int | None,
    executor: Executor | None,
) -> NDArray[np.intp]:
    """The place of the best candidate of each list."""
    (context,) = contexts_of(references, [metric], rules.encoding)
    parts = blocks(len(texts), _LISTS)
    works = (
        (
            texts[slice(*block)],
            [stream.rows(*block) for stream in references.references],
            references.present[:, slice(*block)],
        )
        for block in parts
    )
    scored = partial(_scored, metric, context, metric.reads(rules.encoding))
    found = [np.argmax(one) for part in map_ordered(scored, works, len(parts), jobs, executor) for one in part]
    return np.array(found, np.intp)


def _scored(
    metric: Metric, context: Any, way: Encoding, work: tuple[Sequence[Segments], Sequence[Segments], NDArray[np.bool_]]
) -> list[Floats]:
    """How good the candidates of some lists are; what has no score is worst."""
    lists, streams, present = work
    candidates = Segments.joined(lists)
    bounds = np.cumsum([0, *map(len, lists)], dtype=np.intp)
    groups = Groups(np.arange(len(candidates)), bounds), Groups.of_columns(present)
    batch = Batch.of_groups([candidates], streams, *groups, way)
    (scores,) = scores_of_batch([metric], batch, [context])
    return np.split(round_last_bits(np.where(np.isnan(scores), -np.inf, metric.sign * scores)), bounds[1:-1])
