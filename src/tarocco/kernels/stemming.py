# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Stems of English words, by the algorithm that Porter wrote for Snowball: https://snowballstem.org/algorithms/english

What can be said in a table (which endings become what, and where) comes as one from encode/english_stems.py.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

# Groups of the table, one after the other.
WORDS = cython.declare(cython.int, 0)  # whole words with a stem of their own
BEGINNINGS = cython.declare(cython.int, 1)  # after which region 1 begins
BEFORE_EED = cython.declare(cython.int, 2)  # what stays as it is if it is all that stands before eed
BEFORE_ING = cython.declare(cython.int, 3)  # and before ing
ENDINGS = cython.declare(cython.int, 4)  # of steps 2, 3 and 4

# Columns of the table: an ending and what it becomes, as stretches of `letters`, and the condition.
CONDITION = cython.declare(cython.int, 4)
IN_2 = cython.declare(cython.int, 2)  # 1: in region 1; 2: in region 2
AFTER_LI = cython.declare(cython.int, 3)  # in region 1, after one of c d e g h k m n r t
AFTER_L = cython.declare(cython.int, 4)  # in region 1, after l
AFTER_ST = cython.declare(cython.int, 5)  # in region 2, after s or t

# Columns of `classes`, which has a row for each letter.
VOWEL = cython.declare(cython.int, 0)  # a e i o u y
NOT_SHORT = cython.declare(cython.int, 1)  # those, Y, w and x
VALID_LI = cython.declare(cython.int, 2)
DOUBLES = cython.declare(cython.int, 3)  # b d f g m n p r t

