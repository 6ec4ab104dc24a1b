# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Matching words of candidates and references (METEOR), and maximum one-to-one matchings of them.

A link is a pair of words that match, that is, have a key in common. The links of all pairs of texts are consecutive, in
the order of the pairs, of the candidate's words and of the reference's words. The successor of a link is the link of
the next words of both texts. A matching with m matches, s of which are successors of a match, has m - s chunks.
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

# Rows of `index`, which has a column per key, and of `chain`, which has a column per key of a reference word.
STAMP = cython.declare(cython.int, 0)  # the last reference that has the key
HEAD = cython.declare(cython.int, 1)  # the start of its chain
NEXT = cython.declare(cython.int, 0)
PLACE = cython.declare(cython.int, 1)  # the word of the reference

# Rows of `links`.
REFERENCE = cython.declare(cython.int, 0)  # the word of the reference
SUCCESSOR = cython.declare(cython.int, 1)  # the successor, or -1
BOUND = cython.declare(cython.int, 2)  # an upper bound of the number of successors after the link
RUN = cython.declare(cython.int, 3)  # the number of consecutive links from here on whose words are unmatched

# Rows of `targets`, which has a column per word of the reference.
OWNER = cython.declare(cython.int, 0)  # the candidate word that it is matched with, or -1
SEEN = cython.declare(cython.int, 1)
VIA = cython.declare(cython.int, 2)  # the candidate word from which the search reached it
ROOT = cython.declare(cython.int, 3)  # towards the first word of its connected component
SPARE = cython.declare(cython.int, 4)  # of such a first word: whether the component leaves candidate words unmatched

NEVER = cython.declare(cython.int, (1 << 31) - 1)  # as SEEN: the word keeps its owner


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def index_reference(
    references: Texts,
    row: cython.Py_ssize_t,
    stamp: cython.int,
    keys: cython.const[cython.int][::1],
    key_bounds: cython.const[cython.Py_ssize_t][::1],
    index: cython.int[:, ::1],
    chain: cython.int[:, ::1],
) -> cython.void:
    """Chain the words of a reference that have the same key, in ascending order."""
    start = references.bounds[row]
    nodes: cython.int = 0
    for i in range(references.bounds[row + 1] - start - 1, -1, -1):
        word = references.words[start + i]
        for k in range(key_bounds[word], key_bounds[word + 1]):
            chain[NEXT, nodes] = index[HEAD, keys[k]] if index[STAMP, keys[k]] == stamp else -1
            chain[PLACE, nodes] = cython.cast(cython.int, i)
            index[STAMP, keys[k]] = stamp
            index[HEAD, keys[k]] = nodes
            nodes += 1


