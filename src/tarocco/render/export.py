"""The scores in a store as one long table, a row a segment: CSV, JSONL or Parquet."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from tarocco._version import __version__
from tarocco.core.errors import InputError, MissingExtra, TaroccoError
from tarocco.core.names import write_value
from tarocco.io.files import replace_file
from tarocco.io.tables import write_rows
from tarocco.meta.orange.cache import EXTERNAL, NAME
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metric, release_of
from tarocco.store import Store
from tarocco.store.maintenance import SeriesEntry, read_rows

FORMATS = ("csv", "jsonl", "parquet")
HEADER = ("signature", "metric", "system", "text", "segment", "score", "statistics")
_ROWS = 65536  # a Parquet row group


def format_of(path: str | None, asked: str | None) -> str:
    """What to write: as asked, or as the file's suffix says; CSV to standard output."""
    if asked:
        return asked
    if path is None:
        return "csv"
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(f"{path}: a file that ends in .csv, .jsonl or .parquet is wanted, or --format")
    return suffix


def current_metric(entry: SeriesEntry) -> Metric | None:
    """The metric whose statistics these are, if this release has it; others may count other things under its name."""
    known = _known(entry.metric)
    if known is None:
        return None
    same = entry.signature.endswith(f"|v:{__version__}") and release_of(known) == entry.release
    return known if same else None


def of_this_release(entry: SeriesEntry) -> bool:
    """Whether this release would read a series; outcomes of ORANGE have the metrics' names behind their own."""
    if not entry.metric.startswith(f"{NAME} "):
        return current_metric(entry) is not None
    names = entry.metric.removeprefix(f"{NAME} ").split(" + ")
    releases = entry.release.split(" + ")
    known = [_known(name) if release != EXTERNAL else None for name, release in zip(names, releases, strict=True)]
    now = [release_of(one) if one is not None else EXTERNAL for one in known]
    return now == releases and (set(now) == {EXTERNAL} or f"|v:{__version__}" in entry.signature)


def _known(name: str) -> Metric | None:
    try:
        return metric(name)
    except TaroccoError:
        return None


def columns_of(store: Store, entry: SeriesEntry) -> Iterator[dict[str, list[Any]]]:
    """A block of a series, column by column; what another release or a missing plug-in counted has no score."""
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
    """Write all rows of some series to a file, or to `out` if there is none; a file is whole or not there."""
    if path is not None and os.path.exists(path) and os.path.samefile(path, store.path):
        raise InputError(f"{path}: this is the store itself; name another file")
    parts = (part for entry in entries for part in columns_of(store, entry))
    if form == "parquet":
        if path is None:
            raise InputError("Parquet is not text: name a file with -o")
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
        out.writelines(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n" for row in rows)


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
