"""What is in a store, whether it is sound, and throwing away what nobody wants."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tarocco.core.errors import StoreError
from tarocco.store.blocks import Floats, Store, is_kept, time_text, unpacked
from tarocco.store.database import SCHEMA, sentences, transaction


@dataclass(frozen=True)
class Entry:
    """A series as a store knows it: what was scored, and how much of it is there."""

    number: int
    signature: str
    metric: str
    release: str
    subject: str
    text: str  # eight digits that tell test sets apart
    rows: int
    done: int  # rows whose blocks are there
    stored_bytes: int
    used: str


@dataclass(frozen=True)
class Summary:
    """A store at a glance."""

    path: str
    schema: int
    file_bytes: int
    series: int
    blocks: int
    rows: int
    releases: tuple[str, ...]
    first_used: str | None
    last_used: str | None
    annotations: int = 0  # texts whose analysis is kept


def entries(store: Store) -> list[Entry]:
    """Every series, the one used last first."""
    with sentences(store.path):
        rows = store.connection.execute(
            """SELECT series.id, signature, metric, release, subject, substr(hex(content), 1, 8), series.rows,
                ifnull(sum(blocks.rows), 0), ifnull(sum(length(numbers)), 0), used
            FROM series LEFT JOIN places ON places.series = series.id LEFT JOIN blocks USING (key)
            GROUP BY series.id ORDER BY used DESC, series.id"""
        ).fetchall()
    return [Entry(*row) for row in rows]


def summary(store: Store) -> Summary:
    """What `tarocco store info` prints."""
    with sentences(store.path):
        series, first, last = store.connection.execute("SELECT count(*), min(used), max(used) FROM series").fetchone()
        blocks, rows = store.connection.execute("SELECT count(*), ifnull(sum(rows), 0) FROM blocks").fetchone()
        releases = store.connection.execute("SELECT DISTINCT release FROM series ORDER BY release").fetchall()
        (analyzed,) = store.connection.execute("SELECT count(*) FROM annotations").fetchone()
    log = f"{store.path}-wal"
    size = os.path.getsize(store.path) + (os.path.getsize(log) if os.path.exists(log) else 0)
    names = tuple(name for (name,) in releases)
    return Summary(store.path, SCHEMA, size, series, blocks, rows, names, first, last, analyzed)


def rows_of(store: Store, entry: Entry) -> Iterator[tuple[int, Floats]]:
    """(first row, numbers) of the blocks of a series that are there, in order."""
    with sentences(store.path):
        places = store.connection.execute(
            "SELECT first, key FROM places WHERE series = ? ORDER BY first", (entry.number,)
        ).fetchall()
    for first, key in places:
        for numbers in store.get([key]).values():
            yield first, numbers


def problems(store: Store) -> list[str]:
    """What is wrong with a store, a sentence each; none if it is sound."""
    connection = store.connection
    try:
        found = [f"SQLite: {text}" for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
        found += [
            f"a place in series {row} leads nowhere" for _, row, *_ in connection.execute("PRAGMA foreign_key_check")
        ]
        for number, rows, kinds, checksum, numbers in connection.execute(
            "SELECT id, rows, kinds, checksum, numbers FROM blocks"
        ):
            if not is_kept(numbers, checksum):
                found.append(f"block {number} has other numbers than were stored")
                continue
            try:
                unpacked(kinds, rows, numbers)
            except (KeyError, TypeError, ValueError):
                found.append(f"block {number} has {len(numbers)} bytes, which are not {rows} rows of {kinds}")
        too_long = connection.execute(
            """SELECT series.id FROM series JOIN places ON places.series = series.id JOIN blocks USING (key)
            WHERE places.first + blocks.rows > series.rows"""
        )
        found += [f"series {number} has more rows than its test set" for (number,) in too_long]
        found += [
            f"the analysis of a text by {analyzer} is not what was stored"
            for analyzer, checksum, sentence in connection.execute(
                "SELECT analyzer, checksum, sentence FROM annotations"
            )
            if not is_kept(sentence, checksum)
        ]
    except sqlite3.DatabaseError as error:
        return [f"SQLite: {error}"]
    return found


def prune(store: Store, numbers: Sequence[int]) -> int:
    """Forget series, and drop the blocks that no series has any more; gives how many blocks were dropped."""
    connection = store.connection
    with sentences(store.path):
        with transaction(connection):
            connection.executemany("DELETE FROM series WHERE id = ?", ((number,) for number in numbers))
            dropped = connection.execute("DELETE FROM blocks WHERE key NOT IN (SELECT key FROM places)").rowcount
        connection.execute("VACUUM")  # gives the room back to the disk
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return dropped


def days_ago(days: float) -> str:
    """A moment as a store writes it down."""
    try:
        return time_text(datetime.now(UTC) - timedelta(days=days))
    except OverflowError:
        raise StoreError(f"{days:g} days ago is before the calendar begins") from None
