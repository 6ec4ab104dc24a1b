"""The label sets of the IQmt manual (2007, Tables 6 to 9), as replacements for an analyzer's labels.

Only labels change, never the structure, and a label without a replacement stays as it is. Part-of-speech tags and
chunks are those of the Penn Treebank and CoNLL-2000 in the manual, too. MINIPAR's categories C and I belong to nodes
without words, which other parsers do not produce; its subcategories of verbs (V_N, V_N_N, V_N_I) are all V here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tarocco.annotate.lexicon import index_words, word_set
from tarocco.annotate.sentence import Frame, Sentence, Span

# Table 6: MINIPAR's grammatical categories, by universal part of speech.
CATEGORIES = index_words(
    {
        "Det": "DET",
        "NUM": "NUM",
        "V": "VERB",
        "Aux": "AUX",
        "N": "NOUN PROPN PRON",
        "P": "ADP",
        "A": "ADJ ADV PART",
        "COMP": "SCONJ",
        "U": "CCONJ PUNCT SYM INTJ X",  # MINIPAR has no category for these
    }
)
CATEGORIES_BY_RELATION = {"predet": "PreDet", "det:predet": "PreDet", "compound": "NN"}
CATEGORIES_BY_TAG = {"TO": "Aux", "POS": "U", "WRB": "A"}  # infinitival "to", possessive 's, adverbial "where"
AUXILIARIES = {"be": "Be", "have": "Have"}
POST_DETERMINERS = word_set("first last next other such many few several more most")

# Table 7: MINIPAR's grammatical relations, by those of ClearNLP and of Universal Dependencies.
RELATIONS = index_words(
    {
        "i": "ROOT root",
        "s": "nsubj nsubjpass nsubj:pass csubj csubjpass csubj:pass expl",
        "by-subj": "agent obl:agent",
        "obj": "dobj obj",
        "obj2": "dative iobj",
        "pred": "attr acomp",
        "desc": "oprd",
        "be": "cop auxpass aux:pass",
        "aux": "aux",
        "c": "mark",
        "fc": "ccomp",
        "sc": "xcomp",
        "pcomp-c": "pcomp",
        "pcomp-n": "pobj obl nmod",
        "gen": "poss nmod:poss",
        "det": "det",
        "pre": "predet det:predet",
        "post": "nummod",
        "appo": "appos",
        "rel": "relcl acl:relcl",
        "pnmod": "acl",
        "mod": "amod advmod advcl npadvmod obl:unmarked nmod:unmarked obl:tmod quantmod compound prep case neg "
        "prt compound:prt parataxis intj discourse",
    }
)
QUESTION_WORDS = {"WRB": "wha", "WP": "whn", "WDT": "whn"}

# Table 8: entity types, by those of OntoNotes; the unit determines the kind of a quantity.
ENTITIES = index_words(
    {
        "PER": "PERSON",
        "LOC": "GPE FAC",
        "MISC": "NORP PRODUCT EVENT WORK_OF_ART LAW",
        "DATE": "TIME",
        "NUM": "CARDINAL ORDINAL",
        "SIZE_QUANTITY": "QUANTITY",
    }
)
UNITS = {
    "DISTANCE_QUANTITY": "km kilometer kilometers kilometre kilometres m meter meters metre metres cm mm mile miles "
    "yard yards foot feet inch inches",
    "WEIGHT_QUANTITY": "kg kilogram kilograms kilo kilos g gram grams ton tons tonne tonnes pound pounds lb lbs ounce "
    "ounces oz",
    "SPEED_QUANTITY": "mph km/h kph knots",
    "TEMPERATURE_QUANTITY": "°c °f celsius fahrenheit",
    "ANGLE_QUANTITY": "degree degrees °",
}
AREAS = frozenset(("square", "cubic", "sq", "sq."))  # areas and volumes are sizes, although a unit of distance follows
RATES = frozenset(("per hour", "an hour", "/ h", "per second", "a second", "/ s"))  # after a distance: a speed
TEMPERATURES = frozenset(("c", "f", "celsius", "fahrenheit", "centigrade"))  # after degrees
_KINDS = index_words(UNITS)

# Table 9: roles of newer PropBank versions that the manual does not have.
ROLES = index_words(
    {
        "AM-PNC": "AM-PRP AM-GOL",
        "AM-MNR": "AM-COM",
        "AM-ADV": "AM-ADJ AM-CXN AM-LVB",
        "A1": "AM-PRR",
    }
)


def to_iqmt(sentence: Sentence) -> Sentence:
    """Return a sentence with the labels of the manual in `universal`, `relations`, `entities` and `frames`."""
    universal, relations = sentence.universal, sentence.relations
    entities, frames = sentence.entities, sentence.frames
    return replace(
        sentence,
        universal=None if universal is None else _map_categories(sentence, universal),
        relations=None if relations is None else _map_relations(sentence, relations),
        entities=None if entities is None else tuple(_map_entity(span, sentence.words) for span in entities),
        frames=None if frames is None else tuple(map(_map_frame, frames)),
    )


def _map_categories(sentence: Sentence, universal: Sequence[str]) -> tuple[str, ...]:
    size = len(universal)
    relations = sentence.relations or ("",) * size
    lemmas = sentence.lemmas or sentence.words
    categories: list[str] = []
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
        elif part == "ADV" and _has_head(sentence, len(categories), "ADP"):
            category = "PpSpec"
        categories.append(category)
    return tuple(categories)


def _has_head(sentence: Sentence, word: int, part: str) -> bool:
    """Return whether the head of a word has this part of speech."""
    heads, universal = sentence.heads, sentence.universal
    return heads is not None and universal is not None and heads[word] >= 0 and universal[heads[word]] == part


def _map_relations(sentence: Sentence, relations: Sequence[str]) -> tuple[str, ...]:
    heads, tags = sentence.heads or (-1,) * len(relations), sentence.tags or ("",) * len(relations)
    lemmas = sentence.lemmas or sentence.words
    subjects: dict[int, int] = {}  # the first subject of each head
    for word, relation in enumerate(relations):
        if RELATIONS.get(relation) == "s":
            subjects.setdefault(heads[word], word)
    with_case = {heads[word] for word, relation in enumerate(relations) if relation == "case"}
    labels = []
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
        elif relation in ("nmod", "obl") and word not in with_case:  # no preposition: "€ 20", "last night"
            label = "mod"
        elif label == "mod" and _has_head(sentence, word, "ADP"):
            label = "p-spec"
        labels.append(label)
    return tuple(labels)


def _map_entity(span: Span, words: Sequence[str]) -> Span:
    label = ENTITIES.get(span.label, span.label)
    if span.label == "QUANTITY":
        label = (
            _classify_quantity([word.lower() for word in words[span.start : span.end + 2]], span.end - span.start)
            or label
        )
    return Span(label, span.start, span.end)


def _classify_quantity(words: Sequence[str], size: int) -> str:
    """Return the kind of a quantity of `size` words, or "" for a size; `words` has up to two more words: "per hour"."""
    unit = next((index for index in reversed(range(size)) if words[index] in _KINDS), None)
    if unit is None or not AREAS.isdisjoint(words[:unit]):
        return ""
    kind, following = _KINDS[words[unit]], words[unit + 1 : unit + 3]
    if kind == "DISTANCE_QUANTITY" and " ".join(following) in RATES:
        return "SPEED_QUANTITY"
    if kind == "ANGLE_QUANTITY" and following and following[0] in TEMPERATURES:
        return "TEMPERATURE_QUANTITY"
    return kind


def _map_frame(frame: Frame) -> Frame:
    return replace(frame, arguments=tuple(Span(_map_role(s.label), s.start, s.end) for s in frame.arguments))


def _map_role(label: str) -> str:
    prefix = label[:2] if label[:2] in ("C-", "R-") else ""
    name = label.removeprefix(prefix)
    return prefix + ROLES.get(name, name)
