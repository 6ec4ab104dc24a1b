"""The labels of the IQmt manual."""

from tarocco.annotate.iqmt_labels import ENTITIES, RELATIONS, ROLES, UNITS, to_iqmt
from tarocco.annotate.sentence import Frame, Sentence, Span

# The labels of the manual's tables 7 to 9, as printed there.
TABLE_7 = """appo aux be by-subj c cn comp1 desc det gen fc have i inv-aux inv-be inv-have mod pnmod p-spec pcomp-c
    pcomp-n post pre pred rel obj obj2 s sc subj vrel wha whn whp"""
TABLE_8 = """ORG PER LOC MISC O DATE NUM ANGLE_QUANTITY DISTANCE_QUANTITY SIZE_QUANTITY SPEED_QUANTITY
    TEMPERATURE_QUANTITY WEIGHT_QUANTITY METHOD MONEY LANGUAGE PERCENT PROJECT SYSTEM"""
TABLE_9 = """A0 A1 A2 A3 A4 A5 AA AM-ADV AM-CAU AM-DIR AM-DIS AM-EXT AM-LOC AM-MNR AM-MOD AM-NEG AM-PNC AM-PRD AM-REC
    AM-TMP"""


def test_the_tables_lead_to_the_manuals_labels():
    assert set(RELATIONS.values()) <= set(TABLE_7.split())
    assert {*ENTITIES.values(), *UNITS} <= set(TABLE_8.split())
    assert set(ROLES.values()) <= set(TABLE_9.split())


def test_a_sentence():
    sentence = Sentence(
        ("Has", "the", "old", "ship", "sailed", "30", "km", "to", "Rome", "?"),
        lemmas=("have", "the", "old", "ship", "sail", "30", "km", "to", "Rome", "?"),
        tags=("VBZ", "DT", "JJ", "NN", "VBN", "CD", "NN", "IN", "NNP", "."),
        universal=("AUX", "DET", "ADJ", "NOUN", "VERB", "NUM", "NOUN", "ADP", "PROPN", "PUNCT"),
        heads=(4, 3, 3, 4, -1, 6, 4, 4, 7, 4),
        relations=("aux", "det", "amod", "nsubj", "ROOT", "nummod", "npadvmod", "prep", "pobj", "punct"),
        entities=(Span("QUANTITY", 5, 7), Span("GPE", 8, 9)),
        frames=(Frame(4, "sail", (Span("A0", 1, 4), Span("AM-PRP", 5, 7), Span("R-AM-GOL", 7, 9))),),
    )
    mapped = to_iqmt(sentence)
    assert mapped.universal == ("Have", "Det", "A", "N", "V", "NUM", "N", "P", "N", "U")
    assert mapped.relations == ("inv-have", "det", "mod", "s", "i", "post", "mod", "mod", "pcomp-n", "punct")
    assert mapped.entities == (Span("DISTANCE_QUANTITY", 5, 7), Span("LOC", 8, 9))
    assert [span.label for span in mapped.frames[0].arguments] == ["A0", "AM-PNC", "R-AM-PNC"]
    assert (mapped.words, mapped.tags, mapped.heads) == (sentence.words, sentence.tags, sentence.heads)


def test_copulas_questions_and_other_schemes():
    sentence = Sentence(
        ("What", "is", "just", "in", "it"),
        lemmas=("what", "be", "just", "in", "it"),
        tags=("WP", "VBZ", "RB", "IN", "PRP"),
        universal=("PRON", "AUX", "ADV", "ADP", "PRON"),
        heads=(1, -1, 3, 1, 3),
        relations=("attr", "ROOT", "advmod", "prep", "pobj"),
    )
    mapped = to_iqmt(sentence)
    assert mapped.universal == ("N", "VBE", "PpSpec", "P", "N")
    assert mapped.relations == ("whn", "i", "p-spec", "mod", "pcomp-n")


def test_missing_layers_stay_missing():
    assert to_iqmt(Sentence(("a",))) == Sentence(("a",))
    assert to_iqmt(Sentence(("a",), universal=("X",), relations=("x",))).relations == ("x",)


def test_kinds_of_quantities():
    def kind(text, size):
        sentence = Sentence(tuple(text.split()), entities=(Span("QUANTITY", 0, size),))
        return to_iqmt(sentence).entities[0].label.removesuffix("_QUANTITY")

    assert kind("60 miles per hour", 2) == kind("60 miles per hour", 4) == kind("9 km / h", 2) == "SPEED"
    assert kind("60 miles per gallon", 2) == kind("60 miles", 2) == "DISTANCE"
    assert kind("5 square kilometers", 3) == kind("5 acres", 2) == "SIZE"
    assert kind("10 degrees Celsius", 2) == kind("20 ° C", 3) == "TEMPERATURE"
    assert kind("45 degrees", 2) == kind("45 degrees C-wise", 2) == "ANGLE"


def test_small_words_and_modifiers():
    """The particles of infinitives and genitives, questions, determiners after determiners, no preposition."""
    sentence = Sentence(
        ("Where", "to", "see", "Jane", "'s", "many", "men", "last", "night", "of", "May", "more"),
        tags=("WRB", "TO", "VB", "NNP", "POS", "JJ", "NNS", "JJ", "NN", "IN", "NNP", "RBR"),
        universal=("SCONJ", "PART", "VERB", "PROPN", "PART", "ADJ", "NOUN", "ADJ", "NOUN", "ADP", "PROPN", "ADJ"),
        heads=(2, 2, -1, 6, 3, 6, 2, 8, 2, 10, 8, 2),
        relations=(
            *("advmod", "mark", "root", "nmod:poss", "case", "amod", "obj", "amod", "obl", "case", "nmod", "advmod"),
        ),
    )
    mapped = to_iqmt(sentence)
    assert mapped.universal == ("A", "Aux", "V", "N", "U", "PostDet", "N", "PostDet", "N", "P", "N", "A")
    assert mapped.relations == (
        *("wha", "c", "i", "gen", "mod", "post", "obj", "post", "mod", "mod", "pcomp-n", "mod"),
    )
