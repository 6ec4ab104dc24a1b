"""What IQsetup does: the files that a tree misses, and IQeval.config, which names everything."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.io.files import check_no_overwrite, check_writable, write_atomically
from tarocco.iqmt.configs import Setup, Text, read_eval, written_config
from tarocco.iqmt.names import READING, by_family, computed
from tarocco.iqmt.tree import Scores, Tree
from tarocco.metrics.base import Metric
from tarocco.scoring.resampling import sum_rows
from tarocco.scoring.score import score_test_set

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Column:
    """Files that are computed together: some targets, all compared with the same reference or references."""

    references: tuple[str, ...]
    targets: tuple[str, ...]


def single_columns(systems: Sequence[str], references: Sequence[str], between_systems: bool = False) -> list[Column]:
    """Every text against every reference alone; systems against each other if asked for (JACK)."""
    texts = (*systems, *references)
    columns = [Column((one,), tuple(text for text in texts if text != one)) for one in references]
    if between_systems and len(systems) > 1:
        columns += [Column((one,), tuple(text for text in systems if text != one)) for one in systems]
    return columns


def joint_columns(systems: Sequence[str], references: Sequence[str], of_references: bool = True) -> list[Column]:
    """Outside QARLA: systems against all references, and each reference against all others."""
    columns = [Column(tuple(references), tuple(systems))]
    if of_references and len(references) > 1:
        columns += [Column(tuple(other for other in references if other != one), (one,)) for one in references]
    return columns


@dataclass(frozen=True)
class Texts:
    """The texts of a test bed by name."""

    systems: dict[str, Segments]
    references: dict[str, Segments]

    def __post_init__(self) -> None:
        both = sorted(self.systems.keys() & self.references.keys())
        if both:
            raise InputError(f"{', '.join(both)}: systems and references need names of their own")
        TestSet(self.systems, tuple(self.references.values()))  # whether they have the same number of lines

    @property
    def n_segments(self) -> int:
        return len(next(iter(self.references.values())))

    def knows(self, names: Iterable[str]) -> bool:
        return all(name in self.systems or name in self.references for name in names)

    def scores(
        self,
        column: Column,
        metrics: Sequence[Metric],
        advance: Advance | None = None,
        chosen: Sequence[int] | None = None,
    ) -> list[list[Scores]]:
        """By target and metric. `chosen` are the places of segments that the targets' own scores are made from."""
        texts = {**self.systems, **self.references}
        alone = TestSet(
            {name: texts[name] for name in column.targets}, tuple(texts[name] for name in column.references)
        )
        rows = slice(None) if chosen is None else list(chosen)
        scored = score_test_set(alone, metrics, READING, progress=advance).scores
        found = []
        for t, target in enumerate(column.targets):
            missing = self._missing(target) | np.all([self._missing(name) for name in column.references], axis=0)
            of_target = []
            for one in scored[t * len(metrics) : (t + 1) * len(metrics)]:
                segments = np.where(missing, np.nan, one.segments)
                whole = one.score if chosen is None else float(one.metric.score(sum_rows(one.statistics[rows])))
                of_target.append(Scores(whole, segments))
            found.append(of_target)
        return found

    def _missing(self, name: str) -> NDArray[np.bool_]:
        """Which segments a text does not have: a blank line of a reference beside others is no reference."""
        if name in self.systems:
            return np.zeros(self.n_segments, np.bool_)
        streams = list(self.references)
        present: NDArray[np.bool_] = TestSet({}, tuple(self.references.values())).present[streams.index(name)]
        return ~present


def missing_files(
    tree: Tree, columns: Sequence[Column], metrics: Sequence[str], remake: bool = False
) -> list[tuple[Column, list[str]]]:
    """What must be computed: targets that lack the same metrics of a family, compared with the same references."""
    wanted: list[tuple[Column, list[str]]] = []
    planned: set[Path] = set()
    for column in columns:
        for names in by_family(metrics).values():
            lacking: dict[tuple[str, ...], list[str]] = {}
            for target in column.targets:
                files = {name: tree.path(target, column.references, name) for name in names}
                absent = tuple(
                    name for name in names if files[name] not in planned and (remake or not files[name].exists())
                )
                planned.update(files.values())
                if absent:
                    lacking.setdefault(absent, []).append(target)
            wanted += [(Column(column.references, tuple(targets)), list(own)) for own, targets in lacking.items()]
    return wanted


