"""MAXSIM compared with a Python version that uses SciPy's assignment; the analysis is not timed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from meteor import METRIC as METEOR
from meteor import english

SAMPLES = 3
PEER = f"Python, SciPy {version('scipy')}"
SHAPES = ((2000, 1), (500, 4))  # lines, references
TAGS = ("NN", "NN", "IN", "DT", "NNP", "JJ", "VBD", "NNS", "VB", "RB")


class Synthetic:
    """An analyzer with lemmas from WordNet and tags that mostly depend on the word."""

    name, version = "synthetic", "synthetic-1"
    layers = frozenset(("lemmas", "tags"))

    def annotate(self, texts: Sequence[str]) -> list[Any]:
        return list(map(self.sentence, texts))

    def sentence(self, text: str) -> Any:
        from wordnet_words import lookup

        from tarocco.annotate.sentence import Sentence

        generator = random.Random(text)
        words = tuple(text.split())
        lemmas = tuple((lookup().lemmas(word) or [word.lower()])[0] for word in words)
        usual = (TAGS[len(word) % len(TAGS)] for word in words)
        return Sentence(words, lemmas, tuple(tag if generator.random() < 0.9 else "NN" for tag in usual))


def known(lines: int, references: int) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the texts, which have been analyzed."""
    from tarocco.annotate.cache import annotate_texts, register

    register("spacy", Synthetic())
    system, *streams = english(lines, 1 + references)
    annotate_texts([text for column in (system, *streams) for text in column], "spacy")
    return system, list(zip(*streams, strict=True))


def ours(lines: int, references: int, jobs: int | None, metric: str = "MAXSIM") -> float:
    import tarocco

    system, by_segment = known(lines, references)
    tarocco.score(["warm"], ["up"], metrics=metric)
    return seconds(lambda: tarocco.score(system, by_segment, metrics=metric, jobs=jobs))


def theirs(lines: int, references: int) -> float:
    from wordnet_words import lookup

    from tarocco.annotate.cache import annotate_texts

    system, by_segment = known(lines, references)
    texts = set(system) | {text for references_of_segment in by_segment for text in references_of_segment}
    sentences = dict(zip(texts, annotate_texts(list(texts), "spacy"), strict=True))
    words = {text: list(zip(one.lemmas, one.tags, strict=True)) for text, one in sentences.items()}
    synsets = {lemma: frozenset(lookup().synsets(lemma)) for one in words.values() for lemma, _ in one}
    return seconds(
        lambda: [
            sum(of_pair(words[text], words[one], synsets) for one in references_of_segment) / len(references_of_segment)
            for text, references_of_segment in zip(system, by_segment, strict=True)
        ]
    )


def of_pair(candidate: list[Any], reference: list[Any], synsets: dict[str, frozenset[int]]) -> float:
    return sum(of_order(candidate, reference, n, synsets) for n in (1, 2, 3)) / 3


def of_order(candidate: list[Any], reference: list[Any], n: int, synsets: dict[str, frozenset[int]]) -> float:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    ngrams, reference_ngrams = (
        [tuple(text[i : i + n]) for i in range(len(text) - n + 1)] for text in (candidate, reference)
    )
    sizes, matched = (len(ngrams), len(reference_ngrams)), 0.0
    for with_tags in (True, False):
        left = []
        keys = [gram if with_tags else tuple(lemma for lemma, _ in gram) for gram in reference_ngrams]
        for gram in ngrams:
            key = gram if with_tags else tuple(lemma for lemma, _ in gram)
            if key in keys:
                place = keys.index(key)
                del reference_ngrams[place], keys[place]
                matched += 1
            else:
                left.append(gram)
        ngrams = left
    if ngrams and reference_ngrams:
        weights = np.array([[weight(one, other, synsets) for other in reference_ngrams] for one in ngrams])
        matched += float(weights[linear_sum_assignment(weights, maximize=True)].sum())
    return matched / (0.1 * sizes[0] + 0.9 * sizes[1]) if matched else 0.0


def weight(one: Any, other: Any, synsets: dict[str, frozenset[int]]) -> float:
    total = 0.0
    for (lemma, tag), (other_lemma, other_tag) in zip(one, other, strict=True):
        if lemma != other_lemma and synsets[lemma].isdisjoint(synsets[other_lemma]):
            return 0.0
        total += (1 + (tag == other_tag)) / 2
    return total / len(one)


def rows() -> list[Row]:
    table = []
    for lines, references in SHAPES:
        one, all_, meteor, theirs = in_turns(
            [
                lambda lines=lines, n=references: in_fresh_process("maxsim", "ours", lines, n, 1),  # type: ignore[misc]
                lambda lines=lines, n=references: in_fresh_process("maxsim", "ours", lines, n, None),  # type: ignore[misc]
                lambda lines=lines, n=references: in_fresh_process("maxsim", "ours", lines, n, 1, METEOR),  # type: ignore[misc]
                lambda lines=lines, n=references: in_fresh_process("maxsim", "theirs", lines, n),  # type: ignore[misc]
            ],
            SAMPLES,
        )
        shape = f"{lines} lines of 25 words, {references} reference{'s' * (references > 1)}"
        table.append(ratio("MAXSIM", shape, PEER, "annotation excluded, one thread", one, theirs, 10))
        table.append(ratio("MAXSIM", shape, PEER, "annotation excluded, all threads", all_, theirs, 10))
        table.append(ratio("MAXSIM", shape, f"our {METEOR}", "annotation excluded, one thread", one, meteor, None))
    return table


if __name__ == "__main__":
    show(rows())
