"""chrF, the words of chrF++ and characters with spaces against textbook versions."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textbook import chrf_metric as textbook

import tarocco
from tarocco.core.errors import BadParameter
from tarocco.core.test_set import Segments
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.encode.tokenizers import tokenizer
from tarocco.metrics.ngram.chrf import ChrF

# Few letters repeat n-grams; punctuation in all places, odd spaces, and letters whose lower case is longer.
CHARACTERS = st.sampled_from("aaabbc.,!(' \t\n\x1c\x85\xa0\u2003éÉΣİ中😀")
TEXT = st.text(CHARACTERS, max_size=30)
SEGMENTS = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=4)


def cleaned(segments):
    """An empty reference beside others is no reference."""
    return [
        (candidate, [reference for reference in references if reference.strip()] or [references[0]])
        for candidate, references in segments
    ]


@given(text=TEXT)
@example(text="(hi) 'tis etc. ... !! ! a, ,a «a» a\u3002 (\x85)")
def test_words(text):
    assert tokenizer("chrf")(text) == " ".join(textbook.split_punctuation(text))


@given(texts=st.lists(TEXT, min_size=1, max_size=5), lowercase=st.booleans())
@example(texts=["a\ud800b", "", "\n"], lowercase=False)
def test_code_points(texts, lowercase):
    columns = Segments.from_strings(texts), Segments.from_strings(texts[::-1])
    rows = Groups(np.arange(2), np.array([0, 2]))
    batch = Batch.of_groups(columns, columns[:1], rows, rows, Encoding("char")).code_points(lowercase)
    expected = [[ord(c) for c in (text.lower() if lowercase else text)] for text in texts]
    assert [batch.candidates[i].tolist() for i in range(len(batch.candidates))] == expected + expected[::-1]
    assert [batch.references[i].tolist() for i in range(len(batch.references))] == expected


PARAMETERS = st.fixed_dictionaries(
    {
        "char_order": st.integers(0, 7),
        "min_char_order": st.integers(1, 3),
        "word_order": st.integers(0, 3),
        "beta": st.sampled_from([0, 0.5, 1, 2, 3]),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
        "ties": st.sampled_from(["shortest", "first"]),
    }
).filter(
    lambda chosen: (
        chosen["char_order"] + chosen["word_order"] > 0 and chosen["min_char_order"] <= max(chosen["char_order"], 1)
    )
)


@given(segments=SEGMENTS, parameters=PARAMETERS)
def test_chrf(segments, parameters):
    found = tarocco.score(*zip(*segments, strict=True), metrics=ChrF(**parameters)).scores[0]
    segments = cleaned(segments)
    assert found.score == pytest.approx(textbook.chrf(segments, **parameters), rel=1e-12, abs=1e-15)
    expected = [textbook.chrf([one], **parameters) for one in segments]
    assert found.segments.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(segments=SEGMENTS)
def test_order_of_references_does_not_matter(segments):
    """Ties too: with few letters there are many."""
    candidates, references = zip(*segments, strict=True)
    other = [texts[::-1] for texts in references]
    for name in ("chrF:ties=shortest", "chrF++:eps_smoothing=yes:ties=shortest"):
        one, two = (tarocco.statistics(name, candidates, texts) for texts in (references, other))
        assert one.tolist() == two.tolist()


@pytest.mark.parametrize(
    ("name", "canonical", "parameters"),
    [
        ("chrf2", "chrF", {}),
        ("chrF2++", "chrF++", {"word_order": 2}),
        ("chrF3", "chrF:beta=3", {"beta": 3}),
        ("chrF1+", "chrF+:beta=1", {"word_order": 1, "beta": 1}),
        ("chrF:word_order=2", "chrF++", {"word_order": 2}),
        ("chrF:word_order=3", "chrF:word_order=3", {"word_order": 3}),
        ("chrF:beta=0.5", "chrF:beta=0.5", {"beta": 0.5}),
        ("chrF++:word_order=2:whitespace=true", "chrF++:whitespace=yes", {"word_order": 2, "whitespace": True}),
    ],
)
def test_names(name, canonical, parameters):
    found = tarocco.metric(name)
    assert str(found) == canonical
    assert found == dataclasses.replace(ChrF(), **parameters)


@pytest.mark.parametrize(
    "name", ["chrF3:beta=2", "chrF++:word_order=1", "chrF:char_order=0", "chrF:beta=-1", "chrF:min_char_order=7"]
)
def test_bad_parameters(name):
    with pytest.raises(BadParameter):
        tarocco.metric(name)


def test_signature_and_details():
    found = tarocco.score(["ab c"], ["abd"], metrics="chrF++:char_order=2", tokenize="intl", lowercase=True).scores[0]
    assert "|case:mixed|tok:char|char_order:2|word_order:2|beta:2|" in found.signature
    assert found.details == {"precisions": [2 / 3, 1 / 2, 0.0, 0.0], "recalls": [2 / 3, 1 / 2, 0.0, 0.0]}
