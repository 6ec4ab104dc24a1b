"""The searches of explanations, against slow ones that keep whole tables."""

from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from tarocco.explanation.matching import (
    find_edits,
    find_subsequence,
    find_weighted_subsequence,
    match_greedy_runs,
)

WORDS = st.lists(st.integers(0, 4), max_size=24)


def edits_by_table(candidate, reference):
    """Return (steps down, steps right, places): equal beginnings and ends match, and deletions are tried first."""
    prefix = common(candidate, reference)
    suffix = common(candidate[prefix:][::-1], reference[prefix:][::-1])
    costs = {}
    for i in range(prefix, len(candidate) - suffix + 1):
        for j in range(prefix, len(reference) - suffix + 1):
            steps = [costs[i, j - 1] + 1] if j > prefix else []
            steps += [costs[i - 1, j] + 1] if i > prefix else []
            if i > prefix and j > prefix:
                steps.append(costs[i - 1, j - 1] + (candidate[i - 1] != reference[j - 1]))
            costs[i, j] = min(steps, default=0)
    i, j = len(candidate) - suffix, len(reference) - suffix
    path = [(1, 1, i + k, j + k) for k in reversed(range(suffix))]
    while i > prefix or j > prefix:
        if j > prefix and costs[i, j] == costs[i, j - 1] + 1:
            j -= 1
            path.append((0, 1, i, j))
        elif j == prefix or costs[i - 1, j] < costs[i - 1, j - 1]:
            i -= 1
            path.append((1, 0, i, j))
        else:
            i, j = i - 1, j - 1
            path.append((1, 1, i, j))
    path += [(1, 1, k, k) for k in reversed(range(prefix))]
    return path[::-1]


def common(first, second):
    return next(
        (k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def subsequence_by_table(candidate, reference):
    longest = {}
    for i in range(len(candidate), -1, -1):
        for j in range(len(reference), -1, -1):
            if i == len(candidate) or j == len(reference):
                longest[i, j] = 0
            elif candidate[i] == reference[j]:
                longest[i, j] = longest[i + 1, j + 1] + 1
            else:
                longest[i, j] = max(longest[i + 1, j], longest[i, j + 1])
    pairs, i, j = [], 0, 0
    while i < len(candidate) and j < len(reference):
        if candidate[i] == reference[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i, j + 1] >= longest[i + 1, j]:
            j += 1
        else:
            i += 1
    return pairs


def weighted_by_table(candidate, reference, worth):
    values, lengths = {}, {}
    for i in range(len(candidate) + 1):
        for j in range(len(reference) + 1):
            values[i, j], lengths[i, j] = 0.0, 0
            if not (i and j):
                continue
            if candidate[i - 1] == reference[j - 1]:
                before = lengths[i - 1, j - 1]
                lengths[i, j] = before + 1
                values[i, j] = values[i - 1, j - 1] + worth(before + 1) - worth(before)
            else:
                values[i, j] = max(values[i - 1, j], values[i, j - 1])
    pairs, i, j = [], len(candidate), len(reference)
    while i and j:
        if candidate[i - 1] == reference[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif values[i - 1, j] >= values[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def runs_by_search(candidate, reference):
    equal = {(i, j) for i, word in enumerate(candidate) for j, other in enumerate(reference) if word == other}
    runs = []
    while equal:
        lengths = {}
        for i, j in sorted(equal, reverse=True):
            lengths[i, j] = lengths.get((i + 1, j + 1), 0) + 1
        length, (i, j) = max((length, pair) for pair, length in lengths.items())
        runs.append([(i + k, j + k) for k in range(length)])
        equal = {(a, b) for a, b in equal if not (i <= a < i + length or j <= b < j + length)}
    return sorted(runs)


@given(WORDS, WORDS)
@settings(max_examples=300)
def test_searches_return_what_whole_tables_return(candidate, reference):
    edits = find_edits(candidate, reference)
    path = edits_by_table(candidate, reference)
    diagonal = [(a, b) for i, j, a, b in path if i and j]
    assert edits.matches == [(a, b) for a, b in diagonal if candidate[a] == reference[b]]
    assert edits.substitutions == [(a, b) for a, b in diagonal if candidate[a] != reference[b]]
    assert edits.insertions == [a for i, j, a, _ in path if not j]
    assert edits.deletions == [b for i, j, _, b in path if not i]
    assert find_subsequence(candidate, reference) == subsequence_by_table(candidate, reference)

    def worth(length):
        return length**1.2

    weighted = find_weighted_subsequence(candidate, reference, worth)
    assert weighted == weighted_by_table(candidate, reference, worth)
    runs = match_greedy_runs(candidate, reference, [str(word) for word in candidate])
    assert [list(zip(run.candidate, run.reference, strict=True)) for run in runs] == runs_by_search(
        candidate, reference
    )


def test_memory_of_explanations_grows_slower_than_the_product_of_lengths():
    """3000 x 3000 cells took 200 MB or more. Few rows are kept now."""
    candidate, reference = [k * k % 701 for k in range(3000)], [k * k % 699 for k in range(3000)]
    for search in (find_edits, find_subsequence):
        tracemalloc.start()
        search(candidate, reference)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 20e6
