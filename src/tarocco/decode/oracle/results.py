"""Results of a search for oracles: texts, scores, and how far the oracles are from the first texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.records import ResultTable, number_or_null
from tarocco.core.test_set import Segments
from tarocco.metrics.base import Floats
from tarocco.scoring.results import Result, Score

FIRST, ORACLE, RIVAL = "1-best", "oracle", "oracle of GRR-4"  # the systems of OracleResult.scores


@dataclass(frozen=True)
class SegmentOracle:
    """The oracle of one segment.

    `behind` is the weight of the best text minus that of the oracle; `rank` is the place in an n-best list, from 1;
    `rival` is the exact oracle under GRR-4, if the oracle is approximate; `k_best` has (text, score).
    """

    segment: int
    text: str
    first: str  # the best text by weight, or the first of a list
    weighted: bool = False
    behind: float | None = None
    rank: int | None = None
    rival: str | None = None
    k_best: tuple[tuple[str, float], ...] = ()
    size: int = 0  # the number of arcs, edges or candidates
    empty: bool = False


@dataclass(frozen=True, eq=False)
class OracleResult(ResultTable):
    """Oracles and the texts they are compared with; `scores` is a result like that of `tarocco.score`.

    The systems in `scores` are "1-best" (if there are weights, lists or `best` texts), "oracle" and, if oracles are
    approximate, "oracle of GRR-4", which is exact under that metric.
    """

    scores: Result
    oracles: tuple[SegmentOracle, ...]
    first: Segments | None  # the 1-best texts, if there are any
    how: str  # "exact", "approximate|beam:16" or "list"
    left_out: int = 0  # segments without a list
    k: int = 1
    name: str = "texts"

    def __len__(self) -> int:
        return len(self.oracles)

    @property
    def exact(self) -> bool:
        """Whether no searched text is better."""
        return not self.how.startswith("approximate")

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The oracle of each segment."""
        return tuple(oracle.text for oracle in self.oracles)

    @cached_property
    def segments(self) -> NDArray[np.intp]:
        """The numbers of the segments, from 0."""
        return np.array([oracle.segment for oracle in self.oracles], np.intp)

    @cached_property
    def ranks(self) -> NDArray[np.intp] | None:
        """The place of each oracle in its list, from 1; None if there are no lists."""
        ranks = [oracle.rank for oracle in self.oracles if oracle.rank is not None]
        return np.array(ranks, np.intp) if ranks else None

    @cached_property
    def behind(self) -> Floats | None:
        """The weight of the best text minus that of each oracle; None without weights, and for lists."""
        behind = [oracle.behind for oracle in self.oracles if oracle.behind is not None]
        return np.array(behind) if behind and any(oracle.weighted for oracle in self.oracles) else None

    @property
    def n_empty(self) -> int:
        """How many lattices or forests have no words, or lists an empty oracle."""
        return sum(oracle.empty for oracle in self.oracles)

    @cached_property
    def n_first(self) -> int:
        """How many oracles equal the 1-best text."""
        if self.first is None:
            return 0
        return sum(a.split() == b.split() for a, b in zip(self.first, self.texts, strict=True))

    @property
    def notes(self) -> list[str]:
        """Notes on empty and missing segments, and on a missing 1-best."""
        notes = []
        if self.n_empty:
            notes.append(f"{self.n_empty} of {len(self)} segments are empty: their oracle is the empty text")
        if self.left_out:
            notes.append(f"{self.left_out} segments have no list and are left out")
        if self.first is None:
            notes.append("there are no weights, so there is no 1-best: name its file with --best")
        return notes

    def about(self) -> dict[str, Any]:
        """Return how the oracles were found, for JSON."""
        return {
            "metric": str(self.of(ORACLE).metric),
            "signature": self.signature(self.of(ORACLE)),
            "oracle": "exact" if self.exact else "approximate",
            "how": self.how,
            "n_segments": len(self),
            "n_empty": self.n_empty,
            "left_out": self.left_out,
            "found_first": None if self.first is None else self.n_first,
        }

    def of(self, system: str) -> Score:
        """Return the score of "oracle", "1-best" or "oracle of GRR-4" under the metric of the search."""
        return next(score for score in self.scores.scores if score.system == system)

    def signature(self, score: Score) -> str:
        """Return the signature of a score: that of the metric, and how the oracles were found."""
        return f"{score.signature}|oracle:{self.of(ORACLE).metric}|{self.how}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per segment."""
        scores = self.of(ORACLE).segments.tolist()
        firsts = None if self.first is None else self.of(FIRST).segments.tolist()
        rivals = None if self.exact else self.of(RIVAL).segments.tolist()
        rows = []
        for i, oracle in enumerate(self.oracles):
            row: dict[str, Any] = {"segment": oracle.segment + 1, "score": number_or_null(scores[i])}
            if firsts is not None and self.first is not None:
                row |= {"best_score": number_or_null(firsts[i])}
            if rivals is not None:
                row |= {"grr_score": number_or_null(rivals[i])}
            if self.ranks is not None:
                row |= {"rank": oracle.rank}
            if self.behind is not None:
                row |= {"behind": oracle.behind}
            row |= {"size": oracle.size, "text": oracle.text}
            if self.first is not None:
                row |= {"best_text": self.first[i]}
            if rivals is not None:
                row |= {"grr_text": oracle.rival}
            rows.append(row)
        return rows

    def corpus_rows(self) -> list[dict[str, Any]]:
        """Return one flat record per system and metric."""
        return [
            {
                "system": score.system,
                "metric": str(score.metric),
                "score": number_or_null(score.score),
                "signature": self.signature(score),
            }
            for score in self.scores.scores
        ]

    def k_best_rows(self) -> list[dict[str, Any]]:
        """Return one flat record per segment and text, if k > 1."""
        return [
            {"segment": oracle.segment + 1, "place": place, "score": number_or_null(score), "text": text}
            for oracle in self.oracles
            for place, (text, score) in enumerate(oracle.k_best, start=1)
        ]

    def to_dict(self, level: str = "corpus") -> list[dict[str, Any]]:
        """Return what `tarocco oracle -f json` prints under "results"."""
        if level == "corpus":
            return self.corpus_rows()
        rows = self.rows()
        for row, oracle in zip(rows, self.oracles, strict=True):
            if oracle.k_best:
                row["k_best"] = [{"text": text, "score": number_or_null(score)} for text, score in oracle.k_best]
        return rows
