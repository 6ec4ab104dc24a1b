# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""The text of one segment -> counts, without arrays that are made for the call.

Scoring one candidate per call is mostly overhead: each array that is made or passed costs as much as reading a
sentence. A `SegmentReader` is made once. It reads the references and the candidate of a segment, numbers the words of
the references, and then counts what metrics ask for. All its tables are small enough for the processor's first cache,
and nothing is cleared between segments: entries of tables are stamped with the number of the table's contents.

The counts are those of the other kernels: `tokenization` splits texts here, too, and `bit_parallel` computes edit
distances and common subsequences.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.tarocco.kernels.bit_parallel import Masks, compute_distance, compute_subsequence
    from cython.cimports.tarocco.kernels.tokenization import split_segment
else:
    from tarocco.kernels.bit_parallel import Masks, compute_distance, compute_subsequence
    from tarocco.kernels.tokenization import split_segment

COMPILED = cython.compiled

NEWLINE = cython.declare(cython.int, 10)
GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MASK56 = cython.declare(cython.ulonglong, 0x00FFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)
LONG = cython.declare(cython.ulonglong, 0xFF00000000000000)  # the eighth byte of keys of long words
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)  # of the FNV hash
LETTERS = cython.declare(cython.Py_ssize_t, 7)  # of a word that are in its key
NONE = cython.declare(cython.int, -1)  # a word or n-gram that no reference has

# Columns of `grams`.
MOST = cython.declare(cython.int, 0)  # the highest count in one reference that a candidate has not matched yet
COUNT = cython.declare(cython.int, 1)  # the count in the current reference
TEXT = cython.declare(cython.int, 2)  # that reference


