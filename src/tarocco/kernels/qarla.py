# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""QARLA's samples as bits, and KING of many sets of metrics.

A sample of a text is a reference and a pair of references; a text passes it under a metric if it is at least as similar
to the reference as the two references of the pair are to each other. A set of metrics passes a sample if all its
metrics do. A metric without a score is undefined in a sample and does not fail it, but a sample in which all metrics
are undefined does not count.

`tally_king` visits many sets of metrics as a tree in preorder: a node is its parent and one more metric, so a set costs
one AND per word. One more metric can only clear bits. The words of all texts of a segment form one row, so the AND of
two rows is a loop without branches. Tallies are integers, so partial sums can be added in any order.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

if not cython.compiled:
    from tarocco.kernels.cython_fallback import count_ones

    def not_below(value, several, n):
        return sum((not value < several[i]) << i for i in range(n))

    def unknown(several, n):
        return sum((several[i] != several[i]) << i for i in range(n))


MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_bits(
    bits: cython.const[cython.ulonglong][:, ::1],
    row: cython.Py_ssize_t,
    words: cython.ulonglong[:, :, ::1],
    segment: cython.Py_ssize_t,
    text: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Set the bits of a row in the words of a text, from bit `first` on."""
    shift: cython.int = first & 63
    at = first >> 6
    for i in range(bits.shape[1]):
        word = bits[row, i]
        words[segment, text, at + i] |= (word << shift) & MASK64
        if shift and word >> (64 - shift):
            words[segment, text, at + i + 1] |= word >> (64 - shift)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_prefixes(
    between: cython.const[cython.double][:, ::1],
    order: cython.const[cython.Py_ssize_t][:, ::1],
    row: cython.Py_ssize_t,
    prefixes: cython.ulonglong[:, ::1],
) -> cython.Py_ssize_t:
    """Fill the sets of the k least similar pairs of references; return the number of pairs that are not NaN.

    Row k has the k lowest pairs and all that are NaN; the last row but one has every pair, the last row those that are
    NaN.
    """
    pairs = between.shape[1]
    known = pairs
    for i in range(prefixes.shape[1]):
        prefixes[pairs + 1, i] = 0
    while known and between[row, order[row, known - 1]] != between[row, order[row, known - 1]]:
        known -= 1
        p = order[row, known]
        prefixes[pairs + 1, p >> 6] |= ONE << (p & 63)
    for i in range(prefixes.shape[1]):
        prefixes[0, i] = prefixes[pairs + 1, i]
    for k in range(pairs):
        p = order[row, k]
        for i in range(prefixes.shape[1]):
            prefixes[k + 1, i] = prefixes[k, i]
        prefixes[k + 1, p >> 6] |= ONE << (p & 63)
    return known


def decide_samples(
    near: cython.const[cython.double][:, :, ::1],
    between: cython.const[cython.double][:, ::1],
    order: cython.const[cython.Py_ssize_t][:, ::1],
    systems: cython.Py_ssize_t,
    prefixes: cython.ulonglong[:, ::1],
    passed: cython.ulonglong[:, :, ::1],
    silent: cython.ulonglong[:, :, ::1],
):
    """Set bit r * pairs + p of passed[s, t] if near[s, t, r] >= between[s, p], or if one of them is NaN.

    `silent` gets only the bits of the NaNs. `order` sorts each row of `between`, NaNs last; a single row serves all
    segments. The samples that a similarity passes are a row of `prefixes`, ulonglong[pairs + 2, words]: the pairs up to
    its rank. Text systems + r is reference r, which is not compared with itself; this alone does not make it undefined.
    Returns whether any sample is undefined.
    """
    pairs = between.shape[1]
    known: cython.Py_ssize_t = 0
    undefined: cython.bint = False
    with cython.nogil:
        for s in range(near.shape[0]):
            row = s if between.shape[0] > 1 else 0
            if s == row:
                known = fill_prefixes(between, order, row, prefixes)
            for t in range(near.shape[1]):
                for r in range(near.shape[2]):
                    similarity = near[s, t, r]
                    if similarity != similarity:
                        set_bits(prefixes, pairs, passed, s, t, r * pairs)
                        if t != systems + r:
                            undefined = True
                            set_bits(prefixes, pairs, silent, s, t, r * pairs)
                        continue
                    low: cython.Py_ssize_t = 0
                    high = known
                    while low < high:
                        middle = (low + high) >> 1
                        if between[row, order[row, middle]] <= similarity:
                            low = middle + 1
                        else:
                            high = middle
                    set_bits(prefixes, low, passed, s, t, r * pairs)
                    if known < pairs:
                        undefined = True
                        set_bits(prefixes, pairs + 1, silent, s, t, r * pairs)
    return undefined


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
    """Count the samples of masks[sets[j], s] that text texts[j] passes under all members, and all defined samples.

    `silent` has no metrics if all samples are defined. `both` is room for the words of two texts.
    """
    words = passed.shape[3]
    has_silent: cython.bint = silent.shape[0] > 0
    with cython.nogil:
        for s in range(passed.shape[1]):
            for j in range(texts.shape[0]):
                if j == 0 or texts[j] != texts[j - 1]:
                    for w in range(words):
                        both[0, w] = passed[members[0], s, texts[j], w]
                        both[1, w] = silent[members[0], s, texts[j], w] if has_silent else 0
                    for m in range(1, members.shape[0]):
                        for w in range(words):
                            both[0, w] &= passed[members[m], s, texts[j], w]
                        if has_silent:
                            for w in range(words):
                                both[1, w] &= silent[members[m], s, texts[j], w]
                n_passed: cython.int = 0
                n_defined: cython.int = 0
                for w in range(words):
                    word = masks[sets[j], s, w] & (both[1, w] ^ MASK64)
                    n_defined += count_ones(word)
                    n_passed += count_ones(word & both[0, w])
                hits[s, j] = n_passed
                counts[s, j] = n_defined


@cython.cclass
class Similarities:
    """Similarities of texts to references, and of the references of a pair, for `count_passed_directly`."""

    near: cython.const[cython.double][:, :, :, :]
    between: cython.const[cython.double][:, :, :]
    members: cython.const[cython.Py_ssize_t][::1]
    systems: cython.Py_ssize_t
    masks: cython.const[cython.ulonglong][:, :, :]
    sizes: cython.const[cython.longlong][:, :]
    held_out: cython.const[cython.Py_ssize_t][::1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_gaps(q: Similarities, row: cython.Py_ssize_t) -> cython.bint:
    """Return whether a similarity between references is NaN under some member."""
    for i in range(q.members.shape[0]):
        for p in range(q.between.shape[2]):
            if q.between[q.members[i], row, p] != q.between[q.members[i], row, p]:
                return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_similarity(q: Similarities, s: cython.Py_ssize_t, t: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.bint:
    """Return whether some member has a similarity of text t to reference r."""
    for i in range(q.members.shape[0]):
        if q.near[q.members[i], s, t, r] == q.near[q.members[i], s, t, r]:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_with_reference(
    q: Similarities,
    s: cython.Py_ssize_t,
    t: cython.Py_ssize_t,
    r: cython.Py_ssize_t,
    gaps: cython.bint,
    hits: cython.longlong[:, :, ::1],
    counts: cython.longlong[:, :, ::1],
) -> cython.void:
    """Count the samples of text t with reference r; without `gaps`, all of them are defined and counted already."""
    pairs = q.between.shape[2]
    choices = q.masks.shape[0]
    row = s if q.between.shape[1] > 1 else 0
    start = t - q.systems if t >= q.systems else 0
    stop = start + 1 if t >= q.systems else choices
    passed: cython.ulonglong
    silent: cython.ulonglong
    for w in range(q.masks.shape[2]):
        first = 64 * w
        n: cython.int = 64 if pairs - first > 64 else pairs - first
        passed = q.masks[choices - 1, s, w]
        silent = passed if gaps else 0
        for i in range(q.members.shape[0]):
            if not (passed or silent):
                break
            m = q.members[i]
            similarity = q.near[m, s, t, r]
            if similarity != similarity:
                continue
            if cython.compiled:
                if silent:
                    silent &= unknown(cython.address(q.between[m, row, first]), n)
                if passed:
                    passed &= not_below(similarity, cython.address(q.between[m, row, first]), n)
            else:
                silent &= unknown([q.between[m, row, first + k] for k in range(n)], n)
                passed &= not_below(similarity, [q.between[m, row, first + k] for k in range(n)], n)
        passed &= silent ^ MASK64
        for h in range(start, stop):
            if r != q.held_out[h]:
                if passed:
                    hits[s, t, h] += count_ones(passed & q.masks[h, s, w])
                if gaps:
                    counts[s, t, h] += count_ones((silent ^ MASK64) & q.masks[h, s, w])


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
    """Count the samples that each text passes under all members, and all defined ones, for several sets of references.

    Choice h has the pairs of masks[h, s], sizes[h, s] in number, and all references but held_out[h]; the last choice
    has the pairs of all others. hits and counts are longlong[segments, texts, choices], 0 at first. Texts are systems
    and then references, as many as `hits` has room for; a reference counts only for the choice that holds it out. The
    last dimension of `between` is contiguous; a single row serves all segments. Unlike `decide_samples`, this stores no
    bits, and a sample that one metric fails is not compared under the others.
    """
    q: Similarities = Similarities()
    q.near = near
    q.between = between
    q.members = members
    q.systems = systems
    q.masks = masks
    q.sizes = sizes
    q.held_out = held_out
    with cython.nogil:
        for s in range(near.shape[1]):
            gaps = has_gaps(q, s if between.shape[1] > 1 else 0)
            for t in range(hits.shape[1]):
                start = t - systems if t >= systems else 0
                stop = start + 1 if t >= systems else masks.shape[0]
                for r in range(near.shape[3]):
                    if t == systems + r or not has_similarity(q, s, t, r):
                        continue
                    if not gaps:
                        for h in range(start, stop):
                            if r != held_out[h]:
                                counts[s, t, h] += sizes[h, s]
                    count_with_reference(q, s, t, r, gaps, hits, counts)


@cython.cclass
class SampleStack:
    """The samples of a segment that the sets on the path to a node of the tree pass, one row per level."""

    passed: cython.const[cython.ulonglong][:, :, ::1]
    silent: cython.const[cython.ulonglong][:, :, ::1]
    masks: cython.const[cython.ulonglong][:, ::1]
    present: cython.const[cython.uchar][:, ::1]
    stack: cython.ulonglong[:, ::1]  # samples that pass
    quiet: cython.ulonglong[:, ::1]  # samples that are undefined
    better: cython.int[::1]  # of each reference: the system that was last better
    s: cython.Py_ssize_t  # the segment
    hushed: cython.bint  # whether it has undefined samples
    words: cython.Py_ssize_t  # per text
    cells: cython.Py_ssize_t  # words of all texts
    systems: cython.Py_ssize_t
    references: cython.Py_ssize_t


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count_hits(q: SampleStack, d: cython.Py_ssize_t, t: cython.Py_ssize_t, h: cython.Py_ssize_t) -> cython.longlong:
    """Return how many samples without reference h text t passes."""
    hits: cython.longlong = 0
    if q.words == 1:  # up to four references
        return count_ones(q.stack[d, t] & q.masks[q.s, h])
    for w in range(q.words):
        hits += count_ones(q.stack[d, t * q.words + w] & q.masks[q.s, h * q.words + w])
    return hits


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def compare_counts(q: SampleStack, d: cython.Py_ssize_t, h: cython.Py_ssize_t) -> cython.int:
    """Return 0 if a system passes more samples than reference h, 2 if all pass fewer, 1 otherwise.

    The system that was last better is compared first, because it usually still is.
    """
    of_reference = count_hits(q, d, q.systems + h, h)
    most: cython.longlong = 0
    if count_hits(q, d, q.better[h], h) > of_reference:
        return 0
    for a in range(q.systems):  # without branches, which would be unpredictable
        other: cython.longlong = (count_hits(q, d, a, h) << 32) | a
        most = other if other > most else most
    if most >> 32 > of_reference:
        q.better[h] = most & 0xFFFFFFF
        return 0
    return 2 if of_reference > most >> 32 else 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count_defined(
    q: SampleStack, d: cython.Py_ssize_t, t: cython.Py_ssize_t, h: cython.Py_ssize_t, passing: cython.bint
) -> cython.longlong:
    """Count the defined samples without reference h, or only those that text t passes."""
    defined: cython.longlong = 0
    for w in range(q.words):
        word: cython.ulonglong = q.masks[q.s, h * q.words + w] & ~q.quiet[d, t * q.words + w]
        if passing:
            word = word & q.stack[d, t * q.words + w]
        defined += count_ones(word)
    return defined


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def compare_shares(q: SampleStack, d: cython.Py_ssize_t, h: cython.Py_ssize_t) -> cython.int:
    """Do the same as `compare_counts` with shares of the defined samples; return -1 if there is nothing to compare."""
    of_reference = count_defined(q, d, q.systems + h, h, True)
    samples = count_defined(q, d, q.systems + h, h, False)
    outcome: cython.int = -1
    if samples == 0:
        return -1
    for a in range(q.systems):
        of_system = count_defined(q, d, a, h, False)
        if of_system > 0:
            left = of_reference * of_system
            right = count_defined(q, d, a, h, True) * samples
            if right > left:
                return 0
            if right == left:
                outcome = 1
            elif outcome < 0:
                outcome = 2
    return outcome


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_segment(q: SampleStack, first_set: cython.const[cython.int][::1]) -> cython.void:
    """Fill level 0 with the samples that the first set passes."""
    for h in range(q.references):
        q.better[h] = 0
    for c in range(q.cells):
        h = c // q.words - q.systems  # a reference is only compared where it is held out
        if h < 0:
            h = q.references
        q.stack[0, c] = q.masks[q.s, h * q.words + c % q.words]
        for j in range(first_set.shape[0]):
            q.stack[0, c] = q.stack[0, c] & q.passed[q.s, first_set[j], c]
        if q.hushed:
            q.quiet[0, c] = MASK64
            for j in range(first_set.shape[0]):
                q.quiet[0, c] = q.quiet[0, c] & q.silent[q.s, first_set[j], c]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_metric(q: SampleStack, d: cython.Py_ssize_t, m: cython.Py_ssize_t) -> cython.void:
    """Fill level d with the samples that the set of level d - 1 and metric m pass."""
    for c in range(q.cells):
        q.stack[d, c] = q.stack[d - 1, c] & q.passed[q.s, m, c]
    if q.hushed:
        for c in range(q.cells):
            q.quiet[d, c] = q.quiet[d - 1, c] & q.silent[q.s, m, c]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_empty(q: SampleStack, d: cython.Py_ssize_t, first: cython.Py_ssize_t) -> cython.bint:
    """Return whether no text passes any sample, from word `first` on."""
    some: cython.ulonglong = 0
    for c in range(first, q.cells):
        some = some | q.stack[d, c]
    return some == 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def tally_node(
    q: SampleStack, d: cython.Py_ssize_t, k: cython.Py_ssize_t, whole: cython.longlong, tallies: cython.longlong[:, ::1]
) -> cython.void:
    """Add the result of a segment to the tallies of node k, whose samples are in level d."""
    won: cython.longlong = 0
    strict: cython.longlong = 0
    counted: cython.longlong = 0
    for h in range(q.references):
        if q.present[q.s, h]:
            outcome = compare_shares(q, d, h) if q.hushed else compare_counts(q, d, h)
            if outcome >= 0:
                counted += 1
                won += outcome > 0
                strict += outcome > 1
    if counted > 0:
        tallies[0, k] = tallies[0, k] + won * (whole // counted)
        tallies[1, k] = tallies[1, k] + strict * (whole // counted)
        tallies[2, k] = tallies[2, k] + 1


def tally_king(
    passed: cython.const[cython.ulonglong][:, :, ::1],
    silent: cython.const[cython.ulonglong][:, :, ::1],
    masks: cython.const[cython.ulonglong][:, ::1],
    present: cython.const[cython.uchar][:, ::1],
    hushed: cython.const[cython.uchar][::1],
    segments: cython.const[cython.int][::1],
    whole: cython.longlong,
    strict_alone: cython.bint,
    first_set: cython.const[cython.int][::1],
    added: cython.const[cython.int][::1],
    depth: cython.const[cython.int][::1],
    after: cython.const[cython.int][::1],
    stack: cython.ulonglong[:, ::1],
    quiet: cython.ulonglong[:, ::1],
    better: cython.int[::1],
    tallies: cython.longlong[:, ::1],
):
    """Add to tallies[:, k] for each segment: KING and strict KING of set k, and 1 if the segment has a case.

    passed[s, m] has the samples that the texts of segment s pass under metric m, systems first; silent[s, m] has those
    where m is undefined, and hushed[s] says whether there are any. masks[s] has the samples without reference 0, 1,
    ..., and then all samples. A segment adds the share of its references that win, times `whole`, a multiple of all
    numbers of references. With `strict_alone`, the values of KING are meaningless.

    Node 0 is the set `first_set`. Node k is metric added[k] and the nearest previous node with a depth of one less; its
    descendants end before after[k].
    """
    q: SampleStack = SampleStack()
    q.passed = passed
    q.silent = silent
    q.masks = masks
    q.present = present
    q.stack = stack
    q.quiet = quiet
    q.better = better
    q.cells = passed.shape[2]
    q.references = present.shape[1]
    q.words = masks.shape[1] // (q.references + 1)
    q.systems = q.cells // q.words - q.references
    with cython.nogil:
        for i in range(segments.shape[0]):
            q.s = segments[i]
            q.hushed = hushed[q.s]
            begin_segment(q, first_set)
            k: cython.Py_ssize_t = 0
            while k < added.shape[0]:
                d = depth[k]
                if d > 0:
                    add_metric(q, d, added[k])
                if not q.hushed and after[k] > k + 1 and is_empty(q, d, q.systems * q.words if strict_alone else 0):
                    # No text passes any sample, also with more metrics: every reference is level with all systems. If
                    # only the references pass no sample, none of them is better than a system.
                    for j in range(k, after[k]):
                        tallies[0, j] = tallies[0, j] + whole
                        tallies[2, j] = tallies[2, j] + 1
                    k = after[k]
                else:
                    tally_node(q, d, k, whole, tallies)
                    k += 1
