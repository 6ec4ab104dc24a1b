# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Texts of a forest with many n-grams in common with references, by beam search: a few texts are kept of every node.

What is kept is decided by a gain that is linear in n-gram matches (Tromble et al. 2008): gains[n] for each match of
order n, clipped as in BLEU, and gains[0] for each word. The text of a node is built anew for each way to combine those
of its tails. N-grams of the references are numbers: follow[g, w] is the one that the word w makes of g, or -1; 0 is
none.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gain_of(
    words: cython.int[::1],
    length: cython.Py_ssize_t,
    follow: cython.const[cython.int][:, ::1],
    limits: cython.const[cython.int][::1],
    gains: cython.const[cython.double][::1],
    counts: cython.int[::1],
) -> cython.double:
    """The gain of a text; counts are 0 before and after."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    last: cython.Py_ssize_t
    gram: cython.int
    total: cython.double = gains[0] * length
    for i in range(length):
        gram = 0
        last = i + gains.shape[0] - 1
        if last > length:
            last = length
        for j in range(i, last):
            gram = follow[gram, words[j]]
            if gram < 0:
                break
            counts[gram] += 1
            if counts[gram] <= limits[gram]:
                total += gains[j - i + 1]
    for i in range(length):
        gram = 0
        last = i + gains.shape[0] - 1
        if last > length:
            last = length
        for j in range(i, last):
            gram = follow[gram, words[j]]
            if gram < 0:
                break
            counts[gram] = 0
    return total


def search(
    first_edges: cython.const[cython.longlong][::1],
    tail_starts: cython.const[cython.longlong][::1],
    tails: cython.const[cython.int][::1],
    item_starts: cython.const[cython.longlong][::1],
    items: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    follow: cython.const[cython.int][:, ::1],
    limits: cython.const[cython.int][::1],
    gains: cython.const[cython.double][::1],
    width: cython.Py_ssize_t,
    longest: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    texts: cython.int[::1],
    lengths: cython.int[:, ::1],
    values: cython.double[:, ::1],
    kept: cython.int[::1],
    counts: cython.int[::1],
    ranks: cython.int[::1],
    text: cython.int[::1],
    known: cython.int[::1],
):
    """Keep up to `width` texts of each node, the best first: items at texts[starts[node] + rank * longest[node]].

    A text is items that are words; labels[item] is what the references know it by. Of the texts of an edge's tails
    those are combined whose ranks, from 1, have a product of at most `width`.
    """
    node: cython.Py_ssize_t
    edge: cython.Py_ssize_t
    at: cython.Py_ssize_t
    arity: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t
    tail: cython.Py_ssize_t
    place: cython.Py_ssize_t
    from_: cython.Py_ssize_t
    product: cython.Py_ssize_t
    value: cython.double
    same: cython.bint
    more: cython.bint
    with cython.nogil:
        for node in range(first_edges.shape[0] - 1):
            kept[node] = 0
            for edge in range(first_edges[node], first_edges[node + 1]):
                arity = tail_starts[edge + 1] - tail_starts[edge]
                for slot in range(arity):
                    ranks[slot] = 0
                more = True
                while more:
                    n = 0
                    for at in range(item_starts[edge], item_starts[edge + 1]):
                        if items[at] >= 0:
                            text[n] = items[at]
                            n += 1
                        else:
                            slot = -1 - items[at]
                            tail = tails[tail_starts[edge] + slot]
                            from_ = starts[tail] + ranks[slot] * longest[tail]
                            for i in range(lengths[tail, ranks[slot]]):
                                text[n] = texts[from_ + i]
                                n += 1
                    for i in range(n):
                        known[i] = labels[text[i]]
                    value = gain_of(known, n, follow, limits, gains, counts)
                    # Its place behind all that are as good, unless it is one of those.
                    place = kept[node]
                    while place > 0 and values[node, place - 1] < value:
                        place -= 1
                    same = False
                    i = place - 1
                    while i >= 0 and values[node, i] == value and not same:
                        if lengths[node, i] == n:
                            from_ = starts[node] + i * longest[node]
                            same = True
                            for at in range(n):
                                if texts[from_ + at] != text[at]:
                                    same = False
                                    break
                        i -= 1
                    if not same and place < width:
                        if kept[node] < width:
                            kept[node] += 1
                        for i in range(kept[node] - 1, place, -1):
                            from_ = starts[node] + i * longest[node]
                            for at in range(lengths[node, i - 1]):
                                texts[from_ + at] = texts[from_ - longest[node] + at]
                            lengths[node, i] = lengths[node, i - 1]
                            values[node, i] = values[node, i - 1]
                        from_ = starts[node] + place * longest[node]
                        for at in range(n):
                            texts[from_ + at] = text[at]
                        lengths[node, place] = cython.cast(cython.int, n)
                        values[node, place] = value
                    # The next ranks, as on an odometer whose last wheel turns first.
                    more = False
                    slot = arity - 1
                    while slot >= 0 and not more:
                        ranks[slot] += 1
                        product = 1
                        for i in range(arity):
                            product *= ranks[i] + 1
                        if ranks[slot] < kept[tails[tail_starts[edge] + slot]] and product <= width:
                            more = True
                        else:
                            ranks[slot] = 0
                            slot -= 1
