# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Matchings made of runs (GTM): word sequences that a candidate and a reference have in common, each word used once.

`match_runs_greedily` takes the longest remaining run, over and over. Three facts make this fast.

- No run is longer than the one that is taken. So it covers another run only from one of that run's ends: a run is only
  ever shortened at its ends and stays in one piece, and it may wait in a queue under an outdated length.
- A matching to which no pair of equal words can be added has as many pairs as the bags of words have in common,
  whatever its runs are. So runs of one word need not be searched: they are what the longer runs leave of the overlap.
- Once no run has more than L words, the runs of L words can be taken in any order.

Let z be the number of pairs of positions with equal words, and s the number of runs of at least two words. Finding the
runs takes time O(z); the queue takes space O(s) and time O(s log s) if runs are rarely shortened, O(z log s) in the
worst case. If there is no room for s runs, each length that occurs takes two passes over z instead; a text of n words
has at most about sqrt(2n) lengths.

`search_best_runs` finds the best matching. By the second fact, only the gains of runs of at least two words matter:
length^e - length each. The search decides from left to right where in the candidate a run begins, where in the
reference, and how long it is. It backtracks if an upper bound for the rest of the candidate, in which each run may use
any reference word, does not exceed the best matching so far. This can take exponential time, so the number of steps is
limited.
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

# A run in the queue is one number, length * 2^43 + candidate position * 2^22 + reference position: the largest number
# is the longest run, and among these the one that starts last in the candidate, then in the reference.
MASK21 = cython.declare(cython.ulonglong, (1 << 21) - 1)
MASK22 = cython.declare(cython.ulonglong, (1 << 22) - 1)

# Columns of `index`, which has a row per word.
SEEN = cython.declare(cython.int, 0)  # the last reference that has the word
LAST = cython.declare(cython.int, 1)  # its last position there; `chain` has the earlier ones
COUNT = cython.declare(cython.int, 2)  # its count there
PAIR = cython.declare(cython.int, 3)  # the last pair of texts in which the word was counted
USED = cython.declare(cython.int, 4)  # its count in that candidate so far

ROUNDING = cython.declare(cython.double, 1e-12)  # relative differences up to this are rounding errors


