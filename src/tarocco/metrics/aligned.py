"""Alignments of candidates with each of their references, word by word: the measurement under METEOR.

Words match if they have a key in common: at the stage `exact` the word itself, at `stem` its stem, at `wnstm` a base
form that WordNet gives it, at `wnsyn` a synset of its base forms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch
from tarocco.encode.vocabulary import Ragged
from tarocco.errors import InputError
from tarocco.kernels import chunks, followers, kernel, links, maximum
from tarocco.metrics.pairing import Pairs

_link = kernel(links, "link")
_follow = kernel(links, "follow")
_augment = kernel(maximum, "augment")
_settle = kernel(followers, "settle")
_extend = kernel(maximum, "extend")
_choose = kernel(chunks, "choose")

STAGES = ("exact", "stem", "wnstm", "wnsyn")

_MOST_WORDS = (1 << 15) - 1  # of a text: what a matching is worth is one number of 64 bits
_MOST_LINKS = 1 << 24  # of a pair of texts: 256 MiB
_MOST_STATES = 1 << 12  # of a search, at a time
_MOST_FOLLOWERS = 1 << 12  # that are possible in a pair; there are other limits for texts with more
_MOST_CONFLICTS = 1 << 16  # of those with each other
_MOST_SETS = 1 << 14  # of followers, tried for one part of a pair
_STEPS = 1 << 20  # of a search, about: some hundredths of a second; a hopeless one may take some tenths


class Alignments:
    """What is known of a batch; each way to align is tried once, when it is first asked for."""

    def __init__(self, batch: Batch) -> None:
        self.pairs = Pairs(batch)
        self._counted: dict[tuple[tuple[str, ...], str, bool], NDArray[np.intp]] = {}

    def counts(self, stages: tuple[str, ...], stemmer: str, jointly: bool) -> NDArray[np.intp]:
        """[matches, chunks, whether a better alignment could have been missed] of each pair.

        Jointly: all stages at once, most matches, then fewest chunks. Otherwise stage after stage, each on the words
        that are left, with the most matches, then the fewest crossings, then the fewest chunks, then the one that
        matches the first word of the candidate, then the second and so on, with the earliest words of the reference.
        """
        asked = (stages, stemmer, jointly)
        if asked not in self._counted:
            keys = self.keys(stages, stemmer)
            self._counted[asked] = align(self.pairs, [together(keys)] if jointly else keys, crossings=not jointly)
        return self._counted[asked]

    def keys(self, stages: tuple[str, ...], stemmer: str) -> list[Ragged]:
        """The keys of each word of the vocabulary at each stage, as far as others have them."""
        keys = [self._keys(stage, stemmer) for stage in stages]
        if stages[0] == "exact":  # a key that one word has adds nothing to that
            keys[1:] = [shared_keys(one) for one in keys[1:]]
        return keys

    def _keys(self, stage: str, stemmer: str) -> Ragged:
        vocabulary = self.pairs.batch.vocabulary
        if stage == "exact":
            return _one_each(np.arange(len(vocabulary), dtype=np.int32))
        if stage == "stem":
            return _one_each(vocabulary.stem_ids(stemmer))
        from tarocco.encode.wordnet import wordnet  # a table of 4 MB

        found = wordnet().lemma_ids(vocabulary) if stage == "wnstm" else wordnet().synset_ids(vocabulary)
        return Ragged(np.unique(found.values, return_inverse=True)[1].astype(np.int32), found.offsets)


def _one_each(keys: NDArray[np.int32]) -> Ragged:
    return Ragged(keys, np.arange(len(keys) + 1))


def _size(keys: Ragged) -> int:
    """How many keys there are."""
    return int(keys.values.max(initial=-1)) + 1


def shared_keys(keys: Ragged) -> Ragged:
    """Only the keys that several words have."""
    several = np.bincount(keys.values, minlength=1)[keys.values] > 1
    kept = np.concatenate([np.zeros(1, np.intp), np.cumsum(several)])
    return Ragged(keys.values[several], kept[keys.offsets])


def together(stages: Sequence[Ragged]) -> Ragged:
    """The keys of all stages, each stage with numbers of its own."""
    firsts = np.cumsum([0, *(_size(keys) for keys in stages)])
    values = [keys.values + first for keys, first in zip(stages, firsts, strict=False)]
    owners = np.concatenate([np.repeat(np.arange(len(keys)), keys.lengths) for keys in stages])
    order = np.argsort(owners, kind="stable")
    offsets = np.sum([keys.offsets for keys in stages], axis=0)
    return Ragged(np.concatenate(values)[order].astype(np.int32), offsets)


def align(pairs: Pairs, stages: Sequence[Ragged], crossings: bool) -> NDArray[np.intp]:
    """[matches, chunks, whether states were left out] of each pair, stage after stage; keys are those of the words."""
    return align_words(pairs, stages, crossings)[0]


def align_words(pairs: Pairs, stages: Sequence[Ragged], crossings: bool) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """The same, and for each word of each pair's candidate the word of the reference that it is matched with, or -1.

    Without crossings these are the words of a matching with as many matches, which has more chunks where a search found
    something better.
    """
    longest = int(pairs.candidate_lengths.max(initial=0)), int(pairs.reference_lengths.max(initial=0))
    if max(longest) > _MOST_WORDS:
        raise InputError(f"METEOR takes texts of at most {_MOST_WORDS} words; here is one of {max(longest)}")
    starts = np.zeros(len(pairs) + 1, np.intp)
    np.cumsum(pairs.candidate_lengths, out=starts[1:])
    lengths = pairs.reference_lengths.astype(np.intp)
    partners = np.full(starts[-1], -1, np.int32)
    out, limited = np.zeros((len(pairs), 3), np.intp), np.zeros(len(pairs), np.intp)
    rooms = _rooms(*longest, crossings)
    for keys in stages:
        firsts, linked = _linked(pairs, keys, starts, partners, longest[1])
        hopes = np.empty(len(partners) + len(pairs), np.int32)
        _follow(starts, firsts, linked, hopes)
        spare = np.empty(len(partners), np.uint8)
        there = np.empty((5, longest[1]), np.int32)
        queue = np.empty(longest[0], np.int32)
        _augment(starts, lengths, firsts, linked, hopes, queue, there, partners, spare)
        most = np.zeros((len(pairs), 3), np.int32)
        texts = starts, lengths, firsts, linked
        if not crossings:  # most pairs are settled by that, and there is nothing to search
            fixed = np.empty(len(partners), np.int32)
            _settle(*texts, hopes, partners, _STEPS, *_rooms_of_parts(max(longest)), fixed, most)
            _extend(*texts, queue, there, fixed, partners, most)
        settings = crossings, _MOST_STATES, _STEPS
        _choose(*texts, hopes, spare, *settings, there, *rooms, partners, most, out)
        limited |= out[:, 2]
    out[:, 2] = limited
    return out, partners


def _linked(
    pairs: Pairs, keys: Ragged, starts: NDArray[np.intp], partners: NDArray[np.int32], longest: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Where the links of each word begin, and the links, with room for what else is to be known of them."""
    batch = pairs.batch
    ends = np.concatenate([np.zeros(1, np.intp), np.cumsum(keys.lengths[batch.references.values])])
    most = int(np.diff(ends[batch.references.offsets]).max(initial=0))
    rooms = np.zeros((2, _size(keys)), np.int32), np.empty((2, most), np.int32), np.empty(longest, np.intp)
    texts = (*batch.arrays, keys.values, keys.offsets, starts, partners)
    counts, firsts = np.zeros(len(partners), np.intp), np.zeros(len(partners) + 1, np.intp)
    _link(*texts, *rooms, counts, firsts, np.empty((4, 0), np.int32))
    np.cumsum(counts, out=firsts[1:])
    of_pairs = np.diff(firsts[starts])
    if of_pairs.max(initial=0) > _MOST_LINKS:
        pair = int(of_pairs.argmax())
        raise InputError(
            f"METEOR: in a candidate of {pairs.candidate_lengths[pair]} words and its reference of "
            f"{pairs.reference_lengths[pair]} there are {of_pairs[pair]} pairs of words that match; "
            f"it takes at most {_MOST_LINKS}"
        )
    found = np.empty((4, firsts[-1]), np.int32)
    if found.size:
        rooms[0].fill(0)
        _link(*texts, *rooms, counts, firsts, found)
    return firsts, found


