"""ROUGE from its papers, on lists of words: what two texts share, recall, precision, F, and several references."""

from collections import Counter
from functools import cache
from itertools import combinations


def ngrams(words, order):
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def shared_ngrams(candidate, reference, order):
    mine, other = ngrams(candidate, order), ngrams(reference, order)
    return (mine & other).total(), mine.total(), other.total()


def subsequence(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def weighted_subsequence(a, b, worth):
    """The dynamic program of the paper: c is the score so far, w the length of the run that ends here."""
    c = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    w = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                k = w[i - 1][j - 1]
                c[i][j] = c[i - 1][j - 1] + worth(k + 1) - worth(k)
                w[i][j] = k + 1
            elif c[i - 1][j] > c[i][j - 1]:
                c[i][j] = c[i - 1][j]
            else:
                c[i][j] = c[i][j - 1]
    return c[-1][-1]


def best_weighted_subsequence(a, b, worth):
    """The most of all common subsequences: at each place skip a word of either text, or take a run of any length."""

    @cache
    def best(i, j):
        if i == len(a) or j == len(b):
            return 0.0
        found = max(best(i + 1, j), best(i, j + 1))
        k = 1
        while i + k <= len(a) and j + k <= len(b) and a[i + k - 1] == b[j + k - 1]:
            found = max(found, worth(k) + best(i + k, j + k))
            k += 1
        return found

    return best(0, 0)


def skip_bigrams(words, gap):
    pairs = combinations(range(len(words)), 2)
    return Counter((words[i], words[j]) for i, j in pairs if gap is None or j - i - 1 <= gap)


def shared_skip_bigrams(candidate, reference, gap, unigrams=False):
    mine, other = skip_bigrams(candidate, gap), skip_bigrams(reference, gap)
    if unigrams:
        mine, other = mine + ngrams(candidate, 1), other + ngrams(reference, 1)
    return (mine & other).total(), mine.total(), other.total()


def f_measure(recall, precision, beta):
    if not recall or not precision:
        return 0.0
    if beta == "inf":
        return recall
    beta = precision / recall if beta == "P/R" else float(beta)
    return (1 + beta**2) * recall * precision / (recall + beta**2 * precision)


def subsequence_places(reference, candidate):
    """The places in the reference of one longest common subsequence, traced from the ends."""
    lengths = {}
    for i in range(len(reference) + 1):
        for j in range(len(candidate) + 1):
            lengths[i, j] = subsequence(reference[:i], candidate[:j])
    places, i, j = set(), len(reference), len(candidate)
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif lengths[i, j - 1] > lengths[i - 1, j]:
            j -= 1
        else:
            i -= 1
    return places


def united_subsequences(candidate, reference):
    """(hits, words of the candidate, words of the reference) of lists of sentences."""
    mine, other = (Counter(word for sentence in text for word in sentence) for text in (candidate, reference))
    sizes, left, hits = (mine.total(), other.total()), mine & other, 0
    for sentence in reference:
        places = set().union(*(subsequence_places(sentence, one) for one in candidate))
        for place in sorted(places):
            if left[sentence[place]] > 0:
                left[sentence[place]] -= 1
                hits += 1
    return hits, *sizes


def segment_score(candidate, references, shared, beta="1", rule="best", inverse=lambda x: x, empty="zero"):
    """F of one segment; if there is nothing to compare 0, or None with empty="skip".

    shared gives (hits, the candidate's, the reference's).
    """

    def scores(hits, mine, other):
        recall, precision = (inverse(hits / total) if total else 0.0 for total in (other, mine))
        return (f_measure(recall, precision, beta), recall) if mine or other or empty == "zero" else None

    counts = [shared(candidate, reference) for reference in references]
    if rule == "pooled":
        found = scores(*map(sum, zip(*counts, strict=True)))
        return found and found[0]

    def best(of):
        existing = [one for one in (scores(*count) for count in of) if one]
        if not existing:
            return None
        if rule == "best-recall":
            return max(existing, key=lambda one: (round(one[1], 12), one[0]))[0]  # rounding must not decide
        return max(existing)[0]

    if rule == "jackknife" and len(counts) > 1:
        sets = [best(counts[:i] + counts[i + 1 :]) for i in range(len(counts))]
        sets = [one for one in sets if one is not None]
        return sum(sets) / len(sets) if sets else None
    return best(counts)
