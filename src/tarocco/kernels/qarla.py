# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""QARLA's samples as bits: which of them texts pass under a metric, and how many under all metrics of a set.

KING of many sets of metrics, tallied on packed bits.

Sets form a tree, in preorder: a node is its parent and one metric more, so that a set costs one AND a word. A metric
more can only take bits away. The words of all texts of a segment stand in one row, so that an AND of two rows is a
loop without branches. Tallies are whole numbers, so that parts can be added in any order.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

if not cython.compiled:
    from tarocco.kernels.cython_fallback import count_ones

    def not_below(one, several, n):
        return sum((not one < several[i]) << i for i in range(n))

    def unknown(several, n):
        return sum((several[i] != several[i]) << i for i in range(n))


MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(
    bits: cython.const[cython.ulonglong][:, ::1],
    row: cython.Py_ssize_t,
    words: cython.ulonglong[:, :, ::1],
    segment: cython.Py_ssize_t,
    text: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Set the bits of a row in a text's words, from bit `first` on."""
    shift: cython.int = first & 63
    at: cython.Py_ssize_t = first >> 6
    word: cython.ulonglong
    i: cython.Py_ssize_t
    for i in range(bits.shape[1]):
        word = bits[row, i]
        words[segment, text, at + i] |= (word << shift) & MASK64
        if shift and word >> (64 - shift):
            words[segment, text, at + i + 1] |= word >> (64 - shift)


def decide_samples(
    near: cython.const[cython.double][:, :, ::1],
    between: cython.const[cython.double][:, ::1],
    order: cython.const[cython.Py_ssize_t][:, ::1],
    systems: cython.Py_ssize_t,
    upto: cython.ulonglong[:, ::1],
    passed: cython.ulonglong[:, :, ::1],
    silent: cython.ulonglong[:, :, ::1],
):
    """Set bit r * pairs + p of passed[s, t] where near[s, t, r] >= between[s, p], or one of the two is NaN.

    silent has the bits of the latter alone. `order` sorts each row of `between`, NaN last; a single row serves all
    segments. So what a number passes is a row of `upto`, ulonglong[pairs + 2, words]: the pairs up to its rank. Text
    systems + r is reference r, which has no similarity to itself and is never judged by itself: that alone is no
    silence. Returns whether there is any.
    """
    pairs: cython.Py_ssize_t = between.shape[1]
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    r: cython.Py_ssize_t
    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    known: cython.Py_ssize_t = 0
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    own: cython.double
    told: cython.bint = False
    with cython.nogil:
        for s in range(near.shape[0]):
            row = s if between.shape[0] > 1 else 0
            if s == row:
                # Row k of `upto` has the k lowest pairs, and all that are NaN; the last row but one has every pair, the
                # last those that are NaN.
                known = pairs
                for i in range(upto.shape[1]):
                    upto[pairs + 1, i] = 0
                while known and between[row, order[row, known - 1]] != between[row, order[row, known - 1]]:
                    known -= 1
                    p = order[row, known]
                    upto[pairs + 1, p >> 6] |= ONE << (p & 63)
                for i in range(upto.shape[1]):
                    upto[0, i] = upto[pairs + 1, i]
                for low in range(pairs):
                    p = order[row, low]
                    for i in range(upto.shape[1]):
                        upto[low + 1, i] = upto[low, i]
                    upto[low + 1, p >> 6] |= ONE << (p & 63)
            for t in range(near.shape[1]):
                for r in range(near.shape[2]):
                    own = near[s, t, r]
                    if own != own:
                        _place(upto, pairs, passed, s, t, r * pairs)
                        if t != systems + r:
                            told = True
                            _place(upto, pairs, silent, s, t, r * pairs)
                        continue
                    low = 0
                    high = known
                    while low < high:
                        middle = (low + high) >> 1
                        if between[row, order[row, middle]] <= own:
                            low = middle + 1
                        else:
                            high = middle
                    _place(upto, low, passed, s, t, r * pairs)
                    if known < pairs:
                        told = True
                        _place(upto, pairs + 1, silent, s, t, r * pairs)
    return told


def count_passed(
    passed: cython.const[cython.ulonglong][:, :, :, ::1],
    silent: cython.const[cython.ulonglong][:, :, :, ::1],
    members: cython.const[cython.Py_ssize_t][::1],
    masks: cython.const[cython.ulonglong][:, :, ::1],
    texts: cython.const[cython.Py_ssize_t][::1],
    sets: cython.const[cython.Py_ssize_t][::1],
    both: cython.ulonglong[:, ::1],
    hits: cython.int[:, ::1],
    counts: cython.int[:, ::1],
):
    """How many samples of masks[sets[j], s] text texts[j] passes under all members, and how many there are.

    A sample in which all members are silent is not counted; `silent` has no metrics where none ever is. `both` is
    room for two texts' words.
    """
    s: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    w: cython.Py_ssize_t
    words: cython.Py_ssize_t = passed.shape[3]
    found: cython.int
    there: cython.int
    word: cython.ulonglong
    quiet: cython.bint = silent.shape[0] > 0
    with cython.nogil:
        for s in range(passed.shape[1]):
            for j in range(texts.shape[0]):
                if j == 0 or texts[j] != texts[j - 1]:
                    for w in range(words):
                        both[0, w] = passed[members[0], s, texts[j], w]
                        both[1, w] = silent[members[0], s, texts[j], w] if quiet else 0
                    for m in range(1, members.shape[0]):
                        for w in range(words):
                            both[0, w] &= passed[members[m], s, texts[j], w]
                        if quiet:
                            for w in range(words):
                                both[1, w] &= silent[members[m], s, texts[j], w]
                found = 0
                there = 0
                for w in range(words):
                    word = masks[sets[j], s, w] & (both[1, w] ^ MASK64)
                    there += count_ones(word)
                    found += count_ones(word & both[0, w])
                hits[s, j] = found
                counts[s, j] = there


def count_passed_directly(
    near: cython.const[cython.double][:, :, :, :],
    between: cython.const[cython.double][:, :, :],
    members: cython.const[cython.Py_ssize_t][::1],
    systems: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, :, :],
    sizes: cython.const[cython.longlong][:, :],
    held_out: cython.const[cython.Py_ssize_t][::1],
    hits: cython.longlong[:, :, ::1],
    counts: cython.longlong[:, :, ::1],
):
    """How many samples each text passes under all members, and how many there are, for several choices of references.

    For choice h the pairs are those of masks[h, s], sizes[h, s] of them, and the reference r is any but held_out[h].
    The last choice has all pairs of the others. hits and counts are longlong[segments, texts, choices], zero before.
    Texts are systems and then references, as many as `hits` has room for; a reference is counted for the choice in
    which it is held out. A row of `between`, whose numbers are next to each other, may serve all segments. As in
    `decide`, a metric without a score puts no test; but bits are not kept, and metrics are not asked about samples that
    another one has failed.
    """
    pairs: cython.Py_ssize_t = between.shape[2]
    choices: cython.Py_ssize_t = masks.shape[0]
    s: cython.Py_ssize_t
    t: cython.Py_ssize_t
    r: cython.Py_ssize_t
    h: cython.Py_ssize_t
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    w: cython.Py_ssize_t
    row: cython.Py_ssize_t
    first: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    n: cython.int
    own: cython.double
    passed: cython.ulonglong
    silent: cython.ulonglong
    gaps: cython.bint
    heard: cython.bint
    with cython.nogil:
        for s in range(near.shape[1]):
            row = s if between.shape[1] > 1 else 0
            gaps = False
            for i in range(members.shape[0]):
                for first in range(pairs):
                    gaps = gaps or between[members[i], row, first] != between[members[i], row, first]
            for t in range(hits.shape[1]):
                start = t - systems if t >= systems else 0
                stop = start + 1 if t >= systems else choices
                for r in range(near.shape[3]):
                    if t == systems + r:
                        continue
                    heard = False
                    for i in range(members.shape[0]):
                        heard = heard or near[members[i], s, t, r] == near[members[i], s, t, r]
                    if not heard:
                        continue
                    if not gaps:
                        for h in range(start, stop):
                            if r != held_out[h]:
                                counts[s, t, h] += sizes[h, s]
                    for w in range(masks.shape[2]):
                        first = 64 * w
                        n = 64 if pairs - first > 64 else pairs - first
                        passed = masks[choices - 1, s, w]
                        silent = passed if gaps else 0
                        for i in range(members.shape[0]):
                            if not (passed or silent):
                                break
                            m = members[i]
                            own = near[m, s, t, r]
                            if own != own:
                                continue
                            if cython.compiled:
                                if silent:
                                    silent &= unknown(cython.address(between[m, row, first]), n)
                                if passed:
                                    passed &= not_below(own, cython.address(between[m, row, first]), n)
                            else:
                                silent &= unknown([between[m, row, first + k] for k in range(n)], n)
                                passed &= not_below(own, [between[m, row, first + k] for k in range(n)], n)
                        passed &= silent ^ MASK64
                        for h in range(start, stop):
                            if r != held_out[h]:
                                if passed:
                                    hits[s, t, h] += count_ones(passed & masks[h, s, w])
                                if gaps:
                                    counts[s, t, h] += count_ones((silent ^ MASK64) & masks[h, s, w])


NONE = cython.declare(cython.ulonglong, 0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count_hits(
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
    own: cython.longlong = count_hits(stack, d, systems + h, masks, s, h, words)
    most: cython.longlong = 0
    other: cython.longlong
    if count_hits(stack, d, better[h], masks, s, h, words) > own:
        return 0
    for a in range(systems):  # no branches: which system is best is anybody's guess
        other = (count_hits(stack, d, a, masks, s, h, words) << 32) | a
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


def tally_king(
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
                    quiet[0, c] = MASK64
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
