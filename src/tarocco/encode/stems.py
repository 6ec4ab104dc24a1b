"""Words to stems, by Porter's algorithm as snowballstemmer has it."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

SHORTEST = 4  # letters; ROUGE-1.5.5 and rouge-score leave shorter words as they are, too


@cache
def _stemmer() -> Any:
    from snowballstemmer import stemmer  # imported when first wanted

    return stemmer("porter")


@lru_cache(1 << 17)
def stem(word: str) -> str:
    """The stem of a word: `translations` and `translated` have the same."""
    found: str = _stemmer().stemWord(word) if len(word) >= SHORTEST else word
    return found
