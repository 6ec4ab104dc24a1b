# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The most followers that a one-to-one matching of two texts can have, whether or not it is a largest one.

A follower is a match right behind another one, on both sides. Links are as kernels/links.py writes them. A link that
another one follows is a step: it stands for two matches side by side. Followers are steps that can be taken together:
none gives a word another partner than another one does. So what is wanted is a largest set of steps without a conflict.
Most steps have conflicts with few others or none. Steps that are joined by conflicts, over whatever steps, are a part,
and each part is solved by itself.

A part's steps are gone through in the order of the text of which it has fewer words. A state is what the steps taken so
far forbid of those that come, and of states that forbid the same the one with more steps is kept. A step is not left
out if those to come that it forbids forbid each other: one of them at most would be taken in its place. And a state is
dropped if it cannot have more steps than are known already, even if conflicts on one of the sides did not count.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

ONE = cython.declare(cython.ulonglong, 1)
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)

REFERENCE = cython.declare(cython.int, 0)  # rows of `links`
FOLLOWER = cython.declare(cython.int, 1)

# Rows of `steps`, which has a column for each step.
WORD = cython.declare(cython.int, 0)  # the word of the candidate
PLACE = cython.declare(cython.int, 1)  # and of the reference
BY_PLACE = cython.declare(cython.int, 2)  # the steps in the order of the reference
NEAR = cython.declare(cython.int, 3)  # where those begin that it has a conflict with, and in the next column end
PART = cython.declare(cython.int, 4)  # the number of its part
MEMBER = cython.declare(cython.int, 5)  # and 6: the steps of all parts, in the order of the candidate or the reference
RANK = cython.declare(cython.int, 7)  # its number in its part
END = cython.declare(cython.int, 8)  # of the list of each part, while it grows
TAKEN = cython.declare(cython.int, 9)  # whether it is one of those that are found
AHEAD = cython.declare(cython.int, 10)  # the step that goes on where it ends, or -1
HOPE = cython.declare(cython.int, 11)  # how many steps can come, from it on, if only one side's conflicts count

# Rows of `heads`, which has a column for each word.
OF_WORD = cython.declare(cython.int, 0)  # where its steps begin
OF_PLACE = cython.declare(cython.int, 1)  # where the steps of a word of the reference begin in BY_PLACE

