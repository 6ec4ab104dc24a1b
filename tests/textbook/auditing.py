"""The five checks of an audit, written down from definitions.md (section 6) and Chiang et al. (2008) with plain loops.

`systems` is a list with the rows of each system, `good` a function from summed rows to a number that is higher for
better outputs, `small` what counts as rounding.
"""

from itertools import combinations, islice, product
from math import isfinite, sqrt

from scipy.stats import binom, norm, t

from tests.textbook.paired_tests import total
from tests.textbook.resampling import draws, mix, splitmix64


def drawn(n, seed, draw, size):
    """A set of segments: those with the lowest of random words, one word a segment."""
    stream = splitmix64(mix((seed + mix((draw + 0x9E3779B97F4A7C15) % 2**64)) % 2**64))
    words = list(islice(stream, n))
    return sorted(sorted(range(n), key=lambda i: words[i])[:size])


def jackknife(effect, units, small, strata=None):
    """The p-value of "the effect is at most 0", from effects without one unit at a time (Tukey 1958).

    `effect` is a function of the segments that are kept, `strata` gives the stratum of each unit that matters.
    """
    everything = range(len(units))
    strata = dict.fromkeys(units, 0) if strata is None else strata
    if not effect(list(everything)) > small or len(strata) < 6:
        return 1.0
    without = {unit: effect([i for i in everything if units[i] != unit]) for unit in strata}
    if not all(map(isfinite, without.values())):
        return 1.0
    variance = 0.0
    for stratum in set(strata.values()):
        own = [without[unit] for unit in strata if strata[unit] == stratum]
        variance += (len(own) - 1) / len(own) * sum((value - sum(own) / len(own)) ** 2 for value in own)
    if sqrt(variance) <= small:
        return 0.5 ** len(strata)
    return float(t.sf(effect(list(everything)) / sqrt(variance), len(strata) - len(set(strata.values()))))


def expanded_bootstrap(effect, units, small, seed, resamples):
    """The level at which the expanded percentile interval (Hesterberg 2015) of an effect ends at 0, one-sided.

    The interval's lower end for the level alpha is the quantile Phi(-sqrt(n / (n - 1)) * t(1 - alpha, n - 1)) of the
    effects in resamples. `effect` is a function of segments, which may be repeated.
    """
    names = sorted(set(units))
    n = len(names)
    if not effect(list(range(len(units)))) > small or n < 6:
        return 1.0
    not_above = 0
    for resample in range(resamples):
        chosen = [names[i] for i in draws(n, seed, resample)]
        not_above += not effect([i for unit in chosen for i in range(len(units)) if units[i] == unit]) > small
    if not_above == resamples:
        return 1.0
    quantile = norm.isf((1 + not_above) / (1 + resamples))
    return max(float(t.sf(quantile / sqrt(n / (n - 1)), n - 1)), 0.5**n)


def holm(p_values, tests):
    """Holm (1979): the smallest p-value times the number of tests, the next times one less, and so on."""
    padded = sorted([*p_values, *[1.0] * (tests - len(p_values))])
    steps = [min(1.0, (tests - i) * p) for i, p in enumerate(padded)]
    return [max(steps[: 1 + max(i for i, other in enumerate(padded) if other == p)]) for p in p_values]


def directions(one, other, good):
    """Signs of every unit, with the outputs of the second in the first, and of the first in the second."""
    both = []
    for baseline, system in ((one, other), (other, one)):
        before = good(total(baseline))
        signs = []
        for i, row in enumerate(system):
            change = good(total([*baseline[:i], row, *baseline[i + 1 :]])) - before
            signs.append(0 if abs(change) <= 1e-12 * abs(before) else 1 if change > 0 else -1)
        both.append(signs)
    return both


def contradictions(systems, good, least):
    """(one, other, size, p, segments): each is better than the other, or each is worse, by more than a majority."""
    found = []
    for one, other in combinations(range(len(systems)), 2):
        both = directions(systems[one], systems[other], good)
        counts = [(signs.count(1), signs.count(-1)) for signs in both]
        majorities = [(wins - losses) / max(1, wins + losses) for wins, losses in counts]
        size = min(map(abs, majorities))
        if majorities[0] * majorities[1] > 0 and size > least:
            tails = [binom.sf(max(pair) - 1, sum(pair), (1 + least) / 2) for pair in counts]
            way = 1 if majorities[0] > 0 else -1
            show = [i + 1 for i, pair in enumerate(zip(*both, strict=True)) if pair == (way, way)]
            found.append((one, other, size, min(1.0, 2 * max(tails)), show))
    return found


