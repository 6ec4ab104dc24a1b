# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Overlap of the bags of words, or of typed items, of candidates and references."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.tarocco.kernels.segments import Texts
else:
    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled


def count_common_words(
    candidates: Texts,
    references: Texts,
    numbers: cython.int[:, ::1],
    counts: cython.int[:, ::1],
    used: cython.int[:, ::1],
    overlaps: cython.Py_ssize_t[::1],
):
    """Add to overlaps[pair] the size of the intersection of the two bags of words.

    numbers[word] = [number of the word within the segment, segment]. counts[number, reference] is the count of the word
    in each reference, used[number] = [count in the current candidate, number of that candidate].
    """
    text: cython.int = 0
    pair: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(cython.cast(cython.int, candidates.groups.shape[0] - 1)):
            n_references = references.groups[segment + 1] - references.groups[segment]
            known: cython.int = 0
            for other in range(n_references):
                row = references.rows[references.groups[segment] + other]
                for i in range(references.bounds[row], references.bounds[row + 1]):
                    word = references.words[i]
                    if numbers[word, 1] != segment:
                        numbers[word, 0] = known
                        numbers[word, 1] = segment
                        for k in range(n_references):
                            counts[known, k] = 0
                        used[known, 1] = 0
                        known += 1
                    counts[numbers[word, 0], other] += 1
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                row = candidates.rows[member]
                text += 1
                for i in range(candidates.bounds[row], candidates.bounds[row + 1]):
                    word = candidates.words[i]
                    if numbers[word, 1] == segment:
                        number = numbers[word, 0]
                        if used[number, 1] != text:
                            used[number, 1] = text
                            used[number, 0] = 0
                        used[number, 0] += 1
                        for other in range(n_references):
                            if used[number, 0] <= counts[number, other]:
                                overlaps[pair + other] += 1
                pair += n_references


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
    """Fill `cells`, one cell per pair and type that either side has, and return the number of cells.

    The items of row i are keys[bounds[i]:bounds[i + 1]], sorted and distinct, with their types (sorted as well) and
    their counts. A cell is (pair, type, items of the candidate, items of the reference, the sum of the smaller counts,
    the number of the candidate's items that the reference has too), in the order of the pairs.
    """
    cell: cython.Py_ssize_t = -1
    pair: cython.int = 0
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    i = bounds[rows[member]]
                    last = bounds[rows[member] + 1]
                    j = bounds[reference_rows[other]]
                    reference_last = bounds[reference_rows[other] + 1]
                    current: cython.int = -1
                    while i < last or j < reference_last:
                        on_left: cython.bint = j == reference_last or (i < last and keys[i] <= keys[j])
                        on_right: cython.bint = i == last or (j < reference_last and keys[j] <= keys[i])
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
                        if on_left and on_right:
                            cells[cell, 4] += min(counts[i], counts[j])
                            cells[cell, 5] += counts[i]
                        if on_left:
                            cells[cell, 2] += counts[i]
                            i += 1
                        if on_right:
                            cells[cell, 3] += counts[j]
                            j += 1
                    pair += 1
    return cell + 1
