"""Opening a store: its schema, its migrations, and what goes wrong as one sentence.

A store is an SQLite file with a write-ahead log. What was committed survives the death of the process at any moment;
two processes may write at once, one waits for the other.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarocco.core.errors import StoreError

APPLICATION = 0x7461726F  # "taro": how SQLite files say whose they are
WAIT = 60.0  # seconds that a process waits for another one that writes
_NAP = 0.2  # seconds that it waits before it looks whether it was told to stop
_PAGE = 8192  # bytes
_LOG_PAGES = 8192  # 64 MiB are logged before they are moved into the file
DAMAGED = "the store is damaged (`tarocco store check` says where); move it away to begin anew"

# What turns schema i into schema i + 1. Never edit an entry that was released: append one.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE blocks (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,       -- what the numbers were computed from, see keeping.py
            rows INTEGER NOT NULL,
            kinds TEXT NOT NULL,            -- a letter a column: what its numbers are stored as, see blocks.py
            checksum INTEGER NOT NULL,      -- CRC-32 of numbers
            created TEXT NOT NULL,          -- UTC
            numbers BLOB NOT NULL           -- they mean float64
        )""",
        """CREATE TABLE series (
            id INTEGER PRIMARY KEY,
            signature TEXT NOT NULL,
            metric TEXT NOT NULL,           -- its full name
            release TEXT NOT NULL,          -- of the program that computed it
            subject TEXT NOT NULL,          -- the system's name when it was last scored
            content BLOB NOT NULL,          -- digest of all text that was scored, references too
            rows INTEGER NOT NULL,
            used TEXT NOT NULL,             -- UTC
            UNIQUE (signature, release, subject, content)
        )""",
        """CREATE TABLE places (
            series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
            first INTEGER NOT NULL,         -- the block's first row in the series
            key BLOB NOT NULL,              -- the block may not be computed yet
            PRIMARY KEY (series, first)
        ) WITHOUT ROWID""",
    ),
    (
        """CREATE TABLE annotations (
            key BLOB PRIMARY KEY,           -- of a text, the analyzer and its version, see annotate/cache.py
            analyzer TEXT NOT NULL,         -- its name and version
            release TEXT NOT NULL,          -- of the program that had it analyzed
            checksum INTEGER NOT NULL,      -- CRC-32 of sentence
            used TEXT NOT NULL,             -- UTC; when it was stored
            sentence BLOB NOT NULL          -- what was found, compressed, see annotate/packing.py
        ) WITHOUT ROWID""",
    ),
)
SCHEMA = len(MIGRATIONS)


def connect(path: str, readonly: bool = False) -> sqlite3.Connection:
    """Open a store, make it where there is none, and bring an older one up to date; StoreError says why not."""
    _look_at(path, readonly)
    with sentences(path):
        connection = _connection(os.path.realpath(path), readonly)
        try:
            version = _version(connection, path)
            if not readonly:
                _prepare(connection, path)
            elif version == 0:  # nothing was ever stored, and whoever only looks writes nothing
                connection.close()
                connection = sqlite3.connect(":memory:", isolation_level=None)
                _migrate(connection, path)
            elif version < SCHEMA:
                raise StoreError(
                    f"{path}: this store is of an older release; any run with --store brings it up to date"
                )
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
    return connection


def _look_at(path: str, readonly: bool) -> None:
    """Refuse what cannot be a store before SQLite, whose words are few, comes to it."""
    if not path or "\0" in path:
        raise StoreError("the name of the store is empty" if not path else "the name of a store has no zero byte")
    folder = Path(os.path.realpath(path)).parent
    if os.path.isdir(path) or path.endswith(os.sep):
        raise StoreError(f"{path}: this is a directory, a store is a file")
    if not os.path.exists(path):
        if readonly:
            raise StoreError(f"{path}: there is no such store")
        if not folder.is_dir():
            raise StoreError(f"{path}: there is no directory {folder} to make the store in")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise StoreError(f"{path}: the directory {folder} cannot be written to")
    elif not os.access(path, os.R_OK):
        raise StoreError(f"{path}: this file cannot be read (permission denied)")
    elif not readonly and not os.access(path, os.W_OK):
        raise StoreError(f"{path}: this store cannot be written to (permission denied)")
    elif not readonly and not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(f"{path}: a store is written to with a log beside it, but {folder} cannot be written to")


