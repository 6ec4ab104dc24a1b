"""Levenshtein distance (the textbook's table) and its kin, and the error rates made of them, on lists of words."""

import math
from collections import Counter


def levenshtein(a, b):
    table = [[i + j if i == 0 or j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
    return table[-1][-1]


def word_errors(candidate, reference):
    return levenshtein(candidate, reference)


def position_independent_errors(candidate, reference):
    hits = (Counter(candidate) & Counter(reference)).total()
    return max(len(candidate), len(reference)) - hits


def rate(errors, candidate, reference):
    if not reference:
        return 1.0 if candidate else 0.0
    return errors(candidate, reference) / len(reference)


def error_rate(segments, errors, select="rate", weights="mean"):
    """segments: pairs of a candidate and its references; words against an empty reference are errors without weight."""
    total = weight = 0.0
    for candidate, references in segments:
        if not any(references):
            total += len(candidate)
            continue
        rates = [(rate(errors, candidate, reference), reference) for reference in references]
        if select == "rate":
            best, reference = min(rates, key=lambda one: (one[0], len(one[1])))
        else:  # fewest errors, then the longest reference
            best, reference = min(rates, key=lambda one: (errors(candidate, one[1]), -len(one[1])))
        length = sum(map(len, references)) / len(references) if weights == "mean" else len(reference)
        total += best * length
        weight += length
    return total / weight if weight else min(total, 1.0)


def jump_errors(candidate, reference):
    """CDER's distance as the paper draws it: a grid of candidate places and reference places, jumps along a row."""
    places = range(len(candidate) + 1)
    row = {place: 0 if place == 0 else 1 for place in places}
    for word in reference:
        following = {}
        for place in places:
            costs = [row[place] + 1]
            if place:
                costs += [row[place - 1] + (candidate[place - 1] != word), following[place - 1] + 1]
            following[place] = min(costs)
        row = {place: min(following[place], 1 + min(following.values())) for place in places}
    return row[len(candidate)]


def recognized(candidate, reference, order, alpha, beta):
    """The heaviest path through the automaton of Chiang et al. (2008), transition by transition."""
    states = {(0, 0): 0.0}

    def reach(where, state, value):
        where[state] = max(where.get(state, -math.inf), value)

    def deletions(where):
        for i in range(len(reference)):
            for m in range(order):
                if (i, m) in where:
                    reach(where, (i + 1, 0), where[i, m] - beta)

    deletions(states)
    for word in candidate:
        following = {}
        for (i, m), value in states.items():
            reach(following, (i, 0), value - alpha)
            if i < len(reference):
                reach(following, (i + 1, 0), value)
                if reference[i] == word:
                    reach(following, (i + 1, min(m + 1, order - 1)), value + m + 1)
        states = following
        deletions(states)
    return max(value for (i, _), value in states.items() if i == len(reference))


def recognition_rate(segments, order, alpha, beta):
    total = weight = 0.0
    for candidate, references in segments:
        if not any(references):
            total -= len(candidate)
            continue
        rates, sizes = [], []
        for reference in references:
            sizes.append(sum(max(len(reference) - j, 0) for j in range(order)))
            rates.append(recognized(candidate, reference, order, alpha, beta) / sizes[-1])
        mean = sum(sizes) / len(sizes)
        total += max(rates) * mean
        weight += mean
    return total / weight if weight else float(total == 0)


def most_matches(candidate, reference):
    """(fewest edits, most matches among alignments with so few)."""
    table = {}
    for i in range(len(candidate) + 1):
        for j in range(len(reference) + 1):
            ways = [(0, 0)] if i == j == 0 else []
            if i:
                ways.append((table[i - 1, j][0] + 1, table[i - 1, j][1]))
            if j:
                ways.append((table[i, j - 1][0] + 1, table[i, j - 1][1]))
            if i and j:
                edits, matches = table[i - 1, j - 1]
                same = candidate[i - 1] == reference[j - 1]
                ways.append((edits + (not same), matches - same))
            table[i, j] = min(ways)
    edits, matches = table[len(candidate), len(reference)]
    return edits, -matches
