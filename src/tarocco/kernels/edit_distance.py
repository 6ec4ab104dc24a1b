# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Alignments of candidates and each reference of their segment, by dynamic programs over words.

All of them go through a candidate word by word and keep one row, a cell a reference position. Words are compared by
their ids; texts of any length need no more room than a few rows.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

NEVER = cython.declare(cython.double, -1e300)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cheapest(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    reference_words: cython.const[cython.int][::1],
    reference_start: cython.Py_ssize_t,
    reference_end: cython.Py_ssize_t,
    match: cython.Py_ssize_t,
    edit: cython.Py_ssize_t,
    substitution: cython.Py_ssize_t,
    row: cython.Py_ssize_t[::1],
) -> cython.Py_ssize_t:
    """The least total cost of matches, insertions and deletions (edits), and substitutions."""
    length: cython.Py_ssize_t = reference_end - reference_start
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    diagonal: cython.Py_ssize_t
    above: cython.Py_ssize_t
    best: cython.Py_ssize_t
    for j in range(length + 1):
        row[j] = j * edit
    for i in range(start, end):
        diagonal = row[0]
        row[0] += edit
        for j in range(1, length + 1):
            above = row[j]
            best = diagonal + (match if words[i] == reference_words[reference_start + j - 1] else substitution)
            if above + edit < best:
                best = above + edit
            if row[j - 1] + edit < best:
                best = row[j - 1] + edit
            row[j] = best
            diagonal = above
    return row[length]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def with_jumps(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    reference_words: cython.const[cython.int][::1],
    reference_start: cython.Py_ssize_t,
    reference_end: cython.Py_ssize_t,
    row: cython.Py_ssize_t[::1],
) -> cython.Py_ssize_t:
    """CDER's distance (Leusch, Ueffing and Ney 2006): each reference word is covered, a jump in the candidate costs 1.

    A cell stands for a place between words of the candidate. Skipping candidate words needs no case of its own: it
    never beats a jump.
    """
    length: cython.Py_ssize_t = end - start
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    diagonal: cython.Py_ssize_t
    above: cython.Py_ssize_t
    best: cython.Py_ssize_t
    least: cython.Py_ssize_t = 0
    row[0] = 0
    for j in range(1, length + 1):
        row[j] = 1
    for i in range(reference_start, reference_end):
        diagonal = row[0]
        row[0] += 1
        least = row[0]
        for j in range(1, length + 1):
            above = row[j]
            best = diagonal if reference_words[i] == words[start + j - 1] else diagonal + 1
            if above + 1 < best:
                best = above + 1
            if best < least:
                least = best
            row[j] = best
            diagonal = above
        for j in range(length + 1):
            if row[j] > least + 1:
                row[j] = least + 1
    return row[length]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def recognized(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    reference_words: cython.const[cython.int][::1],
    reference_start: cython.Py_ssize_t,
    reference_end: cython.Py_ssize_t,
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    best: cython.double[::1],
    runs: cython.double[:, ::1],
) -> cython.double:
    """The most that a path of the automaton of Chiang et al. (2008, section 4.3) collects.

    Its states are (reference words passed, matches in a row, at most order - 1). best[j] is the most of the states
    (j, any), runs[j, m] that of (j, m); a state with m = 0 is reached by everything but a match.
    """
    length: cython.Py_ssize_t = reference_end - reference_start
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    top: cython.Py_ssize_t = order - 1
    above: cython.double
    diagonal: cython.double
    value: cython.double
    for j in range(length + 1):
        best[j] = -deletion * j
        runs[j, 0] = best[j]
        for m in range(1, order):
            runs[j, m] = NEVER
    for i in range(start, end):
        # From the right, so that cell j - 1 is still the one of the word before; deletions go the other way, below.
        for j in range(length, -1, -1):
            above = best[j]
            value = above - insertion
            if j > 0 and best[j - 1] > value:  # a substitution is free
                value = best[j - 1]
            if j > 0 and words[i] == reference_words[reference_start + j - 1]:
                if order == 1:
                    if best[j - 1] + 1.0 > value:
                        value = best[j - 1] + 1.0
                    runs[j, 0] = value
                    best[j] = value
                    continue
                diagonal = runs[j - 1, top] + order
                if runs[j - 1, top - 1] + top > diagonal:
                    diagonal = runs[j - 1, top - 1] + top
                best[j] = value if value > diagonal else diagonal
                runs[j, top] = diagonal
                for m in range(top - 1, 0, -1):
                    runs[j, m] = runs[j - 1, m - 1] + m
                    if runs[j, m] > best[j]:
                        best[j] = runs[j, m]
            else:
                best[j] = value
                for m in range(1, order):
                    runs[j, m] = NEVER
            runs[j, 0] = value
        for j in range(1, length + 1):
            value = best[j - 1] - deletion
            if value > runs[j, 0]:
                runs[j, 0] = value
                if value > best[j]:
                    best[j] = value
    return best[length]


def compute_edit_costs(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    jumps: cython.bint,
    match: cython.Py_ssize_t,
    edit: cython.Py_ssize_t,
    substitution: cython.Py_ssize_t,
    row: cython.Py_ssize_t[::1],
    wanted: cython.const[cython.uchar][::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill out with the cost of each wanted pair, in the order of the groups: with jumps, or with these costs."""
    pair: cython.Py_ssize_t = 0
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                c = rows[member]
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    r = reference_rows[other]
                    if not wanted[pair]:
                        pass
                    elif jumps:
                        out[pair] = with_jumps(
                            words,
                            bounds[c],
                            bounds[c + 1],
                            reference_words,
                            reference_bounds[r],
                            reference_bounds[r + 1],
                            row,
                        )
                    else:
                        out[pair] = cheapest(
                            words,
                            bounds[c],
                            bounds[c + 1],
                            reference_words,
                            reference_bounds[r],
                            reference_bounds[r + 1],
                            match,
                            edit,
                            substitution,
                            row,
                        )
                    pair += 1


def score_recognition(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    best: cython.double[::1],
    runs: cython.double[:, ::1],
    out: cython.double[::1],
):
    """Fill out with what GRR's automaton collects for each pair, in the order of the groups."""
    pair: cython.Py_ssize_t = 0
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                c = rows[member]
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    r = reference_rows[other]
                    out[pair] = recognized(
                        words,
                        bounds[c],
                        bounds[c + 1],
                        reference_words,
                        reference_bounds[r],
                        reference_bounds[r + 1],
                        order,
                        insertion,
                        deletion,
                        best,
                        runs,
                    )
                    pair += 1
