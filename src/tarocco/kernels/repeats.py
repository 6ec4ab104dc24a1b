# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How often n-grams are expected on a path of a lattice, and how often after they have been there before.

Lattices are those of `histories`, whose states know the last words; chances are those of arcs at their sources.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled


def occurrences(
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
    """How often each n-gram occurs on a path, expected; ends[g] is where the first one ends and the last one can.

    That is (the lowest target, the highest source) of an arc that ends the n-gram. Both arrays are 0 and (nodes, -1).
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


def places(
    first_arcs: cython.const[cython.longlong][::1],
    chances: cython.const[cython.double][::1],
    grams: cython.const[cython.int][:, ::1],
    first_states: cython.const[cython.int][::1],
    states: cython.const[cython.int][:, ::1],
    first_steps: cython.const[cython.longlong][::1],
    masses: cython.const[cython.double][::1],
    steps: cython.const[cython.int][:, ::1],
    wanted: cython.const[cython.int][::1],
    cursors: cython.longlong[::1],
    arcs: cython.int[::1],
    at: cython.double[::1],
    writes: cython.bint,
):
    """Count where each wanted n-gram ends, or write the arcs and how probable it is that it ends there, along sources.

    wanted[g] is its place among those that are wanted, or -1; cursors[place] goes up by one for each.
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
                        if wanted[gram] >= 0:
                            if writes:
                                arcs[cursors[wanted[gram]]] = cython.cast(cython.int, arc)
                                at[cursors[wanted[gram]]] = masses[state] * chances[arc]
                            cursors[wanted[gram]] += 1
                        gram = grams[gram, 1]
                state = states[state, 1]


def again(
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
    """How often each of these n-grams is expected to occur after it has occurred before on the same path.

    What is carried on from node to node is the mass of the paths that have it already, by how many of its words, one to
    all but one, are the last words read (Knuth, Morris and Pratt 1977). `seen` and `touched` are 0 before and after.
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
            borders[0] = 0
            borders[1] = 0
            k = 0
            for i in range(1, n):
                while k > 0 and pattern[k] != pattern[i]:
                    k = borders[k]
                if pattern[k] == pattern[i]:
                    k += 1
                borders[i + 1] = cython.cast(cython.int, k)
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
                            k = j
                            if labels[arc] >= 0:
                                while k > 0 and pattern[k] != labels[arc]:
                                    k = borders[k]
                                if pattern[k] == labels[arc]:
                                    k += 1
                            if k == n:
                                repeats[which] += mass  # and goes on from the places below, as all that end here do
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
