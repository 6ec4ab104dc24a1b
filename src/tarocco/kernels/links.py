# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which words of a candidate match which words of each of its references: words match that have a key in common.

A link is a pair of words that match. The links of all pairs of texts stand one after the other, in the order of the
pairs, of the candidate's words and of the reference's words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

# Rows of `index`, which has a column for each key, and of `chain`, which has one for each key of each reference word.
STAMP = cython.declare(cython.int, 0)  # the reference that the key was last seen in
HEAD = cython.declare(cython.int, 1)  # where its chain begins
NEXT = cython.declare(cython.int, 0)
PLACE = cython.declare(cython.int, 1)  # the word of the reference

# Rows of `links`.
REFERENCE = cython.declare(cython.int, 0)  # the word of the reference
FOLLOWER = cython.declare(cython.int, 1)  # the link of the next word of both, or -1
HOPE = cython.declare(cython.int, 2)  # no more followers than this can come after it


def link(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    texts: cython.const[cython.int][::1],
    text_bounds: cython.const[cython.Py_ssize_t][::1],
    text_rows: cython.const[cython.Py_ssize_t][::1],
    text_groups: cython.const[cython.Py_ssize_t][::1],
    keys: cython.const[cython.int][::1],
    key_bounds: cython.const[cython.Py_ssize_t][::1],
    starts: cython.const[cython.Py_ssize_t][::1],
    partners: cython.const[cython.int][::1],
    index: cython.int[:, ::1],
    chain: cython.int[:, ::1],
    seen: cython.Py_ssize_t[::1],
    counts: cython.Py_ssize_t[::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
):
    """Write the links of every word, from firsts[word] on, or count them if `links` is empty.

    Word w has the keys keys[key_bounds[w]:key_bounds[w + 1]]. The words of pair p are starts[p]:starts[p + 1], and
    `partners` has the word of the reference that each is matched with already, or -1: a word that is matched has that
    one link, and its partner no other.
    """
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    references: cython.Py_ssize_t
    pair: cython.Py_ssize_t
    base: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    text: cython.Py_ssize_t
    length: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.int
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    first: cython.Py_ssize_t
    place: cython.Py_ssize_t
    number: cython.Py_ssize_t
    word: cython.int
    node: cython.int
    nodes: cython.int
    stamp: cython.int = 0
    counting: cython.bint = links.shape[1] == 0
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = text_groups[segment + 1] - text_groups[segment]
            for other in range(references):
                text = text_bounds[text_rows[text_groups[segment] + other]]
                length = text_bounds[text_rows[text_groups[segment] + other] + 1] - text
                stamp += 1
                nodes = 0
                for i in range(length - 1, -1, -1):  # from the last word on: chains go up
                    word = texts[text + i]
                    for k in range(key_bounds[word], key_bounds[word + 1]):
                        chain[NEXT, nodes] = index[HEAD, keys[k]] if index[STAMP, keys[k]] == stamp else -1
                        chain[PLACE, nodes] = cython.cast(cython.int, i)
                        index[STAMP, keys[k]] = stamp
                        index[HEAD, keys[k]] = nodes
                        nodes += 1
                for member in range(groups[segment + 1] - groups[segment]):
                    start = bounds[rows[groups[segment] + member]]
                    pair = base + member * references + other
                    for i in range(length):
                        seen[i] = -1
                    for place in range(starts[pair], starts[pair + 1]):
                        if partners[place] >= 0:
                            seen[partners[place]] = starts[pair + 1]  # for nobody else
                    for place in range(starts[pair], starts[pair + 1]):
                        first = 0 if counting else firsts[place]
                        number = 0
                        if partners[place] >= 0:
                            if not counting:
                                links[REFERENCE, first] = partners[place]
                            counts[place] = 1
                            continue
                        word = words[start + place - starts[pair]]
                        for k in range(key_bounds[word], key_bounds[word + 1]):
                            node = index[HEAD, keys[k]] if index[STAMP, keys[k]] == stamp else -1
                            while node >= 0:
                                j = chain[PLACE, node]
                                node = chain[NEXT, node]
                                if seen[j] >= place:
                                    continue
                                seen[j] = place
                                if not counting:
                                    e = first + number
                                    while e > first and links[REFERENCE, e - 1] > j:
                                        links[REFERENCE, e] = links[REFERENCE, e - 1]
                                        e -= 1
                                    links[REFERENCE, e] = j
                                number += 1
                        counts[place] = number
            base += references * (groups[segment + 1] - groups[segment])


def follow(
    starts: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    hopes: cython.int[::1],
):
    """Find the follower of each link, and how many followers can come: after a link, and from a word on (`hopes`).

    That is what would come if each link had the reference for itself. `hopes` has an entry more for each pair, its
    end, so the words of pair p are at starts[p] + p.
    """
    pair: cython.Py_ssize_t
    place: cython.Py_ssize_t
    own: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    low: cython.Py_ssize_t
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            hopes[starts[pair + 1] + pair] = 0
            for place in range(starts[pair + 1] - 1, starts[pair] - 1, -1):
                own = place + pair
                hopes[own] = hopes[own + 1]
                low = firsts[place + 1]
                f = firsts[place + 2] if place + 1 < starts[pair + 1] else low
                for e in range(firsts[place + 1] - 1, firsts[place] - 1, -1):
                    links[HOPE, e] = hopes[own + 1]
                    links[FOLLOWER, e] = -1
                    while f > low and links[REFERENCE, f - 1] > links[REFERENCE, e] + 1:
                        f -= 1
                    if f > low and links[REFERENCE, f - 1] == links[REFERENCE, e] + 1:
                        links[FOLLOWER, e] = cython.cast(cython.int, f - 1)
                        if links[HOPE, f - 1] + 1 > links[HOPE, e]:
                            links[HOPE, e] = links[HOPE, f - 1] + 1
                    if links[HOPE, e] > hopes[own]:
                        hopes[own] = links[HOPE, e]
