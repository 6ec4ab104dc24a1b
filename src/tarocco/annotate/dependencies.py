"""One kind of dependency tree for all converters, whichever scheme a parser follows.

English parsers follow one of two schemes. In ClearNLP's, which spaCy's English models have, prepositions and copulas
are heads ("in" governs "town", "is" governs "happy"); in Universal Dependencies content words are. Phrases are easier
to read off the first, so a tree of the second is turned into one: `case` and `cop` words change places with heads.
In both, conjuncts then hang from the first one, and arcs that cross others are lifted until none do.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Sequence
from itertools import pairwise

from tarocco.annotate.role_words import word_set

# What only Universal Dependencies have. A tree without any of these is the same in both schemes.
_UNIVERSAL = word_set(
    """obj iobj obl cop flat fixed discourse vocative dislocated goeswith reparandum orphan list clf"""
)

_LABELS = {  # from Universal Dependencies to ClearNLP
    "obj": "dobj",
    "iobj": "dative",
    "nsubj:pass": "nsubjpass",
    "nsubj:outer": "nsubj",
    "csubj:pass": "csubjpass",
    "csubj:outer": "csubj",
    "aux:pass": "auxpass",
    "compound:prt": "prt",
    "nmod:poss": "poss",
    "nmod:desc": "compound",
    "nmod:unmarked": "npadvmod",
    "nmod:tmod": "npadvmod",
    "nmod:npmod": "npadvmod",
    "obl:unmarked": "npadvmod",
    "obl:tmod": "npadvmod",
    "obl:npmod": "npadvmod",
    "acl:relcl": "relcl",
    "advcl:relcl": "advcl",
    "det:predet": "predet",
    "cc:preconj": "preconj",
    "discourse": "intj",
    "vocative": "npadvmod",
    "list": "parataxis",
    "root": "ROOT",
}

# What belongs to the clause, not to its predicate, when "is" becomes the head of "he is happy".
_OF_THE_CLAUSE = word_set(
    """nsubj nsubjpass csubj csubjpass aux auxpass mark expl punct cc conj parataxis intj advcl npadvmod neg"""
)
NEGATIONS = word_set("not n't nt never no")
_CLAUSE_WORDS = word_set("while when if though although because as since once than whether that unless")


class Dependencies:
    """A tree as converters read it: `heads` (-1: a root), `relations` of ClearNLP, `children` from left to right.

    `first` and `last` are the ends of each word's part of the tree, both inclusive; no arcs cross.
    """

    def __init__(
        self,
        words: Sequence[str],
        lemmas: Sequence[str],
        tags: Sequence[str],
        heads: Sequence[int],
        relations: Sequence[str],
    ) -> None:
        self.words, self.lemmas, self.tags = words, lemmas, tags
        self.lower = [word.lower() for word in words]
        self.heads, self.relations = list(heads), list(relations)
        if _is_universal(relations, tags):
            _function_words_first(self)
        else:
            _unchain(self.heads, self.relations)
        self.children = children_of(self.heads)
        self.order = bottom_up(self.heads, self.children)
        self.first, self.last = _lift(self.heads, self.children, self.order)


def children_of(heads: Sequence[int]) -> list[list[int]]:
    """The words that hang from each word, from left to right."""
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            children[head].append(word)
    return children


def bottom_up(heads: Sequence[int], children: Sequence[Sequence[int]]) -> list[int]:
    """All words, each after the words that hang from it."""
    order = [word for word, head in enumerate(heads) if head < 0]
    for word in order:  # grows while it is read
        order.extend(children[word])
    order.reverse()
    return order


def _is_universal(relations: Sequence[str], tags: Sequence[str]) -> bool:
    return any(
        relation in _UNIVERSAL or ":" in relation or (relation == "case" and tag != "POS")
        for relation, tag in zip(relations, tags, strict=True)
    )


def _unchain(heads: list[int], relations: list[str]) -> None:
    """Hang every conjunct of a chain from the first one."""
    for word, relation in enumerate(relations):
        if relation in ("conj", "cc"):
            head = heads[word]
            while head >= 0 and relations[head] == "conj" and head < word:
                head = heads[head]
            if head >= 0:
                heads[word] = head


def _lift(heads: list[int], children: list[list[int]], order: Sequence[int]) -> tuple[list[int], list[int]]:
    """Hang words whose arcs cross others from their head's head, until none do; gives the ends of all subtrees."""
    first, last = list(range(len(heads))), list(range(len(heads)))
    for word in order:
        near = children[word]
        split = bisect(near, word)
        kept = len(near)
        for child in reversed(near[:split]):  # from the nearest to the farthest, on both sides
            if last[child] + 1 == first[word]:
                first[word] = first[child]
                kept -= 1
        for child in near[split:]:
            if first[child] == last[word] + 1:
                last[word] = last[child]
                kept -= 1
        if kept:
            above = heads[word]
            children[word] = [child for child in near if first[word] <= child <= last[word]]
            for child in near:
                if not first[word] <= child <= last[word]:
                    heads[child] = above
                    if above >= 0:
                        insort(children[above], child)
    return first, last


