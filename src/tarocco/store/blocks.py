"""`Store`: blocks of float64 numbers and annotations of texts, addressed by a digest of their inputs.

A block is some rows of a series, and a series is the statistics of one system under one metric on one test set. A
block's key is made from the metric's signature, the release that computes it and the text of the rows (see
`scoring/cache.py`). Other parameters, texts or releases have other keys, so stale numbers are never read.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_128

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, StoreError
from tarocco.store.database import DAMAGED, connect, store_errors, transaction

Floats = NDArray[np.float64]


# Most numbers are counts: a column is stored as the first of these types that preserves its float64 bits.
KINDS = {"B": "|u1", "H": "<u2", "d": "<f8"}
_SIZES = {"B": 1, "H": 2, "d": 8}


def make_digest(*parts: Any) -> bytes:
    """Return a 128-bit digest of texts and buffers, which depends on the bounds of the parts too.

    Uses xxHash, because SHA-256 would take a twentieth of the scoring time.
    """
    buffers = [part.encode() if isinstance(part, str) else part for part in parts]
    whole = xxh3_128(repr([memoryview(buffer).nbytes for buffer in buffers]).encode())
    for buffer in buffers:
        whole.update(buffer)
    return whole.digest()


def write_time(moment: datetime) -> str:
    """Write a time (UTC) as stores do, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def pack_numbers(numbers: Floats) -> tuple[str, bytes]:
    """Return the type of each column, and the columns grouped by type, row by row."""
    wide = np.ascontiguousarray(numbers, "<f8")
    left = np.ones(wide.shape[1], np.bool_)
    kinds, parts = np.full(wide.shape[1], "d"), []
    for code, kind in KINDS.items():
        columns = left & _is_lossless(wide[:1], kind)  # the first row rules out most columns
        if columns.any():
            columns &= _is_lossless(wide, kind)
            kinds[columns], left = code, left & ~columns
            parts.append((wide if columns.all() else wide[:, columns]).astype(kind).tobytes())
    return "".join(kinds.tolist()), b"".join(parts)


def _is_lossless(wide: Floats, kind: str) -> NDArray[np.bool_] | bool:
    """Return which columns another type can hold without loss."""
    if kind == "<f8":
        return True
    with np.errstate(invalid="ignore"):
        back = wide.astype(kind).astype("<f8")
    same: NDArray[np.bool_] = (back.view("<u8") == wide.view("<u8")).all(axis=0)
    return same


def unpack_numbers(kinds: str, rows: int, data: bytes) -> Floats:
    """Return the numbers that were packed; raises ValueError if the number of bytes is wrong."""
    if len(data) != rows * sum(map(_SIZES.__getitem__, kinds)):
        raise ValueError("the number of bytes is wrong")
    if len(set(kinds)) == 1:
        return np.frombuffer(data, KINDS[kinds[0]]).reshape(rows, len(kinds)).astype(np.float64)
    numbers, start = np.empty((rows, len(kinds))), 0
    for code, kind in KINDS.items():
        columns = [i for i, column_code in enumerate(kinds) if column_code == code]
        part = np.frombuffer(data, kind, rows * len(columns), start)
        numbers[:, columns] = part.reshape(rows, len(columns))
        start += part.nbytes
    return numbers


@dataclass(frozen=True)
class Series:
    """The statistics of one system under one metric on one test set, as the keys of their blocks."""

    signature: str
    metric: str
    release: str
    subject: str
    content: bytes
    rows: int
    keys: tuple[tuple[int, bytes], ...]  # (first row, key)


def is_intact(data: object, checksum: object) -> bool:
    """Return whether these are the bytes that were stored; SQLite may return a value of any type."""
    return isinstance(data, bytes) and zlib.crc32(data) == checksum


