# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Dynamic programs over the words of a candidate and a reference: edit distance with arbitrary costs, CDER and GRR.

Each function keeps only one or two rows of its table, so long texts need little memory.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.tarocco.kernels.interruption import is_interrupted
    from cython.cimports.tarocco.kernels.segments import Texts
else:
    from tarocco.kernels.interruption import is_interrupted
    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled

NEVER = cython.declare(cython.double, -1e300)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_edit_cost(
    candidates: Texts,
    c: cython.Py_ssize_t,
    references: Texts,
    r: cython.Py_ssize_t,
    match: cython.Py_ssize_t,
    edit: cython.Py_ssize_t,
    substitution: cython.Py_ssize_t,
    row: cython.Py_ssize_t[::1],
) -> cython.Py_ssize_t:
    """Return the lowest total cost of matches, insertions and deletions (`edit`) and substitutions."""
    start = references.bounds[r] - 1
    length = references.bounds[r + 1] - references.bounds[r]
    for j in range(length + 1):
        row[j] = j * edit
    for i in range(candidates.bounds[c], candidates.bounds[c + 1]):
        if i & 63 == 63 and is_interrupted():
            break
        word = candidates.words[i]
        diagonal = row[0]
        row[0] += edit
        for j in range(1, length + 1):
            above = row[j]
            best = diagonal + (match if word == references.words[start + j] else substitution)
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
def compute_cder_distance(
    candidates: Texts, c: cython.Py_ssize_t, references: Texts, r: cython.Py_ssize_t, row: cython.Py_ssize_t[::1]
) -> cython.Py_ssize_t:
    """Return CDER's distance (Leusch, Ueffing and Ney 2006): cover each reference word; a candidate jump costs 1.

    A cell is a position between two candidate words. Skipping candidate words needs no extra case because it is never
    cheaper than a jump.
    """
    start = candidates.bounds[c] - 1
    length = candidates.bounds[c + 1] - candidates.bounds[c]
    row[0] = 0
    for j in range(1, length + 1):
        row[j] = 1
    for i in range(references.bounds[r], references.bounds[r + 1]):
        if i & 63 == 63 and is_interrupted():
            break
        word = references.words[i]
        diagonal = row[0]
        row[0] += 1
        least = row[0]
        for j in range(1, length + 1):
            above = row[j]
            best = diagonal if word == candidates.words[start + j] else diagonal + 1
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
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def match_in_automaton(
    j: cython.Py_ssize_t,
    order: cython.Py_ssize_t,
    value: cython.double,
    best: cython.double[::1],
    runs: cython.double[:, ::1],
) -> cython.void:
    """Update the states of reference position j for a match; `value` is the most that other transitions collect."""
    top = order - 1
    if order == 1:
        if best[j - 1] + 1.0 > value:
            value = best[j - 1] + 1.0
        best[j] = value
        runs[j, 0] = value
        return
    highest = runs[j - 1, top] + order
    if runs[j - 1, top - 1] + top > highest:
        highest = runs[j - 1, top - 1] + top
    runs[j, top] = highest
    if value > highest:
        highest = value
    for m in range(top - 1, 0, -1):
        runs[j, m] = runs[j - 1, m - 1] + m
        if runs[j, m] > highest:
            highest = runs[j, m]
    best[j] = highest
    runs[j, 0] = value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def run_automaton(
    candidates: Texts,
    c: cython.Py_ssize_t,
    references: Texts,
    r: cython.Py_ssize_t,
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    best: cython.double[::1],
    runs: cython.double[:, ::1],
) -> cython.double:
    """Return the most that a path through the automaton of Chiang et al. (2008, section 4.3) collects.

    A state is (number of reference words passed, number of matches in a row, at most order - 1). best[j] is the maximum
    over the states (j, any), runs[j, m] is the value of (j, m). Only a match leads to a state with m > 0.
    """
    start = references.bounds[r] - 1
    length = references.bounds[r + 1] - references.bounds[r]
    for j in range(length + 1):
        best[j] = -deletion * j
        runs[j, 0] = best[j]
        for m in range(1, order):
            runs[j, m] = NEVER
    for i in range(candidates.bounds[c], candidates.bounds[c + 1]):
        if i & 63 == 63 and is_interrupted():
            break
        word = candidates.words[i]
        # From right to left, so that cell j - 1 still belongs to the previous candidate word.
        for j in range(length, -1, -1):
            value = best[j] - insertion
            if j > 0 and best[j - 1] > value:  # a substitution is free
                value = best[j - 1]
            if j > 0 and word == references.words[start + j]:
                match_in_automaton(j, order, value, best, runs)
            else:
                best[j] = value
                for m in range(1, order):
                    runs[j, m] = NEVER
                runs[j, 0] = value
        # Deletions go from left to right.
        for j in range(1, length + 1):
            value = best[j - 1] - deletion
            if value > runs[j, 0]:
                runs[j, 0] = value
                if value > best[j]:
                    best[j] = value
    return best[length]


def compute_edit_costs(
    candidates: Texts,
    references: Texts,
    jumps: cython.bint,
    match: cython.Py_ssize_t,
    edit: cython.Py_ssize_t,
    substitution: cython.Py_ssize_t,
    row: cython.Py_ssize_t[::1],
    wanted: cython.const[cython.uchar][::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill out[pair] for each wanted pair with CDER's distance (`jumps`) or with the edit cost."""
    pair: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                c = candidates.rows[member]
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    r = references.rows[other]
                    if wanted[pair] and jumps:
                        out[pair] = compute_cder_distance(candidates, c, references, r, row)
                    elif wanted[pair]:
                        out[pair] = compute_edit_cost(candidates, c, references, r, match, edit, substitution, row)
                    pair += 1


def score_recognition(
    candidates: Texts,
    references: Texts,
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    best: cython.double[::1],
    runs: cython.double[:, ::1],
    out: cython.double[::1],
):
    """Fill out[pair] with what GRR's automaton collects."""
    pair: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                c = candidates.rows[member]
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    r = references.rows[other]
                    out[pair] = run_automaton(candidates, c, references, r, order, insertion, deletion, best, runs)
                    pair += 1
