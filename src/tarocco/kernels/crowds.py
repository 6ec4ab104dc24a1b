# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-gram matches of candidates with each of many references: what `shared` does for a few, 32 references at a time.

The references are written into a trie, as there: each of their n-grams is a node. A node has a small number for each of
the 32, how often it has the n-gram, so that one walk over a candidate finds its matches with all of them: at each step
32 numbers are compared with one, which is a few instructions of the processor. Texts have fewer than 32768 words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def place_of(
    node: cython.Py_ssize_t,
    word: cython.int,
    first: cython.int,
    shift: cython.int,
    mask: cython.Py_ssize_t,
    table: cython.const[cython.int][:, ::1],
) -> cython.Py_ssize_t:
    """The row of the table with the entry [text, node, word, child], or the free one where it belongs."""
    key: cython.ulonglong = (cython.cast(cython.ulonglong, node + 1) << 32) | cython.cast(cython.ulonglong, word)
    place: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while table[place, 0] >= first and (table[place, 2] != word or table[place, 1] != node):
        place = (place + 1) & mask
    return place


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def tally(
    counts: cython.const[cython.short][:, ::1],
    node: cython.Py_ssize_t,
    times: cython.short,
    tallies: cython.short[:, ::1],
    order: cython.Py_ssize_t,
) -> cython.void:
    """The candidate has the n-gram of a node for the so-manieth time: a match for those that have it as often."""
    lane: cython.Py_ssize_t
    for lane in range(32):  # a constant that the compiler sees, for speed
        tallies[order, lane] += cython.cast(cython.short, counts[node, lane] >= times)


def matches_with_many(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    order: cython.int,
    counts: cython.short[:, ::1],
    nodes: cython.int[:, ::1],
    table: cython.int[:, ::1],
    shift: cython.int,
    tallies: cython.short[:, ::1],
    matches: cython.double[:, ::1],
):
    """Fill matches[p, n - 1]: the lesser of the counts in candidate and reference, added over all n-grams of order n.

    Pairs p are each candidate with each of its references, in the order of the groups. counts has 32 numbers for each
    n-gram of any 32 references that follow each other in a group, nodes has four. The table is all zero and has four
    numbers for each of a power of two of places, 2 ** (64 - shift), at least 3/2 of the n-grams. tallies has 32 numbers
    for each order.
    """
    # The columns of a node.
    used: cython.Py_ssize_t = 0  # count in the candidate being walked
    seen: cython.Py_ssize_t = 1  # the candidate that it was last seen in
    following: cython.Py_ssize_t = 2  # the word that leads to the next node, -1 if none does
    branches: cython.Py_ssize_t = 3  # whether other words lead to others
    mask: cython.Py_ssize_t = table.shape[0] - 1
    segment: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0  # the first of the segment
    text: cython.int = 0
    first: cython.int
    references: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    lanes: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    member: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    node: cython.Py_ssize_t
    known: cython.Py_ssize_t  # where the next new node goes
    place: cython.Py_ssize_t
    word: cython.int
    times: cython.int
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = reference_groups[segment + 1] - reference_groups[segment]
            for begin in range(0, references, 32):
                lanes = references - begin if references - begin < 32 else 32
                first = text + 1
                known = 0
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    text += 1
                    end = reference_bounds[row + 1]
                    for i in range(reference_bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -1
                        for j in range(i, last):
                            word = reference_words[j]
                            if node >= 0 and nodes[node, following] == word:
                                node += 1
                                counts[node, lane] += 1
                                continue
                            place = place_of(node, word, first, shift, mask, table)
                            if table[place, 0] >= first:
                                node = table[place, 3]
                                counts[node, lane] += 1
                                continue
                            table[place, 0] = text
                            table[place, 1] = cython.cast(cython.int, node)
                            table[place, 2] = word
                            table[place, 3] = cython.cast(cython.int, known)
                            if node >= 0:
                                nodes[node, branches] = 1
                            for k in range(j + 1, last + 1):  # this n-gram and all that continue it are new
                                for member in range(32):
                                    counts[known, member] = 0
                                counts[known, lane] = 1
                                nodes[known, seen] = 0
                                nodes[known, following] = reference_words[k] if k < last else -1
                                nodes[known, branches] = 0
                                known += 1
                            break
                for member in range(groups[segment + 1] - groups[segment]):
                    row = rows[groups[segment] + member]
                    text += 1
                    for j in range(order):
                        for lane in range(32):
                            tallies[j, lane] = 0
                    end = bounds[row + 1]
                    for i in range(bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -1
                        for j in range(i, last):
                            word = words[j]
                            if node >= 0 and nodes[node, following] == word:
                                node += 1
                            elif node >= 0 and nodes[node, branches] == 0:
                                break
                            else:
                                place = place_of(node, word, first, shift, mask, table)
                                if table[place, 0] < first:
                                    break
                                node = table[place, 3]
                            times = nodes[node, used] + 1 if nodes[node, seen] == text else 1
                            nodes[node, used] = times
                            nodes[node, seen] = text
                            tally(counts, node, cython.cast(cython.short, times), tallies, j - i)
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * references + begin + lane, j] = tallies[j, lane]
            pair += (groups[segment + 1] - groups[segment]) * references
