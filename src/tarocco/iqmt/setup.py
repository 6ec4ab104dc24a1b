"""IQsetup: compute the missing XML files of a test bed, and write IQeval.config."""

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
from tarocco.io.test_set import TextColumn
from tarocco.iqmt.configs import (
    ENCODING,
    SetupConfig,
    find_computed,
    format_eval,
    group_by_family,
    read_eval,
)
from tarocco.iqmt.tree import ScoreTree, TargetScores
from tarocco.metrics.base import Metric
from tarocco.scoring.resampling import sum_rows
from tarocco.scoring.score import score_test_set

Advance = Callable[[int], None]
Progress = Callable[[str, int], AbstractContextManager[Callable[..., None]]]


@dataclass(frozen=True)
class TargetGroup:
    """Targets that are compared with the same references; their files are computed together."""

    references: tuple[str, ...]
    targets: tuple[str, ...]


def group_by_reference(
    systems: Sequence[str], references: Sequence[str], between_systems: bool = False
) -> list[TargetGroup]:
    """Return groups that compare every text with every single reference, and systems with each other for JACK."""
    texts = (*systems, *references)
    groups = [TargetGroup((name,), tuple(text for text in texts if text != name)) for name in references]
    if between_systems and len(systems) > 1:
        groups += [TargetGroup((name,), tuple(text for text in systems if text != name)) for name in systems]
    return groups


def group_by_all_references(
    systems: Sequence[str], references: Sequence[str], of_references: bool = True
) -> list[TargetGroup]:
    """Return groups for scores outside QARLA: systems against all references, each reference against the others."""
    groups = [TargetGroup(tuple(references), tuple(systems))]
    if of_references and len(references) > 1:
        groups += [TargetGroup(tuple(other for other in references if other != name), (name,)) for name in references]
    return groups


@dataclass(frozen=True)
class TestBedTexts:
    """The texts of a test bed by name."""

    __test__ = False  # pytest must not collect this class

    systems: dict[str, Segments]
    references: dict[str, Segments]

    def __post_init__(self) -> None:
        both = sorted(self.systems.keys() & self.references.keys())
        if both:
            raise InputError(f"expected different names of systems and references, found {', '.join(both)} in both")
        TestSet(self.systems, tuple(self.references.values()))  # raises if the numbers of lines differ

    @property
    def n_segments(self) -> int:
        return len(next(iter(self.references.values())))

    def knows(self, names: Iterable[str]) -> bool:
        return all(name in self.systems or name in self.references for name in names)

    def scores(
        self,
        group: TargetGroup,
        metrics: Sequence[Metric],
        advance: Advance | None = None,
        chosen: Sequence[int] | None = None,
    ) -> list[list[TargetScores]]:
        """Return scores by target and metric; `chosen` are the segments that enter the score of a target."""
        texts = {**self.systems, **self.references}
        test_set = TestSet(
            {name: texts[name] for name in group.targets}, tuple(texts[name] for name in group.references)
        )
        rows = slice(None) if chosen is None else list(chosen)
        scored = score_test_set(test_set, metrics, ENCODING, progress=advance).scores
        scores = []
        for t, target in enumerate(group.targets):
            missing = self._missing(target) | np.all([self._missing(name) for name in group.references], axis=0)
            of_target = []
            for score in scored[t * len(metrics) : (t + 1) * len(metrics)]:
                segments = np.where(missing, np.nan, score.segments)
                whole = score.score if chosen is None else float(score.metric.score(sum_rows(score.statistics[rows])))
                of_target.append(TargetScores(whole, segments))
            scores.append(of_target)
        return scores

    def _missing(self, name: str) -> NDArray[np.bool_]:
        """Return which segments a text lacks: a blank line of one of several references is a missing reference."""
        if name in self.systems:
            return np.zeros(self.n_segments, np.bool_)
        streams = list(self.references)
        present: NDArray[np.bool_] = TestSet({}, tuple(self.references.values())).present[streams.index(name)]
        return ~present


def find_missing_files(
    tree: ScoreTree, groups: Sequence[TargetGroup], metrics: Sequence[str], remake: bool = False
) -> list[tuple[TargetGroup, list[str]]]:
    """Return groups of targets that lack the same metrics of a family, with these metrics; all files for `remake`."""
    missing: list[tuple[TargetGroup, list[str]]] = []
    planned: set[Path] = set()
    for group in groups:
        for names in group_by_family(metrics).values():
            lacking: dict[tuple[str, ...], list[str]] = {}
            for target in group.targets:
                files = {name: tree.path(target, group.references, name) for name in names}
                absent = tuple(
                    name for name in names if files[name] not in planned and (remake or not files[name].exists())
                )
                planned.update(files.values())
                if absent:
                    lacking.setdefault(absent, []).append(target)
            missing += [
                (TargetGroup(group.references, tuple(targets)), list(absent)) for absent, targets in lacking.items()
            ]
    return missing


