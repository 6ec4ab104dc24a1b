"""QUEEN, KING and JACK as Amigo et al. (2005) and the IQmt manual define them: a loop for every quantifier.

`near(x, a, b)` is the similarity of text a to text b in a segment under metric x, or None where there is none. A test
that cannot be put is not put; a sample in which no metric puts a test is not counted.
"""

from math import nan


def passes(near, metrics, a, r, first, second):
    """Whether a is at least as near to r as two other references are, under every metric; None if no metric says."""
    said = []
    for x in metrics:
        own, other = near(x, a, r), near(x, first, second)
        if own is not None and other is not None:
            said.append(own >= other)
    return all(said) if said else None


def queen(near, metrics, a, references):
    hits = samples = 0
    for r in references:
        for first in references:
            for second in references:
                if first == second:
                    continue
                passed = passes(near, metrics, a, r, first, second)
                if passed is not None:
                    samples += 1
                    hits += passed
    return hits / samples if samples else nan


def queen_of_topics(near, segment, metrics, a, references, pairs):
    """The same by given pairs (segment, r', r'') of any segments; `near` is asked for the segment, too."""
    hits = samples = 0
    for r in references:
        for elsewhere, first, second in pairs:
            said = []
            for x in metrics:
                own, other = near(segment, x, a, r), near(elsewhere, x, first, second)
                if own is not None and other is not None:
                    said.append(own >= other)
            if said:
                samples += 1
                hits += all(said)
    return hits / samples if samples else nan


def known(numbers):
    return [number for number in numbers if number == number]


def held_out(queen_of, systems, references):
    """For each reference (its own QUEEN, the systems' QUEENs), all by the other references."""
    found = {}
    for r in references:
        others = [other for other in references if other != r]
        found[r] = queen_of(r, others), [queen_of(a, others) for a in systems]
    return found


def king_of_segment(queens):
    """(KING, strict KING) of one segment; None where no reference can be compared with a system."""
    won, strictly = [], []
    for own, others in queens.values():
        others = known(others)
        if own == own and others:
            won.append(all(own >= other for other in others))
            strictly.append(all(own > other for other in others))
    return (mean(won), mean(strictly)) if won else None


def king_of_systems(queens_of_segments, references, systems):
    """(won, strictly) of each reference, by the means of QUEEN over the segments in which there is a case."""
    found = {}
    for r in references:
        cases = [queens[r] for queens in queens_of_segments if r in queens]
        cases = [(own, others) for own, others in cases if own == own and known(others)]
        if not cases:
            continue
        own = mean([own for own, _ in cases])
        means = [known([others[a] for _, others in cases]) for a in range(systems)]
        means = [mean(of_system) for of_system in means if of_system]
        found[r] = all(own >= other - 1e-12 for other in means), all(own > other + 1e-12 for other in means)
    return found


def jack_of_segment(near, metrics, systems, references, queen_of):
    """For each reference whether it is closely and heterogeneously surrounded; None where no metric says anything."""
    close = {a: queen_of(a, references) > 0 for a in systems}
    found = {}
    for r in references:
        surrounded, heard = False, False
        for a in systems:
            for other in systems:
                if a == other:
                    continue
                said = []
                for x in metrics:
                    apart, own = near(x, a, other), near(x, a, r)
                    if apart is not None and own is not None:
                        said.append(apart <= own)
                heard = heard or bool(said)
                if close[a] and close[other] and said and all(said):
                    surrounded = True
        found[r] = surrounded if heard else None
    return found


def ulc(scores):
    """scores[x][item]: the mean over metrics of scores divided by the largest one of any item; None: no score."""
    largest = {x: max((one for one in own if one is not None), default=0) for x, own in scores.items()}
    items = len(next(iter(scores.values())))
    found = []
    for item in range(items):
        normal = [own[item] / largest[x] for x, own in scores.items() if own[item] is not None and largest[x] > 0]
        found.append(mean(normal) if normal else nan)
    return found


def mean(numbers):
    return sum(numbers) / len(numbers)
