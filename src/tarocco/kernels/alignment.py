# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""The alignment with the fewest edits, by bit vectors (Hyyrö 2003), and the one that RapidFuzz finds among equal ones.

Common words at both ends match. The rest is traced from the ends: a word of the reference is deleted if that costs no
more, otherwise a word of the candidate is inserted if that costs no more, otherwise two words match or are substituted.
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

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)
MATCH, SUBSTITUTION, DELETION, INSERTION = (
    cython.declare(cython.uchar, 0),
    cython.declare(cython.uchar, 1),
    cython.declare(cython.uchar, 2),
    cython.declare(cython.uchar, 3),
)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_step(
    kind: cython.uchar,
    pair: cython.Py_ssize_t,
    counts: cython.Py_ssize_t[:, ::1],
    steps: cython.uchar[::1],
) -> cython.void:
    """Count a step, and write it down if there is room for steps."""
    if steps.shape[0]:
        steps[counts[pair, 0] + counts[pair, 1] + counts[pair, 2] + counts[pair, 3]] = kind
    counts[pair, kind] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_rows(
    candidates: Texts,
    first: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    blocks: cython.Py_ssize_t,
    numbers: cython.int[::1],
    masks: cython.ulonglong[:, ::1],
    rising: cython.ulonglong[:, ::1],
    falling: cython.ulonglong[:, ::1],
) -> cython.void:
    """After each word of the candidate, mark the reference words at which the edit distance rises or falls."""
    equal: cython.ulonglong
    up: cython.ulonglong
    down: cython.ulonglong
    diagonal: cython.ulonglong
    right: cython.ulonglong
    left: cython.ulonglong
    right_carry: cython.ulonglong
    left_carry: cython.ulonglong
    carry: cython.ulonglong
    for j in range(size):
        row = numbers[candidates.words[first + j]]
        right_carry = ONE
        left_carry = 0
        for block in range(blocks):
            up = rising[j, block]
            down = falling[j, block]
            equal = masks[row, block] | left_carry
            diagonal = ((((equal & up) + up) & MASK64) ^ up) | equal | down
            right = down | (~(diagonal | up) & MASK64)
            left = diagonal & up
            carry = right >> 63
            right = ((right << 1) & MASK64) | right_carry
            right_carry = carry
            carry = left >> 63
            left = ((left << 1) & MASK64) | left_carry
            left_carry = carry
            rising[j + 1, block] = left | (~(diagonal | right) & MASK64)
            falling[j + 1, block] = right & diagonal


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def align_pair(
    candidates: Texts,
    c: cython.Py_ssize_t,
    references: Texts,
    r: cython.Py_ssize_t,
    pair: cython.Py_ssize_t,
    numbers: cython.int[::1],
    masks: cython.ulonglong[:, ::1],
    rising: cython.ulonglong[:, ::1],
    falling: cython.ulonglong[:, ::1],
    counts: cython.Py_ssize_t[:, ::1],
    steps: cython.uchar[::1],
) -> cython.void:
    """Count the steps of one pair from the ends to the beginnings."""
    first: cython.Py_ssize_t = candidates.bounds[c]
    size: cython.Py_ssize_t = candidates.bounds[c + 1] - first
    start: cython.Py_ssize_t = references.bounds[r]
    length: cython.Py_ssize_t = references.bounds[r + 1] - start
    prefix: cython.Py_ssize_t = 0
    while prefix < size and prefix < length and candidates.words[first + prefix] == references.words[start + prefix]:
        prefix += 1
    first += prefix
    start += prefix
    size -= prefix
    length -= prefix
    while size and length and candidates.words[first + size - 1] == references.words[start + length - 1]:
        add_step(MATCH, pair, counts, steps)
        size -= 1
        length -= 1
    blocks: cython.Py_ssize_t = (length + 63) // 64
    known: cython.int = 0
    for i in range(length):
        word = references.words[start + i]
        if numbers[word] == 0:
            known += 1
            numbers[word] = known
            for block in range(blocks):
                masks[known, block] = 0
        masks[numbers[word], i >> 6] |= ONE << (i & 63)
    for block in range(blocks):
        rising[0, block] = MASK64
        falling[0, block] = 0
    fill_rows(candidates, first, size, blocks, numbers, masks, rising, falling)
    for i in range(length):
        numbers[references.words[start + i]] = 0
    while size and length:
        if (rising[size, (length - 1) >> 6] >> ((length - 1) & 63)) & ONE:
            length -= 1
            add_step(DELETION, pair, counts, steps)
            continue
        size -= 1
        if (falling[size, (length - 1) >> 6] >> ((length - 1) & 63)) & ONE:
            add_step(INSERTION, pair, counts, steps)
            continue
        length -= 1
        if candidates.words[first + size] == references.words[start + length]:
            add_step(MATCH, pair, counts, steps)
        else:
            add_step(SUBSTITUTION, pair, counts, steps)
    for _ in range(length):
        add_step(DELETION, pair, counts, steps)
    for _ in range(size):
        add_step(INSERTION, pair, counts, steps)
    for _ in range(prefix):
        add_step(MATCH, pair, counts, steps)


def align_texts(
    candidates: Texts,
    references: Texts,
    numbers: cython.int[::1],
    masks: cython.ulonglong[:, ::1],
    rising: cython.ulonglong[:, ::1],
    falling: cython.ulonglong[:, ::1],
    counts: cython.Py_ssize_t[:, ::1],
    steps: cython.uchar[::1],
):
    """Add to counts[pair] the matches, substitutions, deletions and insertions of each pair.

    `numbers` is 0 for every word of the vocabulary. The first row of `masks` is 0; it has one more row than a reference
    has different words, and a column per 64 words. `rising` and `falling` have a row per word of a candidate, and one
    more. If `steps` has room, it gets the steps of a single pair from the ends to the beginnings: 0 match,
    1 substitution, 2 deletion, 3 insertion.
    """
    pair: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    c = candidates.rows[member]
                    r = references.rows[other]
                    align_pair(candidates, c, references, r, pair, numbers, masks, rising, falling, counts, steps)
                    pair += 1
