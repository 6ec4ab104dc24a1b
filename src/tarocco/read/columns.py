"""Columns of tables of scores that are known by their names, written in any case."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tarocco.read.tables import Table, read_table

SEGMENT_COLUMNS = ("segment", "segment0")
SEGMENT_IDS = ("seg_id", "globalsegid")  # as MQM calls them, counted from 1: for segments where nothing else is
JUDGES = ("judge", "annotator", "rater", "judgement")
RANK = "rank"
KEYS = ("system", "target", "reference", *SEGMENT_COLUMNS)
PLACES = ("document", "doc", "doc_id", "docid", "docsegid", "id", "line", *SEGMENT_IDS)
ABOUT = (*KEYS, *JUDGES, "criterion", *PLACES)  # columns that hold no scores
KNOWN = (*ABOUT, "score", RANK, "category", "severity")


def read_scores(path: str) -> Table:
    """A table whose known columns are called as here, and seg_id or globalSegId segment where there is no other."""
    table = read_table(path)
    lower = [name.lower() for name in table.header]
    often = Counter(lower)
    header = [
        known if known in KNOWN and often[known] == 1 else name for name, known in zip(table.header, lower, strict=True)
    ]
    ids = [name for name in SEGMENT_IDS if name in header]
    if ids and not set(SEGMENT_COLUMNS) & set(header):
        header[header.index(ids[0])] = "segment"
    renamed = dict(zip(table.header, header, strict=True))
    kinds = {renamed.get(name, name): kind for name, kind in table.kinds.items()}
    return replace(table, header=tuple(header), kinds=kinds)


def column_of(table: Table, asked: str) -> str | None:
    """The column that somebody asks for, written as in the file or else in another case."""
    alike = [name for name in table.header if name.lower() == asked.lower()]
    return asked if asked in alike else next(iter(alike), None)
