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


The best of all largest one-to-one matchings of two texts: with the fewest chunks, or with the fewest crossings.

A chunk is a stretch of words that is matched with a stretch of words in the same order, so there are as many chunks as
matches less followers: matches of which the next word of both sides is a match, too. Two matches cross if they are in
another order on one side than on the other. Links are as kernels/links.py writes them.

The search goes through the candidate from left to right. A state is what can have become of the words so far: which
words of the reference are used, and which link would go on with the chunk. Of states that leave the same to the rest
the better one is kept, and a state is dropped if even the best that the rest can hope for would not beat what is known.
In theory there can be very many states (the problem is as hard as cutting two strings into the fewest pieces that are
the same), so no more than a given number is kept at a time, those with the best prospects; it is told where that was.
Fewest chunks are searched for only where kernels/followers.py has not settled how many there are.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

ONE = cython.declare(cython.ulonglong, 1)
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)

REFERENCE = cython.declare(cython.int, 0)  # rows of `links`
FOLLOWER = cython.declare(cython.int, 1)

# Rows of `steps`, which has a column for each step.
STEP_WORD = cython.declare(cython.int, 0)  # the word of the candidate
STEP_PLACE = cython.declare(cython.int, 1)  # and of the reference
BY_PLACE = cython.declare(cython.int, 2)  # the steps in the order of the reference
NEAR = cython.declare(cython.int, 3)  # where those begin that it has a conflict with, and in the next column end
PART = cython.declare(cython.int, 4)  # the number of its part
MEMBER = cython.declare(cython.int, 5)  # and 6: the steps of all parts, in the order of the candidate or the reference
RANK = cython.declare(cython.int, 7)  # its number in its part
END = cython.declare(cython.int, 8)  # of the list of each part, while it grows
TAKEN = cython.declare(cython.int, 9)  # whether it is one of those that are found
AHEAD = cython.declare(cython.int, 10)  # the step that goes on where it ends, or -1
STEP_BOUND = cython.declare(cython.int, 11)  # how many steps can come, from it on, if only one side's conflicts count

# Rows of `heads`, which has a column for each word.
OF_WORD = cython.declare(cython.int, 0)  # where its steps begin
OF_PLACE = cython.declare(cython.int, 1)  # where the steps of a word of the reference begin in BY_PLACE

# Rows of `states`.
VALUE = cython.declare(cython.int, 0)  # steps taken
STEP_PARENT = cython.declare(cython.int, 1)  # what it was made from
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
                steps[STEP_WORD, count] = cython.cast(cython.int, place - start)
                steps[STEP_PLACE, count] = links[REFERENCE, e]
                heads[OF_PLACE, links[REFERENCE, e] + 1] += 1
                count += 1
    heads[OF_WORD, end - start] = count
    for k in range(length):
        heads[OF_PLACE, k + 1] += heads[OF_PLACE, k]
    for d in range(count - 1, -1, -1):  # those of a word end where those of the next one begin
        heads[OF_PLACE, steps[STEP_PLACE, d] + 1] -= 1
        steps[BY_PLACE, heads[OF_PLACE, steps[STEP_PLACE, d] + 1]] = d
    for k in range(length):
        heads[OF_PLACE, k] = heads[OF_PLACE, k + 1]
    heads[OF_PLACE, length] = count
    for d in range(count):
        steps[PART, d] = -1
        steps[AHEAD, d] = -1
        steps[NEAR, d] = found
        i = steps[STEP_WORD, d]
        j = steps[STEP_PLACE, d]
        for by in range(2):  # steps that begin at one of its words, or end at its first one
            for k in range(heads[by, max((j if by else i) - 1, 0)], heads[by, (j if by else i) + 2]):
                other = steps[BY_PLACE, k] if by else cython.cast(cython.int, k)
                if steps[STEP_WORD, other] - i == steps[STEP_PLACE, other] - j:  # itself, or what goes well with it
                    if steps[STEP_WORD, other] > i:
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
        if steps[STEP_WORD + by, d] != word:
            beyond = next_ if steps[STEP_WORD + by, d] == word - 1 else here
            next_ = here
            word = steps[STEP_WORD + by, d]
        steps[STEP_BOUND, d] = 0
        if rank >= after and (sets[side, start + (rank >> 6)] >> (rank & 63)) & ONE == 0:
            steps[STEP_BOUND, d] = beyond
            if steps[AHEAD, d] >= 0 and steps[PART, steps[AHEAD, d]] == steps[PART, d]:
                steps[STEP_BOUND, d] = max(beyond, steps[STEP_BOUND, steps[AHEAD, d]])
            steps[STEP_BOUND, d] += 1
            here = max(here, steps[STEP_BOUND, d])
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
                        states[STEP_PARENT, u] = cython.cast(cython.int, s)
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
        s = states[STEP_PARENT, s]
    return states[VALUE, low]


