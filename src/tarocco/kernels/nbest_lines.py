# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From the lines of n-best files to ids and texts, in one pass.

Each function here reads lines of one form. `data` are whole lines, each with a newline at its end. It writes

    text     the candidates, a newline after each
    starts   where each candidate starts, and where the one after the last would
    lines    on which line each candidate stands, from 0
    ids      the id of each list, which is a run of candidates with the same id
    firsts   the first candidate of each list
    state    [bytes read, lines read, candidates, lists], zeros at first

and stops in front of a line that is not of its form: its caller says what is wrong there. `text` has room for `data`,
`starts` for a number more than there are lines, the others for a number a line.
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
MOST_DIGITS = cython.declare(cython.Py_ssize_t, 18)  # of an id: more do not fit


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_space(byte: cython.int) -> cython.bint:
    """Space within a line: blanks, tabs, and what old printers knew."""
    return byte == SPACE or (byte >= TAB and byte <= RETURN and byte != NEWLINE)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def after_space(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The first byte from i on that is no space; the newline is none."""
    while is_space(data[i]):
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def after_digits(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The first byte from i on that is no digit."""
    while data[i] >= 48 and data[i] <= 57:
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def number(
    data: cython.const[cython.uchar][::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The number that these digits write, -1 where there are none or too many."""
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
def found(
    byte: cython.int, data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where this byte is first, from i on and before `end`; else `end`."""
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
def found_bars(
    data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where three bars are first, from i on and before the newline at `end`; else `end`."""
    i = found(BAR, data, i, end)
    while i < end and not (data[i + 1] == BAR and data[i + 2] == BAR):
        i = found(BAR, data, i + 1, end)
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add(
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
    """Take data[begin:end] as a candidate of list `which`."""
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
    """`id ||| text`, perhaps with more behind further bars; space around the text is no part of it."""
    i: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    size: cython.Py_ssize_t = data.shape[0]
    which: cython.Py_ssize_t
    starts[0] = 0
    with cython.nogil:
        while i < size:
            end = found(NEWLINE, data, i, size)
            begin = after_space(data, i)
            i = after_digits(data, begin)
            which = number(data, begin, i)
            i = after_space(data, i)
            if which < 0 or found_bars(data, i, end) != i or i == end:
                break
            begin = after_space(data, i + 3)
            i = found_bars(data, begin, end)
            while i > begin and is_space(data[i - 1]):
                i -= 1
            add(which, data, begin, i, text, starts, lines, ids, firsts, state)
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
    """`id<TAB>text`, where the text has no tab."""
    i: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    size: cython.Py_ssize_t = data.shape[0]
    which: cython.Py_ssize_t
    starts[0] = 0
    with cython.nogil:
        while i < size:
            end = found(NEWLINE, data, i, size)
            begin = i
            i = after_digits(data, begin)
            which = number(data, begin, i)
            if which < 0 or data[i] != TAB or found(TAB, data, i + 1, end) < end:
                break
            add(which, data, i + 1, end, text, starts, lines, ids, firsts, state)
            i = end + 1
            state[0] = i
            state[1] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_marked(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.bint:
    """Whether a line that begins here is fairseq's: S, T, H, D or P and a dash."""
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
    """`H-id<TAB>score<TAB>text` with this letter in front; lines of fairseq's other letters and of none are skipped."""
    i: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    size: cython.Py_ssize_t = data.shape[0]
    which: cython.Py_ssize_t
    starts[0] = 0
    with cython.nogil:
        while i < size:
            end = found(NEWLINE, data, i, size)
            begin = i
            if is_marked(data, begin):
                i = after_digits(data, begin + 2)
                which = number(data, begin + 2, i)
                if which < 0 or data[i] != TAB:
                    break
                if data[begin] == letter:
                    i = found(TAB, data, i + 1, end)
                    if i == end:
                        break
                    add(which, data, i + 1, end, text, starts, lines, ids, firsts, state)
            i = end + 1
            state[0] = i
            state[1] += 1
