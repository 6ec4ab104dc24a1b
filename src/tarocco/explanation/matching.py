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
from tarocco.explanation.records import Element
from tarocco.metrics.comparison import Comparison, TextPairs
from tarocco.metrics.edit.ter import edits_and_words
from tarocco.metrics.meteor import Alignments, Meteor, align_words, together


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
        partners = _fewest_chunks(batch, together(keys))
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
    counts, partners = align_words(TextPairs(batch), [keys], crossings=False)
    return counts[0], partners.tolist()


Pair = tuple[int, int]  # places of a candidate's word and of a reference's

_LONGEST_BLOCK = 10  # that TER shifts
_MOST_MOVED = 1 << 21  # words of all texts that are one shift away: some seconds, for a text of about ninety words


def runs(pairs: Sequence[Pair], spelled: Sequence[str]) -> list[Element]:
    """Matched pairs as runs: stretches in which both sides go on word by word."""
    stretches: list[list[Pair]] = []
    for i, j in pairs:
        if stretches and stretches[-1][-1] == (i - 1, j - 1):
            stretches[-1].append((i, j))
        else:
            stretches.append([(i, j)])
    return [run(stretch, spelled) for stretch in stretches]


def run(pairs: Sequence[Pair], spelled: Sequence[str], kind: str = "run") -> Element:
    """One run as an element."""
    own, there = zip(*pairs, strict=True)
    return Element(kind, " ".join(spelled[place] for place in own), own, there, matched=True)


def subsequence(candidate: Words, reference: Words) -> list[Pair]:
    """The pairs of a longest common subsequence; of several the one whose words come earliest in the candidate."""
    rows, columns = len(candidate), len(reference)
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]  # of what is left from a cell on
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            if candidate[i] == reference[j]:
                longest[i][j] = longest[i + 1][j + 1] + 1
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    found, i, j = [], 0, 0
    while i < rows and j < columns:
        if candidate[i] == reference[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i][j + 1] >= longest[i + 1][j]:
            j += 1
        else:
            i += 1
    return found


