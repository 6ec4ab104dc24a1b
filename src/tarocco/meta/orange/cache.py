"""The ranks of references in a store, so that no list is ranked twice. Scores of candidates are not stored.

The key of a block of lists contains everything it was computed from: the metric's signature, the release of its code,
the texts of lists and references, the lengths at which ranks are taken and, for metrics that need all references
before they score, all references. The key of a byte range of a file has its bytes, how they are read, and the rules,
instead of the texts. A stored row is a list: the numbers of candidates above and tied, at each length in turn, and
then those that chance would give.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import CandidateScores, TestSet
from tarocco.encode.tokenizer_plugins import UNVERSIONED
from tarocco.meta.orange.lists import ListBlock
from tarocco.meta.orange.ranking import ExternalScores
from tarocco.meta.orange.rules import EvaluatedMetric, OrangeRules
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import release_of
from tarocco.scoring.cache import WriteBuffer
from tarocco.store.blocks import Series, Store, make_digest

NAME = "ORANGE"  # precedes the metric's name, so that these rows are not taken for its statistics
EXTERNAL = "external"  # the release of external scores


class RankCache:
    """The ranks of one run of ORANGE in a store, by the number of the metric."""

    def __init__(
        self,
        store: Store,
        metrics: Sequence[EvaluatedMetric],
        references: TestSet,
        rules: OrangeRules,
        subject: str,
    ) -> None:
        self.store, self.rules, self.subject, self.segments = store, rules, subject, len(references)
        self.buffer, self.references = WriteBuffer(store), references.references
        self.all_references = make_digest(
            np.ascontiguousarray(references.present),
            *(part for s in references.references for part in (s.text, s.starts)),
        )
        self.content: bytes | None = None
        self.series: dict[int, tuple[str, str, str, bytes]] = {}  # signature, name, release and digest of the three
        self.external: dict[int, list[str]] = {}  # the external scores that a metric uses
        self.rows = 0
        for m, metric in enumerate(metrics):
            releases = [release_of(scorer) if isinstance(scorer, Metric) else EXTERNAL for scorer in metric.scorers]
            if (
                None in releases or UNVERSIONED in metric.signature
            ):  # nothing would distinguish its ranks from those of its next version
                continue
            release = " + ".join(map(str, releases))
            prepares = any(isinstance(scorer, Metric) and scorer.prepares for scorer in metric.scorers)
            how = f"{rules.against} {rules.oracle} with chance"  # earlier releases stored no chance level
            made_by = make_digest(NAME, how, metric.score_signature, release, self.all_references if prepares else b"")
            self.series[m] = (metric.signature, f"{NAME} {metric.name}", release, made_by)
            self.external[m] = [scorer.name for scorer in metric.scorers if isinstance(scorer, CandidateScores)]

    def block_keys(self, block: ListBlock, external: ExternalScores) -> dict[int, bytes]:
        """Return the keys of a block of lists."""
        lists = block.lists
        sizes = np.array([len(part) for texts in block.sets for part in (texts.candidates, texts.references)])
        content = make_digest(
            *(lists.candidates.text, lists.candidates.starts, lists.references.text, lists.references.starts, sizes),
            *(np.concatenate(block.used), np.concatenate(block.lengths)),
        )
        scores = {name: make_digest(*(part for pair in pairs for part in pair)) for name, pairs in external.items()}
        return self._keys(content, scores)

    def range_keys(
        self, chunks: Iterable[bytes], reading: str, first_id: int, segments: tuple[int, int] | None
    ) -> dict[int, bytes]:
        """Return the keys of bytes of a file; `segments` are those that they can be about, if known."""
        references = self.all_references
        if segments is not None:
            columns = [column.rows(*segments) for column in self.references]
            references = make_digest(
                str(segments), *(part for column in columns for part in (column.text, column.starts))
            )
        rules = self.rules  # written in the form of earlier releases, whose blocks stay valid
        selection = (
            f"Selection(n_best={rules.n_best!r}, unique={rules.unique!r}, drop_copies={rules.drop_copies!r}, "
            f"curve={rules.grid!r})"
        )
        return self._keys(
            make_digest(*map(make_digest, chunks), f"({reading}, {first_id!r}, {selection})", references), {}
        )

    def _keys(self, content: bytes, external: Mapping[str, bytes]) -> dict[int, bytes]:
        self.content = self.content or make_digest(self.all_references, content)
        return {
            m: make_digest(made_by + content + b"".join(external[name] for name in self.external[m]))
            for m, (*_, made_by) in self.series.items()
        }

    def get(self, keys: Mapping[int, bytes]) -> dict[int, Floats]:
        """Return what the store has for these keys, one row per list."""
        rows = self.store.get(keys.values())
        return {m: rows[key] for m, key in keys.items() if key in rows}

    def put(self, keys: Mapping[int, bytes], row_counts: Sequence[int], new: Mapping[int, Floats]) -> None:
        """Register the next lists of the run, and store their new counts; calls are in the order of lists."""
        assert self.content is not None
        self.store.register(
            [
                Series(
                    *(signature, metric, release, self.subject, self.content, self.segments),
                    ((self.rows, keys[m]),),
                )
                for m, (signature, metric, release, _) in self.series.items()
            ],
            replace=not self.rows,  # later parts of an earlier run may be outdated
        )
        self.rows += len(row_counts)
        self.buffer.put([(keys[m], fold(counts, row_counts)) for m, counts in new.items() if m in keys])

    def flush(self) -> None:
        """Store what is waiting."""
        self.buffer.flush()


def _places(row_counts: Sequence[int]) -> tuple[NDArray[np.intp], int]:
    """Return where each row of counts goes in a table with one row per list, and the width of that table.

    A list has a row more than lengths, for chance.
    """
    widest = max(row_counts) + 1
    return np.concatenate([s * widest + np.arange(n + 1) for s, n in enumerate(row_counts)]), widest


def fold(counts: Floats, row_counts: Sequence[int]) -> Floats:
    """Turn counts with one row per list and length into a table with one row per list."""
    places, widest = _places(row_counts)
    table = np.zeros((len(row_counts) * widest, 2))
    table[places] = counts
    return table.reshape(len(row_counts), 2 * widest)


def unfold(table: Floats, row_counts: Sequence[int]) -> Floats:
    """Return the counts in such a table."""
    return table.reshape(-1, 2)[_places(row_counts)[0]]
