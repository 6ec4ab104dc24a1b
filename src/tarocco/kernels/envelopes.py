# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which of a list's candidates is on top as a weight changes: the upper envelope of straight lines (Och 2003)."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


def upper(
    order: cython.Py_ssize_t[::1],
    bounds: cython.Py_ssize_t[::1],
    heights: cython.double[::1],
    slopes: cython.double[::1],
    lowest: cython.double,
    kept: cython.Py_ssize_t[::1],
    starts: cython.double[::1],
    counts: cython.Py_ssize_t[::1],
):
    """The lines of each list that are highest somewhere, from left to right, and where each begins to be.

    The lines of list s are order[bounds[s]:bounds[s + 1]], by slope, then height; of equal ones the last is taken. What
    is found goes to kept and starts from bounds[s] on, counts[s] of them; the first begins at `lowest`.
    """
    s: cython.Py_ssize_t
    at: cython.Py_ssize_t
    base: cython.Py_ssize_t
    size: cython.Py_ssize_t
    line: cython.Py_ssize_t
    top: cython.Py_ssize_t
    crossing: cython.double
    with cython.nogil:
        for s in range(counts.shape[0]):
            base = bounds[s]
            size = 0
            for at in range(bounds[s], bounds[s + 1]):
                line = order[at]
                crossing = lowest
                while size > 0:
                    top = kept[base + size - 1]
                    if slopes[line] == slopes[top]:  # as steep, and at least as high
                        size -= 1
                        continue
                    crossing = (heights[top] - heights[line]) / (slopes[line] - slopes[top])
                    if crossing > starts[base + size - 1]:
                        break
                    size -= 1
                if size == 0:
                    crossing = lowest
                kept[base + size] = line
                starts[base + size] = crossing
                size += 1
            counts[s] = size
