"""Blocks of float64 numbers, found by a digest of everything they were computed from.

A block is some rows of a series; a series is what one metric says of one system on one test set. A key is made from the
metric's signature, the release that computes it and the text of the rows (see keeping.py), so another parameter, other
text or another release has another key: stale numbers cannot be read, because nobody asks for them.
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

from tarocco.core.errors import BadParameter, StoreError
from tarocco.store.database import DAMAGED, connect, sentences, transaction

Floats = NDArray[np.float64]


# Numbers are often counts: a column is stored as the first of these that gives the same float64 back, bit for bit.
KINDS = {"B": "|u1", "H": "<u2", "d": "<f8"}
_SIZES = {"B": 1, "H": 2, "d": 8}


def digest(*parts: Any) -> bytes:
    """128 bits of texts and buffers; where one part ends and the next begins counts, too.

    xxHash, because SHA-256 would take as long as a twentieth of scoring the text does.
    """
    buffers = [part.encode() if isinstance(part, str) else part for part in parts]
    whole = xxh3_128(repr([memoryview(buffer).nbytes for buffer in buffers]).encode())
    for buffer in buffers:
        whole.update(buffer)
    return whole.digest()


def time_text(moment: datetime) -> str:
    """A moment (UTC) as a store writes it down, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def packed(numbers: Floats) -> tuple[str, bytes]:
    """The kind of each column, and the columns of each kind together, row by row."""
    wide = np.ascontiguousarray(numbers, "<f8")
    left = np.ones(wide.shape[1], np.bool_)
    kinds, parts = np.full(wide.shape[1], "d"), []
    for code, kind in KINDS.items():
        own = left & _kept_by(wide[:1], kind)  # a first row tells most often
        if own.any():
            own &= _kept_by(wide, kind)
            kinds[own], left = code, left & ~own
            parts.append((wide if own.all() else wide[:, own]).astype(kind).tobytes())
    return "".join(kinds.tolist()), b"".join(parts)


def _kept_by(wide: Floats, kind: str) -> NDArray[np.bool_] | bool:
    """Which columns lose nothing when they are written down as another type."""
    if kind == "<f8":
        return True
    with np.errstate(invalid="ignore"):
        back = wide.astype(kind).astype("<f8")
    same: NDArray[np.bool_] = (back.view("<u8") == wide.view("<u8")).all(axis=0)
    return same


def unpacked(kinds: str, rows: int, data: bytes) -> Floats:
    """The numbers that were packed; ValueError if there are not as many bytes as it takes."""
    if len(data) != rows * sum(map(_SIZES.__getitem__, kinds)):
        raise ValueError("the number of bytes is wrong")
    if len(set(kinds)) == 1:
        return np.frombuffer(data, KINDS[kinds[0]]).reshape(rows, len(kinds)).astype(np.float64)
    numbers, start = np.empty((rows, len(kinds))), 0
    for code, kind in KINDS.items():
        own = [i for i, one in enumerate(kinds) if one == code]
        part = np.frombuffer(data, kind, rows * len(own), start)
        numbers[:, own] = part.reshape(rows, len(own))
        start += part.nbytes
    return numbers


@dataclass(frozen=True)
class Series:
    """What one metric says of one system on one test set: `keys` are its blocks, from row `first` on."""

    signature: str
    metric: str
    release: str
    subject: str
    content: bytes
    rows: int
    keys: tuple[tuple[int, bytes], ...]  # (first row, key)


def is_kept(data: object, checksum: object) -> bool:
    """Whether bytes are those that were stored; SQLite keeps values of any type anywhere."""
    return isinstance(data, bytes) and zlib.crc32(data) == checksum


def _writable(name: str) -> str:
    """A file's name that is not UTF-8 in a form that can be written down."""
    return name.encode("utf-8", "backslashreplace").decode()


class Store:
    """A file of blocks. Opened for writing it is made where there is none; use it in a `with` statement."""

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        if not isinstance(path, str | os.PathLike):
            raise BadParameter(f"a store is the name of a file, not {path!r}")
        self.path = os.fspath(path)
        self.connection = connect(self.path, readonly)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last one to close a store moves the log into it."""
        with sentences(self.path):
            self.connection.close()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Floats]:
        """The blocks that are there, by key."""
        found = {}
        with sentences(self.path):
            for key in keys:
                row = self.connection.execute(
                    "SELECT rows, kinds, checksum, numbers FROM blocks WHERE key = ?", (key,)
                ).fetchone()
                if row is not None:
                    rows, kinds, checksum, numbers = row
                    if not is_kept(numbers, checksum):
                        raise StoreError(f"{self.path}: {DAMAGED}")
                    try:
                        found[key] = unpacked(kinds, rows, numbers)
                    except (KeyError, TypeError, ValueError):
                        raise StoreError(f"{self.path}: {DAMAGED}") from None
        return found

    def put(self, blocks: Iterable[tuple[bytes, Floats]]) -> None:
        """Keep blocks, all of them or, if something goes wrong, none; one that is there already stays as it is."""
        created = time_text(datetime.now(UTC))
        rows = []
        for key, block in blocks:
            kinds, numbers = packed(block)
            rows.append((key, len(block), kinds, zlib.crc32(numbers), created, numbers))
        with sentences(self.path), transaction(self.connection):
            self.connection.executemany(
                "INSERT OR IGNORE INTO blocks (key, rows, kinds, checksum, created, numbers) VALUES (?, ?, ?, ?, ?, ?)",
                rows,
            )

    def register(self, series: Sequence[Series], *, anew: bool = False) -> None:
        """Write down what a run is about to compute, so that people can see what a store holds and how far it got.

        `anew`: what was written down of these series before is forgotten first (the blocks are not).
        """
        used = time_text(datetime.now(UTC))
        with sentences(self.path), transaction(self.connection):
            for one in series:
                (number,) = self.connection.execute(
                    """INSERT INTO series (signature, metric, release, subject, content, rows, used)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET used = excluded.used RETURNING id""",
                    (one.signature, one.metric, one.release, _writable(one.subject), one.content, one.rows, used),
                ).fetchone()
                if anew:
                    self.connection.execute("DELETE FROM places WHERE series = ?", (number,))
                self.connection.executemany(
                    "INSERT OR REPLACE INTO places (series, first, key) VALUES (?, ?, ?)",
                    ((number, first, key) for first, key in one.keys),
                )
