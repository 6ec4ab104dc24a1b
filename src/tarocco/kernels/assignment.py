# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""One-to-one matchings of n-grams (MAXSIM): equal n-grams first, the others with the largest total weight.

The second step is an assignment problem, solved exactly by shortest augmenting paths (Jonker and Volgenant 1987): each
row in turn gets a column, along the cheapest path through the columns of other rows. Only n-grams that have a weight
with some other n-gram take part, and there are few.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

INFINITE = cython.declare(cython.double, 1e300)

# Rows of `marks`, which has one column per word of the longer text, and one more.
USED = cython.declare(cython.int, 0)  # whether an n-gram of the candidate is matched
TAKEN = cython.declare(cython.int, 1)  # whether an n-gram of the reference is matched
COLUMNS = cython.declare(cython.int, 3)  # the n-gram of the reference that is column k of the matrix
OWNER = cython.declare(cython.int, 4)  # the row that has column k, from 1; 0 is none
WAY = cython.declare(cython.int, 5)  # the previous column on the path
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
    """Return the largest total weight with one column per row; there are at least as many columns as rows.

    work has the prices of rows, the prices of columns and the lengths of paths. Rows and columns count from 1; column 0
    is the start.
    """
    here: cython.Py_ssize_t
    total: cython.double = 0
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
            nearest: cython.Py_ssize_t = 0
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
def match_equal(
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
    """Match equal unmatched n-grams from left to right: equal in lemmas, and with two `kinds` also in tags."""
    matches: cython.Py_ssize_t = 0
    for i in range(count):
        for j in range(text_count):
            if marks[USED, i]:
                break
            same: cython.bint = not marks[TAKEN, j]
            for k in range(order):
                for kind in range(kinds):
                    same = same and words[kind, start + i + k] == texts[kind, text + j + k]
            if same:
                marks[USED, i] = 1
                marks[TAKEN, j] = 1
                matches += 1
    return matches


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def are_synonyms(
    lemma: cython.int,
    other: cython.int,
    keys: cython.const[cython.int][::1],
    key_bounds: cython.const[cython.Py_ssize_t][::1],
) -> cython.bint:
    """Return whether two lemmas are equal or have a key in common."""
    e = key_bounds[lemma]
    f = key_bounds[other]
    while e < key_bounds[lemma + 1] and f < key_bounds[other + 1] and keys[e] != keys[f]:
        if keys[e] < keys[f]:
            e += 1
        else:
            f += 1
    return lemma == other or (e < key_bounds[lemma + 1] and f < key_bounds[other + 1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh_unmatched(
    length: cython.Py_ssize_t,
    text_length: cython.Py_ssize_t,
    order: cython.Py_ssize_t,
    weights: cython.const[cython.double][:, ::1],
    matrix: cython.double[:, ::1],
    marks: cython.int[:, ::1],
    work: cython.double[:, ::1],
) -> cython.double:
    """Return the largest total weight of the unmatched n-grams; two n-grams weigh the mean of their words."""
    rows: cython.Py_ssize_t = 0
    columns: cython.Py_ssize_t = 0
    weight: cython.double
    for j in range(text_length - order + 1):
        if not marks[TAKEN, j]:
            marks[COLUMNS, columns] = cython.cast(cython.int, j)
            columns += 1
    for i in range(length - order + 1):
        if marks[USED, i]:
            continue
        has_weight: cython.bint = False
        for j in range(columns):
            weight = 0
            for k in range(order):
                if weights[i + k, marks[COLUMNS, j] + k] == 0:
                    weight = 0
                    break
                weight += weights[i + k, marks[COLUMNS, j] + k]
            matrix[rows, j] = weight / order
            has_weight = has_weight or weight > 0
        rows += has_weight
    if rows > columns:  # add empty columns, so that every row gets one
        for i in range(rows):
            for j in range(columns, rows):
                matrix[i, j] = 0
        columns = rows
    return assign(matrix, rows, columns, marks, work) if rows else 0.0


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
    """Fill out[pair, n - 1] with the total weight of the matched n-grams of order n.

    The first row of `words` and `texts` has lemmas, the second tags. Lemma l has the sorted keys
    keys[key_bounds[l]:key_bounds[l + 1]]; lemmas that share a key are synonyms.
    """
    pair: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                start = bounds[rows[member]]
                length = bounds[rows[member] + 1] - start
                for other in range(text_groups[segment], text_groups[segment + 1]):
                    text = text_bounds[text_rows[other]]
                    text_length = text_bounds[text_rows[other] + 1] - text
                    for i in range(length):
                        for j in range(text_length):
                            weights[i, j] = 0
                            if are_synonyms(words[0, start + i], texts[0, text + j], keys, key_bounds):
                                weights[i, j] = 1.0 if words[1, start + i] == texts[1, text + j] else 0.5
                    for order in range(1, out.shape[1] + 1):
                        for i in range(max(length, text_length)):
                            marks[USED, i] = 0
                            marks[TAKEN, i] = 0
                        i = length - order + 1
                        j = text_length - order + 1
                        equal = match_equal(words, start, i, texts, text, j, order, 2, marks)
                        equal += match_equal(words, start, i, texts, text, j, order, 1, marks)
                        out[pair, order - 1] = equal
                        out[pair, order - 1] += weigh_unmatched(
                            length, text_length, order, weights, matrix, marks, work
                        )
                    pair += 1
