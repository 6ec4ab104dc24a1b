# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Skip-bigrams that candidates share with each reference of their segment, for several gap limits in one pass.

A skip-bigram is a pair of words in the order of the text with a gap of other words between them. With a limit, only
those with gaps up to it count, and a pair of words counts as often as it does in both texts. So the k-th smallest gap
of a pair in the candidate meets its k-th smallest gap in the reference, and the match counts from the larger gap on.
Gaps are kept as bins: bin b holds the gaps that the b-th limit lets in and the one before does not.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

LONG = cython.declare(cython.Py_ssize_t, 4096)  # words of a candidate
SLICES = cython.declare(cython.Py_ssize_t, 8)
MANY = cython.declare(cython.Py_ssize_t, 1 << 17)  # (first word, second word, reference) of a segment


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def by_first_word(
    mapped: cython.const[cython.int][:, ::1],
    length: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    known: cython.int,
    most: cython.Py_ssize_t,
    bins: cython.const[cython.uchar][::1],
    heads: cython.int[:, ::1],
    nexts: cython.int[:, ::1],
    balance: cython.int[::1],
    out: cython.Py_ssize_t[:, ::1],
    pair: cython.Py_ssize_t,
) -> cython.void:
    """The same without tables, for long texts: mapped[0] is the candidate, mapped[1] the reference.

    For each first word the gaps of both texts are gone through together, from small to large; balance says by how many
    the reference is ahead for each second word, and whoever catches up makes a match.
    """
    side: cython.Py_ssize_t
    i: cython.Py_ssize_t
    gap: cython.Py_ssize_t
    size: cython.Py_ssize_t
    first: cython.int
    second: cython.int
    step: cython.int
    for first in range(known + 1):
        heads[0, first] = -1
        heads[1, first] = -1
    for side in range(2):
        size = reference_length if side else length
        for i in range(size - 1, -1, -1):
            nexts[side, i] = heads[side, mapped[side, i]]
            heads[side, mapped[side, i]] = cython.cast(cython.int, i)
    for first in range(1, known + 1):
        if heads[0, first] < 0 or heads[1, first] < 0:
            continue
        for gap in range(most + 1):
            for side in range(2):
                step = 1 if side else -1
                size = reference_length if side else length
                i = heads[side, first]
                while i >= 0 and i + gap + 1 < size:
                    second = mapped[side, i + gap + 1]
                    if balance[second] * step < 0 and second > 0:
                        out[pair, bins[gap]] += 1
                    balance[second] += step
                    i = nexts[side, i]
        # Back to 0, what was touched only.
        for gap in range(most + 1):
            for side in range(2):
                i = heads[side, first]
                while i >= 0 and i + gap + 1 < (reference_length if side else length):
                    balance[mapped[side, i + gap + 1]] = 0
                    i = nexts[side, i]


