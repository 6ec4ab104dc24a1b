"""How each family of metrics is explained.

`find_elements` has one implementation per family, registered by class: to explain a new metric, register another. A
metric that cannot be explained raises `Unexplained` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from itertools import chain
from typing import Any

import numpy as np

from tarocco.annotate.cache import annotate_texts
from tarocco.encode.batch import Batch
from tarocco.explanation.matching import (
    Item,
    align_meteor,
    edit_elements,
    find_edits,
    find_runs,
    find_shifts,
    find_subsequence,
    find_weighted_subsequence,
    list_ngrams,
    list_skip_bigrams,
    list_words,
    match_clipped,
    match_greedy_runs,
    match_items,
    with_candidates,
)
from tarocco.explanation.records import Element
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.edit.gtm import Gtm
from tarocco.metrics.edit.rates import Per, Wer
from tarocco.metrics.edit.recognition import Cer, StepCounts
from tarocco.metrics.edit.ter import Ter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import ANALYZER, LinguisticMetric, count_overlaps, load_layers
from tarocco.metrics.linguistic.layers import Layers, Nodes, Spans, Trees
from tarocco.metrics.linguistic.shallow import ShallowNist
from tarocco.metrics.meteor import Meteor
from tarocco.metrics.ngram.bleu import BleuIndividual, NgramPrecisions
from tarocco.metrics.ngram.nist import Nist
from tarocco.metrics.rouge import RougeL, RougeN, RougeS, RougeSU, RougeW

UNMATCHED = "other word"  # the type of a word outside all runs


class Unexplained(Exception):
    """The reason why a metric's score cannot be explained, in one sentence."""


@dataclass(frozen=True, eq=False)
class SegmentWords:
    """The words of one candidate and of its references, as ids in a batch and as text."""

    metric: Metric
    batch: Batch
    candidate: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    @cached_property
    def candidate_ids(self) -> list[int]:
        ids: list[int] = self.batch.candidates[0].tolist()
        return ids

    @cached_property
    def references_ids(self) -> list[list[int]]:
        return [self.batch.references[row].tolist() for row in range(len(self.batch.references))]

    def one_reference(self) -> tuple[list[int], tuple[str, ...]]:
        """Return the ids and words of the only reference; raises Unexplained if there are several."""
        if len(self.references) > 1:
            raise Unexplained(
                f"{self.metric} takes all references together, which is not explained yet; each reference alone is "
                "(--all-references)"
            )
        return self.references_ids[0], self.references[0]


def explain_batch(metric: Metric, batch: Batch, context: Any) -> tuple[SegmentWords, list[Element]]:
    """Return the words and elements of one candidate with one reference, or with several that a metric pools."""
    words = read_words(metric, batch)
    try:
        return words, find_elements(metric, words, context)
    except LookupError:
        raise Unexplained(f"{metric} cannot be explained for texts of this length") from None


def choose_reference(metric: Metric, whole: Floats, alone: Floats) -> int:
    """Return which reference a score is made of, given the statistics with all references and with each alone."""
    keys = metric.rank_references(alone)
    tied = [i for i, key in enumerate(keys) if key == min(keys)]
    return next((i for i in tied if np.array_equal(alone[i], whole)), tied[0])


@singledispatch
def read_words(metric: Metric, batch: Batch) -> SegmentWords:
    """Return the words of a batch as a metric reads them."""
    if batch.encoding.stem:  # ids are those of stems
        texts = [tuple(batch.encoding.words(text)) for text in (*batch.texts, *batch.reference_texts[0])]
    else:
        rows = (batch.candidates[0], *(batch.references[row] for row in range(len(batch.references))))
        texts = [tuple(batch.vocabulary[word] for word in row.tolist()) for row in rows]
    return SegmentWords(metric, batch, texts[0], tuple(texts[1:]))


@read_words.register(Ter)
def _(metric: Ter, batch: Batch) -> SegmentWords:
    return read_words.dispatch(Metric)(metric, metric.normalize_texts(batch))


@read_words.register(Cer)
def _(metric: Cer, batch: Batch) -> SegmentWords:
    characters = batch.characters(batch.encoding.lowercase) if metric.whitespace else batch
    return read_words.dispatch(Metric)(metric, characters)


@read_words.register(LinguisticMetric)
def _(metric: LinguisticMetric, batch: Batch) -> SegmentWords:
    texts = list(chain.from_iterable((*batch.columns, *batch.reference_columns)))
    words = [sentence.words for sentence in annotate_texts(texts, batch.encoding.analyzer or ANALYZER)]
    return SegmentWords(metric, batch, words[0], tuple(words[1:]))


