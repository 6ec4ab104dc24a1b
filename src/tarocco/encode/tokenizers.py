"""The tokenizers: each is a table of character classes and a few switches for one compiled loop.

These give the same words as sacrebleu's tokenizers of the same names (2.6.0):

    none  splits at spaces
    13a   mteval-v13a's tokenizer for Western languages; the default of the field
    intl  mteval-v14's international tokenizer: splits off Unicode punctuation and symbols
    char  every character is a word
    zh    every Chinese character is a word, the rest is tokenized as by 13a

This one gives the words of ROUGE-1.5.5 and of rouge-score 0.1.2 on lowercased text:

    rouge words are made of the letters a to z and digits; everything else is space

This one gives the words of jiwer 4.0.0's default transform:

    jiwer splits at spaces, and at two or more characters of whitespace: a no-break space between letters does not split

Tokenizers outside tarocco (ja-mecab, ko-mecab, spm:FILE, flores200, functions) are in tokenizer_plugins.py.

chrF++ reads words with a tokenizer that users cannot choose:

    chrf  splits at spaces and removes one punctuation mark at a word's end, or else at its beginning

`normalize_for_ter` is the normalization of TERCOM, as sacrebleu 2.6.0 implements it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import UnknownName
from tarocco.core.test_set import Segments
from tarocco.kernels import kernel, tokenization

OTHER, SPACE, SPLIT, PAIR, DIGIT, DASH, EDGE = range(7)  # as in kernels/tokenization.py

Ranges = Iterable[tuple[int, int]]
SplitFunction = Callable[[str], str | Iterable[str]]  # from a text to its words

# The characters that str.split() splits at.
SPACES = (
    (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip

# The first bytes of those outside ASCII.
SPACES_BEGIN = sorted({chr(first).encode()[0] for first, _ in SPACES if first >= 0x80})

# Punctuation that mteval-v13a always splits off: { to ~, [ to `, space to &, ( to +, : to @, and /.
MTEVAL_PUNCTUATION = ((0x7B, 0x7E), (0x5B, 0x60), (0x20, 0x26), (0x28, 0x2B), (0x3A, 0x40), (0x2F, 0x2F))

LATIN = ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A))  # digits, A to Z, a to z
ASCII_PUNCTUATION = ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E))

# The characters that sacrebleu's zh treats as Chinese. It writes two ranges above U+FFFF with five digits after \u, of
# which Python reads four, so in effect they are U+2001 to U+2A6D and U+2F81 to U+2FA1. Equal words need equal ranges.
CHINESE = (
    (0x2001, 0x2A6D), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF), (0x3000, 0x303F), (0x3100, 0x312F),
    (0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF),
)  # fmt: skip

_split_words = kernel(tokenization, "split_words")


class Tokenizer(ABC):
    """Splits text into words."""

    name: str

    @property
    def signature(self) -> str:
        """What signatures say: the name, and the version of anything outside tarocco that decides about words."""
        return self.name

    @abstractmethod
    def split(self, segments: Segments) -> NDArray[np.uint8]:
        """Return the words of each segment as UTF-8, with spaces between words and a newline after each segment."""

    def split_loosely(self, segments: Segments) -> NDArray[np.uint8]:
        """Return the same words, possibly with extra spaces: text that needs no splitting is not copied."""
        return self.split(segments)

    def __call__(self, segment: str) -> str:
        """Return the words of one segment, separated by spaces."""
        return self.split(Segments.from_strings([segment])).tobytes().decode("utf-8", "surrogatepass")[:-1]


@dataclass(frozen=True, eq=False)
class TableTokenizer(Tokenizer):
    """A table of character classes, and how to treat the ends of a line."""

    name: str
    classes: NDArray[np.uint8]
    padded: bool = False
    trimmed: bool = False
    markup: bool = False
    only_spaces: bool = False  # words end only at spaces

    def split(self, segments: Segments) -> NDArray[np.uint8]:
        if self.markup and (b"<skipped>" in segments.text.tobytes() or segments.has_newlines):
            segments = Segments.from_strings([_without_marks(segment) for segment in segments])
        out = np.empty(2 * len(segments.text) + 1, np.uint8)
        length = _split_words(segments.text, segments.starts, self.classes, self.padded, self.trimmed, self.markup, out)
        return out[:length]

    def split_loosely(self, segments: Segments) -> NDArray[np.uint8]:
        return segments.text if self.only_spaces and _plain(segments) else self.split(segments)


@dataclass(frozen=True, eq=False)
class FunctionTokenizer(Tokenizer):
    """A function from a text to its words, a list or a string with spaces between words."""

    name: str
    function: SplitFunction
    version: str = ""

    @property
    def signature(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name

    def split(self, segments: Segments) -> NDArray[np.uint8]:
        lines = "".join(f"{self._write(text)}\n" for text in segments)
        return np.frombuffer(lines.encode("utf-8", "surrogatepass"), np.uint8)

    def _write(self, text: str) -> str:
        words = self.function(text)
        if isinstance(words, str):
            return " ".join(words.split())
        return " ".join(word.translate(_IN_WORDS) for word in words if word)


# A space or newline within a word becomes a character for private use, because they separate words and texts.
_IN_WORDS = {0x20: 0xF0020, 0x0A: 0xF000A}


class JiwerTokenizer(FunctionTokenizer):
    """The default transform of jiwer, faster for text without unusual whitespace."""

    def split_loosely(self, segments: Segments) -> NDArray[np.uint8]:
        return segments.text if _plain(segments) else self.split(segments)


def _split_like_jiwer(text: str) -> list[str]:
    return re.sub(r"\s\s+", " ", text).strip().split(" ")


def _plain(segments: Segments) -> bool:
    """Return whether U+0020 and the newlines between segments are the only whitespace."""
    text = segments.text
    controls = np.count_nonzero(text < 0x20)
    if controls != len(segments) or np.count_nonzero(text == 0x0A) != controls:
        return False
    beyond_ascii = len(text) > 0 and text.max() >= 0x80
    return not (beyond_ascii and any((text == byte).any() for byte in SPACES_BEGIN))


def _without_marks(segment: str) -> str:
    """Remove <skipped> and hyphenation at line ends, as mteval-v13a does first."""
    return segment.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def _classes(*layers: tuple[int, Ranges]) -> NDArray[np.uint8]:
    """Return the class of each code point. Later layers replace earlier ones, and spaces remain spaces."""
    classes = np.full(0x110000, OTHER, np.uint8)
    for kind, ranges in (*layers, (SPACE, SPACES)):
        for first, last in ranges:
            classes[first : last + 1] = kind
    return classes


def _mteval(*layers: tuple[int, Ranges]) -> NDArray[np.uint8]:
    ascii_rules = ((SPLIT, MTEVAL_PUNCTUATION), (PAIR, [(0x2C, 0x2C), (0x2E, 0x2E)]), (DASH, [(0x2D, 0x2D)]))
    return _classes(*layers, *ascii_rules, (DIGIT, [(0x30, 0x39)]))


def _read_unicode_classes() -> dict[str, list[tuple[int, int]]]:
    """Return Unicode's numbers, punctuation and symbols, a table that tools/make_character_classes.py wrote."""
    lines = _UNICODE_CLASSES.read_text("ascii").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {name: [(int(a, 16), int(b, 16)) for a, b in (pair.split("-") for pair in pairs)] for name, *pairs in rows}


