# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Edit distance and longest common subsequence of candidates and references, 64 cells of a column at a time.

The words of a reference are bits, and each word has a mask of its positions. A column of the dynamic program is then a
few bit vectors, and a handful of operations leads to the next column: for edit distance those of Myers (1999) in the
form of Hyyrö (2003), for the longest common subsequence those of Hyyrö (2004). The last column yields the distance: the
candidate's length, plus the number of rows that are larger than the row above, minus those that are smaller.

The masks of a segment's references serve all its candidates; a word that is in no reference has an empty mask, row 0.
References of at most 64 words are compared four at a time, with two or four candidates at a time; bit_parallel.pxd
defines the operations on several lanes. Uncompiled, there are no lanes, and references are compared one by one.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.tarocco.kernels.interruption import is_interrupted
    from cython.cimports.tarocco.kernels.segments import Texts
else:
    from tarocco.kernels.cython_fallback import count_ones
    from tarocco.kernels.interruption import is_interrupted
    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)


def has_avx2():
    """Return whether this processor can run the AVX2 variants of kernels."""
    return cython.compiled and bool(processor_has_avx2())


@cython.cclass
class Masks:
    """The masks of a segment's references, the candidates that are compared with them, and the last columns.

    bit_parallel.pxd declares and explains the fields.
    """


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_distance(
    m: Masks, reference_length: cython.Py_ssize_t, first_block: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the Levenshtein distance of candidate 0 and the reference whose masks start at `first_block`."""
    blocks = (reference_length + 63) // 64
    distance = m.sizes[0]
    low: cython.ulonglong = MASK64
    carry: cython.ulonglong
    for b in range(blocks):
        m.columns[0, b] = MASK64
        m.columns[1, b] = 0
    for i in range(m.sizes[0]):
        if i & 255 == 255 and is_interrupted():
            break
        carry_up: cython.ulonglong = 1
        carry_down: cython.ulonglong = 0
        for b in range(blocks):
            up = m.columns[0, b]
            down = m.columns[1, b]
            places = m.masks[m.mapped[0, i], first_block + b] | carry_down
            diagonal = ((((places & up) + up) & MASK64) ^ up) | places | down
            right: cython.ulonglong = down | ((diagonal | up) ^ MASK64)
            left: cython.ulonglong = diagonal & up
            carry = right >> 63
            right = ((right << 1) | carry_up) & MASK64
            carry_up = carry
            carry = left >> 63
            left = ((left << 1) | carry_down) & MASK64
            carry_down = carry
            m.columns[0, b] = left | ((diagonal | right) ^ MASK64)
            m.columns[1, b] = right & diagonal
    for b in range(blocks):
        if b == blocks - 1:
            low = MASK64 >> (63 - ((reference_length - 1) & 63))
        distance += count_ones(m.columns[0, b] & low)
        distance -= count_ones(m.columns[1, b] & low)
    return distance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compute_subsequence(
    m: Masks, reference_length: cython.Py_ssize_t, first_block: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the length of the longest common subsequence of candidate 0 and a reference: the bits that became 0."""
    blocks = (reference_length + 63) // 64
    length: cython.Py_ssize_t = 0
    low: cython.ulonglong = MASK64
    for b in range(blocks):
        m.columns[0, b] = MASK64
    for i in range(m.sizes[0]):
        if i & 255 == 255 and is_interrupted():
            break
        carry: cython.ulonglong = 0
        for b in range(blocks):
            same = m.columns[0, b]
            used = same & m.masks[m.mapped[0, i], first_block + b]
            total = (same + used + carry) & MASK64
            carry = ((same & used) | ((same | used) & (total ^ MASK64))) >> 63
            m.columns[0, b] = total | (same ^ used)
    for b in range(blocks):
        if b == blocks - 1:
            low = MASK64 >> (63 - ((reference_length - 1) & 63))
        length += count_ones((m.columns[0, b] ^ MASK64) & low)
    return length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def compute_wide_columns(m: Masks, first: cython.Py_ssize_t) -> cython.void:
    """Compute the last columns of four references of up to 64 words and of candidates 0 and 1, one chain each."""
    longer: cython.Py_ssize_t = 1 if m.sizes[0] <= m.sizes[1] else 0
    shorter: cython.Py_ssize_t = 1 - longer
    i: cython.Py_ssize_t
    down: lanes = load_lanes(cython.address(m.masks[0, first]))  # zeros
    up: lanes = ~down
    other_down: lanes = down
    other_up: lanes = up
    for i in range(m.sizes[shorter]):
        if m.subsequences:
            subsequence_step(load_lanes(cython.address(m.masks[m.mapped[shorter, i], first])), up)
            subsequence_step(load_lanes(cython.address(m.masks[m.mapped[longer, i], first])), other_up)
        else:
            distance_step(load_lanes(cython.address(m.masks[m.mapped[shorter, i], first])), up, down)
            distance_step(load_lanes(cython.address(m.masks[m.mapped[longer, i], first])), other_up, other_down)
    for i in range(m.sizes[shorter], m.sizes[longer]):
        if m.subsequences:
            subsequence_step(load_lanes(cython.address(m.masks[m.mapped[longer, i], first])), other_up)
        else:
            distance_step(load_lanes(cython.address(m.masks[m.mapped[longer, i], first])), other_up, other_down)
    store_lanes(cython.address(m.columns[shorter, 0]), up)
    store_lanes(cython.address(m.columns[shorter, 4]), down)
    store_lanes(cython.address(m.columns[longer, 0]), other_up)
    store_lanes(cython.address(m.columns[longer, 4]), other_down)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def finish_narrow_columns(
    m: Masks,
    which: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    up: narrow_lanes,
    down: narrow_lanes,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Continue the columns of four references of up to 32 words and of candidates `which` and `which` + 1 from `start`.

    All eight pairs are lanes of one chain. The lanes of the shorter candidate are stored at its end, so it does not
    matter how they continue.
    """
    longer: cython.Py_ssize_t = which + 1 if m.sizes[which] <= m.sizes[which + 1] else which
    shorter: cython.Py_ssize_t = 2 * which + 1 - longer
    i: cython.Py_ssize_t
    row: cython.pointer(cython.ulonglong)
    for i in range(start, m.sizes[shorter]):
        row = cython.address(m.masks[m.mapped[which, i], first])
        if m.subsequences:
            subsequence_step(load_narrow(row, cython.address(m.masks[m.mapped[which + 1, i], first])), up)
        else:
            distance_step(load_narrow(row, cython.address(m.masks[m.mapped[which + 1, i], first])), up, down)
    store_lanes(cython.address(m.columns[shorter, 0]), up)
    store_lanes(cython.address(m.columns[shorter, 4]), down)
    for i in range(m.sizes[shorter], m.sizes[longer]):
        row = cython.address(m.masks[m.mapped[longer, i], first])
        if m.subsequences:
            subsequence_step(load_narrow(row, row), up)
        else:
            distance_step(load_narrow(row, row), up, down)
    store_lanes(cython.address(m.columns[longer, 0]), up)
    store_lanes(cython.address(m.columns[longer, 4]), down)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def compute_narrow_columns(m: Masks, first: cython.Py_ssize_t) -> cython.void:
    """Compute the last columns of four references of up to 32 words and of four candidates.

    Two independent chains have two candidates each, up to the end of the shortest candidate.
    """
    i: cython.Py_ssize_t
    common: cython.Py_ssize_t = m.sizes[0]
    row: cython.pointer(cython.ulonglong) = cython.address(m.masks[0, first])
    other: cython.pointer(cython.ulonglong)
    down: narrow_lanes = load_narrow(row, row)  # zeros
    up: narrow_lanes = ~down
    other_down: narrow_lanes = down
    other_up: narrow_lanes = up
    for i in range(1, 4):
        if m.sizes[i] < common:
            common = m.sizes[i]
    for i in range(common):
        row = cython.address(m.masks[m.mapped[0, i], first])
        other = cython.address(m.masks[m.mapped[2, i], first])
        if m.subsequences:
            subsequence_step(load_narrow(row, cython.address(m.masks[m.mapped[1, i], first])), up)
            subsequence_step(load_narrow(other, cython.address(m.masks[m.mapped[3, i], first])), other_up)
        else:
            distance_step(load_narrow(row, cython.address(m.masks[m.mapped[1, i], first])), up, down)
            distance_step(load_narrow(other, cython.address(m.masks[m.mapped[3, i], first])), other_up, other_down)
    finish_narrow_columns(m, 0, common, up, down, first)
    finish_narrow_columns(m, 2, common, other_up, other_down, first)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def measure_references(m: Masks, references: Texts, segment: cython.int) -> cython.Py_ssize_t:
    """Fill the lengths of a segment's references, decide on lanes, and return the number of blocks."""
    blocks: cython.Py_ssize_t = 0
    n_references = references.groups[segment + 1] - references.groups[segment]
    m.in_lanes = cython.compiled
    m.narrow = cython.compiled
    for other in range(n_references):
        row = references.rows[references.groups[segment] + other]
        length = references.bounds[row + 1] - references.bounds[row]
        m.lengths[other] = length
        blocks += (length + 63) // 64
        m.in_lanes = m.in_lanes and length <= 64
        m.narrow = m.narrow and length <= 32
    return (n_references + 3) // 4 * 4 if m.in_lanes else blocks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_masks(m: Masks, references: Texts, segment: cython.int, blocks: cython.Py_ssize_t) -> cython.void:
    """Number the words of a segment's references and set their masks."""
    known: cython.int = 0
    block: cython.Py_ssize_t = 0
    for other in range(references.groups[segment + 1] - references.groups[segment]):
        start = references.bounds[references.rows[references.groups[segment] + other]]
        for i in range(m.lengths[other]):
            word = references.words[start + i]
            if m.numbers[word] == 0:
                known += 1
                m.numbers[word] = known
                for k in range(blocks):
                    m.masks[known, k] = 0
            if m.narrow:
                m.masks[m.numbers[word], other >> 1] |= ONE << (i + 32 * (other & 1))
            else:
                m.masks[m.numbers[word], block + (i >> 6)] |= ONE << (i & 63)
        block += 1 if m.in_lanes else (m.lengths[other] + 63) // 64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def map_candidate(m: Masks, candidates: Texts, row: cython.Py_ssize_t, which: cython.Py_ssize_t) -> cython.void:
    """Make a text candidate `which` of those that are compared."""
    start = candidates.bounds[row]
    m.sizes[which] = candidates.bounds[row + 1] - start
    for i in range(candidates.bounds[row + 1] - start):
        m.mapped[which, i] = m.numbers[candidates.words[start + i]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare_one_by_one(
    m: Masks, n_references: cython.Py_ssize_t, pair: cython.Py_ssize_t, out: cython.Py_ssize_t[::1]
) -> cython.void:
    """Compare candidate 0 with each reference."""
    block: cython.Py_ssize_t = 0
    for other in range(n_references):
        if m.subsequences:
            out[pair + other] = compute_subsequence(m, m.lengths[other], block)
        else:
            out[pair + other] = compute_distance(m, m.lengths[other], block)
        block += (m.lengths[other] + 63) // 64


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare_in_lanes(
    m: Masks,
    many: cython.Py_ssize_t,
    n_references: cython.Py_ssize_t,
    pair: cython.Py_ssize_t,
    out: cython.Py_ssize_t[::1],
) -> cython.void:
    """Compare the first `many` candidates with each reference, four references at a time.

    `pair` is the first index of `out`; candidate c and reference r go to pair + c * n_references + r.
    """
    low: cython.ulonglong
    value: cython.Py_ssize_t
    for first in range(0, n_references, 4):
        if m.narrow:
            compute_narrow_columns(m, first // 2)
        else:
            compute_wide_columns(m, first)
        for k in range(4 if first + 4 <= n_references else n_references - first):
            length = m.lengths[first + k]
            low = MASK64 >> (64 - length) if length > 0 else 0  # one bit per word of the reference
            for c in range(many):
                # `at` is the column of the pair: 0-3 for "larger" bits, `at` + 4 for "smaller" ones (subsequences have
                # none). Two narrow lanes share a word; the lanes of odd candidates follow those of even ones.
                at = 2 * (c & 1) + (k >> 1) if m.narrow else k
                bit = 32 * (k & 1) if m.narrow else 0
                if m.subsequences:
                    value = count_ones(~(m.columns[c, at] >> bit) & low)
                else:
                    value = m.sizes[c] + count_ones((m.columns[c, at] >> bit) & low)
                    value -= count_ones((m.columns[c, at + 4] >> bit) & low)
                out[pair + c * n_references + first + k] = value


def compare_texts(
    candidates: Texts,
    references: Texts,
    subsequences: cython.bint,
    numbers: cython.int[::1],
    mapped: cython.int[:, ::1],
    masks: cython.ulonglong[:, ::1],
    columns: cython.ulonglong[:, ::1],
    lengths: cython.Py_ssize_t[::1],
    sizes: cython.Py_ssize_t[::1],
    out: cython.Py_ssize_t[::1],
):
    """Fill out[pair] with edit distances or lengths of longest common subsequences.

    `numbers` is 0. A segment whose references need more blocks than `masks` has is left out: out[pair] = -1. Returns
    the number of these pairs.
    """
    pair: cython.Py_ssize_t = 0
    left_out: cython.Py_ssize_t = 0
    m: Masks = Masks()
    m.subsequences = subsequences
    m.numbers = numbers
    m.masks = masks
    m.lengths = lengths
    m.mapped = mapped
    m.sizes = sizes
    m.columns = columns
    with cython.nogil:
        for segment in range(cython.cast(cython.int, candidates.groups.shape[0] - 1)):
            n_references = references.groups[segment + 1] - references.groups[segment]
            n_candidates = candidates.groups[segment + 1] - candidates.groups[segment]
            blocks = measure_references(m, references, segment)
            if blocks > masks.shape[1]:
                left_out += n_candidates * n_references
                for i in range(n_candidates * n_references):
                    out[pair + i] = -1
                pair += n_candidates * n_references
                continue
            set_masks(m, references, segment, blocks)
            together = (4 if m.narrow else 2) if m.in_lanes else 1  # candidates that are compared together
            first: cython.Py_ssize_t = 0
            while first < n_candidates:
                many: cython.Py_ssize_t = min(together, n_candidates - first)
                for c in range(4):
                    sizes[c] = 0
                for c in range(many):
                    map_candidate(m, candidates, candidates.rows[candidates.groups[segment] + first + c], c)
                if cython.compiled and m.in_lanes:
                    compare_in_lanes(m, many, n_references, pair, out)
                else:
                    compare_one_by_one(m, n_references, pair, out)
                pair += many * n_references
                first += together
            for other in range(n_references):
                start = references.bounds[references.rows[references.groups[segment] + other]]
                for i in range(lengths[other]):
                    numbers[references.words[start + i]] = 0
    return left_out
