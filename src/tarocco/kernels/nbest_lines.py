# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Lines of n-best files -> ids and texts, in one pass.

Each public function reads lines of one format. `data` consists of whole lines, each with a newline at its end. The
output is

    text     the candidates, each with a newline at its end
    starts   where each candidate starts, and where one after the last would start
    lines    the line of each candidate, from 0
    ids      the id of each list, which is a run of candidates with the same id
    firsts   the first candidate of each list
    state    [bytes read, lines read, candidates, lists], zeros at first

A function stops before a line that does not have its format, and the caller reports the error. `text` has room for
`data`, `starts` for one more number than there are lines, the other arrays for one number per line.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

if cython.compiled:
    from cython.cimports.libc.string import memchr, memcpy

NEWLINE = cython.declare(cython.int, 10)
TAB = cython.declare(cython.int, 9)
RETURN = cython.declare(cython.int, 13)
SPACE = cython.declare(cython.int, 32)
BAR = cython.declare(cython.int, 124)
DASH = cython.declare(cython.int, 45)
MOST_DIGITS = cython.declare(cython.Py_ssize_t, 18)  # of an id: more do not fit into 64 bits


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_space(byte: cython.int) -> cython.bint:
    """Return whether a byte is ASCII white space other than a newline."""
    return byte == SPACE or (byte >= TAB and byte <= RETURN and byte != NEWLINE)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def skip_space(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first position from i on that is not a space within a line."""
    while is_space(data[i]):
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def skip_digits(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first position from i on that is not a digit."""
    while data[i] >= 48 and data[i] <= 57:
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def parse_number(
    data: cython.const[cython.uchar][::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the number that these digits represent, -1 if there are none or too many."""
    value: cython.Py_ssize_t = 0
    if end == begin or end - begin > MOST_DIGITS:
        return -1
    while begin < end:
        value = value * 10 + (data[begin] - 48)
        begin += 1
    return value


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_byte(
    byte: cython.int, data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the first position of a byte from i on, `end` if there is none before it."""
    if cython.compiled:
        place: cython.pointer[cython.const[cython.uchar]] = cython.cast(
            cython.pointer[cython.const[cython.uchar]], memchr(cython.address(data[i]), byte, end - i)
        )
        i = end if place == cython.NULL else place - cython.address(data[0])
    else:
        while i < end and data[i] != byte:
            i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find_bars(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first position of three bars from i on, `end` (a newline) if there is none before it."""
    i = find_byte(BAR, data, i, end)
    while i < end and not (data[i + 1] == BAR and data[i + 2] == BAR):
        i = find_byte(BAR, data, i + 1, end)
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_candidate(
    which: cython.Py_ssize_t,
    data: cython.const[cython.uchar][::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    text: cython.uchar[::1],
    starts: cython.Py_ssize_t[::1],
    lines: cython.Py_ssize_t[::1],
    ids: cython.Py_ssize_t[::1],
    firsts: cython.Py_ssize_t[::1],
    state: cython.Py_ssize_t[::1],
) -> cython.void:
    """Append data[begin:end] as a candidate of list `which`."""
    candidate: cython.Py_ssize_t = state[2]
    lists: cython.Py_ssize_t = state[3]
    length: cython.Py_ssize_t = starts[candidate]
    if cython.compiled:
        memcpy(cython.address(text[length]), cython.address(data[begin]), end - begin)
    else:
        text[length : length + end - begin] = data[begin:end]
    length += end - begin
    if lists == 0 or ids[lists - 1] != which:
        ids[lists] = which
        firsts[lists] = candidate
        state[3] = lists + 1
    text[length] = cython.cast(cython.uchar, NEWLINE)
    lines[candidate] = state[1]
    starts[candidate + 1] = length + 1
    state[2] = candidate + 1


def split_moses_lines(
    data: cython.const[cython.uchar][::1],
    text: cython.uchar[::1],
    starts: cython.Py_ssize_t[::1],
    lines: cython.Py_ssize_t[::1],
    ids: cython.Py_ssize_t[::1],
    firsts: cython.Py_ssize_t[::1],
    state: cython.Py_ssize_t[::1],
):
    """Read `id ||| text`, possibly with more fields after further bars; strip space around the text."""
    i: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = data.shape[0]
    starts[0] = 0
    with cython.nogil:
        while i < size:
            end = find_byte(NEWLINE, data, i, size)
            begin = skip_space(data, i)
            i = skip_digits(data, begin)
            which = parse_number(data, begin, i)
            i = skip_space(data, i)
            if which < 0 or find_bars(data, i, end) != i or i == end:
                break
            begin = skip_space(data, i + 3)
            i = find_bars(data, begin, end)
            while i > begin and is_space(data[i - 1]):
                i -= 1
            add_candidate(which, data, begin, i, text, starts, lines, ids, firsts, state)
            i = end + 1
            state[0] = i
            state[1] += 1


def split_tab_lines(
    data: cython.const[cython.uchar][::1],
    text: cython.uchar[::1],
    starts: cython.Py_ssize_t[::1],
    lines: cython.Py_ssize_t[::1],
    ids: cython.Py_ssize_t[::1],
    firsts: cython.Py_ssize_t[::1],
    state: cython.Py_ssize_t[::1],
):
    """Read `id<TAB>text`, where the text has no tab."""
    i: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = data.shape[0]
    starts[0] = 0
    with cython.nogil:
        while i < size:
            end = find_byte(NEWLINE, data, i, size)
            begin = i
            i = skip_digits(data, begin)
            which = parse_number(data, begin, i)
            if which < 0 or data[i] != TAB or find_byte(TAB, data, i + 1, end) < end:
                break
            add_candidate(which, data, i + 1, end, text, starts, lines, ids, firsts, state)
            i = end + 1
            state[0] = i
            state[1] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def has_fairseq_prefix(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.bint:
    """Return whether the line that starts here has a prefix of fairseq: S, T, H, D or P and a dash."""
    letter: cython.int = data[i]
    known: cython.bint = letter == 83 or letter == 84 or letter == 72 or letter == 68 or letter == 80
    return known and data[i + 1] == DASH


def split_fairseq_lines(
    letter: cython.int,
    data: cython.const[cython.uchar][::1],
    text: cython.uchar[::1],
    starts: cython.Py_ssize_t[::1],
    lines: cython.Py_ssize_t[::1],
    ids: cython.Py_ssize_t[::1],
    firsts: cython.Py_ssize_t[::1],
    state: cython.Py_ssize_t[::1],
):
    """Read `H-id<TAB>score<TAB>text` with this letter in place of H; skip fairseq's other lines."""
    i: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = data.shape[0]
    starts[0] = 0
    with cython.nogil:
        while i < size:
            end = find_byte(NEWLINE, data, i, size)
            begin = i
            if has_fairseq_prefix(data, begin):
                i = skip_digits(data, begin + 2)
                which = parse_number(data, begin + 2, i)
                if which < 0 or data[i] != TAB:
                    break
                if data[begin] == letter:
                    i = find_byte(TAB, data, i + 1, end)
                    if i == end:
                        break
                    add_candidate(which, data, i + 1, end, text, starts, lines, ids, firsts, state)
            i = end + 1
            state[0] = i
            state[1] += 1
