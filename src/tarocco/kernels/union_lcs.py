# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""The union of longest common subsequences of sentences (ROUGE-Lsum), as in ROUGE-1.5.5 and rouge-score.

Each sentence of the reference is compared with each sentence of the candidate. The words of the reference sentence in
any of the longest common subsequences are hits, but a word counts at most as often as either text has it. Of several
longest common subsequences, the one counts that is traced from the ends by leaving out a word of the candidate only if
the subsequence would otherwise be shorter.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.tarocco.kernels.segments import Texts
else:
    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mark_subsequence(
    candidates: Texts,
    first: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    references: Texts,
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    table: cython.int[:, ::1],
    marks: cython.uchar[::1],
) -> cython.void:
    """Mark the words of the reference sentence that are in a longest common subsequence."""
    for j in range(size + 1):
        table[0, j] = 0
    for i in range(1, length + 1):
        word = references.words[start + i - 1]
        table[i, 0] = 0
        for j in range(1, size + 1):
            if candidates.words[first + j - 1] == word:
                table[i, j] = table[i - 1, j - 1] + 1
            elif table[i, j - 1] > table[i - 1, j]:
                table[i, j] = table[i, j - 1]
            else:
                table[i, j] = table[i - 1, j]
    row: cython.Py_ssize_t = length
    column: cython.Py_ssize_t = size
    while row > 0 and column > 0:
        if candidates.words[first + column - 1] == references.words[start + row - 1]:
            row -= 1
            column -= 1
            marks[row] = 1
        elif table[row, column - 1] > table[row - 1, column]:
            column -= 1
        else:
            row -= 1


def count_union_hits(
    candidates: Texts,
    candidate_sentences: cython.const[cython.Py_ssize_t][::1],
    candidate_bounds: cython.const[cython.Py_ssize_t][::1],
    references: Texts,
    reference_sentences: cython.const[cython.Py_ssize_t][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    left: cython.int[:, ::1],
    table: cython.int[:, ::1],
    marks: cython.uchar[::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill `out` with the hits of each pair.

    The sentences of text `row` are bounds[row] .. bounds[row + 1] - 1, and sentence s consists of the words
    sentences[s] .. sentences[s + 1] - 1. `left` is 0 for each word of the vocabulary, in two columns.
    """
    pair: cython.Py_ssize_t = 0
    hits: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                c = candidates.rows[member]
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    r = references.rows[other]
                    for i in range(candidates.bounds[c], candidates.bounds[c + 1]):
                        left[candidates.words[i], 0] += 1
                    for i in range(references.bounds[r], references.bounds[r + 1]):
                        left[references.words[i], 1] += 1
                    hits = 0
                    for s in range(reference_bounds[r], reference_bounds[r + 1]):
                        start = reference_sentences[s]
                        length = reference_sentences[s + 1] - start
                        for i in range(length):
                            marks[i] = 0
                        for t in range(candidate_bounds[c], candidate_bounds[c + 1]):
                            first = candidate_sentences[t]
                            size = candidate_sentences[t + 1] - first
                            mark_subsequence(candidates, first, size, references, start, length, table, marks)
                        for i in range(length):
                            word = references.words[start + i]
                            if marks[i] and left[word, 0] > 0 and left[word, 1] > 0:
                                hits += 1
                                left[word, 0] -= 1
                                left[word, 1] -= 1
                    for i in range(candidates.bounds[c], candidates.bounds[c + 1]):
                        left[candidates.words[i], 0] = 0
                    for i in range(references.bounds[r], references.bounds[r + 1]):
                        left[references.words[i], 1] = 0
                    out[pair] = hits
                    pair += 1
