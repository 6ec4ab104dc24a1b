"""Sets of words, written as one would write them down."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which spaces and line ends separate."""
    return frozenset(text.split())
