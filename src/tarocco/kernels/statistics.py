# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Random numbers, bootstrap draws, weighted sums of statistics in a fixed order, and inversions.

The order of additions depends only on the number of segments (eight lanes, chunks of 4096 segments), so a sum has the
same bits on any processor, with any number of threads and in any compilation. Each resample has its own random stream,
derived from the seed and the number of the resample.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

CHUNK = cython.declare(cython.Py_ssize_t, 4096)
# The constants of the generator are local variables: the C compiler assumes that writing a word could change a global
# one.


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def advance(state: cython.ulonglong) -> cython.ulonglong:
    """Return the next state of a stream of SplitMix64 (Steele, Lea and Flood 2014)."""
    golden: cython.ulonglong = 0x9E3779B97F4A7C15
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    return (state + golden) & mask


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix(z: cython.ulonglong) -> cython.ulonglong:
    """Return the random word of a state."""
    first: cython.ulonglong = 0xBF58476D1CE4E5B9
    second: cython.ulonglong = 0x94D049BB133111EB
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * first) & mask
    z = ((z ^ (z >> 27)) * second) & mask
    return z ^ (z >> 31)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def start_stream(seed: cython.ulonglong, number: cython.Py_ssize_t) -> cython.ulonglong:
    """Return the state before the first word of stream `number`."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    return mix((seed + mix(advance(cython.cast(cython.ulonglong, number)))) & mask)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weighted_sum(
    column: cython.const[cython.double][:, ::1], j: cython.Py_ssize_t, weights: cython.const[cython.double][::1]
) -> cython.double:
    """Return the sum of weights[i] * column[j, i] over i; weights are padded with zeros to a multiple of eight."""
    n: cython.Py_ssize_t = column.shape[1]
    total: cython.double = 0.0
    start: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    a0: cython.double
    a1: cython.double
    a2: cython.double
    a3: cython.double
    a4: cython.double
    a5: cython.double
    a6: cython.double
    a7: cython.double
    while start < n:
        stop = start + CHUNK
        if stop > n:
            stop = n
        a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = 0.0
        i = start
        while i < stop:
            a0 += weights[i] * column[j, i]
            a1 += weights[i + 1] * column[j, i + 1]
            a2 += weights[i + 2] * column[j, i + 2]
            a3 += weights[i + 3] * column[j, i + 3]
            a4 += weights[i + 4] * column[j, i + 4]
            a5 += weights[i + 5] * column[j, i + 5]
            a6 += weights[i + 6] * column[j, i + 6]
            a7 += weights[i + 7] * column[j, i + 7]
            i += 8
        total += ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
        start = stop
    return total


def sum_weighted(
    columns: cython.const[cython.double][:, ::1],
    weights: cython.const[cython.double][::1],
    totals: cython.double[::1],
):
    """Set totals[j] to the sum of weights[i] * columns[j, i]; segments are padded with zeros to a multiple of eight."""
    with cython.nogil:
        for j in range(columns.shape[0]):
            totals[j] = weighted_sum(columns, j, weights)


def sum_counts(
    columns: cython.const[cython.short][:, ::1],
    weights: cython.const[cython.short][:, ::1],
    totals: cython.double[:, ::1],
):
    """Set totals[b, j] to the sum of weights[b, i] * columns[j, i], for counts whose sums fit into 32 bits.

    Four resamples are added at a time, so that a column is read once for all of them; their number is a multiple of
    four. Counts are not rounded, so the order of additions does not matter.
    """
    n: cython.Py_ssize_t = columns.shape[1]
    t0: cython.int
    t1: cython.int
    t2: cython.int
    t3: cython.int
    with cython.nogil:
        for b in range(0, totals.shape[0], 4):
            for j in range(columns.shape[0]):
                t0 = t1 = t2 = t3 = 0
                for i in range(n):
                    t0 += cython.cast(cython.int, weights[b, i]) * cython.cast(cython.int, columns[j, i])
                    t1 += cython.cast(cython.int, weights[b + 1, i]) * cython.cast(cython.int, columns[j, i])
                    t2 += cython.cast(cython.int, weights[b + 2, i]) * cython.cast(cython.int, columns[j, i])
                    t3 += cython.cast(cython.int, weights[b + 3, i]) * cython.cast(cython.int, columns[j, i])
                totals[b, j] = t0
                totals[b + 1, j] = t1
                totals[b + 2, j] = t2
                totals[b + 3, j] = t3


def fill_random_words(seed: cython.ulonglong, first: cython.Py_ssize_t, random: cython.ulonglong[:, ::1]):
    """Fill random[b] with the first words of stream first + b."""
    with cython.nogil:
        for b in range(random.shape[0]):
            state = start_stream(seed, first + b)
            for w in range(random.shape[1]):
                state = advance(state)
                random[b, w] = mix(state)


def draw_resamples(
    n: cython.Py_ssize_t,
    seed: cython.ulonglong,
    first: cython.Py_ssize_t,
    weights: cython.short[:, ::1],
    random: cython.ulonglong[::1],
):
    """Fill weights[b, i] with the count of segment i in resample first + b: n draws from n segments with replacement.

    A draw is the upper half of a 32-bit number times n; the few numbers that would favor some segments are drawn again
    (Lemire 2019), so that all segments are exactly equally likely. `random` is room for words of two such numbers each:
    generating many words at a time is faster.
    """
    half: cython.ulonglong = 0xFFFFFFFF
    size: cython.ulonglong = n
    unfair: cython.ulonglong = (half + 1) % size
    with cython.nogil:
        for b in range(weights.shape[0]):
            state = start_stream(seed, first + b)
            for i in range(weights.shape[1]):
                weights[b, i] = 0
            left = n
            while left > 0:
                many = (left + 1) >> 1
                if many > random.shape[0]:
                    many = random.shape[0]
                for w in range(many):
                    state = advance(state)
                    random[w] = mix(state)
                for w in range(many):
                    word = random[w]
                    product = (word & half) * size
                    if (product & half) >= unfair:
                        weights[b, product >> 32] += 1
                        left -= 1
                    product = (word >> 32) * size
                    if (product & half) >= unfair and left > 0:
                        weights[b, product >> 32] += 1
                        left -= 1


def count_inversions(rows: cython.int[:, ::1], spare: cython.int[::1], counts: cython.longlong[::1]):
    """Set counts[r] to the number of pairs i < j with rows[r, i] > rows[r, j], by merge sort (Knight 1966).

    The rows are sorted in place; `spare` is as long as a row.
    """
    n: cython.Py_ssize_t = rows.shape[1]
    swaps: cython.longlong
    with cython.nogil:
        for r in range(rows.shape[0]):
            swaps = 0
            width = 1
            while width < n:
                start = 0
                while start + width < n:
                    middle = start + width
                    stop = middle + width
                    if stop > n:
                        stop = n
                    for into in range(start, middle):
                        spare[into] = rows[r, into]
                    left = start
                    right = middle
                    into = start
                    while left < middle and right < stop:
                        if spare[left] <= rows[r, right]:
                            rows[r, into] = spare[left]
                            left += 1
                        else:
                            rows[r, into] = rows[r, right]
                            right += 1
                            swaps += middle - left
                        into += 1
                    while left < middle:
                        rows[r, into] = spare[left]
                        left += 1
                        into += 1
                    start = stop
                width = 2 * width
            counts[r] = swaps
