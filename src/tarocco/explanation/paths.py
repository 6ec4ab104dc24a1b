"""Paths through tables: common subsequences and edits. The metrics' kernels give the last cell; here is a way there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tarocco.encode.batch import Batch, Groups
from tarocco.encode.vocabulary import Ragged
from tarocco.explanation.records import Element
from tarocco.metrics.comparison import Comparison
from tarocco.metrics.edit.ter import edits_and_words

Words = Sequence[int]
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
