"""Minimum Bayes risk with a linear gain, by all texts and how probable they are (Tromble et al. 2008).

Texts are lists of words, with the weight of the path each; a text may stand there more than once.
"""

import math


def probabilities(weights, scale):
    top = max(scale * weight for weight in weights)
    odds = [math.exp(scale * weight - top) for weight in weights]
    return [one / math.fsum(odds) for one in odds]


def ngrams(words, order):
    return [tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1)]


def posteriors(texts, weights, scale, order):
    """How probable it is that a text has each n-gram, once or more."""
    chances = probabilities(weights, scale)
    found = {gram for words in texts for gram in ngrams(words, order)}
    return {
        gram: math.fsum(p for words, p in zip(texts, chances, strict=True) if gram in ngrams(words, order))
        for gram in found
    }


def thetas(precision, ratio, tokens, order=4):
    return [-1 / tokens, *(1 / (order * tokens * precision * ratio ** (n - 1)) for n in range(1, order + 1))]


def gain(words, theta, posterior):
    """What a text gains: theta[0] for each word, theta[n] times its posterior for each n-gram."""
    order = len(theta) - 1
    return theta[0] * len(words) + math.fsum(theta[len(gram)] * posterior[gram] for gram in ngrams(words, order))


def expected_gain(words, theta, texts, weights, scale):
    """The same by definition: the gain G(E, E') against each text E, by how probable E is."""
    order = len(theta) - 1
    total = 0.0
    for evidence, chance in zip(texts, probabilities(weights, scale), strict=True):
        own = set(ngrams(evidence, order))
        matches = [theta[len(gram)] for gram in ngrams(words, order) if gram in own]
        total += chance * (theta[0] * len(words) + math.fsum(matches))
    return total
