"""A phrase model and its decoder, as small as they can be: counts of aligned phrases, bigrams, a beam.

Features of a translation, all of which are sums over it:
    tm    logarithm of p(English phrase | source phrase), by counts
    lm    logarithm of p(word | word before), by counts of bigrams and, in their absence, of words
    w     words            ph   phrases           d   pairs of neighboring phrases that changed places
    unk   source words that no phrase has and that were left as they are
    del   source words that a deletion rule dropped
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import NamedTuple

from task import Pair

FEATURES = ("tm", "lm", "w", "ph", "d", "unk", "del")
DELETION = ("none", "word", "sentence")
LONGEST = 3  # words of a source phrase
MOST = 5  # translations of a phrase
BEAM = 20  # partial translations that are kept at each place
START, END = "<s>", "</s>"

Words = tuple[str, ...]
Features = tuple[float, ...]


class Option(NamedTuple):
    """A way to translate some words: the words, where they end in the source, and the features known by now."""

    words: Words
    end: int
    features: Features


class Model:
    """What was learned from aligned pairs."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        counts: defaultdict[Words, Counter[Words]] = defaultdict(Counter)
        self.words: Counter[str] = Counter()
        self.bigrams: Counter[tuple[str, str]] = Counter()
        for pair in pairs:
            english = pair.references[0]
            for source, target in phrases(pair.source, english, pair.links):
                counts[source][target] += 1
            self.words.update([*english, END])
            self.bigrams.update(zip([START, *english], [*english, END], strict=True))
        self.before = Counter(before for before, _ in self.bigrams.elements())
        self.total = sum(self.words.values())
        self.table = {
            source: [(target, math.log(n / sum(own.values()))) for target, n in own.most_common(MOST)]
            for source, own in counts.items()
        }
        self._known: dict[tuple[str, str], float] = {}

    def lm(self, before: str, word: str) -> float:
        """log p(word | before): seven parts bigram, three parts word; an unknown word counts as half a word."""
        key = before, word
        if key not in self._known:
            seen = self.bigrams[key] / self.before[before] if self.before[before] else 0.0
            self._known[key] = math.log(0.7 * seen + 0.3 * max(self.words[word], 0.5) / self.total)
        return self._known[key]

    def _within(self, words: Words) -> float:
        """The logarithms of all words of a phrase but the first, which depends on what stands before."""
        return sum(map(self.lm, words, words[1:]))

    def options(self, source: Words, deletion: bool) -> list[list[Option]]:
        """For each place the ways to go on: a phrase, two that change places, a word as it is, or nothing."""
        n = len(source)
        plain: list[list[Option]] = [[] for _ in range(n)]
        for i in range(n):
            for j in range(i + 1, min(i + LONGEST, n) + 1):
                for words, log in self.table.get(source[i:j], ()):
                    plain[i].append(Option(words, j, (log, self._within(words), len(words), 1, 0, 0, 0)))
            if source[i : i + 1] not in self.table:
                plain[i].append(Option(source[i : i + 1], i + 1, (0, 0, 1, 1, 0, 1, 0)))
        found = [list(own) for own in plain]
        for i in range(n):
            for one in plain[i][:MOST]:
                for other in plain[one.end][:2] if one.end < n else ():
                    words = other.words + one.words
                    tm, _, *counts = map(sum, zip(one.features, other.features, strict=True))
                    features = (tm, self._within(words), *counts[:2], 1, *counts[3:])
                    found[i].append(Option(words, other.end, features))
            if deletion:
                found[i].append(Option((), i + 1, (0, 0, 0, 0, 0, 0, 1)))
        return found

    def translations(
        self, source: Words, weights: Sequence[float], deletion: str, count: int
    ) -> list[tuple[Words, Features]]:
        """The best translations by the weighted sum of features that a beam finds, each text once, best first."""
        lm = weights[FEATURES.index("lm")]
        beams: list[dict[Words, tuple[float, Features]]] = [{} for _ in range(len(source) + 1)]
        beams[0][()] = 0.0, (0.0,) * len(FEATURES)
        for i, ways in enumerate(self.options(source, deletion == "word")):
            known = [sum(w * f for w, f in zip(weights, way.features, strict=True)) for way in ways]
            for words, (score, features) in nlargest(BEAM, beams[i].items(), key=lambda item: (item[1][0], item[0])):
                last = words[-1] if words else START
                for way, sure in zip(ways, known, strict=True):
                    log = self.lm(last, way.words[0]) if way.words else 0.0
                    total = score + sure + lm * log
                    text, there = words + way.words, beams[way.end]
                    if text not in there or there[text][0] < total:
                        summed = tuple(map(sum, zip(features, way.features, strict=True)))
                        there[text] = total, (summed[0], summed[1] + log, *summed[2:])
        whole = []
        for words, (score, features) in beams[-1].items():
            log = self.lm(words[-1] if words else START, END)
            whole.append((score + lm * log, words, (features[0], features[1] + log, *features[2:])))
        if deletion == "sentence":
            log = self.lm(START, END)
            empty = (0.0, log, 0, 0, 0, 0, len(source))
            whole.append((sum(w * f for w, f in zip(weights, empty, strict=True)), (), empty))
        best = nlargest(count, whole, key=lambda item: (item[0], item[1]))
        return [(words, features) for _, words, features in best]


def phrases(source: Words, english: Words, links: Sequence[int]) -> Iterable[tuple[Words, Words]]:
    """All pairs of a stretch of each in which no word is linked to the outside (Och and Ney 2004)."""
    for i in range(len(source)):
        for j in range(i + 1, min(i + LONGEST, len(source)) + 1):
            inside = [k for k, link in enumerate(links) if i <= link < j]
            if not inside:
                continue
            first, last = inside[0], inside[-1] + 1
            if any(link >= 0 and not i <= link < j for link in links[first:last]):
                continue
            while True:  # with words that came from nowhere at its ends, too
                end = last
                while True:
                    yield source[i:j], english[first:end]
                    if end == len(links) or links[end] >= 0:
                        break
                    end += 1
                if first == 0 or links[first - 1] >= 0:
                    break
                first -= 1
