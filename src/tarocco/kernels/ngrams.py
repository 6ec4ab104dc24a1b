# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Clipped n-gram matches of candidates against the references of their segment.

Only n-grams that occur in a reference matter. While a segment is at hand, each of them is an *entry*; an entry of
order n is found from the entry of its first n - 1 words and its last word, so that longer n-grams cost one more look-up
each and a candidate's walk from a position stops at the first n-gram no reference has. Entries of order 1 are found
directly by word id. Stamps instead of clearing: an old stamp means "not of this segment" (or reference, or candidate).

One walk over a candidate also serves all sets that leave one reference out: only without the reference that has an
n-gram most often does the second highest count limit it.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

if cython.compiled:
    from cython.cimports.libc.math import log2
else:
    from math import log2

COMPILED = cython.compiled

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

# Columns of the entry table.
MOST = cython.declare(cython.int, 0)  # highest count in one reference
COUNT = cython.declare(cython.int, 1)  # count in the text being walked
STAMP = cython.declare(cython.int, 2)  # which text that is
GRAM = cython.declare(cython.int, 3)  # its number in the weight context: NONE if it occurs once or never
WHOSE = cython.declare(cython.int, 4)  # the reference with the highest count
SECOND = cython.declare(cython.int, 5)  # highest count in one of the others
NONE = cython.declare(cython.int, -1)
UNKNOWN = cython.declare(cython.int, -2)  # not looked up yet: only n-grams that a candidate has are


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slot_of(
    key: cython.ulonglong,
    segment: cython.int,
    shift: cython.int,
    keys: cython.const[cython.ulonglong][::1],
    stamps: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """The slot that holds key in this segment, or the free slot where it belongs."""
    mask: cython.Py_ssize_t = keys.shape[0] - 1
    slot: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while stamps[slot] == segment and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def extension(
    prefix: cython.int,
    word: cython.int,
    shift: cython.int,
    pair_keys: cython.const[cython.ulonglong][::1],
    pair_grams: cython.const[cython.int][::1],
) -> cython.int:
    """The context's n-gram made of `prefix` and `word`, -1 if it does not occur twice."""
    mask: cython.Py_ssize_t = pair_keys.shape[0] - 1
    key: cython.ulonglong = (cython.cast(cython.ulonglong, prefix) << 32) | cython.cast(cython.ulonglong, word)
    slot: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while pair_grams[slot] >= 0:
        if pair_keys[slot] == key:
            return pair_grams[slot]
        slot = (slot + 1) & mask
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def begin_entry(entries: cython.int[:, ::1], entry: cython.int) -> cython.void:
    entries[entry, MOST] = 0
    entries[entry, STAMP] = 0
    entries[entry, GRAM] = UNKNOWN
    entries[entry, WHOSE] = NONE
    entries[entry, SECOND] = 0


def clipped_matches(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    leaving_out: cython.bint,
    order: cython.int,
    word_entries: cython.int[:, ::1],
    keys: cython.ulonglong[::1],
    slot_entries: cython.int[::1],
    slot_stamps: cython.int[::1],
    shift: cython.int,
    entries: cython.int[:, ::1],
    weights: cython.double[::1],
    weighted: cython.bint,
    context_words: cython.const[cython.int][::1],
    pair_keys: cython.const[cython.ulonglong][::1],
    pair_grams: cython.const[cython.int][::1],
    pair_shift: cython.int,
    counts: cython.const[cython.int][::1],
    total: cython.double,
    matches: cython.double[:, ::1],
):
    """Fill matches[i, n - 1] with the clipped n-gram matches of candidate rows[i], or with the sum of their weights.

    `leaving_out`: a candidate has further rows, for the sets without its first reference, its second and so on.
    The candidates of segment s are the rows rows[groups[s]:groups[s + 1]] of (words, bounds), its references alike.
    word_entries has a row [entry, stamp] a word. `weighted`: an entry gets its weight from the context (see
    tarocco.metrics.ngram.nist) when a candidate first has it; else all weights are 1 and the context is not read.
    """
    segment: cython.int
    text: cython.int = 0  # counts references and candidates, to stamp entries with
    member: cython.Py_ssize_t
    row: cython.Py_ssize_t
    out: cython.Py_ssize_t = 0
    sets: cython.Py_ssize_t
    without: cython.Py_ssize_t
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    word: cython.int
    entry: cython.int
    used: cython.int
    gram: cython.int
    prefix: cython.int
    whose: cython.int
    key: cython.ulonglong
    weight: cython.double
    with cython.nogil:
        for segment in range(cython.cast(cython.int, groups.shape[0] - 1)):
            used = 0
            sets = 1 + reference_groups[segment + 1] - reference_groups[segment] if leaving_out else 1
            for member in range(reference_groups[segment], reference_groups[segment + 1]):
                row = reference_rows[member]
                whose = cython.cast(cython.int, member - reference_groups[segment])
                text += 1
                end = reference_bounds[row + 1]
                for i in range(reference_bounds[row], end):
                    last = i + order
                    if last > end:
                        last = end
                    word = reference_words[i]
                    if word_entries[word, 1] != segment:
                        word_entries[word, 0] = used
                        word_entries[word, 1] = segment
                        begin_entry(entries, used)
                        used += 1
                    entry = word_entries[word, 0]
                    j = i
                    while True:
                        if entries[entry, STAMP] != text:
                            entries[entry, STAMP] = text
                            entries[entry, COUNT] = 0
                        entries[entry, COUNT] += 1
                        if entries[entry, COUNT] > entries[entry, MOST]:
                            if entries[entry, WHOSE] != whose:
                                entries[entry, WHOSE] = whose
                                entries[entry, SECOND] = entries[entry, MOST]
                            entries[entry, MOST] = entries[entry, COUNT]
                        elif entries[entry, COUNT] > entries[entry, SECOND] and entries[entry, WHOSE] != whose:
                            entries[entry, SECOND] = entries[entry, COUNT]
                        j += 1
                        if j == last:
                            break
                        key = (cython.cast(cython.ulonglong, entry) << 32) | cython.cast(
                            cython.ulonglong, reference_words[j]
                        )
                        slot = slot_of(key, segment, shift, keys, slot_stamps)
                        if slot_stamps[slot] != segment:
                            slot_stamps[slot] = segment
                            keys[slot] = key
                            slot_entries[slot] = used
                            begin_entry(entries, used)
                            used += 1
                        entry = slot_entries[slot]
            for member in range(groups[segment], groups[segment + 1]):
                row = rows[member]
                text += 1
                end = bounds[row + 1]
                for i in range(bounds[row], end):
                    last = i + order
                    if last > end:
                        last = end
                    word = words[i]
                    if word_entries[word, 1] != segment:
                        continue
                    entry = word_entries[word, 0]
                    prefix = NONE
                    j = i
                    while True:
                        if entries[entry, STAMP] != text:
                            entries[entry, STAMP] = text
                            entries[entry, COUNT] = 0
                        entries[entry, COUNT] += 1
                        if weighted and entries[entry, GRAM] == UNKNOWN:
                            gram = context_words[words[j]]
                            if j == i:
                                weights[entry] = log2(total / counts[gram]) if gram >= 0 else log2(total)
                            elif prefix < 0:  # its prefix occurs once, so does it
                                gram = NONE
                                weights[entry] = 0.0
                            else:
                                if gram >= 0:
                                    gram = extension(prefix, gram, pair_shift, pair_keys, pair_grams)
                                weights[entry] = log2(
                                    cython.cast(cython.double, counts[prefix]) / (counts[gram] if gram >= 0 else 1)
                                )
                            entries[entry, GRAM] = gram
                        if entries[entry, COUNT] <= entries[entry, MOST]:
                            weight = weights[entry] if weighted else 1.0
                            without = (
                                1 + entries[entry, WHOSE] if entries[entry, COUNT] > entries[entry, SECOND] else NONE
                            )
                            for k in range(sets):
                                if k != without:
                                    matches[out + k, j - i] += weight
                        prefix = entries[entry, GRAM]
                        j += 1
                        if j == last:
                            break
                        key = (cython.cast(cython.ulonglong, entry) << 32) | cython.cast(cython.ulonglong, words[j])
                        slot = slot_of(key, segment, shift, keys, slot_stamps)
                        if slot_stamps[slot] != segment:
                            break
                        entry = slot_entries[slot]
                out += sets


def reference_lengths(
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    lengths: cython.double[:, ::1],
):
    """Fill lengths[i] with the closest (ties: the shorter), shortest and mean reference length of candidate rows[i]."""
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    row: cython.Py_ssize_t
    length: cython.Py_ssize_t
    reference: cython.Py_ssize_t
    distance: cython.Py_ssize_t
    nearest: cython.Py_ssize_t
    closest: cython.Py_ssize_t
    shortest: cython.Py_ssize_t
    total: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                row = rows[member]
                length = bounds[row + 1] - bounds[row]
                nearest = -1
                closest = 0
                shortest = 0
                total = 0
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    reference = reference_rows[other]
                    reference = reference_bounds[reference + 1] - reference_bounds[reference]
                    total += reference
                    distance = reference - length if reference > length else length - reference
                    if nearest < 0 or reference < shortest:
                        shortest = reference
                    if nearest < 0 or distance < nearest or (distance == nearest and reference < closest):
                        nearest = distance
                        closest = reference
                lengths[member, 0] = closest
                lengths[member, 1] = shortest
                lengths[member, 2] = cython.cast(cython.double, total) / (
                    reference_groups[segment + 1] - reference_groups[segment]
                )