@cython.cclass
class SegmentReader:
    """The tables, and the words of the current segment: the references, then the candidate."""

    # How text is split: see tokenization.split_words.
    classes: cython.const[cython.uchar][::1]
    padded: cython.bint
    trimmed: cython.bint
    entities: cython.bint

    split: cython.uchar[::1]  # the current text as words, with spaces between them
    words: cython.int[::1]
    bounds: cython.Py_ssize_t[::1]  # text t is words[bounds[t]:bounds[t + 1]]
    texts: cython.Py_ssize_t  # the candidate is the last one
    known: cython.int  # the number of distinct words of the references
    stamp: cython.longlong  # the number of the current contents of the word table, or of the n-gram table

    # The word table: `keys` as in vocabulary.py; long words are also compared with their first occurrence.
    keys: cython.ulonglong[::1]
    ids: cython.int[::1]
    stamps: cython.longlong[::1]
    shift: cython.int
    first: cython.Py_ssize_t[:, ::1]  # the start and end of a word's first occurrence in `spelling`
    spelling: cython.uchar[::1]
    spelled: cython.Py_ssize_t

    # The n-gram table, from (n-gram, next word) to longer n-grams; words are the first n-grams.
    pairs: cython.ulonglong[::1]
    longer: cython.int[::1]
    pair_stamps: cython.longlong[::1]
    grams: cython.int[:, ::1]
    used: cython.int  # the number of n-grams
    prefixes: cython.int[::1]  # the n-gram at each position of the current text

    masks: Masks

    def __init__(self, classes: object, switches: tuple, arrays: tuple) -> None:
        buffers = arrays if cython.compiled else [memoryview(array) for array in arrays]
        self.classes = classes if cython.compiled else memoryview(classes)
        self.padded, self.trimmed, self.entities = switches
        self.split, self.words, self.bounds, self.keys, self.ids, self.stamps = buffers[:6]
        self.first, self.spelling, self.pairs, self.longer, self.pair_stamps, self.grams = buffers[6:12]
        self.masks = Masks()
        self.prefixes, self.masks.masks, self.masks.columns, self.masks.mapped, self.masks.sizes = buffers[12:]
        self.texts = 0
        self.stamp = 0

    def read(self, text: cython.const[cython.uchar][::1]):
        """Read the references and then the candidate, one per line; return the number of words of each.

        Return nothing if there are too many bytes or texts for the tables.
        """
        end: cython.Py_ssize_t = len(text)
        if 2 * end >= self.split.shape[0]:
            return None
        with cython.nogil:
            enough = read_segment(self, text, end)
        return [self.bounds[t + 1] - self.bounds[t] for t in range(self.texts)] if enough else None

    def count_distances(self, subsequences: cython.bint):
        """Return the edit distance, or the longest common subsequence, of each reference and the candidate.

        Return nothing if there are too many words for the tables.
        """
        if self.known >= self.masks.masks.shape[0]:
            return None
        for t in range(self.texts - 1):
            if self.bounds[t + 1] - self.bounds[t] > 64 * self.masks.masks.shape[1]:
                return None
        return [compare(self, self.masks, t, subsequences) for t in range(self.texts - 1)]

    def count_columns(
        self,
        candidates: cython.const[cython.uchar][::1],
        candidate_starts: cython.const[cython.Py_ssize_t][::1],
        references: cython.const[cython.uchar][::1],
        reference_starts: cython.const[cython.Py_ssize_t][::1],
        order: cython.Py_ssize_t,
        distances: cython.bint,
        subsequences: cython.bint,
        counts: cython.Py_ssize_t[:, ::1],
    ):
        """Compare the segments of a column with those of a column of references; return how many fit the tables.

        counts[i] = [words of the candidate, words of the reference, edit distance, longest common subsequence, matches
        of orders 1 to `order`]; distances and subsequences are 0 if they are not asked for.
        """
        m: Masks = self.masks
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        size: cython.Py_ssize_t
        shift: cython.int
        counted: cython.Py_ssize_t = 0
        with cython.nogil:
            for i in range(counts.shape[0]):
                size = candidate_starts[i + 1] - candidate_starts[i] + reference_starts[i + 1] - reference_starts[i]
                if 2 * size >= self.split.shape[0]:
                    break
                start_segment(self, size)
                read_text(self, references, reference_starts[i], reference_starts[i + 1] - 1, True)
                read_text(self, candidates, candidate_starts[i], candidate_starts[i + 1] - 1, False)
                counts[i, 0] = self.bounds[2] - self.bounds[1]
                counts[i, 1] = self.bounds[1]
                counts[i, 2] = 0
                counts[i, 3] = 0
                if distances or subsequences:
                    if self.known >= m.masks.shape[0] or self.bounds[1] > 64 * m.masks.shape[1]:
                        break
                    if distances:
                        counts[i, 2] = compare(self, m, 0, False)
                    if subsequences:
                        counts[i, 3] = compare(self, m, 0, True)
                if order > 0:
                    shift = start_ngrams(self, 0, 1, order)
                    for n in range(1, order + 1):
                        counts[i, 3 + n] = match_order(self, n, shift)
                counted += 1
        return counted

    def count_clipped_matches(self, order: cython.Py_ssize_t):
        """Return the matches of each order; an n-gram counts as often as in the reference that has most of it."""
        return match(self, 0, self.texts - 1, order)

    def count_matches(self, order: cython.Py_ssize_t):
        """Return the matches of each order with each reference separately."""
        return [match(self, t, t + 1, order) for t in range(self.texts - 1)]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def start_segment(r: SegmentReader, length: cython.Py_ssize_t) -> cython.void:
    """Forget the texts of the last segment; the next one has `length` bytes, so at most as many words."""
    size: cython.Py_ssize_t = 16
    r.shift = 60
    while size < length:
        size *= 2
        r.shift -= 1
    r.texts = 0
    r.known = 0
    r.spelled = 0
    r.stamp += 1
    r.bounds[0] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_segment(r: SegmentReader, text: cython.const[cython.uchar][::1], end: cython.Py_ssize_t) -> cython.bint:
    """Read all texts; return whether they are not too many."""
    lines: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for i in range(end):
        if text[i] == NEWLINE:
            lines += 1
    if lines >= r.bounds.shape[0]:
        return False
    start_segment(r, end)
    start = 0
    for i in range(end):
        if text[i] == NEWLINE:
            read_text(r, text, start, i, r.texts < lines - 1)
            start = i + 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_text(
    r: SegmentReader,
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    new: cython.bint,
) -> cython.void:
    """Append a text; with `new`, words that are not known yet become known."""
    character: cython.ulonglong
    letters: cython.ulonglong
    key: cython.ulonglong
    begin: cython.Py_ssize_t
    i: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = r.bounds[r.texts]
    length = split_segment(text, start, end, r.classes, r.padded, r.trimmed, r.entities, r.split, 0)
    r.split[length] = 32
    while i < length:
        begin = i
        if cython.compiled:
            key = load_eight(cython.address(r.split[i]))
            letters = count_before_space(key)
        else:
            key, letters = 0, 0
            while letters <= LETTERS and r.split[i + letters] != 32:
                key |= r.split[i + letters] << (8 * letters)
                letters += 1
        if letters <= LETTERS:
            key = (key & ((ONE << (8 * letters)) - 1)) | (letters << 56)
            i += letters
        else:
            key &= MASK56
            i += LETTERS
            character = r.split[i]
            while character != 32:
                key = ((key ^ character) * PRIME) & MASK64
                i += 1
                character = r.split[i]
            key = (key ^ (key >> 32)) | LONG
        r.words[written] = number_word(r, key, begin, i, new)
        written += 1
        i += 1
    r.texts += 1
    r.bounds[r.texts] = written


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def number_word(
    r: SegmentReader, key: cython.ulonglong, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, new: cython.bint
) -> cython.int:
    """Return the id of the word split[begin:end]; a word that is not known becomes known if it is `new`."""
    mask: cython.Py_ssize_t = (ONE << (64 - r.shift)) - 1
    slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ((key * GOLDEN) & MASK64) >> r.shift)
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    while r.stamps[slot] == r.stamp:
        if r.keys[slot] == key:
            if key < LONG:
                return r.ids[slot]
            at = r.first[r.ids[slot], 0]
            if r.first[r.ids[slot], 1] - at == end - begin:
                i = begin
                while i < end and r.split[i] == r.spelling[at]:
                    i += 1
                    at += 1
                if i == end:
                    return r.ids[slot]
        slot = (slot + 1) & mask
    if not new:
        return NONE
    r.stamps[slot] = r.stamp
    r.keys[slot] = key
    r.ids[slot] = r.known
    if key >= LONG:
        r.first[r.known, 0] = r.spelled
        for i in range(begin, end):
            r.spelling[r.spelled] = r.split[i]
            r.spelled += 1
        r.first[r.known, 1] = r.spelled
    r.known += 1
    return r.known - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare(r: SegmentReader, m: Masks, t: cython.Py_ssize_t, subsequences: cython.bint) -> cython.Py_ssize_t:
    """Return the edit distance or the longest common subsequence of reference t and the candidate."""
    begin: cython.Py_ssize_t = r.bounds[t]
    length: cython.Py_ssize_t = r.bounds[t + 1] - begin
    blocks: cython.Py_ssize_t = (length + 63) // 64
    start: cython.Py_ssize_t = r.bounds[r.texts - 1]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for i in range(r.known + 1):  # row 0: words that the reference does not have
        for k in range(blocks):
            m.masks[i, k] = 0
    for i in range(length):
        m.masks[r.words[begin + i] + 1, i >> 6] |= ONE << (i & 63)
    m.sizes[0] = r.bounds[r.texts] - start
    for i in range(m.sizes[0]):
        m.mapped[0, i] = r.words[start + i] + 1
    if subsequences:
        return compute_subsequence(m, length, 0)
    return compute_distance(m, length, 0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_pair(r: SegmentReader, key: cython.ulonglong, shift: cython.int) -> cython.Py_ssize_t:
    """Return the slot of the n-gram table that holds the key, or the free slot where it belongs."""
    mask: cython.Py_ssize_t = (ONE << (64 - shift)) - 1
    slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ((key * GOLDEN) & MASK64) >> shift)
    while r.pair_stamps[slot] == r.stamp and r.pairs[slot] != key:
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pack(prefix: cython.int, word: cython.int) -> cython.ulonglong:
    return (cython.cast(cython.ulonglong, prefix) << 32) | cython.cast(cython.ulonglong, word)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def enter_ngrams(r: SegmentReader, t: cython.Py_ssize_t, order: cython.Py_ssize_t, shift: cython.int) -> cython.void:
    """Count the n-grams of a reference, and raise the highest counts."""
    gram: cython.int
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    begin: cython.Py_ssize_t = r.bounds[t]
    length: cython.Py_ssize_t = r.bounds[t + 1] - begin
    for n in range(1, order + 1):
        for i in range(length - n + 1):
            if n == 1:
                gram = r.words[begin + i]
            else:
                key = pack(r.prefixes[i], r.words[begin + i + n - 1])
                slot = find_pair(r, key, shift)
                if r.pair_stamps[slot] != r.stamp:
                    r.pair_stamps[slot] = r.stamp
                    r.pairs[slot] = key
                    r.longer[slot] = r.used
                    r.grams[r.used, MOST] = 0
                    r.grams[r.used, TEXT] = NONE
                    r.used += 1
                gram = r.longer[slot]
            r.prefixes[i] = gram
            if r.grams[gram, TEXT] != t:
                r.grams[gram, TEXT] = cython.cast(cython.int, t)
                r.grams[gram, COUNT] = 0
            r.grams[gram, COUNT] += 1
            if r.grams[gram, COUNT] > r.grams[gram, MOST]:
                r.grams[gram, MOST] = r.grams[gram, COUNT]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def match_order(r: SegmentReader, n: cython.Py_ssize_t, shift: cython.int) -> cython.Py_ssize_t:
    """Return the matches of the candidate's n-grams of one order; the next lower order has been matched."""
    hits: cython.Py_ssize_t = 0
    gram: cython.int
    i: cython.Py_ssize_t
    begin: cython.Py_ssize_t = r.bounds[r.texts - 1]
    for i in range(r.bounds[r.texts] - begin - n + 1):
        gram = r.words[begin + i + n - 1]
        if n > 1:
            if r.prefixes[i] < 0 or gram < 0:
                gram = NONE
            else:
                slot = find_pair(r, pack(r.prefixes[i], gram), shift)
                gram = r.longer[slot] if r.pair_stamps[slot] == r.stamp else NONE
        r.prefixes[i] = gram
        if gram >= 0 and r.grams[gram, MOST] > 0:
            r.grams[gram, MOST] -= 1
            hits += 1
    return hits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def start_ngrams(
    r: SegmentReader, first: cython.Py_ssize_t, last: cython.Py_ssize_t, order: cython.Py_ssize_t
) -> cython.int:
    """Enter the n-grams of references first .. last - 1; return the shift for the table's hash."""
    shift: cython.int = 60
    size: cython.Py_ssize_t = 16
    i: cython.Py_ssize_t
    while size < 2 * order * (r.bounds[last] - r.bounds[first]) and 2 * size <= r.pairs.shape[0]:
        size *= 2
        shift -= 1
    r.stamp += 1
    r.used = r.known
    for i in range(r.known):
        r.grams[i, MOST] = 0
        r.grams[i, TEXT] = NONE
    for i in range(first, last):
        enter_ngrams(r, i, order, shift)
    return shift


@cython.cfunc
def match(r: SegmentReader, first: cython.Py_ssize_t, last: cython.Py_ssize_t, order: cython.Py_ssize_t):
    """Return the clipped matches of each order with references first .. last - 1."""
    shift: cython.int = start_ngrams(r, first, last, order)
    return [match_order(r, n, shift) for n in range(1, order + 1)]
