"""One-to-one matchings of words: the runs that GTM takes, and METEOR's alignment with its chunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tarocco.encode.batch import Batch, Groups
from tarocco.encode.vocabulary import Ragged, Vocabulary
from tarocco.explanation.paths import Pair, run, runs
from tarocco.explanation.records import Element
from tarocco.metrics.meteor import Alignments, Meteor, align_words, merge_stages
from tarocco.metrics.pairs import Pairs


class Item(NamedTuple):
    """One item of a text: its type, what makes it equal to others, how it is written, and its words."""

    type: str
    key: Hashable
    text: str
    places: tuple[int, ...]
    above: bool = False


def paired(candidate: Iterable[Item], reference: Iterable[Item]) -> list[Element]:
    """The elements of two bags, type by type: in the candidate's order, then what the reference alone has."""
    return clipped(list(candidate), [list(reference)])


def clipped(candidate: Sequence[Item], references: Sequence[Sequence[Item]]) -> list[Element]:
    """The same for several references: an item matches as often as the reference has it that has it most often.

    With one reference, what it alone has is there, too.
    """
    there: list[dict[tuple[str, Hashable], list[Item]]] = []
    for items in references:
        own: dict[tuple[str, Hashable], list[Item]] = defaultdict(list)
        for item in items:
            own[item.type, item.key].append(item)
        there.append(own)
    seen: dict[tuple[str, Hashable], int] = defaultdict(int)
    found = []
    for item in candidate:
        key = item.type, item.key
        element = Element(item.type, item.text, item.places, above=item.above)
        for number, of_reference in enumerate(there):
            if len(of_reference.get(key, ())) > seen[key]:
                partner = of_reference[key][seen[key]]
                element = replace(element, reference=partner.places, matched=True, of=number)
                break
        seen[key] += 1
        found.append(element)
    if len(references) == 1:
        left = dict(seen)
        for item in references[0]:
            key = item.type, item.key
            if left.get(key, 0) > 0:
                left[key] -= 1
            else:
                found.append(Element(item.type, item.text, reference=item.places, above=item.above))
    order = {kind: place for place, kind in enumerate(_types(candidate, references))}
    return sorted(found, key=lambda one: order[one.type])


def _types(candidate: Sequence[Item], references: Sequence[Sequence[Item]]) -> Iterable[str]:
    return dict.fromkeys(item.type for items in (candidate, *references) for item in items)


Words = Sequence[int]  # numbers of words, equal ones alike
Spelling = Callable[[int], str]  # of the word at a place


def ngrams(words: Words, spelled: Sequence[str], orders: Iterable[int]) -> list[Item]:
    """The n-grams of a text, of each order."""
    return [
        Item(f"{order}-gram", tuple(words[at : at + order]), " ".join(spelled[at : at + order]), _range(at, order))
        for order in orders
        for at in range(len(words) - order + 1)
    ]


def _range(start: int, length: int) -> tuple[int, ...]:
    return tuple(range(start, start + length))


def skip_bigrams(words: Words, spelled: Sequence[str], gap: int | None) -> Iterator[Item]:
    """Pairs of words in their order with at most `gap` words between them."""
    for one, other in combinations(range(len(words)), 2):
        if gap is None or other - one - 1 <= gap:
            between = " .. " if other - one > 1 else " "
            text = f"{spelled[one]}{between}{spelled[other]}"
            yield Item("skip-bigram", (words[one], words[other]), text, (one, other))


def single_words(words: Words, spelled: Sequence[str]) -> list[Item]:
    """The words of a text, in whatever order."""
    return [Item("word", word, spelled[place], (place,)) for place, word in enumerate(words)]


def greedy_runs(candidate: Words, reference: Words, spelled: Sequence[str]) -> list[Element]:
    """The longest run of free words, over and over; of equal ones the later in the candidate, then in the reference."""
    equal = {(i, j) for i, word in enumerate(candidate) for j, other in enumerate(reference) if word == other}
    taken: list[list[Pair]] = []
    while equal:
        lengths: dict[Pair, int] = {}  # of the run of free words that begins here
        for i, j in sorted(equal, reverse=True):
            lengths[i, j] = lengths.get((i + 1, j + 1), 0) + 1
        length, (i, j) = max((length, pair) for pair, length in lengths.items())
        taken.append([(i + k, j + k) for k in range(length)])
        equal = {(a, b) for a, b in equal if not (i <= a < i + length or j <= b < j + length)}
    return [run(pairs, spelled) for pairs in sorted(taken)]


