"""What a search for oracles gives: texts, their scores, and how deep they were buried."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.records import ResultTable, number_or_null
from tarocco.core.test_set import Segments
from tarocco.decode.oracle.pieces import Found
from tarocco.metrics.base import Floats
from tarocco.scoring.results import Result, Score

FIRST, ORACLE, RIVAL = "1-best", "oracle", "oracle of GRR-4"


@dataclass(frozen=True, eq=False)
class OracleResult(ResultTable):
    """Oracles, and the texts that they are compared with. `scores` are as `tarocco.score` gives them.

    The systems in `scores` are "1-best" (where there are weights, lists or given texts), "oracle", and, beside
    approximate oracles, "oracle of GRR-4", which is exact under that metric.
    """

    scores: Result
    found: tuple[Found, ...]
    first: Segments | None  # the 1-best, where there is one
    how: str  # "exact", "approximate|beam:16" or "list"
    left_out: int = 0  # segments that have no list
    k: int = 1
    name: str = "texts"

    def __len__(self) -> int:
        return len(self.found)

    @property
    def exact(self) -> bool:
        """Whether nothing that was searched has a better text."""
        return not self.how.startswith("approximate")

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The oracle of each segment."""
        return tuple(one.text for one in self.found)

    @cached_property
    def segments(self) -> NDArray[np.intp]:
        """The segments, from 0 on."""
        return np.array([one.segment for one in self.found], np.intp)

    @cached_property
    def ranks(self) -> NDArray[np.intp] | None:
        """Where in its list each oracle stands, from 1 on; None without lists."""
        ranks = [one.rank for one in self.found if one.rank is not None]
        return np.array(ranks, np.intp) if ranks else None

    @cached_property
    def behind(self) -> Floats | None:
        """How much less each oracle weighs than the best text; None without weights, and for lists."""
        behind = [one.behind for one in self.found if one.behind is not None]
        return np.array(behind) if behind and any(one.weighted for one in self.found) else None

    @property
    def n_empty(self) -> int:
        """How many lattices or forests had no words, and how many lists had an empty text as their best."""
        return sum(one.empty for one in self.found)

    @cached_property
    def found_first(self) -> int:
        """How many oracles are the 1-best, word for word."""
        if self.first is None:
            return 0
        return sum(a.split() == b.split() for a, b in zip(self.first, self.texts, strict=True))

    @property
    def notes(self) -> list[str]:
        """What people should know of what was searched."""
        notes = []
        if self.n_empty:
            notes.append(f"{self.n_empty} of {len(self)} segments are empty: their oracle is the empty text")
        if self.left_out:
            notes.append(f"{self.left_out} segments have no list and are left out")
        if self.first is None:
            notes.append("there are no weights, so that there is no 1-best: name its file with --best")
        return notes

    def about(self) -> dict[str, Any]:
        """How oracles were found, for JSON."""
        return {
            "metric": str(self.of(ORACLE).metric),
            "signature": self.signature(self.of(ORACLE)),
            "oracle": "exact" if self.exact else "approximate",
            "how": self.how,
            "n_segments": len(self),
            "n_empty": self.n_empty,
            "left_out": self.left_out,
            "found_first": None if self.first is None else self.found_first,
        }

    def of(self, system: str) -> Score:
        """The score of "oracle", "1-best" or "oracle of GRR-4" under the metric that was searched with."""
        return next(score for score in self.scores.scores if score.system == system)

    def signature(self, score: Score) -> str:
        """What a number is, in one line: the metric's signature, and how the oracles were found."""
        return f"{score.signature}|oracle:{self.of(ORACLE).metric}|{self.how}"

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a segment."""
        oracles = self.of(ORACLE).segments.tolist()
        firsts = None if self.first is None else self.of(FIRST).segments.tolist()
        rivals = None if self.exact else self.of(RIVAL).segments.tolist()
        rows = []
        for i, one in enumerate(self.found):
            row: dict[str, Any] = {"segment": one.segment + 1, "score": number_or_null(oracles[i])}
            if firsts is not None and self.first is not None:
                row |= {"best_score": number_or_null(firsts[i])}
            if rivals is not None:
                row |= {"grr_score": number_or_null(rivals[i])}
            if self.ranks is not None:
                row |= {"rank": one.rank}
            if self.behind is not None:
                row |= {"behind": one.behind}
            row |= {"size": one.size, "text": one.text}
            if self.first is not None:
                row |= {"best_text": self.first[i]}
            if rivals is not None:
                row |= {"grr_text": one.rival}
            rows.append(row)
        return rows

    def corpus_rows(self) -> list[dict[str, Any]]:
        """One flat record a system and metric."""
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
        """One flat record a segment and text, where several were asked for."""
        return [
            {"segment": one.segment + 1, "place": place, "score": number_or_null(score), "text": text}
            for one in self.found
            for place, (text, score) in enumerate(one.k_best, start=1)
        ]

    def to_dict(self, level: str = "corpus") -> list[dict[str, Any]]:
        """What `tarocco oracle -f json` prints under "results"."""
        if level == "corpus":
            return self.corpus_rows()
        rows = self.rows()
        for row, one in zip(rows, self.found, strict=True):
            if one.k_best:
                row["k_best"] = [{"text": text, "score": number_or_null(score)} for text, score in one.k_best]
        return rows