def make_files(
    tree: Tree, texts: Texts, wanted: Sequence[tuple[Column, list[str]]], advance: Advance | None = None
) -> None:
    """Compute and write files, a family and a reference at a time; after a stop those that are written stay."""
    for column, names in wanted:
        metrics = [metric for metric in map(computed, names) if metric is not None]
        scores = texts.scores(column, metrics, advance)
        for target, of_target in zip(column.targets, scores, strict=True):
            for name, found in zip(names, of_target, strict=True):
                tree.write(target, column.references, name, found)


def work_of(wanted: Sequence[tuple[Column, list[str]]], n_segments: int) -> int:
    """How many scores `make_files` computes."""
    return n_segments * sum(len(column.targets) * len(names) for column, names in wanted)


Progress = Callable[[str, int], AbstractContextManager[Callable[..., None]]]


@dataclass(frozen=True)
class Made:
    """What a run of IQsetup did."""

    computed: int  # files
    there: int  # files that were there already
    older: tuple[str, ...]  # texts that changed after some of those had been computed


def set_up(setup: Setup, config: str, between_systems: bool, remake: bool, progress: Progress) -> Made:
    """Compute what the tree beside `config` misses, and write `config`. References are R0, R1, ..., systems S0, ..."""
    references = {f"R{i}": text for i, text in enumerate(setup.references)}
    systems = {f"S{i}": text for i, text in enumerate(setup.systems)}
    named = {**systems, **references}
    check_no_overwrite([config], [setup.path, setup.source, *(text.path for text in named.values())])
    check_writable(config)
    texts = Texts(*({name: text.segments for name, text in some.items()} for some in (systems, references)))
    metrics = [name for names in setup.metrics.values() for name in names]
    tree = Tree(Path(config).parent)
    singles = single_columns(list(systems), list(references), between_systems)
    columns = list(dict.fromkeys([*singles, *joint_columns(list(systems), list(references))]))
    wanted = missing_files(tree, columns, metrics, remake)
    all_files = {
        tree.path(target, column.references, name)
        for column in columns
        for target in column.targets
        for name in metrics
    }
    new = {
        tree.path(target, column.references, name)
        for column, names in wanted
        for target in column.targets
        for name in names
    }
    _check_same_texts(setup, config, named, all_files - new)
    older = _changed_since(named, all_files - new)
    text = written_config(
        setup.name,
        Path(setup.path).name,
        {
            **({"source": [("", _beside(setup.source, config))]} if setup.source else {}),
            "ref": [(name, _beside(text.path, config)) for name, text in references.items()],
            "system": [(name, _beside(text.path, config)) for name, text in systems.items()],
        },
        list(systems),
        list(references),
        metrics,
        texts.n_segments,
        config if Path(config).exists() else None,
    )
    # It tells whose files the tree has, also after a stop: new ones from the first on, or old ones to the last.
    replaced = remake and Path(config).exists()
    if not replaced:
        write_atomically(config, text.encode())
    with progress("scores", work_of(wanted, texts.n_segments)) as advance:
        make_files(tree, texts, wanted, advance)
    if replaced:
        write_atomically(config, text.encode())
    return Made(len(new), len(all_files) - len(new), older)


def _beside(path: str, config: str) -> str:
    """A path as seen from the folder of the configuration, so that the two can be moved together."""
    relative = os.path.relpath(path, Path(config).parent)
    return path if os.path.isabs(path) and relative.startswith(os.pardir) else relative


def _check_same_texts(setup: Setup, config: str, texts: dict[str, Text], kept: set[Path]) -> None:
    """Refuse to keep files of S0 if S0 was another text when they were computed, as after a new line in the middle."""
    if not kept or not Path(config).exists():
        return
    old = read_eval(config)
    before = {**old.paths("ref"), **old.paths("system")}
    used = {name for path in kept for name in (path.parent.parent.name, *path.parent.name.split("_"))}
    for name, text in texts.items():
        was = before.get(name, text.path)
        if name in used and os.path.realpath(was) != os.path.realpath(text.path):
            raise InputError(
                f"{setup.path}: {name} would be {text.path}, and its XML files are those of {was}; put new texts "
                "behind the others, or compute all files again with -remake"
            )


def _changed_since(texts: dict[str, Text], files: set[Path]) -> tuple[str, ...]:
    """Texts that are newer than files made from them: what IQmt would leave unsaid."""
    if not files:
        return ()
    oldest: dict[str, float] = {}
    for path in files:
        made = path.stat().st_mtime
        for name in (path.parent.parent.name, *path.parent.name.split("_")):
            oldest[name] = min(made, oldest.get(name, made))
    return tuple(
        text.path for name, text in texts.items() if name in oldest and os.path.getmtime(text.path) > oldest[name]
    )
