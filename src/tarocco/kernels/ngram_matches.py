# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""N-gram matches of candidates with the references of their segment.

`count_clipped_matches` compares a candidate with all its references at once, as BLEU and NIST do. While a segment is
processed, each n-gram of its references is an *entry*. The entry of an n-gram of order n is found by the entry of its
first n - 1 words and its last word, so each order costs one more look-up, and the walk from a candidate position stops
at the first n-gram that no reference has. Words lead directly to the entries of order 1. Nothing is cleared between
segments: an outdated stamp marks an entry of another segment, reference or candidate. One walk also serves all sets
that leave one reference out, because only the set without the reference that has an n-gram most often has a lower
limit: the second highest count.

`count_matches_of_four` and `count_matches_of_many` compare a candidate with each reference separately, four or 32
references at a time. The references form a trie whose nodes are their n-grams; a node has the count of the n-gram in
each of these references, so one walk over a candidate finds its matches with all of them. If an n-gram was new when it
was first read, then its continuations were new too and became the nodes that follow it. A node therefore stores only
the word that leads to the next node, and most steps of a walk are one comparison. A hash table contains the other
continuations and the first words of n-grams, at most one entry per position. Again nothing is cleared: texts are
numbered, and whatever was written before the first of the current references is outdated.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

if cython.compiled:
    from cython.cimports.libc.math import log2
    from cython.cimports.tarocco.kernels.segments import Texts
else:
    from math import log2

    from tarocco.kernels.segments import Texts

COMPILED = cython.compiled

GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

# Columns of `entries`.
MOST = cython.declare(cython.int, 0)  # highest count in one reference
COUNT = cython.declare(cython.int, 1)  # count in the current text
STAMP = cython.declare(cython.int, 2)  # number of that text
GRAM = cython.declare(cython.int, 3)  # id of the n-gram in the weight context; NONE if it occurs at most once there
WHOSE = cython.declare(cython.int, 4)  # the reference with the highest count
SECOND = cython.declare(cython.int, 5)  # highest count in one of the other references
NONE = cython.declare(cython.int, -1)
UNKNOWN = cython.declare(cython.int, -2)  # GRAM is looked up when a candidate first has the n-gram


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pack(first: cython.int, second: cython.int) -> cython.ulonglong:
    return (cython.cast(cython.ulonglong, first) << 32) | cython.cast(cython.ulonglong, second)


@cython.cclass
class EntryTable:
    """The entries of a segment, and the hash table from (prefix entry, word) to entries."""

    word_entries: cython.int[:, ::1]  # [entry, segment] of each word
    keys: cython.ulonglong[::1]
    slot_entries: cython.int[::1]
    slot_stamps: cython.int[::1]
    shift: cython.int
    entries: cython.int[:, ::1]
    used: cython.int  # number of entries


