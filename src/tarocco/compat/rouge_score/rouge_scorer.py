"""ROUGE-1 to ROUGE-9, ROUGE-L and ROUGE-Lsum of pairs of texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

import tarocco
from tarocco.compat.rouge_score import scoring
from tarocco.compat.rouge_score.scoring import Score, fmeasure
from tarocco.compat.rouge_score.tokenizers import DefaultTokenizer
from tarocco.compat.word_lists import Words, count_words, write_letters
from tarocco.kernels import kernel, union_lcs
from tarocco.kernels.segments import Texts

_unite = kernel(union_lcs, "count_union_hits")


class RougeScorer(scoring.BaseScorer):
    """Scores predictions against targets.

    `rouge_types` are rouge1 to rouge9, rougeL and rougeLsum, which takes lines as sentences. A `tokenizer` has a method
    `tokenize` from a text to its words.
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        self.rouge_types = rouge_types
        self._tokenizer = tokenizer or DefaultTokenizer(use_stemmer)
        self._split_summaries = split_summaries

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return, for each type, the score against the target with the highest F."""
        scores = [self.score(target, prediction) for target in targets]
        return {kind: max((score[kind] for score in scores), key=lambda s: s.fmeasure) for kind in self.rouge_types}

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the score of each type."""
        kinds = list(self.rouge_types)
        orders = {kind: _order(kind) for kind in kinds if kind not in ("rougeL", "rougeLsum")}
        scores: dict[str, Score] = {}
        if kinds != ["rougeLsum"]:
            pair = self._tokenizer.tokenize(target), self._tokenizer.tokenize(prediction)
            scores = _score_words(*pair, orders, subsequence="rougeL" in kinds)
        if "rougeLsum" in kinds:
            scores["rougeLsum"] = _score_sentences(self._sentences(target), self._sentences(prediction))
        return {kind: scores[kind] for kind in kinds}

    def _sentences(self, text: str) -> list[Words]:
        lines = _split_sentences(text) if self._split_summaries else text.split("\n")
        return [self._tokenizer.tokenize(line) for line in lines if line]


def _order(kind: str) -> int:
    if not re.fullmatch("rouge[1-9]", kind):
        raise ValueError(f'a rouge type is rouge1 to rouge9, rougeL or rougeLsum, not "{kind}"')
    return int(kind.removeprefix("rouge"))


def _split_sentences(text: str) -> list[str]:
    try:
        from nltk import sent_tokenize
    except ImportError:
        raise ImportError("split_summaries=True splits sentences with NLTK: pip install nltk") from None
    sentences: list[str] = sent_tokenize(text)
    return sentences


def _score_words(target: Words, prediction: Words, orders: dict[str, int], subsequence: bool) -> dict[str, Score]:
    """Return the scores by n-grams and by the longest common subsequence."""
    highest = max(orders.values(), default=0)

    def count(reader: Any) -> tuple[list[int], list[int] | None]:
        matches = reader.count_matches(highest)[0] if highest else []
        return matches, reader.count_distances(True) if subsequence else [0]

    matches, longest = count_words([target, prediction], count) or ([], None)
    if longest is None:
        return _score_long(target, prediction, orders, subsequence)
    sizes = len(target), len(prediction)
    scores = {
        kind: _score(matches[order - 1], *(max(size - order + 1, 0) for size in sizes))
        for kind, order in orders.items()
    }
    return scores | {"rougeL": _score(longest[0], *sizes)} if subsequence else scores


def _score_long(target: Words, prediction: Words, orders: dict[str, int], subsequence: bool) -> dict[str, Score]:
    """Score texts that are too long for the tables of a reader."""
    names = {kind: f"ROUGE-{order}" for kind, order in orders.items()} | ({"rougeL": "ROUGE-L"} if subsequence else {})
    lines = write_letters([target, prediction])
    if lines is None:
        raise ValueError("rouge_score: a target and a prediction have too many different words")
    scores = {}
    for kind, name in names.items():
        _, recall, precision, _ = tarocco.statistics(name, [lines[1]], [lines[0]], tokenize="none")[0].tolist()
        scores[kind] = Score(precision, recall, fmeasure(precision, recall))
    return scores


def _score(hits: int, target: int, prediction: int) -> Score:
    if not hits:
        return Score(0.0, 0.0, 0.0)
    precision, recall = hits / prediction, hits / target
    return Score(precision, recall, fmeasure(precision, recall))


def _score_sentences(target: Sequence[Words], prediction: Sequence[Words]) -> Score:
    """Return the score by the union of the sentences' subsequences."""
    sides = [np.cumsum([0, *map(len, sentences)], dtype=np.intp) for sentences in (prediction, target)]
    if not all(offsets[-1] for offsets in sides):
        return Score(0.0, 0.0, 0.0)
    ids: defaultdict[Any, int] = defaultdict()
    ids.default_factory = ids.__len__
    rows, one, arguments = np.zeros(1, np.intp), np.array([0, 1]), []
    for sentences, offsets in zip((prediction, target), sides, strict=True):
        words = np.array([ids[word] for sentence in sentences for word in sentence], np.int32)
        texts = Texts(words, offsets[[0, -1]], rows, one)
        arguments += [texts, offsets, np.array([0, len(sentences)])]
    longest = max(int(np.diff(offsets).max()) for offsets in sides)
    hits = np.zeros(1, np.intp)
    table, marks = np.empty((longest + 1, longest + 1), np.int32), np.empty(longest, np.uint8)
    _unite(*arguments, np.zeros((len(ids), 2), np.int32), table, marks, hits)
    return _score(int(hits[0]), int(sides[1][-1]), int(sides[0][-1]))
