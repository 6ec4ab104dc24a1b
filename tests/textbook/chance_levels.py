"""Chance levels of ORANGE and KING, by trying every text as the reference."""

from itertools import combinations

from tests.textbook.orange_trial import combined_rank, oracle_rank


def orange_rank(candidates, references, oracle, ties):
    """The mean rank of the oracle if any of the texts could have been the references; None where a score is missing."""
    references = [score for score in references if score is not None]
    if None in candidates or not references:
        return None
    texts = candidates + references
    ranks = []
    for chosen in combinations(range(len(texts)), len(references)):
        others = [texts[i] for i in range(len(texts)) if i not in chosen]
        ranks.append(oracle_rank(others, [texts[i] for i in chosen], oracle, ties, len(others)))
    return sum(ranks) / len(ranks)


def orange_rank_of_several(by_metric, oracle, ties):
    """The same for metrics that judge together; no score is missing."""
    n, texts = len(by_metric[0][1]), [candidates + references for candidates, references in by_metric]
    ranks = []
    for chosen in combinations(range(len(texts[0])), n):
        others = [i for i in range(len(texts[0])) if i not in chosen]
        pairs = [([scores[i] for i in others], [scores[i] for i in chosen]) for scores in texts]
        ranks.append(combined_rank(pairs, len(others), oracle, ties))
    return sum(ranks) / len(ranks)


def king(queens):
    """KING and strict KING of a case if each of its texts could have been the reference."""
    queens = [queen for queen in queens if queen is not None]
    at_least = [all(queen >= other for other in queens) for queen in queens]
    better = [all(queen > other for k, other in enumerate(queens) if k != place) for place, queen in enumerate(queens)]
    return sum(at_least) / len(queens), sum(better) / len(queens)


def difference_p_values(drawn, best, units, normal_score):
    """p-values of the differences from the best of several means, corrected for all pairs; rows are resamples.

    A difference is the mean of so many units; normal_score turns Student's t into a normal variable.
    """
    n, count = len(drawn), len(drawn[0])

    def differences(i, j):
        return [row[i] - row[j] for row in drawn]

    def spread(values):
        mean = sum(values) / len(values)
        return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5

    largest = []
    for row in range(n):
        sizes = [0.0]
        for i, j in combinations(range(count), 2):
            own = differences(i, j)
            if spread(own) > 1e-12:
                sizes.append(abs(own[row] - sum(own) / n) / spread(own))
        largest.append(max(sizes))

    def p_value(i, observed):
        error = spread(differences(i, best)) * (units / (units - 1)) ** 0.5
        score = normal_score(abs(observed) / error)
        return (1 + sum(size >= score - 1e-12 for size in largest)) / (1 + n)

    return p_value
