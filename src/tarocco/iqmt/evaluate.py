"""IQeval: choose texts, metrics and segments of a test bed, compute its measures, and format its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tarocco.core.errors import InputError
from tarocco.iqmt.configs import EvalConfig, find_computed, read_text
from tarocco.iqmt.setup import (
    Progress,
    TargetGroup,
    TestBedTexts,
    compute_files,
    count_scores,
    find_missing_files,
    group_by_all_references,
    group_by_reference,
)
from tarocco.iqmt.tree import ScoreTree, TargetScores
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
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.metrics.base import Floats
from tarocco.scoring.settings import SEED

NEW_SYSTEM = "TRY"  # the row of a system that is tried


def matrix(corner: str, columns: Sequence[str], rows: Sequence[str], values: Floats) -> str:
    """Return a table with one row per system or segment and one column per metric (-O 0).

    `values` is float64[rows, columns]; numbers have four decimals, and a missing score is a dash.
    """
    numbers = [["-" if np.isnan(value) else f"{value:.4f}" for value in row] for row in values.tolist()]
    cells = [[corner, *columns], *([name, *row] for name, row in zip(rows, numbers, strict=True))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in cells
    ]
    return "\n".join(lines) + "\n"


def rankings(corner: str, columns: Sequence[str], rows: Sequence[str], values: Floats) -> str:
    """Return one table per column, best first and missing scores last (-O 1)."""
    tables = []
    for c, column in enumerate(columns):
        scores = values[:, c]
        order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")
        tables.append(matrix(corner, [column], [rows[i] for i in order], scores[order][:, None]))
    return "\n".join(tables)


def with_segments(rows: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Return the names of rows that are segments of systems: S0:1, S0:2, ..., S1:1, ..."""
    return [f"{row}:{segment}" for row in rows for segment in numbers]


@dataclass(frozen=True)
class EvalOptions:
    """The options of IQeval; a set is chosen by its name, and None means all."""

    metrics: str | None = None
    systems: str | None = None
    references: str | None = None
    segments: str | None = None
    of_references: bool = False  # -doref
    trans_topic: bool = False  # -TT
    tried: str | None = None  # -TRY FILE
    remake: bool = False


@dataclass(frozen=True)
class SegmentKings:
    """KING of a set of metrics per segment, as in the manual and strict; NaN if it is undefined."""

    won: Floats
    strict: Floats

    @property
    def by_segment(self) -> Floats:
        """float64[segments, 3]: KING, strict KING, and the share of cases decided by a tie."""
        return np.stack([self.won, self.strict, self.won - self.strict], axis=1)

    @property
    def together(self) -> Floats:
        """The means over all segments."""
        return mean_ignoring_nan(self.by_segment, 0)


