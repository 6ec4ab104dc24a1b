# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-gram matches of candidates with each reference of their segment.

References are taken four at a time. Each of their n-grams is an *entry* of a hash table, which says how often each of
the four has it, so that one walk over a candidate finds its matches with all four. An entry of order n is found from
the place of its first n - 1 words and its last word, and a walk from a position stops at the first n-gram that none of
the four has.

The place of an entry is its name: the next look-up needs no number read from the table, so the processor need not wait
for memory. Nothing is cleared: texts are numbered as they come, and an entry that was last seen in a text before the
first of the four references is none.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

# An entry is eight numbers, half a cache line. The first four are its counts in four references.
LANES = cython.declare(cython.int, 4)
USED = cython.declare(cython.int, 4)  # count in the candidate being walked
TEXT = cython.declare(cython.int, 5)  # the text it was last seen in
PREFIX = cython.declare(cython.int, 6)  # where the n-gram without its last word is
WORD = cython.declare(cython.int, 7)
WIDTH = cython.declare(cython.int, 8)
NO_PREFIX = cython.declare(cython.int, -1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def place_of(
    prefix: cython.Py_ssize_t,
    word: cython.int,
    first: cython.int,
    shift: cython.int,
    mask: cython.Py_ssize_t,
    table: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """The place of the entry `prefix` + `word`, or the free one where it belongs; entries older than first are none."""
    key: cython.ulonglong = (cython.cast(cython.ulonglong, prefix) << 32) | cython.cast(cython.ulonglong, word)
    place: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while table[place * WIDTH + TEXT] >= first and (
        table[place * WIDTH + WORD] != word or table[place * WIDTH + PREFIX] != prefix
    ):
        place = (place + 1) & mask
    return place


def shared_ngrams(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    order: cython.int,
    table: cython.int[::1],
    tallies: cython.int[::1],
    matches: cython.double[:, ::1],
):
    """Fill matches[p, n - 1]: the lesser of the counts in candidate and reference, added over all n-grams of order n.

    Pairs p are each candidate with each of its references, in the order of the groups. The table is all zero and has
    eight numbers for each of a power of two of places, at least 3/2 of the n-grams of any four references that follow
    each other in a group. tallies has four numbers an order.
    """
    segment: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0  # the first of the segment
    text: cython.int = 0
    first: cython.int
    references: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    lanes: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    member: cython.Py_ssize_t
    at: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    place: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    room: cython.Py_ssize_t
    size: cython.Py_ssize_t
    shift: cython.int
    used: cython.int
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = reference_groups[segment + 1] - reference_groups[segment]
            for begin in range(0, references, 4):
                lanes = references - begin if references - begin < LANES else LANES
                # As much of the table as these references need: what is small stays in the nearest cache.
                room = 0
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    room += (reference_bounds[row + 1] - reference_bounds[row]) * order
                size = 16
                shift = 60
                while 2 * size < 3 * room:
                    size *= 2
                    shift -= 1
                first = text + 1
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    text += 1
                    end = reference_bounds[row + 1]
                    for i in range(reference_bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        place = NO_PREFIX
                        for j in range(i, last):
                            at = place
                            place = place_of(at, reference_words[j], first, shift, size - 1, table)
                            entry = place * WIDTH
                            if table[entry + TEXT] < first:
                                table[entry] = 0
                                table[entry + 1] = 0
                                table[entry + 2] = 0
                                table[entry + 3] = 0
                                table[entry + TEXT] = text
                                table[entry + PREFIX] = cython.cast(cython.int, at)
                                table[entry + WORD] = reference_words[j]
                            table[entry + lane] += 1
                for member in range(groups[segment + 1] - groups[segment]):
                    row = rows[groups[segment] + member]
                    text += 1
                    for j in range(order * LANES):
                        tallies[j] = 0
                    end = bounds[row + 1]
                    for i in range(bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        place = NO_PREFIX
                        for j in range(i, last):
                            place = place_of(place, words[j], first, shift, size - 1, table)
                            entry = place * WIDTH
                            if table[entry + TEXT] < first:
                                break
                            used = table[entry + USED] + 1 if table[entry + TEXT] == text else 1
                            table[entry + USED] = used
                            table[entry + TEXT] = text
                            at = (j - i) * LANES
                            for lane in range(lanes):
                                if used <= table[entry + lane]:
                                    tallies[at + lane] += 1
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * references + begin + lane, j] = tallies[j * LANES + lane]
            pair += (groups[segment + 1] - groups[segment]) * references
