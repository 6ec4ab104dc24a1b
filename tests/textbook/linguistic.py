"""Linguistic metrics as the IQmt manual defines them, one pair at a time, with bags that are Counters.

A sentence is anything with words, tags, chunks, heads, relations, universal, tree, entities and frames. A bag is
{type: Counter of items}.
"""

import math
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations


def bags(pairs):
    found = defaultdict(Counter)
    for kind, item in pairs:
        found[kind][item] += 1
    return found


# --- elements ------------------------------------------------------------------------------------------------------


def by_tag(sentence):
    return bags(zip(sentence.tags, sentence.words, strict=True))


def by_chunk(sentence):
    return bags((label.split("-")[-1], word) for label, word in zip(sentence.chunks, sentence.words, strict=True))


def by_chunk_label(sentence):
    return bags(zip(sentence.chunks, sentence.words, strict=True))


def by_category(sentence):
    return bags(zip(sentence.universal, sentence.words, strict=True))


def lineage(sentence, place):
    """A word and all words above it, upwards."""
    found = []
    while place >= 0:
        found.append(place)
        place = sentence.heads[place]
    return found


def by_relation(sentence):
    """All words of the subtree that is headed by a word with the relation."""
    return bags(
        (sentence.relations[head], sentence.words[place])
        for head in range(len(sentence.words))
        for place in range(len(sentence.words))
        if head in lineage(sentence, place)
    )


def by_level(sentence):
    found = []
    for place, word in enumerate(sentence.words):
        found += [(str(level), word) for level in range(1, len(lineage(sentence, place)) + 1)]
    return bags(found)


def full_tree(sentence):
    """(label, children) with tags above words, which are leaves: ("word", word); tags are put in where they lack.

    A node that covers one word and has no nodes below is its tag if the tagger says the same, or if all words have such
    nodes and the tagger says the same of one at least.
    """
    lowest = {}
    for node in sentence.tree:
        lowest |= dict.fromkeys(range(node.start, node.end), node)
    alone = [node.end - node.start == 1 for _, node in sorted(lowest.items())]
    same = [node.label == sentence.tags[word] for word, node in sorted(lowest.items())]
    has_tags = all(alone) and any(same)

    def below(place):
        node = sentence.tree[place]
        nodes = [i for i, other in enumerate(sentence.tree) if other.parent == place]
        covered = {word for i in nodes for word in range(sentence.tree[i].start, sentence.tree[i].end)}
        children = [(sentence.tree[i].start, below(i)) for i in nodes]
        is_tag = not nodes and node.end - node.start == 1 and (has_tags or node.label == sentence.tags[node.start])
        for word in set(range(node.start, node.end)) - covered:
            leaf = (("word", sentence.words[word]), ())
            children.append((word, leaf if is_tag else (sentence.tags[word], (leaf,))))
        return node.label, tuple(child for _, child in sorted(children, key=lambda pair: pair[0]))

    return [below(place) for place, node in enumerate(sentence.tree) if node.parent < 0]


def words_below(tree, labels=()):
    """Every word with the labels above it; the last one is its tag."""
    label, children = tree
    if not children:
        yield label[1], labels
    for child in children:
        yield from words_below(child, (*labels, label))


def by_tree_tag(sentence):
    return bags((labels[-1], word) for tree in full_tree(sentence) for word, labels in words_below(tree))


def by_phrase(sentence):
    return bags(
        (label, word)
        for tree in full_tree(sentence)
        for word, labels in words_below(tree)
        for label in set(labels[:-1])
    )


def by_entity(sentence):
    found, inside = [], set()
    for span in sentence.entities:
        inside |= set(range(span.start, span.end))
        found += [(span.label, word) for word in sentence.words[span.start : span.end]]
    return bags([*found, *(("O", word) for place, word in enumerate(sentence.words) if place not in inside)])


def entities(sentence):
    return bags((span.label, sentence.words[span.start : span.end]) for span in sentence.entities)


def arguments(sentence):
    for frame in sentence.frames:
        for span in frame.arguments:
            label = span.label[2:] if span.label[:2] in ("C-", "R-") else span.label
            yield frame.lemma, label, sentence.words[span.start : span.end]


def by_role(sentence):
    return bags((label, word) for _, label, words in arguments(sentence) for word in words)


def by_role_and_verb(sentence):
    return bags((label, (lemma, word)) for lemma, label, words in arguments(sentence) for word in words)


def whole_by_role(sentence):
    return bags((label, words) for _, label, words in arguments(sentence))


def whole_by_role_and_verb(sentence):
    return bags((label, (lemma, words)) for lemma, label, words in arguments(sentence))


def roles(sentence):
    return bags(("", label) for _, label, _ in arguments(sentence))


def roles_and_verbs(sentence):
    return bags(("", (lemma, label)) for lemma, label, _ in arguments(sentence))


def chains(sentence, items, gapped):
    """Chains down from a head, by length; items is one of words, universal, relations."""
    labels, found = getattr(sentence, items), []
    for place in range(len(sentence.words)):
        above = lineage(sentence, place)
        for length in range(1, len(above) + 1):
            if gapped:
                found += [(length, (place, *rest)) for rest in combinations(above[1:], length - 1)]
            else:
                found.append((length, above[:length]))
    return bags((length, tuple(labels[place] for place in chain)) for length, chain in found)


def nodes_of(tree, above=()):
    yield tree, above
    for child in tree[1]:
        yield from nodes_of(child, (*above, tree[0]))


def subpaths(sentence):
    found = []
    for tree in full_tree(sentence):
        for (label, _), above in nodes_of(tree):
            path = (*above, label)
            found += [(length, path[-length:]) for length in range(1, len(path) + 1)]
    return bags(found)


def subtrees(sentence):
    """All that hangs from a node, down to a depth that something there has."""

    @cache
    def height(tree):
        return 1 + max(map(height, tree[1]), default=0)

    @cache
    def cut(tree, depth):
        return tree[0], tuple(cut(child, depth - 1) for child in tree[1]) if depth > 1 else ()

    return bags(
        (depth, cut(node, depth))
        for tree in full_tree(sentence)
        for node, _ in nodes_of(tree)
        for depth in range(1, height(node) + 1)
    )


# --- measures ------------------------------------------------------------------------------------------------------


def parts(candidate, reference, literal=False):
    """Numerator and denominator of two Counters."""
    either = sum((candidate | reference).values())
    if literal:
        return sum(count for item, count in candidate.items() if item in reference), either
    return sum((candidate & reference).values()), either


def overlap(candidate, reference, kinds, *, literal=False, mean=False):
    """Of bags, over some types."""
    kinds = [kind for kind in kinds if candidate[kind] or reference[kind]]
    found = [parts(candidate[kind], reference[kind], literal) for kind in kinds]
    if not found:
        return math.nan
    if mean:
        return sum(shared / either for shared, either in found) / len(found)
    return sum(shared for shared, _ in found) / sum(either for _, either in found)


def precision(candidate, reference, lengths):
    lengths = [length for length in lengths if candidate[length] or reference[length]]
    found = [
        sum((candidate[length] & reference[length]).values()) / sum(candidate[length].values())
        if candidate[length]
        else 0.0
        for length in lengths
    ]
    return sum(found) / len(found) if found else math.nan


def best(scores):
    """Of several references, each by itself."""
    return max((score for score in scores if not math.isnan(score)), default=math.nan)
