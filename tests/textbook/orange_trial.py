"""ORANGE as Lin and Och (2004) and the definitions have it, written to be read: lists of words, no cleverness.

A scorer is a function from a candidate and its references (words) to a score, higher is better, or None.
"""

EQUAL = 1e-12
TIES = {"best": 0.0, "average": 0.5, "worst": 1.0}


def level(a, b, largest):
    return a == b or abs(a - b) <= EQUAL * largest


def largest_of(scores):
    return max([abs(score) for score in scores], default=0)


def rank_among(score, others, ties, largest):
    """1 for the best; a share of those that are level counts as better."""
    better = sum(other > score and not level(other, score, largest) for other in others)
    equal = sum(level(other, score, largest) for other in others)
    return 1 + better + TIES[ties] * equal


def mean(scores):
    """Of those that exist."""
    there = [score for score in scores if score is not None]
    return sum(there) / len(there) if there else None


def scores_of(candidates, references, scorer, against):
    """The scores of the candidates, and of the references against each other."""
    without = [references[:k] + references[k + 1 :] for k in range(len(references))]
    own = [scorer(reference, others) for reference, others in zip(references, without, strict=True)]
    if against == "all":
        return [scorer(candidate, references) for candidate in candidates], own
    return [mean([scorer(candidate, others) for others in without]) for candidate in candidates], own


def oracle_rank(candidates, references, oracle, ties, length):
    """From scores to the rank of the oracle among the first so many candidates; None where a score is missing.

    References that have no score leave the mean; of candidates all must have one.
    """
    references = [score for score in references if score is not None]
    if None in candidates or not references:
        return None
    oracles = [mean(references)] if oracle == "average-score" else references
    largest = largest_of(candidates + oracles)
    candidates = candidates[:length]
    if oracle == "average-score":
        return rank_among(oracles[0], candidates, ties, largest)
    references, ranks = oracles, []
    for k, own in enumerate(references):
        others = references[:k] + references[k + 1 :] if oracle == "combined" else []
        ranks.append(rank_among(own, candidates + others, ties, largest))
    return sum(ranks) / len(ranks)


def ranks_of(scores):
    """1 for the highest; equal ones share the mean of their ranks."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    groups = []
    for i in order:
        if groups and level(scores[groups[-1][-1]], scores[i], largest_of(scores)):
            groups[-1].append(i)
        else:
            groups.append([i])
    ranks, before = {}, 0
    for group in groups:
        for i in group:
            ranks[i] = before + (len(group) + 1) / 2
        before += len(group)
    return [ranks[i] for i in range(len(scores))]


def combined_rank(by_metric, length, oracle, ties):
    """The rank of the oracle when metrics judge together: by the mean of the ranks that they give in the whole list."""
    n = len(by_metric[0][0])
    if any(None in candidates for candidates, _ in by_metric):
        return None
    if oracle == "average-score":
        oracles = [[mean(references)] for _, references in by_metric]
    else:
        oracles = [references for _, references in by_metric]
    all_have = [k for k in range(len(oracles[0])) if all(own[k] is not None for own in oracles)]
    if not all_have:
        return None
    if oracle == "combined":
        meetings = [[[own[k] for k in all_have] for own in oracles]]
    else:
        meetings = [[[own[k]] for own in oracles] for k in all_have]
    found = []
    for they in meetings:
        ranks = [ranks_of(candidates + own) for (candidates, _), own in zip(by_metric, they, strict=True)]
        together = [-sum(column) / len(column) for column in zip(*ranks, strict=True)]
        kind = "combined" if oracle == "combined" else "average-rank"
        found.append(oracle_rank(together[:n], together[n:], kind, ties, length))
    return sum(found) / len(found)


def taking_part(candidates, references, n_best, unique, drop_copies):
    if drop_copies:
        candidates = [text for text in candidates if text not in references]
    if unique:
        candidates = [text for i, text in enumerate(candidates) if text not in candidates[:i]]
    return candidates[:n_best]


def trial(
    lists,
    references,
    scorers,
    against="fair",
    oracle="average-score",
    ties="average",
    short="skip",
    n_best=None,
    unique=False,
    drop_copies=False,
    lengths=(),
):
    """The ranks in each list that counts, ORANGE, the average rank and the curve; several scorers judge together.

    A list in which a score is missing has the rank None and leaves the means; where all have, there are no means.
    """
    cases = []
    for texts, own in zip(lists, references, strict=True):
        left = taking_part(texts, own, n_best, unique, drop_copies)
        if len(own) > 1 and left:
            cases.append((left, own, len(texts)))
    if short == "skip" and n_best:
        cases = [case for case in cases if len(case[0]) >= n_best]
    elif short == "skip":  # what the lists were before something was taken out
        cases = [case for case in cases if case[2] == max(size for *_, size in cases)]
    if not cases:
        return None
    cases = [(left, own) for left, own, _ in cases]
    longest = n_best or max(len(left) for left, _ in cases)

    def ranks(length):
        found = []
        for left, own in cases:
            words, others = [text.split() for text in left], [text.split() for text in own]
            by_metric = [scores_of(words, others, scorer, against) for scorer in scorers]
            k = min(length, len(left))
            if len(scorers) > 1:
                found.append((combined_rank(by_metric, k, oracle, ties), k))
            else:
                found.append((oracle_rank(*by_metric[0], oracle, ties, k), k))
        return found

    def orange(ranked):
        return mean([rank and rank / (k + 1) for rank, k in ranked])

    whole = ranks(longest)
    grid = sorted({k for k in lengths if k < longest} | {longest}) if lengths else []
    return {
        "ranks": [rank for rank, _ in whole],
        "orange": orange(whole),
        "average_rank": mean([rank for rank, _ in whole]),
        "n_best": longest,
        "curve": [(k, orange(ranks(k))) for k in grid],
    }


def pooled(lists, references, labels):
    """Lists and references of the same label together, in the order of their first segment; references once each."""
    order = dict.fromkeys(labels)
    found = []
    for label in order:
        own = [i for i, one in enumerate(labels) if one == label]
        texts = [text for i in own for text in references[i]]
        if len(own) > 1:
            texts = [text for i, text in enumerate(texts) if text not in texts[:i]]
        found.append(([text for i in own for text in lists[i]], texts))
    return [one for one, _ in found], [texts for _, texts in found]