# --- METEOR --------------------------------------------------------------------------------------------------------


def alignment(metric: Meteor, batch: Batch, spelled: Sequence[str], spelled_there: Sequence[str]) -> list[Element]:
    """The matched words, each with the first stage at which it matches, the others, and the chunks."""
    stages = tuple(metric.stages.split("+"))
    measured = Alignments(batch)
    keys = measured.keys(stages, metric.stemmer)
    if metric.variant == "1.5":
        partners = _fewest_chunks(batch, merge_stages(keys))
    else:
        partners = align_words(measured.pairs, keys, crossings=True)[1].tolist()
    words, reference = batch.candidates[0].tolist(), batch.references[0].tolist()
    elements = []
    pairs = [(i, j) for i, j in enumerate(partners) if j >= 0]
    for i, word in enumerate(words):
        j = partners[i]
        if j < 0:
            elements.append(Element("word", spelled[i], (i,)))
            continue
        same = next(stage for stage, own in zip(stages, keys, strict=True) if _meet(own, word, reference[j]))
        text = spelled[i] if spelled[i] == spelled_there[j] else f"{spelled[i]} = {spelled_there[j]}"
        elements.append(Element("word", text, (i,), (j,), matched=True, how=same))
    matched = {j for _, j in pairs}
    elements += [Element("word", spelled_there[j], reference=(j,)) for j in range(len(reference)) if j not in matched]
    return elements + [
        Element("chunk", one.text, one.candidate, one.reference, matched=True) for one in runs(pairs, spelled)
    ]


def _meet(keys: Ragged, one: int, other: int) -> bool:
    return one == other or bool(np.intersect1d(keys[one], keys[other]).size)


def _fewest_chunks(batch: Batch, keys: Ragged) -> list[int]:
    """For each word the word that it is aligned with, or -1, in an alignment with the most matches and fewest chunks.

    The kernels mostly have one, and where they had to search, only its numbers. Then a link is tried, word by word:
    where the numbers stay the same with that link alone, it is part of an alignment that is as good.
    """
    own, there = batch.candidates[0], batch.references[0]
    words = [keys[word].tolist() for word in (*own.tolist(), *there.tolist())]  # a word a place
    size, fresh = len(own), int(keys.values.max(initial=-1)) + 1
    best, partners = _aligned(words, size)
    if len(runs([(i, j) for i, j in enumerate(partners) if j >= 0], [""] * size)) == best[1]:
        return partners
    if best[2]:
        raise LookupError  # in long texts the search is not complete, and its numbers may change
    found: list[int] = []
    for i in range(size):
        before = found[-1] + 1 if found and found[-1] >= 0 else 0
        links = [j for j in range(len(there)) if set(words[i]) & set(words[size + j])]
        for j in sorted(links, key=lambda j: (j != before, j)):
            tried = list(words)
            tried[i] = tried[size + j] = [fresh + i]
            if (_aligned(tried, size)[0] == best).all():
                break
        else:
            tried, j = [*words[:i], [], *words[i + 1 :]], -1
        words = tried
        found.append(j)
    return found


def _aligned(words: Sequence[Sequence[int]], size: int) -> tuple[np.ndarray, list[int]]:
    """[matches, chunks, whether that is sure] of texts whose words have these keys, and a largest matching."""
    numbers = np.arange(len(words), dtype=np.int32)
    texts = Ragged(numbers[:size], np.array([0, size])), Ragged(numbers[size:], np.array([0, len(words) - size]))
    offsets = np.cumsum([0, *map(len, words)]).astype(np.intp)
    keys = Ragged(np.array([key for own in words for key in own], np.int32), offsets)
    batch = Batch(*texts, Groups.of_one(1), Groups.of_one(1), Vocabulary())
    counts, partners = align_words(Pairs(batch), [keys], crossings=False)
    return counts[0], partners.tolist()
