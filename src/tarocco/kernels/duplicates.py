# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which candidates of a list are the same text, and which are copies of a reference."""

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
def hashed(text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.ulonglong:
    found: cython.ulonglong = OFFSET
    i: cython.Py_ssize_t
    for i in range(start, end):
        found = ((found ^ text[i]) * PRIME) & MASK64
    return (found * SPREAD) & MASK64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same(
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
    """Fill firsts[i] with the first candidate of the same list that has the text of candidate i, and copies[i].

    The candidates of list s are the segments bounds[s] .. bounds[s + 1] - 1, its references alike. `slots` is a table
    whose size is a power of two, at least twice as large as the largest list; `hashes` has as many. A slot holds a
    candidate's number plus one; 0 is an empty slot.
    """
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    s: cython.Py_ssize_t
    i: cython.Py_ssize_t
    r: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    other: cython.Py_ssize_t
    key: cython.ulonglong
    with cython.nogil:
        for s in range(bounds.shape[0] - 1):
            for slot in range(mask + 1):
                slots[slot] = 0
            for i in range(bounds[s], bounds[s + 1]):
                key = hashed(text, starts[i], starts[i + 1])
                slot = cython.cast(cython.Py_ssize_t, key & cython.cast(cython.ulonglong, mask))
                copies[i] = 0
                while slots[slot] != 0:
                    other = slots[slot] - 1
                    if hashes[slot] == key and same(
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
                    if same(
                        text,
                        starts[i],
                        starts[i + 1],
                        reference_text,
                        reference_starts[r],
                        reference_starts[r + 1],
                    ):
                        copies[i] = 1
