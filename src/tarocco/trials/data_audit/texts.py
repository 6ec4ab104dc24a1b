"""What the checks of texts start from: letters per column, equal segments, and similarities between all columns.

Two segments are as similar as their sets of four-byte sequences (Dice's coefficient). The sets are hashed into bit
vectors, so that comparing two columns takes one AND and a population count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import Segments, TestSet
from tarocco.scoring.language import script_shares

Floats = NDArray[np.float64]

MAX_SEGMENTS = 5000  # examined; of more segments, runs of neighboring lines
RUN = 25  # lines in such a run
MAX_COMPARED = 1000  # segments for similarities between all columns
_BITS = 11  # 2048 bits per segment
_HASH = np.uint32(2654435761)  # Knuth's multiplicative hash
_SIZES = np.array([bin(value).count("1") for value in range(256)], np.uint8)


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """One text of the test set, and what its characters say."""

    name: str
    segments: Segments

    @cached_property
    def characters(self) -> dict[str, int]:
        """How often each character occurs."""
        text = self.segments.text.tobytes().decode("utf-8", "surrogatepass")
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        counts = np.bincount(codes)
        return {chr(code): int(counts[code]) for code in np.flatnonzero(counts)}

    @cached_property
    def uppercase(self) -> float:
        """The share of uppercase letters among cased letters; NaN for fewer than 200 of them."""
        upper = sum(count for character, count in self.characters.items() if character.isupper())
        lower = sum(count for character, count in self.characters.items() if character.islower())
        return upper / (upper + lower) if upper + lower >= 200 else np.nan

    @cached_property
    def scripts(self) -> Mapping[str, float]:
        """The share of each script among the letters, by the first word of Unicode's names; empty without letters."""
        return script_shares(self.characters)

    @cached_property
    def separated_marks(self) -> float:
        """The share of commas and full stops with a space before them; NaN for fewer than 20 at ends of words."""
        marks = len(re.findall(rb"[,.](?=[ \n])", self.raw))
        return len(re.findall(rb" [,.](?=[ \n])", self.raw)) / marks if marks >= 20 else np.nan

    @cached_property
    def subword_marks(self) -> float:
        """The share of segments with traces of tokenizers: @@, @-@, U+2581, or escaped quotes and ampersands."""
        marks = re.compile(rb"@@ |@@\n|@-@|\xe2\x96\x81|&quot;|&apos;|&amp;")
        lines = {int(np.searchsorted(self.segments.starts, at.start(), "right")) for at in marks.finditer(self.raw)}
        return len(lines) / max(1, len(self.segments))

    @property
    def raw(self) -> bytes:
        return self.segments.text.tobytes()

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        return self.segments.blank