def link_words(
    candidates: Texts,
    references: Texts,
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
    """Write the links of every word, from firsts[word] on, or only count them if `links` is empty.

    Word w has the keys keys[key_bounds[w]:key_bounds[w + 1]]. The words of pair p are starts[p]:starts[p + 1].
    `partners` has the reference word that each word is already matched with, or -1: a matched word has this link only,
    and its partner has no other link.
    """
    base: cython.Py_ssize_t = 0
    stamp: cython.int = 0
    node: cython.int
    counting: cython.bint = links.shape[1] == 0
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            n_references = references.groups[segment + 1] - references.groups[segment]
            for other in range(n_references):
                row = references.rows[references.groups[segment] + other]
                length = references.bounds[row + 1] - references.bounds[row]
                stamp += 1
                index_reference(references, row, stamp, keys, key_bounds, index, chain)
                for member in range(candidates.groups[segment + 1] - candidates.groups[segment]):
                    start = candidates.bounds[candidates.rows[candidates.groups[segment] + member]]
                    pair = base + member * n_references + other
                    for i in range(length):
                        seen[i] = -1
                    for place in range(starts[pair], starts[pair + 1]):
                        if partners[place] >= 0:
                            seen[partners[place]] = starts[pair + 1]  # excluded from all other links
                    for place in range(starts[pair], starts[pair + 1]):
                        first = 0 if counting else firsts[place]
                        number: cython.Py_ssize_t = 0
                        if partners[place] >= 0:
                            if not counting:
                                links[REFERENCE, first] = partners[place]
                            counts[place] = 1
                            continue
                        word = candidates.words[start + place - starts[pair]]
                        for k in range(key_bounds[word], key_bounds[word + 1]):
                            node = index[HEAD, keys[k]] if index[STAMP, keys[k]] == stamp else -1
                            while node >= 0:
                                j = chain[PLACE, node]
                                node = chain[NEXT, node]
                                if seen[j] < place:
                                    seen[j] = place
                                    if not counting:
                                        insert_link(first, number, j, links)
                                    number += 1
                        counts[place] = number
            base += n_references * (candidates.groups[segment + 1] - candidates.groups[segment])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def insert_link(
    first: cython.Py_ssize_t, number: cython.Py_ssize_t, j: cython.int, links: cython.int[:, ::1]
) -> cython.void:
    """Insert reference word j into the sorted links of a word, of which there are `number`."""
    e = first + number
    while e > first and links[REFERENCE, e - 1] > j:
        links[REFERENCE, e] = links[REFERENCE, e - 1]
        e -= 1
    links[REFERENCE, e] = j


def link_successors(
    starts: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    bounds: cython.int[::1],
):
    """Find the successor of each link, and upper bounds of the number of successors after a link and from a word on.

    The bounds ignore that each reference word can be matched only once. `bounds` has one more entry per pair, for its
    end, so the words of pair p start at starts[p] + p.
    """
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            bounds[starts[pair + 1] + pair] = 0
            for place in range(starts[pair + 1] - 1, starts[pair] - 1, -1):
                at = place + pair
                bounds[at] = bounds[at + 1]
                low = firsts[place + 1]
                f = firsts[place + 2] if place + 1 < starts[pair + 1] else low
                for e in range(firsts[place + 1] - 1, firsts[place] - 1, -1):
                    links[BOUND, e] = bounds[at + 1]
                    links[SUCCESSOR, e] = -1
                    while f > low and links[REFERENCE, f - 1] > links[REFERENCE, e] + 1:
                        f -= 1
                    if f > low and links[REFERENCE, f - 1] == links[REFERENCE, e] + 1:
                        links[SUCCESSOR, e] = cython.cast(cython.int, f - 1)
                        if links[BOUND, f - 1] + 1 > links[BOUND, e]:
                            links[BOUND, e] = links[BOUND, f - 1] + 1
                    if links[BOUND, e] > bounds[at]:
                        bounds[at] = links[BOUND, e]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_root(targets: cython.int[:, ::1], j: cython.int) -> cython.int:
    while targets[ROOT, j] != j:
        targets[ROOT, j] = targets[ROOT, targets[ROOT, j]]
        j = targets[ROOT, j]
    return j


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def match_by_bound(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    partners: cython.int[::1],
    targets: cython.int[:, ::1],
) -> cython.int:
    """Match unmatched words from left to right, by the highest bound, then by the smallest jump in the reference.

    Returns the number of successors.
    """
    highest: cython.int
    nearest: cython.int = 0
    goes_on: cython.bint = False
    next_word: cython.int = 0
    successors: cython.int = 0
    for place in range(start, end):
        highest = -1 if partners[place] < 0 else links.shape[1]
        for e in range(firsts[place], firsts[place + 1]):
            if targets[OWNER, links[REFERENCE, e]] < 0:
                jump: cython.int = abs(links[REFERENCE, e] - next_word)
                bound: cython.int = links[BOUND, e] + (1 if goes_on and jump == 0 else 0)
                if bound > highest or (bound == highest and jump < nearest):
                    highest = bound
                    nearest = jump
                    partners[place] = links[REFERENCE, e]
        if partners[place] >= 0:
            targets[OWNER, partners[place]] = cython.cast(cython.int, place - start)
            successors += goes_on and partners[place] == next_word
            next_word = partners[place] + 1
        goes_on = partners[place] >= 0
    return successors


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def match_by_runs(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    partners: cython.int[::1],
    targets: cython.int[:, ::1],
) -> cython.void:
    """Match the longest runs of words first, as long as there are runs of two words."""
    at: cython.Py_ssize_t
    f: cython.Py_ssize_t
    longest: cython.int = 2
    while longest > 1:
        longest = 0
        for place in range(end - 1, start - 1, -1):
            for e in range(firsts[place], firsts[place + 1]):
                links[RUN, e] = 0
                if partners[place] < 0 and targets[OWNER, links[REFERENCE, e]] < 0:
                    links[RUN, e] = 1 + (links[RUN, links[SUCCESSOR, e]] if links[SUCCESSOR, e] >= 0 else 0)
                longest = max(longest, links[RUN, e])
        if longest < 2:
            break
        for place in range(start, end - longest + 1):
            for e in range(firsts[place], firsts[place + 1]):
                if links[RUN, e] == longest:
                    f = e
                    at = place
                    while f >= 0 and partners[at] < 0 and targets[OWNER, links[REFERENCE, f]] < 0:
                        f = links[SUCCESSOR, f]
                        at += 1
                    if at - place < longest:
                        continue
                    f = e
                    for at in range(place, place + longest):
                        partners[at] = links[REFERENCE, f]
                        targets[OWNER, links[REFERENCE, f]] = cython.cast(cython.int, at - start)
                        f = links[SUCCESSOR, f]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def complete_matching(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    queue: cython.int[::1],
    targets: cython.int[:, ::1],
    partners: cython.int[::1],
) -> cython.Py_ssize_t:
    """Extend a matching to a maximum one by augmenting paths; return the number of linked words that stay unmatched."""
    i: cython.int
    j: cython.int
    k: cython.int
    left: cython.Py_ssize_t = 0
    stamp: cython.int = 0
    for place in range(start, end):
        if partners[place] >= 0 or firsts[place] == firsts[place + 1]:
            continue
        queue[0] = cython.cast(cython.int, place - start)
        first: cython.Py_ssize_t = 0
        last: cython.Py_ssize_t = 1
        while first < last:
            i = queue[first]
            first += 1
            for e in range(firsts[start + i], firsts[start + i + 1]):
                j = links[REFERENCE, e]
                if targets[SEEN, j] >= stamp:
                    continue
                targets[SEEN, j] = stamp
                targets[VIA, j] = i
                if targets[OWNER, j] >= 0:
                    queue[last] = targets[OWNER, j]
                    last += 1
                    continue
                while j >= 0:  # an augmenting path: match each word with the one from which the search reached it
                    k = targets[VIA, j]
                    targets[OWNER, j] = k
                    j, partners[start + k] = partners[start + k], j
                stamp += 1  # words seen by a failed search lead nowhere until a search succeeds
                last = 0
                break
        left += partners[place] < 0
    return left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_matching(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    bound: cython.int,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    queue: cython.int[::1],
    targets: cython.int[:, ::1],
    partners: cython.int[::1],
) -> cython.void:
    """Match words by bound, or by runs first, whichever has more successors; `bound` is an upper bound of them."""
    successors = match_by_bound(start, end, firsts, links, partners, targets)
    if successors >= bound:
        return
    for place in range(start, end):
        queue[place - start] = partners[place]
        if partners[place] >= 0:
            targets[OWNER, partners[place]] = -1
        partners[place] = -1
    match_by_runs(start, end, firsts, links, partners, targets)
    if match_by_bound(start, end, firsts, links, partners, targets) < successors:
        for place in range(start, end):
            if partners[place] >= 0:
                targets[OWNER, partners[place]] = -1
        for place in range(start, end):
            partners[place] = queue[place - start]
            if partners[place] >= 0:
                targets[OWNER, partners[place]] = cython.cast(cython.int, place - start)


def find_largest_matching(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    bounds: cython.const[cython.int][::1],
    queue: cython.int[::1],
    targets: cython.int[:, ::1],
    partners: cython.int[::1],
    spare: cython.uchar[::1],
):
    """Fill `partners` with a maximum matching of each pair, and `spare` with whether such a matching may skip a word.

    It may skip words without links, and words of a connected component that has unmatched words. The words of pair p
    are starts[p]:starts[p + 1], and its reference has lengths[p] words.
    """
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            start = starts[pair]
            end = starts[pair + 1]
            for j in range(cython.cast(cython.int, lengths[pair])):
                targets[OWNER, j] = -1
                targets[SEEN, j] = -1
                targets[ROOT, j] = j
                targets[SPARE, j] = 0
            for place in range(start, end):
                partners[place] = -1
                for e in range(firsts[place], firsts[place + 1]):
                    root = find_root(targets, links[REFERENCE, e])
                    targets[ROOT, root] = find_root(targets, links[REFERENCE, firsts[place]])
            begin_matching(start, end, bounds[start + pair], firsts, links, queue, targets, partners)
            complete_matching(start, end, firsts, links, queue, targets, partners)
            for place in range(start, end):
                if partners[place] < 0 and firsts[place] < firsts[place + 1]:
                    targets[SPARE, find_root(targets, links[REFERENCE, firsts[place]])] = 1
            for place in range(start, end):
                spare[place] = 1
                if firsts[place] < firsts[place + 1]:
                    root = find_root(targets, links[REFERENCE, firsts[place]])
                    spare[place] = cython.cast(cython.uchar, targets[SPARE, root])


def extend_matching(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    queue: cython.int[::1],
    targets: cython.int[:, ::1],
    fixed: cython.int[::1],
    partners: cython.int[::1],
    most: cython.int[:, ::1],
):
    """Replace the matching in `partners` by one as large that has the matches in `fixed`, and set most[pair, 1].

    Only pairs with most[pair, 0] >= 0 and most[pair, 1] == 0 are examined.
    """
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            if most[pair, 1] or most[pair, 0] < 0:
                continue
            start = starts[pair]
            end = starts[pair + 1]
            for j in range(lengths[pair]):
                targets[OWNER, j] = -1
                targets[SEEN, j] = -1
            left: cython.Py_ssize_t = 0
            for place in range(start, end):
                left += partners[place] < 0 and firsts[place] < firsts[place + 1]
                if fixed[place] >= 0:
                    targets[OWNER, fixed[place]] = cython.cast(cython.int, place - start)
                    targets[SEEN, fixed[place]] = NEVER
            if complete_matching(start, end, firsts, links, queue, targets, fixed) == left:
                most[pair, 1] = 1
                for place in range(start, end):
                    partners[place] = fixed[place]
