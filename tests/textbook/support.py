"""Agreement of a metric with people on pairs of systems, written from the definitions, with plain loops."""

from itertools import combinations
from math import erf, isnan, nan, sqrt


def sign(x):
    return (x > 0) - (x < 0)


def p_value(differences):
    """One-sided p of a sum whose terms have random signs, by the normal approximation."""
    squares = sum(d * d for d in differences)
    if squares == 0:
        return 0.5
    return 0.5 * (1 - erf(sum(differences) / sqrt(squares) / sqrt(2)))


def spa(metric, human):
    """1 - mean |p_metric - p_human| over pairs of systems, from segments that people judged in both."""
    agreement = []
    for i, j in combinations(range(len(human)), 2):
        judged = [k for k in range(len(human[i])) if not isnan(human[i][k] - human[j][k])]
        p_metric = p_value([metric[i][k] - metric[j][k] for k in judged])
        p_human = p_value([human[i][k] - human[j][k] for k in judged])
        agreement.append(1 - abs(p_metric - p_human))
    return sum(agreement) / len(agreement)


def accuracy(metric, human):
    """The share of pairs ordered alike; ties of the metric count half, pairs that people tie do not count."""
    agreed = total = 0
    for i, j in combinations(range(len(human)), 2):
        if human[i] != human[j]:
            agreed += (1 + sign(metric[i] - metric[j]) * sign(human[i] - human[j])) / 2
            total += 1
    return agreed / total if total else nan


def segment_accuracy(metric, human):
    """The same for the outputs of each segment, all segments together."""
    agreed = total = 0
    for i, j in combinations(range(len(human)), 2):
        for k in range(len(human[i])):
            order = sign(human[i][k] - human[j][k]) if not isnan(human[i][k] - human[j][k]) else 0
            if order:
                agreed += (1 + sign(metric[i][k] - metric[j][k]) * order) / 2
                total += 1
    return agreed / total if total else nan


def step_down_max(observed, null):
    """Westfall and Young's p-values, all permutations enumerated: one-sided, the largest observed value first."""
    order = sorted(range(len(observed)), key=lambda m: -observed[m])
    adjusted, highest = {}, 0.0
    for place, m in enumerate(order):
        rest = order[place:]
        extreme = sum(max(row[k] for k in rest) >= observed[m] - 1e-12 for row in null)
        highest = max(highest, extreme / len(null))
        adjusted[m] = highest
    return [adjusted[m] for m in range(len(observed))]
