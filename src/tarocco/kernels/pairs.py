# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counting and finding (prefix, word) pairs in an open hash table: how n-grams of a whole corpus get their numbers."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slot_of(
    key: cython.ulonglong,
    shift: cython.int,
    keys: cython.const[cython.ulonglong][::1],
    values: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """The slot that holds key, or the free slot (a negative value) where it belongs."""
    mask: cython.Py_ssize_t = keys.shape[0] - 1
    slot: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while values[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


def count_pairs(
    prefixes: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    position: cython.Py_ssize_t,
    keys: cython.ulonglong[::1],
    counts: cython.int[::1],
    shift: cython.int,
    known: cython.Py_ssize_t,
    room: cython.Py_ssize_t,
):
    """Count the pairs from `position` on; stop before a new pair when `room` are known. Return (position, known)."""
    key: cython.ulonglong
    slot: cython.Py_ssize_t
    with cython.nogil:
        while position < prefixes.shape[0]:
            if prefixes[position] >= 0:
                key = (cython.cast(cython.ulonglong, prefixes[position]) << 32) | cython.cast(
                    cython.ulonglong, words[position]
                )
                slot = slot_of(key, shift, keys, counts)
                if counts[slot] < 0:
                    if known == room:
                        break
                    keys[slot] = key
                    counts[slot] = 0
                    known += 1
                counts[slot] += 1
            position += 1
    return position, known


def insert_pairs(
    new_keys: cython.const[cython.ulonglong][::1],
    new_values: cython.const[cython.int][::1],
    keys: cython.ulonglong[::1],
    values: cython.int[::1],
    shift: cython.int,
):
    """Put different keys with their values into a table that has room for them."""
    i: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    with cython.nogil:
        for i in range(new_keys.shape[0]):
            slot = slot_of(new_keys[i], shift, keys, values)
            keys[slot] = new_keys[i]
            values[slot] = new_values[i]


def find_pairs(
    prefixes: cython.int[::1],
    words: cython.const[cython.int][::1],
    keys: cython.const[cython.ulonglong][::1],
    values: cython.const[cython.int][::1],
    shift: cython.int,
):
    """Replace each prefix by the value of its pair, -1 where there is none."""
    key: cython.ulonglong
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] >= 0:
                key = (cython.cast(cython.ulonglong, prefixes[i]) << 32) | cython.cast(cython.ulonglong, words[i])
                prefixes[i] = values[slot_of(key, shift, keys, values)]
