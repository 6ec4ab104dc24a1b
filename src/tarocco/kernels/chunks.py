# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The best of all largest one-to-one matchings of two texts: with the fewest chunks, or with the fewest crossings.

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
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

ONE = cython.declare(cython.ulonglong, 1)
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
CROSSING = cython.declare(cython.longlong, 1 << 15)  # what one costs, in followers: more than there can be
DROPPED = cython.declare(cython.longlong, -(1 << 62))
FEW = cython.declare(cython.Py_ssize_t, 32)  # states at first: enough for most sentences

# With fewer states, a search that leaves some out finds no more followers than kernels/followers.py, although that may
# have left some out, too: not once in 310 pairs of texts of 700 to 1400 words.
NARROW = cython.declare(cython.Py_ssize_t, 400)

REFERENCE = cython.declare(cython.int, 0)  # rows of `links`
FOLLOWER = cython.declare(cython.int, 1)
HOPE = cython.declare(cython.int, 2)

# Rows of `there`, which has a column for each word of the reference.
BIT = cython.declare(cython.int, 0)  # its place in the sets of used words, or -1: only one word wants it
LAST = cython.declare(cython.int, 1)  # the last word of the candidate that wants it

# Rows of `states` and of `values`: two levels, the one that is there and the one that is made from it.
GOES_ON = cython.declare(cython.int, 0)  # and 1: the link that would go on with the chunk, or -1
SKIPS = cython.declare(cython.int, 2)  # and 3: words that have links and were left without a match
PLACE = cython.declare(cython.int, 4)  # and 5: the word of the reference after the last one taken
JUMPS = cython.declare(cython.int, 6)  # and 7: words that were jumped over, there and back
PARENT = cython.declare(cython.int, 8)  # what it was made from
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
        states[PLACE + side, kept] = states[PLACE + side, s]
        states[JUMPS + side, kept] = states[JUMPS + side, s]
        states[PARENT, kept] = states[PARENT, s]
        states[CHOICE, kept] = states[CHOICE, s]
        kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search(
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
    states[PLACE, 0] = 0
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
                if goes_on >= 0 and links[HOPE, goes_on] + 1 > hope:
                    hope = links[HOPE, goes_on] + 1
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
                states[PLACE + other, made] = states[PLACE + side, s]
                states[JUMPS + other, made] = states[JUMPS + side, s]
                if e < last:
                    states[PLACE + other, made] = links[REFERENCE, e] + 1
                    jump = links[REFERENCE, e] - states[PLACE + side, s]
                    states[JUMPS + other, made] = min(states[JUMPS + side, s] + (jump if jump > 0 else -jump), FAR)
                values[PROSPECT, made] = (value + hope) * (FAR + 1) - states[JUMPS + other, made]
                states[GOES_ON + other, made] = goes_on
                states[SKIPS + other, made] = skips
                states[PARENT, made] = cython.cast(cython.int, s)
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
                trace[0, i * most + s] = states[PARENT, s]
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


def choose(
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
                    value = search(
                        start, end, firsts, links, hopes, start + pair, spare, spares, crossings, tried, narrow, value,
                        width, there, values, states, sets, slots, trace, partners, notes,
                    )  # fmt: skip
                    out[pair, 2] = notes[1]
                    tried = wide if notes[1] and tried < wide else 0
                if crossings:
                    value = worth(start, end, partners, 0)
            out[pair, 1] = out[pair, 0] - value
