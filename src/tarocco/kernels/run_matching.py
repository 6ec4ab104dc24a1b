# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Matchings made of runs: stretches of words that a candidate and a reference have in common, each word used once.

`match` takes the longest run that is left, over and over. Three facts make that quick.

- When a run is taken, no other is longer. So what it covers of another one reaches to an end of that one: a run is only
  ever cut at its ends, stays in one piece, and may wait in a queue under a length that is out of date.
- A matching to which no pair of equal words can be added has as many pairs as the bags of words have in common,
  whatever its runs are. So runs of one word need not be looked for: they are what the longer ones leave of the overlap.
- Once no run has more than L words, the runs of L words can be taken as they are met, in any order that is wanted.

Let z be the number of pairs of positions with equal words, and s that of runs of two words or more among them. Finding
the runs takes time z; the queue takes room s and s log s steps where runs are seldom cut, z log s at the very worst.
Where there is no room for s, each length that occurs takes two walks over z instead: a text of n words has at most
about sqrt(2n) of them.


The best matching made of runs, by search.

Every matching to which no pair of equal words can be added has as many pairs as the bags of words have in common, so
what matters is only what runs of two words or more gain beyond that: length^e - length each. The search goes through
the candidate from left to right and decides where a run begins, at which place of the reference, and how long it is.
It turns back where even all that the rest of the candidate could gain, if each run had the reference for itself, would
not beat the best matching so far. That can take time exponential in the number of words, so steps are counted, and too
many end the search.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

# A run in the queue is one number, length * 2^43 + candidate position * 2^22 + reference position: the largest is the
# longest run, and of equal ones that with the later start in the candidate, then in the reference.
MASK21 = cython.declare(cython.ulonglong, (1 << 21) - 1)
MASK22 = cython.declare(cython.ulonglong, (1 << 22) - 1)

