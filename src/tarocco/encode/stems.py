"""Words to stems, by the algorithms that snowballstemmer has."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

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
