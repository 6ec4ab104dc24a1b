"""chrF (Popović 2015) and chrF++ (Popović 2017), on strings, with Counters and fractions of floats."""

from collections import Counter

PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def split_punctuation(text):
    """Words, with one punctuation mark split off: the last character, or else the first."""
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def ngrams(items, n):
    return Counter(tuple(items[i : i + n]) for i in range(len(items) - n + 1))


def counts(candidate, reference, char_order=6, word_order=0, min_char_order=1, lowercase=False, whitespace=False):
    """For each order the n-grams of the candidate, of the reference, and those that match."""
    if lowercase:
        candidate, reference = candidate.lower(), reference.lower()
    found = []
    readings = (
        (min_char_order, char_order, list if whitespace else lambda text: [c for c in text if not c.isspace()]),
        (1, word_order, split_punctuation),
    )
    for first, order, read in readings:
        for n in range(first, order + 1):
            own, other = ngrams(read(candidate), n), ngrams(read(reference), n)
            found.append((own.total() if other else 0, other.total(), (own & other).total()))
    return found


def f_score(precision, recall, beta):
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def score(orders, beta=2, eps_smoothing=False):
    if eps_smoothing:
        total = 0.0
        for candidate, reference, matches in orders:
            precision = matches / candidate if candidate else 1e-16
            recall = matches / reference if reference else 1e-16
            total += f_score(precision, recall, beta) if beta * precision or recall else 1e-16
        return total / len(orders)
    exist = [(c, r, matches) for c, r, matches in orders if c and r]
    if not any(matches for _, _, matches in exist):
        return 0.0
    precision = sum(matches / c for c, _, matches in exist) / len(exist)
    recall = sum(matches / r for _, r, matches in exist) / len(exist)
    return f_score(precision, recall, beta)


def chrf(segments, beta=2, eps_smoothing=False, ties="first", **options):
    """segments: pairs of a candidate and its references."""
    chosen = []
    for candidate, references in segments:
        pairs = [counts(candidate, reference, **options) for reference in references]
        if ties == "shortest":
            pairs.sort(key=lambda pair: ([r for _, r, _ in pair], [-matches for _, _, matches in pair]))
        chosen.append(max(pairs, key=lambda pair: score(pair, beta, eps_smoothing)))
    sums = [tuple(map(sum, zip(*of_order, strict=True))) for of_order in zip(*chosen, strict=True)]
    return score(sums, beta, eps_smoothing)