# Columns of `index`, which has a row for each word.
SEEN = cython.declare(cython.int, 0)  # the reference it was last seen in
LAST = cython.declare(cython.int, 1)  # its last position there; `chain` goes on to those before
COUNT = cython.declare(cython.int, 2)  # how often it occurs there
PAIR = cython.declare(cython.int, 3)  # the pair of texts it was last counted in
USED = cython.declare(cython.int, 4)  # how often it has occurred in that candidate so far


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read(
    texts: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    stamp: cython.int,
    index: cython.int[:, ::1],
    chain: cython.int[::1],
) -> cython.void:
    """Note where each word of a reference stands; chains of positions go from the last to the first."""
    j: cython.Py_ssize_t
    word: cython.int
    for j in range(length):
        word = texts[start + j]
        if index[word, SEEN] != stamp:
            index[word, SEEN] = stamp
            index[word, LAST] = -1
            index[word, COUNT] = 0
        chain[j] = index[word, LAST]
        index[word, LAST] = cython.cast(cython.int, j)
        index[word, COUNT] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def push(queue: cython.ulonglong[::1], size: cython.Py_ssize_t, run: cython.ulonglong) -> cython.void:
    """Put a run into a binary heap of `size` runs."""
    k: cython.Py_ssize_t = size
    while k > 0 and queue[(k - 1) >> 1] < run:
        queue[k] = queue[(k - 1) >> 1]
        k = (k - 1) >> 1
    queue[k] = run


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pop(queue: cython.ulonglong[::1], size: cython.Py_ssize_t) -> cython.ulonglong:
    """Take the largest run out of a heap of `size` runs."""
    top: cython.ulonglong = queue[0]
    last: cython.ulonglong = queue[size - 1]
    k: cython.Py_ssize_t = 0
    child: cython.Py_ssize_t = 1
    while child < size - 1:
        if child + 1 < size - 1 and queue[child + 1] > queue[child]:
            child += 1
        if queue[child] <= last:
            break
        queue[k] = queue[child]
        k = child
        child = 2 * k + 1
    queue[k] = last
    return top


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    stamp: cython.int,
    pair: cython.int,
    index: cython.int[:, ::1],
) -> cython.Py_ssize_t:
    """How many words the bags have in common."""
    i: cython.Py_ssize_t
    word: cython.int
    hits: cython.Py_ssize_t = 0
    for i in range(start, start + length):
        word = words[i]
        if index[word, SEEN] == stamp:
            if index[word, PAIR] != pair:
                index[word, PAIR] = pair
                index[word, USED] = 0
            index[word, USED] += 1
            hits += index[word, USED] <= index[word, COUNT]
    return hits


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def collect(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    texts: cython.const[cython.int][::1],
    other_start: cython.Py_ssize_t,
    other_length: cython.Py_ssize_t,
    stamp: cython.int,
    index: cython.const[cython.int][:, ::1],
    chain: cython.const[cython.int][::1],
    queue: cython.ulonglong[::1],
) -> cython.Py_ssize_t:
    """Queue all runs of two words or more; how many there are, or -1 if there is no room for them."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    run: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    for i in range(length - 1):
        c = start + i
        if index[words[c], SEEN] != stamp:
            continue
        j = index[words[c], LAST]
        while j >= 0:
            r = other_start + j
            if (
                j + 1 < other_length
                and words[c + 1] == texts[r + 1]
                and (i == 0 or j == 0 or words[c - 1] != texts[r - 1])
            ):
                run = 2
                while i + run < length and j + run < other_length and words[c + run] == texts[r + run]:
                    run += 1
                if found == queue.shape[0]:
                    return -1
                push(
                    queue,
                    found,
                    (cython.cast(cython.ulonglong, run) << 43)
                    | (cython.cast(cython.ulonglong, i) << 22)
                    | cython.cast(cython.ulonglong, j),
                )
                found += 1
            j = chain[j]
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def take_from_queue(
    queue: cython.ulonglong[::1],
    waiting: cython.Py_ssize_t,
    left: cython.Py_ssize_t,
    pair: cython.int,
    taken: cython.int[:, ::1],
    lengths: cython.int[::1],
    written: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Take runs from the longest until fewer than two of the `left` words in common are left; the new `written`."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    run: cython.Py_ssize_t
    whole: cython.Py_ssize_t
    k: cython.Py_ssize_t
    top: cython.ulonglong
    while waiting > 0 and left > 1:
        top = pop(queue, waiting)
        waiting -= 1
        whole = cython.cast(cython.Py_ssize_t, top >> 43)
        i = cython.cast(cython.Py_ssize_t, (top >> 22) & MASK21)
        j = cython.cast(cython.Py_ssize_t, top & MASK22)
        run = whole
        while run > 1 and (taken[0, i] == pair or taken[1, j] == pair):
            i += 1
            j += 1
            run -= 1
        while run > 1 and (taken[0, i + run - 1] == pair or taken[1, j + run - 1] == pair):
            run -= 1
        if run < 2:
            continue
        if run < whole:
            push(
                queue,
                waiting,
                (cython.cast(cython.ulonglong, run) << 43)
                | (cython.cast(cython.ulonglong, i) << 22)
                | cython.cast(cython.ulonglong, j),
            )
            waiting += 1
            continue
        for k in range(run):
            taken[0, i + k] = pair
            taken[1, j + k] = pair
        lengths[written] = cython.cast(cython.int, run)
        written += 1
        left -= run
    return written


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def walk(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    texts: cython.const[cython.int][::1],
    other_start: cython.Py_ssize_t,
    other_length: cython.Py_ssize_t,
    stamp: cython.int,
    index: cython.const[cython.int][:, ::1],
    chain: cython.const[cython.int][::1],
    pair: cython.int,
    taken: cython.int[:, ::1],
    wanted: cython.Py_ssize_t,
    lengths: cython.int[::1],
    written: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Take all runs of `wanted` words, the longest there are, and return the new `written`.

    If `wanted` is 0, only look: return how long the longest run of free words is.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t
    run: cython.Py_ssize_t
    longest: cython.Py_ssize_t = 0
    for i in range(length - 1, -1, -1):
        c = start + i
        j = index[words[c], LAST] if index[words[c], SEEN] == stamp else -1
        while j >= 0:
            r = other_start + j
            run = 0
            if i == 0 or j == 0 or words[c - 1] != texts[r - 1] or taken[0, i - 1] == pair or taken[1, j - 1] == pair:
                while (
                    i + run < length
                    and j + run < other_length
                    and words[c + run] == texts[r + run]
                    and taken[0, i + run] != pair
                    and taken[1, j + run] != pair
                ):
                    run += 1
            if run > longest:
                longest = run
            if 0 < wanted <= run:
                for k in range(run):
                    taken[0, i + k] = pair
                    taken[1, j + k] = pair
                lengths[written] = cython.cast(cython.int, run)
                written += 1
            j = chain[j]
    return written if wanted else longest


def match_runs_greedily(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    texts: cython.const[cython.int][::1],
    text_bounds: cython.const[cython.Py_ssize_t][::1],
    text_rows: cython.const[cython.Py_ssize_t][::1],
    text_groups: cython.const[cython.Py_ssize_t][::1],
    index: cython.int[:, ::1],
    chain: cython.int[::1],
    queue: cython.ulonglong[::1],
    taken: cython.int[:, ::1],
    hits: cython.Py_ssize_t[::1],
    owners: cython.Py_ssize_t[::1],
    lengths: cython.int[::1],
):
    """The greedy matching of each candidate and each of its references; returns how many runs were written.

    hits gets the number of words matched, for each pair of texts in the order of the groups. Runs of two words or more
    go to owners (the pair) and lengths; those of a pair stand together, the longest first. index is filled with -1, one
    row a word; chain has room for the longest reference, taken (-1 too) for the longest text of either side.
    """
    segment: cython.Py_ssize_t
    base: cython.Py_ssize_t = 0
    pair: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    references: cython.Py_ssize_t
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    text: cython.Py_ssize_t
    text_length: cython.Py_ssize_t
    found: cython.Py_ssize_t
    first: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    stamp: cython.int = 0
    p: cython.int
    written: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            references = text_groups[segment + 1] - text_groups[segment]
            for other in range(references if groups[segment + 1] > groups[segment] else 0):
                text = text_bounds[text_rows[text_groups[segment] + other]]
                text_length = text_bounds[text_rows[text_groups[segment] + other] + 1] - text
                read(texts, text, text_length, stamp, index, chain)
                for member in range(groups[segment + 1] - groups[segment]):
                    pair = base + member * references + other
                    p = cython.cast(cython.int, pair)
                    start = bounds[rows[groups[segment] + member]]
                    length = bounds[rows[groups[segment] + member] + 1] - start
                    hits[pair] = count(words, start, length, stamp, p, index)
                    if hits[pair] < 2:
                        continue
                    first = written
                    found = collect(words, start, length, texts, text, text_length, stamp, index, chain, queue)
                    if found >= 0:
                        written = take_from_queue(queue, found, hits[pair], p, taken, lengths, written)
                    while found < 0:
                        longest = walk(
                            words,
                            start,
                            length,
                            texts,
                            text,
                            text_length,
                            stamp,
                            index,
                            chain,
                            p,
                            taken,
                            0,
                            lengths,
                            written,
                        )
                        if longest < 2:
                            break
                        written = walk(
                            words,
                            start,
                            length,
                            texts,
                            text,
                            text_length,
                            stamp,
                            index,
                            chain,
                            p,
                            taken,
                            longest,
                            lengths,
                            written,
                        )
                    for found in range(first, written):
                        owners[found] = pair
                stamp += 1
            base += references * (groups[segment + 1] - groups[segment])
    return written


ROUNDING = cython.declare(
    cython.double, 1e-12
)  # what is better by less than this share is the same, added up otherwise


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    texts: cython.const[cython.int][::1],
    text: cython.Py_ssize_t,
    text_length: cython.Py_ssize_t,
    gains: cython.const[cython.double][::1],
    reach: cython.Py_ssize_t[::1],
    hope: cython.double[::1],
) -> cython.void:
    """hope[i]: no more than this can be gained from position i on."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    run: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    for j in range(text_length + 1):
        reach[j] = 0
    hope[length] = 0
    for i in range(length - 1, -1, -1):
        longest = 0
        for j in range(text_length):  # from left to right: reach[j + 1] is still that of the next word
            reach[j] = reach[j + 1] + 1 if words[start + i] == texts[text + j] else 0
            if reach[j] > longest:
                longest = reach[j]
        hope[i] = hope[i + 1]
        for run in range(2, longest + 1):
            if gains[run] + hope[i + run] > hope[i]:
                hope[i] = gains[run] + hope[i + run]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best(
    words: cython.const[cython.int][::1],
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    texts: cython.const[cython.int][::1],
    text: cython.Py_ssize_t,
    text_length: cython.Py_ssize_t,
    gains: cython.const[cython.double][::1],
    hope: cython.const[cython.double][::1],
    found: cython.double,
    steps: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t[:, ::1],
    gained: cython.double[::1],
    taken: cython.uchar[::1],
) -> cython.double:
    """The largest gain, at least `found`; -1 if that takes more than so many steps.

    chosen[depth] is the run that is tried: its start in the candidate, in the reference, its length (0: none yet).
    """
    depth: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    run: cython.Py_ssize_t
    enough: cython.double = found + found * ROUNDING
    chosen[0, 0] = -1
    chosen[0, 1] = 0
    chosen[0, 2] = 0
    gained[0] = 0
    while depth >= 0:
        i = chosen[depth, 0]
        j = chosen[depth, 1]
        run = chosen[depth, 2]
        for k in range(run):  # this one has been tried
            taken[j + k] = 0
        run -= 1
        while run < 2 or gained[depth] + gains[run] + hope[i + run] <= enough:
            steps -= 1
            if run > 2:  # a shorter one at the same place
                run -= 1
                continue
            run = 0
            if j == 0:  # the next word of the candidate, from the end of the reference
                i += 1
                if i >= length or gained[depth] + hope[i] <= enough:
                    break
                j = text_length
            j -= 1
            while (
                i + run < length
                and j + run < text_length
                and words[start + i + run] == texts[text + j + run]
                and not taken[j + run]
            ):
                run += 1
            steps -= run
            if steps < 0:
                for k in range(text_length):
                    taken[k] = 0
                return -1.0
        if run == 0:
            depth -= 1
            continue
        chosen[depth, 0] = i
        chosen[depth, 1] = j
        chosen[depth, 2] = run
        for k in range(run):
            taken[j + k] = 1
        if gained[depth] + gains[run] > enough:
            found = gained[depth] + gains[run]
            enough = found + found * ROUNDING
        gained[depth + 1] = gained[depth] + gains[run]
        depth += 1
        chosen[depth, 0] = i + run - 1
        chosen[depth, 1] = 0
        chosen[depth, 2] = 0
    return found


