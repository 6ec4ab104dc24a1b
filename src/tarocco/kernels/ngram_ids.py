# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Ids of the n-grams of a corpus: an open hash table of (prefix, word) pairs."""

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
def find_slot(
    key: cython.ulonglong,
    shift: cython.int,
    keys: cython.const[cython.ulonglong][::1],
    values: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """Return the slot that holds the key, or the free slot (a negative value) where it belongs."""
    mask: cython.Py_ssize_t = keys.shape[0] - 1
    slot: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while values[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pack(prefix: cython.int, word: cython.int) -> cython.ulonglong:
    return (cython.cast(cython.ulonglong, prefix) << 32) | cython.cast(cython.ulonglong, word)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_partition(key: cython.ulonglong, parts: cython.ulonglong) -> cython.ulonglong:
    """Return the partition of a key; the number of partitions is a power of two.

    The bits are mixed in another way than for slots, so that the keys of a partition are spread over all slots.
    """
    key = (key ^ (key >> 32)) & MASK64
    return (((key * GOLDEN) & MASK64) >> 32) & (parts - 1)


def count_partition_sizes(
    prefixes: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    distance: cython.Py_ssize_t,
    sizes: cython.Py_ssize_t[::1],
):
    """Count the pairs (prefixes[i], words[i + distance]) per partition, with repetitions; skip negative prefixes."""
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] >= 0:
                sizes[find_partition(pack(prefixes[i], words[i + distance]), sizes.shape[0])] += 1


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
    """Count the occurrences of each pair of one partition; the table has room for all pairs."""
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] < 0:
                continue
            key = pack(prefixes[i], words[i + distance])
            if parts > 1 and find_partition(key, parts) != part:
                continue
            slot = find_slot(key, shift, keys, counts)
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
    """Insert distinct keys and their values into a table that has room for them."""
    with cython.nogil:
        for i in range(new_keys.shape[0]):
            slot = find_slot(new_keys[i], shift, keys, values)
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
    """Replace each prefix by the value of its pair, or by -1."""
    with cython.nogil:
        for i in range(prefixes.shape[0]):
            if prefixes[i] >= 0:
                prefixes[i] = values[find_slot(pack(prefixes[i], words[i + distance]), shift, keys, values)]


def number_keys(
    new_keys: cython.const[cython.ulonglong][::1],
    keys: cython.ulonglong[::1],
    values: cython.int[::1],
    shift: cython.int,
    numbers: cython.longlong[::1],
):
    """Number the distinct keys in the order of their first occurrence; the table is empty."""
    known: cython.int = 0
    with cython.nogil:
        for i in range(new_keys.shape[0]):
            slot = find_slot(new_keys[i], shift, keys, values)
            if values[slot] < 0:
                keys[slot] = new_keys[i]
                values[slot] = known
                known += 1
            numbers[i] = values[slot]
