"""What IQeval asks of a test bed: which texts, metrics and segments, and the numbers that answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tarocco.core.errors import InputError
from tarocco.iqmt.configs import EvalConfig, read_text
from tarocco.iqmt.names import computed
from tarocco.iqmt.setup import Column, Texts, joint_columns, make_files, missing_files, single_columns, work_of
from tarocco.iqmt.tree import Scores, Tree
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.decisions import Decisions, HeldOutCases
from tarocco.meta.qarla.king import find_surrounded_references
from tarocco.meta.qarla.queen import (
    PairSelection,
    compute_held_out_queens,
    compute_queens,
    mean_ignoring_nan,
    sample_pairs,
)
from tarocco.meta.qarla.set_search import KingObjective, SetTallies, greedy
from tarocco.meta.qarla.similarities import Similarities
from tarocco.metrics.base import Floats
from tarocco.scoring.settings import SEED


def number(value: float) -> str:
    """Four decimals; a score that does not exist is a dash."""
    return "-" if np.isnan(value) else f"{value:.4f}"


def matrix(corner: str, columns: Sequence[str], rows: Sequence[str], values: Floats) -> str:
    """`-O 0`: a row a system or segment, a column a metric. `values` is float64[rows, columns]."""
    cells = [[corner, *columns], *([row, *map(number, own)] for row, own in zip(rows, values.tolist(), strict=True))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in cells
    ]
    return "\n".join(lines) + "\n"


def rankings(corner: str, columns: Sequence[str], rows: Sequence[str], values: Floats) -> str:
    """`-O 1`: each column by itself, best first; what has no score is last."""
    lists = []
    for c, column in enumerate(columns):
        own = values[:, c]
        order = np.argsort(np.where(np.isnan(own), np.inf, -own), kind="stable")
        lists.append(matrix(corner, [column], [rows[i] for i in order], own[order][:, None]))
    return "\n".join(lists)


def with_segments(rows: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """S0:1, S0:2, ..., S1:1: the names of rows that are segments of systems."""
    return [f"{row}:{segment}" for row in rows for segment in numbers]


TRIED = "TRY"  # the row of a system that is tried out
Progress = Callable[[str, int], AbstractContextManager[Callable[..., None]]]


@dataclass(frozen=True)
class Asked:
    """The options of IQeval that choose: names of sets, None for all."""

    metrics: str | None = None
    systems: str | None = None
    references: str | None = None
    segments: str | None = None
    of_references: bool = False  # -doref
    trans_topic: bool = False  # -TT
    tried: str | None = None  # -TRY FILE
    remake: bool = False


@dataclass(frozen=True)
class Kings:
    """KING of a set of metrics on segments, float64[segments]: as in the manual, and strictly; NaN without a case."""

    won: Floats
    strict: Floats

    @property
    def by_segment(self) -> Floats:
        """float64[segments, 3]: KING, strict KING, and the share of cases that a tie decided."""
        return np.stack([self.won, self.strict, self.won - self.strict], axis=1)

    @property
    def together(self) -> Floats:
        """The same for all segments together."""
        return mean_ignoring_nan(self.by_segment, 0)


@dataclass
class TestBed:
    """A test bed and what was asked of it. Files are read when they are needed, and computed where they are missing."""

    __test__ = False  # the name is not for pytest

    config: EvalConfig
    asked: Asked
    progress: Progress
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tree = Tree(self.config.folder)
        self._complete_columns: set[Column] = set()
        self.metrics = self.config.members("metrics", self.asked.metrics)
        self.systems = self.config.members("systems", self.asked.systems)
        self.references = self.config.members("references", self.asked.references)
        both = [name for name in self.systems if name in self.references]
        if both:
            raise InputError(f"{self.config.path}: {both[0]} is among the systems and among the references")
        if self.asked.tried and TRIED in (*self.systems, *self.references):
            raise InputError(f"{self.config.path}: {TRIED} is how the new system is called, and a name there already")

    # --- texts and files ---------------------------------------------------------------------------------------------

    @cached_property
    def texts(self) -> Texts | None:
        """The texts behind the names, where the configuration tells their files."""
        systems, references = (
            {name: text.segments for name, text in self.config.texts(key).items()} for key in ("system", "ref")
        )
        return Texts(systems, references) if references else None

    @cached_property
    def with_tried(self) -> Texts:
        """The texts with the one that is tried out among the systems."""
        assert self.asked.tried is not None
        if self.texts is None or not self.texts.knows(self.references):
            raise InputError(
                f"{self.config.path}: a system can be tried out where the files of all references are named, such as "
                "ref=R0 FILE"
            )
        own = [name for name in self.metrics if computed(name) is None]
        if own:
            raise InputError(
                f"{', '.join(own)}: no scores of a new system can be computed; choose other metrics with -M"
            )
        tried = read_text(self.asked.tried, self.config.path)
        if len(tried.segments) != self.texts.n_segments:
            raise InputError(
                f"{tried.path} has {len(tried.segments)} lines, the references have {self.texts.n_segments}"
            )
        return Texts({**self.texts.systems, TRIED: tried.segments}, self.texts.references)

    def _complete(self, columns: list[Column]) -> None:
        """Compute files that are missing, or all with -remake, as far as their metrics and texts are known."""
        columns = [column for column in columns if column not in self._complete_columns]
        self._complete_columns.update(columns)
        wanted = missing_files(self.tree, columns, self.metrics, self.asked.remake)
        if not wanted or self.texts is None:
            return
        known = [(column, names) for column, names in wanted if self.texts.knows((*column.references, *column.targets))]
        with self.progress("scores", work_of(known, self.texts.n_segments)) as advance:
            make_files(self.tree, self.texts, known, advance)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Whose scores are told: systems, the one that is tried out, references if asked for."""
        tried = (TRIED,) if self.asked.tried else ()
        if self.asked.of_references and len(self.references) < 2:
            raise InputError("-doref: a reference is scored against the others, and there is one alone")
        return (*self.systems, *tried, *(self.references if self.asked.of_references else ()))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the segments that were asked for; there are as many as the files have that were read."""
        assert self.tree.first is not None
        chosen = self.config.segments(self.asked.segments, self.tree.first[1])
        return tuple(range(1, self.tree.first[1] + 1)) if chosen is None else chosen

    @property
    def places(self) -> list[int]:
        return [number - 1 for number in self.numbers]

    # --- outside QARLA -----------------------------------------------------------------------------------------------

    def outside(self, by_segment: bool) -> Floats:
        """Scores outside QARLA on segments asked for: float64[rows, metrics], or float64[rows, metrics, segments]."""
        columns = joint_columns(self.systems, self.references, self.asked.of_references)
        self._complete(columns)
        if self.asked.tried:
            columns.append(Column(self.references, (TRIED,)))
        found: dict[str, list[Scores]] = {}
        for column in columns:
            found |= dict(zip(column.targets, self._outside_of(column, together=not by_segment), strict=True))
        own = [found[row] for row in self.rows]
        if by_segment:
            return np.array([[one.segments[self.places] for one in of_row] for of_row in own])
        return np.array([[one.score for one in of_row] for of_row in own])

    def _outside_of(self, column: Column, together: bool) -> list[list[Scores]]:
        """What a column's files say, by target and metric; `together` with the score of the segments asked for."""
        if column.targets == (TRIED,):
            own = [metric for metric in map(computed, self.metrics) if metric is not None]
            return self.with_tried.scores(column, own, chosen=self.places)
        targets, references = column.targets, column.references
        scores = [[self.tree.read(one, references, name) for name in self.metrics] for one in targets]
        return self._of_chosen(column, scores) if together and self.asked.segments is not None else scores

    def _of_chosen(self, column: Column, read: list[list[Scores]]) -> list[list[Scores]]:
        """The same with the score of the chosen segments together, which files do not have.

        It is computed from the texts; where those are not known, or the metric is a user's own, it is the mean.
        """
        metrics = {i: metric for i, name in enumerate(self.metrics) if (metric := computed(name)) is not None}
        known = self.texts is not None and self.texts.knows((*column.references, *column.targets))
        exact: dict[int, list[float]] = {}
        if known and self.texts is not None and metrics:
            by_target = self.texts.scores(column, list(metrics.values()), chosen=self.places)
            exact = {i: [of_target[k].score for of_target in by_target] for k, i in enumerate(metrics)}
        means = [name for i, name in enumerate(self.metrics) if i not in exact]
        note = f"{', '.join(means)}: the score of the chosen segments is the mean of their scores"
        if means and note not in self.notes:
            self.notes.append(note)
        return [
            [
                Scores(
                    exact[i][t] if i in exact else float(mean_ignoring_nan(one.segments[self.places], 0)), one.segments
                )
                for i, one in enumerate(of_target)
            ]
            for t, of_target in enumerate(read)
        ]

    # --- inside QARLA ------------------------------------------------------------------------------------------------

    @cached_property
    def near(self) -> Similarities:
        """The similarities of pairs of texts on the segments asked for; a system that is tried out is the last."""
        self._need_references(2, "QUEEN")
        self._complete(single_columns(self.systems, self.references))
        near = self.tree.similarities(self.metrics, self.systems, self.references)
        return self._on_chosen(self._with_tried(near) if self.asked.tried else near)

    def _need_references(self, least: int, what: str) -> None:
        there = len(self.references)
        if there < least:
            raise InputError(
                f"{what} needs {least} references at least, and there {'are' if there > 1 else 'is'} {there}"
            )

    def _on_chosen(self, near: Similarities) -> Similarities:
        if self.asked.segments is None:
            return near
        return near.select(segments=self.places)

    def _with_tried(self, near: Similarities) -> Similarities:
        """The same with the new system behind the others. Nothing is written."""
        own = [metric for metric in map(computed, self.metrics) if metric is not None]
        if self.with_tried.n_segments != near.n_segments:
            raise InputError(
                f"{self.asked.tried} has {self.with_tried.n_segments} lines, the XML files {near.n_segments}"
            )
        columns = [self.with_tried.scores(Column((one,), (TRIED,)), own)[0] for one in self.references]
        new = np.stack([[scores.segments for scores in column] for column in columns], axis=-1)
        to_references = np.insert(near.to_references, len(near.systems), round_last_bits(new), axis=2)
        return replace(near, systems=(*near.systems, TRIED), to_references=to_references, to_systems=None)

    @property
    def every(self) -> list[int]:
        """All metrics, by their numbers."""
        return list(range(len(self.metrics)))

    @cached_property
    def comparison(self) -> PairSelection:
        found = PairSelection(self.asked.trans_topic, seed=SEED)
        if found.trans_topic:
            told = found.describe(self.near, self.every)
            self.notes.append(f"trans-topic mode: {told}" + f", seed:{found.seed}" * (told != "pairs:all"))
        return found

    def queens(self) -> Floats:
        """float64[rows, segments]: QUEEN under all metrics; of a reference, by the others."""
        (shares,) = compute_queens(self.near, [self.every], self.comparison)
        if not self.asked.of_references:
            return shares.T
        self._need_references(3, "QUEEN of a reference, by the others,")
        (held_out,) = compute_held_out_queens(self.near, [self.every], self.comparison)
        return np.concatenate([shares.T, held_out[:, :, -1].T])

    def kings(self, sets: Sequence[Sequence[int]]) -> list[Kings]:
        """KING of sets of metrics, by their numbers."""
        self._need_references(3, "KING")
        cases = [
            HeldOutCases.of(own, self.near.present) for own in compute_held_out_queens(self.near, sets, self.comparison)
        ]
        found = [Kings(*one.by_segment.T) for one in cases]
        lacking: dict[int, list[str]] = {}
        for members, one in zip(sets, found, strict=True):
            lacking.setdefault(int(np.isnan(one.won).sum()), []).append("+".join(self.metrics[m] for m in members))
        for count, names in lacking.items():
            whose = "" if len(lacking) == 1 else f"{', '.join(names)}: "
            note = f"{whose}{count} of {self.near.n_segments} segments have no KING"
            if count and note not in self.notes:
                self.notes.append(note)
        return found

    def best_set(self) -> list[int]:
        """The manual's search: metrics in the order of their KING, each kept that raises the KING of those before."""
        self._need_references(3, "KING")
        same = self.comparison
        pairs = sample_pairs(self.near, same.n_pairs, same.seed) if same.trans_topic else None
        board = SetTallies(Decisions.of(self.near, pairs), np.zeros(self.near.n_segments, np.intp))
        return list(greedy(KingObjective(board, "count")))

    def jacks(self) -> Floats:
        """float64[segments]: JACK under all metrics. A system that is tried out takes no part."""
        self._need_references(2, "JACK")
        if len(self.systems) < 2:
            raise InputError(f"JACK needs two systems at least, and {self.systems[0]} is one alone")
        self._complete(single_columns(self.systems, self.references, between_systems=True))
        near = self._on_chosen(self.tree.similarities(self.metrics, self.systems, self.references, True))
        (shares,) = compute_queens(near, [self.every], self.comparison)
        return mean_ignoring_nan(find_surrounded_references(near, self.every, shares), 1)