QUOTE = cython.declare(cython.int, 39)
CAPITAL_Y = cython.declare(cython.int, 89)  # a y that is no vowel
SMALL_A = cython.declare(cython.int, 97)
SMALL_B = cython.declare(cython.int, 98)
SMALL_D = cython.declare(cython.int, 100)
SMALL_E = cython.declare(cython.int, 101)
SMALL_G = cython.declare(cython.int, 103)
SMALL_I = cython.declare(cython.int, 105)
SMALL_L = cython.declare(cython.int, 108)
SMALL_N = cython.declare(cython.int, 110)
SMALL_O = cython.declare(cython.int, 111)
SMALL_P = cython.declare(cython.int, 112)
SMALL_S = cython.declare(cython.int, 115)
SMALL_T = cython.declare(cython.int, 116)
SMALL_U = cython.declare(cython.int, 117)
SMALL_Y = cython.declare(cython.int, 121)
SMALL_Z = cython.declare(cython.int, 122)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same(
    word: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
    table: cython.const[cython.int][:, ::1],
    row: cython.Py_ssize_t,
) -> cython.bint:
    """Whether the text of a row stands at this place of a word."""
    k: cython.Py_ssize_t
    for k in range(table[row, 1]):
        if word[at + k] != letters[table[row, 0] + k]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_all(
    word: cython.const[cython.uchar][::1],
    n: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
    table: cython.const[cython.int][:, ::1],
    groups: cython.const[cython.int][::1],
    group: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """The row of a group that is the whole word, or -1."""
    row: cython.Py_ssize_t
    for row in range(groups[group], groups[group + 1]):
        if table[row, 1] == n and same(word, 0, letters, table, row):
            return row
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_vowel(
    word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t, classes: cython.const[cython.uchar][:, ::1]
) -> cython.bint:
    k: cython.Py_ssize_t
    for k in range(n):
        if classes[word[k], VOWEL]:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def region(
    word: cython.const[cython.uchar][::1],
    k: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    classes: cython.const[cython.uchar][:, ::1],
) -> cython.Py_ssize_t:
    """Behind the first consonant that comes after a vowel, from k on; n if there is none."""
    while k < n and not classes[word[k], VOWEL]:
        k += 1
    while k < n and classes[word[k], VOWEL]:
        k += 1
    return k + 1 if k < n else n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def ends_short(
    word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t, classes: cython.const[cython.uchar][:, ::1]
) -> cython.bint:
    """Whether the first n letters end in a short syllable; past does, too."""
    if (
        n >= 3
        and not classes[word[n - 1], NOT_SHORT]
        and classes[word[n - 2], VOWEL]
        and not classes[word[n - 3], VOWEL]
    ):
        return True
    if n == 2 and not classes[word[1], VOWEL] and classes[word[0], VOWEL]:
        return True
    return (
        n >= 4
        and word[n - 4] == SMALL_P
        and word[n - 3] == SMALL_A
        and word[n - 2] == SMALL_S
        and word[n - 1] == SMALL_T
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def step_1(
    word: cython.uchar[::1],
    n: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
    table: cython.const[cython.int][:, ::1],
    groups: cython.const[cython.int][::1],
    classes: cython.const[cython.uchar][:, ::1],
) -> cython.Py_ssize_t:
    """Apostrophes, plurals, -ed and -ing, and a final y; `first` is where region 1 begins. Returns the new length."""
    m: cython.Py_ssize_t
    c: cython.int
    if n >= 3 and word[n - 1] == QUOTE and word[n - 2] == SMALL_S and word[n - 3] == QUOTE:
        n -= 3
    elif n >= 2 and word[n - 1] == SMALL_S and word[n - 2] == QUOTE:
        n -= 2
    elif n >= 1 and word[n - 1] == QUOTE:
        n -= 1
    # sses, ied, ies, s
    if (
        n >= 4
        and word[n - 1] == SMALL_S
        and word[n - 2] == SMALL_E
        and word[n - 3] == SMALL_S
        and word[n - 4] == SMALL_S
    ):
        n -= 2
    elif (
        n >= 3
        and word[n - 2] == SMALL_E
        and word[n - 3] == SMALL_I
        and (word[n - 1] == SMALL_D or word[n - 1] == SMALL_S)
    ):
        n -= 2 if n >= 5 else 1
    elif (
        n >= 2
        and word[n - 1] == SMALL_S
        and word[n - 2] != SMALL_S
        and word[n - 2] != SMALL_U
        and has_vowel(word, n - 2, classes)
    ):
        n -= 1
    # eed, eedly; ed, edly, ing, ingly
    m = n
    if (
        n >= 4
        and word[n - 1] == SMALL_Y
        and word[n - 2] == SMALL_L
        and (word[n - 3] == SMALL_D or word[n - 3] == SMALL_G)
    ):
        m -= 2
    if m >= 3 and word[m - 1] == SMALL_D and word[m - 2] == SMALL_E and word[m - 3] == SMALL_E:
        m -= 3
        if m >= first and is_all(word, m, letters, table, groups, BEFORE_EED) < 0:
            n = m + 2
        m = -1
    elif m >= 2 and word[m - 1] == SMALL_D and word[m - 2] == SMALL_E:
        m -= 2
    elif m >= 3 and word[m - 1] == SMALL_G and word[m - 2] == SMALL_N and word[m - 3] == SMALL_I:
        m -= 3
        if m + 3 == n:
            if m == 2 and word[1] == SMALL_Y and not classes[word[0], VOWEL]:  # dying
                word[1] = SMALL_I
                word[2] = SMALL_E
                n = 3
                m = -1
            elif is_all(word, m, letters, table, groups, BEFORE_ING) >= 0:
                m = -1
    else:
        m = -1
    if m >= 0 and has_vowel(word, m, classes):
        n = m
        c = word[n - 1]
        if n >= 2 and (
            (word[n - 2] == SMALL_A and c == SMALL_T)
            or (word[n - 2] == SMALL_B and c == SMALL_L)
            or (word[n - 2] == SMALL_I and c == SMALL_Z)
        ):
            word[n] = SMALL_E
            n += 1
        elif n >= 2 and word[n - 2] == c and classes[c, DOUBLES]:
            if not (n == 3 and (word[0] == SMALL_A or word[0] == SMALL_E or word[0] == SMALL_O)):
                n -= 1
        elif n == first and ends_short(word, n, classes):
            word[n] = SMALL_E
            n += 1
    if n >= 3 and (word[n - 1] == SMALL_Y or word[n - 1] == CAPITAL_Y) and not classes[word[n - 2], VOWEL]:
        word[n - 1] = SMALL_I
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def replace(
    word: cython.uchar[::1],
    n: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    second: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
    table: cython.const[cython.int][:, ::1],
    groups: cython.const[cython.int][::1],
    group: cython.Py_ssize_t,
    classes: cython.const[cython.uchar][:, ::1],
) -> cython.Py_ssize_t:
    """Replace the longest ending of a group, which is its first row that fits, if its condition holds."""
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    condition: cython.int
    for row in range(groups[group], groups[group + 1]):
        at = n - table[row, 1]
        if at < 0 or not same(word, at, letters, table, row):
            continue
        condition = table[row, CONDITION]
        if at < (first if condition not in (IN_2, AFTER_ST) else second):
            return n
        if condition == AFTER_LI and not (at > 0 and classes[word[at - 1], VALID_LI]):
            return n
        if condition == AFTER_L and not (at > 0 and word[at - 1] == SMALL_L):
            return n
        if condition == AFTER_ST and not (at > 0 and (word[at - 1] == SMALL_S or word[at - 1] == SMALL_T)):
            return n
        for k in range(table[row, 3]):
            word[at + k] = letters[table[row, 2] + k]
        return at + table[row, 3]
    return n


def stem_english(
    spelling: cython.const[cython.uchar][::1],
    bounds: cython.const[cython.Py_ssize_t][::1],
    count: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
    table: cython.const[cython.int][:, ::1],
    groups: cython.const[cython.int][::1],
    classes: cython.const[cython.uchar][:, ::1],
    word: cython.uchar[::1],
    out: cython.uchar[::1],
) -> cython.Py_ssize_t:
    """Write the stems of `count` words, a newline behind each; how many bytes.

    A word that is not all ASCII, or whose stem would be empty, is written as it is. `word` has room for the longest
    word and two letters more.
    """
    number: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    start: cython.Py_ssize_t
    row: cython.Py_ssize_t
    first: cython.Py_ssize_t
    second: cython.Py_ssize_t
    group: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    ascii: cython.bint
    with cython.nogil:
        for number in range(count):
            start = bounds[number]
            n = bounds[number + 1] - start
            ascii = True
            for k in range(n):
                word[k] = spelling[start + k]
                if word[k] >= 128:
                    ascii = False
            if ascii and n >= 3:
                row = is_all(word, n, letters, table, groups, WORDS)
                if row >= 0:
                    for k in range(table[row, 3]):
                        word[k] = letters[table[row, 2] + k]
                    n = table[row, 3]
                else:
                    if word[0] == QUOTE:
                        n -= 1
                        for k in range(n):
                            word[k] = word[k + 1]
                    for k in range(n):  # a y at the beginning or after a vowel is a consonant
                        if word[k] == SMALL_Y and (k == 0 or classes[word[k - 1], VOWEL]):
                            word[k] = CAPITAL_Y
                    first = -1
                    for row in range(groups[BEGINNINGS], groups[BEGINNINGS + 1]):
                        if table[row, 1] <= n and same(word, 0, letters, table, row):
                            first = table[row, 1]
                    if first < 0:
                        first = region(word, 0, n, classes)
                    second = region(word, first, n, classes)
                    n = step_1(word, n, first, letters, table, groups, classes)
                    for group in range(ENDINGS, ENDINGS + 3):
                        n = replace(word, n, first, second, letters, table, groups, group, classes)
                    if n > 0 and word[n - 1] == SMALL_E:
                        if n - 1 >= second or (n - 1 >= first and not ends_short(word, n - 1, classes)):
                            n -= 1
                    elif n > 1 and word[n - 1] == SMALL_L and n - 1 >= second and word[n - 2] == SMALL_L:
                        n -= 1
                    for k in range(n):
                        if word[k] == CAPITAL_Y:
                            word[k] = SMALL_Y
            if n == 0:
                n = bounds[number + 1] - start
                for k in range(n):
                    word[k] = spelling[start + k]
            for k in range(n):
                out[written + k] = word[k]
            written += n
            out[written] = 10
            written += 1
    return written
