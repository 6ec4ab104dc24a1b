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


MATCH, SUBSTITUTION, DELETION, INSERTION = range(4)


def align(candidate, reference):
    """The steps of the alignment that RapidFuzz finds: affixes match, then deletions are traced before insertions."""
    if candidate and reference and candidate[0] == reference[0]:
        return [MATCH, *align(candidate[1:], reference[1:])]
    if candidate and reference and candidate[-1] == reference[-1]:
        return [*align(candidate[:-1], reference[:-1]), MATCH]
    costs = {}
    for i in range(len(reference) + 1):
        for j in range(len(candidate) + 1):
            ways = [i + j] if not i or not j else []
            if i and j:
                ways += [costs[i - 1, j] + 1, costs[i, j - 1] + 1]
                ways.append(costs[i - 1, j - 1] + (reference[i - 1] != candidate[j - 1]))
            costs[i, j] = min(ways)
    steps, i, j = [], len(reference), len(candidate)
    while i or j:
        if i and costs[i, j] == costs[i - 1, j] + 1:
            i -= 1
            steps.append(DELETION)
        elif not i or (j and costs[i, j - 1] < costs[i - 1, j - 1]):
            j -= 1
            steps.append(INSERTION)
        else:
            i, j = i - 1, j - 1
            steps.append(MATCH if reference[i] == candidate[j] else SUBSTITUTION)
    return steps[::-1]


def count_steps(steps):
    return [steps.count(kind) for kind in (MATCH, SUBSTITUTION, DELETION, INSERTION)]
