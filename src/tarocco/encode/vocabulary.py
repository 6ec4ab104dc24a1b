"""Words to ids, and words to stems.

A `Vocabulary` is a growing table that gives equal spellings equal ids. Stems come from the algorithms of
snowballstemmer; a kernel computes those of the English one from the tables below.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import gather_ragged
from tarocco.encode.nltk_porter import stem_like_nltk
from tarocco.kernels import kernel, stemming, vocabulary

_intern = kernel(vocabulary, "intern_words")
_rebuild = kernel(vocabulary, "rebuild_table")
_translate = kernel(vocabulary, "translate_ids")
_english = kernel(stemming, "stem_english")

_LEAST_ROOM = 64  # words; a power of two
_MOST_ROOM = 1 << 15  # initially: sparse tables are slow, and words recur in a long text
_BYTES_A_WORD = 32  # of text per new word; most texts have more


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
        """Return these rows, in this order."""
        offsets, cells = gather_ragged(self.offsets, rows)
        return Ragged(self.values[cells], offsets)

    @property
    def lengths(self) -> NDArray[np.intp]:
        lengths: NDArray[np.intp] = self.offsets[1:] - self.offsets[:-1]
        return lengths


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer


class Vocabulary:
    """The words seen so far, numbered in order of first occurrence."""

    def __init__(self, expected: int = 0) -> None:
        """Make room for the words of a text of `expected` bytes."""
        room = min(max(_LEAST_ROOM, 1 << (expected // _BYTES_A_WORD).bit_length()), _MOST_ROOM)
        self._known = 0
        self._keys = np.empty(room, np.uint64)
        self._bounds = np.zeros(room + 1, np.intp)
        self._spelling = np.empty(8 * room, np.uint8)
        self._make_slots()

    def _make_slots(self) -> None:
        """Make an empty hash table that is at most half full when the room for words is used up."""
        size = 2 * len(self._keys)
        self._shift = 64 - (size.bit_length() - 1)
        self._slots = (np.zeros(size, np.uint64), np.empty(size, np.int32))

    def __len__(self) -> int:
        return self._known

    def __getitem__(self, word: int) -> str:
        word = range(self._known)[word]
        spelling = self._spelling[self._bounds[word] : self._bounds[word + 1]]
        return spelling.tobytes().decode("utf-8", "surrogatepass")

    def by_stem(self, algorithm: str) -> NDArray[np.int32]:
        """Return for each word the first one with the same stem; the algorithm is `porter` or `porter-nltk`."""
        first: dict[str, int] = {}
        stem_word = nltk_stem if algorithm == "porter-nltk" else stem
        ids = (first.setdefault(stem_word(self[word]), word) for word in range(self._known))
        return np.fromiter(ids, np.int32, self._known)

    @property
    def spelled(self) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
        """All words in UTF-8, and the bounds of each."""
        bounds = self._bounds[: self._known + 1]
        return self._spelling[: bounds[-1]], bounds

    def stem_ids(self, algorithm: str) -> NDArray[np.int32]:
        """Return for each word the number of its stem; the algorithm is `english` or `porter`."""
        if algorithm != "english":
            numbers: dict[str, int] = {}
            stem_ids = (numbers.setdefault(stem(self[word], algorithm, 0), len(numbers)) for word in range(self._known))
            return np.fromiter(stem_ids, np.int32, self._known)
        spelling, bounds = self.spelled
        longest = int(np.diff(bounds).max(initial=0))
        out = np.empty(bounds[-1] + 2 * self._known, np.uint8)
        rooms = np.empty(longest + 2, np.uint8), out
        written = _english(spelling, bounds, self._known, *english_stem_tables(), *rooms)
        stems, ids = Vocabulary(written), np.empty(self._known, np.int32)
        stems.encode(out[:written], ids, np.empty(self._known + 1, np.intp), 0, 0)
        # The kernel leaves words that are not ASCII unchanged.
        starts = np.flatnonzero(np.maximum.reduceat(spelling, bounds[:-1]) >= 128 if longest else [])
        for word in starts.tolist():
            text = np.frombuffer((stem(self[word], algorithm, 0) + "\n").encode("utf-8", "surrogatepass"), np.uint8)
            stems.encode(text, ids, np.empty(2, np.intp), word, 0)
        return ids

    def encode(
        self, split: NDArray[np.uint8], ids: NDArray[np.int32], offsets: NDArray[np.intp], written: int, rows: int
    ) -> tuple[int, int]:
        """Number the words that a tokenizer wrote; new words get new ids.

        Writes ids to ids[written:] and the end of each segment to offsets[rows + 1:]; both are large enough. Returns
        the new `written` and `rows`.
        """
        state = np.array([0, written, rows, self._known], np.intp)
        while True:
            _intern(*(split, self._shift, *self._slots, self._keys, self._bounds, self._spelling), ids, offsets, state)
            self._known = int(state[3])
            if state[0] == len(split):
                return int(state[1]), int(state[2])
            self._grow(len(split))

    def _grow(self, at_least: int) -> None:
        """Make room for more words, at least one as long as the whole text."""
        room = 4 * len(self._keys)
        self._keys = _longer(self._keys, room)
        self._bounds = _longer(self._bounds, room + 1)
        self._spelling = _longer(self._spelling, max(4 * len(self._spelling), len(self._spelling) + at_least))
        self._make_slots()
        _rebuild(self._keys, self._known, self._shift, *self._slots)

    def ids_in(self, other: Vocabulary) -> NDArray[np.int32]:
        """Return for each word its id in another vocabulary, or -1."""
        out = np.empty(self._known, np.int32)
        mine = (self._keys, self._bounds, self._spelling)
        _translate(*mine, other._shift, *other._slots, other._bounds, other._spelling, out)
        return out


class CharacterVocabulary(Vocabulary):
    """Characters as words, for texts whose ids number their different characters."""

    def __init__(self, code_points: NDArray[np.int32]) -> None:
        self._code_points = code_points

    def __len__(self) -> int:
        return len(self._code_points)

    def __getitem__(self, word: int) -> str:
        return chr(self._code_points[word])


SHORTEST_STEMMED = 4  # letters; ROUGE-1.5.5 and rouge-score do not stem shorter words either

_of_thread = threading.local()  # stemmers hold the current word, so each thread needs one


def _stemmer(algorithm: str) -> Any:
    known: dict[str, Any] = vars(_of_thread)
    if algorithm not in known:
        from snowballstemmer import stemmer

        known[algorithm] = stemmer(algorithm)
    return known[algorithm]


@lru_cache(1 << 17)
def stem(word: str, algorithm: str = "porter", shortest: int = SHORTEST_STEMMED) -> str:
    """Return the stem of a word; `translations` and `translated` have the same one.

    `porter` is Porter's algorithm of 1980, `english` is his later one for Snowball.
    """
    result: str = _stemmer(algorithm).stemWord(word) if len(word) >= shortest else word
    return result


@lru_cache(1 << 17)
def nltk_stem(word: str) -> str:
    """Return the stem of a word in lower case by NLTK's variant of Porter's algorithm; short words are left alone."""
    return stem_like_nltk(word) if len(word) >= SHORTEST_STEMMED else word


# Endings and their replacements, by condition; an ending without a replacement is removed. Of several endings that fit,
# the longest is used, even if its condition does not hold.
_WORDS = (
    "andes>andes atlas>atlas bias>bias cosmos>cosmos early>earli gently>gentl howe>howe idly>idl news>news only>onli "
    "singly>singl skies>sky skis>ski sky>sky ugly>ugli"
)
_BEGINNINGS = "arsen commun emerg gener inter later organ past univers"
_BEFORE_EED = "succ proc exc"
_BEFORE_ING = "even cann inn earr herr out"
IN_1, IN_2, AFTER_LI, AFTER_L, AFTER_ST = range(1, 6)  # conditions, numbered as in the kernel
_STEP_2 = {
    IN_1: "anci>ance enci>ence bli>ble abli>able alli>al fulli>ful lessli>less ousli>ous entli>ent aliti>al biliti>ble "
    "iviti>ive tional>tion ational>ate alism>al ation>ate ization>ize izer>ize ator>ate iveness>ive fulness>ful "
    "ousness>ous ogist>og",
    AFTER_L: "ogi>og",
    AFTER_LI: "li",
}
_STEP_3 = {IN_1: "icate>ic alize>al iciti>ic ical>ic tional>tion ational>ate ful ness", IN_2: "ative"}
_STEP_4 = {
    IN_2: "ic ance ence able ible ate ive ize iti al ism er ous ant ent ment ement",
    AFTER_ST: "ion",
}
_CLASSES = ("aeiouy", "aeiouyYwx", "cdeghkmnrt", "bdfgmnprt")  # vowels, not in a short syllable, before li, doubled


@cache
def english_stem_tables() -> tuple[NDArray[Any], ...]:
    """Return letters, table, groups and classes for the kernel."""
    groups: list[dict[int, str]] = [{0: group} for group in (_WORDS, _BEGINNINGS, _BEFORE_EED, _BEFORE_ING)]
    groups += [_STEP_2, _STEP_3, _STEP_4]
    letters, rows = "", []
    for group in groups:
        entries = [
            (*entry.partition(">")[::2], condition) for condition, text in group.items() for entry in text.split()
        ]
        for ending, becomes, condition in sorted(entries, key=lambda entry: -len(entry[0])):
            start = len(letters)
            rows.append((start, len(ending), start + len(ending), len(becomes), condition))
            letters += ending + becomes
    sizes = [sum(len(text.split()) for text in group.values()) for group in groups]
    classes = np.zeros((128, len(_CLASSES)), np.uint8)
    for column, members in enumerate(_CLASSES):
        classes[[ord(letter) for letter in members], column] = 1
    bounds = np.array([0, *accumulate(sizes)], np.int32)
    return np.frombuffer(letters.encode(), np.uint8), np.array(rows, np.int32), bounds, classes
