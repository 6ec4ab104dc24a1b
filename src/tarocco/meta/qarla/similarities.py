"""How similar every text is to every other text under every metric: the input of QARLA (Amigó et al. 2005).

Each text is scored against one other text alone, as if that were its only reference. All scores against one text are
one run of `tarocco score` with that text as the reference and all others as systems, so the numbers are the metrics'
usual ones, corpus-wide statistics (NIST) come from the whole stream of references, and a store caches the blocks.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
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
from tarocco.scoring.score import open_statistics_cache
from tarocco.scoring.settings import WORKERS, Workers
from tarocco.scoring.statistics import compute_statistics

if TYPE_CHECKING:
    from tarocco.store import Store


@dataclass(frozen=True, eq=False)
class TextSimilarities:
    """The similarity of every text to every reference; higher is more similar, and errors count as 1 - error.

    The texts of a segment are the translations of its systems, then its references: text A + r is reference r. A value
    is NaN where one of the two texts is missing, where both are the same text, and where a metric has no score.
    """

    metrics: tuple[str, ...]
    signatures: tuple[str, ...]
    systems: tuple[str, ...]
    references: tuple[str, ...]
    present: NDArray[np.bool_]  # [segments, references]: whether a segment has a reference
    to_references: Floats  # [metrics, segments, systems + references, references]
    to_systems: Floats | None = None  # [metrics, segments, systems, systems]; only JACK needs it
    lengths: Floats | None = None  # [segments, systems + references]: bytes of each text, if texts are known
    documents: tuple[str, ...] | None = None  # of the segments, if known: they are redrawn as wholes

    @property
    def n_segments(self) -> int:
        return len(self.present)

    def select(
        self,
        *,
        metrics: Sequence[int] | None = None,
        systems: Sequence[int] | None = None,
        references: Sequence[int] | None = None,
        segments: Sequence[int] | None = None,
    ) -> TextSimilarities:
        """Return only these metrics, systems, references and segments, by index; None selects all."""
        m, a, r, s = (
            np.arange(size) if indices is None else np.asarray(indices, np.intp)
            for indices, size in zip(
                (metrics, systems, references, segments),
                (len(self.metrics), len(self.systems), len(self.references), self.n_segments),
                strict=True,
            )
        )
        texts = np.concatenate([a, len(self.systems) + r])
        return TextSimilarities(
            tuple(self.metrics[i] for i in m),
            tuple(self.signatures[i] for i in m),
            tuple(self.systems[i] for i in a),
            tuple(self.references[i] for i in r),
            self.present[np.ix_(s, r)],
            self.to_references[np.ix_(m, s, texts, r)],
            None if self.to_systems is None else self.to_systems[np.ix_(m, s, a, a)],
            None if self.lengths is None else self.lengths[np.ix_(s, texts)],
            None if self.documents is None else tuple(self.documents[i] for i in s),
        )


def compute_similarities(
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    *,
    between_systems: bool = False,
    workers: Workers = WORKERS,
) -> TextSimilarities:
    """Score every text against every reference and, if `between_systems`, every system against every other system.

    `workers.progress` counts scores, `count_similarities` in total.
    """
    texts = _name_texts(test_set)
    names, systems = list(texts), len(test_set.systems)
    computed = [i for i, metric in enumerate(metrics) if not isinstance(metric, External)]
    from_text = [metrics[i] for i in computed]
    signatures = [metric.signature(encoding, 1) for metric in metrics]
    computed_signatures = [signatures[i] for i in computed]
    first_target = 0 if between_systems else systems  # targets before it, and similarities to them, do not exist
    near = np.full((len(metrics), len(test_set), len(texts), len(texts) - first_target), np.nan)
    with _open_store(workers.store) as store:
        for target in range(first_target, len(texts)):
            others = {
                name: text
                for t, (name, text) in enumerate(texts.items())
                if t != target and (t < systems or target >= systems)
            }
            run = TestSet(others, (texts[names[target]],))
            with open_statistics_cache(store, run, from_text, computed_signatures) as cached:
                rows_by_metric = compute_statistics(run, from_text, encoding, workers, cached)
            columns = [names.index(name) for name in others]
            for i, metric, rows in zip(computed, from_text, rows_by_metric, strict=True):
                near[i, :, columns, target - first_target] = metric.score(rows)
    for i, metric in enumerate(metrics):
        if isinstance(metric, External):
            _insert_external(near[i], metric, test_set, between_systems, first_target)
        if metric.kind == "error":
            near[i] = 1.0 - near[i]
    present = test_set.present.T
    missing = np.concatenate([np.zeros((len(test_set), systems), np.bool_), ~present], axis=1)
    near[:, missing] = np.nan
    np.moveaxis(near, 3, 2)[:, missing[:, first_target:]] = np.nan
    return TextSimilarities(
        tuple(map(str, metrics)),
        tuple(signatures),
        tuple(test_set.systems),
        test_set.stream_names,
        present,
        round_last_bits(near[..., systems - first_target :]),
        round_last_bits(near[:, :, :systems, :systems]) if between_systems else None,
        np.stack([np.diff(text.starts) for text in texts.values()], axis=1).astype(np.float64),
        test_set.documents,
    )


def count_similarities(test_set: TestSet, metrics: Sequence[Metric], between_systems: bool = False) -> int:
    """Return how many scores `compute_similarities` computes."""
    a, r = len(test_set.systems), len(test_set.references)
    pairs = r * (a + r - 1) + (a * (a - 1) if between_systems else 0)
    return pairs * len(test_set) * sum(not isinstance(metric, External) for metric in metrics)


def _name_texts(test_set: TestSet) -> dict[str, Segments]:
    """Return systems and references under the names that a store lists."""
    references = {
        f"reference {name}": stream for name, stream in zip(test_set.stream_names, test_set.references, strict=True)
    }
    shared = set(references) & set(test_set.systems)
    if shared or len(references) < len(test_set.references):
        raise InputError(
            f"{', '.join(sorted(shared)) or 'some references'}: systems and references must have different names"
        )
    return {**test_set.systems, **references}


def _insert_external(
    near: Floats, metric: External, test_set: TestSet, between_systems: bool, first_target: int
) -> None:
    """Fill float64[segments, texts, targets] with external scores of pairs of texts."""
    pairs: Mapping[tuple[str, str], Floats] = metric.scores.pairs
    if not pairs:
        raise InputError(
            f"{metric}: expected scores of pairs of texts, in columns target, reference, segment and score"
        )
    systems, names = len(test_set.systems), [*test_set.systems, *test_set.stream_names]
    if shared := set(test_set.systems) & set(test_set.stream_names):
        raise InputError(f"{metric}: {min(shared)} names both a system and a reference, so its pairs are ambiguous")
    present = np.concatenate([np.ones((len(near), systems), np.bool_), test_set.present.T], axis=1)
    gaps: list[str] = []
    total = 0
    for target in range(len(names)):
        for text in range(len(names)):
            needed = text != target and (target >= systems or (between_systems and text < systems))
            if not needed:
                continue
            if (names[text], names[target]) not in pairs:
                raise InputError(f"{metric}: no scores of {names[text]} against {names[target]}")
            scores = pairs[names[text], names[target]]
            near[:, text, target - first_target] = scores
            both = present[:, text] & present[:, target]
            total += int(both.sum())
            missing = np.flatnonzero(both & np.isnan(scores)) + 1
            gaps += [f"{names[text]} against {names[target]}, segment {segment}" for segment in missing.tolist()]
    if gaps:
        warnings.warn(
            f"{metric}: {len(gaps)} of {total} scores of pairs are missing (first: {gaps[0]}); the metric does not "
            "test samples without a score",
            ScoresMissing,
            stacklevel=2,
        )


@contextmanager
def _open_store(store: Store | str | Path | None) -> Iterator[Store | None]:
    if store is None:
        yield None
        return
    from tarocco.store import Store  # imports SQLite, which a run without a store does not need

    if isinstance(store, Store):
        yield store
    else:
        with Store(store) as opened:
            yield opened