@cython.cclass
class WeightContext:
    """The counts of n-grams in a corpus, from which tarocco.metrics.ngram.nist derives information weights."""

    words: cython.const[cython.int][::1]
    pair_keys: cython.const[cython.ulonglong][::1]
    pair_grams: cython.const[cython.int][::1]
    shift: cython.int
    counts: cython.const[cython.int][::1]
    total: cython.double


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_slot(table: EntryTable, key: cython.ulonglong, segment: cython.int) -> cython.Py_ssize_t:
    """Return the slot that holds the key in this segment, or the free slot where it belongs."""
    mask: cython.Py_ssize_t = table.keys.shape[0] - 1
    slot: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> table.shift
    while table.slot_stamps[slot] == segment and table.keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_entry(table: EntryTable) -> cython.int:
    """Append an empty entry and return its number."""
    entry = table.used
    table.used = entry + 1
    table.entries[entry, MOST] = 0
    table.entries[entry, STAMP] = 0
    table.entries[entry, GRAM] = UNKNOWN
    table.entries[entry, WHOSE] = NONE
    table.entries[entry, SECOND] = 0
    return entry


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count_once_more(table: EntryTable, entry: cython.int, text: cython.int) -> cython.int:
    """Increment and return the count of an n-gram in a text."""
    if table.entries[entry, STAMP] != text:
        table.entries[entry, STAMP] = text
        table.entries[entry, COUNT] = 0
    table.entries[entry, COUNT] += 1
    return table.entries[entry, COUNT]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_reference(
    table: EntryTable,
    references: Texts,
    row: cython.Py_ssize_t,
    whose: cython.int,
    text: cython.int,
    segment: cython.int,
    order: cython.int,
) -> cython.void:
    """Enter the n-grams of a reference: text number `text`, reference number `whose` of its segment."""
    end = references.bounds[row + 1]
    for i in range(references.bounds[row], end):
        last = min(i + order, end)
        word = references.words[i]
        if table.word_entries[word, 1] != segment:
            table.word_entries[word, 0] = add_entry(table)
            table.word_entries[word, 1] = segment
        entry = table.word_entries[word, 0]
        j = i
        while True:
            count = count_once_more(table, entry, text)
            if count > table.entries[entry, MOST]:
                if table.entries[entry, WHOSE] != whose:
                    table.entries[entry, WHOSE] = whose
                    table.entries[entry, SECOND] = table.entries[entry, MOST]
                table.entries[entry, MOST] = count
            elif count > table.entries[entry, SECOND] and table.entries[entry, WHOSE] != whose:
                table.entries[entry, SECOND] = count
            j += 1
            if j == last:
                break
            key = pack(entry, references.words[j])
            slot = find_slot(table, key, segment)
            if table.slot_stamps[slot] != segment:
                table.slot_stamps[slot] = segment
                table.keys[slot] = key
                table.slot_entries[slot] = add_entry(table)
            entry = table.slot_entries[slot]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_extension(context: WeightContext, prefix: cython.int, word: cython.int) -> cython.int:
    """Return the id of the context's n-gram made of `prefix` and `word`, -1 if it does not occur twice."""
    mask: cython.Py_ssize_t = context.pair_keys.shape[0] - 1
    key = pack(prefix, word)
    slot: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> context.shift
    while context.pair_grams[slot] >= 0:
        if context.pair_keys[slot] == key:
            return context.pair_grams[slot]
        slot = (slot + 1) & mask
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh_entry(
    table: EntryTable,
    context: WeightContext,
    entry: cython.int,
    word: cython.int,
    is_word: cython.bint,
    prefix: cython.int,
    weights: cython.double[::1],
) -> cython.void:
    """Look up the weight of an entry: a word, or the n-gram of the context's n-gram `prefix` and `word`."""
    gram = context.words[word]
    if is_word:
        weights[entry] = log2(context.total / context.counts[gram]) if gram >= 0 else log2(context.total)
    elif prefix < 0:  # the prefix occurs once, so the n-gram does too
        gram = NONE
        weights[entry] = 0.0
    else:
        if gram >= 0:
            gram = find_extension(context, prefix, gram)
        weights[entry] = log2(
            cython.cast(cython.double, context.counts[prefix]) / (context.counts[gram] if gram >= 0 else 1)
        )
    table.entries[entry, GRAM] = gram


