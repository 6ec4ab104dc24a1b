# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Duplicates within an n-best list, and copies of a reference."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
OFFSET = cython.declare(cython.ulonglong, 0xCBF29CE484222325)  # of the FNV hash
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_text(
    text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.ulonglong:
    key: cython.ulonglong = OFFSET
    for i in range(start, end):
        key = ((key ^ text[i]) * PRIME) & MASK64
    return (key * SPREAD) & MASK64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def are_equal(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    other: cython.const[cython.uchar][::1],
    other_start: cython.Py_ssize_t,
    other_end: cython.Py_ssize_t,
) -> cython.bint:
    i: cython.Py_ssize_t = start
    if end - start != other_end - other_start:
        return False
    while i < end and text[i] == other[other_start + i - start]:
        i += 1
    return i == end


def find_duplicates(
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.Py_ssize_t][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    reference_text: cython.const[cython.uchar][::1],
    reference_starts: cython.const[cython.Py_ssize_t][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    hashes: cython.ulonglong[::1],
    slots: cython.Py_ssize_t[::1],
    firsts: cython.Py_ssize_t[::1],
    copies: cython.uchar[::1],
):
    """Find the first candidate of the list that equals candidate i (firsts), and whether a reference does (copies).

    The candidates of list s are the segments bounds[s] .. bounds[s + 1] - 1; reference_bounds does the same for
    references. The size of the hash table `slots` is a power of two, at least twice the size of the largest list;
    `hashes` has the same size. A slot holds the number of a candidate plus one; 0 is an empty slot.
    """
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    with cython.nogil:
        for s in range(bounds.shape[0] - 1):
            for slot in range(mask + 1):
                slots[slot] = 0
            for i in range(bounds[s], bounds[s + 1]):
                key = hash_text(text, starts[i], starts[i + 1])
                slot = cython.cast(cython.Py_ssize_t, key & cython.cast(cython.ulonglong, mask))
                copies[i] = 0
                while slots[slot] != 0:
                    other = slots[slot] - 1
                    if hashes[slot] == key and are_equal(
                        text, starts[i], starts[i + 1], text, starts[other], starts[other + 1]
                    ):
                        break
                    slot = (slot + 1) & mask
                if slots[slot] != 0:
                    firsts[i] = slots[slot] - 1
                    copies[i] = copies[firsts[i]]
                    continue
                slots[slot] = i + 1
                hashes[slot] = key
                firsts[i] = i
                for r in range(reference_bounds[s], reference_bounds[s + 1]):
                    if are_equal(
                        text,
                        starts[i],
                        starts[i + 1],
                        reference_text,
                        reference_starts[r],
                        reference_starts[r + 1],
                    ):
                        copies[i] = 1
