"""Subsets of references, curves over their number, and what orders contribute: one reference at a time."""

import math
from itertools import combinations

from tests.textbook.ngram_metrics import clipped, effective_length, information, ngrams
from tests.textbook.resampling import mix, splitmix64


def stream(seed, number):
    """The random words of one order of the references."""
    return splitmix64(mix((seed + mix((number + 0x9E3779B97F4A7C15) % 2**64)) % 2**64))


def first_by_word(words, available, size):
    """The references with the lowest words, in their own order."""
    by_word = sorted(available, key=lambda reference: words[reference])
    return tuple(sorted(by_word[:size]))


def subsets_of_streams(count, size, limit, seed):
    """All subsets if they are few, else the first different ones that random orders begin with."""
    everything = list(combinations(range(count), size))
    if len(everything) <= limit:
        return everything
    found, number = [], 0
    while len(found) < limit:
        words = stream(seed, number)
        subset = first_by_word([next(words) for _ in range(count)], range(count), size)
        if subset not in found:
            found.append(subset)
        number += 1
    return found


def subsets_of_segments(has, size, limit, seed):
    """has[segment]: for each stream whether the segment has it. Gives subsets, each a tuple of streams a segment."""
    if all(sum(own) == size for own in has):
        return [[tuple(r for r, there in enumerate(own) if there) for own in has]]
    found = []
    for number in range(limit):
        words = stream(seed, number)
        subset = []
        for own in has:
            random = [next(words) for _ in own]
            subset.append(first_by_word(random, [r for r, there in enumerate(own) if there], size))
        found.append(subset)
    return found


def curve(references, subsets, score, correlate, human):
    """The correlation for each subset; score(references of each segment) gives a number a system."""
    return [
        correlate(score([[own[r] for r in chosen] for own, chosen in zip(references, subset, strict=True)]), human)
        for subset in subsets
    ]


def verdict(observed, draws, wanted, quantile):
    """(kind, place of enough) of a curve: observed[k], and draws[b][k] on redrawn segments; higher is better.

    quantile(probability) is that of the distribution that standardized differences have.
    """
    if max(observed) <= 0:
        return "none", None
    last, level = len(observed) - 1, 0.05

    def low(contrast, alpha):
        values = [contrast(row) for row in draws]
        mean = sum(values) / len(values)
        error = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
        return contrast(observed) - quantile(1 - alpha) * error

    def more(a, b, alpha):
        """A share of what a gives is more than what b gives, and a gives something."""
        return low(lambda row: row[a], alpha) > 0 and low(lambda row: wanted * row[a] - row[b], alpha) > 0

    if any(more(k, last, level / last) for k in range(last)):
        return "degrades", None
    if more(last, last - 1, level):
        return "gains", None
    enough = last
    while enough > 0 and low(lambda row: row[last], level) > 0:
        if low(lambda row, k=enough - 1: row[k] - wanted * row[last], level) < 0:
            break
        enough -= 1
    return ("open", None) if enough == last else ("flat" if enough == 0 else "saturates", enough)


def nist_shares(segments, order):
    """Of NIST, a sum over orders."""
    weights = information([reference for _, references in segments for reference in references])
    terms = []
    for n in range(1, order + 1):
        hits = sum(
            weights[gram] * count
            for candidate, references in segments
            for gram, count in clipped(candidate, references, n).items()
        )
        total = sum(ngrams(candidate, n).total() for candidate, _ in segments)
        terms.append(hits / total if total else 0.0)
    return [term / sum(terms) for term in terms] if sum(terms) else None


def bleu_shares(segments, order):
    """Of ln BLEU (no smoothing), a sum over orders and the penalty, which is the last; None where there is no sum."""
    c = sum(len(candidate) for candidate, _ in segments)
    r = sum(effective_length(candidate, references, "closest") for candidate, references in segments)
    logarithms = []
    for n in range(1, order + 1):
        hits = sum(clipped(candidate, references, n).total() for candidate, references in segments)
        total = sum(ngrams(candidate, n).total() for candidate, _ in segments)
        if not hits:
            return None
        logarithms.append(math.log(hits / total) / order)
    logarithms.append(min(0.0, 1 - r / c))
    return [one / sum(logarithms) for one in logarithms] if sum(logarithms) else None
