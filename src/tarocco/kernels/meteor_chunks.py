# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""The best maximum matching of two texts (METEOR): with the fewest chunks, or with the fewest crossings.

A chunk is a run of words that is matched with a run of words in the same order, so there are as many chunks as matches
less successors: matches whose previous words on both sides are a match too. Two matches cross if their order on one
side differs from that on the other. meteor_matching.py defines links and successors.

`maximize_successors` computes the largest number of successors of any matching, maximum or not. A link with a successor
is a step: two adjacent matches. Two steps are in conflict if they give a word two different partners, so the task is to
find a largest set of steps without conflicts. Most steps are in conflict with few others. Steps that are connected by
conflicts form a part, and each part is solved separately, in the word order of the text of which it has fewer words. A
state is the set of later steps that the chosen steps forbid; of equal states the one with more steps is kept. A step is
never skipped if the later steps that it forbids forbid each other, because at most one of them could replace it. A
state is dropped if it cannot exceed the number of steps that is already known, even if only the conflicts on one side
counted.

`minimize_chunks` searches the candidate from left to right. A state is the set of reference words used so far and the
link that would continue the current chunk. Of states that leave the same choices, the best one is kept, and a state is
dropped if its upper bound does not exceed the best known value. There can be very many states (the problem is as hard
as partitioning two strings into the fewest common pieces), so the search keeps only a limited number of them, those
with the best prospects, and reports it. It minimizes chunks only if `maximize_successors` has not determined their
number.
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

# Rows of `links`.
REFERENCE = cython.declare(cython.int, 0)
SUCCESSOR = cython.declare(cython.int, 1)
BOUND = cython.declare(cython.int, 2)

# Rows of `steps`, which has a column per step.
WORD = cython.declare(cython.int, 0)  # the word of the candidate
PLACE = cython.declare(cython.int, 1)  # the word of the reference
BY_PLACE = cython.declare(cython.int, 2)  # the steps in the order of the reference
NEAR = cython.declare(cython.int, 3)  # where its conflicts begin in `near`; they end where those of the next step begin
PART = cython.declare(cython.int, 4)  # the number of its part
MEMBER = cython.declare(cython.int, 5)  # and 6: the steps of all parts, in the order of the candidate or the reference
RANK = cython.declare(cython.int, 7)  # its number in its part
END = cython.declare(cython.int, 8)  # the end of each part's list while it grows
TAKEN = cython.declare(cython.int, 9)  # whether it is chosen
AHEAD = cython.declare(cython.int, 10)  # the step that starts at the step's second words, or -1
STEPS_AHEAD = cython.declare(cython.int, 11)  # the most steps from it on if only one side's conflicts count

# Rows of `heads`, which has a column per word.
OF_WORD = cython.declare(cython.int, 0)  # where the steps of a candidate word begin
OF_PLACE = cython.declare(cython.int, 1)  # where the steps of a reference word begin in BY_PLACE

# Rows of `states` of a part.
VALUE = cython.declare(cython.int, 0)  # number of chosen steps
PARENT = cython.declare(cython.int, 1)  # the state that it extends
TOOK = cython.declare(cython.int, 2)  # whether it chooses one more step


