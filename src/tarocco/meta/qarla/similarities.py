"""How near every text is to every other one, under every metric: what QARLA judges by (Amigo et al. 2005).

Each text is scored against one other alone, as if that were the only reference there is: a row of `to_references` is a
run of `tarocco score` with one reference, in which the systems and all other references are scored. So the numbers are
those of the metrics, what they know of a whole stream of references (NIST) comes from that stream, and a store keeps
them block by block like any other scores.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.io.scores.external import ScoresMissing
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.external import External
from tarocco.parallel.fan_out import check_jobs
from tarocco.scoring.score import kept_in, score_signature
from tarocco.scoring.statistics import compute_statistics

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


@dataclass(frozen=True, eq=False)
class Similarities:
    """How near texts are to each other; higher is nearer, errors count as 1 - error.

    A segment's texts are its systems' translations and then its references: text A + r is reference r itself. NaN
    where one of the two is missing, where they are the same text, and where a metric has no score for them.
    """

    metrics: tuple[str, ...]
    signatures: tuple[str, ...]
    systems: tuple[str, ...]
    references: tuple[str, ...]
    present: NDArray[np.bool_]  # [segments, references]: whether a segment has a reference
    to_references: Floats  # [metrics, segments, systems + references, references]
    to_systems: Floats | None = None  # [metrics, segments, systems, systems]; JACK alone needs it

    @property
    def n_segments(self) -> int:
        return len(self.present)

    def chosen(
        self,
        *,
        metrics: Sequence[int] | None = None,
        systems: Sequence[int] | None = None,
        references: Sequence[int] | None = None,
        segments: Sequence[int] | None = None,
    ) -> Similarities:
        """These alone, by their numbers, in the order given; all where nothing is said."""
        m, a, r, s = (
            np.arange(size) if given is None else np.asarray(given, np.intp)
            for given, size in zip(
                (metrics, systems, references, segments),
                (len(self.metrics), len(self.systems), len(self.references), self.n_segments),
                strict=True,
            )
        )
        texts = np.concatenate([a, len(self.systems) + r])
        return Similarities(
            tuple(self.metrics[i] for i in m),
            tuple(self.signatures[i] for i in m),
            tuple(self.systems[i] for i in a),
            tuple(self.references[i] for i in r),
            self.present[np.ix_(s, r)],
            self.to_references[np.ix_(m, s, texts, r)],
            None if self.to_systems is None else self.to_systems[np.ix_(m, s, a, a)],
        )


def compute_similarities(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    *,
    between_systems: bool = False,
    jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> Similarities:
    """Score every text against every reference, and every system against every other one if asked for.

    `advance` is told how many more scores there are, of `count_similarities` in all.
    """
    check_jobs(jobs)
    texts = _texts(test_set)
    names, systems = list(texts), len(test_set.systems)
    computed = [i for i, metric in enumerate(metrics) if not isinstance(metric, External)]
    from_text = [metrics[i] for i in computed]
    signatures = [score_signature(metric, encoding, 1) for metric in metrics]
    own = [signatures[i] for i in computed]
    near = np.full((len(metrics), len(test_set), len(texts), len(texts)), np.nan)
    with _opened(store) as opened:
        for target in range(0 if between_systems else systems, len(texts)):
            others = {
                name: text
                for t, (name, text) in enumerate(texts.items())
                if t != target and (t < systems or target >= systems)
            }
            alone = TestSet(others, (texts[names[target]],))
            with kept_in(opened, alone, from_text, own) as kept:
                counted = compute_statistics(alone, from_text, encoding, jobs, advance, kept, executor)
            at = [names.index(name) for name in others]
            for i, metric, rows in zip(computed, from_text, counted, strict=True):
                near[i, :, at, target] = metric.score(rows)
    for i, metric in enumerate(metrics):
        if isinstance(metric, External):
            _fill_in(near[i], metric, test_set, between_systems)
        if metric.kind == "error":
            near[i] = 1.0 - near[i]
    present = test_set.present.T
    missing = np.concatenate([np.zeros((len(test_set), systems), np.bool_), ~present], axis=1)
    near[:, missing] = np.nan
    np.moveaxis(near, 3, 2)[:, missing] = np.nan
    return Similarities(
        tuple(map(str, metrics)),
        tuple(signatures),
        tuple(test_set.systems),
        test_set.stream_names,
        present,
        round_last_bits(near[..., systems:]),
        round_last_bits(near[:, :, :systems, :systems]) if between_systems else None,
    )


def count_similarities(test_set: TestSet, metrics: Sequence[Metric], between_systems: bool = False) -> int:
    """How many scores `compute_similarities` computes."""
    a, r = len(test_set.systems), len(test_set.references)
    pairs = r * (a + r - 1) + (a * (a - 1) if between_systems else 0)
    return pairs * len(test_set) * sum(not isinstance(metric, External) for metric in metrics)


def _texts(test_set: TestSet) -> dict[str, Segments]:
    """Systems and references by the names that a store lists them under."""
    of_references = {
        f"reference {name}": stream for name, stream in zip(test_set.stream_names, test_set.references, strict=True)
    }
    both = set(of_references) & set(test_set.systems)
    if both or len(of_references) < len(test_set.references):
        raise InputError(
            f"{', '.join(sorted(both)) or 'some references'}: systems and references need names of their own"
        )
    return {**test_set.systems, **of_references}


def _fill_in(near: Floats, metric: External, test_set: TestSet, between_systems: bool) -> None:
    """What was computed elsewhere for pairs of texts, float64[segments, texts, texts]."""
    pairs: Mapping[tuple[str, str], Floats] = metric.scores.pairs
    if not pairs:
        raise InputError(
            f"{metric}: scores of pairs of texts are wanted here, in columns target, reference, segment and score"
        )
    systems, names = len(test_set.systems), [*test_set.systems, *test_set.stream_names]
    if both := set(test_set.systems) & set(test_set.stream_names):
        raise InputError(
            f"{metric}: {min(both)} is the name of a system and of a reference, so that pairs are ambiguous"
        )
    there = np.concatenate([np.ones((len(near), systems), np.bool_), test_set.present.T], axis=1)
    gaps: list[str] = []
    total = 0
    for target in range(len(names)):
        for text in range(len(names)):
            asked = text != target and (target >= systems or (between_systems and text < systems))
            if not asked:
                continue
            if (names[text], names[target]) not in pairs:
                raise InputError(f"{metric}: there are no scores of {names[text]} against {names[target]}")
            near[:, text, target] = pairs[names[text], names[target]]
            both = there[:, text] & there[:, target]
            total += int(both.sum())
            missing = np.flatnonzero(both & np.isnan(near[:, text, target])) + 1
            gaps += [f"{names[text]} against {names[target]}, segment {segment}" for segment in missing.tolist()]
    if gaps:
        warnings.warn(
            f"{metric}: {len(gaps)} of {total} scores of pairs are missing, the first of {gaps[0]}; "
            "where one is missing, the metric puts no test",
            ScoresMissing,
            stacklevel=2,
        )


@contextmanager
def _opened(store: Store | str | Path | None) -> Iterator[Store | None]:
    if store is None:
        yield None
        return
    from tarocco.store import Store  # SQLite, which a run without a store does not need

    if isinstance(store, Store):
        yield store
    else:
        with Store(store) as opened:
            yield opened
