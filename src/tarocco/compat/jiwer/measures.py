"""Error rates and information measures as functions of texts."""

from __future__ import annotations

from tarocco.compat.jiwer.process import Sentences, Transform, process_characters, process_words, word_error_rate
from tarocco.compat.jiwer.transformations import cer_default, wer_default

__all__ = ["cer", "mer", "wer", "wil", "wip"]


def wer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Word error rate."""
    if reference_transform is hypothesis_transform is wer_default:
        rate = word_error_rate(reference, hypothesis)
        if rate is not None:
            return rate
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).wer


def mer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Match error rate: edits over edits and hits."""
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).mer


def wil(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Word information lost: 1 - WIP."""
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).wil


def wip(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> float:
    """Word information preserved: the share of hits in the references times that in the hypotheses."""
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).wip


def cer(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> float:
    """Character error rate; spaces are characters."""
    return process_characters(reference, hypothesis, reference_transform, hypothesis_transform).cer
