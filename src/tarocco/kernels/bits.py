# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Edit distance and longest common subsequence of candidates and each reference of their segment, 64 rows at a time.

The words of a reference are bits, and for each word that occurs in it a mask says where. A column of the textbook's
table is then a few bit vectors, and the next column follows by a handful of operations: for edit distance Myers (1999)
in Hyyrö's form of 2003, for the longest common subsequence Hyyrö (2004). The distance is read off the last column:
the candidate's length plus the rows that go up minus those that go down.

The masks of a segment's references are made once and used for all its candidates; a word that no reference has meets
an empty mask, row 0. References of at most 64 words are compared four at a time and two candidates at a time, so that
eight chains of operations do not wait for each other. This file is also compiled for processors with AVX2
(`kernels.widest` chooses); without a compiler there are no lanes, and references are compared one by one.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

if not cython.compiled:
    from tarocco.kernels.standin import count_ones

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)


def has_avx2():
    """Whether this processor can run what was compiled for AVX2."""
    return cython.compiled and bool(processor_has_avx2())


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def distance(
    mapped: cython.const[cython.int][:, ::1],
    length: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, ::1],
    first_block: cython.Py_ssize_t,
    columns: cython.ulonglong[:, ::1],
) -> cython.Py_ssize_t:
    """Levenshtein distance of the words mapped[0, :length] to the reference whose masks begin at first_block."""
    blocks: cython.Py_ssize_t = (reference_length + 63) // 64
    found: cython.Py_ssize_t = length
    low: cython.ulonglong = MASK64
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    m: cython.ulonglong
    p: cython.ulonglong
    n: cython.ulonglong
    d: cython.ulonglong
    hp: cython.ulonglong
    hn: cython.ulonglong
    carry_p: cython.ulonglong
    carry_n: cython.ulonglong
    for b in range(blocks):
        columns[0, b] = MASK64
        columns[1, b] = 0
    for i in range(length):
        carry_p = 1
        carry_n = 0
        for b in range(blocks):
            p = columns[0, b]
            n = columns[1, b]
            m = masks[mapped[0, i], first_block + b] | carry_n
            d = ((((m & p) + p) & MASK64) ^ p) | m | n
            hp = n | ((d | p) ^ MASK64)
            hn = d & p
            m = hp >> 63
            hp = ((hp << 1) | carry_p) & MASK64
            carry_p = m
            m = hn >> 63
            hn = ((hn << 1) | carry_n) & MASK64
            carry_n = m
            columns[0, b] = hn | ((d | hp) ^ MASK64)
            columns[1, b] = hp & d
    for b in range(blocks):
        if b == blocks - 1:
            low = MASK64 >> (63 - ((reference_length - 1) & 63))
        found += count_ones(columns[0, b] & low)
        found -= count_ones(columns[1, b] & low)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def subsequence(
    mapped: cython.const[cython.int][:, ::1],
    length: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    masks: cython.const[cython.ulonglong][:, ::1],
    first_block: cython.Py_ssize_t,
    columns: cython.ulonglong[:, ::1],
) -> cython.Py_ssize_t:
    """The length of the longest common subsequence of mapped[0, :length] and that reference: bits that became 0."""
    blocks: cython.Py_ssize_t = (reference_length + 63) // 64
    found: cython.Py_ssize_t = 0
    low: cython.ulonglong = MASK64
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    s: cython.ulonglong
    u: cython.ulonglong
    total: cython.ulonglong
    carry: cython.ulonglong
    for b in range(blocks):
        columns[0, b] = MASK64
    for i in range(length):
        carry = 0
        for b in range(blocks):
            s = columns[0, b]
            u = s & masks[mapped[0, i], first_block + b]
            total = (s + u + carry) & MASK64
            carry = ((s & u) | ((s | u) & (total ^ MASK64))) >> 63
            columns[0, b] = total | (s ^ u)
    for b in range(blocks):
        if b == blocks - 1:
            low = MASK64 >> (63 - ((reference_length - 1) & 63))
        found += count_ones((columns[0, b] ^ MASK64) & low)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lane_distances(
    mapped: cython.const[cython.int][:, ::1],
    shorter: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    other_length: cython.Py_ssize_t,
    masks: cython.ulonglong[:, ::1],
    first: cython.Py_ssize_t,
    found: cython.ulonglong[:, ::1],
) -> cython.void:
    """The last columns of four references and of two candidates, of which mapped[shorter] is the shorter one."""
    longer: cython.Py_ssize_t = 1 - shorter
    i: cython.Py_ssize_t
    m: lanes = cython.cast(cython.pointer(lanes), cython.address(masks[0, first]))[0]
    d: lanes
    hp: lanes
    hn: lanes
    n: lanes = m ^ m
    p: lanes = ~n
    n2: lanes = n
    p2: lanes = p
    for i in range(length):
        m = cython.cast(cython.pointer(lanes), cython.address(masks[mapped[shorter, i], first]))[0]
        d = (((m & p) + p) ^ p) | m | n
        hp = n | ~(d | p)
        hn = d & p
        hp = (hp << 1) | 1
        p = (hn << 1) | ~(d | hp)
        n = hp & d
        m = cython.cast(cython.pointer(lanes), cython.address(masks[mapped[longer, i], first]))[0]
        d = (((m & p2) + p2) ^ p2) | m | n2
        hp = n2 | ~(d | p2)
        hn = d & p2
        hp = (hp << 1) | 1
        p2 = (hn << 1) | ~(d | hp)
        n2 = hp & d
    for i in range(length, other_length):
        m = cython.cast(cython.pointer(lanes), cython.address(masks[mapped[longer, i], first]))[0]
        d = (((m & p2) + p2) ^ p2) | m | n2
        hp = n2 | ~(d | p2)
        hn = d & p2
        hp = (hp << 1) | 1
        p2 = (hn << 1) | ~(d | hp)
        n2 = hp & d
    cython.cast(cython.pointer(lanes), cython.address(found[shorter, 0]))[0] = p
    cython.cast(cython.pointer(lanes), cython.address(found[shorter, 4]))[0] = n
    cython.cast(cython.pointer(lanes), cython.address(found[longer, 0]))[0] = p2
    cython.cast(cython.pointer(lanes), cython.address(found[longer, 4]))[0] = n2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lane_subsequences(
    mapped: cython.const[cython.int][:, ::1],
    shorter: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    other_length: cython.Py_ssize_t,
    masks: cython.ulonglong[:, ::1],
    first: cython.Py_ssize_t,
    found: cython.ulonglong[:, ::1],
) -> cython.void:
    """The same for the longest common subsequence."""
    longer: cython.Py_ssize_t = 1 - shorter
    i: cython.Py_ssize_t
    m: lanes = cython.cast(cython.pointer(lanes), cython.address(masks[0, first]))[0]
    s: lanes = ~(m ^ m)
    s2: lanes = s
    for i in range(length):
        m = s & cython.cast(cython.pointer(lanes), cython.address(masks[mapped[shorter, i], first]))[0]
        s = (s + m) | (s - m)
        m = s2 & cython.cast(cython.pointer(lanes), cython.address(masks[mapped[longer, i], first]))[0]
        s2 = (s2 + m) | (s2 - m)
    for i in range(length, other_length):
        m = s2 & cython.cast(cython.pointer(lanes), cython.address(masks[mapped[longer, i], first]))[0]
        s2 = (s2 + m) | (s2 - m)
    cython.cast(cython.pointer(lanes), cython.address(found[shorter, 0]))[0] = ~s
    cython.cast(cython.pointer(lanes), cython.address(found[longer, 0]))[0] = ~s2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def map_words(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    locals_: cython.const[cython.int][::1],
    which: cython.Py_ssize_t,
    mapped: cython.int[:, ::1],
) -> cython.void:
    """The rows of masks that belong to words[start:end], 0 for words that no reference has."""
    i: cython.Py_ssize_t
    for i in range(start, end):
        mapped[which, i - start] = locals_[words[i]]