NAMES = ("none", "13a", "intl", "char", "zh", "rouge", "jiwer")
_UNICODE_CLASSES = Path(__file__).parents[1] / "data" / "unicode" / "classes.txt"


def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of that name: a built-in one, MeCab, a SentencePiece model, or one from a package.

    Raises UnknownName, or MissingExtra if a library is missing.
    """
    built_in = _built_in(name)
    if built_in is not None:
        return built_in
    from tarocco.encode import tokenizer_plugins

    plugin = tokenizer_plugins.find_tokenizer(name)
    if plugin is not None:
        return plugin
    from difflib import get_close_matches

    names = (*NAMES, *tokenizer_plugins.NAMES)
    near = get_close_matches(str(name), names)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(names)} and spm:FILE"
    raise UnknownName(f'there is no tokenizer "{name}" ({hint})')


def register_tokenizer(tokenize: str | SplitFunction) -> str:
    """Return a name, or the name under which `tokenizer` finds a function from now on."""
    if isinstance(tokenize, str):
        return tokenize
    from tarocco.encode import tokenizer_plugins

    return tokenizer_plugins.register(tokenize)


@cache
def _built_in(name: str) -> Tokenizer | None:
    if name == "none":
        return TableTokenizer(name, _classes(), only_spaces=True)
    if name == "13a":
        return TableTokenizer(name, _mteval(), padded=True, markup=True)
    if name == "intl":
        unicode = _read_unicode_classes()
        layers = (DIGIT, unicode["numbers"]), (PAIR, unicode["punctuation"]), (SPLIT, unicode["symbols"])
        return TableTokenizer(name, _classes(*layers))
    if name == "char":
        return TableTokenizer(name, _classes((SPLIT, [(0, 0x10FFFF)])))
    if name == "zh":
        return TableTokenizer(name, _mteval((SPLIT, CHINESE)), trimmed=True)
    if name == "rouge":
        return TableTokenizer(name, _classes((SPACE, [(0, 0x10FFFF)]), (OTHER, LATIN)))
    if name == "jiwer":
        return JiwerTokenizer(name, _split_like_jiwer)
    if name == "chrf":
        return TableTokenizer(name, _classes((EDGE, ASCII_PUNCTUATION)))
    return None


# --- TER -----------------------------------------------------------------------------------------------------------

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# ASCII punctuation that is always a separate word: all but ' , - .
_WESTERN = [*range(0x7B, 0x7F), *range(0x5B, 0x61), *range(0x21, 0x27), *range(0x28, 0x2C), *range(0x3A, 0x41), 0x2F]
_PUNCTUATION = '.,?:;!"()'

# The original's rules for Hiragana and Katakana can match only at the beginning of a line, where the padding is.
_IDEOGRAPHS = (
    (0x2E80, 0x2EFF),
    (0x31C0, 0x31EF),
    (0x3200, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
)
_ASIAN_PUNCTUATION = [
    *(0x3001, 0x3002, *range(0x3008, 0x3012), *range(0x3014, 0x3020), *range(0xFF61, 0xFF66), 0x30FB),
    *map(ord, "．，？：；！＂（）"),
]

_SPLIT_WESTERN = {code: f" {chr(code)} " for code in _WESTERN}
_SPLIT_ASIAN = {
    code: f" {chr(code)} "
    for code in [*(code for first, last in _IDEOGRAPHS for code in range(first, last + 1)), *_ASIAN_PUNCTUATION]
}
_DROP_WESTERN = dict.fromkeys(map(ord, _PUNCTUATION))
_DROP_ASIAN = dict.fromkeys(_ASIAN_PUNCTUATION)


def normalize_for_ter(segments: Segments, lowercase: bool, normalized: bool, no_punct: bool, asian: bool) -> Segments:
    """Normalize text as TERCOM does; words are separated by single spaces.

    The rules are written for one line. Each looks at most one character ahead or back, and lines are padded with
    spaces, so no rule sees across the newline between two lines: all lines can be processed at once.
    """
    if lowercase:
        segments = segments.lowercased()
    if segments.has_newlines:
        drop = "" if normalized else " -"
        lines = [line.rstrip().replace("\n-", drop).replace("\n", " ") for line in segments]
        segments = Segments.from_strings(lines)
    text = segments.text.tobytes().decode("utf-8", "surrogatepass")
    if normalized:
        text = _normalized("\n".join([line.rstrip() for line in text.split("\n")]))
        if asian:
            text = text.translate(_SPLIT_ASIAN)
    if no_punct:
        text = text.translate(_DROP_WESTERN | _DROP_ASIAN if asian else _DROP_WESTERN)
    segments = Segments.from_lines(text.encode("utf-8", "surrogatepass"))
    return Segments.from_lines(tokenizer("none").split(segments).tobytes())


def _normalized(text: str) -> str:
    """Split off punctuation in lines, each of which ends with a newline."""
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = (" " + text.replace("\n", " \n "))[:-1]
    text = text.translate(_SPLIT_WESTERN).replace("'s ", " 's ")
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])-", r"\1 - ", text)