def _refuse(metric: Metric, parameter: str, *values: str) -> None:
    if str(getattr(metric, parameter)).startswith(values):
        raise Unexplained(f"{metric} is not explained yet: {parameter}={getattr(metric, parameter)}")


# --- words ---------------------------------------------------------------------------------------------------------


@singledispatch
def find_elements(metric: Metric, words: SegmentWords, context: Any) -> list[Element]:
    """Return the elements that a metric counts in a segment."""
    raise Unexplained(f"{metric} is not explained yet")


def _match_ngrams(words: SegmentWords, orders: Sequence[int]) -> list[Element]:
    references = [list_ngrams(*side, orders) for side in zip(words.references_ids, words.references, strict=True)]
    return match_clipped(list_ngrams(words.candidate_ids, words.candidate, orders), references)


@find_elements.register(NgramPrecisions)
def _(metric: Any, words: SegmentWords, _context: Any) -> list[Element]:
    first = metric.order if isinstance(metric, BleuIndividual) else 1
    return _match_ngrams(words, range(first, metric.order + 1))


@find_elements.register(Nist)
def _(metric: Nist, words: SegmentWords, context: Any) -> list[Element]:
    """Weigh each n-gram by what the metric gives a candidate that consists of it."""
    if isinstance(metric, ShallowNist):
        raise Unexplained(f"{metric} is not explained yet; NIST explains the same n-grams over words")
    ngrams = _match_ngrams(words, [order + 1 for order in metric.orders])
    matched = [i for i, element in enumerate(ngrams) if element.matched]
    if matched:
        candidates = [[words.candidate_ids[place] for place in ngrams[i].candidate] for i in matched]
        weights = metric.measure([metric], with_candidates(words.batch, candidates), context).matches
        for row, i in enumerate(matched):
            ngrams[i] = replace(ngrams[i], weight=float(weights[row, len(candidates[row]) - 1]))
    return ngrams


@find_elements.register(RougeN)
def _(metric: RougeN, words: SegmentWords, _context: Any) -> list[Element]:
    words.one_reference()
    return _match_ngrams(words, [metric.order])


@find_elements.register(RougeS)
def _(metric: RougeS, words: SegmentWords, _context: Any) -> list[Element]:
    sides = (words.candidate_ids, words.candidate), words.one_reference()
    items = [[*list_skip_bigrams(*side, metric.gap)] for side in sides]
    if isinstance(metric, RougeSU):
        _refuse(metric, "compat", "1.5.5")
        items = [skips + list_words(*side) for skips, side in zip(items, sides, strict=True)]
    return match_items(*items)


@find_elements.register(RougeL)
def _(_metric: RougeL, words: SegmentWords, _context: Any) -> list[Element]:
    pairs = find_subsequence(words.candidate_ids, words.one_reference()[0])
    return _add_unmatched(find_runs(pairs, words.candidate), words)


@find_elements.register(RougeW)
def _(metric: RougeW, words: SegmentWords, _context: Any) -> list[Element]:
    reference, _ = words.one_reference()
    _refuse(metric, "variant", "exact")
    _refuse(metric, "compat", "1.5.5")

    def worth(length: int) -> float:
        return float(metric.worth(np.float64(length)))

    pairs = find_weighted_subsequence(words.candidate_ids, reference, worth)
    return _add_unmatched(find_runs(pairs, words.candidate), words)


@find_elements.register(Gtm)
def _(metric: Gtm, words: SegmentWords, _context: Any) -> list[Element]:
    reference, _ = words.one_reference()
    _refuse(metric, "matching", "exact")
    return _add_unmatched(match_greedy_runs(words.candidate_ids, reference, words.candidate), words)


def _add_unmatched(runs: list[Element], words: SegmentWords) -> list[Element]:
    """Add the words that are in no run."""
    in_candidate = {place for run in runs for place in run.candidate}
    in_reference = {place for run in runs for place in run.reference}
    left = [Element(UNMATCHED, word, (i,)) for i, word in enumerate(words.candidate) if i not in in_candidate]
    left += [
        Element(UNMATCHED, word, reference=(j,)) for j, word in enumerate(words.references[0]) if j not in in_reference
    ]
    return runs + left


@find_elements.register(Per)
def _(_metric: Per, words: SegmentWords, _context: Any) -> list[Element]:
    return match_items(list_words(words.candidate_ids, words.candidate), list_words(*words.one_reference()))


@find_elements.register(Wer)
@find_elements.register(StepCounts)
def _(_metric: Wer | StepCounts, words: SegmentWords, _context: Any) -> list[Element]:
    ids, reference = words.one_reference()
    return edit_elements(find_edits(words.candidate_ids, ids), words.candidate, reference)


