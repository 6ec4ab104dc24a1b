"""The best texts of lists under any metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarocco.counting import scores_of_batch
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.metrics.base import Floats, Metric
from tarocco.model import Segments


@dataclass(frozen=True, eq=False)
class Judge:
    """A metric, what it knows of all references, and how text is read."""

    metric: Metric
    context: Any
    encoding: Encoding

    def scores(self, lists: Sequence[Segments], references: Sequence[Segments]) -> list[Floats]:
        """The score of each text of each list, against the references of that list."""
        batch = Batch.of_groups(
            lists, references, _groups(lists), _groups(references), self.metric.reads(self.encoding)
        )
        (scores,) = scores_of_batch([self.metric], batch, [self.context])
        return np.split(scores, np.cumsum(list(map(len, lists)))[:-1])

    def order(self, scores: Floats) -> list[int]:
        """From the best to the worst, equal ones as they come; what has no score comes last."""
        goodness = np.where(np.isnan(scores), -np.inf, self.metric.sign * scores)
        return np.argsort(-goodness, kind="stable").tolist()  # type: ignore[no-any-return]


def _groups(texts: Sequence[Segments]) -> Groups:
    """One group a column."""
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum(list(map(len, texts)), dtype=np.intp)])
    return Groups(np.arange(bounds[-1]), bounds)
