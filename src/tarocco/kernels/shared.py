# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-gram matches of candidates with each reference of their segment.

References are taken four at a time and written into a trie: each of their n-grams is a *node*, which says how often
each of the four has it, so that one walk over a candidate finds its matches with all four. A walk from a position stops
at the first n-gram that none of the four has.

Where an n-gram was new when it was first met, its continuations were new, too: they are the nodes that follow it. So a
node needs to know no more than the word that leads to the next one, and most steps of a walk are one comparison. Other
continuations, and the first words of n-grams, are found in a hash table, which gets at most one entry a position.

Nothing is cleared: texts are numbered as they come, and what was written before the first of the four references is
not there.
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
    table: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """The place in the table of the entry [text, node, word, child], or the free one where it belongs."""
    key: cython.ulonglong = (cython.cast(cython.ulonglong, node) << 32) | cython.cast(cython.ulonglong, word)
    place: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while table[place * 4] >= first and (table[place * 4 + 2] != word or table[place * 4 + 1] != node):
        place = (place + 1) & mask
    return place * 4


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
    nodes: cython.int[::1],
    table: cython.int[::1],
    tallies: cython.int[::1],
    matches: cython.double[:, ::1],
):
    """Fill matches[p, n - 1]: the lesser of the counts in candidate and reference, added over all n-grams of order n.

    Pairs p are each candidate with each of its references, in the order of the groups. nodes has eight numbers for each
    n-gram of any four references that follow each other in a group. The table is all zero and has four numbers for each
    of a power of two of places, at least 16 and at least 3/2 of the words of the four. tallies has four numbers for
    each order.
    """
    # A node: its counts in four references, then what these names say. Constants that the compiler sees, for speed.
    used: cython.Py_ssize_t = 4  # count in the candidate being walked
    seen: cython.Py_ssize_t = 5  # the candidate that it was last seen in
    following: cython.Py_ssize_t = 6  # the word that leads to the next node, -1 if none does
    branches: cython.Py_ssize_t = 7  # whether other words lead to others
    segment: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0  # the first of the segment
    text: cython.int = 0
    first: cython.int
    references: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    lanes: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    member: cython.Py_ssize_t
    tally: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    node: cython.Py_ssize_t
    known: cython.Py_ssize_t  # where the next new node goes
    place: cython.Py_ssize_t
    room: cython.Py_ssize_t
    size: cython.Py_ssize_t
    shift: cython.int
    word: cython.int
    count: cython.int
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = reference_groups[segment + 1] - reference_groups[segment]
            for begin in range(0, references, 4):
                lanes = references - begin if references - begin < 4 else 4
                # As much of the table as these references need: what is small stays in the nearest cache.
                room = 0
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    room += reference_bounds[row + 1] - reference_bounds[row]
                size = 16
                shift = 60
                while 2 * size < 3 * room:
                    size *= 2
                    shift -= 1
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
                        node = -8  # a node is where its numbers begin
                        for j in range(i, last):
                            word = reference_words[j]
                            if node >= 0 and nodes[node + following] == word:
                                node += 8
                                nodes[node + lane] += 1
                                continue
                            place = place_of(node, word, first, shift, size - 1, table)
                            if table[place] >= first:
                                node = table[place + 3]
                                nodes[node + lane] += 1
                                continue
                            table[place] = text
                            table[place + 1] = cython.cast(cython.int, node)
                            table[place + 2] = word
                            table[place + 3] = cython.cast(cython.int, known)
                            if node >= 0:
                                nodes[node + branches] = 1
                            for k in range(j + 1, last + 1):  # this n-gram and all that continue it are new
                                nodes[known] = 0
                                nodes[known + 1] = 0
                                nodes[known + 2] = 0
                                nodes[known + 3] = 0
                                nodes[known + lane] = 1
                                nodes[known + seen] = 0
                                nodes[known + following] = reference_words[k] if k < last else -1
                                nodes[known + branches] = 0
                                known += 8
                            break
                for member in range(groups[segment + 1] - groups[segment]):
                    row = rows[groups[segment] + member]
                    text += 1
                    for j in range(order * 4):
                        tallies[j] = 0
                    end = bounds[row + 1]
                    for i in range(bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -8
                        tally = 0
                        for j in range(i, last):
                            word = words[j]
                            if node >= 0 and nodes[node + following] == word:
                                node += 8
                            elif node >= 0 and nodes[node + branches] == 0:
                                break
                            else:
                                place = place_of(node, word, first, shift, size - 1, table)
                                if table[place] < first:
                                    break
                                node = table[place + 3]
                            count = nodes[node + used] + 1 if nodes[node + seen] == text else 1
                            nodes[node + used] = count
                            nodes[node + seen] = text
                            for lane in range(lanes):
                                tallies[tally + lane] += cython.cast(cython.int, count <= nodes[node + lane])
                            tally += 4
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * references + begin + lane, j] = tallies[j * 4 + lane]
            pair += (groups[segment + 1] - groups[segment]) * references
