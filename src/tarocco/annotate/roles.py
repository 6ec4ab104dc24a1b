"""PropBank-style semantic roles, by rules over dependencies.

The subject of an active verb is A0 and its object A1; a passive subject is A1. lexicon.py lists the verbs that differ.
The word that introduces a phrase or clause determines whether it is an argument or an adjunct. A verb without a subject
takes the one of its governing verb ("he wants to go", "he came and went"), and one that modifies a noun takes the noun;
a relative pronoun is then R-A0. In "he seems to know" the infinitive continues A1: C-A1.
"""

from __future__ import annotations

from collections.abc import Collection

from tarocco.annotate import lexicon
from tarocco.annotate.constituency import AUXILIARIES, SUBJECTS
from tarocco.annotate.dependencies import NEGATIONS, Dependencies
from tarocco.annotate.lexicon import word_set
from tarocco.annotate.sentence import Frame, Span

_PUNCTUATION = frozenset((".", ",", ":", "``", "''", "-LRB-", "-RRB-", "NFP"))
NOUN_SUBJECTS = word_set("nsubj nsubjpass csubj csubjpass")
_RELATIVE = word_set("WDT WP WP$ WRB")
# Contractions that lemmatizers miss if the apostrophe is missing.
SHORT_FORMS = dict.fromkeys(("'s", "s", "'re", "re", "'m", "m", "’s", "’re", "’m"), "be")
_CONTROLLED = word_set("xcomp conj advcl pcomp prep attr acomp ccomp agent")  # may share a subject with the head
NO_PREDICATES = word_set("aux auxpass amod compound case prep mark cc det nmod punct")


def derive_frames(tree: Dependencies, predicates: Collection[int] | None = None) -> tuple[Frame, ...]:
    """Return the frames of predicates; by default of all verbs except auxiliaries."""
    if predicates is None:
        predicates = [
            word
            for word, (tag, relation) in enumerate(zip(tree.tags, tree.relations, strict=True))
            if tag.startswith("VB") and relation not in NO_PREDICATES
        ]
    labeler = _RoleLabeler(tree, frozenset(predicates))
    return tuple(labeler.frame(word) for word in sorted(predicates))