def weighted_subsequence(candidate: Words, reference: Words, worth: Callable[[int], float]) -> list[Pair]:
    """The pairs that the recurrence of Lin and Och (2004) takes: every match, a longer run being worth more."""
    rows, columns = len(candidate), len(reference)
    values = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    lengths = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            if candidate[i - 1] == reference[j - 1]:
                before = lengths[i - 1][j - 1]
                lengths[i][j] = before + 1
                values[i][j] = values[i - 1][j - 1] + worth(before + 1) - worth(before)
            else:
                values[i][j] = max(values[i - 1][j], values[i][j - 1])
    found, i, j = [], rows, columns
    while i and j:
        if candidate[i - 1] == reference[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif values[i - 1][j] >= values[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found[::-1]


class Edits(NamedTuple):
    """An alignment with the fewest edits and, of those, the most matches."""

    matches: list[Pair]
    substitutions: list[Pair]
    insertions: list[int]  # words of the candidate
    deletions: list[int]  # words of the reference

    @property
    def number(self) -> int:
        """How many there are; a match is none."""
        return len(self.substitutions) + len(self.insertions) + len(self.deletions)


def edits(candidate: Words, reference: Words) -> Edits:
    """The edits that turn the reference into the candidate."""
    rows, columns = len(candidate), len(reference)
    # (edits, minus matches), of which the least is wanted
    table = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows + 1):
        for j in range(columns + 1):
            ways = _ways(table, candidate, reference, i, j)
            table[i][j] = min(cost for cost, _, _ in ways) if ways else (0, 0)
    found, i, j = Edits([], [], [], []), rows, columns
    while i or j:
        _, a, b = next(way for way in _ways(table, candidate, reference, i, j) if way[0] == table[i][j])
        if a < i and b < j:
            (found.matches if candidate[a] == reference[b] else found.substitutions).append((a, b))
        elif a < i:
            found.insertions.append(a)
        else:
            found.deletions.append(b)
        i, j = a, b
    return Edits(found.matches[::-1], found.substitutions[::-1], found.insertions[::-1], found.deletions[::-1])


def _ways(
    table: list[list[tuple[int, int]]], candidate: Words, reference: Words, i: int, j: int
) -> list[tuple[tuple[int, int], int, int]]:
    """The ways into a cell: what it costs by then, and where it comes from."""
    ways = []
    if i and j:
        number, matches = table[i - 1][j - 1]
        same = candidate[i - 1] == reference[j - 1]
        ways.append(((number + (not same), matches - same), i - 1, j - 1))
    if i:
        ways.append(((table[i - 1][j][0] + 1, table[i - 1][j][1]), i - 1, j))
    if j:
        ways.append(((table[i][j - 1][0] + 1, table[i][j - 1][1]), i, j - 1))
    return ways


def edit_elements(
    found: Edits,
    candidate: Sequence[str],
    reference: Sequence[str],
    blocks: Sequence[Sequence[int]] = (),
    order: Sequence[int] | None = None,
) -> list[Element]:
    """Shifted blocks and edits as elements; `order` is which word of the candidate stands where after shifts."""
    places = range(len(candidate)) if order is None else order
    moved = {place for block in blocks for place in block}
    elements = [Element("shift", " ".join(candidate[place] for place in block), tuple(block)) for block in blocks]
    elements += [
        Element("match", reference[j], (places[i],), (j,), True, "shifted" if places[i] in moved else "")
        for i, j in found.matches
    ]
    elements += [
        Element("substitution", f"{candidate[places[i]]} for {reference[j]}", (places[i],), (j,))
        for i, j in found.substitutions
    ]
    elements += [Element("insertion", candidate[places[i]], (places[i],)) for i in found.insertions]
    return elements + [Element("deletion", reference[j], reference=(j,)) for j in found.deletions]


# --- shifts of blocks ----------------------------------------------------------------------------------------------


def shifts(batch: Batch) -> tuple[list[list[int]], list[int]]:
    """TER's shifts, each a list of places of the candidate's words, and the order of the words after all of them.

    The kernel says how many edits a text needs and what it makes of it by shifts. A shift is right if the shifted text
    needs one edit less and comes to the same end; of several the one that the kernel's own rule prefers is taken: the
    fewest edits without further shifts, then the longest block, the earliest, the one that goes farthest to the left.
    LookupError: in long texts the kernel looks at a band of the table alone, and can come to another number of edits;
    and there are too many shifts to try.
    """
    words, reference = batch.candidates[0].tolist(), batch.references[0].tolist()
    order: list[int] = list(range(len(words)))
    made: list[list[int]] = []
    if not words or not reference:
        return made, order
    total, end = _shifted(batch, words)
    now = edits(words, reference).number
    while [words[place] for place in order] != end:
        text = [words[place] for place in order]
        better = _better(batch, text, reference, now)
        right = (one for one in better if _shifted(batch, [text[at] for at in one[3]]) == (total - 1, end))
        found = next(right, None)
        if found is None:
            raise LookupError
        now, length, start, permutation = found
        made.append(order[start : start + length])
        order = [order[at] for at in permutation]
        total -= 1
    if now != total:
        raise LookupError
    return made, order


def _better(batch: Batch, text: Words, reference: Words, now: int) -> list[tuple[int, int, int, list[int]]]:
    """The shifts after which fewer edits are left than now, the preferred ones first: edits, length, start, order."""
    moves = _moves(text, reference)
    distances = Comparison(_many(batch, [[text[at] for at in permutation] for *_, permutation in moves])).distances
    ranked = sorted(
        (left, -length, start, target, permutation)
        for left, (start, length, target, permutation) in zip(distances.tolist(), moves, strict=True)
        if left < now
    )
    return [(left, -length, start, permutation) for left, length, start, _, permutation in ranked]


def _moves(text: Words, reference: Words) -> list[tuple[int, int, int, list[int]]]:
    """Every block that stands in the reference, moved anywhere: start, length, target, and the new order."""
    places = range(len(text))
    there = {tuple(reference[at : at + n]) for n in range(1, _LONGEST_BLOCK + 1) for at in range(len(reference))}
    blocks = [
        (start, length)
        for start in places
        for length in range(1, min(_LONGEST_BLOCK, len(text) - start) + 1)
        if tuple(text[start : start + length]) in there
    ]
    if len(blocks) * len(text) ** 2 > _MOST_MOVED:
        raise LookupError
    found = []
    for start, length in blocks:
        block, rest = places[start : start + length], [*places[:start], *places[start + length :]]
        found += [
            (start, length, target, [*rest[:target], *block, *rest[target:]])
            for target in range(len(rest) + 1)
            if target != start
        ]
    return found


def _shifted(batch: Batch, words: Words) -> tuple[int, list[int]]:
    """How many shifts and edits a text needs, and its words after the shifts."""
    counts, texts = edits_and_words(_many(batch, [words]))
    return int(counts[0]), texts[: len(words)].tolist()


def _many(batch: Batch, texts: Sequence[Words]) -> Batch:
    """The same batch with these candidates."""
    values = np.array([word for text in texts for word in text], np.int32)
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.intp)
    groups = Groups.of_one(len(texts)), batch.reference_groups
    return Batch(Ragged(values, offsets), batch.references, *groups, batch.vocabulary)