def count_skip_bigrams(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    most: cython.Py_ssize_t,
    bins: cython.const[cython.uchar][::1],
    none: cython.int,
    locals_: cython.int[:, ::1],
    mapped: cython.int[:, ::1],
    heads: cython.int[:, ::1],
    nexts: cython.int[:, ::1],
    balance: cython.int[::1],
    firsts: cython.uchar[::1],
    others: cython.int[:, ::1],
    seen: cython.int[:, ::1],
    nodes: cython.int[:, ::1],
    out: cython.Py_ssize_t[:, ::1],
):
    """Fill out[pair, bin], pairs in the order of the groups, with the matches that begin to count in each bin.

    `most` is the largest gap that counts, bins[gap] the bin of a gap, `none` the number of bins; out has one column
    more, which takes what does not count. firsts and others have room for a number of (first word, second word,
    reference); a segment with more is gone through in slices of first words. nodes has room for repeated pairs. What
    has more repeated pairs, long candidates or many slices is compared text by text. balance is 0 everywhere.
    """
    segment: cython.int
    text: cython.int = 0
    pair: cython.Py_ssize_t = 0
    base: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    largest: cython.Py_ssize_t
    gap: cython.Py_ssize_t
    references: cython.Py_ssize_t
    width: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    slices: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    key: cython.Py_ssize_t
    cell: cython.Py_ssize_t
    pairs: cython.Py_ssize_t
    known: cython.int
    used: cython.int
    node: cython.int
    bin_: cython.int
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            references = reference_groups[segment + 1] - reference_groups[segment]
            known = 0
            pairs = 0
            for other in range(reference_groups[segment], reference_groups[segment + 1]):
                start = reference_bounds[reference_rows[other]]
                length = reference_bounds[reference_rows[other] + 1] - start
                pairs += length * (most + 1 if most < length else length)
                for i in range(start, start + length):
                    if locals_[reference_words[i], 1] != segment:
                        known += 1
                        locals_[reference_words[i], 0] = known
                        locals_[reference_words[i], 1] = segment
            if (known + 1) * (known + 1) * references > MANY:
                # Many references have many words. Only those that some candidate has need a number: they get one below
                # 0, the others lose theirs, and then the signs are turned.
                known = 0
                for member in range(groups[segment], groups[segment + 1]):
                    for i in range(bounds[rows[member]], bounds[rows[member] + 1]):
                        if locals_[words[i], 1] == segment and locals_[words[i], 0] > 0:
                            known += 1
                            locals_[words[i], 0] = -known
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    start = reference_bounds[reference_rows[other]]
                    for i in range(start, reference_bounds[reference_rows[other] + 1]):
                        if locals_[reference_words[i], 0] > 0:
                            locals_[reference_words[i], 0] = 0
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    start = reference_bounds[reference_rows[other]]
                    for i in range(start, reference_bounds[reference_rows[other] + 1]):
                        if locals_[reference_words[i], 0] < 0:
                            locals_[reference_words[i], 0] = -locals_[reference_words[i], 0]
            width = known + 1
            base = pair
            longest = 0
            for member in range(groups[segment], groups[segment + 1]):
                length = bounds[rows[member] + 1] - bounds[rows[member]]
                longest = length if length > longest else longest
            slices = width * width * references // firsts.shape[0]
            if pairs > nodes.shape[0] or longest > LONG or slices > SLICES or width * references > firsts.shape[0]:
                for member in range(groups[segment], groups[segment + 1]):
                    start = bounds[rows[member]]
                    length = bounds[rows[member] + 1] - start
                    for i in range(length):
                        j = words[start + i]
                        mapped[0, i] = locals_[j, 0] if locals_[j, 1] == segment else 0
                    for other in range(reference_groups[segment], reference_groups[segment + 1]):
                        start = reference_bounds[reference_rows[other]]
                        largest = reference_bounds[reference_rows[other] + 1] - start
                        for i in range(largest):
                            mapped[1, i] = locals_[reference_words[start + i], 0]
                        by_first_word(mapped, length, largest, known, most, bins, heads, nexts, balance, out, pair)
                        pair += 1
                continue
            low = 1
            while low <= known:
                high = low + firsts.shape[0] // (width * references)
                if high > width:
                    high = width
                for cell in range((high - low) * width * references):
                    firsts[cell] = none
                for key in range((high - low) * width):
                    seen[key, 0] = -1
                used = 0
                for other in range(references):
                    j = reference_rows[reference_groups[segment] + other]
                    start = reference_bounds[j]
                    length = reference_bounds[j + 1] - start
                    for i in range(length):
                        mapped[1, i] = locals_[reference_words[start + i], 0]
                    # From large gaps to small ones, each pushed in front, so that lists go from small to large.
                    largest = length - 2 if length - 2 < most else most
                    for gap in range(largest, -1, -1):
                        for i in range(length - gap - 1):
                            if low <= mapped[1, i] < high:
                                cell = ((mapped[1, i] - low) * width + mapped[1, i + gap + 1]) * references + other
                                if firsts[cell] != none:
                                    nodes[used, 0] = firsts[cell]
                                    nodes[used, 1] = others[cell, 0]
                                    others[cell, 0] = used
                                    used += 1
                                else:
                                    others[cell, 0] = -1
                                firsts[cell] = bins[gap]
                pair = base
                for member in range(groups[segment], groups[segment + 1]):
                    start = bounds[rows[member]]
                    length = bounds[rows[member] + 1] - start
                    for i in range(length):
                        j = words[start + i]
                        mapped[0, i] = locals_[j, 0] if locals_[j, 1] == segment else 0
                    largest = length - 2 if length - 2 < most else most
                    for gap in range(largest + 1):
                        bin_ = bins[gap]
                        for i in range(length - gap - 1):
                            if not low <= mapped[0, i] < high or mapped[0, i + gap + 1] == 0:
                                continue
                            key = (mapped[0, i] - low) * width + mapped[0, i + gap + 1]
                            cell = key * references
                            if seen[key, 0] != text:
                                seen[key, 0] = text
                                seen[key, 1] = 0
                                for other in range(references):
                                    node = firsts[cell + other]
                                    out[pair + other, node if node > bin_ else bin_] += 1
                                continue
                            seen[key, 1] += 1
                            for other in range(references):
                                if firsts[cell + other] == none:
                                    continue
                                node = others[cell + other, 0 if seen[key, 1] == 1 else 1]
                                if node >= 0:
                                    others[cell + other, 1] = nodes[node, 1]
                                    node = nodes[node, 0]
                                    out[pair + other, node if node > bin_ else bin_] += 1
                                else:
                                    others[cell + other, 1] = -1
                    text += 1
                    pair += references
                low = high
            if known == 0:
                pair += (groups[segment + 1] - groups[segment]) * references
