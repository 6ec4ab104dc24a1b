"""What analyzers said of texts: bytes, found by a digest of the text, the analyzer and its version."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from tarocco._version import __version__
from tarocco.core.errors import StoreError
from tarocco.store.blocks import Store, is_kept, time_text
from tarocco.store.database import DAMAGED, sentences, transaction

RELEASE = f"tarocco {__version__}"
_TOGETHER = 500  # keys asked for in one question


def get_annotations(store: Store, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Those that are there, by key."""
    found: dict[bytes, bytes] = {}
    with sentences(store.path):
        for first in range(0, len(keys), _TOGETHER):
            some = keys[first : first + _TOGETHER]
            marks = ",".join("?" * len(some))
            for key, checksum, data in store.connection.execute(
                f"SELECT key, checksum, sentence FROM annotations WHERE key IN ({marks})", some
            ):
                if not is_kept(data, checksum):
                    raise StoreError(f"{store.path}: {DAMAGED}")
                found[key] = data
    return found


def put_annotations(store: Store, analyzer: str, new: Iterable[tuple[bytes, bytes]]) -> None:
    """Keep annotations, all of them or, if something goes wrong, none."""
    used = time_text(datetime.now(UTC))
    rows = [(key, analyzer, RELEASE, zlib.crc32(data), used, data) for key, data in new]
    with sentences(store.path), transaction(store.connection):
        store.connection.executemany(
            "INSERT OR IGNORE INTO annotations (key, analyzer, release, checksum, used, sentence) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )


def prune_annotations(store: Store, before: str | None, other_releases: bool) -> int:
    """Drop those stored before a moment, and those of other releases; all if no moment is given. Gives how many."""
    with sentences(store.path), transaction(store.connection):
        return int(
            store.connection.execute(
                "DELETE FROM annotations WHERE ? OR used < ? OR (? AND release != ?)",
                (before is None, before or "", other_releases, RELEASE),
            ).rowcount
        )
