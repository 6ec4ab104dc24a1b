"""MAXSIM's n-gram part on lists of (lemma, tag), by trying every one-to-one matching of what is left."""

from functools import cache


def take_equal(candidate, reference, key):
    """Match from left to right what has the same key; (how many, what is left of both)."""
    left, there = [], list(reference)
    for one in candidate:
        place = next((j for j, other in enumerate(there) if key(other) == key(one)), None)
        if place is None:
            left.append(one)
        else:
            del there[place]
    return len(candidate) - len(left), left, there


def weight(one, other, synonyms):
    """The mean weight of the words of two n-grams, or 0 if one of them is 0."""
    words = []
    for (lemma, tag), (other_lemma, other_tag) in zip(one, other, strict=True):
        alike = lemma == other_lemma or synonyms(lemma, other_lemma)
        words.append((1 + (tag == other_tag)) / 2 if alike else 0)
    return sum(words) / len(words) if all(words) else 0


def largest_sum(left, there, synonyms):
    @cache
    def best(i, used):
        if i == len(left):
            return 0.0
        return max(
            best(i + 1, used),
            *(
                weight(left[i], there[j], synonyms) + best(i + 1, used | {j})
                for j in range(len(there))
                if j not in used
            ),
            0.0,
        )

    return best(0, frozenset())


def matched(candidate, reference, n, synonyms):
    grams, there = ([tuple(text[i : i + n]) for i in range(len(text) - n + 1)] for text in (candidate, reference))
    first, grams, there = take_equal(grams, there, lambda gram: gram)
    second, grams, there = take_equal(grams, there, lambda gram: tuple(lemma for lemma, _ in gram))
    return first + second + largest_sum(tuple(grams), tuple(there), synonyms)


def maxsim(candidate, reference, synonyms):
    """None of two empty texts."""
    values = []
    for n in (1, 2, 3):
        own, there = len(candidate) - n + 1, len(reference) - n + 1
        hits = matched(candidate, reference, n, synonyms)
        if hits:
            precision, recall = hits / own, hits / there
            values.append(precision * recall / (0.9 * precision + 0.1 * recall))
        elif own > 0 or there > 0:
            values.append(0)
    return sum(values) / len(values) if values else None


def of_segment(candidate, references, synonyms, best=False):
    """The mean over the references that a score exists for, or the best."""
    scores = [maxsim(candidate, reference, synonyms) for reference in references]
    scores = [score for score in scores if score is not None]
    if not scores:
        return None
    return max(scores) if best else sum(scores) / len(scores)
