"""The files of a test bed: TARGET/REFERENCE/metric.xml, and TARGET/R0_R1_R2/metric.xml for several references."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.iqmt.eval_config import check_name
from tarocco.iqmt.names import ALSO, written
from tarocco.iqmt.scores_file import Scores, read_scores, text_of
from tarocco.judge.sides import snapped
from tarocco.judge.similarities import Similarities
from tarocco.metrics.base import Floats
from tarocco.present.writing import whole_file


@dataclass
class Tree:
    """A folder with IQ XML files. All of them have the same segments; names lead nowhere but into the folder."""

    folder: Path
    first: tuple[Path, int] | None = field(default=None, repr=False)  # the first file read, and its segments

    def path(self, target: str, references: Sequence[str], metric: str) -> Path:
        for name in (target, *references, metric):
            check_name(name, str(self.folder))
        path = self.folder / target / "_".join(references) / f"{written(metric)}.xml"
        root, found = os.path.realpath(self.folder), os.path.realpath(path)
        if os.path.commonpath([root, found]) != root:
            raise InputError(f"{path}: this leads out of {self.folder}, to {found}; it is neither read nor written")
        return path

    def write(self, target: str, references: Sequence[str], metric: str, scores: Scores) -> None:
        """Write a file; it is there as a whole or not at all."""
        path = self.path(target, references, metric)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: this folder cannot be made ({error.strerror})") from None
        with whole_file(path) as temporary:
            temporary.write_text(text_of(target, "_".join(references), written(metric), scores), "utf-8")

    def read(self, target: str, references: Sequence[str], metric: str) -> Scores:
        path = self.path(target, references, metric)
        if not path.exists():
            raise InputError(
                f"{path}: there is no such file; {metric} of {target} against {', '.join(references)} is wanted"
            )
        names = (written(metric), *(other for other, name in ALSO.items() if name == written(metric)))
        found = read_scores(path, target, "_".join(references), names)
        if self.first is None:
            self.first = path, len(found.segments)
        if len(found.segments) != self.first[1]:
            raise InputError(f"{path} has {len(found.segments)} segments, {self.first[0]} has {self.first[1]}")
        return found

    def similarities(
        self, metrics: Sequence[str], systems: Sequence[str], references: Sequence[str], between_systems: bool = False
    ) -> Similarities:
        """What the files say of pairs of texts, each against one other alone."""
        to_references = self._near(metrics, [*systems, *references], references)
        known: NDArray[np.bool_] = np.any(
            ~np.isnan(to_references), axis=(0, 2)
        )  # a reference that nothing was compared with is not there
        return Similarities(
            tuple(metrics),
            tuple(f"{metric}|nrefs:1|iq:{self.folder.resolve().name}" for metric in metrics),
            tuple(systems),
            tuple(references),
            known,
            to_references,
            self._near(metrics, systems, systems) if between_systems else None,
        )

    def _near(self, metrics: Sequence[str], rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """float64[metrics, segments, rows, columns]; NaN between a text and itself."""
        cells = {
            (m, a, b): self.read(row, [column], metric).segments
            for m, metric in enumerate(metrics)
            for a, row in enumerate(rows)
            for b, column in enumerate(columns)
            if row != column
        }
        near = np.full((len(metrics), self.first[1] if self.first else 0, len(rows), len(columns)), np.nan)
        for (m, a, b), segments in cells.items():
            near[m, :, a, b] = segments
        return snapped(near)  # as similarities are that were never written
