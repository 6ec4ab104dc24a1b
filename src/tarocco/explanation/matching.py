"""Matches the elements of two texts: bags of items, runs, subsequences, edits, TER's shifts and METEOR's alignment.

The metrics' kernels compute only numbers. The functions here find one way to reach them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heapreplace
from itertools import combinations, pairwise, takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch, Groups
from tarocco.encode.vocabulary import Ragged, Vocabulary
from tarocco.explanation.records import Element
from tarocco.metrics.edit.ter import edits_and_words
from tarocco.metrics.meteor import Alignments, Meteor, align_words, merge_stages
from tarocco.metrics.text_pairs import Comparison, TextPairs

Words = Sequence[int]  # ids of words
Pair = tuple[int, int]  # places of a word in the candidate and in the reference

_LONGEST_BLOCK = 10  # words that TER shifts
_MOST_MOVED = 1 << 21  # words of all texts that are one shift away: some seconds, for a text of about ninety words


# --- bags of items -------------------------------------------------------------------------------------------------


class Item(NamedTuple):
    """One item of a text; items with equal types and keys are equal."""

    type: str
    key: Hashable
    text: str
    places: tuple[int, ...]
    above: bool = False


def match_items(candidate: Iterable[Item], reference: Iterable[Item]) -> list[Element]:
    """Match two bags of items, type by type: items in the candidate's order, then those of the reference alone."""
    return match_clipped(list(candidate), [list(reference)])


def match_clipped(candidate: Sequence[Item], references: Sequence[Sequence[Item]]) -> list[Element]:
    """Match each item at most as often as some single reference has it.

    With one reference, the result also has the items that only the reference has.
    """
    by_key: list[dict[tuple[str, Hashable], list[Item]]] = []
    for items in references:
        by_key.append(defaultdict(list))
        for item in items:
            by_key[-1][item.type, item.key].append(item)
    seen: dict[tuple[str, Hashable], int] = defaultdict(int)
    elements = []
    for item in candidate:
        key = item.type, item.key
        element = Element(item.type, item.text, item.places, above=item.above)
        for number, of_reference in enumerate(by_key):
            if len(of_reference.get(key, ())) > seen[key]:
                partner = of_reference[key][seen[key]]
                element = replace(element, reference=partner.places, matched=True, of=number)
                break
        seen[key] += 1
        elements.append(element)
    if len(references) == 1:
        left = dict(seen)
        for item in references[0]:
            key = item.type, item.key
            if left.get(key, 0) > 0:
                left[key] -= 1
            else:
                elements.append(Element(item.type, item.text, reference=item.places, above=item.above))
    types = dict.fromkeys(item.type for items in (candidate, *references) for item in items)
    order = {kind: place for place, kind in enumerate(types)}
    return sorted(elements, key=lambda element: order[element.type])


def list_ngrams(words: Words, spelled: Sequence[str], orders: Iterable[int]) -> list[Item]:
    """Return the n-grams of a text, order by order."""
    return [
        Item(
            f"{order}-gram",
            tuple(words[start : start + order]),
            " ".join(spelled[start : start + order]),
            tuple(range(start, start + order)),
        )
        for order in orders
        for start in range(len(words) - order + 1)
    ]


def list_skip_bigrams(words: Words, spelled: Sequence[str], gap: int | None) -> Iterator[Item]:
    """Yield pairs of words in order with at most `gap` words between them."""
    for i, j in combinations(range(len(words)), 2):
        if gap is None or j - i - 1 <= gap:
            separator = " .. " if j - i > 1 else " "
            yield Item("skip-bigram", (words[i], words[j]), f"{spelled[i]}{separator}{spelled[j]}", (i, j))


def list_words(words: Words, spelled: Sequence[str]) -> list[Item]:
    """Return the words of a text as items."""
    return [Item("word", word, spelled[place], (place,)) for place, word in enumerate(words)]


# --- runs and subsequences -----------------------------------------------------------------------------------------


