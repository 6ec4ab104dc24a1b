"""Words to ids: a growing table that gives the same id to the same spelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.encode import stems as english_stems
from tarocco.encode.stems import stem
from tarocco.kernels import kernel, stemming, vocabulary

_intern = kernel(vocabulary, "intern_words")
_rebuild = kernel(vocabulary, "rebuild_table")
_translate = kernel(vocabulary, "translate_ids")
_english = kernel(stemming, "stem_english")

_LEAST_ROOM = 64  # words; a power of two
_MOST_ROOM = 1 << 15  # at first; a table of many empty slots is slow, and words recur in a long text
_BYTES_A_WORD = 32  # of text, for each word that is new: more than that in most texts


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of different lengths: row i is values[offsets[i]:offsets[i + 1]]."""

    values: NDArray[np.int32]
    offsets: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        row = range(len(self))[row]
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def taken(self, rows: NDArray[np.intp]) -> Ragged:
        """These rows, in this order."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Ragged(self.values[np.repeat(self.offsets[rows], lengths) + within], offsets)

    @property
    def lengths(self) -> NDArray[np.intp]:
        lengths: NDArray[np.intp] = self.offsets[1:] - self.offsets[:-1]
        return lengths


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer


class Vocabulary:
    """The words seen so far, numbered in the order they came."""

    def __init__(self, expected: int = 0) -> None:
        """Room at first for the words of a text of so many bytes."""
        room = min(max(_LEAST_ROOM, 1 << (expected // _BYTES_A_WORD).bit_length()), _MOST_ROOM)
        self._known = 0
        self._keys = np.empty(room, np.uint64)
        self._bounds = np.zeros(room + 1, np.intp)
        self._spelling = np.empty(8 * room, np.uint8)
        self._make_slots()

    def _make_slots(self) -> None:
        """An empty table of slots, at most half full when there is no more room for words."""
        size = 2 * len(self._keys)
        self._shift = 64 - (size.bit_length() - 1)
        self._slots = (np.zeros(size, np.uint64), np.empty(size, np.int32))

    def __len__(self) -> int:
        return self._known

    def __getitem__(self, word: int) -> str:
        word = range(self._known)[word]
        spelling = self._spelling[self._bounds[word] : self._bounds[word + 1]]
        return spelling.tobytes().decode("utf-8", "surrogatepass")

    def by_stem(self) -> NDArray[np.int32]:
        """For each word the first one that has the same stem."""
        first: dict[str, int] = {}
        ids = (first.setdefault(stem(self[word]), word) for word in range(self._known))
        return np.fromiter(ids, np.int32, self._known)

    @property
    def spelled(self) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
        """The letters of all words in UTF-8, and where each word begins and the last one ends."""
        bounds = self._bounds[: self._known + 1]
        return self._spelling[: bounds[-1]], bounds

    def stem_ids(self, algorithm: str) -> NDArray[np.int32]:
        """For each word a number that words of the same stem share; the algorithm is `english` or `porter`."""
        if algorithm != "english":
            numbers: dict[str, int] = {}
            found = (numbers.setdefault(stem(self[word], algorithm, 0), len(numbers)) for word in range(self._known))
            return np.fromiter(found, np.int32, self._known)
        spelling, bounds = self.spelled
        longest = int(np.diff(bounds).max(initial=0))
        out = np.empty(bounds[-1] + 2 * self._known, np.uint8)
        rooms = np.empty(longest + 2, np.uint8), out
        written = _english(spelling, bounds, self._known, *english_stems.tables(), *rooms)
        stems, ids = Vocabulary(written), np.empty(self._known, np.int32)
        stems.encode(out[:written], ids, np.empty(self._known + 1, np.intp), 0, 0)
        # What is not all ASCII the kernel has left as it was.
        starts = np.flatnonzero(np.maximum.reduceat(spelling, bounds[:-1]) >= 128 if longest else [])
        for word in starts.tolist():
            text = np.frombuffer((stem(self[word], algorithm, 0) + "\n").encode("utf-8", "surrogatepass"), np.uint8)
            stems.encode(text, ids, np.empty(2, np.intp), word, 0)
        return ids

    def encode(
        self, split: NDArray[np.uint8], ids: NDArray[np.int32], offsets: NDArray[np.intp], written: int, rows: int
    ) -> tuple[int, int]:
        """Number the words that a tokenizer wrote; new words get new ids.

        Ids go to ids[written:], the end of each segment to offsets[rows + 1:]; both have room. Returns the new
        `written` and `rows`.
        """
        state = np.array([0, written, rows, self._known], np.intp)
        while True:
            _intern(*(split, self._shift, *self._slots, self._keys, self._bounds, self._spelling), ids, offsets, state)
            self._known = int(state[3])
            if state[0] == len(split):
                return int(state[1]), int(state[2])
            self._grow(len(split))

    def _grow(self, at_least: int) -> None:
        """Make room for more words, for at least one more as long as the whole text."""
        room = 4 * len(self._keys)
        self._keys = _longer(self._keys, room)
        self._bounds = _longer(self._bounds, room + 1)
        self._spelling = _longer(self._spelling, max(4 * len(self._spelling), len(self._spelling) + at_least))
        self._make_slots()
        _rebuild(self._keys, self._known, self._shift, *self._slots)

    def ids_in(self, other: Vocabulary) -> NDArray[np.int32]:
        """For each word its id in another vocabulary, -1 where that has no such word."""
        out = np.empty(self._known, np.int32)
        mine = (self._keys, self._bounds, self._spelling)
        _translate(*mine, other._shift, *other._slots, other._bounds, other._spelling, out)
        return out
