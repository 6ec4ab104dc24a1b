"""Results of minimum Bayes risk: one choice per n-best list or lattice, and corpus scores by human references."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tarocco.core.records import ResultTable, number_or_null
from tarocco.metrics.base import Floats
from tarocco.scoring.results import Result


@dataclass(frozen=True, eq=False)
class MbrChoice:
    """The choice from one n-best list."""

    segment: int  # from 0
    text: str
    rank: int  # the place of the text in the list, from 1
    utility: float  # the expected utility; NaN if it does not exist
    first_utility: float  # that of the list's first candidate
    n_candidates: int
    n_texts: int  # the number of distinct texts
    utilities: Floats  # of all candidates, in the order of the list; NaN if pruned


@dataclass(frozen=True)
class MbrGain:
    """Corpus scores under one metric: of the first candidates, of the choices, and of the best candidates."""

    metric: str
    signature: str
    scale: float  # the factor of scores in tables
    first: float
    chosen: float
    oracle: float
    oracle_rank: float  # the mean place of the best candidate in its list


@dataclass(frozen=True, eq=False)
class MbrResult(ResultTable):
    """One choice per list, in the order of the segments."""

    choices: tuple[MbrChoice, ...]
    utility: str  # in a few words
    signature: str
    metric_signatures: tuple[str, ...]
    gains: tuple[MbrGain, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[MbrChoice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def texts(self) -> list[str]:
        """The chosen texts."""
        return [choice.text for choice in self.choices]

    @property
    def changed(self) -> int:
        """How many choices differ from the first candidate of their list."""
        return sum(choice.rank > 1 for choice in self.choices)

    @property
    def mean_utility(self) -> float:
        """The mean expected utility of the choices."""
        return _mean([choice.utility for choice in self.choices])

    @property
    def mean_first_utility(self) -> float:
        """The mean expected utility of the lists' first candidates."""
        return _mean([choice.first_utility for choice in self.choices])

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per list."""
        return [
            {
                "segment": choice.segment + 1,
                "rank": choice.rank,
                "candidates": choice.n_candidates,
                "texts": choice.n_texts,
                "utility": number_or_null(choice.utility),
                "first_utility": number_or_null(choice.first_utility),
                "text": choice.text,
            }
            for choice in self.choices
        ]

    def gain_rows(self) -> list[dict[str, Any]]:
        """Return one flat record per judge."""
        return [
            {
                "metric": gain.metric,
                "first": number_or_null(gain.first),
                "mbr": number_or_null(gain.chosen),
                "oracle": number_or_null(gain.oracle),
                "oracle_rank": gain.oracle_rank,
                "signature": gain.signature,
            }
            for gain in self.gains
        ]


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


FIRST, CHOICE = "1-best", "MBR"  # the systems of LatticeMbrResult.scores


@dataclass(frozen=True)
class LatticeChoice:
    """The choice from one lattice or forest."""

    segment: int  # from 0
    text: str
    first: str  # the text of the best path by weight
    gain: float  # the expected gain
    first_gain: float
    n_arcs: int  # of a forest: edges
    n_ngrams: int  # distinct n-grams, of all orders
    weighted: bool  # true if there are weights, or only one path


@dataclass(frozen=True, eq=False)
class LatticeMbrResult(ResultTable):
    """One choice per lattice, in the order of the segments; with references, `scores` of "1-best" and "MBR"."""

    choices: tuple[LatticeChoice, ...]
    theta: tuple[float, ...]
    signature: str
    scores: Result | None = None
    left_out: int = 0  # segments that have references but no lattice

    def __iter__(self) -> Iterator[LatticeChoice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def texts(self) -> list[str]:
        """The chosen texts."""
        return [choice.text for choice in self.choices]

    @property
    def changed(self) -> int:
        """How many choices differ from the best text by weight."""
        return sum(choice.text != choice.first for choice in self.choices)

    @property
    def mean_gain(self) -> float:
        """The mean expected gain of the choices."""
        return sum(choice.gain for choice in self.choices) / len(self)

    @property
    def mean_first_gain(self) -> float:
        """The mean expected gain of the best paths by weight."""
        return sum(choice.first_gain for choice in self.choices) / len(self)

    @property
    def notes(self) -> list[str]:
        """Notes on lattices that were empty, unweighted or missing."""
        notes = []
        empty = sum(choice.n_ngrams == 0 for choice in self.choices)
        if empty:
            notes.append(f"{empty} of {len(self)} lattices have no words: the empty text was chosen there")
        unweighted = sum(not choice.weighted for choice in self.choices)
        if unweighted:
            notes.append(f"{unweighted} of {len(self)} lattices have no weights: their paths are equally probable")
        if self.left_out:
            notes.append(f"{self.left_out} segments have no lattice and are left out")
        return notes

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per lattice."""
        return [
            {
                "segment": choice.segment + 1,
                "arcs": choice.n_arcs,
                "ngrams": choice.n_ngrams,
                "gain": choice.gain,
                "first_gain": choice.first_gain,
                "text": choice.text,
                "first_text": choice.first,
            }
            for choice in self.choices
        ]

    def score_rows(self) -> list[dict[str, Any]]:
        """Return one flat record per system and metric."""
        return [
            {
                "system": score.system,
                "metric": str(score.metric),
                "score": number_or_null(score.score),
                "signature": score.signature,
            }
            for score in (() if self.scores is None else self.scores.scores)
        ]
