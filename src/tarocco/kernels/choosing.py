# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The best of what each candidate chooses from."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


def least(
    starts: cython.const[cython.Py_ssize_t][::1],
    choices: cython.const[cython.Py_ssize_t][::1],
    keys: cython.const[cython.double][:, ::1],
    best: cython.Py_ssize_t[::1],
):
    """Fill best[i] with the first of choices[starts[i]:starts[i + 1]] that has the least keys[0], then keys[1] ..."""
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    key: cython.Py_ssize_t
    found: cython.Py_ssize_t
    other: cython.Py_ssize_t
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            found = choices[starts[i]]
            for place in range(starts[i] + 1, starts[i + 1]):
                other = choices[place]
                for key in range(keys.shape[0]):
                    if keys[key, other] != keys[key, found]:
                        if keys[key, other] < keys[key, found]:
                            found = other
                        break
            best[i] = found
