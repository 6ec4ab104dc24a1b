"""Paired tests as their papers define them: plain loops over segments, any function from summed rows to a score."""

from itertools import product
from math import comb, sqrt

from tests.textbook.resampling import draws, mix, splitmix64

CLOSE = 1e-12


def total(rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def by_document(rows, labels):
    """Add up the rows of each document, in the order in which documents first appear."""
    return [
        total([row for row, other in zip(rows, labels, strict=True) if other == label])
        for label in dict.fromkeys(labels)
    ]


def swapped_scores(baseline, system, score, bits):
    one = [a if bit else b for a, b, bit in zip(baseline, system, bits, strict=True)]
    other = [b if bit else a for a, b, bit in zip(baseline, system, bits, strict=True)]
    return score(total(one)) - score(total(other))


def extreme(null, observed, size):
    """Whether a difference is at least as large as the observed one; equal but for rounding is equal."""
    return not abs(null) < abs(observed) - CLOSE * size


def scores_of(baseline, system, score):
    first, second = score(total(baseline)), score(total(system))
    return second - first, max(abs(first), abs(second))


def exact_randomization(baseline, system, score):
    """All swaps of the units that differ."""
    observed, size = scores_of(baseline, system, score)
    differ = [i for i, (a, b) in enumerate(zip(baseline, system, strict=True)) if a != b]
    count = 0
    for chosen in product((0, 1), repeat=len(differ)):
        bits = [0] * len(system)
        for i, bit in zip(differ, chosen, strict=True):
            bits[i] = bit
        count += extreme(swapped_scores(baseline, system, score, bits), observed, size)
    return count / 2 ** len(differ)


def swapped(n, seed, permutation):
    """Which segments are swapped: a random bit each."""
    stream = splitmix64(mix((seed + mix((permutation + 0x9E3779B97F4A7C15) % 2**64)) % 2**64))
    bits = []
    while len(bits) < n:
        word = next(stream)
        bits += [word >> i & 1 for i in range(64)]
    return bits[:n]


def randomization(baseline, system, score, permutations, seed):
    observed, size = scores_of(baseline, system, score)
    count = sum(
        extreme(swapped_scores(baseline, system, score, swapped(len(system), seed, number)), observed, size)
        for number in range(permutations)
    )
    return (1 + count) / (1 + permutations)


def resampled_differences(baseline, system, score, resamples, seed):
    found = []
    for resample in range(resamples):
        chosen = draws(len(system), seed, resample)
        found.append(score(total([system[i] for i in chosen])) - score(total([baseline[i] for i in chosen])))
    return found


def bootstrap(baseline, system, score, resamples, seed):
    """The differences, shifted so that their center is zero, at least as large as the observed one."""
    observed, size = scores_of(baseline, system, score)
    found = resampled_differences(baseline, system, score, resamples, seed)
    return (1 + sum(extreme(one - observed, observed, size) for one in found)) / (1 + resamples)


def sacrebleu(baseline, system, score, resamples, seed):
    """sacrebleu's p-value: absolute differences, minus their mean, larger than the observed one."""
    observed, _ = scores_of(baseline, system, score)
    sizes = [abs(one) for one in resampled_differences(baseline, system, score, resamples, seed)]
    center = sum(sizes) / len(sizes)
    return (1 + sum(size - center > abs(observed) for size in sizes)) / (1 + resamples)


def standard_error(baseline, system, score, resamples, seed):
    found = resampled_differences(baseline, system, score, resamples, seed)
    mean = sum(found) / len(found)
    n = len(system)
    return sqrt(sum((one - mean) ** 2 for one in found) / len(found)) * sqrt(n / (n - 1))


def signs(baseline, system, score):
    """How often one unit of the system makes the baseline better, worse, or leaves it as it is."""
    before = score(total(baseline))
    counts = {"improved": 0, "worsened": 0, "unchanged": 0}
    for i, row in enumerate(system):
        after = score(total([*baseline[:i], row, *baseline[i + 1 :]]))
        close = abs(after - before) <= CLOSE * abs(before)
        counts["unchanged" if close else "improved" if after > before else "worsened"] += 1
    return counts


def at_least(wins, losses):
    """The probability of at least so many wins in fair tosses, in whole numbers."""
    n = wins + losses
    return sum(comb(n, k) for k in range(wins, n + 1)) / 2**n


def sign_test(wins, losses):
    return min(1.0, 2 * at_least(max(wins, losses), min(wins, losses)))


def sign_test_both_ways(baseline, system, score):
    """Better only if both directions say so: the larger p-value of the two, for the better of two directions."""
    forth, back = signs(baseline, system, score), signs(system, baseline, score)
    better = max(at_least(forth["improved"], forth["worsened"]), at_least(back["worsened"], back["improved"]))
    worse = max(at_least(forth["worsened"], forth["improved"]), at_least(back["improved"], back["worsened"]))
    return min(1.0, 2 * min(better, worse))


def groups(order, above):
    """Cut a ranking only where every system before the cut is significantly better than every one after it."""
    found, current = [], []
    for place, name in enumerate(order):
        if current and all((one, other) in above for one in order[:place] for other in order[place:]):
            found.append(tuple(current))
            current = []
        current.append(name)
    return (*found, tuple(current))