def _function_words_first(tree: Dependencies) -> None:
    heads, relations, tags, lower = tree.heads, tree.relations, tree.tags, tree.lower
    for word, relation in enumerate(relations):
        relations[word] = _LABELS.get(relation, relation.partition(":")[0] if relation != "obl:agent" else relation)
        if relation == "advmod" and lower[word] in NEGATIONS and tags[word] in ("RB", "DT"):
            relations[word] = "neg"
        elif relation == "mark" and tags[word] == "TO":
            relations[word] = "aux"
    children = children_of(heads)
    for word in range(len(heads)):
        if relations[word] == "cop" and heads[word] >= 0:
            _raise_copula(tree, children, word)
    for word in range(len(heads)):
        _raise_prepositions(tree, children, word)
    for word, relation in enumerate(relations):  # "and" stands before its conjunct there, between both here
        head = heads[word]
        if head >= 0 and relations[head] == "conj" and word < head and relation in ("cc", "punct"):
            heads[word] = heads[head]


def _raise_copula(tree: Dependencies, children: list[list[int]], copula: int) -> None:
    heads, relations = tree.heads, tree.relations
    predicate = heads[copula]
    heads[copula], relations[copula] = heads[predicate], relations[predicate]
    if heads[copula] >= 0:
        siblings = children[heads[copula]]
        siblings[siblings.index(predicate)] = copula
    moved: list[int] = []
    kept: list[int] = []
    for child in children[predicate]:
        if child == copula:
            continue
        relation = relations[child]
        clausal = relation in _OF_THE_CLAUSE or (relation == "advmod" and child < copula)
        if relation == "conj":
            clausal = _is_clause(tree, children, child)
        elif relation == "punct":
            clausal = child < copula or child > predicate
        elif relation == "cc":
            clausal = child < copula
        elif relation == "advcl":
            clausal = not (
                tree.tags[predicate].startswith("JJ") and child > predicate and _infinitive(tree, children, child)
            )
        (moved if clausal else kept).append(child)
    for child in moved:
        heads[child] = copula
    children[predicate] = kept
    children[copula] = sorted([*children[copula], *moved, predicate])
    heads[predicate] = copula
    relations[predicate] = "acomp" if tree.tags[predicate].startswith(("JJ", "RB", "VBN")) else "attr"


def _infinitive(tree: Dependencies, children: list[list[int]], word: int) -> bool:
    return any(tree.tags[child] == "TO" for child in children[word])


def _is_clause(tree: Dependencies, children: list[list[int]], word: int) -> bool:
    return tree.tags[word].startswith(("VB", "MD")) or any(
        tree.relations[child] in ("nsubj", "nsubjpass", "cop", "aux", "expl") for child in children[word]
    )


def _raise_prepositions(tree: Dependencies, children: list[list[int]], word: int) -> None:
    """Put the prepositions of a noun above it, and "by" of "by doing" above the verb."""
    heads, relations, tags, lower = tree.heads, tree.relations, tree.tags, tree.lower
    relation = relations[word]
    if relation == "case":
        return
    raised = [child for child in children[word] if relations[child] == "case" and tags[child] != "POS" and child < word]
    inner = "pobj"
    if not raised and tags[word] == "VBG" and relation in ("advcl", "acl"):
        raised = [
            child
            for child in children[word]
            if relations[child] == "mark" and tags[child] == "IN" and lower[child] not in _CLAUSE_WORDS
        ]
        if any(relations[child] in ("nsubj", "nsubjpass") for child in children[word]):
            raised = []
        inner = "pcomp"
    if not raised:
        return
    top = raised[0]
    outer = (
        "agent"
        if relation == "obl:agent"
        else "prep"
        if relation in ("obl", "nmod", "advcl", "acl", "attr")
        else relation
    )
    heads[top], relations[top] = heads[word], outer
    for above, below in pairwise(raised):
        heads[below], relations[below] = above, "prep"
    heads[word], relations[word] = raised[-1], inner
    for child in children[word]:  # what stands before the preposition belongs to it, and so do other such phrases
        if child in raised:
            continue
        with_preposition = relations[child] == "conj" and any(relations[c] == "case" for c in children[child])
        if child < top or with_preposition:
            heads[child] = top