@dataclass
class IQTestBed:
    """A test bed and the options of IQeval; files are read on demand, and computed if they are missing."""

    config: EvalConfig
    options: EvalOptions
    progress: Progress
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tree = ScoreTree(self.config.folder)
        self._complete_groups: set[TargetGroup] = set()
        self.metrics = self.config.members("metrics", self.options.metrics)
        self.systems = self.config.members("systems", self.options.systems)
        self.references = self.config.members("references", self.options.references)
        both = [name for name in self.systems if name in self.references]
        if both:
            raise InputError(
                f"{self.config.path}: expected systems that are not references, found {both[0]} in both sets"
            )
        if self.options.tried and NEW_SYSTEM in (*self.systems, *self.references):
            raise InputError(
                f"{self.config.path}: expected {NEW_SYSTEM} as name of the new system only, found it in a set"
            )

    # --- texts and files ---------------------------------------------------------------------------------------------

    @cached_property
    def texts(self) -> TestBedTexts | None:
        """The texts by name, if the configuration names their files."""
        systems, references = (
            {name: text.segments for name, text in self.config.texts(key).items()} for key in ("system", "ref")
        )
        return TestBedTexts(systems, references) if references else None

    @cached_property
    def texts_with_new(self) -> TestBedTexts:
        """The texts with the new system."""
        assert self.options.tried is not None
        if self.texts is None or not self.texts.knows(self.references):
            raise InputError(
                f"{self.config.path}: expected the files of all references, such as ref=R0 FILE, to try a new system, "
                "found names without files"
            )
        not_computed = [name for name in self.metrics if find_computed(name) is None]
        if not_computed:
            raise InputError(
                f"expected metrics that can be computed for a new system, found {', '.join(not_computed)}; choose "
                "others with -M"
            )
        new = read_text(self.options.tried, self.config.path)
        if len(new.segments) != self.texts.n_segments:
            raise InputError(
                f"{new.path}: expected {self.texts.n_segments} lines as in the references, found {len(new.segments)}"
            )
        return TestBedTexts({**self.texts.systems, NEW_SYSTEM: new.segments}, self.texts.references)

    def _complete(self, groups: list[TargetGroup]) -> None:
        """Compute files that are missing, or all with -remake, if their metrics and texts are known."""
        groups = [group for group in groups if group not in self._complete_groups]
        self._complete_groups.update(groups)
        missing = find_missing_files(self.tree, groups, self.metrics, self.options.remake)
        if not missing or self.texts is None:
            return
        known = [(group, names) for group, names in missing if self.texts.knows((*group.references, *group.targets))]
        with self.progress("scores", count_scores(known, self.texts.n_segments)) as advance:
            compute_files(self.tree, self.texts, known, advance)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The rows of tables: systems, the new system, and references with -doref."""
        new = (NEW_SYSTEM,) if self.options.tried else ()
        if self.options.of_references and len(self.references) < 2:
            raise InputError("-doref: expected two or more references, which are scored against each other, found one")
        return (*self.systems, *new, *(self.references if self.options.of_references else ()))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the chosen segments, from 1, by default of all segments of the files."""
        assert self.tree.first is not None
        chosen = self.config.segments(self.options.segments, self.tree.first[1])
        return tuple(range(1, self.tree.first[1] + 1)) if chosen is None else chosen

    @property
    def places(self) -> list[int]:
        return [number - 1 for number in self.numbers]

    # --- outside QARLA -----------------------------------------------------------------------------------------------

    def outside(self, by_segment: bool) -> Floats:
        """Return scores outside QARLA: float64[rows, metrics], or float64[rows, metrics, segments]."""
        groups = group_by_all_references(self.systems, self.references, self.options.of_references)
        self._complete(groups)
        if self.options.tried:
            groups.append(TargetGroup(self.references, (NEW_SYSTEM,)))
        by_target: dict[str, list[TargetScores]] = {}
        for group in groups:
            by_target |= dict(zip(group.targets, self._outside_of(group, together=not by_segment), strict=True))
        scores_of_rows = [by_target[row] for row in self.rows]
        if by_segment:
            return np.array([[score.segments[self.places] for score in scores] for scores in scores_of_rows])
        return np.array([[score.score for score in scores] for scores in scores_of_rows])

    def _outside_of(self, group: TargetGroup, together: bool) -> list[list[TargetScores]]:
        """Return scores by target and metric; `together` replaces the score of a target by that of chosen segments."""
        targets, references = group.targets, group.references
        if targets == (NEW_SYSTEM,):
            metrics = [metric for metric in map(find_computed, self.metrics) if metric is not None]
            return self.texts_with_new.scores(group, metrics, chosen=self.places)
        scores = [[self.tree.read(target, references, name) for name in self.metrics] for target in targets]
        return self._score_chosen(group, scores) if together and self.options.segments is not None else scores

    def _score_chosen(self, group: TargetGroup, scores: list[list[TargetScores]]) -> list[list[TargetScores]]:
        """Replace the scores of targets by those of the chosen segments, which files do not have.

        They are computed from the texts; if the texts are unknown, or the metric is the user's, they are means.
        """
        metrics = {i: metric for i, name in enumerate(self.metrics) if (metric := find_computed(name)) is not None}
        known = self.texts is not None and self.texts.knows((*group.references, *group.targets))
        exact: dict[int, list[float]] = {}
        if known and self.texts is not None and metrics:
            by_target = self.texts.scores(group, list(metrics.values()), chosen=self.places)
            exact = {i: [of_target[k].score for of_target in by_target] for k, i in enumerate(metrics)}
        means = [name for i, name in enumerate(self.metrics) if i not in exact]
        note = f"{', '.join(means)}: the score of the chosen segments is the mean over them"
        if means and note not in self.notes:
            self.notes.append(note)
        return [
            [
                score._replace(
                    score=exact[i][t] if i in exact else float(mean_ignoring_nan(score.segments[self.places], 0))
                )
                for i, score in enumerate(of_target)
            ]
            for t, of_target in enumerate(scores)
        ]

    # --- inside QARLA ------------------------------------------------------------------------------------------------

    @cached_property
    def similarities(self) -> TextSimilarities:
        """The similarities of pairs of texts on the chosen segments; a new system is the last."""
        self._need_references(2, "QUEEN")
        self._complete(group_by_reference(self.systems, self.references))
        similarities = self.tree.similarities(self.metrics, self.systems, self.references)
        return self._choose_segments(self._add_new(similarities) if self.options.tried else similarities)

    def _need_references(self, least: int, measure: str) -> None:
        if len(self.references) < least:
            raise InputError(f"{measure}: expected at least {least} references, found {len(self.references)}")

    def _choose_segments(self, similarities: TextSimilarities) -> TextSimilarities:
        return similarities if self.options.segments is None else similarities.select(segments=self.places)

    def _add_new(self, similarities: TextSimilarities) -> TextSimilarities:
        """Add the new system after the others, without writing files."""
        metrics = [metric for metric in map(find_computed, self.metrics) if metric is not None]
        texts, systems = self.texts_with_new, similarities.systems
        if texts.n_segments != similarities.n_segments:
            raise InputError(
                f"{self.options.tried}: expected {similarities.n_segments} lines as in the XML files, found "
                f"{texts.n_segments}"
            )
        by_reference = [texts.scores(TargetGroup((name,), (NEW_SYSTEM,)), metrics)[0] for name in self.references]
        new = np.stack([[score.segments for score in scores] for scores in by_reference], axis=-1)
        to_references = np.insert(similarities.to_references, len(systems), round_last_bits(new), axis=2)
        return replace(similarities, systems=(*systems, NEW_SYSTEM), to_references=to_references, to_systems=None)

    @property
    def every(self) -> list[int]:
        """The indices of all metrics."""
        return list(range(len(self.metrics)))

    @cached_property
    def comparison(self) -> PairSelection:
        selection = PairSelection(self.options.trans_topic, seed=SEED)
        if selection.trans_topic:
            pairs = selection.describe(self.similarities, self.every)
            self.notes.append(f"trans-topic mode: {pairs}" + f", seed:{selection.seed}" * (pairs != "pairs:all"))
        return selection

    def queens(self) -> Floats:
        """Return QUEEN under all metrics as float64[rows, segments]; that of a reference is by the other references."""
        (shares,) = compute_queens(self.similarities, [self.every], self.comparison)
        if not self.options.of_references:
            return shares.T
        self._need_references(3, "QUEEN of a reference by the others")
        (held_out,) = compute_held_out_queens(self.similarities, [self.every], self.comparison)
        return np.concatenate([shares.T, held_out[:, :, -1].T])

    def kings(self, sets: Sequence[Sequence[int]]) -> list[SegmentKings]:
        """Return KING of sets of metrics; `sets` has the indices of their metrics."""
        self._need_references(3, "KING")
        cases = [
            HeldOutCases.of(queens, self.similarities.present)
            for queens in compute_held_out_queens(self.similarities, sets, self.comparison)
        ]
        kings = [SegmentKings(*cases_of_set.by_segment.T) for cases_of_set in cases]
        undefined: dict[int, list[str]] = {}
        for members, king in zip(sets, kings, strict=True):
            undefined.setdefault(int(np.isnan(king.won).sum()), []).append("+".join(self.metrics[m] for m in members))
        for count, names in undefined.items():
            prefix = "" if len(undefined) == 1 else f"{', '.join(names)}: "
            note = f"{prefix}{count} of {self.similarities.n_segments} segments have no KING"
            if count and note not in self.notes:
                self.notes.append(note)
        return kings

    def best_set(self) -> list[int]:
        """Return the set of the manual's greedy search: metrics by decreasing KING, each added if it raises KING."""
        self._need_references(3, "KING")
        selection = self.comparison
        pairs = None
        if selection.trans_topic:
            pairs = sample_pairs(self.similarities, selection.n_pairs, selection.seed)
        tallies = SetTallies(Decisions.of(self.similarities, pairs), np.zeros(self.similarities.n_segments, np.intp))
        return list(greedy(KingObjective(tallies, "count")))

    def jacks(self) -> Floats:
        """Return JACK under all metrics as float64[segments]; a new system is not used."""
        self._need_references(2, "JACK")
        if len(self.systems) < 2:
            raise InputError(f"JACK: expected at least two systems, found {self.systems[0]} alone")
        self._complete(group_by_reference(self.systems, self.references, between_systems=True))
        similarities = self.tree.similarities(self.metrics, self.systems, self.references, True)
        similarities = self._choose_segments(similarities)
        (shares,) = compute_queens(similarities, [self.every], self.comparison)
        return mean_ignoring_nan(find_surrounded_references(similarities, self.every, shares), 1)
