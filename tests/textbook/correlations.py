"""Correlations, accuracies of pairs and permutation tests by their definitions, one pair at a time."""

from fractions import Fraction
from itertools import chain, combinations
from math import fsum, isnan, nan, sqrt


def both(x, y):
    """The pairs that have two numbers."""
    return [(a, b) for a, b in zip(x, y, strict=True) if not (isnan(a) or isnan(b))]


def mean(values):
    return fsum(values) / len(values) if values else nan


def pearson(x, y):
    pairs = both(x, y)
    if len(pairs) < 3 or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
        return nan
    x, y = zip(*pairs, strict=True)
    mean_x, mean_y = mean(x), mean(y)
    up = fsum((a - mean_x) * (b - mean_y) for a, b in pairs)
    return up / sqrt(fsum((a - mean_x) ** 2 for a in x)) / sqrt(fsum((b - mean_y) ** 2 for b in y))


def mid_rank(value, values):
    return sum(other < value for other in values) + (1 + sum(other == value for other in values)) / 2


def spearman(x, y):
    pairs = both(x, y)
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    return pearson([mid_rank(a, x) for a in x], [mid_rank(b, y) for b in y])


def sign(value):
    return int(value > 0) - int(value < 0)


def kendall(x, y, variant="b"):
    pairs = both(x, y)
    n = len(pairs)
    if n < 3 or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
        return nan
    signs = [(sign(a - c), sign(b - d)) for (a, b), (c, d) in combinations(pairs, 2)]
    surplus = sum(one * other for one, other in signs)
    if variant == "a":
        return surplus / len(signs)
    if variant == "b":
        return surplus / sqrt(sum(one != 0 for one, _ in signs) * sum(other != 0 for _, other in signs))
    classes = min(len(set(side)) for side in zip(*pairs, strict=True))
    return 2 * surplus / (n**2 * (classes - 1) / classes)


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def average_defined(values):
    return mean([value for value in values if not isnan(value)])


def ungrouped(correlate, metric, human):
    return correlate(list(chain(*metric)), list(chain(*human)))


def by_system(correlate, metric, human):
    return average_defined([correlate(x, y) for x, y in zip(metric, human, strict=True)])


def by_item(correlate, metric, human):
    return by_system(correlate, columns(metric), columns(human))


def system_means(metric, human):
    """(metric, human) of each system, over the segments that both have."""
    found = []
    for x, y in zip(metric, human, strict=True):
        pairs = both(x, y)
        found.append((mean([a for a, _ in pairs]), mean([b for _, b in pairs])))
    return found


def system_level(correlate, metric, human):
    return correlate(*columns(system_means(metric, human)))


def document_scores(metric, human, documents):
    """For each document the (metric, human) of each system."""
    return [
        system_means([[row[i] for i in document] for row in metric], [[row[i] for i in document] for row in human])
        for document in documents
    ]


def pseudo_documents(correlate, metric, human, documents):
    return correlate(*columns(chain(*document_scores(metric, human, documents))))


def within_pseudo_documents(correlate, metric, human, documents):
    return average_defined([correlate(*columns(scores)) for scores in document_scores(metric, human, documents)])


def pairwise_accuracy(metric, human):
    pairs = both(metric, human)
    agreed = [sign(a - c) == sign(b - d) for (a, b), (c, d) in combinations(pairs, 2)]
    return mean(agreed)


def share_no_less(differences, masks):
    """The share of masks whose swaps leave a sum of differences that is no less than the observed one."""
    exact = [Fraction(float(difference)) for difference in differences]
    sums = [sum(-d if swapped else d for d, swapped in zip(exact, mask, strict=True)) for mask in masks]
    return mean([permuted >= sum(exact) for permuted in sums])


def soft_pairwise_accuracy(metric, human, masks):
    gaps = []
    for i, j in combinations(range(len(metric)), 2):
        four = columns([metric[i], metric[j], human[i], human[j]])
        there = [s for s, scores in enumerate(four) if not any(map(isnan, scores))]
        if there:
            p_metric, p_human = (
                share_no_less([side[i][s] - side[j][s] for s in there], [[mask[s] for s in there] for mask in masks])
                for side in (metric, human)
            )
            gaps.append(abs(p_human - p_metric))
    return 1 - mean(gaps)


def accuracy_with_ties(metric, human, epsilon):
    accuracies = []
    for x, y in zip(columns(metric), columns(human), strict=True):
        agreed = []
        for (a, b), (c, d) in combinations(both(x, y), 2):
            called = 0 if abs(a - c) <= epsilon else sign(a - c)
            agreed.append(called == sign(b - d))
        if agreed:
            accuracies.append(mean(agreed))
    return mean(accuracies)


def calibrated_ties(metric, human):
    """(accuracy, epsilon): every difference of the metric is tried."""
    tried = {0.0}
    for x, y in zip(columns(metric), columns(human), strict=True):
        tried |= {abs(a - c) for (a, _), (c, _) in combinations(both(x, y), 2)}
    found = [(accuracy_with_ties(metric, human, epsilon), epsilon) for epsilon in sorted(tried)]
    best = max(accuracy for accuracy, _ in found)
    return next(((accuracy, epsilon) for accuracy, epsilon in found if accuracy >= best - 1e-12), (nan, 0.0))
