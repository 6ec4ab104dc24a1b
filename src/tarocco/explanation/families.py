"""Which metric is explained how, with which of its references; or one sentence why not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tarocco.encode.batch import Batch, Groups
from tarocco.encode.vocabulary import Ragged
from tarocco.explanation.matching import alignment, clipped, greedy_runs, ngrams, paired, single_words, skip_bigrams
from tarocco.explanation.paths import edit_elements, edits, runs, shifts, subsequence, weighted_subsequence
from tarocco.explanation.records import Element
from tarocco.explanation.structures import linguistic_elements, sentences
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.edit.error_rates import ErrorRate, Per, Wer
from tarocco.metrics.edit.gtm import Gtm
from tarocco.metrics.edit.ter import Ter
from tarocco.metrics.linguistic.base import LinguisticMetric
from tarocco.metrics.linguistic.shallow import ShallowNist
from tarocco.metrics.meteor import Meteor
from tarocco.metrics.ngram.bleu import BleuIndividual, NgramPrecisions
from tarocco.metrics.ngram.nist import Nist
from tarocco.metrics.rouge import Rouge, RougeL, RougeN, RougeS, RougeSU, RougeW

_OF_ALL_REFERENCES = (NgramPrecisions, Nist)
LEFT = "other word"  # that is in no run


class Unexplained(Exception):
    """A metric whose score cannot be explained, in one sentence."""


class Found(NamedTuple):
    """The words of a candidate and of its references, and the elements."""

    candidate: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    elements: list[Element]


def explained(metric: Metric, batch: Batch, context: Any) -> Found:
    """What a metric sees in a batch of one candidate with one reference, or with several that it takes together."""
    if isinstance(metric, LinguisticMetric):
        _refuse(metric, "variant", "literal", "gapped", "subtrees")
        words = sentences(batch)
        return Found(words[0], tuple(words[1:]), linguistic_elements(metric, batch, words))
    if len(batch.references) > 1 and not isinstance(metric, _OF_ALL_REFERENCES):
        raise Unexplained(
            f"{metric} takes all references together, which is not explained yet; with each by itself it is "
            "(--all-references)"
        )
    for kind, explain in _BY_CLASS:
        if isinstance(metric, kind):
            read = metric.rewritten(batch) if isinstance(metric, Ter) else batch
            texts = _Texts(read)
            try:
                return Found(texts.candidate, texts.references, explain(metric, texts, context))
            except LookupError:
                raise Unexplained(f"{metric} cannot be explained for texts of this length") from None
    raise Unexplained(f"{metric} is not explained yet")


def takes_together(metric: Metric) -> bool:
    """Whether a metric's score of a segment is made of all references, not of the one that it chooses."""
    pooled = isinstance(metric, Rouge | Gtm) and metric.references in ("pooled", "jackknife", "joined")
    return pooled or isinstance(metric, _OF_ALL_REFERENCES)


def chosen_reference(metric: Metric, whole: Floats, alone: Floats) -> int:
    """Which reference a score is made of: `whole` are the statistics with all, `alone` with each by itself."""
    scores = metric.score(alone)
    keys: list[tuple[float, ...]] = [(math.inf if math.isnan(one) else -metric.sign * one,) for one in scores.tolist()]
    if isinstance(metric, Ter):  # the fewest edits
        keys = [(row[0],) for row in alone.tolist()]
    elif isinstance(metric, ErrorRate) and metric.select == "distance":
        keys = [(row[0], -row[1]) for row in alone.tolist()]
    elif isinstance(metric, Rouge) and metric.references == "best-recall":
        keys = [(-row[1], *key) for row, key in zip(alone.tolist(), keys, strict=True)]
    best = min(keys)
    level = [place for place, key in enumerate(keys) if key == best]
    # Of references that score the same, the one whose statistics are those of the segment.
    return next((place for place in level if np.array_equal(alone[place], whole)), level[0])


def _refuse(metric: Metric, parameter: str, *values: str) -> None:
    if str(getattr(metric, parameter)).startswith(values):
        raise Unexplained(f"{metric} is not explained yet: {parameter}={getattr(metric, parameter)}")


class _Texts:
    """A batch of one candidate: words as numbers and as people see them."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.own: list[int] = batch.candidates[0].tolist()
        self.there: list[list[int]] = [batch.references[row].tolist() for row in range(len(batch.references))]
        if batch.encoding.stem:  # numbers are those of stems
            read = [tuple(batch.encoding.words(text)) for text in (*batch.texts, *batch.reference_texts[0])]
        else:
            read = [tuple(batch.vocabulary[word] for word in words) for words in (self.own, *self.there)]
        self.candidate, self.references = read[0], tuple(read[1:])


# --- families ------------------------------------------------------------------------------------------------------


def _clipped(metric: Any, texts: _Texts, _context: Any) -> list[Element]:
    """BLEU's n-grams."""
    first = metric.order if isinstance(metric, BleuIndividual) else 1
    return _ngrams(texts, range(first, metric.order + 1))


