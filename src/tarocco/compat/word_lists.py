"""Lists of words, as clients of other packages tokenize them: words may be any objects that can be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from tarocco.encode.batch import Encoding
from tarocco.encode.segment_reader import make_reader

Words = Sequence[Hashable]
Counts = TypeVar("Counts")

_FIRST_LETTER = 0x4E00  # words are written as single letters from here on
_LETTERS = 0x5000


def count_words(texts: Sequence[Words], count: Callable[[Any], Counts]) -> Counts | None:
    """Return what `count` returns for a `SegmentReader` that has read references and a candidate, in this order.

    Return nothing if the texts are too long for its tables.
    """
    reader, lock = _reader()
    sizes = list(map(len, texts))
    for write in (_as_text, write_letters):
        lines = write(texts)
        if lines is not None:
            packed = "\n".join([*lines, ""]).encode()
            with lock:
                if reader.read(packed) == sizes:
                    return count(reader)
    return None


@cache
def _reader() -> tuple[Any, Lock]:
    return make_reader(Encoding("none")), Lock()  # a reader holds the current segment


def _as_text(texts: Sequence[Words]) -> list[str] | None:
    """Join words with spaces; nothing if that could change what the words are."""
    try:
        lines = [" ".join(text) for text in texts]  # type: ignore[arg-type]
    except TypeError:
        return None
    # U+0020 is the only space that counts as printable.
    return lines if all(map(str.isprintable, lines)) and all(map(all, texts)) else None


def write_letters(texts: Sequence[Words]) -> list[str] | None:
    """Write every distinct word as one letter; nothing if there are too many."""
    letters: defaultdict[Hashable, int] = defaultdict()
    letters.default_factory = lambda: _FIRST_LETTER + len(letters)
    lines = [" ".join([chr(letters[word]) for word in text]) for text in texts]
    return lines if len(letters) < _LETTERS else None
