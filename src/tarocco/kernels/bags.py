# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The overlap of the bags of words of candidates and each reference of their segment."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


def overlap(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    locals_: cython.int[:, ::1],
    counts: cython.int[:, ::1],
    used: cython.int[:, ::1],
    hits: cython.Py_ssize_t[::1],
):
    """Fill hits with the sizes of the intersections of bags of words, in the order of the groups.

    counts[number, reference] is how often a word of the segment occurs in each reference.
    """
    segment: cython.int
    text: cython.int = 0
    pair: cython.Py_ssize_t = 0
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    references: cython.Py_ssize_t
    known: cython.int
    local: cython.int
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            known = 0
            for other in range(references):
                j = reference_rows[reference_groups[segment] + other]
                for i in range(reference_bounds[j], reference_bounds[j + 1]):
                    if locals_[reference_words[i], 1] != segment:
                        locals_[reference_words[i], 0] = known
                        locals_[reference_words[i], 1] = segment
                        for member in range(references):
                            counts[known, member] = 0
                        used[known, 1] = 0
                        known += 1
                    counts[locals_[reference_words[i], 0], other] += 1
            for member in range(groups[segment], groups[segment + 1]):
                text += 1
                for i in range(bounds[rows[member]], bounds[rows[member] + 1]):
                    if locals_[words[i], 1] == segment:
                        local = locals_[words[i], 0]
                        if used[local, 1] != text:
                            used[local, 1] = text
                            used[local, 0] = 0
                        used[local, 0] += 1
                        for other in range(references):
                            if used[local, 0] <= counts[local, other]:
                                hits[pair + other] += 1
                pair += references
