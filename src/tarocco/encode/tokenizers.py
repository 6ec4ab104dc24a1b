"""The tokenizers, each a table of character classes and two or three switches for one compiled loop.

They give the same words as sacrebleu's tokenizers of the same names (2.6.0):

    none  words are what stands between spaces
    13a   mteval-v13a's, for Western languages; the default of the field
    intl  mteval-v14's international one: Unicode punctuation and symbols
    char  every character is a word
    zh    Chinese characters are words, the rest is tokenized as by 13a

And one that gives the words of ROUGE-1.5.5 and of rouge-score 0.1.2, once text is in lower case:

    rouge words are made of the letters a to z and digits; everything else is space

And one that is no choice for a run, but how chrF++ reads words:

    chrf  words are what stands between spaces, less one punctuation mark at the end, or else at the beginning
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import UnknownName
from tarocco.core.test_set import Segments
from tarocco.encode.character_classes import NUMBERS, PUNCTUATION, SYMBOLS
from tarocco.kernels import kernel, tokenization

OTHER, SPACE, SPLIT, PAIR, DIGIT, DASH, EDGE = range(7)  # as in kernels/tokenization.py

Ranges = Iterable[tuple[int, int]]

# What str.split() splits at.
SPACES = (
    (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip

# The first bytes of those beyond ASCII.
SPACES_BEGIN = sorted({chr(first).encode()[0] for first, _ in SPACES if first >= 0x80})

# Punctuation that mteval-v13a always splits off: { to ~, [ to `, space to &, ( to +, : to @, and /.
MTEVAL_PUNCTUATION = ((0x7B, 0x7E), (0x5B, 0x60), (0x20, 0x26), (0x28, 0x2B), (0x3A, 0x40), (0x2F, 0x2F))

LATIN = ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A))  # digits, A to Z, a to z
ASCII_PUNCTUATION = ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E))

# What sacrebleu's zh takes for Chinese. Its two ranges beyond U+FFFF are written with five digits behind a \u that
# reads four; as compared there they cover U+2001 to U+2A6D and U+2F81 to U+2FA1. The same words mean the same ranges.
CHINESE = (
    (0x2001, 0x2A6D), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF), (0x3000, 0x303F), (0x3100, 0x312F),
    (0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF),
)  # fmt: skip

_split_words = kernel(tokenization, "split_words")


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """A table of character classes, and how the ends of a line are read."""

    name: str
    classes: NDArray[np.uint8]
    padded: bool = False
    trimmed: bool = False
    markup: bool = False
    only_spaces: bool = False  # words end at spaces and nowhere else

    def split(self, segments: Segments) -> NDArray[np.uint8]:
        """The words of each segment as UTF-8, a space between words and a newline after each segment."""
        if self.markup and (b"<skipped>" in segments.text.tobytes() or segments.has_newlines):
            segments = Segments.from_strings([_without_marks(segment) for segment in segments])
        out = np.empty(2 * len(segments.text) + 1, np.uint8)
        length = _split_words(segments.text, segments.starts, self.classes, self.padded, self.trimmed, self.markup, out)
        return out[:length]

    def split_loosely(self, segments: Segments) -> NDArray[np.uint8]:
        """The same, but there may be more than one space between words, and spaces at the ends: nothing is copied
        where the text is like that already."""
        return segments.text if self.only_spaces and _plain(segments) else self.split(segments)

    def __call__(self, segment: str) -> str:
        """The words of one segment, a space between them."""
        return self.split(Segments.from_strings([segment])).tobytes().decode("utf-8", "surrogatepass")[:-1]


def _plain(segments: Segments) -> bool:
    """Whether there is no space but U+0020 and the newlines between segments: then text is split as it stands."""
    text = segments.text
    controls = np.count_nonzero(text < 0x20)
    if controls != len(segments) or np.count_nonzero(text == 0x0A) != controls:
        return False
    beyond_ascii = len(text) > 0 and text.max() >= 0x80
    return not (beyond_ascii and any((text == byte).any() for byte in SPACES_BEGIN))


def _without_marks(segment: str) -> str:
    """What mteval-v13a removes before it looks at characters: <skipped>, and hyphenation at a line's end."""
    return segment.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def _classes(*layers: tuple[int, Ranges]) -> NDArray[np.uint8]:
    """A class for each code point: later layers paint over earlier ones, and space stays space."""
    classes = np.full(0x110000, OTHER, np.uint8)
    for kind, ranges in (*layers, (SPACE, SPACES)):
        for first, last in ranges:
            classes[first : last + 1] = kind
    return classes


def _mteval(*layers: tuple[int, Ranges]) -> NDArray[np.uint8]:
    ascii_rules = ((SPLIT, MTEVAL_PUNCTUATION), (PAIR, [(0x2C, 0x2C), (0x2E, 0x2E)]), (DASH, [(0x2D, 0x2D)]))
    return _classes(*layers, *ascii_rules, (DIGIT, [(0x30, 0x39)]))


NAMES = ("none", "13a", "intl", "char", "zh", "rouge")


@cache
def tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name."""
    if name == "none":
        return Tokenizer(name, _classes(), only_spaces=True)
    if name == "13a":
        return Tokenizer(name, _mteval(), padded=True, markup=True)
    if name == "intl":
        return Tokenizer(name, _classes((DIGIT, NUMBERS), (PAIR, PUNCTUATION), (SPLIT, SYMBOLS)))
    if name == "char":
        return Tokenizer(name, _classes((SPLIT, [(0, 0x10FFFF)])))
    if name == "zh":
        return Tokenizer(name, _mteval((SPLIT, CHINESE)), trimmed=True)
    if name == "rouge":
        return Tokenizer(name, _classes((SPACE, [(0, 0x10FFFF)]), (OTHER, LATIN)))
    if name == "chrf":
        return Tokenizer(name, _classes((EDGE, ASCII_PUNCTUATION)))
    from difflib import get_close_matches

    near = get_close_matches(str(name), NAMES)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(NAMES)}"
    raise UnknownName(f'there is no tokenizer "{name}" ({hint})')