def search_best_runs(
    words: cython.const[cython.int][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1],
    groups: cython.const[cython.Py_ssize_t][::1],
    texts: cython.const[cython.int][::1],
    text_bounds: cython.const[cython.Py_ssize_t][::1],
    text_rows: cython.const[cython.Py_ssize_t][::1],
    text_groups: cython.const[cython.Py_ssize_t][::1],
    gains: cython.const[cython.double][::1],
    steps: cython.Py_ssize_t,
    reach: cython.Py_ssize_t[::1],
    hope: cython.double[::1],
    chosen: cython.Py_ssize_t[:, ::1],
    gained: cython.double[::1],
    taken: cython.uchar[::1],
    found: cython.double[::1],
):
    """Raise found, the gains of the greedy matchings, to those of the best ones; -1 where that takes too many steps.

    One entry for each candidate and each of its references, in the order of the groups. gains[length] is what a run
    gains. All work arrays have room for the longest text and one more; taken is filled with 0.
    """
    segment: cython.Py_ssize_t
    member: cython.Py_ssize_t
    other: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    text: cython.Py_ssize_t
    text_length: cython.Py_ssize_t
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                start = bounds[rows[member]]
                length = bounds[rows[member] + 1] - start
                for other in range(text_groups[segment], text_groups[segment + 1]):
                    text = text_bounds[text_rows[other]]
                    text_length = text_bounds[text_rows[other] + 1] - text
                    most(words, start, length, texts, text, text_length, gains, reach, hope)
                    if hope[0] > found[pair] + found[pair] * ROUNDING:
                        found[pair] = best(
                            words, start, length, texts, text, text_length,
                            gains, hope, found[pair], steps, chosen, gained, taken,
                        )  # fmt: skip
                    pair += 1
