"""WordNet 3.0: base forms and synsets of English words, for all words of a vocabulary at once.

Base forms follow WordNet's Morphy for each part of speech: the word itself if it is an entry, and its bases in the list
of exceptions or, if it is not listed there, those results of the rules of detachment that are entries. (Morphy stops at
the first rule that finds an entry; here all rules are applied.) Synsets are numbered by part of speech: nouns, verbs,
adjectives, adverbs. Collocations are entries with underscores; only single words have base forms.
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.vocabulary import Ragged, Vocabulary

PARTS = "nvar"  # of speech: nouns, verbs, adjectives, adverbs

# (suffix, ending) of each part of speech, in Morphy's order. The rule for boxes also turns boxesful into boxful.
_NOUNS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
RULES: tuple[tuple[tuple[str, str], ...], ...] = (
    (*_NOUNS, *((suffix + "ful", ending + "ful") for suffix, ending in _NOUNS)),
    (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    (),
)
_NEWLINE = 10
_TABLE = Path(__file__).parents[1] / "data" / "wordnet" / "wordnet.npz"

Ids = NDArray[np.int32]
Places = NDArray[np.intp]


class WordNet:
    """The table of entries, their synsets and inflected forms."""

    def __init__(self, arrays: dict[str, Ids]) -> None:
        self._spelled = arrays["words"]
        self.entries: list[str] = self._spelled.tobytes().decode("ascii").split("\n")
        # Synsets are numbered by part of speech; those of part p end at part_ends[p].
        self._senses, self._part_ends = arrays["senses"], arrays["part_ends"]
        owners = np.repeat(np.arange(len(self.entries)), np.diff(arrays["sense_bounds"]))
        parts = np.searchsorted(self._part_ends, self._senses, side="right")
        # The synsets of entry w as part p, frequent ones first, begin at bounds[w * 4 + p] of the senses.
        counts = np.bincount(len(PARTS) * owners + parts, minlength=len(PARTS) * len(self.entries))
        self._bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum(counts)])
        self._exceptions = arrays["exceptions"]  # (inflected form, part of speech, base form)

    @cached_property
    def _sorted_exceptions(self) -> Places:
        """Inflected forms, sorted, with their parts of speech and base forms."""
        order = np.argsort(self._exceptions[:, 0], kind="stable")
        return np.ascontiguousarray(self._exceptions[order].T.astype(np.intp))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        """The entries, with the same numbers."""
        return _encoded(np.append(self._spelled, np.uint8(_NEWLINE)), len(self.entries))[0]

    def lemma_ids(self, vocabulary: Vocabulary) -> Ragged:
        """Return for each lowercased word its base forms of any part of speech, as sorted entries."""
        owners, _, entries = self._all_forms(vocabulary)
        return _by_owner(owners, entries, len(vocabulary))

    def synset_ids(self, vocabulary: Vocabulary, inflected: bool = True) -> Ragged:
        """Return for each word the sorted synsets of all its base forms; words that share one are synonyms.

        With `inflected=False`, each word is a lemma, so its only base form is the word itself.
        """
        owners, parts, entries = self._all_forms(vocabulary) if inflected else self._entries(vocabulary)
        places = len(PARTS) * entries + parts
        counts = self._bounds[places + 1] - self._bounds[places]
        firsts = np.repeat(self._bounds[places] - np.cumsum(counts) + counts, counts)
        return _by_owner(
            np.repeat(owners, counts), self._senses[firsts + np.arange(len(firsts))].astype(np.intp), len(vocabulary)
        )

    def _entries(self, vocabulary: Vocabulary) -> tuple[Places, Places, Places]:
        """Return (word, part of speech, entry) of each word that is an entry, as every part of speech."""
        entries = vocabulary.ids_in(self._vocabulary).astype(np.intp)
        known = np.repeat(np.flatnonzero(entries >= 0), len(PARTS))
        return known, np.arange(len(known)) % len(PARTS), entries[known]

    def _all_forms(self, vocabulary: Vocabulary) -> tuple[Places, Places, Places]:
        """Return (word, part of speech, entry) of each base form of each word."""
        triples = [self._entries(vocabulary)]
        known, entries = (column[:: len(PARTS)] for column in triples[0][::2])
        forms, parts, bases = self._sorted_exceptions
        firsts, ends = (np.searchsorted(forms, entries, side=side) for side in ("left", "right"))
        owners = np.repeat(known, ends - firsts)
        places = np.arange(len(owners)) + np.repeat(ends - np.cumsum(ends - firsts), ends - firsts)
        triples.append((owners, parts[places], bases[places]))
        regular = np.ones((len(vocabulary), len(PARTS)), np.bool_)
        regular[owners, parts[places]] = False
        triples.append(self._all_detached(*vocabulary.spelled, regular))
        words, of_parts, entries = (np.concatenate(column) for column in zip(*triples, strict=True))
        at = len(PARTS) * entries + of_parts
        exist = self._bounds[at + 1] > self._bounds[at]
        return words[exist], of_parts[exist], entries[exist]

    def _all_detached(
        self, spelling: NDArray[np.uint8], bounds: Places, regular: NDArray[np.bool_]
    ) -> tuple[Places, Places, Places]:
        """Apply the rules to words that are regular; returns (word, part of speech, entry) of each result."""
        lengths = np.diff(bounds)
        texts, owners, parts = [np.empty(0, np.uint8)], [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for part, rules in enumerate(RULES):
            able = regular[:, part]
            if PARTS[part] == "n":
                able = able & (lengths > 2)
                ss = np.flatnonzero(able)
                able[ss[_end_in(ss, "ss", spelling, bounds)]] = False
            for suffix, ending in rules:
                words = np.flatnonzero(able & (lengths >= len(suffix) + (not ending)))
                words = words[_end_in(words, suffix, spelling, bounds)]
                owners.append(words)
                parts.append(np.full(len(words), part))
                texts.append(_with_ending(words, len(suffix), ending, spelling, bounds))
        lemmas, ids = _encoded(np.concatenate(texts), sum(map(len, owners)))
        entries = lemmas.ids_in(self._vocabulary)[ids].astype(np.intp)
        known = entries >= 0
        return np.concatenate(owners)[known], np.concatenate(parts)[known], entries[known]


def _end_in(words: Places, suffix: str, spelling: NDArray[np.uint8], bounds: Places) -> NDArray[np.bool_]:
    """Return which of these words, all long enough, end in a suffix."""
    ends = bounds[words + 1]
    alike = np.ones(len(words), np.bool_)
    for back, letter in enumerate(reversed(suffix), 1):
        alike &= spelling[ends - back] == ord(letter)
    return alike


def _with_ending(
    words: Places, cut: int, ending: str, spelling: NDArray[np.uint8], bounds: Places
) -> NDArray[np.uint8]:
    """Return these words with an ending in place of their last letters, one per line."""
    line = np.frombuffer(f"{ending}\n".encode("ascii"), np.uint8)
    lengths = bounds[words + 1] - bounds[words] - cut
    ends = np.cumsum(lengths + len(line))
    text = np.empty(ends[-1] if len(ends) else 0, np.uint8)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    text[np.repeat(ends - lengths - len(line), lengths) + within] = spelling[np.repeat(bounds[words], lengths) + within]
    for at, letter in enumerate(line.tolist()):
        text[ends - len(line) + at] = letter
    return text


def _encoded(lines: NDArray[np.uint8], count: int) -> tuple[Vocabulary, NDArray[np.int32]]:
    """Make a vocabulary of words, one per line; also returns the id of each."""
    vocabulary, ids = Vocabulary(len(lines)), np.empty(count, np.int32)
    vocabulary.encode(lines, ids, np.empty(count + 1, np.intp), 0, 0)
    return vocabulary, ids


def _by_owner(owners: Places, values: Places, count: int) -> Ragged:
    """Return the distinct values of each owner, sorted."""
    pairs = np.sort(owners.astype(np.int64) << 32 | values)  # faster than np.unique, which hashes
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum(np.bincount(pairs >> 32, minlength=count))])
    return Ragged((pairs & 0xFFFFFFFF).astype(np.int32), offsets)


def load_arrays() -> dict[str, Ids]:
    """Load the bundled table, which tools/make_wordnet.py makes."""
    with np.load(_TABLE) as arrays:
        return {name: arrays[name] for name in arrays.files}


@cache
def wordnet() -> WordNet:
    """Return the bundled table, loaded on first use."""
    return WordNet(load_arrays())
