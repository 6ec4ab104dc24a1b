"""Base phrases, read off a constituency tree in the way that the data of CoNLL-2000 were made from the Penn Treebank's.

A chunk is a phrase from its beginning to its head: what follows the head (a PP after a noun, an object after a verb) is
in chunks of its own. Verbs that follow each other are one VP ("has wanted to go"), a preposition alone is a PP, a
complementizer alone an SBAR, and a possessive 's begins an NP.
"""

from __future__ import annotations

from collections.abc import Sequence

from tarocco.annotate.role_words import word_set
from tarocco.annotate.sentence import Node

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

# Of clauses only these words are in chunks of their own: "does" of "does he know", a complementizer.
_ONLY = {**dict.fromkeys(_CLAUSES, _VERBAL), "SBAR": frozenset(("IN", "TO", "DT", "RB"))}


def chunks_of(tree: Sequence[Node], tags: Sequence[str]) -> tuple[str, ...]:
    """The IOB tag of each word: B-NP, I-NP, O."""
    return _Chunks(tree, tags).found()


class _Chunks:
    """Goes through a tree from the top down; what stands in a phrase is a list of places of nodes, and of ~word."""

    def __init__(self, tree: Sequence[Node], tags: Sequence[str]) -> None:
        self.tree, self.tags = tree, tags
        self.kinds = [_KINDS.get(label, label) for label in (node.label.partition("-")[0] for node in tree)]
        self.owners: list[int | None] = [None] * len(tags)  # the node whose chunk a word is in
        self.joins = list(range(len(tree)))  # whose chunk a phrase begins in: its own, or one above it

    def found(self) -> tuple[str, ...]:
        tags, owners = self.tags, self.owners
        for place, items in enumerate(self.parts()):
            kind = self.kinds[place]
            if kind == "VP":
                self.verbs(items, self.joins[place])
            elif kind in _ONLY:
                for item in items:
                    if item < 0 and tags[~item] in _ONLY[kind]:
                        owners[~item] = place
            else:
                self.phrase(items, self.joins[place])
        return self.iob()

    def parts(self) -> list[list[int]]:
        """What each node has, from left to right."""
        tree = self.tree
        parts: list[list[int]] = [[] for _ in tree]
        open_nodes: list[int] = []
        place = 0
        for word in range(len(self.tags) if tree else 0):
            while open_nodes and tree[open_nodes[-1]].end <= word:
                open_nodes.pop()
            while place < len(tree) and tree[place].start == word:
                if open_nodes:
                    parts[open_nodes[-1]].append(place)
                open_nodes.append(place)
                place += 1
            parts[open_nodes[-1]].append(~word)
        return parts

    def phrase(self, items: list[int], own: int) -> None:
        """All up to the head, which is the last word that the phrase itself has."""
        tags, kinds, owners = self.tags, self.kinds, self.owners
        words = [place for place, item in enumerate(items) if item < 0 and tags[~item] not in _PUNCTUATION]
        nested = any(item >= 0 and kinds[item] == kinds[own] and not self.is_possessive(item) for item in items)
        if nested and all(tags[~items[place]] == "CC" for place in words):
            return  # a coordination of phrases
        head = words[-1] if words else -1
        for item in items[: head + 1]:
            if item < 0:
                if owners[~item] is None:  # a possessive 's is in the larger phrase's
                    owners[~item] = own
            elif not self.is_possessive(item) and kinds[item] not in _CLAUSES:
                self.joins[item] = own
        if items and items[0] >= 0 and self.is_possessive(items[0]):
            owners[self.tree[items[0]].end - 1] = own

    def is_possessive(self, place: int) -> bool:
        node = self.tree[place]
        return node.end - node.start > 1 and self.tags[node.end - 1] == "POS"

    def verbs(self, items: list[int], own: int) -> None:
        """Verbs up to the last of a row, with the adverbs between them and an infinitive that follows."""
        tags, kinds = self.tags, self.kinds
        phrases = [item for item in items if item >= 0 and kinds[item] == "VP"]
        if len(phrases) > 1:  # a coordination: "to" of "to read and write" goes with the first
            self.joins[phrases[0]] = own
            return
        verbal = [kinds[item] == "VP" if item >= 0 else tags[~item] in _VERBAL for item in items]
        last = max((place for place, is_verb in enumerate(verbal) if is_verb), default=-1)
        for place, item in enumerate(items[: last + 1]):
            if item < 0:
                self.owners[~item] = own
            elif place == last or kinds[item] == "ADVP":
                self.joins[item] = own
        if 0 <= last < len(items) - 1 and items[last] < 0 <= items[last + 1]:
            self.infinitive(items[last + 1], own)

    def infinitive(self, clause: int, own: int) -> None:
        """ "to go" of "wants to go" is in the chunk of "wants"."""
        verbs = clause + 1  # the node below, as nodes stand from the top down
        start = self.tree[clause].start
        begins = self.kinds[clause] == "S" and self.tags[start] == "TO" and verbs < len(self.tree)
        if begins and self.kinds[verbs] == "VP" and self.tree[verbs].start == start:
            self.joins[verbs] = own

    def iob(self) -> tuple[str, ...]:
        owners, found = self.owners, ["O"] * len(self.tags)
        previous: int | None = None
        for word, owner in enumerate(owners):
            if owner is not None and self.tags[word] in _PUNCTUATION:
                inside = previous == owner and owners[word + 1 : word + 2] == [owner]
                owner = owner if inside else None  # punctuation is never an end of a chunk
            if owner is not None:
                kind = "VP" if self.kinds[owner] in _CLAUSES else self.kinds[owner]
                found[word] = f"{'I' if previous == owner else 'B'}-{kind}"
            previous = owner
        return tuple(found)