def _writable(name: str) -> str:
    """Escape a file name that is not UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()


class Store:
    """A file of blocks, created if missing unless `readonly`; use it in a `with` statement."""

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        if not isinstance(path, str | os.PathLike):
            raise BadParameter(f"store: expected the name of a file, found {path!r}")
        self.path = os.fspath(path)
        self.connection = connect(self.path, readonly)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last process that closes it merges the log into it."""
        with store_errors(self.path):
            self.connection.close()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Floats]:
        """Return the stored blocks among these keys."""
        blocks = {}
        with store_errors(self.path):
            for key in keys:
                row = self.connection.execute(
                    "SELECT rows, kinds, checksum, numbers FROM blocks WHERE key = ?", (key,)
                ).fetchone()
                if row is not None:
                    rows, kinds, checksum, numbers = row
                    if not is_intact(numbers, checksum):
                        raise StoreError(f"{self.path}: {DAMAGED}")
                    try:
                        blocks[key] = unpack_numbers(kinds, rows, numbers)
                    except (KeyError, TypeError, ValueError):
                        raise StoreError(f"{self.path}: {DAMAGED}") from None
        return blocks

    def put(self, blocks: Iterable[tuple[bytes, Floats]]) -> None:
        """Store all blocks or, on an error, none; blocks that exist are not replaced."""
        created = write_time(datetime.now(UTC))
        rows = []
        for key, block in blocks:
            kinds, numbers = pack_numbers(block)
            rows.append((key, len(block), kinds, zlib.crc32(numbers), created, numbers))
        with store_errors(self.path), transaction(self.connection):
            self.connection.executemany(
                "INSERT OR IGNORE INTO blocks (key, rows, kinds, checksum, created, numbers) VALUES (?, ?, ?, ?, ?, ?)",
                rows,
            )

    def register(self, series: Sequence[Series], *, replace: bool = False) -> None:
        """Record which series a run is about to compute, so that `tarocco store` can list them and their progress.

        `replace` first forgets which blocks these series had (but not the blocks).
        """
        used = write_time(datetime.now(UTC))
        with store_errors(self.path), transaction(self.connection):
            for entry in series:
                (number,) = self.connection.execute(
                    """INSERT INTO series (signature, metric, release, subject, content, rows, used)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET used = excluded.used RETURNING id""",
                    (
                        entry.signature,
                        entry.metric,
                        entry.release,
                        _writable(entry.subject),
                        entry.content,
                        entry.rows,
                        used,
                    ),
                ).fetchone()
                if replace:
                    self.connection.execute("DELETE FROM places WHERE series = ?", (number,))
                self.connection.executemany(
                    "INSERT OR REPLACE INTO places (series, first, key) VALUES (?, ?, ?)",
                    ((number, first, key) for first, key in entry.keys),
                )


# --- annotations: the analyses of texts, as bytes, keyed by the text, the analyzer and its version ------------------

RELEASE = f"tarocco {__version__}"
_TOGETHER = 500  # keys per query


def get_annotations(store: Store, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the stored annotations among these keys."""
    annotations: dict[bytes, bytes] = {}
    with store_errors(store.path):
        for first in range(0, len(keys), _TOGETHER):
            batch = keys[first : first + _TOGETHER]
            marks = ",".join("?" * len(batch))
            for key, checksum, data in store.connection.execute(
                f"SELECT key, checksum, sentence FROM annotations WHERE key IN ({marks})", batch
            ):
                if not is_intact(data, checksum):
                    raise StoreError(f"{store.path}: {DAMAGED}")
                annotations[key] = data
    return annotations


def put_annotations(store: Store, analyzer: str, new: Iterable[tuple[bytes, bytes]]) -> None:
    """Store all annotations or, on an error, none."""
    used = write_time(datetime.now(UTC))
    rows = [(key, analyzer, RELEASE, zlib.crc32(data), used, data) for key, data in new]
    with store_errors(store.path), transaction(store.connection):
        store.connection.executemany(
            "INSERT OR IGNORE INTO annotations (key, analyzer, release, checksum, used, sentence) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )


def prune_annotations(store: Store, before: str | None, other_releases: bool) -> int:
    """Delete annotations stored before a time, or all if it is None, and optionally those of other releases.

    Returns the number of deleted annotations.
    """
    with store_errors(store.path), transaction(store.connection):
        return int(
            store.connection.execute(
                "DELETE FROM annotations WHERE ? OR used < ? OR (? AND release != ?)",
                (before is None, before or "", other_releases, RELEASE),
            ).rowcount
        )
