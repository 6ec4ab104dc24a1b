"""What TERCOM's normalization, as sacrebleu 2.6.0 has it, does to a text before its words are looked at.

The rules are written for one line. Every rule that looks at a neighbor looks at most one character far, and a line is
padded with a space at both ends, so no rule sees over the newline between two lines: all lines are done at once.
"""

from __future__ import annotations

import re

from tarocco.core.test_set import Segments
from tarocco.encode.tokenizers import tokenizer

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# ASCII punctuation that is always a word of its own: all but ' , - .
_WESTERN = [*range(0x7B, 0x7F), *range(0x5B, 0x61), *range(0x21, 0x27), *range(0x28, 0x2C), *range(0x3A, 0x41), 0x2F]
_PUNCTUATION = '.,?:;!"()'

# The rules for Hiragana and Katakana of the original can match at the beginning of a line only, where the padding is.
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


def normalize(segments: Segments, lowercase: bool, normalized: bool, no_punct: bool, asian: bool) -> Segments:
    """The same segments as words with single spaces between them."""
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
    """Lines, each with a newline at its end, with punctuation split off."""
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = (" " + text.replace("\n", " \n "))[:-1]
    text = text.translate(_SPLIT_WESTERN).replace("'s ", " 's ")
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])-", r"\1 - ", text)
