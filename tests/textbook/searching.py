"""Searches for a set of metrics, as one writes them down: every set looked at by itself.

`value(members)` is what a set is worth, `members` a tuple of metrics in ascending order.
"""

from itertools import combinations
from math import sqrt

from tests.textbook import qarla


def kings(near_of_segment, systems, references_of_segment, members):
    """(KING, strict KING) of a set: the mean over the segments that have a case; None without any."""
    found = []
    for near, references in zip(near_of_segment, references_of_segment, strict=True):
        queens = qarla.held_out(
            lambda a, others, near=near: qarla.queen(near, members, a, others), range(systems), references
        )
        of_segment = qarla.king_of_segment(queens)
        if of_segment is not None:
            found.append(of_segment)
    return tuple(sum(column) / len(found) for column in zip(*found, strict=True)) if found else None


def every_set(metrics, most):
    return [members for size in range(1, most + 1) for members in combinations(range(metrics), size)]


def best_of_all(value, metrics, most):
    """Of sets that are level the smaller, then the one that comes first."""
    best = None
    for members in every_set(metrics, most):
        if best is None or value(members) > value(best):
            best = members
    return best


def greedy(value, metrics):
    """The manual, section 3.3: ranked by their own KING, metrics are added only if the global KING increases."""
    ranked = sorted(range(metrics), key=lambda metric: value((metric,)), reverse=True)
    chosen = []
    for metric in ranked:
        if not chosen or value(tuple(sorted([*chosen, metric]))) > value(tuple(sorted(chosen))):
            chosen.append(metric)
    return tuple(chosen)


def forward(value, metrics):
    chosen = []
    while len(chosen) < metrics:
        left = [metric for metric in range(metrics) if metric not in chosen]
        best = max(left, key=lambda metric: value(tuple(sorted([*chosen, metric]))))
        if chosen and value(tuple(sorted([*chosen, best]))) <= value(tuple(sorted(chosen))):
            break
        chosen.append(best)
    return tuple(chosen)


def phi(first, second):
    """The phi coefficient of two lists of truth values, and the share that is alike."""
    table = {(a, b): 0 for a in (False, True) for b in (False, True)}
    for pair in zip(first, second, strict=True):
        table[pair] += 1
    both, neither = table[True, True], table[False, False]
    one, other = table[True, False], table[False, True]
    below = sqrt((both + one) * (both + other) * (neither + one) * (neither + other))
    alike = (both + neither) / len(first) if first else None
    return (both * neither - one * other) / below if below else None, alike


def average_linkage(likeness):
    """Merges (likeness, one, other) of clusters whose mean likeness over all pairs is largest; of equals the first."""
    clusters = [[i] for i in range(len(likeness))]
    merges = []
    while len(clusters) > 1:
        pairs = combinations(range(len(clusters)), 2)

        def mean(pair, clusters=clusters):
            values = [likeness[i][j] for i in clusters[pair[0]] for j in clusters[pair[1]]]
            return sum(values) / len(values)

        i, j = max(pairs, key=mean)
        merges.append((mean((i, j)), clusters[i], clusters[j]))
        clusters[i] = clusters[i] + clusters.pop(j)
    return merges
