# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Stems of English words by Porter's Snowball algorithm: https://snowballstem.org/algorithms/english

encode/vocabulary.py has the tables of the algorithm: which endings are replaced by what, and under which condition.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

# Groups of the table, in this order.
WORDS = cython.declare(cython.int, 0)  # whole words and their stems
BEGINNINGS = cython.declare(cython.int, 1)  # after which region 1 begins
BEFORE_EED = cython.declare(cython.int, 2)  # words that keep -eed
BEFORE_ING = cython.declare(cython.int, 3)  # words that keep -ing
ENDINGS = cython.declare(cython.int, 4)  # endings of steps 2, 3 and 4

# Columns of the table: start and length in `letters` of an ending and of its replacement, and the condition.
CONDITION = cython.declare(cython.int, 4)
IN_2 = cython.declare(cython.int, 2)  # 1: in region 1; 2: in region 2
AFTER_LI = cython.declare(cython.int, 3)  # in region 1, after one of c d e g h k m n r t
AFTER_L = cython.declare(cython.int, 4)  # in region 1, after l
AFTER_ST = cython.declare(cython.int, 5)  # in region 2, after s or t

# Columns of `classes`, which has a row per letter.
VOWEL = cython.declare(cython.int, 0)  # a e i o u y
NOT_SHORT = cython.declare(cython.int, 1)  # those, Y, w and x
VALID_LI = cython.declare(cython.int, 2)
DOUBLES = cython.declare(cython.int, 3)  # b d f g m n p r t

QUOTE = cython.declare(cython.int, 39)
CAPITAL_Y = cython.declare(cython.int, 89)  # a y that is a consonant
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