def maximize_successors(
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
                    place = start + steps[STEP_WORD, d]
                    steps[TAKEN, d] = (
                        partners[place] == steps[STEP_PLACE, d] and partners[place + 1] == steps[STEP_PLACE, d] + 1
                    )
                    known += steps[TAKEN, d]
                    steps[RANK, d] = cython.cast(cython.int, r - first)  # any order will do, if nothing is forbidden
                    sets[0, (r - first) >> 6] = 0
                    if r > first:
                        more -= steps[STEP_WORD, d] != steps[STEP_WORD, steps[MEMBER, r - 1]]
                        d = steps[MEMBER + 1, r]
                        more += steps[STEP_PLACE, d] != steps[STEP_PLACE, steps[MEMBER + 1, r - 1]]
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
                        fixed[start + steps[STEP_WORD, d]] = steps[STEP_PLACE, d]
                        fixed[start + steps[STEP_WORD, d] + 1] = steps[STEP_PLACE, d] + 1
            most[pair, 1] = most[pair, 0] == value


CROSSING = cython.declare(cython.longlong, 1 << 15)  # what one costs, in followers: more than there can be
DROPPED = cython.declare(cython.longlong, -(1 << 62))
FEW = cython.declare(cython.Py_ssize_t, 32)  # states at first: enough for most sentences

# With fewer states, a search that leaves some out finds no more followers than kernels/followers.py, although that may
# have left some out, too: not once in 310 pairs of texts of 700 to 1400 words.
NARROW = cython.declare(cython.Py_ssize_t, 400)

LINK_BOUND = cython.declare(cython.int, 2)

# Rows of `there`, which has a column for each word of the reference.
BIT = cython.declare(cython.int, 0)  # its place in the sets of used words, or -1: only one word wants it
LAST = cython.declare(cython.int, 1)  # the last word of the candidate that wants it

# Rows of `states` and of `values`: two levels, the one that is there and the one that is made from it.
GOES_ON = cython.declare(cython.int, 0)  # and 1: the link that would go on with the chunk, or -1
SKIPS = cython.declare(cython.int, 2)  # and 3: words that have links and were left without a match
STATE_PLACE = cython.declare(cython.int, 4)  # and 5: the word of the reference after the last one taken
JUMPS = cython.declare(cython.int, 6)  # and 7: words that were jumped over, there and back
STATE_PARENT = cython.declare(cython.int, 8)  # what it was made from
CHOICE = cython.declare(cython.int, 9)  # the word of the reference that was taken, or -1
PROSPECT = cython.declare(cython.int, 2)  # of `values`: the value with all that can be hoped for, then the fewest jumps
FAR = cython.declare(cython.int, (1 << 16) - 1)  # that many jumps are not told apart


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def has(
    sets: cython.const[cython.ulonglong][:, ::1], side: cython.int, first: cython.Py_ssize_t, bit: cython.int
) -> cython.bint:
    return bit >= 0 and (sets[side, first + (bit >> 6)] >> (bit & 63)) & ONE == ONE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def prune(
    most: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    side: cython.int,
    values: cython.longlong[:, ::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
) -> cython.Py_ssize_t:
    """Keep the `most` states with the best prospects, in their order, and none that was dropped; how many are left."""
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    reach: cython.Py_ssize_t = 0
    low: cython.longlong = DROPPED + 1
    high: cython.longlong = DROPPED + 1
    middle: cython.longlong
    for s in range(count):
        if values[side, s] == DROPPED:
            values[PROSPECT, s] = DROPPED
        else:
            reach += 1
            if values[PROSPECT, s] > high:
                high = values[PROSPECT, s]
    if reach > most:  # look for the highest bar that `most` states reach
        while low < high:
            middle = low + (high - low + 1) // 2
            reach = 0
            for s in range(count):
                reach += values[PROSPECT, s] >= middle
            if reach >= most:
                low = middle
            else:
                high = middle - 1
        reach = 0
        for s in range(count):
            reach += values[PROSPECT, s] > low
        reach = most - reach  # so many of those that just reach it
    for s in range(count):
        if values[PROSPECT, s] < low or (values[PROSPECT, s] == low and reach <= 0):
            continue
        if values[PROSPECT, s] == low:
            reach -= 1
        values[side, kept] = values[side, s]
        values[PROSPECT, kept] = values[PROSPECT, s]
        for w in range(width):
            sets[side, kept * width + w] = sets[side, s * width + w]
        states[GOES_ON + side, kept] = states[GOES_ON + side, s]
        states[SKIPS + side, kept] = states[SKIPS + side, s]
        states[STATE_PLACE + side, kept] = states[STATE_PLACE + side, s]
        states[JUMPS + side, kept] = states[JUMPS + side, s]
        states[STATE_PARENT, kept] = states[STATE_PARENT, s]
        states[CHOICE, kept] = states[CHOICE, s]
        kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search_matching(
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    hopes: cython.const[cython.int][::1],
    hoped: cython.Py_ssize_t,
    spare: cython.const[cython.uchar][::1],
    spares: cython.int,
    crossings: cython.bint,
    most: cython.Py_ssize_t,
    all_: cython.bint,
    known: cython.longlong,
    width: cython.Py_ssize_t,
    there: cython.const[cython.int][:, ::1],
    values: cython.longlong[:, ::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
    slots: cython.longlong[:, ::1],
    trace: cython.int[:, ::1],
    partners: cython.int[::1],
    notes: cython.longlong[::1],
) -> cython.longlong:
    """The value of the best matching, at least `known`; if crossings count, partners gets the first one of that value.

    If `all_`, it ends where states would have to be left out. hopes[hoped + i] belongs to word i.
    notes = [stamp of the slots, whether states were left out].
    """
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    w: cython.Py_ssize_t
    last: cython.Py_ssize_t
    side: cython.int = 0
    other: cython.int = 1
    count: cython.Py_ssize_t = 1
    made: cython.Py_ssize_t
    room: cython.Py_ssize_t = 4 * most
    mask: cython.ulonglong = 2
    bit: cython.int
    goes_on: cython.int
    skips: cython.int
    jump: cython.int
    value: cython.longlong
    hope: cython.longlong
    bits: cython.ulonglong
    while mask < cython.cast(cython.ulonglong, 2 * room):
        mask *= 2
    mask -= 1
    notes[1] = 0
    values[0, 0] = 0
    states[GOES_ON, 0] = -1
    states[SKIPS, 0] = 0
    states[STATE_PLACE, 0] = 0
    states[JUMPS, 0] = 0
    for w in range(width):
        sets[0, w] = 0
    for i in range(end - start):
        last = firsts[start + i + 1]
        made = 0
        notes[0] += 1
        for s in range(count):
            for e in range(firsts[start + i], last + 1):  # the last one stands for no match
                value = values[side, s]
                skips = states[SKIPS + side, s]
                goes_on = -1
                bit = -1
                if e == last:
                    skips += last > firsts[start + i]
                    if not spare[start + i] or skips > spares:
                        continue
                else:
                    bit = there[BIT, links[REFERENCE, e]]
                    if has(sets, side, s * width, bit):
                        continue
                    value += e == states[GOES_ON + side, s]
                    goes_on = links[FOLLOWER, e]
                    if goes_on >= 0 and has(sets, side, s * width, there[BIT, links[REFERENCE, goes_on]]):
                        goes_on = -1
                    if crossings:  # with the words used that stand behind this one
                        for w in range(bit >> 6, width):
                            bits = sets[side, s * width + w]
                            if w == bit >> 6:
                                bits >>= bit & 63
                            while bits:
                                bits &= bits - ONE
                                value -= CROSSING
                hope = hopes[hoped + i + 1]
                if goes_on >= 0 and links[LINK_BOUND, goes_on] + 1 > hope:
                    hope = links[LINK_BOUND, goes_on] + 1
                if value + hope < known or (value + hope == known and not crossings):
                    continue
                if made == room:
                    made = prune(most, made, width, other, values, states, sets)
                    notes[0] += 1  # empties the slots: what is made twice from here on stays twice
                    notes[1] = 1
                    if all_:
                        return known
                for w in range(width):
                    sets[other, made * width + w] = sets[side, s * width + w]
                if bit >= 0:
                    sets[other, made * width + (bit >> 6)] |= ONE << (bit & 63)
                if not crossings:  # words that nobody wants any more
                    for f in range(firsts[start + i], last):
                        bit = there[BIT, links[REFERENCE, f]]
                        if bit >= 0 and there[LAST, links[REFERENCE, f]] == i:
                            sets[other, made * width + (bit >> 6)] &= ALL ^ (ONE << (bit & 63))
                bits = cython.cast(cython.ulonglong, goes_on + 2)
                for w in range(width):
                    bits = ((bits ^ sets[other, made * width + w]) * MIX) & ALL
                    bits ^= bits >> 29
                bits &= mask
                while slots[0, bits] == notes[0]:
                    t = slots[1, bits]
                    w = 0 if states[GOES_ON + other, t] == goes_on else width + 1
                    while w < width and sets[other, t * width + w] == sets[other, made * width + w]:
                        w += 1
                    if w == width:
                        break
                    bits = (bits + 1) & mask
                if slots[0, bits] == notes[0]:
                    t = slots[1, bits]
                    if skips > states[SKIPS + other, t] or (
                        skips == states[SKIPS + other, t] and value <= values[other, t]
                    ):
                        continue
                    values[other, t] = DROPPED  # the better one comes last: states stay in the order of their choices
                slots[0, bits] = notes[0]
                slots[1, bits] = made
                values[other, made] = value
                states[STATE_PLACE + other, made] = states[STATE_PLACE + side, s]
                states[JUMPS + other, made] = states[JUMPS + side, s]
                if e < last:
                    states[STATE_PLACE + other, made] = links[REFERENCE, e] + 1
                    jump = links[REFERENCE, e] - states[STATE_PLACE + side, s]
                    states[JUMPS + other, made] = min(states[JUMPS + side, s] + (jump if jump > 0 else -jump), FAR)
                values[PROSPECT, made] = (value + hope) * (FAR + 1) - states[JUMPS + other, made]
                states[GOES_ON + other, made] = goes_on
                states[SKIPS + other, made] = skips
                states[STATE_PARENT, made] = cython.cast(cython.int, s)
                states[CHOICE, made] = links[REFERENCE, e] if e < last else -1
                made += 1
        notes[1] |= made > most
        if all_ and notes[1]:
            return known
        count = prune(most, made, width, other, values, states, sets)
        if count == 0:
            return known
        if crossings:
            for s in range(count):
                trace[0, i * most + s] = states[STATE_PARENT, s]
                trace[1, i * most + s] = states[CHOICE, s]
        side, other = other, side
    t = 0
    for s in range(count):
        if values[side, s] > values[side, t]:
            t = s
    value = values[side, t]
    if crossings:
        for i in range(end - start - 1, -1, -1):
            partners[start + i] = trace[1, i * most + t]
            t = trace[0, i * most + t]
    return value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def worth(
    start: cython.Py_ssize_t, end: cython.Py_ssize_t, partners: cython.const[cython.int][::1], crossings: cython.bint
) -> cython.longlong:
    """The followers of a matching, less what its crossings cost if those count."""
    place: cython.Py_ssize_t
    before: cython.Py_ssize_t
    value: cython.longlong = 0
    for place in range(start, end):
        if partners[place] >= 0:
            value += place > start and partners[place - 1] >= 0 and partners[place - 1] + 1 == partners[place]
            if crossings:
                for before in range(start, place):
                    if partners[before] > partners[place]:
                        value -= CROSSING
    return value


def minimize_chunks(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    hopes: cython.const[cython.int][::1],
    spare: cython.const[cython.uchar][::1],
    crossings: cython.bint,
    most: cython.Py_ssize_t,
    steps: cython.Py_ssize_t,
    there: cython.int[:, ::1],
    values: cython.longlong[:, ::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
    slots: cython.longlong[:, ::1],
    trace: cython.int[:, ::1],
    notes: cython.longlong[::1],
    partners: cython.int[::1],
    followers: cython.const[cython.int][:, ::1],
    out: cython.Py_ssize_t[:, ::1],
):
    """Fill out with [matches, chunks, whether states were left out] of each pair; partners has a largest matching.

    Unless crossings count, it is the best one known, and `followers` is what kernels/followers.py says of it. At most
    `most` states are kept, fewer where a pair has so many links that `steps` would not suffice. If crossings count,
    partners gets the matching that is chosen.
    """
    pair: cython.Py_ssize_t
    place: cython.Py_ssize_t
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    wide: cython.Py_ssize_t
    width: cython.Py_ssize_t
    tried: cython.Py_ssize_t
    cost: cython.Py_ssize_t
    hard: cython.bint
    bit: cython.int
    spares: cython.int
    settled: cython.bint
    narrow: cython.bint
    value: cython.longlong
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            start = starts[pair]
            end = starts[pair + 1]
            spares = 0
            out[pair, 0] = 0
            out[pair, 2] = 0
            for place in range(start, end):
                out[pair, 0] += partners[place] >= 0
                spares += partners[place] < 0 and firsts[place] < firsts[place + 1]
            value = worth(start, end, partners, crossings)
            settled = not crossings and followers[pair, 1] and not followers[pair, 2]
            if crossings or (not settled and value < hopes[start + pair]):
                for j in range(lengths[pair]):
                    there[BIT, j] = 0
                for place in range(start, end):
                    for e in range(firsts[place], firsts[place + 1]):
                        there[BIT, links[REFERENCE, e]] += 1
                        there[LAST, links[REFERENCE, e]] = cython.cast(cython.int, place - start)
                bit = 0
                for j in range(lengths[pair]):
                    if there[BIT, j] > (0 if crossings else 1):
                        there[BIT, j] = bit
                        bit += 1
                    else:
                        there[BIT, j] = -1
                width = (bit + 63) // 64
                cost = firsts[end] - firsts[start] + end - start + 1  # of a state, by words of its set
                hard = cost * width > 8 * steps
                wide = min(most, max(1 if hard else 8, min(steps // cost, (steps >> 4) // max(width, 1))))
                narrow = not crossings and followers[pair, 1] and wide < NARROW
                tried = min(wide, FEW)
                out[pair, 2] = hard
                while tried and (crossings or not hard):  # unless that takes seconds: the best matching known will do
                    value = search_matching(
                        start, end, firsts, links, hopes, start + pair, spare, spares, crossings, tried, narrow, value,
                        width, there, values, states, sets, slots, trace, partners, notes,
                    )  # fmt: skip
                    out[pair, 2] = notes[1]
                    tried = wide if notes[1] and tried < wide else 0
                if crossings:
                    value = worth(start, end, partners, 0)
            out[pair, 1] = out[pair, 0] - value
