# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""KING of many sets of metrics, tallied on packed bits.

Sets form a tree, in preorder: a node is its parent and one metric more, so that a set costs one AND a word. A metric
more can only take bits away. The words of all texts of a segment stand in one row, so that an AND of two rows is a
loop without branches. Tallies are whole numbers, so that parts can be added in any order.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

if not cython.compiled:  # compiled, it comes from tallies.pxd
    from tarocco.kernels.standin import count_ones

NONE = cython.declare(cython.ulonglong, 0)
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hits(
    stack: cython.ulonglong[:, ::1],
    d: cython.Py_ssize_t,
    t: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, ::1],
    s: cython.Py_ssize_t,
    h: cython.Py_ssize_t,
    words: cython.Py_ssize_t,
) -> cython.longlong:
    """How many samples without reference h text t passes."""
    w: cython.Py_ssize_t
    found: cython.longlong = 0
    if words == 1:  # up to four references
        return count_ones(stack[d, t] & masks[s, h])
    for w in range(words):
        found += count_ones(stack[d, t * words + w] & masks[s, h * words + w])
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def outcome(
    stack: cython.ulonglong[:, ::1],
    d: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, ::1],
    s: cython.Py_ssize_t,
    h: cython.Py_ssize_t,
    words: cython.Py_ssize_t,
    systems: cython.Py_ssize_t,
    better: cython.int[::1],
) -> cython.int:
    """0: a system passes more samples than reference h; 1: none more, but some as many; 2: all pass fewer.

    better[h] is the system that was better last. It is looked at first, as it mostly still is.
    """
    a: cython.Py_ssize_t
    own: cython.longlong = hits(stack, d, systems + h, masks, s, h, words)
    most: cython.longlong = 0
    other: cython.longlong
    if hits(stack, d, better[h], masks, s, h, words) > own:
        return 0
    for a in range(systems):  # no branches: which system is best is anybody's guess
        other = (hits(stack, d, a, masks, s, h, words) << 32) | a
        most = other if other > most else most
    if most >> 32 > own:
        better[h] = most & 0xFFFFFFF
        return 0
    return 2 if own > most >> 32 else 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def heard(
    stack: cython.ulonglong[:, ::1],
    quiet: cython.ulonglong[:, ::1],
    d: cython.Py_ssize_t,
    t: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, ::1],
    s: cython.Py_ssize_t,
    h: cython.Py_ssize_t,
    words: cython.Py_ssize_t,
    passing: cython.bint,
) -> cython.longlong:
    """`hits` in those samples alone in which some metric has a score; or how many of these there are."""
    w: cython.Py_ssize_t
    asked: cython.ulonglong
    found: cython.longlong = 0
    for w in range(words):
        asked = masks[s, h * words + w] & ~quiet[d, t * words + w]
        if passing:
            asked = asked & stack[d, t * words + w]
        found += count_ones(asked)
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def outcome_of_shares(
    stack: cython.ulonglong[:, ::1],
    quiet: cython.ulonglong[:, ::1],
    d: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, ::1],
    s: cython.Py_ssize_t,
    h: cython.Py_ssize_t,
    words: cython.Py_ssize_t,
    systems: cython.Py_ssize_t,
) -> cython.int:
    """`outcome` where texts may have different numbers of samples, as fractions; -1: there is nothing to compare."""
    a: cython.Py_ssize_t
    own: cython.longlong = heard(stack, quiet, d, systems + h, masks, s, h, words, True)
    samples: cython.longlong = heard(stack, quiet, d, systems + h, masks, s, h, words, False)
    of_system: cython.longlong
    left: cython.longlong
    right: cython.longlong
    found: cython.int = -1
    if samples == 0:
        return -1
    for a in range(systems):
        of_system = heard(stack, quiet, d, a, masks, s, h, words, False)
        if of_system > 0:
            left = own * of_system
            right = heard(stack, quiet, d, a, masks, s, h, words, True) * samples
            if right > left:
                return 0
            if right == left:
                found = 1
            elif found < 0:
                found = 2
    return found


