"""Lists, checks and prunes a store: the work of `tarocco store`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tarocco.core.errors import StoreError
from tarocco.store.blocks import Floats, Store, is_intact, unpack_numbers, write_time
from tarocco.store.database import SCHEMA, store_errors, transaction


@dataclass(frozen=True)
class SeriesEntry:
    """A series in a store: what was scored, and how much of it is stored."""

    number: int
    signature: str
    metric: str
    release: str
    subject: str
    text: str  # eight digits that identify the test set
    rows: int
    done: int  # rows with a stored block
    stored_bytes: int
    used: str


@dataclass(frozen=True)
class StoreSummary:
    """The size and contents of a store."""

    path: str
    schema: int
    file_bytes: int
    series: int
    blocks: int
    rows: int
    releases: tuple[str, ...]
    first_used: str | None
    last_used: str | None
    annotations: int = 0  # analyzed texts


def list_series(store: Store) -> list[SeriesEntry]:
    """Return every series, most recently used first."""
    with store_errors(store.path):
        rows = store.connection.execute(
            """SELECT series.id, signature, metric, release, subject, substr(hex(content), 1, 8), series.rows,
                ifnull(sum(blocks.rows), 0), ifnull(sum(length(numbers)), 0), used
            FROM series LEFT JOIN places ON places.series = series.id LEFT JOIN blocks USING (key)
            GROUP BY series.id ORDER BY used DESC, series.id"""
        ).fetchall()
    return [SeriesEntry(*row) for row in rows]


def summarize(store: Store) -> StoreSummary:
    """Return what `tarocco store info` prints."""
    with store_errors(store.path):
        series, first, last = store.connection.execute("SELECT count(*), min(used), max(used) FROM series").fetchone()
        blocks, rows = store.connection.execute("SELECT count(*), ifnull(sum(rows), 0) FROM blocks").fetchone()
        releases = store.connection.execute("SELECT DISTINCT release FROM series ORDER BY release").fetchall()
        (analyzed,) = store.connection.execute("SELECT count(*) FROM annotations").fetchone()
    log = f"{store.path}-wal"
    size = os.path.getsize(store.path) + (os.path.getsize(log) if os.path.exists(log) else 0)
    names = tuple(name for (name,) in releases)
    return StoreSummary(store.path, SCHEMA, size, series, blocks, rows, names, first, last, analyzed)


def read_rows(store: Store, entry: SeriesEntry) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, numbers) of the stored blocks of a series, in order."""
    with store_errors(store.path):
        places = store.connection.execute(
            "SELECT first, key FROM places WHERE series = ? ORDER BY first", (entry.number,)
        ).fetchall()
    for first, key in places:
        for numbers in store.get([key]).values():
            yield first, numbers


def problems(store: Store) -> list[str]:
    """Return one sentence per problem with a store."""
    connection = store.connection
    try:
        sentences = [f"SQLite: {text}" for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
        sentences += [
            f"series {row} has a dangling reference" for _, row, *_ in connection.execute("PRAGMA foreign_key_check")
        ]
        for number, rows, kinds, checksum, numbers in connection.execute(
            "SELECT id, rows, kinds, checksum, numbers FROM blocks"
        ):
            if not is_intact(numbers, checksum):
                sentences.append(f"block {number}: the numbers do not match their checksum")
                continue
            try:
                unpack_numbers(kinds, rows, numbers)
            except (KeyError, TypeError, ValueError):
                sentences.append(f"block {number}: expected {rows} rows of type {kinds}, found {len(numbers)} bytes")
        too_long = connection.execute(
            """SELECT series.id FROM series JOIN places ON places.series = series.id JOIN blocks USING (key)
            WHERE places.first + blocks.rows > series.rows"""
        )
        sentences += [f"series {number} has more rows than its test set" for (number,) in too_long]
        sentences += [
            f"an annotation by {analyzer} does not match its checksum"
            for analyzer, checksum, sentence in connection.execute(
                "SELECT analyzer, checksum, sentence FROM annotations"
            )
            if not is_intact(sentence, checksum)
        ]
    except sqlite3.DatabaseError as error:
        return [f"SQLite: {error}"]
    return sentences


def prune(store: Store, numbers: Sequence[int]) -> int:
    """Delete series, and the blocks that no other series uses; returns the number of deleted blocks."""
    connection = store.connection
    with store_errors(store.path):
        with transaction(connection):
            connection.executemany("DELETE FROM series WHERE id = ?", ((number,) for number in numbers))
            dropped = connection.execute("DELETE FROM blocks WHERE key NOT IN (SELECT key FROM places)").rowcount
        connection.execute("VACUUM")  # returns the space to the disk
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return dropped


def days_ago(days: float) -> str:
    """Return the time this many days ago, as stores write it."""
    try:
        return write_time(datetime.now(UTC) - timedelta(days=days))
    except OverflowError:
        raise StoreError(f"{days:g} days ago is before the year 1") from None
