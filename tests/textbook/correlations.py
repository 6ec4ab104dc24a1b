"""Correlations, accuracies of pairs and permutation tests by their definitions, one pair at a time."""

from fractions import Fraction
from itertools import chain, combinations, permutations
from math import erf, fsum, isnan, nan, sqrt


def both(x, y):
    """The pairs that have two numbers."""
    return [(a, b) for a, b in zip(x, y, strict=True) if not (isnan(a) or isnan(b))]


def mean(values):
    return fsum(values) / len(values) if values else nan


def pearson(x, y, least=3):
    pairs = both(x, y)
    if len(pairs) < least or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
        return nan
    x, y = zip(*pairs, strict=True)
    mean_x, mean_y = mean(x), mean(y)
    up = fsum((a - mean_x) * (b - mean_y) for a, b in pairs)
    return up / sqrt(fsum((a - mean_x) ** 2 for a in x)) / sqrt(fsum((b - mean_y) ** 2 for b in y))


def mid_rank(value, values):
    return sum(other < value for other in values) + (1 + sum(other == value for other in values)) / 2


def spearman(x, y, least=3):
    pairs = both(x, y)
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    return pearson([mid_rank(a, x) for a in x], [mid_rank(b, y) for b in y], least)


def sign(value):
    return int(value > 0) - int(value < 0)


def kendall(x, y, least=3, variant="b"):
    pairs = both(x, y)
    n = len(pairs)
    if n < least or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
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
    """Two systems in an item are enough."""
    pairs = zip(columns(metric), columns(human), strict=True)
    return average_defined([correlate(x, y, 2) for x, y in pairs])


def system_means(metric, human):
    """(metric, human) of each system, each over the segments that it has."""
    return [
        (mean([a for a in x if not isnan(a)]), mean([b for b in y if not isnan(b)]))
        for x, y in zip(metric, human, strict=True)
    ]


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
    return average_defined([correlate(*columns(scores), 2) for scores in document_scores(metric, human, documents)])


def pairwise_accuracy(metric, human):
    pairs = both(metric, human)
    agreed = [sign(a - c) == sign(b - d) for (a, b), (c, d) in combinations(pairs, 2)]
    return mean(agreed)


def share_no_less(differences, masks):
    """The share of masks whose swaps leave a sum of differences that is no less than the observed one."""
    exact = [Fraction(float(difference)) for difference in differences]
    sums = [sum(-d if swapped else d for d, swapped in zip(exact, mask, strict=True)) for mask in masks]
    return mean([permuted >= sum(exact) for permuted in sums])


def soft_pairwise_accuracy(metric, human, masks, symmetric=False):
    gaps = []
    for i, j in (permutations if symmetric else combinations)(range(len(metric)), 2):
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


def z_scored(scores):
    """float lists of systems, all together; NaN stays."""
    there = [value for row in scores for value in row if not isnan(value)]
    center = mean(there)
    spread = sqrt(mean([(value - center) ** 2 for value in there])) if there else nan
    if not spread > 1e-12 * max(map(abs, there), default=0):
        return [[0.0 * value for value in row] for row in scores]
    return [[(value - center) / spread for value in row] for row in scores]


def present_mean(row):
    return round(mean([value for value in row if not isnan(value)]), 12)


def perm_both(correlate, first, second, human, masks):
    """(lead, how many of the permutations lead or trail by no less)."""

    def lead(x, y):
        return correlate([present_mean(row) for row in x], human) - correlate([present_mean(row) for row in y], human)

    missing = [[isnan(a + b) for a, b in zip(x, y, strict=True)] for x, y in zip(first, second, strict=True)]
    first, second = (
        z_scored(
            [[nan if hole else a for a, hole in zip(*rows, strict=True)] for rows in zip(side, missing, strict=True)]
        )
        for side in (first, second)
    )
    observed = lead(first, second)
    if isnan(observed):
        return nan, nan
    null = []
    segments = len(first[0])
    for mask in masks:
        x, y = [list(row) for row in first], [list(row) for row in second]
        for place, swap in enumerate(mask):
            i, s = divmod(place, segments)
            if swap:
                x[i][s], y[i][s] = y[i][s], x[i][s]
        permuted = lead(x, y)
        null.append(0.0 if isnan(permuted) else permuted)
    return observed, count_extreme(null, observed)


def count_extreme(null, observed):
    return sum(abs(v) >= abs(observed) - 1e-10 for v in null)


def normal_p(differences):
    """One-sided p of a sum whose terms have random signs, by the normal approximation."""
    squares = fsum(d * d for d in differences)
    return 0.5 if squares == 0 else 0.5 * (1 - erf(fsum(differences) / sqrt(2 * squares)))


def normal_spa(metric, human):
    """1 - mean |p_metric - p_human| over pairs of systems that share segments."""
    gaps = []
    for i, j in combinations(range(len(metric)), 2):
        four = columns([metric[i], metric[j], human[i], human[j]])
        there = [scores for scores in four if not any(map(isnan, scores))]
        if there:
            p_metric, p_human = normal_p([a - b for a, b, _, _ in there]), normal_p([c - d for _, _, c, d in there])
            gaps.append(abs(p_metric - p_human))
    return 1 - mean(gaps)


def perm_sys_pairwise(agree, first, second, human, masks):
    """(lead, how many of the permutations lead or trail by no less); `agree` is of [systems][segments]."""

    def lead(x, y):
        return agree(x, human) - agree(y, human)

    hole = [
        [isnan(a + b + c) for a, b, c in zip(*rows, strict=True)] for rows in zip(first, second, human, strict=True)
    ]
    first, second = (
        z_scored([[nan if h else a for a, h in zip(*rows, strict=True)] for rows in zip(side, hole, strict=True)])
        for side in (first, second)
    )
    observed = lead(first, second)
    if isnan(observed):
        return nan, nan
    null = []
    for mask in masks:
        x = [b if swap else a for a, b, swap in zip(first, second, mask, strict=True)]
        y = [a if swap else b for a, b, swap in zip(first, second, mask, strict=True)]
        null.append(lead(x, y))
    return observed, count_extreme(null, observed)


def perm_input(first, second, masks):
    """The same for values of segments that are averaged; segments without both values are left out."""
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    there = [s for s, gap in enumerate(gaps) if not isnan(gap)]
    if not there:
        return nan, nan
    null = [mean([-gaps[s] if mask[s] else gaps[s] for s in there]) for mask in masks]
    return mean([gaps[s] for s in there]), count_extreme(null, mean([gaps[s] for s in there]))


def holm(p_values):
    """The smallest level at which Holm's procedure rejects each hypothesis."""
    adjusted = []
    for p in p_values:
        earlier = sorted(q for q in p_values if q <= p)
        adjusted.append(min(1.0, max(q * (len(p_values) - step) for step, q in enumerate(earlier))))
    return adjusted
