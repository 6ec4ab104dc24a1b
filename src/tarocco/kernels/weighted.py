# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Weighted longest common subsequence (ROUGE-W) of candidates and each reference, for several weightings in one pass.

The recurrence of Lin and Och (2004) always takes a match, and a match that follows a match is worth more: a run of k
words is worth f(k). How long runs are does not depend on f, so all weightings go through the table together; and a row
differs from the one before only at matches and where they push the values to their right, so only those cells are
visited.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sparse_rows(
    mapped: cython.const[cython.int][::1],
    length: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    firsts: cython.const[cython.int][:, ::1],
    nexts: cython.const[cython.int][:, ::1],
    other: cython.Py_ssize_t,
    worth: cython.const[cython.double][:, ::1],
    cells: cython.double[:, ::1],
    bases: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
) -> cython.void:
    """Fill cells[reference_length], a value for each weighting.

    firsts[other, w] is the first position (from 1) of word w in the reference, nexts[other, j] the next one of the same
    word, 0 if there is none. Two rows take turns in bases, runs and dips: where a run ends, how long it is and what it
    began with; and the columns that fell below their left neighbor, which the next row mends.
    """
    weightings: cython.Py_ssize_t = worth.shape[1]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    now: cython.Py_ssize_t
    before: cython.Py_ssize_t
    match: cython.Py_ssize_t
    dip: cython.Py_ssize_t
    dips_now: cython.Py_ssize_t = 0
    dips_before: cython.Py_ssize_t
    following: cython.Py_ssize_t
    run: cython.int
    moved: cython.int
    left: cython.double
    value: cython.double
    for j in range(reference_length + 1):
        runs[0, j] = 0
        runs[1, j] = 0
        for e in range(weightings):
            cells[j, e] = 0.0
    for i in range(length):
        now = i & 1
        before = 1 - now
        if i > 1:  # the runs of the row before the last are over
            j = firsts[other, mapped[i - 2]]
            while j > 0:
                runs[now, j] = 0
                j = nexts[other, j]
        j = firsts[other, mapped[i]]
        while j > 0:  # what the matches of this row begin with, before the row changes
            run = runs[before, j - 1]
            runs[now, j] = run + 1
            for e in range(weightings):
                bases[now, j, e] = bases[before, j - 1, e] if run > 0 else cells[j - 1, e]
            j = nexts[other, j]
        dips_before = dips_now
        dips_now = 0
        dip = 0
        match = firsts[other, mapped[i]]
        while match > 0 or dip < dips_before:
            moved = 0
            if match > 0 and (dip == dips_before or match <= dips[before, dip]):
                j = match
                match = nexts[other, j]
                if dip < dips_before and dips[before, dip] == j:
                    dip += 1
                run = runs[now, j]
                for e in range(weightings):
                    value = bases[now, j, e] + worth[run, e]
                    moved |= value < cells[j - 1, e]
                    cells[j, e] = value
                if moved:
                    dips[now, dips_now] = cython.cast(cython.int, j)
                    dips_now += 1
            else:
                j = dips[before, dip]
                dip += 1
                for e in range(weightings):
                    left = cells[j - 1, e]
                    value = cells[j, e]
                    cells[j, e] = left if left > value else value
            following = match if match > 0 else reference_length + 1
            if dip < dips_before and dips[before, dip] < following:
                following = dips[before, dip]
            moved = 1
            while moved:
                j += 1
                if j >= following:
                    break
                moved = 0
                for e in range(weightings):
                    left = cells[j - 1, e]
                    value = cells[j, e]
                    moved |= left > value
                    cells[j, e] = left if left > value else value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_of_all(
    mapped: cython.const[cython.int][::1],
    length: cython.Py_ssize_t,
    reference: cython.const[cython.int][::1],
    reference_length: cython.Py_ssize_t,
    worth: cython.const[cython.double][:, ::1],
    e: cython.Py_ssize_t,
    table: cython.double[:, ::1],
    runs: cython.int[:, ::1],
) -> cython.double:
    """The most that any common subsequence is worth: each cell tries all lengths of the run that ends in it."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.double
    for j in range(reference_length + 1):
        table[0, j] = 0.0
        runs[0, j] = 0
        runs[1, j] = 0
    for i in range(1, length + 1):
        table[i, 0] = 0.0
        for j in range(1, reference_length + 1):
            best = table[i - 1, j]
            if table[i, j - 1] > best:
                best = table[i, j - 1]
            runs[i & 1, j] = runs[1 - (i & 1), j - 1] + 1 if mapped[i - 1] == reference[j - 1] else 0
            for k in range(1, runs[i & 1, j] + 1):
                if table[i - k, j - k] + worth[k, e] > best:
                    best = table[i - k, j - k] + worth[k, e]
            table[i, j] = best
    return table[length, reference_length]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def as_in_155(
    mapped: cython.const[cython.int][::1],
    length: cython.Py_ssize_t,
    reference: cython.const[cython.int][::1],
    reference_length: cython.Py_ssize_t,
    worth: cython.const[cython.double][:, ::1],
    e: cython.Py_ssize_t,
    table: cython.double[:, ::1],
    runs: cython.int[:, ::1],
) -> cython.double:
    """As ROUGE-1.5.5: find the paper's path, mark the reference's words on it, and weigh the runs of marked words."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    run: cython.int = 0
    total: cython.double = 0.0
    for j in range(length + 1):
        table[0, j] = 0.0
        runs[0, j] = 0
        runs[1, j] = 0
    for i in range(1, reference_length + 1):
        table[i, 0] = 0.0
        for j in range(1, length + 1):
            runs[i & 1, j] = 0
            if reference[i - 1] == mapped[j - 1]:
                run = runs[1 - (i & 1), j - 1]
                table[i, j] = table[i - 1, j - 1] + worth[run + 1, e] - worth[run, e]
                runs[i & 1, j] = run + 1
            elif table[i - 1, j] >= table[i, j - 1]:
                table[i, j] = table[i - 1, j]
            else:
                table[i, j] = table[i, j - 1]
    i = reference_length
    j = length
    run = 0
    while i > 0 and j > 0:
        if reference[i - 1] == mapped[j - 1]:
            run += 1
            i -= 1
            j -= 1
        elif table[i - 1, j] >= table[i, j - 1]:
            total += worth[run, e]
            run = 0
            i -= 1
        else:
            j -= 1
    return total + worth[run, e]


