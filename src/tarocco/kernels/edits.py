# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Edit distance and bag overlap of candidates and each reference of their segment.

Levenshtein distance is computed a column of 64 rows at a time (Myers 1999, in Hyyrö's form of 2003): the words of a
reference are bits, and for each word that occurs in it a mask says where. The masks of a segment's references are made
once and used for all its candidates; a word of a candidate that no reference has meets an empty mask.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

COMPILED = cython.compiled

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def distance(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    segment: cython.int,
    locals_: cython.const[cython.int][:, ::1],
    masks: cython.const[cython.ulonglong][:, ::1],
    first_block: cython.Py_ssize_t,
    columns: cython.ulonglong[:, ::1],
) -> cython.Py_ssize_t:
    """Levenshtein distance of words[start:end] to a reference of `length` words whose masks begin at first_block."""
    blocks: cython.Py_ssize_t = (length + 63) // 64
    last: cython.ulonglong = ONE << ((length - 1) & 63)
    found: cython.Py_ssize_t = length
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    local: cython.int
    mask: cython.ulonglong
    vp: cython.ulonglong
    vn: cython.ulonglong
    d0: cython.ulonglong
    hp: cython.ulonglong
    hn: cython.ulonglong
    carry_p: cython.ulonglong
    carry_n: cython.ulonglong
    next_p: cython.ulonglong
    next_n: cython.ulonglong
    if length == 0:
        return end - start
    for b in range(blocks):
        columns[0, b] = MASK64
        columns[1, b] = 0
    for i in range(start, end):
        local = locals_[words[i], 0] if locals_[words[i], 1] == segment else -1
        carry_p = 1
        carry_n = 0
        for b in range(blocks):
            vp = columns[0, b]
            vn = columns[1, b]
            mask = masks[local, first_block + b] if local >= 0 else 0
            mask = mask | carry_n
            d0 = ((((mask & vp) + vp) & MASK64) ^ vp) | mask | vn
            hp = vn | ((d0 | vp) ^ MASK64)
            hn = d0 & vp
            if b == blocks - 1:
                if hp & last:
                    found += 1
                elif hn & last:
                    found -= 1
            next_p = hp >> 63
            next_n = hn >> 63
            hp = ((hp << 1) | carry_p) & MASK64
            hn = ((hn << 1) | carry_n) & MASK64
            columns[0, b] = hn | ((d0 | hp) ^ MASK64)
            columns[1, b] = hp & d0
            carry_p = next_p
            carry_n = next_n
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def four_distances(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    segment: cython.int,
    locals_: cython.const[cython.int][:, ::1],
    masks: cython.const[cython.ulonglong][:, ::1],
    first: cython.Py_ssize_t,
    tops: cython.const[cython.ulonglong][::1],
    lengths: cython.const[cython.Py_ssize_t][::1],
    found: cython.Py_ssize_t[::1],
) -> cython.void:
    """The distances to four references of at most 64 words: four chains of operations that do not wait for each other.

    A reference of m words has the m upper bits, so that its last word is bit 63 for all of them. The bits below stay
    as they begin (vp = vn = 0, and hp = 1, which is the row above the first word), so nothing else changes.
    """
    i: cython.Py_ssize_t
    local: cython.int
    d0: cython.ulonglong
    hp: cython.ulonglong
    hn: cython.ulonglong
    p0: cython.ulonglong = tops[first + 0]
    n0: cython.ulonglong = 0
    m0: cython.ulonglong
    f0: cython.Py_ssize_t = lengths[first + 0]
    p1: cython.ulonglong = tops[first + 1]
    n1: cython.ulonglong = 0
    m1: cython.ulonglong
    f1: cython.Py_ssize_t = lengths[first + 1]
    p2: cython.ulonglong = tops[first + 2]
    n2: cython.ulonglong = 0
    m2: cython.ulonglong
    f2: cython.Py_ssize_t = lengths[first + 2]
    p3: cython.ulonglong = tops[first + 3]
    n3: cython.ulonglong = 0
    m3: cython.ulonglong
    f3: cython.Py_ssize_t = lengths[first + 3]
    for i in range(start, end):
        m0 = m1 = m2 = m3 = 0
        if locals_[words[i], 1] == segment:
            local = locals_[words[i], 0]
            m0 = masks[local, first]
            m1 = masks[local, first + 1]
            m2 = masks[local, first + 2]
            m3 = masks[local, first + 3]
        d0 = ((((m0 & p0) + p0) & MASK64) ^ p0) | m0 | n0
        hp = n0 | ((d0 | p0) ^ MASK64)
        hn = d0 & p0
        f0 += cython.cast(cython.Py_ssize_t, hp >> 63) - cython.cast(cython.Py_ssize_t, hn >> 63)
        hp = ((hp << 1) | 1) & MASK64
        p0 = ((hn << 1) & MASK64) | ((d0 | hp) ^ MASK64)
        n0 = hp & d0
        d0 = ((((m1 & p1) + p1) & MASK64) ^ p1) | m1 | n1
        hp = n1 | ((d0 | p1) ^ MASK64)
        hn = d0 & p1
        f1 += cython.cast(cython.Py_ssize_t, hp >> 63) - cython.cast(cython.Py_ssize_t, hn >> 63)
        hp = ((hp << 1) | 1) & MASK64
        p1 = ((hn << 1) & MASK64) | ((d0 | hp) ^ MASK64)
        n1 = hp & d0
        d0 = ((((m2 & p2) + p2) & MASK64) ^ p2) | m2 | n2
        hp = n2 | ((d0 | p2) ^ MASK64)
        hn = d0 & p2
        f2 += cython.cast(cython.Py_ssize_t, hp >> 63) - cython.cast(cython.Py_ssize_t, hn >> 63)
        hp = ((hp << 1) | 1) & MASK64
        p2 = ((hn << 1) & MASK64) | ((d0 | hp) ^ MASK64)
        n2 = hp & d0
        d0 = ((((m3 & p3) + p3) & MASK64) ^ p3) | m3 | n3
        hp = n3 | ((d0 | p3) ^ MASK64)
        hn = d0 & p3
        f3 += cython.cast(cython.Py_ssize_t, hp >> 63) - cython.cast(cython.Py_ssize_t, hn >> 63)
        hp = ((hp << 1) | 1) & MASK64
        p3 = ((hn << 1) & MASK64) | ((d0 | hp) ^ MASK64)
        n3 = hp & d0
    found[first] = f0
    found[first + 1] = f1
    found[first + 2] = f2
    found[first + 3] = f3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def plain_distance(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    reference_words: cython.const[cython.int][::1],
    reference_start: cython.Py_ssize_t,
    reference_end: cython.Py_ssize_t,
    row: cython.Py_ssize_t[::1],
) -> cython.Py_ssize_t:
    """The same by one row of the textbook's table: for texts so long that masks would need too much memory."""
    length: cython.Py_ssize_t = reference_end - reference_start
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    diagonal: cython.Py_ssize_t
    above: cython.Py_ssize_t
    best: cython.Py_ssize_t
    for j in range(length + 1):
        row[j] = j
    for i in range(start, end):
        diagonal = row[0]
        row[0] = i - start + 1
        for j in range(1, length + 1):
            above = row[j]
            best = diagonal if words[i] == reference_words[reference_start + j - 1] else diagonal + 1
            if above + 1 < best:
                best = above + 1
            if row[j - 1] + 1 < best:
                best = row[j - 1] + 1
            row[j] = best
            diagonal = above
    return row[length]


def compare(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    locals_: cython.int[:, ::1],
    masks: cython.ulonglong[:, ::1],
    columns: cython.ulonglong[:, ::1],
    row: cython.Py_ssize_t[::1],
    tops: cython.ulonglong[::1],
    lengths: cython.Py_ssize_t[::1],
    found: cython.Py_ssize_t[::1],
    distances: cython.Py_ssize_t[::1],
):
    """Fill distances, one entry for each candidate and each of its references, in the order of the groups.

    locals_ has a row [number within the segment, segment] a word. masks[number, block] has room for the largest segment
    that is to be compared with masks; a larger one is compared without.
    """
    segment: cython.int
    pair: cython.Py_ssize_t = 0
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    b: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    references: cython.Py_ssize_t
    blocks: cython.Py_ssize_t
    bit: cython.Py_ssize_t
    known: cython.int
    local: cython.int
    short: cython.bint
    fits: cython.bint
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            blocks = 0
            short = True
            for other in range(references):
                j = reference_rows[reference_groups[segment] + other]
                lengths[other] = reference_bounds[j + 1] - reference_bounds[j]
                blocks += (lengths[other] + 63) // 64
                short = short and lengths[other] <= 64
                tops[other] = (MASK64 << (64 - lengths[other])) & MASK64 if 0 < lengths[other] <= 64 else 0
            if short:  # a block each, empty ones too, in fours
                blocks = (references + 3) // 4 * 4
                for other in range(references, blocks):
                    lengths[other] = 0
                    tops[other] = 0
            fits = blocks <= masks.shape[1]
            known = 0
            b = 0
            for other in range(references if fits else 0):
                j = reference_rows[reference_groups[segment] + other]
                start = reference_bounds[j]
                end = reference_bounds[j + 1]
                for i in range(start, end):
                    if locals_[reference_words[i], 1] != segment:
                        locals_[reference_words[i], 0] = known
                        locals_[reference_words[i], 1] = segment
                        for j in range(blocks):
                            masks[known, j] = 0
                        known += 1
                    local = locals_[reference_words[i], 0]
                    if short:
                        bit = 64 - lengths[other] + i - start
                        masks[local, other] |= ONE << bit
                    else:
                        masks[local, b + ((i - start) >> 6)] |= ONE << ((i - start) & 63)
                b += (end - start + 63) // 64
            for member in range(groups[segment], groups[segment + 1]):
                start = bounds[rows[member]]
                end = bounds[rows[member] + 1]
                if fits and short:
                    for b in range(0, blocks, 4):
                        four_distances(words, start, end, segment, locals_, masks, b, tops, lengths, found)
                    for other in range(references):
                        distances[pair] = found[other]
                        pair += 1
                    continue
                b = 0
                for other in range(references):
                    j = reference_rows[reference_groups[segment] + other]
                    if fits:
                        distances[pair] = distance(
                            words, start, end, lengths[other], segment, locals_, masks, b, columns
                        )
                    else:
                        distances[pair] = plain_distance(
                            words, start, end, reference_words, reference_bounds[j], reference_bounds[j + 1], row
                        )
                    b += (lengths[other] + 63) // 64
                    pair += 1


def overlap(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    locals_: cython.int[:, ::1],
    counts: cython.int[:, ::1],
    used: cython.int[:, ::1],
    hits: cython.Py_ssize_t[::1],
):
    """Fill hits with the sizes of the intersections of bags of words, in the order of the groups.

    counts[number, reference] is how often a word of the segment occurs in each reference.
    """
    segment: cython.int
    text: cython.int = 0
    pair: cython.Py_ssize_t = 0
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    references: cython.Py_ssize_t
    known: cython.int
    local: cython.int
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            known = 0
            for other in range(references):
                j = reference_rows[reference_groups[segment] + other]
                for i in range(reference_bounds[j], reference_bounds[j + 1]):
                    if locals_[reference_words[i], 1] != segment:
                        locals_[reference_words[i], 0] = known
                        locals_[reference_words[i], 1] = segment
                        for member in range(references):
                            counts[known, member] = 0
                        used[known, 1] = 0
                        known += 1
                    counts[locals_[reference_words[i], 0], other] += 1
            for member in range(groups[segment], groups[segment + 1]):
                text += 1
                for i in range(bounds[rows[member]], bounds[rows[member] + 1]):
                    if locals_[words[i], 1] == segment:
                        local = locals_[words[i], 0]
                        if used[local, 1] != text:
                            used[local, 1] = text
                            used[local, 0] = 0
                        used[local, 0] += 1
                        for other in range(references):
                            if used[local, 0] <= counts[local, other]:
                                hits[pair + other] += 1
                pair += references
