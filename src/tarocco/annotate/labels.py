"""The labels of the IQmt manual (2007, Tables 6 to 9) in place of an analyzer's own, one table a layer.

Only labels change, never the structure. What a table does not have keeps its name. Tags and chunks are the Penn
Treebank's and CoNLL-2000's in the manual, too. MINIPAR's categories C and I belong to nodes without words, which no
other parser has, and its subcategories of verbs (V_N, V_N_N, V_N_I) are all V here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tarocco.annotate.role_words import word_set
from tarocco.annotate.sentence import Frame, Sentence, Span

# Table 6: MINIPAR's grammatical categories, by universal part of speech.
CATEGORIES = {
    "DET": "Det",
    "NUM": "NUM",
    "VERB": "V",
    "AUX": "Aux",
    "NOUN": "N",
    "PROPN": "N",
    "PRON": "N",
    "ADP": "P",
    "ADJ": "A",
    "ADV": "A",
    "SCONJ": "COMP",
    "PART": "A",
    "CCONJ": "U",  # what MINIPAR has no category for
    "PUNCT": "U",
    "SYM": "U",
    "INTJ": "U",
    "X": "U",
}
CATEGORIES_BY_RELATION = {"predet": "PreDet", "det:predet": "PreDet", "compound": "NN"}
CATEGORIES_BY_TAG = {"TO": "Aux", "POS": "U", "WRB": "A"}  # "to" of infinitives, 's; "where" is no complementizer
AUXILIARIES = {"be": "Be", "have": "Have"}
POST_DETERMINERS = word_set("first last next other such many few several more most")

# Table 7: MINIPAR's grammatical relations, by those of ClearNLP and of Universal Dependencies.
RELATIONS = {
    "ROOT": "i",
    "root": "i",
    "nsubj": "s",
    "nsubjpass": "s",
    "nsubj:pass": "s",
    "csubj": "s",
    "csubjpass": "s",
    "csubj:pass": "s",
    "expl": "s",
    "agent": "by-subj",
    "obl:agent": "by-subj",
    "dobj": "obj",
    "obj": "obj",
    "dative": "obj2",
    "iobj": "obj2",
    "attr": "pred",
    "acomp": "pred",
    "oprd": "desc",
    "cop": "be",
    "aux": "aux",
    "auxpass": "be",
    "aux:pass": "be",
    "mark": "c",
    "ccomp": "fc",
    "xcomp": "sc",
    "pcomp": "pcomp-c",
    "pobj": "pcomp-n",
    "obl": "pcomp-n",
    "nmod": "pcomp-n",
    "poss": "gen",
    "nmod:poss": "gen",
    "det": "det",
    "predet": "pre",
    "det:predet": "pre",
    "nummod": "post",
    "appos": "appo",
    "relcl": "rel",
    "acl:relcl": "rel",
    "acl": "pnmod",
    "amod": "mod",
    "advmod": "mod",
    "advcl": "mod",
    "npadvmod": "mod",
    "obl:unmarked": "mod",
    "nmod:unmarked": "mod",
    "obl:tmod": "mod",
    "quantmod": "mod",
    "compound": "mod",
    "prep": "mod",
    "case": "mod",
    "neg": "mod",
    "prt": "mod",
    "compound:prt": "mod",
    "parataxis": "mod",
    "intj": "mod",
    "discourse": "mod",
}
QUESTION_WORDS = {"WRB": "wha", "WP": "whn", "WDT": "whn"}

# Table 8: entity types, by those of OntoNotes; a quantity is told by its unit.
ENTITIES = {
    "PERSON": "PER",
    "GPE": "LOC",
    "FAC": "LOC",
    "NORP": "MISC",
    "PRODUCT": "MISC",
    "EVENT": "MISC",
    "WORK_OF_ART": "MISC",
    "LAW": "MISC",
    "TIME": "DATE",
    "CARDINAL": "NUM",
    "ORDINAL": "NUM",
    "QUANTITY": "SIZE_QUANTITY",
}
UNITS = {
    "DISTANCE_QUANTITY": "km kilometer kilometers kilometre kilometres m meter meters metre metres cm mm mile miles "
    "yard yards foot feet inch inches",
    "WEIGHT_QUANTITY": "kg kilogram kilograms kilo kilos g gram grams ton tons tonne tonnes pound pounds lb lbs ounce "
    "ounces oz",
    "SPEED_QUANTITY": "mph km/h kph knots",
    "TEMPERATURE_QUANTITY": "°c °f celsius fahrenheit",
    "ANGLE_QUANTITY": "degree degrees °",
}
AREAS = frozenset(("square", "cubic", "sq", "sq."))  # and volumes: sizes, although a unit of distance follows
RATES = frozenset(("per hour", "an hour", "/ h", "per second", "a second", "/ s"))  # behind a distance: a speed
TEMPERATURES = frozenset(("c", "f", "celsius", "fahrenheit", "centigrade"))  # behind degrees
_KINDS = {unit: kind for kind, units in UNITS.items() for unit in units.split()}

# Table 9: roles that newer versions of PropBank have and the manual does not.
ROLES = {
    "AM-PRP": "AM-PNC",
    "AM-GOL": "AM-PNC",
    "AM-COM": "AM-MNR",
    "AM-ADJ": "AM-ADV",
    "AM-CXN": "AM-ADV",
    "AM-LVB": "AM-ADV",
    "AM-PRR": "A1",
}


def to_iqmt(sentence: Sentence) -> Sentence:
    """A sentence with the manual's labels in its universal parts of speech, relations, entities and roles."""
    universal, relations, entities, frames = (
        sentence.universal,
        sentence.relations,
        sentence.entities,
        sentence.frames,
    )
    return replace(
        sentence,
        universal=None if universal is None else _categories(sentence, universal),
        relations=None if relations is None else _relations(sentence, relations),
        entities=None if entities is None else tuple(_entity(span, sentence.words) for span in entities),
        frames=None if frames is None else tuple(map(_frame, frames)),
    )


