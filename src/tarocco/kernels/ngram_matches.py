# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Clipped n-gram matches of candidates against the references of their segment.

Only n-grams that occur in a reference matter. While a segment is at hand, each of them is an *entry*; an entry of
order n is found from the entry of its first n - 1 words and its last word, so that longer n-grams cost one more look-up
each and a candidate's walk from a position stops at the first n-gram no reference has. Entries of order 1 are found
directly by word id. Stamps instead of clearing: an old stamp means "not of this segment" (or reference, or candidate).

One walk over a candidate also serves all sets that leave one reference out: only without the reference that has an
n-gram most often does the second highest count limit it.


N-gram matches of candidates with each reference of their segment.

References are taken four at a time and written into a trie: each of their n-grams is a *node*, which says how often
each of the four has it, so that one walk over a candidate finds its matches with all four. A walk from a position stops
at the first n-gram that none of the four has.

Where an n-gram was new when it was first met, its continuations were new, too: they are the nodes that follow it. So a
node needs to know no more than the word that leads to the next one, and most steps of a walk are one comparison. Other
continuations, and the first words of n-grams, are found in a hash table, which gets at most one entry a position.

Nothing is cleared: texts are numbered as they come, and what was written before the first of the four references is
not there.


N-gram matches of candidates with each of many references: what `shared` does for a few, 32 references at a time.

The references are written into a trie, as there: each of their n-grams is a node. A node has a small number for each of
the 32, how often it has the n-gram, so that one walk over a candidate finds its matches with all of them: at each step
32 numbers are compared with one, which is a few instructions of the processor. Texts have fewer than 32768 words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

if cython.compiled:
    from cython.cimports.libc.math import log2
else:
    from math import log2

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


