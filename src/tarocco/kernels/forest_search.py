# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The best derivation of a forest under GRR's automaton (Chiang et al. 2008, section 4.3), by dynamic programming.

A state is (reference words passed, matches in a row, at most order - 1); those of position i are bases[i] to
bases[i + 1] - 1, and there are only those that words of the forest can lead to. A node's table has the most that any of
its texts collects on the way from one state to another. Texts of the nodes marked as first begin every text they are
in, so that the way begins in state 0 and the table is one row; a lattice has no other nodes. Reference words that are
passed by before a word is read cost so much each; those behind the last word are the caller's business.

No pointers back are kept: the way to the best value is found by computing, once more, the edges that it goes through.


Texts of a forest with many n-grams in common with references, by beam search: a few texts are kept of every node.

What is kept is decided by a gain that is linear in n-gram matches (Tromble et al. 2008): gains[n] for each match of
order n, clipped as in BLEU, and gains[0] for each word. The text of a node is built anew for each way to combine those
of its tails. N-grams of the references are numbers: follow[g, w] is the one that the word w makes of g, or -1; 0 is
none.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

NEVER = cython.declare(cython.double, -1e300)
REACHED = cython.declare(cython.double, -1e200)  # more than this


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_word(
    word: cython.int,
    first: cython.Py_ssize_t,
    reference: cython.const[cython.int][::1],
    bases: cython.const[cython.int][::1],
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    step: cython.Py_ssize_t,
    work: cython.double[:, ::1],
    origins: cython.int[:, ::1],
) -> cython.void:
    """From row `step` of work, what states have, to the next row, and from which state; positions from `first` on."""
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    to: cython.Py_ssize_t
    start: cython.Py_ssize_t
    last: cython.Py_ssize_t = 0  # where the states of the position before begin
    value: cython.double
    zero: cython.double = NEVER  # the state without a run, deletions counted
    zero_origin: cython.int = 0
    best: cython.double = NEVER  # any state of this position
    best_origin: cython.int = 0
    last_zero: cython.double = NEVER
    last_zero_origin: cython.int = 0
    last_best: cython.double = NEVER
    last_best_origin: cython.int = 0
    for i in range(first, reference.shape[0] + 1):
        start = bases[i]
        zero = work[step, start]
        zero_origin = cython.cast(cython.int, start)
        if last_best - deletion > zero:
            zero = last_best - deletion
            zero_origin = last_best_origin
        best = zero
        best_origin = zero_origin
        for m in range(start + 1, bases[i + 1]):
            if work[step, m] > best:
                best = work[step, m]
                best_origin = cython.cast(cython.int, m)
            work[step + 1, m] = NEVER
        work[step + 1, start] = best - insertion
        origins[step, start] = best_origin
        if last_best > work[step + 1, start]:  # a substitution is free
            work[step + 1, start] = last_best
            origins[step, start] = last_best_origin
        if i > first and reference[i - 1] == word:
            for m in range(start - last):
                value = (last_zero if m == 0 else work[step, last + m]) + (m + 1)
                to = start + (m + 1 if m + 1 < order else order - 1)
                if value > work[step + 1, to]:
                    work[step + 1, to] = value
                    origins[step, to] = last_zero_origin if m == 0 else cython.cast(cython.int, last + m)
        last = start
        last_zero = zero
        last_zero_origin = zero_origin
        last_best = best
        last_best_origin = best_origin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def along(
    edge: cython.Py_ssize_t,
    state: cython.Py_ssize_t,
    tail_starts: cython.const[cython.longlong][::1],
    tails: cython.const[cython.int][::1],
    item_starts: cython.const[cython.longlong][::1],
    items: cython.const[cython.int][::1],
    reference: cython.const[cython.int][::1],
    bases: cython.const[cython.int][::1],
    positions: cython.const[cython.int][::1],
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    starts: cython.const[cython.longlong][::1],
    tables: cython.double[::1],
    work: cython.double[:, ::1],
    origins: cython.int[:, ::1],
) -> cython.Py_ssize_t:
    """What each state has behind each item of an edge that is begun in `state`; the row of work that is the last."""
    n: cython.Py_ssize_t = positions.shape[0]
    first: cython.Py_ssize_t = positions[state]
    low: cython.Py_ssize_t = bases[first]
    step: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    q: cython.Py_ssize_t
    row: cython.Py_ssize_t
    begun: cython.double
    value: cython.double
    for q in range(low, n):
        work[0, q] = NEVER
    work[0, state] = 0.0
    for at in range(item_starts[edge], item_starts[edge + 1]):
        if items[at] >= 0:
            read_word(items[at], first, reference, bases, order, insertion, deletion, step, work, origins)
        else:
            for q in range(low, n):
                work[step + 1, q] = NEVER
            for middle in range(low, n):
                begun = work[step, middle]
                if begun > REACHED:
                    row = starts[tails[tail_starts[edge] - 1 - items[at]]] + middle * n
                    for q in range(bases[positions[middle]], n):
                        value = begun + tables[row + q]
                        work[step + 1, q] = value if value > work[step + 1, q] else work[step + 1, q]
        step += 1
    return step