def compare(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    subsequences: cython.bint,
    locals_: cython.int[::1],
    mapped: cython.int[:, ::1],
    masks: cython.ulonglong[:, ::1],
    columns: cython.ulonglong[:, ::1],
    lengths: cython.Py_ssize_t[::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill out with distances or lengths of subsequences, one for each candidate and each of its references, in order.

    locals_ has the row of masks of each word, 0 for all at first; masks[row, block] has room for the largest segment,
    in fours of blocks. A segment that it has no room for is left out: its entries of `out` become -1.
    """
    segment: cython.int
    pair: cython.Py_ssize_t = 0
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    b: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    second: cython.Py_ssize_t
    shorter: cython.Py_ssize_t
    references: cython.Py_ssize_t
    blocks: cython.Py_ssize_t
    known: cython.int
    low: cython.ulonglong
    least: cython.Py_ssize_t
    most: cython.Py_ssize_t
    both: cython.bint
    lanes_fit: cython.bint
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            blocks = 0
            lanes_fit = cython.compiled
            for other in range(references):
                j = reference_rows[reference_groups[segment] + other]
                lengths[other] = reference_bounds[j + 1] - reference_bounds[j]
                blocks += (lengths[other] + 63) // 64
                lanes_fit = lanes_fit and lengths[other] <= 64
            if lanes_fit:  # a block each, empty ones too, in fours
                blocks = (references + 3) // 4 * 4
            if blocks > masks.shape[1]:
                j = pair + (groups[segment + 1] - groups[segment]) * references
                while pair < j:
                    out[pair] = -1
                    pair += 1
                continue
            known = 0
            b = 0
            for other in range(references):
                start = reference_bounds[reference_rows[reference_groups[segment] + other]]
                for i in range(lengths[other]):
                    j = reference_words[start + i]
                    if locals_[j] == 0:
                        known += 1
                        locals_[j] = known
                        for k in range(blocks):
                            masks[known, k] = 0
                    masks[locals_[j], b + (i >> 6)] |= ONE << (i & 63)
                b += 1 if lanes_fit else (lengths[other] + 63) // 64
            member = groups[segment]
            while member < groups[segment + 1]:
                start = bounds[rows[member]]
                length = bounds[rows[member] + 1] - start
                map_words(words, start, start + length, locals_, 0, mapped)
                if not lanes_fit:
                    b = 0
                    for other in range(references):
                        if subsequences:
                            out[pair] = subsequence(mapped, length, lengths[other], masks, b, columns)
                        else:
                            out[pair] = distance(mapped, length, lengths[other], masks, b, columns)
                        b += (lengths[other] + 63) // 64
                        pair += 1
                    member += 1
                    continue
                if cython.compiled:
                    # Two candidates at a time; the last of an odd number goes with an empty one.
                    both = member + 1 < groups[segment + 1]
                    second = 0
                    if both:
                        start = bounds[rows[member + 1]]
                        second = bounds[rows[member + 1] + 1] - start
                        map_words(words, start, start + second, locals_, 1, mapped)
                    shorter = 0 if length <= second else 1
                    least = length if length <= second else second
                    most = second if length <= second else length
                    for b in range(0, references, 4):
                        if subsequences:
                            lane_subsequences(mapped, shorter, least, most, masks, b, columns)
                        else:
                            lane_distances(mapped, shorter, least, most, masks, b, columns)
                        for other in range(b, references if references < b + 4 else b + 4):
                            low = MASK64 >> (64 - lengths[other]) if lengths[other] > 0 else 0
                            k = other - b
                            i = count_ones(columns[0, k] & low)
                            j = count_ones(columns[1, k] & low)
                            if not subsequences:
                                i += length - count_ones(columns[0, k + 4] & low)
                                j += second - count_ones(columns[1, k + 4] & low)
                            out[pair + other] = i
                            if both:
                                out[pair + references + other] = j
                    pair += 2 * references if both else references
                    member += 2
            for other in range(references):
                start = reference_bounds[reference_rows[reference_groups[segment] + other]]
                for i in range(lengths[other]):
                    locals_[reference_words[start + i]] = 0