def _rooms(longest: int, longest_reference: int, crossings: bool) -> tuple[NDArray[np.generic], ...]:
    """Work space of a search for texts of this length; what is not touched costs nothing."""
    room, width = 4 * _MOST_STATES, (longest_reference + 63) // 64
    sets = 4 * min(_MOST_STATES * width, max(_STEPS >> 4, 8 * width))
    trace = min(longest * _MOST_STATES, max(_STEPS, 8 * longest)) if crossings else 0
    return (
        np.empty((3, room), np.int64),
        np.empty((10, room), np.int32),
        np.empty((2, sets), np.uint64),
        np.zeros((2, 1 << (2 * room - 1).bit_length()), np.int64),
        np.empty((2, trace), np.int32),
        np.zeros(2, np.int64),
    )


def _rooms_of_parts(longest: int) -> tuple[NDArray[np.generic], ...]:
    """Work space of kernels/followers.py, which gives up where this is too little."""
    words = max(_MOST_SETS, _MOST_FOLLOWERS // 64 + 1)  # one set at least
    return (
        np.empty((2, longest + 2), np.int32),
        np.empty((12, _MOST_FOLLOWERS + 1), np.int32),
        np.empty(_MOST_CONFLICTS, np.int32),
        np.empty(_MOST_FOLLOWERS + 1, np.int32),
        np.empty(_MOST_CONFLICTS, np.uint64),
        np.empty((3, _MOST_SETS), np.int32),
        np.empty((2, words), np.uint64),
        np.zeros((2, 1 << (2 * _MOST_SETS - 1).bit_length()), np.int64),
        np.zeros(1, np.int64),
    )
