"""PropBank-style roles, by rules over dependencies.

The subject of an active verb is A0 and its object A1, a passive subject is A1; what the verb's lemma changes is in
role_words.py. Phrases and clauses around the verb are arguments or adjuncts by the word that introduces them. A verb
without a subject of its own takes that of the verb that it hangs from ("he wants to go", "he came and went"), and one
that modifies a noun takes the noun; the pronoun of a relative clause is then R-A0. "He seems to know": the infinitive
carries A1 on, C-A1.
"""

from __future__ import annotations

from collections.abc import Collection

from tarocco.annotate import role_words as known
from tarocco.annotate.constituency import AUXILIARIES
from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.sentence import Frame
from tarocco.annotate.verb_roles import NO_PREDICATES, NOUN_SUBJECTS, SHORT_FORMS, VerbRoles


def frames_of(tree: Dependencies, predicates: Collection[int] | None = None) -> tuple[Frame, ...]:
    """The predicates of a sentence with their arguments; without `predicates`, its verbs that are no auxiliaries."""
    if predicates is None:
        predicates = [
            word
            for word, (tag, relation) in enumerate(zip(tree.tags, tree.relations, strict=True))
            if tag.startswith("VB") and relation not in NO_PREDICATES
        ]
    labeler = _Roles(tree, frozenset(predicates))
    return tuple(labeler.frame(word) for word in sorted(predicates))


class _Roles(VerbRoles):
    """Verbs, and the nouns and adjectives that somebody says are predicates."""

    def frame(self, word: int) -> Frame:
        self.spans = []
        self.word = word
        self.lemma = SHORT_FORMS.get(self.lower[word], self.lemmas[word].lower())
        if self.relations[word] in AUXILIARIES:
            pass  # it carries no roles of its own
        elif self.tags[word].startswith("VB") or self.tags[word] == "MD":
            self.verb(word)
        elif self.tags[word].startswith(("JJ", "RB")):
            self.adjective(word)
        else:
            self.noun(word)
        return Frame(word, self.lemmas[word], self.without_overlaps())

    # --- nouns and adjectives ---------------------------------------------------------------------------------------

    def noun(self, word: int) -> None:
        head = self.heads[word]
        for child in self.children[word]:
            relation, lemma = self.relations[child], self.lemmas[child].lower()
            if relation == "poss":
                self.add_all_of("A0", child)
            elif relation == "amod":
                time, extent = lemma in known.TIME_ADJECTIVES, lemma in known.EXTENT_ADJECTIVES
                self.add_all_of("AM-TMP" if time else "AM-EXT" if extent else "AM-ADJ", child)
            elif relation == "compound":
                self.add_all_of("A1", child)
            elif relation == "prep":
                name = self.lower[child]
                role = "A1" if name in ("of", "on", "about", "with", "at") else known.PREPOSITIONS.get(name, "AM-ADV")
                self.add_all_of("AM-TMP" if self.has_time(child) else "A0" if name == "by" else role, child)
            elif relation in ("acl", "xcomp"):
                self.add_all_of("A2" if self.tags[child] == "VB" else "AM-ADJ", child)
            elif relation == "relcl":
                self.add_all_of("AM-ADJ", child)
            elif relation == "ccomp":
                self.add_all_of("A1", child)
            elif relation == "neg" or (relation == "det" and lemma == "no"):
                self.add("AM-NEG", child, child)
            elif relation == "npadvmod":
                self.add_all_of("AM-TMP", child)
        if head >= 0 and self.relations[word] == "dobj" and self.lemmas[head].lower() in known.LIGHT:
            self.light_verb(head)

    def light_verb(self, verb: int) -> None:
        """ "He made a decision": the verb is light, and its subject decides."""
        self.add("AM-LVB", verb, verb)
        for child in self.children[verb]:
            if self.relations[child] in ("aux", "neg", "advmod", "prep", "advcl", "intj"):
                self.dependent(verb, child, False)
        subject = self.child(verb, ("nsubj",))
        if subject is None:
            subject = self.controller(verb)
        if subject is not None:
            self.add_all_of("A0", subject)

    def adjective(self, word: int) -> None:
        head, relation = self.heads[word], self.relations[word]
        for child in self.children[word]:
            kind = self.relations[child]
            if kind == "advmod":
                role = self.adverb_role(child)
                self.add_all_of("AM-EXT" if role in ("AM-MNR", "AM-ADV", "AM-DIS") else role, child)
            elif kind in ("ccomp", "xcomp") or (kind == "prep" and self.lower[child] != "than"):
                self.add_all_of("A2", child)
        if head >= 0 and relation in ("acomp", "attr"):
            subject = self.child(head, NOUN_SUBJECTS)
            if subject is None:
                subject = self.controller(head)
            if subject is not None:
                self.add_all_of("A1", subject)
            for child in self.children[head]:
                if child != word and self.relations[child] in ("aux", "neg", "advmod", "advcl", "intj"):
                    self.dependent(head, child, False)
        elif head >= 0 and relation == "amod" and head > word:
            self.add("A1", word + 1, head)
