# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Exact and beam search for the texts of a forest that are closest to references.

The exact search finds the best derivation under GRR's automaton (Chiang et al. 2008, section 4.3) by dynamic
programming. A state is (number of reference words passed, number of matches in a row, at most order - 1). The states of
position i are bases[i] to bases[i + 1] - 1, and there are only those that words of the forest can lead to. The table of
a node has the most that any of its texts collects between two states. Nodes whose texts begin every text start in state
0, so their table is one row; a lattice has only such nodes. Reference words that are passed before a word is read cost
`deletion` each; the caller handles those after the last word. There are no back pointers: the derivation of the best
value is found by computing the edges on its path again.

The beam search keeps a few texts per node, by a gain that is linear in n-gram matches (Tromble et al. 2008): gains[n]
for each match of order n, clipped as in BLEU, and gains[0] for each word. The texts of a node are built from each
combination of its tails' texts. The n-grams of the references are numbers: follow[g, w] is the n-gram made of g and
word w, or -1; 0 is the empty n-gram.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

NEVER = cython.declare(cython.double, -1e300)
REACHED = cython.declare(cython.double, -1e200)  # values of states that can be reached exceed this


@cython.cclass
class ForestTables:
    """A forest, the states of the automaton, and the tables of the forest's nodes.

    The edges of a node are first_edges[node]:first_edges[node + 1]. An edge has the tails tails[tail_starts[edge]:...]
    and the items items[item_starts[edge]:...]: a word, or -1 - k for its tail number k.
    """

    first_edges: cython.const[cython.longlong][::1]
    tail_starts: cython.const[cython.longlong][::1]
    tails: cython.const[cython.int][::1]
    item_starts: cython.const[cython.longlong][::1]
    items: cython.const[cython.int][::1]
    reference: cython.const[cython.int][::1]
    bases: cython.const[cython.int][::1]
    positions: cython.const[cython.int][::1]  # the position of each state
    order: cython.Py_ssize_t
    insertion: cython.double
    deletion: cython.double
    starts: cython.const[cython.longlong][::1]  # where the table of each node begins
    tables: cython.double[::1]
    work: cython.double[:, ::1]  # the values of all states after each item of an edge
    origins: cython.int[:, ::1]  # the state before an item from which the value of a state comes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_word(f: ForestTables, word: cython.int, first: cython.Py_ssize_t, step: cython.Py_ssize_t) -> cython.void:
    """Compute row step + 1 of `work` from row `step` for a word, from position `first` on."""
    order = f.order
    insertion = f.insertion
    deletion = f.deletion
    last: cython.Py_ssize_t = 0  # the first state of the previous position
    last_zero: cython.double = NEVER  # its state without a run, including deletions
    last_zero_origin: cython.int = 0
    last_best: cython.double = NEVER  # the best of its states
    last_best_origin: cython.int = 0
    for i in range(first, f.reference.shape[0] + 1):
        start: cython.Py_ssize_t = f.bases[i]
        zero: cython.double = f.work[step, start]
        zero_origin: cython.int = f.bases[i]
        if last_best - deletion > zero:
            zero = last_best - deletion
            zero_origin = last_best_origin
        best: cython.double = zero
        best_origin: cython.int = zero_origin
        for m in range(start + 1, f.bases[i + 1]):
            if f.work[step, m] > best:
                best = f.work[step, m]
                best_origin = cython.cast(cython.int, m)
            f.work[step + 1, m] = NEVER
        f.work[step + 1, start] = best - insertion
        f.origins[step, start] = best_origin
        if last_best > f.work[step + 1, start]:  # a substitution is free
            f.work[step + 1, start] = last_best
            f.origins[step, start] = last_best_origin
        if i > first and f.reference[i - 1] == word:
            for m in range(start - last):
                value: cython.double = (last_zero if m == 0 else f.work[step, last + m]) + (m + 1)
                to = start + (m + 1 if m + 1 < order else order - 1)
                if value > f.work[step + 1, to]:
                    f.work[step + 1, to] = value
                    f.origins[step, to] = last_zero_origin if m == 0 else cython.cast(cython.int, last + m)
        last = start
        last_zero = zero
        last_zero_origin = zero_origin
        last_best = best
        last_best_origin = best_origin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def follow_edge(f: ForestTables, edge: cython.Py_ssize_t, state: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Compute the values of all states after each item of an edge that starts in `state`; return the last row."""
    n = f.positions.shape[0]
    first: cython.Py_ssize_t = f.positions[state]
    low: cython.Py_ssize_t = f.bases[first]
    step: cython.Py_ssize_t = 0
    for q in range(low, n):
        f.work[0, q] = NEVER
    f.work[0, state] = 0.0
    for at in range(f.item_starts[edge], f.item_starts[edge + 1]):
        if f.items[at] >= 0:
            read_word(f, f.items[at], first, step)
        else:
            for q in range(low, n):
                f.work[step + 1, q] = NEVER
            for middle in range(low, n):
                begun = f.work[step, middle]
                if begun > REACHED:
                    row: cython.Py_ssize_t = f.starts[f.tails[f.tail_starts[edge] - 1 - f.items[at]]] + middle * n
                    for q in range(f.bases[f.positions[middle]], n):
                        value = begun + f.tables[row + q]
                        f.work[step + 1, q] = value if value > f.work[step + 1, q] else f.work[step + 1, q]
        step += 1
    return step


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_middle(
    f: ForestTables, row: cython.Py_ssize_t, begin: cython.Py_ssize_t, step: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the state before a tail, whose table begins at `row`, that leads to state `end` after it."""
    middle: cython.Py_ssize_t = f.bases[f.positions[begin]]
    while not (
        f.work[step, middle] > REACHED
        and f.bases[f.positions[middle]] <= end
        and f.work[step, middle] + f.tables[row + middle * f.positions.shape[0] + end] == f.work[step + 1, end]
    ):
        middle += 1
    return middle


@cython.cfunc
def collect_tables(
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
) -> ForestTables:
    f: ForestTables = ForestTables()
    f.first_edges = first_edges
    f.tail_starts = tail_starts
    f.tails = tails
    f.item_starts = item_starts
    f.items = items
    f.reference = reference
    f.bases = bases
    f.positions = positions
    f.order = order
    f.insertion = insertion
    f.deletion = deletion
    f.starts = starts
    f.tables = tables
    f.work = work
    f.origins = origins
    return f


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
    """Fill the table of every node, tables[starts[node]:starts[node + 1]]: one row, or one row per state."""
    n = positions.shape[0]
    f: ForestTables = collect_tables(
        first_edges, tail_starts, tails, item_starts, items, reference, bases, positions,
        order, insertion, deletion, starts, tables, work, origins,
    )  # fmt: skip
    with cython.nogil:
        for node in range(first_edges.shape[0] - 1):
            for state in range((starts[node + 1] - starts[node]) // n):
                row = starts[node] + state * n
                for q in range(n):
                    tables[row + q] = NEVER
                for edge in range(first_edges[node], first_edges[node + 1]):
                    last = follow_edge(f, edge, state)
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
    """Write the edges of the best derivation that ends in state `final`, from the goal down; return their number.

    Of several best edges the first one is taken. Returns -1 if `steps` or `stack` is too small.
    """
    n = positions.shape[0]
    open_: cython.Py_ssize_t = 1
    written: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    f: ForestTables = collect_tables(
        first_edges, tail_starts, tails, item_starts, items, reference, bases, positions,
        order, insertion, deletion, starts, tables, work, origins,
    )  # fmt: skip
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
            edge: cython.Py_ssize_t = first_edges[node]
            last = follow_edge(f, edge, begin)
            while work[last, end] != value:
                edge += 1
                last = follow_edge(f, edge, begin)
            if written == steps.shape[0] or open_ + tail_starts[edge + 1] - tail_starts[edge] > stack.shape[0]:
                written = -1
                break
            steps[written] = cython.cast(cython.int, edge)
            written += 1
            at: cython.Py_ssize_t = item_starts[edge + 1]
            while last > 0:
                last -= 1
                at -= 1
                if items[at] >= 0:
                    end = origins[last, end]
                    continue
                tail = tails[tail_starts[edge] - 1 - items[at]]
                middle = find_middle(f, starts[tail], begin, last, end)
                stack[open_, 0] = tail
                stack[open_, 1] = cython.cast(cython.int, middle)
                stack[open_, 2] = cython.cast(cython.int, end)
                open_ += 1
                end = middle
    return written


@cython.cclass
class Beam:
    """A forest, and the best texts of each node: text `rank` is at texts[starts[node] + rank * longest[node]]."""

    tail_starts: cython.const[cython.longlong][::1]
    tails: cython.const[cython.int][::1]
    item_starts: cython.const[cython.longlong][::1]
    items: cython.const[cython.int][::1]
    width: cython.Py_ssize_t
    longest: cython.const[cython.longlong][::1]
    starts: cython.const[cython.longlong][::1]
    texts: cython.int[::1]
    lengths: cython.int[:, ::1]
    values: cython.double[:, ::1]
    kept: cython.int[::1]
    ranks: cython.int[::1]  # of the texts of an edge's tails that are combined
    text: cython.int[::1]  # a new text


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_gain(
    words: cython.int[::1],
    length: cython.Py_ssize_t,
    follow: cython.const[cython.int][:, ::1],
    limits: cython.const[cython.int][::1],
    gains: cython.const[cython.double][::1],
    counts: cython.int[::1],
) -> cython.double:
    """Return the gain of a text; counts are 0 before and after the call."""
    gram: cython.int
    total: cython.double = gains[0] * length
    for i in range(length):
        gram = 0
        for j in range(i, min(i + gains.shape[0] - 1, length)):
            gram = follow[gram, words[j]]
            if gram < 0:
                break
            counts[gram] += 1
            if counts[gram] <= limits[gram]:
                total += gains[j - i + 1]
    for i in range(length):
        gram = 0
        for j in range(i, min(i + gains.shape[0] - 1, length)):
            gram = follow[gram, words[j]]
            if gram < 0:
                break
            counts[gram] = 0
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def build_text(beam: Beam, edge: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Write the text of an edge with the tails' texts of the current ranks; return its length."""
    n: cython.Py_ssize_t = 0
    for at in range(beam.item_starts[edge], beam.item_starts[edge + 1]):
        item = beam.items[at]
        if item >= 0:
            beam.text[n] = item
            n += 1
        else:
            rank = beam.ranks[-1 - item]
            tail = beam.tails[beam.tail_starts[edge] - 1 - item]
            first = beam.starts[tail] + rank * beam.longest[tail]
            for i in range(beam.lengths[tail, rank]):
                beam.text[n] = beam.texts[first + i]
                n += 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_kept(
    beam: Beam, node: cython.Py_ssize_t, place: cython.Py_ssize_t, n: cython.Py_ssize_t, value: cython.double
) -> cython.bint:
    """Return whether a node has the new text already, among the texts of the same value before `place`."""
    i = place - 1
    while i >= 0 and beam.values[node, i] == value:
        if beam.lengths[node, i] == n:
            first = beam.starts[node] + i * beam.longest[node]
            at: cython.Py_ssize_t = 0
            while at < n and beam.texts[first + at] == beam.text[at]:
                at += 1
            if at == n:
                return True
        i -= 1
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def insert_text(beam: Beam, node: cython.Py_ssize_t, n: cython.Py_ssize_t, value: cython.double) -> cython.void:
    """Insert the new text into the list of a node, after all texts that are as good, unless it is one of them."""
    place: cython.Py_ssize_t = beam.kept[node]
    while place > 0 and beam.values[node, place - 1] < value:
        place -= 1
    if place >= beam.width or is_kept(beam, node, place, n, value):
        return
    if beam.kept[node] < beam.width:
        beam.kept[node] += 1
    longest = beam.longest[node]
    for i in range(beam.kept[node] - 1, place, -1):
        first = beam.starts[node] + i * longest
        for at in range(beam.lengths[node, i - 1]):
            beam.texts[first + at] = beam.texts[first - longest + at]
        beam.lengths[node, i] = beam.lengths[node, i - 1]
        beam.values[node, i] = beam.values[node, i - 1]
    first = beam.starts[node] + place * longest
    for at in range(n):
        beam.texts[first + at] = beam.text[at]
    beam.lengths[node, place] = cython.cast(cython.int, n)
    beam.values[node, place] = value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def advance_ranks(beam: Beam, edge: cython.Py_ssize_t) -> cython.bint:
    """Advance to the next combination of ranks, the last one first; return False after the last combination.

    Ranks, counted from 1, have a product of at most `width`.
    """
    arity = beam.tail_starts[edge + 1] - beam.tail_starts[edge]
    for slot in range(arity - 1, -1, -1):
        beam.ranks[slot] += 1
        product: cython.Py_ssize_t = 1
        for i in range(arity):
            product *= beam.ranks[i] + 1
        if beam.ranks[slot] < beam.kept[beam.tails[beam.tail_starts[edge] + slot]] and product <= beam.width:
            return True
        beam.ranks[slot] = 0
    return False


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

    A text consists of items that are words; labels[item] is the label of an item in the references.
    """
    beam: Beam = Beam()
    beam.tail_starts = tail_starts
    beam.tails = tails
    beam.item_starts = item_starts
    beam.items = items
    beam.width = width
    beam.longest = longest
    beam.starts = starts
    beam.texts = texts
    beam.lengths = lengths
    beam.values = values
    beam.kept = kept
    beam.ranks = ranks
    beam.text = text
    with cython.nogil:
        for node in range(first_edges.shape[0] - 1):
            kept[node] = 0
            for edge in range(first_edges[node], first_edges[node + 1]):
                for slot in range(tail_starts[edge + 1] - tail_starts[edge]):
                    ranks[slot] = 0
                while True:
                    n = build_text(beam, edge)
                    for i in range(n):
                        known[i] = labels[text[i]]
                    insert_text(beam, node, n, compute_gain(known, n, follow, limits, gains, counts))
                    if not advance_ranks(beam, edge):
                        break