def find_runs(pairs: Sequence[Pair], spelled: Sequence[str]) -> list[Element]:
    """Join matched pairs that are adjacent on both sides into runs."""
    runs: list[list[Pair]] = []
    for i, j in pairs:
        if runs and runs[-1][-1] == (i - 1, j - 1):
            runs[-1].append((i, j))
        else:
            runs.append([(i, j)])
    return [_make_run(run, spelled) for run in runs]


def _make_run(pairs: Sequence[Pair], spelled: Sequence[str]) -> Element:
    candidate, reference = zip(*pairs, strict=True)
    return Element("run", " ".join(spelled[place] for place in candidate), candidate, reference, matched=True)


def match_greedy_runs(candidate: Words, reference: Words, spelled: Sequence[str]) -> list[Element]:
    """Take the longest run of free words repeatedly, as GTM does; ties go to the later run in the candidate."""
    places: dict[int, list[int]] = defaultdict(list)
    for j, word in enumerate(reference):
        places[word].append(j)
    queue: list[tuple[int, int, int]] = []  # minus the length of the run that begins at a pair, and minus the pair
    longer: dict[int, int] = {}  # of the runs that begin at the next word of the candidate, by place in the reference
    for i in reversed(range(len(candidate))):
        longer = {j: longer.get(j + 1, 0) + 1 for j in places.get(candidate[i], ())}
        queue += [(-length, -i, -j) for j, length in longer.items()]
    heapify(queue)
    free, free_reference = [True] * len(candidate), [True] * len(reference)
    runs: list[list[Pair]] = []
    while queue:
        length, i, j = (-number for number in queue[0])
        left = 0  # of the run, before the first word that another run has taken
        while left < length and free[i + left] and free_reference[j + left]:
            left += 1
        if left < length:
            heapreplace(queue, (-left, -i, -j)) if left else heappop(queue)
            continue
        heappop(queue)
        runs.append([(i + k, j + k) for k in range(length)])
        free[i : i + length] = free_reference[j : j + length] = [False] * length
    return [_make_run(pairs, spelled) for pairs in sorted(runs)]


class RowTable:
    """The rows of a dynamic program, of which few are kept: the others are computed again, a stretch at a time.

    `step` returns row i from row i - 1. Rows must be read from the last to the first.
    """

    def __init__(self, first: NDArray[Any], rows: int, step: Callable[[int, NDArray[Any]], NDArray[Any]]) -> None:
        self.step, self.apart = step, math.isqrt(rows) + 1
        self.kept, self.stretch = [first], {rows + 1: first}
        row = first
        for i in range(1, rows + 1):
            row = step(i, row)
            if i % self.apart == 0:
                self.kept.append(row)

    def __getitem__(self, i: int) -> NDArray[Any]:
        if i not in self.stretch:
            start = i // self.apart
            row = self.kept[start]
            self.stretch = {start * self.apart: row}
            for k in range(start * self.apart + 1, i + 1):
                self.stretch[k] = row = self.step(k, row)
        return self.stretch[i]


