# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""The record of texts that most kernels read, sizes of segments, and the best reference of each candidate."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled


@cython.cclass
class Texts:
    """The candidates, or the references, of some segments; segments.pxd declares the types of the arrays.

    Text `row` consists of words[bounds[row]:bounds[row + 1]]. Segment s has the texts rows[groups[s]:groups[s + 1]].
    Kernels visit the pairs of candidates and references segment by segment, and within a segment candidate by
    candidate: this is "the order of the pairs".
    """

    def __init__(self, words: object, bounds: object, rows: object, groups: object) -> None:
        self.words = words if cython.compiled else memoryview(words)
        self.bounds = bounds if cython.compiled else memoryview(bounds)
        self.rows = rows if cython.compiled else memoryview(rows)
        self.groups = groups if cython.compiled else memoryview(groups)


def measure_segments(candidates: Texts, references: Texts, out: cython.Py_ssize_t[::1]):
    """Fill `out` with the number of pairs, and with the maximum over all segments of:

    the number of references, the number of their words, the number of their blocks of 64 words, the length of a
    candidate, the length of a reference.
    """
    with cython.nogil:
        for i in range(6):
            out[i] = 0
        for segment in range(candidates.groups.shape[0] - 1):
            words: cython.Py_ssize_t = 0
            blocks: cython.Py_ssize_t = 0
            for member in range(references.groups[segment], references.groups[segment + 1]):
                row = references.rows[member]
                length = references.bounds[row + 1] - references.bounds[row]
                words += length
                blocks += (length + 63) // 64
                out[5] = max(out[5], length)
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                row = candidates.rows[member]
                out[4] = max(out[4], candidates.bounds[row + 1] - candidates.bounds[row])
            n_references = references.groups[segment + 1] - references.groups[segment]
            out[0] += n_references * (candidates.groups[segment + 1] - candidates.groups[segment])
            out[1] = max(out[1], n_references)
            out[2] = max(out[2], words)
            out[3] = max(out[3], blocks)


def measure_reference_lengths(candidates: Texts, references: Texts, lengths: cython.double[:, ::1]):
    """Fill lengths[i] with the closest, the shortest and the mean reference length of candidate rows[i].

    If two lengths are equally close, the shorter one is the closest.
    """
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            n_references = references.groups[segment + 1] - references.groups[segment]
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                row = candidates.rows[member]
                length = candidates.bounds[row + 1] - candidates.bounds[row]
                nearest: cython.Py_ssize_t = -1
                closest: cython.Py_ssize_t = 0
                shortest: cython.Py_ssize_t = 0
                total: cython.Py_ssize_t = 0
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    row = references.rows[other]
                    reference_length = references.bounds[row + 1] - references.bounds[row]
                    total += reference_length
                    distance = max(reference_length - length, length - reference_length)
                    if nearest < 0 or reference_length < shortest:
                        shortest = reference_length
                    if nearest < 0 or distance < nearest or (distance == nearest and reference_length < closest):
                        nearest = distance
                        closest = reference_length
                lengths[member, 0] = closest
                lengths[member, 1] = shortest
                lengths[member, 2] = cython.cast(cython.double, total) / n_references


def choose_references(
    starts: cython.const[cython.Py_ssize_t][::1],
    choices: cython.const[cython.Py_ssize_t][::1],
    keys: cython.const[cython.double][:, ::1],
    best: cython.Py_ssize_t[::1],
):
    """Fill best[i] with the first of choices[starts[i]:starts[i + 1]] whose keys are the smallest.

    Choices are compared by keys[0], and if these are equal by keys[1], and so on.
    """
    with cython.nogil:
        for i in range(starts.shape[0] - 1):
            chosen = choices[starts[i]]
            for place in range(starts[i] + 1, starts[i + 1]):
                other = choices[place]
                for key in range(keys.shape[0]):
                    if keys[key, other] != keys[key, chosen]:
                        if keys[key, other] < keys[key, chosen]:
                            chosen = other
                        break
            best[i] = chosen
