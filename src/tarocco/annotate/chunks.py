"""Base phrases, read off a constituency tree in the way that the data of CoNLL-2000 were made from the Penn Treebank's.

A chunk is a phrase from its beginning to its head: what follows the head (a PP after a noun, an object after a verb) is
in chunks of its own. Verbs that follow each other are one VP ("has wanted to go"), a preposition alone is a PP, a
complementizer alone an SBAR, and a possessive 's begins an NP.
"""

from __future__ import annotations

from collections.abc import Sequence

from tarocco.annotate.sentence import Node
from tarocco.annotate.word_sets import word_set

_KINDS = {
    "WHNP": "NP",
    "NML": "NP",
    "NX": "NP",
    "NAC": "NP",
    "QP": "NP",
    "WHADVP": "ADVP",
    "WHADJP": "ADJP",
    "WHPP": "PP",
}
_CLAUSES = word_set("S SQ SINV SBARQ TOP S1 ROOT FRAG PRN X UCP RRC")
_PUNCTUATION = frozenset((".", ",", ":", "``", "''", "-LRB-", "-RRB-", "NFP", "$,"))
_VERBAL = word_set("VB VBD VBG VBN VBP VBZ MD TO AUX AUXG")


def chunks_of(tree: Sequence[Node], tags: Sequence[str]) -> tuple[str, ...]:
    """The IOB tag of each word: B-NP, I-NP, O."""
    parts = _parts(tree, len(tags))
    owners: list[int | None] = [None] * len(tags)  # the node whose chunk a word is in
    kinds = [_KINDS.get(label, label) for label in (node.label.partition("-")[0] for node in tree)]
    joins: list[int] = list(range(len(tree)))  # whose chunk the head of a phrase is in: its own, or one above it
    for place, items in enumerate(parts):
        kind = kinds[place]
        own = joins[place]
        if kind in _CLAUSES:
            for item in items:
                if item < 0 and tags[~item] in _VERBAL:  # "does" of "does he know"
                    owners[~item] = place
        elif kind == "VP":
            _verbs(items, own, tree, kinds, tags, owners, joins)
        elif kind == "SBAR":
            for item in items:
                if item < 0 and tags[~item] in ("IN", "TO", "DT", "RB"):
                    owners[~item] = own
        else:
            _phrase(items, own, kinds, tree, tags, owners, joins)
    return _tags(owners, kinds, tags)


def _parts(tree: Sequence[Node], size: int) -> list[list[int]]:
    """What each node has, from left to right: places of nodes, and words as ~word."""
    parts: list[list[int]] = [[] for _ in tree]
    open_nodes: list[int] = []
    place = 0
    for word in range(size if tree else 0):
        while open_nodes and tree[open_nodes[-1]].end <= word:
            open_nodes.pop()
        while place < len(tree) and tree[place].start == word:
            if open_nodes:
                parts[open_nodes[-1]].append(place)
            open_nodes.append(place)
            place += 1
        parts[open_nodes[-1]].append(~word)
    return parts


def _phrase(
    items: list[int],
    own: int,
    kinds: list[str],
    tree: Sequence[Node],
    tags: Sequence[str],
    owners: list[int | None],
    joins: list[int],
) -> None:
    """All up to the head, which is the last word of its own that a phrase has; PPs have theirs first."""
    words = [place for place, item in enumerate(items) if item < 0 and tags[~item] not in _PUNCTUATION]
    nested = any(item >= 0 and kinds[item] == kinds[own] and not _possessive(tree[item], tags) for item in items)
    if nested and all(tags[~items[place]] == "CC" for place in words):
        return  # a coordination of phrases
    head = words[-1] if words else -1
    for item in items[: head + 1]:
        if item < 0:
            if owners[~item] is None:  # a possessive 's is in the larger phrase's
                owners[~item] = own
        elif _possessive(tree[item], tags):
            continue
        elif kinds[item] not in _CLAUSES:
            joins[item] = own
    if items and items[0] >= 0 and _possessive(tree[items[0]], tags):
        owners[tree[items[0]].end - 1] = own


def _possessive(node: Node, tags: Sequence[str]) -> bool:
    return node.end - node.start > 1 and tags[node.end - 1] == "POS"


def _verbs(
    items: list[int],
    own: int,
    tree: Sequence[Node],
    kinds: list[str],
    tags: Sequence[str],
    owners: list[int | None],
    joins: list[int],
) -> None:
    """Verbs up to the last of a row, with the adverbs between them and an infinitive that follows."""
    phrases = [item for item in items if item >= 0 and kinds[item] == "VP"]
    if len(phrases) > 1:  # a coordination: "to" of "to read and write" goes with the first
        joins[phrases[0]] = own
        return
    last = max(
        (p for p, item in enumerate(items) if (kinds[item] == "VP" if item >= 0 else tags[~item] in _VERBAL)),
        default=-1,
    )
    for place, item in enumerate(items[: last + 1]):
        if item < 0:
            owners[~item] = own
        elif place == last or kinds[item] == "ADVP":
            joins[item] = own
    if last + 1 < len(items):
        follower = items[last + 1]
        if items[last] < 0 and follower >= 0 and kinds[follower] == "S" and tags[tree[follower].start] == "TO":
            verbs = follower + 1  # the node below, as nodes stand from the top down
            if verbs < len(tree) and kinds[verbs] == "VP" and tree[verbs].start == tree[follower].start:
                joins[verbs] = own


def _tags(owners: Sequence[int | None], kinds: Sequence[str], tags: Sequence[str]) -> tuple[str, ...]:
    size = len(owners)
    out = ["O"] * size
    previous: int | None = None
    for word, owner in enumerate(owners):
        if (
            owner is not None
            and tags[word] in _PUNCTUATION
            and not (previous == owner and word + 1 < size and owners[word + 1] == owner)
        ):
            owner = None  # punctuation is never the end of a chunk
        if owner is not None:
            kind = "VP" if kinds[owner] in _CLAUSES else kinds[owner]
            out[word] = f"{'I' if previous == owner else 'B'}-{kind}"
        previous = owner
    return tuple(out)
