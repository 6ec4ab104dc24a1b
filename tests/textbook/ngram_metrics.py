"""BLEU (Papineni et al. 2002), BLEU-SBP (Chiang et al. 2008) and NIST (Doddington 2002), on lists of words."""

import math
from collections import Counter


def ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def clipped(candidate, references, n):
    """The candidate's n-grams, each at most as often as in the reference that has most of it."""
    most = Counter()
    for reference in references:
        most |= ngrams(reference, n)
    return ngrams(candidate, n) & most


def shared(candidate, reference, n):
    """How many n-grams the two have in common, each as often as in the one that has fewer of it."""
    return (ngrams(candidate, n) & ngrams(reference, n)).total()


def effective_length(candidate, references, rule):
    lengths = [len(reference) for reference in references]
    if rule == "shortest":
        return min(lengths)
    if rule == "average":
        return sum(lengths) / len(lengths)
    return min(lengths, key=lambda length: (abs(length - len(candidate)), length))


def bleu(segments, order=4, smooth="exp", value=None, length="closest", orders="effective", strict=False, weights=None):
    """segments: pairs of a candidate and its references."""
    c = r = 0
    matches, totals = [0] * order, [0] * order
    for candidate, references in segments:
        reference = effective_length(candidate, references, length)
        c += min(len(candidate), reference) if strict else len(candidate)
        r += reference
        for n in range(1, order + 1):
            matches[n - 1] += clipped(candidate, references, n).total()
            totals[n - 1] += ngrams(candidate, n).total()
    if c == 0 or (orders != "v13a" and not any(matches)):
        return 0.0
    halving, precisions = 1.0, []
    for n, (hits, total) in enumerate(zip(matches, totals, strict=True), start=1):
        if smooth == "add-k" and n > 1:
            hits, total = hits + value, total + value
        if total == 0:
            if orders == "effective":
                break
            precisions.append(1.0 if orders == "v13a" else 0.0)
        elif hits == 0 and smooth == "exp":
            halving /= 2
            precisions.append(halving / total)
        elif hits == 0 and smooth == "floor":
            precisions.append(value / total)
        else:
            precisions.append(hits / total)
    weighted = [(p, w) for p, w in zip(precisions, weights or [1] * order, strict=False) if w]
    if not weighted or not all(p for p, _ in weighted):
        return 0.0
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return penalty * math.exp(sum(w * math.log(p) for p, w in weighted) / sum(w for _, w in weighted))


def information(all_references, order=5):
    """log2(count of the first n - 1 words / count of all n) for every n-gram of every reference."""
    counts = Counter()
    words = 0
    for reference in all_references:
        words += len(reference)
        for n in range(1, order + 1):
            counts.update(ngrams(reference, n))
    return {gram: math.log2((counts[gram[:-1]] if len(gram) > 1 else words) / count) for gram, count in counts.items()}


def nist(segments, weights, orders):
    """The sum over the given orders, with weights from the whole reference set."""
    c, r = 0, 0.0
    hits, totals = dict.fromkeys(orders, 0.0), dict.fromkeys(orders, 0)
    for candidate, references in segments:
        c += len(candidate)
        r += sum(map(len, references)) / len(references)
        for n in orders:
            hits[n] += sum(weights[gram] * count for gram, count in clipped(candidate, references, n).items())
            totals[n] += ngrams(candidate, n).total()
    if c == 0:
        return 0.0
    precision = sum(hits[n] / totals[n] for n in orders if totals[n])
    beta = math.log(0.5) / math.log(1.5) ** 2
    return precision * (1.0 if c >= r else math.exp(beta * math.log(c / r) ** 2))
