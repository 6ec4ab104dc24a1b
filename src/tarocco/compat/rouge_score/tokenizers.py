"""Tokenizers: letters a to z and digits in lower case, as words or as their stems."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from tarocco.encode.vocabulary import nltk_stem

_WORD = re.compile("[a-z0-9]+")


class Tokenizer(ABC):
    """Splits texts into words."""

    @abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """Return the words of a text."""


class DefaultTokenizer(Tokenizer):
    """rouge-score's tokenizer, with NLTK's variant of Porter's stemmer if `use_stemmer`."""

    def __init__(self, use_stemmer: bool = False) -> None:
        self._use_stemmer = use_stemmer

    def tokenize(self, text: str) -> list[str]:
        words = _WORD.findall(text.lower())
        return [nltk_stem(word) for word in words] if self._use_stemmer else words
