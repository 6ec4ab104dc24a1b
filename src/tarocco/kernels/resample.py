# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Weighted sums of statistics in a fixed order, and the bootstrap's draws.

The order of additions is fixed by the number of segments alone (eight lanes, chunks of 4096 segments), so a sum has the
same bits on any processor, with any number of threads and in any compilation. Every resample has a random stream of its
own, made from the seed and its number.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

CHUNK = cython.declare(cython.Py_ssize_t, 4096)
GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MIX1 = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
MIX2 = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MASK32 = cython.declare(cython.ulonglong, 0xFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix(z: cython.ulonglong) -> cython.ulonglong:
    """The output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = ((z ^ (z >> 30)) * MIX1) & MASK64
    z = ((z ^ (z >> 27)) * MIX2) & MASK64
    return z ^ (z >> 31)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weighted_sum(
    column: cython.const[cython.double][:, ::1], j: cython.Py_ssize_t, weights: cython.const[cython.double][::1]
) -> cython.double:
    """The sum of weights[i] * column[j, i] over i; weights are padded with zeros to a multiple of eight."""
    n: cython.Py_ssize_t = column.shape[1]
    total: cython.double = 0.0
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def counted_sum(
    column: cython.const[cython.short][:, ::1],
    j: cython.Py_ssize_t,
    weights: cython.const[cython.short][:, ::1],
    b: cython.Py_ssize_t,
) -> cython.int:
    """The same for counts, which have no rounding: the order of additions is left to the processor."""
    total: cython.int = 0
    i: cython.Py_ssize_t
    for i in range(column.shape[1]):
        total += cython.cast(cython.int, weights[b, i]) * cython.cast(cython.int, column[j, i])
    return total


def weighted_totals(
    columns: cython.const[cython.double][:, ::1],
    weights: cython.const[cython.double][::1],
    totals: cython.double[::1],
):
    """totals[j] = sum of weights[i] * columns[j, i]. Both have a multiple of eight segments, padded with zeros."""
    j: cython.Py_ssize_t
    with cython.nogil:
        for j in range(columns.shape[0]):
            totals[j] = weighted_sum(columns, j, weights)


def counted_totals(
    columns: cython.const[cython.short][:, ::1],
    weights: cython.const[cython.short][:, ::1],
    totals: cython.double[:, ::1],
):
    """totals[b, j] = the sum of weights[b, i] * columns[j, i], for counts whose sums fit into 32 bits."""
    b: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for b in range(totals.shape[0]):
            for j in range(columns.shape[0]):
                totals[b, j] = counted_sum(columns, j, weights, b)


def draw(n: cython.Py_ssize_t, seed: cython.ulonglong, first: cython.Py_ssize_t, weights: cython.short[:, ::1]):
    """weights[b, i] = how often resample first + b has segment i: n draws of the first n, with replacement.

    A draw is the upper half of a 32-bit number times n, with the few numbers that would favor some segments drawn
    again (Lemire 2019), so that every segment is equally likely to the last bit.
    """
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    drawn: cython.Py_ssize_t
    state: cython.ulonglong
    word: cython.ulonglong
    product: cython.ulonglong
    _half: cython.int
    size: cython.ulonglong = n
    unfair: cython.ulonglong = (MASK32 + 1) % size
    with cython.nogil:
        for b in range(weights.shape[0]):
            state = mix((seed + mix((cython.cast(cython.ulonglong, first + b) + GOLDEN) & MASK64)) & MASK64)
            for i in range(weights.shape[1]):
                weights[b, i] = 0
            drawn = 0
            while drawn < n:
                state = (state + GOLDEN) & MASK64
                word = mix(state)
                for _half in range(2):
                    product = (word & MASK32) * size
                    word = word >> 32
                    if (product & MASK32) >= unfair and drawn < n:
                        weights[b, product >> 32] += 1
                        drawn += 1


def toss(n: cython.Py_ssize_t, seed: cython.ulonglong, first: cython.Py_ssize_t, weights: cython.short[:, ::1]):
    """weights[b, i] = whether permutation first + b has segment i: a random bit for each of the first n."""
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    state: cython.ulonglong
    word: cython.ulonglong = 0
    with cython.nogil:
        for b in range(weights.shape[0]):
            state = mix((seed + mix((cython.cast(cython.ulonglong, first + b) + GOLDEN) & MASK64)) & MASK64)
            for i in range(n, weights.shape[1]):
                weights[b, i] = 0
            for i in range(n):
                if i & 63 == 0:
                    state = (state + GOLDEN) & MASK64
                    word = mix(state)
                weights[b, i] = cython.cast(cython.short, word & 1)
                word = word >> 1