@cython.cclass
class Rules:
    """The tables of the algorithm."""

    letters: cython.const[cython.uchar][::1]
    table: cython.const[cython.int][:, ::1]
    groups: cython.const[cython.int][::1]
    classes: cython.const[cython.uchar][:, ::1]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def has_text(
    rules: Rules, word: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, row: cython.Py_ssize_t
) -> cython.bint:
    """Return whether a word has the text of a row at this position."""
    for k in range(rules.table[row, 1]):
        if word[at + k] != rules.letters[rules.table[row, 0] + k]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_word(
    rules: Rules, word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t, group: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the row of a group that equals the whole word, or -1."""
    for row in range(rules.groups[group], rules.groups[group + 1]):
        if rules.table[row, 1] == n and has_text(rules, word, 0, row):
            return row
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_vowel(rules: Rules, word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t) -> cython.bint:
    for k in range(n):
        if rules.classes[word[k], VOWEL]:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_region(
    rules: Rules, word: cython.const[cython.uchar][::1], k: cython.Py_ssize_t, n: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the position after the first consonant that follows a vowel, from k on; n if there is none."""
    while k < n and not rules.classes[word[k], VOWEL]:
        k += 1
    while k < n and rules.classes[word[k], VOWEL]:
        k += 1
    return k + 1 if k < n else n


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ends_with(
    word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t, c0: cython.int, c1: cython.int, c2: cython.int
) -> cython.bint:
    """Return whether the first n letters end in c0 c1 c2, or in c1 c2 if c0 is 0."""
    if n < 2 or word[n - 1] != c2 or word[n - 2] != c1:
        return False
    return c0 == 0 or (n >= 3 and word[n - 3] == c0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def ends_short(rules: Rules, word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t) -> cython.bint:
    """Return whether the first n letters end in a short syllable or in "past"."""
    vowel_before: cython.bint = n >= 2 and rules.classes[word[n - 2], VOWEL]
    if n >= 3 and vowel_before and not rules.classes[word[n - 1], NOT_SHORT] and not rules.classes[word[n - 3], VOWEL]:
        return True
    if n == 2 and vowel_before and not rules.classes[word[1], VOWEL]:
        return True
    return n >= 4 and word[n - 4] == SMALL_P and ends_with(word, n, SMALL_A, SMALL_S, SMALL_T)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remove_plural(rules: Rules, word: cython.const[cython.uchar][::1], n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Remove apostrophes (step 0) and the endings -sses, -ied, -ies and -s (step 1a); return the new length."""
    if ends_with(word, n, QUOTE, SMALL_S, QUOTE):
        n -= 3
    elif ends_with(word, n, 0, QUOTE, SMALL_S):
        n -= 2
    elif n >= 1 and word[n - 1] == QUOTE:
        n -= 1
    if n >= 4 and word[n - 4] == SMALL_S and ends_with(word, n, SMALL_S, SMALL_E, SMALL_S):
        n -= 2
    elif ends_with(word, n, SMALL_I, SMALL_E, SMALL_D) or ends_with(word, n, SMALL_I, SMALL_E, SMALL_S):
        n -= 2 if n >= 5 else 1
    elif n >= 2 and word[n - 1] == SMALL_S and word[n - 2] != SMALL_S and word[n - 2] != SMALL_U:
        n -= has_vowel(rules, word, n - 2)
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def restore_ending(
    rules: Rules, word: cython.uchar[::1], n: cython.Py_ssize_t, first: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Add an e, or remove a double letter, after -ed or -ing was removed; return the new length."""
    c = word[n - 1]
    if (
        ends_with(word, n, 0, SMALL_A, SMALL_T)
        or ends_with(word, n, 0, SMALL_B, SMALL_L)
        or ends_with(word, n, 0, SMALL_I, SMALL_Z)
    ):
        word[n] = SMALL_E
        n += 1
    elif n >= 2 and word[n - 2] == c and rules.classes[c, DOUBLES]:
        if not (n == 3 and (word[0] == SMALL_A or word[0] == SMALL_E or word[0] == SMALL_O)):
            n -= 1
    elif n == first and ends_short(rules, word, n):
        word[n] = SMALL_E
        n += 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remove_ed_and_ing(
    rules: Rules, word: cython.uchar[::1], n: cython.Py_ssize_t, first: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Replace -eed, -ed and -ing, with or without -ly (step 1b); return the new length. Region 1 begins at `first`."""
    m: cython.Py_ssize_t = n
    if n >= 4 and (ends_with(word, n, SMALL_D, SMALL_L, SMALL_Y) or ends_with(word, n, SMALL_G, SMALL_L, SMALL_Y)):
        m -= 2
    if ends_with(word, m, SMALL_E, SMALL_E, SMALL_D):
        m -= 3
        return m + 2 if m >= first and find_word(rules, word, m, BEFORE_EED) < 0 else n
    if ends_with(word, m, 0, SMALL_E, SMALL_D):
        m -= 2
    elif ends_with(word, m, SMALL_I, SMALL_N, SMALL_G):
        m -= 3
        if m + 3 == n:
            if m == 2 and word[1] == SMALL_Y and not rules.classes[word[0], VOWEL]:  # dying -> die
                word[1] = SMALL_I
                word[2] = SMALL_E
                return 3
            if find_word(rules, word, m, BEFORE_ING) >= 0:
                return n
    else:
        return n
    return restore_ending(rules, word, m, first) if has_vowel(rules, word, m) else n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def replace_ending(
    rules: Rules,
    word: cython.uchar[::1],
    n: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    second: cython.Py_ssize_t,
    group: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Replace the longest ending of a group, which is the first row that fits, if its condition holds."""
    for row in range(rules.groups[group], rules.groups[group + 1]):
        at = n - rules.table[row, 1]
        if at < 0 or not has_text(rules, word, at, row):
            continue
        condition = rules.table[row, CONDITION]
        if at < (first if condition not in (IN_2, AFTER_ST) else second):
            return n
        if condition == AFTER_LI and not (at > 0 and rules.classes[word[at - 1], VALID_LI]):
            return n
        if condition == AFTER_L and not (at > 0 and word[at - 1] == SMALL_L):
            return n
        if condition == AFTER_ST and not (at > 0 and (word[at - 1] == SMALL_S or word[at - 1] == SMALL_T)):
            return n
        for k in range(rules.table[row, 3]):
            word[at + k] = rules.letters[rules.table[row, 2] + k]
        return at + rules.table[row, 3]
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_word(rules: Rules, word: cython.uchar[::1], n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Remove a leading apostrophe and mark the consonants among the letters y; return the new length."""
    if word[0] == QUOTE:
        n -= 1
        for k in range(n):
            word[k] = word[k + 1]
    for k in range(n):  # a y at the beginning or after a vowel is a consonant
        if word[k] == SMALL_Y and (k == 0 or rules.classes[word[k - 1], VOWEL]):
            word[k] = CAPITAL_Y
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stem_word(rules: Rules, word: cython.uchar[::1], n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Replace a word of three ASCII characters or more by its stem; return the length of the stem."""
    row = find_word(rules, word, n, WORDS)
    if row >= 0:
        for k in range(rules.table[row, 3]):
            word[k] = rules.letters[rules.table[row, 2] + k]
        return rules.table[row, 3]
    n = begin_word(rules, word, n)
    first: cython.Py_ssize_t = -1
    for row in range(rules.groups[BEGINNINGS], rules.groups[BEGINNINGS + 1]):
        if rules.table[row, 1] <= n and has_text(rules, word, 0, row):
            first = rules.table[row, 1]
    if first < 0:
        first = find_region(rules, word, 0, n)
    second = find_region(rules, word, first, n)
    n = remove_plural(rules, word, n)
    n = remove_ed_and_ing(rules, word, n, first)
    if n >= 3 and (word[n - 1] == SMALL_Y or word[n - 1] == CAPITAL_Y) and not rules.classes[word[n - 2], VOWEL]:
        word[n - 1] = SMALL_I  # step 1c
    for group in range(ENDINGS, ENDINGS + 3):
        n = replace_ending(rules, word, n, first, second, group)
    if n > 0 and word[n - 1] == SMALL_E:  # step 5
        if n - 1 >= second or (n - 1 >= first and not ends_short(rules, word, n - 1)):
            n -= 1
    elif n - 1 >= second and ends_with(word, n, 0, SMALL_L, SMALL_L):
        n -= 1
    for k in range(n):
        if word[k] == CAPITAL_Y:
            word[k] = SMALL_Y
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
    """Write the stems of `count` words, each with a newline at its end; return the number of bytes.

    Words that are not ASCII, or whose stem would be empty, are written unchanged. `word` has room for the longest word
    and two more letters.
    """
    written: cython.Py_ssize_t = 0
    rules: Rules = Rules()
    rules.letters = letters
    rules.table = table
    rules.groups = groups
    rules.classes = classes
    with cython.nogil:
        for number in range(count):
            start = bounds[number]
            n: cython.Py_ssize_t = bounds[number + 1] - start
            is_ascii: cython.bint = True
            for k in range(n):
                word[k] = spelling[start + k]
                if word[k] >= 128:
                    is_ascii = False
            if is_ascii and n >= 3:
                n = stem_word(rules, word, n)
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