def find_subsequence(candidate: Words, reference: Words) -> list[Pair]:
    """Return a longest common subsequence; of several, the one whose words come earliest in the candidate."""
    rows, columns = len(candidate), len(reference)
    words = np.asarray(reference)[::-1]

    def extend(i: int, after: NDArray[Any]) -> NDArray[Any]:
        # Row i is about the last i words of the candidate, column j about the last j of the reference.
        row = after.copy()
        row[1:] = np.maximum(after[1:], (after[:-1] + 1) * (words == candidate[rows - i]))
        return np.maximum.accumulate(row)

    longest = RowTable(np.zeros(columns + 1, np.int32), rows, extend)
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if candidate[i] == reference[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[rows - i][columns - j - 1] >= longest[rows - i - 1][columns - j]:
            j += 1
        else:
            i += 1
    return pairs


def find_weighted_subsequence(candidate: Words, reference: Words, worth: Callable[[int], float]) -> list[Pair]:
    """Return the pairs that the recurrence of Lin and Och (2004) takes: every match, with longer runs worth more."""
    rows, columns = len(candidate), len(reference)
    words = np.asarray(reference)
    worths = np.array([worth(length) for length in range(min(rows, columns) + 1)])

    def extend(i: int, before: NDArray[Any]) -> NDArray[Any]:
        """Return [values, lengths of runs]; a match is taken even where skipping it would be worth more."""
        row = np.zeros((2, columns + 1))
        same = words == candidate[i - 1]
        row[1, 1:] = np.where(same, before[1, :-1] + 1, 0)
        row[0, 1:] = before[0, 1:]
        matched = np.flatnonzero(same) + 1
        length = before[1, matched - 1].astype(np.intp)
        row[0, matched] = before[0, matched - 1] + worths[length + 1] - worths[length]
        for first, last in pairwise([0, *matched.tolist(), columns + 1]):
            np.maximum.accumulate(row[0, first:last], out=row[0, first:last])
        return row

    table = RowTable(np.zeros((2, columns + 1)), rows, extend)
    pairs, i, j = [], rows, columns
    while i and j:
        if candidate[i - 1] == reference[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif table[i][0, j - 1] <= table[i - 1][0, j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


# --- edits ---------------------------------------------------------------------------------------------------------


class Edits(NamedTuple):
    """An alignment with the fewest edits."""

    matches: list[Pair]
    substitutions: list[Pair]
    insertions: list[int]  # places in the candidate
    deletions: list[int]  # places in the reference

    @property
    def number(self) -> int:
        """The number of edits."""
        return len(self.substitutions) + len(self.insertions) + len(self.deletions)


def find_edits(candidate: Words, reference: Words) -> Edits:
    """Return the edits that turn the reference into the candidate, as kernels/alignment.py chooses them."""
    prefix = _count_common(candidate, reference)
    suffix = _count_common(candidate[prefix:][::-1], reference[prefix:][::-1])
    i, j = len(candidate) - suffix, len(reference) - suffix
    costs = _edit_costs(candidate[prefix:i], reference[prefix:j])
    pairs = [(i + k, j + k) for k in reversed(range(suffix))]
    insertions, deletions = [], []
    while i > prefix or j > prefix:
        row, column = i - prefix, j - prefix
        here = costs[row]
        if column and here[column] == here[column - 1] + 1:
            j -= 1
            deletions.append(j)
        elif not column or costs[row - 1][column] < costs[row - 1][column - 1]:
            i -= 1
            insertions.append(i)
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    pairs += [(k, k) for k in reversed(range(prefix))]
    matches = [(a, b) for a, b in reversed(pairs) if candidate[a] == reference[b]]
    substitutions = [(a, b) for a, b in reversed(pairs) if candidate[a] != reference[b]]
    return Edits(matches, substitutions, insertions[::-1], deletions[::-1])


def _count_common(first: Words, second: Words) -> int:
    """Return the number of words that two texts have in common at the beginning."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return sum(1 for _ in same)


def _edit_costs(candidate: Words, reference: Words) -> RowTable:
    """Return the edit distances of all beginnings, one row per beginning of the candidate."""
    words, inserted = np.asarray(reference), np.arange(len(reference) + 1)

    def extend(i: int, before: NDArray[Any]) -> NDArray[Any]:
        row = before + 1
        row[1:] = np.minimum(row[1:], before[:-1] + (words != candidate[i - 1]))
        costs: NDArray[Any] = np.minimum.accumulate(row - inserted) + inserted
        return costs

    return RowTable(inserted, len(candidate), extend)


def edit_elements(
    edits: Edits,
    candidate: Sequence[str],
    reference: Sequence[str],
    blocks: Sequence[Sequence[int]] = (),
    order: Sequence[int] | None = None,
) -> list[Element]:
    """Return shifted blocks and edits as elements; `order` lists the candidate's words after the shifts."""
    places = range(len(candidate)) if order is None else order
    moved = {place for block in blocks for place in block}
    elements = [Element("shift", " ".join(candidate[place] for place in block), tuple(block)) for block in blocks]
    elements += [
        Element("match", reference[j], (places[i],), (j,), True, "shifted" if places[i] in moved else "")
        for i, j in edits.matches
    ]
    elements += [
        Element("substitution", f"{candidate[places[i]]} for {reference[j]}", (places[i],), (j,))
        for i, j in edits.substitutions
    ]
    elements += [Element("insertion", candidate[places[i]], (places[i],)) for i in edits.insertions]
    return elements + [Element("deletion", reference[j], reference=(j,)) for j in edits.deletions]


# --- TER's shifts --------------------------------------------------------------------------------------------------


def find_shifts(batch: Batch) -> tuple[list[list[int]], list[int]]:
    """Return TER's shifts, each as places of the candidate's words, and the order of the words after all shifts.

    The kernel computes the number of edits and the shifted text. A shift is right if the shifted text needs one edit
    less and leads to the same text. Of several, the kernel's rule prefers the fewest edits without further shifts, then
    the longest block, the earliest one, and the target farthest to the left. Raises LookupError if there are too many
    shifts to try, or if the kernel, which searches only a band of long texts, arrives at another number.
    """
    words, reference = batch.candidates[0].tolist(), batch.references[0].tolist()
    order: list[int] = list(range(len(words)))
    shifts: list[list[int]] = []
    if not words or not reference:
        return shifts, order
    total, end = _shift_all(batch, words)
    now = find_edits(words, reference).number
    while [words[place] for place in order] != end:
        text = [words[place] for place in order]
        better = _find_better(batch, text, reference, now)
        right = (move for move in better if _shift_all(batch, [text[i] for i in move[3]]) == (total - 1, end))
        shift = next(right, None)
        if shift is None:
            raise LookupError
        now, length, start, permutation = shift
        shifts.append(order[start : start + length])
        order = [order[i] for i in permutation]
        total -= 1
    if now != total:
        raise LookupError
    return shifts, order


def _find_better(batch: Batch, text: Words, reference: Words, now: int) -> list[tuple[int, int, int, list[int]]]:
    """Return the shifts that leave fewer edits than now, preferred ones first: edits, length, start, order."""
    moves = _list_moves(text, reference)
    shifted = with_candidates(batch, [[text[i] for i in permutation] for *_, permutation in moves])
    distances = Comparison(shifted).distances.tolist()
    ranked = sorted(
        (left, -length, start, target, permutation)
        for left, (start, length, target, permutation) in zip(distances, moves, strict=True)
        if left < now
    )
    return [(left, -length, start, permutation) for left, length, start, _, permutation in ranked]


def _list_moves(text: Words, reference: Words) -> list[tuple[int, int, int, list[int]]]:
    """Return every move of a block that the reference has: start, length, target, and the new order."""
    places = range(len(text))
    known = {tuple(reference[i : i + n]) for n in range(1, _LONGEST_BLOCK + 1) for i in range(len(reference))}
    blocks = [
        (start, length)
        for start in places
        for length in range(1, min(_LONGEST_BLOCK, len(text) - start) + 1)
        if tuple(text[start : start + length]) in known
    ]
    if len(blocks) * len(text) ** 2 > _MOST_MOVED:
        raise LookupError
    moves = []
    for start, length in blocks:
        block, rest = places[start : start + length], [*places[:start], *places[start + length :]]
        moves += [
            (start, length, target, [*rest[:target], *block, *rest[target:]])
            for target in range(len(rest) + 1)
            if target != start
        ]
    return moves


def _shift_all(batch: Batch, words: Words) -> tuple[int, list[int]]:
    """Return the number of shifts and edits that a text needs, and its words after the shifts."""
    counts, texts = edits_and_words(with_candidates(batch, [words]))
    return int(counts[0]), texts[: len(words)].tolist()


def with_candidates(batch: Batch, texts: Sequence[Words]) -> Batch:
    """Return a batch of one segment with these candidates."""
    values = np.array([word for text in texts for word in text], np.int32)
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.intp)
    groups = Groups.of_one(len(texts)), batch.reference_groups
    return Batch(Ragged(values, offsets), batch.references, *groups, batch.vocabulary)


# --- METEOR's alignment --------------------------------------------------------------------------------------------


def align_meteor(metric: Meteor, batch: Batch, candidate: Sequence[str], reference: Sequence[str]) -> list[Element]:
    """Return the words, each matched one with the first stage at which it matches, and the chunks."""
    stages = tuple(metric.stages.split("+"))
    measured = Alignments(batch)
    keys = measured.keys(stages, metric.stemmer)
    if metric.variant == "1.5":
        partners = _align_with_fewest_chunks(batch, merge_stages(keys))
    else:
        partners = align_words(measured.pairs, keys, crossings=True)[1].tolist()
    ids, reference_ids = batch.candidates[0].tolist(), batch.references[0].tolist()
    pairs = [(i, j) for i, j in enumerate(partners) if j >= 0]
    elements = []
    for i, j in enumerate(partners):
        if j < 0:
            elements.append(Element("word", candidate[i], (i,)))
            continue
        word, partner = ids[i], reference_ids[j]
        how = next(stage for stage, of_stage in zip(stages, keys, strict=True) if _share_key(of_stage, word, partner))
        text = candidate[i] if candidate[i] == reference[j] else f"{candidate[i]} = {reference[j]}"
        elements.append(Element("word", text, (i,), (j,), matched=True, how=how))
    matched = {j for _, j in pairs}
    elements += [Element("word", reference[j], reference=(j,)) for j in range(len(reference_ids)) if j not in matched]
    return elements + [replace(run, type="chunk") for run in find_runs(pairs, candidate)]


def _share_key(keys: Ragged, word: int, other: int) -> bool:
    return word == other or bool(np.intersect1d(keys[word], keys[other]).size)


def _align_with_fewest_chunks(batch: Batch, keys: Ragged) -> list[int]:
    """Return the partner of each word, or -1, in an alignment with the most matches and the fewest chunks.

    The kernel returns such an alignment unless it had to search; then it returns only its numbers. In that case, each
    possible link is tried: if the numbers stay the same with that link alone, it belongs to an equally good alignment.
    """
    candidate, reference = batch.candidates[0], batch.references[0]
    words = [keys[word].tolist() for word in (*candidate.tolist(), *reference.tolist())]  # keys of each word
    size, fresh = len(candidate), int(keys.values.max(initial=-1)) + 1
    best, partners = _count_alignment(words, size)
    if len(find_runs([(i, j) for i, j in enumerate(partners) if j >= 0], [""] * size)) == best[1]:
        return partners
    if best[2]:
        raise LookupError  # the search is incomplete in long texts, so its numbers may change
    links: list[int] = []
    for i in range(size):
        following = links[-1] + 1 if links and links[-1] >= 0 else 0
        possible = [j for j in range(len(reference)) if set(words[i]) & set(words[size + j])]
        for j in sorted(possible, key=lambda j: (j != following, j)):
            tried = list(words)
            tried[i] = tried[size + j] = [fresh + i]
            if (_count_alignment(tried, size)[0] == best).all():
                break
        else:
            tried, j = [*words[:i], [], *words[i + 1 :]], -1
        words = tried
        links.append(j)
    return links


def _count_alignment(words: Sequence[Sequence[int]], size: int) -> tuple[np.ndarray, list[int]]:
    """Return [matches, chunks, whether the search was cut] for texts whose words have these keys, and a matching."""
    numbers = np.arange(len(words), dtype=np.int32)
    texts = Ragged(numbers[:size], np.array([0, size])), Ragged(numbers[size:], np.array([0, len(words) - size]))
    offsets = np.cumsum([0, *map(len, words)]).astype(np.intp)
    keys = Ragged(np.array([key for of_word in words for key in of_word], np.int32), offsets)
    batch = Batch(*texts, Groups.of_one(1), Groups.of_one(1), Vocabulary())
    counts, partners = align_words(TextPairs(batch), [keys], crossings=False)
    return counts[0], partners.tolist()
