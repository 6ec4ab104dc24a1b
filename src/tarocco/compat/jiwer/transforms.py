"""jiwer's transforms: functions of a text or a list of texts, ending with one that makes lists of words."""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

__all__ = [
    *("AbstractTransform", "Compose", "ExpandCommonEnglishContractions", "ReduceToListOfListOfChars"),
    *("ReduceToListOfListOfWords", "ReduceToSingleSentence", "RemoveEmptyStrings", "RemoveKaldiNonWords"),
    *("RemoveMultipleSpaces", "RemovePunctuation", "RemoveSpecificWords", "RemoveWhiteSpace", "Strip"),
    *("SubstituteRegexes", "SubstituteWords", "ToLowerCase", "ToUpperCase"),
]


class AbstractTransform:
    """A function of one text or of a list of texts; subclasses define `process_string`, `process_list` or both."""

    def __call__(self, sentences: Any) -> Any:
        if isinstance(sentences, str):
            return self.process_string(sentences)
        if isinstance(sentences, list):
            return self.process_list(sentences)
        raise ValueError(f"expected a string or a list of strings, found {sentences!r}")

    def process_string(self, s: str) -> Any:
        """Transform one text."""
        raise NotImplementedError(f"{type(self).__name__}.process_string")

    def process_list(self, inp: list[str]) -> Any:
        """Transform each text of a list."""
        return [self.process_string(text) for text in inp]


class Compose:
    """Transforms one after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, text: Any) -> Any:
        for transform in self.transforms:
            text = transform(text)
        return text


class _ListOfLists(AbstractTransform):
    """Split each text; the result is a list of lists, even of a single text."""

    def split(self, text: str) -> list[str]:
        raise NotImplementedError

    def process_string(self, s: str) -> list[list[str]]:
        return [self.split(s)]

    def process_list(self, inp: list[str]) -> list[list[str]]:
        return [self.split(text) for text in inp] or [[]]


class ReduceToListOfListOfWords(_ListOfLists):
    """Split texts at a delimiter; empty words are dropped."""

    def __init__(self, word_delimiter: str = " ") -> None:
        self.word_delimiter = word_delimiter

    def split(self, text: str) -> list[str]:
        return list(filter(None, text.split(self.word_delimiter)))


class ReduceToListOfListOfChars(_ListOfLists):
    """Split texts into characters, spaces included."""

    def split(self, text: str) -> list[str]:
        return list(text)


class ReduceToSingleSentence(AbstractTransform):
    """Join the texts of a list that are not empty."""

    def __init__(self, word_delimiter: str = " ") -> None:
        self.word_delimiter = word_delimiter

    def process_string(self, s: str) -> str:
        return s

    def process_list(self, inp: list[str]) -> list[str]:
        texts = [text for text in inp if text]
        return [self.word_delimiter.join(texts)] if texts else []


class SubstituteRegexes(AbstractTransform):
    """Replace what regular expressions match."""

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        self.substitutions = substitutions

    def process_string(self, s: str) -> str:
        for pattern, replacement in self.substitutions.items():
            s = re.sub(pattern, replacement, s)
        return s


class SubstituteWords(AbstractTransform):
    """Replace whole words."""

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        self.substitutions = substitutions

    def process_string(self, s: str) -> str:
        for word, replacement in self.substitutions.items():
            s = re.sub(rf"\b{re.escape(word)}\b", replacement, s)
        return s


class RemoveSpecificWords(SubstituteWords):
    """Replace whole words with a space."""

    def __init__(self, words_to_remove: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(words_to_remove, " "))


class _Translate(AbstractTransform):
    """Replace single characters."""

    table: dict[int, str]

    def process_string(self, s: str) -> str:
        return s.translate(self.table)


class RemoveWhiteSpace(_Translate):
    """Remove ASCII whitespace, or make it spaces."""

    def __init__(self, replace_by_space: bool = False) -> None:
        self.table = dict.fromkeys(map(ord, string.whitespace), " " if replace_by_space else "")


@cache
def _punctuation() -> dict[int, str]:
    codes = range(sys.maxunicode + 1)
    return dict.fromkeys((code for code in codes if unicodedata.category(chr(code)).startswith("P")), "")


class RemovePunctuation(_Translate):
    """Remove the characters that Unicode calls punctuation."""

    def __init__(self) -> None:
        self.table = _punctuation()


class RemoveMultipleSpaces(AbstractTransform):
    """Replace runs of whitespace, from two characters on, with one space."""

    def process_string(self, s: str) -> str:
        return s if s.isprintable() and "  " not in s else re.sub(r"\s\s+", " ", s)


class Strip(AbstractTransform):
    """Remove whitespace at both ends."""

    def process_string(self, s: str) -> str:
        return s.strip()


class RemoveEmptyStrings(AbstractTransform):
    """Remove blank texts from a list."""

    def process_string(self, s: str) -> str:
        return s.strip()

    def process_list(self, inp: list[str]) -> list[str]:
        return [text for text in inp if text.strip()]


_CONTRACTIONS = {
    "won't": "will not",
    "can't": "can not",
    "let's": "let us",
    "n't": " not",
    "'re": " are",
    "'s": " is",
    "'d": " would",
    "'ll": " will",
    "'t": " not",
    "'ve": " have",
    "'m": " am",
}  # in this order


class ExpandCommonEnglishContractions(AbstractTransform):
    """Write out n't, 're, 's, 'd, 'll, 't, 've and 'm."""

    def process_string(self, s: str) -> str:
        for contraction, words in _CONTRACTIONS.items():
            s = s.replace(contraction, words)
        return s


class ToLowerCase(AbstractTransform):
    """Lowercase texts."""

    def process_string(self, s: str) -> str:
        return s.lower()


class ToUpperCase(AbstractTransform):
    """Uppercase texts."""

    def process_string(self, s: str) -> str:
        return s.upper()


class RemoveKaldiNonWords(AbstractTransform):
    """Remove what is between brackets or angle brackets: [laugh], <unk>."""

    def process_string(self, s: str) -> str:
        return re.sub(r"[<\[][^>\]]*[>\]]", "", s)
