# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Skip-bigrams that a candidate and a reference have in common, for several gap limits in one pass.

A skip-bigram is an ordered pair of words with a gap of other words between them. Under a gap limit, only skip-bigrams
with gaps up to the limit count, and a pair of words counts as often as it occurs in both texts. So the k-th smallest
gap of a pair of words in the candidate is compared with its k-th smallest gap in the reference, and the match counts
from the larger of the two gaps on. Gaps are stored as bins: bin b has the gaps that the b-th limit admits and the
previous limit does not.
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
    from tarocco.kernels.interruption import is_interrupted
    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled

LONG = cython.declare(cython.Py_ssize_t, 4096)  # words of a candidate
SLICES = cython.declare(cython.Py_ssize_t, 8)
MANY = cython.declare(cython.Py_ssize_t, 1 << 17)  # triples (first word, second word, reference) of a segment


@cython.cclass
class GapIndex:
    """The gaps of a segment's references, and work space.

    A key is (first word - low) * width + second word, for first words from low to high - 1; a cell is a key and a
    reference. bins_of_cell[cell] is the bin of the smallest gap, `none` if there is none; lists[cell] = [the node of
    the second smallest gap, the node that the current candidate has reached], a node being (bin, next node or -1).
    seen[key] = [number of the candidate, occurrences so far]. These arrays are separate arguments, because the C
    compiler would have to reload them from a record after each write.
    """

    limit: cython.Py_ssize_t  # the largest gap that counts
    bins: cython.const[cython.uchar][::1]  # the bin of each gap
    none: cython.int  # the number of bins
    numbers: cython.int[:, ::1]  # [number of the word within the segment, segment] of each word; numbers start at 1
    known: cython.int  # the largest of these numbers
    mapped: cython.int[:, ::1]  # numbers of the words of the candidate and of the reference; 0: not in a reference
    heads: cython.int[:, ::1]
    nexts: cython.int[:, ::1]
    balance: cython.int[::1]
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    width: cython.Py_ssize_t
    n_references: cython.Py_ssize_t


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare_by_first_word(
    index: GapIndex,
    length: cython.Py_ssize_t,
    reference_length: cython.Py_ssize_t,
    pair: cython.Py_ssize_t,
    out: cython.Py_ssize_t[:, ::1],
) -> cython.void:
    """Compare two texts without tables of cells, for long texts: mapped[0] is the candidate, mapped[1] the reference.

    For each first word, visit the gaps of both texts from small to large. balance[second] is the number of occurrences
    by which the reference is ahead of the candidate; an occurrence on the side that is behind makes a match.
    """
    i: cython.Py_ssize_t
    for first in range(index.known + 1):
        index.heads[0, first] = -1
        index.heads[1, first] = -1
    for side in range(2):
        size = reference_length if side else length
        for i in range(size - 1, -1, -1):
            index.nexts[side, i] = index.heads[side, index.mapped[side, i]]
            index.heads[side, index.mapped[side, i]] = cython.cast(cython.int, i)
    for first in range(1, index.known + 1):
        if index.heads[0, first] < 0 or index.heads[1, first] < 0:
            continue
        for gap in range(index.limit + 1):
            if is_interrupted():
                return
            for side in range(2):
                step: cython.int = 1 if side else -1
                size = reference_length if side else length
                i = index.heads[side, first]
                while i >= 0 and i + gap + 1 < size:
                    second = index.mapped[side, i + gap + 1]
                    if index.balance[second] * step < 0 and second > 0:
                        out[pair, index.bins[gap]] += 1
                    index.balance[second] += step
                    i = index.nexts[side, i]
        # Reset only the balances that were touched.
        for gap in range(index.limit + 1):
            for side in range(2):
                i = index.heads[side, first]
                while i >= 0 and i + gap + 1 < (reference_length if side else length):
                    index.balance[index.mapped[side, i + gap + 1]] = 0
                    i = index.nexts[side, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def number_words(index: GapIndex, candidates: Texts, references: Texts, segment: cython.int) -> cython.Py_ssize_t:
    """Number the words of a segment's references; return the largest possible number of their skip-bigrams."""
    index.known = 0
    skip_bigrams: cython.Py_ssize_t = 0
    for other in range(references.groups[segment], references.groups[segment + 1]):
        row = references.rows[other]
        length = references.bounds[row + 1] - references.bounds[row]
        skip_bigrams += length * (index.limit + 1 if index.limit < length else length)
        for i in range(references.bounds[row], references.bounds[row + 1]):
            word = references.words[i]
            if index.numbers[word, 1] != segment:
                index.known += 1
                index.numbers[word, 0] = index.known
                index.numbers[word, 1] = segment
    index.n_references = references.groups[segment + 1] - references.groups[segment]
    index.width = index.known + 1
    if index.width * index.width * index.n_references > MANY:
        renumber_words(index, candidates, references, segment)
        index.width = index.known + 1
    return skip_bigrams


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def renumber_words(index: GapIndex, candidates: Texts, references: Texts, segment: cython.int) -> cython.void:
    """Number only the words that some candidate has: negative numbers first, then reset the others and negate."""
    index.known = 0
    for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
        row = candidates.rows[member]
        for i in range(candidates.bounds[row], candidates.bounds[row + 1]):
            word = candidates.words[i]
            if index.numbers[word, 1] == segment and index.numbers[word, 0] > 0:
                index.known += 1
                index.numbers[word, 0] = -index.known
    for other in range(references.groups[segment], references.groups[segment + 1]):
        row = references.rows[other]
        for i in range(references.bounds[row], references.bounds[row + 1]):
            word = references.words[i]
            if index.numbers[word, 0] > 0:
                index.numbers[word, 0] = 0
    for other in range(references.groups[segment], references.groups[segment + 1]):
        row = references.rows[other]
        for i in range(references.bounds[row], references.bounds[row + 1]):
            word = references.words[i]
            if index.numbers[word, 0] < 0:
                index.numbers[word, 0] = -index.numbers[word, 0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def map_candidate(
    index: GapIndex, candidates: Texts, member: cython.Py_ssize_t, segment: cython.int
) -> cython.Py_ssize_t:
    """Fill mapped[0] with the numbers of a candidate's words; return its length."""
    start = candidates.bounds[candidates.rows[member]]
    length = candidates.bounds[candidates.rows[member] + 1] - start
    for i in range(length):
        word = candidates.words[start + i]
        index.mapped[0, i] = index.numbers[word, 0] if index.numbers[word, 1] == segment else 0
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def map_reference(index: GapIndex, references: Texts, member: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Fill mapped[1] with the numbers of a reference's words; return its length."""
    start = references.bounds[references.rows[member]]
    length = references.bounds[references.rows[member] + 1] - start
    for i in range(length):
        index.mapped[1, i] = index.numbers[references.words[start + i], 0]
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def index_references(
    index: GapIndex,
    references: Texts,
    segment: cython.int,
    mapped: cython.const[cython.int][:, ::1],
    bins_of_cell: cython.uchar[::1],
    lists: cython.int[:, ::1],
    nodes: cython.int[:, ::1],
    seen: cython.int[:, ::1],
) -> cython.void:
    """Enter the gaps of all references for the first words from low to high - 1."""
    n_references = index.n_references
    width = index.width
    low = index.low
    high = index.high
    none = index.none
    used: cython.int = 0
    for cell in range((high - low) * width * n_references):
        bins_of_cell[cell] = none
    for key in range((high - low) * width):
        seen[key, 0] = -1
    for other in range(n_references):
        length = map_reference(index, references, references.groups[segment] + other)
        # From large gaps to small ones, each inserted at the front, so that lists go from small to large.
        for gap in range(min(length - 2, index.limit), -1, -1):
            for i in range(length - gap - 1):
                if low <= mapped[1, i] < high:
                    cell = ((mapped[1, i] - low) * width + mapped[1, i + gap + 1]) * n_references + other
                    if bins_of_cell[cell] != none:
                        nodes[used, 0] = bins_of_cell[cell]
                        nodes[used, 1] = lists[cell, 0]
                        lists[cell, 0] = used
                        used += 1
                    else:
                        lists[cell, 0] = -1
                    bins_of_cell[cell] = index.bins[gap]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def match_candidate(
    index: GapIndex,
    length: cython.Py_ssize_t,
    text: cython.int,
    mapped: cython.const[cython.int][:, ::1],
    bins_of_cell: cython.const[cython.uchar][::1],
    lists: cython.int[:, ::1],
    nodes: cython.const[cython.int][:, ::1],
    seen: cython.int[:, ::1],
    pair: cython.Py_ssize_t,
    out: cython.Py_ssize_t[:, ::1],
) -> cython.void:
    """Count the matches of the candidate in mapped[0], number `text`, with each reference."""
    n_references = index.n_references
    low = index.low
    high = index.high
    width = index.width
    none = index.none
    for gap in range(min(length - 2, index.limit) + 1):
        if gap & 15 == 15 and is_interrupted():
            return
        bin_: cython.int = index.bins[gap]
        for i in range(length - gap - 1):
            if not low <= mapped[0, i] < high or mapped[0, i + gap + 1] == 0:
                continue
            key = (mapped[0, i] - low) * width + mapped[0, i + gap + 1]
            cell = key * n_references
            if seen[key, 0] != text:
                seen[key, 0] = text
                seen[key, 1] = 0
                for other in range(n_references):
                    reference_bin: cython.int = bins_of_cell[cell + other]
                    out[pair + other, max(reference_bin, bin_)] += 1
                continue
            seen[key, 1] += 1
            for other in range(n_references):
                if bins_of_cell[cell + other] == none:
                    continue
                node = lists[cell + other, 0 if seen[key, 1] == 1 else 1]
                if node >= 0:
                    lists[cell + other, 1] = nodes[node, 1]
                    out[pair + other, max(nodes[node, 0], bin_)] += 1
                else:
                    lists[cell + other, 1] = -1


def count_skip_bigrams(
    candidates: Texts,
    references: Texts,
    limit: cython.Py_ssize_t,
    bins: cython.const[cython.uchar][::1],
    none: cython.int,
    numbers: cython.int[:, ::1],
    mapped: cython.int[:, ::1],
    heads: cython.int[:, ::1],
    nexts: cython.int[:, ::1],
    balance: cython.int[::1],
    bins_of_cell: cython.uchar[::1],
    lists: cython.int[:, ::1],
    seen: cython.int[:, ::1],
    nodes: cython.int[:, ::1],
    out: cython.Py_ssize_t[:, ::1],
):
    """Add to out[pair, bin] the matches that count from each bin on; its last column takes those that never count.

    bins_of_cell and lists limit the number of cells: a segment with more is processed in slices of first words. A
    segment with more repeated skip-bigrams than `nodes`, long candidates or many slices is compared text by text.
    `balance` is 0.
    """
    text: cython.int = 0
    pair: cython.Py_ssize_t = 0
    index: GapIndex = GapIndex()
    index.limit = limit
    index.bins = bins
    index.none = none
    index.numbers = numbers
    index.mapped = mapped
    index.heads = heads
    index.nexts = nexts
    index.balance = balance
    with cython.nogil:
        for segment in range(cython.cast(cython.int, candidates.groups.shape[0] - 1)):
            skip_bigrams = number_words(index, candidates, references, segment)
            first_words = index.width * index.n_references
            longest: cython.Py_ssize_t = 0
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                row = candidates.rows[member]
                longest = max(longest, candidates.bounds[row + 1] - candidates.bounds[row])
            slices = index.width * first_words // bins_of_cell.shape[0]
            if (
                skip_bigrams > nodes.shape[0]
                or longest > LONG
                or slices > SLICES
                or first_words > bins_of_cell.shape[0]
            ):
                for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                    length = map_candidate(index, candidates, member, segment)
                    for other in range(references.groups[segment], references.groups[segment + 1]):
                        reference_length = map_reference(index, references, other)
                        compare_by_first_word(index, length, reference_length, pair, out)
                        pair += 1
                continue
            index.low = 1
            while index.low <= index.known:
                index.high = min(index.low + bins_of_cell.shape[0] // first_words, index.width)
                index_references(index, references, segment, mapped, bins_of_cell, lists, nodes, seen)
                for member in range(candidates.groups[segment + 1] - candidates.groups[segment]):
                    length = map_candidate(index, candidates, candidates.groups[segment] + member, segment)
                    first_pair = pair + member * index.n_references
                    match_candidate(index, length, text, mapped, bins_of_cell, lists, nodes, seen, first_pair, out)
                    text += 1
                index.low = index.high
            pair += (candidates.groups[segment + 1] - candidates.groups[segment]) * index.n_references
