"""METEOR with exact, stem and synonym matches compared with NLTK's; both use the same WordNet."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache
from importlib.metadata import version
from typing import Any

from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from text import segments, words

SAMPLES = 3
PEER = f"NLTK {version('nltk')}"
METRIC = "METEOR-wnsyn:stages=exact+stem+wnsyn"  # NLTK's stages
SHAPES = ((2000, 1), (500, 4))  # lines, references


def english(lines: int, texts: int) -> list[list[str]]:
    """Return the synthetic text with English words instead of invented ones.

    Words of the bundled test set come first, by frequency, then random words of WordNet.
    """
    from tarocco import datasets
    from tarocco.encode.wordnet import wordnet

    demo = datasets.load("demo")
    texts_of_demo = [text for segment in demo.references for text in segment]
    frequent = Counter(re.findall("[a-z]+", " ".join(texts_of_demo).lower()))
    rare = [word for word in wordnet().entries if word.isalpha() and word not in frequent]
    random.Random(2).shuffle(rare)
    real = [word for word, _ in frequent.most_common()] + rare
    known = dict(zip(words(random.Random(1)), real, strict=False))

    def replaced(match: re.Match[str]) -> str:
        word = known.get(match[0].lower(), match[0])
        return word.capitalize() if match[0][0].isupper() else word

    return [[re.sub("[A-Za-z]+", replaced, line) for line in column] for column in segments(lines, texts)]


class Lemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class Synset:
    def __init__(self, words: list[str]) -> None:
        self._lemmas = [Lemma(word) for word in words]

    def lemmas(self) -> list[Lemma]:
        return self._lemmas


class WordNetForNltk:
    """The part of NLTK's WordNet interface that METEOR uses, on our WordNet; faster than NLTK's files."""

    @cache  # noqa: B019
    def synsets(self, word: str) -> list[Synset]:
        from wordnet_words import lookup

        return [self.synset(number) for number in lookup().synsets(word)]

    @cache  # noqa: B019
    def synset(self, number: int) -> Synset:
        from wordnet_words import lookup

        return Synset(lookup().words(number))


def ours(lines: int, references: int, jobs: int | None) -> float:
    import tarocco

    system, *streams = english(lines, 1 + references)
    by_segment = list(zip(*streams, strict=True))
    tarocco.score(["warm"], ["up"], metrics=METRIC)
    return seconds(lambda: tarocco.score(system, by_segment, metrics=METRIC, jobs=jobs))


def theirs(lines: int, references: int) -> float:
    """Time NLTK on the same words; tokenization is not timed."""
    from nltk.translate.meteor_score import meteor_score

    from tarocco.encode.batch import Encoding

    read: Any = Encoding("13a").words
    columns = [[read(line) for line in column] for column in english(lines, 1 + references)]
    table = WordNetForNltk()
    meteor_score([["warm"]], ["up"], wordnet=table)
    system, *streams = columns
    by_segment = list(zip(*streams, strict=True))
    return seconds(lambda: [meteor_score(r, c, wordnet=table) for c, r in zip(system, by_segment, strict=True)])


def rows() -> list[Row]:
    table = []
    for lines, references in SHAPES:
        one, all_, theirs = in_turns(
            [
                lambda lines=lines, n=references: in_fresh_process("meteor", "ours", lines, n, 1),  # type: ignore[misc]
                lambda lines=lines, n=references: in_fresh_process("meteor", "ours", lines, n, None),  # type: ignore[misc]
                lambda lines=lines, n=references: in_fresh_process("meteor", "theirs", lines, n),  # type: ignore[misc]
            ],
            SAMPLES,
        )
        shape = f"{lines} lines of 25 words, {references} reference{'s' * (references > 1)}"
        table.append(ratio(METRIC, shape, PEER, "cold, one thread", one, theirs, 20))
        table.append(ratio(METRIC, shape, PEER, "cold, all threads", all_, theirs, 20))
    return table


if __name__ == "__main__":
    show(rows())
