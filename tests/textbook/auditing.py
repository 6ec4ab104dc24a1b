"""The five checks of an audit, written down from definitions.md (section 6) and Chiang et al. (2008) with plain loops.

`systems` is a list with the rows of each system, `good` a function from summed rows to a number that is higher for
better outputs, `small` what counts as rounding.
"""

from itertools import combinations, islice

from tests.textbook.paired_tests import sign_test, total
from tests.textbook.resampling import mix, splitmix64


def drawn(n, seed, draw, size):
    """A set of segments: those with the lowest of random words, one word a segment."""
    stream = splitmix64(mix((seed + mix((draw + 0x9E3779B97F4A7C15) % 2**64)) % 2**64))
    words = list(islice(stream, n))
    return sorted(sorted(range(n), key=lambda i: words[i])[:size])


def verdict(baseline, system, good, alpha):
    """1 if the sign test finds the system better than the baseline, -1 if worse, else 0; and each segment's sign."""
    before = good(total(baseline))
    signs = []
    for i, row in enumerate(system):
        change = good(total([*baseline[:i], row, *baseline[i + 1 :]])) - before
        signs.append(0 if abs(change) <= 1e-12 * abs(before) else 1 if change > 0 else -1)
    better, worse = signs.count(1), signs.count(-1)
    significant = sign_test(better, worse) <= alpha
    return (better > worse) - (better < worse) if significant else 0, signs


def contradictions(systems, good, alpha):
    """(one, other, segments): each is better than the other, or each is worse."""
    found = []
    for one, other in combinations(range(len(systems)), 2):
        forth, signs = verdict(systems[one], systems[other], good, alpha)
        back, signs_back = verdict(systems[other], systems[one], good, alpha)
        if forth == back != 0:
            show = [i + 1 for i, pair in enumerate(zip(signs, signs_back, strict=True)) if pair == (forth, forth)]
            found.append((one, other, show))
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


def reversals(systems, labels, good, small):
    """Strengths of all reversals: by one system, by two, and by one that is better in every single group."""
    found = {"by_one_system": [], "by_two_systems": [], "in_every_group": []}
    everywhere = range(len(systems))
    for first, second in two_parts(labels):
        for a in everywhere:
            for b in everywhere:
                for m in everywhere:
                    parts = [(a, first), (b, second)]
                    gains = [
                        good(total([systems[s][i] for i in part])) - good(total([systems[m][i] for i in part]))
                        for s, part in parts
                    ]
                    mixed = [systems[s][i] for s, part in parts for i in part]
                    strength = min(*gains, good(total(systems[m])) - good(total(mixed)))
                    if strength > small:
                        found["by_one_system" if a == b else "by_two_systems"].append(strength)
    groups = [[i for i, label in enumerate(labels) if label == name] for name in dict.fromkeys(labels)]
    for a in everywhere:
        for m in everywhere:
            gains = [
                good(total([systems[a][i] for i in group])) - good(total([systems[m][i] for i in group]))
                for group in groups
            ]
            strength = min(*gains, good(total(systems[m])) - good(total(systems[a])))
            if strength > small and len(groups) > 2:
                found["in_every_group"].append(strength)
    return found


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


def exchanges(longer, shorter, good, seed, draws):
    """The mean score of two systems whose halves are exchanged, over draws of halves and both directions."""
    n = len(longer)
    scores = []
    for draw in range(draws):
        half = set(drawn(n, seed, draw, n // 2))
        for inside, outside in ((longer, shorter), (shorter, longer)):
            scores.append(good(total([inside[i] if i in half else outside[i] for i in range(n)])))
    return sum(scores) / len(scores)


def first_half(text):
    raw = text.encode()
    end = (len(raw) + 1) // 2
    while end < len(raw) and raw[end] & 0xC0 == 0x80:
        end += 1
    return raw[:end].decode()


def doubled(text):
    return f"{text} {text}"
