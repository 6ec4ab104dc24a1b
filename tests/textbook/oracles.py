"""Oracles by looking at everything: the rate of every text, of which the highest is the oracle's."""

import math
from collections import Counter

from textbook import edit_metrics


def rate(text, references, order, alpha, beta):
    """GRR-k of a text (words) against several references: the highest rate."""
    rates = []
    for reference in references:
        size = sum(max(len(reference) - j, 0) for j in range(order))
        value = edit_metrics.recognized(text, reference, order, alpha, beta) if reference else float(not text)
        rates.append(value / max(size, 1))
    return max(rates)


def smoothed_bleu(text, references):
    """BLEUS-4 of a sentence: (matches + 1) / (n-grams + 1) beyond unigrams, the closest reference length."""
    if not text:
        return 0.0
    logs, used = 0.0, 0
    for n in range(1, 5):
        grams = Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
        most = Counter()
        for reference in references:
            most |= Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
        matches, total = sum((grams & most).values()), sum(grams.values())
        if n > 1:
            matches, total = matches + 1, total + 1
        if not matches:
            return 0.0
        logs, used = logs + math.log(matches / total), used + 1
    closest = min((abs(len(reference) - len(text)), len(reference)) for reference in references)[1]
    return min(1.0, math.exp(1 - closest / len(text))) * math.exp(logs / used)


def accepts(arcs, start, final, words):
    """Whether a lattice has a text; arcs are (source, target, word or "")."""

    def closed(nodes):
        while True:
            more = nodes | {target for source, target, word in arcs if source in nodes and not word}
            if more == nodes:
                return nodes
            nodes = more

    nodes = closed({start})
    for word in words:
        nodes = closed({target for source, target, found in arcs if source in nodes and found == word})
    return final in nodes
