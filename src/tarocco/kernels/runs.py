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
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import standin as cython

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


def match(
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
