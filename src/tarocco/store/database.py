"""Opens a store: its schema, its migrations, and SQLite's errors as one sentence.

A store is an SQLite file with a write-ahead log. Committed data survives if the process is killed at any time. Two
processes may write to it: one waits for the other.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarocco.core.errors import StoreError

APPLICATION = 0x7461726F  # "taro", SQLite's application_id of stores
WAIT = 60.0  # seconds that a process waits for another one that is writing
_NAP = 0.2  # seconds between checks for Ctrl-C while waiting
_PAGE = 8192  # bytes
_LOG_PAGES = 8192  # 64 MiB are logged before a checkpoint
DAMAGED = "the store is damaged (`tarocco store check` says where); move it away to start a new one"

# Entry i migrates schema i to schema i + 1. Never edit a released entry: append one.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE blocks (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,       -- digest of the inputs, see scoring/cache.py
            rows INTEGER NOT NULL,
            kinds TEXT NOT NULL,            -- one letter per column, its type: see blocks.py
            checksum INTEGER NOT NULL,      -- CRC-32 of numbers
            created TEXT NOT NULL,          -- UTC
            numbers BLOB NOT NULL           -- columns of float64, packed
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
            key BLOB PRIMARY KEY,           -- digest of the text, the analyzer and its version
            analyzer TEXT NOT NULL,         -- its name and version
            release TEXT NOT NULL,          -- of the program that stored it
            checksum INTEGER NOT NULL,      -- CRC-32 of sentence
            used TEXT NOT NULL,             -- UTC; when it was stored
            sentence BLOB NOT NULL          -- the analysis, compressed
        ) WITHOUT ROWID""",
    ),
)
SCHEMA = len(MIGRATIONS)


def connect(path: str, readonly: bool = False) -> sqlite3.Connection:
    """Open a store; unless `readonly`, create a missing one and migrate an older one."""
    _look_at(path, readonly)
    with store_errors(path):
        connection = _connection(os.path.realpath(path), readonly)
        try:
            version = _version(connection, path)
            if not readonly:
                _prepare(connection, path)
            elif version == 0:  # nothing was stored yet, and readers do not write
                connection.close()
                connection = sqlite3.connect(":memory:", isolation_level=None)
                _migrate(connection, path)
            elif version < SCHEMA:
                raise StoreError(f"{path}: this store was made by an older release; any run with --store migrates it")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
    return connection


def _look_at(path: str, readonly: bool) -> None:
    """Reject files that cannot be stores, with better messages than SQLite's."""
    if not path or "\0" in path:
        raise StoreError("the name of the store is empty" if not path else "the name of the store contains a zero byte")
    folder = Path(os.path.realpath(path)).parent
    if os.path.isdir(path) or path.endswith(os.sep):
        raise StoreError(f"{path}: expected a file, found a directory")
    if not os.path.exists(path):
        if readonly:
            raise StoreError(f"{path}: there is no such store")
        if not folder.is_dir():
            raise StoreError(f"{path}: there is no directory {folder} to create the store in")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise StoreError(f"{path}: cannot write to the directory {folder}")
    elif not os.access(path, os.R_OK):
        raise StoreError(f"{path}: cannot read this file (permission denied)")
    elif not readonly and not os.access(path, os.W_OK):
        raise StoreError(f"{path}: cannot write to this store (permission denied)")
    elif not readonly and not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(f"{path}: cannot write to {folder}, where the store's log must be")


def _connection(path: str, readonly: bool) -> sqlite3.Connection:
    """Connect to a file; a reader with write permission still merges the log."""
    may_write = os.access(path, os.W_OK) and os.access(Path(path).parent, os.W_OK)
    if not readonly:
        mode = "mode=rwc"
    elif may_write:
        mode = "mode=rw"
    elif os.path.exists(f"{path}-wal"):
        mode = "mode=ro"
    else:  # the log's index cannot be created, and without a log the store needs none
        mode = "immutable=1"
    connection = sqlite3.connect(f"{Path(path).as_uri()}?{mode}", uri=True, isolation_level=None, timeout=_NAP)
    connection.execute("PRAGMA trusted_schema = OFF")  # a store may come from an untrusted source
    if readonly:
        connection.execute("PRAGMA query_only = ON")
    return connection


def _version(connection: sqlite3.Connection, path: str) -> int:
    """Return the schema of a store; 0 if the file is new. Writes nothing."""
    inside = connection.in_transaction
    if not inside:
        connection.execute("BEGIN")  # one snapshot: another process may be creating the store
    questions = ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id", "PRAGMA user_version")
    tables, application, version = (
        int(execute_patiently(connection, question).fetchone()[0]) for question in questions
    )
    if not inside:
        connection.execute("COMMIT")
    if application != APPLICATION and (application or tables):
        raise StoreError(f"{path}: this is an SQLite database, but not a tarocco store; it was not changed")
    if version > SCHEMA:
        raise StoreError(
            f"{path}: this store was made by a newer release (expected schema {SCHEMA} or lower, found {version}); "
            "update tarocco, or use another file"
        )
    return version


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.execute(f"PRAGMA page_size = {_PAGE}")
    execute_patiently(connection, "PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # flushes the log at checkpoints: enough for killed processes
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    _migrate(connection, path)


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    if _version(connection, path) < SCHEMA:
        with transaction(connection):  # check again: another process may have migrated it
            for step in range(_version(connection, path), SCHEMA):
                for statement in MIGRATIONS[step]:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def execute_patiently(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute a statement, and retry while the store is locked. SQLite's own waiting ignores Ctrl-C."""
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
    """Commit everything, or nothing on an error; waits for other writers."""
    execute_patiently(connection, "BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


_MEANINGS = {
    sqlite3.SQLITE_FULL: "the disk is full; earlier data is intact",
    sqlite3.SQLITE_NOTADB: "this is not a tarocco store, nor an SQLite file; it was not changed",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_BUSY: f"another process has locked the store for {WAIT:.0f} seconds",
    sqlite3.SQLITE_READONLY: "cannot write to the store",
    sqlite3.SQLITE_CANTOPEN: "cannot open the store or its log",
    sqlite3.SQLITE_IOERR: "cannot read or write the store; earlier data is intact",
}


@contextmanager
def store_errors(path: str) -> Iterator[None]:
    """Turn SQLite's errors into a StoreError of one sentence."""
    try:
        yield
    except UnicodeDecodeError:  # SQLite's message quotes a damaged file
        raise StoreError(f"{path}: {DAMAGED}") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        meaning = _MEANINGS.get(code & 0xFF) if code is not None else None
        raise StoreError(f"{path}: {meaning or 'the store failed'} ({error})") from None
