"""Where a metric puts machines above people, segment by segment: JSON lines for programs, a page for people."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tarocco.errors import InputError
from tarocco.judge.confusion import Confusion, Scored
from tarocco.present.confusion_page import END, Summary, Words, page_start, section
from tarocco.present.writing import check_writable, whole_file

SUFFIXES = (".jsonl", ".html")


def check_confusions(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a path at which no error analysis can be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{os.fspath(path)}: the name of an error analysis ends in {' or '.join(SUFFIXES)}")
    check_writable(path)


def write_confusions(
    path: str | os.PathLike[str],
    confusions: Iterable[Confusion],
    *,
    title: str,
    settings: Mapping[str, object],
    tokenize: Callable[[str], Sequence[str]],
) -> None:
    """Write confusions as they come, a segment at a time: as .jsonl, or as .html, which has a title and settings.

    The file is whole or not there. The page shows the metrics of a segment together where they follow each other.
    """
    check_confusions(path)
    words = Words(tokenize)
    with whole_file(path) as temporary:
        if Path(path).suffix.lower() == ".jsonl":
            # A lone surrogate becomes its escape, which is what JSON writes for it.
            with open(temporary, "x", encoding="utf-8", errors="backslashreplace", newline="") as file:
                file.writelines(json.dumps(record(one, words), ensure_ascii=False) + "\n" for one in confusions)
        else:
            _write_page(temporary, confusions, title, settings, words)


def record(confusion: Confusion, words: Words) -> dict[str, Any]:
    """One metric's view of one segment; each candidate has its words of difference from each reference."""
    opponents = words.opponents(confusion.references)
    above = []
    for candidate in confusion.above:
        own = words.of(candidate.text)
        found = [opponent.difference(own) for opponent in opponents]
        differences = [
            {"reference": reference.place, "gained": one.gained, "lost": one.lost}
            for reference, one in zip(confusion.references, found, strict=True)
        ]
        alone = found[0].alone  # the same for each reference
        above.append({**_scored(candidate), "copy": candidate.copy, "alone": alone, "differences": differences})
    return {
        "segment": confusion.segment,
        **({} if confusion.list_id is None else {"id": confusion.list_id}),
        "metric": confusion.metric,
        **({} if confusion.source is None else {"source": confusion.source}),
        "size": confusion.size,
        "oracle": {"rank": _number(confusion.oracle_rank), "score": _number(confusion.oracle_score)},
        "references": [
            {**_scored(reference), "unsupported": opponent.unsupported}
            for reference, opponent in zip(confusion.references, opponents, strict=True)
        ],
        "above_count": confusion.above_count,
        "above": above,
    }


def _scored(one: Scored) -> dict[str, Any]:
    return {"place": one.place, "text": one.text, "score": _number(one.score), "rank": _number(one.rank)}


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _write_page(
    path: Path,
    confusions: Iterable[Confusion],
    title: str,
    settings: Mapping[str, object],
    words: Words,
) -> None:
    """The summary stands above the segments and is known after them: they wait in a file of their own."""
    summaries: dict[str, Summary] = {}
    text: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "newline": ""}
    with TemporaryFile("w+", dir=path.parent, **text) as segments:
        for _, together in groupby(confusions, lambda one: one.segment):
            views = list(together)
            for one in views:
                summaries.setdefault(one.metric, Summary()).add(one)
            segments.write(section(views, words))
        segments.seek(0)
        with open(path, "x", **text) as file:
            file.write(page_start(title, settings, summaries))
            shutil.copyfileobj(segments, file)
            file.write(END)
