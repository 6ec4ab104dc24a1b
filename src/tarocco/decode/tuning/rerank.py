"""The best candidates of n-best lists with given weights: `tarocco rerank`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.records import ResultTable
from tarocco.decode.tuning.mert import choice, weighted
from tarocco.decode.tuning.pool import Pool, Weights
from tarocco.decode.tuning.tune import GivenWeights, Path, paths_of, read_pool
from tarocco.io.weights import weights_of
from tarocco.metrics.base import Floats

MOST_LINES = 10_000_000  # where nearly all of them would be empty: an id may be any number


@dataclass(frozen=True, eq=False)
class RerankResult(ResultTable):
    """What weights choose: the text of each list, its place in the list (from 1) and its weighted sum of features.

    `segments` are the numbers (from 0) of the segments that have a list.
    """

    weights: Weights
    segments: NDArray[np.intp]
    texts: tuple[str, ...]
    places: NDArray[np.intp]
    scores: Floats

    def __repr__(self) -> str:
        return f"<the best of {len(self.texts)} lists with {dict(self.weights)}>"

    def lines(self) -> list[str]:
        """A line a segment, up to the last that has a list; an empty one where there is none."""
        n = int(self.segments[-1]) + 1
        if n > MOST_LINES and n > 100 * len(self.segments):
            raise InputError(
                f"the last of {len(self.segments)} lists is that of segment {n}: nearly all lines were empty"
            )
        lines = [""] * n
        for segment, text in zip(self.segments.tolist(), self.texts, strict=True):
            lines[segment] = text
        return lines

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a list; segments are counted from 1."""
        columns = (self.segments + 1).tolist(), self.places.tolist(), self.scores.tolist(), self.texts
        return [
            {"segment": segment, "place": place, "score": score, "text": text}
            for segment, place, score, text in zip(*columns, strict=True)
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco rerank -f json` prints under "results"."""
        return self.rows()


def rerank(nbest: Path | Sequence[Path], weights: GivenWeights, *, first_id: int = 0) -> RerankResult:
    """The best candidate of each list with these weights, the first of equals.

    Parameters
    ----------
    nbest
        A file of n-best lists with features, or several: lists of the same segment are merged, as in `tarocco.tune`.
    weights
        Of all features, such as {"lm": [0.5, 0.2], "w": -0.1}, or `tarocco.tune(...).weights`.
    first_id
        The first segment's id in the files.
    """
    checked = weights_of(weights)
    return rerank_pool(read_pool(paths_of(nbest), None, first_id), checked)


def rerank_pool(pool: Pool, weights: Weights, where: str = "weights") -> RerankResult:
    """The best of lists that have been read; messages call the weights `where`."""
    scores = weighted(pool.features.T, pool.layout.vector(weights, where))
    best = choice(scores, pool.bounds)
    return RerankResult(
        weights, pool.segments, tuple(pool.chosen_texts(best)), best - pool.bounds[:-1] + 1, scores[best]
    )
