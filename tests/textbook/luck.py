"""Paired tests as their papers have them: plain loops over segments, any function from summed rows to a score."""

from math import comb

from tests.textbook.resampling import draws, mix, splitmix64


def total(rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def p_value(chance, observed):
    """How often chance alone is larger, as sacrebleu and MultEval count it."""
    return (sum(one > observed for one in chance) + 1) / (len(chance) + 1)


def bootstrap(baseline, system, score, resamples, seed):
    """The p-value, and the share of resamples that the system wins."""
    observed = abs(score(total(system)) - score(total(baseline)))
    found = []
    for resample in range(resamples):
        own = draws(len(system), seed, resample)
        found.append(score(total([system[i] for i in own])) - score(total([baseline[i] for i in own])))
    sizes = [abs(one) for one in found]
    center = sum(sizes) / len(sizes)
    return p_value([size - center for size in sizes], observed), sum(one > 0 for one in found) / len(found)


def swapped(n, seed, permutation):
    """Which segments are swapped: a random bit each."""
    stream = splitmix64(mix((seed + mix((permutation + 0x9E3779B97F4A7C15) % 2**64)) % 2**64))
    bits = []
    while len(bits) < n:
        word = next(stream)
        bits += [word >> i & 1 for i in range(64)]
    return bits[:n]


def randomization(baseline, system, score, permutations, seed):
    observed = abs(score(total(system)) - score(total(baseline)))
    chance = []
    for permutation in range(permutations):
        bits = swapped(len(system), seed, permutation)
        one = [a if bit else b for a, b, bit in zip(baseline, system, bits, strict=True)]
        other = [b if bit else a for a, b, bit in zip(baseline, system, bits, strict=True)]
        chance.append(abs(score(total(one)) - score(total(other))))
    return p_value(chance, observed)


def signs(baseline, system, score):
    """How often one segment of the system makes the baseline better, worse, or leaves it as it is."""
    before = score(total(baseline))
    counts = {"better": 0, "worse": 0, "equal": 0}
    for i, row in enumerate(system):
        after = score(total([*baseline[:i], row, *baseline[i + 1 :]]))
        close = abs(after - before) <= 1e-12 * abs(before)
        counts["equal" if close else "better" if after > before else "worse"] += 1
    return counts


def sign_test(wins, losses):
    """Both tails of fair tosses, in whole numbers."""
    n, fewer = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(comb(n, k) for k in range(fewer + 1)) / 2**n)
