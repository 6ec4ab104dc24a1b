# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Edit distance and longest common subsequence of candidates and each reference of their segment, 64 rows at a time.

The words of a reference are bits, and for each word that occurs in it a mask says where. A column of the textbook's
table is then a few bit vectors, and the next column follows by a handful of operations: for edit distance Myers (1999)
in Hyyrö's form of 2003, for the longest common subsequence Hyyrö (2004). The distance is read off the last column:
the candidate's length plus the rows that go up minus those that go down.

The masks of a segment's references are made once and used for all its candidates; a word that no reference has meets
an empty mask, row 0. References of at most 64 words are compared four at a time, and two or four candidates at a time;
bits.pxd has the operations on several lanes. This file is also compiled for processors with AVX2
(`kernels.widest` chooses); without a compiler there are no lanes, and references are compared one by one.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

if not cython.compiled:
    from tarocco.kernels.cython_fallback import count_ones

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
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def wide_columns(
    mapped: cython.const[cython.int][:, ::1],
    sizes: cython.const[cython.Py_ssize_t][::1],
    masks: cython.ulonglong[:, ::1],
    first: cython.Py_ssize_t,
    subsequences: cython.bint,
    found: cython.ulonglong[:, ::1],
) -> cython.void:
    """The last columns of four references of up to 64 words and of candidates 0 and 1, a chain each."""
    longer: cython.Py_ssize_t = 1 if sizes[0] <= sizes[1] else 0
    shorter: cython.Py_ssize_t = 1 - longer
    i: cython.Py_ssize_t
    down: lanes = load_lanes(cython.address(masks[0, first]))  # nothing
    up: lanes = ~down
    other_down: lanes = down
    other_up: lanes = up
    for i in range(sizes[shorter]):
        if subsequences:
            subsequence_step(load_lanes(cython.address(masks[mapped[shorter, i], first])), up)
            subsequence_step(load_lanes(cython.address(masks[mapped[longer, i], first])), other_up)
        else:
            distance_step(load_lanes(cython.address(masks[mapped[shorter, i], first])), up, down)
            distance_step(load_lanes(cython.address(masks[mapped[longer, i], first])), other_up, other_down)
    for i in range(sizes[shorter], sizes[longer]):
        if subsequences:
            subsequence_step(load_lanes(cython.address(masks[mapped[longer, i], first])), other_up)
        else:
            distance_step(load_lanes(cython.address(masks[mapped[longer, i], first])), other_up, other_down)
    store_lanes(cython.address(found[shorter, 0]), up)
    store_lanes(cython.address(found[shorter, 4]), down)
    store_lanes(cython.address(found[longer, 0]), other_up)
    store_lanes(cython.address(found[longer, 4]), other_down)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def narrow_columns(
    mapped: cython.const[cython.int][:, ::1],
    sizes: cython.const[cython.Py_ssize_t][::1],
    which: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    up: narrow_lanes,
    down: narrow_lanes,
    masks: cython.ulonglong[:, ::1],
    first: cython.Py_ssize_t,
    subsequences: cython.bint,
    found: cython.ulonglong[:, ::1],
) -> cython.void:
    """The last columns of four references of up to 32 words and of candidates `which` and `which` + 1, from `start` on.

    All eight pairs are lanes of one chain. What the lanes of the shorter candidate become after its end does not
    matter: they were stored before.
    """
    longer: cython.Py_ssize_t = which + 1 if sizes[which] <= sizes[which + 1] else which
    shorter: cython.Py_ssize_t = 2 * which + 1 - longer
    i: cython.Py_ssize_t
    row: cython.pointer(cython.ulonglong)
    for i in range(start, sizes[shorter]):
        row = cython.address(masks[mapped[which, i], first])
        if subsequences:
            subsequence_step(load_narrow(row, cython.address(masks[mapped[which + 1, i], first])), up)
        else:
            distance_step(load_narrow(row, cython.address(masks[mapped[which + 1, i], first])), up, down)
    store_lanes(cython.address(found[shorter, 0]), up)
    store_lanes(cython.address(found[shorter, 4]), down)
    for i in range(sizes[shorter], sizes[longer]):
        row = cython.address(masks[mapped[longer, i], first])
        if subsequences:
            subsequence_step(load_narrow(row, row), up)
        else:
            distance_step(load_narrow(row, row), up, down)
    store_lanes(cython.address(found[longer, 0]), up)
    store_lanes(cython.address(found[longer, 4]), down)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def four_narrow_columns(
    mapped: cython.const[cython.int][:, ::1],
    sizes: cython.const[cython.Py_ssize_t][::1],
    masks: cython.ulonglong[:, ::1],
    first: cython.Py_ssize_t,
    subsequences: cython.bint,
    found: cython.ulonglong[:, ::1],
) -> cython.void:
    """The same for four candidates: two chains that do not wait for each other while all four have words."""
    i: cython.Py_ssize_t
    common: cython.Py_ssize_t = sizes[0]
    row: cython.pointer(cython.ulonglong) = cython.address(masks[0, first])
    other: cython.pointer(cython.ulonglong)
    down: narrow_lanes = load_narrow(row, row)  # nothing
    up: narrow_lanes = ~down
    other_down: narrow_lanes = down
    other_up: narrow_lanes = up
    for i in range(1, 4):
        if sizes[i] < common:
            common = sizes[i]
    for i in range(common):
        row = cython.address(masks[mapped[0, i], first])
        other = cython.address(masks[mapped[2, i], first])
        if subsequences:
            subsequence_step(load_narrow(row, cython.address(masks[mapped[1, i], first])), up)
            subsequence_step(load_narrow(other, cython.address(masks[mapped[3, i], first])), other_up)
        else:
            distance_step(load_narrow(row, cython.address(masks[mapped[1, i], first])), up, down)
            distance_step(load_narrow(other, cython.address(masks[mapped[3, i], first])), other_up, other_down)
    narrow_columns(mapped, sizes, 0, common, up, down, masks, first, subsequences, found)
    narrow_columns(mapped, sizes, 2, common, other_up, other_down, masks, first, subsequences, found)