def tally(
    passed: cython.const[cython.ulonglong][:, :, ::1],
    silent: cython.const[cython.ulonglong][:, :, ::1],
    masks: cython.const[cython.ulonglong][:, ::1],
    present: cython.const[cython.uchar][:, ::1],
    hush: cython.const[cython.uchar][::1],
    segments: cython.const[cython.int][::1],
    whole: cython.longlong,
    strict_alone: cython.bint,
    beginning: cython.const[cython.int][::1],
    added: cython.const[cython.int][::1],
    depth: cython.const[cython.int][::1],
    after: cython.const[cython.int][::1],
    stack: cython.ulonglong[:, ::1],
    quiet: cython.ulonglong[:, ::1],
    better: cython.int[::1],
    tallies: cython.longlong[:, ::1],
):
    """Add to tallies[:, k] what the segments say of set k: KING, strict KING, and how many segments have a case.

    passed[s, m] are the samples that the texts of segment s pass under metric m, systems first, text after text;
    silent those in which m has no score, which are looked at where hush[s] says that there are any. masks[s] are the
    samples without reference 0, 1, ..., and then all samples. A segment adds the share of its references that win,
    times `whole`, which is a multiple of all numbers of references. With `strict_alone` KING is not wanted, and what it
    gets is of no use.

    Node 0 is the set `beginning`; node k is added[k] and the nearest node before it that is one less deep; the nodes
    below it end before after[k]. `stack`, `quiet` and `better` are room for each level's words and for each reference.
    """
    cells: cython.Py_ssize_t = passed.shape[2]
    references: cython.Py_ssize_t = present.shape[1]
    words: cython.Py_ssize_t = masks.shape[1] // (references + 1)
    systems: cython.Py_ssize_t = cells // words - references
    nodes: cython.Py_ssize_t = added.shape[0]
    hushed: cython.bint
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    c: cython.Py_ssize_t
    h: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    d: cython.Py_ssize_t
    m: cython.Py_ssize_t
    some: cython.ulonglong
    won: cython.longlong
    strict: cython.longlong
    counted: cython.longlong
    found: cython.int
    with cython.nogil:
        for i in range(segments.shape[0]):
            s = segments[i]
            hushed = hush[s]
            for h in range(references):
                better[h] = 0
            for c in range(cells):
                h = c // words - systems  # a reference is only asked where it is held out itself
                if h < 0:
                    h = references
                stack[0, c] = masks[s, h * words + c % words]
                for j in range(beginning.shape[0]):
                    stack[0, c] = stack[0, c] & passed[s, beginning[j], c]
                if hushed:
                    quiet[0, c] = FULL
                    for j in range(beginning.shape[0]):
                        quiet[0, c] = quiet[0, c] & silent[s, beginning[j], c]
            k = 0
            while k < nodes:
                d = depth[k]
                m = added[k]
                if d > 0:
                    for c in range(cells):
                        stack[d, c] = stack[d - 1, c] & passed[s, m, c]
                    if hushed:
                        for c in range(cells):
                            quiet[d, c] = quiet[d - 1, c] & silent[s, m, c]
                if not hushed and after[k] > k + 1:
                    some = NONE
                    for c in range(systems * words if strict_alone else 0, cells):
                        some = some | stack[d, c]
                    if some == NONE:
                        # Nobody passes anything, nor under more metrics: every reference is level with all systems.
                        # And where only references pass nothing, none of them can be better than a system.
                        for j in range(k, after[k]):
                            tallies[0, j] = tallies[0, j] + whole
                            tallies[2, j] = tallies[2, j] + 1
                        k = after[k]
                        continue
                won = strict = counted = 0
                for h in range(references):
                    if present[s, h] == 0:
                        continue
                    if hushed:
                        found = outcome_of_shares(stack, quiet, d, masks, s, h, words, systems)
                    else:
                        found = outcome(stack, d, masks, s, h, words, systems, better)
                    if found >= 0:
                        counted += 1
                        if found > 0:
                            won += 1
                        if found > 1:
                            strict += 1
                if counted > 0:
                    tallies[0, k] = tallies[0, k] + won * (whole // counted)
                    tallies[1, k] = tallies[1, k] + strict * (whole // counted)
                    tallies[2, k] = tallies[2, k] + 1
                k += 1
