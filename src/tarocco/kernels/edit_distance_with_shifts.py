# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Edit distance with shifts of blocks, as TER counts it.

While some shift of a block of the candidate lowers the edit distance, the best one is made; each counts as one edit.
The edit distance is looked for in a band around the diagonal, so its table has at most 50 columns a row, and a row is
two words of 64 bits (Myers 1999, in Hyyrö's form of 2003, in a window that moves with the diagonal):

- Bit k of a row tells about column first + 1 + k. At the left edge of the window a value of 1 more than the one above
  stands for "outside the band": what comes from there costs 2 more than the cell diagonally above, so it never wins.
- At the right edge, columns that the row above does not have are filled with values that grow by 1, which never win
  either; where the cell diagonally above is outside too, equal words must not count.

A shift leaves the rows before it as they are, and behind it the rows are often soon the same again but for a constant,
so a shift costs about as much as the part of the text it touches. All functions work on the same arrays;
metrics/ter.py, which makes them, says what they hold.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)
ODD_BITS = cython.declare(cython.ulonglong, 0x5555555555555555)
ODD_PAIRS = cython.declare(cython.ulonglong, 0x3333333333333333)
ODD_NIBBLES = cython.declare(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
BYTES = cython.declare(cython.ulonglong, 0x0101010101010101)

BEAM = cython.declare(cython.Py_ssize_t, 25)  # columns on either side of the diagonal
MOST_WORDS = cython.declare(cython.Py_ssize_t, 10)  # that one shift moves
MOST_DISTANCE = cython.declare(cython.Py_ssize_t, 50)  # between the places of a block in candidate and reference
MOST_SHIFTS = cython.declare(cython.Py_ssize_t, 1000)  # that are tried for one pair
OUTSIDE = cython.declare(cython.Py_ssize_t, 1 << 30)
FAR = cython.declare(cython.Py_ssize_t, 1 << 28)  # more words than a text has

# The steps of a path, in the order in which equals are preferred. What is put in is a word of the reference.
MATCH = cython.declare(cython.Py_ssize_t, 0)
SUBSTITUTION = cython.declare(cython.Py_ssize_t, 1)
LEFT_OUT = cython.declare(cython.Py_ssize_t, 2)
PUT_IN = cython.declare(cython.Py_ssize_t, 3)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def ones(bits: cython.ulonglong) -> cython.Py_ssize_t:
    """How many bits are set."""
    bits = bits - ((bits >> 1) & ODD_BITS)
    bits = (bits & ODD_PAIRS) + ((bits >> 2) & ODD_PAIRS)
    bits = (bits + (bits >> 4)) & ODD_NIBBLES
    return cython.cast(cython.Py_ssize_t, ((bits * BYTES) & MASK64) >> 56)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    i=cython.Py_ssize_t, begin=cython.Py_ssize_t, end=cython.Py_ssize_t, diagonal=cython.Py_ssize_t,
    begin_above=cython.Py_ssize_t,
)  # fmt: skip
def lay_out(
    sizes: cython.Py_ssize_t[::1], frame: cython.Py_ssize_t[:, ::1], bits: cython.ulonglong[:, ::1]
) -> cython.void:
    """Lay out the band. Its middle is computed in floating point because the definition's is."""
    ratio: cython.double = cython.cast(cython.double, sizes[1]) / sizes[0]
    beam: cython.Py_ssize_t = BEAM
    diagonal = begin_above = sizes[2] = 0
    if ratio / 2 > BEAM:
        while beam < ratio / 2 + BEAM:
            beam += 1
        sizes[2] = 2 * beam
    frame[0, 0] = frame[0, 2] = 0
    frame[0, 1] = sizes[1] + 1
    bits[0, 2] = MASK64
    bits[0, 3] = 0
    for i in range(1, sizes[0] + 1):
        while diagonal + 1 <= i * ratio:
            diagonal += 1
        begin = max(0, diagonal - beam)
        end = min(sizes[1] + 1, diagonal + beam) if i < sizes[0] else sizes[1] + 1
        frame[i, 0] = begin
        frame[i, 1] = end
        if sizes[2] == 0:
            if begin > begin_above:
                frame[i, 0] = begin - 1
            bits[i, 0] = (ONE << (end - 1 - frame[i, 0])) - 1
            bits[i, 1] = (ONE << (min(end - 1, frame[i - 1, 1]) - frame[i, 0])) - 1
        begin_above = begin


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def cell(
    i: cython.Py_ssize_t, j: cython.Py_ssize_t, sizes: cython.Py_ssize_t[::1], frame: cython.Py_ssize_t[:, ::1],
    cells: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """A cell of a wide band: four times its value, and the step that leads to it."""
    if i == 0:
        return 4 * j + PUT_IN
    return cells[(i - 1) * sizes[2] + j - frame[i, 0]] if frame[i, 0] <= j < frame[i, 1] else OUTSIDE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, best=cython.Py_ssize_t, step=cython.Py_ssize_t)
