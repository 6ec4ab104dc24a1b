"""WordNet 3.0: base forms of English words, their synsets, and what is above a synset.

>>> from tarocco.encode.wordnet import wordnet
>>> wordnet().lemmas("axes")
['ax', 'axis', 'axe']
>>> wordnet().are_synonyms("cars", "automobile")
True
>>> wordnet().words(wordnet().hypernyms(wordnet().synsets("dog", "n")[0])[0])
['canid', 'canine']

A word's base forms are found as WordNet's own Morphy does it, for each part of speech: the word itself if it is an
entry, and what the list of exceptions has for it or, if that has nothing, what the rules of detachment make of it, as
far as it is an entry. (Morphy stops at the first rule that finds one; here all of them count.) Collocations are entries
written with underscores; only single words are taken apart.

The table is made by tools/make_wordnet.py. Synsets are numbered: nouns, then verbs, adjectives, adverbs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.vocabulary import Ragged
from tarocco.errors import BadParameter

PARTS = "nvar"  # of speech: nouns, verbs, adjectives, adverbs

# (suffix, ending) of each part of speech, in Morphy's order.
_RULES: tuple[tuple[tuple[str, str], ...], ...] = (
    (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    (),
)
_KEPT = 1 << 17  # words whose base forms and synsets are remembered
_TABLE = Path(__file__).parents[1] / "data" / "wordnet" / "wordnet.npz"

Ids = NDArray[np.int32]
Forms = tuple[tuple[int, int], ...]  # (part of speech, entry)


class WordNet:
    """The table, with what is looked up often kept. Words are read in lower case."""

    def __init__(self, arrays: dict[str, Ids]) -> None:
        self.entries: list[str] = arrays["words"].tobytes().decode("ascii").split("\n")
        self._ids = {word: number for number, word in enumerate(self.entries)}
        # The synsets of entry w, by part of speech, frequent ones first: senses[sense_bounds[w]:sense_bounds[w + 1]].
        self._senses, self._sense_bounds = arrays["senses"], arrays["sense_bounds"]
        # The synsets of part of speech p end at part_ends[p].
        self._part_ends = arrays["part_ends"]
        self._sense_parts = np.searchsorted(self._part_ends, self._senses, side="right").astype(np.uint8)
        # Right above synset s, instances' classes too: hypernyms[hypernym_bounds[s]:hypernym_bounds[s + 1]].
        self._hypernyms, self._hypernym_bounds = arrays["hypernyms"], arrays["hypernym_bounds"]
        self._exceptions: dict[tuple[int, int], list[int]] = {}
        for form, part, base in arrays["exceptions"].tolist():  # (inflected form, part of speech, base form)
            self._exceptions.setdefault((part, form), []).append(base)
        # A bit for each part of speech that an entry has; an inflected form alone has none.
        bits = np.zeros(len(self.entries), np.uint8)
        np.bitwise_or.at(bits, self._owners, 1 << self._sense_parts)
        self._parts_of = bits.tobytes()
        self.forms = lru_cache(_KEPT)(self._forms)
        self.all_synsets = lru_cache(_KEPT)(self._all_synsets)

    @cached_property
    def _owners(self) -> NDArray[np.intp]:
        """Whose each sense is."""
        return np.repeat(np.arange(len(self.entries)), np.diff(self._sense_bounds))

    # --- words -----------------------------------------------------------------------------------------------------

    def _forms(self, word: str) -> Forms:
        """(part of speech, entry) of each base form of a word; the numbers are those of PARTS and `entries`."""
        word = word.lower()
        number = self._ids.get(word)
        found: dict[tuple[int, int], None] = {}
        for part in range(len(PARTS)):
            bases = None if number is None else self._exceptions.get((part, number))
            if bases is None:
                bases = [self._ids[one] for one in _detached(word, part) if one in self._ids]
            own = bases if number is None else [number, *bases]
            found |= dict.fromkeys((part, base) for base in own if self._parts_of[base] >> part & 1)
        return tuple(found)

    def _synsets(self, entry: int, part: int) -> list[int]:
        """The synsets of an entry as one part of speech, the most frequent first."""
        own = slice(self._sense_bounds[entry], self._sense_bounds[entry + 1])
        synsets: list[int] = self._senses[own][self._sense_parts[own] == part].tolist()
        return synsets

    def _all_synsets(self, word: str) -> frozenset[int]:
        """The synsets of all base forms of a word, of any part of speech."""
        return frozenset(synset for part, form in self.forms(word) for synset in self._synsets(form, part))

    def lemmas(self, word: str, part: str | None = None) -> list[str]:
        """The base forms of a word: of one part of speech (n, v, a, r) or of all."""
        wanted = _parts(part)
        return list(dict.fromkeys(self.entries[form] for at, form in self.forms(word) if at in wanted))

    def synsets(self, word: str, part: str | None = None) -> list[int]:
        """The synsets of all base forms of a word, the most frequent of each form first."""
        wanted = _parts(part)
        of_forms = (self._synsets(form, at) for at, form in self.forms(word) if at in wanted)
        return list(dict.fromkeys(synset for synsets in of_forms for synset in synsets))

    def are_synonyms(self, one: str, other: str) -> bool:
        """Whether two words have a synset in common."""
        return not self.all_synsets(one).isdisjoint(self.all_synsets(other))

    # --- synsets ---------------------------------------------------------------------------------------------------

    def part(self, synset: int) -> str:
        """The part of speech of a synset: n, v, a or r."""
        return PARTS[int(np.searchsorted(self._part_ends, synset, side="right"))]

    def hypernyms(self, synset: int) -> list[int]:
        """The synsets right above a synset; of an instance, its classes."""
        above: list[int] = self._hypernyms[self._hypernym_bounds[synset] : self._hypernym_bounds[synset + 1]].tolist()
        return above

    def words(self, synset: int) -> list[str]:
        """The entries that have this synset, in alphabetical order."""
        order, sorted_senses = self._by_synset
        first, last = np.searchsorted(sorted_senses, [synset, synset + 1])
        return [self.entries[owner] for owner in self._owners[order[first:last]].tolist()]

    @cached_property
    def _by_synset(self) -> tuple[NDArray[np.intp], Ids]:
        """The senses in the order of their synsets: their places, and the synsets."""
        order = np.argsort(self._senses, kind="stable")
        return order, self._senses[order]

    # --- many words ------------------------------------------------------------------------------------------------

    def lemma_ids(self, words: Iterable[str]) -> Ragged:
        """For each word the entries that are base forms of it, of any part of speech."""
        return _ragged([dict.fromkeys(form for _, form in self.forms(word)) for word in words])

    def synset_ids(self, words: Iterable[str]) -> Ragged:
        """For each word the synsets of all its base forms; words that share one are synonyms."""
        return _ragged([sorted(self.all_synsets(word)) for word in words])


def _ragged(rows: Sequence[Collection[int]]) -> Ragged:
    offsets = np.zeros(len(rows) + 1, np.intp)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return Ragged(np.fromiter(chain.from_iterable(rows), np.int32, offsets[-1]), offsets)


def _detached(word: str, part: int) -> list[str]:
    """What Morphy's rules make of a word, entry or not."""
    tail = ""
    if PARTS[part] == "n":
        if word.endswith("ful"):  # boxesful
            word, tail = word[:-3], "ful"
        elif word.endswith("ss") or len(word) <= 2:
            return []
    rules = ((suffix, ending) for suffix, ending in _RULES[part] if word.endswith(suffix))
    return [word.removesuffix(suffix) + ending + tail for suffix, ending in rules]


def _parts(part: str | None) -> range | tuple[int, ...]:
    if part is None:
        return range(len(PARTS))
    if part not in tuple(PARTS):
        raise BadParameter(f'a part of speech is one of {", ".join(PARTS)}, not "{part}"')
    return (PARTS.index(part),)


@cache
def wordnet() -> WordNet:
    """The table that comes with tarocco, read when first asked for."""
    with np.load(_TABLE) as arrays:
        return WordNet({name: arrays[name] for name in arrays.files})