def _ngrams(texts: _Texts, orders: Sequence[int]) -> list[Element]:
    references = [ngrams(*one, orders) for one in zip(texts.there, texts.references, strict=True)]
    return clipped(ngrams(texts.own, texts.candidate, orders), references)


def _weighed(metric: Nist, texts: _Texts, context: Any) -> list[Element]:
    """NIST's n-grams; each weighs what the metric gives a candidate that is nothing else."""
    if isinstance(metric, ShallowNist):
        raise Unexplained(f"{metric} is not explained yet; the same n-grams over words are NIST's")
    found = _ngrams(texts, [order + 1 for order in metric.orders])
    matched = [one for one in found if one.matched]
    alone = [[texts.own[place] for place in one.candidate] for one in matched]
    values = np.array([word for words in alone for word in words], np.int32)
    offsets = np.cumsum([0, *map(len, alone)]).astype(np.intp)
    batch = texts.batch
    groups = Groups.of_one(len(alone)), batch.reference_groups
    each = Batch(Ragged(values, offsets), batch.references, *groups, batch.vocabulary)
    weights = metric.measure([metric], each, context).matches if alone else np.zeros((0, 1))
    weigh = {id(one): weights[row, len(one.candidate) - 1] for row, one in enumerate(matched)}
    return [replace(one, weight=float(weigh[id(one)])) if one.matched else one for one in found]


def _shared_ngrams(metric: RougeN, texts: _Texts, _context: Any) -> list[Element]:
    return _ngrams(texts, [metric.order])


def _skips(metric: RougeS, texts: _Texts, _context: Any) -> list[Element]:
    if isinstance(metric, RougeSU):
        _refuse(metric, "compat", "1.5.5")
    sides = ((texts.own, texts.candidate), (texts.there[0], texts.references[0]))
    own, there = ([*skip_bigrams(*side, metric.gap)] for side in sides)
    if isinstance(metric, RougeSU):
        own, there = own + single_words(*sides[0]), there + single_words(*sides[1])
    return paired(own, there)


def _subsequence(_metric: RougeL, texts: _Texts, _context: Any) -> list[Element]:
    return _with_the_rest(runs(subsequence(texts.own, texts.there[0]), texts.candidate), texts)


def _weighted(metric: RougeW, texts: _Texts, _context: Any) -> list[Element]:
    _refuse(metric, "variant", "exact")
    _refuse(metric, "compat", "1.5.5")

    def worth(length: int) -> float:
        return float(metric.worth(np.float64(length)))

    return _with_the_rest(runs(weighted_subsequence(texts.own, texts.there[0], worth), texts.candidate), texts)


def _with_the_rest(matched: list[Element], texts: _Texts) -> list[Element]:
    """Runs, and the words that are in none of them."""
    own = {place for one in matched for place in one.candidate}
    there = {place for one in matched for place in one.reference}
    left = [Element(LEFT, word, (at,)) for at, word in enumerate(texts.candidate) if at not in own]
    return (
        matched
        + left
        + [Element(LEFT, word, reference=(at,)) for at, word in enumerate(texts.references[0]) if at not in there]
    )


def _runs(metric: Gtm, texts: _Texts, _context: Any) -> list[Element]:
    _refuse(metric, "matching", "exact")
    return _with_the_rest(greedy_runs(texts.own, texts.there[0], texts.candidate), texts)


def _words(_metric: Per, texts: _Texts, _context: Any) -> list[Element]:
    return paired(single_words(texts.own, texts.candidate), single_words(texts.there[0], texts.references[0]))


def _edits(_metric: Wer, texts: _Texts, _context: Any) -> list[Element]:
    return edit_elements(edits(texts.own, texts.there[0]), texts.candidate, texts.references[0])


def _shifts(_metric: Ter, texts: _Texts, _context: Any) -> list[Element]:
    blocks, order = shifts(texts.batch)
    found = edits([texts.own[place] for place in order], texts.there[0])
    return edit_elements(found, texts.candidate, texts.references[0], blocks, order)


def _alignment(metric: Meteor, texts: _Texts, _context: Any) -> list[Element]:
    return alignment(metric, texts.batch, texts.candidate, texts.references[0])


_BY_CLASS: tuple[tuple[type[Metric], Callable[..., list[Element]]], ...] = (
    (NgramPrecisions, _clipped),
    (Nist, _weighed),
    (RougeN, _shared_ngrams),
    (RougeL, _subsequence),
    (RougeW, _weighted),
    (RougeS, _skips),
    (Gtm, _runs),
    (Per, _words),
    (Wer, _edits),
    (Ter, _shifts),
    (Meteor, _alignment),
)
