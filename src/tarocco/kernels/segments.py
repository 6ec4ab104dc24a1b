# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How large the largest segment is: what callers of the other kernels need to know to make room.

The best of what each candidate chooses from."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled


def measure_segments(
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill out with the number of pairs of candidates and references, and with the largest, over segments, of:

    number of references, their words together, their blocks of 64 words together, length of a candidate, length of a
    reference.
    """
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    length: cython.Py_ssize_t
    words: cython.Py_ssize_t
    blocks: cython.Py_ssize_t
    references: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(6):
            out[i] = 0
        for segment in range(groups.shape[0] - 1):
            words = 0
            blocks = 0
            references = reference_groups[segment + 1] - reference_groups[segment]
            for member in range(reference_groups[segment], reference_groups[segment + 1]):
                length = reference_bounds[reference_rows[member] + 1] - reference_bounds[reference_rows[member]]
                words += length
                blocks += (length + 63) // 64
                out[5] = length if length > out[5] else out[5]
            for member in range(groups[segment], groups[segment + 1]):
                length = bounds[rows[member] + 1] - bounds[rows[member]]
                out[4] = length if length > out[4] else out[4]
            out[0] += references * (groups[segment + 1] - groups[segment])
            out[1] = references if references > out[1] else out[1]
            out[2] = words if words > out[2] else out[2]
            out[3] = blocks if blocks > out[3] else out[3]


def choose_references(
    starts: cython.const[cython.Py_ssize_t][::1],
    choices: cython.const[cython.Py_ssize_t][::1],
    keys: cython.const[cython.double][:, ::1],
    best: cython.Py_ssize_t[::1],
):
    """Fill best[i] with the first of choices[starts[i]:starts[i + 1]] that has the least keys[0], then keys[1] ..."""
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    key: cython.Py_ssize_t
    found: cython.Py_ssize_t
    other: cython.Py_ssize_t
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            found = choices[starts[i]]
            for place in range(starts[i] + 1, starts[i + 1]):
                other = choices[place]
                for key in range(keys.shape[0]):
                    if keys[key, other] != keys[key, found]:
                        if keys[key, other] < keys[key, found]:
                            found = other
                        break
            best[i] = found
