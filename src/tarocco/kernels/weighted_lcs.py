# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Weighted longest common subsequence (ROUGE-W) of candidates and each reference, for several weightings in one pass.

The recurrence of Lin and Och (2004) always takes a match, and a match that follows a match is worth more: a run of k
words is worth f(k). How long runs are does not depend on f, so all weightings go through the table together; and a row
differs from the one before only at matches and where they push the values to their right, so only those cells are
visited.


Weighted longest common subsequence (ROUGE-W) of many short candidates: what they begin with alike is done once.

A row of the recurrence's table depends on the candidate's words up to there only; and of these, a reference sees those
that it has, and where there are others. Seen so, the candidates of a list are much alike: they are put into a tree of
their beginnings, for each reference anew, and the table has a row for each step on the way to the node at hand.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

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


def compute_weighted_lcs(
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


# Columns of the tree's nodes; -1 is none.
WORD = cython.declare(cython.int, 0)
CHILD = cython.declare(cython.int, 1)  # the first
SIBLING = cython.declare(cython.int, 2)  # the next
TEXT = cython.declare(cython.int, 3)  # a candidate that ends here
NONE = cython.declare(cython.int, -1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def child_of(parent: cython.int, word: cython.int, nodes: cython.int[:, ::1], used: cython.int) -> cython.int:
    """The node that a word leads to from its parent; number `used` if it is new."""
    first: cython.int = nodes[parent, CHILD]
    node: cython.int = first
    while node >= 0 and nodes[node, WORD] != word:
        node = nodes[node, SIBLING]
    if node < 0:
        node = used
        nodes[node, WORD] = word
        nodes[node, CHILD] = NONE
        nodes[node, SIBLING] = NONE
        nodes[node, TEXT] = NONE
        if first < 0:
            nodes[parent, CHILD] = node
        else:  # what the best candidates have is what most have: it stays in front
            nodes[node, SIBLING] = nodes[first, SIBLING]
            nodes[first, SIBLING] = node
    return node


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_row(
    i: cython.Py_ssize_t,
    match: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    lines: cython.const[cython.Py_ssize_t][::1],
    nexts: cython.const[cython.int][::1],
    worth: cython.const[cython.double][:, ::1],
    cells: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
) -> cython.void:
    """Fill line i of the table for row i; the word's first place in the reference is `match`, counted from 1, or 0.

    lines[k] is the line of row k: its own, or that of the row above if they are equal and row k has no match.
    A match is always taken, so a cell can fall below its left neighbor: a dip, which the next row mends. Up to the next
    match, or dip of the row above, the largest cell so far is the one that all began with. dips[i] is how many dips
    line i has and where.
    """
    lanes: cython.Py_ssize_t = worth.shape[1]
    start: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    j: cython.Py_ssize_t
    e: cython.Py_ssize_t
    above: cython.Py_ssize_t = lines[i - 1]
    dip: cython.int = 1
    found: cython.int = 0
    run: cython.int
    falls: cython.int
    value: cython.double
    carried: cython.double
    runs[i, 0] = 0
    while True:
        end = match if match > 0 else reference_length + 1
        if dip <= dips[above, 0] and dips[above, dip] <= end:
            end = dips[above, dip]
            dip += 1
        for j in range(start + 1, end):
            runs[i, j] = 0
            for e in range(lanes):
                carried = cells[i, start, e]
                value = cells[above, j, e]
                cells[i, j, e] = carried if carried > value else value
        if end > reference_length:
            break
        start = end
        if start == match:
            run = runs[above, start - 1] + 1 if above == i - 1 else 1
            falls = 0
            for e in range(lanes):
                value = cells[lines[i - run], start - run, e] + worth[run, e]
                falls |= value < cells[i, start - 1, e]
                cells[i, start, e] = value
            if falls:
                found += 1
                dips[i, found] = cython.cast(cython.int, start)
            match = nexts[start]
        else:
            run = 0
            for e in range(lanes):
                carried = cells[i, start - 1, e]
                value = cells[above, start, e]
                cells[i, start, e] = carried if carried > value else value
        runs[i, start] = run
    dips[i, 0] = found


def compute_short_weighted_lcs(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    worth: cython.const[cython.double][:, ::1],
    locals_: cython.int[:, ::1],
    firsts: cython.int[::1],
    nexts: cython.int[::1],
    nodes: cython.int[:, ::1],
    others: cython.Py_ssize_t[::1],
    path: cython.int[::1],
    lines: cython.Py_ssize_t[::1],
    cells: cython.double[:, :, ::1],
    runs: cython.int[:, ::1],
    dips: cython.int[:, ::1],
    out: cython.double[:, ::1],
):
    """Fill out[pair, weighting], pairs in the order of the groups, where texts are shorter than the table; else -1.

    worth[k, weighting] is f(k), worth[0] is 0; it may have more columns than `out`. locals_ has a row [number, stamp] a
    word, others room for a number of candidates, which are put into a tree together, nodes for their words. The first
    line and the first column of the table are 0, and so is lines[0]. Returns how many pairs are left out.
    """
    segment: cython.Py_ssize_t
    stamp: cython.int = 0
    left_out: cython.Py_ssize_t = 0
    base: cython.Py_ssize_t = 0
    references: cython.Py_ssize_t
    other: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    pair: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    start: cython.Py_ssize_t
    room: cython.Py_ssize_t
    reference_length: cython.Py_ssize_t
    known: cython.int
    word: cython.int
    used: cython.int
    node: cython.int
    text: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = reference_groups[segment + 1] - reference_groups[segment]
            for other in range(references):
                row = reference_rows[reference_groups[segment] + other]
                start = reference_bounds[row]
                reference_length = reference_bounds[row + 1] - start
                known = 0
                stamp += 1
                if reference_length < cells.shape[1]:
                    for i in range(reference_length - 1, -1, -1):
                        word = reference_words[start + i]
                        if locals_[word, 1] != stamp:
                            known += 1
                            locals_[word, 0] = known
                            locals_[word, 1] = stamp
                            firsts[known] = 0
                        word = locals_[word, 0]
                        nexts[i + 1] = firsts[word]
                        firsts[word] = cython.cast(cython.int, i + 1)
                last = groups[segment]
                while last < groups[segment + 1]:
                    first = last
                    room = nodes.shape[0] - 1
                    used = 1
                    nodes[0, CHILD] = NONE
                    while last < groups[segment + 1] and last - first < others.shape[0]:
                        row = rows[last]
                        pair = base + (last - groups[segment]) * references + other
                        if bounds[row + 1] - bounds[row] >= cells.shape[0] or reference_length >= cells.shape[1]:
                            out[pair, 0] = -1.0
                            left_out += 1
                            last += 1
                            continue
                        room -= bounds[row + 1] - bounds[row]
                        if room < 0:
                            break
                        node = 0
                        nodes[0, WORD] = 0  # nothing is known before the first word that the reference has
                        for i in range(bounds[row], bounds[row + 1]):
                            word = locals_[words[i], 0] if locals_[words[i], 1] == stamp else 0
                            if word or nodes[node, WORD]:  # several unknown words are as one
                                node = child_of(node, word, nodes, used)
                                used += node == used
                        if node == 0:
                            for e in range(out.shape[1]):
                                out[pair, e] = 0.0
                        else:
                            others[last - first] = nodes[node, TEXT]
                            nodes[node, TEXT] = cython.cast(cython.int, last - first)
                        last += 1
                    i = 1
                    node = nodes[0, CHILD]
                    while node >= 0:
                        path[i] = node
                        word = nodes[node, WORD]
                        if word == 0 and dips[lines[i - 1], 0] == 0:
                            lines[i] = lines[i - 1]
                        else:
                            lines[i] = i
                            next_row(i, firsts[word], reference_length, lines, nexts, worth, cells, runs, dips)
                        text = nodes[node, TEXT]
                        while text >= 0:
                            pair = base + (first + text - groups[segment]) * references + other
                            for e in range(out.shape[1]):
                                out[pair, e] = cells[lines[i], reference_length, e]
                            text = others[text]
                        node = nodes[node, CHILD]
                        i += 1
                        while node < 0 and i > 1:
                            i -= 1
                            node = nodes[path[i], SIBLING]
            base += references * (groups[segment + 1] - groups[segment])
    return left_out
