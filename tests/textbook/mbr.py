"""Minimum Bayes risk as it is defined: n times n utilities, one after the other."""

import math
from itertools import permutations, product


def softmax(scores, scale):
    top = max(scale * score for score in scores)
    odds = [math.exp(scale * score - top) for score in scores]
    return [one / sum(odds) for one in odds]


def expected(candidates, references, probabilities, utility):
    """The expected utility of each candidate: the mean over the pseudo-references for which there is one."""
    found = []
    for candidate in candidates:
        pairs = [
            (probability, utility(candidate, reference))
            for reference, probability in zip(references, probabilities, strict=True)
        ]
        known = [(probability, value) for probability, value in pairs if not math.isnan(value)]
        mass = sum(probability for probability, _ in known)
        found.append(sum(probability * value for probability, value in known) / mass if known else math.nan)
    return found


def first_best(values, tolerance=1e-12):
    """The first of those that are as good as the best; what has no value is below all."""
    values = [-math.inf if math.isnan(value) else value for value in values]
    return next(i for i, value in enumerate(values) if value >= max(values) - tolerance or value == max(values))


def ranks(values, tolerance=1e-12):
    values = [-1e9 if math.isnan(value) else value for value in values]
    return [
        1 + sum(b > a + tolerance for b in values) + (sum(abs(a - b) <= tolerance for b in values) - 1) / 2
        for a in values
    ]


def queen(candidate, texts, similarities):
    """The share of samples (r, r', r'') among other texts that the candidate passes under all similarities."""
    others = [text for text in dict.fromkeys(texts) if text != candidate]
    samples = list(product(others, permutations(others, 2)))
    passed = 0
    counted = 0
    for r, (first, second) in samples:
        tests = []
        for near in similarities:
            own, between = near(candidate, r), near(first, second)
            if not (math.isnan(own) or math.isnan(between)):
                tests.append(own >= between - 1e-12)
        counted += bool(tests)
        passed += bool(tests) and all(tests)
    return passed / counted if counted else math.nan
