# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""QARLA's samples as bits: which of them texts pass under a metric, and how many under all metrics of a set."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

if not cython.compiled:
    from tarocco.kernels.standin import count_ones

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


def decide(
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


def tally(
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


def passes(
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
