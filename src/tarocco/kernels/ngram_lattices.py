# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Lattices whose states have an n-gram history: expected n-gram counts, and the best path by gains of n-grams.

A state is a node and a history, the last order - 1 words or fewer. N-grams are numbers: 0 is the empty n-gram, and
every other one has a prefix (without its last word), a suffix (without its first word) and a last word. An arc from a
state is a step. Steps are in the order of nodes, their states and their arcs, and each has the longest n-gram that ends
with it, -1 if the arc has no word. Nodes are in topological order, as in `tarocco.core.graphs.Lattice`. `chances` has
the probability of each arc at its source.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

if cython.compiled:
    from cython.cimports.libc.math import exp, log
else:
    from math import exp, log

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


def compute_arc_probabilities(
    first_arcs: cython.const[cython.longlong][::1],
    targets: cython.const[cython.int][::1],
    scores: cython.const[cython.double][::1],
    backward: cython.double[::1],
    out: cython.double[::1],
):
    """Fill out[arc] with the probability of an arc at its source; the weight of a path is exp(sum of its scores).

    backward[node] gets the logarithm of the total weight of all paths from the node to the last node.
    """
    arc: cython.Py_ssize_t
    with cython.nogil:
        backward[backward.shape[0] - 1] = 0.0
        for node in range(backward.shape[0] - 2, -1, -1):
            for arc in range(first_arcs[node], first_arcs[node + 1]):
                out[arc] = scores[arc] + backward[targets[arc]]
            most = out[first_arcs[node]]
            for arc in range(first_arcs[node], first_arcs[node + 1]):
                if out[arc] > most:
                    most = out[arc]
            total = 0.0
            for arc in range(first_arcs[node], first_arcs[node + 1]):
                out[arc] = exp(out[arc] - most)
                total += out[arc]
            for arc in range(first_arcs[node], first_arcs[node + 1]):
                out[arc] = out[arc] / total
            backward[node] = most + log(total)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_slot(
    first: cython.Py_ssize_t,
    second: cython.Py_ssize_t,
    keys: cython.const[cython.int][:, ::1],
    values: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """Return the slot that holds a pair, or the free slot (a negative value) where it belongs."""
    mask: cython.Py_ssize_t = values.shape[0] - 1
    key: cython.ulonglong = (cython.cast(cython.ulonglong, first) << 32) | cython.cast(cython.ulonglong, second)
    slot: cython.Py_ssize_t = (((key * GOLDEN) & MASK64) >> 32) & mask
    while values[slot] >= 0 and (keys[slot, 0] != first or keys[slot, 1] != second):
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def extend_ngram(
    gram: cython.int,
    word: cython.int,
    grams: cython.int[:, ::1],
    n_grams: cython.int,
    keys: cython.int[:, ::1],
    values: cython.int[::1],
) -> cython.int:
    """Return the n-gram made of an n-gram and a word, or -1 if there is no room; it is new if it equals n_grams.

    New n-grams are numbered from n_grams on, the longest first, followed by its suffixes.
    """
    slot: cython.Py_ssize_t = find_slot(gram, word, keys, values)
    new: cython.int = n_grams
    if values[slot] >= 0:
        return values[slot]
    while True:
        if new == grams.shape[0]:
            return -1
        keys[slot, 0] = gram
        keys[slot, 1] = word
        values[slot] = new
        grams[new, 0] = gram
        grams[new, 2] = word
        grams[new, 3] = grams[gram, 3] + 1
        if gram == 0:
            grams[new, 1] = 0
            return n_grams
        gram = grams[gram, 1]
        slot = find_slot(gram, word, keys, values)
        suffix = values[slot]
        if suffix >= 0:
            grams[new, 1] = suffix
            return n_grams
        grams[new, 1] = new + 1
        new += 1


def expand_lattice(
    first_arcs: cython.const[cython.longlong][::1],
    targets: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    chances: cython.const[cython.double][::1],
    order: cython.int,
    grams: cython.int[:, ::1],
    gram_keys: cython.int[:, ::1],
    gram_values: cython.int[::1],
    first_states: cython.int[::1],
    last_states: cython.int[::1],
    states: cython.int[:, ::1],
    first_steps: cython.longlong[::1],
    masses: cython.double[::1],
    state_keys: cython.int[:, ::1],
    state_values: cython.int[::1],
    steps: cython.int[:, ::1],
    sizes: cython.longlong[::1],
):
    """Find all states and steps, and the probability of each state; return -1 if there is no room for them.

    grams[g] = (prefix, suffix, last word, length), states[s] = (history, next state of the same node or -1), steps[t] =
    (target state, longest n-gram that ends there). Tables of keys are empty at first.
    """
    node: cython.Py_ssize_t
    arc: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    n_steps: cython.Py_ssize_t = 0
    n_states: cython.int = 1
    n_grams: cython.int = 1
    state: cython.int
    next_: cython.int
    gram: cython.int
    history: cython.int
    full: cython.bint = False
    with cython.nogil:
        for node in range(first_states.shape[0]):
            first_states[node] = -1
        grams[0, 0] = 0
        grams[0, 1] = 0
        grams[0, 2] = -1
        grams[0, 3] = 0
        first_states[0] = 0
        last_states[0] = 0
        states[0, 0] = 0
        states[0, 1] = -1
        masses[0] = 1.0
        for node in range(first_states.shape[0]):
            state = first_states[node]
            while state >= 0 and not full:
                first_steps[state] = n_steps
                for arc in range(first_arcs[node], first_arcs[node + 1]):
                    history = states[state, 0]
                    gram = -1
                    if labels[arc] >= 0:
                        gram = extend_ngram(history, labels[arc], grams, n_grams, gram_keys, gram_values)
                        if gram < 0:
                            full = True
                            break
                        if gram == n_grams:
                            # Its new suffixes follow it.
                            n_grams += 1
                            while grams[n_grams - 1, 1] == n_grams:
                                n_grams += 1
                        history = gram
                        if grams[gram, 3] == order:
                            history = grams[gram, 1]
                    slot = find_slot(targets[arc], history, state_keys, state_values)
                    next_ = state_values[slot]
                    if n_steps == steps.shape[0] or (next_ < 0 and n_states == states.shape[0]):
                        full = True
                        break
                    if next_ < 0:
                        next_ = n_states
                        n_states += 1
                        state_keys[slot, 0] = targets[arc]
                        state_keys[slot, 1] = history
                        state_values[slot] = next_
                        states[next_, 0] = history
                        states[next_, 1] = -1
                        masses[next_] = 0.0
                        if first_states[targets[arc]] < 0:
                            first_states[targets[arc]] = next_
                        else:
                            states[last_states[targets[arc]], 1] = next_
                        last_states[targets[arc]] = next_
                    masses[next_] += masses[state] * chances[arc]
                    steps[n_steps, 0] = next_
                    steps[n_steps, 1] = gram
                    n_steps += 1
                state = states[state, 1]
        sizes[0] = n_grams
        sizes[1] = n_states
        sizes[2] = n_steps
    return -1 if full else 0


def find_best_path(
    first_arcs: cython.const[cython.longlong][::1],
    scores: cython.const[cython.double][::1],
    first_states: cython.const[cython.int][::1],
    states: cython.const[cython.int][:, ::1],
    first_steps: cython.const[cython.longlong][::1],
    steps: cython.const[cython.int][:, ::1],
    gains: cython.const[cython.double][::1],
    tolerance: cython.double,
    values: cython.double[::1],
    weights: cython.double[::1],
    back: cython.int[:, ::1],
    path: cython.int[::1],
):
    """Write the arcs of the path with the highest sum of gains, from its end, to `path`; return their number.

    Of paths whose gains differ by at most `tolerance`, the one with the highest score is the best, then the first one.
    """
    node: cython.Py_ssize_t
    arc: cython.Py_ssize_t
    step: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    state: cython.int
    next_: cython.int
    best: cython.int
    value: cython.double
    weight: cython.double
    with cython.nogil:
        for state in range(back.shape[0]):
            back[state, 0] = -1
        values[0] = 0.0
        weights[0] = 0.0
        for node in range(first_states.shape[0] - 1):
            state = first_states[node]
            while state >= 0:
                step = first_steps[state]
                for arc in range(first_arcs[node], first_arcs[node + 1]):
                    next_ = steps[step, 0]
                    value = values[state]
                    if steps[step, 1] >= 0:
                        value += gains[steps[step, 1]]
                    weight = weights[state] + scores[arc]
                    if (
                        back[next_, 0] < 0
                        or value > values[next_] + tolerance
                        or (value >= values[next_] - tolerance and weight > weights[next_])
                    ):
                        values[next_] = value
                        weights[next_] = weight
                        back[next_, 0] = state
                        back[next_, 1] = cython.cast(cython.int, arc)
                    step += 1
                state = states[state, 1]
        best = first_states[first_states.shape[0] - 1]
        state = states[best, 1]
        while state >= 0:
            if values[state] > values[best] + tolerance or (
                values[state] >= values[best] - tolerance and weights[state] > weights[best]
            ):
                best = state
            state = states[state, 1]
        while back[best, 0] >= 0:
            path[written] = back[best, 1]
            best = back[best, 0]
            written += 1
    return written


def sum_path_gains(
    first_arcs: cython.const[cython.longlong][::1],
    sources: cython.const[cython.int][::1],
    first_steps: cython.const[cython.longlong][::1],
    steps: cython.const[cython.int][:, ::1],
    gains: cython.const[cython.double][::1],
    path: cython.const[cython.int][::1],
) -> float:
    """Return the sum of gains along a path, whose arcs are in order."""
    step: cython.Py_ssize_t
    state: cython.int = 0
    total: cython.double = 0.0
    with cython.nogil:
        for i in range(path.shape[0]):
            step = first_steps[state] + path[i] - first_arcs[sources[path[i]]]
            if steps[step, 1] >= 0:
                total += gains[steps[step, 1]]
            state = steps[step, 0]
    return total


def count_expected_ngrams(
    first_arcs: cython.const[cython.longlong][::1],
    targets: cython.const[cython.int][::1],
    chances: cython.const[cython.double][::1],
    order: cython.Py_ssize_t,
    grams: cython.const[cython.int][:, ::1],
    first_states: cython.const[cython.int][::1],
    states: cython.const[cython.int][:, ::1],
    first_steps: cython.const[cython.longlong][::1],
    masses: cython.const[cython.double][::1],
    steps: cython.const[cython.int][:, ::1],
    counts: cython.double[::1],
    ends: cython.int[:, ::1],
):
    """Add to counts[g] the expected count of each n-gram on a path, and find where it ends.

    ends[g] = (lowest target, highest source) of the arcs that end the n-gram. Initially, counts is 0 and ends (nodes,
    -1).
    """
    node: cython.Py_ssize_t
    arc: cython.Py_ssize_t
    step: cython.Py_ssize_t
    length: cython.Py_ssize_t
    state: cython.int
    gram: cython.Py_ssize_t
    suffix: cython.Py_ssize_t
    with cython.nogil:
        for node in range(first_states.shape[0]):
            state = first_states[node]
            while state >= 0:
                step = first_steps[state]
                for arc in range(first_arcs[node], first_arcs[node + 1]):
                    gram = steps[step, 1]
                    step += 1
                    if gram >= 0:
                        counts[gram] += masses[state] * chances[arc]
                        if targets[arc] < ends[gram, 0]:
                            ends[gram, 0] = targets[arc]
                        if node > ends[gram, 1]:
                            ends[gram, 1] = cython.cast(cython.int, node)
                state = states[state, 1]
        for length in range(order, 1, -1):
            for gram in range(grams.shape[0]):
                if grams[gram, 3] == length:
                    suffix = grams[gram, 1]
                    counts[suffix] += counts[gram]
                    if ends[gram, 0] < ends[suffix, 0]:
                        ends[suffix, 0] = ends[gram, 0]
                    if ends[gram, 1] > ends[suffix, 1]:
                        ends[suffix, 1] = ends[gram, 1]


def locate_ngrams(
    first_arcs: cython.const[cython.longlong][::1],
    chances: cython.const[cython.double][::1],
    grams: cython.const[cython.int][:, ::1],
    first_states: cython.const[cython.int][::1],
    states: cython.const[cython.int][:, ::1],
    first_steps: cython.const[cython.longlong][::1],
    masses: cython.const[cython.double][::1],
    steps: cython.const[cython.int][:, ::1],
    selected: cython.const[cython.int][::1],
    cursors: cython.longlong[::1],
    arcs: cython.int[::1],
    at: cython.double[::1],
    writes: cython.bint,
):
    """Count the arcs that end each selected n-gram, or write them and the probability that it ends there, by source.

    selected[g] is the number of the n-gram among the selected ones, or -1; cursors[number] is incremented for each arc.
    """
    node: cython.Py_ssize_t
    arc: cython.Py_ssize_t
    step: cython.Py_ssize_t
    state: cython.int
    gram: cython.int
    with cython.nogil:
        for node in range(first_states.shape[0]):
            state = first_states[node]
            while state >= 0:
                step = first_steps[state]
                for arc in range(first_arcs[node], first_arcs[node + 1]):
                    gram = steps[step, 1]
                    step += 1
                    while gram > 0:
                        if selected[gram] >= 0:
                            if writes:
                                arcs[cursors[selected[gram]]] = cython.cast(cython.int, arc)
                                at[cursors[selected[gram]]] = masses[state] * chances[arc]
                            cursors[selected[gram]] += 1
                        gram = grams[gram, 1]
                state = states[state, 1]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def advance(
    k: cython.Py_ssize_t,
    word: cython.int,
    pattern: cython.const[cython.int][::1],
    borders: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """Return how many words of the pattern are the last words read, k before this word; -1 is no word."""
    if word >= 0:
        while k > 0 and pattern[k] != word:
            k = borders[k]
        if pattern[k] == word:
            k += 1
    return k


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_borders(n: cython.Py_ssize_t, pattern: cython.const[cython.int][::1], borders: cython.int[::1]) -> cython.void:
    """Fill borders[i] with the length of the longest proper prefix of pattern[:i] that is also its suffix."""
    k: cython.Py_ssize_t = 0
    borders[0] = 0
    borders[1] = 0
    for i in range(1, n):
        k = advance(k, pattern[i], pattern, borders)
        borders[i + 1] = cython.cast(cython.int, k)


def count_expected_repeats(
    first_arcs: cython.const[cython.longlong][::1],
    sources: cython.const[cython.int][::1],
    targets: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    chances: cython.const[cython.double][::1],
    grams: cython.const[cython.int][:, ::1],
    repeating: cython.const[cython.int][::1],
    starts: cython.const[cython.longlong][::1],
    arcs: cython.const[cython.int][::1],
    at: cython.const[cython.double][::1],
    pattern: cython.int[::1],
    borders: cython.int[::1],
    seen: cython.double[:, ::1],
    touched: cython.uchar[::1],
    repeats: cython.double[::1],
):
    """Compute the expected number of repeated occurrences of some n-grams on the same path.

    seen[node, j] is the probability of the paths that have the n-gram already and whose last j words are its first j
    words (Knuth, Morris and Pratt 1977). `seen` and `touched` are 0 before and after the call.
    """
    which: cython.Py_ssize_t
    node: cython.Py_ssize_t
    last: cython.Py_ssize_t
    arc: cython.Py_ssize_t
    place: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    gram: cython.int
    mass: cython.double
    with cython.nogil:
        for which in range(repeating.shape[0]):
            gram = repeating[which]
            n = grams[gram, 3]
            for i in range(n - 1, -1, -1):
                pattern[i] = grams[gram, 2]
                gram = grams[gram, 0]
            fill_borders(n, pattern, borders)
            place = starts[which]
            last = sources[arcs[starts[which + 1] - 1]]
            repeats[which] = 0.0
            for node in range(sources[arcs[place]], last + 1):
                if touched[node]:
                    for arc in range(first_arcs[node], first_arcs[node + 1]):
                        for j in range(n):
                            mass = seen[node, j]
                            if mass == 0.0:
                                continue
                            mass = mass * chances[arc]
                            k = advance(j, labels[arc], pattern, borders)
                            if k == n:
                                repeats[which] += mass  # the loop below restarts all paths that end the n-gram here
                            elif targets[arc] <= last:
                                seen[targets[arc], k] += mass
                                touched[targets[arc]] = 1
                    for j in range(n):
                        seen[node, j] = 0.0
                    touched[node] = 0
                while place < starts[which + 1] and sources[arcs[place]] == node:
                    if targets[arcs[place]] <= last:
                        seen[targets[arcs[place]], borders[n]] += at[place]
                        touched[targets[arcs[place]]] = 1
                    place += 1
