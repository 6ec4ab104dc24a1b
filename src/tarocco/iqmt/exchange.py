"""Similarities to and from a tree of IQ XML files, for programs."""

from __future__ import annotations

import os
from pathlib import Path

from tarocco.core.errors import InputError
from tarocco.io.files import write_atomically
from tarocco.iqmt.configs import check_name, read_eval, written_config
from tarocco.iqmt.tree import Scores, Tree
from tarocco.meta.qarla.queen import mean_ignoring_nan
from tarocco.meta.qarla.similarities import Similarities

CONFIG = "IQeval.config"


def read_iq(
    config: str | os.PathLike[str],
    *,
    metrics: str | None = None,
    systems: str | None = None,
    references: str | None = None,
    between_systems: bool = False,
) -> Similarities:
    """Similarities of pairs of texts, from the IQ XML files that lie beside an IQeval.config.

    Parameters
    ----------
    config
        The file that has the sets, or the folder that it is in.
    metrics, systems, references
        Names of sets in it; all by default.
    between_systems
        Read how near systems are to each other, too, which JACK needs.

    Raises
    ------
    InputError
        If a file is missing or is no such file; the message names it and the line.
    """
    path = Path(config)
    found = read_eval(str(path / CONFIG if path.is_dir() else path))
    return Tree(found.folder).similarities(
        found.members("metrics", metrics),
        found.members("systems", systems),
        found.members("references", references),
        between_systems,
    )


def write_iq(similarities: Similarities, folder: str | os.PathLike[str]) -> None:
    """Write similarities of pairs of texts as IQ XML files, TARGET/REFERENCE/metric.xml, and an IQeval.config.

    A file's own score is the mean of its segments'. Numbers are written with all their digits: reading them gives the
    same similarities. Names of systems, references and metrics become names of files, which have no slashes, colons
    or spaces.
    """
    near, root = similarities, Path(folder)
    for name in (*near.metrics, *near.systems, *near.references):
        check_name(name, str(root))
    names = [*near.systems, *near.references]
    if len(set(names)) < len(names):
        raise InputError("systems and references need names of their own")
    tree, last = Tree(root), len(near.systems)
    for m, metric in enumerate(near.metrics):
        for a, target in enumerate(names):
            for r, reference in enumerate(near.references):
                if a != last + r:
                    segments = near.to_references[m, :, a, r]
                    tree.write(target, [reference], metric, Scores(float(mean_ignoring_nan(segments, 0)), segments))
            if near.to_systems is not None and a < last:
                for b, other in enumerate(near.systems):
                    if a != b:
                        segments = near.to_systems[m, :, a, b]
                        tree.write(target, [other], metric, Scores(float(mean_ignoring_nan(segments, 0)), segments))
    path = root / CONFIG
    text = written_config(
        root.resolve().name,
        "a program",
        {},
        near.systems,
        near.references,
        near.metrics,
        near.n_segments,
        str(path) if path.exists() else None,
    )
    write_atomically(path, text.encode())
