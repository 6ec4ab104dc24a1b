"""The pipelines of transforms that jiwer's functions take by default or offer."""

from __future__ import annotations

from tarocco.compat.jiwer.transforms import (
    Compose,
    ExpandCommonEnglishContractions,
    ReduceToListOfListOfChars,
    ReduceToListOfListOfWords,
    ReduceToSingleSentence,
    RemoveKaldiNonWords,
    RemoveMultipleSpaces,
    RemoveWhiteSpace,
    Strip,
    ToLowerCase,
)

__all__ = [
    *("cer_contiguous", "cer_default", "wer_contiguous", "wer_default", "wer_standardize"),
    "wer_standardize_contiguous",
]

_trim = [RemoveMultipleSpaces(), Strip()]
_standardize = [
    ToLowerCase(),
    ExpandCommonEnglishContractions(),
    RemoveKaldiNonWords(),
    RemoveWhiteSpace(replace_by_space=True),
]
_join, _words, _characters = ReduceToSingleSentence(), ReduceToListOfListOfWords(), ReduceToListOfListOfChars()

wer_default = Compose([*_trim, _words])
wer_contiguous = Compose([*_trim, _join, _words])
wer_standardize = Compose([*_standardize, *_trim, _words])
wer_standardize_contiguous = Compose([*_standardize, *_trim, _join, _words])
cer_default = Compose([Strip(), _characters])
cer_contiguous = Compose([Strip(), _join, _characters])
