"""Base phrases (chunks) from a constituency tree, as the CoNLL-2000 data were made from the Penn Treebank.

A chunk runs from the beginning of a phrase to its head; phrases after the head (a PP after a noun, an object after a
verb) form chunks themselves. A sequence of verbs is one VP ("has wanted to go"), a preposition alone is a PP, a
complementizer alone is an SBAR, and a possessive 's begins an NP.
"""

from __future__ import annotations

from collections.abc import Sequence

from tarocco.annotate.lexicon import index_words, word_set
from tarocco.annotate.sentence import Node

_KINDS = index_words({"NP": "WHNP NML NX NAC QP", "ADVP": "WHADVP", "ADJP": "WHADJP", "PP": "WHPP"})
_CLAUSES = word_set("S SQ SINV SBARQ TOP S1 ROOT FRAG PRN X UCP RRC")
_PUNCTUATION = frozenset((".", ",", ":", "``", "''", "-LRB-", "-RRB-", "NFP", "$,"))
_VERBAL = word_set("VB VBD VBG VBN VBP VBZ MD TO AUX AUXG")

# The only words of a clause itself that form chunks: "does" of "does he know", a complementizer.
_ONLY = {**dict.fromkeys(_CLAUSES, _VERBAL), "SBAR": frozenset(("IN", "TO", "DT", "RB"))}


def derive_chunks(tree: Sequence[Node], tags: Sequence[str]) -> tuple[str, ...]:
    """Return the IOB tag of each word: B-NP, I-NP, O."""
    return _Chunker(tree, tags).run()


class _Chunker:
    """Traverses a tree from the top down. The children of a phrase are indices of nodes, and ~word for words."""

    def __init__(self, tree: Sequence[Node], tags: Sequence[str]) -> None:
        self.tree, self.tags = tree, tags
        self.kinds = [_KINDS.get(label, label) for label in (node.label.partition("-")[0] for node in tree)]
        self.owners: list[int | None] = [None] * len(tags)  # the node whose chunk contains a word
        self.joins = list(range(len(tree)))  # the node whose chunk a phrase begins in: itself or one above it

    def run(self) -> tuple[str, ...]:
        tags, owners = self.tags, self.owners
        for node, items in enumerate(self.list_children()):
            kind = self.kinds[node]
            if kind == "VP":
                self.add_verbs(items, self.joins[node])
            elif kind in _ONLY:
                for item in items:
                    if item < 0 and tags[~item] in _ONLY[kind]:
                        owners[~item] = node
            else:
                self.add_phrase(items, self.joins[node])
        return self.encode()

    def list_children(self) -> list[list[int]]:
        """Return the children of each node, from left to right."""
        tree = self.tree
        children: list[list[int]] = [[] for _ in tree]
        open_nodes: list[int] = []
        node = 0
        for word in range(len(self.tags) if tree else 0):
            while open_nodes and tree[open_nodes[-1]].end <= word:
                open_nodes.pop()
            while node < len(tree) and tree[node].start == word:
                if open_nodes:
                    children[open_nodes[-1]].append(node)
                open_nodes.append(node)
                node += 1
            children[open_nodes[-1]].append(~word)
        return children

    def add_phrase(self, items: list[int], chunk: int) -> None:
        """Put everything up to the head, the last word among the children, into a chunk."""
        tags, kinds, owners = self.tags, self.kinds, self.owners
        words = [i for i, item in enumerate(items) if item < 0 and tags[~item] not in _PUNCTUATION]
        nested = any(item >= 0 and kinds[item] == kinds[chunk] and not self.is_possessive(item) for item in items)
        if nested and all(tags[~items[i]] == "CC" for i in words):
            return  # a coordination of phrases
        head = words[-1] if words else -1
        for item in items[: head + 1]:
            if item < 0:
                if owners[~item] is None:  # a possessive 's belongs to the larger phrase
                    owners[~item] = chunk
            elif not self.is_possessive(item) and kinds[item] not in _CLAUSES:
                self.joins[item] = chunk
        if items and items[0] >= 0 and self.is_possessive(items[0]):
            owners[self.tree[items[0]].end - 1] = chunk

    def is_possessive(self, index: int) -> bool:
        node = self.tree[index]
        return node.end - node.start > 1 and self.tags[node.end - 1] == "POS"

    def add_verbs(self, items: list[int], chunk: int) -> None:
        """Put a sequence of verbs, the adverbs between them and an infinitive after them into a chunk."""
        tags, kinds = self.tags, self.kinds
        phrases = [item for item in items if item >= 0 and kinds[item] == "VP"]
        if len(phrases) > 1:  # a coordination: "to" of "to read and write" joins the first
            self.joins[phrases[0]] = chunk
            return
        verbal = [kinds[item] == "VP" if item >= 0 else tags[~item] in _VERBAL for item in items]
        last = max((i for i, is_verb in enumerate(verbal) if is_verb), default=-1)
        for i, item in enumerate(items[: last + 1]):
            if item < 0:
                self.owners[~item] = chunk
            elif i == last or kinds[item] == "ADVP":
                self.joins[item] = chunk
        if 0 <= last < len(items) - 1 and items[last] < 0 <= items[last + 1]:
            self.add_infinitive(items[last + 1], chunk)

    def add_infinitive(self, clause: int, chunk: int) -> None:
        """Put "to go" of "wants to go" into the chunk of "wants"."""
        verbs = clause + 1  # the first child, because nodes are in preorder
        start = self.tree[clause].start
        begins = self.kinds[clause] == "S" and self.tags[start] == "TO" and verbs < len(self.tree)
        if begins and self.kinds[verbs] == "VP" and self.tree[verbs].start == start:
            self.joins[verbs] = chunk

    def encode(self) -> tuple[str, ...]:
        owners, chunks = self.owners, ["O"] * len(self.tags)
        previous: int | None = None
        for word, owner in enumerate(owners):
            if owner is not None and self.tags[word] in _PUNCTUATION:
                inside = previous == owner and owners[word + 1 : word + 2] == [owner]
                owner = owner if inside else None  # punctuation never begins or ends a chunk
            if owner is not None:
                kind = "VP" if self.kinds[owner] in _CLAUSES else self.kinds[owner]
                chunks[word] = f"{'I' if previous == owner else 'B'}-{kind}"
            previous = owner
        return tuple(chunks)
