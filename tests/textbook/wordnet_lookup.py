"""WordNet one word at a time: base forms by Morphy's rules, synsets, hypernyms, and the words of a synset."""

from functools import cache

import numpy as np

from tarocco.encode.wordnet import PARTS, RULES, load_arrays


class Lookup:
    """The table, with words as strings. Words are lowercased."""

    def __init__(self, arrays):
        self.entries = arrays["words"].tobytes().decode("ascii").split("\n")
        self.ids = {word: number for number, word in enumerate(self.entries)}
        self.senses, self.bounds = arrays["senses"], arrays["sense_bounds"]
        self.part_ends = arrays["part_ends"]
        self.above, self.above_bounds = arrays["hypernyms"], arrays["hypernym_bounds"]
        self.owners = np.repeat(np.arange(len(self.entries)), np.diff(self.bounds))
        self.order = np.argsort(self.senses, kind="stable")
        self.sorted_senses = self.senses[self.order]
        self.bases = {}
        for form, part, base in arrays["exceptions"].tolist():
            self.bases.setdefault((PARTS[part], form), []).append(base)

    def part(self, synset):
        """Return the part of speech of a synset: n, v, a or r."""
        return PARTS[int(np.searchsorted(self.part_ends, synset, side="right"))]

    def _synsets(self, entry, part):
        senses = self.senses[self.bounds[entry] : self.bounds[entry + 1]].tolist()
        return [synset for synset in senses if self.part(synset) == part]

    def _forms(self, word, part):
        """Return the base forms of a word as one part of speech."""
        word = word.lower()
        number = self.ids.get(word)
        bases = self.bases.get((part, number))
        if bases is None:
            bases = [self.ids[form] for form in detach(word, part) if form in self.ids]
        forms = dict.fromkeys(bases if number is None else [number, *bases])
        return [form for form in forms if self._synsets(form, part)]

    def lemmas(self, word, part=None):
        """Return the base forms of a word."""
        parts = PARTS if part is None else part
        return list(dict.fromkeys(self.entries[form] for one in parts for form in self._forms(word, one)))

    def synsets(self, word, part=None):
        """Return the synsets of all base forms of a word, most frequent first for each form."""
        parts = PARTS if part is None else part
        found = (self._synsets(form, one) for one in parts for form in self._forms(word, one))
        return list(dict.fromkeys(synset for synsets in found for synset in synsets))

    def are_synonyms(self, first, second):
        """Return whether two words share a synset."""
        return not set(self.synsets(first)).isdisjoint(self.synsets(second))

    def hypernyms(self, synset):
        """Return the direct hypernyms of a synset; for an instance, its classes."""
        return self.above[self.above_bounds[synset] : self.above_bounds[synset + 1]].tolist()

    def words(self, synset):
        """Return the entries that have a synset, in alphabetical order."""
        first, last = np.searchsorted(self.sorted_senses, [synset, synset + 1])
        return [self.entries[owner] for owner in self.owners[self.order[first:last]].tolist()]


def detach(word, part):
    """Return the results of Morphy's rules for a word, whether entries or not."""
    if part == "n" and (word.endswith("ss") or len(word) <= 2):
        return []
    rules = RULES[PARTS.index(part)]
    return [word.removesuffix(suffix) + ending for suffix, ending in rules if word.endswith(suffix)]


@cache
def lookup():
    """Return the bundled table."""
    return Lookup(load_arrays())