def _connection(path: str, readonly: bool) -> sqlite3.Connection:
    """A connection; one that is to read only still tidies the log up if it may."""
    may_write = os.access(path, os.W_OK) and os.access(Path(path).parent, os.W_OK)
    if not readonly:
        mode = "mode=rwc"
    elif may_write:
        mode = "mode=rw"
    elif os.path.exists(f"{path}-wal"):
        mode = "mode=ro"
    else:  # where the index of the log cannot be made, a store that nobody is writing to needs none
        mode = "immutable=1"
    connection = sqlite3.connect(f"{Path(path).as_uri()}?{mode}", uri=True, isolation_level=None, timeout=_NAP)
    connection.execute("PRAGMA trusted_schema = OFF")  # a store may come from anywhere
    if readonly:
        connection.execute("PRAGMA query_only = ON")
    return connection


def _version(connection: sqlite3.Connection, path: str) -> int:
    """The schema of a store; 0 if the file is new. Nothing is written before this has been read."""
    inside = connection.in_transaction
    if not inside:
        connection.execute("BEGIN")  # so that the answers are of one moment: another process may be making the store
    questions = ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id", "PRAGMA user_version")
    tables, application, version = (int(patiently(connection, question).fetchone()[0]) for question in questions)
    if not inside:
        connection.execute("COMMIT")
    if application != APPLICATION and (application or tables):
        raise StoreError(f"{path}: this is an SQLite database, but not a tarocco store; it is left as it is")
    if version > SCHEMA:
        raise StoreError(
            f"{path}: this store was made by a newer release (schema {version}, this one knows {SCHEMA}); "
            "update tarocco, or name another file"
        )
    return version


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.execute(f"PRAGMA page_size = {_PAGE}")
    patiently(connection, "PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # the log is flushed when it is moved: enough against a kill
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    _migrate(connection, path)


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    if _version(connection, path) < SCHEMA:
        with transaction(connection):  # another process may have done it in the meantime: look again
            for step in range(_version(connection, path), SCHEMA):
                for statement in MIGRATIONS[step]:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def patiently(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute a statement, and while others keep the store locked, again. SQLite would wait deaf to Ctrl-C."""
    deadline = time.monotonic() + WAIT
    while True:
        try:
            return connection.execute(statement)
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)  # SQLite does not wait for everything


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; waits for others that write."""
    patiently(connection, "BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


_MEANINGS = {
    sqlite3.SQLITE_FULL: "the disk is full; what was stored before is kept",
    sqlite3.SQLITE_NOTADB: "this is not a tarocco store, nor any SQLite file; it is left as it is",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_BUSY: f"another process has kept the store locked for {WAIT:.0f} seconds",
    sqlite3.SQLITE_READONLY: "the store cannot be written to",
    sqlite3.SQLITE_CANTOPEN: "the store, or the log beside it, cannot be opened",
    sqlite3.SQLITE_IOERR: "the store could not be read or written; what was stored before is kept",
}


@contextmanager
def sentences(path: str) -> Iterator[None]:
    """What SQLite raises becomes a StoreError of one sentence."""
    try:
        yield
    except UnicodeDecodeError:  # SQLite's own words about a damaged file, with a piece of it
        raise StoreError(f"{path}: {DAMAGED}") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        meaning = _MEANINGS.get(code & 0xFF) if code is not None else None
        raise StoreError(f"{path}: {meaning or 'the store failed'} ({error})") from None