def weigh(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    variant: cython.int,
    worth: cython.const[cython.double][:, ::1],
    locals_: cython.int[:, ::1],
    mapped: cython.int[::1],
    reference: cython.int[::1],
    firsts: cython.int[:, ::1],
    nexts: cython.int[:, ::1],
    cells: cython.double[:, ::1],
    bases: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
    table: cython.double[:, ::1],
    out: cython.double[:, ::1],
):
    """Fill out[pair, weighting], pairs in the order of the groups; worth[k, weighting] is f(k), worth[0] is 0.

    Only pairs whose out[pair, 0] is negative are looked at.
    variant: 0 the paper's recurrence, 1 the optimum, 2 as ROUGE-1.5.5. Only the last two need the table.
    """
    segment: cython.int
    pair: cython.Py_ssize_t = 0
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    references: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    reference_length: cython.Py_ssize_t
    known: cython.int
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            known = 0
            for other in range(references):
                firsts[other, 0] = 0
                j = reference_rows[reference_groups[segment] + other]
                start = reference_bounds[j]
                reference_length = reference_bounds[j + 1] - start
                for i in range(reference_length - 1, -1, -1):
                    j = reference_words[start + i]
                    if locals_[j, 1] != segment:
                        known += 1
                        locals_[j, 0] = known
                        locals_[j, 1] = segment
                        for e in range(references):
                            firsts[e, known] = 0
                    j = locals_[j, 0]
                    nexts[other, i + 1] = firsts[other, j]
                    firsts[other, j] = cython.cast(cython.int, i + 1)
            for member in range(groups[segment], groups[segment + 1]):
                start = bounds[rows[member]]
                length = bounds[rows[member] + 1] - start
                for i in range(length):
                    j = words[start + i]
                    mapped[i] = locals_[j, 0] if locals_[j, 1] == segment else 0
                for other in range(references):
                    if out[pair, 0] >= 0:
                        pair += 1
                        continue
                    j = reference_rows[reference_groups[segment] + other]
                    start = reference_bounds[j]
                    reference_length = reference_bounds[j + 1] - start
                    if variant == 0:
                        sparse_rows(
                            mapped,
                            length,
                            reference_length,
                            firsts,
                            nexts,
                            other,
                            worth,
                            cells,
                            bases,
                            runs,
                            dips,
                        )
                        for e in range(out.shape[1]):
                            out[pair, e] = cells[reference_length, e]
                    else:
                        for i in range(reference_length):
                            reference[i] = locals_[reference_words[start + i], 0]
                        for e in range(out.shape[1]):
                            if variant == 1:
                                out[pair, e] = best_of_all(
                                    mapped, length, reference, reference_length, worth, e, table, runs
                                )
                            else:
                                out[pair, e] = as_in_155(
                                    mapped, length, reference, reference_length, worth, e, table, runs
                                )
                    pair += 1
