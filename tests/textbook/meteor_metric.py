"""METEOR by trying every alignment of two lists of words."""

from functools import cache
from itertools import combinations


def alignments(candidate, reference, match, fixed=()):
    """Every one-to-one alignment, as a tuple of (word, word) pairs, that has the fixed pairs."""
    used = {j for _, j in fixed}
    fixed = dict(fixed)

    def extend(i, taken):
        if i == len(candidate):
            yield ()
            return
        if i in fixed:
            for rest in extend(i + 1, taken):
                yield ((i, fixed[i]), *rest)
            return
        for j in range(len(reference)):
            if j not in taken and match(candidate[i], reference[j]):
                for rest in extend(i + 1, taken | {j}):
                    yield ((i, j), *rest)
        yield from extend(i + 1, taken)

    return list(extend(0, frozenset(used)))


def chunks(alignment):
    pairs = set(alignment)
    return sum((i - 1, j - 1) not in pairs for i, j in pairs)


def crossings(alignment):
    return sum((i - k) * (j - m) < 0 for (i, j), (k, m) in combinations(alignment, 2))


def jointly(candidate, reference, stages):
    """(matches, chunks): all stages at once, most matches, then fewest chunks."""
    found = alignments(candidate, reference, lambda one, other: any(match(one, other) for match in stages))
    matches, pieces = min((-len(one), chunks(one)) for one in found)
    return -matches, pieces


def jointly_for_longer_texts(candidate, reference, match):
    """The same, where nothing is asked twice: what is the best from word i on, if these words are used already?"""

    @cache
    def best(i, used, before):
        """(matches, followers) of the words from i on; `before` is the partner of the word before, or None."""
        if i == len(candidate):
            return 0, 0
        found = best(i + 1, used, None)
        for j in range(len(reference)):
            if j not in used and match(candidate[i], reference[j]):
                matches, followers = best(i + 1, used | {j}, j)
                found = max(found, (matches + 1, followers + (before is not None and j == before + 1)))
        return found

    matches, followers = best(0, frozenset(), None)
    return matches, matches - followers


def stage_by_stage(candidate, reference, stages):
    """(matches, chunks): each stage on what is left, most matches, fewest crossings, fewest chunks, earliest words."""
    fixed = ()
    for match in stages:
        found = alignments(candidate, reference, match, fixed)
        fixed = min(
            found,
            key=lambda one: (
                -len(one),
                crossings(one),
                chunks(one),
                [dict(one).get(i, len(reference)) for i in range(len(candidate))],
            ),
        )
    return len(fixed), chunks(fixed)


def score(matches, length, other_length, pieces, alpha, beta, gamma):
    """An exact copy has 0 pieces."""
    if not matches:
        return 0.0
    precision, recall = matches / length, matches / other_length
    mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
    return mean * (1 - gamma * (pieces / matches) ** beta if pieces else 1)


def meteor(segments, stages, align, alpha, beta, gamma):
    """(segment scores, corpus score) of pairs of a candidate and its references."""
    rows = []
    for candidate, references in segments:
        options = []
        for reference in references:
            matches, pieces = align(candidate, reference, stages)
            if pieces == 1 and matches == len(candidate) == len(reference):
                pieces = 0
            row = matches, len(candidate), len(reference), pieces
            value = score(*row, alpha, beta, gamma)
            options.append((-round(value, 12), len(reference), -matches, pieces, row))
        rows.append(min(options)[-1])
    sums = [sum(column) for column in zip(*rows, strict=True)]
    return [score(*row, alpha, beta, gamma) for row in rows], score(*sums, alpha, beta, gamma)