def count_clipped_matches(
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


def measure_reference_lengths(
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_place_of_four(
    node: cython.Py_ssize_t,
    word: cython.int,
    first: cython.int,
    shift: cython.int,
    mask: cython.Py_ssize_t,
    table: cython.const[cython.int][::1],
) -> cython.Py_ssize_t:
    """The place in the table of the entry [text, node, word, child], or the free one where it belongs."""
    key: cython.ulonglong = (cython.cast(cython.ulonglong, node) << 32) | cython.cast(cython.ulonglong, word)
    place: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while table[place * 4] >= first and (table[place * 4 + 2] != word or table[place * 4 + 1] != node):
        place = (place + 1) & mask
    return place * 4


def count_matches_of_four(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    order: cython.int,
    nodes: cython.int[::1],
    table: cython.int[::1],
    tallies: cython.int[::1],
    matches: cython.double[:, ::1],
):
    """Fill matches[p, n - 1]: the lesser of the counts in candidate and reference, added over all n-grams of order n.

    Pairs p are each candidate with each of its references, in the order of the groups. nodes has eight numbers for each
    n-gram of any four references that follow each other in a group. The table is all zero and has four numbers for each
    of a power of two of places, at least 16 and at least 3/2 of the words of the four. tallies has four numbers for
    each order.
    """
    # A node: its counts in four references, then what these names say. Constants that the compiler sees, for speed.
    used: cython.Py_ssize_t = 4  # count in the candidate being walked
    seen: cython.Py_ssize_t = 5  # the candidate that it was last seen in
    following: cython.Py_ssize_t = 6  # the word that leads to the next node, -1 if none does
    branches: cython.Py_ssize_t = 7  # whether other words lead to others
    segment: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0  # the first of the segment
    text: cython.int = 0
    first: cython.int
    references: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    lanes: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    member: cython.Py_ssize_t
    tally: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    node: cython.Py_ssize_t
    known: cython.Py_ssize_t  # where the next new node goes
    place: cython.Py_ssize_t
    room: cython.Py_ssize_t
    size: cython.Py_ssize_t
    shift: cython.int
    word: cython.int
    count: cython.int
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = reference_groups[segment + 1] - reference_groups[segment]
            for begin in range(0, references, 4):
                lanes = references - begin if references - begin < 4 else 4
                # As much of the table as these references need: what is small stays in the nearest cache.
                room = 0
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    room += reference_bounds[row + 1] - reference_bounds[row]
                size = 16
                shift = 60
                while 2 * size < 3 * room:
                    size *= 2
                    shift -= 1
                first = text + 1
                known = 0
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    text += 1
                    end = reference_bounds[row + 1]
                    for i in range(reference_bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -8  # a node is where its numbers begin
                        for j in range(i, last):
                            word = reference_words[j]
                            if node >= 0 and nodes[node + following] == word:
                                node += 8
                                nodes[node + lane] += 1
                                continue
                            place = find_place_of_four(node, word, first, shift, size - 1, table)
                            if table[place] >= first:
                                node = table[place + 3]
                                nodes[node + lane] += 1
                                continue
                            table[place] = text
                            table[place + 1] = cython.cast(cython.int, node)
                            table[place + 2] = word
                            table[place + 3] = cython.cast(cython.int, known)
                            if node >= 0:
                                nodes[node + branches] = 1
                            for k in range(j + 1, last + 1):  # this n-gram and all that continue it are new
                                nodes[known] = 0
                                nodes[known + 1] = 0
                                nodes[known + 2] = 0
                                nodes[known + 3] = 0
                                nodes[known + lane] = 1
                                nodes[known + seen] = 0
                                nodes[known + following] = reference_words[k] if k < last else -1
                                nodes[known + branches] = 0
                                known += 8
                            break
                for member in range(groups[segment + 1] - groups[segment]):
                    row = rows[groups[segment] + member]
                    text += 1
                    for j in range(order * 4):
                        tallies[j] = 0
                    end = bounds[row + 1]
                    for i in range(bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -8
                        tally = 0
                        for j in range(i, last):
                            word = words[j]
                            if node >= 0 and nodes[node + following] == word:
                                node += 8
                            elif node >= 0 and nodes[node + branches] == 0:
                                break
                            else:
                                place = find_place_of_four(node, word, first, shift, size - 1, table)
                                if table[place] < first:
                                    break
                                node = table[place + 3]
                            count = nodes[node + used] + 1 if nodes[node + seen] == text else 1
                            nodes[node + used] = count
                            nodes[node + seen] = text
                            for lane in range(lanes):
                                tallies[tally + lane] += cython.cast(cython.int, count <= nodes[node + lane])
                            tally += 4
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * references + begin + lane, j] = tallies[j * 4 + lane]
            pair += (groups[segment + 1] - groups[segment]) * references


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_place_of_many(
    node: cython.Py_ssize_t,
    word: cython.int,
    first: cython.int,
    shift: cython.int,
    mask: cython.Py_ssize_t,
    table: cython.const[cython.int][:, ::1],
) -> cython.Py_ssize_t:
    """The row of the table with the entry [text, node, word, child], or the free one where it belongs."""
    key: cython.ulonglong = (cython.cast(cython.ulonglong, node + 1) << 32) | cython.cast(cython.ulonglong, word)
    place: cython.Py_ssize_t = ((key * GOLDEN) & MASK64) >> shift
    while table[place, 0] >= first and (table[place, 2] != word or table[place, 1] != node):
        place = (place + 1) & mask
    return place


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
    """The candidate has the n-gram of a node for the so-manieth time: a match for those that have it as often."""
    lane: cython.Py_ssize_t
    for lane in range(32):  # a constant that the compiler sees, for speed
        tallies[order, lane] += cython.cast(cython.short, counts[node, lane] >= times)


def count_matches_of_many(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1],
    reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1],
    reference_groups: cython.const[cython.Py_ssize_t][::1],
    order: cython.int,
    counts: cython.short[:, ::1],
    nodes: cython.int[:, ::1],
    table: cython.int[:, ::1],
    shift: cython.int,
    tallies: cython.short[:, ::1],
    matches: cython.double[:, ::1],
):
    """Fill matches[p, n - 1]: the lesser of the counts in candidate and reference, added over all n-grams of order n.

    Pairs p are each candidate with each of its references, in the order of the groups. counts has 32 numbers for each
    n-gram of any 32 references that follow each other in a group, nodes has four. The table is all zero and has four
    numbers for each of a power of two of places, 2 ** (64 - shift), at least 3/2 of the n-grams. tallies has 32 numbers
    for each order.
    """
    # The columns of a node.
    used: cython.Py_ssize_t = 0  # count in the candidate being walked
    seen: cython.Py_ssize_t = 1  # the candidate that it was last seen in
    following: cython.Py_ssize_t = 2  # the word that leads to the next node, -1 if none does
    branches: cython.Py_ssize_t = 3  # whether other words lead to others
    mask: cython.Py_ssize_t = table.shape[0] - 1
    segment: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0  # the first of the segment
    text: cython.int = 0
    first: cython.int
    references: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    lanes: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    member: cython.Py_ssize_t
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    node: cython.Py_ssize_t
    known: cython.Py_ssize_t  # where the next new node goes
    place: cython.Py_ssize_t
    word: cython.int
    times: cython.int
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = reference_groups[segment + 1] - reference_groups[segment]
            for begin in range(0, references, 32):
                lanes = references - begin if references - begin < 32 else 32
                first = text + 1
                known = 0
                for lane in range(lanes):
                    row = reference_rows[reference_groups[segment] + begin + lane]
                    text += 1
                    end = reference_bounds[row + 1]
                    for i in range(reference_bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -1
                        for j in range(i, last):
                            word = reference_words[j]
                            if node >= 0 and nodes[node, following] == word:
                                node += 1
                                counts[node, lane] += 1
                                continue
                            place = find_place_of_many(node, word, first, shift, mask, table)
                            if table[place, 0] >= first:
                                node = table[place, 3]
                                counts[node, lane] += 1
                                continue
                            table[place, 0] = text
                            table[place, 1] = cython.cast(cython.int, node)
                            table[place, 2] = word
                            table[place, 3] = cython.cast(cython.int, known)
                            if node >= 0:
                                nodes[node, branches] = 1
                            for k in range(j + 1, last + 1):  # this n-gram and all that continue it are new
                                for member in range(32):
                                    counts[known, member] = 0
                                counts[known, lane] = 1
                                nodes[known, seen] = 0
                                nodes[known, following] = reference_words[k] if k < last else -1
                                nodes[known, branches] = 0
                                known += 1
                            break
                for member in range(groups[segment + 1] - groups[segment]):
                    row = rows[groups[segment] + member]
                    text += 1
                    for j in range(order):
                        for lane in range(32):
                            tallies[j, lane] = 0
                    end = bounds[row + 1]
                    for i in range(bounds[row], end):
                        last = i + order
                        if last > end:
                            last = end
                        node = -1
                        for j in range(i, last):
                            word = words[j]
                            if node >= 0 and nodes[node, following] == word:
                                node += 1
                            elif node >= 0 and nodes[node, branches] == 0:
                                break
                            else:
                                place = find_place_of_many(node, word, first, shift, mask, table)
                                if table[place, 0] < first:
                                    break
                                node = table[place, 3]
                            times = nodes[node, used] + 1 if nodes[node, seen] == text else 1
                            nodes[node, used] = times
                            nodes[node, seen] = text
                            add_matches(counts, node, cython.cast(cython.short, times), tallies, j - i)
                    for lane in range(lanes):
                        for j in range(order):
                            matches[pair + member * references + begin + lane, j] = tallies[j, lane]
            pair += (groups[segment + 1] - groups[segment]) * references
