"""Quantities, percentages, dates and the like that a model missed."""

import pytest

from tarocco.annotate.entities import add_missed_entities
from tarocco.annotate.sentence import Span

CASES = [
    ("It/PRP fell/VBD 5.1/CD percent/NN in/IN May/NNP 2004/CD", "PERCENT 5.1 percent; DATE May 2004"),
    ("it/PRP is/VBZ 5/CD %/NN", "PERCENT 5 %"),
    ("for/IN $/$ 3/CD million/CD or/CC 20/CD euros/NNS", "MONEY $ 3 million; MONEY 20 euros"),
    ("40/CD km/NN north/RB", "QUANTITY 40 km"),
    ("20/CD °/CD C/NN or/CC 68/CD degrees/NNS Fahrenheit/NNP", "QUANTITY 20 ° C; QUANTITY 68 degrees Fahrenheit"),
    ("on/IN 3/CD May/NNP 2004/CD ,/, he/PRP may/MD go/VB", "DATE 3 May 2004"),
    ("March/NNP 3rd/JJ ,/, 1999/CD ,/, it/PRP", "DATE March 3rd , 1999"),
    ("due/JJ 12/05/2004/CD", "DATE 12/05/2004"),
    ("at/IN 10:30/CD a.m./NN today/NN", "TIME 10:30 a.m.; DATE today"),
    ("in/IN 1987/CD", "DATE 1987"),
    ("two/CD places/NNS", "CARDINAL two"),
    ("the/DT 2nd/JJ man/NN", "ORDINAL 2nd"),
    ("three/CD days/NNS", "DATE three days"),
    ("he/PRP may/MD march/VB on/IN", ""),
    ("a/DT plain/JJ word/NN", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_is_found(text, expected):
    pairs = [token.rpartition("/")[::2] for token in text.split()]
    words, tags = [word for word, _ in pairs], [tag for _, tag in pairs]
    found = add_missed_entities(words, tags, ())
    assert "; ".join(f"{span.label} {' '.join(words[span.start : span.end])}" for span in found) == expected


def test_what_the_model_found_stays():
    words, tags = ["5", "May", "3", "men"], ["CD", "NNP", "CD", "NNS"]
    model = (Span("PERSON", 1, 2),)
    assert add_missed_entities(words, tags, model) == (
        Span("CARDINAL", 0, 1),
        Span("PERSON", 1, 2),
        Span("CARDINAL", 2, 3),
    )
    assert add_missed_entities(words[:2], tags[:2], (Span("DATE", 0, 2),)) == (Span("DATE", 0, 2),)


def test_a_number_of_the_model_gets_the_unit_that_the_model_missed():
    def found(text, *model):
        words = text.split()
        tags = ["CD" if word[0].isdigit() or word == "two" else "NN" for word in words]
        entities = add_missed_entities(words, tags, model)
        return [(span.label, " ".join(words[span.start : span.end])) for span in entities]

    assert found("20 ° C here", Span("CARDINAL", 0, 1)) == [("QUANTITY", "20 ° C")]
    assert found("5 % of 7 men", Span("CARDINAL", 0, 1)) == [("PERCENT", "5 %"), ("CARDINAL", "7")]
    assert found("one 2 3", Span("CARDINAL", 1, 2)) == [("CARDINAL", "2"), ("CARDINAL", "3")]
    assert found("5 km", Span("CARDINAL", 0, 1), Span("ORG", 1, 2)) == [("CARDINAL", "5"), ("ORG", "km")]
    assert found("in 5", Span("CARDINAL", 1, 2)) == [("CARDINAL", "5")]
