"""English dependency trees in one scheme, for the rules that derive constituents and roles.

English parsers follow one of two schemes. In ClearNLP's, which spaCy's English models use, prepositions and copulas are
heads ("in" governs "town", "is" governs "happy"); in Universal Dependencies content words are. Phrases are easier to
derive from the first, so `Dependencies` converts the second: `case` and `cop` words change places with their heads. In
both schemes conjuncts are then attached to the first one, and crossing arcs are lifted until the tree is projective.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Sequence
from itertools import pairwise

from tarocco.annotate.lexicon import word_set

# Relations of Universal Dependencies only. A tree without any of them is the same in both schemes.
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

# Dependents of the clause, not of its predicate, when "is" becomes the head of "he is happy".
_OF_THE_CLAUSE = word_set(
    """nsubj nsubjpass csubj csubjpass aux auxpass mark expl punct cc conj parataxis intj advcl npadvmod neg"""
)
NEGATIONS = word_set("not n't nt never no")
_CLAUSE_WORDS = word_set("while when if though although because as since once than whether that unless")


class Dependencies:
    """A projective tree: `heads` (-1 for a root), `relations` of ClearNLP, and `children` from left to right.

    `first` and `last` are the first and last word of each word's subtree; `order` lists words from the leaves up.
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
            _convert_universal(self)
        else:
            _unchain(self.heads, self.relations)
        self.children = children_of(self.heads)
        self.order = bottom_up(self.heads, self.children)
        self.first, self.last = _lift(self.heads, self.children, self.order)


def children_of(heads: Sequence[int]) -> list[list[int]]:
    """Return the dependents of each word, from left to right."""
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            children[head].append(word)
    return children


def bottom_up(heads: Sequence[int], children: Sequence[Sequence[int]]) -> list[int]:
    """Return all words, each after its dependents."""
    order = [word for word, head in enumerate(heads) if head < 0]
    for word in order:  # the list grows during the loop
        order.extend(children[word])
    order.reverse()
    return order


def _is_universal(relations: Sequence[str], tags: Sequence[str]) -> bool:
    return any(
        relation in _UNIVERSAL or ":" in relation or (relation == "case" and tag != "POS")
        for relation, tag in zip(relations, tags, strict=True)
    )


def _unchain(heads: list[int], relations: list[str]) -> None:
    """Attach every conjunct of a chain to the first one."""
    for word, relation in enumerate(relations):
        if relation in ("conj", "cc"):
            head = heads[word]
            while head >= 0 and relations[head] == "conj" and head < word:
                head = heads[head]
            if head >= 0:
                heads[word] = head


def _lift(heads: list[int], children: list[list[int]], order: Sequence[int]) -> tuple[list[int], list[int]]:
    """Attach words with crossing arcs to the head of their head until the tree is projective; return subtree bounds."""
    first, last = list(range(len(heads))), list(range(len(heads)))
    for word in order:
        near = children[word]
        split = bisect(near, word)
        crossing = len(near)
        for child in reversed(near[:split]):  # from the nearest to the farthest
            if last[child] + 1 == first[word]:
                first[word] = first[child]
                crossing -= 1
        for child in near[split:]:
            if first[child] == last[word] + 1:
                last[word] = last[child]
                crossing -= 1
        if crossing:
            above = heads[word]
            children[word] = [child for child in near if first[word] <= child <= last[word]]
            for child in near:
                if not first[word] <= child <= last[word]:
                    heads[child] = above
                    if above >= 0:
                        insort(children[above], child)
    return first, last


def _convert_universal(tree: Dependencies) -> None:
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
    for word, relation in enumerate(relations):  # attach "and" to the first conjunct instead of the second
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
    remaining: list[int] = []
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
                tree.tags[predicate].startswith("JJ") and child > predicate and _is_infinitive(tree, children, child)
            )
        (moved if clausal else remaining).append(child)
    for child in moved:
        heads[child] = copula
    children[predicate] = remaining
    children[copula] = sorted([*children[copula], *moved, predicate])
    heads[predicate] = copula
    relations[predicate] = "acomp" if tree.tags[predicate].startswith(("JJ", "RB", "VBN")) else "attr"


def _is_infinitive(tree: Dependencies, children: list[list[int]], word: int) -> bool:
    return any(tree.tags[child] == "TO" for child in children[word])


def _is_clause(tree: Dependencies, children: list[list[int]], word: int) -> bool:
    return tree.tags[word].startswith(("VB", "MD")) or any(
        tree.relations[child] in ("nsubj", "nsubjpass", "cop", "aux", "expl") for child in children[word]
    )


def _raise_prepositions(tree: Dependencies, children: list[list[int]], word: int) -> None:
    """Make the prepositions of a noun its heads, and "by" of "by doing" the head of the verb."""
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
    outer = {"obl:agent": "agent", **dict.fromkeys(("obl", "nmod", "advcl", "acl", "attr"), "prep")}
    heads[top], relations[top] = heads[word], outer.get(relation, relation)
    for above, below in pairwise(raised):
        heads[below], relations[below] = above, "prep"
    heads[word], relations[word] = raised[-1], inner
    for child in children[word]:  # words before the preposition, and conjuncts with prepositions, become its dependents
        if child in raised:
            continue
        with_preposition = relations[child] == "conj" and any(relations[c] == "case" for c in children[child])
        if child < top or with_preposition:
            heads[child] = top
