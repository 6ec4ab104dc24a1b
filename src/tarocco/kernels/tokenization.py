# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""UTF-8 text -> words, in one pass.

All tokenizers are one loop over characters. They differ only in a table of character classes:

    SPACE  ends a word
    SPLIT  is a word by itself
    PAIR   is a word by itself unless it is between two digits (the period in 3.14), see below
    DIGIT  a digit
    DASH   is a word by itself after a digit
    EDGE   is a word by itself at the end of a word, and at its beginning if the word does not end with such a character
    OTHER  part of a word

mteval's rules for PAIR characters are two regular expressions, applied one after the other, whose matches must not
overlap: `([^0-9])([.,])` -> `\\1 \\2 ` and then `([.,])([^0-9])` -> ` \\1 \\2`. One pass with one bit of memory is
equivalent. In `,,` the first expression does not match the second comma, because the previous match has consumed its
left neighbor; the second expression then matches it if no digit follows. An unmatched PAIR character is followed by a
digit (no change) or not (it is split off). The first expression always matches a PAIR character after an unmatched one,
so the second expression never sees two adjacent ones.
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
def get_width(lead: cython.int) -> cython.int:
    """Return the number of bytes of a character by its first byte, in valid UTF-8."""
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
def get_class(
    text: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, classes: cython.const[cython.uchar][::1]
) -> cython.int:
    """Return the class of the character that starts at byte i."""
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
def has_bytes(
    text: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    c0: cython.int,
    c1: cython.int,
    c2: cython.int,
    c3: cython.int,
) -> cython.bint:
    """Return whether the bytes from i on are c0 c1 c2 c3, or c0 c1 c2 if c3 is 0."""
    if c3 == 0:
        return i + 3 <= end and text[i] == c0 and text[i + 1] == c1 and text[i + 2] == c2
    return i + 4 <= end and text[i] == c0 and text[i + 1] == c1 and text[i + 2] == c2 and text[i + 3] == c3


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read_entity(text: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
    """Return length * 256 + character of the entity that starts with the ampersand at byte i, 0 if there is none.

    mteval replaces &quot; &amp; &lt; &gt; in this order, each once over the whole line: &amp;lt; becomes <, while
    &amp;quot; becomes &quot; and remains so.
    """
    if has_bytes(text, i + 1, end, 108, 116, 59, 0):  # lt;
        return 4 * 256 + 60
    if has_bytes(text, i + 1, end, 103, 116, 59, 0):  # gt;
        return 4 * 256 + 62
    if has_bytes(text, i + 1, end, 97, 109, 112, 59):  # amp;
        if has_bytes(text, i + 5, end, 108, 116, 59, 0):
            return 8 * 256 + 60
        if has_bytes(text, i + 5, end, 103, 116, 59, 0):
            return 8 * 256 + 62
        return 5 * 256 + 38
    if has_bytes(text, i + 1, end, 113, 117, 111, 116) and i + 5 < end and text[i + 5] == 59:  # quot;
        return 6 * 256 + 34
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_split_off(
    text: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    begins_word: cython.bint,
    classes: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Return whether the EDGE character that starts at byte i is a word by itself."""
    kind: cython.int = EDGE
    last: cython.int = EDGE
    i += get_width(text[i])
    if not begins_word:
        return i >= end or get_class(text, i, classes) == SPACE
    while i < end and kind != SPACE:
        last = kind
        kind = get_class(text, i, classes)
        i += get_width(text[i])
    return (last if kind == SPACE else kind) != EDGE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_split_before(
    text: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    padded: cython.bint,
    classes: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Return whether mteval's second expression matches the PAIR character before byte i."""
    j: cython.Py_ssize_t = i
    while j < end and not padded and get_class(text, j, classes) == SPACE:
        j += get_width(text[j])
    if j >= end:
        return padded
    return j > i or get_class(text, j, classes) != DIGIT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split_segment(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    classes: cython.const[cython.uchar][::1],
    padded: cython.bint,
    trimmed: cython.bint,
    entities: cython.bint,
    out: cython.uchar[::1],
    length: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the words of text[start:end] to out[length:], with spaces between words; return the new length.

    The switches are those of `split_words`.
    """
    i: cython.Py_ssize_t = start
    step: cython.Py_ssize_t
    begin: cython.Py_ssize_t = length
    kind: cython.int
    previous: cython.int = SPACE
    before: cython.bint = padded  # whether there is a left neighbor
    gap: cython.bint = False  # whether a space is due before the next character
    alone: cython.bint
    used_up: cython.bint = False  # whether mteval's first expression has matched the left neighbor
    character: cython.int
    while i < end:
        character = text[i]
        if character < 0x80:
            kind = classes[character]
            step = 1
        else:
            kind = get_class(text, i, classes)
            step = get_width(character)
        if kind == SPACE:
            gap = True
            previous = SPACE
            used_up = False
            if not trimmed:
                before = True
            i += step
            continue
        if entities and character == 38:
            replaced = read_entity(text, i, end)
            if replaced:
                step = replaced >> 8
                character = replaced & 0xFF
        alone = kind == SPLIT or (kind == DASH and previous == DIGIT)
        used_up = kind == PAIR and before and previous != DIGIT and not used_up
        if kind == PAIR:
            alone = used_up or is_split_before(text, i + step, end, padded, classes)
        elif kind == EDGE:
            alone = is_split_off(text, i, end, previous == SPACE, classes)
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
        if kind == OTHER:  # most characters are followed by one of the same class: copy the run
            while i < end and text[i] < 0x80 and classes[text[i]] == OTHER:
                out[length] = text[i]
                length += 1
                i += 1
    return length


def split_words(
    text: cython.const[cython.uchar][::1],
    starts: cython.const[cython.Py_ssize_t][::1],
    classes: cython.const[cython.uchar][::1],
    padded: cython.bint,
    trimmed: cython.bint,
    entities: cython.bint,
    out: cython.uchar[::1],
):
    """Write the words of each segment, with spaces between words and a newline after each segment; return the length.

    Segment i consists of the bytes starts[i] .. starts[i + 1] - 1; the last byte is a separator. With `padded`, lines
    are read as if there were a space on both sides (13a). With `trimmed`, leading space is not a left neighbor (zh).
    Trailing space is never a right neighbor. With `entities`, four SGML entities are replaced. `out` has room for twice
    the text.
    """
    length: cython.Py_ssize_t = 0
    with cython.nogil:
        for segment in range(starts.shape[0] - 1):
            end = starts[segment + 1] - 1
            length = split_segment(text, starts[segment], end, classes, padded, trimmed, entities, out, length)
            out[length] = 10
            length += 1
    return length
