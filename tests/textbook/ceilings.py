"""Agreement of people among themselves, and of people with a metric's differences, from the definitions."""

from itertools import permutations
from math import exp, isnan, nan


def slope_by_bisection(sizes, agreed, weights):
    """Where the derivative of the likelihood is zero; one more pair at 1 that people agree with by half."""

    def probability(x):
        return 1 / (1 + exp(-max(-500, min(500, x))))

    def gradient(b):
        pairs = zip([*sizes, 1.0], [*agreed, 0.5], [*weights, 1.0], strict=True)
        return sum(w * x * (y - probability(b * x)) for x, y, w in pairs)

    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gradient(middle) > 0 else (low, middle)
    return low


def krippendorff_alpha(units):
    """1 - observed over expected disagreement, squared differences; units are lists of numbers (NaN is missing)."""
    units = [[v for v in unit if not isnan(v)] for unit in units]
    units = [unit for unit in units if len(unit) > 1]
    values = [v for unit in units for v in unit]
    n = len(values)
    if n < 2:
        return nan
    observed = sum(sum((a - b) ** 2 for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / n
    expected = sum((a - b) ** 2 for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected if expected > 0 else nan
