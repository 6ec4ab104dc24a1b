"""The line search of Och (2003), the slow way: at each place, look which candidate of each list is on top."""

from fractions import Fraction
from itertools import pairwise


def chosen(lists, length):
    """For each list the first candidate whose height + length * slope is highest; lists of (height, slope)."""
    picked = []
    for lines in lists:
        values = [Fraction(height) + Fraction(length) * Fraction(slope) for height, slope in lines]
        picked.append(values.index(max(values)))
    return picked


def crossings(lists):
    """Every place where two lines of a list cross, in order; nothing changes elsewhere."""
    places = set()
    for lines in lists:
        for i, (height, slope) in enumerate(lines):
            for other_height, other_slope in lines[:i]:
                if slope != other_slope:
                    places.add((Fraction(other_height) - Fraction(height)) / (Fraction(slope) - Fraction(other_slope)))
    return sorted(places)


def between(places):
    """A place before the first, one between each two, and one behind the last."""
    if not places:
        return [Fraction(0)]
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    return [places[0] - 1, *middles, places[-1] + 1]


def best(lists, score):
    """The highest score of all choices along the line; `score` takes the chosen candidate of each list."""
    return max(score(chosen(lists, place)) for place in between(crossings(lists)))
