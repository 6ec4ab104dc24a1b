"""Scores as files for other programs: a store as CSV, JSONL or Parquet, and the layout of mt-metrics-eval."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.core.errors import InputError, MissingExtra, TaroccoError
from tarocco.core.json_text import json_text
from tarocco.core.test_set import HumanScores
from tarocco.io.files import replace_file, write_atomically
from tarocco.io.scores.mt_metrics_eval import ScoreFile, ScoreFileName
from tarocco.io.tables import write_rows
from tarocco.meta.orange.cache import EXTERNAL, NAME
from tarocco.metrics.base import Metric
from tarocco.metrics.names import write_value
from tarocco.metrics.registry import metric, release_of
from tarocco.store import Store
from tarocco.store.maintenance import SeriesEntry, read_rows

FORMATS = ("csv", "jsonl", "parquet")
HEADER = ("signature", "metric", "system", "text", "segment", "score", "statistics")
_ROWS = 65536  # in a row group of Parquet


def format_of(path: str | None, requested: str | None) -> str:
    """Return the format to write: the requested one, or that of the file's suffix; CSV for standard output."""
    if requested:
        return requested
    if path is None:
        return "csv"
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(f"{path}: expected a file that ends in .csv, .jsonl or .parquet, or --format")
    return suffix


def current_metric(entry: SeriesEntry) -> Metric | None:
    """Return the metric of a series, or None if another release computed it: its statistics may differ."""
    known = known_metric(entry.metric)
    if known is None:
        return None
    same = entry.signature.endswith(f"|v:{__version__}") and release_of(known) == entry.release
    return known if same else None


def of_this_release(entry: SeriesEntry) -> bool:
    """Return whether this release would read a series. The name of an ORANGE series ends in those of its metrics."""
    if not entry.metric.startswith(f"{NAME} "):
        return current_metric(entry) is not None
    names = entry.metric.removeprefix(f"{NAME} ").split(" + ")
    releases = entry.release.split(" + ")
    known = [known_metric(name) if release != EXTERNAL else None for name, release in zip(names, releases, strict=True)]
    now = [release_of(signature) if signature is not None else EXTERNAL for signature in known]
    return now == releases and (set(now) == {EXTERNAL} or f"|v:{__version__}" in entry.signature)


def known_metric(name: str) -> Metric | None:
    """Return the metric of a name, or None if there is no such metric here."""
    try:
        return metric(name)
    except TaroccoError:
        return None


def columns_of(store: Store, entry: SeriesEntry) -> Iterator[dict[str, list[Any]]]:
    """Yield the blocks of a series as columns, without scores if another release or a missing plug-in computed it."""
    known = current_metric(entry)
    for first, numbers in read_rows(store, entry):
        n = len(numbers)
        scores = known.score(numbers).tolist() if known else [math.nan] * n
        yield {
            "signature": [entry.signature] * n,
            "metric": [entry.metric] * n,
            "system": [entry.subject] * n,
            "text": [entry.text] * n,
            "segment": list(range(first + 1, first + n + 1)),
            "score": [None if math.isnan(score) else score for score in scores],
            "statistics": numbers.tolist(),
        }


def export(store: Store, entries: Sequence[SeriesEntry], form: str, path: str | None, out: TextIO) -> None:
    """Write all rows of some series to a file, completely or not at all, or without a path to `out`."""
    if path is not None and os.path.exists(path) and os.path.samefile(path, store.path):
        raise InputError(f"{path} is the store: name another file")
    parts = (part for entry in entries for part in columns_of(store, entry))
    if form == "parquet":
        if path is None:
            raise InputError("Parquet is a binary format: name a file with -o")
        _parquet(parts, path)
    elif path is None:
        _text(parts, form, out)
    else:
        with replace_file(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
            _text(parts, form, file)


def _text(parts: Iterator[dict[str, list[Any]]], form: str, out: TextIO) -> None:
    rows = (row for part in parts for row in zip(*part.values(), strict=True))
    if form == "csv":
        write_rows(out, [HEADER], ",")
        write_rows(out, ((*row[:-1], " ".join(map(write_value, row[-1]))) for row in rows), ",")
    else:
        out.writelines(json_text(dict(zip(HEADER, row, strict=True)), ascii=True) + "\n" for row in rows)


def _parquet(parts: Iterator[dict[str, list[Any]]], path: str) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra('Parquet needs pyarrow: pip install "tarocco[arrow]"') from None
    kinds: list[Any] = [pyarrow.string()] * 4 + [pyarrow.int64(), pyarrow.float64(), pyarrow.list_(pyarrow.float64())]
    schema = pyarrow.schema(list(zip(HEADER, kinds, strict=True)))
    with replace_file(path) as temporary, parquet.ParquetWriter(temporary, schema) as writer:
        for part in parts:
            writer.write_table(pyarrow.table(part, schema), row_group_size=_ROWS)


# --- mt-metrics-eval -------------------------------------------------------------------------------------------------


def score_file_of(named: ScoreFileName, systems: Sequence[str], scores: NDArray[np.float64]) -> ScoreFile:
    """Return a file of scores, float64[systems, segments] or float64[systems], higher is better; NaN becomes None."""
    for part in (named.language_pair, named.name, named.reference or "", *systems):
        if re.search(r"[\s/]", part):
            raise InputError(f'names in mt-metrics-eval have no spaces or slashes, found "{part}"')
    lines = [
        f"{system}\t{'None' if math.isnan(score) else repr(score)}\n"
        for system, values in zip(systems, scores.reshape(len(systems), -1).tolist(), strict=True)
        for score in values
    ]
    return ScoreFile(named, tuple(systems), scores, "".join(lines).encode())


def human_score_files(human: HumanScores, language_pair: str) -> list[ScoreFile]:
    """Return one file per criterion; mt-metrics-eval expects that higher is better, so errors are negated."""
    level = "sys" if human.level == "system" else "seg"
    return [
        score_file_of(ScoreFileName(language_pair, name, level), human.systems, human.higher_is_better(name))
        for name in human.criteria
    ]


def write_score_files(files: Iterable[ScoreFile], folder: str) -> list[str]:
    """Write files to their places below a folder, which is created if it is missing; return their paths."""
    paths = []
    for file in files:
        path = Path(folder) / file.named.place
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: this directory could not be created: {error.strerror or error}") from None
        write_atomically(path, file.data)
        paths.append(str(path))
    return paths