class TextProfiles:
    """All columns of a test set, systems first, then references, then the source if there is one."""

    def __init__(self, test_set: TestSet, source: Segments | None = None) -> None:
        names = [f"reference {name}" for name in test_set.stream_names]
        rows = choose_rows(len(test_set))
        self.n_segments, self.rows = len(test_set), rows
        self.systems = [_column(name, column, rows, len(test_set)) for name, column in test_set.systems.items()]
        self.references = [
            _column(name, column, rows, len(test_set)) for name, column in zip(names, test_set.references, strict=True)
        ]
        self.source = None if source is None else _column("source", source, rows, len(test_set))

    @cached_property
    def columns(self) -> list[ColumnProfile]:
        return [*self.systems, *self.references, *([self.source] if self.source else [])]

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """present[c, i]: segment i of column c is not blank."""
        return np.stack([~column.blank for column in self.columns])

    @cached_property
    def identities(self) -> NDArray[np.int64]:
        """identities[c, i]: equal numbers for equal segments."""
        numbers: dict[str, int] = {}
        return np.array(
            [[numbers.setdefault(text.strip(), len(numbers)) for text in column.segments] for column in self.columns]
        )

    @cached_property
    def signatures(self) -> NDArray[np.uint64]:
        """signatures[c, i]: the hashed set of four-byte sequences of segment i of column c."""
        return np.stack([_hash_sequences(column.segments) for column in self.columns])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        return count_bits(self.signatures)

    @cached_property
    def equal(self) -> Floats:
        """equal[c, d]: the share of equal segments, where both are present; NaN if none are."""
        n = len(self.columns)
        shares = np.full((n, n), np.nan)
        for c in range(n):
            both = self.present[c] & self.present[c:]
            same = (self.identities[c] == self.identities[c:]) & both
            counts = both.sum(axis=1)
            shares[c, c:] = shares[c:, c] = np.where(counts > 0, same.sum(axis=1) / np.maximum(counts, 1), np.nan)
        return shares

    @cached_property
    def similar(self) -> Floats:
        """similar[c, d]: the similarity of two columns, from 0 to 1; NaN if no segment is in both."""
        n, length = len(self.columns), self.signatures.shape[1]
        rows = np.unique(np.linspace(0, length - 1, min(length, MAX_COMPARED)).astype(np.intp))
        signatures, sizes, present = self.signatures[:, rows], self.sizes[:, rows], self.present[:, rows]
        similarities = np.ones((n, n))
        for c in range(n):
            for d in range(c + 1, n):
                both = present[c] & present[d]
                shared = count_bits(signatures[c] & signatures[d])[both].sum()
                total = (sizes[c] + sizes[d])[both].sum()
                similarities[c, d] = similarities[d, c] = 2 * shared / total if total else np.nan
        return similarities

    def count_shared(self, column: int, other: int) -> int:
        """Return the number of segments that both columns have."""
        return int((self.present[column] & self.present[other]).sum())

    def similarity_at(self, column: int, other: int, offset: int) -> Floats:
        """Return the similarity of each segment i to segment i + offset of another column, NaN where there is none."""
        n = self.signatures.shape[1]
        first, last = max(0, -offset), min(n, n - offset)
        similarities = np.full(n, np.nan)
        if first >= last:
            return similarities
        here, there = slice(first, last), slice(first + offset, last + offset)
        shared = count_bits(self.signatures[column, here] & self.signatures[other, there])
        total = self.sizes[column, here] + self.sizes[other, there]
        valid = self.present[column, here] & self.present[other, there] & (total > 0)
        valid &= self.rows[there] - self.rows[here] == offset  # not across the ends of sampled runs
        similarities[here] = np.where(valid, 2 * shared / np.maximum(total, 1), np.nan)
        return similarities


def choose_rows(n: int) -> NDArray[np.intp]:
    """Return all segments, or runs of neighboring ones that are spread evenly."""
    if n <= MAX_SEGMENTS:
        return np.arange(n)
    starts = np.linspace(0, n - RUN, MAX_SEGMENTS // RUN).astype(np.intp)
    return np.unique(starts[:, None] + np.arange(RUN))


def count_bits(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of bits that are set in the last dimension."""
    if hasattr(np, "bitwise_count"):  # NumPy 2
        return np.asarray(np.bitwise_count(words).sum(axis=-1, dtype=np.int64))
    counts: NDArray[np.int64] = _SIZES[np.ascontiguousarray(words).view(np.uint8)].sum(axis=-1, dtype=np.int64)
    return counts


def _column(name: str, segments: Segments, rows: NDArray[np.intp], n: int) -> ColumnProfile:
    return ColumnProfile(name, segments if len(rows) == n else segments.taken(rows))


def _hash_sequences(segments: Segments) -> NDArray[np.uint64]:
    n, codes = len(segments), segments.text.astype(np.uint32)
    bits = np.zeros((n, 1 << _BITS), np.bool_)
    if len(codes) > 3:
        sequences = codes[:-3] | codes[1:-2] << 8 | codes[2:-1] << 16 | codes[3:] << 24
        hashes = (sequences * _HASH) >> np.uint32(32 - _BITS)
        sizes = np.diff(segments.starts)
        rows = np.repeat(np.arange(n), sizes)[: len(hashes)]
        ends = np.repeat(segments.starts[1:] - 1, sizes)[: len(hashes)]
        inside = np.arange(len(hashes)) + 3 < ends
        bits[rows[inside], hashes[inside]] = True
    return np.packbits(bits, axis=1).view(np.uint64)
