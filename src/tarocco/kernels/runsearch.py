# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The best matching made of runs, by search.

Every matching to which no pair of equal words can be added has as many pairs as the bags of words have in common, so
what matters is only what runs of two words or more gain beyond that: length^e - length each. The search goes through
the candidate from left to right and decides where a run begins, at which place of the reference, and how long it is.
It turns back where even all that the rest of the candidate could gain, if each run had the reference for itself, would
not beat the best matching so far. That can take time exponential in the number of words, so steps are counted, and too
many end the search.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

ROUNDING = cython.declare(
    cython.double, 1e-12
)  # what is better by less than this share is the same, added up otherwise


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    texts: cython.const[cython.int][::1],
    text: cython.Py_ssize_t,
    text_length: cython.Py_ssize_t,
    gains: cython.const[cython.double][::1],
    reach: cython.Py_ssize_t[::1],
    hope: cython.double[::1],
) -> cython.void:
    """hope[i]: no more than this can be gained from position i on."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    run: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    for j in range(text_length + 1):
        reach[j] = 0
    hope[length] = 0
    for i in range(length - 1, -1, -1):
        longest = 0
        for j in range(text_length):  # from left to right: reach[j + 1] is still that of the next word
            reach[j] = reach[j + 1] + 1 if words[start + i] == texts[text + j] else 0
            if reach[j] > longest:
                longest = reach[j]
        hope[i] = hope[i + 1]
        for run in range(2, longest + 1):
            if gains[run] + hope[i + run] > hope[i]:
                hope[i] = gains[run] + hope[i + run]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    texts: cython.const[cython.int][::1],
    text: cython.Py_ssize_t,
    text_length: cython.Py_ssize_t,
    gains: cython.const[cython.double][::1],
    hope: cython.const[cython.double][::1],
    found: cython.double,
    steps: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t[:, ::1],
    gained: cython.double[::1],
    taken: cython.uchar[::1],
) -> cython.double:
    """The largest gain, at least `found`; -1 if that takes more than so many steps.

    chosen[depth] is the run that is tried: its start in the candidate, in the reference, its length (0: none yet).
    """
    depth: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    run: cython.Py_ssize_t
    enough: cython.double = found + found * ROUNDING
    chosen[0, 0] = -1
    chosen[0, 1] = 0
    chosen[0, 2] = 0
    gained[0] = 0
    while depth >= 0:
        i = chosen[depth, 0]
        j = chosen[depth, 1]
        run = chosen[depth, 2]
        for k in range(run):  # this one has been tried
            taken[j + k] = 0
        run -= 1
        while run < 2 or gained[depth] + gains[run] + hope[i + run] <= enough:
            steps -= 1
            if run > 2:  # a shorter one at the same place
                run -= 1
                continue
            run = 0
            if j == 0:  # the next word of the candidate, from the end of the reference
                i += 1
                if i >= length or gained[depth] + hope[i] <= enough:
                    break
                j = text_length
            j -= 1
            while (
                i + run < length
                and j + run < text_length
                and words[start + i + run] == texts[text + j + run]
                and not taken[j + run]
            ):
                run += 1
            steps -= run
            if steps < 0:
                for k in range(text_length):
                    taken[k] = 0
                return -1.0
        if run == 0:
            depth -= 1
            continue
        chosen[depth, 0] = i
        chosen[depth, 1] = j
        chosen[depth, 2] = run
        for k in range(run):
            taken[j + k] = 1
        if gained[depth] + gains[run] > enough:
            found = gained[depth] + gains[run]
            enough = found + found * ROUNDING
        gained[depth + 1] = gained[depth] + gains[run]
        depth += 1
        chosen[depth, 0] = i + run - 1
        chosen[depth, 1] = 0
        chosen[depth, 2] = 0
    return found


def search(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    texts: cython.const[cython.int][::1],
    text_bounds: cython.const[cython.Py_ssize_t][::1],
    text_rows: cython.const[cython.Py_ssize_t][::1],
    text_groups: cython.const[cython.Py_ssize_t][::1],
    gains: cython.const[cython.double][::1],
    steps: cython.Py_ssize_t,
    reach: cython.Py_ssize_t[::1],
    hope: cython.double[::1],
    chosen: cython.Py_ssize_t[:, ::1],
    gained: cython.double[::1],
    taken: cython.uchar[::1],
    found: cython.double[::1],
):
    """Raise found, the gains of the greedy matchings, to those of the best ones; -1 where that takes too many steps.

    One entry for each candidate and each of its references, in the order of the groups. gains[length] is what a run
    gains. All work arrays have room for the longest text and one more; taken is filled with 0.
    """
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    text: cython.Py_ssize_t
    text_length: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                start = bounds[rows[member]]
                length = bounds[rows[member] + 1] - start
                for other in range(text_groups[segment], text_groups[segment + 1]):
                    text = text_bounds[text_rows[other]]
                    text_length = text_bounds[text_rows[other] + 1] - text
                    most(words, start, length, texts, text, text_length, gains, reach, hope)
                    if hope[0] > found[pair] + found[pair] * ROUNDING:
                        found[pair] = best(
                            words, start, length, texts, text, text_length,
                            gains, hope, found[pair], steps, chosen, gained, taken,
                        )  # fmt: skip
                    pair += 1
