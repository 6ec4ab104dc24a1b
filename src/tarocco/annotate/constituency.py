"""Constituency trees in the style of the Penn Treebank, from dependencies.

A head projects a phrase: a noun an NP, a preposition a PP, a verb a VP and with its subject an S, which a
complementizer turns into an SBAR. Dependents are placed by position: to the left of the verbs they belong to the
clause, to the right of them to the verb phrase; before a noun they belong to the base phrase, after it to a larger one.
Every phrase is therefore contiguous by construction. Words are processed from the leaves up without recursion, so depth
is not limited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.lexicon import word_set
from tarocco.annotate.sentence import TOP, Node

Item: TypeAlias = "int | list[Item | str]"  # a word, or a phrase: a label followed by its parts

SUBJECTS = word_set("nsubj nsubjpass csubj csubjpass expl")
AUXILIARIES = frozenset(("aux", "auxpass"))
FINITE = word_set("VBD VBZ VBP MD")
_JOINING = frozenset(("cc", "punct", "preconj"))
_MARKERS = word_set("mark cc preconj case neg aux auxpass")
_ALWAYS_WORDS = _MARKERS | {"punct"}
_OBJECTS_OF_PREPOSITIONS = word_set("pobj pcomp prep acomp attr")
# A single word with one of these relations does not form a phrase.
_IN_A_NOUN_PHRASE = word_set(
    """det predet amod compound nummod quantmod nmod advmod neg case preconj flat punct cc fixed dep"""
)
_MODIFIED_BY_WORDS = word_set("JJ RB NN CD DT VB PD")
_INNER_LABELS = {"nummod": "QP", "quantmod": "QP", "npadvmod": "NP", "compound": "NML", "nmod": "NML", "amod": "NML"}
_PART_OF_THE_NAME = word_set("flat case fixed compound nummod goeswith")
_OF_NOUNS_ONLY = word_set("nsubj nsubjpass dobj pobj dative attr poss nmod compound")
_LABELS_OF_QUESTION_WORDS = {"WDT": "WHNP", "WP": "WHNP", "WP$": "WHNP", "WRB": "WHNP"}


def derive_tree(tree: Dependencies) -> tuple[Node, ...]:
    """Return the constituency tree of a sentence; several sentences are joined under one node TOP."""
    builder = _PhraseBuilder(tree)
    for word in tree.order:
        builder.phrase[word] = builder.build(word)
    tops = [builder.as_phrase(word, "FRAG") for word, head in enumerate(tree.heads) if head < 0]
    if not tops:
        return ()
    return _list_nodes(tops[0] if len(tops) == 1 else [TOP, *tops])


def _list_nodes(top: list[Item | str]) -> tuple[Node, ...]:
    """Return the nodes of a phrase in preorder."""
    labels: list[str] = []
    parents: list[int] = []
    bounds: list[list[int]] = []
    stack: list[tuple[Item | str, int]] = [(top, -1)]
    n_words = 0
    while stack:
        item, parent = stack.pop()
        if isinstance(item, int):
            n_words += 1
        elif isinstance(item, str):  # marks the end of a phrase
            bounds[parent].append(n_words)
        else:
            node = len(labels)
            labels.append(item[0])  # type: ignore[arg-type]
            parents.append(parent)
            bounds.append([n_words])
            stack.append(("", node))
            stack.extend((part, node) for part in item[:0:-1])
    return tuple(
        Node(label, parent, start, end) for label, parent, (start, end) in zip(labels, parents, bounds, strict=True)
    )


class _PhraseBuilder:
    """Builds the phrase of each word from the phrases of its dependents."""

    def __init__(self, tree: Dependencies) -> None:
        self.tree = tree
        self.relations, self.tags, self.children = tree.relations, tree.tags, tree.children
        self.phrase: list[Item] = list(range(len(tree.words)))

    def build(self, word: int) -> Item:
        """Return the phrase that a word projects, depending on its tag and relation."""
        tag, relation = self.tags[word], self.relations[word]
        if relation == "punct" and not self.children[word]:
            return word
        if self.is_verb(word):
            return self.clause(word)
        if relation == "prt":
            return ["PRT", *self.parts(word)]
        if relation in _MARKERS:
            return self.marker(word)
        if relation in ("prep", "agent", "pcomp") or tag in ("IN", "TO"):
            return self.prepositional(word)
        if tag == "UH" or relation == "intj":
            return ["INTJ", *self.parts(word)]
        if tag.startswith("RB") or tag in ("WRB", "RP"):
            return self.adverbial(word)
        if (tag.startswith("JJ") or tag in ("VBN", "VBG")) and relation not in _OF_NOUNS_ONLY:
            return self.adjectival(word)
        return self.nominal(word)

    # --- helpers --------------------------------------------------------------------------------------------------

    def is_verb(self, word: int) -> bool:
        """Return whether a word heads a clause: a verb that is not a modifier, or any word with a subject."""
        tag, relation = self.tags[word], self.relations[word]
        if relation in AUXILIARIES:
            return False
        if tag.startswith("VB") or tag == "MD":
            if relation == "acomp":
                return self.has(word, SUBJECTS) or self.has(word, ("aux", "dobj"))
            return relation not in ("amod", "compound", "nmod", "case", "prep", "mark", "cc", "det")
        return relation not in ("pobj", "nsubj", "dobj") and self.has(word, ("nsubj", "nsubjpass", "aux", "auxpass"))

    def has(self, word: int, relations: Iterable[str]) -> bool:
        return any(self.relations[child] in relations for child in self.children[word])

    def items(self, words: Sequence[int]) -> list[Item]:
        return [self.phrase[word] for word in words]

    def parts(self, word: int) -> list[Item]:
        """Return a word and the phrases of its dependents, from left to right."""
        return [word if part == word else self.phrase[part] for part in sorted([*self.children[word], word])]

    def as_phrase(self, word: int, label: str) -> list[Item | str]:
        item = self.phrase[word]
        return [label, item] if isinstance(item, int) else item

    def in_clause(self, words: Sequence[int]) -> list[Item]:
        """Return the parts of a clause or larger noun phrase, in which single content words are phrases, too."""
        return [
            self.phrase[word] if self.relations[word] in _ALWAYS_WORDS else self.as_phrase(word, self.label_of(word))
            for word in words
        ]

    def label_of(self, word: int) -> str:
        tag = self.tags[word]
        return "ADVP" if tag.startswith("RB") else "ADJP" if tag.startswith("JJ") else "NP"

    def conjuncts(self, joined: Sequence[int], label: str) -> list[Item]:
        """Return the conjuncts of a coordination as phrases, with the conjunctions between them."""
        return [self.as_phrase(word, label) if self.relations[word] == "conj" else self.phrase[word] for word in joined]

    def divided(self, word: int) -> tuple[list[int], list[int], list[int], list[int]]:
        """Return dependents before the word, after it, conjuncts with conjunctions, and dependents after these."""
        relations, children = self.relations, self.children[word]
        before = [child for child in children if child < word]
        after = children[len(before) :]
        joined = [i for i, child in enumerate(after) if relations[child] == "conj"]
        if not joined:
            return before, after, [], []
        start, end = joined[0], joined[-1] + 1
        while start and relations[after[start - 1]] in _JOINING:
            start -= 1
        return before, after[:start], after[start:end], after[end:]

    def is_question_phrase(self, word: int) -> bool:
        item = self.phrase[word]
        return not isinstance(item, int) and item[0].startswith("WH")  # type: ignore[union-attr]

    # --- small phrases --------------------------------------------------------------------------------------------

    def marker(self, word: int) -> Item:
        if not self.children[word]:
            return word
        return ["CONJP" if self.relations[word] == "cc" else "ADVP", *self.parts(word)]

    def adverbial(self, word: int) -> Item:
        head = self.tree.heads[word]
        modifies = not self.children[word] and self.relations[word] in _IN_A_NOUN_PHRASE and head > word
        if modifies and not self.is_verb(head) and self.tags[head][:2] in _MODIFIED_BY_WORDS:
            return word  # "very good"
        return self.coordinated("WHADVP" if self.tags[word] == "WRB" else "ADVP", word)

    def adjectival(self, word: int) -> Item:
        relation = self.relations[word]
        modifies = relation in ("amod", "quantmod", "advmod") and self.tree.heads[word] > word
        if not self.children[word] and (modifies or relation == "conj"):
            return word
        first = self.tree.first[word]
        return self.coordinated("WHADJP" if self.tags[first] == "WRB" else "ADJP", word)

    def coordinated(self, label: str, word: int) -> Item:
        """Return a phrase with this label; conjuncts are phrases if one of them has more than one word."""
        before, after, joined, rest = self.divided(word)
        core: list[Item | str] = [label, *self.items(before), word, *self.items(after)]
        if joined and len(core) == 2 and all(isinstance(item, int) for item in self.items(joined)):
            core += self.items(joined)
        elif joined:
            core = [label, core, *self.conjuncts(joined, label)]
        return [*core, *self.items(rest)]

    def prepositional(self, word: int) -> Item:
        relation, children = self.relations[word], self.children[word]
        if not any(self.relations[child] in _OBJECTS_OF_PREPOSITIONS for child in children):
            if relation == "prep":
                return self.coordinated("PP" if children else "ADVP", word)
            if not children:
                return word if relation in _IN_A_NOUN_PHRASE else ["PP", word]
        before, after, joined, rest = self.divided(word)
        of_question = any(self.relations[child] == "pobj" and self.is_question_phrase(child) for child in after)
        core: list[Item | str] = ["WHPP" if of_question else "PP", *self.items(before), word]
        alone = {child for child in after if self.relations[child] == "fixed" and not self.children[child]}
        core += [child if child in alone else self.phrase[child] for child in after]
        if joined:
            core = ["PP", core, *self.items(joined)]
        return [*core, *self.items(rest)]

    # --- noun phrases ---------------------------------------------------------------------------------------------

    def nominal(self, word: int) -> Item:
        relations, tags = self.relations, self.tags
        relation, head = relations[word], self.tree.heads[word]
        if not self.children[word]:
            if relation in _IN_A_NOUN_PHRASE or (relation == "npadvmod" and head > word and not self.is_verb(head)):
                return word
            if relation == "conj" and tags[word].startswith(("NN", "CD")):
                return word  # the first conjunct determines whether it is a phrase
            if relation == "poss" and tags[word] in ("PRP$", "WP$"):
                return word
        before, after, joined, rest = self.divided(word)
        if relation in _INNER_LABELS and head > word and (relation != "npadvmod" or not self.is_verb(head)):
            return [_INNER_LABELS[relation], *self.items(before), word, *self.items([*after, *joined, *rest])]
        split = 0
        while split < len(after) and relations[after[split]] in _PART_OF_THE_NAME:
            split += 1
        label = _LABELS_OF_QUESTION_WORDS.get(tags[self.tree.first[word]], "NP")
        core: list[Item | str] = [label, *self.items(before), word, *self.items(after[:split])]
        outer = after[split:]
        if joined and not outer and all(isinstance(item, int) for item in self.items(joined)):
            core += self.items(joined)  # "the owner and photographer"
            joined = []
        core = self.enlarged(label, core, outer)
        if joined:
            core = [label, core, *self.conjuncts(joined, "NP")]
        return self.enlarged(label, core, rest)

    def enlarged(self, label: str, core: list[Item | str], after: Sequence[int]) -> list[Item | str]:
        """Return a larger phrase made of a phrase and what follows it, unless only punctuation follows."""
        if any(self.relations[child] not in _JOINING for child in after):
            return [label, core, *self.in_clause(after)]
        return [*core, *self.items(after)]

    # --- clauses --------------------------------------------------------------------------------------------------

    def clause(self, word: int) -> Item:
        relations = self.relations
        before, after, joined, rest = self.divided(word)
        if not joined and relations[word] == "ROOT":
            after, joined = self.further_clauses(after)
        auxiliaries = [child for child in before if relations[child] in AUXILIARIES]
        subject = next((child for child in before if relations[child] in SUBJECTS), None)
        # The first verb after the subject: everything to its left belongs to the clause.
        start = next((child for child in auxiliaries if subject is None or child > subject), word)
        left = [child for child in before if child < start]
        middle = before[len(left) :]
        tail = rest if joined else after
        cut = len(tail)
        while cut and relations[tail[cut - 1]] == "punct":
            cut -= 1
        final, tail[cut:] = tail[cut:], []
        clauses = any(self.is_clause_with_subject(child) for child in joined)
        shared: Sequence[int] = [] if clauses else joined
        if subject is None and self.has(word, SUBJECTS):  # "is he happy": the verb is a child of SQ
            verbs = [*self.items(middle), word, *self.in_clause(after), *self.items(shared)]
            verbs += self.items(rest) if shared else []
        else:
            verbs = [self.verb_phrase(word, middle, after, shared, rest)]
        core = self.with_complementizer(word, left, verbs)
        if clauses:
            return ["S", core, *self.items(joined), *self.items(rest), *self.items(final)]
        return [*core, *self.items(final)]

    def further_clauses(self, after: list[int]) -> tuple[list[int], list[int]]:
        """Split off clauses that follow the main one without a conjunction ("I came; I saw")."""
        for start, child in enumerate(after):
            if self.relations[child] == "parataxis" and self.is_clause_with_subject(child):
                while start and self.relations[after[start - 1]] == "punct":
                    start -= 1
                end = len(after)
                while self.relations[after[end - 1]] == "punct":
                    end -= 1
                if all(self.relations[other] in ("parataxis", "punct") for other in after[start:end]):
                    return after[:start], after[start:]
        return after, []

    def is_clause_with_subject(self, word: int) -> bool:
        item = self.phrase[word]
        return not isinstance(item, int) and item[0] in ("S", "SBAR", "SQ", "SBARQ") and self.has(word, SUBJECTS)

    def verb_phrase(
        self, word: int, middle: Sequence[int], after: Sequence[int], joined: Sequence[int], rest: Sequence[int]
    ) -> Item:
        """Return the verb and what follows it, in one VP per auxiliary, with the verbs that share its subject."""
        relations = self.relations
        inner: list[Item | str] = ["VP", word, *self.in_clause(after)]
        first = next((child for child in joined if relations[child] == "conj"), None)
        shares_auxiliaries = first is not None and (
            self.tags[first] == self.tags[word] and not self.has(first, AUXILIARIES)
        )
        if shares_auxiliaries:
            inner = self.joined_verbs(inner, joined, rest)
        end = len(middle)
        for i in range(len(middle) - 1, -1, -1):
            if relations[middle[i]] in AUXILIARIES:
                inner = ["VP", self.phrase[middle[i]], *self.in_clause(middle[i + 1 : end]), inner]
                end = i
        if end:
            inner = ["VP", *self.in_clause(middle[:end]), inner]
        if first is not None and not shares_auxiliaries:
            inner = self.joined_verbs(inner, joined, rest)
        return inner

    def joined_verbs(self, verb: list[Item | str], joined: Sequence[int], rest: Sequence[int]) -> list[Item | str]:
        phrases: list[Item | str] = ["VP", verb]
        for child in joined:
            item = self.phrase[child]
            if not isinstance(item, int) and item[0] == "S":
                phrases.extend(item[1:])  # an S without a subject contains only a VP
            else:
                phrases.append(item if self.relations[child] != "conj" else self.as_phrase(child, "VP"))
        return [*phrases, *self.in_clause(rest)]

    def with_complementizer(self, word: int, left: Sequence[int], verbs: list[Item]) -> list[Item | str]:
        """Return the clause of verbs, with everything to their left, as an S, SQ, SBAR or SBARQ."""
        relations, relation = self.relations, self.relations[word]
        marks = [i for i, child in enumerate(left) if relations[child] == "mark"]
        question = next((i for i, child in enumerate(left) if self.is_question_phrase(child)), None)
        cut = marks[-1] + 1 if marks else question + 1 if question is not None else 0
        outside, inside = left[:cut], left[cut:]
        has_subject = self.has(word, SUBJECTS)
        is_question = question is not None and not marks and relation in ("ROOT", "parataxis")
        asks_for_subject = is_question and relations[left[question or 0]] in SUBJECTS
        inverted = len(verbs) > 1 or any(relations[child] in AUXILIARIES for child in inside)
        if relation == "acl" and not left and not has_subject and self.tags[word] in ("VBN", "VBG"):
            verb_phrase = verbs[0]
            return verb_phrase if not isinstance(verb_phrase, int) else ["VP", verb_phrase]  # "a film set in Mexico"
        core: list[Item | str] = ["SQ" if inverted or asks_for_subject else "S", *self.in_clause(inside), *verbs]
        if outside:
            direct = is_question and (inverted or asks_for_subject)
            return ["SBARQ" if direct else "SBAR", *self.items(outside), core]
        follows_head = self.tree.heads[word] < word
        if relation == "relcl" or (relation == "ccomp" and has_subject and follows_head and self.is_finite(word)):
            return ["SBAR", core]  # "he thinks (that) ..."
        return core

    def is_finite(self, word: int) -> bool:
        return self.tags[word] in FINITE or any(
            self.relations[child] in AUXILIARIES and self.tags[child] in FINITE for child in self.children[word]
        )