@cython.cclass
class PairOfTexts:
    """The candidate and the reference of a pair, and the positions of the reference's words."""

    words: cython.const[cython.int][::1]
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    texts: cython.const[cython.int][::1]
    text: cython.Py_ssize_t
    text_length: cython.Py_ssize_t
    index: cython.int[:, ::1]
    chain: cython.int[::1]
    stamp: cython.int  # number of the reference
    pair: cython.int  # number of the pair
    taken: cython.int[:, ::1]  # of each candidate and each reference word: the last pair in which a run has it
    queue: cython.ulonglong[::1]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def set_candidate(p: PairOfTexts, candidates: Texts, row: cython.Py_ssize_t) -> cython.void:
    p.start = candidates.bounds[row]
    p.length = candidates.bounds[row + 1] - p.start


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def set_reference(p: PairOfTexts, references: Texts, row: cython.Py_ssize_t) -> cython.void:
    p.text = references.bounds[row]
    p.text_length = references.bounds[row + 1] - p.text


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def index_reference(p: PairOfTexts) -> cython.void:
    """Chain the positions of each word of the reference, from the last to the first."""
    for j in range(p.text_length):
        word = p.texts[p.text + j]
        if p.index[word, SEEN] != p.stamp:
            p.index[word, SEEN] = p.stamp
            p.index[word, LAST] = -1
            p.index[word, COUNT] = 0
        p.chain[j] = p.index[word, LAST]
        p.index[word, LAST] = cython.cast(cython.int, j)
        p.index[word, COUNT] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def push(queue: cython.ulonglong[::1], size: cython.Py_ssize_t, run: cython.ulonglong) -> cython.void:
    """Push a run to a binary heap of `size` runs."""
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
    """Pop the largest run from a binary heap of `size` runs."""
    top = queue[0]
    last = queue[size - 1]
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
def pack_run(length: cython.Py_ssize_t, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.ulonglong:
    return (
        (cython.cast(cython.ulonglong, length) << 43)
        | (cython.cast(cython.ulonglong, i) << 22)
        | cython.cast(cython.ulonglong, j)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_common_words(p: PairOfTexts) -> cython.Py_ssize_t:
    """Return the size of the intersection of the bags of words."""
    common: cython.Py_ssize_t = 0
    for i in range(p.start, p.start + p.length):
        word = p.words[i]
        if p.index[word, SEEN] == p.stamp:
            if p.index[word, PAIR] != p.pair:
                p.index[word, PAIR] = p.pair
                p.index[word, USED] = 0
            p.index[word, USED] += 1
            common += p.index[word, USED] <= p.index[word, COUNT]
    return common


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def queue_runs(p: PairOfTexts) -> cython.Py_ssize_t:
    """Queue all runs of two words or more; return their number, or -1 if there is no room for them."""
    n_runs: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    for i in range(p.length - 1):
        if i & 63 == 63 and is_interrupted():
            break
        c = p.start + i
        if p.index[p.words[c], SEEN] != p.stamp:
            continue
        j = p.index[p.words[c], LAST]
        while j >= 0:
            r = p.text + j
            if (
                j + 1 < p.text_length
                and p.words[c + 1] == p.texts[r + 1]
                and (i == 0 or j == 0 or p.words[c - 1] != p.texts[r - 1])
            ):
                run: cython.Py_ssize_t = 2
                while i + run < p.length and j + run < p.text_length and p.words[c + run] == p.texts[r + run]:
                    run += 1
                if n_runs == p.queue.shape[0]:
                    return -1
                push(p.queue, n_runs, pack_run(run, i, j))
                n_runs += 1
            j = p.chain[j]
    return n_runs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_from_queue(
    p: PairOfTexts,
    waiting: cython.Py_ssize_t,
    left: cython.Py_ssize_t,
    lengths: cython.int[::1],
    written: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Take the longest runs until fewer than two of the `left` common words remain; return the new `written`."""
    while waiting > 0 and left > 1:
        top = pop(p.queue, waiting)
        waiting -= 1
        whole = cython.cast(cython.Py_ssize_t, top >> 43)
        i = cython.cast(cython.Py_ssize_t, (top >> 22) & MASK21)
        j = cython.cast(cython.Py_ssize_t, top & MASK22)
        run = whole
        while run > 1 and (p.taken[0, i] == p.pair or p.taken[1, j] == p.pair):
            i += 1
            j += 1
            run -= 1
        while run > 1 and (p.taken[0, i + run - 1] == p.pair or p.taken[1, j + run - 1] == p.pair):
            run -= 1
        if run < 2:
            continue
        if run < whole:
            push(p.queue, waiting, pack_run(run, i, j))
            waiting += 1
            continue
        for k in range(run):
            p.taken[0, i + k] = p.pair
            p.taken[1, j + k] = p.pair
        lengths[written] = cython.cast(cython.int, run)
        written += 1
        left -= run
    return written


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begins_run(p: PairOfTexts, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Return whether no run of free words contains the words before positions i and j."""
    return (
        i == 0
        or j == 0
        or p.words[p.start + i - 1] != p.texts[p.text + j - 1]
        or p.taken[0, i - 1] == p.pair
        or p.taken[1, j - 1] == p.pair
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def walk(
    p: PairOfTexts, wanted: cython.Py_ssize_t, lengths: cython.int[::1], written: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Take all runs of `wanted` words, the longest there are, and return the new `written`.

    If `wanted` is 0, only return the length of the longest run of free words.
    """
    longest: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    for i in range(p.length - 1, -1, -1):
        if i & 63 == 63 and is_interrupted():
            break
        c = p.start + i
        j = p.index[p.words[c], LAST] if p.index[p.words[c], SEEN] == p.stamp else -1
        while j >= 0:
            r = p.text + j
            run: cython.Py_ssize_t = 0
            if begins_run(p, i, j):
                while (
                    i + run < p.length
                    and j + run < p.text_length
                    and p.words[c + run] == p.texts[r + run]
                    and p.taken[0, i + run] != p.pair
                    and p.taken[1, j + run] != p.pair
                ):
                    run += 1
            longest = max(longest, run)
            if 0 < wanted <= run:
                for k in range(run):
                    p.taken[0, i + k] = p.pair
                    p.taken[1, j + k] = p.pair
                lengths[written] = cython.cast(cython.int, run)
                written += 1
            j = p.chain[j]
    return written if wanted else longest


def match_runs_greedily(
    candidates: Texts,
    references: Texts,
    index: cython.int[:, ::1],
    chain: cython.int[::1],
    queue: cython.ulonglong[::1],
    taken: cython.int[:, ::1],
    matched: cython.Py_ssize_t[::1],
    owners: cython.Py_ssize_t[::1],
    lengths: cython.int[::1],
):
    """Match each pair greedily; return the number of runs of two words or more.

    matched[pair] gets the number of matched words. `owners` (pairs) and `lengths` get the runs of two words or more;
    those of a pair are consecutive, the longest first. `index` and `taken` are -1; chain has room for the longest
    reference, taken for the longest text of either side.
    """
    base: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    p: PairOfTexts = PairOfTexts()
    p.words = candidates.words
    p.texts = references.words
    p.index = index
    p.chain = chain
    p.stamp = 0
    p.taken = taken
    p.queue = queue
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            n_references = references.groups[segment + 1] - references.groups[segment]
            n_candidates = candidates.groups[segment + 1] - candidates.groups[segment]
            for other in range(n_references if n_candidates > 0 else 0):
                set_reference(p, references, references.rows[references.groups[segment] + other])
                index_reference(p)
                for member in range(n_candidates):
                    pair = base + member * n_references + other
                    p.pair = cython.cast(cython.int, pair)
                    set_candidate(p, candidates, candidates.rows[candidates.groups[segment] + member])
                    matched[pair] = count_common_words(p)
                    if matched[pair] < 2:
                        continue
                    first = written
                    waiting = queue_runs(p)
                    if waiting >= 0:
                        written = take_from_queue(p, waiting, matched[pair], lengths, written)
                    else:
                        longest = walk(p, 0, lengths, written)
                        while longest > 1 and not is_interrupted():
                            written = walk(p, longest, lengths, written)
                            longest = walk(p, 0, lengths, written)
                    for run in range(first, written):
                        owners[run] = pair
                p.stamp += 1
            base += n_references * n_candidates
    return written


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_gains(
    p: PairOfTexts, gains: cython.const[cython.double][::1], reach: cython.Py_ssize_t[::1], bounds: cython.double[::1]
) -> cython.void:
    """Fill bounds[i] with an upper bound of the gain from position i on."""
    for j in range(p.text_length + 1):
        reach[j] = 0
    bounds[p.length] = 0
    for i in range(p.length - 1, -1, -1):
        if i & 63 == 63 and is_interrupted():
            break
        longest: cython.Py_ssize_t = 0
        for j in range(p.text_length):  # from left to right: reach[j + 1] still belongs to the next word
            reach[j] = reach[j + 1] + 1 if p.words[p.start + i] == p.texts[p.text + j] else 0
            if reach[j] > longest:
                longest = reach[j]
        bounds[i] = bounds[i + 1]
        for run in range(2, longest + 1):
            if gains[run] + bounds[i + run] > bounds[i]:
                bounds[i] = gains[run] + bounds[i + run]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search_best(
    p: PairOfTexts,
    gains: cython.const[cython.double][::1],
    bounds: cython.const[cython.double][::1],
    best: cython.double,
    steps: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t[:, ::1],
    gained: cython.double[::1],
    taken: cython.uchar[::1],
) -> cython.double:
    """Return the largest gain, at least `best`, or -1 if the search takes more than `steps` steps.

    chosen[depth] = [start in the candidate, start in the reference, length] of the run that is tried; length 0: none
    yet.
    """
    depth: cython.Py_ssize_t = 0
    enough: cython.double = best + best * ROUNDING
    chosen[0, 0] = -1
    chosen[0, 1] = 0
    chosen[0, 2] = 0
    gained[0] = 0
    while depth >= 0 and not is_interrupted():
        i = chosen[depth, 0]
        j = chosen[depth, 1]
        run = chosen[depth, 2]
        for k in range(run):  # this run has been tried
            taken[j + k] = 0
        run -= 1
        while run < 2 or gained[depth] + gains[run] + bounds[i + run] <= enough:
            steps -= 1
            if run > 2:  # a shorter run at the same place
                run -= 1
                continue
            run = 0
            if j == 0:  # the next word of the candidate, from the end of the reference
                i += 1
                if i >= p.length or gained[depth] + bounds[i] <= enough:
                    break
                j = p.text_length
            j -= 1
            while (
                i + run < p.length
                and j + run < p.text_length
                and p.words[p.start + i + run] == p.texts[p.text + j + run]
                and not taken[j + run]
            ):
                run += 1
            steps -= run
            if steps < 0:
                for k in range(p.text_length):
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
            best = gained[depth] + gains[run]
            enough = best + best * ROUNDING
        gained[depth + 1] = gained[depth] + gains[run]
        depth += 1
        chosen[depth, 0] = i + run - 1
        chosen[depth, 1] = 0
        chosen[depth, 2] = 0
    return best


def search_best_runs(
    candidates: Texts,
    references: Texts,
    gains: cython.const[cython.double][::1],
    steps: cython.Py_ssize_t,
    reach: cython.Py_ssize_t[::1],
    bounds: cython.double[::1],
    chosen: cython.Py_ssize_t[:, ::1],
    gained: cython.double[::1],
    taken: cython.uchar[::1],
    best: cython.double[::1],
):
    """Raise best[pair] from the gain of the greedy matching to the largest gain, or set -1 after too many steps.

    gains[length] is the gain of a run. All work arrays have room for the longest text and one more word; taken is 0.
    """
    pair: cython.Py_ssize_t = 0
    p: PairOfTexts = PairOfTexts()
    p.words = candidates.words
    p.texts = references.words
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                set_candidate(p, candidates, candidates.rows[member])
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    set_reference(p, references, references.rows[other])
                    bound_gains(p, gains, reach, bounds)
                    if bounds[0] > best[pair] + best[pair] * ROUNDING:
                        best[pair] = search_best(p, gains, bounds, best[pair], steps, chosen, gained, taken)
                    pair += 1