@cython.cfunc
@cython.inline
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


def compare_texts(
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
    sizes: cython.Py_ssize_t[::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill out with distances or lengths of subsequences, one for each candidate and each of its references, in order.

    locals_ has the row of masks of each word, 0 for all at first; masks[row, block] has room for the largest segment,
    in fours of blocks. A segment that it has no room for is left out: its entries of `out` become -1. Returns how many
    entries are.
    """
    segment: cython.int
    pair: cython.Py_ssize_t = 0
    member: cython.Py_ssize_t
    many: cython.Py_ssize_t
    other: cython.Py_ssize_t
    references: cython.Py_ssize_t
    blocks: cython.Py_ssize_t
    start: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    bit: cython.Py_ssize_t
    found: cython.Py_ssize_t
    left_out: cython.Py_ssize_t = 0
    known: cython.int
    low: cython.ulonglong
    lanes_fit: cython.bint
    narrow: cython.bint
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            blocks = 0
            lanes_fit = cython.compiled
            narrow = cython.compiled
            for other in range(references):
                j = reference_rows[reference_groups[segment] + other]
                lengths[other] = reference_bounds[j + 1] - reference_bounds[j]
                blocks += (lengths[other] + 63) // 64
                lanes_fit = lanes_fit and lengths[other] <= 64
                narrow = narrow and lengths[other] <= 32
            if lanes_fit:  # a block each, empty ones too, in fours
                blocks = (references + 3) // 4 * 4
            if blocks > masks.shape[1]:
                j = pair + (groups[segment + 1] - groups[segment]) * references
                left_out += j - pair
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
                    if narrow:
                        masks[locals_[j], other >> 1] |= ONE << (i + 32 * (other & 1))
                    else:
                        masks[locals_[j], b + (i >> 6)] |= ONE << (i & 63)
                b += 1 if lanes_fit else (lengths[other] + 63) // 64
            member = groups[segment]
            while member < groups[segment + 1]:
                many = (4 if narrow else 2) if lanes_fit else 1  # candidates compared together
                if many > groups[segment + 1] - member:
                    many = groups[segment + 1] - member
                for c in range(4):
                    sizes[c] = 0
                for c in range(many):
                    start = bounds[rows[member + c]]
                    sizes[c] = bounds[rows[member + c] + 1] - start
                    map_words(words, start, start + sizes[c], locals_, c, mapped)
                member += many
                if not lanes_fit:
                    b = 0
                    for other in range(references):
                        if subsequences:
                            out[pair] = subsequence(mapped, sizes[0], lengths[other], masks, b, columns)
                        else:
                            out[pair] = distance(mapped, sizes[0], lengths[other], masks, b, columns)
                        b += (lengths[other] + 63) // 64
                        pair += 1
                    continue
                if cython.compiled:
                    for b in range(0, references, 4):
                        if narrow:
                            four_narrow_columns(mapped, sizes, masks, b // 2, subsequences, columns)
                        else:
                            wide_columns(mapped, sizes, masks, b, subsequences, columns)
                        for k in range(4 if b + 4 <= references else references - b):
                            low = MASK64 >> (64 - lengths[b + k]) if lengths[b + k] > 0 else 0
                            for c in range(many):
                                # Narrow lanes are two a word, those of odd candidates behind those of even ones.
                                at = 2 * (c & 1) + (k >> 1) if narrow else k
                                bit = 32 * (k & 1) if narrow else 0
                                if subsequences:
                                    found = count_ones(~(columns[c, at] >> bit) & low)
                                else:
                                    found = sizes[c] + count_ones((columns[c, at] >> bit) & low)
                                    found -= count_ones((columns[c, at + 4] >> bit) & low)
                                out[pair + c * references + b + k] = found
                    pair += many * references
            for other in range(references):
                start = reference_bounds[reference_rows[reference_groups[segment] + other]]
                for i in range(lengths[other]):
                    locals_[reference_words[start + i]] = 0
    return left_out
