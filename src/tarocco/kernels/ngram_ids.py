# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counting and finding (prefix, word) pairs in an open hash table: how n-grams of a whole corpus get their numbers."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(prefix: cython.int, word: cython.int) -> cython.ulonglong:
    return (cython.cast(cython.ulonglong, prefix) << 32) | cython.cast(cython.ulonglong, word)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def part_of(key: cython.ulonglong, parts: cython.ulonglong) -> cython.ulonglong:
    """Which of the parts (a power of two) a key belongs to: by its own mixture of bits, so that slots stay even."""
    key = (key ^ (key >> 32)) & MASK64
    return (((key * GOLDEN) & MASK64) >> 32) & (parts - 1)


def count_partition_sizes(
    prefixes: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    distance: cython.Py_ssize_t,
    sizes: cython.Py_ssize_t[::1],
):
    """Count the pairs (prefixes[i], words[i + distance]) of each part, equal ones too; negative prefixes are none."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] >= 0:
                sizes[part_of(key_of(prefixes[i], words[i + distance]), sizes.shape[0])] += 1


def count_pairs(
    prefixes: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    distance: cython.Py_ssize_t,
    part: cython.ulonglong,
    parts: cython.ulonglong,
    keys: cython.ulonglong[::1],
    counts: cython.int[::1],
    shift: cython.int,
):
    """Count how often each pair of one part occurs; the table has room for all of them."""
    i: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    key: cython.ulonglong
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] < 0:
                continue
            key = key_of(prefixes[i], words[i + distance])
            if parts > 1 and part_of(key, parts) != part:
                continue
            slot = slot_of(key, shift, keys, counts)
            if counts[slot] < 0:
                keys[slot] = key
                counts[slot] = 0
            counts[slot] += 1


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
    distance: cython.Py_ssize_t,
    keys: cython.const[cython.ulonglong][::1],
    values: cython.const[cython.int][::1],
    shift: cython.int,
):
    """Replace each prefix by the value of its pair, -1 where there is none."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] >= 0:
                prefixes[i] = values[slot_of(key_of(prefixes[i], words[i + distance]), shift, keys, values)]


def number_keys(
    given: cython.const[cython.ulonglong][::1],
    keys: cython.ulonglong[::1],
    values: cython.int[::1],
    shift: cython.int,
    numbers: cython.longlong[::1],
):
    """Fill numbers with a number for each key, equal ones alike, in the order in which they come; the table is new."""
    i: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    known: cython.int = 0
    with cython.nogil:
        for i in range(given.shape[0]):
            slot = slot_of(given[i], shift, keys, values)
            if values[slot] < 0:
                keys[slot] = given[i]
                values[slot] = known
                known += 1
            numbers[i] = values[slot]
