"""Levenshtein distance (the textbook's table), bag overlap, and the error rates made of them, on lists of words."""

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
    """segments: pairs of a candidate and its references."""
    total = weight = 0.0
    for candidate, references in segments:
        rates = [(rate(errors, candidate, reference), max(len(reference), 1)) for reference in references]
        if select == "rate":
            best, length = min(rates)
        else:  # fewest errors, then the longest reference
            best, length = min(rates, key=lambda one: (round(one[0] * one[1]), -one[1]))
        if weights == "mean":
            length = max(sum(map(len, references)) / len(references), 1)
        total += best * length
        weight += length
    return total / weight
