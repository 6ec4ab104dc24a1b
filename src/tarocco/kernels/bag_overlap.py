# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The overlap of the bags of words of candidates and each reference of their segment.

The overlap of bags of typed items: of candidates and each reference of their segment, type by type."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled


def count_common_words(
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


def count_common_items(
    keys: cython.const[cython.longlong][::1],
    types: cython.const[cython.int][::1],
    counts: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    cells: cython.int[:, ::1],
):
    """Fill cells and return how many there are: one for each pair and each type that either side has.

    The items of row i are keys[bounds[i]:bounds[i + 1]], in ascending order and each once, with their types, which
    ascend too, and their counts. A cell is (pair, type, items of the candidate, items of the reference, the sum of
    the smaller counts, the candidate's items that the reference has, too); pairs come in the order of the groups.
    """
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    last: cython.Py_ssize_t
    reference_last: cython.Py_ssize_t
    cell: cython.Py_ssize_t = -1
    pair: cython.int = 0
    kind: cython.int
    current: cython.int
    on_left: cython.bint
    on_right: cython.bint
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    i = bounds[rows[member]]
                    last = bounds[rows[member] + 1]
                    j = bounds[reference_rows[other]]
                    reference_last = bounds[reference_rows[other] + 1]
                    current = -1
                    while i < last or j < reference_last:
                        on_left = j == reference_last or (i < last and keys[i] <= keys[j])
                        on_right = i == last or (j < reference_last and keys[j] <= keys[i])
                        kind = types[i] if on_left else types[j]
                        if kind != current:
                            current = kind
                            cell += 1
                            cells[cell, 0] = pair
                            cells[cell, 1] = kind
                            cells[cell, 2] = 0
                            cells[cell, 3] = 0
                            cells[cell, 4] = 0
                            cells[cell, 5] = 0
                        if on_left:
                            cells[cell, 2] += counts[i]
                        if on_right:
                            cells[cell, 3] += counts[j]
                        if on_left and on_right:
                            cells[cell, 4] += min(counts[i], counts[j])
                            cells[cell, 5] += counts[i]
                        if on_left:
                            i += 1
                        if on_right:
                            j += 1
                    pair += 1
    return cell + 1
