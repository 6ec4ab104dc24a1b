# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counting pairs that stand in the wrong order, by merging: what makes Kendall's tau O(n log n) (Knight 1966)."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


def inversions(rows: cython.int[:, ::1], spare: cython.int[::1], counts: cython.longlong[::1]):
    """counts[r] = how many pairs i < j have rows[r, i] > rows[r, j]. Sorts the rows; `spare` is as long as one."""
    n: cython.Py_ssize_t = rows.shape[1]
    r: cython.Py_ssize_t
    width: cython.Py_ssize_t
    start: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    left: cython.Py_ssize_t
    right: cython.Py_ssize_t
    into: cython.Py_ssize_t
    found: cython.longlong
    with cython.nogil:
        for r in range(rows.shape[0]):
            found = 0
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
                            found += middle - left
                        into += 1
                    while left < middle:
                        rows[r, into] = spare[left]
                        left += 1
                        into += 1
                    start = stop
                width = 2 * width
            counts[r] = found
