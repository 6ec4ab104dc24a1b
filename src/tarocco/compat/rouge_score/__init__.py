"""The scorer and the aggregator of rouge-score 0.1.2."""

from __future__ import annotations

from typing import Any

from tarocco.compat import missing_name
from tarocco.compat.rouge_score import rouge_scorer as rouge_scorer
from tarocco.compat.rouge_score import scoring as scoring
from tarocco.compat.rouge_score import tokenizers as tokenizers


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing_name(__name__, "rouge-score", name, "there are rouge_scorer, scoring and tokenizers")