class _RoleLabeler:
    """Labels the arguments of one predicate at a time: verbs, and nouns and adjectives if the caller names them."""

    def __init__(self, tree: Dependencies, predicates: frozenset[int]) -> None:
        self.tree, self.predicates = tree, predicates
        self.word, self.lemma = 0, ""  # the predicate
        self.spans: list[Span] = []  # its arguments, most important first
        self.relations, self.children, self.heads = tree.relations, tree.children, tree.heads
        self.tags, self.lower, self.lemmas = tree.tags, tree.lower, tree.lemmas

    def frame(self, word: int) -> Frame:
        self.spans = []
        self.word = word
        self.lemma = SHORT_FORMS.get(self.lower[word], self.lemmas[word].lower())
        if self.relations[word] in AUXILIARIES:
            pass  # auxiliaries have no roles
        elif self.tags[word].startswith("VB") or self.tags[word] == "MD":
            self.verb(word)
        elif self.tags[word].startswith(("JJ", "RB")):
            self.adjective(word)
        else:
            self.noun(word)
        return Frame(word, self.lemmas[word], self.resolve_overlaps())

    # --- helpers --------------------------------------------------------------------------------------------------

    def add(self, label: str | None, start: int, end: int) -> None:
        """Add the span from start to end, both inclusive, without punctuation at its ends."""
        tags = self.tags
        while start < end and tags[start] in _PUNCTUATION:
            start += 1
        while end > start and tags[end] in _PUNCTUATION:
            end -= 1
        if label is not None and not start <= self.word <= end:
            self.spans.append(Span(label, start, end + 1))

    def add_subtree(self, label: str | None, word: int) -> None:
        self.add(label, self.tree.first[word], self.tree.last[word])

    def resolve_overlaps(self) -> tuple[Span, ...]:
        """Return the spans from left to right, dropping spans that overlap earlier ones and repeated numbered roles."""
        spans: list[Span] = []
        labels = set()
        for span in self.spans:
            core = span.label[0] == "A" and span.label[1:2].isdigit()
            overlaps = any(span.start < other.end and other.start < span.end for other in spans)
            if overlaps or (core and span.label in labels):
                continue
            labels.add(span.label)
            spans.append(span)
        return tuple(sorted(spans, key=lambda span: span.start))

    def child(self, word: int, relations: Collection[str]) -> int | None:
        return next((child for child in self.children[word] if self.relations[child] in relations), None)

    def has_time(self, preposition: int) -> bool:
        """Return whether the object of a preposition is a time: "in May", "at 5", "in 2004"."""
        for child in self.children[preposition]:
            if self.relations[child] in ("pobj", "npadvmod", "amod"):
                if self.lower[child] in lexicon.TIME_NOUNS or self.lemmas[child].lower() in lexicon.TIME_NOUNS:
                    return True
                if self.tags[child] == "CD":
                    return not self.children[child] or ":" in self.lower[child] or len(self.lower[child]) == 4
        return False

    def is_passive(self, word: int) -> bool:
        if self.child(word, ("nsubjpass", "auxpass", "csubjpass")) is not None:
            return True
        if self.tags[word] != "VBN":
            return False
        if self.relations[word] == "conj" and self.child(word, AUXILIARIES) is None:
            return self.child(self.heads[word], ("nsubjpass", "auxpass")) is not None
        return (
            self.tags[word] == "VBN"
            and not any(
                self.relations[child] == "aux" and self.lemmas[child].lower() in ("have", "'ve", "'s")
                for child in self.children[word]
            )
            and self.child(word, ("dobj", "nsubj")) is None
            and self.relations[word] in ("acl", "advcl", "amod", "relcl")
        )

    # --- verbs ----------------------------------------------------------------------------------------------------

    def verb(self, word: int) -> None:
        passive = self.is_passive(word)
        subject_role = self.subject_role(word, passive)
        self.objects(word, passive, subject_role)
        for child in self.children[word]:
            self.dependent(word, child, passive)
        self.outer_arguments(word, subject_role, passive)

    def subject_role(self, word: int, passive: bool) -> str:
        lemma = self.lemma
        has_object = self.child(word, ("dobj", "ccomp")) is not None
        if passive:
            return "A1"
        if lemma in lexicon.SUBJECT_IS_A1_ALWAYS or (lemma in lexicon.SUBJECT_IS_A1 and not has_object):
            return "A1"
        if lemma == "get" and not has_object and self.child(word, ("acomp",)) is not None:
            return "A1"  # "he got sick"
        return "A2" if lemma in lexicon.SUBJECT_IS_A2 else "A0"

    def objects(self, word: int, passive: bool, subject_role: str) -> None:
        """Add the subject, objects and clausal complements."""
        lemma, relations = self.lemma, self.relations
        dobj = self.child(word, ("dobj",))
        clause = self.child(word, ("ccomp", "xcomp"))
        there = any(relations[child] == "expl" and self.lower[child] == "there" for child in self.children[word])
        for child in self.children[word]:
            relation = relations[child]
            if relation in NOUN_SUBJECTS:
                self.add_subtree(self.relative("A1" if there else subject_role, child), child)
            elif relation == "dobj":
                if clause is not None and clause > child:
                    self.object_and_clause(child, clause)
                elif lemma in lexicon.SUBJECT_IS_A1_ALWAYS or (lemma in lexicon.TELLING and self.tags[child] == "PRP"):
                    self.add_subtree("A2", child)
                else:
                    light = lemma in lexicon.LIGHT and child in self.predicates
                    if light:
                        self.add("AM-PRR", child, child)
                    else:
                        self.add_subtree(self.relative("A2" if passive else "A1", child), child)
            elif relation == "dative":
                self.add_subtree("A2" if dobj is not None or self.tags[child] in ("IN", "TO") else "A1", child)
            elif relation == "agent":
                self.add_subtree("A0", child)
            elif relation in ("attr", "acomp", "oprd"):
                role = "A1" if there or (lemma in lexicon.PREDICATE_IS_A1 and subject_role == "A0") else "A2"
                self.add_subtree(role, child)
            elif relation == "ccomp" and child < word and lemma not in lexicon.SPEAKING:
                pass  # more likely a preceding sentence than a complement
            elif relation in ("ccomp", "xcomp") and dobj is None:
                self.add_subtree(self.clause_role(passive), child)
            elif relation in ("ccomp", "xcomp") and (dobj or 0) > child:
                self.add_subtree("A1", child)

    def object_and_clause(self, dobj: int, clause: int) -> None:
        lemma, tree = self.lemma, self.tree
        if lemma in lexicon.OBJECT_IS_IN_THE_CLAUSE and self.tags[dobj] not in _RELATIVE:
            self.add("A1", tree.first[dobj], tree.last[clause])
        elif lemma in lexicon.TELLING:
            self.add_subtree("A2", dobj)
            self.add_subtree("A1", clause)
        else:
            self.add_subtree(self.relative("A1", dobj), dobj)
            self.add_subtree("A2", clause)

    def clause_role(self, passive: bool) -> str:
        if self.lemma in lexicon.RAISING:
            return "C-A1"
        if passive:
            return "C-A1" if self.lemma in ("say", "expect") else "A1" if self.lemma in lexicon.TELLING else "A2"
        return "A2" if self.lemma in ("be", "become") else "A1"

    def relative(self, role: str, word: int) -> str:
        """Return R-A0 for the relative pronoun of a clause, and the role itself for other words."""
        if self.relations[self.word] == "relcl" and (
            self.tags[word] in _RELATIVE or (self.lower[word] == "that" and self.tags[word] in ("IN", "DT"))
        ):
            return f"R-{role}"
        return role

    def dependent(self, verb: int, child: int, passive: bool) -> None:
        """Add a dependent that any verb may have: negation, modal, adjunct."""
        relation, lower = self.relations[child], self.lower[child]
        if relation == "neg" or (relation == "advmod" and lower in NEGATIONS):
            self.add("AM-NEG", child, child)
        elif relation == "aux" and self.tags[child] == "MD":
            self.add("AM-MOD", child, child)
        elif relation == "prep":
            self.add_subtree(self.preposition_role(child, passive), child)
        elif relation == "advmod":
            self.add_subtree(self.adverb_role(child), child)
        elif relation == "npadvmod":
            self.add_subtree(self.noun_adverb_role(child), child)
        elif relation == "advcl":
            self.add_subtree(self.clause_adjunct_role(child), child)
        elif relation == "intj":
            self.add_subtree("AM-DIS", child)
        elif relation == "cc" and child == 0:
            self.add("AM-DIS", child, child)
        elif relation == "prt" and lower not in ("up", "out", "off", "on", "down", "in", "over"):
            self.add_subtree("AM-DIR", child)

    def preposition_role(self, preposition: int, passive: bool) -> str | None:
        name = self.lower[preposition]
        if self.lemma == "be" and self.child(self.word, ("attr", "acomp")) is None and preposition > self.word:
            return "A2"
        if name in lexicon.TIME_PREPOSITIONS or (self.has_time(preposition) and name not in ("to", "of", "with")):
            return "AM-TMP"
        if passive and name == "by" and self.child(preposition, ("pcomp",)) is None:
            return "A0"
        special = lexicon.VERBS_WITH_PREPOSITIONS.get(f"{self.lemma} {name}")
        if special is not None and preposition > self.word:
            has_object = self.child(self.word, ("dobj",)) is not None or passive
            return "A2" if special == "A1" and has_object else special
        role = lexicon.PREPOSITIONS.get(name, "AM-ADV")
        if role == "A1" and self.child(self.word, ("dobj",)) is not None:
            return "A2"
        if role[1].isdigit() and preposition < self.word:
            return {"with": "AM-ADV", "for": "AM-PNC", "to": "AM-ADV", "from": "AM-DIR"}.get(name, "AM-ADV")
        return role

    def adverb_role(self, adverb: int) -> str:
        name = self.lower[adverb]
        if self.lemma == "be" and adverb > self.word and name in lexicon.PLACE_ADVERBS | lexicon.DIRECTION_ADVERBS:
            return "A2"
        if self.relations[self.word] == "relcl" and self.tags[adverb] == "WRB":
            return {"where": "R-AM-LOC", "when": "R-AM-TMP", "why": "R-AM-CAU"}.get(name, "R-AM-MNR")
        lists = (
            ("AM-TMP", lexicon.TIME_ADVERBS),
            ("AM-DIS", lexicon.DISCOURSE_ADVERBS),
            ("AM-ADV", lexicon.GENERAL_ADVERBS),
            ("AM-LOC", lexicon.PLACE_ADVERBS),
            ("AM-EXT", lexicon.EXTENT_ADVERBS),
            ("AM-CAU", lexicon.CAUSE_ADVERBS),
            ("AM-DIR", lexicon.DIRECTION_ADVERBS),
            ("AM-MNR", lexicon.MANNER_ADVERBS),
        )
        for role, words in lists:
            if name in words:
                if role == "AM-LOC" and self.lemma in lexicon.MOVING:
                    return "A4"
                return role
        return "AM-MNR" if name.endswith("ly") else "AM-ADV"

    def noun_adverb_role(self, noun: int) -> str:
        lemma = self.lemmas[noun].lower()
        if lemma in lexicon.TIME_NOUNS or self.lower[noun] in lexicon.TIME_NOUNS or self.tags[noun] == "CD":
            return "AM-TMP"
        return "AM-MNR" if lemma == "way" else "AM-EXT" if self.child(noun, ("nummod",)) is not None else "AM-ADV"

    def clause_adjunct_role(self, clause: int) -> str:
        for child in self.children[clause]:
            introduces = child < clause and (self.relations[child] == "mark" or self.tags[child] == "WRB")
            if introduces and self.lower[child] in lexicon.CLAUSES:
                return lexicon.CLAUSES[self.lower[child]]
        if any(self.tags[child] == "TO" and self.relations[child] == "aux" for child in self.children[clause]):
            return "AM-PNC"
        return "AM-ADV"

    # --- arguments outside the subtree ------------------------------------------------------------------------------

    def outer_arguments(self, word: int, role: str, passive: bool) -> None:
        relation, head = self.relations[word], self.heads[word]
        if head < 0:
            return
        if relation in ("relcl", "acl"):
            self.modified_noun(word, head, role, passive)
            return
        if any(self.relations[child] in SUBJECTS for child in self.children[word]):
            return
        subject = self.controller(word)
        if subject is not None:
            clause = self.heads[subject]
            if self.relations[clause] == "relcl" and self.tags[subject] in _RELATIVE and self.heads[clause] < clause:
                self.add_subtree(f"R-{role}", subject)
                self.add(role, self.tree.first[self.heads[clause]], self.tree.first[clause] - 1)
            else:
                self.add_subtree(role, subject)
        if relation == "conj" and self.child(word, AUXILIARIES) is None:
            for child in self.children[head]:
                if self.relations[child] == "aux" and self.tags[child] == "MD" and self.tags[word] == "VB":
                    self.add("AM-MOD", child, child)

    def modified_noun(self, word: int, noun: int, role: str, passive: bool) -> None:
        tree = self.tree
        label = role
        has_subject = self.child(word, NOUN_SUBJECTS)
        if self.relations[word] == "relcl":
            relative = next((span.label[2:] for span in self.spans if span.label.startswith("R-")), None)
            label = relative or ("A1" if has_subject is not None else role)
        elif any(self.tags[child] == "TO" for child in self.children[word]):
            label = "A1" if self.child(word, ("dobj",)) is None else ""
        if label and noun < word:
            self.add(label, tree.first[noun], tree.first[word] - 1)

    def controller(self, word: int) -> int | None:
        """Return the subject that a verb without one takes from its governing verbs."""
        while True:
            relation, head = self.relations[word], self.heads[word]
            if head < 0 or relation not in _CONTROLLED:
                return None
            if relation == "xcomp":
                dobj = self.child(head, ("dobj", "dative"))
                if dobj is not None and dobj < word and self.lemmas[head] != "promise":
                    return dobj
            subject = self.child(head, NOUN_SUBJECTS)
            if subject is not None and (relation != "conj" or subject < word):
                return subject
            word = head

    # --- nouns and adjectives ---------------------------------------------------------------------------------------

    def noun(self, word: int) -> None:
        head = self.heads[word]
        for child in self.children[word]:
            relation, lemma = self.relations[child], self.lemmas[child].lower()
            if relation == "poss":
                self.add_subtree("A0", child)
            elif relation == "amod":
                time, extent = lemma in lexicon.TIME_ADJECTIVES, lemma in lexicon.EXTENT_ADJECTIVES
                self.add_subtree("AM-TMP" if time else "AM-EXT" if extent else "AM-ADJ", child)
            elif relation == "compound":
                self.add_subtree("A1", child)
            elif relation == "prep":
                name = self.lower[child]
                role = "A1" if name in ("of", "on", "about", "with", "at") else lexicon.PREPOSITIONS.get(name, "AM-ADV")
                self.add_subtree("AM-TMP" if self.has_time(child) else "A0" if name == "by" else role, child)
            elif relation in ("acl", "xcomp"):
                self.add_subtree("A2" if self.tags[child] == "VB" else "AM-ADJ", child)
            elif relation == "relcl":
                self.add_subtree("AM-ADJ", child)
            elif relation == "ccomp":
                self.add_subtree("A1", child)
            elif relation == "neg" or (relation == "det" and lemma == "no"):
                self.add("AM-NEG", child, child)
            elif relation == "npadvmod":
                self.add_subtree("AM-TMP", child)
        if head >= 0 and self.relations[word] == "dobj" and self.lemmas[head].lower() in lexicon.LIGHT:
            self.light_verb(head)

    def light_verb(self, verb: int) -> None:
        """Add the arguments of a light verb to those of its object: in "he made a decision", he decides."""
        self.add("AM-LVB", verb, verb)
        for child in self.children[verb]:
            if self.relations[child] in ("aux", "neg", "advmod", "prep", "advcl", "intj"):
                self.dependent(verb, child, False)
        subject = self.child(verb, ("nsubj",))
        if subject is None:
            subject = self.controller(verb)
        if subject is not None:
            self.add_subtree("A0", subject)

    def adjective(self, word: int) -> None:
        head, relation = self.heads[word], self.relations[word]
        for child in self.children[word]:
            kind = self.relations[child]
            if kind == "advmod":
                role = self.adverb_role(child)
                self.add_subtree("AM-EXT" if role in ("AM-MNR", "AM-ADV", "AM-DIS") else role, child)
            elif kind in ("ccomp", "xcomp") or (kind == "prep" and self.lower[child] != "than"):
                self.add_subtree("A2", child)
        if head >= 0 and relation in ("acomp", "attr"):
            subject = self.child(head, NOUN_SUBJECTS)
            if subject is None:
                subject = self.controller(head)
            if subject is not None:
                self.add_subtree("A1", subject)
            for child in self.children[head]:
                if child != word and self.relations[child] in ("aux", "neg", "advmod", "advcl", "intj"):
                    self.dependent(head, child, False)
        elif head >= 0 and relation == "amod" and head > word:
            self.add("A1", word + 1, head)