def wide_distance(
    which: cython.Py_ssize_t, texts: cython.int[:, ::1], sizes: cython.Py_ssize_t[::1],
    frame: cython.Py_ssize_t[:, ::1], cells: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """The same cell by cell, for a wide band: the least number has the least value, and of equals the best step."""
    for i in range(1, sizes[0] + 1):
        for j in range(frame[i, 0], frame[i, 1]):
            best = (cell(i - 1, j, sizes, frame, cells) | 3) + 1 + LEFT_OUT
            best = min(best, (cell(i, j - 1, sizes, frame, cells) | 3) + 1 + PUT_IN)
            if j > 0:
                step = MATCH if texts[which, i - 1] == texts[2, j - 1] else SUBSTITUTION
                best = min(best, (cell(i - 1, j - 1, sizes, frame, cells) & -4) + 5 * step)
            cells[(i - 1) * sizes[2] + j - frame[i, 0]] = cython.cast(cython.int, best)
    return cell(sizes[0], sizes[1], sizes, frame, cells) // 4


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
@cython.locals(
    i=cython.Py_ssize_t, moved=cython.Py_ssize_t, word=cython.int, tick=cython.ulonglong, age=cython.ulonglong,
    equal=cython.ulonglong, diagonal=cython.ulonglong, up=cython.ulonglong,
)  # fmt: skip
def distance(
    which: cython.Py_ssize_t, start: cython.Py_ssize_t, same: cython.Py_ssize_t, texts: cython.int[:, ::1],
    sizes: cython.Py_ssize_t[::1], frame: cython.Py_ssize_t[:, ::1], bits: cython.ulonglong[:, ::1],
    seen: cython.ulonglong[:, ::1], cells: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """The distance of texts[which] to the reference. The rows of text 0 are kept, those of text 1 compared with them.

    It is known up to row `start`, and from row `same` on both texts have the same words. Ticks grow by more than a
    window's width with every measurement; if they stand still, the reference fits and was entered once for all.
    """
    growing: cython.ulonglong = bits[start, 2]
    falling: cython.ulonglong = bits[start, 3]
    value: cython.Py_ssize_t = frame[start, 2]
    first: cython.Py_ssize_t = frame[start, 0]
    entered: cython.Py_ssize_t = frame[start + 1, 0] if sizes[4] else sizes[1]
    if sizes[2]:
        return wide_distance(which, texts, sizes, frame, cells)
    sizes[3] += sizes[4]
    for i in range(start + 1, sizes[0] + 1):
        moved = frame[i, 0] - first
        if moved:
            first = frame[i, 0]
            up = (ONE << moved) - 1
            value += ones(growing & up) - ones(falling & up)
            growing = ((growing ^ MASK64) >> moved) ^ MASK64
            falling = falling >> moved
        value += 1
        tick = sizes[3] + first
        while entered < frame[i, 1] - 1:
            word = texts[2, entered]
            age = tick - seen[word, 1]
            seen[word, 0] = (seen[word, 0] >> age if age < 64 else 0) | (ONE << (entered - first))
            seen[word, 1] = tick
            entered += 1
        word = texts[which, i - 1]
        age = tick - seen[word, 1]
        equal = (seen[word, 0] >> age) & bits[i, 1] if age < 64 else 0
        diagonal = ((((equal & growing) + growing) & MASK64) ^ growing) | equal | falling
        up = falling | ((diagonal | growing) ^ MASK64)
        if which == 0:
            bits[i, 4] = diagonal
            bits[i, 5] = up
        up = ((up << 1) | 1) & MASK64
        growing = (((diagonal & growing) << 1) & MASK64) | ((diagonal | up) ^ MASK64) | (bits[i, 0] ^ MASK64)
        falling = up & diagonal & bits[i, 0]
        if which == 0:
            bits[i, 2] = growing
            bits[i, 3] = falling
            frame[i, 2] = value
        elif i >= same and growing == bits[i, 2] and falling == bits[i, 3]:
            value += frame[sizes[0], 2] - frame[i, 2]
            growing = bits[sizes[0], 2]
            falling = bits[sizes[0], 3]
            break
    return value + ones(growing & bits[sizes[0], 0]) - ones(falling)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(step=cython.Py_ssize_t, bit=cython.Py_ssize_t)
def align(
    texts: cython.int[:, ::1], sizes: cython.Py_ssize_t[::1], frame: cython.Py_ssize_t[:, ::1],
    bits: cython.ulonglong[:, ::1], cells: cython.int[::1], trace: cython.Py_ssize_t[:, ::1],
) -> cython.void:  # fmt: skip
    """Follow the best path back from the end."""
    i: cython.Py_ssize_t = sizes[0]
    j: cython.Py_ssize_t = sizes[1]
    wrong: cython.Py_ssize_t = i + j + MOST_WORDS  # a place that no block reaches
    wrong_reference: cython.Py_ssize_t = wrong
    while i > 0 or j > 0:
        step = PUT_IN
        bit = j - 1 - frame[i, 0]
        if sizes[2]:
            step = cell(i, j, sizes, frame, cells) & 3
        elif i > 0 and bit < 0:
            step = LEFT_OUT
        elif i > 0 and bits[i, 1] >> bit & 1:
            if texts[0, i - 1] == texts[2, j - 1]:
                step = MATCH
            elif not bits[i, 4] >> bit & 1:
                step = SUBSTITUTION
            elif bits[i, 5] >> bit & 1:
                step = LEFT_OUT
        if step != LEFT_OUT:
            j -= 1
            wrong_reference = wrong_reference if step == MATCH else j
            trace[j, 0] = i
            trace[j, 1] = wrong_reference
        if step != PUT_IN:
            i -= 1
            wrong = wrong if step == MATCH else i
            trace[i, 2] = wrong


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    start=cython.Py_ssize_t, place=cython.Py_ssize_t, length=cython.Py_ssize_t, longest=cython.Py_ssize_t,
    matched=cython.Py_ssize_t, before=cython.Py_ssize_t, offset=cython.Py_ssize_t, target=cython.Py_ssize_t,
    word=cython.int,
)  # fmt: skip
def list_shifts(
    room: cython.Py_ssize_t, texts: cython.int[:, ::1], sizes: cython.Py_ssize_t[::1],
    trace: cython.Py_ssize_t[:, ::1], places: cython.Py_ssize_t[:, ::1], shifts: cython.Py_ssize_t[:, ::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """List the shifts worth trying; how many there are, or -1 if there are `room` or more."""
    found: cython.Py_ssize_t = 0
    for start in range(sizes[0]):
        places[texts[0, start], 1] = places[texts[0, start], 0]
    for start in range(sizes[0]):
        word = texts[0, start]
        while 0 <= places[word, 1] < start - MOST_DISTANCE:
            places[word, 1] = places[places[word, 1], 2]
        place = places[word, 1]
        while 0 <= place <= start + MOST_DISTANCE:
            # A block must hold a wrong word of the candidate and one of the reference.
            length = max(trace[start, 2] - start, trace[place, 1] - place) + 1
            longest = min(MOST_WORDS, sizes[0] - start, sizes[1] - place)
            if length <= longest:
                matched = 1
                while matched < longest and texts[0, start + matched] == texts[2, place + matched]:
                    matched += 1
                while length <= matched:
                    if not start < trace[place, 0] <= start + length:  # else it is where it belongs
                        before = -1
                        for offset in range(place - 1, place + length):
                            target = trace[offset, 0] if offset >= 0 else 0
                            if target != before:
                                if found + 1 >= room:
                                    return -1
                                shifts[found, 0] = start
                                shifts[found, 1] = length
                                shifts[found, 2] = target
                                found += 1
                                before = target
                    length += 1
            place = places[place, 2]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    start=cython.Py_ssize_t, target=cython.Py_ssize_t, begin=cython.Py_ssize_t, middle=cython.Py_ssize_t,
    end=cython.Py_ssize_t, i=cython.Py_ssize_t,
)  # fmt: skip
def move(
    shifts: cython.Py_ssize_t[:, ::1], k: cython.Py_ssize_t, rows: cython.Py_ssize_t, texts: cython.int[:, ::1]
) -> cython.Py_ssize_t:
    """Write what shift k of text 0 changes to text 1; where the change ends. It begins at start or target."""
    start, target = shifts[k, 0], shifts[k, 2]
    # What is from `begin` to `middle` and what is from there to `end` change places. As defined, a target within the
    # block, or right behind it, counts from the block's start.
    begin = min(start, target)
    middle = start if target < start else start + shifts[k, 1]
    end = start + shifts[k, 1]
    if target >= start:
        end = min(rows, target if target > middle else target + shifts[k, 1])
    for i in range(middle, end):
        texts[1, begin + i - middle] = texts[0, i]
    for i in range(begin, middle):
        texts[1, i + end - middle] = texts[0, i]
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    i=cython.Py_ssize_t, k=cython.Py_ssize_t, now=cython.Py_ssize_t, new=cython.Py_ssize_t, found=cython.Py_ssize_t,
    least=cython.Py_ssize_t, best=cython.Py_ssize_t, rank=cython.Py_ssize_t, start=cython.Py_ssize_t,
    end=cython.Py_ssize_t, made=cython.Py_ssize_t, changed=cython.Py_ssize_t, best_rank=cython.Py_ssize_t,
)  # fmt: skip
def shifted_distance(
    texts: cython.int[:, ::1], sizes: cython.Py_ssize_t[::1], frame: cython.Py_ssize_t[:, ::1],
    bits: cython.ulonglong[:, ::1], seen: cython.ulonglong[:, ::1], cells: cython.int[::1],
    trace: cython.Py_ssize_t[:, ::1], places: cython.Py_ssize_t[:, ::1], shifts: cython.Py_ssize_t[:, ::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Shifts and edits of one pair; both texts have words."""
    room: cython.Py_ssize_t = MOST_SHIFTS
    made = changed = best_rank = 0
    lay_out(sizes, frame, bits)
    sizes[3] = sizes[4] = 0
    if sizes[1] > 64:
        sizes[4] = sizes[1] + 64
    else:
        for i in range(sizes[1]):
            seen[texts[2, i], 0] |= ONE << i
    while True:
        now = distance(0, changed, 0, texts, sizes, frame, bits, seen, cells)
        if now == 0:
            break
        align(texts, sizes, frame, bits, cells, trace)
        # A round that reaches the limit makes no shift, so what it would have tried need not be known.
        found = list_shifts(room, texts, sizes, trace, places, shifts)
        room -= found
        least, best = now, -1
        for k in range(found):
            if shifts[k, 0] == shifts[k, 2]:
                continue
            start = min(shifts[k, 0], shifts[k, 2])
            end = move(shifts, k, sizes[0], texts)
            new = distance(1, start, end, texts, sizes, frame, bits, seen, cells)
            # Of equals the longest, then the earliest, then the one that goes farthest to the left.
            rank = shifts[k, 1] * FAR * FAR - shifts[k, 0] * FAR - shifts[k, 2]
            if new < least or (new == least and best >= 0 and rank > best_rank):
                least = new
                best = k
                best_rank = rank
            for i in range(start, end):
                texts[1, i] = texts[0, i]
        if best < 0:
            break
        made += 1
        changed = min(shifts[best, 0], shifts[best, 2])
        end = move(shifts, best, sizes[0], texts)
        for i in range(changed, end):
            texts[0, i] = texts[1, i]
    return made + now


@cython.locals(
    pair=cython.Py_ssize_t, segment=cython.Py_ssize_t, member=cython.Py_ssize_t, other=cython.Py_ssize_t,
    i=cython.Py_ssize_t, start=cython.Py_ssize_t, reference_start=cython.Py_ssize_t, word=cython.int,
)  # fmt: skip
def count_edits(
    words: cython.const[cython.int][::1], bounds: cython.const[cython.Py_ssize_t][::1],
    rows: cython.const[cython.Py_ssize_t][::1], groups: cython.const[cython.Py_ssize_t][::1],
    reference_words: cython.const[cython.int][::1], reference_bounds: cython.const[cython.Py_ssize_t][::1],
    reference_rows: cython.const[cython.Py_ssize_t][::1], reference_groups: cython.const[cython.Py_ssize_t][::1],
    texts: cython.int[:, ::1], sizes: cython.Py_ssize_t[::1], frame: cython.Py_ssize_t[:, ::1],
    bits: cython.ulonglong[:, ::1], seen: cython.ulonglong[:, ::1], cells: cython.int[::1],
    trace: cython.Py_ssize_t[:, ::1], places: cython.Py_ssize_t[:, ::1], shifts: cython.Py_ssize_t[:, ::1],
    found: cython.Py_ssize_t[::1],
):  # fmt: skip
    """Fill found, one entry for each candidate and each of its references, in the order of the groups."""
    pair = 0
    with cython.nogil:
        for segment in range(groups.shape[0] - 1):
            for member in range(groups[segment], groups[segment + 1]):
                for other in range(reference_groups[segment], reference_groups[segment + 1]):
                    start = bounds[rows[member]]
                    reference_start = reference_bounds[reference_rows[other]]
                    sizes[0] = bounds[rows[member] + 1] - start
                    sizes[1] = reference_bounds[reference_rows[other] + 1] - reference_start
                    for i in range(sizes[0]):
                        texts[0, i] = texts[1, i] = words[start + i]
                    for i in range(sizes[1] - 1, -1, -1):
                        word = texts[2, i] = reference_words[reference_start + i]
                        places[i, 2] = places[word, 0]
                        places[word, 0] = i
                    found[pair] = sizes[0] + sizes[1]
                    if sizes[0] > 0 and sizes[1] > 0:
                        found[pair] = shifted_distance(texts, sizes, frame, bits, seen, cells, trace, places, shifts)
                    pair += 1
                    for i in range(sizes[1]):
                        places[texts[2, i], 0] = -1
                        seen[texts[2, i], 0] = seen[texts[2, i], 1] = 0
