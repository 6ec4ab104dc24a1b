# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From UTF-8 text to words, in one pass.

All tokenizers are one loop over characters. What differs is the class of each character, looked up in a table:

    SPACE  ends a word
    SPLIT  is a word by itself
    PAIR   is a word by itself unless it stands between two digits (the period in 3.14), see below
    DIGIT  a digit
    DASH   is a word by itself after a digit
    EDGE   is a word by itself at the end of a word, and at its beginning if the word does not end with one
    OTHER  part of a word

mteval's rules for PAIR characters are two regular expressions, applied in turn, whose matches must not overlap:
`([^0-9])([.,])` -> `\\1 \\2 ` and then `([.,])([^0-9])` -> ` \\1 \\2`. One pass does the same with one bit of memory:
in `,,` the second comma is not matched by the first expression, because its left neighbor was used up by the match
before it; it is then matched by the second one if no digit follows. What follows an unmatched PAIR character is either
a digit (nothing happens) or not (it is split off): a PAIR character behind an unmatched one is always matched by the
first expression, so the second never sees two of them side by side.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tarocco.kernels import cython_fallback as cython

COMPILED = cython.compiled

OTHER = cython.declare(cython.int, 0)
SPACE = cython.declare(cython.int, 1)
SPLIT = cython.declare(cython.int, 2)
PAIR = cython.declare(cython.int, 3)
DIGIT = cython.declare(cython.int, 4)
DASH = cython.declare(cython.int, 5)
EDGE = cython.declare(cython.int, 6)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def width(lead: cython.int) -> cython.int:
    """How many bytes a character has, by its first one (the text is known to be valid)."""
    if lead < 0x80:
        return 1
    if lead < 0xE0:
        return 2
    if lead < 0xF0:
        return 3
    return 4


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def class_at(
    text: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, classes: cython.const[cython.uchar][::1]
) -> cython.int:
    """The class of the character that starts at byte i."""
    lead: cython.int = text[i]
    if lead < 0x80:
        return classes[lead]
    if lead < 0xE0:
        return classes[((lead & 0x1F) << 6) | (text[i + 1] & 0x3F)]
    if lead < 0xF0:
        return classes[((lead & 0x0F) << 12) | ((text[i + 1] & 0x3F) << 6) | (text[i + 2] & 0x3F)]
    return classes[
        ((lead & 0x07) << 18) | ((text[i + 1] & 0x3F) << 12) | ((text[i + 2] & 0x3F) << 6) | (text[i + 3] & 0x3F)
    ]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def begins(
    text: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    c0: cython.int,
    c1: cython.int,
    c2: cython.int,
    c3: cython.int,
) -> cython.bint:
    """Whether the bytes from i on are c0 c1 c2 c3 (c3 = 0: only the first three count)."""
    if c3 == 0:
        return i + 3 <= end and text[i] == c0 and text[i + 1] == c1 and text[i + 2] == c2
    return i + 4 <= end and text[i] == c0 and text[i + 1] == c1 and text[i + 2] == c2 and text[i + 3] == c3


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def entity(text: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
    """The entity that starts with the ampersand at byte i, as length * 256 + the character it stands for, or 0.

    mteval replaces &quot; &amp; &lt; &gt; in this order, each once over the whole line: so &amp;lt; becomes < in the
    end, while &amp;quot; becomes &quot; and stays.
    """
    if begins(text, i + 1, end, 108, 116, 59, 0):  # lt;
        return 4 * 256 + 60
    if begins(text, i + 1, end, 103, 116, 59, 0):  # gt;
        return 4 * 256 + 62
    if begins(text, i + 1, end, 97, 109, 112, 59):  # amp;
        if begins(text, i + 5, end, 108, 116, 59, 0):
            return 8 * 256 + 60
        if begins(text, i + 5, end, 103, 116, 59, 0):
            return 8 * 256 + 62
        return 5 * 256 + 38
    if begins(text, i + 1, end, 113, 117, 111, 116) and i + 5 < end and text[i + 5] == 59:  # quot;
        return 6 * 256 + 34
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def splits_off(
    text: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    begins_word: cython.bint,
    classes: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Whether the EDGE character that starts at byte i is a word by itself."""
    kind: cython.int = EDGE
    last: cython.int = EDGE
    i += width(text[i])
    if not begins_word:
        return i >= end or class_at(text, i, classes) == SPACE
    while i < end and kind != SPACE:
        last = kind
        kind = class_at(text, i, classes)
        i += width(text[i])
    return (last if kind == SPACE else kind) != EDGE


def split_words(
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.Py_ssize_t][::1],
    classes: cython.const[cython.uchar][::1],
    padded: cython.bint,
    trimmed: cython.bint,
    entities: cython.bint,
    out: cython.uchar[::1],
):
    """Write the words of each segment, a space between words and a newline after each segment; return the length.

    Segment i is the bytes starts[i] .. starts[i + 1] - 1 (the last byte separates it from the next one).
    `padded`: the line is read as if a space stood on both sides (13a). `trimmed`: leading space does not count as a
    left neighbor (zh). Trailing space never counts as a right neighbor. `entities`: four SGML entities are read.
    `out` holds twice the text.
    """
    segment: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    step: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    length: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    found: cython.int
    kind: cython.int
    previous: cython.int
    before: cython.bint
    gap: cython.bint
    alone: cython.bint
    used_up: cython.bint
    character: cython.int
    with cython.nogil:
        for segment in range(starts.shape[0] - 1):
            start = starts[segment]
            end = starts[segment + 1] - 1
            begin = length
            gap = False  # a space is due before the next character
            before = padded  # there is a left neighbor
            previous = SPACE
            used_up = False  # the left neighbor was matched by the first of mteval's expressions
            i = start
            while i < end:
                character = text[i]
                if character < 0x80:
                    kind = classes[character]
                    step = 1
                else:
                    kind = class_at(text, i, classes)
                    step = width(character)
                if kind == SPACE:
                    gap = True
                    previous = SPACE
                    used_up = False
                    if not trimmed:
                        before = True
                    i += step
                    continue
                if entities and character == 38:
                    found = entity(text, i, end)
                    if found:
                        step = found >> 8
                        character = found & 0xFF
                alone = kind == SPLIT or (kind == DASH and previous == DIGIT)
                if kind == PAIR:
                    if before and previous != DIGIT and not used_up:
                        alone = True
                        used_up = True
                    else:
                        used_up = False
                        j = i + step
                        while j < end and not padded and class_at(text, j, classes) == SPACE:
                            j += width(text[j])
                        if j >= end:
                            alone = padded
                        elif j > i + step:
                            alone = True
                        else:
                            alone = class_at(text, j, classes) != DIGIT
                else:
                    used_up = False
                    if kind == EDGE:
                        alone = splits_off(text, i, end, previous == SPACE, classes)
                if (gap or alone) and length > begin:
                    out[length] = 32
                    length += 1
                if character < 0x80:
                    out[length] = cython.cast(cython.uchar, character)
                    length += 1
                else:
                    for j in range(i, i + step):
                        out[length] = text[j]
                        length += 1
                gap = alone
                previous = kind
                before = True
                i += step
                if kind == OTHER:  # most characters follow one of their kind: copy the run
                    while i < end and text[i] < 0x80 and classes[text[i]] == OTHER:
                        out[length] = text[i]
                        length += 1
                        i += 1
            out[length] = 10
            length += 1
    return length
