"""GTM on lists of words: greedily, by looking for the longest run again and again, and the best matching of all."""

from functools import cache


def free_run(candidate, reference, i, j, used, used_there):
    """How many words from i and j on are equal and free."""
    length = 0
    while (
        i + length < len(candidate)
        and j + length < len(reference)
        and candidate[i + length] == reference[j + length]
        and i + length not in used
        and j + length not in used_there
    ):
        length += 1
    return length


def greedy_runs(candidate, reference):
    """The lengths of the runs, in the order in which they are taken."""
    used, used_there, runs = set(), set(), []
    while True:
        length, i, j = max(
            (
                (free_run(candidate, reference, i, j, used, used_there), i, j)
                for i in range(len(candidate))
                for j in range(len(reference))
            ),
            default=(0, 0, 0),
        )
        if not length:
            return runs
        runs.append(length)
        used |= set(range(i, i + length))
        used_there |= set(range(j, j + length))


def largest_sum(candidate, reference, exponent):
    """The largest sum of length^e over the runs of any matching; a run next to another could be one with it."""

    @cache
    def best(i, used):
        if i == len(candidate):
            return 0.0
        found = best(i + 1, used)
        for j in range(len(reference)):
            for length in range(1, free_run(candidate, reference, i, j, (), used) + 1):
                rest = best(i + length, used | frozenset(range(j, j + length)))
                found = max(found, length**exponent + rest)
        return found

    return best(0, frozenset())


def cut_to(runs, most):
    """The first runs, as many words as may count."""
    for run in runs:
        yield min(run, most)
        most -= min(run, most)


def f1(size, length, other_length):
    precision, recall = size / length if length else 0.0, size / other_length if other_length else 0.0
    return 2 * precision * recall / (precision + recall) if size else 0.0


def best_reference(candidate, references, exponent, matching="greedy"):
    """(match size, length of the candidate, length of the reference)"""
    rows = []
    for reference in references:
        total = (
            largest_sum(candidate, reference, exponent)
            if matching == "exact"
            else sum(run**exponent for run in greedy_runs(candidate, reference))
        )
        rows.append((total ** (1 / exponent), len(candidate), len(reference)))
    return max(rows, key=lambda row: (round(f1(*row), 12), -row[2]))


def joined_references(candidate, references, exponent):
    """As GTM 1.4: one text with breaks; (match size, length of the candidate, mean length of the references)"""
    together = [word for reference in references for word in [*reference, None]]
    mean = sum(map(len, references)) / len(references)
    runs = cut_to(greedy_runs(candidate, together), min(len(candidate), mean))
    return sum(run**exponent for run in runs) ** (1 / exponent), len(candidate), mean


def gtm(segments, row):
    """segments: pairs of a candidate and its references; row: one of the two above."""
    sizes, lengths, other_lengths = zip(*(row(*segment) for segment in segments), strict=True)
    return f1(sum(sizes), sum(lengths), sum(other_lengths))