def count_clipped_matches(
    candidates: Texts,
    references: Texts,
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
    """Add to matches[i, n - 1] the clipped n-gram matches of candidate rows[i], or the sum of their weights.

    With `leaving_out`, a candidate has further rows, for the sets without its first reference, its second and so on.
    If `weighted`, an entry gets its weight when a candidate first has it; otherwise the context is not read.
    """
    text: cython.int = 0  # number of the current reference or candidate
    out: cython.Py_ssize_t = 0
    weight: cython.double = 1.0
    table: EntryTable = EntryTable()
    table.word_entries = word_entries
    table.keys = keys
    table.slot_entries = slot_entries
    table.slot_stamps = slot_stamps
    table.shift = shift
    table.entries = entries
    context: WeightContext = WeightContext()
    context.words = context_words
    context.pair_keys = pair_keys
    context.pair_grams = pair_grams
    context.shift = pair_shift
    context.counts = counts
    context.total = total
    with cython.nogil:
        for segment in range(cython.cast(cython.int, candidates.groups.shape[0] - 1)):
            n_references = references.groups[segment + 1] - references.groups[segment]
            sets = 1 + n_references if leaving_out else 1
            table.used = 0
            for other in range(n_references):
                text += 1
                row = references.rows[references.groups[segment] + other]
                read_reference(table, references, row, cython.cast(cython.int, other), text, segment, order)
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                row = candidates.rows[member]
                text += 1
                end = candidates.bounds[row + 1]
                for i in range(candidates.bounds[row], end):
                    last = min(i + order, end)
                    if word_entries[candidates.words[i], 1] != segment:
                        continue
                    entry = word_entries[candidates.words[i], 0]
                    prefix = NONE
                    j = i
                    while True:
                        count = count_once_more(table, entry, text)
                        if weighted and entries[entry, GRAM] == UNKNOWN:
                            weigh_entry(table, context, entry, candidates.words[j], j == i, prefix, weights)
                        if count <= entries[entry, MOST]:
                            if weighted:
                                weight = weights[entry]
                            unmatched: cython.Py_ssize_t = NONE  # the set that has too few of it
                            if count > entries[entry, SECOND]:
                                unmatched = 1 + entries[entry, WHOSE]
                            for k in range(sets):
                                if k != unmatched:
                                    matches[out + k, j - i] += weight
                        prefix = entries[entry, GRAM]
                        j += 1
                        if j == last:
                            break
                        slot = find_slot(table, pack(entry, candidates.words[j]), segment)
                        if slot_stamps[slot] != segment:
                            break
                        entry = slot_entries[slot]
                out += sets


@cython.cclass
class Trie:
    """The sizes of a trie of n-grams, for `count_matches_of_four` and `count_matches_of_many`.

    Its arrays are separate arguments, because the C compiler would have to reload them from a record after each write.
    The hash table has entries [text, node, word, child], four numbers each; -1 or less is the root of the trie. An
    entry is outdated if its text is less than `first`. Of four references, a node is eight numbers: the counts in the
    references, the count in the current candidate, the number of that candidate, the word that leads to the next node
    (-1: none), and whether other words lead to other nodes. Of 32 references, `counts` has the counts and `nodes` the
    other four numbers.
    """

    shift: cython.int
    mask: cython.Py_ssize_t
    first: cython.int
    known: cython.Py_ssize_t  # where the next new node goes


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_place(
    table: cython.const[cython.int][::1],
    node: cython.Py_ssize_t,
    word: cython.int,
    first: cython.int,
    shift: cython.int,
    mask: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return the place of the table's entry for (node, word), or the free place where it belongs."""
    key: cython.ulonglong = (cython.cast(cython.ulonglong, node) << 32) | cython.cast(cython.ulonglong, word)
    place: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while table[place * 4] >= first and (table[place * 4 + 2] != word or table[place * 4 + 1] != node):
        place = (place + 1) & mask
    return place * 4


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_child(
    table: cython.int[::1],
    place: cython.Py_ssize_t,
    text: cython.int,
    node: cython.Py_ssize_t,
    word: cython.int,
    child: cython.Py_ssize_t,
) -> cython.void:
    table[place] = text
    table[place + 1] = cython.cast(cython.int, node)
    table[place + 2] = word
    table[place + 3] = cython.cast(cython.int, child)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_one_of_four(
    trie: Trie,
    nodes: cython.int[::1],
    table: cython.int[::1],
    references: Texts,
    row: cython.Py_ssize_t,
    lane: cython.Py_ssize_t,
    text: cython.int,
    order: cython.Py_ssize_t,
) -> cython.void:
    """Enter the n-grams of a reference, number `lane` of four."""
    seen: cython.Py_ssize_t = 5  # local constants, so that the C compiler sees their values
    following: cython.Py_ssize_t = 6
    branches: cython.Py_ssize_t = 7
    first = trie.first
    known = trie.known
    end = references.bounds[row + 1]
    for i in range(references.bounds[row], end):
        last = min(i + order, end)
        node: cython.Py_ssize_t = -8
        for j in range(i, last):
            word = references.words[j]
            if node >= 0 and nodes[node + following] == word:
                node += 8
                nodes[node + lane] += 1
                continue
            place = find_place(table, node, word, first, trie.shift, trie.mask)
            if table[place] >= first:
                node = table[place + 3]
                nodes[node + lane] += 1
                continue
            add_child(table, place, text, node, word, known)
            if node >= 0:
                nodes[node + branches] = 1
            for k in range(j + 1, last + 1):  # this n-gram and all that continue it are new
                node = known
                nodes[node] = 0
                nodes[node + 1] = 0
                nodes[node + 2] = 0
                nodes[node + 3] = 0
                nodes[node + lane] = 1
                nodes[node + seen] = 0
                nodes[node + following] = references.words[k] if k < last else -1
                nodes[node + branches] = 0
                known += 8
            break
    trie.known = known


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def match_with_four(
    trie: Trie,
    nodes: cython.int[::1],
    table: cython.int[::1],
    candidates: Texts,
    row: cython.Py_ssize_t,
    lanes: cython.Py_ssize_t,
    text: cython.int,
    order: cython.Py_ssize_t,
    tallies: cython.int[::1],
) -> cython.void:
    """Count the matches of a candidate with each of the references: tallies[4 * (n - 1) + lane]."""
    used: cython.Py_ssize_t = 4
    seen: cython.Py_ssize_t = 5
    following: cython.Py_ssize_t = 6
    branches: cython.Py_ssize_t = 7
    for j in range(order * 4):
        tallies[j] = 0
    first = trie.first
    shift = trie.shift
    mask = trie.mask
    end = candidates.bounds[row + 1]
    for i in range(candidates.bounds[row], end):
        last = min(i + order, end)
        node: cython.Py_ssize_t = -8
        tally: cython.Py_ssize_t = 0
        for j in range(i, last):
            word = candidates.words[j]
            if node >= 0 and nodes[node + following] == word:
                node += 8
            elif node >= 0 and nodes[node + branches] == 0:
                break
            else:
                place = find_place(table, node, word, first, shift, mask)
                if table[place] < first:
                    break
                node = table[place + 3]
            count: cython.int = nodes[node + used] + 1 if nodes[node + seen] == text else 1
            nodes[node + used] = count
            nodes[node + seen] = text
            for lane in range(lanes):
                tallies[tally + lane] += cython.cast(cython.int, count <= nodes[node + lane])
            tally += 4


def count_matches_of_four(
    candidates: Texts,
    references: Texts,
    order: cython.Py_ssize_t,
    nodes: cython.int[::1],
    table: cython.int[::1],
    tallies: cython.int[::1],
    matches: cython.double[:, ::1],
):
    """Fill matches[pair, n - 1] with the sum over all n-grams of order n of the smaller of their two counts.

    nodes has eight numbers per n-gram of any four consecutive references of a segment. The table is zero and has four
    numbers per place; the number of places is a power of two, at least 16 and at least 3/2 of the words of the four.
    tallies has four numbers per order.
    """
    pair: cython.Py_ssize_t = 0  # the first pair of the segment
    text: cython.int = 0  # number of the current reference or candidate
    trie: Trie = Trie()
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            n_references = references.groups[segment + 1] - references.groups[segment]
            for begin in range(0, n_references, 4):
                lanes = min(n_references - begin, 4)
                first = references.groups[segment] + begin
                # Use only as much of the table as these references need, so that it stays in the nearest cache.
                n_words: cython.Py_ssize_t = 0
                for lane in range(lanes):
                    row = references.rows[first + lane]
                    n_words += references.bounds[row + 1] - references.bounds[row]
                size: cython.Py_ssize_t = 16
                trie.shift = 60
                while 2 * size < 3 * n_words:
                    size *= 2
                    trie.shift -= 1
                trie.mask = size - 1
                trie.first = text + 1
                trie.known = 0
                for lane in range(lanes):
                    text += 1
                    read_one_of_four(trie, nodes, table, references, references.rows[first + lane], lane, text, order)
                for member in range(candidates.groups[segment + 1] - candidates.groups[segment]):
                    text += 1
                    row = candidates.rows[candidates.groups[segment] + member]
                    match_with_four(trie, nodes, table, candidates, row, lanes, text, order, tallies)
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * n_references + begin + lane, j] = tallies[j * 4 + lane]
            pair += (candidates.groups[segment + 1] - candidates.groups[segment]) * n_references


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_one_of_many(
    trie: Trie,
    nodes: cython.int[::1],
    table: cython.int[::1],
    counts: cython.short[:, ::1],
    references: Texts,
    row: cython.Py_ssize_t,
    lane: cython.Py_ssize_t,
    text: cython.int,
    order: cython.Py_ssize_t,
) -> cython.void:
    """Enter the n-grams of a reference, number `lane` of 32."""
    seen: cython.Py_ssize_t = 1
    following: cython.Py_ssize_t = 2
    branches: cython.Py_ssize_t = 3
    first = trie.first
    known = trie.known
    end = references.bounds[row + 1]
    for i in range(references.bounds[row], end):
        last = min(i + order, end)
        node: cython.Py_ssize_t = -1
        for j in range(i, last):
            word = references.words[j]
            if node >= 0 and nodes[4 * node + following] == word:
                node += 1
                counts[node, lane] += 1
                continue
            place = find_place(table, node, word, first, trie.shift, trie.mask)
            if table[place] >= first:
                node = table[place + 3]
                counts[node, lane] += 1
                continue
            add_child(table, place, text, node, word, known)
            if node >= 0:
                nodes[4 * node + branches] = 1
            for k in range(j + 1, last + 1):  # this n-gram and all that continue it are new
                node = known
                for other in range(32):
                    counts[node, other] = 0
                counts[node, lane] = 1
                nodes[4 * node + seen] = 0
                nodes[4 * node + following] = references.words[k] if k < last else -1
                nodes[4 * node + branches] = 0
                known += 1
            break
    trie.known = known


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_matches(
    counts: cython.const[cython.short][:, ::1],
    node: cython.Py_ssize_t,
    times: cython.short,
    tallies: cython.short[:, ::1],
    order: cython.Py_ssize_t,
) -> cython.void:
    """Count a match for each reference that has the n-gram of a node at least `times` times."""
    for lane in range(32):  # a constant, so that the C compiler uses vector instructions
        tallies[order, lane] += cython.cast(cython.short, counts[node, lane] >= times)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def match_with_many(
    trie: Trie,
    nodes: cython.int[::1],
    table: cython.int[::1],
    counts: cython.const[cython.short][:, ::1],
    candidates: Texts,
    row: cython.Py_ssize_t,
    text: cython.int,
    order: cython.Py_ssize_t,
    tallies: cython.short[:, ::1],
) -> cython.void:
    """Count the matches of a candidate with each of the references: tallies[n - 1, lane]."""
    used: cython.Py_ssize_t = 0
    seen: cython.Py_ssize_t = 1
    following: cython.Py_ssize_t = 2
    branches: cython.Py_ssize_t = 3
    for j in range(order):
        for lane in range(32):
            tallies[j, lane] = 0
    first = trie.first
    shift = trie.shift
    mask = trie.mask
    end = candidates.bounds[row + 1]
    for i in range(candidates.bounds[row], end):
        last = min(i + order, end)
        node: cython.Py_ssize_t = -1
        for j in range(i, last):
            word = candidates.words[j]
            if node >= 0 and nodes[4 * node + following] == word:
                node += 1
            elif node >= 0 and nodes[4 * node + branches] == 0:
                break
            else:
                place = find_place(table, node, word, first, shift, mask)
                if table[place] < first:
                    break
                node = table[place + 3]
            times: cython.int = nodes[4 * node + used] + 1 if nodes[4 * node + seen] == text else 1
            nodes[4 * node + used] = times
            nodes[4 * node + seen] = text
            add_matches(counts, node, cython.cast(cython.short, times), tallies, j - i)


def count_matches_of_many(
    candidates: Texts,
    references: Texts,
    order: cython.Py_ssize_t,
    counts: cython.short[:, ::1],
    nodes: cython.int[::1],
    table: cython.int[::1],
    shift: cython.int,
    tallies: cython.short[:, ::1],
    matches: cython.double[:, ::1],
):
    """Do the same as `count_matches_of_four`, 32 references at a time; texts have fewer than 32768 words.

    counts has 32 numbers per n-gram of any 32 consecutive references of a segment, nodes four. The table is zero and
    has four numbers for each of 2 ** (64 - shift) places, at least 3/2 of the n-grams. tallies has 32 numbers per
    order.
    """
    pair: cython.Py_ssize_t = 0
    text: cython.int = 0
    trie: Trie = Trie()
    trie.shift = shift
    trie.mask = table.shape[0] // 4 - 1
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            n_references = references.groups[segment + 1] - references.groups[segment]
            for begin in range(0, n_references, 32):
                lanes = min(n_references - begin, 32)
                trie.first = text + 1
                trie.known = 0
                for lane in range(lanes):
                    text += 1
                    row = references.rows[references.groups[segment] + begin + lane]
                    read_one_of_many(trie, nodes, table, counts, references, row, lane, text, order)
                for member in range(candidates.groups[segment + 1] - candidates.groups[segment]):
                    text += 1
                    row = candidates.rows[candidates.groups[segment] + member]
                    match_with_many(trie, nodes, table, counts, candidates, row, text, order, tallies)
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * n_references + begin + lane, j] = tallies[j, lane]
            pair += (candidates.groups[segment + 1] - candidates.groups[segment]) * n_references