def two_parts(labels):
    """Every way to divide the labels in two."""
    names = list(dict.fromkeys(labels))
    for size in range(1, len(names)):
        for others in combinations(names[1:], size - 1):
            first = {names[0], *others}
            yield (
                [i for i, label in enumerate(labels) if label in first],
                [i for i, label in enumerate(labels) if label not in first],
            )


def reversals(systems, labels, good, least):
    """The strongest reversal of each (a, b, m): a in one part and b in the other beat m in both, and lose on the whole.

    {(a, b, m): (strength, parts)}. With a == b, the parts may also be all single groups.
    """
    found = {}
    everywhere = range(len(systems))
    names = list(dict.fromkeys(labels))
    divisions = [(list(parts), False) for parts in two_parts(labels)]
    if len(names) > 2:
        divisions.append(([[i for i, label in enumerate(labels) if label == name] for name in names], True))
    for parts, single in divisions:
        for a, b, m in product(everywhere, repeat=3):
            if single and a != b:
                continue
            chosen = [a, b] if not single else [a] * len(parts)
            strength = min(differences(systems, chosen, m, parts, good, range(len(labels))))
            if strength > least and strength > found.get((a, b, m), (0.0,))[0]:
                found[a, b, m] = (strength, parts)
    return found


def differences(systems, chosen, m, parts, good, keep):
    """What the base wins on the whole, and what the chosen ones win in each part, of the segments that are kept."""
    kept = [[i for i in part if i in keep] for part in parts]
    mixed = [systems[s][i] for s, part in zip(chosen, kept, strict=True) for i in part]
    base = [systems[m][i] for part in kept for i in part]
    k = len(systems[0][0])
    score = lambda rows: good(total(rows) if rows else [0.0] * k)  # noqa: E731
    return [score(base) - score(mixed)] + [
        score([systems[s][i] for i in part]) - score([systems[m][i] for i in part])
        for s, part in zip(chosen, kept, strict=True)
    ]


def that_show_it(systems, base, parts, good, small):
    """Segments of a reversal that are better than the base's in their part, and worse on the whole; one at a time."""
    found = []
    for system, part in zip(systems, parts, strict=True):
        for i in part:
            on_the_whole = good(total([system[j] if j == i else row for j, row in enumerate(base)]))
            in_its_part = good(total([system[j] if j == i else base[j] for j in part]))
            worse = on_the_whole - good(total(base)) < -small
            if worse and in_its_part - good(total([base[j] for j in part])) > small:
                found.append(i + 1)
    return sorted(found)


def blanked(rows, empty, chosen, good):
    """What is left of a score where some segments are empty."""
    return good(total([empty[i] if i in chosen else row for i, row in enumerate(rows)]))


def is_greedy(rows, empty, order, may, good, small):
    """Whether segments were blanked in an order that a greedy search can take, and as many as it can."""
    before = good(total(rows))
    left = [i for i in range(len(rows)) if may[i]]
    for step, taken in enumerate(order):
        after = {i: blanked(rows, empty, {*order[:step], i}, good) for i in left}
        if after[taken] < max(after.values()) - 2 * small or after[taken] < before - 2 * small:
            return False
        left.remove(taken)
    return all(blanked(rows, empty, {*order, i}, good) < before - small / 2 for i in left)


def blanked_on_average(rows, empty, share, good):
    """The score where a random share of the segments is empty, at the sums that this has on average."""
    return good([(1 - share) * own + share * other for own, other in zip(total(rows), total(empty), strict=True)])


def exchanged_on_average(one, other, good):
    """The score of a random half of one output with the rest of the other, at its average sums."""
    return good([(a + b) / 2 for a, b in zip(total(one), total(other), strict=True)])


def first_half(text):
    raw = text.encode()
    end = (len(raw) + 1) // 2
    while end < len(raw) and raw[end] & 0xC0 == 0x80:
        end += 1
    return raw[:end].decode()


def doubled(text):
    return f"{text} {text}"
