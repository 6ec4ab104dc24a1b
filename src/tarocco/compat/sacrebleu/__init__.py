"""The scores of sacrebleu 2.6.0, as functions and as classes.

References are streams, as in sacrebleu: references[r][i] is reference r of sentence i. Scores are percent. Signatures
are sacrebleu's, with the release whose numbers these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tarocco.compat import missing_name
from tarocco.compat.sacrebleu import metrics as metrics
from tarocco.compat.sacrebleu.metrics import BLEU, CHRF, TER, VERSION, BLEUScore, CHRFScore, Streams, TERScore

__version__ = VERSION
__all__ = [
    *("BLEU", "CHRF", "TER", "corpus_bleu", "corpus_chrf", "corpus_ter", "metrics", "raw_corpus_bleu"),
    *("sentence_bleu", "sentence_chrf", "sentence_ter"),
]

# Metrics keep the number of references and nothing else of the texts, so calls with equal parameters share one.
_bleu, _chrf, _ter = lru_cache(64)(BLEU), lru_cache(64)(CHRF), lru_cache(64)(TER)


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of a corpus."""
    metric = _bleu(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    score: BLEUScore = metric.corpus_score(hypotheses, references)
    return score


def raw_corpus_bleu(hypotheses: Sequence[str], references: Streams, smooth_value: float | None = 0.1) -> BLEUScore:
    """BLEU of a corpus of tokenized text, with floor smoothing."""
    return corpus_bleu(hypotheses, references, "floor", smooth_value, True, False, "none", True)


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of a sentence."""
    metric = _bleu(lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    score: BLEUScore = metric.sentence_score(hypothesis, references)
    return score


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """chrF of a corpus."""
    metric = _chrf(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """chrF of a sentence."""
    metric = _chrf(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


def corpus_ter(
    hypotheses: Sequence[str],
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of a corpus."""
    metric = _ter(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of a sentence."""
    metric = _ter(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.sentence_score(hypothesis, references)
    return score


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing_name(__name__, "sacrebleu", name, "it downloads no test sets: pass your own texts")
