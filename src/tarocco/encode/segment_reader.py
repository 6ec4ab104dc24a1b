"""One segment at a time, without a batch: a reader that is made once counts what candidate and references share."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tarocco.encode.batch import Encoding
from tarocco.encode.tokenizers import TableTokenizer
from tarocco.kernels import kernel, text_pairs

HIGHEST_ORDER = 12  # of n-grams

_ROOM = 1 << 15  # bytes of all texts of a segment; longer ones are read as a batch
_TEXTS = 64
_WORDS = 1 << 11  # distinct words of references, for edit distances
_BLOCKS = 16  # of 64 words of a reference, for edit distances

_reader = kernel(text_pairs, "SegmentReader")


def make_reader(encoding: Encoding) -> Any:
    """Return a `SegmentReader` for this encoding, without its lowercasing; None if it needs more than a table."""
    tokenizer: Any = encoding.tokenizer
    if encoding.stem or encoding.analyzer is not None or type(tokenizer) is not TableTokenizer:
        return None
    switches = (tokenizer.padded, tokenizer.trimmed, tokenizer.markup)
    slots, pairs = _ROOM, 2 * HIGHEST_ORDER * _ROOM
    slots, pairs = (1 << (size - 1).bit_length() for size in (slots, pairs))
    arrays = (
        np.empty(2 * _ROOM + 8, np.uint8),  # split, of which eight bytes are read at a time
        np.empty(_ROOM, np.int32),  # words
        np.zeros(_TEXTS + 1, np.intp),  # bounds
        np.empty(slots, np.uint64),  # keys
        np.empty(slots, np.int32),  # ids
        np.zeros(slots, np.int64),  # stamps
        np.empty((_ROOM, 2), np.intp),  # first
        np.empty(2 * _ROOM, np.uint8),  # spelling
        np.empty(pairs, np.uint64),  # pairs
        np.empty(pairs, np.int32),  # longer
        np.zeros(pairs, np.int64),  # pair_stamps
        np.empty((HIGHEST_ORDER * _ROOM, 3), np.int32),  # grams
        np.empty(_ROOM, np.int32),  # prefixes
        np.empty((_WORDS, _BLOCKS), np.uint64),  # masks
        np.empty((2, _BLOCKS), np.uint64),  # columns
        np.empty((1, _ROOM), np.int32),  # mapped
        np.empty(1, np.intp),  # sizes
    )
    return _reader(tokenizer.classes, switches, arrays)


@cache
def strips_marks(tokenize: str) -> bool:
    """Return whether a tokenizer removes <skipped> first, as mteval does."""
    tokenizer: Any = Encoding(tokenize).tokenizer
    return bool(tokenizer.markup)
