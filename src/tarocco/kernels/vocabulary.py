# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Words -> word ids: equal spellings have equal ids, new words get the next id.

A word has a key of 64 bits other than 0, which marks an empty slot. A key holds up to seven bytes of a word and their
number, so most look-ups compare numbers only. Longer words have a hash, marked as such, and are compared letter by
letter.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LONG = cython.declare(cython.ulonglong, 0xFF00000000000000)  # the eighth byte of long words
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)  # of the FNV hash
SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # the golden ratio: every bit of a key affects the slot
LETTERS = cython.declare(cython.Py_ssize_t, 7)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_slot(
    word: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    key: cython.ulonglong,
    shift: cython.int,
    slot_keys: cython.const[cython.ulonglong][::1],
    slot_ids: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    spelling: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    """Return the slot that holds word[start:end], or the empty slot where it belongs."""
    mask: cython.Py_ssize_t = slot_keys.shape[0] - 1
    slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ((key * SPREAD) & MASK64) >> shift)
    while slot_keys[slot] != 0:
        if slot_keys[slot] == key:
            if key < LONG:
                return slot
            at = bounds[slot_ids[slot]]
            if bounds[slot_ids[slot] + 1] - at == end - start:
                j = start
                while j < end and word[j] == spelling[at]:
                    j += 1
                    at += 1
                if j == end:
                    return slot
        slot = (slot + 1) & mask
    return slot


def intern_words(
    words: cython.const[cython.uchar][::1],
    shift: cython.int,
    slot_keys: cython.ulonglong[::1],
    slot_ids: cython.int[::1],
    keys: cython.ulonglong[::1],
    bounds: cython.Py_ssize_t[::1],
    spelling: cython.uchar[::1],
    ids: cython.int[::1],
    offsets: cython.Py_ssize_t[::1],
    state: cython.Py_ssize_t[::1],
):
    """Write the id of every word; stop early if the vocabulary is full.

    `words` has spaces between words and a newline after each segment. There are 2^(64 - shift) slots. state = [bytes
    read, ids written, segments finished, words known]; the caller enlarges the vocabulary and calls again until all
    bytes are read.
    """
    i: cython.Py_ssize_t = state[0]
    written: cython.Py_ssize_t = state[1]
    segment: cython.Py_ssize_t = state[2]
    known: cython.Py_ssize_t = state[3]
    end: cython.Py_ssize_t = words.shape[0]
    room: cython.Py_ssize_t = keys.shape[0]
    character: cython.ulonglong
    with cython.nogil:
        while i < end:
            start = i
            key = 0
            character = words[i]
            while character != 32 and character != 10 and i - start < LETTERS:
                key |= character << (8 * (i - start))
                i += 1
                character = words[i]
            if character == 32 or character == 10:
                key |= cython.cast(cython.ulonglong, i - start) << 56
            else:
                while character != 32 and character != 10:
                    key = ((key ^ character) * PRIME) & MASK64
                    i += 1
                    character = words[i]
                key = (key ^ (key >> 32)) | LONG
            if i > start:
                slot = find_slot(words, start, i, key, shift, slot_keys, slot_ids, bounds, spelling)
                if slot_keys[slot] == 0:
                    at = bounds[known]
                    if known == room or at + (i - start) > spelling.shape[0]:
                        i = start
                        break
                    slot_keys[slot] = key
                    slot_ids[slot] = cython.cast(cython.int, known)
                    keys[known] = key
                    for j in range(start, i):
                        spelling[at] = words[j]
                        at += 1
                    known += 1
                    bounds[known] = at
                ids[written] = slot_ids[slot]
                written += 1
            if character == 10:
                segment += 1
                offsets[segment] = written
            i += 1
    state[0] = i
    state[1] = written
    state[2] = segment
    state[3] = known


def rebuild_table(
    keys: cython.const[cython.ulonglong][::1],
    known: cython.Py_ssize_t,
    shift: cython.int,
    slot_keys: cython.ulonglong[::1],
    slot_ids: cython.int[::1],
):
    """Insert the first `known` words into a larger, empty table."""
    mask: cython.Py_ssize_t = slot_keys.shape[0] - 1
    with cython.nogil:
        for word in range(known):
            slot = cython.cast(cython.Py_ssize_t, ((keys[word] * SPREAD) & MASK64) >> shift)
            while slot_keys[slot] != 0:
                slot = (slot + 1) & mask
            slot_keys[slot] = keys[word]
            slot_ids[slot] = cython.cast(cython.int, word)


def translate_ids(
    from_keys: cython.const[cython.ulonglong][::1],
    from_bounds: cython.const[cython.Py_ssize_t][::1],
    from_spelling: cython.const[cython.uchar][::1],
    shift: cython.int,
    slot_keys: cython.const[cython.ulonglong][::1],
    slot_ids: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    spelling: cython.const[cython.uchar][::1],
    out: cython.int[::1],
):
    """Fill out[word] with the id of a word of one vocabulary in another vocabulary, -1 if it is not there."""
    with cython.nogil:
        for word in range(out.shape[0]):
            start = from_bounds[word]
            end = from_bounds[word + 1]
            slot = find_slot(from_spelling, start, end, from_keys[word], shift, slot_keys, slot_ids, bounds, spelling)
            out[word] = slot_ids[slot] if slot_keys[slot] != 0 else -1
