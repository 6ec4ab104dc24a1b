# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which words of a candidate match which words of each of its references: words match that have a key in common.

A link is a pair of words that match. The links of all pairs of texts stand one after the other, in the order of the
pairs, of the candidate's words and of the reference's words.


As many one-to-one matches as there can be between the words of two texts, by augmenting paths.

Links are as kernels/links.py writes them. Words that are linked, over whatever links, are a component; each has its own
number of words of the candidate that stay without a match in every largest matching.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

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


def link_words(
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


def link_successors(
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


RUN = cython.declare(cython.int, 3)  # how many links follow one another from here on, this one too, if they are free

# Rows of `there`, which has a column for each word of the reference.
OWNER = cython.declare(cython.int, 0)  # the word of the candidate that it is matched with, or -1
SEEN = cython.declare(cython.int, 1)
VIA = cython.declare(cython.int, 2)  # the word of the candidate from which it was seen
ROOT = cython.declare(cython.int, 3)  # towards the first word of its component
SPARE = cython.declare(cython.int, 4)  # of such a first word: whether words of the candidate are left over

NEVER = cython.declare(cython.int, (1 << 31) - 1)  # to be seen: such a word stays with its owner


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def root_of(there: cython.int[:, ::1], j: cython.int) -> cython.int:
    while there[ROOT, j] != j:
        there[ROOT, j] = there[ROOT, there[ROOT, j]]
        j = there[ROOT, j]
    return j


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def by_hope(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    partners: cython.int[::1],
    there: cython.int[:, ::1],
) -> cython.int:
    """Match words from left to right where the most followers are hoped for, then nearest to the last one.

    Words that are matched already stay so. Returns how many followers there are.
    """
    place: cython.Py_ssize_t
    e: cython.Py_ssize_t
    hope: cython.int
    found: cython.int
    jump: cython.int
    nearest: cython.int = 0
    goes_on: cython.bint = False
    next_word: cython.int = 0
    followers: cython.int = 0
    for place in range(start, end):
        found = -1 if partners[place] < 0 else links.shape[1]
        for e in range(firsts[place], firsts[place + 1]):
            if there[OWNER, links[REFERENCE, e]] < 0:
                jump = abs(links[REFERENCE, e] - next_word)
                hope = links[HOPE, e] + (1 if goes_on and jump == 0 else 0)
                if hope > found or (hope == found and jump < nearest):
                    found = hope
                    nearest = jump
                    partners[place] = links[REFERENCE, e]
        if partners[place] >= 0:
            there[OWNER, partners[place]] = cython.cast(cython.int, place - start)
            followers += goes_on and partners[place] == next_word
            next_word = partners[place] + 1
        goes_on = partners[place] >= 0
    return followers


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def by_runs(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    partners: cython.int[::1],
    there: cython.int[:, ::1],
) -> cython.void:
    """Match the longest stretches of words first, as long as there are some of two words."""
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    longest: cython.int = 2
    while longest > 1:
        longest = 0
        for place in range(end - 1, start - 1, -1):
            for e in range(firsts[place], firsts[place + 1]):
                links[RUN, e] = 0
                if partners[place] < 0 and there[OWNER, links[REFERENCE, e]] < 0:
                    links[RUN, e] = 1 + (links[RUN, links[FOLLOWER, e]] if links[FOLLOWER, e] >= 0 else 0)
                longest = max(longest, links[RUN, e])
        if longest < 2:
            break
        for place in range(start, end - longest + 1):
            for e in range(firsts[place], firsts[place + 1]):
                if links[RUN, e] == longest:
                    f = e
                    at = place
                    while f >= 0 and partners[at] < 0 and there[OWNER, links[REFERENCE, f]] < 0:
                        f = links[FOLLOWER, f]
                        at += 1
                    if at - place < longest:
                        continue
                    f = e
                    for at in range(place, place + longest):
                        partners[at] = links[REFERENCE, f]
                        there[OWNER, links[REFERENCE, f]] = cython.cast(cython.int, at - start)
                        f = links[FOLLOWER, f]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def complete(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    queue: cython.int[::1],
    there: cython.int[:, ::1],
    partners: cython.int[::1],
) -> cython.Py_ssize_t:
    """Match as many words more as there can be, where others may get other partners; how many cannot be matched."""
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    e: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.int
    j: cython.int
    k: cython.int
    left: cython.Py_ssize_t = 0
    stamp: cython.int = 0
    for place in range(start, end):
        if partners[place] >= 0 or firsts[place] == firsts[place + 1]:
            continue
        queue[0] = cython.cast(cython.int, place - start)
        first = 0
        last = 1
        while first < last:
            i = queue[first]
            first += 1
            for e in range(firsts[start + i], firsts[start + i + 1]):
                j = links[REFERENCE, e]
                if there[SEEN, j] >= stamp:
                    continue
                there[SEEN, j] = stamp
                there[VIA, j] = i
                if there[OWNER, j] >= 0:
                    queue[last] = there[OWNER, j]
                    last += 1
                    continue
                while j >= 0:  # a path: every word on it gets the one through which it was seen
                    k = there[VIA, j]
                    there[OWNER, j] = k
                    at = start + k
                    k = partners[at]
                    partners[at] = j
                    j = k
                stamp += 1  # what a search that fails has seen leads nowhere until one succeeds
                last = 0
                break
        left += partners[place] < 0
    return left


def find_largest_matching(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.int[:, ::1],
    hopes: cython.const[cython.int][::1],
    queue: cython.int[::1],
    there: cython.int[:, ::1],
    partners: cython.int[::1],
    spare: cython.uchar[::1],
):
    """Fill partners with a largest matching of each pair, and spare with whether such a matching may leave a word out.

    It may if there are words left over in the word's component, or if the word has no links. The words of pair p are
    starts[p]:starts[p + 1], those of its reference are lengths[p] many. hopes[starts[p] + p] is no less than the
    followers that there can be.
    """
    pair: cython.Py_ssize_t
    place: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    e: cython.Py_ssize_t
    followers: cython.int
    j: cython.int
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            start = starts[pair]
            end = starts[pair + 1]
            for j in range(cython.cast(cython.int, lengths[pair])):
                there[OWNER, j] = -1
                there[SEEN, j] = -1
                there[ROOT, j] = j
                there[SPARE, j] = 0
            for place in range(start, end):
                partners[place] = -1
                for e in range(firsts[place], firsts[place + 1]):
                    there[ROOT, root_of(there, links[REFERENCE, e])] = root_of(there, links[REFERENCE, firsts[place]])
            followers = by_hope(start, end, firsts, links, partners, there)
            if followers < hopes[start + pair]:  # perhaps the other way is better
                for place in range(start, end):
                    queue[place - start] = partners[place]
                    if partners[place] >= 0:
                        there[OWNER, partners[place]] = -1
                    partners[place] = -1
                by_runs(start, end, firsts, links, partners, there)
                if by_hope(start, end, firsts, links, partners, there) < followers:
                    for place in range(start, end):
                        if partners[place] >= 0:
                            there[OWNER, partners[place]] = -1
                    for place in range(start, end):
                        partners[place] = queue[place - start]
                        if partners[place] >= 0:
                            there[OWNER, partners[place]] = cython.cast(cython.int, place - start)
            complete(start, end, firsts, links, queue, there, partners)
            for place in range(start, end):
                if partners[place] < 0 and firsts[place] < firsts[place + 1]:
                    there[SPARE, root_of(there, links[REFERENCE, firsts[place]])] = 1
            for place in range(start, end):
                spare[place] = 1
                if firsts[place] < firsts[place + 1]:
                    spare[place] = cython.cast(
                        cython.uchar, there[SPARE, root_of(there, links[REFERENCE, firsts[place]])]
                    )


def extend_matching(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    queue: cython.int[::1],
    there: cython.int[:, ::1],
    fixed: cython.int[::1],
    partners: cython.int[::1],
    most: cython.int[:, ::1],
):
    """Set most[pair, 1] where the matches in `fixed` are part of a matching as large as that in `partners`.

    Such a matching takes the place of the other one. Only pairs are looked at where that is not set and most[pair, 0]
    is no less than 0.
    """
    pair: cython.Py_ssize_t
    place: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    left: cython.Py_ssize_t
    j: cython.int
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            if most[pair, 1] or most[pair, 0] < 0:
                continue
            start = starts[pair]
            end = starts[pair + 1]
            for j in range(cython.cast(cython.int, lengths[pair])):
                there[OWNER, j] = -1
                there[SEEN, j] = -1
            left = 0
            for place in range(start, end):
                left += partners[place] < 0 and firsts[place] < firsts[place + 1]
                if fixed[place] >= 0:
                    there[OWNER, fixed[place]] = cython.cast(cython.int, place - start)
                    there[SEEN, fixed[place]] = NEVER
            if complete(start, end, firsts, links, queue, there, fixed) == left:
                most[pair, 1] = 1
                for place in range(start, end):
                    partners[place] = fixed[place]
