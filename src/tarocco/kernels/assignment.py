# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-grams matched one to one: those that are equal first, the rest so that their weights are largest in sum.

The rest is an assignment problem, solved exactly by shortest augmenting paths (Jonker and Volgenant 1987): each row in
turn gets a column, along the cheapest path through the columns that other rows have. Only n-grams that have a weight
with some other one take part, and there are few.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

INFINITE = cython.declare(cython.double, 1e300)

# Rows of `marks`, with a column for each word of the longer text, and one more.
USED = cython.declare(cython.int, 0)  # n-grams of the candidate that are matched
TAKEN = cython.declare(cython.int, 1)  # and of the reference
ROWS = cython.declare(cython.int, 2)  # the n-gram that is row k of the matrix
COLUMNS = cython.declare(cython.int, 3)
OWNER = cython.declare(cython.int, 4)  # the row that has column k, from 1 on; 0 is none
WAY = cython.declare(cython.int, 5)  # the column before it on the path
DONE = cython.declare(cython.int, 6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def assign(
    matrix: cython.const[cython.double][:, ::1],
    rows: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
    marks: cython.int[:, ::1],
    work: cython.double[:, ::1],
) -> cython.double:
    """The largest sum of weights with one column for each row; there are no fewer columns than rows."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    here: cython.Py_ssize_t
    nearest: cython.Py_ssize_t
    step: cython.double
    cost: cython.double
    total: cython.double = 0
    # work: prices of rows, prices of columns, lengths of paths; marks and work count from 1, and 0 is the start.
    for j in range(columns + 1):
        marks[OWNER, j] = 0
        work[0, j] = 0
        work[1, j] = 0
    for i in range(1, rows + 1):
        marks[OWNER, 0] = cython.cast(cython.int, i)
        here = 0
        for j in range(columns + 1):
            work[2, j] = INFINITE
            marks[DONE, j] = 0
        while True:
            marks[DONE, here] = 1
            row = marks[OWNER, here]
            step = INFINITE
            nearest = 0
            for j in range(1, columns + 1):
                if not marks[DONE, j]:
                    cost = -matrix[row - 1, j - 1] - work[0, row] - work[1, j]
                    if cost < work[2, j]:
                        work[2, j] = cost
                        marks[WAY, j] = cython.cast(cython.int, here)
                    if work[2, j] < step:
                        step = work[2, j]
                        nearest = j
            for j in range(columns + 1):
                if marks[DONE, j]:
                    work[0, marks[OWNER, j]] += step
                    work[1, j] -= step
                else:
                    work[2, j] -= step
            here = nearest
            if marks[OWNER, here] == 0:
                break
        while here != 0:
            marks[OWNER, here] = marks[OWNER, marks[WAY, here]]
            here = marks[WAY, here]
    for j in range(1, columns + 1):
        if marks[OWNER, j]:
            total += matrix[marks[OWNER, j] - 1, j - 1]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_equal(
    words: cython.const[cython.int][:, ::1],
    start: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    texts: cython.const[cython.int][:, ::1],
    text: cython.Py_ssize_t,
    text_count: cython.Py_ssize_t,
    order: cython.Py_ssize_t,
    kinds: cython.Py_ssize_t,
    marks: cython.int[:, ::1],
) -> cython.Py_ssize_t:
    """Match equal n-grams that are free, from left to right: equal in lemmas, and in tags if there are two kinds."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    kind: cython.Py_ssize_t
    same: cython.bint
    found: cython.Py_ssize_t = 0
    for i in range(count):
        for j in range(text_count):
            if marks[USED, i]:
                break
            same = not marks[TAKEN, j]
            for k in range(order):
                for kind in range(kinds):
                    same = same and words[kind, start + i + k] == texts[kind, text + j + k]
            if same:
                marks[USED, i] = 1
                marks[TAKEN, j] = 1
                found += 1
    return found


def match_ngrams(
    words: cython.const[cython.int][:, ::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    texts: cython.const[cython.int][:, ::1],
    text_bounds: cython.const[cython.Py_ssize_t][::1],
    text_rows: cython.const[cython.Py_ssize_t][::1],
    text_groups: cython.const[cython.Py_ssize_t][::1],
    keys: cython.const[cython.int][::1],
    key_bounds: cython.const[cython.Py_ssize_t][::1],
    weights: cython.double[:, ::1],
    matrix: cython.double[:, ::1],
    marks: cython.int[:, ::1],
    work: cython.double[:, ::1],
    out: cython.double[:, ::1],
):
    """Fill out with the weight of the matched n-grams of each order, of each candidate and each of its references.

    `words` and `texts` have the lemmas of the words in their first row and the tags in their second. Lemma l has the
    keys keys[key_bounds[l]:key_bounds[l + 1]], in their order, and is a synonym of those that share one.
    """
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    text: cython.Py_ssize_t
    text_length: cython.Py_ssize_t
    order: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    many: cython.Py_ssize_t
    many_there: cython.Py_ssize_t
    lemma: cython.int
    lemma_there: cython.int
    weight: cython.double
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                start = bounds[rows[member]]
                length = bounds[rows[member] + 1] - start
                for other in range(text_groups[segment], text_groups[segment + 1]):
                    text = text_bounds[text_rows[other]]
                    text_length = text_bounds[text_rows[other] + 1] - text
                    for i in range(length):
                        lemma = words[0, start + i]
                        for j in range(text_length):
                            lemma_there = texts[0, text + j]
                            e = key_bounds[lemma]
                            f = key_bounds[lemma_there]
                            while e < key_bounds[lemma + 1] and f < key_bounds[lemma_there + 1] and keys[e] != keys[f]:
                                if keys[e] < keys[f]:
                                    e += 1
                                else:
                                    f += 1
                            weights[i, j] = 0
                            if lemma == lemma_there or (e < key_bounds[lemma + 1] and f < key_bounds[lemma_there + 1]):
                                weights[i, j] = 1.0 if words[1, start + i] == texts[1, text + j] else 0.5
                    for order in range(1, out.shape[1] + 1):
                        for i in range(max(length, text_length)):
                            marks[USED, i] = 0
                            marks[TAKEN, i] = 0
                        i = length - order + 1
                        j = text_length - order + 1
                        weight = take_equal(words, start, i, texts, text, j, order, 2, marks)
                        weight += take_equal(words, start, i, texts, text, j, order, 1, marks)
                        out[pair, order - 1] = weight
                        many = 0
                        many_there = 0
                        for j in range(text_length - order + 1):
                            if not marks[TAKEN, j]:
                                marks[COLUMNS, many_there] = cython.cast(cython.int, j)
                                many_there += 1
                        for i in range(length - order + 1):
                            if marks[USED, i]:
                                continue
                            e = 0
                            for j in range(many_there):
                                weight = 0
                                for k in range(order):
                                    if weights[i + k, marks[COLUMNS, j] + k] == 0:
                                        weight = 0
                                        break
                                    weight += weights[i + k, marks[COLUMNS, j] + k]
                                matrix[many, j] = weight / order
                                e += weight > 0
                            many += e > 0
                        if many > many_there:  # empty columns, so that every row gets one
                            for i in range(many):
                                for j in range(many_there, many):
                                    matrix[i, j] = 0
                            many_there = many
                        if many:
                            out[pair, order - 1] += assign(matrix, many, many_there, marks, work)
                    pair += 1
