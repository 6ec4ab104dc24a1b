# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which of a list's candidates is on top as a weight changes: the upper envelope of straight lines (Och 2003)."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled


def find_upper_envelopes(
    heights: cython.const[cython.double][::1],
    slopes: cython.const[cython.double][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    lowest: cython.double,
    highest: cython.double,
    kept: cython.Py_ssize_t[::1],
    starts: cython.double[::1],
    firsts: cython.Py_ssize_t[::1],
):
    """The lines of each list that are highest somewhere, from left to right, and where each begins to be.

    The lines of list s are those from bounds[s] to bounds[s + 1]; of equal ones the first is taken. What is found of
    list s stands in kept and starts from firsts[s] to firsts[s + 1], and begins at `lowest`; nothing is beyond
    `highest`. From the line that is on top the next one is that which crosses it first. Few lines are ever on top, so
    that this is quicker than sorting all of them by slope.
    """
    s: cython.Py_ssize_t
    i: cython.Py_ssize_t
    top: cython.Py_ssize_t
    following: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    place: cython.double
    crossing: cython.double
    nearest: cython.double
    height: cython.double
    slope: cython.double
    with cython.nogil:
        for s in range(bounds.shape[0] - 1):
            firsts[s] = found
            top = bounds[s]
            for i in range(bounds[s] + 1, bounds[s + 1]):
                if slopes[i] < slopes[top] or (slopes[i] == slopes[top] and heights[i] > heights[top]):
                    top = i
            place = lowest
            while True:
                kept[found] = top
                starts[found] = place
                found += 1
                height = heights[top]
                slope = slopes[top]
                following = -1
                nearest = highest
                for i in range(bounds[s], bounds[s + 1]):
                    if slopes[i] > slope:
                        crossing = (height - heights[i]) / (slopes[i] - slope)
                        # Of those that cross at the same place the steepest is on top behind it.
                        if crossing < nearest or (
                            crossing == nearest
                            and following >= 0
                            and (
                                slopes[i] > slopes[following]
                                or (slopes[i] == slopes[following] and heights[i] > heights[following])
                            )
                        ):
                            nearest = crossing
                            following = i
                if following < 0:
                    break
                if nearest > place:  # rounding never leads back
                    place = nearest
                top = following
        firsts[bounds.shape[0] - 1] = found