# Rows of `states`.
VALUE = cython.declare(cython.int, 0)  # steps taken
PARENT = cython.declare(cython.int, 1)  # what it was made from
TOOK = cython.declare(cython.int, 2)  # whether it took a step more


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def divide(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    heads: cython.int[:, ::1],
    steps: cython.int[:, ::1],
    near: cython.int[::1],
    bounds: cython.int[::1],
) -> cython.int:
    """Find the steps of a pair, their conflicts (some of them twice) and their parts; how many, or -1: too much.

    bounds has where each part's members begin, and the end, which is the number of steps.
    """
    place: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    d: cython.int
    i: cython.int
    j: cython.int
    by: cython.int
    other: cython.int
    count: cython.int = 0
    found: cython.int = 0
    parts: cython.int = 0
    for k in range(length + 1):
        heads[OF_PLACE, k] = 0
    for place in range(start, end):
        heads[OF_WORD, place - start] = count
        for e in range(firsts[place], firsts[place + 1]):
            if links[FOLLOWER, e] >= 0:
                if count == steps.shape[1] - 1:
                    return -1
                steps[WORD, count] = cython.cast(cython.int, place - start)
                steps[PLACE, count] = links[REFERENCE, e]
                heads[OF_PLACE, links[REFERENCE, e] + 1] += 1
                count += 1
    heads[OF_WORD, end - start] = count
    for k in range(length):
        heads[OF_PLACE, k + 1] += heads[OF_PLACE, k]
    for d in range(count - 1, -1, -1):  # those of a word end where those of the next one begin
        heads[OF_PLACE, steps[PLACE, d] + 1] -= 1
        steps[BY_PLACE, heads[OF_PLACE, steps[PLACE, d] + 1]] = d
    for k in range(length):
        heads[OF_PLACE, k] = heads[OF_PLACE, k + 1]
    heads[OF_PLACE, length] = count
    for d in range(count):
        steps[PART, d] = -1
        steps[AHEAD, d] = -1
        steps[NEAR, d] = found
        i = steps[WORD, d]
        j = steps[PLACE, d]
        for by in range(2):  # steps that begin at one of its words, or end at its first one
            for k in range(heads[by, max((j if by else i) - 1, 0)], heads[by, (j if by else i) + 2]):
                other = steps[BY_PLACE, k] if by else cython.cast(cython.int, k)
                if steps[WORD, other] - i == steps[PLACE, other] - j:  # itself, or what goes well with it
                    if steps[WORD, other] > i:
                        steps[AHEAD, d] = other
                    continue
                if found == near.shape[0]:
                    return -1
                near[found] = other
                found += 1
    steps[NEAR, count] = found
    bounds[0] = 0
    for d in range(count):
        if steps[PART, d] >= 0:
            continue
        steps[PART, d] = parts
        steps[RANK, 0] = d  # a queue, for now
        i = 0
        j = 1
        while i < j:
            for k in range(steps[NEAR, steps[RANK, i]], steps[NEAR, steps[RANK, i] + 1]):
                if steps[PART, near[k]] < 0:
                    steps[PART, near[k]] = parts
                    steps[RANK, j] = near[k]
                    j += 1
            i += 1
        bounds[parts + 1] = bounds[parts] + j
        parts += 1
    for by in range(2):
        for k in range(parts):
            steps[END, k] = bounds[k]
        for k in range(count):
            d = steps[BY_PLACE, k] if by else cython.cast(cython.int, k)
            steps[MEMBER + by, steps[END, steps[PART, d]]] = d
            steps[END, steps[PART, d]] += 1
    return parts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hope_of(
    by: cython.int,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    side: cython.int,
    start: cython.Py_ssize_t,
    steps: cython.int[:, ::1],
    sets: cython.const[cython.ulonglong][:, ::1],
) -> cython.int:
    """How many steps can come, of rank `after` or more and not forbidden, if only the conflicts on side `by` count."""
    r: cython.Py_ssize_t
    d: cython.int
    rank: cython.int
    word: cython.int = -1
    here: cython.int = 0  # the most from this word on
    next_: cython.int = 0  # from the next word on that has steps
    beyond: cython.int = 0  # from the first word on that has no conflict with this one
    for r in range(last - 1, first - 1, -1):
        d = steps[MEMBER + by, r]
        rank = steps[RANK, d]
        if steps[WORD + by, d] != word:
            beyond = next_ if steps[WORD + by, d] == word - 1 else here
            next_ = here
            word = steps[WORD + by, d]
        steps[HOPE, d] = 0
        if rank >= after and (sets[side, start + (rank >> 6)] >> (rank & 63)) & ONE == 0:
            steps[HOPE, d] = beyond
            if steps[AHEAD, d] >= 0 and steps[PART, steps[AHEAD, d]] == steps[PART, d]:
                steps[HOPE, d] = max(beyond, steps[HOPE, steps[AHEAD, d]])
            steps[HOPE, d] += 1
            here = max(here, steps[HOPE, d])
    return here


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def solve(
    by: cython.int,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    known: cython.int,
    effort: cython.Py_ssize_t,
    steps: cython.int[:, ::1],
    near: cython.const[cython.int][::1],
    forbids: cython.ulonglong[::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
    slots: cython.longlong[:, ::1],
    notes: cython.longlong[::1],
) -> cython.int:
    """Mark a largest set of a part's steps as taken, if it has more than `known`; how many, or -1: that is too hard."""
    size: cython.Py_ssize_t = last - first
    width: cython.Py_ssize_t = (size + 63) // 64
    r: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    w: cython.Py_ssize_t
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    u: cython.Py_ssize_t
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = 1
    made: cython.Py_ssize_t = 1
    side: cython.int = 0
    d: cython.int
    take: cython.int
    value: cython.int
    leaves: cython.bint
    bits: cython.ulonglong
    slot: cython.ulonglong
    room: cython.Py_ssize_t = min(states.shape[1], effort // size)
    mask: cython.ulonglong = cython.cast(cython.ulonglong, slots.shape[1] - 1)
    if size * width > forbids.shape[0]:
        return -1
    for k in range(size * width):
        forbids[k] = 0
    for r in range(size):
        d = steps[MEMBER + by, first + r]
        for e in range(steps[NEAR, d], steps[NEAR, d + 1]):
            u = steps[RANK, near[e]]
            if u > r:
                forbids[r * width + (u >> 6)] |= ONE << (u & 63)
    states[VALUE, 0] = 0  # its set is empty already
    for r in range(size):
        d = steps[MEMBER + by, first + r]
        notes[0] += 1
        for s in range(low, high):
            k = (s - low) * width
            take = (sets[side, k + (r >> 6)] >> (r & 63)) & ONE == 0
            leaves = not take
            for e in range(steps[NEAR, d], steps[NEAR, d + 1]):  # could two steps be taken in its place?
                u = steps[RANK, near[e]]
                if u > r and (sets[side, k + (u >> 6)] >> (u & 63)) & ONE == 0:
                    for w in range(u >> 6, width):
                        bits = forbids[r * width + w] & (ALL ^ sets[side, k + w]) & (ALL ^ forbids[u * width + w])
                        if w == u >> 6:
                            bits = bits >> (u & 63) >> 1
                        leaves |= bits != 0
                if leaves:
                    break
            while take >= 0:
                if take or leaves:
                    value = states[VALUE, s] + take
                    if made >= room or (made - high + 1) * width > sets.shape[1]:
                        return -1
                    t = (made - high) * width
                    slot = 0
                    for w in range(width):
                        bits = sets[side, k + w] | (forbids[r * width + w] if take else 0)
                        if w == r >> 6:
                            bits &= ALL ^ (ONE << (r & 63))
                        sets[1 - side, t + w] = bits
                        slot = ((slot ^ bits) * MIX) & ALL
                        slot ^= slot >> 29
                    slot &= mask
                    while slots[0, slot] == notes[0]:
                        u = slots[1, slot]
                        w = 0
                        while w < width and sets[1 - side, (u - high) * width + w] == sets[1 - side, t + w]:
                            w += 1
                        if w == width:
                            break
                        slot = (slot + 1) & mask
                    if slots[0, slot] != notes[0]:
                        if (
                            value + hope_of(by, first, last, r + 1, 1 - side, t, steps, sets) <= known
                            or value + hope_of(1 - by, first, last, r + 1, 1 - side, t, steps, sets) <= known
                        ):
                            take -= 1
                            continue
                        slots[0, slot] = notes[0]
                        slots[1, slot] = made
                        states[VALUE, made] = -1
                        u = made
                        made += 1
                    if value > states[VALUE, u]:
                        states[VALUE, u] = value
                        states[PARENT, u] = cython.cast(cython.int, s)
                        states[TOOK, u] = take
                take -= 1
        if made == high:
            return known
        low = high
        high = made
        side = 1 - side
    s = low  # the only one: nothing is left that could be forbidden
    for r in range(size - 1, -1, -1):
        steps[TAKEN, steps[MEMBER + by, first + r]] = states[TOOK, s]
        s = states[PARENT, s]
    return states[VALUE, low]


def settle(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    hopes: cython.const[cython.int][::1],
    partners: cython.const[cython.int][::1],
    effort: cython.Py_ssize_t,
    heads: cython.int[:, ::1],
    steps: cython.int[:, ::1],
    near: cython.int[::1],
    bounds: cython.int[::1],
    forbids: cython.ulonglong[::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
    slots: cython.longlong[:, ::1],
    notes: cython.longlong[::1],
    fixed: cython.int[::1],
    most: cython.int[:, ::1],
):
    """Fill most with [followers, or -1; whether a largest matching is known to have them; whether there may be more].

    partners has a largest matching of each pair. Where it is not known whether another one has that many, `fixed` has
    the matches that would have to be part of it. Where a part would take more states than `effort` by its number of
    steps, its followers stay those of partners.
    """
    pair: cython.Py_ssize_t
    place: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    r: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    part: cython.int
    parts: cython.int
    d: cython.int
    by: cython.int
    value: cython.int
    known: cython.int
    found: cython.int
    more: cython.int  # words of the reference that a part has more than words of the candidate
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            start = starts[pair]
            end = starts[pair + 1]
            value = 0
            for place in range(start + 1, end):
                value += partners[place - 1] >= 0 and partners[place - 1] + 1 == partners[place]
            most[pair, 0] = value
            most[pair, 1] = 1
            most[pair, 2] = 0
            if value == hopes[start + pair]:
                continue
            parts = divide(start, end, lengths[pair], firsts, links, heads, steps, near, bounds)
            most[pair, 0] = 0 if parts >= 0 else -1
            for part in range(parts):
                first = bounds[part]
                last = bounds[part + 1]
                if last - first == 1:
                    steps[TAKEN, steps[MEMBER, first]] = 1
                    most[pair, 0] += 1
                    continue
                known = 0  # what the matching has that is there already
                more = 0
                for r in range(first, last):
                    d = steps[MEMBER, r]
                    place = start + steps[WORD, d]
                    steps[TAKEN, d] = partners[place] == steps[PLACE, d] and partners[place + 1] == steps[PLACE, d] + 1
                    known += steps[TAKEN, d]
                    steps[RANK, d] = cython.cast(cython.int, r - first)  # any order will do, if nothing is forbidden
                    sets[0, (r - first) >> 6] = 0
                    if r > first:
                        more -= steps[WORD, d] != steps[WORD, steps[MEMBER, r - 1]]
                        d = steps[MEMBER + 1, r]
                        more += steps[PLACE, d] != steps[PLACE, steps[MEMBER + 1, r - 1]]
                found = known
                if (
                    hope_of(0, first, last, 0, 0, 0, steps, sets) > known
                    and hope_of(1, first, last, 0, 0, 0, steps, sets) > known
                ):
                    by = 1 if more <= 0 else 0
                    for r in range(first, last):
                        steps[RANK, steps[MEMBER + by, r]] = cython.cast(cython.int, r - first)
                    found = solve(by, first, last, known, effort, steps, near, forbids, states, sets, slots, notes)
                most[pair, 2] |= found < 0
                most[pair, 0] += max(found, known)
            if most[pair, 0] > value:
                for place in range(start, end):
                    fixed[place] = -1
                for d in range(bounds[parts]):
                    if steps[TAKEN, d]:
                        fixed[start + steps[WORD, d]] = steps[PLACE, d]
                        fixed[start + steps[WORD, d] + 1] = steps[PLACE, d] + 1
            most[pair, 1] = most[pair, 0] == value