def compute_files(
    tree: ScoreTree,
    texts: TestBedTexts,
    missing: Sequence[tuple[TargetGroup, list[str]]],
    advance: Advance | None = None,
) -> None:
    """Compute and write files group by group; an interrupted run leaves the files written so far."""
    for group, names in missing:
        metrics = [metric for metric in map(find_computed, names) if metric is not None]
        scores = texts.scores(group, metrics, advance)
        for target, of_target in zip(group.targets, scores, strict=True):
            for name, score in zip(names, of_target, strict=True):
                tree.write(target, group.references, name, score)


def count_scores(missing: Sequence[tuple[TargetGroup, list[str]]], n_segments: int) -> int:
    """Return how many scores `compute_files` computes."""
    return n_segments * sum(len(group.targets) * len(names) for group, names in missing)


@dataclass(frozen=True)
class SetupResult:
    """The numbers of XML files that were computed and that existed, and the texts that are newer than their files."""

    computed: int
    there: int
    older: tuple[str, ...]


def set_up(setup: SetupConfig, config: str, between_systems: bool, remake: bool, progress: Progress) -> SetupResult:
    """Compute the missing files beside `config`, and write `config`; references are R0, R1, ..., systems S0, S1, ..."""
    references = {f"R{i}": text for i, text in enumerate(setup.references)}
    systems = {f"S{i}": text for i, text in enumerate(setup.systems)}
    named = {**systems, **references}
    check_no_overwrite([config], [setup.path, setup.source, *(text.path for text in named.values())])
    check_writable(config)
    texts = TestBedTexts(*({name: text.segments for name, text in part.items()} for part in (systems, references)))
    metrics = [name for names in setup.metrics.values() for name in names]
    tree = ScoreTree(Path(config).parent)
    by_reference = group_by_reference(list(systems), list(references), between_systems)
    groups = list(dict.fromkeys([*by_reference, *group_by_all_references(list(systems), list(references))]))
    missing = find_missing_files(tree, groups, metrics, remake)
    all_files = {
        tree.path(target, group.references, name) for group in groups for target in group.targets for name in metrics
    }
    new = {
        tree.path(target, group.references, name)
        for group, names in missing
        for target in group.targets
        for name in names
    }
    _check_same_texts(setup, config, named, all_files - new)
    older = _find_newer_texts(named, all_files - new)
    text = format_eval(
        setup.name,
        Path(setup.path).name,
        {
            **({"source": [("", _relative_to(setup.source, config))]} if setup.source else {}),
            "ref": [(name, _relative_to(text.path, config)) for name, text in references.items()],
            "system": [(name, _relative_to(text.path, config)) for name, text in systems.items()],
        },
        list(systems),
        list(references),
        metrics,
        texts.n_segments,
        config if Path(config).exists() else None,
    )
    # The configuration must match the files even after an interruption: new files need the new one from the start, and
    # files that are replaced need the old one to the end.
    replaced = remake and Path(config).exists()
    if not replaced:
        write_atomically(config, text.encode())
    with progress("scores", count_scores(missing, texts.n_segments)) as advance:
        compute_files(tree, texts, missing, advance)
    if replaced:
        write_atomically(config, text.encode())
    return SetupResult(len(new), len(all_files) - len(new), older)


def _relative_to(path: str, config: str) -> str:
    """Return a path relative to the folder of the configuration, so that both can be moved together."""
    relative = os.path.relpath(path, Path(config).parent)
    return path if os.path.isabs(path) and relative.startswith(os.pardir) else relative


def _check_same_texts(setup: SetupConfig, config: str, texts: dict[str, TextColumn], existing: set[Path]) -> None:
    """Raise InputError if existing files of S0 come from another text, as after a text is inserted before it."""
    if not existing or not Path(config).exists():
        return
    old = read_eval(config)
    before = {**old.paths("ref"), **old.paths("system")}
    used = {name for path in existing for name in (path.parent.parent.name, *path.parent.name.split("_"))}
    for name, text in texts.items():
        was = before.get(name, text.path)
        if name in used and os.path.realpath(was) != os.path.realpath(text.path):
            raise InputError(
                f"{setup.path}: expected {was} as {name}, as in its XML files, found {text.path}; add new texts after "
                "the others, or compute all files again with -remake"
            )


def _find_newer_texts(texts: dict[str, TextColumn], files: set[Path]) -> tuple[str, ...]:
    """Return texts that are newer than their files."""
    if not files:
        return ()
    oldest: dict[str, float] = {}
    for path in files:
        modified = path.stat().st_mtime
        for name in (path.parent.parent.name, *path.parent.name.split("_")):
            oldest[name] = min(modified, oldest.get(name, modified))
    return tuple(
        text.path for name, text in texts.items() if name in oldest and os.path.getmtime(text.path) > oldest[name]
    )
