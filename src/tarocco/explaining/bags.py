"""What two bags have in common: n-grams, skip-bigrams, words. Equal items are paired in their order.

So the matches of a type are the sum of the smaller counts, and all its elements together the sum of the larger ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from tarocco.explaining.records import Element


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