def fill_tables(
    first_edges: cython.const[cython.longlong][::1],
    tail_starts: cython.const[cython.longlong][::1],
    tails: cython.const[cython.int][::1],
    item_starts: cython.const[cython.longlong][::1],
    items: cython.const[cython.int][::1],
    reference: cython.const[cython.int][::1],
    bases: cython.const[cython.int][::1],
    positions: cython.const[cython.int][::1],
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    starts: cython.const[cython.longlong][::1],
    tables: cython.double[::1],
    work: cython.double[:, ::1],
    origins: cython.int[:, ::1],
):
    """Fill the table of every node, tables[starts[node]] to tables[starts[node + 1]]: a row, or a row a state."""
    n: cython.Py_ssize_t = positions.shape[0]
    node: cython.Py_ssize_t
    edge: cython.Py_ssize_t
    state: cython.Py_ssize_t
    row: cython.Py_ssize_t
    last: cython.Py_ssize_t
    q: cython.Py_ssize_t
    with cython.nogil:
        for node in range(first_edges.shape[0] - 1):
            for state in range((starts[node + 1] - starts[node]) // n):
                row = starts[node] + state * n
                for q in range(n):
                    tables[row + q] = NEVER
                for edge in range(first_edges[node], first_edges[node + 1]):
                    last = along(
                        edge,
                        state,
                        tail_starts,
                        tails,
                        item_starts,
                        items,
                        reference,
                        bases,
                        positions,
                        order,
                        insertion,
                        deletion,
                        starts,
                        tables,
                        work,
                        origins,
                    )
                    for q in range(bases[positions[state]], n):
                        tables[row + q] = work[last, q] if work[last, q] > tables[row + q] else tables[row + q]


def trace_best_derivation(
    first_edges: cython.const[cython.longlong][::1],
    tail_starts: cython.const[cython.longlong][::1],
    tails: cython.const[cython.int][::1],
    item_starts: cython.const[cython.longlong][::1],
    items: cython.const[cython.int][::1],
    reference: cython.const[cython.int][::1],
    bases: cython.const[cython.int][::1],
    positions: cython.const[cython.int][::1],
    order: cython.Py_ssize_t,
    insertion: cython.double,
    deletion: cython.double,
    starts: cython.const[cython.longlong][::1],
    tables: cython.double[::1],
    work: cython.double[:, ::1],
    origins: cython.int[:, ::1],
    final: cython.Py_ssize_t,
    stack: cython.int[:, ::1],
    steps: cython.int[::1],
) -> cython.Py_ssize_t:
    """Write the edges of the best derivation that ends in the state `final`, from the goal down; how many they are.

    Of several best edges the first is taken. -1 if there is no room for so many steps, or for so much to come.
    """
    n: cython.Py_ssize_t = positions.shape[0]
    node: cython.Py_ssize_t
    edge: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    row: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    at: cython.Py_ssize_t
    open_: cython.Py_ssize_t = 1
    written: cython.Py_ssize_t = 0
    value: cython.double
    with cython.nogil:
        stack[0, 0] = cython.cast(cython.int, first_edges.shape[0] - 2)
        stack[0, 1] = 0
        stack[0, 2] = cython.cast(cython.int, final)
        while open_ > 0:
            open_ -= 1
            node = stack[open_, 0]
            begin = stack[open_, 1]
            end = stack[open_, 2]
            value = tables[starts[node] + begin * n + end]
            edge = first_edges[node]
            while True:
                last = along(
                    edge,
                    begin,
                    tail_starts,
                    tails,
                    item_starts,
                    items,
                    reference,
                    bases,
                    positions,
                    order,
                    insertion,
                    deletion,
                    starts,
                    tables,
                    work,
                    origins,
                )
                if work[last, end] == value:
                    break
                edge += 1
            if written == steps.shape[0] or open_ + tail_starts[edge + 1] - tail_starts[edge] > stack.shape[0]:
                written = -1
                break
            steps[written] = cython.cast(cython.int, edge)
            written += 1
            at = item_starts[edge + 1]
            while last > 0:
                last -= 1
                at -= 1
                if items[at] >= 0:
                    end = origins[last, end]
                    continue
                node = tails[tail_starts[edge] - 1 - items[at]]
                row = starts[node]
                middle = bases[positions[begin]]
                while not (
                    work[last, middle] > REACHED
                    and bases[positions[middle]] <= end
                    and work[last, middle] + tables[row + middle * n + end] == work[last + 1, end]
                ):
                    middle += 1
                stack[open_, 0] = cython.cast(cython.int, node)
                stack[open_, 1] = cython.cast(cython.int, middle)
                stack[open_, 2] = cython.cast(cython.int, end)
                open_ += 1
                end = middle
    return written


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


def search_with_beam(
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
