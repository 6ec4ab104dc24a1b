"""Texts of a lattice or a forest that BLEU may like best: a beam search, so that nothing is promised.

BLEU does not add up along a path. What does is its linear approximation (Tromble et al. 2008, section 4): a loss for
each word, and a gain for each n-gram that a reference has. It decides which texts of a node are kept.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest
from tarocco.decode.oracle.exact import Numbered, Words
from tarocco.kernels import forest_search, kernel

_search = kernel(forest_search, "search_with_beam")

ORDER = 4
PRECISION, RATIO = 0.85, 0.72  # of a good translation: its unigram precision, and that of each order to the one before
_ROOM = 1 << 33  # bytes of texts that are too many


def beam_texts(numbered: Numbered, width: int) -> list[str]:
    """Up to `width` texts of a forest with many n-grams of the references, the best by linear BLEU first."""
    forest = numbered.forest
    lengths = _longest(forest)
    longest = np.array([min(length, _ROOM) for length in lengths], np.int64)
    total = width * sum(lengths)
    if 4 * total > _ROOM:
        raise InputError(
            f"{forest.where}: a beam of {width} takes {4 * total / 2**30:.0f} GiB of memory, more than {_ROOM >> 30}; "
            f"take a narrower one"
        )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(width * longest, dtype=np.int64)])
    follow, limits, labels = _ngrams(numbered.references, numbered.numbers)
    texts = np.empty(max(1, total), np.int32)
    sizes, kept = np.empty((forest.n_nodes, width), np.int32), np.empty(forest.n_nodes, np.int32)
    most = int(longest.max(initial=0)) + 1
    _search(
        np.searchsorted(forest.heads, np.arange(forest.n_nodes + 1)).astype(np.int64),
        *(forest.tail_starts, forest.tails, forest.item_starts, forest.items, labels),
        *(follow, limits, _gains(), width, longest, starts[:-1], texts, sizes),
        *(np.empty((forest.n_nodes, width)), kept, np.zeros(len(limits), np.int32)),
        np.empty(max(1, int(np.diff(forest.tail_starts).max(initial=0))), np.int32),
        *(np.empty(most, np.int32), np.empty(most, np.int32)),
    )
    goal, words = forest.n_nodes - 1, forest.words
    found = []
    for rank in range(kept[goal]):
        first = starts[goal] + rank * longest[goal]
        found.append(" ".join(words[word] for word in texts[first : first + sizes[goal, rank]].tolist()))
    return found


def _gains() -> NDArray[np.float64]:
    """What a word costs and what a match of each order gains, for a text whose n-grams match as often as usual."""
    matches = [1 / (ORDER * PRECISION * RATIO**n) for n in range(ORDER)]
    return np.array([-1.0, *matches])


def _ngrams(
    references: tuple[Words, ...], numbers: Words
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Which n-gram follows which with which word; how often each counts; the words of the forest in these numbers."""
    known: dict[int, int] = {}
    for reference in references:
        for word in reference.tolist():
            known.setdefault(word, len(known))
    grams: dict[tuple[int, int], int] = {}
    limits = [0]
    for reference in references:
        words = [known[word] for word in reference.tolist()]
        counts: dict[int, int] = {}
        for i in range(len(words)):
            gram = 0
            for word in words[i : i + ORDER]:
                gram = grams.setdefault((gram, word), len(grams) + 1)
                counts[gram] = counts.get(gram, 0) + 1
        limits += [0] * (len(grams) + 1 - len(limits))
        for gram, count in counts.items():
            limits[gram] = max(limits[gram], count)
    follow = np.full((len(grams) + 1, len(known) + 1), -1, np.int32)
    for (gram, word), longer in grams.items():
        follow[gram, word] = longer
    labels = np.array([known.get(word, len(known)) for word in numbers.tolist()] or [0], np.int32)
    return follow, np.array(limits, np.int32), labels


def _longest(forest: Forest) -> list[int]:
    """How many words the longest text of each node has."""
    longest = [0] * forest.n_nodes
    words = np.add.reduceat(np.append(forest.items >= 0, False), forest.item_starts[:-1]) * (
        np.diff(forest.item_starts) > 0
    )
    tails = forest.tails.tolist()
    bounds = pairwise(forest.tail_starts.tolist())
    for head, own, (start, stop) in zip(forest.heads.tolist(), words.tolist(), bounds, strict=True):
        longest[head] = max(longest[head], own + sum([longest[tail] for tail in tails[start:stop]]))
    return longest
