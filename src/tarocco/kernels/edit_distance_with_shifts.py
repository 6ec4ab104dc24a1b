# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Edit distance with block shifts (TER).

While some shift of a block of candidate words lowers the edit distance, the best shift is made; each counts as one
edit. The edit distance is limited to a band around the diagonal, so a row of its table has at most 50 columns and is
stored in two words of 64 bits (Myers 1999, in the form of Hyyrö 2003, with a window that moves along the diagonal):

- Bit k of a row belongs to column first + 1 + k. At the left edge of the window, a value of 1 more than the cell above
  means "outside the band": a path from there costs 2 more than the cell diagonally above, so it never wins.
- At the right edge, columns that the row above lacks are filled with values that grow by 1, which never win either;
  where the cell diagonally above is outside too, equal words must not count.

A shift does not change the rows before it, and after it the rows soon differ only by a constant again, so evaluating a
shift takes about as long as the part of the text that it changes.
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

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)
ODD_BITS = cython.declare(cython.ulonglong, 0x5555555555555555)
ODD_PAIRS = cython.declare(cython.ulonglong, 0x3333333333333333)
ODD_NIBBLES = cython.declare(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
BYTES = cython.declare(cython.ulonglong, 0x0101010101010101)

# Limits of TERCOM.
BEAM = cython.declare(cython.Py_ssize_t, 25)  # columns on either side of the diagonal
MOST_WORDS = cython.declare(cython.Py_ssize_t, 10)  # words of a block
MOST_DISTANCE = cython.declare(cython.Py_ssize_t, 50)  # between the positions of a block in candidate and reference
MOST_SHIFTS = cython.declare(cython.Py_ssize_t, 1000)  # shifts tried per pair
OUTSIDE = cython.declare(cython.Py_ssize_t, 1 << 30)
FAR = cython.declare(cython.Py_ssize_t, 1 << 28)  # more words than a text has

# The steps of a path, from the most to the least preferred one. A deletion drops a candidate word.
MATCH = cython.declare(cython.Py_ssize_t, 0)
SUBSTITUTION = cython.declare(cython.Py_ssize_t, 1)
DELETION = cython.declare(cython.Py_ssize_t, 2)
INSERTION = cython.declare(cython.Py_ssize_t, 3)


@cython.cclass
class EditTable:
    """The texts of a pair and the table of their edit distance: a row per candidate word, and one above."""

    texts: cython.int[:, ::1]  # the candidate, the candidate after a shift, the reference
    rows: cython.Py_ssize_t
    columns: cython.Py_ssize_t
    width: cython.Py_ssize_t  # of a band that is too wide for bits, otherwise 0
    tick: cython.Py_ssize_t
    ticks: cython.Py_ssize_t  # per measurement; 0: the reference fits into a window
    # Of each row: [first column of the band, end, value]; in bits, `first` is left of bit 0, and `value` belongs to it.
    frame: cython.Py_ssize_t[:, ::1]
    # Of each row, sets of columns: [in the band, where equal words count, 1 more than the previous column, 1 less than
    # it, equal to the cell diagonally above, 1 more than the cell above].
    bits: cython.ulonglong[:, ::1]
    seen: cython.ulonglong[:, ::1]  # of each word: [its positions in the window, the tick of that window]
    cells: cython.int[::1]  # a wide band, row by row
    # Of position p: [the number of candidate words before or with reference word p, the first wrong reference word from
    # p on, the first wrong candidate word from p on].
    trace: cython.Py_ssize_t[:, ::1]
    # Of a word: [first position in the reference, first one that is near enough, -]; of a position: [-, -, the next
    # position of the same word]; -1 is none.
    places: cython.Py_ssize_t[:, ::1]
    shifts: cython.Py_ssize_t[:, ::1]  # [start of the block, its length, where it goes]


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def count_bits(bits: cython.ulonglong) -> cython.Py_ssize_t:
    bits = bits - ((bits >> 1) & ODD_BITS)
    bits = (bits & ODD_PAIRS) + ((bits >> 2) & ODD_PAIRS)
    bits = (bits + (bits >> 4)) & ODD_NIBBLES
    return cython.cast(cython.Py_ssize_t, ((bits * BYTES) & MASK64) >> 56)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lay_out_band(t: EditTable) -> cython.void:
    """Compute the band of each row. Its middle is a floating-point number because it is one in the definition."""
    ratio: cython.double = cython.cast(cython.double, t.columns) / t.rows
    beam: cython.Py_ssize_t = BEAM
    diagonal: cython.Py_ssize_t = 0
    begin_above: cython.Py_ssize_t = 0
    t.width = 0
    if ratio / 2 > BEAM:
        while beam < ratio / 2 + BEAM:
            beam += 1
        t.width = 2 * beam
    t.frame[0, 0] = t.frame[0, 2] = 0
    t.frame[0, 1] = t.columns + 1
    t.bits[0, 2] = MASK64
    t.bits[0, 3] = 0
    for i in range(1, t.rows + 1):
        while diagonal + 1 <= i * ratio:
            diagonal += 1
        begin: cython.Py_ssize_t = max(0, diagonal - beam)
        end: cython.Py_ssize_t = min(t.columns + 1, diagonal + beam) if i < t.rows else t.columns + 1
        t.frame[i, 0] = begin
        t.frame[i, 1] = end
        if t.width == 0:
            if begin > begin_above:
                t.frame[i, 0] = begin - 1
            t.bits[i, 0] = (ONE << (end - 1 - t.frame[i, 0])) - 1
            t.bits[i, 1] = (ONE << (min(end - 1, t.frame[i - 1, 1]) - t.frame[i, 0])) - 1
        begin_above = begin


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def get_cell(t: EditTable, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return a cell of a wide band: four times its value, plus the step that leads to it."""
    if i == 0:
        return 4 * j + INSERTION
    return t.cells[(i - 1) * t.width + j - t.frame[i, 0]] if t.frame[i, 0] <= j < t.frame[i, 1] else OUTSIDE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def measure_wide_distance(t: EditTable, which: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Compute the distance in a wide band, cell by cell: the least number has the least value, then the best step."""
    best: cython.Py_ssize_t
    for i in range(1, t.rows + 1):
        for j in range(t.frame[i, 0], t.frame[i, 1]):
            best = (get_cell(t, i - 1, j) | 3) + 1 + DELETION
            best = min(best, (get_cell(t, i, j - 1) | 3) + 1 + INSERTION)
            if j > 0:
                step = MATCH if t.texts[which, i - 1] == t.texts[2, j - 1] else SUBSTITUTION
                best = min(best, (get_cell(t, i - 1, j - 1) & -4) + 5 * step)
            t.cells[(i - 1) * t.width + j - t.frame[i, 0]] = cython.cast(cython.int, best)
    return get_cell(t, t.rows, t.columns) // 4


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def measure_distance(
    t: EditTable, which: cython.Py_ssize_t, start: cython.Py_ssize_t, same: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the distance of texts[which] to the reference; store the rows of text 0 for comparison with text 1.

    The rows up to `start` are known, and from row `same` on both texts have the same words. Ticks grow by more than the
    width of a window with every measurement, or stay the same if the reference fits into a window and was entered
    before.
    """
    growing: cython.ulonglong = t.bits[start, 2]
    falling: cython.ulonglong = t.bits[start, 3]
    equal: cython.ulonglong
    up: cython.ulonglong
    age: cython.ulonglong
    value: cython.Py_ssize_t = t.frame[start, 2]
    first: cython.Py_ssize_t = t.frame[start, 0]
    if t.width:
        return measure_wide_distance(t, which)
    entered: cython.Py_ssize_t = t.frame[start + 1, 0] if t.ticks else t.columns
    t.tick += t.ticks
    for i in range(start + 1, t.rows + 1):
        moved = t.frame[i, 0] - first
        if moved:
            first = t.frame[i, 0]
            up = (ONE << moved) - 1
            value += count_bits(growing & up) - count_bits(falling & up)
            growing = ((growing ^ MASK64) >> moved) ^ MASK64
            falling = falling >> moved
        value += 1
        tick: cython.ulonglong = t.tick + first
        while entered < t.frame[i, 1] - 1:
            word = t.texts[2, entered]
            age = tick - t.seen[word, 1]
            t.seen[word, 0] = (t.seen[word, 0] >> age if age < 64 else 0) | (ONE << (entered - first))
            t.seen[word, 1] = tick
            entered += 1
        word = t.texts[which, i - 1]
        age = tick - t.seen[word, 1]
        equal = (t.seen[word, 0] >> age) & t.bits[i, 1] if age < 64 else 0
        diagonal = ((((equal & growing) + growing) & MASK64) ^ growing) | equal | falling
        up = falling | ((diagonal | growing) ^ MASK64)
        if which == 0:
            t.bits[i, 4] = diagonal
            t.bits[i, 5] = up
        up = ((up << 1) | 1) & MASK64
        growing = (((diagonal & growing) << 1) & MASK64) | ((diagonal | up) ^ MASK64) | (t.bits[i, 0] ^ MASK64)
        falling = up & diagonal & t.bits[i, 0]
        if which == 0:
            t.bits[i, 2] = growing
            t.bits[i, 3] = falling
            t.frame[i, 2] = value
        elif i >= same and growing == t.bits[i, 2] and falling == t.bits[i, 3]:
            value += t.frame[t.rows, 2] - t.frame[i, 2]
            growing = t.bits[t.rows, 2]
            falling = t.bits[t.rows, 3]
            break
    return value + count_bits(growing & t.bits[t.rows, 0]) - count_bits(falling)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def align(t: EditTable) -> cython.void:
    """Fill `trace` along the best path, from its end."""
    i: cython.Py_ssize_t = t.rows
    j: cython.Py_ssize_t = t.columns
    wrong: cython.Py_ssize_t = i + j + MOST_WORDS  # beyond every block
    wrong_reference: cython.Py_ssize_t = wrong
    while i > 0 or j > 0:
        step: cython.Py_ssize_t = INSERTION
        bit = j - 1 - t.frame[i, 0]
        if t.width:
            step = get_cell(t, i, j) & 3
        elif i > 0 and bit < 0:
            step = DELETION
        elif i > 0 and t.bits[i, 1] >> bit & 1:
            if t.texts[0, i - 1] == t.texts[2, j - 1]:
                step = MATCH
            elif not t.bits[i, 4] >> bit & 1:
                step = SUBSTITUTION
            elif t.bits[i, 5] >> bit & 1:
                step = DELETION
        if step != DELETION:
            j -= 1
            wrong_reference = wrong_reference if step == MATCH else j
            t.trace[j, 0] = i
            t.trace[j, 1] = wrong_reference
        if step != INSERTION:
            i -= 1
            wrong = wrong if step == MATCH else i
            t.trace[i, 2] = wrong


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_shifts(t: EditTable, room: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """List the shifts to try; return their number, or -1 if there are `room` or more."""
    n_shifts: cython.Py_ssize_t = 0
    for start in range(t.rows):
        t.places[t.texts[0, start], 1] = t.places[t.texts[0, start], 0]
    for start in range(t.rows):
        word = t.texts[0, start]
        while 0 <= t.places[word, 1] < start - MOST_DISTANCE:
            t.places[word, 1] = t.places[t.places[word, 1], 2]
        place: cython.Py_ssize_t = t.places[word, 1]
        while 0 <= place <= start + MOST_DISTANCE:
            # A block must contain a wrong word of the candidate and one of the reference.
            length: cython.Py_ssize_t = max(t.trace[start, 2] - start, t.trace[place, 1] - place) + 1
            longest = min(MOST_WORDS, t.rows - start, t.columns - place)
            if length <= longest:
                matched: cython.Py_ssize_t = 1
                while matched < longest and t.texts[0, start + matched] == t.texts[2, place + matched]:
                    matched += 1
                while length <= matched:
                    if not start < t.trace[place, 0] <= start + length:  # otherwise it is in its place
                        before: cython.Py_ssize_t = -1
                        for offset in range(place - 1, place + length):
                            target: cython.Py_ssize_t = t.trace[offset, 0] if offset >= 0 else 0
                            if target != before:
                                if n_shifts + 1 >= room:
                                    return -1
                                t.shifts[n_shifts, 0] = start
                                t.shifts[n_shifts, 1] = length
                                t.shifts[n_shifts, 2] = target
                                n_shifts += 1
                                before = target
                    length += 1
            place = t.places[place, 2]
    return n_shifts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def apply_shift(t: EditTable, k: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Write what shift k changes to text 1; return where the change ends. It begins at the block's start or target."""
    start = t.shifts[k, 0]
    target = t.shifts[k, 2]
    # The words from `begin` to `middle` and those from `middle` to `end` swap places. By definition, a target within
    # the block, or right after it, counts from the block's start.
    begin = min(start, target)
    middle = start if target < start else start + t.shifts[k, 1]
    end = start + t.shifts[k, 1]
    if target >= start:
        end = min(t.rows, target if target > middle else target + t.shifts[k, 1])
    for i in range(middle, end):
        t.texts[1, begin + i - middle] = t.texts[0, i]
    for i in range(begin, middle):
        t.texts[1, i + end - middle] = t.texts[0, i]
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_best_shift(t: EditTable, n_shifts: cython.Py_ssize_t, distance: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the shift that lowers the distance most, or -1."""
    best: cython.Py_ssize_t = -1
    best_rank: cython.Py_ssize_t = 0
    for k in range(n_shifts):
        if t.shifts[k, 0] == t.shifts[k, 2]:
            continue
        if k & 63 == 63 and is_interrupted():
            return -1
        start = min(t.shifts[k, 0], t.shifts[k, 2])
        end = apply_shift(t, k)
        new = measure_distance(t, 1, start, end)
        # Of equally good shifts, prefer the longest block, then the earliest, then the leftmost target.
        rank = t.shifts[k, 1] * FAR * FAR - t.shifts[k, 0] * FAR - t.shifts[k, 2]
        if new < distance or (new == distance and best >= 0 and rank > best_rank):
            distance = new
            best = k
            best_rank = rank
        for i in range(start, end):
            t.texts[1, i] = t.texts[0, i]
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_edits_of_pair(t: EditTable) -> cython.Py_ssize_t:
    """Return the number of shifts and edits of two texts that have words."""
    room: cython.Py_ssize_t = MOST_SHIFTS
    made: cython.Py_ssize_t = 0
    changed: cython.Py_ssize_t = 0
    lay_out_band(t)
    t.tick = t.ticks = 0
    if t.columns > 64:
        t.ticks = t.columns + 64
    else:
        for i in range(t.columns):
            t.seen[t.texts[2, i], 0] |= ONE << i
    while True:
        distance = measure_distance(t, 0, changed, 0)
        if distance == 0:
            break
        align(t)
        # A round that reaches the limit makes no shift, so its shifts need not be tried.
        n_shifts = list_shifts(t, room)
        room -= n_shifts
        best = find_best_shift(t, n_shifts, distance)
        if best < 0:
            break
        made += 1
        changed = min(t.shifts[best, 0], t.shifts[best, 2])
        end = apply_shift(t, best)
        for i in range(changed, end):
            t.texts[0, i] = t.texts[1, i]
    return made + distance


def count_edits(
    candidates: Texts,
    references: Texts,
    texts: cython.int[:, ::1],
    frame: cython.Py_ssize_t[:, ::1],
    bits: cython.ulonglong[:, ::1],
    seen: cython.ulonglong[:, ::1],
    cells: cython.int[::1],
    trace: cython.Py_ssize_t[:, ::1],
    places: cython.Py_ssize_t[:, ::1],
    shifts: cython.Py_ssize_t[:, ::1],
    edits: cython.Py_ssize_t[::1],
):
    """Fill edits[pair] with the number of shifts and edits."""
    pair: cython.Py_ssize_t = 0
    t: EditTable = EditTable()
    t.texts = texts
    t.frame = frame
    t.bits = bits
    t.seen = seen
    t.cells = cells
    t.trace = trace
    t.places = places
    t.shifts = shifts
    with cython.nogil:
        for segment in range(candidates.groups.shape[0] - 1):
            if is_interrupted():
                break
            for member in range(candidates.groups[segment], candidates.groups[segment + 1]):
                start = candidates.bounds[candidates.rows[member]]
                t.rows = candidates.bounds[candidates.rows[member] + 1] - start
                for other in range(references.groups[segment], references.groups[segment + 1]):
                    reference_start = references.bounds[references.rows[other]]
                    t.columns = references.bounds[references.rows[other] + 1] - reference_start
                    for i in range(t.rows):
                        texts[0, i] = texts[1, i] = candidates.words[start + i]
                    for i in range(t.columns - 1, -1, -1):
                        word = references.words[reference_start + i]
                        texts[2, i] = word
                        places[i, 2] = places[word, 0]
                        places[word, 0] = i
                    edits[pair] = t.rows + t.columns
                    if t.rows > 0 and t.columns > 0:
                        edits[pair] = count_edits_of_pair(t)
                    pair += 1
                    for i in range(t.columns):
                        places[texts[2, i], 0] = -1
                        seen[texts[2, i], 0] = seen[texts[2, i], 1] = 0
