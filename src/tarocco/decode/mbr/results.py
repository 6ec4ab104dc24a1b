"""What minimum Bayes risk in lattices gives: a path each, and what it gained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarocco.core.records import ResultTable, number_or_null
from tarocco.metrics.base import Floats
from tarocco.scoring.results import Result


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen from one list."""

    segment: int  # from 0
    text: str
    rank: int  # its place in the list, from 1
    utility: float  # expected; NaN where there is none
    first_utility: float  # that of the list's first candidate
    n_candidates: int
    n_texts: int  # different ones
    utilities: Floats  # of all candidates, in the order of the list; NaN where pruned


@dataclass(frozen=True)
class Gain:
    """Corpus scores under one metric: of the first candidates, the choices, and the best candidates there are."""

    metric: str
    signature: str
    scale: float  # what tables multiply by
    first: float
    chosen: float
    oracle: float
    oracle_rank: float  # where in the list the best candidate stands, on average


@dataclass(frozen=True, eq=False)
class MbrResult(ResultTable):
    """A choice a list, in the order of segments."""

    choices: tuple[Choice, ...]
    utility: str  # in a few words
    signature: str
    metric_signatures: tuple[str, ...]
    gains: tuple[Gain, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def texts(self) -> list[str]:
        """What was chosen."""
        return [one.text for one in self.choices]

    @property
    def changed(self) -> int:
        """How many choices are another text than the first of their list."""
        return sum(one.rank > 1 for one in self.choices)

    @property
    def mean_utility(self) -> float:
        """The expected utility of the choices, the mean over lists."""
        return _mean([one.utility for one in self.choices])

    @property
    def mean_first_utility(self) -> float:
        """That of the lists' first candidates."""
        return _mean([one.first_utility for one in self.choices])

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a list."""
        return [
            {
                "segment": one.segment + 1,
                "rank": one.rank,
                "candidates": one.n_candidates,
                "texts": one.n_texts,
                "utility": _or_none(one.utility),
                "first_utility": _or_none(one.first_utility),
                "text": one.text,
            }
            for one in self.choices
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco mbr -f json` prints under "results"."""
        return self.rows()

    def gain_rows(self) -> list[dict[str, Any]]:
        """One flat record a metric that judged."""
        return [
            {
                "metric": one.metric,
                "first": _or_none(one.first),
                "mbr": _or_none(one.chosen),
                "oracle": _or_none(one.oracle),
                "oracle_rank": one.oracle_rank,
                "signature": one.signature,
            }
            for one in self.gains
        ]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _mean(values: list[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return sum(known) / len(known) if known else float("nan")


FIRST, CHOICE = "1-best", "MBR"


@dataclass(frozen=True)
class LatticeChoice:
    """What was chosen from one lattice or forest."""

    segment: int  # from 0
    text: str
    first: str  # the text of the best path by weight
    gain: float  # expected
    first_gain: float
    n_arcs: int  # or edges
    n_ngrams: int  # different ones, of all orders
    weighted: bool  # or there is one path


@dataclass(frozen=True, eq=False)
class LatticeMbrResult(ResultTable):
    """A choice a lattice, in the order of segments; with references, `scores` of the systems "1-best" and "MBR"."""

    choices: tuple[LatticeChoice, ...]
    theta: tuple[float, ...]
    signature: str
    scores: Result | None = None
    left_out: int = 0  # segments that have references and no lattice

    def __iter__(self) -> Iterator[LatticeChoice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def texts(self) -> list[str]:
        """What was chosen."""
        return [one.text for one in self.choices]

    @property
    def changed(self) -> int:
        """How many choices are another text than the best by weight."""
        return sum(one.text != one.first for one in self.choices)

    @property
    def mean_gain(self) -> float:
        """The expected gain of the choices, the mean over lattices."""
        return sum(one.gain for one in self.choices) / len(self)

    @property
    def mean_first_gain(self) -> float:
        """That of the best paths by weight."""
        return sum(one.first_gain for one in self.choices) / len(self)

    @property
    def notes(self) -> list[str]:
        """What people should know of what was searched."""
        notes = []
        empty = sum(one.n_ngrams == 0 for one in self.choices)
        if empty:
            notes.append(f"{empty} of {len(self)} lattices have no words: the empty text was chosen there")
        bare = sum(not one.weighted for one in self.choices)
        if bare:
            notes.append(f"{bare} of {len(self)} lattices have no weights: their paths are equally probable")
        if self.left_out:
            notes.append(f"{self.left_out} segments have no lattice and are left out")
        return notes

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a lattice."""
        return [
            {
                "segment": one.segment + 1,
                "arcs": one.n_arcs,
                "ngrams": one.n_ngrams,
                "gain": one.gain,
                "first_gain": one.first_gain,
                "text": one.text,
                "first_text": one.first,
            }
            for one in self.choices
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco mbr -f json` prints under "results"."""
        return self.rows()

    def score_rows(self) -> list[dict[str, Any]]:
        """One flat record a system and metric."""
        return [
            {
                "system": score.system,
                "metric": str(score.metric),
                "score": number_or_null(score.score),
                "signature": score.signature,
            }
            for score in (() if self.scores is None else self.scores.scores)
        ]