@find_elements.register(Ter)
def _(_metric: Ter, words: SegmentWords, _context: Any) -> list[Element]:
    ids, reference = words.one_reference()
    blocks, order = find_shifts(words.batch)
    edits = find_edits([words.candidate_ids[place] for place in order], ids)
    return edit_elements(edits, words.candidate, reference, blocks, order)


@find_elements.register(Meteor)
def _(metric: Meteor, words: SegmentWords, _context: Any) -> list[Element]:
    return align_meteor(metric, words.batch, words.candidate, words.one_reference()[1])


# --- linguistic structure ------------------------------------------------------------------------------------------

Written = tuple[str, tuple[int, ...], bool]  # an item's text, its words, and whether its labels only dominate them


@find_elements.register(LinguisticMetric)
def _(metric: LinguisticMetric, words: SegmentWords, _context: Any) -> list[Element]:
    """List the elements of the types that count."""
    _refuse(metric, "variant", "literal", "gapped", "subtrees")
    layers, rule = load_layers(words.batch), metric.bag
    bag = rule.make(layers, *rule.arguments, *([metric.longest] if metric.longest else []))
    counting = set(metric.chosen(count_overlaps(bag, len(layers), words.batch)).types.tolist())
    write = _writer(metric, layers, list(chain(words.candidate, *words.references)))
    sides: tuple[list[Item], list[Item]] = ([], [])
    for row, kind, key, place in sorted(
        zip(*(column.tolist() for column in (bag.rows, bag.types, bag.items, bag.places)), strict=True),
        key=lambda item: (item[1], item[3]),
    ):
        if kind in counting:
            text, places, above = write(place, kind)
            first = int(layers.firsts[row])
            relative = tuple(place - first for place in places)
            sides[row].append(Item(_name_type(metric, bag.names[kind]), key, text, relative, above))
    order = {_name_type(metric, name): i for i, name in enumerate(bag.names)}
    return sorted(match_items(*sides), key=lambda element: order[element.type])


def _name_type(metric: LinguisticMetric, name: str) -> str:
    """Return the name of a type: the length of paths, or "role" for types without a name."""
    return f"length {name}" if metric.longest else name or "role"


def _writer(metric: LinguisticMetric, layers: Layers, words: list[str]) -> Callable[[int, int], Written]:
    """Return a function that writes an item, given its place and type, for the structure that a metric compares."""
    make = metric.bag.make
    if make in (elements.entities, elements.arguments, elements.roles):
        spans = layers.entities if make is elements.entities else layers.arguments[0]
        return lambda place, _: _write_span(spans, place, words, labels=make is elements.roles)
    if make is elements.chains:
        kind = metric.bag.arguments[0]
        labels = words if kind == "w" else list(layers.flat("universal" if kind == "c" else "relations"))
        heads = layers.heads.tolist()
        return lambda place, length: _write_chain(_path_to(heads, place, length), labels, above=kind != "w")
    if make is elements.subpaths:
        trees = layers.once(Trees)
        nodes = trees.nodes()
        parents = nodes.parents.tolist()
        return lambda place, length: _write_path(trees, nodes, _path_to(parents, place, length), words)
    return lambda place, _: (words[place], (place,), False)


def _write_span(spans: Spans, place: int, words: list[str], labels: bool) -> Written:
    places = tuple(range(int(spans.starts[place]), int(spans.ends[place])))
    text = elements.role(spans.labels[place]) if labels else " ".join(words[i] for i in places)
    return text, places, labels


def _path_to(parents: list[int], place: int, length: int) -> list[int]:
    """Return the path from the top down to a node that has `length` nodes above it."""
    path = [place]
    for _ in range(length):
        path.append(parents[path[-1]])
    return path[::-1]


def _write_chain(path: list[int], labels: list[str], above: bool) -> Written:
    return " > ".join(labels[node] for node in path), tuple(path), above


def _write_path(trees: Trees, nodes: Nodes, path: list[int], words: list[str]) -> Written:
    """Write a path of labels, whose words are those that its last node dominates."""
    first_word, last = len(nodes.labels) - len(words), path[-1]  # words are the last nodes
    text = " > ".join(
        words[node - first_word] if node >= first_word else trees.names[int(nodes.labels[node])] for node in path
    )
    start = int(nodes.starts[last])
    end = int(trees.ends[last]) if last < len(trees.ends) else start + 1  # tags are not in the tree
    return text, tuple(range(start, end)), last < first_word