def _categories(sentence: Sentence, universal: Sequence[str]) -> tuple[str, ...]:
    size = len(universal)
    relations = sentence.relations or ("",) * size
    lemmas = sentence.lemmas or sentence.words
    found: list[str] = []
    tags = sentence.tags or ("",) * size
    for part, relation, lemma, tag in zip(universal, relations, map(str.lower, lemmas), tags, strict=True):
        category = CATEGORIES.get(part, part)
        if part in ("PART", "SCONJ"):
            category = CATEGORIES_BY_TAG.get(tag, category)
        elif part == "AUX":
            is_verb = not relation.startswith("aux")  # "I am hungry"
            category = "VBE" if is_verb and lemma == "be" else AUXILIARIES.get(lemma, category)
        elif part in ("NOUN", "PROPN", "DET"):
            category = CATEGORIES_BY_RELATION.get(relation, category)
        elif part == "ADJ" and relation in ("amod", "") and lemma in POST_DETERMINERS:
            category = "PostDet"
        elif part == "ADV" and _under(sentence, len(found), "ADP"):
            category = "PpSpec"
        found.append(category)
    return tuple(found)


def _under(sentence: Sentence, word: int, part: str) -> bool:
    """Whether a word hangs from one of that part of speech."""
    heads, universal = sentence.heads, sentence.universal
    return heads is not None and universal is not None and heads[word] >= 0 and universal[heads[word]] == part


def _relations(sentence: Sentence, relations: Sequence[str]) -> tuple[str, ...]:
    heads, tags = sentence.heads or (-1,) * len(relations), sentence.tags or ("",) * len(relations)
    lemmas = sentence.lemmas or sentence.words
    subjects: dict[int, int] = {}  # the first subject of each head
    for word, relation in enumerate(relations):
        if RELATIONS.get(relation) == "s":
            subjects.setdefault(heads[word], word)
    with_case = {heads[word] for word, relation in enumerate(relations) if relation == "case"}
    found = []
    for word, relation in enumerate(relations):
        label = RELATIONS.get(relation, relation)
        if relation.startswith("aux"):
            lemma = lemmas[word].lower()
            label = lemma if lemma in AUXILIARIES else label
            label = f"inv-{label}" if word < subjects.get(heads[word], -1) else label
        elif label != "s" and tags[word] in QUESTION_WORDS and word < heads[word]:
            label = QUESTION_WORDS[tags[word]]
        elif relation == "acl" and tags[word] == "VBN":
            label = "vrel"
        elif relation == "amod" and lemmas[word].lower() in POST_DETERMINERS:
            label = "post"
        elif relation in ("nmod", "obl") and word not in with_case:  # "€ 20", "last night": no preposition
            label = "mod"
        elif label == "mod" and _under(sentence, word, "ADP"):
            label = "p-spec"
        found.append(label)
    return tuple(found)


def _entity(span: Span, words: Sequence[str]) -> Span:
    label = ENTITIES.get(span.label, span.label)
    if span.label == "QUANTITY":
        label = _quantity([word.lower() for word in words[span.start : span.end + 2]], span.end - span.start) or label
    return Span(label, span.start, span.end)


def _quantity(words: Sequence[str], size: int) -> str:
    """What kind of quantity some words are; behind the first `size` of them are the two that follow: "per hour"."""
    place = next((place for place in reversed(range(size)) if words[place] in _KINDS), None)
    if place is None or not AREAS.isdisjoint(words[:place]):
        return ""  # a size
    kind, behind = _KINDS[words[place]], words[place + 1 : place + 3]
    if kind == "DISTANCE_QUANTITY" and " ".join(behind) in RATES:
        return "SPEED_QUANTITY"
    if kind == "ANGLE_QUANTITY" and behind and behind[0] in TEMPERATURES:
        return "TEMPERATURE_QUANTITY"
    return kind


def _frame(frame: Frame) -> Frame:
    return replace(frame, arguments=tuple(Span(_role(s.label), s.start, s.end) for s in frame.arguments))


def _role(label: str) -> str:
    prefix = label[:2] if label[:2] in ("C-", "R-") else ""
    name = label.removeprefix(prefix)
    return prefix + ROLES.get(name, name)