@cython.cclass
class StepGraph:
    """The steps of a pair and their conflicts, and the search of a part."""

    heads: cython.int[:, ::1]
    steps: cython.int[:, ::1]
    near: cython.int[::1]
    bounds: cython.int[::1]  # where the members of each part begin, and the number of steps
    forbids: cython.ulonglong[::1]  # for each step of a part, the set of later steps that it forbids
    states: cython.int[:, ::1]
    sets: cython.ulonglong[:, ::1]  # the forbidden steps of the current states and of those that extend them
    slots: cython.longlong[:, ::1]  # a hash table of states: [stamp, state]
    notes: cython.longlong[::1]  # [stamp]
    by: cython.int  # the side whose order the search follows
    first: cython.Py_ssize_t  # the members of the part
    last: cython.Py_ssize_t
    width: cython.Py_ssize_t  # of a set, in words
    high: cython.Py_ssize_t  # the first state of the new level
    made: cython.Py_ssize_t  # the number of states
    room: cython.Py_ssize_t  # the limit of this number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_steps(
    g: StepGraph,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
) -> cython.int:
    """List the steps of a pair in the order of either side; return their number, or -1 if there are too many."""
    count: cython.int = 0
    d: cython.int
    for k in range(length + 1):
        g.heads[OF_PLACE, k] = 0
    for place in range(start, end):
        g.heads[OF_WORD, place - start] = count
        for e in range(firsts[place], firsts[place + 1]):
            if links[SUCCESSOR, e] >= 0:
                if count == g.steps.shape[1] - 1:
                    return -1
                g.steps[WORD, count] = cython.cast(cython.int, place - start)
                g.steps[PLACE, count] = links[REFERENCE, e]
                g.heads[OF_PLACE, links[REFERENCE, e] + 1] += 1
                count += 1
    g.heads[OF_WORD, end - start] = count
    for k in range(length):
        g.heads[OF_PLACE, k + 1] += g.heads[OF_PLACE, k]
    for d in range(count - 1, -1, -1):  # the steps of a word end where those of the next word begin
        g.heads[OF_PLACE, g.steps[PLACE, d] + 1] -= 1
        g.steps[BY_PLACE, g.heads[OF_PLACE, g.steps[PLACE, d] + 1]] = d
    for k in range(length):
        g.heads[OF_PLACE, k] = g.heads[OF_PLACE, k + 1]
    g.heads[OF_PLACE, length] = count
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_conflicts(g: StepGraph, count: cython.int) -> cython.bint:
    """List the conflicts of each step, some of them twice; return whether there is room for them."""
    conflicts: cython.int = 0
    other: cython.int
    for d in range(count):
        g.steps[PART, d] = -1
        g.steps[AHEAD, d] = -1
        g.steps[NEAR, d] = conflicts
        i = g.steps[WORD, d]
        j = g.steps[PLACE, d]
        for by in range(2):  # steps that start at one of its words, or end at its first word
            word = j if by else i
            for k in range(g.heads[by, max(word - 1, 0)], g.heads[by, word + 2]):
                other = g.steps[BY_PLACE, k] if by else k
                if g.steps[WORD, other] - i == g.steps[PLACE, other] - j:  # the step itself, or a compatible one
                    if g.steps[WORD, other] > i:
                        g.steps[AHEAD, d] = other
                    continue
                if conflicts == g.near.shape[0]:
                    return False
                g.near[conflicts] = other
                conflicts += 1
    g.steps[NEAR, count] = conflicts
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_parts(g: StepGraph, count: cython.int) -> cython.int:
    """Divide the steps into parts, list the members of each part in the order of either side; return their number."""
    parts: cython.int = 0
    member: cython.int
    g.bounds[0] = 0
    for d in range(count):
        if g.steps[PART, d] >= 0:
            continue
        g.steps[PART, d] = parts
        g.steps[RANK, 0] = d  # the row serves as a queue
        i: cython.int = 0
        j: cython.int = 1
        while i < j:
            for k in range(g.steps[NEAR, g.steps[RANK, i]], g.steps[NEAR, g.steps[RANK, i] + 1]):
                if g.steps[PART, g.near[k]] < 0:
                    g.steps[PART, g.near[k]] = parts
                    g.steps[RANK, j] = g.near[k]
                    j += 1
            i += 1
        g.bounds[parts + 1] = g.bounds[parts] + j
        parts += 1
    for by in range(2):
        for k in range(parts):
            g.steps[END, k] = g.bounds[k]
        for k in range(count):
            member = g.steps[BY_PLACE, k] if by else k
            g.steps[MEMBER + by, g.steps[END, g.steps[PART, member]]] = member
            g.steps[END, g.steps[PART, member]] += 1
    return parts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_steps(
    g: StepGraph, by: cython.int, after: cython.Py_ssize_t, side: cython.int, start: cython.Py_ssize_t
) -> cython.int:
    """Return how many steps of rank `after` or more, and not forbidden, are compatible if only side `by` counts."""
    word: cython.int = -1
    here: cython.int = 0  # the most from this word on
    following: cython.int = 0  # from the next word with steps on
    beyond: cython.int = 0  # from the first word on that has no conflict with this one
    for r in range(g.last - 1, g.first - 1, -1):
        d = g.steps[MEMBER + by, r]
        rank = g.steps[RANK, d]
        if g.steps[WORD + by, d] != word:
            beyond = following if g.steps[WORD + by, d] == word - 1 else here
            following = here
            word = g.steps[WORD + by, d]
        g.steps[STEPS_AHEAD, d] = 0
        if rank >= after and (g.sets[side, start + (rank >> 6)] >> (rank & 63)) & ONE == 0:
            g.steps[STEPS_AHEAD, d] = beyond
            ahead = g.steps[AHEAD, d]
            if ahead >= 0 and g.steps[PART, ahead] == g.steps[PART, d]:
                g.steps[STEPS_AHEAD, d] = max(beyond, g.steps[STEPS_AHEAD, ahead])
            g.steps[STEPS_AHEAD, d] += 1
            here = max(here, g.steps[STEPS_AHEAD, d])
    return here


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_forbidden(g: StepGraph) -> cython.void:
    """For each step of the part, collect the later steps that it forbids."""
    size = g.last - g.first
    for k in range(size * g.width):
        g.forbids[k] = 0
    for r in range(size):
        d = g.steps[MEMBER + g.by, g.first + r]
        for e in range(g.steps[NEAR, d], g.steps[NEAR, d + 1]):
            rank = g.steps[RANK, g.near[e]]
            if rank > r:
                g.forbids[r * g.width + (rank >> 6)] |= ONE << (rank & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_replaceable(g: StepGraph, r: cython.Py_ssize_t, side: cython.int, start: cython.Py_ssize_t) -> cython.bint:
    """Return whether two allowed later steps without a conflict could replace the step of rank r."""
    bits: cython.ulonglong
    d = g.steps[MEMBER + g.by, g.first + r]
    for e in range(g.steps[NEAR, d], g.steps[NEAR, d + 1]):
        rank = g.steps[RANK, g.near[e]]
        if rank > r and (g.sets[side, start + (rank >> 6)] >> (rank & 63)) & ONE == 0:
            for w in range(rank >> 6, g.width):
                bits = g.forbids[r * g.width + w] & (ALL ^ g.sets[side, start + w])
                bits &= ALL ^ g.forbids[rank * g.width + w]
                if w == rank >> 6:
                    bits = bits >> (rank & 63) >> 1
                if bits != 0:
                    return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def extend_part_state(
    g: StepGraph,
    state: cython.Py_ssize_t,
    low: cython.Py_ssize_t,
    side: cython.int,
    r: cython.Py_ssize_t,
    take: cython.int,
    known: cython.int,
) -> cython.bint:
    """Choose (`take`) or skip the step of rank r; return False if there is no room for one more state."""
    width = g.width
    other = 1 - side
    source = (state - low) * width
    target = (g.made - g.high) * width
    value = g.states[VALUE, state] + take
    mask = cython.cast(cython.ulonglong, g.slots.shape[1] - 1)
    slot: cython.ulonglong = 0
    bits: cython.ulonglong
    if g.made >= g.room or target + width > g.sets.shape[1]:
        return False
    for w in range(width):
        bits = g.sets[side, source + w] | (g.forbids[r * width + w] if take else 0)
        if w == r >> 6:
            bits &= ALL ^ (ONE << (r & 63))
        g.sets[other, target + w] = bits
        slot = ((slot ^ bits) * MIX) & ALL
        slot ^= slot >> 29
    slot &= mask
    equal: cython.Py_ssize_t = 0
    while g.slots[0, slot] == g.notes[0]:
        equal = g.slots[1, slot]
        w = 0
        while w < width and g.sets[other, (equal - g.high) * width + w] == g.sets[other, target + w]:
            w += 1
        if w == width:
            break
        slot = (slot + 1) & mask
    if g.slots[0, slot] != g.notes[0]:
        if (
            value + bound_steps(g, g.by, r + 1, other, target) <= known
            or value + bound_steps(g, 1 - g.by, r + 1, other, target) <= known
        ):
            return True
        g.slots[0, slot] = g.notes[0]
        g.slots[1, slot] = g.made
        g.states[VALUE, g.made] = -1
        equal = g.made
        g.made += 1
    if value > g.states[VALUE, equal]:
        g.states[VALUE, equal] = value
        g.states[PARENT, equal] = cython.cast(cython.int, state)
        g.states[TOOK, equal] = take
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def solve_part(g: StepGraph, known: cython.int, effort: cython.Py_ssize_t) -> cython.int:
    """Mark a largest set of a part's steps as taken if it has more than `known`; return its size, or -1 if too hard."""
    size = g.last - g.first
    s: cython.Py_ssize_t
    low: cython.Py_ssize_t = 0
    side: cython.int = 0
    g.width = (size + 63) // 64
    g.high = 1
    g.made = 1
    g.room = min(g.states.shape[1], effort // size)
    if size * g.width > g.forbids.shape[0]:
        return -1
    list_forbidden(g)
    g.states[VALUE, 0] = 0  # its set is empty already
    for r in range(size):
        g.notes[0] += 1
        for s in range(low, g.high):
            source = (s - low) * g.width
            free: cython.bint = (g.sets[side, source + (r >> 6)] >> (r & 63)) & ONE == 0
            skips: cython.bint = not free or is_replaceable(g, r, side, source)
            if free and not extend_part_state(g, s, low, side, r, 1, known):
                return -1
            if skips and not extend_part_state(g, s, low, side, r, 0, known):
                return -1
        if g.made == g.high:
            return known
        low = g.high
        g.high = g.made
        side = 1 - side
    s = low  # the only state: no later step could be forbidden
    for r in range(size - 1, -1, -1):
        g.steps[TAKEN, g.steps[MEMBER + g.by, g.first + r]] = g.states[TOOK, s]
        s = g.states[PARENT, s]
    return g.states[VALUE, low]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_part(
    g: StepGraph,
    start: cython.Py_ssize_t,
    partners: cython.const[cython.int][::1],
    effort: cython.Py_ssize_t,
    most: cython.int[:, ::1],
    pair: cython.Py_ssize_t,
) -> cython.void:
    """Add the largest number of compatible steps of a part to most[pair, 0]; most[pair, 2] is set if it is too hard."""
    known: cython.int = 0  # steps of the matching in `partners`
    more: cython.int = 0  # by how many the part's reference words exceed its candidate words
    for r in range(g.first, g.last):
        d = g.steps[MEMBER, r]
        place = start + g.steps[WORD, d]
        g.steps[TAKEN, d] = partners[place] == g.steps[PLACE, d] and partners[place + 1] == g.steps[PLACE, d] + 1
        known += g.steps[TAKEN, d]
        g.steps[RANK, d] = cython.cast(cython.int, r - g.first)  # nothing is forbidden yet, so any order will do
        g.sets[0, (r - g.first) >> 6] = 0
        if r > g.first:
            more -= g.steps[WORD, d] != g.steps[WORD, g.steps[MEMBER, r - 1]]
            more += g.steps[PLACE, g.steps[MEMBER + 1, r]] != g.steps[PLACE, g.steps[MEMBER + 1, r - 1]]
    size: cython.int = known
    if bound_steps(g, 0, 0, 0, 0) > known and bound_steps(g, 1, 0, 0, 0) > known:
        g.by = 1 if more <= 0 else 0
        for r in range(g.first, g.last):
            g.steps[RANK, g.steps[MEMBER + g.by, r]] = cython.cast(cython.int, r - g.first)
        size = solve_part(g, known, effort)
    most[pair, 2] |= size < 0
    most[pair, 0] += max(size, known)


def maximize_successors(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    bounds: cython.const[cython.int][::1],
    partners: cython.const[cython.int][::1],
    effort: cython.Py_ssize_t,
    heads: cython.int[:, ::1],
    steps: cython.int[:, ::1],
    near: cython.int[::1],
    part_bounds: cython.int[::1],
    forbids: cython.ulonglong[::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
    slots: cython.longlong[:, ::1],
    notes: cython.longlong[::1],
    fixed: cython.int[::1],
    most: cython.int[:, ::1],
):
    """Fill most[pair] with [successors or -1, whether a maximum matching is known to have them, whether more exist].

    `partners` has a maximum matching of each pair. Where it is unknown whether a maximum matching has that many
    successors, `fixed` has the matches that it would contain. A part that would need more states than `effort` divided
    by its number of steps contributes the successors of `partners`.
    """
    g: StepGraph = StepGraph()
    g.heads = heads
    g.steps = steps
    g.near = near
    g.bounds = part_bounds
    g.forbids = forbids
    g.states = states
    g.sets = sets
    g.slots = slots
    g.notes = notes
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            start = starts[pair]
            end = starts[pair + 1]
            successors: cython.int = 0
            for place in range(start + 1, end):
                successors += partners[place - 1] >= 0 and partners[place - 1] + 1 == partners[place]
            most[pair, 0] = successors
            most[pair, 1] = 1
            most[pair, 2] = 0
            if successors == bounds[start + pair]:
                continue
            count = list_steps(g, start, end, lengths[pair], firsts, links)
            parts: cython.int = -1
            if count >= 0 and list_conflicts(g, count):
                parts = find_parts(g, count)
            most[pair, 0] = 0 if parts >= 0 else -1
            for part in range(parts):
                g.first = part_bounds[part]
                g.last = part_bounds[part + 1]
                if g.last - g.first == 1:
                    steps[TAKEN, steps[MEMBER, g.first]] = 1
                    most[pair, 0] += 1
                else:
                    count_part(g, start, partners, effort, most, pair)
            if most[pair, 0] > successors:
                for place in range(start, end):
                    fixed[place] = -1
                for d in range(part_bounds[parts]):
                    if steps[TAKEN, d]:
                        fixed[start + steps[WORD, d]] = steps[PLACE, d]
                        fixed[start + steps[WORD, d] + 1] = steps[PLACE, d] + 1
            most[pair, 1] = most[pair, 0] == successors


CROSSING = cython.declare(cython.longlong, 1 << 15)  # cost of a crossing in successors: more than there can be
DROPPED = cython.declare(cython.longlong, -(1 << 62))
FEW = cython.declare(cython.Py_ssize_t, 32)  # states of the first attempt, enough for most sentences

# With fewer states, an incomplete search finds no more successors than `maximize_successors`, even if that is
# incomplete too: not once in 310 pairs of texts of 700 to 1400 words.
NARROW = cython.declare(cython.Py_ssize_t, 400)

# Rows of `targets`, which has a column per word of the reference.
BIT = cython.declare(cython.int, 0)  # its bit in the sets of used words, or -1: only one word is linked to it
LAST = cython.declare(cython.int, 1)  # the last candidate word that is linked to it

# Rows of `states` and of `values` of a search: two levels, the current states and those that extend them.
GOES_ON = cython.declare(cython.int, 0)  # and 1: the link that would continue the chunk, or -1
SKIPS = cython.declare(cython.int, 2)  # and 3: the number of unmatched words that have links
NEXT_PLACE = cython.declare(cython.int, 4)  # and 5: the reference word after the last matched one
JUMPS = cython.declare(cython.int, 6)  # and 7: the number of reference words jumped over, in either direction
ORIGIN = cython.declare(cython.int, 8)  # the state that it extends
CHOICE = cython.declare(cython.int, 9)  # the reference word of the last candidate word, or -1
PROSPECT = cython.declare(cython.int, 2)  # of `values`: the upper bound, then the fewest jumps
FAR = cython.declare(cython.int, (1 << 16) - 1)  # more jumps count as this many


@cython.cclass
class MatchingSearch:
    """A search for the best maximum matching of a pair."""

    firsts: cython.const[cython.Py_ssize_t][::1]
    links: cython.const[cython.int][:, ::1]
    bounds: cython.const[cython.int][::1]
    spare: cython.const[cython.uchar][::1]
    targets: cython.int[:, ::1]
    values: cython.longlong[:, ::1]
    states: cython.int[:, ::1]
    sets: cython.ulonglong[:, ::1]  # the used words of each state
    slots: cython.longlong[:, ::1]  # a hash table of states: [stamp, state]
    trace: cython.int[:, ::1]
    notes: cython.longlong[::1]  # [stamp, whether states were left out]
    partners: cython.int[::1]
    crossings: cython.bint
    start: cython.Py_ssize_t  # the words of the pair
    end: cython.Py_ssize_t
    bound_start: cython.Py_ssize_t  # the entry of `bounds` of the first word
    spares: cython.int  # how many words with links a maximum matching skips
    most: cython.Py_ssize_t  # the limit of the number of states
    exact: cython.bint  # give up where states would have to be left out
    known: cython.longlong  # the best known value
    width: cython.Py_ssize_t  # of a set, in words
    room: cython.Py_ssize_t
    mask: cython.ulonglong
    side: cython.int  # the current level
    made: cython.Py_ssize_t  # the number of states of the new level


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_used(
    sets: cython.const[cython.ulonglong][:, ::1], side: cython.int, first: cython.Py_ssize_t, bit: cython.int
) -> cython.bint:
    return bit >= 0 and (sets[side, first + (bit >> 6)] >> (bit & 63)) & ONE == ONE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def prune(search: MatchingSearch) -> cython.Py_ssize_t:
    """Keep the best of the new states, in their order, and none that was dropped; return how many are left."""
    values = search.values
    states = search.states
    sets = search.sets
    side = 1 - search.side
    width = search.width
    kept: cython.Py_ssize_t = 0
    reach: cython.Py_ssize_t = 0
    low: cython.longlong = DROPPED + 1
    high: cython.longlong = DROPPED + 1
    for s in range(search.made):
        if values[side, s] == DROPPED:
            values[PROSPECT, s] = DROPPED
        else:
            reach += 1
            if values[PROSPECT, s] > high:
                high = values[PROSPECT, s]
    if reach > search.most:  # find the highest prospect that `most` states reach
        while low < high:
            middle = low + (high - low + 1) // 2
            reach = 0
            for s in range(search.made):
                reach += values[PROSPECT, s] >= middle
            if reach >= search.most:
                low = middle
            else:
                high = middle - 1
        reach = search.most  # the number of states to keep that have exactly this prospect
        for s in range(search.made):
            reach -= values[PROSPECT, s] > low
    for s in range(search.made):
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
        states[NEXT_PLACE + side, kept] = states[NEXT_PLACE + side, s]
        states[JUMPS + side, kept] = states[JUMPS + side, s]
        states[ORIGIN, kept] = states[ORIGIN, s]
        states[CHOICE, kept] = states[CHOICE, s]
        kept += 1
    return kept


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count_crossings(search: MatchingSearch, s: cython.Py_ssize_t, bit: cython.int) -> cython.longlong:
    """Count the used reference words after a word."""
    crossings: cython.longlong = 0
    for w in range(bit >> 6, search.width):
        bits: cython.ulonglong = search.sets[search.side, s * search.width + w]
        if w == bit >> 6:
            bits >>= bit & 63
        while bits:
            bits &= bits - ONE
            crossings += 1
    return crossings


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def fill_set(search: MatchingSearch, i: cython.Py_ssize_t, s: cython.Py_ssize_t, bit: cython.int) -> cython.void:
    """Write the set of the next new state: that of state s and `bit`, without words that no later word is linked to."""
    other = 1 - search.side
    first = search.made * search.width
    for w in range(search.width):
        search.sets[other, first + w] = search.sets[search.side, s * search.width + w]
    if bit >= 0:
        search.sets[other, first + (bit >> 6)] |= ONE << (bit & 63)
    if not search.crossings:
        for f in range(search.firsts[search.start + i], search.firsts[search.start + i + 1]):
            linked = search.links[REFERENCE, f]
            bit = search.targets[BIT, linked]
            if bit >= 0 and search.targets[LAST, linked] == i:
                search.sets[other, first + (bit >> 6)] &= ALL ^ (ONE << (bit & 63))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_equal_state(search: MatchingSearch, goes_on: cython.int) -> cython.ulonglong:
    """Return the slot of a new state with the set of the next new state, or the free slot where it belongs."""
    other = 1 - search.side
    width = search.width
    first = search.made * width
    slot: cython.ulonglong = cython.cast(cython.ulonglong, goes_on + 2)
    for w in range(width):
        slot = ((slot ^ search.sets[other, first + w]) * MIX) & ALL
        slot ^= slot >> 29
    slot &= search.mask
    while search.slots[0, slot] == search.notes[0]:
        t = search.slots[1, slot]
        w = 0 if search.states[GOES_ON + other, t] == goes_on else width + 1
        while w < width and search.sets[other, t * width + w] == search.sets[other, first + w]:
            w += 1
        if w == width:
            break
        slot = (slot + 1) & search.mask
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def extend_state(
    search: MatchingSearch, i: cython.Py_ssize_t, s: cython.Py_ssize_t, e: cython.Py_ssize_t
) -> cython.bint:
    """Extend state s by link e of word i, or by no match if e is the end of its links; return False to give up."""
    side = search.side
    other = 1 - side
    last = search.firsts[search.start + i + 1]
    value: cython.longlong = search.values[side, s]
    skips: cython.int = search.states[SKIPS + side, s]
    place: cython.int = search.states[NEXT_PLACE + side, s]
    jumps: cython.int = search.states[JUMPS + side, s]
    goes_on: cython.int = -1
    bit: cython.int = -1
    linked: cython.int = -1
    if e == last:
        skips += last > search.firsts[search.start + i]
        if not search.spare[search.start + i] or skips > search.spares:
            return True
    else:
        linked = search.links[REFERENCE, e]
        bit = search.targets[BIT, linked]
        if is_used(search.sets, side, s * search.width, bit):
            return True
        value += e == search.states[GOES_ON + side, s]
        goes_on = search.links[SUCCESSOR, e]
        if goes_on >= 0:
            following = search.targets[BIT, search.links[REFERENCE, goes_on]]
            if is_used(search.sets, side, s * search.width, following):
                goes_on = -1
        if search.crossings:
            value -= CROSSING * count_crossings(search, s, bit)
        jumps = min(jumps + max(linked - place, place - linked), FAR)
        place = linked + 1
    bound: cython.longlong = search.bounds[search.bound_start + i + 1]
    if goes_on >= 0:
        bound = max(bound, search.links[BOUND, goes_on] + 1)
    if value + bound < search.known or (value + bound == search.known and not search.crossings):
        return True
    if search.made == search.room:
        search.made = prune(search)
        search.notes[0] += 1  # empties the slots: equal states from here on are not merged with earlier ones
        search.notes[1] = 1
        if search.exact:
            return False
    fill_set(search, i, s, bit)
    slot = find_equal_state(search, goes_on)
    if search.slots[0, slot] == search.notes[0]:
        t = search.slots[1, slot]
        skips_there = search.states[SKIPS + other, t]
        if skips > skips_there or (skips == skips_there and value <= search.values[other, t]):
            return True
        search.values[other, t] = DROPPED  # the better state comes last: states stay in the order of their choices
    made = search.made
    search.slots[0, slot] = search.notes[0]
    search.slots[1, slot] = made
    search.values[other, made] = value
    search.values[PROSPECT, made] = (value + bound) * (FAR + 1) - jumps
    search.states[GOES_ON + other, made] = goes_on
    search.states[SKIPS + other, made] = skips
    search.states[NEXT_PLACE + other, made] = place
    search.states[JUMPS + other, made] = jumps
    search.states[ORIGIN, made] = cython.cast(cython.int, s)
    search.states[CHOICE, made] = linked
    search.made = made + 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_search(search: MatchingSearch) -> cython.void:
    """Make the first state."""
    search.room = 4 * search.most
    search.mask = 2
    while search.mask < cython.cast(cython.ulonglong, 2 * search.room):
        search.mask *= 2
    search.mask -= 1
    search.side = 0
    search.notes[1] = 0
    search.values[0, 0] = 0
    search.states[GOES_ON, 0] = -1
    search.states[SKIPS, 0] = 0
    search.states[NEXT_PLACE, 0] = 0
    search.states[JUMPS, 0] = 0
    for w in range(search.width):
        search.sets[0, w] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search_matching(search: MatchingSearch) -> cython.longlong:
    """Return the value of the best matching, at least `known`; with crossings, write the first such one to partners."""
    count: cython.Py_ssize_t = 1
    best: cython.Py_ssize_t = 0
    begin_search(search)
    for i in range(search.end - search.start):
        search.made = 0
        search.notes[0] += 1
        for s in range(count):
            for e in range(search.firsts[search.start + i], search.firsts[search.start + i + 1] + 1):
                if not extend_state(search, i, s, e):
                    return search.known
        search.notes[1] |= search.made > search.most
        if search.exact and search.notes[1]:
            return search.known
        count = prune(search)
        if count == 0:
            return search.known
        if search.crossings:
            for s in range(count):
                search.trace[0, i * search.most + s] = search.states[ORIGIN, s]
                search.trace[1, i * search.most + s] = search.states[CHOICE, s]
        search.side = 1 - search.side
    for s in range(count):
        if search.values[search.side, s] > search.values[search.side, best]:
            best = s
    value = search.values[search.side, best]
    if search.crossings:
        for i in range(search.end - search.start - 1, -1, -1):
            search.partners[search.start + i] = search.trace[1, i * search.most + best]
            best = search.trace[0, i * search.most + best]
    return value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def value_matching(
    start: cython.Py_ssize_t, end: cython.Py_ssize_t, partners: cython.const[cython.int][::1], crossings: cython.bint
) -> cython.longlong:
    """Return the number of successors of a matching, less the cost of its crossings if those count."""
    value: cython.longlong = 0
    for place in range(start, end):
        if partners[place] >= 0:
            value += place > start and partners[place - 1] >= 0 and partners[place - 1] + 1 == partners[place]
            if crossings:
                for before in range(start, place):
                    if partners[before] > partners[place]:
                        value -= CROSSING
    return value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def number_targets(search: MatchingSearch, length: cython.Py_ssize_t) -> cython.int:
    """Give a bit to each reference word that sets need, and return their number."""
    for j in range(length):
        search.targets[BIT, j] = 0
    for place in range(search.start, search.end):
        for e in range(search.firsts[place], search.firsts[place + 1]):
            search.targets[BIT, search.links[REFERENCE, e]] += 1
            search.targets[LAST, search.links[REFERENCE, e]] = cython.cast(cython.int, place - search.start)
    bits: cython.int = 0
    for j in range(length):
        if search.targets[BIT, j] > (0 if search.crossings else 1):
            search.targets[BIT, j] = bits
            bits += 1
        else:
            search.targets[BIT, j] = -1
    return bits


def minimize_chunks(
    starts: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    firsts: cython.const[cython.Py_ssize_t][::1],
    links: cython.const[cython.int][:, ::1],
    bounds: cython.const[cython.int][::1],
    spare: cython.const[cython.uchar][::1],
    crossings: cython.bint,
    most: cython.Py_ssize_t,
    effort: cython.Py_ssize_t,
    targets: cython.int[:, ::1],
    values: cython.longlong[:, ::1],
    states: cython.int[:, ::1],
    sets: cython.ulonglong[:, ::1],
    slots: cython.longlong[:, ::1],
    trace: cython.int[:, ::1],
    notes: cython.longlong[::1],
    partners: cython.int[::1],
    successors: cython.const[cython.int][:, ::1],
    out: cython.Py_ssize_t[:, ::1],
):
    """Fill out[pair] with [matches, chunks, whether states were left out]; `partners` has a maximum matching.

    Without crossings, `successors` is the result of `maximize_successors`. The search keeps at most `most` states,
    fewer if a pair has so many links that `effort` would not suffice. With crossings, `partners` gets the best
    matching.
    """
    search: MatchingSearch = MatchingSearch()
    search.firsts = firsts
    search.links = links
    search.bounds = bounds
    search.spare = spare
    search.targets = targets
    search.values = values
    search.states = states
    search.sets = sets
    search.slots = slots
    search.trace = trace
    search.notes = notes
    search.partners = partners
    search.crossings = crossings
    with cython.nogil:
        for pair in range(starts.shape[0] - 1):
            start = starts[pair]
            end = starts[pair + 1]
            search.start = start
            search.end = end
            search.bound_start = start + pair
            search.spares = 0
            out[pair, 0] = 0
            out[pair, 2] = 0
            for place in range(start, end):
                out[pair, 0] += partners[place] >= 0
                search.spares += partners[place] < 0 and firsts[place] < firsts[place + 1]
            search.known = value_matching(start, end, partners, crossings)
            settled: cython.bint = not crossings and successors[pair, 1] and not successors[pair, 2]
            if crossings or (not settled and search.known < bounds[start + pair]):
                search.width = (number_targets(search, lengths[pair]) + 63) // 64
                cost = firsts[end] - firsts[start] + end - start + 1  # of a state, per word of its set
                hard: cython.bint = cost * search.width > 8 * effort
                wide = min(effort // cost, (effort >> 4) // max(search.width, 1))
                wide = min(most, max(1 if hard else 8, wide))
                search.exact = not crossings and successors[pair, 1] and wide < NARROW
                search.most = min(wide, FEW)
                out[pair, 2] = hard
                if crossings or not hard:  # a hard search takes seconds: keep the best known matching instead
                    search.known = search_matching(search)
                    if notes[1] and search.most < wide:
                        search.most = wide
                        search.known = search_matching(search)
                    out[pair, 2] = notes[1]
                if crossings:
                    search.known = value_matching(start, end, partners, 0)
            out[pair, 1] = out[pair, 0] - search.known
