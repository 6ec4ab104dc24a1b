"""What IQsetup does: the files that a tree misses, and IQeval.config, which names everything."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tarocco.errors import InputError
from tarocco.iqmt.eval_config import read_eval, written_config
from tarocco.iqmt.setup_config import Setup, Text
from tarocco.iqmt.texts import Texts, joint_columns, make_files, missing_files, single_columns, work_of
from tarocco.iqmt.tree import Tree
from tarocco.present.writing import check_apart, check_writable, write_whole

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
    check_apart([config], [setup.path, setup.source, *(text.path for text in named.values())])
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
        write_whole(config, text.encode())
    with progress("scores", work_of(wanted, texts.n_segments)) as advance:
        make_files(tree, texts, wanted, advance)
    if replaced:
        write_whole(config, text.encode())
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
