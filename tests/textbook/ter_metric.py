"""TER on lists of words, from its rules: a table in a band, a trace through it, and every shift tried on a copy."""

import math

BEAM, LONGEST_BLOCK, FARTHEST, MOST_TRIED = 25, 10, 50, 1000


def banded_table(candidate, reference):
    """Levenshtein's table as a dictionary, without the cells outside the band."""
    table = {(0, j): j for j in range(len(reference) + 1)}
    ratio = len(reference) / len(candidate) if candidate else 1
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for i in range(1, len(candidate) + 1):
        diagonal = math.floor(i * ratio)
        last = diagonal + beam - 1 if i < len(candidate) else len(reference)
        for j in range(max(0, diagonal - beam), min(len(reference), last) + 1):
            table[i, j] = min(cost for cost, _, _ in ways(table, candidate, reference, i, j))
    return table


def ways(table, candidate, reference, i, j):
    """The ways into a cell as (cost, row, column), in the order in which they are preferred."""
    if (i - 1, j - 1) in table:
        yield table[i - 1, j - 1] + (candidate[i - 1] != reference[j - 1]), i - 1, j - 1
    if (i - 1, j) in table:
        yield table[i - 1, j] + 1, i - 1, j
    if (i, j - 1) in table:
        yield table[i, j - 1] + 1, i, j - 1


def distance(candidate, reference):
    return banded_table(candidate, reference)[len(candidate), len(reference)]


def alignment(candidate, reference):
    """For each reference word how many candidate words go before or with it; and the wrong words of both sides."""
    table = banded_table(candidate, reference)
    i, j = len(candidate), len(reference)
    before, wrong, wrong_reference = {-1: 0}, set(), set()
    while i or j:
        _, a, b = next(way for way in ways(table, candidate, reference, i, j) if way[0] == table[i, j])
        if b < j:
            before[j - 1] = i
        if table[a, b] < table[i, j]:
            wrong |= set(range(a, i))
            wrong_reference |= set(range(b, j))
        i, j = a, b
    return before, wrong, wrong_reference


def shifts(candidate, reference):
    """The shifts worth trying: (start of the block, its length, where it goes)."""
    before, wrong, wrong_reference = alignment(candidate, reference)
    for start in range(len(candidate)):
        for place in range(len(reference)):
            for length in range(1, LONGEST_BLOCK + 1):
                block, there = range(start, start + length), range(place, place + length)
                if candidate[start : start + length] != reference[place : place + length] or block.stop > len(
                    candidate
                ):
                    break
                if abs(start - place) > FARTHEST or wrong.isdisjoint(block) or wrong_reference.isdisjoint(there):
                    continue
                if before[place] - 1 in block:
                    continue
                for target in sorted({before[word] for word in (place - 1, *there)}):
                    yield start, length, target


def shifted(candidate, start, length, target):
    block, rest = candidate[start : start + length], candidate[:start] + candidate[start + length :]
    if target > start + length:  # a target within the block, or right behind it, counts from the block's start
        target -= length
    return rest[:target] + block + rest[target:]


def edits(candidate, reference):
    if not reference:
        return len(candidate)
    made = tried = 0
    while True:
        now = distance(candidate, reference)
        listed = list(shifts(candidate, reference))
        tried += len(listed)
        if tried >= MOST_TRIED:
            return made + now
        results = [
            (now - distance(shifted(candidate, *shift), reference), shift[1], -shift[0], -shift[2], shift)
            for shift in listed
        ]
        gain, *_, best = max(results, default=(0, None))
        if gain <= 0:
            return made + now
        candidate = shifted(candidate, *best)
        made += 1


def statistics(candidate, references):
    fewest = min(edits(candidate, reference) for reference in references)
    return fewest, sum(map(len, references)) / len(references)


def ter(segments):
    """segments: pairs of a candidate and its references."""
    total, words = (sum(column) for column in zip(*(statistics(*segment) for segment in segments), strict=True))
    return total / words if words else min(total, 1.0)
