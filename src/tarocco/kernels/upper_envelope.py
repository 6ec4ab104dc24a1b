# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Upper envelopes of straight lines (Och 2003): the best candidate of an n-best list as a function of a weight."""

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
    """Find the lines of each list that are highest somewhere, from left to right, and where each becomes the highest.

    The lines of list s are bounds[s]:bounds[s + 1]; of equal lines the first one is taken. The result for list s is
    kept[firsts[s]:firsts[s + 1]] and starts[firsts[s]:firsts[s + 1]], which begins at `lowest` and ends before
    `highest`. After each highest line comes the one that crosses it first. Few lines are ever the highest, so this is
    faster than sorting all lines by slope.
    """
    written: cython.Py_ssize_t = 0
    with cython.nogil:
        for s in range(bounds.shape[0] - 1):
            firsts[s] = written
            top = bounds[s]
            for i in range(bounds[s] + 1, bounds[s + 1]):
                if slopes[i] < slopes[top] or (slopes[i] == slopes[top] and heights[i] > heights[top]):
                    top = i
            place = lowest
            while True:
                kept[written] = top
                starts[written] = place
                written += 1
                height = heights[top]
                slope = slopes[top]
                following = -1
                nearest = highest
                for i in range(bounds[s], bounds[s + 1]):
                    if slopes[i] > slope:
                        crossing = (height - heights[i]) / (slopes[i] - slope)
                        # Of lines that cross at the same place, the steepest is the highest to the right of it.
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
                if nearest > place:  # despite rounding, never go back
                    place = nearest
                top = following
        firsts[bounds.shape[0] - 1] = written
