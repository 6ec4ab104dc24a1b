"""Words to stems, by the algorithms that snowballstemmer has."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORTEST = 4  # letters; ROUGE-1.5.5 and rouge-score leave shorter words as they are, too

_of_thread = threading.local()  # a stemmer keeps the word that it works on


def _stemmer(algorithm: str) -> Any:
    known: dict[str, Any] = vars(_of_thread)
    if algorithm not in known:
        from snowballstemmer import stemmer  # imported when first wanted

        known[algorithm] = stemmer(algorithm)
    return known[algorithm]


@lru_cache(1 << 17)
def stem(word: str, algorithm: str = "porter", shortest: int = SHORTEST) -> str:
    """The stem of a word: `translations` and `translated` have the same.

    `porter` is Porter's algorithm of 1980, `english` the later one that he wrote for Snowball.
    """
    found: str = _stemmer(algorithm).stemWord(word) if len(word) >= shortest else word
    return found


# Endings and what they become, by condition; an ending alone goes. Of several that fit the longest counts, whether its
# condition holds or not.
_WORDS = (
    "andes>andes atlas>atlas bias>bias cosmos>cosmos early>earli gently>gentl howe>howe idly>idl news>news only>onli "
    "singly>singl skies>sky skis>ski sky>sky ugly>ugli"
)
_BEGINNINGS = "arsen commun emerg gener inter later organ past univers"
_BEFORE_EED = "succ proc exc"
_BEFORE_ING = "even cann inn earr herr out"
IN_1, IN_2, AFTER_LI, AFTER_L, AFTER_ST = range(1, 6)  # conditions, as the kernel has them
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
def tables() -> tuple[NDArray[Any], ...]:
    """letters, table, groups and classes, as the kernel takes them."""
    groups: list[dict[int, str]] = [{0: one} for one in (_WORDS, _BEGINNINGS, _BEFORE_EED, _BEFORE_ING)]
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
