"""Random choices, each with a stream of its own made from the seed and its number: the same on every machine.

The streams are those of the bootstrap's resamples (SplitMix64, Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.metrics.base import Floats

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def words(seed: int, streams: int, length: int) -> NDArray[np.uint64]:
    """uint64[streams, length]: the first words of each stream."""
    start = np.array([seed % 2**64], np.uint64)
    states = _mix(start + _mix(np.arange(streams, dtype=np.uint64) + _GOLDEN))
    return _mix(states[:, None] + np.arange(1, length + 1, dtype=np.uint64) * _GOLDEN)


class Coins:
    """For each of n permutations a fair coin for each of so many places."""

    def __init__(self, seed: int, n: int, places: int) -> None:
        self._bytes = words(seed, n, -(-places // 64)).astype("<u8").view(np.uint8)

    def tossed(self, first: int, last: int) -> Floats:
        """float64[n, last - first] of 0 and 1: the coins of these places."""
        part = self._bytes[:, first // 8 : -(-last // 8)]
        bits = np.unpackbits(part, axis=1, bitorder="little")
        offset = first % 8
        return bits[:, offset : offset + last - first].astype(float)


def documents(seed: int, segments: int, count: int = 1000, size: int = 30) -> NDArray[np.intp]:
    """intp[count, size]: sets of distinct segments, each set equally likely; those with the lowest of random words."""
    if segments < size:
        raise InputError(f"a pseudo-document has {size} distinct segments; there are only {segments}")
    if segments == size:
        return np.tile(np.arange(size), (count, 1))
    chosen = np.argpartition(words(seed, count, segments), size - 1, axis=1)[:, :size]
    return np.sort(chosen, axis=1)
